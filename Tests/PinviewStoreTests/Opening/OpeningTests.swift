import Foundation
import PinviewGenerations
import PinviewModel
import PinviewPredicates
import XCTest

@testable import PinviewStore

/// Opening a file that is not a store, another model's store, a damaged store.
final class OpeningTests: StoreTestCase {
    func test_STO_14_aFileThatIsNotADatabaseGives134080AndIsLeftUnchanged() throws {
        let bytes = Data("This is a letter, not a database. ".utf8) + Data(repeating: 65, count: 5000)
        try bytes.write(to: URL(fileURLWithPath: storePath))
        let error = assertError(.persistentStoreOpen) { _ = try openStore(try TestModels.notes()) }
        XCTAssertEqual(error?.affectedStores, [storePath])
        XCTAssertTrue(error?.message.contains(storePath) ?? false)
        XCTAssertEqual(error?.sqliteCode, 26)
        XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: storePath)), bytes)
    }

    func test_STO_14_whatCannotBeOpenedGives134080() throws {
        let model = try TestModels.notes()
        for path in [folder + "/missing/Model.sqlite", folder, "", "a\u{0}b"] {
            let error = assertError(.persistentStoreOpen) { _ = try openStore(model, path: path) }
            XCTAssertEqual(error?.affectedStores, [path])
        }
        var options = StoreOptions()
        options.isReadOnly = true
        _ = assertError(.persistentStoreOpen) { _ = try openStore(model, options: options) }
        XCTAssertFalse(FileManager.default.fileExists(atPath: storePath), "read-only creates nothing")
    }

    func test_aForeignDatabaseIsLeftAlone() throws {
        try sqlite3("CREATE TABLE mine (x)")
        let error = assertError(.persistentStoreOpen) { _ = try openStore(try TestModels.notes()) }
        XCTAssertTrue(error?.message.contains("another kind") ?? false, error?.message ?? "")
        XCTAssertEqual(try sqlite3("SELECT name FROM sqlite_schema"), ["mine"])
    }

    func test_STO_14_anotherModelGives134100NamingFileAndEntities() throws {
        try openStore(try TestModels.notes()).close()
        let error = assertError(.persistentStoreIncompatibleVersionHash) { _ = try openStore(try TestModels.notes(withText: false)) }
        XCTAssertTrue(error?.message.contains(storePath) ?? false)
        XCTAssertTrue(error?.message.contains("Note") ?? false)
        _ = assertError(.persistentStoreIncompatibleVersionHash) { _ = try openStore(try TestModels.company()) }
        XCTAssertNoThrow(try openStore(try TestModels.notes()))
    }

    func test_aCoreDataStoreThatLacksAColumnGives134100NamingIt() throws {
        let store = try openStore(try TestModels.notes())
        store.close()
        try sqlite3("UPDATE Z_METADATA SET Z_PLIST = NULL; ALTER TABLE ZNOTE DROP COLUMN ZRANK")
        let error = assertError(.persistentStoreIncompatibleVersionHash) { _ = try openStore(try TestModels.notes()) }
        XCTAssertTrue(error?.message.contains("ZNOTE.ZRANK") ?? false, error?.message ?? "")
    }

    func test_damagedMetadataGive134080() throws {
        try openStore(try TestModels.notes()).close()
        for sql in ["UPDATE Z_METADATA SET Z_PLIST = x'0102'", "UPDATE Z_METADATA SET Z_UUID = 'x'", "DELETE FROM Z_METADATA"] {
            try sqlite3(sql)
            let error = assertError(.persistentStoreOpen) { _ = try openStore(try TestModels.notes()) }
            XCTAssertEqual(error?.affectedStores, [storePath])
        }
    }

    func test_ERR_04_damageMetWhileReadingGives134180WithTheSQLiteCode() throws {
        let model = try TestModels.notes()
        do {
            let store = try openStore(model)
            try store.insert("Note", (0..<3000).map { ["title": .string(String(repeating: "x", count: 100)), "rank": .integer($0)] })
            store.close()
        }
        // Everything behind the first pages, where the schema and the store's own tables are.
        let pages = try sqlite3("PRAGMA page_count").first.flatMap { UInt64($0) } ?? 0
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: storePath))
        try file.seek(toOffset: 8 * 4096)
        try file.write(contentsOf: Data(repeating: 0xA5, count: Int(pages - 8) * 4096))
        try file.close()
        let store = try openStore(model)
        let fetch = try store.fetch("Note", sort: [PinviewSortDescriptor(keyPath: "rank")])
        let operations: [() throws -> Void] = [
            { _ = try store.fetchRows(fetch, at: nil) },
            { _ = try store.row(entity: try store.entity("Note"), primaryKey: 2900, at: nil) },
            { _ = try store.count(try store.fetch("Note", "rank == 7"), at: nil) },
            { _ = try store.batchUpdate(fetch, assignments: [(try store.property("rank", of: "Note"), 1)], returningReferences: false) },
        ]
        for operation in operations {
            let error = assertError(.sqlite, operation)
            XCTAssertEqual((error?.sqliteCode ?? 0) & 0xFF, 11)
            XCTAssertEqual(error?.underlyingError?.domain, PinviewError.sqliteErrorDomain)
        }
    }

    func test_aStoreThatWasClosedGivesAnError() throws {
        let store = try openStore(try TestModels.notes())
        store.close()
        store.close()
        _ = assertError(.persistentStoreOperation) { _ = try store.count(try store.fetch("Note"), at: nil) }
        _ = assertError(.persistentStoreOperation) { _ = try store.beginSave() }
    }

    func test_optionsAreCheckedByNameAndValue() throws {
        let options = try StoreOptions(parsing: [
            "journalMode": "Truncate", "synchronous": "FULL", "busyTimeout": 2, "NSReadOnlyPersistentStoreOption": false,
            "cacheSize": -65536,
        ])
        XCTAssertEqual(options.journalMode, "truncate")
        XCTAssertEqual(options.synchronous, "full")
        XCTAssertEqual(options.busyTimeout, 2)
        XCTAssertEqual(options.cacheSize, -65536)
        XCTAssertEqual(try StoreOptions(parsing: ["NSSQLitePragmasOption.cache_size": 500]).cacheSize, 500)
        for (name, value) in [
            ("journalmode", "wal"), ("journalMode", "wall"), ("synchronous", 1), ("busyTimeout", -1), ("busyTimeout", .double(.nan)),
            ("cacheSize", .integer(.min)), ("cacheSize", "big"),
            ("NSReadOnlyPersistentStoreOption", "yes"), ("journalMode", "wal; DROP TABLE x"),
        ] as [(String, Value)] {
            let error = assertError(.invalidArgument) { _ = try StoreOptions(parsing: [name: value]) }
            XCTAssertTrue(error?.message.contains(name) ?? false)
        }
    }

    func test_aModelIsReadBackFromTheStore() throws {
        let model = try TestModels.company()
        try openStore(model).close()
        XCTAssertEqual(try SQLStore.model(ofStoreAt: storePath), model)
        XCTAssertEqual(try SQLStore.model(ofStoreAt: storePath).entity(named: "Employee")?.uniquenessConstraints, [["badge"]])
        XCTAssertNoThrow(try openStore(try SQLStore.model(ofStoreAt: storePath)))
        _ = assertError(.persistentStoreOpen) { _ = try SQLStore.model(ofStoreAt: folder + "/none.sqlite") }
    }
}
