import PinviewModel

/// A predicate that has been checked against an entity: every key exists, and every comparison
/// makes sense. Both the SQL generator and the evaluation in memory work with this form. Immutable;
/// any thread may use it.
///
/// **Truth.** There are only two truth values; nil does not make a third. A value is nil if it is
/// null, if it is a double or date that is NaN (SQLite stores NULL for it), or if a to-one
/// relationship on the way to it is nil. With `x` and `y` standing for values:
///
/// | comparison | x, y | nil, y | x, nil | nil, nil |
/// | --- | --- | --- | --- | --- |
/// | `==` | x = y | false | false | true |
/// | `!=` | x ≠ y | true | true | false |
/// | `<`, `<=`, `>`, `>=` | by order | false | false | false |
/// | `CONTAINS`, `BEGINSWITH`, `ENDSWITH`, `LIKE`, `MATCHES` | by `StringMatching` | false | false | false |
///
/// | comparison | x | nil |
/// | --- | --- | --- |
/// | `BETWEEN {a, b}` | a <= x and x <= b; false if a or b is nil | false |
/// | `IN {…}` | x == some element | nil is an element |
///
/// `NOT` inverts: `NOT x < 3` is true for nil.
///
/// With a modifier, the key path on the left goes over to-many relationships and has any number of
/// values. A value is nil if a to-one relationship after the last to-many one is nil; there are no
/// values if a to-one relationship before it is nil.
///
/// | modifier | no values | otherwise |
/// | --- | --- | --- |
/// | `ANY` | false | true if the comparison is true for at least one value |
/// | `ALL` | true | true if the comparison is true for every value |
/// | `NONE` | true | true if the comparison is true for no value: the opposite of `ANY` |
///
/// **Order.** Numbers are ordered by their exact value, integers against doubles too; truth values
/// are 0 and 1. Against a decimal, a double counts as the decimal that a column would hold for it:
/// whole numbers below 2^63 exactly, others by the shortest text that reads back as the double; a
/// decimal NaN comes after all numbers. Strings are ordered by their UTF-8 bytes (SQLite's BINARY),
/// with options by those of the folded strings; dates by their seconds.
package indirect enum ResolvedPredicate: Sendable {
    case comparison(ResolvedComparison)
    /// At least two, none of which is an AND or constant.
    case and([ResolvedPredicate])
    /// At least two, none of which is an OR or constant.
    case or([ResolvedPredicate])
    /// Contains a comparison: NOT before anything else has been pushed down.
    case not(ResolvedPredicate)
    case constant(Bool)
}

extension ResolvedPredicate {
    /// What a predicate is true for, without some objects.
    ///
    /// - Parameter objectIDs: their IDs.
    package static func excluding(_ objectIDs: [Value], from predicate: ResolvedPredicate?) -> ResolvedPredicate? {
        if objectIDs.isEmpty { return predicate }
        let others = ResolvedPredicate.not(
            .comparison(
                ResolvedComparison(left: .object(path: []), right: .list(objectIDs), operator: .in, modifier: .direct, options: [])))
        switch predicate {
        case nil, .constant(true): return others
        case .constant(false): return predicate
        case .and(let parts): return .and(parts + [others])
        case let predicate?: return .and([predicate, others])
        }
    }
}

/// A comparison. Only the left side can be a to-many path, and only with a modifier.
package struct ResolvedComparison: Sendable {
    /// An attribute, object or count; a constant only before a textual operator with another
    /// expression.
    package let left: ResolvedExpression
    /// A list for `.in` and `.between`, otherwise a value.
    package let right: ResolvedExpression
    package let `operator`: PredicateOperator
    package let modifier: PredicateModifier
    /// Empty unless both sides are strings.
    package let options: PredicateOptions
    /// For `.matches`, unless the pattern is nil.
    let pattern: MatchPattern?
    /// For evaluating a long list in memory.
    let elements: ElementTable?

    init(
        left: ResolvedExpression, right: ResolvedExpression, operator: PredicateOperator, modifier: PredicateModifier,
        options: PredicateOptions, pattern: MatchPattern? = nil
    ) {
        self.left = left
        self.right = right
        self.operator = `operator`
        self.modifier = modifier
        self.options = options
        self.pattern = pattern
        if case .list(let values) = right, `operator` == .in {
            elements = ElementTable(values, options)
        } else {
            elements = nil
        }
    }
}

/// One relationship of a key path.
package struct ResolvedStep: Sendable {
    package let property: Property
    package let destination: Entity
    /// The selected member of an ordered to-many relationship.
    package var element: ElementIndex?

    package init(property: Property, destination: Entity, element: ElementIndex? = nil) {
        (self.property, self.destination, self.element) = (property, destination, element)
    }

    /// Whether the path branches here.
    package var isToMany: Bool { property.isToMany && element == nil }
}

package indirect enum ResolvedExpression: Sendable {
    /// Converted to the type of the attribute on the other side if that loses nothing. NaN has
    /// become null.
    case constant(Value)
    /// The elements of IN or the two bounds of BETWEEN, converted like a constant.
    case list([Value])
    case attribute(path: [ResolvedStep], property: Property)
    /// An object by its ID: the evaluated one, or the destination of the path. It is compared by
    /// `==`, `!=` and `IN` only, with objects and IDs of the same hierarchy, so that primary keys
    /// can be compared; a list may contain IDs of other hierarchies, which equal nothing. An ID may
    /// be temporary or of another store.
    case object(path: [ResolvedStep])
    /// `path.property.@count`; 0 if a to-one relationship on the way is nil. With a predicate
    /// (SUBQUERY), only the members for which it is true are counted: its key paths begin at the
    /// member, while `path` begins at an object that many levels further out.
    case toManyCount(path: [ResolvedStep], property: Property, levels: Int, where: ResolvedPredicate?)
    /// The name of the entity of the evaluated object, or of the destination of the path.
    case entityName(path: [ResolvedStep])
    /// A function of other values, which are numbers, strings and dates.
    case function(ExpressionFunction, [ResolvedExpression], category: ValueCategory)
    /// A function of an attribute's values at the end of one to-many relationship.
    case collection(ExpressionFunction, path: [ResolvedStep], property: Property, isDistinct: Bool)
    case conditional(ResolvedPredicate, then: ResolvedExpression, otherwise: ResolvedExpression, category: ValueCategory?)
    case cast(ResolvedExpression, ExpressionType)
    /// A function of an expression's values in the rows of a group; without an expression, counts
    /// the rows. Only stores evaluate it.
    case group(ExpressionFunction, ResolvedExpression?)
    /// Inside a SUBQUERY: an expression whose key paths begin at an object that many levels further
    /// out.
    case outer(levels: Int, ResolvedExpression)
}

/// A sort descriptor that has been checked against an entity.
package struct ResolvedSortDescriptor: Sendable {
    /// To-one relationships only.
    package let path: [ResolvedStep]
    package let property: Property
    package let ascending: Bool
    /// `.binary` unless the property is a string.
    package let comparator: PinviewSortDescriptor.Comparator
}
