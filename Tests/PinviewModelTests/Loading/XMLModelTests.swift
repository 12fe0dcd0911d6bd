import FoundationEssentials
import XCTest

@testable import PinviewModel

/// MDL-01 to MDL-03: models as Xcode edits them.
final class XMLModelTests: XCTestCase {
    private static let shop = """
        <entity name="Being" representedClassName="Being" isAbstract="YES" syncable="YES">
            <attribute name="name" attributeType="String" minValueString="2" maxValueString="80" regularExpressionString="[A-Z].*"/>
        </entity>
        <entity name="Person" representedClassName=".Person" parentEntity="Being" elementID="Human" versionHashModifier="2" codeGenerationType="class">
            <attribute name="age" optional="YES" attributeType="Integer 16" minValueString="0" maxValueString="150" defaultValueString="7" usesScalarValueType="YES" indexed="YES"/>
            <attribute name="born" optional="YES" attributeType="Date" defaultDateTimeInterval="12.5" minDateTimeInterval="-10" minValueString="long ago"/>
            <attribute name="isKnown" attributeType="Boolean" defaultValueString="YES"/>
            <attribute name="portrait" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES" preserveAfterDeletion="YES"/>
            <attribute name="colour" optional="YES" attributeType="Transformable" valueTransformerName="ColourTransformer" customClassName="NSColor"/>
            <attribute name="sortName" optional="YES" attributeType="String" derived="YES" derivationExpression="canonical:(name)"/>
            <attribute name="price" optional="YES" attributeType="Decimal" defaultValueString="0.10"/>
            <attribute name="mood" optional="YES" elementID="feeling"/>
            <attribute name="key" optional="YES" attributeType="UUID" defaultValueString="E621E1F8-C36C-495A-93FC-0C247A3E6E5F"/>
            <relationship name="cars" optional="YES" toMany="YES" minCount="1" maxCount="4" deletionRule="Cascade" ordered="YES" destinationEntity="Car" inverseName="owner" inverseEntity="Car"/>
            <fetchedProperty name="namesakes" optional="YES">
                <fetchRequest name="fetchedPropertyFetchRequest" entity="Person" predicateString="name == $FETCH_SOURCE.name"/>
            </fetchedProperty>
            <fetchIndex name="byName">
                <fetchIndexElement property="name" type="Binary" order="descending"/>
                <fetchIndexElement property="age" type="Binary" order="ascending"/>
            </fetchIndex>
            <fetchIndex name="lower" partialIndexPredicate="age &gt; 3"><fetchIndexElement expression="lowercase:(name)" type="Binary" order="ascending"/></fetchIndex>
            <compoundIndexes><compoundIndex><index value="age"/><index value="isKnown"/></compoundIndex></compoundIndexes>
            <uniquenessConstraints><uniquenessConstraint><constraint value="name"/><constraint value="age"/></uniquenessConstraint></uniquenessConstraints>
            <userInfo><entry key="note" value="a &amp; b"/></userInfo>
            <futureElement anything="goes"/>
        </entity>
        <entity name="Car"><relationship name="owner" maxCount="1" deletionRule="Deny" destinationEntity="Person" inverseName="cars" inverseEntity="Person"/></entity>
        <fetchRequest name="adults" entity="Person" predicateString="age &gt;= $AGE" fetchLimit="5" resultType="1" includeSubentities="NO"/>
        <configuration name="People"><memberEntity name="Person"/></configuration>
        <elements><element name="Car" positionX="1" positionY="2" width="3" height="4"/></elements>
        """

    func test_MDL_02_anIntegerThatWasABooleanKeepsItsDefault() throws {
        let model = try loadedModel(
            xml: "<entity name='A'><attribute name='muted' attributeType='Integer 32' defaultValueString='NO'/></entity>")
        XCTAssertEqual(model.entity(named: "A")?.property(named: "muted")?.defaultValue, 0)
        XCTAssertEqual(model.warnings, [])
    }

    func test_MDL_03_attributesKeepWhatTheModelSays() throws {
        let person = try XCTUnwrap(loadedModel(xml: Self.shop, .strict).entity(named: "Person"))
        let age = try XCTUnwrap(person.property(named: "age"))
        let born = try XCTUnwrap(person.property(named: "born"))
        let name = try XCTUnwrap(person.property(named: "name"))

        XCTAssertEqual(age.attributeType, .integer16)
        XCTAssertEqual([age.defaultValue, age.minimumValue, age.maximumValue], [7, 0, 150])
        XCTAssertTrue(age.isOptional)
        XCTAssertFalse(name.isOptional)
        XCTAssertEqual([name.minimumLength, name.maximumLength], [2, 80])
        XCTAssertEqual(name.regularExpression, "[A-Z].*")
        XCTAssertEqual(born.defaultValue, .date(Date(timeIntervalSinceReferenceDate: 12.5)))
        XCTAssertEqual(born.minimumValue, .date(Date(timeIntervalSinceReferenceDate: -10)))
        XCTAssertEqual(person.property(named: "isKnown")?.defaultValue, .boolean(true))
        XCTAssertEqual(person.property(named: "portrait")?.allowsExternalBinaryDataStorage, true)
        XCTAssertEqual(person.property(named: "portrait")?.preservesValueInHistoryOnDeletion, true)
        XCTAssertEqual(person.property(named: "colour")?.valueTransformerName, "ColourTransformer")
        XCTAssertEqual(person.property(named: "colour")?.valueClassName, "NSColor")
        XCTAssertEqual(person.property(named: "sortName")?.derivationExpression, "canonical:(name)")
        XCTAssertEqual(person.property(named: "price")?.defaultValue, .decimal(try XCTUnwrap(DecimalNumber("0.1"))))
        XCTAssertEqual(person.property(named: "mood")?.attributeType, .undefined)
        XCTAssertEqual(person.property(named: "mood")?.isTransient, true)
        XCTAssertEqual(person.property(named: "mood")?.renamingIdentifier, "feeling")
        XCTAssertEqual(person.property(named: "key")?.defaultValue.typeName, "UUID")
    }

