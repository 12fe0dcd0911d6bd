import Foundation
import Pinview
import XCTest

/// Code of the program's that runs in the middle of a write transaction removes the store: the
/// transaction ends without an effect, and the store is closed once the transaction is over.
final class RemovingStoreTests: StackTestCase {
    override func setUpWithError() throws {
        try super.setUpWithError()
        // With a check, connections are watched, which lasts until after the program's code.
        FetchInterruption.setCheck { false }
    }

    override func tearDownWithError() throws {
        FetchInterruption.setCheck(nil)
        try super.tearDownWithError()
    }

    private static func removeStores(of coordinator: PersistentStoreCoordinator) {
        for store in coordinator.persistentStores { XCTAssertNoThrow(try coordinator.remove(store)) }
    }

    private func assertIsUsable(_ path: String, names: [String], file: StaticString = #filePath, line: UInt = #line) throws {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try model())
        let store = try coordinator.addPersistentStore(type: .sqlite, at: path)
        let context = try makeContext(coordinator)
        XCTAssertEqual(try context.names("Person"), names, file: file, line: line)
        try context.insertNewObject(forEntityName: "Person").setValue("afterwards", forKey: "name")
        try context.save()
        try coordinator.remove(store)
        XCTAssertFalse(FileManager.default.fileExists(atPath: path + "-wal"), "the file is still open somewhere", file: file, line: line)
    }

    func test_aMergePolicyThatRemovesTheStoreFailsTheSave() throws {
        let mine = try context.person("dave0"), theirs = try other.person("dave0")
        try mine.setValue("mine", forKey: "name")
        try theirs.setValue("theirs", forKey: "name")
        try other.save()
        context.mergePolicy = .custom { [coordinator] conflicts in
            if let coordinator { Self.removeStores(of: coordinator) }
            return conflicts.map { _ in .policy(.overwrite) }
        }

        XCTAssertThrowsError(try context.save()) { XCTAssertTrue("\($0)".contains("removed"), "\($0)") }

        try assertIsUsable(path(), names: ["dave1", "dave2", "theirs"])
    }

    func test_aBatchInsertWhoseRowsRemoveTheStoreInsertsNothing() throws {
        let numbers = NumberSource(1000)
        let request = BatchInsertRequest(entityName: "Person") { [coordinator] (row) throws(PinviewError) in
            guard let number = numbers.next() else { return false }
            if number == 600, let coordinator { Self.removeStores(of: coordinator) }
            row["name"] = .string("new")
            return true
        }

        XCTAssertThrowsError(try context.execute(request)) { XCTAssertTrue("\($0)".contains("closed"), "\($0)") }

        try assertIsUsable(path(), names: ["dave0", "dave1", "dave2"])
    }
}
