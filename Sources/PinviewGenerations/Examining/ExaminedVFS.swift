internal import CSQLite
import Glibc

/// What a file of `pinview-examined` shows: one state of an examined file, as a database without a
/// journal that nobody can change. Nothing is locked or written, and no other file is opened.
struct ExaminedState {
    let file: ExaminedFile
    let pages: ExaminedPages
    let commit: ExaminedCommit
}

/// SQLITE_IOERR_SHORT_READ, a macro that Swift does not import.
private let shortRead = SQLITE_IOERR | (2 << 8)
private let immutableFile: Int32 = 0x2000  // SQLITE_IOCAP_IMMUTABLE

enum ExaminedVFS {
    /// Guards `opening`.
    private static let lock = Lock()
    /// What the file that is being opened is to show.
    nonisolated(unsafe) fileprivate static var opening: ExaminedState?

    /// The VFS's name, registered at its first use; nil if the default VFS of the process is not
    /// the stock one.
    private static let name: String? =
        ShimVFS.shared == nil
        ? nil
        : ShimVFS.register("pinview-examined") { vfs in
            vfs.xOpen = openExamined
            vfs.xDelete = { _, _, _ in SQLITE_READONLY }
            vfs.xAccess = accessExamined
        }

    /// Opens a connection that shows a state.
    static func connect(
        to file: ExaminedFile, at commit: ExaminedCommit, part: ConnectionPart, _ options: StoreFileOptions
    ) throws(SQLiteError) -> Connection {
        guard let name else {
            throw SQLiteError(
                kind: .cannotOpen, extendedCode: SQLITE_CANTOPEN, message: "another VFS than SQLite's own is the default in this process",
                path: file.path)
        }
        guard file.isWhole(commit) else {
            throw SQLiteError(
                kind: .generationLost, extendedCode: SQLITE_ERROR,
                message:
                    "commit \(commit.number) of the journal cannot be read any more: a checkpoint has copied later pages into the file",
                path: file.path)
        }
        let pages = file.pages(of: commit)
        lock.lock()
        opening = ExaminedState(file: file, pages: pages, commit: commit)
        let result: Result<Connection, SQLiteError>
        do throws(SQLiteError) {
            result = .success(
                try Connection(
                    path: file.path, flags: SQLITE_OPEN_READONLY, vfs: name, part: part, trustsSchema: options.trustsSchema))
        } catch {
            result = .failure(error)
        }
        opening = nil
        lock.unlock()
        let connection = try result.get()
        do throws(SQLiteError) {
            try options.prepareReader(connection)
            _ = try connection.value("PRAGMA schema_version")
        } catch {
            connection.close()
            throw error
        }
        return connection
    }
}

private func openExamined(
    _: UnsafeMutablePointer<sqlite3_vfs>?, _ name: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32,
    _ outFlags: UnsafeMutablePointer<Int32>?
) -> Int32 {
    guard let file else { return SQLITE_CANTOPEN }
    file.pointee.pMethods = nil
    guard flags & SQLITE_OPEN_MAIN_DB != 0 else {
        // Sorters need files of their own; journals would be written beside the store.
        let isTemporary = flags & (SQLITE_OPEN_TEMP_DB | SQLITE_OPEN_TEMP_JOURNAL | SQLITE_OPEN_TRANSIENT_DB | SQLITE_OPEN_SUBJOURNAL) != 0
        return isTemporary ? openReal(name, file, flags, outFlags) : SQLITE_READONLY
    }
    guard let shown = ExaminedVFS.opening else { return SQLITE_CANTOPEN }
    let state = UnsafeMutablePointer<ExaminedState>.allocate(capacity: 1)
    state.initialize(to: shown)
    ShimFile.fill(file, methods: examinedMethods, state: UnsafeMutableRawPointer(state))
    outFlags?.pointee = SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB
    return SQLITE_OK
}

/// No other file exists, as far as SQLite is concerned.
private func accessExamined(
    _: UnsafeMutablePointer<sqlite3_vfs>?, _: UnsafePointer<CChar>?, _: Int32, _ result: UnsafeMutablePointer<Int32>?
) -> Int32 {
    result?.pointee = 0
    return SQLITE_OK
}

nonisolated(unsafe) private let examinedMethods: UnsafePointer<sqlite3_io_methods> = permanentMethods { methods in
    methods.iVersion = 1
    methods.xClose = { file in
        guard let file, let state = ShimFile.state(file, as: ExaminedState.self) else { return SQLITE_OK }
        state.deinitialize(count: 1)
        state.deallocate()
        return SQLITE_OK
    }
    methods.xRead = { file, buffer, count, offset in
        guard let file, let buffer, let state = ShimFile.state(file, as: ExaminedState.self) else { return SQLITE_IOERR }
        guard let isComplete = state.pointee.file.read(buffer, Int(count), at: Int(offset), state.pointee.pages) else {
            return SQLITE_IOERR
        }
        return isComplete ? SQLITE_OK : shortRead
    }
    methods.xWrite = { _, _, _, _ in SQLITE_READONLY }
    methods.xTruncate = { _, _ in SQLITE_READONLY }
    methods.xSync = { _, _ in SQLITE_OK }
    methods.xFileSize = { file, size in
        guard let file, let state = ShimFile.state(file, as: ExaminedState.self) else { return SQLITE_IOERR }
        size?.pointee = Int64(state.pointee.file.size(of: state.pointee.commit))
        return SQLITE_OK
    }
    methods.xLock = { _, level in level <= SQLITE_LOCK_SHARED ? SQLITE_OK : SQLITE_READONLY }
    methods.xUnlock = { _, _ in SQLITE_OK }
    methods.xCheckReservedLock = { _, isReserved in
        isReserved?.pointee = 0
        return SQLITE_OK
    }
    methods.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
    methods.xSectorSize = { _ in 4096 }
    methods.xDeviceCharacteristics = { _ in immutableFile }
}
