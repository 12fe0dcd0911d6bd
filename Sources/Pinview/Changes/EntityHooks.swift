import PinviewModel

/// Callbacks at turning points in the life of an entity's objects: the methods of `NSManagedObject`
/// that subclasses override.
///
/// ```swift
/// var hooks = EntityHooks()
/// hooks.awakeFromFetch = { person in
///     let first = try person.value(forKey: "firstName", as: String.self) ?? ""
///     let last = try person.value(forKey: "lastName", as: String.self) ?? ""
///     try person.setValue("\(first) \(last)", forKey: "fullName")
/// }
/// try model.setHooks(hooks, forEntityNamed: "Person")
/// ```
///
/// **Sub-entities.** An entity inherits each hook that is nil from its nearest ancestor that has
/// one. Its own hook replaces the ancestor's, as an overriding method does; to extend it, call it:
/// `employeeHooks.willSave = { try personHooks.willSave?($0); … }`.
///
/// **What a hook may do.** It runs synchronously on the context's queue, on the thread of the call
/// that caused it, and may read and change the object, other objects and the context, even if that
/// calls hooks again. During a save it cannot save, undo, redo, roll back or reset that context;
/// ``awakeFromFetch`` and the two hooks about turning into a fault are limited further. An error
/// that it throws is thrown by the call that caused it; any error but a `PinviewError` becomes the
/// `programError` of one.
public struct EntityHooks: Sendable {
    /// A hook that may throw; called with the object on its context's queue.
    public typealias Hook = @Sendable (ManagedObject) throws -> Void
    /// A hook that cannot throw; called with the object on its context's queue.
    public typealias Notice = @Sendable (ManagedObject) -> Void
    /// A check of a property: called with the object and the value, it throws if the value is
    /// invalid.
    public typealias PropertyCheck = @Sendable (ManagedObject, Value) throws -> Void

    /// Called after the program has inserted the object, with default values set. What it changes
    /// is part of the insertion. An error undoes the insertion. Not called for objects that a child
    /// passes to its parent, nor by undo and redo.
    public var awakeFromInsert: Hook?

    /// Called after a fault was filled, before the access that fired it returns, and after
    /// `refresh(_:mergeChanges: true)` has given the object new values. Attributes that it sets do
    /// not count as changed and cannot be undone. It cannot change relationships, insert, delete,
    /// refresh or save. After a refresh, transient attributes and local changes are restored. An
    /// error leaves the object a fault.
    public var awakeFromFetch: Hook?

    /// Called before the object is marked as deleted, with its relationships still in place. An
    /// error prevents the deletion. Not called for inaccessible faults, for deletions that are
    /// merged or undone, nor for what a child passes to its parent.
    public var prepareForDeletion: Hook?

    /// Called before a save, for each inserted, updated and deleted object, and again for those
    /// that hooks have changed since. What it changes is saved. A hook that changes something in
    /// every call fails the save after 1,000 rounds. An error fails the save.
    public var willSave: Hook?

    /// Called after a save has written the object, before the did-save notification. What it
    /// changes is part of the next save.
    public var didSave: Notice?

    /// Called before the object's values are dropped because it becomes a fault. They can still be
    /// read; values set are dropped too. Not called when the object is deallocated or its context
    /// is reset.
    public var willTurnIntoFault: Notice?

    /// Called after the object became a fault. Reading a property would fire it again.
    public var didTurnIntoFault: Notice?

    /// Called in a save, for each new object, after the rules of the model. Like all validation it
    /// must not change anything. Errors are reported together with those of the model, in one error
    /// of the save. Not called for inaccessible faults.
    public var validateForInsert: Hook?
    /// Like ``validateForInsert``, for a stored object with changes.
    public var validateForUpdate: Hook?
    /// Like ``validateForInsert``, for an object that the save would delete, together with the
    /// delete rule `deny`.
    public var validateForDelete: Hook?

    /// Checks of single properties, by name, called once the value satisfies the model: for all
    /// properties of a new object, for the changed ones of a stored object. They get the
    /// attribute's value, the ID of a to-one relationship's destination, or the number of members.
    public var validateProperty: [String: PropertyCheck] = [:]

    /// Makes hooks that do nothing; set the ones needed.
    public init() {}
}

extension ManagedObjectModel {
    /// Sets the hooks of an entity; nil removes them. They cannot be changed once a coordinator
    /// uses the model.
    ///
    /// - Throws: `unknownEntity`, `unknownKey` for a check of a property that the entity lacks,
    ///   `invalidArgument` when the model is in use.
    public func setHooks(_ hooks: EntityHooks?, forEntityNamed name: String) throws(PinviewError) {
        let entity = try requireEntity(named: name)
        for key in (hooks?.validateProperty.keys).map({ $0.sorted() }) ?? [] where entity.property(named: key) == nil {
            throw PinviewError.unknownKey(key, of: entity)
        }
        guard attachments.set(hooks.map(HookBox.init), forEntityIndex: entity.index) else {
            throw PinviewError(
                .invalidArgument,
                "The hooks of \(name) cannot be set: a coordinator already uses the model. Set them before making the coordinator."
            )
        }
    }
}

/// The hooks of one entity as they were set.
private final class HookBox: Sendable {
    let hooks: EntityHooks
    init(_ hooks: EntityHooks) { self.hooks = hooks }
}

/// The effective hooks of an entity, including inherited ones.
final class ResolvedHooks: Sendable {
    let hooks: EntityHooks
    /// By property index.
    let propertyChecks: [Int: EntityHooks.PropertyCheck]

    init(_ hooks: EntityHooks, _ entity: Entity) {
        self.hooks = hooks
        var checks: [Int: EntityHooks.PropertyCheck] = [:]
        for (name, check) in hooks.validateProperty {
            if let property = entity.property(named: name) { checks[property.index] = check }
        }
        propertyChecks = checks
    }
}

/// The hooks of all entities of a model in use, by entity index.
struct HookTable: Sendable {
    let entities: [ResolvedHooks?]

    /// Nil if no entity has hooks.
    init?(_ model: ManagedObjectModel) {
        let own = model.attachments.close()
        guard !own.isEmpty else { return nil }
        // Entities come after their ancestors.
        var resolved: [ResolvedHooks?] = []
        for entity in model.entities {
            let inherited = entity.superentityIndex.flatMap { $0 < resolved.count ? resolved[$0] : nil }
            if let hooks = (own[entity.index] as? HookBox)?.hooks {
                resolved.append(ResolvedHooks(hooks.inheriting(inherited?.hooks), entity))
            } else {
                resolved.append(inherited)
            }
        }
        entities = resolved
    }
}

extension EntityHooks {
    fileprivate func inheriting(_ parent: EntityHooks?) -> EntityHooks {
        guard let parent else { return self }
        var result = self
        result.awakeFromInsert = awakeFromInsert ?? parent.awakeFromInsert
        result.awakeFromFetch = awakeFromFetch ?? parent.awakeFromFetch
        result.prepareForDeletion = prepareForDeletion ?? parent.prepareForDeletion
        result.willSave = willSave ?? parent.willSave
        result.didSave = didSave ?? parent.didSave
        result.willTurnIntoFault = willTurnIntoFault ?? parent.willTurnIntoFault
        result.didTurnIntoFault = didTurnIntoFault ?? parent.didTurnIntoFault
        result.validateForInsert = validateForInsert ?? parent.validateForInsert
        result.validateForUpdate = validateForUpdate ?? parent.validateForUpdate
        result.validateForDelete = validateForDelete ?? parent.validateForDelete
        result.validateProperty = parent.validateProperty.merging(validateProperty) { $1 }
        return result
    }
}
