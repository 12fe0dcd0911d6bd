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
/// All stored properties belong to the thread that owns `queue`, except those marked as guarded by
/// `identityLock`. That lock is a leaf: no other lock is taken while it is held.
final class ContextState: @unchecked Sendable {
    let queue: ContextQueue
    let concurrencyType: ManagedObjectContextConcurrencyType
    let ownerThread: UInt
    /// The kernel's number of the owner thread; 0 unless a thread owns the context.
    let ownerThreadNumber: Int32
    let identityLock = BriefLock()
    /// The deprecated `lock()`, which programs use among themselves (DEC-37).
    let programLock = RecursiveLock()
    /// Interrupts a fetch on the queue from another thread.
    let fetchMonitor = ReadMonitor(isRunning: false)
    /// Interrupts the reads of column streams, on whichever thread they run.
    let columnReads = ColumnReads()

    let identities = IdentityMap()
    /// Guarded by identityLock.
    let links = LinkPool()
    private let parentIsSet = Atomic<Bool>(false)
    private let coordinatorIsSet = Atomic<Bool>(false)
    /// Whether `_pin` holds a generation, readable without the lock.
    private let hasGeneration = Atomic<Bool>(false)
    let pinChanges = Atomic<UInt64>(1)

    /// The staleness interval in seconds, as the bits of a Double: how old a cached row may be to
    /// fill a fault.
    private let stalenessBits = Atomic<UInt64>((-1.0).bitPattern)

    /// How many objects exist, registered or not. Guarded by identityLock.
    var livingObjects = 0
    /// Never changes once set, and is read without the lock.
    @exclusivity(unchecked) private var _coordinator: PersistentStoreCoordinator?
    @exclusivity(unchecked) private var unmanagedCoordinator: Unmanaged<PersistentStoreCoordinator>?
    private var _parent: ContextState?
    private var _parentContext: ManagedObjectContext?
    // Light references: retaining and releasing an object that has weak references is several times
    // slower.
    private var children = LightReferences<ContextState>()
    private var _publicContext: LightReference<ManagedObjectContext>?
    private var settings = ContextSettings()
    private var _pin: Pin = .unpinned
    private var followers: [WeakFollower] = []

    private struct WeakFollower { weak var follower: (any ContextFollower)? }

    /// Work that a call has to do first, as bits; usually 0. Costs each call one load.
    private let notes = Atomic<UInt8>(0)
    private static let hasEndedNote: UInt8 = 1
    private static let hasNewKeysNote: UInt8 = 2
    /// Permanent keys that other contexts of the tree have assigned since this one last checked.
    /// Guarded by identityLock.
    private var newKeys: [AssignedKey] = []
    /// Advanced when `settings` gets another undo manager, so that each change of a property need
    /// not take the lock.
    private let undoManagerChanges = Atomic<UInt64>(1)

    // Guarded by the queue. Those used for every changed object go without exclusivity checks: none
    // is being modified when other code is called.
    @exclusivity(unchecked) var insertedObjects = ObjectSet()
    @exclusivity(unchecked) var updatedObjects = ObjectSet()
    @exclusivity(unchecked) var deletedObjects = ObjectSet()
    @exclusivity(unchecked) var conflictMarks = ObjectSet()
    @exclusivity(unchecked) var retainedObjects = ObjectSet()
    /// The last applied value of `retainsRegisteredObjects`.
    var retainsObjects = false
    /// The consistent read that is under way.
    @exclusivity(unchecked) var consistentRead = ConsistentRead()
    /// One-entry cache for `readRank(ofStore:)`, valid while the pin's change count is `change`.
    @exclusivity(unchecked) var knownRank: (change: UInt64, store: Int32, rank: UInt64) = (0, 0, 0)
    /// Whether objects of the context may come from different states of the stores; see
    /// `ContextState+Inverses`.
    @exclusivity(unchecked) var isMixed = false
    /// The serial number of the generation set read last, and the rank of each store in it.
    @exclusivity(unchecked) var knownSerial: UInt64 = 0
    @exclusivity(unchecked) var knownRanks: [Int32: UInt64] = [:]
    /// By `Entity.index`; one for each store of which the context has objects.
    @exclusivity(unchecked) var bindings: [[EntityBinding]] = []
    /// Unregistered objects, either deleted by a save or new and removed again. They may refer to
    /// each other.
    @exclusivity(unchecked) private var goneObjects: [LightReference<ManagedObject>] = []
    /// Sweep threshold for `goneObjects`; deallocated entries are dropped when it is reached.
    @exclusivity(unchecked) private var goneLimit = 256

