import PinviewGenerations
import PinviewModel
import PinviewStore
import Synchronization

/// One record in one context (`NSManagedObject`).
///
/// An object is a *fault* until one of its properties is read: it has an ID but no values. A record
/// has only one object in a context; equality is identity.
///
/// Threads: `objectID` and `entity` may be read, and objects released, on any thread. Everything
/// else is serialised with the blocks of the object's context; objects of a main-queue context
/// belong to the main thread.
///
/// An object does not keep its context alive. Once the context has ended, every property throws
/// `contextGone`.
public final class ManagedObject: Hashable, CustomStringConvertible, @unchecked Sendable {
    // Mutable state belongs to the context's queue; the key is also guarded by the context's
    // registry lock. There may be a million objects, so one takes 40 bytes, which the allocator
    // serves from units of 48.
    //
    //      0 ┌──────────────────────────────┐
    //        │ header of the Swift object   │
    //     16 ├──────────────────────────────┤
    //        │ primaryKey                   │
    //     24 ├──────────────────────────────┤
    //        │ storage: see ObjectStorage   │
    //     32 ├────────────┬─────┬───────────┴──┐
    //        │ …, 3 bytes │flags│ bindingNumber│
    //     40 └────────────┴─────┴──────────────┘
    private(set) var primaryKey: Int64
    @exclusivity(unchecked) private var storage: ObjectStorage
    var flags: ObjectFlags
    private let bindingNumber: Atomic<UInt32>

    /// For the context's state, which counts its objects so as to outlive them.
    init(binding: EntityBinding, primaryKey: Int64, flags: ObjectFlags) {
        self.primaryKey = primaryKey
        self.flags = flags
        storage = ObjectStorage()
        bindingNumber = Atomic(binding.number)
    }

    /// A fault with a prefetched row. The caller has retained the block and counted the object in
    /// the row cache.
    init(binding: EntityBinding, primaryKey: Int64, block: Unmanaged<RowBlock>, row: Int) {
        self.primaryKey = primaryKey
        flags = .fault
        storage = ObjectStorage(.block(block), row: row, [.row, .isCounted])
        bindingNumber = Atomic(binding.number)
    }

    /// A new object with its entity's initial values.
    init(newOf binding: EntityBinding, primaryKey: Int64, changeSequence: UInt64) {
        self.primaryKey = primaryKey
        flags = .inserted
        storage = ObjectStorage(.extras(.passRetained(ObjectExtras.make(newLike: binding.slotsOfNewObjects, changeSequence))))
        bindingNumber = Atomic(binding.number)
    }

    /// A new object with the values of a row of ``NewRows``. The caller has retained the block, and
    /// notes the object as inserted.
    init(newOf binding: EntityBinding, primaryKey: Int64, block: Unmanaged<RowBlock>, row: Int) {
        self.primaryKey = primaryKey
        flags = .inserted
        storage = ObjectStorage(.newRow(block), row: row, .isNotedAsInserted)
        bindingNumber = Atomic(binding.number)
    }

    deinit {
        unmanagedBinding._withUnsafeGuaranteedRef { binding in
            if storage.has(.isCounted) { binding.rowCache?.unregister(binding.key(primaryKey)) }
            let references = storage.references
            let state = binding.unmanagedState
            // First of all, since a thread with the registry's lock may read the row as long as the
            // object is in its table.
            let isLast = state._withUnsafeGuaranteedRef { $0.registry.objectWasReleased(self, binding, storage.link) }
            references.release()
            // The binding is deallocated with the state.
            if isLast { state.release() }
        }
    }

    // MARK: Identity

    /// The object's binding, which lives as long as the object.
    @inline(__always)
    var binding: EntityBinding { unmanagedBinding._withUnsafeGuaranteedRef { $0 } }

    @inline(__always)
    var unmanagedBinding: Unmanaged<EntityBinding> { EntityBindings.binding(bindingNumber.load(ordering: .acquiring)) }

