import PinviewGenerations
import PinviewModel

extension RowWriter {
    /// Fewer rows are written one by one.
    private static let fewestTogether = 8

    /// Starts and completes a row as a copy of an object's current one, with the next version. The
    /// changed columns are still to be given, each by `replace` and `append`.
    ///
    /// - Returns: false, having done nothing, if that takes more than copying cells.
    package func beginRow(primaryKey: Int64, like block: RowBlock, row: Int, _ shape: UpdateShape) -> Bool {
        guard let columns = shape.columns(like: block, schema.writtenLayout) else { return false }
        let version = block.int64(row: row, column: RowLayout.versionColumn) &+ 1
        beginRow(primaryKey: primaryKey, version: version, copying: block, row: row, columns)
        return true
    }

    /// Makes the next appended value replace a property of the row.
    package func replace(_ property: Property) { collector.replace(from: Int(schema.writtenLayout.location(of: property).column)) }

    /// Makes the next appended value belong to another row.
    package func endReplacing() { collector.replace(from: -1) }

    /// Writes some columns of the row, now or together with following rows. If no row has the key
    /// and version, it is added to ``missingRows``.
    ///
    /// - Parameter expectedVersion: the version that the row must have in the store, one below its
    ///   new one; nil for any version.
    package func update(_ shape: UpdateShape, expectedVersion: Int64?) throws(PinviewError) {
        // Rows of one statement have ascending keys and the same changed columns.
        if pendingRows > 0, shape !== pendingShape || expectedVersion == nil || primaryKey <= lastPendingKey {
            try updatePendingRows(endingBefore: 1)
        }
        updatedRows += 1
        pendingShape = shape
        guard isForMany, expectedVersion != nil else {
            return try update(shape, primaryKey, expectedVersion, row: updatedRows - 1, endingBefore: 0)
        }
        pendingRows += 1
        lastPendingKey = primaryKey
        if collector.isFull { try updatePendingRows(endingBefore: 0) }
    }

    private func update(
        _ shape: UpdateShape, _ primaryKey: Int64, _ expectedVersion: Int64?, row: Int, endingBefore rest: Int
    ) throws(PinviewError) {
        let isFound = try transaction.write { connection in
            let statement = try shape.statement(checksVersion: expectedVersion != nil, connection)
            try collector.bindRows(1, endingBefore: rest, to: statement, shape.columns)
            let last = Int32(shape.columns.count)
            try statement.bind(last + 1, primaryKey)
            if let expectedVersion { try statement.bind(last + 2, expectedVersion) }
            try statement.runAgain()
            return connection.changes > 0
        }
        note(shape, primaryKey, row: row, isFound)
    }

    private func note(_ shape: UpdateShape, _ primaryKey: Int64, row: Int, _ isFound: Bool) {
        if isFound {
            transaction.history?.updated(schema.entity, primaryKey, bits: shape.bits)
        } else {
            notFound.append((row, shape.changed))
        }
    }

    /// - Parameter rest: the number of rows after the pending ones.
    func updatePendingRows(endingBefore rest: Int) throws(PinviewError) {
        let count = pendingRows, first = updatedRows - count
        guard count > 0, let shape = pendingShape else { return }
        pendingRows = 0
        func integer(_ column: Int, _ row: Int) throws(PinviewError) -> Int64 {
            try transaction.write { _ in try collector.int64(column: column, endingBefore: rest + count - 1 - row) }
        }
        guard count >= Self.fewestTogether else {
            for row in 0..<count {
                try update(
                    shape, try integer(RowLayout.primaryKeyColumn, row), try integer(RowLayout.versionColumn, row) - 1, row: first + row,
                    endingBefore: rest + count - 1 - row)
            }
            return
        }
        let keys = try integer(RowLayout.primaryKeyColumn, 0)...(try integer(RowLayout.primaryKeyColumn, count - 1))
        try transaction.write { connection in
            let cells = try connection.newCells()
            var changes = 0
            try collector.offerRows(count, endingBefore: rest, to: cells, shape.columns) { () throws(SQLiteError) in
                changes = try update(shape, keys, count, rest, connection)
            }
            let written = (0..<count).reduce(0) { $0 + (cells.isWritten($1) ? 1 : 0) }
            guard written == changes else {
                throw PinviewError(
                    .persistentStoreSave,
                    "A trigger kept \(written - changes) of \(written) rows of \(schema.table) from being written.")
            }
            guard written < count || transaction.history != nil else { return }
            for row in 0..<count { note(shape, try integer(RowLayout.primaryKeyColumn, row), row: first + row, cells.isWritten(row)) }
        }
    }

    /// Runs the statements that write the rows on offer.
    ///
    /// - Returns: the number of rows changed.
    private func update(
        _ shape: UpdateShape, _ keys: ClosedRange<Int64>, _ count: Int, _ rest: Int, _ connection: Connection
    ) throws(SQLiteError) -> Int {
        let (distance, overflow) = keys.upperBound.subtractingReportingOverflow(keys.lowerBound)
        if !overflow, distance < Int64(count) * 2 {
            // Rows in between are skipped.
            let statement = try shape.rangeStatement(connection)
            try statement.bind(1, keys.lowerBound)
            try statement.bind(2, keys.upperBound)
            try statement.runAgain()
            return connection.changes
        }
        var changes = 0
        let statement = try shape.listStatement(connection)
        var row = 0
        while row < count {
            for index in 0..<UpdateShape.listLength {
                // The last list is padded with its last key.
                let listed = min(row + index, count - 1)
                let key = try collector.int64(column: RowLayout.primaryKeyColumn, endingBefore: rest + count - 1 - listed)
                try statement.bind(Int32(index + 1), key)
            }
            try statement.runAgain()
            changes += connection.changes
            row += UpdateShape.listLength
        }
        return changes
    }
}

extension SaveTransaction {
    /// - Parameter hasChanged: called with the indexes of stored attributes and to-one relationships.
    /// - Returns: nil if none of them has changed.
    package func updateShape(of entity: Entity, where hasChanged: (Int) -> Bool) throws(PinviewError) -> UpdateShape? {
        store.updateShapes.shape(of: try store.schema.entity(entity), store.schema, where: hasChanged)
    }
}
