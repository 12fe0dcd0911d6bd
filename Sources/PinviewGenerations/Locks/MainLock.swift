internal import CPlatform
import Glibc

/// The proof, before each commit, that a store that is not in WAL mode still has its write lock,
/// and that nobody has committed since the transaction began.
///
/// The lock is that of `MainFileLocks`. Where the system has no locks of open file descriptions it
/// is SQLite's own, a POSIX lock, which the kernel drops when any code in the process closes a
/// descriptor of the file, without SQLite noticing. The kernel is then asked who holds it.
struct MainLock {
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
    ///
    /// - Parameter locks: the connection's, if the lock is not SQLite's own.
    func isHeld(by locks: MainFileLocks?, sinceChangeCount count: UInt32?) -> Bool {
        if isInWALMode { return true }
        let isHeld = locks.map(\.provesReserved) ?? (pinview_lock_holder(use.descriptor, LockBytes.reserved) == getpid())
        return isHeld && changeCount == count
    }
}
