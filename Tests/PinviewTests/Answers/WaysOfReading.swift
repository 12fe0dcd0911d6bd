import AnswerSupport
import Foundation
import Pinview

private let objectMembers = [
    "ManagedObject.attributeValue(forKey:)", "ManagedObject.relatedObjects(forKey:)", "FetchResult.subscript(position:)",
    "ManagedObjectContext.fetch(_:)", "FetchRequest.returnsObjectsAsFaults", "FetchRequest.entityName",
]

extension WayOfReading {
    /// All ways. A new function that reads is added to one of them, or gets one of its own.
    static let all: [WayOfReading] = fetches + prefetches + lookUps + requests + lists + values + statements + differences

    // MARK: Fetching objects

    private static let fetches = [
        WayOfReading(name: "fetch", covers: objectMembers) { facts, reader in
            try facts.see(items: try reader.context.fetch(reader.request()), areAll: true)
        },
        WayOfReading(
            name: "fetch, sorted and with a condition",
            covers: ["FetchRequest.predicate", "FetchRequest.sortDescriptors", "FetchRequest.includesSubentities"], needsGenerations: false
        ) { facts, reader in
            let request = try reader.request {
                $0.predicate = try PinviewPredicate(format: "group.k == k AND twin == k")
                $0.sortDescriptors = [
                    PinviewSortDescriptor(keyPath: "group.k", ascending: false), PinviewSortDescriptor(keyPath: "number", ascending: true),
                ]
                $0.includesSubentities = false
            }
            try facts.see(items: try reader.context.fetch(request), areAll: true)
        },
        WayOfReading(
            name: "fetch of a window", covers: ["FetchRequest.fetchLimit", "FetchRequest.fetchOffset", "FetchRequest.affectedStores"]
        ) {
            facts, reader in
            let request = reader.request {
                $0.fetchLimit = 200
                $0.fetchOffset = 20
                $0.sortDescriptors = [PinviewSortDescriptor(keyPath: "balance", ascending: true)]
                $0.affectedStores = reader.coordinator.persistentStores
            }
            try facts.see(items: try reader.context.fetch(request))
        },
        WayOfReading(name: "fetch without rows", covers: ["FetchRequest.includesPropertyValues"], needsGenerations: true) { facts, reader in
            try facts.see(items: try reader.context.fetch(reader.request { $0.includesPropertyValues = false }), areAll: true)
        },
        WayOfReading(name: "fetch that refreshes", covers: ["FetchRequest.shouldRefreshRefetchedObjects"], needsGenerations: true) {
            facts, reader in
            let some = Array(try reader.context.fetch(reader.request { $0.fetchLimit = 100 }))
            facts.beginNextAnswer()
            let all = try reader.context.fetch(reader.request { $0.shouldRefreshRefetchedObjects = true })
            // A child's parent may have values of the first fetch.
            if !reader.kind.isChild { try facts.see(items: all, areAll: true) }
            withExtendedLifetime(some) {}
        },
        WayOfReading(
            name: "fetch beside unsaved changes", covers: ["FetchRequest.includesPendingChanges", "ManagedObjectContext.count(for:)"],
            needsGenerations: true
        ) { facts, reader in
            let new = try reader.context.insertNewObject(forEntityName: "Item")
            try new.setAttributeValue(.integer(-1), forKey: "number")
            let request = try reader.request {
                $0.predicate = try PinviewPredicate(format: "number >= 0")
                $0.sortDescriptors = [
                    PinviewSortDescriptor(keyPath: "group.number", ascending: true),
                    PinviewSortDescriptor(keyPath: "number", ascending: true),
                ]
            }
            try facts.see(items: try reader.context.fetch(request), areAll: true)
            facts.beginNextAnswer()
            facts.expect(try reader.context.count(for: FetchRequest("Item", "number >= 0 AND group.k == k")), Ledger.itemCount, "a count")
        },
        WayOfReading(
            name: "pages of a batched fetch", covers: ["FetchRequest.fetchBatchSize", "FetchResult.startIndex", "FetchResult.endIndex"]
        ) {
            facts, reader in
            let result = try reader.context.fetch(reader.request { $0.fetchBatchSize = 90 })
            facts.expect(result.count, Ledger.itemCount, "the number of items")
            for start in stride(from: 0, to: result.count, by: 90) {
                // Each page is of one state.
                if reader.kind != .pinned { facts.beginNextAnswer() }
                try facts.see(items: result[start..<min(start + 90, result.count)])
            }
        },
        WayOfReading(name: "going through a batched fetch", covers: ["FetchResult.makeIterator()", "Iterator.next()"]) { facts, reader in
            let result = try reader.context.fetch(reader.request { $0.fetchBatchSize = 90 })
            var iterator = result.makeIterator()
            for start in stride(from: 0, to: result.count, by: 90) {
                // Each page is of one state.
                if reader.kind != .pinned { facts.beginNextAnswer() }
                try facts.see(items: (start..<min(start + 90, result.count)).compactMap { _ in iterator.next() })
            }
            facts.expect(iterator.next() == nil, true, "the end of the items")
        },
        WayOfReading(name: "a request that carries itself out", covers: ["FetchRequest.execute()"]) { facts, reader in
            try facts.see(items: try reader.context.performAndWait { Array(try reader.request().execute()) }, areAll: true)
        },
        WayOfReading(name: "execute", covers: ["ManagedObjectContext.execute(_:)", "FetchRequest.resultType"]) { facts, reader in
            guard case .objects(let items) = try reader.context.execute(reader.request()) else { return }
            try facts.see(items: items, areAll: true)
        },
        WayOfReading(
            name: "fetch off the queue",
            covers: [
                "AsynchronousFetchResult.finalResult", "AsynchronousFetchResult.result",
                "AsynchronousFetchResult.waitUntilFinished(timeout:)",
                "AsynchronousFetchResult.operationError", "ManagedObjectContext.fetchAsynchronously(_:)",
            ]
        ) { facts, reader in
            for refreshes in [false, true] {
                facts.beginNextAnswer()
                let request = reader.request { $0.shouldRefreshRefetchedObjects = refreshes }
                let result = try reader.context.execute(AsynchronousFetchRequest(fetchRequest: request))
                _ = result.waitUntilFinished()
                if let error = result.operationError { throw error }
                // Objects of the first fetch keep their values in a parent.
                if refreshes, reader.kind.isChild { continue }
                try facts.see(items: result.finalResult.map(Array.init) ?? [], areAll: true)
                if !refreshes { try reader.renewContext() }
            }
        },
    ]