    /// Deleted objects whose delete rules have not been applied yet.
    @exclusivity(unchecked) var pendingDeletes = ObjectSet()
    /// Objects deleted by a merge: their rows are gone already.
    @exclusivity(unchecked) var mergedDeletions = ObjectSet()
    /// Inverse removals deferred until an owner is read.
    @exclusivity(unchecked) var deferredRemovals: [DeferredInverseRemovals] = []
    @exclusivity(unchecked) var hasDeferredRemovals = false
    /// Permanent keys of new objects whose insertion was undone. They have no rows.
    @exclusivity(unchecked) var takenBackKeys: Set<ObjectKey> = []
    /// New objects that are being deleted right now.
    @exclusivity(unchecked) var insertedDeletes: [ManagedObject] = []
    /// Objects that became new again and whose inverses have not been reconciled yet.
    var reinsertedObjects: [ManagedObject] = []
    @exclusivity(unchecked) var event = EventChanges()
    @exclusivity(unchecked) var changeSequence: UInt64 = 0
    /// Address of the object inserted or changed last, if it still exists.
    @exclusivity(unchecked) var lastChanged: UnsafeMutableRawPointer?
    /// Sequence numbers of objects with uniqueness constraints that changed again after others did;
    /// see `noteLastChange(of:)`.
    @exclusivity(unchecked) var laterChanges: [ObjectIdentifier: UInt64] = [:]
    /// Rows cached before this stamp must not be used (RFR-19).
    var floorStamp: UInt64 = 0
    /// The undo manager, and the value of `undoManagerChanges` for which it holds.
    @exclusivity(unchecked) private var knownRecorder: (change: UInt64, manager: UndoManager?) = (0, nil)
    /// Records in place of the context's undo manager; see `recording`.
    private var otherRecorder: UndoManager?
    var isInBlock = false
    /// Whether the main queue has been asked to end the event.
    var endsEventOnMainQueue = false
    /// The error of a merge whose caller did not wait for it, reported by the next save.
    var failureOfPutOffMerge: PinviewError?
    var isSaving = false
    /// True from the start of a save until it writes.
    var isPreparingSave = false
    /// True while the program's merge policy runs inside the write transaction.
    private var isResolvingConflicts = false
    /// Above 0 while a hook runs whose changes do not count.
    var unnoticedDepth = 0
    var objectsInPreparation: Set<ObjectIdentifier> = []
    private var hookTableIsKnown = false
    private var knownHookTable: HookTable?
    @exclusivity(unchecked) private var knownModel: ManagedObjectModel?
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

