import FoundationEssentials
import PinviewGenerations
import PinviewModel

/// The requested part of a store's history.
package struct HistoryQuery: Sendable {
    /// Only transactions with higher numbers.
    package var afterTransaction: Int64?
    /// Only later transactions, in seconds since 2001-01-01 00:00 UTC.
    package var afterTime: Double?
    /// Only earlier transactions, excluding this one.
    package var beforeTransaction: Int64?
    package var beforeTime: Double?
    /// Only transactions of these authors, where nil means no author.
    package var authors: [String?]?
    /// No transactions of these authors.
    package var excludedAuthors: [String?] = []
    /// Only changes of these entities and their sub-entities; nil for all.
    package var entities: [Entity]?
    package var wantsChanges = true

    package init() {}
}

/// What to do with history to be deleted that a named consumer has not read.
package enum HistoryConsumerRule: Sendable {
    case keep, refuse, pass
}

/// A write transaction recorded in the history.
package struct HistoryTransactionRecord: Sendable {
    package let number: Int64
    /// Seconds since 2001-01-01 00:00 UTC.
    package let time: Double
    package let author: String?
    package let contextName: String?
    package let program: String?
    package let process: String?
    package var changes: [HistoryChangeRecord]
}

/// What a transaction did to one row.
package struct HistoryChangeRecord: Sendable {
    package let number: Int64
    package let kind: HistoryChangeKind
    package let reference: Reference
    /// For updates, the indexes of the changed properties.
    package let properties: [Int]
    /// For deletions, the values that the model preserves.
    package let tombstone: [String: PropertyListValue]
}

extension SQLStore {
    /// The number of the last transaction in the history; 0 if there is none.
    package func lastHistoryTransaction() throws(PinviewError) -> Int64 {
        try requireHistory()
        return try read(at: nil) { try HistorySchema.lastKey(HistorySchema.transactions, $0, historyForm) }
    }

    private func requireHistory() throws(PinviewError) {
        guard tracksHistory else {
            throw PinviewError(
                .persistentStoreUnsupportedRequest,
                "\(name) keeps no history: it was added without the option \(HistorySchema.optionName)."
            )
            .with(affectedStores: name.affected)
        }
    }

    /// The matching transactions, in order.
    ///
    /// - Throws: 134091 without a history, 134301 if part of what follows the starting point has
    ///   been deleted.
    package func history(_ query: HistoryQuery) throws(PinviewError) -> [HistoryTransactionRecord] {
        try requireHistory()
        return try read(at: nil) { connection in
            if let after = query.afterTransaction { try requireKept(after, connection) }
            var records = try transactions(query, connection)
            guard query.wantsChanges || query.entities != nil else { return records }
            for index in records.indices { records[index].changes = try changes(ofTransaction: records[index].number, query, connection) }
            if query.entities != nil { records.removeAll { $0.changes.isEmpty } }
            return records
        }
    }

    private func requireKept(_ number: Int64, _ connection: Connection) throws {
        let statement = try connection.statement("SELECT MIN(Z_PK) FROM ATRANSACTION")
        defer { statement.reset() }
        let first =
            try statement.step() && !statement.isNull(0) ? try StoredNumber.key(statement, 0, table: "ATRANSACTION", name: "Z_PK") : nil
        let lastDeleted = try first.map { $0 - 1 } ?? HistorySchema.lastKey(HistorySchema.transactions, connection, historyForm)
        guard lastDeleted == 0 || number > lastDeleted else {
            throw PinviewError(
                .historyTokenExpired,
                "The history of \(name.within) up to transaction \(lastDeleted) has been deleted, including what followed transaction \(number). "
                    + "Read the store again and start with the current token."
            ).with(affectedStores: name.affected)
        }
    }

