internal import CSQLite
import Glibc
import Synchronization

/// An SQLite file as opened by one user (a coordinator's store), or a database in memory. May be
/// used from any thread.
///
/// Stores on the same WAL-mode file share their generations and queue their writers. Files in other
/// journal modes, databases in memory and files whose WAL-index cannot be written have no
/// generations; their reads and writes take turns on one connection.
package final class StoreFile: @unchecked Sendable {  // the writer is used in the writers' turn; the rest is immutable or atomic
    package let path: String
    /// The path without symbolic links, after which the journal is named. It stays valid when the
    /// working directory changes.
    let fileName: String
    package let isReadOnly: Bool
    /// The journal mode as reported by SQLite.
    package let journalMode: String
    let options: StoreFileOptions
    /// The connection that writes, and that reads where there are no generations.
    let writer: Connection
    let writers: WriterQueue
    let shared: SharedFile?
    /// The same file; retained by `shared`.
    let unretainedFile: Unmanaged<SharedFile>?
    let pool: ReaderPool?
    let remoteCommits = RemoteCommits()
    /// Whether there was no journal beside the file before it was opened.
    private let hadNoJournal: Bool
    @exclusivity(unchecked) var changesAtBegin: Int64 = 0
    /// The newest state when the transaction began.
    @exclusivity(unchecked) var headerAtBegin: CompactWALHeader?
    /// Nil in WAL mode, for a database in memory, and where another VFS takes the locks.
    let mainLock: MainLock?
    @exclusivity(unchecked) var changeCountAtBegin: UInt32?
    /// Nil for a database in memory.
    let namedFiles: NamedFiles?
    /// Whether it is part of a transaction that another one of these has begun on the same
    /// connection.
    let isNested: Bool
    let closed = Atomic<Bool>(false)
    let epoch = ForkGuard.epoch

    // MARK: Opening

    /// Opens a file; creates a missing one unless the options are read-only.
    ///
    /// - Throws: among others, kind `notADatabase`, `cannotOpen` and `busy`, and `forked` if the
    ///   parent of this process has the file open.
    package static func open(path: String, options: StoreFileOptions) throws(SQLiteError) -> StoreFile {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw SQLiteError(
                kind: .cannotOpen, extendedCode: SQLITE_CANTOPEN,
                message: path.isEmpty ? "the path is empty" : "the path contains a NUL character", path: path)
        }
        try requireRegularFiles(path)
        do throws(SQLiteError) {
            let store = try FileRegistry.whileOpening { () throws(SQLiteError) in
                if options.isImmutable || options.isReadOnly && isUnchangeable(path) {
                    return try StoreFile(examining: path, options: options)
                }
                return try StoreFile(path: path, options: options, isInMemory: false)
            }
            store.lendWriter()
            return store
        } catch {
            throw error.explained(path: path)
        }
    }

    /// Opening a FIFO would make SQLite wait forever.
    private static func requireRegularFiles(_ path: String) throws(SQLiteError) {
        for file in [path, path + "-wal", path + "-shm", path + "-journal"] {
            guard let thing = RegularFile.otherThing(at: file) else { continue }
            throw SQLiteError(
                kind: .cannotOpen, extendedCode: SQLITE_CANTOPEN,
                message: file == path ? "it is \(thing), not a regular file" : "\(file) is \(thing), not a regular file", path: path)
        }
    }

    /// Opens a database in memory, which ends when it is closed.
    package static func openInMemory(options: StoreFileOptions) throws(SQLiteError) -> StoreFile {
        try StoreFile(path: ":memory:", options: options, isInMemory: true)
    }

    /// Whether nobody changes the file, so that it is read without locks.
    package var isImmutable: Bool { shared?.examined != nil }

    /// Reads a file that nobody changes.
    private init(examining path: String, options: StoreFileOptions) throws(SQLiteError) {
        self.path = path
        self.options = options
        fileName = Self.canonical(path.hasPrefix("/") ? path : "./" + path)
        guard let key = FileRegistry.key(of: path) else { throw SystemError(call: .status, number: errno).sqliteError(path: path) }
        guard try FileRegistry.file(key) == nil else {
            throw SQLiteError(
                kind: .cannotOpen, extendedCode: SQLITE_CANTOPEN,
                message: "this process has the file open already as one that can change; close that store first", path: path)
        }
        isNested = false
        hadNoJournal = false
        let examined = try ExaminedFile(path: fileName)
        let file = try SharedFile.examine(examined, key: key, options: options)
        FileRegistry.retain(file)
        do throws(SQLiteError) {
            writer = try ExaminedVFS.connect(to: examined, at: examined.newest, part: .writer, options)
        } catch {
            FileRegistry.release(file)
            throw error
        }
        isReadOnly = true
        journalMode = examined.isInWALMode ? "wal" : "delete"
        namedFiles = nil
        mainLock = nil
        shared = file
        unretainedFile = .passUnretained(file)
        writers = file.writers
        pool = nil
    }

    /// Whether the folder of a file is one that nobody can write to, so that a read-only store in
    /// WAL mode needs neither locks nor a WAL-index, which could not be made there.
    private static func isUnchangeable(_ path: String) -> Bool {
        var system = statvfs()
        if statvfs(path, &system) == 0, system.f_flag & UInt(ST_RDONLY) != 0 { return true }
        // Somebody else's WAL-index shows that the file may be in use.
        guard access(path + "-shm", F_OK) != 0 else { return false }
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        return access(folder, W_OK) != 0 && access(path, R_OK) == 0
    }

    private init(path: String, options: StoreFileOptions, isInMemory: Bool) throws(SQLiteError) {
        self.path = path
        self.options = options
        // SQLite would interpret names such as file:x?mode=memory and :memory:.
        let name = isInMemory || path.hasPrefix("/") ? path : "./" + path
        isNested = false
        hadNoJournal = !isInMemory && OwnFiles.areMissing(path: name)
        let known = isInMemory ? nil : try FileRegistry.key(of: path).flatMap { (key) throws(SQLiteError) in try FileRegistry.file(key) }
        if let known, known.path != Self.canonical(name) {
            throw SQLiteError(
                kind: .cannotOpen, extendedCode: SQLITE_CANTOPEN,
                message: "the file is open already under another name, \(known.path); SQLite would keep a second journal for it",
                path: path)
        }
        let vfs = isInMemory || options.usesOpenTransactions ? nil : ShimVFS.shared
        let flags = options.isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        // Ends with the initializer, when the store's own locks keep the index.
        let keptIndex = vfs == nil ? nil : KeptIndex(path: Self.canonical(name))
        defer { keptIndex?.giveBack() }
        writer = try Connection(path: name, flags: flags, vfs: vfs?.trackedName, part: .writer, trustsSchema: options.trustsSchema)
        writer.setBusyTimeout(options.busyTimeout)
        fileName = isInMemory ? name : writer.fileName ?? name
        let canWrite = !options.isReadOnly && sqlite3_db_readonly(writer.handle, "main") == 0
        isReadOnly = !canWrite
        if !canWrite, !options.isReadOnly { try writer.requireUnwritable(fileName) }
        // Only a read shows whether the file is a database. This one does not read the schema.
        let hasNoSchema = try writer.value("PRAGMA schema_version") == "0"
        if canWrite {
            if hasNoSchema, try writer.value("PRAGMA page_count") == "0" {
                for pragma in options.initialPragmas { try writer.execute(pragma) }
            }
            let isInWALMode = options.journalMode == "wal" && writer.isInWALMode
            // Setting the mode that the file already has changes nothing, but the log shows it
            // (STO-03).
            if !isInWALMode || SQLLog.isEnabled {
                var mayChange = isInWALMode ? true : try writer.value("PRAGMA journal_mode") == options.journalMode
                if !mayChange { mayChange = try options.mayChange?(writer) ?? true }
                if !isInMemory, mayChange { try Self.setJournalMode(writer, options) }
            }
            if options.journalMode != "off" { pinview_defend_schema(writer.handle) }
            // SQLite up to 3.40.1 loses commits after a crash if a transaction that spilled pages
            // was rolled back to a savepoint.
            try writer.execute("PRAGMA cache_spill=OFF")
            // Checkpoints are scheduled by CheckpointScheduler.
            try writer.execute("PRAGMA wal_autocheckpoint=0")
            try writer.execute("PRAGMA journal_size_limit=\(options.journalBudget.journalSizeLimit)")
        }
        try options.prepareWriter(writer, canWrite: canWrite)
        if canWrite { try writer.prepareRollback() }
        // A connection that never read in WAL mode does not checkpoint.
        if !writer.isInWALMode { _ = try writer.value("PRAGMA schema_version") }
        journalMode = writer.isInWALMode ? "wal" : try writer.value("PRAGMA journal_mode") ?? "unknown"

        var file = known
        if journalMode == "wal", !isInMemory {
            if let known { FileRegistry.retain(known) } else { file = try Self.share(fileName, options) }
            if file == nil, canWrite, writer.mainFile.map(WALIndex.isReadOnly) ?? false {
                try SQLiteError.requireUnwritable(fileName + "-shm", 0)
            }
        } else {
            file = nil
        }
        // Without generations, it reads too.
        if file == nil { try writer.applyLateSettings() }
        namedFiles = isInMemory ? nil : NamedFiles(path: fileName, isWAL: journalMode == "wal")
        mainLock = file == nil && canWrite && vfs != nil ? MainLock(path: fileName) : nil
        shared = file
        unretainedFile = file.map { Unmanaged.passUnretained($0) }
        writers = file?.writers ?? WriterQueue()
        if let file, let vfs, let slots = file.slots {
            let pool = ReaderPool(
                path: fileName, vfs: vfs, index: file.index, indexDescriptor: slots.indexDescriptor, options: options,
                counters: file.counters)
            file.addPool(pool)
            self.pool = pool
        } else {
            pool = nil
        }
        if let file {
            file.watch.add(ObjectIdentifier(self), options)
            CheckpointScheduler.shared.watch(file, in: CheckpointScheduler.watchInterval)
        }
    }

    /// Lets checkpoints use the writing connection. Not a part of opening, during which nobody may
    /// wait for a writer: it may be in code of the program's that opens or closes other files.
    private func lendWriter() {
        guard let shared, !isReadOnly, writers.acquire() else { return }
        shared.addWriter(writer, busyTimeout: options.busyTimeout)
        writers.release()
    }

    /// A file as an open transaction sees it. It has no generations, and its own transactions are
    /// savepoints. It must be closed before the transaction ends.
    package init(inside transaction: WriteTransaction) {
        let outer = transaction.store
        isNested = true
        path = outer.path
        fileName = outer.fileName
        options = outer.options
        isReadOnly = false
        journalMode = outer.journalMode
        hadNoJournal = false
        writer = outer.writer
        writers = WriterQueue()
        namedFiles = nil
        mainLock = nil
        shared = nil
        unretainedFile = nil
        pool = nil
    }

    deinit { close() }

    /// Changing to WAL mode needs exclusive access for a moment, which SQLite does not always wait
    /// for.
    private static func setJournalMode(_ connection: Connection, _ options: StoreFileOptions) throws(SQLiteError) {
        let deadline = MonotonicTime.now.after(options.busyTimeout)
        while true {
            do throws(SQLiteError) {
                return try connection.execute("pragma journal_mode=\(options.journalMode)")
            } catch {
                guard error.kind == .busy, MonotonicTime.now < deadline else { throw error }
                usleep(5_000)
            }
        }
    }

    private static func share(_ name: String, _ options: StoreFileOptions) throws(SQLiteError) -> SharedFile? {
        guard let key = FileRegistry.key(of: name) else {
            throw SQLiteError(
                kind: .cannotOpen, extendedCode: SQLITE_CANTOPEN, message: "the file vanished while it was opened", path: name)
        }
        // It was created a moment ago, or replaced by one that is open already.
        if let known = try FileRegistry.file(key) {
            FileRegistry.retain(known)
            return known
        }
        guard let file = try SharedFile.open(path: name, key: key, options: options) else { return nil }
        FileRegistry.add(file)
        return file
    }

    private static func canonical(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Whether contexts can be pinned to states of the file.
    package var supportsGenerations: Bool { shared != nil }

    /// Whether it can be used in this process.
    var isOpen: Bool { ForkGuard.epoch == epoch && !closed.load(ordering: .acquiring) }

    func requireOpen() throws(SQLiteError) {
        guard ForkGuard.epoch == epoch else { throw SQLiteError.forked(path: path) }
        guard !closed.load(ordering: .acquiring) else { throw closedError }
    }

    var closedError: SQLiteError {
        SQLiteError(kind: .closed, extendedCode: SQLITE_MISUSE, message: "the store has been closed", path: path)
    }

    /// Waits for the writers' turn, until the monitor of the thread says otherwise.
    func takeTurn() throws(SQLiteError) {
        let monitor = ReadMonitor.current
        guard writers.acquire(monitor: monitor) else {
            if monitor?.isStopped == true { throw .interrupted(path: path) }
            throw SQLiteError(
                kind: .busy, extendedCode: SQLITE_BUSY, message: "this thread has a transaction open already; end it first", path: path)
        }
        if closed.load(ordering: .acquiring) {
            writers.release()
            throw closedError
        }
    }

    /// Closes the store; waits for a writer on another thread. Closing it again does nothing.
    ///
    /// The last store on a file empties its journal. Generations that are still held keep the
    /// file's states readable for stores that are opened later, and the file itself is closed when
    /// the last of them ends.
    package func close() { close(leavingFile: false) }

    /// Closes a file that is not what it was opened for. Neither the file nor its journal is
    /// changed.
    package func refuse() { close(leavingFile: true) }

    private func close(leavingFile: Bool) {
        guard ForkGuard.epoch == epoch, !closed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        pool?.close()
        let hasTurn = writers.acquire()
        if isNested {
            if hasTurn { writers.release() }
            return
        }
        writer.endTransaction()
        if hasTurn { return closeConnections(leavingFile: leavingFile) }
        // This thread is in the middle of a transaction (in a merge policy of the program's, say),
        // which ends here. Its callers still have the connection.
        writer.endStatements()
        writers.afterRelease { [self] in
            _ = writers.acquire()
            closeConnections(leavingFile: leavingFile)
        }
    }

    /// The second half of `close`. Requires the writers' turn, and releases it.
    private func closeConnections(leavingFile: Bool) {
        var live: (count: Int, only: Generation?) = (0, nil)
        if let shared {
            shared.watch.remove(ObjectIdentifier(self))
            live = shared.liveState()
            // If this fails, the next process that opens the file does it: the journal has all
            // data.
            if leavingFile { shared.leaveJournal() }
            if hadNoJournal, leavingFile || isReadOnly { shared.removesOwnFiles = true }
            if live.count == 0, !isReadOnly, !leavingFile { _ = try? shared.checkpoint(mode: SQLITE_CHECKPOINT_TRUNCATE, live: live) }
            shared.removeWriter(writer)
        }
        if leavingFile { _ = pinview_set_no_checkpoint_on_close(writer.handle, 1) }
        writer.close()
        mainLock?.giveBack()
        namedFiles?.close()
        writers.release()
        withExtendedLifetime(live) {}
        if let shared { FileRegistry.release(shared) }
    }

    // MARK: The journal

    /// Calls a body with what the stores on the file share, which stays open meanwhile; returns nil
    /// for a store without generations.
    func withSharedFile<R>(_ body: (SharedFile) -> R) throws(SQLiteError) -> R? {
        try requireOpen()
        guard let shared else { return nil }
        FileRegistry.retain(shared)
        defer { FileRegistry.release(shared) }
        return body(shared)
    }

    /// Bytes of the journal file; 0 if there is none.
    package var journalSize: Int64 {
        var status = stat()
        return stat(fileName + "-wal", &status) == 0 ? Int64(status.st_size) : 0
    }

    /// Moves all generations of this process but the newest to copies now, whatever the budget, and
    /// releases the journal.
    ///
    /// - Returns: the number of generations moved.
    @discardableResult
    package func detachOlderGenerations() throws(SQLiteError) -> Int {
        try requireOpen()
        return try shared?.detachOlder()?.generations ?? 0
    }

    /// Copies the journal into the file as far as pins allow. It does not wait for other processes.
    ///
    /// - Parameter truncate: whether to empty the journal as well.
    /// - Returns: whether all of it was copied (and the journal is empty); false if a pin, a reader
    ///   or another process prevented it.
    package func checkpoint(truncate: Bool) throws(SQLiteError) -> Bool {
        try requireOpen()
        guard let shared, !isReadOnly else { return true }
        try takeTurn()
        shared.measureHistory(now: true)
        let live = shared.liveState()
        let result: Result<CheckpointOutcome, SQLiteError>
        do throws(SQLiteError) {
            result = .success(try shared.checkpoint(mode: truncate ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_FULL, live: live))
        } catch {
            result = .failure(error)
        }
        writers.release()
        return try withExtendedLifetime(live) { () throws(SQLiteError) in try result.get() == .complete }
    }

    // MARK: The journal's commits

    /// A state that the journal of an examined file still holds.
    package struct JournalCommit: Sendable {
        /// From 1 on; 0 is the file without its journal.
        package let number: Int
        /// The frames of the journal up to the end of the transaction.
        package let frames: Int
        /// The size of the database in bytes.
        package let size: Int64
        package let isReadable: Bool
        package let name: GenerationName
    }

    /// The states of an examined file, the oldest first; none for other files.
    package var journalCommits: [JournalCommit] {
        guard let shared, let examined = shared.examined else { return [] }
        return examined.commits.map { commit in
            JournalCommit(
                number: Int(commit.number), frames: Int(commit.frame), size: Int64(examined.size(of: commit)),
                isReadable: examined.isWhole(commit),
                name: GenerationName(file: shared.key, header: examined.header(of: commit), stamp: nil))
        }
    }
}
