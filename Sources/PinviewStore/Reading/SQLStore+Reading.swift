import PinviewGenerations
import PinviewModel

extension SQLStore {
    /// The matching rows, in order.
    package func fetchRows(
        _ fetch: StoreFetch, key: FetchKey?, at generation: Generation?
    ) throws(PinviewError) -> FetchedRows {
        let layout = try schema.entity(fetch.entity).layout
        let prepared = try PreparedFetch(fetch, .rows, store: self, key: key)
        return try read(at: generation) { connection in
            let rows = try Self.rows(prepared, layout.columnCount, limit: fetch.limit, context: layout, connection)
            try layout.check(rows)
            return FetchedRows(rows: rows)
        }
    }

    /// The keys of the matching rows, in order.
    package func fetchReferences(_ fetch: StoreFetch, at generation: Generation?) throws(PinviewError) -> ReferenceList {
        let prepared = try PreparedFetch(fetch, .references, store: self), entity = try schema.entity(fetch.entity)
        let family = entity.layout.family, selectsAll = fetch.selectsAll(of: entity)
        return try read(at: generation) { connection in
            if selectsAll, let run = try keyRun(of: entity, connection) { return run }
            var references = ReferenceList()
            _ = try Self.forEachPiece(prepared, columnCount: 2, limit: fetch.limit, connection) { block in
                for row in 0..<Int(block.rowCount) { references.append(try family.reference(block, row: row)) }
                return true
            }
            return references
        }
    }

    private static let referencesAtOnce = 8192

    /// The keys of the matching rows with what they are sorted by, in order and piece by piece.
    ///
    /// - Parameters:
    ///   - fetch: its sort descriptors have no path.
    ///   - take: takes a piece, and returns whether it wants another one. It must not read the store.
    /// - Returns: whether there are no more rows.
    package func fetchSortedReferences(
        _ fetch: StoreFetch, at generation: Generation?, take: (SortedReferences) -> Bool
    ) throws(PinviewError) -> Bool {
        let prepared = try PreparedFetch(fetch, .sortedReferences, store: self)
        let family = try schema.entity(fetch.entity).layout.family
        return try read(at: generation) { connection in
            try Self.forEachPiece(prepared, columnCount: 2 + fetch.sortDescriptors.count, limit: fetch.limit, connection) { block in
                take(try SortedReferences(block, family, fetch.sortDescriptors))
            }
        }
    }

    /// Reads rows in pieces, so that only what is made of them grows with their number.
    ///
    /// - Parameter body: returns whether it wants another piece.
    /// - Returns: whether there are no more rows.
    private static func forEachPiece(
        _ fetch: PreparedFetch, columnCount: Int, limit: Int, _ connection: Connection, _ body: (RowBlock) throws -> Bool
    ) throws -> Bool {
        let statement = try fetch.statement(on: connection)
        defer { statement.reset() }
        var expected = limit > 0 ? min(limit, referencesAtOnce) : 64
        while true {
            let rows = RowCollector(columnCount: columnCount, reservingRows: expected)
            let hasMore = try statement.fetch(into: rows, limit: referencesAtOnce)
            for block in rows.finish().blocks where try !body(block) { return false }
            guard hasMore else { return true }
            expected = referencesAtOnce
        }
    }

    /// References to all rows of a table of one entity, if no key is missing between the first and
    /// the last: then the rows are only counted, and none of them is read.
    private func keyRun(of entity: EntitySchema, _ connection: Connection) throws -> ReferenceList? {
        let table = entity.table
        let statement = try connection.statement(
            "SELECT (SELECT COUNT(*) FROM \(table)), (SELECT MIN(Z_PK) FROM \(table)), (SELECT MAX(Z_PK) FROM \(table))")
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        let count = statement.int64(0), first = statement.int64(1), last = statement.int64(2)
        guard count > 0, StoredNumber.isKey(first), StoredNumber.isKey(last), last - first + 1 == count else { return nil }
        return ReferenceList(run: first, count: Int(count), entityIndex: entity.layout.family.onlyIndex)
    }

    /// The number of matching rows, within limit and offset.
    package func count(_ fetch: StoreFetch, key: FetchKey?, at generation: Generation?) throws(PinviewError) -> Int {
        let prepared = try PreparedFetch(fetch, .count, store: self, key: key)
        return try read(at: generation) { connection in
            let statement = try prepared.statement(on: connection)
            defer { statement.reset() }
            return try statement.step() ? Int(statement.int64(0)) : 0
        }
    }

