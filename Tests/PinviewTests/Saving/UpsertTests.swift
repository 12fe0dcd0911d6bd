import Foundation
import Pinview
import XCTest

/// Upserts on a named constraint: UNQ-11.
final class UpsertTests: StackTestCase {
    /// Person (unique: email; name with team; code), Employee below it, Team. A name has three
    /// letters at the most.
    override func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Person",
                attributes: [
                    AttributeDescription(name: "email", attributeType: .string),
                    AttributeDescription(name: "name", attributeType: .string, maximumLength: 3),
                    AttributeDescription(name: "age", attributeType: .integer64, isOptional: false, defaultValue: 1),
                    AttributeDescription(name: "code", attributeType: .integer64),
                ],
                relationships: [
                    RelationshipDescription(name: "team", destinationEntityName: "Team", inverseRelationshipName: "members")
                ],
                uniquenessConstraints: [["email"], ["name", "team"], ["code"]]),
            EntityDescription(name: "Employee", superentityName: "Person"),
            EntityDescription(
                name: "Team", attributes: [AttributeDescription(name: "name", attributeType: .string)],
                relationships: [
                    RelationshipDescription(
                        name: "members", destinationEntityName: "Person", inverseRelationshipName: "team", isToMany: true)
                ]),
        ])
    }

    override func prepareStore() throws {
        let context = try makeContext(coordinator)
        let team = try context.insertNewObject(forEntityName: "Team")
        try team.setValue("red", forKey: "name")
        for (number, name) in ["ada", "bob"].enumerated() {
            let person = try context.insertNewObject(forEntityName: "Person")
            try person.setValue(name + "@x", forKey: "email")
            try person.setValue(name, forKey: "name")
            try person.setValue(30 + number, forKey: "age")
            try person.setValue(number, forKey: "code")
            try person.setRelatedObject(team, forKey: "team")
        }
        try context.save()
    }

    @discardableResult
    private func upsert(
        _ rows: [[String: Value]], on constraint: [String] = ["email"], onInsert: [String]? = nil, onUpdate: [String]? = nil,
        entity: String = "Person", in context: ManagedObjectContext? = nil
    ) throws -> UpsertResult {
        try (context ?? self.context).upsert(entity, constraint: constraint, rows: rows, onInsert: onInsert, onUpdate: onUpdate)
    }

    private func rows(_ columns: String = "ZEMAIL, ZNAME, ZAGE, Z_OPT") throws -> [String] {
        try sqlite3("SELECT \(columns) FROM ZPERSON ORDER BY Z_PK").split(separator: "\n").map(String.init)
    }

    private var team: ManagedObject { get throws { try XCTUnwrap(try context.fetch(FetchRequest(entityName: "Team")).first) } }

    // MARK: What it does

    func test_UNQ_11_saysOfEachRowWhetherItWasCreatedUpdatedOrUnchanged() throws {
        let result = try upsert([
            ["email": "new@x", "name": "new"], ["email": "ada@x", "name": "Ada"], ["email": "bob@x", "age": 31], ["email": nil],
        ])
        XCTAssertEqual(result.outcomes, [.created, .updated, .unchanged, .created])
        XCTAssertEqual([result.createdCount, result.updatedCount, result.unchangedCount], [2, 1, 1])
        XCTAssertEqual(try result.objects.map { try $0.string("name") }, ["new", "Ada", "bob", nil])
        XCTAssertEqual(Set(context.updatedObjects), [result.objects[1]])
        XCTAssertEqual(try rows(), ["ada@x|ada|30|1", "bob@x|bob|31|1"], "nothing is written before the save")
        try context.save()
        XCTAssertEqual(try rows(), ["ada@x|Ada|30|2", "bob@x|bob|31|1", "new@x|new|1|1", "||1|1"])
    }

    func test_UNQ_11_namesWhatIsSetOnInsertAndOnUpdate() throws {
        let feed: [[String: Value]] = [["email": "ada@x", "name": "Ada", "age": 5], ["email": "new@x", "name": "new", "age": 6]]
        let result = try upsert(feed, onInsert: ["name"], onUpdate: ["age"])
        XCTAssertEqual(try result.objects.map { try $0.string("name") }, ["ada", "new"])
        XCTAssertEqual(try result.objects.map { try $0.attributeValue(forKey: "age") }, [5, 1])
        XCTAssertEqual(try result.objects[1].string("email"), "new@x", "the constraint's own are always set")
        XCTAssertEqual(try upsert(feed, onUpdate: []).outcomes, [.unchanged, .unchanged], "insert or ignore")
    }

    func test_UNQ_11_seesPendingInsertsUpdatesAndDeletes() throws {
        let new = try context.insertNewObject(forEntityName: "Person")
        try new.setValue("new@x", forKey: "email")
        let ada = try context.person("ada"), bob = try context.person("bob")
        try ada.setValue("moved@x", forKey: "email")
        try context.delete(bob)
        let result = try upsert([["email": "new@x", "age": 9], ["email": "moved@x"], ["email": "ada@x"], ["email": "bob@x"]])
        XCTAssertEqual(result.outcomes, [.updated, .unchanged, .created, .created])
        XCTAssertTrue(result.objects[0] === new && result.objects[1] === ada)
        XCTAssertTrue(bob.isDeleted)
        XCTAssertEqual(context.insertedObjects.count, 3)
    }

    func test_UNQ_11_rowsWithEqualValuesAreOneObject() throws {
        let result = try upsert([["email": "d@x", "name": "1"], ["email": "d@x", "age": 2], ["email": "d@x", "age": 2]])
        XCTAssertEqual(result.outcomes, [.created, .updated, .unchanged])
        XCTAssertTrue(result.objects[0] === result.objects[1] && result.objects[1] === result.objects[2])
        XCTAssertEqual(
            [try result.objects[0].string("name"), try result.objects[0].attributeValue(forKey: "age").description], ["1", "2"])
        try context.save()
        XCTAssertEqual(try rows().count, 3)
    }

    func test_UNQ_11_severalPropertiesAndRelationships() throws {
        let red = try team
        let blue = try context.insertNewObject(forEntityName: "Team")
        let result = try upsert(
            [
                ["name": "ada", "team": .objectID(red.objectID), "age": 7], ["name": "ada", "team": .objectID(blue.objectID)],
                ["name": "ada", "team": nil], ["name": "ada", "team": .objectID(blue.objectID), "age": 8],
            ], on: ["team", "name"])
        XCTAssertEqual(result.outcomes, [.updated, .created, .created, .updated])
        XCTAssertEqual(try blue.relatedObjects(forKey: "members"), [result.objects[1]], "inverses follow")
        try context.save()
        XCTAssertEqual(try rows("ZNAME, IFNULL(ZTEAM, 0), ZAGE"), ["ada|1|7", "bob|1|31", "ada|2|8", "ada|0|1"])
        // Both teams have permanent keys now.
        XCTAssertEqual(try upsert([["name": "ada", "team": .objectID(blue.objectID)]], on: ["name", "team"]).outcomes, [.unchanged])
    }

    func test_UNQ_11_findsObjectsOfSubentities() throws {
        XCTAssertEqual(try upsert([["email": "e@x"]], entity: "Employee").outcomes, [.created])
        try context.save()
        let result = try upsert([["email": "e@x", "age": 3]])
        XCTAssertEqual([result.objects[0].entity.name], ["Employee"])
        XCTAssertEqual(result.outcomes, [.updated])
        let error = assertError(.managedObjectConstraintMerge, try upsert([["email": "ada@x"]], entity: "Employee"))
        XCTAssertEqual(error?.affectedObjectIDs, [try context.person("ada").objectID])
    }

    func test_UNQ_11_looksRowsUpTogether() throws {
        let all: [[String: Value]] = (0..<1000).map { ["email": .string("p\($0)@x"), "name": nil] }
        try upsert(all, in: other)
        try other.save()
        var outcomes: [UpsertOutcome] = []
        let count = try selects { outcomes = try upsert(all).outcomes }
        XCTAssertEqual(Set(outcomes), [.unchanged])
        XCTAssertLessThanOrEqual(count, 4, "two chunks")
        XCTAssertFalse(context.hasChanges)
    }

    // MARK: Contexts

    func test_UNQ_11_anUnpinnedContextComparesWithTheNewestState() throws {
        let ada = try context.person("ada")
        XCTAssertEqual(try ada.string("name"), "ada")
        try changeElsewhere("ada", "email", "new@x")
        let result = try upsert([["email": "new@x", "age": 50], ["email": "ada@x"]])
        XCTAssertEqual(result.outcomes, [.updated, .created])
        XCTAssertTrue(result.objects[0] === ada)
        try context.save()
        XCTAssertEqual(try rows("ZEMAIL, ZAGE"), ["new@x|50", "bob@x|31", "ada@x|1"])
    }

    func test_UNQ_11_aPinnedContextLooksAtItsGeneration() throws {
        try context.setQueryGeneration(from: .current)
        _ = try context.names()
        _ = try upsert([["email": "late@x"]], in: other)
        try other.save()
        let result = try upsert([["email": "late@x"], ["email": "ada@x", "age": 60]])
        XCTAssertEqual(result.outcomes, [.created, .updated], "it does not see the new row: the save finds it")
        assertError(.managedObjectConstraintMerge, try context.save())
        try context.rollback()
    }

    /// Neither the parent's nor the child's object is pending: both are older than what the upsert
    /// has to be compared with.
    func test_UNQ_11_aChildComparesWithTheNewestStateOfItsParents() throws {
        for depth in 1...2 {
            var child: ManagedObjectContext = try XCTUnwrap(context)
            for _ in 0..<depth {
                let next = ManagedObjectContext(concurrencyType: .privateQueue)
                try next.setParent(child)
                child = next
            }
            let email = try FetchRequest("Person", "email == 'ada@x'")
            let stale = try XCTUnwrap(try child.fetch(email).first), old = try stale.string("name")
            _ = try context.fetch(email).first?.string("name")
            let ada = try XCTUnwrap(try other.fetch(email).first)
            try ada.setValue("n\(depth)", forKey: "name")
            try other.save()
            let result = try upsert([["email": "ada@x", "name": .string(old ?? "")]], in: child)
            XCTAssertEqual(result.outcomes, [.updated], "depth \(depth)")
            var saved: ManagedObjectContext? = child
            while let next = saved {
                try next.save()
                saved = next.parent
            }
            XCTAssertEqual(try rows("ZNAME").first, old, "depth \(depth)")
            try other.refreshAllObjects()
        }
    }

    func test_UNQ_11_aChildComparesWithWhatIsPendingInItsParent() throws {
        let ada = try XCTUnwrap(
            try context.fetch(FetchRequest("Person", "email == 'ada@x'")).first)
        try ada.setValue("Ada", forKey: "name")
        let child = ManagedObjectContext(concurrencyType: .privateQueue)
        try child.setParent(context)
        XCTAssertEqual(try upsert([["email": "ada@x", "name": "Ada", "age": 30]], in: child).outcomes, [.unchanged])
        XCTAssertEqual(try upsert([["email": "ada@x", "name": "ada"]], in: child).outcomes, [.updated])
        XCTAssertEqual(try ada.string("name"), "Ada", "nothing pending is lost")
    }

    func test_UNQ_11_worksInChildren() throws {
        let child = ManagedObjectContext(concurrencyType: .privateQueue)
        try child.setParent(context)
        let new = try context.insertNewObject(forEntityName: "Person")
        try new.setValue("new@x", forKey: "email")
        let result = try upsert([["email": "new@x", "age": 2], ["email": "ada@x", "age": 3], ["email": "c@x"]], in: child)
        XCTAssertEqual(result.outcomes, [.updated, .updated, .created])
        XCTAssertEqual(try upsert([["email": "c@x"]], in: child).outcomes, [.unchanged])
        try child.save()
        XCTAssertEqual(try new.attributeValue(forKey: "age"), 2)
        try context.save()
        XCTAssertEqual(try rows("ZEMAIL, ZAGE"), ["ada@x|3", "bob@x|31", "new@x|2", "c@x|1"])
    }

    // MARK: What is refused

    /// Whatever is refused leaves the context as it was, undo included, and the next save succeeds.
    private func assertRefused(
        _ code: PinviewError.Code, _ text: String, _ rows: [[String: Value]], on constraint: [String] = ["email"],
        entity: String = "Person",
        line: UInt = #line
    ) throws {
        let bob = try context.person("bob")
        try bob.setValue(77, forKey: "age")
        try context.processPendingChanges()
        let canUndo = context.undoManager?.canUndo
        let error = assertError(
            code, try upsert([["email": "first@x", "age": 4], ["email": "ada@x", "age": 4]] + rows, on: constraint, entity: entity))
        XCTAssertTrue(error?.message.contains(text) == true, "\(String(describing: error))", line: line)
        XCTAssertEqual(context.insertedObjects, [], line: line)
        XCTAssertEqual(context.updatedObjects, [bob], line: line)
        XCTAssertEqual(try context.person("ada").attributeValue(forKey: "age"), 30, line: line)
        XCTAssertEqual(try team.countOfRelatedObjects(forKey: "members"), 2, line: line)
        XCTAssertEqual(context.undoManager?.canUndo, canUndo, line: line)
        try context.undoManager?.undo()
        XCTAssertFalse(context.hasChanges, line: line)
        try bob.setValue(31, forKey: "age")
        try upsert([["email": .string("ok\(line)@x")]])
        try context.save()
    }

    func test_UNQ_11_refusedRowsAreNamedAndLeaveNothingBehind() throws {
        try assertRefused(.wrongType, "Row 3", [["email": "x@x", "age": "old"]])
        try assertRefused(.unknownKey, "Row 3", [["email": "x@x", "nam": "old"]])
        try assertRefused(.invalidArgument, "Row 3 of the upsert of Person: It lacks 'email'", [["name": "x"]])
        try assertRefused(.stringTooLong, "Row 3", [["email": "x@x", "name": "long"]])
        try assertRefused(.validationMissingMandatoryProperty, "Row 3", [["email": "x@x", "age": nil]])
        try assertRefused(.validationMultipleErrors, "Row 3", [["email": "x@x", "name": "long"], ["email": "y@x", "name": "long"]])
    }

    func test_UNQ_11_aConflictOnAnotherConstraintIsAnErrorThatNamesIt() throws {
        try assertRefused(.managedObjectConstraintMerge, "code 1", [["email": "x@x", "code": 1]])
        try assertRefused(.managedObjectConstraintMerge, "(code)", [["email": "ada@x", "code": 1]])
        try assertRefused(.managedObjectConstraintMerge, "that of row 3", [["email": "x@x", "code": 8], ["email": "y@x", "code": 8]])
        let red = try team.objectID
        try assertRefused(.managedObjectConstraintMerge, "(name, team)", [["email": "x@x", "name": "bob", "team": .objectID(red)]])
    }

    func test_UNQ_11_rowsMayHandValuesOfOtherConstraintsOn() throws {
        let result = try upsert([["email": "ada@x", "code": 1], ["email": "bob@x", "code": 0]])
        XCTAssertEqual(result.outcomes, [.updated, .updated])
        try context.rollback()
        XCTAssertEqual(try upsert([["email": "ada@x", "code": 9], ["email": "new@x", "code": 0]]).outcomes, [.updated, .created])
    }

    func test_UNQ_11_theConstraintMustBeOneOfTheEntitys() throws {
        let error = assertError(.invalidArgument, try upsert([], on: ["age"]))
        XCTAssertTrue(error?.message.contains("(email), (name, team), (code)") == true, "\(error!)")
        assertError(.invalidArgument, try upsert([], on: []))
        assertError(.invalidArgument, try upsert([], on: ["name"]))
        assertError(.unknownEntity, try upsert([], entity: "Persn"))
        assertError(.unknownKey, try upsert([], onUpdate: ["nam"]))
        assertError(.unknownKey, try upsert([], onInsert: ["nam"]))
        XCTAssertEqual(try upsert([]).outcomes, [])
    }

    func test_UNQ_11_anErrorOfAHookTakesTheWholeUpsertBack() throws {
        var hooks = EntityHooks()
        hooks.awakeFromInsert = { object in
            try object.setValue("hook", forKey: "name")
            throw PinviewError(.invalidArgument, "not today")
        }
        let hooked = try model()
        try hooked.setHooks(hooks, forEntityNamed: "Person")
        let failing = try makeContext(try makeCoordinator(hooked))
        let error = assertError(.invalidArgument, try upsert([["email": "ada@x", "age": 4], ["email": "n@x"]], in: failing))
        XCTAssertTrue(error?.message.contains("Row 2") == true, "\(error!)")
        XCTAssertFalse(failing.hasChanges)
    }

    // MARK: Undo

    func test_UNQ_11_undoTakesAnUpsertBackAndRedoBringsItAgain() throws {
        let red = try team.objectID
        let result = try upsert([["email": "new@x", "team": .objectID(red)], ["email": "ada@x", "age": 4, "team": nil]])
        try context.processPendingChanges()
        try context.undoManager?.undo()
        XCTAssertFalse(context.hasChanges)
        XCTAssertEqual(try team.countOfRelatedObjects(forKey: "members"), 2)
        try context.undoManager?.redo()
        XCTAssertEqual(context.insertedObjects, [result.objects[0]])
        XCTAssertEqual(try result.objects[1].attributeValue(forKey: "age"), 4)
        XCTAssertEqual(
            try team.relatedObjects(forKey: "members").map { try $0.string("email") }.compactMap { $0 }.sorted(), ["bob@x", "new@x"])
    }
}
