import PinviewGenerations
import PinviewModel
import PinviewStore

/// Looking up objects by their IDs.
extension ContextState {
    func existingObject(with objectID: ManagedObjectID) throws(PinviewError) -> ManagedObject {
        let object = try object(with: objectID)
        try load(object, of: objectID)
        return object
    }

    func object(with objectID: ManagedObjectID) throws(PinviewError) -> ManagedObject {
        if hasNotes { takeNewKeys() }
        return try knownObject(with: objectID)
    }

    /// Loads the values of an object.
    private func load(_ object: ManagedObject, of objectID: ManagedObjectID) throws(PinviewError) {
        try requireUsable(object)
        guard object.flags.contains(.fault) else {
            if object.flags.contains(.inaccessible) { throw PinviewError.noSuchRow(objectID) }
            return
        }
        guard let row = try loadCommitted(object, mayUseCache: true) else { throw PinviewError.noSuchRow(objectID) }
        try realise(object, row)
    }

    /// Looks up an object after new permanent keys have been taken over.
    private func knownObject(with objectID: ManagedObjectID) throws(PinviewError) -> ManagedObject {
        let key = PermanentKeys.shared.permanentKey(for: objectID.key)
        if let object = registry.object(key) ?? registry.object(objectID.key) { return object }
        let model = try requireCoordinator().managedObjectModel
        // The ID may come from another coordinator with a model of its own, so find the entity by
        // name.
        guard let entity = model.entity(like: objectID.entity) else {
            throw PinviewError.unknownEntity(objectID.entity.name, in: model)
        }
        let ownKey = ObjectKey(storeNumber: key.storeNumber, rootEntity: Int32(entity.rootIndex), primaryKey: key.primaryKey)
        return try object(for: ownKey, entityIndex: entity.index)
    }

    // MARK: Many at once

    /// The objects of IDs, in the same order.
    func objects(with objectIDs: [ManagedObjectID]) throws(PinviewError) -> [ManagedObject] {
        if hasNotes { takeNewKeys() }
        var objects: [ManagedObject] = []
        objects.reserveCapacity(objectIDs.count)
        while objects.count < objectIDs.count {
            let first = objects.count
            if let binding = knownBinding(of: objectIDs[first]) { appendObjects(of: binding, objectIDs, to: &objects) }
            // This ID's object needs the general path.
            if objects.count == first { objects.append(try knownObject(with: objectIDs[first])) }
        }
        return objects
    }

    /// The binding of a permanent ID; nil for an ID of another model.
    private func knownBinding(of objectID: ManagedObjectID) -> EntityBinding? {
        let entity = objectID.entity
        guard !objectID.key.isTemporary, let entities = model?.entities, entity.index < entities.count, entities[entity.index] === entity
        else { return nil }
        return binding(entity, storeNumber: objectID.key.storeNumber)
    }

    /// Appends the objects of the next IDs, up to the first with another binding.
    private func appendObjects(of binding: EntityBinding, _ objectIDs: [ManagedObjectID], to objects: inout [ManagedObject]) {
        let first = objects.count, table = binding.table
        objectIDs.withUnsafeBytes { bytes in
            // An array of objects is an array of addresses.
            let objectIDs = bytes.bindMemory(to: Unmanaged<ManagedObjectID>.self)
            registry.lock.lock()
            table.reserve(max(0, objectIDs.count - first - table.count))
            while objects.count < objectIDs.count {
                let object = objectIDs[objects.count]._withUnsafeGuaranteedRef { objectID -> ManagedObject? in
                    let key = objectID.key
                    guard objectID.entity === binding.entity, key.storeNumber == binding.storeNumber else { return nil }
                    return self.object(key.primaryKey, orFaultOf: binding).object
                }
                guard let object else { break }
                objects.append(object)
            }
            registry.lock.unlock()
        }
        if hasParent || registry.retainsAll { for object in objects[first...] { noteRegistered(object) } }
    }

    /// The objects of IDs with their values loaded, in the same order.
    func existingObjects(with objectIDs: [ManagedObjectID]) throws(PinviewError) -> [ManagedObject] {
        try readingConsistently { () throws(PinviewError) in try loadedObjects(with: objectIDs) }
    }

