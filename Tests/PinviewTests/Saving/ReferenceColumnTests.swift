import Foundation
import Pinview
import XCTest

/// References to objects of a hierarchy take two columns, the key and the entity. They change
/// together, whatever the rows written before them in the same save had: SAV-01, REL-05.
final class ReferenceColumnTests: StackTestCase {
    override func model() throws -> ManagedObjectModel {
        let name = [AttributeDescription(name: "name", attributeType: .string)]
        return try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Person", attributes: name,
                relationships: [
                    RelationshipDescription(name: "pet", destinationEntityName: "Animal", inverseRelationshipName: "owners"),
                    RelationshipDescription(name: "other", destinationEntityName: "Animal"),
                ]),
            EntityDescription(
                name: "Animal", attributes: name,
                relationships: [
                    RelationshipDescription(name: "owners", destinationEntityName: "Person", inverseRelationshipName: "pet", isToMany: true)
                ]),
            EntityDescription(name: "Dog", superentityName: "Animal"), EntityDescription(name: "Cat", superentityName: "Animal"),
        ])
    }

    override func prepareStore() throws {}

    func test_SAV_01_keyAndEntityChangeTogether() throws {
        let animals = try [nil, "Animal", "Dog", "Cat"].map { entity in try entity.map { try context.insertNewObject(forEntityName: $0) } }
        // Every state before beside every state after, and rows that follow one another in every
        // order.
        let ways = animals.indices.flatMap { before in animals.indices.map { (before, $0) } }
        for key in ["pet", "other"] {
            for order in [ways, ways.reversed(), ways.sorted { $0.1 < $1.1 }] {
                let people = try order.map { before, _ in
                    let person = try context.insertNewObject(forEntityName: "Person")
                    try person.setRelatedObject(animals[before], forKey: key)
                    return person
                }
                try context.save()
                try check(people, order.map { animals[$0.0] }, key)
                for (person, (_, after)) in zip(people, order) { try person.setRelatedObject(animals[after], forKey: key) }
                try context.save()
                try check(people, order.map { animals[$0.1] }, key)
            }
        }
    }

    private func check(_ people: [ManagedObject], _ animals: [ManagedObject?], _ key: String) throws {
        let column = "Z" + key.uppercased()
        let entity = try sqlite3("SELECT name FROM pragma_table_info('ZPERSON') WHERE name LIKE 'Z%!_\(key.uppercased())' ESCAPE '!'")
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZPERSON WHERE (\(column) IS NULL) != (\(entity) IS NULL)"), "0", key)
        XCTAssertEqual(
            try sqlite3("SELECT count(*) FROM ZPERSON p LEFT JOIN ZANIMAL a ON a.Z_PK = p.\(column) WHERE a.Z_ENT IS NOT p.\(entity)"), "0",
            key)
        let reader = try makeContextOfSecondStack()
        for (person, animal) in zip(people, animals) {
            let read = try reader.existingObject(with: person.objectID).relatedObject(forKey: key)
            XCTAssertEqual(read?.objectID, animal?.objectID)
            XCTAssertEqual(read?.objectID.entity.name, animal?.objectID.entity.name)
        }
    }
}
