import Foundation
import PinviewGenerations
import PinviewModel
import RandomSupport
import XCTest

@testable import PinviewStore

/// The writing side: keys, versions, relationships, errors.
final class SaveTests: StoreTestCase {
    private func row(_ store: SQLStore, _ reference: Reference, version: Int64, _ values: [String: Value]) throws -> RowSnapshot {
        let entity = store.schema.model.entities[Int(reference.entityIndex)]
        let current = try XCTUnwrap(try store.newestRow(reference))
        var builder = RowBuilder(entity: entity, model: store.schema.model, reservingRows: 1)
        builder.beginRow(primaryKey: reference.primaryKey, version: version)
        for property in entity.properties where property.isStored {
            if property.isAttribute {
                try builder.append(values[property.name] ?? current.value(of: property), of: property)
            } else {
                builder.append(reference: current.reference(of: property), of: property)
            }
        }
        return builder.finish().snapshot(0)
    }

    // MARK: Keys

    func test_keysAreNeverGivenOutTwice() throws {
        let store = try openStore(try TestModels.notes())
        let entity = try store.entity("Note")
        XCTAssertEqual(try store.insert("Note", [[:], [:]]).map(\.primaryKey), [1, 2])
        let save = try store.beginSave()
        XCTAssertTrue(try save.delete(entity: entity, primaryKey: 2, expectedVersion: 1))
        _ = try save.commit()
        XCTAssertEqual(try store.insert("Note", [[:]]).map(\.primaryKey), [3])
        XCTAssertEqual(try store.allocatePrimaryKeys(entity: entity, count: 10), 4)
        XCTAssertEqual(try store.insert("Note", [[:]]).map(\.primaryKey), [14])
        XCTAssertEqual(try sqlite3("SELECT Z_MAX FROM Z_PRIMARYKEY"), ["14"])
    }

    func test_aHierarchySharesOneSequenceOfKeys() throws {
        let store = try openStore(try TestModels.company())
        XCTAssertEqual(try store.insert("Employee", [[:]]).map(\.primaryKey), [1])
        XCTAssertEqual(try store.insert("Guest", [[:]]).map(\.primaryKey), [2])
        XCTAssertEqual(try store.insert("Person", [[:]]).map(\.primaryKey), [3])
        XCTAssertEqual(try store.insert("Car", [[:]]).map(\.primaryKey), [1])
        XCTAssertEqual(try sqlite3("SELECT Z_PK, Z_ENT, Z_OPT FROM ZPERSON"), ["1|4|1", "2|5|1", "3|3|1"])
    }

    func test_whenKeysRunOutTheSaveFailsAndNothingIsOverwritten() throws {
        let store = try openStore(try TestModels.notes())
        try sqlite3("UPDATE Z_PRIMARYKEY SET Z_MAX = 4611686018427387903")
        XCTAssertEqual(try store.allocatePrimaryKeys(entity: try store.entity("Note"), count: 1), 1 << 62)
        _ = assertError(.persistentStoreSave) { _ = try store.allocatePrimaryKeys(entity: try store.entity("Note"), count: 1) }
        _ = assertError(.invalidArgument) { _ = try store.allocatePrimaryKeys(entity: try store.entity("Note"), count: 0) }
    }

    // MARK: Versions

    func test_anUpdateChecksTheVersionAndWritesChangedColumnsOnly() throws {
        let store = try openStore(try TestModels.notes())
        let note = try store.insert("Note", [["title": "old", "text": "old", "rank": 1]])[0]
        let entity = try store.entity("Note")
        let title = try store.property("title", of: "Note")
        let new = try row(store, note, version: 2, ["title": "new", "text": "not written"])
        let save = try store.beginSave()
        XCTAssertFalse(try save.update(new, entity: entity, changed: [title], expectedVersion: 9))
        XCTAssertTrue(try save.checkVersion(entity: entity, primaryKey: note.primaryKey, expected: 1))
        XCTAssertTrue(try save.update(new, entity: entity, changed: [title], expectedVersion: 1))
        XCTAssertFalse(try save.checkVersion(entity: entity, primaryKey: note.primaryKey, expected: 1))
        XCTAssertEqual(try save.currentRow(entity: entity, primaryKey: note.primaryKey)?.version, 2)
        let rank = try save.commit()
        let generation = try store.currentGeneration()
        XCTAssertEqual(try sqlite3("SELECT Z_OPT, ZTITLE, ZTEXT, ZRANK FROM ZNOTE"), ["2|new|old|1"])
        // The generation that was committed contains it.
        XCTAssertEqual(generation.rank, rank)
        XCTAssertEqual(try store.row(entity: entity, primaryKey: note.primaryKey, at: generation)?.version, 2)
    }

