import PinviewModel
import PinviewStore

/// Keeps both sides of each relationship consistent when one side changes without the program's
/// doing (ONE-02).
///
/// The program's own changes go through `setToOne`, `insertMember` and `removeMember`, which change
/// both sides. Everything else that gives an object new values (a merge, a refresh, firing a fault,
/// a save under a merge policy) changes one side first:
///
///     one-to-many    The to-one side decides, as it is the one that has a column and a version. For each object with values that is told
///                    to the sets it left and joined, the loaded ones and those with pending changes; what a set shows of faults is
///                    what the store said when it was loaded.
///     many-to-many   The side that was loaded first decides, until it is refreshed; that unloads the other sides.
///     one-to-one     A side with a pending change decides; else the one that was loaded last.
///
/// A context whose objects were all read at one state of the stores needs none of this: a state of
/// a store is consistent.
extension ContextState {
    /// Whether objects of the context may have been read at different states.
    var mayBeMixed: Bool { pin.isMixed || hasParent }

    // MARK: States that were read

    /// Notes the state about to be read.
    @inline(__always)
    func noteState(_ set: GenerationSet) {
        if set.serial != pin.knownSerial { noteNewState(set) }
    }

    @inline(never)
    private func noteNewState(_ set: GenerationSet) {
        pin.knownSerial = set.serial
        guard !pin.isMixed else { return }
        let ranks = set.ranks
        pin.isMixed = ranks.isEmpty || ranks.contains { store, rank in pin.knownRanks[store].map { $0 != rank } ?? false }
        pin.knownRanks.merge(ranks) { $1 }
    }

    /// Notes a row that an unpinned context takes from the row cache.
    @inline(__always)
    func noteCached(_ row: RowSnapshot, ofStore number: Int32) {
        if !pin.isMixed, pin.knownRanks[number] != row.block.origin.rank { noteCached(row.block.origin.rank, ofStore: number) }
    }

    @inline(never)
    private func noteCached(_ rank: UInt64, ofStore number: Int32) {
        if pin.knownRanks[number] == nil, rank != 0 { pin.knownRanks[number] = rank } else { pin.isMixed = true }
    }

    /// Starts anew once nothing read before is shown any more.
    func forgetStates() { (pin.isMixed, pin.knownSerial, pin.knownRanks) = (false, 0, [:]) }

    /// Called while the writers are locked: what others have committed was committed before this
    /// save.
    func noteStateBeforeWriting() {
        // New objects alone cannot be outdated; objects that were read can.
        let hasRead = !pin.knownRanks.isEmpty || !pending.updated.isEmpty || !pending.deleted.isEmpty
        guard !pin.isMixed, hasRead, let coordinator else { return }
        // Usually nobody has committed since this context read or saved.
        let stores = coordinator.stores
        if stores.count == 1, let rank = pin.knownRanks[stores[0].number], stores[0].rankOfNewest == rank { return }
        do { noteState(try coordinator.currentGenerationSet()) } catch { pin.isMixed = true }
    }

    /// Notes the generation right after a save to a store.
    func noteSaved(toStore number: Int32, rank: UInt64) {
        pin.knownSerial = 0
        pin.knownRanks[number] = rank
    }

    // MARK: Foreign keys

    /// The destination of a to-one relationship, both one store up and in this context.
    struct ForeignKey {
        let property: Property
        let inverse: Property
        var committedReference: ObjectReference?
        var current: ObjectKey?
        var committed: ObjectKey? { committedReference?.key }
    }

    /// The destinations of a realised object's to-one relationships that have inverses.
    func foreignKeys(of object: ManagedObject) -> [ForeignKey] {
        guard object.flags.isDisjoint(with: [.fault, .invalidated, .inaccessible]) else { return [] }
        return object.binding.toOneWithInverse.map { foreignKey(of: object, $0.property, $0.inverse) }
    }

    private func foreignKey(of object: ManagedObject, _ property: Property, _ inverse: Property) -> ForeignKey {
        // A reference that the model cannot explain leads nowhere; reading the relationship reports
        // it.
        let committed = try? committedReference(of: object, property)
        guard case .toOne(let destination) = object.slot(property.index) else {
            return ForeignKey(property: property, inverse: inverse, committedReference: committed, current: committed?.key)
        }
        return ForeignKey(property: property, inverse: inverse, committedReference: committed, current: destination?.key)
    }

    /// Runs a body that gives an object new values, then updates the other side of its
    /// relationships, both for former and for new destinations.
    func reconcilingInverses(of object: ManagedObject, _ body: () throws(PinviewError) -> Void) throws(PinviewError) {
        let before = foreignKeys(of: object)
        defer { reconcileInverses(of: object, before: before) }
        try body()
    }

