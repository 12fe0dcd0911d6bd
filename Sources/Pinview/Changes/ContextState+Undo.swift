import PinviewModel

/// Undoing and redoing groups of changes.
extension ContextState {
    func undo() throws(PinviewError) { try takeBack(redoing: false) }
    func redo() throws(PinviewError) { try takeBack(redoing: true) }

    private func takeBack(redoing: Bool) throws(PinviewError) {
        try enter()
        defer { leave() }
        try requireNoSave("An undo or redo")
        if settings.undoManager?.hasExplicitGroup == true {
            throw PinviewError(
                .invalidArgument,
                "Cannot \(redoing ? "redo" : "undo") while an undo group opened by the program is open. End the group first."
            )
        }
        try processPendingChanges()
        guard let manager = settings.undoManager else { return }
        try manager.takeBack(redoing: redoing) { (actions: [UndoAction]) throws(PinviewError) in
            defer { self.pending.reinsertedObjects = [] }
            // A fault that fires must not be compared with half-undone changes.
            for action in actions { try self.loadOrderForReversal(action) }
            for action in actions { try self.readForReversal(action) }
            for action in actions { try self.reverse(action) }
            try self.detachUninserted(
                actions.flatMap { action -> [ManagedObject] in
                    switch action {
                    case .inserted, .insertedRun: action.objects
                    default: []
                    }
                })
            // Others may have related more to an object that is deleted again, so delete rules are
            // applied again too.
            if self.settings.propagatesDeletesAtEndOfEvent { try self.propagateDeletes() }
            try self.reconcileReinserted()
            self.reconcileManyToMany(actions)
            self.reconcileUndeleted(actions)
            try self.dropGoneDestinations(actions)
            self.detachGone(actions)
        }
        postObjectsDidChange()
    }

    /// Reverses one recorded change. Both sides of a relationship were recorded, so inverses are
    /// left alone.
    func reverse(_ action: UndoAction) throws(PinviewError) {
        switch action {
        case .attribute(let object, let property, let old, let new):
            try prepareForReversal(object)
            primitiveSetAttribute(object, property.takeUnretainedValue(), old: new, new: old)
        case .toOne(let object, let property, let old, let new):
            try prepareForReversal(object)
            let current = try toOne(object, property)
            try primitiveSetToOne(object, property, old: current, new: old)
            // A merge may have brought another destination since.
            if current !== new, current !== old, let current { try leave(current, property, object) }
        case .insertedMember(let owner, let property, let member):
            // A redo must find the position again, even if the removal has been saved by then.
            if property.isOrdered { _ = try toMany(owner, property) }
            primitiveRemoveMember(owner, property, member, isReversal: true)
        case .removedMember(let owner, let property, let member, let place):
            // The order may have been unloaded since.
            if property.isOrdered { _ = try toMany(owner, property) }
            try primitiveInsertMember(owner, property, member, at: place, isReversal: true)
        case .movedMember(let owner, let property, let member, let from, let to):
            _ = try toMany(owner, property)
            primitiveMoveMember(owner, property, member, from: to, to: from)
        case .reorderedMembers(let owner, let property, let from):
            _ = try toMany(owner, property)
            primitiveReorderMembers(owner, property, from)
        case .inserted(let object): try reverseInsertion(object)
        case .insertedRun(let run): for object in run.objects.reversed() { try reverseInsertion(object) }
        case .uninserted(let object):
            primitiveInsert(object)
        case .deleted(let object): try reverseDeletion(object)
        case .deletedRun(let run): for object in run.objects.reversed() { try reverseDeletion(object) }
        case .undeleted(let object):
            try deleteUnlessGone(object)
            if object.flags.intersection([.deleted, .deletePropagated]) == .deleted { pending.unpropagatedDeletions.insert(object) }
        case .deferredRemovals(let lost):
            for (owner, relationship, member) in try lost.changes(in: self).reversed() {
                try primitiveInsertMember(owner, relationship, member, at: .last)
            }
        }
    }

    private func reverseInsertion(_ object: ManagedObject) throws(PinviewError) {
        // If the object was saved meanwhile, undoing the insertion deletes the stored object.
        if object.flags.contains(.inserted) { primitiveUninsert(object) } else { try deleteUnlessGone(object) }
    }

