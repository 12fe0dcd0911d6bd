import CSQLite
import FoundationEssentials
import PinviewGenerations
import PinviewModel

/// The rows of a statement of the program's own; see `SQLReader`.
package final class StoreSQL: Sendable {
    private let reader: SQLReader
    private let store: StoreName

    /// - Parameters:
    ///   - generation: nil for the newest state.
    ///   - arguments: values with the names of their parameters; nil for the next parameter.
    init(
        _ sql: String, _ arguments: [(name: String?, value: Value)], in store: SQLStore, at generation: Generation?
    ) throws(PinviewError) {
        self.store = store.name
        do {
            reader = try store.file.sqlReader(sql, at: generation)
        } catch {
            throw Self.error(error, store.name)
        }
        try bind(arguments)
    }

    package var columnNames: [String] { reader.columnNames }

    private func bind(_ arguments: [(name: String?, value: Value)]) throws(PinviewError) {
        let count = reader.parameterCount
        var isBound = [Bool](repeating: false, count: count)
        var next = 0
        for (name, value) in arguments {
            let index: Int
            if let name {
                guard let found = reader.parameterIndex(name) else {
                    throw PinviewError(
                        .invalidArgument, "The statement has no parameter \(name.quotedForPeople). \(parameterList(count)).")
                }
                index = found
            } else {
                next += 1
                index = next
            }
            guard index <= count else {
                throw PinviewError(
                    .invalidArgument,
                    "The statement has \(count) parameter\(count == 1 ? "" : "s"), but \(arguments.count) arguments were given.")
            }
            isBound[index - 1] = true
            do {
                try reader.bind { (statement) throws(SQLiteError) in try statement.bind(Int32(index), Self.cell(value)) }
            } catch {
                throw Self.error(error, store)
            }
        }
        if let missing = isBound.firstIndex(of: false) {
            let name = reader.parameterName(missing + 1).map { $0.quotedForPeople } ?? "number \(missing + 1)"
            throw PinviewError(.invalidArgument, "There is no argument for the parameter \(name) of the statement.")
        }
    }

    private func parameterList(_ count: Int) -> String {
        let names = (0..<count).compactMap { reader.parameterName($0 + 1) }
        return names.isEmpty ? "It has no parameters with names" : "It has " + names.joined(separator: ", ")
    }

    /// A value as the store's columns have it.
    private static func cell(_ value: Value) -> StoredCell {
        switch value {
        case .null: .null
        case .boolean(let flag): .integer(flag ? 1 : 0)
        case .integer(let number): .integer(number)
        case .double(let number): .real(number)
        case .string(let text): .text(text)
        case .binary(let bytes): .blob(bytes)
        case .date(let date): .real(date.timeIntervalSinceReferenceDate)
        case .uuid(let uuid): .blob(withUnsafeBytes(of: uuid.uuid) { Array($0) })
        case .decimal(let number): .text(number.description)
        case .objectID(let objectID): .integer(objectID.key.primaryKey)
        }
    }

    /// Appends rows to a list; fewer than the limit if they are large.
    ///
    /// - Returns: whether more rows may follow.
    package func read(limit: Int, into rows: inout [[Value]]) throws(PinviewError) -> Bool {
        var batch: [[Value]] = []
        let columns = Int32(columnNames.count)
        do {
            let mayContinue = try reader.read(limit: limit) { statement in
                var row: [Value] = [], bytes = 0
                row.reserveCapacity(Int(columns))
                for column in 0..<columns { row.append(Self.value(statement, column, &bytes)) }
                batch.append(row)
                return bytes
            }
            rows += batch
            return mayContinue
        } catch {
            throw Self.error(error, store)
        }
    }

    private static func value(_ statement: Statement, _ column: Int32, _ bytes: inout Int) -> Value {
        bytes += MemoryLayout<Value>.stride
        switch statement.type(column) {
        case .null: return .null
        case .integer: return .integer(statement.int64(column))
        case .real: return .double(statement.double(column))
        case .text:
            let text = statement.string(column)
            bytes += text.utf8.count
            return .string(text)
        case .blob:
            let data = statement.withBytes(column) { Array($0) }
            bytes += data.count
            return .binary(data)
        }
    }

    /// Stops the read under way, and further ones.
    package func interrupt() { reader.interrupt() }

    private static func error(_ error: any Error, _ store: StoreName) -> PinviewError {
        guard let error = error as? SQLiteError, error.kind == .sqlite, let sql = error.sql else {
            return PinviewError(any: error, while: .reading, store: store)
        }
        return PinviewError.sqlite(
            .sqlite, "The SQL statement \(sql.quotedForPeople) cannot be run on \(store.within): \(error.message).",
            sqliteCode: error.extendedCode, sqliteMessage: error.message, store: nil
        ).with(affectedStores: store.affected)
    }
}
