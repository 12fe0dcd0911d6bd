import PinviewGenerations
import PinviewModel

extension SQLStore {
    /// The destinations of an object's relationship, in order if it is ordered.
    package func destinations(of owner: Reference, relationship: Property, at generation: Generation?) throws(PinviewError) -> [Reference] {
        try read(at: generation) { try destinations(ofOwners: [owner.primaryKey], relationship, $0)[owner.primaryKey] ?? [] }
    }

    /// The owner of a member in a relationship without an inverse; nil if there is none.
    package func owner(of member: Reference, relationship: Property, at generation: Generation?) throws(PinviewError) -> Reference? {
        guard case .toMany(let foreignKey) = schema.storage(of: relationship), !foreignKey.hasInverse,
            let owners = schema.entity(at: relationship.declaringEntityIndex)
        else { return nil }
        return try read(at: generation) { connection in
            let statement = try connection.statement(
                "SELECT o.Z_PK, o.Z_ENT FROM \(SQLIdentifier.quoted(foreignKey.table)) AS t JOIN \(owners.table) AS o "
                    + "ON o.Z_PK = t.\(SQLIdentifier.quoted(foreignKey.key)) WHERE t.Z_PK = ?")
            defer { statement.reset() }
            try statement.bind(1, member.primaryKey)
            guard try statement.step() else { return nil }
            return try owners.layout.family.reference(statement, key: 0, entity: 1)
        }
    }

    /// The destinations of many objects of one hierarchy. Owners without destinations are left out.
    package func destinations(
        ofOwners owners: [Int64], entity: Entity, relationship: Property, at generation: Generation?
    ) throws(PinviewError) -> [Int64: [Reference]] {
        try read(at: generation) { try destinations(ofOwners: owners, relationship, $0) }
    }

    func destinations(ofOwners owners: [Int64], _ relationship: Property, _ connection: Connection) throws -> [Int64: [Reference]] {
        var result: [Int64: [Reference]] = [:]
        guard let destination = schema.destination(of: relationship) else { return result }
        try KeyBatches.forEach(owners) { batch in
            guard let text = try destinationsText(relationship, ownerCount: batch.count, .references) else { return }
            let statement = try connection.statement(text)
            defer { statement.reset() }
            try batch.bind(to: statement, at: 1)
            while try statement.step() {
                let reference = try destination.layout.family.reference(statement, key: 1, entity: 2)
                result[statement.int64(0), default: []].append(reference)
            }
        }
        return result
    }

    /// The rows of the destinations of many objects, grouped by owner in the order of the owners.
    ///
    /// The destinations of each owner are in the same order as in `destinations`.
    /// - Parameters:
    ///   - owners: in ascending order.
    ///   - isKnown: whether the caller has the row of a key, which then may be left out.
    package func destinationRows(
        ofOwners owners: [Int64], relationship: Property, at generation: Generation?, isKnown: (Int64) -> Bool
    ) throws(PinviewError) -> DestinationRows? {
        guard let source = destinationSource(relationship) else { return nil }
        return try read(at: generation) { connection in
            let found =
                source.joinTable != nil && owners.count >= Self.fewestOwnersOfSharedRows
                ? try sharedDestinationRows(owners, relationship, source.destination, connection, isKnown)
                : try ownDestinationRows(owners, relationship, source.destination, connection)
            // The rows have the columns of the whole hierarchy; the relationship may lead to only a
            // part of it.
            if let destination = schema.destination(of: relationship), destination.entity.index != destination.entity.rootIndex {
                for block in found.rows.blocks {
                    for row in 0..<Int(block.rowCount) { _ = try destination.layout.family.reference(block, row: row) }
                }
            }
            return found
        }
    }

    /// The members of so many owners of a many-to-many relationship are likely to repeat: their
    /// rows are then read once, with statements of their own.
    private static let fewestOwnersOfSharedRows = 64

    /// Reads a row for each member, followed by its owner.
    private func ownDestinationRows(
        _ owners: [Int64], _ relationship: Property, _ destination: EntitySchema, _ connection: Connection
    ) throws -> DestinationRows {
        let layout = destination.layout
        let found = try read(.rowsAndOwners, of: owners, relationship, connection, ownerColumn: layout.columnCount) {
            RowCollector(columnCount: layout.columnCount + 1, reservingRows: owners.count, context: layout)
        }
        try layout.check(found)
        return DestinationRows(rows: FetchedRows(rows: found), owners: found.integers(column: layout.columnCount), shared: nil)
    }

