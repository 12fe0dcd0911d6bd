/// Lists the changes from one version of a model to another.
struct ModelComparison {
    let mapping: ModelMapping

    func changes() -> [ModelDifference.Change] {
        var changes: [ModelDifference.Change] = []
        for entity in mapping.destination.entities {
            guard let origin = mapping.origin(of: entity) else {
                let parent = entity.superentityName.map { ", a kind of \($0)" } ?? ""
                changes.append(change(entity, nil, .entityAdded, "added" + parent))
                continue
            }
            changes += changesOfEntity(from: origin, to: entity)
            changes += changesOfProperties(from: origin, to: entity)
            changes += changesOfComposites(from: origin, to: entity)
            changes += changesOfIndexes(from: origin, to: entity)
        }
        for entity in mapping.source.entities where mapping.successor(of: entity) == nil {
            changes.append(change(entity, nil, .entityRemoved, "removed"))
        }
        return changes
    }

    private func change(
        _ entity: Entity, _ name: String?, _ kind: ModelDifference.Change.Kind, _ text: String
    ) -> ModelDifference.Change {
        ModelDifference.Change(entityName: entity.name, name: name, kind: kind, description: text)
    }

    private func changesOfEntity(from old: Entity, to new: Entity) -> [ModelDifference.Change] {
        var changes: [ModelDifference.Change] = []
        if old.name != new.name { changes.append(change(new, nil, .entityRenamed, "renamed from \(old.name)")) }
        let oldParent = old.superentityIndex.flatMap { mapping.destinationOfEntity[$0] }
        if oldParent != new.superentityIndex || (old.superentityIndex == nil) != (new.superentityIndex == nil) {
            let text = new.superentityName.map { "now a kind of \($0)" } ?? "no longer a kind of \(old.superentityName ?? "")"
            changes.append(change(new, nil, .parentChanged, text))
        }
        if old.isAbstract != new.isAbstract {
            changes.append(change(new, nil, .abstractChanged, new.isAbstract ? "now abstract" : "no longer abstract"))
        }
        if old.versionHashModifier != new.versionHashModifier {
            changes.append(change(new, nil, .versionHashModifierChanged, "version hash modifier changed"))
        }
        return changes
    }

    /// Changes of a property that an ancestor declares in both versions belong to the ancestor.
    private func isInherited(_ property: Property, in entity: Entity, _ parent: Entity?) -> Bool {
        parent.map { property.index < $0.properties.count } ?? false
    }

    private func changesOfProperties(from old: Entity, to new: Entity) -> [ModelDifference.Change] {
        var changes: [ModelDifference.Change] = []
        for property in new.properties {
            let isInherited = property.declaringEntityIndex != new.index
            let parent = new.superentityIndex.map { mapping.destination.entities[$0] }
            guard let origin = mapping.origin(of: property, in: new) else {
                // Reported for the ancestor, unless only this entity gets it, from a new parent.
                if isInherited, let parent, mapping.origin(of: parent) != nil, mapping.origin(of: property, in: parent) == nil,
                    old.superentityIndex == mapping.origin(of: parent)?.index
                {
                    continue
                }
                changes.append(change(new, property.name, .propertyAdded, "+ \(property.name) (\(Self.traits(of: property)))"))
                continue
            }
            if isInherited, let parent, mapping.origin(of: property, in: parent) === origin { continue }
            if origin.name != property.name {
                changes.append(change(new, property.name, .propertyRenamed, "\(origin.name) renamed \(property.name)"))
            }
            let parts = differences(from: origin, to: property)
            if !parts.isEmpty {
                changes.append(change(new, property.name, .propertyChanged, "\(property.name) \(parts.joined(separator: ", "))"))
            }
        }
        for property in mapping.lostProperties(of: old) {
            if let parent = old.superentityIndex.map({ mapping.source.entities[$0] }), property.index < parent.properties.count,
                let kept = mapping.successor(of: parent), kept.index == new.superentityIndex,
                mapping.lostProperties(of: parent).contains(where: { $0 === property })
            {
                continue
            }
            changes.append(change(new, property.name, .propertyRemoved, "− \(property.name)"))
        }
        return changes
    }

    /// What the elements do not show.
    private func changesOfComposites(from old: Entity, to new: Entity) -> [ModelDifference.Change] {
        new.composites.filter { $0.declaringEntityName == new.name }.compactMap { composite in
            // The one that had the elements, under whichever name.
            let origins = composite.leaves.compactMap { mapping.origin(of: $0, in: new) }
            let depth = composite.name.utf8.lazy.filter { $0 == UInt8(ascii: ".") }.count
            guard
                let origin = old.composites.first(where: { candidate in
                    candidate.name.utf8.lazy.filter { $0 == UInt8(ascii: ".") }.count == depth
                        && candidate.leaves.contains { leaf in origins.contains { $0 === leaf } }
                })
            else { return nil }
            var parts: [String] = []
            if origin.isOptional != composite.isOptional { parts.append(composite.isOptional ? "now optional" : "now required") }
            if origin.versionHashModifier != composite.versionHashModifier { parts.append("with another version hash modifier") }
            return parts.isEmpty
                ? nil : change(new, composite.name, .propertyChanged, "\(composite.name) \(parts.joined(separator: ", "))")
        }
    }

