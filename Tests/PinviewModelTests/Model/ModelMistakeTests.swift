import XCTest

@testable import PinviewModel

/// STO-18: a model with a mistake is rejected with badModel and a message that names entity and
/// property.
final class ModelMistakeTests: XCTestCase {
    private func attribute(_ name: String, _ type: AttributeType = .string) -> AttributeDescription {
        AttributeDescription(name: name, attributeType: type)
    }

    private func assertBad(
        _ entities: [EntityDescription], configurations: [String: [String]] = [:], _ first: String, _ second: String = "",
        line: UInt = #line
    ) {
        assertThrows(.badModel, mentioning: first, second, line: line) {
            try ManagedObjectModel(entities: entities, configurations: configurations)
        }
    }

    private func assertBad(_ attribute: AttributeDescription, _ words: String, line: UInt = #line) {
        assertBad([EntityDescription(name: "Thing", attributes: [attribute])], "Thing", words, line: line)
    }

    private func assertBad(
        _ relationship: RelationshipDescription, back: RelationshipDescription? = nil, _ words: String, line: UInt = #line
    ) {
        assertBad(
            [
                EntityDescription(name: "Person", relationships: [relationship]),
                EntityDescription(name: "Car", attributes: [attribute("plate")], relationships: back.map { [$0] } ?? []),
            ], "Person.cars", words, line: line)
    }

    func test_STO_18_emptyModelIsRejected() {
        assertBad([], "no entities")
    }

    func test_STO_18_invalidEntityNames() {
        assertBad([EntityDescription(name: "")], "empty")
        assertBad([EntityDescription(name: "_Metadata")], "_Metadata", "Z_METADATA")
        assertBad([EntityDescription(name: "_3Tags")], "_3Tags", "Z_3TAGS")
        assertBad([EntityDescription(name: "9Lives")], "9Lives", "letter")
        assertBad([EntityDescription(name: "A\"; DROP TABLE x")], "letters, digits")
        assertBad([EntityDescription(name: "A\0B")], "letters, digits")
        assertBad([EntityDescription(name: "A"), EntityDescription(name: "A")], "A is declared twice")
        assertBad([EntityDescription(name: "Car"), EntityDescription(name: "CAR")], "Car and CAR", "case")
    }

    func test_MDL_02_aPropertyMayBeCalledLikeAMemberInAnotherCase() throws {
        for name in ["objectId", "Entity", "managedobjectcontext"] {
            let model = try ManagedObjectModel(entities: [EntityDescription(name: "Thing", attributes: [attribute(name)])])
            XCTAssertNotNil(model.entity(named: "Thing")?.property(named: name))
        }
    }

    func test_STO_18_invalidPropertyNames() {
        assertBad(attribute(""), "empty")
        assertBad(attribute("a b"), "\"a b\"")
        assertBad(attribute("_pk"), "Z_PK")
        assertBad(attribute("_fok_owner"), "Z_FOK_OWNER")
        assertBad(attribute("objectID"), "reserved")
        assertBad(attribute("SELF"), "reserved")
        assertBad([EntityDescription(name: "Thing", attributes: [attribute("a"), attribute("a")])], "Thing", "a twice")
        assertBad([EntityDescription(name: "Thing", attributes: [attribute("aB"), attribute("Ab")])], "aB and Ab", "Thing")
    }

    func test_STO_18_invalidInheritance() {
        assertBad([EntityDescription(name: "A", superentityName: "B")], "A", "\"B\"")
        assertBad([EntityDescription(name: "A", superentityName: "A")], "circular")
        assertBad(
            [EntityDescription(name: "A", superentityName: "B"), EntityDescription(name: "B", superentityName: "A")], "circular", "A, B")
        assertBad(
            [
                EntityDescription(name: "A", attributes: [attribute("text")]), EntityDescription(name: "B", superentityName: "A"),
                EntityDescription(name: "C", superentityName: "B", attributes: [attribute("TEXT")]),
            ], "C.TEXT redefines A.text")
    }

