import PinviewModel
import PinviewPredicates

/// What a batch request gives (`NSBatchUpdateRequestResultType` and its sisters).
public enum BatchResultType: Int, Hashable, Sendable {
    case statusOnly = 0
    case objectIDs = 1
    case count = 2
}

/// Sets attributes in all matching rows, in the stores, without loading objects
/// (`NSBatchUpdateRequest`).
///
/// It takes effect at once, runs no validation and no hooks, and moves no context. SQLite stores
/// only.
public struct BatchUpdateRequest: PersistentStoreRequest, Sendable {
    public typealias ResultType = BatchResultType

    public var entityName: String
    /// Which rows; nil for all of the entity.
    public var predicate: Predicate?
    /// Attribute names and the values to set.
    public var propertiesToUpdate: [String: Value] = [:]
    /// Attribute names and what to compute from each row's own values, such as
    /// `Expression(format: "score + 1")`.
    public var expressionsToUpdate: [String: Expression] = [:]
    public var resultType = BatchResultType.statusOnly
    public var includesSubentities = true
    /// The stores to update; nil for all.
    public var affectedStores: [PersistentStore]?

    public init(entityName: String) {
        self.entityName = entityName
    }
}

/// Inserts rows into a store, without objects (`NSBatchInsertRequest`).
///
/// One transaction; runs no validation and no hooks, and moves no context. Attributes that a row
/// leaves out get their default values. To-one relationships take the ID of a saved object of the
/// same store.
///
/// With a ``mergePolicy`` rows whose unique values the store has already update its rows, or are
/// dropped:
///
/// ```swift
/// var feed = BatchInsertRequest(entityName: "Person", objects: rows)  // Person has the uniqueness constraint email
/// feed.mergePolicy = .mergeByPropertyObjectTrump
/// let result = try context.batchInsert(feed)
/// print("\(result.insertedCount) new, \(result.updatedCount) updated, \(result.leftCount) as before")
/// ```
public struct BatchInsertRequest: PersistentStoreRequest {
    public var entityName: String
    /// Fills in the values of the next row, by property name; false: there is none. Called on the
    /// executing thread, inside the write transaction: it must not save to the same store.
    public var nextRow: @Sendable (inout [String: Value]) throws(PinviewError) -> Bool {
        didSet { (columns, rows) = (nil, nil) }
    }
    /// The same rows, where they are there already.
    private(set) var columns: Columns?
    /// Instead of ``nextRow``.
    private(set) var rows: (any InsertedRows)?
    public var resultType = BatchResultType.statusOnly
    /// The store to insert into is the first of these that holds the entity; nil: of all.
    public var affectedStores: [PersistentStore]?
    /// What becomes of a row that has the values of a row of the store under a uniqueness
    /// constraint, or of an earlier row of the batch.
    ///
    /// Unlike in Core Data the policy of the executing context does not count: rows are overwritten
    /// only where the request says so.
    ///
    /// - `error`, the default: the request fails with 133021, and nothing is inserted. The error
    ///   names the row, the constraint, its values and the object that has them.
    /// - `mergeByPropertyObjectTrump`: insert or update. The row of the store takes the values that
    ///   are given, nulls included; properties that the row leaves out stay.
    /// - `overwrite`: the row of the store takes all values, defaults and nulls of properties that
    ///   were left out included.
    /// - `mergeByPropertyStoreTrump`, `rollback`: insert or ignore. The row of the store stays as
    ///   it is.
    /// - A policy of the program's own is refused with `invalidArgument`: there are no objects to
    ///   show it.
    ///
    /// A row that would change nothing is left: its version stays, and the history does not mention
    /// it. A row that meets two different rows, under two constraints, or one of an entity that is
    /// not the request's or a sub-entity of it, cannot update either: the request fails with 133021
    /// and names them. To ignore it, or under `error`, the first constraint counts, in the order of
    /// the model with those of ancestors first. Null values never meet.
    public var mergePolicy = MergePolicy.error
    /// Instead of rows.
    var source: (any InsertedColumns)?

