import Foundation
import Pinview
import RandomSupport
import XCTest

/// Objects whose rows are read one by one, and lie next to each other in memory.
final class RowsReadOneByOneTests: StackTestCase {
    /// Objects of one fetch are read together, but not those whose rows only happen to be neighbours.
    func test_objectsReadOneByOneAreNoSiblings() throws {
        let ids = try ["dave0", "dave1", "dave2"].map { try other.person($0).objectID }
        try other.reset()
        try context.setQueryGeneration(from: .current)
        let people = try ids.map { try context.object(with: $0) }
        XCTAssertEqual(try selects { for person in people { _ = try person.string("name") } }, 3)
        // By another process, so that no row is in the cache.
        try sqlite3("UPDATE ZPERSON SET ZAGE = 99, Z_OPT = Z_OPT + 1")

        try context.setQueryGeneration(from: .current)
        try context.refreshAllObjects()

        XCTAssertEqual(people.map(\.isFault), [true, true, true])
        XCTAssertEqual(try selects { for person in people { XCTAssertEqual(try person.integer("age"), 99) } }, 3)
    }

    /// A row keeps its values when others are added next to it, and when its neighbours are released.
    func test_rowsOutliveTheirNeighbours() throws {
        try fill(coordinator, count: 300)
        let ids = try other.fetch(FetchRequest("Person")).map(\.objectID)
        let ages = try other.fetch(FetchRequest("Person")).map { try $0.integer("age") }
        try other.reset()
        var kept: [Int: ManagedObject] = [:]
        for (number, id) in ids.enumerated() {
            let person = try context.object(with: id)
            XCTAssertEqual(try person.integer("age"), ages[number])
            if number % 17 == 3 { kept[number] = person }
        }

        for (number, person) in kept {
            XCTAssertFalse(person.isFault)
            XCTAssertEqual(try person.integer("age"), ages[number])
        }
    }

    /// Contexts on threads of their own read rows of one generation, of each other's blocks too,
    /// while those are filled.
    func test_threadsReadRowsOfBlocksThatAreBeingFilled() throws {
        let seed = SeededGenerator.givenSeed ?? UInt64.random(in: 0..<1_000_000)
        print("seed \(seed)")
        try fill(coordinator, count: 400)
        let ids = try other.fetch(FetchRequest("Person")).map(\.objectID)
        let expected = try other.fetch(FetchRequest("Person")).map { ["\(try $0.string("name") ?? "")", "\(try $0.integer("age") ?? 0)"] }
        try other.reset()
        try other.setQueryGeneration(from: .current)
        _ = try other.count(for: FetchRequest("Person"))
        let token = try XCTUnwrap(other.queryGenerationToken)
        let coordinator = try XCTUnwrap(coordinator), failures = LogLines()
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            do {
                var random = SeededGenerator(seed: seed &+ UInt64(thread))
                let context = ManagedObjectContext(concurrencyType: .privateQueue)
                try context.setPersistentStoreCoordinator(coordinator)
                try context.setQueryGeneration(from: token)
                var kept: [ManagedObject] = []
                for _ in 0..<3000 {
                    let number = Int.random(in: ids.indices, using: &random)
                    let person = try context.object(with: ids[number])
                    let read = ["\(try person.string("name") ?? "")", "\(try person.integer("age") ?? 0)"]
                    if read != expected[number] { failures.add("seed \(seed), thread \(thread): \(read), not \(expected[number])") }
                    kept.append(person)
                    if kept.count > 50 { kept.removeFirst(Int.random(in: 1...50, using: &random)) }
                }
            } catch {
                failures.add("seed \(seed), thread \(thread): \(error)")
            }
        }

        XCTAssertEqual(failures.all, [])
    }
}
