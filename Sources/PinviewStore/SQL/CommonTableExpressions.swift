import PinviewModel
import PinviewPredicates

/// The inner parts of a deeply nested predicate, each as a common table expression with the keys of
/// the rows that match it.
///
/// SQLite's parser allows some ninety open parentheses; definitions follow one another instead of
/// nesting.
final class CommonTableExpressions {
    /// How many levels stay in one expression.
    static let cut = 20
    /// SQLite limits the depth of expressions to 1,000, counting through definitions.
    static let maximumDepth = 700

    private let table: String
    private let rootIndex: Int
    private var parts: [SQLText] = []

    init(table: String, rootIndex: Int) {
        self.table = table
        self.rootIndex = rootIndex
    }

    static func depth(_ predicate: ResolvedPredicate) -> Int {
        switch predicate {
        case .comparison, .constant: 0
        case .not(let part): 1 + depth(part)
        case .and(let parts), .or(let parts): 1 + (parts.map(depth).max() ?? 0)
        }
    }

    func isCut(at predicate: ResolvedPredicate) -> Bool {
        let depth = Self.depth(predicate)
        return depth > 0 && depth.isMultiple(of: Self.cut)
    }

    /// Defines a part, which must be a predicate on the rows of the fetch.
    /// - Returns: the condition that refers to the part.
    func define(_ predicate: ResolvedPredicate, generator: PredicateSQL, aliases: AliasCounter) throws(PinviewError) -> SQLText {
        let scope = SQLScope(schema: generator.schema, alias: "t0", rootIndex: rootIndex, aliases: aliases)
        let condition = try generator.sql(predicate, scope)
        parts.append("(SELECT t0.Z_PK FROM \(table) AS t0\(scope.joins) WHERE " + condition + ")")
        return SQLText(text: "t0.Z_PK IN d\(parts.count)")
    }

    /// `WITH d1 AS (…), d2 AS (…) `; parts only refer to earlier ones.
    var definitions: SQLText {
        var text = SQLText()
        for (index, part) in parts.enumerated() { text = text + "\(index == 0 ? "WITH" : ",") d\(index + 1) AS " + part }
        return text + " "
    }
}
