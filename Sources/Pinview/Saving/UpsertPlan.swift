import PinviewModel
import PinviewPredicates

/// One upsert. Everything is determined before anything changes, so that nearly all errors are
/// found in time; if a change fails nevertheless, all are undone.
///
///     rows ──convert──▶ keys ──look up──▶ candidates ──check other constraints──▶ apply ──validate──▶ result
final class UpsertPlan {
    /// An object of the result, and the values that it will have.
    private final class Candidate {
        /// Nil until a new object is made.
        var object: ManagedObject?
        let isNew: Bool
        let entity: Entity
        /// By property index.
        var values: [Int: Value] = [:]
        /// The last row that set values.
        var row: Int

        init(_ object: ManagedObject?, _ entity: Entity, row: Int) {
            self.object = object
            self.entity = entity
            self.row = row
            isNew = object == nil
        }
    }

    private let state: ContextState
    private let entity: Entity
    private let constraint: EntityConstraint
    /// By property index; nil for all.
    private let insertedProperties: Set<Int>?
    private let updatedProperties: Set<Int>?
    private var candidates: [Candidate] = []

    init(
        _ state: ContextState, _ entity: Entity, constraint names: [String], onInsert: [String]?, onUpdate: [String]?
    ) throws(PinviewError) {
        try state.requireChangeProcessing("An upsert")
        guard !entity.isAbstract else {
            throw PinviewError(.invalidArgument, "The entity \(entity.name) is abstract: only objects of its sub-entities can be made.")
        }
        self.state = state
        self.entity = entity
        let constraints = state.constraints(of: entity)
        guard !names.isEmpty, let constraint = constraints.first(where: { $0.properties.count == names.count && $0.names == Set(names) })
        else {
            let known = constraints.map(\.description).joined(separator: ", ")
            throw PinviewError(
                .invalidArgument,
                "\(entity.name) has no uniqueness constraint (\(names.joined(separator: ", "))). It has: \(known.isEmpty ? "none" : known)."
            )
        }
        self.constraint = constraint
        let own = Set(constraint.properties.map(\.index))
        insertedProperties = try onInsert.map { (names) throws(PinviewError) in try Self.indexes(names, entity).union(own) }
        updatedProperties = try onUpdate.map { (names) throws(PinviewError) in try Self.indexes(names, entity) }
    }

    private static func indexes(_ names: [String], _ entity: Entity) throws(PinviewError) -> Set<Int> {
        var indexes: Set<Int> = []
        for name in names {
            guard let property = entity.property(named: name) else { throw PinviewError.unknownKey(name, of: entity) }
            try requireSettable(property)
            indexes.insert(property.index)
        }
        return indexes
    }

    private static func requireSettable(_ property: Property) throws(PinviewError) {
        guard property.isToMany else { return }
        throw PinviewError(
            .unknownKey, "An upsert sets attributes and to-one relationships; \(property.qualifiedName) is a to-many relationship.")
    }

    private func failure(_ row: Int, _ error: PinviewError) -> PinviewError {
        error.with(message: "Row \(row + 1) of the upsert of \(entity.name): \(error.message) Nothing was changed.")
    }

    // MARK: Execution

    func execute(_ rows: some UpsertedRows) throws(PinviewError) -> UpsertResult {
        try state.processPendingChanges()
        let values = try converted(rows)
        let keys = try values.indices.map { (row) throws(PinviewError) in try key(ofRow: row, values[row]) }
        let existing = try state.objects(having: keys.compactMap { $0 }, of: constraint)
        let places = try plan(values, keys, existing)
        try checkOtherConstraints()
        try state.takingBackOnError { () throws(PinviewError) in
            try apply()
            try validate()
        }
        let objects = try places.map { (place) throws(PinviewError) in
            guard let object = candidates[place.candidate].object else {
                throw PinviewError(.objectInvalidated, "A hook removed a new object of the upsert from the context.")
            }
            return object
        }
        return UpsertResult(objects: objects, outcomes: places.map(\.outcome))
    }

