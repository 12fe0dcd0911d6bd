import Foundation
import Pinview
import XCTest

/// MDL-12: stores whose models get, lose and change composite attributes.
final class CompositeMigrationTests: MigrationTestCase {
    private func shop(_ attributes: String) throws -> ManagedObjectModel {
        try model("{\"entities\": [{\"name\": \"Shop\", \"attributes\": [\(attributes)]}]}")
    }

    private let city = "{\"name\": \"city\", \"type\": \"string\"}"
    private let latitude = "{\"name\": \"latitude\", \"type\": \"double\"}"

    private func composite(_ name: String, _ elements: String, _ more: String = "") -> String {
        "{\"name\": \"\(name)\", \"type\": \"composite\"\(more), \"elements\": [\(elements)]}"
    }

    private func fillOne(_ model: ManagedObjectModel, _ values: [String: Any]) throws {
        try fill(model) { context in
            let shop = try context.insertNewObject(forEntityName: "Shop")
            for (key, value) in values { try shop.setValue(value, forKey: key) }
        }
    }

    private func values(_ model: ManagedObjectModel, _ options: [String: Value] = [:]) throws -> [String: Value] {
        let context = try migrate(model, options)
        return try XCTUnwrap(try context.fetch(FetchRequest("Shop")).first).committedValues(forKeys: nil)
    }

    func test_MDL_12_aCompositeIsAddedAndRemoved() throws {
        let old = try shop(city), new = try shop("\(composite("home", "\(city), \(latitude)")), \(city)")
        try fillOne(old, ["city": "Rome"])

        let context = try migrate(new)
        let object = try XCTUnwrap(try context.fetch(FetchRequest("Shop")).first)
        XCTAssertEqual(try object.value(forKey: "city", as: String.self), "Rome")
        XCTAssertNil(try object.value(forKey: "home"))
        try object.setValue(["city": "Oslo", "latitude": 3.0] as [String: Any], forKey: "home")
        try context.save()
        try close(context)

        XCTAssertEqual(try values(old, ["allowOlderModel": true]), ["city": "Rome"])
    }

    func test_MDL_12_anElementIsAddedAndRemoved() throws {
        let old = try shop(composite("home", city))
        let new = try shop(composite("home", "{\"name\": \"code\", \"type\": \"integer16\", \"default\": 4}, \(city)"))
        try fillOne(old, ["home.city": "Rome"])

        XCTAssertEqual(try values(new), ["home.city": "Rome", "home.code": 4])
    }

    func test_MDL_12_elementsOfTheSameNameKeepTheirValues() throws {
        let old = try shop("\(composite("home", city)), \(composite("work", city))")
        try fillOne(old, ["home.city": "Rome", "work.city": "Oslo"])

        // Each of these changes which of the columns has which digit.
        let withFirst = try shop("\(composite("alone", city)), \(composite("home", city)), \(composite("work", city)), \(city)")
        XCTAssertEqual(try values(withFirst), ["alone.city": .null, "home.city": "Rome", "work.city": "Oslo", "city": .null])
        let withoutHome = try shop("\(composite("work", city))")
        XCTAssertEqual(try values(withoutHome, ["confirmedRemovals": "Shop.home.city Shop.alone.city Shop.city"]), ["work.city": "Oslo"])
    }

    func test_MDL_12_anotherOrderOfCompositesIsTheSameModel() throws {
        let old = try shop("\(composite("home", city)), \(composite("work", city))")
        try fillOne(old, ["home.city": "Rome", "work.city": "Oslo"])

        let swapped = try shop("\(composite("work", city)), \(composite("home", city))")

        XCTAssertEqual(swapped, old)
        let context = try makeContext(try makeCoordinator(swapped))
        let object = try XCTUnwrap(try context.fetch(FetchRequest("Shop")).first)
        XCTAssertEqual(try object.committedValues(forKeys: nil), ["home.city": "Rome", "work.city": "Oslo"])
    }

    func test_MDL_12_compositesAndElementsAreRenamed() throws {
        let old = try shop(composite("home", "\(city), \(latitude)"))
        try fillOne(old, ["home.city": "Rome", "home.latitude": 3.5])

        let new = try shop(
            composite(
                "place", "{\"name\": \"town\", \"type\": \"string\", \"renamingIdentifier\": \"city\"}, \(latitude)",
                ", \"renamingIdentifier\": \"home\""))

        XCTAssertEqual(try values(new), ["place.town": "Rome", "place.latitude": 3.5])
    }

    func test_MDL_12_aRequiredElementNeedsADefaultUnlessTheCompositeIsOptional() throws {
        let old = try shop(city)
        try fillOne(old, ["city": "Rome"])
        let required = "{\"name\": \"code\", \"type\": \"integer16\", \"optional\": false}"

        assertError(.migration, mentioning: ["Shop.home.code"]) {
            _ = try migrate(try shop("\(city), \(composite("home", required, ", \"optional\": false"))"))
        }
        XCTAssertEqual(try values(try shop("\(city), \(composite("home", required))")), ["city": "Rome", "home.code": .null])
    }

    func test_MDL_12_theWholeBecomesRequired() throws {
        let old = try shop(composite("home", city)), new = try shop(composite("home", city, ", \"optional\": false"))
        try fillOne(old, ["home.city": "Rome"])

        XCTAssertNotEqual(old, new)
        XCTAssertEqual(try values(new), ["home.city": "Rome"])
    }

    private func close(_ context: ManagedObjectContext) throws {
        let coordinator = try XCTUnwrap(context.persistentStoreCoordinator)
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }
}
