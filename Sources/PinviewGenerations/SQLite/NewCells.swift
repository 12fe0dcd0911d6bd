internal import CSQLite

/// Gives many rows new cells with one statement: `pinview_new_cell(key, number)` returns the new
/// value of a column in the row with that key.
///
/// An UPDATE whose assignments call this function takes less than half as long as one statement per
/// row, most of whose time goes into starting and ending it and finding the row. The function
/// returns NULL for keys without new cells, and records the rows for which a column after the first
/// was requested: those are written.
package final class NewCells {
    package static let function = "pinview_new_cell"

    private struct Source {
        var types: UnsafePointer<UInt8>
        var cells: UnsafePointer<Int64>
        var heap: UnsafePointer<UInt8>
        var stride: Int
        var columns: UnsafeBufferPointer<BoundColumn>
        /// By row; as many as a block has at most.
        let isWritten: UnsafeMutablePointer<Bool>
        var count = 0
        /// The row of the last call; the next call is usually for the row after it.
        var current = 0

        /// The row of a key. The keys are in the first column, in ascending order.
        @inline(__always)
        mutating func row(of key: Int64) -> Int? {
            if current >= count || cells[current] > key { current = 0 }
            while current < count, cells[current] < key { current += 1 }
            return current < count && cells[current] == key ? current : nil
        }
    }

    private let source: UnsafeMutablePointer<Source>
    private let noTypes = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)
    private let noCells = UnsafeMutablePointer<Int64>.allocate(capacity: 1)

    /// - Parameter database: an open connection that is closed before this object ends.
    init(registeringOn database: OpaquePointer) throws(SQLiteError) {
        source = .allocate(capacity: 1)
        source.initialize(
            to: Source(
                types: noTypes, cells: noCells, heap: noTypes, stride: 0, columns: UnsafeBufferPointer(start: nil, count: 0),
                isWritten: .allocate(capacity: RowStage.rowLimit)))
        // Views and triggers in the file must not call it.
        let code = sqlite3_create_function_v2(
            database, Self.function, 2, SQLITE_UTF8 | SQLITE_DIRECTONLY, source,
            { context, _, arguments in NewCells.give(context, arguments) }, nil, nil, nil)
        if code != SQLITE_OK { throw SQLiteError(code: code, handle: database, path: "") }
    }

    deinit {
        source.pointee.isWritten.deallocate()
        source.deallocate()
        noTypes.deallocate()
        noCells.deallocate()
    }

    private static func give(_ context: OpaquePointer?, _ arguments: UnsafeMutablePointer<OpaquePointer?>?) {
        guard let arguments, let source = sqlite3_user_data(context)?.assumingMemoryBound(to: Source.self) else {
            return sqlite3_result_null(context)
        }
        let number = Int(sqlite3_value_int64(arguments[1]))
        guard source.pointee.columns.indices.contains(number), let row = source.pointee.row(of: sqlite3_value_int64(arguments[0])) else {
            return sqlite3_result_null(context)
        }
        if number > 0 { source.pointee.isWritten[row] = true }
        let column = source.pointee.columns[number]
        let offset = Int(column.column) &* source.pointee.stride &+ row
        let cell = source.pointee.cells[offset]
        switch source.pointee.types[offset] {
        case RowStage.null: sqlite3_result_null(context)
        case _ where column.constant >= 0: sqlite3_result_int64(context, Int64(column.constant))
        case RowStage.integer: sqlite3_result_int64(context, cell)
        case RowStage.real: sqlite3_result_double(context, Double(bitPattern: UInt64(bitPattern: cell)))
        case RowStage.text:
            let bytes = RowBlock.bytes(at: cell, in: source.pointee.heap)
            let text = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            sqlite3_result_text64(context, text, UInt64(bytes.count), nil, UInt8(SQLITE_UTF8))
        default:
            let bytes = RowBlock.bytes(at: cell, in: source.pointee.heap)
            sqlite3_result_blob64(context, bytes.baseAddress, UInt64(bytes.count), nil)
        }
    }

    /// Calls a body that runs statements with the function.
    ///
    /// - Parameters:
    ///   - stage: keeps its cells in place meanwhile. The first column has keys in ascending order.
    ///   - columns: the columns that the function's second argument refers to.
    func offer(
        _ stage: RowStage, rows: Range<Int>, _ columns: [BoundColumn], _ body: () throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        let count = min(rows.count, RowStage.rowLimit)
        source.pointee.isWritten.initialize(repeating: false, count: count)
        let result = columns.withUnsafeBufferPointer { columns -> Result<Void, SQLiteError> in
            source.pointee.types = UnsafePointer(stage.types + rows.lowerBound)
            source.pointee.cells = UnsafePointer(stage.cells + rows.lowerBound)
            source.pointee.heap = UnsafePointer(stage.heap)
            source.pointee.stride = stage.stride
            source.pointee.columns = columns
            source.pointee.count = count
            source.pointee.current = 0
            defer {
                source.pointee.count = 0
                source.pointee.columns = UnsafeBufferPointer(start: nil, count: 0)
            }
            return Result { () throws(SQLiteError) in try body() }
        }
        try result.get()
    }

    /// Whether a row of the last call was written, by its number among the rows offered.
    package func isWritten(_ row: Int) -> Bool { source.pointee.isWritten[row] }
}

extension RowCollector {
    /// Runs a body whose statements take cells of completed rows, whose keys must be in ascending
    /// order.
    package func offerRows(
        _ count: Int, endingBefore rest: Int, to cells: NewCells, _ columns: [BoundColumn], _ body: () throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        let first = try first(of: count, endingBefore: rest)
        try cells.offer(stage, rows: first..<first + count, columns, body)
    }

    /// An integer of a completed row that is not in a block yet.
    ///
    /// - Parameter rest: the number of rows after it.
    package func int64(column: Int, endingBefore rest: Int) throws(SQLiteError) -> Int64 {
        stage.cells[column &* stage.stride &+ (try first(of: 1, endingBefore: rest))]
    }
}
