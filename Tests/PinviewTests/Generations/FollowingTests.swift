import Pinview
import XCTest

/// Reading to-one relationships one by one: REF-09 and REF-10 hold, and nothing else about the
/// object changes.
final class FollowingTests: StackTestCase {
    /// A reference that does not keep its object.
    private struct Weak {
        weak var object: ManagedObject?
    }

    /// A car that is realised, and its owner, whom only the car may keep.
    private func follow() throws -> (car: ManagedObject, owner: Weak) {
        let car = try XCTUnwrap(context.fetch(FetchRequest(entityName: "Car")).first)
        _ = try car.string("name")
        let owner = try XCTUnwrap(car.relatedObject(forKey: "owner"))
        XCTAssertNotNil(try owner.string("name"))
        return (car, Weak(object: owner))
    }

    func test_REF_09_anObjectKeepsTheDestinationThatWasRead() throws {
        let (car, owner) = try follow()
        XCTAssertNotNil(owner.object)
        XCTAssertEqual(try car.relatedObject(forKey: "owner"), owner.object)
        XCTAssertFalse(try car.hasFault(forRelationshipNamed: "owner"))
        XCTAssertNotNil(try car.string("name"))
    }

    func test_REF_09_theDestinationGoesWithTheObject() throws {
        let owner = try follow().owner
        XCTAssertNil(owner.object)
        XCTAssertTrue(context.registeredObjects.isEmpty)
    }

    func test_REF_09_aRefreshLetsTheDestinationGo() throws {
        for mergeChanges in [false, true] {
            let (car, owner) = try follow()
            try context.refresh(car, mergeChanges: mergeChanges)
            if !mergeChanges { XCTAssertNil(owner.object) }
            XCTAssertNotNil(try car.relatedObject(forKey: "owner"))
        }
    }

    func test_REF_09_aChangeOfAnotherPropertyKeepsTheDestination() throws {
        let (car, owner) = try follow()
        try car.setValue("changed", forKey: "name")
        XCTAssertNotNil(owner.object)
        XCTAssertEqual(try car.relatedObject(forKey: "owner"), owner.object)
        try context.save()
        XCTAssertEqual(try car.relatedObject(forKey: "owner"), owner.object)
        XCTAssertEqual(try other.fetch(FetchRequest(entityName: "Car")).map { try $0.string("name") }.filter { $0 == "changed" }.count, 1)
    }

    func test_REF_13_anotherDestinationLetsTheFormerOneGo() throws {
        context.undoManager = nil
        let (car, owner) = try follow()
        let name = try owner.object?.string("name")
        let next = try context.person(name == "dave1" ? "dave2" : "dave1")
        try car.setRelatedObject(next, forKey: "owner")
        XCTAssertEqual(try car.relatedObject(forKey: "owner"), next)
        try context.save()
        XCTAssertNil(owner.object)
    }

    func test_REF_03_aDestinationEndsWithTheContext() throws {
        let (car, owner) = try follow()
        context = nil
        XCTAssertNil(owner.object)
        assertError(.contextGone, try car.relatedObject(forKey: "owner"))
    }

    func test_RFR_rowsOfANewStateShowTheirOwnDestination() throws {
        let (car, owner) = try follow()
        let next = try other.person(try owner.object?.string("name") == "dave1" ? "dave2" : "dave1")
        try other.existingObject(with: car.objectID).setRelatedObject(next, forKey: "owner")
        try other.save()
        XCTAssertEqual(try car.relatedObject(forKey: "owner"), owner.object)
        try context.refresh(car, mergeChanges: true)
        XCTAssertEqual(try car.relatedObject(forKey: "owner")?.objectID, next.objectID)
    }

    func test_W4_aFollowOfRegisteredObjectsRunsNoStatement() throws {
        let people = Array(try context.fetch(FetchRequest(entityName: "Person")))
        let cars = Array(try context.fetch(FetchRequest(entityName: "Car")))
        let read = try selects {
            let owners = try cars.map { try XCTUnwrap($0.relatedObject(forKey: "owner")) }
            XCTAssertEqual(Set(owners), Set(people))
        }
        XCTAssertEqual(read, 0)
    }

    func test_W4_manyLinksComeAndGo() throws {
        try fill(coordinator, count: 600)
        for _ in 0..<2 {
            let cars = Array(try context.fetch(FetchRequest(entityName: "Car")))
            for car in cars { XCTAssertNotNil(try car.relatedObject(forKey: "owner")) }
            XCTAssertEqual(context.registeredObjects.count, cars.count * 2)
        }
        XCTAssertTrue(context.registeredObjects.isEmpty)
    }
}
