import Foundation
import PinviewModel
import PinviewPredicates
import XCTest

@testable import PinviewStore

/// Fetches that differ only in constants share the text of a statement, which must be the one that
/// each would have alone.
final class PreparedFetchTests: StoreTestCase {
    func test_theTextOfAShapeIsThatOfEachFetch() throws {
        let store = try openStore(try TestModels.company())
        let person = try store.entity("Person")
        let employees = try store.insert("Employee", [["name": "A"], ["name": "B"]])
        let identifiers = employees.map { store.objectID($0) }
        let values: [String: [Value]] = [
            "age": [.integer(1), .integer(-7), .null], "big": [.integer(.max), .integer(0)],
            "height": [.double(1.5), .integer(3), .integer((1 << 53) + 1), .null], "salary": [.decimal(3), .double(0.1), .double(.nan)],
            "born": [.date(Date(timeIntervalSinceReferenceDate: 10)), .date(Date(timeIntervalSinceReferenceDate: 0.5))],
            "alive": [.boolean(true), .boolean(false)], "name": [.string("x"), .string(""), .null], "mood": [.string("x")],
            "code": [.uuid(UUID())], "picture": [.binary([1, 2]), .binary([])], "data": [.binary([3])],
            "boss": [.objectID(identifiers[0]), .objectID(identifiers[1]), .null],
            "self": [.objectID(identifiers[0]), .objectID(identifiers[1])],
        ]
        var predicates: [PinviewPredicate?] = [nil]
        for (key, values) in values.sorted(by: { $0.key < $1.key }) {
            for symbol in ["==", "!=", "<", "<=", ">", ">="] {
                guard symbol.contains("="),
                    symbol.count == 2 && !symbol.hasPrefix("<") && !symbol.hasPrefix(">") || key != "boss" && key != "self"
                else { continue }
                for value in values {
                    predicates.append(try? PinviewPredicate(format: "\(key) \(symbol) %@", value))
                    predicates.append(try? PinviewPredicate(format: "\(key) \(symbol) %@ AND age > 3", value))
                    predicates.append(try? PinviewPredicate(format: "age > 4 OR \(key) \(symbol) %@", value))
                    predicates.append(try? PinviewPredicate(format: "NOT \(key) \(symbol) %@", value))
                }
            }
        }
        XCTAssertGreaterThan(predicates.compactMap { $0 }.count, 200)
        let order = try PinviewSortDescriptor(keyPath: "age", ascending: false).resolved(for: person, in: store.schema.model)
        var shapes: Set<FetchShape> = []
        for predicate in predicates {
            guard let resolved = try? predicate?.resolved(for: person, in: store.schema.model) else { continue }
            for (limit, offset, sorted) in [(0, 0, false), (5, 0, true), (0, 2, false), (9, 3, true)] {
                let fetch = StoreFetch(
                    entity: person, predicate: resolved, sortDescriptors: sorted ? [order] : [], limit: limit, offset: offset)
                for result in [FetchSQL.Result.rows, .references, .count] {
                    let alone = try FetchSQL(fetch, store: store).select(result)
                    let prepared = try PreparedFetch(fetch, result, store: store)
                    XCTAssertEqual(prepared.sql, alone.text)
                    XCTAssertEqual(prepared.bindings, alone.bindings)
                    var bindings: [StoredCell] = []
                    if let shape = FetchShape(fetch, result, store, bindings: &bindings) { shapes.insert(shape) }
                }
            }
        }
        XCTAssertGreaterThan(shapes.count, 100)
    }

    func test_aTextIsMadeOnceForAllConstants() throws {
        let store = try openStore(try TestModels.notes())
        let note = try store.entity("Note")
        try store.insert("Note", (0..<5).map { ["title": .string("\($0)")] })
        for title in 0..<5 {
            let predicate = try PinviewPredicate(format: "title == %@", Value.string("\(title)")).resolved(
                for: note, in: store.schema.model)
            let found = try store.fetchReferences(StoreFetch(entity: note, predicate: predicate, limit: title + 1), at: nil)
            XCTAssertEqual(found.map(\.primaryKey), [Int64(title + 1)])
        }
        XCTAssertEqual(store.fetchTexts.count, 1)
    }

    // MARK: Plans

    private func plan(_ sql: String, _ store: SQLStore) throws -> String {
        try sqlite3("EXPLAIN QUERY PLAN " + sql.replacingOccurrences(of: "?", with: "1")).joined(separator: "\n")
    }

    /// The members of many owners come in the order of the index on the owner's key.
    func test_destinationsNeedNoSort() throws {
        let store = try openStore(try TestModels.company())
        for (entity, name) in [("Person", "reports"), ("Person", "boss"), ("Person", "clubs")] {
            let kinds: [DestinationColumns] = [.references, .rowsAndOwners] + (name == "clubs" ? [.keysAndOwners] : [])
            for columns in kinds {
                let relationship = try store.property(name, of: entity)
                for count in [0, 1, 8] {
                    let text = try XCTUnwrap(try store.destinationsText(relationship, ownerCount: count, columns))
                    let plan = try plan(text.sql, store)
                    XCTAssertFalse(plan.contains("TEMP B-TREE"), plan)
                    XCTAssertFalse(plan.contains("SCAN"), plan)
                }
            }
        }
    }

    func test_fetchesByAnIndexNeedNoSortAndNoScan() throws {
        let store = try openStore(try TestModels.company())
        let person = try store.entity("Person"), model = store.schema.model
        let byName = try PinviewSortDescriptor(keyPath: "name", ascending: true).resolved(for: person, in: model)
        let byAge = try PinviewSortDescriptor(keyPath: "age", ascending: false).resolved(for: person, in: model)
        for format in ["name == 'x'", "name > 'x'", "name BEGINSWITH 'x'"] {
            let predicate = try PinviewPredicate(format: format).resolved(for: person, in: model)
            var fetch = StoreFetch(entity: person, predicate: predicate, sortDescriptors: [byName, byAge], limit: 10)
            for result in [StatementToExplain.rows(fetch), .references(fetch)] {
                let plan = try store.explain(result, at: nil).queryPlan.joined(separator: "\n")
                XCTAssertTrue(plan.contains("USING INDEX") || plan.contains("USING COVERING INDEX"), plan)
                XCTAssertFalse(plan.contains("TEMP B-TREE"), plan)
            }
            fetch.sortDescriptors = []
            fetch.limit = 0
            let plan = try store.explain(.count(fetch), at: nil).queryPlan.joined(separator: "\n")
            XCTAssertTrue(plan.contains("INDEX"), plan)
            XCTAssertFalse(plan.contains("SCAN"), plan)
        }
    }
}
