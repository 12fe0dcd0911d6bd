import PinviewGenerations
import PinviewModel
import PinviewPredicates

extension FetchShape {
    /// - Parameter bindings: receives the values of the parameters.
    /// - Returns: nil for other fetches.
    init?(_ fetch: StoreFetch, _ result: FetchSQL.Result, _ store: SQLStore, bindings: inout [StoredCell]) {
        var words = ShapeWords(rootIndex: fetch.entity.rootIndex, store: store)
        guard words.add(fetch) else { return nil }
        bindings = words.bindings
        self.init(words.words, rootIndex: fetch.entity.rootIndex, result: result.rawValue)
    }

    /// The shape of reading the destinations of a number of owners.
    init(destinationsOf relationship: Property, ownerCount: Int, _ columns: DestinationColumns) {
        self.init([ShapeWords.word(relationship), ownerCount, columns.rawValue], rootIndex: -1)
    }

    /// The shape of reading the rows of a number of keys.
    init(rowsOf entity: Entity, keyCount: Int) { self.init([entity.index, keyCount], rootIndex: -2) }
}

/// The words of a shape, which can be told apart from those of any other shape of the hierarchy, and
/// the values of the parameters.
private struct ShapeWords {
    let rootIndex: Int
    let store: SQLStore
    private(set) var words: [Int] = []
    private(set) var bindings: [StoredCell] = []

    init(rootIndex: Int, store: SQLStore) {
        (self.rootIndex, self.store) = (rootIndex, store)
        words.reserveCapacity(8)
    }

    static func word(_ property: Property) -> Int { property.declaringEntityIndex << 20 | property.index }

    /// - Returns: false for a fetch without a shape.
    mutating func add(_ fetch: StoreFetch) -> Bool {
        words.append(
            fetch.entity.index << 8 | (fetch.includesSubentities ? 1 : 0) | (fetch.limit > 0 ? 2 : 0) | (fetch.offset > 0 ? 4 : 0))
        switch fetch.predicate {
        case nil: break
        case .comparison(let comparison):
            words[0] |= 1 << 4
            guard add(comparison) else { return false }
        case .and(let parts):
            words[0] |= 2 << 4
            guard add(parts) else { return false }
        case .or(let parts):
            words[0] |= 3 << 4
            guard add(parts) else { return false }
        default: return false
        }
        for descriptor in fetch.sortDescriptors {
            guard descriptor.path.isEmpty else { return false }
            words.append(Self.word(descriptor.property) << 8 | descriptor.comparator.rawValue << 2 | (descriptor.ascending ? 3 : 2))
        }
        bindings += FetchSQL.windowBindings(limit: fetch.limit, offset: fetch.offset)
        return true
    }

    private mutating func add(_ parts: [ResolvedPredicate]) -> Bool {
        words.append(parts.count)
        for part in parts {
            guard case .comparison(let comparison) = part, add(comparison) else { return false }
        }
        return true
    }

    /// What a comparison is compared with.
    private enum Right: Int {
        case cell, null, bounds, list
    }

    private mutating func add(_ comparison: ResolvedComparison) -> Bool {
        let path: [ResolvedStep], attribute: Property?
        switch comparison.left {
        case .attribute(let steps, let property): (path, attribute) = (steps, property)
        case .object(let steps): (path, attribute) = (steps, nil)
        default: return false
        }
        guard let symbol = Self.number(of: comparison.operator),
            path.allSatisfy({ $0.element == nil && store.schema.hasDestinations(of: $0.property) })
        else { return false }
        let root = path.last?.destination.rootIndex ?? rootIndex, options = comparison.options
        let key = { [store] in store.schema.primaryKey(of: $0, rootIndex: root, storeNumber: store.number) }
        func cell(_ value: Value) -> StoredCell? {
            guard let attribute else { return key(value).map(StoredCell.integer) }
            guard let bound = ConstantBound(value, comparedWith: attribute, options: options), bound.position == 0 else { return nil }
            return bound.cell
        }

        let right: Right
        var count = 0
        switch (comparison.right, comparison.operator) {
        case (.constant(.null), _): right = .null
        case (.constant(let value), _):
            guard let cell = cell(value) else { return false }
            right = .cell
            bindings.append(cell)
        case (.list(let values), .between):
            guard values.count == 2, let low = cell(values[0]), let high = cell(values[1]) else { return false }
            right = .bounds
            bindings += [low, high]
        case (.list(let values), _):
            let elements =
                attribute.map { MembershipCells(values, comparedWith: $0, options: options) } ?? MembershipCells(values, key: key)
            guard elements.cells.count <= ComparisonSQL.boundElementLimit else { return false }
            // Unsaved objects are none of the elements, but the fetch is another one without them.
            guard attribute != nil || elements.cells.count == values.count(where: { !$0.isNull }) else { return false }
            right = .list
            count = elements.cells.count << 1 | (elements.includesNil ? 1 : 0)
            bindings += elements.cells
        default: return false
        }
        words.append(path.count << 16 | comparison.modifier.number << 12 | right.rawValue << 8 | symbol << 4 | options.rawValue)
        for step in path { words.append(Self.word(step.property)) }
        words.append(attribute.map(Self.word) ?? -1)
        if right == .list { words.append(count) }
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
        case .between: 6
        case .in: 7
        case .contains, .beginsWith, .endsWith, .like, .matches: nil
        }
    }
}

extension PredicateModifier {
    fileprivate var number: Int {
        switch self {
        case .direct: 0
        case .any: 1
        case .all: 2
        case .none: 3
        }
    }
}

/// A fetch that can be run on any connection.
struct PreparedFetch {
    /// The cached text of its shape; nil if it has no shape.
    private let text: StatementText?
    let sql: String
    let bindings: [StoredCell]

    /// - Parameter key: of the fetch, if it is known.
    init(_ fetch: StoreFetch, _ result: FetchSQL.Result, store: SQLStore, key: FetchKey? = nil) throws(PinviewError) {
        var bindings = key?.bindings ?? []
        var found = key == nil ? FetchShape(fetch, result, store, bindings: &bindings) : key?.shape
        found?.result = result.rawValue
        guard let shape = found else {
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
