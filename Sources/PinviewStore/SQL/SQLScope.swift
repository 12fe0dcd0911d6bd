import PinviewModel
import PinviewPredicates

/// The scope of a SELECT: its own rows under an alias, and the tables joined to it for to-one key
/// paths.
final class SQLScope {
    let alias: String
    /// The hierarchy of the rows.
    let rootIndex: Int
    let aliases: AliasCounter
    /// The scope around a subselect; nil for the rows of the fetch.
    let outer: SQLScope?
    private let schema: StoreSchema
    private(set) var joins = ""
    private var joined: [[Step]: String] = [:]

    private struct Step: Hashable {
        let property: ObjectIdentifier
        let element: ElementIndex?
    }

    init(schema: StoreSchema, alias: String, rootIndex: Int, aliases: AliasCounter, outer: SQLScope? = nil) {
        self.schema = schema
        self.rootIndex = rootIndex
        self.alias = alias
        self.aliases = aliases
        self.outer = outer
    }

    /// The scope a number of levels further out.
    func enclosing(_ levels: Int) -> SQLScope {
        var scope = self
        for _ in 0..<levels { scope = scope.outer ?? scope }
        return scope
    }

    /// Joins the destinations of a to-one key path that are not joined yet.
    ///
    /// - Returns: the alias of the last one; nil if the store has none.
    func join(_ path: some Collection<ResolvedStep>) -> String? {
        var current = alias
        var key: [Step] = []
        for step in path {
            key.append(Step(property: ObjectIdentifier(step.property), element: step.element))
            if let known = joined[key] {
                current = known
                continue
            }
            guard let destination = schema.destination(of: step.property), let primaryKey = primaryKey(of: step, owner: current) else {
                return nil
            }
            let next = aliases.next()
            joins += " LEFT JOIN \(destination.table) AS \(next) ON \(next).Z_PK = \(primaryKey)"
            joined[key] = next
            current = next
        }
        return current
    }

    /// The primary key of a step's destination, as SQL; nil if the store has none.
    private func primaryKey(of step: ResolvedStep, owner: String) -> String? {
        switch (schema.storage(of: step.property), step.element) {
        case (.toOne(let column, _), nil): return "\(owner).\(SQLIdentifier.quoted(column))"
        case (.toMany(let foreignKey), let element?):
            guard let destination = schema.destination(of: step.property) else { return nil }
            let member = aliases.next()
            let order = foreignKey.order.map { ["\(member).\(SQLIdentifier.quoted($0))"] } ?? []
            return
                "(SELECT \(member).Z_PK FROM \(destination.table) AS \(member) WHERE \(member).\(SQLIdentifier.quoted(foreignKey.key)) = "
                + "\(owner).Z_PK\(Self.choice(element, order + ["\(member).Z_PK"])))"
        case (.join(let side), let element?):
            let names = JoinNames(side)
            let join = aliases.next()
            let order = names.order.map { ["\(join).\($0)"] } ?? []
            return "(SELECT \(join).\(names.member) FROM \(names.table) AS \(join) WHERE \(join).\(names.owner) = \(owner).Z_PK"
                + "\(Self.choice(element, order + ["\(join).\(names.member)"])))"
        default: return nil
        }
    }

    private static func choice(_ element: ElementIndex, _ order: [String]) -> String {
        let direction = element == .last ? " DESC" : ""
        let text = " ORDER BY \(order.map { $0 + direction }.joined(separator: ", ")) LIMIT 1"
        if case .index(let index) = element { return text + " OFFSET \(index)" }
        return text
    }

    /// The column of an attribute or to-one relationship at the end of a key path; NULL if the
    /// store has none. Joins what lies on the path.
    func column(of property: Property, path: some Collection<ResolvedStep>) -> String {
        guard let name = schema.columns(of: property).first, let alias = join(path) else { return "NULL" }
        return "\(alias).\(SQLIdentifier.quoted(name))"
    }

    /// The value of an attribute at the end of a key path: its column, or the data wherever they
    /// are.
    func value(of property: Property, path: some Collection<ResolvedStep>) -> String {
        let column = column(of: property, path: path)
        guard property.cellKind == .externalBinary, let alias = join(path) else { return column }
        return "\(ExternalColumn.dataFunction)(\(column), \(SQLLiteral.quoted(property.qualifiedName)), \(alias).Z_PK)"
    }
}
