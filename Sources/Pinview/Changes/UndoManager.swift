import PinviewGenerations
import PinviewModel

/// One change of one object, as it can be taken back and applied again.
enum UndoAction {
    /// The object's entity has the property.
    case attribute(ManagedObject, Unmanaged<Property>, old: Value, new: Value)
    case toOne(ManagedObject, Property, old: ManagedObject?, new: ManagedObject?)
    case insertedMember(ManagedObject, Property, ManagedObject)
    case removedMember(ManagedObject, Property, ManagedObject, from: MemberPlace)
    case movedMember(ManagedObject, Property, ManagedObject, from: Int, to: Int)
    case inserted(ManagedObject)
    /// Several, one after the other: eight bytes for each, where an action has 64.
    case insertedRun(ObjectRun)
    case uninserted(ManagedObject)
    case deleted(ManagedObject)
    case deletedRun(ObjectRun)
    case undeleted(ManagedObject)
    /// What owners lose by the deletion of objects, whether anybody has seen it by now or not.
    case deferredRemovals(DeferredInverseRemovals)

    /// The objects that the change was made to.
    var objects: [ManagedObject] {
        switch self {
        case .attribute(let object, _, _, _), .toOne(let object, _, _, _), .insertedMember(let object, _, _),
            .removedMember(let object, _, _, _), .movedMember(let object, _, _, _, _), .inserted(let object), .uninserted(let object),
            .deleted(let object), .undeleted(let object):
            return [object]
        case .insertedRun(let run), .deletedRun(let run): return Array(run.objects)
        case .deferredRemovals(let lost): return lost.members
        }
    }

    /// The same change of all but some objects; nil where nothing is left.
    func without(_ gone: Set<ManagedObject>) -> UndoAction? {
        switch self {
        case .insertedRun(let run): return run.without(gone).map { .insertedRun($0) }
        case .deletedRun(let run): return run.without(gone).map { .deletedRun($0) }
        case .deferredRemovals(let lost):
            let members = lost.members.filter { !gone.contains($0) }
            return members.isEmpty ? nil : .deferredRemovals(DeferredInverseRemovals(members))
        default: return objects.contains(where: gone.contains) ? nil : self
        }
    }
}

/// Objects that were inserted, or deleted, one after the other.
final class ObjectRun {
    @exclusivity(unchecked) fileprivate(set) var objects: ContiguousArray<ManagedObject>

    fileprivate init(_ objects: ContiguousArray<ManagedObject>) { self.objects = objects }

    fileprivate func without(_ gone: Set<ManagedObject>) -> ObjectRun? {
        let left = objects.filter { !gone.contains($0) }
        return left.isEmpty ? nil : ObjectRun(ContiguousArray(left))
    }
}

/// Takes changes of a context back and applies them again (`NSUndoManager`, as far as a context
/// uses it).
///
/// All changes of one event form a group; ``beginUndoGrouping()`` and ``endUndoGrouping()`` make
/// groups of their own, which last until they are ended, whatever happens meanwhile: the end of the
/// event or block, ``ManagedObjectContext/processPendingChanges()``, a save. Those inside such a
/// group become part of it. The manager refers strongly to the objects whose changes it has
/// recorded, until ``removeAllActions()``, a rollback or a reset.
///
/// A manager serves one context and is used on that context's queue.
public final class UndoManager: @unchecked Sendable {  // stacks are touched on the context's queue only, the context is guarded by `lock`
    private struct Group {
        var actions: [UndoAction] = []
        var name = ""
        /// Whether the program opened it, and ends it; the others end with the event.
        var isExplicit = false
    }

    private let lock = Lock()
    private var _state: LightReference<ContextState>?
    // Touched for each change: without checks of exclusive access.
    @exclusivity(unchecked) private var undoStack: [Group] = []
    @exclusivity(unchecked) private var redoStack: [Group] = []
    @exclusivity(unchecked) private var openGroups: [Group] = []
    /// What the action recorded last set, while its group is open; nil and -1 when it set no
    /// attribute.
    @exclusivity(unchecked) private var lastAttribute: (object: ObjectIdentifier?, property: Int) = (nil, -1)
    /// The run that is the last action of the group that is open.
    @exclusivity(unchecked) private var openRun: (run: ObjectRun, isOfDeletions: Bool)?
    /// New objects whose place in the order of changes is this or a later one were inserted in the
    /// group that is open, which has their insertions: taking those back takes the objects out with
    /// whatever values they have, so that values of theirs need no records.
    @exclusivity(unchecked) private var firstInsertion = UInt64.max
    @exclusivity(unchecked) private var disableCount = 0
    private var _levelsOfUndo = 0
    private var isUndoing = false
    private var isRedoing = false

