import CoreDataFixtures
import Foundation
import PinviewModel
import XCTest

@testable import PinviewStore

/// MDL-14: the history of stores that Core Data made is read, and continued in the same form.
final class CoreDataHistoryTests: StoreTestCase {
    private func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Note",
                attributes: [
                    AttributeDescription(name: "title", attributeType: .string, preservesValueInHistoryOnDeletion: true),
                    AttributeDescription(name: "code", attributeType: .uuid, preservesValueInHistoryOnDeletion: true),
                    AttributeDescription(name: "made", attributeType: .date, preservesValueInHistoryOnDeletion: true),
                    AttributeDescription(name: "rank", attributeType: .integer32),
                ])
        ])
    }

    private static let notes = [
        "CREATE TABLE ZNOTE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZRANK INTEGER, ZMADE TIMESTAMP, ZTITLE VARCHAR, ZCODE BLOB)",
        "INSERT INTO ZNOTE VALUES (1, 1, 2, 5, 600000000.5, 'one', x'000102030405060708090a0b0c0d0e0f'), (2, 1, 1, 6, 7, 'two', NULL)",
        "UPDATE Z_PRIMARYKEY SET Z_MAX = 3",
    ]

    /// Bits 0 and 1 mean nothing; code, made, rank, title follow. 0x0C: rank (bit 4) and title (bit
    /// 5).
    private static let changes = [
        "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, Z_OPT, ZTIMESTAMP) VALUES (1, 16002, 1, 600000001.0), (2, 16002, 1, 600000002)",
        "INSERT INTO ACHANGE (Z_PK, Z_ENT, Z_OPT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS) VALUES "
            + "(1, 16001, 1, 0, 1, 1, 1, NULL), (2, 16001, 1, 1, 1, 1, 2, x'0c'), (3, 16001, 1, 2, 1, 3, 2, NULL)",
    ]

    /// As from framework 866 on, for a model that preserves three attributes.
    private func newer() -> CoreDataFixture {
        CoreDataFixture(
            ["Note"],
            Self.notes + [
                "CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER, ZBUNDLEIDTS INTEGER, "
                    + "ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, "
                    + "ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, ZQUERYGEN BLOB)",
                "CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, ZENTITY INTEGER, "
                    + "ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB, ZTOMBSTONE0 BLOB, ZTOMBSTONE1 TIMESTAMP, ZTOMBSTONE2 VARCHAR)",
                "CREATE TABLE ATRANSACTIONSTRING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR)",
                "INSERT INTO ATRANSACTIONSTRING VALUES (1, 16003, 1, 'sync')",
                "INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, 3), (16002, 'TRANSACTION', 0, 2), (16003, 'TRANSACTIONSTRING', 0, -1)",
            ] + Self.changes + [
                "UPDATE ATRANSACTION SET ZAUTHORTS = 1 WHERE Z_PK = 2",
                "UPDATE ACHANGE SET ZTOMBSTONE0 = x'0f0e0d0c0b0a09080706050403020100', ZTOMBSTONE1 = 5, ZTOMBSTONE2 = 'three' WHERE Z_PK = 3",
            ])
    }

    /// As up to framework 851: names as text; here without tombstones, and with counters that are
    /// behind.
    private func older() -> CoreDataFixture {
        CoreDataFixture(
            ["Note"],
            Self.notes + [
                "CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTIMESTAMP TIMESTAMP, ZAUTHOR VARCHAR, "
                    + "ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR)",
                "CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, ZENTITY INTEGER, "
                    + "ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB)",
                "INSERT INTO Z_PRIMARYKEY VALUES (16002, 'TRANSACTION', 0, -1)",
            ] + Self.changes + ["UPDATE ATRANSACTION SET ZAUTHOR = 'sync' WHERE Z_PK = 2"])
    }

    private var tracking: StoreOptions {
        var options = StoreOptions()
        options.tracksHistory = true
        return options
    }

    private func assertHistoryIsRead(_ store: SQLStore, hasTombstones: Bool, line: UInt = #line) throws {
        let records = try store.history(HistoryQuery())
        XCTAssertEqual(records.map(\.number), [1, 2], line: line)
        XCTAssertEqual(records.map(\.author), [nil, "sync"], line: line)
        XCTAssertEqual(records[1].time, 600_000_002, line: line)
        XCTAssertEqual(records.flatMap { $0.changes.map(\.kind) }, [.insert, .update, .delete], line: line)
        let entity = try store.entity("Note")
        XCTAssertEqual(Set(records[1].changes[0].properties.map { entity.properties[$0].name }), ["rank", "title"], line: line)
        let tombstone = records[1].changes[1].tombstone
        guard hasTombstones else { return XCTAssertEqual(tombstone, [:], line: line) }
        func value(_ name: String) throws -> Value? { tombstone[name]?.value(of: try store.property(name, of: "Note")) }
        XCTAssertEqual(try value("title"), "three", line: line)
        XCTAssertEqual(try value("code"), .uuid(UUID(uuidString: "0F0E0D0C-0B0A-0908-0706-050403020100") ?? UUID()), line: line)
        XCTAssertEqual(try value("made"), .date(Date(timeIntervalSinceReferenceDate: 5)), line: line)
    }

    func test_MDL_14_bothFormsAreRead() throws {
        for (index, fixture) in [newer(), older()].enumerated() {
            let path = folder + "/\(index).sqlite"
            try make(fixture, path: path)
            try assertHistoryIsRead(try openStore(try model(), path: path, options: tracking), hasTombstones: index == 0)
        }
    }

    func test_MDL_14_openingAddsNoTables() throws {
        for (index, fixture) in [newer(), older()].enumerated() {
            let path = folder + "/\(index).sqlite"
            try make(fixture, path: path)
            let tables = try sqlite3("SELECT name, sql FROM sqlite_master ORDER BY name", path: path)
            let store = try openStore(try model(), path: path, options: tracking)
            XCTAssertEqual(try store.historyConsumers(), [:])
            _ = try store.insert("Note", [["title": "new"]])
            try store.setMetadata(["mine": .string("text")])
            store.close()
            XCTAssertEqual(try sqlite3("SELECT name, sql FROM sqlite_master ORDER BY name", path: path), tables)
        }
    }

    func test_MDL_14_savesContinueTheHistoryInItsForm() throws {
        for (index, fixture) in [newer(), older()].enumerated() {
            let path = folder + "/\(index).sqlite"
            try make(fixture, path: path)
            let store = try openStore(try model(), path: path, options: tracking)
            let inserted = try store.insert("Note", [["title": "new"]])
            XCTAssertEqual(inserted.map(\.primaryKey), [4])
            let save = try store.beginSave(origin: HistoryOrigin(author: "mine"))
            _ = try save.delete(entity: try store.entity("Note"), primaryKey: 1, expectedVersion: nil)
            _ = try save.commit()
            let records = try store.history(HistoryQuery())
            XCTAssertEqual(records.map(\.number), [1, 2, 3, 4])
            XCTAssertEqual(records[3].author, "mine")
            XCTAssertEqual(records[3].changes.map(\.kind), [.delete])
            XCTAssertEqual(records[3].changes[0].number, 5)
            let author = index == 0 ? "(SELECT ZNAME FROM ATRANSACTIONSTRING WHERE Z_PK = ZAUTHORTS)" : "ZAUTHOR"
            XCTAssertEqual(try sqlite3("SELECT \(author) FROM ATRANSACTION WHERE Z_PK = 4", path: path), ["mine"])
            XCTAssertEqual(try sqlite3("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT IN (16001, 16002) ORDER BY 1", path: path), ["4", "5"])
            guard index == 0 else { continue }
            XCTAssertEqual(
                try sqlite3("SELECT hex(ZTOMBSTONE0), ZTOMBSTONE1, ZTOMBSTONE2 FROM ACHANGE WHERE Z_PK = 5", path: path),
                ["000102030405060708090A0B0C0D0E0F|600000000.5|one"])
            XCTAssertEqual(records[3].changes[0].tombstone["title"]?.stringValue, "one")
        }
    }

    func test_MDL_14_aStoreWithHistoryIsReadOnlyWithoutTheOption() throws {
        try make(newer())
        let before = try Data(contentsOf: URL(fileURLWithPath: storePath))
        let store = try openStore(try model())
        XCTAssertTrue(store.isReadOnly)
        XCTAssertEqual(try store.count(try store.fetch("Note"), at: nil), 2)
        let error = assertError(.persistentStoreSave) { _ = try store.insert("Note", [["title": "new"]]) }
        XCTAssertTrue(error?.message.contains("historyTracking") ?? false, error?.message ?? "")
        store.close()
        XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: storePath)), before)
    }

    func test_MDL_14_aNewHistoryInAStoreOfCoreDataHasItsForm() throws {
        try make(CoreDataFixture(["Note"], Self.notes))
        let store = try openStore(try model(), options: tracking)
        _ = try store.insert("Note", [["title": "new"]])
        store.close()
        XCTAssertEqual(
            try sqlite3("SELECT name FROM pragma_table_info('ACHANGE') WHERE name LIKE 'ZTOMB%'"),
            ["ZTOMBSTONE0", "ZTOMBSTONE1", "ZTOMBSTONE2"])
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM sqlite_master WHERE name LIKE 'PINVIEW%'"), ["0"])
    }

    func test_MDL_14_aHalfHistoryIsAClearError() throws {
        var broken = newer()
        broken.statements.append("DROP TABLE ACHANGE")
        try make(broken)
        let error = assertError(.persistentStoreOpen) { _ = try openStore(try model(), options: tracking) }
        XCTAssertTrue(error?.message.contains("ACHANGE") ?? false, error?.message ?? "")
    }

    func test_MDL_14_aConsumersTableComesWithTheFirstConsumer() throws {
        try make(older())
        let store = try openStore(try model(), options: tracking)
        XCTAssertFalse(try store.removeHistoryConsumer("nobody"))
        try store.setHistoryConsumer("reader", transaction: 1)
        XCTAssertEqual(try store.historyConsumers(), ["reader": 1])
        XCTAssertEqual(try store.deleteHistory(beforeTransaction: 3, beforeTime: nil, rule: .keep), 1)
    }
}
