import Foundation
import RandomSupport
import XCTest

@testable import PinviewGenerations

/// SNP-01: a generation as a file of its own.
class ExportTests: StoreFileTestCase {
    override var options: StoreFileOptions {
        var options = super.options
        options.journalBudget.policy = .off
        options.synchronous = .off
        return options
    }

    private var copy: String { folder + "/copy.sqlite" }
    private let seed = SeededGenerator.givenSeed ?? UInt64.random(in: 0..<1_000_000)

    /// All rows of the table `t`.
    private func rows(_ store: StoreFile, _ generation: Generation) throws -> [String] {
        try store.read(at: generation) { connection in
            let statement = try connection.statement("SELECT id || '|' || quote(v) FROM t ORDER BY id")
            defer { statement.reset() }
            var rows: [String] = []
            while try statement.step() { rows.append(statement.string(0)) }
            return rows
        }
    }

    /// All rows of the table in the exported file, which another program reads.
    private func exportedRows() throws -> [String] {
        XCTAssertEqual(try sqlite3("PRAGMA integrity_check", path: copy), ["ok"])
        return try sqlite3("SELECT id || '|' || quote(v) FROM t ORDER BY id", path: copy)
    }

    private func filledStore(_ options: StoreFileOptions? = nil) throws -> StoreFile {
        let store = try openStore(options)
        try store.write(
            "WITH s(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM s WHERE n < 500) INSERT INTO t SELECT n, hex(randomblob(100)) FROM s")
        return store
    }

