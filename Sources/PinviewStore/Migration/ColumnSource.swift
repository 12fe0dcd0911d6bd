import PinviewModel

/// What a column of a new table is for.
enum ColumnRole {
    case attribute(Property)
    /// The destination's key of a to-one relationship.
    case key(Property)
    /// The destination's `Z_ENT` beside it.
    case keyEntity(Property)
    /// The owner's key of a to-many relationship without an inverse.
    case ownerKey(Property)
    /// The position among the members of an ordered to-many relationship whose inverse is to-one,
    /// or that has none.
    case order(Property)
}

/// Where the cells of a column come from, for the rows of one old entity.
enum ColumnSource: Hashable {
    case null
    case constant(StoredCell)
    case column(ColumnCopy)
}

/// The cells of an old column, perhaps changed on the way.
struct ColumnCopy: Hashable {
    /// The name in the file.
    let column: String
    /// `.none` for cells that stay as they are.
    var change = Change.none
    /// What null becomes.
    var fallback: StoredCell = .null

    enum Change: Hashable {
        case none
        /// A key: what is added to it; and where the rows are that nothing refers to any more.
        case key(offset: Int64, lost: LostRows?)
        /// `Z_ENT` beside a key.
        case entity(numbers: [Int32: Int32], key: String, lost: LostRows?)
        /// `Z_ENT` that follows from the key.
        case entityOfKey(number: Int32, lost: LostRows?)
        case addInlineMarker
        case removeInlineMarker
        /// Stays as it is, but in a column of another affinity.
        case otherAffinity
    }

    struct LostRows: Hashable {
        /// Quoted.
        let table: String
        let numbers: [Int32]

        /// Whether a key leads to one of them.
        func condition(_ key: String) -> String {
            "\(key) IN (SELECT Z_PK FROM \(table) WHERE Z_ENT IN \(MigrationLayout.list(numbers)))"
        }
    }

    /// Whether the column itself can go on as the new one after its cells have been changed in
    /// place.
    var canStay: Bool {
        switch change {
        case .none, .key, .entity: true
        case .entityOfKey, .addInlineMarker, .removeInlineMarker, .otherAffinity: false
        }
    }

    var needsOtherTable: Bool {
        switch change {
        case .key(_, let lost), .entity(_, _, let lost), .entityOfKey(_, let lost): lost != nil
        default: false
        }
    }
}

extension ColumnSource {
    /// The value in terms of the old table's columns.
    var expression: String {
        switch self {
        case .null: return "NULL"
        case .constant(let cell): return SQLLiteral.text(cell)
        case .column(let copy):
            let expression = copy.expression
            return copy.fallback == .null ? expression : "ifnull(\(expression), \(SQLLiteral.text(copy.fallback)))"
        }
    }
}

extension ColumnCopy {
    fileprivate var expression: String {
        let column = SQLIdentifier.quoted(column)
        switch change {
        case .none, .otherAffinity: return column
        case .addInlineMarker: return "CASE WHEN \(column) IS NOT NULL THEN CAST(X'01' || \(column) AS BLOB) END"
        case .removeInlineMarker: return "substr(\(column), 2)"
        case .key(let offset, let lost):
            let moved = offset == 0 ? column : "\(column) + \(offset)"
            return lost.map { "CASE WHEN NOT \($0.condition(column)) THEN \(moved) END" } ?? moved
        case .entity(let numbers, let key, let lost):
            let moved = Self.renumbered(column, numbers)
            return lost.map { "CASE WHEN NOT \($0.condition(SQLIdentifier.quoted(key))) THEN \(moved) END" } ?? moved
        case .entityOfKey(let number, let lost):
            let condition = lost.map { "NOT \($0.condition(column))" } ?? "\(column) IS NOT NULL"
            return "CASE WHEN \(condition) THEN \(number) END"
        }
    }

    /// A `Z_ENT` by the new numbers.
    static func renumbered(_ column: String, _ numbers: [Int32: Int32]) -> String {
        let changed = numbers.filter { $0.key != $0.value }.sorted { $0.key < $1.key }
        guard !changed.isEmpty else { return column }
        return "CASE \(column) " + changed.map { "WHEN \($0.key) THEN \($0.value) " }.joined() + "ELSE \(column) END"
    }
}
