import Foundation
import Pinview
import XCTest

/// What holds the journal, as reported to programs and to people.
final class JournalReportTests: StoreTestCase {
    private func report(_ coordinator: PersistentStoreCoordinator) throws -> JournalReport {
        try XCTUnwrap(coordinator.journalReport().first)
    }

    private func pinned(_ coordinator: PersistentStoreCoordinator, _ name: String) throws -> ManagedObjectContext {
        let context = try makeContext(coordinator)
        context.name = name
        try context.setQueryGeneration(from: .current)
        _ = try context.fetch(FetchRequest(entityName: "Person"))
        return context
    }

    func test_aPinnedContextIsNamedOnItsGeneration() throws {
        let coordinator = try makeCoordinator()
        try fill(coordinator, count: 3)
        let old = try pinned(coordinator, "report of May")
        old.transactionAuthor = "accounting"
        try fill(coordinator, count: 20)
        let new = try pinned(coordinator, "screen")

        let report = try report(coordinator)
        XCTAssertEqual(report.generations.map { $0.contexts.map(\.name) }, [["report of May"], ["screen"]])
        XCTAssertEqual(report.generations.map(\.isNewest), [false, true])
        let first = report.generations[0]
        XCTAssertGreaterThan(first.framesHeldBack, 0)
        XCTAssertEqual(first.bytesHeldBack, Int64(first.framesHeldBack) * Int64(report.pageSize + 24))
        XCTAssertEqual(first.contexts[0].transactionAuthor, "accounting")
        XCTAssertEqual(first.contexts[0].concurrencyType, .privateQueue)
        XCTAssertEqual(first.contexts[0].thread, "private queue")
        XCTAssertTrue(first.contexts[0].isPinned)
        XCTAssertEqual(report.path, URL(fileURLWithPath: path()).resolvingSymlinksInPath().path)
        XCTAssertTrue(report.isOpenHere)
        withExtendedLifetime((old, new)) {}
    }

    func test_itIsToldWhereAContextWorks() throws {
        let coordinator = try makeCoordinator()
        let types: [ManagedObjectContextConcurrencyType] = [.privateQueue, .mainQueue, .confinement]
        let contexts = try types.map { type in
            let context = try makeContext(coordinator, type)
            try context.setQueryGeneration(from: .current)
            _ = try context.fetch(FetchRequest(entityName: "Person"))
            return context
        }
        let told = try XCTUnwrap(report(coordinator).generations.first).contexts
        XCTAssertEqual(told.map(\.concurrencyType), types)
        // The test runs on the main thread, whose number is that of the process.
        XCTAssertEqual(told.map(\.thread), ["private queue", "main thread", "thread \(getpid())"])
        withExtendedLifetime(contexts) {}
    }

    func test_manyGenerationsAreReportedWithTheirContexts() throws {
        let coordinator = try makeCoordinator()
        let writer = try makeContext(coordinator)
        let contexts = try (0..<200).map { number in
            try writer.insertNewObject(forEntityName: "Person").setValue("person \(number)", forKey: "name")
            try writer.save()
            return try pinned(coordinator, "reader \(number)")
        }
        let report = try report(coordinator)
        XCTAssertEqual(report.generations.map { $0.contexts.first?.name }, contexts.map(\.name))
        XCTAssertEqual(report.generations.map(\.ordinal), report.generations.map(\.ordinal).sorted())
        XCTAssertLessThanOrEqual(report.processes.flatMap(\.readMarks).count, 5)
    }

    func test_aContextThatHasNotReadYetHoldsNothing() throws {
        let coordinator = try makeCoordinator()
        let context = try makeContext(coordinator)
        context.name = "lazy"
        try context.setQueryGeneration(from: .current)
        let report = try report(coordinator)
        XCTAssertEqual(report.generations.count, 0)
        XCTAssertEqual(report.waitingContexts.map(\.name), ["lazy"])
        XCTAssertEqual(report.waitingContexts.map(\.isPinned), [false])
    }

    func test_contextsOfOtherCoordinatorsOnTheFileAreNamedToo() throws {
        let mine = try makeCoordinator(), other = try makeCoordinator()
        let context = try pinned(other, "elsewhere")
        XCTAssertEqual(try report(mine).generations.first?.contexts.map(\.name), ["elsewhere"])
        withExtendedLifetime(context) {}
    }

    func test_whoHasLetGoIsNotNamedAnyMore() throws {
        let coordinator = try makeCoordinator()
        let context = try pinned(coordinator, "short")
        XCTAssertEqual(try report(coordinator).generations.count, 1)
        try context.setQueryGeneration(from: nil)
        XCTAssertEqual(try report(coordinator).generations.count, 0)
    }

    func test_countersCountWhatContextsDo() throws {
        let coordinator = try makeCoordinator()
        try fill(coordinator, count: 1)
        let before = try report(coordinator).counters
        let first = try pinned(coordinator, "first"), second = try pinned(coordinator, "second")
        try fill(coordinator, count: 1)
        try first.setQueryGeneration(from: .current)
        _ = try first.fetch(FetchRequest(entityName: "Person"))
        let after = try report(coordinator).counters
        XCTAssertEqual(after.advances - before.advances, 1)
        XCTAssertGreaterThanOrEqual(after.pins - before.pins, 1)
        XCTAssertGreaterThanOrEqual(after.sharedPins - before.sharedPins, 1)
        XCTAssertGreaterThanOrEqual(after.reads - before.reads, 3)
        withExtendedLifetime(second) {}
    }

    func test_storesWithoutAJournalHaveNoReport() throws {
        let coordinator = try makeCoordinator(options: ["journalMode": "delete"])
        try coordinator.addPersistentStore(type: .inMemory)
        XCTAssertEqual(coordinator.journalReport().count, 0)
    }

    func test_theDescriptionIsATable() throws {
        let coordinator = try makeCoordinator()
        try fill(coordinator, count: 3)
        let old = try pinned(coordinator, "report\u{1b}[2J")
        try fill(coordinator, count: 3)
        let text = try report(coordinator).description
        XCTAssertTrue(text.contains("generation"), text)
        XCTAssertTrue(text.contains("report?[2J (private queue)"), text)
        XCTAssertTrue(text.contains("(this one)"), text)
        XCTAssertTrue(text.contains("SQLite \(PinviewVersion.sqliteVersion)"), text)
        XCTAssertFalse(text.contains("\u{1b}"), text)
        withExtendedLifetime(old) {}
    }

    func test_anyFileInWALModeCanBeLookedAt() throws {
        try sqlite3("PRAGMA journal_mode=wal; CREATE TABLE t (v);", file: "other.sqlite")
        let report = try JournalReport(ofFileAt: path("other.sqlite"))
        XCTAssertFalse(report.isOpenHere)
        XCTAssertEqual(report.frames, 0)
        XCTAssertTrue(report.description.contains("no process has the file open"), report.description)
    }

    func test_filesThatHaveNoJournalAreRefused() throws {
        func error(_ name: String) -> PinviewError? {
            do throws(PinviewError) {
                _ = try JournalReport(ofFileAt: path(name))
                return nil
            } catch { return error }
        }
        XCTAssertEqual(error("missing")?.code, 134080)
        try sqlite3("CREATE TABLE t (v);", file: "plain.sqlite")
        XCTAssertEqual(error("plain.sqlite")?.code, 134070)
        XCTAssertTrue(error("plain.sqlite")?.message.contains("not in WAL mode") ?? false)
    }
}
