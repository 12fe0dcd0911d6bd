import Foundation
import PinviewModel
import PinviewPredicates
import XCTest

@testable import PinviewStore

/// The edges of what store options and JSON take, and what reading a store's metadata leaves alone.
final class LimitTests: StoreTestCase {
    private func isTaken(_ name: String, _ value: Value) -> Bool { (try? StoreOptions(parsing: [name: value])) != nil }

    func test_numbersOfOptions() throws {
        let edges: [(String, taken: [Value], refused: [Value])] = [
            (
                "cacheSize", [.integer(-1 << 31), .integer(1 << 31 - 1), 0, 1, -1],
                [.integer(-1 << 31 - 1), .integer(1 << 31), .integer(1 << 32 - 1), .double(5)]
            ),
            ("busyTimeout", [0, .double(0), .integer(86400), .double(0.5)], [.integer(86401), .double(86400.5), .double(-0.001), "1"]),
            ("journalBudgetBytes", [0, 1, .integer(.max)], [-1, .double(1)]),
            ("journalBudgetShare", [0, .double(0.5), .integer(1_000_000)], [.integer(1_000_001), .double(-0.1)]),
            ("generationAgeBudget", [0, .integer(1_000_000_000)], [.integer(1_000_000_001), -1]),
        ]
        for (name, taken, refused) in edges {
            for value in taken { XCTAssertTrue(isTaken(name, value), "\(name) \(value)") }
            for value in refused { XCTAssertFalse(isTaken(name, value), "\(name) \(value)") }
        }
        XCTAssertNil(try StoreOptions(parsing: ["journalBudgetBytes": 0]).journalBudget.bytes)
        XCTAssertEqual(try StoreOptions(parsing: ["journalBudgetBytes": 1]).journalBudget.bytes, 1)
    }

    func test_theDepthOfJSON() throws {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            func text(_ depth: Int) -> String {
                String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
            }
            XCTAssertNoThrow(try parseJSON(text(499)))
            XCTAssertNoThrow(try parseJSON(text(500)))
            XCTAssertEqual(assertError(.invalidArgument) { _ = try parseJSON(text(501)) }?.message.contains("500 levels"), true)
        }
        // Depth is that of one branch, not the sum of all.
        XCTAssertNoThrow(try parseJSON("[" + Array(repeating: "[[1]]", count: 600).joined(separator: ",") + "]"))
    }

    /// The cache of statement texts never exceeds its size.
    func test_preparedTextsAreLimited() throws {
        let store = try openStore(try TestModels.notes())
        let note = try store.entity("Note")
        try store.insert("Note", [["title": "x"]])
        for shape in 0..<600 {
            let terms = (0..<10).map { "title \(shape >> $0 & 1 == 0 ? "==" : "<") 't\($0)'" }
            let predicate = try PinviewPredicate(format: terms.joined(separator: " AND ")).resolved(for: note, in: store.schema.model)
            _ = try store.fetchReferences(StoreFetch(entity: note, predicate: predicate), at: nil)
            XCTAssertLessThanOrEqual(store.fetchTexts.count, 256)
        }
        XCTAssertGreaterThan(store.fetchTexts.count, 1)
    }

    // MARK: Metadata

    /// Reading the metadata of a file does not change it, and creates no file if there is none.
    func test_readingMetadataWritesNothing() throws {
        XCTAssertThrowsError(try SQLStore.metadata(ofStoreAt: storePath))
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder), [], "no file is made")
        for mode in ["delete", "wal"] {
            let path = storePath + mode
            let options = try StoreOptions(parsing: ["journalMode": .string(mode)])
            let store = try openStore(try TestModels.notes(), path: path, options: options)
            let metadata = try store.metadata()
            store.close()
            let before = FileManager.default.contents(atPath: path)
            XCTAssertEqual(try SQLStore.metadata(ofStoreAt: path), metadata)
            XCTAssertEqual(FileManager.default.contents(atPath: path), before, mode)
        }
    }
}
