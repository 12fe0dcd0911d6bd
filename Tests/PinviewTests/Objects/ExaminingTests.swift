import Foundation
import Pinview
import XCTest

/// MDL-17: what a store lacks, and values readable and raw, as contexts give them.
final class ExaminingTests: StoreTestCase {
    /// People with more properties, and pets.
    private func larger() throws -> ManagedObjectModel {
        try people(
            [
                AttributeDescription(name: "born", attributeType: .date),
                AttributeDescription(name: "motto", attributeType: .string, isTransient: true),
            ],
            and: [EntityDescription(name: "Pet", attributes: [AttributeDescription(name: "name", attributeType: .string)])])
    }

    private func examined(_ object: ManagedObject, _ key: String) throws -> String {
        let value = try object.examine(key)
        return "\(value.readable) \(value.raw)" + (value.isMissing ? " missing" : "")
    }

    func test_MDL_17_aStoreTellsWhatItLacks() throws {
        try fill(try makeCoordinator(), count: 2)
        let model = try larger()
        let refused = assertError(.persistentStoreIncompatibleVersionHash, try makeCoordinator(model, options: ["readOnly": true]))
        XCTAssertTrue(refused?.message.contains("allowMissing") ?? false, refused?.message ?? "")
        let coordinator = try makeCoordinator(model, options: ["readOnly": true, "allowMissing": true])
        let store = try XCTUnwrap(coordinator.persistentStores.first)
        XCTAssertEqual(store.missing.map(\.description), ["Person.born", "Pet"])
        XCTAssertEqual(store.missing.map(\.propertyName), ["born", nil])
        XCTAssertTrue(try store.lacks(entityNamed: "Pet"))
        XCTAssertFalse(try store.lacks(entityNamed: "Car"))
        XCTAssertTrue(try store.lacks(propertyNamed: "born", ofEntityNamed: "Person"))
        XCTAssertTrue(try store.lacks(propertyNamed: "name", ofEntityNamed: "Pet"))
        XCTAssertFalse(try store.lacks(propertyNamed: "age", ofEntityNamed: "Person"))
        // Transient values are not reported as missing.
        XCTAssertFalse(try store.lacks(propertyNamed: "motto", ofEntityNamed: "Person"))
        assertError(.unknownEntity, try store.lacks(entityNamed: "Ghost"))
        assertError(.unknownKey, try store.lacks(propertyNamed: "ghost", ofEntityNamed: "Person"))
    }

    func test_MDL_17_objectsOfSuchAStore() throws {
        try fill(try makeCoordinator(), count: 2)
        let context = try makeContext(try makeCoordinator(try larger(), options: ["readOnly": true, "allowMissing": true]))
        try context.setQueryGeneration(from: .current)
        XCTAssertEqual(try context.names("Person", "born == nil"), ["dave0", "dave1"])
        XCTAssertEqual(try context.names("Pet"), [])
        XCTAssertEqual(try context.count(for: FetchRequest("Pet")), 0)
        let dave = try context.person("dave0")
        XCTAssertNil(try dave.value(forKey: "born"))
        XCTAssertEqual(try examined(dave, "born"), "null null missing")
        XCTAssertEqual(try examined(dave, "age"), "20 20")
        let car = try XCTUnwrap(try dave.relatedObjects(forKey: "cars").first)
        XCTAssertEqual(try car.value(forKey: "name") as? String, "car0")
        try dave.setValue(Date(timeIntervalSinceReferenceDate: 0), forKey: "born")
        XCTAssertEqual(try examined(dave, "born"), "\"2001-01-01T00:00:00Z\" 0 missing")
        assertError(.persistentStoreSave, try context.save())
        try context.rollback()
        XCTAssertNil(try dave.value(forKey: "born"))
    }

