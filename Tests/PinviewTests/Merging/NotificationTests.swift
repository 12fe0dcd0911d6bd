import Dispatch
import Foundation
import Pinview
import XCTest

/// Observers, and when and where they are called: NOT-01 to NOT-06, NOT-11 to NOT-15, NOT-19.
final class NotificationTests: StoreTestCase {
    private var coordinator: PersistentStoreCoordinator!
    private var context: ManagedObjectContext!
    private var observers: [PinviewNotificationCenter.Observer] = []

    override func setUpWithError() throws {
        try super.setUpWithError()
        coordinator = try makeCoordinator()
        try fill(coordinator, count: 3)
        context = try makeContext(coordinator)
    }

    override func tearDownWithError() throws {
        for observer in observers { PinviewNotificationCenter.default.removeObserver(observer) }
        observers = []
        context = nil
        coordinator = nil
        try super.tearDownWithError()
    }

    private func observe(
        _ name: PinviewNotification.Name?, of context: ManagedObjectContext?, _ block: @escaping (PinviewNotification) -> Void
    ) {
        observers.append(PinviewNotificationCenter.default.addObserver(forName: name, object: context, using: block))
    }

    /// Writes down the names of what a context posts.
    private func logNames(of context: ManagedObjectContext?) -> Log {
        let log = Log()
        let texts: [PinviewNotification.Name: String] = [.willSave: "will save", .didSave: "did save", .objectsDidChange: "did change"]
        observe(nil, of: context) { log.add(texts[$0.name] ?? $0.name.rawValue) }
        return log
    }

    // MARK: objects-did-change

    func test_NOT_01_processedChangesAreAnnouncedUnderTheirKeys() throws {
        let edited = try context.person("dave0")
        let deleted = try context.person("dave1")
        var received: [PinviewNotification] = []
        observe(.objectsDidChange, of: context) { received.append($0) }
        let inserted = try context.insertNewObject(forEntityName: "Person")
        try edited.setValue("edited", forKey: "name")
        try context.delete(deleted)
        XCTAssertEqual(received.count, 0)
        try context.processPendingChanges()
        let notification = try XCTUnwrap(received.first)
        XCTAssertTrue(notification.object === context)
        let info = notification.userInfo
        XCTAssertEqual(info["inserted"] as? Set<ManagedObject>, [inserted])
        XCTAssertEqual((info["updated"] as? Set<ManagedObject>)?.contains(edited), true)
        XCTAssertEqual(info["deleted"] as? Set<ManagedObject>, [deleted])
    }

    func test_NOT_02_severalChangesOfOneEventComeAsOne() throws {
        let log = logNames(of: context)
        try context.performAndWait {
            for number in 0..<5 { try context.insertNewObject(forEntityName: "Person").setValue("\(number)", forKey: "name") }
            try context.person("dave0").setValue("edited", forKey: "name")
        }
        XCTAssertEqual(log.entries.last, "did change")
        XCTAssertLessThanOrEqual(log.entries.count, 2)  // The fetch processes the inserts, the end of the block the edit.
    }

    func test_NOT_02_anEventWithoutAFetchIsAnnouncedOnce() throws {
        let person = try context.person("dave0")
        let log = logNames(of: context)
        try context.performAndWait {
            for number in 0..<5 {
                _ = try context.insertNewObject(forEntityName: "Person")
                try person.setValue("edit \(number)", forKey: "name")
            }
        }
        XCTAssertEqual(log.entries, ["did change"])
    }

    func test_NOT_03_fetchesAndFaultsAreNotAnnounced() throws {
        let log = logNames(of: context)
        try context.performAndWait {
            for person in try context.fetch(FetchRequest(entityName: "Person")) {
                _ = try person.attributeValue(forKey: "name")
                _ = try person.relatedObjects(forKey: "cars")
            }
        }
        try context.processPendingChanges()
        XCTAssertEqual(log.entries, [])
    }

    // MARK: Saving

