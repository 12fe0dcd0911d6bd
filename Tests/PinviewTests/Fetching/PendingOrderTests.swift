import Foundation
import Pinview
import XCTest

/// Values at which a comparison in memory may differ from that of the store: numbers beside 2^53,
/// texts of characters that UTF-16 writes as surrogates. Half of the objects are stored, half are
/// pending, and the order is that of all of them: FET-04, FET-12.
final class PendingOrderTests: StackTestCase {
    private static let integers: [Int64] = [
        .min, .min + 1, -(1 << 53) - 2, -(1 << 53) - 1, -(1 << 53), -(1 << 53) + 1, -1, 0, 1, (1 << 53) - 1, 1 << 53, (1 << 53) + 1,
        (1 << 53) + 2, .max - 1, .max,
    ]
    /// By their code points, which is not the order of UTF-16 from U+E000 on.
    private static let texts = [
        "", "a", "a\u{D7FF}", "a\u{E000}", "a\u{FFFD}", "a\u{10000}", "a\u{10000}a", "a\u{1F600}", "a\u{10FFFF}", "b", "\u{D7FF}",
        "\u{E000}",
        "\u{FFFF}", "\u{10000}", "\u{1F600}",
    ]

    override func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Row",
                attributes: [
                    AttributeDescription(name: "n", attributeType: .integer64), AttributeDescription(name: "t", attributeType: .string),
                ])
        ])
    }

    override func prepareStore() throws {}

    /// Stores every second one, and leaves the others pending, so that neither kind comes first as
    /// a whole.
    private func insertAll(storedFirst: Bool) throws {
        for isStored in [true, false] {
            for index in Self.integers.indices.reversed() where index.isMultiple(of: 2) == (isStored == storedFirst) {
                let row = try context.insertNewObject(forEntityName: "Row")
                try row.setAttributeValue(.integer(Self.integers[index]), forKey: "n")
                try row.setAttributeValue(.string(Self.texts[index]), forKey: "t")
            }
            if isStored { try context.save() }
        }
    }

    private func values(_ key: String, ascending: Bool, _ format: String? = nil) throws -> [Value] {
        var request = try FetchRequest("Row", format)
        request.sortDescriptors = [PinviewSortDescriptor(keyPath: key, ascending: ascending)]
        return try context.fetch(request).map { try $0.attributeValue(forKey: key) }
    }

    func test_FET_12_pendingAndStoredObjectsAreInOneOrder() throws {
        for storedFirst in [true, false] {
            try insertAll(storedFirst: storedFirst)
            for _ in 0..<2 {
                XCTAssertEqual(try values("n", ascending: true), Self.integers.map { .integer($0) })
                XCTAssertEqual(try values("n", ascending: false), Self.integers.reversed().map { .integer($0) })
                XCTAssertEqual(try values("t", ascending: true), Self.texts.map { .string($0) })
                XCTAssertEqual(try values("t", ascending: false), Self.texts.reversed().map { .string($0) })
                try context.save()
            }
            for object in try context.fetch(FetchRequest(entityName: "Row")) { try context.delete(object) }
            try context.save()
        }
    }

    func test_FET_04_pendingAndStoredObjectsAreComparedTheSameWay() throws {
        try insertAll(storedFirst: true)
        let symbols: [(String, (Int, Int) -> Bool)] = [("==", ==), ("!=", !=), ("<", <), ("<=", <=), (">", >), (">=", >=)]
        for (symbol, holds) in symbols {
            for index in Self.integers.indices {
                let expected = Self.integers.indices.filter { holds($0, index) }
                XCTAssertEqual(
                    try values("n", ascending: true, "n \(symbol) \(Self.integers[index])"), expected.map { .integer(Self.integers[$0]) },
                    "\(symbol) \(Self.integers[index])")
                var request = FetchRequest(entityName: "Row")
                request.predicate = try PinviewPredicate(format: "t \(symbol) %@", Value.string(Self.texts[index]))
                let found = Set(try context.fetch(request).map { try $0.attributeValue(forKey: "t") })
                XCTAssertEqual(found, Set(expected.map { .string(Self.texts[$0]) }), "\(symbol) \(Self.texts[index])")
            }
        }
        // A real beside an integer that no real is: the comparison is exact.
        let odd: [(String, Int64, Bool)] = [
            ("n > 9007199254740992.0", (1 << 53) + 1, true), ("n >= 9007199254740992.0", (1 << 53) + 1, true),
            ("n == 9007199254740992.0", (1 << 53) + 1, false), ("n < 9223372036854775808.0", .max, true),
            ("n == 9223372036854775808.0", .max, false), ("n == -9223372036854775808.0", .min, true),
        ]
        for (format, number, holds) in odd {
            XCTAssertEqual(try values("n", ascending: true, format).contains(.integer(number)), holds, format)
        }
    }
}
