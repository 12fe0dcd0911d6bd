import Pinview
import XCTest

/// The hooks of a save: willSave, didSave and validation (SAV-07, SAV-08, ERR-07).
final class SaveHookTests: HookTestCase {
    // MARK: willSave and didSave

    func test_whatWillSaveChangesIsSaved() throws {
        var hooks = EntityHooks()
        hooks.willSave = { person in
            if try person.attributeValue(forKey: "age") == 0 { try person.setValue(1, forKey: "age") }
        }
        let context = try makeHookedContext(hooks)
        try context.insertNewObject(forEntityName: "Person").setValue("new", forKey: "name")
        try context.save()
        XCTAssertEqual(try sqlite3("SELECT ZAGE FROM ZPERSON WHERE ZNAME='new'"), "1")
        XCTAssertFalse(context.hasChanges)
    }

    func test_willSaveIsCalledForInsertedUpdatedAndDeletedObjectsAndForWhatOtherHooksChange() throws {
        var hooks = EntityHooks()
        hooks.willSave = { [log] person in
            let name = try person.value(forKey: "name", as: String.self) ?? ""
            log.add("\(name) \(person.isInserted) \(person.isUpdated) \(person.isDeleted)")
            guard name == "new" else { return }
            try person.managedObjectContext?.person("dave2").setValue(70, forKey: "age")
        }
        let context = try makeHookedContext(hooks)
        try context.insertNewObject(forEntityName: "Person").setValue("new", forKey: "name")
        try context.person("dave0").setValue(50, forKey: "age")
        try context.delete(context.person("dave1"))
        try context.save()
        XCTAssertEqual(log.all, ["new true false false", "dave0 false true false", "dave1 false false true", "dave2 false true false"])
        XCTAssertEqual(try sqlite3("SELECT ZAGE FROM ZPERSON WHERE ZNAME='dave2'"), "70")
    }

    func test_anEndlessWillSaveFailsTheSave() throws {
        var hooks = EntityHooks()
        hooks.willSave = { person in
            guard case .integer(let age) = try person.attributeValue(forKey: "age") else { return }
            try person.setValue(age + 1, forKey: "age")
        }
        let context = try makeHookedContext(hooks)
        let person = try context.person("dave0")
        try person.setValue(50, forKey: "age")
        let error = assertError(.persistentStoreSave, try context.save())
        XCTAssertTrue(error?.message.contains("1000 rounds") ?? false, "\(String(describing: error))")
        XCTAssertEqual(error?.affectedObjectIDs, [person.objectID])
        XCTAssertEqual(try sqlite3("SELECT ZAGE FROM ZPERSON WHERE ZNAME='dave0'"), "20")
        XCTAssertTrue(context.hasChanges)
    }

    func test_anErrorOfWillSaveFailsTheSaveAsItself() throws {
        var hooks = EntityHooks()
        hooks.willSave = { _ in throw ProgramFailure(number: 3) }
        let context = try makeHookedContext(hooks)
        try context.person("dave0").setValue(50, forKey: "age")
        XCTAssertThrowsError(try context.save()) { error in
            XCTAssertEqual((error as? PinviewError)?.programError as? ProgramFailure, ProgramFailure(number: 3))
        }
        XCTAssertTrue(context.hasChanges)
    }

    func test_aHookCannotSaveOrResetTheContextThatIsBeingSaved() throws {
        var hooks = EntityHooks()
        hooks.willSave = { person in
            let context = try XCTUnwrap(person.managedObjectContext)
            assertError(.invalidArgument, try context.save())
            assertError(.invalidArgument, try context.reset())
            assertError(.invalidArgument, try context.rollback())
            assertError(.invalidArgument, try context.undo())
        }
        let context = try makeHookedContext(hooks)
        try context.person("dave0").setValue(50, forKey: "age")
        try context.save()
        XCTAssertFalse(context.hasChanges)
    }

    func test_didSaveIsCalledAfterTheCommitAndItsChangesAreForTheNextSave() throws {
        var hooks = EntityHooks()
        let file = path()
        hooks.didSave = { [log] person in
            let stored = try? ManagedObjectContext.agesInFile(file)
            log.add("\(person.hasChanges) \(stored ?? [])")
            try? person.setValue("edited", forKey: "name")
        }
        let context = try makeHookedContext(hooks)
        let person = try context.person("dave0")
        try person.setValue(50, forKey: "age")
        try context.save()
        XCTAssertEqual(log.all, ["false [50, 21, 22]"])
        XCTAssertTrue(person.isUpdated)
    }

