import Foundation
import RandomSupport
import StressSupport

@testable import PinviewGenerations

/// Everything at once on one store, for a given time: writers, pins, late readers, generations that
/// move from thread to thread, checkpoints of every kind by this process and others, and processes
/// that are killed.
///
/// The checksum of each commit is kept outside of the store. Whatever is read from any generation
/// is compared with it, with what the generation gave when it was pinned, and with the state's own
/// record.
final class StressRun: @unchecked Sendable {  // mutable members have locks of their own
    let mix: StressMix
    let store: StoreFile
    let figures = StressFigures()
    private let options: StoreFileOptions
    private let ledger = CommitLedger()
    private let pins: StressPins
    /// Writers pass; a drain runs alone.
    private let gate = StressGate()
    private let end: Date

    init(path: String, options: StoreFileOptions, mix: StressMix) throws {
        var options = options
        options.synchronous = .off
        options.journalBudget.bytes = mix.journalBudget
        self.options = options
        self.mix = mix
        store = try StoreFile.open(path: path, options: options)
        try Workload.create(in: store)
        pins = StressPins(count: mix.pins)
        end = Date(timeIntervalSinceNow: mix.seconds)
    }

    private typealias Role = @Sendable (inout SeededGenerator) throws -> Void

    func run() {
        var roles: [Role] = [
            { try self.write(&$0) }, { try self.write(&$0) }, { try self.pin(&$0) }, { try self.read(&$0) }, { try self.read(&$0) },
            { try self.readLate(&$0) }, { try self.checkpoint(&$0) }, { try self.drain(&$0) },
        ]
        if mix.detachInterval < mix.seconds { roles.append { try self.detach(&$0) } }
        if mix.usesTool { roles.append { try self.useTool(&$0) } }
        for kind in mix.processes { roles.append { try self.supervise(kind, &$0) } }
        // Lines for a process that has been killed are lost.
        signal(SIGPIPE) { _ in }
        let all = roles
        let monitor = BudgetMonitor(path: store.path, budget: mix.journalBudget, seconds: 5)
        inThreads(all.count) { [self] number in
            var random = SeededGenerator(seed: mix.seed &* 100 &+ UInt64(number))
            while !isOver { attempt { try all[number](&random) } }
        }
        monitor.end()
        budget = (monitor.isKept, monitor.text)
        pins.removeAll()
    }

    /// Whether the journal stayed within its limit, and the limit.
    private(set) var budget = (isKept: false, text: "")

    private var isOver: Bool {
        if let seconds = mix.secondsAfterLoss, let loss = figures.firstLoss, Date() >= loss + seconds { return true }
        return Date() >= end || mix.stopsAtFirstMismatch && !figures.mismatches.isEmpty
    }

    /// Counts errors; busy is not an error.
    private func attempt(_ body: () throws -> Void) {
        do {
            try body()
        } catch let error as Contradiction {
            figures.mismatch(error.description)
        } catch let error as SQLiteError where error.kind == .busy {
            figures.add(.busy)
        } catch let error as SQLiteError where error.kind == .generationLost {
            figures.add(.lost)
        } catch let error as SQLiteError where error.kind == .corrupt || error.kind == .notADatabase {
            // Pages of different states do not form a valid database.
            figures.mismatch("\(error)")
        } catch {
            figures.error("\(error)")
        }
    }

    private func verify(_ store: StoreFile, _ generation: Generation, integrity: Bool = false) throws -> Contents {
        let contents = try store.read(at: generation) { try Workload.verify($0, integrity: integrity) }
        try ledger.compare(contents)
        figures.add(.reads)
        return contents
    }

    // MARK: Roles

    private func write(_ random: inout SeededGenerator) throws {
        let contents = try gate.pass { () throws -> Contents? in
            let transaction = try store.beginWrite()
            let contents = try Workload.change(transaction.connection, &random)
            guard !random.oneIn(10) else {
                transaction.rollback()
                return nil
            }
            let generation = try transaction.commit()
            try ledger.record(contents)
            figures.add(.commits)
            // The commit's own generation contains it, and perhaps one of another process.
            if let generation, random.oneIn(2), try verify(store, generation).serial < contents.serial {
                throw Contradiction("the generation of commit \(contents.serial) is older")
            }
            return contents
        }
        if contents == nil || random.oneIn(4) { usleep(UInt32(random.below(2_000))) }
    }

