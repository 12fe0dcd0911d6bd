import PinviewGenerations
import PinviewModel

/// The writing of one save: a transaction on the store's only writer. Used by the thread that began it; without a commit nothing stays.
package final class SaveTransaction {
    let store: SQLStore
    private let transaction: WriteTransaction
    private var isOpen = true
    private var updateTexts: [UpdateShape: String] = [:]

    /// Which columns an UPDATE sets.
    private struct UpdateShape: Hashable {
        let entityIndex: Int
        let changed: [Int]
        let checksVersion: Bool
    }

    init(store: SQLStore, transaction: WriteTransaction) {
        self.store = store
        self.transaction = transaction
    }

    deinit { rollback() }

    func write<R>(_ body: (Connection) throws -> R) throws(PinviewError) -> R {
        guard isOpen else {
            throw PinviewError(.persistentStoreSave, "The save to \(store.name) has ended already; begin another.")
        }
        do {
            return try body(transaction.connection)
        } catch {
            throw PinviewError(any: error, while: .writing, store: store.name)
        }
    }

    // MARK: Keys

    /// Takes primary keys for new rows of an entity's hierarchy.
    /// - Returns: the first of `count` consecutive keys.
    package func allocatePrimaryKeys(entity: Entity, count: Int) throws(PinviewError) -> Int64 {
        try write { try PrimaryKeys.allocate(count, for: entity, in: store, $0) }
    }

    // MARK: Rows

    /// Inserts a row under the primary key that it has.
    package func insert(_ row: RowSnapshot, entity: Entity) throws(PinviewError) {
        let schema = try store.schema.entity(entity)
        try write { connection in
            let statement = try connection.statement(schema.insertSQL)
            defer { statement.reset() }
            try statement.bind(1, row.primaryKey)
            try statement.bind(2, Int64(schema.number))
            try statement.bind(3, row.version)
            var index: Int32 = 4
            for property in schema.storedProperties { try bind(property, of: row, to: statement, &index) }
            try statement.run()
        }
    }

    /// Writes changed columns of a row.
    ///
    /// - Parameters:
    ///   - row: the whole new row; its version is the new one.
    ///   - changed: stored attributes and to-one relationships.
    ///   - expectedVersion: the version that the row must have in the store now; nil for any.
    /// - Returns: false if there is no row with that key and version.
    package func update(
        _ row: RowSnapshot, entity: Entity, changed: [Property], expectedVersion: Int64?
    ) throws(PinviewError) -> Bool {
        let schema = try store.schema.entity(entity)
        let written = changed.filter { RowLayout.isStored($0) && !store.schema.columns(of: $0).isEmpty }
        let shape = UpdateShape(entityIndex: entity.index, changed: written.map(\.index), checksVersion: expectedVersion != nil)
        let text = updateTexts[shape] ?? updateText(schema, written, checksVersion: expectedVersion != nil)
        updateTexts[shape] = text
        return try write { connection in
            let statement = try connection.statement(text)
            defer { statement.reset() }
            try statement.bind(1, row.version)
            var index: Int32 = 2
            for property in written { try bind(property, of: row, to: statement, &index) }
            try statement.bind(index, row.primaryKey)
            if let expectedVersion { try statement.bind(index + 1, expectedVersion) }
            try statement.run()
            return connection.changes > 0
        }
    }

    private func updateText(_ schema: EntitySchema, _ changed: [Property], checksVersion: Bool) -> String {
        var text = "UPDATE \(schema.table) SET Z_OPT = ?"
        for property in changed {
            for column in store.schema.columns(of: property) { text += ", \(SQLIdentifier.quoted(column)) = ?" }
        }
        text += " WHERE Z_PK = ?"
        return checksVersion ? text + " AND IFNULL(Z_OPT, 0) = ?" : text
    }

    /// Binds the cells of a property as its columns in this store want them. Rows made by hand number entities by the model.
    private func bind(_ property: Property, of row: RowSnapshot, to statement: Statement, _ index: inout Int32) throws(SQLiteError) {
        let columnCount = store.schema.columns(of: property).count
        guard columnCount > 0 else { return }
        let place = row.layout.place(of: property)
        try statement.bind(index, row.rows, row: row.row, column: Int(place.column))
        index += 1
        guard columnCount == 2 else { return }
        if let reference = row.reference(of: property) {
            try statement.bind(index, Int64(store.schema.numbers.number(ofEntityIndex: Int(reference.entityIndex))))
        } else {
            try statement.bindNull(index)
        }
        index += 1
    }

    /// Deletes a row, and with it its places in join tables and the claims of its members upon it.
    ///
    /// - Parameter expectedVersion: the version that the row must have in the store now; nil for any.
    /// - Returns: false if there is no row with that key and version.
    package func delete(entity: Entity, primaryKey: Int64, expectedVersion: Int64?) throws(PinviewError) -> Bool {
        let schema = try store.schema.entity(entity)
        let text = "DELETE FROM \(schema.table) WHERE Z_PK = ?" + (expectedVersion == nil ? "" : " AND IFNULL(Z_OPT, 0) = ?")
        return try write { connection in
            let statement = try connection.statement(text)
            defer { statement.reset() }
            try statement.bind(1, primaryKey)
            if let expectedVersion { try statement.bind(2, expectedVersion) }
            try statement.run()
            guard connection.changes > 0 else { return false }
            for property in entity.relationships { try removeMembers(of: property, owner: primaryKey, connection) }
            return true
        }
    }

    /// Whether the row has that version in the store now.
    package func checkVersion(entity: Entity, primaryKey: Int64, expected: Int64) throws(PinviewError) -> Bool {
        let schema = try store.schema.entity(entity)
        return try write { connection in
            let statement = try connection.statement("SELECT Z_OPT FROM \(schema.table) WHERE Z_PK = ?")
            defer { statement.reset() }
            try statement.bind(1, primaryKey)
            return try statement.step() && statement.int64(0) == expected
        }
    }

    /// The row as it is in the store now, this transaction's changes included.
    package func currentRow(entity: Entity, primaryKey: Int64) throws(PinviewError) -> RowSnapshot? {
        try write { try store.readRow(entity: entity, primaryKey: primaryKey, $0) }
    }

    // MARK: Ending

    /// Makes it lasting.
    /// - Returns: the generation right after it; nil in stores without generations.
    package func commit() throws(PinviewError) -> Generation? {
        guard isOpen else {
            throw PinviewError(.persistentStoreSave, "The save to \(store.name) has ended already; begin another.")
        }
        isOpen = false
        store.endWriting()
        do {
            return try transaction.commit()
        } catch {
            throw PinviewError(any: error, while: .writing, store: store.name)
        }
    }

    /// Takes everything back. After the end of the transaction it does nothing.
    package func rollback() {
        guard isOpen else { return }
        isOpen = false
        store.endWriting()
        transaction.rollback()
    }
}

