import Foundation
import Pinview
import XCTest

/// Saves of many objects, which are written several at once: the same as one by one.
final class ManyChangesTests: StackTestCase {
    override func prepareStore() throws {}

    @discardableResult
    private func insertPersons(_ count: Int, in context: ManagedObjectContext) throws -> [ManagedObject] {
        try (0..<count).map { number in
            let person = try context.insertNewObject(forEntityName: "Person")
            try person.setValue(name(number), forKey: "name")
            try person.setValue(number, forKey: "age")
            return person
        }
    }

    /// Short ones, long ones, and one that ends a block of rows early.
    private func name(_ number: Int) -> String {
        number == 300 ? String(repeating: "x", count: 1_200_000) : String(repeating: "n", count: number % 90) + "\(number)"
    }

    // MARK: Insert

    func test_SAV_01_manyNewObjectsAreWrittenInTheirOrder() throws {
        for count in [1, 127, 128, 143, 144, 330] {
            let context = try makeContext(coordinator)
            let persons = try insertPersons(count, in: context)
            try context.save()
            let keys = persons.map(\.objectID.key.primaryKey)
            XCTAssertEqual(keys, (keys[0]..<keys[0] + Int64(count)).map { $0 })
            let stored = try sqlite3("SELECT ZAGE, length(ZNAME), Z_OPT FROM ZPERSON WHERE Z_PK >= \(keys[0]) ORDER BY Z_PK")
            XCTAssertEqual(
                stored.split(separator: "\n").map(String.init), (0..<count).map { "\($0)|\(name($0).utf8.count)|1" }, "\(count)")
            for (number, person) in persons.enumerated() { XCTAssertEqual(try person.string("name"), name(number)) }
        }
    }

    /// Whole blocks of rows, ones with values too long for a block's heap, and ones of which an
    /// object was changed or deleted.
    func test_SAV_01_objectsMadeFromColumnsAreWrittenInTheirOrder() throws {
        for count in [1, 17, 127, 129, 143, 257, 600] {
            for (longest, changed, deleted) in [(60, -1, -1), (5000, -1, -1), (60, 7, -1), (60, 130, 140)] {
                let context = try makeContext(coordinator)
                func text(_ row: Int) -> String { row == 150 ? String(repeating: "x", count: longest) : name(row % 300) }
                var persons = try context.insertNewObjects(
                    forEntityName: "Person",
                    columns: [
                        "name": (0..<count).map { .string(text($0)) }, "age": (0..<count).map { $0 % 3 == 0 ? .null : .integer(Int64($0)) },
                    ])
                let other = try context.insertNewObject(forEntityName: "Person")
                var expected = (0..<count).map { "\($0 % 3 == 0 ? "" : "\($0)")|\(text($0).utf8.count)|1" } + ["0||1"]
                if changed >= 0, changed < count {
                    try persons[changed].setValue(-1, forKey: "age")
                    expected[changed] = "-1|\(text(changed).utf8.count)|1"
                }
                persons.append(other)
                if deleted >= 0, deleted < count {
                    try context.delete(persons.remove(at: deleted))
                    expected.remove(at: deleted)
                }
                let log = try logged { try context.save() }.filter { $0.contains("INSERT INTO ZPERSON") }
                XCTAssertLessThan(log.count, max(count / 4, 30), "many are written with one statement")
                let keys = persons.map(\.objectID.key.primaryKey)
                XCTAssertEqual(keys, (keys[0]..<keys[0] + Int64(persons.count)).map { $0 })
                let stored = try sqlite3("SELECT ZAGE, length(ZNAME), Z_OPT FROM ZPERSON WHERE Z_PK >= \(keys[0]) ORDER BY Z_PK")
                XCTAssertEqual(stored.split(separator: "\n").map(String.init), expected, "\(count), \(longest), \(changed), \(deleted)")
                for (row, person) in persons.dropLast().enumerated() where deleted < 0 {
                    XCTAssertEqual(try person.string("name"), text(row))
                    XCTAssertFalse(person.hasChanges)
                }
                // The values of the rows that were just written, not read again.
                XCTAssertEqual(try persons[0].integer("age"), changed == 0 ? -1 : nil)
            }
        }
    }

