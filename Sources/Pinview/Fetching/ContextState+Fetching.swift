import PinviewGenerations
import PinviewModel
import PinviewPredicates
import PinviewStore

/// A fetch request resolved against the model.
struct ResolvedFetch {
    var entity: Entity
    var predicate: ResolvedPredicate?
    var sortDescriptors: [ResolvedSortDescriptor]
    var request: FetchRequest
    var prefetching: [PrefetchedRelationship] = []
    /// What the stores have returned already, for an asynchronous fetch.
    var storeResults: StoreResults?

    /// - Parameters:
    ///   - isWindowed: whether the store applies limit and offset. Otherwise it returns no more than is
    ///     needed to apply them to what several stores return, and to changes.
    ///   - changed: how many of the store's rows may be left out because their objects have changes.
    func storeFetch(isWindowed: Bool, besides changed: Int = 0) -> StoreFetch {
        var fetch = StoreFetch(entity: entity)
        fetch.includesSubentities = request.includesSubentities
        fetch.predicate = predicate
        fetch.sortDescriptors = sortDescriptors
        if isWindowed {
            fetch.limit = request.fetchLimit
            fetch.offset = request.fetchOffset
        } else if request.fetchLimit > 0 {
            let (end, isTooLarge) = request.fetchLimit.addingReportingOverflow(request.fetchOffset)
            let (limit, isTooLargeWithChanges) = end.addingReportingOverflow(changed)
            if !isTooLarge, !isTooLargeWithChanges { fetch.limit = limit }
        }
        return fetch
    }

    func includes(_ object: ManagedObject) -> Bool { includes(object.entity) }

    func includes(_ other: Entity) -> Bool {
        request.includesSubentities ? other.isKind(ofIndex: entity.index) : other.index == entity.index
    }

    /// Whether an object of the entity matches with its values in memory.
    func matches(_ object: ManagedObject) throws(PinviewError) -> Bool {
        if let stores = request.affectedStores, !object.key.isTemporary,
            !stores.contains(where: { $0.store.number == object.key.storeNumber })
        {
            return false
        }
        return try predicate?.evaluate(with: object) ?? true
    }
}

/// Results of the stores: those read before, or freshly read ones.
extension ResolvedFetch {
    func rows(_ source: ContextState.ReadSource, _ fetch: StoreFetch, _ key: FetchKey?) throws(PinviewError) -> FetchedRows {
        if let storeResults, storeResults.areOf(fetch), let rows = storeResults.rows[source.store.number] { return rows }
        return try source.store.fetchRows(fetch, key: key, at: source.generation)
    }

    func references(_ source: ContextState.ReadSource, _ fetch: StoreFetch) throws(PinviewError) -> ReferenceList {
        if let storeResults, storeResults.areOf(fetch), let references = storeResults.references[source.store.number] { return references }
        return try source.store.fetchReferences(fetch, at: source.generation)
    }

    func count(_ source: ContextState.ReadSource, _ fetch: StoreFetch, _ key: FetchKey?) throws(PinviewError) -> Int {
        if let storeResults, storeResults.areOf(fetch), let count = storeResults.counts[source.store.number] { return count }
        return try source.store.count(fetch, key: key, at: source.generation)
    }
}

/// Fetching.
extension ContextState {
    func resolve(_ request: FetchRequest) throws(PinviewError) -> ResolvedFetch {
        let model = try requireCoordinator().managedObjectModel
        guard let entity = model.entity(named: request.entityName) else { throw PinviewError.unknownEntity(request.entityName, in: model) }
        guard request.fetchLimit >= 0, request.fetchOffset >= 0, request.fetchBatchSize >= 0 else {
            throw PinviewError(
                .invalidArgument,
                "The fetch limit (\(request.fetchLimit)), offset (\(request.fetchOffset)) and batch size (\(request.fetchBatchSize)) must not be negative."
            )
        }
        let predicate = try request.predicate?.resolved(for: entity, in: model)
        var sortDescriptors: [ResolvedSortDescriptor] = []
        for descriptor in request.sortDescriptors where !request.namesResult(descriptor) {
            sortDescriptors.append(try descriptor.resolved(for: entity, in: model))
        }
        return ResolvedFetch(
            entity: entity, predicate: predicate, sortDescriptors: sortDescriptors, request: request,
            prefetching: try PrefetchedRelationship.resolve(request.relationshipKeyPathsForPrefetching, entity, model))
    }

