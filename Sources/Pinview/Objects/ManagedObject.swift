import PinviewGenerations
import PinviewModel
import PinviewStore
import Synchronization

/// One record's object in one context (`NSManagedObject`).
///
/// An object is a *fault* until one of its properties is read: it has an ID but no values. Objects
/// are unique in their context; equality is identity.
///
/// Threads: `objectID`, `entity` and releasing an object are free everywhere. All else is
/// serialised with the blocks of the object's context; a main-queue context's objects are for the
/// main thread.
///
/// An object does not keep its context alive: when the context is gone, every property gives
/// `contextGone`.
public final class ManagedObject: Hashable, CustomStringConvertible, @unchecked Sendable {
    // Mutable state is touched on the context's queue only; the key is guarded by the context's
    // identity lock, too. There may be a million objects: all of this is 40 bytes, what the memory
    // allocator takes for a unit of 48.
    private(set) var primaryKey: Int64
    /// A block of rows, siblings, extras or a ``DestinationLink``, as `marks` says. The object's
    /// own; reading a value counts no references.
    private var contents: UnsafeMutableRawPointer?
    private let bindingNumber: Atomic<UInt32>
    /// The row's number in its block, which has 256 rows at the most.
    private var row: UInt8 = 0
    var flags: ObjectFlags
    private var marks: Marks = []

    /// What `contents` is, and what is known of it.
    private struct Marks: OptionSet {
        let rawValue: UInt16
        static let block = Marks(rawValue: 1)
        static let siblings = Marks(rawValue: 2)
        static let extras = Marks(rawValue: 4)
        static let link = Marks(rawValue: 32)
        static let kinds: Marks = [.block, .siblings, .extras, .link]
        /// The block, also that of extras or a link, has the object's row: the committed one, or
        /// for a fault one that it may take.
        static let row = Marks(rawValue: 8)
        /// The row cache counts the object.
        static let isCounted = Marks(rawValue: 16)
        /// The object is among those that the event of its context has updated.
        static let isNotedAsUpdated = Marks(rawValue: 64)
        /// The same of the inserted ones.
        static let isNotedAsInserted = Marks(rawValue: 128)
        /// Of an object without extras: its to-many relationships are loaded, and have no members,
        /// as when a new object was saved.
        static let hasNoMembers = Marks(rawValue: 256)
        /// Shown as a member of a relationship while it was a fault: when it gets values, these may
        /// lead elsewhere.
        static let isShownAsMember = Marks(rawValue: 512)
        /// A member of a relationship that has no inverse, or was one.
        static let isMemberWithoutInverse = Marks(rawValue: 1024)
    }

    /// For the context's state, which counts the objects that it is to outlive.
    init(binding: EntityBinding, primaryKey: Int64, flags: ObjectFlags) {
        self.primaryKey = primaryKey
        self.flags = flags
        bindingNumber = Atomic(binding.number)
    }

    /// A fault with a row at hand whose block the caller retains for it, counted in the row cache
    /// by the caller.
    init(binding: EntityBinding, primaryKey: Int64, block: Unmanaged<RowBlock>, row: Int) {
        self.primaryKey = primaryKey
        flags = .fault
        contents = block.toOpaque()
        self.row = UInt8(truncatingIfNeeded: row)
        marks = [.block, .row, .isCounted]
        bindingNumber = Atomic(binding.number)
    }

    /// A new object, with what an entity's objects begin with.
    init(newOf binding: EntityBinding, primaryKey: Int64, changeSequence: UInt64) {
        self.primaryKey = primaryKey
        flags = .inserted
        marks = .extras
        contents = Unmanaged.passRetained(ObjectExtras.make(newLike: binding.slotsOfNewObjects, changeSequence)).toOpaque()
        bindingNumber = Atomic(binding.number)
    }

