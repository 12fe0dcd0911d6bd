import Pinview
import XCTest

/// Faults that the checks of the invariants and the random test have found, one test for each.
final class InvariantTests: StackTestCase {
    /// As `people()`, with Clubs that have many members and Lists of ordered Items.
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
                name: "Part",
                relationships: [
                    RelationshipDescription(
                        name: "parts", destinationEntityName: "Part", inverseRelationshipName: "whole", isToMany: true, deleteRule: .cascade
                    ),
                    RelationshipDescription(name: "whole", destinationEntityName: "Part", inverseRelationshipName: "parts"),
                ]),
            EntityDescription(
                name: "List",
                relationships: [
                    RelationshipDescription(
                        name: "items", destinationEntityName: "Item", inverseRelationshipName: "list", isToMany: true, isOrdered: true)
                ]),
            EntityDescription(
                name: "Item", attributes: [AttributeDescription(name: "name", attributeType: .string)],
                relationships: [RelationshipDescription(name: "list", destinationEntityName: "List", inverseRelationshipName: "items")]),
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

    func test_UND_16_aRelationshipReadAfterADeletionIsUnchangedOnceTheDeletionIsUndone() throws {
        let club = try storeClub(), person = try context.person("dave0")
        try context.refreshAllObjects()
        try context.performAndWait { try context.delete(club) }
        XCTAssertEqual(try person.relatedObjects(forKey: "clubs"), [])
        XCTAssertEqual(context.updatedObjects, [person])
        try context.undo()
        XCTAssertEqual(try person.relatedObjects(forKey: "clubs"), [club])
        XCTAssertFalse(context.hasChanges)
    }

    func test_UND_16_aMemberThatIsPutBackIntoAnUnorderedRelationshipLeavesNoChange() throws {
        let person = try context.person("dave0"), car = try XCTUnwrap(try context.fetch(FetchRequest("Car", "name == 'car1'")).first)
        try car.setRelatedObject(person, forKey: "owner")
        try context.save()
        XCTAssertEqual(try person.countOfRelatedObjects(forKey: "cars"), 2)
        let first = try XCTUnwrap(try person.relatedObjects(forKey: "cars").first)
        try context.performAndWait { try person.removeRelatedObject(first, forKey: "cars") }
        try context.undo()
        XCTAssertFalse(context.hasChanges)
    }

    func test_REF_07_anObjectWhoseSavedDeletionIsTakenBackIsRetainedLikeAllOthers() throws {
        context.retainsRegisteredObjects = true
        let person = try context.person("dave0")
        try context.performAndWait { try context.delete(person) }
        try context.save()
        try context.undo()
        XCTAssertEqual(context.insertedObjects, [person])
        XCTAssertEqual(context.checkInvariants(), [])
    }

    func test_UND_04_anOrderedRelationshipHasItsOrderAgainWhenItWasLoadedInBetween() throws {
        let list = try context.insertNewObject(forEntityName: "List"), other = try context.insertNewObject(forEntityName: "List")
        let items = try (0..<3).map { number in
            let item = try context.insertNewObject(forEntityName: "Item")
            try item.setValue("item\(number)", forKey: "name")
            return item
        }
        try list.setRelatedObjects(items, forKey: "items")
        try context.save()
        try context.refreshAllObjects()
        // Taken out while the list's order is not loaded, and put back when it is.
        try context.performAndWait { try other.addRelatedObject(items[0], forKey: "items") }
        XCTAssertEqual(try list.relatedObjects(forKey: "items"), Array(items[1...]))
        try context.undo()
        XCTAssertEqual(try list.relatedObjects(forKey: "items"), items)
        XCTAssertFalse(context.hasChanges)
    }

    func test_REL_02_aMemberThatComesBackStandsLastWhetherTheOrderWasLoadedOrNot() throws {
        for isLoaded in [true, false] {
            let list = try context.insertNewObject(forEntityName: "List")
            let items = try (0..<2).map { _ in try context.insertNewObject(forEntityName: "Item") }
            try list.setRelatedObjects(items, forKey: "items")
            try context.save()
            try context.refreshAllObjects()
            if isLoaded { XCTAssertEqual(try list.relatedObjects(forKey: "items"), items) }
            try items[0].setRelatedObject(nil, forKey: "list")
            try items[0].setRelatedObject(list, forKey: "list")
            XCTAssertEqual(try list.relatedObjects(forKey: "items"), items.reversed())
        }
    }

    func test_REL_06_newObjectsThatCascadeInACircleGoTogether() throws {
        let parts = try (0..<3).map { _ in try context.insertNewObject(forEntityName: "Part") }
        for index in 0..<3 { try parts[index].setRelatedObject(parts[(index + 1) % 3], forKey: "whole") }
        try context.processPendingChanges()
        try context.delete(parts[0])
        try context.processPendingChanges()
        XCTAssertTrue(context.insertedObjects.isEmpty)
        try context.undo()
        XCTAssertEqual(context.insertedObjects, Set(parts))
        for index in 0..<3 { XCTAssertEqual(try parts[index].relatedObject(forKey: "whole"), parts[(index + 1) % 3]) }
        try context.save()
        XCTAssertEqual(try sqlite3("SELECT count(*), count(ZWHOLE) FROM ZPART"), "3|3")
    }

    func test_REL_06_aChainOfNewObjectsOfAnyLengthGoes() throws {
        context.undoManager = nil
        let parts = try (0..<8_000).map { _ in try context.insertNewObject(forEntityName: "Part") }
        for index in parts.indices.dropFirst() { try parts[index].setRelatedObject(parts[index - 1], forKey: "whole") }
        try context.delete(parts[0])
        XCTAssertFalse(context.hasChanges)
    }

    func test_RFR_08_refreshingAllObjectsAlsoRereadsTheRelationshipsOfAFault() throws {
        let person = try context.person("dave0")
        XCTAssertEqual(try person.countOfRelatedObjects(forKey: "cars"), 1)
        XCTAssertTrue(person.isFault)
        let car = try other.insertNewObject(forEntityName: "Car")
        try car.setRelatedObject(try other.person("dave0"), forKey: "owner")
        try other.save()
        try context.refreshAllObjects()
        XCTAssertEqual(try person.countOfRelatedObjects(forKey: "cars"), 2)
    }

    func test_CTX_10_aChangeThatOthersHaveSavedTooIsNoneOnceTheObjectIsRefreshed() throws {
        let person = try context.person("dave0")
        try context.performAndWait { try person.setValue(99, forKey: "age") }
        try changeElsewhere("dave0", "age", 99)
        try context.refresh(person, mergeChanges: true)
        XCTAssertFalse(person.isUpdated)
        XCTAssertFalse(context.hasChanges)
        try context.undo()
        XCTAssertEqual(try person.integer("age"), 20)
        XCTAssertEqual(context.updatedObjects, [person])
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
