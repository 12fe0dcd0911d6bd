import Foundation
import PinviewModel
import PinviewPredicates
import XCTest

@testable import PinviewStore

/// Numbers of all kinds compare by their exact values: the store, the judgement in memory and a
/// naive model of digits agree (FET-18).
final class NumberAgreementTests: StoreTestCase {
    /// A number written out in decimal digits, all of them.
    private struct Digits: Comparable {
        let isNegative: Bool
        /// Without leading zeros.
        let whole: String
        /// Without trailing zeros.
        let fraction: String
        /// 1 above all numbers (infinity), 2 above that (NaN as a decimal), -1 below all.
        var beyond = 0

        init(_ text: String) {
            isNegative = text.hasPrefix("-")
            let parts = text.drop { $0 == "-" }.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            whole = String(parts[0].drop { $0 == "0" })
            fraction = parts.count > 1 ? String(parts[1].reversed().drop { $0 == "0" }.reversed()) : ""
        }

        init(_ value: Value, comparedWithDecimal: Bool) {
            switch value {
            case .integer(let number): self.init(String(number))
            case .boolean(let flag): self.init(flag ? "1" : "0")
            case .decimal(let number):
                self.init(number.isNaN ? "0" : number.description)
                if number.isNaN { beyond = 2 }
            case .double(let number) where number.isInfinite:
                self.init("0")
                beyond = number > 0 ? 1 : -1
            case .double(let number) where comparedWithDecimal && Int64(exactly: number) == nil:
                // Such a double is kept for the decimal that names it.
                self.init(DecimalNumber(number.description)?.description ?? "0")
            case .double(let number): self.init(String(format: "%.1100f", number))
            default: self.init("0")
            }
        }

        private var magnitude: (Int, String, String) { (whole.utf8.count, whole, fraction) }
        private var isZero: Bool { whole.isEmpty && fraction.isEmpty }

        static func == (left: Self, right: Self) -> Bool {
            left.beyond == right.beyond && left.magnitude == right.magnitude && (left.isNegative == right.isNegative || left.isZero)
        }

        static func < (left: Self, right: Self) -> Bool {
            if left.beyond != right.beyond { return left.beyond < right.beyond }
            if left == right { return false }
            let (leftNegative, rightNegative) = (left.isNegative && !left.isZero, right.isNegative && !right.isZero)
            if leftNegative != rightNegative { return leftNegative }
            return leftNegative ? right.magnitude < left.magnitude : left.magnitude < right.magnitude
        }
    }

    private static let comparators: [PredicateOperator] = [
        .equalTo, .notEqualTo, .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo,
    ]

    private static func isDecimal(_ value: Value) -> Bool { if case .decimal = value { true } else { false } }

    private static func isExpected(_ left: Value, _ op: PredicateOperator, _ right: Value) -> Bool {
        let isMixed = isDecimal(left) || isDecimal(right)
        let (left, right) = (Digits(left, comparedWithDecimal: isMixed), Digits(right, comparedWithDecimal: isMixed))
        switch op {
        case .equalTo: return left == right
        case .notEqualTo: return left != right
        case .lessThan: return left < right
        case .lessThanOrEqualTo: return left < right || left == right
        case .greaterThan: return right < left
        default: return right < left || left == right
        }
    }

    // MARK: Values

    private static func decimals(_ texts: [String]) -> [Value] { texts.map { .decimal(DecimalNumber($0) ?? .zero) } }

    /// Values that columns hold, for each kind of attribute.
    private static let stored: [(kind: String, type: AttributeType, values: [Value])] = [
        (
            "i", .integer64,
            [0, 1, -1, .integer(1 << 53), .integer(1 << 53 + 1), .integer(1 << 53 - 1), .integer(1 << 60), .integer(.max), .integer(.min)]
        ),
        ("s", .integer16, [0, 1, -1, 3, 32767, -32768]),
        ("b", .boolean, [true, false]),
        (
            "d", .double,
            [
                0, -0.0, 0.1, 0.5, 1.0, .double(0x1p53), .double(0x1p53 - 1), .double(0x1p53 + 2), .double(0x1p60), .double(0x1p63),
                .double(-0x1p63), .double(0x1p64), 1e308, -1e308, 5e-324, 0.30000000000000004,
            ]
        ),
        ("f", .float, [0, 0.1, 0.5, .double(0x1p24), .double(0x1p60), .double(-0x1p63), 1e30]),
        (
            "n", .decimal,
            decimals([
                "0", "1", "0.1", "0.5", "2.5", "9007199254740993", "9007199254740991", "9007199254740992", "1152921504606846976",
                "9223372036854775807", "-9223372036854775808", "18446744073709552000", "1e308", "NaN", "0.30000000000000004",
            ])
        ),
    ]

