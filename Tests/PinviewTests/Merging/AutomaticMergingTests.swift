import Dispatch
import Foundation
import Pinview
import XCTest

/// `automaticallyMergesChangesFromParent`: MRG-07 to MRG-12.
final class AutomaticMergingTests: StoreTestCase {
    private var coordinator: PersistentStoreCoordinator!
    private var context: ManagedObjectContext!
    private var other: ManagedObjectContext!

    override func setUpWithError() throws {
        try super.setUpWithError()
        coordinator = try makeCoordinator()
        try fill(coordinator, count: 3)
        context = try makeContext(coordinator)
        other = try makeContext(coordinator)
    }

    override func tearDownWithError() throws {
        context = nil
        other = nil
        coordinator = nil
        try super.tearDownWithError()
    }

    private func realised(_ name: String, in context: ManagedObjectContext) throws -> ManagedObject {
        let person = try context.person(name)
        _ = try person.attributeValue(forKey: "name")
        return person
    }

    private func makeMergingChild(of parent: ManagedObjectContext) throws -> ManagedObjectContext {
        let child = ManagedObjectContext(concurrencyType: .privateQueue)
        try child.setParent(parent)
        try child.setAutomaticallyMergesChangesFromParent(true)
        return child
    }

    /// Runs what was put in the context's queue before.
    private func flush(_ context: ManagedObjectContext) throws { try context.performAndWait {} }

    func test_MRG_07_savesOfOtherContextsAreMerged() throws {
        try context.setAutomaticallyMergesChangesFromParent(true)
        let edited = try realised("dave0", in: context), deleted = try realised("dave1", in: context)
        try edited.setValue(50, forKey: "age")
        try other.person("dave0").setValue("edited", forKey: "name")
        try other.delete(other.person("dave1"))
        try other.save()
        try flush(context)
        XCTAssertEqual(try edited.attributeValue(forKey: "name"), "edited")
        XCTAssertEqual(try edited.attributeValue(forKey: "age"), 50)
        XCTAssertTrue(deleted.isDeleted)
    }

    func test_MRG_07_insertedObjectsAreAnnounced() throws {
        try context.setAutomaticallyMergesChangesFromParent(true)
        let center = PinviewNotificationCenter.default
        var inserted: [ManagedObjectID] = []
        let observer = center.addObserver(forName: .objectsDidChange, object: context) { inserted += $0.insertedObjectIDs }
        defer { center.removeObserver(observer) }
        let person = try other.insertNewObject(forEntityName: "Person")
        try other.save()
        try flush(context)
        XCTAssertEqual(inserted, [person.objectID])
    }

    func test_MRG_07_mergingWaitsForTheBlockThatRuns() throws {
        try context.setAutomaticallyMergesChangesFromParent(true)
        let person = try realised("dave0", in: context)
        let worker = try XCTUnwrap(other)
        try context.performAndWait {
            onThreads(1) { _ in
                try worker.person("dave0").setValue("edited", forKey: "name")
                try worker.save()
            }
            XCTAssertEqual(try person.attributeValue(forKey: "name"), "dave0")
        }
        try flush(context)
        XCTAssertEqual(try person.attributeValue(forKey: "name"), "edited")
    }

    func test_MRG_07_aMainQueueContextMergesOnTheMainThread() throws {
        let main = try makeContext(coordinator, .mainQueue)
        try main.setAutomaticallyMergesChangesFromParent(true)
        let person = try realised("dave0", in: main)
        let worker = try XCTUnwrap(other)
        onThreads(1) { _ in
            try worker.person("dave0").setValue("edited", forKey: "name")
            try worker.save()
        }
        XCTAssertEqual(try person.attributeValue(forKey: "name"), "dave0")
        try MainQueue.drain()
        XCTAssertEqual(try person.attributeValue(forKey: "name"), "edited")
    }

    func test_MRG_08_aChildMergesItsParentsSaves() throws {
        let child = try makeMergingChild(of: context)
        let person = try realised("dave0", in: child)
        try context.person("dave0").setValue("edited", forKey: "name")
        try context.save()
        try flush(child)
        XCTAssertEqual(try person.attributeValue(forKey: "name"), "edited")
    }

    func test_MRG_08_aChildMergesWhatItsSiblingsSaveIntoTheParent() throws {
        let child = try makeMergingChild(of: context)
        let person = try realised("dave0", in: child), deleted = try realised("dave1", in: child)
        child.retainsRegisteredObjects = true
        let sibling = ManagedObjectContext(concurrencyType: .privateQueue)
        try sibling.setParent(context)
        try sibling.person("dave0").setValue("edited", forKey: "name")
        try sibling.delete(sibling.person("dave1"))
        let inserted = try sibling.insertNewObject(forEntityName: "Person")
        try inserted.setValue("new", forKey: "name")
        try sibling.save()
        try flush(child)
        XCTAssertEqual(try person.attributeValue(forKey: "name"), "edited")
        XCTAssertTrue(deleted.isDeleted)
        XCTAssertEqual(try child.registeredObject(for: inserted.objectID)?.attributeValue(forKey: "name"), "new")
    }

