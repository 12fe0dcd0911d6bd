import PinviewGenerations
import PinviewModel

/// What coordinators and contexts require of a store (Core Data's `NSIncrementalStore`).
///
/// They know stores by these requirements alone; only the coordinator names a kind of store, when
/// it opens one. Another kind hands out the same packed rows, so that nothing above depends on
/// where they come from. A requirement is asked for once per fetch, fault or save. What runs per
/// row or per value (`FetchedRows`, `RowSnapshot`, `RowWriter`) is concrete.
///
/// One protocol and not a composition, whose values would carry six witness tables each.
package protocol IncrementalStore: StoreIdentity, GenerationStore, ReadableStore, SavingStore, BatchStore, HistoryStore {}

/// Which store it is, and what it can do.
package protocol StoreIdentity: AnyObject, Sendable {
    /// The host part of the URIs of the store's objects. Kept in the store.
    var identifier: String { get }
    /// `StoreNumbers.number(forIdentifier:)`.
    var number: Int32 { get }
    /// The path of the file; nil in memory.
    var path: String? { get }
    /// The model configuration whose entities the store holds; nil for all entities.
    var configurationName: String? { get }
    var isInMemory: Bool { get }
    var isReadOnly: Bool { get }
    /// Whether nothing can change the store while it is open.
    var isImmutable: Bool { get }
    /// SQLite's name of the journal mode.
    var journalMode: String { get }
    /// The size of the journal in bytes; 0 if there is none.
    var journalSize: Int64 { get }
    /// Who holds back the journal; nil for a store that has none or is closed.
    var journalState: JournalState? { get }

    /// Whether the store's configuration contains an entity.
    func holds(entityIndex: Int) -> Bool
    var model: ManagedObjectModel { get }
    /// What the model asks for and the store lacks, which is nothing unless that was allowed.
    var missingElements: [MissingElement] { get }
    func lacks(_ entity: Entity) -> Bool
    /// - Parameter entity: the entity itself, not the one that declares the property.
    func lacks(_ property: Property, of entity: Entity) -> Bool
    func metadata() throws(PinviewError) -> [String: PropertyListValue]
    /// Sets keys of the program's own; nil removes one.
    func changeMetadata(_ changes: [String: PropertyListValue?]) throws(PinviewError)
    /// Copies the journal into the file, as far as pins allow.
    /// - Returns: whether all of it was copied and, with `truncate`, the journal is empty.
    @discardableResult
    func checkpoint(truncate: Bool) throws(PinviewError) -> Bool
    /// Closes the store. All later calls fail. Closing twice does nothing.
    func close()
}

/// The states of a store that can be read and named.
package protocol GenerationStore: AnyObject, Sendable {
    /// Whether contexts can be pinned to the store. If not, it is always read at its newest state.
    var supportsGenerations: Bool { get }
    /// The rank of the newest state; nil if nobody has read it yet.
    var rankOfNewest: UInt64? { get }
    /// The current moment, for asking later whether anything was committed since.
    var commitMark: CommitMark? { get }
    /// The states that the journal of an immutable store still has.
    var journalCommits: [StoreFile.JournalCommit] { get }

    /// The newest generation; the same object as long as nothing is committed.
    func currentGeneration() throws(PinviewError) -> Generation
    /// A generation that another process has published. From now on, this process holds it.
    func adopt(_ generation: GenerationName) throws(PinviewError) -> Generation
    /// Whether a name belongs to a state of this very store.
    func isNamed(by generation: GenerationName) -> Bool
    func isNewest(_ generation: Generation) -> Bool
    func hasCommits(since mark: CommitMark) -> Bool
    /// Calls a body after commits by anyone; nil in stores without generations.
    func listen(_ body: @escaping @Sendable () -> Void) -> CommitListener?
    /// Calls a body after commits other than this store's own; nil if nobody is to be told.
    func listenToRemoteChanges(_ body: @escaping @Sendable () -> Void) -> CommitListener?
    /// Keeps the writers of all processes from committing until the result is released.
    /// - Returns: nil if another process keeps writing for longer than `patience` seconds and that
    ///   is not an error.
    func holdWriters(patience: Double, orFail: Bool) throws(PinviewError) -> HeldWriters?
    /// The rows that differ between two generations.
    func difference(
        from old: Generation, to new: Generation, usesHistory: Bool
    ) throws(PinviewError) -> (changes: [RowDifference], isFromHistory: Bool)
    /// The keys of the rows of an entity's hierarchy that may differ between a generation and a
    /// later one, and include those that do; nil if they cannot be told without reading the rows,
    /// or if there are more than `limit`.
    func changedKeys(ofHierarchyOf entity: Entity, from old: Generation, to new: Generation, limit: Int) -> [Int64]?
    /// Writes a generation, nil for the newest state, as a store file of its own.
    func export(
        _ generation: Generation?, to path: String, replacing: Bool, monitor: (ExportProgress) -> Bool
    ) throws(PinviewError)
}

