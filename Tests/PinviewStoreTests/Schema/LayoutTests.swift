import Foundation
import PinviewModel
import XCTest

@testable import PinviewStore

/// What a store looks like to the sqlite3 command line tool.
final class LayoutTests: StoreTestCase {
    func test_STO_01_aNewStoreIsInWALMode() throws {
        let store = try openStore(try TestModels.notes())
        XCTAssertEqual(try sqlite3("PRAGMA journal_mode"), ["wal"])
        XCTAssertEqual(store.journalMode, "wal")
        XCTAssertTrue(store.supportsGenerations)
        XCTAssertEqual(
            try sqlite3("PRAGMA page_size; PRAGMA auto_vacuum; PRAGMA user_version; PRAGMA application_id"), ["4096", "2", "0", "0"])
    }

    func test_STO_02_commitsAreAppendedToTheJournalBesideTheStore() throws {
        let store = try openStore(try TestModels.notes())
        let before = store.journalSize
        try store.insert("Note", [["title": "one"]])
        let size = try XCTUnwrap(try FileManager.default.attributesOfItem(atPath: storePath + "-wal")[.size] as? Int64)
        XCTAssertGreaterThan(size, before)
        XCTAssertEqual(store.journalSize, size)
    }

    func test_STO_04_anotherJournalModeHasNoJournalFileAndNoGenerations() throws {
        let store = try openStore(try TestModels.notes(), options: try StoreOptions(parsing: ["journalMode": "DELETE"]))
        try store.insert("Note", [["title": "one"]])
        XCTAssertEqual(try sqlite3("PRAGMA journal_mode"), ["delete"])
        XCTAssertFalse(FileManager.default.fileExists(atPath: storePath + "-wal"))
        XCTAssertFalse(store.supportsGenerations)
        XCTAssertEqual(try store.count(try store.fetch("Note"), at: nil), 1)
    }