    func fetch(_ request: FetchRequest) throws(PinviewError) -> FetchResult { try self.fetch(try resolve(request)) }

    func fetch(_ fetch: ResolvedFetch) throws(PinviewError) -> FetchResult {
        let request = fetch.request
        // Observers may save, and the fetch must find what they saved.
        try processPendingChanges()
        return try readingConsistently { () throws(PinviewError) in
            if request.fetchBatchSize > 0 {
                let references = try fetchReferences(fetch)
                return FetchResult(batches: BatchedObjects(state: self, fetch: fetch, references: references))
            }
            let objects = try fetchObjects(fetch)
            if !fetch.prefetching.isEmpty { try prefetch(fetch.prefetching, of: objects, realises: !request.returnsObjectsAsFaults) }
            return FetchResult(objects: objects)
        }
    }

    func fetchObjectIDs(_ request: FetchRequest) throws(PinviewError) -> [ManagedObjectID] { try fetchObjectIDs(try resolve(request)) }

    func fetchObjectIDs(_ fetch: ResolvedFetch) throws(PinviewError) -> [ManagedObjectID] {
        try processPendingChanges()
        let model = try requireCoordinator().managedObjectModel
        let references = try readingConsistently { () throws(PinviewError) in try fetchReferences(fetch) }
        return (0..<references.count).map { index in
            let reference = references[index]
            return objectID(for: reference.key, entity: model.entities[reference.entityIndex])
        }
    }

    func count(_ request: FetchRequest) throws(PinviewError) -> Int { try count(try resolve(request)) }

    func count(_ fetch: ResolvedFetch) throws(PinviewError) -> Int {
        try processPendingChanges()
        if parent == nil, !pendingChangesMatter(to: fetch) {
            return try rereading { () throws(PinviewError) in try countInStores(fetch) }
        }
        return try readingConsistently { () throws(PinviewError) in
            if parent != nil { return try fetchObjects(fetch).count }
            if let count = try countBesideChanges(fetch, try readSources(for: fetch)) { return count }
            return try countInStores(fetch)
        }
    }

    private func countInStores(_ fetch: ResolvedFetch) throws(PinviewError) -> Int {
        let sources = try readSources(for: fetch)
        let storeFetch = fetch.storeFetch(isWindowed: sources.count == 1)
        var total = 0
        for source in sources {
            let cached = try cachedFetch(of: source, storeFetch, fetch, isCount: true)
            if let cached, let known = cached.set.fetchCache.count(cached.key) {
                total += known
                continue
            }
            let count = try fetch.count(source, storeFetch, cached?.key)
            if let cached { cached.set.fetchCache.store(count, for: cached.key) }
            total += count
        }
        return sources.count == 1 ? total : window(0..<total, fetch.request).count
    }

    // MARK: Objects

    private func fetchObjects(_ fetch: ResolvedFetch) throws(PinviewError) -> [ManagedObject] {
        let request = fetch.request
        if hasParent {
            let objects = try fetchObjectsFromParent(fetch)
            if !request.returnsObjectsAsFaults { try realiseTogether(objects) }
            return objects
        }
        let sources = try readSources(for: fetch)
        if let objects = try fetchObjectsBesideChanges(fetch, sources) {
            try noteFetched(objects, fetch)
            return objects
        }
        var objects: [ManagedObject] = []
        let storeWindows = sources.count == 1
        let storeFetch = fetch.storeFetch(isWindowed: storeWindows)
        for source in sources {
            if request.includesPropertyValues {
                let found = try objectsWithRows(source, storeFetch, fetch)
                if objects.isEmpty { objects = found } else { objects += found }
            } else {
                let binding = binding(fetch.entity, storeNumber: source.store.number)
                let references = try fetch.references(source, storeFetch)
                // Growing step by step would leave room for as many objects again.
                objects.reserveCapacity(objects.count + references.count)
                registry.lock.withLock { binding.table.reserve(max(0, references.count - binding.table.count)) }
                for reference in references {
                    let reference = try objectReference(reference, from: binding)
                    objects.append(try object(for: reference.key, entityIndex: reference.entityIndex))
                }
            }
        }
        if !storeWindows {
            if !fetch.sortDescriptors.isEmpty { objects = try sort(objects, fetch.sortDescriptors) }
            objects = Array(objects[window(objects.indices, request)])
        }
        try noteFetched(objects, fetch)
        return objects
    }

