internal import CSQLite

/// The values of a statement's rows by address, because asking SQLite for a value costs as much as
/// reading it.
///
/// SQLite keeps the values of a row side by side, at the same addresses for all rows. This is
/// checked at a statement's first row; where it is not the case, SQLite is asked for each value.
struct RowValues {
    private let statement: OpaquePointer
    /// The distance between values in bytes; 0 if they are not side by side.
    private let stride: Int

    /// - Parameter statement: must be at its first row.
    init(_ statement: OpaquePointer) {
        self.statement = statement
        let count = sqlite3_column_count(statement)
        guard count > 1, let first = sqlite3_column_value(statement, 0), let second = sqlite3_column_value(statement, 1) else {
            stride = 0
            return
        }
        let distance = UnsafeRawPointer(second) - UnsafeRawPointer(first)
        let isEven = (2..<count).allSatisfy { column in
            sqlite3_column_value(statement, column).map { UnsafeRawPointer($0) - UnsafeRawPointer(first) } == Int(column) * distance
        }
        stride = isEven ? distance : 0
    }

    /// The first value of the current row.
    @inline(__always)
    var first: OpaquePointer? { sqlite3_column_value(statement, 0) }

    /// - Parameter first: the first value of the same row.
    @inline(__always)
    func value(_ column: Int32, first: OpaquePointer?) -> OpaquePointer? {
        guard stride != 0, let first else { return sqlite3_column_value(statement, column) }
        return OpaquePointer(UnsafeRawPointer(first) + Int(column) &* stride)
    }
}
