import Foundation
import Pinview
import RandomSupport
import XCTest

/// Migrations beside contexts and processes that use the store with its old model (MIG-04, MIG-05),
/// and dry runs (MIG-10).
final class SharedMigrationTests: MigrationTestCase {
    private static let old = """
        {"entities": [{"name": "Person", "attributes": [{"name": "first", "type": "string"}, {"name": "second", "type": "string"}]}]}
        """
    /// The columns change places: old statements would find the wrong values.
    private static let new = """
        {"entities": [{"name": "Person", "attributes": [{"name": "second", "type": "string", "renamingIdentifier": "first"},
        {"name": "third", "type": "string", "renamingIdentifier": "second"}]}]}
        """

    /// The old model once more, migrated to from the new one.
    private static let oldAgain = """
        {"entities": [{"name": "Person", "attributes": [{"name": "first", "type": "string", "renamingIdentifier": "second"},
        {"name": "second", "type": "string", "renamingIdentifier": "third"}]}]}
        """

    private func fillPeople(_ context: ManagedObjectContext) throws {
        let object = try context.insertNewObject(forEntityName: "Person")
        try object.setValue("1", forKey: "first")
        try object.setValue("2", forKey: "second")
        try context.save()
    }

    private func second(_ context: ManagedObjectContext) throws -> [String?] {
        try context.refreshAllObjects()
        return try context.fetch(FetchRequest("Person")).map { object in try object.string("second") }
    }

    func test_pinnedContextsKeepReadingAndOthersLearnOfTheMigration_MIG_05() throws {
        let before = try makeCoordinator(try model(Self.old))
        let writer = try makeContext(before)
        try fillPeople(writer)
        let pinned = try makeContext(before)
        try pinned.setQueryGeneration(from: .current)
        XCTAssertEqual(try second(pinned), ["2"])

        let after = try migrate(try model(Self.new))
        XCTAssertEqual(try second(after), ["1"])

        XCTAssertEqual(try second(pinned), ["2"], "the pinned generation has its own model")
        XCTAssertEqual(try pinned.count(for: FetchRequest("Person", "second == '2'")), 1)
        assertError(.storeMigrated, mentioning: ["migrated"]) { _ = try second(try makeContext(before)) }
        assertError(.storeMigrated) { _ = try writer.count(for: FetchRequest("Person", "second == '2'")) }
        try pinned.fetch(FetchRequest("Person")).first?.setValue("3", forKey: "second")
        assertError(.storeMigrated) { try pinned.save() }
        try pinned.rollback()
        XCTAssertEqual(try second(pinned), ["2"])

        // It goes on by loading the new model.
        let reader = try makeContext(try makeCoordinator(try PersistentStoreCoordinator.managedObjectModel(ofStoreAt: path())))
        XCTAssertEqual(try second(reader), ["1"])
    }

    func test_anIndexMadeByOthersRequiresNoMigration_MIG_05() throws {
        let context = try makeContext(try makeCoordinator(try model(Self.old)))
        try fillPeople(context)
        XCTAssertEqual(try sqlite3("CREATE INDEX mine ON ZPERSON (ZFIRST);"), "")
        XCTAssertEqual(try second(context), ["2"])
        try fillPeople(context)
        XCTAssertEqual(try context.count(for: FetchRequest("Person")), 2)
    }

    /// Migrations to and fro, commits, and indexes of others, between reads of many states.
    func test_eachStateIsReadWithItsModelOrNotAtAll_MIG_05() throws {
        var random = SeededGenerator.announced(name)
        let before = try makeCoordinator(try model(Self.old))
        let newest = try makeContext(before)
        try fillPeople(newest)
        var value = "2", isMigrated = false, hasIndex = false, refused = 0
        var writer = try makeContext(try makeCoordinator(try model(Self.old)))
        var pinned: [(context: ManagedObjectContext, value: String)] = []
        for step in 0..<200 {
            let place = "seed \(random.seed), step \(step)"
            switch random.below(10) {
            case 0...2:
                value = "\(step)"
                let own = !isMigrated && random.oneIn(3) ? newest : writer
                try own.refreshAllObjects()
                try own.fetch(FetchRequest("Person")).first?.setValue(value, forKey: isMigrated ? "third" : "second")
                try own.save()
            case 3...5:
                if isMigrated {
                    assertError(.storeMigrated, mentioning: ["migrated"]) { _ = try second(newest) }
                    refused += 1
                } else {
                    XCTAssertEqual(try second(newest), [value], place)
                }
            case 6 where !isMigrated:
                let context = try makeContext(before)
                try context.setQueryGeneration(from: .current)
                XCTAssertEqual(try second(context), [value], place)
                if pinned.count == 4 { pinned.remove(at: random.below(4)) }
                pinned.append((context, value))
            case 7...8:
                guard let (context, value) = pinned.randomElement(using: &random) else { continue }
                XCTAssertEqual(try second(context), [value], place)
            case 9 where random.oneIn(2):
                isMigrated.toggle()
                writer = try migrate(try model(isMigrated ? Self.new : Self.oldAgain), ["allowOlderModel": true])
            default:
                XCTAssertEqual(try sqlite3(hasIndex ? "DROP INDEX mine;" : "CREATE INDEX mine ON ZPERSON (Z_OPT);"), "", place)
                hasIndex.toggle()
            }
        }
        XCTAssertGreaterThan(refused, 5, "seed \(random.seed)")
    }

