internal import CPlatform
import Glibc

/// File descriptors for locks that belong to an open file description rather than to the process.
///
/// SQLite's own locks are POSIX locks: when any code in the process closes a descriptor of the file
/// (a second copy of SQLite, code that copies the file), all of them are lost, and another process
/// may take away what a pinned reader reads. Locks of a description stay. In turn, closing one of
/// these descriptors would drop SQLite's locks. So there is one for each file and purpose, it is
/// opened with a store, and closed only when nothing else in the process has the file open.
enum LockDescriptors {
    struct FileKey: Hashable {
        let device: UInt64, inode: UInt64
        init(_ status: stat) {
            device = UInt64(status.st_dev)
            inode = UInt64(status.st_ino)
        }
    }

    /// What the locks are for. Locks of one description never conflict with each other, so shared
    /// locks for pins and exclusive locks for writers need two.
    enum Purpose: Hashable {
        case sharing
        /// The descriptor is open for writing, as exclusive locks require.
        case excluding
        /// For one connection alone, whose locks conflict with those of all others.
        case connection(number: Int, isReadOnly: Bool)
    }

    private struct EntryKey: Hashable {
        let file: FileKey
        let purpose: Purpose
    }

    private struct Entry {
        let descriptor: Int32
        var users: Int
        var lastUse: MonotonicTime
    }

    private static let lock = Lock()
    nonisolated(unsafe) private static var entries: [EntryKey: Entry] = [:]  // guarded by `lock`
    /// The number of unused files whose descriptors are kept.
    private static let idleLimit = 32

