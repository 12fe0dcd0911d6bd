import Foundation
import XCTest

@testable import PinviewGenerations

/// Old generations are moved to copies, so that they do not hold the journal any more.
final class DetachTests: StoreFileTestCase {
    /// Nothing is detached unless the test does it.
    override var options: StoreFileOptions {
        var options = super.options
        options.journalBudget.policy = .off
        options.synchronous = .off
        return options
    }

    /// The names of the copies' files, without the store's.
    private func copies() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.contains("-detached-") }.sorted()
    }

    private func slot(_ generation: Generation) -> Int? {
        if case .pin(let pin) = generation.record.currentHold { return pin.slot }
        return nil
    }

    private func isDetached(_ generation: Generation) -> Bool {
        if case .detached = generation.record.currentHold { return true }
        return false
    }

    private let sum = "SELECT count(*) || ' ' || total(v) || ' ' || total(length(w)) FROM rows"

    /// A store with 2000 rows of some hundred bytes, about 900 KB.
    private func filledStore() throws -> StoreFile {
        let store = try StoreFile.open(path: path, options: options)
        try store.write("CREATE TABLE rows (id INTEGER PRIMARY KEY, v, w)", "CREATE TABLE t (v)")
        try store.write("INSERT INTO rows SELECT value, value, zeroblob(400) FROM generate_series(1, 2000)".replacingSeries())
        return store
    }

    private func contents(_ store: StoreFile, _ generation: Generation) throws -> String? {
        try store.read(at: generation) { connection in
            XCTAssertEqual(try connection.value("PRAGMA integrity_check"), "ok")
            return try connection.value(sum)
        }
    }

    func test_aDetachedGenerationSurvivesChangesByOthers() throws {
        let store = try filledStore()
        let old = try store.currentGeneration()
        XCTAssertNotEqual(slot(old), 0)
        try store.write("UPDATE rows SET v = v + 1, w = zeroblob(500)")

        XCTAssertEqual(try store.detachOlderGenerations(), 1)

        XCTAssertTrue(isDetached(old))
        XCTAssertEqual(store.journalSize, 0)
        XCTAssertEqual(try contents(store, old), "2000 2001000.0 800000.0")
        try sqlite3("DELETE FROM rows WHERE id > 10; VACUUM; PRAGMA wal_checkpoint(TRUNCATE); ALTER TABLE rows ADD COLUMN x")
        XCTAssertFalse(try foreignTruncateIsBusy())
        XCTAssertEqual(try contents(store, old), "2000 2001000.0 800000.0")
        XCTAssertEqual(try store.newestInt("SELECT count(*) FROM rows"), 10)
    }

    func test_aGenerationOfReadMarkZero() throws {
        let store = try filledStore()
        XCTAssertTrue(try store.checkpoint(truncate: false))
        let old = try store.currentGeneration()
        XCTAssertEqual(slot(old), 0)
        try store.write("DELETE FROM rows")

        XCTAssertEqual(try store.detachOlderGenerations(), 1)

        try sqlite3("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")
        XCTAssertEqual(try contents(store, old), "2000 2001000.0 800000.0")
        XCTAssertEqual(try store.newestInt("SELECT count(*) FROM rows"), 0)
    }

    /// Generations of all read marks share one copy, which is deleted with the last of them.
    func test_manyGenerationsShareOneCopy() throws {
        let store = try filledStore()
        XCTAssertTrue(try store.checkpoint(truncate: false))
        var generations = [try store.currentGeneration()]
        for number in 1...40 {
            let held = try store.write("UPDATE rows SET v = v + \(number) WHERE id <= 100", "INSERT INTO t VALUES (\(number))")
            generations.append(try XCTUnwrap(held))
        }
        let before = try generations.map { try contents(store, $0) }
        XCTAssertTrue(Set(generations.compactMap(slot)).count > 1)

        XCTAssertEqual(try store.detachOlderGenerations(), 40)

        XCTAssertEqual(try copies().count, 3)
        XCTAssertFalse(isDetached(generations[40]), "the newest stays")
        try sqlite3("DELETE FROM rows; VACUUM")
        XCTAssertEqual(try generations.map { try contents(store, $0) }, before)
        XCTAssertEqual(Set(before).count, 41)
        generations = [generations[20]]
        XCTAssertEqual(try copies().count, 3)
        generations = []
        XCTAssertEqual(try copies(), [])
    }

    /// First the oldest generation is detached, then the next ones, while a reader moves between
    /// the store and the copies.
    func test_severalCopies() throws {
        let store = try filledStore()
        var generations: [Generation] = []
        for number in 1...5 {
            generations.append(try XCTUnwrap(try store.write("UPDATE rows SET v = \(number)")))
            try store.write("UPDATE rows SET v = -1 WHERE id % 3 = 0")
            XCTAssertEqual(try store.detachOlderGenerations(), 1)
        }

        XCTAssertEqual(try copies().count, 15)
        for _ in 1...3 {
            for (index, generation) in generations.enumerated() {
                XCTAssertEqual(try store.int("SELECT min(v) + max(v) FROM rows", at: generation), 2 * (index + 1))
            }
            XCTAssertEqual(try store.newestInt("SELECT min(v) FROM rows"), -1)
        }
    }

    func test_aReadUnderWayContinuesOnTheJournal() throws {
        let store = try filledStore()
        let old = try store.currentGeneration()
        try store.write("DELETE FROM rows")

        let seen = try store.read(at: old) { connection -> Int in
            let statement = try connection.statement("SELECT v FROM rows ORDER BY id")
            var total = 0
            for _ in 1...1000 where try statement.step() { total += Int(statement.int64(0)) }
            XCTAssertEqual(try store.detachOlderGenerations(), 1)
            XCTAssertTrue(try foreignTruncateIsBusy(), "the reader keeps the journal until it is done")
            XCTAssertEqual(try store.int("SELECT sum(v) FROM rows", at: old), 2_001_000, "others read the copy already")
            while try statement.step() { total += Int(statement.int64(0)) }
            return total
        }

        XCTAssertEqual(seen, 2_001_000)
        XCTAssertFalse(try foreignTruncateIsBusy())
        XCTAssertEqual(try contents(store, old), "2000 2001000.0 800000.0")
    }

    func test_threadsReadWhileTheirGenerationIsDetached() throws {
        let store = try filledStore()
        let old = try store.currentGeneration()
        try store.write("UPDATE rows SET v = 0")
        let sums = ResultList<Int>()

        inThreads(5) { number in
            for round in 1...60 {
                if number == 0, round == 20 { sums.append { try store.detachOlderGenerations() == 1 ? 2_001_000 : 0 } }
                sums.append { try store.int("SELECT sum(v) FROM rows", at: old) }
            }
        }

        XCTAssertEqual(Set(try sums.all()), [2_001_000])
        XCTAssertTrue(isDetached(old))
    }

    func test_theNewestGenerationIsNotDetached() throws {
        let store = try filledStore()
        let newest = try store.currentGeneration()

        XCTAssertEqual(try store.detachOlderGenerations(), 0)

        XCTAssertFalse(isDetached(newest))
        XCTAssertEqual(try copies(), [])
    }

    func test_anIdleReaderDoesNotKeepTheSpaceOfACopyThatEnded() throws {
        let store = try filledStore()
        var old: Generation? = try store.currentGeneration()
        try store.write("DELETE FROM rows")
        try store.detachOlderGenerations()
        XCTAssertEqual(try contents(store, try XCTUnwrap(old)), "2000 2001000.0 800000.0")
        func openCopies() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter {
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)
                return target?.hasPrefix(path + "-detached-") ?? false
            }.count
        }
        XCTAssertGreaterThan(try openCopies(), 0)

        old = nil

        XCTAssertEqual(try openCopies(), 0)
        XCTAssertNil(old)
    }

    func test_aCopyThatWasChangedIsALostGeneration() throws {
        let store = try filledStore()
        let old = try store.currentGeneration()
        try store.write("DELETE FROM rows")
        try store.detachOlderGenerations()
        let copy = folder + "/" + (try XCTUnwrap(try copies().first))

        try FileManager.default.removeItem(atPath: copy)

        XCTAssertThrowsError(try contents(store, old)) { XCTAssertEqual(($0 as? SQLiteError)?.kind, .generationLost) }
    }

    func test_aPinThatWasLostIsNotDetached() throws {
        InjectedFault.current = .lostLocks
        defer { InjectedFault.current = nil }
        let store = try filledStore()
        let old = try store.currentGeneration()
        try sqlite3("UPDATE rows SET v = 1; PRAGMA wal_checkpoint(TRUNCATE); UPDATE rows SET v = 2;")

        XCTAssertEqual(try store.detachOlderGenerations(), 0)

        XCTAssertEqual(try copies(), [])
        XCTAssertThrowsError(try contents(store, old)) { XCTAssertEqual(($0 as? SQLiteError)?.kind, .generationLost) }
    }

    func test_theIndexFileListsTheContentOfTheCopy() throws {
        let store = try filledStore()
        let first = try store.currentGeneration()
        let second = try XCTUnwrap(try store.write("UPDATE rows SET v = 1"))
        try store.write("UPDATE rows SET v = 2")
        try store.detachOlderGenerations()
        let name = try XCTUnwrap(try copies().first { $0.hasSuffix("-index") })
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name)))

        let index = try XCTUnwrap(bytes.withUnsafeBytes { CopyIndex($0) })
        XCTAssertEqual(Set(index.entries.map(\.header.frame)), [first.header.frame, second.header.frame])
        XCTAssertEqual(index.frames, second.header.frame)
        XCTAssertEqual(index.inode, first.file.key.inode)
        bytes[bytes.count - 1] ^= 1
        XCTAssertNil(bytes.withUnsafeBytes { CopyIndex($0) })
        XCTAssertNil(bytes.dropLast(8).withUnsafeBytes { CopyIndex($0) })
    }
}
