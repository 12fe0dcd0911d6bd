internal import CSQLite
import Glibc

extension JournalState {
    /// Looks at any SQLite file in WAL mode, without opening it as a database: nothing is locked, changed or checkpointed.
    ///
    /// What this process has open with SQLite stays undisturbed as well: no descriptor of these files is closed as long
    /// as there is another, for that would drop the locks of the process.
    package static func ofFile(at path: String) throws(SQLiteError) -> JournalState {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw failure(.cannotOpen, path.isEmpty ? "the path is empty" : "the path contains a NUL character", path)
        }
        var status = stat()
        guard stat(path, &status) == 0 else { throw failure(.cannotOpen, reason(errno), path) }
        if let thing = RegularFile.otherThing(status) { throw failure(.cannotOpen, "it is \(thing), not a regular file", path) }
        if let file = try FileRegistry.retainedFile(LockDescriptors.FileKey(status)) {
            defer { FileRegistry.release(file) }
            return file.journalState()
        }
        guard let main = LockDescriptors.take(path) else { throw failure(.cannotOpen, reason(errno), path) }
        defer { LockDescriptors.giveBack(main.key) }
        if status.st_size == 0 { throw failure(.cannotOpen, "the file is empty, it is no database yet", path) }
        guard let header = DatabaseHeader(descriptor: main.descriptor) else {
            throw failure(.notADatabase, "the file does not begin like an SQLite database", path)
        }
        guard header.isInWALMode else {
            throw failure(.notWAL, "the database is not in WAL mode, so it has no journal that pins could hold", path)
        }
        return try inspect(canonical(path), main.descriptor, header)
    }

    /// - Parameter path: without symbolic links, for the journal is named after it.
    private static func inspect(_ path: String, _ main: Int32, _ header: DatabaseHeader) throws(SQLiteError) -> JournalState {
        let index = LockDescriptors.take(path + "-shm")
        defer { if let index { LockDescriptors.giveBack(index.key) } }
        if index == nil, errno == EACCES { throw failure(.cannotOpen, reason(EACCES), path + "-shm") }
        let sighted = index.flatMap { sight($0.descriptor) }
        let holders = JournalHolders(main: main, index: index?.descriptor, frames: sighted?.marks ?? [])
        var frames: UInt32 = 0, copied: UInt32 = 0, limit: UInt32 = 0
        if holders.isIndexInUse, let sighted {
            frames = sighted.header.frame
            copied = sighted.copiedFrames
            limit = sighted.checkpointLimit(holders.marks)
        } else {
            // Nobody has it open: the next one who does begins with a recovery, which copies nothing.
            frames = JournalContents(path: path + "-wal").frames
            limit = frames
        }
        return JournalState(
            path: path, storeBytes: FileSize.of(path), journalBytes: FileSize.of(path + "-wal"), pageSize: header.pageSize,
            frames: frames, copiedFrames: copied, reclaimableFrames: limit - copied, heldMarks: holders.marks, generations: [],
            processes: holders.processes, counts: JournalCounts(), hasSecondSQLite: false, file: nil)
    }

    /// The WAL-index by reading its file; nil when there is no header in one piece.
    private static func sight(_ descriptor: Int32) -> JournalIndex? {
        for attempt in 0..<100 {
            let bytes = Bytes.read(WALIndex.tableOffset, at: 0, from: descriptor)
            guard bytes.count == WALIndex.tableOffset else { return nil }
            let sighted = bytes.withUnsafeBytes { $0.baseAddress.flatMap { JournalIndex(WALIndex(memory: $0)) } }
            if let sighted { return sighted }
            if attempt > 10 { usleep(1000) }
        }
        return nil
    }

    private static func canonical(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }

    private static func failure(_ kind: SQLiteError.Kind, _ message: String, _ path: String) -> SQLiteError {
        let codes: [SQLiteError.Kind: Int32] = [.notADatabase: SQLITE_NOTADB, .notWAL: SQLITE_ERROR]
        return SQLiteError(kind: kind, extendedCode: codes[kind] ?? SQLITE_CANTOPEN, message: message, path: path)
    }
}

extension StoreFile {
    /// Who holds what in the journal; nil for a store without one.
    package func journalState() throws(SQLiteError) -> JournalState? {
        try withSharedFile { $0.journalState() }
    }
}
