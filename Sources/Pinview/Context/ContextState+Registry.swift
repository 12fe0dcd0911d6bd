import PinviewGenerations
import PinviewModel
import PinviewStore

/// Making, registering and renaming objects. See ``ObjectRegistry`` for what the registry
/// guarantees.
extension ContextState {
    /// The registered object of a key if the calling thread can enter the context without waiting;
    /// otherwise nil.
    @inline(__always)
    func registeredObjectAtOnce(_ key: ObjectKey) -> ManagedObject? {
        if hasParent { return nil }
        return isReadable ? registry.object(key, prefetchesNext: true) : registeredObjectEntering(key)
    }

    @inline(never)
    private func registeredObjectEntering(_ key: ObjectKey) -> ManagedObject? { readAtOnce { registry.object(key) } }

    /// Copies numeric attribute values of a registered object if the calling thread can enter the
    /// context without waiting.
    /// - Returns: false, having copied nothing, if the values need more than that.
    @inline(__always)
    func giveNumbersAtOnce(
        of key: ObjectKey, _ indexes: UnsafeBufferPointer<Int32>, to numbers: UnsafeMutablePointer<PlainNumber>
    ) -> Bool {
        if hasParent { return false }
        let areGiven: Void? = readAtOnce { registry.giveNumbers(of: key, indexes, to: numbers) }
        return areGiven != nil
    }

    /// The living registered objects of an entity and its sub-entities, in all stores: those that
    /// have the entity's properties at the same indexes.
    func registeredObjects(ofKind entityIndex: Int) -> [ManagedObject] {
        guard let entities = model?.entities, entities.indices.contains(entityIndex) else { return [] }
        let rootIndex = entities[entityIndex].rootIndex
        let objects = registry.objects(ofHierarchy: Int32(rootIndex))
        return entityIndex == rootIndex ? objects : objects.filter { $0.entity.isKind(ofIndex: entityIndex) }
    }

    /// Whether there may be a registered object of an entity's hierarchy.
    func hasRegisteredObjects(ofHierarchyOf entity: Entity) -> Bool {
        registry.hasObjects(ofHierarchy: Int32(entity.rootIndex))
    }

    /// The to-one relationships of an object that have inverses, if any of them may have a
    /// registered destination.
    @inline(__always)
    func toOneWithRegisteredInverse(of object: ManagedObject) -> [(property: Property, inverse: Property)] {
        object.unmanagedBinding._withUnsafeGuaranteedRef { binding in
            // Most contexts never have an object of a destination, and each fault that fires asks.
            binding.bindingCountWithoutDestinations == registry.bindingCount ? [] : toOneWithRegisteredInverse(binding)
        }
    }

    @inline(never)
    private func toOneWithRegisteredInverse(_ binding: EntityBinding) -> [(property: Property, inverse: Property)] {
        let roots = binding.toOneDestinationRoots
        if registry.hasObjects(ofAnyHierarchyIn: roots) { return binding.toOneWithInverse }
        if !registry.hasBindings(ofAnyHierarchyIn: roots) { binding.bindingCountWithoutDestinations = registry.bindingCount }
        return []
    }

    // MARK: Making objects

    /// The binding shared by all objects of an entity in a store.
    func binding(_ entity: Entity, storeNumber: Int32) -> EntityBinding {
        if let known = registry.knownBinding(entity, storeNumber: storeNumber) { return known }
        let table = registry.table(storeNumber, Int32(entity.rootIndex))
        let binding = EntityBinding(state: self, entity: entity, storeNumber: storeNumber, table: table, coordinator: coordinator)
        registry.add(binding)
        return binding
    }

    /// Makes an object without registering it.
    func makeObject(_ entity: Entity, _ key: ObjectKey, flags: ObjectFlags) -> ManagedObject {
        let binding = binding(entity, storeNumber: key.storeNumber)
        registry.lock.lock()
        countObject()
        registry.lock.unlock()
        return ManagedObject(binding: binding, primaryKey: key.primaryKey, flags: flags)
    }

    /// The registered object of a key, or a new fault that is registered. Requires the registry's
    /// lock.
    @inline(__always)
    func object(_ key: Int64, orFaultOf binding: EntityBinding) -> (object: ManagedObject, isNew: Bool) {
        binding.table.object(key) {
            countObject()
            return ManagedObject(binding: binding, primaryKey: key, flags: .fault)
        }
    }

