import CoreDataFixtures
import Foundation
import PinviewModel
import XCTest

@testable import PinviewStore

/// MDL-12: the columns of composite attributes.
final class CompositeLayoutTests: StoreTestCase {
    private func attribute(_ name: String, _ type: AttributeType = .string) -> AttributeDescription {
        AttributeDescription(name: name, attributeType: type)
    }

    private func composite(_ name: String, _ elements: AttributeDescription...) -> AttributeDescription {
        AttributeDescription(name: name, elements: elements)
    }

    private func model(_ attributes: AttributeDescription..., constraints: [[String]] = []) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [EntityDescription(name: "Shop", attributes: attributes, uniquenessConstraints: constraints)])
    }

    func test_MDL_12_eachElementHasAColumnNamedAfterItAlone() throws {
        let model = try model(
            composite("place", attribute("latitude", .double), composite("area", attribute("code", .integer16))), attribute("name"),
            constraints: [["place.area.code"]])
        let store = try openStore(model)
        try store.insert("Shop", [["place.latitude": 1.5, "place.area.code": 7, "name": "a"]])

        XCTAssertEqual(
            try columns(of: "ZSHOP").dropFirst(3), ["ZNAME VARCHAR", "ZLATITUDE FLOAT", "ZCODE INTEGER"])
        XCTAssertEqual(try sqlite3("SELECT ZNAME, ZLATITUDE, ZCODE FROM ZSHOP"), ["a|1.5|7"])
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM sqlite_schema WHERE sql LIKE 'CREATE UNIQUE INDEX%ZCODE%'"), ["1"])
    }

    func test_MDL_12_aNameThatIsTakenGetsADigit() throws {
        let store = try openStore(try model(composite("home", attribute("city")), composite("work", attribute("city")), attribute("city")))
        try store.insert("Shop", [["home.city": "Rome", "work.city": "Oslo", "city": "Paris"]])

        XCTAssertEqual(try sqlite3("SELECT ZCITY, ZCITY1, ZCITY2 FROM ZSHOP"), ["Paris|Rome|Oslo"])
    }

    private let file = CoreDataFixture(
        ["Shop"],
        [
            "CREATE TABLE ZSHOP (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLATITUDE FLOAT, ZCITY VARCHAR)",
            "INSERT INTO ZSHOP VALUES (1, 1, 1, 48.5, 'Paris')",
        ])

    func test_MDL_12_aStoreOfCoreDatasIsReadByElement() throws {
        try make(file)

        let store = try openStore(try model(composite("place", attribute("latitude", .double), attribute("city"))))

        XCTAssertEqual(try store.count(try store.fetch("Shop", "place.latitude > 48 AND place.city == 'Paris'"), at: nil), 1)
    }

    func test_MDL_12_columnsThatCouldBeThoseOfTwoElementsAreNotGuessed() throws {
        var two = file
        two.statements.append("ALTER TABLE ZSHOP ADD COLUMN ZCITY1 VARCHAR")
        try make(two)
        let before = try Data(contentsOf: URL(fileURLWithPath: storePath))

        let error = assertError(.persistentStoreIncompatibleVersionHash) {
            _ = try openStore(
                try model(composite("home", attribute("city")), composite("work", attribute("city")), attribute("latitude", .double)))
        }

        XCTAssertTrue(error?.message.contains("ZCITY") ?? false, error?.message ?? "")
        XCTAssertTrue(error?.message.contains("Shop.home.city and of Shop.work.city") ?? false, error?.message ?? "")
        XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: storePath)), before)
    }

    func test_MDL_12_theStoresOwnModelHasTheComposites() throws {
        let model = try model(composite("home", attribute("city")), composite("work", attribute("city")))
        let store = try openStore(model)
        try store.insert("Shop", [["home.city": "Rome", "work.city": "Oslo"]])
        let again = try openStore(try self.model(composite("work", attribute("city")), composite("home", attribute("city"))))

        XCTAssertEqual(try again.count(try again.fetch("Shop", "home.city == 'Rome' AND work.city == 'Oslo'"), at: nil), 1)
    }
}