    public init(entityName: String, nextRow: @escaping @Sendable (inout [String: Value]) throws(PinviewError) -> Bool) {
        self.entityName = entityName
        self.nextRow = nextRow
    }

    /// - Parameter objects: the values of the rows, by property name.
    public init(entityName: String, objects: [[String: Value]]) {
        let position = Counter()
        self.init(entityName: entityName) { (row) throws(PinviewError) in
            let index = Int(position.next()) - 1
            guard index < objects.count else { return false }
            row = objects[index]
            return true
        }
    }

    /// - Parameter columns: the values of one property each, all of the same number.
    /// - Throws: `invalidArgument` for columns of different lengths.
    public init(entityName: String, columns: [String: [Value]]) throws(PinviewError) {
        let count = columns.values.first?.count ?? 0
        for (name, column) in columns.sorted(by: { $0.key < $1.key }) where column.count != count {
            throw PinviewError(.invalidArgument, "The column '\(name)' of a batch insert has \(column.count) values, others have \(count).")
        }
        let names = columns.keys.sorted()
        let values = names.map { columns[$0] ?? [] }
        let position = Counter()
        self.init(entityName: entityName) { (row) throws(PinviewError) in
            let index = Int(position.next()) - 1
            guard index < count else { return false }
            for (name, column) in zip(names, values) { row[name] = column[index] }
            return true
        }
        self.columns = Columns(names: names, values: values, count: count, position: position)
    }

    /// - Parameter rows: used up by the first execution.
    package init(entityName: String, rows: any InsertedRows) {
        self.init(entityName: entityName) { _ in false }
        self.rows = rows
    }

    /// One column for each name.
    struct Columns: Sendable {
        let names: [String]
        let values: [[Value]]
        let count: Int
        fileprivate let position: Counter

        /// The rows that nobody has had yet.
        func takeRows() -> Range<Int> { min(position.skip(count), count)..<count }
    }
}

/// What a batch insert did, row by row of the batch: each is counted once.
public struct BatchInsertResult: Hashable, Sendable {
    public let insertedCount: Int
    /// Rows that changed a row that was there, of the store or of the same batch.
    public let updatedCount: Int
    /// Rows that left the row that was there as it was, because the merge policy says so or because
    /// nothing would have changed.
    public let leftCount: Int
    /// For each row of the batch, in order, the object that stands for it now; empty unless the
    /// request's result type is `objectIDs`.
    public let objectIDs: [ManagedObjectID]
}

/// Deletes rows from the stores, without objects (`NSBatchDeleteRequest`).
///
/// The delete rules are followed: cascades delete more, nullify clears references, deny stops it
/// with error 1600, and nothing is deleted then. One transaction per store; runs no hooks, and
/// moves no context.
public struct BatchDeleteRequest: PersistentStoreRequest, Sendable {
    /// The rows that it finds in the stores; pending changes do not count, batch size and result
    /// type are passed over.
    public var fetchRequest: FetchRequest?
    public var objectIDs: [ManagedObjectID] = []
    /// IDs and count are of the rows that the request names, without those that cascades took.
    public var resultType = BatchResultType.statusOnly
    /// The stores to delete from; nil for all.
    public var affectedStores: [PersistentStore]?

    public init(fetchRequest: FetchRequest) {
        self.fetchRequest = fetchRequest
    }

    /// - Parameter objectIDs: those without a row are passed over; temporary ones are an error.
    public init(objectIDs: [ManagedObjectID]) {
        self.objectIDs = objectIDs
    }
}

extension BatchResultType {
    // Core Data's names for the results of each kind of request.
    public static let updatedObjectIDs = objectIDs, updatedObjectsCount = count
    public static let insertedObjectIDs = objectIDs, insertedObjectsCount = count
    public static let deletedObjectIDs = objectIDs, deletedObjectsCount = count
}
