import PinviewModel
import XCTest

@testable import PinviewStore

/// The table behind the row cache agrees with a dictionary.
final class RowTableTests: XCTestCase {
    private func check(_ keys: [Int64], line: UInt = #line) {
        var table = RowTable(), counts: [Int64: Int] = [:]
        defer { table.deallocate() }
        var state: UInt64 = 7
        for step in 0..<keys.count * 8 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let key = keys[Int(truncatingIfNeeded: state >> 33) % keys.count]
            // First it fills, then it empties.
            if state >> 32 & 7 < (step < keys.count * 4 ? 6 : 2) {
                table.register(key)
                counts[key, default: 0] += 1
            } else if let index = table.index(of: key) {
                var entry = table[index]
                if entry.count > 1 {
                    entry.addToCount(-1)
                    table[index] = entry
                } else {
                    table.remove(at: index)
                }
                counts[key] = counts[key].flatMap { $0 > 1 ? $0 - 1 : nil }
            }
        }
        XCTAssertEqual(table.count, counts.count, line: line)
        for key in keys { XCTAssertEqual(table.index(of: key).map { table[$0].count }, counts[key], line: line) }
        XCTAssertEqual(Array(table.indices).count, counts.count, line: line)
    }

    func test_keysInARow() { check((1...500).map { Int64($0) }) }
    func test_keysFarApart() { check((1...500).map { Int64($0) << 20 }) }
    func test_keysOfBothSigns() { check((1...500).map { Int64($0) &* ($0.isMultiple(of: 2) ? -8 : 1024) }) }

    /// Removed entries do not make the table grow, and never fill it, which would make a search
    /// endless.
    func test_keysThatComeAndGo() {
        var table = RowTable()
        defer { table.deallocate() }
        for key in 0..<Int64(10_000) {
            table.register(key &* 3)
            if key >= 10, let old = table.index(of: (key - 10) &* 3) { table.remove(at: old) }
            XCTAssertLessThanOrEqual(table.count, 10)
        }
        XCTAssertEqual(Set(table.indices.map { table[$0].key }), Set((9_990..<10_000).map { $0 * 3 }))
        XCTAssertNil(table.index(of: 0))
    }

    func test_aCountThatIsFullStays() {
        var table = RowTable()
        defer { table.deallocate() }
        let index = table.register(1)
        var entry = table[index]
        for _ in 0..<1 << 20 { entry.addToCount(1) }
        entry.addToCount(-1)
        XCTAssertEqual(entry.count, 1 << 20 - 1)
    }

    func test_aPlaceIsKeptBesideTheCount() {
        var table = RowTable()
        defer { table.deallocate() }
        let index = table.register(9)
        var entry = table[index]
        entry.location = RowTable.Location(block: RowTable.Location.blockLimit - 1, row: 65535)
        entry.addToCount(1)
        XCTAssertEqual(entry.location.block, RowTable.Location.blockLimit - 1)
        XCTAssertEqual(entry.location.row, 65535)
        XCTAssertEqual(entry.count, 2)
    }
}
