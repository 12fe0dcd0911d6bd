import Glibc
import PinviewGenerations
import PinviewModel
import PinviewStore
import Synchronization

/// The object space behind a ``ManagedObjectContext``: everything that its objects need.
///
/// Objects and the public context refer strongly to the state, and the state refers weakly to the
/// public context. When the public context is deallocated, ``end()`` is called, and remaining
/// objects fail with `contextGone` (REF-02, REF-03).
///
/// The state owns the parts of the context as constants and holds little else: how threads enter,
/// and how far the current call has come. Its verbs (fetch, fire, save, merge …) are extensions in
/// the folders of this module; each takes the parts that it needs.
///
/// ```text
///                    ContextState ── queue: which thread is inside
///        ┌───────────────┬──┴────────────┬───────────────┬────────────────┐
///        ▼               ▼               ▼               ▼                ▼
///   ObjectRegistry  PendingChanges  GenerationPin  ContextSettings  StackPosition
///   one object      what the next   which          what the         coordinator, parent,
///   per row         save writes     generation     program set      children, followers
/// ```
///
/// Stored properties belong to the thread that owns `queue`. What other threads may ask at any time
/// is guarded by the locks of the parts, which are leaves: no other lock is taken while one is
/// held.
final class ContextState: @unchecked Sendable {
    let queue: ContextQueue
    let concurrencyType: ManagedObjectContextConcurrencyType
    let ownerThread: UInt
    /// The kernel's number of the owner thread; 0 unless a thread owns the context.
    let ownerThreadNumber: Int32
    /// The deprecated `lock()`, which programs use among themselves (DEC-37).
    let programLock = RecursiveLock()
    /// Interrupts a fetch on the queue from another thread.
    let fetchMonitor = ReadMonitor(isRunning: false)
    /// Interrupts what else reads and writes the stores: firing of faults, saves, batch requests.
    let callMonitor = ReadMonitor(isRunning: false)
    /// Interrupts the reads of column streams, on whichever thread they run.
    let columnReads = ColumnReads()

    // The parts. Each says at its top what it guarantees, and which threads may use it.
    let registry = ObjectRegistry()
    let pending = PendingChanges()
    let pin = GenerationPin()
    let settings = ContextSettings()
    let position = StackPosition()

    /// Work that a call has to do first, as bits; usually 0. Costs each call one load.
    private let notes = Atomic<UInt8>(0)
    private static let hasEndedNote: UInt8 = 1
    private static let hasNewKeysNote: UInt8 = 2

    // Guarded by the queue.
    /// Nil until it is asked for.
    @exclusivity(unchecked) var references: References?
    var isInBlock = false
    /// Whether the main queue has been asked to end the event.
    var endsEventOnMainQueue = false
    /// True while the program's merge policy runs inside the write transaction.
    private var isResolvingConflicts = false
    #if DEBUG
        var numberOfChecks: UInt64 = 0
    #endif

    init(concurrencyType: ManagedObjectContextConcurrencyType) {
        self.concurrencyType = concurrencyType
        queue = ContextQueue(runsOnMainThread: concurrencyType == .mainQueue)
        ownerThread = CurrentThread.identifier
        ownerThreadNumber = concurrencyType == .confinement ? MainThread.currentNumber : 0
        ForkedProcess.arm()
    }

    deinit { if settings.isAutomaticMerger { AutomaticMergers.shared.noteEnd() } }

    // MARK: Entering

    /// Lets the calling thread work on the context; paired with ``leave()``.
    ///
    /// - Parameters:
    ///   - isReading: nothing that objects show will be changed; pair with ``leaveReading()``.
    ///   - appliesDeferredRemovals: whether deferred inverse removals are applied first.
    /// - Throws: `contextGone`, or `wrongQueue` if the calling thread may not call directly
    ///   (CON-11, CON-12).
    func enter(isReading: Bool = false, appliesDeferredRemovals: Bool = true) throws(PinviewError) {
        try Self.checkProcess()
        if !queue.enterAgain(isReading: isReading) {
            try checkThread()
            guard queue.enterUnlessDeadlocked(isReading: isReading) else { throw deadlock }
            if concurrencyType == .mainQueue { MainQueueWork.shared.noteDirectCall(on: self) }
        }
        if mustLook { try look(isReading: isReading) }
        if pending.hasDeferredRemovals, appliesDeferredRemovals { applyDeferredRemovals() }
    }

