import PinviewModel

/// The names of tables and columns for a model, by Core Data's rules.
struct SchemaNames {
    let model: ManagedObjectModel
    let numbers: EntityNumbers
    private(set) var tables: [EntityTable] = []
    private(set) var joinTables: [JoinTable] = []
    /// By declaring entity, then by the property's position among those declared by the entity.
    private(set) var storages: [[PropertyStorage]]
    private var tablePositions: [Int: Int] = [:]
    /// Whether a digit was needed to make a name unique.
    private(set) var hasNumberedNames = false
    // While the names are made.
    private var usedTables = UsedNames()
    private var usedColumns: [Int: UsedNames] = [:]
    private var usedJoinColumns = UsedNames()
    /// The properties declared by the store's entities, in the order in which they get columns.
    let allDeclarations: [(entity: Entity, property: Property)]
    private let additions: Set<Property>
    /// Whether a file may lack properties of the model.
    var allowsGaps = false

    /// - Parameters:
    ///   - order: the order in which a store's own model declares the properties of each entity. It
    ///     matters where ``hasNumberedNames``: which of two properties has the digit is decided by
    ///     who comes first.
    ///   - additions: properties that the store's own model does not have. They get no names.
    init(model: ManagedObjectModel, numbers: EntityNumbers, order: [String: [String]]? = nil, additions: Set<Property> = []) {
        self.model = model
        self.numbers = numbers
        allDeclarations = Self.declarations(model, numbers, order)
        self.additions = additions
        storages = model.entities.map { [PropertyStorage](repeating: .none, count: $0.properties.count - Self.inheritedCount($0, model)) }
        nameTables()
        nameColumns()
        nameForeignKeys()
        nameJoinTables()
        hasNumberedNames = usedTables.hasNumbered || usedJoinColumns.hasNumbered || usedColumns.values.contains(where: \.hasNumbered)
        (usedTables, usedColumns, usedJoinColumns) = (UsedNames(), [:], UsedNames())
    }

    static func inheritedCount(_ entity: Entity, _ model: ManagedObjectModel) -> Int {
        entity.superentityIndex.map { model.entities[$0].properties.count } ?? 0
    }

    /// The properties declared by the store's entities that can have a place there.
    var declarations: [(entity: Entity, property: Property)] {
        additions.isEmpty ? allDeclarations : allDeclarations.filter { !additions.contains($0.property) }
    }

    private static func declarations(
        _ model: ManagedObjectModel, _ numbers: EntityNumbers, _ order: [String: [String]]?
    ) -> [(entity: Entity, property: Property)] {
        let held = model.entities.filter { numbers.has(entityIndex: $0.index) }
        // In a file's own order: of two sub-entities' columns of one name the later has the digit.
        let sorted = held.sorted { numbers.number(ofEntityIndex: $0.index) < numbers.number(ofEntityIndex: $1.index) }
        return sorted.flatMap { entity in
            ordered(entity.properties.dropFirst(Self.inheritedCount(entity, model)), order?[entity.name]).map { (entity, $0) }
        }
    }

    private static func ordered(_ properties: ArraySlice<Property>, _ names: [String]?) -> [Property] {
        guard let names else { return Array(properties) }
        let places = Dictionary(zip(names, names.indices), uniquingKeysWith: { first, _ in first })
        return properties.sorted { places[$0.name, default: names.count] < places[$1.name, default: names.count] }
    }

    private struct UsedNames {
        private var names: Set<String>
        private(set) var hasNumbered = false

        init(reserved: Set<String> = []) { names = reserved }

        /// The name itself, or with the first digit that makes it unique.
        mutating func unused(_ name: String) -> String {
            var candidate = name
            var digit = 0
            while !names.insert(candidate).inserted {
                digit += 1
                hasNumbered = true
                candidate = "\(name)\(digit)"
            }
            return candidate
        }
    }

    func storage(of property: Property) -> PropertyStorage {
        let declaring = model.entities[property.declaringEntityIndex]
        return storages[declaring.index][property.index - Self.inheritedCount(declaring, model)]
    }

    mutating func setStorage(_ storage: PropertyStorage, of property: Property) {
        let declaring = model.entities[property.declaringEntityIndex]
        storages[declaring.index][property.index - Self.inheritedCount(declaring, model)] = storage
    }

    // MARK: Tables and columns

    /// The table that an entity's objects are in; nil if the store does not have the entity.
    func tableName(of entity: Entity) -> String? { tablePositions[entity.rootIndex].map { tables[$0].name } }

    private mutating func nameTables() {
        for entity in model.entities where numbers.has(entityIndex: entity.index) && tablePositions[entity.rootIndex] == nil {
            tablePositions[entity.rootIndex] = tables.count
            let name = usedTables.unused("Z" + model.entities[entity.rootIndex].name.uppercased())
            tables.append(EntityTable(rootIndex: entity.rootIndex, name: name, columns: [], keys: []))
        }
    }

