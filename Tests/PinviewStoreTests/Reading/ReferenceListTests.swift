import XCTest

@testable import PinviewStore

/// A list of references returns what was appended, whatever its internal form.
final class ReferenceListTests: XCTestCase {
    private func check(_ keys: [Int64], entities: [Int32] = [3], line: UInt = #line) {
        let references = keys.indices.map { Reference(entityIndex: entities[$0 % entities.count], primaryKey: keys[$0]) }
        var list = ReferenceList()
        for (count, reference) in references.enumerated() {
            XCTAssertEqual(list.count, count, line: line)
            list.append(reference)
        }
        XCTAssertEqual(Array(list), references, line: line)
        XCTAssertEqual(list.highestEntityIndex, references.map(\.entityIndex).max() ?? 0, line: line)
    }

    func test_nothing() { check([]) }
    func test_keysInARow() { check(Array(7...500)) }
    func test_keysInARowBeyondFourBytes() { check(Array(Int64(Int32.max) - 10...Int64(Int32.max) + 10)) }
    func test_keysInARowAtFirst() { check(Array(1...9) + [20, 3, 21]) }
    func test_largeKeysInARowAtFirst() { check(Array(Int64.max - 20...Int64.max - 10) + [20, 3, 21]) }
    func test_aLargeKeyAmongSmallOnes() { check([5, 2, 9, Int64.max, 1, Int64(Int32.max) + 1]) }
    func test_severalEntities() { check(Array(1...9) + [20, 3, 21], entities: [4, 4, 4, 2, 4, 9]) }
    func test_severalEntitiesFromTheStart() { check(Array(1...9), entities: [1, 2]) }
}
