/// Arithmetic that rounds results of more than 38 digits, half to even as in IEEE 754. The
/// operators of `DecimalNumber` never round.
extension DecimalNumber {
    /// The sum, rounded to 38 digits; nil if it is out of range.
    package func adding(_ other: DecimalNumber) -> DecimalNumber? {
        if let exact = self + other { return exact }
        var sum = DecimalSum()
        sum.add(self)
        sum.add(other)
        return sum.total
    }

    /// The product, rounded to 38 digits; nil if it is out of range.
    package func multiplied(by other: DecimalNumber) -> DecimalNumber? {
        if let exact = self * other { return exact }
        let (left, right) = (mantissa.magnitude, other.mantissa.magnitude)
        let product = left.multipliedFullWidth(by: right)
        let isNegative = isNegative != other.isNegative
        // The product of n and m digits has n + m or n + m - 1 digits.
        var dropped = Self.digitCount(of: left) + Self.digitCount(of: right) - Self.maximumDigits
        guard dropped > 0 else {
            return Self.rounded(
                product.low, remainder: 0, of: 1, isNegative: isNegative, exponent: Int(exponent) + Int(other.exponent))
        }
        var divisor = Self.powers[dropped]
        var (quotient, remainder) = divisor.dividingFullWidth((product.high, product.low))
        if quotient < Self.powers[Self.maximumDigits - 1] {
            dropped -= 1
            divisor = Self.powers[dropped]
            (quotient, remainder) = divisor.dividingFullWidth((product.high, product.low))
        }
        return Self.rounded(
            quotient, remainder: remainder, of: divisor, isNegative: isNegative,
            exponent: Int(exponent) + Int(other.exponent) + dropped)
    }

    /// The quotient, rounded to 38 digits; nil for a division by zero or a result out of range.
    package func divided(by other: DecimalNumber) -> DecimalNumber? {
        if isNaN || other.isNaN { return .notANumber }
        guard !other.isZero else { return nil }
        let divisor = other.mantissa.magnitude
        var (quotient, remainder) = mantissa.magnitude.quotientAndRemainder(dividingBy: divisor)
        var exponent = Int(self.exponent) - Int(other.exponent)
        while remainder != 0, quotient < Self.powers[Self.maximumDigits - 1] {
            let scaled = remainder.multipliedFullWidth(by: 10)
            let (digit, rest) = divisor.dividingFullWidth((scaled.high, scaled.low))
            quotient = quotient * 10 + digit
            remainder = rest
            exponent -= 1
        }
        return Self.rounded(
            quotient, remainder: remainder, of: divisor, isNegative: isNegative != other.isNegative, exponent: exponent)
    }

    /// The remainder of an integer division, with the sign of the dividend; nil for a division by
    /// zero.
    package func remainder(dividingBy other: DecimalNumber) -> DecimalNumber? {
        if isNaN || other.isNaN { return .notANumber }
        guard !other.isZero else { return nil }
        let difference = Int(exponent) - Int(other.exponent)
        if difference >= 0 {
            let divisor = other.mantissa.magnitude
            var rest = mantissa.magnitude % divisor
            for _ in 0..<difference where rest != 0 {
                let scaled = rest.multipliedFullWidth(by: 10)
                rest = divisor.dividingFullWidth((scaled.high, scaled.low)).remainder
            }
            return DecimalNumber(isNegative: isNegative, magnitude: rest, exponent: Int(other.exponent))
        }
        // A divisor that does not fit at the dividend's exponent is greater than the dividend.
        guard let divisor = Self.scaled(other.mantissa.magnitude, byPowerOfTen: -difference) else { return self }
        return DecimalNumber(isNegative: isNegative, magnitude: mantissa.magnitude % divisor, exponent: Int(exponent))
    }

    package var magnitude: DecimalNumber { isNegative ? -self : self }

    /// The number rounded to a whole number, up or down; other rules truncate.
    package func rounded(_ rule: FloatingPointRoundingRule) -> DecimalNumber {
        guard !isNaN, exponent < 0 else { return self }
        let places = Int(-exponent)
        var whole: UInt128 = 0
        if places <= Self.maximumDigits { whole = mantissa.magnitude / Self.powers[places] }
        switch rule {
        case .down where isNegative, .up where !isNegative: whole += 1
        default: break
        }
        return DecimalNumber(isNegative: isNegative, magnitude: whole, exponent: 0) ?? self
    }

    /// 10^0 to 10^38.
    fileprivate static let powers: [UInt128] = {
        var powers: [UInt128] = [1]
        for _ in 0..<maximumDigits { powers.append(powers[powers.count - 1] * 10) }
        return powers
    }()

