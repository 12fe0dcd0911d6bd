internal import CSQLite
import Glibc

/// What one column of a batch takes from each row of a statement.
package struct ColumnPlan: Sendable {
    package let type: ColumnLayout
    /// The column of the statement.
    package let source: Int
    /// Makes the bytes of a text, of data or of a UUID where they are not in the cell as they are; nil for NULL. Not asked of NULL cells.
    package let convert: (@Sendable (ColumnCell) -> [UInt8]?)?

    package init(type: ColumnLayout, source: Int, convert: (@Sendable (ColumnCell) -> [UInt8]?)? = nil) {
        self.type = type
        self.source = source
        self.convert = convert
    }
}

/// A cell of the current row of a statement, for the time of a call.
package struct ColumnCell {
    private let statement: OpaquePointer
    private let column: Int32
    private let value: OpaquePointer?

    init(_ statement: OpaquePointer, _ column: Int32) {
        self.statement = statement
        self.column = column
        value = sqlite3_column_value(statement, column)
    }

    /// SQLite's type code.
    package var type: Int32 { sqlite3_value_type(value) }
    package var int64: Int64 { sqlite3_value_int64(value) }
    package var double: Double { sqlite3_value_double(value) }
    /// The one in the next column.
    package var next: ColumnCell { ColumnCell(statement, column + 1) }

    package func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        let start = type == SQLITE_BLOB ? sqlite3_value_blob(value) : sqlite3_value_text(value).map { UnsafeRawPointer($0) }
        return body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value))))
    }
}

/// A value that its column cannot hold.
package struct ColumnFailure: Sendable {
    package enum Value: Sendable {
        case integer(Int64)
        case real(Double)
        /// So many bytes.
        case bytes(Int)
    }

    /// The place of the column among the plans.
    package let column: Int
    package let value: Value
}

/// A batch of rows on its way into columns, each value straight from SQLite into its place. Allocates per batch, not per row.
///
/// One thread fills it.
package final class PackedColumns {
    private let columns: UnsafeMutablePointer<ColumnBuilder>
    private let count: Int
    private let converters: [(@Sendable (ColumnCell) -> [UInt8]?)?]
    private var capacity: Int
    package private(set) var rowCount = 0
    package private(set) var failure: ColumnFailure?

    /// After so many bytes in one column a batch ends, whatever the number of its rows: far below what 32-bit offsets reach, even
    /// with SQLite's longest value on top.
    fileprivate static let byteLimit = 1 << 26

    /// - Parameter reservingRows: for how many rows to make room at first.
    package init(_ plans: [ColumnPlan], reservingRows: Int) {
        capacity = max(64, (reservingRows + 63) & ~63)
        count = plans.count
        columns = .allocate(capacity: max(plans.count, 1))
        converters = plans.map(\.convert)
        for (index, plan) in plans.enumerated() { (columns + index).initialize(to: ColumnBuilder(plan, capacity: capacity)) }
    }

    deinit {
        for index in 0..<count { columns[index].free() }
        columns.deallocate()
    }

    /// Whether some column has as many bytes as a batch should have.
    var hasManyBytes: Bool {
        for index in 0..<count where columns[index].byteCount > Self.byteLimit { return true }
        return false
    }

    /// Appends the current row of a statement.
    ///
    /// - Returns: false when a value does not fit; see `failure`. The row does not count then.
    @inline(__always)
    func append(_ statement: OpaquePointer, _ values: RowValues) -> Bool {
        if rowCount == capacity { grow() }
        let row = rowCount
        let first = values.first
        var column = columns
        for index in 0..<count {
            let value = values.value(column.pointee.source, first: first)
            guard column.pointee.append(value, statement, row, converters, index) else {
                failure = column.pointee.failure(statement, index)
                return false
            }
            column += 1
        }
        rowCount = row &+ 1
        return true
    }

    private func grow() {
        capacity *= 2
        for index in 0..<count { columns[index].setCapacity(capacity, used: rowCount) }
    }

    /// The columns, in the order of the plans. The rows are taken out.
    package func finish() -> [ColumnData] {
        defer { rowCount = 0 }
        return (0..<count).map { columns[$0].take(rowCount) }
    }
}
