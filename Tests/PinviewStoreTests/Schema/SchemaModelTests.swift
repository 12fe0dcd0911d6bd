import CoreDataFixtures
import Foundation
import PinviewModel
import XCTest

@testable import PinviewStore

/// MDL-04: a model made of a store's tables alone.
final class SchemaModelTests: StoreTestCase {
    private let fixture = CoreDataFixture(
        entities: [
            .init(name: "Being"), .init(name: "Person", parent: 1), .init(name: "Company", parent: 1), .init(name: "Tag"),
            .init(name: "Thing"),
        ],
        [
            "CREATE TABLE ZBEING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZRANK INTEGER, ZFULLNAME VARCHAR, ZBORN TIMESTAMP)",
            "CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, Z5MARKS INTEGER, ZTITLE VARCHAR)",
            "CREATE TABLE ZTHING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZOWNER INTEGER, Z1_OWNER INTEGER, Z_FOK_OWNER INTEGER, "
                + "ZTAG INTEGER, ZCOUNT INTEGER, ZPRICE DECIMAL, ZWEIGHT FLOAT, ZDATA BLOB)",
            "CREATE INDEX ZTHING_ZTAG_INDEX ON ZTHING (ZTAG)", "CREATE INDEX ZTHING_ZCOUNT_INDEX ON ZTHING (ZCOUNT)",
            "CREATE TABLE Z_4LIKERS (Z_1LIKERS INTEGER, Z_4LIKED INTEGER, PRIMARY KEY (Z_1LIKERS, Z_4LIKED))",
            "CREATE TABLE Z_1FRIENDS (Z_1FRIENDS INTEGER, REFLEXIVE INTEGER, PRIMARY KEY (Z_1FRIENDS, REFLEXIVE))",
            "INSERT INTO ZBEING VALUES (1, 2, 1, 5, 'Ada', 600000000), (2, 3, 1, 6, 'Acme', NULL)",
            "INSERT INTO ZTAG VALUES (1, 4, 1, 1, 'red'), (2, 4, 1, 1, 'new')",
            "INSERT INTO ZTHING VALUES (1, 5, 1, 2, 3, 2048, 2, 7, 12.5, 0.5, x'0102')", "INSERT INTO Z_4LIKERS VALUES (1, 2), (2, 2)",
            "INSERT INTO Z_1FRIENDS VALUES (1, 2), (2, 1)",
        ])

    private func destinations(_ store: SQLStore, _ entity: String, _ name: String, of key: Int64) throws -> [Int64] {
        let property = try store.property(name, of: entity)
        return try store.read(at: nil) { try store.destinations(ofOwners: [key], property, $0) }[key, default: []].map(\.primaryKey)
            .sorted()
    }

    func test_MDL_04_entitiesAttributesAndRelationshipsAreDescribed() throws {
        try make(fixture)
        let model = try SQLStore.model(ofStoreAt: storePath)
        XCTAssertEqual(model.entities.map(\.name), ["Being", "Company", "Person", "Tag", "Thing"])
        XCTAssertEqual(model.entity(named: "Person")?.superentityName, "Being")
        let thing = try XCTUnwrap(model.entity(named: "Thing"))
        XCTAssertEqual(
            thing.attributes.map { "\($0.name) \($0.attributeType)" },
            ["count integer64", "price decimal", "weight double", "data binaryData"])
        XCTAssertEqual(
            Set(thing.relationships.map { "\($0.name) \($0.destinationEntityName) \($0.isToMany)" }),
            ["owner Being false", "tag Tag false", "marks Tag true"])
        XCTAssertEqual(model.warnings, [])
    }

    func test_MDL_04_aStoreWithoutAModelOpensReadOnlyWithEveryValueRight() throws {
        try make(fixture)
        let store = try openStore(try SQLStore.model(ofStoreAt: storePath))
        XCTAssertTrue(store.isReadOnly)
        XCTAssertEqual(try store.count(try store.fetch("Person", "fullname == 'Ada' AND rank == 5"), at: nil), 1)
        XCTAssertEqual(try store.count(try store.fetch("Being"), at: nil), 2)
        XCTAssertEqual(try store.count(try store.fetch("Thing", "owner.fullname == 'Acme' AND tag.title == 'new'"), at: nil), 1)
        XCTAssertEqual(try destinations(store, "Tag", "likers", of: 2), [1, 2])
        XCTAssertEqual(try destinations(store, "Being", "liked", of: 1), [2])
        XCTAssertEqual(try destinations(store, "Being", "friends", of: 1), [2])
        XCTAssertEqual(try destinations(store, "Thing", "marks", of: 1), [1, 2])
        let error = assertError(.persistentStoreSave) { _ = try store.insert("Tag", [["title": "x"]]) }
        XCTAssertTrue(error?.message.contains("readOnly = false") ?? false, error?.message ?? "")
    }

    func test_MDL_04_itIsWrittenToOnRequest() throws {
        try make(fixture)
        let model = try SQLStore.model(ofStoreAt: storePath)
        let store = try openStore(model, options: try StoreOptions(parsing: ["NSReadOnlyPersistentStoreOption": false]))
        XCTAssertEqual(try store.insert("Tag", [["title": "late"]]).map(\.primaryKey), [3])
    }

    func test_MDL_04_damagedNumbersAndHostileNamesAreClear() throws {
        let wrongs: [(String, String)] = [
            ("UPDATE Z_PRIMARYKEY SET Z_SUPER = 3 WHERE Z_ENT = 1", "parents"),
            ("UPDATE Z_PRIMARYKEY SET Z_SUPER = 99 WHERE Z_ENT = 2", "parents"),
            ("UPDATE Z_PRIMARYKEY SET Z_SUPER = 'x' WHERE Z_ENT = 2", "Z_SUPER"),
        ]
        for (index, (sql, word)) in wrongs.enumerated() {
            let path = folder + "/\(index).sqlite"
            try make(fixture, path: path)
            try sqlite3(sql, path: path)
            let error = assertError(.persistentStoreOpen) { _ = try SQLStore.model(ofStoreAt: path) }
            XCTAssertTrue(error?.message.contains(word) ?? false, error?.message ?? "")
        }
        var hostile = fixture
        hostile.statements += [
            "ALTER TABLE ZTAG ADD COLUMN \"Z a'b;--\" VARCHAR", "ALTER TABLE ZTAG ADD COLUMN ZENTITY VARCHAR", "CREATE TABLE Z_9X (a, b)",
        ]
        try make(hostile)
        let model = try SQLStore.model(ofStoreAt: storePath)
        XCTAssertEqual(model.warnings.count, 3, "\(model.warnings)")
        XCTAssertEqual(try openStore(model).schema.model.entities.count, 5)
    }
}