    private func converted(_ rows: some UpsertedRows) throws(PinviewError) -> [[(property: Property, value: Value)]] {
        var result: [[(property: Property, value: Value)]] = []
        result.reserveCapacity(rows.count)
        for row in 0..<rows.count {
            do throws(PinviewError) {
                var values = try rows.values(row)
                for index in values.indices {
                    let property = values[index].property
                    try Self.requireSettable(property)
                    values[index].value = state.permanent(try property.convert(values[index].value))
                }
                result.append(values)
            } catch {
                throw failure(row, error)
            }
        }
        return result
    }

    /// The row's values of the constraint; nil if one of them is null.
    private func key(ofRow row: Int, _ values: [(property: Property, value: Value)]) throws(PinviewError) -> [Value]? {
        var key: [Value] = []
        for property in constraint.properties {
            guard let value = values.first(where: { $0.property === property })?.value else {
                throw failure(
                    row, PinviewError(.invalidArgument, "It lacks '\(property.name)', a property of the constraint. Pass a value or null.")
                )
            }
            key.append(value)
        }
        return key.contains(.null) ? nil : key
    }

    // MARK: Planning

    private func plan(
        _ rows: [[(property: Property, value: Value)]], _ keys: [[Value]?], _ existing: [[Value]: ManagedObject]
    ) throws(PinviewError) -> [(candidate: Int, outcome: UpsertOutcome)] {
        var places: [(candidate: Int, outcome: UpsertOutcome)] = []
        places.reserveCapacity(rows.count)
        var candidateOfKey: [[Value]: Int] = [:]
        for (row, values) in rows.enumerated() {
            if let key = keys[row], let place = candidateOfKey[key] {
                places.append((place, try update(candidates[place], row, values)))
                continue
            }
            let found = keys[row].flatMap { existing[$0] }
            if let key = keys[row] { candidateOfKey[key] = candidates.count }
            if let found {
                guard found.entity.isKind(ofIndex: entity.index) else {
                    throw failure(
                        row,
                        conflict(
                            "The \(describe(constraint, keys[row] ?? [])) is that of \(found.objectID.uriRepresentation), which cannot become an "
                                + "object of \(entity.name).", found))
                }
                let candidate = Candidate(found, found.entity, row: row)
                candidates.append(candidate)
                places.append((candidates.count - 1, try update(candidate, row, values)))
            } else {
                let candidate = Candidate(nil, entity, row: row)
                for (property, value) in values where insertedProperties?.contains(property.index) ?? true {
                    candidate.values[property.index] = value
                }
                candidates.append(candidate)
                places.append((candidates.count - 1, .created))
            }
        }
        return places
    }

    /// Plans new values for an object that exists or is made for an earlier row.
    private func update(
        _ candidate: Candidate, _ row: Int, _ values: [(property: Property, value: Value)]
    ) throws(PinviewError) -> UpsertOutcome {
        var outcome = UpsertOutcome.unchanged
        for (property, value) in values where updatedProperties?.contains(property.index) ?? true {
            guard try self.value(property, candidate) != value else { continue }
            candidate.values[property.index] = value
            candidate.row = row
            outcome = .updated
        }
        return outcome
    }

    /// The value that a candidate will have.
    private func value(_ property: Property, _ candidate: Candidate) throws(PinviewError) -> Value {
        if let value = candidate.values[property.index] { return value }
        guard let object = candidate.object else { return property.isAttribute ? property.defaultValue : .null }
        return try state.upsertedValue(property, of: object)
    }

    // MARK: Other constraints

    private func conflict(_ message: String, _ object: ManagedObject?) -> PinviewError {
        let error = PinviewError(.managedObjectConstraintMerge, message)
        return object.map { error.with(affectedObjectIDs: [$0.objectID]) } ?? error
    }

