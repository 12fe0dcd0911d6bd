extension DecimalNumber: LosslessStringConvertible {
    /// Parses a number such as `-12.50`, `.5`, `1e6` or `NaN`.
    /// - Returns: nil for other text, more than 38 significant digits, or a number out of range.
    public init?(_ text: String) {
        var scanner = Scanner(bytes: Array(text.utf8))
        guard let number = scanner.scan() else { return nil }
        self = number
    }

    /// The digits without an exponent, one text for each value: `1.00` gives `1`, `5e-2` gives
    /// `0.05`.
    public var description: String {
        if isNaN { return "NaN" }
        var digits = String(mantissa.magnitude)
        if exponent > 0 {
            digits += String(repeating: "0", count: Int(exponent))
        } else if exponent < 0 {
            let fractionDigits = Int(-exponent)
            if digits.utf8.count <= fractionDigits {
                digits = String(repeating: "0", count: fractionDigits - digits.utf8.count + 1) + digits
            }
            let point = digits.utf8.index(digits.utf8.endIndex, offsetBy: -fractionDigits)
            digits = digits[..<point] + "." + digits[point...]
        }
        return isNegative ? "-" + digits : digits
    }

    private struct Scanner {
        let bytes: [UInt8]
        var position = 0
        var magnitude: UInt128 = 0
        var significantDigits = 0
        /// Zeros not yet multiplied in: trailing ones do not count as significant digits.
        var pendingZeros = 0
        var sawDigit = false

        init(bytes: [UInt8]) {
            self.bytes = bytes
        }

        mutating func scan() -> DecimalNumber? {
            if bytes.elementsEqual("NaN".utf8) { return .notANumber }
            let isNegative = scanSign()
            guard scanDigits() != nil else { return nil }
            var exponent = 0
            if peek() == UInt8(ascii: ".") {
                position += 1
                guard let fractionDigits = scanDigits() else { return nil }
                exponent = -fractionDigits
            }
            guard sawDigit else { return nil }
            if peek() == UInt8(ascii: "e") || peek() == UInt8(ascii: "E") {
                position += 1
                guard let written = scanExponent() else { return nil }
                exponent += written
            }
            guard position == bytes.count else { return nil }
            return DecimalNumber(isNegative: isNegative, magnitude: magnitude, exponent: exponent + pendingZeros)
        }

        private func peek() -> UInt8? {
            position < bytes.count ? bytes[position] : nil
        }

        private mutating func scanSign() -> Bool {
            let sign = peek()
            if sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { position += 1 }
            return sign == UInt8(ascii: "-")
        }

        private mutating func scanDigit() -> UInt8? {
            guard let byte = peek(), byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            position += 1
            return byte - UInt8(ascii: "0")
        }

        /// Reads digits into the magnitude.
        /// - Returns: the number of digits; nil if they do not fit.
        private mutating func scanDigits() -> Int? {
            var count = 0
            while let digit = scanDigit() {
                count += 1
                sawDigit = true
                if digit == 0 {
                    if magnitude != 0 { pendingZeros += 1 }
                    continue
                }
                let added = magnitude == 0 ? 1 : pendingZeros + 1
                significantDigits += added
                guard significantDigits <= DecimalNumber.maximumDigits,
                    let shifted = DecimalNumber.scaled(magnitude, byPowerOfTen: added)
                else { return nil }
                magnitude = shifted + UInt128(digit)
                pendingZeros = 0
            }
            return count
        }

        /// Capped far out of range, so that no text can overflow it.
        private mutating func scanExponent() -> Int? {
            let isNegative = scanSign()
            guard let first = scanDigit() else { return nil }
            var exponent = Int(first)
            while let digit = scanDigit() {
                exponent = min(exponent * 10 + Int(digit), 1_000_000_000)
            }
            return isNegative ? -exponent : exponent
        }
    }
}

extension DecimalNumber: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int64) {
        self.init(value)
    }
}
