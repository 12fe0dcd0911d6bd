/// Where a property's values are in a store.
enum PropertyStorage: Hashable, Sendable {
    /// Nowhere: transient, or a relationship to an entity that the store does not hold.
    case none
    case attribute(column: String)
    case toOne(key: String, entity: String?)
    case toMany(ForeignKey)
    case join(JoinSide)
}

/// A to-many relationship whose members name their owner in a column of their own table.
struct ForeignKey: Hashable, Sendable {
    let table: String
    var key: String
    /// The members' positions, if the relationship is ordered.
    var order: String?
    /// Whether a to-one relationship of the members is the inverse, and is what writes the key.
    let hasInverse: Bool
}

/// A many-to-many relationship as seen from one side of its join table.
struct JoinSide: Hashable, Sendable {
    var table: String
    /// Holds the primary key of the object that has the relationship.
    var owner: String
    /// Holds the primary keys of the members.
    var member: String
    /// The positions of the members, if the relationship is ordered.
    var order: String?

    /// The positions that a join table keeps under a member column (`Z_34ASSETS` →
    /// `Z_FOK_34ASSETS`).
    static func orderColumn(ofMember member: String) -> String { "Z_FOK_" + member.dropFirst(2) }
}

/// One table for a hierarchy of entities.
struct EntityTable: Hashable, Sendable {
    struct Column: Hashable, Sendable {
        var name: String
        let type: String
    }

    let rootIndex: Int
    var name: String
    /// After `Z_PK`, `Z_ENT` and `Z_OPT`.
    var columns: [Column]
    /// The keys of other rows, each of which has an index.
    var keys: [String]
}

/// A table of pairs for a many-to-many relationship.
struct JoinTable: Hashable, Sendable {
    var name: String
    let first: String
    let second: String
    var orders: [String]
}
