import PinviewGenerations
import PinviewModel
import Synchronization

/// How a store represents a model: tables, columns, entity numbers, and the texts of frequent
/// statements.
final class StoreSchema: Sendable {
    let model: ManagedObjectModel
    let numbers: EntityNumbers
    let columnMasks: ColumnMasks
    /// What the model asks for and the store lacks.
    let gaps: StoreGaps
    /// Properties that the model has and the store's history does not know; nil if nobody can tell
    /// which it knows.
    let historyAdditions: Set<Property>?
    /// Attributes whose comparisons with lists are written as alternatives, as in the conditions of
    /// indexes.
    let attributesListedByIndexes: Set<Property>
    private let names: SchemaNames
    private let externalData: ExternalDataDirectory?
    private let mayHoldStrays: Bool
    private let inheritedCounts: [Int]
    private let entities: [LazyEntity]
    /// By entity, whether the store's configuration contains it.
    private let isHeld: [Bool]

    /// - Parameters:
    ///   - mayHoldStrays: whether tables may contain rows of entities that do not belong there.
    ///   - historyAdditions: properties that the model has and the store's history does not know;
    ///     nil if nobody can tell which it knows.
    init(
        names: SchemaNames, heldEntities: [Entity], externalData: ExternalDataDirectory?, mayHoldStrays: Bool,
        gaps: StoreGaps = StoreGaps(), historyAdditions: Set<Property>? = []
    ) {
        let model = names.model
        self.model = model
        numbers = names.numbers
        columnMasks = ColumnMasks(model: model, additions: historyAdditions)
        self.gaps = gaps
        self.historyAdditions = historyAdditions
        attributesListedByIndexes = names.attributesListedByIndexes
        self.names = names
        self.externalData = externalData
        self.mayHoldStrays = mayHoldStrays
        inheritedCounts = model.entities.map { SchemaNames.inheritedCount($0, model) }
        var isHeld = [Bool](repeating: false, count: model.entities.count)
        for entity in heldEntities { isHeld[entity.index] = true }
        self.isHeld = isHeld
        entities = model.entities.map { _ in LazyEntity() }
    }

    /// The schema of one entity, made when it is first asked for: a program uses few of the entities
    /// of a large model at once.
    private final class LazyEntity: Sendable {
        // `AtomicLazyReference` would add 27 KB to the library.
        /// The retained schema; 0 until it is made.
        private let address = Atomic<UInt>(0)

        deinit { made?.release() }

        private var made: Unmanaged<EntitySchema>? {
            UnsafeRawPointer(bitPattern: address.load(ordering: .acquiring)).map { .fromOpaque($0) }
        }

        var schema: EntitySchema? { made?.takeUnretainedValue() }

        /// Keeps a schema unless another thread was faster.
        ///
        /// - Returns: the one that is kept.
        func keep(_ schema: EntitySchema) -> EntitySchema {
            let new = Unmanaged.passRetained(schema)
            let address = UInt(bitPattern: new.toOpaque())
            if self.address.compareExchange(expected: 0, desired: address, ordering: .acquiringAndReleasing).exchanged { return schema }
            new.release()
            return self.schema ?? schema
        }
    }

    /// The table that an entity's rows are in; nil if the store has no place for them.
    private func table(of entity: Entity) -> String? {
        guard numbers.has(entityIndex: entity.index) || gaps.lacks(entity) && isInTable(entity) else { return nil }
        return names.tableName(of: entity)
    }

    /// Whether the store has rows of an entity or of its sub-entities.
    private func isInTable(_ entity: Entity) -> Bool { entity.familyIndexes.contains { numbers.has(entityIndex: $0) } }

    @inline(never)
    private func makeEntity(at index: Int) -> EntitySchema? {
        let entity = model.entities[index]
        let made: EntitySchema
        if let table = table(of: entity) {
            made = EntitySchema(entity: entity, table: table, names: names, externalData: externalData, mayHoldStrays: mayHoldStrays)
        } else if gaps.lacks(entity), !isInTable(entity) {
            made = EntitySchema(emptyEntity: entity, table: EntitySchema.emptyTable(names.tableName(of: entity)), names: names)
        } else {
            return nil
        }
        return entities[index].keep(made)
    }

