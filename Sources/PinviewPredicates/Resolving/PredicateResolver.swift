import PinviewModel

extension PinviewPredicate {
    /// Checks the predicate against an entity and resolves it.
    ///
    /// - Parameter groups: set if functions may aggregate the rows of a group, as in HAVING.
    /// - Throws: `unknownKey` for a key that the entity lacks, `badPredicate` for comparisons that
    ///   make no sense.
    package func resolved(
        for entity: Entity, in model: ManagedObjectModel, groups: GroupScope? = nil
    ) throws(PinviewError) -> ResolvedPredicate {
        try PredicateResolver(
            comparisons: ComparisonResolver(expressions: ExpressionResolver(entity: entity, model: model, groups: groups))
        ).resolve(self, isNegated: false)
    }
}

/// Resolves AND, OR and NOT. With two truth values, `NOT (a AND b)` is `NOT a OR NOT b`: pushing
/// NOT down to the comparisons saves nesting, of which SQLite's parser allows little.
struct PredicateResolver {
    let comparisons: ComparisonResolver

    func resolve(_ predicate: PinviewPredicate, isNegated: Bool) throws(PinviewError) -> ResolvedPredicate {
        switch predicate.kind {
        case .constant(let value): return .constant(value != isNegated)
        case .not(let inner): return try resolve(inner, isNegated: !isNegated)
        case .and(let parts): return try resolve(parts, isConjunction: !isNegated, isNegated: isNegated)
        case .or(let parts): return try resolve(parts, isConjunction: isNegated, isNegated: isNegated)
        case .comparison(let comparison):
            let resolved = try comparisons.resolve(comparison)
            return isNegated ? resolved.negated : resolved
        case .tooDeep: throw NestingLimit.error
        }
    }

    private func resolve(_ parts: [PinviewPredicate], isConjunction: Bool, isNegated: Bool) throws(PinviewError) -> ResolvedPredicate {
        var resolved: [ResolvedPredicate] = []
        resolved.reserveCapacity(parts.count)
        for part in parts { resolved.append(try resolve(part, isNegated: isNegated)) }
        return .joining(resolved, isConjunction: isConjunction)
    }
}

extension ResolvedPredicate {
    /// Joins predicates by AND or OR, without nesting or constants.
    static func joining(_ parts: [ResolvedPredicate], isConjunction: Bool) -> ResolvedPredicate {
        var members: [ResolvedPredicate] = []
        members.reserveCapacity(parts.count)
        for part in parts {
            switch part {
            case .constant(let value):
                // false decides AND, and true decides OR; the other value has no effect.
                if value != isConjunction { return part }
            case .and(let inner) where isConjunction: members += inner
            case .or(let inner) where !isConjunction: members += inner
            default: members.append(part)
            }
        }
        members = EqualityMerging.merged(members, isConjunction: isConjunction)
        guard let first = members.first else { return .constant(isConjunction) }
        if members.count == 1 { return first }
        return isConjunction ? .and(members) : .or(members)
    }

    /// The opposite. Comparisons resolve to shallow predicates, so the recursion is shallow too.
    fileprivate var negated: ResolvedPredicate {
        switch self {
        case .constant(let value): return .constant(!value)
        case .not(let inner): return inner
        case .and(let parts): return .joining(parts.map(\.negated), isConjunction: false)
        case .or(let parts): return .joining(parts.map(\.negated), isConjunction: true)
        case .comparison(let comparison): return comparison.opposite.map(ResolvedPredicate.comparison) ?? .not(self)
        }
    }
}

extension ResolvedComparison {
    /// The comparison that is true exactly where this one is false, if there is one.
    fileprivate var opposite: ResolvedComparison? {
        switch (modifier, `operator`) {
        case (.direct, .equalTo): with(.notEqualTo, modifier)
        case (.direct, .notEqualTo): with(.equalTo, modifier)
        case (.any, _): with(`operator`, .none)
        case (.none, _): with(`operator`, .any)
        default: nil
        }
    }

    private func with(_ op: PredicateOperator, _ modifier: PredicateModifier) -> ResolvedComparison {
        ResolvedComparison(left: left, right: right, operator: op, modifier: modifier, options: options, pattern: pattern)
    }
}
