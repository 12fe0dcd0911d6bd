import RandomSupport
import XCTest

@testable import PinviewGenerations

final class PackedRowsTests: StoreFileTestCase {
    private func fetch(_ sql: String, limit: Int = .max) throws -> (rows: PackedRows, hasMore: Bool) {
        let store = try StoreFile.openInMemory(options: options)
        return try store.readNewest { connection in
            let statement = try connection.statement(sql)
            let rows = RowCollector(columnCount: statement.columnCount, reservingRows: 1)
            let hasMore = try statement.fetch(into: rows, limit: limit)
            return (rows.finish(), hasMore)
        }
    }

    private func block(_ sql: String) throws -> RowBlock { try XCTUnwrap(try fetch(sql).rows.blocks.first) }

    func test_everyTypeOfCell() throws {
        let rows = try block("SELECT 7, 2.5, 'text', x'00ff', NULL UNION ALL SELECT -1, 0.0, '', x'', 'ü'")

        XCTAssertEqual(rows.rowCount, 2)
        XCTAssertEqual((0..<5).map { rows.type(row: 0, column: $0) }, [.integer, .real, .text, .blob, .null])
        XCTAssertEqual(rows.int64(row: 0, column: 0), 7)
        XCTAssertEqual(rows.double(row: 0, column: 1), 2.5)
        XCTAssertEqual(rows.string(row: 0, column: 2), "text")
        XCTAssertEqual(rows.withBytes(row: 0, column: 3) { Array($0) }, [0, 255])
        XCTAssertEqual(rows.int64(row: 1, column: 0), -1)
        XCTAssertEqual(rows.string(row: 1, column: 2), "")
        XCTAssertEqual(rows.type(row: 1, column: 3), .blob)
        XCTAssertEqual(rows.string(row: 1, column: 4), "ü")
    }

    func test_conversionsAreThoseOfSQLiteAndNeverTrap() throws {
        let texts = ["12", " 12abc", "-3.9", "1e3", "1e", "abc", "", "9223372036854775808", "-1e300", ".5", "0x10", "+7"]
        for text in texts {
            let rows = try block("SELECT '\(text)', CAST('\(text)' AS INTEGER), CAST('\(text)' AS REAL)")
            XCTAssertEqual(rows.double(row: 0, column: 0), rows.double(row: 0, column: 2), text)
        }
        let rows = try block("SELECT 1e300, -1e300, 2.9, '12abc', 5, NULL")
        XCTAssertEqual((0..<6).map { rows.int64(row: 0, column: $0) }, [.max, .min, 2, 12, 5, 0])
        XCTAssertEqual(rows.double(row: 0, column: 4), 5)
        XCTAssertEqual(rows.int64(row: 9, column: 0), 0)
        XCTAssertEqual(rows.type(row: 0, column: 99), .null)
        XCTAssertEqual(rows.string(row: -1, column: 0), "")
    }

    func test_fetchingInPieces() throws {
        let store = try StoreFile.openInMemory(options: options)
        try store.readNewest { connection in
            let statement = try connection.statement("SELECT value FROM generate_series(1, 10)".replacingSeries())
            defer { statement.reset() }
            let rows = RowCollector(columnCount: 1, reservingRows: 4)
            XCTAssertTrue(try statement.fetch(into: rows, limit: 4))
            XCTAssertEqual(statement.int64(0), 4)
            XCTAssertTrue(try statement.fetch(into: rows, limit: 4))
            XCTAssertEqual(statement.int64(0), 8)
            XCTAssertFalse(try statement.fetch(into: rows, limit: 4))
            let block = try XCTUnwrap(rows.finish().blocks.first)
            XCTAssertEqual((0..<10).map { block.int64(row: $0, column: 0) }, Array(1...10))
        }
    }

