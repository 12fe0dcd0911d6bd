import PinviewGenerations
import PinviewModel
import PinviewStore

/// The registry of a context: the objects that it knows, one for each row.
///
/// What it guarantees between any two calls:
///
/// - A key leads to at most one object, and a registered object is found under its own key
///   (ONE-01).
/// - It keeps no object alive, unless it retains all of them (`retainsAll`). An object removes
///   itself in its `deinit`, under the lock, so the memory of any object found here can be read
///   while the lock is held.
/// - There is one binding for each entity and store, with the identity table of the entity's
///   hierarchy in that store. It exists for as long as the context's state.
/// - `livingCount` is the number of objects that need the context's state, registered or not.
///
/// The lock is a leaf: nothing else is locked or called while it is held. What it does not guard
/// belongs to the thread that owns the context's queue.
final class ObjectRegistry: @unchecked Sendable {
    let lock = BriefLock()

    // Guarded by the lock.
    @exclusivity(unchecked) private var identities = IdentityMap()
    @exclusivity(unchecked) private var links = LinkPool()
    @exclusivity(unchecked) private var livingCount = 0
    /// Permanent keys that other contexts of the tree have assigned since this one last checked.
    @exclusivity(unchecked) private var newKeys: [AssignedKey] = []

    // Guarded by the queue.
    /// By `Entity.index`; one for each store of which the context has objects.
    @exclusivity(unchecked) private var bindings: [[EntityBinding]] = []
    /// How many bindings there are. None is ever removed.
    @exclusivity(unchecked) private(set) var bindingCount = 0
    /// The last applied value of `retainsRegisteredObjects`.
    @exclusivity(unchecked) private(set) var retainsAll = false
    /// All registered objects if `retainsAll`; otherwise empty.
    @exclusivity(unchecked) private var retained = ObjectSet()
    /// Unregistered objects, either deleted by a save or new and removed again. They may refer to
    /// each other.
    @exclusivity(unchecked) private var gone: [LightReference<ManagedObject>] = []
    /// Sweep threshold for `gone`; deallocated entries are dropped when it is reached.
    @exclusivity(unchecked) private var goneLimit = 256
    /// Permanent keys of new objects whose insertion was undone. They have no rows.
    @exclusivity(unchecked) var takenBackKeys: Set<ObjectKey> = []

    // MARK: Finding

    /// The registered object of a key, or nil.
    ///
    /// - Parameter prefetchesNext: whether to prefetch what follows in the order of registration,
    ///   since this is probably one of many: of a program's loop, or of saves that are merged.
    @inline(__always)
    func object(_ key: ObjectKey, prefetchesNext: Bool = false) -> ManagedObject? {
        lock.lock()
        defer { lock.unlock() }
        return identities.object(key, prefetchesNext: prefetchesNext)
    }

    /// Whether the registry has this very object under its key.
    func contains(_ object: ManagedObject) -> Bool {
        lock.lock()
        defer { lock.unlock() }
        return object.unmanagedBinding._withUnsafeGuaranteedRef { binding in
            binding.unmanagedState._withUnsafeGuaranteedRef { $0.registry === self } && binding.table.contains(object)
        }
    }

    /// All registered objects that are still alive.
    var objects: [ManagedObject] {
        lock.lock()
        defer { lock.unlock() }
        return identities.objects
    }

    /// The living registered objects of a hierarchy, in all stores.
    func objects(ofHierarchy rootEntity: Int32) -> [ManagedObject] {
        lock.lock()
        defer { lock.unlock() }
        return identities.objects(ofHierarchy: rootEntity)
    }

    /// Whether there may be a registered object of any of some hierarchies.
    func hasObjects(ofAnyHierarchyIn roots: [Int32]) -> Bool {
        lock.lock()
        defer { lock.unlock() }
        return roots.contains { identities.hasObjects(ofHierarchy: $0) }
    }

    /// Whether there may be a registered object of a hierarchy.
    func hasObjects(ofHierarchy rootEntity: Int32) -> Bool {
        lock.lock()
        defer { lock.unlock() }
        return identities.hasObjects(ofHierarchy: rootEntity)
    }

    /// A numeric attribute value of a registered object; nil if the value needs more than that.
    @inline(__always)
    func number(of key: ObjectKey, at index: Int) -> PlainNumber? {
        lock.lock()
        defer { lock.unlock() }
        return identities.unretainedObject(key)?._withUnsafeGuaranteedRef { $0.plainNumber(at: index) }
    }

