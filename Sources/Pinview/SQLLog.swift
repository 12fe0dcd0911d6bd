import PinviewGenerations

/// The log of every statement that goes to SQLite (`-com.apple.CoreData.SQLDebug`).
///
/// Off unless the process was started with the argument `-com.apple.CoreData.SQLDebug 1` or with
/// `PINVIEW_SQL_DEBUG=1` in its environment, or the program switches it on. Each statement is one line that starts
/// with `CoreData: sql: `; without a handler lines go to standard error.
public enum SQLDebug {
    public static var isEnabled: Bool {
        get { SQLLog.isEnabled }
        set { SQLLog.setEnabled(newValue) }
    }

    /// Called with each line, on the thread that runs the statement. It must not use the store. Nil: standard error.
    public static func setHandler(_ handler: (@Sendable (String) -> Void)?) {
        SQLLog.setHandler(handler)
    }
}