    deinit {
        unmanagedBinding._withUnsafeGuaranteedRef { binding in
            if marks.contains(.isCounted) { binding.rowCache?.unregister(binding.key(primaryKey)) }
            let link = link, block = link?.pointee.block, destination = link?.pointee.destination
            let state = binding.unmanagedState
            // First: as long as the object stands in its table, whoever has the identity lock may
            // read its row.
            let isLast = state._withUnsafeGuaranteedRef { $0.objectWasReleased(self, binding, link) }
            if let block { block.release() } else { Self.release(contents) }
            destination?.release()
            // The binding goes with the state.
            if isLast { state.release() }
        }
    }

    // MARK: Identity

    /// What the object shares with others; it is there as long as the object.
    @inline(__always)
    var binding: EntityBinding { unmanagedBinding._withUnsafeGuaranteedRef { $0 } }

    @inline(__always)
    var unmanagedBinding: Unmanaged<EntityBinding> { EntityBindings.binding(bindingNumber.load(ordering: .acquiring)) }

    @inline(__always)
    func hasBinding(_ binding: EntityBinding) -> Bool { bindingNumber.load(ordering: .relaxed) == binding.number }

    /// The same without a count of references.
    @inline(__always)
    private func withBinding<R>(_ body: (EntityBinding) -> R) -> R {
        unmanagedBinding._withUnsafeGuaranteedRef(body)
    }

    var state: ContextState { withBinding { $0.state } }

    /// The object's entity; for an object known by its ID alone, the entity of the ID.
    public var entity: Entity { withBinding { $0.entity } }

    var key: ObjectKey { withBinding { $0.key(primaryKey) } }

    /// A property of the entity; nil for an index that it has none of.
    func property(atIndex index: Int) -> Property? { withBinding { $0.property(at: index)?.takeUnretainedValue() } }

    /// Gives the object another key, with the identity lock held.
    func setKey(_ primaryKey: Int64, binding: EntityBinding) {
        self.primaryKey = primaryKey
        bindingNumber.store(binding.number, ordering: .releasing)
    }

    /// The object's global identity: temporary until its first save or `obtainPermanentIDs`, then
    /// permanent. May be read on any thread and stays readable when the context is gone.
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
    public var isFault: Bool { state.isFault(self) }
    /// Whether the object is new and not saved yet.
    public var isInserted: Bool { state.flags(of: self).contains(.inserted) }
    /// Whether the object is stored and has uncommitted changes.
    public var isUpdated: Bool { state.flags(of: self).contains(.updated) }
    /// Whether the next save will remove the object.
    public var isDeleted: Bool { state.flags(of: self).contains(.deleted) }
    /// Whether the object is inserted, updated or deleted.
    public var hasChanges: Bool { !state.flags(of: self).isDisjoint(with: [.inserted, .updated, .deleted]) }

    /// A place for whatever the program wants to keep with the object. Refreshing leaves it alone.
    public var userData: AnyObject? {
        get { state.readOnQueue { extrasIfAny?.rareIfAny?.userData } }
        set {
            let old = state.onQueueAlways { () -> AnyObject? in
                let old = extrasIfAny?.rareIfAny?.userData
                if newValue != nil || old != nil { extras.rareExtras.userData = newValue }
                return old
            }
            // Off the queue: what goes with it may use this context and others.
            withExtendedLifetime(old) {}
        }
    }

    // MARK: Contents

    private static func release(_ contents: UnsafeMutableRawPointer?) {
        if let contents { Unmanaged<AnyObject>.fromOpaque(contents).release() }
    }

    /// Exchanges the contents; what was there goes last, since its end may lead back here.
    private func setContents(_ new: AnyObject?, _ kind: Marks) {
        let old = contents, link = link
        contents = new.map { Unmanaged.passRetained($0).toOpaque() }
        marks = marks.subtracting(.kinds).union(kind)
        guard let link else { return Self.release(old) }
        let (block, destination) = (link.pointee.block, link.pointee.destination)
        state.removeLink(link)
        block.release()
        destination.release()
    }

