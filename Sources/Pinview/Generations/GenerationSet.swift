import PinviewGenerations
import PinviewModel
import PinviewStore

/// One generation across all stores of a coordinator, which a token names and a pinned context
/// reads.
///
/// The set holds a generation of each store, and contexts hold the set. When the last context
/// leaves the set, it is deallocated and releases the journals (QG-39). Only strong references keep
/// it alive, so "expired" and "released" are the same event.
final class GenerationSet: @unchecked Sendable {  // the lists and the cache are guarded by `lock`, the rest is immutable
    /// The generation of a store.
    struct Member {
        let store: Int32
        let generation: Generation
    }

    /// Identifies the set in this process, even after it is gone.
    let serial: UInt64
    private let table: GenerationTable
    /// Most coordinators have one store. `otherMembers` is empty if there is no first member.
    @exclusivity(unchecked) private var firstMember: Member?
    @exclusivity(unchecked) private var otherMembers: [Member] = []
    @exclusivity(unchecked) private var liveStores: [Int32]
    @exclusivity(unchecked) private var removedStores: [RemovedStore] = []
    /// The index in the table, which guards it.
    var place = 0
    @exclusivity(unchecked) private var cache: FetchCache?

    private struct RemovedStore {
        let identifier: String
        /// Nil for a store without generations.
        let generation: GenerationName?
    }

    private let lock = BriefLock()

    /// - Parameters:
    ///   - members: the stores that have generations.
    ///   - liveStores: the numbers of stores without generations, which are read as they are
    ///     (DEC-19).
    init(serial: UInt64, table: GenerationTable, members: some Collection<Member>, liveStores: [Int32]) {
        self.serial = serial
        self.table = table
        firstMember = members.first
        if members.count > 1 { otherMembers = Array(members.dropFirst()) }
        self.liveStores = liveStores
    }

    /// Requires the lock.
    private var members: [Member] { firstMember.map { [$0] + otherMembers } ?? [] }

    deinit { table.forget(self) }

    /// The cached fetches of this generation. Made at the first fetch, since most sets exist only
    /// for a moment.
    var fetchCache: FetchCache {
        lock.withLock {
            if let cache { return cache }
            let new = FetchCache()
            cache = new
            return new
        }
    }

    /// Requires the lock.
    private func generation(ofStore number: Int32) -> Generation? { uncountedGeneration(ofStore: number)?.takeUnretainedValue() }

    /// Requires the lock, which keeps the generation alive: counting a reference to it would take
    /// longer than most of what is asked.
    @inline(__always)
    private func uncountedGeneration(ofStore number: Int32) -> Unmanaged<Generation>? {
        if let firstMember, firstMember.store == number { return .passUnretained(firstMember.generation) }
        for member in otherMembers where member.store == number { return .passUnretained(member.generation) }
        return nil
    }

    /// Whether one of its generations cannot be read any more.
    var isLost: Bool { lock.withLock { hasGeneration(where: \.isLost) } }

    /// Whether nothing was committed to any store between two sets.
    func showsSameState(as other: GenerationSet) -> Bool {
        let ranks = ranks, others = other.ranks
        return !ranks.isEmpty && ranks.count == others.count && ranks.allSatisfy(others.contains)
    }

    /// How to read a store at this generation.
    enum Reading {
        case generation(Generation)
        /// The store has no generations and is read as it is.
        case live
        /// The store was added after the generation was taken (DEC-06).
        case notCovered
    }

    func reading(ofStore number: Int32) -> Reading {
        lock.withLock {
            if let generation = generation(ofStore: number) { return .generation(generation) }
            return liveStores.contains(number) ? .live : .notCovered
        }
    }

    /// Whether at least one store has a generation. Otherwise there is nothing to pin (DEC-09).
    var coversAnyStore: Bool { lock.withLock { firstMember != nil || !removedStores.isEmpty } }

    /// The identifiers of stores that have been removed from the coordinator since.
    var removedStoreIdentifiers: [String] { lock.withLock { removedStores.map(\.identifier) } }

