import PinviewGenerations
import PinviewModel
import PinviewStore

/// The registry: the objects that the context knows, by their keys.
extension ContextState {
    /// The registered object of a key, or nil.
    @inline(__always)
    func registeredObject(_ key: ObjectKey) -> ManagedObject? {
        identityLock.lock()
        defer { identityLock.unlock() }
        return identities.object(key)
    }

    /// The registered object of a key if the calling thread can enter the context without waiting;
    /// otherwise nil.
    @inline(__always)
    func registeredObjectAtOnce(_ key: ObjectKey) -> ManagedObject? { hasParent ? nil : readAtOnce { registeredObject(key) } }

    /// Copies numeric attribute values of a registered object if the calling thread can enter the
    /// context without waiting.
    /// - Returns: false, having copied nothing, if the values need more than that.
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

    /// The registered destination of a to-one relationship, with a link for the owner. The link
    /// takes over the owner's reference to the block.
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

    /// Whether the registry has this very object under its key.
    func isRegistered(_ object: ManagedObject) -> Bool {
        identityLock.lock()
        defer { identityLock.unlock() }
        return object.unmanagedBinding._withUnsafeGuaranteedRef { binding in
            binding.unmanagedState.toOpaque() == Unmanaged.passUnretained(self).toOpaque() && binding.table.contains(object)
        }
    }

    /// All registered objects that are still alive.
    var registeredObjects: [ManagedObject] {
        identityLock.lock()
        defer { identityLock.unlock() }
        return identities.objects
    }

    /// The living registered objects of an entity's hierarchy, in all stores.
    func registeredObjects(ofHierarchyOf entityIndex: Int) -> [ManagedObject] {
        guard let entities = model?.entities, entities.indices.contains(entityIndex) else { return [] }
        identityLock.lock()
        defer { identityLock.unlock() }
        return identities.objects(ofHierarchy: Int32(entities[entityIndex].rootIndex))
    }

    // MARK: Making objects

    /// The binding shared by all objects of an entity in a store.
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

    /// Makes an object without registering it.
    func makeObject(_ entity: Entity, _ key: ObjectKey, flags: ObjectFlags) -> ManagedObject {
        let binding = binding(entity, storeNumber: key.storeNumber)
        identityLock.lock()
        countObject()
        identityLock.unlock()
        return ManagedObject(binding: binding, primaryKey: key.primaryKey, flags: flags)
    }

    /// Counts one more object that refers to the state, which lives as long as any of them.
    /// Requires the identity lock.
    func countObject() {
        livingObjects += 1
        if livingObjects == 1 { _ = Unmanaged.passUnretained(self).retain() }
    }

    /// The registered object of a key, or a new fault. Every key from a parent, a store, a merge or
    /// the program passes through here, so a row has only one object, whichever of its keys is used
    /// (ONE-01).
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

    /// Registers an object under a new temporary key.
    @inline(__always)
    func enterNewInRegistry(_ object: ManagedObject, _ binding: EntityBinding) {
        identityLock.lock()
        countObject()
        binding.table.enterNew(object)
        identityLock.unlock()
        noteRegistered(object)
    }

    /// Registers an object under its key again. If a fault was made for the key meanwhile, it
    /// represents no row and gives up the key (ONE-01).
    func enterAgainInRegistry(_ object: ManagedObject) {
        if !takenBackKeys.isEmpty { takenBackKeys.remove(object.key) }
        if let other = registeredObject(object.key) {
            if other === object { return }
            rename(other, to: ObjectKey(storeNumber: -1, rootEntity: other.key.rootEntity, primaryKey: TemporaryKeys.next()))
        }
        enterInRegistry(object)
    }

    /// Registers an object under its key.
    /// - Parameter isNew: whether the object has not been counted yet.
    func enterInRegistry(_ object: ManagedObject, isNew: Bool = false) {
        identityLock.lock()
        if isNew { countObject() }
        object.binding.table.enter(object)
        identityLock.unlock()
        noteRegistered(object)
    }

    @inline(__always)
    func noteRegistered(_ object: ManagedObject) {
        // The parent reads rows on behalf of its children and may itself drop the objects.
        if hasParent { countInRowCache(object) }
        retainIfAsked(object)
    }

    private func retainIfAsked(_ object: ManagedObject) {
        if retainsObjects { retainedObjects[ObjectIdentifier(object)] = object }
    }

    /// Called by an object's `deinit`, on any thread. If another object has been made for the key
    /// meanwhile, that one stays registered.
    ///
    /// - Returns: whether it was the last object, so that the caller must release the state.
    func objectWasReleased(_ object: ManagedObject, _ binding: EntityBinding, _ link: LinkPool.Link?) -> Bool {
        identityLock.lock()
        binding.table.remove(object)
        if let link { links.remove(link) }
        livingObjects -= 1
        let isLast = livingObjects == 0
        identityLock.unlock()
        return isLast
    }

    /// Removes an object from the registry without ending it, unless another object has its key by
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

    /// Gives an object its permanent key or a new temporary one.
    func rename(_ object: ManagedObject, to key: ObjectKey) { rename([(object, key)]) }

    /// Gives new objects their permanent keys.
    func rename(_ objects: [(ManagedObject, ObjectKey)]) {
        for (object, _) in objects where object.isCountedInRowCache {
            object.isCountedInRowCache = false
            object.binding.rowCache?.unregister(object.key)
        }
        var next = 0
        while next < objects.count {
            // Usually all of them have the same binding.
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
        // Each object is registered, so equal counts mean that the table holds no others.
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
            // An object whose deletion was saved is registered anew by this.
            retainIfAsked(object)
        }
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
    func makeRoom(for count: Int, _ entity: Entity, store: SQLStore, _ coordinator: PersistentStoreCoordinator) {
        let table = binding(entity, storeNumber: store.number).table
        identityLock.withLock { table.reserve(max(0, count - table.count)) }
        coordinator.rowCache.makeRoom(for: count, storeNumber: store.number, rootEntity: Int32(entity.rootIndex))
    }

    /// Appends the objects of a block of rows, making faults for rows without a registered object,
    /// and shares the rows through the row cache.
    ///
    /// - Parameters:
    ///   - entity: an entity of the rows' hierarchy.
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
                        // The object was requested by an ID with the wrong entity and has never had
                        // a row.
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

    /// Unregisters an object whose row turns out to belong to another entity. Requires the identity
    /// lock.
    private func displace(_ object: ManagedObject, _ table: IdentityTable) {
        table.remove(object)
        object.flags.insert(.invalidated)
        retainedObjects[ObjectIdentifier(object)] = nil
        for keyPath in [\ContextState.updatedObjects, \.deletedObjects] { self[keyPath: keyPath][ObjectIdentifier(object)] = nil }
    }

    /// Makes rows just written the committed rows of their objects, and shares them through the row
    /// cache.
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
