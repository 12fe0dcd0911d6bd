import PinviewModel
import PinviewStore

/// An object space: fetches, registers, changes and saves managed objects
/// (`NSManagedObjectContext`).
///
/// **Generations.** A new context is unpinned: each fetch sees the newest transaction. After
/// ``setQueryGeneration(from:)`` it reads one generation, whatever others commit, until it is told
/// to move on.
///
/// **Threads.** A context is its own queue. ``perform(_:)`` runs a block later,
/// ``performAndWait(_:)`` before it returns; two blocks never overlap. A direct call on a
/// private-queue context from any thread is serialised with its blocks; a main-queue context may be
/// called directly on the main thread or the main actor only (`wrongQueue` elsewhere; see
/// ``MainQueue``). Setters of the settings may be called from any thread.
///
/// **Lifetime.** The context ends when its last reference goes: its pin is let go, pending changes
/// are dropped, and its objects give `contextGone`. Blocks that wait keep it until they have run.
// Unchecked: all state is in `state`, which guards it.
public final class ManagedObjectContext: Hashable, CustomStringConvertible, @unchecked Sendable {
    let state: ContextState

    /// Makes a context; set its coordinator or its parent before its first use.
    public init(concurrencyType: ManagedObjectContextConcurrencyType) {
        state = ContextState(concurrencyType: concurrencyType)
        state.setPublicContext(self)
        state.setting(\.undoManager)?.state = state
    }

    /// Makes a context that belongs to the calling thread.
    @available(*, deprecated, message: "Use init(concurrencyType: .privateQueue).")
    public convenience init() {
        self.init(concurrencyType: .confinement)
    }

    deinit {
        state.end()
    }

    public static func == (left: ManagedObjectContext, right: ManagedObjectContext) -> Bool { left === right }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    public var description: String { "<ManagedObjectContext \(name ?? "unnamed")>" }

    /// Runs `body` as a direct call: with the queue held, after the checks of the calling thread.
    ///
    /// - Parameter appliesDeferredRemovals: whether deferred inverse removals are applied first.
    func call<R>(appliesDeferredRemovals: Bool = true, _ body: (ContextState) throws(PinviewError) -> R) throws(PinviewError) -> R {
        try state.enter(appliesDeferredRemovals: appliesDeferredRemovals)
        defer { state.leave() }
        return try body(state)
    }

    /// The same for a body that changes nothing that objects show. Firing faults is no change.
    private func read<R>(_ body: (ContextState) throws(PinviewError) -> R) throws(PinviewError) -> R {
        try state.enter(isReading: true)
        defer { state.leaveReading() }
        return try body(state)
    }

    // MARK: Configuring

    public var concurrencyType: ManagedObjectContextConcurrencyType { state.concurrencyType }

    /// The coordinator; for a child that of the root of its chain.
    public var persistentStoreCoordinator: PersistentStoreCoordinator? { state.coordinator }

    /// Sets the coordinator, once.
    ///
    /// - Throws: `coordinatorNil` for nil once it is set: release the context instead.
    ///   `invalidArgument` when the context has another coordinator or a parent already.
    public func setPersistentStoreCoordinator(_ coordinator: PersistentStoreCoordinator?) throws(PinviewError) {
        guard let coordinator else {
            guard state.coordinator == nil else {
                throw PinviewError(
                    .coordinatorNil, "The coordinator of a context cannot be taken away. To disconnect a context, release it.")
            }
            return
        }
        if state.hasOwnCoordinator, state.coordinator === coordinator { return }
        guard state.coordinator == nil, state.parent == nil, state.adopt(coordinator: coordinator) else {
            throw PinviewError(.invalidArgument, "The context has a coordinator or a parent already; it can be set only once.")
        }
    }

    /// The parent context, or nil for a root context.
    public var parent: ManagedObjectContext? { state.parentContext }

