import PinviewModel
import PinviewPredicates

/// Predicates and sort descriptors as SQL.
///
/// Predicates have two truth values, SQL has three. The SQL is true exactly if the predicate is
/// true; if the predicate is false it may be NULL, which WHERE treats alike and which allows SQLite
/// to use indexes. Only under NOT (and where ALL is inverted), NULL is turned into 0 first.
struct PredicateSQL {
    let schema: StoreSchema
    let storeNumber: Int32
    /// Nil unless the predicate is deeply nested, which is rare.
    let deepParts: CommonTableExpressions?

    init(schema: StoreSchema, storeNumber: Int32, predicate: ResolvedPredicate?, table: String, rootIndex: Int) throws(PinviewError) {
        self.schema = schema
        self.storeNumber = storeNumber
        let depth = predicate.map(CommonTableExpressions.depth) ?? 0
        guard depth <= CommonTableExpressions.maximumDepth else {
            throw PinviewError(
                .badPredicate,
                "The predicate is nested \(depth) levels deep; a store supports up to \(CommonTableExpressions.maximumDepth).")
        }
        let terms = predicate.map(Self.termCount) ?? 0
        guard terms <= Self.maximumTermCount else {
            throw PinviewError(
                .badPredicate,
                "The predicate has \(terms) comparisons; a store supports up to \(Self.maximumTermCount). Comparisons of a key with many values "
                    + "can be written as 'key IN {…}', with a list of any length.")
        }
        deepParts = depth > CommonTableExpressions.cut ? CommonTableExpressions(table: table, rootIndex: rootIndex) : nil
    }

    /// SQLite needs time quadratic in this number to prepare a statement: about a second at the
    /// limit.
    private static let maximumTermCount = 10_000

    /// The number of comparisons for SQLite. A short list counts with its elements; a long one is
    /// passed as one text.
    private static func termCount(_ predicate: ResolvedPredicate) -> Int {
        switch predicate {
        case .constant: return 0
        case .not(let part): return termCount(part)
        case .and(let parts), .or(let parts): return parts.reduce(0) { $0 + termCount($1) }
        case .comparison(let comparison):
            guard case .list(let values) = comparison.right, values.count <= ComparisonSQL.boundElementLimit else { return 1 }
            return values.count
        }
    }

    func sql(_ predicate: ResolvedPredicate, _ scope: SQLScope) throws(PinviewError) -> SQLText {
        switch predicate {
        case .constant(let value): return Self.constant(value)
        case .and(let parts): return try compound(parts, " AND ", empty: true, scope)
        case .or(let parts): return try compound(parts, " OR ", empty: false, scope)
        case .not(let part): return Self.not(try sql(part, scope))
        case .comparison(let comparison): return try sql(comparison, scope)
        }
    }

    static func constant(_ value: Bool) -> SQLText { SQLText(text: value ? "1" : "0") }

    /// True if the expression is not true.
    static func not(_ sql: SQLText) -> SQLText { "NOT IFNULL(" + sql + ", 0)" }

    /// Joined as a balanced tree: SQLite limits the depth of expressions to 1,000, and a chain of
    /// ANDs is as deep as it is long.
    private func compound(
        _ parts: [ResolvedPredicate], _ joiner: String, empty: Bool, _ scope: SQLScope
    ) throws(PinviewError) -> SQLText {
        guard !parts.isEmpty else { return Self.constant(empty) }
        var level: [SQLText] = []
        for part in parts {
            if let deepParts, scope.outer == nil, deepParts.isCut(at: part) {
                level.append(try deepParts.define(part, generator: self, aliases: scope.aliases))
            } else {
                level.append(try sql(part, scope))
            }
        }
        while level.count > 1 {
            var next: [SQLText] = []
            for start in stride(from: 0, to: level.count, by: 16) {
                let group = level[start..<min(start + 16, level.count)]
                guard group.count > 1 else {
                    next += group
                    continue
                }
                var text = "("
                var bindings: [StoredCell] = []
                for (index, part) in group.enumerated() {
                    if index > 0 { text += joiner }
                    text += part.text
                    bindings += part.bindings
                }
                next.append(SQLText(text: text + ")", bindings: bindings))
            }
            level = next
        }
        return level[0]
    }

    // MARK: Comparisons

    private func sql(_ comparison: ResolvedComparison, _ scope: SQLScope) throws(PinviewError) -> SQLText {
        switch comparison.modifier {
        case .direct:
            return try ComparisonSQL(generator: self, comparison: comparison, rightScope: scope).sql(comparison.left, scope)
        case .any:
            return try exists(comparison, comparison.left, negatingInner: false, scope, outer: scope)
        case .none:
            return Self.not(try exists(comparison, comparison.left, negatingInner: false, scope, outer: scope))
        case .all:
            return Self.not(try exists(comparison, comparison.left, negatingInner: true, scope, outer: scope))
        }
    }

