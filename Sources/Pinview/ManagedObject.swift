import PinviewGenerations
import PinviewModel
import PinviewStore

/// One record's object in one context (`NSManagedObject`).
///
/// An object is a *fault* until one of its properties is read: it has an ID but no values. Objects
/// are unique in their context; equality is identity.
///
/// Threads: `objectID`, `entity` and releasing an object are free everywhere. All else is serialised with the
/// blocks of the object's context; a main-queue context's objects are for the main thread.
///
/// An object does not keep its context alive: when the context is gone, every property gives
/// `contextGone`.
public final class ManagedObject: Hashable, CustomStringConvertible, @unchecked Sendable {
    // Mutable state is touched on the context's queue only; the key is guarded by the context's identity lock.
    let state: ContextState
    /// The object's entity; for an object known by its ID alone, the entity of the ID.
    public let entity: Entity
    var key: ObjectKey
    var flags: ObjectFlags
    var committed: CommittedRow = .none
    /// By property index, then the results of fetched properties; empty as long as nothing but the committed row is known.
    var slots: [PropertySlot] = []
    var changed = PropertySet()
    /// The values of transient properties that count as unchanged, by property index.
    var transientBaseline: [Int: Value] = [:]
    /// When the object joined the pending changes, to write inserts in the order in which they were made.
    var changeSequence: UInt64 = 0
    var assignedStore: SQLStore?
    /// What was fetched together with the object, for as long as it may be a fault.
    var siblings: Siblings?
    private var _programSlot: AnyObject?

    init(state: ContextState, entity: Entity, key: ObjectKey, flags: ObjectFlags) {
        self.state = state
        self.entity = entity
        self.key = key
        self.flags = flags
    }

    deinit {
        state.objectWasReleased(key)
    }

    // MARK: Identity

    /// The object's global identity: temporary until its first save or `obtainPermanentIDs`, then permanent.
    /// May be read on any thread and stays readable when the context is gone.
    public var objectID: ManagedObjectID { state.objectID(of: self) }

    /// The context, or nil when it has ended.
    public var managedObjectContext: ManagedObjectContext? { state.publicContext }

    /// The model that the entity belongs to; nil when the context never had a coordinator.
    package var managedObjectModel: ManagedObjectModel? { state.coordinator?.managedObjectModel }

    public static func == (left: ManagedObject, right: ManagedObject) -> Bool { left === right }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    /// The entity, the ID and what is known without firing a fault.
    public var description: String {
        "<\(entity.name) \(objectID.uriRepresentation)\(isFault ? " fault" : "")>"
    }

    // MARK: State

    /// Whether the values are not loaded. Does not fire the fault.
    public var isFault: Bool { state.flags(of: self).contains(.fault) }
    /// Whether the object is new and not saved yet.
    public var isInserted: Bool { state.flags(of: self).contains(.inserted) }
    /// Whether the object is stored and has uncommitted changes.
    public var isUpdated: Bool { state.flags(of: self).contains(.updated) }
    /// Whether the next save will remove the object.
    public var isDeleted: Bool { state.flags(of: self).contains(.deleted) }
    /// Whether the object is inserted, updated or deleted.
    public var hasChanges: Bool { !state.flags(of: self).isDisjoint(with: [.inserted, .updated, .deleted]) }

    /// A place for whatever the program wants to keep with the object. Refreshing leaves it alone (RFR-23).
    public var programSlot: AnyObject? {
        get { state.onQueueAlways { _programSlot } }
        set { state.onQueueAlways { _programSlot = newValue } }
    }

    // MARK: Slots

    func slot(_ index: Int) -> PropertySlot { index < slots.count ? slots[index] : .unloaded }

    func setSlot(_ index: Int, _ slot: PropertySlot) {
        if slots.isEmpty { slots = Array(repeating: .unloaded, count: entity.properties.count + entity.fetchedProperties.count) }
        slots[index] = slot
    }

    /// The contents of a to-many relationship, made at the first use.
    func toManyContents(_ property: Property) -> ToManyContents {
        if case .toMany(let contents) = slot(property.index) { return contents }
        let contents = ToManyContents(isOrdered: property.isOrdered)
        setSlot(property.index, .toMany(contents))
        return contents
    }

    var isChangedInMemory: Bool { !changed.isEmpty }

    /// A fault may have relationships that are loaded.
    var hasAnythingLoaded: Bool { !flags.contains(.fault) || !slots.isEmpty }
}
