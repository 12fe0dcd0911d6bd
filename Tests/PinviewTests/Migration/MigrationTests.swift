import Foundation
import Pinview
import XCTest

/// Stores of other versions of a model (MIG-01 to MIG-13).
class MigrationTestCase: StoreTestCase {
    static let migrating: [String: Value] = ["migrateStoreAutomatically": .boolean(true)]

    func model(_ json: String) throws -> ManagedObjectModel { try ManagedObjectModel(jsonText: json) }

    /// Opens the store with a model, migrating it.
    func migrate(_ model: ManagedObjectModel, _ options: [String: Value] = [:]) throws -> ManagedObjectContext {
        try makeContext(try makeCoordinator(model, options: Self.migrating.merging(options) { _, given in given }))
    }

    /// Fills a store of a model and closes it.
    func fill(_ model: ManagedObjectModel, options: [String: Value] = [:], _ body: (ManagedObjectContext) throws -> Void) throws {
        let coordinator = try makeCoordinator(model, options: options)
        let context = try makeContext(coordinator)
        try body(context)
        try context.save()
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    @discardableResult
    func assertError(
        _ code: PinviewError.Code, mentioning words: [String] = [], file: StaticString = #filePath, line: UInt = #line,
        _ body: () throws -> Void
    ) -> PinviewError? {
        do {
            try body()
            XCTFail("no error", file: file, line: line)
            return nil
        } catch let error as PinviewError {
            XCTAssertTrue(error.hasCode(code), "\(error)", file: file, line: line)
            for word in words {
                XCTAssertTrue(error.message.contains(word), "\(word) is missing in: \(error.message)", file: file, line: line)
            }
            return error
        } catch {
            XCTFail("another kind of error: \(error)", file: file, line: line)
            return nil
        }
    }
}

final class MigrationTests: MigrationTestCase {
    private let person = """
        {"entities": [{"name": "Person", "attributes": [{"name": "name", "type": "string"}, {"name": "age", "type": "integer16"}]}]}
        """

    private func fillPeople(_ names: [String] = ["ada", "bob"]) throws {
        try fill(try model(person)) { context in
            for (index, name) in names.enumerated() {
                let object = try context.insertNewObject(forEntityName: "Person")
                try object.setValue(name, forKey: "name")
                try object.setValue(Int64(20 + index), forKey: "age")
            }
        }
    }

    // MARK: MIG-01

    func test_anAttributeMoreGetsItsDefaultAndObjectsKeepTheirIDs_MIG_01_MIG_09() throws {
        let first = try makeCoordinator(try model(person))
        let before = try makeContext(first)
        let ada = try before.insertNewObject(forEntityName: "Person")
        try ada.setValue("ada", forKey: "name")
        try before.save()
        let uri = ada.objectID.uriRepresentation
        for store in first.persistentStores { try first.remove(store) }

        let after = try migrate(
            try model(
                """
                {"entities": [{"name": "Person", "attributes": [{"name": "name", "type": "string"}, {"name": "age", "type": "integer16"},
                {"name": "city", "type": "string", "optional": false, "default": "Rome"}, {"name": "note", "type": "string"}]}]}
                """), ["confirmedRemovals": .string("")])
        let object = try XCTUnwrap(try after.fetch(FetchRequest("Person")).first)
        XCTAssertEqual(try object.value(forKey: "name", as: String.self), "ada")
        XCTAssertEqual(try object.value(forKey: "city", as: String.self), "Rome")
        XCTAssertNil(try object.value(forKey: "note"))
        XCTAssertEqual(object.objectID.uriRepresentation, uri)
    }

