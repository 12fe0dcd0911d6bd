import PinviewModel
import PinviewPredicates
import XCTest

/// How sort descriptors order objects in memory (FET-12).
final class SortTests: PredicateTestCase {
    private func order(_ left: TestObject, _ right: TestObject, _ descriptors: PinviewSortDescriptor...) throws -> Int {
        try ResolvedSortDescriptor.order(left, right, by: descriptors.map { try $0.resolved(for: person, in: model) })
    }

    func test_FET_12_nilComesFirst() throws {
        for (key, value) in [
            ("name", ""), ("age", .integer(.min)), ("height", .double(-.infinity)), ("isMember", false), ("photo", .binary([])),
        ] as [(String, Value)] {
            XCTAssertLessThan(try order(makePerson(), makePerson([key: value]), PinviewSortDescriptor(keyPath: key)), 0, key)
            XCTAssertGreaterThan(
                try order(makePerson(), makePerson([key: value]), PinviewSortDescriptor(keyPath: key, ascending: false)), 0, key)
            XCTAssertEqual(try order(makePerson(), makePerson(), PinviewSortDescriptor(keyPath: key)), 0, key)
        }
        XCTAssertEqual(
            try order(makePerson(["height": .double(.nan)]), makePerson(), PinviewSortDescriptor(keyPath: "height")), 0, "NaN is nil")
    }

    func test_FET_12_valuesAreSortedByType() throws {
        let uuids = [
            "00000000-0000-0000-0000-000000000001", "6F9619FF-8B86-D011-B42D-00C04FC964FF", "FF000000-0000-0000-0000-000000000000",
        ].compactMap(UUID.init(uuidString:))
        let sorted: [(String, [Value])] = [
            ("age", [-1, 0, 5]), ("height", [.double(-.infinity), -0.5, 0.0, 1e300, .double(.infinity)]), ("isMember", [false, true]),
            ("wealth", [.decimal(DecimalNumber(-3)), .decimal(DecimalNumber(0.5)), .decimal(.notANumber)]), ("name", ["", "B", "a", "é"]),
            ("key", uuids.map(Value.uuid)),
            ("photo", [.binary([]), .binary([1]), .binary([1, 0]), .binary([2]), .binary([255])]),
            ("born", [-1.0, 0, 1].map { .date(.init(timeIntervalSinceReferenceDate: $0)) }),
        ]
        for (key, values) in sorted {
            for (index, value) in values.enumerated() {
                for (otherIndex, other) in values.enumerated() {
                    let order = try order(makePerson([key: value]), makePerson([key: other]), PinviewSortDescriptor(keyPath: key))
                    XCTAssertEqual(order.signum(), (index - otherIndex).signum(), "\(key): \(value), \(other)")
                }
            }
        }
    }

    func test_FET_12_caseInsensitiveStrings() throws {
        let descriptor = PinviewSortDescriptor(keyPath: "name", comparator: .caseInsensitive)
        XCTAssertEqual(try order(makePerson(["name": "STRASSE"]), makePerson(["name": "straße"]), descriptor), 0)
        XCTAssertLessThan(try order(makePerson(["name": "a"]), makePerson(["name": "B"]), descriptor), 0)
        XCTAssertGreaterThan(try order(makePerson(["name": "a"]), makePerson(["name": "B"]), PinviewSortDescriptor(keyPath: "name")), 0)
    }

    func test_FET_12_laterDescriptorsDecideBetweenEquals() throws {
        let left = makePerson(["name": "x", "age": 1])
        let right = makePerson(["name": "x", "age": 2])
        XCTAssertEqual(try order(left, right, PinviewSortDescriptor(keyPath: "name")), 0)
        XCTAssertLessThan(try order(left, right, PinviewSortDescriptor(keyPath: "name"), PinviewSortDescriptor(keyPath: "age")), 0)
        XCTAssertGreaterThan(
            try order(left, right, PinviewSortDescriptor(keyPath: "name"), PinviewSortDescriptor(keyPath: "age", ascending: false)), 0)
        XCTAssertEqual(try order(left, right), 0)
    }

    func test_FET_12_keysThroughToOneRelationships() throws {
        let (left, right) = (makePerson(), makePerson())
        left.set(makePerson(["age": 2]), "boss")
        XCTAssertGreaterThan(try order(left, right, PinviewSortDescriptor(keyPath: "boss.age")), 0, "nil on the way")
        right.set(makePerson(["age": 3]), "boss")
        XCTAssertLessThan(try order(left, right, PinviewSortDescriptor(keyPath: "boss.age")), 0)
        XCTAssertEqual(try order(left, right, PinviewSortDescriptor(keyPath: "boss.boss.age")), 0)
    }
}