    func test_aPinnedReadDoesNotSeeALaterSave() throws {
        let store = try openStore(try TestModels.notes())
        try store.insert("Note", [["title": "one"]])
        let generation = try store.currentGeneration()
        try store.insert("Note", [["title": "two"]])
        XCTAssertEqual(try store.count(try store.fetch("Note"), at: generation), 1)
        XCTAssertEqual(try store.count(try store.fetch("Note"), at: nil), 2)
        XCTAssertFalse(store.isNewest(generation))
    }

    func test_aSaveThatIsNotCommittedLeavesNothing() throws {
        let store = try openStore(try TestModels.notes())
        do {
            let save = try store.beginSave()
            _ = try save.allocatePrimaryKeys(entity: try store.entity("Note"), count: 5)
        }
        XCTAssertEqual(try store.insert("Note", [[:]]).map(\.primaryKey), [1])
        let save = try store.beginSave()
        save.rollback()
        save.rollback()
        _ = assertError(.persistentStoreSave) { _ = try save.commit() }
    }

    func test_aSecondSaveOnTheSameThreadIsAnErrorAndNoDeadlock() throws {
        let store = try openStore(try TestModels.notes())
        let save = try store.beginSave()
        _ = assertError(.persistentStoreSave) { _ = try store.beginSave() }
        save.rollback()
        try store.insert("Note", [[:]])
    }

    func test_inMemoryAReadDuringASaveOnTheSameThreadDoesNotWaitForItself() throws {
        let store = try SQLStore.open(.inMemory, model: try TestModels.notes())
        try store.insert("Note", [[:]])
        let save = try store.beginSave()
        XCTAssertEqual(try store.count(try store.fetch("Note"), at: nil), 1)
        _ = try save.commit()
    }

    func test_STO_09_aReadOnlyStoreRefusesToSave() throws {
        let model = try TestModels.notes()
        try openStore(model).insert("Note", [["title": "one"]])
        let store = try openStore(model, options: try StoreOptions(parsing: ["NSReadOnlyPersistentStoreOption": true]))
        XCTAssertEqual(try store.count(try store.fetch("Note"), at: nil), 1)
        _ = assertError(.persistentStoreSave) { _ = try store.beginSave() }
    }

    func test_SAV_25_aLockedStoreFailsAfterTheTimeOutWithTheSQLiteCode() throws {
        let model = try TestModels.notes()
        let store = try openStore(model, options: try StoreOptions(parsing: ["busyTimeout": 0.05]))
        let other = try StoreFile.open(path: storePath, options: StoreFileOptions())
        let foreign = Process()
        foreign.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        foreign.arguments = ["sqlite3", storePath]
        let input = Pipe(), output = Pipe()
        foreign.standardInput = input
        foreign.standardOutput = output
        try foreign.run()
        input.fileHandleForWriting.write(Data("BEGIN IMMEDIATE;\n.print locked\n".utf8))
        _ = output.fileHandleForReading.availableData
        let error = assertError(.persistentStoreSave) { try store.insert("Note", [[:]]) }
        XCTAssertEqual(error?.sqliteCode, 5)
        XCTAssertEqual(error?.underlyingError?.domain, PinviewError.sqliteErrorDomain)
        XCTAssertEqual(error?.underlyingError?.code, 5)
        XCTAssertEqual(error?.affectedStores, [storePath])
        input.fileHandleForWriting.write(Data("ROLLBACK;\n.quit\n".utf8))
        foreign.waitUntilExit()
        XCTAssertNoThrow(try store.insert("Note", [[:]]))
        other.close()
    }

    // MARK: Relationships

    func test_orderedOneToManyGetsPositionsAndAnInsertionInTheMiddleWritesOneOnly() throws {
        let store = try openStore(try TestModels.company())
        let owner = try store.insert("Employee", [[:]])[0]
        let cars = try store.insert("Car", [[:], [:], [:]], references: [["owner": owner], ["owner": owner], ["owner": owner]])
        let relationship = try store.property("cars", of: "Person")
        func set(_ order: [Reference]) throws {
            let save = try store.beginSave()
            try save.setOrder(of: relationship, owner: owner, members: order)
            _ = try save.commit()
        }
        try set([cars[2], cars[0]])
        XCTAssertEqual(try sqlite3("SELECT Z_PK, Z_FOK_OWNER, ZOWNER, Z3_OWNER FROM ZCAR"), ["1|3072|1|4", "2||1|4", "3|2048|1|4"])
        try set([cars[2], cars[1], cars[0]])
        XCTAssertEqual(try sqlite3("SELECT Z_PK, Z_FOK_OWNER FROM ZCAR"), ["1|3072", "2|2560", "3|2048"])
        XCTAssertEqual(try store.destinations(of: owner, relationship: relationship, at: nil), [cars[2], cars[1], cars[0]])
        XCTAssertEqual(try sqlite3("SELECT DISTINCT Z_OPT FROM ZCAR"), ["1"])
    }