    func test_STO_18_missingDestination() {
        assertBad(RelationshipDescription(name: "cars", destinationEntityName: ""), "no destination")
        assertBad(RelationshipDescription(name: "cars", destinationEntityName: "Bike"), "\"Bike\"")
    }

    func test_STO_18_oneSidedInverse() {
        let cars = RelationshipDescription(name: "cars", destinationEntityName: "Car", inverseRelationshipName: "owner")

        assertBad(cars, "Car.owner")
        assertBad(cars, back: RelationshipDescription(name: "owner", destinationEntityName: "Person"), "has no inverse")
        assertBad(
            cars, back: RelationshipDescription(name: "bike", destinationEntityName: "Person"), "Car.owner")
        assertBad(
            RelationshipDescription(name: "cars", destinationEntityName: "Car"),
            back: RelationshipDescription(name: "owner", destinationEntityName: "Person", inverseRelationshipName: "cars"), "Car.owner")
    }

    func test_STO_18_oneSidedInverseIsFoundFromTheOtherSide() {
        let owner = RelationshipDescription(name: "owner", destinationEntityName: "Person", inverseRelationshipName: "cars")

        assertBad([EntityDescription(name: "Car", relationships: [owner]), EntityDescription(name: "Person")], "Car.owner", "Person.cars")
    }

    func test_STO_18_inverseThatHasAnotherInverse() {
        func between(_ name: String, _ destination: String, _ inverse: String) -> RelationshipDescription {
            RelationshipDescription(name: name, destinationEntityName: destination, inverseRelationshipName: inverse)
        }

        assertBad(
            [
                EntityDescription(name: "Car", relationships: [between("owner", "Person", "cars"), between("driver", "Person", "cars")]),
                EntityDescription(name: "Person", relationships: [between("cars", "Car", "owner")]),
            ], "Car.driver", "Person.cars, but that has the inverse owner")
    }

    func test_STO_18_inverseOfTheWrongType() {
        assertBad(
            RelationshipDescription(name: "cars", destinationEntityName: "Car", inverseRelationshipName: "plate"), "is an attribute")
        // Person.wheels would point back to Person, but its destination is Wheel.
        let wheel = RelationshipDescription(name: "wheels", destinationEntityName: "Wheel", inverseRelationshipName: "person")
        let person = RelationshipDescription(name: "person", destinationEntityName: "Person", inverseRelationshipName: "wheels")
        let owner = RelationshipDescription(name: "owner", destinationEntityName: "Person", inverseRelationshipName: "wheels")
        assertBad(
            [
                EntityDescription(name: "Car", relationships: [owner]), EntityDescription(name: "Person", relationships: [wheel]),
                EntityDescription(name: "Wheel", relationships: [person]),
            ], "Car.owner", "Person.wheels, but the destination of that is Wheel, not Car")
    }

    func test_STO_18_invalidCounts() {
        func cars(many: Bool, ordered: Bool = false, _ minimum: Int = 0, _ maximum: Int = 0) -> RelationshipDescription {
            RelationshipDescription(
                name: "cars", destinationEntityName: "Car", isToMany: many, isOrdered: ordered, minimumCount: minimum, maximumCount: maximum
            )
        }

        assertBad(cars(many: false, ordered: true), "ordered")
        assertBad(cars(many: false, 0, 2), "count of 2")
        assertBad(cars(many: true, 3, 2), "minimum count 3")
        assertBad(cars(many: true, -1, 0), "negative")
    }

