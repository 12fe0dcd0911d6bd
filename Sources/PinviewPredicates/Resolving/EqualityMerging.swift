import PinviewModel

/// Rewrites `a == 1 OR a == 2 OR …` as `a IN {1, 2, …}`, and `a != 1 AND a != 2 AND …` as `NOT a IN
/// {1, 2, …}`: planning a chain takes SQLite time quadratic in its length, but a list is read once.
///
/// The condition is the same, also for nil: `a == nil` becomes the element nil of the list.
struct EqualityMerging {
    /// Shorter chains are left alone: SQLite rewrites them itself.
    static let minimumCount = 16

    /// Identifies the left-hand side and the options: terms with the same key can be merged.
    private struct Key: Hashable {
        struct Step: Hashable {
            let property: Int
            let element: ElementIndex?
        }

        let steps: [Step]
        /// nil for the object itself.
        let property: Int?
        let modifier: PredicateModifier
        let options: PredicateOptions.RawValue
    }

    /// The terms that have the same key.
    private struct Group {
        let index: Int
        let first: ResolvedComparison
        var values: [Value] = []
        var count = 0
    }

    /// The members of a chain, with terms of the same key merged into the first of them.
    static func merged(_ members: [ResolvedPredicate], isConjunction: Bool) -> [ResolvedPredicate] {
        guard members.count >= minimumCount else { return members }
        var groups: [Key: Group] = [:]
        var keys: [Key?] = []
        keys.reserveCapacity(members.count)
        for (index, member) in members.enumerated() {
            guard let (comparison, values) = term(member, isConjunction), let key = key(of: comparison) else {
                keys.append(nil)
                continue
            }
            keys.append(key)
            groups[key, default: Group(index: index, first: comparison)].values += values
            groups[key]?.count += 1
        }
        var merged: [ResolvedPredicate] = []
        for (index, member) in members.enumerated() {
            guard let key = keys[index], let group = groups[key], group.count >= minimumCount else {
                merged.append(member)
                continue
            }
            guard group.index == index else { continue }
            let list = ResolvedPredicate.comparison(
                ResolvedComparison(
                    left: group.first.left, right: .list(group.values), operator: .in, modifier: group.first.modifier,
                    options: group.first.options))
            merged.append(isConjunction && group.first.modifier == .direct ? .not(list) : list)
        }
        return merged
    }

    /// The comparison and values of a term, if it can be merged.
    private static func term(_ member: ResolvedPredicate, _ isConjunction: Bool) -> (ResolvedComparison, [Value])? {
        switch member {
        case .comparison(let comparison):
            switch (comparison.modifier, comparison.operator, comparison.right) {
            case (.direct, .equalTo, .constant(let value)), (.any, .equalTo, .constant(let value)):
                return isConjunction ? nil : (comparison, [value])
            case (.direct, .in, .list(let values)), (.any, .in, .list(let values)):
                return isConjunction ? nil : (comparison, values)
            case (.direct, .notEqualTo, .constant(let value)), (.none, .equalTo, .constant(let value)):
                return isConjunction ? (comparison, [value]) : nil
            case (.none, .in, .list(let values)):
                return isConjunction ? (comparison, values) : nil
            default: return nil
            }
        case .not(.comparison(let comparison)) where isConjunction && comparison.modifier == .direct && comparison.operator == .in:
            guard case .list(let values) = comparison.right else { return nil }
            return (comparison, values)
        default: return nil
        }
    }

    private static func key(of comparison: ResolvedComparison) -> Key? {
        switch comparison.left {
        case .attribute(let path, let property): key(path, property.index, comparison)
        case .object(let path): key(path, nil, comparison)
        default: nil
        }
    }

    private static func key(_ path: [ResolvedStep], _ property: Int?, _ comparison: ResolvedComparison) -> Key {
        Key(
            steps: path.map { Key.Step(property: $0.property.index, element: $0.element) }, property: property,
            modifier: comparison.modifier, options: comparison.options.rawValue)
    }
}