    /// Whether the calling thread is inside and may read.
    @inline(__always)
    var isReadable: Bool { queue.isCurrent && !mustLook && !ForkedProcess.isCurrent }

    /// Enters for reading if the calling thread may and nobody else is inside; paired with
    /// ``leaveReading()``.
    @inline(__always)
    private func enterReadingAtOnce() -> Bool {
        if ForkedProcess.isCurrent { return false }
        if !queue.enterAgain(isReading: true) {
            guard concurrencyType == .privateQueue, !ConcurrencyDebug.isEnabled, queue.enterReadingIfFree() else { return false }
        }
        if !mustLook, !pending.hasDeferredRemovals { return true }
        queue.leaveReading()
        return false
    }

    /// Runs a body that reads and calls no code of the program's, if the thread can enter without
    /// waiting; otherwise returns nil.
    @inline(__always)
    func readAtOnce<R>(_ body: () -> R?) -> R? {
        // The owner need not enter again.
        let isInside = isReadable
        guard isInside || enterReadingAtOnce() else { return nil }
        defer { if !isInside { leaveReading() } }
        return body()
    }

    /// Whether a call has work to do first, or must be refused. The calling thread is inside.
    @inline(__always)
    private var mustLook: Bool { hasNotes || isResolvingConflicts }

    /// Takes over new keys. Leaves the queue again and throws if the context has ended or its merge
    /// policy is running.
    @inline(never)
    private func look(isReading: Bool) throws(PinviewError) {
        takeNewKeys()
        guard hasEnded || isResolvingConflicts else { return }
        defer { isReading ? queue.leaveReading() : queue.leave() }
        if hasEnded {
            throw PinviewError(.contextGone, "The context of this object has ended; its values cannot be read or changed any more.")
        }
        try requireNotResolving()
    }

    /// Runs the program's merge policy.
    func resolving<R>(_ body: () throws(PinviewError) -> R) throws(PinviewError) -> R {
        isResolvingConflicts = true
        defer { isResolvingConflicts = false }
        return try body()
    }

    /// Throws while the program's merge policy runs: the save that called it holds all that a call
    /// could need or change. The calling thread is inside.
    func requireNotResolving() throws(PinviewError) {
        guard isResolvingConflicts else { return }
        throw PinviewError(
            .invalidArgument,
            "The context is in the middle of a save whose merge policy made this call. A merge policy can only use the conflicts that it is given."
        )
    }

    func leave() {
        #if DEBUG
            InvariantChecks.check(self)
        #endif
        queue.leave()
    }

    func leaveReading() {
        #if DEBUG
            InvariantChecks.check(self)
        #endif
        queue.leaveReading()
    }

    /// - Throws: `forked` in a child of fork(): locks of the parent process may be held for ever.
    static func checkProcess() throws(PinviewError) {
        guard ForkedProcess.isCurrent else { return }
        throw PinviewError(
            .forked,
            "This process was created by fork() from one that uses Pinview, so it cannot use Pinview itself. Start it with spawn or exec instead."
        )
    }

    /// The error of a thread that would have waited for ever (ONE-08).
    var deadlock: PinviewError {
        let inside =
            CurrentThread.contextStack.innermost.map { ", in a block of the context \($0.name ?? "without a name")," } ?? ""
        return PinviewError(
            .deadlock,
            "This thread\(inside) would have deadlocked waiting for the context \(settings.name ?? "without a name"): the thread that uses that "
                + "context waits for this one, directly or through others. Use perform, which does not wait, in one of them, or make all "
                + "threads enter the contexts in the same order.")
    }