    @inline(__always)
    func hasBinding(_ binding: EntityBinding) -> Bool { bindingNumber.load(ordering: .relaxed) == binding.number }

    @inline(__always)
    func hasSameBinding(as other: ManagedObject) -> Bool {
        bindingNumber.load(ordering: .relaxed) == other.bindingNumber.load(ordering: .relaxed)
    }

    /// The binding, without counting a reference.
    @inline(__always)
    private func withBinding<R>(_ body: (EntityBinding) -> R) -> R {
        unmanagedBinding._withUnsafeGuaranteedRef(body)
    }

    var state: ContextState { withBinding { $0.state } }

    /// Whether a context's state is the object's, without counting references.
    @inline(__always)
    func belongs(to state: ContextState) -> Bool {
        withBinding { $0.unmanagedState.toOpaque() == Unmanaged.passUnretained(state).toOpaque() }
    }

    /// The object's entity; for an object known only by its ID, that of the ID.
    public var entity: Entity { withBinding { $0.entity } }

    var key: ObjectKey { withBinding { $0.key(primaryKey) } }

    /// The entity's property at an index; nil if there is none.
    func property(atIndex index: Int) -> Property? { withBinding { $0.property(at: index)?.takeUnretainedValue() } }

    /// Changes the object's key. Requires the registry's lock.
    func setKey(_ primaryKey: Int64, binding: EntityBinding) {
        self.primaryKey = primaryKey
        bindingNumber.store(binding.number, ordering: .releasing)
    }

    /// The object's global identity: temporary until its first save or `obtainPermanentIDs`, then
    /// permanent. May be read on any thread, even after the context has ended.
    public var objectID: ManagedObjectID { state.objectID(of: self) }

    /// The context; nil once it has ended.
    public var managedObjectContext: ManagedObjectContext? { state.publicContext }

    /// The entity's model; nil if the context never had a coordinator.
    package var managedObjectModel: ManagedObjectModel? { state.coordinator?.managedObjectModel }

    public static func == (left: ManagedObject, right: ManagedObject) -> Bool { left === right }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    /// The entity, the ID, and the values if they are loaded. Does not fire a fault.
    public var description: String {
        "<\(entity.name) \(objectID.uriRepresentation)\(isFault ? " fault" : "")>"
    }

    // MARK: State

    /// Whether the values are not loaded. Does not fire the fault.
    public var isFault: Bool { state.isFault(self) }
    /// Whether the object is new and has not been saved.
    public var isInserted: Bool { state.flags(of: self).contains(.inserted) }
    /// Whether the object is stored and has unsaved changes.
    public var isUpdated: Bool { state.flags(of: self).contains(.updated) }
    /// Whether the next save will delete the object.
    public var isDeleted: Bool { state.flags(of: self).contains(.deleted) }
    /// Whether the object is inserted, updated or deleted.
    public var hasChanges: Bool { !state.flags(of: self).isDisjoint(with: [.inserted, .updated, .deleted]) }

    /// Any object of the program's own to keep with this one. Refreshing leaves it alone.
    public var userData: AnyObject? {
        get { state.readOnQueue { extrasIfAny?.rareIfAny?.userData } }
        set {
            let old = state.onQueueAlways { () -> AnyObject? in
                let old = extrasIfAny?.rareIfAny?.userData
                if newValue != nil || old != nil { extras.rareExtras.userData = newValue }
                return old
            }
            // Off the queue, since releasing it may use this context and others.
            withExtendedLifetime(old) {}
        }
    }

    // MARK: Contents

    /// Replaces the contents with others, whose references the object takes over. Releases the old
    /// ones last, since that may call back here.
    private func setContents(_ new: ObjectStorage.Contents) {
        let old = storage.references, link = storage.link
        storage.put(new)
        if let link { state.registry.removeLink(link) }
        old.release()
    }

    @inline(__always)
    var link: LinkPool.Link? { storage.link }

