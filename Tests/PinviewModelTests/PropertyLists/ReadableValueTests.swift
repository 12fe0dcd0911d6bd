import Foundation
import RandomSupport
import XCTest

@testable import PinviewModel

/// MDL-17: values as people read them.
final class ReadableValueTests: XCTestCase {
    private func text(_ value: Value) -> String { value.readable.description }
    private func shown(_ list: PropertyListValue) -> String { text(.binary(list.binaryPropertyList())) }

    private func archive(_ objects: [PropertyListValue], top: [String: PropertyListValue] = ["root": .uid(1)]) -> PropertyListValue {
        .dictionary([
            "$archiver": .string("NSKeyedArchiver"), "$version": .integer(100_000), "$objects": .array([.string("$null")] + objects),
            "$top": .dictionary(top),
        ])
    }

    private func kind(_ name: String) -> PropertyListValue {
        .dictionary(["$classname": .string(name), "$classes": .array([.string(name), .string("NSObject")])])
    }

    func test_MDL_17_datesAreISOTextInUTC() {
        let dates: [(Double, String)] = [
            (0, "2001-01-01T00:00:00Z"), (-349_833_600, "1989-12-01T00:00:00Z"), (600_000_000.25, "2020-01-06T10:40:00.25Z"),
            (-978_307_200, "1970-01-01T00:00:00Z"), (-0.5, "2000-12-31T23:59:59.5Z"), (94_608_000 + 59 * 86_400, "2004-02-29T00:00:00Z"),
            (-63_113_904_000, "0001-01-01T00:00:00Z"), (-63_145_612_800, "-0001-12-31T00:00:00Z"),
            (252_423_993_600, "+10000-01-01T00:00:00Z"),
        ]
        for (seconds, expected) in dates {
            XCTAssertEqual(Value.date(Date(timeIntervalSinceReferenceDate: seconds)).readable, .string(expected), "\(seconds)")
        }
    }

    func test_MDL_17_datesAgreeWithACalendar() throws {
        let formatter = ISO8601DateFormatter()
        var random = SeededGenerator.announced(name)
        for _ in 0..<2000 {
            let seconds = Double(Int.random(in: -60_000_000_000...250_000_000_000, using: &random))
            // Foundation's calendar is Julian before 1582.
            guard seconds > -12_654_000_000 else { continue }
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            XCTAssertEqual(Value.date(date).readable, .string(formatter.string(from: date)), "\(seconds), seed \(random.seed)")
        }
    }

    func test_MDL_17_aDateThatNoCalendarHasIsANumber() {
        XCTAssertEqual(text(.date(Date(timeIntervalSinceReferenceDate: 1e300))), "1e+300")
        XCTAssertEqual(text(.date(Date(timeIntervalSinceReferenceDate: .infinity))), "\"Infinity\"")
    }

    func test_MDL_17_plainValues() {
        XCTAssertEqual(text(.null), "null")
        XCTAssertEqual(text(.boolean(true)), "true")
        XCTAssertEqual(text(.integer(-7)), "-7")
        XCTAssertEqual(text(.double(.nan)), "\"NaN\"")
        XCTAssertEqual(text(.string("a\"b")), "\"a\\\"b\"")
        XCTAssertEqual(text(.binary([1, 2, 3])), "{\"$bytes\":3,\"$base64\":\"AQID\"}")
        XCTAssertEqual(text(.binary([])), "{\"$bytes\":0,\"$base64\":\"\"}")
    }

    func test_MDL_17_aPropertyListIsWhatItContains() {
        let list = PropertyListValue.dictionary([
            "when": .date(0), "tags": .array([.string("a"), .boolean(false), .real(0.5)]), "data": .data([255]), "big": .unsigned(.max),
        ])
        XCTAssertEqual(
            shown(list),
            "{\"big\":\"18446744073709551615\",\"data\":{\"$bytes\":1,\"$base64\":\"/w==\"},\"tags\":[\"a\",false,0.5],"
                + "\"when\":\"2001-01-01T00:00:00Z\"}")
        let xml = "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict><key>n</key><integer>3</integer></dict></plist>"
        XCTAssertEqual(text(.binary(Array(xml.utf8))), "{\"n\":3}")
    }

