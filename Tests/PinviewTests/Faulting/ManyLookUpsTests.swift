import Foundation
import Pinview
import RandomSupport
import XCTest

/// Looking up many objects by their IDs in one call gives the same as the functions for one object
/// (FET-08 to FET-10).
final class ManyLookUpsTests: StackTestCase {
    override func model() throws -> ManagedObjectModel {
        try people(and: [
            EntityDescription(
                name: "Employee", superentityName: "Person", attributes: [AttributeDescription(name: "desk", attributeType: .string)])
        ])
    }

    override func prepareStore() throws {
        try fill(coordinator, count: 10)
        let context = try makeContext(coordinator)
        let employee = try context.insertNewObject(forEntityName: "Employee")
        try employee.setValue("ed", forKey: "name")
        try employee.setValue("desk", forKey: "desk")
        try context.save()
    }

    /// The IDs of dave0, dave1, ….
    private func identifiers(_ entityName: String = "Person", in context: ManagedObjectContext? = nil) throws -> [ManagedObjectID] {
        var request = FetchRequest(entityName: entityName)
        request.sortDescriptors = [PinviewSortDescriptor(keyPath: "name", ascending: true)]
        return try (context ?? makeContext(coordinator)).fetchObjectIDs(request)
    }

    private func names(_ objects: [ManagedObject]) throws -> [String] { try objects.map { try $0.string("name") ?? "nil" } }

    // MARK: objects(with:)

    func test_FET_08_objectsAreThoseThatAreRegisteredAndNewFaults() throws {
        let ids = try identifiers()
        let known = try context.person("dave3")
        try sqlite3("DELETE FROM ZPERSON WHERE ZNAME <> 'dave3'")
        var objects: [ManagedObject] = []
        XCTAssertEqual(try selects { objects = try context.objects(with: [ids[4], ids[3], ids[4], ids[0]]) }, 0)
        XCTAssertEqual(objects.map(\.objectID), [ids[4], ids[3], ids[4], ids[0]])
        XCTAssertTrue(objects[1] === known)
        XCTAssertTrue(objects[0] === objects[2])
        XCTAssertTrue(objects[0].isFault && objects[3].isFault)
        XCTAssertTrue(try context.object(with: ids[0]) === objects[3])
        XCTAssertEqual(try context.objects(with: []), [])
    }

    func test_FLT_03_readingOneOfTheFaultsReadsTheOthersAlong() throws {
        let people = try context.objects(with: try identifiers())
        XCTAssertEqual(try selects { XCTAssertEqual(try people[2].string("name"), "dave2") }, 1)
        XCTAssertEqual(try selects { XCTAssertEqual(try names(people), (0..<10).map { "dave\($0)" } + ["ed"]) }, 0)
    }

    func test_CTX_08_retainedObjectsStay() throws {
        context.retainsRegisteredObjects = true
        _ = try context.objects(with: try identifiers())
        XCTAssertEqual(context.registeredObjects.count, 11)
    }

    func test_FET_08_anUnknownEntityIsAnError() throws {
        let others = try makeCoordinator(
            ManagedObjectModel(entities: [
                EntityDescription(name: "Stranger", attributes: [AttributeDescription(name: "name", attributeType: .string)])
            ]), name: "other.sqlite")
        let stranger = try makeContext(others).insertNewObject(forEntityName: "Stranger").objectID
        let ids = try identifiers() + [stranger]
        assertError(.unknownEntity, try context.objects(with: ids))
        assertError(.unknownEntity, try context.existingObjects(with: ids))
    }

    // MARK: existingObjects(with:)

    func test_FET_09_oneStatementReadsWhatIsMissing() throws {
        let ids = try identifiers()
        let known = try context.person("dave3"), edited = try context.person("dave5")
        try edited.setValue("mine", forKey: "name")
        _ = try known.string("name")
        try sqlite3("UPDATE ZPERSON SET ZAGE = 99")
        let wanted = [ids[7], ids[5], ids[1], ids[7], ids[3], ids[0], ids[10]]
        var people: [ManagedObject] = []
        let statements = try logged { people = try context.existingObjects(with: wanted) }.filter { $0.contains("SELECT") }
        XCTAssertEqual(statements.count, 1, "\(statements)")
        XCTAssertEqual(people.map(\.objectID), wanted)
        XCTAssertFalse(people.contains(where: \.isFault))
        XCTAssertEqual(try selects { XCTAssertEqual(try names(people), ["dave7", "mine", "dave1", "dave7", "dave3", "dave0", "ed"]) }, 0)
        XCTAssertEqual(try people.map { try $0.integer("age") }, [99, 25, 99, 99, 23, 99, 99])
        XCTAssertTrue(people[4] === known && people[1] === edited && people[0] === people[3])
        XCTAssertEqual(people[6].entity.name, "Employee")
        XCTAssertEqual(try people[6].string("desk"), "desk")
        XCTAssertEqual(try context.existingObjects(with: []), [])
    }

