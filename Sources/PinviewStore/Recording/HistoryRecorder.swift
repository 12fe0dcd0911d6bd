import Glibc
import PinviewGenerations
import PinviewModel

/// The author of a transaction, for the history.
package struct HistoryOrigin: Sendable {
    package var author: String?
    package var contextName: String?

    package init(author: String? = nil, contextName: String? = nil) {
        self.author = author
        self.contextName = contextName
    }

    /// The program's name and process ID.
    static let program: String = CommandLine.arguments.first.map { String($0.split(separator: "/").last ?? "") } ?? ""
    static let process = "\(program)-\(getpid())"
}

/// What happened to a row.
package enum HistoryChangeKind: Int, Sendable {
    case insert = 0
    case update = 1
    case delete = 2
}

/// Collects the changes of a write transaction, and writes them to the history before it commits.
final class HistoryRecorder {
    private struct Change {
        let primaryKey: Int64
        let entityIndex: Int32
        var kind: HistoryChangeKind
        /// The index in `details` of the changed properties or of the tombstone.
        var detail: Int32 = 0

        /// Whether both changes are the same except for the row.
        func isAlike(_ other: Change) -> Bool { entityIndex == other.entityIndex && kind == other.kind && detail == other.detail }
    }

    private struct RowKey: Hashable {
        let rootIndex: Int32
        let primaryKey: Int64
    }

    private let origin: HistoryOrigin
    private let schema: StoreSchema
    private let form: HistoryForm
    @exclusivity(unchecked) private var changes: [Change] = []
    /// The first means none.
    @exclusivity(unchecked) private var details: [[UInt8]] = [[]]
    /// The changed properties recorded last, as bits: consecutive rows often have the same.
    @exclusivity(unchecked) private var lastBits: (bits: [UInt8], detail: Int32) = ([], 0)
    /// Whether a row may have several changes in the list.
    private var mayRepeat = false

    init(origin: HistoryOrigin, schema: StoreSchema, form: HistoryForm) {
        self.origin = origin
        self.form = form
        self.schema = schema
    }

    func inserted(_ entity: Entity, _ primaryKey: Int64) { append(.insert, entity.index, primaryKey) }

    /// - Parameter bits: the indexes of the changed properties; see ``ColumnMasks/bits(of:)``.
    func updated(_ entity: Entity, _ primaryKey: Int64, bits: [UInt8]) {
        append(.update, entity.index, primaryKey, detail: detail(ofBits: bits))
    }

    func deleted(_ entity: Entity, _ primaryKey: Int64, tombstone: [String: PropertyListValue]) {
        append(
            .delete, entity.index, primaryKey,
            detail: tombstone.isEmpty ? 0 : detail(PropertyListValue.dictionary(tombstone).binaryPropertyList()))
    }

    /// Records a change of a relationship's members that affects no column of the row.
    func changedMembers(of relationship: Property, _ reference: Reference) {
        mayRepeat = true
        append(.update, Int(reference.entityIndex), reference.primaryKey, detail: detail(ofBits: ColumnMasks.bits(of: [relationship])))
    }

    /// Allows rows to be recorded more than once.
    func expectRepeats() { mayRepeat = true }

    private func append(_ kind: HistoryChangeKind, _ entityIndex: Int, _ primaryKey: Int64, detail: Int32 = 0) {
        guard schema.model.entities.indices.contains(entityIndex) else { return }
        changes.append(Change(primaryKey: primaryKey, entityIndex: Int32(entityIndex), kind: kind, detail: detail))
    }

    private func detail(_ bytes: [UInt8]) -> Int32 {
        details.append(bytes)
        return Int32(truncatingIfNeeded: details.count - 1)
    }

    private func detail(ofBits bits: [UInt8]) -> Int32 {
        if lastBits.detail == 0 || lastBits.bits != bits { lastBits = (bits, detail(bits)) }
        return lastBits.detail
    }

    /// Merges the changes of each row into one. A row that was inserted and deleted again has none.
    private func merge() {
        guard mayRepeat else { return }
        var positions: [RowKey: Int] = [:]
        var merged: [Change?] = []
        for change in changes {
            let root = schema.model.entities[Int(change.entityIndex)].rootIndex
            let key = RowKey(rootIndex: Int32(root), primaryKey: change.primaryKey)
            guard let position = positions[key], let known = merged[position] else {
                positions[key] = merged.count
                merged.append(change)
                continue
            }
            switch (known.kind, change.kind) {
            case (.insert, .delete): merged[position] = nil
            case (_, .delete): merged[position] = change
            case (.update, .update):
                merged[position]?.detail = detail(ofBits: Self.union(details[Int(known.detail)], details[Int(change.detail)]))
            default: break
            }
        }
        changes = merged.compactMap { $0 }
        mayRepeat = false
    }

    private static func union(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
        (0..<max(left.count, right.count)).map { ($0 < left.count ? left[$0] : 0) | ($0 < right.count ? right[$0] : 0) }
    }

    // MARK: Writing

    /// Writes a history transaction, unless nothing has changed.
    func write(_ connection: Connection) throws {
        merge()
        guard !changes.isEmpty else { return }
        let number = try HistorySchema.lastKey(HistorySchema.transactions, connection, form) + 1
        try HistorySchema.setLastKey(number, HistorySchema.transactions, connection)
        let names: [(HistoryForm.Name, String?)] = [
            (.author, origin.author), (.contextName, origin.contextName), (.program, HistoryOrigin.program),
            (.process, HistoryOrigin.process),
        ]
        let columns = names.compactMap { name, text in form.column(name).map { (name: name, column: $0, text: text) } }
        let transaction = try connection.statement(
            "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, Z_OPT, ZTIMESTAMP\(columns.map { ", \($0.column)" }.joined())) "
                + "VALUES (?, 16002, 1, ?\(String(repeating: ", ?", count: columns.count)))")
        let cells = try columns.map { column -> StoredCell in
            guard let text = column.text else { return .null }
            return form.usesStrings(column.name) ? .integer(try key(ofString: text, connection)) : .text(text)
        }
        try transaction.bind(1, number)
        try transaction.bind(2, Self.now)
        for (index, cell) in cells.enumerated() { try transaction.bind(Int32(index + 3), cell) }
        try transaction.run()

        try writeChanges(transaction: number, connection)
    }