    private func checkThread() throws(PinviewError) {
        switch concurrencyType {
        case .mainQueue:
            guard CurrentThread.isMain else {
                throw PinviewError(
                    .wrongQueue,
                    "A main-queue context was called outside the main thread and the main actor. Use perform or performAndWait.")
            }
        case .confinement:
            guard CurrentThread.identifier == ownerThread else {
                throw PinviewError(
                    .wrongQueue,
                    "A confinement context was called on a thread other than the one that created it. Use a private-queue context.")
            }
        case .privateQueue:
            guard !ConcurrencyDebug.isEnabled else {
                throw PinviewError(
                    .wrongQueue,
                    "A private-queue context was called outside its blocks while the concurrency check is on. Use perform or performAndWait."
                )
            }
        }
    }

    /// Runs a body inside the queue, from any thread, even if the context has ended.
    func onQueueAlways<R>(_ body: () -> R) -> R {
        queue.enter()
        defer { queue.leave() }
        if hasNotes { takeNewKeys() }
        if pending.hasDeferredRemovals, !isResolvingConflicts { applyDeferredRemovals() }
        return body()
    }

    /// Runs a body that changes nothing that objects show inside the queue, from any thread, even
    /// if the context has ended.
    ///
    /// - Parameter appliesDeferredRemovals: whether deferred inverse removals are applied first.
    func readOnQueue<R>(appliesDeferredRemovals: Bool = true, _ body: () -> R) -> R {
        queue.enter(isReading: true)
        defer { queue.leaveReading() }
        if hasNotes { takeNewKeys() }
        if pending.hasDeferredRemovals, appliesDeferredRemovals, !isResolvingConflicts { applyDeferredRemovals() }
        return body()
    }

    /// Whether callbacks must be left to the main queue: the calling thread works on a main-queue
    /// context on behalf of a child.
    var isOffMainQueue: Bool { queue.runsOnMainThread && !CurrentThread.isMain }

    /// Ends the event of direct calls. On the main thread they form one event until the thread
    /// drains its queue (DEC-26).
    func endEventOfDirectCalls() {
        queue.enter()
        defer { queue.leave() }
        if hasNotes { takeNewKeys() }
        if !hasEnded { endEvent() }
    }

    // MARK: Keys from other contexts

    /// Whether a call has work to do first: the context has ended, or there are new keys.
    @inline(__always)
    var hasNotes: Bool { notes.load(ordering: .acquiring) != 0 }

    /// Hands permanent keys to all descendant contexts, which rename their objects before they use
    /// any of them (ONE-01).
    ///
    /// Must be called before anybody can learn a permanent key from an object.
    func announce(_ keys: [AssignedKey]) {
        #if DEBUG
            if ContextFault.current == .permanentKeysNotTaken { return }
        #endif
        for child in childStates {
            child.registry.add(keys) { _ = child.notes.bitwiseOr(Self.hasNewKeysNote, ordering: .releasing) }
            child.announce(keys)
        }
    }

    /// Renames objects that another context of the tree has given permanent keys (NST-12, ONE-01).
    /// On the queue.
    @inline(never)
    func takeNewKeys() {
        let keys = registry.takeNewKeys { _ = notes.bitwiseAnd(~Self.hasNewKeysNote, ordering: .relaxed) }
        let renamed = keys.compactMap { key in registry.object(key.temporary).map { ($0, key.permanent) } }
        if !renamed.isEmpty { takeKeys(renamed) }
    }

    /// Announces a single key.
    func announce(_ permanent: ObjectKey, for temporary: ObjectKey) {
        let key = AssignedKey(temporary: temporary, permanent: permanent)
        PermanentKeys.shared.add([key])
        announce([key])
    }

    // MARK: Settings

    var hasEnded: Bool { notes.load(ordering: .acquiring) & Self.hasEndedNote != 0 }

    func set<T>(_ path: WritableKeyPath<ContextSettings.Values, T>, _ value: T) {
        settings.set(path, value)
        queue.noteChange()
    }

    func setMergesAutomatically(_ merges: Bool) {
        if merges, settings.becomeAutomaticMerger() { AutomaticMergers.shared.add(self) }
        settings.mergesAutomatically = merges
        queue.noteChange()
    }

