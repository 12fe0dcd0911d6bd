import XCTest

@testable import PinviewModel

/// The longest pattern is taken, one byte more is refused; texts of every length around the one from which memory is not kept match alike.
final class PatternLimitTests: XCTestCase {
    func test_FET_19_theLongestPattern() throws {
        let longest = String(repeating: "x", count: 20_000)
        XCTAssertTrue(try TextPattern(longest).matches(longest))
        XCTAssertTrue(try TextPattern("é" + longest.dropLast(2)).matches("é" + longest.dropLast(2)))
        for pattern in [longest + "x", "é" + longest.dropLast(1)] {
            XCTAssertThrowsError(try TextPattern(pattern)) {
                XCTAssertTrue(($0 as? PinviewError)?.message.contains("20000 bytes") ?? false, "\($0)")
            }
        }
    }

    func test_FET_18_textsOfEveryLength() throws {
        let pattern = try TextPattern("a*b")
        for length in [0, 1, 4094, 4095, 4096, 4097, 4098, 70_000] {
            let text = String(repeating: "a", count: length)
            for _ in 0..<2 {
                XCTAssertTrue(try pattern.matches(text + "b"), "\(length)")
                XCTAssertFalse(try pattern.matches(text + "c"), "\(length)")
            }
        }
    }

    func test_FET_19_nestedSets() {
        func pattern(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + "a" + String(repeating: "]", count: depth)
        }
        XCTAssertNoThrow(try TextPattern(pattern(50)))
        XCTAssertThrowsError(try TextPattern(pattern(51)))
    }
}
