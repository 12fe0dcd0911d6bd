import XCTest

@testable import PinviewModel

final class VersionHashTests: XCTestCase {
    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// The vectors that NIST publishes with FIPS 180-4.
    func test_SHA256_standardVectors() {
        let vectors: [([UInt8], String)] = [
            ([], "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            (Array("abc".utf8), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8),
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (
                Array(
                    ("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
                        + "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu").utf8),
                "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
            ),
            ([UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
        ]
        for (message, expected) in vectors { XCTAssertEqual(hexadecimal(SHA256.hash(message)), expected, "\(message.count) bytes") }
    }

    private func hash(_ change: (inout EntityDescription) -> Void = { _ in }) throws -> [UInt8] {
        var thing = EntityDescription(
            name: "Thing",
            attributes: [
                AttributeDescription(name: "a", attributeType: .string), AttributeDescription(name: "b", attributeType: .integer64),
            ],
            relationships: [RelationshipDescription(name: "next", destinationEntityName: "Thing")])
        change(&thing)
        let model = try ManagedObjectModel(entities: [thing, EntityDescription(name: "Other")])
        return try XCTUnwrap(model.entity(named: "Thing")?.versionHash)
    }

    func test_hashHas32BytesAndIsDeterministic() throws {
        XCTAssertEqual(try hash().count, 32)
        XCTAssertEqual(try hash(), try hash())
    }

    func test_hashCoversHowRowsAreStored() throws {
        let changes: [(inout EntityDescription) -> Void] = [
            { $0.attributes[0].name = "c" }, { $0.attributes[0].attributeType = .uri }, { $0.attributes[0].isOptional = false },
            { $0.attributes[0].isTransient = true }, { $0.attributes[0].versionHashModifier = "2" }, { $0.versionHashModifier = "2" },
            { $0.isAbstract = true }, { $0.superentityName = "Other" }, { $0.attributes.removeLast() },
            { $0.relationships[0].isToMany = true }, { $0.relationships[0].destinationEntityName = "Other" },
            { $0.relationships[0].inverseRelationshipName = "next" }, { $0.uniquenessConstraints = [["a"]] },
        ]
        var hashes = Set([try hash()])
        for change in changes { hashes.insert(try hash(change)) }

        XCTAssertEqual(hashes.count, changes.count + 1)
    }

    func test_hashIgnoresWhatDoesNotAffectStoredRows() throws {
        let changes: [(inout EntityDescription) -> Void] = [
            { $0.attributes[0].defaultValue = "x" }, { $0.attributes[0].userInfo = ["a": "b"] }, { $0.userInfo = ["a": "b"] },
            { $0.indexes = [FetchIndexDescription(name: "i", elements: [.init(attributeName: "a")])] },
            { $0.attributes[0].maximumLength = 5 }, { $0.relationships[0].deleteRule = .cascade }, { $0.attributes.reverse() },
            { $0.renamingIdentifier = "Old" },
        ]
        for (number, change) in changes.enumerated() { XCTAssertEqual(try hash(change), try hash(), "change \(number)") }
    }

    func test_changeInParentChangesHashOfChild() throws {
        func child(_ type: AttributeType) throws -> [UInt8]? {
            try ManagedObjectModel(entities: [
                EntityDescription(name: "Parent", attributes: [AttributeDescription(name: "a", attributeType: type)]),
                EntityDescription(name: "Child", superentityName: "Parent"),
            ]).entityVersionHashesByName["Child"]
        }

        XCTAssertNotEqual(try child(.string), try child(.date))
    }

    func test_modelsAreEqualByTheirHashes() throws {
        XCTAssertEqual(try makeFamilyModel(), try makeFamilyModel())
        XCTAssertNotEqual(try makeFamilyModel(), try ManagedObjectModel(entities: [EntityDescription(name: "Car")]))
    }
}
