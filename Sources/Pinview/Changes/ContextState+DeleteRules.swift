import PinviewModel

/// What deletions do to related objects: nullify, cascade, deny (REL-06).
extension ContextState {
    /// Applies the delete rules of recently deleted objects (REL-06), to any depth.
    ///
    /// - Parameter mayDeferRemovals: whether inverse removals that nobody observes may be deferred.
    func propagateDeletes(mayDeferRemovals: Bool = false) throws(PinviewError) {
        guard !pending.unpropagatedDeletions.isEmpty else { return }
        if hookTable == nil { return try propagateDeletesWithoutHooks(mayDefer: mayDeferRemovals && canDeferInverseRemovals) }
        // The number of upcoming objects whose destinations are loaded.
        var loaded = 0
        while let object = pending.unpropagatedDeletions.first {
            if loaded <= 0 {
                loaded = pending.unpropagatedDeletions.count
                try loadDestinations(ofDeleted: pending.unpropagatedDeletions.list[...])
            }
            loaded -= 1
            if object.flags.contains(.deleted), !object.flags.contains(.deletePropagated) {
                try applyDeleteRules(of: object)
                if object.flags.contains(.deleted) { object.flags.insert(.deletePropagated) }
            }
            // A hook may have reverted the deletion.
            if pending.unpropagatedDeletions.first === object { pending.unpropagatedDeletions.removeFirst() }
        }
    }

    /// Propagates deletes when there are no hooks: the objects leave the list together.
    private func propagateDeletesWithoutHooks(mayDefer: Bool) throws(PinviewError) {
        while !pending.unpropagatedDeletions.isEmpty {
            let waiting = pending.unpropagatedDeletions.list
            var done = 0
            var deferred: [ManagedObject] = []
            var areLoaded = false
            defer {
                if done == pending.unpropagatedDeletions.count {
                    pending.unpropagatedDeletions = ObjectSet()
                } else {
                    for object in waiting[..<done] { pending.unpropagatedDeletions.remove(object) }
                }
                deferInverseRemovals(deferred)
            }
            while done < waiting.count {
                if mayDefer {
                    let count = deferRemovals(waiting[done...])
                    if count == waiting.count { deferred = waiting } else { deferred += waiting[done..<done + count] }
                    done += count
                    if done == waiting.count { break }
                }
                if !areLoaded { try loadDestinations(ofDeleted: waiting[done...]) }
                areLoaded = true
                let object = waiting[done]
                if object.flags.contains(.deleted), !object.flags.contains(.deletePropagated) {
                    try applyDeleteRules(of: object)
                    if object.flags.contains(.deleted) { object.flags.insert(.deletePropagated) }
                }
                done += 1
            }
        }
    }

    /// Marks deletions as propagated, up to the first whose removals cannot be deferred.
    ///
    /// - Returns: the number of objects marked.
    private func deferRemovals(_ objects: ArraySlice<ManagedObject>) -> Int {
        var count = 0
        objects.allUncounted { object in
            guard object.flags.contains(.deleted), !object.flags.contains(.deletePropagated), canDeferInverseRemovals(object) else {
                return false
            }
            object.flags.insert(.deletePropagated)
            count += 1
            return true
        }
        return count
    }

    func applyDeleteRules(of object: ManagedObject) throws(PinviewError) {
        for property in object.entity.relationships {
            let rule = deleteRule(of: property, at: object)
            if !rule.changesDestinations { continue }
            if property.isToMany {
                for destination in try toMany(object, property).members {
                    try applyDeleteRule(rule, of: property, of: object, to: destination)
                }
            } else if let destination = try toOne(object, property) {
                try applyDeleteRule(rule, of: property, of: object, to: destination)
            }
        }
        takeOutOfRelationshipsWithoutInverse(object)
    }

    /// The rule that applies to an object. A never-saved object can neither be denied deletion nor
    /// leave a row that others refer to.
    private func deleteRule(of property: Property, at object: ManagedObject) -> DeleteRule {
        let rule = property.deleteRule
        return object.flags.contains(.inserted) && !rule.changesDestinations ? .nullify : rule
    }

    private func applyDeleteRule(
        _ rule: DeleteRule, of property: Property, of object: ManagedObject, to destination: ManagedObject
    ) throws(PinviewError) {
        guard destination !== object else { return }
        if rule == .cascade { try delete(destination) } else { try nullifyInverse(of: property, at: destination, from: object) }
    }

    func nullifyInverse(of property: Property, at destination: ManagedObject, from object: ManagedObject) throws(PinviewError) {
        guard !destination.flags.contains(.deletePropagated), let index = property.inverseIndex,
            let inverse = destination.property(atIndex: index)
        else { return }
        if inverse.isToMany {
            let contents = destination.toManyContents(inverse)
            // A redo may have removed it already. If nothing is loaded, the object's row says
            // whether there is anything to remove.
            if !contents.isLoaded, !contents.isInserted(object), !property.isToMany,
                try committedReference(of: object, property)?.key != destination.key
            {
                return
            }
            primitiveRemoveMember(destination, inverse, object)
        } else if try toOne(destination, inverse) === object {
            try primitiveSetToOne(destination, inverse, old: object, new: nil)
        }
    }
}
