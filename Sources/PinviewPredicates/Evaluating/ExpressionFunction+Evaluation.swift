import FoundationEssentials
import Glibc
import PinviewModel

extension Value {
    /// The value in a form that functions compute with: null, an integer, a double (for dates,
    /// their seconds), a decimal or a string.
    package var computable: Value {
        switch self {
        case .integer, .string, .null: self
        case .boolean(let flag): .integer(flag ? 1 : 0)
        case .double(let number): number.isNaN ? .null : self
        case .decimal(let decimal): decimal.isNaN ? .null : self
        case .date(let date): Value.double(date.timeIntervalSinceReferenceDate).computable
        case .uuid, .binary, .objectID: .null
        }
    }

    fileprivate var number: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .double(let double): double
        case .decimal(let decimal): decimal.doubleValue
        default: nil
        }
    }

    /// A decimal, or an integer, which every decimal can hold.
    fileprivate var decimalNumber: DecimalNumber? {
        switch self {
        case .integer(let integer): DecimalNumber(integer)
        case .decimal(let decimal): decimal
        default: nil
        }
    }

    fileprivate var isDecimal: Bool {
        if case .decimal = self { return true }
        return false
    }

    fileprivate var isDouble: Bool {
        if case .double = self { return true }
        return false
    }

    /// A double; null for NaN.
    fileprivate init(finite number: Double) { self = number.isNaN ? .null : .double(number) }

    fileprivate init(decimal number: DecimalNumber?) {
        if let number { self = .decimal(number) } else { self = .null }
    }
}

/// One implementation for evaluation in memory and, registered as SQL functions, in stores, so that
/// both always agree.
extension ExpressionFunction {
    /// - Parameter arguments: converted by `Value.computable`.
    package func evaluate(_ arguments: [Value]) -> Value {
        guard arguments.count == argumentCount, !arguments.contains(where: \.isNull) else { return .null }
        switch argumentCount {
        case 1: return evaluate(arguments[0])
        case 2: return evaluate(arguments[0], arguments[1])
        default: return .null
        }
    }

    private func evaluate(_ value: Value) -> Value {
        if case .string(let text) = value {
            switch self {
            case .uppercase: return .string(text.uppercased())
            case .lowercase: return .string(text.lowercased())
            case .canonical: return .string(StringMatching.folded(text, [.caseInsensitive, .diacriticInsensitive]))
            case .length: return .integer(Int64(text.unicodeScalars.count))
            default: return .null
            }
        }
        if case .integer(let integer) = value {
            switch self {
            case .negate: return integer == .min ? .double(0x1p63) : .integer(-integer)
            case .absolute: return integer == .min ? .double(0x1p63) : .integer(abs(integer))
            case .floor, .ceiling, .truncate: return value
            case .onesComplement: return .integer(~integer)
            default: break
            }
        }
        if case .decimal(let decimal) = value {
            switch self {
            case .negate: return .decimal(-decimal)
            case .absolute: return .decimal(decimal.magnitude)
            case .floor: return .decimal(decimal.rounded(.down))
            case .ceiling: return .decimal(decimal.rounded(.up))
            case .truncate: return .decimal(decimal.rounded(.towardZero))
            default: break
            }
        }
        guard let number = value.number else { return .null }
        switch self {
        case .negate: return Value(finite: -number + 0.0)
        case .absolute: return Value(finite: abs(number))
        case .floor: return Value(finite: number.rounded(.down) + 0.0)
        case .ceiling: return Value(finite: number.rounded(.up) + 0.0)
        case .truncate: return Value(finite: number.rounded(.towardZero) + 0.0)
        case .squareRoot: return Value(finite: number.squareRoot())
        case .logarithm: return number > 0 ? Value(finite: log10(number)) : .null
        case .naturalLogarithm: return number > 0 ? Value(finite: log(number)) : .null
        case .exponential: return Value(finite: exp(number))
        default: return .null
        }
    }