    /// Makes this context a child, once, before it has objects.
    ///
    /// - Throws: `parentCycle`, `confinementParent` when either is a confinement context,
    ///   `coordinatorNil` for nil once it is set, `invalidArgument` when the context has a
    ///   coordinator or a parent already.
    public func setParent(_ parent: ManagedObjectContext?) throws(PinviewError) {
        guard let parent else {
            guard state.parent == nil else {
                throw PinviewError(.coordinatorNil, "The parent of a context cannot be taken away. To disconnect a context, release it.")
            }
            return
        }
        if state.parent === parent.state { return }
        var ancestor: ContextState? = parent.state
        while let current = ancestor {
            guard current !== state else {
                throw PinviewError(.parentCycle, "A context cannot be the parent of itself or of one of its ancestors.")
            }
            ancestor = current.parent
        }
        guard parent.concurrencyType != .confinement, concurrencyType != .confinement else {
            throw PinviewError(.confinementParent, "A confinement context can be neither a parent nor a child. Use a queue-based context.")
        }
        guard state.coordinator == nil, state.parent == nil else {
            throw PinviewError(.invalidArgument, "The context has a coordinator or a parent already; it can be set only once.")
        }
        state.adopt(parent: parent)
    }

    /// A name for logs and for the history of a store.
    public var name: String? {
        get { state.setting(\.name) }
        set { state.set(\.name, newValue) }
    }

    /// Values of the program's own; they live as long as the context.
    public var userInfo: [String: Any] {
        get { state.setting(\.userInfo) }
        set { state.set(\.userInfo, newValue) }
    }

    /// What another language's interface keeps with the context; let go when the context ends.
    package var attachment: AnyObject? {
        get { state.setting(\.attachment) }
        set { state.set(\.attachment, newValue) }
    }

    /// What a save does about rows that others changed since. `.error` by default.
    public var mergePolicy: MergePolicy {
        get { state.setting(\.mergePolicy) }
        set {
            // The old one may be the last to refer to something of the program, which is let go
            // outside the lock.
            let old = state.setting(\.mergePolicy)
            state.set(\.mergePolicy, newValue)
            withExtendedLifetime(old) {}
        }
    }

    /// Who writes, for the history of a store.
    public var transactionAuthor: String? {
        get { state.setting(\.transactionAuthor) }
        set { state.set(\.transactionAuthor, newValue) }
    }

    /// Whether the context refers strongly to all its objects, not only to changed ones. False by
    /// default.
    public var retainsRegisteredObjects: Bool {
        get { state.setting(\.retainsRegisteredObjects) }
        set {
            state.set(\.retainsRegisteredObjects, newValue)
            state.onQueueAlways { state.applyRetainSetting() }
        }
    }

    /// Whether a fault whose row is gone becomes a deleted object without values, instead of an
    /// error. True by default.
    public var shouldDeleteInaccessibleFaults: Bool {
        get { state.setting(\.shouldDeleteInaccessibleFaults) }
        set { state.set(\.shouldDeleteInaccessibleFaults, newValue) }
    }

    /// Whether delete rules are applied at the end of the event, or only in the save. True by
    /// default.
    public var propagatesDeletesAtEndOfEvent: Bool {
        get { state.setting(\.propagatesDeletesAtEndOfEvent) }
        set { state.set(\.propagatesDeletesAtEndOfEvent, newValue) }
    }

    /// How old, in seconds, a cached row may be that fills a fault. Negative, the default: any age.
    /// 0: never from the cache.
    public var stalenessInterval: Double {
        get { state.stalenessInterval }
        set { state.stalenessInterval = newValue }
    }

    /// Whether saves of other contexts of the coordinator (for a child: of its parent) are merged
    /// without being asked.
    public var automaticallyMergesChangesFromParent: Bool { state.setting(\.automaticallyMergesChangesFromParent) }

    /// - Throws: `pinnedAutoMerge` for true on a context pinned to a generation that is not the
    ///   newest.
    public func setAutomaticallyMergesChangesFromParent(_ merges: Bool) throws(PinviewError) {
        if merges, case .pinned(let set) = state.pin, let coordinator = state.coordinator,
            !set.isNewest(of: coordinator.persistentStores.map(\.store))
        {
            throw PinviewError(
                .pinnedAutoMerge,
                "The context is pinned to a generation that is not the newest, so it cannot merge changes automatically. Pin it to .current first."
            )
        }
        state.set(\.automaticallyMergesChangesFromParent, merges)
    }

