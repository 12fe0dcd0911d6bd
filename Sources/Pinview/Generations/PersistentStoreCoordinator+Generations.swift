import Glibc
import PinviewGenerations
import PinviewModel
import PinviewStore

/// Taking generations of all stores together, and finding the one that a token names.
extension PersistentStoreCoordinator {
    /// Whether a generation is taken while the writers of **all processes** are held: false unless
    /// set.
    ///
    /// A coordinator takes the generations of its stores one after the other. No save of its own
    /// falls between them, but a transaction of another program that writes to two of the stores
    /// may. With true, this coordinator first takes the write lock of every store that it may write
    /// to, in the order of their identifiers, then all generations, and then lets the writers go
    /// on.
    ///
    /// **What that promises**: of a transaction that has the write locks of all its stores before
    /// it commits to the first of them, a generation has all or nothing. Saves of this library are
    /// like that, in whatever process, and so is a transaction of SQLite over attached databases. A
    /// program that commits to one store and only then begins to write to the other can be met in
    /// between. Stores that this coordinator has open for reading only, or that are not in WAL
    /// mode, are not held.
    ///
    /// It costs a write lock per store for each new generation, and waits as long as the stores'
    /// `busyTimeout` for writers of other processes; a read or fetch that has to wait longer fails,
    /// and nothing has changed then. A thread that is in the middle of a save does not wait for
    /// itself. With one store it does nothing: a generation of one store is never torn.
    public var holdsWritersWhilePinning: Bool {
        get { generationTable.holdsWriters }
        set { generationTable.holdsWriters = newValue }
    }

    /// The newest generation of all stores; the same object as long as nothing was committed.
    func currentGenerationSet() throws(PinviewError) -> GenerationSet {
        let stores = self.stores
        if let set = generationTable.newest, set.isNewest(of: stores, isShared: true) { return set }
        guard stores.count > 1 else { return try takeGenerationSet(of: stores) }
        // Writers first: a save has them when it asks for the lock of commits.
        let writers = generationTable.holdsWriters ? try holdWriters(of: stores) : []
        defer { for writer in writers.reversed() { writer.release() } }
        return try committing(toSeveralStores: true) { () throws(PinviewError) in try takeGenerationSet(of: stores) }
    }

    private func holdWriters(of stores: [SQLStore]) throws(PinviewError) -> [HeldWriters] {
        guard !stores.contains(where: \.isWritingOnThisThread) else { return [] }
        let wanted = SQLStore.inLockingOrder(stores.filter { $0.supportsGenerations && !$0.isReadOnly })
        let end = monotonicSeconds() + (wanted.map(\.busyTimeout).max() ?? 0)
        var pause = Self.firstPause
        while true {
            var held: [HeldWriters] = []
            do throws(PinviewError) {
                for store in wanted {
                    // Another program may take the same locks in another order: who holds some and
                    // misses one lets go soon.
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
            // The other one has to find the lock free, for which SQLite looks every tenth of a
            // second.
            usleep(UInt32(min(pause, max(end - monotonicSeconds(), 0)) * 1e6))
            pause = min(pause * 2, Self.longestPause)
        }
    }

    /// Seconds.
    private static let patienceForLaterStores = 0.02
    /// Seconds to wait before all are tried again.
    private static let firstPause = 0.005, longestPause = 0.16

    private func takeGenerationSet(of stores: [SQLStore]) throws(PinviewError) -> GenerationSet {
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

    /// The token that names a generation of this coordinator.
    func token(for set: GenerationSet) -> QueryGenerationToken { QueryGenerationToken(set, coordinator: serial) }

    /// The generation that a token names: one that lives here, else one that another process holds,
    /// which this one holds then, too.
    ///
    /// - Throws: `foreignToken`, `generationExpired`, or 134070 when it covers a store that was
    ///   removed.
    func generationSet(for token: QueryGenerationToken) throws(PinviewError) -> GenerationSet {
        guard case .generation(let origin, let parts) = token.kind else {
            throw PinviewError(.invalidArgument, "The token .current names no generation.")
        }
        let isOwn = origin.process == QueryGenerationToken.process
        guard !isOwn || origin.coordinator == serial else {
            throw PinviewError(
                .foreignToken,
                "The query generation token comes from another coordinator of this process. Tokens can be shared among the contexts of one "
                    + "coordinator, and with other processes."
            )
        }
        if let set = generationTable.set(serial: isOwn ? origin.serial : nil, named: parts) {
            let removed = set.removedStoreIdentifiers
            guard removed.isEmpty else {
                throw PinviewError(
                    .persistentStoreOperation,
                    "The query generation covers a store that was removed from the coordinator: \(removed.joined(separator: ", ")). Pin to .current."
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
                    "The query generation token covers the store \(part.storeIdentifier), which this coordinator does not have. Add it first."
                ).with(affectedStores: [part.storeIdentifier])
            }
            guard store.isNamed(by: part.generation) else {
                throw PinviewError(
                    .foreignToken,
                    "The query generation token names another file than \(store.path ?? "the store in memory"), though both have the identifier "
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
        "The query generation has expired: no context of any process is on it any more, or the process that has it has not turned its token "
            + "into data. Take the token of a context that is pinned, or .current.")
}
