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