    func reconcileInverses(of object: ManagedObject, before: [ForeignKey]) {
        guard object.flags.isDisjoint(with: [.deleted, .invalidated]) else { return }
        for (place, read) in foreignKeys(of: object).enumerated() {
            let key = droppingDeletedDestination(object, read)
            guard key.inverse.isToMany else {
                reconcileOneToOne(object, key)
                // A former partner may not know yet that it is one.
                if mayBeMixed || key.current != read.current { reconcileOtherPartners(of: object, key) }
                reconcileFormerPartner(of: object, key)
                continue
            }
            var owners = [key.committed, key.current].compactMap { $0 }
            if place < before.count { owners += [before[place].committed, before[place].current].compactMap { $0 } }
            // If an object has left its owner, both of them have changed, so the owner must be
            // registered.
            if key.committed != key.current, let owner = key.committedReference, registry.object(owner.key) == nil {
                withExtendedLifetime(try? self.object(for: owner.key, entityIndex: owner.entityIndex)) { owner in
                    if let owner { reconcile(object, key.inverse, of: owner, isCommitted: true, isMember: false) }
                }
            }
            for owner in Set(owners) {
                reconcile(object, key.inverse, of: owner, isCommitted: key.committed == owner, isMember: key.current == owner)
            }
        }
    }

    /// Reconciles the loaded members of objects with everything that refers to them, after a time
    /// in which changes were not applied to them.
    func reconcileMembers(of owners: [ManagedObject]) {
        guard mayBeMixed, !owners.isEmpty else { return }
        for owner in owners { takeOutFormerMembers(of: owner) }
        unloadManyToMany(of: owners)
        let keys = Set(owners.map(\.key))
        for object in registry.objects where object.flags.isDisjoint(with: [.fault, .deleted, .invalidated, .inaccessible]) {
            for (property, inverse) in object.binding.toOneWithInverse where inverse.isToMany {
                let key = foreignKey(of: object, property, inverse)
                guard let owner = key.current, keys.contains(owner) else { continue }
                reconcile(object, inverse, of: owner, isCommitted: key.committed == owner, isMember: true)
            }
        }
    }

    /// The two sides of a many-to-many relationship may have been loaded at different states: the
    /// next access loads both.
    private func unloadManyToMany(of owners: [ManagedObject]) {
        var inverses: [ObjectIdentifier: (inverse: Property, destinationIndex: Int)] = [:]
        for owner in owners {
            for index in owner.binding.toManyIndexes {
                guard let property = owner.property(atIndex: index), let inverse = inverse(of: property), inverse.isToMany else { continue }
                unloadMembers(of: owner, property)
                inverses[ObjectIdentifier(inverse)] = (inverse, property.destinationIndex)
            }
        }
        for (inverse, destinationIndex) in inverses.values { unloadMembers(of: inverse, ownersOfKind: destinationIndex) }
    }

    /// Removes members that refer elsewhere by now.
    private func takeOutFormerMembers(of owner: ManagedObject) {
        for index in owner.binding.toManyIndexes {
            guard let property = owner.property(atIndex: index), case .toMany(let contents) = owner.slot(index), contents.isLoaded,
                let inverse = inverse(of: property), !inverse.isToMany
            else { continue }
            for member in contents.members where member.flags.isDisjoint(with: [.fault, .deleted, .invalidated, .inaccessible]) {
                let key = foreignKey(of: member, inverse, property)
                guard key.current != owner.key else { continue }
                reconcile(member, property, of: owner, isCommitted: key.committed == owner.key, isMember: false)
            }
        }
    }

    /// Makes an object a member of the relationship that it refers to.
    func reconcileMembership(of object: ManagedObject, by property: Property) {
        guard object.flags.isDisjoint(with: [.fault, .deleted, .invalidated, .inaccessible]), let inverse = inverse(of: property),
            inverse.isToMany
        else { return }
        let key = foreignKey(of: object, property, inverse)
        guard let ownerKey = key.current else { return }
        reconcile(object, inverse, of: ownerKey, isCommitted: key.committed == ownerKey, isMember: true)
    }

    private func reconcile(_ member: ManagedObject, _ inverse: Property, of key: ObjectKey, isCommitted: Bool, isMember: Bool) {
        guard let owner = registry.object(key) else { return }
        reconcile(member, inverse, of: owner, isCommitted: isCommitted, isMember: isMember)
    }

    private func reconcile(_ member: ManagedObject, _ inverse: Property, of owner: ManagedObject, isCommitted: Bool, isMember: Bool) {
        // A deleted owner keeps its members, in case the deletion is undone.
        guard owner.flags.isDisjoint(with: [.invalidated, .inaccessible, .deletePropagated]) else { return }
        #if DEBUG
            if ContextFault.current == .pendingChangesHideMerges, owner.changed.contains(inverse.index) { return }
        #endif
        switch owner.slot(inverse.index) {
        case .toMany: break
        case .noMembers: guard isCommitted || isMember else { return }
        // A relationship that is not loaded holds pending changes only.
        case .unloaded: guard isCommitted != isMember else { return }
        case .value, .toOne: return
        }
        let contents = owner.toManyContents(inverse)
        guard contents.reconcile(member, isCommitted: isCommitted, isMember: isMember) else { return }
        noteReconciled(owner, inverse, contents)
    }

    /// Notes that a relationship has other members by now, and whether that is a change.
    func noteReconciled(_ owner: ManagedObject, _ property: Property, _ contents: ToManyContents) {
        let hasChanges = contents.hasChanges
        guard owner.changed.contains(property.index) != hasChanges else { return }
        owner.setChanged(property.index, hasChanges)
        noteChange(of: owner)
    }

