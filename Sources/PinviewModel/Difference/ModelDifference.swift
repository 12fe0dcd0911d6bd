/// What changes from one version of a model to another.
///
/// ```swift
/// print(ModelDifference(from: old, to: new))
/// // Person: + nickname (string, optional); name renamed fullName; index byAge added
/// ```
///
/// Any two versions can be compared. A renaming identifier says what something was called before.
public struct ModelDifference: Sendable, CustomStringConvertible {
    /// One change, of an entity or of one of its properties.
    public struct Change: Hashable, Sendable, CustomStringConvertible {
        /// What changes.
        public enum Kind: String, Sendable, CaseIterable {
            case entityAdded, entityRemoved, entityRenamed, parentChanged, abstractChanged
            case propertyAdded, propertyRemoved, propertyRenamed, propertyChanged
            case constraintAdded, constraintRemoved, indexAdded, indexRemoved, indexChanged
            case versionHashModifierChanged
        }

        /// The entity's name in the new version, or in the old one if it is gone.
        public let entityName: String
        /// The property, constraint or index, by its new name, or its old one if it is gone; nil
        /// for changes of the entity.
        public let name: String?
        public let kind: Kind
        /// The change in words, without the entity's name: `+ nickname (string, optional)`.
        public let description: String
    }

    /// Why the migration of a store cannot be inferred, and what would settle it.
    public struct Obstacle: Hashable, Sendable, CustomStringConvertible {
        /// What is in the way.
        public enum Kind: String, Sendable, CaseIterable {
            /// Something is gone and something like it is new: a rename, or two different things?
            case unclearRemoval
            /// An attribute's type changes in a way that may lose values.
            case typeChange
            /// Renaming identifiers contradict one another.
            case contradiction
        }

        public let kind: Kind
        /// The removed entity (`Person`) or property (`Person.name`) by its old name; empty for a
        /// contradiction.
        public let subject: String
        public let description: String
    }

    /// By entity in the order of the new model; removed entities last.
    public let changes: [Change]
    /// Empty if a store can be migrated without further help.
    public let obstacles: [Obstacle]
    package let mapping: ModelMapping

    /// Compares two versions.
    ///
    /// - Parameter confirmedRemovals: entities (`Person`) and properties (`Person.name`) of the old
    ///   version that are really gone, although something like them is new.
    public init(from old: ManagedObjectModel, to new: ManagedObjectModel, confirmedRemovals: Set<String> = []) {
        self.init(from: old, to: new, hints: MappingHints(), confirmedRemovals: confirmedRemovals)
    }

    package init(
        from old: ManagedObjectModel, to new: ManagedObjectModel, hints: MappingHints, confirmedRemovals: Set<String>
    ) {
        var mapping = ModelMapping(from: old, to: new, hints: hints)
        let replaced = Self.replaced(mapping, confirmedRemovals)
        if !replaced.isEmpty {
            var hints = hints
            for (entity, property) in replaced { hints.properties[entity, default: [:]].updateValue(nil, forKey: property) }
            mapping = ModelMapping(from: old, to: new, hints: hints)
        }
        self.mapping = mapping
        changes = ModelComparison(mapping: mapping).changes()
        obstacles = ObstacleSearch(mapping: mapping, confirmedRemovals: confirmedRemovals).obstacles()
    }

    /// The attributes of another type whose old values the program gives up.
    private static func replaced(_ mapping: ModelMapping, _ confirmed: Set<String>) -> [(entity: String, property: String)] {
        guard !confirmed.isEmpty else { return [] }
        return mapping.destination.entities.flatMap { entity in
            entity.attributes.compactMap { property in
                guard let origin = mapping.origin(of: property, in: entity), confirmed.contains(origin.qualifiedName),
                    !origin.attributeType.mayWiden(to: property.attributeType)
                else { return nil }
                return (entity.name, property.name)
            }
        }
    }

    /// Whether the versions are the same in everything that can differ here.
    public var isEmpty: Bool { changes.isEmpty }

    /// Whether nothing differs but indexes and uniqueness constraints.
    package var hasIndexesOnly: Bool {
        if isEmpty { return false }
        return changes.allSatisfy { [.constraintAdded, .constraintRemoved, .indexAdded, .indexRemoved, .indexChanged].contains($0.kind) }
    }

    /// A line for each entity that differs.
    public var description: String {
        var lines: [(entity: String, texts: [String])] = []
        for change in changes {
            if let last = lines.indices.last, lines[last].entity == change.entityName {
                lines[last].texts.append(change.description)
            } else {
                lines.append((change.entityName, [change.description]))
            }
        }
        return lines.map { "\($0.entity): \($0.texts.joined(separator: "; "))" }.joined(separator: "\n")
    }

    /// The difference as a JSON object with the members `changes`, `obstacles` and `description`.
    public func jsonRepresentation() -> String {
        let changes = changes.map { change in
            JSONValue.object([
                .init("entity", .string(change.entityName)), .init("name", change.name.map { .string($0) } ?? .null),
                .init("kind", .string(change.kind.rawValue)), .init("description", .string(change.description)),
            ])
        }
        let obstacles = obstacles.map { obstacle in
            JSONValue.object([
                .init("kind", .string(obstacle.kind.rawValue)), .init("subject", .string(obstacle.subject)),
                .init("description", .string(obstacle.description)),
            ])
        }
        return JSONValue.object([
            .init("changes", .array(changes)), .init("obstacles", .array(obstacles)), .init("description", .string(description)),
        ]).description
    }
}
