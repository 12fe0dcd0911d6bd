import PinviewModel

/// An object whose values predicates and sort descriptors can read.
package protocol EvaluableObject: AnyObject {
    var evaluableID: ManagedObjectID { get }
    func evaluableValue(of property: Property) throws(PinviewError) -> Value
    func evaluableDestination(of property: Property) throws(PinviewError) -> (any EvaluableObject)?
    func evaluableDestinations(of property: Property) throws(PinviewError) -> [any EvaluableObject]
}

/// The objects outside the member that a SUBQUERY's predicate is evaluated for, innermost first.
private final class EnclosingObjects {
    let object: any EvaluableObject
    let outer: EnclosingObjects?

    init(_ object: any EvaluableObject, _ outer: EnclosingObjects?) {
        self.object = object
        self.outer = outer
    }
}

extension ResolvedPredicate {
    /// Evaluates the predicate for an object in memory; the truth tables are at
    /// `ResolvedPredicate`.
    package func evaluate(with object: any EvaluableObject) throws(PinviewError) -> Bool { try evaluate(with: object, nil) }

    fileprivate func evaluate(with object: any EvaluableObject, _ outer: EnclosingObjects?) throws(PinviewError) -> Bool {
        switch self {
        case .constant(let value): return value
        case .not(let inner): return try !inner.evaluate(with: object, outer)
        case .and(let parts):
            for part in parts where try !part.evaluate(with: object, outer) { return false }
            return true
        case .or(let parts):
            for part in parts where try part.evaluate(with: object, outer) { return true }
            return false
        case .comparison(let comparison): return try comparison.evaluate(with: object, outer)
        }
    }
}

extension Value {
    /// Whether an equality or ordering operator holds between two numbers.
    package func holds(_ op: PredicateOperator, _ other: Value) -> Bool {
        let order = isNull || other.isNull ? nil : order(to: other, [])
        switch op {
        case .equalTo: return isNull || other.isNull ? isNull && other.isNull : order == 0
        case .notEqualTo: return !holds(.equalTo, other)
        case .lessThan: return order.map { $0 < 0 } ?? false
        case .lessThanOrEqualTo: return order.map { $0 <= 0 } ?? false
        case .greaterThan: return order.map { $0 > 0 } ?? false
        case .greaterThanOrEqualTo: return order.map { $0 >= 0 } ?? false
        default: return false
        }
    }
}

extension ResolvedComparison {
    fileprivate func evaluate(with object: any EvaluableObject, _ outer: EnclosingObjects?) throws(PinviewError) -> Bool {
        let lefts = try left.values(for: object, outer)
        let right = if case .list = self.right { Value.null } else { try self.right.values(for: object, outer).first ?? .null }
        switch modifier {
        case .direct: return try holds(forLeft: lefts.first ?? .null, right)
        case .any: return try holds(forOneOf: lefts, right)
        case .all:
            for left in lefts where try !holds(forLeft: left, right) { return false }
            return true
        case .none: return try !holds(forOneOf: lefts, right)
        }
    }

    private func holds(forOneOf lefts: [Value], _ right: Value) throws(PinviewError) -> Bool {
        for left in lefts where try holds(forLeft: left, right) { return true }
        return false
    }

    private func holds(forLeft left: Value, _ right: Value) throws(PinviewError) -> Bool {
        if case .list(let values) = self.right { return holds(left, inList: values) }
        return try holds(left, right)
    }

    /// The elements of the list on the right-hand side.
    var listed: [Value] {
        if case .list(let values) = right { return values }
        return []
    }

    /// Evaluates IN and BETWEEN.
    func holds(_ left: Value, inList values: [Value]) -> Bool {
        if `operator` == .between {
            guard values.count == 2, let low = order(left, values[0]), let high = order(left, values[1]) else { return false }
            return low >= 0 && high <= 0
        }
        return elements?.contains(left) ?? values.contains { isEqual(left, $0) }
    }

    /// Evaluates the other operators.
    /// - Throws: `badPredicate` if a string cannot be matched against a pattern within the limits.
    func holds(_ left: Value, _ right: Value) throws(PinviewError) -> Bool {
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
        case .matches:
            guard case .string(let text) = left, let pattern else { return false }
            return try pattern.matches(text)
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
    /// The value for an object. Key paths over to-many relationships are not allowed.
    package func value(for object: any EvaluableObject) throws(PinviewError) -> Value { try values(for: object, nil).first ?? .null }

    /// The value of the expression for an object; under a modifier, all of its values.
    fileprivate func values(for object: any EvaluableObject, _ outer: EnclosingObjects?) throws(PinviewError) -> [Value] {
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
        case .toManyCount(let path, let property, let levels, let condition):
            guard let start = Self.object(levels: levels, out: object, outer).object,
                let owner = try destinations(path, from: start).first.flatMap({ $0 })
            else { return [.integer(0)] }
            let members = try owner.evaluableDestinations(of: property)
            guard let condition else { return [.integer(Int64(members.count))] }
            let enclosing = EnclosingObjects(object, outer)
            var count: Int64 = 0
            for member in members where try condition.evaluate(with: member, enclosing) { count += 1 }
            return [.integer(count)]
        case .entityName(let path):
            return try destinations(path, from: object).map { $0.map { .string($0.evaluableID.entity.name) } ?? .null }
        case .function(let function, let operands, let category):
            var arguments: [Value] = []
            for operand in operands { arguments.append(try operand.values(for: object, outer).first?.computable ?? .null) }
            return [function.result(arguments).typed(category)]
        case .collection(let function, let path, let property, let isDistinct):
            var values: [Value] = []
            for owner in try destinations(path, from: object) { values.append(try owner?.evaluableValue(of: property).computable ?? .null) }
            if isDistinct { values = Self.distinct(values) }
            return [function.evaluate(overCollection: values).typed(category)]
        case .conditional(let condition, let then, let otherwise, let category):
            let chosen = try condition.evaluate(with: object, outer) ? then : otherwise
            return [try chosen.values(for: object, outer).first?.computable.typed(category) ?? .null]
        case .cast(let inner, let type):
            return [type.cast(try inner.values(for: object, outer).first?.computable ?? .null).typed(category)]
        case .group: return [.null]
        case .outer(let levels, let inner):
            let (target, enclosing) = Self.object(levels: levels, out: object, outer)
            guard let target else { return [.null] }
            return try inner.values(for: target, enclosing)
        }
    }

