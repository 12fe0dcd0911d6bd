import PinviewModel

extension PinviewPredicate {
    /// Replaces the variables (`$NAME`) by values.
    ///
    /// - Parameter variables: values by name without the `$`; names that the predicate does not use
    ///   are ignored.
    /// - Throws: `badPredicate` for a variable that has no value.
    public func withSubstitutionVariables(_ variables: [String: any PredicateArgument]) throws(PinviewError) -> PinviewPredicate {
        try substitutingVariables { (name, keys) throws(PinviewError) in
            guard let value = variables[name] else {
                throw PinviewError(.badPredicate, "The variable $\(name) of the predicate has no value.")
            }
            guard keys.isEmpty else { throw PinviewPredicate.cannotContinue(from: name, keys) }
            return value.predicateArgument
        }
    }

    /// Replaces each variable and the keys after it by an expression.
    package func substitutingVariables(
        _ value: (_ name: String, _ keys: [String]) throws(PinviewError) -> PinviewExpression
    ) throws(PinviewError) -> PinviewPredicate {
        try substituting(value, bound: [])
    }

    package static func cannotContinue(from name: String, _ keys: [String]) -> PinviewError {
        PinviewError(
            .badPredicate, "$\(name).\(keys.joined(separator: ".")): only the variable of a SUBQUERY can be followed by a key path.")
    }

    fileprivate func substituting(_ variables: Substitution, bound: Set<String>) throws(PinviewError) -> PinviewPredicate {
        switch kind {
        case .constant, .tooDeep: return self
        case .not(let predicate): return .not(try predicate.substituting(variables, bound: bound))
        case .and(let predicates): return .and(try Self.substitute(predicates, variables, bound))
        case .or(let predicates): return .or(try Self.substitute(predicates, variables, bound))
        case .comparison(let comparison): return try Self.substitute(comparison, variables, bound)
        }
    }

    /// Kept out of the recursive function to make its stack frames smaller.
    @inline(never)
    private static func substitute(
        _ comparison: ComparisonPredicate, _ variables: Substitution, _ bound: Set<String>
    ) throws(PinviewError) -> PinviewPredicate {
        var comparison = comparison
        comparison.left = try comparison.left.substituting(variables, bound: bound)
        comparison.right = try comparison.right.substituting(variables, bound: bound)
        return .comparison(comparison)
    }

    private static func substitute(
        _ predicates: [PinviewPredicate], _ variables: Substitution, _ bound: Set<String>
    ) throws(PinviewError) -> [PinviewPredicate] {
        var result: [PinviewPredicate] = []
        result.reserveCapacity(predicates.count)
        for predicate in predicates { result.append(try predicate.substituting(variables, bound: bound)) }
        return result
    }
}

extension PinviewExpression {
    /// - Parameter bound: the variables of enclosing SUBQUERYs, which stand for members and are not
    ///   replaced.
    fileprivate func substituting(
        _ variables: Substitution, bound: Set<String>
    ) throws(PinviewError) -> PinviewExpression {
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
        _ expressions: [PinviewExpression], _ variables: Substitution, _ bound: Set<String>
    ) throws(PinviewError) -> [PinviewExpression] {
        var result: [PinviewExpression] = []
        result.reserveCapacity(expressions.count)
        for expression in expressions { result.append(try expression.substituting(variables, bound: bound)) }
        return result
    }
}

/// The expression that replaces a variable and the keys after it.
private typealias Substitution = (_ name: String, _ keys: [String]) throws(PinviewError) -> PinviewExpression
