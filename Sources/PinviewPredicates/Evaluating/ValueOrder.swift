import FoundationEssentials
import PinviewModel

extension Value {
    /// Negative, 0 or positive in the order in which SQLite sorts the stored values; nil if the
    /// values cannot be ordered. UUIDs and binary data are ordered by their bytes; objects are only
    /// equal (0) or not.
    func order(to other: Value, _ options: PredicateOptions) -> Int? {
        switch (self, other) {
        case (.null, _), (_, .null): return nil
        case (.string(let left), .string(let right)): return StringMatching.compare(left, right, options)
        case (.date(let left), .date(let right)):
            return Self.order(left.timeIntervalSinceReferenceDate, right.timeIntervalSinceReferenceDate)
        case (.objectID(let left), .objectID(let right)): return left == right ? 0 : 1
        case (.uuid(let left), .uuid(let right)):
            return withUnsafeBytes(of: left.uuid) { left in withUnsafeBytes(of: right.uuid) { right in Self.order(left, right) } }
        case (.binary(let left), .binary(let right)):
            return left.withUnsafeBytes { left in right.withUnsafeBytes { right in Self.order(left, right) } }
        default: return numericOrder(to: other)
        }
    }

    private func numericOrder(to other: Value) -> Int? {
        if let left = exactInteger, let right = other.exactInteger { return left == right ? 0 : left < right ? -1 : 1 }
        if case .decimal = self { return decimalOrder(to: other) }
        if case .decimal = other { return decimalOrder(to: other) }
        if case .double(let left) = self, case .double(let right) = other { return Self.order(left, right) }
        if let left = exactInteger, case .double(let right) = other { return Self.order(left, right) }
        if case .double(let left) = self, let right = other.exactInteger { return Self.order(right, left).map { -$0 } }
        return nil
    }

    private var exactInteger: Int64? {
        switch self {
        case .integer(let value): value
        case .boolean(let value): value ? 1 : 0
        default: nil
        }
    }

    private var decimalValueOfNumber: DecimalNumber? {
        switch self {
        case .decimal(let value): value
        case .double(let value): DecimalNumber(value)
        default: exactInteger.map { DecimalNumber($0) }
        }
    }

    private var isDecimalNaN: Bool {
        if case .decimal(let value) = self { return value.isNaN }
        return false
    }

    private func decimalOrder(to other: Value) -> Int? {
        // No decimal is infinite. NaN comes after all numbers, including infinity.
        if case .double(let left) = self, left.isInfinite { return left > 0 ? (other.isDecimalNaN ? -1 : 1) : -1 }
        if case .double(let right) = other, right.isInfinite { return right > 0 ? (isDecimalNaN ? 1 : -1) : 1 }
        guard let left = decimalValueOfNumber, let right = other.decimalValueOfNumber else { return nil }
        return left == right ? 0 : left < right ? -1 : 1
    }

    private static func order(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
        left.withMemoryRebound(to: UInt8.self) { left in
            right.withMemoryRebound(to: UInt8.self) { right in StringMatching.compare(left, right) }
        }
    }

    private static func order(_ left: Double, _ right: Double) -> Int? {
        if left == right { return 0 }
        if left < right { return -1 }
        return left > right ? 1 : nil
    }

    /// Integers and doubles are compared exactly: 2^53 + 1 is greater than the double 2^53.
    private static func order(_ left: Int64, _ right: Double) -> Int? {
        if right.isNaN { return nil }
        if right >= 0x1p63 { return -1 }
        if right < -0x1p63 { return 1 }
        let whole = Int64(right.rounded(.towardZero))
        if left != whole { return left < whole ? -1 : 1 }
        return order(0.0, right - right.rounded(.towardZero))
    }
}