    // MARK: Faults that fire

    /// Reconciles a fault that just received its values, perhaps from a different state than the
    /// objects shown so far.
    @inline(__always)
    func noteRealised(_ object: ManagedObject) {
        if mayBeMixed { reconcileRealised(object) }
    }

    @inline(never)
    private func reconcileRealised(_ object: ManagedObject) {
        for (property, inverse) in object.binding.toOneWithInverse {
            let key = droppingDeletedDestination(object, foreignKey(of: object, property, inverse))
            guard inverse.isToMany else {
                reconcileOneToOne(object, key)
                reconcileOtherPartners(of: object, key)
                continue
            }
            var isKnown = false
            if let ownerKey = key.current, let owner = registry.object(ownerKey) {
                if case .toMany(let contents) = owner.slot(inverse.index) {
                    // An object that was removed is about to be changed itself.
                    isKnown = contents.contains(object) || contents.isRemoved(object)
                }
                if !isKnown { reconcile(object, inverse, of: owner, isCommitted: key.committed == ownerKey, isMember: true) }
            }
            // Shown as a member before it had values, perhaps of another owner.
            guard !isKnown, object.isShownAsMember else { continue }
            for owner in registeredObjects(ofKind: property.destinationIndex) where owner.key != key.current {
                if case .toMany(let contents) = owner.slot(inverse.index), contents.isLoaded, contents.contains(object) {
                    reconcile(object, inverse, of: owner, isCommitted: key.committed == owner.key, isMember: false)
                }
            }
        }
    }

    /// Drops the destination of an object that others related to it if its deletion has been
    /// propagated here: the destination takes no further part in this context's graph.
    ///
    /// - Returns: the object's destination after that, for updating the other sides.
    private func droppingDeletedDestination(_ object: ManagedObject, _ key: ForeignKey) -> ForeignKey {
        guard !object.changed.contains(key.property.index), !object.flags.contains(.deleted), let destinationKey = key.current,
            let destination = registry.object(destinationKey), destination.flags.contains(.deletePropagated),
            !destination.flags.contains(.inaccessible), key.inverse.deleteRule.changesDestinations
        else { return key }
        object.setSlot(key.property.index, .toOne(nil))
        object.setChanged(key.property.index, true)
        noteChange(of: object)
        return foreignKey(of: object, key.property, key.inverse)
    }

    private func reconcileOneToOne(_ object: ManagedObject, _ key: ForeignKey) {
        guard !object.changed.contains(key.property.index), let destinationKey = key.current,
            let destination = registry.object(destinationKey), destination !== object,
            // A deletion that is not propagated yet reaches its partner by what the destination shows.
            destination.flags.isDisjoint(with: [.fault, .deletePropagated, .invalidated, .inaccessible])
        else { return }
        let back = foreignKey(of: destination, key.inverse, key.property)
        if back.current == object.key { return }
        if destination.changed.contains(key.inverse.index) {
            // Here, the destination belongs to another object.
            object.setSlot(key.property.index, .toOne(nil))
            object.setChanged(key.property.index, true)
            noteChange(of: object)
        } else {
            outdate(destination, key.inverse, shows: object)
            guard !destination.flags.contains(.fault) else { return }
            reconcileOtherPartners(of: destination, foreignKey(of: destination, key.inverse, key.property))
            if foreignKey(of: destination, key.inverse, key.property).current == object.key { return }
            object.setSlot(key.property.index, .toOne(nil))
            object.setChanged(key.property.index, true)
            noteChange(of: object)
        }
    }

    /// Updates objects that were read at another state and refer to an object that has another
    /// partner by now.
    private func reconcileOtherPartners(of object: ManagedObject, _ key: ForeignKey) {
        for partner in registeredObjects(ofKind: key.property.destinationIndex)
        where partner !== object && partner.flags.isDisjoint(with: [.fault, .deleted, .invalidated, .inaccessible]) {
            guard partner.key != key.current else { continue }
            let back = foreignKey(of: partner, key.inverse, key.property)
            guard back.current == object.key else { continue }
            if partner.changed.contains(key.inverse.index) {
                object.setSlot(key.property.index, .toOne(partner))
                object.setChanged(key.property.index, true)
                noteChange(of: object)
                reconcileFormerPartner(of: object, foreignKey(of: object, key.property, key.inverse))
            } else {
                outdate(partner, key.inverse, shows: nil)
            }
        }
    }

    /// Drops what an object says about a one-to-one relationship, since it is outdated. An object
    /// with other pending changes or a pending deletion keeps its row, whose version the save
    /// compares, and shows what its partner says.
    private func outdate(_ object: ManagedObject, _ property: Property, shows partner: ManagedObject?) {
        guard !object.flags.isDisjoint(with: [.updated, .inserted, .deleted]) else { return turnIntoFault(object) }
        object.setSlot(property.index, .toOne(partner))
    }

    /// Removes pending partners of objects to which others have given a different partner.
    func reconcileFormerPartners(of objects: [ManagedObject]) {
        for object in objects where object.flags.isDisjoint(with: [.deleted, .invalidated]) {
            for key in foreignKeys(of: object) where !key.inverse.isToMany { reconcileFormerPartner(of: object, key) }
        }
    }

