import Pinview
import XCTest

/// Refreshing, staleness and transient properties: RFR-01 to RFR-20, RFR-22 and RFR-24.
final class RefreshTests: StackTestCase {
    override func model() throws -> ManagedObjectModel {
        try people([AttributeDescription(name: "mood", attributeType: .string, isTransient: true)])
    }

    private func car(_ name: String, in context: ManagedObjectContext) throws -> ManagedObject {
        try XCTUnwrap(try context.fetch(FetchRequest("Car", "name == %@", name)).first)
    }

    /// The person dave0 of the first context, with its values loaded.
    private func realisedPerson() throws -> ManagedObject {
        let person = try context.person("dave0")
        XCTAssertEqual(try person.string("name"), "dave0")
        return person
    }

    func test_RFR_01_aFetchLeavesRealisedObjectsAsTheyAre() throws {
        let clean = try realisedPerson()
        let updated = try context.person("dave1"), deleted = try context.person("dave2")
        try updated.setValue("mine", forKey: "name")
        try context.delete(deleted)
        let inserted = try context.insertNewObject(forEntityName: "Person")
        for name in ["dave0", "dave1", "dave2"] { try changeElsewhere(name, "age", 99) }
        XCTAssertEqual(try context.fetch(FetchRequest(entityName: "Person")).count, 3)
        XCTAssertEqual(try clean.integer("age"), 20)
        XCTAssertEqual(try updated.string("name"), "mine")
        XCTAssertEqual(try updated.integer("age"), 21)
        XCTAssertTrue(deleted.isDeleted)
        XCTAssertTrue(inserted.isInserted)
    }

    func test_RFR_02_aFetchBringsTheRowCacheUpToDate() throws {
        let person = try realisedPerson()
        try sqlite3("UPDATE ZPERSON SET ZNAME = 'renamed', Z_OPT = Z_OPT + 1 WHERE ZNAME = 'dave0'")
        _ = try context.fetch(FetchRequest(entityName: "Person"))
        XCTAssertEqual(try person.string("name"), "dave0")
        XCTAssertEqual(try selects { try context.refresh(person, mergeChanges: true) }, 0)
        XCTAssertEqual(try person.string("name"), "renamed")
    }

    func test_RFR_02_aFaultFiredAgainGivesTheFetchedValues() throws {
        let person = try realisedPerson()
        try sqlite3("UPDATE ZPERSON SET ZNAME = 'renamed' WHERE ZNAME = 'dave0'")
        _ = try context.fetch(FetchRequest(entityName: "Person"))
        try context.refresh(person, mergeChanges: false)
        XCTAssertEqual(try selects { XCTAssertEqual(try person.string("name"), "renamed") }, 0)
    }

    func test_RFR_03_unchangedPropertiesGetTheValuesNowAvailable() throws {
        let person = try realisedPerson()
        try changeElsewhere("dave0", "age", 99)
        try context.refresh(person, mergeChanges: true)
        XCTAssertEqual(try person.integer("age"), 99)
        XCTAssertFalse(person.isFault)
        XCTAssertFalse(person.isUpdated)
    }

    func test_RFR_03_inAPinnedContextTheyGetThoseOfTheGeneration() throws {
        try context.setQueryGeneration(from: .current)
        let person = try realisedPerson()
        try changeElsewhere("dave0", "age", 99)
        try context.refresh(person, mergeChanges: true)
        XCTAssertEqual(try person.integer("age"), 20)
    }

    func test_RFR_04_changedPropertiesKeepTheirValues() throws {
        let person = try realisedPerson()
        try person.setValue("mine", forKey: "name")
        try changeElsewhere("dave0", "age", 99)
        try changeElsewhere("dave0", "name", "theirs")
        try context.refresh(person, mergeChanges: true)
        XCTAssertEqual(try person.string("name"), "mine")
        XCTAssertEqual(try person.integer("age"), 99)
        XCTAssertEqual(context.updatedObjects, [person])
        XCTAssertEqual(try person.committedValues(forKeys: ["name"]), ["name": "theirs"])
    }

    func test_RFR_05_anEditThatConflictedCanBeSavedAfterARefresh() throws {
        let person = try realisedPerson()
        try person.setValue("mine", forKey: "name")
        try changeElsewhere("dave0", "name", "theirs")
        assertError(.managedObjectMerge, try context.save())
        try context.refresh(person, mergeChanges: true)
        try context.save()
        XCTAssertEqual(try storedNames(), ["dave1", "dave2", "mine"])
    }

