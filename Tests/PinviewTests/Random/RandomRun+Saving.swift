import Pinview

/// Saving, through the levels and into the store.
extension RandomRun {
    /// Why a save has to fail, if it has to.
    private enum Refusal { case validation, conflict }

    private func refusal(_ naive: NaiveContext, toStore: Bool) -> Refusal? {
        let denied = naive.deleted.contains { number in
            NaiveSchema.relationships(of: naive.entity(number)).contains { relationship in
                relationship.rule == .deny && (naive.rows[number]?.toMany[relationship.name] ?? []).contains(where: naive.alive.contains)
            }
        }
        if denied { return .validation }
        return toStore && !conflicts(naive).isEmpty ? .conflict : nil
    }

    /// The records that others have written since this context read them (SAV-09, SAV-17).
    private func conflicts(_ naive: NaiveContext) -> [Int] {
        let written = naive.updated.filter { number in
            guard let base = naive.base[number], let mine = naive.rows[number] else { return false }
            return !mine.hasSameColumns(as: base)
        }
        let deleted = naive.deleted.filter { newest.rows[$0] != nil }
        return written.union(deleted).filter { newest.versions[$0] != naive.versions[$0] }.sorted()
    }

    /// Whether the policy's answer to the conflicts is one that the model can follow: where a side
    /// that the policy gives up has changed a relationship, the far side of it has changed as well,
    /// and is no conflict.
    private func canResolve(_ conflicts: [Int], _ naive: NaiveContext) -> Bool {
        guard scenario.policy != .error, naive.base.hasSameShape(as: newest.rows) else { return false }
        let givesUp = scenario.policy == .rollback || scenario.policy == .mergeByPropertyStoreTrump
        return conflicts.allSatisfy { number in
            guard let base = naive.base[number], let mine = naive.rows[number], newest.rows[number] != nil else { return false }
            if naive.alive.contains(number) {
                return scenario.policy != .rollback || mine.toOne == base.toOne && mine.toMany == base.toMany
            }
            return !givesUp || !base.isRelated && mine.toMany["notes"]?.isEmpty != false
        }
    }

    /// Applies a policy to conflicts (SAV-11 to SAV-18): afterwards the context has seen the
    /// changes of others. Returns whether deletions are cancelled.
    private func resolve(_ conflicts: [Int], _ naive: inout NaiveContext) -> Bool {
        var revives = false
        for number in conflicts {
            guard let base = naive.base[number], let theirs = newest.rows[number], var result = naive.rows[number] else { continue }
            if naive.alive.contains(number) {
                for (name, mine) in result.attributes {
                    let original = base.attributes[name], other = theirs.attributes[name] ?? .null
                    switch scenario.policy {
                    case .mergeByPropertyStoreTrump: result.attributes[name] = other == original ? mine : other
                    case .mergeByPropertyObjectTrump: result.attributes[name] = mine == original ? other : mine
                    case .rollback: result.attributes[name] = other
                    default: break
                    }
                }
            } else if scenario.policy == .rollback || scenario.policy == .mergeByPropertyStoreTrump {
                naive.alive.insert(number)
                result = theirs
                revives = true
            } else {
                continue
            }
            naive.rows[number] = result
            naive.base[number] = theirs
            naive.versions[number] = newest.versions[number]
        }
        return revives
    }

    /// The store after a save.
    private func saved(_ naive: NaiveContext) -> NaiveStore {
        var store = newest
        let knowsRelationships = naive.base.hasSameShape(as: store.rows)
        for number in naive.deleted {
            store.rows[number] = nil
            store.versions[number] = nil
        }
        for number in naive.inserted {
            store.rows[number] = naive.rows[number]
            store.versions[number] = 1
        }
        for number in naive.updated {
            guard let base = naive.base[number], let mine = naive.rows[number] else { continue }
            for (name, value) in mine.attributes where value != base.attributes[name] { store.rows[number]?.attributes[name] = value }
            if knowsRelationships {
                store.rows[number]?.toOne = mine.toOne
                store.rows[number]?.toMany = mine.toMany
            }
            if !mine.hasSameColumns(as: base) { store.versions[number, default: 0] += 1 }
        }
        return store
    }

