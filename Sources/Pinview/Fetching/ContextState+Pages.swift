import PinviewGenerations
import PinviewModel
import PinviewStore

/// The pages of batched results.
extension ContextState {
    /// The objects of one page of a batched result. If reading fails they stay faults, and firing
    /// them reports the error.
    func objectsOfPage(_ page: Range<Int>, _ references: FoundReferences, of fetch: ResolvedFetch) -> [ManagedObject] {
        if hasNotes { takeNewKeys() }
        if let objects = try? objectsWithRows(ofPage: page, references, of: fetch) { return objects }
        var objects: [ManagedObject] = []
        objects.reserveCapacity(page.count)
        for index in page { objects.append(objectOfPage(references[index], fetch)) }
        guard !hasEnded else { return objects }
        noteSiblings(objects)
        do {
            if !fetch.request.returnsObjectsAsFaults {
                try realiseTogether(objects)
            } else if parent == nil {
                try loadRows(of: objects.filter { $0.flags.contains(.fault) && !$0.key.isTemporary }, entity: fetch.entity)
            }
        } catch {
            // The objects stay faults; firing one runs into the same error and reports it.
        }
        return objects
    }

    private func objectOfPage(_ reference: ObjectReference, _ fetch: ResolvedFetch) -> ManagedObject {
        // The entity comes from the model of the fetch that returned the reference, so this only
        // fails if the context has ended.
        registry.object(reference.key) ?? (try? object(for: reference.key, entityIndex: reference.entityIndex))
            ?? makeObject(fetch.entity, reference.key, flags: .fault)
    }

    /// The objects of a page, made together with their rows as those of a fetch are.
    ///
    /// - Returns: nil if they must be looked up one by one: in a child, after a fetch from several
    ///   stores, or without the store.
    private func objectsWithRows(
        ofPage page: Range<Int>, _ references: FoundReferences, of fetch: ResolvedFetch
    ) throws(PinviewError) -> [ManagedObject]? {
        guard parent == nil, !hasEnded, references.binding != nil else { return nil }
        return try readingConsistently { () throws(PinviewError) -> [ManagedObject]? in
            let objects = try objects(at: page, references, of: fetch)
            noteSiblings(objects)
            if !fetch.request.returnsObjectsAsFaults, realiseFromPrefetchedRows(objects) {
                // A fault whose row cannot be read stays one; firing it reports the error.
                try? realiseTogether(objects)
            }
            return objects
        }
    }

    /// The objects of references, made together with their rows as those of a fetch are, within a
    /// consistent read.
    ///
    /// - Parameter refreshes: whether objects that have values get those of their rows.
    func objects(
        at places: Range<Int>, _ references: FoundReferences, of fetch: ResolvedFetch, refreshes: Bool = false
    ) throws(PinviewError) -> [ManagedObject] {
        let coordinator = try requireCoordinator()
        guard fetch.request.includesPropertyValues, let binding = references.binding,
            let first = places.first(where: { !references[$0].key.isTemporary }),
            let (store, generation) = try source(of: references[first].key, in: try beginRead())
        else { return places.map { objectOfPage(references[$0], fetch) } }
        let keys = references.storedKeys(places)
        if let generation, settings.stalenessInterval < 0, !refreshes, keys.count == places.count,
            registry.hasObject(keys[0], binding.table),
            let known = knownObjects(KeyList(ContiguousArray(keys)), atRank: generation.rank, store, fetch.entity, coordinator)
        {
            return known
        }
        // Objects with values keep them, and need no row.
        let realised = refreshes ? [:] : registry.realisedObjects(keys, binding.table)
        let wanted = realised.isEmpty ? keys : keys.filter { realised[$0] == nil }
        let stamp = coordinator.rowCache.stamp
        let rows = try store.rows(entity: fetch.entity, primaryKeys: wanted, at: generation)
        if generation == nil { noteLive(rows) }
        let origin = RowOrigin(rank: generation?.rank ?? 0, stamp: stamp, time: coordinator.time)
        let isNewest = areNewest(store: store, generation: generation, mayBeOld: false)
        var objects: [ManagedObject] = []
        objects.reserveCapacity(places.count)
        for block in rows.blocks {
            try appendObjects(of: block, fetch.entity, store: store, origin, isNewest: isNewest, to: &objects, coordinator)
        }
        if refreshes { try refresh(objects, from: rows) }
        return inOrder(objects, of: places, keys, realised, references, fetch)
    }

    /// The objects of a page in its order, with faults for rows that are gone.
    private func inOrder(
        _ found: [ManagedObject], of page: Range<Int>, _ keys: [Int64], _ realised: [Int64: ManagedObject], _ references: FoundReferences,
        _ fetch: ResolvedFetch
    ) -> [ManagedObject] {
        if realised.isEmpty, found.count == page.count, zip(found, keys).allSatisfy({ $0.primaryKey == $1 }) { return found }
        // All of them are registered, and stay so while they are referred to here.
        return withExtendedLifetime((found, realised)) { page.map { objectOfPage(references[$0], fetch) } }
    }
}