    private func transactions(_ query: HistoryQuery, _ connection: Connection) throws -> [HistoryTransactionRecord] {
        let form = historyForm
        var sql = SQLText(
            text:
                "SELECT t.Z_PK, t.ZTIMESTAMP, \(form.expression(.author)), \(form.expression(.contextName)), \(form.expression(.program)), "
                + "\(form.expression(.process)) FROM ATRANSACTION AS t\(form.joins) WHERE 1")
        func add(_ condition: String, _ cell: StoredCell) { sql.append(" AND \(condition) " + .bound(cell)) }
        if let number = query.afterTransaction { add("t.Z_PK >", .integer(number)) }
        if let number = query.beforeTransaction { add("t.Z_PK <", .integer(number)) }
        if let time = query.afterTime { add("t.ZTIMESTAMP >", .real(time)) }
        if let time = query.beforeTime { add("t.ZTIMESTAMP <", .real(time)) }
        let author = form.expression(.author)
        func cell(_ author: String?) -> StoredCell { author.map { .text($0) } ?? .null }
        for excluded in query.excludedAuthors { add("\(author) IS NOT", cell(excluded)) }
        if let authors = query.authors {
            sql.append(" AND (0")
            for wanted in authors { sql.append(" OR \(author) IS " + .bound(cell(wanted))) }
            sql.append(")")
        }
        sql.append(" ORDER BY t.Z_PK")
        let statement = try connection.statement(sql.text)
        defer { statement.reset() }
        try statement.bind(sql.bindings)
        func text(_ column: Int32) -> String? { statement.isNull(column) ? nil : statement.string(column) }
        var records: [HistoryTransactionRecord] = []
        while try statement.step() {
            records.append(
                HistoryTransactionRecord(
                    number: try StoredNumber.key(statement, 0, table: "ATRANSACTION", name: "Z_PK"), time: try time(statement),
                    author: text(2), contextName: text(3), program: text(4),
                    process: text(5), changes: []))
        }
        return records
    }

    private func changes(
        ofTransaction number: Int64, _ query: HistoryQuery, _ connection: Connection
    ) throws -> [HistoryChangeRecord] {
        let form = historyForm
        let statement = try connection.statement(
            "SELECT Z_PK, ZCHANGETYPE, ZENTITY, ZENTITYPK, \(form.hasMasks ? "ZCOLUMNS" : "NULL"), Z_OPT"
                + "\(form.tombstoneColumns.map { ", \($0)" }.joined()) FROM ACHANGE WHERE ZTRANSACTIONID = ? ORDER BY Z_PK")
        defer { statement.reset() }
        try statement.bind(1, number)
        var records: [HistoryChangeRecord] = []
        while try statement.step() {
            // The store may lack entities of another configuration of the model.
            guard let entityIndex = schema.numbers.entityIndex(ofNumber: statement.int64(2)) else { continue }
            let number = try StoredNumber.key(statement, 0, table: "ACHANGE", name: "Z_PK")
            guard statement.type(1) == .integer, let kind = HistoryChangeKind(rawValue: Int(statement.int64(1))) else {
                throw StoreDamage(
                    table: "ACHANGE", key: number,
                    reason: "has \(statement.string(1).quotedForPeople) in ZCHANGETYPE, which is not a type of change")
            }
            let key = statement.int64(3)
            guard statement.type(3) == .integer, StoredNumber.isKey(key) else {
                throw StoreDamage(
                    table: "ACHANGE", key: number,
                    reason: "has \(statement.string(3).quotedForPeople) in ZENTITYPK, which is not a primary key")
            }
            if let entities = query.entities, !entities.contains(where: { schema.model.entities[entityIndex].isKind(ofIndex: $0.index) }) {
                continue
            }
            records.append(
                HistoryChangeRecord(
                    number: number, kind: kind, reference: Reference(entityIndex: Int32(entityIndex), primaryKey: key),
                    properties: try schema.columnMasks.properties(
                        of: statement, 4, form: form.isOwn ? statement.int64(5) : ColumnMasks.form, entityIndex: entityIndex,
                        declaredOrder: { try StoreContents.recordedOrder(connection) }),
                    tombstone: kind == .delete ? try tombstone(statement, 6, schema.model.entities[entityIndex], number) : [:]))
        }
        return records
    }

