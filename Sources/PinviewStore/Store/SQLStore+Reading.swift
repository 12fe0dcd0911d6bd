import PinviewGenerations
import PinviewModel

extension SQLStore {
    /// The matching rows, in order.
    package func fetchRows(_ fetch: StoreFetch, at generation: Generation?) throws(PinviewError) -> FetchedRows {
        let layout = try schema.entity(fetch.entity).layout
        let prepared = try PreparedFetch(fetch, .rows, store: self)
        return try read(at: generation) { connection in
            FetchedRows(rows: try Self.rows(prepared, layout.columnCount, limit: fetch.limit, context: layout, connection))
        }
    }

    /// The keys of the matching rows, in order.
    package func fetchReferences(_ fetch: StoreFetch, at generation: Generation?) throws(PinviewError) -> [Reference] {
        let prepared = try PreparedFetch(fetch, .references, store: self)
        return try read(at: generation) { connection in
            references(try Self.rows(prepared, 2, limit: fetch.limit, connection), fallback: fetch.entity)
        }
    }

    /// How many rows match, limit and offset respected.
    package func count(_ fetch: StoreFetch, at generation: Generation?) throws(PinviewError) -> Int {
        let prepared = try PreparedFetch(fetch, .count, store: self)
        return try read(at: generation) { connection in
            let statement = try prepared.statement(on: connection)
            defer { statement.reset() }
            return try statement.step() ? Int(statement.int64(0)) : 0
        }
    }

    /// The rows of some keys, in no order; rows that do not exist are missing.
    /// - Parameter entity: any entity of the hierarchy to which the keys belong.
    package func rows(entity: Entity, primaryKeys: [Int64], at generation: Generation?) throws(PinviewError) -> FetchedRows {
        let root = try rootSchema(of: entity)
        return try read(at: generation) { connection in
            let rows = RowCollector(columnCount: root.layout.columnCount, reservingRows: primaryKeys.count, context: root.layout)
            try KeyBatches.forEach(primaryKeys) { batch in
                let statement = try connection.statement(try rowsText(root, count: batch.count))
                defer { statement.reset() }
                try batch.bind(to: statement, at: 1)
                _ = try statement.fetch(into: rows)
            }
            return FetchedRows(rows: rows.finish())
        }
    }

    private func rowsText(_ root: EntitySchema, count: Int) throws(PinviewError) -> StatementText {
        guard count > 1 else { return root.rowText }
        return try fetchTexts.text(of: FetchShape(rowsOf: root.entity, keyCount: count)) {
            "SELECT \(root.selectList) FROM \(root.table) AS t0 WHERE t0.Z_PK \(KeyBatches.placeholders(count))"
        }
    }

    /// The row of one key; nil if there is none.
    /// - Parameter entity: any entity of the hierarchy to which the key belongs.
    package func row(entity: Entity, primaryKey: Int64, at generation: Generation?) throws(PinviewError) -> RowSnapshot? {
        try read(at: generation) { try readRow(entity: entity, primaryKey: primaryKey, $0) }
    }

    func readRow(entity: Entity, primaryKey: Int64, _ connection: Connection) throws -> RowSnapshot? {
        let root = try rootSchema(of: entity)
        let statement = try connection.statement(root.rowText)
        defer { statement.reset() }
        try statement.bind(1, primaryKey)
        return try statement.fetchRow(columnCount: root.layout.columnCount, context: root.layout).map { RowSnapshot(block: $0, row: 0) }
    }

    private func rootSchema(of entity: Entity) throws(PinviewError) -> EntitySchema {
        if let root = schema.entity(at: entity.rootIndex) { return root }
        return try schema.entity(entity)
    }

    private static func rows(
        _ fetch: PreparedFetch, _ columnCount: Int, limit: Int, context: RowLayout? = nil, _ connection: Connection
    ) throws -> PackedRows {
        let statement = try fetch.statement(on: connection)
        defer { statement.reset() }
        let rows = RowCollector(columnCount: columnCount, reservingRows: limit > 0 ? limit : 64, context: context)
        _ = try statement.fetch(into: rows)
        return rows.finish()
    }

    /// Rows of primary key and `Z_ENT`.
    func references(_ rows: PackedRows, fallback: Entity) -> [Reference] {
        var references: [Reference] = []
        references.reserveCapacity(rows.rowCount)
        for block in rows.blocks {
            for row in 0..<Int(block.rowCount) {
                let entityIndex = schema.numbers.entityIndex(ofNumber: block.int64(row: row, column: 1)) ?? fallback.index
                references.append(Reference(entityIndex: Int32(entityIndex), primaryKey: block.int64(row: row, column: 0)))
            }
        }
        return references
    }
}
