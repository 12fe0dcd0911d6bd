import PinviewModel

/// Resolves comparisons: resolves both sides, checks that they can be compared, and converts
/// constants.
struct ComparisonResolver {
    let expressions: ExpressionResolver

    func resolve(_ comparison: ComparisonPredicate) throws(PinviewError) -> ResolvedPredicate {
        if case .aggregate = comparison.left.kind { throw bad(comparison, "a list cannot be on the left") }
        let left = try expression(comparison.left)
        if case .aggregate(let elements) = comparison.right.kind {
            switch comparison.operator {
            case .in: return try resolveMembership(left, elements, comparison)
            case .between: return try resolveBetween(left, elements, comparison)
            default: throw bad(comparison, "a list can only follow IN or BETWEEN")
            }
        }
        let right = try expression(comparison.right)
        switch comparison.operator {
        case .between: throw bad(comparison, "BETWEEN needs a list of two values")
        case .in:
            guard right.isCollection, comparison.modifier == .direct else {
                throw bad(comparison, "IN needs a list of values on its right")
            }
            return try resolve(right, .equalTo, left, modifier: .any, comparison)
        case .contains where left.isCollection && comparison.modifier == .direct:
            return try resolve(left, .equalTo, right, modifier: .any, comparison)
        default:
            return try resolve(left, comparison.operator, right, modifier: comparison.modifier, comparison)
        }
    }

    private func bad(_ comparison: ComparisonPredicate, _ why: String) -> PinviewError {
        let text = comparison.description
        return PinviewError(.badPredicate, "In '\(text.prefix(200))\(text.utf8.count > 800 ? "…" : "")': \(why).")
    }

    // MARK: Single values

    private func resolve(
        _ left: ResolvedExpression, _ op: PredicateOperator, _ right: ResolvedExpression, modifier: PredicateModifier,
        _ comparison: ComparisonPredicate
    ) throws(PinviewError) -> ResolvedPredicate {
        var (left, right, op) = (left, right, op)
        let constantGoesRight = left.isConstant && !right.isConstant && !right.isCollection
        if constantGoesRight || (right.isCollection && !left.isCollection) {
            if let mirrored = op.mirrored {
                (left, right, op) = (right, left, mirrored)
            } else if right.isCollection {
                throw bad(comparison, "a to-many relationship can only be on the left of \(op.rawValue)")
            }
        }
        guard !right.isCollection else { throw bad(comparison, "only one side can be a to-many relationship") }
        try checkModifier(modifier, left, comparison)
        try checkCategories(left.category, op, right.category, comparison)
        try checkHierarchies(left, right, comparison)
        try checkOptions(left.category ?? right.category, comparison)
        var pattern: MatchPattern?
        if op == .matches {
            guard case .constant(let given) = right else {
                throw bad(comparison, "the pattern of MATCHES must be a constant, not read from objects")
            }
            if case .string(let text) = given { pattern = try MatchPattern.compiled(text, comparison.options.folding) }
        }
        let resolved = ResolvedComparison(
            left: converted(left, like: right), right: converted(right, like: left), operator: op, modifier: modifier,
            options: left.category == .text && right.category == .text ? comparison.options.folding : [], pattern: pattern)
        if case .constant(let first) = resolved.left, case .constant(let second) = resolved.right {
            return .constant(try resolved.holds(first, second))
        }
        return .comparison(resolved)
    }

    private func checkModifier(
        _ modifier: PredicateModifier, _ left: ResolvedExpression, _ comparison: ComparisonPredicate
    ) throws(PinviewError) {
        if left.isCollection, modifier == .direct {
            throw bad(comparison, "a key path over a to-many relationship needs ANY, ALL or NONE before it, or @count after it")
        }
        if !left.isCollection, modifier != .direct {
            throw bad(comparison, "\(modifier.rawValue) needs a key path over a to-many relationship")
        }
    }

    private func checkCategories(
        _ left: ValueCategory?, _ op: PredicateOperator, _ right: ValueCategory?, _ comparison: ComparisonPredicate
    ) throws(PinviewError) {
        if op.isTextual {
            for category in [left, right] {
                guard let category, category != .text else { continue }
                throw bad(comparison, "\(op.rawValue) compares strings, not \(category.rawValue)")
            }
        }
        if let left, let right, left != right { throw bad(comparison, "\(left.rawValue) cannot be compared with \(right.rawValue)") }
        if op.isOrdering, let category = left ?? right, !category.isOrdered { throw bad(comparison, "\(category.rawValue) has no order") }
    }

    private func checkOptions(_ category: ValueCategory?, _ comparison: ComparisonPredicate) throws(PinviewError) {
        if comparison.options.contains(.localized), comparison.operator.isTextual {
            throw bad(comparison, "the option [l] is for equality and order; \(comparison.operator.rawValue) does not support it")
        }
        guard !comparison.options.isEmpty, let category, category != .text else { return }
        throw bad(comparison, "the options [c], [d], [n] and [l] are only for strings, not for \(category.rawValue)")
    }

    /// Objects of different hierarchies are never equal.
    private func checkHierarchies(
        _ left: ResolvedExpression, _ right: ResolvedExpression, _ comparison: ComparisonPredicate
    ) throws(PinviewError) {
        guard let first = entity(of: left), let second = entity(of: right), first.rootName != second.rootName else { return }
        throw bad(comparison, "an object of entity \(first.name) is never an object of entity \(second.name)")
    }

    private func entity(of expression: ResolvedExpression) -> Entity? {
        switch expression {
        case .object(let path): path.last?.destination ?? expressions.innermostEntity
        case .outer(let levels, .object(let path)): path.last?.destination ?? expressions.entity(levelsOut: levels)
        case .constant(.objectID(let objectID)): objectID.entity
        default: nil
        }
    }

