import Pinview

/// Contexts, undo, generations, blocks, notifications, hooks and errors.
extension ConformanceRunner {
    private static let policies: [(String, MergePolicy)] = [
        ("error", .error), ("store-trump", .mergeByPropertyStoreTrump), ("object-trump", .mergeByPropertyObjectTrump),
        ("overwrite", .overwrite), ("rollback", .rollback),
    ]

    func contextVerb(_ verb: String, _ words: [String]) throws -> String? {
        guard let context = words.first.flatMap({ name in contexts.first { $0.name == name }?.context }) else { return nil }
        switch verb {
        case "setting": return try setting(context, words[1], words.count > 2 ? words[2] : nil)
        case "objects":
            let sets = [
                "inserted": context.insertedObjects, "updated": context.updatedObjects, "deleted": context.deletedObjects,
                "registered": context.registeredObjects,
            ]
            return listed(sets[words[1]] ?? [])
        case "changes": return yes(context.hasChanges)
        case "save": try context.save()
        case "rollback": try context.rollback()
        case "undo": try context.undo()
        case "redo": try context.redo()
        case "process": try context.processPendingChanges()
        case "reset": try context.reset()
        case "refresh-all": try context.refreshAllObjects()
        case "undo-manager":
            guard words.count > 1 else { return yes(context.undoManager != nil) }
            context.undoManager = words[1] == "new" ? UndoManager() : nil
        case "undo-through-manager": try context.undoManager?.undo()
        case "undo-state":
            guard let manager = context.undoManager else { return "none" }
            let undo = manager.undoActionName.isEmpty ? "unnamed" : manager.undoActionName
            let redo = manager.redoActionName.isEmpty ? "unnamed" : manager.redoActionName
            return "undo \(manager.canUndo ? undo : "nothing"), redo \(manager.canRedo ? redo : "nothing")"
        case "group": context.undoManager?.beginUndoGrouping()
        case "ungroup": context.undoManager?.endUndoGrouping()
        case "action": context.undoManager?.setActionName(words[1])
        case "levels": context.undoManager?.levelsOfUndo = Int(words[1]) ?? 0
        case "forget": context.undoManager?.removeAllActions()
        case "pin": try context.setQueryGeneration(from: words.count > 1 ? tokens[words[1]] ?? nil : .current)
        case "unpin": try context.setQueryGeneration(from: nil)
        case "generation": return context.queryGenerationToken.map { $0.isCurrent ? "current" : "fixed" } ?? "none"
        case "same-generation": return yes(context.queryGenerationToken == (try self.context(words[1])).queryGenerationToken)
        case "pinning":
            switch context.queryGenerationState {
            case .unpinned: return "unpinned"
            case .pinnedAtNextRead: return "at-next-read"
            case .pinned: return "pinned"
            }
        case "newer": return yes(context.hasNewerGeneration)
        case "wait":
            try context.performAndWait {}
            if words.count == 1 { transcript.takeLater() }
        case "batch-update":
            var request = BatchUpdateRequest(entityName: words[1])
            request.propertiesToUpdate = [words[2]: value(words[3])]
            if words.count > 4 { request.predicate = try PinviewPredicate(format: words[4], arguments: try arguments(words.dropFirst(5))) }
            request.resultType = .count
            return count(try context.execute(request))
        case "batch-insert":
            var request = BatchInsertRequest(entityName: words[1], objects: words.dropFirst(3).map(row))
            request.mergePolicy = Self.policies.first { $0.0 == words[2] }?.1 ?? .error
            let result = try context.batchInsert(request)
            return "inserted \(result.insertedCount), updated \(result.updatedCount), left \(result.leftCount)"
        case "upsert":
            func names(_ prefix: String) -> [String]? {
                words.first { $0.hasPrefix(prefix) }.map { $0.dropFirst(prefix.count).split(separator: ",").map(String.init) }
            }
            let rows = words.dropFirst(3).filter { !$0.hasPrefix("on-") }.map(row)
            let result = try context.upsert(
                words[1], constraint: words[2].split(separator: ",").map(String.init), rows: rows, onInsert: names("on-insert:"),
                onUpdate: names("on-update:"))
            return result.outcomes.map { "\($0)" }.joined(separator: " ")
        case "batch-delete":
            var fetch = FetchRequest(entityName: words[1])
            if words.count > 2 { fetch.predicate = try PinviewPredicate(format: words[2], arguments: try arguments(words.dropFirst(3))) }
            var request = BatchDeleteRequest(fetchRequest: fetch)
            request.resultType = .count
            return count(try context.execute(request))
        case "authors":
            guard case .transactions(let transactions) = try context.execute(PersistentHistoryChangeRequest.fetchHistory(after: nil)) else {
                return "no transactions"
            }
            return "[" + transactions.map { $0.author ?? "nil" }.joined(separator: " ") + "]"
        default: return nil
        }
        return "ok"
    }

