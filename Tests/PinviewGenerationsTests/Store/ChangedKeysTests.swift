import Foundation
import RandomSupport
import XCTest

@testable import PinviewGenerations

/// Which rows differ between two generations, told from the pages written in between.
final class ChangedKeysTests: StoreFileTestCase {
    private func rows(_ store: StoreFile, _ generation: Generation) throws -> [Int64: String] {
        try store.read(at: generation) { connection in
            let statement = try connection.statement("SELECT id, hex(v) FROM t")
            defer { statement.reset() }
            var rows: [Int64: String] = [:]
            while try statement.step() { rows[statement.int64(0)] = statement.string(1) }
            return rows
        }
    }

    private func fill(_ store: StoreFile, _ count: Int, size: Int = 60) throws {
        try store.write(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count)) "
                + "INSERT INTO t SELECT i, randomblob(\(size)) FROM n")
    }

    private func keys(_ store: StoreFile, _ old: Generation, _ new: Generation, limit: Int = 1 << 30) -> [Int64]? {
        var root: TableRoot?
        return store.changedKeys(ofTable: "t", from: old, to: new, limit: limit, root: &root)
    }

    func test_oneChangeIsOneKey() throws {
        let store = try openStore()
        defer { store.close() }
        try fill(store, 5_000)
        let old = try store.currentGeneration()
        try store.write("UPDATE t SET v = 'new' WHERE id = 3000")
        XCTAssertEqual(keys(store, old, try store.currentGeneration()), [3000])
    }

    func test_insertedAndDeletedRowsAreAmongThem() throws {
        let store = try openStore()
        defer { store.close() }
        try fill(store, 5_000)
        let old = try store.currentGeneration()
        try store.write("DELETE FROM t WHERE id BETWEEN 2000 AND 2500", "INSERT INTO t VALUES (9999, 'new')")
        let found = Set(try XCTUnwrap(keys(store, old, try store.currentGeneration())))
        XCTAssertTrue(found.isSuperset(of: (2000...2500).map(Int64.init) + [9999]))
        XCTAssertLessThan(found.count, 1_000)
    }

    func test_moreKeysThanWantedAreNotTold() throws {
        let store = try openStore()
        defer { store.close() }
        try fill(store, 100)
        let old = try store.currentGeneration()
        try store.write("UPDATE t SET v = id")
        let new = try store.currentGeneration()
        XCTAssertEqual(keys(store, old, new, limit: 100)?.count, 100)
        XCTAssertNil(keys(store, old, new, limit: 99))
    }

    func test_anotherSchemaIsNotCompared() throws {
        let store = try openStore()
        defer { store.close() }
        try fill(store, 100)
        let old = try store.currentGeneration()
        try store.write("CREATE TABLE u (w)", "UPDATE t SET v = 1 WHERE id = 5")
        XCTAssertNil(keys(store, old, try store.currentGeneration()))
    }

    func test_changesAfterTheJournalWasRestartedAreTold() throws {
        let store = try openStore()
        defer { store.close() }
        try fill(store, 1_000)
        XCTAssertEqual(try sqlite3("PRAGMA wal_checkpoint(TRUNCATE)").last?.hasPrefix("0"), true)
        let old = try store.currentGeneration()
        try sqlite3("UPDATE t SET v = 'new' WHERE id IN (7, 700)")
        XCTAssertEqual(keys(store, old, try store.currentGeneration()), [7, 700])
    }

    func test_theFirstCommitToANewJournalIsTold() throws {
        let filling = try openStore()
        try fill(filling, 1_000)
        filling.close()
        XCTAssertFalse(FileManager.default.fileExists(atPath: path + "-wal"))
        let store = try StoreFile.open(path: path, options: options)
        defer { store.close() }
        let old = try store.currentGeneration()
        try sqlite3("UPDATE t SET v = 'new' WHERE id = 500")
        XCTAssertEqual(keys(store, old, try store.currentGeneration()), [500])
    }

    func test_theTreeOfAnotherTableIsNotMistakenForIt() throws {
        let store = try openStore()
        defer { store.close() }
        try store.write("CREATE TABLE u (id INTEGER PRIMARY KEY, w)")
        try fill(store, 1_000)
        let old = try store.currentGeneration()
        try store.write("INSERT INTO u SELECT id, v FROM t", "UPDATE t SET v = 'new' WHERE id = 5")
        XCTAssertEqual(keys(store, old, try store.currentGeneration()), [5])
    }

    /// Eight levels, each of which leads to the next one 400 times.
    func test_aTreeThatWasMadeToDoHarmIsGivenUp() throws {
        let pageSize = 4096, pages = 9
        var file = [UInt8](repeating: 0, count: pages * pageSize)
        for page in 0..<pages - 1 {
            let start = page * pageSize
            file.replaceSubrange(start..<start + 5, with: [5, 0, 0, 1, 144])
            file.replaceSubrange(start + 8..<start + 12, with: [0, 0, 0, UInt8(page + 2)])
            for cell in 0..<400 {
                let offset = 900 + 8 * cell
                file.replaceSubrange(start + 12 + 2 * cell..<start + 14 + 2 * cell, with: [UInt8(offset >> 8), UInt8(offset & 255)])
                file.replaceSubrange(start + offset..<start + offset + 4, with: [0, 0, 0, UInt8(page + 2)])
            }
        }
        file[(pages - 1) * pageSize] = 13
        try Data(file).write(to: URL(fileURLWithPath: path))
        let descriptor = open(path, O_RDONLY)
        defer { close(descriptor) }
        var header = WALHeader()
        (header.format, header.pageCount) = (UInt32(pageSize) << 16, UInt32(pages))
        let state = GenerationPages(ReadPin(slot: 0, header: header, serial: 1), main: descriptor, journal: -1, pageSize: pageSize) { _ in
            nil
        }

        var comparison = TableComparison(
            old: state, new: state, written: (1...UInt32(pages)).map { $0 }, usableSize: pageSize, limit: .max)

        XCTAssertNil(comparison.changedKeys(root: 1))
    }

    /// All pairs of the generations of a random history against a naive comparison.
    func test_randomHistoriesAgreeWithAComparisonOfAllRows() throws {
        var random = SeededGenerator.announced(name), told = 0
        for _ in 0..<6 {
            let store = try openStore()
            defer { store.close() }
            try store.write("DELETE FROM t")
            try fill(store, [10, 300, 4_000].randomElement(using: &random) ?? 10, size: [4, 90, 700].randomElement(using: &random) ?? 4)
            var held: [(generation: Generation, rows: [Int64: String])] = []
            for _ in 0..<12 {
                let first = random.below(4_500), last = first + random.below(random.oneIn(3) ? 900 : 4), size = random.below(6_000)
                switch random.below(8) {
                case 0, 1: try store.write("UPDATE t SET v = randomblob(length(v)) WHERE id BETWEEN \(first) AND \(last)")
                case 2: try store.write("UPDATE t SET v = randomblob(\(size)) WHERE id BETWEEN \(first) AND \(first + 3)")
                case 3: try store.write("INSERT OR REPLACE INTO t VALUES (\(first + 2_000), randomblob(\(size)))")
                case 4: try store.write("DELETE FROM t WHERE id BETWEEN \(first) AND \(last)")
                case 5 where random.oneIn(4): try store.write("DELETE FROM t")
                case 6: try sqlite3("PRAGMA wal_checkpoint(\(random.oneIn(2) ? "PASSIVE" : "RESTART"))")
                default: try sqlite3("INSERT INTO t SELECT max(id) + 1, randomblob(\(size)) FROM t")
                }
                let generation = try store.currentGeneration()
                if random.oneIn(4), !held.isEmpty { held.remove(at: random.below(held.count)) }
                let rows = try rows(store, generation)
                for other in held {
                    let differing = Set(rows.keys).union(other.rows.keys).filter { rows[$0] != other.rows[$0] }
                    guard let keys = keys(store, other.generation, generation) else { continue }
                    told += 1
                    XCTAssertTrue(Set(keys).isSuperset(of: differing), "\(differing.subtracting(keys).prefix(5)) are missing")
                    XCTAssertEqual(keys, keys.sorted())
                }
                held.append((generation, rows))
            }
            held = []
        }
        XCTAssertGreaterThan(told, 20)
    }
}
