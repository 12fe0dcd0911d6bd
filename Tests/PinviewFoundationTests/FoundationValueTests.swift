import Foundation
import Pinview
import PinviewFoundation
import XCTest

/// Data, Decimal and URL as values of attributes.
final class FoundationValueTests: XCTestCase {
    private var context: ManagedObjectContext!

    override func tearDown() {
        context = nil
        super.tearDown()
    }

    private func makeThing() throws -> ManagedObject {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Thing",
                attributes: [
                    AttributeDescription(name: "data", attributeType: .binaryData),
                    AttributeDescription(name: "price", attributeType: .decimal), AttributeDescription(name: "home", attributeType: .uri),
                    AttributeDescription(name: "count", attributeType: .integer64),
                ])
        ])
        let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(type: .inMemory)
        context = ManagedObjectContext(concurrencyType: .privateQueue)
        try context.setPersistentStoreCoordinator(coordinator)
        return try context.insertNewObject(forEntityName: "Thing")
    }

    func test_dataDecimalAndURLAreStoredAndRead() throws {
        let thing = try makeThing()
        let data = Data([0, 1, 255]), home = try XCTUnwrap(URL(string: "https://example.org/a?b=c"))
        let price = try XCTUnwrap(Decimal(string: "12345678.9876543"))
        try thing.setValue(data, forKey: "data")
        try thing.setValue(price, forKey: "price")
        try thing.setValue(home, forKey: "home")
        try context.save()
        try context.reset()
        let found = try XCTUnwrap(try context.fetch(FetchRequest(entityName: "Thing")).first)
        XCTAssertEqual(try found.value(forKey: "data", as: Data.self), data)
        XCTAssertEqual(try found.value(forKey: "price", as: Decimal.self), price)
        XCTAssertEqual(try found.value(forKey: "home", as: URL.self), home)
    }

    func test_aDecimalThatNoAttributeHoldsIsRefused() throws {
        let thing = try makeThing()
        XCTAssertThrowsError(try thing.setValue(Decimal(string: "1.5"), forKey: "count"))
        try thing.setValue(Decimal(7), forKey: "count")
        XCTAssertEqual(try thing.value(forKey: "count", as: Decimal.self), 7)
    }

    func test_optionalsOfTheseTypesAreTakenAsWell() throws {
        let thing = try makeThing()
        let some: Data? = Data([7]), none: Data? = nil
        try thing.setValue(some, forKey: "data")
        XCTAssertEqual(try thing.value(forKey: "data", as: Data.self), some)
        try thing.setValue(none, forKey: "data")
        XCTAssertNil(try thing.value(forKey: "data", as: Data.self))
    }
}