    private func loadedObjects(with objectIDs: [ManagedObjectID]) throws(PinviewError) -> [ManagedObject] {
        let objects = try objects(with: objectIDs)
        var missing = ObjectSet()
        // Objects of the parent must stay until they have passed on their rows.
        var kept: [ManagedObject] = []
        if let parent {
            kept = try parent.loadForChild(objects.filter { $0.flags.contains(.fault) })
        } else {
            missing = try giveRows(to: objects)
        }
        defer { withExtendedLifetime(kept) {} }
        let isPlain = !hasParent && missing.isEmpty && hookTable == nil
        for (position, object) in objects.enumerated() {
            if isPlain, object.flags.intersection([.fault, .invalidated]) == .fault, object.rowNumber != nil {
                object.flags.remove(.fault)
                noteRealised(object)
                continue
            }
            if missing.contains(object), object.flags.contains(.fault) { throw PinviewError.noSuchRow(objectIDs[position]) }
            // An object that a hook has made a fault again is looked up again.
            if !hasParent, object.flags.intersection([.fault, .invalidated]) == .fault, let row = object.prefetchedRow {
                try realise(object, .stored(row))
            } else {
                try load(object, of: objectIDs[position])
            }
        }
        return objects
    }

    /// Loads prefetched rows into this context's objects for faults of a child.
    /// - Returns: this context's objects, for the child to keep alive.
    func loadForChild(_ faults: [ManagedObject]) throws(PinviewError) -> [ManagedObject] {
        guard faults.count > 1 else { return [] }
        try enterForChild()
        defer { leave() }
        var own: [ManagedObject] = []
        for fault in faults where !fault.key.isTemporary {
            own.append(try object(for: fault.key, entityIndex: fault.entity.index))
        }
        guard let parent else {
            // With an interval of 0, every fault reads its own row.
            if settings.stalenessInterval != 0 {
                // The child asks for rows of this generation.
                _ = try beginRead()
                _ = try giveRows(to: own)
            }
            return own
        }
        return own + (try parent.loadForChild(own.filter { $0.flags.contains(.fault) }))
    }

    // MARK: Rows

    /// Gives each fault a prefetched row that fits the consistent read under way: its own, that of
    /// the row cache, or a freshly read one.
    /// - Returns: the faults without a row.
    func giveRows(to objects: [ManagedObject]) throws(PinviewError) -> ObjectSet {
        if try takeCachedRowsOfOneState(objects) { return ObjectSet() }
        _ = try beginRead()
        let faults = objects.filter {
            $0.flags.intersection([.fault, .invalidated]) == .fault && usablePrefetchedRow(of: $0) == nil
        }
        var missing = ObjectSet()
        for group in inGroups(faults) { try giveRows(to: group, of: group[0].binding, &missing) }
        return missing
    }

    /// Gives faults of an unpinned context the newest rows of the row cache, if all of these were
    /// read at one generation. They then are of one state, without taking a generation.
    private func takeCachedRowsOfOneState(_ objects: [ManagedObject]) throws(PinviewError) -> Bool {
        // Rows of a fetch stay usable until someone commits, so the row cache is not needed.
        guard pin.isUnpinned, pin.consistentRead.set == nil, let first = objects.first, first.prefetchedBlock == nil else {
            return false
        }
        let coordinator = try requireCoordinator(), number = first.key.storeNumber
        guard let store = coordinator.store(number: number), store.supportsGenerations else { return false }
        var rows: [RowSnapshot?] = []
        rows.reserveCapacity(objects.count)
        var rank: UInt64?
        for object in objects {
            guard object.flags.intersection([.fault, .invalidated]) == .fault else {
                rows.append(nil)
                continue
            }
            let key = object.key
            guard key.storeNumber == number, !key.isTemporary,
                let row = cachedRow(of: key, generation: nil, store: store, coordinator: coordinator)
            else { return false }
            let read = row.block.rank
            guard read != 0, rank == nil || read == rank else { return false }
            rank = read
            rows.append(row)
        }
        for (object, row) in zip(objects, rows) {
            guard let row else { continue }
            countInRowCache(object)
            object.setPrefetchedRow(row)
        }
        return true
    }

