import XCTest

@testable import PinviewModel

/// The longest pattern is taken, one byte more is refused; texts of every length around the one
/// from which memory is not kept match alike.
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

    /// Escapes take as many digits as they may, no more and no fewer.
    func test_FET_19_digitsOfEscapes() throws {
        let taken = [
            (#"\07"#, "\u{7}"), (#"\00"#, "\0"), (#"\0377"#, "\u{FF}"), (#"\0400"#, "\u{20}0"), (#"\01011"#, "A1"), (#"\x4"#, "\u{4}"),
            (#"\x414"#, "A4"), (#"\x{41}4"#, "A4"), (#"\x{10FFFF}"#, "\u{10FFFF}"), (#"\u00410"#, "A0"), (#"\U000000410"#, "A0"),
        ]
        for (pattern, text) in taken { XCTAssertTrue(try TextPattern(pattern).matches(text), pattern) }
        for pattern in [#"\0"#, #"\08"#, #"\0a"#, #"\x"#, #"\xg"#, #"\x{}"#, #"\x{110000}"#, #"\u"#, #"\u004"#, #"\U0000004"#] {
            XCTAssertThrowsError(try TextPattern(pattern), pattern)
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
