import PinviewModel
import PinviewStore

/// Sets of members and their inverses: what a set takes in when it is loaded, and which sets are
/// unloaded because they are outdated.
extension ContextState {
    // MARK: Sets that are loaded

    /// Loads the members of a relationship, and reconciles them with the values of realised
    /// objects.
    func load(
        _ contents: ToManyContents, of owner: ManagedObject, _ property: Property, members base: [ManagedObject]
    ) {
        noteOwner(owner, property)
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
        base.forEachUncounted { judge($0, isInBase: true) }
        if mayBeMixed {
            let isInBase = Set(base)
            for member in objects(leadingTo: ownKey, by: inverse) where !isInBase.contains(member) { judge(member, isInBase: false) }
        }
        contents.load(base)
        for (member, isCommitted, isMember) in reconciled { contents.reconcile(member, isCommitted: isCommitted, isMember: isMember) }
        guard mayBeMixed, !shown.isEmpty else { return }
        for other in owners(ofMembersBy: property) where other !== owner {
            guard case .toMany(let others) = other.slot(property.index), others.isLoaded else { continue }
            for member in shown where others.contains(member) {
                reconcile(member, property, of: other, isCommitted: false, isMember: false)
            }
        }
    }

    /// Reconciles a freshly loaded many-to-many relationship with the other sides that are loaded
    /// or changed. A deletion that has not been propagated must find on this side what the deleted
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
                    // The member has lost a deleted owner by its deletion, and gets it back if that is undone.
                    if !owner.flags.contains(.deleted) { contents.reconcile(member, isCommitted: true, isMember: false) }
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
        for member in owners(ofMembersBy: inverse) where !isInBase.contains(member) && member !== owner {
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
        for other in owners(ofMembersBy: property) where other !== owner {
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
            for owner in owners(ofMembersBy: property) where !owner.flags.contains(.deletePropagated) {
                guard case .toMany(let contents) = owner.slot(property.index), contents.contains(member) else { continue }
                primitiveRemoveMember(owner, property, member)
            }
        }
    }

    /// The owner of a member in a relationship without an inverse.
    func currentOwner(of member: ManagedObject, _ property: Property) throws(PinviewError) -> ManagedObject? {
        if member.isMemberWithoutInverse {
            for owner in owners(ofMembersBy: property) {
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
    @inline(never)
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

    /// Unloads all relationships that may lead to objects of some hierarchies, given by
    /// `Entity.rootIndex`.
    func unloadMembers(leadingTo roots: EntityFlags) {
        guard !roots.isEmpty, let model else { return }
        for property in model.toManyRelationships where roots.contains(model.entities[property.destinationIndex].rootIndex) {
            unloadMembers(of: property, ownersOfKind: property.declaringEntityIndex)
        }
    }
}
