import Pinview

/// Saves, into the parent and into the file: the expected results, and ONE-04 after them.
extension StackRun {
    func save(_ level: StackLevel, _ step: StackStep) throws -> Bool {
        note(step)
        try level.context.processPendingChanges()
        endEvent(level)
        learn(level)
        if level.adopts || !level.isInStep {
            level.adopts = false
            level.pending = try observed(level)
        }
        // The objects are retained, so that they can be compared afterwards.
        for object in level.context.updatedObjects.union(level.context.deletedObjects) { level.handles[try number(of: object)] = object }
        let pending = level.pending, expected = pending.committed(on: newest)
        // Objects found gone are removed by the save, and are not saved (FLT-09, SAV-03).
        let writes =
            !pending.inserted.isEmpty || !pending.changes.isEmpty
            || pending.deleted.contains { level.handles[$0]?.isInaccessible != true }
        level.wasInStep = level.isInStep
        let before = try level.parent.map(observed)
        let hasDuplicates = level.parent == nil && Self.hasDuplicates(expected)
        // A context that has read different states may have known one side of a relationship only,
        // before the save already.
        let wasAtOne = (try? checkInverses(level, reachable(level), of: Set(pending.changes.keys))) != nil
        do throws(PinviewError) {
            try level.context.save()
        } catch {
            try judge(error, level, hasDuplicates: hasDuplicates)
            log.append("# fails: \(error.code)")
            // SAV-04: the comparison of the pending changes sees that nothing has changed.
            if level.mayConflict { level.adopts = true }
            return true
        }
        if hasDuplicates, level.policy == "error", !level.mayConflict {
            throw mismatch(level, "UNQ-01: the save succeeds, though two tags would have one code")
        }
        level.pending = StackPending()
        // A save that unites two rows drops their undo records (UNQ).
        level.forgetGroups(keepingAttributes: pending.deleted.isEmpty && !level.mayConflict && !hasDuplicates)
        guard pending.hasChanges else { return true }
        // A relationship to a row that is gone cannot be restored.
        if pending.deleted.contains(where: { StackSchema.isKind(StackSchema.entity($0), of: "Person") }) {
            level.context.undoManager?.removeAllActions()
            level.undoGroups = []
            level.redoGroups = []
            level.hasUnknownGroups = false
        }
        learn(level)
        if let parent = level.parent { return try noteSavedIntoParent(level, parent, pending, before) }
        if level.pin != .unpinned, writes {
            level.pin = .onRead
            level.isAnnounced = true
        }
        try noteCommitted(level, pending, expected, isResolved: hasDuplicates || level.mayConflict, wasAtOne: wasAtOne)
        return true
    }

    private static func hasDuplicates(_ graph: StackGraph) -> Bool {
        let codes = graph.values.compactMap { $0.attributes["code"]?.stringValue }
        return Set(codes).count != codes.count
    }

    /// Whether a save had a reason to fail.
    private func judge(_ error: PinviewError, _ level: StackLevel, hasDuplicates: Bool) throws {
        let isStrict = level.policy == "error"
        if error.hasCode(.relationshipDeniedDelete) || error.hasCode(.validationMultipleErrors) {
            if level.pending.deleted.contains(where: { StackSchema.entity($0) == "Department" }) { return }
        }
        if error.hasCode(.managedObjectMerge), isStrict, level.mayConflict { return }
        if error.code == 133021, isStrict, hasDuplicates || level.mayConflict { return }
        throw mismatch(level, "the save fails: \(error.code) \(error.message)")
    }

    private func noteSavedIntoParent(_ level: StackLevel, _ parent: StackLevel, _ pending: StackPending, _ before: StackPending?) throws
        -> Bool
    {
        parent.noteGroup()
        parent.openGroup?.hasUnknownAttributes = true
        parent.adopts = true
        learn(parent)
        // Changes that the parent had already cannot be undone there, nor can objects that it has
        // found gone.
        var now = try observed(parent)
        now.deleted.formIntersection(existing(parent).union(before?.deleted ?? []))
        if now == before { parent.forgetGroups(keepingAttributes: false) }
        // A new object of the parent that is deleted here leaves nothing there, not even a
        // reference that a rule has left.
        let deleted = try numbers(of: parent.context.deletedObjects)
        let known = shown(parent).filter { !pending.deleted.contains($0) || deleted.contains($0) }
        // The child's changes are in the parent now (NST-13). If the parent has missed commits and
        // seemed to have a change already, it is not a change there, and is replaced by what it
        // reads.
        for (number, change) in pending.changes where known.contains(number) {
            guard let object = try parent.context.registeredObject(for: identifiers[number]!), object.isLive else { continue }
            for (name, value) in change.attributes where parent.isInStep || object.isChanged(name) {
                try expect(parent, try object.attributeValue(forKey: name), value, "\(number).\(name) after the child's save")
            }
            for (name, link) in change.toOne
            where (parent.isInStep || object.isChanged(name)) && link.now.map(known.contains) ?? true {
                try expect(
                    parent, try object.relatedObject(forKey: name).map(self.number), link.now, "\(number).\(name) after the child's save")
            }
        }
        let inserted = try numbers(of: parent.context.insertedObjects)
        for number in pending.inserted.keys where !inserted.contains(number) {
            throw mismatch(parent, "the record \(number), inserted in the child, is not in insertedObjects after the child's save")
        }
        noteSourceChanged(parent)
        level.missed = level.missed.filter { $0 != stepNumber + 1_000_000 }
        return true
    }

