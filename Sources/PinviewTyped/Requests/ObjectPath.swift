import Pinview

/// A way from an object of a request to another one, over to-one relationships: in the condition
/// `{ $0.employer.name == "x" }`, `$0` is a path from a person to itself, and `$0.employer` one to
/// its employer.
///
/// The properties of a type extend its paths:
///
/// ```swift
/// extension ObjectPath where Target == Person {
///     var name: AttributePath<Root, String> { self[Person.Keys.name] }
/// }
/// ```
@dynamicMemberLookup
public struct ObjectPath<Root: TypedObject, Target: TypedObject>: Sendable {
    let steps: Steps

    init(_ steps: Steps) { self.steps = steps }

    /// The path to an attribute.
    public subscript<V: AttributeValue>(_ attribute: AttributeKey<V>) -> AttributePath<Root, V.Base> {
        AttributePath(steps.appending(attribute.name))
    }

    /// The path over a to-one relationship.
    public subscript<T: TypedObject>(_ relationship: ToOneKey<T>) -> ObjectPath<Root, T> {
        ObjectPath<Root, T>(steps.appending(relationship.name))
    }

    /// The path to the members of a relationship.
    public subscript<T: TypedObject>(_ relationship: ToManyKey<T>) -> ToManyPath<Root, T> {
        ToManyPath(steps.appending(relationship.name))
    }

    /// The path to the members of an ordered relationship.
    public subscript<T: TypedObject>(_ relationship: OrderedToManyKey<T>) -> ToManyPath<Root, T> {
        ToManyPath(steps.appending(relationship.name))
    }

    /// The object is one of a list.
    public func isIn(_ objects: some Sequence<Target>) -> Condition<Root> {
        Condition(steps.expression, .in, .aggregate(objects.map { .constant(.objectID($0.objectID)) }))
    }

    /// The object is one of those with the IDs.
    public func isIn(ids objectIDs: some Sequence<ManagedObjectID>) -> Condition<Root> {
        Condition(steps.expression, .in, .aggregate(objectIDs.map { .constant(.objectID($0)) }))
    }
}

extension ObjectPath where Root == Target {
    /// The path from an object to itself.
    public init() { self.init(Steps(variable: nil, keys: [], depth: 0)) }
}

/// The names along a path, and the variable from which it starts within a condition on members.
struct Steps: Sendable {
    var variable: String?
    var keys: [String]
    /// How many conditions on members are around it.
    var depth: Int

    func appending(_ key: String) -> Steps { Steps(variable: variable, keys: keys + [key], depth: depth) }

    var expression: PinviewExpression {
        if let variable { return .variable(variable, keys: keys) }
        return .keyPath(keys)
    }

    /// The steps from a member, in a condition on the members at the end of this path.
    var ofMember: Steps { Steps(variable: "member\(depth + 1)", keys: [], depth: depth + 1) }
}

/// A way to an attribute, to be compared in a condition and to sort by.
public struct AttributePath<Root: TypedObject, V: AttributeValue>: Sendable {
    let steps: Steps

    init(_ steps: Steps) { self.steps = steps }

    var expression: PinviewExpression { steps.expression }

    /// The attribute is one of some values.
    public func isIn(_ values: some Sequence<V>) -> Condition<Root> {
        Condition(expression, .in, .aggregate(values.map { .constant($0.pinviewValue) }))
    }
}

extension AttributePath where V: Comparable {
    /// The attribute is in a range, whose bounds belong to it.
    public func isBetween(_ range: ClosedRange<V>) -> Condition<Root> { isBetween(range.lowerBound, range.upperBound) }

    /// The attribute is between two values or equal to one of them.
    public func isBetween(_ low: V, _ high: V) -> Condition<Root> {
        Condition(expression, .between, .aggregate([.constant(low.pinviewValue), .constant(high.pinviewValue)]))
    }
}

extension AttributePath where V == String {
    /// The text contains another one.
    public func contains(_ text: String, _ options: PredicateOptions = []) -> Condition<Root> { compared(.contains, text, options) }
    /// The text begins with another one.
    public func hasPrefix(_ text: String, _ options: PredicateOptions = []) -> Condition<Root> { compared(.beginsWith, text, options) }
    /// The text ends with another one.
    public func hasSuffix(_ text: String, _ options: PredicateOptions = []) -> Condition<Root> { compared(.endsWith, text, options) }
    /// The text is equal to another one, compared with options.
    public func isEqual(to text: String, _ options: PredicateOptions) -> Condition<Root> { compared(.equalTo, text, options) }
    /// The text fits a pattern with `*` and `?`.
    public func isLike(_ pattern: String, _ options: PredicateOptions = []) -> Condition<Root> { compared(.like, pattern, options) }
    /// The whole text matches a regular expression.
    public func matches(_ pattern: String, _ options: PredicateOptions = []) -> Condition<Root> { compared(.matches, pattern, options) }