    /// Releases the generation of a store that left the coordinator (DEC-20).
    func dropStore(_ store: any IncrementalStore) {
        let dropped = lock.withLock { () -> Generation? in
            let generation = generation(ofStore: store.number)
            guard generation != nil || liveStores.contains(store.number) else { return nil }
            let left = members.filter { $0.store != store.number }
            firstMember = left.first
            otherMembers = Array(left.dropFirst())
            liveStores.removeAll { $0 == store.number }
            removedStores.append(RemovedStore(identifier: store.identifier, generation: generation?.name))
            return generation
        }
        lock.withLock({ cache })?.removeAll(storeNumber: store.number)
        // Released outside the lock, since releasing a journal takes other locks.
        withExtendedLifetime(dropped) {}
    }

    /// Whether a set taken now from these stores would equal this one.
    func isNewest(of stores: [any IncrementalStore]) -> Bool {
        lock.withLock {
            guard removedStores.isEmpty, (firstMember == nil ? 0 : 1 + otherMembers.count) + liveStores.count == stores.count else {
                return false
            }
            for store in stores {
                if let generation = uncountedGeneration(ofStore: store.number) {
                    guard generation._withUnsafeGuaranteedRef({ store.isNewest($0) }) else { return false }
                } else if !liveStores.contains(store.number) {
                    return false
                }
            }
            return true
        }
    }

    /// Requires the lock.
    @inline(__always)
    private var firstGeneration: Unmanaged<Generation>? { firstMember.map { .passUnretained($0.generation) } }

    /// Requires the lock.
    @inline(__always)
    private func forEachGeneration(_ body: (Generation) -> Void) {
        firstGeneration?._withUnsafeGuaranteedRef(body)
        for member in otherMembers { body(member.generation) }
    }

    /// The ordinal of the generation of a journal's file, if the set has one.
    func ordinal(in state: JournalState) -> UInt64? {
        lock.withLock { members.first { $0.generation.isOf(state) }?.generation.ordinal }
    }

    /// Requires the lock.
    @inline(__always)
    private func hasGeneration(where isIt: (Generation) -> Bool) -> Bool {
        if firstGeneration?._withUnsafeGuaranteedRef(isIt) ?? false { return true }
        return !otherMembers.isEmpty && otherMembers.contains { isIt($0.generation) }
    }

    /// Counts a pin that uses this set instead of a new one.
    func countSharedPin() { lock.withLock { forEachGeneration { $0.countSharedPin() } } }

    /// Counts a context that moves to another set.
    func countAdvance() { lock.withLock { forEachGeneration { $0.countAdvance() } } }

    /// Whether anything has been committed since to a store in the set.
    var hasNewer: Bool { lock.withLock { hasGeneration(where: \.hasNewer) } }

    struct StoreRank: Equatable {
        let store: Int32
        let rank: UInt64
    }

    /// The rank of each store's generation. Empty if a store has none, since its states cannot be
    /// told apart.
    var ranks: [StoreRank] {
        lock.withLock { liveStores.isEmpty ? members.map { StoreRank(store: $0.store, rank: $0.generation.rank) } : [] }
    }

    /// The commit mark of each generation, by store number.
    var commitMarks: [Int32: CommitMark] {
        lock.withLock { Dictionary(uniqueKeysWithValues: members.map { ($0.store, $0.generation.commitMark) }) }
    }

    /// What identifies the set in all processes, sorted by store identifier. Includes stores that
    /// have been removed since.
    var parts: [QueryGenerationToken.Part] {
        let parts = lock.withLock {
            members.map { member in
                QueryGenerationToken.Part(
                    storeIdentifier: StoreNumbers.identifier(forNumber: member.store) ?? "", generation: member.generation.name)
            }
                + removedStores.compactMap { store in
                    store.generation.map { QueryGenerationToken.Part(storeIdentifier: store.identifier, generation: $0) }
                }
        }
        return parts.count < 2 ? parts : parts.sorted { $0.storeIdentifier < $1.storeIdentifier }
    }

    /// Whether a token with these parts names the set.
    func isNamed(by parts: [QueryGenerationToken.Part]) -> Bool {
        guard lock.withLock({ members.count + removedStores.count >= parts.count }) else { return false }
        return self.parts == parts
    }

    /// Allows other processes to adopt the set.
    func publish() {
        for member in lock.withLock({ members }) { member.generation.publish() }
    }
}
