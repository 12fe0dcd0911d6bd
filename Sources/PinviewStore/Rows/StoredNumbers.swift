import PinviewGenerations
import PinviewModel

/// A value in a store file that neither the library nor Core Data can have written there.
///
/// Code that reads rows lets it propagate; `PinviewError(any:while:store:)` turns it into an error
/// that names the store.
struct StoreDamage: Error {
    let table: String
    /// Nil if it is unknown whose row it is.
    let key: Int64?
    /// What is wrong, for example "has 99 in Z_ENT, which is not an entity of that table".
    let reason: String

    var description: String { key.map { "row \($0) of \(table) \(reason)" } ?? "a row of \(table) \(reason)" }
}

/// The valid ranges of numbers in a store file.
///
/// A file can be damaged, or written with malicious intent. Each number from a file is checked
/// where it is read, with the functions below, so that all other code can compute with it: no
/// number is within a factor of two of the limits of `Int64`, and each entity number belongs to an
/// entity that the table can contain.
enum StoredNumber {
    /// The largest primary key, version or counter.
    static let limit: Int64 = 1 << 62

    static func isKey(_ number: Int64) -> Bool { number > 0 && number <= limit }
    static func isVersion(_ number: Int64) -> Bool { number >= 0 && number <= limit }

    /// A counter of the library's own tables, such as `Z_MAX`. Core Data writes −1 for none.
    static func counter(_ statement: Statement, _ column: Int32, table: String, key: Int64?, name: String) throws(StoreDamage) -> Int64 {
        let type = statement.type(column)
        guard type != .null else { return 0 }
        let number = statement.int64(column)
        guard type == .integer, number >= -1, number <= limit else {
            throw StoreDamage(table: table, key: key, reason: "has \(statement.string(column).quotedForPeople) in \(name)")
        }
        return max(number, 0)
    }

    /// A primary key, or another number that starts at 1.
    static func key(_ statement: Statement, _ column: Int32, table: String, name: String) throws(StoreDamage) -> Int64 {
        let number = statement.int64(column)
        guard statement.type(column) == .integer, isKey(number) else {
            throw StoreDamage(
                table: table, key: nil, reason: "has \(statement.string(column).quotedForPeople) in \(name), which is not a primary key")
        }
        return number
    }
}

/// The entities that rows may belong to: an entity and its descendants.
struct EntityFamily: Sendable {
    let table: String
    /// By `Z_ENT`: the index of the entity if it belongs to the family, otherwise −1.
    private let indexes: [Int32]
    /// The only entity of the hierarchy, whose rows may lack an entity number; −1 if there are
    /// several.
    let onlyIndex: Int32
    private let topIndex: Int32

    init(_ entity: Entity, hierarchyCount: Int, table: String, numbers: EntityNumbers) {
        self.table = table
        let family = entity.familyIndexes.map { (number: Int(numbers.number(ofEntityIndex: $0)), index: Int32($0)) }
        var indexes = [Int32](repeating: -1, count: (family.map(\.number).max() ?? 0) + 1)
        for member in family where member.number > 0 { indexes[member.number] = member.index }
        self.indexes = indexes
        topIndex = Int32(entity.index)
        onlyIndex = hierarchyCount == 1 ? Int32(entity.index) : -1
    }

    /// The members' `Z_ENT`.
    var numbers: [Int32] { indexes.indices.filter { indexes[$0] >= 0 }.map { Int32($0) } }

    /// The index of the entity with a number; nil if it is not in the family.
    @inline(__always)
    func entityIndex(ofNumber number: Int64) -> Int? {
        guard number > 0, number < Int64(indexes.count), indexes[Int(number)] >= 0 else { return nil }
        return Int(indexes[Int(number)])
    }

    /// The entity of a row.
    func entityIndex(_ type: CellType, _ number: Int64, key: Int64) throws(StoreDamage) -> Int {
        if type == .integer, let index = entityIndex(ofNumber: number) { return index }
        if onlyIndex >= 0, type == .null || type == .integer && number == 0 { return Int(onlyIndex) }
        throw StoreDamage(
            table: table, key: key,
            reason: "has \(type == .integer ? "\(number)" : type == .null ? "nothing" : "no number") in Z_ENT, "
                + "which is not an entity of that table")
    }

    /// The record that the current row of a statement refers to.
    ///
    /// - Parameters:
    ///   - key: the column of the primary key.
    ///   - entity: the column of the `Z_ENT`.
    func reference(_ statement: Statement, key: Int32, entity: Int32) throws(StoreDamage) -> Reference {
        let primaryKey = try StoredNumber.key(statement, key, table: table, name: "Z_PK")
        let index = try entityIndex(statement.type(entity), statement.int64(entity), key: primaryKey)
        return Reference(entityIndex: Int32(index), primaryKey: primaryKey)
    }

    /// The record that the first two columns of a row refer to.
    func reference(_ block: RowBlock, row: Int) throws(StoreDamage) -> Reference {
        let key = block.cell(row: row, column: 0), entity = block.cell(row: row, column: 1)
        guard key.type == .integer, StoredNumber.isKey(key.bits) else { throw notAKey(block.string(key)) }
        return Reference(entityIndex: Int32(try entityIndex(entity.type, entity.bits, key: key.bits)), primaryKey: key.bits)
    }

    /// The destination of a relationship. If its entity is NULL, it is that of the family.
    func reference(_ key: (type: CellType, number: Int64), _ entity: (type: CellType, number: Int64)) throws(StoreDamage) -> Reference {
        guard key.type == .integer, StoredNumber.isKey(key.number) else { throw notAKey("\(key.number)") }
        let index = entity.type == .null ? topIndex : Int32(try entityIndex(entity.type, entity.number, key: key.number))
        return Reference(entityIndex: index, primaryKey: key.number)
    }

