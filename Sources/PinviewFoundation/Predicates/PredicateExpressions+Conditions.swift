import FoundationEssentials
import PinviewTyped

// The parts of Foundation's predicates that are conditions.

extension PredicateExpressions.Conjunction: ConditionTranslatable {
    func condition(_ translation: PredicateTranslation) throws(PinviewError) -> PinviewPredicate {
        .and([try translation.predicate(lhs), try translation.predicate(rhs)])
    }
}

extension PredicateExpressions.Disjunction: ConditionTranslatable {
    func condition(_ translation: PredicateTranslation) throws(PinviewError) -> PinviewPredicate {
        .or([try translation.predicate(lhs), try translation.predicate(rhs)])
    }
}

extension PredicateExpressions.Negation: ConditionTranslatable {
    func condition(_ translation: PredicateTranslation) throws(PinviewError) -> PinviewPredicate {
        .not(try translation.predicate(wrapped))
    }
}

extension PredicateExpressions.Value: ConditionTranslatable where Output == Bool {
    func condition(_ translation: PredicateTranslation) -> PinviewPredicate { .constant(value) }
}

extension PredicateExpressions.Equal: ConditionTranslatable {
    func condition(_ translation: PredicateTranslation) throws(PinviewError) -> PinviewPredicate {
        try translation.equality(lhs, rhs)
    }
}

extension PredicateExpressions.NotEqual: ConditionTranslatable {
    func condition(_ translation: PredicateTranslation) throws(PinviewError) -> PinviewPredicate {
        let equal = try translation.equality(lhs, rhs)
        guard case .comparison(var comparison) = equal.kind, comparison.operator == .equalTo else { return .not(equal) }
        comparison.operator = .notEqualTo
        return .comparison(comparison)
    }
}

extension PredicateTranslation {
    fileprivate func equality(_ left: some PredicateExpression, _ right: some PredicateExpression) throws(PinviewError) -> PinviewPredicate
    {
        // `name?.contains("a") == true`: a condition is compared with a constant.
        for (condition, other) in [(left as any PredicateExpression, right as any PredicateExpression), (right, left)] {
            guard let condition = condition as? any ConditionTranslatable, !(condition is any ConstantValue) else { continue }
            guard let constant = other as? any ConstantValue else { throw Self.unsupported("the comparison of two conditions") }
            let absence = try condition.absence(self)
            guard let wanted = constant.constantValue as? Bool else { return absence ?? .constant(false) }
            let holds = try condition.condition(self)
            return wanted ? holds : .and([.not(holds)] + (absence.map { [.not($0)] } ?? []))
        }
        return .comparison(try comparison(left, .equalTo, right))
    }

    fileprivate func comparison(
        _ left: some PredicateExpression, _ operation: PredicateOperator, _ right: some PredicateExpression
    ) throws(PinviewError) -> ComparisonPredicate {
        var (first, second) = (try value(left), try value(right))
        if left.isObjectURI || right.isObjectURI { (first, second) = (objects(first), objects(second)) }
        return ComparisonPredicate(first, operation, second)
    }
}

private protocol ConstantValue {
    var constantValue: Any { get }
}

extension PredicateExpressions.Value: ConstantValue {
    fileprivate var constantValue: Any { value }
}

private protocol ObjectURI {
    var isURI: Bool { get }
}

extension PredicateExpressions.KeyPath: ObjectURI {}

extension PredicateExpressions.OptionalFlatMap: ObjectURI {
    fileprivate var isURI: Bool { transform.isObjectURI }
}

extension PredicateExpressions.ForcedUnwrap: ObjectURI {
    fileprivate var isURI: Bool { inner.isObjectURI }
}

extension PredicateExpression {
    fileprivate var isObjectURI: Bool { (self as? any ObjectURI)?.isURI ?? false }
}

