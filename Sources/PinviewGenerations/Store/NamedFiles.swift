import Glibc

/// The files of an open store, and the paths that must refer to them as long as it is open.
///
/// A store whose file has been deleted or replaced would still commit, to a file that nobody will
/// open again. So the paths are checked before each commit, which fails if one refers to another
/// file.
///
/// Looking up a path takes most of that check. In a folder in which no file has been created,
/// renamed or deleted since the last check, only the path of the store itself is looked up: it
/// shows whether the folder is still the one.
///
/// Used by the thread that has the writers' turn.
final class NamedFiles {
    private struct File {
        let path: String
        /// The path as the system takes it: each commit asks.
        let name: ContiguousArray<CChar>
        let key: LockDescriptors.FileKey
    }

    private let files: [File]
    /// The folder of several files; nil for one, or if it cannot be opened.
    private var folder: Int32?
    /// The folder as it was when all paths were checked; nil if it may change without its stamp.
    private var knownFolder: FileStamp?

    /// A folder that changes twice within this time, in seconds, may keep its stamp: the first is
    /// above the interval of the kernel's clock, the second above that of file systems that count
    /// in seconds, or in steps of two.
    private static let (clockInterval, coarseInterval) = (0.05, 3.0)

    /// - Parameter path: the store's path without symbolic links. The store and its journal have
    ///   just been opened.
    init(path: String, isWAL: Bool) {
        let paths = isWAL ? [path, path + "-wal", path + "-shm"] : [path]
        // Files that SQLite has not created cannot be replaced.
        files = paths.compactMap { path in FileRegistry.key(of: path).map { File(path: path, name: path.utf8CString, key: $0) } }
        guard files.count > 1, let end = path.lastIndex(of: "/") else { return }
        let descriptor = open(String(path[...end]), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if descriptor >= 0 { folder = descriptor }
    }

    deinit { close() }

    /// Releases the folder. The paths can still be checked.
    func close() {
        if let folder { Glibc.close(folder) }
        folder = nil
        knownFolder = nil
    }

    /// Checks that each path still refers to its file.
    ///
    /// - Throws: kind `replaced`.
    func prove() throws(SQLiteError) {
        guard let store = files.first else { return }
        try prove(store)
        // Before the other files are looked up: what happens meanwhile changes the stamp.
        let stamp = folder.flatMap { try? FileStamp($0) }
        if let stamp, stamp == knownFolder { return }
        knownFolder = nil
        for file in files.dropFirst() { try prove(file) }
        if let stamp, Self.isSettled(stamp) { knownFolder = stamp }
    }

    private func prove(_ file: File) throws(SQLiteError) {
        var status = stat()
        guard file.name.withUnsafeBufferPointer({ name in name.baseAddress.map { stat($0, &status) } }) == 0 else {
            let number = errno
            guard number == ENOENT || number == ENOTDIR else {
                throw SystemError(call: .status, number: number).sqliteError(path: file.path)
            }
            throw Self.replaced(file.path, "was deleted or moved away")
        }
        guard LockDescriptors.FileKey(status) == file.key else { throw Self.replaced(file.path, "was replaced by another file") }
    }

    /// Whether the next change of a folder gives it another stamp.
    private static func isSettled(_ stamp: FileStamp) -> Bool {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let age = Double(now.tv_sec - stamp.seconds) + Double(now.tv_nsec - stamp.nanoseconds) / 1e9
        return age > (stamp.nanoseconds == 0 ? coarseInterval : clockInterval)
    }

    private static func replaced(_ path: String, _ what: String) -> SQLiteError {
        SQLiteError(
            kind: .replaced, extendedCode: SQLiteError.movedCode,
            message: "\(path) \(what) while the store was open, so changes written to it would be lost; put the file back, or remove the "
                + "store and add it again",
            path: path)
    }
}