    func test_NOT_04_willSaveComesBeforeTheWriteAndWithoutUserInfo() throws {
        var stored: [String] = []
        let reader = try makeContext(coordinator)
        observe(.willSave, of: context) { notification in
            XCTAssertTrue(notification.userInfo.isEmpty)
            do { stored = try reader.names() } catch { XCTFail("\(error)") }
        }
        try context.person("dave0").setValue("edited", forKey: "name")
        try context.save()
        XCTAssertEqual(stored, ["dave0", "dave1", "dave2"])
    }

    func test_NOT_04_changesOfAWillSaveObserverArePartOfTheSave() throws {
        var count = 0
        observe(.willSave, of: context) { notification in
            count += 1
            do { try notification.object.person("dave1").setValue("by the observer", forKey: "name") } catch { XCTFail("\(error)") }
        }
        try context.person("dave0").setValue("edited", forKey: "name")
        try context.save()
        XCTAssertEqual(count, 1)
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZPERSON WHERE ZNAME IN ('edited', 'by the observer')"), "2")
        XCTAssertFalse(context.hasChanges)
    }

    func test_NOT_04_aSaveWithoutChangesPostsNothing() throws {
        let log = logNames(of: context)
        try context.save()
        XCTAssertEqual(log.entries, [])
    }

    func test_NOT_05_atDidSaveOthersCanFetchTheData() throws {
        let reader = try makeContext(coordinator)
        var seen: [String] = []
        var received: [PinviewNotification] = []
        observe(.didSave, of: context) { notification in
            received.append(notification)
            do { seen = try reader.names() } catch { XCTFail("\(error)") }
        }
        let inserted = try context.insertNewObject(forEntityName: "Person")
        try inserted.setValue("new", forKey: "name")
        let edited = try context.person("dave0")
        try edited.setValue("edited", forKey: "name")
        let deleted = try context.person("dave1")
        try context.delete(deleted)
        try context.save()
        XCTAssertEqual(seen, ["dave2", "edited", "new"])
        XCTAssertEqual(received.first?.insertedObjects, [inserted])
        XCTAssertEqual(received.first?.updatedObjects.contains(edited), true)
        XCTAssertEqual(received.first?.deletedObjects, [deleted])
    }

    func test_NOT_05_aFailedSavePostsNoDidSave() throws {
        let person = try context.person("dave0")
        _ = try person.attributeValue(forKey: "name")
        let other = try makeContext(coordinator)
        try other.person("dave0").setValue("by another", forKey: "name")
        try other.save()
        try person.setValue("edited", forKey: "name")
        let log = logNames(of: context)
        assertError(.managedObjectMerge, try context.save())
        XCTAssertFalse(log.entries.contains("did save"))
    }

    func test_NOT_06_theOrderWithinASave() throws {
        let log = logNames(of: context)
        try context.insertNewObject(forEntityName: "Person").setValue("new", forKey: "name")
        try context.save()
        XCTAssertEqual(log.entries, ["did change", "will save", "did save"])
    }

    // MARK: Observers

    func test_NOT_11_anObserverOfOneContextHearsThatContextOnly() throws {
        let log = logNames(of: context)
        let other = try makeContext(coordinator)
        try other.person("dave0").setValue("edited", forKey: "name")
        try other.save()
        XCTAssertEqual(log.entries, [])
    }

    func test_NOT_12_anObserverOfNoContextHearsEveryContext() throws {
        var posters: [ManagedObjectContext] = []
        observe(.didSave, of: nil) { posters.append($0.object) }
        let other = try makeContext(coordinator)
        for context in [context, other].compactMap({ $0 }) {
            try context.insertNewObject(forEntityName: "Person").setValue("new", forKey: "name")
            try context.save()
        }
        XCTAssertEqual(posters, [context, other])
    }

    func test_NOT_14_observersAreCalledInTheOrderOfRegistrationBeforeTheCallReturns() throws {
        let log = Log()
        for number in 0..<5 { observe(.didSave, of: context) { _ in log.add("\(number)") } }
        try context.insertNewObject(forEntityName: "Person").setValue("new", forKey: "name")
        try context.save()
        XCTAssertEqual(log.entries, ["0", "1", "2", "3", "4"])
    }