    private func reconcileFormerPartner(of object: ManagedObject, _ key: ForeignKey) {
        guard object.changed.contains(key.property.index), key.committed != key.current,
            let reference = try? committedReference(of: object, key.property),
            let partner = try? self.object(for: reference.key, entityIndex: reference.entityIndex),
            !partner.flags.contains(.deleted), (try? toOne(partner, key.inverse)) === object
        else { return }
        partner.setSlot(key.inverse.index, .toOne(nil))
        partner.setChanged(key.inverse.index, true)
        noteChange(of: partner)
    }

    /// Reads the partners of changed one-to-one relationships that are faults, so that the save writes both sides: in
    /// the file, they may belong to another object by now, and what is changed here counts.
    func readPartners(of objects: [ManagedObject]) throws(PinviewError) {
        guard mayBeMixed else { return }
        for object in objects where object.flags.isDisjoint(with: [.deleted, .invalidated]) {
            for (property, inverse) in object.binding.toOneWithInverse where !inverse.isToMany && object.changed.contains(property.index) {
                guard case .toOne(let partner?) = object.slot(property.index), partner.flags.contains(.fault) else { continue }
                do throws(PinviewError) {
                    try fire(partner)
                } catch {
                    // References to a row that is gone are emptied by the save.
                    guard error.hasCode(.managedObjectReferentialIntegrity) else { throw error }
                }
            }
        }
    }

    // MARK: Sets that are loaded

    /// Loads the members of a relationship, and reconciles them with the values of realised
    /// objects.
    func load(
        _ contents: ToManyContents, of owner: ManagedObject, _ property: Property, members base: [ManagedObject]
    ) {
        let outdates = contents.outdatesMembers
        contents.outdatesMembers = false
        let inverse = inverse(of: property)
        guard let inverse else { return loadWithoutInverse(contents, of: owner, property, base) }
        if inverse.isToMany {
            contents.load(base)
            return reconcileManyToMany(contents, of: owner, property, inverse, base)
        }
        var reconciled: [(member: ManagedObject, isCommitted: Bool, isMember: Bool)] = []
        // Faults that may be shown by another relationship, which was loaded at an earlier state.
        var shown: [ManagedObject] = []
        let ownKey = owner.key
        func judge(_ member: ManagedObject, isInBase: Bool) {
            if member.flags.contains(.fault) {
                guard isInBase else { return }
                if member.isShownAsMember { shown.append(member) }
                return member.isShownAsMember = true
            }
            guard member.flags.isDisjoint(with: [.invalidated, .inaccessible, .deletePropagated]) else { return }
            let key = foreignKey(of: member, inverse, property)
            // The row of a member with a pending change may be older than the loaded members: what
            // the store already has is not a change any more (CTX-10).
            let isPending = member.changed.contains(inverse.index)
            let isCommitted = isPending ? isInBase : key.committed == ownKey, isMember = key.current == ownKey
            if isCommitted == isInBase, isMember == isInBase { return }
            pin.isMixed = true
            if outdates, member.flags.isDisjoint(with: [.inserted, .updated, .deleted]) {
                turnIntoFault(member)
                if isInBase { shown.append(member) }
                return
            }
            reconciled.append((member, isCommitted, isMember))
        }
        for member in base { judge(member, isInBase: true) }
        if mayBeMixed {
            let isInBase = Set(base)
            for member in registeredObjects(ofKind: property.destinationIndex) where !isInBase.contains(member) {
                if !member.flags.contains(.fault) { judge(member, isInBase: false) }
            }
        }
        contents.load(base)
        for (member, isCommitted, isMember) in reconciled { contents.reconcile(member, isCommitted: isCommitted, isMember: isMember) }
        guard mayBeMixed, !shown.isEmpty else { return }
        for other in registeredObjects(ofKind: property.declaringEntityIndex) where other !== owner && other.hasSlots {
            guard case .toMany(let others) = other.slot(property.index), others.isLoaded else { continue }
            for member in shown where others.contains(member) {
                reconcile(member, property, of: other, isCommitted: false, isMember: false)
            }
        }
    }

    /// Reconciles a freshly loaded many-to-many relationship with the other sides that are loaded
    /// or changed. A deletion that has not been propagated is to find on this side what the deleted
    /// object shows.
    private func reconcileManyToMany(
        _ contents: ToManyContents, of owner: ManagedObject, _ property: Property, _ inverse: Property, _ base: [ManagedObject]
    ) {
        guard mayBeMixed else { return }
        for member in base where member !== owner || inverse !== property {
            guard member.flags.isDisjoint(with: [.invalidated, .inaccessible, .deletePropagated]) else { continue }
            switch member.slot(inverse.index) {
            case .toMany(let back):
                if back.isRemoved(owner) {
                    contents.reconcile(member, isCommitted: true, isMember: false)
                } else if back.isInserted(owner) {
                    reconcile(owner, inverse, of: member, isCommitted: true, isMember: true)
                } else if back.isLoaded, !back.contains(owner) {
                    contents.reconcile(member, isCommitted: false, isMember: false)
                }
            case .noMembers: contents.reconcile(member, isCommitted: false, isMember: false)
            case .unloaded, .value, .toOne: break
            }
        }
        let isInBase = Set(base)
        for member in registeredObjects(ofKind: property.destinationIndex) where !isInBase.contains(member) && member !== owner {
            guard case .toMany(let back) = member.slot(inverse.index),
                member.flags.isDisjoint(with: [.deletePropagated, .inaccessible])
            else { continue }
            if back.isInserted(owner) {
                contents.reconcile(member, isCommitted: false, isMember: true)
            } else if back.isRemoved(owner) {
                reconcile(owner, inverse, of: member, isCommitted: false, isMember: false)
            } else if back.isLoaded, back.contains(owner) {
                contents.reconcile(member, isCommitted: true, isMember: true)
            }
        }
    }