    /// Reads the keys of members and owners from the join table, then the row of each member that is
    /// not known.
    private func sharedDestinationRows(
        _ owners: [Int64], _ relationship: Property, _ destination: EntitySchema, _ connection: Connection, _ isKnown: (Int64) -> Bool
    ) throws -> DestinationRows {
        let found = try read(.keysAndOwners, of: owners, relationship, connection, ownerColumn: 1) {
            RowCollector(columnCount: 2, reservingRows: owners.count)
        }
        let members = found.integers(column: 0), ownersOfMembers = found.integers(column: 1)
        // The members that differ, in the order in which they come, and which of them each member is.
        var different: [Int64] = [], positions: [Int64: Int] = [:]
        positions.reserveCapacity(min(owners.count, 512))
        let whichOfThem = members.map { member in
            if let position = positions[member] { return position }
            positions[member] = different.count
            different.append(member)
            return different.count - 1
        }
        var numbers = [Int32?](repeating: nil, count: different.count), missing: [Int64] = []
        for (position, member) in different.enumerated() {
            if isKnown(member) { numbers[position] = -1 } else { missing.append(member) }
        }
        let rows = try rows(of: destination, missing.sorted(), connection)
        var number: Int32 = 0
        for block in rows.blocks {
            for row in 0..<Int32(block.rowCount) {
                if let position = positions[block.primaryKey(row: row)] { numbers[position] = number }
                number += 1
            }
        }
        var shared: [DestinationRows.SharedRow] = [], knownOwners: [Int64] = []
        shared.reserveCapacity(members.count)
        knownOwners.reserveCapacity(members.count)
        for index in members.indices {
            // Rows of join tables that lead nowhere have no member.
            guard let number = numbers[whichOfThem[index]] else { continue }
            shared.append(DestinationRows.SharedRow(primaryKey: members[index], number: number))
            knownOwners.append(ownersOfMembers[index])
        }
        return DestinationRows(rows: rows, owners: knownOwners, shared: shared)
    }

    private func read(
        _ columns: DestinationColumns, of owners: [Int64], _ relationship: Property, _ connection: Connection, ownerColumn: Int,
        _ makeCollector: () -> RowCollector
    ) throws -> PackedRows {
        func found(asRun: Bool) throws -> PackedRows {
            let rows = makeCollector()
            try KeyBatches.forEach(owners, asRun: asRun) { batch in
                guard let text = try destinationsText(relationship, ownerCount: batch.count, columns) else { return }
                let statement = try connection.statement(text)
                defer { statement.reset() }
                try batch.bind(to: statement, at: 1)
                _ = try statement.fetch(into: rows)
            }
            return rows.finish()
        }
        let isRun = KeyBatches.isRun(owners), rows = try found(asRun: isRun)
        // In a damaged store, a number such as 1.5 is in the range, but is no owner's key.
        return !isRun || rows.hasOnlyIntegers(column: ownerColumn) ? rows : try found(asRun: false)
    }

    /// - Parameter ownerCount: 0 for all owners between two keys.
    /// - Returns: nil if the store has no such members.
    func destinationsText(
        _ relationship: Property, ownerCount: Int, _ columns: DestinationColumns
    ) throws(PinviewError) -> StatementText? {
        guard let source = destinationSource(relationship) else { return nil }
        let shape = FetchShape(destinationsOf: relationship, ownerCount: ownerCount, columns)
        return try fetchTexts.text(of: shape) {
            let selected =
                switch columns {
                case .references: "\(source.owner), t0.Z_PK, t0.Z_ENT"
                case .rowsAndOwners: "\(source.destination.selectList), \(source.owner)"
                case .keysAndOwners: "\(source.member), \(source.owner)"
                }
            let tables = columns == .keysAndOwners ? source.joinTable ?? source.tables : source.tables
            return "SELECT \(selected) FROM \(tables) WHERE \(source.owner) \(KeyBatches.placeholders(ownerCount)) "
                + "ORDER BY \(source.owner), \(source.order)\(source.member)"
        }
    }

    /// Where a relationship's destinations are found. `t0` is the table of the destinations.
    private struct DestinationSource {
        var destination: EntitySchema
        /// The column with the owner's key.
        var owner: String
        /// The member's key; in a join table, the column of the table's index.
        var member = "t0.Z_PK"
        var tables: String
        /// The table that has owners and members, without `t0`; nil if it is `t0` itself.
        var joinTable: String?
        /// The order of an ordered relationship, followed by a comma; otherwise empty.
        var order = ""
    }

