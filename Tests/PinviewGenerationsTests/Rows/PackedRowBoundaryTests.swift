import XCTest

@testable import PinviewGenerations

/// Packed rows at the limits of every encoding: the numbers around each power of two, with and
/// without NULLs, in blocks of few and of many rows. The rows that were written, in an array, are
/// the model.
final class PackedRowBoundaryTests: StoreFileTestCase {
    private enum Written: Equatable {
        case null, integer(Int64), real(Double), text(String), blob([UInt8])
    }

    /// 2^k − 1, 2^k and 2^k + 1 for every k, the same numbers negated, and the smallest and the
    /// largest number.
    private static let numbers: [Int64] = {
        var numbers: Set<Int64> = [0, .max, .min, .max - 1, .min + 1]
        for exponent in 0..<63 {
            for distance: Int64 in -1...1 {
                numbers.insert((1 << exponent) + distance)
                numbers.insert(-(1 << exponent) + distance)
            }
        }
        return numbers.sorted()
    }()

    private func pack(_ rows: [[Written]]) -> PackedRows {
        let collector = RowCollector(columnCount: rows[0].count, reservingRows: 1)
        for value in rows.joined() {
            switch value {
            case .null: collector.appendNull()
            case .integer(let integer): collector.append(integer)
            case .real(let real): collector.append(real)
            case .text(let text): collector.append(text: text)
            case .blob(let bytes): collector.append(blob: bytes)
            }
        }
        return collector.finish()
    }

    private func value(_ block: RowBlock, _ cell: RowBlock.Cell) -> Written {
        switch cell.type {
        case .integer: .integer(block.int64(cell))
        case .real: .real(block.double(cell))
        case .text: .text(block.string(cell))
        case .blob: .blob(Array(block.bytes(cell)))
        case .null: .null
        }
    }

    /// Compares every cell, read alone and together with the others of its column.
    private func check(_ rows: [[Written]], _ packed: PackedRows, _ message: String) {
        XCTAssertEqual(packed.rowCount, rows.count, message)
        for (index, row) in rows.enumerated() {
            let (block, place) = packed.location(ofRow: index)
            for (column, written) in row.enumerated() {
                let read = value(block, block.cell(row: place, column: column))
                guard read == written else {
                    return XCTFail("\(message): row \(index), column \(column) is \(read), not \(written)")
                }
            }
        }
        var first = 0
        for block in packed.blocks {
            // The last one is a row that does not exist.
            let wanted = (0...UInt16(block.rowCount)).map { $0 }
            for column in rows[0].indices {
                var types = [UInt8](repeating: 0, count: wanted.count), bits = [Int64](repeating: 0, count: wanted.count)
                wanted.withUnsafeBufferPointer { block.cells($0, column: column, types: &types, bits: &bits) }
                let read = wanted.indices.map {
                    value(block, RowBlock.Cell(type: CellType(rawValue: types[$0]) ?? .null, bits: bits[$0]))
                }
                let written = rows[first..<first + Int(block.rowCount)].map { $0[column] } + [.null]
                if read != written { return XCTFail("\(message): column \(column) together is \(read), not \(written)") }
            }
            first += Int(block.rowCount)
        }
    }

    /// A number in its three forms: an integer, a whole real, and a real that is not whole.
    private func cells(_ number: Int64) -> [Written] {
        [.integer(number), .real(Double(number)), .real(Double(number) + 0.5), .text(String(number)), .null]
    }

    func test_everyNumberInBlocksOfFewRows() {
        for rowCount in 1...9 {
            for start in stride(from: 0, to: Self.numbers.count, by: rowCount) {
                let rows = (0..<rowCount).map { cells(Self.numbers[(start + $0) % Self.numbers.count]) }
                check(rows, pack(rows), "\(rowCount) rows from \(Self.numbers[start])")
            }
        }
    }

    func test_everyNumberInARowReadAlone() throws {
        for rank: UInt64 in [0, 1] { try checkEveryNumberInARowReadAlone(rank) }
    }

    private func checkEveryNumberInARowReadAlone(_ rank: UInt64) throws {
        let store = try StoreFile.openInMemory(options: options)
        try store.readNewest { connection in
            let statement = try connection.statement("SELECT ?1, ?2, NULL")
            for number in Self.numbers {
                defer { statement.reset() }
                try statement.bind(1, number)
                try statement.bind(2, Double(number))
                let (block, row) = try XCTUnwrap(try statement.fetchRow(columnCount: 3, context: nil, rank: rank))
                XCTAssertEqual(block.int64(row: row, column: 0), number)
                XCTAssertEqual(block.double(row: row, column: 1), Double(number), "\(number)")
                XCTAssertEqual((0..<3).map { block.type(row: row, column: $0) }, [.integer, .real, .null], "\(number)")
            }
        }
    }