    func test_FLT_05_aSavedObjectKnowsThatItHasNoMembers() throws {
        let person = try insertPersons(1, in: context)[0]
        XCTAssertFalse(try person.hasFault(forRelationshipNamed: "cars"))
        try context.save()
        XCTAssertFalse(try person.hasFault(forRelationshipNamed: "cars"))
        XCTAssertEqual(try selects { XCTAssertEqual(try person.relatedObjects(forKey: "cars"), []) }, 0)
        try context.refresh(person, mergeChanges: false)
        XCTAssertTrue(try person.hasFault(forRelationshipNamed: "cars"))
        XCTAssertEqual(try person.relatedObjects(forKey: "cars"), [])
    }

    func test_API_22_manyObjectsAreMadeFromColumns() throws {
        let persons = try context.insertNewObjects(
            forEntityName: "Person", columns: ["name": [.string("a"), .null, .string("c")], "age": [.integer(1), .integer(2), .null]])
        XCTAssertEqual(persons.map { try? $0.attributeValue(forKey: "name") }, [.string("a"), .null, .string("c")])
        XCTAssertEqual(context.insertedObjects, Set(persons))

        // Of those that are refused nothing is left.
        let wrong: [String: [Value]] = ["name": [.string("a"), .integer(1)]]
        assertError(.wrongType, try context.insertNewObjects(forEntityName: "Person", columns: wrong))
        for columns: [String: [Value]] in [["name": [.null], "age": []], ["nobody": [.null]], ["cars": [.null]]] {
            XCTAssertThrowsError(try context.insertNewObjects(forEntityName: "Person", columns: columns), "\(columns)")
        }
        XCTAssertEqual(context.insertedObjects, Set(persons))
        XCTAssertEqual(try context.insertNewObjects(forEntityName: "Person", columns: [:]), [])
        try context.save()
        XCTAssertEqual(try sqlite3("SELECT group_concat(coalesce(ZNAME, '-') || coalesce(ZAGE, '-')) FROM ZPERSON"), "a1,-2,c-")
    }

    func test_SAV_01_aSavedObjectHasItsToManyRelationshipsAsBefore() throws {
        let person = try insertPersons(1, in: context)[0]
        try context.save()
        // Each of these looks at the object in another way.
        try person.setValue(7, forKey: "age")
        XCTAssertFalse(try person.hasFault(forRelationshipNamed: "cars"))
        try context.save()
        XCTAssertFalse(try person.hasFault(forRelationshipNamed: "cars"))
        let car = try context.insertNewObject(forEntityName: "Car")
        try car.setValue(person, forKey: "owner")
        XCTAssertEqual(try person.relatedObjects(forKey: "cars"), [car])
        try context.save()
        XCTAssertEqual(try person.relatedObjects(forKey: "cars"), [car])
        try context.delete(car)
        try context.save()
        XCTAssertEqual(try person.relatedObjects(forKey: "cars"), [])
        try context.delete(person)
        try context.rollback()
        XCTAssertEqual(try person.value(forKey: "age") as? Int64, 7)
    }

    func test_BAT_13_manyRowsInColumns() throws {
        let request = try BatchInsertRequest(
            entityName: "Person", columns: ["age": (0..<601).map { .integer(Int64($0)) }, "name": (0..<601).map { .string(name($0)) }])
        _ = try context.execute(request)
        let sums = "SELECT count(*), sum(ZAGE), sum(length(ZNAME)), count(DISTINCT Z_PK) FROM ZPERSON"
        let length = (0..<601).reduce(0) { $0 + name($1).utf8.count }
        XCTAssertEqual(try sqlite3(sums), "601|\(600 * 601 / 2)|\(length)|601")
        XCTAssertEqual(try sqlite3("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Person'"), "601")
        // The rows of a request are used up.
        _ = try context.execute(request)
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZPERSON"), "601")
        let mistaken = try BatchInsertRequest(entityName: "Person", columns: ["age": (0..<400).map { $0 == 377 ? "x" : 1 }])
        assertError(.wrongType, try context.execute(mistaken))
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZPERSON"), "601")
    }

    // MARK: Delete

    /// 60 persons; of those that are deleted here, 17 has another version in the store, and 30 is
    /// gone.
    private func makeDisputedDeletion(_ policy: MergePolicy) throws -> [ManagedObject] {
        context.mergePolicy = policy
        let persons = try insertPersons(60, in: context)
        try context.save()
        let elsewhere = try makeContext(coordinator)
        try elsewhere.person(name(17)).setValue("theirs", forKey: "name")
        try elsewhere.delete(try elsewhere.person(name(30)))
        for person in persons[5..<55] { try context.delete(person) }
        try elsewhere.save()
        return persons
    }

