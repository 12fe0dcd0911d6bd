import Pinview
import XCTest

/// Members of a relationship that a context changes and saves, as long as nobody else writes.
final class MembersAfterSavesTests: StackTestCase {
    private static let count = 1_000
    /// The number of the car without an owner.
    private static let free = 9_999

    override func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Owner", attributes: [AttributeDescription(name: "name", attributeType: .string)],
                relationships: [
                    RelationshipDescription(name: "cars", destinationEntityName: "Car", inverseRelationshipName: "owner", isToMany: true)
                ]),
            EntityDescription(
                name: "Car", attributes: [AttributeDescription(name: "number", attributeType: .integer64)],
                relationships: [RelationshipDescription(name: "owner", destinationEntityName: "Owner", inverseRelationshipName: "cars")]),
        ])
    }

    override func prepareStore() throws {
        let context = try makeContext(coordinator)
        let owner = try context.insertNewObject(forEntityName: "Owner")
        for number in 0..<Self.count {
            let car = try context.insertNewObject(forEntityName: "Car")
            try car.setValue(number, forKey: "number")
            try car.setRelatedObject(owner, forKey: "owner")
        }
        try context.insertNewObject(forEntityName: "Car").setValue(Self.free, forKey: "number")
        try context.save()
    }

    private func owner() throws -> ManagedObject { try XCTUnwrap(try context.fetch(FetchRequest(entityName: "Owner")).first) }

    private func numbers(_ owner: ManagedObject) throws -> [Int64] {
        try owner.relatedObjects(forKey: "cars").compactMap { try $0.integer("number") }.sorted()
    }

    /// Issue 20, 6. Before, an unpinned context read all members anew after it had saved a removal.
    func test_ONE_04_membersAreNotReadAnewAfterTheContextsOwnSaves() throws {
        let owner = try owner(), cars = try owner.relatedObjects(forKey: "cars")
        try owner.addRelatedObject(try context.insertNewObject(forEntityName: "Car"), forKey: "cars")
        try context.save()
        // Its values come from the cache, where they are older than the first save.
        try owner.removeRelatedObject(cars[400], forKey: "cars")
        try context.save()

        let statements = try logged {
            try owner.removeRelatedObject(cars[800], forKey: "cars")
            XCTAssertEqual(try numbers(owner).count, Self.count - 2)
        }

        XCTAssertEqual(statements.filter { $0.contains("SELECT") }, [])
    }

    func test_ONE_04_membersAreReadAnewAfterSomebodyElseHasSaved() throws {
        let owner = try owner()
        XCTAssertEqual(try numbers(owner).count, Self.count)
        let car = try XCTUnwrap(try other.fetch(FetchRequest(entityName: "Car")).first { try $0.relatedObject(forKey: "owner") != nil })
        try car.setRelatedObject(nil, forKey: "owner")
        try other.save()

        try owner.setValue("Ada", forKey: "name")
        try context.save()

        XCTAssertEqual(try numbers(owner).count, Self.count - 1)
    }

    /// The row of the car that the other context has saved is in the cache, and newer than what this
    /// context has read.
    func test_ONE_02_aCachedRowOfSomebodyElseJoinsTheMembersThatAreLoaded() throws {
        let owner = try owner()
        XCTAssertEqual(try numbers(owner).count, Self.count)
        var request = FetchRequest(entityName: "Car")
        request.predicate = try PinviewPredicate(format: "number == %@", Self.free)
        let there = try XCTUnwrap(try other.fetch(request).first)
        try there.setRelatedObject(try other.fetch(FetchRequest(entityName: "Owner")).first, forKey: "owner")
        try other.save()

        let here = try context.object(with: there.objectID)
        XCTAssertEqual(try here.relatedObject(forKey: "owner"), owner)

        XCTAssertTrue(try owner.relatedObjects(forKey: "cars").contains(here))
    }

    func test_rollbackRestoresMembersThatWereAddedAndRemoved() throws {
        let owner = try owner(), before = try numbers(owner), cars = try owner.relatedObjects(forKey: "cars")
        for car in cars.prefix(100) { try owner.removeRelatedObject(car, forKey: "cars") }
        for number in 0..<3 {
            let car = try context.insertNewObject(forEntityName: "Car")
            try car.setValue(Self.count + number, forKey: "number")
            try owner.addRelatedObject(car, forKey: "cars")
        }
        try owner.addRelatedObject(cars[0], forKey: "cars")
        XCTAssertEqual(try numbers(owner).count, Self.count - 96)

        try context.rollback()

        XCTAssertEqual(try numbers(owner), before)
    }

    func test_aMemberThatHasLeftIsNotKeptByTheRelationship() throws {
        let owner = try owner()
        weak var left: ManagedObject?
        do {
            let car = try XCTUnwrap(try owner.relatedObjects(forKey: "cars").first)
            left = car
            try owner.removeRelatedObject(car, forKey: "cars")
            try context.save()
        }
        context.undoManager?.removeAllActions()
        XCTAssertNil(left)
    }
}
