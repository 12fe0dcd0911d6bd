import PinviewModel

/// The number type of an expression's value, as far as it is known without evaluating it.
enum NumberKind {
    case integer
    case double
    case decimal
    /// Decimals for some objects, other numbers for others.
    case mixed

    /// The type of an operation on both: double if either is a double.
    fileprivate func combined(with other: NumberKind) -> NumberKind {
        if self == .double || other == .double { return .double }
        if self == .mixed || other == .mixed { return .mixed }
        return self == .decimal || other == .decimal ? .decimal : .integer
    }

    /// The type of a value that comes from one or the other.
    fileprivate func alternative(to other: NumberKind) -> NumberKind {
        if self == other { return self }
        return self == .decimal || other == .decimal || self == .mixed || other == .mixed ? .mixed : .double
    }
}

extension ResolvedExpression {
    /// Whether the value can be a decimal. SQL represents computed decimals as `DecimalKey`.
    package var mayBeDecimal: Bool { numberKind == .decimal || numberKind == .mixed }

    private var numberKind: NumberKind? {
        switch self {
        case .constant(let value): value.numberKind
        case .list, .object, .entityName: nil
        case .attribute(_, let property): property.attributeType.numberKind
        case .toManyCount: .integer
        case .function(let function, let operands, _): function.numberKind(of: operands.compactMap(\.numberKind))
        case .collection(let function, _, let property, _):
            function.numberKind(of: property.attributeType.numberKind.map { [$0] } ?? [])
        case .group(let function, let inner): function.numberKind(of: inner?.numberKind.map { [$0] } ?? [])
        case .conditional(_, let then, let otherwise, _):
            if let first = then.numberKind, let second = otherwise.numberKind {
                first.alternative(to: second)
            } else {
                then.numberKind ?? otherwise.numberKind
            }
        case .cast(let inner, let type): type == .number ? (inner.category == .text ? .double : inner.numberKind) : nil
        case .outer(_, let inner): inner.numberKind
        }
    }
}

extension ExpressionFunction {
    fileprivate func numberKind(of operands: [NumberKind]) -> NumberKind? {
        switch self {
        case .add, .subtract, .multiply, .divide, .modulus, .negate, .absolute, .floor, .ceiling, .truncate, .sum:
            operands.dropFirst().reduce(operands.first) { $0?.combined(with: $1) }
        case .average, .median:
            operands.dropFirst().reduce(operands.first) { $0?.combined(with: $1) }.map { $0 == .integer ? .double : $0 }
        case .minimum, .maximum: operands.dropFirst().reduce(operands.first) { $0?.alternative(to: $1) }
        case .squareRoot, .logarithm, .naturalLogarithm, .exponential, .power, .standardDeviation: .double
        case .bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftShift, .rightShift, .onesComplement, .length, .count: .integer
        case .uppercase, .lowercase, .canonical, .now: nil
        }
    }
}

extension Value {
    fileprivate var numberKind: NumberKind? {
        switch self {
        case .integer, .boolean: .integer
        case .double, .date: .double
        case .decimal: .decimal
        case .null, .string, .uuid, .binary, .objectID: nil
        }
    }
}

extension AttributeType {
    fileprivate var numberKind: NumberKind? {
        switch self {
        case .integer16, .integer32, .integer64, .boolean: .integer
        case .double, .float, .date: .double
        case .decimal: .decimal
        case .string, .uri, .uuid, .binaryData, .transformable, .undefined, .composite: nil
        }
    }
}
