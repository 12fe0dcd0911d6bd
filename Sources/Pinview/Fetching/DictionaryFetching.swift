import PinviewModel
import PinviewPredicates
import PinviewStore

/// A value computed by a dictionary fetch, and its name in the result (`NSExpressionDescription`).
public struct ExpressionDescription: Hashable, Sendable {
    /// The name of the value in the result.
    public var name: String
    /// For example `PinviewExpression(format: "price * 2")`; over the rows of a group,
    /// `sum:(price)` or `count:(SELF)`.
    public var expression: PinviewExpression

    /// Makes a computed value with a name, which must differ from other names of the result.
    public init(name: String, expression: PinviewExpression) {
        self.name = name
        self.expression = expression
    }
}

/// A value of a dictionary fetch. A string literal is a key path.
public enum PropertyToFetch: Hashable, Sendable, ExpressibleByStringLiteral {
    /// An attribute or a to-one relationship, possibly across to-one relationships, or `objectID`.
    /// The key path is also its name in the result.
    case keyPath(String)
    case expression(ExpressionDescription)

    public init(stringLiteral value: String) { self = .keyPath(value) }

    /// The name of the value in the result.
    public var name: String {
        switch self {
        case .keyPath(let keyPath): keyPath
        case .expression(let description): description.name
        }
    }

    fileprivate var valueExpression: PinviewExpression {
        switch self {
        case .keyPath(let keyPath): PinviewExpression(forKeyPath: keyPath)
        case .expression(let description): description.expression
        }
    }
}

/// Rows of named values (`NSDictionaryResultType`), in order. Nil values are included as null.
public struct DictionaryResult: RandomAccessCollection, Sendable {
    /// The names of the values, in the order of the request.
    public let columnNames: [String]
    /// The values of each row, in the order of `columnNames`.
    public let rows: [[Value]]

    package init(columnNames: [String], rows: [[Value]]) {
        self.columnNames = columnNames
        self.rows = rows
    }

    public var startIndex: Int { 0 }
    public var endIndex: Int { rows.count }

    /// The values of a row, by name.
    public subscript(position: Int) -> [String: Value] {
        Dictionary(zip(columnNames, rows[position]), uniquingKeysWith: { first, _ in first })
    }
}

/// How a store carries out a fetch: the statement and SQLite's query plan.
public struct FetchExplanation: Hashable, Sendable, CustomStringConvertible {
    /// The UUID of the store.
    public let storeIdentifier: String
    /// The statement, with parameters in place of values.
    public let sql: String
    /// The values bound to the statement's parameters, in order, as SQL literals.
    public let bindings: [String]
    /// SQLite's query plan, one line per step, indented below its parent step
    /// (sqlite.org/eqp.html).
    public let queryPlan: [String]

    public var description: String { ([sql] + bindings.enumerated().map { "  ?\($0 + 1) = \($1)" } + queryPlan).joined(separator: "\n") }
}

extension FetchRequest {
    /// Whether a sort descriptor refers to a value of the result rather than to a key of the
    /// objects.
    func namesResult(_ descriptor: PinviewSortDescriptor) -> Bool {
        resultType == .dictionary
            && propertiesToFetch.contains { if case .expression(let value) = $0 { value.name == descriptor.keyPath } else { false } }
    }
}

/// What a fetch is grouped by, and the names that its parts can use.
private struct Grouping {
    /// Nil if rows are not grouped; empty if all rows form one group.
    let keys: [PinviewExpression]?
    /// For values of the result.
    let scopeOfValues: GroupScope
    /// For `havingPredicate`, where computed values take precedence over attributes of the same
    /// name.
    let scopeOfConditions: GroupScope
    private let isDistinct: Bool

    init(
        _ properties: [PropertyToFetch], _ entity: Entity, _ model: ManagedObjectModel, _ request: FetchRequest
    ) throws(PinviewError) {
        var computed: [String: PinviewExpression] = [:]
        var ofRows: [String: PinviewExpression] = [:]
        var names: Set<String> = []
        var isOverGroup = false
        for property in properties {
            guard names.insert(property.name).inserted else {
                throw PinviewError(
                    .invalidArgument, "A dictionary fetch returns '\(property.name)' twice. Give the values different names.")
            }
            let resolved = try property.valueExpression.resolved(for: entity, in: model, groups: .unchecked)
            isOverGroup = isOverGroup || resolved.isOverGroup
            guard case .expression(let description) = property else { continue }
            computed[description.name] = description.expression
            if !resolved.isOverGroup { ofRows[description.name] = description.expression }
        }
        var keys: [PinviewExpression] = []
        for name in request.propertiesToGroupBy {
            if computed[name] != nil, ofRows[name] == nil, entity.property(named: name) == nil {
                throw PinviewError(
                    .invalidArgument, "'\(name)' is computed over the rows of a group. Group by something that has a value in each row.")
            }
            // A name of the result stands for the expression that it names.
            keys.append(ofRows[name] ?? PinviewExpression(forKeyPath: name))
        }
        self.keys = keys.isEmpty && !isOverGroup ? nil : keys
        scopeOfValues = GroupScope(keys: self.keys, names: [:])
        scopeOfConditions = GroupScope(
            keys: self.keys, names: computed, rowNames: ofRows.filter { entity.property(named: $0.key) == nil })
        isDistinct = request.returnsDistinctResults
    }