    private func time(_ statement: Statement) throws(StoreDamage) -> Double {
        let time = statement.double(1)
        guard time.isFinite, statement.type(1) == .real || statement.type(1) == .integer else {
            throw StoreDamage(
                table: "ATRANSACTION", key: statement.int64(0),
                reason: "has \(statement.string(1).quotedForPeople) in ZTIMESTAMP, which is not a time")
        }
        return time
    }

    /// The preserved values of a deleted object, from the columns starting at `first`.
    private func tombstone(
        _ statement: Statement, _ first: Int32, _ entity: Entity, _ change: Int64
    ) throws -> [String: PropertyListValue] {
        guard historyForm.isOwn else {
            guard let additions = schema.historyAdditions else { return [:] }
            let attributes = HistoryForm.preservedAttributes(of: entity).filter { !additions.contains($0) }
            return Self.values(statement, first, attributes.prefix(historyForm.tombstoneColumns.count))
        }
        guard !historyForm.tombstoneColumns.isEmpty, !statement.isNull(first) else { return [:] }
        let bytes = statement.withBytes(first) { Array($0) }
        if bytes.isEmpty { return [:] }
        guard let values = (try? PropertyListValue(binary: bytes))?.dictionaryValue else {
            throw StoreDamage(table: "ACHANGE", key: change, reason: "has \(bytes.count) bytes in ZTOMBSTONE0 that are not a property list")
        }
        return values
    }

    /// Core Data's format: one value per column.
    private static func values(
        _ statement: Statement, _ first: Int32, _ attributes: ArraySlice<Property>
    ) -> [String: PropertyListValue] {
        var values: [String: PropertyListValue] = [:]
        for (index, attribute) in attributes.enumerated() {
            let column = first + Int32(index)
            switch statement.type(column) {
            case .null: break
            case .integer where attribute.attributeType == .date: values[attribute.name] = .date(Double(statement.int64(column)))
            case .integer: values[attribute.name] = .integer(statement.int64(column))
            case .real:
                values[attribute.name] =
                    attribute.attributeType == .date ? .date(statement.double(column)) : .real(statement.double(column))
            case .text: values[attribute.name] = .string(statement.string(column))
            case .blob: values[attribute.name] = Self.value(ofBlob: statement.withBytes(column) { Array($0) }, attribute)
            }
        }
        return values
    }