    /// The collector of a small save serves the next one.
    func test_aCollectorServesAgainAfterItsRowsHaveBeenTaken() throws {
        let context = NSObject()
        let collector = RowCollector(columnCount: 2, reservingRows: 2, context: context)
        func append(_ number: Int64, _ text: String) {
            collector.append(number)
            collector.append(text: text)
        }
        append(1, "one")
        XCTAssertFalse(collector.isWorthKeeping, "a row has begun")
        let first = collector.takeRows()
        XCTAssertTrue(collector.isWorthKeeping)
        XCTAssertTrue(collector.serves(context, reservingRows: 2))
        XCTAssertFalse(collector.serves(context, reservingRows: 3))
        XCTAssertFalse(collector.serves(NSObject(), reservingRows: 1), "other columns")

        append(2, "two")
        append(3, "three")
        let second = collector.takeRows()

        func contents(_ rows: PackedRows) -> [String] {
            (0..<rows.rowCount).map { number in
                let (block, row) = rows.location(ofRow: number)
                return "\(block.int64(row: row, column: 0)) \(block.string(row: row, column: 1))"
            }
        }
        XCTAssertEqual(contents(first), ["1 one"])
        XCTAssertEqual(contents(second), ["2 two", "3 three"])
        XCTAssertEqual(collector.takeRows().rowCount, 0)
    }

    /// Long values are outside the collector, so one of them makes it no larger.
    func test_aCollectorOfManyRowsOrMuchTextIsNotKept() {
        for (rows, length) in [(9, 1), (300, 1), (1, 5000), (3, 3000)] {
            let collector = RowCollector(columnCount: 1, reservingRows: 1)
            for _ in 0..<rows { collector.append(text: String(repeating: "x", count: length)) }
            XCTAssertEqual(collector.takeRows().rowCount, rows)

            XCTAssertEqual(collector.isWorthKeeping, length == 5000, "\(rows) rows of \(length) bytes")
        }
    }

    /// A fetch in pieces returns pieces of exactly the requested length, whatever the length of a
    /// block.
    func test_piecesHaveTheRequestedLength() throws {
        let store = try StoreFile.openInMemory(options: options)
        try store.readNewest { connection in
            for limit in [1, 2, 7, 255, 256, 257, 599, 600] {
                let statement = try connection.statement("SELECT value FROM generate_series(1, 600)".replacingSeries())
                var lengths: [Int] = [], hasMore = true
                while hasMore {
                    let rows = RowCollector(columnCount: 1, reservingRows: 1)
                    hasMore = try statement.fetch(into: rows, limit: limit)
                    lengths.append(rows.finish().rowCount)
                }
                statement.reset()
                var expected = Array(repeating: limit, count: 600 / limit)
                expected.append(600 % limit)
                XCTAssertEqual(lengths, expected, "\(limit)")
            }
        }
    }

    /// Each row stays valid when the statement moves on and runs again, whether it shares a block or
    /// has one of its own.
    func test_rowsOneByOne() throws {
        for rank: UInt64 in [0, 7] { try checkRowsOneByOne(rank) }
    }

    private func checkRowsOneByOne(_ rank: UInt64) throws {
        let store = try StoreFile.openInMemory(options: options)
        let long = String(repeating: "long ", count: 9000), context = NSObject()
        let rows: [(block: RowBlock, row: Int)] = try store.readNewest { connection in
            let statement = try connection.statement("SELECT ?1, 'row ' || ?1, ?2, NULL WHERE ?1 > 0 UNION ALL SELECT -?1, 2.5, x'ff', ?2")
            var rows: [(block: RowBlock, row: Int)] = []
            for number in [Int64(1), 1 << 40, 3] {
                defer { statement.reset() }
                try statement.bind(1, number)
                try statement.bind(2, number == 3 ? "short" : long)
                while let row = try statement.fetchRow(columnCount: 4, context: context, rank: rank) { rows.append(row) }
            }
            return rows
        }
        XCTAssertEqual(rows.map { $0.block.int64(row: $0.row, column: 0) }, [1, -1, 1 << 40, -1 << 40, 3, -3])
        XCTAssertEqual(rows[2].block.string(row: rows[2].row, column: 1), "row 1099511627776")
        XCTAssertEqual(rows[2].block.string(row: rows[2].row, column: 2), long)
        XCTAssertEqual(rows[3].block.double(row: rows[3].row, column: 1), 2.5)
        XCTAssertEqual(rows[4].block.string(row: rows[4].row, column: 2), "short")
        XCTAssertEqual(rows[5].block.withBytes(row: rows[5].row, column: 2) { Array($0) }, [0xff])
        XCTAssertTrue(rows[5].block.context === context)
    }

