import PinviewGenerations
import PinviewModel
import PinviewStore

/// The reads of one call of a context, all of which belong to one state of each store (ONE-05).
///
///     commits       ──┬────────┬───────────┬─────────────────┬──
///     fetch           │ ╞══ rows, values, prefetching ══╡    │     all at the generation of the first read in it
///     object.name     │        │           │         ╞╡      │     a read of its own: the newest row known
///
/// While it lasts, an unpinned context reads as a pinned one does: the first read takes the newest
/// generation, and faults are filled from rows of that generation only, not from whatever row the
/// row cache has by then. Nested calls, such as those of hooks, are part of it. Objects that
/// already had values keep them.
struct ConsistentRead {
    fileprivate(set) var isUnderWay = false
    /// The generation read; nil before the first read, and in a pinned context.
    fileprivate(set) var set: GenerationSet?
    /// How many reads have begun at that generation.
    fileprivate(set) var readCount = 0
    /// Blocks of rows read from stores without generations. Only the block tells which read a row
    /// comes from.
    fileprivate var liveBlocks: [ObjectIdentifier: RowBlock] = [:]
    /// Objects of a parent that keep their rows for a child's objects.
    fileprivate var kept: [ManagedObject] = []
}

extension ContextState {
    /// Runs a body whose reads all belong to one state of each store.
    ///
    /// A child keeps its parents' queues meanwhile, since their unsaved changes are part of the
    /// state.
    ///
    /// - Parameter set: the generation to read, if not the one that the context would read now.
    func readingConsistently<R>(at set: GenerationSet? = nil, _ body: () throws(PinviewError) -> R) throws(PinviewError) -> R {
        if pin.consistentRead.isUnderWay { return try body() }
        let isWatched = beginConsistentRead(at: set)
        defer { endConsistentRead(isWatched) }
        guard let parent else {
            var attempt = 1
            while true {
                do throws(PinviewError) {
                    return try body()
                } catch {
                    if set != nil { throw error }
                    try moveToNewGeneration(after: error, &attempt)
                }
            }
        }
        try parent.enterForChild()
        defer { parent.leave() }
        return try parent.readingConsistently(body)
    }

    // Not part of `readingConsistently`, which is compiled once for each of its bodies.

    /// - Returns: whether the read is watched on its own.
    @inline(never)
    private func beginConsistentRead(at set: GenerationSet?) -> Bool {
        let isWatched = watchRead()
        pin.consistentRead.isUnderWay = true
        if !hasParent, let set { take(set) }
        return isWatched
    }

    @inline(never)
    private func endConsistentRead(_ isWatched: Bool) {
        let ended = pin.consistentRead
        pin.consistentRead = ConsistentRead()
        if ended.set != nil { forgetKnownRank() }
        // Released only now, since the last reference to a generation or an object calls back here.
        withExtendedLifetime(ended) {}
        endWatchingRead(isWatched)
    }

    /// Lets a read that fires faults be interrupted, and end with the context's timeout.
    ///
    /// - Returns: false if it is watched already, as a part of a fetch or a save.
    @inline(never)
    func watchRead() -> Bool {
        guard !callMonitor.isThreadMonitored, callMonitor.begin(timeout: settings.timeout) else { return false }
        callMonitor.becomeCurrent()
        return true
    }

    @inline(never)
    func endWatchingRead(_ isWatched: Bool) {
        guard isWatched else { return }
        callMonitor.endBeingCurrent(restoring: nil)
        callMonitor.end()
    }

    /// Makes the rest of the consistent read use a generation.
    private func take(_ set: GenerationSet) {
        pin.consistentRead.set = set
        pin.consistentRead.readCount = 0
        forgetKnownRank()
    }

    /// The generation of the consistent read, for one more read at it.
    @inline(__always)
    func generationOfConsistentRead() -> GenerationSet? {
        guard let set = pin.consistentRead.set else { return nil }
        pin.consistentRead.readCount += 1
        return set
    }

    /// The newest generation. The rest of a consistent read uses it too.
    func takeNewest(on coordinator: PersistentStoreCoordinator) throws(PinviewError) -> GenerationSet {
        let set = try coordinator.currentGenerationSet()
        if pin.consistentRead.isUnderWay {
            take(set)
            pin.consistentRead.readCount = 1
        }
        return set
    }

    /// Makes the rest of a consistent read use the newest state, after a save, a merge or a reset
    /// in the middle of it.
    func moveConsistentRead() {
        guard pin.consistentRead.set != nil else { return }
        let set = pin.consistentRead.set
        pin.consistentRead.set = nil
        forgetKnownRank()
        withExtendedLifetime(set) {}
    }

    /// Whether all rows must be of one generation.
    @inline(__always)
    var readsOneGeneration: Bool { pin.hasGeneration || pin.consistentRead.isUnderWay }

    /// Notes rows that were read from a store without generations.
    func noteLive(_ rows: FetchedRows) {
        guard pin.consistentRead.isUnderWay else { return }
        for block in rows.blocks { pin.consistentRead.liveBlocks[ObjectIdentifier(block)] = block }
    }