    private func evaluate(_ left: Value, _ right: Value) -> Value {
        if case .integer(let left) = left, case .integer(let right) = right {
            let (result, overflow): (Int64, Bool)
            switch self {
            case .add: (result, overflow) = left.addingReportingOverflow(right)
            case .subtract: (result, overflow) = left.subtractingReportingOverflow(right)
            case .multiply: (result, overflow) = left.multipliedReportingOverflow(by: right)
            case .divide:
                if right == 0 { return .null }
                (result, overflow) = left.dividedReportingOverflow(by: right)
            case .modulus:
                // The remainder of Int64.min by -1 overflows; it is 0.
                return right == 0 ? .null : right == -1 ? .integer(0) : .integer(left % right)
            case .bitwiseAnd: return .integer(left & right)
            case .bitwiseOr: return .integer(left | right)
            case .bitwiseXor: return .integer(left ^ right)
            case .leftShift: return .integer(left << right)
            case .rightShift: return .integer(left >> right)
            default: (result, overflow) = (0, true)
            }
            if !overflow { return .integer(result) }
        }
        if left.isDecimal || right.isDecimal, let left = left.decimalNumber, let right = right.decimalNumber {
            switch self {
            case .add: return Value(decimal: left.adding(right))
            case .subtract: return Value(decimal: left.adding(-right))
            case .multiply: return Value(decimal: left.multiplied(by: right))
            case .divide: return Value(decimal: left.divided(by: right))
            case .modulus: return Value(decimal: left.remainder(dividingBy: right))
            default: break
            }
        }
        guard let left = left.number, let right = right.number else { return .null }
        switch self {
        case .add: return Value(finite: left + right + 0.0)
        case .subtract: return Value(finite: left - right + 0.0)
        case .multiply: return Value(finite: left * right + 0.0)
        case .divide: return right == 0 ? .null : Value(finite: left / right + 0.0)
        case .modulus: return right == 0 ? .null : Value(finite: fmod(left, right) + 0.0)
        case .power: return Value(finite: pow(left, right) + 0.0)
        default: return .null
        }
    }

    // MARK: Lists and to-many key paths

    /// - Parameter values: in any order, converted by `Value.computable`; nulls are ignored.
    package func evaluate(overCollection values: [Value]) -> Value {
        let values = values.filter { !$0.isNull }
        switch self {
        case .count: return .integer(Int64(values.count))
        case .minimum: return values.min { ($0.order(to: $1, []) ?? 0) < 0 } ?? .null
        case .maximum: return values.max { ($0.order(to: $1, []) ?? 0) < 0 } ?? .null
        case .sum: return Self.sum(values)
        case .average, .median:
            if let decimal = Self.decimal(self, values) { return decimal }
        default: break
        }
        let numbers = values.compactMap(\.number).sorted()
        guard !numbers.isEmpty else { return .null }
        let average = Self.averageOfWholeNumbers(values) ?? ExactSum.sum(numbers) / Double(numbers.count)
        switch self {
        case .average: return Value(finite: average)
        case .median:
            let middle = numbers.count / 2
            return Value(finite: numbers.count % 2 == 1 ? numbers[middle] : numbers[middle - 1] / 2 + numbers[middle] / 2)
        case .standardDeviation:
            let squares = numbers.map { ($0 - average) * ($0 - average) }
            return Value(finite: (ExactSum.sum(squares) / Double(numbers.count)).squareRoot())
        default: return .null
        }
    }

    /// - Returns: nil unless all numbers are decimals, or decimals and integers.
    private static func decimal(_ function: ExpressionFunction, _ values: [Value]) -> Value? {
        guard values.contains(where: \.isDecimal), !values.contains(where: \.isDouble) else { return nil }
        let decimals = values.compactMap(\.decimalNumber)
        if function == .median {
            let sorted = decimals.sorted()
            let middle = sorted.count / 2
            guard sorted.count % 2 == 0 else { return .decimal(sorted[middle]) }
            var sum = DecimalSum()
            sum.add(sorted[middle - 1])
            sum.add(sorted[middle])
            return Value(decimal: sum.average)
        }
        var sum = DecimalSum()
        for decimal in decimals { sum.add(decimal) }
        return Value(decimal: function == .average ? sum.average : sum.total)
    }