    func test_RFR_06_refreshWithoutMergingDropsChangesAndLoadsNothing() throws {
        let person = try realisedPerson()
        try person.setValue("mine", forKey: "name")
        XCTAssertEqual(try logged { try context.refresh(person, mergeChanges: false) }, [])
        XCTAssertTrue(person.isFault)
        XCTAssertTrue(context.updatedObjects.isEmpty)
        XCTAssertFalse(context.hasChanges)
        XCTAssertEqual(try person.string("name"), "dave0")
    }

    // MARK: Relationships

    func test_RFR_07_unchangedRelationshipsGetTheirNewDestinations() throws {
        let person = try realisedPerson(), car0 = try car("car0", in: context), car1 = try car("car1", in: context)
        XCTAssertEqual(try person.relatedObjects(forKey: "cars"), [car0])
        XCTAssertNotNil(try car0.relatedObject(forKey: "owner"))
        try other.person("dave0").setRelatedObjects([try car("car1", in: other)], forKey: "cars")
        try other.save()
        for object in [person, car0, car1] { try context.refresh(object, mergeChanges: true) }
        XCTAssertEqual(try person.relatedObjects(forKey: "cars"), [car1])
        XCTAssertNil(try car0.relatedObject(forKey: "owner"))
        XCTAssertEqual(try car1.relatedObject(forKey: "owner"), person)
    }

    func test_RFR_07_aChangedToOneRelationshipKeepsItsDestination() throws {
        let car0 = try car("car0", in: context), mine = try context.person("dave1")
        try car0.setRelatedObject(mine, forKey: "owner")
        try car("car0", in: other).setRelatedObject(try other.person("dave2"), forKey: "owner")
        try other.save()
        try context.refresh(car0, mergeChanges: true)
        XCTAssertEqual(try car0.relatedObject(forKey: "owner"), mine)
        XCTAssertTrue(car0.isUpdated)
    }

    func test_RFR_07_aChangedToManyRelationshipKeepsItsChanges() throws {
        let person = try realisedPerson(), car0 = try car("car0", in: context), car1 = try car("car1", in: context)
        try person.addRelatedObject(car1, forKey: "cars")
        try changeElsewhere("dave0", "age", 99)
        try context.refresh(person, mergeChanges: true)
        XCTAssertEqual(Set(try person.relatedObjects(forKey: "cars")), [car0, car1])
        XCTAssertEqual(try person.integer("age"), 99)
        XCTAssertTrue(person.isUpdated)
    }

    // MARK: All objects

    func test_RFR_08_refreshAllObjectsLosesNoPendingChange() throws {
        let clean = try realisedPerson(), updated = try context.person("dave1"), deleted = try context.person("dave2")
        let inserted = try context.insertNewObject(forEntityName: "Person")
        try inserted.setValue("new", forKey: "name")
        try updated.setValue("mine", forKey: "name")
        try context.delete(deleted)
        for name in ["dave0", "dave1"] { try changeElsewhere(name, "age", 99) }
        let registered = context.registeredObjects
        try context.refreshAllObjects()
        XCTAssertEqual(context.registeredObjects, registered)
        XCTAssertTrue(clean.isFault)
        XCTAssertEqual(context.updatedObjects, [updated])
        XCTAssertEqual(context.deletedObjects, [deleted])
        XCTAssertEqual(context.insertedObjects, [inserted])
        XCTAssertEqual(try updated.string("name"), "mine")
        XCTAssertEqual(try updated.integer("age"), 99)
        XCTAssertEqual(try clean.integer("age"), 99)
        try context.save()
        XCTAssertEqual(try storedNames(), ["dave0", "mine", "new"])
    }

    func test_RFR_09_refreshOfANewObjectDoesNothing() throws {
        let person = try context.insertNewObject(forEntityName: "Person")
        try person.setValue("new", forKey: "name")
        for merges in [true, false] { try context.refresh(person, mergeChanges: merges) }
        XCTAssertEqual(try person.string("name"), "new")
        XCTAssertEqual(context.insertedObjects, [person])
    }

    func test_RFR_09_refreshWithoutMergingTakesADeletionBack() throws {
        let person = try realisedPerson()
        try context.delete(person)
        try context.refresh(person, mergeChanges: false)
        XCTAssertFalse(person.isDeleted)
        XCTAssertTrue(person.isFault)
        XCTAssertFalse(context.hasChanges)
        try context.save()
        XCTAssertEqual(try storedNames(), ["dave0", "dave1", "dave2"])
    }

    func test_RFR_09_refreshWithMergingKeepsADeletion() throws {
        let person = try realisedPerson()
        try context.delete(person)
        try context.refresh(person, mergeChanges: true)
        XCTAssertEqual(context.deletedObjects, [person])
    }

