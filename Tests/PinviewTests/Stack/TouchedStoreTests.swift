import Foundation
import Pinview
import XCTest

/// Issue 15, 7 and 9: operations of other programs on a store's file.
final class TouchedStoreTests: StoreTestCase {
    /// A coordinator whose generation has been read, and whose file has many pages that have not
    /// been read yet.
    private func coldStore(_ name: String = "store.sqlite") throws -> PersistentStoreCoordinator {
        do {
            let coordinator = try makeCoordinator(name: name)
            try fill(coordinator, count: 600)
            try coordinator.remove(coordinator.persistentStores[0])
        }
        let coordinator = try makeCoordinator(name: name)
        XCTAssertEqual(try makeContext(coordinator).count(for: FetchRequest("Person", "name == 'dave7'")), 1)
        return coordinator
    }

    private func touch(_ name: String = "store.sqlite", hours: Int = 1) throws {
        XCTAssertEqual(try runProgram(["touch", "-d", "+\(hours) hours", path(name)]), "")
    }

    private let reads: [(String, @Sendable (ManagedObjectContext) throws -> Int)] = [
        ("fetch", { try $0.fetch(FetchRequest(entityName: "Car")).count }),
        ("fetch with values", { try $0.names("Car").count }),
        ("count", { try $0.count(for: FetchRequest("Car", "name != 'x'")) }),
        (
            "dictionaries",
            {
                var request = FetchRequest(entityName: "Car")
                request.resultType = .dictionary
                return try $0.fetchDictionaries(request).count
            }
        ),
        (
            "batches",
            { context in
                var request = FetchRequest(entityName: "Car")
                request.fetchBatchSize = 50
                return try context.fetch(request).filter { try $0.attributeValue(forKey: "name").stringValue != nil }.count
            }
        ),
        (
            "a child",
            { context in
                let child = ManagedObjectContext(concurrencyType: .privateQueue)
                try child.setParent(context)
                return try child.names("Car").count
            }
        ),
    ]

    func test_7_anUnpinnedReadContinuesWhenTheFileIsTouched() throws {
        for (name, read) in reads {
            for isHeldByAPin in [false, true] {
                let file = "\(name) \(isHeldByAPin).sqlite"
                let coordinator = try coldStore(file)
                let pinned = try makeContext(coordinator)
                if isHeldByAPin {
                    // Holds the read mark, so that the next generation has the same one.
                    try pinned.setQueryGeneration(from: .current)
                    XCTAssertEqual(try pinned.count(for: FetchRequest("Person", "name == 'dave7'")), 1)
                }
                let context = try makeContext(coordinator)
                try touch(file)

                XCTAssertEqual(try read(context), 600, "\(name), \(isHeldByAPin)")

                if isHeldByAPin {
                    // It asked for that very generation.
                    let error = assertError(.generationLost, try pinned.names())
                    XCTAssertEqual(error?.message.contains("without SQLite"), true, error?.message ?? "")
                }
            }
        }
    }

    func test_7_aFaultAndARelationshipAreReadAgain() throws {
        let coordinator = try coldStore()
        let context = try makeContext(coordinator)
        var request = try FetchRequest("Person", "name == 'dave500'")
        request.includesPropertyValues = false
        let person = try XCTUnwrap(try context.fetch(request).first)
        try touch()
        XCTAssertEqual(try person.attributeValue(forKey: "age"), .integer(520))
        try touch(hours: 2)
        XCTAssertEqual(try person.relatedObjects(forKey: "cars").count, 1)
    }

    func test_7_aFileThatIsTouchedAgainAndAgain() throws {
        let coordinator = try coldStore()
        for number in 0..<6 {
            try touch(hours: number + 2)
            XCTAssertEqual(try makeContext(coordinator).names("Car").count, 600)
        }
    }

    func test_9_aSaveToADeletedStoreFailsAndItsChangesArePending() throws {
        let coordinator = try makeCoordinator()
        try fill(coordinator, count: 1)
        let context = try makeContext(coordinator)
        let person = try context.person("dave0")
        try person.setValue("renamed", forKey: "name")
        try FileManager.default.moveItem(atPath: path(), toPath: path("away"))

        let error = assertError(.persistentStoreSave, try context.save())

        XCTAssertEqual(error?.message.contains("deleted or moved away"), true, error?.message ?? "")
        XCTAssertTrue(context.hasChanges)
        XCTAssertEqual(try person.attributeValue(forKey: "name").stringValue, "renamed")
        try FileManager.default.moveItem(atPath: path("away"), toPath: path())
        try context.save()
        XCTAssertEqual(try sqlite3("SELECT ZNAME FROM ZPERSON"), "renamed")
    }
}