extension PredicateExpressions.Comparison: ConditionTranslatable {
    func condition(_ translation: PredicateTranslation) throws(PinviewError) -> PinviewPredicate {
        let operation: PredicateOperator =
            switch op {
            case .lessThan: .lessThan
            case .lessThanOrEqual: .lessThanOrEqualTo
            case .greaterThan: .greaterThan
            case .greaterThanOrEqual: .greaterThanOrEqualTo
            @unknown default: throw PredicateTranslation.unsupported("the operator \(op)")
            }
        return .comparison(try translation.comparison(lhs, operation, rhs))
    }
}

// MARK: Texts

extension PredicateExpressions.CollectionContainsCollection: ConditionTranslatable {
    func condition(_ translation: PredicateTranslation) throws(PinviewError) -> PinviewPredicate {
        guard Base.Output.self is any StringProtocol.Type else { throw PredicateTranslation.unsupported(self) }
        return .comparison(ComparisonPredicate(try translation.value(base), .contains, try translation.value(other)))
    }
}

extension PredicateExpressions.SequenceStartsWith: ConditionTranslatable {
    func condition(_ translation: PredicateTranslation) throws(PinviewError) -> PinviewPredicate {
        guard Base.Output.self is any StringProtocol.Type else { throw PredicateTranslation.unsupported(self) }
        return .comparison(ComparisonPredicate(try translation.value(base), .beginsWith, try translation.value(prefix)))
    }
}

extension PredicateExpressions.KeyPath: ConditionTranslatable where Output == Bool {
    func condition(_ translation: PredicateTranslation) throws(PinviewError) -> PinviewPredicate {
        if let type = Root.Output.self as? any CountedMembers.Type, type.isEmptiness(keyPath) {
            return .comparison(ComparisonPredicate(try type.count(of: translation.value(root)), .equalTo, .constant(.integer(0))))
        }
        if keyPath == \String.isEmpty {
            return .comparison(ComparisonPredicate(try translation.value(root), .equalTo, .constant(.string(""))))
        }
        return .comparison(ComparisonPredicate(try value(translation), .equalTo, .constant(.boolean(true))))
    }
}

// MARK: Members and lists

extension PredicateExpressions.SequenceContains: ConditionTranslatable {
    func condition(_ translation: PredicateTranslation) throws(PinviewError) -> PinviewPredicate {
        let members = try translation.value(sequence)
        var member = try translation.value(element)
        if LHS.Output.self is any RelatedObjects.Type {
            member = translation.objects(member)
            return .comparison(ComparisonPredicate(members, .equalTo, member, modifier: .any))
        }
        if LHS.Output.self is any StringProtocol.Type { return .comparison(ComparisonPredicate(members, .contains, member)) }
        return .comparison(ComparisonPredicate(member, .in, element.isObjectURI ? translation.objects(members) : members))
    }
}

extension PredicateExpressions.SequenceContainsWhere: ConditionTranslatable {
    func condition(_ translation: PredicateTranslation) throws(PinviewError) -> PinviewPredicate {
        if LHS.Output.self is any RelatedObjects.Type {
            let (name, inner) = translation.binding(memberOf: variable.key)
            let satisfying = PinviewExpression.subquery(
                try translation.value(sequence), variable: name, predicate: try inner.predicate(test))
            return .comparison(ComparisonPredicate(.function(.count, [satisfying]), .greaterThan, .constant(.integer(0))))
        }
        return .or(try translation.forEach(of: sequence, variable.key, test))
    }
}

extension PredicateExpressions.SequenceAllSatisfy: ConditionTranslatable {
    func condition(_ translation: PredicateTranslation) throws(PinviewError) -> PinviewPredicate {
        if LHS.Output.self is any RelatedObjects.Type {
            let (name, inner) = translation.binding(memberOf: variable.key)
            let failing = PinviewExpression.subquery(
                try translation.value(sequence), variable: name, predicate: .not(try inner.predicate(test)))
            return .comparison(ComparisonPredicate(.function(.count, [failing]), .equalTo, .constant(.integer(0))))
        }
        return .and(try translation.forEach(of: sequence, variable.key, test))
    }
}