    func test_manyToManyFromBothSidesAndItsOrder() throws {
        let store = try openStore(try TestModels.company())
        let people = try store.insert("Person", [[:], [:]]) + store.insert("Employee", [[:]])
        let clubs = try store.insert("Club", [[:], [:]])
        let clubsOfPerson = try store.property("clubs", of: "Person")
        let members = try store.property("members", of: "Club")
        let save = try store.beginSave()
        try save.changeMembers(of: members, owner: clubs[0], inserted: [people[0], people[2]], removed: [])
        try save.changeMembers(of: clubsOfPerson, owner: people[1], inserted: clubs, removed: [])
        try save.changeMembers(of: clubsOfPerson, owner: people[1], inserted: [], removed: [clubs[1]])
        try save.setOrder(of: members, owner: clubs[0], members: [people[2], people[0], people[1]])
        _ = try save.commit()
        XCTAssertEqual(
            try sqlite3("SELECT Z_2CLUBS, Z_3MEMBERS, Z_FOK_3MEMBERS FROM Z_2MEMBERS ORDER BY 3"), ["1|3|1024", "1|1|2048", "1|2|4096"])
        XCTAssertEqual(try store.destinations(of: clubs[0], relationship: members, at: nil), [people[2], people[0], people[1]])
        XCTAssertEqual(try store.destinations(of: people[1], relationship: clubsOfPerson, at: nil), [clubs[0]])
        let all = try store.destinations(
            ofOwners: people.map(\.primaryKey), entity: try store.entity("Person"), relationship: clubsOfPerson, at: nil)
        XCTAssertEqual(all, [1: [clubs[0]], 2: [clubs[0]], 3: [clubs[0]]])
    }

    func test_aRelationshipThatIsItsOwnInverseKeepsBothDirections() throws {
        let store = try openStore(try TestModels.company())
        let people = try store.insert("Person", [[:], [:], [:]])
        let friends = try store.property("friends", of: "Person")
        var save = try store.beginSave()
        try save.changeMembers(of: friends, owner: people[0], inserted: [people[1]], removed: [])
        try save.changeMembers(of: friends, owner: people[1], inserted: [people[0], people[2]], removed: [])
        try save.changeMembers(of: friends, owner: people[2], inserted: [people[1]], removed: [])
        _ = try save.commit()
        XCTAssertEqual(try store.destinations(of: people[1], relationship: friends, at: nil), [people[0], people[2]])
        save = try store.beginSave()
        XCTAssertTrue(try save.delete(entity: try store.entity("Person"), primaryKey: people[1].primaryKey, expectedVersion: nil))
        _ = try save.commit()
        XCTAssertEqual(try sqlite3("SELECT COUNT(*) FROM Z_3FRIENDS"), ["0"])
    }

    func test_oneToManyWithoutAnInverseIsWrittenIntoTheMembers() throws {
        let store = try openStore(try TestModels.company())
        let car = try store.insert("Car", [[:], [:]])
        let wheels = try store.insert("Wheel", [[:], [:], [:]])
        let relationship = try store.property("wheels", of: "Car")
        var save = try store.beginSave()
        try save.changeMembers(of: relationship, owner: car[0], inserted: wheels, removed: [])
        try save.changeMembers(of: relationship, owner: car[1], inserted: [wheels[2]], removed: [])
        try save.changeMembers(of: relationship, owner: car[0], inserted: [], removed: [wheels[0], wheels[2]])
        _ = try save.commit()
        XCTAssertEqual(try sqlite3("SELECT Z_PK, Z1WHEELS FROM ZWHEEL"), ["1|", "2|1", "3|2"])
        XCTAssertEqual(try store.destinations(of: car[1], relationship: relationship, at: nil), [wheels[2]])
        save = try store.beginSave()
        XCTAssertTrue(try save.delete(entity: try store.entity("Car"), primaryKey: 1, expectedVersion: 1))
        _ = try save.commit()
        XCTAssertEqual(try sqlite3("SELECT Z_PK, Z1WHEELS FROM ZWHEEL"), ["1|", "2|", "3|2"])
    }

