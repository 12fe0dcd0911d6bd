/// How a store file is opened.
package struct StoreFileOptions: Sendable {
    package enum Synchronous: String, Sendable, CaseIterable {
        case off, normal, full, extra
    }

    package var isReadOnly = false
    /// Whether the file and its journal are read by the library itself, without locks and without
    /// anything written, because nobody changes them meanwhile. Implies `isReadOnly`.
    package var isImmutable = false
    package var journalMode = "wal"
    package var synchronous = Synchronous.normal
    /// Seconds to wait for writers of other processes.
    package var busyTimeout = 5.0
    /// Run on a new, empty file before its journal mode is set, for settings such as page size and
    /// auto-vacuum.
    package var initialPragmas: [String] = []
    /// Called before the journal mode, and thereby the file, is changed; false leaves a file
    /// unchanged that is going to be refused.
    package var mayChange: (@Sendable (Connection) throws(SQLiteError) -> Bool)?
    /// Whether triggers, views and functions in the schema of the file may run. Whoever made the
    /// file could run code in the program through them.
    package var trustsSchema = false
    /// Pages that each connection keeps in memory, or their size in KiB as a negative number; nil for
    /// SQLite's own choice.
    package var cacheSize: Int64?
    /// Called once for each new connection that runs SQL, to register functions and collations.
    package var configure: (@Sendable (Connection) throws(SQLiteError) -> Void)?
    /// How long old pins may make the journal.
    package var journalBudget = JournalBudget()
    /// SQL that returns the bytes of tables counted in the budget; 0 if the store has no such
    /// tables.
    package var historySizeSQL: String?
    /// Called on a thread of the library when they have made it longer.
    package var journalObserver: (@Sendable (JournalEvent) -> Void)?
    /// Whether generations are open read transactions, one connection for each, as they are where
    /// read marks cannot be held (with another VFS). For measurements and tests.
    package var usesOpenTransactions = false

    package init() {}

    /// Prepares a connection that only reads.
    func prepareReader(_ connection: Connection) throws(SQLiteError) {
        for pragma in cachePragmas { try connection.execute(pragma) }
        try configure?(connection)
    }

    /// Prepares the connection that writes.
    func prepareWriter(_ connection: Connection, canWrite: Bool) throws(SQLiteError) {
        connection.lateSettings = (canWrite ? ["PRAGMA synchronous=\(synchronous.rawValue)"] : []) + cachePragmas
        try configure?(connection)
    }

    private var cachePragmas: [String] { cacheSize.map { ["PRAGMA cache_size=\($0)"] } ?? [] }
}
