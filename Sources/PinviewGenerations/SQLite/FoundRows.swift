internal import CSQLite

/// Tells which rows of an upserting INSERT met a row that the table had already, and decides there whether that row is written.
///
/// The WHERE of an `ON CONFLICT … DO UPDATE` calls
/// `pinview_found_row(clause, key of the new row, key of the row found, its Z_ENT, mask, …)`, which SQLite asks once for each row that
/// meets another one. Each call is noted, so that one statement can insert and update many rows and the caller still knows of each
/// what became of it; RETURNING could not tell which rows were left, nor which had been there.
package final class FoundRows {
    package static let function = "pinview_found_row"
    /// How many columns one mask stands for.
    package static let columnsInMask = 62

    /// A new row that met another one.
    package struct Meeting {
        /// Which clause of the statement found it.
        package let clause: Int
        package let newKey: Int64
        package let key: Int64
        /// `Z_ENT` of the row that was found; 0 for NULL.
        package let entityNumber: Int64
        /// Whether the row that was found is written.
        package let isWritten: Bool
        /// Where the masks of the columns that differ begin.
        fileprivate let firstMask: Int
        package let maskCount: Int
    }

    private struct State {
        var meetings: [Meeting] = []
        var masks: [Int64] = []
        var writes = false
        /// Of which entities rows are written.
        var entityNumbers: [Int64] = []
    }

    private let state: UnsafeMutablePointer<State>

    /// - Parameter database: an open connection, which is closed before the end of this object.
    init(registeringOn database: OpaquePointer) throws(SQLiteError) {
        state = .allocate(capacity: 1)
        state.initialize(to: State())
        // No view or trigger of the file may call it.
        let code = sqlite3_create_function_v2(
            database, Self.function, -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, state,
            { context, count, arguments in FoundRows.note(context, Int(count), arguments) }, nil, nil, nil)
        if code != SQLITE_OK { throw SQLiteError(code: code, handle: database, path: "") }
    }

    deinit {
        state.deinitialize(count: 1)
        state.deallocate()
    }

    private static func note(_ context: OpaquePointer?, _ count: Int, _ arguments: UnsafeMutablePointer<OpaquePointer?>?) {
        guard count >= 4, let arguments, let state = sqlite3_user_data(context)?.assumingMemoryBound(to: State.self) else {
            return sqlite3_result_int(context, 0)
        }
        let entityNumber = sqlite3_value_int64(arguments[3])
        var differs = false
        let firstMask = state.pointee.masks.count
        for index in 4..<count {
            let mask = sqlite3_value_int64(arguments[index])
            if mask != 0 { differs = true }
            state.pointee.masks.append(mask)
        }
        let isWritten = state.pointee.writes && differs && state.pointee.entityNumbers.contains(entityNumber)
        state.pointee.meetings.append(
            Meeting(
                clause: Int(sqlite3_value_int64(arguments[0])), newKey: sqlite3_value_int64(arguments[1]),
                key: sqlite3_value_int64(arguments[2]), entityNumber: entityNumber, isWritten: isWritten, firstMask: firstMask,
                maskCount: count - 4))
        sqlite3_result_int(context, isWritten ? 1 : 0)
    }

    /// Begins to note meetings.
    ///
    /// - Parameter entityNumbers: `Z_ENT` of the rows that may be written; nil: none is.
    package func begin(writing entityNumbers: [Int64]?) {
        state.pointee.writes = entityNumbers != nil
        state.pointee.entityNumbers = entityNumbers ?? []
        forget()
    }

    /// What was noted since it was forgotten, in the order of the new rows.
    package var meetings: [Meeting] { state.pointee.meetings }

    /// A mask of a meeting that was noted: a bit for each column that differs.
    package func mask(_ number: Int, of meeting: Meeting) -> Int64 { state.pointee.masks[meeting.firstMask + number] }

    package func forget() {
        state.pointee.meetings.removeAll(keepingCapacity: true)
        state.pointee.masks.removeAll(keepingCapacity: true)
    }
}
