import Foundation
import StressSupport
import XCTest

/// Programs that use main-queue contexts, by what runs their main thread: ONE-07, CON-17, DEC-28.
final class MainQueueProgramTests: StoreTestCase {
    /// What the program writes; a program that hangs is ended after a while.
    private func lines(_ name: String, _ arguments: String...) throws -> [String] {
        let program = try ForeignProcess.mainProcess(name, arguments)
        let deadline = Date(timeIntervalSinceNow: 60)
        var lines: [String] = []
        while let line = program.readLine(until: deadline) {
            lines.append(line)
            if line == "end" {
                program.finish()
                return lines
            }
        }
        program.kill()
        return lines + ["hangs or ended early"]
    }

    // ONE-07
    func test_ONE_07_aProgramWithAnAsynchronousMain() throws {
        XCTAssertEqual(
            try lines("MainActorProcess", path()),
            [
                "before suspending: 1", "MainActor.run: 1", "await perform: 1", "perform", "performAndWait elsewhere: 1",
                "a direct call elsewhere: wrongQueue", "merged: refreshed", "name: renamed", "direct call: inserted", "end",
            ])
    }

    // ONE-07
    func test_ONE_07_programsWithAnOrdinaryMain() throws {
        for way in ["dispatch", "runloop", "library"] {
            XCTAssertEqual(
                try lines("MainLoopProcess", way, path("\(way).sqlite")),
                ["performAndWait: 1", "a direct call elsewhere: wrongQueue", "perform", "main queue: 1", "end"], way)
        }
    }
}
