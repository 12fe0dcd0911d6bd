import PinviewGenerations
import PinviewModel
import PinviewStore

/// The rows of an SQL statement that reads one generation; see
/// ``PersistentStoreCoordinator/query(_:_:at:in:)``.
///
/// Rows are read as they are asked for, so a result of any size takes little memory. The generation
/// is held until the cursor is released. May be used from any thread.
public final class SQLCursor: Sendable {
    private let rows: StoreSQL
    private let pending = PendingRows()

    fileprivate init(_ rows: StoreSQL) { self.rows = rows }

    /// The names of the columns, in their order.
    public var columnNames: [String] { rows.columnNames }

    /// The next row; nil after the last one. SQLite's types: null, integer, double, string and
    /// binary.
    ///
    /// - Throws: `userCancelled` after ``interrupt()``; `generationLost`.
    public func next() throws(PinviewError) -> [Value]? { try pending.next(rows) }

    /// The next rows: up to so many, fewer where they are large, none after the last one.
    public func read(upTo count: Int) throws(PinviewError) -> [[Value]] { try pending.read(rows, upTo: count) }

    /// Stops the read under way; it and all further ones fail with `userCancelled`. Any thread may
    /// call this.
    public func interrupt() { rows.interrupt() }
}

/// Rows that have been read but not returned yet.
private final class PendingRows: @unchecked Sendable {  // guarded by `lock`
    private let lock = Lock()
    private var rows: [[Value]] = []
    private var position = 0
    private var mayContinue = true

    private static let batch = 256

    func next(_ source: StoreSQL) throws(PinviewError) -> [Value]? {
        lock.lock()
        defer { lock.unlock() }
        if position == rows.count {
            try fill(source, Self.batch)
            if rows.isEmpty { return nil }
        }
        defer { position += 1 }
        return rows[position]
    }

    func read(_ source: StoreSQL, upTo count: Int) throws(PinviewError) -> [[Value]] {
        lock.lock()
        defer { lock.unlock() }
        guard count > 0 else { return [] }
        if position == rows.count { try fill(source, count) }
        let end = min(position + count, rows.count)
        defer { position = end }
        return position == 0 && end == rows.count ? rows : Array(rows[position..<end])
    }

    /// With the lock.
    private func fill(_ source: StoreSQL, _ limit: Int) throws(PinviewError) {
        rows = []
        position = 0
        while mayContinue, rows.isEmpty { mayContinue = try source.read(limit: limit, into: &rows) }
    }
}

/// A value for a parameter of an SQL statement.
public struct SQLArgument: Sendable, ExpressibleByNilLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral, ExpressibleByBooleanLiteral
{
    let name: String?
    let value: Value

    /// - Parameter name: the parameter's name, with or without its `:`; nil for the next parameter.
    public init(_ value: any ValueConvertible, name: String? = nil) {
        self.name = name
        self.value = value.pinviewValue
    }

    public init(nilLiteral: ()) { self.init(Value.null) }
    public init(integerLiteral value: Int64) { self.init(value) }
    public init(floatLiteral value: Double) { self.init(value) }
    public init(stringLiteral value: String) { self.init(value) }
    public init(booleanLiteral value: Bool) { self.init(value) }
}

extension PersistentStoreCoordinator {
    /// Runs an SQL statement that reads a generation of a store's file. The tables are those of the
    /// file (`ZPERSON`, `Z_PK`…); no pending changes of contexts are seen.
    ///
    /// Only one statement that reads can be run: a `SELECT`, `VALUES`, `EXPLAIN` or a pragma that
    /// returns something. A statement that would change anything, attach a file or begin a
    /// transaction is refused before it runs. The statement has a connection of its own, so neither
    /// writers nor other readers wait for it.
    ///
    /// - Parameters:
    ///   - arguments: for the statement's parameters, in their order or by name. Dates are bound as
    ///     seconds since 2001, UUIDs as their
    ///     bytes, object IDs as primary keys: as they are in the columns.
    ///   - token: the generation; `.current` for the newest. In a store without generations the
    ///     newest state is read.
    ///   - store: nil for the only store of the coordinator. A store in memory cannot be read.
    /// - Throws: 134180 (`sqlite`) for a mistake in the statement; `invalidArgument` for missing or
    ///   superfluous arguments.
    public func query(
        _ sql: String, _ arguments: [SQLArgument] = [], at token: QueryGenerationToken = .current, in store: PersistentStore? = nil
    ) throws(PinviewError) -> SQLCursor {
        try cursor(sql, arguments, try generation(of: store, at: token, orAt: nil))
    }

    fileprivate func cursor(
        _ sql: String, _ arguments: [SQLArgument], _ source: (any IncrementalStore, Generation?)
    ) throws(PinviewError) -> SQLCursor {
        SQLCursor(try source.0.sql(sql, arguments.map { ($0.name, $0.value) }, at: source.1))
    }
}

extension ManagedObjectContext {
    /// Runs an SQL statement at the context's generation, as
    /// ``PersistentStoreCoordinator/query(_:_:at:in:)`` does. It is a read: it fixes the generation
    /// of a context that is pinned to `.current`. A child reads at the generation of its root.
    /// Unsaved changes are not seen.
    public func query(
        _ sql: String, _ arguments: [SQLArgument] = [], in store: PersistentStore? = nil
    ) throws(PinviewError) -> SQLCursor {
        var root = self
        while let parent = root.parent { root = parent }
        return try root.call { (state) throws(PinviewError) in
            let set = try state.beginRead(), coordinator = try state.requireCoordinator()
            return try coordinator.cursor(sql, arguments, try coordinator.generation(of: store, at: .current, orAt: set))
        }
    }
}