    /// Copies numeric attribute values of a registered object.
    /// - Returns: nil, having copied nothing, if the values need more than that.
    @inline(__always)
    func giveNumbers(
        of key: ObjectKey, _ indexes: UnsafeBufferPointer<Int32>, to numbers: UnsafeMutablePointer<PlainNumber>
    ) -> Void? {
        lock.lock()
        defer { lock.unlock() }
        return identities.unretainedObject(key)?._withUnsafeGuaranteedRef { object in
            for position in indexes.indices {
                guard let number = object.plainNumber(at: Int(indexes[position])) else { return nil }
                (numbers + position).initialize(to: number)
            }
            return ()
        }
    }

    /// The objects among those of keys in a table that have values, by key. Few among many may be
    /// missed, since finding none takes as long as finding all.
    func realisedObjects(_ keys: [Int64], _ table: IdentityTable) -> [Int64: ManagedObject] {
        var found: [Int64: ManagedObject] = [:]
        lock.lock()
        defer { lock.unlock() }
        // A fault must not be retained here, since its last release takes the lock.
        func isRealised(_ key: Int64) -> Bool {
            table.unretainedObject(key)?._withUnsafeGuaranteedRef { !$0.flags.contains(.fault) } ?? false
        }
        guard table.count > 0, stride(from: 0, to: keys.count, by: 16).contains(where: { isRealised(keys[$0]) }) else { return found }
        for key in keys where isRealised(key) { found[key] = table.object(key) }
        return found
    }

    /// Whether the object of a key is registered.
    func hasObject(_ key: Int64, _ table: IdentityTable) -> Bool { lock.withLock { table.unretainedObject(key) != nil } }

    // MARK: Bindings

    /// The binding of an entity's objects in a store, if there is one yet.
    @inline(__always)
    func knownBinding(_ entity: Entity, storeNumber: Int32) -> EntityBinding? {
        let index = entity.index
        guard index < bindings.count else { return nil }
        for binding in bindings[index] where binding.storeNumber == storeNumber && binding.entity === entity { return binding }
        return nil
    }

    @inline(__always)
    func knownBinding(entityIndex: Int, storeNumber: Int32) -> EntityBinding? {
        entityIndex < bindings.count ? bindings[entityIndex].first { $0.storeNumber == storeNumber } : nil
    }

    func add(_ binding: EntityBinding) {
        let index = binding.entity.index
        while bindings.count <= index { bindings.append([]) }
        bindings[index].append(binding)
        bindingCount += 1
    }

    /// Whether there is a binding of an entity of any of some hierarchies. Every object has one.
    func hasBindings(ofAnyHierarchyIn roots: [Int32]) -> Bool {
        bindings.contains { $0.contains { roots.contains(Int32($0.entity.rootIndex)) } }
    }

    /// The identity table of a hierarchy in a store.
    func table(_ storeNumber: Int32, _ rootEntity: Int32) -> IdentityTable {
        lock.lock()
        defer { lock.unlock() }
        return identities.table(storeNumber, rootEntity)
    }

    // MARK: Registering

    /// Counts one more object that needs the context's state. Requires the lock.
    /// - Returns: whether it is the first one.
    @inline(__always)
    func countObject() -> Bool {
        livingCount += 1
        return livingCount == 1
    }

    /// Called by an object's `deinit`, on any thread. If another object has been made for the key
    /// meanwhile, that one stays registered.
    ///
    /// - Returns: whether it was the last object, so that the caller must release the context's
    ///   state.
    func objectWasReleased(_ object: ManagedObject, _ binding: EntityBinding, _ link: LinkPool.Link?) -> Bool {
        lock.lock()
        binding.table.remove(object)
        if let link { links.remove(link) }
        livingCount -= 1
        let isLast = livingCount == 0
        lock.unlock()
        return isLast
    }

    /// Removes an object from the registry without ending it, unless another object has its key by
    /// now.
    func unregister(_ object: ManagedObject) {
        lock.lock()
        object.binding.table.remove(object)
        lock.unlock()
        retained[ObjectIdentifier(object)] = nil
        noteGone(object)
    }

    func unregister(_ objects: [ManagedObject]) {
        lock.lock()
        objects.forEachUncounted { object in object.unmanagedBinding._withUnsafeGuaranteedRef { _ = $0.table.remove(object) } }
        lock.unlock()
        if !retained.isEmpty { for object in objects { retained.remove(object) } }
        objects.forEachUncounted { if !$0.refersToNoObjects { noteGone($0) } }
    }

    /// Unregisters an object whose row turns out to belong to another entity. Requires the lock.
    func displace(_ object: ManagedObject, _ table: IdentityTable) {
        table.remove(object)
        retained[ObjectIdentifier(object)] = nil
    }

    // MARK: Objects without a key

    /// Notes an object that the registry no longer leads to.
    private func noteGone(_ object: ManagedObject) {
        // Drop deallocated entries now and then.
        if gone.count >= goneLimit {
            gone.removeAll { gone in
                if gone.object != nil { return false }
                gone.release()
                return true
            }
            goneLimit = max(256, gone.count * 2)
        }
        gone.append(LightReference(object))
    }

