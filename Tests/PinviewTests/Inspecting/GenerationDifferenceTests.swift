import Foundation
import Pinview
import XCTest

/// What differs between two generations, according to the history or by comparing them.
final class GenerationDifferenceTests: StackTestCase {
    private var old: QueryGenerationToken!

    override func tearDownWithError() throws {
        old = nil
        try super.tearDownWithError()
    }

    /// Pins the first context, whose generation is the old one then.
    private func pin() throws {
        try context.setQueryGeneration(from: .current)
        _ = try context.names()
        old = try XCTUnwrap(context.queryGenerationToken)
    }

    private func name(_ change: GenerationChange) -> String {
        "\(change.changeType) \(change.changedObjectID.entity.name) \(change.changedObjectID.uriRepresentation.split(separator: "/").last ?? "")"
            + (change.updatedProperties.isEmpty ? "" : ": " + change.updatedProperties.joined(separator: " "))
    }

    func test_nothingDiffersWhereNothingWasCommitted() throws {
        try pin()
        let difference = try coordinator.difference(from: old)
        XCTAssertTrue(difference.isEmpty)
        XCTAssertEqual(difference.newGeneration, old)
    }

    func test_insertedUpdatedAndDeletedWithTheProperties() throws {
        try pin()
        let eve = try other.insertNewObject(forEntityName: "Person")
        try eve.setValue("eve", forKey: "name")
        let dave = try other.person("dave0")
        try dave.setValue(99, forKey: "age")
        let car = try XCTUnwrap(try other.fetch(FetchRequest("Car", "name == 'car1'")).first)
        try other.delete(car)
        try other.save()

        let difference = try coordinator.difference(from: old)
        XCTAssertEqual(difference.insertedObjectIDs, [eve.objectID])
        XCTAssertEqual(difference.deletedObjectIDs, [car.objectID])
        // The owner of the car that is gone has another set of cars.
        XCTAssertEqual(
            difference.changes.map(name), ["delete Car p2", "update Person p1: age", "update Person p2: cars", "insert Person p4"])
    }

    func test_backwardsInsertedAndDeletedChangePlaces() throws {
        try pin()
        try other.delete(try other.person("dave2"))
        _ = try other.insertNewObject(forEntityName: "Person")
        try other.save()
        let forwards = try coordinator.difference(from: old)
        let backwards = try coordinator.difference(from: forwards.newGeneration, to: old)
        XCTAssertEqual(backwards.insertedObjectIDs, forwards.deletedObjectIDs)
        XCTAssertEqual(backwards.deletedObjectIDs, forwards.insertedObjectIDs)
        XCTAssertEqual(backwards.updatedObjectIDs, forwards.updatedObjectIDs)
    }

    func test_whatWasChangedBackOrIsGoneAgainIsNotThere() throws {
        try pin()
        try changeElsewhere("dave0", "age", 1)
        let eve = try other.insertNewObject(forEntityName: "Person")
        try other.save()
        try changeElsewhere("dave0", "age", 20)
        try other.delete(eve)
        try other.save()
        XCTAssertEqual(try coordinator.difference(from: old).changes, [])
    }

    func test_whatTheSqlite3ToolWritesWithoutARowVersion() throws {
        try pin()
        try sqlite3("UPDATE ZPERSON SET ZAGE = 7 WHERE ZNAME = 'dave1'")
        XCTAssertEqual(try coordinator.difference(from: old).changes.map(name), ["update Person p2: age"])
    }

    func test_onlyTheEntitiesAndStoresThatAreAskedFor() throws {
        try pin()
        try changeElsewhere("dave0", "age", 1)
        let car = try XCTUnwrap(try other.fetch(FetchRequest("Car", "name == 'car1'")).first)
        try car.setValue("van", forKey: "name")
        try other.save()
        XCTAssertEqual(try coordinator.difference(from: old, entityNames: ["Car"]).changes.map(name), ["update Car p2: name"])
        XCTAssertEqual(try coordinator.difference(from: old, affectedStores: []).changes, [])
        assertError(.unknownEntity, try coordinator.difference(from: old, entityNames: ["Ship"]))
    }

    func test_bothGenerationsStayReadableAsLongAsTheDifference() throws {
        try pin()
        try changeElsewhere("dave0", "age", 1)
        let difference = try coordinator.difference(from: old)
        try changeElsewhere("dave0", "age", 2)
        try context.setQueryGeneration(from: nil)
        for (token, age) in [(difference.oldGeneration, 20), (difference.newGeneration, 1)] {
            try context.setQueryGeneration(from: token)
            try context.refreshAllObjects()
            XCTAssertEqual(try context.person("dave0").integer("age"), Int64(age))
        }
    }

