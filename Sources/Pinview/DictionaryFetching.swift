import PinviewModel
import PinviewPredicates
import PinviewStore

/// A value that a fetch of dictionaries computes, and its name in the result (`NSExpressionDescription`).
public struct ExpressionDescription: Hashable, Sendable {
    public var name: String
    /// Such as `Expression(format: "price * 2")`; over the rows of a group `sum:(price)`, `count:(SELF)`.
    public var expression: Expression

    public init(name: String, expression: Expression) {
        self.name = name
        self.expression = expression
    }
}

/// One of the values that a fetch of dictionaries gives. A text literal is a key path.
public enum PropertyToFetch: Hashable, Sendable, ExpressibleByStringLiteral {
    /// An attribute or a to-one relationship, maybe behind to-one ones, or `objectID`. Its text is its name in the result.
    case keyPath(String)
    case expression(ExpressionDescription)

    public init(stringLiteral value: String) { self = .keyPath(value) }

    public var name: String {
        switch self {
        case .keyPath(let keyPath): keyPath
        case .expression(let description): description.name
        }
    }
}

/// Rows of named values (`NSDictionaryResultType`), in order. Nil stands under its name as null.
public struct DictionaryResult: RandomAccessCollection, Sendable {
    public let columnNames: [String]
    /// The values of each row, in the order of the names.
    public let rows: [[Value]]

    package init(columnNames: [String], rows: [[Value]]) {
        self.columnNames = columnNames
        self.rows = rows
    }

    public var startIndex: Int { 0 }
    public var endIndex: Int { rows.count }

    public subscript(position: Int) -> [String: Value] {
        Dictionary(zip(columnNames, rows[position]), uniquingKeysWith: { first, _ in first })
    }
}

/// How the stores carry out a fetch: for each store the statement and what SQLite makes of it.
public struct FetchExplanation: Hashable, Sendable, CustomStringConvertible {
    public let storeIdentifier: String
    public let sql: String
    /// The values for the statement's question marks, in order, as SQL literals.
    public let bindings: [String]
    /// SQLite's query plan, a line for each step, indented below the step that it belongs to (sqlite.org/eqp.html).
    public let queryPlan: [String]

    public var description: String { ([sql] + bindings.enumerated().map { "  ?\($0 + 1) = \($1)" } + queryPlan).joined(separator: "\n") }
}

extension FetchRequest {
    /// Whether a sort descriptor stands for a value of the result, and not for a key of the objects.
    func namesResult(_ descriptor: SortDescriptor) -> Bool {
        resultType == .dictionary && descriptor.comparator == .binary
            && propertiesToFetch.contains { if case .expression(let value) = $0 { value.name == descriptor.keyPath } else { false } }
    }
}

/// Fetches that give rows of values.
extension ContextState {
    /// Reads the stores at the context's generation; unsaved changes do not count.
    func fetchDictionaries(_ request: FetchRequest) throws(PinviewError) -> DictionaryResult {
        try dictionaryReading(request)()
    }

    /// How the rows are read, by any thread.
    func dictionaryReading(_ request: FetchRequest) throws(PinviewError) -> @Sendable () throws(PinviewError) -> DictionaryResult {
        let (dictionaryFetch, sources) = try self.dictionaryFetch(request)
        guard sources.count > 1 else {
            return { () throws(PinviewError) in
                DictionaryResult(
                    columnNames: dictionaryFetch.columns.map(\.name),
                    rows: try sources.first?.store.fetchDictionaries(dictionaryFetch, at: sources.first?.generation) ?? [])
            }
        }
        let usesGroups = dictionaryFetch.columns.contains { $0.expression.isOverGroup }
        guard !usesGroups, dictionaryFetch.groupBy.isEmpty, dictionaryFetch.order.isEmpty else {
            throw PinviewError(
                .invalidArgument,
                "A fetch of dictionaries that groups, aggregates or sorts works on one store, but \(sources.count) hold \(dictionaryFetch.fetch.entity.name). "
                    + "Name one in affectedStores.")
        }
        var whole = dictionaryFetch
        whole.fetch.limit = 0
        whole.fetch.offset = 0
        return { [whole, request] () throws(PinviewError) in
            var rows: [[Value]] = []
            for source in sources { rows += try source.store.fetchDictionaries(whole, at: source.generation) }
            if request.returnsDistinctResults {
                var seen: Set<[Value]> = []
                rows = rows.filter { seen.insert($0).inserted }
            }
            return DictionaryResult(columnNames: whole.columns.map(\.name), rows: Array(rows[self.window(rows.indices, request)]))
        }
    }

