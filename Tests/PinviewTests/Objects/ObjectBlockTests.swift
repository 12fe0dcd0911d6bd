import Pinview
import XCTest

/// Objects and values as language bindings see them: blocks of objects, columns of one property and
/// rows of one object.
final class ObjectBlockTests: StackTestCase {
    override func prepareStore() throws { try fill(coordinator, count: 40) }

    private func property(_ name: String, _ entityName: String = "Person") throws -> Property {
        try XCTUnwrap(coordinator.managedObjectModel.entity(named: entityName)?.property(named: name))
    }

    private func block(_ objects: [ManagedObject]) throws -> ObjectBlock {
        var names = [UInt64](repeating: 0, count: objects.count)
        return try XCTUnwrap(names.withUnsafeMutableBufferPointer { ObjectBlock.name(objects, $0.baseAddress!) })
    }

    private func faults() throws -> [ManagedObject] {
        var request = FetchRequest(entityName: "Person")
        request.sortDescriptors = [PinviewSortDescriptor(keyPath: "age", ascending: true)]
        request.includesPropertyValues = false
        return try context.fetch(request).map { $0 }
    }

    /// The texts of a column by offset and size.
    private func texts(_ column: ObjectColumn) throws -> [String] {
        let start = UnsafeRawPointer(try XCTUnwrap(column.heapStart))
        return (0..<column.count).map { index in
            let offset = Int(column.cells[index] >> 32), size = Int(column.cells[index] & 0xFFFF_FFFF)
            return String(decoding: UnsafeRawBufferPointer(start: start + offset, count: size), as: UTF8.self)
        }
    }

    func test_STO_19_theTextsOfAColumnFollowOneAnotherEachOnce() throws {
        let people = try faults()
        for person in people { _ = try person.string("name") }
        try people[7].setValue("Zoë", forKey: "name")
        try people[8].setAttributeValue(.null, forKey: "name")
        let names = try people.map { try $0.string("name") ?? "" }
        let column = ObjectColumn(), block = try block(people)
        for alone in [false, true] {
            try block.read(try property("name"), at: 0, alone: alone, into: column)
            let shown = alone ? [names[0]] + Array(repeating: "", count: 39) : names
            XCTAssertEqual(column.heapSize, shown.map { $0.utf8.count + 1 }.reduce(0, +))
            let heap = UnsafeRawBufferPointer(start: column.heapStart, count: column.heapSize)
            XCTAssertEqual(String(decoding: heap, as: UTF8.self), shown.map { $0 + "\0" }.joined())
            let known = alone ? 1 : 40
            XCTAssertEqual(Array(try texts(column).prefix(known)), Array(shown.prefix(known)))
        }
    }

    /// Faults show the rows of the row cache until they are realised, one way or another.
    func test_STO_19_rowsThatWereShownForFaultsStayValid() throws {
        // The rows are in the cache, and the faults have none of their own.
        let cached = try other.fetch(FetchRequest(entityName: "Person")).map { $0 }
        for person in cached { _ = try person.string("name") }
        let people = try faults(), block = try block(people), column = ObjectColumn()
        let name = try property("name")
        try block.read(name, at: 0, alone: false, into: column)
        XCTAssertTrue(column.hasFaults)
        XCTAssertEqual(people.filter(\.isFault).count, 39)
        for index in 1..<20 {
            XCTAssertEqual(try people[index].integer("age"), Int64(20 + index))
            for _ in 0..<5 { try block.read(name, at: 0, alone: false, into: column) }
            try block.read(name, at: index, alone: index % 2 == 0, into: column)
        }
        try context.refreshAllObjects()
        try block.read(name, at: 0, alone: false, into: column)
        XCTAssertEqual(try people.map { try $0.string("name") }, (0..<40).map { "dave\($0)" })
        XCTAssertEqual(try cached.map { try $0.integer("age") }.count, 40)
    }

    /// The room of a row that is just large enough, and one byte less.
    func test_STO_19_aRowSaysWhetherItsTextsHadRoom() throws {
        let person = try context.person("dave7"), properties = person.entity.properties
        let index = try property("name").index, texts = properties.count * 9
        // A byte for each text's NUL besides the text itself.
        for (size, fits) in [(texts + 6, true), (texts + 5, false), (texts + 1, false), (texts + 100, true)] {
            let room = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 8)
            defer { room.deallocate() }
            var row = ObjectRow(room: room)
            let block = try context.object(with: person.objectID, isLoaded: true, in: [], into: &row).new
            XCTAssertFalse(row.isEmpty, "\(size)")
            XCTAssertEqual(row.hasUnknown, !fits, "\(size)")
            XCTAssertEqual(row.textSize, fits ? 6 : 1, "\(size)")
            XCTAssertEqual(room[properties.count * 8 + index], fits ? ObjectColumn.State.value : ObjectColumn.State.unknown, "\(size)")
            XCTAssertEqual(room[properties.count * 8 + (try property("age").index)], ObjectColumn.State.value, "\(size)")
            if fits { XCTAssertEqual(String(decoding: room[texts..<texts + 6], as: UTF8.self), "dave7\0") }
            withExtendedLifetime(block) {}
        }
        // Too little room for anything.
        for size in [0, texts] {
            let room = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 8)
            defer { room.deallocate() }
            var row = ObjectRow(room: room)
            _ = try context.object(with: person.objectID, isLoaded: true, in: [], into: &row)
            XCTAssertTrue(row.isEmpty, "\(size)")
        }
    }
}
