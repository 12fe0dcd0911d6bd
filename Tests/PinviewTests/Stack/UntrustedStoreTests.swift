import Foundation
import Glibc
import Pinview
import XCTest

/// Untrusted files: hostile schemas, files that are not regular, and files that are refused and
/// left unchanged (issue 15, points 6, 13 and 15; STO-14).
final class UntrustedStoreTests: StoreTestCase {
    private func makeStore() throws {
        let coordinator = try makeCoordinator()
        try fill(coordinator, count: 3)
        try coordinator.remove(coordinator.persistentStores[0])
    }

    private func assertRefused(
        naming words: String..., options: [String: Value] = [:], file: StaticString = #filePath, line: UInt = #line
    ) {
        let error = assertError(.persistentStoreOpen, try makeCoordinator(options: options), file: file, line: line)
        for word in words { XCTAssertEqual(error?.message.contains(word), true, error?.message ?? "", file: file, line: line) }
    }

    // MARK: Point 13

    func test_aPlantedTriggerIsRefusedUnlessTheSchemaIsTrusted() throws {
        try makeStore()
        try sqlite3("CREATE TRIGGER spy AFTER UPDATE ON ZPERSON BEGIN UPDATE ZCAR SET ZNAME = 'stolen'; END")
        assertRefused(naming: "trigger", "spy", "ZPERSON", "trustedSchema")
        let reader = try makeCoordinator(options: ["readOnly": true])
        XCTAssertEqual(try makeContext(reader).names().count, 3, "it cannot run where nothing is written")
        try reader.remove(reader.persistentStores[0])

        let context = try makeContext(try makeCoordinator(options: ["trustedSchema": true]))
        try context.person("dave0").setValue(99, forKey: "age")
        try context.save()
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZCAR WHERE ZNAME = 'stolen'"), "3")
    }

    func test_aTriggerThatComesWhileTheStoreIsOpenDoesNotRun() throws {
        try makeStore()
        let context = try makeContext(try makeCoordinator())
        let dave = try context.person("dave0")
        try sqlite3("CREATE TRIGGER spy AFTER UPDATE ON ZPERSON BEGIN UPDATE ZCAR SET ZNAME = 'stolen'; END")
        try dave.setValue(99, forKey: "age")
        try context.save()
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZCAR WHERE ZNAME = 'stolen'"), "0")
    }

    func test_otherThingsThatAreActiveAreRefused() throws {
        let planted = [
            ("ALTER TABLE ZCAR ADD COLUMN EXTRA TEXT AS (ZNAME || ZNAME)", "generated column"),
            ("CREATE INDEX spy ON ZCAR (abs(ZOWNER))", "index of an expression"),
            ("CREATE TRIGGER spy AFTER INSERT ON Z_METADATA BEGIN DELETE FROM ZCAR; END", "trigger"),
        ]
        for (statement, kind) in planted {
            try? FileManager.default.removeItem(atPath: path())
            try makeStore()
            try sqlite3(statement)
            assertRefused(naming: kind)
            XCTAssertNoThrow(try makeCoordinator(options: ["trustedSchema": true]))
        }
    }

    func test_aViewInATablesPlaceIsRefusedEvenIfItIsTrusted() throws {
        try makeStore()
        try sqlite3("ALTER TABLE ZCAR RENAME TO REAL; CREATE VIEW ZCAR AS SELECT * FROM REAL")
        for trusted in [false, true] {
            assertError(.persistentStoreIncompatibleVersionHash, try makeCoordinator(options: ["trustedSchema": .boolean(trusted)]))
        }
    }

    func test_whatIsOnTablesOfOthersIsLeftAlone() throws {
        try makeStore()
        try sqlite3(
            "CREATE TABLE theirs (x, y AS (x + 1)); CREATE TRIGGER mine AFTER INSERT ON theirs BEGIN SELECT 1; END; CREATE VIEW v AS SELECT 1"
        )
        XCTAssertEqual(try makeContext(try makeCoordinator()).names().count, 3)
    }

    // MARK: Point 6

    /// Runs a body that would never end with the mistake that it looks for.
    private func withinSeconds(_ seconds: UInt32 = 60, _ body: () throws -> Void) rethrows {
        alarm(seconds)
        defer { alarm(0) }
        try body()
    }

    func test_aFIFOIsRefusedByEveryFunctionThatTakesAPath() throws {
        XCTAssertEqual(mkfifo(path(), 0o600), 0)
        try withinSeconds {
            for options in [[:], ["readOnly": true]] as [[String: Value]] { assertRefused(naming: "FIFO", options: options) }
            assertError(.persistentStoreOpen, try PersistentStoreCoordinator.managedObjectModel(ofStoreAt: path()))
            assertError(.invalidArgument, try ManagedObjectModel(contentsOf: path()))
            XCTAssertThrowsError(try JournalReport(ofFileAt: path()))
            assertError(.persistentStoreOpen, try PersistentStoreCoordinator.managedObjectModel(ofTablesAt: path()))
            assertError(.persistentStoreOpen, try PersistentStoreCoordinator.metadata(forStoreAt: path()))
            assertError(.persistentStoreOpen, try PersistentStoreCoordinator.setMetadata(["key": .string("value")], forStoreAt: path()))
            assertError(.persistentStoreOpen, try PersistentStoreCoordinator.migrationPlan(forStoreAt: path(), to: try people()))
            assertError(.persistentStoreOpen, try people().rehearseMigration(ofStoresAt: [path()]))
            assertRefused(naming: "FIFO", options: ["immutable": true])
            assertError(.invalidArgument, try ManagedObjectModel.versions(ofModelAt: path()))
            assertError(.invalidArgument, try ManagedObjectModel.allVersions(ofModelAt: path()))
            assertError(.invalidArgument, try StagedMigration(versionsOfModelAt: path()))
            let container = PersistentContainer(name: "FIFO", managedObjectModel: try people(), storePath: path())
            assertError(.persistentStoreOpen, try container.loadPersistentStores())
        }
    }