    func test_aTokenThatExpiredOrIsOfAnotherCoordinatorIsAnError() throws {
        try pin()
        let second = try makeContextOfSecondStack()
        try second.setQueryGeneration(from: .current)
        _ = try second.names()
        let foreign = try XCTUnwrap(second.queryGenerationToken)
        assertError(.foreignToken, try coordinator.difference(from: foreign))
        assertError(.foreignToken, try coordinator.difference(from: old, to: foreign))
        // No context of this process is pinned to it any more.
        try second.setQueryGeneration(from: nil)
        try context.setQueryGeneration(from: nil)
        try changeElsewhere("dave0", "age", 1)
        assertError(.generationExpired, try coordinator.difference(from: old))
    }

    /// A view that is pinned advances and refreshes what has changed, and nothing else.
    func test_aViewAdvancesAndTouchesExactlyWhatChanged() throws {
        try context.setQueryGeneration(from: .current)
        let people = try (0..<3).map { try context.person("dave\($0)") }
        for person in people { XCTAssertNotNil(try person.integer("age")) }
        let old = try XCTUnwrap(context.queryGenerationToken)
        try changeElsewhere("dave1", "age", 77)

        let difference = try coordinator.difference(from: old)
        try context.setQueryGeneration(from: difference.newGeneration)
        for objectID in difference.updatedObjectIDs {
            if let object = try context.registeredObject(for: objectID) { try context.refresh(object, mergeChanges: false) }
        }
        XCTAssertEqual(people.map(\.isFault), [false, true, false])
        XCTAssertEqual(try people.map { try $0.integer("age") }, [20, 77, 22])
        XCTAssertEqual(context.queryGenerationToken, difference.newGeneration)
    }

    // MARK: The history

    private func trackingStack() throws -> (PersistentStoreCoordinator, ManagedObjectContext, ManagedObjectContext) {
        let coordinator = try makeCoordinator(name: "tracked.sqlite", options: ["NSPersistentHistoryTrackingKey": true])
        try fill(coordinator, count: 3)
        let pinned = try makeContext(coordinator)
        try pinned.setQueryGeneration(from: .current)
        _ = try pinned.names()
        return (coordinator, pinned, try makeContext(coordinator))
    }

    func test_theHistoryTellsWhereItHasEveryTransaction() throws {
        let (coordinator, pinned, writer) = try trackingStack()
        try writer.person("dave0").setValue(1, forKey: "age")
        try writer.save()
        // These write no rows of objects, and the history may miss them.
        try coordinator.setHistoryConsumer("view", token: try coordinator.currentPersistentHistoryToken())
        try writer.obtainPermanentIDs(for: [try writer.insertNewObject(forEntityName: "Person")])
        try writer.save()
        let token = try XCTUnwrap(pinned.queryGenerationToken)
        let difference = try coordinator.difference(from: token)
        XCTAssertEqual(difference.storesToldFromHistory, coordinator.persistentStores.map(\.identifier))
        XCTAssertEqual(difference.changes.map(name), ["update Person p1: age", "insert Person p4"])
        let backwards = try coordinator.difference(from: difference.newGeneration, to: token)
        XCTAssertEqual(backwards.storesToldFromHistory, coordinator.persistentStores.map(\.identifier))
        XCTAssertEqual(backwards.changes.map(name), ["update Person p1: age", "delete Person p4"])
    }

    func test_aTransactionThatTheHistoryLacksIsNotMissed() throws {
        let (coordinator, pinned, writer) = try trackingStack()
        try writer.person("dave0").setValue(1, forKey: "age")
        try writer.save()
        try sqlite3("UPDATE ZPERSON SET ZAGE = 7, Z_OPT = Z_OPT + 1 WHERE ZNAME = 'dave1'", file: "tracked.sqlite")
        let token = try XCTUnwrap(pinned.queryGenerationToken)
        let difference = try coordinator.difference(from: token)
        XCTAssertEqual(difference.storesToldFromHistory, [])
        XCTAssertEqual(difference.changes.map(name), ["update Person p1: age", "update Person p2: age"])
    }

    func test_aHistoryThatWasDeletedIsNotMissed() throws {
        let (coordinator, pinned, writer) = try trackingStack()
        for age in 1...3 {
            try writer.person("dave0").setValue(age, forKey: "age")
            try writer.save()
        }
        _ = try writer.execute(PersistentHistoryChangeRequest.deleteHistory(before: try coordinator.currentPersistentHistoryToken()))
        let difference = try coordinator.difference(from: try XCTUnwrap(pinned.queryGenerationToken))
        XCTAssertEqual(difference.storesToldFromHistory, [])
        XCTAssertEqual(difference.changes.map(name), ["update Person p1: age"])
    }
}
