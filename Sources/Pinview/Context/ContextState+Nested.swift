import PinviewModel
import PinviewStore

/// The parent's side and the child's side of nested contexts (NST).
///
/// A child reads through its parent: the parent answers on its own queue with its generation and
/// its pending changes applied. A child holds its queue while it asks its parent, a parent never
/// waits for a child, so the queues are always taken in one direction.
extension ContextState {
    // MARK: The child asks

    func fetchObjectsFromParent(_ fetch: ResolvedFetch) throws(PinviewError) -> [ManagedObject] {
        guard let parent else { return [] }
        let request = fetch.request
        let foldsIn = request.includesPendingChanges && hasChanges
        var forwarded = request
        if foldsIn {
            forwarded.fetchLimit = 0
            forwarded.fetchOffset = 0
        }
        forwarded.fetchBatchSize = 0
        // The child prefetches for its own objects (see `prefetch`).
        forwarded.relationshipKeyPathsForPrefetching = []
        forwarded.returnsObjectsAsFaults = true
        forwarded.shouldRefreshRefetchedObjects = request.refreshesParents
        forwarded.includesPendingChanges = true
        var objects: [ManagedObject] = []
        let provided = try parent.providedObjects(forwarded)
        for (reference, _) in provided { objects.append(try object(for: reference.key, entityIndex: reference.entityIndex)) }
        // The parent's objects have the rows that the fetch read: the child's are filled from
        // there.
        keepForConsistentRead(provided.map { $0.1 })
        if request.shouldRefreshRefetchedObjects {
            for object in objects where object.flags.isDisjoint(with: [.fault, .deleted, .inserted]) {
                try refresh(object, mergeChanges: true)
            }
        }
        guard foldsIn else { return objects }
        objects = try foldInPendingChanges(objects, fetch)
        if !fetch.sortDescriptors.isEmpty { objects = try sort(objects, fetch.sortDescriptors) }
        return Array(objects[window(objects.indices, request)])
    }

    func saveToParent(_ parent: ContextState) throws(PinviewError) -> Bool {
        let changes = try pendingForParent()
        try parent.enterForChild()
        defer { parent.leave() }
        try parent.take(changes, from: self)
        defer { dropSavedFromChangeSets() }
        var saved: [(ManagedObject, [ForeignKey])] = []
        var gone: [ManagedObject] = []
        for object in Array(insertedObjects.values) + Array(updatedObjects.values) {
            if let row = try parent.snapshot(of: object.key, entity: object.entity) {
                // Others may have changed in the parent what this context did not.
                let before = foreignKeys(of: object)
                for property in object.entity.relationships where !property.isToMany && !property.isTransient {
                    object.setSlot(property.index, .unloaded)
                }
                markSaved(object, row: .provided(row))
                saved.append((object, before))
            } else {
                // The parent has taken its insertion back meanwhile, or has deleted it.
                gone.append(object)
            }
        }
        markGone(gone)
        for (object, before) in saved { reconcileInverses(of: object, before: before) }
        for object in deletedObjects.values {
            object.flags.subtract([.updated])
            unregister(object)
        }
        return true
    }

    /// A change of one object as a child hands it to its parent: keys instead of objects.
    struct ObjectChange {
        enum Kind { case inserted, updated, deleted }
        let kind: Kind
        let reference: ObjectReference
        var attributes: [(Property, Value)] = []
        /// Those of a new object's attributes that have only the model's default: they are not set
        /// in the parent either (UNQ-02).
        var defaults: [Int] = []
        var toOne: [(Property, ObjectReference?)] = []
        var toMany: [(Property, inserted: [ObjectReference], removed: [ObjectReference], order: [ObjectReference]?)] = []
    }

    private func pendingForParent() throws(PinviewError) -> [ObjectChange] {
        var changes: [ObjectChange] = []
        for object in changedInOrder(insertedObjects) { changes.append(try change(of: object, .inserted)) }
        for object in changedInOrder(updatedObjects) { changes.append(try change(of: object, .updated)) }
        for object in deletedObjects.list where !object.flags.contains(.inaccessible) {
            changes.append(ObjectChange(kind: .deleted, reference: reference(to: object)))
        }
        return changes
    }

