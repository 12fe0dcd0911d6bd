import PinviewModel

/// A condition on objects (`NSPredicate`). Immutable; any thread may use it.
///
/// `PinviewPredicate(format: "name BEGINSWITH %@ AND age >= %d", "dave", 21)`. Values are passed
/// separately, so that nothing they contain can change the meaning of the text. The language, with
/// keywords in upper or lower case:
///
/// - Comparisons: `==` (`=`), `!=` (`<>`), `<`, `<=` (`=<`), `>`, `>=` (`=>`), `BETWEEN {low,
///   high}`, `IN {…}`, `NOT IN {…}`; for strings also `CONTAINS`, `BEGINSWITH`, `ENDSWITH`, `LIKE`
///   (with `*`, `?` and `\`) and `MATCHES` (a regular expression that matches the whole string).
///   After the operator, `[c]`, `[d]` or `[cd]` ignores case or accents, `[n]` turns both off, and
///   `[l]` compares in the user's language.
/// - `NOT` (`!`), `AND` (`&&`), `OR` (`||`), in descending precedence, and parentheses;
///   `TRUEPREDICATE`, `FALSEPREDICATE`.
/// - Key paths over to-one relationships: `owner.name`. `SELF` and `owner.objectID` are objects,
///   which compare with objects and IDs; `entity` is the name of an object's entity. `#` before a
///   name makes it a key even if it is a keyword: `#in`; other names need quotes: `#"a b"`. Members
///   of an ordered to-many relationship: `cars[0]`, `cars[FIRST]`, `cars[LAST]`.
/// - To-many relationships: `ANY` (`SOME`), `ALL`, `NONE` before the comparison. `tag IN keywords`
///   and `keywords CONTAINS tag` mean `ANY keywords == tag`. `cars.@count` (`cars[SIZE]`),
///   `cars.@sum.price`, `@min`, `@max`, `@avg`, `cars.@distinctUnionOfObjects.brand.@count`;
///   `SUBQUERY(cars, $car, $car.price > 100 AND $car.brand == brand).@count`, where keys without a
///   variable begin at the evaluated object.
/// - Computed values: `+`, `-`, `*`, `/`, `**`, `&`, `|`, `^`, `<<`, `>>`, `~`, parentheses, the
///   functions of `ExpressionFunction` (`abs(x)`, `length(name)`, `sum({1, x})`, `sum(cars.price)`,
///   `now()` …), `TERNARY(condition, then, else)`, `CAST(x, "NSString")`.
/// - Values: `nil` (`NULL`), `TRUE` (`YES`), `FALSE` (`NO`), numbers, strings in single or double
///   quotes with `\n`, `\t`, `\r`, `\0`, `\\`, `\'`, `\"`, `\u00E9`, `\u{1F600}`, lists in braces,
///   and `CAST(text, "NSDate")` for types without literals: `NSDate` (seconds since 2001-01-01
///   00:00 UTC), `NSDecimalNumber`, `NSUUID`, `NSData` (hexadecimal), `NSNumber`,
///   `NSManagedObjectID` (the URI).
/// - `%@` takes a value, list, object or expression, `%K` a key path as a string, `%d`, `%i`, `%u`,
///   `%f`, `%g`, `%e` (also with `l`, `ll`) a number; `%2$@` takes the second argument. `%` is
///   literal inside quotes; outside, `%%` is the remainder operator.
/// - `$NAME` is a variable, see `withSubstitutionVariables(_:)`.
///
/// There are only two truth values, even if a value is nil: for a nil `x`, `x != "a"` is true, and
/// `x < 3` is false, so that `NOT x < 3` is true.
public struct PinviewPredicate: Hashable, Sendable {
    /// The structure of a predicate.
    public indirect enum Kind: Hashable, Sendable {
        case comparison(ComparisonPredicate)
        /// At least two, none of which is an AND.
        case and([PinviewPredicate])
        /// At least two, none of which is an OR.
        case or([PinviewPredicate])
        case not(PinviewPredicate)
        case constant(Bool)
        /// Stands for a predicate that was nested more than 1000 levels deep. Using it is an error.
        case tooDeep
    }

    private enum Storage {
        case kind(Kind)
        /// A long chain: members of a list that longer chains may share.
        case chain(MemberList, Range<Int>, isConjunction: Bool)
    }

    private let storage: Storage
    /// The number of nested levels.
    let depth: Int

    /// The structure of this predicate. For a long chain, a new array is created on every access.
    public var kind: Kind {
        switch storage {
        case .kind(let kind): return kind
        case .chain(let list, let range, let isConjunction):
            let members = withExtendedLifetime(list) { Array(list[range]) }
            return isConjunction ? .and(members) : .or(members)
        }
    }

