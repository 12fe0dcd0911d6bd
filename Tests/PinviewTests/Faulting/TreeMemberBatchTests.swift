import Pinview
import XCTest

/// The members of a relationship between objects of one entity: an owner may be a member that has
/// come with other members, too.
final class TreeMemberBatchTests: StackTestCase {
    private static let count = 200

    override func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Node", attributes: [AttributeDescription(name: "number", attributeType: .integer64)],
                relationships: [
                    RelationshipDescription(
                        name: "children", destinationEntityName: "Node", inverseRelationshipName: "parent", isToMany: true),
                    RelationshipDescription(name: "parent", destinationEntityName: "Node", inverseRelationshipName: "children"),
                ])
        ])
    }

    /// A tree whose inner nodes have ten children each, which do not follow each other.
    override func prepareStore() throws {
        let context = try makeContext(coordinator)
        let nodes = try (0..<Self.count).map { number in
            let node = try context.insertNewObject(forEntityName: "Node")
            try node.setValue(number, forKey: "number")
            return node
        }
        for number in 1..<Self.count {
            try nodes[number].setRelatedObject(nodes[number % 20 == number ? 0 : number % 20], forKey: "parent")
        }
        try context.save()
    }

    func test_FLT_05_ownersThatAreMembersAreReadTogetherToo() throws {
        var request = FetchRequest(entityName: "Node")
        request.sortDescriptors = [PinviewSortDescriptor(keyPath: "number", ascending: true)]
        let nodes = Array(try context.fetch(request))
        // The members of 1, 4, 16, 64 and 115 owners, with their rows.
        let read = try selects {
            for (number, node) in nodes.enumerated() {
                let children = try node.relatedObjects(forKey: "children").compactMap { try $0.integer("number") }.sorted()
                let expected = (1..<Self.count).filter { ($0 % 20 == $0 ? 0 : $0 % 20) == number }.map(Int64.init)
                XCTAssertEqual(children, expected)
            }
        }
        XCTAssertEqual(read, 5)
    }

    /// The order of a fetch holds beyond the blocks of its rows, although the objects have come with
    /// the rows of other members by then.
    func test_FLT_05_theOrderOfALargeFetchHoldsToItsEnd() throws {
        let count = 1000
        let writer = try makeContext(coordinator)
        let inner = try writer.fetch(FetchRequest("Node", "number < 20"))
        for number in Self.count..<count {
            let node = try writer.insertNewObject(forEntityName: "Node")
            try node.setValue(number, forKey: "number")
            try node.setRelatedObject(inner[number * 7 % 20], forKey: "parent")
        }
        try writer.save()
        let context = try makeContext(coordinator)
        for isAgain in [false, true] {
            var request = FetchRequest(entityName: "Node"), members = 0
            request.sortDescriptors = [PinviewSortDescriptor(keyPath: "number", ascending: true)]
            let nodes = Array(try context.fetch(request))
            for node in nodes where isAgain { try context.refresh(node, mergeChanges: false) }
            // The members of 1, 4, 16, 64, 256, 256, 256 and 147 owners.
            let read = try selects {
                for node in nodes { members += try node.relatedObjects(forKey: "children").count }
            }
            XCTAssertEqual(members, count - 1)
            XCTAssertLessThanOrEqual(read, 8)
        }
    }
}
