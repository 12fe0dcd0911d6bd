import CoreDataFixtures
import FoundationEssentials
import XCTest

@testable import PinviewModel

/// MDL-01, MDL-03, MDL-04: compiled models and model caches.
final class ArchivedModelTests: XCTestCase {
    /// Being (name) ← Person (age …) ↔ Car, written as Core Data does: entities and relationships
    /// refer to each other, and inherited properties come again as proxies.
    private func makeArchive(keysAreKnown: Bool = false) -> ModelArchive {
        let archive = ModelArchive()
        let (being, person, car) = (archive.reserve(), archive.reserve(), archive.reserve())
        let name = archive.attribute("name", 700, ["NSIsOptional": .boolean(false), "NSEntity": being])
        let (cars, owner) = (archive.reserve(), archive.reserve())
        archive.fill(
            cars, "NSRelationshipDescription",
            archive.relationshipMembers(
                "cars", "Car", inverse: "owner", maximum: 0,
                ["NSIsOrdered": .boolean(true), "NSDeleteRule": .integer(2), "NSInverseRelationship": owner, "NSEntity": person]))
        archive.fill(
            owner, "NSRelationshipDescription",
            archive.relationshipMembers(
                "owner", "Person", inverse: "cars", maximum: 1, ["NSInverseRelationship": cars, "NSDestinationEntity": person]))
        let proxy = archive.object("_NSPropertyDescriptionProxy", ["NSUnderlyingProperty": name, "NSEntity": person])
        let length = archive.compound(
            1,
            [
                archive.comparison(archive.keyPath("length"), 3, archive.constant(.integer(3))),
                archive.comparison(archive.keyPath("length"), 1, archive.constant(.integer(50))),
            ])
        let nick = archive.attribute(
            "nick", 700, ["NSValidationPredicates": archive.array([length]), "NSRenamingIdentifier": archive.text("nickname")])
        let born = archive.attribute(
            "born", 900, ["NSDefaultValue": archive.object("NSDate", ["NS.time": .real(2.5)])])
        let price = archive.attribute("price", 400, ["NSDefaultValue": decimal(archive, mantissa: 1234, exponent: -2)])
        let age = archive.attribute("age", 100, ["NSDefaultValue": archive.add(.integer(7)), "NSIsIndexed": .boolean(true)])
        let flag = archive.attribute("flag", 800, ["NSDefaultValue": archive.add(.integer(1))])
        let photo = archive.attribute("photo", 1000, ["NSFlagsKey": .integer(4)])
        let colour = archive.attribute(
            "colour", 1800, ["NSValueTransformerName": archive.text("Colours"), "NSAttributeValueClassName": archive.text("UIColor")])
        let canonical = archive.object(
            "NSFunctionExpression", ["NSSelectorName": archive.text("canonical:"), "NSArguments": archive.array([archive.keyPath("name")])])
        let sortName = archive.object(
            "NSDerivedAttributeDescription",
            [
                "NSPropertyName": archive.text("sortName"), "NSAttributeType": .integer(700), "NSDerivationExpression": canonical,
                "NSIsOptional": .boolean(true),
            ])
        let index = archive.object(
            "NSFetchIndexDescription",
            [
                "NSIndexName": archive.text("byName"), "NSPartialIndexPredicate": ModelArchive.null,
                "NSIndexElements": archive.array([
                    archive.object(
                        "NSFetchIndexElementDescription", ["NSPropertyName": archive.text("name"), "NSAscending": .boolean(false)])
                ]),
            ])
        archive.fill(being, "NSEntityDescription", archive.entityMembers("Being", [("name", name)], ["NSIsAbstract": .boolean(true)]))
        archive.fill(
            person, "NSEntityDescription",
            archive.entityMembers(
                "Person", parent: being,
                [
                    ("name", proxy), ("nick", nick), ("born", born), ("price", price), ("age", age), ("flag", flag), ("photo", photo),
                    ("colour", colour), ("sortName", sortName), ("cars", cars),
                ],
                [
                    "NSUniqueTuples": archive.array([archive.array([archive.text("nick")], "NSMutableArray")], "NSMutableArray"),
                    "NSFetchIndexDescriptions": archive.array([index]), "NSUserInfo": archive.dictionary([("note", archive.text("a"))]),
                    "NSRenamingIdentifier": archive.text("Human"), "NSClassNameForEntity": archive.text(".Person"),
                ]))
        archive.fill(car, "NSEntityDescription", archive.entityMembers("Car", [("owner", owner)]))
        let entities = [("Person", person), ("Being", being), ("Car", car)]
        let source = archive.comparison(archive.keyPath("nick"), 99, variable(archive, "NICK"), options: 1)
        let request = archive.object(
            "NSFetchRequest",
            [
                "NSEntity": person, "NSPredicate": archive.compound(0, [source]), "NSFetchLimit": .integer(3),
                "NSSortDescriptors": archive.array([
                    archive.object(
                        "NSSortDescriptor",
                        [
                            "NSKey": archive.text("nick"), "NSAscending": .boolean(false),
                            "NSSelector": archive.text("caseInsensitiveCompare:"),
                        ])
                ]),
            ])
        archive.model(
            entities,
            [
                "NSVersionIdentifiers": archive.array([archive.text("1.4")], "NSSet"),
                "NSConfigurations": archive.dictionary([("People", archive.array([person], "NSSet"))]),
                "NSFetchRequestTemplates": archive.dictionary([("nicks", request)]),
            ])
        if keysAreKnown {
            archive.root = archive.object("NSManagedObjectModel", ["NSEntities": archive.knownKeysDictionary(entities)])
        }
        return archive
    }

