extension ResolvedPredicate {
    /// Whether the row of the object decides, whatever else the store has.
    package var isDecidedByOwnRow: Bool {
        switch self {
        case .comparison(let comparison): comparison.left.isDecidedByOwnRow && comparison.right.isDecidedByOwnRow
        case .and(let parts), .or(let parts): parts.allSatisfy(\.isDecidedByOwnRow)
        case .not(let part): part.isDecidedByOwnRow
        case .constant: true
        }
    }
}

extension ResolvedExpression {
    fileprivate var isDecidedByOwnRow: Bool {
        switch self {
        case .constant, .list: true
        case .attribute(let path, _), .entityName(let path): path.isEmpty
        case .object(let path): path.isEmpty || path.count == 1 && !path[0].property.isToMany
        case .function(let function, let arguments, _): function != .now && arguments.allSatisfy(\.isDecidedByOwnRow)
        case .conditional(let condition, let then, let otherwise, _):
            condition.isDecidedByOwnRow && then.isDecidedByOwnRow && otherwise.isDecidedByOwnRow
        case .cast(let inner, _): inner.isDecidedByOwnRow
        case .toManyCount, .collection, .group, .outer: false
        }
    }
}

extension ResolvedSortDescriptor {
    /// Whether the row of the object decides, whatever else the store has.
    package var isDecidedByOwnRow: Bool { path.isEmpty }
}