    /// The row block of an object without extras.
    @inline(__always)
    var plainBlock: Unmanaged<RowBlock>? { storage.blockWithoutExtras }

    /// The block of the object's values, and the number of its row there, if they are loaded and the
    /// object has nothing else.
    @inline(__always)
    var valuesAlone: (block: Unmanaged<RowBlock>, row: Int)? {
        guard let block = storage.blockOfRow, flags.isDisjoint(with: [.invalidated, .fault]) else { return nil }
        return (block, storage.row)
    }

    @inline(__always)
    var extrasIfAny: ObjectExtras? { storage.extras?.takeUnretainedValue() }

    @inline(__always)
    var hasExtras: Bool { storage.hasExtras }

    /// The extras of an object that has some.
    @inline(__always)
    var unmanagedExtras: Unmanaged<ObjectExtras>? { storage.extras }

    /// The extras, made at the first use. The object owns them.
    @inline(__always)
    private var extras: ObjectExtras { (unmanagedExtras ?? makeExtras()).takeUnretainedValue() }

    @inline(never)
    private func makeExtras() -> Unmanaged<ObjectExtras> {
        if let block = storage.newRow { return makeExtras(fromNewRowOf: block) }
        // The extras take over the object's reference to its block.
        let extras = ObjectExtras.make(storage.block?.takeRetainedValue())
        if storage.block != nil { storage.put(.nothing) }
        if let link {
            extras.block = link.pointee.block.takeUnretainedValue()
            extras.setSlot(link.pointee.property, .toOne(link.pointee.destination.takeUnretainedValue()), of: self)
        }
        if storage.has(.hasNoMembers) {
            for index in binding.toManyIndexes { extras.setSlot(index, .noMembers, of: self) }
            storage.set(.hasNoMembers, false)
        }
        if let siblings { extras.rareExtras.siblings = siblings }
        let made = Unmanaged.passRetained(extras)
        setContents(.extras(made))
        return made
    }

    /// Gives a new object a slot for each property, with the values of its row of ``NewRows``.
    private func makeExtras(fromNewRowOf block: Unmanaged<RowBlock>) -> Unmanaged<ObjectExtras> {
        let row = storage.row
        let extras = ObjectExtras.make(
            newLike: binding.slotsOfNewObjects, block._withUnsafeGuaranteedRef { $0.newObjectSequence(row: row) })
        block._withUnsafeGuaranteedRef { rows in
            rows.eachValueOfNewObject(row: row) { property, isGiven, value in
                guard isGiven, !value.isNull || !property.defaultValue.isNull else { return }
                extras.setValue(property.index, value, isChanged: !value.isNull, of: self)
            }
        }
        let made = Unmanaged.passRetained(extras)
        setContents(.extras(made))
        return made
    }

    /// The values of a new object to which nothing has happened since it was inserted together with
    /// others: its row among ``NewRows``.
    @inline(__always)
    var newRow: (block: Unmanaged<RowBlock>, number: Int)? { storage.newRow.map { ($0, storage.row) } }

    /// The slot that a property of a new object would have.
    private func slot(_ index: Int, ofNewRowIn block: Unmanaged<RowBlock>) -> PropertySlot {
        guard let property = property(atIndex: index) else { return .unloaded }
        guard property.isAttribute else { return property.isToMany ? .noMembers : .unloaded }
        let value = block._withUnsafeGuaranteedRef { $0.value(row: Int32(truncatingIfNeeded: storage.row), of: property) }
        return value.isNull && property.defaultValue.isNull ? .unloaded : .value(value)
    }

    /// Runs a body with the object's row, or a fault's prefetched row; nil if there is none.
    @inline(__always)
    private func withRow<R>(_ body: (RowBlock, Int32) -> R) -> R? {
        guard storage.has(.row) else { return nil }
        let row = Int32(truncatingIfNeeded: storage.row)
        if let block = plainBlock { return block._withUnsafeGuaranteedRef { body($0, row) } }
        return unmanagedExtras?._withUnsafeGuaranteedRef { extras in extras.block.map { body($0, row) } }
    }