    /// - Parameters:
    ///   - pending: the pending changes before the save.
    ///   - expected: the content of the file if nothing had to be resolved.
    ///   - isResolved: whether the merge policy may have decided something.
    private func noteCommitted(_ level: StackLevel, _ pending: StackPending, _ expected: StackGraph, isResolved: Bool, wasAtOne: Bool)
        throws
    {
        let before = newest
        try readCommit()
        let now = newest
        if !isResolved {
            try compare("the file after the save of \(level.name)", now, expected, ordered: false)
        } else {
            // Only changes of the rows in question are lost.
            let touched = Set(pending.inserted.keys).union(pending.changes.keys).union(pending.deleted)
            for (number, row) in before where !touched.contains(number) && row.entity != "Tag" {
                guard let after = now[number] else { throw mismatch(level, "the save has removed \(number), which was not changed here") }
                try expect(level, after.attributes, row.attributes, "the attributes of \(number) in the file, which was not changed here")
            }
        }
        if pending.inserted.keys.contains(where: { now[$0] == nil }) {
            try expect(level, level.context.undoManager?.canUndo, false, "canUndo after a save that made two rows one")
            for child in level.descendants { child.forgetGroups(keepingAttributes: false) }
        }
        try compareFreshContext()
        do { try checkFile(now) } catch {
            if has(.strict) || level.wasInStep { throw error }
            isAbandoned = true
        }
        try compareSaved(level, pending, now)
        // ONE-10: rows that others had deleted, and that the policy has written again.
        let reborn = Set(pending.changes.keys).intersection(now.keys).subtracting(before.keys)
        if !reborn.isEmpty, wasAtOne { try checkInverses(level, try reachable(level), of: reborn) }
        if isResolved { level.adopts = true }
        noteForeignCommit(by: level)
    }

    /// What must hold in any file.
    private func checkFile(_ graph: StackGraph) throws {
        if Self.hasDuplicates(graph) { throw StackMismatch("UNQ: two tags in the file have one code") }
        for (number, row) in graph {
            for relationship in StackSchema.relationships(of: row.entity) where !relationship.isToMany {
                guard let inverse = StackSchema.inverse(of: relationship), !inverse.isToMany, let other = row.toOne[relationship.name],
                    let destination = graph[other]
                else { continue }
                if destination.toOne[inverse.name] != number {
                    throw StackMismatch(
                        "ONE-02: in the file \(number).\(relationship.name) leads to \(other), whose \(inverse.name) does not lead back")
                }
            }
        }
    }

    func compare(_ what: String, _ actual: StackGraph, _ expected: StackGraph, ordered: Bool) throws {
        if actual.keys != expected.keys, Set(actual.keys) != Set(expected.keys) {
            throw StackMismatch("\(what): the records are \(actual.keys.sorted()), the model says \(expected.keys.sorted())")
        }
        for (number, row) in actual {
            guard var other = expected[number] else { continue }
            var row = row
            if !ordered {
                for (name, members) in row.toMany { row.toMany[name] = members.sorted() }
                for (name, members) in other.toMany { other.toMany[name] = members.sorted() }
            }
            // A relationship to a row that others have deleted has no destination.
            for (name, members) in row.toMany { row.toMany[name] = members.filter { actual[$0] != nil } }
            for (name, members) in other.toMany { other.toMany[name] = members.filter { actual[$0] != nil } }
            for property in row.differences(from: other) {
                // What leads to a row that is gone leads nowhere.
                if let destination = row.toOne[property] ?? other.toOne[property], actual[destination] == nil { continue }
                throw StackMismatch("\(what): \(number).\(property) is \(row.shown(property)), the model says \(other.shown(property))")
            }
        }
    }

