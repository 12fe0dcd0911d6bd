import CSQLite
import PinviewGenerations
import PinviewModel
import PinviewPredicates

/// SQL functions that each connection to a store has, so that SQL compares texts as the evaluator
/// in memory does.
enum SQLFunctions {
    /// `pinview_fold(text, options)`: the text folded for comparison under `[c]` and `[d]`.
    static let fold = "pinview_fold"
    /// `pinview_match(operator, text, pattern)`: a textual operator on folded texts.
    static let match = "pinview_match"
    /// `pinview_cell(text)`: the value of a text made by `encoded(_:)`.
    static let cell = "pinview_cell"

    /// `pinview_matches(text, options, pattern)`: MATCHES.
    static let matchPattern = "pinview_matches"
    /// `pinview_compute(arguments…, number)`: a function of expressions.
    static let compute = "pinview_compute"
    /// `pinview_cast(value, type)`.
    static let cast = "pinview_cast"
    /// `pinview_chain(first, number, second, number, third…)`: binary functions applied one after
    /// another.
    static let chain = "pinview_chain"
    /// `pinview_decimal(number, keepsNaN)`: a number as `DecimalKey`; NaN becomes NULL unless it is
    /// kept.
    static let decimal = "pinview_decimal"
    /// `pinview_relate(left, number of the operator, right)`: a comparison that involves computed
    /// decimals.
    static let relate = "pinview_relate"

    /// What to do with a decimal that no cell can hold.
    enum DecimalCells {
        /// Round it.
        case rounded
        /// Keep it as a `DecimalKey`.
        case exact
    }

    /// `pinview_cell_…(number)`: a number, possibly a `DecimalKey`, as a decimal's cell holds it.
    static func cell(ofDecimal cells: DecimalCells) -> String {
        switch cells {
        case .rounded: "pinview_cell_rounded"
        case .exact: "pinview_cell_exact"
        }
    }
    /// `pinview_sort_key(text, comparator)`: the key that a sort descriptor sorts by.
    static let sortKey = "pinview_sort_key"
    /// An aggregate function over the rows of a group.
    static func aggregate(_ function: ExpressionFunction) -> String { "pinview_aggregate_\(function.number)" }

    private static let operators: [PredicateOperator] = [.contains, .beginsWith, .endsWith, .like]

    /// The number of an operator for `pinview_match`; nil if it is not textual.
    static func number(of operator: PredicateOperator) -> Int? { operators.firstIndex(of: `operator`) }

    /// Registers the functions on a new connection.
    static func register(on connection: Connection) throws(SQLiteError) {
        try create(fold, argumentCount: 2, on: connection) { context, _, arguments in
            guard let text = SQLFunctions.bytes(arguments?[0]) else { return sqlite3_result_null(context) }
            let options = PredicateOptions(rawValue: Int(sqlite3_value_int64(arguments?[1])))
            guard let folded = StringMatching.folded(text, options) else { return sqlite3_result_value(context, arguments?[0]) }
            SQLFunctions.result(folded, context)
        }
        try create(match, argumentCount: 3, on: connection) { context, _, arguments in
            let number = Int(sqlite3_value_int64(arguments?[0]))
            guard let text = SQLFunctions.bytes(arguments?[1]), let pattern = SQLFunctions.bytes(arguments?[2]),
                SQLFunctions.operators.indices.contains(number)
            else { return sqlite3_result_null(context) }
            sqlite3_result_int(context, StringMatching.matches(text, SQLFunctions.operators[number], pattern) ? 1 : 0)
        }
        try create(matchPattern, argumentCount: 3, on: connection) { context, _, arguments in
            guard let text = SQLFunctions.bytes(arguments?[0]) else { return sqlite3_result_null(context) }
            do throws(PinviewError) {
                guard let pattern = try SQLFunctions.pattern(context, arguments) else { return sqlite3_result_null(context) }
                sqlite3_result_int(context, try pattern.matches(text) ? 1 : 0)
            } catch {
                SQLFunctions.fail(context, error)
            }
        }
        try create(compute, argumentCount: -1, on: connection) { context, count, arguments in
            guard let arguments, count > 0, let function = ExpressionFunction(number: Int(sqlite3_value_int64(arguments[Int(count) - 1])))
            else { return sqlite3_result_null(context) }
            let values = (0..<(Int(count) - 1)).map { SQLFunctions.value(arguments[$0]) }
            SQLFunctions.result(function.result(values), context)
        }
        try create(cast, argumentCount: 2, on: connection) { context, _, arguments in
            guard let type = ExpressionType(number: Int(sqlite3_value_int64(arguments?[1]))) else { return sqlite3_result_null(context) }
            SQLFunctions.result(type.cast(SQLFunctions.value(arguments?[0])), context)
        }
        try registerDecimals(on: connection)
        try create(sortKey, argumentCount: 2, on: connection) { context, _, arguments in
            SQLFunctions.resultOfSortKey(context, arguments?[0], arguments?[1])
        }
        for function in ExpressionFunction.allCases where function.isOverCollection { try createAggregate(function, on: connection) }
        try create(cell, argumentCount: 1, on: connection) { context, _, arguments in
            guard let text = SQLFunctions.bytes(arguments?[0]) else { return sqlite3_result_null(context) }
            SQLFunctions.decode(String(decoding: text, as: UTF8.self), context)
        }
    }