    func test_withoutTheOptionAStoreOfAnotherVersionIsRefusedAndTheAdviceIsMigration() throws {
        try fillPeople()
        let other = try model(#"{"entities": [{"name": "Person", "attributes": [{"name": "name", "type": "string"}]}]}"#)
        assertError(.persistentStoreIncompatibleVersionHash, mentioning: ["migrateStoreAutomatically"]) { _ = try makeCoordinator(other) }
    }

    func test_aContainerMigratesByDefault_MIG_01() throws {
        try fillPeople()
        let other = try model(
            #"{"entities": [{"name": "Person", "attributes": [{"name": "name", "type": "string"}, {"name": "age", "type": "integer64"}]}]}"#
        )
        let container = PersistentContainer(name: "people", managedObjectModel: other, storePath: path())
        try container.loadPersistentStores()
        XCTAssertEqual(try container.newBackgroundContext().count(for: FetchRequest("Person", "age == 21")), 1)
    }

    func test_aRenamedAttributeAndEntityKeepTheirValues_MIG_01() throws {
        try fillPeople()
        let context = try migrate(
            try model(
                """
                {"entities": [{"name": "Human", "renamingIdentifier": "Person", "attributes": [
                {"name": "fullName", "type": "string", "renamingIdentifier": "name"}, {"name": "age", "type": "integer16"}]}]}
                """))
        XCTAssertEqual(try context.count(for: FetchRequest("Human", "fullName == 'ada' AND age == 20")), 1)
    }

    // MARK: MIG-02, MIG-11

    func test_aRemovalAndASimilarAdditionNeedConfirmation_MIG_11() throws {
        try fillPeople()
        let other = try model(
            #"{"entities": [{"name": "Person", "attributes": [{"name": "title", "type": "string"}, {"name": "age", "type": "integer16"}]}]}"#
        )
        assertError(.inferredMappingModel, mentioning: ["Person.name", "title", "renaming identifier", "confirm"]) {
            _ = try migrate(other)
        }
        XCTAssertEqual(try makeContext(try makeCoordinator(try model(person))).count(for: FetchRequest("Person", "name == 'ada'")), 1)
        let context = try migrate(other, ["confirmedRemovals": .string("Person.name")])
        XCTAssertEqual(try context.count(for: FetchRequest("Person", "title == nil")), 2)
    }

    func test_integersBecomeDoublesWhereTheyAreExact_MIG_01_MIG_02() throws {
        func sizes(_ type: String) throws -> ManagedObjectModel {
            try model(
                #"{"entities": [{"name": "Base"}, {"name": "Thing", "parent": "Base", "attributes": [{"name": "size", "type": "\#(type)"}]}]}"#
            )
        }
        let exact: [Int64?] = [nil, 0, 7, -1 << 53, 1 << 53, (1 << 53) + 2, .min, .max - 1023]
        func fillSizes(_ sizes: [Int64?], _ model: ManagedObjectModel) throws {
            try fill(model) { context in
                for size in sizes { try context.insertNewObject(forEntityName: "Thing").setValue(size, forKey: "size") }
            }
        }
        try fillSizes(exact + [(1 << 53) + 1, .max], try sizes("integer64"))
        let before = try Data(contentsOf: URL(fileURLWithPath: path()))
        let error = assertError(.migration, mentioning: ["Thing.size becomes double", "/Thing/p9, ", "/Thing/p10. "]) {
            _ = try migrate(try sizes("double"))
        }
        XCTAssertFalse(error?.message.contains("/Thing/p8,") ?? true, error?.message ?? "")
        XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: path())), before)