    /// A fetch of rows of values, and the stores that it reads.
    func dictionaryFetch(_ request: FetchRequest) throws(PinviewError) -> (DictionaryFetch, [ReadSource]) {
        var request = request
        request.resultType = .dictionary
        let fetch = try resolve(request)
        try processPendingChanges()
        let dictionaryFetch = try resolveDictionaries(fetch)
        return (dictionaryFetch, try readSources(for: fetch))
    }

    private func resolveDictionaries(_ fetch: ResolvedFetch) throws(PinviewError) -> DictionaryFetch {
        let request = fetch.request
        let model = try requireCoordinator().managedObjectModel
        var properties = request.propertiesToFetch
        if properties.isEmpty { properties = request.propertiesToGroupBy.map { .keyPath($0) } }
        if properties.isEmpty { properties = fetch.entity.attributes.filter { !$0.isTransient }.map { .keyPath($0.name) } }
        let groupKeys = request.propertiesToGroupBy.map { Expression(forKeyPath: $0) }
        var columns: [DictionaryFetch.Column] = [], ungrouped: String?
        for property in properties {
            guard !columns.contains(where: { $0.name == property.name }) else {
                throw PinviewError(.invalidArgument, "A fetch of dictionaries gives '\(property.name)' twice; name the values differently.")
            }
            let expression: Expression =
                switch property {
                case .keyPath(let keyPath): Expression(forKeyPath: keyPath)
                case .expression(let description): description.expression
                }
            let resolved = try expression.resolved(for: fetch.entity, in: model, allowsGroups: true)
            columns.append(DictionaryFetch.Column(name: property.name, expression: resolved))
            if !resolved.isOverGroup, !request.propertiesToGroupBy.contains(property.name), !groupKeys.contains(expression) {
                ungrouped = ungrouped ?? property.name
            }
        }
        if let ungrouped, !groupKeys.isEmpty || columns.contains(where: \.expression.isOverGroup) {
            // SQLite would take the value of some row.
            throw PinviewError(
                .invalidArgument,
                "'\(ungrouped)' has a value for each row, not for a group of them; group by it as well, or compute one value with "
                    + "min:, max:, sum:, average: or count:.")
        }
        var result = DictionaryFetch(fetch: fetch.storeFetch(isWindowed: true), columns: columns)
        result.isDistinct = request.returnsDistinctResults
        for (keyPath, key) in zip(request.propertiesToGroupBy, groupKeys) {
            // A name in the result stands for what it names.
            if let column = columns.first(where: { $0.name == keyPath }), !column.expression.isOverGroup {
                result.groupBy.append(column.expression)
            } else {
                result.groupBy.append(try key.resolved(for: fetch.entity, in: model))
            }
        }
        if let having = request.havingPredicate {
            guard !request.propertiesToGroupBy.isEmpty else {
                throw PinviewError(.invalidArgument, "A havingPredicate judges groups; say in propertiesToGroupBy what makes them.")
            }
            result.having = try having.resolved(for: fetch.entity, in: model, allowsGroups: true)
        }
        var keys = fetch.sortDescriptors[...]
        for descriptor in request.sortDescriptors {
            if request.namesResult(descriptor), let index = columns.firstIndex(where: { $0.name == descriptor.keyPath }) {
                result.order.append(.column(index, ascending: descriptor.ascending))
            } else if let key = keys.popFirst() {
                result.order.append(.descriptor(key))
            }
        }
        return result
    }

    /// How the stores would carry out a fetch. Nothing is fetched.
    func explain(_ request: FetchRequest) throws(PinviewError) -> [FetchExplanation] {
        let fetch = try resolve(request)
        let storeFetch = fetch.storeFetch(isWindowed: true)
        var explanations: [FetchExplanation] = []
        for source in try readSources(for: fetch) {
            let kind: StatementToExplain =
                switch request.resultType {
                case .managedObject where request.fetchBatchSize == 0 && request.includesPropertyValues: .rows(storeFetch)
                case .managedObject, .managedObjectID: .references(storeFetch)
                case .count: .count(storeFetch)
                case .dictionary: .dictionaries(try resolveDictionaries(fetch))
                }
            let explanation = try source.store.explain(kind, at: source.generation)
            explanations.append(
                FetchExplanation(
                    storeIdentifier: source.store.identifier, sql: explanation.sql, bindings: explanation.bindings,
                    queryPlan: explanation.queryPlan))
        }
        return explanations
    }
}
