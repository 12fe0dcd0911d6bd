internal import CSQLite

/// The storage class of a cell (sqlite.org/datatype3.html, section 2).
@usableFromInline
package enum CellType: UInt8, Sendable {
    case integer, real, text, blob, null

    /// - Parameter code: what `sqlite3_column_type` and `sqlite3_value_type` return.
    @inline(__always)
    init(code: Int32) {
        switch code {
        case SQLITE_INTEGER: self = .integer
        case SQLITE_FLOAT: self = .real
        case SQLITE_TEXT: self = .text
        case SQLITE_BLOB: self = .blob
        default: self = .null
        }
    }
}
