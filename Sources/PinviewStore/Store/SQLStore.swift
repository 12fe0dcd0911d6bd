import Glibc
import PinviewGenerations
import PinviewModel
import Synchronization

/// A persistent store: a model's rows in an SQLite file or in memory.
///
/// May be used on any thread. Reads take the generation to read; with nil, they see the newest
/// state, which is the only possibility in stores without generations.
package final class SQLStore: @unchecked Sendable {  // the only mutable state is guarded by `lock`
    package enum Location: Sendable {
        case file(path: String)
        case inMemory
    }

    let file: StoreFile
    /// Nil for a store in memory.
    let externalFiles: ExternalDataFiles?
    /// Nil for a store without derived attributes, or one that is only read.
    let derived: DerivedAttributes?
    let schema: StoreSchema
    let schemaCheck: SchemaCheck
    let fetchTexts = FetchTexts()
    package let location: Location
    /// `Z_UUID`: the host part of the URIs of the store's objects.
    package let identifier: String
    /// `StoreNumbers.number(forIdentifier:)`.
    package let number: Int32
    package let configurationName: String?
    package let isReadOnly: Bool
    /// Why the store is read-only although that was not requested; otherwise nil.
    let readOnlyReason: String?
    /// The format of the history, if there is one.
    let historyForm: HistoryForm
    /// Whether saves and batch requests write a persistent history.
    package let tracksHistory: Bool
    /// Whether observers are told of commits by others.
    package let postsRemoteChanges: Bool
    /// Whether what is written can change rows of any entity.
    package var hasDerivedAttributes: Bool { derived != nil }
    private let lock = Lock()
    /// By table.
    private var tableRoots: [String: TableRoot] = [:]
    /// Checks whether to stop while something is written. Used by the writing thread.
    private var writeMonitor: ReadMonitor?
    @exclusivity(unchecked) var updateShapes = UpdateShapes()
    /// What the writer of the last few rows has left for the next one. Used by the writing thread.
    @exclusivity(unchecked) private var spareCollector: RowCollector?
    private var activeWriter: (thread: pthread_t, connection: Connection)? {
        didSet { writingThread.store(activeWriter?.thread ?? 0, ordering: .relaxed) }
    }
    /// The thread of `activeWriter`; 0 if none. Each thread can tell without the lock whether it is
    /// its own.
    private let writingThread = Atomic<pthread_t>(0)

    init(
        file: StoreFile, externalFiles: ExternalDataFiles?, derived: DerivedAttributes?, schema: StoreSchema, schemaCheck: SchemaCheck,
        location: Location,
        identifier: String, configuration: String?,
        isReadOnly: Bool,
        readOnlyReason: String?, historyForm: HistoryForm, tracksHistory: Bool, postsRemoteChanges: Bool
    ) {
        self.file = file
        self.externalFiles = externalFiles
        self.derived = derived
        self.schema = schema
        self.schemaCheck = schemaCheck
        self.location = location
        self.identifier = identifier
        number = StoreNumbers.number(forIdentifier: identifier)
        configurationName = configuration
        self.isReadOnly = isReadOnly
        self.readOnlyReason = readOnlyReason
        self.historyForm = historyForm
        self.tracksHistory = tracksHistory
        self.postsRemoteChanges = postsRemoteChanges
    }

    package var path: String? {
        if case .file(let path) = location { return path }
        return nil
    }

    package var isInMemory: Bool {
        if case .inMemory = location { return true }
        return false
    }
    /// Whether contexts can be pinned to the store, which requires a file in WAL mode.
    package var supportsGenerations: Bool { !isInMemory && file.supportsGenerations }
    /// SQLite's name of the journal mode.
    package var journalMode: String { file.journalMode }
    /// Whether the store's configuration contains an entity.
    package func holds(entityIndex: Int) -> Bool { schema.holds(entityIndex: entityIndex) }

    package var model: ManagedObjectModel { schema.model }
    /// What the model asks for and the store lacks, which is nothing unless that was allowed.
    package var missingElements: [MissingElement] { schema.gaps.elements(of: schema.model) }
    package func lacks(_ entity: Entity) -> Bool { schema.gaps.lacks(entity) }
    package func lacks(_ property: Property, of entity: Entity) -> Bool { schema.gaps.lacks(property, of: entity) }

    /// The name of the store in error messages.
    var name: StoreName { StoreName(location) }

    // MARK: Collecting rows to write

    /// A collector of rows to be written. Used by the writing thread.
    func collector(for layout: RowLayout, reservingRows: Int) -> RowCollector {
        if let spare = spareCollector, spare.serves(layout, reservingRows: reservingRows) {
            spareCollector = nil
            return spare
        }
        return RowCollector(columnCount: layout.columnCount, reservingRows: reservingRows, context: layout)
    }

    /// Keeps a collector that is not used any more. Making one takes a small save longer than
    /// filling it.
    func keep(_ collector: RowCollector) {
        if collector.isWorthKeeping { spareCollector = collector }
    }

    // MARK: Generations and the journal

    /// The newest generation; the same object as long as nothing is committed.
    package func currentGeneration() throws(PinviewError) -> Generation {
        do {
            return try file.currentGeneration()
        } catch {
            throw PinviewError(any: error, while: .reading, store: name)
        }
    }

    /// A generation published by another process, or one that this process already has. From now
    /// on, this process holds it.
    package func adopt(_ generation: GenerationName) throws(PinviewError) -> Generation {
        do {
            return try file.adopt(generation)
        } catch {
            throw PinviewError(any: error, while: .reading, store: name)
        }
    }

    /// Whether a name belongs to a state of this very file.
    package func isNamed(by generation: GenerationName) -> Bool { file.isNamed(by: generation) }

    package func isNewest(_ generation: Generation) -> Bool { file.isNewest(generation) }

    package func changedKeys(ofHierarchyOf entity: Entity, from old: Generation, to new: Generation, limit: Int) -> [Int64]? {
        guard let table = schema.entity(at: entity.rootIndex)?.tableName else { return nil }
        var root = lock.withLock { tableRoots[table] }
        let keys = file.changedKeys(ofTable: table, from: old, to: new, limit: limit, root: &root)
        lock.withLock { tableRoots[table] = root }
        return keys
    }

    /// The rank of the newest state; nil if nobody has read it yet.
    package var rankOfNewest: UInt64? { supportsGenerations ? file.rankOfNewest : nil }

    /// The current moment, for asking later whether anything was committed since; nil in stores
    /// without generations.
    package var commitMark: CommitMark? { supportsGenerations ? file.commitMark : nil }
    package func hasCommits(since mark: CommitMark) -> Bool { file.hasCommits(since: mark) }
    /// Calls a body after commits by anyone; nil in stores without generations.
    package func listen(_ body: @escaping @Sendable () -> Void) -> CommitListener? { file.listen(body) }

    /// Calls a body after commits other than this store's own; nil in stores without generations,
    /// or if nobody is to be told.
    package func listenToRemoteChanges(_ body: @escaping @Sendable () -> Void) -> CommitListener? {
        postsRemoteChanges ? file.listenToRemoteCommits(body) : nil
    }

    /// The size of the journal in bytes; 0 if there is none.
    package var journalSize: Int64 { isInMemory ? 0 : file.journalSize }

    /// Checkpoints: copies the journal into the file, as far as the pins of all processes allow.
    /// - Returns: whether all of it was copied and, with `truncate`, the journal is empty.
    @discardableResult
    package func checkpoint(truncate: Bool) throws(PinviewError) -> Bool {
        do {
            return try file.checkpoint(truncate: truncate)
        } catch {
            throw PinviewError(any: error, while: .writing, store: name)
        }
    }

    /// Who holds back the journal; nil for a store that has none or is closed.
    package var journalState: JournalState? {
        if isInMemory { return nil }
        return try? file.journalState()
    }

    /// The journal's state of any file in WAL mode, without opening the file as a store.
    package static func journalState(ofFileAt path: String) throws(PinviewError) -> JournalState {
        do {
            return try JournalState.ofFile(at: path)
        } catch {
            throw PinviewError(any: error, while: .opening, store: StoreName(.file(path: path)))
        }
    }

    /// Closes the store. All later calls fail. Closing twice does nothing.
    package func close() {
        externalFiles?.close(file)
        file.close()
    }

    // MARK: Connections

    func read<R>(at generation: Generation?, _ body: (Connection) throws -> R) throws(PinviewError) -> R {
        do {
            if let generation { return try read(checking: generation, body) }
            if supportsGenerations { return try read(checking: try file.currentGeneration(), body) }
            // Without generations there is one connection: a save that reads on its own thread must
            // not wait for itself.
            if let connection = ownConnection { return try body(connection) }
            guard !isInMemory else { return try file.readNewest(body) }
            return try file.readNewest { connection in
                try schemaCheck.check(connection)
                return try body(connection)
            }
        } catch {
            throw PinviewError(any: error, while: .reading, store: name)
        }
    }

    @inline(__always)
    private func read<R>(checking generation: Generation, _ body: (Connection) throws -> R) throws -> R {
        if schemaCheck.knows(generation) { return try file.read(at: generation, body) }
        return try file.read(at: generation) { connection in
            try schemaCheck.check(generation, connection)
            return try body(connection)
        }
    }

    private var ownConnection: Connection? {
        guard isWritingOnThisThread else { return nil }
        return lock.withLock { activeWriter?.connection }
    }

    /// Begins a write transaction, which the same thread ends with `endWriting`.
    func beginWriting() throws(PinviewError) -> WriteTransaction {
        guard !isReadOnly else {
            let reason = readOnlyReason.map { "is read-only, because \($0)" } ?? "was added read-only; add it without that option"
            throw PinviewError(.persistentStoreSave, "\(name) \(reason). Nothing was written.")
                .with(affectedStores: [path ?? identifier])
        }
        guard !isWritingOnThisThread else {
            throw PinviewError(.persistentStoreSave, "This thread is already writing to \(name.within). End that save first.")
        }
        do {
            let monitor = ReadMonitor.current ?? (InterruptCheck.isSet ? ReadMonitor() : nil)
            let transaction = try monitor.watching { () throws(SQLiteError) in try file.beginWrite() }
            // With the write lock held, the newest state is what the transaction sees.
            if !isInMemory, !(rankOfNewest.map(schemaCheck.knows(rank:)) ?? false) {
                do {
                    try schemaCheck.check(transaction.connection)
                } catch {
                    transaction.rollback()
                    throw error
                }
            }
            do {
                try externalFiles?.begin(transaction.connection)
                try derived?.begin(transaction.connection)
            } catch {
                transaction.rollback()
                throw error
            }
            lock.withLock { activeWriter = (pthread_self(), transaction.connection) }
            // An interrupted statement rolls the whole transaction back, which leaves everything as
            // it was.
            if let monitor {
                writeMonitor = monitor
                transaction.connection.watch(with: monitor)
            }
            return transaction
        } catch {
            throw PinviewError(any: error, while: .writing, store: name)
        }
    }

    /// Whether the calling thread is in the middle of a save to the store.
    package var isWritingOnThisThread: Bool { writingThread.load(ordering: .relaxed) == pthread_self() }

    /// Seconds to wait for writers of other processes.
    package var busyTimeout: Double { file.busyTimeout }

    /// Keeps the writers of all processes from committing until the result is released.
    ///
    /// - Returns: nil if another process keeps writing for longer than `patience` seconds and that
    ///   is not an error.
    package func holdWriters(patience: Double, orFail: Bool) throws(PinviewError) -> HeldWriters? {
        do throws(SQLiteError) {
            return HeldWriters(transaction: try file.beginWrite(patience: patience))
        } catch {
            guard error.kind == .busy else { throw PinviewError(error, while: .reading, store: name) }
            guard orFail else { return nil }
            throw PinviewError.sqlite(
                .sqlite,
                "\(name) is being written by another program, so no generation was taken: the coordinator holds all writers while it "
                    + "takes one. Try again, or increase the busy timeout.", sqliteCode: error.extendedCode, sqliteMessage: error.message,
                store: nil
            ).with(affectedStores: [path ?? identifier])
        }
    }

    /// Ends the time in which the transaction can be interrupted: now come commits. The last chance
    /// for a deadline or an interruption that came after the last statement.
    ///
    /// - Throws: if it has been stopped, after which it must be rolled back.
    func endInterruption(of transaction: WriteTransaction) throws(SQLiteError) {
        guard let monitor = writeMonitor else { return }
        transaction.connection.endWatching()
        writeMonitor = nil
        if !monitor.finishInTime() {
            throw SQLiteError.interrupted(path: path)
        }
    }

    /// Must be called right before the transaction is committed or rolled back, which nothing
    /// interrupts.
    func endWriting() {
        let ended = lock.withLock {
            defer { activeWriter = nil }
            return activeWriter
        }
        guard writeMonitor != nil else { return }
        ended?.connection.endWatching()
        writeMonitor = nil
    }

    /// Ends a write transaction by committing it or, after an error, by rolling it back.
    ///
    /// - Returns: the rank of the new state; 0 if it has none.
    func commit(_ transaction: WriteTransaction) throws -> UInt64 {
        let change: ExternalDataFiles.Change?
        do {
            change = try externalFiles?.prepareCommit(transaction.connection)
        } catch {
            rollBack(transaction)
            throw error
        }
        endWriting()
        do {
            let rank = try transaction.commitUnpinned()
            schemaCheck.acceptOwn(rank: rank)
            if let change { externalFiles?.didCommit(change, file) }
            return rank
        } catch {
            externalFiles?.didFail()
            throw error
        }
    }

    func rollBack(_ transaction: WriteTransaction) {
        endWriting()
        externalFiles?.willRollBack()
        transaction.rollback()
    }

    /// Runs a body in a write transaction of its own. The body must write no rows of objects; an
    /// error rolls everything back.
    func write<R>(_ body: (Connection) throws -> R) throws(PinviewError) -> R {
        let transaction = try beginWriting()
        let result: R
        do {
            let changes = transaction.connection.totalChanges
            result = try body(transaction.connection)
            if tracksHistory, transaction.connection.totalChanges > changes { try HistorySchema.countQuietCommit(transaction.connection) }
            // A small transaction in the middle of a save is not the end of the save.
            if let writeMonitor, !writeMonitor.checkDeadline() { throw SQLiteError.interrupted(path: path) }
        } catch {
            rollBack(transaction)
            throw PinviewError(any: error, while: .writing, store: name)
        }
        do {
            _ = try commit(transaction)
        } catch {
            throw PinviewError(any: error, while: .writing, store: name)
        }
        return result
    }
}

/// A store whose writers are kept waiting.
package final class HeldWriters {
    private let transaction: WriteTransaction

    fileprivate init(transaction: WriteTransaction) { self.transaction = transaction }

    /// Releases the writers. Nothing has been written.
    package func release() { transaction.rollback() }
}
