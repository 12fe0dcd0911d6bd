import Pinview
import XCTest

/// Faults and how they fire: FLT-01 to FLT-16.
final class FaultingTests: StackTestCase {
    func test_FLT_01_fetchedObjectsAreFaultsUntilTheyAreRead() throws {
        let people = try context.fetch(FetchRequest(entityName: "Person"))
        XCTAssertTrue(people.allSatisfy(\.isFault))
        let selects = try selects { for person in people { _ = try person.string("name") } }
        XCTAssertEqual(selects, 0)
        XCTAssertTrue(people.allSatisfy { !$0.isFault })
    }

    func test_FLT_02_anObjectMadeByIDIsAFaultAndReadsNothing() throws {
        let objectID = try other.person("dave0").objectID
        var fault: ManagedObject?
        XCTAssertEqual(try logged { fault = try context.object(with: objectID) }, [])
        XCTAssertEqual(fault?.isFault, true)
        XCTAssertEqual(fault?.objectID, objectID)
    }

    func test_FLT_03_readingOnePropertyLoadsAllAttributesAndToOneReferences() throws {
        let objectID = try XCTUnwrap(try other.fetch(FetchRequest("Car", "name == 'car0'")).first).objectID
        let other = try XCTUnwrap(other)
        try other.reset()
        let car = try context.object(with: objectID)
        XCTAssertEqual(try selects { _ = try car.string("name") }, 1)
        XCTAssertFalse(car.isFault)
        XCTAssertEqual(try selects { XCTAssertNotNil(try car.relatedObject(forKey: "owner")) }, 0)
    }

    func test_FLT_04_identityAndStateDoNotFireAFault() throws {
        let fault = try context.object(with: try other.person("dave0").objectID)
        XCTAssertEqual(
            logged {
                _ = (fault.objectID, fault.entity.name, fault.managedObjectContext)
                _ = (fault.isFault, fault.isInserted, fault.isUpdated, fault.isDeleted, fault.hasChanges, fault.description)
            }, [])
        XCTAssertTrue(fault.isFault)
    }

    func test_FLT_05_aToManyRelationshipIsLoadedAtItsFirstAccess() throws {
        let car = try XCTUnwrap(try context.fetch(FetchRequest("Car", "name == 'car0'")).first)
        let accesses: [(String, (ManagedObject) throws -> Void)] = [
            ("count", { XCTAssertEqual(try $0.countOfRelatedObjects(forKey: "cars"), 1) }),
            ("contains", { XCTAssertTrue(try $0.containsRelatedObject(car, forKey: "cars")) }),
            ("iteration", { XCTAssertEqual(try $0.relatedObjects(forKey: "cars"), [car]) }),
        ]
        for (name, access) in accesses {
            let person = try context.person("dave0")
            try context.refresh(person, mergeChanges: false)
            _ = try person.string("name")
            XCTAssertTrue(try person.hasFault(forRelationshipNamed: "cars"), name)
            XCTAssertGreaterThan(try selects { try access(person) }, 0, name)
            XCTAssertFalse(try person.hasFault(forRelationshipNamed: "cars"), name)
            XCTAssertEqual(try selects { try access(person) }, 0, name)
        }
    }

    func test_FLT_05_aToOneRelationshipGivesItsDestinationAsAFault() throws {
        let car = try XCTUnwrap(try context.fetch(FetchRequest("Car", "name == 'car0'")).first)
        var owner: ManagedObject?
        XCTAssertEqual(try selects { owner = try car.relatedObject(forKey: "owner") }, 0)
        XCTAssertEqual(owner?.isFault, true)
        XCTAssertEqual(try owner?.string("name"), "dave0")
    }

    func test_FLT_06_settingAPropertyFiresTheFault() throws {
        let person = try context.person("dave0")
        XCTAssertTrue(person.isFault)
        try person.setValue(77, forKey: "age")
        XCTAssertFalse(person.isFault)
        XCTAssertEqual(try person.string("name"), "dave0")
        XCTAssertEqual(try person.committedValues(forKeys: ["age"]), ["age": 20])
    }