    /// The registered object of a key, or a new fault with a prefetched row, which the row cache is
    /// to count. Requires the registry's lock.
    ///
    /// - Parameter block: of a new fault's row; the fault takes over the reference.
    @inline(__always)
    func object(
        _ key: Int64, orFaultOf binding: EntityBinding, withRow row: Int, of block: @autoclosure () -> Unmanaged<RowBlock>
    ) -> (object: ManagedObject, isNew: Bool) {
        binding.table.object(key) {
            countObject()
            return ManagedObject(binding: binding, primaryKey: key, block: block(), row: row)
        }
    }

    /// Counts one more object that refers to the state, which lives as long as any of them.
    /// Requires the registry's lock.
    @inline(__always)
    func countObject() { if registry.countObject() { _ = Unmanaged.passUnretained(self).retain() } }

    /// The registered object of a key, or a new fault. Every key from a parent, a store, a merge or
    /// the program passes through here, so a row has only one object, whichever of its keys is used
    /// (ONE-01).
    func object(for key: ObjectKey, entityIndex: Int) throws(PinviewError) -> ManagedObject {
        if hasNotes { takeNewKeys() }
        if key.isTemporary {
            if let object = registry.object(key) { return object }
            let permanent = PermanentKeys.shared.permanentKey(for: key)
            if !permanent.isTemporary { return try object(for: permanent, entityIndex: entityIndex) }
        }
        let binding: EntityBinding
        if let known = registry.knownBinding(entityIndex: entityIndex, storeNumber: key.storeNumber) {
            binding = known
        } else {
            if let object = registry.object(key) { return object }
            let entity = try requireCoordinator().managedObjectModel.entities[entityIndex]
            binding = self.binding(entity, storeNumber: key.storeNumber)
        }
        registry.lock.lock()
        let (object, isNew) = self.object(key.primaryKey, orFaultOf: binding)
        registry.lock.unlock()
        if isNew { noteRegistered(object) }
        return object
    }

    // MARK: Registering

    /// Registers an object under a new temporary key.
    @inline(__always)
    func enterNewInRegistry(_ object: ManagedObject, _ binding: EntityBinding) {
        registry.lock.lock()
        countObject()
        binding.table.enterNew(object)
        registry.lock.unlock()
        noteRegistered(object)
    }

    /// Registers objects under new temporary keys.
    func enterNewInRegistry(_ objects: ArraySlice<ManagedObject>, _ binding: EntityBinding) {
        registry.lock.lock()
        binding.table.reserve(objects.count)
        objects.forEachUncounted { object in
            countObject()
            // The temporary keys of those that follow.
            binding.table.prefetch(ahead: object.primaryKey)
            binding.table.enterNew(object)
        }
        registry.lock.unlock()
        if hasParent || registry.retainsAll { noteRegistered(Array(objects)) }
    }

    /// Registers an object under its key again. If a fault was made for the key meanwhile, it
    /// represents no row and gives up the key (ONE-01).
    func enterAgainInRegistry(_ object: ManagedObject) {
        if !registry.takenBackKeys.isEmpty { registry.takenBackKeys.remove(object.key) }
        if let other = registry.object(object.key) {
            if other === object { return }
            rename(other, to: ObjectKey(storeNumber: -1, rootEntity: other.key.rootEntity, primaryKey: TemporaryKeys.next()))
        }
        enterInRegistry(object)
    }

    /// Registers an object under its key.
    func enterInRegistry(_ object: ManagedObject) {
        registry.lock.lock()
        object.binding.table.enter(object)
        registry.lock.unlock()
        noteRegistered(object)
    }

    @inline(__always)
    func noteRegistered(_ object: ManagedObject) {
        // The parent reads rows on behalf of its children and may itself drop the objects.
        if hasParent { countInRowCache(object) }
        registry.retainIfAsked(object)
    }

    /// Gives an object its permanent key or a new temporary one.
    func rename(_ object: ManagedObject, to key: ObjectKey) { rename([(object, key)]) }

    /// Gives new objects their permanent keys.
    func rename(_ objects: [(ManagedObject, ObjectKey)]) {
        let former = references == nil ? [] : objects.map { ($0.0, $0.0.key) }
        defer { if !former.isEmpty { renameReferences(former) } }
        for (object, _) in objects where object.isCountedInRowCache {
            object.isCountedInRowCache = false
            object.binding.rowCache?.unregister(object.key)
        }
        var next = 0
        while next < objects.count {
            // Usually all of them have the same binding.
            let old = objects[next].0.binding, storeNumber = objects[next].1.storeNumber
            let new = binding(old.entity, storeNumber: storeNumber)
            registry.lock.lock()
            new.table.reserve(objects.count - next)
            while next < objects.count, objects[next].0.hasBinding(old), objects[next].1.storeNumber == storeNumber {
                let (object, key) = objects[next]
                old.table.remove(object)
                object.setKey(key.primaryKey, binding: new)
                new.table.enter(object)
                next += 1
            }
            registry.lock.unlock()
        }
        if hasParent || registry.retainsAll { noteRegistered(objects.map(\.0)) }
    }

