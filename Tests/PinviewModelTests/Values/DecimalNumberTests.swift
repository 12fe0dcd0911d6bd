import RandomSupport
import XCTest

@testable import PinviewModel

final class DecimalNumberTests: XCTestCase {
    private func number(_ text: String) throws -> DecimalNumber {
        try XCTUnwrap(DecimalNumber(text), text)
    }

    func test_oneTextForOneValue() throws {
        let texts = [
            ("1.00", "1"), ("-0", "0"), ("0.10", "0.1"), (".5", "0.5"), ("5.", "5"), ("1e3", "1000"), ("12345e-3", "12.345"), ("+7", "7"),
            ("0e99999999999999999999", "0"), ("NaN", "NaN"), ("-0.000123", "-0.000123"),
            ("100000000000000000000000000000000000000000", "1" + String(repeating: "0", count: 41)),
            ("99999999999999999999999999999999999999", "99999999999999999999999999999999999999"),
        ]
        for (given, expected) in texts { XCTAssertEqual(try number(given).description, expected, given) }
    }

    func test_textThatIsNotANumberOrDoesNotFitGivesNil() {
        let texts = [
            "", "-", ".", "1e", "1 ", " 1", "0x1", "1..2", "nan", "inf", "1e400", "1e-401", "1e99999999999999999999", "١",
            "999999999999999999999999999999999999999", "1.00000000000000000000000000000000000001", "1\u{0}",
        ]
        for text in texts { XCTAssertNil(DecimalNumber(text), text) }
    }

    func test_equalByValue() throws {
        XCTAssertEqual(try number("1.0"), try number("1.00"))
        XCTAssertEqual(try number("1.0").hashValue, try number("1.00").hashValue)
        XCTAssertEqual(DecimalNumber.notANumber, try number("NaN"))
        XCTAssertNotEqual(try number("0.1"), try number("0.10000000000000000000000000000000000001"))
    }

    func test_order() throws {
        let ascending = try [
            "-1e100", "-10", "-9.5", "-0.1", "0", "1e-400", "0.1", "0.11", "9", "10", "99999999999999999999999999999999999999", "1e38",
            "1e399", "NaN",
        ].map(number)

        for (position, left) in ascending.enumerated() {
            for (other, right) in ascending.enumerated() {
                XCTAssertEqual(left < right, position < other, "\(left) \(right)")
            }
        }
    }

    func test_doublesKeepTheirShortestText() throws {
        XCTAssertEqual(DecimalNumber(0.1).description, "0.1")
        XCTAssertEqual(DecimalNumber(Double.infinity), .notANumber)
        for double in [0.1, 1.0 / 3, .pi, .leastNonzeroMagnitude, .greatestFiniteMagnitude, -2.5e-10, 9_007_199_254_740_992, 1e23] {
            XCTAssertEqual(DecimalNumber(double).doubleValue, double)
        }
        XCTAssertTrue(DecimalNumber.notANumber.doubleValue.isNaN)
    }

    func test_integersComeBack() throws {
        for integer in [0, 1, -1, Int64.max, .min, 1_000_000_000_000_000_000] {
            XCTAssertEqual(DecimalNumber(integer).int64Value, integer)
        }
        XCTAssertNil(try number("9223372036854775808").int64Value)
        XCTAssertEqual(try number("-9223372036854775808").int64Value, .min)
        XCTAssertNil(try number("1e19").int64Value)
        XCTAssertNil(try number("0.5").int64Value)
        XCTAssertNil(DecimalNumber.notANumber.int64Value)
    }

    func test_arithmeticIsExactOrNil() throws {
        XCTAssertEqual(try number("0.1") + number("0.2"), try number("0.3"))
        XCTAssertEqual(try number("1") - number("1.25"), try number("-0.25"))
        XCTAssertEqual(try number("1.5") * number("-4"), -6)
        XCTAssertEqual(try number("99999999999999999999999999999999999999") + 1, try number("1e38"))
        XCTAssertNil(try number("1e38") + number("0.1"))
        XCTAssertNil(try number("12345678901234567891") * number("12345678901234567891"))
        XCTAssertNil(try number("1e399") * 10)
        XCTAssertNil(try number("1e-400") * number("0.1"))
        XCTAssertEqual(try number("1e399") + .notANumber, .notANumber)
        XCTAssertEqual(
            try number("17e37") - number("99999999999999999999999999999999999999"), try number("70000000000000000000000000000000000001"))
    }

