import PinviewGenerations
import PinviewModel

/// Writes rows of one entity in one save: each is put together in a stage, from which its cells are bound without a copy; the same
/// stage becomes the blocks that the context keeps afterwards.
///
/// For each row: `beginRow`, one `append` for each of ``properties`` in their order, then `insert` or `update`.
///
/// Many rows are inserted several at once.
package final class RowWriter {
    private let transaction: SaveTransaction
    private let schema: EntitySchema
    private let collector: RowCollector
    private var insertion: Statement?
    private var insertionOfSeveral: Statement?
    /// How many rows are inserted by one statement.
    private let rowsAtOnce: Int
    private var expectedRows: Int
    /// How many of the stage's last rows are still to be inserted.
    private var pendingRows = 0
    private var primaryKey: Int64 = 0

    /// For fewer rows it does not pay to prepare another statement.
    private static let manyRows = 128

    /// The stored attributes and to-one relationships of the entity.
    package var properties: [Property] { schema.writtenLayout.properties }

    /// - Parameter entity: of the rows themselves.
    init(_ transaction: SaveTransaction, _ schema: EntitySchema, reservingRows: Int) {
        self.transaction = transaction
        self.schema = schema
        expectedRows = reservingRows
        rowsAtOnce = schema.insertedRowsAtOnce
        collector = RowCollector(columnCount: schema.writtenLayout.columnCount, reservingRows: reservingRows, context: schema.writtenLayout)
    }

    deinit { resetStatements() }

    private func resetStatements() {
        insertion?.reset()
        insertionOfSeveral?.reset()
        (insertion, insertionOfSeveral) = (nil, nil)
    }

    // MARK: Cells

    package func beginRow(primaryKey: Int64, version: Int64) {
        self.primaryKey = primaryKey
        collector.append(primaryKey)
        collector.append(Int64(schema.number))
        collector.append(version)
    }

    /// Appends the value of an attribute.
    /// - Throws: `wrongType` if the store could not hold it without loss.
    package func append(_ value: Value, of property: Property) throws(PinviewError) {
        if appendAtOnce(value, of: property) { return }
        switch try StoredCell(value, for: property) {
        case .null: collector.appendNull()
        case .integer(let integer): collector.append(integer)
        case .real(let real): collector.append(real)
        case .text(let text): collector.append(text: text)
        case .blob(let bytes): collector.append(blob: bytes)
        }
    }

    /// Appends what a program gave as the value of an attribute.
    /// - Throws: `wrongType` for a value that the attribute does not take, or the store could not hold without loss.
    func append(given value: Value, of property: Property) throws(PinviewError) {
        if !appendAtOnce(value, of: property) { try append(try property.convert(value), of: property) }
    }

    /// Appends what most values are, which no conversion changes; the others take the way that knows all types.
    @inline(__always)
    private func appendAtOnce(_ value: Value, of property: Property) -> Bool {
        guard property.isAttribute else { return false }
        switch value {
        case .null: collector.appendNull()
        case .string(let text):
            guard property.attributeType == .string else { return false }
            collector.append(text: text)
        case .double(let double):
            guard property.attributeType == .double, !double.isNaN else { return false }
            collector.append(double + 0.0)  // SQLite keeps no negative zero
        case .integer(let integer):
            switch property.attributeType {
            case .integer16: guard Int16(exactly: integer) != nil else { return false }
            case .integer32: guard Int32(exactly: integer) != nil else { return false }
            case .integer64: break
            default: return false
            }
            collector.append(integer)
        default: return false
        }
        return true
    }

    /// Appends the destination of a to-one relationship.
    package func append(reference: Reference?, of property: Property) {
        let hasEntityColumn = schema.writtenLayout.place(of: property).entityColumn >= 0
        guard let reference else {
            collector.appendNull()
            if hasEntityColumn { collector.appendNull() }
            return
        }
        collector.append(reference.primaryKey)
        if hasEntityColumn { collector.append(Int64(schema.writtenLayout.numbers.number(ofEntityIndex: Int(reference.entityIndex)))) }
    }

    /// Appends what another row of the store has.
    package func append(_ property: Property, of row: RowSnapshot) {
        guard property.isAttribute else { return append(reference: row.reference(of: property), of: property) }
        collector.append(row.block, row: Int(row.row), column: Int(row.layout.place(of: property).column))
    }

    // MARK: Writing

    /// Inserts the row, at once or together with those that follow.
    package func insert() throws(PinviewError) {
        pendingRows += 1
        transaction.history?.inserted(schema.entity, primaryKey)
        if expectedRows < Self.manyRows {
            // Who does not know how many there will be says fewer.
            expectedRows += 1
            try insertPendingRows()
        } else if pendingRows >= rowsAtOnce || collector.isFull {
            try insertPendingRows()
        }
    }

    private func insertPendingRows() throws(PinviewError) {
        let count = pendingRows
        pendingRows = 0
        if count > 1, count == rowsAtOnce {
            return try run(try statement(&insertionOfSeveral, schema.insertSeveralSQL), rows: count, endingBefore: 0)
        }
        guard count > 0 else { return }
        let statement = try statement(&insertion, schema.insertSQL)
        for rest in (0..<count).reversed() { try run(statement, rows: 1, endingBefore: rest) }
    }

    private func statement(_ known: inout Statement?, _ text: @autoclosure () -> String) throws(PinviewError) -> Statement {
        if let known { return known }
        let statement = try transaction.write { try $0.statement(text()) }
        known = statement
        return statement
    }

    private func run(_ statement: Statement, rows: Int, endingBefore rest: Int) throws(PinviewError) {
        do throws(SQLiteError) {
            try collector.bindRows(rows, endingBefore: rest, to: statement, schema.insertColumns)
            try statement.runAgain()
        } catch {
            throw PinviewError(error, while: .writing, store: transaction.store.name)
        }
    }

    /// Writes some columns of the row.
    ///
    /// - Parameter expectedVersion: the version that the row must have in the store now; nil for any.
    /// - Returns: false if there is no row with that key and version.
    package func update(_ shape: UpdateShape, expectedVersion: Int64?) throws(PinviewError) -> Bool {
        let isFound = try transaction.write { connection in
            let statement = try shape.statement(checksVersion: expectedVersion != nil, connection)
            try collector.bindLastRow(to: statement, shape.columns)
            let last = Int32(shape.columns.count)
            try statement.bind(last + 1, primaryKey)
            if let expectedVersion { try statement.bind(last + 2, expectedVersion) }
            try statement.runAgain()
            return connection.changes > 0
        }
        if isFound { transaction.history?.updated(schema.entity, primaryKey, bits: shape.bits) }
        return isFound
    }

    /// Lets the rows written so far go: nobody wants them.
    package func discardRows() { if pendingRows == 0 { collector.discardStage() } }

    /// All rows, inserted or written to the last. The writer is not used any more.
    package func finish() throws(PinviewError) -> FetchedRows {
        try insertPendingRows()
        resetStatements()
        return FetchedRows(rows: collector.finish())
    }
}