    func test_MDL_03_entitiesKeepWhatTheModelSays() throws {
        let model = try loadedModel(xml: Self.shop, .strict)
        let person = try XCTUnwrap(model.entity(named: "Person"))
        let cars = try XCTUnwrap(person.property(named: "cars"))

        XCTAssertEqual(model.entities.map(\.name), ["Being", "Person", "Car"])
        XCTAssertEqual(person.superentityName, "Being")
        XCTAssertEqual(person.managedObjectClassName, ".Person")
        XCTAssertEqual(person.renamingIdentifier, "Human")
        XCTAssertEqual(person.versionHashModifier, "2")
        XCTAssertEqual(person.userInfo, ["note": "a & b"])
        XCTAssertEqual(person.uniquenessConstraints, [["name", "age"]])
        XCTAssertEqual(model.entity(named: "Being")?.isAbstract, true)
        XCTAssertEqual([cars.isToMany, cars.isOrdered, cars.isOptional], [true, true, true])
        XCTAssertEqual([cars.minimumCount, cars.maximumCount], [1, 4])
        XCTAssertEqual(cars.deleteRule, .cascade)
        XCTAssertEqual(cars.inverseName, "owner")
        XCTAssertEqual(model.entity(named: "Car")?.property(named: "owner")?.deleteRule, .deny)
        XCTAssertEqual(person.fetchedProperties.map(\.name), ["namesakes"])
        XCTAssertEqual(person.fetchedProperties.first?.fetchRequest.predicateFormat, "name == $FETCH_SOURCE.name")
        XCTAssertEqual(model.versionIdentifiers, ["1.2"])
        XCTAssertEqual(model.configurations, ["People": ["Person"]])
        XCTAssertEqual(model.warnings, [])
    }

    func test_MDL_03_indexesOfAllTimes() throws {
        let indexes = try XCTUnwrap(loadedModel(xml: Self.shop).entity(named: "Person")).indexes

        XCTAssertEqual(indexes.map(\.name), ["byName", "lower", "age_isKnown", "byAgeIndex"])
        XCTAssertEqual(indexes[0].elements, [.init(attributeName: "name", isAscending: false), .init(attributeName: "age")])
        XCTAssertEqual(indexes[1].elements, [.init(expressionFormat: "lowercase:(name)")])
        XCTAssertEqual(indexes[1].partialIndexPredicateFormat, "age > 3")
    }

    func test_MDL_03_templates() throws {
        let template = try XCTUnwrap(loadedModel(xml: Self.shop).fetchRequestTemplateDescriptions["adults"])

        XCTAssertEqual(template.predicateFormat, "age >= $AGE")
        XCTAssertEqual(template.fetchLimit, 5)
        XCTAssertEqual(template.resultType, .managedObjectID)
        XCTAssertFalse(template.includesSubentities)
    }

    func test_MDL_01_readModelsReadBackFromTheirJSON() throws {
        let model = try loadedModel(xml: Self.shop)

        let again = try ManagedObjectModel(json: try XCTUnwrap(parseJSON(model.jsonRepresentation())))

        XCTAssertEqual(again.entityDescriptions, model.entityDescriptions)
        XCTAssertEqual(again, model)
    }

    func test_MDL_02_unknownTypesAreRefusedByName() {
        assertThrows(.badModel, mentioning: "Thing.what", "Quantum") {
            try loadedModel(xml: "<entity name='Thing'><attribute name='what' attributeType='Quantum'/></entity>")
        }
    }

    // MARK: Composite attributes

    private static let addresses = """
        <entity name="Person">
            <attribute name="home" optional="YES" attributeType="Composite" composite="Address"/>
            <attribute name="work" attributeType="Composite" composite="Address"/>
            <fetchIndex name="byCity"><fetchIndexElement property="home.city" type="Binary" order="ascending"/></fetchIndex>
        </entity>
        <composite name="Address">
            <attribute name="city" attributeType="String" maxValueString="80" defaultValueString="Rome"/>
            <attribute name="at" optional="YES" attributeType="Composite" composite="Position"/>
        </composite>
        <composite name="Position">
            <attribute name="latitude" optional="YES" attributeType="Double" defaultValueString="north"/>
        </composite>
        """