    // MARK: Relationships

    private static let prefetches = [
        WayOfReading(
            name: "prefetched members", covers: ["FetchRequest.relationshipKeyPathsForPrefetching"], needsGenerations: true
        ) { facts, reader in
            let groups = Array(
                try reader.context.fetch(reader.request("Group") { $0.relationshipKeyPathsForPrefetching = ["items", "line"] }))
            try facts.see(groups: groups)
            try facts.seeMembers(of: groups)
        },
        WayOfReading(name: "prefetched owners and their members", covers: ["ManagedObject.relatedObject(forKey:)"], needsGenerations: true)
        {
            facts, reader in
            let items = Array(
                try reader.context.fetch(reader.request { $0.relationshipKeyPathsForPrefetching = ["group.items", "group.line"] }))
            try facts.see(items: items, areAll: true)
            var groups: Set<ManagedObject> = []
            for item in items { if let group = try item.relatedObject(forKey: "group") { groups.insert(group) } }
            try facts.see(groups: groups)
            try facts.seeMembers(of: groups)
        },
        WayOfReading(name: "a fetched property", covers: ["ManagedObject.fetchedObjects(forKey:)"], needsGenerations: true) {
            facts, reader in
            let group = try reader.context.object(with: reader.groupIDs[0])
            facts.expect(try group.fetchedObjects(forKey: "contemporaries").count, Ledger.itemCount, "the number of contemporaries")
        },
        WayOfReading(
            name: "members of one object",
            covers: [
                "ManagedObject.relatedObjects(forKey:)", "ManagedObject.countOfRelatedObjects(forKey:)",
                "ManagedObject.containsRelatedObject(_:forKey:)", "ManagedObject.value(forKey:)", "ManagedObject.value(forKey:as:)",
            ]
        ) { facts, reader in
            for objectID in reader.groupIDs {
                let group = try reader.context.object(with: objectID)
                facts.expect(try group.countOfRelatedObjects(forKey: "items"), Ledger.itemsPerGroup, "the number of a group's items")
                let line = try group.relatedObjects(forKey: "line")
                facts.expect(Set(line).count, Ledger.itemsPerGroup, "the number of items in a line")
                facts.expect(try line.first.map { try group.containsRelatedObject($0, forKey: "line") } ?? false, true, "membership")
                facts.expect((try group.value(forKey: "line") as? [ManagedObject])?.count ?? line.count, line.count, "a line's count")
            }
        },
    ]

    // MARK: By IDs

