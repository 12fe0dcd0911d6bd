internal import CSQLite

/// Where a statement's parameter takes its value from.
package struct BoundColumn: Sendable {
    /// The column of the row.
    let column: Int32
    /// The value to bind instead if the cell is not NULL; negative to bind the cell itself.
    let constant: Int32

    package init(column: Int32, constant: Int32 = -1) {
        self.column = column
        self.constant = constant
    }
}

extension RowCollector {
    /// Whether the next row begins another block, after which the rows before it can no longer be
    /// bound.
    package var isFull: Bool { stage.isFull }

    /// Binds cells of completed rows to a statement's parameters, one row after another. Bytes are
    /// not copied: run the statement before the next row begins.
    ///
    /// - Parameters:
    ///   - count: the number of rows.
    ///   - rest: the number of rows after them.
    package func bindRows(
        _ count: Int, endingBefore rest: Int, to statement: Statement, _ columns: [BoundColumn]
    ) throws(SQLiteError) {
        guard statement.handle != nil else { throw statement.error(SQLITE_MISUSE) }
        let first = try first(of: count, endingBefore: rest)
        var index: Int32 = 1
        for row in first..<first + count { try bind(row, to: statement, &index, columns) }
    }

    /// The number in the stage of the first of some completed rows.
    func first(of count: Int, endingBefore rest: Int) throws(SQLiteError) -> Int {
        let first = stage.rowCount - rest - count
        guard first >= 0, stage.nextColumn == 0 else {
            throw SQLiteError(kind: .sqlite, extendedCode: SQLITE_MISUSE, message: "\(count) rows are not available any more", path: "")
        }
        return first
    }

    private func bind(_ row: Int, to statement: Statement, _ next: inout Int32, _ columns: [BoundColumn]) throws(SQLiteError) {
        let handle = statement.handle
        let types = stage.types + row, cells = stage.cells + row, stride = stage.stride
        var index = next
        for bound in columns {
            let offset = Int(bound.column) &* stride
            let cell = cells[offset]
            let code: Int32
            switch types[offset] {
            case RowStage.null: code = sqlite3_bind_null(handle, index)
            case _ where bound.constant >= 0: code = sqlite3_bind_int64(handle, index, Int64(bound.constant))
            case RowStage.integer: code = sqlite3_bind_int64(handle, index, cell)
            case RowStage.real: code = sqlite3_bind_double(handle, index, Double(bitPattern: UInt64(bitPattern: cell)))
            case RowStage.text:
                let bytes = RowBlock.bytes(at: cell, in: stage.heap)
                let text = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
                code = sqlite3_bind_text64(handle, index, text, UInt64(bytes.count), nil, UInt8(SQLITE_UTF8))
            default:
                let bytes = RowBlock.bytes(at: cell, in: stage.heap)
                code = sqlite3_bind_blob64(handle, index, bytes.baseAddress, UInt64(bytes.count), nil)
            }
            if code != SQLITE_OK { throw statement.error(code) }
            index += 1
        }
        next = index
    }
}
