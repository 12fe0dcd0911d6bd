import PinviewModel

/// Deleted objects that have not been removed from their owners' relationships yet, because the
/// context has no objects for the owners: nobody could observe the change.
///
/// The removals are applied when someone reads, which makes objects of the owners. A save that
/// nobody observes skips them.
final class DeferredInverseRemovals {
    typealias Change = (owner: ManagedObject, relationship: Property, member: ManagedObject)

    let members: [ManagedObject]
    /// Whether the event of the deletions has ended.
    var isOfEndedEvent = false
    private var changes: [Change]?

    init(_ members: [ManagedObject]) { self.members = members }

    /// The removals without those of some members; nil if nothing is left.
    func without(_ gone: Set<ManagedObject>) -> DeferredInverseRemovals? {
        let left = members.filter { !gone.contains($0) }
        guard !left.isEmpty else { return nil }
        let rest = DeferredInverseRemovals(left)
        // The owners that they were removed from; by now they may have others.
        rest.changes = changes?.filter { !gone.contains($0.member) }
        return rest
    }

    /// The removals, in the order of the deletions. The first call makes objects of the owners.
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
    /// Whether delete rules may skip owners that are not objects of the context.
    var canDeferInverseRemovals: Bool {
        hookTable == nil && !hasParent && !registry.retainsAll && coordinator?.persistentStores.count == 1
    }

    /// Whether deleting an object only removes it from relationships whose owners are not objects
    /// of this context. Nothing is written for those: the reference is in the deleted object's own
    /// row.
    func canDeferInverseRemovals(_ object: ManagedObject) -> Bool {
        guard let row = object.rowWithoutExtras, !object.isMemberWithoutInverse else { return false }
        return object.unmanagedBinding._withUnsafeGuaranteedRef { binding in
            guard let relationships = binding.relationshipsOfUnnoticedOwners else { return false }
            return row.block._withUnsafeGuaranteedRef { block in
                for index in relationships {
                    if let key = binding.reference(index, of: block, row: row.number), registry.mayHaveDestination(key, index, binding) {
                        return false
                    }
                }
                return true
            }
        }
    }

    func deferInverseRemovals(_ members: [ManagedObject]) {
        guard !members.isEmpty else { return }
        let lost = DeferredInverseRemovals(members)
        pending.deferredRemovals.append(lost)
        pending.hasDeferredRemovals = true
        record(.deferredRemovals(lost))
    }

    func discardDeferredRemovals() {
        if !pending.hasDeferredRemovals { return }
        pending.hasDeferredRemovals = false
        pending.deferredRemovals = []
    }

    /// Marks the event of deferred removals as ended without a notification.
    func endEventOfDeferredRemovals() {
        if pending.hasDeferredRemovals { for lost in pending.deferredRemovals { lost.isOfEndedEvent = true } }
    }

    /// Applies deferred removals because someone reads: the owners become objects with changes.
    @inline(never)
    func applyDeferredRemovals() {
        let all = pending.deferredRemovals
        discardDeferredRemovals()
        queue.change {
            for lost in all {
                // A reference that the model cannot explain leads to no owner; reading it reports
                // the error.
                for (owner, relationship, member) in (try? lost.changes(in: self)) ?? [] {
                    if owner.flags.contains(.inaccessible) { continue }
                    let isOfThisEvent = owner.isNotedAsUpdated || !lost.isOfEndedEvent
                    takeOut(member, of: owner, relationship, owner.toManyContents(relationship))
                    if !isOfThisEvent { pending.event.forgetUpdated(owner) }
                }
            }
        }
    }

    /// Whether anybody observes which objects a save covers.
    var savesAreWatched: Bool {
        PinviewNotificationCenter.default.hasObservers(for: .didSave, state: self) || hasAutomaticReceivers
    }
}
