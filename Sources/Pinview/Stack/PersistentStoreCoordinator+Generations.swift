import Glibc
import PinviewGenerations
import PinviewModel
import PinviewStore

/// Taking generations of all stores together, and finding the generation of a token.
extension PersistentStoreCoordinator {
    /// Whether the writers of **all processes** are held while a generation is taken. False by
    /// default. Any thread.
    ///
    /// A coordinator takes the generations of its stores one after another. None of its own saves
    /// falls between them, but a transaction of another program that writes to two of the stores
    /// may. If true, this coordinator first takes the write lock of every store that it may write
    /// to, in the order of their identifiers, then all generations, and then releases the locks.
    ///
    /// **Guarantee.** If a transaction has the write locks of all its stores before it commits to
    /// the first, a generation has all of it or none of it. That is true of this library's saves,
    /// in whatever process, and of SQLite transactions over attached databases. It is not true of a
    /// program that commits to one store before it begins to write to the next. Stores that this
    /// coordinator has opened read-only, or that are not in WAL mode, are not held.
    ///
    /// **Cost.** A write lock per store for each new generation. It waits for writers of other
    /// processes as long as the stores' `busyTimeout` allows; a read or fetch that would have to
    /// wait longer fails and changes nothing. A thread in the middle of a save does not wait for
    /// itself. With a single store the setting has no effect: a generation of one store is always
    /// consistent.
    public var holdsWritersWhilePinning: Bool {
        get { generationTable.holdsWriters }
        set { generationTable.holdsWriters = newValue }
    }

    /// The newest generation of all stores; the same object as long as nothing is committed.
    func currentGenerationSet() throws(PinviewError) -> GenerationSet {
        let stores = self.stores
        if let set = newestTakenSet(of: stores) { return set }
        guard stores.count > 1 else { return try takeGenerationSet(of: stores) }
        // Writers first: a save holds them when it asks for the lock of commits.
        let writers = generationTable.holdsWriters ? try holdWriters(of: stores) : []
        defer { for writer in writers.reversed() { writer.release() } }
        return try committing(toSeveralStores: true) { () throws(PinviewError) in try takeGenerationSet(of: stores) }
    }

    /// The newest generation of all stores if somebody has it already. Takes no statement and waits
    /// for nobody.
    func newestTakenSet() -> GenerationSet? { newestTakenSet(of: stores) }

    private func newestTakenSet(of stores: [any IncrementalStore]) -> GenerationSet? {
        guard let set = generationTable.newest, set.isNewest(of: stores) else { return nil }
        set.countSharedPin()
        return set
    }

    private func holdWriters(of stores: [any IncrementalStore]) throws(PinviewError) -> [HeldWriters] {
        guard !stores.contains(where: \.isWritingOnThisThread) else { return [] }
        let wanted = stores.filter { $0.supportsGenerations && !$0.isReadOnly }.sorted(by: LockingOrder.isBefore)
        let end = monotonicSeconds() + (wanted.map(\.busyTimeout).max() ?? 0)
        var pause = Self.firstPause
        while true {
            var held: [HeldWriters] = []
            do throws(PinviewError) {
                for store in wanted {
                    // Another program may take the same locks in another order, so a thread that
                    // holds some and cannot get one soon releases them.
                    let left = end - monotonicSeconds(), isLast = left <= 0
                    let patience = held.isEmpty ? max(left, 0) : min(max(left, 0), Self.patienceForLaterStores)
                    guard let writer = try store.holdWriters(patience: patience, orFail: isLast || held.isEmpty) else { break }
                    held.append(writer)
                }
            } catch {
                for writer in held.reversed() { writer.release() }
                throw error
            }
            if held.count == wanted.count { return held }
            for writer in held.reversed() { writer.release() }
            // The other program must find the lock free, which SQLite checks every tenth of a
            // second.
            usleep(UInt32(min(pause, max(end - monotonicSeconds(), 0)) * 1e6))
            pause = min(pause * 2, Self.longestPause)
        }
    }

    /// Seconds to wait for each store after the first.
    private static let patienceForLaterStores = 0.02
    /// Seconds to wait before all locks are tried again.
    private static let firstPause = 0.005, longestPause = 0.16

