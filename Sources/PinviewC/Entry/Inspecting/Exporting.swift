import CPinview
import Pinview

// Exports of generations, of the section "Generations as files, and SQL" of the header.

/// Tells a program of an export's progress; its failure becomes that of the export.
private func exporting(
    _ progress: pinview_export_callback?, _ userdata: UnsafeMutableRawPointer?,
    _ export: (@escaping (ExportProgress) -> Bool) throws(PinviewError) -> Void
) throws {
    var failure: (any Error)?
    let tell = { (state: ExportProgress) -> Bool in
        guard let progress else { return true }
        do {
            try runCallback { progress(UInt64(max(state.completedByteCount, 0)), UInt64(max(state.totalByteCount, 0)), userdata) }
            return true
        } catch {
            failure = error
            return false
        }
    }
    do {
        try withoutActuallyEscaping(tell) { (tell) throws(PinviewError) in try export(tell) }
    } catch {
        throw failure ?? error
    }
}

/// A token that may be NULL for the newest generation.
private func optionalToken(_ token: OpaquePointer?) throws(PinviewError) -> QueryGenerationToken {
    try token.map { (token) throws(PinviewError) in try Handles.token(token) } ?? .current
}

private func optionalStore(_ store: OpaquePointer?) throws(PinviewError) -> PersistentStore? {
    try store.map { (store) throws(PinviewError) in try Handles.store(store) }
}

@c @implementation
public func pinview_coordinator_export(
    _ coordinator: OpaquePointer?, _ token: OpaquePointer?, _ store: OpaquePointer?, _ path: pinview_string, _ flags: pinview_export_flags,
    _ progress: pinview_export_callback?, _ userdata: UnsafeMutableRawPointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let coordinator = try Handles.coordinator(coordinator), token = try optionalToken(token), store = try optionalStore(store)
        let path = try path.required("path")
        try checkFlags(flags, "flags", known: PINVIEW_EXPORT_REPLACE, "PINVIEW_EXPORT_")
        try exporting(progress, userdata) { (tell) throws(PinviewError) in
            try coordinator.export(token, to: path, of: store, replacing: flags & PINVIEW_EXPORT_REPLACE != 0, progress: tell)
        }
    }
}

@c @implementation
public func pinview_export_database(
    _ source: pinview_string, _ path: pinview_string, _ flags: pinview_export_flags, _ progress: pinview_export_callback?,
    _ userdata: UnsafeMutableRawPointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        try Handles.checkProcess()
        let source = try source.required("source"), path = try path.required("path")
        try checkFlags(flags, "flags", known: PINVIEW_EXPORT_REPLACE, "PINVIEW_EXPORT_")
        try exporting(progress, userdata) { (tell) throws(PinviewError) in
            try PersistentStoreCoordinator.exportDatabase(
                at: source, to: path, replacing: flags & PINVIEW_EXPORT_REPLACE != 0, progress: tell)
        }
    }
}

// MARK: SQL

/// A cursor, and the rows that have been handed out.
final class SQLCursorBox {
    let cursor: SQLCursor
    private let names: [TextStorage]
    private let lock = ThreadLock()
    private var arena = Arena()
    private var values: UnsafeMutablePointer<pinview_value>?

    init(_ cursor: SQLCursor) {
        self.cursor = cursor
        names = cursor.columnNames.map { TextStorage($0) }
    }

    deinit { values?.deallocate() }

    var columnCount: Int { names.count }

    func columnName(_ column: Int) -> pinview_string { names.indices.contains(column) ? names[column].view : .absent }

    /// The next rows, valid until the next call.
    func read(upTo limit: Int) throws(PinviewError) -> (UnsafePointer<pinview_value>?, rows: Int) {
        let rows = try cursor.read(upTo: limit)
        lock.lock()
        defer { lock.unlock() }
        arena.reset()
        values?.deallocate()
        values = nil
        guard !rows.isEmpty else { return (nil, 0) }
        let new = UnsafeMutablePointer<pinview_value>.allocate(capacity: max(rows.count * names.count, 1))
        values = new
        var next = new
        for row in rows {
            for value in row {
                next.initialize(to: try pinview_value(value, &arena))
                next += 1
            }
        }
        return (UnsafePointer(new), rows.count)
    }
}

private func sqlArguments(_ items: UnsafePointer<pinview_named_value>?, _ count: Int) throws(PinviewError) -> [SQLArgument] {
    try elements(items, count, "arguments").enumerated().map { (index, item) throws(PinviewError) in
        SQLArgument(try item.value.value("arguments[\(index)]"), name: try item.name.text("arguments.name"))
    }
}

@c @implementation
public func pinview_coordinator_query_sql(
    _ coordinator: OpaquePointer?, _ token: OpaquePointer?, _ store: OpaquePointer?, _ sql: pinview_string,
    _ arguments: UnsafePointer<pinview_named_value>?, _ argument_count: Int, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        let coordinator = try Handles.coordinator(coordinator), token = try optionalToken(token), store = try optionalStore(store)
        let cursor = try coordinator.query(
            try sql.required("sql"), try sqlArguments(arguments, argument_count), at: token, in: store)
        out.pointee = try HandleTable.make(.sqlCursor, SQLCursorBox(cursor))
    }
}

@c @implementation
public func pinview_context_query_sql(
    _ context: OpaquePointer?, _ store: OpaquePointer?, _ sql: pinview_string, _ arguments: UnsafePointer<pinview_named_value>?,
    _ argument_count: Int, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        let context = try Handles.context(context), store = try optionalStore(store)
        let cursor = try context.query(try sql.required("sql"), try sqlArguments(arguments, argument_count), in: store)
        out.pointee = try HandleTable.make(.sqlCursor, SQLCursorBox(cursor))
    }
}

@c @implementation
public func pinview_sql_cursor_retain(_ cursor: OpaquePointer?) -> pinview_status { Handles.retain(cursor, .sqlCursor) }

@c @implementation
public func pinview_sql_cursor_release(_ cursor: OpaquePointer?) -> pinview_status { Handles.release(cursor, .sqlCursor) }

@c @implementation
public func pinview_sql_cursor_column_count(_ cursor: OpaquePointer?) -> Int {
    Handles.boxOrNil(cursor, .sqlCursor, SQLCursorBox.self)?.columnCount ?? 0
}

@c @implementation
public func pinview_sql_cursor_column_name(_ cursor: OpaquePointer?, _ column: Int) -> pinview_string {
    Handles.boxOrNil(cursor, .sqlCursor, SQLCursorBox.self)?.columnName(column) ?? .absent
}

@c @implementation
public func pinview_sql_cursor_read(
    _ cursor: OpaquePointer?, _ row_limit: Int, _ values: UnsafeMutablePointer<UnsafePointer<pinview_value>?>?,
    _ row_count: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        try checkCount(row_limit, "row_limit")
        let values = try require(values, "values"), row_count = try require(row_count, "row_count")
        (values.pointee, row_count.pointee) = (nil, 0)
        let box = try Handles.box(cursor, .sqlCursor, SQLCursorBox.self)
        (values.pointee, row_count.pointee) = try box.read(upTo: row_limit)
    }
}

@c @implementation
public func pinview_sql_cursor_interrupt(
    _ cursor: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) { try Handles.box(cursor, .sqlCursor, SQLCursorBox.self).cursor.interrupt() }
}
