import PinviewModel

/// Finds the properties that a key path names.
struct KeyPathResolver {
    let entity: Entity
    let model: ManagedObjectModel

    /// - Returns: the relationships on the way, and the attribute at the end, if there is one.
    func resolve(_ segments: [String]) throws(PinviewError) -> (path: [ResolvedStep], attribute: Property?) {
        var current = entity
        var path: [ResolvedStep] = []
        for (index, name) in segments.enumerated() {
            guard let property = property(named: name, of: current) else {
                let place = segments.count > 1 ? " (part \(index + 1) of '\(segments.joined(separator: "."))')" : ""
                let error = PinviewError.unknownKey(name, of: current)
                throw error.with(message: error.message + place)
            }
            if property.isAttribute {
                guard index == segments.count - 1 else {
                    throw PinviewError(
                        .unknownKey, "'\(segments.joined(separator: "."))' goes on behind \(current.name).\(name), which is an attribute.")
                }
                return (path, property)
            }
            let destination = model.entities[property.destinationIndex]
            path.append(ResolvedStep(property: property, destination: destination))
            current = destination
        }
        return (path, nil)
    }

    private func property(named name: String, of entity: Entity) -> Property? { entity.property(named: name) }
}

extension Predicate {
    /// Checks the predicate against an entity.
    ///
    /// - Throws: `unknownKey` for a key that the entity lacks, `badPredicate` for comparisons that make no sense.
    package func resolved(for entity: Entity, in model: ManagedObjectModel) throws(PinviewError) -> ResolvedPredicate {
        try PredicateResolver(entity: entity, model: model).resolve(self, depth: 0)
    }
}

private struct PredicateResolver {
    let entity: Entity
    let model: ManagedObjectModel

    func resolve(_ predicate: Predicate, depth: Int) throws(PinviewError) -> ResolvedPredicate {
        guard depth <= Predicate.depthLimit * 2 else {
            throw PinviewError(.badPredicate, "The predicate is nested more than \(Predicate.depthLimit * 2) levels deep.")
        }
        switch predicate {
        case .constant(let value): return .constant(value)
        case .not(let inner): return .not(try resolve(inner, depth: depth + 1))
        case .and(let parts): return .and(try resolve(parts, depth))
        case .or(let parts): return .or(try resolve(parts, depth))
        case .comparison(let comparison): return try resolve(comparison)
        }
    }

    private func resolve(_ parts: [Predicate], _ depth: Int) throws(PinviewError) -> [ResolvedPredicate] {
        var result: [ResolvedPredicate] = []
        for part in parts { result.append(try resolve(part, depth: depth + 1)) }
        return result
    }

    // MARK: Comparisons

    private func resolve(_ comparison: ComparisonPredicate) throws(PinviewError) -> ResolvedPredicate {
        if comparison.operator == .between { return try resolveBetween(comparison) }
        var left = try resolve(comparison.left), right = try resolve(comparison.right)
        var op = comparison.operator
        if isCollection(right), !isCollection(left) {
            guard let mirrored = op.mirrored else {
                throw bad(comparison, "a to-many relationship can stand only on the left of \(op.rawValue)")
            }
            (left, right, op) = (right, left, mirrored)
        }
        guard !isCollection(right) else { throw bad(comparison, "a to-many relationship can stand on one side only") }
        if isCollection(left), comparison.modifier == .direct {
            throw bad(comparison, "a key path over a to-many relationship needs ANY, ALL or NONE before it, or @count behind it")
        }
        if !isCollection(left), comparison.modifier != .direct {
            throw bad(comparison, "\(comparison.modifier.rawValue) needs a key path over a to-many relationship")
        }
        if !comparison.options.isEmpty, let category = category(left) ?? category(right), category != .text {
            throw bad(comparison, "the options [c] and [d] are for texts only")
        }
        if op == .in {
            guard case .list = right else { throw bad(comparison, "IN needs a list of values on its right") }
        } else if case .list = right {
            throw bad(comparison, "a list can stand only behind IN and BETWEEN")
        }
        if case .list = left { throw bad(comparison, "a list cannot stand on the left") }
        left = try convert(left, like: right, comparison)
        right = try convert(right, like: left, comparison)
        try check(left, right, op, comparison)
        return .comparison(ResolvedComparison(left: left, right: right, operator: op, modifier: comparison.modifier, options: comparison.options))
    }

