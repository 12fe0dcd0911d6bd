import PinviewModel

/// One side of a comparison (`NSExpression`).
public indirect enum Expression: Hashable, Sendable {
    case constant(Value)
    /// A list of values, for IN and BETWEEN.
    case aggregate([Expression])
    /// Names of properties from the evaluated object on; `@count` as the last one counts a to-many relationship.
    case keyPath([String])
    /// The object that is judged (`SELF`).
    case evaluatedObject
    /// `$NAME`, to be replaced by `withSubstitutionVariables(_:)` before use.
    case variable(String)

    /// An expression for a key path such as `owner.name`.
    public init(forKeyPath keyPath: String) {
        self = .keyPath(keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init))
    }
}

/// What can be given for `%@` and for a variable.
public protocol PredicateArgument: Sendable {
    var predicateArgument: Expression { get }
}

extension Expression: PredicateArgument {
    public var predicateArgument: Expression { self }
}

extension PredicateArgument where Self: ValueConvertible {
    public var predicateArgument: Expression { .constant(pinviewValue) }
}

extension Value: PredicateArgument {}
extension String: PredicateArgument {}
extension Int: PredicateArgument {}
extension Int16: PredicateArgument {}
extension Int32: PredicateArgument {}
extension Int64: PredicateArgument {}
extension Double: PredicateArgument {}
extension Float: PredicateArgument {}
extension Bool: PredicateArgument {}
extension DecimalNumber: PredicateArgument {}
extension ManagedObjectID: PredicateArgument {}

extension Optional: PredicateArgument where Wrapped: PredicateArgument {
    public var predicateArgument: Expression { self?.predicateArgument ?? .constant(.null) }
}

extension Array: PredicateArgument where Element: PredicateArgument {
    public var predicateArgument: Expression {
        // Bytes are one value, not a list of numbers.
        if let bytes = self as? [UInt8] { return .constant(.binary(bytes)) }
        return .aggregate(map(\.predicateArgument))
    }
}

extension Set: PredicateArgument where Element: PredicateArgument {
    public var predicateArgument: Expression { .aggregate(map(\.predicateArgument)) }
}

extension UInt8: PredicateArgument {
    public var predicateArgument: Expression { .constant(.integer(Int64(self))) }
}
