import PinviewGenerations
import PinviewModel
import PinviewPredicates

/// What to read from one store as rows of named values.
package struct DictionaryFetch: Sendable {
    /// One value of each row.
    package struct Column: Sendable {
        package let name: String
        package let expression: ResolvedExpression

        package init(name: String, expression: ResolvedExpression) {
            self.name = name
            self.expression = expression
        }
    }

    /// What rows are sorted by: a column of the result or a key of the objects.
    package enum Order: Sendable {
        case column(Int, ascending: Bool, PinviewSortDescriptor.Comparator)
        case descriptor(ResolvedSortDescriptor)
    }

    /// The sort descriptors are not used.
    package var fetch: StoreFetch
    package var columns: [Column]
    package var isDistinct = false
    package var groupBy: [ResolvedExpression] = []
    package var having: ResolvedPredicate?
    package var order: [Order] = []
    var references = References.joined
    /// For reading rows in pages, in the order of their keys: the page.
    var page: Page?

    /// How to-one relationships are read.
    enum References: Sendable {
        /// The keys of destinations that have a row, with their `Z_ENT`.
        case joined
        /// The keys alone, without checking their destinations.
        case keys
        /// The keys, with the `Z_ENT` next to them if there is one.
        case keysAndEntities
    }

    /// Rows with keys after one key, up to another. The first page has no start, an unlimited page
    /// no end.
    struct Page: Sendable {
        let after: Int64?
        var through: Int64?
    }

    package init(fetch: StoreFetch, columns: [Column]) {
        self.fetch = fetch
        self.columns = columns
    }
}

extension SQLStore {
    /// The rows, each with one value per column.
    package func fetchDictionaries(_ fetch: DictionaryFetch, at generation: Generation?) throws(PinviewError) -> [[Value]] {
        let sql = try DictionarySQL(fetch, store: self)
        return try read(at: generation) { connection in
            let statement = try connection.statement(sql.text.text)
            defer { statement.reset() }
            try statement.bind(sql.text.bindings)
            let rows = RowCollector(columnCount: sql.columnCount, reservingRows: 64)
            _ = try statement.fetch(into: rows)
            let packed = rows.finish()
            var result: [[Value]] = []
            result.reserveCapacity(packed.rowCount)
            for block in packed.blocks {
                for row in 0..<Int(block.rowCount) { result.append(try sql.columns.map { try value($0, block, row) }) }
            }
            return result
        }
    }

    private func value(
        _ column: DictionarySQL.Column, _ rows: RowBlock, _ row: Int
    ) throws -> Value {
        switch column.kind {
        case .attribute(let property): return rows.value(row: row, column: column.index, of: property, externalData: nil)
        case .object(let fallback):
            let key = rows.cell(row: row, column: column.index), number = rows.cell(row: row, column: column.index + 1)
            guard key.type != .null, let destination = schema.entity(at: fallback) else { return .null }
            let reference = try destination.layout.family.reference((key.type, rows.int64(key)), (number.type, rows.int64(number)))
            return .objectID(objectID(reference))
        case .computed(let category):
            let value = rows.computedValue(row: row, column: column.index)
            if case .binary(let bytes) = value, category == .number {
                return bytes.withUnsafeBytes { DecimalKey.number($0) }.map { .decimal($0) } ?? .null
            }
            return value.typed(category)
        }
    }
}

/// A fetch of dictionaries as a SELECT statement.
struct DictionarySQL {
    enum Kind {
        case attribute(Property)
        /// A key, followed by its `Z_ENT` in the next column.
        case object(entityIndex: Int)
        case computed(ValueCategory?)
    }

    struct Column {
        let index: Int
        let kind: Kind
    }

    let text: SQLText
    let columns: [Column]
    let columnCount: Int
    /// For a page, the column of the rows' keys.
    let keyColumn: Int
    /// Whether only some rows of the table are wanted.
    let hasCondition: Bool

