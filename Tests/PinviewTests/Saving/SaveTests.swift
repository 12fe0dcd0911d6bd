import Pinview
import XCTest

/// Saving: SAV-01 to SAV-08, SAV-24 and SAV-25; for conflicts see ConflictTests.
final class SaveTests: StackTestCase {
    override func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Person",
                attributes: [
                    AttributeDescription(name: "name", attributeType: .string, isOptional: false),
                    AttributeDescription(name: "age", attributeType: .integer64, defaultValue: 0, maximumValue: 150),
                ],
                relationships: [
                    RelationshipDescription(name: "cars", destinationEntityName: "Car", inverseRelationshipName: "owner", isToMany: true)
                ]),
            EntityDescription(
                name: "Car", attributes: [AttributeDescription(name: "name", attributeType: .string)],
                relationships: [RelationshipDescription(name: "owner", destinationEntityName: "Person", inverseRelationshipName: "cars")]),
        ])
    }

    @discardableResult
    private func insertPerson(_ name: String) throws -> ManagedObject {
        let person = try context.insertNewObject(forEntityName: "Person")
        try person.setValue(name, forKey: "name")
        return person
    }

    func test_SAV_01_aSaveWritesAllChangesInOneTransaction() throws {
        try insertPerson("new")
        try context.person("dave0").setValue("renamed", forKey: "name")
        try context.delete(try context.person("dave1"))
        let log = try logged { try context.save() }
        XCTAssertEqual(log.filter { $0.contains("sql: COMMIT") }.count, 1, log.joined(separator: "\n"))
        XCTAssertEqual(try storedNames(), ["dave2", "new", "renamed"])
        XCTAssertEqual(try makeContextOfSecondStack().names(), ["dave2", "new", "renamed"])
    }

    func test_SAV_02_afterASaveNothingIsPendingAndTheObjectsStay() throws {
        let inserted = try insertPerson("new"), updated = try context.person("dave0"), deleted = try context.person("dave1")
        try updated.setValue("renamed", forKey: "name")
        try context.delete(deleted)
        try context.save()
        XCTAssertFalse(context.hasChanges)
        XCTAssertTrue(context.insertedObjects.isEmpty && context.updatedObjects.isEmpty && context.deletedObjects.isEmpty)
        XCTAssertTrue(context.registeredObjects.isSuperset(of: [inserted, updated]))
        XCTAssertEqual(try selects { XCTAssertEqual(try [inserted, updated].map { try $0.string("name") }, ["new", "renamed"]) }, 0)
        XCTAssertFalse(inserted.isFault || updated.isFault)
    }

    func test_SAV_03_aSaveWithNothingToSaveDoesNothing() throws {
        var posted = 0
        let observer = PinviewNotificationCenter.default.addObserver(forName: nil, object: context) { _ in posted += 1 }
        defer { PinviewNotificationCenter.default.removeObserver(observer) }
        _ = try context.person("dave0")
        XCTAssertEqual(try logged { try context.save() }, [])
        XCTAssertEqual(posted, 0)
    }

    func test_SAV_04_aFailedSaveLeavesEverythingAsItWas() throws {
        let inserted = try context.insertNewObject(forEntityName: "Person")
        let updated = try context.person("dave0"), deleted = try context.person("dave1")
        try updated.setValue("renamed", forKey: "name")
        try context.delete(deleted)
        assertError(.validationMissingMandatoryProperty, try context.save())
        XCTAssertEqual(context.insertedObjects, [inserted])
        XCTAssertTrue(inserted.objectID.isTemporaryID)
        XCTAssertTrue(context.updatedObjects.contains(updated))
        XCTAssertEqual(context.deletedObjects, [deleted])
        XCTAssertEqual(try updated.string("name"), "renamed")
        XCTAssertEqual(try storedNames(), ["dave0", "dave1", "dave2"])
        try inserted.setValue("new", forKey: "name")
        try context.save()
        XCTAssertEqual(try storedNames(), ["dave2", "new", "renamed"])
    }

    func test_SAV_04_aFailureInTheStoreLeavesEverythingAsItWas() throws {
        try changeElsewhere("dave0", "age", 50)
        let inserted = try insertPerson("new"), updated = try context.person("dave0")
        try updated.setValue("renamed", forKey: "name")
        try changeElsewhere("dave0", "age", 51)
        assertError(.managedObjectMerge, try context.save())
        XCTAssertEqual(context.insertedObjects, [inserted])
        XCTAssertTrue(inserted.objectID.isTemporaryID)
        XCTAssertEqual(context.updatedObjects, [updated])
        XCTAssertEqual(try storedNames(), ["dave0", "dave1", "dave2"])
    }

    func test_SAV_05_eachObjectIsSavedToItsOwnStore() throws {
        let second = try coordinator.addPersistentStore(type: .sqlite, at: path("second.sqlite"))
        try context.assign(try insertPerson("in the second"), to: second)
        try context.assign(try insertPerson("in the first"), to: coordinator.persistentStores[0])
        try context.save()
        XCTAssertEqual(try sqlite3("SELECT ZNAME FROM ZPERSON", file: "second.sqlite"), "in the second")
        XCTAssertEqual(try sqlite3("SELECT ZNAME FROM ZPERSON WHERE ZNAME LIKE 'in the%'"), "in the first")
        try context.person("in the second").setValue("edited", forKey: "name")
        try context.save()
        XCTAssertEqual(try sqlite3("SELECT ZNAME FROM ZPERSON", file: "second.sqlite"), "edited")
    }

    func test_SAV_06_thePermanentIDFindsTheSameInstance() throws {
        let person = try insertPerson("new")
        try context.save()
        XCTAssertTrue(try context.object(with: person.objectID) === person)
        XCTAssertTrue(try context.registeredObject(for: person.objectID) === person)
        XCTAssertTrue(try context.person("new") === person)
    }

    func test_SAV_07_aMissingMandatoryPropertyIsNamed() throws {
        let updated = try context.person("dave0")
        try updated.setValue(nil, forKey: "name")
        let error = assertError(.validationMissingMandatoryProperty, try context.save())
        XCTAssertEqual(error?.code, 1570)
        XCTAssertEqual(error?.validationKey, "name")
        XCTAssertEqual(error?.affectedObjectIDs, [updated.objectID])
        XCTAssertNil(error?.userInfo[PinviewError.NSDetailedErrorsKey])
    }

    func test_SAV_08_severalFailuresAreGivenTogether() throws {
        _ = try context.insertNewObject(forEntityName: "Person")
        try context.person("dave0").setValue(200, forKey: "age")
        let error = assertError(.validationMultipleErrors, try context.save())
        XCTAssertEqual(error?.code, 1560)
        XCTAssertEqual(Set(error?.detailedErrors.map(\.code) ?? []), [1570, 1610])
        guard case .errors(let details)? = error?.userInfo[PinviewError.NSDetailedErrorsKey] else { return XCTFail("no details") }
        XCTAssertEqual(details.count, 2)
    }

    // MARK: Permanent IDs

    func test_SAV_24_permanentIDsCanBeHadBeforeTheSave() throws {
        let person = try insertPerson("new"), car = try context.insertNewObject(forEntityName: "Car"), stored = try context.person("dave0")
        let storedID = stored.objectID
        try context.obtainPermanentIDs(for: [person, car, stored])
        let identifiers = [person.objectID, car.objectID]
        XCTAssertFalse(identifiers.contains(where: \.isTemporaryID))
        XCTAssertEqual(stored.objectID, storedID)
        XCTAssertEqual(context.insertedObjects, [person, car])
        try context.save()
        XCTAssertEqual([person.objectID, car.objectID], identifiers)
        XCTAssertEqual(try other.existingObject(with: identifiers[0]).string("name"), "new")
    }

    func test_SAV_24_anObjectThatIsNeverSavedLeavesNoRow() throws {
        let person = try insertPerson("new")
        try context.obtainPermanentIDs(for: [person])
        try context.rollback()
        try context.save()
        XCTAssertEqual(try storedNames(), ["dave0", "dave1", "dave2"])
    }

    // MARK: Locks

    func test_SAV_25_aSaveAgainstALockedStoreFailsAndSucceedsLater() throws {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try model())
        try coordinator.addPersistentStore(type: .sqlite, at: path(), options: ["busyTimeout": 0.05])
        let context = try makeContext(coordinator)
        try context.person("dave0").setValue("renamed", forKey: "name")
        let lock = try LockingProcess(file: path())
        let error = assertError(.persistentStoreSave, try context.save())
        XCTAssertEqual(error?.code, 134030)
        XCTAssertEqual(error.flatMap { $0.sqliteCode ?? $0.underlyingError?.sqliteCode }.map { $0 & 0xff }, 5)
        XCTAssertTrue(context.hasChanges)
        try lock.end()
        try context.save()
        XCTAssertEqual(try storedNames(), ["dave1", "dave2", "renamed"])
    }
}
