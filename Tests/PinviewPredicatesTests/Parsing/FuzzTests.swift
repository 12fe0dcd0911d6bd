import Foundation
import PredicateFuzzing
import RandomSupport
import XCTest

/// No text makes the parser crash, hang, or return something wrong: an error names a position in
/// the text, and a parsed predicate is printed, parsed again to an equal one, and evaluated just as
/// safely (FET-19). `make fuzz DURATION=seconds` searches further; what it finds is added to the
/// corpus.
final class FuzzTests: XCTestCase {
    func test_FET_19_theCorpusIsHandledCorrectly() throws {
        var run = try FuzzRun(seed: 0)
        try run.examineCorpus()
        XCTAssertGreaterThan(run.count, 50)
    }

    func test_FET_19_generatedAndDamagedTextsAreHandledCorrectly() throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = SeededGenerator.givenSeed ?? 1
        let rounds = environment["PINVIEW_ROUNDS"].flatMap { Int($0) } ?? 4000
        print("PINVIEW_SEED=\(seed)")
        var run = try FuzzRun(seed: seed)
        for _ in 0..<rounds { try run.examineNext() }
    }
}
