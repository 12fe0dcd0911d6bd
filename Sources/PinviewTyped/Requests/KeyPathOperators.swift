import Pinview

// Comparisons of key paths, for conditions outside of a closure: `.where(\.age > 3)`.

/// An attribute of a type or of a to-one relationship's destination: `\.age`, `\.employer.name`.
public typealias AttributeKeyPath<Root: TypedObject, V: AttributeValue> = KeyPath<ObjectPath<Root, Root>, AttributePath<Root, V>>

public func == <Root, V>(keyPath: AttributeKeyPath<Root, V>, value: V?) -> Condition<Root> { ObjectPath()[keyPath: keyPath] == value }
public func != <Root, V>(keyPath: AttributeKeyPath<Root, V>, value: V?) -> Condition<Root> { ObjectPath()[keyPath: keyPath] != value }
public func < <Root, V: Comparable>(keyPath: AttributeKeyPath<Root, V>, value: V) -> Condition<Root> {
    ObjectPath()[keyPath: keyPath] < value
}
public func <= <Root, V: Comparable>(keyPath: AttributeKeyPath<Root, V>, value: V) -> Condition<Root> {
    ObjectPath()[keyPath: keyPath] <= value
}
public func > <Root, V: Comparable>(keyPath: AttributeKeyPath<Root, V>, value: V) -> Condition<Root> {
    ObjectPath()[keyPath: keyPath] > value
}
public func >= <Root, V: Comparable>(keyPath: AttributeKeyPath<Root, V>, value: V) -> Condition<Root> {
    ObjectPath()[keyPath: keyPath] >= value
}