    /// Has faults among fetched objects fire together, now or when the first one is read.
    private func noteFetched(_ objects: [ManagedObject], _ fetch: ResolvedFetch) throws(PinviewError) {
        if fetch.request.returnsObjectsAsFaults {
            noteSiblings(objects)
        } else if realiseFromPrefetchedRows(objects) {
            try realiseTogether(objects)
        }
    }

    struct ReadSource: Sendable {
        let store: any IncrementalStore
        let generation: Generation?
        let entities: [Entity]
    }

    /// The stores that a fetch reads, with the context's generation of each.
    func readSources(for fetch: ResolvedFetch) throws(PinviewError) -> [ReadSource] {
        if let results = fetch.storeResults { return results.sources }
        let coordinator = try requireCoordinator()
        let set = try beginRead()
        let stores = coordinator.stores(holding: fetch.entity, among: fetch.request.affectedStores)
        let sources = stores.compactMap { store -> ReadSource? in
            switch set.reading(ofStore: store.number) {
            case .generation(let generation):
                ReadSource(store: store, generation: generation, entities: coordinator.managedObjectModel.entities)
            case .live: ReadSource(store: store, generation: nil, entities: coordinator.managedObjectModel.entities)
            case .notCovered: nil
            }
        }
        if sources.isEmpty {
            let removed = set.removedStoreIdentifiers
            guard removed.isEmpty else {
                throw PinviewError(
                    .persistentStoreOperation,
                    "All stores of the context's generation that held \(fetch.entity.name) have been removed from the coordinator."
                ).with(affectedStores: removed)
            }
        }
        return sources
    }

    /// Fetches rows, shares them through the row cache, and makes faults with prefetched rows.
    func objectsWithRows(
        _ source: ReadSource, _ storeFetch: StoreFetch, _ fetch: ResolvedFetch
    ) throws(PinviewError) -> [ManagedObject] {
        let coordinator = try requireCoordinator()
        let cached = try cachedFetch(of: source, storeFetch, fetch)
        if let cached, let objects = cachedObjects(cached, source, storeFetch.entity, coordinator) {
            noteTreeOrder(objects, KeyList(of: objects))
            return objects
        }
        let stamp = fetch.storeResults?.stamp ?? coordinator.rowCache.stamp
        let rows = try fetch.rows(source, storeFetch, cached?.key)
        if source.generation == nil { noteLive(rows) }
        let objects = try objects(
            of: rows, source, storeFetch.entity, stamp: stamp, mayBeOld: fetch.storeResults != nil, coordinator)
        if let cached {
            let keys = KeyList(of: objects)
            cached.set.fetchCache.store(keys, for: cached.key)
            noteTreeOrder(objects, keys)
        } else {
            noteTreeOrder(objects, KeyList(of: objects))
        }
        if fetch.request.shouldRefreshRefetchedObjects { try refresh(objects, from: rows) }
        return objects
    }

    /// Gives objects that have values those of the rows that they were made or found for.
    func refresh(_ objects: [ManagedObject], from rows: FetchedRows) throws(PinviewError) {
        for (index, object) in objects.enumerated() where isRefreshed(object) {
            try mergeCommitted(.stored(rows.snapshot(index)), into: object)
        }
    }

    /// The objects of rows that have been read, in order, making faults for rows without a registered
    /// object; the rows are shared through the row cache.
    ///
    /// - Parameters:
    ///   - entity: an entity of the rows' hierarchy.
    ///   - stamp: of the row cache, before the rows were read.
    ///   - mayBeOld: whether others may have committed since.
    func objects(
        of rows: FetchedRows, _ source: ReadSource, _ entity: Entity, stamp: UInt64, mayBeOld: Bool,
        _ coordinator: PersistentStoreCoordinator
    ) throws(PinviewError) -> [ManagedObject] {
        let origin = RowOrigin(rank: source.generation?.rank ?? 0, stamp: stamp, time: coordinator.clock())
        let isNewest = areNewest(store: source.store, generation: source.generation, mayBeOld: mayBeOld)
        var objects: [ManagedObject] = []
        objects.reserveCapacity(rows.count)
        makeRoom(for: rows.count, entity, store: source.store, coordinator)
        for (index, block) in rows.blocks.enumerated() {
            // Grow the heap ahead of every four blocks' objects.
            if index & 3 == 3 { ThreadHeap.grow() }
            try appendObjects(of: block, entity, store: source.store, origin, isNewest: isNewest, to: &objects, coordinator)
        }
        return objects
    }

    /// Whether a refreshing fetch refreshes this object: it must have values.
    private func isRefreshed(_ object: ManagedObject) -> Bool { object.flags.isDisjoint(with: [.fault, .deleted]) }

