/// One value of a row that is to be inserted, as a program has it: texts and data stay where they are.
package enum InsertedCell {
    case null
    case integer(Int64)
    case double(Double)
    case boolean(Bool)
    /// Seconds since 2001-01-01 00:00 UTC.
    case date(Double)
    /// UTF-8 that has not been checked.
    case text(UnsafeRawBufferPointer)
    case bytes(UnsafeRawBufferPointer)
    case value(Value)
}

/// Where the rows of a batch insert come from, block by block and column by column.
package protocol InsertedColumns: AnyObject, Sendable {
    /// Stored attributes and to-one relationships; each once.
    var columnNames: [String] { get }

    /// Whether a property takes what a column has.
    /// - Throws: `wrongType`, naming both.
    func check(_ column: Int, for property: Property) throws(PinviewError)

    /// The number of rows of the next block; nil when there are no more.
    func nextBlock() throws(PinviewError) -> Int?

    /// A value of the block. Texts and data stay valid until the next block.
    func cell(_ column: Int, _ row: Int) throws(PinviewError) -> InsertedCell
}

/// Where the rows of a batch insert come from, row by row: all have values of the same properties.
package protocol InsertedRows: AnyObject, Sendable {
    /// Stored attributes and to-one relationships; each once.
    var names: [String] { get }

    /// Goes on to the next row; false: there is none.
    func next() throws(PinviewError) -> Bool

    /// A value of the row, by the place of its name. Texts and data stay valid until the next row.
    func cell(_ place: Int) throws(PinviewError) -> InsertedCell
}