    private static let lookUps = [
        WayOfReading(
            name: "many look-ups in one call", covers: ["ManagedObjectContext.existingObjects(with:)"], needsGenerations: true
        ) { facts, reader in
            let found = try reader.context.existingObjects(with: reader.groupIDs + reader.itemIDs)
            try facts.see(groups: found.prefix(Ledger.groupCount))
            try facts.see(items: found.dropFirst(Ledger.groupCount), areAll: true)
        },
        WayOfReading(
            name: "one look-up",
            covers: [
                "ManagedObjectContext.existingObject(with:)", "ManagedObjectContext.object(with:)", "ManagedObjectContext.objects(with:)",
                "ManagedObject.committedValues(forKeys:)", "ManagedObject.attributeValue(at:)", "ManagedObject.relatedObject(at:)",
                "ManagedObject.attributeValue(for:)", "ManagedObject.relatedObject(for:)", "ManagedObjectContext.attributeValue(at:of:)",
                "ManagedObject.changedValues()", "ManagedObjectContext.registeredObject(for:)",
                "ManagedObject.compositeValue(forKey:)", "ManagedObject.examine(_:)",
            ]
        ) { facts, reader in
            let faults = try reader.context.objects(with: reader.itemIDs)
            let key = PropertyKey("k"), group = PropertyKey("group")
            for objectID in reader.itemIDs.prefix(30) {
                facts.beginNextAnswer()
                let item = try reader.context.existingObject(with: objectID)
                try facts.see(items: [item])
                let values = try item.committedValues(forKeys: nil)
                facts.expect(values["k"], values["twin"], "a committed value")
                facts.expect(try item.compositeValue(forKey: "seal")?["second"], values["k"], "an element of a composite attribute")
                facts.expect(try item.examine("seal.first").raw, values["k"], "the raw value of an element")
                let index = item.entity.properties.firstIndex { $0.name == "k" } ?? 0
                facts.expect(try item.attributeValue(at: index), try item.attributeValue(forKey: "twin"), "a value by its index")
                facts.expect(try reader.context.attributeValue(at: index, of: objectID), values["twin"], "a value by its index and the ID")
                facts.expect(try item.attributeValue(for: key), try item.attributeValue(forKey: "twin"), "a value by its key")
                facts.expect(try item.relatedObject(for: group), try item.relatedObject(forKey: "group"), "a destination by its key")
            }
            for fault in faults.suffix(30) {
                facts.beginNextAnswer()
                try facts.see(items: [fault])
            }
        },
        WayOfReading(
            name: "refreshing one object",
            covers: [
                "ManagedObjectContext.refresh(_:mergeChanges:)", "ManagedObjectContext.refreshAllObjects()", "ManagedObjectContext.reset()",
            ]
        ) { facts, reader in
            let item = try reader.context.existingObject(with: reader.itemIDs[0])
            for mergeChanges in [true, false] {
                facts.beginNextAnswer()
                try reader.context.refresh(item, mergeChanges: mergeChanges)
                try facts.see(items: [item])
            }
            facts.beginNextAnswer()
            try reader.context.refreshAllObjects()
            try facts.see(items: [item])
        },
    ]

    // MARK: Values instead of objects