    /// The columns of all tables whose data may be in files.
    var externalColumns: [ExternalColumn] {
        var columns: [ExternalColumn] = []
        for entity in model.entities where !gaps.lacks(entity) {
            for property in entity.attributes where isExternal(property) {
                guard let table = table(of: entity), case .attribute(let name) = storage(of: property) else { continue }
                let column = ExternalColumn(
                    tableName: table, table: SQLIdentifier.quoted(table), name: SQLIdentifier.quoted(name))
                if !columns.contains(column) { columns.append(column) }
            }
        }
        return columns
    }

    func isExternal(_ property: Property) -> Bool {
        property.cellKind == .externalBinary && property.isAttribute && externalData != nil
            && table(of: model.entities[property.declaringEntityIndex]) != nil
    }

    /// What to write to a column of a property: a value as it was bound, or what becomes of it when
    /// large data goes to a file.
    func written(_ property: Property, _ value: String) -> String {
        isExternal(property) ? "\(ExternalColumn.storeFunction)(\(value))" : value
    }

    func holds(entityIndex: Int) -> Bool { isHeld.indices.contains(entityIndex) && isHeld[entityIndex] }

    /// - Throws: `unknownEntity` for an entity that the store does not hold.
    func entity(_ entity: Entity) throws(PinviewError) -> EntitySchema {
        if let schema = self.entity(at: entity.index) { return schema }
        throw PinviewError(.unknownEntity, "The store does not hold the entity \(entity.name): it has another configuration.")
    }

    // Many functions call this, whose copies would take much of the library's size.
    @inline(never)
    func entity(at index: Int) -> EntitySchema? {
        guard entities.indices.contains(index) else { return nil }
        return entities[index].schema ?? makeEntity(at: index)
    }

    func storage(of property: Property) -> PropertyStorage {
        let entity = property.declaringEntityIndex
        guard names.storages.indices.contains(entity) else { return .none }
        let position = property.index - inheritedCounts[entity]
        return names.storages[entity].indices.contains(position) ? names.storages[entity][position] : .none
    }

    /// The columns of a property in its own table: the value, or the destination's key and `Z_ENT`.
    func columns(of property: Property) -> [String] {
        switch storage(of: property) {
        case .attribute(let column): [column]
        case .toOne(let key, let entity): [key] + (entity.map { [$0] } ?? [])
        default: []
        }
    }

    /// The column in the members' rows with the order of a to-many relationship that has a to-one
    /// inverse.
    func orderColumn(of relationship: Property) -> String? {
        if case .toMany(let foreignKey) = storage(of: relationship) { return foreignKey.order }
        return nil
    }

    /// Whether the members of a relationship are stored elsewhere than in a to-one relationship of
    /// theirs.
    func hasOwnMembers(_ relationship: Property) -> Bool {
        switch storage(of: relationship) {
        case .join: true
        case .toMany(let foreignKey): !foreignKey.hasInverse
        default: false
        }
    }

    func inverse(of relationship: Property) -> Property? { model.inverse(of: relationship) }

    /// The primary key of an object in the store with a number; nil for objects of other stores and
    /// hierarchies, and for unsaved ones.
    func primaryKey(of value: Value, rootIndex: Int, storeNumber: Int32) -> Int64? {
        guard case .objectID(let objectID) = value, objectID.key.storeNumber == storeNumber,
            objectID.entity.rootName == model.entities[rootIndex].name
        else { return nil }
        return objectID.key.primaryKey
    }

    /// The schema of the destination entity of a relationship.
    func destination(of relationship: Property) -> EntitySchema? { entity(at: relationship.destinationIndex) }

    /// Whether the store can have destinations of a relationship. It may hold neither the entity nor
    /// the relationship.
    func hasDestinations(of relationship: Property) -> Bool {
        storage(of: relationship) != .none && destination(of: relationship) != nil
    }
}

