internal import CPlatform
import Glibc

/// The files of a detached copy, beside the store:
///
///     people.sqlite-detached-0123456789abcdef         the main file as copied
///     people.sqlite-detached-0123456789abcdef-wal     the journal's frames as copied
///     people.sqlite-detached-0123456789abcdef-index   for other processes: see `CopyIndex`
///
/// Every process that uses a copy holds a shared lock on byte 0 of its main file, which SQLite does
/// not lock, through an open file description. Whoever gets that lock exclusively may delete the
/// copy: its last user or, if that one was killed, the next process to open the store.
final class CopyFiles: Sendable {
    let path: String
    let main: Int32, journal: Int32
    private let epoch = ForkGuard.epoch

    private static let names = NumberedFiles(infix: "-detached-")

    /// Creates empty files for a copy of a store, with the store's owner and permissions.
    ///
    /// - Parameter source: the store's main file.
    init(beside store: String, source: Int32) throws(SQLiteError) {
        var status = stat()
        guard fstat(source, &status) == 0 else { throw FileCopy.failure(errno, store) }
        for _ in 0..<100 {
            let name = Self.names.newPath(for: store)
            guard let main = try Self.create(name, like: status) else { continue }
            let code = pinview_lock_description(main, Int16(F_RDLCK), 0, 1)
            var created = stat()
            guard code == 0, fstat(main, &created) == 0, created.st_nlink > 0 else {
                unlink(name)
                close(main)
                // A process that cleans up came between creating and locking the file.
                if code == 0 || code == EAGAIN || code == EACCES { continue }
                throw FileCopy.failure(code, name)
            }
            do throws(SQLiteError) {
                guard let journal = try Self.create(name + "-wal", like: status) else { throw FileCopy.failure(EEXIST, name + "-wal") }
                (path, self.main, self.journal) = (name, main, journal)
            } catch {
                unlink(name)
                close(main)
                throw error
            }
            CopyDescriptors.add(main)
            return
        }
        throw FileCopy.failure(EBUSY, store)
    }

    deinit {
        // A forked child shares the lock with its parent, which owns the copy.
        guard ForkGuard.epoch == epoch else { return }
        CopyDescriptors.remove(main)
        // Release our own lock first, so that of two processes that end at the same time, one gets
        // the exclusive lock.
        _ = pinview_lock_description(main, Int16(F_UNLCK), 0, 1)
        if pinview_lock_description(main, Int16(F_WRLCK), 0, 1) == 0 { Self.remove(path) }
        close(journal)
        close(main)
    }

    /// Writes the file that describes the content of the copy.
    ///
    /// - Returns: its size in bytes.
    func writeIndex(_ bytes: [UInt8]) throws(SQLiteError) -> Int64 {
        let name = path + "-index"
        var status = stat()
        guard fstat(main, &status) == 0 else { throw FileCopy.failure(errno, name) }
        guard let descriptor = try Self.create(name, like: status) else { throw FileCopy.failure(EEXIST, name) }
        defer { close(descriptor) }
        try FileCopy.write(bytes, at: 0, to: descriptor, name)
        return Int64(bytes.count)
    }

    /// Creates a file with the store's owner and permissions.
    private static func create(_ path: String, like store: stat) throws(SQLiteError) -> Int32? {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            if errno == EEXIST { return nil }
            throw FileCopy.failure(errno, path, "a copy could not be created: " + String(cString: strerror(errno)))
        }
        fchmod(descriptor, store.st_mode & 0o666)
        if geteuid() == 0 { _ = fchown(descriptor, store.st_uid, store.st_gid) }
        return descriptor
    }

    /// The main file is deleted last, because the others are found through it.
    private static func remove(_ path: String) {
        for name in [path + "-index", path + "-wal", path] { unlink(name) }
    }

    /// Deletes copies that nobody uses any more, left by processes that were killed. Called when
    /// the first store on the file is opened in this process.
    static func removeLeftovers(of store: String) { names.removeUnused(for: store, remove) }

    /// The paths of all copies of a store.
    static func copies(of store: String) -> [String] { names.paths(for: store) }

    // MARK: Copies of other processes

    /// Finds a copy that contains the given state and uses it from now on; nil if there is none.
    static func using(_ store: String, holding name: GenerationName) -> (files: CopyFiles, index: CopyIndex, regions: IndexRegions)? {
        for path in copies(of: store) {
            guard let files = CopyFiles(using: path), let bytes = FileCopy.contents(of: path + "-index") else { continue }
            let found = bytes.withUnsafeBytes { bytes -> (CopyIndex, IndexRegions)? in
                guard let index = CopyIndex(bytes), index.device == name.device, index.inode == name.inode,
                    index.entries.contains(where: { $0.header == name.header })
                else { return nil }
                let offset = CopyIndex.headerSize + index.entries.count * CopyIndex.entrySize
                return (index, IndexRegions(UnsafeRawBufferPointer(rebasing: bytes[offset...])))
            }
            if let (index, regions) = found { return (files, index, regions) }
        }
        return nil
    }

    /// - Returns: nil if the copy is about to be deleted.
    private init?(using path: String) {
        let main = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard main >= 0 else { return nil }
        let journal = open(path + "-wal", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        var status = stat()
        guard journal >= 0, pinview_lock_description(main, Int16(F_RDLCK), 0, 1) == 0, fstat(main, &status) == 0, status.st_nlink > 0
        else {
            close(main)
            if journal >= 0 { close(journal) }
            return nil
        }
        (self.path, self.main, self.journal) = (path, main, journal)
        CopyDescriptors.add(main)
    }

    /// The size of the copied main file and frames in bytes.
    var size: Int64 {
        var total: Int64 = 0
        for descriptor in [main, journal] {
            var status = stat()
            if fstat(descriptor, &status) == 0 { total += Int64(status.st_size) }
        }
        return total
    }
}

/// The descriptors that hold locks on copies. A forked child closes them, so that it does not keep
/// a copy alive after its parent.
private enum CopyDescriptors {
    private static let lock = Lock()
    nonisolated(unsafe) private static var descriptors: Set<Int32> = []  // guarded by `lock`

    static func add(_ descriptor: Int32) {
        _ = forkHandlers
        lock.withLock { _ = descriptors.insert(descriptor) }
    }

    static func remove(_ descriptor: Int32) { lock.withLock { _ = descriptors.remove(descriptor) } }

    private static let forkHandlers: Void = {
        pthread_atfork(
            { CopyDescriptors.lock.lock() },
            { CopyDescriptors.lock.unlock() },
            {
                for descriptor in CopyDescriptors.descriptors { close(descriptor) }
                CopyDescriptors.descriptors = []
                CopyDescriptors.lock.unlock()
            })
    }()
}