    /// The committed row, unretained; the object keeps its block.
    @inline(__always)
    var unmanagedRow: (block: Unmanaged<RowBlock>, number: Int)? {
        guard storage.has(.row), !flags.contains(.fault) else { return nil }
        if let plainBlock { return (plainBlock, storage.row) }
        return unmanagedExtras?._withUnsafeGuaranteedRef { $0.unmanagedBlock }.map { ($0, storage.row) }
    }

    /// The committed row of an object that has nothing else and whose relationships nobody has
    /// read.
    @inline(__always)
    var rowWithoutExtras: (block: Unmanaged<RowBlock>, number: Int)? {
        guard storage.isRowAlone, !flags.contains(.fault), let block = storage.block else { return nil }
        return (block, storage.row)
    }

    /// Whether the object refers to no other objects.
    var refersToNoObjects: Bool { storage.hasNoSlots && storage.siblings == nil }

    /// The committed values, one store up.
    var committed: CommittedRow {
        get {
            if flags.contains(.fault) { return .none }
            if let row = withRow({ CommittedRow.stored(RowSnapshot(block: $0, row: $1)) }) { return row }
            return extrasIfAny?.rareIfAny?.provided.map { .provided($0) } ?? .none
        }
        set {
            switch newValue {
            case .none: setRow(nil)
            case .stored(let row):
                setRow(row)
                if let rare = extrasIfAny?.rareIfAny { rare.provided = nil }
            case .provided(let row):
                setRow(nil)
                extras.rareExtras.provided = row
            }
            state.noteReferences(of: self)
        }
    }

    private func setRow(_ new: RowSnapshot?) {
        guard let new else {
            storage.set(.row, false)
            switch storage.contents {
            case .nothing, .siblings, .newRow: break
            case .block: setContents(.nothing)
            case .link: extras.block = nil
            case .extras(let extras):
                extras._withUnsafeGuaranteedRef { extras in
                    extras.block = nil
                    if let rare = extras.rareIfAny { rare.provided = nil }
                }
            }
            return
        }
        if storage.hasExtrasOrNewRow {
            extras.block = new.block
        } else if let link {
            let old = link.pointee.block
            link.pointee.block = .passRetained(new.block)
            old.release()
        } else {
            setContents(.block(.passRetained(new.block)))
        }
        storage.row = Int(new.row)
        storage.set(.row)
    }

    /// The row that a fault was fetched with; it may be used if it fits the context's generation.
    var prefetchedRow: RowSnapshot? {
        flags.contains(.fault) ? withRow { RowSnapshot(block: $0, row: $1) } : nil
    }

    /// The number of the committed or prefetched row in its block.
    @inline(__always)
    var rowNumber: Int? { storage.has(.row) ? storage.row : nil }

    /// The block of a committed or prefetched row, for an object without extras.
    @inline(__always)
    var prefetchedBlock: Unmanaged<RowBlock>? { flags.contains(.invalidated) || !storage.has(.row) ? nil : plainBlock }

    func setPrefetchedRow(_ row: RowSnapshot) { if flags.contains(.fault) { setRow(row) } }

    /// Gives a fault, which usually has no contents yet, its prefetched row.
    @inline(__always)
    func setPrefetchedRow(_ block: Unmanaged<RowBlock>, row number: Int) {
        guard storage.isEmpty else {
            return setRow(block._withUnsafeGuaranteedRef { RowSnapshot(block: $0, row: Int32(truncatingIfNeeded: number)) })
        }
        storage.put(.block(block.retain()))
        storage.row = number
        storage.set(.row)
    }

    func committedValue(of property: Property) -> Value { committedValue(of: .passUnretained(property)) }