    private func insertPeople(_ count: Int) throws -> [ManagedObjectID] {
        var request = BatchInsertRequest(entityName: "Person", objects: (0..<count).map { ["name": "new", "age": .integer(Int64($0))] })
        request.resultType = .objectIDs
        guard case .objectIDs(let people) = try context.execute(request) else {
            throw PinviewError(.invalidArgument, "The result has no IDs.")
        }
        return people
    }

    func test_FET_09_aStatementForEveryThousandAndForEachHierarchy() throws {
        let people = try insertPeople(5000).enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
        let mixed = (people + (try identifiers("Car"))).shuffled()
        var found: [ManagedObject] = []
        XCTAssertEqual(try selects { found = try context.existingObjects(with: mixed) }, 4)
        XCTAssertEqual(found.map(\.objectID), mixed)
        XCTAssertEqual(
            try found.filter { $0.entity.name == "Person" }.map { try $0.integer("age") ?? -1 }.sorted(),
            Array(stride(from: 0, to: 5000, by: 2)))
    }

    func test_FET_09_oneStatementReadsKeysWithoutGaps() throws {
        let people = try insertPeople(2500).shuffled()
        var found: [ManagedObject] = []
        XCTAssertEqual(try selects { found = try context.existingObjects(with: people) }, 1)
        XCTAssertEqual(found.map(\.objectID), people)
        XCTAssertEqual(try found.map { try $0.integer("age") ?? -1 }.sorted(), Array(0..<2500))
    }

    func test_FLT_15_rowsOfTheCacheAreNotReadAgain() throws {
        let ids = try identifiers()
        let kept = try other.existingObjects(with: ids)
        XCTAssertEqual(try selects { XCTAssertEqual(try names(try context.existingObjects(with: ids)), try names(kept)) }, 0)
        try sqlite3("UPDATE ZPERSON SET ZAGE = 99")
        context.stalenessInterval = 0
        try context.reset()
        let count = try selects {
            XCTAssertEqual(try context.existingObjects(with: ids).compactMap { try $0.integer("age") }.max(), 99)
        }
        XCTAssertEqual(count, 1)
    }

    func test_FET_10_aMissingRowIsAnErrorThatTellsWhich() throws {
        let ids = try identifiers()
        try sqlite3("DELETE FROM ZPERSON WHERE ZNAME IN ('dave2', 'dave6')")
        let error = assertError(.managedObjectReferentialIntegrity, try context.existingObjects(with: [ids[9], ids[6], ids[1], ids[2]]))
        XCTAssertEqual(error?.code, 133000)
        XCTAssertEqual(error?.affectedObjectIDs, [ids[6]])
        XCTAssertEqual(context.deletedObjects, [])
        XCTAssertEqual(try names(try context.existingObjects(with: [ids[9], ids[1]])), ["dave9", "dave1"])
    }

    func test_FET_10_temporaryIDs() throws {
        let ids = try identifiers(), mine = try context.insertNewObject(forEntityName: "Person")
        try mine.setValue("mine", forKey: "name")
        let theirs = try other.insertNewObject(forEntityName: "Person")
        XCTAssertEqual(try names(try context.existingObjects(with: [ids[0], mine.objectID, ids[1]])), ["dave0", "mine", "dave1"])
        let error = assertError(
            .managedObjectReferentialIntegrity, try context.existingObjects(with: [ids[0], theirs.objectID, ids[2]]))
        XCTAssertEqual(error?.affectedObjectIDs, [theirs.objectID])
        let temporary = mine.objectID
        try context.save()
        XCTAssertTrue(try context.existingObjects(with: [ids[3], mine.objectID])[1] === mine)
        // Whoever kept the temporary ID finds what was saved by it.
        XCTAssertEqual(try names(try other.existingObjects(with: [ids[3], temporary])), ["dave3", "mine"])
    }

