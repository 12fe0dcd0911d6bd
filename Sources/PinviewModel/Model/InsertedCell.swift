/// A value of a row to be inserted, in the application's own memory: text and data are not copied.
package enum InsertedCell {
    case null
    case integer(Int64)
    case double(Double)
    case boolean(Bool)
    /// Seconds since 2001-01-01 00:00 UTC.
    case date(Double)
    /// Bytes that are meant to be UTF-8, not validated.
    case text(UnsafeRawBufferPointer)
    case bytes(UnsafeRawBufferPointer)
    case value(Value)
}

/// A source of rows for a batch insert, block by block and column by column.
package protocol InsertedColumns: AnyObject, Sendable {
    /// Stored attributes and to-one relationships; each once.
    var columnNames: [String] { get }

    /// Checks that a property takes the values of a column.
    /// - Throws: `wrongType`, naming both.
    func check(_ column: Int, for property: Property) throws(PinviewError)

    /// The number of rows of the next block; nil at the end.
    func nextBlock() throws(PinviewError) -> Int?

    /// A value of the current block. Text and data stay valid until the next block.
    func cell(_ column: Int, _ row: Int) throws(PinviewError) -> InsertedCell
}

/// A source of rows for a batch insert, row by row. All rows have values for the same properties.
package protocol InsertedRows: AnyObject, Sendable {
    /// Stored attributes and to-one relationships; each once.
    var names: [String] { get }

    /// Advances to the next row; returns false at the end.
    func next() throws(PinviewError) -> Bool

    /// A value of the current row, by the index of its name. Text and data stay valid until the
    /// next row.
    func cell(_ index: Int) throws(PinviewError) -> InsertedCell
}
