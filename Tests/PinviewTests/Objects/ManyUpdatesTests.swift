import Foundation
import Pinview
import XCTest

/// Saves of many changed objects, whose rows are written several at once: the same as one by one.
final class ManyUpdatesTests: StackTestCase {
    override func prepareStore() throws {}

    private func insertPersons(_ count: Int) throws -> [ManagedObject] {
        let persons = try (0..<count).map { number in
            let person = try context.insertNewObject(forEntityName: "Person")
            try person.setValue("p\(number)", forKey: "name")
            try person.setValue(number, forKey: "age")
            return person
        }
        try context.save()
        return persons
    }

    /// What the store has: a line for each person.
    private func rows() throws -> [String] {
        try sqlite3("SELECT ifnull(length(ZNAME), 'none'), ifnull(ZAGE, 'none'), Z_OPT FROM ZPERSON ORDER BY Z_PK").split(separator: "\n")
            .map(String.init)
    }

    /// None, an empty one, short ones, and one that ends a block of rows early.
    private func newName(_ number: Int) -> String? {
        switch number % 7 {
        case 0: nil
        case 1: ""
        case 2 where number == 149: String(repeating: "x", count: 1_200_000)
        default: String(repeating: "n", count: number % 90)
        }
    }

    func test_SAV_01_neighboursAndOthersAreWrittenTogether() throws {
        let persons = try insertPersons(600)
        // Of two versions.
        for person in persons where try (person.integer("age") ?? 1) % 5 == 0 { try person.setValue("second", forKey: "name") }
        try context.save()
        var expected = (0..<600).map { ($0 % 5 == 0 ? "6" : "\("p\($0)".count)", "\($0)", $0 % 5 == 0 ? 2 : 1) }
        XCTAssertEqual(try rows(), expected.map { "\($0)|\($1)|\($2)" })
        for (distance, backwards) in [(1, false), (2, false), (3, false), (1, true)] {
            let numbers = Array(stride(from: 0, to: 600, by: distance))
            for number in backwards ? numbers.reversed() : numbers {
                try persons[number].setAttributeValue(newName(number + distance).map { .string($0) } ?? .null, forKey: "name")
                // Of two kinds.
                if number % 97 < 60 { try persons[number].setAttributeValue(number % 4 == 0 ? .null : 7, forKey: "age") }
            }
            let changed = Set(persons.indices.filter { persons[$0].isUpdated })
            let statements = try logged { try context.save() }.filter { $0.contains("UPDATE ZPERSON") }.count
            if !backwards { XCTAssertLessThan(statements, 40, "\(distance)") }
            for number in changed {
                if numbers.contains(number) {
                    expected[number].0 = newName(number + distance).map { "\($0.count)" } ?? "none"
                    if number % 97 < 60 { expected[number].1 = number % 4 == 0 ? "none" : "7" }
                }
                expected[number].2 += 1
            }
            XCTAssertEqual(try rows(), expected.map { "\($0)|\($1)|\($2)" }, "\(distance)")
            for number in numbers {
                XCTAssertEqual(try persons[number].attributeValue(forKey: "name"), newName(number + distance).map { .string($0) } ?? .null)
            }
        }
        let reader = try makeContext(coordinator)
        let read = try reader.fetch(FetchRequest(entityName: "Person"))
        XCTAssertEqual(try read.map { try $0.integer("age") ?? -1 }.sorted(), try persons.map { try $0.integer("age") ?? -1 }.sorted())
    }

    func test_REL_manyDestinationsAreWrittenTogether() throws {
        let persons = try insertPersons(3)
        let cars = try (0..<300).map { number in
            let car = try context.insertNewObject(forEntityName: "Car")
            try car.setRelatedObject(persons[number % 3], forKey: "owner")
            return car
        }
        try context.save()
        for (number, car) in cars.enumerated() { try car.setRelatedObject(number % 4 == 0 ? nil : persons[2], forKey: "owner") }
        try context.save()
        XCTAssertEqual(try sqlite3("SELECT count(*), count(ZOWNER), min(ZOWNER), max(ZOWNER) FROM ZCAR"), "300|225|3|3")
        let first = "(SELECT min(Z_PK) FROM ZCAR)"
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZCAR WHERE ZOWNER IS NULL AND (Z_PK - \(first)) % 4 = 0"), "75")
    }

    // MARK: Conflicts

    /// 200 persons, changed here; 17 and 150 have another version in the store, and 30 is gone.
    private func makeDisputedUpdate(_ policy: MergePolicy, distance: Int) throws -> [ManagedObject] {
        context.mergePolicy = policy
        let persons = try insertPersons(200 * distance)
        let elsewhere = try makeContext(coordinator)
        for number in [17, 150] { try elsewhere.person("p\(number * distance)").setValue("theirs", forKey: "name") }
        try elsewhere.delete(try elsewhere.person("p\(30 * distance)"))
        try elsewhere.save()
        let changed = stride(from: 0, to: persons.count, by: distance).map { persons[$0] }
        for person in changed { try person.setValue("ours", forKey: "name") }
        return changed
    }

