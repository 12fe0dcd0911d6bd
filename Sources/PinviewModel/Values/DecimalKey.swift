/// An encoding of decimals as bytes that sort like the numbers, one sequence of bytes for each
/// number. SQL uses it for computed decimals, which no SQLite type holds without loss.
///
///     ┌───────┬──────────────────────┬─────────────────────────┬──────┐
///     │ class │ exponent of the      │ digits + 1, highest     │ end  │
///     │       │ first digit, 2 bytes │ first, at most 38       │ 0    │
///     └───────┴──────────────────────┴─────────────────────────┴──────┘
///
/// All bytes of a negative number after the class are inverted. Zero, NaN and the infinities
/// consist of the class alone.
package enum DecimalKey {
    private enum Class: UInt8 {
        case negativeInfinity, negative, zero, positive, infinity, notANumber
    }

    private static let bias = 0x4000

    package static func bytes(_ number: DecimalNumber) -> [UInt8] {
        if number.isNaN { return [Class.notANumber.rawValue] }
        if number.isZero { return [Class.zero.rawValue] }
        let inversion: UInt8 = number.isNegative ? 0xFF : 0
        var digits: [UInt8] = []
        var rest = number.mantissa.magnitude
        while rest != 0 {
            if let short = UInt64(exactly: rest) {
                digits.append(UInt8(short % 10))
                rest = UInt128(short / 10)
            } else {
                digits.append(UInt8(rest % 10))
                rest /= 10
            }
        }
        let exponent = UInt16(bias + Int(number.exponent) + digits.count)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count + 4)
        bytes.append((number.isNegative ? Class.negative : .positive).rawValue)
        bytes.append(UInt8(exponent >> 8) ^ inversion)
        bytes.append(UInt8(exponent & 0xFF) ^ inversion)
        for digit in digits.reversed() { bytes.append((digit + 1) ^ inversion) }
        bytes.append(inversion)
        return bytes
    }

    /// The encoding of a double among decimals: the decimal it stands for, or an infinity.
    package static func bytes(_ number: Double) -> [UInt8] {
        guard number.isInfinite else { return bytes(DecimalNumber(number)) }
        return [(number < 0 ? Class.negativeInfinity : .infinity).rawValue]
    }

    /// - Returns: nil if the bytes do not encode a decimal.
    package static func number(_ bytes: UnsafeRawBufferPointer) -> DecimalNumber? {
        guard let first = bytes.first, let kind = Class(rawValue: first) else { return nil }
        switch kind {
        case .notANumber: return bytes.count == 1 ? .notANumber : nil
        case .zero: return bytes.count == 1 ? .zero : nil
        case .negativeInfinity, .infinity: return nil
        case .negative, .positive:
            let count = bytes.count - 4
            guard count > 0, count <= DecimalNumber.maximumDigits else { return nil }
            let inversion: UInt8 = kind == .negative ? 0xFF : 0
            var magnitude: UInt128 = 0
            for byte in bytes[3..<(3 + count)] {
                let digit = Int(byte ^ inversion) - 1
                guard (0...9).contains(digit) else { return nil }
                magnitude = magnitude * 10 + UInt128(digit)
            }
            let exponent = Int(bytes[1] ^ inversion) << 8 | Int(bytes[2] ^ inversion)
            return DecimalNumber(isNegative: kind == .negative, magnitude: magnitude, exponent: exponent - bias - count)
        }
    }
}
