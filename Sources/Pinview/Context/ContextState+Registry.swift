import PinviewGenerations
import PinviewModel
import PinviewStore

/// The objects that the context knows by their keys.
extension ContextState {
    /// The registered object of a key.
    @inline(__always)
    func registeredObject(_ key: ObjectKey) -> ManagedObject? {
        identityLock.lock()
        defer { identityLock.unlock() }
        return identities.object(key)
    }

    /// The registered object of a key, for a thread that may enter the context at once; nil in all
    /// other cases.
    @inline(__always)
    func registeredObjectAtOnce(_ key: ObjectKey) -> ManagedObject? { hasParent ? nil : readAtOnce { registeredObject(key) } }

    /// Gives numbers among the attributes of the registered object of a key, for a thread that may
    /// enter the context at once.
    /// - Returns: false where there is more to do.
    @inline(__always)
    func giveNumbersAtOnce(
        of key: ObjectKey, _ indexes: UnsafeBufferPointer<Int32>, to numbers: UnsafeMutablePointer<PlainNumber>
    ) -> Bool {
        if hasParent { return false }
        let areGiven: Void? = readAtOnce {
            identityLock.lock()
            defer { identityLock.unlock() }
            return identities.unretainedObject(key)?._withUnsafeGuaranteedRef { object in
                for position in indexes.indices {
                    guard let number = object.plainNumber(at: Int(indexes[position])) else { return nil }
                    (numbers + position).initialize(to: number)
                }
                return ()
            }
        }
        return areGiven != nil
    }

    /// The registered destination of a to-one relationship, and a link to it for the owner, which
    /// gives its part in the block to that.
    @inline(__always)
    func registeredDestination(
        _ primaryKey: Int64, _ relationship: Int, _ binding: EntityBinding, _ block: Unmanaged<RowBlock>
    ) -> (ManagedObject, LinkPool.Link)? {
        identityLock.lock()
        defer { identityLock.unlock() }
        return binding.destinations(relationship, identities)?._withUnsafeGuaranteedRef { table in
            guard let destination = table.object(primaryKey) else { return nil }
            let link = links.make(DestinationLink(block: block, destination: .passRetained(destination), property: relationship))
            return (destination, link)
        }
    }

    func makeLink(_ block: Unmanaged<RowBlock>, _ destination: ManagedObject, _ property: Int) -> LinkPool.Link {
        identityLock.lock()
        defer { identityLock.unlock() }
        return links.make(DestinationLink(block: block, destination: .passRetained(destination), property: property))
    }

    func removeLink(_ link: LinkPool.Link) {
        identityLock.lock()
        defer { identityLock.unlock() }
        links.remove(link)
    }

    /// Whether an object is what is registered under its key.
    func isRegistered(_ object: ManagedObject) -> Bool {
        identityLock.lock()
        defer { identityLock.unlock() }
        return object.unmanagedBinding._withUnsafeGuaranteedRef { binding in
            binding.unmanagedState.toOpaque() == Unmanaged.passUnretained(self).toOpaque() && binding.table.contains(object)
        }
    }

    /// The registered objects that are alive.
    var registeredObjects: [ManagedObject] {
        identityLock.lock()
        defer { identityLock.unlock() }
        return identities.objects
    }

    /// The registered objects that are alive, of the hierarchy of an entity, and of all stores.
    func registeredObjects(ofHierarchyOf entityIndex: Int) -> [ManagedObject] {
        guard let entities = model?.entities, entities.indices.contains(entityIndex) else { return [] }
        identityLock.lock()
        defer { identityLock.unlock() }
        return identities.objects(ofHierarchy: Int32(entities[entityIndex].rootIndex))
    }

    // MARK: Making objects

    /// What the objects of an entity and a store share.
    func binding(_ entity: Entity, storeNumber: Int32) -> EntityBinding {
        let index = entity.index
        if index < bindings.count {
            for binding in bindings[index] where binding.storeNumber == storeNumber && binding.entity === entity { return binding }
        }
        while bindings.count <= index { bindings.append([]) }
        identityLock.lock()
        let table = identities.table(storeNumber, Int32(entity.rootIndex))
        identityLock.unlock()
        let binding = EntityBinding(state: self, entity: entity, storeNumber: storeNumber, table: table, coordinator: coordinator)
        bindings[index].append(binding)
        return binding
    }

