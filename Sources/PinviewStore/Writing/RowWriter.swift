import PinviewGenerations
import PinviewModel

/// Writes rows of one entity in a save. Rows are assembled in a stage, from which cells are bound
/// without copying; the stage becomes the blocks that the context keeps afterwards.
///
/// For each row, call `beginRow`, one `append` for each of ``properties`` in order, then `insert`
/// or `update`.
///
/// Many rows are inserted or updated with one statement.
package final class RowWriter {
    let transaction: SaveTransaction
    let schema: EntitySchema
    let collector: RowCollector
    private let entityNumber: Int64
    @exclusivity(unchecked) private var insertion: Statement?
    @exclusivity(unchecked) private var insertionOfSeveral: Statement?
    /// The number of rows inserted by one statement.
    private let rowsAtOnce: Int
    @exclusivity(unchecked) private var expectedRows: Int
    /// How many of the stage's last rows have not been inserted yet.
    @exclusivity(unchecked) var pendingRows = 0
    // Used for each row, hence without exclusivity checks. Other modules would check all the same, so
    // they get accessors.
    @exclusivity(unchecked) var primaryKey: Int64 = 0
    @exclusivity(unchecked) private var rowVersion: Int64 = 0
    /// The version of the row begun last.
    package var version: Int64 { rowVersion }
    /// Handles rows with unique values of existing rows; nil if they are errors.
    @exclusivity(unchecked) var conflicts: InsertConflicts?
    /// The columns to update in pending rows; nil in a writer that inserts.
    @exclusivity(unchecked) var pendingShape: UpdateShape?
    @exclusivity(unchecked) var lastPendingKey: Int64 = 0
    /// How many rows were to be updated.
    @exclusivity(unchecked) var updatedRows = 0
    @exclusivity(unchecked) var notFound: [(row: Int, changed: [Property])] = []
    /// The numbers of those for which the store has no row with the expected version.
    package var missingRows: [(row: Int, changed: [Property])] { notFound }

    /// Which columns of ``NewRows`` the columns are copied from; negative for others. Valid for
    /// blocks with this context, which outlives the writer.
    @exclusivity(unchecked) private var newRowColumns: [Int32] = []
    @exclusivity(unchecked) private var newRowsContext: UnsafeMutableRawPointer?

    /// For fewer rows, preparing another statement does not pay.
    package static let manyRows = 128
    /// Whether several rows are written with one statement.
    var isForMany: Bool { expectedRows >= Self.manyRows }

    /// The stored attributes and to-one relationships of the entity.
    package var properties: [Property] { schema.writtenLayout.properties }

    /// - Parameter entity: the entity of the rows themselves.
    init(_ transaction: SaveTransaction, _ schema: EntitySchema, reservingRows: Int) {
        self.transaction = transaction
        self.schema = schema
        expectedRows = reservingRows
        rowsAtOnce = schema.insertedRowsAtOnce
        entityNumber = Int64(schema.number)
        collector = transaction.store.collector(for: schema.writtenLayout, reservingRows: reservingRows)
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
        rowVersion = version
        collector.appendRow(beginningWith: primaryKey, entityNumber, version)
    }

    /// Begins and completes the row of a new object with the values of a row of ``NewRows``.
    package func beginRow(primaryKey: Int64, likeNew block: RowBlock, row: Int) {
        beginRow(primaryKey: primaryKey, version: 1, copying: block, row: row, columns(likeNew: block))
    }

    /// Begins and completes a row with the cells of another one, but for the columns that every row
    /// has.
    ///
    /// - Parameter columns: which columns of the block to copy; negative for NULL.
    func beginRow(primaryKey: Int64, version: Int64, copying block: RowBlock, row: Int, _ columns: [Int32]) {
        self.primaryKey = primaryKey
        rowVersion = version
        collector.append(block, row: row, columns: columns)
        collector.replace(from: RowLayout.primaryKeyColumn)
        collector.append(primaryKey)
        collector.append(entityNumber)
        collector.append(version)
        collector.replace(from: -1)
    }

    /// Inserts all rows of a block of ``NewRows``, with consecutive keys. Returns false, having done
    /// nothing, if they must be inserted one by one.
    package func insertAll(likeNew block: RowBlock, firstKey: Int64) throws(PinviewError) -> Bool {
        guard isForMany, block.rowCount >= Self.manyRows, conflicts == nil else { return false }
        try insertPendingRows()
        rowVersion = 1
        guard collector.appendRows(beginningWith: firstKey, entityNumber, version, like: block, columns: columns(likeNew: block)) else {
            return false
        }
        let keys = firstKey..<firstKey + Int64(block.rowCount)
        if let history = transaction.history { for key in keys { history.inserted(schema.entity, key) } }
        var rest = keys.count
        while rest > 0 {
            pendingRows = min(rest, rowsAtOnce)
            rest -= pendingRows
            try insertPendingRows(endingBefore: rest)
        }
        return true
    }

    /// The columns of a block of ``NewRows`` from which to copy.
    private func columns(likeNew block: RowBlock) -> [Int32] {
        if newRowsContext != block.unmanagedContext?.toOpaque() {
            newRowsContext = block.unmanagedContext?.toOpaque()
            newRowColumns = [Int32](repeating: -1, count: schema.writtenLayout.columnCount)
            // Relationships stay null.
            for property in properties where property.isAttribute {
                newRowColumns[Int(schema.writtenLayout.location(of: property).column)] = block.location(of: property).column
            }
        }
        return newRowColumns
    }

    /// Appends the value of an attribute.
    /// - Throws: `wrongType` for a value that the store could not hold without loss.
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

    /// Appends an attribute's value as given by a program.
    /// - Throws: `wrongType` for a value that the attribute does not take or the store could not
    ///   hold without loss.
    func append(given value: Value, of property: Property) throws(PinviewError) {
        if !appendAtOnce(value, of: property) { try append(try property.convert(value), of: property) }
    }

    /// Appends an attribute's value in a program's format.
    func append(given cell: InsertedCell, of property: Property) throws(PinviewError) {
        guard case .text(let bytes) = cell, property.attributeType == .string else {
            return try append(given: try cell.value(for: property), of: property)
        }
        guard UTF8Check.isValid(bytes) else { throw InsertedCell.notUTF8(bytes, property) }
        collector.append(text: bytes)
    }

    /// Appends a value that needs no conversion, as most do. Returns false, having done nothing,
    /// for others.
    package func appendAtOnce(_ value: Value, of property: Property) -> Bool {
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
        let hasEntityColumn = schema.writtenLayout.location(of: property).entityColumn >= 0
        guard let reference else {
            collector.appendNull()
            if hasEntityColumn { collector.appendNull() }
            return
        }
        collector.append(reference.primaryKey)
        if hasEntityColumn { collector.append(Int64(schema.writtenLayout.numbers.number(ofEntityIndex: Int(reference.entityIndex)))) }
    }

    /// Appends the value of another row of the store.
    package func append(_ property: Property, of row: RowSnapshot) {
        guard property.isAttribute else { return append(reference: row.reference(of: property), of: property) }
        collector.append(row.block, row: Int(row.row), column: Int(row.layout.location(of: property).column))
    }

    // MARK: Writing

    /// Inserts the row, now or together with following rows.
    package func insert() throws(PinviewError) {
        pendingRows += 1
        if conflicts == nil { transaction.history?.inserted(schema.entity, primaryKey) }
        if !isForMany {
            // Callers that do not know the number of rows give a smaller one.
            expectedRows += 1
            try insertPendingRows()
        } else if pendingRows >= rowsAtOnce || collector.isFull {
            try insertPendingRows()
        }
    }

    /// - Parameter end: the number of rows after the pending ones.
    private func insertPendingRows(endingBefore end: Int = 0) throws(PinviewError) {
        let count = pendingRows
        pendingRows = 0
        if count > 1, count == rowsAtOnce {
            return try run(try statement(&insertionOfSeveral, schema.insertSeveralSQL + suffix), rows: count, endingBefore: end)
        }
        guard count > 0 else { return }
        let statement = try statement(&insertion, schema.insertSQL + suffix)
        for rest in (end..<end + count).reversed() { try run(statement, rows: 1, endingBefore: rest) }
    }

    private var suffix: String { conflicts?.statementSuffix ?? "" }

    /// Makes following rows resolve their conflicts as rows with values of these properties.
    func beginRows(giving names: [String]) throws(PinviewError) {
        guard let conflicts else { return }
        try insertPendingRows()
        resetStatements()
        conflicts.useClause(names)
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
            if let conflicts { throw try conflicts.failure(error) { (key, property) in stagedValue(key, property) } }
            throw PinviewError(error, while: .writing, store: transaction.store.name)
        }
        if let conflicts { try resolveConflicts(conflicts, rows: rows, endingBefore: rest) }
    }

    private func resolveConflicts(_ conflicts: InsertConflicts, rows: Int, endingBefore rest: Int) throws(PinviewError) {
        let end = primaryKey - Int64(rest) + 1
        try conflicts.noteRows(end - Int64(rows)..<end) { (key, property) in stagedValue(key, property) }
    }

    /// A value of a row that is still staged, for an error. The writer is not used any more.
    private func stagedValue(_ key: Int64, _ property: Property) -> Value {
        let rows = FetchedRows(rows: collector.finish())
        guard let row = (0..<rows.count).last(where: { rows.primaryKey($0) == key }).map({ rows.snapshot($0) }) else { return .null }
        guard property.isRelationship else { return row.value(of: property) }
        return row.reference(of: property).map { .objectID(transaction.store.objectID($0)) } ?? .null
    }

    /// Drops the rows written so far, which nobody needs.
    package func discardRows() { if pendingRows == 0 { collector.discardStage() } }

    /// Writes the remaining rows, and returns all. The writer must not be used any more.
    package func finish() throws(PinviewError) -> FetchedRows {
        if pendingShape == nil { try insertPendingRows() } else { try updatePendingRows(endingBefore: 0) }
        resetStatements()
        defer { transaction.store.keep(collector) }
        return FetchedRows(rows: collector.takeRows())
    }
}

extension SaveTransaction {
    /// - Parameter entity: the entity of the rows themselves.
    package func rowWriter(for entity: Entity, reservingRows: Int) throws(PinviewError) -> RowWriter {
        RowWriter(self, try store.schema.entity(entity), reservingRows: reservingRows)
    }
}
