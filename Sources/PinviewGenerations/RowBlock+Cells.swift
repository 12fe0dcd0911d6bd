internal import CSQLite

extension RowBlock {
    /// A column of integers, one for each row; what is none is read as ``int64(row:column:)`` reads it.
    package func copyIntegers(column: Int, into integers: UnsafeMutablePointer<Int64>) {
        for row in 0..<Int(rowCount) {
            let cell = cell(row, column)
            (integers + row).initialize(to: cell.type == SQLITE_INTEGER ? cell.bits : int64(cell))
        }
    }
}
