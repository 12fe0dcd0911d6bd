/// How a store file is opened.
package struct StoreFileOptions: Sendable {
    package enum Synchronous: String, Sendable, CaseIterable {
        case off, normal, full, extra
    }

    package var isReadOnly = false
    package var journalMode = "wal"
    package var synchronous = Synchronous.normal
    /// Seconds to wait for writers of other processes.
    package var busyTimeout = 5.0
    /// Run on a new, empty file before its journal mode is set, such as page size and auto-vacuum.
    package var initialPragmas: [String] = []
    /// Asked before the journal mode is changed, which alters the file: false leaves a file as it is that is going to be refused.
    package var mayChange: (@Sendable (Connection) throws(SQLiteError) -> Bool)?
    /// Whether triggers, views and functions in the schema of the file may run: whoever made the file has a program run them here.
    package var trustsSchema = false
    /// Called once for each new connection that runs SQL: functions and collations.
    package var configure: (@Sendable (Connection) throws(SQLiteError) -> Void)?
    /// How long old pins may make the journal.
    package var journalBudget = JournalBudget()
    /// Told when they did, on a thread of the library.
    package var journalObserver: (@Sendable (JournalEvent) -> Void)?
    /// Whether generations are open read transactions, one connection for each, as they are where read marks cannot be
    /// held (another VFS): to measure and to test that way.
    package var usesOpenTransactions = false

    package init() {}
}