    func test_RFR_10_refreshOfAVanishedObjectMarksItDeleted() throws {
        let person = try realisedPerson()
        try deleteElsewhere("dave0")
        try context.refresh(person, mergeChanges: true)
        XCTAssertEqual(context.deletedObjects, [person])
        XCTAssertEqual(try person.attributeValue(forKey: "name"), .null)
    }

    func test_RFR_10_withoutDeletingTheRefreshGivesAnError() throws {
        context.shouldDeleteInaccessibleFaults = false
        let person = try realisedPerson()
        try deleteElsewhere("dave0")
        assertError(.managedObjectReferentialIntegrity, try context.refresh(person, mergeChanges: true))
        XCTAssertFalse(person.isDeleted)
        XCTAssertFalse(context.hasChanges)
    }

    func test_QG_14_advancingToTheSameStateReadsNothingAgain() throws {
        try context.setQueryGeneration(from: .current)
        let person = try realisedPerson()
        func advance() throws -> Int {
            try selects {
                try context.setQueryGeneration(from: .current)
                try context.refresh(person, mergeChanges: false)
                _ = try person.integer("age")
            }
        }
        XCTAssertEqual(try advance(), 0)
        try sqlite3("UPDATE ZPERSON SET ZAGE = 99 WHERE ZNAME = 'dave0'")
        XCTAssertEqual(try advance(), 1)
        XCTAssertEqual(try person.integer("age"), 99)
    }

    // MARK: Staleness

    /// Makes a realised dave0, lets another process write its age, and returns how many statements
    /// firing it again takes.
    private func selectsToFireAgain(interval: Double, after seconds: Double, shows age: Int64, refreshes: Bool = false) throws -> Int {
        let clock = TestClock()
        coordinator.clock = { clock.now }
        context.stalenessInterval = interval
        let person = try realisedPerson()
        try sqlite3("UPDATE ZPERSON SET ZAGE = 99 WHERE ZNAME = 'dave0'")
        clock.advance(by: seconds)
        return try selects {
            try context.refresh(person, mergeChanges: refreshes)
            XCTAssertEqual(try person.integer("age"), age)
        }
    }

    func test_RFR_11_byDefaultACachedRowNeverGetsTooOld() throws {
        XCTAssertEqual(try selectsToFireAgain(interval: context.stalenessInterval, after: 1_000_000, shows: 20), 0)
    }

    func test_RFR_12_withinTheIntervalAFaultIsFilledFromTheCache() throws {
        XCTAssertEqual(try selectsToFireAgain(interval: 10, after: 9, shows: 20), 0)
    }

    func test_RFR_12_afterTheIntervalAFaultReadsTheStore() throws {
        XCTAssertEqual(try selectsToFireAgain(interval: 10, after: 11, shows: 99), 1)
    }

    func test_RFR_13_withTheInterval0EveryFaultReadsTheStore() throws {
        XCTAssertEqual(try selectsToFireAgain(interval: 0, after: 0, shows: 99), 1)
        let person = try context.person("dave1")
        XCTAssertEqual(try selects { _ = try person.string("name") }, 1)
    }

    func test_RFR_14_theAgeIsCountedForEachObjectFromItsLastReadOrWrite() throws {
        let clock = TestClock()
        coordinator.clock = { clock.now }
        context.stalenessInterval = 10
        let read = try realisedPerson()
        clock.advance(by: 6)
        let written = try context.person("dave1")
        try written.setValue(50, forKey: "age")
        try context.save()
        clock.advance(by: 6)
        XCTAssertEqual(try selects { XCTAssertEqual(try read.integer("age"), 20) }, 0, "a realised object keeps its values")
        for person in [read, written] { try context.refresh(person, mergeChanges: false) }
        XCTAssertEqual(try selects { _ = try written.integer("age") }, 0)
        XCTAssertEqual(try selects { _ = try read.integer("age") }, 1)
    }