    private func notAKey(_ text: String) -> StoreDamage {
        StoreDamage(table: table, key: nil, reason: "has \(text.quotedForPeople) as its primary key, or another row refers to that")
    }
}

/// Checks of rows before anything is made of them.
extension RowLayout {
    func check(_ rows: PackedRows) throws(StoreDamage) {
        for block in rows.blocks { try check(block, rows: 0..<Int(block.rowCount)) }
    }

    /// Checks columns as a whole first: most blocks pass without checking each row.
    func check(_ block: RowBlock, rows: Range<Int>) throws(StoreDamage) {
        if rows.count == 1, isUsual(block, row: rows.lowerBound) { return }
        if !block.hasIntegers(column: Self.primaryKeyColumn, from: 1, through: StoredNumber.limit, orNull: false, rows: rows) {
            try forEachRow(block, rows) { (row, key) throws(StoreDamage) in
                guard key.type == .integer, StoredNumber.isKey(key.bits) else {
                    throw damage(block, key, "has \(Self.shown(key, block)) in Z_PK, which is not a primary key")
                }
            }
        }
        if !block.hasIntegers(column: Self.versionColumn, from: 0, through: StoredNumber.limit, orNull: true, rows: rows) {
            try forEachRow(block, rows) { (row, key) throws(StoreDamage) in
                let version = block.cell(row: row, column: Self.versionColumn)
                guard version.type == .null || version.type == .integer && StoredNumber.isVersion(version.bits) else {
                    throw damage(block, key, "has \(Self.shown(version, block)) in Z_OPT, which is not a version")
                }
            }
        }
        if let number = block.onlyInteger(column: Self.entityColumn, rows: rows), family.entityIndex(ofNumber: number) != nil {
            // All of them are of one entity.
        } else {
            try forEachRow(block, rows) { (row, key) throws(StoreDamage) in
                let number = block.cell(row: row, column: Self.entityColumn)
                _ = try family.entityIndex(number.type, number.bits, key: key.bits)
            }
        }
        for reference in references { try check(reference, block, rows) }
    }

    /// Whether a row has what most have: numbers that fit in slots, and relationships whose keys say
    /// everything. There may be nothing wrong with others.
    private func isUsual(_ block: RowBlock, row: Int) -> Bool {
        guard let keyColumns, let key = block.integerInSlot(row: row, column: Self.primaryKeyColumn), key > 0,
            let version = block.integerInSlot(row: row, column: Self.versionColumn), version >= 0,
            let number = block.integerInSlot(row: row, column: Self.entityColumn), family.entityIndex(ofNumber: number) != nil
        else { return false }
        for column in keyColumns {
            if let key = block.integerInSlot(row: row, column: column) {
                guard key >= 0 else { return false }
            } else {
                guard block.isNullInSlot(row: row, column: column) else { return false }
            }
        }
        return true
    }

    private func check(_ reference: CheckedReference, _ block: RowBlock, _ rows: Range<Int>) throws(StoreDamage) {
        if !block.hasIntegers(column: reference.column, from: 0, through: StoredNumber.limit, orNull: true, rows: rows) {
            try forEachRow(block, rows) { (row, key) throws(StoreDamage) in
                let cell = block.cell(row: row, column: reference.column)
                guard cell.type == .null || cell.type == .integer && cell.bits >= 0 && cell.bits <= StoredNumber.limit else {
                    throw damage(
                        block, key, "has \(Self.shown(cell, block)) as the key of its \(reference.name), which is not a primary key")
                }
            }
        }
        guard reference.entityColumn >= 0 else { return }
        if let number = block.onlyInteger(column: reference.entityColumn, rows: rows), reference.has(number) { return }
        try forEachRow(block, rows) { (row, key) throws(StoreDamage) in
            let cell = block.cell(row: row, column: reference.entityColumn)
            guard cell.type != .null, block.type(row: row, column: reference.column) != .null else { return }
            guard cell.type == .integer, reference.has(cell.bits) else {
                throw damage(
                    block, key, "has \(Self.shown(cell, block)) as the entity of its \(reference.name), which cannot lead there")
            }
        }
    }

    @inline(__always)
    private func forEachRow(
        _ block: RowBlock, _ rows: Range<Int>, _ body: (_ row: Int, _ key: RowBlock.Cell) throws(StoreDamage) -> Void
    ) throws(StoreDamage) {
        for row in rows { try body(row, block.cell(row: row, column: Self.primaryKeyColumn)) }
    }

    private func damage(_ block: RowBlock, _ key: RowBlock.Cell, _ reason: String) -> StoreDamage {
        StoreDamage(table: family.table, key: key.type == .integer ? key.bits : nil, reason: reason)
    }

    private static func shown(_ cell: RowBlock.Cell, _ block: RowBlock) -> String {
        switch cell.type {
        case .null: "nothing"
        case .blob: "\(block.bytes(cell).count) bytes"
        case .text: block.string(cell).quotedForPeople
        default: block.string(cell)
        }
    }

    /// The columns of a to-one relationship, and their valid values.
    struct CheckedReference: Sendable {
        let name: String
        let column: Int
        /// −1 if the destination's entity follows from the model.
        let entityColumn: Int
        /// By `Z_ENT`: whether the relationship can lead to that entity.
        let leadsTo: [Bool]

        func has(_ number: Int64) -> Bool { number >= 0 && number < Int64(leadsTo.count) && leadsTo[Int(number)] }
    }
}
