import Foundation
import Pinview
import RandomSupport
import XCTest

/// Members that join and leave a relationship in any order, compared with a plain list: REL-01 and
/// REL-02.
final class MembershipTests: StackTestCase {
    override func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "List",
                relationships: [
                    RelationshipDescription(name: "items", destinationEntityName: "Item", inverseRelationshipName: "list", isToMany: true),
                    RelationshipDescription(
                        name: "ordered", destinationEntityName: "Item", inverseRelationshipName: "orderedList", isToMany: true,
                        isOrdered: true),
                ]),
            EntityDescription(
                name: "Item",
                relationships: [
                    RelationshipDescription(name: "list", destinationEntityName: "List", inverseRelationshipName: "items"),
                    RelationshipDescription(name: "orderedList", destinationEntityName: "List", inverseRelationshipName: "ordered"),
                ]),
        ])
    }

    override func prepareStore() throws {}

    func test_REL_01_membersOfAnUnorderedRelationshipJoinAndLeave() throws {
        try followRandomChanges(of: "items")
    }

    func test_REL_02_membersOfAnOrderedRelationshipKeepTheirOrder() throws {
        try followRandomChanges(of: "ordered")
    }

    /// Reads rarely, so that many members leave between two readings.
    private func followRandomChanges(of key: String) throws {
        let seed = SeededGenerator.givenSeed ?? UInt64.random(in: 1...1_000_000)
        print("PINVIEW_SEED=\(seed)")
        var random = SeededGenerator(seed: seed)
        let list = try context.insertNewObject(forEntityName: "List")
        let items = try (0..<200).map { _ in try context.insertNewObject(forEntityName: "Item") }
        var expected: [ManagedObject] = []

        for step in 0..<4_000 {
            let item = items[random.below(items.count)]
            let place = expected.firstIndex { $0 === item }
            if let place, random.below(3) > 0 {
                expected.remove(at: place)
                try list.removeRelatedObject(item, forKey: key)
            } else if place == nil {
                expected.append(item)
                try list.addRelatedObject(item, forKey: key)
            }
            switch random.below(40) {
            case 0: XCTAssertEqual(try members(of: list, key), key == "ordered" ? expected : sorted(expected), "step \(step)")
            case 1: XCTAssertEqual(try list.countOfRelatedObjects(forKey: key), expected.count, "step \(step)")
            case 2 where step % 3 == 0: try context.save()
            default: continue
            }
        }

        XCTAssertEqual(try members(of: list, key), key == "ordered" ? expected : sorted(expected))
        try context.save()
        let fresh = try makeContext(coordinator)
        let stored = try fresh.existingObject(with: list.objectID).relatedObjects(forKey: key)
        XCTAssertEqual(Set(stored.map(\.objectID)), Set(expected.map(\.objectID)))
        if key == "ordered" { XCTAssertEqual(stored.map(\.objectID), expected.map(\.objectID)) }
    }

    /// In order, or sorted by their addresses if the relationship has no order.
    private func members(of list: ManagedObject, _ key: String) throws -> [ManagedObject] {
        let members = Array(try list.relatedObjects(forKey: key))
        return key == "ordered" ? members : sorted(members)
    }

    private func sorted(_ objects: [ManagedObject]) -> [ManagedObject] {
        objects.sorted { ObjectIdentifier($0) < ObjectIdentifier($1) }
    }
}
