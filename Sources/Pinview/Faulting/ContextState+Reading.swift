import PinviewGenerations
import PinviewModel
import PinviewStore

/// Reading from the stores at the context's generation.
extension ContextState {
    /// The generation of the read that begins now. Takes one if the context is to be pinned at its
    /// next read (QG-07).
    func beginRead() throws(PinviewError) -> GenerationSet { try beginRead(on: try requireCoordinator()) }

    func beginRead(on coordinator: PersistentStoreCoordinator) throws(PinviewError) -> GenerationSet {
        if let set = generationOfConsistentRead() { return set }
        switch pin.target {
        case .pinned(let set):
            noteState(set)
            return set
        case .unpinned:
            let set = try takeNewest(on: coordinator)
            noteState(set)
            return set
        case .onRead: return pin(to: try coordinator.currentGenerationSet())
        }
    }

    /// Like ``beginRead()``, but only if somebody has the generation already: waits for nobody.
    private func beginReadAtTakenGeneration(on coordinator: PersistentStoreCoordinator) -> GenerationSet? {
        switch pin.target {
        case .pinned(let set):
            noteState(set)
            return set
        case .unpinned: return nil
        case .onRead: return coordinator.newestTakenSet().map(pin(to:))
        }
    }

    /// Pins the context to the generation of its first read since it was to be pinned.
    private func pin(to set: GenerationSet) -> GenerationSet {
        noteState(set)
        // Without a store that has generations, the context silently stays unpinned (DEC-09).
        setPin(set.coversAnyStore ? .pinned(set) : .unpinned)
        return set
    }

    /// The store of a permanent key, and the generation to read.
    func source(of key: ObjectKey, in set: GenerationSet) throws(PinviewError) -> (any IncrementalStore, Generation?)? {
        try source(of: key, in: set, on: try requireCoordinator())
    }

    func source(
        of key: ObjectKey, in set: GenerationSet, on coordinator: PersistentStoreCoordinator
    ) throws(PinviewError) -> (any IncrementalStore, Generation?)? {
        guard let store = coordinator.store(number: key.storeNumber) else {
            throw storeRemovedError(key.storeNumber, coordinator)
        }
        return source(in: store, set)
    }

    /// A store with the generation to read; nil if the set doesn't cover the store.
    @inline(__always)
    private func source(in store: any IncrementalStore, _ set: GenerationSet) -> (any IncrementalStore, Generation?)? {
        switch set.reading(ofStore: store.number) {
        case .generation(let generation): (store, generation)
        case .live: (store, nil)
        case .notCovered: nil
        }
    }

    func storeRemovedError(_ number: Int32, _ coordinator: PersistentStoreCoordinator) -> PinviewError {
        let former = coordinator.storeIdentifier(number: number)
        let identifier = former ?? StoreNumbers.identifier(forNumber: number) ?? "unknown"
        return PinviewError(
            .persistentStoreOperation,
            former == nil
                ? "The store \(identifier) is not on this coordinator. Add it, or read its objects with its own coordinator."
                : "The store \(identifier) has been removed from the coordinator. Add it again to read its objects."
        ).with(affectedStores: [identifier])
    }

    /// The committed row of an object, from the row cache if its rules allow, otherwise from the
    /// store. Nil if the generation has no such row.
    ///
    /// If the store is read, the object's siblings are loaded with the same statement.
    func committedRow(of object: ManagedObject, mayUseCache: Bool = true) throws(PinviewError) -> RowSnapshot? {
        guard let row = try rowUnderKey(of: object, mayUseCache: mayUseCache) else { return nil }
        let entityIndex = object.unmanagedBinding._withUnsafeGuaranteedRef { $0.entity.index }
        guard row.entityIndex == entityIndex else { throw wrongEntity(of: object, row) }
        return row
    }

    /// The error for a row of another entity. An ID can come from anywhere, and a damaged row can
    /// lead anywhere, so a key's row may belong to another entity. The object must then not be
    /// taken for one whose row is gone, which would delete it.
    private func wrongEntity(of object: ManagedObject, _ row: RowSnapshot) -> PinviewError {
        let actual = coordinator?.managedObjectModel.entities[row.entityIndex].name ?? ""
        return PinviewError(
            .managedObjectReferentialIntegrity,
            "There is no row for \(object.objectID.uriRepresentation): the row with the key \(object.primaryKey) is of the entity \(actual). Either the ID was "
                + "made with the wrong entity, or a row that refers to it is damaged."
        ).with(affectedObjectIDs: [object.objectID], affectedStores: object.objectID.storeIdentifier.map { [$0] } ?? [])
    }