    /// Records changes so that they can be undone; present by default, nil records nothing.
    ///
    /// A manager serves one context: one that another context had is taken from it. What the old
    /// and the new manager had recorded is forgotten.
    public var undoManager: UndoManager? {
        get { state.setting(\.undoManager) }
        set {
            let old = state.setting(\.undoManager)
            if let old, old === newValue { return }
            old?.removeAllActions()
            old?.state = nil
            if let newValue {
                newValue.removeAllActions()
                newValue.state?.set(\.undoManager, nil)
                newValue.state = state
            }
            state.set(\.undoManager, newValue)
        }
    }

    // MARK: Locking

    /// Takes the context's own recursive lock, waiting while another thread has it. It serves
    /// programs that use it among themselves: it does not stop blocks from running and is no
    /// substitute for ``perform(_:)``.
    @available(*, deprecated, message: "Use perform or performAndWait.")
    public func lock() { state.programLock.lock() }

    /// Gives back one level of the lock.
    ///
    /// - Throws: `notLocked` when the calling thread does not hold it.
    @available(*, deprecated, message: "Use perform or performAndWait.")
    public func unlock() throws(PinviewError) {
        guard state.programLock.unlock() else {
            throw PinviewError(
                .notLocked, "The context was unlocked by a thread that does not hold its lock. Call lock() or tryLock() first.")
        }
    }

    /// Takes the lock like ``lock()`` where that needs no waiting; false when another thread has
    /// it.
    @available(*, deprecated, message: "Use perform or performAndWait.")
    public func tryLock() -> Bool { state.programLock.tryLock() }

    // MARK: Query generations

    /// The generation that the context reads: ``QueryGenerationToken/current`` from pinning to it
    /// until the first read, then the token of the real generation. Does not read.
    ///
    /// Nil does not mean unpinned: it is also what a pinned context has between a save, a reset or
    /// a merge and its next read, which takes the newest generation. ``queryGenerationState`` tells
    /// the two apart. Always nil for a child.
    public var queryGenerationToken: QueryGenerationToken? {
        guard state.parent == nil else { return nil }
        switch state.pin {
        case .unpinned: return nil
        case .onRead(let isAnnounced): return isAnnounced ? .current : nil
        case .pinned(let set): return state.coordinator?.token(for: set)
        }
    }

    /// Whether the context is pinned, and whether it has taken its generation yet. Does not read;
    /// any thread. A child answers for the root of its chain, through which it reads.
    public var queryGenerationState: QueryGenerationState {
        switch rootState.pin {
        case .unpinned: .unpinned
        case .onRead: .pinnedAtNextRead
        case .pinned: .pinned
        }
    }

    /// Pins the context to a generation, advances it, or unpins it
    /// (`setQueryGenerationFrom:error:`).
    ///
    /// With ``QueryGenerationToken/current`` the next read takes the newest generation and the
    /// context stays there. With another context's token it reads exactly that one; the token may
    /// come from another process, which has turned it into data, and then this process holds the
    /// generation, too. With nil it is unpinned. Registered objects are not refreshed; pending
    /// changes stay. May be called from any thread; where waiting for the context would never end,
    /// because who uses it waits for the calling thread, the context moves as soon as it is free
    /// instead. With a ``FetchedResultsController`` it is a read, for that fetches anew at once.
    ///
    /// - Throws: `nestedPin` on a child, `noCoordinator`, `foreignToken`, `generationExpired`,
    ///   134070 for a token that covers a removed store, `pinnedAutoMerge`. The context stays as it
    ///   was then.
    public func setQueryGeneration(from token: QueryGenerationToken?) throws(PinviewError) {
        guard state.parent == nil else {
            throw PinviewError(
                .nestedPin, "A child context reads through its parent and cannot be pinned itself. Set the generation of the root context.")
        }
        let coordinator = try state.requireCoordinator()
        var pin = ContextState.Pin.unpinned
        if let token {
            if token.isCurrent {
                pin = .onRead(isAnnounced: true)
            } else {
                let set = try coordinator.generationSet(for: token)
                if state.setting(\.automaticallyMergesChangesFromParent), !set.isNewest(of: coordinator.persistentStores.map(\.store)) {
                    throw PinviewError(
                        .pinnedAutoMerge,
                        "The context merges changes automatically, so it cannot be pinned to a generation that is not the newest.")
                }
                pin = .pinned(set)
            }
        }
        // A pin costs microseconds: what only a wait needs is made only then.
        if !state.queue.enterIfFree() {
            guard state.queue.enter(orPutOff: { [self, pin] in if !state.hasEnded { state.move(to: pin) } }) else { return }
        }
        defer { state.queue.leave() }
        state.move(to: pin)
    }

