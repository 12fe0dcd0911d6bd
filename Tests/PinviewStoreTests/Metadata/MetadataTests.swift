import Foundation
import PinviewGenerations
import PinviewModel
import RandomSupport
import XCTest

@testable import PinviewStore

/// Property lists and a store's metadata.
final class MetadataTests: StoreTestCase {
    private let sample = PropertyListValue.dictionary([
        "text": .string("ASCII"), "umlaut": .string("Ä😀"), "empty": .string(""), "long": .string(String(repeating: "x", count: 70000)),
        "integers": .array([0, 1, 255, 256, 65535, 65536, 1 << 40, .max, -1, .min].map { .integer($0) }), "large": .unsigned(.max),
        "real": .real(-0.1), "date": .date(123.25), "data": .data([0, 255]), "flags": .array([.boolean(true), .boolean(false), .null]),
        "uid": .uid(300), "set": .set([.string("a")]), "nested": .dictionary(["text": .dictionary([:])]),
        "many": .array((0..<300).map { .integer(Int64($0)) }),
    ])

    func test_aPropertyListReadsBackAsItWasWritten() throws {
        XCTAssertEqual(try PropertyListValue(binary: sample.binaryPropertyList()), sample)
        XCTAssertEqual(sample.binaryPropertyList(), sample.binaryPropertyList())
    }

    func test_FoundationReadsWhatIsWrittenAndWritesWhatIsRead() throws {
        let list = PropertyListValue.dictionary([
            "text": .string("Ä😀"), "integer": .integer(-5), "real": .real(0.5), "date": .date(86400), "data": .data([1, 2]),
            "array": .array([.boolean(true), .string("text")]),
        ])
        let read = try PropertyListSerialization.propertyList(from: Data(list.binaryPropertyList()), format: nil)
        let dictionary = try XCTUnwrap(read as? [String: Any])
        XCTAssertEqual(dictionary["text"] as? String, "Ä😀")
        XCTAssertEqual(dictionary["integer"] as? Int, -5)
        XCTAssertEqual(dictionary["date"] as? Date, Date(timeIntervalSinceReferenceDate: 86400))
        XCTAssertEqual(dictionary["data"] as? Data, Data([1, 2]))
        let written = try PropertyListSerialization.data(fromPropertyList: dictionary, format: .binary, options: 0)
        XCTAssertEqual(try PropertyListValue(binary: Array(written)), list)
    }

    func test_malformedPropertyListsAreErrorsAndNeverTraps() throws {
        let good = sample.dictionaryValue.map { PropertyListValue.dictionary($0.filter { $0.key != "long" && $0.key != "many" }) }
        let bytes = try XCTUnwrap(good).binaryPropertyList()
        for length in 0..<bytes.count { XCTAssertThrowsError(try PropertyListValue(binary: Array(bytes[..<length]))) }
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<20000 {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                damaged[Int.random(in: damaged.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            _ = try? PropertyListValue(binary: damaged)  // either is right; what counts is that it returns
        }
    }

    func test_aListThatContainsItselfIsAnError() {
        // One array with one element: itself.
        let bytes =
            Array("bplist00".utf8) + [0xA1, 0x00, 0x08] + [0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, 1]
            + [UInt8](repeating: 0, count: 8)
            + [0, 0, 0, 0, 0, 0, 0, 10]
        XCTAssertThrowsError(try PropertyListValue(binary: bytes)) { XCTAssertTrue("\($0)".contains("contains itself"), "\($0)") }
    }

    func test_aFewBytesCannotExpandToManyObjects() {
        // Forty arrays, each of which holds the next one twice: 2^40 values.
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for index in 0..<40 {
            offsets.append(UInt8(bytes.count))
            bytes += index == 39 ? [0xA0] : [0xA2, UInt8(index + 1), UInt8(index + 1)]
        }
        let table = UInt8(bytes.count)
        bytes +=
            offsets + [0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, 40] + [UInt8](repeating: 0, count: 8) + [0, 0, 0, 0, 0, 0, 0, table]
        XCTAssertThrowsError(try PropertyListValue(binary: bytes)) { XCTAssertTrue("\($0)".contains("more than"), "\($0)") }
    }

    // MARK: A store's metadata

    func test_aNewStoreHasCoreDataKeysAndTheModel() throws {
        let model = try TestModels.notes()
        let metadata = try openStore(model).metadata()
        XCTAssertEqual(metadata["NSStoreType"], .string("SQLite"))
        XCTAssertEqual(metadata["NSStoreModelVersionHashesVersion"], .integer(3))
        XCTAssertEqual(metadata["_NSAutoVacuumLevel"], .string("2"))
        XCTAssertEqual(metadata["NSStoreModelVersionIdentifiers"], .array([]))
        XCTAssertEqual(metadata["NSStoreModelVersionHashes"], .dictionary(["Note": .data(model.entities[0].versionHash)]))
        XCTAssertEqual(try SQLStore.metadata(ofStoreAt: storePath), metadata)
    }

    func test_keysOfTheApplicationSurviveAndOursCannotBeChanged() throws {
        let model = try TestModels.notes()
        var store = try openStore(model)
        try store.setMetadata(["mine": sample, "NSStoreType": .string("Binary"), "PinviewModel": .string("")])
        try store.setMetadata(["other": .integer(1)])
        try store.insert("Note", [[:]])
        store.close()
        store = try openStore(model)
        let metadata = try store.metadata()
        XCTAssertEqual(metadata["mine"], sample)
        XCTAssertEqual(metadata["other"], .integer(1))
        XCTAssertEqual(metadata["NSStoreType"], .string("SQLite"))
    }

    // MARK: JSON

    func test_JSONIsReadWithItsOrderAndItsNumbers() throws {
        let value = try parseJSON(
            #" {"b": [1, -2.5, 1e400, true, false, null, 9223372036854775807, 9223372036854775808], "a": {"\u00e4\n": "\ud83d\ude00"}, "": ""} "#
        )
        XCTAssertEqual(
            value,
            .object([
                .init(
                    "b",
                    .array([
                        .integer(1), .number(-2.5), .number(.infinity), .boolean(true), .boolean(false), .null, .integer(.max),
                        .number(0x1p63),
                    ])),
                .init("a", .object([.init("ä\n", .string("😀"))])), .init("", .string("")),
            ]))
        XCTAssertEqual(try parseJSON("7"), .integer(7))
        XCTAssertEqual(try parseJSON("[]"), .array([]))
        XCTAssertEqual(try parseJSON(#"{"x":1,"x":2}"#), .object([.init("x", .integer(1)), .init("x", .integer(2))]))
    }

    func test_whatIsNoJSONIsAnError() throws {
        for text in [
            "", " ", "{", "[1,]", "{\"a\"}", "nul", "[1] 2", "\"a\u{0}b\"", "{} \u{0} garbage", String(repeating: "[", count: 5000),
        ] {
            _ = assertError(.invalidArgument) { _ = try parseJSON(text) }
        }
        let deep = String(repeating: "[", count: 600) + String(repeating: "]", count: 600)
        let error = assertError(.invalidArgument) { _ = try parseJSON(deep) }
        XCTAssertTrue(error?.message.contains("500") ?? false)
        XCTAssertNoThrow(try parseJSON(String(repeating: "[", count: 400) + String(repeating: "]", count: 400)))
    }
}
