import Glibc
import PinviewGenerations
import PinviewModel

/// One persistent store: a model's rows in an SQLite file, or in memory.
///
/// Any thread may use it. Reads take the generation that they are to read; at nil they see the
/// newest state, which is the only way in stores without generations.
package final class SQLStore: @unchecked Sendable {  // the only mutable state is guarded by `lock`
    package enum Location: Sendable {
        case file(path: String)
        case inMemory
    }

    let file: StoreFile
    let schema: StoreSchema
    let fetchTexts = FetchTexts()
    package let location: Location
    /// `Z_UUID`: the host part of the URIs of the store's objects.
    package let identifier: String
    /// `StoreNumbers.number(forIdentifier:)`.
    package let number: Int32
    package let configurationName: String?
    package let isReadOnly: Bool
    /// Why it is read-only if nobody asked for that; nil otherwise.
    let readOnlyReason: String?
    /// How the history is kept, where there is one.
    let historyForm: HistoryForm
    /// Whether saves and batch requests write a persistent history.
    package let tracksHistory: Bool
    /// Whether observers are told of commits that others make.
    package let postsRemoteChanges: Bool
    private let lock = Lock()
    /// Asks whether to stop while something is written; used by the writing thread.
    private var writeMonitor: ReadMonitor?
    private var activeWriter: (thread: pthread_t, connection: Connection)?

    init(
        file: StoreFile, schema: StoreSchema, location: Location, identifier: String, configuration: String?, isReadOnly: Bool,
        readOnlyReason: String?, historyForm: HistoryForm, tracksHistory: Bool, postsRemoteChanges: Bool
    ) {
        self.file = file
        self.schema = schema
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
    /// Whether contexts can be pinned to the store: it is a file in WAL mode.
    package var supportsGenerations: Bool { !isInMemory && file.supportsGenerations }
    /// As SQLite names it.
    package var journalMode: String { file.journalMode }
    /// Whether the store's configuration has the entity.
    package func holds(entityIndex: Int) -> Bool { schema.holds(entityIndex: entityIndex) }

    /// What error messages call the store.
    var name: StoreName { StoreName(location) }

    // MARK: Generations and the journal

    /// The newest generation; the same object as long as nothing was committed.
    package func currentGeneration() throws(PinviewError) -> Generation {
        do {
            return try file.currentGeneration()
        } catch {
            throw PinviewError(any: error, while: .reading, store: name)
        }
    }

    /// The generation that another process has published, or that this one has; this process holds
    /// it from now on.
    package func adopt(_ generation: GenerationName) throws(PinviewError) -> Generation {
        do {
            return try file.adopt(generation)
        } catch {
            throw PinviewError(any: error, while: .reading, store: name)
        }
    }

    /// Whether a name is that of a state of this very file.
    package func isNamed(by generation: GenerationName) -> Bool { file.isNamed(by: generation) }

    package func isNewest(_ generation: Generation) -> Bool { file.isNewest(generation) }

    /// This moment, to ask later whether anything was committed since; nil where there are no
    /// generations.
    package var commitMark: CommitMark? { supportsGenerations ? file.commitMark : nil }
    package func hasCommits(since mark: CommitMark) -> Bool { file.hasCommits(since: mark) }
    /// Calls back after commits, by whomever; nil where there are no generations.
    package func listen(_ body: @escaping @Sendable () -> Void) -> CommitListener? { file.listen(body) }

    /// Calls back after commits that are not this store's own; nil where there are no generations,
    /// or nobody is to be told.
    package func listenToRemoteChanges(_ body: @escaping @Sendable () -> Void) -> CommitListener? {
        postsRemoteChanges ? file.listenToRemoteCommits(body) : nil
    }

    /// The size of the journal in bytes; 0 where there is none.
    package var journalSize: Int64 { isInMemory ? 0 : file.journalSize }

    /// Copies the journal into the file as far as the pins of all processes allow.
    /// - Returns: whether all of it was copied (and, with `truncate`, the journal is empty).
    @discardableResult
    package func checkpoint(truncate: Bool) throws(PinviewError) -> Bool {
        do {
            return try file.checkpoint(truncate: truncate)
        } catch {
            throw PinviewError(any: error, while: .writing, store: name)
        }
    }

    /// Who holds what in the journal; nil for a store that has none, or is closed.
    package var journalState: JournalState? {
        if isInMemory { return nil }
        return try? file.journalState()
    }

    /// The same of any file in WAL mode, which is not opened as a store.
    package static func journalState(ofFileAt path: String) throws(PinviewError) -> JournalState {
        do {
            return try JournalState.ofFile(at: path)
        } catch {
            throw PinviewError(any: error, while: .opening, store: StoreName(.file(path: path)))
        }
    }

    /// Ends the use of the store; everything afterwards is an error. Closing twice does nothing.
    package func close() { file.close() }

    // MARK: Connections

    func read<R>(at generation: Generation?, _ body: (Connection) throws -> R) throws(PinviewError) -> R {
        do {
            if let generation { return try file.read(at: generation, body) }
            // Without generations there is one connection: a save that reads on its own thread must
            // not wait for itself.
            if !supportsGenerations, let connection = ownConnection { return try body(connection) }
            return try file.readNewest(body)
        } catch {
            throw PinviewError(any: error, while: .reading, store: name)
        }
    }

    private var ownConnection: Connection? {
        lock.withLock { activeWriter.flatMap { pthread_equal($0.thread, pthread_self()) != 0 ? $0.connection : nil } }
    }

    /// Begins a write transaction, which this thread ends with `endWriting`.
    func beginWriting() throws(PinviewError) -> WriteTransaction {
        guard !isReadOnly else {
            let reason = readOnlyReason.map { "is read-only, because \($0)" } ?? "was added read-only; add it without that option"
            throw PinviewError(.persistentStoreSave, "\(name) \(reason). Nothing was written.")
                .with(affectedStores: [path ?? identifier])
        }
        guard ownConnection == nil else {
            throw PinviewError(.persistentStoreSave, "This thread is already writing to \(name.within). End that save first.")
        }
        do {
            let transaction = try file.beginWrite()
            lock.withLock { activeWriter = (pthread_self(), transaction.connection) }
            // An interrupted statement takes the whole transaction back, which leaves everything as
            // it was.
            if InterruptCheck.isSet {
                let monitor = ReadMonitor()
                writeMonitor = monitor
                transaction.connection.watch(with: monitor)
            }
            return transaction
        } catch {
            throw PinviewError(any: error, while: .writing, store: name)
        }
    }

    /// Whether the calling thread is in the middle of a save to the store.
    package var isWritingOnThisThread: Bool { ownConnection != nil }

    /// Whoever takes the write locks of several stores takes them in this order, the same in every
    /// process.
    package static func isLockedBefore(_ left: SQLStore, _ right: SQLStore) -> Bool { left.identifier < right.identifier }

    package static func inLockingOrder(_ stores: [SQLStore]) -> [SQLStore] { stores.sorted(by: isLockedBefore) }

    /// Seconds to wait for writers of other processes.
    package var busyTimeout: Double { file.busyTimeout }

    /// Keeps the writers of all processes from committing until the result is let go.
    ///
    /// - Returns: nil when another process goes on writing for so many seconds and that is no
    ///   error.
    package func holdWriters(patience: Double, orFail: Bool) throws(PinviewError) -> HeldWriters? {
        do throws(SQLiteError) {
            return HeldWriters(transaction: try file.beginWrite(patience: patience))
        } catch {
            guard error.kind == .busy else { throw PinviewError(error, while: .reading, store: name) }
            guard orFail else { return nil }
            throw PinviewError.sqlite(
                .sqlite,
                "\(name) is being written by another program, so no generation was taken: the coordinator holds all writers while it "
                    + "takes one. Try again, or raise the busy time-out.", sqliteCode: error.extendedCode, sqliteMessage: error.message,
                store: nil
            ).with(affectedStores: [path ?? identifier])
        }
    }

    /// To be called right before the transaction is committed or rolled back, which nothing
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

    /// Runs a body, which writes no rows of objects, in a write transaction of its own; an error
    /// rolls all of it back.
    func write<R>(_ body: (Connection) throws -> R) throws(PinviewError) -> (R, Generation?) {
        let transaction = try beginWriting()
        do {
            let changes = transaction.connection.totalChanges
            let result = try body(transaction.connection)
            if tracksHistory, transaction.connection.totalChanges > changes { try HistorySchema.countQuietCommit(transaction.connection) }
            endWriting()
            return (result, try transaction.commit())
        } catch {
            endWriting()
            transaction.rollback()
            throw PinviewError(any: error, while: .writing, store: name)
        }
    }
}

/// A store whose writers wait.
package final class HeldWriters {
    private let transaction: WriteTransaction

    fileprivate init(transaction: WriteTransaction) { self.transaction = transaction }

    /// Lets the writers go on; nothing was written.
    package func release() { transaction.rollback() }
}