    // MARK: Registering and fetching

    /// Stops the fetch that the context is carrying out, from any other thread: SQLite's statement
    /// ends within microseconds, and the fetch fails with `userCancelled`. The context stays as it
    /// is. Without a fetch it does nothing; asynchronous fetches have a
    /// ``AsynchronousFetchResult/cancel()`` of their own. It also stops the batches that streams of
    /// columns of the context are reading.
    public func interruptFetch() {
        state.fetchMonitor.cancel()
        state.columnReads.cancel()
    }

    private func interruptible<R>(
        refreshing: Bool = false, timeout: Double? = nil, _ body: (ContextState) throws(PinviewError) -> R
    ) throws(PinviewError) -> R {
        try FetchRequest.check(timeout: timeout)
        return try read { (state) throws(PinviewError) in
            try state.queue.changing(refreshing || state.hasUnprocessedChanges) { () throws(PinviewError) in
                guard state.fetchMonitor.begin(timeout: timeout) else { return try body(state) }
                defer { state.fetchMonitor.end() }
                return try state.fetchMonitor.watching { () throws(PinviewError) in try body(state) }
            }
        }
    }

    /// The objects that match, registered and in order.
    ///
    /// What a fetch answers is of one state of each store, also in an unpinned context while others
    /// commit: the objects, their order, what is prefetched, and with
    /// ``FetchRequest/returnsObjectsAsFaults`` false the values of the objects and of what is
    /// prefetched. Objects that had values keep them. For faults and pages see ``FetchResult``.
    /// From a store without generations (in memory, or not in WAL mode) what one statement reads is
    /// of one state: the objects and their values, but not what is prefetched for them.
    public func fetch(_ request: FetchRequest) throws(PinviewError) -> FetchResult {
        try interruptible(refreshing: request.shouldRefreshRefetchedObjects, timeout: request.timeout) { (state) throws(PinviewError) in
            try state.fetch(request)
        }
    }

    /// The IDs of the objects that match, in order.
    public func fetchObjectIDs(_ request: FetchRequest) throws(PinviewError) -> [ManagedObjectID] {
        try interruptible(timeout: request.timeout) { (state) throws(PinviewError) in try state.fetchObjectIDs(request) }
    }

    /// Rows of named values, whatever the request's result type says. They are those of the stores
    /// at the context's generation; unsaved changes do not count.
    public func fetchDictionaries(_ request: FetchRequest) throws(PinviewError) -> DictionaryResult {
        try interruptible(timeout: request.timeout) { (state) throws(PinviewError) in try state.fetchDictionaries(request) }
    }

    /// How the stores would carry out a fetch: statements, values and query plans. It is a read,
    /// but nothing is fetched.
    public func explain(_ request: FetchRequest) throws(PinviewError) -> [FetchExplanation] {
        try call { (state) throws(PinviewError) in try state.explain(request) }
    }

    /// How many objects ``fetch(_:)`` would give.
    public func count(for request: FetchRequest) throws(PinviewError) -> Int {
        try interruptible(timeout: request.timeout) { (state) throws(PinviewError) in try state.count(request) }
    }

    /// Carries out a fetch, batch or history request.
    ///
    /// - Throws: 134091 for a request that cannot be executed; else what the request's own errors
    ///   are.
    public func execute(_ request: any PersistentStoreRequest) throws(PinviewError) -> PersistentStoreResult {
        if let request = request as? AsynchronousFetchRequest { return .asynchronous(try execute(request)) }
        if let fetch = request as? FetchRequest {
            switch fetch.resultType {
            case .managedObject: return .objects(try self.fetch(fetch))
            case .managedObjectID: return .objectIDs(try fetchObjectIDs(fetch))
            case .dictionary: return .dictionaries(try fetchDictionaries(fetch))
            case .count: return .count(try count(for: fetch))
            }
        }
        return try call { (state) throws(PinviewError) in
            switch request {
            case let update as BatchUpdateRequest:
                return try state.execute(update)
            case let insert as BatchInsertRequest: return try state.execute(insert)
            case let delete as BatchDeleteRequest: return try state.execute(delete)
            case let history as PersistentHistoryChangeRequest: return try state.execute(history)
            default:
                throw PinviewError(
                    .persistentStoreUnsupportedRequest,
                    "A request of the type \(type(of: request)) cannot be executed; fetch, batch and history requests can.")
            }
        }
    }