    deinit {
        children.release()
        _publicContext?.release()
        _coordinator?.contextEnded()
        _parent?.childEnded()
    }

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
        if hasDeferredRemovals, appliesDeferredRemovals { applyDeferredRemovals() }
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
        if !mustLook, !hasDeferredRemovals { return true }
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
            "This thread\(inside) would have deadlocked waiting for the context \(setting(\.name) ?? "without a name"): the thread that uses that "
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
        if hasDeferredRemovals, !isResolvingConflicts { applyDeferredRemovals() }
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
        if hasDeferredRemovals, appliesDeferredRemovals, !isResolvingConflicts { applyDeferredRemovals() }
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
        for child in childStates {
            child.identityLock.withLock {
                child.newKeys += keys
                _ = child.notes.bitwiseOr(Self.hasNewKeysNote, ordering: .releasing)
            }
            child.announce(keys)
        }
    }

    /// Renames objects that another context of the tree has given permanent keys (NST-12, ONE-01).
    /// On the queue.
    @inline(never)
    func takeNewKeys() {
        let keys = identityLock.withLock { () -> [AssignedKey] in
            defer { newKeys = [] }
            _ = notes.bitwiseAnd(~Self.hasNewKeysNote, ordering: .relaxed)
            return newKeys
        }
        let renamed = keys.compactMap { key in registeredObject(key.temporary).map { ($0, key.permanent) } }
        if !renamed.isEmpty { takeKeys(renamed) }
    }

    /// Announces a single key.
    func announce(_ permanent: ObjectKey, for temporary: ObjectKey) {
        let key = AssignedKey(temporary: temporary, permanent: permanent)
        PermanentKeys.shared.add([key])
        announce([key])
    }

    // MARK: Settings

    var publicContext: ManagedObjectContext? { identityLock.withLock { _publicContext?.object } }

    func setPublicContext(_ context: ManagedObjectContext) { identityLock.withLock { _publicContext = LightReference(context) } }

    var hasEnded: Bool { notes.load(ordering: .acquiring) & Self.hasEndedNote != 0 }

    func setting<T>(_ path: KeyPath<ContextSettings, T>) -> T { identityLock.withLock { settings[keyPath: path] } }

    func set<T>(_ path: WritableKeyPath<ContextSettings, T>, _ value: T) {
        // The old value may belong to the program and use the context as it is released.
        let old = identityLock.withLock { () -> T in
            let old = settings[keyPath: path]
            settings[keyPath: path] = value
            undoManagerChanges.add(1, ordering: .releasing)
            return old
        }
        withExtendedLifetime(old) {}
        queue.noteChange()
    }

    /// How old, in seconds, a cached row may be to fill a fault. Negative: any age. 0: the cache is
    /// never used.
    var stalenessInterval: Double {
        get { Double(bitPattern: stalenessBits.load(ordering: .acquiring)) }
        set {
            stalenessBits.store(newValue.bitPattern, ordering: .releasing)
            queue.noteChange()
        }
    }

    /// Runs a body with the undo manager that records changes, if there is one. On the queue.
    @inline(__always)
    func record(_ body: (UndoManager) -> Void) {
        let change = undoManagerChanges.load(ordering: .acquiring)
        if change != knownRecorder.change { knownRecorder = (change, otherRecorder ?? setting(\.undoManager)) }
        // The state keeps it alive, so no reference is counted.
        knownRecorder.manager.map { Unmanaged.passUnretained($0) }?._withUnsafeGuaranteedRef(body)
    }

    /// Records the changes that `body` makes in a manager other than the context's. On the queue.
    func recording<E: Error>(in manager: UndoManager, _ body: () throws(E) -> Void) throws(E) {
        let before = otherRecorder
        otherRecorder = manager
        knownRecorder = (0, nil)
        defer {
            otherRecorder = before
            knownRecorder = (0, nil)
        }
        try body()
    }

    /// The context's own parent, if it is a child.
    var parent: ContextState? { hasParent ? identityLock.withLock { _parent } : nil }
    var hasParent: Bool { parentIsSet.load(ordering: .acquiring) }
    var parentContext: ManagedObjectContext? { identityLock.withLock { _parentContext } }

    /// The coordinator at the root of the chain.
    var coordinator: PersistentStoreCoordinator? {
        coordinatorIsSet.load(ordering: .acquiring) ? _coordinator : parent?.coordinator
    }

    /// Runs a body with the coordinator, if there is one. The state keeps it alive, so no reference
    /// is counted.
    @inline(__always)
    func withCoordinator(_ body: (PersistentStoreCoordinator) -> Void) {
        guard coordinatorIsSet.load(ordering: .acquiring) else { return coordinator.map(body) ?? () }
        unmanagedCoordinator?._withUnsafeGuaranteedRef(body)
    }

    func requireCoordinator() throws(PinviewError) -> PersistentStoreCoordinator {
        guard let coordinator else {
            throw PinviewError(
                .noCoordinator,
                "The context has neither a persistent store coordinator nor a parent with one. Set one of them first.")
        }
        return coordinator
    }

    /// The model, which never changes once there is a coordinator. On the queue.
    var model: ManagedObjectModel? {
        if let knownModel { return knownModel }
        knownModel = coordinator?.managedObjectModel
        return knownModel
    }

    /// The hooks of the model's entities; nil when there are none.
    var hookTable: HookTable? {
        if !hookTableIsKnown, let coordinator {
            knownHookTable = coordinator.hookTable
            hookTableIsKnown = true
        }
        return knownHookTable
    }

    var hasOwnCoordinator: Bool { coordinatorIsSet.load(ordering: .acquiring) }

    /// - Returns: false if another coordinator or a parent has been set meanwhile.
    @discardableResult
    func adopt(coordinator: PersistentStoreCoordinator) -> Bool {
        let isFirst = identityLock.withLock { () -> Bool in
            guard _coordinator == nil, _parent == nil else { return false }
            _coordinator = coordinator
            unmanagedCoordinator = .passUnretained(coordinator)
            return true
        }
        guard isFirst else { return false }
        coordinatorIsSet.store(true, ordering: .releasing)
        coordinator.add(self)
        return true
    }

    func adopt(parent context: ManagedObjectContext) {
        identityLock.withLock {
            _parent = context.state
            _parentContext = context
        }
        parentIsSet.store(true, ordering: .releasing)
        context.state.addChild(self)
    }

    private func addChild(_ child: ContextState) {
        let living = identityLock.withLock { children.add(child) }
        withExtendedLifetime(living) {}
    }

    fileprivate func childEnded() {
        let living = identityLock.withLock { children.noteEnd() }
        withExtendedLifetime(living) {}
    }

    var childStates: [ContextState] { identityLock.withLock { children.objects } }

    // MARK: The pin

    /// Which generation the context reads.
    enum Pin {
        case unpinned
        /// The newest one, taken at the next read. `isAnnounced`: the program asked for it with
        /// `.current`, which is the context's token until then (DEC-02).
        case onRead(isAnnounced: Bool)
        case pinned(GenerationSet)

        var isPinned: Bool { if case .pinned = self { true } else { false } }
    }

    var pin: Pin { identityLock.withLock { _pin } }
    var isPinned: Bool { hasGeneration.load(ordering: .relaxed) }

    /// Changes which generation is read. Releases the old one at once, outside the lock.
    func setPin(_ pin: Pin) {
        let old = identityLock.withLock { () -> Pin in
            let old = _pin
            _pin = pin
            hasGeneration.store(pin.isPinned, ordering: .relaxed)
            pinChanges.add(1, ordering: .acquiringAndReleasing)
            return old
        }
        if case .pinned(let set) = old {
            switch pin {
            case .unpinned: break
            case .onRead: set.countAdvance()
            case .pinned(let new): if new !== set { set.countAdvance() }
            }
        }
        let difference = (pin.isPinned ? 1 : 0) - (old.isPinned ? 1 : 0)
        if difference != 0 { withCoordinator { _ = $0.rowCache.pinnedReaders.add(difference, ordering: .relaxed) } }
        withExtendedLifetime(old) {}
    }

    /// Whether another context may want rows that are no longer the newest.
    var othersArePinned: Bool { coordinator.map(othersArePinned) ?? false }

    func othersArePinned(on coordinator: PersistentStoreCoordinator) -> Bool {
        coordinator.rowCache.pinnedReaders.load(ordering: .relaxed) > (isPinned ? 1 : 0)
    }

    /// Makes a pinned context read the newest generation at its next read, after a save, a merge or
    /// a reset (DEC-01).
    /// - Returns: whether the context is pinned.
    @discardableResult
    func advancePinIfPinned() -> Bool {
        moveConsistentRead()
        switch pin {
        case .unpinned: return false
        case .onRead, .pinned: setPin(.onRead(isAnnounced: false))
        }
        markGenerationChange()
        return true
    }

    /// Changes which generation is read, and tells followers of the context.
    func move(to pin: Pin) {
        onQueueAlways {
            setPin(pin)
            moveConsistentRead()
            markGenerationChange()
        }
        tellFollowers()
    }

    /// Keeps this context from using rows that were cached before now (DEC-22).
    func markGenerationChange() {
        withCoordinator { floorStamp = $0.rowCache.advanceStamp() }
    }

    func addFollower(_ follower: any ContextFollower) {
        let living = identityLock.withLock { () -> [any ContextFollower] in
            let living = followers.compactMap(\.follower) + [follower]
            followers = living.map { WeakFollower(follower: $0) }
            return living
        }
        withExtendedLifetime(living) {}
    }

    /// The followers still alive. The last reference to one may be dropped here, so none is released
    /// inside the lock.
    private var livingFollowers: [any ContextFollower] { identityLock.withLock { followers.compactMap(\.follower) } }

    /// The names of the entities whose objects are followed.
    func followedEntities(of model: ManagedObjectModel) -> Set<String> {
        let followers = livingFollowers
        guard !followers.isEmpty else { return [] }
        return Set(model.entities.lazy.filter { entity in followers.contains { $0.follows(entity) } }.map(\.name))
    }

    /// Tells followers that the context reads another generation, on the main thread for a
    /// main-queue context.
    func tellFollowers() {
        let followers = livingFollowers
        guard !followers.isEmpty else { return }
        let work: @Sendable () -> Void = { for follower in followers { follower.generationDidChange() } }
        if isOffMainQueue { queue.performSoon(work) } else { onQueueAlways(work) }
    }

    /// The object's ID. Any thread.
    func objectID(of object: ManagedObject) -> ManagedObjectID {
        let key = identityLock.withLock { object.key }
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
        let programValues = identityLock.withLock { () -> ([String: Any], AnyObject?, MergePolicy) in
            defer { (settings.userInfo, settings.attachment, settings.mergePolicy) = ([:], nil, .error) }
            return (settings.userInfo, settings.attachment, settings.mergePolicy)
        }
        withExtendedLifetime((kept, programValues)) {}
    }

    /// Empties every collection that refers to objects, and returns the objects so that the caller
    /// can release them.
    private func takeAllStrongReferences() -> [[ManagedObject]] {
        setting(\.undoManager)?.discardForEndOfContext()
        knownRecorder = (0, nil)
        let kept = [insertedObjects, updatedObjects, deletedObjects, conflictMarks, retainedObjects].map { Array($0.values) }
        insertedObjects = ObjectSet()
        updatedObjects = ObjectSet()
        deletedObjects = ObjectSet()
        conflictMarks = ObjectSet()
        retainedObjects = ObjectSet()
        pendingDeletes = ObjectSet()
        mergedDeletions = ObjectSet()
        discardDeferredRemovals()
        reinsertedObjects = []
        _ = event.takeAll()
        // Objects that refer to each other would keep each other and this state alive.
        for object in registeredObjects + goneObjects.compactMap(\.object) {
            object.dropSlots()
            object.committed = .none
        }
        for gone in goneObjects { gone.release() }
        goneObjects = []
        return kept
    }

    /// Notes an object that the registry no longer leads to.
    func noteGone(_ object: ManagedObject) {
        // Drop deallocated entries now and then.
        if goneObjects.count >= goneLimit {
            goneObjects.removeAll { gone in
                if gone.object != nil { return false }
                gone.release()
                return true
            }
            goneLimit = max(256, goneObjects.count * 2)
        }
        goneObjects.append(LightReference(object))
    }
}