    /// Gives new objects of one entity consecutive permanent keys.
    func rename(_ objects: [ManagedObject], from first: Int64, storeNumber: Int32) {
        guard let old = objects.first?.binding else { return }
        let former = references == nil ? [] : objects.map { ($0, $0.key) }
        defer { if !former.isEmpty { renameReferences(former) } }
        let new = binding(old.entity, storeNumber: storeNumber)
        if objects.containsUncounted({ $0.isCountedInRowCache }) {
            for object in objects where object.isCountedInRowCache {
                object.isCountedInRowCache = false
                old.rowCache?.unregister(object.key)
            }
        }
        var key = first
        registry.lock.lock()
        new.table.reserve(objects.count)
        // Each object is registered, so equal counts mean that the table holds no others.
        let areAll = old.table !== new.table && old.table.count == objects.count
        if areAll { old.table.removeAll() }
        objects.forEachUncounted { object in
            new.table.prefetch(ahead: key)
            if !areAll { old.table.remove(object) }
            object.setKey(key, binding: new)
            new.table.enter(object)
            key += 1
        }
        registry.lock.unlock()
        if hasParent || registry.retainsAll { noteRegistered(objects) }
    }

    /// Notes objects that were registered under new keys. An object whose deletion was saved is
    /// registered anew by this.
    private func noteRegistered(_ objects: [ManagedObject]) {
        for object in objects { noteRegistered(object) }
    }

    /// Makes the row cache keep the object's row for as long as the object exists.
    func countInRowCache(_ object: ManagedObject) {
        guard !object.isCountedInRowCache, !object.key.isTemporary, let cache = object.binding.rowCache else { return }
        cache.register(object.key)
        object.isCountedInRowCache = true
    }

    // MARK: Rows

    /// Reserves room for the new rows among these, since growing step by step would move all
    /// entries repeatedly.
    func makeRoom(for count: Int, _ entity: Entity, store: any IncrementalStore, _ coordinator: PersistentStoreCoordinator) {
        let table = binding(entity, storeNumber: store.number).table
        registry.lock.withLock { table.reserve(max(0, count - table.count)) }
        coordinator.rowCache.makeRoom(for: count, storeNumber: store.number, rootEntity: Int32(entity.rootIndex))
    }

    /// Reserves room for the objects of a block's rows, and begins to load their slots into the
    /// processor's cache.
    ///
    /// Worthwhile for members: they come in the order of their owners, so their slots lie anywhere in
    /// tables that are far larger than that cache, and waiting for them one by one takes longer than
    /// making the objects.
    func makeRoom(for block: RowBlock, _ entity: Entity, store: any IncrementalStore, _ coordinator: PersistentStoreCoordinator) {
        let count = Int(block.rowCount)
        withUnsafeTemporaryAllocation(of: Int64.self, capacity: count) { keys in
            guard let start = keys.baseAddress else { return }
            block.copyPrimaryKeys(into: start)
            let table = binding(entity, storeNumber: store.number).table
            registry.lock.lock()
            table.reserve(count)
            for key in keys { table.prefetch(key) }
            registry.lock.unlock()
            coordinator.rowCache.makeRoom(
                forNew: UnsafeBufferPointer(keys), storeNumber: store.number, rootEntity: Int32(entity.rootIndex))
        }
    }

