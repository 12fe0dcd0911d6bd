import Foundation
import Pinview
import XCTest

/// The examples of the documents, step by step: EX-36 to EX-48 as far as no other test shows them.
final class ExampleTests: StackTestCase {
    override func prepareStore() throws { try fill(coordinator, count: 100) }

    /// Two editing contexts (EX-36): a fetch gives the objects that are there, with the values that
    /// they have.
    func test_EX_36_aNewFetchKeepsWhatTheContextHasEdited() throws {
        let people = Array(try context.fetch(FetchRequest("Person", "age < 25")))
        for person in people { try person.setValue("edited", forKey: "name") }
        for person in try other.fetch(FetchRequest("Person", "age < 25")) { try person.setValue("elsewhere", forKey: "name") }
        try other.save()
        let again = Array(try context.fetch(FetchRequest("Person", "age < 25")))
        XCTAssertEqual(Set(again), Set(people))
        XCTAssertEqual(try Set(again.map { try $0.string("name") }), ["edited"])
    }

    func test_EX_37_aNewFetchKeepsWhatTheContextHasRead_andRefreshShowsTheStore() throws {
        let person = try context.person("dave0")
        XCTAssertEqual(try person.string("name"), "dave0")
        try changeElsewhere("dave0", "name", "elsewhere")
        let again = try XCTUnwrap(try context.fetch(FetchRequest("Person", "age == 20")).first)
        XCTAssertTrue(again === person)
        XCTAssertEqual(try again.string("name"), "dave0")
        try context.refresh(person, mergeChanges: true)
        XCTAssertEqual(try person.string("name"), "elsewhere")
    }

    func test_EX_38_performAndWaitHasRunWhenItReturns() throws {
        let context = try XCTUnwrap(context)
        try context.person("dave0").setValue("saved", forKey: "name")
        var savedOK = false
        try context.performAndWait {
            try context.save()
            savedOK = true
        }
        XCTAssertTrue(savedOK)
        XCTAssertTrue(try storedNames().contains("saved"))
    }

    func test_EX_44_whatABackgroundContextRetainsIsReadWithoutSQL() throws {
        let main = try makeContext(coordinator, .mainQueue)
        let background = try makeContext(coordinator)
        background.retainsRegisteredObjects = true
        let identifiers = try background.performAndWait { try background.fetch(FetchRequest(entityName: "Person")).map(\.objectID) }
        XCTAssertEqual(identifiers.count, 100)
        let selects = try selects { for objectID in identifiers { XCTAssertNotNil(try main.object(with: objectID).string("name")) } }
        XCTAssertEqual(selects, 0)
    }

    func test_EX_44_objectsThatAreNotRetainedAreReadFromTheStore() throws {
        let main = try makeContext(coordinator, .mainQueue)
        let background = try makeContext(coordinator)
        let identifiers = try background.performAndWait { try background.fetch(FetchRequest(entityName: "Person")).map(\.objectID) }
        let selects = try selects { for objectID in identifiers { XCTAssertNotNil(try main.object(with: objectID).string("name")) } }
        XCTAssertEqual(selects, 100)
    }

    func test_EX_45_aTemporarySetOfObjectsEndsWithItsContext() throws {
        var temporary: ManagedObjectContext? = try makeContext(coordinator)
        temporary?.retainsRegisteredObjects = true
        XCTAssertEqual(try temporary?.fetch(FetchRequest(entityName: "Person")).count, 100)
        for _ in 0..<3 { try temporary?.processPendingChanges() }
        XCTAssertEqual(temporary?.registeredObjects.count, 100)
        weak let object = temporary?.registeredObjects.first
        XCTAssertNotNil(object)
        temporary = nil
        XCTAssertNil(object)
    }

    func test_EX_47_anInspectorThatIsDroppedChangesNothing() throws {
        let person = try context.person("dave0")
        var inspector: ManagedObjectContext? = ManagedObjectContext(concurrencyType: .privateQueue)
        try inspector?.setParent(context)
        try inspector?.person("dave0").setValue("inspected", forKey: "name")
        inspector = nil
        XCTAssertEqual(try person.string("name"), "dave0")
        XCTAssertFalse(context.hasChanges)
    }

    func test_EX_47_anInspectorThatIsSavedChangesTheStoreWithTheRoot() throws {
        let inspector = ManagedObjectContext(concurrencyType: .privateQueue)
        try inspector.setParent(context)
        try inspector.person("dave0").setValue("inspected", forKey: "name")
        try inspector.save()
        XCTAssertTrue(try storedNames().contains("dave0"))
        try context.save()
        XCTAssertTrue(try storedNames().contains("inspected"))
    }
}
