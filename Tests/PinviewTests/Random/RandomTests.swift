import Foundation
import Pinview
import RandomSupport
import XCTest

/// Long random sequences of everything that a context can do, beside a naive model: CTX, UND, SAV,
/// NST, RFR, REL, MRG and QG together.
///
/// `PINVIEW_SEED` repeats one sequence, `PINVIEW_ROUNDS` says how many are run
/// (`make random SEED=… ROUNDS=…`).
final class RandomTests: XCTestCase {
    private static let stepCount = 80
    private var folder = ""

    override func setUpWithError() throws {
        folder = NSTemporaryDirectory() + "pinview-random-" + UUID().uuidString
    }

    override func tearDownWithError() throws {
        if FileManager.default.fileExists(atPath: folder) { try FileManager.default.removeItem(atPath: folder) }
    }

    func test_randomSequences() throws {
        let environment = ProcessInfo.processInfo.environment
        let rounds = environment["PINVIEW_ROUNDS"].flatMap(Int.init) ?? (SeededGenerator.givenSeed == nil ? 16 : 1)
        let first = SeededGenerator.givenSeed ?? 1
        for seed in first..<first + UInt64(rounds) {
            let scenario = RandomScenario(seed: seed, count: Self.stepCount)
            guard let failure = try outcome(of: scenario) else { continue }
            let (shrunk, shortest) = try shrink(scenario, failure)
            XCTFail(
                """
                PINVIEW_SEED=\(seed): \(failure.mismatch)
                The shortest sequence found that fails (\(shrunk.isLazy ? "reading little" : "reading everything after each step")\
                \(shrunk.hasSecondCoordinator ? ", others commit through a second coordinator" : "")):
                \(shortest.log.joined(separator: "\n"))
                \(shortest.mismatch)
                """)
            return
        }
    }

    private struct Failure {
        let mismatch: String
        let log: [String]
    }

    /// How a scenario fails; nil when it does not.
    private func outcome(of scenario: RandomScenario) throws -> Failure? {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let run = try RandomRun(scenario, folder: folder)
        do {
            try run.run()
            return nil
        } catch {
            return Failure(mismatch: "\(error)", log: run.log)
        }
    }

    /// Leaves out steps, many at a time at first, as long as it still fails.
    private func shrink(_ scenario: RandomScenario, _ failure: Failure) throws -> (RandomScenario, Failure) {
        var best = scenario, shortest = failure, size = scenario.steps.count / 2
        let deadline = Date(timeIntervalSinceNow: 30)
        while size > 0 {
            var start = 0, isShorter = false
            while start < best.steps.count, Date() < deadline {
                var candidate = best
                candidate.steps.removeSubrange(start..<min(start + size, best.steps.count))
                if let failure = try outcome(of: candidate) {
                    best = candidate
                    shortest = failure
                    isShorter = true
                } else {
                    start += size
                }
            }
            if Date() >= deadline { break }
            if !isShorter || size > 1 { size /= 2 }
        }
        return (best, shortest)
    }
}