    /// Loads the rows of objects into the row cache, with one statement per store.
    /// - Parameter take: called with each row found, since the cache may be unusable for this
    ///   context or have dropped it.
    func loadRows(
        of objects: [ManagedObject], entity: Entity, take: ((ObjectKey, RowSnapshot) -> Void)? = nil
    ) throws(PinviewError) {
        let coordinator = try requireCoordinator()
        let set = try beginRead()
        for members in objects.groups({ $0.key.storeNumber == $1.key.storeNumber }) {
            let number = members[0].key.storeNumber
            guard let store = coordinator.store(number: number) else { continue }
            let generation: Generation?
            switch set.reading(ofStore: number) {
            case .generation(let covered): generation = covered
            case .live: generation = nil
            case .notCovered: continue
            }
            let rows = try cacheRows(of: members, entity: entity, store: store, generation: generation, coordinator: coordinator)
            guard let take else { continue }
            for row in 0..<rows.count {
                let key = ObjectKey(storeNumber: number, rootEntity: Int32(entity.rootIndex), primaryKey: rows.primaryKey(row))
                take(key, rows.snapshot(row))
            }
        }
    }

    /// Reads the rows of objects of one store and hierarchy, at a generation that the caller has
    /// resolved, into the row cache.
    func cacheRows(
        of objects: [ManagedObject], entity: Entity, store: any IncrementalStore, generation: Generation?,
        coordinator: PersistentStoreCoordinator
    ) throws(PinviewError) -> FetchedRows {
        for object in objects { countInRowCache(object) }
        let stamp = coordinator.rowCache.stamp
        let rows = try store.rows(entity: entity, primaryKeys: objects.map(\.key.primaryKey), at: generation)
        let number = store.number, rootEntity = Int32(entity.rootIndex)
        let keyed = (0..<rows.count).lazy.map {
            (ObjectKey(storeNumber: number, rootEntity: rootEntity, primaryKey: rows.primaryKey($0)), rows.snapshot($0))
        }
        cache(keyed, store: store, generation: generation, stamp: stamp, coordinator: coordinator)
        return rows
    }

    // MARK: Keys

    /// The keys of the matching objects, in order and within limit and offset.
    private func fetchReferences(_ fetch: ResolvedFetch) throws(PinviewError) -> FoundReferences {
        let request = fetch.request
        if parent != nil { return FoundReferences(to: try fetchObjects(fetch)) }
        let sources = try readSources(for: fetch)
        if let references = try fetchReferencesBesideChanges(fetch, sources) { return references }
        guard sources.count <= 1 || fetch.sortDescriptors.isEmpty else { return FoundReferences(to: try fetchObjects(fetch)) }
        if sources.count == 1 {
            let references = try fetch.references(sources[0], fetch.storeFetch(isWindowed: true))
            return FoundReferences(of: references, try checkedBinding(fetch.entity, sources[0], references))
        }
        var references: [ObjectReference] = []
        for source in sources {
            let binding = binding(fetch.entity, storeNumber: source.store.number)
            for reference in try fetch.references(source, fetch.storeFetch(isWindowed: false)) {
                references.append(try objectReference(reference, from: binding))
            }
        }
        return FoundReferences(Array(references[window(references.indices, request)]))
    }

    /// The binding of an entity in a store, from which objects can be made of references: all of them
    /// are of entities of the model.
    func checkedBinding(_ entity: Entity, _ source: ReadSource, _ references: ReferenceList) throws(PinviewError) -> EntityBinding {
        let binding = binding(entity, storeNumber: source.store.number)
        _ = try objectReference(Reference(entityIndex: references.highestEntityIndex, primaryKey: 0), from: binding)
        return binding
    }

    func window(_ indices: Range<Int>, _ request: FetchRequest) -> Range<Int> { request.window.clamped(to: indices) }
}

extension FetchRequest {
    /// The part of all results that is asked for.
    var window: Range<Int> {
        let (end, isTooLarge) = fetchOffset.addingReportingOverflow(fetchLimit)
        return fetchOffset..<(fetchLimit == 0 || isTooLarge ? .max : end)
    }
}

extension KeyList {
    fileprivate init(of objects: [ManagedObject]) {
        var keys: ContiguousArray<Int64> = []
        keys.reserveCapacity(objects.count)
        objects.forEachUncounted { keys.append($0.primaryKey) }
        self.init(keys)
    }
}
