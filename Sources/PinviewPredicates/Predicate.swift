import PinviewModel

/// A condition on objects (`NSPredicate`). Immutable; any thread may use it.
///
/// `Predicate(format: "name BEGINSWITH %@ AND age >= %d", "dave", 21)`. Values are given apart from the text, so nothing that
/// a value contains can change the meaning. The language, whose words may be in upper or lower case:
///
/// - Comparisons: `==` (`=`), `!=` (`<>`), `<`, `<=` (`=<`), `>`, `>=` (`=>`), `BETWEEN {low, high}`, `IN {…}`, `NOT IN {…}`;
///   of texts also `CONTAINS`, `BEGINSWITH`, `ENDSWITH`, `LIKE` (with `*`, `?` and `\`) and `MATCHES` (a regular expression that the whole
///   text fits). Behind the operator `[c]`, `[d]` or `[cd]` makes texts equal that differ in case or in accents only; `[n]` does not;
///   `[l]` compares by the order of the user's language.
/// - `AND` (`&&`), `OR` (`||`), `NOT` (`!`), in this order of strength from NOT down, and parentheses; `TRUEPREDICATE`, `FALSEPREDICATE`.
/// - Key paths over to-one relationships: `owner.name`; `SELF` and `owner.objectID` are objects, which compare with objects and IDs;
///   `entity` is the name of an object's entity. `#` before a name takes it for a key though it is a word of the language: `#in`;
///   other names go in quotes: `#"a b"`. Of an ordered to-many relationship `cars[0]`, `cars[FIRST]`, `cars[LAST]`.
/// - Over to-many relationships: `ANY` (`SOME`), `ALL`, `NONE` before the comparison. `tag IN keywords` and `keywords CONTAINS tag` say
///   `ANY keywords == tag`. `cars.@count` (`cars[SIZE]`), `cars.@sum.price`, `@min`, `@max`, `@avg`, `cars.@distinctUnionOfObjects.brand.@count`;
///   `SUBQUERY(cars, $car, $car.price > 100 AND $car.brand == brand).@count`, in which keys without a variable begin at the judged object.
/// - Computed values: `+`, `-`, `*`, `/`, `**`, `&`, `|`, `^`, `<<`, `>>`, `~`, parentheses, the functions of `ExpressionFunction` (`abs(x)`, `length(name)`, `sum({1, x})`,
///   `sum(cars.price)`, `now()` …), `TERNARY(condition, then, else)`, `CAST(x, "NSString")`.
/// - Values: `nil` (`NULL`), `TRUE` (`YES`), `FALSE` (`NO`), numbers, texts in single or double quotes with `\n`, `\t`, `\r`, `\0`,
///   `\\`, `\'`, `\"`, `\u00E9`, `\u{1F600}`, lists in braces, `CAST(text, "NSDate")` for types that have no literal: `NSDate` (seconds since
///   2001-01-01 00:00 UTC), `NSDecimalNumber`, `NSUUID`, `NSData` (hexadecimal), `NSNumber`, `NSManagedObjectID` (the URI).
/// - `%@` takes a value, list, object or expression, `%K` a key path as text, `%d`, `%i`, `%u`, `%f`, `%g`, `%e` (also with `l`, `ll`)
///   a number; `%2$@` takes the second argument. In quotes a `%` is a percent sign, outside `%%` is the remainder of a division.
/// - `$NAME` is a variable, see `withSubstitutionVariables(_:)`.
///
/// There are two truth values only, also where a value is nil: `x != "a"` is true for a nil `x`, `x < 3` is false and so `NOT x < 3`
/// is true.
public struct Predicate: Hashable, Sendable {
    /// What a predicate is, for code that looks at one.
    public indirect enum Kind: Hashable, Sendable {
        case comparison(ComparisonPredicate)
        /// Two or more, none of which is of this kind.
        case and([Predicate])
        /// Two or more, none of which is of this kind.
        case or([Predicate])
        case not(Predicate)
        case constant(Bool)
        /// What took the place of a predicate that nested deeper than 1000 levels. Using it is an error.
        case tooDeep
    }

    public let kind: Kind
    let depth: Int

    private init(_ kind: Kind, depth: Int) {
        let isTooDeep = depth > NestingLimit.maximumDepth
        self.kind = isTooDeep ? .tooDeep : kind
        self.depth = isTooDeep ? 1 : depth
    }

    public static func comparison(_ comparison: ComparisonPredicate) -> Predicate {
        Predicate(.comparison(comparison), depth: max(comparison.left.depth, comparison.right.depth))
    }

    /// True if all of them are; true if there are none. ANDs among them are taken apart, so that a chain has one level.
    public static func and(_ predicates: [Predicate]) -> Predicate {
        compound(predicates, empty: true, Kind.and) { if case .and(let parts) = $0 { parts } else { nil } }
    }

    /// True if one of them is; false if there are none. ORs among them are taken apart, so that a chain has one level.
    public static func or(_ predicates: [Predicate]) -> Predicate {
        compound(predicates, empty: false, Kind.or) { if case .or(let parts) = $0 { parts } else { nil } }
    }

    public static func not(_ predicate: Predicate) -> Predicate {
        Predicate(.not(predicate), depth: predicate.depth + 1)
    }

    /// Written TRUEPREDICATE and FALSEPREDICATE.
    public static func constant(_ value: Bool) -> Predicate {
        Predicate(.constant(value), depth: 1)
    }

    private static func compound(
        _ predicates: [Predicate], empty: Bool, _ make: ([Predicate]) -> Kind, parts: (Kind) -> [Predicate]?
    ) -> Predicate {
        var members: [Predicate] = []
        members.reserveCapacity(predicates.count)
        for predicate in predicates {
            if let inner = parts(predicate.kind) { members += inner } else { members.append(predicate) }
        }
        guard let first = members.first else { return .constant(empty) }
        return members.count == 1 ? first : Predicate(make(members), depth: 1 + (members.lazy.map(\.depth).max() ?? 0))
    }
}

