import PinviewGenerations

/// The log of every statement that goes to SQLite (`-com.apple.CoreData.SQLDebug`).
///
/// Off unless the process was started with the argument `-com.apple.CoreData.SQLDebug 1` or with
/// `PINVIEW_SQL_DEBUG=1` in its environment, or the program switches it on. Each statement is one
/// line that starts with `CoreData: sql: `, also BEGIN, COMMIT and PRAGMAs; without a handler lines
/// go to standard error. While the log is off it costs one load for each statement.
///
/// A line ends, as a comment of SQL, with the name of the store's file, what the connection is for,
/// and the state that it reads:
///
///     CoreData: sql: SELECT … FROM ZPERSON -- people.sqlite, reader, generation 17
///
/// - *writer* saves, and reads where there are no generations; *reader* reads generations; *probe*
///   finds the newest state to pin it; *anchor* holds the pins and runs one statement when the file
///   is opened.
/// - *generation 17* has that number in ``JournalReport`` too; *newest* is whatever is newest,
///   *transaction* what the connection has changed and not committed yet.
///
/// Only the line of the journal mode has no such end: it reads as Core Data's,
/// `CoreData: sql: pragma journal_mode=wal`. A checkpoint is written as the statement that would do
/// the same, with what came of it:
///
///     CoreData: sql: PRAGMA wal_checkpoint(FULL) /* 12 of 12 frames are in the file */ -- people.sqlite, checkpoint, newest
public enum SQLDebug {
    public static var isEnabled: Bool {
        get { SQLLog.isEnabled }
        set { SQLLog.setEnabled(newValue) }
    }

    /// Called with each line, on the thread that runs the statement, in the middle of it: the
    /// handler must not use the library. Nil: standard error.
    public static func setHandler(_ handler: (@Sendable (String) -> Void)?) {
        SQLLog.setHandler(handler)
    }
}
