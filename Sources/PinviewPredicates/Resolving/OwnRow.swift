import PinviewModel

extension ResolvedPredicate {
    /// Whether the row of the object decides, whatever else the store has.
    package var isDecidedByOwnRow: Bool {
        var properties: [Property] = []
        return collectOwnProperties(&properties)
    }

    /// Adds the properties of the object that decide.
    ///
    /// - Returns: false if its row alone does not decide.
    package func collectOwnProperties(_ properties: inout [Property]) -> Bool {
        switch self {
        case .comparison(let comparison):
            return comparison.left.collectOwnProperties(&properties) && comparison.right.collectOwnProperties(&properties)
        case .and(let parts), .or(let parts):
            for part in parts where !part.collectOwnProperties(&properties) { return false }
            return true
        case .not(let part): return part.collectOwnProperties(&properties)
        case .constant: return true
        }
    }
}

extension ResolvedExpression {
    fileprivate func collectOwnProperties(_ properties: inout [Property]) -> Bool {
        switch self {
        case .constant, .list: return true
        case .attribute(let path, let property):
            properties.append(property)
            return path.isEmpty
        case .entityName(let path): return path.isEmpty
        case .object(let path):
            properties += path.map(\.property)
            return path.isEmpty || path.count == 1 && !path[0].property.isToMany
        case .function(let function, let arguments, _):
            for argument in arguments where !argument.collectOwnProperties(&properties) { return false }
            return function != .now
        case .conditional(let condition, let then, let otherwise, _):
            return condition.collectOwnProperties(&properties) && then.collectOwnProperties(&properties)
                && otherwise.collectOwnProperties(&properties)
        case .cast(let inner, _): return inner.collectOwnProperties(&properties)
        case .toManyCount, .collection, .group, .outer: return false
        }
    }
}

extension ResolvedSortDescriptor {
    /// Whether the row of the object decides, whatever else the store has.
    package var isDecidedByOwnRow: Bool { path.isEmpty }
}
