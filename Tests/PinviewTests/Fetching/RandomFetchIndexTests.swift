import Foundation
import Pinview
import RandomSupport
import XCTest

/// Fetches find the same objects with and without fetch indexes that have conditions and
/// expressions (MDL-03): generated indexes, and values around their constants.
///
/// `PINVIEW_SEED` chooses others, `PINVIEW_ROUNDS` says how many indexes.
final class RandomFetchIndexTests: StoreTestCase {
    func test_MDL_03_indexesChangeNoResult() throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = SeededGenerator.givenSeed ?? 1
        let rounds = environment["PINVIEW_ROUNDS"].flatMap { Int($0) } ?? 40
        print("PINVIEW_SEED=\(seed)")
        var world = IndexedWorld(random: SeededGenerator(seed: seed))
        let plain = try makeContext(try makeCoordinator(try IndexedWorld.model(nil), name: "plain.sqlite"))
        let first = try makeContext(try makeCoordinator(try IndexedWorld.model(nil)))
        try world.fill([plain, first])
        for context in [plain, first] { try context.save() }
        var uses = 0, mixed = 0
        for round in 0..<rounds {
            let index = world.index()
            let label =
                "seed \(seed), round \(round), index \(index.elements.first?.expressionFormat ?? "rank") of \(index.partialIndexPredicateFormat ?? "all")"
            let coordinator = try makeCoordinator(try IndexedWorld.model(index))
            let indexed = try makeContext(coordinator)
            if round.isMultiple(of: 2) { try indexed.setQueryGeneration(from: .current) }
            for format in world.predicates(index) {
                let request = try FetchRequest("Item", format)
                let found = try indexed.fetch(request).map { try $0.integer("id") ?? -1 }.sorted()
                XCTAssertEqual(found, try plain.fetch(request).map { try $0.integer("id") ?? -1 }.sorted(), "\(label): \(format)")
                if try indexed.explain(request).flatMap(\.queryPlan).joined().contains("Z_Item_it") { uses += 1 }
                if !found.isEmpty, found.count < IndexedWorld.count { mixed += 1 }
            }
            XCTAssertEqual(try sqlite3("PRAGMA integrity_check"), "ok", label)
            try coordinator.remove(coordinator.persistentStores[0])
        }
        print("\(rounds) indexes, used by \(uses) fetches; \(mixed) fetches found some objects only")
        XCTAssertGreaterThan(uses, rounds)
        XCTAssertGreaterThan(mixed, rounds)
    }
}

/// Objects, indexes and predicates from one seed.
private struct IndexedWorld {
    static let count = 300
    var random: SeededGenerator

    private mutating func pick<T>(_ values: [T]) -> T { values[random.below(values.count)] }