    func test_MDL_17_anArchiveIsWhatItContainsWithoutItsClasses() {
        let archive = archive([
            .dictionary(["NS.keys": .array([.uid(2), .uid(3)]), "NS.objects": .array([.uid(4), .uid(5)]), "$class": .uid(8)]),
            .string("born"), .string("tags"), .dictionary(["NS.time": .real(0), "$class": .uid(9)]),
            .dictionary(["NS.objects": .array([.uid(2), .uid(6), .uid(0)]), "$class": .uid(10)]),
            .dictionary(["red": .real(0.5), "name": .uid(2), "self": .uid(6), "$class": .uid(7)]), kind("Colour"), kind("NSDictionary"),
            kind("NSDate"), kind("NSArray"),
        ])
        XCTAssertEqual(
            shown(archive),
            "{\"born\":\"2001-01-01T00:00:00Z\",\"tags\":[\"born\","
                + "{\"$class\":\"Colour\",\"name\":\"born\",\"red\":0.5,\"self\":{\"$circular\":6}},null]}")
    }

    func test_MDL_17_archivesInXMLAndWithSeveralRoots() {
        let xml = """
            <?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict><key>$archiver</key><string>NSKeyedArchiver</string>
            <key>$top</key><dict><key>root</key><dict><key>CF$UID</key><integer>1</integer></dict></dict>
            <key>$objects</key><array><string>$null</string><string>hello</string></array></dict></plist>
            """
        XCTAssertEqual(text(.binary(Array(xml.utf8))), "\"hello\"")
        XCTAssertEqual(shown(archive([.string("a"), .integer(2)], top: ["x": .uid(1), "y": .uid(2)])), "{\"x\":\"a\",\"y\":2}")
    }

    /// Keys that are not texts cannot be those of an object.
    func test_MDL_17_aDictionaryWithOtherKeysIsAListOfPairs() {
        let archive = archive([
            .dictionary(["NS.keys": .array([.uid(2)]), "NS.objects": .array([.uid(3)]), "$class": .uid(4)]), .integer(1), .string("one"),
            kind("NSMutableDictionary"),
        ])
        XCTAssertEqual(shown(archive), "[{\"key\":1,\"value\":\"one\"}]")
    }

    /// A few hundred bytes that would be some 2^60 values.
    func test_MDL_17_whatIsSharedWithoutEndStaysData() {
        var objects: [PropertyListValue] = []
        for number in 1...60 {
            objects.append(.dictionary(["NS.objects": .array([.uid(UInt64(number + 1)), .uid(UInt64(number + 1))]), "$class": .uid(62)]))
        }
        objects += [.string("end"), kind("NSArray")]
        let bytes = archive(objects).binaryPropertyList()
        guard case .object(let members) = Value.binary(bytes).readable else { return XCTFail("it was read") }
        XCTAssertEqual(members.first, .init("$bytes", .integer(Int64(bytes.count))))
        // One large part that many others share.
        let shared = archive(
            [.dictionary(["NS.objects": .array([PropertyListValue](repeating: .uid(2), count: 5000)), "$class": .uid(3)])]
                + [.data([UInt8](repeating: 1, count: 100_000)), kind("NSArray")])
        XCTAssertLessThan(shown(shared).utf8.count, 1_000_000)
    }

    func test_MDL_17_damagedDataStayData() {
        let whole = PropertyListValue.array([.string("abc"), .integer(5)]).binaryPropertyList()
        for count in 0..<whole.count {
            let cut = Array(whole.prefix(count))
            XCTAssertEqual(
                Value.binary(cut).readable,
                .object([
                    .init("$bytes", .integer(Int64(count))), .init("$base64", .string(Data(cut).base64EncodedString())),
                ]))
        }
        XCTAssertTrue(text(.binary(Array("<?xml version=\"1.0\"?><plist><dict><key>a</key></plist>".utf8))).contains("$bytes"))
    }

    func test_MDL_17_randomDamageToAnArchiveIsHarmless() {
        var random = SeededGenerator.announced(name)
        let whole = archive([
            .dictionary(["NS.objects": .array([.uid(2), .uid(3)]), "$class": .uid(4)]), .string("a"),
            .dictionary(["NS.time": .real(1), "$class": .uid(5)]), kind("NSSet"), kind("NSDate"),
        ]).binaryPropertyList()
        for _ in 0..<3000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
            }
            XCTAssertFalse(text(.binary(bytes)).isEmpty, "seed \(random.seed)")
        }
    }
}