    func test_toOneGivesTheDestinationsOwnEntity() throws {
        let store = try openStore(try TestModels.company())
        let boss = try store.insert("Guest", [[:]])[0]
        let worker = try store.insert("Employee", [[:]], references: [["boss": boss]])[0]
        let relationship = try store.property("boss", of: "Person")
        XCTAssertEqual(try store.destinations(of: worker, relationship: relationship, at: nil), [boss])
        XCTAssertEqual(try store.destinations(of: boss, relationship: try store.property("reports", of: "Person"), at: nil), [worker])
        XCTAssertEqual(try store.destinations(of: boss, relationship: relationship, at: nil), [])
    }

    // MARK: Positions

    func test_positionsKeepWhatAscendsAndRenumberWhenThereIsNoRoom() {
        XCTAssertEqual(RelationshipOrder.positions(current: []), [])
        XCTAssertEqual(RelationshipOrder.positions(current: [nil, nil, nil]), [2048, 3072, 4096])
        XCTAssertEqual(RelationshipOrder.positions(current: [2048, nil, 3072]), [2048, 2560, 3072])
        XCTAssertEqual(RelationshipOrder.positions(current: [nil, 2048]), [1024, 2048])
        XCTAssertEqual(RelationshipOrder.positions(current: [3072, 2048, 4096]), [1024, 2048, 4096])
        XCTAssertEqual(RelationshipOrder.positions(current: [5, nil, 6]), [2048, 3072, 4096])
        XCTAssertEqual(RelationshipOrder.positions(current: [.max, nil]), [2048, 3072])
        var generator = SeededGenerator.announced(name)
        for _ in 0..<500 {
            let current = (0..<Int.random(in: 0...12, using: &generator)).map { _ -> Int64? in
                Bool.random(using: &generator) ? nil : Int64.random(in: -5...40, using: &generator)
            }
            let positions = RelationshipOrder.positions(current: current)
            XCTAssertEqual(positions.count, current.count)
            XCTAssertTrue(zip(positions, positions.dropFirst()).allSatisfy { $0 < $1 }, "\(current) -> \(positions)")
        }
    }

    // MARK: Batch update

    func test_BAT_01_02_03_07_batchUpdateSetsMatchingRowsAndRaisesTheirVersions() throws {
        let store = try openStore(try TestModels.company())
        let people = try store.insert("Person", [["age": 1], ["age": 2]]) + store.insert("Employee", [["age": 3]])
        let assignments = [
            (try store.property("name", of: "Person"), Value.string("x")), (try store.property("age", of: "Person"), .integer(9)),
        ]
        let result = try store.batchUpdate(try store.fetch("Person", "age >= 2"), assignments: assignments, returningReferences: true)
        XCTAssertEqual(result.count, 2)
        XCTAssertEqual(Set(result.references), Set(people[1...]))
        XCTAssertEqual(try sqlite3("SELECT Z_OPT, ZNAME, ZAGE FROM ZPERSON"), ["1||1", "2|x|9", "2|x|9"])
        let all = try store.batchUpdate(try store.fetch("Employee"), assignments: [assignments[0]], returningReferences: false)
        XCTAssertEqual(all.count, 1)
        XCTAssertEqual(all.references, [])
        let everyone = try store.batchUpdate(try store.fetch("Person"), assignments: [assignments[0]], returningReferences: false)
        XCTAssertEqual(everyone.count, 3)
    }

    func test_BAT_10_aBatchUpdateIsAllOrNothing() throws {
        let store = try openStore(try TestModels.company())
        try store.insert("Employee", [["badge": 1], ["badge": 2]])
        let badge = try store.property("badge", of: "Employee")
        _ = assertError(.managedObjectConstraintMerge) {
            _ = try store.batchUpdate(try store.fetch("Employee"), assignments: [(badge, 5)], returningReferences: false)
        }
        XCTAssertEqual(try sqlite3("SELECT ZBADGE FROM ZPERSON"), ["1", "2"])
        _ = assertError(.unknownKey) {
            let boss = try store.property("boss", of: "Person")
            _ = try store.batchUpdate(try store.fetch("Employee"), assignments: [(boss, nil)], returningReferences: false)
        }
        _ = assertError(.wrongType) {
            _ = try store.batchUpdate(try store.fetch("Employee"), assignments: [(badge, "one")], returningReferences: false)
        }
    }
}