    /// Loads a relationship without an inverse. Each member has one owner, since the file has one
    /// column for it.
    private func loadWithoutInverse(_ contents: ToManyContents, of owner: ManagedObject, _ property: Property, _ base: [ManagedObject]) {
        contents.load(base)
        var shared: [ManagedObject] = []
        for member in base {
            if member.isMemberWithoutInverse { shared.append(member) }
            member.isMemberWithoutInverse = true
        }
        guard !shared.isEmpty else { return }
        for other in registeredObjects(ofKind: property.declaringEntityIndex) where other !== owner {
            guard case .toMany(let others) = other.slot(property.index), !other.flags.contains(.deleted) else { continue }
            for member in shared where others.contains(member) {
                if others.isInserted(member) {
                    contents.reconcile(member, isCommitted: true, isMember: false)
                } else if others.reconcile(member, isCommitted: false, isMember: false) {
                    noteReconciled(other, property, others)
                }
            }
        }
    }

    /// Removes a deleted object from relationships without an inverse. It leaves the others by way
    /// of their inverses.
    func takeOutOfRelationshipsWithoutInverse(_ member: ManagedObject) {
        guard member.isMemberWithoutInverse else { return }
        for property in member.binding.relationshipsWithoutInverseLeadingHere {
            for owner in registeredObjects(ofKind: property.declaringEntityIndex) where !owner.flags.contains(.deletePropagated) {
                guard case .toMany(let contents) = owner.slot(property.index), contents.contains(member) else { continue }
                primitiveRemoveMember(owner, property, member)
            }
        }
    }

    /// The owner of a member in a relationship without an inverse.
    func currentOwner(of member: ManagedObject, _ property: Property) throws(PinviewError) -> ManagedObject? {
        if member.isMemberWithoutInverse {
            for owner in registeredObjects(ofKind: property.declaringEntityIndex) {
                guard case .toMany(let contents) = owner.slot(property.index), !owner.flags.contains(.deleted) else { continue }
                if contents.contains(member) { return owner }
            }
        }
        guard let reference = try committedOwner(of: member.key, member.entity, property) else { return nil }
        let owner = try object(for: reference.key, entityIndex: reference.entityIndex)
        switch owner.slot(property.index) {
        case .toMany(let contents) where contents.isLoaded || contents.isRemoved(member): return nil
        case .noMembers: return nil
        default: return owner.flags.contains(.deleted) ? nil : owner
        }
    }

    /// The owner of a member one store up.
    private func committedOwner(of key: ObjectKey, _ entity: Entity, _ property: Property) throws(PinviewError) -> ObjectReference? {
        if let parent {
            try parent.enterForChild()
            defer { parent.leave() }
            let own = PermanentKeys.shared.permanentKey(for: key)
            if own.isTemporary, try !parent.knowsUnsaved(own) { return nil }
            return try parent.currentOwner(of: try parent.object(for: own, entityIndex: entity.index), property)
                .map { ObjectReference(key: $0.key, entityIndex: $0.entity.index) }
        }
        guard !key.isTemporary else { return nil }
        let member = Reference(entityIndex: Int32(entity.index), isTemporary: false, primaryKey: key.primaryKey)
        let owner = try rereading { () throws(PinviewError) -> Reference? in
            guard let (store, generation) = try source(of: key, in: try beginRead()) else { return nil }
            return try store.owner(of: member, relationship: property, at: generation)
        }
        guard let owner else { return nil }
        return try objectReference(owner, from: binding(entity, storeNumber: key.storeNumber))
    }

    // MARK: Sets that are outdated

    /// Unloads the members of a relationship, but keeps pending changes.
    func unloadMembers(of owner: ManagedObject, _ property: Property, outdating: Bool = false) {
        // The members of a new object exist nowhere else.
        guard !owner.flags.contains(.inserted) else { return }
        #if DEBUG
            if ContextFault.current == .pendingChangesHideMerges, owner.changed.contains(property.index) { return }
        #endif
        switch owner.slot(property.index) {
        case .noMembers where outdating: break
        case .noMembers: return owner.setSlot(property.index, .unloaded)
        case .toMany: break
        case .unloaded, .value, .toOne: return
        }
        let contents = owner.toManyContents(property)
        contents.unload()
        contents.outdatesMembers = outdating
    }

    /// Unloads a relationship of all owners of an entity and its sub-entities.
    func unloadMembers(of property: Property, ownersOfKind entityIndex: Int) {
        for owner in registeredObjects(ofKind: entityIndex) where owner.hasSlots {
            unloadMembers(of: owner, property)
        }
    }