    /// `x BETWEEN {a, b}` is `a <= x AND x <= b`, also under ANY, where one value has to do both.
    private func resolveBetween(_ comparison: ComparisonPredicate) throws(PinviewError) -> ResolvedPredicate {
        guard case .list(let bounds) = try resolve(comparison.right), bounds.count == 2 else {
            throw bad(comparison, "BETWEEN needs a list of two values")
        }
        var left = try resolve(comparison.left)
        if isCollection(left) != (comparison.modifier != .direct) {
            throw bad(comparison, "ANY, ALL and NONE go with a key path over a to-many relationship, and the other way round")
        }
        let list = try convert(.list(bounds), like: left, comparison)
        left = try convert(left, like: list, comparison)
        try check(left, list, .between, comparison)
        return .comparison(
            ResolvedComparison(left: left, right: list, operator: .between, modifier: comparison.modifier, options: comparison.options))
    }

    private func bad(_ comparison: ComparisonPredicate, _ why: String) -> PinviewError {
        PinviewError(.badPredicate, "In '\(String(Predicate.comparison(comparison).description.prefix(200)))': \(why).")
    }

    // MARK: Expressions

    private func resolve(_ expression: Expression) throws(PinviewError) -> ResolvedExpression {
        switch expression {
        case .constant(let value): return .constant(value)
        case .evaluatedObject: return .object(path: [])
        case .variable(let name):
            throw PinviewError(.badPredicate, "The variable $\(name) of the predicate has no value; substitute it first.")
        case .aggregate(let elements):
            var values: [Value] = []
            values.reserveCapacity(elements.count)
            for element in elements {
                guard case .constant(let value) = element else {
                    throw PinviewError(.badPredicate, "A list in a predicate can hold values only, not \(element).")
                }
                values.append(value)
            }
            return .list(values)
        case .keyPath(let segments): return try resolve(keyPath: segments)
        }
    }

    private func resolve(keyPath segments: [String]) throws(PinviewError) -> ResolvedExpression {
        let resolver = KeyPathResolver(entity: entity, model: model)
        if segments.last == "@count" {
            let (path, attribute) = try resolver.resolve(Array(segments.dropLast()))
            guard attribute == nil, let last = path.last, last.property.isToMany,
                !path.dropLast().contains(where: \.property.isToMany)
            else {
                throw PinviewError(
                    .badPredicate, "'\(segments.joined(separator: "."))': @count counts one to-many relationship at the end of a path of to-one ones.")
            }
            return .toManyCount(path: path.dropLast(), property: last.property)
        }
        if let operation = segments.first(where: { $0.hasPrefix("@") }) {
            throw PinviewError(.badPredicate, "'\(segments.joined(separator: "."))': \(operation) can stand only at the end.")
        }
        if segments.last == "objectID", entity.property(named: "objectID") == nil {
            let (path, attribute) = try resolver.resolve(Array(segments.dropLast()))
            if attribute == nil { return .object(path: path) }
        }
        let (path, attribute) = try resolver.resolve(segments)
        guard path.filter(\.property.isToMany).count <= 1 else {
            throw PinviewError(
                .badPredicate, "'\(segments.joined(separator: "."))' leads over more than one to-many relationship.")
        }
        if let attribute {
            guard !attribute.isTransient else {
                throw PinviewError(.badPredicate, "\(attribute.qualifiedName) is transient, so no store can look for it.")
            }
            return .attribute(path: path, property: attribute)
        }
        return .object(path: path)
    }

