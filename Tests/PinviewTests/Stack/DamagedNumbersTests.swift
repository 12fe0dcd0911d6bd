import Foundation
import Pinview
import XCTest

/// Numbers in a store file that cannot be what the library wrote there (issue 15, point 4; ERR-04):
/// damage that names table and key. More of it runs in three languages (`damaged.steps`);
/// `make hostile-files` looks for cases that are not in these tests.
final class DamagedNumbersTests: StoreTestCase {
    /// Being, with Person and Company below it; Thing of its own table.
    private func model() throws -> ManagedObjectModel {
        let label = AttributeDescription(name: "label", attributeType: .string)
        return try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Being", attributes: [label],
                relationships: [
                    RelationshipDescription(
                        name: "things", destinationEntityName: "Thing", inverseRelationshipName: "owner", isToMany: true)
                ]),
            EntityDescription(name: "Person", superentityName: "Being"), EntityDescription(name: "Company", superentityName: "Being"),
            EntityDescription(
                name: "Thing", attributes: [label],
                relationships: [
                    RelationshipDescription(name: "owner", destinationEntityName: "Being", inverseRelationshipName: "things")
                ]),
        ])
    }

    private var coordinator: PersistentStoreCoordinator!
    private var context: ManagedObjectContext!

    override func setUpWithError() throws {
        try super.setUpWithError()
        coordinator = try makeCoordinator(try model(), options: ["historyTracking": .boolean(true)])
        let writer = try makeContext(coordinator)
        for number in 0..<20 {
            let being = try writer.insertNewObject(forEntityName: number % 2 == 0 ? "Person" : "Company")
            try being.setValue("being\(number)", forKey: "label")
            let thing = try writer.insertNewObject(forEntityName: "Thing")
            try thing.setValue("thing\(number)", forKey: "label")
            try thing.setRelatedObject(being, forKey: "owner")
        }
        try writer.save()
        context = try makeContext(coordinator)
    }

    override func tearDownWithError() throws {
        context = nil
        coordinator = nil
        try super.tearDownWithError()
    }

    private func number(_ entity: String) -> String { "(SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = '\(entity)')" }

    private func objects(_ entity: String, _ format: String? = nil) throws -> [ManagedObject] {
        var request = FetchRequest(entityName: entity)
        if let format { request.predicate = try PinviewPredicate(format: format) }
        return Array(try context.fetch(request))
    }

    private func assertDamage<T>(
        naming words: [String], file: StaticString = #filePath, line: UInt = #line, _ body: @autoclosure () throws -> T
    ) {
        let error = assertError(.sqlite, try body(), file: file, line: line)
        XCTAssertEqual(error?.sqliteCode, 11, file: file, line: line)
        for word in words { XCTAssertEqual(error?.message.contains(word), true, error?.message ?? "", file: file, line: line) }
    }

    func test_anEntityOfAnotherTableIsDamageAndOtherRowsAreReadable() throws {
        try sqlite3("UPDATE ZBEING SET Z_ENT = \(number("Thing")) WHERE ZLABEL = 'being4'")
        assertDamage(
            naming: ["ZBEING", "row 5", "Z_ENT"],
            try objects("Thing").forEach { _ = try $0.relatedObject(forKey: "owner")?.string("label") })
        XCTAssertEqual(try objects("Being", "label == 'being5'").map(\.entity.name), ["Company"])
        XCTAssertEqual(try objects("Person").count, 9)
    }

    func test_rowsOfAWholeBlockAreLookedAtWhereOneIsOfAnotherEntity() throws {
        for extreme in ["0", "NULL", "99", "-1", "9223372036854775807", "'text'", "1.5"] {
            try sqlite3("UPDATE ZTHING SET Z_ENT = \(extreme) WHERE ZLABEL = 'thing7'")
            let isAllowed = extreme == "0" || extreme == "NULL"  // there is one entity only that it can be
            if isAllowed {
                XCTAssertEqual(try objects("Thing").count, 20)
            } else {
                assertDamage(naming: ["ZTHING", "row 8"], try objects("Thing"))
            }
            try context.reset()
        }
    }

    func test_versionsNearTheEndsOfIntegersAreDamage() throws {
        for extreme in ["9223372036854775807", "-1", "4611686018427387905", "'text'", "x'00'"] {
            try sqlite3("UPDATE ZTHING SET Z_OPT = \(extreme) WHERE ZLABEL = 'thing7'")
            assertDamage(naming: ["ZTHING", "row 8", "Z_OPT"], try objects("Thing"))
            XCTAssertEqual(try objects("Thing", "label == 'thing8'").count, 1)
            try context.reset()
        }
    }

    func test_keysNearTheEndsOfIntegersAreDamageAndNewOnesAreRefused() throws {
        try sqlite3("UPDATE ZTHING SET Z_PK = 9223372036854775807 WHERE ZLABEL = 'thing7'")
        assertDamage(naming: ["ZTHING", "Z_PK"], try objects("Thing"))
        try context.reset()
        try context.insertNewObject(forEntityName: "Thing").setValue("new", forKey: "label")
        assertError(.persistentStoreSave, try context.save())
    }

    func test_aRelationshipWithTheWrongEntityIsDamage() throws {
        try sqlite3("UPDATE ZTHING SET Z1_OWNER = \(number("Thing")) WHERE ZLABEL = 'thing7'")
        assertDamage(naming: ["ZTHING", "row 8", "owner"], try objects("Thing", "label == 'thing7'"))
    }

    func test_aRelationshipThatNamesAnotherEntityOfTheHierarchyGivesNoObjectOfIt() throws {
        try sqlite3("UPDATE ZTHING SET Z1_OWNER = \(number("Company")) WHERE ZLABEL = 'thing4'")
        let thing = try XCTUnwrap(try objects("Thing", "label == 'thing4'").first)
        let owner = try XCTUnwrap(try thing.relatedObject(forKey: "owner"))
        assertError(.managedObjectReferentialIntegrity, try owner.string("label"))
        let found = try XCTUnwrap(try objects("Being", "label == 'being4'").first)
        XCTAssertEqual(found.entity.name, "Person")
        XCTAssertEqual(try found.string("label"), "being4")
        try context.save()
        XCTAssertEqual(try objects("Being").count, 20, "nothing was deleted as inaccessible")
    }

    func test_aURIWithAnotherEntityOfTheHierarchyIsRefused() throws {
        let person = try XCTUnwrap(try objects("Person").first)
        let uri = person.objectID.uriRepresentation
        XCTAssertEqual(try coordinator.managedObjectID(forURIRepresentation: uri), person.objectID)
        let wrong = uri.replacingOccurrences(of: "/Person/", with: "/Company/")
        let error = assertError(.invalidArgument, try coordinator.managedObjectID(forURIRepresentation: wrong))
        XCTAssertEqual(error?.message.contains("Person"), true, error?.message ?? "")
    }

    func test_anIDOfAnotherEntityGivesNoObject() throws {
        // The URI is read while there is no such row.
        let uri = try XCTUnwrap(try objects("Person").first).objectID.uriRepresentation
        let next = uri.replacingOccurrences(of: "/Person/p1", with: "/Company/p21")
        let wrong = try XCTUnwrap(try coordinator.managedObjectID(forURIRepresentation: next))
        let writer = try makeContext(coordinator)
        try writer.insertNewObject(forEntityName: "Person").setValue("late", forKey: "label")
        try writer.save()
        assertError(.managedObjectReferentialIntegrity, try context.existingObject(with: wrong))
        let fault = try context.object(with: wrong)
        assertError(.managedObjectReferentialIntegrity, try fault.string("label"))
        XCTAssertEqual(try objects("Being", "label == 'late'").map(\.entity.name), ["Person"])
    }

    func test_twoEntitiesWithOneNumberAreDamage() throws {
        context = nil
        coordinator = nil
        try sqlite3(
            "CREATE TABLE new (Z_ENT INTEGER, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER); INSERT INTO new SELECT * FROM Z_PRIMARYKEY; "
                + "UPDATE new SET Z_ENT = 1; DROP TABLE Z_PRIMARYKEY; ALTER TABLE new RENAME TO Z_PRIMARYKEY")
        let error = assertError(.persistentStoreOpen, try makeCoordinator(try model()))
        XCTAssertEqual(error?.message.contains("Z_PRIMARYKEY"), true, error?.message ?? "")
    }

    func test_historyThatCannotBeIsDamage() throws {
        let all = PersistentHistoryChangeRequest.fetchHistory(after: nil as PersistentHistoryToken?)
        for (change, words) in [
            ("UPDATE ACHANGE SET ZCHANGETYPE = 99 WHERE Z_PK = 3", "row 3 of ACHANGE"),
            ("UPDATE ACHANGE SET ZENTITYPK = 9223372036854775807 WHERE Z_PK = 3", "row 3 of ACHANGE"),
            ("UPDATE ATRANSACTION SET ZTIMESTAMP = 'never'", "ATRANSACTION"),
            ("UPDATE ATRANSACTION SET ZTIMESTAMP = 9e999", "ATRANSACTION"),
        ] {
            try sqlite3(
                "CREATE TABLE IF NOT EXISTS kept_c AS SELECT * FROM ACHANGE; CREATE TABLE IF NOT EXISTS kept_t AS SELECT * FROM ATRANSACTION"
            )
            try sqlite3(change)
            assertDamage(naming: [words], try context.execute(all))
            try sqlite3(
                "DELETE FROM ACHANGE; INSERT INTO ACHANGE SELECT * FROM kept_c; DELETE FROM ATRANSACTION; "
                    + "INSERT INTO ATRANSACTION SELECT * FROM kept_t")
        }
        try sqlite3("UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807 WHERE Z_ENT = 16002")
        try context.insertNewObject(forEntityName: "Thing").setValue("new", forKey: "label")
        assertDamage(naming: ["Z_PRIMARYKEY", "16002"], try context.save())
    }

    /// Bits of properties that the entity does not have, in masks of either form.
    func test_masksOfChangesAreReadWhateverTheyContain() throws {
        let thing = try XCTUnwrap(try objects("Thing", "label == 'thing7'").first)
        try thing.setValue("new", forKey: "label")
        try context.save()
        let all = PersistentHistoryChangeRequest.fetchHistory(after: nil as PersistentHistoryToken?)
        for form in ["2", "1", "0", "-1", "9223372036854775807", "NULL", "'text'"] {
            for mask in ["x'FFFFFFFFFFFFFFFFFFFF'", "zeroblob(10000)", "x''", "'text'", "9223372036854775807", "-1.5"] {
                try sqlite3("UPDATE ACHANGE SET ZCOLUMNS = \(mask), Z_OPT = \(form)")
                guard case .transactions(let transactions) = try context.execute(all) else { return XCTFail("no transactions") }
                let updated = transactions.flatMap(\.changes).flatMap(\.updatedProperties)
                XCTAssertTrue(Set(updated).isSubset(of: ["label", "owner", "things"]), "\(form), \(mask): \(updated)")
                if mask.hasPrefix("x'FF") { XCTAssertTrue(updated.contains("label"), "\(form)") }
            }
        }
    }

    private func dictionaries(_ entity: String, _ properties: [PropertyToFetch]) throws -> Int {
        var request = FetchRequest(entityName: entity)
        request.resultType = .dictionary
        request.propertiesToFetch = properties
        return try context.fetchDictionaries(request).count
    }

    /// Keys of rows, and of rows that others refer to, by every way of reading them.
    func test_keysAreLookedAtByEveryWayOfReading() throws {
        let being = try XCTUnwrap(try objects("Being", "label == 'being7'").first)
        try sqlite3("UPDATE ZTHING SET ZOWNER = 9223372036854775807 WHERE ZLABEL = 'thing7'")
        assertDamage(naming: ["ZTHING", "row 8", "owner"], try objects("Thing"))
        // The key of the row that the relationship leads to.
        try sqlite3("UPDATE ZBEING SET Z_PK = 9223372036854775807 WHERE ZLABEL = 'being7'")
        assertDamage(naming: ["ZBEING", "9223372036854775807"], try dictionaries("Thing", ["label", "owner"]))
        try sqlite3("UPDATE ZBEING SET Z_PK = 8 WHERE ZLABEL = 'being7'")
        var owners = FetchRequest(entityName: "Thing")
        owners.propertiesToFetch = ["owner"]
        assertDamage(naming: ["ZBEING"], try context.fetchColumns(owners, givesObjectURIs: true).next())
        for key in ["9223372036854775807", "-8", "0"] {
            try sqlite3("UPDATE ZTHING SET Z_PK = \(key), ZOWNER = 8 WHERE ZLABEL = 'thing7'")
            try context.refresh(being, mergeChanges: false)
            assertDamage(naming: ["ZTHING"], try context.fetchObjectIDs(FetchRequest(entityName: "Thing")))
            assertDamage(naming: ["ZTHING"], try being.relatedObjects(forKey: "things"))
        }
        let all = PersistentHistoryChangeRequest.fetchHistory(after: nil as PersistentHistoryToken?)
        for table in ["ACHANGE", "ATRANSACTION"] {
            try sqlite3("UPDATE \(table) SET Z_PK = -1 WHERE Z_PK = 1")
            assertDamage(naming: [table], try context.execute(all))
        }
    }
}
