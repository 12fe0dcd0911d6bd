import Foundation
import StressSupport
import XCTest

@testable import Pinview

/// The lock of a context's identities keeps threads apart, also when one is stopped while it has
/// the lock.
final class BriefLockTests: XCTestCase {
    private final class Shared: @unchecked Sendable {  // guarded by `lock`
        let lock = BriefLock()
        var count = 0
        var copy = 0
    }

    func test_oneThreadAtATimeHasIt() {
        let shared = Shared()
        onThreads(8) { _ in
            for _ in 0..<20_000 {
                shared.lock.withLock {
                    XCTAssertTrue(shared.copy == shared.count)
                    shared.count += 1
                    shared.copy = shared.count
                }
            }
        }
        XCTAssertEqual(shared.count, 160_000)
    }

    /// Whoever waits sleeps in the end.
    func test_itIsTakenAfterALongWait() {
        let shared = Shared()
        shared.lock.lock()
        let group = startThreads(2) { _ in shared.lock.withLock { shared.count += 1 } }
        XCTAssertEqual(group.wait(timeout: .now() + 0.05), .timedOut)
        shared.lock.unlock()
        XCTAssertEqual(group.wait(timeout: .now() + 600), .success)
        XCTAssertEqual(shared.count, 2)
    }
}