    func test_aFIFOIsNoPartOfAModel() throws {
        for name in ["Model.xcdatamodel", "Model.xcdatamodeld", "Model.momd"] {
            try FileManager.default.createDirectory(atPath: path(name), withIntermediateDirectories: true)
            for file in ["contents", ".xccurrentversion", "Model.mom", "VersionInfo.plist"] {
                XCTAssertEqual(mkfifo(path(name) + "/" + file, 0o600), 0)
            }
            try withinSeconds { _ = assertError(.invalidArgument, try ManagedObjectModel(contentsOf: path(name))) }
        }
    }

    func test_aFIFOIsNotExportedTo() throws {
        let coordinator = try makeCoordinator()
        XCTAssertEqual(mkfifo(path("copy"), 0o600), 0)
        for replacing in [false, true] {
            try withinSeconds {
                _ = assertError(.persistentStoreOperation, try coordinator.export(to: path("copy"), replacing: replacing))
            }
        }
        var status = stat()
        XCTAssertEqual(stat(path("copy"), &status), 0)
        XCTAssertEqual(status.st_mode & S_IFMT, S_IFIFO)
    }

    func test_somethingOtherThanAFileBesideAStoreIsRefused() throws {
        for suffix in ["-wal", "-shm", "-journal"] {
            try? FileManager.default.removeItem(atPath: path())
            try makeStore()
            XCTAssertEqual(mkfifo(path() + suffix, 0o600), 0)
            withinSeconds { assertRefused(naming: "FIFO", suffix) }
            try FileManager.default.removeItem(atPath: path() + suffix)
        }
    }

    func test_devicesAndSocketsAreNoStores() throws {
        for path in ["/dev/null", "/dev/zero"] {
            let coordinator = PersistentStoreCoordinator(managedObjectModel: try people())
            let error = assertError(.persistentStoreOpen, try coordinator.addPersistentStore(type: .sqlite, at: path))
            XCTAssertEqual(error?.message.contains("a device"), true, error?.message ?? "")
            assertError(.invalidArgument, try ManagedObjectModel(contentsOf: path))
        }
    }

    // MARK: Point 15

    /// The bytes of the store's file and of what is beside it.
    private func files() throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) where !name.hasSuffix("-shm") {
            files[name] = try Data(contentsOf: URL(fileURLWithPath: path(name)))
        }
        return files
    }

    private func otherModel() throws -> ManagedObjectModel { try people([AttributeDescription(name: "more", attributeType: .string)]) }

    func test_aRefusedOpenLeavesAStoreInRollbackModeAsItIs() throws {
        try makeStore()
        try sqlite3("PRAGMA journal_mode=delete")
        let before = try files()
        assertError(.persistentStoreIncompatibleVersionHash, try makeCoordinator(try otherModel()))
        XCTAssertEqual(try files(), before)
        XCTAssertEqual(try sqlite3("PRAGMA journal_mode"), "delete")
        XCTAssertEqual(try makeCoordinator().persistentStores[0].journalMode, "wal", "the model it was made with may change it")
    }

    func test_aRefusedOpenLeavesAJournalAsItIs() throws {
        let coordinator = try makeCoordinator()
        try fill(coordinator, count: 3)
        // As a process that was killed leaves it.
        try FileManager.default.createDirectory(atPath: path("copy"), withIntermediateDirectories: true)
        for name in ["store.sqlite", "store.sqlite-wal"] {
            try FileManager.default.copyItem(atPath: path(name), toPath: path("copy/" + name))
        }
        let wal = path("copy/store.sqlite-wal"), before = try Data(contentsOf: URL(fileURLWithPath: wal))
        XCTAssertGreaterThan(before.count, 0)
        assertError(.persistentStoreIncompatibleVersionHash, try makeCoordinator(try otherModel(), name: "copy/store.sqlite"))
        XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: wal)), before)
        XCTAssertEqual(try makeContext(try makeCoordinator(name: "copy/store.sqlite")).names().count, 3)
    }

    func test_aRefusedSchemaLeavesTheFileAsItIs() throws {
        try makeStore()
        try sqlite3("PRAGMA journal_mode=delete; CREATE TRIGGER spy AFTER UPDATE ON ZPERSON BEGIN SELECT 1; END")
        let before = try files()
        assertRefused(naming: "spy")
        XCTAssertEqual(try files(), before)
    }
}
