import PinviewGenerations
import PinviewModel

extension SQLStore {
    /// The objects that a relationship of one object leads to, in order where the relationship is ordered.
    package func destinations(of owner: Reference, relationship: Property, at generation: Generation?) throws(PinviewError) -> [Reference] {
        try read(at: generation) { try destinations(ofOwners: [owner.primaryKey], relationship, $0)[owner.primaryKey] ?? [] }
    }

    /// The same for many objects of one hierarchy; owners without destinations are left out.
    package func destinations(
        ofOwners owners: [Int64], entity: Entity, relationship: Property, at generation: Generation?
    ) throws(PinviewError) -> [Int64: [Reference]] {
        try read(at: generation) { try destinations(ofOwners: owners, relationship, $0) }
    }

    func destinations(ofOwners owners: [Int64], _ relationship: Property, _ connection: Connection) throws -> [Int64: [Reference]] {
        var result: [Int64: [Reference]] = [:]
        try KeyBatches.forEach(owners) { batch in
            guard let text = destinationsText(relationship, ownerCount: batch.count) else { return }
            let statement = try connection.statement(text)
            defer { statement.reset() }
            try batch.bind(to: statement, at: 1)
            while try statement.step() {
                let entityIndex = schema.numbers.entityIndex(ofNumber: statement.int64(2)) ?? relationship.destinationIndex
                let reference = Reference(entityIndex: Int32(entityIndex), primaryKey: statement.int64(1))
                result[statement.int64(0), default: []].append(reference)
            }
        }
        return result
    }

    /// Selects owner, member and the member's `Z_ENT`; nil where the store has no such members.
    private func destinationsText(_ relationship: Property, ownerCount: Int) -> String? {
        guard let destination = schema.destination(of: relationship) else { return nil }
        let owners = KeyBatches.placeholders(ownerCount)
        switch schema.storage(of: relationship) {
        case .toMany(let foreignKey):
            let key = "d." + SQLIdentifier.quoted(foreignKey.key)
            let order = foreignKey.order.map { "d.\(SQLIdentifier.quoted($0)), " } ?? ""
            return "SELECT \(key), d.Z_PK, d.Z_ENT FROM \(destination.table) AS d WHERE \(key) \(owners) ORDER BY \(order)d.Z_PK"
        case .join(let side):
            let names = JoinNames(side)
            let order = names.order.map { "j.\($0), " } ?? ""
            return "SELECT j.\(names.owner), d.Z_PK, d.Z_ENT FROM \(names.table) AS j "
                + "CROSS JOIN \(destination.table) AS d ON d.Z_PK = j.\(names.member) "
                + "WHERE j.\(names.owner) \(owners) ORDER BY \(order)d.Z_PK"
        case .toOne(let key, _):
            guard let owner = schema.entity(at: relationship.declaringEntityIndex) else { return nil }
            return "SELECT o.Z_PK, d.Z_PK, d.Z_ENT FROM \(owner.table) AS o "
                + "CROSS JOIN \(destination.table) AS d ON d.Z_PK = o.\(SQLIdentifier.quoted(key)) WHERE o.Z_PK \(owners)"
        case .none, .attribute: return nil
        }
    }
}

/// Long lists of primary keys in a few statement texts: batches of a few fixed sizes, filled up with NULL.
enum KeyBatches {
    struct Batch {
        let keys: ArraySlice<Int64>
        let count: Int

        func bind(to statement: Statement, at first: Int32) throws(SQLiteError) {
            var index = first
            for key in keys {
                try statement.bind(index, key)
                index += 1
            }
            while index < first + Int32(count) {
                try statement.bindNull(index)
                index += 1
            }
        }
    }

    private static let sizes = [1, 8, 64, 1000]

    static func forEach(_ keys: [Int64], _ body: (Batch) throws -> Void) rethrows {
        var rest = keys[...]
        while !rest.isEmpty {
            let keys = rest.prefix(1000)
            rest = rest.dropFirst(keys.count)
            try body(Batch(keys: keys, count: sizes.first { $0 >= keys.count } ?? keys.count))
        }
    }

    /// `= ?` or `IN (?, ?, …)`.
    static func placeholders(_ count: Int) -> String {
        count == 1 ? "= ?" : "IN (" + String(repeating: "?, ", count: count - 1) + "?)"
    }
}
