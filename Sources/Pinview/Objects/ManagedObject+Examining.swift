import PinviewModel
import PinviewStore

/// What a property of an object holds, for somebody who examines a store.
public struct ExaminedValue: Hashable, Sendable {
    /// For people, and programs that read JSON; see ``Value/readable``. Objects are given as the
    /// URIs of their IDs.
    public let readable: JSONValue
    /// The value in the store's column, whatever the property's type: a date and a Boolean are
    /// numbers, a UUID is 16 bytes, a to-one relationship is a primary key. Data that the store
    /// keeps in a file of its own are the data. Null for a to-many relationship.
    public let raw: Value
    /// Whether the value is null, or without members, because the store has no such property: see
    /// ``PersistentStore/missing``.
    public let isMissing: Bool
}

extension ManagedObject {
    /// The value of a property, readable and raw. Fires a fault. A composite attribute as a whole
    /// has no raw value; its elements have.
    ///
    /// A value that has been changed and not saved is given as it would be stored.
    /// - Throws: `unknownKey`; `wrongType` for an unsaved value that its column could not hold.
    public func examine(_ key: String) throws(PinviewError) -> ExaminedValue {
        if let composite = entity.composite(named: key) { return try examine(composite) }
        let property = try property(forKey: key)
        return try read { (state) throws(PinviewError) in
            let isMissing = state.coordinator?.store(number: self.key.storeNumber)?.lacks(property, of: entity) ?? false
            if property.isToMany {
                let members = try state.toMany(self, property).members.map { JSONValue.string($0.objectID.uriRepresentation) }
                return ExaminedValue(readable: .array(members), raw: .null, isMissing: isMissing)
            }
            if property.isRelationship {
                let destination = try state.toOne(self, property)?.objectID
                return ExaminedValue(
                    readable: (destination.map { Value.objectID($0) } ?? .null).readable, raw: rawKey(property, destination),
                    isMissing: isMissing)
            }
            let value = try state.attributeValue(of: self, property)
            return ExaminedValue(readable: value.readable, raw: try rawValue(property, value), isMissing: isMissing)
        }
    }

    /// A composite attribute as a whole has no column.
    private func examine(_ composite: CompositeAttribute) throws(PinviewError) -> ExaminedValue {
        let values = try compositeValue(forKey: composite.name)
        let elements = values.map { values in values.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, $0.value.readable) } }
        return try read { (state) throws(PinviewError) in
            let store = state.coordinator?.store(number: self.key.storeNumber)
            let isMissing = composite.leaves.allSatisfy { store?.lacks($0, of: entity) ?? false }
            return ExaminedValue(readable: elements.map { .object($0) } ?? .null, raw: .null, isMissing: isMissing)
        }
    }

    private func rawKey(_ property: Property, _ destination: ManagedObjectID?) -> Value {
        if case .stored(let row) = committed, !changed.contains(property.index) { return row.cellValue(of: property) }
        guard let destination, !destination.isTemporaryID else { return .null }
        return .integer(destination.key.primaryKey)
    }

    private func rawValue(_ property: Property, _ value: Value) throws(PinviewError) -> Value {
        // The data themselves, not where they are.
        if property.cellKind == .externalBinary { return value }
        // A row written by another program can hold something that a value does not show, such as 2
        // for true.
        if case .stored(let row) = committed, value == row.value(of: property) { return row.cellValue(of: property) }
        return property.isTransient ? .null : try property.cellValue(for: value)
    }
}
