internal import CSQLite
import Glibc

/// One SQLite file that is open in this process, or a database in memory: its writer, its readers and its generations.
package final class StoreFile: @unchecked Sendable {  // mutable state is guarded by `lock`, the writer by `writerLock`
    package let path: String
    package let isReadOnly: Bool
    /// The journal mode as SQLite reported it.
    package let journalMode: String
    private let options: StoreFileOptions
    private let isInMemory: Bool
    private let writer: Connection
    private let writerLock = Lock()
    private let lock = Lock()
    private let index: WALIndex?
    private var idleReaders: [Connection] = []
    private weak var newest: Generation?
    private var lastOrdinal: UInt64 = 0
    private var liveGenerations = 0
    private var isClosed = false

    /// How many idle readers are kept open.
    private static let idleReaderLimit = 8

    // MARK: Opening

    package static func open(path: String, options: StoreFileOptions) throws(SQLiteError) -> StoreFile {
        try StoreFile(path: path, options: options, isInMemory: false)
    }

    package static func openInMemory(options: StoreFileOptions) throws(SQLiteError) -> StoreFile {
        try StoreFile(path: ":memory:", options: options, isInMemory: true)
    }

    private init(path: String, options: StoreFileOptions, isInMemory: Bool) throws(SQLiteError) {
        ForkGuard.arm()
        try ForkGuard.check(path: path)
        self.path = path
        self.options = options
        self.isInMemory = isInMemory
        isReadOnly = options.isReadOnly
        let flags = options.isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        writer = try Connection(path: path, flags: flags)
        sqlite3_busy_timeout(writer.handle, Int32(clamping: Int(options.busyTimeout * 1000)))
        if !options.isReadOnly {
            if try writer.value("PRAGMA page_count") == "0" {
                for pragma in options.initialPragmas { try writer.execute(pragma) }
            }
            if !isInMemory { try writer.execute("pragma journal_mode=\(options.journalMode)") }
            try writer.execute("PRAGMA synchronous=\(options.synchronous.rawValue)")
            // SQLite up to 3.40.1 loses commits after a crash when a spilled transaction rolled back to a savepoint.
            try writer.execute("PRAGMA cache_spill=OFF")
            try writer.execute("PRAGMA wal_autocheckpoint=0")
            try writer.execute("PRAGMA journal_size_limit=\(16 << 20)")
        }
        try options.configure?(writer)
        journalMode = try writer.value("PRAGMA journal_mode") ?? "unknown"
        // A connection that never read has no WAL-index.
        _ = try writer.value("PRAGMA schema_version")
        index = journalMode == "wal" ? WALIndex(writer) : nil
    }

    /// Whether contexts can be pinned to the file's states.
    package var supportsGenerations: Bool { index != nil }

    private func requireOpen() throws(SQLiteError) {
        try ForkGuard.check(path: path)
        guard !lock.withLock({ isClosed }) else {
            throw SQLiteError(kind: .closed, extendedCode: SQLITE_MISUSE, message: "the store has been closed", path: path)
        }
    }

    package func close() {
        let readers = lock.withLock { () -> [Connection]? in
            if isClosed { return nil }
            isClosed = true
            defer { idleReaders = [] }
            return idleReaders
        }
        guard let readers else { return }
        for reader in readers { reader.close() }
        writerLock.withLock { writer.close() }
    }

    // MARK: Writing

    package func beginWrite() throws(SQLiteError) -> WriteTransaction {
        try requireOpen()
        writerLock.lock()
        do throws(SQLiteError) {
            try writer.execute("BEGIN IMMEDIATE")
        } catch {
            writerLock.unlock()
            throw error
        }
        return WriteTransaction(store: self, connection: writer)
    }

    /// Ends a write transaction. The generation is taken before other writers of the process are let in.
    func endWrite(commit: Bool) throws(SQLiteError) -> Generation? {
        defer { writerLock.unlock() }
        guard commit else {
            // An error may have rolled the transaction back already.
            if sqlite3_get_autocommit(writer.handle) == 0 { try writer.execute("ROLLBACK") }
            return nil
        }
        do throws(SQLiteError) {
            try writer.execute("COMMIT")
        } catch {
            if sqlite3_get_autocommit(writer.handle) == 0 { try? writer.execute("ROLLBACK") }
            throw error
        }
        let generation = supportsGenerations ? try? currentGeneration() : nil
        checkpointIfWorthwhile()
        return generation
    }

    // MARK: Reading

    package func readNewest<R>(_ body: (Connection) throws -> R) throws -> R {
        try requireOpen()
        if isInMemory || !supportsGenerations {
            writerLock.lock()
            defer { writerLock.unlock() }
            return try body(writer)
        }
        let generation = try currentGeneration()
        return try read(at: generation, body)
    }

    package func read<R>(at generation: Generation, _ body: (Connection) throws -> R) throws -> R {
        try requireOpen()
        return try generation.read(body)
    }

    /// The newest generation, pinned.
    package func currentGeneration() throws(SQLiteError) -> Generation {
        try requireOpen()
        guard let index else {
            throw SQLiteError(kind: .notWAL, extendedCode: SQLITE_ERROR, message: "the journal mode is \(journalMode), not wal", path: path)
        }
        if let known = lock.withLock({ newest }), let header = index.header, header.identity == known.identity { return known }
        let reader = try takeReader()
        // The transaction reads the state that the header names before and after it began; else a commit fell between.
        for attempt in 1...200 {
            let before = index.header
            let backfilled = index.backfilledFrames
            do throws(SQLiteError) {
                try reader.execute("BEGIN")
                _ = try reader.value("PRAGMA schema_version")
            } catch {
                if sqlite3_get_autocommit(reader.handle) == 0 { try? reader.execute("ROLLBACK") }
                if error.kind == .busy, attempt < 50 {
                    usleep(10_000)
                    continue
                }
                throw error
            }
            if let before, before == index.header {
                return lock.withLock {
                    if let known = newest, known.identity == before.identity {
                        giveBack(reader)
                        return known
                    }
                    lastOrdinal += 1
                    liveGenerations += 1
                    let generation = Generation(
                        store: self, reader: reader, ordinal: lastOrdinal, identity: before.identity,
                        isInJournal: before.frame > 0 && backfilled < before.frame)
                    newest = generation
                    return generation
                }
            }
            try reader.execute("ROLLBACK")
        }
        giveBack(reader)
        throw SQLiteError(kind: .busy, extendedCode: SQLITE_BUSY, message: "other writers commit too fast for a generation to be taken", path: path)
    }

    package func isNewest(_ generation: Generation) -> Bool {
        guard let header = index?.header else { return false }
        return header.identity == generation.identity
    }

    /// Whether the journal still is the one that a generation was taken from.
    func provesGeneration(_ generation: Generation) -> Bool {
        guard generation.isInJournal, let header = index?.header else { return true }
        return header.salt1 == generation.identity.salt1 && header.salt2 == generation.identity.salt2
    }

    private func takeReader() throws(SQLiteError) -> Connection {
        if let idle = lock.withLock({ idleReaders.popLast() }) { return idle }
        let reader = try Connection(path: path, flags: SQLITE_OPEN_READONLY)
        sqlite3_busy_timeout(reader.handle, Int32(clamping: Int(options.busyTimeout * 1000)))
        try reader.execute("PRAGMA query_only=1")
        try options.configure?(reader)
        return reader
    }

    /// Called with or without the lock held: a rollback first, then the pool.
    private func giveBack(_ reader: Connection) {
        if sqlite3_get_autocommit(reader.handle) == 0 { try? reader.execute("ROLLBACK") }
        if !isClosed, idleReaders.count < Self.idleReaderLimit { idleReaders.append(reader) } else { reader.close() }
    }

    /// The last reference to a generation is gone.
    func release(_ reader: Connection) {
        lock.withLock {
            liveGenerations -= 1
            giveBack(reader)
        }
    }

    // MARK: The journal

    package var journalSize: Int64 {
        var status = stat()
        return stat(path + "-wal", &status) == 0 ? Int64(status.st_size) : 0
    }

    /// Copies the journal into the file as far as pins allow; true when all of it is copied (and, with `truncate`, the journal is empty).
    ///
    /// FULL and TRUNCATE take the write lock before they look at the header, so a checkpoint never overlaps a commit of any
    /// process (the WAL-reset bug of SQLite up to 3.51.2).
    package func checkpoint(truncate: Bool) throws(SQLiteError) -> Bool {
        try requireOpen()
        writerLock.lock()
        defer { writerLock.unlock() }
        return try checkpointLocked(truncate ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_FULL)
    }

    private func checkpointLocked(_ mode: Int32) throws(SQLiteError) -> Bool {
        guard supportsGenerations, !isReadOnly else { return true }
        // Waiting inside the call would hold the write lock meanwhile.
        sqlite3_busy_timeout(writer.handle, 0)
        defer { sqlite3_busy_timeout(writer.handle, Int32(clamping: Int(options.busyTimeout * 1000))) }
        var frames: Int32 = 0, copied: Int32 = 0
        let code = sqlite3_wal_checkpoint_v2(writer.handle, "main", mode, &frames, &copied)
        if code == SQLITE_BUSY || code == SQLITE_LOCKED { return false }
        guard code == SQLITE_OK else { throw writer.error(code) }
        return frames == copied
    }

    /// After a commit, with the writer held: keeps the journal at about a thousand frames where no pin forbids it.
    private func checkpointIfWorthwhile() {
        guard let header = index?.header, header.frame > 1000, lock.withLock({ liveGenerations }) == 0 else { return }
        _ = try? checkpointLocked(SQLITE_CHECKPOINT_FULL)
    }
}

