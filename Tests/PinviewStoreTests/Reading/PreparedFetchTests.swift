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
        let identifiers = try store.insert("Employee", [["name": "A"], ["name": "B"]]).map { store.objectID($0) }
        let values: [String: [Value]] = [
            "age": [.integer(1), .integer(-7), .null], "big": [.integer(.max), .integer(0)],
            "height": [.double(1.5), .integer(3), .integer((1 << 53) + 1), .null], "salary": [.decimal(3), .double(0.1), .double(.nan)],
            "born": [.date(Date(timeIntervalSinceReferenceDate: 10)), .date(Date(timeIntervalSinceReferenceDate: 0.5))],
            "alive": [.boolean(true), .boolean(false)], "name": [.string("x"), .string(""), .null], "mood": [.string("x")],
            "code": [.uuid(UUID())], "picture": [.binary([1, 2]), .binary([])], "data": [.binary([3])],
            "boss": [.objectID(identifiers[0]), .objectID(identifiers[1]), .null],
            "self": [.objectID(identifiers[0]), .objectID(identifiers[1])],
        ]
        var predicates: [PinviewPredicate?] = []
        for (key, values) in values.sorted(by: { $0.key < $1.key }) {
            for symbol in ["==", "!=", "<", "<=", ">", ">="] {
                for value in values {
                    predicates.append(try? PinviewPredicate(format: "\(key) \(symbol) %@", value))
                    predicates.append(try? PinviewPredicate(format: "\(key) \(symbol) %@ AND age > 3", value))
                    predicates.append(try? PinviewPredicate(format: "age > 4 OR \(key) \(symbol) %@", value))
                    predicates.append(try? PinviewPredicate(format: "NOT \(key) \(symbol) %@", value))
                }
            }
            for list in [[], [values[0]], values, values + [.null], Array(repeating: values[0], count: 70)] {
                predicates.append(try? PinviewPredicate(format: "\(key) IN %@", list))
                predicates.append(try? PinviewPredicate(format: "age == 1 OR \(key) IN %@", list))
                predicates.append(try? PinviewPredicate(format: "\(key) BETWEEN %@", list))
            }
        }
        XCTAssertGreaterThan(predicates.compactMap(\.self).count, 300)
        let known = try assertTextsOfShapes(predicates, of: person, store)
        XCTAssertGreaterThan(known.shapes.count, 300)
    }

    /// The same with key paths of all kinds, most of which have a shape, too.
    func test_theTextOfAShapeOfAKeyPathIsThatOfEachFetch() throws {
        let store = try openStore(try TestModels.company())
        let identifiers = try store.insert("Employee", [["name": "A"], ["name": "B"]]).map { store.objectID($0) }
        let starts = [
            "", "boss.", "boss.boss.", "ANY reports.", "ALL reports.", "NONE reports.", "ANY clubs.members.", "NONE clubs.members.",
            "ANY boss.friends.", "ALL boss.friends.", "ANY friends.boss.", "cars[0].owner.", "ANY cars[FIRST].owner.friends.",
        ]
        let ends: [(key: String, values: [Value])] = [
            ("name", [.string("x"), .string("y"), .null]), ("age", [.integer(3), .double(2.5)]), ("height", [.integer(.max), .double(1)]),
            ("alive", [.boolean(true), .null]), ("boss", [.objectID(identifiers[0]), .objectID(identifiers[1]), .null]),
            ("objectID", [.objectID(identifiers[0]), .null]), ("friends", [.objectID(identifiers[1])]),
        ]
        var predicates: [PinviewPredicate?] = []
        for start in starts {
            for (key, values) in ends {
                for symbol in ["==", "!=", "<", "==[c]", "<[cd]"] {
                    for value in values {
                        predicates.append(try? PinviewPredicate(format: "\(start)\(key) \(symbol) %@", value))
                        predicates.append(try? PinviewPredicate(format: "\(start)\(key) \(symbol) %@ AND boss.age > 3", value))
                    }
                }
                for list in [values, values + [.null], Array(repeating: values[0], count: 65)] {
                    predicates.append(try? PinviewPredicate(format: "\(start)\(key) IN %@", list))
                    predicates.append(try? PinviewPredicate(format: "\(start)\(key) BETWEEN %@", list))
                }
            }
        }
        XCTAssertGreaterThan(predicates.compactMap(\.self).count, 500)
        let known = try assertTextsOfShapes(predicates, of: try store.entity("Person"), store)
        XCTAssertGreaterThan(known.shapes.count, 500)
        XCTAssertGreaterThan(known.shapes.count, known.without)
    }

    /// Asserts that fetches of one shape have the same text.
    /// - Returns: the texts by shape, and how many fetches have none.
    private func assertTextsOfShapes(
        _ predicates: [PinviewPredicate?], of entity: Entity, _ store: SQLStore
    ) throws -> (shapes: [FetchShape: String], without: Int) {
        let order = try PinviewSortDescriptor(keyPath: "age", ascending: false).resolved(for: entity, in: store.schema.model)
        var shapes: [FetchShape: String] = [:], without = 0
        // Predicates that compare what cannot be compared are left out.
        let resolved = predicates.compactMap { try? $0?.resolved(for: entity, in: store.schema.model) }
        for predicate in [nil] + resolved.map(Optional.some) {
            for (limit, offset, sorted) in [(0, 0, false), (5, 0, true), (0, 2, false), (9, 3, true)] {
                let fetch = StoreFetch(
                    entity: entity, predicate: predicate, sortDescriptors: sorted ? [order] : [], limit: limit, offset: offset)
                for result in [FetchSQL.Result.rows, .references, .count] {
                    let alone = try FetchSQL(fetch, store: store).select(result)
                    let prepared = try PreparedFetch(fetch, result, store: store)
                    XCTAssertEqual(prepared.sql, alone.text)
                    XCTAssertEqual(prepared.bindings, alone.bindings)
                    var bindings: [StoredCell] = []
                    if let shape = FetchShape(fetch, result, store, bindings: &bindings) {
                        XCTAssertEqual(shapes[shape] ?? alone.text, alone.text)
                        shapes[shape] = alone.text
                    } else {
                        without += 1
                    }
                }
            }
        }
        return (shapes, without)
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
