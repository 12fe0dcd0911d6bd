import XCTest

@testable import PinviewModel

/// Binary property lists byte by byte.
final class BinaryPropertyListTests: XCTestCase {
    /// A list with one object.
    private func list(_ object: [UInt8]) -> [UInt8] {
        var bytes = Array("bplist00".utf8) + object
        let table = UInt8(bytes.count)
        bytes += [8]
        bytes += [0, 0, 0, 0, 0, 0, 1, 1]
        bytes += [0, 0, 0, 0, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 8) + [0, 0, 0, 0, 0, 0, 0, table]
        return bytes
    }

    func test_numbersOfObjectsHaveUpToEightBytes() throws {
        XCTAssertEqual(try PropertyListValue(binary: list([0x80, 5])), .uid(5))
        XCTAssertEqual(try PropertyListValue(binary: list([0x81, 1, 5])), .uid(261))
        XCTAssertEqual(try PropertyListValue(binary: list([0x87, 0, 0, 0, 0, 0, 0, 0, 7])), .uid(7))
        for marker in UInt8(0x88)...0x8F {
            let bytes = list([marker] + [UInt8](repeating: 0, count: 17))
            XCTAssertThrowsError(try PropertyListValue(binary: bytes), "\(marker)") { XCTAssertTrue($0 is PropertyListError) }
        }
    }

    func test_markersThatMeanNothingAreErrors() {
        for marker in [UInt8](0x01...0x07) + [0x0A, 0x0F, 0x70, 0x90, 0xB0, 0xE0, 0xF0] {
            let bytes = list([marker] + [UInt8](repeating: 0, count: 17))
            XCTAssertThrowsError(try PropertyListValue(binary: bytes), "\(marker)") { XCTAssertTrue($0 is PropertyListError) }
        }
    }
}
