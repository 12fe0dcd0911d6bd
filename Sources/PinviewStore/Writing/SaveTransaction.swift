import PinviewGenerations
import PinviewModel

/// Writes a save: a transaction on the store's only writer connection. Used by the thread that
/// began it. Nothing stays without a commit.
package final class SaveTransaction {
    let store: SQLStore
    private let transaction: WriteTransaction
    /// Nil in stores without a history.
    let history: HistoryRecorder?
    private var isOpen = true
    private var isPrepared = false
    /// The statements of the last insert and the last update, since rows of a kind usually follow
    /// one another.
    private var lastInsert: PreparedWrite?
    private var lastUpdate: PreparedWrite?
    private var lastDelete: PreparedDelete?
    private var lastRangeDelete: (entity: Entity, statement: Statement)?

    /// A statement that deletes rows of an entity, and what is deleted with each.
    private struct PreparedDelete {
        let entity: Entity
        let checksVersion: Bool
        let statement: Statement
        /// The relationships whose members must be removed.
        let members: [Property]
        /// Whether the history preserves values of the row.
        let keepsValues: Bool
    }

    /// A statement that writes some columns of an entity's rows.
    private struct PreparedWrite {
        let entity: EntitySchema
        let changed: [Property]
        let checksVersion: Bool
        let statement: Statement
        let columns: [WrittenProperty]
        let numbers: EntityNumbers

        func writes(_ other: [Property], of entity: EntitySchema, checksVersion: Bool) -> Bool {
            self.entity === entity && self.checksVersion == checksVersion && changed.count == other.count
                && zip(changed, other).allSatisfy { $0 === $1 }
        }

        /// Binds the columns in this store's format. Rows made in memory number entities by the
        /// model.
        /// - Returns: the index after the last one bound.
        func bind(_ row: RowSnapshot, from first: Int32) throws(SQLiteError) -> Int32 {
            var index = first
            for column in columns {
                try statement.bind(index, row.block, row: Int(row.row), column: Int(row.layout.location(of: column.property).column))
                index += 1
                guard column.hasEntityColumn else { continue }
                if let reference = row.reference(of: column.property) {
                    try statement.bind(index, Int64(numbers.number(ofEntityIndex: Int(reference.entityIndex))))
                } else {
                    try statement.bindNull(index)
                }
                index += 1
            }
            return index
        }
    }

    init(store: SQLStore, transaction: WriteTransaction, history: HistoryRecorder?) {
        self.store = store
        self.transaction = transaction
        self.history = history
    }

    deinit { rollback() }

    func write<R>(_ body: (Connection) throws -> R) throws(PinviewError) -> R {
        guard isOpen else {
            throw PinviewError(.persistentStoreSave, "The save to \(store.name.within) has already ended; begin another.")
        }
        do {
            return try body(transaction.connection)
        } catch {
            throw PinviewError(any: error, while: .writing, store: store.name)
        }
    }

    // MARK: Keys

    /// Allocates primary keys for new rows of an entity's hierarchy.
    /// - Returns: the first of `count` consecutive keys.
    package func allocatePrimaryKeys(entity: Entity, count: Int) throws(PinviewError) -> Int64 {
        try write { try PrimaryKeys.allocate(count, for: entity, in: store, $0) }
    }

    /// The highest primary key that has been allocated in an entity's hierarchy.
    func lastPrimaryKey(entity: Entity) throws(PinviewError) -> Int64 {
        try write { connection in
            let last = try PrimaryKeys.last(for: entity, in: store, connection)
            guard last < StoredNumber.limit else { throw PrimaryKeys.exhausted(entity, last, store) }
            return last
        }
    }

    func setLastPrimaryKey(_ key: Int64, entity: Entity) throws(PinviewError) {
        try write { try PrimaryKeys.setLast(key, for: entity, in: store, $0) }
    }

    // MARK: Rows

    /// Inserts a row with its own primary key.
    package func insert(_ row: RowSnapshot, entity: Entity) throws(PinviewError) {
        let schema = try store.schema.entity(entity)
        try write { connection in
            let prepared = try preparedInsert(schema, connection)
            defer { prepared.statement.reset() }
            try prepared.statement.bind(1, row.primaryKey)
            try prepared.statement.bind(2, Int64(schema.number))
            try prepared.statement.bind(3, row.version)
            _ = try prepared.bind(row, from: 4)
            _ = try prepared.statement.step()
        }
        history?.inserted(entity, row.primaryKey)
    }

    private func preparedInsert(_ schema: EntitySchema, _ connection: Connection) throws -> PreparedWrite {
        if let lastInsert, lastInsert.entity === schema { return lastInsert }
        let prepared = PreparedWrite(
            entity: schema, changed: [], checksVersion: false, statement: try connection.statement(schema.insertSQL),
            columns: schema.writtenProperties, numbers: store.schema.numbers)
        lastInsert = prepared
        return prepared
    }

    /// Writes changed columns of a row.
    ///
    /// - Parameters:
    ///   - row: the complete new row, with its new version.
    ///   - changed: stored attributes and to-one relationships.
    ///   - expectedVersion: the version that the row must have in the store; nil for any.
    /// - Returns: false if there is no row with that key and version.
    package func update(
        _ row: RowSnapshot, entity: Entity, changed: [Property], expectedVersion: Int64?
    ) throws(PinviewError) -> Bool {
        let schema = try store.schema.entity(entity)
        let isFound = try write { connection in
            let prepared = try preparedUpdate(schema, changed, checksVersion: expectedVersion != nil, connection)
            defer { prepared.statement.reset() }
            try prepared.statement.bind(1, row.version)
            let index = try prepared.bind(row, from: 2)
            try prepared.statement.bind(index, row.primaryKey)
            if let expectedVersion { try prepared.statement.bind(index + 1, expectedVersion) }
            _ = try prepared.statement.step()
            return connection.changes > 0
        }
        if isFound { history?.updated(entity, row.primaryKey, bits: ColumnMasks.bits(of: changed)) }
        return isFound
    }

    private func preparedUpdate(
        _ schema: EntitySchema, _ changed: [Property], checksVersion: Bool, _ connection: Connection
    ) throws -> PreparedWrite {
        if let lastUpdate, lastUpdate.writes(changed, of: schema, checksVersion: checksVersion) { return lastUpdate }
        let columns = schema.writtenProperties.filter { written in changed.contains { $0 === written.property } }
        var text = "UPDATE \(schema.table) SET Z_OPT = ?"
        for column in columns {
            let value = store.schema.written(column.property, "?")
            for name in store.schema.columns(of: column.property) { text += ", \(SQLIdentifier.quoted(name)) = \(value)" }
        }
        text += " WHERE Z_PK = ?"
        if checksVersion { text += " AND IFNULL(Z_OPT, 0) = ?" }
        let prepared = PreparedWrite(
            entity: schema, changed: changed, checksVersion: checksVersion, statement: try connection.statement(text), columns: columns,
            numbers: store.schema.numbers)
        lastUpdate = prepared
        return prepared
    }

    /// Deletes a row, with its entries in join tables and its members' references to it.
    ///
    /// - Parameter expectedVersion: the version that the row must have in the store; nil for any.
    /// - Returns: false if there is no row with that key and version.
    package func delete(entity: Entity, primaryKey: Int64, expectedVersion: Int64?) throws(PinviewError) -> Bool {
        let deletion = try preparedDelete(entity, checksVersion: expectedVersion != nil)
        return try write { connection in
            let tombstone = deletion.keepsValues ? try tombstone(entity, primaryKey, connection) : [:]
            let statement = deletion.statement
            try statement.bind(1, primaryKey)
            if let expectedVersion { try statement.bind(2, expectedVersion) }
            try statement.runAgain()
            guard connection.changes > 0 else { return false }
            for property in deletion.members { try removeMembers(of: property, owner: primaryKey, connection) }
            history?.deleted(entity, primaryKey, tombstone: tombstone)
            return true
        }
    }

    /// Deletes rows with consecutive keys and the same version with one statement, which takes
    /// SQLite two thirds of the time.
    ///
    /// - Returns: the number of deleted rows, where the remaining ones have another version; nil if
    ///   they must be deleted one by one.
    package func delete(
        entity: Entity, primaryKeys: ClosedRange<Int64>, expectedVersion: Int64
    ) throws(PinviewError) -> Int? {
        let deletion = try preparedDelete(entity, checksVersion: true)
        guard deletion.members.isEmpty, !deletion.keepsValues else { return nil }
        let condition = " FROM \(try store.schema.entity(entity).table) WHERE Z_PK BETWEEN ? AND ? AND IFNULL(Z_OPT, 0) = ?"
        return try write { connection in
            func bind(_ statement: Statement) throws(SQLiteError) {
                try statement.bind(1, primaryKeys.lowerBound)
                try statement.bind(2, primaryKeys.upperBound)
                try statement.bind(3, expectedVersion)
            }
            if history != nil {
                // The history names each deleted row, so all of them must be deleted.
                let counting = try connection.statement("SELECT count(*)" + condition)
                defer { counting.reset() }
                try bind(counting)
                guard try counting.step(), counting.int64(0) == primaryKeys.count else { return nil }
            }
            if lastRangeDelete?.entity !== entity {
                lastRangeDelete?.statement.reset()
                lastRangeDelete = (entity, try connection.statement("DELETE" + condition))
            }
            guard let statement = lastRangeDelete?.statement else { return nil }
            try bind(statement)
            try statement.runAgain()
            if let history { for key in primaryKeys { history.deleted(entity, key, tombstone: [:]) } }
            return connection.changes
        }
    }

    private func preparedDelete(_ entity: Entity, checksVersion: Bool) throws(PinviewError) -> PreparedDelete {
        if let lastDelete, lastDelete.entity === entity, lastDelete.checksVersion == checksVersion { return lastDelete }
        let schema = try store.schema.entity(entity)
        let text = "DELETE FROM \(schema.table) WHERE Z_PK = ?" + (checksVersion ? " AND IFNULL(Z_OPT, 0) = ?" : "")
        lastDelete?.statement.reset()
        let prepared = PreparedDelete(
            entity: entity, checksVersion: checksVersion, statement: try write { try $0.statement(text) },
            members: entity.relationships.filter { store.schema.hasOwnMembers($0) },
            keepsValues: history != nil && entity.attributes.contains(where: \.preservesValueInHistoryOnDeletion))
        lastDelete = prepared
        return prepared
    }

    /// The values of a deleted row that the history preserves.
    private func tombstone(_ entity: Entity, _ primaryKey: Int64, _ connection: Connection) throws -> [String: PropertyListValue] {
        let kept = entity.attributes.filter(\.preservesValueInHistoryOnDeletion)
        guard !kept.isEmpty, let row = try store.readRow(entity: entity, primaryKey: primaryKey, connection) else { return [:] }
        var values: [String: PropertyListValue] = [:]
        for attribute in kept { values[attribute.name] = PropertyListValue(row.value(of: attribute)) }
        return values
    }

    /// Whether a row has a version in the store now.
    package func checkVersion(entity: Entity, primaryKey: Int64, expected: Int64) throws(PinviewError) -> Bool {
        let schema = try store.schema.entity(entity)
        return try write { connection in
            let statement = try connection.statement("SELECT Z_OPT FROM \(schema.table) WHERE Z_PK = ?")
            defer { statement.reset() }
            try statement.bind(1, primaryKey)
            return try statement.step() && statement.int64(0) == expected
        }
    }

    /// The row in the store now, including this transaction's changes.
    package func currentRow(entity: Entity, primaryKey: Int64) throws(PinviewError) -> RowSnapshot? {
        try write { try store.readRow(entity: entity, primaryKey: primaryKey, $0) }
    }

    // MARK: Ending

    private func resetStatements() {
        lastInsert = nil
        lastUpdate = nil
        lastDelete?.statement.reset()
        lastDelete = nil
        lastRangeDelete?.statement.reset()
        lastRangeDelete = nil
    }

    /// Computes the derived attributes that the transaction has made outdated. Their rows keep
    /// their versions, since nobody can have set them.
    ///
    /// - Returns: the rows that changed.
    package func updateDerivedAttributes() throws(PinviewError) -> [Reference] {
        guard let derived = store.derived else { return [] }
        let changed = try write { try derived.update($0) }
        if !changed.isEmpty { history?.expectRepeats() }
        for (row, properties) in changed {
            history?.updated(
                store.schema.model.entities[Int(row.entityIndex)], row.primaryKey, bits: ColumnMasks.bits(of: properties))
        }
        return Array(changed.keys)
    }

    /// Writes what every commit writes at its end, and ends the time in which the save can be
    /// interrupted. A save to several stores calls this for all of them before the first commit.
    ///
    /// - Throws: also `timedOut` or `userCancelled`, if it has been stopped. Roll back then.
    package func prepareCommit() throws(PinviewError) {
        guard !isPrepared else { return }
        _ = try updateDerivedAttributes()
        if let history { try write { try history.write($0) } }
        try write { _ in try store.endInterruption(of: transaction) }
        isPrepared = true
    }

    /// Commits the transaction.
    /// - Returns: the rank of the generation right after it, which is not pinned; 0 in stores
    ///   without generations, or if another process has committed since.
    package func commit() throws(PinviewError) -> UInt64 {
        guard isOpen else {
            throw PinviewError(.persistentStoreSave, "The save to \(store.name.within) has already ended; begin another.")
        }
        try prepareCommit()
        resetStatements()
        isOpen = false
        do {
            return try store.commit(transaction)
        } catch {
            throw PinviewError(any: error, while: .writing, store: store.name)
        }
    }

    /// Rolls the transaction back. Does nothing once it has ended.
    package func rollback() {
        guard isOpen else { return }
        isOpen = false
        resetStatements()
        store.rollBack(transaction)
    }
}