    func save() throws {
        naive.willSave()
        // A hook may have set the last changed value to what is stored: there is nothing to save
        // then (DEC-15).
        let hasChanges = naive.hasChanges
        var refusal = refusal(naive, toStore: top == 0), revives = false
        note(top == 0 ? "save" : "save into the parent")
        if refusal == .conflict {
            let conflicts = conflicts(naive)
            if canResolve(conflicts, naive) {
                note("  others have changed \(conflicts); policy \(scenario.policy.rawValue) decides")
                revives = resolve(conflicts, &naive)
                refusal = nil
            } else {
                context.mergePolicy = .error
            }
        }
        defer { if top == 0 { context.mergePolicy = scenario.policy } }
        for object in context.deletedObjects { levels[top].handles[try number(of: object)] = object }
        for object in context.insertedObjects { levels[top].handles[try number(of: object)] = object }
        do throws(PinviewError) {
            try context.save()
        } catch {
            switch refusal {
            case .validation:
                try expect(error.hasCode(.relationshipDeniedDelete) || error.hasCode(.validationMultipleErrors), true, "\(error)")
            case .conflict: try expect(error.hasCode(.managedObjectMerge), true, "\(error)")
            case nil: throw Mismatch("the save fails: \(error)")
            }
            note("  fails: \(refusal.map { "\($0)" } ?? "")")
            return
        }
        if let refusal { throw Mismatch("the save succeeds, but there is a \(refusal)") }
        guard hasChanges else { return }
        if revives { forgetHistory() }
        // Saved objects show the store's values, and so do the other sides (ONE-04); here all
        // objects do, to keep the model simple.
        let isBehind = top == 0 && !naive.base.hasSameShape(as: newest.rows)
        if top == 0 { try noteSaved(saved(naive)) } else { try noteSavedIntoParent() }
        learnIdentifiersOfNewObjects()
        if isBehind {
            note("  refreshAllObjects")
            try refreshAll()
        }
    }

    private func noteSaved(_ store: NaiveStore) throws {
        let level = levels[0]
        let inserted = level.naive.inserted, deleted = level.naive.deleted
        let isReborn = inserted.contains { number in history.contains { $0.rows[number] != nil } }
        let leavesNotes = deleted.contains { level.naive.rows[$0]?.toMany["notes"]?.isEmpty == false }
        history.append(store)
        // Records of which only the far side of a relationship changed were not written, nor read.
        let written = level.naive.updated.filter { number in
            guard let base = level.naive.base[number] else { return false }
            return level.naive.rows[number]?.hasSameColumns(as: base) == false
        }
        for number in inserted.union(written) { levels[0].naive.versions[number] = store.versions[number] }
        let unwritten = level.naive.updated.subtracting(written)
        levels[0].naive.markSaved()
        // Those that others have written meanwhile are read again (ONE-04).
        for number in unwritten where store.versions[number] != level.naive.versions[number] {
            guard let row = store.rows[number] else { continue }
            levels[0].naive.see(number, row, keepingChanges: false)
            levels[0].naive.versions[number] = store.versions[number]
        }
        for number in inserted {
            guard let object = level.handles[number] else { continue }
            try expect(object.objectID.isTemporaryID, false, "the saved record \(number) has a temporary ID")
            learnIdentifier(of: object, number)
        }
        if isReborn {
            oldestUsable = history.count - 1
            readerPin = .unpinned
            try reader.setQueryGeneration(from: nil)
        }
        if pin != .unpinned { pin = .onRead(isAnnounced: false) }
        try compareState(0)
        // A reference to a record that is gone cannot be restored.
        if leavesNotes {
            forgetHistory()
        }
    }

    private func noteSavedIntoParent() throws {
        let child = naive, parent = top - 1
        levels[parent].naive.take(from: child)
        try levels[parent].context.processPendingChanges()
        let rows = source(top).rows
        for number in child.inserted.union(child.updated) { levels[top].naive.base[number] = rows[number] }
        for number in child.deleted { levels[top].naive.base[number] = nil }
        if !child.deleted.isEmpty {
            // Undoing a saved deletion makes a new record, which the model could not distinguish
            // from the old one.
            forgetHistory()
        }
    }