    func test_aDryRunTellsAndChangesNothing_MIG_10() throws {
        try fill(try model(Self.old)) { try self.fillPeople($0) }
        let before = try Data(contentsOf: URL(fileURLWithPath: path()))
        let plan = try XCTUnwrap(try PersistentStoreCoordinator.migrationPlan(forStoreAt: path(), to: try model(Self.new)))
        XCTAssertEqual(plan.difference.description, "Person: first renamed second; second renamed third")
        XCTAssertEqual(plan.rows, 0, "nothing is rewritten")
        XCTAssertTrue(plan.steps.flatMap(\.statements).contains { $0.contains("RENAME COLUMN") })
        XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: path())), before)
        try model(Self.new).rehearseMigration(ofStoresAt: [path()])
        XCTAssertEqual(try makeContext(try makeCoordinator(try model(Self.old))).count(for: FetchRequest("Person")), 1)
        XCTAssertNil(try PersistentStoreCoordinator.migrationPlan(forStoreAt: path(), to: try model(Self.old)))
    }

    func test_aRehearsalFindsMistakesThatOnlyTheRowsShow_MIG_10() throws {
        try fill(try model(Self.old)) { try self.fillPeople($0) }
        let strict = try model(
            """
            {"entities": [{"name": "Person", "attributes": [{"name": "first", "type": "string"}, {"name": "second", "type": "string"},
            {"name": "age", "type": "integer16", "optional": false}]}]}
            """)
        XCTAssertNoThrow(try PersistentStoreCoordinator.migrationPlan(forStoreAt: path(), to: strict))
        assertError(.migration, mentioning: ["Person.age"]) { try strict.rehearseMigration(ofStoresAt: [path()]) }
    }

    // MARK: Differences

    func test_aDifferenceReadsAsASentence_MIG_01() throws {
        let old = try model(
            #"{"entities": [{"name": "Person", "attributes": [{"name": "name", "type": "string"}, {"name": "age", "type": "integer16"}]}]}"#
        )
        let new = try model(
            """
            {"entities": [{"name": "Person", "attributes": [{"name": "nickname", "type": "string"}, {"name": "age", "type": "integer16"},
            {"name": "fullName", "type": "string", "renamingIdentifier": "name"}],
            "indexes": [{"name": "byAge", "elements": [{"property": "age"}]}]}]}
            """)
        let difference = ModelDifference(from: old, to: new)
        XCTAssertEqual(
            difference.description, "Person: + nickname (string, optional); name renamed fullName; index byAge added")
        XCTAssertEqual(difference.obstacles, [])
        XCTAssertTrue(ModelDifference(from: new, to: new).isEmpty)
        XCTAssertEqual(ModelDifference(from: new, to: old).changes.map(\.kind), [.propertyRenamed, .propertyRemoved, .indexRemoved])
    }

    func test_renamesInACircleAndTwoRenamesOfOneAreContradictions_MIG_02() throws {
        let old = try model(
            #"{"entities": [{"name": "A", "attributes": [{"name": "x", "type": "string"}, {"name": "y", "type": "string"}]}]}"#)
        let circle = try model(
            """
            {"entities": [{"name": "A", "attributes": [{"name": "x", "type": "string", "renamingIdentifier": "y"},
            {"name": "y", "type": "string", "renamingIdentifier": "x"}]}]}
            """)
        let twice = try model(
            """
            {"entities": [{"name": "A", "attributes": [{"name": "p", "type": "string", "renamingIdentifier": "x"},
            {"name": "q", "type": "string", "renamingIdentifier": "x"}]}]}
            """)
        for other in [circle, twice] {
            XCTAssertEqual(ModelDifference(from: old, to: other).obstacles.first?.kind, .contradiction)
        }
    }
}
