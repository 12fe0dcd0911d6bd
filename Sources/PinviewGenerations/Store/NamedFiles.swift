import Glibc

/// The files of an open store, and the paths that must refer to them as long as it is open.
///
/// A store whose file has been deleted or replaced would still commit, to a file that nobody will
/// open again. So the paths are checked before each commit, which fails if one refers to another
/// file.
///
/// Looking up a path takes most of that check. A store that commits often has its files and folders
/// watched, and looks them up only if the kernel has reported something.
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
    private let events: PathEvents?
    private var watch: PathEvents.Watch?
    private var remainingProofs = NamedFiles.proofsBeforeWatching
    /// What had been reported when all paths were looked up, and when to look them up again in any
    /// case.
    private var proof: (serial: UInt64, end: MonotonicTime)?

    /// A store that commits less often is not worth watching.
    static let proofsBeforeWatching = 8
    /// Seconds. A file system mounted over a folder hides it, which is not reported.
    private static let proofLifetime = 1.0

    /// - Parameters:
    ///   - path: the store's path without symbolic links. The store and its journal have just been
    ///     opened.
    ///   - events: nil to look up the paths each time.
    init(path: String, isWAL: Bool, events: PathEvents? = .shared) {
        let paths = isWAL ? [path, path + "-wal", path + "-shm"] : [path]
        // Files that SQLite has not created cannot be replaced.
        files = paths.compactMap { path in FileRegistry.key(of: path).map { File(path: path, name: path.utf8CString, key: $0) } }
        self.events = events
    }

    deinit { close() }

    /// Ends watching. The paths can still be checked.
    func close() {
        if let watch { events?.end(watch) }
        (watch, proof) = (nil, nil)
    }

    /// Checks that each path still refers to its file.
    ///
    /// - Throws: kind `replaced`.
    func prove() throws(SQLiteError) {
        // Before the files are looked up: what happens meanwhile is reported later.
        let serial = watch.flatMap { events?.serial(of: $0) }
        if let proof, let serial, proof.serial == serial, .coarse < proof.end { return }
        proof = nil
        for file in files { try prove(file) }
        proof = serial.map { ($0, MonotonicTime.coarse.after(Self.proofLifetime)) }
        watchIfWorthwhile()
    }

    private func watchIfWorthwhile() {
        guard remainingProofs > 0 else { return }
        remainingProofs -= 1
        if remainingProofs == 0 { watch = events?.watch(files.map(\.path)) }
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

    private static func replaced(_ path: String, _ what: String) -> SQLiteError {
        SQLiteError(
            kind: .replaced, extendedCode: SQLiteError.movedCode,
            message: "\(path) \(what) while the store was open, so changes written to it would be lost; put the file back, or remove the "
                + "store and add it again",
            path: path)
    }
}
