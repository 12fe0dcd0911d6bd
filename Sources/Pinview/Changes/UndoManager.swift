import PinviewGenerations
import PinviewModel

/// One change of one object, which can be undone and redone.
enum UndoAction {
    /// The property belongs to the object's entity.
    case attribute(ManagedObject, Unmanaged<Property>, old: Value, new: Value)
    case toOne(ManagedObject, Property, old: ManagedObject?, new: ManagedObject?)
    case insertedMember(ManagedObject, Property, ManagedObject)
    case removedMember(ManagedObject, Property, ManagedObject, from: MemberPlace)
    case movedMember(ManagedObject, Property, ManagedObject, from: Int, to: Int)
    case reorderedMembers(ManagedObject, Property, from: [ManagedObject])
    case inserted(ManagedObject)
    /// Several insertions or deletions in a row: eight bytes for each, whereas an action has 64.
    case insertedRun(ObjectRun)
    case uninserted(ManagedObject)
    case deleted(ManagedObject)
    case deletedRun(ObjectRun)
    case undeleted(ManagedObject)
    /// Deferred removals from inverses of deleted objects, whether applied by now or not.
    case deferredRemovals(DeferredInverseRemovals)

    /// The objects that were changed.
    var objects: [ManagedObject] {
        switch self {
        case .attribute(let object, _, _, _), .toOne(let object, _, _, _), .insertedMember(let object, _, _),
            .removedMember(let object, _, _, _), .movedMember(let object, _, _, _, _), .reorderedMembers(let object, _, _),
            .inserted(let object), .uninserted(let object), .deleted(let object), .undeleted(let object):
            return [object]
        case .insertedRun(let run), .deletedRun(let run): return Array(run.objects)
        case .deferredRemovals(let lost): return lost.members
        }
    }

    /// The change without some objects; nil if nothing is left.
    func without(_ gone: Set<ManagedObject>) -> UndoAction? {
        switch self {
        case .insertedRun(let run): return run.without(gone).map { .insertedRun($0) }
        case .deletedRun(let run): return run.without(gone).map { .deletedRun($0) }
        case .deferredRemovals(let lost): return lost.without(gone).map { .deferredRemovals($0) }
        default: return objects.contains(where: gone.contains) ? nil : self
        }
    }
}

/// Objects that were inserted, or deleted, in a row.
final class ObjectRun {
    @exclusivity(unchecked) fileprivate(set) var objects: ContiguousArray<ManagedObject>

    fileprivate init(_ objects: ContiguousArray<ManagedObject>) { self.objects = objects }

    fileprivate func without(_ gone: Set<ManagedObject>) -> ObjectRun? {
        let left = objects.filter { !gone.contains($0) }
        return left.isEmpty ? nil : ObjectRun(ContiguousArray(left))
    }
}

/// Undoes and redoes changes of a context (`NSUndoManager`, as far as contexts use it).
///
/// The changes of one event form a group. ``beginUndoGrouping()`` and ``endUndoGrouping()`` make
/// explicit groups, which last until they are ended, across events, blocks,
/// ``ManagedObjectContext/processPendingChanges()`` and saves; groups inside one become part of it.
/// The manager refers strongly to the objects whose changes it has recorded, until
/// ``removeAllActions()``, a rollback or a reset.
///
/// A manager serves one context and is used on that context's queue.
public final class UndoManager: @unchecked Sendable {  // stacks are touched on the context's queue only, the context is guarded by `lock`
    private struct Group {
        var actions: [UndoAction] = []
        var name = ""
        /// Whether the program opened the group and must end it; the others end with the event.
        var isExplicit = false
    }

    private let lock = Lock()
    private var _state: LightReference<ContextState>?
    // Used for each change, hence without exclusivity checks.
    @exclusivity(unchecked) private var undoStack: [Group] = []
    @exclusivity(unchecked) private var redoStack: [Group] = []
    @exclusivity(unchecked) private var openGroups: [Group] = []
    /// The attribute set by the last recorded action while its group is open; nil and -1 if it set
    /// none.
    @exclusivity(unchecked) private var lastAttribute: (object: ObjectIdentifier?, property: Int) = (nil, -1)
    /// The run that is the last action of the open group.
    @exclusivity(unchecked) private var openRun: (run: ObjectRun, isOfDeletions: Bool)?
    /// The lowest change sequence of the objects inserted in the open group. Attributes of those
    /// objects need no records: undoing their insertion removes them, whatever their values.
    @exclusivity(unchecked) private var firstInsertion = UInt64.max
    @exclusivity(unchecked) private var disableCount = 0
    private var _levelsOfUndo = 0
    private var isUndoing = false
    private var isRedoing = false

    /// Makes a manager without recorded changes, for ``ManagedObjectContext/undoManager``.
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

    /// How many groups can be undone; older ones are dropped. 0, the default, means no limit.
    public var levelsOfUndo: Int {
        get { onQueue { _levelsOfUndo } }
        set {
            onQueue {
                _levelsOfUndo = max(0, newValue)
                dropBeyondLimit()
            }
        }
    }