    /// Rounds and scales a result into range; nil if it is too large.
    /// - Parameters:
    /// - magnitude: at most 39 digits.
    /// - remainder: the part cut off after the last digit, as a fraction of `divisor`.
    private static func rounded(
        _ magnitude: UInt128, remainder: UInt128, of divisor: UInt128, isNegative: Bool, exponent: Int
    ) -> DecimalNumber? {
        var (magnitude, exponent) = (magnitude, exponent)
        var (half, isExact) = (remainder >= divisor - remainder ? (remainder == divisor - remainder ? 0 : 1) : -1, remainder == 0)
        // Drop digits beyond 38 and below the smallest exponent.
        while magnitude >= powers[maximumDigits] || exponent < exponentRange.lowerBound {
            let (quotient, digit) = magnitude.quotientAndRemainder(dividingBy: 10)
            half = digit == 5 ? (isExact ? 0 : 1) : digit > 5 ? 1 : -1
            isExact = isExact && digit == 0
            magnitude = quotient
            exponent += 1
        }
        if !isExact, half > 0 || (half == 0 && magnitude % 2 == 1) { magnitude += 1 }
        return DecimalNumber(isNegative: isNegative, magnitude: magnitude, exponent: exponent)
    }
}

/// An exact sum of decimals, however many there are and in whatever order they come.
package struct DecimalSum {
    private static let base: Int64 = 1_000_000_000
    private static let digitsOfLimb = 9
    /// The power of ten of the first limb. It is below the smallest exponent, so that averages have
    /// digits to round.
    private static let lowestExponent = -495
    private static let limbCount = 102

    /// Nine digits each, lowest first. Carries are deferred until `total` is read.
    private var limbs = [Int64](repeating: 0, count: limbCount)
    private var isNaN = false
    private var pendingAdditions = 0
    package private(set) var count: Int64 = 0

    package init() {}

    package mutating func add(_ number: DecimalNumber) {
        count += 1
        guard !number.isNaN else {
            isNaN = true
            return
        }
        var rest = number.mantissa.magnitude
        let shift = Int(number.exponent) - Self.lowestExponent
        var limb = shift / Self.digitsOfLimb
        let factor = Int64(DecimalNumber.powers[shift % Self.digitsOfLimb])
        let sign: Int64 = number.isNegative ? -1 : 1
        while rest != 0 {
            let part: Int64
            if let short = UInt64(exactly: rest) {
                part = Int64(short % UInt64(Self.base))
                rest = UInt128(short / UInt64(Self.base))
            } else {
                part = Int64(rest % UInt128(Self.base))
                rest /= UInt128(Self.base)
            }
            let product = part * factor
            limbs[limb] += sign * (product % Self.base)
            limbs[limb + 1] += sign * (product / Self.base)
            limb += 1
        }
        pendingAdditions += 1
        if pendingAdditions == 1 << 30 {
            carry()
            pendingAdditions = 0
        }
    }

    private mutating func carry() {
        for index in 0..<(Self.limbCount - 1) {
            var over = limbs[index] / Self.base
            limbs[index] %= Self.base
            if limbs[index] < 0 {
                limbs[index] += Self.base
                over -= 1
            }
            limbs[index + 1] += over
        }
    }

    /// The sum, rounded once to 38 digits; nil if it is out of range.
    package var total: DecimalNumber? { quotient(by: 1) }

    /// The average, rounded once to 38 digits; nil if no number was added.
    package var average: DecimalNumber? { count == 0 ? nil : quotient(by: count) }

    private func quotient(by divisor: Int64) -> DecimalNumber? {
        if isNaN { return .notANumber }
        var sum = self
        sum.carry()
        // A negative sum has only its highest limb below zero.
        let isNegative = (sum.limbs.last ?? 0) < 0
        if isNegative {
            for index in sum.limbs.indices { sum.limbs[index] = -sum.limbs[index] }
            sum.carry()
        }
        var remainder: UInt128 = 0
        for index in sum.limbs.indices.reversed() {
            let dividend = remainder * UInt128(Self.base) + UInt128(sum.limbs[index])
            let (quotient, rest) = dividend.quotientAndRemainder(dividingBy: UInt128(divisor))
            sum.limbs[index] = Int64(quotient)
            remainder = rest
        }
        return Self.rounded(sum.limbs, isExact: remainder == 0, isNegative: isNegative)
    }

    private static func rounded(_ limbs: [Int64], isExact: Bool, isNegative: Bool) -> DecimalNumber? {
        var magnitude: UInt128 = 0
        var digits = 0
        var exponent = 0
        // The part that is cut off: its first digit, and whether a nonzero digit follows.
        var firstDropped: Int64?
        var hasMore = !isExact
        for index in limbs.indices.reversed() where magnitude != 0 || limbs[index] != 0 || firstDropped != nil {
            var power = base / 10
            for place in (0..<digitsOfLimb).reversed() {
                let digit = limbs[index] / power % 10
                power /= 10
                let exponentOfDigit = lowestExponent + index * digitsOfLimb + place
                if digits < DecimalNumber.maximumDigits, exponentOfDigit >= DecimalNumber.exponentRange.lowerBound {
                    magnitude = magnitude * 10 + UInt128(digit)
                    if magnitude != 0 { digits += 1 }
                    exponent = exponentOfDigit
                } else if firstDropped == nil {
                    firstDropped = digit
                } else if digit != 0 {
                    hasMore = true
                }
            }
        }
        if let firstDropped, firstDropped > 5 || (firstDropped == 5 && (hasMore || magnitude % 2 == 1)) {
            magnitude += 1
            // Only a remainder below the smallest exponent is left.
            if digits == 0 { exponent = DecimalNumber.exponentRange.lowerBound }
        }
        return DecimalNumber(isNegative: isNegative, magnitude: magnitude, exponent: exponent)
    }
}