    /// An object that is not registered yet.
    func makeObject(_ entity: Entity, _ key: ObjectKey, flags: ObjectFlags) -> ManagedObject {
        let binding = binding(entity, storeNumber: key.storeNumber)
        identityLock.lock()
        countObject()
        identityLock.unlock()
        return ManagedObject(binding: binding, primaryKey: key.primaryKey, flags: flags)
    }

    /// One object more refers to the state, which stays as long as any does. The identity lock is
    /// held.
    func countObject() {
        livingObjects += 1
        if livingObjects == 1 { _ = Unmanaged.passUnretained(self).retain() }
    }

    /// The object of a key: the registered one, or a new fault. Every key that comes from a parent,
    /// a store, a merge or a program goes through here, so that one object stands for one row,
    /// whichever of its keys is asked for (ONE-01).
    func object(for key: ObjectKey, entityIndex: Int) throws(PinviewError) -> ManagedObject {
        if hasNotes { takeNewKeys() }
        if key.isTemporary {
            if let object = registeredObject(key) { return object }
            let permanent = PermanentKeys.shared.permanentKey(for: key)
            if !permanent.isTemporary { return try object(for: permanent, entityIndex: entityIndex) }
        }
        if entityIndex < bindings.count, let binding = bindings[entityIndex].first(where: { $0.storeNumber == key.storeNumber }) {
            identityLock.lock()
            let (object, isNew) = binding.table.object(key.primaryKey) {
                countObject()
                return ManagedObject(binding: binding, primaryKey: key.primaryKey, flags: .fault)
            }
            identityLock.unlock()
            if isNew { noteRegistered(object) }
            return object
        }
        if let object = registeredObject(key) { return object }
        let binding = binding(try requireCoordinator().managedObjectModel.entities[entityIndex], storeNumber: key.storeNumber)
        let object = ManagedObject(binding: binding, primaryKey: key.primaryKey, flags: .fault)
        enterInRegistry(object, isNew: true)
        return object
    }

    // MARK: Registering

    /// Makes an object known under a new temporary key.
    @inline(__always)
    func enterNewInRegistry(_ object: ManagedObject, _ binding: EntityBinding) {
        identityLock.lock()
        countObject()
        binding.table.enterNew(object)
        identityLock.unlock()
        noteRegistered(object)
    }

    /// Makes an object known under its key again. Whoever looked it up meanwhile got a fault that
    /// stands for nothing; that one leaves the key to it (ONE-01).
    func enterAgainInRegistry(_ object: ManagedObject) {
        if !takenBackKeys.isEmpty { takenBackKeys.remove(object.key) }
        if let other = registeredObject(object.key) {
            if other === object { return }
            rename(other, to: ObjectKey(storeNumber: -1, rootEntity: other.key.rootEntity, primaryKey: TemporaryKeys.next()))
        }
        enterInRegistry(object)
    }

    /// Makes an object known under its key.
    /// - Parameter isNew: whether it has not been counted yet.
    func enterInRegistry(_ object: ManagedObject, isNew: Bool = false) {
        identityLock.lock()
        if isNew { countObject() }
        object.binding.table.enter(object)
        identityLock.unlock()
        noteRegistered(object)
    }

    @inline(__always)
    func noteRegistered(_ object: ManagedObject) {
        // The parent reads rows for its children, and may itself let go of the objects.
        if hasParent { countInRowCache(object) }
        retainIfAsked(object)
    }

    private func retainIfAsked(_ object: ManagedObject) {
        if retainsObjects { retainedObjects[ObjectIdentifier(object)] = object }
    }

    /// Called by an object's `deinit`, on any thread. Meanwhile another object may have been made
    /// for the key; that one stays.
    ///
    /// - Returns: whether it was the last one; its part of the state is to be given up then.
    func objectWasReleased(_ object: ManagedObject, _ binding: EntityBinding, _ link: LinkPool.Link?) -> Bool {
        identityLock.lock()
        binding.table.remove(object)
        if let link { links.remove(link) }
        livingObjects -= 1
        let isLast = livingObjects == 0
        identityLock.unlock()
        return isLast
    }

    /// Takes an object out of the registry without ending it, unless another one has its key by
    /// now.
    func unregister(_ object: ManagedObject) {
        identityLock.lock()
        object.binding.table.remove(object)
        identityLock.unlock()
        retainedObjects[ObjectIdentifier(object)] = nil
        noteGone(object)
    }