    public init() {}

    deinit { _state?.release() }

    var state: ContextState? {
        get { lock.withLock { _state?.object } }
        set {
            lock.withLock {
                _state?.release()
                _state = newValue.map { LightReference($0) }
            }
        }
    }

    /// How many groups can be undone; older ones are dropped. 0, the default, is no limit.
    public var levelsOfUndo: Int {
        get { onQueue { _levelsOfUndo } }
        set {
            onQueue {
                _levelsOfUndo = max(0, newValue)
                dropBeyondLimit()
            }
        }
    }

    /// Whether there is a group to undo, the open one included.
    public var canUndo: Bool { onQueue { !undoStack.isEmpty || openGroups.contains { !$0.actions.isEmpty } } }
    public var canRedo: Bool { onQueue { !redoStack.isEmpty } }
    /// The name of the group that ``undo()`` would take back; empty without a name.
    public var undoActionName: String { onQueue { undoStack.last?.name ?? "" } }
    public var redoActionName: String { onQueue { redoStack.last?.name ?? "" } }
    /// How many groups are open.
    public var groupingLevel: Int { onQueue { openGroups.count } }

    /// Names the innermost open group that was opened explicitly or has changes, or else the latest
    /// one.
    public func setActionName(_ name: String) {
        onQueue {
            if let index = openGroups.lastIndex(where: { $0.isExplicit || !$0.actions.isEmpty }) {
                openGroups[index].name = name
            } else if !undoStack.isEmpty {
                undoStack[undoStack.count - 1].name = name
            }
        }
    }

    /// Stops recording until the matching ``enableUndoRegistration()``; calls nest.
    public func disableUndoRegistration() { onQueue { disableCount += 1 } }
    public func enableUndoRegistration() { onQueue { disableCount = max(0, disableCount - 1) } }
    public var isUndoRegistrationEnabled: Bool { onQueue { disableCount == 0 } }

    /// Opens a group; what is recorded until ``endUndoGrouping()`` is undone in one step of its
    /// own.
    ///
    /// It stays open until then, across blocks, events and saves. Inside another group that was
    /// opened in this way it becomes part of that one.
    public func beginUndoGrouping() {
        onQueue {
            state?.workInDeletions()
            forgetOpenGroup()
            if openGroups.isEmpty { openGroups.append(Group()) }
            // What the event did before forms a group of its own, so that groups are undone in the
            // order of their making.
            if openGroups.count == 1 { closeActionsOfOpenGroup() }
            openGroups.append(Group(isExplicit: true))
        }
    }

    /// Ends the group that ``beginUndoGrouping()`` opened last. Without one it does nothing: the
    /// event's own group ends with the event.
    public func endUndoGrouping() {
        onQueue {
            guard openGroups.last?.isExplicit == true else { return }
            state?.workInDeletions()
            guard let group = openGroups.popLast() else { return }
            forgetOpenGroup()
            guard openGroups.last?.isExplicit == true else { return push(group) }
            openGroups[openGroups.count - 1].actions += group.actions
            if openGroups[openGroups.count - 1].name.isEmpty { openGroups[openGroups.count - 1].name = group.name }
        }
    }

    /// Takes the latest group back, that of the event that is going on included. Without one it
    /// does nothing.
    ///
    /// - Throws: `invalidArgument` while a group is open that ``beginUndoGrouping()`` opened.
    public func undo() throws(PinviewError) { try state?.undo() }
    /// Applies the latest undone group again. Without one it does nothing.
    ///
    /// - Throws: `invalidArgument` while a group is open that ``beginUndoGrouping()`` opened.
    public func redo() throws(PinviewError) { try state?.redo() }

    /// Empties both stacks and lets go of the objects in them. Groups that are open stay open, and
    /// are empty.
    public func removeAllActions() {
        let dropped = onQueue { takeAll(keepingOpenGroups: true) }
        withExtendedLifetime(dropped) {}
    }

    // MARK: For the context

    /// Records a change of a relationship or of an object's life.
    @inline(__always)
    func record(_ action: __owned UndoAction) {
        append(action)
        lastAttribute = (nil, -1)
    }