    private static let values = [
        WayOfReading(name: "object IDs", covers: ["ManagedObjectContext.fetchObjectIDs(_:)"]) { facts, reader in
            let request = try FetchRequest("Item", "k == twin AND group.k == k AND lineGroup.k == group.k")
            facts.expect(try reader.context.fetchObjectIDs(request).count, Ledger.itemCount, "the number of IDs")
        },
        WayOfReading(name: "a count", covers: ["ManagedObjectContext.count(for:)"]) { facts, reader in
            let request = try FetchRequest(
                "Group", "SUBQUERY(items, $i, $i.k == SELF.k AND $i.groupNumber == SELF.number).@count == %d", Ledger.itemsPerGroup)
            facts.expect(try reader.context.count(for: request), Ledger.groupCount, "a count")
        },
        WayOfReading(
            name: "dictionaries",
            covers: [
                "ManagedObjectContext.fetchDictionaries(_:)", "DictionaryResult.subscript(position:)", "DictionaryResult.startIndex",
                "DictionaryResult.endIndex", "FetchRequest.propertiesToFetch", "FetchRequest.propertiesToGroupBy",
                "FetchRequest.havingPredicate", "FetchRequest.returnsDistinctResults",
            ]
        ) { facts, reader in
            var request = FetchRequest(entityName: "Item")
            request.propertiesToFetch = ["k", "twin", "balance", "group.k"]
            var sum: Int64 = 0
            for row in try reader.context.fetchDictionaries(request) {
                for key in ["k", "twin", "group.k"] { facts.see(k: row[key]?.integerValue, key) }
                sum += row["balance"]?.integerValue ?? 0
            }
            facts.expect(sum, Ledger.total, "the sum of all balances")
            request.propertiesToFetch = [
                "k", .expression(ExpressionDescription(name: "count", expression: try PinviewExpression(format: "count:(SELF)"))),
            ]
            request.propertiesToGroupBy = ["k"]
            request.havingPredicate = try PinviewPredicate(format: "count:(SELF) > 0")
            request.returnsDistinctResults = true
            let groups = try reader.context.fetchDictionaries(request)
            facts.expect(groups.map { $0["count"]?.integerValue }, [Int64(Ledger.itemCount)], "the items by k")
        },
        WayOfReading(
            name: "columns",
            covers: [
                "ManagedObjectContext.fetchColumns(_:givesObjectURIs:)", "ColumnStream.next()", "ColumnBatch.subscript(_:)",
                "Column.subscript(_:)",
                "Column.startIndex", "Column.endIndex", "Column.isNull(_:)", "Column.nullCount", "Column.withNumbers(of:_:)",
                "Column.withBytes(_:_:)",
            ], needsGenerations: true
        ) { facts, reader in
            var request = FetchRequest(entityName: "Item")
            request.propertiesToFetch = ["k", "balance", "group.k"]
            request.fetchBatchSize = 100
            let stream = try reader.context.fetchColumns(request)
            var sum: Int64 = 0
            while let batch = try stream.next() {
                for name in ["k", "group.k"] { for value in batch[name].map(Array.init) ?? [] { facts.see(k: value.integerValue, name) } }
                for value in batch["balance"].map(Array.init) ?? [] { sum += value.integerValue ?? 0 }
            }
            facts.expect(sum, Ledger.total, "the sum of all balances")
        },
        WayOfReading(
            name: "conditions and expressions in memory",
            covers: ["PinviewPredicate.evaluate(with:)", "PinviewExpression.value(with:)", "Sequence.filtered(using:)"],
            needsGenerations: true
        ) { facts, reader in
            let predicate = try PinviewPredicate(format: "SUBQUERY(items, $i, $i.k == SELF.k).@count == %d", Ledger.itemsPerGroup)
            facts.expect(try predicate.evaluate(with: try reader.context.object(with: reader.groupIDs[0])), true, "a condition")
            try reader.renewContext()
            let group = try reader.context.object(with: reader.groupIDs[1])
            facts.expect(try PinviewExpression(format: "items.@max.k - items.@min.k").value(with: group), .integer(0), "a difference")
            try reader.renewContext()
            let items = try reader.context.objects(with: reader.itemIDs)
            facts.expect(
                try items.filtered(using: try PinviewPredicate(format: "group.k == k")).count, Ledger.itemCount,
                "the items that satisfy a condition")
        },
    ]

    // MARK: SQL and files

