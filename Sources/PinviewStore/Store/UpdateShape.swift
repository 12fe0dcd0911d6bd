import PinviewGenerations
import PinviewModel

/// An update of some columns of an entity's rows. The store keeps it for later saves; it has
/// statements while a save uses it.
package final class UpdateShape {
    private let entity: EntitySchema
    package let changed: [Property]
    /// The index of each stored property of the entity, and whether it is one of them.
    private let isChanged: [(index: Int, isChanged: Bool)]
    /// The columns in the history's format.
    let bits: [UInt8]
    /// The version, followed by the changed columns.
    let columns: [BoundColumn]
    private let table: String
    private let names: [String]
    /// The positions in `names` of columns whose data may go to files.
    private let external: Set<Int>
    private let text: StatementText
    private let checkingText: StatementText
    @exclusivity(unchecked) private var checking: Statement?
    @exclusivity(unchecked) private var unchecking: Statement?
    @exclusivity(unchecked) private var range: Statement?
    @exclusivity(unchecked) private var list: Statement?
    /// The columns of a layout's rows from which unchanged columns are copied; nil if copying is
    /// not enough.
    @exclusivity(unchecked) private var copied: (layout: RowLayout, columns: [Int32]?)?

    /// How many rows the statement for scattered rows takes.
    static let listLength = 32

    /// - Parameter changed: stored attributes and to-one relationships.
    init(_ schema: EntitySchema, changed: [Property], store: StoreSchema) {
        entity = schema
        self.changed = changed
        isChanged = schema.writtenLayout.properties.map { property in (property.index, changed.contains { $0 === property }) }
        bits = ColumnMasks.bits(of: changed)
        table = schema.table
        var columns = [BoundColumn(column: Int32(RowLayout.versionColumn))], names = ["Z_OPT"], external: Set<Int> = []
        for written in schema.writtenProperties where changed.contains(where: { $0 === written.property }) {
            columns += schema.boundColumns(of: written)
            if store.isExternal(written.property) { external.insert(names.count) }
            names += store.columns(of: written.property).map(SQLIdentifier.quoted)
        }
        self.columns = columns
        self.names = names
        self.external = external
        let sql = "UPDATE \(table) SET " + Self.assignments(names, external) { _ in "?" } + " WHERE Z_PK = ?"
        text = StatementText(sql)
        checkingText = StatementText(sql + " AND IFNULL(Z_OPT, 0) = ?")
    }

    /// Whether it updates just the columns of the properties that have changed.
    fileprivate func updates(_ entity: EntitySchema, where hasChanged: (Int) -> Bool) -> Bool {
        self.entity === entity && isChanged.allSatisfy { hasChanged($0.index) == $0.isChanged }
    }

    private static func assignments(_ names: [String], _ external: Set<Int>, _ value: (Int) -> String) -> String {
        names.indices.map {
            external.contains($0) ? "\(names[$0]) = \(ExternalColumn.storeFunction)(\(value($0)))" : "\(names[$0]) = \(value($0))"
        }.joined(separator: ", ")
    }

    deinit { reset() }

    /// The statement for a single row.
    func statement(checksVersion: Bool, _ connection: Connection) throws(SQLiteError) -> Statement {
        if let known = checksVersion ? checking : unchecking { return known }
        let statement = try connection.statement(checksVersion ? checkingText : text)
        if checksVersion { checking = statement } else { unchecking = statement }
        return statement
    }

    /// The statement for the rows offered by ``NewCells`` with keys in a range.
    func rangeStatement(_ connection: Connection) throws(SQLiteError) -> Statement {
        try statement(&range, "BETWEEN ? AND ?", connection)
    }

    /// The statement for rows with ``listLength`` given keys.
    func listStatement(_ connection: Connection) throws(SQLiteError) -> Statement {
        try statement(&list, "IN (\([String](repeating: "?", count: Self.listLength).joined(separator: ", ")))", connection)
    }

    private func statement(
        _ known: inout Statement?, _ keys: @autoclosure () -> String, _ connection: Connection
    ) throws(SQLiteError) -> Statement {
        if let known { return known }
        func cell(_ number: Int) -> String { "\(NewCells.function)(Z_PK, \(number))" }
        let assignments = Self.assignments(names, external, cell)
        let statement = try connection.statement(
            "UPDATE \(table) SET \(assignments) WHERE Z_PK \(keys()) AND IFNULL(Z_OPT, 0) = \(cell(0)) - 1")
        known = statement
        return statement
    }

    /// The columns of a block's rows from which to copy; negative for columns that change.
    func columns(like block: RowBlock, _ written: RowLayout) -> [Int32]? {
        if let copied, block.unmanagedContext?.toOpaque() == Unmanaged.passUnretained(copied.layout).toOpaque() { return copied.columns }
        let layout = block.layout
        var columns: [Int32]? = [Int32](repeating: -1, count: written.columnCount)
        for property in written.properties where !changed.contains(where: { $0 === property }) {
            let location = written.location(of: property), source = layout.location(of: property)
            // Rows made in memory have their own numbering of destination entities.
            if location.entityColumn >= 0 || source.column < 0 { columns = nil }
            columns?[Int(location.column)] = source.column
        }
        copied = (layout, columns)
        return columns
    }

    /// Returns the statements to the connection.
    package func reset() {
        if let checking { checking.reset() }
        if let unchecking { unchecking.reset() }
        if let range { range.reset() }
        if let list { list.reset() }
        (checking, unchecking, range, list) = (nil, nil, nil, nil)
    }
}

/// The updates of recent saves, since a program often changes the same properties. Used by the
/// thread that writes to the store.
struct UpdateShapes {
    private var known: [UpdateShape] = []

    /// When there are that many, they are dropped.
    private static let limit = 32

    /// - Parameter hasChanged: called with the indexes of stored attributes and to-one relationships.
    /// - Returns: nil if none of them has changed.
    mutating func shape(of entity: EntitySchema, _ store: StoreSchema, where hasChanged: (Int) -> Bool) -> UpdateShape? {
        if let shape = known.last(where: { $0.updates(entity, where: hasChanged) }) { return shape }
        let changed = entity.writtenLayout.properties.filter { hasChanged($0.index) }
        guard !changed.isEmpty else { return nil }
        if known.count >= Self.limit { known = [] }
        known.append(UpdateShape(entity, changed: changed, store: store))
        return known[known.count - 1]
    }
}