/// A property with columns in its own entity's table.
struct WrittenProperty: Sendable {
    let property: Property
    /// Whether the destination's `Z_ENT` is stored next to its key.
    let hasEntityColumn: Bool
}

/// The schema of an entity in a store.
final class EntitySchema: Sendable {
    let entity: Entity
    /// Quoted if necessary.
    let table: String
    let tableName: String
    let number: Int32
    /// The columns of the entity, its ancestors and its descendants, as reads return them.
    let layout: RowLayout
    /// `t0.Z_PK, t0.Z_ENT, t0.Z_OPT, …`, matching `layout`.
    let selectList: String
    private let mayHoldStrays: Bool
    private let familyNumbers: [Int32]?
    private let ownNumbers: [Int32]?
    let insertSQL: String
    private let insertedRow: String
    /// Selects the row of a primary key, in `layout`.
    let rowText: StatementText
    /// The properties of the entity itself that have columns, in the order of `insertSQL`.
    let writtenProperties: [WrittenProperty]
    /// The columns of rows to be written: those of the entity itself, with the store's own entity
    /// numbers.
    let writtenLayout: RowLayout
    /// The parameters of `insertSQL`.
    let insertColumns: [BoundColumn]

    /// Something to select from that has no rows, for an entity that a store lacks. If it should be
    /// in the table of others, it has that one's columns.
    static func emptyTable(_ table: String?) -> String {
        guard let table else { return "(SELECT NULL AS Z_PK, NULL AS Z_ENT, NULL AS Z_OPT WHERE 0)" }
        return "(SELECT * FROM \(SQLIdentifier.quoted(table)) WHERE 0)"
    }

    /// An entity that the store lacks.
    ///
    /// - Parameter table: as SQL.
    convenience init(emptyEntity entity: Entity, table: String, names: SchemaNames) {
        self.init(
            entity: entity, tableName: names.model.entities[entity.rootIndex].name, table: table, names: names, externalData: nil,
            mayHoldStrays: false)
    }

    convenience init(entity: Entity, table: String, names: SchemaNames, externalData: ExternalDataDirectory?, mayHoldStrays: Bool) {
        self.init(
            entity: entity, tableName: table, table: SQLIdentifier.quoted(table), names: names, externalData: externalData,
            mayHoldStrays: mayHoldStrays)
    }

    private init(
        entity: Entity, tableName: String, table: String, names: SchemaNames, externalData: ExternalDataDirectory?, mayHoldStrays: Bool
    ) {
        self.mayHoldStrays = mayHoldStrays
        let model = names.model
        let numbers = names.numbers
        self.entity = entity
        self.tableName = tableName
        self.table = table
        number = numbers.number(ofEntityIndex: entity.index)
        var lineage = [entity]
        while let parent = lineage[0].superentityIndex { lineage.insert(model.entities[parent], at: 0) }
        let writtenLayout = RowLayout(
            entity: entity, lineage: lineage, model: model, table: tableName, numbers: numbers, externalData: externalData,
            beginsWithLast: false)
        self.writtenLayout = writtenLayout
        let family = entity.familyIndexes.filter { numbers.has(entityIndex: $0) }
        lineage += family.filter { $0 != entity.index }.map { model.entities[$0] }
        layout = RowLayout(
            entity: entity, lineage: lineage, model: model, table: tableName, numbers: numbers, externalData: externalData,
            beginsWithLast: true)
        writtenProperties = entity.properties.compactMap { property in
            switch names.storage(of: property) {
            case .attribute: WrittenProperty(property: property, hasEntityColumn: false)
            case .toOne(_, let entityColumn): WrittenProperty(property: property, hasEntityColumn: entityColumn != nil)
            default: nil
            }
        }

        var list = "t0.Z_PK, t0.Z_ENT, t0.Z_OPT"
        for property in layout.properties {
            for column in Self.columns(of: property, names) {
                list += column == nil ? ", NULL" : ", t0."
                if let column { list += column }
            }
        }
        selectList = list
        rowText = StatementText("SELECT \(list) FROM \(self.table) AS t0 WHERE t0.Z_PK = ?")

        let familyNumbers = family.map { numbers.number(ofEntityIndex: $0) }
        let isWholeTable = entity.index == entity.rootIndex
        self.familyNumbers = isWholeTable ? nil : familyNumbers
        ownNumbers = isWholeTable && familyNumbers.count == 1 ? nil : [number]

        var columns = ["Z_PK", "Z_ENT", "Z_OPT"]
        for written in writtenProperties { columns += Self.columns(of: written.property, names).compactMap { $0 } }
        let external = Set(
            externalData == nil
                ? [] : writtenProperties.filter { $0.property.cellKind == .externalBinary }.flatMap { Self.columns(of: $0.property, names) }
        )
        let places = columns.map { external.contains($0) ? "\(ExternalColumn.storeFunction)(?)" : "?" }.joined(separator: ", ")
        insertedRow = "(\(places))"
        insertSQL = "INSERT INTO \(self.table) (\(columns.joined(separator: ", "))) VALUES \(insertedRow)"
        insertColumns =
            (0..<Int32(RowLayout.firstPropertyColumn)).map { BoundColumn(column: $0) }
            + writtenProperties.flatMap { Self.boundColumns(of: $0, writtenLayout) }
    }