    static func create(
        _ name: String, argumentCount: Int32, on connection: Connection,
        _ body: @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void
    ) throws(SQLiteError) {
        let code = sqlite3_create_function_v2(
            connection.handle, name, argumentCount, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil, body, nil, nil, nil)
        guard code == SQLITE_OK else {
            throw SQLiteError(
                kind: .sqlite, extendedCode: code, message: "the function \(name) could not be registered", path: connection.path)
        }
    }

    /// The result code of a function that was given invalid arguments by the predicate. SQLite
    /// itself does not use it.
    static let badPredicateCode: Int32 = SQLITE_ERROR | (77 << 8)

    private static func fail(_ context: OpaquePointer?, _ error: PinviewError) {
        sqlite3_result_error(context, error.message, -1)
        sqlite3_result_error_code(context, badPredicateCode)
    }

    private static func resultOfSortKey(_ context: OpaquePointer?, _ value: OpaquePointer?, _ number: OpaquePointer?) {
        guard let text = bytes(value), let comparator = PinviewSortDescriptor.Comparator(rawValue: Int(sqlite3_value_int64(number))),
            let key = SortKey.key(String(decoding: text, as: UTF8.self), comparator)
        else { return sqlite3_result_value(context, value) }
        result(key, context)
    }

    static func result(_ bytes: [UInt8], _ context: OpaquePointer?) {
        bytes.withUnsafeBytes {
            sqlite3_result_blob64(context, $0.baseAddress ?? UnsafeRawPointer(bitPattern: 1), UInt64($0.count), transient)
        }
    }

    // MARK: Functions of expressions

    /// The values seen so far by an aggregate.
    private final class Values {
        var values: [Value] = []
    }

    private static func createAggregate(_ function: ExpressionFunction, on connection: Connection) throws(SQLiteError) {
        let name = aggregate(function)
        let code = sqlite3_create_function_v2(
            connection.handle, name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, UnsafeMutableRawPointer(bitPattern: function.number + 1), nil,
            { context, _, arguments in
                let slot = sqlite3_aggregate_context(context, Int32(MemoryLayout<UnsafeMutableRawPointer?>.size))
                guard let slot = slot?.assumingMemoryBound(to: UnsafeMutableRawPointer?.self) else {
                    return sqlite3_result_error_nomem(context)
                }
                if slot.pointee == nil { slot.pointee = Unmanaged.passRetained(Values()).toOpaque() }
                guard let values = slot.pointee else { return }
                Unmanaged<Values>.fromOpaque(values)._withUnsafeGuaranteedRef { $0.values.append(SQLFunctions.value(arguments?[0])) }
            },
            { context in
                // Also called if the statement is abandoned halfway. Without a row, there is no
                // memory.
                let slot = sqlite3_aggregate_context(context, 0)?.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
                let values = slot?.pointee.map { Unmanaged<Values>.fromOpaque($0).takeRetainedValue().values } ?? []
                let number = Int(bitPattern: sqlite3_user_data(context)) - 1
                guard let function = ExpressionFunction(number: number) else { return sqlite3_result_null(context) }
                SQLFunctions.result(function.evaluate(overCollection: values), context)
            }, nil)
        guard code == SQLITE_OK else {
            throw SQLiteError(
                kind: .sqlite, extendedCode: code, message: "the function \(name) could not be registered", path: connection.path)
        }
    }

