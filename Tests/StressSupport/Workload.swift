import RandomSupport
package import PinviewGenerations

/// The content of the table after a commit: its serial number and a checksum of all rows.
package struct Contents: Hashable, Sendable, CustomStringConvertible {
    package let serial: Int64, rows: Int64, hash: Int64

    package init(serial: Int64, rows: Int64, hash: Int64) {
        self.serial = serial
        self.rows = rows
        self.hash = hash
    }

    /// As the other process writes it.
    package init?(_ text: Substring) {
        let numbers = text.split(separator: " ").compactMap { Int64($0) }
        guard numbers.count == 3 else { return nil }
        self.init(serial: numbers[0], rows: numbers[1], hash: numbers[2])
    }

    package var description: String { "\(serial) \(rows) \(hash)" }
}

/// A read that is not a valid state: the rows differ from what the state's record says.
package struct Contradiction: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}

/// A table of random rows, and one row about it that each transaction replaces.
package enum Workload {
    package static let idBound = 3000
    /// The hash contains the number of each row, so that a row of another commit changes it.
    package static let rowCount = "(SELECT count(*) FROM t)"
    package static let rowHash = "(SELECT ifnull(sum(h * (1 + id % 31) + length(v) * 7), 0) FROM t)"

    package static func create(in store: StoreFile) throws {
        let transaction = try store.beginWrite()
        try transaction.connection.execute("CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, h INTEGER NOT NULL, v)")
        try transaction.connection.execute("CREATE TABLE IF NOT EXISTS checks (serial, rows, hash)")
        try transaction.connection.execute("INSERT INTO checks SELECT 0, 0, 0 WHERE NOT EXISTS (SELECT * FROM checks)")
        _ = try transaction.commit()
    }

    /// Changes random rows, and sometimes the schema.
    ///
    /// - Returns: the contents after the commit.
    package static func change(_ connection: Connection, _ random: inout SeededGenerator) throws -> Contents {
        // Most transactions are short; a long one fills more of the journal than one region of its
        // index.
        let count = random.oneIn(60) ? 1200 : 1 + random.below(30)
        for _ in 0..<count {
            let statement = try connection.statement("INSERT OR REPLACE INTO t VALUES (?, ?, zeroblob(?))")
            try statement.bind(1, Int64(random.below(idBound)))
            try statement.bind(2, Int64(random.below(1 << 31)))
            try statement.bind(3, Int64(random.below(900)))
            try statement.run()
        }
        switch random.below(40) {
        case 0: try connection.execute("CREATE INDEX IF NOT EXISTS i ON t (h)")
        case 1: try connection.execute("DROP INDEX IF EXISTS i")
        case 2: try connection.execute("DELETE FROM t WHERE id > \(random.below(idBound))")
        case 3: try connection.execute("SAVEPOINT s; UPDATE t SET h = h + 1; ROLLBACK TO s; RELEASE s")
        default: break
        }
        try connection.execute("UPDATE checks SET serial = serial + 1, rows = \(rowCount), hash = \(rowHash)")
        return try contents(connection)
    }

    private static func contents(_ connection: Connection) throws -> Contents {
        let statement = try connection.statement("SELECT serial, rows, hash FROM checks")
        defer { statement.reset() }
        guard try statement.step() else { throw Contradiction("no row in checks") }
        return Contents(serial: statement.int64(0), rows: statement.int64(1), hash: statement.int64(2))
    }

    /// Reads everything.
    ///
    /// - Throws: a `Contradiction` if the rows are not those that the state's record says.
    package static func verify(_ connection: Connection, integrity: Bool) throws -> Contents {
        let claimed = try contents(connection)
        let statement = try connection.statement("SELECT \(rowCount), \(rowHash)")
        defer { statement.reset() }
        guard try statement.step() else { throw Contradiction("no answer") }
        let found = Contents(serial: claimed.serial, rows: statement.int64(0), hash: statement.int64(1))
        guard found == claimed else { throw Contradiction("commit \(claimed), read: \(found)") }
        if integrity, let text = try connection.value("PRAGMA integrity_check"), text != "ok" { throw Contradiction(text) }
        return claimed
    }
}

/// The checksum of each reported commit, kept outside of the store.
package final class CommitLedger: @unchecked Sendable {  // guarded by `lock`
    private let lock = Lock()
    private var known: [Int64: Contents] = [:]
    private var newest: Int64 = 0

    package init() {}

    /// The newest commit that is known to have returned.
    package var newestSerial: Int64 { lock.withLock { newest } }
    package var count: Int { lock.withLock { known.count } }

    /// Records a commit that has returned.
    package func record(_ contents: Contents) throws {
        try compare(contents)
        lock.withLock { newest = max(newest, contents.serial) }
    }

    /// Compares what was read with what was committed.
    package func compare(_ contents: Contents) throws {
        let expected = lock.withLock { () -> Contents in
            let expected = known[contents.serial] ?? contents
            known[contents.serial] = expected
            return expected
        }
        guard expected == contents else { throw Contradiction("commit \(expected), but also \(contents)") }
    }
}
