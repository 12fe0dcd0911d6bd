import Foundation
import Pinview
import Synchronization
import XCTest

/// Stages with steps of the program, and explicit mappings (MIG-06, MIG-07).
final class StagedMigrationTests: MigrationTestCase {
    private func version(_ number: String, _ entities: String) throws -> ManagedObjectModel {
        try model(#"{"versionIdentifiers": ["\#(number)"], "entities": [\#(entities)]}"#)
    }

    private func first() throws -> ManagedObjectModel {
        try version("1", #"{"name": "Person", "attributes": [{"name": "name", "type": "string"}, {"name": "age", "type": "string"}]}"#)
    }

    private func second() throws -> ManagedObjectModel {
        try version(
            "2",
            """
            {"name": "Person", "attributes": [{"name": "name", "type": "string"}, {"name": "age", "type": "integer32", "optional": false}]},
            {"name": "Note", "attributes": [{"name": "text", "type": "string"}],
             "relationships": [{"name": "person", "destination": "Person"}]}
            """)
    }

    private func third() throws -> ManagedObjectModel {
        try version(
            "3",
            """
            {"name": "Human", "attributes": [{"name": "title", "type": "string"}, {"name": "age", "type": "integer32", "optional": false},
             {"name": "months", "type": "integer32"}]},
            {"name": "Note", "attributes": [{"name": "text", "type": "string"}], "relationships": [{"name": "person", "destination": "Human"}]}
            """)
    }

    // MARK: Large data (MDL-13)

    private func photos(_ number: String, _ attribute: String) throws -> ManagedObjectModel {
        try version(number, #"{"name": "Photo", "attributes": [{"name": "title", "type": "string"}, \#(attribute)]}"#)
    }

    private let inFiles = #"{"name": "image", "type": "binaryData", "allowsExternalBinaryDataStorage": true}"#
    private let large = [UInt8](repeating: 5, count: 250_000)

    private func files() -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder + "/.store_SUPPORT/_EXTERNAL_DATA")) ?? []
    }

    private func fillPhotos() throws {
        try fill(try photos("1", inFiles)) { context in
            for (title, image) in [("a", large), ("b", [1, 2])] {
                let photo = try context.insertNewObject(forEntityName: "Photo")
                try photo.setValue(title, forKey: "title")
                try photo.setValue(image, forKey: "image")
            }
        }
    }

    private func images(_ context: ManagedObjectContext) throws -> [[UInt8]?] {
        var request = FetchRequest(entityName: "Photo")
        request.sortDescriptors = [PinviewSortDescriptor(keyPath: "title")]
        return try context.fetch(request).map { try $0.value(forKey: "image") as? [UInt8] }
    }