    func test_FLT_07_refreshWithoutMergingMakesAFault() throws {
        let person = try context.person("dave0")
        _ = try person.string("name")
        try context.refresh(person, mergeChanges: false)
        XCTAssertTrue(person.isFault)
        try changeElsewhere("dave0", "name", "renamed")
        XCTAssertEqual(try person.string("name"), "renamed")
    }

    func test_FLT_07_aPinnedContextFiresTheFaultAtItsGeneration() throws {
        try context.setQueryGeneration(from: .current)
        let person = try context.person("dave0")
        _ = try person.string("name")
        try changeElsewhere("dave0", "name", "renamed")
        try context.refresh(person, mergeChanges: false)
        XCTAssertEqual(try person.string("name"), "dave0")
    }

    // MARK: Inaccessible faults

    /// A fault of the context whose row has been deleted since.
    private func inaccessibleFault() throws -> ManagedObject {
        let fault = try context.object(with: try other.person("dave0").objectID)
        try deleteElsewhere("dave0")
        return fault
    }

    func test_FLT_08_anInaccessibleFaultIsMarkedDeletedAndReadsAsNothing() throws {
        let fault = try inaccessibleFault()
        XCTAssertEqual(try fault.attributeValue(forKey: "name"), .null)
        XCTAssertTrue(fault.isDeleted)
        XCTAssertEqual(context.deletedObjects, [fault])
        XCTAssertNil(try fault.integer("age"))
        XCTAssertEqual(try fault.relatedObjects(forKey: "cars"), [])
    }

    func test_FLT_08_aToOneRelationshipOfAnInaccessibleFaultReadsAsNil() throws {
        let car = try XCTUnwrap(try other.fetch(FetchRequest("Car", "name == 'car0'")).first)
        let fault = try context.object(with: car.objectID)
        try other.delete(car)
        try other.save()
        XCTAssertNil(try fault.relatedObject(forKey: "owner"))
        XCTAssertTrue(fault.isDeleted)
    }

    func test_FLT_09_anInaccessibleFaultDoesNotHinderTheSave() throws {
        let fault = try inaccessibleFault()
        let objectID = fault.objectID
        _ = try fault.attributeValue(forKey: "name")
        try context.person("dave1").setValue(77, forKey: "age")
        try context.save()
        XCTAssertTrue(context.deletedObjects.isEmpty)
        XCTAssertFalse(context.hasChanges)
        XCTAssertNil(try context.registeredObject(for: objectID))
    }

    func test_FLT_09_anInaccessibleFaultAloneLeavesAtTheSaveToo() throws {
        let fault = try inaccessibleFault()
        _ = try fault.attributeValue(forKey: "name")
        try context.save()
        XCTAssertFalse(context.hasChanges)
        XCTAssertNil(try context.registeredObject(for: fault.objectID))
    }

    func test_FLT_09_anInaccessibleFaultLeavesAtAReset() throws {
        let fault = try inaccessibleFault()
        _ = try fault.attributeValue(forKey: "name")
        try context.reset()
        XCTAssertTrue(context.deletedObjects.isEmpty)
        XCTAssertNil(try context.registeredObject(for: fault.objectID))
    }

    func test_FLT_10_withoutDeletingTheReadGivesAnError() throws {
        context.shouldDeleteInaccessibleFaults = false
        let fault = try inaccessibleFault()
        for _ in 0..<2 {
            let error = assertError(.managedObjectReferentialIntegrity, try fault.attributeValue(forKey: "name"))
            XCTAssertEqual(error?.code, 133000)
            XCTAssertEqual(error?.affectedObjectIDs, [fault.objectID])
            XCTAssertNotNil(error?.userInfo[PinviewError.NSAffectedObjectsErrorKey])
        }
        XCTAssertTrue(fault.isFault)
        XCTAssertFalse(fault.isDeleted)
        XCTAssertFalse(context.hasChanges)
        XCTAssertEqual(try context.names(), ["dave1", "dave2"])
    }

    func test_FLT_11_membersThatWereDeletedAfterTheRelationshipWasLoadedAreInaccessible() throws {
        let car = try membersDeletedSince()
        XCTAssertEqual(try car.attributeValue(forKey: "name"), .null)
        XCTAssertTrue(car.isDeleted)
    }

