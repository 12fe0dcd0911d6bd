internal import CPlatform
import Glibc

/// The lock for writing of a store that is not in WAL mode: SQLite's own, a POSIX lock on a byte of the main file.
///
///     byte   0x40000000   0x40000001   0x40000002 … 510 bytes
///            pending      reserved     shared
///
/// It is gone as soon as any code in the process closes a descriptor of the file. It stays SQLite's all the same, because the stock VFS
/// counts the locks of all connections of the process, those of the program's own among them, and takes what it has not locked itself for
/// another process's. Instead the kernel is asked before each commit whose lock it is, and the file whether anybody has committed since.
struct MainLock {
    private static let reservedByte: Int64 = 0x4000_0001

    private let use: LockDescriptorUse

    /// - Returns: nil where the file cannot be opened.
    init?(path: String) {
        guard let use = LockDescriptorUse(path) else { return nil }
        self.use = use
    }

    func giveBack() { LockDescriptors.giveBack(use.key) }

    /// SQLite's count of the commits; nil where it cannot be read.
    var changeCount: UInt32? {
        let bytes = Bytes.read(4, at: 24, from: use.descriptor)
        return bytes.count == 4 ? bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self).bigEndian } : nil
    }

    /// Whether this process has the lock, and nobody has committed since the count was taken.
    func isHeld(sinceChangeCount count: UInt32?) -> Bool {
        pinview_lock_holder(use.descriptor, Self.reservedByte) == getpid() && changeCount == count
    }
}
