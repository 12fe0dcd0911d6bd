import Pinview

/// The store of the checker of answers, and the writer that keeps what must be true in each of its
/// states.
///
///     Group (number, k, items, line)         k      the same in every row, one more with each commit
///       │ 1:n items, line (ordered)          twin   k once more, and as a text in label
///     Item (number, k, twin, label,          balance moves between items; the sum stays
///           balance, groupNumber, place)     items  change groups; each group keeps its count, and they its number
///                                            line   turns; place is an item's place in it
///
/// Each commit rewrites all rows, so an answer that mixes two states has two values of k.
package enum Ledger {
    package static let groupCount = 6, itemsPerGroup = 45
    package static var itemCount: Int { groupCount * itemsPerGroup }
    package static var total: Int64 { Int64(itemCount) * 100 }

    package static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: [
                EntityDescription(
                    name: "Group",
                    attributes: [
                        AttributeDescription(name: "number", attributeType: .integer64),
                        AttributeDescription(name: "k", attributeType: .integer64),
                    ],
                    relationships: [
                        RelationshipDescription(
                            name: "items", destinationEntityName: "Item", inverseRelationshipName: "group", isToMany: true),
                        RelationshipDescription(
                            name: "line", destinationEntityName: "Item", inverseRelationshipName: "lineGroup", isToMany: true,
                            isOrdered: true),
                    ],
                    fetchedProperties: [
                        FetchedPropertyDescription(
                            name: "contemporaries",
                            fetchRequest: FetchRequestDescription(entityName: "Item", predicateFormat: "k == $FETCH_SOURCE.k"))
                    ]),
                EntityDescription(
                    name: "Item",
                    attributes: [
                        AttributeDescription(name: "number", attributeType: .integer64),
                        AttributeDescription(name: "k", attributeType: .integer64),
                        AttributeDescription(name: "twin", attributeType: .integer64),
                        AttributeDescription(name: "label", attributeType: .string),
                        AttributeDescription(
                            name: "seal",
                            elements: [
                                AttributeDescription(name: "first", attributeType: .integer64),
                                AttributeDescription(name: "second", attributeType: .integer64),
                            ]),
                        AttributeDescription(name: "balance", attributeType: .integer64),
                        AttributeDescription(name: "groupNumber", attributeType: .integer64),
                        AttributeDescription(name: "place", attributeType: .integer64),
                    ],
                    relationships: [
                        RelationshipDescription(name: "group", destinationEntityName: "Group", inverseRelationshipName: "items"),
                        RelationshipDescription(name: "lineGroup", destinationEntityName: "Group", inverseRelationshipName: "line"),
                    ]),
            ])
    }

    /// Writes the first state.
    package static func fill(_ coordinator: PersistentStoreCoordinator) throws {
        let context = ManagedObjectContext(concurrencyType: .privateQueue)
        try context.setPersistentStoreCoordinator(coordinator)
        for number in 0..<groupCount {
            let group = try context.insertNewObject(forEntityName: "Group")
            try group.setAttributeValue(.integer(Int64(number)), forKey: "number")
            try group.setAttributeValue(.integer(0), forKey: "k")
            var line: [ManagedObject] = []
            for place in 0..<itemsPerGroup {
                let item = try context.insertNewObject(forEntityName: "Item")
                try item.setAttributeValue(.integer(Int64(number * itemsPerGroup + place)), forKey: "number")
                try item.setAttributeValue(.integer(100), forKey: "balance")
                try item.setAttributeValue(.integer(Int64(place)), forKey: "place")
                try stamp(item, 0)
                try item.setAttributeValue(.integer(Int64(number)), forKey: "groupNumber")
                try item.setRelatedObject(group, forKey: "group")
                line.append(item)
            }
            try group.setRelatedObjects(line, forKey: "line")
        }
        try context.save()
    }

    fileprivate static func stamp(_ item: ManagedObject, _ k: Int64) throws {
        try item.setAttributeValue(.integer(k), forKey: "k")
        try item.setAttributeValue(.integer(k), forKey: "twin")
        try item.setAttributeValue(.string("k\(k)"), forKey: "label")
        try item.setCompositeValue(["first": .integer(k), "second": .integer(k)], forKey: "seal")
    }
}

/// Moves the store from one state to the next. One thread uses it.
package final class LedgerWriter {
    private let context: ManagedObjectContext
    private var random: UInt64

    package init(_ coordinator: PersistentStoreCoordinator, seed: UInt64) throws {
        context = ManagedObjectContext(concurrencyType: .privateQueue)
        try context.setPersistentStoreCoordinator(coordinator)
        context.undoManager = nil
        context.mergePolicy = .overwrite
        random = seed &* 2 &+ 1
    }

    private func below(_ bound: Int) -> Int {
        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(random >> 33) % bound
    }

    /// One commit.
    package func write() throws {
        try context.performAndWait {
            // What another process has written meanwhile counts.
            try context.reset()
            var request = FetchRequest(entityName: "Item")
            request.returnsObjectsAsFaults = false
            let items = Array(try context.fetch(request))
            request.entityName = "Group"
            let groups = Array(try context.fetch(request))
            let k = (try groups.first?.attributeValue(forKey: "k").integerValue ?? 0) + 1
            for item in items { try Ledger.stamp(item, k) }
            for group in groups { try group.setAttributeValue(.integer(k), forKey: "k") }
            for _ in 0..<8 { try transfer(items[below(items.count)], items[below(items.count)], Int64(below(50))) }
            try exchange(items[below(items.count)], items[below(items.count)])
            try turn(groups[below(groups.count)])
            try context.save()
        }
    }

    private func transfer(_ from: ManagedObject, _ to: ManagedObject, _ amount: Int64) throws {
        for (item, change) in [(from, -amount), (to, amount)] {
            let balance = try item.attributeValue(forKey: "balance").integerValue ?? 0
            try item.setAttributeValue(.integer(balance + change), forKey: "balance")
        }
    }

    /// Two items change their groups.
    private func exchange(_ left: ManagedObject, _ right: ManagedObject) throws {
        guard let leftGroup = try left.relatedObject(forKey: "group"), let rightGroup = try right.relatedObject(forKey: "group") else {
            return
        }
        for (item, group) in [(left, rightGroup), (right, leftGroup)] {
            try item.setRelatedObject(group, forKey: "group")
            try item.setAttributeValue(try group.attributeValue(forKey: "number"), forKey: "groupNumber")
        }
    }

    private func turn(_ group: ManagedObject) throws {
        var line = try group.relatedObjects(forKey: "line")
        line.append(line.removeFirst())
        try group.setRelatedObjects(line, forKey: "line")
        for (place, item) in line.enumerated() { try item.setAttributeValue(.integer(Int64(place)), forKey: "place") }
    }
}
