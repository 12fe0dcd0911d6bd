import Pinview

/// The values of an object at one moment, without the object and its context.
///
/// A snapshot never changes and may be passed to any thread or task. It knows the ID of its object,
/// with which another context can find it.
///
/// ```swift
/// let snapshot = try person.snapshot()
/// Task.detached { print(snapshot.name ?? "", snapshot.cars.count) }
/// ```
@dynamicMemberLookup
public struct ObjectSnapshot<T: TypedObject>: Hashable, Sendable, CustomStringConvertible {
    /// The object's ID: temporary, if the object had not been saved.
    public let objectID: ManagedObjectID
    /// The entity's name, which may be that of a sub-entity of the type's.
    public let entityName: String
    /// The values of all attributes, by name.
    public let values: [String: Value]
    /// The IDs of the objects of each relationship that the snapshot includes, by name.
    public let relatedIDs: [String: [ManagedObjectID]]

    init(_ object: ManagedObject, relationships: Bool) throws(PinviewError) {
        entityName = object.entity.name
        var values: [String: Value] = [:], related: [String: [ManagedObjectID]] = [:]
        for property in object.entity.attributes { values[property.name] = try object.attributeValue(forKey: property.name) }
        if relationships {
            for property in object.entity.relationships {
                if property.isToMany {
                    related[property.name] = try object.relatedObjects(forKey: property.name).map(\.objectID)
                } else {
                    related[property.name] = try object.relatedObject(forKey: property.name).map { [$0.objectID] } ?? []
                }
            }
        }
        objectID = object.objectID
        self.values = values
        relatedIDs = related
    }

    /// An attribute; nil for null.
    public subscript<V: AttributeValue>(dynamicMember attribute: KeyPath<ObjectPath<T, T>, AttributePath<T, V>>) -> V? {
        let keys = ObjectPath<T, T>()[keyPath: attribute].steps.keys
        guard keys.count == 1, let value = values[keys[0]] else { return nil }
        return V(attributeValue: value)
    }

    /// An attribute; the placeholder of its key for null and for a value that the type cannot hold.
    public subscript<V: AttributeValue>(_ attribute: AttributeKey<V>) -> V {
        values[attribute.name].flatMap(V.init(attributeValue:)) ?? attribute.placeholder
    }

    /// The ID of a to-one relationship's destination; nil if there is none, or if the snapshot has
    /// no relationships.
    public subscript<D: TypedObject>(_ relationship: ToOneKey<D>) -> ManagedObjectID? { relatedIDs[relationship.name]?.first }

    /// The IDs of a to-many relationship's members; empty if the snapshot has no relationships.
    public subscript<D: TypedObject>(_ relationship: ToManyKey<D>) -> [ManagedObjectID] { relatedIDs[relationship.name] ?? [] }

    /// The IDs of an ordered relationship's members, in order; empty if the snapshot has no
    /// relationships.
    public subscript<D: TypedObject>(_ relationship: OrderedToManyKey<D>) -> [ManagedObjectID] { relatedIDs[relationship.name] ?? [] }

    /// The ID of a to-one relationship's destination; nil if there is none, or if the snapshot has
    /// no relationships.
    public subscript<D: TypedObject>(dynamicMember relationship: KeyPath<ObjectPath<T, T>, ObjectPath<T, D>>) -> ManagedObjectID? {
        ids(ObjectPath<T, T>()[keyPath: relationship].steps).first
    }

    /// The IDs of a to-many relationship's members, in order if it is ordered; empty if the
    /// snapshot has no relationships.
    public subscript<D: TypedObject>(dynamicMember relationship: KeyPath<ObjectPath<T, T>, ToManyPath<T, D>>) -> [ManagedObjectID] {
        ids(ObjectPath<T, T>()[keyPath: relationship].steps)
    }

    private func ids(_ steps: Steps) -> [ManagedObjectID] { steps.keys.count == 1 ? relatedIDs[steps.keys[0]] ?? [] : [] }

    public var description: String {
        let texts = values.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        return "\(entityName)(\(texts.joined(separator: ", ")))"
    }
}

extension TypedObject {
    /// The object's values as they are now, unsaved changes included.
    ///
    /// - Parameter relationships: whether to include the IDs of related objects, which loads the
    ///   relationships.
    public func snapshot(relationships: Bool = true) throws(PinviewError) -> ObjectSnapshot<Self> {
        try ObjectSnapshot(managedObject, relationships: relationships)
    }
}

extension Sequence where Element: TypedObject {
    /// Snapshots of the objects, in order.
    public func snapshots(relationships: Bool = false) throws(PinviewError) -> [ObjectSnapshot<Element>] {
        var snapshots: [ObjectSnapshot<Element>] = []
        for object in self { snapshots.append(try object.snapshot(relationships: relationships)) }
        return snapshots
    }
}
