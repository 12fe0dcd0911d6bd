import Foundation
import Pinview
import XCTest

/// Eight threads with a context each, and contexts that threads share through blocks and direct
/// calls: CON-10, CON-11, CON-13, SAV-01.
///
/// Each person's name and age are always written together and its cars always come in pairs, so
/// seeing one without the other means that the object was read half-written.
final class SharedContextTests: StoreTestCase {
    private static let threads = 8
    private static let rounds = 12
    private var coordinator: PersistentStoreCoordinator!

    override func setUpWithError() throws {
        try super.setUpWithError()
        coordinator = try makeCoordinator()
        let context = try makeContext(coordinator)
        for number in 0..<Self.threads {
            let person = try context.insertNewObject(forEntityName: "Person")
            try Self.write(person, number, round: 0)
        }
        try context.save()
    }

    override func tearDownWithError() throws {
        coordinator = nil
        try super.tearDownWithError()
    }

    private static func write(_ person: ManagedObject, _ number: Int, round: Int) throws {
        try person.setValue("p\(number)-\(round)", forKey: "name")
        try person.setValue(number * 1000 + round, forKey: "age")
    }

    /// The number and the round that a person was written with; both values must agree.
    private static func read(_ person: ManagedObject) throws -> (number: Int, round: Int) {
        let age = Int(try XCTUnwrap(try person.integer("age"))), number = age / 1000, round = age % 1000
        XCTAssertEqual(try person.string("name"), "p\(number)-\(round)", "a torn object")
        return (number, round)
    }

    private static func person(_ number: Int, _ context: ManagedObjectContext) throws -> ManagedObject {
        let request = try FetchRequest("Person", "age BETWEEN {%d, %d}", Int64(number * 1000), Int64(number * 1000 + 999))
        return try XCTUnwrap(try context.fetch(request).first)
    }

    private static func addCars(_ context: ManagedObjectContext, _ owner: ManagedObject, _ name: String) throws {
        for side in ["left", "right"] {
            let car = try context.insertNewObject(forEntityName: "Car")
            try car.setValue("\(name)-\(side)", forKey: "name")
            try car.setRelatedObject(owner, forKey: "owner")
        }
    }

    private func assertStore(rounds: Int, cars: Int) throws {
        let reader = try makeContext(coordinator), people = try reader.fetch(FetchRequest(entityName: "Person"))
        XCTAssertEqual(people.count, Self.threads)
        for person in people { XCTAssertEqual(try Self.read(person).round, rounds) }
        XCTAssertEqual(try sqlite3("SELECT count(*), count(DISTINCT ZNAME), count(ZOWNER) FROM ZCAR"), "\(cars)|\(cars)|\(cars)")
        XCTAssertEqual(reader.checkInvariants(), [])
        XCTAssertTrue(try coordinator.persistentStores[0].checkpoint())
    }

    func test_CON_13_eightThreadsWithAContextEachLoseNoRow() throws {
        let coordinator = try XCTUnwrap(coordinator)
        onThreads(Self.threads) { thread in
            let context = ManagedObjectContext(concurrencyType: .privateQueue)
            try context.setPersistentStoreCoordinator(coordinator)
            let mine = try Self.person(thread, context)
            for round in 1...Self.rounds {
                if round % 3 == 0 { try context.setQueryGeneration(from: .current) }
                try Self.write(mine, thread, round: round)
                try Self.addCars(context, mine, "\(thread)-\(round)")
                if round % 4 == 0 {
                    // Taken back and done again: the same as done once.
                    try context.processPendingChanges()
                    try context.undo()
                    try context.redo()
                }
                try context.save()
                for person in try context.fetch(FetchRequest(entityName: "Person")) { _ = try Self.read(person) }
                XCTAssertEqual(try mine.countOfRelatedObjects(forKey: "cars"), round * 2)
                XCTAssertEqual(try context.count(for: FetchRequest(entityName: "Car")) % 2, 0, "half of a save was seen")
                if round % 5 == 0 { try context.refreshAllObjects() }
                if round % 6 == 0 { try context.setQueryGeneration(from: nil) }
            }
            XCTAssertEqual(context.checkInvariants(), [])
        }
        try assertStore(rounds: Self.rounds, cars: Self.threads * Self.rounds * 2)
    }

