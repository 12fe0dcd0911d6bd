import Foundation
import XCTest

@testable import PinviewGenerations

/// Other programs damage or change the files of a store while a generation of it is pinned, with
/// SQLite and without. The pinned view stays valid, or reports that it is lost or that its files
/// are gone; it never gives other rows and never crashes.
final class ForeignDamageTests: StoreFileTestCase {
    private static let content = "SELECT count(*) || ' ' || sum(id * length(v)) || ' ' || sum(length(replace(hex(v), '00', ''))) FROM t"

    private enum Answer: Equatable {
        case right
        case wrong(String?)
        case error(SQLiteError.Kind)
    }

    /// A store with rows that fill many pages, some in the file and some in the journal.
    private func makeStore(isCopied: Bool) throws -> (StoreFile, Generation, String?) {
        let store = try openStore()
        // No zeros, so that a page that has become a hole shows in the sum.
        try store.write(
            "INSERT INTO t SELECT value, replace(hex(zeroblob(1500 + value % 5000)), '0', 'x') FROM generate_series(1, 150)"
                .replacingSeries())
        XCTAssertTrue(try store.checkpoint(truncate: true))
        try store.write("UPDATE t SET v = v || 'y' WHERE id % 3 = 0")
        if isCopied { XCTAssertTrue(try store.checkpoint(truncate: false)) }
        let held = try store.currentGeneration()
        let content = try store.read(at: held) { try $0.value(Self.content) }
        return (store, held, content)
    }

    /// What the generation gives now, through a reader that has pages in its cache and through one
    /// that is opened now.
    private func answers(_ store: StoreFile, _ held: Generation, _ content: String?) throws -> [Answer] {
        func answer(_ store: StoreFile) throws -> Answer {
            do {
                let found = try store.read(at: held) { try $0.value(Self.content) }
                return found == content ? .right : .wrong(found)
            } catch let error as SQLiteError {
                XCTAssertFalse(error.message.isEmpty)
                return .error(error.kind)
            }
        }
        var answers = [try answer(store)]
        do {
            var options = options
            options.busyTimeout = 0.05
            let late = try StoreFile.open(path: path, options: options)
            defer { late.close() }
            answers.append(try answer(late))
        } catch let error as SQLiteError {
            answers.append(.error(error.kind))
        }
        return answers
    }

    /// Damages the files under a pin of a read mark from 1 up and under one of read mark 0, with
    /// pages in the reader's cache and without.
    private func eachPin(_ damage: () throws -> Void, _ check: ([Answer], String) throws -> Void) throws {
        for isCopied in [false, true] {
            for isCold in [false, true] {
                try run("rm", ["-f", path, path + "-wal", path + "-shm"])
                let (store, held, content) = try makeStore(isCopied: isCopied)
                if isCold { try store.read(at: held) { try $0.execute("PRAGMA shrink_memory") } }
                guard case .pin(let pin) = held.record.currentHold else { return XCTFail("no pin") }
                XCTAssertEqual(pin.slot == 0, isCopied)
                try damage()
                try check(try answers(store, held, content), "copied: \(isCopied), cold: \(isCold)")
                store.close()
            }
        }
    }

    func test_schemaChangesOfOthersLeaveThePinAlone() throws {
        try eachPin({
            try sqlite3("ALTER TABLE t ADD COLUMN w; CREATE INDEX i ON t (v); DROP INDEX i; ALTER TABLE t RENAME TO u; DROP TABLE u")
        }) {
            XCTAssertEqual($0, [.right, .right], $1)
        }
    }

    func test_vacuumLeavesThePinAlone() throws {
        try eachPin({ try sqlite3("DELETE FROM t WHERE id > 3; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)") }) {
            XCTAssertEqual($0, [.right, .right], $1)
        }
    }

    func test_noOtherProgramCanChangeThePageSizeMeanwhile() throws {
        try eachPin({
            XCTAssertEqual(try sqlite3("PRAGMA page_size=8192; VACUUM; PRAGMA page_size"), ["4096"])
            XCTAssertTrue(try sqlite3("PRAGMA journal_mode=DELETE; PRAGMA page_size=8192; VACUUM").joined().contains("locked"))
        }) { XCTAssertEqual($0, [.right, .right], $1) }
    }

    private func assertNeverWrong(_ answers: [Answer], _ text: String) {
        for answer in answers { if case .wrong(let found) = answer { XCTFail("\(text): \(found ?? "nothing")") } }
    }

    func test_aFileThatIsCutOff() throws {
        for size in ["0", "4096", "40960", "<300000"] {
            try eachPin({ try run("truncate", ["-s", size, path]) }) { answers, text in
                assertNeverWrong(answers, "size \(size), \(text)")
                if text.hasSuffix("cold: true") { XCTAssertEqual(answers[0], .error(.generationLost), "size \(size), \(text)") }
            }
        }
    }

    func test_aFileThatIsOverwritten() throws {
        let other = folder + "/other.sqlite"
        try sqlite3("CREATE TABLE t (id INTEGER PRIMARY KEY, v); INSERT INTO t VALUES (1, zeroblob(900000))", path: other)
        try eachPin({ try run("cp", [other, path]) }) { answers, text in
            assertNeverWrong(answers, text)
            if text.hasSuffix("cold: true") { XCTAssertEqual(answers[0], .error(.generationLost), text) }
        }
    }

    func test_aFileThatIsReplacedByAnother() throws {
        let other = folder + "/other.sqlite"
        try eachPin({
            try sqlite3("CREATE TABLE t (id INTEGER PRIMARY KEY, v); INSERT INTO t VALUES (1, 1)", path: other)
            try run("mv", [other, path])
        }) { answers, text in
            // Open readers have the old file; a new one is refused.
            XCTAssertTrue([.right, .error(.cannotOpen)].contains(answers[0]), "\(text): \(answers)")
            assertNeverWrong(answers, text)
        }
    }

    func test_aJournalThatIsDeleted() throws {
        try eachPin({ try run("rm", [path + "-wal"]) }) { answers, text in
            XCTAssertTrue([.right, .error(.cannotOpen)].contains(answers[0]), "\(text): \(answers)")
            assertNeverWrong(answers, text)
        }
    }

    func test_aJournalThatIsDeletedAndRestartedByOthers() throws {
        try eachPin({
            try run("rm", [path + "-wal"])
            try sqlite3("INSERT INTO t VALUES (1000, zeroblob(50000))")
        }) { answers, text in assertNeverWrong(answers, text) }
    }

    func test_aJournalThatIsCutOff() throws {
        for size in ["0", "32", "5000", "<100000"] {
            try eachPin({ try run("truncate", ["-s", size, path + "-wal"]) }) { answers, text in
                assertNeverWrong(answers, "size \(size), \(text)")
                // Under read mark 0 the journal is not needed.
                if text == "copied: false, cold: true" { XCTAssertEqual(answers[0], .error(.generationLost), "size \(size), \(text)") }
                if text.hasPrefix("copied: true") { XCTAssertEqual(answers[0], .right, "size \(size), \(text)") }
            }
        }
    }

    /// The journal grows again after the hole, which reads as zeros.
    func test_aJournalThatIsCutOffAndWrittenTo() throws {
        for size in ["0", "20000"] {
            try eachPin({
                try run("truncate", ["-s", size, path + "-wal"])
                try sqlite3("INSERT INTO t VALUES (1001, zeroblob(50000))")
            }) { answers, text in assertNeverWrong(answers, "size \(size), \(text)") }
        }
    }
}
