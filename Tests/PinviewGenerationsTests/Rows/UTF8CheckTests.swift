import XCTest

@testable import PinviewGenerations

/// Bytes are accepted as UTF-8 exactly if the standard library accepts them.
final class UTF8CheckTests: XCTestCase {
    private func check(_ bytes: [UInt8], line: UInt = #line) {
        let isValid = String(validating: bytes, as: UTF8.self) != nil
        XCTAssertEqual(bytes.withUnsafeBytes { UTF8Check.isValid($0) }, isValid, "\(bytes)", line: line)
    }

    /// The check reads several bytes at a time, so each position in each length is tested.
    func test_oneByteAnywhere() {
        for count in 0...72 {
            var bytes = [UInt8](repeating: 0x61, count: count)
            check(bytes)
            for place in bytes.indices {
                for byte: UInt8 in [0x80, 0xe9, 0xff] {
                    bytes[place] = byte
                    check(bytes)
                }
                bytes[place] = 0x61
            }
        }
    }

    func test_sequencesAnywhere() {
        let sequences: [[UInt8]] = [
            [0xc3, 0xa9], [0xe2, 0x82, 0xac], [0xf0, 0x9f, 0x8e, 0x89], [0xc0, 0x80], [0xe0, 0x80, 0x80], [0xed, 0xa0, 0x80],
            [0xf4, 0x90, 0x80, 0x80], [0xf0, 0x9f, 0x8e],
        ]
        for sequence in sequences {
            for before in 0...40 {
                for after in [0, 1, 7, 8, 9] {
                    check([UInt8](repeating: 0x61, count: before) + sequence + [UInt8](repeating: 0x62, count: after))
                }
            }
        }
    }
}
