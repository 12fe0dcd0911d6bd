import PinviewModel
import PinviewStore

/// Nested contexts, the parent's side and the child's (NST).
///
/// A child reads through its parent, which fetches on its own queue, at its generation and with its
/// pending changes applied. A child keeps its own queue while it calls its parent, and a parent
/// never waits for a child, so queues are always taken in one direction.
extension ContextState {
    // MARK: The child asks

    func fetchObjectsFromParent(_ fetch: ResolvedFetch) throws(PinviewError) -> [ManagedObject] {
        guard let parent else { return [] }
        let request = fetch.request
        let foldsIn = request.includesPendingChanges && hasChanges
        var forwarded = request
        if foldsIn {
            // As many as a store is asked for.
            forwarded.fetchLimit = fetch.storeFetch(isWindowed: false, besides: changedRows(of: fetch)).limit
            forwarded.fetchOffset = 0
        }
        forwarded.fetchBatchSize = 0
        // The child prefetches for its own objects; see `prefetch`.
        forwarded.relationshipKeyPathsForPrefetching = []
        forwarded.returnsObjectsAsFaults = true
        forwarded.shouldRefreshRefetchedObjects = request.refreshesParents
        forwarded.includesPendingChanges = true
        var objects: [ManagedObject] = []
        let provided = try parent.providedObjects(forwarded)
        for (reference, _) in provided { objects.append(try object(for: reference.key, entityIndex: reference.entityIndex)) }
        // The parent's objects have the rows that the fetch read, and the child's are filled from
        // them.
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
        for object in Array(pending.inserted.values) + Array(pending.updated.values) {
            if let row = try parent.snapshot(of: object.key, entity: object.entity) {
                // Others may have changed objects in the parent that this context has not changed.
                let before = foreignKeys(of: object)
                for property in object.entity.relationships where !property.isToMany && !property.isTransient {
                    object.setSlot(property.index, .unloaded)
                }
                markSaved(object, row: .provided(row))
                saved.append((object, before))
            } else {
                // The parent has undone its insertion meanwhile, or has deleted it.
                gone.append(object)
            }
        }
        markGone(gone)
        for (object, before) in saved { reconcileInverses(of: object, before: before) }
        for object in pending.deleted.values {
            object.flags.subtract([.updated])
            registry.unregister(object)
        }
        unloadDestinations(pending.deleted)
        return true
    }

    /// Unloads references to deleted objects that a delete rule has left: the parent may take the
    /// deletion back, and then another object stands for the row.
    private func unloadDestinations(_ deleted: ObjectSet) {
        let areLeft = deleted.values.contains { object in
            object.entity.relationships.contains { !$0.deleteRule.changesDestinations && inverse(of: $0)?.isToMany == false }
        }
        guard areLeft else { return }
        for object in registry.objects where object.hasSlots && object.flags.isDisjoint(with: [.fault, .deleted, .invalidated]) {
            for (property, _) in object.binding.toOneWithInverse where !object.changed.contains(property.index) {
                guard case .toOne(let destination?) = object.slot(property.index), deleted[ObjectIdentifier(destination)] != nil else {
                    continue
                }
                object.setSlot(property.index, .unloaded)
            }
        }
    }

    /// A change of one object as passed from child to parent: keys instead of objects.
    struct ObjectChange {
        enum Kind { case inserted, updated, deleted }
        let kind: Kind
        let reference: ObjectReference
        var attributes: [(Property, Value)] = []
        /// The attributes of a new object that only have the model's default. They are not set in
        /// the parent either (UNQ-02).
        var defaults: [Int] = []
        var toOne: [(Property, ObjectReference?)] = []
        var toMany: [(Property, inserted: [ObjectReference], removed: [ObjectReference], order: [ObjectReference]?)] = []
    }

