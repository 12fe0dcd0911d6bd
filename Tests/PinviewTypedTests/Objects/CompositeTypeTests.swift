import Foundation
import PinviewGenerator
import PinviewTyped
import XCTest

/// MDL-12: elements of composite attributes as typed properties and in generated source.
final class CompositeTypeTests: XCTestCase {
    private struct Shop: TypedObject {
        static var entityName: String { "Shop" }
        static var properties: [any PropertyDeclaration] { [Keys.name, Keys.latitude, Keys.city] }
        let managedObject: ManagedObject
        init(managedObject: ManagedObject) { self.managedObject = managedObject }

        enum Keys {
            static let name = AttributeKey<String?>("name")
            static let latitude = AttributeKey<Double?>("location.latitude")
            static let city = AttributeKey<String>("location.area.city", default: "Rome")
        }
    }

    func test_MDL_12_keyPathsDeclareElements() throws {
        let model = try ManagedObjectModel(types: [Shop.self])
        let entity = try XCTUnwrap(model.entity(named: "Shop"))
        XCTAssertEqual(entity.composites.map(\.name), ["location", "location.area"])

        let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(type: .inMemory)
        let context = ManagedObjectContext(concurrencyType: .confinement)
        try context.setPersistentStoreCoordinator(coordinator)
        let shop = try Shop(in: context) { (shop) throws(PinviewError) in try shop.set(Shop.Keys.latitude, to: 48.5) }

        XCTAssertEqual(shop[Shop.Keys.latitude], 48.5)
        XCTAssertEqual(shop[Shop.Keys.city], "Rome")
        XCTAssertEqual(
            try shop.managedObject.compositeValue(forKey: "location"), ["latitude": 48.5, "area.city": "Rome"])
    }

    private func model(_ more: String = "") throws -> ManagedObjectModel {
        try ManagedObjectModel(
            jsonText: """
                {"entities": [{"name": "Shop", "attributes": [\(more)
                    {"name": "location", "type": "composite", "elements": [{"name": "latitude", "type": "double"}]}]}]}
                """)
    }

    func test_MDL_12_generatedSourceHasIdentifiersForElements() throws {
        let swift = try SwiftGenerator().text(of: try model())
        XCTAssertTrue(swift.contains("static let location_latitude = AttributeKey<Double?>(\"location.latitude\")"), swift)
        XCTAssertTrue(swift.contains("var location_latitude: Double?"), swift)

        let header = CGenerator().text(of: try model())
        XCTAssertTrue(header.contains("set_shop_location_latitude("), header)
        XCTAssertTrue(header.contains("pinview_text(\"location.latitude\")"), header)

        do {
            _ = try SwiftGenerator().text(of: try model("{\"name\": \"location_latitude\", \"type\": \"string\"},"))
            XCTFail("no error")
        } catch let error as PinviewError {
            XCTAssertTrue(error.message.contains("location.latitude"), error.message)
        }
    }
}