    /// A committed value, read without making a row snapshot.
    @inline(__always)
    func committedValue(of property: Unmanaged<Property>) -> Value {
        if flags.contains(.fault) { return .null }
        if let value = withRow({ block, row in property._withUnsafeGuaranteedRef { block.value(row: row, of: $0) } }) { return value }
        return unmanagedExtras?._withUnsafeGuaranteedRef { extras in
            extras.rareIfAny?.provided?.values[property._withUnsafeGuaranteedRef { $0.index }]
        } ?? .null
    }

    /// Objects that were fetched together with this one, or are members of the same relationship.
    var siblings: FaultBatch? {
        get {
            if let siblings = storage.siblings { return siblings.takeUnretainedValue() }
            return extrasIfAny?.rareIfAny?.siblings
        }
        set {
            if storage.canHoldSiblings {
                setContents(newValue.map { .siblings(.passRetained($0)) } ?? .nothing)
            } else if newValue != nil || extrasIfAny?.rareIfAny?.siblings != nil {
                extras.rareExtras.siblings = newValue
            }
        }
    }

    /// Drops the row, but keeps the block to know which rows were read with it.
    func becomeFault() {
        flags.insert(.fault)
        storage.set(.row, false)
        storage.set(.isShownAsMember)
        if let rare = extrasIfAny?.rareIfAny { rare.provided = nil }
    }

    /// The block with the object's row, and the object's row number in it. Its other rows were read
    /// with the object's own if it `wasReadTogether`.
    var companions: (block: RowBlock, row: Int)? {
        if let block = plainBlock { return (block.takeUnretainedValue(), storage.row) }
        return extrasIfAny?.block.map { ($0, storage.row) }
    }

    /// Whether the row cache counts the object, and therefore keeps its row.
    var isCountedInRowCache: Bool {
        get { storage.has(.isCounted) }
        set { storage.set(.isCounted, newValue) }
    }

    // MARK: Changes

    /// Whether the context's event has the object as updated.
    @inline(__always)
    var isNotedAsUpdated: Bool {
        get { storage.has(.isNotedAsUpdated) }
        set { storage.set(.isNotedAsUpdated, newValue) }
    }

    /// Whether the context's event has the object as inserted.
    @inline(__always)
    var isNotedAsInserted: Bool {
        get { storage.has(.isNotedAsInserted) }
        set { storage.set(.isNotedAsInserted, newValue) }
    }

    /// Whether the object was shown as a member of a relationship while it was a fault.
    var isShownAsMember: Bool {
        get { storage.has(.isShownAsMember) }
        set { storage.set(.isShownAsMember, newValue) }
    }

    /// Whether the object is, or was, a member of a relationship without an inverse.
    var isMemberWithoutInverse: Bool {
        get { storage.has(.isMemberWithoutInverse) }
        set { storage.set(.isMemberWithoutInverse, newValue) }
    }

    /// The properties that differ from their committed values.
    var changed: PropertySet {
        get { storage.extras?._withUnsafeGuaranteedRef { $0.changed } ?? changedInNewRow }
        set { if storage.hasExtrasOrNewRow || !newValue.isEmpty { extras.changed = newValue } }
    }

    /// The properties of a new object that were given; none for other objects without extras.
    private var changedInNewRow: PropertySet {
        guard let block = storage.newRow else { return PropertySet() }
        return PropertySet(firstIndexes: block._withUnsafeGuaranteedRef { $0.changesOfNewObject(row: storage.row) })
    }

    /// Notes whether a property differs from its committed value. In place, unlike changing
    /// `changed`.
    func setChanged(_ index: Int, _ isChanged: Bool) {
        guard isChanged || storage.hasExtrasOrNewRow else { return }
        (unmanagedExtras ?? makeExtras())._withUnsafeGuaranteedRef { $0.changed.set(index, isChanged) }
    }

    func forgetChanges() {
        guard storage.hasExtrasOrNewRow else { return }
        (unmanagedExtras ?? makeExtras())._withUnsafeGuaranteedRef { extras in
            extras.changed.removeAll()
            extras.changeSequence = 0
        }
    }

