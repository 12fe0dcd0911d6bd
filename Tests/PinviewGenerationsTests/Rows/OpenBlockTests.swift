import Foundation
import RandomSupport
import XCTest

@testable import PinviewGenerations

/// Rows that are read one by one share blocks.
final class OpenBlockTests: StoreFileTestCase {
    private typealias Row = (block: RowBlock, row: Int)

    /// Reads rows `SELECT number, text`.
    private func rows(_ texts: [String], rank: (Int) -> UInt64 = { _ in 1 }, context: NSObject? = nil) throws -> [Row] {
        let store = try StoreFile.openInMemory(options: options)
        return try store.readNewest { connection in
            let statement = try connection.statement("SELECT ?1, ?2")
            return try texts.enumerated().map { number, text in
                defer { statement.reset() }
                try statement.bind(1, Int64(number))
                try statement.bind(2, text)
                return try XCTUnwrap(try statement.fetchRow(columnCount: 2, context: context, rank: rank(number)))
            }
        }
    }

    /// How many rows in a row are in one block.
    private func runs(_ rows: [Row]) -> [Int] {
        rows.map(\.block).reduce(into: [(RowBlock, Int)]()) { runs, block in
            if let last = runs.last, last.0 === block { runs[runs.count - 1].1 += 1 } else { runs.append((block, 1)) }
        }.map(\.1)
    }

    func test_blocksHaveTwiceAsManyRowsEachUpToALimit() throws {
        let rows = try rows(Array(repeating: String(repeating: "x", count: 91), count: 127))

        XCTAssertEqual(runs(rows), [1, 2, 4, 8, 16, 32, 40, 24], "of 100 bytes each")
    }

    func test_aBlockOfSmallRowsHasAsManyAsAnyBlock() throws {
        let rows = try rows(Array(repeating: "", count: 1023))

        XCTAssertEqual(runs(rows), [1, 2, 4, 8, 16, 32, 64, 128, 256, 256, 256])
        XCTAssertEqual(rows[1022].block.int64(row: rows[1022].row, column: 0), 1022)
    }

    func test_rowsOfAnotherGenerationAreInAnotherBlock() throws {
        let rows = try rows(Array(repeating: "x", count: 20)) { $0 < 10 ? 4 : 5 }

        XCTAssertEqual(runs(rows), [1, 2, 4, 3, 1, 2, 4, 3])
        XCTAssertEqual(rows.map(\.block.rank), Array(repeating: 4, count: 10) + Array(repeating: 5, count: 10))
    }

    func test_rowsOfNoGenerationHaveBlocksOfTheirOwn() throws {
        let rows = try rows(Array(repeating: "x", count: 10)) { _ in 0 }

        XCTAssertEqual(runs(rows), Array(repeating: 1, count: 10))
        XCTAssertTrue(rows.allSatisfy(\.block.wasReadTogether))
    }

    func test_largeRowsHaveBlocksOfTheirOwn() throws {
        let large = String(repeating: "x", count: 1001), long = String(repeating: "x", count: 5000)
        let rows = try rows(["a", large, "b", "c", long, "d", "e"])

        XCTAssertTrue(rows[2].block === rows[3].block)
        XCTAssertTrue(rows[1].block !== rows[2].block && rows[4].block !== rows[5].block)
        XCTAssertTrue(rows[1].block.wasReadTogether && rows[4].block.wasReadTogether, "nothing is added to them")
        XCTAssertEqual(rows[1].block.string(row: 0, column: 1), large)
        XCTAssertEqual(rows[4].block.string(row: 0, column: 1), long)
    }

    func test_aRowThatDoesNotFitBeginsABlock() throws {
        let rows = try rows(["a", "b", String(repeating: "c", count: 500), "d"])

        XCTAssertEqual(runs(rows), [1, 1, 2])
        XCTAssertEqual(rows[2].block.string(row: 0, column: 1), String(repeating: "c", count: 500))
    }

    func test_aBlockBelongsToOneContext() throws {
        let contexts = [NSObject(), NSObject()], store = try StoreFile.openInMemory(options: options)
        let rows = try store.readNewest { connection in
            let statement = try connection.statement("SELECT 1, 'text'")
            return try (0..<8).map { number in
                defer { statement.reset() }
                return try XCTUnwrap(try statement.fetchRow(columnCount: 2, context: contexts[number % 2], rank: 1))
            }
        }

        for (number, row) in rows.enumerated() { XCTAssertTrue(row.block.context === contexts[number % 2]) }
    }

    /// Random rows of random generations, against the rows that were written, which are the model.
    /// They are checked at the end, when their blocks have been filled and their statement has been
    /// finalized.
    func test_randomRowsStayWhatTheyWere() throws {
        let seed = SeededGenerator.givenSeed ?? UInt64.random(in: 0..<1_000_000)
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        for round in 0..<50 {
            var written: [(integer: Int64, real: Double, text: String, bytes: [UInt8]?, rank: UInt64)] = []
            var read: [Row] = []
            let longest = [0, 5, 60, 300, 2000, 6000].randomElement(using: &random) ?? 0
            let store = try StoreFile.openInMemory(options: options)
            try store.readNewest { connection in
                let statement = try connection.statement("SELECT ?1, ?2, ?3, ?4")
                var rank: UInt64 = 1
                for _ in 0..<Int.random(in: 1...600, using: &random) {
                    if Int.random(in: 0..<40, using: &random) == 0 { rank = UInt64.random(in: 0...2, using: &random) }
                    let integer = Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0..<63, using: &random)
                    let real = Bool.random(using: &random) ? Double(integer) : Double.random(in: -1...1, using: &random)
                    let text = String(repeating: "ä", count: Int.random(in: 0...longest, using: &random) / 2)
                    let length = Int.random(in: 0...longest, using: &random)
                    let bytes = Bool.random(using: &random) ? nil : [UInt8](repeating: 7, count: length)
                    written.append((integer, real, text, bytes, rank))
                    defer { statement.reset() }
                    try statement.bind(1, integer)
                    try statement.bind(2, real)
                    try statement.bind(3, text)
                    if let bytes { try bytes.withUnsafeBytes { try statement.bind(4, blob: $0) } }
                    read.append(try XCTUnwrap(try statement.fetchRow(columnCount: 4, context: nil, rank: rank)))
                }
            }

            for (number, (block, row)) in read.enumerated() {
                let expected = written[number], message = "seed \(seed), round \(round), row \(number)"
                XCTAssertEqual(block.rank, expected.rank, message)
                XCTAssertEqual(block.int64(row: row, column: 0), expected.integer, message)
                XCTAssertEqual(block.double(row: row, column: 1), expected.real, message)
                XCTAssertEqual(block.string(row: row, column: 2), expected.text, message)
                XCTAssertEqual(block.type(row: row, column: 3), expected.bytes == nil ? .null : .blob, message)
                XCTAssertEqual(block.withBytes(row: row, column: 3) { Array($0) }, expected.bytes ?? [], message)
            }
        }
    }
}
