import XCTest

@testable import PinviewModel

/// What changed from one version of a model to another, entity by entity: MIG-01.
final class ModelDifferenceTests: XCTestCase {
    private func changes(_ old: [EntityDescription], _ new: [EntityDescription]) throws -> [String] {
        try ModelDifference(from: ManagedObjectModel(entities: old), to: ManagedObjectModel(entities: new)).changes
            .map { "\($0.entityName) \($0.name ?? "-") \($0.kind.rawValue): \($0.description)" }
    }

    private let animal = EntityDescription(name: "Animal"), dog = EntityDescription(name: "Dog", superentityName: "Animal")

    func test_MIG_01_addedAndRemovedEntities() throws {
        let car = EntityDescription(name: "Car", attributes: [AttributeDescription(name: "plate", attributeType: .string)])
        XCTAssertEqual(
            try changes([animal], [animal, car, dog]), ["Dog - entityAdded: added, a kind of Animal", "Car - entityAdded: added"])
        XCTAssertEqual(try changes([animal, car, dog], [animal]), ["Dog - entityRemoved: removed", "Car - entityRemoved: removed"])
        XCTAssertEqual(try changes([animal, car, dog], [dog, car, animal]), [])
    }

    func test_MIG_01_renamedEntities() throws {
        let creature = EntityDescription(name: "Creature", renamingIdentifier: "Animal")
        XCTAssertEqual(try changes([animal], [creature]), ["Creature - entityRenamed: renamed from Animal"])
        // The parent is the same under another name.
        let kind = EntityDescription(name: "Dog", superentityName: "Creature")
        XCTAssertEqual(try changes([animal, dog], [creature, kind]), ["Creature - entityRenamed: renamed from Animal"])
    }

    func test_MIG_01_entitiesWithAnotherParent() throws {
        let plant = EntityDescription(name: "Plant")
        XCTAssertEqual(
            try changes([animal, plant, dog], [animal, plant, EntityDescription(name: "Dog")]),
            ["Dog - parentChanged: no longer a kind of Animal"])
        XCTAssertEqual(
            try changes([animal, plant, EntityDescription(name: "Dog")], [animal, plant, dog]),
            ["Dog - parentChanged: now a kind of Animal"])
        XCTAssertEqual(
            try changes([animal, plant, dog], [animal, plant, EntityDescription(name: "Dog", superentityName: "Plant")]),
            ["Dog - parentChanged: now a kind of Plant"])
    }

    func test_MIG_01_flagsOfEntities() throws {
        let abstract = EntityDescription(name: "Animal", isAbstract: true)
        XCTAssertEqual(try changes([animal, dog], [abstract, dog]), ["Animal - abstractChanged: now abstract"])
        XCTAssertEqual(try changes([abstract, dog], [animal, dog]), ["Animal - abstractChanged: no longer abstract"])
        let marked = EntityDescription(name: "Animal", versionHashModifier: "2")
        XCTAssertEqual(
            try changes([animal], [marked]), ["Animal - versionHashModifierChanged: version hash modifier changed"])
    }
}