extension Predicate {
    /// Reads a predicate in the format language.
    ///
    /// - Parameter arguments: one for each `%@`, `%K` (a key path as text) or number format, in order.
    /// - Throws: `badPredicate`, with the position as a number of Unicode scalars from 1, what was found and what was expected.
    public init(format: String, _ arguments: (any PredicateArgument)...) throws(PinviewError) {
        try self.init(format: format, arguments: arguments)
    }

    public init(format: String, arguments: [any PredicateArgument]) throws(PinviewError) {
        var parser = try PredicateParser(format: format, arguments: arguments)
        self = try parser.parse()
    }

    /// The predicate with `$NAME` replaced by values.
    ///
    /// - Parameter variables: values by names without the `$`; names that the predicate does not use are ignored.
    /// - Throws: `badPredicate` for a variable that has no value.
    public func withSubstitutionVariables(_ variables: [String: any PredicateArgument]) throws(PinviewError) -> Predicate {
        try substitutingVariables { (name, keys) throws(PinviewError) in
            guard let value = variables[name] else {
                throw PinviewError(.badPredicate, "The variable $\(name) of the predicate has no value.")
            }
            guard keys.isEmpty else { throw Predicate.cannotLeadOn(from: name, keys) }
            return value.predicateArgument
        }
    }

    /// The predicate with its variables replaced by what `value` gives for their names and the keys that lead on from them.
    package func substitutingVariables(
        _ value: (_ name: String, _ keys: [String]) throws(PinviewError) -> Expression
    ) throws(PinviewError) -> Predicate {
        try substituting(value, bound: [])
    }

    package static func cannotLeadOn(from name: String, _ keys: [String]) -> PinviewError {
        PinviewError(.badPredicate, "$\(name).\(keys.joined(separator: ".")): a key path can lead on from the variable of a SUBQUERY only.")
    }

    fileprivate func substituting(_ variables: Substitution, bound: Set<String>) throws(PinviewError) -> Predicate {
        switch kind {
        case .constant, .tooDeep: return self
        case .not(let predicate): return .not(try predicate.substituting(variables, bound: bound))
        case .and(let predicates): return .and(try Self.substitute(predicates, variables, bound))
        case .or(let predicates): return .or(try Self.substitute(predicates, variables, bound))
        case .comparison(let comparison): return try Self.substitute(comparison, variables, bound)
        }
    }

    /// Apart from the walk, for the sake of its frames on the stack.
    @inline(never)
    private static func substitute(
        _ comparison: ComparisonPredicate, _ variables: Substitution, _ bound: Set<String>
    ) throws(PinviewError) -> Predicate {
        var comparison = comparison
        comparison.left = try comparison.left.substituting(variables, bound: bound)
        comparison.right = try comparison.right.substituting(variables, bound: bound)
        return .comparison(comparison)
    }

    private static func substitute(
        _ predicates: [Predicate], _ variables: Substitution, _ bound: Set<String>
    ) throws(PinviewError) -> [Predicate] {
        var result: [Predicate] = []
        result.reserveCapacity(predicates.count)
        for predicate in predicates { result.append(try predicate.substituting(variables, bound: bound)) }
        return result
    }
}

extension Expression {
    /// Reads an expression in the format language, such as `price * 2` or `cars.@sum.price`.
    ///
    /// - Parameter arguments: one for each `%@`, `%K` or number format, in order.
    /// - Throws: `badPredicate`, with the position, what was found and what was expected.
    public init(format: String, _ arguments: (any PredicateArgument)...) throws(PinviewError) {
        try self.init(format: format, arguments: arguments)
    }

    public init(format: String, arguments: [any PredicateArgument]) throws(PinviewError) {
        var parser = try PredicateParser(format: format, arguments: arguments)
        self = try parser.parseExpression()
    }

    /// - Parameter bound: the variables of the SUBQUERYs around it, which stand for members and not for given values.
    fileprivate func substituting(
        _ variables: Substitution, bound: Set<String>
    ) throws(PinviewError) -> Expression {
        switch kind {
        case .variable(let name, let keys):
            if bound.contains(name) { return self }
            return try variables(name, keys)
        case .aggregate(let elements): return .aggregate(try Self.substitute(elements, variables, bound))
        case .function(let function, let arguments): return .function(function, try Self.substitute(arguments, variables, bound))
        case .cast(let inner, let type): return .cast(try inner.substituting(variables, bound: bound), type)
        case .subquery(let collection, let variable, let predicate):
            return .subquery(
                try collection.substituting(variables, bound: bound), variable: variable,
                predicate: try predicate.substituting(variables, bound: bound.union([variable])))
        case .conditional(let predicate, let then, let otherwise):
            return .conditional(
                try predicate.substituting(variables, bound: bound), then: try then.substituting(variables, bound: bound),
                otherwise: try otherwise.substituting(variables, bound: bound))
        case .constant, .keyPath, .evaluatedObject, .objectURI, .tooDeep:
            return self
        }
    }

    private static func substitute(
        _ expressions: [Expression], _ variables: Substitution, _ bound: Set<String>
    ) throws(PinviewError) -> [Expression] {
        var result: [Expression] = []
        result.reserveCapacity(expressions.count)
        for expression in expressions { result.append(try expression.substituting(variables, bound: bound)) }
        return result
    }
}

/// Gives what stands for a variable and the keys behind it.
private typealias Substitution = (_ name: String, _ keys: [String]) throws(PinviewError) -> Expression