    private func variable(_ archive: ModelArchive, _ name: String) -> PropertyListValue {
        archive.object("NSVariableExpression", ["NSVariable": archive.text(name)])
    }

    func test_MDL_12_compositeAttributesAreReadWithTheirElements() throws {
        let archive = ModelArchive()
        let entity = archive.reserve()
        let latitude = archive.attribute("latitude", 500, ["NSDefaultValue": archive.add(.real(1.5))])
        func composite(_ name: String, _ elements: [PropertyListValue]) -> PropertyListValue {
            archive.object(
                "NSCompositeAttributeDescription",
                [
                    "NSPropertyName": archive.text(name), "NSAttributeType": .integer(2100), "NSIsOptional": .boolean(true),
                    "NSElements": archive.array(elements),
                ])
        }
        let place = composite("place", [composite("at", [latitude]), archive.attribute("city", 700)])
        archive.fill(entity, "NSEntityDescription", archive.entityMembers("Shop", [("place", place)]))
        archive.model([("Shop", entity)])

        let model = try loadedModel(archive.bytes, .strict)

        let shop = try XCTUnwrap(model.entity(named: "Shop"))
        XCTAssertEqual(shop.properties.map(\.name), ["place.at.latitude", "place.city"])
        XCTAssertEqual(shop.property(named: "place.at.latitude")?.defaultValue, 1.5)
        XCTAssertEqual(shop.composites.map(\.name), ["place", "place.at"])
    }

    private func decimal(_ archive: ModelArchive, mantissa: UInt16, exponent: Int64, isBigEndian: Bool = false) -> PropertyListValue {
        var bytes = [UInt8](repeating: 0, count: 16)
        (bytes[isBigEndian ? 1 : 0], bytes[isBigEndian ? 0 : 1]) = (UInt8(mantissa & 0xFF), UInt8(mantissa >> 8))
        return archive.object(
            "NSDecimalNumberPlaceholder",
            [
                "NS.mantissa": .data(bytes), "NS.mantissa.bo": .integer(isBigEndian ? 2 : 1), "NS.exponent": .integer(exponent),
                "NS.length": .integer(1), "NS.negative": .boolean(false), "NS.compact": .boolean(false),
            ])
    }

    func test_MDL_01_aCompiledModelIsRead() throws {
        let model = try loadedModel(makeArchive().bytes, .strict)
        let person = try XCTUnwrap(model.entity(named: "Person"))

        XCTAssertEqual(model.entities.map(\.name), ["Being", "Person", "Car"])
        XCTAssertEqual(person.superentityName, "Being")
        XCTAssertEqual(person.property(named: "name")?.declaringEntityName, "Being")
        XCTAssertEqual(person.property(named: "name")?.isOptional, false)
        XCTAssertEqual(person.renamingIdentifier, "Human")
        XCTAssertEqual(model.entity(named: "Car")?.renamingIdentifier, nil)
        XCTAssertEqual(person.managedObjectClassName, ".Person")
        XCTAssertEqual(person.userInfo, ["note": "a"])
        XCTAssertEqual(person.uniquenessConstraints, [["nick"]])
        XCTAssertEqual(model.versionIdentifiers, ["1.4"])
        XCTAssertEqual(model.configurations, ["People": ["Person"]])
        let cars = try XCTUnwrap(person.property(named: "cars"))
        XCTAssertEqual([cars.isToMany, cars.isOrdered], [true, true])
        XCTAssertEqual(cars.deleteRule, .cascade)
        XCTAssertEqual(cars.inverseName, "owner")
        XCTAssertEqual(model.entity(named: "Car")?.property(named: "owner")?.isToMany, false)
    }

