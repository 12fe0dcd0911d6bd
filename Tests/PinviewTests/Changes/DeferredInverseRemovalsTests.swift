import Pinview
import XCTest

/// Deletions of objects whose owners are not registered in the context: any access finds the owners
/// changed (REL-06), and a save without observers does not load them.
final class DeferredInverseRemovalsTests: StackTestCase {
    private var observers: [PinviewNotificationCenter.Observer] = []

    override func tearDownWithError() throws {
        for observer in observers { PinviewNotificationCenter.default.removeObserver(observer) }
        observers = []
        try super.tearDownWithError()
    }

    private func car(_ name: String) throws -> ManagedObject {
        try XCTUnwrap(try context.fetch(FetchRequest("Car", "name == %@", name)).first)
    }

    /// Deletes cars in one event without a look at their owners.
    private func deleteCars(_ names: String...) throws {
        let cars = try names.map { try car($0) }
        for car in cars { _ = try car.attributeValue(forKey: "name") }
        try context.performAndWait { for car in cars { try context.delete(car) } }
    }

    private func names(_ objects: Set<ManagedObject>) throws -> [String] {
        try objects.map { try $0.attributeValue(forKey: "name").stringValue ?? "nil" }.sorted()
    }

    private func observe(_ name: PinviewNotification.Name, _ block: @escaping (PinviewNotification) -> Void) {
        observers.append(PinviewNotificationCenter.default.addObserver(forName: name, object: context, using: block))
    }

    private func storedCars() throws -> String { try sqlite3("SELECT group_concat(ZNAME) FROM (SELECT ZNAME FROM ZCAR ORDER BY Z_PK)") }

    func test_REL_06_aSaveWithoutObserversMakesNoObjectsOfTheOwners() throws {
        try deleteCars("car0", "car2")
        try context.save()
        XCTAssertEqual(context.registeredObjects.map(\.entity.name), [])
        XCTAssertEqual(try storedCars(), "car1")
        XCTAssertEqual(try context.person("dave0").countOfRelatedObjects(forKey: "cars"), 0)
        XCTAssertFalse(context.hasChanges)
    }

    func test_REL_06_whoLooksFindsTheOwnersChanged() throws {
        try deleteCars("car0", "car2")
        XCTAssertEqual(try names(context.updatedObjects), ["dave0", "dave2"])
        let owner = try context.person("dave0")
        XCTAssertTrue(owner.isUpdated)
        XCTAssertTrue(owner.hasChanges)
        XCTAssertEqual(try owner.relatedObjects(forKey: "cars"), [])
        XCTAssertEqual(try context.names("Person", "cars.@count == 1"), ["dave1"])
        try context.save()
        XCTAssertFalse(owner.hasChanges)
        XCTAssertEqual(try storedCars(), "car1")
    }

    func test_REL_06_anOwnerThatIsAnObjectAlreadyIsChangedAtOnce() throws {
        let owner = try context.person("dave1")
        try deleteCars("car0", "car1", "car2")
        XCTAssertTrue(owner.isUpdated)
        XCTAssertEqual(try names(context.updatedObjects), ["dave0", "dave1", "dave2"])
        try context.save()
        XCTAssertEqual(try storedCars(), "")
    }

    func test_REL_06_aDeletionOfTheOwnerItselfComesAfterwards() throws {
        try deleteCars("car0")
        try context.delete(try context.person("dave0"))
        try context.save()
        XCTAssertEqual(try storedNames(), ["dave1", "dave2"])
        XCTAssertEqual(try storedCars(), "car1,car2")
    }

    func test_NOT_01_observersAreToldOfTheOwners() throws {
        var told: [[String]] = []
        observe(.objectsDidChange) { notification in told.append((try? self.names(notification.updatedObjects)) ?? ["?"]) }
        try deleteCars("car0", "car2")
        XCTAssertEqual(told, [["dave0", "dave2"]])
    }

    func test_NOT_16_observersOfTheSaveReceiveTheOwners() throws {
        var told: [[String]] = []
        try deleteCars("car1")
        observe(.didSave) { notification in told.append((try? self.names(notification.updatedObjects)) ?? ["?"]) }
        try context.save()
        XCTAssertEqual(told, [["dave1"]])
    }

    func test_NOT_02_ownersBelongToTheEventOfTheDeletion() throws {
        var told: [[String]] = []
        try deleteCars("car0")
        observe(.objectsDidChange) { notification in told.append((try? self.names(notification.updatedObjects)) ?? ["?"]) }
        let person = try context.person("dave1")
        try context.performAndWait { try person.setValue(7, forKey: "age") }
        XCTAssertEqual(told, [["dave1"]])
        XCTAssertEqual(try names(context.updatedObjects), ["dave0", "dave1"])
    }

    func test_MRG_07_otherContextsRefreshTheOwners() throws {
        try other.setAutomaticallyMergesChangesFromParent(true)
        let owner = try other.person("dave2")
        XCTAssertEqual(try owner.countOfRelatedObjects(forKey: "cars"), 1)
        try deleteCars("car2")
        try context.save()
        try other.performAndWait { XCTAssertEqual(try owner.countOfRelatedObjects(forKey: "cars"), 0) }
    }

    func test_NST_09_aChildSeesTheOwnersChanged() throws {
        try deleteCars("car0")
        let child = ManagedObjectContext(concurrencyType: .privateQueue)
        try child.setParent(context)
        XCTAssertEqual(try child.person("dave0").countOfRelatedObjects(forKey: "cars"), 0)
        XCTAssertEqual(try child.person("dave1").countOfRelatedObjects(forKey: "cars"), 1)
    }

    func test_UND_04_undoGivesTheOwnersTheirMembersBack() throws {
        try deleteCars("car0", "car2")
        try context.undo()
        XCTAssertFalse(context.hasChanges)
        XCTAssertEqual(try context.person("dave0").countOfRelatedObjects(forKey: "cars"), 1)
        try context.redo()
        XCTAssertEqual(try names(context.deletedObjects), ["car0", "car2"])
        XCTAssertEqual(try context.person("dave0").countOfRelatedObjects(forKey: "cars"), 0)
        try context.save()
        XCTAssertEqual(try storedCars(), "car1")
    }

    func test_UND_04_undoOfASavedDeletionGivesTheOwnersNewMembers() throws {
        try deleteCars("car0", "car2")
        try context.save()
        try context.undo()
        XCTAssertEqual(try names(context.insertedObjects), ["car0", "car2"])
        let owner = try context.person("dave0")
        XCTAssertEqual(try owner.relatedObjects(forKey: "cars").map { try $0.string("name") }, ["car0"])
        try context.save()
        XCTAssertEqual(try storedCars(), "car1,car2,car0")
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZCAR JOIN ZPERSON ON ZPERSON.Z_PK = ZOWNER"), "3")
    }

    func test_UND_12_rollbackLeavesTheOwnersAsTheyAre() throws {
        try deleteCars("car0", "car1", "car2")
        try context.rollback()
        XCTAssertFalse(context.hasChanges)
        XCTAssertEqual(try context.names("Person", "cars.@count == 1"), ["dave0", "dave1", "dave2"])
    }
}
