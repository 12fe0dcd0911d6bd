import Dispatch
import Foundation
import Pinview
import StressSupport
import XCTest

/// Threads that wait for each other's contexts in a circle, without a merge: one of them gets an
/// error (ONE-08).
final class WaitingCircleTests: StoreTestCase {
    private var coordinator: PersistentStoreCoordinator!

    override func setUpWithError() throws {
        try super.setUpWithError()
        coordinator = try makeCoordinator()
        try fill(coordinator, count: 3)
    }

    override func tearDownWithError() throws {
        coordinator = nil
        try super.tearDownWithError()
    }

    /// Lets every thread go on once all have arrived.
    private final class Meeting: @unchecked Sendable {  // guarded by `condition`
        private let condition = NSCondition()
        private var missing: Int
        init(of count: Int) { missing = count }

        func arrive() {
            condition.lock()
            defer { condition.unlock() }
            missing -= 1
            condition.broadcast()
            while missing > 0 { condition.wait() }
        }
    }

    private func contexts(_ count: Int) throws -> [ManagedObjectContext] {
        try (0..<count).map { number in
            let context = try makeContext(coordinator)
            context.name = "c\(number)"
            return context
        }
    }

    /// Each thread is in a block of one context and calls the next one.
    ///
    /// - Returns: the errors.
    private func circle(_ count: Int, _ call: @escaping @Sendable (ManagedObjectContext, Int) throws -> Void) throws -> [PinviewError] {
        let contexts = try contexts(count)
        let meeting = Meeting(of: count)
        let errors = Errors()
        let group = startThreads(count) { number in
            do {
                try contexts[number].performAndWait {
                    meeting.arrive()
                    try call(contexts[(number + 1) % count], number)
                }
            } catch { errors.add(error) }
        }
        XCTAssertEqual(group.wait(timeout: .now() + 120), .success, "the threads wait for each other")
        for context in contexts { XCTAssertEqual(try context.performAndWait { try context.count(for: FetchRequest("Person")) }, 3) }
        return errors.all
    }

    private final class Errors: @unchecked Sendable {  // guarded by `lock`
        private let lock = NSLock()
        private var errors: [PinviewError] = []
        func add(_ error: any Error) { lock.withLock { if let error = error as? PinviewError { errors.append(error) } } }
        var all: [PinviewError] { lock.withLock { errors } }
    }

    func test_ONE_08_aCircleOfBlocksIsAnError() throws {
        for count in 2...4 {
            let errors = try circle(count) { context, _ in try context.performAndWait {} }
            XCTAssertEqual(errors.count, 1, "\(errors)")
            XCTAssertTrue(errors.allSatisfy { $0.hasCode(.deadlock) }, "\(errors)")
            let message = errors.first?.message ?? ""
            XCTAssertTrue(message.contains("a block of the context c") && message.contains("for the context c"), message)
        }
    }

    func test_ONE_08_aCircleOfDirectCallsIsAnError() throws {
        let errors = try circle(2) { context, _ in _ = try context.count(for: FetchRequest("Person")) }
        XCTAssertEqual(errors.map { $0.hasCode(.deadlock) }, [true])
        let mixed = try circle(3) { context, number in
            if number == 1 { _ = try context.fetch(FetchRequest("Person")) } else { try context.performAndWait {} }
        }
        XCTAssertEqual(mixed.map { $0.hasCode(.deadlock) }, [true])
    }

    /// A parent's block that waits for a child whose thread reads through the parent.
    func test_ONE_08_aCircleOverAParentIsAnError() throws {
        let parent = try makeContext(coordinator)
        let child = ManagedObjectContext(concurrencyType: .privateQueue)
        try child.setParent(parent)
        let meeting = Meeting(of: 2), errors = Errors()
        let group = startThreads(2) { number in
            do {
                if number == 0 {
                    try parent.performAndWait {
                        meeting.arrive()
                        try child.performAndWait {}
                    }
                } else {
                    try child.performAndWait {
                        meeting.arrive()
                        _ = try child.count(for: FetchRequest("Person"))
                    }
                }
            } catch { errors.add(error) }
        }
        XCTAssertEqual(group.wait(timeout: .now() + 120), .success)
        XCTAssertEqual(errors.all.map { $0.hasCode(.deadlock) }, [true])
        XCTAssertEqual(try child.count(for: FetchRequest("Person")), 3)
    }

    /// The main thread waits for a context whose thread waits for the main queue.
    func test_ONE_08_aCircleOverTheMainQueueIsAnError() throws {
        let main = ManagedObjectContext(concurrencyType: .mainQueue)
        try main.setPersistentStoreCoordinator(coordinator)
        let context = try makeContext(coordinator)
        let isInside = DispatchSemaphore(value: 0), errors = Errors()
        let group = startThreads(1) { _ in
            do {
                try context.performAndWait {
                    isInside.signal()
                    try main.performAndWait {}
                }
            } catch { errors.add(error) }
        }
        isInside.wait()
        do { try context.performAndWait {} } catch { errors.add(error) }
        while group.wait(timeout: .now() + 0.001) != .success { try MainQueue.drain() }
        // The other thread may have finished before this one started: then neither waited.
        XCTAssertLessThanOrEqual(errors.all.count, 1)
        XCTAssertTrue(errors.all.allSatisfy { $0.hasCode(.deadlock) }, "\(errors.all)")
    }

    /// Who merely waits long gets no error.
    func test_ONE_08_aChainThatIsNoCircleWaits() throws {
        let contexts = try contexts(3)
        let log = Log()
        let group = startThreads(3) { number in
            for _ in 0..<200 {
                do {
                    try contexts[number].performAndWait {
                        for later in contexts[(number + 1)...] { try later.performAndWait {} }
                    }
                } catch { log.add("\(error)") }
            }
        }
        XCTAssertEqual(group.wait(timeout: .now() + 120), .success)
        XCTAssertEqual(log.entries, [])
    }
}
