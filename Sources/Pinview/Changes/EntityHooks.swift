import PinviewModel

/// What the program wants to do at turning points in the life of an entity's objects (the methods
/// of `NSManagedObject` that a subclass overrides).
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
/// **Sub-entities.** An entity for which a hook is nil has that of the nearest ancestor that has
/// one; a hook of its own takes the place of the ancestor's, as an overriding method does. One that
/// wants to add to it calls it: `employeeHooks.willSave = { try personHooks.willSave?($0); … }`.
///
/// **What a hook may do.** It runs synchronously on the context's queue, on the thread of the call
/// that brings it about, and may read and change the object, other objects and the context, also
/// where that calls hooks again. Inside a save it cannot save, undo, redo, roll back or reset that
/// context; ``awakeFromFetch`` and the turning into a fault have limits of their own. An error that
/// it throws comes out of the call that brought it about; one that is no `PinviewError` is its
/// `programError`.
public struct EntityHooks: Sendable {
    public typealias Hook = @Sendable (ManagedObject) throws -> Void
    public typealias Notice = @Sendable (ManagedObject) -> Void
    public typealias PropertyCheck = @Sendable (ManagedObject, Value) throws -> Void

    /// After the program inserted the object, with its default values set. What it changes belongs
    /// to the insertion. An error takes the insertion back. Not called for what a child hands to
    /// its parent, nor by undo and redo.
    public var awakeFromInsert: Hook?

    /// After a fault was filled, before the access that fired it returns, and after
    /// `refresh(_:mergeChanges: true)` has given the object new values. Attributes that it sets do
    /// not count as changed, nothing of it is undone; it cannot change relationships, insert,
    /// delete, refresh or save. After a refresh, transient attributes and local changes are put
    /// back to what they were before. An error leaves the object a fault.
    public var awakeFromFetch: Hook?

    /// Before the object is marked as deleted, its relationships still in place. An error keeps it
    /// from being deleted. Not for inaccessible faults, for deletions that are merged or undone,
    /// nor for what a child hands to its parent.
    public var prepareForDeletion: Hook?

    /// Before a save, for each inserted, updated and deleted object, and again for those that hooks
    /// have changed since. What it changes is saved. A hook that changes something at every call
    /// never comes to an end: the save fails after 1000 rounds. An error fails the save.
    public var willSave: Hook?

    /// After the save has written the object, before the did-save notification. What it changes is
    /// for the next save.
    public var didSave: Notice?

    /// Before the object's values are dropped because it becomes a fault. They can still be read;
    /// what is set is dropped too. Not called when the object goes with its last reference or with
    /// a reset.
    public var willTurnIntoFault: Notice?

    /// After the object became a fault. Reading a property would fire it again.
    public var didTurnIntoFault: Notice?

    /// In a save, for a new object, after the rules of the model. Like every validation it must not
    /// change anything; each error that one throws is reported, together with those of the model,
    /// in one error of the save. Inaccessible faults are not validated.
    public var validateForInsert: Hook?
    /// As ``validateForInsert``, for a stored object with changes.
    public var validateForUpdate: Hook?
    /// As ``validateForInsert``, for an object that the save would remove, together with the rule
    /// deny.
    public var validateForDelete: Hook?

    /// By property: checks its value, once it satisfies the model. Called for all properties of a
    /// new object and for the changed ones of a stored one, with the attribute's value, the ID of a
    /// to-one relationship's destination, or the number of members.
    public var validateProperty: [String: PropertyCheck] = [:]

    public init() {}
}

extension ManagedObjectModel {
    /// Sets the hooks of an entity; nil takes them away. Once a coordinator has been made with the
    /// model its hooks stay.
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
                "The hooks of \(name) cannot be set: a coordinator uses the model already. Set them before it is made."
            )
        }
    }
}

/// The hooks of one entity as they were set.
private final class HookBox: Sendable {
    let hooks: EntityHooks
    init(_ hooks: EntityHooks) { self.hooks = hooks }
}

/// The hooks that an entity has, its ancestors' included.
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

    /// Nil when no entity has hooks.
    init?(_ model: ManagedObjectModel) {
        let own = model.attachments.close()
        guard !own.isEmpty else { return nil }
        // A parent stands before its children.
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