    private func change(of object: ManagedObject, _ kind: ObjectChange.Kind) throws(PinviewError) -> ObjectChange {
        var change = ObjectChange(kind: kind, reference: reference(to: object))
        for property in object.entity.properties where kind == .inserted || object.changed.contains(property.index) {
            if property.isAttribute {
                change.attributes.append((property, try attributeValue(of: object, property)))
                if kind == .inserted, !object.changed.contains(property.index) { change.defaults.append(property.index) }
            } else if !property.isToMany {
                change.toOne.append((property, try toOne(object, property).map(reference)))
            } else {
                let contents = property.isOrdered ? try toMany(object, property) : object.toManyContents(property)
                guard contents.hasChanges else { continue }
                change.toMany.append(
                    (
                        property, contents.inserted.map(reference), contents.removed.map(reference),
                        contents.hasChangedOrder && property.isOrdered ? contents.members.map(reference) : nil
                    ))
            }
        }
        return change
    }

    private func reference(to object: ManagedObject) -> ObjectReference {
        ObjectReference(key: object.key, entityIndex: object.entity.index)
    }

    // MARK: The parent answers

    /// A child's thread works on the parent as a block of the parent would (NST-09).
    func enterForChild() throws(PinviewError) {
        guard queue.enterUnlessDeadlocked() else { throw deadlock }
        if hasEnded {
            queue.leave()
            throw PinviewError(.contextGone, "The parent of this context has ended.")
        }
        do throws(PinviewError) { try requireNotResolving() } catch {
            queue.leave()
            throw error
        }
        if hasNotes { takeNewKeys() }
        if hasDeferredRemovals { applyDeferredRemovals() }
    }

    func providedObjects(_ request: FetchRequest) throws(PinviewError) -> [(ObjectReference, ManagedObject)] {
        try enterForChild()
        defer { leave() }
        return try fetch(request).map { (reference(to: $0), $0) }
    }

    /// The parent's current state of an object; nil when it has none or has deleted it.
    func providedRow(for key: ObjectKey, entity: Entity) throws(PinviewError) -> ProvidedRow? {
        try enterForChild()
        defer { leave() }
        return try snapshot(of: key, entity: entity)
    }

    func providedMembers(for key: ObjectKey, entity: Entity, _ property: Property) throws(PinviewError) -> [ObjectReference] {
        try enterForChild()
        defer { leave() }
        guard let object = try accessibleObject(key, entity) else { return [] }
        return try toMany(object, property).members.filter { !$0.flags.contains(.deleted) }.map(reference)
    }

    private func accessibleObject(_ key: ObjectKey, _ entity: Entity) throws(PinviewError) -> ManagedObject? {
        let key = PermanentKeys.shared.permanentKey(for: key)
        let object: ManagedObject
        if let known = registeredObject(key) {
            object = known
        } else if try isTakenBack(key) {
            return nil
        } else {
            // With a parent of its own this context may know an unsaved object without having it
            // registered.
            object = try self.object(for: key, entityIndex: entity.index)
        }
        guard !object.flags.contains(.deleted) else { return nil }
        if object.flags.contains(.fault) {
            // A row that is gone is the child's to judge, by the child's own setting.
            if let row = usablePrefetchedRow(of: object) {
                try realise(object, .stored(row))
            } else {
                guard let row = try loadCommitted(object, mayUseCache: true) else { return nil }
                try realise(object, row)
            }
        }
        return object
    }

    func snapshot(of key: ObjectKey, entity: Entity) throws(PinviewError) -> ProvidedRow? {
        guard let object = try accessibleObject(key, entity) else { return nil }
        var values: [Value] = []
        var references: [Int: ObjectReference] = [:]
        for property in object.entity.properties {
            if property.isAttribute {
                values.append(try attributeValue(of: object, property))
                continue
            }
            values.append(.null)
            if property.isToMany { continue }
            if case .unloaded = object.slot(property.index) {
                references[property.index] = try committedReference(of: object, property)
            } else if let destination = try toOne(object, property) {
                references[property.index] = reference(to: destination)
            }
        }
        return ProvidedRow(values: values, references: references)
    }