    func test_CON_10_threadsThatShareAContextThroughBlocksAndDirectCallsLoseNoRow() throws {
        let context = try makeContext(coordinator)
        onThreads(Self.threads) { thread in
            for round in 1...Self.rounds {
                if round % 2 == 0 {
                    try context.performAndWait {
                        let mine = try Self.person(thread, context)
                        try Self.write(mine, thread, round: round)
                        try Self.addCars(context, mine, "\(thread)-\(round)")
                        try context.save()
                    }
                } else {
                    // Direct calls are one block each: others come in between, and may save half of
                    // this.
                    let mine = try Self.person(thread, context)
                    try mine.setValue("p\(thread)-\(round)", forKey: "name")
                    try mine.setValue(thread * 1000 + round, forKey: "age")
                    try Self.addCars(context, mine, "\(thread)-\(round)")
                    try context.save()
                }
            }
        }
        XCTAssertFalse(context.hasChanges)
        XCTAssertEqual(context.checkInvariants(), [])
        try assertStore(rounds: Self.rounds, cars: Self.threads * Self.rounds * 2)
    }

    func test_CON_10_blocksThatRunLaterOnASharedContextSeeWholeObjects() throws {
        let context = try makeContext(coordinator), group = DispatchGroup(), log = Log()
        onThreads(Self.threads) { thread in
            for round in 1...Self.rounds {
                group.enter()
                try context.perform {
                    defer { group.leave() }
                    log.enter()
                    do {
                        let mine = try Self.person(thread, context)
                        XCTAssertEqual(try Self.read(mine).round, round - 1, "the blocks of one thread run in their order")
                        try Self.write(mine, thread, round: round)
                        try Self.addCars(context, mine, "\(thread)-\(round)")
                        try context.save()
                    } catch { XCTFail("\(error)") }
                    log.leave()
                }
            }
        }
        XCTAssertEqual(group.wait(timeout: .now() + 600), .success)
        XCTAssertFalse(log.hasOverlapped)
        try assertStore(rounds: Self.rounds, cars: Self.threads * Self.rounds * 2)
    }

    func test_CON_11_readersAndAWriterShareAPinnedContextAndItsChild() throws {
        let coordinator = try XCTUnwrap(coordinator)
        let parent = try makeContext(coordinator), child = ManagedObjectContext(concurrencyType: .privateQueue)
        try child.setParent(parent)
        try parent.setQueryGeneration(from: .current)
        onThreads(Self.threads) { thread in
            for round in 1...Self.rounds {
                if thread == 0 {
                    let writer = ManagedObjectContext(concurrencyType: .privateQueue)
                    try writer.setPersistentStoreCoordinator(coordinator)
                    for number in 0..<Self.threads { try Self.write(try Self.person(number, writer), number, round: round) }
                    try writer.save()
                } else if thread == 1 {
                    try parent.performAndWait {
                        try parent.setQueryGeneration(from: .current)
                        try parent.refreshAllObjects()
                    }
                } else if thread % 2 == 0 {
                    try child.performAndWait {
                        for person in try child.fetch(FetchRequest(entityName: "Person")) { _ = try Self.read(person) }
                        try child.refreshAllObjects()
                    }
                } else {
                    // The whole block is at one generation, so all were written in the same round.
                    try parent.performAndWait {
                        try parent.refreshAllObjects()
                        let rounds = try parent.fetch(FetchRequest(entityName: "Person")).map { try Self.read($0).round }
                        XCTAssertEqual(Set(rounds).count, 1, "two generations in one block")
                    }
                }
            }
        }
        XCTAssertEqual(parent.checkInvariants() + child.checkInvariants(), [])
        XCTAssertFalse(parent.hasChanges)
    }
}
