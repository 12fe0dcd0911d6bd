internal import CSQLite
import Glibc

/// A system call that failed.
struct SystemError: Error {
    enum Call {
        case read, status

        var name: String {
            switch self {
            case .read: "reading the journal"
            case .status: "reading the time and size of the file"
            }
        }

        /// SQLITE_IOERR_READ and SQLITE_IOERR_FSTAT, macros that Swift does not import.
        var extendedCode: Int32 {
            switch self {
            case .read: SQLITE_IOERR | (1 << 8)
            case .status: SQLITE_IOERR | (7 << 8)
            }
        }
    }

    let call: Call
    /// A value of `errno`.
    let number: Int32

    func sqliteError(path: String) -> SQLiteError {
        SQLiteError(
            kind: .sqlite, extendedCode: call.extendedCode,
            message: "\(call.name) failed (\(String(cString: strerror(number)))), so the pages read could not be verified; try again",
            path: path)
    }
}
