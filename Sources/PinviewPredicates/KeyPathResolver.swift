import PinviewModel

/// Finds the properties that a key path names.
struct KeyPathResolver {
    let entity: Entity
    let model: ManagedObjectModel

    /// - Returns: the relationships on the way, and the attribute at the end, if there is one.
    /// - Throws: `unknownKey` for a key that the entity at its place lacks.
    func resolve(_ keys: [String]) throws(PinviewError) -> (path: [ResolvedStep], attribute: Property?) {
        var current = entity
        var path: [ResolvedStep] = []
        for (index, name) in keys.enumerated() {
            guard let property = current.property(named: name) else {
                let place = keys.count > 1 ? " (Key \(index + 1) of '\(keys.joined(separator: "."))'.)" : ""
                let error = PinviewError.unknownKey(name, of: current)
                throw error.with(message: error.message + place)
            }
            if property.isAttribute {
                guard index == keys.count - 1 else {
                    throw PinviewError(
                        .unknownKey, "'\(keys.joined(separator: "."))' goes on behind \(current.name).\(name), which is an attribute.")
                }
                return (path, property)
            }
            let destination = model.entities[property.destinationIndex]
            path.append(ResolvedStep(property: property, destination: destination))
            current = destination
        }
        return (path, nil)
    }

    /// Resolves a key path of a predicate.
    func expression(_ keys: [String]) throws(PinviewError) -> ResolvedExpression {
        if keys.last == "@count" { return try count(keys) }
        if let operation = keys.first(where: { $0.hasPrefix("@") }) {
            throw PinviewError(
                .badPredicate,
                "'\(keys.joined(separator: "."))': \(operation) cannot stand there. The one collection operator is @count, at the end.")
        }
        if keys.last == "objectID" {
            let (path, attribute) = try resolve(Array(keys.dropLast()))
            if attribute == nil {
                try check(path, keys)
                return .object(path: path)
            }
        }
        let (path, attribute) = try resolve(keys)
        try check(path, keys)
        guard let attribute else { return .object(path: path) }
        try requirePersistent(attribute)
        return .attribute(path: path, property: attribute)
    }

    private func count(_ keys: [String]) throws(PinviewError) -> ResolvedExpression {
        let (path, attribute) = try resolve(Array(keys.dropLast()))
        guard attribute == nil, let last = path.last, last.property.isToMany,
            !path.dropLast().contains(where: \.property.isToMany)
        else {
            throw PinviewError(
                .badPredicate,
                "'\(keys.joined(separator: "."))': @count counts one to-many relationship, at the end of a path of to-one ones.")
        }
        try check(path, keys)
        return .toManyCount(path: path.dropLast(), property: last.property)
    }

    private func check(_ path: [ResolvedStep], _ keys: [String]) throws(PinviewError) {
        guard path.filter(\.property.isToMany).count <= 1 else {
            throw PinviewError(.badPredicate, "'\(keys.joined(separator: "."))' leads over more than one to-many relationship.")
        }
        for step in path { try requirePersistent(step.property) }
    }

    private func requirePersistent(_ property: Property) throws(PinviewError) {
        guard !property.isTransient else {
            throw PinviewError(.badPredicate, "\(property.qualifiedName) is transient, so no store can look for it.")
        }
    }
}

extension SortDescriptor {
    /// The criterion checked against an entity.
    ///
    /// - Throws: `unknownKey`, or `invalidArgument` for a key path that has no order.
    package func resolved(for entity: Entity, in model: ManagedObjectModel) throws(PinviewError) -> ResolvedSortDescriptor {
        let keys = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let (path, property) = try KeyPathResolver(entity: entity, model: model).resolve(keys)
        let problem = "\(entity.name) cannot be sorted by '\(keyPath)'"
        guard let property, !path.contains(where: \.property.isToMany) else {
            throw PinviewError(.invalidArgument, "\(problem): a sort key is an attribute, behind to-one relationships at most.")
        }
        guard !property.isTransient, !path.contains(where: \.property.isTransient) else {
            throw PinviewError(.invalidArgument, "\(problem): it is transient, so no store has it.")
        }
        guard comparator == .binary || property.attributeType.isText else {
            throw PinviewError(.invalidArgument, "\(problem) without regard to case: it is of type \(property.attributeType.name).")
        }
        return ResolvedSortDescriptor(path: path, property: property, ascending: ascending, comparator: comparator)
    }
}