    private static let statements = [
        WayOfReading(
            name: "SQL",
            covers: [
                "ManagedObjectContext.query(_:_:in:)", "PersistentStoreCoordinator.query(_:_:at:in:)", "SQLCursor.next()",
                "SQLCursor.read(upTo:)",
            ], needsGenerations: true
        ) { facts, reader in
            let sql = "SELECT ZITEM.ZK, ZTWIN, ZGROUP.ZK, ZBALANCE FROM ZITEM JOIN ZGROUP ON ZITEM.ZGROUP = ZGROUP.Z_PK"
            for rows in [try reader.context.query(sql), try reader.coordinator.query(sql)] {
                var sum: Int64 = 0, count = 0
                func see(_ row: [Value]) {
                    for (position, key) in ["k", "twin", "group.k"].enumerated() { facts.see(k: row[position].integerValue, key) }
                    sum += row[3].integerValue ?? 0
                    count += 1
                }
                while let row = try rows.next() {
                    see(row)
                    try rows.read(upTo: 50).forEach(see)
                }
                facts.expect(count, Ledger.itemCount, "the rows")
                facts.expect(sum, Ledger.total, "the sum of all balances")
                facts.beginNextAnswer()
            }
        },
        WayOfReading(
            name: "a generation as a file",
            covers: [
                "PersistentStoreCoordinator.export(_:to:of:replacing:progress:)",
                "PersistentStoreCoordinator.exportDatabase(at:to:replacing:progress:)",
            ], needsGenerations: true
        ) { facts, reader in
            let source = reader.coordinator.persistentStores[0].path ?? "", path = source + "-" + UUID().uuidString
            defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) } }
            for isOfStore in [true, false] {
                if isOfStore {
                    try reader.coordinator.export(.current, to: path)
                } else {
                    try PersistentStoreCoordinator.exportDatabase(at: source, to: path, replacing: true)
                }
                let coordinator = PersistentStoreCoordinator(managedObjectModel: try Ledger.model())
                let store = try coordinator.addPersistentStore(type: .sqlite, at: path)
                let context = ManagedObjectContext(concurrencyType: .privateQueue)
                try context.setPersistentStoreCoordinator(coordinator)
                try facts.see(items: try context.fetch(reader.request()), areAll: true)
                try coordinator.remove(store)
                facts.beginNextAnswer()
            }
        },
        WayOfReading(
            name: "a summary of a file", covers: ["PersistentStoreCoordinator.summary(ofStoreAt:)"], needsGenerations: true
        ) { facts, reader in
            let path = reader.coordinator.persistentStores[0].path ?? ""
            let counts = try PersistentStoreCoordinator.summary(ofStoreAt: path).counts
            facts.expect(counts, ["Item": Ledger.itemCount, "Group": Ledger.groupCount], "the numbers of objects")
        },
    ]

    // MARK: Lists that follow their context

    private static let lists = [
        WayOfReading(
            name: "a fetched results controller",
            covers: [
                "FetchedResultsController.performFetch()", "FetchedResultsController.fetchedObjects",
                "FetchedResultsController.numberOfObjects",
                "FetchedResultsController.numberOfSections", "FetchedResultsController.sections", "FetchedResultsController.object(at:)",
                "FetchedResultsSectionInfo.numberOfObjects",
            ], needsGenerations: true
        ) { facts, reader in
            let request = reader.request {
                $0.sortDescriptors = ["group.number", "number"].map { PinviewSortDescriptor(keyPath: $0, ascending: true) }
            }
            let controller = try FetchedResultsController(
                fetchRequest: request, managedObjectContext: reader.context, sectionNameKeyPath: "group.number")
            try controller.performFetch()
            try facts.see(items: controller.fetchedObjects ?? [], areAll: true)
            for section in controller.sections ?? [] { facts.expect(section.numberOfObjects, Ledger.itemsPerGroup, "a section's count") }
            facts.expect(controller.numberOfSections, Ledger.groupCount, "the number of sections")
        }
    ]

    // MARK: Requests of other kinds

    private static let requests = [
        WayOfReading(
            name: "history", covers: ["PersistentStoreCoordinator.currentPersistentHistoryToken(fromStores:)"], worksInChildren: false,
            needsGenerations: true
        ) { facts, reader in
            let token = try reader.coordinator.currentPersistentHistoryToken()
            _ = try reader.context.execute(PersistentHistoryChangeRequest.fetchHistory(after: token))
            guard
                case .transactions(let transactions) = try reader.context.execute(PersistentHistoryChangeRequest.fetchHistory(after: token))
            else { return }
            for transaction in transactions {
                facts.expect(transaction.changes.count, Ledger.itemCount + Ledger.groupCount, "the changes of a transaction")
            }
        }
    ]

    private static let differences = [
        WayOfReading(
            name: "differences of generations",
            covers: [
                "PersistentStoreCoordinator.difference(from:to:entityNames:affectedStores:)", "GenerationDifference.updatedObjectIDs",
                "GenerationDifference.insertedObjectIDs", "GenerationDifference.deletedObjectIDs", "GenerationDifference.isEmpty",
            ], worksInChildren: false, needsGenerations: true
        ) { facts, reader in
            let contexts = try (0..<2).map { _ in
                let context = ManagedObjectContext(concurrencyType: .privateQueue)
                try context.setPersistentStoreCoordinator(reader.coordinator)
                try context.setQueryGeneration(from: .current)
                _ = try context.count(for: FetchRequest(entityName: "Item"))
                return context
            }
            guard let first = contexts[0].queryGenerationToken, let second = contexts[1].queryGenerationToken else { return }
            let difference = try reader.coordinator.difference(from: first, to: second)
            let all = Ledger.itemCount + Ledger.groupCount
            facts.expect(difference.isEmpty ? all : difference.updatedObjectIDs.count, all, "what differs")
            facts.expect(difference.insertedObjectIDs.count + difference.deletedObjectIDs.count, 0, "what came and went")
        }
    ]
}