    /// Carries out a batch insert, and says what became of its rows: ``execute(_:)`` counts those
    /// that were inserted or updated.
    public func batchInsert(_ request: BatchInsertRequest) throws(PinviewError) -> BatchInsertResult {
        try call { (state) throws(PinviewError) in try state.insertBatch(request) }
    }

    /// The registered objects that are alive, faults too.
    public var registeredObjects: Set<ManagedObject> { Set(state.registeredObjects) }

    /// The registered object of an ID, or nil. Never reads the store.
    public func registeredObject(for objectID: ManagedObjectID) throws(PinviewError) -> ManagedObject? {
        try read { (state) in state.registeredObject(for: objectID) }
    }

    /// The object of an ID: the registered one, or a new fault. Neither reads the store nor looks
    /// whether the row exists.
    public func object(with objectID: ManagedObjectID) throws(PinviewError) -> ManagedObject {
        if let object = state.registeredObjectAtOnce(objectID.key) { return object }
        return try read { (state) throws(PinviewError) in try state.object(with: objectID) }
    }

    /// The object of an ID with its values loaded.
    ///
    /// - Throws: 133000 when there is no such row.
    public func existingObject(with objectID: ManagedObjectID) throws(PinviewError) -> ManagedObject {
        try read { (state) throws(PinviewError) in try state.existingObject(with: objectID) }
    }

    /// The objects of many IDs, in their order: for each what ``object(with:)`` gives. Never reads.
    ///
    /// Reading one of those that are faults reads the rows of the others along with it, as with the
    /// objects of one fetch.
    public func objects(with objectIDs: [ManagedObjectID]) throws(PinviewError) -> [ManagedObject] {
        try read { (state) throws(PinviewError) in
            let objects = try state.objects(with: objectIDs)
            state.noteSiblings(objects)
            return objects
        }
    }

    /// The objects of many IDs with their values loaded, in their order: for each what
    /// ``existingObject(with:)`` gives.
    ///
    /// What is not in memory is read at once: a statement for each store and hierarchy of entities
    /// (for every 1,000 objects one). An ID that is given twice gives the same object twice.
    /// ``interruptFetch()`` stops the reading. The values of those that were faults are of one
    /// state of each store, also in an unpinned context.
    ///
    /// - Throws: 133000 when there is no row of one of them; `affectedObjectIDs` tells which. All
    ///   objects stay as they were, but for faults before that one, which may have got their
    ///   values.
    public func existingObjects(with objectIDs: [ManagedObjectID]) throws(PinviewError) -> [ManagedObject] {
        try interruptible { (state) throws(PinviewError) in try state.existingObjects(with: objectIDs) }
    }

    // MARK: Managing objects

    /// Objects inserted and not saved yet.
    public var insertedObjects: Set<ManagedObject> { state.readOnQueue { Set(state.insertedObjects.values) } }
    /// Stored objects with uncommitted changes.
    public var updatedObjects: Set<ManagedObject> { state.readOnQueue { Set(state.updatedObjects.values) } }
    /// Objects that the next save will remove.
    public var deletedObjects: Set<ManagedObject> { state.readOnQueue { Set(state.deletedObjects.values) } }
    /// Whether there is an uncommitted insert, update or delete.
    public var hasChanges: Bool { state.readOnQueue { state.hasChanges } }

    /// Makes a new object with a temporary ID and the default values of its entity
    /// (`NSEntityDescription.insertNewObject(forEntityName:into:)`).
    public func insertNewObject(forEntityName entityName: String) throws(PinviewError) -> ManagedObject {
        try call { (state) throws(PinviewError) in try state.insertNewObject(entityName: entityName) }
    }