    func test_NOT_14_directCallsAreAnsweredOnTheCallingThread() throws {
        let context = try XCTUnwrap(context)
        onThreads(1) { _ in
            let thread = Thread.current
            nonisolated(unsafe) var isSameThread = false
            let observer = PinviewNotificationCenter.default.addObserver(forName: .didSave, object: context) { _ in
                isSameThread = Thread.current === thread
            }
            try context.insertNewObject(forEntityName: "Person").setValue("new", forKey: "name")
            try context.save()
            PinviewNotificationCenter.default.removeObserver(observer)
            XCTAssertTrue(isSameThread)
        }
    }

    func test_NOT_14_aMainQueueContextPostsOnTheMainThread() throws {
        let main = try makeContext(coordinator, .mainQueue)
        let log = Log()
        observe(.objectsDidChange, of: main) { _ in log.add(Thread.isMainThread ? "main" : "another thread") }
        let child = ManagedObjectContext(concurrencyType: .privateQueue)
        try child.setParent(main)
        onThreads(1) { _ in
            try child.insertNewObject(forEntityName: "Person").setValue("new", forKey: "name")
            try child.save()
        }
        try MainQueue.drain()
        XCTAssertEqual(log.entries, ["main"])
    }

    // ONE-07
    func test_ONE_07_whatAMainQueueContextPostsReachesItsObserversOnTheMainThread() throws {
        let main = try makeContext(coordinator, .mainQueue), worker = try makeContext(coordinator)
        let shown = try main.person("dave0"), objectID = shown.objectID
        _ = try shown.string("name")
        let child = ManagedObjectContext(concurrencyType: .privateQueue)
        try child.setParent(main)
        let log = Log()
        observe(nil, of: main) { notification in
            log.add("\(notification.name == .objectsDidChange ? "change" : "other") \(Thread.isMainThread ? "main" : "elsewhere")")
        }
        observe(.didSave, of: worker) { save in
            do { try main.mergeChanges(fromContextDidSave: save) } catch { XCTFail("\(error)") }
        }
        let causes: [(String, () throws -> Void)] = [
            (
                "a merge",
                {
                    try worker.person("dave0").setValue(50, forKey: "age")
                    try worker.save()
                }
            ),
            (
                "a merge of IDs",
                { try ManagedObjectContext.mergeChanges(fromRemoteContextSave: ["updated": [objectID]], into: [main]) }
            ),
            (
                "a child's save",
                {
                    try child.insertNewObject(forEntityName: "Person").setValue("new", forKey: "name")
                    try child.save()
                }
            ),
        ]
        for (name, cause) in causes {
            nonisolated(unsafe) let cause = cause
            onThreads(1) { _ in try cause() }
            XCTAssertEqual(log.entries, [], name)
            try MainQueue.drain()
            XCTAssertEqual(log.takeAll(), ["change main"], name)
            _ = try shown.string("name")
        }
        // A child's fetch works the main thread's own changes into the graph.
        try shown.setValue(51, forKey: "age")
        onThreads(1) { _ in XCTAssertEqual(try child.names().count, 4) }
        XCTAssertEqual(log.entries, [])
        try MainQueue.drain()
        XCTAssertEqual(log.takeAll(), ["change main"])
    }

    func test_NOT_15_objectsMayBeUsedInsideTheCallAndIDsAfterIt() throws {
        var names: [String] = []
        var identifiers: [ManagedObjectID] = []
        observe(.didSave, of: context) { notification in
            do {
                names = try notification.insertedObjects.map { try $0.attributeValue(forKey: "name").stringValue ?? "nil" }
            } catch { XCTFail("\(error)") }
            identifiers = notification.insertedObjectIDs
        }
        try context.insertNewObject(forEntityName: "Person").setValue("new", forKey: "name")
        try context.save()
        XCTAssertEqual(names, ["new"])
        let other = try makeContext(coordinator)
        XCTAssertEqual(try other.existingObject(with: try XCTUnwrap(identifiers.first)).attributeValue(forKey: "name"), "new")
    }

    func test_NOT_19_batchRequestsPostNothing() throws {
        let log = logNames(of: nil)
        var update = BatchUpdateRequest(entityName: "Person")
        update.propertiesToUpdate = ["age": 1]
        _ = try context.execute(update)
        XCTAssertEqual(log.entries, [])
    }
}