    /// What is recorded from now on may be of another group.
    private func forgetOpenGroup() {
        lastAttribute = (nil, -1)
        openRun = nil
        firstInsertion = .max
    }

    /// Whether changes of an object's attributes are recorded.
    @inline(__always)
    func keepsValues(of object: ManagedObject) -> Bool { disableCount == 0 && !isInsertedInOpenGroup(object) }

    /// Records a change of an attribute. One object's attribute set again and again in one event
    /// takes one record.
    func recordAttribute(_ object: ManagedObject, _ property: Unmanaged<Property>, old: __owned Value, new: __owned Value) {
        guard keepsValues(of: object) else { return }
        let index = property._withUnsafeGuaranteedRef { $0.index }
        if lastAttribute.object == ObjectIdentifier(object), lastAttribute.property == index,
            let group = openGroups.indices.last, let last = openGroups[group].actions.indices.last,
            case .attribute(_, _, let firstOld, _) = openGroups[group].actions[last]
        {
            openGroups[group].actions[last] = .attribute(object, property, old: firstOld, new: new)
            return
        }
        append(.attribute(object, property, old: old, new: new))
        lastAttribute = (ObjectIdentifier(object), index)
    }

    /// Records that an object is new from now on.
    ///
    /// - Parameter sequence: its place in the order of changes.
    func recordInsertion(_ object: ManagedObject, sequence: UInt64) {
        recordLife(of: object, isDeletion: false)
        if disableCount > 0 {
            firstInsertion = .max
        } else if firstInsertion == .max {
            firstInsertion = sequence
        }
    }

    func recordDeletion(_ object: ManagedObject) { recordLife(of: object, isDeletion: true) }

    /// Records an insertion or a deletion, as part of a run where it is not the first.
    @inline(__always)
    private func recordLife(of object: ManagedObject, isDeletion: Bool) {
        guard disableCount == 0 else { return }
        if let openRun, openRun.isOfDeletions == isDeletion {
            openRun.run.objects.append(object)
        } else {
            beginRun(object, isDeletion)
        }
    }

    @inline(never)
    private func beginRun(_ object: ManagedObject, _ isDeletion: Bool) {
        var first: ManagedObject?
        if let group = openGroups.indices.last, let last = openGroups[group].actions.last {
            switch last {
            case .inserted(let object) where !isDeletion: first = object
            case .deleted(let object) where isDeletion: first = object
            default: break
            }
            if first != nil { openGroups[group].actions.removeLast() }
        }
        guard let first else { return record(isDeletion ? .deleted(object) : .inserted(object)) }
        let run = ObjectRun([first, object])
        record(isDeletion ? .deletedRun(run) : .insertedRun(run))
        openRun = (run, isDeletion)
    }

    @inline(__always)
    private func isInsertedInOpenGroup(_ object: ManagedObject) -> Bool {
        firstInsertion != .max && object.flags.contains(.inserted) && object.changeSequence >= firstInsertion && !isUndoing && !isRedoing
    }

    @inline(__always)
    private func append(_ action: __owned UndoAction) {
        guard disableCount == 0 else { return }
        if openGroups.isEmpty { openGroups.append(Group()) }
        if openRun != nil { openRun = nil }
        openGroups[openGroups.count - 1].actions.append(action)
        if !redoStack.isEmpty, !isUndoing, !isRedoing { redoStack.removeAll() }
    }

    /// The end of an event closes the event's group, unless the program has one open inside it.
    func closeEventGroup() {
        forgetOpenGroup()
        guard openGroups.count == 1, let group = openGroups.popLast() else { return }
        push(group)
    }

    /// Whether the program has a group open.
    var hasExplicitGroup: Bool { openGroups.count > 1 }

