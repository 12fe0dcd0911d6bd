/// A decimal number of up to 38 significant digits, or NaN: the value of a decimal attribute.
///
/// The value is `mantissa × 10^exponent`, kept in lowest terms, so that 1.0 and 1.00 are equal and
/// have the same hash. Magnitudes range from 10^-400 to below 10^400, which includes every finite
/// `Double`. Nothing is rounded unless asked for: a result that does not fit is nil.
public struct DecimalNumber: Hashable, Sendable {
    /// The mantissa in two words. A stored `Int128` would have to be aligned to 16 bytes, which the
    /// compiler (6.3) forgets for an optional parameter in an unoptimised build: it crashes.
    private let high: Int64
    private let low: UInt64
    package let exponent: Int16

    static let maximumDigits = 38
    static let exponentRange = -400...400
    /// Outside `exponentRange`, so that a comparison of members is correct for NaN too.
    private static let exponentOfNaN = Int16.max

    /// The number 0.
    public static let zero = DecimalNumber(canonicalMantissa: 0, exponent: 0)
    /// Not a number. Equal to itself and greater than every number, because the text "NaN" sorts
    /// after all numbers in SQLite.
    public static let notANumber = DecimalNumber(canonicalMantissa: 0, exponent: exponentOfNaN)

    /// Has no trailing zeros and is below 10^38 in magnitude; 0 for NaN.
    package var mantissa: Int128 { Int128(high) << 64 | Int128(low) }

    private init(canonicalMantissa: Int128, exponent: Int16) {
        high = Int64(truncatingIfNeeded: canonicalMantissa >> 64)
        low = UInt64(truncatingIfNeeded: canonicalMantissa)
        self.exponent = exponent
    }

    /// Reduces a number to lowest terms; nil if it has more than 38 digits or is out of range.
    init?(isNegative: Bool, magnitude: UInt128, exponent: Int) {
        var magnitude = magnitude
        var exponent = exponent
        guard magnitude != 0 else {
            self = .zero
            return
        }
        while true {
            let (quotient, remainder) = magnitude.quotientAndRemainder(dividingBy: 10)
            guard remainder == 0 else { break }
            magnitude = quotient
            exponent += 1
        }
        let digits = Self.digitCount(of: magnitude)
        guard digits <= Self.maximumDigits, exponent >= Self.exponentRange.lowerBound,
            exponent + digits <= Self.exponentRange.upperBound
        else { return nil }
        let mantissa = Int128(magnitude)
        self.init(canonicalMantissa: isNegative ? -mantissa : mantissa, exponent: Int16(exponent))
    }

    /// Creates the number `significand × 10^exponent`.
    /// - Returns: nil if it is out of range.
    public init?(significand: Int64, exponent: Int) {
        guard significand == 0 || (-1000...1000).contains(exponent) else { return nil }
        self.init(isNegative: significand < 0, magnitude: UInt128(significand.magnitude), exponent: exponent)
    }

    /// Creates a number from the upper and lower halves of a signed 128-bit integer, times a power
    /// of ten.
    /// - Returns: nil if it has more than 38 digits or is out of range.
    package init?(high: Int64, low: UInt64, exponent: Int) {
        let whole = Int128(high) << 64 | Int128(low)
        self.init(isNegative: whole < 0, magnitude: whole.magnitude, exponent: exponent)
    }

    /// Creates a whole number.
    public init(_ value: Int64) {
        // At most 19 digits: always in range.
        self = DecimalNumber(isNegative: value < 0, magnitude: UInt128(value.magnitude), exponent: 0) ?? .zero
    }

    /// The decimal that a double stands for: whole numbers below 2^63 exactly, others by the
    /// shortest text that reads back as the double (0.1 gives 0.1). NaN and the infinities give
    /// NaN. The order of the doubles is kept.
    public init(_ value: Double) {
        if let whole = Int64(exactly: value) {
            self.init(whole)
            return
        }
        self = value.isFinite ? DecimalNumber(value.description) ?? .notANumber : .notANumber
    }

    /// Whether this is not a number.
    public var isNaN: Bool { exponent == Self.exponentOfNaN }
    /// Whether the number is below zero.
    public var isNegative: Bool { mantissa < 0 }
    /// Whether the number is 0.
    public var isZero: Bool { mantissa == 0 && !isNaN }

    /// The nearest double; NaN for NaN.
    public var doubleValue: Double {
        if isNaN { return .nan }
        if exponent == 0, mantissa.magnitude <= 1 << 53 { return Double(mantissa) }
        // The C library rounds decimal text correctly; a product of two rounded factors would not
        // be exact.
        return Double("\(mantissa)e\(exponent)") ?? .nan
    }

    /// The number as an integer; nil if it has a fraction, does not fit, or is NaN.
    public var int64Value: Int64? {
        guard !isNaN, exponent >= 0, exponent < 19, let scaled = Self.scaled(mantissa.magnitude, byPowerOfTen: Int(exponent))
        else { return nil }
        guard scaled <= UInt128(Int64.max) + 1 else { return nil }
        return Int64(exactly: mantissa < 0 ? -Int128(scaled) : Int128(scaled))
    }

