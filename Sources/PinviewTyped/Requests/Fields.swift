import Pinview

/// A typed object whose keys are members of a structure, so that paths find them by name without a
/// declaration for each: what the macro `@Managed` makes.
public protocol HasFields: TypedObject {
    associatedtype Fields: Sendable
    static var fields: Fields { get }
}

extension ObjectPath where Target: HasFields {
    public subscript<V: AttributeValue>(dynamicMember key: KeyPath<Target.Fields, AttributeKey<V>>) -> AttributePath<Root, V.Base> {
        self[Target.fields[keyPath: key]]
    }
    public subscript<T: TypedObject>(dynamicMember key: KeyPath<Target.Fields, ToOneKey<T>>) -> ObjectPath<Root, T> {
        self[Target.fields[keyPath: key]]
    }
    public subscript<T: TypedObject>(dynamicMember key: KeyPath<Target.Fields, ToManyKey<T>>) -> ToManyPath<Root, T> {
        self[Target.fields[keyPath: key]]
    }
    public subscript<T: TypedObject>(dynamicMember key: KeyPath<Target.Fields, OrderedToManyKey<T>>) -> ToManyPath<Root, T> {
        self[Target.fields[keyPath: key]]
    }
}

/// A typed object that has the properties of another one, its parent, without a declaration for
/// each: what the macro `@Managed(superentity:)` makes.
@dynamicMemberLookup
public protocol Subentity: TypedObject {
    associatedtype Superentity: TypedObject
}

extension Subentity {
    /// The object as the parent's type.
    public var asSuperentity: Superentity { Superentity(managedObject: managedObject) }

    /// A property of the parent.
    public subscript<V>(dynamicMember property: KeyPath<Superentity, V>) -> V { asSuperentity[keyPath: property] }
    /// A property of the parent that can be set.
    public subscript<V>(dynamicMember property: ReferenceWritableKeyPath<Superentity, V>) -> V {
        get { asSuperentity[keyPath: property] }
        nonmutating set { asSuperentity[keyPath: property] = newValue }
    }
}

/// A key of the kind that a property's type needs, for generated code.
extension PropertyKey {
    public static func typed<V: AttributeValue>(_ name: String, _ type: V.Type, default value: V) -> AttributeKey<V> {
        AttributeKey(name, default: value)
    }

    public static func typed<V: AttributeValue>(_ name: String, _ type: V?.Type) -> AttributeKey<V?> { AttributeKey(name) }

    public static func typed<T: TypedObject>(
        _ name: String, _ type: T?.Type, inverse: String? = nil, deleteRule: DeleteRule = .nullify
    ) -> ToOneKey<T> {
        ToOneKey(name, inverse: inverse, deleteRule: deleteRule)
    }

    public static func typed<T: TypedObject>(
        _ name: String, _ type: Related<T>.Type, inverse: String? = nil, deleteRule: DeleteRule = .nullify
    ) -> ToManyKey<T> {
        ToManyKey(name, inverse: inverse, deleteRule: deleteRule)
    }

    public static func typed<T: TypedObject>(
        _ name: String, _ type: OrderedRelated<T>.Type, inverse: String? = nil, deleteRule: DeleteRule = .nullify
    ) -> OrderedToManyKey<T> {
        OrderedToManyKey(name, inverse: inverse, deleteRule: deleteRule)
    }
}