    /// Unloads all relationships that may lead to objects of some hierarchies, given by
    /// `Entity.rootIndex`.
    func unloadMembers(leadingTo roots: Set<Int>) {
        guard let entities = model?.entities, !roots.isEmpty else { return }
        for object in registry.objects where object.hasSlots {
            for index in object.binding.toManyIndexes {
                guard let property = object.property(atIndex: index), roots.contains(entities[property.destinationIndex].rootIndex) else {
                    continue
                }
                unloadMembers(of: object, property)
            }
        }
    }

    // MARK: Objects that lose their changes, or go

    /// Drops the other sides of an object's pending relationship changes, which the object itself
    /// drops.
    func forgetInverses(of object: ManagedObject, _ keys: [ForeignKey]) {
        for key in keys {
            if key.inverse.isToMany {
                for ownerKey in Set([key.committed, key.current].compactMap { $0 }) {
                    guard let owner = registry.object(ownerKey), case .toMany(let contents) = owner.slot(key.inverse.index) else {
                        continue
                    }
                    contents.reconcile(object, isCommitted: key.committed == ownerKey, isMember: key.committed == ownerKey)
                    noteReconciled(owner, key.inverse, contents)
                }
            } else if object.changed.contains(key.property.index) {
                // One-to-one: both partners revert.
                for partnerKey in Set([key.committed, key.current].compactMap { $0 }) {
                    guard let partner = registry.object(partnerKey), partner !== object, partner.changed.contains(key.inverse.index) else {
                        continue
                    }
                    partner.setSlot(key.inverse.index, partner.flags.contains(.inserted) ? .toOne(nil) : .unloaded)
                    partner.setChanged(key.inverse.index, false)
                    noteChange(of: partner)
                }
            }
        }
        for index in object.binding.toManyIndexes where object.changed.contains(index) {
            guard let property = object.property(atIndex: index), let inverse = inverse(of: property), inverse.isToMany,
                case .toMany(let contents) = object.slot(index)
            else { continue }
            for (members, isCommitted) in [(contents.inserted, false), (contents.removed, true)] {
                for member in members where member !== object {
                    reconcile(object, inverse, of: member, isCommitted: isCommitted, isMember: isCommitted)
                }
            }
        }
    }

    /// Removes references to objects that others have deleted.
    func detach(_ objects: [ManagedObject]) {
        for object in objects { detachFromPartners(object) }
        guard !objects.isEmpty else { return }
        // Objects read at other states may refer to one that does not know them. A context that has
        // read one state only may learn of others by this very merge.
        let gone = Dictionary(objects.map { ($0.key, $0) }) { first, _ in first }
        for other in registry.objects where other.flags.isDisjoint(with: [.fault, .deleted, .invalidated, .inaccessible]) {
            for key in foreignKeys(of: other) {
                if let current = key.current, let object = gone[current] { dropDestination(object, of: other, key.property) }
            }
            for index in other.binding.toManyIndexes {
                guard let property = other.property(atIndex: index), case .toMany(let contents) = other.slot(index) else { continue }
                for member in contents.members + contents.inserted + contents.removed where gone[member.key] === member {
                    reconcile(member, property, of: other, isCommitted: false, isMember: false)
                }
            }
        }
    }

    private func detachFromPartners(_ object: ManagedObject) {
        for key in foreignKeys(of: object) {
            for ownerKey in Set([key.committed, key.current].compactMap { $0 }) {
                guard let owner = registry.object(ownerKey) else { continue }
                if key.inverse.isToMany {
                    reconcile(object, key.inverse, of: owner, isCommitted: false, isMember: false)
                } else {
                    dropDestination(object, of: owner, key.inverse)
                }
            }
        }
        for index in object.binding.toManyIndexes {
            guard let property = object.property(atIndex: index), let inverse = inverse(of: property),
                case .toMany(let contents) = object.slot(index)
            else { continue }
            for member in contents.members + contents.inserted + contents.removed where member !== object {
                if inverse.isToMany {
                    reconcile(object, inverse, of: member, isCommitted: false, isMember: false)
                } else {
                    dropDestination(object, of: member, inverse)
                }
            }
        }
    }

    private func dropDestination(_ object: ManagedObject, of owner: ManagedObject, _ property: Property) {
        guard owner !== object, owner.flags.isDisjoint(with: [.fault, .deleted, .invalidated, .inaccessible]) else { return }
        guard owner.changed.contains(property.index) else {
            // Its row was read before the other object was deleted.
            if let inverse = inverse(of: property), foreignKey(of: owner, property, inverse).current == object.key {
                outdate(owner, property, shows: nil)
            }
            return
        }
        guard case .toOne(let destination) = owner.slot(property.index), destination === object else { return }
        owner.setSlot(property.index, .toOne(nil))
        owner.setChanged(property.index, (try? committedReference(of: owner, property)) != nil)
        noteChange(of: owner)
    }

