import Pinview

/// A managed object whose properties have names and types that the compiler knows.
///
/// A typed object is a structure that holds a ``ManagedObject`` and nothing else: making one
/// allocates nothing, two of the same record are equal, and the object itself is always at hand as
/// `managedObject`. `swift run pinview-generate` writes the types of a model.
///
/// ```swift
/// let ada = try Person(in: context)
/// ada.name = "Ada"
/// ada.employer = company
/// ```
///
/// **Failures.** Properties cannot throw. Reading one that fails gives the placeholder of its key
/// (nil, for an optional one), and setting one that fails changes nothing; the context's next save
/// throws the failure (``ManagedObjectContext/propertyFailure``). ``value(of:)`` and
/// ``set(_:to:)`` throw at once.
public protocol TypedObject: Hashable, Sendable, CustomStringConvertible {
    /// The entity's name in the model; by default, the type's.
    static var entityName: String { get }
    /// The type of the parent entity; nil for a root entity.
    static var superentity: (any TypedObject.Type)? { get }
    /// Whether only sub-entities have objects.
    static var isAbstract: Bool { get }
    /// The entity's own properties, without inherited ones.
    static var properties: [any PropertyDeclaration] { get }
    /// Uniqueness constraints, for a model that is made of the types.
    static var uniquenessConstraints: [[String]] { get }

    /// The object itself.
    var managedObject: ManagedObject { get }
    /// For an object that is known to be of the entity; ``init(_:)`` checks that. A structure with
    /// no other stored property has this initializer by itself.
    init(managedObject: ManagedObject)
}

extension TypedObject {
    public static var entityName: String { "\(Self.self)" }
    public static var superentity: (any TypedObject.Type)? { nil }
    public static var isAbstract: Bool { false }
    public static var uniquenessConstraints: [[String]] { [] }

    /// A new object in a context, with the entity's default values.
    public init(in context: ManagedObjectContext) throws(PinviewError) {
        self.init(managedObject: try context.insertNewObject(forEntityName: Self.entityName))
    }

    /// A new object in a context. If the body throws, there is no object.
    public init(in context: ManagedObjectContext, setting body: (Self) throws(PinviewError) -> Void) throws(PinviewError) {
        try self.init(in: context)
        do throws(PinviewError) {
            try body(self)
        } catch {
            try context.delete(managedObject)
            throw error
        }
    }

    /// The object as this type; nil if it is of an entity that is neither this type's nor one of
    /// its sub-entities.
    public init?(_ object: ManagedObject) {
        guard object.entity.isKind(ofEntityNamed: Self.entityName) else { return nil }
        self.init(managedObject: object)
    }

    /// The object as another type of its hierarchy; nil if it is not of that entity.
    public func cast<T: TypedObject>(to type: T.Type) -> T? { T(managedObject) }

    /// The object's ID.
    public var objectID: ManagedObjectID { managedObject.objectID }
    /// The context; nil once it has ended.
    public var managedObjectContext: ManagedObjectContext? { managedObject.managedObjectContext }
    /// Whether the object's values are not loaded.
    public var isFault: Bool { managedObject.isFault }
    /// Whether the next save deletes the object.
    public var isDeleted: Bool { managedObject.isDeleted }
    /// Whether the next save inserts the object.
    public var isInserted: Bool { managedObject.isInserted }
    /// Whether the object has unsaved changes.
    public var hasChanges: Bool { managedObject.hasChanges }
    public var description: String { managedObject.description }

    /// Marks the object for deletion at the next save of its context.
    public func delete() throws(PinviewError) {
        guard let context = managedObjectContext else {
            throw PinviewError(.contextGone, "\(Self.entityName) \(objectID) cannot be deleted: its context has ended.")
        }
        try context.delete(managedObject)
    }

    // MARK: Properties

    /// An attribute. Never throws; see ``TypedObject``.
    @inlinable
    public subscript<V: AttributeValue>(_ attribute: AttributeKey<V>) -> V {
        get {
            do throws(PinviewError) {
                return try value(of: attribute)
            } catch {
                managedObject.notePropertyFailure(error)
                return attribute.placeholder
            }
        }
        nonmutating set {
            do throws(PinviewError) {
                try managedObject.setAttributeValue(newValue.pinviewValue, for: attribute.key)
            } catch {
                managedObject.notePropertyFailure(error)
            }
        }
    }

    /// The destination of a to-one relationship. Never throws; see ``TypedObject``.
    @inlinable
    public subscript<T: TypedObject>(_ relationship: ToOneKey<T>) -> T? {
        get {
            do throws(PinviewError) {
                return try value(of: relationship)
            } catch {
                managedObject.notePropertyFailure(error)
                return nil
            }
        }
        nonmutating set {
            do throws(PinviewError) {
                try set(relationship, to: newValue)
            } catch {
                managedObject.notePropertyFailure(error)
            }
        }
    }

    /// The members of a to-many relationship.
    @inlinable
    public subscript<T: TypedObject>(_ relationship: ToManyKey<T>) -> Related<T> {
        get { Related(of: managedObject, relationship.key) }
        nonmutating set { newValue.assign(to: managedObject, relationship.key) }
    }

    /// The members of an ordered to-many relationship.
    @inlinable
    public subscript<T: TypedObject>(_ relationship: OrderedToManyKey<T>) -> OrderedRelated<T> {
        get { OrderedRelated(of: managedObject, relationship.key) }
        nonmutating set { newValue.assign(to: managedObject, relationship.key) }
    }

    // MARK: Properties, throwing

    /// The value of an attribute: `try person.value(of: Person.Keys.name)`.
    ///
    /// - Throws: what reading throws; `wrongType` for a stored value that the type cannot hold,
    ///   such as a raw value that the enumeration lacks.
    @inlinable
    public func value<V: AttributeValue>(of attribute: AttributeKey<V>) throws(PinviewError) -> V {
        let stored = try managedObject.attributeValue(for: attribute.key)
        if let value = V(attributeValue: stored) { return value }
        if case .null = stored { return attribute.placeholder }
        throw unfit(stored, attribute.name, "\(V.self)")
    }

    /// The destination of a to-one relationship; nil if there is none.
    @inlinable
    public func value<T: TypedObject>(of relationship: ToOneKey<T>) throws(PinviewError) -> T? {
        guard let object = try managedObject.relatedObject(for: relationship.key) else { return nil }
        return T(managedObject: object)
    }

    /// Sets an attribute.
    @inlinable
    public func set<V: AttributeValue>(_ attribute: AttributeKey<V>, to value: V) throws(PinviewError) {
        try managedObject.setAttributeValue(value.pinviewValue, for: attribute.key)
    }

    /// Sets a to-one relationship and its inverse.
    public func set<T: TypedObject>(_ relationship: ToOneKey<T>, to destination: T?) throws(PinviewError) {
        try managedObject.setRelatedObject(destination?.managedObject, forKey: relationship.name)
    }

    @usableFromInline
    func unfit(_ value: Value, _ name: String, _ type: String) -> PinviewError {
        let message = "\(Self.entityName).\(name) is \(value), which is not a value of \(type)."
        return PinviewError(.wrongType, message).with(affectedObjectIDs: [objectID])
    }
}