/// Reading, each time at a generation; nil for the newest state.
package protocol ReadableStore: AnyObject, Sendable {
    /// The matching rows, in order.
    /// - Parameter key: what ``cacheKey(of:isCount:)`` has returned for the fetch, if it was asked.
    func fetchRows(_ fetch: StoreFetch, key: FetchKey?, at generation: Generation?) throws(PinviewError) -> FetchedRows
    /// The keys of the matching rows, in order.
    func fetchReferences(_ fetch: StoreFetch, at generation: Generation?) throws(PinviewError) -> ReferenceList
    /// The keys of the matching rows with what they are sorted by, in order and piece by piece.
    ///
    /// - Parameters:
    ///   - fetch: its sort descriptors have no path.
    ///   - take: takes a piece, and returns whether it wants another one. It must not read the store.
    /// - Returns: whether there are no more rows.
    func fetchSortedReferences(
        _ fetch: StoreFetch, at generation: Generation?, take: (SortedReferences) -> Bool
    ) throws(PinviewError) -> Bool
    /// The number of matching rows, within limit and offset.
    /// - Parameter key: as for ``fetchRows(_:key:at:)``.
    func count(_ fetch: StoreFetch, key: FetchKey?, at generation: Generation?) throws(PinviewError) -> Int
    func fetchDictionaries(_ fetch: DictionaryFetch, at generation: Generation?) throws(PinviewError) -> [[Value]]
    /// Reads attributes as columns, batch by batch.
    func columnReader(_ fetch: ColumnFetch, at generation: Generation?, runInBackground: @escaping BackgroundRunner) -> ColumnReader
    /// What two fetches that find the same rows at the same generation have in common; nil if that
    /// cannot be told.
    func cacheKey(of fetch: StoreFetch, isCount: Bool) throws(PinviewError) -> FetchKey?
    func explain(
        _ statement: StatementToExplain, at generation: Generation?
    ) throws(PinviewError) -> (sql: String, bindings: [String], queryPlan: [String])
    /// A statement of the program's own, which only reads.
    func sql(_ text: String, _ arguments: [(name: String?, value: Value)], at generation: Generation?) throws(PinviewError) -> StoreSQL

    /// The row of a key; nil if there is none.
    /// - Parameter entity: any entity of the key's hierarchy.
    func row(entity: Entity, primaryKey: Int64, at generation: Generation?) throws(PinviewError) -> RowSnapshot?
    /// The rows of keys, in no particular order. Rows that do not exist are left out.
    func rows(entity: Entity, primaryKeys: [Int64], at generation: Generation?) throws(PinviewError) -> FetchedRows
    /// The entity of a key's current row, if the hierarchy has several; nil if it has only one, or
    /// if there is no such row.
    func entity(ofKey primaryKey: Int64, inHierarchyOf entity: Entity) throws(PinviewError) -> Entity?
    /// The destinations of an object's relationship, in order if it is ordered.
    func destinations(of owner: Reference, relationship: Property, at generation: Generation?) throws(PinviewError) -> [Reference]
    /// The rows of the destinations of many objects, grouped by owner in the order of the owners.
    /// - Parameters:
    ///   - owners: in ascending order.
    ///   - isKnown: whether the caller has the row of a key, which then may be left out.
    func destinationRows(
        ofOwners owners: [Int64], relationship: Property, at generation: Generation?, isKnown: (Int64) -> Bool
    ) throws(PinviewError) -> DestinationRows?
    /// The owner of a member in a relationship without an inverse; nil if there is none.
    func owner(of member: Reference, relationship: Property, at generation: Generation?) throws(PinviewError) -> Reference?
    /// The permanent ID of a row.
    func objectID(_ reference: Reference) -> ManagedObjectID
}

