internal import CPlatform
import Glibc

/// The locks on one file that the kernel lists (`/proc/locks`), of all processes visible to this
/// one.
struct FileLocks {
    struct Lock {
        /// nil for a lock of an open file description, which belongs to no particular process.
        let process: pid_t?
        let isExclusive: Bool
        /// Whether it is a lock of an open file description, which SQLite does not use.
        var isOfDescription = false
        let bytes: ClosedRange<Int64>
    }

    let locks: [Lock]
    private let descriptor: Int32

    /// - Parameter descriptor: of the file; not used for locking.
    init(descriptor: Int32, table: LockTable) {
        self.descriptor = descriptor
        let known = table.locks(descriptor: descriptor)
        guard known.contains(where: { $0.process == nil }) else {
            locks = known
            return
        }
        // Their owners: usually, a process that has the file open also holds locks of its own on
        // it.
        locks = known + Set(known.compactMap(\.process)).flatMap { table.descriptionLocks(of: $0, on: descriptor) }
    }

    /// The locks on a byte whose process is known.
    func holders(of byte: Int64) -> [Lock] { locks.filter { $0.process != nil && $0.bytes.contains(byte) } }

    /// Whether anyone holds a byte, including processes in other namespaces, which the list omits.
    func isHeld(_ byte: Int64) -> Bool {
        locks.contains { $0.bytes.contains(byte) } || pinview_finds_lock(descriptor, byte) == 1
    }
}

/// The kernel's list of file locks at one moment.
struct LockTable {
    private struct Line {
        let lock: FileLocks.Lock
        let device: Substring, inode: UInt64
    }

    private let lines: [Line]

    /// Reads the list; it stays empty if that fails.
    init() {
        lines = SmallFile.text("/proc/locks").split(separator: "\n").compactMap(Self.parse)
    }

    /// Parses `4: POSIX  ADVISORY  READ 7994 fe:00:16221168 124 128`: type, mode, access, process,
    /// file, first and last byte.
    private static func parse(_ line: Substring) -> Line? {
        let words = line.split(separator: " ", omittingEmptySubsequences: true)
        // A line with an arrow is a waiting process. FLOCK is another type of lock, which SQLite
        // does not use.
        guard words.count == 8, words[1] == "POSIX" || words[1] == "OFDLCK", let process = pid_t(words[4]), let first = Int64(words[6])
        else { return nil }
        let last = words[7] == "EOF" ? Int64.max : Int64(words[7]) ?? first
        let file = words[5].split(separator: ":")
        guard file.count == 3, let inode = UInt64(file[2]), last >= first else { return nil }
        return Line(
            lock: FileLocks.Lock(process: process > 0 ? process : nil, isExclusive: words[3] == "WRITE", bytes: first...last),
            device: words[5].prefix(file[0].count + 1 + file[1].count), inode: inode)
    }

    /// The locks on an open file.
    func locks(descriptor: Int32) -> [FileLocks.Lock] { Self.locks(among: lines, descriptor) }

    private static func locks(among lines: [Line], _ descriptor: Int32) -> [FileLocks.Lock] {
        var status = stat()
        guard !lines.isEmpty, fstat(descriptor, &status) == 0 else { return [] }
        let inode = UInt64(status.st_ino)
        let devices = [name(ofDevice: UInt64(status.st_dev)), mountedDevice(descriptor)]
        return lines.filter { $0.inode == inode && devices.contains(String($0.device)) }.map(\.lock)
    }

    /// The locks of open file descriptions of a process on a file. The kernel lists them with the
    /// process's descriptors, which may not be accessible.
    func descriptionLocks(of process: pid_t, on descriptor: Int32) -> [FileLocks.Lock] {
        guard let folder = opendir("/proc/\(process)/fdinfo") else { return [] }
        defer { closedir(folder) }
        var lines: [Line] = []
        while let item = readdir(folder) {
            let name = withUnsafePointer(to: &item.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name.first != "." else { continue }
            for line in SmallFile.text("/proc/\(process)/fdinfo/\(name)").split(separator: "\n") where line.hasPrefix("lock:") {
                if let line = Self.parse(line.dropFirst(5).drop { $0 == "\t" }), line.lock.process == nil { lines.append(line) }
            }
        }
        return Self.locks(among: lines, descriptor).map {
            FileLocks.Lock(process: process, isExclusive: $0.isExclusive, isOfDescription: true, bytes: $0.bytes)
        }
    }

    /// The device as in the list: two hexadecimal numbers.
    private static func name(ofDevice device: UInt64) -> String {
        hexadecimal(device >> 8 & 0xfff | device >> 32 & 0xffff_f000) + ":" + hexadecimal(device & 0xff | device >> 12 & 0xffff_ff00)
    }

    private static func hexadecimal(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return digits.count < 2 ? "0" + digits : digits
    }

    /// The device of the mounted file system, which may differ from the device of its files.
    private static func mountedDevice(_ descriptor: Int32) -> String? {
        let fields = SmallFile.text("/proc/self/fdinfo/\(descriptor)").split(separator: "\n")
        guard let mount = fields.first(where: { $0.hasPrefix("mnt_id:") })?.split(whereSeparator: { $0 == ":" || $0 == "\t" }).last else {
            return nil
        }
        for line in SmallFile.text("/proc/self/mountinfo").split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 3)
            guard words.count == 4, words[0] == mount else { continue }
            let numbers = words[2].split(separator: ":").compactMap { UInt64($0) }
            return numbers.count == 2 ? hexadecimal(numbers[0]) + ":" + hexadecimal(numbers[1]) : nil
        }
        return nil
    }

    /// The name of a process; nil if it has ended or is not visible.
    static func command(of process: pid_t) -> String? {
        let name = SmallFile.text("/proc/\(process)/comm").split(separator: "\n").first
        return name.map(String.init)
    }
}
