import PinviewModel

/// A condition on objects (`NSPredicate`). Immutable; any thread may use it.
///
/// `Predicate(format: "name BEGINSWITH %@ AND age >= %d", "dave", 21)`. Values are given apart from the text, so nothing that
/// a value contains can change the meaning. The language, whose words may be in upper or lower case:
///
/// - Comparisons: `==` (`=`), `!=` (`<>`), `<`, `<=` (`=<`), `>`, `>=` (`=>`), `BETWEEN {low, high}`, `IN {…}`, `NOT IN {…}`;
///   of texts also `CONTAINS`, `BEGINSWITH`, `ENDSWITH`, `LIKE` (with `*`, `?` and `\`). Behind the operator `[c]`, `[d]` or `[cd]`
///   makes texts equal that differ in case or in accents only.
/// - `AND` (`&&`), `OR` (`||`), `NOT` (`!`), in this order of strength from NOT down, and parentheses; `TRUEPREDICATE`, `FALSEPREDICATE`.
/// - Key paths over to-one relationships: `owner.name`; `SELF` and `owner.objectID` are objects, which compare with objects and IDs.
///   `#` before a name takes it for a key though it is a word of the language: `#in`; other names go in quotes: `#"a b"`.
/// - Over one to-many relationship: `ANY` (`SOME`), `ALL`, `NONE` before the comparison, or `cars.@count`.
///   `tag IN keywords` and `keywords CONTAINS tag` say `ANY keywords == tag`.
/// - Values: `nil` (`NULL`), `TRUE` (`YES`), `FALSE` (`NO`), numbers, texts in single or double quotes with `\n`, `\t`, `\r`, `\0`,
///   `\\`, `\'`, `\"`, `\u00E9`, `\u{1F600}`, lists in braces, `CAST(text, "NSDate")` for types that have no literal: `NSDate` (seconds since
///   2001-01-01 00:00 UTC), `NSDecimalNumber`, `NSUUID`, `NSData` (hexadecimal), `NSNumber`, `NSManagedObjectID` (the URI).
/// - `%@` takes a value, list, object or expression, `%K` a key path as text, `%d`, `%i`, `%u`, `%f`, `%g`, `%e` (also with `l`, `ll`)
///   a number. In quotes a `%` is a percent sign.
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
        switch kind {
        case .constant, .tooDeep: return self
        case .not(let predicate): return .not(try predicate.withSubstitutionVariables(variables))
        case .and(let predicates): return .and(try Self.substitute(predicates, variables))
        case .or(let predicates): return .or(try Self.substitute(predicates, variables))
        case .comparison(let comparison): return try Self.substitute(comparison, variables)
        }
    }

    /// Apart from the walk, for the sake of its frames on the stack.
    @inline(never)
    private static func substitute(
        _ comparison: ComparisonPredicate, _ variables: [String: any PredicateArgument]
    ) throws(PinviewError) -> Predicate {
        var comparison = comparison
        comparison.left = try comparison.left.substituting(variables)
        comparison.right = try comparison.right.substituting(variables)
        return .comparison(comparison)
    }

    private static func substitute(
        _ predicates: [Predicate], _ variables: [String: any PredicateArgument]
    ) throws(PinviewError) -> [Predicate] {
        var result: [Predicate] = []
        result.reserveCapacity(predicates.count)
        for predicate in predicates { result.append(try predicate.withSubstitutionVariables(variables)) }
        return result
    }
}

extension Expression {
    fileprivate func substituting(_ variables: [String: any PredicateArgument]) throws(PinviewError) -> Expression {
        switch kind {
        case .variable(let name):
            guard let value = variables[name] else {
                throw PinviewError(.badPredicate, "The variable $\(name) of the predicate has no value.")
            }
            return value.predicateArgument
        case .aggregate(let elements):
            var result: [Expression] = []
            result.reserveCapacity(elements.count)
            for element in elements { result.append(try element.substituting(variables)) }
            return .aggregate(result)
        case .constant, .keyPath, .evaluatedObject, .objectURI, .tooDeep:
            return self
        }
    }
}
