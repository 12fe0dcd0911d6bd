import CSQLite
import Pinview

/// What the last error said, and what the store holds.
extension ConformanceRunner {
    func factVerb(_ verb: String, _ words: [String]) throws -> String? {
        switch verb {
        case "failure": return (failure as? PinviewError).map { fact($0, words[0]) } ?? "none"
        case "sql": return try withStore(words[0]) { try rows($0, words[1]) }
        case "export":
            let context = try context(words[0]), path = folder + "/" + words[1] + ".sqlite"
            try context.persistentStoreCoordinator?.export(context.queryGenerationToken ?? .current, to: path)
            paths[words[1]] = path
        case "query":
            let cursor = try context(words[0]).query(words[1])
            var rows: [String] = []
            while let row = try cursor.next() { rows.append(row.map(shown).joined(separator: "|")) }
            return rows.isEmpty ? "ok" : rows.joined(separator: "; ")
        case "sql-begin":
            sqlite3_open_v2(try path(words[0]), &locker, SQLITE_OPEN_READWRITE, nil)
            _ = try rows(locker, "BEGIN IMMEDIATE")
        case "sql-end":
            _ = try rows(locker, "ROLLBACK")
            sqlite3_close(locker)
        case "watch-sql":
            SQLDebug.setHandler { [statements] line in statements.add(line) }
            SQLDebug.isEnabled = true
        case "selects":
            let lines = statements.all
            defer { seenStatements = lines.count }
            return lines[seenStatements...].contains { $0.contains("SELECT") } ? "some" : "none"
        default: return nil
        }
        return "ok"
    }

    private func fact(_ error: PinviewError, _ what: String) -> String {
        switch what {
        case "affected": return listed(ids: error.affectedObjectIDs)
        case "stores": return "\(error.affectedStores.count)"
        case "key": return error.validationKey ?? "nil"
        case "value": return shown(error.validationValue ?? .null)
        case "sqlite": return error.sqliteCode.map { "\($0)" } ?? "nil"
        case "message": return yes(!error.message.isEmpty)
        case "constraints":
            return error.constraintConflicts.map { conflict in
                let values = conflict.constraint.map { "\($0)=\(shown(conflict.constraintValues[$0] ?? .null))" }.joined(separator: ",")
                return
                    "\(conflict.entityName) \(values) \(conflict.databaseObjectID == nil ? "new" : "stored") \(conflict.conflictingSnapshots.count)"
            }.joined(separator: "; ")
        case "details":
            // What the program refuses is its own error, and needs no key.
            let details = error.detailedErrors.map { detail in
                name(of: detail) + (detail.programError == nil ? detail.validationKey.map { ":" + $0 } ?? "" : "")
            }
            return "[" + details.sorted().joined(separator: " ") + "]"
        default: return error.conflicts.map(described).sorted().joined(separator: "; ")
        }
    }

    private func described(_ conflict: MergeConflict) -> String {
        var words = [label(conflict.objectID), conflict.isDeletion ? "delete" : "update", conflict.theirs == nil ? "gone" : "changed"]
        for key in ["age", "name"] {
            let values = [conflict.base[key], conflict.mine[key], conflict.theirs?[key]].map { shown($0 ?? .null) }
            if Set(values).count > 1 { words.append(key + "=" + values.joined(separator: "/")) }
        }
        return words.joined(separator: " ")
    }

    // MARK: Another connection

    private func path(_ store: String) throws -> String {
        guard let path = paths[store] else { throw Missing(name: store) }
        return path
    }

    private func withStore<R>(_ store: String, _ body: (OpaquePointer?) throws -> R) throws -> R {
        var connection: OpaquePointer?
        sqlite3_open_v2(try path(store), &connection, SQLITE_OPEN_READWRITE, nil)
        defer { sqlite3_close(connection) }
        sqlite3_busy_timeout(connection, 60_000)
        return try body(connection)
    }

    private func rows(_ connection: OpaquePointer?, _ sql: String) throws -> String {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK else { throw Missing(name: sql) }
        defer { sqlite3_finalize(statement) }
        var rows: [String] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            let columns = (0..<sqlite3_column_count(statement)).map { column in
                sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
            }
            rows.append(columns.joined(separator: "|"))
        }
        return rows.isEmpty ? "ok" : rows.joined(separator: "; ")
    }
}
