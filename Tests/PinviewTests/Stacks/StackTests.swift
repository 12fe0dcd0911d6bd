import Foundation
import Pinview
import RandomSupport
import XCTest

/// Random sequences of steps in whole stacks of contexts, beside a naive model: ONE-01 to ONE-04,
/// ONE-06, ONE-10, and with them CTX, NST, MRG, RFR, SAV, REL, UND and UNQ.
///
/// `PINVIEW_SEED` repeats one sequence, `PINVIEW_ROUNDS` and `PINVIEW_SECONDS` say how many are
/// run, `PINVIEW_FEATURES=deletes,undo` (or `-undo,-unique`) of what they are made (`make random`).
/// `PINVIEW_SEQUENCE` names a file with the steps of one, to be run as it is.
final class StackTests: StackTestBase {
    func test_randomStacks() throws {
        let environment = ProcessInfo.processInfo.environment
        if let path = environment["PINVIEW_SEQUENCE"] { return try replay(String(contentsOfFile: path, encoding: .utf8)) }
        let seed = SeededGenerator.givenSeed
        let seconds = environment["PINVIEW_SECONDS"].flatMap(Double.init)
        let rounds = environment["PINVIEW_ROUNDS"].flatMap(Int.init) ?? (seconds != nil ? Int.max : seed == nil ? 250 : 1)
        let features = Self.features(environment), start = Date(), first = seed ?? 1
        var round = 0, steps = 0, finds: [String: Int] = [:]
        while round < rounds, seconds.map({ Date().timeIntervalSince(start) < $0 }) ?? true {
            let seed = first &+ UInt64(round)
            round += 1
            var generator = StackGenerator(seed: seed, features: features)
            let sequence = generator.steps(Self.stepCount)
            let (failure, count) = try outcome(of: sequence, features)
            steps += count
            guard let failure else { continue }
            let kind = StackShrinker.kind(failure)
            finds[kind, default: 0] += 1
            if finds[kind] == 1 {
                let (shrunk, shortest) = try StackShrinker { try self.outcome(of: $0, features).0 }.shrink(sequence, failure)
                XCTFail(
                    """
                    PINVIEW_SEED=\(seed), after \(steps) steps: \(failure)
                    The shortest sequence found that fails:
                    \(shrunk.map(\.description).joined(separator: "\n"))
                    # \(shortest)
                    """)
            }
            if environment["PINVIEW_KEEP_GOING"] == nil { return }
        }
        let elapsed = Date().timeIntervalSince(start)
        print("stacks: seeds \(first)..., \(round) sequences, \(steps) steps, \(Int(Double(steps) / max(elapsed, 0.001))) steps a second")
        for (kind, count) in finds.sorted(by: { $0.value > $1.value }) { print("stacks: \(count) times: \(kind)") }
    }
}
