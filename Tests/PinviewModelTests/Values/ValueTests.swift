import FoundationEssentials
import XCTest

@testable import PinviewModel

final class ValueTests: XCTestCase {
    func test_stringsAreEqualByTheirBytes() {
        let composed: Value = "caf\u{E9}"
        let decomposed: Value = "cafe\u{301}"

        XCTAssertNotEqual(composed, decomposed)
        XCTAssertEqual(Set([composed, decomposed]).count, 2)
        XCTAssertEqual(Value.string(String(repeating: "x", count: 40)), Value.string(String(repeating: "x", count: 40)))
        XCTAssertEqual("" as Value, "")
    }

    func test_valuesOfDifferentTypesAreNeverEqual() {
        let values: [Value] = [
            nil, false, 0, 0.0, "0", .binary([]), .date(Date(timeIntervalSinceReferenceDate: 0)), .decimal(0), .uuid(UUID()),
        ]

        XCTAssertEqual(Set(values).count, values.count)
    }

    func test_notANumberEqualsItself() {
        XCTAssertEqual(Value.double(.nan), .double(-.nan))
        XCTAssertEqual(Value.double(.nan).hashValue, Value.double(-.nan).hashValue)
        XCTAssertEqual(Value.double(0), .double(-0.0))
        XCTAssertEqual(Value.double(0).hashValue, Value.double(-0.0).hashValue)
    }

    func test_accessorsConvertNothing() {
        XCTAssertEqual((1 as Value).integerValue, 1)
        XCTAssertNil((1 as Value).doubleValue)
        XCTAssertTrue((nil as Value).isNull)
    }

    func test_swiftTypesConvert() {
        XCTAssertEqual(Int16(5).pinviewValue, 5)
        XCTAssertEqual(Float(0.5).pinviewValue, 0.5)
        XCTAssertEqual(([1, 2] as [UInt8]).pinviewValue, .binary([1, 2]))
        XCTAssertEqual((nil as String?).pinviewValue, nil)
        XCTAssertEqual(("a" as String?).pinviewValue, "a")
    }

    func test_descriptionIsSafeToPrint() {
        XCTAssertEqual(("a\"\n\u{1B}" as Value).description, "\"a\\\"\\n\\u{1b}\"")
        XCTAssertEqual(Value.string(String(repeating: "x", count: 100)).description.count, 83)
    }
}