    func test_MRG_08_aNewObjectStaysOneObjectInTheChildWhenTheRootSavesIt() throws {
        let child = try makeMergingChild(of: context)
        let person = try child.insertNewObject(forEntityName: "Person")
        try person.setValue("new", forKey: "name")
        try child.save()
        try context.save()
        try flush(child)
        XCTAssertTrue(try child.person("new") === person)
        XCTAssertFalse(child.hasChanges)
    }

    func test_MRG_09_byDefaultNothingIsMerged() throws {
        XCTAssertFalse(context.automaticallyMergesChangesFromParent)
        let person = try realised("dave0", in: context)
        try other.person("dave0").setValue("edited", forKey: "name")
        try other.save()
        try flush(context)
        XCTAssertEqual(try person.attributeValue(forKey: "name"), "dave0")
    }

    func test_MRG_09_aChildMergesNothingByDefault() throws {
        let child = ManagedObjectContext(concurrencyType: .privateQueue)
        try child.setParent(context)
        let person = try realised("dave0", in: child)
        try context.person("dave0").setValue("edited", forKey: "name")
        try context.save()
        try flush(child)
        XCTAssertEqual(try person.attributeValue(forKey: "name"), "dave0")
    }

    func test_MRG_11_aPinnedContextMovesWithEveryAutomaticMerge() throws {
        try context.setQueryGeneration(from: .current)
        try context.setAutomaticallyMergesChangesFromParent(true)
        XCTAssertEqual(try context.names(), ["dave0", "dave1", "dave2"])
        try sqlite3("UPDATE ZPERSON SET ZNAME = 'foreign' WHERE ZNAME = 'dave1'")
        XCTAssertEqual(try context.names(), ["dave0", "dave1", "dave2"])
        try other.person("dave0").setValue("edited", forKey: "name")
        try other.save()
        try flush(context)
        XCTAssertNil(context.queryGenerationToken)
        XCTAssertEqual(try context.fetch(FetchRequest("Person", "name IN %@", ["edited", "foreign"])).count, 2)
        XCTAssertNotNil(context.queryGenerationToken)
    }

    func test_MRG_12_aContextOnAnOlderGenerationCannotMergeAutomatically() throws {
        try context.setQueryGeneration(from: .current)
        _ = try context.names()
        try other.person("dave0").setValue("edited", forKey: "name")
        try other.save()
        assertError(.pinnedAutoMerge, try context.setAutomaticallyMergesChangesFromParent(true))
        XCTAssertFalse(context.automaticallyMergesChangesFromParent)
        XCTAssertEqual(try context.names(), ["dave0", "dave1", "dave2"])
    }

    func test_MRG_12_aContextThatMergesAutomaticallyCannotBeSetToAnOlderGeneration() throws {
        try other.setQueryGeneration(from: .current)
        _ = try other.names()
        let token = other.queryGenerationToken
        let writer = try makeContext(coordinator)
        try writer.person("dave0").setValue("edited", forKey: "name")
        try writer.save()
        try context.setAutomaticallyMergesChangesFromParent(true)
        assertError(.pinnedAutoMerge, try context.setQueryGeneration(from: token))
        XCTAssertNil(context.queryGenerationToken)
        try context.setQueryGeneration(from: .current)
        XCTAssertEqual(try context.names(), ["dave1", "dave2", "edited"])
    }

    func test_MRG_08_whatIsMergedIntoAParentReachesItsChildren() throws {
        try context.setAutomaticallyMergesChangesFromParent(true)
        let child = try makeMergingChild(of: context)
        let grandchild = try makeMergingChild(of: child)
        let person = try realised("dave0", in: grandchild)
        try other.person("dave0").setValue("edited", forKey: "name")
        try other.save()
        for each in [context, child, grandchild] { try flush(each!) }
        XCTAssertEqual(try person.attributeValue(forKey: "name"), "edited")
    }

    func test_MRG_08_aMergeByCallReachesTheChildrenToo() throws {
        let child = try makeMergingChild(of: context)
        let person = try realised("dave0", in: child)
        let edited = try other.person("dave0")
        try edited.setValue("edited", forKey: "name")
        try other.save()
        try ManagedObjectContext.mergeChanges(fromRemoteContextSave: ["updated": [edited.objectID]], into: [context])
        try flush(child)
        XCTAssertEqual(try person.attributeValue(forKey: "name"), "edited")
    }
}