    private static func value(ofBlob bytes: [UInt8], _ attribute: Property) -> PropertyListValue {
        if attribute.attributeType == .uuid, bytes.count == 16 {
            return .string(UUID(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) }).uuidString)
        }
        let isInline = attribute.allowsExternalBinaryDataStorage && bytes.first == ExternalDataDirectory.inlineMarker
        return .data(isInline ? Array(bytes.dropFirst()) : bytes)
    }

    // MARK: Deleting

    /// Deletes the transactions before a point, except those that a named consumer has not read,
    /// unless requested.
    ///
    /// - Parameters:
    ///   - transaction: transactions with lower numbers are deleted.
    ///   - time: transactions before this time are deleted, in seconds since 2001-01-01 00:00 UTC.
    ///   - rule: what to do with transactions that a consumer has not read.
    /// - Returns: the number of deleted transactions.
    package func deleteHistory(
        beforeTransaction transaction: Int64?, beforeTime time: Double?, rule: HistoryConsumerRule
    ) throws(PinviewError) -> Int {
        try requireHistory()
        return try write { connection in
            var limit = Int64.max
            if let transaction { limit = min(limit, transaction) }
            if let time {
                // Clocks are sometimes set back: delete all transactions before the first one that
                // stays.
                let statement = try connection.statement("SELECT MIN(Z_PK) FROM ATRANSACTION WHERE ZTIMESTAMP >= ?")
                defer { statement.reset() }
                try statement.bind(1, time)
                if try statement.step(), !statement.isNull(0) {
                    limit = min(limit, try StoredNumber.key(statement, 0, table: "ATRANSACTION", name: "Z_PK"))
                }
            }
            if rule != .pass { limit = try limitByConsumers(limit, rule, connection) }
            let changes = try connection.statement("DELETE FROM ACHANGE WHERE ZTRANSACTIONID < ?")
            try changes.bind(1, limit)
            try changes.run()
            let transactions = try connection.statement("DELETE FROM ATRANSACTION WHERE Z_PK < ?")
            try transactions.bind(1, limit)
            try transactions.run()
            return connection.changes
        }
    }

    private func limitByConsumers(_ limit: Int64, _ rule: HistoryConsumerRule, _ connection: Connection) throws -> Int64 {
        guard try HistorySchema.hasConsumers(connection) else { return limit }
        let statement = try connection.statement("SELECT ZNAME, ZTRANSACTION FROM PINVIEW_HISTORYCONSUMER ORDER BY ZTRANSACTION, ZNAME")
        defer { statement.reset() }
        guard try statement.step() else { return limit }
        // A consumer may have recorded a position beyond what can be deleted.
        let last = min(limit, try HistorySchema.lastKey(HistorySchema.transactions, connection, historyForm) + 1)
        let read = try StoredNumber.counter(statement, 1, table: "PINVIEW_HISTORYCONSUMER", key: nil, name: "ZTRANSACTION")
        guard read < last - 1 else { return limit }
        guard rule == .refuse else { return read + 1 }
        throw PinviewError(
            .persistentStoreOperation,
            "The history of \(name.within) cannot be deleted through transaction \(last - 1): the consumer \(statement.string(0).quotedForPeople) has "
                + "read up to transaction \(read). Let it read on, remove it, or request that its transactions be deleted as well."
        ).with(affectedStores: name.affected)
    }

    // MARK: Consumers

    /// Records up to which transaction a named consumer has read. A new name registers the
    /// consumer.
    package func setHistoryConsumer(_ name: String, transaction: Int64) throws(PinviewError) {
        try requireHistory()
        try write { connection in
            // In a store of Core Data, the table is created with the first consumer.
            try HistorySchema.createConsumers(connection)
            let statement = try connection.statement(
                "INSERT INTO PINVIEW_HISTORYCONSUMER (ZNAME, ZTRANSACTION) VALUES (?1, ?2) ON CONFLICT (ZNAME) DO UPDATE SET ZTRANSACTION = ?2"
            )
            try statement.bind(1, name)
            try statement.bind(2, transaction)
            try statement.run()
        }
    }

    /// - Returns: whether there was a consumer with that name.
    package func removeHistoryConsumer(_ name: String) throws(PinviewError) -> Bool {
        try requireHistory()
        guard try read(at: nil, { try HistorySchema.hasConsumers($0) }) else { return false }
        return try write { connection in
            let statement = try connection.statement("DELETE FROM PINVIEW_HISTORYCONSUMER WHERE ZNAME = ?")
            try statement.bind(1, name)
            try statement.run()
            return connection.changes > 0
        }
    }

    /// The named consumers, with the transaction up to which each has read.
    package func historyConsumers() throws(PinviewError) -> [String: Int64] {
        try requireHistory()
        return try read(at: nil) { connection in
            guard try HistorySchema.hasConsumers(connection) else { return [:] }
            let statement = try connection.statement("SELECT ZNAME, ZTRANSACTION FROM PINVIEW_HISTORYCONSUMER")
            defer { statement.reset() }
            var consumers: [String: Int64] = [:]
            while try statement.step() {
                consumers[statement.string(0)] = try StoredNumber.counter(
                    statement, 1, table: "PINVIEW_HISTORYCONSUMER", key: nil, name: "ZTRANSACTION")
            }
            return consumers
        }
    }
}
