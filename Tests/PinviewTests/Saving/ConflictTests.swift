import Pinview
import XCTest

/// Conflicts and merge policies: SAV-09 to SAV-23.
class ConflictTests: StackTestCase {
    /// dave0 with another name and age in this context, another name and one more car in the store.
    private func makeConflict(_ policy: MergePolicy) throws -> ManagedObject {
        context.mergePolicy = policy
        let person = try context.person("dave0")
        try person.setValue("mine", forKey: "name")
        try person.setValue(50, forKey: "age")
        try changeElsewhere("dave0", "name", "theirs")
        return person
    }

    /// The only row of those three that is not dave1 or dave2.
    private func storedRow() throws -> String {
        try sqlite3("SELECT ZNAME, ZAGE FROM ZPERSON WHERE ZNAME NOT IN ('dave1', 'dave2')")
    }

    func test_SAV_09_aChangedRowIsAConflictForAnUpdatedObject() throws {
        _ = try makeConflict(.error)
        assertError(.managedObjectMerge, try context.save())
        XCTAssertEqual(try storedRow(), "theirs|20")
    }

    func test_SAV_09_aChangedRowIsAConflictForADeletedObject() throws {
        try context.delete(try context.person("dave0"))
        try changeElsewhere("dave0", "name", "theirs")
        assertError(.managedObjectMerge, try context.save())
        XCTAssertEqual(try storedRow(), "theirs|20")
    }

    func test_SAV_10_theErrorPolicyListsTheConflicts() throws {
        XCTAssertEqual(context.mergePolicy, .error)
        let person = try makeConflict(.error)
        let error = assertError(.managedObjectMerge, try context.save())
        XCTAssertEqual(error?.code, 133020)
        let conflict = try XCTUnwrap(error?.conflicts.first)
        XCTAssertEqual(error?.conflicts.count, 1)
        XCTAssertEqual(conflict.objectID, person.objectID)
        XCTAssertEqual(conflict.newVersion, conflict.oldVersion + 1)
        XCTAssertEqual(conflict.base["name"], "dave0")
        XCTAssertEqual(conflict.mine["name"], "mine")
        XCTAssertEqual(conflict.mine["age"], 50)
        XCTAssertEqual(conflict.theirs?["name"], "theirs")
        XCTAssertNotNil(error?.userInfo[PinviewError.NSPersistentStoreSaveConflictsErrorKey])
        XCTAssertEqual(try person.string("name"), "mine")
        XCTAssertEqual(context.updatedObjects, [person])
    }

    func test_SAV_11_storeTrumpTakesTheStoresValueWhereBothChanged() throws {
        let person = try makeConflict(.mergeByPropertyStoreTrump)
        try context.save()
        XCTAssertEqual(try person.string("name"), "theirs")
        XCTAssertEqual(try person.integer("age"), 50)
        XCTAssertEqual(try storedRow(), "theirs|50")
    }

    func test_SAV_12_objectTrumpTakesTheMemorysValueWhereBothChanged() throws {
        let person = try makeConflict(.mergeByPropertyObjectTrump)
        try context.save()
        XCTAssertEqual(try person.string("name"), "mine")
        XCTAssertEqual(try storedRow(), "mine|50")
    }

    func test_SAV_12_whatOnlyTheStoreChangedStays() throws {
        context.mergePolicy = .mergeByPropertyObjectTrump
        let person = try context.person("dave0")
        try person.setValue("mine", forKey: "name")
        try changeElsewhere("dave0", "age", 99)
        try context.save()
        XCTAssertEqual(try person.integer("age"), 99)
        XCTAssertEqual(try storedRow(), "mine|99")
    }

    func test_SAV_13_overwriteReplacesTheWholeRow() throws {
        context.mergePolicy = .overwrite
        let person = try context.person("dave0")
        try person.setValue("mine", forKey: "name")
        try changeElsewhere("dave0", "age", 99)
        try context.save()
        XCTAssertEqual(try person.integer("age"), 20)
        XCTAssertEqual(try storedRow(), "mine|20")
    }

    func test_SAV_14_rollbackKeepsTheStoredRow() throws {
        let person = try makeConflict(.rollback)
        try context.save()
        XCTAssertEqual(try person.string("name"), "theirs")
        XCTAssertEqual(try person.integer("age"), 20)
        XCTAssertFalse(context.hasChanges)
        XCTAssertEqual(try storedRow(), "theirs|20")
    }

