internal import CPlatform
import Glibc

/// The empty journal and the WAL-index that opening a file in WAL mode makes beside it. SQLite
/// leaves them there when the file was only read.
enum OwnFiles {
    /// Whether neither is there, so that what is there afterwards comes from this opening.
    static func areMissing(path: String) -> Bool { access(path + "-wal", F_OK) != 0 && access(path + "-shm", F_OK) != 0 }

    /// Deletes both, as SQLite itself does after its last connection: with the file locked against
    /// everybody else, and only if no transaction is in the journal.
    static func remove(path: String) {
        guard let (key, descriptor) = LockDescriptors.take(path, for: .excluding) else { return }
        defer { LockDescriptors.giveBack(key, for: .excluding) }
        let first = LockBytes.sharedFirst - 2, size = LockBytes.sharedSize + 2
        guard pinview_lock_description(descriptor, Int16(F_WRLCK), first, size) == 0 else { return }
        defer { _ = pinview_lock_description(descriptor, Int16(F_UNLCK), first, size) }
        var status = stat()
        guard stat(path, &status) == 0, LockDescriptors.FileKey(status) == key else { return }
        guard stat(path + "-wal", &status) != 0 || status.st_size == 0 else { return }
        unlink(path + "-wal")
        unlink(path + "-shm")
    }
}
