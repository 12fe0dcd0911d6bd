import PinviewModel
import PinviewPredicates

/// One upsert. Everything is determined before anything changes, so that nearly all errors are
/// found in time; if a change fails nevertheless, all are undone.
///
///     rows ──convert──▶ keys ──look up──▶ candidates ──check other constraints──▶ apply ──validate──▶ result
final class UpsertPlan {
    private typealias Values = [(property: Property, value: Value)]

    /// An object of the result, and the values that it will have.
    private struct Candidate {
        /// Nil until a new object is made.
        var object: ManagedObject?
        let isNew: Bool
        let entity: Entity
        /// In the order of the model.
        private(set) var values: Values
        /// The last row that set values.
        var row: Int

        /// - Parameter object: nil for a new one.
        init(_ object: ManagedObject?, _ entity: Entity, _ values: Values, row: Int) {
            self.object = object
            self.entity = entity
            self.values = values
            self.row = row
            isNew = object == nil
        }

        /// Where the value of a property is or belongs, and whether it is there.
        private func place(of index: Int) -> (place: Int, isGiven: Bool) {
            let place = partitionPoint(values.count) { values[$0].property.index < index }
            return (place, place < values.count && values[place].property.index == index)
        }

        /// The value that it is given; nil if it keeps its own.
        func value(at index: Int) -> Value? {
            let (place, isGiven) = place(of: index)
            guard isGiven else { return nil }
            return values[place].value
        }

