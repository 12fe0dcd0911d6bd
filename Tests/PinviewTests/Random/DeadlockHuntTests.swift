import Dispatch
import Foundation
import Pinview
import RandomSupport
import StressSupport
import XCTest

/// Random patterns of saves, blocks, nested blocks and observers between the contexts of one store,
/// on several threads, beside a watchdog that says who waits for whom when nothing moves any more
/// (ONE-08).
///
/// What the patterns leave out are the circles that a program makes by itself: a thread waits by
/// `performAndWait` (or by a child's reads) only for contexts that come later in ``Rank`` than
/// those that it is in already. Merging and moving to a generation keep to no order.
///
/// `PINVIEW_SEED` repeats a run as far as threads allow, `PINVIEW_ROUNDS` says how many are made.
final class DeadlockHuntTests: StoreTestCase {
    func test_ONE_08_nothingHangs() throws {
        let environment = ProcessInfo.processInfo.environment
        let rounds = environment["PINVIEW_ROUNDS"].flatMap(Int.init) ?? (SeededGenerator.givenSeed == nil ? 6 : 1)
        let first = SeededGenerator.givenSeed ?? 1
        for seed in first..<first + UInt64(rounds) {
            let coordinator = try makeCoordinator(name: "\(seed).sqlite")
            try fill(coordinator, count: 6)
            let hunt = try DeadlockHunt(seed: seed, coordinator: coordinator)
            if let problem = try hunt.run() { return XCTFail("PINVIEW_SEED=\(seed): \(problem)") }
        }
    }
}

/// The order in which a thread may wait for contexts: the main queue, children before their
/// parents, roots, and the main-queue context itself.
private enum Rank: Int, CaseIterable {
    case grandchild, childOfFirst, childOfSecond, childOfMain, first, second, third, main
}

private final class DeadlockHunt: @unchecked Sendable {  // immutable but for what is guarded by `lock`
    private static let threadCount = 4, turns = 40
    /// How deep the calls of observers may nest, and how much all of them do, because their actions
    /// call other observers.
    private static let depthLimit = 3, reactionLimit = 1500

    private let seed: UInt64
    private let contexts: [ManagedObjectContext]
    /// The ranks of a context's parent, and so on.
    private let ancestors: [[Int]]
    private let observers: [PinviewNotificationCenter.Observer]
    private let lock = NSLock()
    private var turnsDone = 0, reactions = 0
    private var failures: [String] = []

    init(seed: UInt64, coordinator: PersistentStoreCoordinator) throws {
        self.seed = seed
        var made: [ManagedObjectContext] = []
        for rank in Rank.allCases {
            let context = ManagedObjectContext(concurrencyType: rank == .main ? .mainQueue : .privateQueue)
            context.name = "\(rank)"
            context.mergePolicy = .mergeByPropertyObjectTrump
            made.append(context)
        }
        func context(_ rank: Rank) -> ManagedObjectContext { made[rank.rawValue] }
        for rank in [Rank.first, .second, .third, .main] { try context(rank).setPersistentStoreCoordinator(coordinator) }
        try context(.childOfFirst).setParent(context(.first))
        try context(.childOfSecond).setParent(context(.second))
        try context(.childOfMain).setParent(context(.main))
        try context(.grandchild).setParent(context(.childOfFirst))
        var random = SeededGenerator(seed: seed)
        for (number, context) in made.enumerated() {
            if random.next() % 4 == 0 { try context.setAutomaticallyMergesChangesFromParent(true) }
            if number >= Rank.first.rawValue, random.next() % 3 == 0 { try context.setQueryGeneration(from: .current) }
        }
        contexts = made
        ancestors = made.map { context in
            sequence(first: context) { $0.parent }.dropFirst().compactMap { ancestor in made.firstIndex { $0 === ancestor } }
        }
        let observed = Observed()
        observers = made.map { context in
            PinviewNotificationCenter.default.addObserver(forName: nil, object: context) { observed.hunt?.observe($0) }
        }
        observed.hunt = self
    }

    private final class Observed: @unchecked Sendable {  // set before anything is posted
        weak var hunt: DeadlockHunt?
    }

    deinit { for observer in observers { PinviewNotificationCenter.default.removeObserver(observer) } }

    /// - Returns: what went wrong.
    func run() throws -> String? {
        let group = startThreads(Self.threadCount) { [self] number in
            var random = SeededGenerator(seed: seed &* 31 &+ UInt64(number) &+ 1)
            for _ in 0..<Self.turns { turn(&random) }
        }
        var random = SeededGenerator(seed: seed &* 31)
        let watchdog = Watchdog(seconds: 60)
        defer { watchdog.stop() }
        watchdog.start { [self] in
            // The main thread itself may hang: only the end of the process helps then.
            let done = lock.withLock { "\(turnsDone) turns and \(reactions) reactions" }
            print("PINVIEW_SEED=\(seed): it did not end, after \(done):\n\(WaitingThreads.shared.description)")
            fflush(nil)
            abort()
        }
        for _ in 0..<Self.turns {
            turn(&random)
            try MainQueue.drain()
        }
        while group.wait(timeout: .now() + 0.001) != .success { try MainQueue.drain() }
        // What has been put off until now, and what follows from it.
        for _ in 0..<Self.depthLimit + 2 {
            try MainQueue.drain()
            for context in contexts { try context.performAndWait {} }
        }
        return lock.withLock { failures.first }
    }

