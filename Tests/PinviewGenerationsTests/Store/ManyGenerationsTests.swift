import Foundation
import RandomSupport
import StressSupport
import XCTest

@testable import PinviewGenerations

/// Thousands of generations with few file descriptors.
final class ManyGenerationsTests: StoreFileTestCase {
    private func descriptors() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }

    /// The limit that most systems set for a process.
    private func withUsualLimit(_ body: () throws -> Void) throws {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let previous = limit.rlim_cur
        limit.rlim_cur = min(1024, previous)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        defer {
            limit.rlim_cur = previous
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        }
        try body()
    }

    func test_tenThousandGenerationsLiveAndAreReadWithinTheUsualLimit() throws {
        try withUsualLimit {
            var options = options
            options.synchronous = .off
            let store = try openStore(options)
            try store.write("INSERT INTO t VALUES (1, 0)")
            let before = try descriptors()

            let generations = try (1...10_000).map { try XCTUnwrap(try store.write("UPDATE t SET v = \($0)")) }

            XCTAssertLessThan(try descriptors() - before, 10)
            XCTAssertTrue(try foreignTruncateIsBusy())
            for (number, generation) in generations.enumerated() {
                XCTAssertEqual(try store.int("SELECT v FROM t", at: generation), number + 1)
            }
            // In random order, on many threads.
            let wrong = ResultList<Int>()
            inThreads(8) { thread in
                var random = SeededGenerator(seed: UInt64(thread))
                wrong.append {
                    try (0..<500).reduce(0) { count, _ in
                        let number = random.below(generations.count)
                        return try store.int("SELECT v FROM t", at: generations[number]) == number + 1 ? count : count + 1
                    }
                }
            }
            XCTAssertEqual(try wrong.all(), Array(repeating: 0, count: 8))
            XCTAssertLessThan(try descriptors() - before, 40)
        }
        // A checkpoint of this process may be running, which takes its time under a sanitizer.
        let start = ContinuousClock.now
        while try foreignTruncateIsBusy() {
            guard ContinuousClock.now - start < .seconds(60) else { return XCTFail("the journal is still held") }
        }
    }

    func test_runningOutOfDescriptorsIsReportedAndWorkContinuesAfterwards() throws {
        let store = try StoreFile.open(path: path, options: options)
        try Workload.create(in: store)
        store.close()
        let process = try ForeignProcess.stressProcess("descriptors", path)
        var answers: [(step: String, answer: String)] = []
        while let line = process.readLine(until: nil) {
            let parts = line.components(separatedBy: ": ")
            answers.append((parts[0], parts.dropFirst().joined(separator: ": ")))
        }
        process.finish()

        func assert(_ step: String, _ isExpected: (String) -> Bool, line: UInt = #line) {
            let found = answers.filter { $0.step == step }
            XCTAssertFalse(found.isEmpty, "no answer to \(step): \(answers)", line: line)
            for answer in found { XCTAssertTrue(isExpected(answer.answer), "\(step): \(answer.answer)", line: line) }
        }
        func saysWhy(_ answer: String) -> Bool { answer.hasPrefix("cannotOpen") && answer.contains("file descriptors") }
        for count in 0...1 {
            assert("read with \(count)", saysWhy)
            assert("open with \(count)", saysWhy)
            assert("open again with \(count)", saysWhy)
            // Operations on open files need no descriptor.
            assert("pin with \(count)") { $0 == "newest" }
            assert("commit with \(count)") { $0 == "done" }
        }
        assert("other") { saysWhy($0) || $0 == "wal" }
        assert("read") { $0 == "1" }
        assert("another generation through the existing reader") { $0 == "2" }
        for number in 1...7 { assert("read \(number)") { $0 == "\(number)" } }
        assert("open") { $0 == "wal" }
        XCTAssertFalse(answers.contains { $0.step.hasPrefix("fault") }, "\(answers)")
    }
}
