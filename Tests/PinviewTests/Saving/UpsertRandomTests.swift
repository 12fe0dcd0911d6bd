import Foundation
import Pinview
import RandomSupport
import XCTest

/// UNQ-11 against a naive model: upserts between other changes, saves, rollbacks and new contexts.
final class UpsertRandomTests: StackTestCase {
    private static let constraints = [["name"], ["section", "code"]]

    override func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Person",
                attributes: [
                    AttributeDescription(name: "name", attributeType: .string),
                    AttributeDescription(name: "code", attributeType: .integer64),
                    AttributeDescription(name: "section", attributeType: .integer16),
                    AttributeDescription(name: "age", attributeType: .integer64, defaultValue: 7),
                ], uniquenessConstraints: Self.constraints),
            EntityDescription(name: "Employee", superentityName: "Person"),
        ])
    }

    override func prepareStore() throws {}

    // MARK: The naive model

    private typealias Values = [String: Value]

    private static let names = ["age", "code", "name", "section"]

    private struct Person: Equatable {
        /// Tells persons with equal values apart.
        let number: Int
        var values: Values

        func key(_ constraint: [String]) -> [Value]? {
            let key = constraint.map { values[$0] ?? .null }
            return key.contains(.null) ? nil : key
        }
    }

    private struct Refused: Error {}

    private var persons: [Person] = []
    private var nextNumber = 0
    /// By number.
    private var objects: [Int: ManagedObject] = [:]

    private func added(_ values: Values) -> Person {
        nextNumber += 1
        let none = Dictionary(uniqueKeysWithValues: Self.names.map { ($0, Value.null) })
        return Person(number: nextNumber, values: none.merging(["age": 7]) { $1 }.merging(values) { $1 })
    }

    private static func areUnique(_ persons: [Person]) -> Bool {
        constraints.allSatisfy { constraint in
            let keys = persons.compactMap { $0.key(constraint) }
            return Set(keys).count == keys.count
        }
    }

    /// The persons after an upsert, and for each row the number of its person and its outcome.
    private func upserted(
        _ rows: [Values], _ constraint: [String], onInsert: [String]?, onUpdate: [String]?
    ) throws -> (persons: [Person], rows: [(number: Int, outcome: UpsertOutcome)]) {
        var result = persons, outcomes: [(number: Int, outcome: UpsertOutcome)] = []
        for row in rows {
            let wanted = constraint.map { row[$0] ?? .null }
            if !wanted.contains(.null), let place = result.firstIndex(where: { $0.key(constraint) == wanted }) {
                let before = result[place]
                for (name, value) in row where onUpdate?.contains(name) ?? true { result[place].values[name] = value }
                outcomes.append((before.number, before == result[place] ? .unchanged : .updated))
            } else {
                let new = added(row.filter { constraint.contains($0.key) || onInsert?.contains($0.key) ?? true })
                result.append(new)
                outcomes.append((new.number, .created))
            }
        }
        guard Self.areUnique(result) else { throw Refused() }
        return (result, outcomes)
    }

    // MARK: Random work

    private func someValue(_ name: String, _ random: inout SeededGenerator) -> Value {
        switch name {
        case "name": random.below(12) == 0 ? .null : .string("n\(random.below(60))")
        case "code": random.below(5) == 0 ? .null : .integer(Int64(random.below(25)))
        case "section": .integer(Int64(random.below(3)))
        default: .integer(Int64(random.below(3)))
        }
    }

    private func someNames(_ random: inout SeededGenerator) -> [String]? {
        random.below(2) == 0 ? nil : Self.names.filter { _ in random.below(2) == 0 }
    }

    /// Changes, inserts or deletes a person without an upsert.
    private func change(_ context: ManagedObjectContext, _ random: inout SeededGenerator) throws {
        var changed = persons
        let place = persons.isEmpty ? 0 : random.below(persons.count)
        switch persons.isEmpty ? 0 : random.below(3) {
        case 0:
            let new = added(Dictionary(uniqueKeysWithValues: Self.names.map { ($0, someValue($0, &random)) }))
            changed.append(new)
            guard Self.areUnique(changed) else { return }
            let object = try context.insertNewObject(forEntityName: random.below(2) == 0 ? "Person" : "Employee")
            for (name, value) in new.values { try object.setAttributeValue(value, forKey: name) }
            objects[new.number] = object
        case 1:
            let name = Self.names[random.below(Self.names.count)], value = someValue(name, &random)
            changed[place].values[name] = value
            guard Self.areUnique(changed) else { return }
            try XCTUnwrap(objects[persons[place].number]).setValue(value, forKey: name)
        default:
            try context.delete(try XCTUnwrap(objects[persons[place].number]))
            changed.remove(at: place)
        }
        persons = changed
    }

    private func shown(_ context: ManagedObjectContext) throws -> [String] {
        try context.fetch(FetchRequest(entityName: "Person")).map { object in
            try Self.names.map { try object.attributeValue(forKey: $0).description }.joined(separator: "|")
        }.sorted()
    }

    private var expected: [String] {
        persons.map { person in Self.names.map { person.values[$0, default: .null].description }.joined(separator: "|") }.sorted()
    }

    func test_UNQ_11_agreesWithANaiveModel() throws {
        let seed = SeededGenerator.givenSeed ?? UInt64.random(in: 1...UInt64(UInt32.max))
        print("PINVIEW_SEED=\(seed)")
        var random = SeededGenerator(seed: seed)
        var context: ManagedObjectContext = self.context
        var saved: (persons: [Person], identifiers: [Int: ManagedObjectID]) = ([], [:])
        var refused = 0
        for round in 0..<100 {
            let place = "seed \(seed), round \(round)"
            for _ in 0..<random.below(4) { try change(context, &random) }
            let constraint = Self.constraints[random.below(2)]
            let rows: [Values] = (0..<random.below(20)).map { _ in
                let names = Self.names.filter { name in constraint.contains(name) || random.below(2) == 0 }
                return Dictionary(uniqueKeysWithValues: names.map { ($0, someValue($0, &random)) })
            }
            let onInsert = someNames(&random), onUpdate = someNames(&random)
            let wanted = try? upserted(rows, constraint, onInsert: onInsert, onUpdate: onUpdate)
            switch Result(catching: { () throws(PinviewError) in
                try context.upsert(
                    "Person", constraint: constraint.shuffled(using: &random), rows: rows, onInsert: onInsert, onUpdate: onUpdate)
            }) {
            case .success(let result):
                guard let wanted else { return XCTFail("\(place): it should have been refused") }
                XCTAssertEqual(result.outcomes, wanted.rows.map(\.outcome), place)
                for (object, (number, _)) in zip(result.objects, wanted.rows) {
                    if objects[number] == nil { objects[number] = object }
                    XCTAssertIdentical(objects[number], object, place)
                }
                persons = wanted.persons
            case .failure(let error):
                guard wanted == nil, error.hasCode(.managedObjectConstraintMerge) else { return XCTFail("\(place): \(error)") }
                refused += 1
            }
            guard try shown(context) == expected else { return XCTFail("\(place): \(try shown(context)) for \(expected)") }
            switch random.below(4) {
            case 0:
                try context.save()
                saved = (persons, objects.mapValues(\.objectID))
            case 1:
                try context.rollback()
                persons = saved.persons
            case 2:
                // What another context reads has only been saved.
                context = try makeContext(coordinator)
                persons = saved.persons
                objects = [:]
                for number in persons.map(\.number) {
                    objects[number] = try context.existingObject(with: try XCTUnwrap(saved.identifiers[number]))
                }
            default: break
            }
            guard try shown(context) == expected else { return XCTFail("\(place), end: \(try shown(context)) for \(expected)") }
        }
        XCTAssertGreaterThan(refused, 5, "seed \(seed)")
        XCTAssertLessThan(refused, 90, "seed \(seed)")
    }
}