/// The writing of some columns of an entity's rows: a statement for each save.
package final class UpdateShape {
    package let changed: [Property]
    /// The columns as the history names them.
    let bits: [UInt8]
    /// The version, then the changed columns.
    let columns: [BoundColumn]
    private let text: String
    private var checking: Statement?
    private var unchecking: Statement?

    /// - Parameter changed: stored attributes and to-one relationships.
    init(_ schema: EntitySchema, changed: [Property], store: StoreSchema) {
        self.changed = changed
        bits = HistoryRecorder.bits(of: changed)
        var columns = [BoundColumn(column: Int32(RowLayout.versionColumn))]
        var text = "UPDATE \(schema.table) SET Z_OPT = ?"
        for written in schema.writtenProperties where changed.contains(where: { $0 === written.property }) {
            columns += schema.boundColumns(of: written)
            for name in store.columns(of: written.property) { text += ", \(SQLIdentifier.quoted(name)) = ?" }
        }
        self.columns = columns
        self.text = text + " WHERE Z_PK = ?"
    }

    deinit { reset() }

    func statement(checksVersion: Bool, _ connection: Connection) throws(SQLiteError) -> Statement {
        if let known = checksVersion ? checking : unchecking { return known }
        let statement = try connection.statement(checksVersion ? text + " AND IFNULL(Z_OPT, 0) = ?" : text)
        if checksVersion { checking = statement } else { unchecking = statement }
        return statement
    }

    /// Gives the statements back.
    package func reset() {
        checking?.reset()
        unchecking?.reset()
        (checking, unchecking) = (nil, nil)
    }
}

extension SaveTransaction {
    /// - Parameter entity: of the rows themselves.
    package func rowWriter(for entity: Entity, reservingRows: Int) throws(PinviewError) -> RowWriter {
        RowWriter(self, try store.schema.entity(entity), reservingRows: reservingRows)
    }

    /// - Parameter changed: stored attributes and to-one relationships.
    package func updateShape(of entity: Entity, changed: [Property]) throws(PinviewError) -> UpdateShape {
        UpdateShape(try store.schema.entity(entity), changed: changed, store: store.schema)
    }
}