    func test_MDL_03_attributesOfACompiledModel() throws {
        let person = try XCTUnwrap(loadedModel(makeArchive().bytes, .strict).entity(named: "Person"))

        XCTAssertEqual(person.property(named: "nick")?.minimumLength, 3)
        XCTAssertEqual(person.property(named: "nick")?.maximumLength, 50)
        XCTAssertEqual(person.property(named: "nick")?.renamingIdentifier, "nickname")
        XCTAssertEqual(person.property(named: "born")?.defaultValue, .date(Date(timeIntervalSinceReferenceDate: 2.5)))
        XCTAssertEqual(person.property(named: "price")?.defaultValue, .decimal(try XCTUnwrap(DecimalNumber("12.34"))))
        XCTAssertEqual(person.property(named: "age")?.defaultValue, 7)
        XCTAssertEqual(person.property(named: "flag")?.defaultValue, .boolean(true))
        XCTAssertEqual(person.property(named: "photo")?.allowsExternalBinaryDataStorage, true)
        XCTAssertEqual(person.property(named: "colour")?.valueTransformerName, "Colours")
        XCTAssertEqual(person.property(named: "colour")?.valueClassName, "UIColor")
        XCTAssertEqual(person.property(named: "sortName")?.derivationExpression, "canonical:(name)")
        XCTAssertEqual(person.indexes.map(\.name), ["byAgeIndex", "byName"].sorted { $0 > $1 })
        XCTAssertEqual(person.indexes.first { $0.name == "byName" }?.elements, [.init(attributeName: "name", isAscending: false)])
    }

    func test_MDL_03_templatesOfACompiledModel() throws {
        let template = try XCTUnwrap(loadedModel(makeArchive().bytes).fetchRequestTemplateDescriptions["nicks"])

        XCTAssertEqual(template.entityName, "Person")
        XCTAssertEqual(template.predicateFormat, "NOT (nick CONTAINS[c] $NICK)")
        XCTAssertEqual(template.fetchLimit, 3)
        XCTAssertEqual(template.sortDescriptors, [.init(keyPath: "nick", isAscending: false, comparator: "caseInsensitive")])
    }

    func test_MDL_04_aModelCacheIsRead() throws {
        let contents = try ModelLoader.load(modelCache: deflated(makeArchive(keysAreKnown: true).bytes))
        let model = try ManagedObjectModel(contents, checking: .lenient)

        XCTAssertEqual(model, try loadedModel(makeArchive().bytes))
    }

    // MARK: Damaged and hostile archives

    func test_MDL_01_archivesThatHoldNoModel() {
        func assertDamaged(_ bytes: [UInt8], _ words: String, line: UInt = #line) {
            assertThrows(.badModel, mentioning: words, line: line) { _ = try loadedModel(bytes) }
        }
        let archive = ModelArchive()
        assertDamaged(archive.bytes, "nothing")
        archive.root = archive.array([])
        assertDamaged(archive.bytes, "NSArray")
        archive.root = archive.object("NSManagedObjectModel", [:])
        assertDamaged(archive.bytes, "no list of entities")
        archive.root = archive.object("NSManagedObjectModel", ["NSEntities": archive.dictionary([("A", .uid(9999))])])
        assertDamaged(archive.bytes, "\"A\"")
        assertDamaged(PropertyListValue.dictionary(["a": .integer(1)]).binaryPropertyList(), "not a keyed archive")
        assertDamaged(Array("bplist00".utf8), "damaged")
    }

    func test_MDL_01_propertiesOfUnknownKindsAreRefusedByName() {
        let archive = ModelArchive()
        let entity = archive.reserve()
        archive.fill(entity, "NSEntityDescription", archive.entityMembers("A", [("b", archive.attribute("b", 4711))]))
        archive.model([("A", entity)])

        assertThrows(.badModel, mentioning: "A.b", "4711") { _ = try loadedModel(archive.bytes) }
    }

    func test_MDL_01_circlesEnd() {
        let archive = ModelArchive()
        let (entity, first, second) = (archive.reserve(), archive.reserve(), archive.reserve())
        archive.fill(first, "_NSPropertyDescriptionProxy", ["NSUnderlyingProperty": second])
        archive.fill(second, "_NSPropertyDescriptionProxy", ["NSUnderlyingProperty": first])
        archive.fill(entity, "NSEntityDescription", archive.entityMembers("A", parent: entity, [("b", first)]))
        archive.model([("A", entity)])
        assertThrows(.badModel, mentioning: "A.b") { _ = try loadedModel(archive.bytes) }

        // A predicate that contains itself.
        let loop = archive.reserve()
        archive.fill(loop, "NSCompoundPredicate", ["NSCompoundPredicateType": .integer(0), "NSSubpredicates": archive.array([loop])])
        archive.fill(
            entity, "NSEntityDescription",
            archive.entityMembers("A", [("b", archive.attribute("b", 700, ["NSValidationPredicates": archive.array([loop])]))]))
        XCTAssertEqual(try loadedModel(archive.bytes).warnings.count, 1)
    }

