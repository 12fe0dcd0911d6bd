import CSQLite
import PinviewGenerations
import PinviewModel
import PinviewPredicates

/// Functions for computed decimals, which SQL passes as `DecimalKey`, the only blobs that
/// expressions use.
extension SQLFunctions {
    private static let comparators: [PredicateOperator] = [
        .equalTo, .notEqualTo, .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo,
    ]

    /// The number of an operator for `pinview_relate`.
    static func comparatorNumber(_ operator: PredicateOperator) -> Int { comparators.firstIndex(of: `operator`) ?? 0 }

    static func registerDecimals(on connection: Connection) throws(SQLiteError) {
        try create(chain, argumentCount: -1, on: connection) { context, count, arguments in
            guard let arguments, count > 0 else { return sqlite3_result_null(context) }
            var value = SQLFunctions.value(arguments[0])
            for index in stride(from: 1, to: Int(count) - 1, by: 2) {
                guard let function = ExpressionFunction(number: Int(sqlite3_value_int64(arguments[index]))) else { continue }
                value = function.evaluate([value.computable, SQLFunctions.value(arguments[index + 1])])
            }
            SQLFunctions.result(value, context)
        }
        try create(decimal, argumentCount: 2, on: connection) { context, _, arguments in
            SQLFunctions.resultAsDecimal(context, arguments?[0], keepsNaN: sqlite3_value_int64(arguments?[1]) != 0)
        }
        try create(relate, argumentCount: 3, on: connection) { context, _, arguments in
            let number = Int(sqlite3_value_int64(arguments?[1]))
            guard SQLFunctions.comparators.indices.contains(number) else { return sqlite3_result_null(context) }
            let holds = SQLFunctions.value(arguments?[0]).holds(SQLFunctions.comparators[number], SQLFunctions.value(arguments?[2]))
            sqlite3_result_int(context, holds ? 1 : 0)
        }
        try create(cell(ofDecimal: .rounded), argumentCount: 1, on: connection) { context, _, arguments in
            SQLFunctions.resultAsCell(context, arguments?[0], .rounded)
        }
        try create(cell(ofDecimal: .exact), argumentCount: 1, on: connection) { context, _, arguments in
            SQLFunctions.resultAsCell(context, arguments?[0], .exact)
        }
    }

    /// The decimal of a blob.
    static func decimal(in value: OpaquePointer?) -> DecimalNumber? {
        guard let start = sqlite3_value_blob(value) else { return nil }
        return DecimalKey.number(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value))))
    }

    private static func resultAsDecimal(_ context: OpaquePointer?, _ value: OpaquePointer?, keepsNaN: Bool) {
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER: result(DecimalKey.bytes(DecimalNumber(sqlite3_value_int64(value))), context)
        case SQLITE_FLOAT: result(DecimalKey.bytes(sqlite3_value_double(value)), context)
        case SQLITE_BLOB: sqlite3_result_value(context, value)
        // "NaN", or a value written by another program.
        case SQLITE_TEXT where keepsNaN: result(DecimalKey.bytes(.notANumber), context)
        default: sqlite3_result_null(context)
        }
    }

    private static func resultAsCell(_ context: OpaquePointer?, _ value: OpaquePointer?, _ cells: DecimalCells) {
        guard sqlite3_value_type(value) == SQLITE_BLOB, let number = decimal(in: value) else {
            return sqlite3_result_value(context, value)
        }
        switch (StoredCell.cell(number), cells) {
        case (.integer(let integer), _): sqlite3_result_int64(context, integer)
        case (.real(let real), _): sqlite3_result_double(context, real)
        case (_, .rounded): sqlite3_result_double(context, number.doubleValue)
        case (_, .exact): sqlite3_result_value(context, value)
        }
    }
}