    /// Pins the newest generation and shares it with the other threads.
    private func pinNewest(_ random: inout SeededGenerator) throws {
        let committed = ledger.newestSerial
        let generation = try store.currentGeneration()
        let contents = try verify(store, generation)
        guard contents.serial >= committed else {
            throw Contradiction("commit \(committed) has returned, and the newest generation after that has \(contents.serial)")
        }
        figures.add(.pins)
        if case .pin(let pin) = generation.record.currentHold, pin.slot == 0 { figures.add(.slotZeroPins) }
        let old = pins.exchange(StressPin(generation: generation, contents: contents), at: random.below(mix.pins))
        withExtendedLifetime(old) {}
    }

    private func pin(_ random: inout SeededGenerator) throws {
        try pinNewest(&random)
        usleep(UInt32(random.below(4_000)))
    }

    private func check(_ pin: StressPin, through store: StoreFile, _ random: inout SeededGenerator) throws {
        if case .detached = pin.generation.record.currentHold { figures.add(.detachedReads) }
        let found = try verify(store, pin.generation, integrity: random.oneIn(10))
        if found != pin.contents { throw Contradiction("pinned at \(pin.contents), read: \(found)") }
    }

    private func read(_ random: inout SeededGenerator) throws {
        guard let pin = pins.any(random.below(mix.pins)) else {
            usleep(200)
            return
        }
        try check(pin, through: store, &random)
        // Moves to another slot, whose previous pin this thread releases.
        if random.oneIn(20) { withExtendedLifetime(pins.exchange(pin, at: random.below(mix.pins))) {} }
    }

    /// Reads through a store, and thus readers, that were opened long after the generation was
    /// pinned.
    private func readLate(_ random: inout SeededGenerator) throws {
        let late = try StoreFile.open(path: store.path, options: options)
        defer { late.close() }
        figures.add(.lateReaders)
        for _ in 0..<10 where !isOver {
            guard let pin = pins.any(random.below(mix.pins)) else { continue }
            try check(pin, through: late, &random)
        }
        usleep(UInt32(random.below(10_000)))
    }

    private func checkpoint(_ random: inout SeededGenerator) throws {
        _ = try store.checkpoint(truncate: random.oneIn(2))
        figures.add(.checkpoints)
        usleep(UInt32(random.below(20_000)))
    }

    /// Releases all pins, or all but the newest, and copies the journal; the next pins have read
    /// mark 0, and the next writers restart the journal under them.
    private func drain(_ random: inout SeededGenerator) throws {
        usleep(UInt32(mix.drainInterval * Double(500_000 + random.below(1_000_000))))
        try gate.alone {
            pins.removeAll()
            // Only sometimes: a truncated journal has no old frames that could be mistaken for new
            // ones.
            if random.oneIn(2) { try pinNewest(&random) }
            for _ in 0..<5 where try !store.checkpoint(truncate: random.oneIn(4)) { usleep(1_000) }
            figures.add(.drains)
            if random.oneIn(2) { for _ in 0..<3 { try pinNewest(&random) } }
        }
        for _ in 0..<3 { try pinNewest(&random) }
    }

    private func detach(_ random: inout SeededGenerator) throws {
        usleep(UInt32(mix.detachInterval * Double(500_000 + random.below(1_000_000))))
        figures.add(.detached, try store.detachOlderGenerations())
    }

    // MARK: Other processes

    private func useTool(_ random: inout SeededGenerator) throws {
        let modes = ["PASSIVE", "FULL", "RESTART", "TRUNCATE"]
        var sql = "PRAGMA wal_checkpoint(\(modes[random.below(4)])); SELECT count(*) FROM t;"
        if random.oneIn(20) { sql = "VACUUM;" }
        let tool = try ForeignProcess(program: "sqlite3", arguments: ["-batch", store.path, sql])
        while let line = tool.readLine(until: nil) {
            if line.contains("malformed") { throw Contradiction("sqlite3: \(line)") }
        }
        tool.finish()
        figures.add(.toolRuns)
        usleep(UInt32(random.below(100_000)))
    }

    /// Starts a process, reads its output, and kills it or lets it finish.
    private func supervise(_ kind: StressMix.OtherProcess, _ random: inout SeededGenerator) throws {
        let life = min(0.1 + Double(random.below(2_000)) / 1000, max(0.1, end.timeIntervalSinceNow))
        let isKilled = mix.killsProcesses && random.oneIn(2)
        let process = try kind.start(path: store.path, seed: random.next() >> 32, seconds: isKilled ? 60 : life)
        let death = isKilled ? Date(timeIntervalSinceNow: life) : nil
        while let line = process.readLine(until: death) {
            attempt { try hear(line) }
            if kind == .pinview, random.oneIn(4) { offer(pins.any(random.below(mix.pins)), to: process) }
        }
        if isKilled {
            process.kill()
            figures.add(.kills)
        }
        // The output from before it was killed.
        while let line = process.readLine(until: nil) { attempt { try hear(line) } }
        process.finish()
        // Its pins would keep the journal from being copied completely, so there are pauses without
        // it.
        if kind == .pinview { usleep(UInt32(random.below(1_000_000))) }
    }

