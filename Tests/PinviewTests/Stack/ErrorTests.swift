import Foundation
import Pinview
import XCTest

/// What errors hold, and stores that cannot be used: ERR-01 to ERR-07, SAV-25, STO-14.
final class ErrorTests: StoreTestCase {
    private func busyCoordinator() throws -> PersistentStoreCoordinator {
        let coordinator = try makeCoordinator(options: ["busyTimeout": 0.05])
        try fill(coordinator, count: 3)
        return coordinator
    }

    // MARK: Locked stores

    func test_SAV_25_and_ERR_03_aSaveAgainstALockedStoreFailsAndSucceedsLater() throws {
        let context = try makeContext(try busyCoordinator())
        let writer = try LockingProcess(file: path())
        try context.person("dave0").setValue("edited", forKey: "name")
        let error = assertError(.persistentStoreSave, try context.save())
        XCTAssertEqual(error?.code, 134030)
        XCTAssertEqual(error?.sqliteCode.map { $0 & 0xFF }, 5)  // SQLITE_BUSY
        XCTAssertEqual(error?.underlyingError?.domain, "NSSQLiteErrorDomain")
        XCTAssertEqual(error?.underlyingError?.code, error?.sqliteCode.map(Int.init))
        XCTAssertTrue(context.hasChanges)
        try writer.end()
        try context.save()
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZPERSON WHERE ZNAME = 'edited'"), "1")
    }

    func test_SAV_25_readsGoOnWhileTheStoreIsLocked() throws {
        let context = try makeContext(try busyCoordinator())
        let writer = try LockingProcess(file: path())
        defer { XCTAssertNoThrow(try writer.end()) }
        XCTAssertEqual(try context.names().count, 3)
        try context.setQueryGeneration(from: .current)
        XCTAssertEqual(try context.names().count, 3)
    }

    func test_SAV_25_aSaveWaitsForALockThatGoesInTime() throws {
        let coordinator = try makeCoordinator(options: ["busyTimeout": 30.0])
        try fill(coordinator, count: 3)
        let context = try makeContext(coordinator)
        try context.person("dave0").setValue("edited", forKey: "name")
        let writer = try LockingProcess(file: path())
        let saved = expectation(description: "saved")
        Thread {
            do { try context.save() } catch { XCTFail("\(error)") }
            saved.fulfill()
        }.start()
        try writer.end()
        wait(for: [saved], timeout: 120)
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZPERSON WHERE ZNAME = 'edited'"), "1")
    }

    func test_aBatchUpdateAgainstALockedStoreFails() throws {
        let context = try makeContext(try busyCoordinator())
        let writer = try LockingProcess(file: path())
        defer { XCTAssertNoThrow(try writer.end()) }
        var update = BatchUpdateRequest(entityName: "Person")
        update.propertiesToUpdate = ["age": 99]
        do {
            _ = try context.execute(update)
            XCTFail("no error was thrown")
        } catch let error as PinviewError {
            XCTAssertEqual(error.sqliteCode.map { $0 & 0xFF }, 5)
        }
    }

    // MARK: What an error holds

