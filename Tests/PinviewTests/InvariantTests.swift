import Pinview
import XCTest

/// Faults that the checks of the invariants and the random test have found, each by itself.
final class InvariantTests: StackTestCase {
    /// As `people()`, with Clubs that have many members.
    override func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Person",
                attributes: [
                    AttributeDescription(name: "name", attributeType: .string),
                    AttributeDescription(name: "age", attributeType: .integer64, defaultValue: 0),
                ],
                relationships: [
                    RelationshipDescription(name: "cars", destinationEntityName: "Car", inverseRelationshipName: "owner", isToMany: true),
                    RelationshipDescription(
                        name: "clubs", destinationEntityName: "Club", inverseRelationshipName: "members", isToMany: true),
                ]),
            EntityDescription(
                name: "Car", attributes: [AttributeDescription(name: "name", attributeType: .string)],
                relationships: [RelationshipDescription(name: "owner", destinationEntityName: "Person", inverseRelationshipName: "cars")]),
            EntityDescription(
                name: "Club", attributes: [AttributeDescription(name: "name", attributeType: .string)],
                relationships: [
                    RelationshipDescription(
                        name: "members", destinationEntityName: "Person", inverseRelationshipName: "clubs", isToMany: true)
                ]),
        ])
    }

    private func storeClub() throws -> ManagedObject {
        let club = try context.insertNewObject(forEntityName: "Club")
        try club.setValue("chess", forKey: "name")
        try context.person("dave0").addRelatedObject(club, forKey: "clubs")
        try context.save()
        return club
    }

    func test_UND_16_aRelationshipThatIsReadAfterAMemberWasDeletedIsUnchangedOnceThatIsTakenBack() throws {
        let club = try storeClub(), person = try context.person("dave0")
        try context.refreshAllObjects()
        try context.performAndWait { try context.delete(club) }
        XCTAssertEqual(try person.relatedObjects(forKey: "clubs"), [])
        XCTAssertEqual(context.updatedObjects, [person])
        try context.undo()
        XCTAssertEqual(try person.relatedObjects(forKey: "clubs"), [club])
        XCTAssertFalse(context.hasChanges)
    }

    func test_CTX_12_aChangeThatOthersHaveMadeTooIsNoneOnceTheRelationshipIsRead() throws {
        let car = try XCTUnwrap(try context.fetch(FetchRequest("Car", "name == 'car0'")).first), second = try context.person("dave1")
        try car.setRelatedObject(second, forKey: "owner")
        let foreign = try XCTUnwrap(try other.fetch(FetchRequest("Car", "name == 'car0'")).first)
        try foreign.setRelatedObject(try other.person("dave1"), forKey: "owner")
        try other.save()
        XCTAssertTrue(second.isUpdated)
        XCTAssertEqual(Set(try second.relatedObjects(forKey: "cars").map { try $0.string("name") }), ["car0", "car1"])
        XCTAssertFalse(second.isUpdated)
    }
}
