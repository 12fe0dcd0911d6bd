import PinviewModel

/// The columns of the rows of an entity: `Z_PK`, `Z_ENT`, `Z_OPT`, then each stored attribute and
/// to-one relationship.
///
/// Rows of a store also have the columns of the entity's descendants; rows made in memory only have
/// those of the entity itself.
package final class RowLayout: Sendable {
    static let primaryKeyColumn = 0
    static let entityColumn = 1
    static let versionColumn = 2
    static let firstPropertyColumn = 3

    /// The columns of a property.
    struct ColumnLocation: Sendable {
        /// The value, or the destination's primary key.
        let column: Int32
        /// The destination's `Z_ENT`; −1 if it follows from the model.
        let entityColumn: Int32

        static let none = ColumnLocation(column: -1, entityColumn: -1)
    }

    let entity: Entity
    let columnCount: Int
    let numbers: EntityNumbers
    /// The entities that rows may have.
    let family: EntityFamily
    /// The to-one relationships with columns.
    let references: [CheckedReference]
    /// The columns of their keys; nil if some also have a column for the entity.
    let keyColumns: [Int]?
    let externalData: ExternalDataDirectory?
    /// The properties with columns, in column order.
    let properties: [Property]
    /// For each declaring entity, the position of its first declared property in `locations`, minus
    /// that property's index. Indexed by the declaring entity's index minus the root's, since a
    /// hierarchy has consecutive indexes.
    private let bases: [Int]
    private let locations: [ColumnLocation]

    /// - Parameters:
    ///   - lineage: entities of one hierarchy, ancestors before descendants, whose own properties
    ///     form the row.
    ///   - beginsWithLast: whether the last property comes first. SQLite locates the columns of a
    ///     record on demand; accessing the last first locates all of them at once, which costs a
    ///     quarter less than locating them one by one.
    init(
        entity: Entity, lineage: [Entity], model: ManagedObjectModel, table: String, numbers: EntityNumbers,
        externalData: ExternalDataDirectory?, beginsWithLast: Bool
    ) {
        self.entity = entity
        self.numbers = numbers
        self.externalData = externalData
        var bases: [Int] = []
        var locations: [ColumnLocation] = []
        var properties: [Property] = []
        var column = Self.firstPropertyColumn
        for declaring in lineage {
            let position = declaring.index - declaring.rootIndex
            while bases.count <= position { bases.append(Self.noBase) }
            var isFirst = true
            for property in declaring.properties where property.declaringEntityIndex == declaring.index {
                if isFirst { bases[position] = locations.count - property.index }
                isFirst = false
                guard property.isStored else {
                    locations.append(.none)
                    continue
                }
                properties.append(property)
                let isPolymorphic = property.isRelationship && Self.hasEntityColumn(property, in: model)
                locations.append(ColumnLocation(column: Int32(column), entityColumn: isPolymorphic ? Int32(column + 1) : -1))
                column += isPolymorphic ? 2 : 1
            }
        }
        if beginsWithLast, let last = properties.popLast(), let position = locations.lastIndex(where: { $0.column >= 0 }) {
            properties.insert(last, at: 0)
            let shift = Int32(column) - locations[position].column
            for index in locations.indices where locations[index].column >= 0 {
                let first = index == position ? Int32(Self.firstPropertyColumn) : locations[index].column + shift
                locations[index] = ColumnLocation(column: first, entityColumn: locations[index].entityColumn >= 0 ? first + 1 : -1)
            }
        }
        self.bases = bases
        self.locations = locations
        self.properties = properties
        columnCount = column
        family = EntityFamily(
            entity, hierarchyCount: model.entities[entity.rootIndex].familyIndexes.count, table: table, numbers: numbers)
        references = properties.filter(\.isRelationship).map { relationship in
            let location = Self.location(of: relationship, rootIndex: entity.rootIndex, bases, locations)
            let numbers = model.entities[relationship.destinationIndex].familyIndexes.map { Int(numbers.number(ofEntityIndex: $0)) }
            var leadsTo = [Bool](repeating: false, count: (numbers.max() ?? 0) + 1)
            for number in numbers where number > 0 { leadsTo[number] = true }
            return CheckedReference(
                name: relationship.name, column: Int(location.column), entityColumn: Int(location.entityColumn), leadsTo: leadsTo)
        }
        keyColumns = references.contains { $0.entityColumn >= 0 } ? nil : references.map(\.column)
    }

    /// The layout of rows made in memory.
    package convenience init(entity: Entity, model: ManagedObjectModel) {
        var lineage = [entity]
        while let index = lineage[0].superentityIndex { lineage.insert(model.entities[index], at: 0) }
        self.init(
            entity: entity, lineage: lineage, model: model, table: entity.name, numbers: EntityNumbers(entityCount: model.entities.count),
            externalData: nil, beginsWithLast: false)
    }

    private static let noBase = Int.min / 2

    /// Whether a to-one relationship needs its destination's `Z_ENT` besides the key.
    static func hasEntityColumn(_ relationship: Property, in model: ManagedObjectModel) -> Bool {
        model.entities[relationship.destinationIndex].familyIndexes.count > 1
    }

    /// The columns of a property; `.none` for a property without a column or of another hierarchy.
    func location(of property: Property) -> ColumnLocation { Self.location(of: property, rootIndex: entity.rootIndex, bases, locations) }

    @inline(__always)
    private static func location(of property: Property, rootIndex: Int, _ bases: [Int], _ locations: [ColumnLocation]) -> ColumnLocation {
        let position = property.declaringEntityIndex - rootIndex
        guard bases.indices.contains(position) else { return .none }
        let index = bases[position] + property.index
        guard locations.indices.contains(index) else { return .none }
        return locations[index]
    }
}
