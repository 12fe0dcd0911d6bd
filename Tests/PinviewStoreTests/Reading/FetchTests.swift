import Foundation
import PinviewModel
import PinviewPredicates
import XCTest

@testable import PinviewStore

/// Fetches, counts, orders and limits.
final class FetchTests: StoreTestCase {
    private func keys(_ store: SQLStore, _ fetch: StoreFetch) throws -> [Int64] {
        try store.fetchReferences(fetch, at: nil).map(\.primaryKey)
    }

    private func plan(_ store: SQLStore, _ fetch: StoreFetch) throws -> String {
        let sql = try FetchSQL(fetch, store: store).select(.rows)
        return try store.read(at: nil) { connection in
            let statement = try connection.statement("EXPLAIN QUERY PLAN " + sql.text)
            defer { statement.reset() }
            try statement.bind(sql.bindings)
            var lines: [String] = []
            while try statement.step() { lines.append(statement.string(3)) }
            return lines.joined(separator: "; ")
        }
    }

    func test_aFetchIncludesSubentitiesUnlessExcluded() throws {
        let store = try openStore(try TestModels.company())
        let all = try store.insert("Person", [[:]]) + store.insert("Employee", [["text": "e"]]) + store.insert("Guest", [["text": "g"]])
        XCTAssertEqual(Array(try store.fetchReferences(try store.fetch("Person"), at: nil)), all)
        XCTAssertEqual(Array(try store.fetchReferences(try store.fetch("Person", includesSubentities: false), at: nil)), [all[0]])
        XCTAssertEqual(Array(try store.fetchReferences(try store.fetch("Guest"), at: nil)), [all[2]])
        let rows = try store.fetchRows(try store.fetch("Person"), at: nil)
        XCTAssertEqual((0..<rows.count).map { rows.entityIndex($0) }, all.map { Int($0.entityIndex) })
        XCTAssertEqual(rows.snapshot(1).value(of: try store.property("text", of: "Employee")), "e")
        XCTAssertEqual(rows.snapshot(2).value(of: try store.property("text", of: "Guest")), "g")
        XCTAssertEqual(rows.snapshot(1).value(of: try store.property("text", of: "Guest")), .null)
    }

    func test_orderHasNilFirstAndEqualRowsByKey() throws {
        let store = try openStore(try TestModels.notes())
        try store.insert(
            "Note", [["title": "b", "rank": 1], ["title": nil, "rank": 1], ["title": "a", "rank": 1], ["title": "B", "rank": 2]])
        XCTAssertEqual(try keys(store, try store.fetch("Note", sort: [PinviewSortDescriptor(keyPath: "title")])), [2, 4, 3, 1])
        XCTAssertEqual(
            try keys(store, try store.fetch("Note", sort: [PinviewSortDescriptor(keyPath: "title", ascending: false)])), [1, 3, 4, 2])
        XCTAssertEqual(
            try keys(store, try store.fetch("Note", sort: [PinviewSortDescriptor(keyPath: "title", comparator: .caseInsensitive)])),
            [2, 3, 1, 4])
        XCTAssertEqual(
            try keys(store, try store.fetch("Note", sort: [PinviewSortDescriptor(keyPath: "rank", ascending: false)])), [4, 1, 2, 3])
    }

    func test_limitAndOffsetCutTheSameRowsForFetchAndCount() throws {
        let store = try openStore(try TestModels.notes())
        try store.insert("Note", (0..<10).map { ["rank": .integer($0 % 3)] })
        let byRank = [PinviewSortDescriptor(keyPath: "rank")]
        let all = try keys(store, try store.fetch("Note", sort: byRank))
        for (limit, offset) in [(3, 0), (3, 2), (0, 4), (100, 9), (5, 100), (1, 10)] {
            let fetch = try store.fetch("Note", sort: byRank, limit: limit, offset: offset)
            let expected = Array(all.dropFirst(offset).prefix(limit == 0 ? .max : limit))
            XCTAssertEqual(try keys(store, fetch), expected)
            XCTAssertEqual(try store.count(fetch, at: nil), expected.count)
            XCTAssertEqual(try store.fetchRows(fetch, at: nil).count, expected.count)
        }
    }

    func test_rowsOfManyKeysLeaveOutWhatIsNotThere() throws {
        let store = try openStore(try TestModels.company())
        try store.insert("Employee", (0..<2500).map { ["age": .integer($0)] })
        for count in [0, 1, 2, 8, 9, 64, 1000, 1001, 2500] {
            let wanted = (1...2500).shuffled().prefix(count).map(Int64.init)
            let rows = try store.rows(entity: try store.entity("Person"), primaryKeys: wanted + [9999], at: nil)
            XCTAssertEqual(Set((0..<rows.count).map { rows.primaryKey($0) }), Set(wanted))
            XCTAssertEqual(rows.count, count)
        }
        XCTAssertNil(try store.row(entity: try store.entity("Employee"), primaryKey: 9999, at: nil))
    }

