import Foundation
import Pinview
import XCTest

/// The conformance scenarios, in Swift: the same steps run in C and in Python.
final class ConformanceTests: StoreTestCase {
    private func run(_ file: String, line: UInt = #line) throws {
        var transcript: [String] = []
        for scenario in try ConformanceScenario.read(file) where scenario.languages.isEmpty || scenario.languages.contains("swift") {
            let place = folder + "/" + UUID().uuidString
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            let runner = try ConformanceRunner(scenario, folder: place)
            runner.run()
            for mismatch in runner.transcript.mismatches { XCTFail(mismatch, line: line) }
            transcript += runner.transcript.lines
        }
        guard let place = ProcessInfo.processInfo.environment["PINVIEW_TRANSCRIPTS"] else { return }
        let text = transcript.joined(separator: "\n") + "\n"
        try text.write(toFile: place + "/swift." + file + ".txt", atomically: true, encoding: .utf8)
    }

    func test_agreeing() throws { try run("agreeing") }
    func test_damaged() throws { try run("damaged") }
    func test_contexts() throws { try run("contexts") }
    func test_faulting() throws { try run("faulting") }
    func test_fetching() throws { try run("fetching") }
    func test_generations() throws { try run("generations") }
    func test_nested() throws { try run("nested") }
    func test_notifications() throws { try run("notifications") }
    func test_queues() throws { try run("queues") }
    func test_refreshing() throws { try run("refreshing") }
    func test_relationships() throws { try run("relationships") }
    func test_saving() throws { try run("saving") }
    func test_undo() throws { try run("undo") }
    func test_uniqueness() throws { try run("uniqueness") }

    func test_everyFileIsRun() throws {
        XCTAssertEqual(
            try ConformanceScenario.files(),
            [
                "agreeing", "contexts", "damaged", "faulting", "fetching", "generations", "nested", "notifications", "queues", "refreshing",
                "relationships", "saving", "undo", "uniqueness",
            ])
    }
}
