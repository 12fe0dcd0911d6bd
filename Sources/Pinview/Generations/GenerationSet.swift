import PinviewGenerations
import PinviewModel
import PinviewStore

/// One generation across the stores of a coordinator: what a token names and a pinned context
/// reads.
///
/// The set holds the generation of each of its stores, and contexts hold the set. When the last
/// context leaves it, it goes, and with it every hold on a journal (QG-39); nothing but a strong
/// reference keeps it alive, so "expired" and "released" are the same event.
final class GenerationSet: @unchecked Sendable {  // the lists and the cache are guarded by `lock`, the rest is immutable
    /// The generation of a store.
    struct Member {
        let store: Int32
        let generation: Generation
    }

    /// Names the set in this process for ever, also after it is gone.
    let serial: UInt64
    private let table: GenerationTable
    /// Most coordinators have one store. The others are none unless there is a first one.
    private var firstMember: Member?
    private var otherMembers: [Member] = []
    private var liveStores: [Int32]
    private var removedStores: [RemovedStore] = []
    /// Where it is in the table, which guards it.
    var place = 0
    private var cache: FetchCache?

    private struct RemovedStore {
        let identifier: String
        /// nil for a store without generations.
        let generation: GenerationName?
    }

    private let lock = BriefLock()

    /// - Parameters:
    ///   - members: the stores that have generations.
    ///   - liveStores: the numbers of the others, which are read as they are (DEC-19).
    init(serial: UInt64, table: GenerationTable, members: some Collection<Member>, liveStores: [Int32]) {
        self.serial = serial
        self.table = table
        firstMember = members.first
        if members.count > 1 { otherMembers = Array(members.dropFirst()) }
        self.liveStores = liveStores
    }

    /// With the lock.
    private var members: [Member] { firstMember.map { [$0] + otherMembers } ?? [] }

    deinit { table.forget(self) }

    /// What has been fetched at this generation. Made at the first fetch: most sets are there for a
    /// moment only.
    var fetchCache: FetchCache {
        lock.withLock {
            if let cache { return cache }
            let new = FetchCache()
            cache = new
            return new
        }
    }

    /// With the lock.
    private func generation(ofStore number: Int32) -> Generation? {
        if let firstMember, firstMember.store == number { return firstMember.generation }
        for member in otherMembers where member.store == number { return member.generation }
        return nil
    }

    /// Whether one of its generations cannot be read any more.
    var isLost: Bool { lock.withLock { firstMember?.generation.isLost ?? false || otherMembers.contains { $0.generation.isLost } } }

    /// Whether nothing was committed to any store between the two.
    func showsSameState(as other: GenerationSet) -> Bool {
        let ranks = self.ranks
        return !ranks.isEmpty && ranks == other.ranks
    }

    /// How a store is to be read at this generation.
    enum Reading {
        case generation(Generation)
        /// The store has no generations: it is read as it is.
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

    /// Whether at least one store is read at a generation; without any, a pin does not exist
    /// (DEC-09).
    var coversAnyStore: Bool { lock.withLock { firstMember != nil || !removedStores.isEmpty } }

    /// The identifiers of stores that were removed from the coordinator since.
    var removedStoreIdentifiers: [String] { lock.withLock { removedStores.map(\.identifier) } }

    /// Lets go of a store that left the coordinator (DEC-20).
    func dropStore(_ store: SQLStore) {
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
        // Released outside the lock: giving up a journal takes locks of its own.
        withExtendedLifetime(dropped) {}
    }

    /// Whether the set is what a set taken now from these stores would be.
    ///
    /// - Parameter isShared: whether it is used in place of one; the stores count that.
    func isNewest(of stores: [SQLStore], isShared: Bool = false) -> Bool {
        lock.withLock {
            guard removedStores.isEmpty, (firstMember == nil ? 0 : 1 + otherMembers.count) + liveStores.count == stores.count else {
                return false
            }
            for store in stores {
                if let generation = generation(ofStore: store.number) {
                    guard store.isNewest(generation) else { return false }
                } else if !liveStores.contains(store.number) {
                    return false
                }
            }
            if isShared { forEachGeneration { $0.countSharedPin() } }
            return true
        }
    }

    /// With the lock.
    private func forEachGeneration(_ body: (Generation) -> Void) {
        if let firstMember { body(firstMember.generation) }
        for member in otherMembers { body(member.generation) }
    }

    /// The ordinal of the generation of a file, if the set has one.
    func ordinal(in state: JournalState) -> UInt64? {
        lock.withLock { members.first { $0.generation.isOf(state) }?.generation.ordinal }
    }

    /// Counts a context that leaves the set for another one.
    func countAdvance() { lock.withLock { forEachGeneration { $0.countAdvance() } } }

    /// Whether something has been committed since to a store that the set covers.
    var hasNewer: Bool {
        lock.withLock { firstMember?.generation.hasNewer ?? false || otherMembers.contains { $0.generation.hasNewer } }
    }

    /// The rank of each store's generation; empty where a store has none, so that two readings
    /// cannot be told apart.
    var ranks: [Int32: UInt64] {
        lock.withLock {
            liveStores.isEmpty ? Dictionary(uniqueKeysWithValues: members.map { ($0.store, $0.generation.rank) }) : [:]
        }
    }

    /// The moment of each generation, by store number.
    var commitMarks: [Int32: CommitMark] {
        lock.withLock { Dictionary(uniqueKeysWithValues: members.map { ($0.store, $0.generation.commitMark) }) }
    }

    /// What names the set everywhere, in the order of the stores' identifiers: also stores that
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

    /// Whether the set is what a token names.
    func isNamed(by parts: [QueryGenerationToken.Part]) -> Bool {
        guard lock.withLock({ members.count + removedStores.count >= parts.count }) else { return false }
        return self.parts == parts
    }

    /// Lets other processes adopt the set.
    func publish() {
        for member in lock.withLock({ members }) { member.generation.publish() }
    }
}