    /// `mail=a,name=b`.
    private func row(_ word: String) -> [String: Value] {
        var row: [String: Value] = [:]
        for pair in word.split(separator: ",") {
            let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
            row[parts[0]] = value(parts[1])
        }
        return row
    }

    private func count(_ result: PersistentStoreResult) -> String {
        if case .count(let count) = result { return "\(count)" }
        return "no count"
    }

    private func setting(_ context: ManagedObjectContext, _ key: String, _ word: String?) throws -> String {
        let isOn = word == "yes"
        switch (key, word) {
        case ("name", let word?): context.name = word == "nil" ? nil : word
        case ("name", nil): return context.name ?? "nil"
        case ("author", let word?): context.transactionAuthor = word == "nil" ? nil : word
        case ("author", nil): return context.transactionAuthor ?? "nil"
        case ("policy", let word?): context.mergePolicy = Self.policies.first { $0.0 == word }?.1 ?? .error
        case ("policy", nil): return Self.policies.first { $0.1 == context.mergePolicy }?.0 ?? "custom"
        case ("staleness", let word?): context.stalenessInterval = Double(word) ?? -1
        case ("staleness", nil):
            let seconds = context.stalenessInterval
            return seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)"
        case ("timeout", let word?): try context.setTimeout(Double(word))
        case ("timeout", nil): return context.timeout.map { "\($0)" } ?? "none"
        case ("retains", _?): context.retainsRegisteredObjects = isOn
        case ("retains", nil): return yes(context.retainsRegisteredObjects)
        case ("deletes-inaccessible", _?): context.shouldDeleteInaccessibleFaults = isOn
        case ("deletes-inaccessible", nil): return yes(context.shouldDeleteInaccessibleFaults)
        case ("propagates", _?): context.propagatesDeletesAtEndOfEvent = isOn
        case ("propagates", nil): return yes(context.propagatesDeletesAtEndOfEvent)
        case ("automatic", _?): try context.setAutomaticallyMergesChangesFromParent(isOn)
        case ("automatic", nil): return yes(context.automaticallyMergesChangesFromParent)
        default: return "unknown setting"
        }
        return "ok"
    }

    // MARK: Blocks

    func blockVerb(_ step: Step, _ words: [String]) throws -> String? {
        switch step.words[0] {
        case "in": try context(words[0]).performAndWait { self.steps(step.body) }
        case "later": try context(words[0]).perform { self.transcript.asLater { self.steps(step.body) } }
        case "thread":
            onThreads(1) { _ in self.steps(step.body) }
        case "on":
            observe(words[0], words[1]) { note in
                self.notifications.append(note)
                self.steps(step.body)
                self.notifications.removeLast()
            }
        case "hook": try hook(words[0], words[1], step.body)
        default: return nil
        }
        return "ok"
    }

    private func hook(_ entity: String, _ name: String, _ body: [Step]) throws {
        var hooks = hooks[entity] ?? EntityHooks()
        let run: EntityHooks.Hook = { object in try self.withIt(object) { try self.throwingSteps(body) } }
        let notice: EntityHooks.Notice = { object in self.withIt(object) { self.steps(body) } }
        switch name {
        case "awakeFromInsert": hooks.awakeFromInsert = run
        case "awakeFromFetch": hooks.awakeFromFetch = run
        case "prepareForDeletion": hooks.prepareForDeletion = run
        case "willSave": hooks.willSave = run
        case "didSave": hooks.didSave = notice
        case "willTurnIntoFault": hooks.willTurnIntoFault = notice
        case "didTurnIntoFault": hooks.didTurnIntoFault = notice
        case "validateForInsert": hooks.validateForInsert = run
        case "validateForUpdate": hooks.validateForUpdate = run
        case "validateForDelete": hooks.validateForDelete = run
        default:
            let key = String(name.drop { $0 != ":" }.dropFirst())
            hooks.validateProperty[key] = { object, _ in try run(object) }
        }
        self.hooks[entity] = hooks
        try model.setHooks(hooks, forEntityNamed: entity)
    }

    // MARK: Notifications

    private static let names: [(String, PinviewNotification.Name?)] = [
        ("will-save", .willSave), ("did-save", .didSave), ("did-change", .objectsDidChange), ("any", nil),
    ]

    private func observe(_ name: String, _ word: String, _ callback: @escaping @Sendable (PinviewNotification) -> Void) {
        let notification = Self.names.first { $0.0 == word }?.1
        let context = contexts.first { $0.name == name }?.context
        observers.append((name, PinviewNotificationCenter.default.addObserver(forName: notification, object: context, using: callback)))
    }

    private func described(_ note: PinviewNotification) -> String {
        var words = [contexts.first { $0.context === note.object }?.name ?? "?"]
        words.append(Self.names.first { $0.1 == note.name }?.0 ?? note.name.rawValue)
        let sets = [
            ("inserted", note.insertedObjects), ("updated", note.updatedObjects), ("deleted", note.deletedObjects),
            ("refreshed", note.refreshedObjects), ("invalidated", note.invalidatedObjects),
        ]
        for (key, objects) in sets where !objects.isEmpty { words.append(key + listed(objects)) }
        if let ids = note.invalidatedAllObjectIDs { words.append("invalidatedAll" + listed(ids: ids)) }
        if note.queryGenerationToken != nil { words.append("generation") }
        return words.joined(separator: " ")
    }

    func eventVerb(_ verb: String, _ words: [String]) throws -> String? {
        switch verb {
        case "drain":
            defer { transcript.takeLater() }
            return "\(try MainQueue.drain())"
        case "token": tokens[words[0]] = try context(words[1]).queryGenerationToken
        case "off":
            let ended = observers.filter { $0.name == words[0] }
            observers.removeAll { $0.name == words[0] }
            for (_, observer) in ended { PinviewNotificationCenter.default.removeObserver(observer) }
        case "record": observe(words[0], words[1]) { note in self.notes.append(self.described(note)) }
        case "note": return described(notifications[notifications.count - 1])
        case "notes":
            defer { notes = [] }
            return notes.isEmpty ? "none" : notes.joined(separator: "; ")
        case "merge": try context(words[0]).mergeChanges(fromContextDidSave: notifications[notifications.count - 1])
        case "pin-to-note": try context(words[0]).setQueryGeneration(from: notifications[notifications.count - 1].queryGenerationToken)
        case "merge-remote":
            var changes: [String: [ManagedObjectID]] = [:]
            for index in stride(from: 1, to: words.count, by: 2) { changes[words[index], default: []].append(try id(words[index + 1])) }
            let receivers = try words[0].split(separator: ",").map { try context(String($0)) }
            try ManagedObjectContext.mergeChanges(fromRemoteContextSave: changes, into: receivers)
        case "refuse": throw Refused()
        case "refuse-when":
            if shown(try object(words[0]).attributeValue(forKey: words[1])) == words[2] { throw Refused() }
        case "log": log.append(words.joined(separator: " "))
        case "log-object": log.append(words[0] + " " + label(try object(words[1]).objectID))
        case "logged":
            defer { log = [] }
            return log.isEmpty ? "nothing" : log.joined(separator: ", ")
        default: return nil
        }
        return "ok"
    }
}
