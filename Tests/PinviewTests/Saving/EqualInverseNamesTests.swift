import Pinview
import XCTest

/// A many-to-many relationship whose inverse has the same name and the same place in another entity
/// is not its own inverse: rows of its join table with the keys the other way round are others'.
final class EqualInverseNamesTests: XCTestCase {
    private func makeContext() throws -> ManagedObjectContext {
        func entity(_ name: String, _ destination: String) -> EntityDescription {
            EntityDescription(
                name: name,
                relationships: [
                    RelationshipDescription(
                        name: "peers", destinationEntityName: destination, inverseRelationshipName: "peers", isToMany: true)
                ])
        }
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel(entities: [entity("Left", "Right"), entity("Right", "Left")]))
        try coordinator.addPersistentStore(type: .inMemory)
        let context = ManagedObjectContext(concurrencyType: .privateQueue)
        try context.setPersistentStoreCoordinator(coordinator)
        return context
    }

    /// Keys are assigned in the order of insertion: the second of each is related to the first of
    /// the other.
    private func relateCrosswise(_ context: ManagedObjectContext) throws -> (left: [ManagedObject], right: [ManagedObject]) {
        let left = try (0..<2).map { _ in try context.insertNewObject(forEntityName: "Left") }
        let right = try (0..<2).map { _ in try context.insertNewObject(forEntityName: "Right") }
        try left[0].addRelatedObject(right[1], forKey: "peers")
        try left[1].addRelatedObject(right[0], forKey: "peers")
        try context.save()
        return (left, right)
    }

    func test_ONE_04_removingAMemberLeavesTheRowWithTheKeysTheOtherWayRound() throws {
        let context = try makeContext()
        let (left, right) = try relateCrosswise(context)

        try left[0].removeRelatedObject(right[1], forKey: "peers")
        try context.save()
        try context.refreshAllObjects()

        XCTAssertEqual(try left[0].countOfRelatedObjects(forKey: "peers"), 0)
        XCTAssertEqual(try left[1].countOfRelatedObjects(forKey: "peers"), 1)
    }

    func test_ONE_04_deletingAnOwnerLeavesTheRowsOfOthers() throws {
        let context = try makeContext()
        let (left, right) = try relateCrosswise(context)

        try context.delete(left[0])
        try context.save()
        try context.refreshAllObjects()

        XCTAssertEqual(try left[1].countOfRelatedObjects(forKey: "peers"), 1)
        XCTAssertEqual(try right[0].countOfRelatedObjects(forKey: "peers"), 1)
    }
}