    var changeSequence: UInt64 {
        get {
            if let extras = storage.extras { return extras._withUnsafeGuaranteedRef { $0.changeSequence } }
            return storage.newRow?._withUnsafeGuaranteedRef { $0.newObjectSequence(row: storage.row) } ?? 0
        }
        set {
            if newValue != 0 || storage.hasExtrasOrNewRow {
                (unmanagedExtras ?? makeExtras())._withUnsafeGuaranteedRef { $0.changeSequence = newValue }
            }
        }
    }

    var transientBaseline: [Int: Value] {
        get { extrasIfAny?.rareIfAny?.transientBaseline ?? [:] }
        set { if !newValue.isEmpty || extrasIfAny?.rareIfAny != nil { extras.rareExtras.transientBaseline = newValue } }
    }

    var assignedStore: (any IncrementalStore)? {
        get { extrasIfAny?.rareIfAny?.assignedStore }
        set { extras.rareExtras.assignedStore = newValue }
    }

    var isChangedInMemory: Bool {
        if let extras = storage.extras { return extras._withUnsafeGuaranteedRef { !$0.changed.isEmpty } }
        return storage.newRow != nil && !changedInNewRow.isEmpty
    }

    // MARK: Slots

    /// The slot of a property, by property index followed by fetched properties.
    @inline(__always)
    func slot(_ index: Int) -> PropertySlot {
        if let extras = storage.extras { return extras._withUnsafeGuaranteedRef { $0.slot(index) } }
        return storage.hasNoSlots ? .unloaded : slotWithoutExtras(index)
    }

    @inline(never)
    private func slotWithoutExtras(_ index: Int) -> PropertySlot {
        if let link, link.pointee.property == index { return .toOne(link.pointee.destination.takeUnretainedValue()) }
        if let block = storage.newRow { return slot(index, ofNewRowIn: block) }
        return storage.has(.hasNoMembers) && withBinding({ $0.isToMany(index) }) ? .noMembers : .unloaded
    }

    /// Sets an attribute, and notes whether it differs from its committed value.
    func setValue(_ index: Int, _ value: __owned Value, isChanged: Bool) {
        (unmanagedExtras ?? makeExtras())._withUnsafeGuaranteedRef { $0.setValue(index, value, isChanged: isChanged, of: self) }
    }

    /// Sets an attribute of a new object that is null so far to a non-null value.
    ///
    /// - Returns: false, changing nothing, in all other cases.
    @inline(__always)
    func fillEmpty(_ index: Int, _ value: Value) -> Bool {
        guard flags.contains(.inserted), !storage.has(.row), let extras = unmanagedExtras else { return false }
        return extras._withUnsafeGuaranteedRef { $0.fillEmpty(index, value) }
    }

    func setSlot(_ index: Int, _ slot: __owned PropertySlot) {
        if case .unloaded = slot, !storage.hasExtrasOrNewRow, !storage.has(.hasNoMembers) {
            if let link, link.pointee.property == index { dropLink() }
            return
        }
        switch slot {
        case .toOne(let destination?): state.noteReference(of: self, index, destination)
        case .toMany, .noMembers: state.noteOwner(self, index)
        case .unloaded, .value, .toOne: break
        }
        (unmanagedExtras ?? makeExtras())._withUnsafeGuaranteedRef { $0.setSlot(index, slot, of: self) }
    }

    /// The number of properties and fetched properties.
    var slotCount: Int {
        let entity = binding.entity
        return entity.properties.count + entity.fetchedProperties.count
    }

    /// Replaces the link by its block.
    private func dropLink() { if let block = plainBlock { setContents(.block(block.retain())) } }

    var hasSlots: Bool { link != nil || storage.has(.hasNoMembers) || storage.newRow != nil || extrasIfAny?.hasSlots ?? false }

    /// Whether the object has nothing but its row.
    var hasRowAlone: Bool { storage.hasNoSlots }