    // MARK: Others

    /// Whether the context under test merges others' commits automatically (MRG-07): not those of
    /// another coordinator.
    var mergesAutomatically: Bool { scenario.mergesAutomatically && !scenario.hasSecondCoordinator }

    /// Another program (or context) commits.
    ///
    /// - Parameters:
    ///   - shape: whether it inserts, deletes and relates records, or only changes attributes.
    ///   - merging: whether the context under test merges the save.
    func commitElsewhere(shape: Bool, merging: Bool, _ numbers: inout StepNumbers) throws {
        let isMovedAlong = levels.count == 1
        if case .pinned = pin {} else if !isMovedAlong { return }
        let merging = merging || mergesAutomatically
        if merging, !isMovedAlong || scenario.hasSecondCoordinator || newest.rows != levels[0].naive.base { return }
        if awaitsMergedDeletions { return }
        if shape, hasPendingChanges || !mayRelate { return }
        if !shape, newest.rows.isEmpty { return }
        note("elsewhere:")
        guard let (notification, changed) = try commitForeign(shape: shape, &numbers) else { return }
        if shape { forgetHistory() }
        if merging { try merge(notification, changed) }
    }

    private func commitForeign(shape: Bool, _ numbers: inout StepNumbers) throws -> (PinviewNotification, NaiveContext)? {
        var own = levels
        let ownPin = pin
        let foreign = try Self.context(foreignCoordinator)
        levels = [Level(context: foreign, naive: newNaiveContext())]
        pin = .unpinned
        levels[0].naive.refreshAll(from: newest.rows, versions: newest.versions)
        defer {
            levels = own
            pin = ownPin
        }
        for _ in 0...numbers.next(below: 3) {
            let kinds: [RandomStep.Kind] = shape ? [.insert, .setToOne, .addMember, .setMembers, .delete, .setAttribute] : [.setAttribute]
            guard let kind = numbers.pick(kinds) else { continue }
            var own = StepNumbers((0..<8).map { _ in numbers.next(below: 1 << 16) })
            try event(isDirect: false) { try change(kind, &own) }
        }
        guard levels[0].naive.hasChanges, refusal(levels[0].naive, toStore: true) == nil else { return nil }
        var notification: PinviewNotification?
        let observer = PinviewNotificationCenter.default.addObserver(forName: .didSave, object: foreign) { notification = $0 }
        for object in foreign.insertedObjects { levels[0].handles[try number(of: object)] = object }
        levels[0].naive.willSave()
        let changed = levels[0].naive
        // Only registered objects are deleted in a context that merges.
        for number in changed.deleted where mergesAutomatically {
            guard let identifier = identifiers[number] else { continue }
            own[0].handles[number] = try own[0].context.object(with: identifier)
        }
        note("  save")
        try foreign.save()
        PinviewNotificationCenter.default.removeObserver(observer)
        try noteSaved(saved(changed))
        return notification.map { ($0, changed) }
    }

    private func merge(_ notification: PinviewNotification, _ foreign: NaiveContext) throws {
        note(mergesAutomatically ? "  is merged" : "  merge")
        // Only registered objects are deleted.
        for number in foreign.deleted { _ = try object(number) }
        if mergesAutomatically {
            try context.performAndWait {}
        } else {
            try context.mergeChanges(fromContextDidSave: notification)
        }
        if pin != .unpinned { pin = .onRead(isAnnounced: false) }
        for number in foreign.updated {
            // Pending deletions stay pending, and their save finds the conflict.
            guard let row = newest.rows[number], naive.alive.contains(number) else { continue }
            let isUpdated = naive.updated.contains(number)
            naive.see(number, row, keepingChanges: isUpdated)
            naive.versions[number] = newest.versions[number]
        }
        // Deletions are pending in the receiver until it saves (MRG-03).
        naive.alive.subtract(foreign.deleted)
    }
}
