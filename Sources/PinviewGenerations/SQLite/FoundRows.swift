internal import CSQLite

/// Records which rows of an upsert conflicted with existing rows, and decides whether those are
/// updated.
///
/// The WHERE clause of an `ON CONFLICT … DO UPDATE` calls `pinview_found_row(clause, key of the new
/// row, key of the existing row, its Z_ENT, mask, …)`, once for each conflicting row. Recording the
/// calls lets one statement insert and update many rows, and the caller still learns what happened
/// to each; RETURNING would not tell which rows were left alone or existed before.
package final class FoundRows {
    package static let function = "pinview_found_row"
    /// The number of columns in one mask.
    package static let columnsInMask = 62

    /// A new row that conflicted with an existing one.
    package struct Meeting {
        /// The index of the clause that found it.
        package let clause: Int
        package let newKey: Int64
        package let key: Int64
        /// `Z_ENT` of the existing row; 0 for NULL.
        package let entityNumber: Int64
        /// Whether the existing row is updated.
        package let isWritten: Bool
        /// The index of the first mask of columns that differ.
        fileprivate let firstMask: Int
        package let maskCount: Int
    }

    private struct State {
        var meetings: [Meeting] = []
        var masks: [Int64] = []
        var writes = false
        /// The entities whose rows may be updated.
        var entityNumbers: [Int64] = []
    }

    private let state: UnsafeMutablePointer<State>

    /// - Parameter database: an open connection that is closed before this object ends.
    init(registeringOn database: OpaquePointer) throws(SQLiteError) {
        state = .allocate(capacity: 1)
        state.initialize(to: State())
        // Views and triggers in the file must not call it.
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

    /// Begins to record conflicts.
    ///
    /// - Parameter entityNumbers: `Z_ENT` of the rows that may be updated; nil for none.
    package func begin(writing entityNumbers: [Int64]?) {
        state.pointee.writes = entityNumbers != nil
        state.pointee.entityNumbers = entityNumbers ?? []
        forget()
    }

    /// The conflicts recorded since the last `forget()`, in the order of the new rows.
    package var meetings: [Meeting] { state.pointee.meetings }

    /// A mask of a recorded conflict: one bit for each column that differs.
    package func mask(_ number: Int, of meeting: Meeting) -> Int64 { state.pointee.masks[meeting.firstMask + number] }

    package func forget() {
        state.pointee.meetings.removeAll(keepingCapacity: true)
        state.pointee.masks.removeAll(keepingCapacity: true)
    }
}