    /// The rows of keys, in no particular order. Rows that do not exist are left out.
    /// - Parameter entity: any entity of the keys' hierarchy.
    package func rows(entity: Entity, primaryKeys: [Int64], at generation: Generation?) throws(PinviewError) -> FetchedRows {
        let root = try rootSchema(of: entity)
        return try read(at: generation) { try rows(of: root, primaryKeys, $0) }
    }

    /// The rows of keys, in no particular order. Rows that do not exist are left out.
    func rows(of root: EntitySchema, _ primaryKeys: [Int64], _ connection: Connection) throws -> FetchedRows {
        let rows = RowCollector(columnCount: root.layout.columnCount, reservingRows: primaryKeys.count, context: root.layout)
        try KeyBatches.forEach(primaryKeys, asRun: KeyBatches.isRun(primaryKeys)) { batch in
            let statement = try connection.statement(try rowsText(root, count: batch.count))
            defer { statement.reset() }
            try batch.bind(to: statement, at: 1)
            _ = try statement.fetch(into: rows)
        }
        let found = rows.finish()
        try root.layout.check(found)
        return FetchedRows(rows: found)
    }

    private func rowsText(_ root: EntitySchema, count: Int) throws(PinviewError) -> StatementText {
        guard count != 1 else { return root.rowText }
        return try fetchTexts.text(of: FetchShape(rowsOf: root.entity, keyCount: count)) {
            "SELECT \(root.selectList) FROM \(root.table) AS t0 WHERE t0.Z_PK \(KeyBatches.placeholders(count))"
        }
    }

    /// The row of a key; nil if there is none.
    /// - Parameter entity: any entity of the key's hierarchy.
    package func row(entity: Entity, primaryKey: Int64, at generation: Generation?) throws(PinviewError) -> RowSnapshot? {
        try read(at: generation) { try readRow(entity: entity, primaryKey: primaryKey, rank: generation?.rank ?? 0, $0) }
    }

    /// - Parameter rank: of the generation that the connection reads; 0 if there is none.
    func readRow(entity: Entity, primaryKey: Int64, rank: UInt64 = 0, _ connection: Connection) throws -> RowSnapshot? {
        let root = try rootSchema(of: entity)
        let statement = try connection.statement(root.rowText)
        defer { statement.reset() }
        try statement.bind(1, primaryKey)
        guard let (block, row) = try statement.fetchRow(columnCount: root.layout.columnCount, context: root.layout, rank: rank) else {
            return nil
        }
        try root.layout.check(block, rows: row..<row + 1)
        return RowSnapshot(block: block, row: Int32(row))
    }

    /// The entity of a key's current row, if the hierarchy has several; nil if it has only one, or
    /// if there is no such row.
    package func entity(ofKey primaryKey: Int64, inHierarchyOf entity: Entity) throws(PinviewError) -> Entity? {
        guard schema.model.entities[entity.rootIndex].familyIndexes.count > 1, let root = schema.entity(at: entity.rootIndex) else {
            return nil
        }
        return try read(at: nil) { connection in
            let statement = try connection.statement("SELECT Z_PK, Z_ENT FROM \(root.table) WHERE Z_PK = ?")
            defer { statement.reset() }
            try statement.bind(1, primaryKey)
            guard try statement.step() else { return nil }
            let reference = try root.layout.family.reference(statement, key: 0, entity: 1)
            return schema.model.entities[Int(reference.entityIndex)]
        }
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

    /// References from rows with primary key and `Z_ENT`.
    func references(_ rows: PackedRows, of entity: Entity) throws -> [Reference] {
        let family = try schema.entity(entity).layout.family
        var references: [Reference] = []
        references.reserveCapacity(rows.rowCount)
        for block in rows.blocks {
            for row in 0..<Int(block.rowCount) { references.append(try family.reference(block, row: row)) }
        }
        return references
    }
}

extension StoreFetch {
    /// Whether all rows of an entity's table are selected, in no other order than that of the keys,
    /// and all of them are of this entity.
    fileprivate func selectsAll(of entity: EntitySchema) -> Bool {
        predicate == nil && sortDescriptors.isEmpty && limit == 0 && offset == 0 && entity.layout.family.onlyIndex >= 0
            && entity.entityCondition(includingSubentities: includesSubentities) == nil
    }
}
