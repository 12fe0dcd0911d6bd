import Foundation
import Pinview
import PinviewModel
import XCTest

/// Batch inserts of columns that are in a program's own memory: BAT-13.
final class InsertedColumnsTests: StackTestCase {
    override func model() throws -> ManagedObjectModel {
        let name = [AttributeDescription(name: "name", attributeType: .string)]
        return try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Person",
                attributes: [
                    AttributeDescription(name: "name", attributeType: .string, isOptional: false),
                    AttributeDescription(name: "nick", attributeType: .string),
                    AttributeDescription(name: "small", attributeType: .integer16),
                    AttributeDescription(name: "middle", attributeType: .integer32),
                    AttributeDescription(name: "big", attributeType: .integer64),
                    AttributeDescription(name: "weight", attributeType: .double),
                    AttributeDescription(name: "born", attributeType: .date),
                    AttributeDescription(name: "isGuest", attributeType: .boolean),
                    AttributeDescription(name: "photo", attributeType: .binaryData),
                ],
                relationships: [
                    RelationshipDescription(name: "car", destinationEntityName: "Car"),
                    RelationshipDescription(name: "pet", destinationEntityName: "Animal"),
                ]),
            EntityDescription(name: "Car", attributes: name), EntityDescription(name: "Animal", attributes: name),
            EntityDescription(name: "Dog", superentityName: "Animal"), EntityDescription(name: "Cat", superentityName: "Animal"),
        ])
    }

    override func prepareStore() throws {}

    /// Columns in one block, as a language binding passes them.
    private final class Columns: InsertedColumns, @unchecked Sendable {  // used by the test's thread only
        let columnNames: [String]
        private let columns: [[InsertedCell]]
        private var isConsumed = false

        init(_ columns: [(name: String, cells: [InsertedCell])]) {
            columnNames = columns.map(\.name)
            self.columns = columns.map(\.cells)
        }

        deinit {
            for case .text(let bytes) in columns.joined() { bytes.deallocate() }
        }

        func check(_ column: Int, for property: Property) throws(PinviewError) {}

        func nextBlock() throws(PinviewError) -> Int? {
            defer { isConsumed = true }
            return isConsumed ? nil : columns[0].count
        }

        func cell(_ column: Int, _ row: Int) throws(PinviewError) -> InsertedCell { columns[column][row] }
    }

    private func text(_ text: String) -> InsertedCell {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: text.utf8.count, alignment: 1)
        bytes.copyBytes(from: text.utf8)
        return .text(UnsafeRawBufferPointer(bytes))
    }

    @discardableResult
    private func insert(_ columns: [(name: String, cells: [InsertedCell])]) throws -> [ManagedObject] {
        var request = BatchInsertRequest(entityName: "Person", source: Columns(columns))
        request.resultType = .objectIDs
        let identifiers = try context.batchInsert(request).objectIDs
        return try identifiers.map { try context.existingObject(with: $0) }
    }

    private func names(_ count: Int) -> (name: String, cells: [InsertedCell]) { ("name", (0..<count).map { text("n\($0)") }) }

    private func assertNothingInserted(line: UInt = #line) throws {
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZPERSON"), "0", line: line)
    }

    // MARK: Nulls

    func test_BAT_13_nullsAreStoredWhereAnAttributeIsOptional() throws {
        let bytes: [UInt8] = [0, 255]
        let people = try bytes.withUnsafeBytes { bytes in
            let columns: [(name: String, cells: [InsertedCell])] = [
                names(2), ("nick", [.null, text("b")]), ("small", [.integer(1), .null]), ("middle", [.null, .integer(2)]),
                ("big", [.integer(3), .null]), ("weight", [.null, .double(0.5)]), ("born", [.date(1.5), .null]),
                ("isGuest", [.null, .boolean(true)]), ("photo", [.bytes(bytes), .null]), ("car", [.null, .null]), ("pet", [.null, .null]),
            ]
            return try insert(columns)
        }
        XCTAssertEqual(people.count, 2)
        XCTAssertEqual(
            try sqlite3(
                "SELECT ZNAME, quote(ZNICK), quote(ZSMALL), quote(ZMIDDLE), quote(ZBIG), quote(ZWEIGHT), quote(ZBORN), quote(ZISGUEST), "
                    + "quote(ZPHOTO), quote(ZCAR), quote(ZPET) FROM ZPERSON ORDER BY Z_PK"),
            "n0|NULL|1|NULL|3|NULL|1.5|NULL|X'00FF'|NULL|NULL\nn1|'b'|NULL|2|NULL|0.5|NULL|1|NULL|NULL|NULL")
    }

    func test_BAT_13_aNullWhereAnAttributeIsMandatoryIsNamedAndInsertsNothing() throws {
        let error = assertError(.validationMissingMandatoryProperty, try insert([("name", [text("a"), .null])]))
        XCTAssertEqual(error?.validationKey, "name")
        XCTAssertTrue(error?.message.contains("Row 2, column 'name'") == true, "\(error as Any)")
        try assertNothingInserted()
        assertError(.validationMissingMandatoryProperty, try insert([("nick", [text("a")])]))
        try assertNothingInserted()
    }

    /// More rows than one statement inserts, and than are processed at a time.
    func test_BAT_13_nullsAmongManyRows() throws {
        let count = 5000
        let cells: [InsertedCell] = (0..<count).map { $0 % 3 == 0 ? .null : .integer(Int64($0)) }
        try insert([names(count), ("big", cells)])
        XCTAssertEqual(
            try sqlite3(
                "SELECT count(*), count(ZBIG), sum(ZBIG), sum(ZNAME IS NOT 'n' || (Z_PK - 1)), sum(ZBIG IS NOT NULL AND ZBIG <> Z_PK - 1) "
                    + "FROM ZPERSON"),
            "5000|\((0..<count).filter { $0 % 3 != 0 }.count)|\((0..<count).filter { $0 % 3 != 0 }.reduce(0, +))|0|0")
    }

    // MARK: Relationships

    /// The column of a relationship to a hierarchy is followed by one for the entity.
    func test_BAT_13_REL_05_referencesWithAndWithoutAnEntityColumn() throws {
        let cars = try ["c0", "c1", "c2"].map { try other.insert("Car", $0) }
        let pets = try [other.insert("Dog", "rex"), other.insert("Cat", "tom"), other.insert("Animal", "any")]
        try other.save()
        let keys = try cars.map { try XCTUnwrap(Int64($0.objectID.uriRepresentation.split(separator: "p").last ?? "")) }
        let (dog, cat, animal) = (
            pets[0].objectID.uriRepresentation, pets[1].objectID.uriRepresentation, pets[2].objectID.uriRepresentation
        )
        let petCells: [InsertedCell] = [text(dog), .null, text(cat), text(animal), text(dog)]
        let carCells: [InsertedCell] = [
            .integer(keys[2]), .integer(keys[0]), .null, text(cars[1].objectID.uriRepresentation), .integer(keys[2]),
        ]
        let people = try insert([names(5), ("pet", petCells), ("car", carCells)])
        XCTAssertEqual(try people.map { try $0.destination("car") }, ["c2", "c0", nil, "c1", "c2"])
        XCTAssertEqual(try people.map { try $0.destination("pet") }, ["rex", nil, "tom", "any", "rex"])
        XCTAssertEqual(
            try people.map { try $0.relatedObject(forKey: "pet")?.entity.name }, ["Dog", nil, "Cat", "Animal", "Dog"])
        XCTAssertEqual(try context.names("Person", "pet.name == 'rex'"), ["n0", "n4"])
    }

    func test_BAT_13_referencesThatCannotBeAreNamedAndInsertNothing() throws {
        let car = try other.insert("Car", "c"), dog = try other.insert("Dog", "rex")
        try other.save()
        let unsaved = try other.insert("Car", "new")
        let uri = car.objectID.uriRepresentation
        let elsewhere = uri.replacingOccurrences(of: try XCTUnwrap(coordinator.persistentStores.first).identifier, with: UUID().uuidString)
        let mistakes: [(String, InsertedCell, PinviewError.Code)] = [
            ("pet", .integer(1), .wrongType), ("pet", text(uri), .wrongType), ("car", text(dog.objectID.uriRepresentation), .wrongType),
            ("car", text(unsaved.objectID.uriRepresentation), .wrongType), ("car", text("c"), .wrongType), ("car", .double(1), .wrongType),
            ("car", text(elsewhere), .invalidArgument),
        ]
        for (name, cell, code) in mistakes {
            let error = assertError(code, try insert([names(2), (name, [.null, cell])]))
            XCTAssertTrue(error?.message.contains("Row 2, column '\(name)'") == true, "\(error as Any)")
            try assertNothingInserted()
        }
    }

    // MARK: Numbers

    func test_BAT_13_theBoundariesOfTheIntegerTypes() throws {
        let bounds: [(name: String, least: Int64, most: Int64)] = [
            ("small", Int64(Int16.min), Int64(Int16.max)), ("middle", Int64(Int32.min), Int64(Int32.max)), ("big", .min, .max),
        ]
        for (name, least, most) in bounds {
            let people = try insert([names(3), (name, [.integer(least), .integer(0), .integer(most)])])
            XCTAssertEqual(try people.map { try $0.integer(name) }, [least, 0, most], name)
            guard name != "big" else { continue }
            for wrong in [least - 1, most + 1, .min, .max] {
                let error = assertError(.wrongType, try insert([names(2), (name, [.integer(most), .integer(wrong)])]))
                XCTAssertTrue(error?.message.contains("Row 2, column '\(name)'") == true, "\(error as Any)")
            }
        }
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZPERSON"), "9")
    }
}