    /// Gives rows to faults of one store and hierarchy that have none.
    private func giveRows(
        to group: [ManagedObject], of binding: EntityBinding, _ missing: inout ObjectSet
    ) throws(PinviewError) {
        let key = binding.key(0), coordinator = try requireCoordinator()
        var rest = group
        if key.isTemporary {
            for object in rest { missing.insert(object) }
            return
        }
        guard let (store, generation) = try source(of: key, in: try beginRead()) else {
            for object in rest { missing.insert(object) }
            return
        }
        // Rows of a store without generations may be of any state.
        if generation != nil { rest = withoutCached(rest, store, generation, coordinator) }
        if !rest.isEmpty { try readRows(of: KeyedObjects(rest), binding.entity, store, generation, coordinator, &missing) }
    }

    /// Gives faults their rows in the row cache.
    /// - Returns: the faults without one.
    private func withoutCached(
        _ faults: [ManagedObject], _ store: any IncrementalStore, _ generation: Generation?, _ coordinator: PersistentStoreCoordinator
    ) -> [ManagedObject] {
        faults.filter { object in
            guard let row = cachedRow(of: object.key, generation: generation, store: store, coordinator: coordinator) else { return true }
            countInRowCache(object)
            object.setPrefetchedRow(row)
            return false
        }
    }

    private func readRows(
        of faults: KeyedObjects, _ entity: Entity, _ store: any IncrementalStore, _ generation: Generation?,
        _ coordinator: PersistentStoreCoordinator, _ missing: inout ObjectSet
    ) throws(PinviewError) {
        let stamp = coordinator.rowCache.stamp
        let rows = try store.rows(entity: entity, primaryKeys: faults.keys, at: generation)
        if generation == nil { noteLive(rows) }
        let origin = RowOrigin(rank: generation?.rank ?? 0, stamp: stamp, time: coordinator.time)
        let isNewest = areNewest(store: store, generation: generation, mayBeOld: false)
        let keepsOlder = othersArePinned(on: coordinator)
        coordinator.rowCache.makeRoom(for: rows.count, storeNumber: store.number, rootEntity: Int32(entity.rootIndex))
        var search = faults.search()
        let isPolymorphic = coordinator.managedObjectModel.entities[entity.rootIndex].familyIndexes.count > 1
        for block in rows.blocks {
            withUnsafeTemporaryAllocation(of: Int64.self, capacity: Int(block.rowCount)) { keys in
                withUnsafeTemporaryAllocation(of: Bool.self, capacity: Int(block.rowCount)) { isCounted in
                    guard let keys = keys.baseAddress, let isCounted = isCounted.baseAddress else { return }
                    block.copyPrimaryKeys(into: keys)
                    let unmanagedBlock = Unmanaged.passUnretained(block)
                    for row in 0..<Int(block.rowCount) {
                        let fault = search.take(keys[row])
                        // If an object was requested with the wrong entity, leave its row to the
                        // loader, which reports the error.
                        if isPolymorphic, let fault,
                            fault._withUnsafeGuaranteedRef({ $0.entity.index }) != block.entityIndex(row: Int32(row))
                        {
                            (isCounted + row).initialize(to: true)
                            continue
                        }
                        fault?._withUnsafeGuaranteedRef { $0.setPrefetchedRow(unmanagedBlock, row: row) }
                        (isCounted + row).initialize(to: fault?._withUnsafeGuaranteedRef { $0.markCountedInRowCache() } ?? true)
                    }
                    coordinator.rowCache.store(
                        block, keys, storeNumber: store.number, rootEntity: Int32(entity.rootIndex), isCounted: isCounted,
                        origin: origin, isNewest: isNewest, keepsOlder: keepsOlder)
                }
            }
        }
        search.forEachLeft { missing.insert($0) }
    }
}

extension ManagedObject {
    /// Notes that the row cache counts the object.
    /// - Returns: whether it already did.
    @inline(__always)
    fileprivate func markCountedInRowCache() -> Bool {
        defer { isCountedInRowCache = true }
        return isCountedInRowCache
    }
}