/// The only write transaction of a store; used by the thread that began it.
package final class WriteTransaction {
    package let connection: Connection
    private let store: StoreFile
    private var isOpen = true

    init(store: StoreFile, connection: Connection) {
        self.store = store
        self.connection = connection
    }

    deinit { rollback() }

    /// Commits, and gives the generation right after it.
    package func commit() throws(SQLiteError) -> Generation? {
        guard isOpen else { return nil }
        isOpen = false
        return try store.endWrite(commit: true)
    }

    package func rollback() {
        guard isOpen else { return }
        isOpen = false
        _ = try? store.endWrite(commit: false)
    }
}

/// A state of a store that stays readable as long as the object lives.
package final class Generation: @unchecked Sendable {  // the reader is guarded by `lock`
    /// Rises with each newer generation of the store in this process.
    package let ordinal: UInt64
    package let identity: GenerationIdentity
    let isInJournal: Bool
    private let store: StoreFile
    private let reader: Connection
    private let lock = Lock()
    private var _isLost = false

    init(store: StoreFile, reader: Connection, ordinal: UInt64, identity: GenerationIdentity, isInJournal: Bool) {
        self.store = store
        self.reader = reader
        self.ordinal = ordinal
        self.identity = identity
        self.isInJournal = isInJournal
    }

    deinit { store.release(reader) }

    package var isLost: Bool { lock.withLock { _isLost } }

    func read<R>(_ body: (Connection) throws -> R) throws -> R {
        lock.lock()
        defer { lock.unlock() }
        let result = Result { try body(reader) }
        guard !_isLost, store.provesGeneration(self) else {
            _isLost = true
            throw SQLiteError(
                kind: .generationLost, extendedCode: SQLITE_ERROR | (3 << 8),
                message: "the journal was reset by another program, so the pinned state cannot be read any more", path: store.path)
        }
        return try result.get()
    }
}
