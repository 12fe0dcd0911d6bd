import Foundation
import Pinview
import XCTest

/// Values of the objects of IDs, which are those that the objects give.
final class ValuesByIDTests: StackTestCase {
    override func model() throws -> ManagedObjectModel {
        try people([
            AttributeDescription(name: "height", attributeType: .double), AttributeDescription(name: "isMember", attributeType: .boolean),
            AttributeDescription(name: "born", attributeType: .date), AttributeDescription(name: "picture", attributeType: .binaryData),
            AttributeDescription(name: "number", attributeType: .uuid), AttributeDescription(name: "fee", attributeType: .decimal),
        ])
    }

    override func prepareStore() throws {
        try fill(coordinator, count: 3)
        let context = try makeContext(coordinator), person = try context.person("dave1")
        let values: [String: Value] = [
            "height": .double(1.5), "isMember": .boolean(true), "born": .date(Date(timeIntervalSinceReferenceDate: 7.25)),
            "picture": .binary([1, 2]), "number": .uuid(UUID()), "fee": .decimal(3),
        ]
        for (key, value) in values { try person.setAttributeValue(value, forKey: key) }
        try person.setAttributeValue(.integer(1 << 40), forKey: "age")
        try context.save()
    }

    /// The indexes of an entity's attributes.
    private func indexes(_ object: ManagedObject) -> [Int] {
        object.entity.properties.indices.filter { object.entity.properties[$0].isAttribute }
    }

    /// Compares the value of each attribute by ID, read twice, with what the object gives in a context
    /// of its own.
    private func check(_ id: ManagedObjectID, in context: ManagedObjectContext, like object: ManagedObject, _ message: String) throws {
        for index in indexes(object) {
            let expected = try object.attributeValue(at: index), name = object.entity.properties[index].name
            for _ in 0..<2 { XCTAssertEqual(try context.attributeValue(at: index, of: id), expected, "\(message): \(name)") }
        }
    }

    func test_eachValueIsThatOfTheObject() throws {
        for name in ["dave0", "dave1", "dave2"] {
            let object = try other.person(name)
            try check(object.objectID, in: context, like: object, "\(name), unknown")
            let known = try context.object(with: object.objectID)
            try check(object.objectID, in: context, like: object, "\(name), known")
            try context.performAndWait { try check(object.objectID, in: context, like: object, "\(name), inside") }
            try context.refresh(known, mergeChanges: false)
            try context.performAndWait { try check(object.objectID, in: context, like: object, "\(name), a fault") }
        }
    }

    func test_changesAndNewObjectsAreShown() throws {
        let object = try context.person("dave1")
        try object.setAttributeValue(.integer(5), forKey: "age")
        try object.setAttributeValue(.null, forKey: "height")
        let new = try context.insertNewObject(forEntityName: "Person")
        try new.setAttributeValue(.integer(6), forKey: "age")

        try context.performAndWait {
            try check(object.objectID, in: context, like: object, "changed")
            try check(new.objectID, in: context, like: new, "new")
        }
        let temporary = new.objectID
        try context.save()
        try context.performAndWait { try check(temporary, in: context, like: new, "by the ID that it had") }
    }

    func test_aChildShowsItsParentsValues() throws {
        let object = try context.person("dave1")
        try object.setAttributeValue(.integer(5), forKey: "age")
        let child = ManagedObjectContext(concurrencyType: .privateQueue)
        try child.setParent(context)

        try check(object.objectID, in: child, like: object, "of a child")
    }

    func test_aPinnedContextShowsItsGeneration() throws {
        try context.setQueryGeneration(from: .current)
        let object = try context.person("dave0"), index = try XCTUnwrap(object.entity.propertyIndex(named: "age"))
        try changeElsewhere("dave0", "age", 99)

        XCTAssertEqual(try context.performAndWait { try context.attributeValue(at: index, of: object.objectID) }, 20)
        try context.setQueryGeneration(from: .current)
        try context.refreshAllObjects()
        XCTAssertEqual(try context.performAndWait { try context.attributeValue(at: index, of: object.objectID) }, 99)
    }

    func test_whatIsNoAttributeIsAnError() throws {
        let object = try context.person("dave0"), properties = object.entity.properties
        let relationship = try XCTUnwrap(properties.firstIndex { $0.isRelationship })
        for index in [-1, properties.count, .max, .min, relationship] {
            assertError(.unknownKey, try context.attributeValue(at: index, of: object.objectID))
            assertError(.unknownKey, try context.performAndWait { try context.attributeValue(at: index, of: object.objectID) })
        }
    }

    func test_anIDWithoutARowIsAnError() throws {
        let id = try other.person("dave0").objectID
        try sqlite3("DELETE FROM ZPERSON WHERE ZNAME = 'dave0'")
        try other.reset()
        context.shouldDeleteInaccessibleFaults = false

        assertError(.managedObjectReferentialIntegrity, try context.attributeValue(at: 0, of: id))
    }
}
