import FoundationEssentials
import PinviewModel
import PinviewPredicates

/// A constant of a predicate as a cell to compare a column with. Exact, even if no cell can hold
/// the constant itself.
struct ConstantBound {
    let cell: StoredCell
    /// The cell's position relative to the constant: below (−1), equal (0) or above (1). No value
    /// that the column can hold lies in between.
    let position: Int

    /// - Parameters:
    ///   - attribute: the attribute that the constant is compared with; nil for a number without an
    ///     attribute.
    ///   - options: determine how texts are folded.
    /// - Returns: nil for NaN, which equals nothing and has no order.
    init?(_ value: Value, comparedWith attribute: Property?, options: PredicateOptions) {
        switch value {
        case .boolean(let flag): self.init(.integer(flag ? 1 : 0))
        case .integer(let integer): self.init(.integer(integer))
        case .double(let double):
            // As a column would store it.
            if attribute?.attributeType == .decimal {
                self.init(DecimalNumber(double), isReal: false)
            } else {
                guard !double.isNaN else { return nil }
                self.init(.real(double))
            }
        case .decimal(let decimal):
            self.init(decimal, isReal: attribute?.attributeType == .double || attribute?.attributeType == .float)
        case .string(let text): self.init(.text(options.isEmpty ? text : StringMatching.folded(text, options)))
        case .date(let date):
            guard !date.timeIntervalSinceReferenceDate.isNaN else { return nil }
            self.init(.real(date.timeIntervalSinceReferenceDate))
        case .uuid(let uuid): self.init(.blob(withUnsafeBytes(of: uuid.uuid) { Array($0) }))
        case .binary(let bytes): self.init(.blob(bytes))
        case .null, .objectID: return nil
        }
    }

    private init(_ cell: StoredCell, position: Int = 0) {
        self.cell = cell
        self.position = position
    }

    private init(_ decimal: DecimalNumber, isReal: Bool) {
        if decimal.isNaN {
            self.init(.text("NaN"))
            return
        }
        if !isReal, let integer = decimal.int64Value {
            self.init(.integer(integer))
            return
        }
        // At this size, the next double may skip integers that a column holds, and doubles have no
        // fractions.
        if !isReal, let floor = decimal.flooredInt64, floor.magnitude >= 1 << 53 {
            self.init(.integer(floor), position: -1)
            return
        }
        let double = decimal.doubleValue
        if double.isInfinite {
            self.init(.real(double), position: double > 0 ? 1 : -1)
        } else {
            let nearest = DecimalNumber(double)
            self.init(.real(double), position: nearest == decimal ? 0 : nearest < decimal ? -1 : 1)
        }
    }
}
