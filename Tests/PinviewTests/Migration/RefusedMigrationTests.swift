import Foundation
import Pinview
import XCTest

/// Stores that cannot be migrated as they are, and what a migration cannot keep.
final class RefusedMigrationTests: MigrationTestCase {
    private let first = """
        {"versionIdentifiers": ["1"], "entities": [{"name": "Person", "attributes": [{"name": "name", "type": "string"}]},
        {"name": "Note", "attributes": [{"name": "text", "type": "string"}]}]}
        """
    private let second = """
        {"versionIdentifiers": ["2"], "entities": [{"name": "Person", "attributes": [{"name": "name", "type": "string"},
        {"name": "age", "type": "integer16"}], "uniquenessConstraints": [["name"]]}]}
        """

    private func fillPeople(_ names: [String], options: [String: Value] = [:]) throws {
        try fill(try model(first), options: options) { context in
            for name in names { try context.insertNewObject(forEntityName: "Person").setValue(name, forKey: "name") }
        }
    }

    private func files() throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            files[name] = try Data(contentsOf: URL(fileURLWithPath: path(name)))
        }
        return files
    }

    func test_MIG_02_aStoreThatIsReadOnlyIsNotMigratedAndSaysHow() throws {
        try fillPeople(["ada"])
        let before = try files()
        assertError(.persistentStoreIncompatibleVersionHash, mentioning: ["Person", "for writing", "migrateStoreAutomatically"]) {
            _ = try migrate(try model(second), ["readOnly": .boolean(true)])
        }
        XCTAssertEqual(try files(), before)
        XCTAssertEqual(
            try makeContext(try makeCoordinator(try model(first), options: ["readOnly": .boolean(true)])).count(
                for: FetchRequest("Person")), 1)
    }

    func test_MIG_02_aDamagedStoreIsLeftAsItIs() throws {
        try fillPeople((0..<400).map { "person \($0)" })
        // The middle of the file is lost.
        var data = try Data(contentsOf: URL(fileURLWithPath: path()))
        data.replaceSubrange(8192..<data.count - 4096, with: [UInt8](repeating: 0x5A, count: data.count - 12288))
        try data.write(to: URL(fileURLWithPath: path()))
        XCTAssertThrowsError(try migrate(try model(second))) { XCTAssertTrue($0 is PinviewError, "\($0)") }
        XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: path())), data)
    }

    func test_MIG_09_tokensFromBeforeAnUnreadableHistoryAreExpired() throws {
        let options: [String: Value] = ["historyTracking": .boolean(true)]
        let coordinator = try makeCoordinator(try model(first), options: options)
        let context = try makeContext(coordinator)
        try context.insertNewObject(forEntityName: "Note").setValue("gone", forKey: "text")
        try context.save()
        let token = try coordinator.currentPersistentHistoryToken()
        try context.insertNewObject(forEntityName: "Person").setValue("ada", forKey: "name")
        try context.save()
        for store in coordinator.persistentStores { try coordinator.remove(store) }

        let after = try migrate(try model(second), options)
        assertError(.historyTokenExpired) { _ = try after.execute(PersistentHistoryChangeRequest.fetchHistory(after: token)) }
        // From here on the history is readable again.
        let newer = try after.persistentStoreCoordinator?.currentPersistentHistoryToken()
        try after.insertNewObject(forEntityName: "Person").setValue("bob", forKey: "name")
        try after.save()
        guard case .transactions(let transactions) = try after.execute(PersistentHistoryChangeRequest.fetchHistory(after: newer)) else {
            return XCTFail("no history")
        }
        XCTAssertEqual(transactions.flatMap(\.changes).map(\.changeType), [.insert])
    }

    func test_MIG_06_MIG_12_aStepMergesDuplicatesBeforeTheyAreChecked() throws {
        try fillPeople(["ada", "bob", "ada"])
        let stage = MigrationStage(from: "1", to: "2") { manager in
            var seen: Set<String> = []
            for person in try manager.destinationContext.fetch(FetchRequest("Person")) {
                let name = try person.value(forKey: "name", as: String.self) ?? ""
                if !seen.insert(name).inserted { try manager.destinationContext.delete(person) }
            }
        }
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try model(second))
        try coordinator.addPersistentStore(
            type: .sqlite, at: path(), migration: StagedMigration(versions: [try model(first), try model(second)], stages: [stage]))
        let context = try makeContext(coordinator)
        XCTAssertEqual(try context.count(for: FetchRequest("Person")), 2)
        try context.insertNewObject(forEntityName: "Person").setValue("bob", forKey: "name")
        XCTAssertThrowsError(try context.save())
        try context.rollback()
    }
}