    /// Sends the name of a generation to another process, which may have been killed meanwhile.
    private func offer(_ pin: StressPin?, to process: ForeignProcess) {
        guard let pin else { return }
        pin.generation.publish()
        try? process.write("\(pin.generation.name.text) \(pin.contents)")
    }

    /// Adopts a generation of another process, which may have released it already, or may have been
    /// killed.
    private func adopt(_ text: Substring) throws {
        let parts = text.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let name = GenerationName(text: String(parts[0])), let expected = Contents(parts[1]) else {
            throw Contradiction("another process holds \(text)")
        }
        let generation: Generation
        do throws(SQLiteError) {
            generation = try store.adopt(name)
        } catch {
            guard error.kind == .generationExpired else { throw error }
            return figures.add(.expired)
        }
        let found = try verify(store, generation)
        guard found == expected else { throw Contradiction("taken over at \(expected), read: \(found)") }
        figures.add(.adopted)
        withExtendedLifetime(pins.exchange(StressPin(generation: generation, contents: found), at: figures[.adopted])) {}
    }

    private func hear(_ line: String) throws {
        let words = line.split(separator: " ", maxSplits: 1)
        guard words.count == 2 else { throw Contradiction("another process says: \(line)") }
        switch words[0] {
        case "commit":
            guard let contents = Contents(words[1]) else { throw Contradiction("another process says: \(line)") }
            try ledger.record(contents)
            figures.add(.foreignCommits)
        case "pinner": break
        case "reads": figures.add(.foreignReads, Int(words[1]) ?? 0)
        case "holds": try adopt(words[1])
        case "adopted": figures.add(.foreignAdopted)
        case "expired": figures.add(.expired)
        default: throw Contradiction("another process says: \(line)")
        }
    }
}

extension StressMix.OtherProcess {
    func start(path: String, seed: UInt64, seconds: Double) throws -> ForeignProcess {
        switch self {
        case .plainWriter: try ForeignProcess(path: path, program: Self.plainWriterProgram, arguments: ["\(seed)", "\(seconds)"])
        case .pinview: try ForeignProcess.stressProcess("stress", path, "\(seed)", "\(seconds)")
        case .pinner: try ForeignProcess.stressProcess("budget", path, "0", "\(seconds)")
        }
    }

    /// Changes the same table in the same way as `Workload`.
    private static let plainWriterProgram = """
        import random, sqlite3, sys, time
        random.seed(int(sys.argv[2]))
        end = time.time() + float(sys.argv[3])
        def connect():
            db = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=10)
            db.execute('PRAGMA synchronous=OFF')
            db.execute('PRAGMA cache_size=20')
            db.execute('PRAGMA wal_autocheckpoint=' + str(random.choice([0, 10, 1000])))
            return db
        db = connect()
        while time.time() < end:
            try:
                if random.random() < 0.05:
                    # With a timeout it would hold the write lock while it waits for our pins.
                    db.execute('PRAGMA busy_timeout=0')
                    db.execute('PRAGMA wal_checkpoint(%s)' % random.choice(['PASSIVE', 'FULL', 'RESTART', 'TRUNCATE'])).fetchall()
                    db.execute('PRAGMA busy_timeout=10000')
                if random.random() < 0.02:
                    db.close(); db = connect()
                db.execute('BEGIN IMMEDIATE')
                for i in range(500 if random.random() < 0.02 else random.randint(1, 20)):
                    db.execute('INSERT OR REPLACE INTO t VALUES (?, ?, zeroblob(?))',
                        (random.randrange(\(Workload.idBound)), random.getrandbits(31), random.randrange(900)))
                db.execute('DELETE FROM t WHERE id % 97 = ?', (random.randint(0, 96),))
                db.execute('UPDATE checks SET serial = serial + 1, rows = \(Workload.rowCount), hash = \(Workload.rowHash)')
                row = db.execute('SELECT * FROM checks').fetchone()
                if random.random() < 0.9:
                    db.execute('COMMIT')
                    print('commit', *row, flush=True)
                else:
                    db.execute('ROLLBACK')
                if random.random() < 0.3: time.sleep(random.random() * 0.005)
            except sqlite3.OperationalError as error:
                if db.in_transaction: db.execute('ROLLBACK')
                if 'locked' not in str(error): print('fault', error, flush=True)
            except sqlite3.DatabaseError as error:
                print('fault', error, flush=True)
                break
        """
}
