import Foundation
import Pinview
import RandomSupport
import XCTest

/// Relationships of all kinds among entities of one hierarchy, whose properties therefore have the
/// same indexes, changed at random from either side and compared with a naive model after each
/// change, after the save and in another context (REL-01 to REL-05, ONE-02, and the one owner that
/// a member of a relationship without an inverse has).
///
/// `PINVIEW_SEED` repeats one sequence, `PINVIEW_ROUNDS` says how many are run.
final class RandomRelationshipTests: StoreTestCase {
    private struct Side {
        let name: String
        let owner: String
        let destination: String
        let isToMany: Bool
    }

    /// A relationship with its inverse, and the pairs of objects that it joins, the first side's
    /// owner first.
    private struct Relation {
        let first: Side
        let second: Side?
        var pairs: Set<[Int]> = []

        mutating func join(_ owner: Int, _ member: Int) {
            if !first.isToMany { pairs = pairs.filter { $0[0] != owner } }
            // A member has one owner without an inverse as well; a destination of a to-one
            // relationship may have many.
            if let second {
                if !second.isToMany { pairs = pairs.filter { $0[1] != member } }
            } else if first.isToMany {
                pairs = pairs.filter { $0[1] != member }
            }
            pairs.insert([owner, member])
        }
    }

    func test_relationshipsOfSiblingsAreThoseOfTheNaiveModel_REL_01_ONE_02() throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = SeededGenerator.givenSeed
        let rounds = environment["PINVIEW_ROUNDS"].flatMap(UInt64.init) ?? (seed == nil ? 20 : 1)
        for seed in (seed ?? 1)..<(seed ?? 1) + rounds {
            try run(seed)
            if let issue = testRun?.totalFailureCount, issue > 0 { return print("PINVIEW_SEED=\(seed)") }
        }
    }

    private func run(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let entities = ["Left", "Middle", "Right"]
        var relations = (0..<Int.random(in: 3...7, using: &generator)).map { number -> Relation in
            let owner = entities.randomElement(using: &generator)!, destination = entities.randomElement(using: &generator)!
            let first = Side(name: "r\(number)", owner: owner, destination: destination, isToMany: .random(using: &generator))
            let hasInverse = Int.random(in: 0..<3, using: &generator) > 0
            return Relation(
                first: first,
                second: hasInverse
                    ? Side(name: "i\(number)", owner: destination, destination: owner, isToMany: .random(using: &generator)) : nil)
        }
        let model = try ManagedObjectModel(
            entities: [EntityDescription(name: "Base", attributes: [AttributeDescription(name: "number", attributeType: .integer64)])]
                + entities.map { entity in
                    EntityDescription(
                        name: entity, superentityName: "Base",
                        relationships: relations.flatMap { relation in
                            [(relation.first, relation.second), (relation.second, relation.first)].compactMap { side, inverse in
                                guard let side, side.owner == entity else { return nil }
                                return RelationshipDescription(
                                    name: side.name, destinationEntityName: side.destination, inverseRelationshipName: inverse?.name,
                                    isToMany: side.isToMany)
                            }
                        })
                })
        let name = "\(seed).sqlite", context = try makeContext(try makeCoordinator(model, name: name))
        let objects = try (0..<9).map { number in
            let object = try context.insertNewObject(forEntityName: entities[number % 3])
            try object.setValue(Int64(number), forKey: "number")
            return object
        }
        for _ in 0..<30 {
            let index = relations.indices.randomElement(using: &generator)!, relation = relations[index]
            let owner = objects.indices.filter { objects[$0].entity.name == relation.first.owner }.randomElement(using: &generator)!
            let member = objects.indices.filter { objects[$0].entity.name == relation.first.destination }.randomElement(using: &generator)!
            let isSecond = relation.second != nil && Bool.random(using: &generator)
            let side = isSecond ? relation.second! : relation.first
            let (from, to) = isSecond ? (objects[member], objects[owner]) : (objects[owner], objects[member])
            if relation.pairs.contains([owner, member]), Bool.random(using: &generator) {
                relations[index].pairs.remove([owner, member])
                if side.isToMany {
                    try from.removeRelatedObject(to, forKey: side.name)
                } else {
                    try from.setRelatedObject(nil, forKey: side.name)
                }
            } else {
                relations[index].join(owner, member)
                if side.isToMany {
                    try from.addRelatedObject(to, forKey: side.name)
                } else {
                    try from.setRelatedObject(to, forKey: side.name)
                }
            }
            if try !agree(relations, objects) { return }
            if Int.random(in: 0..<12, using: &generator) == 0 { try context.save() }
            if Int.random(in: 0..<12, using: &generator) == 0, !context.hasChanges { try context.refreshAllObjects() }
        }
        try context.save()
        let other = try makeContext(try XCTUnwrap(context.persistentStoreCoordinator))
        var request = FetchRequest(entityName: "Base")
        request.sortDescriptors = [PinviewSortDescriptor(keyPath: "number")]
        _ = try agree(relations, Array(try other.fetch(request)))
    }

    private func agree(_ relations: [Relation], _ objects: [ManagedObject]) throws -> Bool {
        for relation in relations {
            for (side, own, others) in [(relation.first, 0, 1), (relation.second ?? relation.first, 1, 0)] {
                if own == 1, relation.second == nil { continue }
                for (number, object) in objects.enumerated() where object.entity.name == side.owner {
                    let expected = Set(relation.pairs.filter { $0[own] == number }.map { $0[others] })
                    let related =
                        try side.isToMany
                        ? object.relatedObjects(forKey: side.name) : [object.relatedObject(forKey: side.name)].compactMap { $0 }
                    let found = Set(try related.compactMap { try $0.value(forKey: "number", as: Int64.self) }.map(Int.init))
                    if found != expected {
                        XCTFail("\(side.name) of object \(number) is \(found.sorted()), expected \(expected.sorted())")
                        return false
                    }
                }
            }
        }
        return true
    }
}
