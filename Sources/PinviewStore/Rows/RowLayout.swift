import PinviewModel

/// The columns of the rows of an entity: `Z_PK`, `Z_ENT`, `Z_OPT`, then each stored attribute and
/// to-one relationship.
///
/// Rows that come from a store have the columns of the entity's descendants too; rows made by hand
/// those of the entity alone.
package final class RowLayout: Sendable {
    static let primaryKeyColumn = 0
    static let entityColumn = 1
    static let versionColumn = 2
    static let firstPropertyColumn = 3

    /// Where a property stands in a row.
    struct ColumnLocation: Sendable {
        /// The value, or the destination's primary key.
        let column: Int32
        /// The destination's `Z_ENT`; −1 where it follows from the model.
        let entityColumn: Int32

        static let none = ColumnLocation(column: -1, entityColumn: -1)
    }

    let entity: Entity
    let columnCount: Int
    let numbers: EntityNumbers
    /// Whose rows there are.
    let family: EntityFamily
    /// The to-one relationships with columns.
    let references: [CheckedReference]
    let externalData: ExternalDataDirectory?
    /// The properties that have columns, in column order.
    let properties: [Property]
    /// Where the locations of the properties that an entity declares begin, less the index of the
    /// first of them. By the declaring entity's index minus the root's: a hierarchy has consecutive
    /// indexes.
    private let bases: [Int]
    private let locations: [ColumnLocation]

    /// - Parameters:
    ///   - lineage: entities of one hierarchy, ancestors before their descendants, whose own
    ///     properties make up the row.
    ///   - beginsWithLast: whether the last property comes first. SQLite finds the columns of a
    ///     record as they are asked for: one look at the last finds all of them at once, which
    ///     costs a quarter less than finding them one by one.
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
    }

    /// The layout of rows made by hand.
    convenience init(entity: Entity, model: ManagedObjectModel) {
        var lineage = [entity]
        while let index = lineage[0].superentityIndex { lineage.insert(model.entities[index], at: 0) }
        self.init(
            entity: entity, lineage: lineage, model: model, table: entity.name, numbers: EntityNumbers(entityCount: model.entities.count),
            externalData: nil, beginsWithLast: false)
    }

    private static let noBase = Int.min / 2

    /// Whether a to-one relationship needs `Z_ENT` of its destination beside the key.
    static func hasEntityColumn(_ relationship: Property, in model: ManagedObjectModel) -> Bool {
        model.entities[relationship.destinationIndex].familyIndexes.count > 1
    }

    /// Where a property stands; `.none` for one without a column or of another hierarchy.
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