    private func destinationSource(_ relationship: Property) -> DestinationSource? {
        guard let entity = schema.destination(of: relationship) else { return nil }
        let destination = schema.entity(at: entity.entity.rootIndex) ?? entity
        switch schema.storage(of: relationship) {
        case .toMany(let foreignKey):
            let order = foreignKey.order.map { "t0.\(SQLIdentifier.quoted($0)), " } ?? ""
            return DestinationSource(
                destination: destination, owner: "t0." + SQLIdentifier.quoted(foreignKey.key), tables: "\(destination.table) AS t0",
                order: order)
        case .join(let side):
            let names = JoinNames(side)
            return DestinationSource(
                destination: destination, owner: "j.\(names.owner)", member: "j.\(names.member)",
                tables: "\(names.table) AS j CROSS JOIN \(destination.table) AS t0 ON t0.Z_PK = j.\(names.member)",
                joinTable: "\(names.table) AS j",
                order: names.order.map { "j.\($0), " } ?? "")
        case .toOne(let key, _):
            guard let owner = schema.entity(at: relationship.declaringEntityIndex) else { return nil }
            return DestinationSource(
                destination: destination, owner: "o.Z_PK",
                tables: "\(owner.table) AS o CROSS JOIN \(destination.table) AS t0 ON t0.Z_PK = o.\(SQLIdentifier.quoted(key))")
        case .none, .attribute: return nil
        }
    }
}

/// What is selected of the destinations of several objects.
enum DestinationColumns: Int {
    /// Owner, member and the member's `Z_ENT`.
    case references
    /// The member's row, and its owner.
    case rowsAndOwners
    /// Member and owner, from a join table alone.
    case keysAndOwners
}

/// The destinations of several objects, in the order of the objects, and their rows.
package struct DestinationRows: Sendable {
    /// A destination whose row others may share.
    package struct SharedRow: Sendable {
        package let primaryKey: Int64
        /// Negative if the caller knows the row.
        package let number: Int32
    }

    package let rows: FetchedRows
    /// The owner of each destination.
    package let owners: [Int64]
    /// The row of each destination; nil if each has its own, in the same order.
    package let shared: [SharedRow]?
}

extension PackedRows {
    fileprivate func hasOnlyIntegers(column: Int) -> Bool {
        blocks.allSatisfy { block in
            (0..<Int(block.rowCount)).allSatisfy { block.type(row: $0, column: column) == .integer }
        }
    }

    fileprivate func integers(column: Int) -> [Int64] {
        Array(unsafeUninitializedCapacity: rowCount) { integers, count in
            guard let first = integers.baseAddress else { return }
            for block in blocks {
                block.copyIntegers(column: column, rows: 0..<Int(block.rowCount), into: first + count)
                count += Int(block.rowCount)
            }
        }
    }
}

extension [Int64] {
    package var sortedAndDistinct: [Int64] {
        var distinct: [Int64] = []
        distinct.reserveCapacity(count)
        for key in sorted() where key != distinct.last { distinct.append(key) }
        return distinct
    }
}

/// Splits long lists of primary keys into batches of a few fixed sizes, padded with NULL, so that
/// there are few statement texts.
enum KeyBatches {
    struct Batch {
        let keys: ArraySlice<Int64>
        /// How many keys the statement takes; 0 if it takes the first and the last of a run.
        let count: Int

        func bind(to statement: Statement, at first: Int32) throws(SQLiteError) {
            if count == 0, let low = keys.first, let high = keys.last {
                try statement.bind(first, low)
                try statement.bind(first + 1, high)
                return
            }
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

    /// A missing key costs as much as an existing one, so at most half of a larger batch is
    /// padding.
    private static let sizes = [1, 4, 16, 64, 128, 256, 512, 1000]

    /// - Parameter asRun: whether the keys are given as a range, all at once; they must be a run.
    static func forEach(_ keys: [Int64], asRun: Bool = false, _ body: (Batch) throws -> Void) rethrows {
        if asRun { return try body(Batch(keys: keys[...], count: 0)) }
        var rest = keys[...]
        while !rest.isEmpty {
            let keys = rest.prefix(1000)
            rest = rest.dropFirst(keys.count)
            try body(Batch(keys: keys, count: sizes.first { $0 >= keys.count } ?? keys.count))
        }
    }

    /// Whether many keys are consecutive, as those of a page of a whole table. Reading a range
    /// takes a third less than looking up each.
    static func isRun(_ keys: [Int64]) -> Bool {
        guard let first = keys.first, keys.count > 4, first <= .max - Int64(keys.count) else { return false }
        for index in keys.indices where keys[index] != first + Int64(index) { return false }
        return true
    }

    /// `= ?` or `IN (?, ?, …)`; without a count, `BETWEEN ? AND ?`.
    static func placeholders(_ count: Int) -> String {
        count == 0 ? "BETWEEN ? AND ?" : count == 1 ? "= ?" : "IN (" + String(repeating: "?, ", count: count - 1) + "?)"
    }
}