    /// The largest integer that is not above the number; nil if it does not fit or the number is
    /// NaN.
    package var flooredInt64: Int64? {
        guard !isNaN, exponent < 0 else { return int64Value }
        guard let divisor = Self.scaled(1, byPowerOfTen: -Int(exponent)) else { return mantissa < 0 ? -1 : 0 }
        // A divisor beyond the range of Int128 is greater than every mantissa.
        guard let signed = Int128(exactly: divisor) else { return mantissa < 0 ? -1 : 0 }
        let (quotient, remainder) = mantissa.quotientAndRemainder(dividingBy: signed)
        return Int64(exactly: remainder < 0 ? quotient - 1 : quotient)
    }

    static func digitCount(of magnitude: UInt128) -> Int {
        var count = 1
        var limit: UInt128 = 10
        while magnitude >= limit {
            count += 1
            let (next, overflow) = limit.multipliedReportingOverflow(by: 10)
            if overflow { break }
            limit = next
        }
        return count
    }

    /// `magnitude × 10^power`, nil if it does not fit.
    static func scaled(_ magnitude: UInt128, byPowerOfTen power: Int) -> UInt128? {
        guard power <= maximumDigits else { return nil }
        var result = magnitude
        for _ in 0..<power {
            let (next, overflow) = result.multipliedReportingOverflow(by: 10)
            if overflow { return nil }
            result = next
        }
        return result
    }
}

extension DecimalNumber: Comparable {
    public static func < (left: DecimalNumber, right: DecimalNumber) -> Bool {
        if left.isNaN || right.isNaN { return !left.isNaN && right.isNaN }
        let leftSign = left.mantissa.signum()
        let rightSign = right.mantissa.signum()
        if leftSign != rightSign { return leftSign < rightSign }
        if leftSign == 0 { return false }
        let order = compareMagnitudes(left, right)
        return leftSign > 0 ? order < 0 : order > 0
    }

    /// Negative, zero or positive if the magnitude of `left` is below, equal to or above that of
    /// `right`. Neither number may be zero or NaN.
    private static func compareMagnitudes(_ left: DecimalNumber, _ right: DecimalNumber) -> Int {
        let leftOrder = digitCount(of: left.mantissa.magnitude) + Int(left.exponent)
        let rightOrder = digitCount(of: right.mantissa.magnitude) + Int(right.exponent)
        if leftOrder != rightOrder { return leftOrder - rightOrder }
        // Both are between the same powers of ten: scaling the one with fewer digits gives it as
        // many digits as the other, so it fits.
        let common = min(left.exponent, right.exponent)
        guard let scaledLeft = scaled(left.mantissa.magnitude, byPowerOfTen: Int(left.exponent - common)),
            let scaledRight = scaled(right.mantissa.magnitude, byPowerOfTen: Int(right.exponent - common))
        else { return 0 }
        return scaledLeft == scaledRight ? 0 : (scaledLeft < scaledRight ? -1 : 1)
    }
}

extension DecimalNumber {
    /// The number with the opposite sign. NaN stays NaN.
    public static prefix func - (number: DecimalNumber) -> DecimalNumber {
        DecimalNumber(canonicalMantissa: -number.mantissa, exponent: number.exponent)
    }

    /// The exact sum; nil if it needs more than 38 digits. As with the other operators, NaN if
    /// either operand is NaN.
    public static func + (left: DecimalNumber, right: DecimalNumber) -> DecimalNumber? {
        if left.isNaN || right.isNaN { return .notANumber }
        if left.isZero { return right }
        if right.isZero { return left }
        let common = min(left.exponent, right.exponent)
        guard let leftMagnitude = scaled(left.mantissa.magnitude, byPowerOfTen: Int(left.exponent - common)),
            let rightMagnitude = scaled(right.mantissa.magnitude, byPowerOfTen: Int(right.exponent - common))
        else { return nil }
        if left.isNegative == right.isNegative {
            let (sum, overflow) = leftMagnitude.addingReportingOverflow(rightMagnitude)
            return overflow ? nil : DecimalNumber(isNegative: left.isNegative, magnitude: sum, exponent: Int(common))
        }
        let leftIsLarger = leftMagnitude >= rightMagnitude
        return DecimalNumber(
            isNegative: leftIsLarger ? left.isNegative : right.isNegative,
            magnitude: leftIsLarger ? leftMagnitude - rightMagnitude : rightMagnitude - leftMagnitude,
            exponent: Int(common))
    }

    /// The exact difference; nil if it needs more than 38 digits.
    public static func - (left: DecimalNumber, right: DecimalNumber) -> DecimalNumber? {
        left + -right
    }

    /// The exact product; nil if it needs more than 38 digits or is out of range.
    public static func * (left: DecimalNumber, right: DecimalNumber) -> DecimalNumber? {
        if left.isNaN || right.isNaN { return .notANumber }
        var first = left.mantissa.magnitude
        var second = right.mantissa.magnitude
        var exponent = Int(left.exponent) + Int(right.exponent)
        if first.multipliedReportingOverflow(by: second).overflow {
            // Remove factors of ten first: 2^n × 5^n has 2n digits fewer than its factors suggest.
            exponent += removeTens(&first, &second)
            exponent += removeTens(&second, &first)
        }
        let (product, overflow) = first.multipliedReportingOverflow(by: second)
        guard !overflow else { return nil }
        return DecimalNumber(isNegative: left.isNegative != right.isNegative, magnitude: product, exponent: exponent)
    }

    private static func removeTens(_ even: inout UInt128, _ fives: inout UInt128) -> Int {
        var count = 0
        while even % 2 == 0, fives % 5 == 0, even != 0, fives != 0 {
            even /= 2
            fives /= 5
            count += 1
        }
        return count
    }
}
