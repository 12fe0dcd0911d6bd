import Foundation
import XCTest

@testable import PinviewModel

final class ErrorTests: XCTestCase {
    func test_ERR_06_programmerErrorsHaveTheirOwnDomainAndCodes() {
        let codes: [PinviewError.Code] = [
            .nestedPin, .foreignToken, .generationExpired, .wrongQueue, .wrongContext, .wrongStore, .noCoordinator, .coordinatorNil,
            .confinementParent, .confinementPerform, .parentCycle, .contextGone, .objectInvalidated, .noCurrentContext, .pinnedAutoMerge,
            .unknownEntity, .unknownKey, .wrongType, .badPredicate, .badModel, .notLocked,
        ]

        XCTAssertEqual(codes.map(\.rawValue), Array(1...21))
        XCTAssertEqual(Set(codes.map { PinviewError($0, "").domain }), ["PinviewErrorDomain"])
    }

    func test_ERR_06_ownCodesBeyondTheLedger() {
        let codes: [PinviewError.Code] = [
            .invalidHandle, .invalidArgument, .invalidUTF8, .generationLost, .forked, .outOfMemory, .unknownStore, .stopped,
            .timedOut, .deadlock, .storeMigrated, .locksLost,
        ]

        XCTAssertEqual(codes.map(\.rawValue), Array(101...112))
    }

    func test_DEC_34_coreDataCodesKeepTheirNumbersAndDomain() {
        let error = PinviewError(.managedObjectReferentialIntegrity, "gone")

        XCTAssertEqual(error.code, 133000)
        XCTAssertEqual(error.domain, "NSCocoaErrorDomain")
        XCTAssertTrue(error.hasCode(.managedObjectReferentialIntegrity))
        XCTAssertFalse(error.hasCode(.sqlite))
        XCTAssertFalse(PinviewError(domain: "Other", code: 20, message: "").hasCode(.badModel))
    }

    func test_ERR_01_userInfoContainsTheErrorsMembers() throws {
        let objectID = makeID(try XCTUnwrap(makeFamilyModel().entity(named: "Car")), 1)

        XCTAssertEqual(PinviewError(.sqlite, "words").userInfo.count, 1)
        let info = PinviewError(.validation, "words").with(affectedObjectIDs: [objectID], validationKey: "owner", validationValue: 1)
            .userInfo
        guard case .objectIDs([objectID])? = info["NSAffectedObjectsErrorKey"],
            case .text("owner")? = info["NSValidationKeyErrorKey"],
            case .value(1)? = info["NSValidationValueErrorKey"],
            case .objectIDs([objectID])? = info["NSValidationObjectErrorKey"]
        else { return XCTFail("\(info)") }
    }

    func test_ERR_03_errorOfSQLiteCarriesItsCode() throws {
        let error = PinviewError.sqlite(
            .persistentStoreSave, "The store could not be saved.", sqliteCode: 517, sqliteMessage: "database is locked", store: "/a.sqlite")

        XCTAssertEqual(error.code, 134030)
        guard case .integer(517)? = error.userInfo["NSSQLiteErrorDomain"] else { return XCTFail("\(error.userInfo)") }
        XCTAssertEqual(error.underlyingError?.domain, "NSSQLiteErrorDomain")
        XCTAssertEqual(error.underlyingError?.code, 517)
        XCTAssertEqual(error.affectedStores, ["/a.sqlite"])
        XCTAssertTrue(error.description.contains("database is locked"))
    }

    func test_SAV_08_severalValidationErrorsBecomeOne() throws {
        let objectID = makeID(try XCTUnwrap(makeFamilyModel().entity(named: "Car")), 1)
        let single = PinviewError.validation(.numberTooLarge, "too large", objectID: objectID, key: "a", value: 1)
        let other = PinviewError.validation(.numberTooSmall, "too small", objectID: objectID, key: "b", value: 2)

        XCTAssertNil(PinviewError.combining([]))
        XCTAssertEqual(PinviewError.combining([single])?.code, 1610)
        let both = try XCTUnwrap(PinviewError.combining([single, other]))
        XCTAssertEqual(both.code, 1560)
        XCTAssertEqual(both.detailedErrors.map(\.code), [1610, 1620])
        XCTAssertEqual(both.affectedObjectIDs, [objectID])
        guard case .errors(let errors)? = both.userInfo["NSDetailedErrorsKey"] else { return XCTFail("\(both.userInfo)") }
        XCTAssertEqual(errors.count, 2)
    }

    func test_STO_19_unknownKeyErrorListsTheProperties() throws {
        let error = PinviewError.unknownKey("nme", of: try XCTUnwrap(makeFamilyModel().entity(named: "Person")))

        XCTAssertTrue(error.hasCode(.unknownKey))
        XCTAssertEqual(error.message, "Entity Person has no property \"nme\". Its properties are: born, name, age, cars.")
    }

    func test_ERR_04_theDescriptionHasTheCodeOfSQLiteOnce() {
        let error = PinviewError.sqlite(.sqlite, "It cannot be written.", sqliteCode: 13, sqliteMessage: "disk is full", store: "a.sqlite")

        XCTAssertEqual(error.description.components(separatedBy: "SQLite code 13").count, 2, error.description)
        XCTAssertTrue(error.description.contains("It cannot be written. (SQLite code 13) [stores: a.sqlite]"), error.description)
        XCTAssertFalse(error.underlyingError?.description.contains("SQLite code") ?? true)
    }
}