    func test_productOfPowersOfTwoAndFiveFits() throws {
        let two = DecimalNumber(1 << 62)
        let five = DecimalNumber(7_450_580_596_923_828_125)  // 5^27

        let four = try XCTUnwrap(two * five)
        let product = try XCTUnwrap(four * five)

        XCTAssertEqual(product.description, "2" + "56" + String(repeating: "0", count: 54))
    }

    /// Sums and products agree with those of integers.
    func test_randomArithmeticAgreesWithIntegers() throws {
        var generator = SeededGenerator.announced(name)
        for _ in 0..<2000 {
            let left = Int64.random(in: -1_000_000_000...1_000_000_000, using: &generator)
            let right = Int64.random(in: -1_000_000_000...1_000_000_000, using: &generator)
            let shift = Int.random(in: -30...30, using: &generator)
            let scaledLeft = try XCTUnwrap(DecimalNumber(significand: left, exponent: shift))
            let scaledRight = try XCTUnwrap(DecimalNumber(significand: right, exponent: shift))

            XCTAssertEqual(scaledLeft + scaledRight, DecimalNumber(significand: left + right, exponent: shift), "seed \(generator.seed)")
            XCTAssertEqual(
                scaledLeft * scaledRight, DecimalNumber(significand: left * right, exponent: 2 * shift), "seed \(generator.seed)")
            XCTAssertEqual(scaledLeft < scaledRight, left < right, "seed \(generator.seed)")
            XCTAssertEqual(DecimalNumber(scaledLeft.description), scaledLeft, "seed \(generator.seed)")
        }
    }

    /// Rounding leaves every whole number as it is, however it is written, and takes every other
    /// one to a neighbour.
    func test_rounding() throws {
        for text in ["0", "1", "-1", "3", "-3", "10", "-10", "1e3", "-1e3", "99999999999999999999999999999999999999", "1e100", "-1e100"] {
            for rule in [FloatingPointRoundingRule.down, .up] { XCTAssertEqual(try number(text).rounded(rule), try number(text), text) }
        }
        for (text, down, up) in [("0.5", "0", "1"), ("-0.5", "-1", "0"), ("2.01", "2", "3"), ("-2.01", "-3", "-2"), ("1e-30", "0", "1")] {
            XCTAssertEqual(try number(text).rounded(.down), try number(down), text)
            XCTAssertEqual(try number(text).rounded(.up), try number(up), text)
        }
        XCTAssertTrue(DecimalNumber.notANumber.rounded(.down).isNaN)
    }

    /// An average exactly between two numbers of 38 digits is rounded to the even one, any other
    /// one to the nearest.
    func test_averagesBetweenTwoNumbers() throws {
        for quotient in [
            "12000000000000000000000000000000000000", "12000000000000000000000000000000000001", "39999999999999999999999999999999999998",
        ] {
            let whole = try XCTUnwrap(Int128(quotient))
            for (quarters, up) in [(0, false), (1, false), (2, whole % 2 == 1), (3, true)] {
                // Four numbers, each of 38 digits at most.
                var sum = DecimalSum()
                for index in 0..<4 {
                    sum.add(try number("\(whole + (index < quarters ? 1 : 0))"))
                }
                XCTAssertEqual(sum.average, try number("\(whole + (up ? 1 : 0))"), "\(quotient) and \(quarters) quarters")
                var negative = DecimalSum()
                for index in 0..<4 { negative.add(try number("-\(whole + (index < quarters ? 1 : 0))")) }
                XCTAssertEqual(negative.average, try number("-\(whole + (up ? 1 : 0))"), "-\(quotient) and \(quarters) quarters")
            }
        }
    }

    func test_theLargestIntegerThatIsNotAbove() throws {
        let cases: [(String, Int64?)] = [
            ("0", 0), ("7", 7), ("-7", -7), ("0.5", 0), ("1.999", 1), ("-0.5", -1), ("-1.5", -2), ("-1.0", -1), ("-9.999", -10),
            ("9223372036854775807.9", .max), ("-9223372036854775807.5", .min), ("-9223372036854775808.5", nil), ("1e19", nil),
            ("1e-300", 0), ("-1e-300", -1), ("NaN", nil),
        ]
        for (text, floor) in cases { XCTAssertEqual(try number(text).flooredInt64, floor, text) }
    }
}
