import Foundation
import XCTest

@testable import PinviewGenerations

/// The engine's benchmarks run and do their work. Their times do not matter here.
final class BenchmarkTests: StoreFileTestCase {
    private let rows = 300

    override func setUpWithError() throws {
        try super.setUpWithError()
        let store = try StoreFile.open(path: folder + "/items.sqlite", options: options)
        try store.write(
            "CREATE TABLE ZITEM (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZVALUE INTEGER, ZTEXT VARCHAR)",
            "WITH RECURSIVE k (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM k WHERE n < \(rows)) "
                + "INSERT INTO ZITEM SELECT n, 1, 1, n * 7 % 1000, 'text' FROM k")
        store.close()
    }

    /// The words of each line that a workload reports, errors included.
    private func measure(_ workload: String, _ parameters: String...) throws -> [[Substring]] {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let program = (tests as NSString).deletingLastPathComponent + "/EngineBenchmarks"
        return try run(program, ["cell", workload, "engine", folder, "rows=\(rows)"] + parameters).map { $0.split(separator: " ") }
    }

    func test_pins() throws {
        let lines = try measure("generation-pins", "commits=10", "repeats=10")
        XCTAssertEqual(lines.filter { $0[0] == "measure" }.map { $0[1] }, ["pin", "shared", "advance", "release"])
        // Each of the ten commits was read twice.
        XCTAssertEqual(lines.last, ["checksum", "values", "110"])
    }

    func test_idleGenerationsReadTheirOwnData() throws {
        let lines = try measure("generation-idle", "few=10", "many=30", "descriptorLimit=1024")
        let measures: [Substring] = ["takeFew", "bytesFew", "descriptorsFew", "bytesMany", "descriptorsMany"]
        XCTAssertEqual(lines.map { $0.prefix(2) }, measures.map { ArraySlice(["measure", $0]) })
    }

    func test_lateReadersReadOldGenerations() throws {
        let lines = try measure(
            "generation-late-reader", "pins=6", "samples=12", "frames1=12", "frames10=24", "frames100=48")
        XCTAssertEqual(
            lines.map { $0.prefix(2) },
            ["open1", "retarget1", "open10", "retarget10", "open100", "retarget100"].map { ["measure", $0] })
    }

    func test_oneAndTwoThreadsReadTheSame() throws {
        // A checksum for each kind of work, which is the same with one thread and with two.
        let lines = try measure("generation-parallel", "commits=5", "points=40", "ranges=10", "scans=4")
        let sums = Dictionary(grouping: lines.filter { $0[0] == "checksum" }, by: { $0[1] })
        XCTAssertEqual(sums.keys.sorted(), ["counts", "points", "ranges", "scans"])
        for (name, sums) in sums {
            XCTAssertEqual(sums.count, 2)
            XCTAssertEqual(Set(sums).count, 1, "\(name)")
        }
    }
}
