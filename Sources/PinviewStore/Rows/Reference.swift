/// Refers to one record in a store, as a to-one column or a row of a join table does.
package struct Reference: Hashable, Sendable {
    /// The `Entity.index` of the record's own entity, which may be a sub-entity of the
    /// relationship's destination.
    package let entityIndex: Int32
    package let isTemporary: Bool
    /// `Z_PK`.
    package let primaryKey: Int64

    package init(entityIndex: Int32, isTemporary: Bool = false, primaryKey: Int64) {
        self.entityIndex = entityIndex
        self.isTemporary = isTemporary
        self.primaryKey = primaryKey
    }

    package static func == (left: Reference, right: Reference) -> Bool {
        left.primaryKey == right.primaryKey && left.entityIndex == right.entityIndex && left.isTemporary == right.isTemporary
    }
}
