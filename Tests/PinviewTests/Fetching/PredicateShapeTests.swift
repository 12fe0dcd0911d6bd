import Foundation
import Pinview
import RandomSupport
import XCTest

/// Predicates that differ only in how the same comparisons are joined, one after the other on one
/// store: each finds what the naive evaluation of its tree finds, although the store caches its
/// statements.
final class PredicateShapeTests: StackTestCase {
    private struct Row { let a: Int, b: Int, c: Int }

    private indirect enum Tree {
        case comparison(String, String, Int)
        case and(Tree, Tree), or(Tree, Tree), not(Tree)

        func holds(_ row: Row) -> Bool {
            switch self {
            case .comparison(let key, let symbol, let constant):
                let value = key == "a" ? row.a : key == "b" ? row.b : row.c
                return switch symbol {
                case "==": value == constant
                case "!=": value != constant
                case "<": value < constant
                case "<=": value <= constant
                case ">": value > constant
                default: value >= constant
                }
            case .and(let left, let right): return left.holds(row) && right.holds(row)
            case .or(let left, let right): return left.holds(row) || right.holds(row)
            case .not(let tree): return !tree.holds(row)
            }
        }

        var format: String {
            switch self {
            case .comparison(let key, let symbol, let constant): "\(key) \(symbol) \(constant)"
            case .and(let left, let right): "(\(left.format)) AND (\(right.format))"
            case .or(let left, let right): "(\(left.format)) OR (\(right.format))"
            case .not(let tree): "NOT (\(tree.format))"
            }
        }
    }

    private static let rows: [Row] = (0..<27).map { Row(a: $0 / 9, b: $0 / 3 % 3, c: $0 % 3) }

    override func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(name: "Row", attributes: ["a", "b", "c"].map { AttributeDescription(name: $0, attributeType: .integer64) })
        ])
    }

    override func prepareStore() throws {
        let context = try makeContext(coordinator)
        for row in Self.rows {
            let object = try context.insertNewObject(forEntityName: "Row")
            try object.setValue(row.a, forKey: "a")
            try object.setValue(row.b, forKey: "b")
            try object.setValue(row.c, forKey: "c")
        }
        try context.save()
    }

    /// Every way to join three comparisons by two of AND, OR and NOT.
    private func trees(_ first: Tree, _ second: Tree, _ third: Tree) -> [Tree] {
        let joins: [(Tree, Tree) -> Tree] = [{ .and($0, $1) }, { .or($0, $1) }]
        var trees: [Tree] = []
        for outer in joins {
            trees.append(outer(first, second))
            trees.append(.not(outer(first, second)))
            trees.append(outer(.not(first), second))
            for inner in joins {
                trees.append(outer(inner(first, second), third))
                trees.append(outer(first, inner(second, third)))
                trees.append(outer(.not(inner(first, second)), third))
                trees.append(outer(first, .not(inner(second, third))))
                trees.append(.not(outer(inner(first, second), third)))
            }
        }
        return trees
    }

    func test_FET_18_theSameComparisonsJoinedInEveryWay() throws {
        let seed = SeededGenerator.givenSeed ?? 1
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let symbols = ["==", "!=", "<", "<=", ">", ">="]
        func comparison(_ key: String) -> Tree { .comparison(key, symbols[random.below(6)], random.below(3)) }
        for _ in 0..<6 {
            let (first, second) = (comparison("a"), comparison("b"))
            // The third is of a key of its own or of one that is there already, with which it may
            // become one.
            let third = comparison(["a", "b", "c"][random.below(3)])
            var all = trees(first, second, third) + trees(first, comparison("a"), second)
            all += all
            for index in all.indices.reversed() { all.swapAt(index, random.below(index + 1)) }
            for tree in all {
                let expected = Self.rows.filter { tree.holds($0) }.map { [$0.a, $0.b, $0.c] }
                var request = try FetchRequest("Row", tree.format)
                XCTAssertEqual(try context.count(for: request), expected.count, "seed \(seed): \(tree.format)")
                request.sortDescriptors = ["a", "b", "c"].map { PinviewSortDescriptor(keyPath: $0, ascending: true) }
                let found = try context.fetch(request).map { row in
                    try ["a", "b", "c"].map { Int(try row.integer($0) ?? -1) }
                }
                XCTAssertEqual(found, expected, "seed \(seed): \(tree.format)")
            }
        }
    }
}
