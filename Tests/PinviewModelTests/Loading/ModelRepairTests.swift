import XCTest

@testable import PinviewModel

/// MDL-02: what shipped applications live with loads, with a warning, and is an error when checking
/// is strict.
final class ModelRepairTests: XCTestCase {
    /// The model of these elements, which must have exactly one warning with these words.
    private func repaired(_ xml: String, _ words: String..., line: UInt = #line) throws -> ManagedObjectModel {
        let model = try loadedModel(xml: xml)
        XCTAssertEqual(model.warnings.count, 1, "\(model.warnings)", line: line)
        for word in words { XCTAssertTrue(model.warnings.first?.contains(word) == true, "\(model.warnings) lacks \(word)", line: line) }
        XCTAssertThrowsError(try loadedModel(xml: xml, .strict), line: line) { error in
            XCTAssertEqual((error as? PinviewError)?.hasCode(.badModel), true, line: line)
        }
        // The copy that a store keeps of it is valid.
        XCTAssertEqual(try ManagedObjectModel(json: try XCTUnwrap(parseJSON(model.jsonRepresentation()))), model, line: line)
        return model
    }

    private func relationship(_ name: String, _ destination: String, _ more: String = "") -> String {
        "<relationship name='\(name)' optional='YES' deletionRule='Nullify' destinationEntity='\(destination)' \(more)/>"
    }

    func test_MDL_02_anIndexOnAToManyMakesNone() throws {
        let model = try repaired(
            """
            <entity name='A'>\(relationship("bs", "B", "toMany='YES' inverseName='a'"))
            <fetchIndex name='byBs'><fetchIndexElement property='bs' type='Binary' order='ascending'/></fetchIndex></entity>
            <entity name='B'>\(relationship("a", "A", "maxCount='1' inverseName='bs'"))</entity>
            """, "byBs", "to-many")
        XCTAssertEqual(model.entity(named: "A")?.indexes, [])
    }

    func test_MDL_02_anInverseThatTwoRelationshipsClaim() throws {
        let model = try repaired(
            """
            <entity name='Person'>\(relationship("cars", "Car", "toMany='YES' inverseName='owner'"))</entity>
            <entity name='Car'>\(relationship("driver", "Person", "maxCount='1' inverseName='cars'"))
            \(relationship("owner", "Person", "maxCount='1' inverseName='cars'"))</entity>
            """, "Car.driver", "Person.cars", "owner")
        XCTAssertEqual(model.entity(named: "Person")?.property(named: "cars")?.inverseName, "owner")
        XCTAssertEqual(model.entity(named: "Car")?.property(named: "owner")?.inverseName, "cars")
        XCTAssertNil(try XCTUnwrap(model.entity(named: "Car")?.property(named: "driver")).inverseName)
    }

    func test_MDL_02_anInverseThatOnlyOneSideNames() throws {
        let model = try repaired(
            """
            <entity name='Person'>\(relationship("cars", "Car", "toMany='YES'"))</entity>
            <entity name='Car'>\(relationship("owner", "Person", "maxCount='1' inverseName='cars'"))</entity>
            """, "Person.cars", "Car.owner")
        XCTAssertEqual(model.entity(named: "Person")?.property(named: "cars")?.inverseName, "owner")
    }

    func test_MDL_02_anInverseThatLeadsElsewhere() throws {
        let model = try repaired(
            """
            <entity name='Person'>\(relationship("cars", "Car", "toMany='YES' inverseName='wheel'"))</entity>
            <entity name='Car'>\(relationship("wheel", "Car", "maxCount='1'"))</entity>
            """, "Person.cars", "Car.wheel")
        XCTAssertNil(try XCTUnwrap(model.entity(named: "Person")?.property(named: "cars")).inverseName)
    }

    func test_MDL_02_anOrderedToOne() throws {
        let model = try repaired("<entity name='A'>\(relationship("a", "A", "maxCount='1' ordered='YES'"))</entity>", "A.a", "ordered")
        XCTAssertEqual(model.entities[0].property(named: "a")?.isOrdered, false)
    }

    func test_MDL_02_aMalformedDefaultIsReportedWithItsText() throws {
        let model = try repaired(
            "<entity name='A'><attribute name='n' optional='YES' attributeType='Integer 64' defaultValueString='many'/></entity>", "A.n",
            "many")
        XCTAssertEqual(model.entities[0].property(named: "n")?.defaultValue, .null)
    }