    /// EXISTS over the members of the first to-many relationship of a key path, with the rest
    /// compared inside.
    private func exists(
        _ comparison: ResolvedComparison, _ left: ResolvedExpression, negatingInner: Bool, _ scope: SQLScope, outer: SQLScope
    ) throws(PinviewError) -> SQLText {
        let path: [ResolvedStep]
        switch left {
        case .outer(let levels, let inner):
            return try exists(comparison, inner, negatingInner: negatingInner, scope.enclosing(levels), outer: outer)
        case .attribute(let steps, _), .object(let steps), .entityName(let steps): path = steps
        default: path = []
        }
        guard let position = path.firstIndex(where: \.isToMany) else {
            let inner = try ComparisonSQL(generator: self, comparison: comparison, rightScope: outer).sql(left, scope)
            return negatingInner ? Self.not(inner) : inner
        }
        guard let members = members(of: path[position].property, after: path[..<position], scope, inside: scope) else {
            return Self.constant(false)
        }
        let rest = Array(path[(position + 1)...])
        let restOfLeft: ResolvedExpression =
            switch left {
            case .attribute(_, let property): .attribute(path: rest, property: property)
            case .entityName: .entityName(path: rest)
            default: .object(path: rest)
            }
        let inner = try exists(comparison, restOfLeft, negatingInner: negatingInner, members.scope, outer: outer)
        if !negatingInner, rest.isEmpty, Self.namesFew(comparison, restOfLeft, members) {
            // The owners are found by the members, which are few, instead of asking each owner. A member of a
            // one-to-many relationship has a single owner, for which SQLite makes no list.
            let isSingle = !members.isJoined && comparison.operator == .equalTo
            return "\(members.owner) \(isSingle ? "=" : "IN") (SELECT \(members.ownerColumn)\(members.source) WHERE " + inner + ")"
        }
        return "EXISTS (SELECT 1" + members.select(where: inner) + ")"
    }

    /// Whether a comparison is met by few members, as is likely: by objects that it names, or in a
    /// many-to-many relationship by those with a value that it names. Tags and the like are fewer
    /// than what they are given to; the members in a one-to-many relationship are more than their
    /// owners, and going through all of them may take longer than asking the owners.
    private static func namesFew(_ comparison: ResolvedComparison, _ left: ResolvedExpression, _ members: Members) -> Bool {
        switch left {
        case .object: break
        case .attribute(_, let property) where members.isJoined && property.attributeType != .boolean: break
        default: return false
        }
        return switch (comparison.operator, comparison.right) {
        case (.equalTo, .constant(let value)): !value.isNull
        case (.in, .list(let values)): !values.contains { $0.isNull }
        default: false
        }
    }

    /// The members of a to-many relationship as a SELECT of their own.
    struct Members {
        let scope: SQLScope
        let from: String
        /// The key of the owner in the enclosing SELECT, and the column of this one that has it.
        let owner: String
        let ownerColumn: String
        /// Whether they have a table of their own, as in a many-to-many relationship.
        let isJoined: Bool

        var source: String { " FROM \(from)\(scope.joins)" }

        func select(where inner: SQLText? = nil) -> SQLText {
            let text = "\(source) WHERE \(ownerColumn) = \(owner)"
            return inner.map { text + " AND " + $0 } ?? SQLText(text: text)
        }
    }

    /// - Parameters:
    ///   - scope: where the path starts.
    ///   - enclosing: where the SELECT will be.
    /// - Returns: nil if the store has no such members.
    func members(
        of relationship: Property, after path: some Collection<ResolvedStep>, _ scope: SQLScope, inside enclosing: SQLScope
    ) -> Members? {
        guard let owner = scope.join(path), let destination = schema.destination(of: relationship) else { return nil }
        let alias = scope.aliases.next()
        let inner = SQLScope(
            schema: schema, alias: alias, rootIndex: destination.entity.rootIndex, aliases: scope.aliases, outer: enclosing)
        switch schema.storage(of: relationship) {
        case .toMany(let foreignKey):
            return Members(
                scope: inner, from: "\(destination.table) AS \(alias)", owner: "\(owner).Z_PK",
                ownerColumn: "\(alias).\(SQLIdentifier.quoted(foreignKey.key))", isJoined: false)
        case .join(let side):
            let names = JoinNames(side)
            let join = scope.aliases.next()
            return Members(
                scope: inner,
                from: "\(names.table) AS \(join) JOIN \(destination.table) AS \(alias) ON \(alias).Z_PK = \(join).\(names.member)",
                owner: "\(owner).Z_PK", ownerColumn: "\(join).\(names.owner)", isJoined: true)
        default: return nil
        }
    }

    // MARK: Order

    func order(_ descriptor: ResolvedSortDescriptor, _ scope: SQLScope) -> String {
        var text = scope.column(of: descriptor.property, path: descriptor.path)
        // A sort key is made once per row, whereas a collation would make both keys for every
        // comparison.
        switch descriptor.comparator {
        case .binary: break
        case .caseInsensitive: text = "\(SQLFunctions.fold)(\(text), \(PredicateOptions.caseInsensitive.rawValue))"
        default: text = "\(SQLFunctions.sortKey)(\(text), \(descriptor.comparator.rawValue))"
        }
        return descriptor.ascending ? text : text + " DESC"
    }
}