    func test_SAV_17_ofNeighboursThatAreDeletedOneIsGoneAndOneStays() throws {
        let persons = try makeDisputedDeletion(.rollback)
        try context.save()
        XCTAssertEqual(try sqlite3("SELECT count(*), sum(ZNAME = 'theirs') FROM ZPERSON"), "11|1")
        XCTAssertFalse(persons[17].isDeleted)
        XCTAssertEqual(try persons[17].string("name"), "theirs")
        XCTAssertEqual(persons.filter(\.isDeleted).count, 49)
    }

    func test_SAV_09_ofNeighboursThatAreDeletedOneIsAConflict() throws {
        let persons = try makeDisputedDeletion(.error)
        let error = assertError(.managedObjectMerge, try context.save())
        XCTAssertEqual(error?.conflicts.map(\.objectID), [persons[17].objectID])
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZPERSON"), "59")
        context.mergePolicy = .overwrite
        try context.save()
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZPERSON"), "10")
    }

    func test_DEL_manyMembersLeaveOneOwner() throws {
        let person = try insertPersons(1, in: context)[0]
        let cars = try (0..<50).map { _ in try context.insertNewObject(forEntityName: "Car") }
        for car in cars { try car.setRelatedObject(person, forKey: "owner") }
        try context.save()
        try context.refresh(person, mergeChanges: false)
        for car in cars[10..<45] { try context.delete(car) }
        try context.processPendingChanges()
        XCTAssertEqual(Set(try person.relatedObjects(forKey: "cars")), Set(cars[..<10] + cars[45...]))
        try context.rollback()
        XCTAssertEqual(Set(try person.relatedObjects(forKey: "cars")), Set(cars))
        try context.refresh(person, mergeChanges: false)
        for car in cars[..<40] { try context.delete(car) }
        try context.save()
        XCTAssertEqual(Set(try person.relatedObjects(forKey: "cars")), Set(cars[40...]))
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZCAR"), "10")
    }

    func test_REL_manyMembersJoinAnOwnerWhoseMembersAreNotLoaded() throws {
        let person = try insertPersons(1, in: context)[0]
        try context.save()
        try context.refresh(person, mergeChanges: false)
        let cars = try (0..<60).map { _ in try context.insertNewObject(forEntityName: "Car") }
        for car in cars { try car.setRelatedObject(person, forKey: "owner") }
        for car in cars[20..<30] { try car.setRelatedObject(nil, forKey: "owner") }
        for car in cars[25..<30] { try car.setRelatedObject(person, forKey: "owner") }
        XCTAssertEqual(Set(try person.relatedObjects(forKey: "cars")), Set(cars[..<20] + cars[25...]))
        try context.save()
        XCTAssertEqual(try sqlite3("SELECT count(ZOWNER), count(*) FROM ZCAR"), "55|60")
    }

    // MARK: History

    func test_HIS_03_manyChangesAreNamedOneByOne() throws {
        let coordinator = try makeCoordinator(name: "history.sqlite", options: ["NSPersistentHistoryTrackingKey": true])
        let context = try makeContext(coordinator)
        context.mergePolicy = .rollback
        let persons = try insertPersons(200, in: context)
        try context.save()
        for person in persons[..<90] { try person.setValue("new", forKey: "name") }
        for person in persons[50..<70] { try person.setValue(1000, forKey: "age") }
        try context.save()
        let elsewhere = try makeContext(coordinator)
        try elsewhere.person(name(130)).setValue("theirs", forKey: "name")
        try elsewhere.save()
        for person in persons[100..<180] { try context.delete(person) }
        try context.save()
        let changes = try sqlite3(
            "SELECT ZTRANSACTIONID, ZCHANGETYPE, count(*), count(DISTINCT ZENTITYPK), count(DISTINCT ZCOLUMNS) FROM ACHANGE "
                + "GROUP BY 1, 2 ORDER BY 1, 2", file: "history.sqlite")
        XCTAssertEqual(changes, "1|0|200|200|0\n2|1|90|90|2\n3|1|1|1|1\n4|2|79|79|0")
        XCTAssertEqual(
            try sqlite3(
                "SELECT count(*) = max(Z_PK), max(Z_PK) = (SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16001) FROM ACHANGE",
                file: "history.sqlite"),
            "1|1")
    }
}
