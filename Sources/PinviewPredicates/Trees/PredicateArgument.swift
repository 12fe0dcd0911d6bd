import FoundationEssentials
import PinviewModel

/// A type whose values can be arguments for `%@` and values of variables: all types of property
/// values, and arrays and sets of them.
public protocol PredicateArgument: Sendable {
    /// The argument as an expression.
    var predicateArgument: Expression { get }
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
extension Date: PredicateArgument {}
extension UUID: PredicateArgument {}
extension DecimalNumber: PredicateArgument {}
extension ManagedObjectID: PredicateArgument {}

extension UInt8: PredicateArgument {
    public var predicateArgument: Expression { .constant(.integer(Int64(self))) }
}

extension Expression: PredicateArgument {
    public var predicateArgument: Expression { self }
}

extension Optional: PredicateArgument where Wrapped: PredicateArgument {
    /// nil becomes the constant nil.
    public var predicateArgument: Expression { self?.predicateArgument ?? .constant(.null) }
}

extension Array: PredicateArgument where Element: PredicateArgument {
    /// A list, except that bytes are one binary value.
    public var predicateArgument: Expression {
        if let bytes = self as? [UInt8] { return .constant(.binary(bytes)) }
        return .aggregate(map(\.predicateArgument))
    }
}

extension Set: PredicateArgument where Element: PredicateArgument {
    public var predicateArgument: Expression { .aggregate(map(\.predicateArgument)) }
}
