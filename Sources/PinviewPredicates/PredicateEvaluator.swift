import PinviewModel

/// An object that predicates and sort descriptors can judge.
package protocol EvaluableObject: AnyObject {
    var evaluableID: ManagedObjectID { get }
    func evaluableValue(of property: Property) throws(PinviewError) -> Value
    func evaluableDestination(of property: Property) throws(PinviewError) -> (any EvaluableObject)?
    func evaluableDestinations(of property: Property) throws(PinviewError) -> [any EvaluableObject]
}

extension ResolvedPredicate {
    /// Judges an object by its values in memory; the truth tables stand at the type.
    package func evaluate(with object: any EvaluableObject) throws(PinviewError) -> Bool {
        switch self {
        case .constant(let value): return value
        case .not(let inner): return try !inner.evaluate(with: object)
        case .and(let parts):
            for part in parts where try !part.evaluate(with: object) { return false }
            return true
        case .or(let parts):
            for part in parts where try part.evaluate(with: object) { return true }
            return false
        case .comparison(let comparison): return try comparison.evaluate(with: object)
        }
    }
}

extension ResolvedComparison {
    fileprivate func evaluate(with object: any EvaluableObject) throws(PinviewError) -> Bool {
        let lefts = try left.values(for: object)
        let right = if case .list = self.right { Value.null } else { try self.right.values(for: object).first ?? .null }
        switch modifier {
        case .direct: return holds(forLeft: lefts.first ?? .null, right)
        case .any: return lefts.contains { holds(forLeft: $0, right) }
        case .all: return lefts.allSatisfy { holds(forLeft: $0, right) }
        case .none: return !lefts.contains { holds(forLeft: $0, right) }
        }
    }

    private func holds(forLeft left: Value, _ right: Value) -> Bool {
        if case .list(let values) = self.right { return holds(left, inList: values) }
        return holds(left, right)
    }

    /// The values of the list on the right.
    var listed: [Value] {
        if case .list(let values) = right { return values }
        return []
    }

    /// Judges IN and BETWEEN.
    func holds(_ left: Value, inList values: [Value]) -> Bool {
        if `operator` == .between {
            guard values.count == 2, let low = order(left, values[0]), let high = order(left, values[1]) else { return false }
            return low >= 0 && high <= 0
        }
        return elements?.contains(left) ?? values.contains { isEqual(left, $0) }
    }

    /// Judges the other operators.
    func holds(_ left: Value, _ right: Value) -> Bool {
        switch `operator` {
        case .equalTo: return isEqual(left, right)
        case .notEqualTo: return !isEqual(left, right)
        case .lessThan: return order(left, right).map { $0 < 0 } ?? false
        case .lessThanOrEqualTo: return order(left, right).map { $0 <= 0 } ?? false
        case .greaterThan: return order(left, right).map { $0 > 0 } ?? false
        case .greaterThanOrEqualTo: return order(left, right).map { $0 >= 0 } ?? false
        case .contains, .beginsWith, .endsWith, .like:
            guard case .string(let text) = left, case .string(let pattern) = right else { return false }
            return StringMatching.matches(text, `operator`, pattern, options)
        case .between, .in: return false
        }
    }

    private func isEqual(_ left: Value, _ right: Value) -> Bool {
        if left.isNull || right.isNull { return left.isNull && right.isNull }
        return order(left, right) == 0
    }

    private func order(_ left: Value, _ right: Value) -> Int? { left.order(to: right, options) }
}

extension ResolvedExpression {
    /// The value, or under a modifier the values, of the expression for an object.
    fileprivate func values(for object: any EvaluableObject) throws(PinviewError) -> [Value] {
        switch self {
        case .constant(let value): return [value]
        case .list(let values): return values
        case .attribute(let path, let property):
            if path.isEmpty { return [try object.evaluableValue(of: property).withoutNaN] }
            var values: [Value] = []
            for owner in try destinations(path, from: object) { values.append(try owner?.evaluableValue(of: property).withoutNaN ?? .null) }
            return values
        case .object(let path):
            return try destinations(path, from: object).map { $0.map { .objectID($0.evaluableID) } ?? .null }
        case .toManyCount(let path, let property):
            guard let owner = try destinations(path, from: object).first.flatMap({ $0 }) else { return [.integer(0)] }
            return [.integer(Int64(try owner.evaluableDestinations(of: property).count))]
        }
    }

    /// Where a path leads to; nil for an empty to-one on the way.
    private func destinations(_ path: [ResolvedStep], from object: any EvaluableObject) throws(PinviewError) -> [(any EvaluableObject)?] {
        var current: [(any EvaluableObject)?] = [object]
        for step in path {
            var next: [(any EvaluableObject)?] = []
            for owner in current {
                if step.property.isToMany {
                    next += try owner?.evaluableDestinations(of: step.property) ?? []
                } else {
                    next.append(try owner?.evaluableDestination(of: step.property))
                }
            }
            current = next
        }
        return current
    }
}

/// The order of two objects by sort descriptors: below 0, 0, above 0. Nil comes first, as in SQLite.
package func compare(
    _ left: any EvaluableObject, _ right: any EvaluableObject, by descriptors: [ResolvedSortDescriptor]
) throws(PinviewError) -> Int {
    for descriptor in descriptors {
        let first = try descriptor.value(of: left), second = try descriptor.value(of: right)
        let order: Int
        if first.isNull || second.isNull {
            order = first.isNull == second.isNull ? 0 : first.isNull ? -1 : 1
        } else {
            order = first.order(to: second, descriptor.comparator == .caseInsensitive ? .caseInsensitive : []) ?? 0
        }
        if order != 0 { return descriptor.ascending ? order : -order }
    }
    return 0
}

extension ResolvedSortDescriptor {
    fileprivate func value(of object: any EvaluableObject) throws(PinviewError) -> Value {
        var owner: (any EvaluableObject)? = object
        for step in path { owner = try owner?.evaluableDestination(of: step.property) }
        return try owner?.evaluableValue(of: property).withoutNaN ?? .null
    }
}