    func test_RFR_15_theIntervalHasNoEffectInMemory() throws {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try model())
        try coordinator.addPersistentStore(type: .inMemory)
        try fill(coordinator, count: 1)
        let context = try makeContext(coordinator)
        context.stalenessInterval = 0
        let person = try context.person("dave0")
        XCTAssertEqual(try logged { _ = try person.string("name") }, [])
        try context.refresh(person, mergeChanges: false)
        XCTAssertEqual(try logged { _ = try person.string("name") }, [])
    }

    func test_RFR_16_theIntervalDecidesInRefreshToo() throws {
        XCTAssertEqual(try selectsToFireAgain(interval: 10, after: 9, shows: 20, refreshes: true), 0)
        XCTAssertEqual(try selectsToFireAgain(interval: 0, after: 0, shows: 99, refreshes: true), 1)
    }

    func test_RFR_17_savesOfASecondStackShowOnceTheCacheIsPassedOver() throws {
        let person = try realisedPerson()
        let second = try makeContextOfSecondStack()
        try second.person("dave0").setValue(99, forKey: "age")
        try second.save()
        try context.refresh(person, mergeChanges: false)
        XCTAssertEqual(try person.integer("age"), 20)
        context.stalenessInterval = 0
        try context.refresh(person, mergeChanges: false)
        XCTAssertEqual(try person.integer("age"), 99)
    }

    func test_RFR_17_savesOfASecondStackShowAfterAFetchAndARefresh() throws {
        let person = try realisedPerson()
        let second = try makeContextOfSecondStack()
        try second.person("dave0").setValue(99, forKey: "age")
        try second.save()
        _ = try context.fetch(FetchRequest("Person", "name == 'dave0'"))
        XCTAssertEqual(try person.integer("age"), 20)
        try context.refresh(person, mergeChanges: true)
        XCTAssertEqual(try person.integer("age"), 99)
    }

    func test_RFR_18_aSaveOfTheCoordinatorBringsTheCacheUpToDate() throws {
        let person = try realisedPerson()
        try changeElsewhere("dave0", "age", 99)
        XCTAssertEqual(try selects { try context.refresh(person, mergeChanges: true) }, 0)
        XCTAssertEqual(try person.integer("age"), 99)
    }

    func test_RFR_19_afterAChangeOfGenerationNoOlderRowIsUsed() throws {
        let changes: [(String, QueryGenerationToken?)] = [("unpinned", nil), ("pinned to the newest", .current)]
        for (number, (name, token)) in changes.enumerated() {
            try context.setQueryGeneration(from: .current)
            let person = try context.person("dave\(number)")
            _ = try person.integer("age")
            try sqlite3("UPDATE ZPERSON SET ZAGE = 99 WHERE ZNAME = 'dave\(number)'")
            try context.setQueryGeneration(from: token)
            try context.refresh(person, mergeChanges: number == 0)
            XCTAssertEqual(try person.integer("age"), 99, name)
        }
    }

    // MARK: Transient properties

    func test_RFR_20_aTransientPropertyIsNotStored() throws {
        let person = try realisedPerson()
        try person.setValue("happy", forKey: "mood")
        try person.setValue(50, forKey: "age")
        try context.save()
        XCTAssertEqual(try person.string("mood"), "happy")
        XCTAssertNil(try other.person("dave0").string("mood"))
        let reopened = try makeContextOfSecondStack()
        XCTAssertNil(try reopened.person("dave0").string("mood"))
        XCTAssertFalse(try sqlite3("SELECT sql FROM sqlite_master WHERE name = 'ZPERSON'").contains("ZMOOD"))
    }

    func test_RFR_22_refreshWithoutMergingThrowsTransientValuesAway() throws {
        let person = try realisedPerson()
        try person.setValue("happy", forKey: "mood")
        try context.refresh(person, mergeChanges: false)
        XCTAssertNil(try person.string("mood"))
    }

    func test_RFR_24_aTransientChangeMarksTheObjectButWritesNoRow() throws {
        let person = try realisedPerson()
        let version = try sqlite3("SELECT Z_OPT FROM ZPERSON WHERE ZNAME = 'dave0'")
        try person.setValue("happy", forKey: "mood")
        XCTAssertEqual(context.updatedObjects, [person])
        XCTAssertFalse(person.hasPersistentChangedValues)
        XCTAssertEqual(try logged { try context.save() }.filter { $0.contains("UPDATE") }, [])
        XCTAssertFalse(context.hasChanges)
        XCTAssertEqual(try person.string("mood"), "happy")
        XCTAssertEqual(try sqlite3("SELECT Z_OPT FROM ZPERSON WHERE ZNAME = 'dave0'"), version)
    }

    func test_RFR_24_besideAStoredChangeOnlyTheOtherRowIsWritten() throws {
        let person = try realisedPerson()
        let version = try sqlite3("SELECT Z_OPT FROM ZPERSON WHERE ZNAME = 'dave0'")
        try person.setValue("happy", forKey: "mood")
        try context.person("dave1").setValue(50, forKey: "age")
        try context.save()
        XCTAssertEqual(try sqlite3("SELECT Z_OPT FROM ZPERSON WHERE ZNAME = 'dave0'"), version)
        XCTAssertEqual(try sqlite3("SELECT ZAGE FROM ZPERSON WHERE ZNAME = 'dave1'"), "50")
    }
}
