internal import CPlatform
import Glibc

/// The write lock of a store that is not in WAL mode: SQLite's own, a POSIX lock on a byte of the
/// main file.
///
///     byte   0x40000000   0x40000001   0x40000002 … 510 bytes
///            pending      reserved     shared
///
/// The kernel drops it when any code in the process closes a descriptor of the file. SQLite does
/// not notice, and nothing but SQLite can hold the lock: the stock VFS counts the locks of all
/// connections of the process, including those of the program itself, and treats other locks as
/// another process's. So before each commit the kernel is asked who holds the lock, and the file
/// whether anybody has committed since.
struct MainLock {
    private static let reservedByte: Int64 = 0x4000_0001

    private let use: LockDescriptorUse

    /// - Returns: nil if the file cannot be opened.
    init?(path: String) {
        guard let use = LockDescriptorUse(path) else { return nil }
        self.use = use
    }

    func giveBack() { LockDescriptors.giveBack(use.key) }

    /// The file's change counter; nil if it cannot be read.
    var changeCount: UInt32? {
        let bytes = Bytes.read(4, at: 24, from: use.descriptor)
        return bytes.count == 4 ? bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self).bigEndian } : nil
    }

    /// Whether the file has been switched to WAL mode, in which SQLite does not use this lock
    /// (sqlite.org/fileformat2.html, 1.3.3).
    private var isInWALMode: Bool {
        let bytes = Bytes.read(1, at: 18, from: use.descriptor)
        return bytes.first == 2
    }

    /// Whether this process has the lock, and nobody has committed since the counter was read. A
    /// store that another program has switched to WAL mode is not judged.
    func isHeld(sinceChangeCount count: UInt32?) -> Bool {
        if isInWALMode { return true }
        return pinview_lock_holder(use.descriptor, Self.reservedByte) == getpid() && changeCount == count
    }
}
