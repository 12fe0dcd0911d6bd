import Pinview
import XCTest

/// The order of many-to-many relationships is kept, whichever side a member was added from.
final class OrderedRelationshipTests: StackTestCase {
    override func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Step", attributes: [AttributeDescription(name: "name", attributeType: .string)],
                relationships: [
                    RelationshipDescription(
                        name: "followers", destinationEntityName: "Step", inverseRelationshipName: "needs", isToMany: true),
                    RelationshipDescription(
                        name: "needs", destinationEntityName: "Step", inverseRelationshipName: "followers", isToMany: true, isOrdered: true),
                ])
        ])
    }

    override func prepareStore() throws {}

    func test_theOrderIsThatOfTheAdditionsFromTheOtherSide() throws {
        let steps = try ["a", "b", "c", "d"].map { name in
            let step = try context.insertNewObject(forEntityName: "Step")
            try step.setValue(name, forKey: "name")
            return step
        }
        // Neither the order of the steps nor that of the saves.
        for index in [3, 1, 2] { try steps[index].addRelatedObject(steps[0], forKey: "followers") }
        try steps[0].addRelatedObject(steps[0], forKey: "needs")
        let order = try steps[0].relatedObjects(forKey: "needs").map { try $0.value(forKey: "name", as: String.self) }
        XCTAssertEqual(order, ["d", "b", "c", "a"])
        try context.save()
        let stored = try XCTUnwrap(try other.fetch(FetchRequest("Step", "name == 'a'")).first)
        XCTAssertEqual(try stored.relatedObjects(forKey: "needs").map { try $0.value(forKey: "name", as: String.self) }, order)
        XCTAssertEqual(try other.count(for: FetchRequest("Step", "needs[FIRST].name == 'd' AND needs[LAST].name == 'a'")), 1)
    }
}
