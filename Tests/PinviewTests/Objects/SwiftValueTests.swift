import Foundation
import Pinview
import XCTest

/// The types in which Swift programs set and read attributes.
final class SwiftValueTests: StoreTestCase {
    private var context: ManagedObjectContext!
    private var thing: ManagedObject!

    override func setUpWithError() throws {
        try super.setUpWithError()
        let types: [(String, AttributeType)] = [
            ("small", .integer16), ("middle", .integer32), ("large", .integer64), ("real", .double), ("half", .float), ("text", .string),
            ("data", .binaryData), ("price", .decimal), ("flag", .boolean),
        ]
        let attributes = types.map { AttributeDescription(name: $0.0, attributeType: $0.1) }
        let friend = RelationshipDescription(name: "friend", destinationEntityName: "Thing")
        context = try makeContext(
            try makeCoordinator(
                try ManagedObjectModel(entities: [EntityDescription(name: "Thing", attributes: attributes, relationships: [friend])])))
        thing = try context.insertNewObject(forEntityName: "Thing")
    }

    override func tearDownWithError() throws {
        thing = nil
        context = nil
        try super.tearDownWithError()
    }

    private func message(_ body: () throws -> Void) -> String {
        do {
            try body()
            return "no error"
        } catch let error as PinviewError {
            XCTAssertTrue(error.hasCode(.wrongType), "\(error)")
            return error.message
        } catch {
            return "\(error)"
        }
    }

    func test_aSubstringIsAString() throws {
        try thing.setValue("hello world".prefix(5), forKey: "text")
        XCTAssertEqual(try thing.value(forKey: "text", as: String.self), "hello")
        XCTAssertEqual(try thing.value(forKey: "text", as: Substring.self), "hello")
    }

    func test_aSliceOfBytesIsData() throws {
        try thing.setValue([UInt8](0..<9)[2..<4], forKey: "data")
        XCTAssertEqual(try thing.value(forKey: "data", as: [UInt8].self), [2, 3])
    }

    func test_everyIntegerTypeIsSetAndRead() throws {
        func check<I: FixedWidthInteger & ValueInitializable & ValueConvertible>(_ type: I.Type) throws {
            for key in ["small", "middle", "large"] {
                for number in [I(0), I(100)] {
                    try thing.setValue(number, forKey: key)
                    XCTAssertEqual(try thing.value(forKey: key, as: I.self), number, "\(type) \(key)")
                }
            }
            try thing.setValue(nil, forKey: "small")
            XCTAssertNil(try thing.value(forKey: "small", as: I.self))
            try thing.setValue(I.max, forKey: "large")
            XCTAssertEqual(try thing.value(forKey: "large", as: I.self), I.max)
        }
        try check(Int.self)
        try check(Int8.self)
        try check(Int16.self)
        try check(Int32.self)
        try check(Int64.self)
        try check(UInt8.self)
        try check(UInt16.self)
        try check(UInt32.self)
    }

    func test_unsignedNumbersOf64BitsAreTakenAsFarAsTheyFit() throws {
        try thing.setValue(UInt(7), forKey: "large")
        XCTAssertEqual(try thing.value(forKey: "large", as: UInt.self), 7)
        try thing.setValue(UInt64(Int64.max), forKey: "large")
        XCTAssertEqual(try thing.value(forKey: "large", as: UInt64.self), UInt64(Int64.max))
        XCTAssertTrue(message { try thing.setValue(UInt64.max, forKey: "large") }.contains("18446744073709551615"))
        try thing.setValue(UInt64.max, forKey: "price")
        XCTAssertEqual(try thing.value(forKey: "price", as: DecimalNumber.self), DecimalNumber("18446744073709551615"))
    }

    func test_aNumberOutOfRangeIsAnErrorThatNamesNumberAndType() throws {
        try thing.setValue(70000, forKey: "large")
        for words in [
            message { _ = try thing.value(forKey: "large", as: Int16.self) },
            message { _ = try thing.value(forKey: "large", as: Int8.self) },
        ] {
            XCTAssertTrue(words.contains("Thing.large") && words.contains("70000") && words.contains("Int"), words)
        }
        try thing.setValue(-1, forKey: "large")
        XCTAssertTrue(message { _ = try thing.value(forKey: "large", as: UInt.self) }.contains("UInt"))
        try thing.setValue(0.1, forKey: "real")
        XCTAssertTrue(message { _ = try thing.value(forKey: "real", as: Float.self) }.contains("Float"))
    }

    func test_floatsAreReadAsFloatAndDouble() throws {
        try thing.setValue(Float(0.1), forKey: "half")
        XCTAssertEqual(try thing.value(forKey: "half", as: Float.self), 0.1)
        XCTAssertEqual(try thing.value(forKey: "half", as: Double.self), Double(Float(0.1)))
        try thing.setValue(3, forKey: "large")
        XCTAssertEqual(try thing.value(forKey: "large", as: Double.self), 3)
        XCTAssertEqual(try thing.value(forKey: "large", as: Float.self), 3)
    }

    func test_theErrorForAWrongTypeNamesTheValuesOwnTypeAndWhatToPass() throws {
        enum Colour: String { case red }
        let cases: [(Any?, String, String)] = [
            (Character("x"), "Character", "String(character)"), (Colour.red, "Colour", "rawValue"),
            (["a"], "Array<String>", "ValueConvertible"),
            (Character?.some("x") as Any, "Character", "String(character)"), (thing, "ManagedObject", "ValueConvertible"),
        ]
        for (value, type, advice) in cases {
            let words = message { try thing.setValue(value, forKey: "text") }
            XCTAssertTrue(words.contains("type \(type);") && words.contains(advice) && words.contains("Thing.text"), words)
            XCTAssertFalse(words.contains("Optional"), words)
        }
        XCTAssertTrue(message { try thing.setValue([7], forKey: "friend") }.contains("type Array<Int>"))
        // These are convertible in this program, which links PinviewFoundation; elsewhere the error
        // says what to pass.
        for (type, advice) in [("Data", "[UInt8](data)"), ("Decimal", "DecimalNumber"), ("URL", "absoluteString")] {
            XCTAssertTrue(Value.advice(forTypeNamed: type)?.contains(advice) == true, type)
        }
        XCTAssertTrue(message { _ = try thing.setValue(5, forKey: "text") }.contains("integer 5"))
        try thing.setValue("x", forKey: "text")
        XCTAssertTrue(message { _ = try thing.value(forKey: "text", as: Int.self) }.contains("String, not Int"))
    }

    func test_anEmptyOptionalOfAnyTypeIsNil() throws {
        try thing.setValue("x", forKey: "text")
        try thing.setValue(Optional<Character>.none as Any, forKey: "text")
        XCTAssertNil(try thing.value(forKey: "text"))
    }
}
