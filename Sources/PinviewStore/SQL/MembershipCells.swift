import PinviewModel
import PinviewPredicates

/// The elements of IN as cells. Those that no cell of the column equals are left out.
struct MembershipCells {
    private(set) var cells: [StoredCell] = []
    private(set) var includesNil = false

    /// The elements for objects.
    /// - Parameter key: the primary key that an object has in the store; nil if it is not there.
    init(_ values: [Value], key: (Value) -> Int64?) {
        self.init(values) { value in key(value).map(StoredCell.integer) }
    }

    /// The elements for an attribute or a computed value.
    /// - Parameter attribute: nil for a computed value.
    init(_ values: [Value], comparedWith attribute: Property?, options: PredicateOptions, isComputedDecimal: Bool = false) {
        self.init(values) { value in
            if case .decimal(let decimal) = value, isComputedDecimal {
                return decimal.isNaN ? .text("NaN") : StoredCell.cell(decimal) ?? .blob(DecimalKey.bytes(decimal))
            }
            guard let bound = ConstantBound(value, comparedWith: attribute, options: options), bound.position == 0 else { return nil }
            return Self.element(bound.cell, of: attribute)
        }
    }

    private init(_ values: [Value], cell: (Value) -> StoredCell?) {
        cells.reserveCapacity(values.count)
        for value in values {
            if value.isNull {
                includesNil = true
            } else if let cell = cell(value) {
                cells.append(cell)
            }
        }
    }

    /// Unlike a comparison, IN applies the column's affinity to its elements, so an integer could be
    /// rounded to a double and match a value that it does not equal. An element that no double
    /// equals is left out.
    private static func element(_ cell: StoredCell, of attribute: Property?) -> StoredCell? {
        guard case .integer(let integer) = cell, attribute?.attributeType == .double || attribute?.attributeType == .float else {
            return cell
        }
        return Double(exactly: integer).map { .real($0) }
    }
}