    /// Runs a body that reads or writes the stores for a call of the program, so that it can be
    /// interrupted through a monitor and ends with a timeout, the context's if none is given. On
    /// the queue.
    func interruptibly<R>(
        _ monitor: ReadMonitor, timeout: Double? = nil, _ body: () throws(PinviewError) -> R
    ) throws(PinviewError) -> R {
        guard monitor.begin(timeout: timeout ?? settings.timeout) else { return try body() }
        defer { monitor.end() }
        return try monitor.watching(body)
    }

    func setTimeout(_ seconds: Double?) {
        settings.timeout = seconds
        queue.noteChange()
    }

    func setStalenessInterval(_ interval: Double) {
        settings.stalenessInterval = interval
        queue.noteChange()
    }

    /// Runs a body with the undo manager that records changes, if there is one. On the queue.
    @inline(__always)
    func record(_ body: (UndoManager) -> Void) { settings.record(body) }

    // MARK: The stack

    /// The context's own parent, if it is a child.
    var parent: ContextState? { position.parent }
    @inline(__always)
    var hasParent: Bool { position.hasParent }
    var parentContext: ManagedObjectContext? { position.parentContext }
    var childStates: [ContextState] { position.childStates }
    var hasChildren: Bool { position.mayHaveChildren && !childStates.isEmpty }
    var publicContext: ManagedObjectContext? { position.publicContext }

    /// The coordinator at the root of the chain.
    var coordinator: PersistentStoreCoordinator? { position.coordinator }
    var hasOwnCoordinator: Bool { position.hasOwnCoordinator }
    @inline(__always)
    func withCoordinator(_ body: (PersistentStoreCoordinator) -> Void) { position.withCoordinator(body) }

    func requireCoordinator() throws(PinviewError) -> PersistentStoreCoordinator {
        guard let coordinator else { throw Self.noCoordinatorError }
        return coordinator
    }

    static var noCoordinatorError: PinviewError {
        PinviewError(
            .noCoordinator, "The context has neither a persistent store coordinator nor a parent with one. Set one of them first.")
    }

    /// The model, which never changes once there is a coordinator. On the queue.
    var model: ManagedObjectModel? { position.model }

    /// The hooks of the model's entities; nil when there are none. On the queue.
    var hookTable: HookTable? { position.hookTable }

    /// - Returns: false if another coordinator or a parent has been set meanwhile.
    @discardableResult
    func adopt(coordinator: PersistentStoreCoordinator) -> Bool {
        guard position.set(coordinator: coordinator) else { return false }
        coordinator.add(self)
        return true
    }

    func adopt(parent context: ManagedObjectContext) {
        position.set(parent: context)
        context.state.position.add(child: self)
    }

    // MARK: The pin

    /// Changes which generation is read. Releases the old one at once.
    func setPin(_ target: GenerationPin.Target) {
        let difference = pin.setTarget(target)
        if difference != 0 { withCoordinator { _ = $0.rowCache.pinnedReaders.add(difference, ordering: .relaxed) } }
    }

    /// Whether another context may want rows that are no longer the newest.
    var othersArePinned: Bool { coordinator.map(othersArePinned) ?? false }

    func othersArePinned(on coordinator: PersistentStoreCoordinator) -> Bool {
        coordinator.rowCache.pinnedReaders.load(ordering: .relaxed) > (pin.hasGeneration ? 1 : 0)
    }

    /// Makes a pinned context read the newest generation at its next read, after a save, a merge or
    /// a reset (DEC-01).
    /// - Returns: whether the context is pinned.
    @discardableResult
    func advancePinIfPinned() -> Bool {
        moveConsistentRead()
        if pin.isUnpinned { return false }
        setPin(.onRead(isAnnounced: false))
        markGenerationChange()
        return true
    }

    /// Changes which generation is read, and tells followers of the context. On the queue.
    func move(to target: GenerationPin.Target) {
        setPin(target)
        moveConsistentRead()
        markGenerationChange()
        if position.hasFollowers { tellFollowers() }
    }

    /// Keeps this context from using rows that were cached before now (DEC-22).
    ///
    /// - Parameter stamp: a time of the row cache's clock to take instead of now.
    func markGenerationChange(since stamp: UInt64? = nil) {
        if let stamp {
            pin.floorStamp = max(pin.floorStamp, stamp)
        } else {
            withCoordinator { pin.floorStamp = $0.rowCache.advanceStamp() }
        }
    }

