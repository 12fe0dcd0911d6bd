import Foundation
import PinviewTyped
import XCTest

/// Issue 19, point 4: waiting calls are asynchronous, and cancelling a task stops the statement.
final class ConcurrencyTests: TypedTestCase {
    /// A condition that takes SQLite very long: each person is compared with all others many times.
    private static func slow(_ context: ManagedObjectContext) throws -> Int {
        var request = FetchRequest(entityName: "Person")
        request.predicate = try PinviewPredicate(
            format:
                "SUBQUERY(employer.staff, $a, SUBQUERY($a.employer.staff, $b, SUBQUERY($b.employer.staff, $c, $c.age > $b.age).@count > 7).@count > 99999).@count > 99999"
        )
        return try context.count(for: request)
    }

    func test_storesAreLoadedAndWorkIsDoneInTheBackground() async throws {
        let other = PersistentContainer(name: "Other", managedObjectModel: try makeModel(), storePath: folder + "/other.sqlite")
        try await other.loadPersistentStoresAsynchronously()

        let count = try await other.performBackgroundTask { context in
            _ = try Person(in: context, name: "Ada")
            try context.save()
            return try context.count(for: Person.all)
        }
        let context = other.newBackgroundContext()
        try await context.perform { _ = try Person(in: context, name: "Grace") }
        try await context.saveAsynchronously()

        XCTAssertEqual(count, 1)
        let names = try await context.snapshots(Person.all.sorted(by: \.name)).map(\.name)
        XCTAssertEqual(names, ["Ada", "Grace"])
    }

    func test_cancellingATaskStopsTheStatement() async throws {
        try fill(600)
        let container: PersistentContainer = container
        let started = Box(false)

        let task = Task.detached {
            try await container.performBackgroundTask { (context: ManagedObjectContext) throws -> Int in
                started.value = true
                return try ConcurrencyTests.slow(context)
            }
        }
        while !started.value { await Task.yield() }
        task.cancel()

        do {
            _ = try await task.value
            XCTFail("the statement ran to its end")
        } catch is CancellationError {}
        // The thread and its store are usable again.
        let count = try await container.performBackgroundTask { try $0.count(for: Person.all) }
        XCTAssertEqual(count, 600)
    }

    func test_aTaskCancelledBeforeDoesNothing() async throws {
        let container: PersistentContainer = container
        let ran = Box(false)

        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await container.performBackgroundTask { _ in ran.value = true }
        }

        do {
            try await task.value
            XCTFail("no error")
        } catch is CancellationError {}
        XCTAssertFalse(ran.value)
    }

    func test_streamsGoThroughAllPagesInOrder() async throws {
        try fill(25)
        var ages: [Int64] = []

        for try await person in context.stream(Person.where { $0.age < 23 }.sorted(by: \.age, ascending: false), pageSize: 10) {
            ages.append(person.age ?? -1)
        }

        XCTAssertEqual(ages, Array((0..<23).reversed()))
        var names: [String?] = []
        for try await car in context.stream(Car.all, pageSize: 7) { names.append(car.name) }
        XCTAssertEqual(names, try context.fetch(Car.all).map(\.name))
    }

    func test_aStreamOfAPinnedContextIsOfOneState() async throws {
        try fill(25)
        let pinned = container.newBackgroundContext()
        try pinned.setQueryGeneration(from: .current)
        var count = 0

        for try await person in pinned.stream(Person.all, pageSize: 10) {
            count += 1
            guard count == 1 else { continue }
            let other = try await container.performBackgroundTask { context in
                for person in try context.fetch(Person.where { $0.age > 15 }) { try person.delete() }
                try context.save()
                return try context.count(for: Person.all)
            }
            XCTAssertEqual(other, 16)
            _ = person
        }

        XCTAssertEqual(count, 25)
    }

    func test_liveResultsTellOfChangesByIdentifier() async throws {
        try fill(3)
        let context: ManagedObjectContext = context
        let live = context.liveResults(Person.where { $0.age < 100 }.sorted(by: \.age), sectionedBy: \.employer.name)
        _ = live
        let iterator = context.liveResults(Person.where { $0.age < 100 }.sorted(by: \.age)).makeAsyncIterator()

        let next = try await iterator.next()
        let first = try XCTUnwrap(next)
        XCTAssertEqual(first.numberOfItems, 3)

        try await context.perform {
            let persons = try context.fetch(Person.all.sorted(by: \.age))
            persons[0].age = 50
            persons[1].age = 200
        }
        let following = try await iterator.next()
        let second = try XCTUnwrap(following)

        XCTAssertEqual(second.itemIdentifiers, [first.itemIdentifiers[2], first.itemIdentifiers[0]])
        XCTAssertEqual(second.changedItemIdentifiers, [first.itemIdentifiers[0]])
        XCTAssertEqual(second.difference(from: first).count, 3)
    }

    func test_changesThatAreNotReceivedBecomeOneSnapshot() async throws {
        try fill(3)
        let context: ManagedObjectContext = context
        let iterator = context.liveResults(Person.all.sorted(by: \.age)).makeAsyncIterator()
        _ = try await iterator.next()

        for number in 0..<20 {
            try await context.perform {
                _ = try Person(in: context, name: "new\(number)", age: Int64(100 + number))
                try context.processPendingChanges()
            }
        }

        let next = try await iterator.next()
        XCTAssertEqual(next?.numberOfItems, 23)
    }

    func test_cancellingATaskEndsItsLiveResults() async throws {
        let context: ManagedObjectContext = context
        let received = Box(0)
        let task = Task {
            for try await _ in context.liveResults(Person.all.sorted(by: \.age)) { received.value += 1 }
        }
        while received.value == 0 { await Task.yield() }

        task.cancel()

        try await task.value
        XCTAssertEqual(received.value, 1)
    }
}