    private static let rowsAtOnce = 16

    /// Changes of the same kind usually follow one another: what they share is bound once, and
    /// several are inserted with one statement.
    private func writeChanges(transaction number: Int64, _ connection: Connection) throws {
        var key = try HistorySchema.lastKey(HistorySchema.changes, connection, form)
        let single = try connection.statement(insertion(rows: 1))
        let several = changes.count < Self.rowsAtOnce * 4 ? nil : try connection.statement(insertion(rows: Self.rowsAtOnce))
        defer {
            single.reset()
            several?.reset()
        }
        var position = 0
        while position < changes.count {
            let first = changes[position]
            var end = position + 1
            while end < changes.count, changes[end].isAlike(first) { end += 1 }
            if let several, end - position >= Self.rowsAtOnce {
                try bind(first, number, several)
                while end - position >= Self.rowsAtOnce { try insert(Self.rowsAtOnce, several, &position, &key) }
            }
            if position == end { continue }
            try bind(first, number, single)
            while position < end { try insert(1, single, &position, &key) }
        }
        try HistorySchema.setLastKey(key, HistorySchema.changes, connection)
    }

    /// The first parameters are what similar changes share: kind, entity, transaction, mask and
    /// tombstones.
    private var firstRowParameter: Int { 5 + form.tombstoneColumns.count }

    private func insertion(rows: Int) -> String {
        let columns = (form.hasMasks ? ", ZCOLUMNS" : "") + form.tombstoneColumns.map { ", \($0)" }.joined()
        let common = (form.hasMasks ? ", ?4" : "") + form.tombstoneColumns.indices.map { ", ?\($0 + 5)" }.joined()
        let version = form.isOwn ? ColumnMasks.form : 1
        let positions = (0..<rows).map { row in
            "(?\(row * 2 + firstRowParameter), 16001, \(version), ?1, ?2, ?\(row * 2 + firstRowParameter + 1), ?3\(common))"
        }
        return "INSERT INTO ACHANGE (Z_PK, Z_ENT, Z_OPT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID\(columns)) VALUES "
            + positions.joined(separator: ", ")
    }

    /// Binds what similar changes share.
    private func bind(_ change: Change, _ transaction: Int64, _ statement: Statement) throws {
        let detail = details[Int(change.detail)]
        try statement.bind(1, Int64(change.kind.rawValue))
        try statement.bind(2, Int64(schema.numbers.number(ofEntityIndex: Int(change.entityIndex))))
        try statement.bind(3, transaction)
        if !form.hasMasks {
            // The statement has no such parameter.
        } else if change.kind == .update {
            try schema.columnMasks.withMask(ofEntityIndex: Int(change.entityIndex), bits: detail) { try statement.bind(4, blob: $0) }
        } else {
            try statement.bindNull(4)
        }
        let hasTombstone = change.kind == .delete && change.detail > 0
        guard form.isOwn || !hasTombstone else { return try bindValues(detail, Int(change.entityIndex), statement) }
        if form.isOwn && hasTombstone {
            try detail.withUnsafeBytes { try statement.bind(5, blob: $0) }
        } else {
            for index in form.tombstoneColumns.indices { try statement.bindNull(Int32(index + 5)) }
        }
    }

    /// Binds a value for each tombstone column, as Core Data stores them.
    private func bindValues(_ tombstone: [UInt8], _ entityIndex: Int, _ statement: Statement) throws {
        let values = try PropertyListValue(binary: tombstone).dictionaryValue ?? [:]
        let attributes = HistoryForm.preservedAttributes(of: schema.model.entities[entityIndex])
        for index in form.tombstoneColumns.indices {
            let attribute = attributes.indices.contains(index) ? attributes[index] : nil
            let cell = try attribute.flatMap { attribute in
                try values[attribute.name].map { try StoredCell($0.value(of: attribute), for: attribute) }
            }
            try statement.bind(Int32(index + 5), cell ?? .null)
        }
    }

    private func insert(_ count: Int, _ statement: Statement, _ position: inout Int, _ key: inout Int64) throws(SQLiteError) {
        let first = firstRowParameter
        for row in 0..<count {
            key += 1
            try statement.bind(Int32(row * 2 + first), key)
            try statement.bind(Int32(row * 2 + first + 1), changes[position].primaryKey)
            position += 1
        }
        try statement.runAgain()
    }

    /// The key of a name in the table of strings, which has each name once.
    private func key(ofString text: String, _ connection: Connection) throws -> Int64 {
        let search = try connection.statement("SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?")
        do {
            defer { search.reset() }
            try search.bind(1, text)
            if try search.step() { return search.int64(0) }
        }
        let key = try HistorySchema.lastKey(HistorySchema.strings, connection, form) + 1
        try HistorySchema.setLastKey(key, HistorySchema.strings, connection)
        let insertion = try connection.statement("INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (?, 16003, 1, ?)")
        try insertion.bind(1, key)
        try insertion.bind(2, text)
        try insertion.run()
        return key
    }

    /// Seconds since 2001-01-01 00:00 UTC.
    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) - 978_307_200 + Double(time.tv_nsec) / 1e9
    }
}