    /// Whether the consistent read got a block from a store without generations.
    func hasReadLive(_ block: RowBlock) -> Bool {
        !pin.consistentRead.liveBlocks.isEmpty && pin.consistentRead.liveBlocks[ObjectIdentifier(block)] != nil
    }

    /// Keeps objects of a parent until the child's consistent read has ended.
    func keepForConsistentRead(_ objects: [ManagedObject]) {
        if pin.consistentRead.isUnderWay { pin.consistentRead.kept += objects }
    }

    // MARK: Generations that are lost

    /// How often a read is attempted while other programs keep touching the store's file.
    private static let attempts = 5

    /// Moves an unpinned context's consistent read to a new generation after its own was lost,
    /// since the program has not asked for that particular one.
    ///
    /// A generation is lost when some program has changed the store's file without SQLite, even
    /// just its timestamp. Usually the data is unchanged, so the new generation shows the same
    /// state, and reading continues on it. If someone has committed in between, the read is
    /// repeated only if nothing can have been read before.
    ///
    /// - Throws: the error if the read must not be repeated.
    @inline(never)
    private func moveToNewGeneration(after error: PinviewError, _ attempt: inout Int) throws(PinviewError) {
        guard attempt < Self.attempts, error.hasCode(.generationLost), pin.isUnpinned, let lost = pin.consistentRead.set,
            lost.isLost
        else { throw error }
        let new = try requireCoordinator().currentGenerationSet()
        guard pin.consistentRead.readCount <= 1 || new.showsSameState(as: lost) else { throw error }
        attempt += 1
        pin.consistentRead.liveBlocks = [:]
        take(new)
        noteState(new)
        withExtendedLifetime(lost) {}
    }

    /// Runs a read that may be outside a consistent read, and again if its generation is lost.
    ///
    /// - Parameter body: takes its generation itself and reads once.
    @inline(__always)
    func rereading<R>(_ body: () throws(PinviewError) -> R) throws(PinviewError) -> R {
        let isAlone = !pin.consistentRead.isUnderWay, isWatched = isAlone && watchRead()
        defer { endWatchingRead(isWatched) }
        var attempt = 1
        // The body stands here once, since it is compiled into each caller.
        while true {
            do throws(PinviewError) {
                return try body()
            } catch {
                guard isAlone, attempt < Self.attempts, error.hasCode(.generationLost), pin.isUnpinned else { throw error }
                attempt += 1
            }
        }
    }

    // MARK: Values of many objects

    /// Realises the faults among objects of the context, all from one state.
    ///
    /// - Throws: the error of firing one of them. Faults before it are realised then.
    func realiseTogether(_ objects: [ManagedObject]) throws(PinviewError) {
        let faults = objects.filter { $0.flags.intersection([.fault, .invalidated, .inserted]) == .fault }
        guard !faults.isEmpty else { return }
        try readingConsistently { () throws(PinviewError) in
            var missing = ObjectSet()
            if let parent {
                keepForConsistentRead(try parent.loadForChild(faults))
            } else {
                missing = try giveRows(to: faults)
            }
            for object in faults where object.flags.contains(.fault) {
                if !hasParent, !missing.contains(object), let row = object.prefetchedRow {
                    try realise(object, .stored(row))
                } else {
                    try fire(object)
                }
            }
        }
    }
}

extension ManagedObject {
    /// Realises the faults among objects of any contexts; those of one context from one state.
    package static func realiseTogether(_ objects: UncountedObjects) throws(PinviewError) {
        guard objects.count > 1, let first = objects.first?.takeUnretainedValue(), !first.realiseAtOnce(objects) else { return }
        var others: [ManagedObject] = []
        try first.read { (state) throws(PinviewError) in
            var faults: [ManagedObject] = []
            objects.forEachObject { object in
                if !object.belongs(to: state) {
                    others.append(object)
                } else if object.flags.contains(.fault) {
                    faults.append(object)
                }
            }
            if !faults.isEmpty { try state.realiseTogether(faults) }
        }
        try others[...].withUncounted { (others) throws(PinviewError) in try realiseTogether(others) }
    }

    /// Realises the faults among objects of one context if that reads nothing and waits for nothing:
    /// prefetched rows are all of the generation that the context is pinned to.
    ///
    /// - Returns: whether none is left.
    private func realiseAtOnce(_ objects: UncountedObjects) -> Bool {
        let othersRemain = unmanagedBinding._withUnsafeGuaranteedRef { binding in
            binding.unmanagedState._withUnsafeGuaranteedRef { state in
                state.hasParent ? nil : state.readAtOnce { state.realiseFromPrefetchedRows(objects) }
            }
        }
        return othersRemain == false
    }
}

extension FetchResult {
    /// The objects in a range.
    package func objects(in range: Range<Int>) -> [ManagedObject] { batches?.objects(in: range) ?? Array(objects[range]) }

    /// The objects, if they live as long as the result.
    package var keptObjects: [ManagedObject]? { batches == nil ? objects : nil }

    /// Realises the faults in a range of objects from one state. Pages used before keep theirs.
    package func realise(_ range: Range<Int>) throws(PinviewError) {
        if let batches { return try batches.realise(range) }
        try objects[range].withUncounted { (objects) throws(PinviewError) in try ManagedObject.realiseTogether(objects) }
    }
}
