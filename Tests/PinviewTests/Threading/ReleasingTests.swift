import Foundation
@testable import Pinview
import Synchronization
import XCTest

/// Issue 15, 5: what the program has given is released without a lock of the library held and off a
/// context's queue, since it may use the library, and wait for other threads, as it goes.
final class ReleasingTests: StoreTestCase {
    /// Uses the library as it goes, on another thread and waiting for it.
    private final class Ender: Sendable {
        private let use: @Sendable () -> Void
        private let hasEnded: DispatchSemaphore

        init(_ hasEnded: DispatchSemaphore, _ use: @escaping @Sendable () -> Void) {
            self.use = use
            self.hasEnded = hasEnded
        }

        deinit {
            let isOver = DispatchSemaphore(value: 0)
            let use = self.use
            Thread.detachNewThread {
                use()
                isOver.signal()
            }
            XCTAssertEqual(isOver.wait(timeout: .now() + 60), .success, "its end waits for whoever releases it")
            hasEnded.signal()
        }
    }

    private let hasEnded = DispatchSemaphore(value: 0)
    private var context: ManagedObjectContext!
    private var other: ManagedObjectContext!

    override func setUpWithError() throws {
        try super.setUpWithError()
        let coordinator = try makeCoordinator()
        try fill(coordinator, count: 3)
        context = try makeContext(coordinator)
        other = try makeContext(coordinator)
    }

    override func tearDownWithError() throws {
        (context, other) = (nil, nil)
        try super.tearDownWithError()
    }

    private func handler(holding ender: Ender) -> @Sendable () -> Void { { withExtendedLifetime(ender) {} } }

    private func lineHandler(holding ender: Ender) -> @Sendable (String) -> Void { { _ in withExtendedLifetime(ender) {} } }

    private func assertEnded(_ what: String, line: UInt = #line) {
        XCTAssertEqual(hasEnded.wait(timeout: .now() + 60), .success, what, line: line)
    }

    func test_5_aMergePolicyThatIsReplaced() {
        let context = context!
        context.mergePolicy = .custom { [ender = Ender(hasEnded) { _ = context.mergePolicy }] _ in
            withExtendedLifetime(ender) { [] }
        }
        context.mergePolicy = .error
        assertEnded("the policy")
    }

    func test_5_anObjectsUserDataThatIsReplaced() throws {
        let context = context!
        let dave = try context.person("dave0")
        dave.userData = Ender(hasEnded) { _ = context.hasChanges }
        dave.userData = nil
        assertEnded("the data")
    }

    /// However many follow it.
    func test_5_whatABlockHoldsGoesWithIt() throws {
        let context = context!
        let hasGone = hasEnded, isOver = DispatchSemaphore(value: 0)
        let wentInTime = Mutex(false)
        try context.performAndWait {
            let ender = Ender(hasGone) {}
            try context.perform { withExtendedLifetime(ender) {} }
            try context.perform { wentInTime.withLock { $0 = hasGone.wait(timeout: .now() + 60) == .success } }
            try context.perform { isOver.signal() }
        }
        isOver.wait()
        XCTAssertTrue(wentInTime.withLock { $0 })
    }

    /// Its end may even wait for the next block.
    func test_5_whatABlockHoldsMayWaitForTheNextBlock() throws {
        let context = context!
        try context.performAndWait {
            let ender = Ender(self.hasEnded) {
                let isOver = DispatchSemaphore(value: 0)
                do { try context.perform { isOver.signal() } } catch { XCTFail("\(error)") }
                isOver.wait()
            }
            try context.perform { withExtendedLifetime(ender) {} }
            try context.perform {}
        }
        assertEnded("what the block holds")
    }

    /// The end of a context enters its queue, in whose line there may be a block that does not hold
    /// the context, such as a notification.
    func test_5_theLastReferenceToAContextInABlockWithOthersBehindIt() throws {
        var last: ManagedObjectContext? = try makeContext(try XCTUnwrap(context.persistentStoreCoordinator))
        let queue = try XCTUnwrap(last).state.queue
        let isOver = DispatchSemaphore(value: 0)
        queue.enter()
        try last?.perform {}
        queue.perform { isOver.signal() }
        last = nil
        queue.leave()
        XCTAssertEqual(isOver.wait(timeout: .now() + 60), .success)
    }

    func test_5_aHandlerOfTheSQLLogThatIsReplaced() {
        let other = other!
        SQLDebug.setHandler(
            lineHandler(holding: Ender(hasEnded) { _ = try? other.count(for: FetchRequest(entityName: "Person")) }))
        SQLDebug.isEnabled = true
        defer { SQLDebug.isEnabled = false }
        SQLDebug.setHandler { _ in }
        assertEnded("the handler")
        SQLDebug.setHandler(nil)
    }

    func test_5_aWakeUpHandlerOfTheMainQueueThatIsReplaced() throws {
        let main = try makeContext(try XCTUnwrap(context.persistentStoreCoordinator), .mainQueue)
        MainQueue.setWakeUpHandler(
            handler(
                holding: Ender(hasEnded) {
                    do { try main.perform {} } catch { XCTFail("\(error)") }
                }))
        MainQueue.setWakeUpHandler(nil)
        assertEnded("the handler")
        _ = try MainQueue.drain()
    }

    func test_5_aValueTransformerThatIsReplaced() {
        struct Transformer: PinviewValueTransformer {
            let ender: Ender
            func value(of bytes: [UInt8]) throws -> Any { bytes }
            func bytes(of value: Any) throws -> [UInt8] { [] }
        }
        let name = "releasing"
        ValueTransformers.setTransformer(
            Transformer(ender: Ender(hasEnded) { _ = ValueTransformers.transformer(forName: name) }), forName: name)
        ValueTransformers.setTransformer(nil, forName: name)
        assertEnded("the transformer")
    }
}