    func test_MDL_12_compositeAttributesHaveTheElementsOfTheirDefinition() throws {
        let model = try loadedModel(xml: Self.addresses)
        let person = try XCTUnwrap(model.entity(named: "Person"))

        XCTAssertEqual(
            person.properties.map(\.name), ["home.city", "home.at.latitude", "work.city", "work.at.latitude"])
        XCTAssertEqual(person.property(named: "home.city")?.defaultValue, "Rome")
        XCTAssertEqual(person.property(named: "home.city")?.maximumLength, 80)
        XCTAssertEqual(person.composites.map(\.valueClassName), ["Address", "Position", "Address", "Position"])
        XCTAssertEqual(person.composites.map(\.isOptional), [true, true, false, true])
        XCTAssertEqual(person.indexes.map(\.name), ["byCity"])
        XCTAssertTrue(model.warnings.contains { $0.contains("Person.home.at.latitude") && $0.contains("north") }, "\(model.warnings)")
    }

    func test_MDL_12_definitionsThatAreMissingOrContainThemselvesAreRefusedByName() {
        assertThrows(.badModel, mentioning: "Person.home", "\"Address\"") {
            try loadedModel(
                xml: "<entity name='Person'><attribute name='home' attributeType='Composite' composite='Address'/></entity>")
        }
        assertThrows(.badModel, mentioning: "Person.home", "does not say of which definition") {
            try loadedModel(xml: "<entity name='Person'><attribute name='home' attributeType='Composite'/></entity>")
        }
        assertThrows(.badModel, mentioning: "Person.home", "contains itself") {
            try loadedModel(
                xml: "<entity name='Person'><attribute name='home' attributeType='Composite' composite='A'/></entity>"
                    + "<composite name='A'><attribute name='b' attributeType='Composite' composite='A'/></composite>")
        }
        let doubling = (0..<40).map { level in
            "<composite name='C\(level)'><attribute name='a' attributeType='Composite' composite='C\(level + 1)'/>"
                + "<attribute name='b' attributeType='Composite' composite='C\(level + 1)'/></composite>"
        }
        assertThrows(.badModel, mentioning: "too many") {
            try loadedModel(
                xml: "<entity name='Person'><attribute name='home' attributeType='Composite' composite='C0'/></entity>"
                    + doubling.joined() + "<composite name='C40'><attribute name='z' attributeType='String'/></composite>")
        }
    }

    // MARK: Damaged and hostile documents

    private func assertDamaged(_ text: String, _ words: String, line: UInt = #line) {
        assertThrows(.badModel, mentioning: "XML", words, line: line) { _ = try loadedModel(Array(text.utf8)) }
    }

    func test_MDL_01_documentsThatAreNoModel() {
        assertDamaged("<plist version='1.0'/>", "<plist>")
        assertDamaged("<model", "unclosed token")
        assertDamaged("<model></mode>", "mismatched")
        assertDamaged("<model><entity/></model><model/>", "junk")
        assertThrows(.badModel, mentioning: "no name") { _ = try loadedModel(xml: "<entity/>") }
    }

    func test_MDL_01_entitiesCannotBeDeclared() {
        let laughs = (1...9).map { "<!ENTITY l\($0) '\(String(repeating: "&l\($0 - 1);", count: 10))'>" }.joined()
        assertDamaged("<!DOCTYPE model [<!ENTITY l0 'ha'>\(laughs)]><model>&l9;</model>", "entity")
        assertDamaged("<!DOCTYPE model [<!ENTITY file SYSTEM 'file:///etc/passwd'>]><model>&file;</model>", "entity")
        assertDamaged("<!DOCTYPE model [<!ENTITY % p SYSTEM 'file:///etc/passwd'>%p;]><model/>", "entity")
    }

    func test_MDL_01_depthIsLimited() {
        assertDamaged(String(repeating: "<model>", count: 1_000_000), "nested deeper than 100")
    }

    func test_MDL_01_everyPrefixIsRefusedOrRead() {
        let bytes = Array("<model>\(Self.shop)</model>".utf8)
        for count in stride(from: 0, to: bytes.count, by: 7) {
            XCTAssertThrowsError(try loadedModel(Array(bytes[..<count]))) { XCTAssertTrue($0 is PinviewError) }
        }
    }

    func test_MDL_01_aDocumentOfTheLargestSizeIsRead() throws {
        var bytes = Array("<a/>".utf8)
        bytes += [UInt8](repeating: UInt8(ascii: " "), count: XMLReader.maximumSize - bytes.count)
        XCTAssertNoThrow(try XMLReader.read(bytes))
        bytes.append(UInt8(ascii: " "))
        XCTAssertThrowsError(try XMLReader.read(bytes)) { error in
            XCTAssertTrue("\(error)".contains("\(XMLReader.maximumSize + 1) bytes"), "\(error)")
        }
    }
}
