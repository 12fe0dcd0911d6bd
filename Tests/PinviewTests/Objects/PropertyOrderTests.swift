import Pinview
import XCTest

/// The order in which a model declares properties changes nothing that is stored or reported:
/// MDL-15.
final class PropertyOrderTests: StoreTestCase {
    private static let options: [String: Value] = ["NSPersistentHistoryTrackingKey": true]

    /// Person with more properties than a byte of a mask has bits, and Student below it, with their
    /// properties as declared or the other way round.
    private func model(reversed: Bool, moreTransients: Bool = false) throws -> ManagedObjectModel {
        func ordered<T>(_ list: [T]) -> [T] { reversed ? list.reversed() : list }
        let transients = moreTransients ? [AttributeDescription(name: "aaa", attributeType: .string, isTransient: true)] : []
        let names = ["name", "age", "born", "city", "email", "phone", "title", "zip", "Zone"]
        let person = EntityDescription(
            name: "Person", attributes: ordered(names.map { AttributeDescription(name: $0, attributeType: .string) } + transients),
            relationships: ordered([
                RelationshipDescription(name: "boss", destinationEntityName: "Person", inverseRelationshipName: "staff"),
                RelationshipDescription(name: "staff", destinationEntityName: "Person", inverseRelationshipName: "boss", isToMany: true),
                RelationshipDescription(
                    name: "friends", destinationEntityName: "Person", inverseRelationshipName: "friends", isToMany: true),
            ]))
        let student = EntityDescription(
            name: "Student", superentityName: "Person",
            attributes: ordered(["school", "marks"].map { AttributeDescription(name: $0, attributeType: .string) }))
        return try ManagedObjectModel(entities: [person, student])
    }

    private func context(_ model: ManagedObjectModel) throws -> ManagedObjectContext {
        try makeContext(try makeCoordinator(model, options: Self.options))
    }

    /// The changed properties of all updates of the history, by transaction.
    private func updates(_ context: ManagedObjectContext) throws -> [[Set<String>]] {
        guard case .transactions(let transactions) = try context.execute(PersistentHistoryChangeRequest.fetchHistory(after: nil)) else {
            return []
        }
        return transactions.map { $0.changes.filter { $0.changeType == .update }.map { Set($0.updatedProperties) } }
    }

    private func changeSome(_ context: ManagedObjectContext) throws {
        let boss = try context.insertNewObject(forEntityName: "Person")
        let student = try context.insertNewObject(forEntityName: "Student")
        try context.save()
        for key in ["name", "Zone", "school"] { try student.setValue("changed", forKey: key) }
        try context.save()
        try student.setRelatedObject(boss, forKey: "boss")
        try context.save()
        try boss.setRelatedObjects([student], forKey: "friends")
        try context.save()
    }

    private static let expected: [[Set<String>]] = [[], [["name", "Zone", "school"]], [["boss"]], [["friends"], ["friends"]]]

    func test_MDL_15_historyNamesTheSamePropertiesAfterTheyWereReordered() throws {
        try changeSome(try context(try model(reversed: false)))
        XCTAssertEqual(try updates(try context(try model(reversed: true))), Self.expected)
        XCTAssertEqual(try updates(try context(try model(reversed: false))), Self.expected)
    }

    func test_MDL_15_oneMoreTransientPropertyMovesNoOther() throws {
        try changeSome(try context(try model(reversed: false, moreTransients: true)))
        try assertError(.persistentStoreIncompatibleVersionHash, try context(try model(reversed: false)))
        XCTAssertEqual(try updates(try context(try model(reversed: true, moreTransients: true))), Self.expected)
    }

    func test_MDL_15_twoModelsOfDifferentOrderMayWriteAtTheSameTime() throws {
        let first = try context(try model(reversed: false)), second = try context(try model(reversed: true))
        try changeSome(first)
        try changeSome(second)
        for context in [first, second] { XCTAssertEqual(try updates(context), Self.expected + Self.expected) }
    }

