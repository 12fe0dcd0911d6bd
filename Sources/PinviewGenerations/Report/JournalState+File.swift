internal import CSQLite
import Glibc

extension JournalState {
    /// Examines any SQLite file in WAL mode without opening it as a database: nothing is locked,
    /// changed or checkpointed.
    ///
    /// SQLite's locks in this process are not affected: descriptors of these files stay open as
    /// long as the process has others, because closing one would drop the locks.
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
        if status.st_size == 0 { throw failure(.cannotOpen, "the file is empty, so it is not a database yet", path) }
        guard let header = DatabaseHeader(descriptor: main.descriptor) else {
            throw failure(.notADatabase, "the file does not have the header of an SQLite database", path)
        }
        guard header.isInWALMode else {
            throw failure(.notWAL, "the database is not in WAL mode, so there is no journal for pins to hold", path)
        }
        return try inspect(canonical(path), main.descriptor, header)
    }

    /// - Parameter path: without symbolic links, because the journal is named after it.
    private static func inspect(_ path: String, _ main: Int32, _ header: DatabaseHeader) throws(SQLiteError) -> JournalState {
        let index = LockDescriptors.take(path + "-shm")
        defer { if let index { LockDescriptors.giveBack(index.key) } }
        if index == nil, errno == EACCES { throw failure(.cannotOpen, reason(EACCES), path + "-shm") }
        let sighted = index.flatMap { sight($0.descriptor) }
        let holders = JournalHolders(main: main, index: index?.descriptor, frames: sighted?.marks ?? [])
        let copies = CopyFiles.cost(of: path)
        var frames: UInt32 = 0, copied: UInt32 = 0, limit: UInt32 = 0
        if holders.isIndexInUse, let sighted {
            frames = sighted.header.frame
            copied = sighted.copiedFrames
            limit = sighted.checkpointLimit(holders.marks)
        } else {
            // Nobody has the store open: the next process to open it performs a recovery, which
            // copies nothing.
            frames = JournalContents(path: path + "-wal").frames
            limit = frames
        }
        return JournalState(
            path: path, storeBytes: FileSize.of(path), journalBytes: FileSize.of(path + "-wal"), pageSize: header.pageSize,
            frames: frames, copiedFrames: copied, reclaimableFrames: limit - copied, heldMarks: holders.marks, generations: [],
            processes: holders.processes, counts: JournalCounts(),
            costs: PinCosts(copies: copies.count, copyBytes: copies.bytes), budgetBytes: nil, hasSecondSQLite: false, file: nil)
    }

    /// Reads the WAL-index from its file; nil if there is no consistent header.
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
    /// The state of the journal and its holders; nil for a store without a journal.
    package func journalState() throws(SQLiteError) -> JournalState? {
        try withSharedFile { $0.journalState() }
    }
}