    func unregister(_ objects: [ManagedObject]) {
        identityLock.lock()
        objects.forEachUncounted { object in object.unmanagedBinding._withUnsafeGuaranteedRef { _ = $0.table.remove(object) } }
        identityLock.unlock()
        if !retainedObjects.isEmpty { for object in objects { retainedObjects.remove(object) } }
        objects.forEachUncounted { if !$0.refersToNoObjects { noteGone($0) } }
    }

    /// Gives an object its permanent key, or a new temporary one.
    func rename(_ object: ManagedObject, to key: ObjectKey) { rename([(object, key)]) }

    /// Gives new objects their permanent keys.
    func rename(_ objects: [(ManagedObject, ObjectKey)]) {
        for (object, _) in objects where object.isCountedInRowCache {
            object.isCountedInRowCache = false
            object.binding.rowCache?.unregister(object.key)
        }
        var next = 0
        while next < objects.count {
            // Most are of one kind.
            let old = objects[next].0.binding, storeNumber = objects[next].1.storeNumber
            let new = binding(old.entity, storeNumber: storeNumber)
            identityLock.lock()
            new.table.reserve(objects.count - next)
            while next < objects.count, objects[next].0.hasBinding(old), objects[next].1.storeNumber == storeNumber {
                let (object, key) = objects[next]
                old.table.remove(object)
                object.setKey(key.primaryKey, binding: new)
                new.table.enter(object)
                next += 1
            }
            identityLock.unlock()
        }
        if hasParent || retainsObjects { noteRenamed(objects.map(\.0)) }
    }

    /// Gives new objects of one entity consecutive permanent keys.
    func rename(_ objects: [ManagedObject], from first: Int64, storeNumber: Int32) {
        guard let old = objects.first?.binding else { return }
        let new = binding(old.entity, storeNumber: storeNumber)
        if objects.containsUncounted({ $0.isCountedInRowCache }) {
            for object in objects where object.isCountedInRowCache {
                object.isCountedInRowCache = false
                old.rowCache?.unregister(object.key)
            }
        }
        var key = first
        identityLock.lock()
        new.table.reserve(objects.count)
        // Each of them is registered: where there are no more, they are all.
        let areAll = old.table !== new.table && old.table.count == objects.count
        if areAll { old.table.removeAll() }
        objects.forEachUncounted { object in
            if !areAll { old.table.remove(object) }
            object.setKey(key, binding: new)
            new.table.enter(object)
            key += 1
        }
        identityLock.unlock()
        if hasParent || retainsObjects { noteRenamed(objects) }
    }

    private func noteRenamed(_ objects: [ManagedObject]) {
        for object in objects {
            if hasParent { countInRowCache(object) }
            // One whose deletion was saved is registered anew by this.
            retainIfAsked(object)
        }
    }

    /// Has the row cache keep the object's row from now on, for as long as the object is there.
    func countInRowCache(_ object: ManagedObject) {
        guard !object.isCountedInRowCache, !object.key.isTemporary, let cache = object.binding.rowCache else { return }
        cache.register(object.key)
        object.isCountedInRowCache = true
    }

    // MARK: Rows

    /// Makes room for rows of which as many are new as may be. Growing on the way would move all
    /// entries time and again.
    func makeRoom(for count: Int, _ entity: Entity, store: SQLStore, _ coordinator: PersistentStoreCoordinator) {
        let table = binding(entity, storeNumber: store.number).table
        identityLock.withLock { table.reserve(max(0, count - table.count)) }
        coordinator.rowCache.makeRoom(for: count, storeNumber: store.number, rootEntity: Int32(entity.rootIndex))
    }