    private func pendingForParent() throws(PinviewError) -> [ObjectChange] {
        var changes: [ObjectChange] = []
        for object in changedInOrder(pending.inserted) { changes.append(try change(of: object, .inserted)) }
        for object in changedInOrder(pending.updated) { changes.append(try change(of: object, .updated)) }
        for object in pending.deleted.list where !object.flags.contains(.inaccessible) {
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

    /// Lets a child's thread work on the parent as one of the parent's blocks would (NST-09).
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
        if pending.hasDeferredRemovals { applyDeferredRemovals() }
    }

    func providedObjects(_ request: FetchRequest) throws(PinviewError) -> [(ObjectReference, ManagedObject)] {
        try enterForChild()
        defer { leave() }
        return try fetch(request).map { (reference(to: $0), $0) }
    }

    /// The current state of an object for a child; nil if this context has none or has deleted it.
    func providedRow(for key: ObjectKey, entity: Entity) throws(PinviewError) -> ProvidedRow? {
        try enterForChild()
        defer { leave() }
        return try snapshot(of: key, entity: entity)
    }

    /// The data of an attribute that the parent's row has, but whose value is null.
    func providedData(for key: ObjectKey, entity: Entity, _ property: Property) throws(PinviewError) -> Value {
        try enterForChild()
        defer { leave() }
        return try accessibleObject(key, entity).map { (object) throws(PinviewError) in try attributeValue(of: object, property) } ?? .null
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
        if let known = registry.object(key) {
            object = known
        } else if try isTakenBack(key) {
            return nil
        } else {
            // If this context has a parent too, it may know an unsaved object without having it
            // registered.
            object = try self.object(for: key, entityIndex: entity.index)
        }
        guard !object.flags.contains(.deleted) else { return nil }
        if object.flags.contains(.fault) {
            // The child decides what a missing row means, by its own setting.
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
                // Data that cannot be read matters only to whoever asks for it.
                let isData = property.cellKind == .externalBinary && !property.isTransient
                if isData, case .unloaded = object.slot(property.index) {
                    values.append(object.committedValue(of: property))
                } else {
                    values.append(try attributeValue(of: object, property))
                }
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

    /// Makes the changes of a child pending changes of this context (NST-11, NST-13).
    private func take(_ changes: [ObjectChange], from child: ContextState) throws(PinviewError) {
        for change in changes where change.kind == .inserted { try takeInsertion(change) }
        try readPartners(of: changes)
        for change in changes where change.kind != .deleted {
            guard let object = try accessibleObject(change.reference.key, entity(of: change)) else { continue }
            for (property, value) in change.attributes where !property.isDerived { try setAttribute(object, property, value) }
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
                if let order {
                    var members: [ManagedObject] = []
                    for reference in order { if let member = try ownObject(reference) { members.append(member) } }
                    try reorderMembers(object, property, members)
                }
            }
        }
        // The order in which the child made its changes counts here too (UNQ-05).
        for object in child.constrainedInOrderOfLastChange {
            if let own = registry.object(PermanentKeys.shared.permanentKey(for: object.key)) { noteLastChange(of: own) }
        }
        // Look up all of them first: deleting one may delete another that is new here, which would
        // then be unknown.
        var deleted: [ManagedObject] = []
        for change in changes where change.kind == .deleted {
            if let object = try accessibleObject(change.reference.key, entity(of: change)) { deleted.append(object) }
        }
        for object in deleted where !object.flags.contains(.deleted) && registry.contains(object) {
            try delete(object, preparing: false)
        }
        // Inside a block of this context, the current event announces them.
        if isInBlock { return }
        // The event ends on the main queue, where its observers are called (NOT-14).
        if isOffMainQueue { endEventOnMainQueue() } else { try processPendingChanges() }
    }

    /// Reads the partners that a child's changes of one-to-one relationships concern before any of
    /// the changes is made. They may have been read at other states; one that is read halfway would
    /// be reconciled with half-applied changes.
    private func readPartners(of changes: [ObjectChange]) throws(PinviewError) {
        guard mayBeMixed else { return }
        let ones = changes.filter { change in
            change.kind == .updated && change.toOne.contains { inverse(of: $0.0).map { !$0.isToMany } ?? false }
        }
        // What is read second may show that what was read first is outdated.
        for _ in 0..<2 {
            for change in ones {
                guard let object = try accessibleObject(change.reference.key, entity(of: change)) else { continue }
                for (property, destination) in change.toOne {
                    guard let inverse = inverse(of: property), !inverse.isToMany else { continue }
                    for partner in [try toOne(object, property), try destination.flatMap(ownObject)].compactMap({ $0 })
                    where partner.flags.isDisjoint(with: [.deleted, .inaccessible]) {
                        _ = try toOne(partner, inverse)
                    }
                }
            }
        }
    }

    private func entity(of change: ObjectChange) throws(PinviewError) -> Entity {
        try requireCoordinator().managedObjectModel.entities[change.reference.entityIndex]
    }

    private func takeInsertion(_ change: ObjectChange) throws(PinviewError) {
        let key = PermanentKeys.shared.permanentKey(for: change.reference.key)
        if registry.object(key) != nil { return }
        let object = makeObject(try entity(of: change), key, flags: [])
        for property in object.entity.properties where property.isRelationship && property.isToMany {
            object.setSlot(property.index, .noMembers)
        }
        enterInRegistry(object)
        primitiveInsert(object)
    }

    /// The destination of a child's change; nil if it is gone. A change that affects the
    /// destination's side too, or its row, reads the destination first, which may reveal that.
    private func related(_ reference: ObjectReference, _ property: Property) throws(PinviewError) -> ManagedObject? {
        guard let object = try ownObject(reference) else { return nil }
        if object.flags.contains(.fault), property.isToMany || property.inverseIndex != nil { try fire(object) }
        return object.flags.contains(.deleted) ? nil : object
    }

    private func ownObject(_ reference: ObjectReference) throws(PinviewError) -> ManagedObject? {
        let key = PermanentKeys.shared.permanentKey(for: reference.key)
        if let object = registry.object(key) { return object.flags.contains(.deleted) ? nil : object }
        if try isTakenBack(key) { return nil }
        return try object(for: key, entityIndex: reference.entityIndex)
    }

    /// Whether a key of a child's belongs to an object whose insertion was undone here or further
    /// up.
    private func isTakenBack(_ key: ObjectKey) throws(PinviewError) -> Bool {
        if key.isTemporary { return try !knowsUnsaved(key) }
        if registry.takenBackKeys.contains(key) { return true }
        guard let parent else { return false }
        try parent.enterForChild()
        defer { parent.leave() }
        if parent.registry.object(key) != nil { return false }
        return try parent.isTakenBack(key)
    }

    /// Whether this context or an ancestor has the object of a temporary key. The insertion may
    /// have been undone since the child learned the key.
    func knowsUnsaved(_ key: ObjectKey) throws(PinviewError) -> Bool {
        if let object = registry.object(key), !object.flags.isDisjoint(with: [.inserted, .deleted]) {
            return object.flags.contains(.inserted)
        }
        guard let parent else { return false }
        try parent.enterForChild()
        defer { parent.leave() }
        return try parent.knowsUnsaved(key)
    }
}