    func test_DEC_44_aChildCallsItsOwnHooksAndTheParentThoseOfItsOwnSave() throws {
        var hooks = EntityHooks()
        hooks.willSave = { [log] in log.add("will \($0.managedObjectContext?.name ?? "")") }
        hooks.didSave = { [log] in log.add("did \($0.managedObjectContext?.name ?? "")") }
        let context = try makeHookedContext(hooks)
        context.name = "parent"
        let child = ManagedObjectContext(concurrencyType: .privateQueue)
        child.name = "child"
        try child.setParent(context)
        try child.person("dave0").setValue(50, forKey: "age")
        try child.save()
        try context.save()
        XCTAssertEqual(log.all, ["will child", "did child", "will parent", "did parent"])
    }

    // MARK: Validation

    private func makeValidatingContext() throws -> ManagedObjectContext {
        var hooks = EntityHooks()
        hooks.validateProperty["name"] = { _, value in
            if value == "forbidden" { throw PinviewError(domain: "Program", code: 5, message: "That name is taken.") }
        }
        hooks.validateProperty["cars"] = { _, value in
            if value == .integer(0) { throw ProgramFailure(number: 6) }
        }
        hooks.validateForInsert = { [log] _ in log.add("insert") }
        hooks.validateForUpdate = { [log] person in
            log.add("update")
            if try person.attributeValue(forKey: "age") == 13 { throw ProgramFailure(number: 13) }
        }
        hooks.validateForDelete = { [log] person in
            log.add("delete")
            if try person.attributeValue(forKey: "name") == "dave2" { throw ProgramFailure(number: 14) }
        }
        return try makeHookedContext(hooks)
    }

    func test_ERR_07_anErrorOfAPropertyCheckNamesObjectKeyAndValue() throws {
        let context = try makeValidatingContext()
        let person = try context.person("dave0")
        try person.setValue("forbidden", forKey: "name")
        XCTAssertThrowsError(try context.save()) { error in
            guard let error = error as? PinviewError else { return XCTFail("\(error)") }
            XCTAssertEqual(error.domain, "Program")
            XCTAssertEqual(error.code, 5)
            XCTAssertEqual(error.affectedObjectIDs, [person.objectID])
            XCTAssertEqual(error.validationKey, "name")
            XCTAssertEqual(error.validationValue, "forbidden")
        }
    }

    func test_SAV_08_allFailuresOfTheProgramsChecksComeInOneError() throws {
        let context = try makeValidatingContext()
        try context.person("dave0").setValue("forbidden", forKey: "name")
        try context.person("dave1").setValue(13, forKey: "age")
        try context.delete(context.person("dave2"))
        try context.insertNewObject(forEntityName: "Person").setValue("carless", forKey: "name")
        let error = assertError(.validationMultipleErrors, try context.save())
        XCTAssertEqual(
            Set(error?.detailedErrors.map { ($0.programError as? ProgramFailure)?.number ?? $0.code } ?? []), [5, 6, 13, 14])
        XCTAssertEqual(log.all.sorted(), ["delete", "insert", "update", "update"])
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZPERSON"), "3")
    }

    func test_validateAsksTheProgramToo() throws {
        let context = try makeValidatingContext()
        let person = try context.person("dave2")
        XCTAssertNoThrow(try person.validate())
        try person.setValue(13, forKey: "age")
        XCTAssertThrowsError(try person.validate())
        XCTAssertThrowsError(try person.validateForDelete())
    }

    func test_FLT_09_hooksOfASaveAreNotCalledForInaccessibleObjects() throws {
        let context = try makeValidatingContext()
        let person = try XCTUnwrap(context.fetch(FetchRequest("Person", "name == 'dave2'")).first)
        try sqlite3("DELETE FROM ZPERSON WHERE ZNAME='dave2'")
        context.stalenessInterval = 0
        XCTAssertEqual(try person.attributeValue(forKey: "name"), .null)
        XCTAssertTrue(person.isDeleted)
        try context.save()
        XCTAssertEqual(log.all, [])
    }
}

extension ManagedObjectContext {
    /// The ages that a stack of its own finds in a store of the people model.
    fileprivate static func agesInFile(_ path: String) throws -> [Int64] {
        let model = try PersistentStoreCoordinator.managedObjectModel(ofStoreAt: path)
        let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(type: .sqlite, at: path)
        let context = ManagedObjectContext(concurrencyType: .privateQueue)
        try context.setPersistentStoreCoordinator(coordinator)
        var request = FetchRequest(entityName: "Person")
        request.sortDescriptors = [PinviewSortDescriptor(keyPath: "name", ascending: true)]
        return try context.fetch(request).map { try $0.value(forKey: "age", as: Int64.self) ?? -1 }
    }
}
