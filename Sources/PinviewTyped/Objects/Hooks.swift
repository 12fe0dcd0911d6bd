import Pinview

// Each hook has a protocol of its own: a type pays for those that it conforms to only, and a method
// whose name is misspelt does not compile. `ManagedObjectModel.bind(_:)` finds them. Sub-entities
// inherit each hook that they do not have themselves. What hooks may do is said at `EntityHooks`.

/// A typed object that is told of its insertion; see ``EntityHooks/awakeFromInsert``.
public protocol AwakesFromInsert: TypedObject {
    func awakeFromInsert() throws
}

/// A typed object that is told when its values were read; see ``EntityHooks/awakeFromFetch``.
public protocol AwakesFromFetch: TypedObject {
    func awakeFromFetch() throws
}

/// A typed object that is told before it is deleted; see ``EntityHooks/prepareForDeletion``.
public protocol PreparesForDeletion: TypedObject {
    func prepareForDeletion() throws
}

/// A typed object that is told before it is saved; see ``EntityHooks/willSave``.
public protocol HearsOfSaves: TypedObject {
    func willSave() throws
    func didSave()
}

extension HearsOfSaves {
    public func willSave() throws {}
    public func didSave() {}
}

/// A typed object that is told when it becomes a fault; see ``EntityHooks/willTurnIntoFault``.
public protocol HearsOfFaults: TypedObject {
    func willTurnIntoFault()
    func didTurnIntoFault()
}

extension HearsOfFaults {
    public func willTurnIntoFault() {}
    public func didTurnIntoFault() {}
}

/// A typed object with rules beyond those of the model, checked before it is written; see
/// ``EntityHooks/validateForInsert``.
public protocol Validatable: TypedObject {
    /// Checks a new object and one with changes.
    func validate() throws
}

/// A typed object with rules for its deletion; see ``EntityHooks/validateForDelete``.
public protocol ValidatableForDeletion: TypedObject {
    func validateForDelete() throws
}

/// A typed object with rules for single properties.
public protocol HasValidators: TypedObject {
    static var validators: [PropertyValidator<Self>] { get }
}

/// A rule for one property, called once the value satisfies the model; see
/// ``EntityHooks/validateProperty``.
public struct PropertyValidator<Object: TypedObject>: Sendable {
    let name: String
    let check: @Sendable (Object, Value) throws -> Void

    /// - Parameter check: throws if the value is invalid. Called with the placeholder for null.
    public init<V: AttributeValue>(_ attribute: AttributeKey<V>, _ check: @escaping @Sendable (Object, V) throws -> Void) {
        name = attribute.name
        self.check = { object, value in
            if let typed = V(attributeValue: value) {
                try check(object, typed)
            } else if value.isNull {
                try check(object, attribute.placeholder)
            } else {
                throw object.unfit(value, attribute.name, "\(V.self)")
            }
        }
    }
}

extension EntityHooks {
    /// The hooks of a type; nil if it has none.
    init?(of type: any TypedObject.Type) {
        self.init()
        if let type = type as? any AwakesFromInsert.Type {
            awakeFromInsert = { try type.init(managedObject: $0).awakeFromInsert() }
        }
        if let type = type as? any AwakesFromFetch.Type {
            awakeFromFetch = { try type.init(managedObject: $0).awakeFromFetch() }
        }
        if let type = type as? any PreparesForDeletion.Type {
            prepareForDeletion = { try type.init(managedObject: $0).prepareForDeletion() }
        }
        if let type = type as? any HearsOfSaves.Type {
            willSave = { try type.init(managedObject: $0).willSave() }
            didSave = { type.init(managedObject: $0).didSave() }
        }
        if let type = type as? any HearsOfFaults.Type {
            willTurnIntoFault = { type.init(managedObject: $0).willTurnIntoFault() }
            didTurnIntoFault = { type.init(managedObject: $0).didTurnIntoFault() }
        }
        if let type = type as? any Validatable.Type {
            validateForInsert = { try type.init(managedObject: $0).validate() }
            validateForUpdate = validateForInsert
        }
        if let type = type as? any ValidatableForDeletion.Type {
            validateForDelete = { try type.init(managedObject: $0).validateForDelete() }
        }
        if let type = type as? any HasValidators.Type { validateProperty = Self.checks(of: type) }
        let hasNotices = didSave != nil || willTurnIntoFault != nil
        let hooks = [awakeFromInsert, awakeFromFetch, prepareForDeletion, willSave, validateForInsert, validateForDelete]
        if !hasNotices, validateProperty.isEmpty, hooks.allSatisfy({ $0 == nil }) { return nil }
    }

    private static func checks<T: HasValidators>(of type: T.Type) -> [String: PropertyCheck] {
        var checks: [String: PropertyCheck] = [:]
        for validator in type.validators {
            let former = checks[validator.name]
            checks[validator.name] = { object, value in
                try former?(object, value)
                try validator.check(T(managedObject: object), value)
            }
        }
        return checks
    }
}
