import PinviewModel
import PinviewStore

/// Repeating a fetch at the same generation without running a statement.
extension ContextState {
    /// Where the results of a fetch are cached.
    struct CachedFetch {
        let set: GenerationSet
        let key: FetchKey
        let rank: UInt64
    }

    /// Nil if the fetch cannot be cached: the context is not pinned, the store has no generations,
    /// or rows must be read anew.
    func cachedFetch(
        of source: ReadSource, _ storeFetch: StoreFetch, _ fetch: ResolvedFetch, isCount: Bool = false
    ) throws(PinviewError) -> CachedFetch? {
        guard let generation = source.generation, fetch.storeResults == nil, isCount || !fetch.request.shouldRefreshRefetchedObjects,
            case .pinned(let set) = pin.target, settings.stalenessInterval < 0,
            let key = try source.store.cacheKey(of: storeFetch, isCount: isCount)
        else { return nil }
        return CachedFetch(set: set, key: key, rank: generation.rank)
    }

    /// The objects of a cached fetch, each realised or with a prefetched row; nil if rows are
    /// missing.
    func cachedObjects(
        _ cached: CachedFetch, _ source: ReadSource, _ entity: Entity, _ coordinator: PersistentStoreCoordinator
    ) -> [ManagedObject]? {
        guard let keys = cached.set.fetchCache.keys(cached.key) else { return nil }
        return knownObjects(keys, atRank: cached.rank, source.store, entity, coordinator)
    }

    /// The objects of keys, each realised or with a prefetched row of the generation that the context
    /// reads; nil if rows are missing.
    func knownObjects(
        _ keys: KeyList, atRank rank: UInt64, _ store: any IncrementalStore, _ entity: Entity,
        _ coordinator: PersistentStoreCoordinator
    ) -> [ManagedObject]? {
        let binding = binding(entity, storeNumber: store.number)
        var objects: [ManagedObject] = []
        objects.reserveCapacity(keys.count)
        // The keys without an object, with their positions.
        var gaps: [(position: Int, key: Int64)] = []
        var hasFaults = false
        let table = binding.table
        registry.lock.lock()
        keys.forEach { key in
            if let object = table.object(key) {
                if object.flags.contains(.fault) { hasFaults = true }
                objects.append(object)
            } else {
                gaps.append((objects.count, key))
            }
        }
        registry.lock.unlock()
        let rowless = hasFaults ? objects.filter { $0.flags.contains(.fault) && $0.prefetchedRow?.block.rank != rank } : []
        if gaps.isEmpty, rowless.isEmpty { return objects }
        let wanted = rowless.map(\.primaryKey) + gaps.map(\.key)
        let isCounted = rowless.map(\.isCountedInRowCache) + gaps.map { _ in false }
        guard
            let rows = coordinator.rowCache.takeRows(
                wanted, storeNumber: store.number, rootEntity: binding.rootEntity, atRank: rank, isCounted: isCounted)
        else { return nil }
        for (object, row) in zip(rowless, rows) {
            object.isCountedInRowCache = true
            object.setPrefetchedRow(row)
        }
        return gaps.isEmpty ? objects : filled(gaps, objects, rows[rowless.count...], store, coordinator)
    }

    /// Inserts new objects for the keys without one, in the order of the keys.
    private func filled(
        _ gaps: [(position: Int, key: Int64)], _ objects: [ManagedObject], _ rows: ArraySlice<RowSnapshot>,
        _ store: any IncrementalStore, _ coordinator: PersistentStoreCoordinator
    ) -> [ManagedObject] {
        var all: [ManagedObject] = []
        all.reserveCapacity(objects.count + gaps.count)
        var next = 0
        let entities = coordinator.managedObjectModel.entities
        var binding = binding(entities[rows.first?.entityIndex ?? 0], storeNumber: store.number)
        registry.lock.lock()
        binding.table.reserve(gaps.count)
        for (gap, row) in zip(gaps, rows) {
            if gap.position > next {
                all += objects[next..<gap.position]
                next = gap.position
            }
            let index = row.entityIndex
            if index != binding.entity.index {
                registry.lock.unlock()
                binding = self.binding(entities[index], storeNumber: store.number)
                registry.lock.lock()
            }
            all.append(object(gap.key, orFaultOf: binding, withRow: Int(row.row), of: .passRetained(row.block)).object)
        }
        registry.lock.unlock()
        if registry.retainsAll { for object in all { noteRegistered(object) } }
        all += objects[next...]
        return all
    }
}