    /// Returns a descriptor of an existing file, to be given back once for each call; nil if it
    /// cannot be opened.
    static func take(_ path: String, for purpose: Purpose = .sharing) -> (key: FileKey, descriptor: Int32)? {
        _ = forkHandlers
        return lock.withLock {
            var status = stat()
            guard isRegularFile(path, &status) else { return nil }
            let key = EntryKey(file: FileKey(status), purpose: purpose)
            if var entry = entries[key] {
                entry.users += 1
                entries[key] = entry
                return (key.file, entry.descriptor)
            }
            sweepBeforeFirst(of: key.file)
            let descriptor = open(path, (purpose == .excluding ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK)
            guard descriptor >= 0, fstat(descriptor, &status) == 0 else { return nil }
            // The file may have been replaced in between. A second descriptor of a known file must
            // not be closed.
            let opened = EntryKey(file: FileKey(status), purpose: purpose)
            var entry = entries[opened] ?? Entry(descriptor: descriptor, users: 0, lastUse: .now)
            entry.users += 1
            entries[opened] = entry
            return (opened.file, entry.descriptor)
        }
    }

    /// Returns a descriptor that nobody else has, as a number for `giveBack`; nil if it cannot be
    /// opened (`errno` says why).
    static func takeForConnection(_ path: String, isReadOnly: Bool) -> (key: FileKey, purpose: Purpose, descriptor: Int32)? {
        _ = forkHandlers
        return lock.withLock {
            var status = stat()
            guard isRegularFile(path, &status) else { return nil }
            var key = EntryKey(file: FileKey(status), purpose: .connection(number: 0, isReadOnly: isReadOnly))
            for number in 0... {
                key = EntryKey(file: key.file, purpose: .connection(number: number, isReadOnly: isReadOnly))
                guard let entry = entries[key] else { break }
                guard entry.users > 0 else {
                    entries[key]?.users = 1
                    return (key.file, key.purpose, entry.descriptor)
                }
            }
            sweepBeforeFirst(of: key.file)
            let descriptor = open(path, (isReadOnly ? O_RDONLY : O_RDWR) | O_CLOEXEC | O_NONBLOCK)
            guard descriptor >= 0 else { return nil }
            // A descriptor of a file that has just been replaced is kept, too, unused: closing it
            // could drop locks.
            guard fstat(descriptor, &status) == 0 else { return nil }
            let isSame = FileKey(status) == key.file
            if !isSame {
                let unused = Purpose.connection(number: .random(in: 1 << 32...Int.max), isReadOnly: isReadOnly)
                key = EntryKey(file: FileKey(status), purpose: unused)
            }
            entries[key] = Entry(descriptor: descriptor, users: isSame ? 1 : 0, lastUse: .now)
            errno = ESTALE
            return isSame ? (key.file, key.purpose, descriptor) : nil
        }
    }

    private static func isRegularFile(_ path: String, _ status: inout stat) -> Bool {
        guard stat(path, &status) == 0 else { return false }
        guard RegularFile.otherThing(status) == nil else {
            errno = EINVAL
            return false
        }
        return true
    }

    /// Gives a descriptor back, whose locks have been released. It is kept for the next store on
    /// the file.
    static func giveBack(_ file: FileKey, for purpose: Purpose = .sharing) {
        let key = EntryKey(file: file, purpose: purpose)
        lock.withLock {
            entries[key]?.users -= 1
            entries[key]?.lastUse = .now
            sweep(limit: idleLimit)
        }
    }

    /// Sweeps if no descriptor of a file has been opened yet: opening a store opens several of each
    /// of its files.
    private static func sweepBeforeFirst(of file: FileKey) {
        if !entries.keys.contains(where: { $0.file == file }) { sweep(limit: idleLimit) }
    }

    /// Closes unused descriptors if the process does not have the file open elsewhere: those of
    /// deleted files at once, others beyond a limit.
    private static func sweep(limit: Int) {
        let idle = entries.filter { $0.value.users <= 0 }
        var candidates: [EntryKey] = []
        for (key, entry) in idle {
            var status = stat()
            if fstat(entry.descriptor, &status) == 0, status.st_nlink == 0 { candidates.append(key) }
        }
        if idle.count > limit {
            let named = idle.filter { !candidates.contains($0.key) }.sorted { $0.value.lastUse < $1.value.lastUse }
            candidates += named.prefix(max(0, idle.count - limit)).map(\.key)
        }
        guard !candidates.isEmpty else { return }
        let openElsewhere = openFiles(except: Set(entries.values.map(\.descriptor)))
        for key in candidates where !openElsewhere.contains(key.file) {
            if let entry = entries.removeValue(forKey: key) { close(entry.descriptor) }
        }
    }

    /// The files that the process has open through other descriptors.
    private static func openFiles(except own: Set<Int32>) -> Set<FileKey> {
        var files: Set<FileKey> = []
        guard let folder = opendir("/proc/self/fd") else { return Set(entries.keys.map(\.file)) }
        defer { closedir(folder) }
        while let item = readdir(folder) {
            let name = withUnsafePointer(to: &item.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            var status = stat()
            if let descriptor = Int32(name), !own.contains(descriptor), fstat(descriptor, &status) == 0 { files.insert(FileKey(status)) }
        }
        return files
    }

    /// A forked child shares the descriptions. It closes its descriptors, so that it cannot keep a
    /// pin alive after its parent; the parent's locks are not affected.
    private static let forkHandlers: Void = {
        pthread_atfork(
            { LockDescriptors.lock.lock() },
            { LockDescriptors.lock.unlock() },
            {
                for entry in LockDescriptors.entries.values { close(entry.descriptor) }
                LockDescriptors.entries = [:]
                LockDescriptors.lock.unlock()
            })
    }()
}

/// A descriptor in use; to be given back by its key.
struct LockDescriptorUse {
    let key: LockDescriptors.FileKey, descriptor: Int32

    init?(_ path: String) {
        guard let taken = LockDescriptors.take(path) else { return nil }
        (key, descriptor) = taken
    }
}

/// Locks that tell everybody that a file in WAL mode is in use, a second copy of SQLite in this
/// process included: without the first, its last close would delete the journal; without the
/// second, its opening would empty the WAL-index.
struct OpenMarks {
    private let main: LockDescriptorUse?, index: LockDescriptorUse?

    init(path: String) {
        main = LockDescriptorUse(path)
        index = LockDescriptorUse(path + "-shm")
        if let main { _ = pinview_lock_description(main.descriptor, Int16(F_RDLCK), LockBytes.sharedFirst, LockBytes.sharedSize) }
        if let index { _ = pinview_lock_description(index.descriptor, Int16(F_RDLCK), LockBytes.deadManSwitch, 1) }
    }

    func close() {
        for use in [main, index].compactMap({ $0 }) {
            _ = pinview_lock_description(use.descriptor, Int16(F_UNLCK), 0, 0)
            LockDescriptors.giveBack(use.key)
        }
    }
}

/// The bytes of the locks that SQLite documents (sqlite.org/walformat.html, and the lock-byte page
/// in sqlite.org/fileformat2.html).
enum LockBytes {
    /// The lock of the first read mark in the WAL-index.
    static let firstReadMark: Int64 = 123
    /// Held shared by every process that has the WAL-index open: whoever finds it free empties the
    /// file.
    static let deadManSwitch: Int64 = 128
    /// The main file's locks of a writer that waits for readers to finish, and of one that is about
    /// to write.
    static let pending: Int64 = 0x4000_0000, reserved: Int64 = 0x4000_0001
    /// The shared lock of the main file.
    static let sharedFirst: Int64 = 0x4000_0002, sharedSize: Int64 = 510
}
