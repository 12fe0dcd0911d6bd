import Dispatch
import Foundation
import Pinview
import XCTest

/// Fetched results controllers: sections, index paths, and the calls of the delegate.
final class FetchedResultsControllerTests: StackTestCase {
    /// Persons with a group (the name of a section) and an age.
    override func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Person",
                attributes: [
                    AttributeDescription(name: "name", attributeType: .string), AttributeDescription(name: "group", attributeType: .string),
                    AttributeDescription(name: "age", attributeType: .integer64),
                ])
        ])
    }

    override func prepareStore() throws {
        let context = try makeContext(coordinator)
        for (name, group, age) in [("ann", "a", 30), ("bob", "b", 20), ("amy", "a", 20), ("cat", "c", 40)] {
            try add(name, group, age, to: context)
        }
        try context.save()
    }

    @discardableResult
    private func add(_ name: String, _ group: String?, _ age: Int, to context: ManagedObjectContext) throws -> ManagedObject {
        let person = try context.insertNewObject(forEntityName: "Person")
        try person.setValue(name, forKey: "name")
        try person.setValue(group, forKey: "group")
        try person.setValue(age, forKey: "age")
        return person
    }

    private func request(_ format: String? = nil) throws -> FetchRequest {
        var request = try FetchRequest("Person", format)
        request.sortDescriptors = [
            PinviewSortDescriptor(keyPath: "group"), PinviewSortDescriptor(keyPath: "age"), PinviewSortDescriptor(keyPath: "name"),
        ]
        return request
    }

    private func makeController(_ format: String? = nil, sections: String? = "group") throws -> FetchedResultsController {
        let controller = try FetchedResultsController(
            fetchRequest: try request(format), managedObjectContext: context, sectionNameKeyPath: sections)
        try controller.performFetch()
        return controller
    }

    private func content(_ controller: FetchedResultsController) throws -> [String] {
        try XCTUnwrap(controller.sections).map { section in
            "\(section.name): \(try section.objects.map { try $0.string("name") ?? "nil" }.joined(separator: " "))"
        }
    }

    /// The store sorts by bytes, so what looks the same may have others in between.
    func test_sectionNamesAreEqualIfTheirBytesAre() throws {
        for group in ["e\u{301}", "f", "\u{E9}"] { try add("x", group, 1, to: context) }
        let controller = try makeController("name == 'x'")
        XCTAssertEqual(controller.sections?.map { Array($0.name.utf8) }, [Array("e\u{301}".utf8), Array("f".utf8), Array("\u{E9}".utf8)])

        try add("x", "e\u{301}", 2, to: context)
        try add("x", "\u{E9}", 2, to: context)
        try context.processPendingChanges()

        XCTAssertEqual(controller.sections?.map(\.numberOfObjects), [2, 1, 2])
    }

    func test_objectsStandInSections() throws {
        let controller = try makeController()
        XCTAssertEqual(try content(controller), ["a: amy ann", "b: bob", "c: cat"])
        XCTAssertEqual(controller.sections?.map(\.numberOfObjects), [2, 1, 1])
        XCTAssertEqual(try controller.object(at: PinviewIndexPath(item: 1, section: 0)).string("name"), "ann")
        let bob = try context.person("bob")
        XCTAssertEqual(controller.indexPath(forObject: bob), PinviewIndexPath(item: 0, section: 1))
        XCTAssertEqual(controller.fetchedObjects?.count, 4)
    }

    func test_withoutAKeyPathThereIsOneSection() throws {
        XCTAssertEqual(try content(try makeController("age > 25", sections: nil)), [": ann cat"])
        XCTAssertEqual(try content(try makeController("age > 99", sections: nil)), [": "])
        XCTAssertEqual(try content(try makeController("age > 99")), [])
    }

    func test_nilIsASectionOfItsOwn() throws {
        try add("nobody", nil, 1, to: context)
        XCTAssertEqual(try content(try makeController())[0], ": nobody")
    }

    func test_theIndexOfTheSections() throws {
        final class Titles: FetchedResultsControllerDelegate {
            func controller(_ controller: FetchedResultsController, sectionIndexTitleForSectionName sectionName: String) -> String? {
                "<\(sectionName)>"
            }
        }
        let controller = try makeController()
        XCTAssertEqual(controller.sectionIndexTitles, ["A", "B", "C"])
        XCTAssertEqual(try controller.section(forSectionIndexTitle: "B", at: 1), 1)
        assertError(.invalidArgument, try controller.section(forSectionIndexTitle: "B", at: 0))
        let titles = Titles()
        controller.delegate = titles
        XCTAssertEqual(controller.sectionIndexTitles, ["<a>", "<b>", "<c>"])
        XCTAssertEqual(controller.sections?.last?.indexTitle, "<c>")
    }

    func test_anInsertedAndADeletedSection() throws {
        let controller = try makeController()
        let replayed = ReplayedResults(controller)
        let bob = try context.person("bob")
        try add("bea", "bb", 1, to: context)
        try context.delete(bob)
        try context.processPendingChanges()
        XCTAssertEqual(
            replayed.take(), ["delete section b 1", "insert section bb 1", "delete  [1, 0] -", "insert bea - [1, 0]"])
        XCTAssertEqual(replayed.mistakes, [])
    }

    func test_anUpdateIsReportedAtTheObjectsOwnPlace() throws {
        let controller = try makeController()
        let replayed = ReplayedResults(controller)
        try context.person("ann").setValue(31, forKey: "age")
        try context.processPendingChanges()
        XCTAssertEqual(replayed.take(), ["update ann [0, 1] [0, 1]"])
    }

    func test_aMoveIsReportedForTheObjectThatChanged() throws {
        let controller = try makeController()
        let replayed = ReplayedResults(controller)
        try context.person("ann").setValue(10, forKey: "age")
        try context.processPendingChanges()
        XCTAssertEqual(replayed.take(), ["move ann [0, 1] [0, 0]"])
        try context.person("ann").setValue("c", forKey: "group")
        try context.processPendingChanges()
        XCTAssertEqual(replayed.take(), ["move ann [0, 0] [2, 0]"])
        XCTAssertEqual(replayed.mistakes, [])
    }

    func test_anObjectEntersAndLeavesByItsPredicate() throws {
        let controller = try makeController("age >= 30")
        let replayed = ReplayedResults(controller)
        try context.person("bob").setValue(50, forKey: "age")
        try context.person("cat").setValue(5, forKey: "age")
        try context.processPendingChanges()
        XCTAssertEqual(try content(controller), ["a: ann", "b: bob"])
        XCTAssertEqual(replayed.take().count, 4)
        XCTAssertEqual(replayed.mistakes, [])
    }

    func test_aSaveTellsNothingNew() throws {
        let controller = try makeController()
        let new = try add("new", "a", 1, to: context)
        try context.person("bob").setValue(50, forKey: "age")
        try context.processPendingChanges()
        let replayed = ReplayedResults(controller)
        try context.save()
        XCTAssertEqual(replayed.take(), [])
        XCTAssertEqual(controller.indexPath(forObject: new), PinviewIndexPath(item: 0, section: 0))
    }

    /// The policy takes over what another context wrote into the same row, which nobody has seen here.
    func test_aSaveTellsWhatItsMergePolicyTookFromTheStore() throws {
        for (isPinned, limit) in [(false, 0), (true, 0), (false, 3), (true, 3)] {
            let context = try makeContext(coordinator), other = try makeContext(coordinator)
            context.mergePolicy = .mergeByPropertyObjectTrump
            if isPinned { try context.setQueryGeneration(from: .current) }
            var request = try request()
            request.fetchLimit = limit
            let controller = try FetchedResultsController(fetchRequest: request, managedObjectContext: context)
            try controller.performFetch()
            let replayed = ReplayedResults(controller) { (try? $0.string("name")) ?? "" }
            let here = try XCTUnwrap(controller.fetchedObjects?.first)
            let there = try other.object(with: here.objectID)
            let name = try XCTUnwrap(try here.string("name")) + "!"
            try there.setValue(name, forKey: "name")
            try other.save()
            try here.setValue(19 - limit - (isPinned ? 1 : 0), forKey: "age")
            try context.processPendingChanges()

            try context.save()

            XCTAssertEqual(try here.string("name"), name)
            XCTAssertNil(replayed.outdated, "pinned \(isPinned), limit \(limit)")
            XCTAssertEqual(replayed.mistakes, [])
        }
    }

    /// The fetch sorts by the rows, and the objects had other values before.
    func test_aFirstFetchShowsTheRowsThatOthersHaveWrittenSince() throws {
        let loaded = Array(try context.fetch(try request()))
        XCTAssertEqual(try loaded.map { try $0.string("group") }, ["a", "a", "b", "c"])
        let moved = try other.object(with: loaded[0].objectID)
        try moved.setValue("c", forKey: "group")
        try other.save()
        var refreshed: Set<ManagedObject> = []
        let observer = PinviewNotificationCenter.default.addObserver(forName: .objectsDidChange, object: context) {
            refreshed.formUnion($0.refreshedObjects)
        }
        defer { PinviewNotificationCenter.default.removeObserver(observer) }

        let controller = try makeController()

        XCTAssertEqual(try content(controller), ["a: ann", "b: bob", "c: amy cat"])
        XCTAssertEqual(refreshed, [loaded[0]])
    }

    func test_aChangeOutsideTheResultsIsNotReported() throws {
        let controller = try makeController("age >= 30")
        let replayed = ReplayedResults(controller)
        try context.person("bob").setValue("robert", forKey: "name")
        let statements = try selects { try context.processPendingChanges() }
        XCTAssertEqual(replayed.take(), [])
        XCTAssertEqual(statements, 0)
    }

    func test_changesAreJudgedInMemory() throws {
        let controller = try makeController()
        let replayed = ReplayedResults(controller)
        let ann = try context.person("ann")
        let statements = try selects {
            try ann.setValue("c", forKey: "group")
            try add("new", "b", 1, to: context)
            try context.processPendingChanges()
        }
        XCTAssertEqual(replayed.take().count, 2)
        XCTAssertEqual(statements, 0)
    }

    func test_aMergeIsFollowedForObjectsThatWereNotRegisteredToo() throws {
        let controller = try makeController("age >= 30")
        let replayed = ReplayedResults(controller)
        let observer = PinviewNotificationCenter.default.addObserver(forName: .didSave, object: other) { [context] didSave in
            do { try context?.mergeChanges(fromContextDidSave: didSave) } catch { XCTFail("\(error)") }
        }
        defer { PinviewNotificationCenter.default.removeObserver(observer) }
        try changeElsewhere("bob", "age", 35)
        XCTAssertEqual(replayed.take(), ["insert section b 1", "insert bob - [1, 0]"])
        try deleteElsewhere("bob")
        XCTAssertEqual(replayed.take(), ["delete section b 1", "delete  [1, 0] -"])
        XCTAssertEqual(replayed.mistakes, [])
    }

    func test_aPinnedControllerIsUnchangedUntilItsContextAdvances() throws {
        try context.setQueryGeneration(from: .current)
        let controller = try makeController()
        let replayed = ReplayedResults(controller)
        try changeElsewhere("bob", "group", "c")
        try changeElsewhere("ann", "age", 31)
        try deleteElsewhere("cat")
        try add("dan", "d", 7, to: other)
        try other.save()
        try add("own", "a", 99, to: context)
        try context.processPendingChanges()
        XCTAssertEqual(replayed.take(), ["insert own - [0, 2]"])
        XCTAssertEqual(try content(controller), ["a: amy ann own", "b: bob", "c: cat"])

        try context.setQueryGeneration(from: .current)
        XCTAssertEqual(
            replayed.take(),
            [
                "delete section b 1", "insert section d 2", "delete  [2, 0] -", "insert dan - [2, 0]", "move bob [1, 0] [1, 0]",
                "update ann [0, 1] [0, 1]",
            ])
        XCTAssertEqual(try content(controller), ["a: amy ann own", "c: bob", "d: dan"])
        XCTAssertEqual(try context.person("ann").integer("age"), 31)
        XCTAssertEqual(replayed.mistakes, [])
    }

    func test_advancingWithoutAChangeTellsNothing() throws {
        try context.setQueryGeneration(from: .current)
        let controller = try makeController()
        let replayed = ReplayedResults(controller)
        try context.setQueryGeneration(from: .current)
        try context.refreshAllObjects()
        XCTAssertEqual(replayed.take(), [])
    }

    func test_aControllerCanGoBackToAnOlderGeneration() throws {
        try context.setQueryGeneration(from: .current)
        let controller = try makeController()
        let holder = try makeContext(coordinator)
        let old = try XCTUnwrap(context.queryGenerationToken)
        try holder.setQueryGeneration(from: old)
        try deleteElsewhere("bob")
        try context.setQueryGeneration(from: .current)
        XCTAssertEqual(try content(controller), ["a: amy ann", "c: cat"])
        try context.setQueryGeneration(from: old)
        XCTAssertEqual(try content(controller), ["a: amy ann", "b: bob", "c: cat"])
    }

    func test_aResetExchangesTheObjects() throws {
        let controller = try makeController()
        let replayed = ReplayedResults(controller)
        try context.reset()
        XCTAssertEqual(try content(controller), ["a: amy ann", "b: bob", "c: cat"])
        XCTAssertEqual(replayed.take().filter { $0.hasPrefix("insert") }.count, 4)
        XCTAssertEqual(replayed.mistakes, [])
    }

    func test_changesMadeByTheDelegateComeAfterwards() throws {
        let controller = try makeController()
        let replayed = ReplayedResults(controller)
        var mayChange = true
        replayed.onWillChange = { [context] in
            guard mayChange, let context else { return }
            mayChange = false
            do {
                try context.person("cat").setValue("a", forKey: "group")
                try context.processPendingChanges()
            } catch { XCTFail("\(error)") }
        }
        try context.person("bob").setValue("robert", forKey: "name")
        try context.processPendingChanges()
        XCTAssertEqual(replayed.take(), ["update robert [1, 0] [1, 0]", "delete section c 2", "move cat [2, 0] [0, 2]"])
        XCTAssertEqual(replayed.mistakes, [])
    }

    /// Each change is reported separately, in the order in which they were made.
    func test_changesThatWaitForTheDelegateKeepTheirOrder() throws {
        let controller = try makeController()
        let replayed = ReplayedResults(controller)
        var mayChange = true
        replayed.onWillChange = { [context] in
            guard mayChange, let context else { return }
            mayChange = false
            do {
                // The last one undoes what the first has done.
                for group in ["d", "e", "c"] {
                    try context.person("cat").setValue(group, forKey: "group")
                    try context.processPendingChanges()
                }
                try context.delete(try context.person("ann"))
                try context.processPendingChanges()
            } catch { XCTFail("\(error)") }
        }
        try context.person("bob").setValue("robert", forKey: "name")
        try context.processPendingChanges()

        XCTAssertEqual(replayed.take().first, "update robert [1, 0] [1, 0]")
        XCTAssertEqual(replayed.mistakes, [])
        XCTAssertEqual(try content(controller), ["a: amy", "b: robert", "c: cat"])
        // Nothing is left that waits.
        try context.person("cat").setValue(1, forKey: "age")
        try context.processPendingChanges()
        XCTAssertEqual(replayed.take(), ["update cat [2, 0] [2, 0]"])
    }

    func test_theObjectsOfARemovedStoreLeave() throws {
        let controller = try makeController()
        let replayed = ReplayedResults(controller)
        let store = try XCTUnwrap(coordinator.persistentStores.first)
        try coordinator.remove(store)
        XCTAssertEqual(replayed.sections.map(\.name), [])
        XCTAssertEqual(replayed.mistakes, [])
    }

    func test_aRequestWithoutAnOrderIsRefused() throws {
        let error = assertError(
            .invalidArgument,
            try FetchedResultsController(fetchRequest: FetchRequest(entityName: "Person"), managedObjectContext: context))
        XCTAssertTrue(error?.message.contains("sort descriptor") ?? false)
        var counting = try request()
        counting.resultType = .count
        assertError(.invalidArgument, try FetchedResultsController(fetchRequest: counting, managedObjectContext: context))
    }

    func test_sectionsThatAreNotContiguousAreRefused() throws {
        var byAge = try request()
        byAge.sortDescriptors = [PinviewSortDescriptor(keyPath: "age"), PinviewSortDescriptor(keyPath: "name")]
        let controller = try FetchedResultsController(
            fetchRequest: byAge, managedObjectContext: context, sectionNameKeyPath: "group")
        let error = assertError(.invalidArgument, try controller.performFetch())
        XCTAssertTrue(error?.message.contains("sort the request by 'group' first") ?? false, error?.message ?? "")
        XCTAssertNil(controller.fetchedObjects)
        assertError(.invalidArgument, try controller.object(at: PinviewIndexPath(item: 0, section: 0)))
        assertError(.unknownKey, try makeController(sections: "colour"))
        assertError(.wrongType, try makeController(sections: "group.name"))
    }

    func test_placesThatDoNotExistAreRefused() throws {
        let controller = try makeController()
        for place in [PinviewIndexPath(item: 0, section: 3), PinviewIndexPath(item: 2, section: 0), PinviewIndexPath(item: -1, section: 0)]
        {
            assertError(.invalidArgument, try controller.object(at: place))
        }
    }

    func test_itKeepsItsObjectsAndItsContextAndIsNotRetained() throws {
        weak var context: ManagedObjectContext?
        weak var controller: FetchedResultsController?
        try {
            let strong = try FetchedResultsController(fetchRequest: try request(), managedObjectContext: try makeContext(coordinator))
            controller = strong
            context = strong.managedObjectContext
            try strong.performFetch()
            XCTAssertEqual(strong.managedObjectContext.registeredObjects.count, 4)
        }()
        XCTAssertNil(controller)
        XCTAssertNil(context)
    }

    func test_aControllerOfAMainQueueContextIsForTheMainThread() throws {
        let main = try makeContext(coordinator, .mainQueue)
        let controller = try FetchedResultsController(fetchRequest: try request(), managedObjectContext: main)
        let done = expectation(description: "called elsewhere")
        Thread.detachNewThread {
            do {
                try controller.performFetch()
                XCTFail("no error was thrown")
            } catch {
                XCTAssertTrue((error as? PinviewError)?.hasCode(.wrongQueue) ?? false, "\(error)")
            }
            done.fulfill()
        }
        wait(for: [done], timeout: 120)
    }

    func test_aChildContextFollowsItsOwnChanges() throws {
        let child = ManagedObjectContext(concurrencyType: .privateQueue)
        try child.setParent(context)
        let controller = try FetchedResultsController(
            fetchRequest: try request(), managedObjectContext: child, sectionNameKeyPath: "group")
        try controller.performFetch()
        let replayed = ReplayedResults(controller)
        try add("new", "b", 1, to: child)
        try child.save()
        XCTAssertEqual(replayed.take(), ["insert new - [1, 0]"])
    }

    func test_writersOnManyThreadsAreFollowedWhileOtherControllersComeAndGo() throws {
        try context.setAutomaticallyMergesChangesFromParent(true)
        let controller = try makeController("age >= 30")
        let replayed = ReplayedResults(controller)
        let coordinator = try XCTUnwrap(coordinator), context = try XCTUnwrap(context), everybody = try request()
        DispatchQueue.concurrentPerform(iterations: 4) { number in
            do {
                let writer = ManagedObjectContext(concurrencyType: .privateQueue)
                try writer.setPersistentStoreCoordinator(coordinator)
                for round in 0..<15 {
                    let person = try writer.insertNewObject(forEntityName: "Person")
                    try person.setValue("p\(number).\(round)", forKey: "name")
                    try person.setValue(["a", "b", "x"][round % 3], forKey: "group")
                    try person.setValue(25 + round, forKey: "age")
                    try writer.save()
                    if round % 4 == 3 {
                        try writer.delete(person)
                        try writer.save()
                    }
                    try FetchedResultsController(fetchRequest: everybody, managedObjectContext: context).performFetch()
                }
            } catch { XCTFail("\(error)") }
        }
        try context.performAndWait {}
        XCTAssertEqual(replayed.mistakes, [])
        XCTAssertEqual(controller.fetchedObjects, Array(try context.fetch(controller.fetchRequest)))
        XCTAssertTrue(replayed.isEqual(ReplayedResults.content(of: controller)))
    }
}
