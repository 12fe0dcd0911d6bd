import PinviewGenerations
import PinviewModel

/// Compares two generations of a store by value: a property differs if reading it gives a different
/// value.
///
/// The rows of both generations are read side by side in the order of their keys, and only
/// differences are kept. If the history has every transaction between the two, only the rows that
/// it names are read. Both ways give the same result, since values are compared in either case: a
/// to-many relationship by its members, an ordered one also by their order.
final class StoreDifference {
    struct RowKey: Hashable {
        let root: Int
        let primaryKey: Int64
    }

    struct Change {
        var kind: HistoryChangeKind
        let entityIndex: Int
        var properties: Set<Int> = []
    }

    /// A column that makes a row a member of another row's to-many relationship.
    private struct MemberColumn {
        let relationship: Property
        let key: Int32
        /// −1 if the relationship is not ordered.
        let order: Int32
    }

    let store: SQLStore
    let old: Connection
    let new: Connection
    private(set) var changes: [RowKey: Change] = [:]
    /// The owners whose members may differ, by relationship.
    private var touched: [Property: Set<Int64>] = [:]

    init(store: SQLStore, old: Connection, new: Connection) {
        self.store = store
        self.old = old
        self.new = new
    }

    var schema: StoreSchema { store.schema }

    /// The root entities in the store.
    var roots: [EntitySchema] { schema.model.entities.filter { $0.index == $0.rootIndex }.compactMap { schema.entity(at: $0.index) } }

    /// All to-many relationships of the store's entities, without duplicates.
    var toManyRelationships: [Property] {
        var seen: Set<Property> = []
        return schema.model.entities.filter { schema.entity(at: $0.index) != nil }.flatMap(\.relationships)
            .filter { $0.isToMany && !$0.isTransient && seen.insert($0).inserted }
    }

    /// Compares everything.
    func compareAll() throws {
        for root in roots { try compareRows(of: root) }
        var tables: Set<String> = []
        for relationship in toManyRelationships {
            if case .join(let side) = schema.storage(of: relationship), tables.insert(side.table).inserted {
                try comparePairs(of: relationship, side)
            }
        }
        try judgeTouched()
    }

    // MARK: Rows

    /// Compares the rows of a hierarchy.
    /// - Parameter keys: the keys of rows that may differ; nil for all.
    func compareRows(of root: EntitySchema, _ keys: KeyBatches.Batch? = nil) throws {
        var list = root.selectList
        var column = Int32(root.layout.columnCount)
        var members: [MemberColumn] = []
        for relationship in toManyRelationships {
            guard case .toMany(let foreignKey) = schema.storage(of: relationship),
                schema.model.entities[relationship.destinationIndex].rootIndex == root.entity.index
            else { continue }
            list += ", t0.\(SQLIdentifier.quoted(foreignKey.key))" + (foreignKey.order.map { ", t0.\(SQLIdentifier.quoted($0))" } ?? "")
            members.append(MemberColumn(relationship: relationship, key: column, order: foreignKey.order == nil ? -1 : column + 1))
            column += foreignKey.order == nil ? 1 : 2
        }
        let condition = keys.map { " WHERE t0.Z_PK \(KeyBatches.placeholders($0.count))" } ?? ""
        let text = "SELECT \(list) FROM \(root.table) AS t0\(condition) ORDER BY t0.Z_PK"
        try merge(text, keyCount: 1, keys) { left, right in
            guard let row = right ?? left else { return }
            let reference = try root.layout.family.reference(row, key: 0, entity: 1), entityIndex = Int(reference.entityIndex)
            let key = RowKey(root: root.entity.index, primaryKey: reference.primaryKey)
            if let left, let right {
                let properties = differing(left, right, schema.model.entities[entityIndex], root.layout)
                if !properties.isEmpty { changes[key] = Change(kind: .update, entityIndex: entityIndex, properties: properties) }
            } else {
                changes[key] = Change(kind: left == nil ? .insert : .delete, entityIndex: entityIndex)
            }
            for member in members {
                if let left, let right, left.hasSameValue(member.key, as: right, member.key),
                    member.order < 0 || left.hasSameValue(member.order, as: right, member.order)
                {
                    continue
                }
                for row in [left, right].compactMap({ $0 }) where !row.isNull(member.key) {
                    touch(member.relationship, row.int64(member.key))
                }
            }
        }
    }

    private func differing(_ left: Statement, _ right: Statement, _ entity: Entity, _ layout: RowLayout) -> Set<Int> {
        var result: Set<Int> = []
        for property in layout.properties where entity.isKind(ofIndex: property.declaringEntityIndex) {
            let location = layout.location(of: property)
            if !left.hasSameValue(location.column, as: right, location.column)
                || location.entityColumn >= 0 && !left.hasSameValue(location.entityColumn, as: right, location.entityColumn)
            {
                result.insert(property.index)
            }
        }
        return result
    }

