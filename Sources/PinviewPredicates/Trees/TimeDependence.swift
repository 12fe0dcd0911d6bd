extension PinviewPredicate {
    /// Whether the time at which it is evaluated is part of it.
    package var usesTime: Bool {
        switch kind {
        case .comparison(let comparison): comparison.left.usesTime || comparison.right.usesTime
        case .and(let parts), .or(let parts): parts.contains(where: \.usesTime)
        case .not(let part): part.usesTime
        case .constant, .tooDeep: false
        }
    }
}

extension PinviewExpression {
    /// Whether the time at which it is evaluated is part of it.
    package var usesTime: Bool {
        switch kind {
        case .function(.now, _): true
        case .function(_, let arguments), .aggregate(let arguments): arguments.contains(where: \.usesTime)
        case .conditional(let condition, let then, let otherwise): condition.usesTime || then.usesTime || otherwise.usesTime
        case .subquery(_, _, let predicate): predicate.usesTime
        case .cast(let inner, _): inner.usesTime
        case .constant, .keyPath, .evaluatedObject, .variable, .objectURI, .tooDeep: false
        }
    }
}