    func test_FET_10_theErrorSaysWhyThereIsNoRow() throws {
        try context.setQueryGeneration(from: .current)
        _ = try context.count(for: FetchRequest(entityName: "Person"))
        let late = try other.insertNewObject(forEntityName: "Person"), temporary = late.objectID
        try other.save()
        let messages = try [temporary, late.objectID].map { id in
            assertError(.managedObjectReferentialIntegrity, try context.existingObjects(with: [id]))?.message ?? ""
        }
        XCTAssertTrue(messages[0].contains("the ID is temporary"), messages[0])
        XCTAssertTrue(messages[1].contains("saved after the generation that was read"), messages[1])
    }

    func test_FET_10_aStoreOfAnotherCoordinatorIsNamed() throws {
        let strange = PersistentStoreCoordinator(managedObjectModel: try model())
        let store = try strange.addPersistentStore(type: .sqlite, at: path("strange.sqlite"))
        try fill(strange, count: 2)
        let ids = try identifiers(in: try makeContext(strange))
        let error = assertError(.persistentStoreOperation, try context.existingObjects(with: ids))
        XCTAssertEqual(error?.affectedStores, [store.identifier])
        XCTAssertEqual(error?.message.contains("\(store.identifier) is not on this coordinator"), true)
    }

    func test_FET_09_deletedObjects() throws {
        let ids = try identifiers(), doomed = try context.person("dave0")
        try context.delete(doomed)
        XCTAssertTrue(try context.existingObjects(with: [ids[1], ids[0]])[1] === doomed)
        try context.save()
        assertError(.managedObjectReferentialIntegrity, try context.existingObjects(with: [ids[1], ids[0]]))
    }

    func test_FLT_17_hooksAreToldInTheGivenOrder() throws {
        let model = try self.model(), log = LogLines()
        var hooks = EntityHooks()
        hooks.awakeFromFetch = { person in
            let name = try person.string("name") ?? "nil"
            log.add(name)
            if name == "dave2" { throw ProgramFailure(number: 2) }
        }
        try model.setHooks(hooks, forEntityNamed: "Person")
        let context = try makeContext(try makeCoordinator(model)), ids = try identifiers(in: context)
        try context.existingObjects(with: [ids[4], ids[0], ids[4], ids[3]]).forEach { XCTAssertFalse($0.isFault) }
        XCTAssertEqual(log.all, ["dave4", "dave0", "dave3"])
        XCTAssertThrowsError(try context.existingObjects(with: [ids[1], ids[2], ids[5]])) { error in
            XCTAssertEqual((error as? PinviewError)?.programError as? ProgramFailure, ProgramFailure(number: 2))
        }
        XCTAssertEqual(log.all, ["dave4", "dave0", "dave3", "dave1", "dave2"])
    }

    func test_FET_10_aRemovedStore() throws {
        let second = try coordinator.addPersistentStore(type: .sqlite, at: path("second.sqlite"))
        let person = try other.insertNewObject(forEntityName: "Person")
        try other.assign(person, to: second)
        try other.save()
        let ids = try identifiers() + [person.objectID]
        XCTAssertEqual(try context.existingObjects(with: ids + [person.objectID]).count, ids.count + 1)
        let reader = try makeContext(coordinator)
        try coordinator.remove(second)
        assertError(.persistentStoreOperation, try reader.existingObjects(with: ids))
    }

    func test_FET_09_IDsOfAnotherCoordinatorAreJoinedByName() throws {
        let ids = try identifiers(in: try makeContextOfSecondStack())
        XCTAssertEqual(try names(try context.existingObjects(with: [ids[1], ids[0]])), ["dave1", "dave0"])
        XCTAssertEqual(try context.objects(with: ids), try context.objects(with: try identifiers()))
    }

    // MARK: Generations

    func test_QG_02_aPinnedContextReadsItsGenerationWhateverAnotherProcessCommits() throws {
        let ids = try identifiers()
        try context.setQueryGeneration(from: .current)
        XCTAssertEqual(context.queryGenerationToken?.isCurrent, true)
        XCTAssertEqual(try names(try context.existingObjects(with: [ids[0]])), ["dave0"])
        XCTAssertEqual(context.queryGenerationToken?.isCurrent, false)
        try sqlite3("UPDATE ZPERSON SET ZNAME = 'renamed', ZAGE = 1; DELETE FROM ZPERSON WHERE Z_PK % 2 = 0")
        let pinned = try context.existingObjects(with: ids)
        XCTAssertEqual(try names(pinned), (0..<10).map { "dave\($0)" } + ["ed"])
        assertError(.managedObjectReferentialIntegrity, try other.existingObjects(with: ids))
        let left = try other.existingObjects(with: try identifiers("Person"))
        XCTAssertEqual(Set(try names(left)), ["renamed"])
        XCTAssertEqual(try names(try context.existingObjects(with: ids.reversed())), ["ed"] + (0..<10).reversed().map { "dave\($0)" })
        try context.setQueryGeneration(from: .current)
        try context.refreshAllObjects()
        assertError(.managedObjectReferentialIntegrity, try context.existingObjects(with: ids))
    }

