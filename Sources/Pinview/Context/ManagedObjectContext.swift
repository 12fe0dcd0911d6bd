import PinviewModel
import PinviewStore

/// An object space: fetches, registers, changes and saves managed objects
/// (`NSManagedObjectContext`).
///
/// **Generations.** A new context is unpinned: each fetch sees the newest transaction. After
/// ``setQueryGeneration(from:)`` it reads one generation, whatever others commit, until it is
/// moved.
///
/// **Threads.** A context is its own queue. ``perform(_:)`` runs a block later,
/// ``performAndWait(_:)`` before it returns, and two blocks never overlap. A private-queue context
/// may be called directly on any thread; the call is serialised with its blocks. A main-queue
/// context may be called directly on the main thread or the main actor only (`wrongQueue`
/// elsewhere; see ``MainQueue``). The settings may be changed on any thread.
///
/// **Lifetime.** The context ends when its last reference is released: its pin is released, pending
/// changes are dropped, and its objects fail with `contextGone`. Waiting blocks keep it alive until
/// they have run.
public final class ManagedObjectContext: Hashable, CustomStringConvertible, @unchecked Sendable {  // `state` guards all state
    let state: ContextState

    /// Makes a context. Set its coordinator or its parent before its first use.
    public init(concurrencyType: ManagedObjectContextConcurrencyType) {
        state = ContextState(concurrencyType: concurrencyType)
        state.position.set(publicContext: self)
        state.settings.undoManager?.state = state
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

    /// Runs `body` as a direct call: inside the queue, after checking the calling thread.
    ///
    /// - Parameter appliesDeferredRemovals: whether deferred inverse removals are applied first.
    func call<R>(appliesDeferredRemovals: Bool = true, _ body: (ContextState) throws(PinviewError) -> R) throws(PinviewError) -> R {
        try state.enter(appliesDeferredRemovals: appliesDeferredRemovals)
        defer { state.leave() }
        return try body(state)
    }

    /// Runs a body that changes nothing that objects show as a direct call. Firing faults does not
    /// count as a change.
    private func read<R>(_ body: (ContextState) throws(PinviewError) -> R) throws(PinviewError) -> R {
        try state.enter(isReading: true)
        defer { state.leaveReading() }
        return try body(state)
    }

    // MARK: Configuring

    /// On which thread the context's work runs.
    public var concurrencyType: ManagedObjectContextConcurrencyType { state.concurrencyType }

    /// The coordinator; for a child, that of the root of its chain.
    public var persistentStoreCoordinator: PersistentStoreCoordinator? { state.coordinator }

    /// Sets the coordinator, once.
    ///
    /// - Throws: `coordinatorNil` for nil once it is set (release the context instead);
    ///   `invalidArgument` if the context already has another coordinator or a parent.
    public func setPersistentStoreCoordinator(_ coordinator: PersistentStoreCoordinator?) throws(PinviewError) {
        guard let coordinator else {
            guard state.coordinator == nil else {
                throw PinviewError(
                    .coordinatorNil, "The coordinator of a context cannot be removed. To disconnect a context, release it.")
            }
            return
        }
        if state.hasOwnCoordinator, state.coordinator === coordinator { return }
        guard state.coordinator == nil, state.parent == nil, state.adopt(coordinator: coordinator) else {
            throw PinviewError(.invalidArgument, "The context already has a coordinator or a parent, which can only be set once.")
        }
    }

    /// The parent context, or nil for a root context.
    public var parent: ManagedObjectContext? { state.parentContext }

    /// Makes this context a child. Possible once, before it has objects.
    ///
    /// - Throws: `parentCycle`; `confinementParent` if either is a confinement context;
    ///   `coordinatorNil` for nil once it is set; `invalidArgument` if the context already has a
    ///   coordinator or a parent.
    public func setParent(_ parent: ManagedObjectContext?) throws(PinviewError) {
        guard let parent else {
            guard state.parent == nil else {
                throw PinviewError(.coordinatorNil, "The parent of a context cannot be removed. To disconnect a context, release it.")
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
            throw PinviewError(.invalidArgument, "The context already has a coordinator or a parent, which can only be set once.")
        }
        state.adopt(parent: parent)
    }

    /// A name for logs and for the store's history. Any thread.
    public var name: String? {
        get { state.settings.name }
        set { state.set(\.name, newValue) }
    }

    /// Values of the program's own, which live as long as the context. Any thread.
    public var userInfo: [String: Any] {
        get { state.settings.userInfo }
        set { state.set(\.userInfo, newValue) }
    }

    /// Data of another language's interface, released when the context ends.
    package var attachment: AnyObject? {
        get { state.settings.attachment }
        set { state.set(\.attachment, newValue) }
    }

    /// How a save resolves conflicts with rows that others have changed. `.error` by default. Any
    /// thread.
    public var mergePolicy: MergePolicy {
        get { state.settings.mergePolicy }
        set {
            // The old policy may hold the last reference to something of the program's, which is
            // released outside the lock.
            let old = state.settings.mergePolicy
            state.set(\.mergePolicy, newValue)
            withExtendedLifetime(old) {}
        }
    }

    /// The author of this context's transactions, for the store's history. Any thread.
    public var transactionAuthor: String? {
        get { state.settings.transactionAuthor }
        set { state.set(\.transactionAuthor, newValue) }
    }

    /// Whether the context refers strongly to all its objects instead of only to changed ones.
    /// False by default. Any thread.
    public var retainsRegisteredObjects: Bool {
        get { state.settings.retainsRegisteredObjects }
        set {
            state.set(\.retainsRegisteredObjects, newValue)
            state.onQueueAlways { state.applyRetainSetting() }
        }
    }

    /// Whether a fault whose row is gone becomes a deleted object without values, instead of an
    /// error. True by default. Any thread.
    public var shouldDeleteInaccessibleFaults: Bool {
        get { state.settings.shouldDeleteInaccessibleFaults }
        set { state.set(\.shouldDeleteInaccessibleFaults, newValue) }
    }

    /// Whether delete rules are applied at the end of each event instead of only in the save. True
    /// by default. Any thread.
    public var propagatesDeletesAtEndOfEvent: Bool {
        get { state.settings.propagatesDeletesAtEndOfEvent }
        set { state.set(\.propagatesDeletesAtEndOfEvent, newValue) }
    }

    /// How old, in seconds, a cached row may be to fill a fault. Negative, the default: any age. 0:
    /// the cache is never used. Any thread.
    public var stalenessInterval: Double {
        get { state.settings.stalenessInterval }
        set { state.setStalenessInterval(newValue) }
    }

    /// How long a call may read or write, in seconds; nil, the default, for no limit. Any thread.
    ///
    /// It applies to each save, each batch request, each firing of a fault and each fetch that has
    /// no ``FetchRequest/timeout`` of its own, from the moment at which the context begins with it.
    /// A call that takes longer fails with `timedOut`: SQLite's statement, or the wait for another
    /// writer, ends within milliseconds. A save that failed in this way has written nothing, and
    /// its changes stay pending. A commit that has begun is finished.
    public var timeout: Double? { state.settings.timeout }

    /// Sets the timeout of calls. Any thread.
    ///
    /// - Throws: `invalidArgument` for a negative number or NaN.
    public func setTimeout(_ seconds: Double?) throws(PinviewError) {
        if let seconds, !(seconds >= 0) {
            throw PinviewError(.invalidArgument, "The timeout of a context must be at least 0 seconds, got \(seconds).")
        }
        state.setTimeout(seconds)
    }

    /// Whether saves of other contexts of the coordinator (for a child: of its parent) are merged
    /// automatically. False by default.
    public var automaticallyMergesChangesFromParent: Bool { state.settings.mergesAutomatically }

    /// Sets whether saves of other contexts are merged automatically. Any thread.
    ///
    /// - Throws: `pinnedAutoMerge` for true on a context pinned to a generation that is not the
    ///   newest.
    public func setAutomaticallyMergesChangesFromParent(_ merges: Bool) throws(PinviewError) {
        if merges, case .pinned(let set) = state.pin.target, let coordinator = state.coordinator,
            !set.isNewest(of: coordinator.persistentStores.map(\.store))
        {
            throw PinviewError(
                .pinnedAutoMerge,
                "The context is pinned to a generation that is not the newest, so it cannot merge changes automatically. Pin it to the current generation first."
            )
        }
        state.setMergesAutomatically(merges)
    }

    /// Records changes so that they can be undone. Every context has one by default; with nil,
    /// nothing is recorded.
    ///
    /// A manager serves one context: assigning one takes it from its former context. What the old
    /// and the new manager have recorded is discarded.
    public var undoManager: UndoManager? {
        get { state.settings.undoManager }
        set {
            let old = state.settings.undoManager
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

    /// Takes the context's own recursive lock, waiting while another thread holds it. Programs may
    /// use it to coordinate their own threads. It does not keep blocks from running and is no
    /// substitute for ``perform(_:)``.
    @available(*, deprecated, message: "Use perform or performAndWait.")
    public func lock() { state.programLock.lock() }

    /// Releases one level of the lock.
    ///
    /// - Throws: `notLocked` if the calling thread does not hold it.
    @available(*, deprecated, message: "Use perform or performAndWait.")
    public func unlock() throws(PinviewError) {
        guard state.programLock.unlock() else {
            throw PinviewError(
                .notLocked, "The context was unlocked by a thread that does not hold its lock. Lock it first.")
        }
    }

    /// Takes the lock like ``lock()`` if that needs no waiting.
    ///
    /// - Returns: false if another thread holds it.
    @available(*, deprecated, message: "Use perform or performAndWait.")
    public func tryLock() -> Bool { state.programLock.tryLock() }

    // MARK: Query generations

    /// The generation that the context reads: ``QueryGenerationToken/current`` from pinning to it
    /// until the first read, then the token of the actual generation. Does not read.
    ///
    /// Nil does not mean unpinned: between a save, a reset or a merge and its next read, which
    /// takes the newest generation, a pinned context has no token either. ``queryGenerationState``
    /// tells the two apart. Always nil for a child.
    public var queryGenerationToken: QueryGenerationToken? {
        guard state.parent == nil else { return nil }
        switch state.pin.target {
        case .unpinned: return nil
        case .onRead(let isAnnounced): return isAnnounced ? .current : nil
        case .pinned(let set): return state.coordinator?.token(for: set)
        }
    }

    /// Whether the context is pinned, and whether it has taken its generation yet. Does not read.
    /// Any thread. A child returns the state of the root of its chain, through which it reads.
    public var queryGenerationState: QueryGenerationState { rootState.pin.state }

    /// Pins the context to a generation, advances it, or unpins it
    /// (`setQueryGenerationFrom:error:`).
    ///
    /// With ``QueryGenerationToken/current``, the next read takes the newest generation, and the
    /// context stays there. With another context's token, it reads exactly that generation. A token
    /// may come from another process as data; then this process holds the generation too. With nil,
    /// the context is unpinned. Registered objects are not refreshed, and pending changes stay. If
    /// the context has a ``FetchedResultsController``, this reads, since the controller fetches
    /// again at once. May be called on any thread; if waiting for the context would deadlock, the
    /// context is moved as soon as it is free.
    ///
    /// - Throws: `nestedPin` on a child, `noCoordinator`, `foreignToken`, `generationExpired`,
    ///   134070 for a token that covers a removed store, `pinnedAutoMerge`. The context then stays
    ///   as it was.
    public func setQueryGeneration(from token: QueryGenerationToken?) throws(PinviewError) {
        guard state.parent == nil else {
            throw PinviewError(
                .nestedPin, "A child context reads through its parent and cannot be pinned itself. Set the generation of the root context.")
        }
        guard state.hasOwnCoordinator else { throw ContextState.noCoordinatorError }
        var pin = GenerationPin.Target.unpinned
        if let token {
            if token.isCurrent {
                pin = .onRead(isAnnounced: true)
            } else {
                let coordinator = try state.requireCoordinator(), set = try coordinator.generationSet(for: token)
                if state.settings.mergesAutomatically, !set.isNewest(of: coordinator.persistentStores.map(\.store)) {
                    throw PinviewError(
                        .pinnedAutoMerge,
                        "The context merges changes automatically, so it cannot be pinned to a generation that is not the newest.")
                }
                pin = .pinned(set)
            }
        }
        // A pin costs microseconds, so prepare for waiting only if it has to wait.
        if !state.queue.enterIfFree() {
            guard state.queue.enter(orPutOff: { [self, pin] in if !state.hasEnded { state.move(to: pin) } }) else { return }
        }
        defer { state.queue.leave() }
        state.move(to: pin)
    }

    // MARK: Registering and fetching

    /// Stops the fetch that the context is running: SQLite's statement ends within microseconds,
    /// and the fetch fails with `userCancelled`. The context stays as it is. Also stops batches
    /// that column streams of the context are reading, but not asynchronous fetches, which have
    /// ``AsynchronousFetchResult/cancel()``. Does nothing without a fetch. Any thread.
    public func interruptFetch() {
        state.fetchMonitor.cancel()
        state.columnReads.cancel()
    }

    /// Stops what the context is doing: the fetch, as ``interruptFetch()`` does, the firing of a
    /// fault, a save before its commit, or a batch request. The call fails with `userCancelled`,
    /// and nothing is lost: a fault stays a fault, a stopped save has written nothing, and its
    /// changes stay pending. Does nothing if the context is idle or has begun to commit. Any
    /// thread.
    public func interrupt() {
        interruptFetch()
        state.callMonitor.cancel()
    }

    private func interruptible<R>(
        refreshing: Bool = false, timeout: Double? = nil, _ body: (ContextState) throws(PinviewError) -> R
    ) throws(PinviewError) -> R {
        try FetchRequest.check(timeout: timeout)
        return try read { (state) throws(PinviewError) in
            try state.queue.changing(refreshing || state.hasUnprocessedChanges) { () throws(PinviewError) in
                try state.interruptibly(state.fetchMonitor, timeout: timeout) { () throws(PinviewError) in try body(state) }
            }
        }
    }

    private func interruptibleCall<R>(_ body: (ContextState) throws(PinviewError) -> R) throws(PinviewError) -> R {
        try call { (state) throws(PinviewError) in
            try state.interruptibly(state.callMonitor) { () throws(PinviewError) in try body(state) }
        }
    }

    /// Fetches the matching objects, registered and in order.
    ///
    /// The result reflects one state of each store, even in an unpinned context while others
    /// commit: the objects, their order, what is prefetched and, with
    /// ``FetchRequest/returnsObjectsAsFaults`` false, the values of the objects and of what is
    /// prefetched. Objects that already had values keep them. For faults and pages see
    /// ``FetchResult``. From a store without generations (in memory, or not in WAL mode), what one
    /// statement reads is of one state: the objects and their values, but not what is prefetched
    /// for them.
    public func fetch(_ request: FetchRequest) throws(PinviewError) -> FetchResult {
        try interruptible(refreshing: request.shouldRefreshRefetchedObjects, timeout: request.timeout) { (state) throws(PinviewError) in
            try state.fetch(request)
        }
    }

    /// Fetches the IDs of the matching objects, in order.
    public func fetchObjectIDs(_ request: FetchRequest) throws(PinviewError) -> [ManagedObjectID] {
        try interruptible(timeout: request.timeout) { (state) throws(PinviewError) in try state.fetchObjectIDs(request) }
    }

    /// Fetches rows of named values, whatever the request's result type. They come from the stores
    /// at the context's generation; unsaved changes are not included.
    public func fetchDictionaries(_ request: FetchRequest) throws(PinviewError) -> DictionaryResult {
        try interruptible(timeout: request.timeout) { (state) throws(PinviewError) in try state.fetchDictionaries(request) }
    }

    /// Shows how the stores would carry out a fetch: statements, values and query plans. Counts as
    /// a read, but fetches nothing.
    public func explain(_ request: FetchRequest) throws(PinviewError) -> [FetchExplanation] {
        try call { (state) throws(PinviewError) in try state.explain(request) }
    }

    /// Counts the objects that ``fetch(_:)`` would return.
    public func count(for request: FetchRequest) throws(PinviewError) -> Int {
        try interruptible(timeout: request.timeout) { (state) throws(PinviewError) in try state.count(request) }
    }

    /// Carries out a fetch, batch or history request.
    ///
    /// - Throws: 134091 for a request that cannot be executed; otherwise the errors of the request
    ///   itself.
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
        return try interruptibleCall { (state) throws(PinviewError) in
            switch request {
            case let update as BatchUpdateRequest:
                return try state.execute(update)
            case let insert as BatchInsertRequest: return try state.execute(insert)
            case let delete as BatchDeleteRequest: return try state.execute(delete)
            case let history as PersistentHistoryChangeRequest: return try state.execute(history)
            default:
                throw PinviewError(
                    .persistentStoreUnsupportedRequest,
                    "A request of the type \(type(of: request)) cannot be executed; use a fetch, batch or history request.")
            }
        }
    }

    /// Executes a batch insert and reports what became of its rows. ``execute(_:)`` only counts
    /// those that were inserted or updated.
    public func batchInsert(_ request: BatchInsertRequest) throws(PinviewError) -> BatchInsertResult {
        try interruptibleCall { (state) throws(PinviewError) in try state.insertBatch(request) }
    }

    /// All registered objects that are alive, including faults.
    public var registeredObjects: Set<ManagedObject> { Set(state.registry.objects) }

    /// The registered object of an ID, or nil. Does not read.
    public func registeredObject(for objectID: ManagedObjectID) throws(PinviewError) -> ManagedObject? {
        try read { (state) in state.registeredObject(for: objectID.key, of: objectID.entity) }
    }

    /// The registered object of an ID, or a new fault. Does not read, so it does not check whether
    /// the row exists.
    public func object(with objectID: ManagedObjectID) throws(PinviewError) -> ManagedObject {
        if let object = state.registeredObjectAtOnce(objectID.key) { return object }
        return try read { (state) throws(PinviewError) in try state.object(with: objectID) }
    }

    /// The object of an ID, with its values loaded.
    ///
    /// - Throws: 133000 if there is no such row.
    public func existingObject(with objectID: ManagedObjectID) throws(PinviewError) -> ManagedObject {
        try read { (state) throws(PinviewError) in try state.existingObject(with: objectID) }
    }

    /// The objects of IDs, in the same order, each as ``object(with:)`` returns it. Does not read.
    ///
    /// Reading one of the faults reads the rows of the others along with it, as for the objects of
    /// one fetch.
    public func objects(with objectIDs: [ManagedObjectID]) throws(PinviewError) -> [ManagedObject] {
        try read { (state) throws(PinviewError) in
            let objects = try state.objects(with: objectIDs)
            state.noteSiblings(objects)
            return objects
        }
    }

    /// The objects of IDs with their values loaded, in the same order, each as
    /// ``existingObject(with:)`` returns it.
    ///
    /// What is not in memory is read with one statement for each store and hierarchy of entities
    /// (for each 1,000 objects). An ID given twice gives the same object twice.
    /// ``interruptFetch()`` stops the read. The values of former faults are of one state of each
    /// store, even in an unpinned context.
    ///
    /// - Throws: 133000 if one of the rows does not exist; `affectedObjectIDs` names it. All
    ///   objects stay as they were, except that faults before it may have received their values.
    public func existingObjects(with objectIDs: [ManagedObjectID]) throws(PinviewError) -> [ManagedObject] {
        try interruptible { (state) throws(PinviewError) in try state.existingObjects(with: objectIDs) }
    }

    // MARK: Managing objects

    /// Objects inserted and not yet saved.
    public var insertedObjects: Set<ManagedObject> { state.readOnQueue { Set(state.pending.inserted.values) } }
    /// Stored objects with unsaved changes.
    public var updatedObjects: Set<ManagedObject> { state.readOnQueue { Set(state.pending.updated.values) } }
    /// Objects that the next save will delete.
    public var deletedObjects: Set<ManagedObject> { state.readOnQueue { Set(state.pending.deleted.values) } }
    /// Whether there is an unsaved insertion, update or deletion.
    public var hasChanges: Bool { state.readOnQueue { state.hasChanges } }

    /// Makes a new object with a temporary ID and the default values of its entity
    /// (`NSEntityDescription.insertNewObject(forEntityName:into:)`).
    public func insertNewObject(forEntityName entityName: String) throws(PinviewError) -> ManagedObject {
        try call { (state) throws(PinviewError) in try state.insertNewObject(entityName: entityName) }
    }

    /// Makes a new object of an entity named in UTF-8; nil if the model has no such entity.
    package func insertNewObject(forEntityNamed name: UnsafeBufferPointer<UInt8>) throws(PinviewError) -> ManagedObject? {
        try call { (state) throws(PinviewError) in
            guard let entity = state.model?.entity(named: name) else { return nil }
            return try state.insertNewObject(entity)
        }
    }

    /// Registers an object for the next save. An object that is in the context already stays as it
    /// is.
    public func insert(_ object: ManagedObject) throws(PinviewError) {
        try call { (state) throws(PinviewError) in try state.insert(object) }
    }

    /// Marks an object for deletion at the next save.
    public func delete(_ object: ManagedObject) throws(PinviewError) {
        try call(appliesDeferredRemovals: false) { (state) throws(PinviewError) in try state.delete(object) }
    }

    /// Chooses the store in which a new object will be saved.
    ///
    /// - Throws: `wrongStore` if the store does not hold the entity, or the object is already saved
    ///   in another store.
    public func assign(_ object: ManagedObject, to store: PersistentStore) throws(PinviewError) {
        try call { (state) throws(PinviewError) in try state.assign(object, to: store) }
    }

    /// Gives new objects their permanent IDs before they are saved. Objects that have one are
    /// skipped.
    public func obtainPermanentIDs(for objects: [ManagedObject]) throws(PinviewError) {
        try call { (state) throws(PinviewError) in try state.obtainPermanentIDs(for: objects) }
    }

    /// Makes the next save check the object's row for changes by others, although the object is
    /// unchanged. A change fails the save or is resolved by the merge policy.
    public func detectConflicts(for object: ManagedObject) throws(PinviewError) {
        try call { (state) throws(PinviewError) in try state.detectConflicts(for: object) }
    }

    /// Refreshes an object. With `mergeChanges`, it gets the current values and keeps local
    /// changes; without, it loses its values and changes and becomes a fault.
    public func refresh(_ object: ManagedObject, mergeChanges: Bool) throws(PinviewError) {
        try call { (state) throws(PinviewError) in
            try state.refresh(object, mergeChanges: mergeChanges)
            if !state.isInBlock { state.postObjectsDidChange() }
        }
    }

    /// Turns every unchanged object into a fault, and refreshes those with pending changes, keeping
    /// the changes.
    public func refreshAllObjects() throws(PinviewError) {
        try call { (state) throws(PinviewError) in try state.refreshAllObjects() }
    }

    /// Processes the changes made so far and posts a notification of them.
    ///
    /// - Throws: the error of a delete rule that could not load an object; the error of a postponed
    ///   merge (``mergeChanges(fromContextDidSave:)``), before anything is done.
    public func processPendingChanges() throws(PinviewError) {
        try call(appliesDeferredRemovals: false) { (state) throws(PinviewError) in
            try state.reportFailureOfPutOffMerge()
            try state.processPendingChanges(mayDeferRemovals: true)
            if !state.isInBlock { state.endEvent() }
        }
    }

    // MARK: Saving and discarding

    /// Saves all pending changes one store up: into the parent, or into the stores, with one
    /// transaction each.
    ///
    /// - Throws: 1550…1690 for invalid objects, 133020 for conflicts, 134030 if the store cannot be
    ///   written; once, the error of a postponed merge (``mergeChanges(fromContextDidSave:)``).
    ///   Nothing is written then, and the pending changes stay. Likewise, once, the first failure
    ///   of a typed property since the last save.
    public func save() throws(PinviewError) {
        try call(appliesDeferredRemovals: false) { (state) throws(PinviewError) in
            try state.reportFailureOfPutOffMerge()
            #if !PINVIEW_C_LIBRARY
                if let failure = takePropertyFailure() { throw failure }
            #endif
            try state.interruptibly(state.callMonitor) { () throws(PinviewError) in try state.save() }
        }
    }

    /// Discards all pending changes. Objects get their last committed values, without a read.
    public func rollback() throws(PinviewError) {
        try call { (state) throws(PinviewError) in
            try state.requireNoSave("A rollback")
            state.rollback()
        }
    }

    /// Discards all objects and pending changes. Existing objects become invalid: using them fails
    /// with `objectInvalidated`.
    public func reset() throws(PinviewError) {
        try call { (state) throws(PinviewError) in
            try state.requireNoSave("A reset")
            state.reset()
        }
    }

    /// Undoes the latest group of changes; does nothing if there is none.
    public func undo() throws(PinviewError) {
        try call { (state) throws(PinviewError) in try state.undo() }
    }

    /// Redoes the latest undone group; does nothing if there is none.
    public func redo() throws(PinviewError) {
        try call { (state) throws(PinviewError) in try state.redo() }
    }
}
