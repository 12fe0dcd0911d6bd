import XCTest

@testable import PinviewModel

/// Being (abstract) ← Person ← Employee, and Car with an inverse to Person.
func makeFamilyModel() throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
        EntityDescription(
            name: "Person", superentityName: "Being",
            attributes: [
                AttributeDescription(name: "name", attributeType: .string, isOptional: false, minimumLength: 2, maximumLength: 5),
                AttributeDescription(name: "age", attributeType: .integer16, defaultValue: 7, minimumValue: 0, maximumValue: 150),
            ],
            relationships: [
                RelationshipDescription(
                    name: "cars", destinationEntityName: "Car", inverseRelationshipName: "owner", isToMany: true, deleteRule: .cascade)
            ],
            uniquenessConstraints: [["name", "age"]],
            indexes: [FetchIndexDescription(name: "byAge", elements: [.init(attributeName: "age", isAscending: false)])]),
        EntityDescription(name: "Being", isAbstract: true, attributes: [AttributeDescription(name: "born", attributeType: .date)]),
        EntityDescription(
            name: "Car",
            relationships: [
                RelationshipDescription(
                    name: "owner", destinationEntityName: "Person", inverseRelationshipName: "cars", isOptional: false)
            ]),
        EntityDescription(
            name: "Employee", superentityName: "Person", attributes: [AttributeDescription(name: "salary", attributeType: .decimal)]),
    ])
}

/// A property named `value`, in a model of its own.
func makeProperty(_ attribute: AttributeDescription) throws -> (property: Property, objectID: ManagedObjectID) {
    let model = try ManagedObjectModel(entities: [EntityDescription(name: "Thing", attributes: [attribute])])
    let entity = try XCTUnwrap(model.entity(named: "Thing"))
    let property = try XCTUnwrap(entity.property(named: attribute.name))
    return (property, makeID(entity, 42))
}

func makeProperty(_ type: AttributeType) throws -> Property {
    try makeProperty(AttributeDescription(name: "value", attributeType: type, isTransient: type == .undefined)).property
}

let storeIdentifier = "0F8FAD5B-D9CB-469F-A165-70867728950E"

func makeID(_ entity: Entity, _ primaryKey: Int64, store: String = storeIdentifier) -> ManagedObjectID {
    ManagedObjectID(
        entity: entity,
        key: ObjectKey(
            storeNumber: StoreNumbers.number(forIdentifier: store), rootEntity: Int32(entity.rootIndex), primaryKey: primaryKey),
        storeIdentifier: store)
}

func makeTemporaryID(_ entity: Entity) -> ManagedObjectID {
    ManagedObjectID(entity: entity, key: .temporary(rootEntity: Int32(entity.rootIndex)), storeIdentifier: nil)
}

/// Checks that the body throws an error with the given code that mentions the given words.
func assertThrows<Result>(
    _ code: PinviewError.Code, mentioning words: String..., file: StaticString = #filePath, line: UInt = #line, _ body: () throws -> Result
) {
    do {
        _ = try body()
        XCTFail("no error was thrown", file: file, line: line)
    } catch let error as PinviewError {
        XCTAssertTrue(error.hasCode(code), "\(error)", file: file, line: line)
        for word in words where !word.isEmpty {
            XCTAssertTrue(error.message.contains(word), "\(word) is not in: \(error.message)", file: file, line: line)
        }
    } catch {
        XCTFail("\(error)", file: file, line: line)
    }
}