    private func describe(_ constraint: EntityConstraint, _ key: [Value]) -> String {
        zip(constraint.properties, key).map { "\($0.name) \($1)" }.joined(separator: ", ")
    }

    /// - Throws: 133021 if the objects would collide under a constraint other than the given one.
    private func checkOtherConstraints() throws(PinviewError) {
        var seen: Set<Int> = []
        var constraints: [EntityConstraint] = []
        for candidate in candidates where seen.insert(candidate.entity.index).inserted {
            for other in state.constraints(of: candidate.entity) where other != constraint && !constraints.contains(other) {
                constraints.append(other)
            }
        }
        for other in constraints { try check(other) }
    }

    private func check(_ other: EntityConstraint) throws(PinviewError) {
        var owners: [[Value]: Candidate] = [:]
        var keys: [[Value]] = []
        var changed: Set<ObjectIdentifier> = []
        for candidate in candidates where candidate.entity.isKind(ofIndex: other.entity.index) {
            guard candidate.isNew || other.properties.contains(where: { candidate.values[$0.index] != nil }) else { continue }
            if let object = candidate.object { changed.insert(ObjectIdentifier(object)) }
            var key: [Value] = []
            for property in other.properties { key.append(try value(property, candidate)) }
            if key.contains(.null) { continue }
            if let first = owners.updateValue(candidate, forKey: key) {
                throw failure(
                    candidate.row,
                    conflict(
                        "Its \(describe(other, key)) is also that of row \(first.row + 1), which is another object. The upsert uses the "
                            + "constraint \(constraint.description), not \(other.description).", nil))
            }
            keys.append(key)
        }
        guard !keys.isEmpty else { return }
        for (key, object) in try state.objects(having: keys, of: other) {
            // An object that is about to change leaves its values to others.
            guard let candidate = owners[key], candidate.object !== object, !changed.contains(ObjectIdentifier(object)) else { continue }
            throw failure(
                candidate.row,
                conflict(
                    "Its \(describe(other, key)) is that of \(object.objectID.uriRepresentation). The upsert uses the constraint "
                        + "\(constraint.description), not \(other.description).", object))
        }
    }

    // MARK: Changing

    private func apply() throws(PinviewError) {
        var bindings: [Int: EntityBinding] = [:]
        for candidate in candidates {
            do throws(PinviewError) {
                let object: ManagedObject
                if let known = candidate.object {
                    object = known
                } else {
                    let binding = bindings[candidate.entity.index] ?? state.binding(candidate.entity, storeNumber: -1)
                    bindings[candidate.entity.index] = binding
                    object = try state.insertNewObject(candidate.entity, binding)
                    candidate.object = object
                }
                for (index, value) in candidate.values.sorted(by: { $0.key < $1.key }) {
                    guard let property = object.property(atIndex: index) else { continue }
                    if property.isAttribute {
                        try state.setAttribute(object, property, value)
                    } else {
                        let destination = try value.objectIDValue.map { (id) throws(PinviewError) in try state.object(with: id) }
                        try state.setToOne(object, property, destination)
                    }
                }
            } catch {
                throw failure(candidate.row, error)
            }
        }
    }

    /// Validates attributes and the relationships that were set. The program may complete new
    /// objects before the save, which validates the rest.
    private func validate() throws(PinviewError) {
        var errors: [PinviewError] = []
        for candidate in candidates where candidate.isNew || !candidate.values.isEmpty {
            guard let object = candidate.object else { continue }
            let properties = object.entity.properties.filter {
                candidate.values[$0.index] != nil || candidate.isNew && $0.isAttribute
            }
            for error in try state.validationErrors(of: object, properties: properties) {
                errors.append(candidate.isNew ? failure(candidate.row, error).with(affectedObjectIDs: []) : failure(candidate.row, error))
            }
        }
        try state.throwIfAny(errors)
    }
}