    /// Rounded once, because a double may not represent every integer exactly; nil if other values
    /// are among them.
    private static func averageOfWholeNumbers(_ values: [Value]) -> Double? {
        var sum = DecimalSum()
        for value in values {
            guard case .integer(let integer) = value else { return nil }
            sum.add(DecimalNumber(integer))
        }
        return sum.average?.doubleValue
    }

    private static func sum(_ values: [Value]) -> Value {
        if let decimal = decimal(.sum, values) { return decimal }
        var whole: Int64 = 0
        var isWhole = true
        for value in values {
            guard case .integer(let integer) = value else {
                isWhole = false
                break
            }
            let (sum, overflow) = whole.addingReportingOverflow(integer)
            // In another order it might not overflow; the sum must not depend on the order.
            guard !overflow else { return wideSum(values) }
            whole = sum
        }
        return isWhole ? .integer(whole) : Value(finite: ExactSum.sum(values.compactMap(\.number)))
    }

    private static func wideSum(_ values: [Value]) -> Value {
        var high: Int64 = 0
        var low: UInt64 = 0
        for value in values {
            guard case .integer(let integer) = value else { return Value(finite: ExactSum.sum(values.compactMap(\.number))) }
            let (sum, carry) = low.addingReportingOverflow(UInt64(bitPattern: integer))
            low = sum
            high += (integer < 0 ? -1 : 0) + (carry ? 1 : 0)
        }
        if high == (Int64(bitPattern: low) < 0 ? -1 : 0) { return .integer(Int64(bitPattern: low)) }
        return .double(Double(high) * 0x1p64 + Double(low))
    }
}

/// A sum of doubles that is rounded once, so that the order in which a store finds its rows does
/// not matter (Shewchuk, "Adaptive Precision Floating-Point Arithmetic", 1997, section 2.4).
private enum ExactSum {
    static func sum(_ numbers: [Double]) -> Double {
        // Infinities, and sums that may overflow, cannot be split into exact parts.
        guard numbers.allSatisfy({ abs($0) < 0x1p960 }) else { return numbers.sorted().reduce(0, +) }
        var parts: [Double] = []
        for number in numbers {
            var carried = number
            var kept = 0
            for part in parts {
                let (large, small) = abs(carried) < abs(part) ? (part, carried) : (carried, part)
                let high = large + small
                let low = small - (high - large)
                if low != 0 {
                    parts[kept] = low
                    kept += 1
                }
                carried = high
            }
            parts.removeSubrange(kept...)
            parts.append(carried)
        }
        guard var total = parts.popLast() else { return 0 }
        var rest = 0.0
        while let part = parts.popLast() {
            let before = total
            total = before + part
            rest = part - (total - before)
            if rest != 0 { break }
        }
        // Halfway between two doubles, the remaining parts decide.
        if let next = parts.last, (rest < 0) == (next < 0), rest != 0 {
            let doubled = rest * 2
            let moved = total + doubled
            if moved - total == doubled { total = moved }
        }
        return total + 0.0
    }
}

extension ExpressionType {
    /// Converts a value, already converted by `Value.computable`, to this type; null if it has no
    /// such value.
    package func cast(_ value: Value) -> Value {
        switch (self, value) {
        case (.number, .integer), (.number, .double), (.number, .decimal), (.string, .string), (.date, .double): return value
        case (.date, .integer(let integer)): return .double(Double(integer))
        case (.date, .decimal(let decimal)): return .double(decimal.doubleValue)
        case (.number, .string(let text)):
            if let integer = Int64(text) { return .integer(integer) }
            guard let number = Double(text), number.isFinite else { return .null }
            return .double(number + 0.0)
        case (.string, .integer(let integer)): return .string(String(integer))
        case (.string, .decimal(let decimal)): return .string(decimal.description)
        case (.string, .double(let number)): return .string((number + 0.0).description)  // stores have no negative zero
        default: return .null
        }
    }

    /// The number that represents it in SQL.
    package var number: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    package init?(number: Int) {
        guard Self.allCases.indices.contains(number) else { return nil }
        self = Self.allCases[number]
    }
}
