import PinviewModel
import PinviewPredicates

/// A uniqueness constraint with the entity that declares it. It applies to objects of that entity
/// and its sub-entities.
struct EntityConstraint: Equatable, CustomStringConvertible {
    let entity: Entity
    let properties: [Property]

    var names: Set<String> { Set(properties.map(\.name)) }
    var description: String { "(\(properties.map(\.name).joined(separator: ", ")))" }

    static func == (left: EntityConstraint, right: EntityConstraint) -> Bool {
        left.entity === right.entity && left.properties.elementsEqual(right.properties) { $0 === $1 }
    }
}

/// The context's part of an upsert.
extension ContextState {
    /// The constraints that apply to an entity: those of its ancestors, topmost first, then its
    /// own.
    func constraints(of entity: Entity) -> [EntityConstraint] {
        guard let model, !entity.allUniquenessConstraints.isEmpty else { return [] }
        var lineage = [entity]
        while let parent = lineage[0].superentityIndex { lineage.insert(model.entities[parent], at: 0) }
        return lineage.flatMap { entity in
            entity.uniquenessConstraints.map { names in
                EntityConstraint(entity: entity, properties: names.compactMap { entity.property(named: $0) })
            }
        }
    }

    /// Replaces a temporary object ID by the permanent one, if there is one by now.
    func permanent(_ value: Value) -> Value {
        guard case .objectID(let objectID) = value else { return value }
        return .objectID(self.objectID(for: objectID.key, entity: objectID.entity))
    }

    /// The value of an attribute, or the ID of a relationship's destination.
    func upsertedValue(_ property: Property, of object: ManagedObject) throws(PinviewError) -> Value {
        if property.isAttribute { return try attributeValue(of: object, property) }
        return try toOne(object, property).map { .objectID(objectID(for: $0.key, entity: $0.entity)) } ?? .null
    }

    private func key(of object: ManagedObject, _ constraint: EntityConstraint) throws(PinviewError) -> UpsertKey {
        try UpsertKey(constraint) { (property) throws(PinviewError) in try upsertedValue(property, of: object) }
    }

    /// How many keys are looked up with one statement.
    private static func keysAtOnce(_ constraint: EntityConstraint) -> Int { constraint.properties.count == 1 ? 500 : 100 }

    /// The objects with given values of a constraint, as the context sees them: in its pending
    /// changes, otherwise in those of the contexts that it reads through, otherwise at its
    /// generation.
    ///
    /// - Parameter keys: contain no nulls.
    /// - Returns: the object of each key, by the key's number; nil if there is none.
    func objects(having keys: UpsertKeys, of constraint: EntityConstraint) throws(PinviewError) -> [ManagedObject?] {
        var found = [ManagedObject?](repeating: nil, count: keys.list.count)
        guard !found.isEmpty else { return found }
        for objects in [pending.updated, pending.inserted] {
            for object in objects.list where object.entity.isKind(ofIndex: constraint.entity.index) && !object.flags.contains(.deleted) {
                if let number = keys.number(of: try key(of: object, constraint)) { found[number] = object }
            }
        }
        let rest = found.indices.filter { found[$0] == nil }, keysAtOnce = Self.keysAtOnce(constraint)
        for start in stride(from: 0, to: rest.count, by: keysAtOnce) {
            var request = FetchRequest(entityName: constraint.entity.name)
            request.predicate = predicate(rest[start..<min(start + keysAtOnce, rest.count)].map { keys.list[$0] }, constraint)
            // The pending changes have been searched already, once for all keys.
            request.includesPendingChanges = false
            // Values must be compared with, and written over, what the store has.
            request.shouldRefreshRefetchedObjects = true
            // A child's values are compared with its parent's pending changes, and below those with
            // the store as its root sees it now.
            request.refreshesParents = true
            request.returnsObjectsAsFaults = false
            for object in try fetch(request) where object.flags.isDisjoint(with: [.deleted, .updated, .inserted]) {
                guard let number = keys.number(of: try key(of: object, constraint)), found[number] == nil else { continue }
                found[number] = object
            }
        }
        return found
    }

    private func predicate(_ keys: [UpsertKey], _ constraint: EntityConstraint) -> PinviewPredicate {
        if constraint.properties.count == 1 {
            return .comparison(
                ComparisonPredicate(
                    .keyPath([constraint.properties[0].name]), .in, .aggregate(keys.compactMap(\.first).map(PinviewExpression.constant))))
        }
        return .or(
            keys.map { key in
                .and(
                    zip(constraint.properties, key.values).map { property, value in
                        .comparison(ComparisonPredicate(.keyPath([property.name]), .equalTo, .constant(value)))
                    })
            })
    }

    /// Runs a body that changes objects. If it throws, its changes are undone, and they are not
    /// recorded by the undo manager.
    func takingBackOnError(_ body: () throws(PinviewError) -> Void) throws(PinviewError) {
        let journal = UndoManager()
        do throws(PinviewError) {
            try settings.withRecorder(journal, body)
        } catch {
            // Everything that these need was just loaded; the current error is the one to report.
            recordingNothing { for action in journal.takeActions().reversed() { try? reverse(action) } }
            throw error
        }
        record { $0.adopt(journal.takeActions()) }
    }

    private func recordingNothing(_ body: () -> Void) {
        let nothing = UndoManager()
        nothing.disableUndoRegistration()
        settings.withRecorder(nothing, body)
    }
}