    func test_SNP_01_theFileIsTheGenerationWhileOthersHaveGoneOn() throws {
        let store = try filledStore()
        let old = try store.currentGeneration(), expected = try rows(store, old)
        try store.write("DELETE FROM t WHERE id % 2", "UPDATE t SET v = id", "CREATE TABLE more (x)")

        try store.export(old, to: copy, replacing: false)

        XCTAssertEqual(try exportedRows(), expected)
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM sqlite_master WHERE name = 'more'", path: copy), ["0"])
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.contains("export") }, [])
        try store.export(nil, to: copy, replacing: true)
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM t WHERE v = id", path: copy), ["250"])
    }

    /// A naive model of the table; another process and another thread write, and checkpoints run.
    func test_SNP_01_theFileEqualsANaiveModelWhileAnotherProcessWrites() throws {
        print("seed \(seed): repeat with PINVIEW_SEED=\(seed)")
        var random = SeededGenerator(seed: seed)
        let store = try openStore()
        try store.write("CREATE TABLE noise (x)")
        let noise = "INSERT INTO noise VALUES (randomblob(20000)); DELETE FROM noise WHERE rowid % 3 = 0;"
        let writer = Process()
        writer.executableURL = URL(fileURLWithPath: "/bin/sh")
        writer.arguments = [
            "-c", "while [ -e \"$1\" ]; do sqlite3 -batch \"$1\" '.timeout 60000' \"$2\" 'PRAGMA wal_checkpoint(PASSIVE)' >/dev/null; done",
            "sh",
            path, noise + noise,
        ]
        try writer.run()
        defer {
            writer.terminate()
            writer.waitUntilExit()
        }
        var model: [Int: String] = [:]
        for round in 0..<12 {
            var statements: [String] = []
            for _ in 0..<40 {
                let id = random.below(200)
                if random.oneIn(3) {
                    model[id] = nil
                    statements.append("DELETE FROM t WHERE id = \(id)")
                } else {
                    let value = String(repeating: "x", count: random.below(3000)) + String(random.next())
                    model[id] = value
                    statements.append("INSERT OR REPLACE INTO t VALUES (\(id), '\(value)')")
                }
            }
            try store.write(statements.joined(separator: ";"))
            let generation = try store.currentGeneration()
            let expected = model.sorted { $0.key < $1.key }.map { "\($0.key)|'\($0.value)'" }
            var hasWritten = false
            try store.export(generation, to: copy, replacing: round > 0) { progress in
                XCTAssertLessThanOrEqual(progress.completed, progress.total)
                // A commit of this process, and sometimes a checkpoint, in the middle of the
                // export.
                if !hasWritten { try store.write("UPDATE t SET v = 'late'; DELETE FROM t WHERE id % 2") }
                hasWritten = true
                if round % 3 == 0 { _ = try store.checkpoint(truncate: false) }
                return true
            }
            XCTAssertEqual(try exportedRows(), expected, "round \(round), seed \(seed)")
            try store.write("DELETE FROM t")
            model = [:]
        }
    }

    func test_SNP_01_aGenerationThatTheJournalHasNothingOf() throws {
        let store = try filledStore()
        XCTAssertTrue(try store.checkpoint(truncate: true))
        let old = try store.currentGeneration(), expected = try rows(store, old)
        try store.write("DELETE FROM t")
        try store.export(old, to: copy, replacing: false)
        XCTAssertEqual(try exportedRows(), expected)
    }

    func test_SNP_01_aDetachedGeneration() throws {
        let store = try filledStore()
        let old = try store.currentGeneration(), expected = try rows(store, old)
        try store.write("UPDATE t SET v = zeroblob(500)")
        _ = try store.detachOlderGenerations()
        try store.write("DELETE FROM t")
        try sqlite3("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")
        try store.export(old, to: copy, replacing: false)
        XCTAssertEqual(try exportedRows(), expected)
    }

    /// The state has fewer pages than the file has had.
    func test_SNP_01_theFileIsAsLongAsItsGeneration() throws {
        let store = try filledStore()
        _ = try store.checkpoint(truncate: true)
        try store.write("DELETE FROM t WHERE id > 10")
        try sqlite3("VACUUM")
        let small = try store.currentGeneration(), expected = try rows(store, small)
        try store.export(small, to: copy, replacing: false)
        XCTAssertEqual(try exportedRows(), expected)
        let pages = try store.read(at: small) { try $0.value("PRAGMA page_count") }
        let size = try FileManager.default.attributesOfItem(atPath: copy)[.size] as? Int
        XCTAssertEqual(pages.flatMap { Int($0) }.map { $0 * 4096 }, size)
    }

    func test_SNP_01_aCancelledExportLeavesNothing() throws {
        let store = try filledStore()
        var calls = 0
        XCTAssertThrowsError(
            try store.export(nil, to: copy, replacing: false) { _ in
                calls += 1
                return calls < 2
            }
        ) { XCTAssertEqual(($0 as? SQLiteError)?.kind, .interrupted) }
        struct Stop: Error {}
        XCTAssertThrowsError(try store.export(nil, to: copy, replacing: false) { _ in throw Stop() }) { XCTAssertTrue($0 is Stop) }
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.contains("copy") }, [])
    }

    func test_SNP_01_anExistingFileStaysUnlessItIsToBeReplaced() throws {
        let store = try filledStore()
        try "mine".write(toFile: copy, atomically: true, encoding: .utf8)
        XCTAssertThrowsError(try store.export(nil, to: copy, replacing: false))
        XCTAssertEqual(try String(contentsOfFile: copy, encoding: .utf8), "mine")
        // It appears while the export is running.
        try FileManager.default.removeItem(atPath: copy)
        XCTAssertThrowsError(
            try store.export(nil, to: copy, replacing: false) { _ in
                try "theirs".write(toFile: self.copy, atomically: true, encoding: .utf8)
                return true
            })
        XCTAssertEqual(try String(contentsOfFile: copy, encoding: .utf8), "theirs")
        try store.export(nil, to: copy, replacing: true)
        XCTAssertEqual(try exportedRows().count, 500)
    }

    func test_SNP_01_neitherTheStoreNorAFileWithAJournalIsReplaced() throws {
        let store = try filledStore()
        for name in [path, path + "-wal", path + "-shm"] {
            XCTAssertThrowsError(try store.export(nil, to: name, replacing: true), name)
        }
        try "journal".write(toFile: copy + "-wal", atomically: true, encoding: .utf8)
        XCTAssertThrowsError(try store.export(nil, to: copy, replacing: false)) {
            XCTAssertTrue("\($0)".contains("copy.sqlite-wal"), "\($0)")
        }
        XCTAssertEqual(try store.newestInt("SELECT count(*) FROM t"), 500)
        XCTAssertThrowsError(try store.export(nil, to: folder + "/none/copy.sqlite", replacing: true))
        XCTAssertThrowsError(try store.export(nil, to: folder, replacing: true))
        XCTAssertThrowsError(try store.export(nil, to: "", replacing: true))
    }

    /// Files without a name are not possible everywhere.
    func test_SNP_01_whatAKilledExportLeftIsDeletedByTheNext() throws {
        let store = try filledStore()
        let left = copy + "-export-0123456789abcdef", other = copy + "-export-mine"
        for name in [left, other] { try "half".write(toFile: name, atomically: true, encoding: .utf8) }
        try store.export(nil, to: copy, replacing: false)
        XCTAssertFalse(FileManager.default.fileExists(atPath: left))
        XCTAssertTrue(FileManager.default.fileExists(atPath: other))
    }

    func test_SNP_01_storesWithoutGenerations() throws {
        var rollback = options
        rollback.journalMode = "delete"
        let store = try filledStore(rollback)
        try store.export(nil, to: copy, replacing: false)
        XCTAssertEqual(try exportedRows().count, 500)
        let memory = try StoreFile.openInMemory(options: StoreFileOptions())
        try memory.write("CREATE TABLE t (id INTEGER PRIMARY KEY, v)", "INSERT INTO t VALUES (1, 'a')")
        try memory.export(nil, to: copy, replacing: true)
        XCTAssertEqual(try exportedRows(), ["1|'a'"])
    }
}

/// The same where generations are open transactions.
final class TransactionExportTests: ExportTests {
    override var usesOpenTransactions: Bool { true }

    override func test_SNP_01_aDetachedGeneration() throws {}
}