    private func note(_ body: () throws -> Void) {
        do { try body() } catch let error as PinviewError
            where error.hasCode(.managedObjectMerge) || error.hasCode(.generationExpired) || error.hasCode(.pinnedAutoMerge)
        {
            // Others were faster.
        } catch { lock.withLock { failures.append("\(error)") } }
    }

    /// One action of a thread, on contexts that come after those that it is in.
    private func turn(_ random: inout SeededGenerator) {
        let choice = random.next()
        defer { lock.withLock { turnsDone += 1 } }
        let last = Thread.isMainThread || Thread.current.held.isEmpty ? Rank.main.rawValue : Rank.third.rawValue
        let first = (Thread.current.held.max() ?? -1) + 1
        guard first <= last else { return }
        let number = first + Int(random.next() % UInt64(last - first + 1))
        let context = contexts[number]
        switch choice % 4 {
        case 0:
            let seed = random.next()
            note {
                try context.perform { [self] in
                    var random = SeededGenerator(seed: seed)
                    inside(number) { work(on: context, number, &random) }
                }
            }
        default:
            note { try context.performAndWait { inside(number) { work(on: context, number, &random) } } }
        }
    }

    /// Notes for the thread that it is in a context, for the order in which it may wait. While a
    /// context merges, the thread is in its ancestors, too.
    private func inside(_ number: Int, _ body: () -> Void) {
        let before = Thread.current.held
        Thread.current.held += [number] + ancestors[number]
        body()
        Thread.current.held = before
    }

    private func work(on context: ManagedObjectContext, _ number: Int, _ random: inout SeededGenerator) {
        note {
            let people = try context.fetch(FetchRequest(entityName: "Person"))
            for _ in 0..<random.next() % 3 {
                let person = people[Int(random.next() % UInt64(people.count))]
                try person.setValue(Int(random.next() % 100), forKey: "age")
            }
            if random.next() % 4 == 0 { _ = try context.insertNewObject(forEntityName: "Car") }
        }
        if random.next() % 3 == 0 { turn(&random) }
        if random.next() % 2 == 0 { note { try context.save() } }
    }

    /// What an observer does depends on how often it was called.
    fileprivate func observe(_ notification: PinviewNotification) {
        let thread = Thread.current
        guard thread.depth < Self.depthLimit, let number = contexts.firstIndex(of: notification.object) else { return }
        thread.depth += 1
        defer { thread.depth -= 1 }
        var random = SeededGenerator(seed: seed &+ UInt64(lock.withLock { turnsDone }) &* 17 &+ UInt64(number))
        inside(number) {
            for _ in 0..<1 + random.next() % 3 where mayReact() { react(to: notification, number, &random) }
        }
    }

    private func mayReact() -> Bool {
        lock.withLock {
            reactions += 1
            return reactions <= Self.reactionLimit
        }
    }

    private func react(to notification: PinviewNotification, _ number: Int, _ random: inout SeededGenerator) {
        let other = contexts[Int(random.next() % UInt64(contexts.count))]
        switch (notification.name, random.next() % 6) {
        case (.didSave, 0...2):
            for receiver in contexts where random.next() % 2 == 0 {
                note { try receiver.mergeChanges(fromContextDidSave: notification) }
            }
        case (.didSave, 3):
            if other.parent == nil, other.concurrencyType == .privateQueue {
                note { try other.setQueryGeneration(from: notification.queryGenerationToken ?? .current) }
            }
        case (.didSave, 4):
            note { try other.perform { [self] in note { try other.mergeChanges(fromContextDidSave: notification) } } }
        case (.objectsDidChange, 0):
            note {
                try ManagedObjectContext.mergeChanges(
                    fromRemoteContextSave: ["updated": notification.updatedObjectIDs.filter { !$0.isTemporaryID }], into: [other])
            }
        case (.willSave, 0...2):
            note { _ = try notification.object.insertNewObject(forEntityName: "Car") }
        default: turn(&random)
        }
    }
}

/// Ends a test that hangs.
private final class Watchdog: @unchecked Sendable {  // guarded by its semaphore
    private let end = DispatchSemaphore(value: 0)
    private let seconds: Double
    init(seconds: Double) { self.seconds = seconds }

    func start(_ bark: @escaping @Sendable () -> Void) {
        Thread.detachNewThread { [self] in if end.wait(timeout: .now() + seconds) == .timedOut { bark() } }
    }

    func stop() { end.signal() }
}

extension Thread {
    /// The contexts that the thread is in, by their ranks.
    fileprivate var held: [Int] {
        get { threadDictionary["held"] as? [Int] ?? [] }
        set { threadDictionary["held"] = newValue }
    }

    fileprivate var depth: Int {
        get { threadDictionary["depth"] as? Int ?? 0 }
        set { threadDictionary["depth"] = newValue }
    }
}