    /// Appends the objects of a block's rows, making faults for rows without a registered object,
    /// and shares the rows through the row cache.
    ///
    /// - Parameters:
    ///   - rows: the numbers of the rows in the block; nil for all of them.
    ///   - entity: an entity of the rows' hierarchy.
    ///   - isNewest: whether unpinned contexts may use the rows.
    func appendObjects(
        of block: RowBlock, rows: Range<Int>? = nil, _ entity: Entity, store: any IncrementalStore, _ readAt: RowOrigin, isNewest: Bool,
        to objects: inout [ManagedObject], _ coordinator: PersistentStoreCoordinator
    ) throws(PinviewError) {
        let count = rows?.count ?? Int(block.rowCount), first = objects.count, firstRow = rows?.lowerBound ?? 0
        let ofEntity = binding(entity, storeNumber: store.number)
        let isPolymorphic = ofEntity.hasRelatives
        let table = ofEntity.table
        // Unmanaged, since a variable would count a reference for each row. The registry keeps all
        // bindings.
        var binding = Unmanaged.passUnretained(ofEntity)
        withUnsafeTemporaryAllocation(of: Int64.self, capacity: count) { keys in
            withUnsafeTemporaryAllocation(of: Bool.self, capacity: count) { isCounted in
                guard let keys = keys.baseAddress, let isCounted = isCounted.baseAddress else { return }
                block.copyPrimaryKeys(of: rows, into: keys)
                let unmanagedBlock = Unmanaged.passUnretained(block)
                var newObjects = 0
                registry.lock.lock()
                table.reserve(count)
                for row in 0..<count {
                    if isPolymorphic {
                        let index = block.entityIndex(row: Int32(firstRow + row))
                        if index != binding._withUnsafeGuaranteedRef({ $0.entity.index }) {
                            registry.lock.unlock()
                            binding = .passUnretained(
                                self.binding(coordinator.managedObjectModel.entities[index], storeNumber: store.number))
                            registry.lock.lock()
                        }
                    }
                    let (object, isNew) = binding._withUnsafeGuaranteedRef { binding in
                        let found = self.object(keys[row], orFaultOf: binding, withRow: firstRow + row, of: unmanagedBlock)
                        guard isPolymorphic, !found.isNew, found.object.entity !== binding.entity else { return found }
                        // The object was requested by an ID with the wrong entity and has never had
                        // a row.
                        displace(found.object, table)
                        return self.object(keys[row], orFaultOf: binding, withRow: firstRow + row, of: unmanagedBlock)
                    }
                    (isCounted + row).initialize(to: !isNew)
                    if isNew { newObjects += 1 }
                    objects.append(object)
                }
                registry.lock.unlock()
                if newObjects > 0 { unmanagedBlock.retain(times: newObjects) }
                if newObjects < count {
                    for row in 0..<count where isCounted[row] {
                        let object = objects[first + row]
                        isCounted[row] = object.isCountedInRowCache
                        object.isCountedInRowCache = true
                        object.setPrefetchedRow(RowSnapshot(block: block, row: Int32(firstRow + row)))
                    }
                }
                if registry.retainsAll { for object in objects[first...] { registry.retainIfAsked(object) } }
                coordinator.rowCache.store(
                    block, rows: rows, keys, storeNumber: store.number, rootEntity: Int32(entity.rootIndex), isCounted: isCounted,
                    origin: readAt,
                    isNewest: isNewest)
            }
        }
    }

    /// Unregisters an object whose row turns out to belong to another entity. Requires the
    /// registry's lock.
    private func displace(_ object: ManagedObject, _ table: IdentityTable) {
        registry.displace(object, table)
        object.flags.insert(.invalidated)
        pending.updated[ObjectIdentifier(object)] = nil
        pending.deleted[ObjectIdentifier(object)] = nil
    }

    /// Makes rows just written the committed rows of their objects, and shares them through the row
    /// cache.
    func takeWritten(
        _ block: RowBlock, _ objects: ArraySlice<ManagedObject>, storeNumber: Int32, _ writtenAt: RowOrigin, keepsOlder: Bool,
        _ coordinator: PersistentStoreCoordinator
    ) {
        guard let first = objects.first else { return }
        withUnsafeTemporaryAllocation(of: Int64.self, capacity: objects.count) { keys in
            withUnsafeTemporaryAllocation(of: Bool.self, capacity: objects.count) { isCounted in
                guard let start = keys.baseAddress, let isCounted = isCounted.baseAddress else { return }
                block.copyPrimaryKeys(into: start)
                let rootEntity = first.key.rootEntity
                if !first.isCountedInRowCache {
                    coordinator.rowCache.makeRoom(forNew: UnsafeBufferPointer(keys), storeNumber: storeNumber, rootEntity: rootEntity)
                }
                let unmanagedBlock = Unmanaged.passUnretained(block)
                // Retained and released together, which costs less than one by one.
                unmanagedBlock.retain(times: objects.count)
                var replaced = SharedReleases<RowBlock>()
                var row = 0
                objects.forEachUncounted { object in
                    (isCounted + row).initialize(to: object.isCountedInRowCache)
                    object.isCountedInRowCache = true
                    if !object.commit(onRetained: unmanagedBlock, row: row, &replaced) {
                        unmanagedBlock.release()
                        markSaved(object, row: .stored(RowSnapshot(block: block, row: Int32(row))))
                    }
                    row += 1
                }
                replaced.finish()
                coordinator.rowCache.store(
                    block, start, storeNumber: storeNumber, rootEntity: rootEntity, isCounted: isCounted, origin: writtenAt,
                    isNewest: true, keepsOlder: keepsOlder)
            }
        }
    }

    // MARK: Retaining

    /// Applies `retainsRegisteredObjects` to the objects registered now (REF-08).
    func applyRetainSetting() {
        registry.setRetainsAll(settings.retainsRegisteredObjects)
    }
}