    func test_SAV_09_ofManyUpdatesTwoAreConflicts() throws {
        for distance in [1, 3] {
            let persons = try makeDisputedUpdate(.error, distance: distance)
            let before = try rows()
            let error = assertError(.managedObjectMerge, try context.save())
            let disputed = [persons[17], persons[30], persons[150]].map(\.objectID)
            XCTAssertEqual(error?.conflicts.map(\.objectID), disputed, "\(distance)")
            XCTAssertEqual(try rows(), before)
            XCTAssertEqual(persons.filter(\.isUpdated).count, 200)
            try context.rollback()
            _ = try context.execute(BatchDeleteRequest(fetchRequest: FetchRequest(entityName: "Person")))
            try context.reset()
        }
    }

    func test_SAV_14_ofManyUpdatesTwoYieldToTheStore() throws {
        for distance in [1, 3] {
            let persons = try makeDisputedUpdate(.rollback, distance: distance)
            try context.save()
            let counts = try sqlite3("SELECT count(*), sum(ZNAME = 'theirs'), sum(ZNAME = 'ours') FROM ZPERSON")
            XCTAssertEqual(counts, "\(200 * distance - 1)|2|197")
            XCTAssertEqual(try persons[17].string("name"), "theirs")
            XCTAssertEqual(try persons[16].string("name"), "ours")
            try context.reset()
            _ = try context.execute(BatchDeleteRequest(fetchRequest: FetchRequest(entityName: "Person")))
        }
    }

    func test_SAV_15_ofManyUpdatesTwoPrevailOverTheStore() throws {
        let persons = try makeDisputedUpdate(.overwrite, distance: 1)
        try context.save()
        XCTAssertEqual(try sqlite3("SELECT sum(ZNAME = 'theirs'), count(DISTINCT ZNAME) FROM ZPERSON"), "0|1")
        XCTAssertEqual(try sqlite3("SELECT Z_OPT, count(*) FROM ZPERSON WHERE ZAGE <> 30 GROUP BY 1"), "2|197\n3|2")
        XCTAssertFalse(persons[17].hasChanges)
    }

    /// A foreign trigger that keeps a row unchanged must not count as a write.
    func test_SAV_aRowThatATriggerKeepsIsAnError() throws {
        context = try makeContext(try makeCoordinator(options: ["trustedSchema": true]))
        let persons = try insertPersons(200)
        try sqlite3("CREATE TRIGGER keeper BEFORE UPDATE ON ZPERSON WHEN old.ZAGE = 40 BEGIN SELECT raise(IGNORE); END")
        for person in persons { try person.setValue("new", forKey: "name") }
        assertError(.persistentStoreSave, try context.save())
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZPERSON WHERE ZNAME = 'new'"), "0")
        XCTAssertTrue(persons[0].isUpdated)
    }

    // MARK: Undo

    func test_UND_values_ofNewObjectsComeAndGoWithThem() throws {
        let manager = try XCTUnwrap(context.undoManager)
        let person = try context.insertNewObject(forEntityName: "Person")
        try person.setValue("first", forKey: "name")
        try context.processPendingChanges()
        let age = try person.attributeValue(forKey: "age")
        try person.setValue(1, forKey: "age")
        try context.undo()
        XCTAssertTrue(person.isInserted)
        XCTAssertEqual(try person.attributeValue(forKey: "age"), age)
        try context.undo()
        XCTAssertFalse(person.isInserted)
        try context.redo()
        XCTAssertTrue(person.isInserted)
        XCTAssertEqual(try person.string("name"), "first")
        XCTAssertEqual(try person.attributeValue(forKey: "age"), age)
        try context.redo()
        XCTAssertEqual(try person.integer("age"), 1)
        // In a group of its own, a value is undone separately.
        manager.beginUndoGrouping()
        try person.setValue("second", forKey: "name")
        manager.endUndoGrouping()
        try context.undo()
        XCTAssertEqual(try person.string("name"), "first")
        XCTAssertTrue(person.isInserted)
        try context.redo()
        XCTAssertEqual(try person.string("name"), "second")
        // So is that of an object whose insertion was not recorded.
        manager.disableUndoRegistration()
        let quiet = try context.insertNewObject(forEntityName: "Person")
        try quiet.setValue("quiet", forKey: "name")
        manager.enableUndoRegistration()
        try quiet.setValue("loud", forKey: "name")
        try context.undo()
        XCTAssertEqual(try quiet.string("name"), "quiet")
        XCTAssertTrue(quiet.isInserted)
    }
}
