import Pinview

/// Stacks, objects and fetches. Each function returns nil for a verb that it does not implement.
extension ConformanceRunner {
    private static let kinds: [String: ManagedObjectContextConcurrencyType] = [
        "private": .privateQueue, "main": .mainQueue, "confinement": .confinement,
    ]

    func stackVerb(_ verb: String, _ words: [String]) throws -> String? {
        switch verb {
        case "coordinator": coordinators[words[0]] = PersistentStoreCoordinator(managedObjectModel: model)
        case "store": try addStore(words)
        case "remove-store":
            let store = stores[words[0]]
            for coordinator in coordinators.values {
                if let store, coordinator.persistentStores.contains(store) { try coordinator.remove(store) }
            }
        case "context":
            if coordinators.isEmpty {
                coordinators["main"] = PersistentStoreCoordinator(managedObjectModel: model)
                try addStore(["main", "main", "sqlite"])
            }
            let context = try newContext(words, 1)
            try context.setPersistentStoreCoordinator(coordinators[words.count > 2 ? words[2] : "main"])
            contexts.append((words[0], context))
        case "bare": contexts.append((words[0], try newContext(words, 1)))
        case "child":
            let child = try newContext(words, 2)
            try child.setParent(try context(words[1]))
            contexts.append((words[0], child))
        case "connect": try context(words[0]).setPersistentStoreCoordinator(words[1] == "nil" ? nil : coordinators[words[1]])
        case "parent": try context(words[0]).setParent(try context(words[1]))
        case "close": contexts.removeAll { $0.name == words[0] }
        default: return nil
        }
        return "ok"
    }

    private func newContext(_ words: [String], _ position: Int) throws -> ManagedObjectContext {
        let kind = words.count > position ? words[position] : "private"
        guard let type = Self.kinds[kind] else { throw Missing(name: kind) }
        return ManagedObjectContext(concurrencyType: type)
    }

    private func addStore(_ words: [String]) throws {
        guard let coordinator = coordinators[words[1]] else { throw Missing(name: words[1]) }
        let chosen = Dictionary(
            words.dropFirst(3).map { ($0.split(separator: "=")[0], String($0.split(separator: "=")[1])) }, uniquingKeysWith: { $1 })
        var options: [String: Value] = [:]
        if chosen["readonly"] != nil { options["readOnly"] = true }
        if chosen["history"] != nil { options["historyTracking"] = true }
        if chosen["impatient"] != nil { options["busyTimeout"] = 0.01 }
        if let journal = chosen["journal"] { options["journalMode"] = .string(journal) }
        let path = words[2] == "memory" ? nil : folder + "/" + (chosen["file"] ?? words[0] + ".sqlite")
        stores[words[0]] = try coordinator.addPersistentStore(
            type: path == nil ? .inMemory : .sqlite, configuration: chosen["configuration"], at: path, options: options)
        paths[words[0]] = path
    }