    /// Constants beside those: what no column holds.
    private static let others: [Value] =
        [.double(.infinity), .double(-.infinity), .double(0x1p63 + 2048), 9007199254740992.0, 4.5]
        + decimals([
            "12345678901234567890123456789012345678", "-12345678901234567890123456789012345678", "0.12345678901234567890123456789012345678",
            "4611686018427388004.5", "-4611686018427388004.5", "9007199254740992.5", "9223372036854775807.5", "-9223372036854775808.5",
            "9223372036854775808", "18446744073709551616", "0.10000000000000000001", "1e399", "-1e399", "1e-390", "1152921504606846977",
        ])

    private final class Row: EvaluableObject {
        let evaluableID: ManagedObjectID
        let snapshot: RowSnapshot

        init(_ id: ManagedObjectID, _ snapshot: RowSnapshot) {
            evaluableID = id
            self.snapshot = snapshot
        }

        func evaluableValue(of property: Property) throws(PinviewError) -> Value { snapshot.value(of: property) }
        func evaluableDestination(of property: Property) throws(PinviewError) -> (any EvaluableObject)? { nil }
        func evaluableDestinations(of property: Property) throws(PinviewError) -> [any EvaluableObject] { [] }
    }

    private struct Rows {
        let store: SQLStore
        let references: [Reference]
        let objects: [Row]
        let values: [[String: Value]]

        init(_ store: SQLStore, _ rows: [[String: Value]]) throws {
            self.store = store
            references = try store.insert("Pair", rows)
            objects = try references.map { Row(store.objectID($0), try XCTUnwrap(try store.newestRow($0))) }
            let entity = try store.entity("Pair")
            // As they were kept: a float is rounded.
            values = try objects.map { object in
                Dictionary(uniqueKeysWithValues: try entity.attributes.map { ($0.name, try object.evaluableValue(of: $0)) })
            }
        }

        func check(_ predicate: PinviewPredicate, line: UInt = #line, _ isExpected: ([String: Value]) -> Bool) throws {
            let entity = try store.entity("Pair")
            var fetch = StoreFetch(entity: entity)
            let resolved = try predicate.resolved(for: entity, in: store.schema.model)
            fetch.predicate = resolved
            let found = Set(try store.fetchReferences(fetch, at: nil))
            for (index, reference) in references.enumerated() {
                let expected = isExpected(values[index])
                let inMemory = try resolved.evaluate(with: objects[index])
                guard found.contains(reference) != expected || inMemory != expected else { continue }
                XCTFail(
                    "\(predicate) of \(values[index]): SQL \(found.contains(reference)), memory \(inMemory), expected \(expected)",
                    line: line)
                return
            }
        }
    }

    private func openNumbers() throws -> SQLStore {
        var attributes: [AttributeDescription] = []
        for side in ["l", "r"] {
            for (kind, type, _) in Self.stored { attributes.append(AttributeDescription(name: side + kind, attributeType: type)) }
        }
        return try openStore(try ManagedObjectModel(entities: [EntityDescription(name: "Pair", attributes: attributes)]))
    }

    /// Every value of the left side with every one of the right.
    private func makePairs(_ store: SQLStore) throws -> Rows {
        let count = Self.stored.map(\.values.count).max() ?? 0
        var rows: [[String: Value]] = []
        for left in 0..<count {
            for right in 0..<count {
                var row: [String: Value] = [:]
                for (kind, _, values) in Self.stored {
                    row["l" + kind] = values[left % values.count]
                    row["r" + kind] = values[right % values.count]
                }
                rows.append(row)
            }
        }
        return try Rows(store, rows)
    }

    // MARK: Tests

    func test_FET_18_everyPairOfKindsAndComparator() throws {
        let rows = try makePairs(try openNumbers())
        for (left, _, _) in Self.stored {
            for (right, _, _) in Self.stored {
                for op in Self.comparators {
                    let predicate = PinviewPredicate.comparison(ComparisonPredicate(.keyPath(["l" + left]), op, .keyPath(["r" + right])))
                    try rows.check(predicate) { Self.isExpected($0["l" + left] ?? .null, op, $0["r" + right] ?? .null) }
                }
            }
        }
    }

