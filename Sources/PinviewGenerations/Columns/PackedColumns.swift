internal import CSQLite
import Glibc

/// How one column of a batch is filled from the rows of a statement.
package struct ColumnPlan: Sendable {
    package let type: ColumnLayout
    /// The index of the statement's column.
    package let source: Int
    /// Converts a cell to the bytes of a text, binary value or UUID, if they are not stored as
    /// such; nil for NULL. Not called for NULL cells.
    package let convert: (@Sendable (ColumnCell) -> [UInt8]?)?

    package init(type: ColumnLayout, source: Int, convert: (@Sendable (ColumnCell) -> [UInt8]?)? = nil) {
        self.type = type
        self.source = source
        self.convert = convert
    }
}

/// A cell of a statement's current row, valid during a call.
package struct ColumnCell {
    private let statement: OpaquePointer
    private let column: Int32
    private let value: OpaquePointer?

    init(_ statement: OpaquePointer, _ column: Int32) {
        self.statement = statement
        self.column = column
        value = sqlite3_column_value(statement, column)
    }

    package var type: CellType { CellType(code: sqlite3_value_type(value)) }
    package var int64: Int64 { sqlite3_value_int64(value) }
    package var double: Double { sqlite3_value_double(value) }
    /// The cell in the next column.
    package var next: ColumnCell { ColumnCell(statement, column + 1) }

    package func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        let start = type == .blob ? sqlite3_value_blob(value) : sqlite3_value_text(value).map { UnsafeRawPointer($0) }
        return body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value))))
    }
}

/// A value that its column cannot hold.
package struct ColumnFailure: Sendable {
    package enum Value: Sendable {
        case integer(Int64)
        case real(Double)
        /// The number of bytes of a text or binary value.
        case bytes(Int)
    }

    /// The index of the column's plan.
    package let column: Int
    package let value: Value
}

/// Collects a batch of rows into columns, each value straight from SQLite. Allocates memory per
/// batch, not per row. Used by one thread at a time.
package final class PackedColumns {
    private let columns: UnsafeMutablePointer<ColumnBuilder>
    private let count: Int
    private let converters: [(@Sendable (ColumnCell) -> [UInt8]?)?]
    private var capacity: Int
    package private(set) var rowCount = 0
    package private(set) var failure: ColumnFailure?

    /// A batch ends when a column has this many bytes, whatever its number of rows: far below the
    /// range of 32-bit offsets, even with SQLite's longest value added.
    fileprivate static let byteLimit = 1 << 26

    /// - Parameter reservingRows: the number of rows to make room for at first.
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

    /// Whether a column has as many bytes as a batch should have.
    var hasManyBytes: Bool {
        for index in 0..<count where columns[index].byteCount > Self.byteLimit { return true }
        return false
    }

    /// Appends the current row of a statement.
    ///
    /// - Returns: false if a value does not fit; see `failure`. The row is then not counted.
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

    /// Returns the columns, in the order of the plans, and starts over without rows.
    package func finish() -> [ColumnData] {
        defer { rowCount = 0 }
        return (0..<count).map { columns[$0].take(rowCount) }
    }
}
