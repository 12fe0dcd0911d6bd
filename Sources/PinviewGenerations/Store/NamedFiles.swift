import Glibc

/// The files of an open store, and the paths that must refer to them as long as it is open.
///
/// A store whose file has been deleted or replaced would still commit, to a file that nobody will
/// open again. So the paths are checked before each commit, which fails if one refers to another
/// file.
struct NamedFiles {
    private struct File {
        let path: String
        /// The path as the system takes it: each commit asks.
        let name: ContiguousArray<CChar>
        let key: LockDescriptors.FileKey
    }

    private let files: [File]

    /// - Parameter path: the store's path without symbolic links. The store and its journal have
    ///   just been opened.
    init(path: String, isWAL: Bool) {
        let paths = isWAL ? [path, path + "-wal", path + "-shm"] : [path]
        // Files that SQLite has not created cannot be replaced.
        files = paths.compactMap { path in FileRegistry.key(of: path).map { File(path: path, name: path.utf8CString, key: $0) } }
    }

    /// Checks that each path still refers to its file.
    ///
    /// - Throws: kind `replaced`.
    func prove() throws(SQLiteError) {
        for file in files {
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
    }

    private static func replaced(_ path: String, _ what: String) -> SQLiteError {
        SQLiteError(
            kind: .replaced, extendedCode: SQLiteError.movedCode,
            message: "\(path) \(what) while the store was open, so changes written to it would be lost; put the file back, or remove the "
                + "store and add it again",
            path: path)
    }
}
