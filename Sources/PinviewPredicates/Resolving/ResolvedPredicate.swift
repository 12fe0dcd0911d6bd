import PinviewModel

/// A predicate checked against an entity: every key exists, every comparison makes sense. The form that both the SQL generator and
/// the in-memory judgement work from. Immutable; any thread may use it.
///
/// **Truth.** There are two truth values only; nil never makes a third one. A value is nil if it is null, if it is a double or date
/// that is NaN (SQLite keeps NULL for it), and if a to-one relationship on the way to it is nil. With `x` and `y` for values:
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
/// With a modifier the key path at the left leads over to-many relationships to any number of values. One of them is nil if a to-one
/// relationship behind the last to-many one is; there are none if a to-one relationship before it is nil.
///
/// | modifier | no values | otherwise |
/// | --- | --- | --- |
/// | `ANY` | false | the comparison is true for one value at least |
/// | `ALL` | true | the comparison is true for every value |
/// | `NONE` | true | the comparison is true for no value: the opposite of `ANY` |
///
/// **Order.** Numbers by their exact value, an integer against a double, too; truth values are 0 and 1; a double against a decimal as
/// the decimal that a column keeps for it: whole numbers below 2^63 exactly, others by the shortest text that names the double; a decimal NaN after all numbers. Texts by their UTF-8 bytes (SQLite's BINARY),
/// under options by those of the folded texts. Dates by their seconds.
package indirect enum ResolvedPredicate: Sendable {
    case comparison(ResolvedComparison)
    /// Two or more, none of which is of this kind or constant.
    case and([ResolvedPredicate])
    /// Two or more, none of which is of this kind or constant.
    case or([ResolvedPredicate])
    /// Of a comparison only: NOT before others has been brought inside.
    case not(ResolvedPredicate)
    case constant(Bool)
}

/// A comparison. A to-many path stands on the left only, and only under a modifier.
package struct ResolvedComparison: Sendable {
    /// An attribute, object or count; a constant only before a textual operator whose other side is none.
    package let left: ResolvedExpression
    /// A list for `.in` and `.between`, else a value.
    package let right: ResolvedExpression
    package let `operator`: PredicateOperator
    package let modifier: PredicateModifier
    /// Empty unless both sides are texts.
    package let options: PredicateOptions
    /// For `.matches`, unless the pattern is nil.
    let pattern: MatchPattern?
    /// For the judgement in memory of a long list.
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
    /// The one member of an ordered to-many relationship that the path goes on from.
    package var element: ElementIndex?

    /// Whether the path branches here.
    package var isToMany: Bool { property.isToMany && element == nil }
}

package indirect enum ResolvedExpression: Sendable {
    /// Of the type of the attribute on the other side where that loses nothing. NaN has become null.
    case constant(Value)
    /// The elements of IN and the two bounds of BETWEEN; converted like a constant.
    case list([Value])
    case attribute(path: [ResolvedStep], property: Property)
    /// An object by its ID: the evaluated one, or the destination of the path. It is compared by `==`, `!=` and `IN` only, with objects
    /// and IDs of the same hierarchy of entities, so that primary keys can be compared; a list may hold IDs of other ones, which equal
    /// nothing. An ID may be temporary or of another store.
    case object(path: [ResolvedStep])
    /// `path.property.@count`: 0 if a to-one relationship on the way is nil. With a predicate only the members for which it holds
    /// are counted (SUBQUERY): its own key paths begin at the member, and `path` begins at an object so many levels further out.
    case toManyCount(path: [ResolvedStep], property: Property, levels: Int, where: ResolvedPredicate?)
    /// The name of the entity of the evaluated object, or of the destination of the path.
    case entityName(path: [ResolvedStep])
    /// What a function makes of other values; numbers, texts and dates only.
    case function(ExpressionFunction, [ResolvedExpression], category: ValueCategory)
    /// What a function makes of an attribute's values behind one to-many relationship.
    case collection(ExpressionFunction, path: [ResolvedStep], property: Property, isDistinct: Bool)
    case conditional(ResolvedPredicate, then: ResolvedExpression, otherwise: ResolvedExpression, category: ValueCategory?)
    case cast(ResolvedExpression, ExpressionType)
    /// What a function makes of an expression's values in the rows of a group; without one the rows are counted. In stores only.
    case group(ExpressionFunction, ResolvedExpression?)
    /// Inside a SUBQUERY: an expression whose key paths begin at an object so many levels further out.
    case outer(levels: Int, ResolvedExpression)
}

package struct ResolvedSortDescriptor: Sendable {
    /// To-one relationships.
    package let path: [ResolvedStep]
    package let property: Property
    package let ascending: Bool
    /// `.caseInsensitive` for texts only.
    package let comparator: SortDescriptor.Comparator
}