    func test_FLT_11_withoutDeletingTheMembersGiveErrors() throws {
        context.shouldDeleteInaccessibleFaults = false
        let car = try membersDeletedSince()
        assertError(.managedObjectReferentialIntegrity, try car.attributeValue(forKey: "name"))
        XCTAssertFalse(car.isDeleted)
    }

    private func membersDeletedSince() throws -> ManagedObject {
        let person = try context.person("dave0")
        let car = try XCTUnwrap(try person.relatedObjects(forKey: "cars").first)
        try other.delete(try other.object(with: car.objectID))
        try other.save()
        XCTAssertEqual(try person.relatedObjects(forKey: "cars"), [car])
        return car
    }

    func test_FLT_12_existingObjectGivesAnErrorAndMarksNothing() throws {
        for deletes in [true, false] {
            context.shouldDeleteInaccessibleFaults = deletes
            let objectID = try other.person("dave\(deletes ? 0 : 1)").objectID
            try deleteElsewhere("dave\(deletes ? 0 : 1)")
            assertError(.managedObjectReferentialIntegrity, try context.existingObject(with: objectID))
            XCTAssertTrue(context.deletedObjects.isEmpty)
        }
    }

    func test_FLT_13_aFaultWhoseContextEndedGivesAnError() throws {
        for deletes in [true, false] {
            context.shouldDeleteInaccessibleFaults = deletes
            let fault = try context.person("dave0")
            context = nil
            assertError(.contextGone, try fault.attributeValue(forKey: "name"))
            context = try makeContext(coordinator)
        }
    }

    func test_FLT_14_noFaultOfTheGenerationIsInaccessible() throws {
        context.shouldDeleteInaccessibleFaults = false
        try context.setQueryGeneration(from: .current)
        let people = try context.fetch(FetchRequest(entityName: "Person"))
        try sqlite3("DELETE FROM ZPERSON; DELETE FROM ZCAR;")
        for (number, person) in try people.sorted(by: { try $0.string("name") ?? "" < $1.string("name") ?? "" }).enumerated() {
            try context.refresh(person, mergeChanges: false)
            XCTAssertEqual(try person.string("name"), "dave\(number)")
            XCTAssertEqual(try person.relatedObjects(forKey: "cars").map { try $0.string("name") }, ["car\(number)"])
        }
    }

    // MARK: The row cache

    func test_FLT_15_theRowCacheIsSharedWhileSomebodyKeepsTheObject() throws {
        let objectID = try { () -> ManagedObjectID in
            let kept = try other.person("dave0")
            _ = try kept.string("name")
            let fault = try context.object(with: kept.objectID)
            XCTAssertEqual(try selects { _ = try fault.string("name") }, 0)
            return kept.objectID
        }()
        let fault = try context.object(with: objectID)
        XCTAssertEqual(try selects { XCTAssertEqual(try fault.string("name"), "dave0") }, 1)
    }

    func test_FLT_16_aPinnedContextIsNotGivenNewerValues() throws {
        try context.setQueryGeneration(from: .current)
        _ = try context.count(for: FetchRequest(entityName: "Person"))
        let kept = try other.person("dave0")
        try kept.setValue("renamed", forKey: "name")
        try other.save()
        XCTAssertEqual(try context.object(with: kept.objectID).string("name"), "dave0")
        XCTAssertEqual(try kept.string("name"), "renamed")
    }

    func test_FLT_16_anUnpinnedContextIsNotGivenTheValuesOfAnOlderGeneration() throws {
        try context.setQueryGeneration(from: .current)
        _ = try context.count(for: FetchRequest(entityName: "Person"))
        try changeElsewhere("dave0", "name", "renamed")
        let old = try context.person("dave0")
        XCTAssertEqual(try old.string("name"), "dave0")
        XCTAssertEqual(try other.object(with: old.objectID).string("name"), "renamed")
        let late = try makeContext(coordinator)
        XCTAssertEqual(try late.object(with: old.objectID).string("name"), "renamed")
    }
}
