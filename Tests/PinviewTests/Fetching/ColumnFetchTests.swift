import CSQLite
import Foundation
import Pinview
import XCTest

/// Columns of values instead of objects.
final class ColumnFetchTests: StackTestCase {
    override func model() throws -> ManagedObjectModel {
        let types: [AttributeType] = [
            .integer16, .integer32, .integer64, .boolean, .float, .double, .decimal, .date, .string, .uri, .binaryData, .transformable,
            .uuid,
        ]
        return try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Sample", attributes: types.map { AttributeDescription(name: "\($0)", attributeType: $0) },
                relationships: [
                    RelationshipDescription(name: "series", destinationEntityName: "Series", inverseRelationshipName: "samples")
                ]),
            EntityDescription(
                name: "Series",
                attributes: [
                    AttributeDescription(name: "name", attributeType: .string),
                    AttributeDescription(name: "rank", attributeType: .integer16),
                ],
                relationships: [
                    RelationshipDescription(
                        name: "samples", destinationEntityName: "Sample", inverseRelationshipName: "series", isToMany: true)
                ],
                indexes: [FetchIndexDescription(name: "byRank", elements: [FetchIndexDescription.Element(attributeName: "rank")])]),
        ])
    }

    override func prepareStore() throws {}

    private func addSamples(_ rows: [[String: Value]]) throws {
        _ = try context.execute(BatchInsertRequest(entityName: "Sample", objects: rows))
    }

    private func addSeries(_ names: [String?]) throws {
        let rows = names.enumerated().map { rank, name in ["name": name.map { .string($0) } ?? .null, "rank": Value.integer(Int64(rank))] }
        _ = try context.execute(BatchInsertRequest(entityName: "Series", objects: rows))
    }

    /// As another program writes.
    private func writeDirectly(_ sql: String) throws {
        var connection: OpaquePointer?
        XCTAssertEqual(
            sqlite3_open_v2(try XCTUnwrap(coordinator.persistentStores[0].path), &connection, SQLITE_OPEN_READWRITE, nil), SQLITE_OK)
        defer { sqlite3_close(connection) }
        XCTAssertEqual(sqlite3_exec(connection, sql, nil, nil, nil), SQLITE_OK)
    }

    private func request(_ entityName: String, _ properties: [PropertyToFetch] = [], batchSize: Int = 0) -> FetchRequest {
        var request = FetchRequest(entityName: entityName)
        request.propertiesToFetch = properties
        request.fetchBatchSize = batchSize
        return request
    }

    private func batches(_ stream: ColumnStream) throws -> [ColumnBatch] {
        var batches: [ColumnBatch] = []
        while let batch = try stream.next() { batches.append(batch) }
        return batches
    }

    private func values(_ request: FetchRequest, _ column: String) throws -> [Value] {
        try batches(try context.fetchColumns(request)).flatMap { Array($0[column]!) }
    }

    // MARK: Types

    /// One row with a value of each type, one that is all nil, one with the other extremes.
    private static let rows: [[String: Value]] = [
        [
            "integer16": .integer(-32768), "integer32": .integer(-2_147_483_648), "integer64": .integer(.min), "boolean": .boolean(true),
            "float": .double(0.5), "double": .double(.pi), "decimal": .decimal(DecimalNumber("12.75")!),
            "date": .date(Date(timeIntervalSinceReferenceDate: 1.25)), "string": .string("grün\u{0}€😀"), "uri": .string("https://x.y"),
            "binaryData": .binary([0, 1, 255]), "transformable": .binary([7]),
            "uuid": .uuid(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF")!),
        ], [:],
        [
            "integer16": .integer(32767), "integer32": .integer(2_147_483_647), "integer64": .integer(.max), "boolean": .boolean(false),
            "float": .double(-0.25), "double": .double(1e300), "decimal": .decimal(.notANumber),
            "date": .date(Date(timeIntervalSinceReferenceDate: -3600)), "string": .string(""), "uri": .string(""),
            "binaryData": .binary([]),
            "transformable": .binary([]), "uuid": .uuid(UUID(uuidString: "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF")!),
        ],
    ]

    func test_columnsHoldTheValuesThatObjectsHave() throws {
        try addSamples(Self.rows)
        let stream = try context.fetchColumns(request("Sample"))
        let batch = try XCTUnwrap(stream.next())
        XCTAssertNil(try stream.next())
        XCTAssertEqual(batch.rowCount, 3)
        for column in batch.columns {
            let name = column.description.name
            XCTAssertEqual(Array(column), Self.rows.map { $0[name] ?? .null }, name)
            XCTAssertEqual(column.nullCount, 1, name)
            XCTAssertEqual((0..<3).map(column.isNull), [false, true, false], name)
            XCTAssertEqual(column[3], .null)
            XCTAssertEqual(column[-1], .null)
        }
        let types: [ColumnType] = [
            .integer16, .integer32, .integer64, .boolean, .float, .double, .decimal, .date, .string, .string, .binary, .binary, .uuid,
        ]
        XCTAssertEqual(batch.columns.map(\.description.type), types)
    }

    func test_numbersAreReadWithoutACopy() throws {
        try addSamples(Self.rows)
        let batch = try XCTUnwrap(context.fetchColumns(request("Sample")).next())
        XCTAssertEqual(batch["integer32"]?.withNumbers(of: Int32.self) { Array($0) }, [.min, 0, .max])
        XCTAssertEqual(batch["double"]?.withNumbers(of: Double.self) { Array($0) }, [.pi, 0, 1e300])
        XCTAssertEqual(
            batch["date"]?.withNumbers(of: Int64.self) { Array($0) }, [978_307_201_250_000, 0, 978_303_600_000_000])
        XCTAssertNil(batch["double"]?.withNumbers(of: Int64.self) { Array($0) })
        XCTAssertEqual(batch["string"]?.withBytes(0) { $0.count }, 13)
    }

    func test_datesAreRoundedToTheNearestMicrosecond_andHalvesToTheEvenOne() throws {
        // 1/128 of a second is 7812.5 microseconds.
        let seconds: [Double] = [1e-7, -1e-7, 1 / 128, 3 / 128, -1 / 128, 2.0000005, 700_000_000.123_456_7, -63_113_904_000]
        try addSamples(seconds.map { ["date": .date(Date(timeIntervalSinceReferenceDate: $0))] })
        let batch = try XCTUnwrap(context.fetchColumns(request("Sample", ["date"])).next())
        let moments = batch["date"]?.withNumbers(of: Int64.self) { $0.map { $0 - 978_307_200_000_000 } }
        XCTAssertEqual(moments, [0, 0, 7812, 23438, -7812, 2_000_001, 700_000_000_123_457, -63_113_904_000_000_000])
    }

    func test_aDateBeyond64BitsOfMicrosecondsIsAnError() throws {
        try addSamples([["date": .date(Date(timeIntervalSinceReferenceDate: 1e15))]])
        let error = assertError(.wrongType, try context.fetchColumns(request("Sample", ["date"])).next())
        XCTAssertTrue(try XCTUnwrap(error).message.contains("'date'"))
    }

    func test_aValueThatItsColumnCannotHoldIsAnError() throws {
        try addSamples([["integer16": .integer(1)]])
        try writeDirectly("UPDATE ZSAMPLE SET ZINTEGER16 = 70000")
        let error = assertError(.wrongType, try context.fetchColumns(request("Sample", ["integer16"])).next())
        XCTAssertTrue(try XCTUnwrap(error).message.contains("70000"))
    }

    func test_textThatIsNotUTF8IsRepaired_asObjectsShowIt() throws {
        try addSeries(["plain", "ü", "x", "end"])
        try writeDirectly("UPDATE ZSERIES SET ZNAME = CAST(x'41c3' AS TEXT) WHERE ZRANK = 1")
        try writeDirectly("UPDATE ZSERIES SET ZNAME = CAST(x'bc42' AS TEXT) WHERE ZRANK = 2")
        XCTAssertEqual(try values(request("Series", ["name"]), "name"), ["plain", "A\u{fffd}", "\u{fffd}B", "end"].map { .string($0) })
    }

    // MARK: What is fetched

    func test_keyPathsExpressionsAndOrder() throws {
        try addSeries(["a", "b", nil])
        let series = try context.fetch(FetchRequest(entityName: "Series"))
        try addSamples([
            ["integer64": 1, "series": .objectID(series[1].objectID)], ["integer64": 2],
            ["integer64": 3, "series": .objectID(series[0].objectID)],
        ])
        var request = self.request(
            "Sample",
            [
                "series.name", "series", "objectID",
                .expression(ExpressionDescription(name: "twice", expression: try PinviewExpression(format: "integer64 * 2"))),
            ])
        request.sortDescriptors = [PinviewSortDescriptor(keyPath: "integer64", ascending: false)]
        let stream = try context.fetchColumns(request)
        XCTAssertEqual(stream.columns.map(\.type), [.string, .objectKey, .objectKey, .double])
        XCTAssertEqual(stream.columns.map(\.entityName), [nil, "Series", "Sample", nil])
        let batch = try XCTUnwrap(stream.next())
        XCTAssertEqual(Array(batch["series.name"]!), [.string("a"), .null, .string("b")])
        XCTAssertEqual(Array(batch["series"]!), [.integer(1), .null, .integer(2)])
        XCTAssertEqual(Array(batch["objectID"]!), [.integer(3), .integer(2), .integer(1)])
        XCTAssertEqual(Array(batch["twice"]!), [.double(6), .double(4), .double(2)])
    }

    func test_objectsAsURIs() throws {
        try addSeries(["a"])
        let series = try context.fetch(FetchRequest(entityName: "Series"))
        try addSamples([["series": .objectID(series[0].objectID)], [:]])
        let batch = try XCTUnwrap(context.fetchColumns(request("Sample", ["series", "objectID"]), givesObjectURIs: true).next())
        XCTAssertEqual(Array(batch["series"]!), [.string(series[0].objectID.uriRepresentation), .null])
        let samples = try context.fetchObjectIDs(FetchRequest(entityName: "Sample"))
        XCTAssertEqual(Array(batch["objectID"]!), samples.map { .string($0.uriRepresentation) })
    }

    func test_groupsAndTheirValues() throws {
        try addSamples(
            (0..<10).map {
                ["integer16": .integer($0 % 2), "integer32": .integer($0), "date": .date(Date(timeIntervalSinceReferenceDate: Double($0)))]
            })
        var request = self.request(
            "Sample",
            [
                "integer16", .expression(ExpressionDescription(name: "n", expression: try PinviewExpression(format: "count:(SELF)"))),
                .expression(ExpressionDescription(name: "largest", expression: try PinviewExpression(format: "max:(integer32)"))),
                .expression(ExpressionDescription(name: "last", expression: try PinviewExpression(format: "max:(date)"))),
                .expression(ExpressionDescription(name: "sum", expression: try PinviewExpression(format: "sum:(integer32)"))),
            ])
        request.propertiesToGroupBy = ["integer16"]
        request.sortDescriptors = [PinviewSortDescriptor(keyPath: "integer16")]
        let batch = try XCTUnwrap(context.fetchColumns(request).next())
        XCTAssertEqual(batch.columns.map(\.description.type), [.integer16, .integer64, .integer32, .date, .double])
        XCTAssertEqual(
            batch.columns.map { Array($0) },
            [
                [0, 1], [5, 5], [8, 9], [8, 9].map { .date(Date(timeIntervalSinceReferenceDate: $0)) }, [.double(20), .double(25)],
            ])
    }

    // MARK: Batches

    func test_batchesAreOfTheSizeAskedForAndTheLastOneIsSmaller() throws {
        try addSeries((0..<2500).map { "s\($0)" })
        let found = try batches(try context.fetchColumns(request("Series", ["name", "rank"], batchSize: 1000)))
        XCTAssertEqual(found.map(\.rowCount), [1000, 1000, 500])
        XCTAssertEqual(found.flatMap { Array($0["rank"]!) }, (0..<2500).map { .integer($0) })
        XCTAssertEqual(try batches(try context.fetchColumns(request("Series", ["name"], batchSize: 1250))).map(\.rowCount), [1250, 1250])
    }

    func test_limitAndOffset_inTheOrderOfTheStoreAndInAnother() throws {
        try addSeries((0..<100).map { "s\($0)" })
        for (limit, offset, batchSize) in [(10, 0, 3), (0, 95, 3), (7, 90, 100), (200, 50, 20), (10, 100, 4), (5, 2, 5)] {
            var request = self.request("Series", ["rank"], batchSize: batchSize)
            request.fetchLimit = limit
            request.fetchOffset = offset
            let end = limit == 0 ? 100 : min(100, offset + limit)
            XCTAssertEqual(try values(request, "rank"), (offset..<end).map { .integer(Int64($0)) }, "\(limit) \(offset) \(batchSize)")
            request.sortDescriptors = [PinviewSortDescriptor(keyPath: "rank", ascending: false)]
            XCTAssertEqual(try values(request, "rank"), (offset..<end).map { .integer(Int64(99 - $0)) }, "\(limit) \(offset) \(batchSize)")
            request.sortDescriptors = []
            request.predicate = try PinviewPredicate(format: "name BEGINSWITH 's'")
            XCTAssertEqual(try values(request, "rank"), (offset..<end).map { .integer(Int64($0)) }, "\(limit) \(offset) \(batchSize)")
        }
    }

    func test_whatAnIndexFindsIsReadAtOnce_allElseInPages() throws {
        try addSeries((0..<100).map { "s\($0)" })
        var request = self.request("Series", ["rank"], batchSize: 10)
        request.predicate = try PinviewPredicate(format: "rank > 49")
        var stream = try context.fetchColumns(request)
        XCTAssertEqual(try selects { _ = try stream.next() }, 2)  // the plan, and the rows
        XCTAssertEqual(try selects { XCTAssertEqual(try batches(stream).count, 4) }, 0)
        request.predicate = try PinviewPredicate(format: "name CONTAINS '9'")
        stream = try context.fetchColumns(request)
        _ = try stream.next()
        XCTAssertEqual(try selects { XCTAssertEqual(try batches(stream).map(\.rowCount), [9]) }, 1)
    }

    func test_anEmptyResultHasNamesAndNoBatch() throws {
        let stream = try context.fetchColumns(request("Sample"))
        XCTAssertEqual(stream.columns.count, 13)
        XCTAssertNil(try stream.next())
        XCTAssertNil(try stream.next())
    }

    func test_aColumnOfNilAlone() throws {
        try addSeries([nil, nil, nil])
        let column = try XCTUnwrap(context.fetchColumns(request("Series", ["name"])).next()?["name"])
        XCTAssertEqual(column.nullCount, 3)
        XCTAssertEqual(Array(column), [.null, .null, .null])
    }

    func test_aBatchWithManyBytesEndsEarly() throws {
        try addSamples((0..<6).map { ["binaryData": .binary([UInt8](repeating: UInt8($0), count: 30 << 20))] })
        let found = try batches(try context.fetchColumns(request("Sample", ["binaryData"])))
        XCTAssertEqual(found.reduce(0) { $0 + $1.rowCount }, 6)
        XCTAssertEqual(
            found.flatMap { batch in (0..<batch.rowCount).map { batch.columns[0].withBytes($0) { $0[1 << 20] } } }, [0, 1, 2, 3, 4, 5])
    }
}
