import PinviewModel

/// A predicate checked against an entity: the form that both the SQL generator and the in-memory judgement work from.
///
/// **Truth.** There are two truth values only; NULL in a column never makes a third one. With `x`, `y` values and `nil` the absence of one
/// (a null attribute, an empty to-one, anything behind an empty to-one):
///
/// | comparison | x, y | nil, y | x, nil | nil, nil |
/// | --- | --- | --- | --- | --- |
/// | `==` | x = y | false | false | true |
/// | `!=` | x ≠ y | true | true | false |
/// | `<`, `<=`, `>`, `>=` | by order | false | false | false |
/// | `BETWEEN {a, b}` | a <= x AND x <= b | false | false | false |
/// | `IN {…}` | some element == x | nil is an element | | |
/// | `CONTAINS`, `BEGINSWITH`, `ENDSWITH`, `LIKE` | as texts | false | false | false |
///
/// `NOT` inverts. `ANY` is true when the comparison is true for some value behind the to-many relationship, `ALL` when it is false
/// for none (so for an empty one, too), `NONE` when it is true for none.
package indirect enum ResolvedPredicate: Sendable {
    case comparison(ResolvedComparison)
    case and([ResolvedPredicate])
    case or([ResolvedPredicate])
    case not(ResolvedPredicate)
    case constant(Bool)
}

/// A comparison. A to-many path stands on the left only, and only under a modifier.
package struct ResolvedComparison: Sendable {
    package let left: ResolvedExpression
    package let right: ResolvedExpression
    package let `operator`: PredicateOperator
    package let modifier: PredicateModifier
    package let options: PredicateOptions
}

/// One relationship of a key path.
package struct ResolvedStep: Sendable {
    package let property: Property
    package let destination: Entity
}

package indirect enum ResolvedExpression: Sendable {
    case constant(Value)
    /// The elements of IN and the bounds of BETWEEN.
    case list([Value])
    case attribute(path: [ResolvedStep], property: Property)
    /// An object by its ID: the evaluated one, or the destination of the path.
    case object(path: [ResolvedStep])
    /// `path.property.@count`
    case toManyCount(path: [ResolvedStep], property: Property)
}

package struct ResolvedSortDescriptor: Sendable {
    package let path: [ResolvedStep]
    package let property: Property
    package let ascending: Bool
    package let comparator: SortDescriptor.Comparator
}