    func test_MDL_01_aPredicateThatDoublesAtEveryLevelEnds() throws {
        let archive = ModelArchive()
        var predicate = archive.comparison(archive.keyPath("b"), 4, archive.constant(.integer(1)))
        for _ in 0..<90 { predicate = archive.compound(1, [predicate, predicate]) }
        let entity = archive.object("NSEntityDescription", archive.entityMembers("A", [("b", archive.attribute("b", 300))]))
        let request = archive.object("NSFetchRequest", ["NSEntity": entity, "NSPredicate": predicate])
        archive.model([("A", entity)], ["NSFetchRequestTemplates": archive.dictionary([("all", request)])])

        let model = try loadedModel(archive.bytes)

        XCTAssertEqual(model.fetchRequestTemplateDescriptions, [:])
        XCTAssertEqual(model.warnings.count, 1)
    }

    func test_MDL_01_everyCutAndFlippedByteIsReadOrRefused() {
        let bytes = makeArchive().bytes
        for count in stride(from: 0, to: bytes.count, by: 11) {
            XCTAssertThrowsError(try loadedModel(Array(bytes[..<count]))) { XCTAssertTrue($0 is PinviewError) }
        }
        for position in stride(from: 0, to: bytes.count, by: 5) {
            var damaged = bytes
            damaged[position] ^= 0xFF
            do { _ = try loadedModel(damaged) } catch { XCTAssertTrue(error is PinviewError) }
        }
    }

    func test_MDL_04_cachesThatAreNone() {
        func assertDamaged(_ bytes: [UInt8], line: UInt = #line) {
            assertThrows(.badModel, mentioning: "model", line: line) { _ = try ModelLoader.load(modelCache: bytes) }
        }
        let cache = deflated(makeArchive().bytes)
        assertDamaged([])
        assertDamaged([0xFF, 0xFF])
        assertDamaged(Array(cache.dropLast(20)))
        assertDamaged(makeArchive().bytes)
        assertDamaged(deflated(Array("not a model".utf8)))
    }

    func test_MDL_04_aBombIsNotInflated() {
        let bomb = deflated([UInt8](repeating: 0, count: 80 << 20))
        XCTAssertLessThan(bomb.count, 1 << 20)

        assertThrows(.badModel, mentioning: "64 MB") { _ = try ModelLoader.load(modelCache: bomb) }
    }

    /// Numbers that a Mac with a PowerPC archived.
    func test_MDL_03_aDecimalOfEitherByteOrderIsRead() throws {
        for isBigEndian in [false, true] {
            let archive = ModelArchive()
            let price = decimal(archive, mantissa: 1234, exponent: -2, isBigEndian: isBigEndian)
            let entity = archive.object(
                "NSEntityDescription",
                archive.entityMembers("A", [("b", archive.attribute("b", 400, ["NSDefaultValue": price]))]))
            archive.model([("A", entity)])

            let value = try loadedModel(archive.bytes).entity(named: "A")?.property(named: "b")?.defaultValue

            XCTAssertEqual(value, .decimal(try XCTUnwrap(DecimalNumber("12.34"))), "\(isBigEndian)")
        }
    }

    private func format(_ archive: ModelArchive, _ predicate: PropertyListValue) throws -> String? {
        archive.root = predicate
        let keyed = try KeyedArchive(archive.list)
        return ArchivedPredicate(keyed).predicate(try XCTUnwrap(keyed.root))
    }

    /// Depth and number of parts are limited each by itself: what exceeds one limit is not read,
    /// however little it has of the other.
    func test_MDL_01_predicatesThatAreTooDeepOrTooLongAreNotRead() throws {
        for (depth, isRead) in [(99, true), (100, false), (200, false)] {
            let archive = ModelArchive()
            var predicate = archive.object("NSTruePredicate", [:])
            for _ in 0..<depth { predicate = archive.compound(0, [predicate]) }
            XCTAssertEqual(try format(archive, predicate) != nil, isRead, "\(depth) levels")
        }
        for (count, isRead) in [(9_998, true), (9_999, false), (20_000, false)] {
            let archive = ModelArchive()
            let part = archive.object("NSTruePredicate", [:])
            let whole = archive.compound(2, Array(repeating: part, count: count))
            XCTAssertEqual(try format(archive, whole) != nil, isRead, "\(count) parts")
        }
    }
}
