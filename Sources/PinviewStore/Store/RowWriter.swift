import PinviewGenerations
import PinviewModel

/// Writes rows of one entity in one save: each is put together in a stage, from which its cells are bound without a copy; the same
/// stage becomes the blocks that the context keeps afterwards.
///
/// For each row: `beginRow`, one `append` for each of ``properties`` in their order, then `insert` or `update`.
package final class RowWriter {
    private let transaction: SaveTransaction
    private let schema: EntitySchema
    private let collector: RowCollector
    private var insertion: Statement?
    private var primaryKey: Int64 = 0

    /// The stored attributes and to-one relationships of the entity.
    package var properties: [Property] { schema.writtenLayout.properties }

    /// - Parameter entity: of the rows themselves.
    init(_ transaction: SaveTransaction, _ schema: EntitySchema, reservingRows: Int) {
        self.transaction = transaction
        self.schema = schema
        collector = RowCollector(columnCount: schema.writtenLayout.columnCount, reservingRows: reservingRows, context: schema.writtenLayout)
    }

    deinit { insertion?.reset() }

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
        // What most values are; the others take the way that knows all types.
        switch value {
        case .null: return collector.appendNull()
        case .string(let text) where property.attributeType == .string: return collector.append(text: text)
        case .integer(let integer):
            switch property.attributeType {
            case .integer16, .integer32, .integer64: return collector.append(integer)
            default: break
            }
        default: break
        }
        switch try StoredCell(value, for: property) {
        case .null: collector.appendNull()
        case .integer(let integer): collector.append(integer)
        case .real(let real): collector.append(real)
        case .text(let text): collector.append(text: text)
        case .blob(let bytes): collector.append(blob: bytes)
        }
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

    /// Inserts the row.
    package func insert() throws(PinviewError) {
        let statement: Statement
        if let insertion {
            statement = insertion
        } else {
            statement = try transaction.write { try $0.statement(schema.insertSQL) }
            insertion = statement
        }
        do throws(SQLiteError) {
            try collector.bindLastRow(to: statement, from: 1, schema.insertColumns)
            try statement.runAgain()
        } catch {
            throw PinviewError(error, while: .writing, store: transaction.store.name)
        }
        transaction.history?.inserted(schema.entity, primaryKey)
    }

    /// Writes some columns of the row.
    ///
    /// - Parameter expectedVersion: the version that the row must have in the store now; nil for any.
    /// - Returns: false if there is no row with that key and version.
    package func update(_ shape: UpdateShape, expectedVersion: Int64?) throws(PinviewError) -> Bool {
        let isFound = try transaction.write { connection in
            let statement = try shape.statement(checksVersion: expectedVersion != nil, connection)
            try collector.bindLastRow(to: statement, from: 1, shape.columns)
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
    package func discardRows() { collector.discardStage() }

    /// All rows. The writer is not used any more.
    package func finish() -> FetchedRows {
        insertion?.reset()
        insertion = nil
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
