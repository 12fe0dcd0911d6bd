import CSQLite
import Pinview

/// A store file as plain SQL reads it, without any code of the library.
final class StackFile {
    private var database: OpaquePointer?
    private var entityNames: [Int64: String] = [:]
    private var joins: [String: Join] = [:]

    private struct Join {
        let table: String
        /// The columns with the destinations of the relationship and of its inverse, and the place
        /// among the former.
        let members: String
        let owners: String
        let order: String?
    }

    init(path: String) throws {
        guard sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else { throw StackMismatch("cannot open \(path)") }
        sqlite3_busy_timeout(database, 60_000)
        for row in try rows("SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY") { entityNames[row[0].integerValue ?? 0] = row[1].stringValue }
        let tables = try rows("SELECT name FROM sqlite_master WHERE type = 'table'").compactMap { $0[0].stringValue }
        for relationship in StackSchema.relationships where relationship.isToMany {
            guard let inverse = StackSchema.inverse(of: relationship), inverse.isToMany else { continue }
            func stem(_ column: String) -> String { String(column.drop { !$0.isLetter || $0 == "Z" || $0 == "_" }) }
            func isNamed(_ text: String, _ name: String) -> Bool {
                var text = Substring(text)
                guard text.hasPrefix("Z_"), !text.hasPrefix("Z_FOK") else { return false }
                text = text.dropFirst(2).drop { $0.isNumber }
                while text.last?.isNumber == true { text = text.dropLast() }
                return text == name.uppercased()
            }
            guard let table = tables.first(where: { isNamed($0, relationship.name) || isNamed($0, inverse.name) }) else {
                throw StackMismatch("no join table for \(relationship.name)")
            }
            let columns = try rows("PRAGMA table_info(\(table))").compactMap { $0[1].stringValue }
            let members = columns.filter { isNamed($0, relationship.name) }, owners = columns.filter { isNamed($0, inverse.name) }
            joins[relationship.name] = Join(
                table: table, members: members[0], owners: relationship.name == inverse.name ? owners[1] : owners[0],
                order: columns.first { $0.hasPrefix("Z_FOK") && $0.hasSuffix(relationship.name.uppercased()) })
        }
    }

    deinit { sqlite3_close(database) }

    func rows(_ sql: String) throws -> [[Value]] {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK else {
            throw StackMismatch("\(sql): \(String(cString: sqlite3_errmsg(database)))")
        }
        defer { sqlite3_finalize(statement) }
        var found: [[Value]] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            found.append(
                (0..<sqlite3_column_count(statement)).map { column in
                    switch sqlite3_column_type(statement, column) {
                    case SQLITE_NULL: return .null
                    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, column))
                    case SQLITE_FLOAT: return .double(sqlite3_column_double(statement, column))
                    default: return .string(String(cString: sqlite3_column_text(statement, column)))
                    }
                })
        }
        return found
    }

    /// Everything in the file, in one read transaction.
    ///
    /// - Parameter number: the record of a primary key of a root entity.
    func graph(_ number: (String, Int64) throws -> Int) throws -> StackGraph {
        _ = try rows("BEGIN")
        defer { _ = try? rows("COMMIT") }
        var graph: StackGraph = [:]
        /// Places in ordered to-many relationships: the member's own column has its place.
        var places: [String: [Int: Int64]] = [:]
        /// Members that two contexts have put in one place are in the order of their primary keys.
        var keys: [Int: Int64] = [:]
        for entity in StackSchema.entities where StackSchema.parents[entity] == nil {
            let known = Set(try rows("PRAGMA table_info(Z\(entity.uppercased()))").compactMap { $0[1].stringValue })
            var toOnes: [StackSchema.Relationship] = []
            for relationship in StackSchema.relationships
            where StackSchema.root(relationship.entity) == entity && !relationship.isToMany { toOnes.append(relationship) }
            let orders = toOnes.map { known.contains("Z_FOK_\($0.name.uppercased())") ? "Z_FOK_\($0.name.uppercased())" : "NULL" }
            let columns =
                ["Z_PK", "Z_ENT", "Z_OPT"] + StackSchema.attributes.map { "Z" + $0.uppercased() }
                + toOnes.map { "Z" + $0.name.uppercased() }
                + orders
            for values in try rows("SELECT \(columns.joined(separator: ", ")) FROM Z\(entity.uppercased())") {
                let own = try number(entity, values[0].integerValue ?? 0)
                var row = StackRow(entity: entityNames[values[1].integerValue ?? 0] ?? "?")
                keys[own] = values[0].integerValue
                row.version = values[2].integerValue ?? 0
                for (index, name) in StackSchema.attributes.enumerated() { row.attributes[name] = values[3 + index] }
                for (index, relationship) in toOnes.enumerated() {
                    let start = 3 + StackSchema.attributes.count
                    guard let key = values[start + index].integerValue else { continue }
                    row.toOne[relationship.name] = try number(StackSchema.root(relationship.destination), key)
                    places[relationship.name, default: [:]][own] = values[start + toOnes.count + index].integerValue
                }
                graph[own] = row
            }
        }
        for relationship in StackSchema.relationships where relationship.isToMany {
            let name = relationship.name
            var members: [Int: [(Int64, Int)]] = [:]
            if let join = joins[name] {
                let columns = [join.owners, join.members, join.order ?? "0"].joined(separator: ", ")
                for values in try rows("SELECT \(columns) FROM \(join.table)") {
                    let owner = try number(StackSchema.root(relationship.entity), values[0].integerValue ?? 0)
                    let member = try number(StackSchema.root(relationship.destination), values[1].integerValue ?? 0)
                    members[owner, default: []].append((values[2].integerValue ?? 0, member))
                    // A relationship that is its own inverse is stored once, either way round.
                    if relationship.inverse == name { members[member, default: []].append((0, owner)) }
                }
            } else if let inverse = StackSchema.inverse(of: relationship) {
                for (member, row) in graph {
                    guard let owner = row.toOne[inverse.name] else { continue }
                    members[owner, default: []].append((places[inverse.name]?[member] ?? 0, member))
                }
            } else {
                let owner = entityNames.first { $0.value == relationship.entity }?.key ?? 0
                let root = StackSchema.root(relationship.destination)
                for values in try rows("SELECT Z_PK, Z\(owner)\(name.uppercased()) FROM Z\(root.uppercased())") {
                    guard let key = values[1].integerValue else { continue }
                    let own = try number(root, values[0].integerValue ?? 0)
                    members[try number(StackSchema.root(relationship.entity), key), default: []].append((0, own))
                }
            }
            for (owner, places) in members where graph[owner] != nil {
                let sorted = places.sorted { relationship.isOrdered ? ($0.0, keys[$0.1] ?? 0) < ($1.0, keys[$1.1] ?? 0) : $0.1 < $1.1 }.map(
                    \.1)
                graph[owner]?.toMany[name] = relationship.isOrdered ? sorted : Array(Set(sorted)).sorted()
            }
        }
        return graph
    }
}