    // MARK: Nested contexts

    func test_NST_03_aChildGetsWhatItsParentsHave() throws {
        let ids = try identifiers()
        let child = ManagedObjectContext(concurrencyType: .privateQueue), grandchild = ManagedObjectContext(concurrencyType: .privateQueue)
        try child.setParent(context)
        try grandchild.setParent(child)
        try context.person("dave1").setValue("edited", forKey: "name")
        let new = try context.insertNewObject(forEntityName: "Person")
        try new.setValue("new", forKey: "name")
        try child.delete(try child.person("dave4"))
        var people: [ManagedObject] = []
        XCTAssertEqual(try selects { people = try grandchild.existingObjects(with: [ids[3], ids[1], ids[2], new.objectID, ids[3]]) }, 1)
        XCTAssertEqual(try names(people), ["dave3", "edited", "dave2", "new", "dave3"])
        XCTAssertFalse(people.contains(where: \.isFault))
        XCTAssertTrue(people[0].managedObjectContext === grandchild)
        let error = assertError(.managedObjectReferentialIntegrity, try grandchild.existingObjects(with: [ids[5], ids[4]]))
        XCTAssertEqual(error?.affectedObjectIDs, [ids[4]])
    }

    // MARK: At random

    /// What a list of IDs gives, or its error.
    private func outcome(_ find: () throws -> [ManagedObject]) throws -> [String] {
        do {
            return try find().map { person in
                let desk = person.entity.name == "Employee" ? try person.string("desk") : nil
                return "\(person.objectID) \(person.isFault) \(try person.string("name") ?? "") \(desk ?? "") \(person.isDeleted)"
            }
        } catch let error as PinviewError {
            return ["\(error.code) \(error.affectedObjectIDs)"]
        }
    }

    /// Two contexts in the same state: one looks up many at once, the other one after the other.
    func test_FET_09_manyAtOnceAndOneByOneAreTheSame() throws {
        for seed in 0..<UInt64(ProcessInfo.processInfo.environment["PINVIEW_ROUNDS"].flatMap { Int($0) } ?? 25) {
            var random = SeededGenerator(seed: seed)
            let stacks = try (0..<2).map { _ in try makeContext(try makeCoordinator(try model())) }
            let family = try stacks.map { context -> ManagedObjectContext in
                guard seed % 4 == 3 else { return context }
                let child = ManagedObjectContext(concurrencyType: .privateQueue)
                try child.setParent(context)
                return child
            }
            let ids = (try identifiers() + identifiers("Car")).shuffled(using: &random)
            let isPinned = Bool.random(using: &random)
            for context in stacks where isPinned {
                try context.setQueryGeneration(from: .current)
                _ = try context.count(for: FetchRequest(entityName: "Car"))
            }
            var kept: [[ManagedObject]] = [[], []]
            for _ in 0..<6 {
                let chosen = ids.randomElement(using: &random) ?? ids[0], action = Int.random(in: 0..<6, using: &random)
                for (place, context) in family.enumerated() {
                    guard let object = try? context.existingObject(with: chosen) else { continue }
                    if !object.isDeleted { kept[place].append(object) }
                    if action == 1, !object.isDeleted { try object.setValue("edited", forKey: "name") }
                    if action == 2, !object.isDeleted { try context.delete(object) }
                    if action == 3, !object.hasChanges { try context.refresh(object, mergeChanges: false) }
                }
                if action == 4 { try sqlite3("UPDATE ZPERSON SET ZNAME = ZNAME || '+', Z_OPT = Z_OPT + 1 WHERE Z_PK % 3 = \(seed % 3)") }
                if action == 5, seed % 2 == 0 { try sqlite3("DELETE FROM ZPERSON WHERE Z_PK = \(seed % 11)") }
                let wanted = (0..<Int.random(in: 0..<30, using: &random)).compactMap { _ in ids.randomElement(using: &random) }
                let together = try outcome { try family[0].existingObjects(with: wanted) }
                let alone = try outcome { try wanted.map { try family[1].existingObject(with: $0) } }
                XCTAssertEqual(together, alone, "seed \(seed)")
                let faults = try family[0].objects(with: wanted).map(\.objectID)
                XCTAssertEqual(faults, try wanted.map { try family[1].object(with: $0).objectID }, "seed \(seed)")
            }
        }
    }
}