    func objectVerb(_ verb: String, _ words: [String]) throws -> String? {
        switch verb {
        case "insert":
            let made = try home(words[0]).insertNewObject(forEntityName: words[1])
            bind(words[0], made)
            for pair in words.dropFirst(2) {
                let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
                try set(made, parts[0], parts[1])
            }
        case "delete": try (words.count > 1 ? context(words[1]) : home(words[0])).delete(try object(words[0]))
        case "reinsert": try (words.count > 1 ? context(words[1]) : home(words[0])).insert(try object(words[0]))
        case "drop": try drop(words[0])
        case "set": try set(try object(words[0]), words[1], words[2])
        case "set-unless":
            if try get(try object(words[0]), words[1]) != words[2] { try set(try object(words[0]), words[1], words[2]) }
        case "get": return try get(try object(words[0]), words[1])
        case "members": try object(words[0]).setRelatedObjects(try words.dropFirst(2).map(object), forKey: words[1])
        case "add": try object(words[0]).addRelatedObject(try object(words[2]), forKey: words[1])
        case "remove": try object(words[0]).removeRelatedObject(try object(words[2]), forKey: words[1])
        case "insert-at": try object(words[0]).insertRelatedObject(try object(words[3]), at: Int(words[2]) ?? 0, forKey: words[1])
        case "size": return "\(try object(words[0]).countOfRelatedObjects(forKey: words[1]))"
        case "contains": return yes(try object(words[0]).containsRelatedObject(try object(words[2]), forKey: words[1]))
        case "state":
            let target = try object(words[0])
            let flags = [
                ("inserted", target.isInserted), ("updated", target.isUpdated), ("deleted", target.isDeleted), ("fault", target.isFault),
            ]
            let names = flags.filter(\.1).map(\.0)
            return names.isEmpty ? "clean" : names.joined(separator: " ")
        case "home":
            let context = try object(words[0]).managedObjectContext
            return contexts.first { $0.context === context }?.name ?? "none"
        case "temporary": return yes(try id(words[0]).isTemporaryID)
        case "loaded": return yes(!(try object(words[0]).hasFault(forRelationshipNamed: words[1])))
        case "same": return yes(try object(words[0]) === object(words[1]))
        case "same-id": return yes(try id(words[0]) == id(words[1]))
        case "slot":
            if words.count > 1 {
                try object(words[0]).userData = words[1] == "nil" ? nil : Note(words[1])
            } else {
                return (try object(words[0]).userData as? Note)?.text ?? "nil"
            }
        case "full-name":
            let target = try object(words[0])
            let names = try ["firstName", "lastName"].map { try target.attributeValue(forKey: $0).stringValue ?? "" }
            try target.setValue(names.joined(separator: " "), forKey: "fullName")
        case "validate": try object(words[0]).validate()
        case "validate-delete": try object(words[0]).validateForDelete()
        case "detect": try home(words[0]).detectConflicts(for: try object(words[0]))
        case "obtain": try home(words[0]).obtainPermanentIDs(for: try words.map(object))
        case "assign":
            guard let store = stores[words[1]] else { throw Missing(name: words[1]) }
            try home(words[0]).assign(try object(words[0]), to: store)
        case "refresh": try home(words[0]).refresh(try object(words[0]), mergeChanges: words[1] == "merge")
        default: return nil
        }
        return "ok"
    }

    /// What a scenario keeps in an object's slot.
    private final class Note {
        let text: String
        init(_ text: String) { self.text = text }
    }

    private func set(_ target: ManagedObject, _ key: String, _ word: String) throws {
        if isObject(word) {
            try target.setRelatedObject(try object(word), forKey: key)
        } else {
            try target.setValue(value(word).anyValue, forKey: key)
        }
    }

    private func get(_ target: ManagedObject, _ key: String) throws -> String {
        guard let property = target.entity.properties.first(where: { $0.name == key }), property.isRelationship else {
            return shown(try target.attributeValue(forKey: key))
        }
        if !property.isToMany { return try target.relatedObject(forKey: key).map { label($0.objectID) } ?? "nil" }
        let members = try target.relatedObjects(forKey: key)
        return property.isOrdered ? inOrder(members) : listed(members)
    }

    private func request(_ words: some Collection<String>) throws -> FetchRequest {
        let words = Array(words)
        var request = FetchRequest(entityName: words[0])
        if words.count > 1 { request.predicate = try PinviewPredicate(format: words[1], arguments: try arguments(words.dropFirst(2))) }
        return request
    }

    func fetchVerb(_ verb: String, _ words: [String]) throws -> String? {
        switch verb {
        case "find":
            let found = Array(try home(words[0]).fetch(try request(words.dropFirst())))
            guard found.count == 1 else { return "\(found.count) objects" }
            bind(words[0], found[0])
        case "fetch": return listed(try context(words[0]).fetch(try request(words.dropFirst())))
        case "refetch":
            var request = try request(words.dropFirst())
            request.shouldRefreshRefetchedObjects = true
            return listed(try context(words[0]).fetch(request))
        case "sorted":
            var request = try request([words[1]] + words.dropFirst(3))
            let isDescending = words[2].hasPrefix("-")
            request.sortDescriptors = [
                PinviewSortDescriptor(keyPath: isDescending ? String(words[2].dropFirst()) : words[2], ascending: !isDescending)
            ]
            return inOrder(try context(words[0]).fetch(request))
        case "names":
            let names = try context(words[0]).fetch(try request(words.dropFirst())).map { shown(try $0.attributeValue(forKey: "name")) }
            return "[" + names.sorted().joined(separator: " ") + "]"
        case "count": return "\(try context(words[0]).count(for: try request(words.dropFirst())))"
        case "fault": bind(words[0], try home(words[0]).object(with: try id(words[1])))
        case "existing": bind(words[0], try home(words[0]).existingObject(with: try id(words[1])))
        case "registered":
            guard let found = try home(words[0]).registeredObject(for: try id(words[1])) else { return "no" }
            bind(words[0], found)
            return "yes"
        case "alive": return yes(try home(words[0]).registeredObject(for: try id(words[0])) != nil)
        default: return nil
        }
        return "ok"
    }
}