    func test_MDL_17_valuesReadableAndRaw() throws {
        let all: [(String, AttributeType)] = [
            ("flag", .boolean), ("born", .date), ("price", .decimal), ("tag", .uuid), ("data", .binaryData), ("list", .transformable),
        ]
        let model = try people(all.map { AttributeDescription(name: $0, attributeType: $1) })
        let coordinator = try makeCoordinator(model)
        let context = try makeContext(coordinator)
        let person = try context.insertNewObject(forEntityName: "Person")
        let tag = UUID()
        let xml = Array("<?xml version=\"1.0\"?><plist version=\"1.0\"><array><string>a</string></array></plist>".utf8)
        try person.setValue(true, forKey: "flag")
        try person.setValue(Date(timeIntervalSinceReferenceDate: 86_400.5), forKey: "born")
        try person.setValue(DecimalNumber("12.5"), forKey: "price")
        try person.setValue(tag, forKey: "tag")
        try person.setAttributeValue(.binary([1, 2, 3]), forKey: "data")
        try person.setAttributeValue(.binary(xml), forKey: "list")
        let car = try context.insertNewObject(forEntityName: "Car")
        try car.setRelatedObject(person, forKey: "owner")
        func check(_ line: UInt = #line) throws {
            XCTAssertEqual(try examined(person, "flag"), "true 1", line: line)
            XCTAssertEqual(try examined(person, "born"), "\"2001-01-02T00:00:00.5Z\" 86400.5", line: line)
            XCTAssertEqual(try examined(person, "price"), "\"12.5\" 12.5", line: line)
            XCTAssertEqual(try person.examine("tag").readable, .string(tag.uuidString), line: line)
            XCTAssertEqual(try person.examine("tag").raw, .binary(withUnsafeBytes(of: tag.uuid) { Array($0) }), line: line)
            XCTAssertEqual(try examined(person, "data"), "{\"$bytes\":3,\"$base64\":\"AQID\"} <3 bytes>", line: line)
            XCTAssertEqual(try examined(person, "list"), "[\"a\"] <\(xml.count) bytes>", line: line)
            XCTAssertEqual(try examined(person, "name"), "null null", line: line)
        }
        try check()
        try context.save()
        try check()
        try context.refreshAllObjects()
        try check()
        XCTAssertEqual(try examined(car, "owner"), "\"\(person.objectID.uriRepresentation)\" 1")
        XCTAssertEqual(try examined(person, "cars"), "[\"\(car.objectID.uriRepresentation)\"] null")
        assertError(.unknownKey, try person.examine("ghost"))
    }

    /// Values that another program wrote are reported unchanged.
    func test_MDL_17_theRawValueIsWhatTheCellHolds() throws {
        let model = try people([AttributeDescription(name: "flag", attributeType: .boolean)])
        try fill(try makeCoordinator(model), count: 1)
        try sqlite3("UPDATE ZPERSON SET ZFLAG = 7, ZAGE = '20'")
        let context = try makeContext(try makeCoordinator(model))
        let dave = try context.person("dave0")
        XCTAssertEqual(try examined(dave, "flag"), "true 7")
        try dave.setValue(false, forKey: "flag")
        XCTAssertEqual(try examined(dave, "flag"), "false 0")
    }

    func test_MDL_17_childrenAndLargeDataAreExaminedToo() throws {
        let photo = AttributeDescription(name: "photo", attributeType: .binaryData, allowsExternalBinaryDataStorage: true)
        let context = try makeContext(try makeCoordinator(try people([photo])))
        let bytes = [UInt8](repeating: 7, count: 200_000)
        let dave = try context.insertNewObject(forEntityName: "Person")
        try dave.setAttributeValue(.binary(bytes), forKey: "photo")
        try context.save()
        try context.refreshAllObjects()
        XCTAssertEqual(try dave.examine("photo").raw, .binary(bytes))
        let child = ManagedObjectContext(concurrencyType: .privateQueue)
        try child.setParent(context)
        let copy = try XCTUnwrap(try child.fetch(FetchRequest("Person")).first)
        XCTAssertEqual(try examined(copy, "age"), "0 0")
        XCTAssertEqual(try copy.examine("photo").raw, .binary(bytes))
    }
}