    /// Drops pending references to an object that turned out to be gone. What rows say about it
    /// stays as read.
    func dropPendingReferences(to object: ManagedObject) {
        for owner in pending.inserted.list + pending.updated.list {
            for property in owner.entity.relationships {
                switch owner.slot(property.index) {
                case .toOne(let destination) where destination === object && owner.changed.contains(property.index):
                    owner.setSlot(property.index, .toOne(nil))
                    let isCommitted = (try? committedReference(of: owner, property)) != nil
                    owner.setChanged(property.index, isCommitted || isTakenFromOthers(owner, property))
                    noteChange(of: owner)
                case .toMany(let contents) where contents.isInserted(object):
                    contents.reconcile(object, isCommitted: false, isMember: false)
                    noteReconciled(owner, property, contents)
                case .unloaded, .value, .toOne, .toMany, .noMembers: break
                }
            }
        }
    }

    /// Whether a relationship to many of another object has lost an object by a change made here. It may have had it
    /// in a newer state than the one in which the object itself was read.
    private func isTakenFromOthers(_ object: ManagedObject, _ property: Property) -> Bool {
        guard let inverse = inverse(of: property), inverse.isToMany else { return false }
        return registeredObjects(ofKind: property.destinationIndex).contains { former in
            if case .toMany(let contents) = former.slot(inverse.index) { contents.isRemoved(object) } else { false }
        }
    }

    // MARK: Objects that come back

    /// Reconciles objects that became new again. Their own to-one relationships count; for the
    /// others, the other sides do.
    func reconcileReinserted() throws(PinviewError) {
        let objects = pending.reinsertedObjects
        pending.reinsertedObjects = []
        #if DEBUG
            if ContextFault.current == .reinsertedObjectsOneSided { return }
        #endif
        for object in objects where object.flags.contains(.inserted) {
            for property in object.entity.relationships {
                guard let inverse = inverse(of: property) else { continue }
                if property.isToMany {
                    try reconcileMembers(ofReinserted: object, property, inverse)
                } else {
                    try reconcileDestination(ofReinserted: object, property, inverse)
                    if !inverse.isToMany { try releasePartners(ofReinserted: object, property, inverse) }
                }
            }
        }
    }

    /// Takes a one-to-one partner from objects that others had related to the row while it was being
    /// deleted. They read it before it came back, so they show the object that is a new one by now.
    private func releasePartners(ofReinserted object: ManagedObject, _ property: Property, _ inverse: Property) throws(PinviewError) {
        let destination = try toOne(object, property)
        for partner in registeredObjects(ofKind: property.destinationIndex) where partner !== destination && isRelatable(partner) {
            guard case .toOne(let back?) = partner.slot(inverse.index), back === object else { continue }
            try primitiveSetToOne(partner, inverse, old: object, new: nil)
        }
    }

    private func reconcileDestination(ofReinserted object: ManagedObject, _ property: Property, _ inverse: Property) throws(PinviewError) {
        guard let destination = try toOne(object, property) else { return }
        guard isRelatable(destination) else { return try primitiveSetToOne(object, property, old: destination, new: nil) }
        if inverse.isToMany { return try primitiveInsertMember(destination, inverse, object, at: .last) }
        let back = try toOne(destination, inverse)
        if back === object { return }
        if back == nil {
            try primitiveSetToOne(destination, inverse, old: nil, new: object)
        } else {
            try primitiveSetToOne(object, property, old: destination, new: nil)
        }
    }

    private func reconcileMembers(ofReinserted object: ManagedObject, _ property: Property, _ inverse: Property) throws(PinviewError) {
        for member in try toMany(object, property).members where member !== object {
            var leadsBack = isRelatable(member)
            if leadsBack {
                leadsBack = inverse.isToMany ? try toMany(member, inverse).contains(object) : try toOne(member, inverse) === object
            }
            if !leadsBack {
                primitiveRemoveMember(object, property, member)
            } else if !inverse.isToMany {
                try renewDestination(of: member, inverse, object)
            }
        }
        // A fault may have loaded its members.
        for member in registeredObjects(ofKind: property.destinationIndex) where isRelatable(member) {
            let leadsHere: Bool
            switch member.slot(inverse.index) {
            case .toOne(let destination): leadsHere = destination === object
            case .toMany(let contents): leadsHere = contents.contains(object)
            case .unloaded, .value, .noMembers: leadsHere = false
            }
            if leadsHere {
                try primitiveInsertMember(object, property, member, at: .last)
                if !inverse.isToMany { try renewDestination(of: member, inverse, object) }
            }
        }
    }

    /// Updates a member whose row still names the row that the object had before.
    private func renewDestination(of member: ManagedObject, _ property: Property, _ object: ManagedObject) throws(PinviewError) {
        if !member.changed.contains(property.index) { try primitiveSetToOne(member, property, old: object, new: object) }
    }

    /// Drops destinations that an undo restored but that have been deleted meanwhile.
    func dropGoneDestinations(_ actions: [UndoAction]) throws(PinviewError) {
        for action in actions {
            switch action {
            case .toOne(let object, let property, _, _) where isRelatable(object):
                guard case .toOne(let destination?) = object.slot(property.index), !isRelatable(destination) else { continue }
                if isLeftRelated(destination, by: property) { continue }
                // What the row says is no change, even if it leads nowhere by now.
                if destination.flags.contains(.inaccessible), !object.changed.contains(property.index) { continue }
                try primitiveSetToOne(object, property, old: destination, new: nil)
            case .removedMember(let owner, let property, let member, _): try dropGoneMember(member, of: owner, property)
            case .deferredRemovals(let lost):
                for (owner, property, member) in try lost.changes(in: self) { try dropGoneMember(member, of: owner, property) }
            default: continue
            }
        }
    }

