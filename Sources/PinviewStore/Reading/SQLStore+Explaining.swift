import PinviewGenerations
import PinviewModel

/// A fetch whose statement is to be explained.
///
/// Indirect, since the payloads of another enum have uninitialised spare bytes that would be read
/// on deallocation.
package indirect enum StatementToExplain {
    case rows(StoreFetch)
    case references(StoreFetch)
    case count(StoreFetch)
    case dictionaries(DictionaryFetch)
}

extension SQLStore {
    /// The statement of a fetch, its values and SQLite's query plan.
    package func explain(
        _ statement: StatementToExplain, at generation: Generation?
    ) throws(PinviewError) -> (sql: String, bindings: [String], queryPlan: [String]) {
        let sql: SQLText =
            switch statement {
            case .rows(let fetch): try FetchSQL(fetch, store: self).select(.rows)
            case .references(let fetch): try FetchSQL(fetch, store: self).select(.references)
            case .count(let fetch): try FetchSQL(fetch, store: self).select(.count)
            case .dictionaries(let fetch): try DictionarySQL(fetch, store: self).text
            }
        let plan = try read(at: generation) { connection in
            let statement = try connection.statement("EXPLAIN QUERY PLAN " + sql.text)
            defer { statement.reset() }
            try statement.bind(sql.bindings)
            var depths: [Int64: Int] = [0: -1]
            var lines: [String] = []
            while try statement.step() {
                let depth = (depths[statement.int64(1)] ?? -1) + 1
                depths[statement.int64(0)] = depth
                lines.append(String(repeating: "  ", count: depth) + statement.string(3))
            }
            return lines
        }
        return (sql.text, sql.bindings.map(\.sqlLiteral), plan)
    }
}

extension StoredCell {
    /// The value as a literal for people to read.
    var sqlLiteral: String {
        switch self {
        case .null: "NULL"
        case .integer(let integer): String(integer)
        case .real(let real): real.description
        case .text(let text): "'" + text.prefix(200).split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
        case .blob(let bytes): "<\(bytes.count) bytes>"
        }
    }
}
