import PinviewModel

/// Resolves key paths to properties.
package struct KeyPathResolver {
    let entity: Entity
    let model: ManagedObjectModel

    package init(entity: Entity, model: ManagedObjectModel) {
        self.entity = entity
        self.model = model
    }

    /// - Returns: the relationships of the path, and the attribute at its end, if it ends with one.
    /// - Throws: `unknownKey` for a key that the entity at that point lacks.
    func resolve(_ keys: [String]) throws(PinviewError) -> (path: [ResolvedStep], attribute: Property?) {
        var current = entity
        var path: [ResolvedStep] = []
        guard keys.count <= NestingLimit.maximumKeyCount else { throw NestingLimit.keyPathError(keys) }
        var index = 0
        while index < keys.count {
            let name = keys[index]
            if name.hasPrefix("[") {
                try selectElement(name, in: &path, keys)
                index += 1
                continue
            }
            guard let (property, keyCount) = current.property(along: keys[index...]) else { throw unknownKey(keys, index, current) }
            index += keyCount
            if property.isAttribute {
                guard index == keys.count else {
                    throw PinviewError(
                        .unknownKey, "'\(Self.text(keys))' continues after \(current.name).\(property.name), which is an attribute.")
                }
                guard path.lazy.filter(\.isToMany).count <= NestingLimit.maximumToManyCount else { throw NestingLimit.keyPathError(keys) }
                return (path, property)
            }
            let destination = model.entities[property.destinationIndex]
            path.append(ResolvedStep(property: property, destination: destination))
            current = destination
        }
        guard path.lazy.filter(\.isToMany).count <= NestingLimit.maximumToManyCount else { throw NestingLimit.keyPathError(keys) }
        return (path, nil)
    }

    private func unknownKey(_ keys: [String], _ index: Int, _ entity: Entity) -> PinviewError {
        let hint = keys.count > 1 ? " (Key \(index + 1) of '\(Self.text(keys))'.)" : ""
        var key = keys[index]
        // As far as it leads into a composite attribute.
        for next in keys[(index + 1)...] {
            guard entity.composite(named: key) != nil else { break }
            key += "." + next
        }
        let error = PinviewError.unknownKey(key, of: entity)
        return error.with(message: error.message + hint)
    }

    /// The composite attribute at the end of a key path; nil if there is something else.
    package func composite(_ keys: [String]) -> CompositeAttribute? {
        var current = entity
        var index = 0
        while index < keys.count {
            let rest = keys[index...].joined(separator: ".")
            if let composite = current.composite(named: rest) { return composite }
            guard let property = current.property(named: keys[index]), property.isRelationship else { return nil }
            current = model.entities[property.destinationIndex]
            index += 1
        }
        return nil
    }

    private func selectElement(_ key: String, in path: inout [ResolvedStep], _ keys: [String]) throws(PinviewError) {
        guard let last = path.last, last.isToMany, last.property.isOrdered else {
            throw PinviewError(.badPredicate, "'\(Self.text(keys))': \(key) can only follow an ordered to-many relationship.")
        }
        guard let element = ElementIndex(key: key) else {
            throw PinviewError(
                .badPredicate,
                "'\(Self.text(keys))': \(key) is not an index; use [FIRST], [LAST] or a number from 0 on, or [SIZE] at the end.")
        }
        path[path.count - 1].element = element
    }

    private static func text(_ keys: [String]) -> String { PinviewExpression.keyPath(keys).description }

    /// Resolves a key path of a predicate.
    func expression(_ keys: [String]) throws(PinviewError) -> ResolvedExpression {
        if let position = keys.firstIndex(where: { CollectionOperator(key: $0) != nil }) {
            return try collection(keys, operatorAt: position)
        }
        if keys.last == "[SIZE]" { return try count(Array(keys.dropLast()), keys) }
        if keys.last == "objectID" {
            let (path, attribute) = try resolve(Array(keys.dropLast()))
            if attribute == nil {
                try check(path)
                return .object(path: path)
            }
        }
        if let path = try entityPath(keys) { return .entityName(path: path) }
        let (path, attribute) = try resolve(keys)
        try check(path)
        guard let attribute else { return .object(path: path) }
        try requirePersistent(attribute)
        return .attribute(path: path, property: attribute)
    }

    /// `entity` and `entity.name` at the end of a path, unless the model has a property of that
    /// name there.
    private func entityPath(_ keys: [String]) throws(PinviewError) -> [ResolvedStep]? {
        guard let position = keys.lastIndex(of: "entity"),
            Array(keys[position...]) == ["entity"] || Array(keys[position...]) == ["entity", "name"]
        else { return nil }
        let (path, attribute) = try resolve(Array(keys[..<position]))
        guard attribute == nil, (path.last?.destination ?? entity).property(named: "entity") == nil else { return nil }
        try check(path)
        return path
    }

    /// `cars.@count`, `cars.@sum.price`, `cars.price.@sum`, `cars.@distinctUnionOfObjects.price`,
    /// the last one optionally followed by `.@count`.
    private func collection(_ keys: [String], operatorAt position: Int) throws(PinviewError) -> ResolvedExpression {
        let function = CollectionOperator(key: keys[position])?.function
        let last = function == nil ? keys.last.flatMap { CollectionOperator(key: $0)?.function } : nil
        var path = keys
        path.remove(at: position)
        if let other = path.firstIndex(where: { $0.hasPrefix("@") }), last == nil || other < path.count - 1 {
            throw PinviewError(.badPredicate, "'\(Self.text(keys))': \(path[other]) is not allowed there.")
        }
        if let function { return try collection(function, path, keys) }
        // Without a function, the values themselves: duplicates make no difference to ANY, ALL,
        // NONE and IN.
        guard let last else { return try expression(path) }
        return try collection(last, Array(keys.dropLast()), keys)
    }

    /// A function over the values, or the distinct values, of a key path with one to-many
    /// relationship.
    func collection(_ function: ExpressionFunction, _ keyPath: [String], _ keys: [String]) throws(PinviewError) -> ResolvedExpression {
        var path = keyPath
        var isDistinct = false
        if let position = path.firstIndex(where: { CollectionOperator(key: $0).map { $0.function == nil } ?? false }) {
            isDistinct = CollectionOperator(key: path.remove(at: position)) == .distinctUnionOfObjects
        }
        let (steps, attribute) = try resolve(path)
        guard let attribute else {
            guard function == .count else {
                throw PinviewError(
                    .badPredicate, "'\(Self.text(keys))': \(function.rawValue) needs an attribute at the end of the key path.")
            }
            return try count(path, keys)
        }
        guard steps.lazy.filter(\.isToMany).count == 1 else {
            throw PinviewError(
                .badPredicate,
                "'\(Self.text(keys))': \(function.rawValue) needs a key path with exactly one to-many relationship.")
        }
        try check(steps)
        try requirePersistent(attribute)
        let category = attribute.attributeType.category
        let isAllowed: Bool =
            switch function {
            case .count: true
            case .minimum, .maximum: category?.isOrdered ?? false
            default: category == .number
            }
        guard isAllowed else {
            throw PinviewError(
                .badPredicate,
                "'\(Self.text(keys))': \(function.rawValue) does not take \(attribute.qualifiedName), which is \(category?.rawValue ?? "of no type")."
            )
        }
        return .collection(function, path: steps, property: attribute, isDistinct: isDistinct)
    }

    private func count(_ path: [String], _ keys: [String]) throws(PinviewError) -> ResolvedExpression {
        let (steps, property) = try toMany(path, keys)
        return .toManyCount(path: steps, property: property, levels: 0, where: nil)
    }

    /// Resolves a path of to-one relationships that ends with a to-many one.
    func toMany(_ path: [String], _ keys: [String]) throws(PinviewError) -> (path: [ResolvedStep], property: Property) {
        let (steps, attribute) = try resolve(path)
        guard attribute == nil, let last = steps.last, last.isToMany, !steps.dropLast().contains(where: \.isToMany) else {
            throw PinviewError(
                .badPredicate, "'\(Self.text(keys))' cannot be counted: only a to-many relationship at the end of to-one relationships can."
            )
        }
        try check(steps)
        return (Array(steps.dropLast()), last.property)
    }

    private func check(_ path: [ResolvedStep]) throws(PinviewError) {
        for step in path { try requirePersistent(step.property) }
    }

    private func requirePersistent(_ property: Property) throws(PinviewError) {
        guard !property.isTransient else {
            throw PinviewError(.badPredicate, "\(property.qualifiedName) is transient, so stores cannot search for it.")
        }
    }
}

extension PinviewSortDescriptor {
    /// Checks the sort descriptor against an entity and resolves it.
    ///
    /// - Throws: `unknownKey`, or `invalidArgument` for a key path that cannot be sorted by.
    package func resolved(for entity: Entity, in model: ManagedObjectModel) throws(PinviewError) -> ResolvedSortDescriptor {
        let keys = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let (path, property) = try KeyPathResolver(entity: entity, model: model).resolve(keys)
        let problem = "\(entity.name) cannot be sorted by '\(keyPath)'"
        guard let property, !path.contains(where: \.isToMany) else {
            throw PinviewError(.invalidArgument, "\(problem): a sort key must be an attribute, possibly through to-one relationships.")
        }
        guard !property.isTransient, !path.contains(where: \.property.isTransient) else {
            throw PinviewError(.invalidArgument, "\(problem): it is transient, so it is not in any store.")
        }
        guard comparator == .binary || property.attributeType.isText else {
            throw PinviewError(
                .invalidArgument, "\(problem) with that comparator, which is for strings: it is of type \(property.attributeType.name).")
        }
        return ResolvedSortDescriptor(path: path, property: property, ascending: ascending, comparator: comparator)
    }
}
