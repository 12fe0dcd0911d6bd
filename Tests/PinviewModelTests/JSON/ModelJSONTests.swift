import Foundation
import RandomSupport
import XCTest

@testable import PinviewModel

/// Models as JSON documents.
final class ModelJSONTests: XCTestCase {
    private func load(_ text: String) throws -> ManagedObjectModel {
        try ManagedObjectModel(json: try XCTUnwrap(parseJSON(text), "not JSON: \(text)"))
    }

    func test_STO_18_modelIsReadFromJSON() throws {
        let model = try load(
            """
            {"entities":[
              {"name":"Person","attributes":[{"name":"age","type":"integer64","optional":true,"default":0}],
               "relationships":[{"name":"cars","destination":"Car","inverse":"owner","toMany":true,"deleteRule":"nullify"}]},
              {"name":"Car","relationships":[{"name":"owner","destination":"Person","inverse":"cars"}]}]}
            """)

        let person = try XCTUnwrap(model.entity(named: "Person"))
        XCTAssertEqual(person.property(named: "age")?.defaultValue, 0)
        XCTAssertEqual(person.property(named: "cars")?.isToMany, true)
        XCTAssertEqual(person.property(named: "cars")?.inverseName, "owner")
    }

    func test_valuesOfEveryType() throws {
        func value(_ type: String, _ json: String) throws -> Value? {
            let text = """
                {"entities":[{"name":"A","attributes":[{"name":"a","type":"\(type)","transient":true,"default":\(json)}]}]}
                """
            return try load(text).entities[0].properties[0].defaultValue
        }

        XCTAssertEqual(try value("decimal", "\"0.10000000000000000001\""), .decimal(try XCTUnwrap(DecimalNumber("0.10000000000000000001"))))
        XCTAssertEqual(try value("decimal", "0.1"), .decimal(try XCTUnwrap(DecimalNumber("0.1"))))
        XCTAssertEqual(try value("double", "2"), 2.0)
        XCTAssertEqual(try value("double", "\"-Infinity\""), .double(-.infinity))
        XCTAssertEqual(try value("date", "1.5"), .date(Date(timeIntervalSinceReferenceDate: 1.5)))
        XCTAssertEqual(try value("binaryData", "\"AAEC\""), .binary([0, 1, 2]))
        XCTAssertEqual(try value("boolean", "true"), true)
        XCTAssertEqual(try value("string", "\"\\u00e9\\n\""), "\u{E9}\n")
        XCTAssertEqual(try value("undefined", "{\"type\":\"integer64\",\"value\":3}"), 3)
        XCTAssertEqual(
            try value("uuid", "\"0F8FAD5B-D9CB-469F-A165-70867728950E\""), .uuid(try XCTUnwrap(UUID(uuidString: storeIdentifier))))
        XCTAssertEqual(try value("string", "null"), .null)
    }

    func test_STO_18_mistakesAreReportedWithTheirPath() {
        let mistakes = [
            ("[]", "$ must be an object"),
            ("{}", "$ lacks the key \"entities\""),
            (#"{"entities":{}}"#, "$.entities must be an array"),
            (#"{"entities":[{}]}"#, "$.entities[0] lacks the key \"name\""),
            (#"{"entities":[{"name":1}]}"#, "$.entities[0].name must be a string, but is the number 1"),
            (#"{"entities":[{"name":"A","atributes":[]}]}"#, "unknown key \"atributes\""),
            (#"{"entities":[{"name":"A","name":"B"}]}"#, "the duplicate key \"name\""),
            (#"{"entities":[{"name":"A","attributes":[{"name":"a","type":"int"}]}]}"#, "$.entities[0].attributes[0].type is \"int\""),
            (#"{"entities":[{"name":"A","attributes":[{"name":"a"}]}]}"#, "$.entities[0].attributes[0] lacks the key \"type\""),
            (#"{"entities":[{"name":"A","abstract":1}]}"#, "$.entities[0].abstract must be true or false"),
            (
                #"{"entities":[{"name":"A","attributes":[{"name":"a","type":"uuid","default":"x"}]}]}"#,
                "attributes[0].default is not a UUID"
            ),
            (#"{"entities":[{"name":"A","attributes":[{"name":"a","type":"binaryData","default":"AAE"}]}]}"#, "base64"),
            (#"{"entities":[{"name":"A","attributes":[{"name":"a","type":"integer16","default":"x"}]}]}"#, "A.a"),
            (#"{"entities":[{"name":"A","attributes":[{"name":"a","type":"string","default":[]}]}]}"#, "single value"),
            (#"{"entities":[{"name":"A","userInfo":{"a b":1}}]}"#, "$.entities[0].userInfo[\"a b\"] must be a string"),
            (#"{"entities":[{"name":"A"}],"configurations":{"C":["B"]}}"#, "\"C\""),
        ]
        for (text, words) in mistakes { assertThrows(.badModel, mentioning: words) { try load(text) } }
    }

    func test_writerEscapes() throws {
        let text = JSONValue.object([
            .init("a\"\\\n\u{1}\u{7F}é😀", .array([.null, .boolean(true), .integer(.min), .number(1e16), .number(.nan)]))
        ]).description

        XCTAssertEqual(text, #"{"a\"\\\n\u0001\u007fé😀":[null,true,-9223372036854775808,1e+16,null]}"#)
        XCTAssertNoThrow(try JSONSerialization.jsonObject(with: Data(text.utf8)))
    }

    func test_base64StandardVectors() {
        for (plain, text) in [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
        ] {
            XCTAssertEqual(Base64.encode(Array(plain.utf8)), text)
            XCTAssertEqual(Base64.decode(text), Array(plain.utf8))
        }
        for refused in ["Z", "Zg=", "Zh==", "Z===", "====", "Zg==Zg==", "Zm9\n", "Zm9é"] { XCTAssertNil(Base64.decode(refused), refused) }
    }

    func test_familyModelIsReadBack() throws {
        let model = try makeFamilyModel()

        let copy = try load(model.jsonRepresentation())

        XCTAssertEqual(copy, model)
        XCTAssertEqual(copy.entityDescriptions, model.entityDescriptions)
    }

    /// STO-18: random models are equal in every member after being written and read.
    func test_STO_18_randomModelsAreReadBack() throws {
        var maker = RandomModel(generator: SeededGenerator.announced(name))
        print("seed \(maker.seed)")
        for round in 0..<300 {
            let context = "seed \(maker.seed), round \(round)"
            let model = try maker.make()

            let text = model.jsonRepresentation()
            let copy = try load(text)

            XCTAssertEqual(copy, model, context)
            XCTAssertEqual(copy.entityDescriptions, model.entityDescriptions, context)
            XCTAssertEqual(copy.configurations, model.configurations, context)
            XCTAssertEqual(copy.versionIdentifiers, model.versionIdentifiers, context)
            XCTAssertEqual(copy.jsonRepresentation(), text, context)
            XCTAssertNoThrow(try JSONSerialization.jsonObject(with: Data(text.utf8)), context)
        }
    }
}
