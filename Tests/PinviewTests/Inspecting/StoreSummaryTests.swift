import Foundation
import Pinview
import XCTest

/// MDL-05: what is in a store, without a model.
final class StoreSummaryTests: StoreTestCase {
    func test_MDL_05_aSummaryTellsEntitiesCountsMetadataAndHistory() throws {
        let coordinator = try makeCoordinator(options: ["historyTracking": true])
        try fill(coordinator, count: 3)
        try coordinator.persistentStores.first?.setMetadata(["mine": .string("note")])

        let summary = try PersistentStoreCoordinator.summary(ofStoreAt: path())

        XCTAssertEqual(summary.identifier, coordinator.persistentStores.first?.identifier)
        XCTAssertEqual(summary.metadata["mine"], .string("note"))
        XCTAssertNotNil(summary.metadata["NSStoreModelVersionHashes"])
        XCTAssertEqual(summary.model, coordinator.managedObjectModel)
        XCTAssertEqual(summary.counts["Person"], 3)
        XCTAssertEqual(summary.counts["Car"], 3)
        let history = try XCTUnwrap(summary.history)
        XCTAssertGreaterThan(history.transactionCount, 0)
        XCTAssertLessThanOrEqual(try XCTUnwrap(history.first), try XCTUnwrap(history.last))
    }

    func test_MDL_05_aSummaryChangesNothingAndIsRefusedForOtherFiles() throws {
        var coordinator: PersistentStoreCoordinator? = try makeCoordinator()
        try fill(try XCTUnwrap(coordinator), count: 1)
        coordinator = nil
        let before = try Data(contentsOf: URL(fileURLWithPath: path()))

        XCTAssertNil(try PersistentStoreCoordinator.summary(ofStoreAt: path()).history)

        XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: path())), before)
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix("-wal") }, [])
        try Data("no store".utf8).write(to: URL(fileURLWithPath: path("other.sqlite")))
        assertError(.persistentStoreOpen, try PersistentStoreCoordinator.summary(ofStoreAt: path("other.sqlite")))
    }
}