    /// ONE-04: a context that has read nothing before shows what plain SQL reads.
    private func compareFreshContext() throws {
        let context = ManagedObjectContext(concurrencyType: .privateQueue)
        try context.setPersistentStoreCoordinator(coordinators[stepNumber % 2])
        context.stalenessInterval = 0
        var graph: StackGraph = [:]
        for entity in StackSchema.entities where StackSchema.parents[entity] == nil {
            for object in try context.fetch(FetchRequest(entityName: entity)) { graph[try number(of: object)] = try shownRow(object) }
        }
        let newest = newest
        try compare("ONE-04: a fresh context", graph, newest, ordered: true)
    }

    private func shownRow(_ object: ManagedObject) throws -> StackRow {
        var row = StackRow(entity: object.entity.name)
        for name in StackSchema.attributes { row.attributes[name] = try object.attributeValue(forKey: name) }
        for relationship in StackSchema.relationships(of: row.entity) {
            if relationship.isToMany {
                let members = try object.relatedObjects(forKey: relationship.name).map(number)
                row.toMany[relationship.name] = relationship.isOrdered ? members : members.sorted()
            } else {
                row.toOne[relationship.name] = try object.relatedObject(forKey: relationship.name).map(number)
            }
        }
        return row
    }

    /// ONE-04: a context that has merged everything shows the content of the file, as far as it is
    /// loaded. Any other one shows it for the objects that it has saved; all others are as it has
    /// read them.
    private func compareSaved(_ level: StackLevel, _ pending: StackPending, _ graph: StackGraph) throws {
        for object in level.context.registeredObjects where object.isLive && !object.isFault && !object.hasChanges {
            guard let number = numbers[object.rowName] else { continue }
            let change = pending.changes[number], isWhole = level.isInStep || pending.inserted[number] != nil
            guard isWhole || change != nil else { continue }
            guard let row = graph[number] else {
                if level.isInStep { throw mismatch(level, "ONE-04: after the save it has \(describe(object)), which is not in the file") }
                continue
            }
            for name in StackSchema.attributes where isWhole || change?.attributes[name] != nil {
                try expect(level, try object.attributeValue(forKey: name), row.attributes[name], "ONE-04: \(number).\(name) after the save")
            }
            for relationship in StackSchema.relationships(of: row.entity) {
                let what = "ONE-04: \(number).\(relationship.name) after the save"
                if relationship.isToMany {
                    guard isWhole, let members = try object.loadedMembers(relationship.name)?.map(self.number) else { continue }
                    let shown = relationship.isOrdered ? members : members.sorted()
                    let stored = (row.toMany[relationship.name] ?? []).filter { graph[$0] != nil }
                    try expect(level, shown.filter { graph[$0] != nil }, stored, what)
                } else if isWhole || change?.toOne[relationship.name] != nil,
                    case .some(let destination) = try object.loadedDestination(relationship.name)
                {
                    if let destination, !destination.isLive { continue }
                    if let stored = row.toOne[relationship.name], graph[stored] == nil { continue }
                    try expect(level, try destination.map(self.number), row.toOne[relationship.name], what)
                }
            }
        }
    }

    // MARK: Another process

    func performElsewhere(_ verb: String, _ words: [String], _ step: StackStep) throws -> Bool {
        guard let number = words.first.flatMap(Int.init) else { return false }
        let entity = StackSchema.entity(number)
        func row(_ number: Int) -> String? {
            guard newest[number] != nil, let identifier = identifiers[number], !identifier.isTemporaryID else { return nil }
            return identifier.uriRepresentation
        }
        switch verb {
        case "insert":
            guard used.insert(number).inserted else { return false }
            note(step)
            let answer = try otherProcess.run("new \(entity)")
            guard let objectID = try coordinators[0].managedObjectID(forURIRepresentation: answer) else { throw StackMismatch(answer) }
            identifiers[number] = objectID
            numbers[ManagedObject.rowName(objectID)] = number
        case "set":
            guard words.count >= 3, words[1] != "code", let uri = row(number) else { return false }
            note(step)
            try otherProcess.run("set \(uri) \(words[1]) \(words[2])", wanting: "ok")
        case "link":
            guard words.count >= 3, let relationship = StackSchema.relationship(words[1], of: entity), !relationship.isToMany,
                let uri = row(number),
                let other = Int(words[2]), other != number, StackSchema.isKind(StackSchema.entity(other), of: relationship.destination),
                let destination = row(other), newest[number]?.toOne[words[1]] != other
            else { return false }
            note(step)
            try otherProcess.run("link \(uri) \(words[1]) \(destination)", wanting: "ok")
        case "delete":
            guard let uri = row(number), entity != "Department" else { return false }
            note(step)
            try otherProcess.run("delete \(uri)", wanting: "ok")
        default: return false
        }
        try readCommit()
        noteForeignCommit(by: nil)
        return true
    }
}