    /// The living unregistered objects, which the registry forgets.
    func takeGone() -> [ManagedObject] {
        let objects = gone.compactMap(\.object)
        for gone in gone { gone.release() }
        gone = []
        return objects
    }

    // MARK: Retaining

    /// Keeps a registered object alive if the context retains all of them.
    @inline(__always)
    func retainIfAsked(_ object: ManagedObject) { if retainsAll { retained[ObjectIdentifier(object)] = object } }

    /// Applies `retainsRegisteredObjects` to the objects registered now (REF-08).
    func setRetainsAll(_ retainsAll: Bool) {
        self.retainsAll = retainsAll
        guard retainsAll else {
            retained = ObjectSet()
            return
        }
        for object in objects { retained[ObjectIdentifier(object)] = object }
    }

    /// Retains none of the objects any more.
    /// - Returns: the objects that were retained, for the caller to release.
    @discardableResult
    func takeRetained() -> ObjectSet {
        let objects = retained
        retained = ObjectSet()
        return objects
    }

    // MARK: Links

    /// The registered destination of a to-one relationship, with a link for the owner. The link
    /// takes over the owner's reference to the block.
    @inline(__always)
    func destination(
        _ primaryKey: Int64, _ relationship: Int, _ binding: EntityBinding, _ block: Unmanaged<RowBlock>
    ) -> (ManagedObject, LinkPool.Link)? {
        lock.lock()
        defer { lock.unlock() }
        return binding.destinations(relationship, &identities)?._withUnsafeGuaranteedRef { table in
            guard let destination = table.object(primaryKey) else { return nil }
            let link = links.make(DestinationLink(block: block, destination: .passRetained(destination), property: relationship))
            return (destination, link)
        }
    }

    /// Whether the destination of a to-one relationship may be registered.
    func mayHaveDestination(_ primaryKey: Int64, _ relationship: Int, _ binding: EntityBinding) -> Bool {
        lock.lock()
        defer { lock.unlock() }
        return binding.destinations(relationship, &identities)?._withUnsafeGuaranteedRef { $0.mayHaveObject(primaryKey) } ?? true
    }

    func makeLink(_ block: Unmanaged<RowBlock>, _ destination: ManagedObject, _ property: Int) -> LinkPool.Link {
        lock.lock()
        defer { lock.unlock() }
        return links.make(DestinationLink(block: block, destination: .passRetained(destination), property: property))
    }

    func removeLink(_ link: LinkPool.Link) {
        lock.lock()
        defer { lock.unlock() }
        links.remove(link)
    }

    // MARK: Keys from other contexts

    /// Adds keys that another context has assigned. `note` is called under the lock, so that
    /// whoever sees the note finds the keys.
    func add(_ keys: [AssignedKey], note: () -> Void) {
        lock.withLock {
            newKeys += keys
            note()
        }
    }

    /// Takes the keys that were added; `unnote` is called under the lock.
    func takeNewKeys(unnote: () -> Void) -> [AssignedKey] {
        lock.withLock {
            defer { newKeys = [] }
            unnote()
            return newKeys
        }
    }

    // MARK: Checks

    #if DEBUG
        /// Violations of what the registry guarantees; empty if all is well. On the queue.
        func invariantViolations(_ objects: [ManagedObject]) -> [String] {
            var violations = lock.withLock { identities.invariantViolations }
            var known: [ObjectKey: ManagedObject] = [:]
            for object in objects {
                if !contains(object) { violations.append("\(object) is not what is registered under its key") }
                if let other = known.updateValue(object, forKey: PermanentKeys.shared.permanentKey(for: object.key)) {
                    violations.append("\(object) is there twice: \(ObjectIdentifier(object)) and \(ObjectIdentifier(other))")
                }
            }
            let registered = Set(objects.map(ObjectIdentifier.init)), retained = Set(self.retained.values.map(ObjectIdentifier.init))
            if retainsAll, retained != registered {
                violations.append("retainsRegisteredObjects: \(retained.count) of \(registered.count) are retained")
            } else if !retainsAll, !retained.isEmpty {
                violations.append("\(retained.count) objects are retained without retainsRegisteredObjects")
            }
            let living = lock.withLock { livingCount }
            if living < objects.count { violations.append("\(objects.count) objects are registered, but only \(living) are counted") }
            for (index, ofEntity) in bindings.enumerated() {
                if ofEntity.contains(where: { $0.entity.index != index }) {
                    violations.append("A binding is in the list of another entity")
                }
                if Set(ofEntity.map(\.storeNumber)).count != ofEntity.count {
                    violations.append("\(ofEntity[0].entity.name) has several bindings for one store")
                }
            }
            return violations
        }
    #endif
}
