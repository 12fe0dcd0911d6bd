import CoreDataFixtures
import Foundation
import PinviewModel
import XCTest

@testable import PinviewStore

/// MDL-07: a store that Core Data made, opened with a model that is not its own.
final class StoreMatchingTests: StoreTestCase {
    private static let people = [
        "CREATE TABLE ZPERSON (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAGE INTEGER, ZNAME VARCHAR, ZTEXT VARCHAR, ZTEXT1 VARCHAR)",
        "INSERT INTO ZPERSON VALUES (1, 2, 1, 36, 'Ada', 'employee', NULL), (2, 3, 1, 40, 'Alan', NULL, 'guest')",
    ]
    private let fixture = CoreDataFixture(
        entities: [.init(name: "Person"), .init(name: "Employee", parent: 1), .init(name: "Guest", parent: 1)], people)

    private func attribute(_ name: String, _ type: AttributeType = .string) -> AttributeDescription {
        AttributeDescription(name: name, attributeType: type)
    }

    private func model(
        name: AttributeType = .string, employeeHasText: Bool = true, guestIsRoot: Bool = false, hash: UInt8? = nil
    ) throws -> ManagedObjectModel {
        var entities = [
            EntityDescription(name: "Person", attributes: [attribute("name", name), attribute("age", .integer32)]),
            EntityDescription(name: "Employee", superentityName: "Person", attributes: employeeHasText ? [attribute("text")] : []),
            EntityDescription(name: "Guest", superentityName: guestIsRoot ? nil : "Person", attributes: [attribute("text")]),
        ]
        if let hash { for index in entities.indices { entities[index].versionHash = [UInt8](repeating: hash, count: 32) } }
        return try ManagedObjectModel(entities: entities)
    }

    /// Checks that the model is refused with a reason, and that nothing in the folder has changed.
    private func assertRefused(_ model: ManagedObjectModel, _ words: String..., line: UInt = #line) throws {
        let before = try Data(contentsOf: URL(fileURLWithPath: storePath))
        let error = assertError(.persistentStoreIncompatibleVersionHash, line: line) { _ = try openStore(model) }
        for word in words { XCTAssertTrue(error?.message.contains(word) ?? false, "\(word): \(error?.message ?? "")", line: line) }
        XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: storePath)), before, line: line)
    }

    func test_MDL_07_theStoresOwnModelOpensIt() throws {
        try make(fixture)
        let store = try openStore(try model())
        XCTAssertEqual(try store.count(try store.fetch("Guest", "text == 'guest'"), at: nil), 1)
        XCTAssertEqual(try store.count(try store.fetch("Employee", "text == 'employee'"), at: nil), 1)
    }

    func test_MDL_07_aTextIsNotReadAsADate() throws {
        try make(fixture)
        try assertRefused(try model(name: .date), "ZPERSON.ZNAME", "VARCHAR", "TIMESTAMP", "Person.name")
    }

    func test_MDL_07_aRemovedAttributeDoesNotGiveItsColumnToASibling() throws {
        try make(fixture)
        try assertRefused(try model(employeeHasText: false), "ZPERSON.ZTEXT1")
    }

    func test_MDL_07_anotherHierarchy() throws {
        var flat = fixture
        flat.statements.append("CREATE TABLE ZGUEST (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTEXT VARCHAR)")
        try make(flat)
        try assertRefused(try model(guestIsRoot: true), "Guest is a sub-entity of Person")
    }

    func test_MDL_07_anEntityThatTheModelLacks() throws {
        var more = fixture
        more.entities.append(.init(name: "Visit"))
        try make(more)
        try assertRefused(try model(), "the entity Visit")
    }

    func test_MDL_07_MDL_08_hashesDecideWhereBothSidesHaveThem() throws {
        let hashes = Dictionary(uniqueKeysWithValues: ["Person", "Employee", "Guest"].map { ($0, [UInt8](repeating: 7, count: 32)) })
        // A column that was left behind by a migration.
        var migrated = fixture.with(hashes: hashes)
        migrated.statements.append("ALTER TABLE ZPERSON ADD COLUMN ZOLD VARCHAR; UPDATE ZPERSON SET ZOLD = 'x'")
        try make(migrated)
        try assertRefused(try model(hash: 8), "These entities differ: Person, Employee, Guest")
        try assertRefused(try model(), "the column ZPERSON.ZOLD")
        let store = try openStore(try model(hash: 7))
        XCTAssertEqual(try store.count(try store.fetch("Person"), at: nil), 2)
    }

    func test_MDL_08_givenHashesAreWrittenAndAModelWithoutThemStillOpensTheStore() throws {
        try openStore(try model(hash: 9)).close()
        let metadata = try SQLStore.metadata(ofStoreAt: storePath)
        XCTAssertEqual(metadata["NSStoreModelVersionHashes"]?.dictionaryValue?["Guest"]?.dataValue, [UInt8](repeating: 9, count: 32))
        XCTAssertNoThrow(try openStore(try model(hash: 9)).close())
        XCTAssertNoThrow(try openStore(try model()).close())
        _ = assertError(.persistentStoreIncompatibleVersionHash) { _ = try openStore(try model(hash: 10)) }
        _ = assertError(.persistentStoreIncompatibleVersionHash) { _ = try openStore(try model(employeeHasText: false)) }
    }

    func test_MDL_07_aRowOfAnotherTablesEntityIsNotGivenOut() throws {
        var strays = fixture
        strays.entities.append(.init(name: "Visit"))
        strays.statements += [
            "CREATE TABLE ZVISIT (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER)",
            "INSERT INTO ZVISIT VALUES (1, 4, 1), (2, 2, 1), (3, NULL, 1)", "INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT) VALUES (9, 4, 1)",
        ]
        try make(strays)
        let model = try ManagedObjectModel(entities: try model().entityDescriptions + [EntityDescription(name: "Visit")])
        let store = try openStore(model)
        XCTAssertEqual(try store.fetchReferences(try store.fetch("Visit"), at: nil).map(\.primaryKey), [1, 3])
        XCTAssertEqual(try store.count(try store.fetch("Person"), at: nil), 2)
    }

    func test_MDL_07_aTextWhereANumberMustBe() throws {
        try make(fixture)
        try sqlite3("UPDATE Z_PRIMARYKEY SET Z_SUPER = 'Person' WHERE Z_ENT = 2")
        let error = assertError(.persistentStoreOpen) { _ = try openStore(try model()) }
        XCTAssertTrue(error?.message.contains("Z_PRIMARYKEY") ?? false, error?.message ?? "")
    }
}
