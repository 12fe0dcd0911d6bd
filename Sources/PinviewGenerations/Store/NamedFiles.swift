import Glibc

/// The files of an open store and the paths that have to name them as long as it is open.
///
/// A store whose file was deleted or replaced still commits, to a file that nobody will ever open again. So the paths are looked up
/// again before each commit: a name that leads elsewhere means that nothing is committed.
struct NamedFiles {
    private struct File {
        let path: String
        let key: LockDescriptors.FileKey
    }

    private let files: [File]

    /// - Parameter path: of the store, without symbolic links. The store has been opened a moment ago, with its journal.
    init(path: String, isWAL: Bool) {
        let paths = isWAL ? [path, path + "-wal", path + "-shm"] : [path]
        // Those that SQLite has not made are none that could be replaced.
        files = paths.compactMap { path in FileRegistry.key(of: path).map { File(path: path, key: $0) } }
    }

    /// Makes sure that each path still names its file.
    ///
    /// - Throws: kind `replaced`.
    func prove() throws(SQLiteError) {
        for file in files {
            var status = stat()
            guard stat(file.path, &status) == 0 else {
                let number = errno
                guard number == ENOENT || number == ENOTDIR else {
                    throw SystemError(call: .status, number: number).sqliteError(path: file.path)
                }
                throw Self.replaced(file.path, "was deleted or moved away")
            }
            guard LockDescriptors.FileKey(status) == file.key else { throw Self.replaced(file.path, "was replaced by another file") }
        }
    }

    private static func replaced(_ path: String, _ what: String) -> SQLiteError {
        SQLiteError(
            kind: .replaced, extendedCode: SQLiteError.movedCode,
            message: "\(path) \(what) while the store was open, so what is written to it would be lost; put the file back, or remove the "
                + "store from its coordinator and add it again",
            path: path)
    }
}