    /// The same for a name as UTF-8; nil for one that the model has no entity of.
    package func insertNewObject(forEntityNamed name: UnsafeBufferPointer<UInt8>) throws(PinviewError) -> ManagedObject? {
        try call { (state) throws(PinviewError) in
            guard let entity = state.model?.entity(named: name) else { return nil }
            return try state.insertNewObject(entity)
        }
    }

    /// Registers an object that was taken out of the context for the next save; one that is in it
    /// stays as it is.
    public func insert(_ object: ManagedObject) throws(PinviewError) {
        try call { (state) throws(PinviewError) in try state.insert(object) }
    }

    /// Marks an object for removal at the next save.
    public func delete(_ object: ManagedObject) throws(PinviewError) {
        try call(appliesDeferredRemovals: false) { (state) throws(PinviewError) in try state.delete(object) }
    }

    /// Says which store a new object is to be saved in.
    ///
    /// - Throws: `wrongStore` when the store lacks the entity or the object is saved elsewhere
    ///   already.
    public func assign(_ object: ManagedObject, to store: PersistentStore) throws(PinviewError) {
        try call { (state) throws(PinviewError) in try state.assign(object, to: store) }
    }

    /// Gives new objects their permanent IDs before they are saved. Those that have one are passed
    /// over.
    public func obtainPermanentIDs(for objects: [ManagedObject]) throws(PinviewError) {
        try call { (state) throws(PinviewError) in try state.obtainPermanentIDs(for: objects) }
    }

    /// Lets the next save fail (or be resolved by the merge policy) when the object's row has
    /// changed, though the object has not.
    public func detectConflicts(for object: ManagedObject) throws(PinviewError) {
        try call { (state) throws(PinviewError) in try state.detectConflicts(for: object) }
    }

    /// With `mergeChanges` gives the object the values now available, keeping local changes;
    /// without, drops its values and changes and makes it a fault.
    public func refresh(_ object: ManagedObject, mergeChanges: Bool) throws(PinviewError) {
        try call { (state) throws(PinviewError) in
            try state.refresh(object, mergeChanges: mergeChanges)
            if !state.isInBlock { state.postObjectsDidChange() }
        }
    }

    /// Makes every clean object a fault and merges those with pending changes.
    public func refreshAllObjects() throws(PinviewError) {
        try call { (state) throws(PinviewError) in try state.refreshAllObjects() }
    }

    /// Works the changes so far into the graph and announces them.
    ///
    /// - Throws: what a delete rule could not load; the error of a merge that was put off
    ///   (``mergeChanges(fromContextDidSave:)``), before anything is done.
    public func processPendingChanges() throws(PinviewError) {
        try call(appliesDeferredRemovals: false) { (state) throws(PinviewError) in
            try state.reportFailureOfPutOffMerge()
            try state.processPendingChanges(mayDeferRemovals: true)
            if !state.isInBlock { state.endEvent() }
        }
    }

    // MARK: Saving and discarding

    /// Writes all pending changes one store up: into the parent, or into the stores, each in one
    /// transaction.
    ///
    /// - Throws: 1550…1690 for objects that are not valid, 133020 for conflicts, 134030 when the
    ///   store cannot be written; the error of a merge that was put off
    ///   (``mergeChanges(fromContextDidSave:)``), once. Nothing is written then, and the pending
    ///   changes stay.
    public func save() throws(PinviewError) {
        try call(appliesDeferredRemovals: false) { (state) throws(PinviewError) in
            try state.reportFailureOfPutOffMerge()
            try state.save()
        }
    }

    /// Discards all pending changes; objects get their last committed values, without a read.
    public func rollback() throws(PinviewError) {
        try call { (state) throws(PinviewError) in
            try state.requireNoSave("A rollback")
            state.rollback()
        }
    }

    /// Forgets all objects. Handles to them become invalid.
    public func reset() throws(PinviewError) {
        try call { (state) throws(PinviewError) in
            try state.requireNoSave("A reset")
            state.reset()
        }
    }

    /// Takes the latest group of changes back; does nothing without one.
    public func undo() throws(PinviewError) {
        try call { (state) throws(PinviewError) in try state.undo() }
    }

    /// Applies the latest undone group again; does nothing without one.
    public func redo() throws(PinviewError) {
        try call { (state) throws(PinviewError) in try state.redo() }
    }
}