    /// Whether this stands for a predicate that was nested too deeply.
    var isTooDeep: Bool {
        if case .kind(.tooDeep) = storage { return true }
        return false
    }

    private init(_ kind: Kind, depth: Int) { self.init(.kind(kind), depth: depth) }

    private init(_ storage: Storage, depth: Int) {
        let isTooDeep = depth > NestingLimit.maximumDepth
        self.storage = isTooDeep ? .kind(.tooDeep) : storage
        self.depth = isTooDeep ? 1 : depth
    }

    // Not inlined: comparing lists of predicates would have it many times over.
    @inline(never)
    public static func == (left: Self, right: Self) -> Bool { left.kind == right.kind }
    public func hash(into hasher: inout Hasher) { hasher.combine(kind) }

    /// A predicate that is true if a comparison is.
    public static func comparison(_ comparison: ComparisonPredicate) -> PinviewPredicate {
        PinviewPredicate(.comparison(comparison), depth: max(comparison.left.depth, comparison.right.depth))
    }

    /// True if all of them are, or if there are none. Nested ANDs are flattened, so that a chain
    /// counts as one level.
    public static func and(_ predicates: [PinviewPredicate]) -> PinviewPredicate {
        compound(predicates, isConjunction: true)
    }

    /// True if one of them is; false if there are none. Nested ORs are flattened, so that a chain
    /// counts as one level.
    public static func or(_ predicates: [PinviewPredicate]) -> PinviewPredicate {
        compound(predicates, isConjunction: false)
    }

    /// True if the predicate is false.
    public static func not(_ predicate: PinviewPredicate) -> PinviewPredicate {
        PinviewPredicate(.not(predicate), depth: predicate.depth + 1)
    }

    /// A predicate that is always true or always false, written TRUEPREDICATE or FALSEPREDICATE.
    public static func constant(_ value: Bool) -> PinviewPredicate {
        PinviewPredicate(.constant(value), depth: 1)
    }

    /// Chains of at least this length share lists.
    private static let sharedMemberCount = 32

    private static func compound(_ predicates: [PinviewPredicate], isConjunction: Bool) -> PinviewPredicate {
        if predicates.count == 1 { return predicates[0] }
        let first = sharedMembers(predicates.first, isConjunction), last = sharedMembers(predicates.last, isConjunction)
        if let first, first.range.count >= last?.range.count ?? 0 {
            let more = members(of: predicates.dropFirst(), isConjunction)
            return extended(predicates[0], by: more, isConjunction, first.list.appending(more, to: first.range))
        }
        if let last {
            let more = members(of: predicates.dropLast(), isConjunction)
            return extended(predicates[predicates.count - 1], by: more, isConjunction, last.list.prepending(more, to: last.range))
        }
        let members = members(of: predicates[...], isConjunction)
        guard let first = members.first else { return .constant(isConjunction) }
        if members.count == 1 { return first }
        let depth = 1 + depth(of: members)
        guard members.count < sharedMemberCount else {
            let list = MemberList(members)
            return PinviewPredicate(.chain(list, list.all, isConjunction: isConjunction), depth: depth)
        }
        return PinviewPredicate(isConjunction ? .and(members) : .or(members), depth: depth)
    }

    /// The list that a chain of the same kind shares.
    private static func sharedMembers(_ predicate: PinviewPredicate?, _ isConjunction: Bool) -> (list: MemberList, range: Range<Int>)? {
        guard let predicate, case .chain(let list, let range, isConjunction) = predicate.storage else { return nil }
        return (list, range)
    }

    private static func extended(
        _ chain: PinviewPredicate, by more: [PinviewPredicate], _ isConjunction: Bool, _ members: (list: MemberList, range: Range<Int>)
    ) -> PinviewPredicate {
        if more.isEmpty { return chain }
        let depth = max(chain.depth, 1 + depth(of: more))
        return PinviewPredicate(.chain(members.list, members.range, isConjunction: isConjunction), depth: depth)
    }

    private static func depth(of members: [PinviewPredicate]) -> Int { members.lazy.map(\.depth).max() ?? 0 }

    private static func members(of predicates: ArraySlice<PinviewPredicate>, _ isConjunction: Bool) -> [PinviewPredicate] {
        var members: [PinviewPredicate] = []
        members.reserveCapacity(predicates.count)
        for predicate in predicates {
            switch predicate.storage {
            case .kind(.and(let inner)) where isConjunction: members += inner
            case .kind(.or(let inner)) where !isConjunction: members += inner
            case .chain(let list, let range, isConjunction): withExtendedLifetime(list) { members += list[range] }
            default: members.append(predicate)
            }
        }
        return members
    }
}
