import Pinview
import XCTest

/// A merge policy of the program, and what it receives: SAV-10 to SAV-18.
class MergePolicyTests: StackTestCase {
    /// Both contexts change dave0: this one the name, the other the age and the name.
    private func makeConflict(_ policy: MergePolicy) throws -> ManagedObject {
        context.mergePolicy = policy
        let mine = try context.person("dave0")
        try mine.setValue("mine", forKey: "name")
        let theirs = try other.person("dave0")
        try theirs.setValue("theirs", forKey: "name")
        try theirs.setValue(50, forKey: "age")
        try other.save()
        return mine
    }

    private func stored() throws -> String { try sqlite3("SELECT ZNAME, ZAGE FROM ZPERSON ORDER BY Z_PK LIMIT 1") }

    func test_SAV_10_aConflictIsDescribedWithBaseMineAndTheirs() throws {
        let told = Conflicts()
        let person = try makeConflict(
            .custom { conflicts in
                told.all = conflicts
                return conflicts.map { _ in .policy(.rollback) }
            })
        try context.save()
        let conflict = try XCTUnwrap(told.all.first)
        XCTAssertEqual(told.all.count, 1)
        XCTAssertEqual(conflict.objectID, person.objectID)
        XCTAssertEqual([conflict.oldVersion, conflict.newVersion], [1, 2])
        XCTAssertEqual(conflict.base, ["name": "dave0", "age": 20])
        XCTAssertEqual(conflict.mine, ["name": "mine", "age": 20])
        XCTAssertEqual(conflict.theirs, ["name": "theirs", "age": 50])
        XCTAssertEqual(conflict.keysChangedByMine, ["name"])
        XCTAssertEqual(conflict.keysChangedByTheirs, ["name", "age"])
        XCTAssertFalse(conflict.isDeletion)
        XCTAssertEqual(try stored(), "theirs|50")
    }

    func test_SAV_15_theValuesThatAPolicyGivesAreWrittenAndInMemory() throws {
        let person = try makeConflict(
            .custom { conflicts in
                conflicts.map {
                    .values(["name": .string("\($0.mine["name"]?.stringValue ?? "") and \($0.theirs?["name"]?.stringValue ?? "")")])
                }
            })
        try context.save()
        XCTAssertEqual(try stored(), "mine and theirs|50")
        XCTAssertEqual(try person.string("name"), "mine and theirs")
        XCTAssertEqual(try person.attributeValue(forKey: "age"), 50)
        XCTAssertFalse(context.hasChanges)
        try person.setValue("again", forKey: "name")
        try context.save()
        XCTAssertEqual(try stored(), "again|50")
    }

    func test_aPolicySettlesEachConflictByAConstantOfItsChoice() throws {
        let first = try makeConflict(
            .custom { conflicts in conflicts.map { .policy($0.mine["name"] == "mine" ? .overwrite : .mergeByPropertyStoreTrump) } })
        let second = try context.person("dave1")
        try second.setValue("second", forKey: "name")
        try changeElsewhere("dave1", "age", 60)
        try context.save()
        XCTAssertEqual(try first.attributeValue(forKey: "age"), 20)
        XCTAssertEqual(try sqlite3("SELECT ZNAME, ZAGE FROM ZPERSON ORDER BY Z_PK LIMIT 2"), "mine|20\nsecond|60")
    }

    func test_SAV_16_aDeletedRowIsWrittenAgainByValues() throws {
        context.mergePolicy = .custom { conflicts in
            conflicts.map { conflict in conflict.theirs == nil ? .values(["name": "saved"]) : .policy(.error) }
        }
        let person = try context.person("dave0")
        try person.setValue(77, forKey: "age")
        try other.delete(other.person("dave0"))
        try other.save()
        try context.save()
        XCTAssertEqual(try sqlite3("SELECT ZNAME FROM ZPERSON WHERE ZAGE = 77"), "saved")
        XCTAssertEqual(try person.string("name"), "saved")
    }

    func test_SAV_18_anObjectThatWasToBeDeletedStaysWithTheValuesGiven() throws {
        context.mergePolicy = .custom { conflicts in conflicts.map { $0.isDeletion ? .values(["name": "kept"]) : .policy(.error) } }
        let person = try context.person("dave0")
        try context.delete(person)
        try changeElsewhere("dave0", "age", 50)
        try context.save()
        XCTAssertFalse(person.isDeleted)
        XCTAssertEqual(try person.string("name"), "kept")
        XCTAssertEqual(try stored(), "kept|50")
    }