    func test_STO_18_defaultAndLimitsMustMatchTheType() {
        func number(_ type: AttributeType, _ value: Value = .null, _ minimum: Value? = nil, _ maximum: Value? = nil) -> AttributeDescription
        {
            AttributeDescription(
                name: "value", attributeType: type, defaultValue: value, minimumValue: minimum, maximumValue: maximum)
        }

        assertBad(number(.integer16, 40_000), "default")
        assertBad(number(.integer16, "1"), "\"1\"")
        assertBad(number(.boolean, 2), "default")
        assertBad(number(.integer64, .null, 2, 1), "minimum 2")
        assertBad(number(.double, .null, .double(.nan)), "not a number")
        assertBad(number(.string, .null, "a"), "numbers and dates")
        assertBad(number(.undefined), "transient")
    }

    func test_STO_18_invalidRulesForText() {
        func text(_ type: AttributeType, _ minimum: Int?, _ maximum: Int?, _ pattern: String? = nil) -> AttributeDescription {
            AttributeDescription(
                name: "value", attributeType: type, minimumLength: minimum, maximumLength: maximum, regularExpression: pattern)
        }

        assertBad(text(.integer16, 1, nil), "Thing.value")
        assertBad(text(.string, 2, 1), "minimum length 2")
        assertBad(text(.string, -1, nil), "negative")
        assertBad(text(.string, nil, nil, "(["), "pattern")
        assertBad(text(.string, nil, nil, "ab(?R)"), "(character 3 of the pattern)")
        assertBad(text(.string, nil, nil, "(((a{1,200}){1,200}){1,200}){1,200}"), "too large")
        assertBad(text(.string, nil, nil, String(repeating: "(", count: 100_000)), "longer than")
        let open = { String(repeating: "(", count: $0) }
        assertBad(text(.string, nil, nil, open(999) + "a" + String(repeating: ")", count: 999)), "too deeply")
        assertBad(
            AttributeDescription(name: "value", attributeType: .string, allowsExternalBinaryDataStorage: true), "external storage")
    }

    func test_STO_18_commonPatternsAreNotTooLarge() throws {
        let patterns = [
            "[A-Za-z0-9._%+-]{1,64}@([A-Za-z0-9-]{1,63}\\.){1,8}[A-Za-z]{2,63}", "[[:alpha:]]+( [[:alpha:]]+)*", ".{0,4000}",
            "\\(\\+?[0-9]+\\)", "[]({]+", "((([0-9]+)\\.)+[0-9]+)?", "(?i)[\\w.]+@(?:[\\w-]+\\.)+\\p{L}{2,}", "(?=.*\\d)(?=.*[A-Z]).{8,}",
        ]
        for pattern in patterns {
            let attribute = AttributeDescription(name: "value", attributeType: .string, regularExpression: pattern)
            XCTAssertNoThrow(try makeProperty(attribute), pattern)
        }
    }

    func test_STO_18_constraintsAndIndexesNameStoredProperties() {
        func thing(_ constraints: [[String]], _ indexed: [String]? = nil) -> [EntityDescription] {
            [
                EntityDescription(
                    name: "Thing",
                    attributes: [attribute("a"), AttributeDescription(name: "mood", attributeType: .string, isTransient: true)],
                    relationships: [RelationshipDescription(name: "many", destinationEntityName: "Thing", isToMany: true)],
                    uniquenessConstraints: constraints,
                    indexes: indexed.map { names in
                        [FetchIndexDescription(name: "byIt", elements: names.map { .init(attributeName: $0) })]
                    } ?? [])
            ]
        }

        assertBad(thing([["b"]]), "Thing", "\"b\"")
        assertBad(thing([["mood"]]), "mood", "transient")
        assertBad(thing([["many"]]), "many")
        assertBad(thing([[]]), "no property")
        assertBad(thing([["a", "a"]]), "twice")
        assertBad(thing([["a"], ["a"]]), "twice")
        assertBad(thing([], ["b"]), "\"byIt\"", "\"b\"")
        assertBad(thing([], []), "no property")
    }

    func test_STO_18_configurationNamesKnownEntities() {
        assertBad([EntityDescription(name: "A")], configurations: ["Half": ["B"]], "\"Half\"", "\"B\"")
    }
}
