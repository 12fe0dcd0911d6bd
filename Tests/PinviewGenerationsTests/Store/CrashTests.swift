import Foundation
import RandomSupport
import StressSupport
import XCTest

@testable import PinviewGenerations

/// Processes that are killed by signal 9 at random times. `PINVIEW_SEED` repeats a run.
final class CrashTests: StoreFileTestCase {
    private let seed = SeededGenerator.givenSeed ?? UInt64.random(in: 0..<1_000_000)

    override func setUpWithError() throws {
        try super.setUpWithError()
        print("seed \(seed)")
    }

    private func createStore() throws -> StoreFile {
        let store = try StoreFile.open(path: path, options: options)
        try Workload.create(in: store)
        return store
    }

    private func contents(_ store: StoreFile) throws -> Contents { try store.readNewest { try Workload.verify($0, integrity: true) } }

    func test_aKilledProcessReleasesItsPins() throws {
        try createStore().close()
        let process = try ForeignProcess.stressProcess("pin", path)
        XCTAssertEqual(process.readLine(), "pinned 0 0 0")
        try sqlite3("UPDATE checks SET serial = 1")
        XCTAssertTrue(try foreignTruncateIsBusy())

        process.kill()

        XCTAssertFalse(try foreignTruncateIsBusy())
        XCTAssertEqual(try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType, .typeRegular)
    }

    func test_aKilledProcessLeavesThePinsOfOthers() throws {
        let store = try createStore()
        let held = try store.currentGeneration()
        let process = try ForeignProcess.stressProcess("pin", path)
        XCTAssertEqual(process.readLine(), "pinned 0 0 0")
        try sqlite3("UPDATE checks SET serial = 1")

        process.kill()

        XCTAssertTrue(try foreignTruncateIsBusy())
        XCTAssertEqual(try store.int("SELECT serial FROM checks", at: held), 0)
    }

    /// Repeatedly starts a process and kills it. The store must have all commits that the process
    /// reported, and at most one more that it had no time to report.
    ///
    /// - Returns: how often it left copies of generations behind, which the next process that opens
    ///   the store deletes.
    @discardableResult
    private func kill(_ role: String, rounds: Int, whileOpenHere: Bool, besidePinners: Bool = false) throws -> Int {
        var random = SeededGenerator(seed: seed)
        try createStore().close()
        var last = Contents(serial: 0, rows: 0, hash: 0), leftovers = 0
        for round in 0..<rounds {
            try kill(role, round, whileOpenHere: whileOpenHere, &random, &last)
            if try !copies().isEmpty { leftovers += 1 }
            try createStore().close()
            if !besidePinners { XCTAssertEqual(try copies(), [], "seed \(seed), round \(round)") }
            XCTAssertEqual(try sqlite3("PRAGMA integrity_check"), ["ok"], "seed \(seed), round \(round)")
        }
        return leftovers
    }

    private func kill(_ role: String, _ round: Int, whileOpenHere: Bool, _ random: inout SeededGenerator, _ last: inout Contents) throws {
        let text = "seed \(seed), round \(round)"
        let witness = whileOpenHere ? try createStore() : nil
        let held = try witness?.currentGeneration()
        let process = try ForeignProcess.stressProcess(role, path, "\(seed &+ UInt64(round))")
        var death = Date(timeIntervalSinceNow: 60)
        var commits = 0
        let awaited = 1 + random.below(12)
        while let line = process.readLine(until: death) {
            let contents = Contents(line.dropFirst("commit ".count))
            if let contents {
                last = contents
                commits += 1
            } else {
                XCTAssertEqual(line, "\(role) begins", text)
            }
            // The kill is to happen anywhere in a save or in a checkpoint.
            if role == "save" ? commits == awaited : commits >= awaited && contents == nil && death.timeIntervalSinceNow > 1 {
                death = Date(timeIntervalSinceNow: Double(random.below(8_000)) / 1_000_000 + 0.001)
            }
        }
        process.kill()
        while let line = process.readLine(until: nil) { last = Contents(line.dropFirst("commit ".count)) ?? last }

        if let witness, let held {
            let old = try witness.read(at: held) { try Workload.verify($0, integrity: true) }
            XCTAssertLessThan(old.serial, last.serial, text)
        }
        let after = try witness ?? createStore()
        let found = try contents(after)
        XCTAssertTrue(found == last || found.serial == last.serial + 1, "\(text): \(found) after \(last)")
        last = found
        after.close()
    }

    private func copies() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.contains("-detached-") }
    }

    func test_aProcessKilledInADetachLeavesTheStoreWholeAndTheNextOpenerCleansUp() throws {
        // Rounds of this kind open the store, which cleans up, before the leftovers are counted.
        try kill("detach-often", rounds: 6, whileOpenHere: false)
        // Some processes die before they start a copy.
        var leftovers = 0
        for _ in 0..<10 where leftovers == 0 { leftovers += try kill("detach-often", rounds: 6, whileOpenHere: true) }
        XCTAssertGreaterThan(leftovers, 0, "seed \(seed): nothing was left to clean up")
    }

    func test_aWriterKilledInASaveLeavesTheLastCommit() throws { try kill("save", rounds: 12, whileOpenHere: false) }
    func test_aWriterKilledBesideAPinLeavesTheLastCommitAndThePin() throws { try kill("save", rounds: 8, whileOpenHere: true) }
    func test_aProcessKilledInACheckpointLeavesTheStoreWhole() throws { try kill("checkpoint", rounds: 12, whileOpenHere: false) }
    func test_aProcessKilledInACheckpointBesideAPin() throws { try kill("checkpoint", rounds: 8, whileOpenHere: true) }

    /// Issue 15, 2: the journal stays within the budget of two processes that pin while writers are
    /// killed.
    func test_2_theJournalKeepsItsBudgetWhileWritersAreKilled() throws {
        try createStore().close()
        let pinners = try (0..<2).map { _ in try ForeignProcess.stressProcess("budget", path) }
        for pinner in pinners { XCTAssertEqual(pinner.readLine(), "pinner ready") }
        let monitor = BudgetMonitor(path: path, budget: 1 << 20)

        try kill("save", rounds: 10, whileOpenHere: true, besidePinners: true)
        try kill("checkpoint", rounds: 6, whileOpenHere: true, besidePinners: true)

        monitor.end()
        XCTAssertTrue(monitor.isKept, "seed \(seed): \(monitor.text)")
        for pinner in pinners {
            pinner.finish()
            XCTAssertEqual(pinner.readLine(), "pinner done")
        }
    }
}
