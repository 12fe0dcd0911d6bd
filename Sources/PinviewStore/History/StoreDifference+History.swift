import PinviewGenerations
import PinviewModel

/// How one row differs between two generations.
package struct RowDifference: Sendable {
    package let kind: HistoryChangeKind
    package let reference: Reference
    /// For updates, the indexes of the properties that differ, in ascending order.
    package let properties: [Int]
}

/// Using the history to find the rows that can differ.
extension StoreDifference {
    /// Compares only the rows named in the history.
    ///
    /// - Parameter commits: the number of transactions between the two generations; nil if unknown.
    /// - Returns: false, having compared nothing, if the history does not have all of them.
    func compareByHistory(commits: Int64?, isReversed: Bool) throws -> Bool {
        let (older, newer) = isReversed ? (new, old) : (old, new)
        guard let commits, let quietBefore = try HistorySchema.quietCommits(older), let quietAfter = try HistorySchema.quietCommits(newer)
        else { return false }
        let first = try HistorySchema.lastKey(HistorySchema.transactions, older, store.historyForm)
        let last = try HistorySchema.lastKey(HistorySchema.transactions, newer, store.historyForm)
        let counting = try newer.statement("SELECT count(*) FROM ATRANSACTION WHERE Z_PK > ?1 AND Z_PK <= ?2")
        defer { counting.reset() }
        try counting.bind(1, first)
        try counting.bind(2, last)
        // Deleted transactions would be missing, and those of programs that keep no history.
        guard try counting.step(), counting.int64(0) == last - first, commits == last - first + quietAfter - quietBefore else {
            return false
        }

        let named = try namedRows(after: first, through: last, newer)
        var rows = named.rows
        for (relationship, owners) in named.owners {
            switch schema.storage(of: relationship) {
            case .join(let side):
                try KeyBatches.forEach(owners.sorted()) { try comparePairs(of: relationship, side, $0) }
            case .toMany(let foreignKey):
                let root = schema.model.entities[relationship.destinationIndex].rootIndex
                for connection in [old, new] {
                    rows[root, default: []].formUnion(try memberKeys(of: owners, foreignKey, connection))
                }
            default: break
            }
        }
        for root in roots {
            try KeyBatches.forEach((rows[root.entity.index] ?? []).sorted()) { try compareRows(of: root, $0) }
        }
        try judgeTouched()
        return true
    }

    private struct NamedRows {
        /// By root entity.
        var rows: [Int: Set<Int64>] = [:]
        /// The owners whose members may differ, by relationship.
        var owners: [Property: Set<Int64>] = [:]
    }

    private func namedRows(after first: Int64, through last: Int64, _ connection: Connection) throws -> NamedRows {
        let statement = try connection.statement(
            "SELECT ZCHANGETYPE, ZENTITY, ZENTITYPK, ZCOLUMNS, Z_OPT FROM ACHANGE WHERE ZTRANSACTIONID > ?1 AND ZTRANSACTIONID <= ?2")
        defer { statement.reset() }
        try statement.bind(1, first)
        try statement.bind(2, last)
        var named = NamedRows()
        while try statement.step() {
            guard let index = schema.numbers.entityIndex(ofNumber: statement.int64(1)) else { continue }
            let entity = schema.model.entities[index], key = try StoredNumber.key(statement, 2, table: "ACHANGE", name: "ZENTITYPK")
            named.rows[entity.rootIndex, default: []].insert(key)
            if statement.int64(0) == HistoryChangeKind.update.rawValue {
                let changed = try schema.columnMasks.properties(
                    of: statement, 3, form: statement.int64(4), entityIndex: index,
                    declaredOrder: { try StoreContents.recordedOrder(connection) })
                for property in changed.map({ entity.properties[$0] }) {
                    if property.isToMany { named.owners[property, default: []].insert(key) }
                }
            } else {
                // Inserted and deleted rows take their pairs with them, which are not recorded for
                // the other side.
                for relationship in entity.relationships where relationship.isToMany {
                    if case .join = schema.storage(of: relationship) { named.owners[relationship, default: []].insert(key) }
                }
            }
        }
        return named
    }

    private func memberKeys(of owners: Set<Int64>, _ foreignKey: ForeignKey, _ connection: Connection) throws -> [Int64] {
        var keys: [Int64] = []
        try KeyBatches.forEach(owners.sorted()) { batch in
            let statement = try connection.statement(
                "SELECT Z_PK FROM \(SQLIdentifier.quoted(foreignKey.table)) WHERE \(SQLIdentifier.quoted(foreignKey.key)) "
                    + KeyBatches.placeholders(batch.count))
            defer { statement.reset() }
            try batch.bind(to: statement, at: 1)
            while try statement.step() { keys.append(statement.int64(0)) }
        }
        return keys
    }
}

extension SQLStore {
    /// The differences between two generations, ordered by entity and key.
    ///
    /// Any thread. Uses two readers for the length of the call; memory is needed for the result
    /// only.
    /// - Parameters:
    ///   - usesHistory: whether the history may determine which rows to compare. The result is the
    ///     same without it.
    package func difference(
        from old: Generation, to new: Generation, usesHistory: Bool = true
    ) throws(PinviewError) -> (changes: [RowDifference], isFromHistory: Bool) {
        let isReversed = old.commits(since: new).map { $0 > 0 } ?? false
        let commits = isReversed ? old.commits(since: new) : new.commits(since: old)
        return try read(at: old) { oldReader in
            try read(at: new) { newReader in
                let difference = StoreDifference(store: self, old: oldReader, new: newReader)
                // A history that does not know all properties does not name all rows that differ.
                let isFromHistory =
                    try usesHistory && schema.historyAdditions == []
                    && difference.compareByHistory(commits: commits, isReversed: isReversed)
                if !isFromHistory { try difference.compareAll() }
                let changes = difference.changes.sorted {
                    ($0.key.root, $0.key.primaryKey) < ($1.key.root, $1.key.primaryKey)
                }
                return (
                    changes.map { key, change in
                        RowDifference(
                            kind: change.kind, reference: Reference(entityIndex: Int32(change.entityIndex), primaryKey: key.primaryKey),
                            properties: change.properties.sorted())
                    }, isFromHistory
                )
            }
        }
    }
}