    private let policies: [MergePolicy] = [.mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback]

    func test_SAV_15_afterAPolicyResolvedAConflictAFurtherEditMeetsNone() throws {
        for (number, policy) in policies.enumerated() {
            context.mergePolicy = policy
            let person = try XCTUnwrap(try context.fetch(FetchRequest("Person", "name BEGINSWITH 'dave0'")).first)
            let elsewhere = try makeContext(coordinator)
            try person.setValue("dave0 mine \(number)", forKey: "name")
            try elsewhere.existingObject(with: person.objectID).setValue("dave0 theirs \(number)", forKey: "name")
            try elsewhere.save()
            try context.save()
            context.mergePolicy = .error
            XCTAssertEqual("\(try person.string("name") ?? "")|\(try person.integer("age") ?? 0)", try storedRow(), "\(policy)")
            try person.setValue(60 + number, forKey: "age")
            XCTAssertNoThrow(try context.save(), "\(policy)")
            XCTAssertTrue(try storedRow().hasSuffix("|\(60 + number)"), "\(policy)")
        }
    }

    func test_SAV_16_anUpdatedObjectWhoseRowIsGone() throws {
        for (policy, survives) in zip(policies, [false, true, true, false]) {
            let context = try makeContext(coordinator)
            context.mergePolicy = policy
            let person = try context.person("dave0")
            try person.setValue(50, forKey: "age")
            let elsewhere = try makeContext(coordinator)
            try elsewhere.delete(try elsewhere.person("dave0"))
            try elsewhere.save()
            try context.save()
            XCTAssertEqual(try storedNames().contains("dave0"), survives, "\(policy)")
            XCTAssertEqual(person.isDeleted, !survives, "\(policy)")
            XCTAssertFalse(context.hasChanges, "\(policy)")
            if survives {
                XCTAssertEqual(try storedRow(), "dave0|50", "\(policy)")
                try person.setValue(20, forKey: "age")
                XCTAssertNoThrow(try context.save(), "\(policy)")
            } else {
                try insertElsewhere("dave0")
            }
        }
    }

    func test_SAV_15_bothSidesOfARelationshipShowWhatThePolicyMadeOfIt() throws {
        for (policy, owner) in zip(policies, ["dave2", "dave1", "dave1", "dave2"]) {
            let context = try makeContext(coordinator), elsewhere = try makeContext(coordinator)
            context.mergePolicy = policy
            let people = try (0..<3).map { try context.person("dave\($0)") }
            let car = try XCTUnwrap(try context.fetch(FetchRequest("Car", "name == 'car0'")).first)
            for person in people { _ = try person.relatedObjects(forKey: "cars") }
            try car.setRelatedObject(people[1], forKey: "owner")
            let theirs = try elsewhere.object(with: car.objectID)
            try theirs.setRelatedObject(try elsewhere.person("dave2"), forKey: "owner")
            try elsewhere.save()
            try context.save()
            XCTAssertEqual(try car.relatedObject(forKey: "owner")?.string("name"), owner, "\(policy)")
            for person in people {
                XCTAssertEqual(try person.containsRelatedObject(car, forKey: "cars"), try person.string("name") == owner, "\(policy)")
            }
            XCTAssertFalse(context.hasChanges, "\(policy)")
            try theirs.setRelatedObject(nil, forKey: "owner")
            elsewhere.mergePolicy = .overwrite
            try elsewhere.save()
        }
    }

    private func insertElsewhere(_ name: String) throws {
        let person = try other.insertNewObject(forEntityName: "Person")
        try person.setValue(name, forKey: "name")
        try person.setValue(20, forKey: "age")
        try other.save()
    }

    func test_SAV_16_underTheErrorPolicyItIsAConflict() throws {
        let person = try context.person("dave0")
        try person.setValue(50, forKey: "age")
        try deleteElsewhere("dave0")
        let error = assertError(.managedObjectMerge, try context.save())
        XCTAssertNil(error?.conflicts.first?.theirs)
        XCTAssertEqual(context.updatedObjects, [person])
    }

