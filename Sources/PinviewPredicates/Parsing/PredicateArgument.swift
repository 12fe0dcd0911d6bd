import FoundationEssentials
import PinviewModel

/// What can be given for `%@` and for a variable: every type of value, and arrays and sets of them.
public protocol PredicateArgument: Sendable {
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
    /// The constant nil for nil.
    public var predicateArgument: Expression { self?.predicateArgument ?? .constant(.null) }
}

extension Array: PredicateArgument where Element: PredicateArgument {
    /// A list; but bytes are one value, not a list of numbers.
    public var predicateArgument: Expression {
        if let bytes = self as? [UInt8] { return .constant(.binary(bytes)) }
        return .aggregate(map(\.predicateArgument))
    }
}

extension Set: PredicateArgument where Element: PredicateArgument {
    public var predicateArgument: Expression { .aggregate(map(\.predicateArgument)) }
}