    /// SQLite would sort by the value of an arbitrary row of the group.
    func check(_ descriptor: PinviewSortDescriptor, isInResult: Bool) throws(PinviewError) {
        if let keys {
            guard keys.contains(PinviewExpression(forKeyPath: descriptor.keyPath)) else {
                throw PinviewError(
                    .invalidArgument,
                    "'\(descriptor.keyPath)' has a value for each row, not for each group. Sort by what the rows are grouped by, or "
                        + "by a computed value of the result.")
            }
        } else if isDistinct, !isInResult {
            throw PinviewError(
                .invalidArgument,
                "'\(descriptor.keyPath)' is not one of the values of the distinct rows, so they cannot be sorted by it. Add it to the properties to fetch."
            )
        }
    }
}

/// Fetches that return rows of values.
extension ContextState {
    /// Fetches from the stores at the context's generation. Unsaved changes are not included.
    func fetchDictionaries(_ request: FetchRequest) throws(PinviewError) -> DictionaryResult {
        try rereading { () throws(PinviewError) in try dictionaryReading(request)() }
    }

    /// Returns a closure that reads the rows on any thread.
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
                "A dictionary fetch that groups, aggregates or sorts needs a single store, but \(sources.count) stores hold \(dictionaryFetch.fetch.entity.name). "
                    + "Set the affected stores of the request.")
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

    /// A dictionary fetch, and the stores that it reads.
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
        var properties = withElements(request.propertiesToFetch, fetch.entity, model)
        if properties.isEmpty { properties = request.propertiesToGroupBy.map { .keyPath($0) } }
        if properties.isEmpty { properties = fetch.entity.attributes.filter { !$0.isTransient }.map { .keyPath($0.name) } }
        let grouping = try Grouping(properties, fetch.entity, model, request)
        var columns: [DictionaryFetch.Column] = []
        for property in properties {
            let resolved = try property.valueExpression.resolved(for: fetch.entity, in: model, groups: grouping.scopeOfValues)
            columns.append(DictionaryFetch.Column(name: property.name, expression: resolved))
        }
        var result = DictionaryFetch(fetch: fetch.storeFetch(isWindowed: true), columns: columns)
        result.isDistinct = request.returnsDistinctResults
        for key in grouping.keys ?? [] { result.groupBy.append(try key.resolved(for: fetch.entity, in: model)) }
        if let having = request.havingPredicate {
            guard !request.propertiesToGroupBy.isEmpty else {
                throw PinviewError(.invalidArgument, "A having predicate selects groups. Set the properties to group by.")
            }
            result.having = try having.resolved(for: fetch.entity, in: model, groups: grouping.scopeOfConditions)
        }
        var keys = fetch.sortDescriptors[...]
        for descriptor in request.sortDescriptors {
            let position = columns.firstIndex { $0.name == descriptor.keyPath }
            if request.namesResult(descriptor), let position {
                if descriptor.comparator != .binary, columns[position].expression.category ?? .text != .text {
                    throw PinviewError(
                        .invalidArgument,
                        "The sort descriptor '\(descriptor.keyPath)' has a comparator for text, but its values are not text."
                    )
                }
                result.order.append(.column(position, ascending: descriptor.ascending, descriptor.comparator))
            } else if let key = keys.popFirst() {
                try grouping.check(descriptor, isInResult: position != nil)
                result.order.append(.descriptor(key))
            }
        }
        return result
    }

    /// The properties with the elements of composite attributes in place of these.
    private func withElements(_ properties: [PropertyToFetch], _ entity: Entity, _ model: ManagedObjectModel) -> [PropertyToFetch] {
        properties.flatMap { property -> [PropertyToFetch] in
            guard case .keyPath(let keyPath) = property else { return [property] }
            let keys = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard let composite = KeyPathResolver(entity: entity, model: model).composite(keys) else { return [property] }
            let owner = keyPath.dropLast(composite.name.count)
            return composite.leaves.filter { !$0.isTransient }.map { .keyPath(owner + $0.name) }
        }
    }

    /// Explains how the stores would carry out a fetch. Nothing is fetched.
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
