import Foundation
import Pinview
import PinviewModel
import XCTest

/// MDL-10: transformable attributes with transformers.
final class ValueTransformerTests: XCTestCase {
    private struct Colour: Equatable {
        var red: UInt8
    }

    private struct ColourTransformer: PinviewValueTransformer {
        func value(of bytes: [UInt8]) throws -> Any {
            guard bytes.count == 1 else { throw PinviewError(.invalidArgument, "A colour has one byte.") }
            return Colour(red: bytes[0])
        }

        func bytes(of value: Any) throws -> [UInt8] {
            guard let colour = value as? Colour else { throw PinviewError(.wrongType, "A colour was expected.") }
            return [colour.red]
        }
    }

    private func makeObject() throws -> (context: ManagedObjectContext, object: ManagedObject) {
        func attribute(_ name: String, _ transformer: String?) -> AttributeDescription {
            AttributeDescription(name: name, attributeType: .transformable, valueTransformerName: transformer)
        }
        let thing = EntityDescription(
            name: "Thing",
            attributes: [attribute("colour", "ColoursOfThisTest"), attribute("raw", nil)])
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try ManagedObjectModel(entities: [thing]))
        _ = try coordinator.addPersistentStore(type: .inMemory)
        let context = ManagedObjectContext(concurrencyType: .confinement)
        try context.setPersistentStoreCoordinator(coordinator)
        return (context, try context.insertNewObject(forEntityName: "Thing"))
    }

    override func tearDown() {
        ValueTransformers.setTransformer(nil, forName: "ColoursOfThisTest")
    }

    func test_MDL_10_aRegisteredTransformerGivesTheProgramsValues() throws {
        ValueTransformers.setTransformer(ColourTransformer(), forName: "ColoursOfThisTest")
        let (context, object) = try makeObject()

        try object.setValue(Colour(red: 7), forKey: "colour")

        XCTAssertEqual(try object.value(forKey: "colour") as? Colour, Colour(red: 7))
        XCTAssertEqual(try object.value(forKey: "colour", as: Colour.self), Colour(red: 7))
        XCTAssertEqual(try object.attributeValue(forKey: "colour"), .binary([7]))
        try object.setValue(nil, forKey: "colour")
        XCTAssertNil(try object.value(forKey: "colour"))
        withExtendedLifetime(context) {}
    }

    func test_MDL_10_withoutATransformerTheBytesAreGiven() throws {
        let (context, object) = try makeObject()

        try object.setValue([1, 2] as [UInt8], forKey: "colour")

        XCTAssertEqual(try object.value(forKey: "colour") as? [UInt8], [1, 2])
        withExtendedLifetime(context) {}
    }

    func test_MDL_10_failuresNameThePropertyAndTheTransformer() throws {
        ValueTransformers.setTransformer(ColourTransformer(), forName: "ColoursOfThisTest")
        let (context, object) = try makeObject()
        try object.setAttributeValue(.binary([1, 2, 3]), forKey: "colour")

        XCTAssertThrowsError(try object.value(forKey: "colour")) { error in
            let message = (error as? PinviewError)?.message ?? ""
            for part in ["Thing.colour", "ColoursOfThisTest", "one byte"] { XCTAssertTrue(message.contains(part), message) }
        }
        XCTAssertThrowsError(try object.setValue(5, forKey: "colour"))
        withExtendedLifetime(context) {}
    }

    // MARK: Keyed archives

    func test_MDL_10_archivesOfCommonValuesReadBack() throws {
        let values: [AnyHashable] = [
            "text", "", true, Int64(-7), 2.5, [1, 2, 3] as [UInt8], Date(timeIntervalSinceReferenceDate: 86400.5), UUID(),
            try XCTUnwrap(DecimalNumber("-12.500")), try XCTUnwrap(DecimalNumber("123456789012345678901234567890")),
            DecimalNumber.notANumber, DecimalNumber.zero, Set<AnyHashable>(["a", Int64(2)]),
        ]
        let transformer = KeyedArchiveTransformer()
        for value in values {
            let read = try transformer.value(of: transformer.bytes(of: value.base))
            XCTAssertEqual(read as? AnyHashable, value, "\(value)")
        }
        func again(_ value: Any) throws -> Any { try transformer.value(of: transformer.bytes(of: value)) }
        let list = try XCTUnwrap(again(["a", 1, ["x": 2.5], Optional<Any>.none as Any] as [Any]) as? [Any?])
        XCTAssertEqual(list.count, 4)
        XCTAssertEqual(list[0] as? String, "a")
        XCTAssertEqual(list[1] as? Int64, 1)
        XCTAssertEqual((list[2] as? [String: Any])?["x"] as? Double, 2.5)
        XCTAssertNil(list[3])
        XCTAssertEqual(try again([1: "one", 2: "two"]) as? [Int64: String], [1: "one", 2: "two"])
    }

    func test_MDL_10_anObjectHasWhatItsArchiveContains() throws {
        ValueTransformers.setTransformer(KeyedArchiveTransformer(), forName: "ColoursOfThisTest")
        let (context, object) = try makeObject()

        try object.setValue(["corners": [1, 2]], forKey: "colour")

        XCTAssertEqual((try object.value(forKey: "colour") as? [String: Any])?["corners"] as? [Int64], [1, 2])
        XCTAssertEqual(try object.examine("colour").readable.description, "{\"corners\":[1,2]}")
        withExtendedLifetime(context) {}
    }

    func test_MDL_10_archivesOfOthersAreErrorsInBoundedTime() throws {
        func archive(_ objects: [PropertyListValue]) -> [UInt8] {
            PropertyListValue.dictionary([
                "$archiver": .string("NSKeyedArchiver"), "$version": .integer(100_000), "$objects": .array([.string("$null")] + objects),
                "$top": .dictionary(["root": .uid(1)]),
            ]).binaryPropertyList()
        }
        func fails(_ bytes: [UInt8], _ said: String, line: UInt = #line) {
            XCTAssertThrowsError(try KeyedArchiveTransformer().value(of: bytes), line: line) { error in
                XCTAssertTrue("\(error)".contains(said), "\(error)", line: line)
            }
        }
        fails(archive([.dictionary(["$class": .uid(2)]), .dictionary(["$classname": .string("UIColor")])]), "UIColor")
        let list = PropertyListValue.dictionary(["$classname": .string("NSArray")])
        fails(archive([.dictionary(["$class": .uid(2), "NS.objects": .array([.uid(1)])]), list]), "contain each other")
        let doubling = (0..<59).map { number in
            PropertyListValue.dictionary(["$class": .uid(61), "NS.objects": .array([.uid(UInt64(number) + 2), .uid(UInt64(number) + 2)])])
        }
        fails(archive(doubling + [.string("end"), list]), "too many")
        for damaged in [[], Array("abc".utf8), Array("bplist00".utf8)] { fails(damaged, "not a property list") }
        XCTAssertThrowsError(try KeyedArchiveTransformer().bytes(of: Colour(red: 1))) { XCTAssertTrue("\($0)".contains("Colour"), "\($0)") }
    }
}