/// `Z_MAX`: the highest primary key that a hierarchy has handed out.
enum PrimaryKeys {
    static func allocate(_ count: Int, for entity: Entity, in store: SQLStore, _ connection: Connection) throws -> Int64 {
        guard count > 0 else { throw PinviewError(.invalidArgument, "\(count) primary keys were asked for; ask for at least one.") }
        let root = try store.schema.entity(entity)
        let number = Int64(store.schema.numbers.number(ofEntityIndex: entity.rootIndex))
        let reading = try connection.statement(
            "SELECT (SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?), (SELECT MAX(Z_PK) FROM \(root.table))")
        defer { reading.reset() }
        try reading.bind(1, number)
        // Files exist whose Z_MAX is lower than their highest key.
        let last = try reading.step() ? max(reading.int64(0), reading.int64(1), 0) : 0
        let (newLast, overflow) = last.addingReportingOverflow(Int64(count))
        guard !overflow else {
            throw PinviewError(.persistentStoreSave, "\(store.name) has no primary keys left for \(entity.name): the highest is \(last).")
                .with(affectedStores: store.name.affected)
        }
        let writing = try connection.statement("UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?")
        try writing.bind(1, newLast)
        try writing.bind(2, number)
        try writing.run()
        return last + 1
    }
}

extension SQLStore {
    /// Begins a save, after the writers before it. It must end on this thread.
    package func beginSave() throws(PinviewError) -> SaveTransaction {
        SaveTransaction(store: self, transaction: try beginWriting())
    }

    /// Takes primary keys in a transaction of its own.
    /// - Returns: the first of `count` consecutive keys.
    package func allocatePrimaryKeys(entity: Entity, count: Int) throws(PinviewError) -> Int64 {
        try write { try PrimaryKeys.allocate(count, for: entity, in: self, $0) }.0
    }
}
