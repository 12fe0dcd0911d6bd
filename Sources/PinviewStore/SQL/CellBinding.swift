import PinviewGenerations

extension Statement {
    func bind(_ index: Int32, _ cell: StoredCell) throws(SQLiteError) {
        switch cell {
        case .null: try bindNull(index)
        case .integer(let integer): try bind(index, integer)
        case .real(let real): try bind(index, real)
        case .text(let text): try bind(index, text)
        case .blob(let bytes):
            let result = bytes.withUnsafeBytes { bytes in Result { () throws(SQLiteError) in try bind(index, blob: bytes) } }
            try result.get()
        }
    }

    func bind(_ cells: [StoredCell]) throws(SQLiteError) {
        for (index, cell) in cells.enumerated() { try bind(Int32(index + 1), cell) }
    }

    /// Binds a cell of a block. Its bytes are not copied, so the block must live until the
    /// statement is reset.
    func bind(_ index: Int32, _ rows: RowBlock, row: Int, column: Int) throws(SQLiteError) {
        switch rows.type(row: row, column: column) {
        case .integer: try bind(index, rows.int64(row: row, column: column))
        case .real: try bind(index, rows.double(row: row, column: column))
        case .text:
            try rows.withBytes(row: row, column: column) { bytes in
                Result { () throws(SQLiteError) in try bind(index, text: bytes, isStatic: bytes.count > 0) }
            }.get()
        case .blob:
            try rows.withBytes(row: row, column: column) { bytes in
                Result { () throws(SQLiteError) in try bind(index, blob: bytes, isStatic: true) }
            }.get()
        default: try bindNull(index)
        }
    }
}
