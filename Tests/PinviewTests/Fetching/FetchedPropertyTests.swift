import Foundation
import Pinview
import XCTest

/// Properties whose value is what a fetch request of the model finds.
final class FetchedPropertyTests: StackTestCase {
    override func model() throws -> ManagedObjectModel { try model(with: Self.fetchedProperties) }

    private static let fetchedProperties = [
        FetchedPropertyDescription(
            name: "namesakes",
            fetchRequest: FetchRequestDescription(
                entityName: "Person", predicateFormat: "name == $FETCH_SOURCE.name AND SELF != $FETCH_SOURCE",
                sortDescriptors: [.init(keyPath: "age")])),
        FetchedPropertyDescription(
            name: "sharedCars",
            fetchRequest: FetchRequestDescription(
                entityName: "Car", predicateFormat: "name IN $FETCH_SOURCE.cars.name", sortDescriptors: [.init(keyPath: "name")])),
        FetchedPropertyDescription(
            name: "special",
            fetchRequest: FetchRequestDescription(
                entityName: "Person", predicateFormat: "name == $FETCHED_PROPERTY.userInfo.who OR name == $FETCHED_PROPERTY.name"),
            userInfo: ["who": "dave1"]),
    ]

    private func model(with properties: [FetchedPropertyDescription]) throws -> ManagedObjectModel {
        var entities = try people().entityDescriptions
        entities[0].fetchedProperties = properties
        entities.append(EntityDescription(name: "Employee", superentityName: "Person"))
        return try ManagedObjectModel(entities: entities)
    }

    private func addPerson(_ name: String, age: Int, _ entity: String = "Person") throws {
        let person = try other.insertNewObject(forEntityName: entity)
        try person.setValue(name, forKey: "name")
        try person.setValue(age, forKey: "age")
        try other.save()
    }

    private func ages(_ object: ManagedObject) throws -> [Int64?] {
        try object.fetchedObjects(forKey: "namesakes").map { try $0.integer("age") }
    }

    func test_itIsWhatItsRequestFinds() throws {
        try addPerson("dave0", age: 70)
        try addPerson("dave0", age: 60)
        let dave = try context.fetch(try FetchRequest("Person", "age == 20"))[0]
        XCTAssertEqual(try ages(dave), [60, 70])
        let found = try XCTUnwrap(try dave.value(forKey: "namesakes") as? [ManagedObject])
        XCTAssertEqual(found.count, 2)
    }

    func test_itIsEvaluatedAtTheFirstAccessOnly() throws {
        let dave = try context.person("dave0")
        let first = try selects { XCTAssertEqual(try ages(dave), []) }
        let second = try selects { XCTAssertEqual(try ages(dave), []) }
        XCTAssertGreaterThan(first, 0)
        XCTAssertEqual(second, 0)
    }

    func test_itIsKeptUntilTheObjectIsRefreshed() throws {
        let dave = try context.person("dave0")
        XCTAssertEqual(try ages(dave), [])
        try addPerson("dave0", age: 60)
        XCTAssertEqual(try ages(dave), [])
        try context.refresh(dave, mergeChanges: true)
        XCTAssertEqual(try dave.fetchedObjects(forKey: "namesakes").count, 1)
    }

    func test_itIsEvaluatedAgainOnceTheObjectWasAFault() throws {
        let dave = try context.person("dave0")
        XCTAssertEqual(try ages(dave), [])
        try addPerson("dave0", age: 60)
        try context.refresh(dave, mergeChanges: false)
        XCTAssertEqual(try dave.fetchedObjects(forKey: "namesakes").count, 1)
    }

    func test_itIsReadAtTheGenerationOfTheContext() throws {
        try context.setQueryGeneration(from: .current)
        let dave = try context.person("dave0")
        try addPerson("dave0", age: 60)
        XCTAssertEqual(try ages(dave), [])
        try context.setQueryGeneration(from: .current)
        XCTAssertEqual(try ages(dave), [])
        try context.refresh(dave, mergeChanges: true)
        XCTAssertEqual(try dave.fetchedObjects(forKey: "namesakes").count, 1)
    }

    func test_unsavedChangesCount() throws {
        let dave = try context.person("dave0")
        let new = try context.insertNewObject(forEntityName: "Person")
        try new.setValue("dave0", forKey: "name")
        XCTAssertEqual(try dave.fetchedObjects(forKey: "namesakes"), [new])
        XCTAssertEqual(try new.fetchedObjects(forKey: "namesakes"), [dave])
    }

    func test_theSourceLeadsOverRelationships() throws {
        let car = try context.insertNewObject(forEntityName: "Car")
        try car.setValue("car0", forKey: "name")
        let dave = try context.person("dave0")
        XCTAssertEqual(Set(try dave.fetchedObjects(forKey: "sharedCars")), try Set(dave.relatedObjects(forKey: "cars") + [car]))
    }