    func test_SAV_17_aDeletedObjectWhoseRowIsGoneIsNoConflict() throws {
        for number in 0...1 {
            context.mergePolicy = number == 0 ? .error : .rollback
            try context.delete(try context.person("dave\(number)"))
            try deleteElsewhere("dave\(number)")
            XCTAssertNoThrow(try context.save())
            XCTAssertFalse(context.hasChanges)
        }
        XCTAssertEqual(try storedNames(), ["dave2"])
    }

    func test_SAV_18_aDeletedObjectWhoseRowChanged() throws {
        for (policy, survives) in zip(policies, [true, false, false, true]) {
            let context = try makeContext(coordinator)
            context.mergePolicy = policy
            let person = try context.person("dave0")
            try context.delete(person)
            let elsewhere = try makeContext(coordinator)
            try elsewhere.person("dave0").setValue(99, forKey: "age")
            try elsewhere.save()
            try context.save()
            XCTAssertEqual(try storedNames().contains("dave0"), survives, "\(policy)")
            XCTAssertEqual(person.isDeleted, !survives, "\(policy)")
            XCTAssertFalse(context.hasChanges, "\(policy)")
            if survives {
                XCTAssertEqual(try person.integer("age"), 99, "\(policy)")
                let again = try makeContext(coordinator)
                try again.person("dave0").setValue(20, forKey: "age")
                try again.save()
            } else {
                try insertElsewhere("dave0")
            }
        }
    }

    // MARK: Marks

    func test_SAV_19_aMarkedObjectIsCheckedEvenIfNothingElseIsPending() throws {
        let marked = try context.person("dave0")
        try context.detectConflicts(for: marked)
        try changeElsewhere("dave0", "age", 99)
        let error = assertError(.managedObjectMerge, try context.save())
        XCTAssertEqual(error?.affectedObjectIDs, [marked.objectID])
    }

    func test_SAV_19_aMarkedObjectHindersTheSaveOfOthers() throws {
        try context.detectConflicts(for: try context.person("dave0"))
        try context.person("dave1").setValue(50, forKey: "age")
        try changeElsewhere("dave0", "age", 99)
        assertError(.managedObjectMerge, try context.save())
        XCTAssertEqual(try sqlite3("SELECT ZAGE FROM ZPERSON WHERE ZNAME = 'dave1'"), "21")
    }

    func test_SAV_19_anObjectWithoutAMarkDoesNotHinderTheSave() throws {
        let read = try context.person("dave0")
        _ = try read.string("name")
        try context.person("dave1").setValue(50, forKey: "age")
        try changeElsewhere("dave0", "age", 99)
        XCTAssertNoThrow(try context.save())
    }

    func test_SAV_20_saveRollbackAndResetRemoveTheMark() throws {
        let endings: [(String, (ManagedObjectContext) throws -> Void)] = [
            ("save", { try $0.save() }), ("rollback", { try $0.rollback() }), ("reset", { try $0.reset() }),
        ]
        for (number, (name, end)) in endings.enumerated() {
            let marked = try context.person("dave\(number)")
            try context.detectConflicts(for: marked)
            try end(context)
            try changeElsewhere("dave\(number)", "age", 99)
            XCTAssertNoThrow(try context.save(), name)
        }
    }

    // MARK: Rows

    func test_SAV_21_conflictsAreFoundByRow() throws {
        try context.person("dave0").setValue("mine", forKey: "name")
        try changeElsewhere("dave0", "age", 99)
        assertError(.managedObjectMerge, try context.save())
        context.mergePolicy = .mergeByPropertyStoreTrump
        try context.save()
        XCTAssertEqual(try storedRow(), "mine|99")
    }

    func test_SAV_22_afterARefreshTheSaveSucceeds() throws {
        let person = try makeConflict(.error)
        assertError(.managedObjectMerge, try context.save())
        try context.refresh(person, mergeChanges: true)
        try context.save()
        XCTAssertEqual(try storedRow(), "mine|50")
    }

    func test_SAV_23_aPinnedContextMeetsAConflictWithALaterChange() throws {
        try context.setQueryGeneration(from: .current)
        _ = try context.names()
        try changeElsewhere("dave0", "age", 99)
        let person = try context.person("dave0")
        try person.setValue("mine", forKey: "name")
        assertError(.managedObjectMerge, try context.save())
        XCTAssertEqual(try storedRow(), "dave0|99")
        XCTAssertEqual(try person.integer("age"), 20)
    }
}