    private func reverseDeletion(_ object: ManagedObject) throws(PinviewError) {
        // Others have deleted it too.
        if pending.mergedDeletions.contains(object) { return }
        if pending.deleted[ObjectIdentifier(object)] != nil {
            primitiveUndelete(object)
        } else if object.flags.contains(.deleted) {
            // If the deletion was saved meanwhile, the row is gone, so the object becomes a new
            // one.
            try primitiveReinsert(object)
        }
    }

    /// Deletes an object, unless others have deleted it and the deletion has been merged since:
    /// then there is no row to delete.
    private func deleteUnlessGone(_ object: ManagedObject) throws(PinviewError) {
        guard registry.object(object.key) === object else { return }
        // Its values are needed if the deletion is undone after it has been saved.
        if object.flags.contains(.fault) { try fire(object) }
        if !object.flags.contains(.deleted) { primitiveDelete(object) }
    }

    /// Reconciles objects whose deletion was undone: others may have related them differently
    /// meanwhile.
    private func reconcileUndeleted(_ actions: [UndoAction]) {
        var owners: [ManagedObject] = []
        for action in actions {
            switch action {
            case .deleted, .deletedRun:
                guard mayBeMixed else { continue }
                for object in action.objects where object.flags.isDisjoint(with: [.inserted, .deleted]) {
                    reconcileInverses(of: object, before: [])
                    owners.append(object)
                }
            case .toOne(let object, let property, _, _):
                // A merge may have removed it from a relationship of a deleted owner.
                reconcileMembership(of: object, by: property)
            default: break
            }
        }
        reconcileMembers(of: owners)
    }

    /// Makes both sides of a many-to-many relationship agree on what a reversal changes.
    ///
    /// Others may have added the same member meanwhile, and one side was loaded after that and the
    /// other not. Then undoing the addition removes a stored member on one side and changes nothing
    /// on the other. The same happens when a removal is undone.
    private func reconcileManyToMany(_ actions: [UndoAction]) {
        guard mayBeMixed else { return }
        for action in actions {
            switch action {
            case .insertedMember(let owner, let property, let member), .removedMember(let owner, let property, let member, _):
                guard let inverse = inverse(of: property), inverse.isToMany,
                    [owner, member].allSatisfy({
                        registry.contains($0) && $0.flags.isDisjoint(with: [.deleted, .inaccessible, .invalidated])
                    })
                else { continue }
                let own = owner.toManyContents(property), other = member.toManyContents(inverse)
                if own.isLoaded || own.isInserted(member) || own.isRemoved(member) { continue }
                let isMember = other.isInserted(owner)
                guard isMember || other.isRemoved(owner) else { continue }
                own.reconcile(member, isCommitted: !isMember, isMember: isMember)
                noteReconciled(owner, property, own)
            default: break
            }
        }
    }

    /// Removes what others have deleted meanwhile, and therefore stays deleted, from owners that
    /// came back with their members.
    private func detachGone(_ actions: [UndoAction]) {
        guard !pending.mergedDeletions.isEmpty else { return }
        var gone: [ManagedObject] = []
        for action in actions {
            switch action {
            case .deleted, .deletedRun: gone += action.objects.filter { pending.mergedDeletions.contains($0) }
            default: break
            }
        }
        detach(gone)
    }

    /// Loads the order that a reversal needs to find positions. Loading reconciles members with
    /// their own sides.
    private func loadOrderForReversal(_ action: UndoAction) throws(PinviewError) {
        guard mayBeMixed else { return }
        switch action {
        case .insertedMember(let owner, let property, _), .removedMember(let owner, let property, _, _),
            .movedMember(let owner, let property, _, _, _), .reorderedMembers(let owner, let property, _):
            if property.isOrdered, !owner.flags.contains(.deleted), registry.contains(owner) { _ = try toMany(owner, property) }
        default: break
        }
    }

    private func readForReversal(_ action: UndoAction) throws(PinviewError) {
        switch action {
        case .attribute(let object, _, _, _): try prepareForReversal(object)
        case .toOne(let object, let property, let old, let new):
            for object in [object, old, new].compactMap({ $0 }) where registry.contains(object) { try prepareForReversal(object) }
            // A merge may have brought another destination since, which will be left.
            if registry.contains(object), let current = try toOne(object, property), current !== old, current !== new {
                try prepareForReversal(current)
            }
        default: break
        }
    }

    private func prepareForReversal(_ object: ManagedObject) throws(PinviewError) {
        // The object may have become a fault since; the reversal is compared with its row.
        if object.flags.contains(.fault) { try fire(object) }
    }
}
