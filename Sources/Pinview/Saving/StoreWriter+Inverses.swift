import PinviewModel
import PinviewStore

/// Keeps both sides of relationships consistent in the file, whatever others have written since the
/// context read (ONE-02).
///
/// A merge policy decides row by row. Its result is compared with the file, inside the save's
/// transaction:
///
///     one-to-one     A reference counts if the other row returns it; otherwise it is emptied.
///     destination    A reference that the save writes to a row that others deleted is emptied.
///     deletion       References that others made to a deleted row are emptied, unless the delete
///                    rule is no action.
///
/// Rows changed this way get a new version and a change in the history, and are among the save's
/// updated objects. If a context has read everything at the newest state, there is nothing to do,
/// since what it writes is consistent with the file.
extension StoreWriter {
    /// Whether the file may differ from what this context has read.
    var isOutdated: Bool { state.mayBeMixed || !rewritten.isEmpty || outcome.furtherIfAny?.vanished.isEmpty == false }

    // MARK: Partners

    /// One-to-one relationships of an object that changed on the other side only, since the two
    /// rows were read at different states.
    func impliedChanges(of object: ManagedObject) -> [Property] {
        object.binding.toOneWithInverse.compactMap { property, inverse in
            guard !inverse.isToMany, !object.changed.contains(property.index), case .toOne(let partner?) = object.slot(property.index),
                partner.flags.contains(.inserted) || partner.changed.contains(inverse.index)
            else { return nil }
            return property
        }
    }

    /// Makes the policy resolve what others did to unchanged partners of changed objects: one side
    /// of a one-to-one relationship is never written alone.
    func checkPartners() throws(PinviewError) {
        guard isOutdated else { return }
        for object in part.written {
            for (property, inverse) in object.binding.toOneWithInverse
            where !inverse.isToMany && (object.changed.contains(property.index) || object.flags.contains(.inserted)) {
                guard case .toOne(let partner?) = object.slot(property.index), partner !== object,
                    partner.flags.isDisjoint(with: [.inserted, .updated, .deleted, .invalidated, .inaccessible]),
                    case .stored(let row) = partner.committed,
                    let current = try transaction.currentRow(entity: partner.entity, primaryKey: partner.key.primaryKey),
                    current.version != row.version, try current.reference(of: inverse)?.primaryKey != reference(to: object).primaryKey
                else { continue }
                outcome.further.partners.append(partner)
                try resolve(Dispute(object: partner, current: current, change: .update(row, [inverse])), by: policy)
            }
        }
    }

    // MARK: The file

    /// - Parameter inAllRelationships: whether unchanged relationships may have been written too.
    func reconcileInverses(inAllRelationships: Bool) throws(PinviewError) {
        guard isOutdated else { return }
        var written: [(property: Property, inverse: Property?, keys: Set<Int64>)] = []
        func collect(_ objects: [ManagedObject], inAllRelationships: Bool) throws(PinviewError) {
            for object in objects {
                let isNew = object.flags.contains(.inserted)
                for property in object.entity.relationships where !property.isToMany && !property.isTransient {
                    guard inAllRelationships || object.changed.contains(property.index) || isNew && leads(object, property) else {
                        continue
                    }
                    let key = try reference(to: object).primaryKey
                    if let place = written.firstIndex(where: { $0.property === property }) {
                        written[place].keys.insert(key)
                    } else {
                        written.append((property, state.inverse(of: property), [key]))
                    }
                }
            }
        }
        try collect(part.written, inAllRelationships: inAllRelationships)
        try collect(rewritten, inAllRelationships: true)
        var emptied: Set<Reference> = []
        for (property, inverse, keys) in written {
            if let inverse, !inverse.isToMany { emptied.formUnion(try transaction.clearUnreturned(property, of: keys.sorted())) }
            // The delete rule `noAction` leaves references to rows that are gone.
            if inverse?.deleteRule != .noAction { emptied.formUnion(try transaction.clearDangling(property, of: keys.sorted())) }
        }
        emptied.formUnion(try clearReferencesToRemoved())
        for row in emptied { try noteReconciled(row) }
    }

    private func leads(_ object: ManagedObject, _ property: Property) -> Bool {
        if case .toOne(.some) = object.slot(property.index) { true } else { false }
    }

    private func clearReferencesToRemoved() throws(PinviewError) -> Set<Reference> {
        var emptied: Set<Reference> = []
        for objects in (outcome.furtherIfAny?.removed ?? []).groups({ $0.entity === $1.entity }) {
            let keys = objects.map(\.key.primaryKey).sorted()
            for relationship in objects[0].entity.relationships where relationship.deleteRule != .noAction && !relationship.isTransient {
                guard let inverse = state.inverse(of: relationship), !inverse.isToMany else { continue }
                emptied.formUnion(try transaction.clearReferences(by: inverse, to: keys))
            }
        }
        return emptied
    }

    private func noteReconciled(_ reference: Reference) throws(PinviewError) {
        guard let (key, entity, row) = try currentRow(of: reference) else { return }
        outcome.further.reconciled.append((key, entity.index, row))
        outcome.further.rows.append((key, row))
    }
}