    func test_MDL_15_theMasksInTheFileAreThoseOfSortedNames() throws {
        try changeSome(try context(try model(reversed: true)))
        // Student, sorted: Zone age born boss city email friends marks name phone school staff
        // title zip; two bits in front.
        let masks = try sqlite3("SELECT hex(ZCOLUMNS) FROM ACHANGE WHERE ZCHANGETYPE = 1 ORDER BY Z_PK LIMIT 2")
        XCTAssertEqual(masks.split(separator: "\n").map(String.init), ["2028", "04"])
    }

    func test_MDL_15_masksOfEarlierVersionsAreReadInTheOrderOfTheModelInTheFile() throws {
        try changeSome(try context(try model(reversed: false)))
        // As an earlier version wrote the change of name (0), Zone (8) and school (12): numbered as
        // declared, least significant bit first.
        _ = try sqlite3("UPDATE ACHANGE SET Z_OPT = 1, ZCOLUMNS = x'0111' WHERE ZCHANGETYPE = 1 AND ZTRANSACTIONID = 2")
        for reversed in [false, true] {
            XCTAssertEqual(try updates(try context(try model(reversed: reversed))), Self.expected, "reversed: \(reversed)")
        }
    }

    func test_MDL_15_aMaskWithBitsOfNoPropertyIsReadWithoutThem() throws {
        try changeSome(try context(try model(reversed: false)))
        _ = try sqlite3("UPDATE ACHANGE SET ZCOLUMNS = x'FFFFFFFFFF' WHERE ZCHANGETYPE = 1 AND ZTRANSACTIONID = 2")
        XCTAssertEqual(try updates(try context(try model(reversed: true)))[1].first?.count, 14)
    }

    func test_MDL_15_differencesByHistoryNameTheSameProperties() throws {
        let writer = try context(try model(reversed: false))
        try changeSome(writer)
        let reader = try context(try model(reversed: true))
        try reader.setQueryGeneration(from: .current)
        let people = try reader.fetch(FetchRequest(entityName: "Person"))
        let before = try XCTUnwrap(reader.queryGenerationToken)
        let student = try XCTUnwrap(try writer.fetch(FetchRequest(entityName: "Student")).first)
        try student.setValue("Oxford", forKey: "school")
        try student.setRelatedObjects([], forKey: "friends")
        try writer.save()
        let difference = try XCTUnwrap(reader.persistentStoreCoordinator).difference(from: before)
        XCTAssertEqual(
            difference.changes.filter { $0.changedObjectID == student.objectID }.map { Set($0.updatedProperties) }, [["school", "friends"]])
        XCTAssertEqual(difference.storesToldFromHistory.count, 1)
        XCTAssertEqual(people.count, 2)
    }

    /// Two sub-entities have an attribute `text`, so one column is ZTEXT1; which one must not
    /// depend on the order.
    private func textModel(reversed: Bool) throws -> ManagedObjectModel {
        let names = reversed ? ["text1", "text"] : ["text", "text1"]
        func attributes(_ names: [String]) -> [AttributeDescription] {
            names.map { AttributeDescription(name: $0, attributeType: .string) }
        }
        return try ManagedObjectModel(entities: [
            EntityDescription(name: "Note"), EntityDescription(name: "Comment", superentityName: "Note", attributes: attributes(["text"])),
            EntityDescription(name: "Letter", superentityName: "Note", attributes: attributes(names)),
        ])
    }

    func test_MDL_15_columnsWithDigitsStayWithTheirProperties() throws {
        for (made, opened) in [(false, true), (true, false)] {
            let file = "digits-\(made).sqlite"
            let writer = try makeContext(try makeCoordinator(try textModel(reversed: made), name: file))
            let letter = try writer.insertNewObject(forEntityName: "Letter")
            try letter.setValue("one", forKey: "text1")
            try letter.setValue("plain", forKey: "text")
            try writer.save()
            let reader = try makeContext(try makeCoordinator(try textModel(reversed: opened), name: file))
            let found = try XCTUnwrap(try reader.fetch(FetchRequest(entityName: "Letter")).first)
            XCTAssertEqual(try found.string("text"), "plain")
            XCTAssertEqual(try found.string("text1"), "one")
        }
    }
}