    private func dropGoneMember(_ member: ManagedObject, of owner: ManagedObject, _ property: Property) throws(PinviewError) {
        guard isRelatable(owner), case .toMany(let contents) = owner.slot(property.index), contents.contains(member) else { return }
        let isElsewhere = try leadsElsewhere(member, property, owner)
        if isElsewhere || !isRelatable(member) && !isLeftRelated(member, by: property) { primitiveRemoveMember(owner, property, member) }
    }

    /// Whether others have given a member to another owner since it was removed.
    private func leadsElsewhere(_ member: ManagedObject, _ property: Property, _ owner: ManagedObject) throws(PinviewError) -> Bool {
        guard mayBeMixed, let inverse = inverse(of: property), !inverse.isToMany, !member.flags.contains(.fault) else { return false }
        return try toOne(member, inverse) !== owner
    }

    /// Removes objects from everything related to them since their insertion, which had been saved,
    /// was undone.
    func detachUninserted(_ objects: [ManagedObject]) throws(PinviewError) {
        for object in objects where object.flags.contains(.deleted) && !object.flags.contains(.inaccessible) {
            for property in object.entity.relationships {
                if property.isToMany {
                    for destination in try toMany(object, property).members where destination !== object {
                        try nullifyInverse(of: property, at: destination, from: object)
                    }
                } else if let destination = try toOne(object, property), destination !== object {
                    try nullifyInverse(of: property, at: destination, from: object)
                }
            }
            object.flags.insert(.deletePropagated)
        }
    }

    /// Whether a pending deletion leaves related objects untouched.
    private func isLeftRelated(_ object: ManagedObject, by property: Property) -> Bool {
        guard !object.flags.contains(.inaccessible), pending.deleted[ObjectIdentifier(object)] === object,
            let rule = inverse(of: property)?.deleteRule
        else { return false }
        return !rule.changesDestinations
    }

    private func isRelatable(_ object: ManagedObject) -> Bool {
        registry.contains(object) && object.flags.isDisjoint(with: [.deleted, .invalidated, .inaccessible])
    }

    // MARK: After a save

    /// Makes saved objects without further changes show what the stores have (ONE-04).
    func reconcileSaved(_ objects: some Sequence<ManagedObject>) {
        guard mayBeMixed else { return }
        for object in objects where object.flags.isDisjoint(with: [.updated, .inserted, .deleted, .invalidated]) {
            for index in object.binding.toManyIndexes {
                guard let property = object.property(atIndex: index), !property.isTransient else { continue }
                if isForeignKey(property) { outdateMembers(of: object, property) }
                unloadBothSides(of: object, property)
            }
        }
    }

    /// Unloads both sides of a relationship, since either would determine the members.
    func unloadBothSides(of object: ManagedObject, _ property: Property) {
        unloadMembers(of: object, property, outdating: true)
        if let inverse = inverse(of: property) {
            if inverse.isToMany { unloadMembers(of: inverse, ownersOfKind: property.destinationIndex) }
        } else {
            unloadMembers(of: property, ownersOfKind: property.declaringEntityIndex)
        }
    }

    func unloadRelationships(of object: ManagedObject) {
        for index in object.binding.toManyIndexes {
            if let property = object.property(atIndex: index), !property.isTransient { unloadBothSides(of: object, property) }
        }
    }

    /// Turns realised, unchanged objects into faults if they are members in the store but not here,
    /// or the other way round.
    private func outdateMembers(of owner: ManagedObject, _ property: Property) {
        switch owner.slot(property.index) {
        case .toMany, .noMembers: break
        case .unloaded, .value, .toOne: return
        }
        guard let inverse = inverse(of: property), let references = try? newestMembers(of: owner, property) else { return }
        let members = Set(references.map(\.key)), ownKey = owner.key
        for member in registeredObjects(ofKind: property.destinationIndex)
        where member.flags.isDisjoint(with: [.fault, .updated, .inserted, .deleted, .invalidated]) {
            if (foreignKey(of: member, inverse, property).current == ownKey) != members.contains(member.key) { turnIntoFault(member) }
        }
    }

    /// The current members one store up, read without fixing the context's generation.
    private func newestMembers(of owner: ManagedObject, _ property: Property) throws(PinviewError) -> [ObjectReference]? {
        if let parent { return try parent.providedMembers(for: owner.key, entity: owner.entity, property) }
        guard let store = coordinator?.store(number: owner.key.storeNumber) else { return nil }
        let generation = store.supportsGenerations ? try store.currentGeneration() : nil
        let reference = Reference(entityIndex: Int32(owner.entity.index), isTemporary: false, primaryKey: owner.key.primaryKey)
        var members: [ObjectReference] = []
        for member in try store.destinations(of: reference, relationship: property, at: generation) {
            members.append(try objectReference(member, from: owner.binding))
        }
        return members
    }
}