/// `Z_MAX`: the highest primary key that has been allocated in a hierarchy.
enum PrimaryKeys {
    static func allocate(_ count: Int, for entity: Entity, in store: SQLStore, _ connection: Connection) throws -> Int64 {
        guard count > 0 else { throw PinviewError(.invalidArgument, "\(count) primary keys were requested; request at least one.") }
        let last = try last(for: entity, in: store, connection)
        guard last <= StoredNumber.limit - Int64(count) else { throw exhausted(entity, last, store) }
        try setLast(last + Int64(count), for: entity, in: store, connection)
        return last + 1
    }

    static func last(for entity: Entity, in store: SQLStore, _ connection: Connection) throws -> Int64 {
        let root = try store.schema.entity(entity)
        let reading = try connection.statement(
            "SELECT (SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?), (SELECT MAX(Z_PK) FROM \(root.table))")
        defer { reading.reset() }
        try reading.bind(1, Int64(store.schema.numbers.number(ofEntityIndex: entity.rootIndex)))
        // Some files have a Z_MAX below their highest key.
        return try reading.step() ? max(reading.int64(0), reading.int64(1), 0) : 0
    }

    static func setLast(_ key: Int64, for entity: Entity, in store: SQLStore, _ connection: Connection) throws {
        guard key <= StoredNumber.limit else { throw exhausted(entity, key, store) }
        let writing = try connection.statement("UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?")
        try writing.bind(1, key)
        try writing.bind(2, Int64(store.schema.numbers.number(ofEntityIndex: entity.rootIndex)))
        try writing.run()
    }

    static func exhausted(_ entity: Entity, _ last: Int64, _ store: SQLStore) -> PinviewError {
        PinviewError(.persistentStoreSave, "\(store.name) has no primary keys left for \(entity.name): the highest in use is \(last).")
            .with(affectedStores: store.name.affected)
    }
}

extension SQLStore {
    /// Begins a save, after waiting for earlier writers. It must end on this thread.
    /// - Parameter origin: the author, for the history; not asked for in stores without one.
    @inline(never)
    package func beginSave(origin: @autoclosure () -> HistoryOrigin = HistoryOrigin()) throws(PinviewError) -> SaveTransaction {
        let transaction = try beginWriting()
        let history = tracksHistory ? HistoryRecorder(origin: origin(), schema: schema, form: historyForm) : nil
        return SaveTransaction(store: self, transaction: transaction, history: history)
    }

    /// Allocates primary keys in a transaction of its own.
    /// - Returns: the first of `count` consecutive keys.
    package func allocatePrimaryKeys(entity: Entity, count: Int) throws(PinviewError) -> Int64 {
        try write { try PrimaryKeys.allocate(count, for: entity, in: self, $0) }
    }
}
