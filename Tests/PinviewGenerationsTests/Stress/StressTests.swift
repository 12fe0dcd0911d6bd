import Foundation
import XCTest

@testable import PinviewGenerations

/// Everything at once, for a short time. `make soak DURATION=seconds SEED=n` runs it longer.
final class StressTests: StoreFileTestCase {
    private func run(_ mix: StressMix) throws -> StressFigures {
        let run = try StressRun(path: path, options: options, mix: mix)
        run.run()
        print("stress: seed \(mix.seed): \(run.figures.text); \(run.budget.text)")
        if mix.keepsBudget { XCTAssertTrue(run.budget.isKept, "seed \(mix.seed): \(run.budget.text)") }
        if InjectedFault.current == nil {
            XCTAssertEqual(try run.store.readNewest { try $0.value("PRAGMA integrity_check") }, "ok")
        }
        run.store.close()
        return run.figures
    }

    private func checkEverything(_ mix: StressMix) throws {
        print("stress: seed \(mix.seed), \(mix.seconds) seconds")

        let figures = try run(mix)

        print(
            "mismatches: \(figures.mismatches.count), \(figures[.reads] + figures[.foreignReads]) reads verified, "
                + "\(figures.errors.count) errors, \(figures[.lost]) generations lost, \(Int(mix.seconds)) seconds, seed \(mix.seed)")
        XCTAssertEqual(figures.mismatches.prefix(5), [], "seed \(mix.seed)")
        XCTAssertEqual(figures.errors.prefix(5), [], "seed \(mix.seed)")
        XCTAssertEqual(figures[.lost], 0, "seed \(mix.seed)")
        XCTAssertGreaterThan(figures[.reads], 0)
    }

    func test_everyGenerationAgreesWithItselfAlways() throws {
        var mix = StressMix.asAsked
        mix.seconds /= 2
        try checkEverything(mix)
    }

    /// Issue 15, 2: the journal stays within its budget throughout, with two processes that pin and
    /// others that are killed.
    func test_everyGenerationAgreesAndTheJournalKeepsItsBudget() throws {
        var mix = StressMix.asAsked.withoutOtherPrograms
        mix.seconds /= 2
        try checkEverything(mix)
    }

    // MARK: The test finds injected faults

    /// Ends with the first mismatch, usually after a second or two; on a busy machine much later.
    ///
    /// - Parameter processes: a process of this library without the fault would protect these pins
    ///   with its own, so there is none; and commits of another process soon end a generation that
    ///   was given the header of a newer state.
    private func assertFinds(
        _ mistake: InjectedFault, drainInterval: Double = 0.1, detachInterval: Double = .infinity,
        processes: [StressMix.OtherProcess] = [.plainWriter]
    ) throws {
        InjectedFault.current = mistake
        defer { InjectedFault.current = nil }
        var mix = StressMix()
        mix.seed = UInt64.random(in: 0..<1_000_000)
        mix.seconds = 180
        mix.processes = processes
        mix.usesTool = !processes.isEmpty
        mix.detachInterval = detachInterval
        mix.journalBudget = .max
        mix.killsProcesses = false
        mix.drainInterval = drainInterval
        mix.stopsAtFirstMismatch = true

        let figures = try run(mix)

        XCTAssertGreaterThan(figures.mismatches.count, 0, "seed \(mix.seed)")
    }

    func test_aPinWithoutItsLockIsFound() throws { try assertFinds(.noSlotLock) }

    func test_aLiveBackfillMarkIsFound() throws { try assertFinds(.liveBackfillMark, drainInterval: 1) }

    func test_aHeaderReadLateIsFound() throws { try assertFinds(.lateHeader, drainInterval: 0.02, processes: []) }

    func test_framesUnderReadMarkZeroAreFound() throws { try assertFinds(.slotZeroWithFrames) }

    func test_framesThatAReaderDoesNotSeeAreFound() throws { try assertFinds(.unseenFrames, drainInterval: 1) }

    func test_aCopyMadeAfterThePinsWereReleasedIsFound() throws {
        try assertFinds(.detachedTooEarly, drainInterval: 1, detachInterval: 0.05)
    }

    /// The locks are dropped, but no read returns rows of another state.
    func test_locksThatAreLostGiveErrorsAndNeverWrongRows() throws {
        InjectedFault.current = .lostLocks
        defer { InjectedFault.current = nil }
        var mix = StressMix()
        mix.seed = UInt64.random(in: 0..<1_000_000)
        mix.seconds = 180
        mix.processes = [.plainWriter]
        mix.drainInterval = 0.1
        mix.secondsAfterLoss = 3

        let figures = try run(mix)

        XCTAssertEqual(figures.mismatches.prefix(5), [], "seed \(mix.seed)")
        XCTAssertGreaterThan(figures[.lost], 0, "seed \(mix.seed)")
    }
}