    func test_MDL_13_aStepOfTheProgramReadsAndWritesLargeData() throws {
        try fillPhotos()
        let target = try photos("2", inFiles + #", {"name": "preview", "type": "binaryData", "allowsExternalBinaryDataStorage": true}"#)
        let stage = MigrationStage(from: "1", to: "2") { manager in
            for photo in try manager.destinationContext.fetch(FetchRequest("Photo")) {
                let image = try XCTUnwrap(try photo.value(forKey: "image") as? [UInt8])
                try photo.setValue(image.map { $0 + 1 }, forKey: "preview")
            }
        }
        let context = try open(target, StagedMigration(versions: [try photos("1", inFiles), target], stages: [stage]))

        XCTAssertEqual(files().count, 2)
        XCTAssertTrue(try images(context) == [large, [1, 2]])
        let photo = try XCTUnwrap(try context.fetch(try FetchRequest("Photo", "title == 'a'")).first)
        XCTAssertTrue(try photo.value(forKey: "preview") as? [UInt8] == large.map { $0 + 1 })
    }

    func test_MDL_13_largeDataMoveIntoTheRowsAndAMissingFileRefusesThat() throws {
        try fillPhotos()
        let file = folder + "/.store_SUPPORT/_EXTERNAL_DATA/" + files()[0]
        try FileManager.default.moveItem(atPath: file, toPath: path("kept"))
        let target = try photos("2", #"{"name": "image", "type": "binaryData"}"#)
        assertError(.migration, mentioning: ["ZIMAGE", "ZPHOTO", "No such file", file]) { _ = try migrate(target) }
        try FileManager.default.moveItem(atPath: path("kept"), toPath: file)

        XCTAssertTrue(try images(try migrate(target)) == [large, [1, 2]])
        XCTAssertEqual(files(), [])
    }

    private func fillPeople() throws {
        try fill(try first()) { context in
            for (name, age) in [("ada", "36"), ("bob", "7")] {
                let object = try context.insertNewObject(forEntityName: "Person")
                try object.setValue(name, forKey: "name")
                try object.setValue(age, forKey: "age")
            }
        }
    }

    private func open(
        _ model: ManagedObjectModel, _ migration: StagedMigration, progress: (@Sendable (MigrationProgress) -> Bool)? = nil
    ) throws -> ManagedObjectContext {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(type: .sqlite, at: path(), migration: migration, progress: progress)
        return try makeContext(coordinator)
    }

    /// Ages become numbers, which only the program knows how to do; and each person gets a note.
    private func numbering(_ body: (@Sendable (MigrationManager) throws -> Void)? = nil) -> MigrationStage {
        MigrationStage(from: "1", to: "2", confirmedRemovals: ["Person.age"]) { manager in
            for old in try manager.sourceContext.fetch(FetchRequest("Person")) {
                let new = try XCTUnwrap(try manager.destinationInstance(for: old))
                try new.setValue(Int64(try old.value(forKey: "age", as: String.self) ?? "") ?? 0, forKey: "age")
                let note = try manager.destinationContext.insertNewObject(forEntityName: "Note")
                try note.setValue("from the step", forKey: "text")
                try note.setRelatedObject(new, forKey: "person")
                XCTAssertNil(try manager.sourceInstance(for: note))
                XCTAssertEqual(try manager.sourceInstance(for: new)?.objectID.uriRepresentation, old.objectID.uriRepresentation)
            }
            try body?(manager)
        }
    }

    private func assertUntouched(file: StaticString = #filePath, line: UInt = #line) throws {
        let context = try makeContext(try makeCoordinator(try first()))
        XCTAssertEqual(try context.count(for: FetchRequest("Person", "age == '36' OR age == '7'")), 2, file: file, line: line)
    }

    func test_aContainerTakesStages_MIG_06() throws {
        try fillPeople()
        let migration = StagedMigration(versions: [try first(), try second()], stages: [numbering()])
        let container = PersistentContainer(name: "People", managedObjectModel: try second(), storePath: path())
        XCTAssertThrowsError(try container.loadPersistentStores(migration: migration) { _ in false })
        try assertUntouched()

        let steps = Mutex<[Double]>([])
        try container.loadPersistentStores(migration: migration) { state in
            steps.withLock { $0.append(state.fractionCompleted) }
            return true
        }

        let context = container.newBackgroundContext()
        try context.performAndWait { XCTAssertEqual(try context.count(for: FetchRequest("Person", "age == 36 AND name == 'ada'")), 1) }
        XCTAssertEqual(steps.withLock { $0.last }, 1)
    }

    func test_aStepSeesOldAndNewObjectsAndGivesRequiredValues_MIG_06() throws {
        try fillPeople()
        let context = try open(try second(), StagedMigration(versions: [try first(), try second()], stages: [numbering()]))
        XCTAssertEqual(try context.count(for: FetchRequest("Person", "age == 36 AND name == 'ada'")), 1)
        XCTAssertEqual(try context.count(for: FetchRequest("Note", "person.age == 7")), 1)
    }

    func test_aStoreGoesThroughAllLaterStages_MIG_06() throws {
        try fillPeople()
        let mapping = EntityMapping(from: "Person", to: "Human", properties: ["title": "name", "months": "age * 12"])
        let stages = [numbering(), MigrationStage(from: "2", to: try third().versionChecksum, mappings: [mapping])]
        let versions = [try first(), try second(), try third()]
        let context = try open(try third(), StagedMigration(versions: versions, stages: stages))
        XCTAssertEqual(try context.count(for: FetchRequest("Human", "title == 'ada' AND age == 36 AND months == 432")), 1)
        XCTAssertEqual(try context.count(for: FetchRequest("Note", "person.title == 'bob'")), 1)
    }

    func test_aStepThatFailsLeavesTheStageUndone_MIG_06() throws {
        struct Trouble: Error {}
        try fillPeople()
        let migration = StagedMigration(
            versions: [try first(), try second()],
            stages: [
                numbering { manager in
                    try manager.destinationContext.save()
                    throw Trouble()
                }
            ])
        assertError(.migration, mentioning: ["Trouble"]) { _ = try open(try second(), migration) }
        try assertUntouched()
    }

    func test_onlyTheStageThatFailsIsUndone_MIG_06() throws {
        struct Trouble: Error {}
        try fillPeople()
        let stages = [
            numbering(),
            MigrationStage(from: "2", to: "3", mappings: [EntityMapping(from: "Person", to: "Human")], confirmedRemovals: ["Person.name"]) {
                _ in throw Trouble()
            },
        ]
        let migration = StagedMigration(versions: [try first(), try second(), try third()], stages: stages)
        assertError(.migration, mentioning: ["\"2\"", "\"3\""]) { _ = try open(try third(), migration) }
        let context = try makeContext(try makeCoordinator(try second()))
        XCTAssertEqual(try context.count(for: FetchRequest("Person", "age == 36")), 1)
    }

    func test_whatTheStepLeavesMissingIsNamed_MIG_06() throws {
        try fillPeople()
        let stage = MigrationStage(from: "1", to: "2", confirmedRemovals: ["Person.age"]) { _ in }
        assertError(.migration, mentioning: ["Person.age is required"]) {
            _ = try open(try second(), StagedMigration(versions: [try first(), try second()], stages: [stage]))
        }
        try assertUntouched()
    }

    func test_objectsAndContextsKeptBeyondTheStepAreInvalid_MIG_06() throws {
        try fillPeople()
        let kept = Mutex<[ManagedObjectContext]>([])
        let migration = StagedMigration(
            versions: [try first(), try second()],
            stages: [numbering { manager in kept.withLock { $0 = [manager.sourceContext, manager.destinationContext] } }])
        let context = try open(try second(), migration)
        for old in kept.withLock({ $0 }) {
            XCTAssertTrue((try? old.fetch(FetchRequest("Person")).isEmpty) ?? true)
            XCTAssertFalse(old.hasChanges)
        }
        XCTAssertEqual(try context.count(for: FetchRequest("Person")), 2)
    }

    func test_progressIsReportedAndFalseCancels_MIG_03() throws {
        try fillPeople()
        let seen = Mutex<[MigrationProgress]>([])
        let migration = StagedMigration(versions: [try first(), try second()], stages: [numbering()])
        assertError(.migrationCancelled) {
            _ = try open(try second(), migration) { progress in
                seen.withLock { $0.append(progress) }
                return progress.fractionCompleted < 0.05
            }
        }
        try assertUntouched()
        XCTAssertFalse(seen.withLock { $0 }.isEmpty)
        seen.withLock { $0 = [] }
        _ = try open(try second(), migration) { progress in
            seen.withLock { $0.append(progress) }
            return true
        }
        let all = seen.withLock { $0 }
        XCTAssertEqual(all.last?.fractionCompleted ?? 0, 1, accuracy: 0.001)
        XCTAssertTrue(all.contains { $0.step == "run the program's step" })
    }

    func test_mappingsWithFunctionsAndSplits_MIG_07() throws {
        try fillPeople()
        let mappings = [
            EntityMapping(
                from: "Person", to: "Person",
                properties: ["age": .function { .integer(Int64(try $0.attributeValue(forKey: "age").stringValue ?? "") ?? 0) }]),
            EntityMapping(from: "Person", to: "Note", properties: ["text": "name"]),
        ]
        let stage = MigrationStage(from: "1", to: "2", mappings: mappings) { manager in
            for old in try manager.sourceContext.fetch(FetchRequest("Person")) {
                let note = try XCTUnwrap(try manager.destinationInstance(for: old, entityName: "Note"))
                try note.setRelatedObject(try manager.destinationInstance(for: old), forKey: "person")
            }
        }
        let context = try open(try second(), StagedMigration(versions: [try first(), try second()], stages: [stage]))
        XCTAssertEqual(try context.count(for: FetchRequest("Note", "text == 'ada' AND person.age == 36 AND person.name == 'ada'")), 1)
        XCTAssertEqual(try context.count(for: FetchRequest("Note")), 2)
    }

    func test_mistakesInStagesAreNamed_MIG_06_MIG_07() throws {
        try fillPeople()
        let versions = [try first(), try second()]
        for (stage, word) in [
            (MigrationStage(from: "1", to: "9"), "\"9\""), (MigrationStage(from: "2", to: "1"), "goes back"),
            (MigrationStage(from: "1", to: "2", mappings: [EntityMapping(from: "Persson", to: "Person")]), "Persson"),
            (
                MigrationStage(from: "1", to: "2", mappings: [EntityMapping(from: "Person", to: "Person", properties: ["x": "name"])]),
                "Person.x"
            ),
        ] {
            assertError(.invalidArgument, mentioning: [word]) {
                _ = try open(try second(), StagedMigration(versions: versions, stages: [stage]))
            }
        }
        assertError(.migrationMissingSourceModel) {
            _ = try open(
                try third(), StagedMigration(versions: [try second(), try third()], stages: [MigrationStage(from: "2", to: "3")]))
        }
        try assertUntouched()
    }

    func test_aRehearsalRunsTheStep_MIG_13() throws {
        try fillPeople()
        let migration = StagedMigration(versions: [try first(), try second()], stages: [numbering()])
        let plan = try PersistentStoreCoordinator.migrationPlan(
            forStoreAt: path(), to: try second(), migration: migration, rehearsing: true)
        XCTAssertTrue(plan?.description.contains("run the program's step") ?? false)
        try assertUntouched()
    }
}
