import FoundationEssentials
import XCTest

@testable import PinviewModel

/// Which values a property takes, and which pass validation.
final class PropertyTests: XCTestCase {
    func test_STO_19_valueOfTheSameTypeIsUnchanged() throws {
        let examples: [(AttributeType, Value)] = [
            (.integer16, -32768), (.integer32, 2_147_483_647), (.integer64, .integer(.min)), (.double, 0.1), (.float, 0.5),
            (.decimal, .decimal(DecimalNumber(1))), (.string, "a\0b"), (.boolean, true),
            (.date, .date(Date(timeIntervalSinceReferenceDate: 1))),
            (.binaryData, .binary([0])), (.transformable, .binary([])), (.uuid, .uuid(UUID())), (.uri, "x:y"), (.undefined, "anything"),
        ]
        for (type, value) in examples {
            XCTAssertEqual(try makeProperty(type).convert(value), value, type.name)
            XCTAssertEqual(try makeProperty(type).convert(.null), .null, type.name)
        }
    }

    func test_STO_19_numberIsConvertedIfItsValueIsKept() throws {
        XCTAssertEqual(try makeProperty(.double).convert(3), 3.0)
        XCTAssertEqual(try makeProperty(.integer64).convert(3.0), 3)
        XCTAssertEqual(try makeProperty(.integer64).convert(true), 1)
        XCTAssertEqual(try makeProperty(.boolean).convert(1), true)
        XCTAssertEqual(try makeProperty(.decimal).convert(0.1), try .decimal(XCTUnwrap(DecimalNumber("0.1"))))
        XCTAssertEqual(try makeProperty(.float).convert(0.1), .double(Double(Float(0.1))))
    }

    func test_STO_19_wrongTypeErrorNamesPropertyTypeAndValue() throws {
        let wrong: [(AttributeType, Value, String)] = [
            (.integer16, 32768, "32768"), (.integer32, -2_147_483_649, "-2147483649"), (.integer64, 0.5, "0.5"),
            (.integer64, .double(9.3e18), "9.3e+18"), (.integer64, "1", "\"1\""), (.double, .integer((1 << 53) + 1), "9007199254740993"),
            (.float, 1e300, "1e+300"), (.string, 1, "integer"), (.boolean, 2, "2"), (.date, 0, "0"), (.uuid, "x", "\"x\""),
            (.binaryData, "x", "\"x\""), (.decimal, .double(.infinity), "inf"), (.integer64, .double(.nan), "nan"),
        ]
        for (type, value, text) in wrong {
            let property = try makeProperty(type)
            assertThrows(.wrongType, mentioning: "Thing.value", type.name, text) { try property.convert(value) }
        }
    }

    func test_STO_19_decimalIsConvertedIfItsValueIsKept() throws {
        let long = Value.decimal(try XCTUnwrap(DecimalNumber("1.000000000000000000000000000001")))
        let large = Value.decimal(try XCTUnwrap(DecimalNumber("1e300")))

        XCTAssertEqual(try makeProperty(.double).convert(large), 1e300)
        XCTAssertEqual(try makeProperty(.integer16).convert(.decimal(5)), 5)
        assertThrows(.wrongType, mentioning: "1.000000000000000000000000000001") { try makeProperty(.double).convert(long) }
        assertThrows(.wrongType) { try makeProperty(.integer64).convert(long) }
        assertThrows(.wrongType) { try makeProperty(.float).convert(large) }
        assertThrows(.wrongType) { try makeProperty(.decimal).convert("1") }
        assertThrows(.wrongType) { try makeProperty(.boolean).convert("1") }
    }

    func test_STO_19_toOneRelationshipTakesObjectsOfItsDestination() throws {
        let model = try makeFamilyModel()
        let owner = try XCTUnwrap(model.entity(named: "Car")?.property(named: "owner"))
        let employee = makeID(try XCTUnwrap(model.entity(named: "Employee")), 1)
        let car = makeID(try XCTUnwrap(model.entity(named: "Car")), 1)

        XCTAssertEqual(try owner.convert(.objectID(employee)), .objectID(employee))
        assertThrows(.wrongType, mentioning: "Car.owner", "Person", "Car/p1") { try owner.convert(.objectID(car)) }
        assertThrows(.wrongType, mentioning: "Car.owner") { try owner.convert(1) }
    }

    func test_STO_19_toManyRelationshipTakesNoSingleValue() throws {
        let cars = try XCTUnwrap(makeFamilyModel().entity(named: "Person")?.property(named: "cars"))

        assertThrows(.wrongType, mentioning: "Person.cars", "collection") { try cars.convert(.null) }
    }

    func test_ERR_07_validationErrorNamesObjectKeyAndValue() throws {
        let (property, objectID) = try makeProperty(
            AttributeDescription(name: "size", attributeType: .integer64, maximumValue: 10))

        let error = try XCTUnwrap(property.validate(11, objectID: objectID))

        XCTAssertTrue(error.hasCode(.numberTooLarge))
        XCTAssertEqual(error.affectedObjectIDs, [objectID])
        XCTAssertEqual(error.validationKey, "size")
        XCTAssertEqual(error.validationValue, 11)
        XCTAssertTrue(error.message.contains("Thing.size"))
        XCTAssertTrue(error.message.contains("Thing/p42"))
        XCTAssertTrue(error.message.contains("11"))
    }