    /// A column whose smallest and largest numbers have an exact distance, from any base, takes the
    /// narrowest encoding that holds the distance, or the next one if NULL needs a code.
    func test_everyRangeOfAColumn() {
        let ranges = (0..<64).flatMap { exponent in [-1, 0, 1].map { (UInt64(1) << exponent) &+ UInt64(bitPattern: $0) } } + [.max]
        for range in Set(ranges).sorted() {
            for base in [0, -1, 1, -128, 1 << 28, 1 << 53, Int64.min, Int64.max] {
                let highest = base.addingReportingOverflow(Int64(bitPattern: range))
                guard range <= UInt64(Int64.max) ? !highest.overflow : base == .min else { continue }
                for hasNulls in [false, true] {
                    let middle = base &+ Int64(bitPattern: range / 2)
                    var column: [Written] = [.integer(base), .integer(highest.partialValue), .integer(middle)]
                    column += Array(repeating: .integer(highest.partialValue), count: 7)
                    if hasNulls { column.insert(.null, at: 1) }
                    let rows = column.map { [$0] }, packed = pack(rows), message = "range \(range) from \(base), NULLs: \(hasNulls)"
                    check(rows, packed, message)
                    let spare: UInt64 = hasNulls ? 1 : 0
                    let width: UInt8 =
                        range == 0 && !hasNulls
                        ? 0
                        : range <= 0xff - spare
                            ? 1
                            : range <= 0xffff - spare
                                ? 2
                                : range <= 0xffff_ffff - spare ? 4 : 8
                    XCTAssertEqual(packed.blocks[0].columnDescription(0)?.width, width, message)
                }
            }
        }
    }

    /// Whole reals are encoded as integers, as long as the integer is exact and the real is not
    /// negative zero.
    func test_everyRangeOfAColumnOfReals() {
        let ends = (0..<64).flatMap { exponent in [-1.0, 0, 1].map { Double(sign: .plus, exponent: exponent, significand: 1) + $0 } }
        for end in ends + [.greatestFiniteMagnitude, .infinity, .leastNonzeroMagnitude] {
            for other in [0, -0.0, -end, 0.5, 1] {
                for hasNulls in [false, true] {
                    var column: [Written] = (0..<10).map { .real($0.isMultiple(of: 2) ? end : other) }
                    if hasNulls { column[3] = .null }
                    let rows = column.map { [$0] }, packed = pack(rows)
                    check(rows, packed, "\(end) and \(other), NULLs: \(hasNulls)")
                    XCTAssertEqual(packed.blocks[0].double(row: 1, column: 0).sign, other.sign, "\(other)")
                }
            }
        }
    }

    /// Texts and blobs at the limits of the encodings of their lengths.
    func test_everyLength() {
        let lengths = Set((0..<17).flatMap { exponent in [-1, 0, 1].map { (1 << exponent) + $0 } } + [253, 254]).sorted()
        for rowCount in [1, 8, 9] {
            for length in lengths {
                let rows: [[Written]] = (0..<rowCount).map { row in
                    [
                        .text(String(repeating: "x", count: length)), .blob([UInt8](repeating: UInt8(row), count: length)),
                        .text(String(repeating: "\(row)", count: length)), .integer(1 << 28),
                    ]
                }
                check(rows, pack(rows), "\(rowCount) rows, length \(length)")
            }
        }
    }

    /// Blocks end at 256 rows whatever the rows hold, and texts that recur in the next block are
    /// found there.
    func test_everyCountOfRowsAroundAFullBlock() {
        for rowCount in [255, 256, 257, 511, 512, 513] {
            let rows: [[Written]] = (0..<rowCount).map { row in
                [.integer(Int64(row)), .text("text \(row % 5)"), row.isMultiple(of: 256) ? .null : .real(Double(row) / 2)]
            }
            let packed = pack(rows)
            check(rows, packed, "\(rowCount) rows")
            XCTAssertEqual(packed.blocks.map { Int($0.rowCount) }.max(), min(rowCount, 256))
            XCTAssertEqual(packed.blocks.count, (rowCount + 255) / 256)
        }
    }

    /// Texts that differ in one byte, of every length that is looked up among the recent ones, are
    /// never confused.
    func test_textsThatDifferInOneByteStayApart() {
        for length in [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 63, 64, 65] {
            var rows: [[Written]] = []
            for place in 0..<length {
                var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: length)
                bytes[place] = UInt8(ascii: "b")
                rows.append([.text(String(decoding: bytes, as: UTF8.self))])
                rows.append([.text(String(repeating: "a", count: length))])
            }
            rows += rows
            while rows.count < 20 { rows += rows }
            check(rows, pack(rows), "length \(length)")
        }
    }
}
