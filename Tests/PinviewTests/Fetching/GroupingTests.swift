import Foundation
import Pinview
import RandomSupport
import XCTest

/// Groups beside a naive group-by: names of computed values, and what has no single value for a
/// group (FET-19, FET-21).
final class GroupingTests: StackTestCase {
    override func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Sale",
                attributes: [
                    AttributeDescription(name: "city", attributeType: .string),
                    AttributeDescription(name: "kind", attributeType: .integer16),
                    AttributeDescription(name: "n", attributeType: .integer64), AttributeDescription(name: "price", attributeType: .double),
                ])
        ])
    }

    override func prepareStore() throws {}

    private struct Sale {
        let city: String, kind: Int64, n: Int64, price: Double
    }

    private func sales(_ properties: [(String, String)], keyPaths: [String] = [], groupBy: [String]) throws -> FetchRequest {
        var request = FetchRequest(entityName: "Sale")
        request.resultType = .dictionary
        request.propertiesToFetch = keyPaths.map { .keyPath($0) }
        for (name, format) in properties {
            request.propertiesToFetch.append(
                .expression(ExpressionDescription(name: name, expression: try PinviewExpression(format: format))))
        }
        request.propertiesToGroupBy = groupBy
        return request
    }

    private func insert(_ sales: [Sale]) throws {
        let rows = sales.map { sale -> [String: Value] in
            ["city": .string(sale.city), "kind": .integer(sale.kind), "n": .integer(sale.n), "price": .double(sale.price)]
        }
        _ = try context.execute(BatchInsertRequest(entityName: "Sale", objects: rows))
    }

    func test_FET_21_aComputedNameComesBeforeAnAttribute() throws {
        try insert([
            Sale(city: "a", kind: 1, n: 100, price: 1), Sale(city: "b", kind: 1, n: 1, price: 1), Sale(city: "b", kind: 1, n: 2, price: 1),
        ])
        var request = try sales([("n", "count:(SELF)")], keyPaths: ["city"], groupBy: ["city"])
        request.havingPredicate = try PinviewPredicate(format: "n >= 2")
        XCTAssertEqual(try context.fetchDictionaries(request).rows, [["b", 2]])
        request.havingPredicate = try PinviewPredicate(format: "n >= 2 AND sum:(n) > 3")
        XCTAssertEqual(try context.fetchDictionaries(request).rows, [])
        request.havingPredicate = nil
        request.sortDescriptors = [PinviewSortDescriptor(keyPath: "n", ascending: false)]
        XCTAssertEqual(try context.fetchDictionaries(request).rows, [["b", 2], ["a", 1]])
        // A value named as what it is computed of.
        request = try sales([("city", "uppercase:(city)")], groupBy: ["city"])
        request.havingPredicate = try PinviewPredicate(format: "city == 'B'")
        XCTAssertEqual(try context.fetchDictionaries(request).rows, [["B"]])
    }

    func test_FET_19_whatHasNoSingleValueIsRefusedEverywhere() throws {
        try insert([Sale(city: "a", kind: 1, n: 1, price: 1)])
        func request(_ properties: [(String, String)], having: String? = nil, sort: String? = nil) throws -> FetchRequest {
            var request = try sales(properties, keyPaths: ["city"], groupBy: ["city"])
            request.havingPredicate = try having.map { try PinviewPredicate(format: $0) }
            if let sort { request.sortDescriptors = [PinviewSortDescriptor(keyPath: sort)] }
            return request
        }
        for having in [
            "n > 1", "price + sum:(n) > 1", "TERNARY(kind == 1, 1, 2) == 1", "n IN {1, 2}", "n BETWEEN {1, 2}", "1 < kind", "SELF == nil",
            "uppercase:(city) == 'A' AND NOT kind == 2", "city == 'a' OR abs:(n) == 1",
        ] {
            let error = assertError(.invalidArgument, try context.fetchDictionaries(try request([("total", "sum:(n)")], having: having)))
            XCTAssertTrue("\(String(describing: error))".contains("group by it as well"), having)
        }
        for computed in ["n", "n + sum:(n)", "TERNARY(sum:(n) > 1, kind, 0)"] {
            assertError(.invalidArgument, try context.fetchDictionaries(try request([("x", computed)])))
        }
        assertError(.invalidArgument, try context.fetchDictionaries(try request([("total", "sum:(n)")], sort: "kind")))
        assertError(.unknownKey, try context.fetchDictionaries(try request([("total", "sum:(n)")], having: "nothing > 1")))
        // All rows are one group.
        var whole = try sales([("total", "sum:(n)")], groupBy: [])
        whole.sortDescriptors = [PinviewSortDescriptor(keyPath: "n")]
        assertError(.invalidArgument, try context.fetchDictionaries(whole))
        // Distinct rows have the values of their columns only.
        var distinct = try sales([], keyPaths: ["city"], groupBy: [])
        distinct.returnsDistinctResults = true
        distinct.sortDescriptors = [PinviewSortDescriptor(keyPath: "n")]
        assertError(.invalidArgument, try context.fetchDictionaries(distinct))
        var grouped = try sales([("total", "sum:(n)")], groupBy: ["total"])
        grouped.propertiesToFetch.append("city")
        assertError(.invalidArgument, try context.fetchDictionaries(grouped))
    }

    func test_FET_21_textsAreSortedByTheirComparator() throws {
        try insert(["b10", "B9", "a"].map { Sale(city: $0, kind: 1, n: 1, price: 1) })
        var request = try sales([("where", "max:(city)")], groupBy: ["city"])
        request.sortDescriptors = [PinviewSortDescriptor(keyPath: "where", comparator: .localizedStandard)]
        XCTAssertEqual(try context.fetchDictionaries(request).rows, [["a"], ["B9"], ["b10"]])
        request = try sales([("where", "max:(n)")], groupBy: ["city"])
        request.sortDescriptors = [PinviewSortDescriptor(keyPath: "where", comparator: .caseInsensitive)]
        assertError(.invalidArgument, try context.fetchDictionaries(request))
    }

    /// Random requests; the seed is printed.
    func test_FET_21_randomGroupsAgreeWithANaiveGroupBy() throws {
        let seed = SeededGenerator.givenSeed ?? 1
        print("PINVIEW_SEED=\(seed)")
        var state = seed
        func random(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % count
        }
        let rows = (0..<80).map { _ in
            Sale(city: ["a", "b", "c"][random(3)], kind: Int64(random(3)), n: Int64(random(7)), price: Double(random(5)) / 2)
        }
        try insert(rows)
        let keys: [(name: String, value: (Sale) -> Value)] = [
            ("city", { .string($0.city) }), ("kind", { .integer($0.kind) }), ("double", { .integer($0.n * 2) }),
        ]
        let computed: [(name: String, format: String, value: ([Sale]) -> Double)] = [
            ("n", "count:(SELF)", { Double($0.count) }), ("total", "sum:(n)", { Double($0.reduce(0) { $0 + $1.n }) }),
            ("price", "max:(price)", { $0.map(\.price).max() ?? 0 }),
            ("least", "min:(n + kind)", { Double($0.map { $0.n + $0.kind }.min() ?? 0) }),
        ]
        let comparators: [(String, (Double, Double) -> Bool)] = [
            ("==", { $0 == $1 }), ("!=", { $0 != $1 }), ("<", { $0 < $1 }), ("<=", { $0 <= $1 }), (">", { $0 > $1 }), (">=", { $0 >= $1 }),
        ]
        for _ in 0..<300 {
            let chosen = keys.filter { _ in random(2) == 0 }
            guard !chosen.isEmpty else { continue }
            var request = try sales(computed.map { ($0.name, $0.format) }, keyPaths: [], groupBy: chosen.map(\.name))
            for key in chosen.reversed() {
                let value: PropertyToFetch =
                    key.name == "double"
                    ? .expression(ExpressionDescription(name: "double", expression: try PinviewExpression(format: "n * 2")))
                    : .keyPath(key.name)
                request.propertiesToFetch.insert(value, at: 0)
            }
            let (first, second) = (computed[random(4)], computed[random(4)])
            let (firstOperator, secondOperator) = (comparators[random(6)], comparators[random(6)])
            let (firstLimit, secondLimit) = (random(12), random(12))
            let isConjunction = random(2) == 0
            // By name, or written out.
            let secondText = random(2) == 0 ? second.name : second.format
            let format =
                "\(first.name) \(firstOperator.0) \(firstLimit) \(isConjunction ? "AND" : "OR") \(secondText) \(secondOperator.0) \(secondLimit)"
            request.havingPredicate = try PinviewPredicate(format: format)
            let sortsByComputed = random(2) == 0
            request.sortDescriptors =
                (sortsByComputed ? [PinviewSortDescriptor(keyPath: first.name, ascending: false)] : [])
                + chosen.map { PinviewSortDescriptor(keyPath: $0.name) }
            var groups: [[Value]: [Sale]] = [:]
            for row in rows { groups[chosen.map { $0.value(row) }, default: []].append(row) }
            let kept = groups.filter { _, members in
                let one = firstOperator.1(first.value(members), Double(firstLimit))
                let other = secondOperator.1(second.value(members), Double(secondLimit))
                return isConjunction ? one && other : one || other
            }
            let sorted = kept.sorted { left, right in
                if sortsByComputed, first.value(left.value) != first.value(right.value) {
                    return first.value(left.value) > first.value(right.value)
                }
                for (one, other) in zip(left.key, right.key) where one != other { return Self.isBefore(one, other) }
                return false
            }
            let found = try context.fetchDictionaries(request).rows
            XCTAssertEqual(found.map { Array($0.prefix(chosen.count)) }, sorted.map(\.key), "seed \(seed): \(format)")
            XCTAssertEqual(
                found.map { $0.dropFirst(chosen.count).map(Self.number) }, sorted.map { group in computed.map { $0.value(group.value) } },
                "seed \(seed): \(format)")
        }
    }

    private static func isBefore(_ left: Value, _ right: Value) -> Bool {
        if case .string(let left) = left, case .string(let right) = right { return left < right }
        return number(left) < number(right)
    }

    private static func number(_ value: Value) -> Double {
        switch value {
        case .integer(let number): Double(number)
        case .double(let number): number
        default: .nan
        }
    }
}