    static func value(_ value: OpaquePointer?) -> Value {
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER: .integer(sqlite3_value_int64(value))
        // SQLite's operators can return negative zero, which those in memory do not.
        case SQLITE_FLOAT: .double(sqlite3_value_double(value) + 0.0)
        case SQLITE_TEXT: bytes(value).map { .string(String(decoding: $0, as: UTF8.self)) } ?? .null
        case SQLITE_BLOB: decimal(in: value).map { .decimal($0) } ?? .null
        default: .null
        }
    }

    static func result(_ value: Value, _ context: OpaquePointer?) {
        switch value {
        case .integer(let integer): sqlite3_result_int64(context, integer)
        case .double(let double): sqlite3_result_double(context, double)
        case .string(let text): result(text, context)
        case .decimal(let decimal): result(DecimalKey.bytes(decimal), context)
        default: sqlite3_result_null(context)
        }
    }

    /// The compiled pattern of MATCHES, cached with the statement.
    private static func pattern(
        _ context: OpaquePointer?, _ arguments: UnsafeMutablePointer<OpaquePointer?>?
    ) throws(PinviewError) -> MatchPattern? {
        if let known = sqlite3_get_auxdata(context, 2) { return Unmanaged<MatchPattern>.fromOpaque(known).takeUnretainedValue() }
        guard let text = bytes(arguments?[2]) else { return nil }
        let options = PredicateOptions(rawValue: Int(sqlite3_value_int64(arguments?[1])))
        let pattern = try MatchPattern.compiled(String(decoding: text, as: UTF8.self), options)
        sqlite3_set_auxdata(context, 2, Unmanaged.passRetained(pattern).toOpaque()) { pointer in
            if let pointer { Unmanaged<MatchPattern>.fromOpaque(pointer).release() }
        }
        return pattern
    }

    /// The UTF-8 of an argument, valid until the function returns; nil for NULL.
    private static func bytes(_ value: OpaquePointer?) -> UnsafeBufferPointer<UInt8>? {
        guard sqlite3_value_type(value) != SQLITE_NULL, let start = sqlite3_value_text(value) else { return nil }
        return UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
    }

    private static func result(_ text: String, _ context: OpaquePointer?) {
        var text = text
        text.withUTF8 { bytes in
            guard let start = bytes.baseAddress else { return sqlite3_result_text(context, "", 0, transient) }
            start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
                sqlite3_result_text64(context, $0, UInt64(bytes.count), transient, UInt8(SQLITE_UTF8))
            }
        }
    }

    /// SQLITE_TRANSIENT, which Swift cannot import: SQLite copies the bytes before the call
    /// returns.
    static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    // MARK: Cells in JSON

    /// A cell as ASCII text without loss, for long lists that are passed as one JSON text.
    static func encoded(_ cell: StoredCell) -> String {
        switch cell {
        case .null: "n"
        case .integer(let integer): "i" + String(UInt64(bitPattern: integer), radix: 16)
        case .real(let real): "r" + String(real.bitPattern, radix: 16)
        case .text(let text): "t" + hexadecimal(text.utf8)
        case .blob(let bytes): "b" + hexadecimal(bytes)
        }
    }

    private static let digits = Array("0123456789abcdef".utf8)

    private static func hexadecimal(_ bytes: some Collection<UInt8>) -> String {
        String(unsafeUninitializedCapacity: bytes.count * 2) { buffer in
            var index = 0
            for byte in bytes {
                buffer[index] = digits[Int(byte >> 4)]
                buffer[index + 1] = digits[Int(byte & 15)]
                index += 2
            }
            return index
        }
    }

    private static func decode(_ text: String, _ context: OpaquePointer?) {
        let rest = text.dropFirst()
        switch text.first {
        case "i": sqlite3_result_int64(context, Int64(bitPattern: UInt64(rest, radix: 16) ?? 0))
        case "r": sqlite3_result_double(context, Double(bitPattern: UInt64(rest, radix: 16) ?? 0))
        case "t": result(String(decoding: bytes(rest.utf8), as: UTF8.self), context)
        case "b":
            let bytes: [UInt8] = bytes(rest.utf8)
            result(bytes, context)
        default: sqlite3_result_null(context)
        }
    }

    private static func bytes(_ digits: Substring.UTF8View) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        var high: UInt8?
        for digit in digits {
            let value = digit >= UInt8(ascii: "a") ? digit &- UInt8(ascii: "a") &+ 10 : digit &- UInt8(ascii: "0")
            if let first = high {
                bytes.append(first << 4 | value & 15)
                high = nil
            } else {
                high = value & 15
            }
        }
        return bytes
    }
}
