import FoundationEssentials
import PinviewModel

/// A type whose values can be arguments for `%@` and values of variables: all types of property
/// values, and arrays and sets of them.
public protocol PredicateArgument: Sendable {
    /// The argument as an expression.
    var predicateArgument: PinviewExpression { get }
}

extension PredicateArgument where Self: ValueConvertible {
    public var predicateArgument: PinviewExpression { .constant(pinviewValue) }
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
    public var predicateArgument: PinviewExpression { .constant(.integer(Int64(self))) }
}

extension PinviewExpression: PredicateArgument {
    public var predicateArgument: PinviewExpression { self }
}

extension Optional: PredicateArgument where Wrapped: PredicateArgument {
    /// nil becomes the constant nil.
    public var predicateArgument: PinviewExpression { self?.predicateArgument ?? .constant(.null) }
}

extension Array: PredicateArgument where Element: PredicateArgument {
    /// A list, except that bytes are one binary value.
    public var predicateArgument: PinviewExpression {
        if let bytes = self as? [UInt8] { return .constant(.binary(bytes)) }
        return .aggregate(map(\.predicateArgument))
    }
}

extension Set: PredicateArgument where Element: PredicateArgument {
    public var predicateArgument: PinviewExpression { .aggregate(map(\.predicateArgument)) }
}