/// Properties of a context that any thread may set (CON-09).
struct ContextSettings {
    var name: String?
    var mergePolicy = MergePolicy.error
    var transactionAuthor: String?
    var retainsRegisteredObjects = false
    var shouldDeleteInaccessibleFaults = true
    var propagatesDeletesAtEndOfEvent = true
    var automaticallyMergesChangesFromParent = false
    var undoManager: UndoManager? = UndoManager()
    var userInfo: [String: Any] = [:]
    var attachment: AnyObject?
}

/// Changes since pending changes were last processed; they make up one objects-did-change
/// notification.
struct EventChanges {
    // Objects have flags that say whether they are in these sets, since every change of an object
    // asks.
    private(set) var inserted = ObjectSet()
    private(set) var updated = ObjectSet()
    var deleted = ObjectSet()
    var refreshed = ObjectSet()

    @inline(__always)
    mutating func noteInserted(_ object: ManagedObject) {
        guard !object.isNotedAsInserted else { return }
        object.isNotedAsInserted = true
        inserted.insertNew(object)
    }

    /// - Returns: whether the set had the object.
    mutating func forgetInserted(_ object: ManagedObject) -> Bool {
        guard object.isNotedAsInserted else { return false }
        object.isNotedAsInserted = false
        inserted.remove(object)
        return true
    }

    @inline(__always)
    mutating func noteUpdated(_ object: ManagedObject) {
        guard !object.isNotedAsUpdated else { return }
        object.isNotedAsUpdated = true
        updated.insertNew(object)
    }

    mutating func forgetUpdated(_ object: ManagedObject) {
        guard object.isNotedAsUpdated else { return }
        object.isNotedAsUpdated = false
        updated.remove(object)
    }

    /// Returns all changes and empties the sets.
    mutating func takeAll() -> EventChanges {
        let all = self
        self = EventChanges()
        all.inserted.forEachUncounted { $0.isNotedAsInserted = false }
        all.updated.forEachUncounted { $0.isNotedAsUpdated = false }
        return all
    }

    var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty }
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
