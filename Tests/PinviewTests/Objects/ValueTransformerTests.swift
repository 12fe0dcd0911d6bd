import Pinview
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
}