    private func isCollection(_ expression: ResolvedExpression) -> Bool {
        switch expression {
        case .attribute(let path, _), .object(let path): path.contains(where: \.property.isToMany)
        case .constant, .list, .toManyCount: false
        }
    }

    // MARK: Types

    private func category(_ expression: ResolvedExpression) -> ValueCategory? {
        switch expression {
        case .constant(let value): value.category
        case .list(let values): values.lazy.compactMap(\.category).first
        case .attribute(_, let property): property.attributeType.category
        case .object: .object
        case .toManyCount: .number
        }
    }

    /// Gives constants the type of the attribute that they are compared with, where nothing is lost by it.
    private func convert(
        _ expression: ResolvedExpression, like other: ResolvedExpression, _ comparison: ComparisonPredicate
    ) throws(PinviewError) -> ResolvedExpression {
        guard case .attribute(_, let property) = other else { return expression }
        switch expression {
        case .constant(let value): return .constant(converted(value, property))
        case .list(let values): return .list(values.map { converted($0, property) })
        case .attribute, .object, .toManyCount: return expression
        }
    }

    private func converted(_ value: Value, _ property: Property) -> Value {
        switch (property.attributeType, value) {
        case (.uuid, .string), (.uri, .string): break
        case (_, .null), (.transformable, _), (.undefined, _): return value
        default:
            // A number that the attribute cannot hold, such as 2.5 for an integer, is still a number to compare with.
            return value
        }
        do throws(PinviewError) { return try property.convert(value) } catch { return value }
    }

    private func check(
        _ left: ResolvedExpression, _ right: ResolvedExpression, _ op: PredicateOperator, _ comparison: ComparisonPredicate
    ) throws(PinviewError) {
        if op.isTextual {
            for side in [left, right] {
                guard let category = category(side), category != .text else { continue }
                throw bad(comparison, "\(op.rawValue) compares texts, not \(category.rawValue)")
            }
            return
        }
        if case .list(let values) = right {
            guard let wanted = category(left) else { return }
            for value in values {
                guard let category = value.category, category != wanted else { continue }
                throw bad(comparison, "\(wanted.rawValue) cannot be compared with \(category.rawValue)")
            }
        } else if let first = category(left), let second = category(right), first != second {
            throw bad(comparison, "\(first.rawValue) cannot be compared with \(second.rawValue)")
        }
        guard op == .equalTo || op == .notEqualTo || op == .in else {
            if let category = category(left) ?? category(right), category == .object || category == .uuid || category == .binary {
                throw bad(comparison, "\(category.rawValue) has no order")
            }
            return
        }
    }
}

extension PredicateOperator {
    /// The operator for the two sides exchanged.
    fileprivate var mirrored: PredicateOperator? {
        switch self {
        case .equalTo, .notEqualTo: self
        case .lessThan: .greaterThan
        case .lessThanOrEqualTo: .greaterThanOrEqualTo
        case .greaterThan: .lessThan
        case .greaterThanOrEqualTo: .lessThanOrEqualTo
        case .between, .in, .contains, .beginsWith, .endsWith, .like: nil
        }
    }
}

/// What can be compared with what.
enum ValueCategory: String {
    case number = "a number"
    case text = "a text"
    case date = "a date"
    case binary = "binary data"
    case uuid = "a UUID"
    case object = "an object"
}

extension Value {
    var category: ValueCategory? {
        switch self {
        case .null: nil
        case .boolean, .integer, .double, .decimal: .number
        case .string: .text
        case .date: .date
        case .binary: .binary
        case .uuid: .uuid
        case .objectID: .object
        }
    }
}

extension AttributeType {
    var category: ValueCategory? {
        switch self {
        case .integer16, .integer32, .integer64, .decimal, .double, .float, .boolean: .number
        case .string, .uri: .text
        case .date: .date
        case .binaryData, .transformable: .binary
        case .uuid: .uuid
        case .undefined: nil
        }
    }
}
