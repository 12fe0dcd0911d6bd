import XCTest

@testable import PinviewModel

/// What a resolved model says about its entities.
final class ModelTests: XCTestCase {
    func test_STO_18_modelDescribesAttributesAndRelationships() throws {
        let model = try makeFamilyModel()
        let person = try XCTUnwrap(model.entity(named: "Person"))

        let age = try XCTUnwrap(person.property(named: "age"))
        XCTAssertTrue(age.isAttribute)
        XCTAssertEqual(age.attributeType, .integer16)
        XCTAssertTrue(age.isOptional)
        XCTAssertFalse(age.isTransient)
        XCTAssertEqual(age.defaultValue, 7)

        let cars = try XCTUnwrap(person.property(named: "cars"))
        XCTAssertTrue(cars.isRelationship)
        XCTAssertEqual(cars.destinationEntityName, "Car")
        XCTAssertEqual(cars.inverseName, "owner")
        XCTAssertTrue(cars.isToMany)
        XCTAssertEqual(cars.deleteRule, .cascade)
        XCTAssertTrue(cars.isOptional)
    }

    func test_STO_18_relationshipHasIndexesOfDestinationAndInverse() throws {
        let model = try makeFamilyModel()
        let cars = try XCTUnwrap(model.entity(named: "Person")?.property(named: "cars"))

        let destination = model.entities[cars.destinationIndex]
        let inverse = destination.properties[try XCTUnwrap(cars.inverseIndex)]

        XCTAssertEqual(destination.name, "Car")
        XCTAssertEqual(inverse.name, "owner")
        XCTAssertEqual(model.entities[inverse.destinationIndex].properties[try XCTUnwrap(inverse.inverseIndex)], cars)
    }

    func test_entitiesAreSortedDepthFirstAndByNameIgnoringCase() throws {
        let names = ["zebra", "Apple", "apple_b", "Banana", "Core", "worm"]
        let model = try ManagedObjectModel(
            entities: names.map {
                EntityDescription(name: $0, superentityName: ["Core": "Apple", "worm": "Core"][$0])
            })

        XCTAssertEqual(model.entities.map(\.name), ["Apple", "Core", "worm", "apple_b", "Banana", "zebra"])
        XCTAssertEqual(model.entities.map(\.index), Array(0..<6))
        XCTAssertEqual(model.entities.map(\.rootIndex), [0, 0, 0, 3, 4, 5])
        XCTAssertEqual(model.entities[0].familyIndexes, [0, 1, 2])
        XCTAssertEqual(model.entities[1].familyIndexes, [1, 2])
        XCTAssertEqual(model.entities[0].subentityNames, ["Core"])
    }

    func test_subentityHasPropertiesOfParentAsPrefix() throws {
        let model = try makeFamilyModel()
        let person = try XCTUnwrap(model.entity(named: "Person"))
        let employee = try XCTUnwrap(model.entity(named: "Employee"))

        XCTAssertEqual(employee.properties.map(\.name), ["born", "name", "age", "cars", "salary"])
        XCTAssertEqual(Array(employee.properties.prefix(4)), person.properties)
        XCTAssertEqual(employee.properties.map(\.index), Array(0..<5))
        XCTAssertEqual(employee.properties.map(\.declaringEntityName), ["Being", "Person", "Person", "Person", "Employee"])
        for property in employee.properties { XCTAssertEqual(employee.propertyIndex(named: property.name), property.index) }
        XCTAssertEqual(employee.allUniquenessConstraints, [["name", "age"]])
        XCTAssertEqual(employee.uniquenessConstraints, [])
    }

    func test_siblingsMayHaveAttributesOfTheSameName() throws {
        let text = AttributeDescription(name: "text", attributeType: .string)
        let model = try ManagedObjectModel(entities: [
            EntityDescription(name: "Note"), EntityDescription(name: "A", superentityName: "Note", attributes: [text]),
            EntityDescription(name: "B", superentityName: "Note", attributes: [text]),
        ])

        let first = try XCTUnwrap(model.entity(named: "A")?.property(named: "text"))
        let second = try XCTUnwrap(model.entity(named: "B")?.property(named: "text"))

        XCTAssertNotEqual(first, second)
    }

    func test_isKindFollowsInheritance() throws {
        let model = try makeFamilyModel()
        let employee = try XCTUnwrap(model.entity(named: "Employee"))
        let being = try XCTUnwrap(model.entity(named: "Being"))
        let car = try XCTUnwrap(model.entity(named: "Car"))

        XCTAssertTrue(employee.isKind(ofIndex: being.index))
        XCTAssertTrue(employee.isKind(ofIndex: employee.index))
        XCTAssertFalse(being.isKind(ofIndex: employee.index))
        XCTAssertFalse(employee.isKind(ofIndex: car.index))
        XCTAssertTrue(employee.isKind(ofEntityNamed: "Person"))
    }

    func test_relationshipMayBeItsOwnInverse() throws {
        let friends = RelationshipDescription(
            name: "friends", destinationEntityName: "Person", inverseRelationshipName: "friends", isToMany: true)
        let model = try ManagedObjectModel(entities: [EntityDescription(name: "Person", relationships: [friends])])

        let property = model.entities[0].properties[0]

        XCTAssertEqual(property.inverseIndex, property.index)
    }

    func test_relationshipMayHaveNoInverse() throws {
        let tags = RelationshipDescription(name: "tags", destinationEntityName: "Tag", isToMany: true)
        let model = try ManagedObjectModel(entities: [
            EntityDescription(name: "Note", relationships: [tags]), EntityDescription(name: "Tag"),
        ])

        XCTAssertNil(model.entity(named: "Note")?.property(named: "tags")?.inverseIndex)
    }

    func test_configurationSelectsEntities() throws {
        let model = try ManagedObjectModel(
            entities: [EntityDescription(name: "B"), EntityDescription(name: "A")], configurations: ["Half": ["B"]])

        XCTAssertEqual(model.entities(forConfiguration: "Half")?.map(\.name), ["B"])
        XCTAssertEqual(model.entities(forConfiguration: nil)?.map(\.name), ["A", "B"])
        XCTAssertNil(model.entities(forConfiguration: "Third"))
    }

    func test_propertyIsFoundByItsWholeName() throws {
        let person = try XCTUnwrap(makeFamilyModel().entity(named: "Person"))

        XCTAssertEqual(person.propertyIndex(named: "age"), 2)
        XCTAssertNil(person.propertyIndex(named: "ag"))
        XCTAssertNil(person.propertyIndex(named: ""))
    }

    func test_deepInheritanceIsResolved() throws {
        let count = 100

        let model = try ManagedObjectModel(entities: makeChain(count).reversed())

        XCTAssertEqual(model.entities[count - 1].name, "E\(count - 1)")
        XCTAssertEqual(model.entities[0].familyIndexes.count, count)
    }

    // Issue 15, point 11: the cost of resolving an entity is linear in its depth.
    func test_tooDeepInheritanceIsAnErrorThatNamesTheLimit() {
        assertThrows(.badModel, mentioning: "ancestors", "99") { _ = try ManagedObjectModel(entities: self.makeChain(3000)) }
    }

    private func makeChain(_ count: Int) -> [EntityDescription] {
        (0..<count).map { EntityDescription(name: "E\($0)", superentityName: $0 == 0 ? nil : "E\($0 - 1)") }
    }

    func test_unknownEntityErrorListsTheEntities() throws {
        let model = try makeFamilyModel()

        assertThrows(.unknownEntity, mentioning: "Persn", "Person, ") { try model.requireEntity(named: "Persn") }
    }
}
