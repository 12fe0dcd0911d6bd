import Foundation
import RandomSupport

/// What a stress run does, and for how long.
struct StressMix: Sendable {
    var seed: UInt64 = 1
    var seconds = 5.0
    /// The number of generations that live at the same time.
    var pins = 24
    /// Other processes; each is started again after it has ended.
    var processes: [OtherProcess] = [.plainWriter, .pinview, .pinner, .pinner]
    /// Whether they are killed with signal 9 at random times.
    var killsProcesses = true
    /// Whether the sqlite3 tool runs checkpoints and VACUUM.
    var usesTool = true
    /// Seconds between two drains: all pins are released and the journal is copied or emptied, so
    /// that the next pins have read mark 0, and writers restart the journal under them.
    var drainInterval = 0.2
    /// Seconds between two explicit detachments of old generations; the budget causes others.
    var detachInterval = 0.3
    var journalBudget: Int64 = 1 << 20
    /// Whether the journal must stay within the limit of its budget. Only if all processes use the
    /// library: reads of other programs can hold it.
    var keepsBudget: Bool { !usesTool && !processes.contains(.plainWriter) && journalBudget < .max }
    /// Whether the first wrong read ends the run.
    var stopsAtFirstMismatch = false
    /// The run ends so many seconds after the first generation was lost; nil if it does not.
    var secondsAfterLoss: Double?

    enum OtherProcess: String, Sendable {
        /// Python's sqlite3, with a cache that spills.
        case plainWriter
        /// This library, which pins and runs checkpoints, too.
        case pinview
        /// This library, with one pin that it keeps and another one that it renews. Its budget is
        /// the default of the mix.
        case pinner
    }

    /// The same for processes of this library alone.
    var withoutOtherPrograms: StressMix {
        var mix = self
        mix.processes.removeAll { $0 == .plainWriter }
        mix.usesTool = false
        return mix
    }

    /// From the environment variables `PINVIEW_SEED` and `PINVIEW_STRESS_SECONDS`.
    static var asAsked: StressMix {
        let environment = ProcessInfo.processInfo.environment
        var mix = StressMix()
        mix.seed = SeededGenerator.givenSeed ?? UInt64.random(in: 0..<1_000_000)
        mix.seconds = environment["PINVIEW_STRESS_SECONDS"].flatMap { Double($0) } ?? 5
        return mix
    }
}

/// The counts of a run, from all threads.
final class StressFigures: @unchecked Sendable {  // guarded by `lock`
    enum Count: String, CaseIterable {
        case commits, foreignCommits = "commits of other processes", pins, slotZeroPins = "pins of read mark 0"
        case reads = "reads verified", foreignReads = "reads of other processes", lateReaders = "late readers"
        case adopted = "generations taken over", foreignAdopted = "taken over by other processes", expired = "expired before that"
        case detached = "generations detached", detachedReads = "reads of them"
        case checkpoints, drains, toolRuns = "runs of sqlite3", kills, lost = "generations lost", busy
    }

    private let lock = NSLock()
    private var counts: [Count: Int] = [:]
    private var lossTime: Date?
    private var mismatchTexts: [String] = []
    private var errorTexts: [String] = []

    func add(_ count: Count, _ number: Int = 1) {
        lock.withLock {
            counts[count, default: 0] += number
            if count == .lost, lossTime == nil { lossTime = Date() }
        }
    }
    /// When the first generation was lost.
    var firstLoss: Date? { lock.withLock { lossTime } }
    subscript(_ count: Count) -> Int { lock.withLock { counts[count] ?? 0 } }

    func mismatch(_ text: String) { lock.withLock { mismatchTexts.append(text) } }
    func error(_ text: String) { lock.withLock { errorTexts.append(text) } }
    var mismatches: [String] { lock.withLock { mismatchTexts } }
    var errors: [String] { lock.withLock { errorTexts } }

    /// All counts in one line.
    var text: String { Count.allCases.map { "\(self[$0]) \($0.rawValue)" }.joined(separator: ", ") }
}