    func test_keyLookUpsUseTheKeyAndToOneLookUpsTheirIndex() throws {
        let store = try openStore(try TestModels.company())
        let person = try store.insert("Person", [[:]])[0]
        let id = store.objectID(person)
        XCTAssertTrue(try plan(store, try store.fetch("Person", "SELF == %@", [id])).contains("INTEGER PRIMARY KEY"))
        XCTAssertTrue(try plan(store, try store.fetch("Person", "SELF IN %@", [[id, id]])).contains("INTEGER PRIMARY KEY"))
        XCTAssertTrue(try plan(store, try store.fetch("Car", "owner == %@", [id])).contains("ZCAR_ZOWNER_INDEX"))
        XCTAssertTrue(try plan(store, try store.fetch("Person", "name == 'a'")).contains("Z_Person_byName"))
        XCTAssertTrue(try plan(store, try store.fetch("Person", "name BEGINSWITH 'a'")).contains("Z_Person_byName"))
        XCTAssertTrue(try plan(store, try store.fetch("Person", "ANY cars.brand == 'a'")).contains("ZCAR_ZOWNER_INDEX"))
    }

    func test_FET_18_anINListOfAHundredThousandValuesWorks() throws {
        let store = try openStore(try TestModels.company())
        try store.insert("Person", [["name": "n5", "age": 5, "height": 0.1], ["name": "other\u{0}", "age": 200_000, "height": 0.25]])
        let names = (0..<100_000).map { "n\($0)" } + ["other\u{0}"]
        XCTAssertEqual(try keys(store, try store.fetch("Person", "name IN %@", [names])), [1, 2])
        XCTAssertEqual(try keys(store, try store.fetch("Person", "age IN %@", [Array(0..<100_000)])), [1])
        XCTAssertEqual(try keys(store, try store.fetch("Person", "height IN %@", [(0..<100_000).map { Double($0) / 10 }])), [1])
        XCTAssertEqual(try keys(store, try store.fetch("Person", "NOT name IN %@", [names])), [])
        XCTAssertEqual(try keys(store, try store.fetch("Person", "name IN {}")), [])
    }

    func test_longAndDeepPredicatesWork() throws {
        let store = try openStore(try TestModels.notes())
        try store.insert("Note", [["rank": 4999], ["rank": 5000]])
        let entity = try store.entity("Note")
        func fetch(_ predicate: PinviewPredicate) throws -> [Int64] {
            var fetch = StoreFetch(entity: entity)
            fetch.predicate = try predicate.resolved(for: entity, in: store.schema.model)
            return try keys(store, fetch)
        }
        let alternatives = (0..<5000).map {
            PinviewPredicate.comparison(ComparisonPredicate(.keyPath(["rank"]), .equalTo, .constant(.integer($0))))
        }
        XCTAssertEqual(try fetch(.or(alternatives)), [1])
        XCTAssertEqual(try fetch(.and(alternatives.map { .not($0) })), [2])
        for (depth, expected) in [(1, [1, 2]), (19, [1, 2]), (60, [1, 2]), (700, [1, 2])] as [(Int, [Int64])] {
            XCTAssertEqual(try fetch(Self.nested(depth, innermost: 0)), expected)
            XCTAssertEqual(try fetch(Self.nested(depth, innermost: 5000)), [2])
        }
        _ = assertError(.badPredicate) { _ = try fetch(Self.nested(701, innermost: 0)) }
        // A batch update takes the same way.
        var deep = StoreFetch(entity: entity)
        deep.predicate = try Self.nested(60, innermost: 5000).resolved(for: entity, in: store.schema.model)
        let result = try store.batchUpdate(deep, assignments: [(try store.property("rank", of: "Note"), 1)], returningReferences: true)
        XCTAssertEqual(result.references.map(\.primaryKey), [2])
    }

    /// AND and OR by turns, so that nothing can be made flat.
    private static func nested(_ depth: Int, innermost: Int64) -> PinviewPredicate {
        func rank(_ op: PredicateOperator, _ value: Int64) -> PinviewPredicate {
            .comparison(ComparisonPredicate(.keyPath(["rank"]), op, .constant(.integer(value))))
        }
        var predicate = rank(.greaterThanOrEqualTo, innermost)
        for level in 0..<depth {
            predicate = level % 2 == 0 ? .and([rank(.greaterThan, 0), predicate]) : .or([rank(.lessThan, 0), predicate])
        }
        return predicate
    }

    func test_FET_19_aKeyPathOverAMissingDestinationIsNil() throws {
        let store = try openStore(try TestModels.company())
        let owner = try store.insert("Person", [["name": "Ada"]])[0]
        try store.insert("Car", [["brand": "x"], ["brand": "y"]], references: [["owner": owner], [:]])
        XCTAssertEqual(try keys(store, try store.fetch("Car", "owner.name == 'Ada'")), [1])
        XCTAssertEqual(try keys(store, try store.fetch("Car", "owner.name != 'Ada'")), [2])
        XCTAssertEqual(try keys(store, try store.fetch("Car", "owner.name == nil")), [2])
        XCTAssertEqual(
            try keys(store, try store.fetch("Car", sort: [PinviewSortDescriptor(keyPath: "owner.name", ascending: false)])), [1, 2])
    }
}