    func test_STO_05_anExistingWALFileIsOpenedWithItsDataStillInTheJournal() throws {
        let model = try TestModels.notes()
        do {
            let store = try openStore(model)
            try store.insert("Note", [["title": "one"], ["title": "two"]])
            // A copy as a crash would leave it: the rows are in the journal only.
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(atPath: storePath + suffix, toPath: folder + "/Copy.sqlite" + suffix)
            }
        }
        let copy = try openStore(model, path: folder + "/Copy.sqlite")
        XCTAssertEqual(try copy.count(try copy.fetch("Note"), at: nil), 2)
    }

    func test_STO_06_anInMemoryStoreKeepsItsRowsAndHasNoGenerations() throws {
        let store = try SQLStore.open(.inMemory, model: try TestModels.company())
        let people = try store.insert("Employee", [["name": "Ada", "badge": 7]])
        XCTAssertTrue(store.isInMemory)
        XCTAssertFalse(store.supportsGenerations)
        XCTAssertNil(store.path)
        XCTAssertEqual(try store.newestRow(people[0])?.value(of: try store.property("name", of: "Person")), "Ada")
    }

    func test_STO_08_aStoreOfAConfigurationHoldsItsEntitiesOnly() throws {
        let model = try ManagedObjectModel(
            entities: [
                EntityDescription(name: "Apple", attributes: [AttributeDescription(name: "a", attributeType: .string)]),
                EntityDescription(name: "Pear", attributes: [AttributeDescription(name: "p", attributeType: .string)]),
            ], configurations: ["Pears": ["Pear"]])
        let store = try openStore(model, configuration: "Pears")
        XCTAssertEqual(try sqlite3("SELECT Z_ENT || Z_NAME FROM Z_PRIMARYKEY"), ["1Pear"])
        XCTAssertFalse(store.holds(entityIndex: try store.entity("Apple").index))
        XCTAssertTrue(store.holds(entityIndex: try store.entity("Pear").index))
        // The number in the file is not the entity's place in the model.
        let pears = try store.insert("Pear", [["p": "x"]])
        XCTAssertEqual(try store.newestRow(pears[0])?.entityIndex, try store.entity("Pear").index)
        _ = assertError(.unknownEntity) { _ = try store.fetchReferences(try store.fetch("Apple"), at: nil) }
        _ = assertError(.invalidArgument) { _ = try openStore(model, configuration: "Plums") }
        store.close()
        XCTAssertEqual(try openStore(model, configuration: "Pears").count(try store.fetch("Pear"), at: nil), 1)
        _ = assertError(.persistentStoreIncompatibleVersionHash) { _ = try openStore(model) }
    }

    func test_STO_16_identifierAndRowsLastAndTheIdentifierIsAnUpperCaseUUID() throws {
        let model = try TestModels.notes()
        let first = try openStore(model)
        try first.insert("Note", [["title": "one"]])
        let identifier = first.identifier
        first.close()
        let second = try openStore(model)
        XCTAssertEqual(second.identifier, identifier)
        XCTAssertEqual(second.number, first.number)
        XCTAssertNotNil(UUID(uuidString: identifier))
        XCTAssertEqual(identifier, identifier.uppercased())
        XCTAssertEqual(try sqlite3("SELECT Z_VERSION || Z_UUID FROM Z_METADATA"), ["1" + identifier])
        XCTAssertEqual(try second.count(try second.fetch("Note"), at: nil), 1)
    }

    func test_STO_18_primaryKeyTableListsEntitiesDepthFirst() throws {
        let store = try openStore(try TestModels.company())
        try store.insert("Guest", [["name": "a"], ["name": "b"]])
        XCTAssertEqual(
            try sqlite3("SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT"),
            ["1|Car|0|0", "2|Club|0|0", "3|Person|0|2", "4|Employee|3|0", "5|Guest|3|0", "6|Wheel|0|0"])
    }

    func test_tablesAndColumns() throws {
        _ = try openStore(try TestModels.company())
        XCTAssertEqual(
            try columns(of: "ZPERSON"),
            [
                "Z_PK INTEGER", "Z_ENT INTEGER", "Z_OPT INTEGER", "ZNAME VARCHAR", "ZAGE INTEGER", "ZBIG INTEGER", "ZSMALL INTEGER",
                "ZHEIGHT FLOAT", "ZRATIO FLOAT", "ZSALARY DECIMAL", "ZBORN TIMESTAMP", "ZALIVE INTEGER", "ZCODE BLOB", "ZPAGE VARCHAR",
                "ZDATA BLOB", "ZPICTURE BLOB", "ZTHING BLOB", "ZBOSS INTEGER", "Z3_BOSS INTEGER", "ZTEXT VARCHAR", "ZBADGE INTEGER",
                "ZTEXT1 VARCHAR",
            ])
        // The owner's entity has sub-entities: a second column says which one. The order of cars is
        // kept with the inverse.
        XCTAssertEqual(
            try columns(of: "ZCAR"),
            [
                "Z_PK INTEGER", "Z_ENT INTEGER", "Z_OPT INTEGER", "ZBRAND VARCHAR", "ZPRICE DECIMAL", "ZOWNER INTEGER", "Z3_OWNER INTEGER",
                "Z_FOK_OWNER INTEGER",
            ])
        // A to-many relationship without an inverse is a column of its members.
        XCTAssertEqual(try columns(of: "ZWHEEL"), ["Z_PK INTEGER", "Z_ENT INTEGER", "Z_OPT INTEGER", "ZSIZE INTEGER", "Z1WHEELS INTEGER"])
        XCTAssertEqual(try columns(of: "Z_2MEMBERS"), ["Z_2CLUBS INTEGER", "Z_3MEMBERS INTEGER", "Z_FOK_3MEMBERS INTEGER"])
        XCTAssertEqual(try columns(of: "Z_3FRIENDS"), ["Z_3FRIENDS INTEGER", "Z_3FRIENDS1 INTEGER"])
        XCTAssertEqual(
            try sqlite3("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"),
            ["ZCAR", "ZCLUB", "ZPERSON", "ZWHEEL", "Z_2MEMBERS", "Z_3FRIENDS", "Z_METADATA", "Z_PRIMARYKEY"])
    }

    func test_indexes() throws {
        _ = try openStore(try TestModels.company())
        XCTAssertEqual(
            try sqlite3("SELECT sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name"),
            [
                "CREATE INDEX ZCAR_ZOWNER_INDEX ON ZCAR (ZOWNER)",
                "CREATE INDEX ZPERSON_ZBOSS_INDEX ON ZPERSON (ZBOSS)",
                "CREATE INDEX ZPERSON_Z_ENT_INDEX ON ZPERSON (Z_ENT)",
                "CREATE INDEX ZWHEEL_Z1WHEELS_INDEX ON ZWHEEL (Z1WHEELS)",
                "CREATE INDEX Z_2MEMBERS_Z_3MEMBERS_INDEX ON Z_2MEMBERS (Z_3MEMBERS, Z_2CLUBS)",
                "CREATE INDEX Z_3FRIENDS_Z_3FRIENDS1_INDEX ON Z_3FRIENDS (Z_3FRIENDS1, Z_3FRIENDS)",
                "CREATE UNIQUE INDEX Z_Employee_UNIQUE_badge ON ZPERSON (ZBADGE COLLATE BINARY ASC)",
                "CREATE INDEX Z_Person_byName ON ZPERSON (ZNAME COLLATE BINARY ASC, ZAGE COLLATE BINARY DESC)",
            ])
    }

    func test_aConstraintOnAnInheritedAttributeBindsTheSubentityOnly() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(name: "Base", attributes: [AttributeDescription(name: "key", attributeType: .string)]),
            EntityDescription(name: "Leaf", superentityName: "Base", uniquenessConstraints: [["key"]]),
        ])
        let store = try openStore(model)
        try store.insert("Base", [["key": "same"], ["key": "same"]])
        try store.insert("Leaf", [["key": "same"], ["key": nil], ["key": nil]])
        let error = assertError(.managedObjectConstraintMerge) { try store.insert("Leaf", [["key": "same"]]) }
        XCTAssertEqual(error?.sqliteCode, 2067)
    }

    func test_namesBeyondASCIIWork() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(name: "Straße", attributes: [AttributeDescription(name: "größe", attributeType: .integer64)])
        ])
        let store = try openStore(model)
        let streets = try store.insert("Straße", [["größe": 5]])
        XCTAssertEqual(try sqlite3("SELECT ZGRÖSSE FROM ZSTRASSE"), ["5"])
        XCTAssertEqual(Array(try store.fetchReferences(try store.fetch("Straße", "größe == 5"), at: nil)), streets)
    }

    func test_aCoreDataStoreWithoutOurModelIsAcceptedWhenItsTablesFit() throws {
        // The digits at the end of a column's name are any number, or none.
        for number in ["1", "", "0", "9", "10", "90", "109"] { try checkCoreDataStore("Z_7GROUPS" + number) }
    }

    private func checkCoreDataStore(_ column: String) throws {
        let path = folder + "/" + column
        // As Core Data makes it: other numbers inside names, Z_MAX behind, a NULL property list, a
        // date in whole seconds.
        try sqlite3(
            """
            PRAGMA auto_vacuum=2; PRAGMA journal_mode=wal;
            CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
            CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
            CREATE TABLE ZGROUP ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR );
            CREATE TABLE ZITEM ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZMADE TIMESTAMP, ZUNKNOWN BLOB );
            CREATE TABLE Z_7ITEMS ( \(column) INTEGER, Z_9ITEMS INTEGER, PRIMARY KEY (\(column), Z_9ITEMS) );
            INSERT INTO Z_PRIMARYKEY VALUES (7, 'Group', 0, -1), (9, 'Item', 0, 1);
            INSERT INTO Z_METADATA VALUES (1, '0C0FFEE0-0000-4000-8000-000000000001', NULL);
            INSERT INTO ZGROUP VALUES (5, 7, 3, 'all');
            INSERT INTO ZITEM VALUES (1, 9, 1, 600000000, NULL), (2, 9, 1, 600000000.5, NULL);
            INSERT INTO Z_7ITEMS VALUES (5, 1), (5, 2);
            """, path: path)
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Group", attributes: [AttributeDescription(name: "name", attributeType: .string)],
                relationships: [
                    RelationshipDescription(name: "items", destinationEntityName: "Item", inverseRelationshipName: "groups", isToMany: true)
                ]),
            EntityDescription(
                name: "Item", attributes: [AttributeDescription(name: "made", attributeType: .date)],
                relationships: [
                    RelationshipDescription(
                        name: "groups", destinationEntityName: "Group", inverseRelationshipName: "items", isToMany: true)
                ]),
        ])
        let store = try openStore(model, path: path)
        XCTAssertEqual(store.identifier, "0C0FFEE0-0000-4000-8000-000000000001")
        let group = try XCTUnwrap(try store.row(entity: try store.entity("Group"), primaryKey: 5, at: nil))
        XCTAssertEqual(group.version, 3)
        let owner = Reference(entityIndex: Int32(group.entityIndex), primaryKey: 5)
        let items = try store.destinations(of: owner, relationship: try store.property("items", of: "Group"), at: nil)
        XCTAssertEqual(items.map(\.primaryKey), [1, 2], column)
        let dates = try items.map { try store.newestRow($0)?.value(of: try store.property("made", of: "Item")) }
        XCTAssertEqual(
            dates, [.date(Date(timeIntervalSinceReferenceDate: 600_000_000)), .date(Date(timeIntervalSinceReferenceDate: 600_000_000.5))])
        // Z_MAX is not trusted: no row is overwritten.
        XCTAssertEqual(try store.insert("Group", [["name": "new"]]).map(\.primaryKey), [6])
        XCTAssertEqual(
            try sqlite3("SELECT Z_ENT FROM ZGROUP WHERE Z_PK = 6; SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 7", path: path), ["7", "6"])
    }
}