    private func compared(_ operation: PredicateOperator, _ text: String, _ options: PredicateOptions) -> Condition<Root> {
        Condition(expression, operation, .constant(.string(text)), options)
    }
}

/// A way to the members of a to-many relationship.
public struct ToManyPath<Root: TypedObject, Member: TypedObject>: Sendable {
    let steps: Steps

    init(_ steps: Steps) { self.steps = steps }

    /// At least one member satisfies a condition.
    public func any(@ConditionBuilder<Member> _ condition: (ObjectPath<Member, Member>) -> Condition<Member>) -> Condition<Root> {
        members(satisfying: condition(ObjectPath(steps.ofMember)).predicate, .any) { Condition(count($0), .greaterThan, .constant(0)) }
    }

    /// Every member satisfies a condition; true if there are none.
    public func all(@ConditionBuilder<Member> _ condition: (ObjectPath<Member, Member>) -> Condition<Member>) -> Condition<Root> {
        members(satisfying: condition(ObjectPath(steps.ofMember)).predicate, .all) { Condition(count(.not($0)), .equalTo, .constant(0)) }
    }

    /// No member satisfies a condition.
    public func none(@ConditionBuilder<Member> _ condition: (ObjectPath<Member, Member>) -> Condition<Member>) -> Condition<Root> {
        members(satisfying: condition(ObjectPath(steps.ofMember)).predicate, .none) { Condition(count($0), .equalTo, .constant(0)) }
    }

    /// An object is a member.
    public func contains(_ object: Member) -> Condition<Root> {
        Condition(steps.expression, .equalTo, .constant(.objectID(object.objectID)), modifier: .any)
    }

    /// The number of members.
    public var count: AttributePath<Root, Int> { AttributePath(steps.appending("@count")) }
    /// There are no members.
    public var isEmpty: Condition<Root> { count == 0 }

    /// The sum of an attribute of the members.
    public func sum<V>(_ attribute: KeyPath<ObjectPath<Member, Member>, AttributePath<Member, V>>) -> AttributePath<Root, V> {
        aggregated("@sum", attribute)
    }
    /// The smallest value of an attribute of the members.
    public func min<V>(_ attribute: KeyPath<ObjectPath<Member, Member>, AttributePath<Member, V>>) -> AttributePath<Root, V> {
        aggregated("@min", attribute)
    }
    /// The largest value of an attribute of the members.
    public func max<V>(_ attribute: KeyPath<ObjectPath<Member, Member>, AttributePath<Member, V>>) -> AttributePath<Root, V> {
        aggregated("@max", attribute)
    }

    private func aggregated<V>(
        _ function: String, _ attribute: KeyPath<ObjectPath<Member, Member>, AttributePath<Member, V>>
    ) -> AttributePath<Root, V> {
        var steps = steps.appending(function)
        steps.keys += ObjectPath<Member, Member>()[keyPath: attribute].steps.keys
        return AttributePath(steps)
    }

    private func count(_ condition: PinviewPredicate) -> PinviewExpression {
        let members = PinviewExpression.subquery(steps.expression, variable: steps.ofMember.variable ?? "", predicate: condition)
        return .function(.count, [members])
    }

    /// A comparison of a member's attribute with a constant becomes `ANY cars.name == "x"`;
    /// everything else counts the members of a subquery.
    private func members(
        satisfying condition: PinviewPredicate, _ modifier: PredicateModifier, counted: (PinviewPredicate) -> Condition<Root>
    ) -> Condition<Root> {
        guard case .comparison(var comparison) = condition.kind, comparison.modifier == .direct, steps.variable == nil,
            case .variable(let name, let keys) = comparison.left.kind, name == steps.ofMember.variable,
            !keys.contains(where: { $0.hasPrefix("@") })
        else { return counted(condition) }
        switch comparison.right.kind {
        case .constant, .aggregate: break
        default: return counted(condition)
        }
        comparison.left = .keyPath(steps.keys + keys)
        comparison.modifier = modifier
        return Condition(.comparison(comparison))
    }
}