    private mutating func addColumn(_ name: String, type: String, isKey: Bool = false, to rootIndex: Int) -> String {
        let name = usedColumns[rootIndex, default: UsedNames(reserved: ["Z_PK", "Z_ENT", "Z_OPT"])].unused(name)
        guard let position = tablePositions[rootIndex] else { return name }
        tables[position].columns.append(EntityTable.Column(name: name, type: type))
        if isKey { tables[position].keys.append(name) }
        return name
    }

    private mutating func nameColumns() {
        // Elements of composite attributes are named after the element alone, so two can want one
        // name. They come last, so that the columns of other attributes do not depend on them.
        let stored = declarations.filter(\.property.isStored)
        for (entity, property) in stored.filter({ !$0.property.isElement }) + stored.filter(\.property.isElement) {
            let name = "Z" + property.lastKey.uppercased()
            guard property.isRelationship else {
                let column = addColumn(name, type: property.attributeType.columnType, to: entity.rootIndex)
                setStorage(.attribute(column: column), of: property)
                continue
            }
            let key = addColumn(name, type: "INTEGER", isKey: true, to: entity.rootIndex)
            var entityColumn: String?
            if RowLayout.hasEntityColumn(property, in: model) {
                let number = numbers.number(ofEntityIndex: property.destinationIndex)
                entityColumn = addColumn("Z\(number)_\(key.dropFirst())", type: "INTEGER", to: entity.rootIndex)
            }
            setStorage(.toOne(key: key, entity: entityColumn), of: property)
        }
    }

    // MARK: Relationships to many

    func inverse(of property: Property) -> Property? {
        model.inverse(of: property)
    }

    /// Names the columns of to-many relationships whose members refer to their owner.
    private mutating func nameForeignKeys() {
        for (entity, property) in declarations where property.isToMany && !property.isTransient {
            let destination = model.entities[property.destinationIndex]
            guard numbers.has(entityIndex: destination.index), let position = tablePositions[destination.rootIndex] else { continue }
            let table = tables[position].name
            if let inverse = inverse(of: property) {
                guard !inverse.isToMany, case .toOne(let key, _) = storage(of: inverse) else { continue }
                let order = property.isOrdered ? addColumn("Z_FOK_\(key.dropFirst())", type: "INTEGER", to: destination.rootIndex) : nil
                setStorage(.toMany(ForeignKey(table: table, key: key, order: order, hasInverse: true)), of: property)
            } else {
                let name = "\(numbers.number(ofEntityIndex: entity.index))\(property.name.uppercased())"
                let key = addColumn("Z\(name)", type: "INTEGER", isKey: true, to: destination.rootIndex)
                let order = property.isOrdered ? addColumn("Z_FOK_\(name)", type: "INTEGER", to: destination.rootIndex) : nil
                setStorage(.toMany(ForeignKey(table: table, key: key, order: order, hasInverse: false)), of: property)
            }
        }
    }

    private mutating func nameJoinTables() {
        for (entity, property) in declarations where property.isToMany && !property.isTransient {
            guard let inverse = inverse(of: property), inverse.isToMany, !inverse.isTransient,
                numbers.has(entityIndex: inverse.declaringEntityIndex), storage(of: property) == .none
            else { continue }
            let number = numbers.number(ofEntityIndex: entity.index)
            let inverseNumber = numbers.number(ofEntityIndex: inverse.declaringEntityIndex)
            // The table is named after the side with the lower number; within one entity after the
            // name that sorts second, as in most of Core Data's files.
            let isFirst = (number, inverse.name.uppercased()) <= (inverseNumber, property.name.uppercased())
            let (lead, follow) = isFirst ? (property, inverse) : (inverse, property)
            let (leadNumber, followNumber) = isFirst ? (number, inverseNumber) : (inverseNumber, number)
            let table = usedTables.unused("Z_\(leadNumber)\(lead.name.uppercased())")
            let owner = usedJoinColumns.unused("Z_\(leadNumber)\(follow.name.uppercased())")
            let member = usedJoinColumns.unused("Z_\(followNumber)\(lead.name.uppercased())")
            let order = lead.isOrdered ? JoinSide.orderColumn(ofMember: member) : nil
            let inverseOrder = follow.isOrdered && lead !== follow ? JoinSide.orderColumn(ofMember: owner) : nil
            joinTables.append(JoinTable(name: table, first: owner, second: member, orders: [inverseOrder, order].compactMap { $0 }))
            setStorage(.join(JoinSide(table: table, owner: owner, member: member, order: order)), of: lead)
            if lead !== follow {
                setStorage(.join(JoinSide(table: table, owner: member, member: owner, order: inverseOrder)), of: follow)
            }
        }
    }
}
