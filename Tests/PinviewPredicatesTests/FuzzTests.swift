import Foundation
import PredicateFuzzing
import XCTest

/// No text makes the reader crash, hang, or answer wrongly: an error names a place in the text, what is read is printed and read again to the
/// same, and judging it is as safe (FET-19). `make fuzz DURATION=seconds` looks further, and what it finds goes to the corpus.
final class FuzzTests: XCTestCase {
    func test_FET_19_theCorpusHasRightAnswers() throws {
        var run = try FuzzRun(seed: 0)
        try run.examineCorpus()
        XCTAssertGreaterThan(run.count, 50)
    }

    func test_FET_19_textsOfTheGrammarAndDamagedOnesHaveRightAnswers() throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["PINVIEW_SEED"].flatMap { UInt64($0) } ?? 1
        let rounds = environment["PINVIEW_ROUNDS"].flatMap { Int($0) } ?? 4000
        print("PINVIEW_SEED=\(seed)")
        var run = try FuzzRun(seed: seed)
        for _ in 0..<rounds { try run.examineNext() }
    }
}
