import PinviewModel
import PinviewPredicates

/// What a batch request returns (`NSBatchUpdateRequestResultType` and the like).
public enum BatchResultType: Int, Hashable, Sendable {
    case statusOnly = 0
    case objectIDs = 1
    case count = 2
}

/// Sets attributes in all matching rows, in the stores, without loading objects
/// (`NSBatchUpdateRequest`).
///
/// Takes effect at once, runs no validation and no hooks, and moves no context. SQLite stores only.
public struct BatchUpdateRequest: PersistentStoreRequest, Sendable {
    /// What the request can return.
    public typealias ResultType = BatchResultType

    /// The entity, by name.
    public var entityName: String
    /// Which rows to update; nil for all rows of the entity.
    public var predicate: PinviewPredicate?
    /// Attribute names with the values to set.
    public var propertiesToUpdate: [String: Value] = [:]
    /// Attribute names with expressions over each row's own values, such as
    /// `PinviewExpression(format: "score + 1")`.
    public var expressionsToUpdate: [String: PinviewExpression] = [:]
    /// What to return.
    public var resultType = BatchResultType.statusOnly
    /// Whether rows of sub-entities are updated too.
    public var includesSubentities = true
    /// The stores to update; nil for all.
    public var affectedStores: [PersistentStore]?

    /// Makes a request that updates all rows of an entity; set what to update, and a predicate.
    public init(entityName: String) {
        self.entityName = entityName
    }
}

/// Inserts rows into a store, without objects (`NSBatchInsertRequest`).
///
/// Uses one transaction, runs no validation and no hooks, and moves no context. Attributes that a
/// row leaves out get their default values. To-one relationships take the ID of a saved object of
/// the same store.
///
/// With a ``mergePolicy``, rows with unique values that are already in the store update its rows or
/// are dropped:
///
/// ```swift
/// var feed = BatchInsertRequest(entityName: "Person", objects: rows)  // Person has the uniqueness constraint email
/// feed.mergePolicy = .mergeByPropertyObjectTrump
/// let result = try context.batchInsert(feed)
/// print("\(result.insertedCount) new, \(result.updatedCount) updated, \(result.leftCount) as before")
/// ```
public struct BatchInsertRequest: PersistentStoreRequest {
    /// The entity, by name.
    public var entityName: String
    /// Sets the values of the next row, by property name, and returns false if there is none.
    /// Called on the executing thread, inside the write transaction, so it must not save to the
    /// same store.
    public var nextRow: @Sendable (inout [String: Value]) throws(PinviewError) -> Bool {
        didSet { (columns, rows) = (nil, nil) }
    }
    /// The rows, if they were given as columns.
    private(set) var columns: Columns?
    /// Rows given instead of ``nextRow``.
    private(set) var rows: (any InsertedRows)?
    public var resultType = BatchResultType.statusOnly
    /// Rows are inserted into the first of these stores that holds the entity; nil for all stores
    /// of the coordinator.
    public var affectedStores: [PersistentStore]?
    /// What to do with a row that violates a uniqueness constraint, because of a row of the store
    /// or an earlier row of the batch.
    ///
    /// Unlike in Core Data, the executing context's policy is not used: rows are only overwritten
    /// if the request says so.
    ///
    /// - `error`, the default: the request fails with 133021, and nothing is inserted. The error
    ///   names the row, the constraint, its values and the existing object.
    /// - `mergeByPropertyObjectTrump`: insert or update. The store's row takes the given values,
    ///   including nulls; properties that the row leaves out keep theirs.
    /// - `overwrite`: the store's row takes all values, including defaults and nulls of properties
    ///   that were left out.
    /// - `mergeByPropertyStoreTrump`, `rollback`: insert or ignore. The store's row stays as it is.
    /// - A policy of the program's own is refused with `invalidArgument`, since there are no
    ///   objects to pass to it.
    ///
    /// An update that would change nothing is skipped: the row keeps its version, and the history
    /// does not mention it. A row that collides with two different rows under two constraints, or
    /// with one whose entity is not the request's or a sub-entity of it, cannot update either: the
    /// request fails with 133021 and names them. With `error`, and when ignoring rows, the first
    /// violated constraint counts, in the order of the model with ancestors' constraints first.
    /// Nulls never collide.
    public var mergePolicy = MergePolicy.error
    /// Columns given instead of rows.
    var source: (any InsertedColumns)?

    /// Makes a request that gets its rows from a closure, one by one.
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

    /// - Parameter columns: the values of each property, by name; all lists have the same length.
    /// - Throws: `invalidArgument` for columns of different lengths.
    public init(entityName: String, columns: [String: [Value]]) throws(PinviewError) {
        let count = columns.values.first?.count ?? 0
        for (name, column) in columns.sorted(by: { $0.key < $1.key }) where column.count != count {
            throw PinviewError(
                .invalidArgument, "The column '\(name)' of a batch insert has \(column.count) values, but others have \(count).")
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

    /// - Parameter rows: consumed by the first execution.
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

        /// Takes the rows that have not been taken yet.
        func takeRows() -> Range<Int> { min(position.skip(count), count)..<count }
    }
}

/// What became of the rows of a batch insert. Each row is counted once.
public struct BatchInsertResult: Hashable, Sendable {
    /// Rows that were inserted.
    public let insertedCount: Int
    /// Rows that updated an existing row, of the store or of the same batch.
    public let updatedCount: Int
    /// Rows that left an existing row unchanged, because of the merge policy or because nothing
    /// would have changed.
    public let leftCount: Int
    /// The object of each row of the batch, in order; empty unless the request's result type is
    /// `objectIDs`.
    public let objectIDs: [ManagedObjectID]
}

/// Deletes rows from the stores, without objects (`NSBatchDeleteRequest`).
///
/// Follows delete rules: `cascade` deletes more rows, `nullify` clears references, and `deny` fails
/// the request with error 1600, with nothing deleted. Uses one transaction per store, runs no
/// hooks, and moves no context.
public struct BatchDeleteRequest: PersistentStoreRequest, Sendable {
    /// Selects the rows in the stores. Pending changes are not considered; batch size and result
    /// type are ignored.
    public var fetchRequest: FetchRequest?
    /// The objects to delete, if there is no fetch request.
    public var objectIDs: [ManagedObjectID] = []
    /// IDs and count cover the requested rows, without those deleted by cascades.
    public var resultType = BatchResultType.statusOnly
    /// The stores to delete from; nil for all.
    public var affectedStores: [PersistentStore]?

    /// Makes a request that deletes the rows found by a fetch request.
    public init(fetchRequest: FetchRequest) {
        self.fetchRequest = fetchRequest
    }

    /// - Parameter objectIDs: IDs without a row are ignored; temporary IDs are an error.
    public init(objectIDs: [ManagedObjectID]) {
        self.objectIDs = objectIDs
    }
}

extension BatchResultType {
    /// Core Data's names of the results of a batch update.
    public static let updatedObjectIDs = objectIDs, updatedObjectsCount = count
    /// Core Data's names of the results of a batch insert.
    public static let insertedObjectIDs = objectIDs, insertedObjectsCount = count
    /// Core Data's names of the results of a batch delete.
    public static let deletedObjectIDs = objectIDs, deletedObjectsCount = count
}
