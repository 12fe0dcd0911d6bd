import Pinview

/// A condition on objects of a type: a ``PinviewPredicate`` whose properties the compiler has
/// checked.
public struct Condition<Root: TypedObject>: Hashable, Sendable {
    /// The condition as a predicate.
    public let predicate: PinviewPredicate

    /// A condition that the typed expressions lack. It is checked when it is used.
    public init(_ predicate: PinviewPredicate) { self.predicate = predicate }

    init(
        _ left: PinviewExpression, _ operation: PredicateOperator, _ right: PinviewExpression, _ options: PredicateOptions = [],
        modifier: PredicateModifier = .direct
    ) {
        predicate = .comparison(ComparisonPredicate(left, operation, right, modifier: modifier, options: options))
    }

    /// Both conditions hold.
    public static func && (left: Condition, right: Condition) -> Condition { Condition(.and([left.predicate, right.predicate])) }
    /// At least one of the conditions holds.
    public static func || (left: Condition, right: Condition) -> Condition { Condition(.or([left.predicate, right.predicate])) }
    /// The condition does not hold.
    public static prefix func ! (condition: Condition) -> Condition { Condition(.not(condition.predicate)) }

    /// A condition that always holds, or never.
    public static func constant(_ value: Bool) -> Condition { Condition(.constant(value)) }
    /// All of some conditions hold, as in the body of a request: one a line.
    public static func all(@ConditionBuilder<Root> _ conditions: () -> Condition) -> Condition { conditions() }
    /// At least one of a list of conditions holds.
    public static func any(of conditions: [Condition]) -> Condition { Condition(.or(conditions.map(\.predicate))) }
    /// All of a list of conditions hold.
    public static func all(of conditions: [Condition]) -> Condition { Condition(.and(conditions.map(\.predicate))) }
}

// The operators are declared for two concrete generic types each and for nothing else, so that the
// compiler has few of them to try.
extension AttributePath {
    public static func == (path: AttributePath, value: V?) -> Condition<Root> { path.compared(.equalTo, value) }
    public static func != (path: AttributePath, value: V?) -> Condition<Root> { path.compared(.notEqualTo, value) }
    public static func == (path: AttributePath, other: AttributePath) -> Condition<Root> {
        Condition(path.expression, .equalTo, other.expression)
    }
    public static func != (path: AttributePath, other: AttributePath) -> Condition<Root> {
        Condition(path.expression, .notEqualTo, other.expression)
    }

    fileprivate func compared(_ operation: PredicateOperator, _ value: V?) -> Condition<Root> {
        Condition(expression, operation, .constant(value?.pinviewValue ?? .null))
    }
}

extension AttributePath where V: Comparable {
    public static func < (path: AttributePath, value: V) -> Condition<Root> { path.compared(.lessThan, value) }
    public static func <= (path: AttributePath, value: V) -> Condition<Root> { path.compared(.lessThanOrEqualTo, value) }
    public static func > (path: AttributePath, value: V) -> Condition<Root> { path.compared(.greaterThan, value) }
    public static func >= (path: AttributePath, value: V) -> Condition<Root> { path.compared(.greaterThanOrEqualTo, value) }
    public static func < (path: AttributePath, other: AttributePath) -> Condition<Root> {
        Condition(path.expression, .lessThan, other.expression)
    }
    public static func <= (path: AttributePath, other: AttributePath) -> Condition<Root> {
        Condition(path.expression, .lessThanOrEqualTo, other.expression)
    }
    public static func > (path: AttributePath, other: AttributePath) -> Condition<Root> {
        Condition(path.expression, .greaterThan, other.expression)
    }
    public static func >= (path: AttributePath, other: AttributePath) -> Condition<Root> {
        Condition(path.expression, .greaterThanOrEqualTo, other.expression)
    }
}

extension ObjectPath {
    public static func == (path: ObjectPath, object: Target?) -> Condition<Root> { path.compared(.equalTo, object) }
    public static func != (path: ObjectPath, object: Target?) -> Condition<Root> { path.compared(.notEqualTo, object) }

    private func compared(_ operation: PredicateOperator, _ object: Target?) -> Condition<Root> {
        Condition(steps.expression, operation, .constant(object.map { .objectID($0.objectID) } ?? .null))
    }
}

/// Joins the conditions of a body, one a line, by *and*. Each line is type-checked on its own, so
/// the time to compile grows with the number of lines and no faster.
@resultBuilder
public enum ConditionBuilder<Root: TypedObject> {
    public static func buildExpression(_ condition: Condition<Root>) -> Condition<Root> { condition }
    public static func buildBlock(_ conditions: Condition<Root>...) -> Condition<Root> { .all(of: conditions) }
    public static func buildOptional(_ condition: Condition<Root>?) -> Condition<Root> { condition ?? .constant(true) }
    public static func buildEither(first condition: Condition<Root>) -> Condition<Root> { condition }
    public static func buildEither(second condition: Condition<Root>) -> Condition<Root> { condition }
    public static func buildArray(_ conditions: [Condition<Root>]) -> Condition<Root> { .all(of: conditions) }
}