    /// Computed values: whole numbers and doubles, beside attributes and each other.
    func test_FET_18_computedValues() throws {
        let rows = try makePairs(try openNumbers())
        func computed(_ value: Value) -> Value {
            if case .boolean(let flag) = value { return .integer(flag ? 1 : 0) }
            return value
        }
        for left in ["i", "s", "b", "d", "f"] {
            for (right, _, _) in Self.stored {
                for op in Self.comparators {
                    for wrapped in ["TERNARY(ls > 40000, 0, l\(left))", "sum:({l\(left)})", "max:({l\(left)})"] {
                        let expression = try PinviewExpression(format: wrapped)
                        try rows.check(.comparison(ComparisonPredicate(expression, op, .keyPath(["r" + right])))) {
                            Self.isExpected(computed($0["l" + left] ?? .null), op, $0["r" + right] ?? .null)
                        }
                    }
                }
            }
        }
    }

    /// The constants that a kind is compared with. Those that a float would round are left out: a
    /// constant takes the attribute's type.
    private func constants(for kind: String) -> [Value] {
        var seen: Set<Value> = []
        return (Self.stored.flatMap(\.values) + Self.others).filter { value in
            guard seen.insert(value).inserted else { return false }
            guard kind == "f" else { return true }
            switch value {
            case .integer, .boolean: return true
            case .double(let number): return number.isInfinite || number.rounded() == number || Double(Float(number)) == number
            case .decimal(let number): return number.isNaN || number.int64Value != nil
            default: return false
            }
        }
    }

    func test_FET_18_everyConstantAndComparator() throws {
        let store = try openNumbers()
        let count = Self.stored.map(\.values.count).max() ?? 0
        let rows = try Rows(
            store,
            (0..<count).map { index in
                Dictionary(uniqueKeysWithValues: Self.stored.map { ("l" + $0.kind, $0.values[index % $0.values.count]) })
            })
        for (kind, _, _) in Self.stored {
            let key = "l" + kind
            let constants = constants(for: kind)
            for (index, constant) in constants.enumerated() {
                for op in Self.comparators {
                    try rows.check(.comparison(ComparisonPredicate(.keyPath([key]), op, .constant(constant)))) {
                        Self.isExpected($0[key] ?? .null, op, constant)
                    }
                    try rows.check(.comparison(ComparisonPredicate(.constant(constant), op, .keyPath([key])))) {
                        Self.isExpected(constant, op, $0[key] ?? .null)
                    }
                    guard kind != "n" else { continue }
                    try rows.check(
                        .comparison(ComparisonPredicate(.function(.sum, [.aggregate([.keyPath([key])])]), op, .constant(constant)))
                    ) {
                        Self.isExpected($0[key] ?? .null, op, constant)
                    }
                }
                let second = constants[(index * 7 + 3) % constants.count]
                let pair = PinviewExpression.aggregate([.constant(constant), .constant(second)])
                try rows.check(.comparison(ComparisonPredicate(.keyPath([key]), .in, pair))) {
                    let value = $0[key] ?? .null
                    return Self.isExpected(value, .equalTo, constant) || Self.isExpected(value, .equalTo, second)
                }
                try rows.check(.comparison(ComparisonPredicate(.keyPath([key]), .between, pair))) {
                    let value = $0[key] ?? .null
                    return Self.isExpected(value, .greaterThanOrEqualTo, constant) && Self.isExpected(value, .lessThanOrEqualTo, second)
                }
            }
            // Long enough to be looked up at once.
            try rows.check(.comparison(ComparisonPredicate(.keyPath([key]), .in, .aggregate(constants.map(PinviewExpression.constant))))) {
                row in
                constants.contains { Self.isExpected(row[key] ?? .null, .equalTo, $0) }
            }
        }
    }

    func test_FET_12_orderIsByValue() throws {
        let rows = try makePairs(try openNumbers())
        let entity = try rows.store.entity("Pair")
        for (kind, _, _) in Self.stored {
            var fetch = StoreFetch(entity: entity)
            fetch.sortDescriptors = [try PinviewSortDescriptor(keyPath: "l" + kind).resolved(for: entity, in: rows.store.schema.model)]
            let found = try rows.store.fetchReferences(fetch, at: nil)
            let values = found.map { reference in rows.values[rows.references.firstIndex(of: reference) ?? 0]["l" + kind] ?? .null }
            for (left, right) in zip(values, values.dropFirst()) {
                XCTAssertTrue(Self.isExpected(left, .lessThanOrEqualTo, right), "\(kind): \(left), \(right)")
            }
        }
    }
}
