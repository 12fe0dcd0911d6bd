import PinviewModel

/// Inverses of objects that go, or come back.
extension ContextState {
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
        // A fault has no to-one relationships in memory, but its members may be loaded.
        for other in registry.objects
        where other.hasAnythingLoaded && other.flags.isDisjoint(with: [.deleted, .invalidated, .inaccessible]) {
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

    /// Whether a change made here has removed the object from another object's to-many
    /// relationship, whose members may have been loaded at a newer state than the object.
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

    /// Takes a one-to-one partner away from objects that others related to the row while it was
    /// being deleted. These were read before the object came back, so they refer to an object that
    /// is new by now.
    private func releasePartners(ofReinserted object: ManagedObject, _ property: Property, _ inverse: Property) throws(PinviewError) {
        let destination = try toOne(object, property)
        for partner in registeredObjects(ofKind: property.destinationIndex) where partner !== destination && isRelatable(partner) {
            guard case .toOne(let back?) = partner.slot(inverse.index), back === object else { continue }
            try primitiveSetToOne(partner, inverse, old: object, new: nil)
        }
    }

    @inline(never)
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
    @inline(never)
    private func isLeftRelated(_ object: ManagedObject, by property: Property) -> Bool {
        guard !object.flags.contains(.inaccessible), pending.deleted[ObjectIdentifier(object)] === object,
            let rule = inverse(of: property)?.deleteRule
        else { return false }
        return !rule.changesDestinations
    }

    private func isRelatable(_ object: ManagedObject) -> Bool {
        registry.contains(object) && object.flags.isDisjoint(with: [.deleted, .invalidated, .inaccessible])
    }
}
