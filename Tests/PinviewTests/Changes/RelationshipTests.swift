import Pinview
import XCTest

/// Updating inverses and the loading of relationships: REL-01 to REL-05, REL-11 and REL-12; for
/// REL-06 to REL-10 see DeleteRuleTests.
final class RelationshipTests: StackTestCase {
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
                    RelationshipDescription(name: "spouse", destinationEntityName: "Person", inverseRelationshipName: "spouse"),
                    RelationshipDescription(name: "licence", destinationEntityName: "Licence", inverseRelationshipName: "holder"),
                    RelationshipDescription(
                        name: "clubs", destinationEntityName: "Club", inverseRelationshipName: "members", isToMany: true),
                ]),
            EntityDescription(
                name: "Car", attributes: [AttributeDescription(name: "name", attributeType: .string)],
                relationships: [RelationshipDescription(name: "owner", destinationEntityName: "Person", inverseRelationshipName: "cars")]),
            EntityDescription(
                name: "Licence", attributes: [AttributeDescription(name: "name", attributeType: .string)],
                relationships: [
                    RelationshipDescription(name: "holder", destinationEntityName: "Person", inverseRelationshipName: "licence")
                ]),
            EntityDescription(
                name: "Club", attributes: [AttributeDescription(name: "name", attributeType: .string)],
                relationships: [
                    RelationshipDescription(
                        name: "members", destinationEntityName: "Person", inverseRelationshipName: "clubs", isToMany: true)
                ]),
        ])
    }

    private func new(_ entityName: String, _ name: String) throws -> ManagedObject {
        let object = try context.insertNewObject(forEntityName: entityName)
        try object.setValue(name, forKey: "name")
        return object
    }

    private func car(_ name: String) throws -> ManagedObject {
        try XCTUnwrap(try context.fetch(FetchRequest("Car", "name == %@", name)).first)
    }

    private func members(_ object: ManagedObject, _ key: String) throws -> Set<ManagedObject> {
        Set(try object.relatedObjects(forKey: key))
    }

    func test_REL_01_settingAToOneRelationshipUpdatesItsInverse() throws {
        let person = try context.person("dave0"), car = try car("car1")
        try car.setRelatedObject(person, forKey: "owner")
        XCTAssertTrue(try person.containsRelatedObject(car, forKey: "cars"))
        XCTAssertEqual(try context.person("dave1").countOfRelatedObjects(forKey: "cars"), 0)
        try car.setRelatedObject(nil, forKey: "owner")
        XCTAssertFalse(try person.containsRelatedObject(car, forKey: "cars"))
    }

    func test_REL_01_aToOneRelationshipByItsIndex() throws {
        let car = try car("car0"), index = try XCTUnwrap(car.entity.properties.firstIndex { $0.name == "owner" })
        XCTAssertEqual(try car.relatedObject(at: index), try context.person("dave0"))
        try car.setRelatedObject(nil, forKey: "owner")
        XCTAssertNil(try car.relatedObject(at: index))
        let name = try XCTUnwrap(car.entity.properties.firstIndex { $0.name == "name" })
        assertError(.wrongType, try car.relatedObject(at: name))
        assertError(.unknownKey, try car.relatedObject(at: -1))
        assertError(.unknownKey, try car.relatedObject(at: 99))
    }

    func test_REL_01_anInverseThatIsLoadedLaterShowsTheChange() throws {
        let person = try context.person("dave0"), car0 = try car("car0"), car1 = try car("car1")
        try car1.setRelatedObject(person, forKey: "owner")
        try car0.setRelatedObject(nil, forKey: "owner")
        XCTAssertTrue(try person.hasFault(forRelationshipNamed: "cars"))
        XCTAssertEqual(try person.relatedObjects(forKey: "cars"), [car1])
    }

    func test_REL_02_addingToAToManyRelationshipSetsTheInverse() throws {
        let first = try context.person("dave0"), second = try context.person("dave1")
        let car = try new("Car", "new")
        try first.addRelatedObject(car, forKey: "cars")
        XCTAssertEqual(try car.relatedObject(forKey: "owner"), first)
        try second.addRelatedObject(car, forKey: "cars")
        XCTAssertEqual(try car.relatedObject(forKey: "owner"), second)
        XCTAssertFalse(try first.containsRelatedObject(car, forKey: "cars"))
        try second.removeRelatedObject(car, forKey: "cars")
        XCTAssertNil(try car.relatedObject(forKey: "owner"))
    }

    func test_REL_03_aOneToOneRelationshipIsKeptRight() throws {
        let first = try context.person("dave0"), second = try context.person("dave1")
        let licence = try new("Licence", "L1"), other = try new("Licence", "L2")
        try first.setRelatedObject(licence, forKey: "licence")
        XCTAssertEqual(try licence.relatedObject(forKey: "holder"), first)
        try second.setRelatedObject(licence, forKey: "licence")
        XCTAssertNil(try first.relatedObject(forKey: "licence"))
        XCTAssertEqual(try licence.relatedObject(forKey: "holder"), second)
        try other.setRelatedObject(second, forKey: "holder")
        XCTAssertNil(try licence.relatedObject(forKey: "holder"))
        XCTAssertEqual(try second.relatedObject(forKey: "licence"), other)
    }

    func test_REL_03_aRelationshipThatIsItsOwnInverseIsKeptRight() throws {
        let people = try (0..<3).map { try context.person("dave\($0)") }
        try people[0].setRelatedObject(people[1], forKey: "spouse")
        XCTAssertEqual(try people[1].relatedObject(forKey: "spouse"), people[0])
        try people[2].setRelatedObject(people[1], forKey: "spouse")
        XCTAssertNil(try people[0].relatedObject(forKey: "spouse"))
        XCTAssertEqual(try people[1].relatedObject(forKey: "spouse"), people[2])
        try context.save()
        try context.reset()
        XCTAssertEqual(try context.person("dave1").relatedObject(forKey: "spouse")?.string("name"), "dave2")
        XCTAssertNil(try context.person("dave0").relatedObject(forKey: "spouse"))
    }

    func test_REL_03_aManyToManyRelationshipIsKeptRight() throws {
        let first = try context.person("dave0"), second = try context.person("dave1")
        let chess = try new("Club", "chess"), rowing = try new("Club", "rowing")
        try chess.setRelatedObjects([first, second], forKey: "members")
        try first.addRelatedObject(rowing, forKey: "clubs")
        XCTAssertEqual(try members(first, "clubs"), [chess, rowing])
        XCTAssertEqual(try members(rowing, "members"), [first])
        try chess.removeRelatedObject(first, forKey: "members")
        XCTAssertEqual(try members(first, "clubs"), [rowing])
        XCTAssertEqual(try members(second, "clubs"), [chess])
    }

    func test_REL_04_aToManyRelationshipIsASet() throws {
        let person = try context.person("dave0"), car = try car("car0")
        try person.addRelatedObject(car, forKey: "cars")
        try person.addRelatedObject(car, forKey: "cars")
        XCTAssertEqual(try person.countOfRelatedObjects(forKey: "cars"), 1)
        XCTAssertFalse(person.hasChanges)
        try person.setRelatedObjects([car, try self.car("car1"), car], forKey: "cars")
        XCTAssertEqual(try person.countOfRelatedObjects(forKey: "cars"), 2)
        XCTAssertTrue(try person.containsRelatedObject(car, forKey: "cars"))
    }

    func test_REL_05_relationshipsSurviveSaveAndReload() throws {
        let person = try context.person("dave0")
        try person.addRelatedObject(try car("car1"), forKey: "cars")
        try person.addRelatedObject(try new("Car", "new"), forKey: "cars")
        try person.setRelatedObject(try new("Licence", "L1"), forKey: "licence")
        try person.setRelatedObjects([try new("Club", "chess"), try new("Club", "rowing")], forKey: "clubs")
        try context.save()
        try context.reset()
        for reader in [try XCTUnwrap(context), try XCTUnwrap(other), try makeContextOfSecondStack()] {
            let person = try reader.person("dave0")
            XCTAssertEqual(Set(try person.relatedObjects(forKey: "cars").map { try $0.string("name") }), ["car0", "car1", "new"])
            XCTAssertEqual(try person.relatedObject(forKey: "licence")?.string("name"), "L1")
            XCTAssertEqual(Set(try person.relatedObjects(forKey: "clubs").map { try $0.string("name") }), ["chess", "rowing"])
            XCTAssertEqual(try reader.person("dave1").countOfRelatedObjects(forKey: "cars"), 0)
        }
    }

    func test_REL_11_aRelationshipAcrossStoresMakesTheSaveFail() throws {
        let second = try coordinator.addPersistentStore(type: .sqlite, at: path("second.sqlite"))
        let person = try new("Person", "new")
        try context.assign(person, to: second)
        let car = try new("Car", "new")
        try car.setRelatedObject(person, forKey: "owner")
        try context.assign(car, to: coordinator.persistentStores[0])
        let error = assertError(.externalRelationship, try context.save())
        XCTAssertEqual(error?.code, 133010)
        XCTAssertEqual(context.insertedObjects, [person, car])
        try context.assign(car, to: second)
        try context.save()
        XCTAssertEqual(try storedNames().count, 4)
    }

    func test_REL_12_anUnpinnedContextLoadsTheMembersOfTheMoment() throws {
        let person = try context.person("dave0")
        XCTAssertEqual(try person.string("name"), "dave0")
        try addCarElsewhere()
        XCTAssertEqual(try person.countOfRelatedObjects(forKey: "cars"), 2)
    }

    func test_REL_12_aPinnedContextLoadsTheMembersOfItsGeneration() throws {
        try context.setQueryGeneration(from: .current)
        let person = try context.person("dave0")
        try addCarElsewhere()
        XCTAssertEqual(try person.relatedObjects(forKey: "cars").map { try $0.string("name") }, ["car0"])
    }

    private func addCarElsewhere() throws {
        let car = try other.insertNewObject(forEntityName: "Car")
        try car.setRelatedObject(try other.person("dave0"), forKey: "owner")
        try other.save()
    }

    func test_UND_17_aDeletionTurnedBackAfterItsSaveHasAllItsRelationshipsAgain() throws {
        let person = try context.person("dave0"), chess = try new("Club", "chess"), licence = try new("Licence", "L1")
        try person.addRelatedObject(chess, forKey: "clubs")
        try person.setRelatedObject(licence, forKey: "licence")
        try context.save()
        try context.performAndWait { try context.delete(person) }
        try context.save()
        XCTAssertEqual(try chess.relatedObjects(forKey: "members"), [])
        try context.undo()
        XCTAssertEqual(try chess.relatedObjects(forKey: "members"), [person])
        try context.save()
        let reader = try makeContext(coordinator)
        let again = try reader.person("dave0")
        XCTAssertEqual(try again.relatedObjects(forKey: "clubs").map { try $0.string("name") }, ["chess"])
        XCTAssertEqual(try again.relatedObjects(forKey: "cars").map { try $0.string("name") }, ["car0"])
        XCTAssertEqual(try again.relatedObject(forKey: "licence")?.string("name"), "L1")
    }

    // MARK: Many-to-many relationships changed in two contexts

    /// The club chess, saved, with dave0 as its member.
    private func makeClub() throws -> ManagedObject {
        let club = try new("Club", "chess")
        try club.addRelatedObject(try context.person("dave0"), forKey: "members")
        try context.save()
        return club
    }

    private func storedMembers() throws -> Set<String> {
        let reader = try makeContext(coordinator)
        let club = try XCTUnwrap(try reader.fetch(FetchRequest(entityName: "Club")).first)
        return Set(try club.relatedObjects(forKey: "members").compactMap { try $0.string("name") })
    }

    func test_REL_03_membersAddedInTwoContextsAreBothKept() throws {
        let mine = try makeClub(), theirs = try other.object(with: mine.objectID)
        try mine.addRelatedObject(try context.person("dave1"), forKey: "members")
        try theirs.addRelatedObject(try other.person("dave2"), forKey: "members")
        try other.save()
        try context.save()
        XCTAssertEqual(try storedMembers(), ["dave0", "dave1", "dave2"])
    }

    func test_REL_03_theSameMemberMayBeAddedAndRemovedInTwoContexts() throws {
        let mine = try makeClub(), theirs = try other.object(with: mine.objectID)
        for (context, club) in [(context!, mine), (other!, theirs)] {
            try club.addRelatedObject(try context.person("dave1"), forKey: "members")
            try club.removeRelatedObject(try context.person("dave0"), forKey: "members")
        }
        try other.save()
        try context.save()
        XCTAssertEqual(try storedMembers(), ["dave1"])
    }

    func test_REL_03_refreshMergesMembersOfBothContexts() throws {
        let mine = try makeClub(), theirs = try other.object(with: mine.objectID)
        let own = try context.person("dave1")
        try mine.addRelatedObject(own, forKey: "members")
        try theirs.addRelatedObject(try other.person("dave2"), forKey: "members")
        try other.save()
        try context.refresh(mine, mergeChanges: true)
        XCTAssertTrue(try mine.containsRelatedObject(own, forKey: "members"))
        try context.save()
        XCTAssertEqual(try storedMembers(), ["dave0", "dave1", "dave2"])
    }

    func test_REL_06_aDeletedMemberLeavesNoTraceInTheStore() throws {
        let club = try makeClub()
        try other.delete(try other.person("dave0"))
        try other.save()
        try context.refresh(club, mergeChanges: false)
        XCTAssertEqual(try club.relatedObjects(forKey: "members"), [])
        XCTAssertEqual(try storedMembers(), [])
    }

    func test_REL_06_deletingBothEndsInOneEventWorks() throws {
        let club = try makeClub()
        try context.performAndWait {
            try context.delete(club)
            try context.delete(try context.person("dave0"))
        }
        try context.save()
        XCTAssertEqual(try storedNames("Club"), [])
        XCTAssertEqual(try storedNames(), ["dave1", "dave2"])
    }
}