    private func takeGenerationSet(of stores: [any IncrementalStore]) throws(PinviewError) -> GenerationSet {
        if stores.count == 1, let store = stores.first, store.supportsGenerations {
            let member = GenerationSet.Member(store: store.number, generation: try store.currentGeneration())
            return generationTable.addNewest(CollectionOfOne(member), liveStores: []) { $0.isNewest(of: stores) }
        }
        var members: [GenerationSet.Member] = []
        var live: [Int32] = []
        for store in stores {
            if store.supportsGenerations {
                members.append(GenerationSet.Member(store: store.number, generation: try store.currentGeneration()))
            } else {
                live.append(store.number)
            }
        }
        return generationTable.addNewest(members, liveStores: live) { $0.isNewest(of: stores) }
    }

    // MARK: Tokens

    /// The token of a generation of this coordinator.
    func token(for set: GenerationSet) -> QueryGenerationToken { QueryGenerationToken(set, coordinator: serial) }

    /// The generation that a token names: one alive in this process, or one held by another
    /// process, which this process then holds too.
    ///
    /// - Throws: `foreignToken`, `generationExpired`, or 134070 if it covers a store that was
    ///   removed.
    func generationSet(for token: QueryGenerationToken) throws(PinviewError) -> GenerationSet {
        guard case .generation(let origin, let parts) = token.kind else {
            throw PinviewError(.invalidArgument, "The token 'current' does not name a particular generation.")
        }
        let isOwn = origin.process == QueryGenerationToken.process
        guard !isOwn || origin.coordinator == serial else {
            throw PinviewError(
                .foreignToken,
                "The query generation token belongs to another coordinator of this process. Tokens can be shared by the contexts of one "
                    + "coordinator, and with other processes."
            )
        }
        if let set = generationTable.set(serial: isOwn ? origin.serial : nil, named: parts) {
            let removed = set.removedStoreIdentifiers
            guard removed.isEmpty else {
                throw PinviewError(
                    .persistentStoreOperation,
                    "The query generation covers a store that was removed from the coordinator: \(removed.joined(separator: ", ")). Pin to the current generation."
                )
                .with(affectedStores: removed)
            }
            return set
        }
        guard origin.boot == QueryGenerationToken.boot || origin.boot == 0 || QueryGenerationToken.boot == 0 else {
            throw PinviewError(
                .generationExpired,
                "The query generation token is from before a restart of this machine, or from another machine. Generations do not outlive a "
                    + "restart; take a new token.")
        }
        return try adopt(parts, isOwn: isOwn)
    }

    private func adopt(_ parts: [QueryGenerationToken.Part], isOwn: Bool) throws(PinviewError) -> GenerationSet {
        let stores = self.stores
        var members: [GenerationSet.Member] = []
        for part in parts {
            guard let store = stores.first(where: { $0.identifier == part.storeIdentifier }) else {
                if isOwn { throw Self.expired }
                throw PinviewError(
                    .foreignToken,
                    "The query generation token covers the store \(part.storeIdentifier), which is not on this coordinator. Add it first."
                ).with(affectedStores: [part.storeIdentifier])
            }
            guard store.isNamed(by: part.generation) else {
                throw PinviewError(
                    .foreignToken,
                    "The query generation token belongs to a different file than \(store.path ?? "the store in memory"), although both have the identifier "
                        + "\(store.identifier): one is a copy, or has replaced the other. Open the same file in both processes."
                ).with(affectedStores: [store.identifier])
            }
            do throws(PinviewError) {
                members.append(GenerationSet.Member(store: store.number, generation: try store.adopt(part.generation)))
            } catch {
                throw error.code == PinviewError.Code.generationExpired.rawValue ? Self.expired : error
            }
        }
        let live = stores.filter { !$0.supportsGenerations }.map(\.number)
        return generationTable.addAdopted(members, liveStores: live)
    }

    private static let expired = PinviewError(
        .generationExpired,
        "The query generation has expired: no context of any process is pinned to it, or the process that holds it has not turned its token "
            + "into data. Use the token of a pinned context, or pin to the current generation.")
}