    // MARK: Lists

    private func resolveMembership(
        _ left: ResolvedExpression, _ elements: [PinviewExpression], _ comparison: ComparisonPredicate
    ) throws(PinviewError) -> ResolvedPredicate {
        guard let values = try constants(elements, comparison) else {
            // Elements other than constants: one comparison for each.
            return try resolveEach(left, elements.map { (.equalTo, $0) }, isConjunction: false, comparison)
        }
        return try resolve(left, list: values, comparison)
    }

    /// `x BETWEEN {a, b}` is `x >= a AND x <= b`; under a modifier, a single value must satisfy
    /// both.
    private func resolveBetween(
        _ left: ResolvedExpression, _ bounds: [PinviewExpression], _ comparison: ComparisonPredicate
    ) throws(PinviewError) -> ResolvedPredicate {
        guard bounds.count == 2 else { throw bad(comparison, "BETWEEN needs a list of two values") }
        guard let values = try constants(bounds, comparison) else {
            let parts: [(PredicateOperator, PinviewExpression)] = [(.greaterThanOrEqualTo, bounds[0]), (.lessThanOrEqualTo, bounds[1])]
            return try resolveEach(left, parts, isConjunction: true, comparison)
        }
        return try resolve(left, list: values, comparison)
    }

    /// - Returns: nil if an element is not a constant.
    private func constants(_ elements: [PinviewExpression], _ comparison: ComparisonPredicate) throws(PinviewError) -> [Value]? {
        var values: [Value] = []
        values.reserveCapacity(elements.count)
        for element in elements {
            switch element.kind {
            case .constant(let value): values.append(value.withoutNaN)
            case .objectURI:
                guard case .constant(let value) = try expression(element) else { return nil }
                values.append(value)
            case .keyPath, .evaluatedObject, .variable, .function, .conditional, .cast, .subquery:
                guard case .constant(let value) = try expression(element) else { return nil }
                values.append(value)
            case .aggregate: throw bad(comparison, "a list cannot contain a list")
            case .tooDeep: throw NestingLimit.error
            }
        }
        return values
    }

    private func resolveEach(
        _ left: ResolvedExpression, _ parts: [(PredicateOperator, PinviewExpression)], isConjunction: Bool,
        _ comparison: ComparisonPredicate
    ) throws(PinviewError) -> ResolvedPredicate {
        guard comparison.modifier == .direct else {
            throw bad(comparison, "after \(comparison.modifier.rawValue), the list can contain only values, not key paths")
        }
        var resolved: [ResolvedPredicate] = []
        for (op, element) in parts {
            if case .aggregate = element.kind { throw bad(comparison, "a list cannot contain a list") }
            resolved.append(try resolve(left, op, expression(element), modifier: .direct, comparison))
        }
        return .joining(resolved, isConjunction: isConjunction)
    }

    private func resolve(
        _ left: ResolvedExpression, list values: [Value], _ comparison: ComparisonPredicate
    ) throws(PinviewError) -> ResolvedPredicate {
        try checkModifier(comparison.modifier, left, comparison)
        for value in values { try checkCategories(left.category, comparison.operator, value.category, comparison) }
        try checkOptions(left.category, comparison)
        let resolved = ResolvedComparison(
            left: left, right: converted(.list(values), like: left), operator: comparison.operator, modifier: comparison.modifier,
            options: left.category == .text ? comparison.options.folding : [])
        if case .constant(let value) = left { return .constant(resolved.holds(value, inList: resolved.listed)) }
        return .comparison(resolved)
    }

    private func expression(_ expression: PinviewExpression) throws(PinviewError) -> ResolvedExpression {
        try expressions.resolve(expression)
    }

    // MARK: Conversion

    /// Converts constants to the type of the attribute they are compared with, if that loses
    /// nothing.
    private func converted(_ expression: ResolvedExpression, like other: ResolvedExpression) -> ResolvedExpression {
        let convert: (Value) -> Value
        switch other.inner {
        case .attribute(_, let property): convert = { converted($0, property) }
        default: return expression
        }
        switch expression {
        case .constant(let value): return .constant(convert(value))
        case .list(let values): return .list(values.map(convert))
        default: return expression
        }
    }

    private func converted(_ value: Value, _ property: Property) -> Value {
        if case .null = value { return value }
        if case .double(let number) = value, number.isInfinite, property.attributeType == .decimal {
            return number > 0 ? .decimal(Self.beyondAllDoubles) : .decimal(-Self.beyondAllDoubles)
        }
        // As a double it would become null.
        if case .decimal(let number) = value, number.isNaN { return value }
        // Rounding to a float would make it another number.
        if property.attributeType == .float, value.isWholeNumber { return value }
        do throws(PinviewError) {
            return try property.convert(value)
        } catch {
            // A number that the attribute cannot hold, such as 2.5 for an integer, can still be
            // compared.
            return value
        }
    }

    /// Greater than every number that a store can hold; stands for infinity among decimals.
    private static let beyondAllDoubles = DecimalNumber(significand: 1, exponent: 399) ?? .zero
}

extension ResolvedExpression {
    fileprivate var inner: ResolvedExpression {
        if case .outer(_, let inner) = self { return inner.inner }
        return self
    }
}

extension Value {
    /// Whether it is a number without a fraction.
    fileprivate var isWholeNumber: Bool {
        switch self {
        case .integer, .boolean: true
        case .double(let number): number.rounded(.towardZero) == number
        case .decimal(let number): number.int64Value != nil
        default: false
        }
    }
}

extension ExpressionResolver {
    /// The entity of the object that many levels further out.
    fileprivate func entity(levelsOut levels: Int) -> Entity {
        let level = members.count - levels
        return level > 0 ? members[level - 1].entity : entity
    }
}