    /// The names of the entities whose objects are followed.
    var followedEntities: Set<String> {
        let followers = position.livingFollowers
        guard !followers.isEmpty, let model else { return [] }
        return Set(model.entities.lazy.filter { entity in followers.contains { $0.follows(entity) } }.map(\.name))
    }

    /// Tells followers that the context reads another generation, on the main thread for a
    /// main-queue context.
    func tellFollowers() {
        let followers = position.livingFollowers
        guard !followers.isEmpty else { return }
        let work: @Sendable () -> Void = { for follower in followers { follower.generationDidChange() } }
        if isOffMainQueue { queue.performSoon(work) } else { onQueueAlways(work) }
    }

    /// The object's ID. Any thread.
    func objectID(of object: ManagedObject) -> ManagedObjectID {
        let key = registry.lock.withLock { object.key }
        return objectID(for: key, entity: object.entity)
    }

    func objectID(for key: ObjectKey, entity: Entity) -> ManagedObjectID {
        let permanent = PermanentKeys.shared.permanentKey(for: key)
        let identifier = permanent.isTemporary ? nil : StoreNumbers.identifier(forNumber: permanent.storeNumber)
        return ManagedObjectID(entity: entity, key: permanent, storeIdentifier: identifier)
    }

    func flags(of object: ManagedObject) -> ObjectFlags { readOnQueue { object.flags } }

    func isFault(_ object: ManagedObject) -> Bool { readOnQueue(appliesDeferredRemovals: false) { object.flags.contains(.fault) } }

    // MARK: End

    /// Ends the state once the public context is gone: releases the pin and drops pending changes
    /// (CTX-18).
    func end() {
        queue.enter()
        let kept = takeAllStrongReferences()
        _ = notes.bitwiseOr(Self.hasEndedNote, ordering: .releasing)
        setPin(.unpinned)
        queue.leave()
        // A merge policy of the program may hold objects, which hold this state.
        let programValues = settings.takeProgramValues()
        withExtendedLifetime((kept, programValues)) {}
    }

    /// Empties every collection that refers to objects, and returns the objects so that the caller
    /// can release them.
    private func takeAllStrongReferences() -> [[ManagedObject]] {
        settings.undoManager?.discardForEndOfContext()
        settings.forgetRecorder()
        let kept = (pending.takeSets().sets + [registry.takeRetained()]).map { Array($0.values) }
        discardDeferredRemovals()
        pending.reinsertedObjects = []
        _ = pending.event.takeAll()
        // Objects that refer to each other would keep each other and this state alive.
        for object in registry.objects + registry.takeGone() {
            object.dropSlots()
            object.committed = .none
        }
        return kept
    }
}

/// The concurrency check: whether private-queue contexts may be used outside their blocks.
public enum ConcurrencyDebug {
    private static let flag = Flag(
        CommandLine.arguments.contains(launchArgument: "-com.apple.CoreData.ConcurrencyDebug")
            || getenv("PINVIEW_CONCURRENCY_DEBUG").map { String(cString: $0) == "1" } ?? false)

    /// Whether a direct call on a private-queue context is an error (`wrongQueue`) instead of
    /// waiting for the queue. Off by default; on with the launch argument
    /// `-com.apple.CoreData.ConcurrencyDebug 1` or the environment variable
    /// `PINVIEW_CONCURRENCY_DEBUG=1`. Any thread.
    public static var isEnabled: Bool {
        get { flag.value }
        set { flag.value = newValue }
    }
}

/// A Boolean that any thread may read and set.
final class Flag: Sendable {
    private let flag: Atomic<Bool>

    init(_ value: Bool) { flag = Atomic(value) }

    var value: Bool {
        get { flag.load(ordering: .acquiring) }
        set { flag.store(newValue, ordering: .releasing) }
    }
}

extension [String] {
    /// Whether the arguments contain `name` followed by a number of at least 1.
    func contains(launchArgument name: String) -> Bool {
        guard let index = firstIndex(of: name), index + 1 < count else { return false }
        return (Int(self[index + 1]) ?? 0) >= 1
    }
}
