import Pinview
import XCTest

/// How long a generation lives and what it holds: QG-38 to QG-45, and what pinned contexts may do:
/// QG-46 to QG-57.
final class GenerationLifetimeTests: StoreTestCase {
    private var coordinator: PersistentStoreCoordinator!
    private var other: ManagedObjectContext!

    override func setUpWithError() throws {
        try super.setUpWithError()
        coordinator = try makeCoordinator()
        try fill(coordinator, count: 3)
        other = try makeContext(coordinator)
    }

    override func tearDownWithError() throws {
        other = nil
        coordinator = nil
        try super.tearDownWithError()
    }

    private func pinnedContext() throws -> ManagedObjectContext {
        let context = try makeContext(coordinator)
        try context.setQueryGeneration(from: .current)
        XCTAssertEqual(try context.names().count, 3)
        return context
    }

    private func rename(_ name: String, to newName: String) throws {
        try other.person(name).setValue(newName, forKey: "name")
        try other.save()
    }

    /// A TRUNCATE checkpoint by the sqlite3 tool: whether it was busy.
    private func foreignTruncateIsBusy() throws -> Bool {
        try sqlite3(".timeout 0\nPRAGMA wal_checkpoint(TRUNCATE);").hasPrefix("1")
    }

    private func journalBytes() throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path() + "-wal")
        return try XCTUnwrap(attributes[.size] as? Int)
    }

    private func commitSomething() throws { try sqlite3("UPDATE ZPERSON SET ZAGE = ZAGE + 1") }

    func test_QG_38_aPinHoldsTheJournal() throws {
        let context = try pinnedContext()
        try commitSomething()
        XCTAssertTrue(try foreignTruncateIsBusy())
        XCTAssertEqual(try context.person("dave0").attributeValue(forKey: "age"), 20)
    }

    func test_QG_39_theHoldEndsWithEachWayToLeave() throws {
        let ways: [(String, (ManagedObjectContext) throws -> Void)] = [
            ("advance", { try $0.setQueryGeneration(from: .current) }),
            ("unpin", { try $0.setQueryGeneration(from: nil) }),
            (
                "save",
                { context in
                    try context.insertNewObject(forEntityName: "Car")
                    try context.save()
                }
            ),
            ("merge", { try ManagedObjectContext.mergeChanges(fromRemoteContextSave: [:], into: [$0]) }),
            ("reset", { try $0.reset() }),
        ]
        for (name, leave) in ways {
            let context = try pinnedContext()
            try commitSomething()
            XCTAssertTrue(try foreignTruncateIsBusy(), name)
            try leave(context)
            XCTAssertFalse(try foreignTruncateIsBusy(), name)
            XCTAssertEqual(try journalBytes(), 0, name)
        }
    }

    func test_QG_39_theHoldEndsWithTheContext() throws {
        var context: ManagedObjectContext? = try pinnedContext()
        try commitSomething()
        XCTAssertTrue(try foreignTruncateIsBusy())
        withExtendedLifetime(context) {}
        context = nil
        XCTAssertFalse(try foreignTruncateIsBusy())
        XCTAssertEqual(try journalBytes(), 0)
    }

    func test_QG_40_aSharedGenerationLivesUntilBothHaveLeft() throws {
        let first = try pinnedContext()
        let second = try makeContext(coordinator)
        try second.setQueryGeneration(from: first.queryGenerationToken)
        try commitSomething()
        try first.setQueryGeneration(from: nil)
        XCTAssertTrue(try foreignTruncateIsBusy())
        XCTAssertEqual(try second.person("dave0").attributeValue(forKey: "age"), 20)
        try second.setQueryGeneration(from: nil)
        XCTAssertFalse(try foreignTruncateIsBusy())
    }

    func test_QG_41_aTokenWithoutContextsHasExpired() throws {
        let context = try pinnedContext()
        let token = context.queryGenerationToken
        try rename("dave0", to: "renamed")
        try context.setQueryGeneration(from: nil)
        let late = try makeContext(coordinator)
        assertError(.generationExpired, try late.setQueryGeneration(from: token))
        XCTAssertNil(late.queryGenerationToken)
    }

    func test_QG_42_pinOnReadHoldsNothing() throws {
        let context = try makeContext(coordinator)
        try context.setQueryGeneration(from: .current)
        try commitSomething()
        XCTAssertFalse(try foreignTruncateIsBusy())
    }

    func test_QG_43_aTokenOfAnotherCoordinatorIsForeign() throws {
        let context = try pinnedContext()
        let stack = try makeCoordinator()
        let stranger = try makeContext(stack)
        assertError(.foreignToken, try stranger.setQueryGeneration(from: context.queryGenerationToken))
        XCTAssertNil(stranger.queryGenerationToken)
    }

    func test_QG_44_aStoreWithoutWALFallsBackSilently() throws {
        let stack = try makeCoordinator(name: "delete.sqlite", options: ["journalMode": "delete"])
        try fill(stack, count: 1)
        try assertFallsBack(stack)
    }

    func test_QG_44_aStoreInMemoryFallsBackSilently() throws {
        let stack = PersistentStoreCoordinator(managedObjectModel: try people())
        try stack.addPersistentStore(type: .inMemory)
        try fill(stack, count: 1)
        try assertFallsBack(stack)
    }

    private func assertFallsBack(_ stack: PersistentStoreCoordinator) throws {
        let context = try makeContext(stack)
        try context.setQueryGeneration(from: .current)
        XCTAssertEqual(context.queryGenerationToken, .current)
        XCTAssertEqual(try context.names(), ["dave0"])
        XCTAssertNil(context.queryGenerationToken)
        let writer = try makeContext(stack)
        try writer.person("dave0").setValue("renamed", forKey: "name")
        try writer.save()
        XCTAssertEqual(try context.names(), ["renamed"])
    }

    func test_QG_45_aStoreInMemoryBesideAWALStoreIsReadLive() throws {
        let model = try ManagedObjectModel(
            entities: [
                EntityDescription(name: "Person", attributes: [AttributeDescription(name: "name", attributeType: .string)]),
                EntityDescription(name: "Note", attributes: [AttributeDescription(name: "name", attributeType: .string)]),
            ], configurations: ["Disk": ["Person"], "Memory": ["Note"]])
        let stack = PersistentStoreCoordinator(managedObjectModel: model)
        try stack.addPersistentStore(type: .sqlite, configuration: "Disk", at: path("disk.sqlite"))
        try stack.addPersistentStore(type: .inMemory, configuration: "Memory")
        let writer = try makeContext(stack)
        try writer.insertNewObject(forEntityName: "Person").setValue("p1", forKey: "name")
        try writer.insertNewObject(forEntityName: "Note").setValue("n1", forKey: "name")
        try writer.save()
        let context = try makeContext(stack)
        try context.setQueryGeneration(from: .current)
        _ = try context.names("Person")
        try writer.insertNewObject(forEntityName: "Person").setValue("p2", forKey: "name")
        try writer.insertNewObject(forEntityName: "Note").setValue("n2", forKey: "name")
        try writer.save()
        XCTAssertEqual(try context.names("Person"), ["p1"])
        XCTAssertEqual(try context.names("Note"), ["n1", "n2"])
        XCTAssertNotNil(context.queryGenerationToken)
    }

    func test_QG_46_aPinnedSaveWritesItsOwnColumnsOnly() throws {
        let context = try pinnedContext()
        context.mergePolicy = .mergeByPropertyObjectTrump
        let dave0 = try context.person("dave0")
        try dave0.setValue("own", forKey: "name")
        try commitSomething()
        try context.save()
        XCTAssertEqual(try sqlite3("SELECT ZNAME, ZAGE FROM ZPERSON WHERE ZNAME = 'own'"), "own|21")
    }

    func test_QG_47_aBatchUpdateDoesNotMoveThePinnedContext() throws {
        let context = try pinnedContext()
        let token = context.queryGenerationToken
        var update = BatchUpdateRequest(entityName: "Person")
        update.propertiesToUpdate = ["name": "all"]
        update.resultType = .updatedObjectsCount
        guard case .count(3) = try context.execute(update) else { return XCTFail("another count") }
        XCTAssertEqual(context.queryGenerationToken, token)
        XCTAssertEqual(try context.names(), ["dave0", "dave1", "dave2"])
        XCTAssertEqual(try other.names(), ["all", "all", "all"])
    }

    func test_QG_48_faultsOfDeletedRowsFire() throws {
        let context = try pinnedContext()
        let identifiers = try context.fetchObjectIDs(FetchRequest("Person", "name == %@", "dave0"))
        try sqlite3("DELETE FROM ZPERSON; DELETE FROM ZCAR;")
        let dave0 = try context.object(with: identifiers[0])
        XCTAssertEqual(try dave0.attributeValue(forKey: "name"), "dave0")
        let cars = try dave0.relatedObjects(forKey: "cars")
        XCTAssertEqual(try cars.map { try $0.attributeValue(forKey: "name") }, ["car0"])
        XCTAssertFalse(dave0.isDeleted)
    }

    func test_QG_49_predicateAndCountAreDecidedInTheGeneration() throws {
        let context = try pinnedContext()
        try rename("dave0", to: "renamed")
        XCTAssertEqual(try context.count(for: FetchRequest("Person", "name == %@", "dave0")), 1)
        XCTAssertEqual(try context.count(for: FetchRequest("Person", "name == %@", "renamed")), 0)
    }

    func test_QG_50_ownPendingChangesLieOnTopOfTheGeneration() throws {
        let context = try pinnedContext()
        try context.person("dave0").setValue("edited", forKey: "name")
        try context.insertNewObject(forEntityName: "Person").setValue("inserted", forKey: "name")
        try context.delete(context.person("dave2"))
        try rename("dave1", to: "renamed")
        XCTAssertEqual(try context.names(), ["dave1", "edited", "inserted"])
    }

    func test_QG_51_refreshingReReadsTheSameGeneration() throws {
        let context = try pinnedContext()
        let dave0 = try context.person("dave0")
        _ = try dave0.attributeValue(forKey: "name")
        try rename("dave0", to: "renamed")
        try context.refresh(dave0, mergeChanges: false)
        XCTAssertEqual(try dave0.attributeValue(forKey: "name"), "dave0")
        try context.refresh(dave0, mergeChanges: true)
        XCTAssertEqual(try dave0.attributeValue(forKey: "name"), "dave0")
        try context.refreshAllObjects()
        XCTAssertEqual(try dave0.attributeValue(forKey: "name"), "dave0")
    }

    func test_QG_52_settingAGenerationKeepsPendingChanges() throws {
        let context = try pinnedContext()
        try context.person("dave0").setValue("edited", forKey: "name")
        try context.setQueryGeneration(from: .current)
        XCTAssertTrue(context.hasChanges)
        XCTAssertEqual(try context.names(), ["dave1", "dave2", "edited"])
        try context.save()
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZPERSON WHERE ZNAME = 'edited'"), "1")
    }

    func test_QG_53_pinsDoNotBlockWritersAndWritersDoNotBlockPins() throws {
        let contexts = try (0..<10).map { _ in try pinnedContext() }
        try rename("dave0", to: "renamed")
        XCTAssertEqual(try contexts[9].names().first, "dave0")

        let writer = try LockingProcess(file: path())
        let context = try makeContext(coordinator)
        try context.setQueryGeneration(from: .current)
        XCTAssertEqual(try context.names().count, 3)
        try writer.end()
    }

    func test_QG_54_isolationSurvivesMoreThanAThousandPages() throws {
        let context = try pinnedContext()
        let blob = String(repeating: "x", count: 3000)
        for _ in 0..<15 {
            for _ in 0..<100 { try other.insertNewObject(forEntityName: "Person").setValue(blob, forKey: "name") }
            try other.save()
        }
        XCTAssertGreaterThan(try journalBytes(), 1000 * 4096)
        XCTAssertEqual(try context.names(), ["dave0", "dave1", "dave2"])
        XCTAssertEqual(try context.person("dave0").countOfRelatedObjects(forKey: "cars"), 1)
    }

    func test_QG_55_thirtyTwoGenerationsEachReadTheirOwn() throws {
        var contexts: [ManagedObjectContext] = []
        for generation in 0..<32 {
            try sqlite3("UPDATE ZPERSON SET ZAGE = \(generation)")
            let context = try makeContext(coordinator)
            try context.setQueryGeneration(from: .current)
            _ = try context.count(for: FetchRequest(entityName: "Person"))
            contexts.append(context)
        }
        for (generation, context) in contexts.enumerated() {
            XCTAssertEqual(try context.person("dave1").attributeValue(forKey: "age"), .integer(Int64(generation)))
        }
        XCTAssertEqual(Set(contexts.map(\.queryGenerationToken)).count, 32)
    }

    func test_QG_56_currentEqualsOnlyItself() throws {
        let context = try pinnedContext()
        XCTAssertEqual(QueryGenerationToken.current, QueryGenerationToken.current)
        XCTAssertNotEqual(QueryGenerationToken.current, context.queryGenerationToken)
    }

    func test_QG_57_afterAFailureEverythingIsAsBefore() throws {
        let context = try pinnedContext()
        let dave0 = try context.person("dave0")
        let token = context.queryGenerationToken
        let stranger = try makeContext(try makeCoordinator())
        try stranger.setQueryGeneration(from: .current)
        _ = try stranger.names()
        try rename("dave0", to: "renamed")
        assertError(.foreignToken, try context.setQueryGeneration(from: stranger.queryGenerationToken))
        XCTAssertEqual(context.queryGenerationToken, token)
        XCTAssertEqual(try context.names().first, "dave0")
        XCTAssertTrue(try context.person("dave0") === dave0)
    }
}

/// A second process that holds a write transaction on a file until it receives the command to end.
final class LockingProcess {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    init(file: String) throws {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["sqlite3", "-batch", file]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        input.fileHandleForWriting.write(Data("BEGIN IMMEDIATE; UPDATE ZPERSON SET ZAGE = ZAGE + 1; SELECT 'locked';\n".utf8))
        // The line comes when the lock is held.
        XCTAssertEqual(String(decoding: output.fileHandleForReading.availableData, as: UTF8.self), "locked\n")
    }

    func end() throws {
        input.fileHandleForWriting.write(Data("ROLLBACK;\n".utf8))
        input.fileHandleForWriting.closeFile()
        process.waitUntilExit()
    }
}