    func test_cellsOfARowTogether() throws {
        let rows = try block("SELECT 7, 2.5, 'eight or more', 'für acht oder mehr', 'ü', '', x'ff', NULL")
        let cells = [RowCell](unsafeUninitializedCapacity: 9) { cells, count in
            [Int32(2), 0, 1, 3, 4, 5, 6, 7, -1].withUnsafeBufferPointer { columns in
                guard let start = cells.baseAddress else { return }
                rows.read(row: 0, columns: columns, into: start)
                count = columns.count
            }
        }
        withExtendedLifetime(rows) {
            XCTAssertEqual(cells.map(\.type), [.text, .integer, .real, .text, .text, .text, .blob, .null, .null])
            XCTAssertEqual(cells.map(\.isASCII), [true, false, false, false, false, true, false, false, false])
            XCTAssertEqual(String(decoding: cells[0].bytes, as: UTF8.self), "eight or more")
            XCTAssertEqual(cells[1].integer, 7)
            XCTAssertEqual(cells[2].real, 2.5)
            XCTAssertEqual(String(decoding: cells[3].bytes, as: UTF8.self), "für acht oder mehr")
            XCTAssertEqual(cells[5].byteCount, 0)
            XCTAssertEqual(Array(cells[6].bytes), [0xff])
        }
    }

    func test_rowsMadeByHand() throws {
        let collector = RowCollector(columnCount: 3, reservingRows: 1)
        for number in 0..<1000 {
            collector.append(Int64(number))
            collector.append(text: "row \(number)")
            if number.isMultiple(of: 2) { collector.appendNull() } else { collector.append(blob: [UInt8(number % 256)]) }
        }
        let rows = collector.finish()
        XCTAssertEqual(rows.rowCount, 1000)
        let (block, row) = rows.location(ofRow: 657)
        XCTAssertEqual(block.string(row: row, column: 1), "row 657")
        XCTAssertEqual(block.withBytes(row: row, column: 2) { Array($0) }, [145])
        XCTAssertEqual(block.type(row: row + 1, column: 2), .null)
        XCTAssertEqual(block.int64(row: row, column: 0), 657)
    }

    /// Numbers of every size, alone, with NULLs and among other types, in blocks of a few rows and
    /// of many.
    func test_everyWidthOfCode() throws {
        let seed = SeededGenerator.givenSeed ?? 1
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let spans: [Int64] = [0, 1, 200, 254, 255, 256, 60000, 65534, 65535, 65536, 1 << 30, (1 << 32) - 2, (1 << 32) - 1, 1 << 40, .max]
        for rowCount in [1, 3, 8, 9, 200, 256, 257, 700] {
            for span in spans {
                for hasNulls in [false, true] {
                    var written: [[StoredValue]] = []
                    let base = Int64(truncatingIfNeeded: random.next()) >> 2
                    for row in 0..<rowCount {
                        let distance: Int64 = row == 0 ? 0 : row == 1 ? span / 2 : Int64(random.below(Int(span / 2) + 1))
                        let number =
                            span == .max ? Int64(truncatingIfNeeded: random.next()) : base + distance * 2 + (row == 1 ? span % 2 : 0)
                        let whole = Double(distance % (1 << 50))
                        let isNull = hasNulls && row % 3 == 1
                        written.append([
                            isNull ? .null : .integer(number), isNull ? .null : .real(whole),
                            isNull ? .null : .real(row == 0 ? -0.0 : whole + 0.25),
                            row.isMultiple(of: 5) ? .text("t\(distance % 7)") : .integer(distance),
                            isNull ? .null : .text("text \(distance % 100)"), .null, .integer(base), .real(1e18 + whole * 4096),
                        ])
                    }
                    try check(written, "\(rowCount) rows, span \(span), NULLs: \(hasNulls)")
                }
            }
        }
    }

    private enum StoredValue: Equatable {
        case null, integer(Int64), real(Double), text(String), blob([UInt8])
    }

