import PinviewStore
import Synchronization

/// The pin of a context: which generation it reads, and what it knows of the generations that it
/// has read.
///
///     target       .unpinned ──▶ .onRead ──▶ .pinned(set)       onRead becomes pinned at the next read
///     reads        the newest    the newest  the set's
///
/// What it guarantees between any two calls:
///
/// - While the target is a generation set, the context refers to it, so the set's generations can
///   be read. The old set is released at once when the target changes, outside the lock.
/// - `state` says what the target is. `changeCount` advances with each change of the target, so a
///   cache with an older count is not used.
/// - `knownRank` is the rank that the target or the consistent read has in one store.
/// - `isMixed` is true if registered objects may come from different states of the stores.
///
/// The lock is a leaf: nothing else is locked or called while it is held. What it does not guard
/// belongs to the thread that owns the context's queue.
final class GenerationPin: @unchecked Sendable {
    /// Which generation the context reads.
    enum Target {
        case unpinned
        /// The newest one, taken at the next read. `isAnnounced`: the program asked for it with
        /// `.current`, which is the context's token until then (DEC-02).
        case onRead(isAnnounced: Bool)
        case pinned(GenerationSet)

        var state: QueryGenerationState {
            switch self {
            case .unpinned: .unpinned
            case .onRead: .pinnedAtNextRead
            case .pinned: .pinned
            }
        }
    }

    private let lock = BriefLock()
    /// Guarded by the lock.
    @exclusivity(unchecked) private var _target: Target = .unpinned
    /// The raw value of `state`.
    private let targetState = Atomic<Int>(QueryGenerationState.unpinned.rawValue)
    private let targetChanges = Atomic<UInt64>(1)

    // Guarded by the queue.
    /// Rows cached before this stamp must not be used (RFR-19).
    @exclusivity(unchecked) var floorStamp: UInt64 = 0
    /// The consistent read that is under way.
    @exclusivity(unchecked) var consistentRead = ConsistentRead()
    /// One-entry cache for `readRank(ofStore:)`, valid while `changeCount` is `change`.
    @exclusivity(unchecked) var knownRank: (change: UInt64, store: Int32, rank: UInt64) = (0, 0, 0)
    /// Whether objects of the context may come from different states of the stores; see
    /// `ContextState+Inverses`.
    @exclusivity(unchecked) var isMixed = false
    /// The serial number of the generation set read last, and the rank of each store in it.
    @exclusivity(unchecked) var knownSerial: UInt64 = 0
    @exclusivity(unchecked) var knownRanks = KnownRanks()
    /// The cached rows that were accepted last.
    @exclusivity(unchecked) var acceptedRank: (store: Int32, rank: UInt64) = (0, 0)
    /// Members that were read along with those of other owners, the latest first.
    @exclusivity(unchecked) var memberBatches: [MemberBatch] = []
    /// The order of the latest fetch whose objects may have come again as members, with the rows
    /// around them, by the time they are asked for members of their own.
    @exclusivity(unchecked) var treeOrder: FaultBatch?

    /// Which generation the context reads. Any thread.
    var target: Target { lock.withLock { _target } }

    /// What the target is, without the lock. Any thread.
    @inline(__always)
    var state: QueryGenerationState { QueryGenerationState(rawValue: targetState.load(ordering: .relaxed)) ?? .unpinned }
    @inline(__always)
    var isUnpinned: Bool { targetState.load(ordering: .relaxed) == QueryGenerationState.unpinned.rawValue }
    /// Whether the context reads a generation of its own. Any thread.
    @inline(__always)
    var hasGeneration: Bool { targetState.load(ordering: .relaxed) == QueryGenerationState.pinned.rawValue }

    /// Whether anything has been committed since the target, if that is a generation set. Any
    /// thread.
    @inline(__always)
    var hasNewer: Bool { if case .pinned(let set) = target { set.hasNewer } else { false } }

    /// Advanced when the target changes.
    @inline(__always)
    var changeCount: UInt64 { targetChanges.load(ordering: .acquiring) }

    /// Changes which generation is read. Releases the old one at once.
    ///
    /// - Returns: by how many the contexts that read generations of their own have grown.
    @inline(__always)
    func setTarget(_ target: Target) -> Int {
        let state = target.state
        var old = target
        lock.withLock {
            swap(&_target, &old)
            targetState.store(state.rawValue, ordering: .relaxed)
            targetChanges.add(1, ordering: .acquiringAndReleasing)
        }
        if case .pinned(let set) = old {
            switch target {
            case .unpinned: break
            case .onRead: set.countAdvance()
            case .pinned(let new): if new !== set { set.countAdvance() }
            }
        }
        return (state == .pinned ? 1 : 0) - (old.state == .pinned ? 1 : 0)
    }

    #if DEBUG
        /// Violations of what the pin guarantees; empty if all is well. On the queue.
        var invariantViolations: [String] {
            var violations: [String] = []
            let target = target
            if target.state != state { violations.append("The pin is \(target), but its state is \(state)") }
            if !consistentRead.isUnderWay, consistentRead.set != nil {
                violations.append("A consistent read has ended, but keeps its generation")
            }
            if knownRank.change == changeCount, knownRank.change != 0 {
                var set = consistentRead.set
                if set == nil, case .pinned(let pinned) = target { set = pinned }
                if case .generation(let generation)? = set?.reading(ofStore: knownRank.store), generation.rank != knownRank.rank {
                    violations.append("The known rank of store \(knownRank.store) is \(knownRank.rank) instead of \(generation.rank)")
                }
            }
            return violations
        }
    #endif
}