    func test_itsUserInfoAndNameCanBeUsed() throws {
        let dave = try context.person("dave0")
        XCTAssertEqual(try dave.fetchedObjects(forKey: "special"), [try context.person("dave1")])
    }

    func test_aSubentityInheritsIt() throws {
        try addPerson("dave0", age: 60, "Employee")
        let employee = try context.fetch(FetchRequest(entityName: "Employee"))[0]
        XCTAssertEqual(employee.entity.fetchedProperties.map(\.name), ["namesakes", "sharedCars", "special"])
        XCTAssertEqual(try ages(employee), [20])
    }

    func test_aChildContextEvaluatesItThroughItsParent() throws {
        let child = ManagedObjectContext(concurrencyType: .privateQueue)
        try child.setParent(context)
        let new = try context.insertNewObject(forEntityName: "Person")
        try new.setValue("dave0", forKey: "name")
        let dave = try child.fetch(try FetchRequest("Person", "age == 20"))[0]
        XCTAssertEqual(try dave.fetchedObjects(forKey: "namesakes").map(\.objectID), [new.objectID])
    }

    func test_itIsReadOnly() throws {
        let dave = try context.person("dave0")
        let error = assertError(.unknownKey, try dave.setValue([dave], forKey: "namesakes"))
        XCTAssertTrue(error?.message.contains("is a fetched property") ?? false, error?.message ?? "")
        XCTAssertFalse(dave.hasChanges)
        assertError(.unknownKey, try dave.fetchedObjects(forKey: "name"))
    }

    func test_predicatesAndOrdersCannotUseIt() throws {
        assertError(.unknownKey, try context.fetch(try FetchRequest("Person", "namesakes.@count > 1")))
    }

    func test_neitherTheStoreNorTheVersionHashDependsOnIt() throws {
        XCTAssertEqual(try model().entity(named: "Person")?.versionHash, try people().entity(named: "Person")?.versionHash)
        XCTAssertEqual(try model().entity(named: "Person")?.properties.map(\.name), ["name", "age", "cars"])
        XCTAssertFalse(try sqlite3(".schema ZPERSON").lowercased().contains("namesakes"))
        let without = try makeContext(try makeCoordinator(try model(with: [])))
        XCTAssertEqual(try without.names(), ["dave0", "dave1", "dave2"])
    }

    func test_itIsWrittenToJSONAndReadBack() throws {
        let again = try ManagedObjectModel(jsonText: try model().jsonRepresentation())
        XCTAssertEqual(again.entity(named: "Person")?.fetchedProperties, Self.fetchedProperties)
    }

    func test_mistakesOfItsRequestNameIt() throws {
        func mistake(_ format: String) throws -> PinviewError? {
            let property = FetchedPropertyDescription(
                name: "bad", fetchRequest: FetchRequestDescription(entityName: "Person", predicateFormat: format))
            let fresh = try makeContext(try makeCoordinator(try model(with: [property])))
            return assertError(.badPredicate, try fresh.person("dave0").fetchedObjects(forKey: "bad"))
        }
        XCTAssertTrue(try XCTUnwrap(try mistake("name == ")).message.hasPrefix("The fetched property Person.bad: "))
        XCTAssertTrue(try XCTUnwrap(try mistake("name == $OTHER")).message.contains("$OTHER"))
        XCTAssertTrue(try XCTUnwrap(try mistake("name == $FETCHED_PROPERTY.colour")).message.contains("Person.bad"))
        let text = try model(with: [
            FetchedPropertyDescription(name: "bad", fetchRequest: .init(entityName: "Person", predicateFormat: "name =="))
        ]).jsonRepresentation()
        XCTAssertTrue(assertError(.badModel, try ManagedObjectModel(jsonText: text))?.message.contains("Person.bad") ?? false)
    }

    func test_itsNameIsNoOtherProperty() throws {
        let property = FetchedPropertyDescription(name: "NAME", fetchRequest: FetchRequestDescription(entityName: "Person"))
        assertError(.badModel, try model(with: [property]))
        assertError(
            .badModel, try model(with: [FetchedPropertyDescription(name: "all", fetchRequest: .init(entityName: "Nothing"))]))
    }

    func test_itKeepsNoContextAlive() throws {
        weak var ended: ManagedObjectContext?
        var dave: ManagedObject?
        try {
            let local = try makeContext(coordinator)
            ended = local
            dave = try local.person("dave0")
            _ = try XCTUnwrap(dave).fetchedObjects(forKey: "special")
        }()
        XCTAssertNil(ended)
        assertError(.contextGone, try XCTUnwrap(dave).fetchedObjects(forKey: "special"))
    }
}