        mutating func set(_ property: Property, _ value: Value) {
            let (place, isGiven) = place(of: property.index)
            if isGiven { values[place].value = value } else { values.insert((property, value), at: place) }
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
        var keys = UpsertKeys(capacity: values.count)
        let numbers = try values.indices.map { (row) throws(PinviewError) -> Int? in
            let key = try key(ofRow: row, values[row])
            return key.hasNull ? nil : keys.add(key)
        }
        let places = try plan(values, numbers, keys, try state.objects(having: keys, of: constraint))
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

    /// The rows' values, in the order of the model.
    private func converted(_ rows: some UpsertedRows) throws(PinviewError) -> [Values] {
        var result: [Values] = []
        result.reserveCapacity(rows.count)
        for row in 0..<rows.count {
            do throws(PinviewError) {
                var values = try rows.values(row)
                for index in values.indices {
                    let property = values[index].property
                    try Self.requireSettable(property)
                    values[index].value = state.permanent(try property.convert(values[index].value))
                }
                if zip(values, values.dropFirst()).contains(where: { $0.property.index > $1.property.index }) {
                    values.sort { $0.property.index < $1.property.index }
                }
                result.append(values)
            } catch {
                throw failure(row, error)
            }
        }
        return result
    }

    /// The row's values of the constraint.
    private func key(ofRow row: Int, _ values: Values) throws(PinviewError) -> UpsertKey {
        try UpsertKey(constraint) { (property) throws(PinviewError) in
            if let value = values.first(where: { $0.property === property })?.value { return value }
            throw failure(
                row, PinviewError(.invalidArgument, "It lacks '\(property.name)', a property of the constraint. Pass a value or null."))
        }
    }

    // MARK: Planning

    /// - Parameters:
    ///   - numbers: the number of each row's key; nil if one of its values is null.
    ///   - existing: the object of each key, by its number.
    private func plan(
        _ rows: [Values], _ numbers: [Int?], _ keys: UpsertKeys, _ existing: [ManagedObject?]
    ) throws(PinviewError) -> [(candidate: Int, outcome: UpsertOutcome)] {
        var places: [(candidate: Int, outcome: UpsertOutcome)] = []
        places.reserveCapacity(rows.count)
        candidates.reserveCapacity(rows.count)
        var candidateOfKey = [Int?](repeating: nil, count: keys.list.count)
        for (row, values) in rows.enumerated() {
            let number = numbers[row]
            if let number {
                if let place = candidateOfKey[number] {
                    places.append((place, try update(place, row, values)))
                    continue
                }
                candidateOfKey[number] = candidates.count
                if let found = existing[number] {
                    guard found.entity.isKind(ofIndex: entity.index) else {
                        throw failure(
                            row,
                            conflict(
                                "The \(describe(constraint, keys.list[number])) is that of \(found.objectID.uriRepresentation), which "
                                    + "cannot become an object of \(entity.name).", found))
                    }
                    candidates.append(Candidate(found, found.entity, [], row: row))
                    places.append((candidates.count - 1, try update(candidates.count - 1, row, values)))
                    continue
                }
            }
            let given = insertedProperties.map { properties in values.filter { properties.contains($0.property.index) } } ?? values
            candidates.append(Candidate(nil, entity, given, row: row))
            places.append((candidates.count - 1, .created))
        }
        return places
    }

    /// Plans new values for an object that exists or is made for an earlier row.
    private func update(_ candidate: Int, _ row: Int, _ values: Values) throws(PinviewError) -> UpsertOutcome {
        var outcome = UpsertOutcome.unchanged
        for (property, value) in values where updatedProperties?.contains(property.index) ?? true {
            guard try self.value(property, candidates[candidate]) != value else { continue }
            candidates[candidate].set(property, value)
            candidates[candidate].row = row
            outcome = .updated
        }
        return outcome
    }

    /// The value that a candidate will have.
    private func value(_ property: Property, _ candidate: Candidate) throws(PinviewError) -> Value {
        if let value = candidate.value(at: property.index) { return value }
        guard let object = candidate.object else { return property.isAttribute ? property.defaultValue : .null }
        return try state.upsertedValue(property, of: object)
    }

    // MARK: Other constraints

    private func conflict(_ message: String, _ object: ManagedObject?) -> PinviewError {
        let error = PinviewError(.managedObjectConstraintMerge, message)
        return object.map { error.with(affectedObjectIDs: [$0.objectID]) } ?? error
    }

    private func describe(_ constraint: EntityConstraint, _ key: UpsertKey) -> String {
        zip(constraint.properties, key.values).map { "\($0.name) \($1)" }.joined(separator: ", ")
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
        var keys = UpsertKeys(capacity: candidates.count)
        // By the number of their key.
        var owners: [Int] = []
        var changed: Set<ObjectIdentifier> = []
        for (place, candidate) in candidates.enumerated() where candidate.entity.isKind(ofIndex: other.entity.index) {
            guard candidate.isNew || other.properties.contains(where: { candidate.value(at: $0.index) != nil }) else { continue }
            if let object = candidate.object { changed.insert(ObjectIdentifier(object)) }
            let key = try UpsertKey(other) { (property) throws(PinviewError) in try value(property, candidate) }
            if key.hasNull { continue }
            let number = keys.add(key)
            guard number == owners.count else {
                throw failure(
                    candidate.row,
                    conflict(
                        "Its \(describe(other, key)) is also that of row \(candidates[owners[number]].row + 1), which is another object. "
                            + "The upsert uses the constraint \(constraint.description), not \(other.description).", nil))
            }
            owners.append(place)
        }
        for (number, object) in try state.objects(having: keys, of: other).enumerated() {
            // An object that is about to change leaves its values to others.
            guard let object, case let candidate = candidates[owners[number]], candidate.object !== object,
                !changed.contains(ObjectIdentifier(object))
            else { continue }
            throw failure(
                candidate.row,
                conflict(
                    "Its \(describe(other, keys.list[number])) is that of \(object.objectID.uriRepresentation). The upsert uses the "
                        + "constraint \(constraint.description), not \(other.description).", object))
        }
    }

    // MARK: Changing

    private func apply() throws(PinviewError) {
        var bindings: [Int: EntityBinding] = [:]
        for place in candidates.indices {
            let candidate = candidates[place]
            do throws(PinviewError) {
                let object: ManagedObject
                if let known = candidate.object {
                    object = known
                } else {
                    let binding = bindings[candidate.entity.index] ?? state.binding(candidate.entity, storeNumber: -1)
                    bindings[candidate.entity.index] = binding
                    object = try state.insertNewObject(candidate.entity, binding)
                    candidates[place].object = object
                }
                for (given, value) in candidate.values {
                    // Of its own entity, which may be a sub-entity of the upsert's.
                    guard let property = object.property(atIndex: given.index) else { continue }
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
            let attributes = candidate.isNew ? object.entity.attributes : []
            let given = candidate.values.compactMap { value in
                candidate.isNew && value.property.isAttribute ? nil : object.property(atIndex: value.property.index)
            }
            let properties = given.isEmpty ? attributes : (attributes + given).sorted { $0.index < $1.index }
            for error in try state.validationErrors(of: object, properties: properties) {
                errors.append(candidate.isNew ? failure(candidate.row, error).with(affectedObjectIDs: []) : failure(candidate.row, error))
            }
        }
        try state.throwIfAny(errors)
    }
}
