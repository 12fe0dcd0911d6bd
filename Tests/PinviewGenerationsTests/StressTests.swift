import Foundation
import XCTest

@testable import PinviewGenerations

/// Writers, pinners, readers and checkpoints of this process and of others at the same time, at random. Each transaction
/// writes down the count and the sum of the whole table: every generation must agree with itself whenever it is read.
///
/// `PINVIEW_SEED` repeats a run, `PINVIEW_STRESS_SECONDS` makes it longer.
final class StressTests: StoreFileTestCase {
    private static let foreignWriter = """
        import random, sqlite3, sys, time
        random.seed(int(sys.argv[2]))
        end = time.time() + float(sys.argv[3])
        def connect():
            db = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=10)
            db.execute('PRAGMA synchronous=OFF')
            db.execute('PRAGMA wal_autocheckpoint=' + str(random.choice([0, 10, 1000])))
            return db
        db = connect()
        commits = 0
        while time.time() < end:
            try:
                if random.random() < 0.03:
                    # With a timeout it would hold the write lock while it waits for our pins.
                    db.execute('PRAGMA busy_timeout=0')
                    db.execute('PRAGMA wal_checkpoint(%s)' % random.choice(['PASSIVE', 'FULL', 'RESTART', 'TRUNCATE'])).fetchall()
                    db.execute('PRAGMA busy_timeout=10000')
                if random.random() < 0.02:
                    db.close(); db = connect()
                db.execute('BEGIN IMMEDIATE')
                for i in range(random.randint(1, 20)):
                    db.execute('INSERT OR REPLACE INTO t VALUES (?, ?)', (random.randint(1, 3000), 'x' * random.randint(0, 600)))
                db.execute('DELETE FROM t WHERE id % 97 = ?', (random.randint(0, 96),))
                db.execute('UPDATE checks SET serial = serial + 1, rows = (SELECT count(*) FROM t), sum = (SELECT total(id * length(v)) FROM t)')
                db.execute('COMMIT' if random.random() < 0.9 else 'ROLLBACK')
                commits += 1
            except sqlite3.OperationalError:
                if db.in_transaction: db.execute('ROLLBACK')
        print(commits, flush=True)
        """

    private struct Pin: Sendable {
        let generation: Generation
        let serial: String
    }

    /// The serial number of the transaction, or a contradiction.
    private static func check(_ store: StoreFile, _ generation: Generation, integrity: Bool) throws -> String {
        try store.read(at: generation) { connection in
            let statement = try connection.statement(
                "SELECT serial, rows - (SELECT count(*) FROM t), sum - (SELECT total(id * length(v)) FROM t) FROM checks")
            defer { statement.reset() }
            guard try statement.step() else { return "no checks" }
            guard statement.int64(1) == 0, statement.double(2) == 0 else {
                return "serial \(statement.string(0)): \(statement.int64(1)) rows and \(statement.double(2)) too few"
            }
            if integrity, try connection.value("PRAGMA integrity_check") != "ok" { return "not integer" }
            return statement.string(0)
        }
    }