    private func check(_ written: [[StoredValue]], _ message: String) throws {
        let collector = RowCollector(columnCount: written[0].count, reservingRows: 1)
        for value in written.joined() {
            switch value {
            case .null: collector.appendNull()
            case .integer(let integer): collector.append(integer)
            case .real(let real): collector.append(real)
            case .text(let text): collector.append(text: text)
            case .blob(let bytes): collector.append(blob: bytes)
            }
        }
        let rows = collector.finish()
        XCTAssertEqual(rows.rowCount, written.count, message)
        for (index, values) in written.enumerated() {
            let (block, row) = rows.location(ofRow: index)
            for (column, value) in values.enumerated() {
                let read: StoredValue
                switch block.type(row: row, column: column) {
                case .integer: read = .integer(block.int64(row: row, column: column))
                case .real: read = .real(block.double(row: row, column: column))
                case .text: read = .text(block.string(row: row, column: column))
                case .blob: read = .blob(Array(block.bytes(row: row, column: column)))
                case .null: read = .null
                }
                guard read == value else { return XCTFail("\(message): row \(index), column \(column) is \(read), not \(value)") }
                if case .real(let real) = value {
                    XCTAssertEqual(block.double(row: row, column: column).sign, real.sign, message)
                }
            }
        }
    }

    func test_longTextAndBlobs() throws {
        var written: [[StoredValue]] = []
        for length in [0, 1, 63, 64, 65, 253, 254, 255, 4095, 4096, 4097, 70000] {
            written.append([
                .text(String(repeating: "x", count: length)), .blob([UInt8](repeating: 7, count: length)), .integer(Int64(length)),
            ])
        }
        try check(written, "few")
        try check(Array(repeating: written, count: 40).flatMap { $0 }, "many")
        let rows = try block("SELECT zeroblob(20000000), 'after'")
        XCTAssertEqual(rows.withBytes(row: 0, column: 0) { $0.count }, 20_000_000)
        XCTAssertEqual(rows.string(row: 0, column: 1), "after")
    }

    /// A row that stays alive must not keep much else alive.
    func test_blocksEndWhereTheyGrowLarge() throws {
        let rows = try fetch("SELECT value, zeroblob(300000) FROM generate_series(1, 40)".replacingSeries()).rows
        XCTAssertEqual(rows.rowCount, 40)
        XCTAssertGreaterThan(rows.blocks.count, 8)
        for block in rows.blocks { XCTAssertLessThan(block.byteCount, 2 << 20) }
        for index in 0..<40 {
            let (block, row) = rows.location(ofRow: index)
            XCTAssertEqual(block.int64(row: row, column: 0), Int64(index + 1))
        }
        let short = try fetch("SELECT value FROM generate_series(1, 1000)".replacingSeries()).rows
        XCTAssertEqual(short.blocks.map(\.rowCount), [256, 256, 256, 232])
    }

    func test_equalTextsAndSmallNumbersTakeLittleRoom() throws {
        let rows = try fetch(
            "SELECT value, 1, 2013, 'the same text in every row', value % 100, 12.0, NULL FROM generate_series(1, 256)".replacingSeries()
        ).rows
        XCTAssertLessThan(rows.blocks[0].byteCount, 1200)
    }

    func test_discardedRowsAreGoneAndARowThatIsBegunStays() throws {
        let rows = RowCollector(columnCount: 2, reservingRows: 4)
        for value in 0..<3 {
            rows.append(Int64(value))
            rows.append(text: "discarded \(value)")
            rows.discardStage()
        }
        XCTAssertEqual(rows.finish().rowCount, 0)

        let others = RowCollector(columnCount: 2, reservingRows: 4)
        others.append(1 as Int64)
        others.append(text: "one")
        others.append(2 as Int64)
        others.discardStage()
        others.append(text: "two")
        let block = try XCTUnwrap(others.finish().blocks.first)
        XCTAssertEqual(block.rowCount, 2)
        XCTAssertEqual((0..<2).map { block.int64(row: $0, column: 0) }, [1, 2])
        XCTAssertEqual((0..<2).map { block.string(row: $0, column: 1) }, ["one", "two"])
    }
}
