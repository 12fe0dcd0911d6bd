import Pinview
import XCTest

/// Reading values of many objects at once, for bindings: the same as one by one, whatever state the
/// objects are in.
final class ValueReaderTests: StackTestCase {
    override func model() throws -> ManagedObjectModel {
        try people([
            AttributeDescription(name: "weight", attributeType: .double, isOptional: true),
            AttributeDescription(name: "isGuest", attributeType: .boolean, isOptional: true),
            AttributeDescription(name: "born", attributeType: .date, isOptional: true),
            AttributeDescription(name: "picture", attributeType: .binaryData, isOptional: true),
            AttributeDescription(name: "number", attributeType: .uuid, isOptional: true),
            AttributeDescription(name: "wealth", attributeType: .decimal, isOptional: true),
            AttributeDescription(name: "mood", attributeType: .string, isOptional: true, isTransient: true),
        ])
    }

    private static let values: [String: Value] = [
        "weight": .double(70.25), "isGuest": .boolean(true), "born": .date(Date(timeIntervalSinceReferenceDate: 86400.5)),
        "picture": .binary([0, 1, 255]), "number": .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))),
        "wealth": .decimal(DecimalNumber(12)), "mood": .string("gay"),
    ]

    /// What a reader gives: for each object the values, and how many of them were made.
    private func read(_ objects: [ManagedObject], _ names: [String]) throws -> (values: [[Value]], made: Int) {
        let indexes = try names.map { name in
            Int32(try XCTUnwrap(objects[0].entity.properties.firstIndex { $0.name == name }))
        }
        var made = 0
        let values = try indexes.withUnsafeBufferPointer { indexes in
            var reader = ValueReader(indexes)
            var rows: [[Value]] = []
            for object in objects {
                var row = [Value](repeating: .null, count: names.count)
                try reader.read(object) { position, kind, cell in
                    row[position] =
                        switch kind {
                        case .null, .other: .null
                        case .text: .string(String(decoding: cell.bytes, as: UTF8.self))
                        case .integer: .integer(cell.integer)
                        case .double: .double(cell.real)
                        case .boolean: .boolean(cell.integer != 0)
                        case .date: .date(Date(timeIntervalSinceReferenceDate: cell.real))
                        case .binary: .binary(Array(cell.bytes))
                        }
                } makeValue: { (position, property) throws(PinviewError) in
                    made += 1
                    row[position] = try object.attributeValue(at: property.index)
                }
                rows.append(row)
            }
            return rows
        }
        return (values, made)
    }

    private func expect(_ objects: [ManagedObject], _ names: [String], made: Int, line: UInt = #line) throws {
        let read = try read(objects, names)
        XCTAssertEqual(read.values, try objects.map { object in try names.map { try object.attributeValue(forKey: $0) } }, line: line)
        XCTAssertEqual(read.made, made, line: line)
    }

    func test_STO_19_everyTypeReadsAsOneByOne() throws {
        let names = ["name", "age", "weight", "isGuest", "born", "picture", "number", "wealth", "mood"]
        for (key, value) in Self.values { try other.person("dave1").setAttributeValue(value, forKey: key) }
        try other.person("dave2").setAttributeValue(.string("Zoë"), forKey: "name")
        try other.save()
        let people = try context.fetch(FetchRequest(entityName: "Person")).map { $0 }
        // One UUID and one decimal are made, as are the three moods, which are not in the store,
        // and the text that is not ASCII.
        try expect(people, names, made: 1 + 1 + 3 + 1)
    }

    func test_FLT_03_faultsFireAndChangesShow() throws {
        let people = try context.fetch(FetchRequest(entityName: "Person")).map { $0 }
        XCTAssertTrue(people.allSatisfy(\.isFault))
        try expect(people, ["age", "name"], made: 0)
        XCTAssertFalse(people.contains(where: \.isFault))
        try people[1].setAttributeValue(.integer(99), forKey: "age")
        let new = try context.insertNewObject(forEntityName: "Person")
        try new.setAttributeValue(.string("new"), forKey: "name")
        // The changed age, and both of the new object, which has no row.
        try expect(people + [new], ["age", "name"], made: 1 + 2)
    }

    func test_ERR_05_wrongIndexesAndGoneRowsAreReported() throws {
        let person = try context.person("dave0")
        for index in [-1, 99, Int32.max] {
            try [0, index].withUnsafeBufferPointer { indexes in
                var reader = ValueReader(indexes)
                assertError(.unknownKey, try reader.read(person, take: { _, _, _ in }, makeValue: { _, _ in }))
            }
        }
        context.shouldDeleteInaccessibleFaults = false
        try other.delete(try other.person("dave0"))
        try other.save()
        try context.refreshAllObjects()
        try [Int32(0)].withUnsafeBufferPointer { indexes in
            var reader = ValueReader(indexes)
            assertError(.managedObjectReferentialIntegrity, try reader.read(person, take: { _, _, _ in }, makeValue: { _, _ in }))
        }
    }
}
