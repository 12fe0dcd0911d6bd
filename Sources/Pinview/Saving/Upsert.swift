import PinviewModel

/// What an upsert did with a row.
public enum UpsertOutcome: Int, Hashable, Sendable {
    /// A new object was inserted.
    case created = 0
    /// An object that was there got other values.
    case updated = 1
    /// An object that was there has the values already.
    case unchanged = 2
}

/// The objects of an upsert: for each row, in order, the object that stands for it and what was
/// done with it.
public struct UpsertResult {
    /// Live objects of the context, with the row's values pending. Rows with equal values of the
    /// constraint have the same object.
    public let objects: [ManagedObject]
    public let outcomes: [UpsertOutcome]

    public var createdCount: Int { count(of: .created) }
    public var updatedCount: Int { count(of: .updated) }
    public var unchangedCount: Int { count(of: .unchanged) }

    private func count(of outcome: UpsertOutcome) -> Int { outcomes.reduce(0) { $1 == outcome ? $0 + 1 : $0 } }
}

/// Where the rows of an upsert come from.
package protocol UpsertedRows {
    var count: Int { get }

    /// The values of a row. The properties are the entity's own.
    func values(_ row: Int) throws(PinviewError) -> [(property: Property, value: Value)]
}

extension ManagedObjectContext {
    /// Inserts objects, or updates those that have the same values of a uniqueness constraint
    /// already.
    ///
    /// ```swift
    /// let result = try context.upsert("Person", constraint: ["email"], rows: feed, onUpdate: ["name", "lastSeen"])
    /// for (person, outcome) in zip(result.objects, result.outcomes) where outcome == .created { welcome(person) }
    /// try context.save()
    /// ```
    ///
    /// It makes pending changes, like any other change of objects: the program saves them together
    /// with its others, hooks and validation see them, inverses follow, undo takes them back. To
    /// write rows past the context at once, use a ``BatchInsertRequest`` with a merge policy.
    ///
    /// The object of a row is looked for among the context's pending changes first, then at the
    /// generation that the context reads, for many rows by one statement. An object that is found
    /// is refreshed as ``refresh(_:mergeChanges:)`` does with its changes merged; one that is to be
    /// deleted does not count. The context's merge policy decides in the save what becomes of a row
    /// that another context has inserted or changed meanwhile, as for all changes; in a pinned
    /// context that may be a row that it does not see yet. A row with a null in the constraint
    /// always gives a new object. Rows are worked in order: one with the values of an earlier row
    /// updates the object of that one.
    ///
    /// - Parameters:
    ///   - entityName: the entity of new objects; what is found may also be of a sub-entity.
    ///   - constraint: the properties of one of the entity's uniqueness constraints, in any order.
    ///     Every row must give them.
    ///   - rows: attributes and to-one relationships by name; a relationship takes the ID of its
    ///     destination, temporary or not.
    ///   - onInsert: which of a row's values a new object gets; nil: all. The constraint's own are
    ///     always set.
    ///   - onUpdate: which of a row's values an object gets that was there already; nil: all;
    ///     empty: none (insert or ignore).
    /// - Throws: `invalidArgument` for a constraint that the entity does not have, or a row without
    ///   a value of it; `unknownKey`, `wrongType` and validation errors, which name the row; 133021
    ///   when a row would get the values of another object under a constraint other than the one
    ///   named, or of an object of another entity. The context is as it was then: a refused row is
    ///   not left behind.
    public func upsert(
        _ entityName: String, constraint: [String], rows: [[String: Value]], onInsert: [String]? = nil, onUpdate: [String]? = nil
    ) throws(PinviewError) -> UpsertResult {
        try upsert(entityName, constraint: constraint, onInsert: onInsert, onUpdate: onUpdate) { (entity) throws(PinviewError) in
            DictionaryRows(rows: rows, entity: entity)
        }
    }

    /// - Parameter rows: given the entity.
    package func upsert(
        _ entityName: String, constraint: [String], onInsert: [String]?, onUpdate: [String]?,
        rows: (Entity) throws(PinviewError) -> some UpsertedRows
    ) throws(PinviewError) -> UpsertResult {
        try call { (state) throws(PinviewError) in
            let model = try state.requireCoordinator().managedObjectModel
            guard let entity = model.entity(named: entityName) else { throw PinviewError.unknownEntity(entityName, in: model) }
            let plan = try UpsertPlan(state, entity, constraint: constraint, onInsert: onInsert, onUpdate: onUpdate)
            return try plan.execute(try rows(entity))
        }
    }
}

private struct DictionaryRows: UpsertedRows {
    let rows: [[String: Value]]
    let entity: Entity

    var count: Int { rows.count }

    func values(_ row: Int) throws(PinviewError) -> [(property: Property, value: Value)] {
        var values: [(property: Property, value: Value)] = []
        values.reserveCapacity(rows[row].count)
        for (name, value) in rows[row] {
            guard let property = entity.property(named: name) else { throw PinviewError.unknownKey(name, of: entity) }
            values.append((property, value))
        }
        return values.sorted { $0.property.index < $1.property.index }
    }
}