    /// How many rows are inserted with one statement if there are many. SQLite then starts and ends
    /// fewer statements, which takes a quarter less time.
    var insertedRowsAtOnce: Int { max(min(16, 800 / insertColumns.count), 1) }

    /// A statement that inserts ``insertedRowsAtOnce`` rows.
    var insertSeveralSQL: String { insertSQL + String(repeating: ", " + insertedRow, count: insertedRowsAtOnce - 1) }

    func boundColumns(of written: WrittenProperty) -> [BoundColumn] { Self.boundColumns(of: written, writtenLayout) }

    private static func boundColumns(of written: WrittenProperty, _ layout: RowLayout) -> [BoundColumn] {
        let location = layout.location(of: written.property)
        let value = BoundColumn(column: location.column)
        guard written.hasEntityColumn else { return [value] }
        if location.entityColumn >= 0 { return [value, BoundColumn(column: location.entityColumn)] }
        // The store has a number next to the key, although the model has only one entity.
        let number = layout.numbers.number(ofEntityIndex: written.property.destinationIndex)
        return [value, BoundColumn(column: location.column, constant: number)]
    }

    /// One for each cell of the property in a row; nil if the store has no such column.
    private static func columns(of property: Property, _ names: SchemaNames) -> [String?] {
        let isPair = property.isRelationship && RowLayout.hasEntityColumn(property, in: names.model)
        return switch names.storage(of: property) {
        case .attribute(let column): [SQLIdentifier.quoted(column)]
        case .toOne(let key, let entity?): [SQLIdentifier.quoted(key), SQLIdentifier.quoted(entity)]
        case .toOne(let key, nil): [SQLIdentifier.quoted(key)] + (isPair ? [nil] : [])
        default: isPair ? [nil, nil] : [nil]
        }
    }

    /// The `Z_ENT` of rows that belong to the entity; nil if all rows of its table do.
    func entityNumbers(includingSubentities: Bool) -> [Int32]? { includingSubentities ? familyNumbers : ownNumbers }

    /// The condition for rows that belong to the entity, whose table has the alias `t0`; nil if all
    /// of its rows do.
    func entityCondition(includingSubentities: Bool) -> String? {
        if let numbers = entityNumbers(includingSubentities: includingSubentities) {
            return numbers.count == 1 ? "t0.Z_ENT = \(numbers[0])" : "t0.Z_ENT IN (\(Self.list(numbers)))"
        }
        guard mayHoldStrays else { return nil }
        // Rows without a number belong to the entity, or are damage that reading them reports.
        return "IFNULL(t0.Z_ENT, 0) IN (\(Self.list([0] + layout.family.numbers)))"
    }

    private static func list(_ numbers: [Int32]) -> String { numbers.map(String.init).joined(separator: ", ") }
}
