import CoreDataFixtures
import Foundation
import PinviewModel
import XCTest

@testable import PinviewStore

/// MIG-08: stores that Core Data made are migrated and keep its format.
final class CoreDataMigrationTests: StoreTestCase {
    private static let people = [
        "CREATE TABLE ZPERSON (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAGE INTEGER, ZNAME VARCHAR)",
        "INSERT INTO ZPERSON VALUES (1, 1, 1, 36, 'Ada'), (2, 1, 1, 40, 'Alan')",
        "UPDATE Z_PRIMARYKEY SET Z_MAX = 2 WHERE Z_ENT = 1",
        "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
    ]
    private let fixture = CoreDataFixture(entities: [.init(name: "Person")], people)

    private func model(_ attributes: [AttributeDescription], hash: UInt8? = nil) throws -> ManagedObjectModel {
        var entity = EntityDescription(name: "Person", attributes: attributes)
        if let hash { entity.versionHash = Self.hash(hash) }
        return try ManagedObjectModel(entities: [entity])
    }

    private static func hash(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 32) }

    private func first(hash: UInt8? = nil) throws -> ManagedObjectModel {
        try model(
            [AttributeDescription(name: "name", attributeType: .string), AttributeDescription(name: "age", attributeType: .integer32)],
            hash: hash)
    }

    private func second(hash: UInt8? = nil) throws -> ManagedObjectModel {
        var title = AttributeDescription(name: "title", attributeType: .string)
        title.renamingIdentifier = "name"
        return try model(
            [
                title, AttributeDescription(name: "age", attributeType: .integer32),
                AttributeDescription(name: "city", attributeType: .string),
            ],
            hash: hash)
    }

    private func migrate(_ model: ManagedObjectModel, versions: [ManagedObjectModel]) throws -> SQLStore {
        var options = StoreOptions()
        options.migrates = true
        options.stages = MigrationStages(versions: versions)
        return try SQLStore.open(.file(path: storePath), model: model, options: options)
    }

    private func metadata() throws -> [String: PropertyListValue] { try SQLStore.metadata(ofStoreAt: storePath) }

    func test_MIG_08_aVersionWithTheStoresHashesIsTheSource() throws {
        try make(fixture.with(hashes: ["Person": Self.hash(1)]))
        let store = try migrate(try second(hash: 2), versions: [try first(hash: 7), try second(hash: 2), try first(hash: 1)])
        XCTAssertEqual(try store.count(try store.fetch("Person", "title == 'Ada' AND age == 36 AND city == nil"), at: nil), 1)
        store.close()
        XCTAssertEqual(try metadata()["NSStoreModelVersionHashes"]?.dictionaryValue?["Person"]?.dataValue, Self.hash(2))
    }

    func test_MIG_08_theStoreStaysCoreDatas() throws {
        try make(fixture.with(hashes: ["Person": Self.hash(1)]))
        try migrate(try second(hash: 2), versions: [try first(hash: 1)]).close()
        let metadata = try metadata()
        XCTAssertNil(metadata["PinviewModel"])
        XCTAssertEqual(metadata["NSPersistenceFrameworkVersion"], .integer(1044))
        XCTAssertEqual(metadata["NSStoreModelVersionHashesVersion"], .integer(3))
        // Opened again without versions, and migrated on without them: the library left the model
        // in the store.
        let third = try model([AttributeDescription(name: "title", attributeType: .string)], hash: 3)
        let store = try migrate(third, versions: [])
        XCTAssertEqual(try store.count(try store.fetch("Person", "title == 'Alan'"), at: nil), 1)
        store.close()
        XCTAssertEqual(try sqlite3("SELECT group_concat(name) FROM pragma_table_info('ZPERSON')"), ["Z_PK,Z_ENT,Z_OPT,ZTITLE"])
    }

    /// Core Data's own migration leaves the old name of a renamed entity in Z_PRIMARYKEY.
    private func renamed(identifier: String) throws -> ManagedObjectModel {
        var entity = EntityDescription(
            name: "Human",
            attributes: [
                AttributeDescription(name: "name", attributeType: .string), AttributeDescription(name: "age", attributeType: .integer32),
            ])
        entity.renamingIdentifier = identifier
        entity.versionHash = Self.hash(5)
        return try ManagedObjectModel(entities: [entity])
    }

    private var renamedFixture: CoreDataFixture {
        CoreDataFixture(entities: [.init(name: "Person")], Self.people.map { $0.replacingOccurrences(of: "ZPERSON", with: "ZHUMAN") })
            .with(hashes: ["Human": Self.hash(5)])
    }

    func test_MIG_08_anEntityThatCoreDataRenamedIsFoundUnderItsOldName() throws {
        for identifier in ["Person", "Somebody"] {
            let path = folder + "/\(identifier).sqlite"
            try make(renamedFixture, path: path)
            let store = try SQLStore.open(.file(path: path), model: try renamed(identifier: identifier), options: StoreOptions())
            defer { store.close() }
            XCTAssertEqual(try store.count(try store.fetch("Human", "name == 'Ada'"), at: nil), 1, identifier)
        }
    }

    func test_MIG_08_anEntityThatCoreDataRenamedMigratesOn() throws {
        try make(renamedFixture)
        var next = EntityDescription(name: "Mortal", attributes: [AttributeDescription(name: "name", attributeType: .string)])
        next.renamingIdentifier = "Human"
        next.versionHash = Self.hash(6)
        let store = try migrate(try ManagedObjectModel(entities: [next]), versions: [try renamed(identifier: "Person")])
        XCTAssertEqual(try store.count(try store.fetch("Mortal", "name == 'Ada'"), at: nil), 1)
        store.close()
        XCTAssertEqual(try sqlite3("SELECT Z_ENT, Z_NAME, Z_MAX FROM Z_PRIMARYKEY"), ["1|Mortal|2"])
    }

    /// Views and triggers of another program in the same file, one on a table that is not there.
    private static let others =
        "CREATE TABLE notes (text); CREATE VIEW broken AS SELECT * FROM missing; CREATE VIEW names AS SELECT ZNAME FROM ZPERSON; "
        + "CREATE TRIGGER noted AFTER INSERT ON notes BEGIN SELECT max(ZNAME) FROM ZPERSON; END"

    func test_MIG_08_schemaObjectsOfOthersAreKeptWhenATableIsRebuilt() throws {
        try make(fixture.with(hashes: ["Person": Self.hash(1)]))
        try sqlite3(Self.others)
        // A column is removed, so the table is copied into a new one, which then gets its name.
        let store = try migrate(
            try model([AttributeDescription(name: "name", attributeType: .string)], hash: 2), versions: [try first(hash: 1)])
        XCTAssertEqual(try store.count(try store.fetch("Person", "name == 'Ada'"), at: nil), 1)
        store.close()
        XCTAssertEqual(
            try sqlite3("SELECT sql FROM sqlite_master WHERE name IN ('broken', 'names', 'noted') ORDER BY name"),
            Self.others.components(separatedBy: "; ").dropFirst().prefix(2) + [
                "CREATE TRIGGER noted AFTER INSERT ON notes BEGIN SELECT max(ZNAME) FROM ZPERSON; END"
            ])
        XCTAssertEqual(try sqlite3("SELECT * FROM names ORDER BY 1"), ["Ada", "Alan"])
    }

    func test_MIG_08_aColumnIsNotRenamedUnderAViewThatCannotBeRead() throws {
        try make(fixture.with(hashes: ["Person": Self.hash(1)]))
        try sqlite3(Self.others)
        let before = try sqlite3(".dump")
        XCTAssertThrowsError(try migrate(try second(hash: 2), versions: [try first(hash: 1)])) {
            XCTAssertTrue("\($0)".contains("error in view broken: no such table: main.missing"), "\($0)")
        }
        XCTAssertEqual(try sqlite3(".dump"), before)
    }

    func test_MIG_08_withoutHashesTheTablesTellTheVersion() throws {
        try make(fixture)
        let store = try migrate(try second(), versions: [try second(), try first()])
        XCTAssertEqual(try store.count(try store.fetch("Person", "title == 'Ada'"), at: nil), 1)
    }

    func test_MIG_08_withoutTheModelTheStoreIsRefusedAndUntouched() throws {
        try make(fixture.with(hashes: ["Person": Self.hash(1)]))
        let before = try Data(contentsOf: URL(fileURLWithPath: storePath))
        let error = assertError(.persistentStoreIncompatibleVersionHash) { _ = try migrate(try second(hash: 2), versions: []) }
        XCTAssertTrue(error?.message.contains("give the versions") ?? false, error?.message ?? "")
        XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: storePath)), before)
    }

    func test_MIG_08_aModelThatFitsIsNotMigrated() throws {
        try make(fixture)
        try migrate(try first(), versions: []).close()
        XCTAssertNil(try metadata()["PinviewMigratedModel"])
    }
}