extension PredicateTranslation {
    /// A condition for each element of a list that the program gave.
    fileprivate func forEach(
        of list: some PredicateExpression, _ variable: PredicateExpressions.VariableID, _ condition: some PredicateExpression
    ) throws(PinviewError) -> [PinviewPredicate] {
        guard case .aggregate(let elements) = try value(list).kind else { throw Self.unsupported(list) }
        var conditions: [PinviewPredicate] = []
        for element in elements { conditions.append(try binding(variable, to: element).predicate(condition)) }
        return conditions
    }
}

// MARK: Ranges

/// The lower bound, how a value compares with the upper one, and that.
private typealias Bounds = (PinviewExpression, PredicateOperator, PinviewExpression)

private protocol Bounded {
    func bounds(_ translation: PredicateTranslation) throws(PinviewError) -> Bounds
}

extension PredicateExpressions.Range: Bounded {
    fileprivate func bounds(_ translation: PredicateTranslation) throws(PinviewError) -> Bounds {
        (try translation.value(lower), .lessThan, try translation.value(upper))
    }
}

extension PredicateExpressions.ClosedRange: Bounded {
    fileprivate func bounds(_ translation: PredicateTranslation) throws(PinviewError) -> Bounds {
        (try translation.value(lower), .lessThanOrEqualTo, try translation.value(upper))
    }
}

extension Range: Bounded {
    fileprivate func bounds(_ translation: PredicateTranslation) throws(PinviewError) -> Bounds {
        (try constant(lowerBound), .lessThan, try constant(upperBound))
    }
}

extension ClosedRange: Bounded {
    fileprivate func bounds(_ translation: PredicateTranslation) throws(PinviewError) -> Bounds {
        (try constant(lowerBound), .lessThanOrEqualTo, try constant(upperBound))
    }
}

extension PredicateExpressions.RangeExpressionContains: ConditionTranslatable {
    func condition(_ translation: PredicateTranslation) throws(PinviewError) -> PinviewPredicate {
        guard let bounded = (range as? any Bounded) ?? ((range as? any ConstantValue)?.constantValue as? any Bounded) else {
            throw PredicateTranslation.unsupported("a range without two bounds")
        }
        let (lower, operation, upper) = try bounded.bounds(translation)
        let value = try translation.value(element)
        return .and([
            .comparison(ComparisonPredicate(value, .greaterThanOrEqualTo, lower)),
            .comparison(ComparisonPredicate(value, operation, upper)),
        ])
    }
}

// MARK: Optional values

extension PredicateExpressions.OptionalFlatMap: ConditionTranslatable where RHS.Output == Bool {
    func condition(_ translation: PredicateTranslation) throws(PinviewError) -> PinviewPredicate {
        let value = try translation.value(wrapped)
        return .and([.not(.isNil(value)), try translation.binding(variable.key, to: value).predicate(transform)])
    }

    func absence(_ translation: PredicateTranslation) throws(PinviewError) -> PinviewPredicate? { .isNil(try translation.value(wrapped)) }
}

extension PredicateExpressions.NilCoalesce: ConditionTranslatable where RHS.Output == Bool {
    func condition(_ translation: PredicateTranslation) throws(PinviewError) -> PinviewPredicate {
        guard let absence = try translation.absence(lhs) else { return try translation.predicate(lhs) }
        return .or([.and([.not(absence), try translation.predicate(lhs)]), .and([absence, try translation.predicate(rhs)])])
    }
}

extension PredicateExpressions.Conditional: ConditionTranslatable where If.Output == Bool {
    func condition(_ translation: PredicateTranslation) throws(PinviewError) -> PinviewPredicate {
        let test = try translation.predicate(test)
        return .or([.and([test, try translation.predicate(trueBranch)]), .and([.not(test), try translation.predicate(falseBranch)])])
    }
}
