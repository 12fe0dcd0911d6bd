import PinviewGenerations

/// A log of all statements sent to SQLite (`-com.apple.CoreData.SQLDebug`).
///
/// Off by default; on with the launch argument `-com.apple.CoreData.SQLDebug 1`, the environment
/// variable `PINVIEW_SQL_DEBUG=1`, or by the program. Each statement is a line that starts with
/// `CoreData: sql: `, including BEGIN, COMMIT and PRAGMAs. Without a handler, lines go to standard
/// error. While the log is off, it costs one load per statement.
///
/// A line ends with the name of the store's file, the role of the connection and the state that it
/// reads, as an SQL comment:
///
///     CoreData: sql: SELECT … FROM ZPERSON -- people.sqlite, reader, generation 17
///
/// - *writer* saves, and reads if there are no generations; *reader* reads generations; *probe*
///   finds the newest state to be pinned; *anchor* holds the pins and runs one statement when the
///   file is opened.
/// - *generation 17* is the generation with that number in ``JournalReport``; *newest* is whatever
///   is newest; *transaction* is the connection's own uncommitted state.
///
/// The line of the journal mode has no such comment, like Core Data's:
/// `CoreData: sql: pragma journal_mode=wal`. A checkpoint is logged as the equivalent statement,
/// with its result:
///
///     CoreData: sql: PRAGMA wal_checkpoint(FULL) /* 12 of 12 frames are in the file */ -- people.sqlite, checkpoint, newest
public enum SQLDebug {
    /// Whether statements are logged. Any thread.
    public static var isEnabled: Bool {
        get { SQLLog.isEnabled }
        set { SQLLog.setEnabled(newValue) }
    }

    /// Sets the handler of lines; nil for standard error. It is called on the thread that runs the
    /// statement, in the middle of it, and must not use the library.
    public static func setHandler(_ handler: (@Sendable (String) -> Void)?) {
        SQLLog.setHandler(handler)
    }
}
