import PinviewModel
import PinviewStore

/// Keeps both sides of each relationship consistent when one side changes without the program's
/// doing (ONE-02).
///
/// The program's own changes go through `setToOne`, `insertMember` and `removeMember`, which change
/// both sides. Everything else that gives an object new values (a merge, a refresh, firing a fault,
/// a save under a merge policy) changes one side first:
///
///     one-to-many    The to-one side decides, as it is the one that has a column and a version.
///                    Each object with values tells the sets that it left and joined, if they are
///                    loaded or have pending changes. What a set shows of faults is what the store
///                    said when it was loaded.
///     many-to-many   The side that was loaded first decides, until it is refreshed; that unloads
///                    the other sides.
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
        pin.isMixed = ranks.isEmpty || ranks.contains { read in pin.knownRanks[read.store].map { $0.rank != read.rank } ?? false }
        for read in ranks { pin.knownRanks.note(read.rank, ofStore: read.store) }
    }

    /// Notes a row that an unpinned context takes from the row cache.
    @inline(__always)
    func noteCached(_ row: RowSnapshot, ofStore number: Int32) {
        if !pin.isMixed, pin.acceptedRank != (number, row.block.rank) { noteCached(row.block.rank, ofStore: number) }
    }

    @inline(never)
    private func noteCached(_ rank: UInt64, ofStore number: Int32) {
        if let known = pin.knownRanks[number] {
            guard known.sinceOthers <= rank, rank <= known.rank else { return pin.isMixed = true }
        } else {
            guard rank != 0 else { return pin.isMixed = true }
            pin.knownRanks.note(rank, ofStore: number)
        }
        pin.acceptedRank = (number, rank)
    }

    /// Starts anew once nothing read before is shown any more.
    func forgetStates() {
        (pin.isMixed, pin.knownSerial, pin.knownRanks, pin.acceptedRank) = (false, 0, KnownRanks(), (0, 0))
        references = nil
    }

    /// Called while the writers are locked: what others have committed was committed before this
    /// save.
    ///
    /// - Parameter store: the coordinator's only store; nil if it has several.
    func noteStateBeforeWriting(to store: (any IncrementalStore)?, _ coordinator: PersistentStoreCoordinator) {
        // New objects alone cannot be outdated; objects that were read can.
        let hasRead = !pin.knownRanks.isEmpty || !pending.updated.isEmpty || !pending.deleted.isEmpty
        guard !pin.isMixed, hasRead else { return }
        // Usually nobody has committed since this context read or saved.
        if let store, let known = pin.knownRanks[store.number], store.rankOfNewest == known.rank { return }
        do { noteState(try coordinator.currentGenerationSet()) } catch { pin.isMixed = true }
    }

    /// Notes the generation right after a save to a store.
    func noteSaved(toStore number: Int32, rank: UInt64) {
        pin.knownSerial = 0
        pin.knownRanks.note(rank, ofStore: number)
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

    @inline(never)
    func foreignKey(of object: ManagedObject, _ property: Property, _ inverse: Property) -> ForeignKey {
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

    func reconcile(_ member: ManagedObject, _ inverse: Property, of key: ObjectKey, isCommitted: Bool, isMember: Bool) {
        guard let owner = registry.object(key) else { return }
        reconcile(member, inverse, of: owner, isCommitted: isCommitted, isMember: isMember)
    }

    func reconcile(_ member: ManagedObject, _ inverse: Property, of owner: ManagedObject, isCommitted: Bool, isMember: Bool) {
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
        noteOwner(owner, property)
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
        noteReferences(of: object)
        // Only registered objects can say anything else.
        for (property, inverse) in toOneWithRegisteredInverse(of: object) {
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
            for owner in owners(ofMembersBy: inverse) where owner.key != key.current {
                if case .toMany(let contents) = owner.slot(inverse.index), contents.isLoaded, contents.contains(object) {
                    reconcile(object, inverse, of: owner, isCommitted: key.committed == owner.key, isMember: false)
                }
            }
        }
    }

    /// Drops an object's destination if others related the two and the destination's deletion has
    /// been propagated here: then it takes no further part in this context's graph.
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
            // A deletion that has not been propagated finds its partner through the destination's
            // reference.
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
        for partner in objects(leadingTo: object.key, by: key.inverse)
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
    func outdate(_ object: ManagedObject, _ property: Property, shows partner: ManagedObject?) {
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

    /// Reads the partners of changed one-to-one relationships that are faults, so that the save
    /// writes both sides: in the file, they may belong to another object by now, and the change
    /// made here wins.
    func readPartnersOfUpdated() throws(PinviewError) {
        guard mayBeMixed else { return }
        for object in pending.updated.list where object.flags.isDisjoint(with: [.deleted, .invalidated]) {
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

    // MARK: After a save

    /// Makes saved objects without further changes show what the stores have (ONE-04).
    func reconcileSaved(_ objects: some Sequence<ManagedObject>) {
        guard mayBeMixed else { return }
        let saved = objects.filter { $0.flags.isDisjoint(with: [.updated, .inserted, .deleted, .invalidated]) }
        for (property, owners) in loadedRelationships(of: saved) where isForeignKey(property) { outdateMembers(of: owners, property) }
        var unloaded: Set<ObjectIdentifier> = []
        for object in saved { unloadRelationships(of: object) { !unloaded.insert(ObjectIdentifier($0)).inserted } }
    }

    /// The to-many relationships of objects that have anything in memory for them, each with these
    /// objects.
    private func loadedRelationships(of objects: [ManagedObject]) -> [(property: Property, owners: [ManagedObject])] {
        var places: [ObjectIdentifier: Int] = [:]
        var loaded: [(property: Property, owners: [ManagedObject])] = []
        for object in objects {
            for index in object.unmanagedBinding._withUnsafeGuaranteedRef({ $0.toManyIndexes }) {
                switch object.slot(index) {
                case .toMany, .noMembers: break
                case .unloaded, .value, .toOne: continue
                }
                guard let property = object.property(atIndex: index), !property.isTransient else { continue }
                if let place = places[ObjectIdentifier(property)] {
                    loaded[place].owners.append(object)
                } else {
                    places[ObjectIdentifier(property)] = loaded.count
                    loaded.append((property, [object]))
                }
            }
        }
        return loaded
    }

    /// Unloads the relationships of an object on both sides, since either would determine the members.
    ///
    /// - Parameter isKnown: whether the other side of a relationship has been unloaded already, as for
    ///   another object.
    func unloadRelationships(of object: ManagedObject, unless isKnown: (Property) -> Bool = { _ in false }) {
        for index in object.unmanagedBinding._withUnsafeGuaranteedRef({ $0.toManyIndexes }) {
            guard let property = object.property(atIndex: index), !property.isTransient else { continue }
            unloadMembers(of: object, property, outdating: true)
            if isKnown(property) { continue }
            if let inverse = inverse(of: property) {
                if inverse.isToMany { unloadMembers(of: inverse, ownersOfKind: property.destinationIndex) }
            } else {
                unloadMembers(of: property, ownersOfKind: property.declaringEntityIndex)
            }
        }
    }

    /// Turns realised, unchanged objects into faults if they are members of one of the owners in the
    /// store but not here, or the other way round.
    private func outdateMembers(of owners: [ManagedObject], _ property: Property) {
        guard let inverse = inverse(of: property) else { return }
        var ownKeys: Set<ObjectKey> = []
        var stored: [ObjectKey: ObjectKey] = [:]
        for owner in owners {
            guard let references = try? newestMembers(of: owner, property) else { continue }
            ownKeys.insert(owner.key)
            for reference in references { stored[reference.key] = owner.key }
        }
        var concerned = Set(stored.keys.compactMap { registry.object($0) })
        for key in ownKeys { concerned.formUnion(objects(leadingTo: key, by: inverse)) }
        for member in concerned
        where member.flags.isDisjoint(with: [.fault, .updated, .inserted, .deleted, .invalidated]) {
            let current = foreignKey(of: member, inverse, property).current
            if current.flatMap({ ownKeys.contains($0) ? $0 : nil }) != stored[member.key] { turnIntoFault(member) }
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