    private func rowUnderKey(of object: ManagedObject, mayUseCache: Bool) throws(PinviewError) -> RowSnapshot? {
        let key = object.key
        let coordinator = try requireCoordinator()
        // Resolved once: for the row cache, for the siblings and for the object's own statement.
        let store = coordinator.store(number: key.storeNumber)
        var asksCache = mayUseCache
        // A cached row needs nothing that somebody could want to interrupt.
        if mayUseCache, !pin.consistentRead.isUnderWay, let store {
            // For an unpinned context it needs no generation either, which would have to be taken
            // each time.
            if pin.isUnpinned {
                countInRowCache(object)
                if let row = cachedRow(of: key, generation: nil, store: store, coordinator: coordinator) {
                    noteCached(row, ofStore: store.number)
                    return row
                }
                asksCache = false
            } else if let set = beginReadAtTakenGeneration(on: coordinator) {
                guard let (_, generation) = source(in: store, set) else { return nil }
                countInRowCache(object)
                if let row = cachedRow(of: key, generation: generation, store: store, coordinator: coordinator) { return row }
                asksCache = false
            }
        }
        return try rereading { () throws(PinviewError) in
            try readCommittedRow(of: object, in: store, mayUseCache: mayUseCache, asksCache: asksCache, coordinator)
        }
    }

    /// - Parameter asksCache: false if the row cache has been asked already.
    private func readCommittedRow(
        of object: ManagedObject, in store: (any IncrementalStore)?, mayUseCache: Bool, asksCache: Bool,
        _ coordinator: PersistentStoreCoordinator
    ) throws(PinviewError) -> RowSnapshot? {
        let key = object.key, entity = object.entity
        let set = try beginRead(on: coordinator)
        guard let store else { throw storeRemovedError(key.storeNumber, coordinator) }
        guard let (_, generation) = source(in: store, set) else { return nil }
        countInRowCache(object)
        if asksCache, let row = cachedRow(of: key, generation: generation, store: store, coordinator: coordinator) { return row }
        if mayUseCache, let siblings = siblings(of: object),
            let row = try loadSiblings(siblings, of: object, store: store, generation: generation, coordinator: coordinator)
        {
            return row
        }
        let stamp = coordinator.rowCache.stamp
        guard let row = try store.row(entity: entity, primaryKey: key.primaryKey, at: generation) else { return nil }
        coordinator.rowCache.store(
            row, for: key, rank: generation?.rank ?? 0,
            isNewest: areNewest(store: store, generation: generation, mayBeOld: false), stamp: stamp, time: coordinator.time,
            keepsOlder: othersArePinned(on: coordinator))
        return row
    }

    func cachedRow(
        of key: ObjectKey, generation: Generation?, store: any IncrementalStore, coordinator: PersistentStoreCoordinator
    ) -> RowSnapshot? {
        let interval = store.isInMemory ? -1 : settings.stalenessInterval
        if interval == 0 { return nil }
        let earliest = interval < 0 ? -Double.infinity : coordinator.clock() - interval
        let cache = coordinator.rowCache
        guard readsOneGeneration, let generation else {
            return cache.newestRow(for: key, notBefore: pin.floorStamp, earliestTime: earliest)
        }
        if interval > 0, let time = cache.readTime(for: key, atRank: generation.rank), time < earliest { return nil }
        return cache.row(for: key, atRank: generation.rank)
    }

    /// Shares rows with the coordinator's other contexts. Only rows of objects counted by some
    /// context are kept.
    func cache(
        _ rows: some Sequence<(ObjectKey, RowSnapshot)>, store: any IncrementalStore, generation: Generation?, stamp: UInt64,
        coordinator: PersistentStoreCoordinator
    ) {
        coordinator.rowCache.store(
            rows, rank: generation?.rank ?? 0, isNewest: areNewest(store: store, generation: generation, mayBeOld: false),
            stamp: stamp, time: coordinator.time)
    }

    /// Whether rows of a generation may be used by contexts that read the newest state.
    /// - Parameter mayBeOld: whether they were read some time ago.
    func areNewest(store: any IncrementalStore, generation: Generation?, mayBeOld: Bool) -> Bool {
        !pin.hasGeneration && !mayBeOld || generation.map { store.isNewest($0) } ?? !mayBeOld
    }

    /// The rank of the generation at which the context reads a store; 0 if it is neither pinned nor
    /// in a consistent read, or has not read yet.
    func readRank(ofStore number: Int32) -> UInt64 {
        let change = pin.changeCount
        if pin.knownRank.change == change, pin.knownRank.store == number { return pin.knownRank.rank }
        var rank: UInt64 = 0
        var set = pin.consistentRead.set
        if set == nil, case .pinned(let pinned) = pin.target { set = pinned }
        if case .generation(let generation)? = set?.reading(ofStore: number) { rank = generation.rank }
        pin.knownRank = (change, number, rank)
        return rank
    }

    /// Call this when the generation that is read changes without a change of the pin.
    func forgetKnownRank() { pin.knownRank = (0, 0, 0) }

    /// The destination named by a row of an object's store.
    func objectReference(_ reference: Reference, from binding: EntityBinding) throws(PinviewError) -> ObjectReference {
        let entityIndex = Int(reference.entityIndex)
        guard binding.entities.indices.contains(entityIndex) else {
            throw PinviewError(.sqlite, "A row of the store has an entity that is not in the model (number \(entityIndex + 1)).")
        }
        return ObjectReference(
            key: ObjectKey(
                storeNumber: binding.storeNumber, rootEntity: Int32(binding.entities[entityIndex].rootIndex),
                primaryKey: reference.primaryKey
            ),
            entityIndex: entityIndex)
    }
}