    /// The contents as what the marks say that they are.
    @inline(__always)
    private func contents<T: AnyObject>(_ kind: Marks, as type: T.Type) -> Unmanaged<T>? {
        guard marks.contains(kind), let contents else { return nil }
        return Unmanaged<T>.fromOpaque(contents)
    }

    @inline(__always)
    var link: LinkPool.Link? {
        marks.contains(.link) ? contents?.assumingMemoryBound(to: DestinationLink.self) : nil
    }

    /// The block of an object that has no extras.
    @inline(__always)
    var plainBlock: Unmanaged<RowBlock>? {
        if marks.contains(.link) { return link?.pointee.block }
        return contents(.block, as: RowBlock.self)
    }

    @inline(__always)
    var extrasIfAny: ObjectExtras? { contents(.extras, as: ObjectExtras.self)?.takeUnretainedValue() }

    @inline(__always)
    var hasExtras: Bool { marks.contains(.extras) }

    /// The extras, of an object that has some.
    @inline(__always)
    var unmanagedExtras: Unmanaged<ObjectExtras>? { contents(.extras, as: ObjectExtras.self) }

    /// The extras, made at the first use: the object has them.
    @inline(__always)
    private var extras: ObjectExtras { (unmanagedExtras ?? makeExtras()).takeUnretainedValue() }

    @inline(never)
    private func makeExtras() -> Unmanaged<ObjectExtras> {
        // They take over what the object has of its block.
        let extras = ObjectExtras.make(contents(.block, as: RowBlock.self)?.takeRetainedValue())
        if marks.contains(.block) { contents = nil }
        if let link {
            extras.block = link.pointee.block.takeUnretainedValue()
            extras.setSlot(link.pointee.property, .toOne(link.pointee.destination.takeUnretainedValue()), of: self)
        }
        if marks.contains(.hasNoMembers) {
            for index in binding.toManyIndexes { extras.setSlot(index, .noMembers, of: self) }
            marks.remove(.hasNoMembers)
        }
        if let siblings { extras.rareExtras.siblings = siblings }
        let made = Unmanaged.passUnretained(extras)
        setContents(extras, .extras)
        return made
    }

    /// Runs a body with the block of the object's row; nil where there is none. For a fault it is
    /// one that it may take.
    @inline(__always)
    private func withRow<R>(_ body: (RowBlock, Int32) -> R) -> R? {
        guard marks.contains(.row) else { return nil }
        if let block = plainBlock { return block._withUnsafeGuaranteedRef { body($0, Int32(row)) } }
        return unmanagedExtras?._withUnsafeGuaranteedRef { extras in extras.block.map { body($0, Int32(row)) } }
    }

    /// The committed row as one of a block, which the object keeps.
    @inline(__always)
    var unmanagedRow: (block: Unmanaged<RowBlock>, number: Int)? {
        guard marks.contains(.row), !flags.contains(.fault) else { return nil }
        if let plainBlock { return (plainBlock, Int(row)) }
        return unmanagedExtras?._withUnsafeGuaranteedRef { $0.unmanagedBlock }.map { ($0, Int(row)) }
    }

    /// The same of an object that has nothing besides, and whose relationships nobody has read.
    @inline(__always)
    var rowWithoutExtras: (block: Unmanaged<RowBlock>, number: Int)? {
        guard marks.contains([.row, .block]), !marks.contains(.hasNoMembers), !flags.contains(.fault),
            let block = contents(.block, as: RowBlock.self)
        else { return nil }
        return (block, Int(row))
    }

    /// Whether the object refers to no others.
    var refersToNoObjects: Bool { marks.isDisjoint(with: [.extras, .link, .siblings, .hasNoMembers]) }