    static func model(_ index: FetchIndexDescription?) throws -> ManagedObjectModel {
        let types: [(String, AttributeType)] = [
            ("id", .integer64), ("rank", .integer16), ("number", .integer64), ("price", .double), ("name", .string), ("done", .boolean),
            ("due", .date), ("cost", .decimal),
        ]
        return try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Item", attributes: types.map { AttributeDescription(name: $0.0, attributeType: $0.1) },
                relationships: [RelationshipDescription(name: "parent", destinationEntityName: "Item")], indexes: index.map { [$0] } ?? []),
            EntityDescription(name: "Special", superentityName: "Item"),
        ])
    }

    private static let numbers: [Value] = [.null, -2, -1, 0, 1, 2, 3, .integer(.max), .integer(.min), .integer(1 << 53 + 1)]
    private static let prices: [Value] = [.null, -0.5, 0, 0.5, 1, 1.5, 2, 1e300, .double(-.infinity)]
    private static let names: [Value] = [.null, "", "a", "A", "b", "it's", "ä", "12", "a\u{0}b"]
    private static let dates: [Value] = [.null] + [-1.5, 0, 1, 2.25, 600_000_000].map { .date(Date(timeIntervalSinceReferenceDate: $0)) }

    mutating func fill(_ contexts: [ManagedObjectContext]) throws {
        for id in 0..<Self.count {
            let values: [(String, Value)] = [
                ("id", .integer(Int64(id))), ("rank", .integer(Int64(random.below(5)))), ("number", pick(Self.numbers)),
                ("price", pick(Self.prices)), ("name", pick(Self.names)), ("done", pick([.null, true, false])), ("due", pick(Self.dates)),
                ("cost", pick([.null, 0, 1, .decimal(try XCTUnwrap(DecimalNumber("1.5"))), 2])),
            ]
            let isSpecial = random.oneIn(3), hasParent = random.oneIn(2)
            for context in contexts {
                let item = try context.insertNewObject(forEntityName: isSpecial ? "Special" : "Item")
                for (key, value) in values { try item.setAttributeValue(value, forKey: key) }
                if hasParent { try item.setRelatedObject(item, forKey: "parent") }
            }
        }
    }

    private mutating func comparison() -> String {
        let op = pick(["==", "!=", "<", "<=", ">", ">="])
        return switch random.below(12) {
        case 0: "number \(op) \(pick(["-1", "0", "1", "2", "9223372036854775807", "9007199254740993"]))"
        case 1: "price \(op) \(pick(["-0.5", "0", "0.5", "1", "1.5", "1e300"]))"
        case 2: "name \(op) \(pick(["''", "'a'", "'A'", "\"it's\"", "'ä'", "'12'"]))"
        case 3: "done \(pick(["==", "!="])) \(pick(["YES", "NO"]))"
        case 4: "\(pick(["number", "price", "name", "done", "due", "cost", "parent"])) \(pick(["==", "!="])) nil"
        case 5: "due \(op) CAST(\(pick(["-1.5", "0", "2.25"])), 'NSDate')"
        case 6: "cost \(op) \(pick(["0", "1", "1.5"]))"
        case 7: "number IN {\(pick(["0", "1, 2", "nil, 3", "-1, nil, 2", "2, 1"]))}"
        case 8: "name IN {\(pick(["'a', 'b'", "'A', nil", "'', \"it's\", '12'"]))}"
        case 9: "price BETWEEN {\(pick(["-0.5, 0.5", "0, 0", "1, -1"]))}"
        case 10: "number \(op) price"
        default: "number \(pick(["+", "-", "*", "/"])) \(pick(["price", "rank", "2"])) \(op) \(pick(["0", "1", "0.5"]))"
        }
    }

    private mutating func condition() -> String {
        switch random.below(6) {
        case 0: "\(comparison()) AND \(comparison())"
        case 1: "\(comparison()) OR \(comparison())"
        case 2: "NOT (\(comparison()) OR \(comparison()))"
        default: comparison()
        }
    }

    mutating func index() -> FetchIndexDescription {
        let expression = random.oneIn(3) ? pick(["number + price", "number * rank", "price / number", "number - (price - rank)"]) : nil
        return FetchIndexDescription(
            name: "it",
            elements: [expression.map { .init(expressionFormat: $0) } ?? .init(attributeName: "rank", isAscending: random.oneIn(2))],
            partialIndexPredicateFormat: expression == nil || random.oneIn(2) ? condition() : nil)
    }

    mutating func predicates(_ index: FetchIndexDescription) -> [String] {
        let condition = index.partialIndexPredicateFormat.map { "(\($0))" } ?? "rank < 4"
        let key = index.elements.first?.expressionFormat ?? "rank"
        return [
            condition, "NOT \(condition)", "\(condition) AND \(key) == \(random.below(4))", "\(key) >= 1 AND \(condition)",
            "\(condition) AND (\(self.condition()))", "\(condition) OR \(comparison())", "\(key) IN {1, 2} AND \(condition)",
            "\(key) == nil AND \(condition)", "\(self.condition())",
        ]
    }
}
