import PinviewModel
import PinviewPredicates

/// A fetch as a SELECT statement.
struct FetchSQL {
    enum Result: Int {
        /// Columns as in the entity's layout.
        case rows
        /// Primary key and `Z_ENT`.
        case references
        case count
        /// Primary key, `Z_ENT`, and the columns of the sort descriptors, none of which has a path.
        case sortedReferences
    }

    private let fetch: StoreFetch
    private let entity: EntitySchema
    private let scope: SQLScope
    private let condition: SQLText?
    private let order: [String]
    /// The definitions before SELECT.
    private let definitions: SQLText

    init(_ fetch: StoreFetch, store: SQLStore) throws(PinviewError) {
        self.fetch = fetch
        entity = try store.schema.entity(fetch.entity)
        let scope = SQLScope(schema: store.schema, alias: "t0", rootIndex: fetch.entity.rootIndex, aliases: AliasCounter())
        self.scope = scope
        let generator = try PredicateSQL(
            schema: store.schema, storeNumber: store.number, predicate: fetch.predicate, table: entity.table,
            rootIndex: fetch.entity.rootIndex)
        var conditions: [SQLText] = []
        if let condition = entity.entityCondition(includingSubentities: fetch.includesSubentities) {
            conditions.append(SQLText(text: condition))
        }
        if let predicate = fetch.predicate { conditions.append(try generator.sql(predicate, scope)) }
        condition = conditions.count == 2 ? conditions[0] + " AND " + conditions[1] : conditions.first
        definitions = generator.deepParts?.definitions ?? SQLText()
        order = fetch.sortDescriptors.map { generator.order($0, scope) }
    }

    private var hasWindow: Bool { fetch.limit > 0 || fetch.offset > 0 }

    /// FROM and WHERE.
    private var source: SQLText {
        var sql = SQLText(text: " FROM \(entity.table) AS t0\(scope.joins)")
        if let condition {
            sql.append(" WHERE ")
            sql.append(condition)
        }
        return sql
    }

    func select(_ result: Result) -> SQLText {
        switch result {
        case .rows: return definitions + "SELECT \(entity.selectList)" + source + orderAndWindow
        case .references: return definitions + "SELECT t0.Z_PK, t0.Z_ENT" + source + orderAndWindow
        case .sortedReferences:
            // An index on the columns has the key, too, but not the entity.
            let entityColumn = entity.layout.family.onlyIndex >= 0 ? "NULL" : "t0.Z_ENT"
            let columns = ["t0.Z_PK", entityColumn] + fetch.sortDescriptors.map { scope.column(of: $0.property, path: []) }
            return definitions + "SELECT \(columns.joined(separator: ", "))" + source + orderBy + window
        case .count:
            guard hasWindow else { return definitions + "SELECT COUNT(*)" + source }
            return definitions + "SELECT COUNT(*) FROM (SELECT 1" + source + window + ")"
        }
    }

    /// Ends with the primary key, so that limit and offset always select the same rows.
    private var orderBy: String { " ORDER BY \((order + ["t0.Z_PK"]).joined(separator: ", "))" }

    private var orderAndWindow: SQLText { !order.isEmpty || hasWindow ? orderBy + window : SQLText() }

    private var window: SQLText { Self.window(limit: fetch.limit, offset: fetch.offset) }

    static func window(limit: Int, offset: Int) -> SQLText {
        guard limit > 0 || offset > 0 else { return SQLText() }
        return SQLText(text: offset > 0 ? " LIMIT ? OFFSET ?" : " LIMIT ?", bindings: windowBindings(limit: limit, offset: offset))
    }

    static func windowBindings(limit: Int, offset: Int) -> [StoredCell] {
        guard limit > 0 || offset > 0 else { return [] }
        let limit = StoredCell.integer(limit > 0 ? Int64(limit) : -1)
        return offset > 0 ? [limit, .integer(Int64(offset))] : [limit]
    }

    /// The rows of the fetch as a condition on its table, which has the alias `t0`; nil for all
    /// rows.
    var rowCondition: SQLText? {
        guard condition != nil || hasWindow else { return nil }
        // A list of all matching keys would cost as much again as changing the rows.
        if !hasWindow, scope.joins.isEmpty, definitions.text.isEmpty { return condition }
        return "t0.Z_PK IN (" + definitions + "SELECT t0.Z_PK" + source + orderAndWindow + ")"
    }
}