    /// The values as they are committed one store up.
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
        }
    }

    private func setRow(_ new: RowSnapshot?) {
        guard let new else {
            marks.remove(.row)
            if let extras = extrasIfAny {
                extras.block = nil
                if let rare = extras.rareIfAny { rare.provided = nil }
            } else if marks.contains(.link) {
                extras.block = nil
            } else if marks.contains(.block) {
                setContents(nil, [])
            }
            return
        }
        row = UInt8(truncatingIfNeeded: new.row)
        if let extras = extrasIfAny {
            extras.block = new.block
        } else if let link {
            let old = link.pointee.block
            link.pointee.block = .passRetained(new.block)
            old.release()
        } else {
            setContents(new.block, .block)
        }
        marks.insert(.row)
    }

    /// The row that came with the object when it was fetched, for a fault to take if it is right
    /// for the context.
    var prefetchedRow: RowSnapshot? {
        flags.contains(.fault) ? withRow { RowSnapshot(block: $0, row: $1) } : nil
    }

    /// The number of the object's row, or of one that it may take as a fault, in its block.
    @inline(__always)
    var rowNumber: Int? { marks.contains(.row) ? Int(row) : nil }

    /// The block of that row, for an object that has no extras.
    @inline(__always)
    var prefetchedBlock: Unmanaged<RowBlock>? { flags.contains(.invalidated) || !marks.contains(.row) ? nil : plainBlock }

    func setPrefetchedRow(_ row: RowSnapshot) { if flags.contains(.fault) { setRow(row) } }

    /// The same for a fault, which as a rule has had nothing.
    @inline(__always)
    func setPrefetchedRow(_ block: Unmanaged<RowBlock>, row number: Int) {
        guard marks.isDisjoint(with: .kinds) else {
            return setRow(block._withUnsafeGuaranteedRef { RowSnapshot(block: $0, row: Int32(truncatingIfNeeded: number)) })
        }
        contents = block.retain().toOpaque()
        row = UInt8(truncatingIfNeeded: number)
        marks.formUnion([.block, .row])
    }

    func committedValue(of property: Property) -> Value { committedValue(of: .passUnretained(property)) }

    /// A committed value, without a copy of the row.
    @inline(__always)
    func committedValue(of property: Unmanaged<Property>) -> Value {
        if flags.contains(.fault) { return .null }
        if let value = withRow({ block, row in property._withUnsafeGuaranteedRef { block.value(row: row, of: $0) } }) { return value }
        return unmanagedExtras?._withUnsafeGuaranteedRef { extras in
            extras.rareIfAny?.provided?.values[property._withUnsafeGuaranteedRef { $0.index }]
        } ?? .null
    }

    /// What was fetched together with the object, or is a member of the same relationship.
    var siblings: Siblings? {
        get {
            if let siblings = contents(.siblings, as: Siblings.self) { return siblings.takeUnretainedValue() }
            return extrasIfAny?.rareIfAny?.siblings
        }
        set {
            if marks.isDisjoint(with: [.block, .extras, .link]) {
                setContents(newValue, newValue == nil ? [] : .siblings)
            } else if newValue != nil || extrasIfAny?.rareIfAny?.siblings != nil {
                extras.rareExtras.siblings = newValue
            }
        }
    }

    /// Forgets the row, but goes on to know what it was read with.
    func becomeFault() {
        flags.insert(.fault)
        marks.remove(.row)
        marks.insert(.isShownAsMember)
        if let rare = extrasIfAny?.rareIfAny { rare.provided = nil }
    }

    /// The block of the rows that were read with the object's own, and its number there.
    var companions: (block: RowBlock, row: Int)? {
        if let block = plainBlock { return (block.takeUnretainedValue(), Int(row)) }
        return extrasIfAny?.block.map { ($0, Int(row)) }
    }

    /// Whether the row cache counts the object among those whose rows it keeps.
    var isCountedInRowCache: Bool {
        get { marks.contains(.isCounted) }
        set { if newValue { marks.insert(.isCounted) } else { marks.remove(.isCounted) } }
    }

    // MARK: Changes

    /// Whether the context's event has the object among the updated ones.
    @inline(__always)
    var isNotedAsUpdated: Bool {
        get { marks.contains(.isNotedAsUpdated) }
        set { if newValue { marks.insert(.isNotedAsUpdated) } else { marks.remove(.isNotedAsUpdated) } }
    }

    /// The same of the inserted ones.
    @inline(__always)
    var isNotedAsInserted: Bool {
        get { marks.contains(.isNotedAsInserted) }
        set { if newValue { marks.insert(.isNotedAsInserted) } else { marks.remove(.isNotedAsInserted) } }
    }

    /// Whether the object was shown as a member of a relationship while it was a fault.
    var isShownAsMember: Bool {
        get { marks.contains(.isShownAsMember) }
        set { if newValue { marks.insert(.isShownAsMember) } else { marks.remove(.isShownAsMember) } }
    }

    /// Whether the object is, or was, a member of a relationship that has no inverse.
    var isMemberWithoutInverse: Bool {
        get { marks.contains(.isMemberWithoutInverse) }
        set { if newValue { marks.insert(.isMemberWithoutInverse) } else { marks.remove(.isMemberWithoutInverse) } }
    }

    /// The properties that differ from the committed ones.
    var changed: PropertySet {
        get { unmanagedExtras?._withUnsafeGuaranteedRef { $0.changed } ?? PropertySet() }
        set {
            if let extras = extrasIfAny { extras.changed = newValue } else if !newValue.isEmpty { extras.changed = newValue }
        }
    }

    /// Notes whether a property differs from the committed one; in place, which a change of
    /// `changed` is not.
    func setChanged(_ index: Int, _ isChanged: Bool) {
        guard isChanged || marks.contains(.extras) else { return }
        (unmanagedExtras ?? makeExtras())._withUnsafeGuaranteedRef { $0.changed.set(index, isChanged) }
    }

    func forgetChanges() {
        unmanagedExtras?._withUnsafeGuaranteedRef { extras in
            extras.changed.removeAll()
            extras.changeSequence = 0
        }
    }

    var changeSequence: UInt64 {
        get { contents(.extras, as: ObjectExtras.self)?._withUnsafeGuaranteedRef { $0.changeSequence } ?? 0 }
        set {
            if newValue != 0 || marks.contains(.extras) {
                (unmanagedExtras ?? makeExtras())._withUnsafeGuaranteedRef { $0.changeSequence = newValue }
            }
        }
    }

    var transientBaseline: [Int: Value] {
        get { extrasIfAny?.rareIfAny?.transientBaseline ?? [:] }
        set { if !newValue.isEmpty || extrasIfAny?.rareIfAny != nil { extras.rareExtras.transientBaseline = newValue } }
    }

    var assignedStore: SQLStore? {
        get { extrasIfAny?.rareIfAny?.assignedStore }
        set { extras.rareExtras.assignedStore = newValue }
    }

    var isChangedInMemory: Bool { unmanagedExtras.map { $0._withUnsafeGuaranteedRef { !$0.changed.isEmpty } } ?? false }

    // MARK: Slots

    /// By property index, then the results of fetched properties.
    @inline(__always)
    func slot(_ index: Int) -> PropertySlot {
        if let extras = contents(.extras, as: ObjectExtras.self) { return extras._withUnsafeGuaranteedRef { $0.slot(index) } }
        if let link, link.pointee.property == index { return .toOne(link.pointee.destination.takeUnretainedValue()) }
        return marks.contains(.hasNoMembers) && withBinding({ $0.isToMany(index) }) ? .noMembers : .unloaded
    }

    /// Gives an attribute a value, and notes whether it differs from the committed one.
    func setValue(_ index: Int, _ value: __owned Value, isChanged: Bool) {
        (unmanagedExtras ?? makeExtras())._withUnsafeGuaranteedRef { $0.setValue(index, value, isChanged: isChanged, of: self) }
    }

    /// Gives an attribute of a new object, which is null, a value that is not.
    ///
    /// - Returns: false in all other cases; nothing has been done then.
    @inline(__always)
    func fillEmpty(_ index: Int, _ value: Value) -> Bool {
        guard flags.contains(.inserted), !marks.contains(.row), let extras = unmanagedExtras else { return false }
        return extras._withUnsafeGuaranteedRef { $0.fillEmpty(index, value) }
    }

    func setSlot(_ index: Int, _ slot: __owned PropertySlot) {
        if case .unloaded = slot, marks.isDisjoint(with: [.extras, .hasNoMembers]) {
            if let link, link.pointee.property == index { dropLink() }
            return
        }
        (unmanagedExtras ?? makeExtras())._withUnsafeGuaranteedRef { $0.setSlot(index, slot, of: self) }
    }

    /// One for each property, stored or fetched.
    var slotCount: Int {
        let entity = binding.entity
        return entity.properties.count + entity.fetchedProperties.count
    }

    /// The object has no more than its block again.
    private func dropLink() { if let block = plainBlock { setContents(block.takeUnretainedValue(), .block) } }

    var hasSlots: Bool { !marks.isDisjoint(with: [.link, .hasNoMembers]) || extrasIfAny?.hasSlots ?? false }

    /// Whether the object has neither values of its own nor anything else besides its row.
    var hasRowAlone: Bool { marks.isDisjoint(with: [.extras, .link, .hasNoMembers]) }

    var allSlots: ObjectExtras.Slots {
        get {
            if marks.contains(.hasNoMembers) { return extras.allSlots }
            if let link { return ObjectExtras.Slots(link.pointee.property, .toOne(link.pointee.destination.takeUnretainedValue())) }
            return extrasIfAny?.allSlots ?? ObjectExtras.Slots()
        }
        set {
            marks.remove(.hasNoMembers)
            if marks.contains(.link) { dropLink() }
            if marks.contains(.extras) || !newValue.isEmpty { extras.allSlots = newValue }
        }
    }

    func commitSlots(dropsValues: Bool) {
        if let extras = extrasIfAny, extras.hasSlots { extras.commitSlots(binding, dropsValues: dropsValues) }
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
        guard marks.contains([.row, .block]), let plainBlock else { return setSlot(index, .toOne(destination)) }
        takeLink(state.makeLink(plainBlock, destination, index))
    }

    /// Takes a link, which has the object's part in its block, in place of the block.
    @inline(__always)
    func takeLink(_ link: LinkPool.Link) {
        contents = UnsafeMutableRawPointer(link)
        marks = marks.subtracting(.block).union(.link)
    }

    /// A fault may have relationships that are loaded.
    var hasAnythingLoaded: Bool { !flags.contains(.fault) || hasSlots }

    /// Makes a row that was just written the committed one, and what is pending committed, of an
    /// object with extras that are the usual ones.
    ///
    /// - Returns: false for all others; nothing has been done then.
    @inline(__always)
    func commit(on block: Unmanaged<RowBlock>, row: Int) -> Bool {
        guard let extras = unmanagedExtras, !flags.contains(.fault) else { return false }
        let afterCommit = unmanagedBinding._withUnsafeGuaranteedRef { binding in extras._withUnsafeGuaranteedRef { $0.commit(binding) } }
        guard let afterCommit else { return false }
        if afterCommit == .needed {
            extras._withUnsafeGuaranteedRef { $0.setBlock(block) }
        } else {
            contents = block.retain().toOpaque()
            marks = marks.subtracting(.kinds).union(afterCommit == .withoutMembers ? [.block, .hasNoMembers] : .block)
            extras.release()
        }
        self.row = UInt8(truncatingIfNeeded: row)
        marks.insert(.row)
        flags.subtract([.inserted, .updated])
        return true
    }

    /// Extras that hold no more than a row are given up.
    func dropEmptyExtras() {
        guard let extras = extrasIfAny, !extras.hasSlots, extras.changed.isEmpty, extras.changeSequence == 0, extras.rareIfAny == nil
        else { return }
        setContents(extras.block, extras.block == nil ? [] : .block)
    }
}