    /// Such as "string, optional".
    static func traits(of property: Property) -> String {
        var traits: [String] = []
        if property.isRelationship {
            traits.append("to \(property.isToMany ? "many" : "one") \(property.destinationEntityName)")
            if property.isOrdered && property.isToMany { traits.append("ordered") }
        } else {
            traits.append(property.attributeType.name)
        }
        if property.isTransient { traits.append("transient") }
        traits.append(property.isOptional ? "optional" : "required")
        if !property.defaultValue.isNull { traits.append("default \(property.defaultValue)") }
        return traits.joined(separator: ", ")
    }

    private func differences(from old: Property, to new: Property) -> [String] {
        var parts: [String] = []
        if new.isRelationship {
            let destination = mapping.destinationOfEntity[old.destinationIndex]
            if destination != new.destinationIndex { parts.append("now to \(new.destinationEntityName)") }
            if old.isToMany != new.isToMany { parts.append(new.isToMany ? "now to many" : "now to one") }
            if old.isOrdered != new.isOrdered && new.isToMany { parts.append(new.isOrdered ? "now ordered" : "no longer ordered") }
            if !hasSameInverse(old, new) { parts.append(new.inverseName.map { "now with the inverse \($0)" } ?? "now without an inverse") }
        } else {
            if old.attributeType != new.attributeType { parts.append("now \(new.attributeType.name), was \(old.attributeType.name)") }
            if old.allowsExternalBinaryDataStorage != new.allowsExternalBinaryDataStorage {
                parts.append(new.allowsExternalBinaryDataStorage ? "now with external storage" : "now without external storage")
            }
            if old.defaultValue != new.defaultValue {
                parts.append(new.defaultValue.isNull ? "now without a default" : "now with the default \(new.defaultValue)")
            }
        }
        if old.isOptional != new.isOptional { parts.append(new.isOptional ? "now optional" : "now required") }
        if old.isTransient != new.isTransient { parts.append(new.isTransient ? "now transient" : "no longer transient") }
        if old.versionHashModifier != new.versionHashModifier { parts.append("with another version hash modifier") }
        return parts
    }

    private func hasSameInverse(_ old: Property, _ new: Property) -> Bool {
        guard let oldIndex = old.inverseIndex, let newIndex = new.inverseIndex else {
            return old.inverseIndex == nil && new.inverseIndex == nil
        }
        let inverse = mapping.destination.entities[new.destinationIndex].properties[newIndex]
        let origin = mapping.origin(of: inverse, in: mapping.destination.entities[new.destinationIndex])
        // An inverse whose destination moved is told of the relationship itself.
        guard let origin else { return false }
        return origin.name == mapping.source.entities[old.destinationIndex].properties[oldIndex].name
    }

    // MARK: Indexes and constraints

    private func changesOfIndexes(from old: Entity, to new: Entity) -> [ModelDifference.Change] {
        var changes: [ModelDifference.Change] = []
        let renamed = Dictionary(
            new.properties.compactMap { property in mapping.origin(of: property, in: new).map { ($0.name, property.name) } },
            uniquingKeysWith: { first, _ in first })
        let oldConstraints = old.uniquenessConstraints.map { $0.map { renamed[$0] ?? $0 } }
        for constraint in new.uniquenessConstraints where !oldConstraints.contains(constraint) {
            let name = constraint.joined(separator: ", ")
            changes.append(change(new, name, .constraintAdded, "\(name) now unique"))
        }
        for constraint in oldConstraints where !new.uniquenessConstraints.contains(constraint) {
            let name = constraint.joined(separator: ", ")
            changes.append(change(new, name, .constraintRemoved, "\(name) no longer unique"))
        }
        for index in new.indexes {
            guard let before = old.indexes.first(where: { $0.name == index.name }) else {
                changes.append(change(new, index.name, .indexAdded, "index \(index.name) added"))
                continue
            }
            var moved = before
            for position in moved.elements.indices {
                let name = moved.elements[position].attributeName
                moved.elements[position].attributeName = renamed[name] ?? name
            }
            if moved != index { changes.append(change(new, index.name, .indexChanged, "index \(index.name) changed")) }
        }
        for index in old.indexes where !new.indexes.contains(where: { $0.name == index.name }) {
            changes.append(change(new, index.name, .indexRemoved, "index \(index.name) removed"))
        }
        return changes
    }
}
