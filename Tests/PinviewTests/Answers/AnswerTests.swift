import AnswerSupport
import Foundation
import Pinview
import RandomSupport
import StressSupport
import XCTest

/// ONE-05: everything that one call returns is from one state, for every way of reading, while
/// others commit.
///
/// `PINVIEW_SEED` chooses the writer's numbers and the order of the readers, `PINVIEW_ROUNDS` how
/// many times each way is used.
final class AnswerTests: StoreTestCase {
    private let seed = SeededGenerator.givenSeed ?? 1
    private let rounds = ProcessInfo.processInfo.environment["PINVIEW_ROUNDS"].flatMap(Int.init) ?? 1
    /// With a number of rounds contexts of all kinds read in each test.
    private let isLong = ProcessInfo.processInfo.environment["PINVIEW_ROUNDS"] != nil

    // MARK: SQLite stores

    func test_ONE_05_answersBesideAWriterOfTheSameCoordinator() throws {
        let coordinator = try makeLedger()
        let writer = try LedgerWriter(coordinator, seed: seed)
        try check(coordinator, ReaderKind.allCases) { try writer.write() }
    }

    func test_ONE_05_answersBesideAWriterOfAnotherCoordinator() throws {
        let coordinator = try makeLedger()
        let writer = try LedgerWriter(try makeCoordinator(try Ledger.model()), seed: seed)
        try check(coordinator) { try writer.write() }
    }

    func test_ONE_05_answersBesideWritersOfBothInTurns() throws {
        let coordinator = try makeLedger()
        let writers = [
            try LedgerWriter(coordinator, seed: seed), try LedgerWriter(try makeCoordinator(try Ledger.model()), seed: seed + 1),
        ]
        var turn = 0
        try check(coordinator) {
            turn += 1
            try writers[turn % 2].write()
        }
    }

    func test_ONE_05_answersBesideAnotherProcess() throws {
        let coordinator = try makeLedger()
        let process = try ForeignProcess.stackProcess(path())
        defer { process.finish() }
        try check(coordinator) {
            let answer = try process.run("ledger 1")
            if answer != "ok" { throw PinviewError(.sqlite, answer) }
        }
    }

    func test_ONE_05_answersWithHooksBesideAWriterOfTheSameCoordinator() throws {
        let model = try Ledger.model()
        for name in ["Item", "Group"] {
            var hooks = EntityHooks()
            hooks.awakeFromFetch = { _ in }
            try model.setHooks(hooks, forEntityNamed: name)
        }
        let coordinator = try makeLedger(model)
        let writer = try LedgerWriter(coordinator, seed: seed)
        try check(coordinator) { try writer.write() }
    }

    // MARK: Stores without generations

    func test_ONE_05_answersOfOneStatementFromAStoreInMemory() throws {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try Ledger.model())
        try coordinator.addPersistentStore(type: .inMemory)
        try Ledger.fill(coordinator)
        let writer = try LedgerWriter(coordinator, seed: seed)
        try check(coordinator, hasGenerations: false) { try writer.write() }
    }

    // MARK: Checking

    private func makeLedger(_ model: ManagedObjectModel? = nil) throws -> PersistentStoreCoordinator {
        let coordinator = try makeCoordinator(try model ?? Ledger.model(), options: ["historyTracking": .boolean(true)])
        try Ledger.fill(coordinator)
        return coordinator
    }

    /// Goes all ways of reading while a thread writes.
    private func check(
        _ coordinator: PersistentStoreCoordinator, _ kinds: [ReaderKind] = [.unpinned, .childOfUnpinned], hasGenerations: Bool = true,
        _ write: () throws -> Void
    ) throws {
        print("PINVIEW_SEED=\(seed)")
        let kinds = isLong && hasGenerations ? ReaderKind.allCases : kinds
        let torn = Torn()
        let ended = Flag()
        let readers = startThreads(1) { [seed, rounds] _ in
            var random = SeededGenerator(seed: seed)
            for round in 0..<rounds {
                for kind in kinds {
                    var ways = WayOfReading.all.filter { ($0.worksInChildren || !kind.isChild) && (hasGenerations || !$0.needsGenerations) }
                    while !ways.isEmpty {
                        let way = ways.remove(at: random.below(ways.count))
                        do {
                            let reader = try Reader(coordinator, kind)
                            try reader.renewContext()
                            var facts = Facts()
                            try way.read(&facts, reader)
                            torn.note(way, kind, facts.contradictions)
                        } catch {
                            torn.note(way, kind, ["round \(round): \(error)"])
                        }
                    }
                }
            }
            ended.set()
        }
        var commits = 0
        while !ended.isSet {
            try write()
            commits += 1
        }
        readers.wait()
        print("\(torn.answers) ways gone beside \(commits) commits")
        XCTAssertEqual(torn.contradictions, [], "PINVIEW_SEED=\(seed)")
    }
}

/// The answers that contradicted themselves.
private final class Torn: @unchecked Sendable {  // guarded by `lock`
    private let lock = NSLock()
    private var count = 0
    private var found: [String] = []

    func note(_ way: WayOfReading, _ kind: ReaderKind, _ contradictions: [String]) {
        lock.withLock {
            count += 1
            if let first = contradictions.first { found.append("\(way.name), \(kind.rawValue): \(first)") }
        }
    }

    var answers: Int { lock.withLock { count } }
    var contradictions: [String] { lock.withLock { found } }
}

private final class Flag: @unchecked Sendable {  // guarded by `lock`
    private let lock = NSLock()
    private var value = false

    func set() { lock.withLock { value = true } }
    var isSet: Bool { lock.withLock { value } }
}
