import CoreDataFixtures
import Foundation
import Pinview
import PinviewModel
import XCTest

/// MIG-08: stores that Core Data wrote go to the current version of their model. Their version is
/// found by their model cache, a folder with all versions, or the versions that the program gives.
final class CoreDataVersionsTests: MigrationTestCase {
    // MARK: Versions

    private let car = EntityDescription(
        name: "Car", attributes: [AttributeDescription(name: "plate", attributeType: .string)],
        relationships: [RelationshipDescription(name: "owner", destinationEntityName: "Person", inverseRelationshipName: "cars")])
    private let cars = RelationshipDescription(
        name: "cars", destinationEntityName: "Car", inverseRelationshipName: "owner", isToMany: true)

    private func person(
        _ name: String, _ age: AttributeType, _ more: [AttributeDescription] = [], _ relationships: [RelationshipDescription] = []
    ) -> EntityDescription {
        // Core Data's rule for a name that changes more than once: each version has the first one
        // as identifier.
        let name = AttributeDescription(name: name, attributeType: .string, renamingIdentifier: name == "name" ? nil : "name")
        return EntityDescription(
            name: "Person", attributes: [AttributeDescription(name: "age", attributeType: age), name] + more,
            relationships: [cars] + relationships)
    }

    private let city = AttributeDescription(name: "city", attributeType: .string)

    private var first: CompiledModel { CompiledModel("1", [car, person("name", .integer16)], marks: ["Car": 1, "Person": 1]) }
    private var second: CompiledModel {
        CompiledModel("2", [car, person("title", .integer16, [city])], marks: ["Car": 1, "Person": 2])
    }
    /// A new entity comes before the others, so that all numbers change.
    private var third: CompiledModel {
        let address = EntityDescription(name: "Address", attributes: [AttributeDescription(name: "street", attributeType: .string)])
        let home = RelationshipDescription(name: "home", destinationEntityName: "Address")
        return CompiledModel(
            "3", [address, car, person("fullName", .integer32, [city], [home])], marks: ["Address": 3, "Car": 1, "Person": 3])
    }

    private var bundle: String { path("Shop.momd") }

    private func writeBundle() throws {
        try CompiledModel.write([("Shop", first), ("Shop 2", second), ("Shop 10", third)], to: bundle)
    }

    private func version(_ name: String) throws -> ManagedObjectModel { try ManagedObjectModel(contentsOf: bundle, version: name) }

    // MARK: Stores

    /// Ada (36) has the cars A 1 and A 2, Alan (40) none; B has no owner. In the second version Ada
    /// is in London.
    private func makeStore(_ version: CompiledModel, hashes: [String: [UInt8]]? = nil, cache: [UInt8]? = nil) throws {
        let isFirst = version.identifier == "1"
        var fixture = CoreDataFixture(
            ["Car", "Person"],
            [
                "CREATE TABLE ZCAR (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZOWNER INTEGER, ZPLATE VARCHAR)",
                "CREATE INDEX ZCAR_ZOWNER_INDEX ON ZCAR (ZOWNER)",
                "CREATE TABLE ZPERSON (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAGE INTEGER, "
                    + (isFirst ? "ZNAME VARCHAR)" : "ZCITY VARCHAR, ZTITLE VARCHAR)"),
                "INSERT INTO ZCAR VALUES (1, 1, 1, 1, 'A 1'), (2, 1, 3, 1, 'A 2'), (3, 1, 1, NULL, 'B')",
                isFirst
                    ? "INSERT INTO ZPERSON VALUES (1, 2, 1, 36, 'Ada'), (2, 2, 2, 40, 'Alan')"
                    : "INSERT INTO ZPERSON VALUES (1, 2, 1, 36, 'London', 'Ada'), (2, 2, 2, 40, NULL, 'Alan')",
                "UPDATE Z_PRIMARYKEY SET Z_MAX = Z_ENT + 2",
            ])
        fixture.metadata["NSStoreModelVersionIdentifiers"] = .array([.string(version.identifier)])
        fixture.metadata["ours"] = .string("kept")
        fixture = fixture.with(hashes: hashes ?? version.hashes).with(cache: cache)
        // The only answer is that of the pragma for the journal; errors would come after it.
        XCTAssertEqual(try sqlite3(fixture.sql), "wal")
    }