    private func check(_ attribute: AttributeDescription, _ value: Value, _ code: PinviewError.Code?, line: UInt = #line) throws {
        let (property, objectID) = try makeProperty(attribute)
        XCTAssertEqual(property.validate(value, objectID: objectID)?.code, code?.rawValue, line: line)
    }

    func test_ERR_07_mandatoryAttribute() throws {
        try check(AttributeDescription(name: "v", attributeType: .string, isOptional: false), .null, .validationMissingMandatoryProperty)
        try check(AttributeDescription(name: "v", attributeType: .string, isOptional: false), "", nil)
        try check(AttributeDescription(name: "v", attributeType: .string), .null, nil)
    }

    func test_ERR_07_numbersAndDates() throws {
        let date = { Value.date(Date(timeIntervalSinceReferenceDate: $0)) }
        let size = AttributeDescription(name: "v", attributeType: .double, minimumValue: 1, maximumValue: 2.5)
        let day = AttributeDescription(name: "v", attributeType: .date, minimumValue: date(0), maximumValue: date(10))
        let price = AttributeDescription(name: "v", attributeType: .decimal, minimumValue: 0.1, maximumValue: 0.3)

        try check(size, 0.5, .numberTooSmall)
        try check(size, 1, nil)
        try check(size, 2.5, nil)
        try check(size, 2.6, .numberTooLarge)
        try check(day, date(-1), .dateTooSoon)
        try check(day, date(0), nil)
        try check(day, date(10), nil)
        try check(day, date(11), .dateTooLate)
        try check(day, date(.nan), .invalidDate)
        try check(price, .decimal(XCTUnwrap(DecimalNumber("0.1"))), nil)
        try check(price, .decimal(XCTUnwrap(DecimalNumber("0.09999999999999999999"))), .numberTooSmall)
        try check(price, .decimal(XCTUnwrap(DecimalNumber("0.3"))), nil)
        try check(price, .decimal(XCTUnwrap(DecimalNumber("0.30000000000000000001"))), .numberTooLarge)
    }

    func test_ERR_07_textLengthCountsCodePoints() throws {
        let text = AttributeDescription(name: "v", attributeType: .string, minimumLength: 2, maximumLength: 3)

        try check(text, "ä", .stringTooShort)
        try check(text, "äöü", nil)
        try check(text, "äö", nil)
        try check(text, "😀😀😀", nil)
        try check(text, "abcd", .stringTooLong)
        let exact = AttributeDescription(name: "v", attributeType: .string, minimumLength: 3, maximumLength: 3)
        for (value, code) in [("ab", PinviewError.Code.stringTooShort), ("abc", nil), ("abcd", .stringTooLong)]
            as [(String, PinviewError.Code?)]
        {
            try check(exact, .string(value), code)
        }
    }

    func test_ERR_07_patternMustMatchTheWholeText() throws {
        let text = AttributeDescription(name: "v", attributeType: .string, regularExpression: "a|[A-Z]{2,3}-[0-9]+")

        try check(text, "AB-12", nil)
        try check(text, "a", nil)
        try check(text, "xAB-12", .stringPatternMatching)
        try check(text, "AB-12\n", .stringPatternMatching)
        try check(text, "AB-12\0x", .stringPatternMatching)
        try check(text, "", .stringPatternMatching)
        try check(AttributeDescription(name: "v", attributeType: .string, regularExpression: "a*"), "", nil)
        try check(AttributeDescription(name: "v", attributeType: .string, regularExpression: "a[^b]b"), "a\0b", nil)
    }

    func test_ERR_07_uri() throws {
        try check(AttributeDescription(name: "v", attributeType: .uri), "https://example.org/a?b#c", nil)
        try check(AttributeDescription(name: "v", attributeType: .uri), "not a uri", .invalidURI)
    }

    func test_ERR_07_countOfToManyRelationship() throws {
        func tags(optional: Bool, _ minimum: Int, _ maximum: Int) throws -> (Property, ManagedObjectID) {
            let tags = RelationshipDescription(
                name: "tags", destinationEntityName: "Thing", isToMany: true, isOptional: optional, minimumCount: minimum,
                maximumCount: maximum)
            let entity = try ManagedObjectModel(entities: [EntityDescription(name: "Thing", relationships: [tags])]).entities[0]
            return (entity.properties[0], makeID(entity, 1))
        }
        let (optional, objectID) = try tags(optional: true, 2, 3)
        let (mandatory, _) = try tags(optional: false, 0, 0)

        XCTAssertNil(optional.validate(count: 0, objectID: objectID))
        XCTAssertEqual(optional.validate(count: 1, objectID: objectID)?.code, 1580)
        XCTAssertNil(optional.validate(count: 2, objectID: objectID))
        XCTAssertNil(optional.validate(count: 3, objectID: objectID))
        XCTAssertEqual(optional.validate(count: 4, objectID: objectID)?.code, 1590)
        XCTAssertEqual(mandatory.validate(count: 0, objectID: objectID)?.code, 1580)
        XCTAssertNil(mandatory.validate(count: 1, objectID: objectID))
        XCTAssertNil(mandatory.validate(count: 1000, objectID: objectID), "a maximum of 0 is none")
    }
}
