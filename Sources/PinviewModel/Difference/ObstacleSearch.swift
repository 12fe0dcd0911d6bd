/// Finds what keeps a migration from being inferred.
struct ObstacleSearch {
    let mapping: ModelMapping
    let confirmedRemovals: Set<String>

    func obstacles() -> [ModelDifference.Obstacle] {
        mapping.mistakes.map { ModelDifference.Obstacle(kind: .contradiction, subject: "", description: $0) } + unclearEntities()
            + unclearProperties() + typeChanges()
    }

    /// A part that names itself as its origin is new, and nothing renamed.
    private func isNew(_ name: String, _ renamingIdentifier: String?) -> Bool { renamingIdentifier == name }

    private func unclearEntities() -> [ModelDifference.Obstacle] {
        let added = mapping.destination.entities.filter { mapping.origin(of: $0) == nil && !isNew($0.name, $0.renamingIdentifier) }
        return mapping.source.entities.compactMap { entity in
            guard mapping.successor(of: entity) == nil, !confirmedRemovals.contains(entity.name),
                let like = added.first(where: { isLike(entity, $0) })
            else { return nil }
            return ModelDifference.Obstacle(
                kind: .unclearRemoval, subject: entity.name,
                description:
                    "\(entity.name) is gone and \(like.name), which is like it, is new. If it was renamed, give \(like.name) the renaming "
                    + "identifier \(entity.name.quotedForPeople); if not, confirm the removal of \(entity.name.quotedForPeople).")
        }
    }

    private func isLike(_ old: Entity, _ new: Entity) -> Bool {
        let names = Set(new.properties.map(\.name))
        let shared = old.properties.count { names.contains($0.name) }
        return shared > 0 && 2 * shared >= max(old.properties.count, new.properties.count)
    }

    private func unclearProperties() -> [ModelDifference.Obstacle] {
        var obstacles: [ModelDifference.Obstacle] = []
        var seen: Set<Property> = []
        for entity in mapping.source.entities {
            guard let successor = mapping.successor(of: entity) else { continue }
            let added = mapping.newProperties(of: successor).filter {
                !isNew($0.name, $0.renamingIdentifier) && !mapping.isGiven($0, in: successor)
            }
            for property in mapping.lostProperties(of: entity) where !property.isTransient && seen.insert(property).inserted {
                guard !confirmedRemovals.contains(property.qualifiedName), let like = added.first(where: { isLike(property, $0) })
                else { continue }
                let isSame = property.name == like.name
                obstacles.append(
                    ModelDifference.Obstacle(
                        kind: .unclearRemoval, subject: property.qualifiedName,
                        description: isSame
                            ? "\(property.qualifiedName) becomes a\(like.isRelationship ? " relationship" : "n attribute") and would lose its values. "
                                + "Confirm the removal of \(property.qualifiedName.quotedForPeople), or carry the values over in a step."
                            : "\(property.qualifiedName) is gone and \(like.name), which is like it, is new. If it was renamed, give \(like.name) the "
                                + "renaming identifier \(property.name.quotedForPeople); if not, confirm the removal of "
                                + "\(property.qualifiedName.quotedForPeople)."))
            }
        }
        return obstacles
    }

    private func isLike(_ old: Property, _ new: Property) -> Bool {
        if old.name == new.name { return true }
        guard old.isRelationship == new.isRelationship, !new.isTransient else { return false }
        guard old.isRelationship else { return old.attributeType == new.attributeType }
        return mapping.destinationOfEntity[old.destinationIndex] == new.destinationIndex && old.isToMany == new.isToMany
    }

    private func typeChanges() -> [ModelDifference.Obstacle] {
        var obstacles: [ModelDifference.Obstacle] = []
        var seen: Set<Property> = []
        for entity in mapping.destination.entities {
            for property in entity.attributes where !property.isTransient {
                guard let origin = mapping.origin(of: property, in: entity), !origin.isTransient,
                    !origin.attributeType.mayWiden(to: property.attributeType), seen.insert(property).inserted
                else { continue }
                obstacles.append(
                    ModelDifference.Obstacle(
                        kind: .typeChange, subject: origin.qualifiedName,
                        description:
                            "\(property.qualifiedName) changes from \(origin.attributeType.name) to \(property.attributeType.name), which can lose "
                            + "values. Keep the type, map the attribute in a stage, or confirm the removal of the old values of "
                            + "\(origin.qualifiedName.quotedForPeople)."))
            }
        }
        return obstacles
    }
}

extension AttributeType {
    /// Whether every value of the type is one of the other type, too, and stays the same in a
    /// store.
    package func widens(to other: AttributeType) -> Bool {
        if self == other { return true }
        switch (self, other) {
        case (.boolean, .integer16), (.boolean, .integer32), (.boolean, .integer64): return true
        case (.integer16, .integer32), (.integer16, .integer64), (.integer32, .integer64): return true
        case (.integer16, .double), (.integer32, .double), (.float, .double), (.integer16, .float): return true
        case (.integer16, .decimal), (.integer32, .decimal), (.integer64, .decimal): return true
        case (.uri, .string): return true
        default: return false
        }
    }

    /// Whether a store's values decide if they can be of the other type: integers up to 2^53 are
    /// exact as doubles, and few are larger.
    package func widensIfExact(to other: AttributeType) -> Bool { self == .integer64 && other == .double }

    /// Whether values of the type can stay where the type changes to the other one.
    package func mayWiden(to other: AttributeType) -> Bool { widens(to: other) || widensIfExact(to: other) }
}