    var allSlots: ObjectExtras.Slots {
        get {
            if storage.has(.hasNoMembers) || storage.newRow != nil { return extras.allSlots }
            if let link { return ObjectExtras.Slots(link.pointee.property, .toOne(link.pointee.destination.takeUnretainedValue())) }
            return extrasIfAny?.allSlots ?? ObjectExtras.Slots()
        }
        @inline(never)
        set {
            storage.set(.hasNoMembers, false)
            if link != nil { dropLink() }
            if storage.hasExtrasOrNewRow || !newValue.isEmpty { extras.allSlots = newValue }
        }
    }

    @inline(never)
    func commitSlots(dropsValues: Bool) {
        if storage.hasExtrasOrNewRow, extras.hasSlots { extras.commitSlots(binding, dropsValues: dropsValues) }
    }

    func dropSlots() { allSlots = ObjectExtras.Slots() }

    /// The contents of a to-many relationship, made at the first use.
    func toManyContents(_ property: Property) -> ToManyContents {
        let slot = slot(property.index)
        if case .toMany(let contents) = slot { return contents }
        let contents = ToManyContents(isOrdered: property.isOrdered)
        if case .noMembers = slot { contents.load([]) }
        setSlot(property.index, .toMany(contents))
        return contents
    }

    /// Notes the destination of a to-one relationship that was read.
    func setDestination(_ index: Int, _ destination: ManagedObject) {
        guard storage.has(.row), let plainBlock = storage.block else { return setSlot(index, .toOne(destination)) }
        takeLink(state.registry.makeLink(plainBlock, destination, index))
    }

    /// Replaces the block by a link, which takes over the reference to it.
    @inline(__always)
    func takeLink(_ link: LinkPool.Link) {
        storage.put(.link(link))
    }

    /// Whether anything is loaded. Relationships of a fault can be.
    var hasAnythingLoaded: Bool { !flags.contains(.fault) || hasSlots }

    /// Makes a row just written the committed one, and pending values committed.
    ///
    /// - Parameters:
    ///   - block: retained for the object, unless the result is false.
    ///   - replaced: takes over a block that the object does not need any more.
    /// - Returns: false, changing nothing, for a fault and for an object without extras or with
    ///   uncommon ones.
    @inline(__always)
    func commit(onRetained block: Unmanaged<RowBlock>, row: Int, _ replaced: inout SharedReleases<RowBlock>) -> Bool {
        guard !flags.contains(.fault) else { return false }
        if let old = storage.newRow {
            // Its relationships have no members yet.
            if unmanagedBinding._withUnsafeGuaranteedRef({ !$0.toManyIndexes.isEmpty }) { storage.set(.hasNoMembers) }
            storage.put(.block(block))
            replaced.add(old)
            return becomeCommitted(row)
        }
        guard let extras = storage.extras else { return false }
        let afterCommit = unmanagedBinding._withUnsafeGuaranteedRef { binding in extras._withUnsafeGuaranteedRef { $0.commit(binding) } }
        guard let afterCommit else { return false }
        if afterCommit == .needed {
            extras._withUnsafeGuaranteedRef { $0.setBlock(block) }
            block.release()
        } else {
            storage.put(.block(block))
            if afterCommit == .withoutMembers { storage.set(.hasNoMembers) }
            extras.release()
        }
        return becomeCommitted(row)
    }

    @inline(__always)
    private func becomeCommitted(_ row: Int) -> Bool {
        storage.row = row
        storage.set(.row)
        flags.subtract([.inserted, .updated])
        return true
    }

    /// Releases extras that hold nothing but a row.
    func dropEmptyExtras() {
        guard let extras = extrasIfAny, !extras.hasSlots, extras.changed.isEmpty, extras.changeSequence == 0, extras.rareIfAny == nil
        else { return }
        setContents(extras.block.map { .block(.passRetained($0)) } ?? .nothing)
    }
}
