import PinviewGenerations
import PinviewModel
import PinviewStore

/// What one call of a context reads belongs to one state of each store (ONE-05).
///
///     commits       ──┬────────┬───────────┬─────────────────┬──
///     fetch           │ ╞══ rows, values, prefetching ══╡    │     all at the generation of the first read in it
///     object.name     │        │           │         ╞╡      │     a read of its own: the newest row known
///
/// Such a call is an *answer*. While it lasts, an unpinned context reads as a pinned one does: its
/// first read takes the newest generation, and faults are filled from rows of that generation only,
/// not from whatever row the row cache has by then. Calls inside the call, such as those of hooks,
/// are part of it. Objects that had values before keep them.
struct ConsistentRead {
    fileprivate(set) var isUnderWay = false
    /// The generation that is read; nil until the first read, and for a pinned context.
    fileprivate(set) var set: GenerationSet?
    /// How many reads have begun at that generation.
    fileprivate(set) var readCount = 0
    /// Blocks of rows that were read from stores without generations. Nothing but the block tells
    /// which read a row comes from.
    fileprivate var liveBlocks: [ObjectIdentifier: RowBlock] = [:]
    /// A parent's objects that keep at hand what the objects of a child are about to take.
    fileprivate var kept: [ManagedObject] = []
}

extension ContextState {
    /// Runs a body whose reads all belong to one state of each store.
    ///
    /// A child holds its parents' queues meanwhile: their unsaved changes are part of the state.
    ///
    /// - Parameter set: the generation to read, where it is not the one that the context would read
    ///   now.
    func readingConsistently<R>(at set: GenerationSet? = nil, _ body: () throws(PinviewError) -> R) throws(PinviewError) -> R {
        if consistentRead.isUnderWay { return try body() }
        consistentRead.isUnderWay = true
        defer { endConsistentRead() }
        guard let parent else {
            if let set {
                take(set)
                return try body()
            }
            return try retryingOnNewGeneration(body)
        }
        try parent.enterForChild()
        defer { parent.leave() }
        return try parent.readingConsistently(body)
    }

    private func endConsistentRead() {
        let ended = consistentRead
        consistentRead = ConsistentRead()
        if ended.set != nil { forgetKnownRank() }
        // Only now: the last reference to a generation or an object leads back here.
        withExtendedLifetime(ended) {}
    }

    /// Has the rest of the answer read a generation.
    private func take(_ set: GenerationSet) {
        consistentRead.set = set
        consistentRead.readCount = 0
        forgetKnownRank()
    }

    /// The generation of the answer, for another read in it.
    @inline(__always)
    func generationOfConsistentRead() -> GenerationSet? {
        guard let set = consistentRead.set else { return nil }
        consistentRead.readCount += 1
        return set
    }

    /// The newest generation, which the rest of an answer reads as well.
    func takeNewest(on coordinator: PersistentStoreCoordinator) throws(PinviewError) -> GenerationSet {
        let set = try coordinator.currentGenerationSet()
        if consistentRead.isUnderWay {
            take(set)
            consistentRead.readCount = 1
        }
        return set
    }

    /// After a save, a merge or a reset in the middle of an answer the rest of it reads what is
    /// there now.
    func moveConsistentRead() {
        guard consistentRead.set != nil else { return }
        let set = consistentRead.set
        consistentRead.set = nil
        forgetKnownRank()
        withExtendedLifetime(set) {}
    }

    /// Whether rows have to be those of one generation.
    @inline(__always)
    var readsOneGeneration: Bool { isPinned || consistentRead.isUnderWay }

    /// Notes rows that were read from a store without generations.
    func noteLive(_ rows: FetchedRows) {
        guard consistentRead.isUnderWay else { return }
        for block in rows.blocks { consistentRead.liveBlocks[ObjectIdentifier(block)] = block }
    }

    /// Whether the answer has read a block of rows from a store without generations.
    func hasReadLive(_ block: RowBlock) -> Bool {
        !consistentRead.liveBlocks.isEmpty && consistentRead.liveBlocks[ObjectIdentifier(block)] != nil
    }

    /// Has a parent's objects stay until the child's answer has ended.
    func keepForConsistentRead(_ objects: [ManagedObject]) {
        if consistentRead.isUnderWay { consistentRead.kept += objects }
    }

    // MARK: Generations that are lost

    /// How often a read is tried while other programs keep touching the store's file.
    private static let attempts = 5

    /// Runs the body of an answer, again on a new generation when its own is lost: an unpinned
    /// context has not asked for that one.
    ///
    /// A generation is lost when some program has changed the store's file without SQLite, if only
    /// its time. The state itself is there as a rule, so the new generation shows the same one and
    /// goes on where the other ended. When somebody has committed in between, the answer is given
    /// anew only if nothing can have been read for it before.
    private func retryingOnNewGeneration<R>(_ body: () throws(PinviewError) -> R) throws(PinviewError) -> R {
        for _ in 1..<Self.attempts {
            do throws(PinviewError) {
                return try body()
            } catch {
                guard error.hasCode(.generationLost), case .unpinned = pin, let lost = consistentRead.set, lost.isLost else { throw error }
                let new = try requireCoordinator().currentGenerationSet()
                guard consistentRead.readCount <= 1 || new.showsSameState(as: lost) else { throw error }
                consistentRead.liveBlocks = [:]
                take(new)
                noteState(new)
                withExtendedLifetime(lost) {}
            }
        }
        return try body()
    }

    /// Runs a read that may be no part of an answer, again when its generation is lost.
    ///
    /// - Parameter body: takes its generation itself and reads once.
    func rereading<R>(_ body: () throws(PinviewError) -> R) throws(PinviewError) -> R {
        if consistentRead.isUnderWay { return try body() }
        for _ in 1..<Self.attempts {
            do throws(PinviewError) {
                return try body()
            } catch {
                guard error.hasCode(.generationLost), case .unpinned = pin else { throw error }
            }
        }
        return try body()
    }

    // MARK: Values of many objects

    /// Gives values to those among objects of the context that are faults, all from one state.
    ///
    /// - Throws: as firing one of them. Those before it have got their values then.
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
    /// Gives values to those among some objects that are faults. Those of one context get them from
    /// one state.
    package static func realiseTogether(_ objects: [ManagedObject]) throws(PinviewError) {
        guard objects.count > 1, let first = objects.first else { return }
        var others: [ManagedObject] = []
        try first.read { (state) throws(PinviewError) in
            var faults: [ManagedObject] = []
            for object in objects {
                if object.state !== state {
                    others.append(object)
                } else if object.flags.contains(.fault) {
                    faults.append(object)
                }
            }
            if !faults.isEmpty { try state.realiseTogether(faults) }
        }
        try realiseTogether(others)
    }
}

extension FetchResult {
    /// Gives values to those among the objects of a range that are faults, all from one state.
    /// Pages that were used before are of theirs.
    package func realise(_ range: Range<Int>) throws(PinviewError) {
        if let batches { try batches.realise(range) } else { try ManagedObject.realiseTogether(Array(objects[range])) }
    }
}