    func test_MDL_02_aDefaultOutOfRangeIsIgnoredAndTheRestStays() throws {
        let model = try repaired(
            """
            <entity name='A'><attribute name='n' attributeType='Integer 16' defaultValueString='40000' minValueString='3' maxValueString='9'/></entity>
            """, "A.n", "40000")
        XCTAssertEqual(model.entities[0].property(named: "n")?.defaultValue, .null)
        XCTAssertEqual(model.entities[0].property(named: "n")?.maximumValue, 9)
    }

    func test_MDL_02_aPatternThatIsNone() throws {
        _ = try repaired(
            "<entity name='A'><attribute name='n' optional='YES' attributeType='String' regularExpressionString='['/></entity>", "A.n",
            "pattern")
    }

    func test_MDL_02_anEmptyModel() throws {
        XCTAssertEqual(try loadedModel(xml: "").entities.count, 0)
        XCTAssertThrowsError(try loadedModel(xml: "", .strict))
    }

    func test_MDL_02_namesWithALeadingUnderscore() throws {
        let model = try loadedModel(
            xml: "<entity name='_Thing'><attribute name='_id' optional='YES' attributeType='String'/></entity>", .strict)
        XCTAssertEqual(model.entities[0].property(named: "_id")?.name, "_id")
        assertThrows(.badModel, mentioning: "_pk", "Z_PK") {
            _ = try loadedModel(xml: "<entity name='A'><attribute name='_pk' attributeType='String'/></entity>")
        }
    }

    func test_MDL_02_aPropertyThatASubentityRepeats() throws {
        let model = try repaired(
            """
            <entity name='A'><attribute name='n' optional='YES' attributeType='String'/></entity>
            <entity name='B' parentEntity='A'><attribute name='n' optional='YES' attributeType='String'/></entity>
            """, "B.n", "A.n")
        XCTAssertEqual(model.entity(named: "B")?.property(named: "n")?.declaringEntityName, "A")
    }

    func test_MDL_02_requestsAndConfigurationsOfMissingEntities() throws {
        _ = try repaired("<entity name='A'/><fetchRequest name='all' entity='B'/>", "all", "B")
        let model = try repaired(
            "<entity name='A'/><configuration name='C'><memberEntity name='A'/><memberEntity name='B'/></configuration>", "B")
        XCTAssertEqual(model.configurations, ["C": ["A"]])
        _ = try repaired("<entity name='A'><fetchedProperty name='f'/></entity>", "A.f")
    }

    func test_MDL_02_constraintsOverWhatHasNoColumn() throws {
        let model = try repaired(
            """
            <entity name='A'><attribute name='t' transient='YES' optional='YES' attributeType='String'/>
            <uniquenessConstraints><uniquenessConstraint><constraint value='t'/></uniquenessConstraint></uniquenessConstraints></entity>
            """, "(t)", "transient")
        XCTAssertEqual(model.entities[0].uniquenessConstraints, [])
    }

    func test_MDL_02_whatCannotBeUsedIsRefusedByName() {
        assertThrows(.badModel, mentioning: "A.b", "destination") {
            _ = try loadedModel(xml: "<entity name='A'>\(self.relationship("b", "B"))</entity>")
        }
        assertThrows(.badModel, mentioning: "A", "B") { _ = try loadedModel(xml: "<entity name='A' parentEntity='B'/>") }
        assertThrows(.badModel, mentioning: "A", "a") { _ = try loadedModel(xml: "<entity name='A'/><entity name='a'/>") }
    }

    func test_MDL_02_unknownKeysOfJSONAreErrorsOnlyWhenStrict() throws {
        let json = try XCTUnwrap(parseJSON(#"{"entities": [{"name": "A", "colour": "red"}], "made": 1}"#))

        let model = try ManagedObjectModel(json: json, checking: .lenient)

        XCTAssertEqual(model.warnings.count, 2)
        XCTAssertTrue(model.warnings.contains { $0.contains("$.entities[0]") && $0.contains("colour") })
        assertThrows(.badModel, mentioning: "made") { _ = try ManagedObjectModel(json: json, checking: .strict) }
    }
}