/// Saving.
package protocol SavingStore: AnyObject, Sendable {
    /// Seconds to wait for writers of other processes.
    var busyTimeout: Double { get }
    /// Whether the calling thread is in the middle of a save to the store.
    var isWritingOnThisThread: Bool { get }
    /// Whether what is written can change rows of any entity.
    var hasDerivedAttributes: Bool { get }

    /// Allocates primary keys outside a save.
    /// - Returns: the first of `count` consecutive keys.
    func allocatePrimaryKeys(entity: Entity, count: Int) throws(PinviewError) -> Int64
    /// Begins a transaction, which waits for other writers and is ended on the same thread.
    func beginSave(origin: @autoclosure () -> HistoryOrigin) throws(PinviewError) -> SaveTransaction
}

/// Changes to many rows that pass no object, each in a transaction of its own.
package protocol BatchStore: AnyObject, Sendable {
    func batchUpdate(
        _ fetch: StoreFetch, assignments: [(Property, BatchAssignment)], returningReferences: Bool, origin: HistoryOrigin
    ) throws(PinviewError) -> BatchOutcome
    func batchDelete(_ fetch: StoreFetch, origin: HistoryOrigin) throws(PinviewError) -> BatchDeletion
    func batchDelete(_ references: [Reference], origin: HistoryOrigin) throws(PinviewError) -> BatchDeletion
    /// Inserts the rows that a body gives, until it returns false.
    func batchInsert(
        _ entity: Entity, policy: InsertConflictPolicy, returningReferences: Bool, origin: HistoryOrigin,
        next: (inout [String: Value]) throws(PinviewError) -> Bool
    ) throws(PinviewError) -> BatchOutcome
    func batchInsert(
        _ entity: Entity, rows: any InsertedRows, policy: InsertConflictPolicy, returningReferences: Bool, origin: HistoryOrigin
    ) throws(PinviewError) -> BatchOutcome
    /// Inserts rows given as columns, one for each name.
    func batchInsert(
        _ entity: Entity, names: [String], columns: [[Value]], rows: Range<Int>, policy: InsertConflictPolicy,
        returningReferences: Bool, origin: HistoryOrigin
    ) throws(PinviewError) -> BatchOutcome
    func batchInsert(
        _ entity: Entity, _ source: any InsertedColumns, policy: InsertConflictPolicy, returningReferences: Bool, origin: HistoryOrigin
    ) throws(PinviewError) -> BatchOutcome
}

/// The persistent history.
package protocol HistoryStore: AnyObject, Sendable {
    /// Whether saves and batch requests write a history.
    var tracksHistory: Bool { get }

    /// The number of the last transaction; 0 if there is none.
    func lastHistoryTransaction() throws(PinviewError) -> Int64
    func history(_ query: HistoryQuery) throws(PinviewError) -> [HistoryTransactionRecord]
    /// Deletes the transactions before a point, except those that a named consumer has not read,
    /// unless requested.
    /// - Returns: the number of deleted transactions.
    func deleteHistory(
        beforeTransaction transaction: Int64?, beforeTime time: Double?, rule: HistoryConsumerRule
    ) throws(PinviewError) -> Int
    func setHistoryConsumer(_ name: String, transaction: Int64) throws(PinviewError)
    /// - Returns: whether there was such a consumer.
    func removeHistoryConsumer(_ name: String) throws(PinviewError) -> Bool
    /// The number of the last transaction that each named consumer has read.
    func historyConsumers() throws(PinviewError) -> [String: Int64]
}

extension ReadableStore {
    package func fetchRows(_ fetch: StoreFetch, at generation: Generation?) throws(PinviewError) -> FetchedRows {
        try fetchRows(fetch, key: nil, at: generation)
    }

    package func count(_ fetch: StoreFetch, at generation: Generation?) throws(PinviewError) -> Int {
        try count(fetch, key: nil, at: generation)
    }
}
