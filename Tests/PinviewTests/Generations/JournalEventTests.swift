import Foundation
import Pinview
import XCTest

/// Old generations that make a journal too long are copied aside, and the program is notified.
final class JournalEventTests: StoreTestCase {
    private let events = EventLog()

    private func pinnedContext(_ coordinator: PersistentStoreCoordinator) throws -> ManagedObjectContext {
        let context = try makeContext(coordinator)
        try context.setQueryGeneration(from: .current)
        _ = try context.names()
        return context
    }

    func test_anOldGenerationIsCopiedAside() throws {
        let coordinator = try makeCoordinator(options: ["generationAgeBudget": 0.02])
        let observer = coordinator.addJournalObserver { [events] in events.append($0) }
        try fill(coordinator, count: 3)
        let pinned = try pinnedContext(coordinator), other = try makeContext(coordinator)
        try other.person("dave0").setValue("renamed", forKey: "name")
        try other.save()

        let event = try XCTUnwrap(events.next())

        XCTAssertEqual(event.kind, .detached)
        XCTAssertEqual(event.generations, 1)
        XCTAssertTrue(event.path.hasSuffix("/store.sqlite"))
        XCTAssertEqual(try pinned.names(), ["dave0", "dave1", "dave2"])
        XCTAssertEqual(try pinned.person("dave0").value(forKey: "name") as? String, "dave0")
        XCTAssertTrue(try coordinator.persistentStores[0].checkpoint())
        XCTAssertEqual(try other.names(), ["dave1", "dave2", "renamed"])
        let report = try XCTUnwrap(try coordinator.journalReport().first)
        XCTAssertEqual(report.counters.detaches, 1)
        coordinator.removeJournalObserver(observer)
    }

    func test_aWarningInsteadOfACopy() throws {
        let coordinator = try makeCoordinator(options: ["generationAgeBudget": 0.02, "journalBudgetPolicy": "warn"])
        let observer = coordinator.addJournalObserver { [events] in events.append($0) }
        try fill(coordinator, count: 3)
        let pinned = try pinnedContext(coordinator)
        try fill(coordinator, count: 1)

        XCTAssertEqual(events.next()?.kind, .budgetExceeded)

        XCTAssertFalse(try coordinator.persistentStores[0].checkpoint())
        XCTAssertEqual(try pinned.names().count, 3)
        coordinator.removeJournalObserver(observer)
    }

    func test_optionsThatMakeNoSense() throws {
        let mistakes: [(String, Value, String)] = [
            ("journalBudgetPolicy", "sometimes", "off, warn, detach"), ("journalBudgetBytes", -1, "whole number of bytes"),
            ("journalBudgetBytes", 1.5, "whole number of bytes"), ("journalBudgetShare", -0.1, "share of the store's size"),
            ("generationAgeBudget", "long", "number of seconds"),
        ]
        for (name, value, text) in mistakes {
            XCTAssertThrowsError(try makeCoordinator(options: [name: value])) { error in
                XCTAssertTrue("\(error)".contains(name) && "\(error)".contains(text), "\(error)")
            }
        }
        _ = try makeCoordinator(options: [
            "journalBudgetPolicy": "off", "journalBudgetBytes": 1_000_000, "journalBudgetShare": 2, "generationAgeBudget": 604_800,
        ])
    }
}

private final class EventLog: @unchecked Sendable {
    private let lock = NSCondition()
    private var events: [JournalEvent] = []

    func append(_ event: JournalEvent) {
        lock.withLock {
            events.append(event)
            lock.signal()
        }
    }

    /// The next event, waited for.
    func next() -> JournalEvent? {
        lock.withLock {
            let deadline = Date(timeIntervalSinceNow: 120)
            while events.isEmpty, lock.wait(until: deadline) {}
            return events.isEmpty ? nil : events.removeFirst()
        }
    }
}