    /// Makes a child's changes pending changes of this context (NST-11, NST-13).
    private func take(_ changes: [ObjectChange], from child: ContextState) throws(PinviewError) {
        for change in changes where change.kind == .inserted { try takeInsertion(change) }
        for change in changes where change.kind != .deleted {
            guard let object = try accessibleObject(change.reference.key, entity(of: change)) else { continue }
            for (property, value) in change.attributes { try setAttribute(object, property, value) }
            if object.flags.contains(.inserted) { for index in change.defaults { object.setChanged(index, false) } }
            for (property, destination) in change.toOne {
                try setToOne(
                    object, property, try destination.flatMap { (reference) throws(PinviewError) in try related(reference, property) })
            }
            for (property, inserted, removed, order) in change.toMany {
                for reference in removed { if let member = try ownObject(reference) { try removeMember(object, property, member) } }
                for reference in inserted {
                    if let member = try related(reference, property) { try insertMember(object, property, member) }
                }
                for (position, reference) in (order ?? []).enumerated() {
                    if let member = try ownObject(reference) { try moveMember(object, property, member, to: position) }
                }
            }
        }
        // The order in which the child made its changes decides here as well (UNQ-05).
        for object in child.constrainedInOrderOfLastChange {
            if let own = registeredObject(PermanentKeys.shared.permanentKey(for: object.key)) { noteLastChange(of: own) }
        }
        // All are looked up first: one that is new here goes with the deletion of another one, and
        // would be taken for an unknown one then.
        var deleted: [ManagedObject] = []
        for change in changes where change.kind == .deleted {
            if let object = try accessibleObject(change.reference.key, entity(of: change)) { deleted.append(object) }
        }
        for object in deleted where !object.flags.contains(.deleted) && isRegistered(object) {
            try delete(object, preparing: false)
        }
        // Inside a block of this context the event that is going on announces them.
        if isInBlock { return }
        // The event ends on the main queue, as its observers are called there (NOT-14).
        if isOffMainQueue { endEventOnMainQueue() } else { try processPendingChanges() }
    }

    private func entity(of change: ObjectChange) throws(PinviewError) -> Entity {
        try requireCoordinator().managedObjectModel.entities[change.reference.entityIndex]
    }

    private func takeInsertion(_ change: ObjectChange) throws(PinviewError) {
        let key = PermanentKeys.shared.permanentKey(for: change.reference.key)
        if registeredObject(key) != nil { return }
        let object = makeObject(try entity(of: change), key, flags: [])
        for property in object.entity.properties where property.isRelationship && property.isToMany {
            object.setSlot(property.index, .noMembers)
        }
        enterInRegistry(object)
        primitiveInsert(object)
    }

    /// The destination of a child's change; nil when it is gone. Where the change looks at its side
    /// of the relationship, it is read first, which may show that.
    private func related(_ reference: ObjectReference, _ property: Property) throws(PinviewError) -> ManagedObject? {
        guard let object = try ownObject(reference) else { return nil }
        if object.flags.contains(.fault), isForeignKey(property) { try fire(object) }
        return object.flags.contains(.deleted) ? nil : object
    }

    private func ownObject(_ reference: ObjectReference) throws(PinviewError) -> ManagedObject? {
        let key = PermanentKeys.shared.permanentKey(for: reference.key)
        if let object = registeredObject(key) { return object.flags.contains(.deleted) ? nil : object }
        if try isTakenBack(key) { return nil }
        return try object(for: key, entityIndex: reference.entityIndex)
    }

    /// Whether a key that a child knows is that of an object whose insertion was taken back, here
    /// or further up.
    private func isTakenBack(_ key: ObjectKey) throws(PinviewError) -> Bool {
        if key.isTemporary { return try !knowsUnsaved(key) }
        if takenBackKeys.contains(key) { return true }
        guard let parent else { return false }
        try parent.enterForChild()
        defer { parent.leave() }
        if parent.registeredObject(key) != nil { return false }
        return try parent.isTakenBack(key)
    }

    /// Whether this context or one above it has the object of a temporary key: one that a child
    /// knows may have been taken back since.
    func knowsUnsaved(_ key: ObjectKey) throws(PinviewError) -> Bool {
        if let object = registeredObject(key), !object.flags.isDisjoint(with: [.inserted, .deleted]) {
            return object.flags.contains(.inserted)
        }
        guard let parent else { return false }
        try parent.enterForChild()
        defer { parent.leave() }
        return try parent.knowsUnsaved(key)
    }
}
