import PinviewModel

/// Deleted objects whose owners are no objects of the context yet: that these lose a member is a
/// change that nobody can see.
///
/// It is worked into the graph when somebody looks, which makes objects of the owners; a save that
/// nobody watches does without.
final class DeferredInverseRemovals {
    typealias Change = (owner: ManagedObject, relationship: Property, member: ManagedObject)

    let members: [ManagedObject]
    /// Whether the event that they are part of has ended.
    var isOfEndedEvent = false
    private var changes: [Change]?

    init(_ members: [ManagedObject]) { self.members = members }

    /// What the owners lose, in the order of the deletions; made objects of at the first call.
    func changes(in state: ContextState) throws(PinviewError) -> [Change] {
        if let changes { return changes }
        var found: [Change] = []
        for member in members {
            for property in member.entity.relationships where property.deleteRule == .nullify && !property.isToMany {
                guard let index = property.inverseIndex, let owner = try state.toOne(member, property),
                    let inverse = owner.property(atIndex: index)
                else { continue }
                found.append((owner, inverse, member))
            }
        }
        changes = found
        return found
    }
}

extension ContextState {
    /// Whether delete rules may leave owners alone that are no objects of the context.
    var canDeferInverseRemovals: Bool {
        hookTable == nil && !hasParent && !retainsObjects && coordinator?.persistentStores.count == 1
    }

    /// Whether all that the rules of an object's deletion do is to take it out of relationships of
    /// which this context has no object: nothing of those is written, as the reference is in the
    /// object's own row.
    func canDeferInverseRemovals(_ object: ManagedObject) -> Bool {
        guard let row = object.rowWithoutExtras, !object.isMemberWithoutInverse else { return false }
        return object.unmanagedBinding._withUnsafeGuaranteedRef { binding in
            guard let relationships = binding.relationshipsOfUnnoticedOwners else { return false }
            return row.block._withUnsafeGuaranteedRef { block in
                for index in relationships {
                    if let key = binding.reference(index, of: block, row: row.number), isKnownDestination(key, index, binding) {
                        return false
                    }
                }
                return true
            }
        }
    }

    private func isKnownDestination(_ primaryKey: Int64, _ relationship: Int, _ binding: EntityBinding) -> Bool {
        identityLock.lock()
        defer { identityLock.unlock() }
        return binding.destinations(relationship, identities)?._withUnsafeGuaranteedRef { $0.mayHaveObject(primaryKey) } ?? true
    }

    func deferInverseRemovals(_ members: [ManagedObject]) {
        guard !members.isEmpty else { return }
        let lost = DeferredInverseRemovals(members)
        deferredRemovals.append(lost)
        hasDeferredRemovals = true
        record(.deferredRemovals(lost))
    }

    func discardDeferredRemovals() {
        if !hasDeferredRemovals { return }
        hasDeferredRemovals = false
        deferredRemovals = []
    }

    /// The event of the lost members has ended, and nobody was told.
    func endEventOfDeferredRemovals() {
        if hasDeferredRemovals { for lost in deferredRemovals { lost.isOfEndedEvent = true } }
    }

    /// Somebody looks: the owners of lost members become objects with changes.
    @inline(never)
    func applyDeferredRemovals() {
        let all = deferredRemovals
        discardDeferredRemovals()
        queue.change {
            for lost in all {
                // A reference that the model cannot explain leads to no owner; whoever reads it is
                // told.
                for (owner, relationship, member) in (try? lost.changes(in: self)) ?? [] {
                    if owner.flags.contains(.inaccessible) { continue }
                    let isOfThisEvent = owner.isNotedAsUpdated || !lost.isOfEndedEvent
                    takeOut(member, of: owner, relationship, owner.toManyContents(relationship))
                    if !isOfThisEvent { event.forgetUpdated(owner) }
                }
            }
        }
    }

    /// Whether anybody is to be told which objects a save covers.
    var savesAreWatched: Bool {
        NotificationCenter.default.hasObservers(for: .didSave, state: self) || !automaticReceivers.isEmpty
    }
}