    /// What is in the folder, by name.
    private func files() throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) where !name.hasSuffix(".momd") {
            files[name] = try Data(contentsOf: URL(fileURLWithPath: path(name)))
        }
        return files
    }

    private func checkMigrated(_ context: ManagedObjectContext, city: String?) throws {
        let request = try FetchRequest("Person", "fullName == 'Ada' AND age == 36 AND home == nil AND cars.@count == 2")
        let ada = try XCTUnwrap(try context.fetch(request).first)
        XCTAssertEqual(try ada.value(forKey: "city", as: String.self), city)
        XCTAssertEqual(ada.objectID.uriRepresentation, "x-coredata://\(CoreDataFixture.identifier)/Person/p1")
        XCTAssertEqual(try context.count(for: try FetchRequest("Person", "fullName == 'Alan' AND age == 40 AND cars.@count == 0")), 1)
        XCTAssertEqual(try context.count(for: try FetchRequest("Car", "plate == 'B' AND owner == nil")), 1)
        XCTAssertEqual(try context.count(for: FetchRequest("Address")), 0)
        // Core Data's numbers, counters, versions of rows and metadata.
        XCTAssertEqual(
            try sqlite3("SELECT Z_ENT, Z_NAME, Z_MAX FROM Z_PRIMARYKEY ORDER BY 1;"), "1|Address|0\n2|Car|3\n3|Person|4")
        XCTAssertEqual(try sqlite3("SELECT group_concat(Z_ENT || '.' || Z_OPT) FROM ZCAR;"), "2.1,2.3,2.1")
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM Z_MODELCACHE;"), "0")
        let metadata = try PersistentStoreCoordinator.metadata(forStoreAt: path())
        XCTAssertEqual(metadata["NSStoreModelVersionHashes"], .dictionary(third.hashes.mapValues { .data($0) }))
        XCTAssertEqual(metadata["NSStoreModelVersionIdentifiers"], .array([.string("3")]))
        XCTAssertEqual(metadata["NSPersistenceFrameworkVersion"], .integer(1044))
        XCTAssertEqual(metadata["ours"], .string("kept"))
    }

    // MARK: Where the version comes from

    func test_MIG_08_theModelCacheTellsWhichVersionAStoreHas() throws {
        try writeBundle()
        try makeStore(first, cache: first.cache)
        try checkMigrated(try migrate(try version("Shop 10")), city: nil)
    }

    func test_MIG_08_afterwardsTheStoreTellsItsModel() throws {
        try writeBundle()
        try makeStore(first, cache: first.cache)
        _ = try migrate(try version("Shop 10"))

        let model = try PersistentStoreCoordinator.managedObjectModel(ofStoreAt: path())
        XCTAssertEqual(model, try version("Shop 10"))
        XCTAssertEqual(try makeContext(try makeCoordinator(model)).count(for: try FetchRequest("Person", "fullName == 'Ada'")), 1)
    }

    /// The store's metadata have the hashes that Core Data computed, which decide whether a model
    /// fits.
    func test_MDL_04_MDL_08_aModelOfTheCacheHasTheVersionHashesOfTheStore() throws {
        try makeStore(first, cache: first.cache)
        let model = try PersistentStoreCoordinator.managedObjectModel(ofStoreAt: path())
        XCTAssertEqual(Dictionary(uniqueKeysWithValues: model.entities.map { ($0.name, $0.versionHash) }), first.hashes)
        try FileManager.default.removeItem(atPath: path())

        // What is not a hash is none.
        try makeStore(first, hashes: ["Car": [1, 2, 3], "Person": [UInt8](repeating: 1, count: 33)], cache: first.cache)
        let other = try PersistentStoreCoordinator.managedObjectModel(ofStoreAt: path())
        XCTAssertEqual(other.entities.map(\.versionHash.count), [32, 32])
    }

    func test_MIG_08_everyVersionInAFolderMigratesToTheCurrentOne() throws {
        try writeBundle()
        for (version, city) in [(first, nil), (second, "London")] {
            try makeStore(version)
            try checkMigrated(try migrate(try ManagedObjectModel(contentsOf: bundle), ["modelVersions": .string(bundle)]), city: city)
            for name in try files().keys { try FileManager.default.removeItem(atPath: path(name)) }
        }
    }

    func test_MIG_08_theProgramGivesTheVersionsInAnyOrder() throws {
        try writeBundle()
        try makeStore(second)
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try version("Shop 10"))
        let versions = [try version("Shop 10"), try version("Shop"), try version("Shop 2")]
        try coordinator.addPersistentStore(type: .sqlite, at: path(), migration: StagedMigration(versions: versions))
        try checkMigrated(try makeContext(coordinator), city: "London")
    }

    func test_MIG_06_MIG_08_aStoreOfCoreDatasGoesThroughStages() throws {
        try writeBundle()
        try makeStore(first)
        let stage = MigrationStage(from: "1", to: "2") { manager in
            for old in try manager.sourceContext.fetch(try FetchRequest("Person", "name == 'Ada'")) {
                try manager.destinationInstance(for: old)?.setValue("Rome", forKey: "city")
            }
        }
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try version("Shop 10"))
        try coordinator.addPersistentStore(
            type: .sqlite, at: path(), migration: try StagedMigration(versionsOfModelAt: bundle, stages: [stage]))
        try checkMigrated(try makeContext(coordinator), city: "Rome")
    }

    func test_MIG_08_MIG_10_aRehearsalFindsTheVersionAndChangesNothing() throws {
        try writeBundle()
        try makeStore(first)
        let before = try files()
        try version("Shop 10").rehearseMigration(ofStoresAt: [path()], options: ["modelVersions": .string(bundle)])
        let plan = try PersistentStoreCoordinator.migrationPlan(
            forStoreAt: path(), to: try version("Shop 10"), options: ["modelVersions": .string(bundle)])
        XCTAssertTrue(plan?.description.contains("name renamed fullName") ?? false, "\(plan?.description ?? "no plan")")
        XCTAssertEqual(try files(), before)
    }

    // MARK: Versions that cannot be identified

    func test_MIG_08_aStoreOfNoneOfTheVersionsIsRefusedAndUntouched() throws {
        try writeBundle()
        try makeStore(first, hashes: ["Car": [UInt8](repeating: 1, count: 32), "Person": [UInt8](repeating: 9, count: 32)])
        let before = try files()
        assertError(.persistentStoreIncompatibleVersionHash, mentioning: ["These entities differ: Person", "give the versions"]) {
            _ = try migrate(try version("Shop 10"))
        }
        XCTAssertEqual(try files(), before)
    }

    func test_MIG_08_aDamagedModelCacheIsNamedAndDoesNotHinderVersionsThatAreGiven() throws {
        try writeBundle()
        try makeStore(first, cache: [UInt8](repeating: 0xFF, count: 300))
        let before = try files()
        assertError(.badModel, mentioning: ["model cache is damaged"]) { _ = try migrate(try version("Shop 10")) }
        XCTAssertEqual(try files(), before)

        try checkMigrated(try migrate(try version("Shop 10"), ["modelVersions": .string(bundle)]), city: nil)
    }

    // MARK: A version that is like an earlier one

    /// The second version adds an attribute, and the third one takes that back.
    private func takenBack(_ identifier: String?, hasNote: Bool = false) throws -> ManagedObjectModel {
        let identifiers = identifier.map { #""versionIdentifiers": ["\#($0)"], "# } ?? ""
        let note = hasNote ? #", {"name": "note", "type": "uri"}"# : ""
        return try model(#"{\#(identifiers)"entities": [{"name": "Person", "attributes": [{"name": "name", "type": "string"}\#(note)]}]}"#)
    }

    private func fillAndMigrateToSecond(_ identifiers: (String, String)?) throws {
        try fill(try takenBack(identifiers?.0)) { context in
            try context.insertNewObject(forEntityName: "Person").setValue("ada", forKey: "name")
        }
        let coordinator = try makeCoordinator(try takenBack(identifiers?.1, hasNote: true), options: Self.migrating)
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    func test_MIG_01_aVersionEqualToAnEarlierOneIsIdentifiedByItsNumber() throws {
        try fillAndMigrateToSecond(("2.0", "9"))
        for older in ["2", "2.1", "8.9"] {
            assertError(.persistentStoreIncompatibleVersionHash, mentioning: ["newer than the model"]) {
                _ = try migrate(try takenBack(older))
            }
        }
        XCTAssertEqual(try migrate(try takenBack("10.0")).count(for: try FetchRequest("Person", "name == 'ada'")), 1)
    }

    func test_MIG_01_aVersionEqualToAnEarlierOneIsIdentifiedByTheGivenVersions() throws {
        try fillAndMigrateToSecond(nil)
        let first = try takenBack(nil), second = try takenBack(nil, hasNote: true)
        assertError(.persistentStoreIncompatibleVersionHash, mentioning: ["newer than the model", "give the versions"]) {
            _ = try migrate(first)
        }
        let coordinator = PersistentStoreCoordinator(managedObjectModel: first)
        // An older program does not know the version that the store has.
        assertError(.persistentStoreIncompatibleVersionHash, mentioning: ["newer than the model"]) {
            try coordinator.addPersistentStore(type: .sqlite, at: path(), migration: StagedMigration(versions: [first]))
        }
        try coordinator.addPersistentStore(type: .sqlite, at: path(), migration: StagedMigration(versions: [first, second, first]))
        XCTAssertEqual(try makeContext(coordinator).count(for: try FetchRequest("Person", "name == 'ada'")), 1)
    }

    func test_MIG_06_MIG_08_withStagesTheOrderOfTheVersionsTellsWhichIsNewer() throws {
        try fillAndMigrateToSecond(nil)
        let first = try takenBack(nil), second = try takenBack(nil, hasNote: true)
        let third = try model(
            #"{"entities": [{"name": "Person", "attributes": [{"name": "name", "type": "string"}, {"name": "n", "type": "date"}]}]}"#)
        let coordinator = PersistentStoreCoordinator(managedObjectModel: first)
        let stage = MigrationStage(from: second.versionChecksum, to: third.versionChecksum)
        assertError(.persistentStoreIncompatibleVersionHash, mentioning: ["newer than the model"]) {
            try coordinator.addPersistentStore(
                type: .sqlite, at: path(), migration: StagedMigration(versions: [first, second, third], stages: [stage]))
        }
    }
}