    private static func object(
        levels: Int, out object: any EvaluableObject, _ outer: EnclosingObjects?
    ) -> (object: (any EvaluableObject)?, outer: EnclosingObjects?) {
        var target: (any EvaluableObject)? = object
        var enclosing = outer
        for _ in 0..<levels {
            target = enclosing?.object
            enclosing = enclosing?.outer
        }
        return (target, enclosing)
    }

    /// Removes values that are equal in a store: strings by their bytes, integers and doubles by
    /// value.
    private static func distinct(_ values: [Value]) -> [Value] {
        var seen: Set<[UInt8]> = []
        return values.filter { value in
            switch value {
            case .string(let text): seen.insert([1] + Array(text.utf8)).inserted
            case .integer(let integer): seen.insert([2] + Array(String(integer).utf8)).inserted
            case .double(let double):
                seen.insert([2] + Array((Int64(exactly: double).map { String($0) } ?? double.description).utf8)).inserted
            case .decimal(let decimal): seen.insert([3] + DecimalKey.bytes(decimal)).inserted
            default: seen.insert([0]).inserted
            }
        }
    }

    /// The objects at the end of a path; nil where a to-one relationship on the way is empty.
    private func destinations(_ path: [ResolvedStep], from object: any EvaluableObject) throws(PinviewError) -> [(any EvaluableObject)?] {
        var current: [(any EvaluableObject)?] = [object]
        for step in path {
            var next: [(any EvaluableObject)?] = []
            for owner in current {
                if !step.property.isToMany {
                    next.append(try owner?.evaluableDestination(of: step.property))
                } else if let element = step.element {
                    next.append(element.member(of: try owner?.evaluableDestinations(of: step.property) ?? []))
                } else {
                    next += try owner?.evaluableDestinations(of: step.property) ?? []
                }
            }
            current = next
        }
        return current
    }
}

extension ElementIndex {
    fileprivate func member(of members: [any EvaluableObject]) -> (any EvaluableObject)? {
        switch self {
        case .first: members.first
        case .last: members.last
        case .index(let index): index < members.count ? members[Int(index)] : nil
        }
    }
}

extension [ResolvedSortDescriptor] {
    /// An object's sort keys, one for each descriptor.
    package func keys(of object: any EvaluableObject) throws(PinviewError) -> [Value] {
        var keys: [Value] = []
        keys.reserveCapacity(count)
        for descriptor in self { keys.append(try descriptor.key(of: object)) }
        return keys
    }

    /// Compares the sort keys of two objects: negative, 0 or positive.
    package func order(_ left: [Value], _ right: [Value]) -> Int {
        for (place, descriptor) in enumerated() {
            let order = descriptor.order(left[place], right[place])
            if order != 0 { return order }
        }
        return 0
    }
}

extension ResolvedSortDescriptor {
    /// Compares two objects by sort descriptors: negative, 0 or positive. As in SQLite, null comes
    /// first.
    package static func order(
        _ left: any EvaluableObject, _ right: any EvaluableObject, by descriptors: [ResolvedSortDescriptor]
    ) throws(PinviewError) -> Int {
        for descriptor in descriptors {
            let order = descriptor.order(try descriptor.key(of: left), try descriptor.key(of: right))
            if order != 0 { return order }
        }
        return 0
    }

    /// An object's sort key: its value, or for strings the comparator's key as binary data.
    package func key(of object: any EvaluableObject) throws(PinviewError) -> Value {
        var owner: (any EvaluableObject)? = object
        for step in path { owner = try owner?.evaluableDestination(of: step.property) }
        return key(of: try owner?.evaluableValue(of: property) ?? .null)
    }

    /// The sort key of a value of the attribute.
    package func key(of value: Value) -> Value {
        let value = value.withoutNaN
        if comparator != .binary, case .string(let text) = value, let key = SortKey.key(text, comparator) { return .binary(key) }
        return value
    }

    /// Compares two keys: negative, 0 or positive.
    package func order(_ left: Value, _ right: Value) -> Int {
        let order = left.isNull || right.isNull ? (left.isNull ? 0 : 1) - (right.isNull ? 0 : 1) : left.order(to: right, []) ?? 0
        return ascending ? order : -order
    }
}
