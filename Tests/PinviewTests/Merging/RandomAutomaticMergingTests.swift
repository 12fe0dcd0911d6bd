import Pinview
import RandomSupport
import XCTest

/// Contexts that merge by themselves, with and without somebody who observes them: what a context
/// shows does not depend on who is told of it.
final class RandomAutomaticMergingTests: StackTestCase {
    private lazy var random = SeededGenerator.announced("RandomAutomaticMergingTests")

    /// Departments with members, which have a boss and friends, and departments' guests, who have no
    /// relationship back.
    override func model() throws -> ManagedObjectModel {
        func relationship(
            _ name: String, _ destination: String, _ inverse: String? = nil, isToMany: Bool = false
        ) -> RelationshipDescription {
            RelationshipDescription(name: name, destinationEntityName: destination, inverseRelationshipName: inverse, isToMany: isToMany)
        }
        return try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Department", attributes: [AttributeDescription(name: "name", attributeType: .integer64)],
                relationships: [
                    relationship("members", "Person", "department", isToMany: true), relationship("guests", "Person", isToMany: true),
                ]),
            EntityDescription(
                name: "Person", attributes: [AttributeDescription(name: "age", attributeType: .integer64)],
                relationships: [
                    relationship("department", "Department", "members"), relationship("friends", "Person", "friends", isToMany: true),
                ]),
            EntityDescription(name: "Note", attributes: [AttributeDescription(name: "number", attributeType: .integer64)]),
        ])
    }

    override func prepareStore() throws {
        let context = try makeContext(coordinator)
        for _ in 0..<60 { try insert(context) }
        try context.save()
    }

    private static let keys = ["Department": "name", "Person": "age", "Note": "number"]

    private func all(_ context: ManagedObjectContext) throws -> [ManagedObject] {
        try Self.keys.keys.sorted().flatMap { name in
            var request = FetchRequest(entityName: name)
            request.returnsObjectsAsFaults = random.oneIn(2)
            return Array(try context.fetch(request))
        }
    }

    /// What an object shows, as a text; deleted ones show nothing.
    private func description(_ object: ManagedObject) throws -> String {
        if try object.isDeleted || object.managedObjectContext?.registeredObject(for: object.objectID) == nil { return "gone" }
        func names(_ objects: [ManagedObject]) -> String { objects.map { $0.objectID.uriRepresentation }.sorted().joined(separator: ",") }
        var parts = ["\(try object.value(forKey: Self.keys[object.entity.name] ?? "") as? Int64 ?? -1)"]
        switch object.entity.name {
        case "Department": for key in ["members", "guests"] { parts.append(names(try object.relatedObjects(forKey: key))) }
        case "Person":
            parts.append(names(try object.relatedObject(forKey: "department").map { [$0] } ?? []))
            parts.append(names(try object.relatedObjects(forKey: "friends")))
        default: break
        }
        return parts.joined(separator: " | ")
    }

    private func insert(_ context: ManagedObjectContext) throws {
        let name = ["Department", "Person", "Note"][random.below(3)]
        try context.insertNewObject(forEntityName: name).setValue(random.below(1000), forKey: Self.keys[name] ?? "")
    }

    private func change(_ object: ManagedObject, _ all: [ManagedObject]) throws {
        let persons = all.filter { $0.entity.name == "Person" && !$0.isDeleted }
        let departments = all.filter { $0.entity.name == "Department" && !$0.isDeleted }
        switch (object.entity.name, random.below(3)) {
        case ("Person", 1): try object.setRelatedObject(departments.randomElement(using: &random), forKey: "department")
        case ("Person", 2):
            let friend = persons.randomElement(using: &random)
            if let friend, friend !== object { try object.addRelatedObject(friend, forKey: "friends") }
        case ("Department", 1):
            let guests = try object.relatedObjects(forKey: "guests")
            if let guest = guests.randomElement(using: &random) {
                try object.removeRelatedObject(guest, forKey: "guests")
            } else if let guest = persons.randomElement(using: &random) {
                try object.addRelatedObject(guest, forKey: "guests")
            }
        default: try object.setValue(random.below(1000), forKey: Self.keys[object.entity.name] ?? "")
        }
    }

    func test_MRG_07_whoIsWatchedShowsTheSameAsWhoIsNot() throws {
        let saving = try makeContext(coordinator)
        for pin in [nil, QueryGenerationToken.current] {
            let (watched, alone, late) = (try makeContext(coordinator), try makeContext(coordinator), try makeContext(coordinator))
            let observer = PinviewNotificationCenter.default.addObserver(forName: .objectsDidChange, object: watched) { _ in }
            defer { PinviewNotificationCenter.default.removeObserver(observer) }
            for context in [watched, alone] {
                try context.setQueryGeneration(from: pin)
                try context.setAutomaticallyMergesChangesFromParent(true)
            }
            var kept = [watched, alone].map { _ in [ManagedObject]() }
            for round in 0..<120 {
                for (place, context) in [watched, alone].enumerated() where random.oneIn(6) || round == 0 { kept[place] = try all(context) }
                let objects = try all(saving)
                for _ in 0...random.below(3) {
                    switch random.below(8) {
                    case 0: try insert(saving)
                    case 1: if let object = objects.randomElement(using: &random), !object.isDeleted { try saving.delete(object) }
                    default: if let object = objects.randomElement(using: &random), !object.isDeleted { try change(object, objects) }
                    }
                }
                try saving.save()
                guard random.oneIn(3) else { continue }
                // What a context shows that has seen nothing yet.
                try late.refreshAllObjects()
                let expected = Dictionary(
                    try all(late).map { ($0.objectID, try description($0)) }, uniquingKeysWith: { first, _ in first })
                for (place, name) in ["watched", "alone"].enumerated() {
                    for object in kept[place] where !random.oneIn(3) {
                        XCTAssertEqual(
                            try description(object), expected[object.objectID] ?? "gone", "\(name), round \(round), \(object.entity.name)")
                    }
                }
            }
        }
    }
}
