import Foundation
import Pinview
import RandomSupport
import XCTest

/// Random changes of every kind: the history, the comparison of the generations, and a naive
/// reading of all objects must agree on what differs.
final class RandomDifferenceTests: StoreTestCase {
    /// Sub-entities, and every kind of relationship that a store keeps in its own way.
    private func model() throws -> ManagedObjectModel {
        func attribute(_ name: String, _ type: AttributeType) -> AttributeDescription {
            AttributeDescription(name: name, attributeType: type)
        }
        func many(_ name: String, _ destination: String, _ inverse: String?, ordered: Bool = false) -> RelationshipDescription {
            RelationshipDescription(
                name: name, destinationEntityName: destination, inverseRelationshipName: inverse, isToMany: true, isOrdered: ordered)
        }
        return try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Person",
                attributes: [
                    attribute("name", .string), attribute("age", .integer64), attribute("height", .double), attribute("born", .date),
                    attribute("photo", .binaryData),
                ],
                relationships: [
                    RelationshipDescription(name: "boss", destinationEntityName: "Person", inverseRelationshipName: "staff"),
                    many("staff", "Person", "boss"), many("clubs", "Club", "members"), many("friends", "Person", "friends"),
                    many("likes", "Track", nil),
                ]),
            EntityDescription(name: "Employee", superentityName: "Person", attributes: [attribute("salary", .decimal)]),
            EntityDescription(name: "Club", attributes: [attribute("name", .string)], relationships: [many("members", "Person", "clubs")]),
            EntityDescription(
                name: "Album", attributes: [attribute("name", .string)], relationships: [many("tracks", "Track", "album", ordered: true)]),
            EntityDescription(
                name: "Track", attributes: [attribute("name", .string)],
                relationships: [
                    RelationshipDescription(name: "album", destinationEntityName: "Album", inverseRelationshipName: "tracks"),
                    many("lists", "List", "tracks"),
                ]),
            EntityDescription(
                name: "List", attributes: [attribute("name", .string)], relationships: [many("tracks", "Track", "lists", ordered: true)]),
        ])
    }

    private static let entityNames = ["Person", "Employee", "Club", "Album", "Track", "List"]

    private func changeAtRandom(_ context: ManagedObjectContext, _ generator: inout SeededGenerator) throws {
        var objects: [String: [ManagedObject]] = [:]
        for name in ["Person", "Club", "Album", "Track", "List"] {
            var request = FetchRequest(entityName: name)
            request.returnsObjectsAsFaults = false
            objects[name] = try context.fetch(request).sorted { $0.objectID.uriRepresentation < $1.objectID.uriRepresentation }
        }
        for _ in 0..<Int.random(in: 1...12, using: &generator) {
            let entityName = Self.entityNames.randomElement(using: &generator) ?? "Person"
            let group = entityName == "Employee" ? "Person" : entityName
            let object = objects[group]?.filter { !$0.isDeleted }.randomElement(using: &generator)
            switch Int.random(in: 0..<12, using: &generator) {
            case 0, 1:
                let new = try context.insertNewObject(forEntityName: entityName)
                try new.setValue("n\(Int.random(in: 0..<4, using: &generator))", forKey: "name")
                objects[group]?.append(new)
            case 2:
                guard let object else { continue }
                try context.delete(object)
                objects[group]?.removeAll { $0 === object }
            default:
                guard let object, let property = object.entity.properties.randomElement(using: &generator) else { continue }
                try change(object, property, objects, &generator)
            }
        }
    }

    private func change(
        _ object: ManagedObject, _ property: Property, _ objects: [String: [ManagedObject]], _ generator: inout SeededGenerator
    ) throws {
        if property.isAttribute {
            let number = Int64.random(in: 0..<3, using: &generator)
            let value: Value =
                switch property.attributeType {
                case .string: .string("n\(number)")
                case .double: .double(Double(number) / 2)
                case .date: .date(Date(timeIntervalSinceReferenceDate: Double(number) / 2))
                case .decimal: .decimal(try XCTUnwrap(DecimalNumber("\(number).5")))
                case .binaryData: .binary([UInt8](repeating: 7, count: 3000 * Int(number)))
                default: .integer(number)
                }
            return try object.setAttributeValue(number == 2 ? Value.null : value, forKey: property.name)
        }
        let destinations = objects[property.destinationEntityName] ?? []
        guard property.isToMany else {
            return try object.setRelatedObject(destinations.randomElement(using: &generator), forKey: property.name)
        }
        let members = destinations.shuffled(using: &generator).prefix(Int.random(in: 0...4, using: &generator))
        try object.setRelatedObjects(Array(members), forKey: property.name)
    }

    /// Every object of a generation with the values of its properties, as a program reads them.
    private func contents(_ coordinator: PersistentStoreCoordinator, _ token: QueryGenerationToken) throws -> [String: [String: String]] {
        let context = try makeContext(coordinator)
        try context.setQueryGeneration(from: token)
        var result: [String: [String: String]] = [:]
        for name in ["Person", "Club", "Album", "Track", "List"] {
            for object in try context.fetch(FetchRequest(entityName: name)) {
                var values: [String: String] = [:]
                for property in object.entity.properties {
                    if property.isAttribute {
                        values[property.name] = "\(try object.attributeValue(forKey: property.name))"
                    } else if property.isToMany {
                        let members = try object.relatedObjects(forKey: property.name).map(\.objectID.uriRepresentation)
                        values[property.name] = (property.isOrdered ? members : members.sorted()).joined(separator: " ")
                    } else {
                        values[property.name] = try object.relatedObject(forKey: property.name)?.objectID.uriRepresentation
                    }
                }
                result[object.objectID.uriRepresentation] = values
            }
        }
        return result
    }

    private func naive(_ old: [String: [String: String]], _ new: [String: [String: String]]) -> [String] {
        Set(old.keys).union(new.keys).compactMap { key -> String? in
            guard let one = old[key] else { return "insert \(key)" }
            guard let other = new[key] else { return "delete \(key)" }
            let names = Set(one.keys).union(other.keys).filter { one[$0] != other[$0] }
            return names.isEmpty ? nil : "update \(key) \(names.sorted())"
        }.sorted()
    }

    private func texts(_ difference: GenerationDifference) -> [String] {
        difference.changes.map { change in
            "\(change.changeType) \(change.changedObjectID.uriRepresentation)"
                + (change.changeType == .update ? " \(change.updatedProperties.sorted())" : "")
        }.sorted()
    }

    func test_historyComparisonAndNaiveReadingAgree() throws {
        let seed = SeededGenerator.givenSeed ?? 1
        print("seed of RandomDifferenceTests: \(seed) (PINVIEW_SEED)")
        var generator = SeededGenerator(seed: seed)
        for (round, tracks) in [true, false, true].enumerated() {
            let options: [String: Value] = tracks ? ["NSPersistentHistoryTrackingKey": true] : [:]
            let coordinator = try makeCoordinator(try model(), name: "random\(round).sqlite", options: options)
            let writer = try makeContext(coordinator)
            var pinned: [(ManagedObjectContext, QueryGenerationToken, [String: [String: String]])] = []
            for step in 0..<25 {
                try changeAtRandom(writer, &generator)
                try writer.save()
                if Int.random(in: 0..<4, using: &generator) == 0 {
                    var update = BatchUpdateRequest(entityName: "Person")
                    update.predicate = try PinviewPredicate(format: "age == 1")
                    update.propertiesToUpdate = ["name": .string("batch\(step)")]
                    _ = try writer.execute(update)
                    var delete = BatchDeleteRequest(fetchRequest: try FetchRequest("Track", "name == 'n3'"))
                    delete.resultType = .count
                    _ = try writer.execute(delete)
                    try writer.reset()
                }
                guard step % 3 == 0 else { continue }
                let reader = try makeContext(coordinator)
                try reader.setQueryGeneration(from: .current)
                _ = try reader.count(for: FetchRequest(entityName: "Person"))
                let token = try XCTUnwrap(reader.queryGenerationToken)
                pinned.append((reader, token, try contents(coordinator, token)))
            }
            for one in pinned {
                for other in pinned {
                    let difference = try coordinator.difference(from: one.1, to: other.1)
                    let compared = try coordinator.difference(
                        from: one.1, to: other.1, entityNames: nil, affectedStores: nil, usesHistory: false)
                    let isWhole = tracks && one.1 != other.1
                    XCTAssertEqual(difference.storesToldFromHistory.isEmpty, !isWhole, "round \(round), seed \(seed)")
                    XCTAssertEqual(texts(compared), naive(one.2, other.2), "round \(round), seed \(seed)")
                    XCTAssertEqual(texts(difference), texts(compared), "round \(round), seed \(seed)")
                }
            }
        }
    }
}