    /// Undoes or redoes one group: `apply` is given the actions in the order in which to turn them
    /// back. What it records meanwhile becomes the group of the other stack. When it fails, what it
    /// did up to then is turned back in the same way, and the group stays where it was.
    func takeBack(redoing: Bool, apply: ([UndoAction]) throws(PinviewError) -> Void) throws(PinviewError) {
        closeEventGroup()
        guard let group = redoing ? redoStack.popLast() : undoStack.popLast() else { return }
        let enabledBefore = disableCount
        disableCount = 0
        if redoing { isRedoing = true } else { isUndoing = true }
        defer {
            isUndoing = false
            isRedoing = false
            disableCount = enabledBefore
        }
        do throws(PinviewError) {
            try apply(group.actions.reversed())
        } catch {
            let done = openGroups.flatMap(\.actions)
            openGroups = []
            forgetOpenGroup()
            disableCount = 1
            // Everything that these need was loaded a moment ago; the first failure is the one to
            // report.
            try? apply(done.reversed())
            if redoing { redoStack.append(group) } else { undoStack.append(group) }
            throw error
        }
        var opposite = openGroups.reduce(into: Group()) { $0.actions += $1.actions }
        opposite.name = group.name
        openGroups = []
        forgetOpenGroup()
        guard !opposite.actions.isEmpty else { return }
        if redoing { undoStack.append(opposite) } else { redoStack.append(opposite) }
    }

    /// Forgets what was recorded for objects that cannot be changed any more; groups without
    /// anything else go too.
    func forget(_ objects: Set<ManagedObject>) {
        func remaining(_ groups: [Group]) -> [Group] {
            groups.compactMap { group in
                var group = group
                group.actions = group.actions.compactMap { $0.without(objects) }
                return group.actions.isEmpty ? nil : group
            }
        }
        undoStack = remaining(undoStack)
        redoStack = remaining(redoStack)
        for index in openGroups.indices { openGroups[index].actions = openGroups[index].actions.compactMap { $0.without(objects) } }
        forgetOpenGroup()
    }

    func discardForEndOfContext() { _ = takeAll(keepingOpenGroups: false) }

    private func takeAll(keepingOpenGroups: Bool) -> [[Group]] {
        defer {
            undoStack = []
            redoStack = []
            openGroups = keepingOpenGroups ? openGroups.map { Group(name: $0.name, isExplicit: $0.isExplicit) } : []
            forgetOpenGroup()
        }
        return [undoStack, redoStack, openGroups]
    }

    /// What was recorded, in order, for another manager or to be turned back.
    func takeActions() -> [UndoAction] {
        defer { _ = takeAll(keepingOpenGroups: false) }
        return (undoStack + openGroups).flatMap(\.actions)
    }

    /// Records changes that another manager has recorded.
    func adopt(_ actions: [UndoAction]) {
        forgetOpenGroup()
        for action in actions { append(action) }
    }

    private func closeActionsOfOpenGroup() {
        let index = openGroups.count - 1
        guard !openGroups[index].actions.isEmpty else { return }
        push(openGroups[index])
        openGroups[index].actions = []
    }

    private func push(_ group: Group) {
        guard !group.actions.isEmpty else { return }
        undoStack.append(group)
        dropBeyondLimit()
    }

    private func dropBeyondLimit() {
        guard _levelsOfUndo > 0, undoStack.count > _levelsOfUndo else { return }
        undoStack.removeFirst(undoStack.count - _levelsOfUndo)
    }

    private func onQueue<R>(_ body: () -> R) -> R {
        guard let state else { return body() }
        return state.onQueueAlways(body)
    }

    #if DEBUG
        /// Called on the context's queue, between two calls.
        func invariantViolations(of context: ContextState) -> [String] {
            var violations: [String] = []
            if isUndoing || isRedoing { violations.append("the undo manager is undoing between two calls") }
            if _levelsOfUndo > 0, undoStack.count > _levelsOfUndo {
                violations.append("\(undoStack.count) groups can be undone, the limit is \(_levelsOfUndo)")
            }
            if (undoStack + redoStack).contains(where: \.actions.isEmpty) { violations.append("an undo group has no actions") }
            if openGroups.first?.isExplicit == true { violations.append("an undo group was opened outside an event's") }
            if hasExplicitGroup, openGroups.first?.actions.isEmpty == false {
                violations.append("the event's undo group records beside an open one")
            }
            if openGroups.dropFirst().contains(where: { !$0.isExplicit }) {
                violations.append("an undo group was opened inside another by itself")
            }
            if lastAttribute.object != nil, openGroups.last?.actions.last == nil {
                violations.append("the attribute recorded last is in no open group")
            }
            for object in (undoStack + redoStack + openGroups).flatMap(\.actions).flatMap(\.objects) {
                if object.state !== context { violations.append("an undo action is about \(object) of another context") }
                if object.flags.contains(.invalidated) { violations.append("an undo action is about \(object), which is invalid") }
            }
            return violations
        }
    #endif
}
