import PinviewGenerations
import PinviewModel
import PinviewPredicates

extension FetchShape {
    /// - Parameter bindings: receives the values of the parameters.
    /// - Returns: nil for other fetches.
    init?(_ fetch: StoreFetch, _ result: FetchSQL.Result, _ store: SQLStore, bindings: inout [StoredCell]) {
        rootIndex = fetch.entity.rootIndex
        words = [
            fetch.entity.index << 8 | (fetch.includesSubentities ? 1 : 0) | (fetch.limit > 0 ? 2 : 0) | (fetch.offset > 0 ? 4 : 0)
                | result.rawValue << 4
        ]
        switch fetch.predicate {
        case nil: break
        case .comparison(let comparison): guard add(comparison, store, &bindings) else { return nil }
        case .and(let parts): guard add(parts, 1, store, &bindings) else { return nil }
        case .or(let parts): guard add(parts, 2, store, &bindings) else { return nil }
        default: return nil
        }
        for descriptor in fetch.sortDescriptors {
            guard descriptor.path.isEmpty else { return nil }
            words.append(Self.word(descriptor.property) << 8 | descriptor.comparator.rawValue << 2 | (descriptor.ascending ? 3 : 2))
        }
        bindings += FetchSQL.window(limit: fetch.limit, offset: fetch.offset).bindings
    }

    /// The shape of reading the destinations of a number of owners.
    init(destinationsOf relationship: Property, ownerCount: Int, _ columns: DestinationColumns) {
        rootIndex = -1
        words = [Self.word(relationship), ownerCount, columns.rawValue]
    }

    /// The shape of reading the rows of a number of keys.
    init(rowsOf entity: Entity, keyCount: Int) {
        rootIndex = -2
        words = [entity.index, keyCount]
    }

    private static func word(_ property: Property) -> Int { property.declaringEntityIndex << 20 | property.index }

    private mutating func add(_ parts: [ResolvedPredicate], _ joiner: Int, _ store: SQLStore, _ bindings: inout [StoredCell]) -> Bool {
        words.append(parts.count << 8 | joiner << 4)
        for part in parts {
            guard case .comparison(let comparison) = part, add(comparison, store, &bindings) else { return false }
        }
        return true
    }

    private mutating func add(_ comparison: ResolvedComparison, _ store: SQLStore, _ bindings: inout [StoredCell]) -> Bool {
        guard comparison.modifier == .direct, comparison.options.isEmpty, let symbol = Self.number(of: comparison.operator),
            case .constant(let value) = comparison.right, !value.isNull
        else { return false }
        switch comparison.left {
        case .attribute(let path, let property):
            guard path.isEmpty, let bound = ConstantBound(value, comparedWith: property, options: []), bound.position == 0 else {
                return false
            }
            words.append(Self.word(property) << 8 | symbol << 4 | 4)
            bindings.append(bound.cell)
        case .object(let path):
            guard path.count <= 1, path.first?.element == nil else { return false }
            let root = path.first?.destination.rootIndex ?? rootIndex
            guard let key = store.schema.primaryKey(of: value, rootIndex: root, storeNumber: store.number) else { return false }
            words.append((path.first.map { Self.word($0.property) } ?? -1) << 8 | symbol << 4 | 5)
            bindings.append(.integer(key))
        default: return false
        }
        return true
    }

    private static func number(of symbol: PredicateOperator) -> Int? {
        switch symbol {
        case .equalTo: 0
        case .notEqualTo: 1
        case .lessThan: 2
        case .lessThanOrEqualTo: 3
        case .greaterThan: 4
        case .greaterThanOrEqualTo: 5
        default: nil
        }
    }
}

/// A fetch that can be run on any connection.
struct PreparedFetch {
    /// The cached text of its shape; nil if it has no shape.
    private let text: StatementText?
    let sql: String
    let bindings: [StoredCell]

    init(_ fetch: StoreFetch, _ result: FetchSQL.Result, store: SQLStore) throws(PinviewError) {
        var bindings: [StoredCell] = []
        guard let shape = FetchShape(fetch, result, store, bindings: &bindings) else {
            let sql = try FetchSQL(fetch, store: store).select(result)
            self.sql = sql.text
            text = nil
            self.bindings = sql.bindings
            return
        }
        self.bindings = bindings
        let text = try store.fetchTexts.text(of: shape) { () throws(PinviewError) in
            try FetchSQL(fetch, store: store).select(result).text
        }
        (self.text, sql) = (text, text.sql)
    }

    /// The statement with its values bound.
    func statement(on connection: Connection) throws(SQLiteError) -> Statement {
        let statement = if let text { try connection.statement(text) } else { try connection.statement(sql) }
        do throws(SQLiteError) {
            try statement.bind(bindings)
        } catch {
            statement.reset()
            throw error
        }
        return statement
    }
}