        try FileManager.default.removeItem(atPath: path())
        try fillSizes(exact, try sizes("integer64"))
        var request = FetchRequest(entityName: "Thing")
        request.sortDescriptors = [PinviewSortDescriptor(keyPath: "size")]
        let context = try migrate(try sizes("double"))
        let found = try context.fetch(request).map { try $0.value(forKey: "size", as: Double.self) }
        let expected: [Double?] = exact.map { $0.map { Double($0) } }
        XCTAssertEqual(found, expected.sorted { ($0 ?? -.infinity) < ($1 ?? -.infinity) })
    }

    func test_aRequiredAttributeWithoutADefaultNamesTheObjects_MIG_02() throws {
        try fillPeople()
        let other = try model(
            """
            {"entities": [{"name": "Person", "attributes": [{"name": "name", "type": "string"}, {"name": "age", "type": "integer16"},
            {"name": "mail", "type": "uri", "optional": false}]}]}
            """)
        assertError(.migration, mentioning: ["Person.mail", "/Person/p1", "/Person/p2", "default"]) { _ = try migrate(other) }
        XCTAssertEqual(try makeContext(try makeCoordinator(try model(person))).count(for: FetchRequest("Person")), 2)
    }

    func test_anOlderModelIsRefusedAfterAMigration() throws {
        try fillPeople()
        let newer = try model(
            """
            {"entities": [{"name": "Person", "attributes": [{"name": "name", "type": "string"}, {"name": "age", "type": "integer16"},
            {"name": "note", "type": "uri"}]}]}
            """)
        _ = try migrate(newer)
        assertError(.persistentStoreIncompatibleVersionHash, mentioning: ["newer", "allowOlderModel"]) {
            _ = try migrate(try model(person))
        }
        XCTAssertEqual(try migrate(try model(person), ["allowOlderModel": .boolean(true)]).count(for: FetchRequest("Person")), 2)
    }

    // MARK: MIG-12

    private let unique = """
        {"entities": [{"name": "Person", "attributes": [{"name": "name", "type": "string"}, {"name": "age", "type": "integer16"}],
        "uniquenessConstraints": [["name"]]}]}
        """

    func test_aConstraintOverDuplicatesNamesThem_MIG_12() throws {
        try fillPeople(["ada", "bob", "ada"])
        let other = try model(unique)
        assertError(.migrationConstraintViolation, mentioning: ["/Person/p1 and", "/Person/p3", "keepNewest"]) {
            _ = try migrate(other)
        }
    }

    func test_ofDuplicatesTheNewestIsKept_MIG_12() throws {
        try fillPeople(["ada", "bob", "ada"])
        let context = try migrate(try model(unique), ["constraintPolicy": .string("keepNewest")])
        let request = try FetchRequest("Person", "name == 'ada'")
        XCTAssertEqual(try context.fetch(request).map { object in try object.integer("age") }, [22])
    }

    // MARK: Indexes and constraints alone

    func test_constraintsAndIndexesAreMadeByOpening() throws {
        try fillPeople()
        _ = try makeCoordinator(try model(unique))
        let indexed = try model(
            """
            {"entities": [{"name": "Person", "attributes": [{"name": "name", "type": "string"}, {"name": "age", "type": "integer16"}],
            "uniquenessConstraints": [["name"]], "indexes": [{"name": "byAge", "elements": [{"property": "age"}]}]}]}
            """)
        _ = try makeCoordinator(indexed)
        XCTAssertEqual(try indexNames(), ["Z_Person_UNIQUE_name", "Z_Person_byAge"])
        _ = try makeCoordinator(try model(unique))
        XCTAssertEqual(try indexNames(), ["Z_Person_UNIQUE_name"])
    }

    private func indexNames() throws -> [String] {
        try sqlite3("SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY 1;")
            .split(separator: "\n").map(String.init)
    }

    // MARK: MIG-13

    func test_aStoreIsErasedOnlyWhereAskedFor_MIG_13() throws {
        try fillPeople()
        let other = try model(#"{"entities": [{"name": "Thing", "attributes": [{"name": "size", "type": "double"}]}]}"#)
        let context = try makeContext(try makeCoordinator(other, options: ["eraseOnModelChange": .boolean(true)]))
        XCTAssertEqual(try context.count(for: FetchRequest("Thing")), 0)
    }

    // MARK: MIG-09

    func test_historyUsesTheNamesOfTheNewModel_MIG_09() throws {
        let options: [String: Value] = ["historyTracking": .boolean(true)]
        let coordinator = try makeCoordinator(try model(person), options: options)
        let context = try makeContext(coordinator)
        let ada = try context.insertNewObject(forEntityName: "Person")
        try context.save()
        try ada.setValue("ada", forKey: "name")
        try context.save()
        for store in coordinator.persistentStores { try coordinator.remove(store) }

        let after = try migrate(
            try model(
                """
                {"entities": [{"name": "Animal"}, {"name": "Person", "attributes": [{"name": "fullName", "type": "string",
                "renamingIdentifier": "name"}, {"name": "age", "type": "integer16"}, {"name": "born", "type": "date"}]}]}
                """), options)
        guard
            case .transactions(let transactions) = try after.execute(
                PersistentHistoryChangeRequest.fetchHistory(after: nil as PersistentHistoryToken?))
        else { return XCTFail("no history") }
        let changes = transactions.flatMap(\.changes)
        XCTAssertEqual(changes.map(\.changedObjectID.entity.name), ["Person", "Person"])
        XCTAssertEqual(changes.last?.updatedProperties.sorted(), ["fullName"])
    }

    // MARK: Indexes of others

    func test_indexesOfOthersAreMadeAgainOrNamed_MIG_01() throws {
        try fillPeople()
        for sql in ["CREATE INDEX byOthers ON ZPERSON (ZNAME DESC);", "CREATE INDEX byAge ON ZPERSON (ZAGE);"] {
            XCTAssertEqual(try sqlite3(sql), "")
        }
        let other = try model(#"{"entities": [{"name": "Person", "attributes": [{"name": "name", "type": "string"}]}]}"#)
        let plan = try XCTUnwrap(try PersistentStoreCoordinator.migrationPlan(forStoreAt: path(), to: other))
        XCTAssertTrue(plan.description.contains("recreate the index byOthers, which Pinview did not make"), plan.description)
        XCTAssertTrue(plan.description.contains("drop the index byAge, which Pinview did not make"), plan.description)
        _ = try migrate(other)
        XCTAssertEqual(try sqlite3("SELECT group_concat(name) FROM sqlite_master WHERE type = 'index';"), "byOthers")
    }
}
