import PinviewModel

/// What an upsert did with a row.
public enum UpsertOutcome: Int, Hashable, Sendable {
    /// A new object was inserted.
    case created = 0
    /// An existing object got other values.
    case updated = 1
    /// An existing object already had the values.
    case unchanged = 2
}

/// The objects of an upsert: for each row, in order, its object and what was done with it.
public struct UpsertResult {
    /// Live objects of the context, with the rows' values pending. Rows with equal values of the
    /// constraint have the same object.
    public let objects: [ManagedObject]
    /// What was done for each row, in order.
    public let outcomes: [UpsertOutcome]

    /// How many objects were created.
    public var createdCount: Int { count(of: .created) }
    /// How many rows updated an existing object.
    public var updatedCount: Int { count(of: .updated) }
    /// How many rows changed nothing.
    public var unchangedCount: Int { count(of: .unchanged) }

    private func count(of outcome: UpsertOutcome) -> Int { outcomes.reduce(0) { $1 == outcome ? $0 + 1 : $0 } }
}

/// The source of an upsert's rows.
package protocol UpsertedRows {
    var count: Int { get }

    /// The values of a row, with properties of the entity.
    func values(_ row: Int) throws(PinviewError) -> [(property: Property, value: Value)]
}

extension ManagedObjectContext {
    /// Inserts objects, or updates those that already have the same values of a uniqueness
    /// constraint.
    ///
    /// ```swift
    /// let result = try context.upsert("Person", constraint: ["email"], rows: feed, onUpdate: ["name", "lastSeen"])
    /// for (person, outcome) in zip(result.objects, result.outcomes) where outcome == .created { welcome(person) }
    /// try context.save()
    /// ```
    ///
    /// Makes pending changes, like any other change of objects: they are saved together with
    /// others, and hooks, validation, inverses and undo apply to them. To write rows at once,
    /// without objects, use a ``BatchInsertRequest`` with a merge policy.
    ///
    /// A row's object is searched for in the context's pending changes first, then at the
    /// generation that the context reads, with one statement for many rows. An existing object is
    /// refreshed like by ``refresh(_:mergeChanges:)``, keeping its changes; one that is to be
    /// deleted does not count. If another context has inserted or changed the row meanwhile,
    /// perhaps in a way that a pinned context cannot see yet, the context's merge policy decides in
    /// the save, as for all changes. A row with null in the constraint always makes a new object.
    /// Rows are processed in order: one with the values of an earlier row updates the object of
    /// that row.
    ///
    /// - Parameters:
    ///   - entityName: the entity of new objects. Existing objects may be of a sub-entity.
    ///   - constraint: the properties of one of the entity's uniqueness constraints, in any order.
    ///     Every row must have them.
    ///   - rows: attributes and to-one relationships by name; a relationship takes the ID of its
    ///     destination, temporary or permanent.
    ///   - onInsert: the values that a new object gets, besides those of the constraint; nil for
    ///     all.
    ///   - onUpdate: the values that an existing object gets; nil for all, empty for none (insert
    ///     or ignore).
    /// - Throws: `invalidArgument` for a constraint that the entity does not have, or for a row
    ///   without one of its values; `unknownKey`, `wrongType` and validation errors, which name the
    ///   row; 133021 if a row would get the values of another object under a constraint other than
    ///   the given one, or of an object of another entity. Then the context stays as it was.
    public func upsert(
        _ entityName: String, constraint: [String], rows: [[String: Value]], onInsert: [String]? = nil, onUpdate: [String]? = nil
    ) throws(PinviewError) -> UpsertResult {
        try upsert(entityName, constraint: constraint, onInsert: onInsert, onUpdate: onUpdate) { (entity) throws(PinviewError) in
            DictionaryRows(rows: rows, entity: entity)
        }
    }

    /// - Parameter rows: gets the entity.
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