    /// Whether there is a group to undo, including the open one.
    public var canUndo: Bool { onQueue { !undoStack.isEmpty || openGroups.contains { !$0.actions.isEmpty } } }
    /// Whether there is a group to redo.
    public var canRedo: Bool { onQueue { !redoStack.isEmpty } }
    /// The name of the group that ``undo()`` would undo; empty if it has none.
    public var undoActionName: String { onQueue { undoStack.last?.name ?? "" } }
    /// The name of the group that ``redo()`` would redo; empty if it has none.
    public var redoActionName: String { onQueue { redoStack.last?.name ?? "" } }
    /// The number of open groups.
    public var groupingLevel: Int { onQueue { openGroups.count } }

    /// Names the innermost open group that is explicit or has changes, or else the latest group.
    public func setActionName(_ name: String) {
        onQueue {
            if let index = openGroups.lastIndex(where: { $0.isExplicit || !$0.actions.isEmpty }) {
                openGroups[index].name = name
            } else if !undoStack.isEmpty {
                undoStack[undoStack.count - 1].name = name
            }
        }
    }

    /// Stops recording until the matching ``enableUndoRegistration()``. Calls nest.
    public func disableUndoRegistration() { onQueue { disableCount += 1 } }
    /// Resumes recording after ``disableUndoRegistration()``; does nothing without such a call.
    public func enableUndoRegistration() { onQueue { disableCount = max(0, disableCount - 1) } }
    /// Whether changes are recorded.
    public var isUndoRegistrationEnabled: Bool { onQueue { disableCount == 0 } }

    /// Opens a group. What is recorded until ``endUndoGrouping()`` is undone in one step.
    ///
    /// The group stays open until then, across blocks, events and saves. Inside another explicit
    /// group it becomes part of that one.
    public func beginUndoGrouping() {
        onQueue {
            state?.workInDeletions()
            forgetOpenGroup()
            if openGroups.isEmpty { openGroups.append(Group()) }
            // Earlier changes of the event form a group of their own, so that groups are undone in
            // the order in which they were made.
            if openGroups.count == 1 { closeActionsOfOpenGroup() }
            openGroups.append(Group(isExplicit: true))
        }
    }

    /// Ends the group that ``beginUndoGrouping()`` opened last. Does nothing if there is none: the
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

    /// Undoes the latest group, including that of the current event. Does nothing if there is none.
    ///
    /// - Throws: `invalidArgument` while an explicit group is open.
    public func undo() throws(PinviewError) { try state?.undo() }
    /// Redoes the latest undone group. Does nothing if there is none.
    ///
    /// - Throws: `invalidArgument` while an explicit group is open.
    public func redo() throws(PinviewError) { try state?.redo() }

    /// Empties both stacks and releases the objects in them. Open groups stay open, without
    /// actions.
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

    /// Forgets the run and the attribute recorded last, since another group may be open from now
    /// on.
    private func forgetOpenGroup() {
        lastAttribute = (nil, -1)
        openRun = nil
        firstInsertion = .max
    }

    /// Whether changes of an object's attributes are recorded.
    @inline(__always)
    func keepsValues(of object: ManagedObject) -> Bool { disableCount == 0 && !isInsertedInOpenGroup(object) }

    /// Records a change of an attribute. Setting the same attribute of an object repeatedly in an
    /// event takes one record.
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

    /// Records the insertion of an object.
    ///
    /// - Parameter sequence: the object's position in the order of changes.
    func recordInsertion(_ object: ManagedObject, sequence: UInt64) {
        recordLife(of: object, isDeletion: false)
        if disableCount > 0 {
            firstInsertion = .max
        } else if firstInsertion == .max {
            firstInsertion = sequence
        }
    }

    func recordDeletion(_ object: ManagedObject) { recordLife(of: object, isDeletion: true) }

    /// Records an insertion or a deletion, as part of a run if it follows another one.
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

    /// Closes the event's group at the end of the event, unless an explicit group is open inside
    /// it.
    func closeEventGroup() {
        forgetOpenGroup()
        #if DEBUG
            if ContextFault.current == .undoGroupsEndWithTheEvent {
                while openGroups.count > 1, let group = openGroups.popLast() { push(group) }
            }
        #endif
        guard openGroups.count == 1, let group = openGroups.popLast() else { return }
        push(group)
    }

    /// Whether an explicit group is open.
    var hasExplicitGroup: Bool { openGroups.count > 1 }

    /// Undoes or redoes one group. `apply` gets the actions in the order in which to reverse them.
    /// What it records meanwhile becomes a group on the other stack. If it fails, what it did is
    /// reversed in the same way, and the group stays where it was.
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
            // Everything that these need was just loaded; the first failure is the one to report.
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

    /// Drops records of objects that cannot be changed any more, and groups that become empty.
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

    /// Removes and returns the recorded actions in order, to pass them to another manager or to
    /// reverse them.
    func takeActions() -> [UndoAction] {
        defer { _ = takeAll(keepingOpenGroups: false) }
        return (undoStack + openGroups).flatMap(\.actions)
    }

    /// Adds actions that another manager has recorded.
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