    func test_everyGenerationAgreesWithItselfAlways() throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["PINVIEW_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0..<1_000_000)
        let seconds = environment["PINVIEW_STRESS_SECONDS"].flatMap { Double($0) } ?? 5
        print("PINVIEW_SEED=\(seed)")
        var options = options
        options.synchronous = .off
        let store = try StoreFile.open(path: path, options: options)
        try store.write(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, v)", "CREATE TABLE checks (serial, rows, sum)", "INSERT INTO checks VALUES (0, 0, 0)")
        let foreign = try ForeignProcess(path: path, program: Self.foreignWriter, arguments: ["\(seed)", "\(seconds)"])
        let end = Date(timeIntervalSinceNow: seconds)
        let pins = PinTable(), faults = LineList(), figures = Figures()

        inThreads(5) { role in
            var random = RandomSource(seed: seed &+ UInt64(role))
            while Date() < end {
                do {
                    switch role {
                    case 0: try Self.write(store, &random, figures)
                    case 1:
                        let generation = try store.currentGeneration()
                        let serial = try Self.check(store, generation, integrity: false)
                        if serial.contains(" ") { faults.append("new: " + serial) }
                        pins.replace(Pin(generation: generation, serial: serial), random.below(24))
                        if random.below(50) == 0 {
                            // Everything is copied, and the next pin is one of read mark 0.
                            pins.removeAll()
                            _ = try store.checkpoint(truncate: false)
                        }
                        figures.add(pins: 1)
                        usleep(UInt32(random.below(2_000)))
                    case 2, 3:
                        guard let pin = pins.any(random.below(24)) else { continue }
                        let serial = try Self.check(store, pin.generation, integrity: random.below(10) == 0)
                        if serial != pin.serial { faults.append("pinned at \(pin.serial), read: \(serial)") }
                        figures.add(reads: 1)
                    default:
                        _ = try store.checkpoint(truncate: random.below(2) == 0)
                        usleep(UInt32(random.below(20_000)))
                    }
                } catch let error as SQLiteError where error.kind == .busy {
                    continue  // the other process may hold the write lock for long under the sanitizers
                } catch {
                    faults.append("\(error)")
                }
            }
        }
        pins.removeAll()
        let foreignCommits = foreign.readLine()
        foreign.finish()

        print("stress: \(figures.text), \(foreignCommits) commits of the other process")
        XCTAssertEqual(faults.all.prefix(5), [], "seed \(seed)")
        XCTAssertEqual(try store.readNewest { try $0.value("PRAGMA integrity_check") }, "ok")
        XCTAssertFalse(try foreignTruncateIsBusy())
    }

    private static func write(_ store: StoreFile, _ random: inout RandomSource, _ figures: Figures) throws {
        let transaction = try store.beginWrite()
        let connection = transaction.connection
        for _ in 0...random.below(30) {
            let statement = try connection.statement("INSERT OR REPLACE INTO t VALUES (?, ?)")
            try statement.bind(1, Int64(random.below(3000)))
            try statement.bind(2, String(repeating: "y", count: random.below(900)))
            try statement.run()
        }
        switch random.below(40) {
        case 0: try connection.execute("CREATE INDEX IF NOT EXISTS i ON t (v)")
        case 1: try connection.execute("DROP INDEX IF EXISTS i")
        case 2: try connection.execute("DELETE FROM t WHERE id > \(random.below(3000))")
        case 3: try connection.execute("SAVEPOINT s; UPDATE t SET v = v || 'z'; ROLLBACK TO s; RELEASE s")
        default: break
        }
        try connection.execute(
            "UPDATE checks SET serial = serial + 1, rows = (SELECT count(*) FROM t), sum = (SELECT total(id * length(v)) FROM t)")
        if random.below(10) == 0 { return transaction.rollback() }
        let generation = try transaction.commit()
        figures.add(commits: 1)
        if let generation, random.below(5) == 0, try check(store, generation, integrity: false).contains(" ") {
            throw SQLiteError(kind: .corrupt, extendedCode: 11, message: "the commit's own generation is wrong")
        }
    }

    private final class PinTable: @unchecked Sendable {
        private let lock = NSLock()
        private var pins: [Pin?] = Array(repeating: nil, count: 24)
        func replace(_ pin: Pin, _ index: Int) {
            let old = lock.withLock { () -> Pin? in
                defer { pins[index] = pin }
                return pins[index]
            }
            withExtendedLifetime(old) {}
        }
        func any(_ index: Int) -> Pin? { lock.withLock { pins[index] } }
        func removeAll() {
            let old = lock.withLock { () -> [Pin?] in
                defer { pins = Array(repeating: nil, count: 24) }
                return pins
            }
            withExtendedLifetime(old) {}
        }
    }

    private final class Figures: @unchecked Sendable {
        private let lock = NSLock()
        private var commits = 0, pins = 0, reads = 0
        func add(commits: Int = 0, pins: Int = 0, reads: Int = 0) {
            lock.withLock {
                self.commits += commits
                self.pins += pins
                self.reads += reads
            }
        }
        var text: String { lock.withLock { "\(commits) commits, \(pins) pins, \(reads) reads of pinned generations" } }
    }
}

/// SplitMix64.
struct RandomSource {
    private var state: UInt64
    init(seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }
    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
