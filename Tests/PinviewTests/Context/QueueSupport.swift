import Foundation
import StressSupport
import XCTest

/// Lines that blocks on any thread write down, and whether two of them were inside at the same
/// time.
final class Log: @unchecked Sendable {  // guarded by `lock`
    private let lock = NSLock()
    private var lines: [String] = []
    private var inside = 0
    private var overlapped = false

    var entries: [String] { lock.withLock { lines } }
    var hasOverlapped: Bool { lock.withLock { overlapped } }

    func add(_ line: String) { lock.withLock { lines.append(line) } }

    func takeAll() -> [String] {
        lock.withLock {
            defer { lines = [] }
            return lines
        }
    }

    func enter() {
        lock.withLock {
            inside += 1
            if inside > 1 { overlapped = true }
        }
    }

    func leave() { lock.withLock { inside -= 1 } }
}

/// Runs `body` on threads of their own, all at the same time, and returns when all have ended. What
/// a body throws fails the test.
func onThreads(_ count: Int, file: StaticString = #filePath, line: UInt = #line, _ body: @escaping @Sendable (Int) throws -> Void) {
    let group = startThreads(count) { number in
        do { try body(number) } catch { XCTFail("thread \(number): \(error)", file: file, line: line) }
    }
    XCTAssertEqual(group.wait(timeout: .now() + 600), .success, "the threads did not end", file: file, line: line)
}