    func test_SAV_19_aPolicyReceivesConflictsOfMarkedObjects() throws {
        let told = Conflicts()
        context.mergePolicy = .custom { conflicts in
            told.all = conflicts
            return conflicts.map { _ in .policy(.error) }
        }
        try context.detectConflicts(for: context.person("dave0"))
        try changeElsewhere("dave0", "age", 50)
        assertError(.managedObjectMerge, try context.save())
        XCTAssertEqual(told.all.map(\.mine), [["name": "dave0", "age": 20]])
    }

    func test_SAV_04_anErrorOfThePolicyFailsTheSaveAsItself() throws {
        let person = try makeConflict(.custom { _ in throw ProgramFailure(number: 9) })
        XCTAssertThrowsError(try context.save()) { error in
            XCTAssertEqual((error as? PinviewError)?.programError as? ProgramFailure, ProgramFailure(number: 9))
        }
        XCTAssertEqual(try stored(), "theirs|50")
        XCTAssertTrue(person.isUpdated)
        context.mergePolicy = .overwrite
        try context.save()
        XCTAssertEqual(try stored(), "mine|20")
    }

    func test_whatAPolicyCannotMeanIsAnError() throws {
        let refused: [([MergeResolution], PinviewError.Code)] = [
            ([], .invalidArgument), ([.values(["nickname": "x"])], .unknownKey), ([.values(["age": "text"])], .wrongType),
            ([.values(["cars": .null])], .wrongType), ([.policy(.custom { _ in [] })], .invalidArgument),
            ([.policy(.error)], .managedObjectMerge),
        ]
        _ = try makeConflict(.error)
        for (resolutions, code) in refused {
            context.mergePolicy = .custom { _ in resolutions }
            assertError(code, try context.save())
            XCTAssertEqual(try stored(), "theirs|50")
            XCTAssertTrue(context.hasChanges)
        }
    }

    func test_callsOfTheContextInsideThePolicyAreErrorsAndNoDeadlock() throws {
        let box = ContextBox()
        let person = try makeConflict(
            .custom { conflicts in
                let context = box.context!, person = box.object!
                assertError(.invalidArgument, try context.save())
                assertError(.invalidArgument, try person.attributeValue(forKey: "name"))
                assertError(.invalidArgument, try context.count(for: FetchRequest(entityName: "Person")))
                XCTAssertThrowsError(try context.performAndWait {})
                try box.other!.insertNewObject(forEntityName: "Person").setValue("meanwhile", forKey: "name")
                XCTAssertThrowsError(try box.other!.save())
                try box.other!.rollback()
                return conflicts.map { _ in .policy(.overwrite) }
            })
        (box.context, box.object, box.other) = (context, person, other)
        try context.save()
        XCTAssertEqual(try stored(), "mine|20")
        (box.context, box.object, box.other) = (nil, nil, nil)
    }

    func test_relationshipsAreSettledByIDs() throws {
        let car = try XCTUnwrap(context.fetch(FetchRequest("Car", "name == 'car0'")).first)
        let wanted = try context.person("dave2").objectID
        context.mergePolicy = .custom { conflicts in conflicts.map { _ in .values(["owner": .objectID(wanted)]) } }
        try car.setRelatedObject(context.person("dave1"), forKey: "owner")
        let theirs = try XCTUnwrap(other.fetch(FetchRequest("Car", "name == 'car0'")).first)
        try theirs.setRelatedObject(nil, forKey: "owner")
        try other.save()
        try context.save()
        XCTAssertEqual(try car.relatedObject(forKey: "owner")?.string("name"), "dave2")
        XCTAssertEqual(try sqlite3("SELECT p.ZNAME FROM ZCAR c JOIN ZPERSON p ON p.Z_PK = c.ZOWNER WHERE c.ZNAME='car0'"), "dave2")
    }

    func test_constantsHaveNumbersAndPoliciesCompare() {
        XCTAssertEqual(MergePolicy.constants.map(\.rawValue), [0, 1, 2, 3, 4])
        XCTAssertEqual(MergePolicy(rawValue: 3), .overwrite)
        XCTAssertNil(MergePolicy(rawValue: 5))
        let own = MergePolicy.custom { _ in [] }
        XCTAssertEqual(own, own)
        XCTAssertNotEqual(own, .custom { _ in [] })
        XCTAssertEqual(own.rawValue, 5)
    }
}

private final class Conflicts: @unchecked Sendable {  // used by the thread of the test only
    var all: [MergeConflict] = []
}

private final class ContextBox: @unchecked Sendable {  // used by the thread of the test only
    var context: ManagedObjectContext?
    var other: ManagedObjectContext?
    var object: ManagedObject?
}
