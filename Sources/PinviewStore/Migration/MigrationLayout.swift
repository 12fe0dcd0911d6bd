import PinviewModel

/// The tables of a store before and after a migration, and which rows go where.
///
///     old tables            new tables
///     ZPERSON   ──────────▶ ZPERSON      keeps its rows' keys
///     ZCOMPANY  ──────────▶ ZPARTY       the first feeder of a table keeps its keys
///     ZCLUB     ──── +950 ─▶ ZPARTY      rows of further feeders get keys behind those
///
final class MigrationLayout: Sendable {
    let old: SchemaNames
    let new: SchemaNames
    let mapping: ModelMapping
    /// By index of a new hierarchy's root: the old hierarchies whose rows it takes, the one that
    /// keeps its keys first.
    let feeders: [Int: [Feeder]]

    struct Feeder: Sendable {
        let oldRoot: Int
        /// What is added to the keys of its rows.
        let offset: Int64
    }

    /// - Parameter highestKeys: the highest key in use in each old hierarchy, by its root's index.
    init(old: SchemaNames, new: SchemaNames, mapping: ModelMapping, highestKeys: [Int: Int64]) {
        self.old = old
        self.new = new
        self.mapping = mapping
        var feeders: [Int: [Feeder]] = [:]
        for table in new.tables {
            var roots: [Int] = []
            for entity in mapping.destination.entities where entity.rootIndex == table.rootIndex {
                guard let origin = mapping.origin(of: entity), old.numbers.has(entityIndex: origin.index), !roots.contains(origin.rootIndex)
                else { continue }
                roots.append(origin.rootIndex)
            }
            // The root's own table, where it is one of them, comes first already: entities are in
            // depth-first order.
            var offset: Int64 = 0
            var list: [Feeder] = []
            for (position, root) in roots.enumerated() {
                list.append(Feeder(oldRoot: root, offset: offset))
                if position + 1 < roots.count { offset += highestKeys[root] ?? 0 }
            }
            feeders[table.rootIndex] = list
        }
        self.feeders = feeders
    }

    func oldTable(_ root: Int) -> String? { old.tables.first { $0.rootIndex == root }?.name }
    func newTable(_ root: Int) -> String? { new.tables.first { $0.rootIndex == root }?.name }

    func offset(fromOldRoot old: Int, toNewRoot new: Int) -> Int64 {
        feeders[new]?.first { $0.oldRoot == old }?.offset ?? 0
    }

    /// The old entities of a hierarchy that live on in a new one, with what they become.
    func survivors(ofOldRoot root: Int, inNewRoot newRoot: Int? = nil) -> [(old: Entity, new: Entity)] {
        mapping.source.entities.compactMap { entity in
            guard entity.rootIndex == root, old.numbers.has(entityIndex: entity.index), let successor = mapping.successor(of: entity),
                new.numbers.has(entityIndex: successor.index), newRoot == nil || successor.rootIndex == newRoot
            else { return nil }
            return (entity, successor)
        }
    }

    func oldNumber(_ entity: Entity) -> Int32 { old.numbers.number(ofEntityIndex: entity.index) }
    func newNumber(_ entity: Entity) -> Int32 { new.numbers.number(ofEntityIndex: entity.index) }

    /// `Z_ENT` of the old entities of a family whose rows relationships to a new entity must no
    /// longer refer to.
    func lostNumbers(ofOldFamily entity: Entity, asKindOf destination: Entity) -> [Int32] {
        entity.familyIndexes.compactMap { index in
            let member = mapping.source.entities[index]
            if let successor = mapping.successor(of: member), successor.isKind(ofIndex: destination.index) { return nil }
            let number = oldNumber(member)
            return number > 0 ? number : nil
        }
    }

    /// The old relationships or attributes that a new property was, in whatever entity.
    func origins(of property: Property) -> [Property] {
        var origins: [Property] = []
        for entity in mapping.destination.entities where entity.isKind(ofIndex: property.declaringEntityIndex) {
            guard let origin = mapping.origin(of: property, in: entity), !origins.contains(where: { $0 === origin }) else { continue }
            origins.append(origin)
        }
        return origins
    }

    static func inverse(of relationship: Property, in model: ManagedObjectModel) -> Property? {
        model.inverse(of: relationship)
    }

    func oldInverse(of relationship: Property) -> Property? { Self.inverse(of: relationship, in: mapping.source) }
    func newInverse(of relationship: Property) -> Property? { Self.inverse(of: relationship, in: mapping.destination) }

    /// A list of `Z_ENT` for an `IN`.
    static func list(_ numbers: some Sequence<Int32>) -> String { "(\(numbers.map(String.init).joined(separator: ", ")))" }
}
