import CSQLite
import Glibc
import PinviewGenerations

/// SQL functions for data that may be in files of its own. They stand in statements on such columns
/// only, so that other columns cost nothing.
enum ExternalDataFunctions {
    /// - Parameter files: nil for a store in memory, whose data are never in files.
    static func register(_ files: ExternalDataFiles?, on connection: Connection) throws(SQLiteError) {
        let flags = SQLITE_UTF8 | SQLITE_DIRECTONLY
        for name in [ExternalColumn.storeFunction, ExternalColumn.dataFunction] {
            let pointer = files.map { Unmanaged.passRetained($0).toOpaque() }
            let code = sqlite3_create_function_v2(
                connection.handle, name, name == ExternalColumn.storeFunction ? 1 : 3, flags, pointer,
                name == ExternalColumn.storeFunction ? ExternalDataFunctions.storing : ExternalDataFunctions.reading, nil, nil,
                pointer == nil ? nil : { Unmanaged<ExternalDataFiles>.fromOpaque($0.unsafelyUnwrapped).release() })
            guard code == SQLITE_OK else {
                throw SQLiteError(
                    kind: .sqlite, extendedCode: code, message: "the function \(name) could not be registered", path: connection.path)
            }
        }
    }

    private typealias Function = @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

    private static let storing: Function = { context, _, arguments in
        guard let files = ExternalDataFunctions.files(context), sqlite3_value_type(arguments?[0]) == SQLITE_BLOB else {
            return sqlite3_result_value(context, arguments?[0])
        }
        do throws(SystemFailure) {
            guard let stored = try files.store(ExternalDataFunctions.bytes(arguments?[0])) else {
                return sqlite3_result_value(context, arguments?[0])
            }
            ExternalDataFunctions.result(stored, context)
        } catch {
            sqlite3_result_error(context, error.message, -1)
            sqlite3_result_error_code(context, error.isFull ? SQLITE_FULL : SQLITE_IOERR)
        }
    }

    private static let reading: Function = { context, _, arguments in
        guard sqlite3_value_type(arguments?[0]) != SQLITE_NULL else { return sqlite3_result_null(context) }
        do throws(UnreadableData) {
            let directory = ExternalDataFunctions.files(context)?.directory
            ExternalDataFunctions.result(try ExternalDataDirectory.data(in: ExternalDataFunctions.bytes(arguments?[0]), directory), context)
        } catch {
            let attribute = String(decoding: ExternalDataFunctions.bytes(arguments?[1]), as: UTF8.self)
            sqlite3_result_error(context, error.message(attribute, of: "the object with the key \(sqlite3_value_int64(arguments?[2]))"), -1)
            sqlite3_result_error_code(context, UnreadableData.code)
        }
    }

    private static func bytes(_ value: OpaquePointer?) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: sqlite3_value_blob(value), count: Int(sqlite3_value_bytes(value)))
    }

    private static func files(_ context: OpaquePointer?) -> ExternalDataFiles? {
        sqlite3_user_data(context).map { Unmanaged<ExternalDataFiles>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func result(_ bytes: [UInt8], _ context: OpaquePointer?) {
        guard !bytes.isEmpty else { return sqlite3_result_zeroblob(context, 0) }
        bytes.withUnsafeBytes { sqlite3_result_blob64(context, $0.baseAddress, UInt64($0.count), SQLFunctions.transient) }
    }
}