    private func touch(_ relationship: Property, _ owner: Int64) { touched[relationship, default: []].insert(owner) }

    // MARK: Pairs

    /// Compares the pairs of a many-to-many relationship.
    /// - Parameter owners: the owners whose members may differ; nil for all.
    func comparePairs(of relationship: Property, _ side: JoinSide, _ owners: KeyBatches.Batch? = nil) throws {
        let names = JoinNames(side)
        let inverse = schema.inverse(of: relationship)
        var inverseOrder: String?
        if let inverse, inverse !== relationship, case .join(let other) = schema.storage(of: inverse) {
            inverseOrder = JoinNames(other).order
        }
        let orders = [names.order, inverseOrder].map { $0 ?? "NULL" }.joined(separator: ", ")
        let condition = owners.map { " WHERE \(names.owner) \(KeyBatches.placeholders($0.count))" } ?? ""
        let text =
            "SELECT \(names.owner), \(names.member), \(orders) FROM \(names.table)\(condition) ORDER BY \(names.owner), \(names.member)"
        try merge(text, keyCount: 2, owners) { left, right in
            guard let row = right ?? left else { return }
            func isSame(_ column: Int32) -> Bool {
                if let left, let right { return left.hasSameValue(column, as: right, column) }
                return false
            }
            if !isSame(2) { touch(relationship, row.int64(0)) }
            if let inverse, !isSame(3) { touch(inverse, row.int64(1)) }
        }
    }

    /// Steps through the rows of both generations in the order of their first columns. `body` gets
    /// the rows with equal keys, or a single one.
    private func merge(
        _ text: String, keyCount: Int32, _ keys: KeyBatches.Batch?, _ body: (_ old: Statement?, _ new: Statement?) throws -> Void
    ) throws {
        let left = try old.statement(text), right = try new.statement(text)
        defer {
            left.reset()
            right.reset()
        }
        try keys?.bind(to: left, at: 1)
        try keys?.bind(to: right, at: 1)
        var hasLeft = try left.step(), hasRight = try right.step()
        while hasLeft || hasRight {
            var order: Int64 = hasLeft ? (hasRight ? 0 : -1) : 1
            for column in 0..<keyCount where order == 0 {
                let (one, other) = (left.int64(column), right.int64(column))
                order = one < other ? -1 : one > other ? 1 : 0
            }
            try body(order <= 0 ? left : nil, order >= 0 ? right : nil)
            if order <= 0 { hasLeft = try left.step() }
            if order >= 0 { hasRight = try right.step() }
        }
    }

    // MARK: Owners

    /// Reports the relationships of owners whose members differ, for owners that exist in both
    /// generations.
    func judgeTouched() throws {
        for (relationship, owners) in touched {
            let declaring = schema.model.entities[relationship.declaringEntityIndex]
            guard let root = schema.entity(at: declaring.rootIndex) else { continue }
            let candidates = owners.filter { (changes[RowKey(root: declaring.rootIndex, primaryKey: $0)]?.kind ?? .update) == .update }
            try KeyBatches.forEach(candidates.sorted()) { batch in
                let before = try entities(of: batch, root, old), after = try entities(of: batch, root, new)
                var members: ([Int64: [Reference]], [Int64: [Reference]])?
                if relationship.isOrdered {
                    members = (
                        try store.destinations(ofOwners: Array(batch.keys), relationship, old),
                        try store.destinations(ofOwners: Array(batch.keys), relationship, new)
                    )
                }
                for owner in batch.keys {
                    guard before[owner] != nil, let entityIndex = after[owner],
                        schema.model.entities[entityIndex].isKind(ofIndex: declaring.index)
                    else { continue }
                    if let (before, after) = members, before[owner] == after[owner] { continue }
                    let key = RowKey(root: declaring.rootIndex, primaryKey: owner)
                    changes[key, default: Change(kind: .update, entityIndex: entityIndex)].properties.insert(relationship.index)
                }
            }
        }
        touched = [:]
    }

    private func entities(of batch: KeyBatches.Batch, _ root: EntitySchema, _ connection: Connection) throws -> [Int64: Int] {
        let statement = try connection.statement(
            "SELECT Z_PK, Z_ENT FROM \(root.table) WHERE Z_PK \(KeyBatches.placeholders(batch.count))")
        defer { statement.reset() }
        try batch.bind(to: statement, at: 1)
        var result: [Int64: Int] = [:]
        while try statement.step() {
            let reference = try root.layout.family.reference(statement, key: 0, entity: 1)
            result[reference.primaryKey] = Int(reference.entityIndex)
        }
        return result
    }
}