    private func strictModel() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Person",
                attributes: [
                    AttributeDescription(name: "name", attributeType: .string, isOptional: false),
                    AttributeDescription(name: "code", attributeType: .string, isOptional: false),
                ])
        ])
    }

    func test_ERR_01_anErrorHasADomainACodeAMessageAndUserInfo() throws {
        let context = try makeContext(try makeCoordinator())
        let error = try XCTUnwrap(assertError(.unknownEntity, try context.names("Nobody")))
        XCTAssertEqual(error.domain, "PinviewErrorDomain")
        XCTAssertTrue(error.message.contains("Nobody"), error.message)
        guard case .text(let text)? = error.userInfo["NSLocalizedDescription"] else { return XCTFail("no description") }
        XCTAssertEqual(text, error.message)
    }

    func test_ERR_01_aCallThatFailsLeavesTheContextAsItWas() throws {
        let context = try makeContext(try makeCoordinator())
        let person = try context.insertNewObject(forEntityName: "Person")
        XCTAssertNil(try? person.setValue(1, forKey: "height"))
        XCTAssertNil(try? context.names("Nobody"))
        try context.save()
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZPERSON"), "1")
    }

    func test_ERR_02_severalErrorsAreListedUnderOne() throws {
        let context = try makeContext(try makeCoordinator(try strictModel()))
        let persons = try (0..<2).map { _ in try context.insertNewObject(forEntityName: "Person") }
        let error = try XCTUnwrap(assertError(.validationMultipleErrors, try context.save()))
        XCTAssertEqual(error.code, 1560)
        XCTAssertEqual(Set(error.affectedObjectIDs), Set(persons.map(\.objectID)))
        guard case .errors(let details)? = error.userInfo["NSDetailedErrorsKey"] else { return XCTFail("no single errors") }
        XCTAssertEqual(details.count, 4)
        XCTAssertTrue(details.allSatisfy { $0.hasCode(.validationMissingMandatoryProperty) })
    }

    func test_ERR_02_affectedStoresAreNamed() throws {
        let coordinator = try makeCoordinator()
        let context = try makeContext(coordinator)
        let store = coordinator.persistentStores[0]
        try fill(coordinator, count: 1)
        let person = try context.person("dave0")
        try coordinator.remove(store)
        let error = try XCTUnwrap(assertError(.persistentStoreOperation, try person.attributeValue(forKey: "name")))
        guard case .stores(let stores)? = error.userInfo["NSAffectedStoresErrorKey"] else { return XCTFail("no stores") }
        XCTAssertEqual(stores, [store.identifier])
    }

    func test_ERR_03_theSQLiteCodeStandsInUserInfo() throws {
        let context = try makeContext(try busyCoordinator())
        let writer = try LockingProcess(file: path())
        defer { XCTAssertNoThrow(try writer.end()) }
        try context.person("dave0").setValue("edited", forKey: "name")
        let error = try XCTUnwrap(assertError(.persistentStoreSave, try context.save()))
        guard case .integer(let code)? = error.userInfo["NSSQLiteErrorDomain"] else { return XCTFail("no SQLite code") }
        XCTAssertEqual(code & 0xFF, 5)
        guard case .errors(let causes)? = error.userInfo["NSUnderlyingError"] else { return XCTFail("no underlying error") }
        XCTAssertEqual(causes.map(\.domain), ["NSSQLiteErrorDomain"])
    }

    func test_ERR_06_programmerErrorsHaveADomainOfTheirOwn() {
        let codes: [PinviewError.Code] = [
            .nestedPin, .foreignToken, .generationExpired, .wrongQueue, .wrongContext, .wrongStore, .noCoordinator, .coordinatorNil,
            .confinementParent, .confinementPerform, .parentCycle, .contextGone, .objectInvalidated, .noCurrentContext, .pinnedAutoMerge,
            .unknownEntity, .unknownKey, .wrongType, .badPredicate, .badModel, .notLocked,
        ]
        let errors = codes.map { PinviewError($0, "") }
        XCTAssertEqual(Set(errors.map(\.domain)), ["PinviewErrorDomain"])
        XCTAssertEqual(Set(errors.map(\.code)).count, codes.count)
    }

    func test_ERR_07_aValidationErrorNamesObjectKeyAndValue() throws {
        let context = try makeContext(try makeCoordinator(try strictModel()))
        let person = try context.insertNewObject(forEntityName: "Person")
        try person.setValue("name", forKey: "name")
        let error = try XCTUnwrap(assertError(.validationMissingMandatoryProperty, try context.save()))
        XCTAssertEqual(error.code, 1570)
        XCTAssertEqual(error.affectedObjectIDs, [person.objectID])
        XCTAssertEqual(error.validationKey, "code")
        XCTAssertEqual(error.validationValue?.isNull, true)
        XCTAssertTrue(error.message.contains("code"), error.message)
    }

    func test_ERR_08_keysAndDomainsAreConstants() {
        XCTAssertEqual(PinviewError.cocoaErrorDomain, "NSCocoaErrorDomain")
        XCTAssertEqual(PinviewError.sqliteErrorDomain, "NSSQLiteErrorDomain")
        XCTAssertEqual(PinviewError.NSAffectedObjectsErrorKey, "NSAffectedObjectsErrorKey")
        XCTAssertEqual(PinviewError.NSAffectedStoresErrorKey, "NSAffectedStoresErrorKey")
        XCTAssertEqual(PinviewError.NSDetailedErrorsKey, "NSDetailedErrorsKey")
        XCTAssertEqual(PinviewNotification.invalidatedAllObjectsKey, "invalidatedAll")
    }
}