    init(_ fetch: DictionaryFetch, store: SQLStore) throws(PinviewError) {
        let entity = try store.schema.entity(fetch.fetch.entity)
        let root = fetch.fetch.entity.rootIndex
        let scope = SQLScope(schema: store.schema, alias: "t0", rootIndex: root, aliases: AliasCounter())
        let generator = try PredicateSQL(
            schema: store.schema, storeNumber: store.number, predicate: fetch.fetch.predicate, table: entity.table, rootIndex: root)
        var selected = SQLText()
        var columns: [Column] = []
        var names: [String] = []
        var index = 0
        func select(_ sql: SQLText) {
            if index > 0 { selected.append(", ") }
            selected.append(sql)
            index += 1
        }
        for column in fetch.columns {
            let first = index
            names.append("\(index + 1)")
            switch column.expression {
            case .attribute(let path, let property):
                select(SQLText(text: scope.value(of: property, path: path)))
                // Data come without a marker.
                columns.append(Column(index: first, kind: property.cellKind == .externalBinary ? .computed(.binary) : .attribute(property)))
            case .object(let path):
                let alias = fetch.references == .joined ? scope.join(path) : nil
                let key = alias.map { ("\($0).Z_PK", "\($0).Z_ENT") } ?? Self.foreignKey(path, scope, store.schema)
                select(SQLText(text: key?.0 ?? "NULL"))
                if fetch.references != .keys { select(SQLText(text: key?.1 ?? "NULL")) }
                columns.append(Column(index: first, kind: .object(entityIndex: path.last?.destination.index ?? fetch.fetch.entity.index)))
            default:
                select(try ExpressionSQL(generator: generator).sql(column.expression, scope))
                columns.append(Column(index: first, kind: .computed(column.expression.category)))
            }
        }
        keyColumn = index
        if fetch.page != nil { select(SQLText(text: "t0.Z_PK")) }
        var condition = SQLText()
        if let rows = entity.entityCondition(includingSubentities: fetch.fetch.includesSubentities) {
            condition.append(SQLText(text: " WHERE " + rows))
        }
        if let predicate = fetch.fetch.predicate {
            condition.append(condition.text.isEmpty ? " WHERE " : " AND ")
            condition.append(try generator.sql(predicate, scope))
        }
        if let after = fetch.page?.after {
            condition.append(condition.text.isEmpty ? " WHERE t0.Z_PK > " : " AND t0.Z_PK > ")
            condition.bind(.integer(after))
        }
        if let through = fetch.page?.through {
            condition.append(condition.text.isEmpty ? " WHERE t0.Z_PK <= " : " AND t0.Z_PK <= ")
            condition.bind(.integer(through))
        }
        hasCondition = !condition.text.isEmpty
        var grouping = SQLText()
        for (position, expression) in fetch.groupBy.enumerated() {
            grouping.append(position == 0 ? " GROUP BY " : ", ")
            grouping.append(try Self.grouped(expression, scope, generator))
        }
        if let having = fetch.having {
            grouping.append(" HAVING ")
            grouping.append(try generator.sql(having, scope))
        }
        var order: [SQLText] = []
        for item in fetch.order {
            switch item {
            case .column(let column, let ascending, let comparator):
                let key =
                    comparator == .binary
                    ? try Self.orderKey(fetch.columns[column].expression, named: names[column], scope, generator)
                    : "\(SQLFunctions.sortKey)(" + (try Self.grouped(fetch.columns[column].expression, scope, generator))
                        + ", \(comparator.rawValue))"
                order.append(ascending ? key : key + " DESC")
            case .descriptor(let descriptor): order.append(SQLText(text: generator.order(descriptor, scope)))
            }
        }
        // Groups and distinct values have no key that could break ties.
        if fetch.groupBy.isEmpty, !fetch.isDistinct, !order.isEmpty || fetch.page != nil { order.append(SQLText(text: "t0.Z_PK")) }
        var sql = (generator.deepParts?.definitions ?? SQLText()) + (fetch.isDistinct ? "SELECT DISTINCT " : "SELECT ") + selected
        sql.append(" FROM \(entity.table) AS t0\(scope.joins)")
        sql.append(condition)
        sql.append(grouping)
        for (position, key) in order.enumerated() {
            sql.append(position == 0 ? " ORDER BY " : ", ")
            sql.append(key)
        }
        text = sql + FetchSQL.window(limit: fetch.fetch.limit, offset: fetch.fetch.offset)
        self.columns = columns
        columnCount = index
    }

    /// The columns of a destination's key and `Z_ENT` in the row that has the relationship, if it
    /// is stored in columns.
    private static func foreignKey(_ path: [ResolvedStep], _ scope: SQLScope, _ schema: StoreSchema) -> (String, String)? {
        if let last = path.last, last.element == nil {
            let columns = schema.columns(of: last.property)
            if let key = columns.first {
                guard let alias = scope.join(path.dropLast()) else { return nil }
                let number = columns.count > 1 ? "\(alias).\(SQLIdentifier.quoted(columns[1]))" : "NULL"
                return ("\(alias).\(SQLIdentifier.quoted(key))", number)
            }
        }
        return scope.join(path).map { ("\($0).Z_PK", "\($0).Z_ENT") }
    }

    /// - Parameter name: the column's name in the statement.
    private static func orderKey(
        _ expression: ResolvedExpression, named name: String, _ scope: SQLScope, _ generator: PredicateSQL
    ) throws(PinviewError) -> SQLText {
        switch expression {
        case .attribute, .object: return SQLText(text: name)
        default:
            guard expression.mayBeDecimal else { return SQLText(text: name) }
            return "\(SQLFunctions.decimal)(" + (try ExpressionSQL(generator: generator).sql(expression, scope)) + ", 0)"
        }
    }

    private static func grouped(
        _ expression: ResolvedExpression, _ scope: SQLScope, _ generator: PredicateSQL
    ) throws(PinviewError) -> SQLText {
        switch expression {
        case .attribute(let path, let property): SQLText(text: scope.value(of: property, path: path))
        case .object(let path): SQLText(text: scope.join(path).map { "\($0).Z_PK" } ?? "NULL")
        default: try ExpressionSQL(generator: generator).sql(expression, scope)
        }
    }
}
