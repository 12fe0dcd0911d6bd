import PinviewGenerations

/// The tables of the persistent history in Core Data's layout, and two of Pinview's own.
enum HistorySchema {
    /// Core Data's numbers of its own entities, whose highest keys are in `Z_PRIMARYKEY`.
    static let changes: Int64 = 16001
    static let transactions: Int64 = 16002
    static let strings: Int64 = 16003
    /// The option of a store that keeps a history.
    static let optionName = "historyTracking"

    /// Whether a store has the tables.
    static func exists(_ connection: Connection) throws -> Bool {
        try connection.value("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'ATRANSACTION'") != nil
    }

    /// Whether a store also has Pinview's own tables, which stores of Core Data lack.
    static func hasOwnTables(_ connection: Connection) throws -> Bool {
        try connection.value("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'PINVIEW_HISTORYQUIET'") != nil
    }

    /// Creates the tables that a store lacks; in a store of Core Data, none of Pinview's own.
    /// Requires a write transaction.
    static func create(_ form: HistoryForm, _ connection: Connection) throws {
        if try !exists(connection) { for statement in statements(form) { try connection.execute(statement) } }
        guard form.isOwn, try !hasOwnTables(connection) else { return }
        for statement in consumerStatements + quietStatements { try connection.execute(statement) }
    }

    /// Creates the table of named consumers, if it does not exist.
    static func createConsumers(_ connection: Connection) throws {
        for statement in consumerStatements { try connection.execute(statement) }
    }

    static func hasConsumers(_ connection: Connection) throws -> Bool {
        try connection.value("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'PINVIEW_HISTORYCONSUMER'") != nil
    }

    private static func statements(_ form: HistoryForm) -> [String] {
        [
            "CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER, ZBUNDLEIDTS INTEGER, "
                + "ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, "
                + "ZPROCESSID VARCHAR, ZQUERYGEN BLOB)",
            "CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, ZENTITY INTEGER, "
                + "ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB\(form.tombstoneColumns.map { ", \($0) BLOB" }.joined()))",
            "CREATE TABLE ATRANSACTIONSTRING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR)",
            "CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING (ZNAME COLLATE BINARY ASC)",
            "CREATE INDEX ATRANSACTION_ZTIMESTAMP_INDEX ON ATRANSACTION (ZTIMESTAMP)",
            "CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID)",
            "INSERT OR IGNORE INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) "
                + "VALUES (16001, 'CHANGE', 0, 0), (16002, 'TRANSACTION', 0, 0), (16003, 'TRANSACTIONSTRING', 0, 0)",
        ]
    }

    /// The named consumers.
    private static let consumerStatements = [
        "CREATE TABLE IF NOT EXISTS PINVIEW_HISTORYCONSUMER (ZNAME VARCHAR PRIMARY KEY, ZTRANSACTION INTEGER NOT NULL) WITHOUT ROWID"
    ]

    /// The number of transactions that wrote no rows of objects, and therefore no history.
    private static let quietStatements = [
        "CREATE TABLE PINVIEW_HISTORYQUIET (ZCOMMITS INTEGER NOT NULL)", "INSERT INTO PINVIEW_HISTORYQUIET VALUES (0)",
    ]

    /// Counts a transaction that writes no history, since it writes no rows of objects.
    static func countQuietCommit(_ connection: Connection) throws {
        guard try hasOwnTables(connection) else { return }
        try connection.execute("UPDATE PINVIEW_HISTORYQUIET SET ZCOMMITS = ZCOMMITS + 1")
    }

    /// The number of such transactions; nil in a store without the tables.
    static func quietCommits(_ connection: Connection) throws -> Int64? {
        guard try exists(connection), try hasOwnTables(connection) else { return nil }
        let statement = try connection.statement("SELECT ZCOMMITS FROM PINVIEW_HISTORYQUIET")
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        return try StoredNumber.counter(statement, 0, table: "PINVIEW_HISTORYQUIET", key: 1, name: "ZCOMMITS")
    }

    /// The approximate size of the history in bytes, estimated from its first and last rows,
    /// without reading all of it. A row takes some fifteen bytes of numbers and an index entry, a
    /// transaction two.
    static let sizeSQL = """
        SELECT (SELECT IFNULL((SELECT max(Z_PK) FROM ACHANGE) - (SELECT min(Z_PK) FROM ACHANGE) + 1, 0))
            * (36 + (SELECT IFNULL(avg(IFNULL(length(ZCOLUMNS), 0) + IFNULL(length(ZTOMBSTONE0), 0)), 0)
                FROM (SELECT ZCOLUMNS, ZTOMBSTONE0 FROM ACHANGE ORDER BY Z_PK DESC LIMIT 64)))
            + (SELECT IFNULL((SELECT max(Z_PK) FROM ATRANSACTION) - (SELECT min(Z_PK) FROM ATRANSACTION) + 1, 0)) * 64
        """

    /// The highest key that was used for one of the tables, even if its row is gone.
    static func lastKey(_ entity: Int64, _ connection: Connection, _ form: HistoryForm) throws -> Int64 {
        let statement = try connection.statement("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?")
        defer { statement.reset() }
        try statement.bind(1, entity)
        let kept = try statement.step() ? try StoredNumber.counter(statement, 0, table: "Z_PRIMARYKEY", key: entity, name: "Z_MAX") : 0
        // Some files of other programs have counters that lag behind.
        return form.isOwn ? kept : max(kept, try highestKey(entity, connection))
    }

    private static func highestKey(_ entity: Int64, _ connection: Connection) throws -> Int64 {
        let table = entity == changes ? "ACHANGE" : entity == transactions ? "ATRANSACTION" : "ATRANSACTIONSTRING"
        let statement = try connection.statement("SELECT MAX(Z_PK) FROM \(table)")
        defer { statement.reset() }
        guard try statement.step(), !statement.isNull(0) else { return 0 }
        return try StoredNumber.key(statement, 0, table: table, name: "Z_PK")
    }

    static func setLastKey(_ key: Int64, _ entity: Int64, _ connection: Connection) throws {
        let statement = try connection.statement("UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?")
        try statement.bind(1, key)
        try statement.bind(2, entity)
        try statement.run()
        guard connection.changes == 0 else { return }
        let insertion = try connection.statement("INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, 0, ?)")
        try insertion.bind(1, entity)
        try insertion.bind(2, entity == changes ? "CHANGE" : entity == transactions ? "TRANSACTION" : "TRANSACTIONSTRING")
        try insertion.bind(3, key)
        try insertion.run()
    }
}
