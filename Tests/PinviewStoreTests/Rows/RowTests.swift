import Foundation
import PinviewGenerations
import PinviewModel
import PinviewPredicates
import XCTest

@testable import PinviewStore

/// Rows made by hand, written and read.
final class RowTests: StoreTestCase {
    private let values: [String: Value] = [
        "name": "Ada\u{0}\u{1F600}", "age": 36, "big": .integer(.min), "small": -7, "height": 1.75, "ratio": 0.5,
        "salary": .decimal(DecimalNumber("1234.56") ?? .zero), "born": .date(Date(timeIntervalSinceReferenceDate: -5_000_000)),
        "alive": true,
        "code": .uuid(UUID(uuidString: "0C0FFEE0-0000-4000-8000-000000000001") ?? UUID()), "page": "https://example.org/ä",
        "data": .binary([0, 1, 2, 255]), "picture": .binary([]), "thing": .binary([9]), "text": "", "badge": nil,
    ]

    func test_aRowMadeByHandHasTheCellsThatReadingItGives() throws {
        let store = try openStore(try TestModels.company())
        let entity = try store.entity("Employee")
        let boss = try store.insert("Guest", [["name": "Boss"]])[0]
        let reference = try store.insert("Employee", [values], references: [["boss": boss]])[0]
        let read = try XCTUnwrap(try store.newestRow(reference))
        var builder = RowBuilder(entity: entity, model: store.schema.model, reservingRows: 1)
        builder.beginRow(primaryKey: reference.primaryKey, version: 1)
        for property in entity.properties where property.isStored {
            if property.isAttribute {
                try builder.append(values[property.name] ?? .null, of: property)
            } else {
                builder.append(reference: boss, of: property)
            }
        }
        let made = builder.finish().snapshot(0)
        XCTAssertEqual(made.primaryKey, read.primaryKey)
        XCTAssertEqual(made.version, read.version)
        XCTAssertEqual(made.entityIndex, read.entityIndex)
        for property in entity.properties where property.isStored {
            let madeLocation = made.layout.location(of: property), readLocation = read.layout.location(of: property)
            for (madeColumn, readColumn) in [
                (madeLocation.column, readLocation.column), (madeLocation.entityColumn, readLocation.entityColumn),
            ] {
                XCTAssertEqual(
                    made.block.type(row: 0, column: Int(madeColumn)), read.block.type(row: Int(read.row), column: Int(readColumn)),
                    property.name)
            }
            XCTAssertTrue(made.hasSameValue(property, as: read), property.name)
            if property.isAttribute { XCTAssertEqual(read.value(of: property), values[property.name], property.name) }
        }
        XCTAssertEqual(read.reference(of: try store.property("boss", of: "Person")), boss)
    }

    func test_wholeDecimalsAndDatesAreStoredAsIntegersAsSQLiteDoes() throws {
        let store = try openStore(try TestModels.company())
        try store.insert(
            "Person",
            [
                ["salary": .decimal(3), "born": .date(Date(timeIntervalSinceReferenceDate: 10))],
                ["salary": .decimal(DecimalNumber("1e300") ?? .zero), "born": .date(Date(timeIntervalSinceReferenceDate: 10.5))],
                ["salary": .decimal(.notANumber)],
            ])
        XCTAssertEqual(
            try sqlite3("SELECT typeof(ZSALARY), ZSALARY, typeof(ZBORN), ZBORN FROM ZPERSON"),
            ["integer|3|integer|10", "real|1.0e+300|real|10.5", "text|NaN|null|"])
        let rows = try store.fetchRows(try store.fetch("Person", sort: [PinviewSortDescriptor(keyPath: "salary")]), at: nil)
        let salary = try store.property("salary", of: "Person")
        XCTAssertEqual(
            (0..<3).map { rows.snapshot($0).value(of: salary) },
            [.decimal(3), .decimal(DecimalNumber("1e300") ?? .zero), .decimal(.notANumber)])
    }

    func test_aDecimalThatNoColumnHoldsIsAnErrorAndNeverRounded() throws {
        let store = try openStore(try TestModels.company())
        for text in ["12345678901234567890.5", "0.1234567890123456789", "99999999999999999999999999999999999999"] {
            let error = assertError(.wrongType) { try store.insert("Person", [["salary": .decimal(try XCTUnwrap(DecimalNumber(text)))]]) }
            XCTAssertEqual(error?.validationKey, "salary")
        }
        for text in ["0.123456789012345", "-9223372036854775808", "9223372036854775807", "1e-300"] {
            let decimal = try XCTUnwrap(DecimalNumber(text))
            let reference = try store.insert("Person", [["salary": .decimal(decimal)]])[0]
            XCTAssertEqual(try store.newestRow(reference)?.value(of: try store.property("salary", of: "Person")), .decimal(decimal))
        }
    }

    func test_NaNIsAnErrorSinceSQLiteWouldStoreNULL() throws {
        let store = try openStore(try TestModels.company())
        _ = assertError(.wrongType) { try store.insert("Person", [["height": .double(.nan)]]) }
        let reference = try store.insert("Person", [["height": .double(-.infinity)]])[0]
        XCTAssertEqual(try store.newestRow(reference)?.value(of: try store.property("height", of: "Person")), .double(-.infinity))
    }

    func test_MDL_13_externalDataIsReadInAndAFileIsNeverOutsideItsFolder() throws {
        let store = try openStore(try TestModels.company())
        let reference = try store.insert("Person", [["picture": .binary([1, 2])]])[0]
        let picture = try store.property("picture", of: "Person")
        XCTAssertEqual(try sqlite3("SELECT hex(ZPICTURE) FROM ZPERSON"), ["010102"])
        XCTAssertEqual(try store.newestRow(reference)?.value(of: picture), .binary([1, 2]))
        // As Core Data writes large values.
        let name = "0C0FFEE0-0000-4000-8000-000000000001"
        let directory = folder + "/.Model_SUPPORT/_EXTERNAL_DATA"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try Data([7, 8, 9]).write(to: URL(fileURLWithPath: directory + "/" + name))
        try sqlite3("UPDATE ZPERSON SET ZPICTURE = x'02' || CAST('\(name)' AS BLOB) || x'00'")
        XCTAssertEqual(try store.newestRow(reference)?.value(of: picture), .binary([7, 8, 9]))
        try sqlite3("UPDATE ZPERSON SET ZPICTURE = x'02' || CAST('../../../../../../../etc/passwd_______' AS BLOB) || x'00'")
        let row = try XCTUnwrap(try store.newestRow(reference))
        XCTAssertTrue(row.lacksData(of: picture))
        XCTAssertThrowsError(try row.data(of: picture, objectID: store.objectID(reference)))
    }

    func test_aHugeModelOfColumnsAndRowsReadsInOneFetch() throws {
        let store = try openStore(try TestModels.notes())
        try store.insert("Note", (0..<5000).map { ["title": .string("t\($0)"), "rank": .integer($0)] })
        let rows = try store.fetchRows(try store.fetch("Note", sort: [PinviewSortDescriptor(keyPath: "rank", ascending: false)]), at: nil)
        XCTAssertEqual(rows.count, 5000)
        XCTAssertEqual(rows.snapshot(0).value(of: try store.property("title", of: "Note")), "t4999")
        XCTAssertEqual(rows.primaryKey(4999), 1)
    }
}
