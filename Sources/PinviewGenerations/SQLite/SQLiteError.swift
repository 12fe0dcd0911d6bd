internal import CSQLite

/// An error of SQLite or of the generations built on it. A single reference, so that throwing it is
/// cheap.
package struct SQLiteError: Error, Sendable, CustomStringConvertible {
    package enum Kind: Sendable {
        case sqlite, busy, notADatabase, cannotOpen, readOnly, constraint, corrupt, full, interrupted
        /// The rows of a pinned read could not be verified to belong to its generation.
        case generationLost
        /// The generation has been released.
        case generationExpired
        /// The file is not in WAL mode.
        case notWAL
        /// The store was closed.
        case closed
        /// The process is a fork of the one that opened the store.
        case forked
        /// A file of the store was deleted or replaced.
        case replaced
        /// The lock for writing was lost while a transaction was open, or could be lost at any
        /// time.
        case lockLost
    }

    private final class Details: Sendable {
        let kind: Kind, extendedCode: Int32, message: String, path: String?, sql: String?
        init(kind: Kind, extendedCode: Int32, message: String, path: String?, sql: String?) {
            self.kind = kind
            self.extendedCode = extendedCode
            self.message = message
            self.path = path
            self.sql = sql
        }
    }

    private let details: Details

    package init(kind: Kind, extendedCode: Int32, message: String, path: String? = nil, sql: String? = nil) {
        details = Details(kind: kind, extendedCode: extendedCode, message: message, path: path, sql: sql)
    }

    /// The current error of a connection.
    init(code: Int32, handle: OpaquePointer?, path: String?, sql: String? = nil) {
        let extended = handle.map { sqlite3_extended_errcode($0) } ?? code
        let text = handle.flatMap { sqlite3_errmsg($0) } ?? sqlite3_errstr(code)
        if code == Self.movedCode {
            self.init(
                kind: .replaced, extendedCode: code,
                message: "the file was deleted, moved away or replaced while the store was open; put it back, or remove the store "
                    + "and add it again",
                path: path, sql: sql)
            return
        }
        // If the connection has moved on to another error, the given result code counts.
        let isSame = extended & 0xff == code & 0xff
        if code & 0xff == SQLITE_CANTOPEN, isSame, let handle, Self.meansNoDescriptorLeft(sqlite3_system_errno(handle)), let path {
            self = .noDescriptorLeft(path: path)
            return
        }
        self.init(
            kind: Self.kind(of: isSame ? extended : code), extendedCode: isSame ? extended : code,
            message: (isSame ? text : sqlite3_errstr(code)).map { String(cString: $0) } ?? "unknown error", path: path, sql: sql)
    }

    /// SQLITE_READONLY_DBMOVED, a macro that Swift does not import.
    static let movedCode = SQLITE_READONLY | (4 << 8)

    /// The error of what the monitor of the thread has stopped.
    package static func interrupted(path: String?) -> SQLiteError {
        SQLiteError(kind: .interrupted, extendedCode: SQLITE_INTERRUPT, message: "interrupted", path: path)
    }

    package var kind: Kind { details.kind }
    /// SQLite's extended result code.
    package var extendedCode: Int32 { details.extendedCode }
    package var primaryCode: Int32 { details.extendedCode & 0xff }
    /// SQLite's own message.
    package var message: String { details.message }
    package var path: String? { details.path }
    package var sql: String? { details.sql }

    package var description: String {
        "SQLite error \(extendedCode): \(message)" + (path.map { " (\($0))" } ?? "") + (sql.map { " in: \($0)" } ?? "")
    }

    static func kind(of code: Int32) -> Kind {
        if code == movedCode { return .replaced }
        if code == SQLITE_ERROR | (3 << 8) { return .generationLost }  // SQLITE_ERROR_SNAPSHOT
        switch code & 0xff {
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: return .busy
        case SQLITE_NOTADB: return .notADatabase
        case SQLITE_CANTOPEN: return .cannotOpen
        case SQLITE_READONLY: return .readOnly
        case SQLITE_CONSTRAINT: return .constraint
        case SQLITE_CORRUPT: return .corrupt
        case SQLITE_FULL: return .full
        case SQLITE_INTERRUPT: return .interrupted
        default: return .sqlite
        }
    }
}