    /// Appends the objects of a block of rows, new faults where none is registered, and shares the
    /// rows through the row cache.
    ///
    /// - Parameters:
    ///   - entity: one of the rows' hierarchy.
    ///   - isNewest: whether unpinned contexts may use the rows.
    func appendObjects(
        of block: RowBlock, _ entity: Entity, store: SQLStore, _ readAt: RowOrigin, isNewest: Bool, to objects: inout [ManagedObject],
        _ coordinator: PersistentStoreCoordinator
    ) throws(PinviewError) {
        let count = Int(block.rowCount), first = objects.count
        let entities = coordinator.managedObjectModel.entities
        var binding = binding(entity, storeNumber: store.number)
        let isPolymorphic = entities[entity.rootIndex].familyIndexes.count > 1
        let table = binding.table
        withUnsafeTemporaryAllocation(of: Int64.self, capacity: count) { keys in
            withUnsafeTemporaryAllocation(of: Bool.self, capacity: count) { isCounted in
                guard let keys = keys.baseAddress, let isCounted = isCounted.baseAddress else { return }
                block.copyPrimaryKeys(into: keys)
                let unmanagedBlock = Unmanaged.passUnretained(block)
                var newObjects = 0
                identityLock.lock()
                table.reserve(count)
                for row in 0..<count {
                    if isPolymorphic {
                        let index = block.entityIndex(row: Int32(row))
                        if index != binding.entity.index {
                            identityLock.unlock()
                            binding = self.binding(entities[index], storeNumber: store.number)
                            identityLock.lock()
                        }
                    }
                    func make() -> ManagedObject {
                        countObject()
                        return ManagedObject(binding: binding, primaryKey: keys[row], block: unmanagedBlock, row: row)
                    }
                    var (object, isNew) = table.object(keys[row], orEnter: make)
                    if isPolymorphic, !isNew, object.entity !== binding.entity {
                        // It was asked for by an ID with a wrong entity, and has never had a row.
                        displace(object, table)
                        (object, isNew) = table.object(keys[row], orEnter: make)
                    }
                    (isCounted + row).initialize(to: isNew)
                    if isNew { newObjects += 1 }
                    objects.append(object)
                }
                identityLock.unlock()
                if newObjects > 0 { unmanagedBlock.retain(times: newObjects) }
                for row in 0..<count {
                    let object = objects[first + row]
                    if isCounted[row] {
                        isCounted[row] = false
                    } else {
                        isCounted[row] = object.isCountedInRowCache
                        object.isCountedInRowCache = true
                        object.setPrefetchedRow(RowSnapshot(block: block, row: Int32(row)))
                    }
                }
                if retainsObjects { for object in objects[first...] { retainIfAsked(object) } }
                coordinator.rowCache.store(
                    block, keys, storeNumber: store.number, rootEntity: Int32(entity.rootIndex), isCounted: isCounted, origin: readAt,
                    isNewest: isNewest)
            }
        }
    }

    /// Has an object stand for a row no more, because the row turns out to be of another entity.
    /// The identity lock is held.
    private func displace(_ object: ManagedObject, _ table: IdentityTable) {
        table.remove(object)
        object.flags.insert(.invalidated)
        retainedObjects[ObjectIdentifier(object)] = nil
        for keyPath in [\ContextState.updatedObjects, \.deletedObjects] { self[keyPath: keyPath][ObjectIdentifier(object)] = nil }
    }

    /// Makes rows that were just written the committed ones of their objects, and shares them
    /// through the row cache.
    func takeWritten(
        _ block: RowBlock, _ objects: ArraySlice<ManagedObject>, store: SQLStore, _ writtenAt: RowOrigin, keepsOlder: Bool,
        _ coordinator: PersistentStoreCoordinator
    ) {
        guard let first = objects.first else { return }
        withUnsafeTemporaryAllocation(of: Int64.self, capacity: objects.count) { keys in
            withUnsafeTemporaryAllocation(of: Bool.self, capacity: objects.count) { isCounted in
                let unmanagedBlock = Unmanaged.passUnretained(block)
                var row = 0
                objects.forEachUncounted { object in
                    isCounted.initializeElement(at: row, to: object.isCountedInRowCache)
                    object.isCountedInRowCache = true
                    if !object.commit(on: unmanagedBlock, row: row) {
                        markSaved(object, row: .stored(RowSnapshot(block: block, row: Int32(row))))
                    }
                    row += 1
                }
                guard let keys = keys.baseAddress, let isCounted = isCounted.baseAddress else { return }
                block.copyPrimaryKeys(into: keys)
                coordinator.rowCache.store(
                    block, keys, storeNumber: store.number, rootEntity: first.key.rootEntity, isCounted: isCounted, origin: writtenAt,
                    isNewest: true, keepsOlder: keepsOlder)
            }
        }
    }

    // MARK: Retaining

    /// Applies `retainsRegisteredObjects` to the objects registered now (REF-08).
    func applyRetainSetting() {
        retainsObjects = setting(\.retainsRegisteredObjects)
        guard retainsObjects else {
            retainedObjects = ObjectSet()
            return
        }
        for object in registeredObjects { retainedObjects[ObjectIdentifier(object)] = object }
    }
}
