/// Where a property's values are stored.
enum PropertyStorage: Hashable, Sendable {
    /// Nowhere: transient, or a relationship to an entity that the store does not hold.
    case none
    case attribute(column: String)
    case toOne(key: String, entity: String?)
    case toMany(ForeignKey)
    case join(JoinSide)
}

/// A to-many relationship whose members refer to their owner in a column of their own table.
struct ForeignKey: Hashable, Sendable {
    let table: String
    var key: String
    /// The members' positions, if the relationship is ordered.
    var order: String?
    /// Whether the inverse is a to-one relationship of the members, which writes the key.
    let hasInverse: Bool
}

/// A many-to-many relationship, seen from one side of its join table.
struct JoinSide: Hashable, Sendable {
    var table: String
    /// The column with the primary key of the object that has the relationship.
    var owner: String
    /// The column with the primary keys of the members.
    var member: String
    /// The column with the positions of the members, if the relationship is ordered.
    var order: String?

    /// The column with the positions for a member column of a join table (`Z_34ASSETS` →
    /// `Z_FOK_34ASSETS`).
    static func orderColumn(ofMember member: String) -> String { "Z_FOK_" + member.dropFirst(2) }
}

/// The table of a hierarchy of entities.
struct EntityTable: Hashable, Sendable {
    struct Column: Hashable, Sendable {
        var name: String
        let type: String
    }

    let rootIndex: Int
    var name: String
    /// The columns after `Z_PK`, `Z_ENT` and `Z_OPT`.
    var columns: [Column]
    /// The columns with keys of other rows, each of which has an index.
    var keys: [String]
}

/// The table of pairs of a many-to-many relationship.
struct JoinTable: Hashable, Sendable {
    var name: String
    let first: String
    let second: String
    var orders: [String]
}
