import XCTest

@testable import PinviewModel

/// MDL-12: composite attributes in models.
final class CompositeModelTests: XCTestCase {
    private static let location = AttributeDescription(
        name: "location",
        elements: [
            AttributeDescription(name: "latitude", attributeType: .double, isOptional: false, minimumValue: -90),
            AttributeDescription(name: "longitude", attributeType: .double, defaultValue: 0),
        ])

    private func entity(_ attributes: AttributeDescription..., constraints: [[String]] = []) throws -> Entity {
        let description = EntityDescription(name: "Place", attributes: attributes, uniquenessConstraints: constraints)
        let model = try ManagedObjectModel(entities: [description])
        return try XCTUnwrap(model.entity(named: "Place"))
    }

    func test_MDL_12_theElementsAreThePropertiesAndHaveKeyPathsAsNames() throws {
        let place = try entity(AttributeDescription(name: "name", attributeType: .string), Self.location)

        let location = try XCTUnwrap(place.composite(named: "location"))
        XCTAssertEqual(place.properties.map(\.name), ["name", "location.latitude", "location.longitude"])
        XCTAssertEqual(location.elementNames, ["latitude", "longitude"])
        XCTAssertEqual(location.leaves, Array(place.properties[1...]))
        XCTAssertEqual(place.property(named: "location.longitude")?.defaultValue, .double(0))
        XCTAssertEqual(place.property(named: "location.latitude")?.minimumValue, .double(-90))
        XCTAssertNil(place.property(named: "location"))
        XCTAssertTrue(location.isOptional)
    }

    func test_MDL_12_compositesNestAndSubentitiesInheritThem() throws {
        let inner = AttributeDescription(
            name: "place", elements: [Self.location, AttributeDescription(name: "note", attributeType: .string)], isTransient: true)
        let model = try ManagedObjectModel(entities: [
            EntityDescription(name: "Base", attributes: [inner]),
            EntityDescription(
                name: "Kind", superentityName: "Base", attributes: [AttributeDescription(name: "size", attributeType: .float)]),
        ])

        let kind = try XCTUnwrap(model.entity(named: "Kind"))
        XCTAssertEqual(kind.composites.map(\.name), ["place", "place.location"])
        XCTAssertEqual(kind.properties.map(\.name), ["place.location.latitude", "place.location.longitude", "place.note", "size"])
        XCTAssertEqual(kind.composite(named: "place")?.leaves.count, 3)
        XCTAssertEqual(kind.properties.map(\.isTransient), [true, true, true, false])
        XCTAssertEqual(kind.property(along: ["place", "location", "latitude", "more"])?.keyCount, 3)
        XCTAssertNil(kind.property(along: ["place", "location"]))
    }

    func test_MDL_12_JSONReadsBackAsAnEqualModel() throws {
        var location = Self.location
        location.isOptional = false
        location.versionHashModifier = "2"
        let model = try ManagedObjectModel(entities: [
            EntityDescription(name: "Place", attributes: [AttributeDescription(name: "at", elements: [location])])
        ])

        let again = try ManagedObjectModel(json: try XCTUnwrap(parseJSON(model.jsonRepresentation())))

        XCTAssertEqual(again.entityDescriptions, model.entityDescriptions)
        XCTAssertEqual(again, model)
    }

    func test_MDL_12_theVersionHashCoversTheElements() throws {
        func hash(_ change: (inout AttributeDescription) -> Void) throws -> [UInt8] {
            var location = Self.location
            change(&location)
            return try entity(location).versionHash
        }
        let changes: [(inout AttributeDescription) -> Void] = [
            { _ in }, { $0.isOptional = false }, { $0.versionHashModifier = "2" }, { $0.elements[0].isOptional = true },
            { $0.elements[0].attributeType = .float }, { $0.elements[1].name = "long" }, { $0.name = "site" },
            { $0.elements.append(AttributeDescription(name: "height", attributeType: .double)) }, { $0.isTransient = true },
        ]

        XCTAssertEqual(Set(try changes.map(hash)).count, changes.count)
        XCTAssertEqual(try hash { $0.elements[1].defaultValue = 5 }, try hash { _ in }, "defaults are not part of the hash")
        XCTAssertEqual(try hash { $0.elements.reverse() }, try hash { _ in }, "the order has no meaning")
    }

    func test_MDL_12_mistakesAreNamedByKeyPath() {
        let latitude = AttributeDescription(name: "latitude", attributeType: .double)
        func assertMistake(_ attribute: AttributeDescription, _ words: String..., constraints: [[String]] = [], line: UInt = #line) {
            for word in words {
                assertThrows(.badModel, mentioning: word, line: line) { try self.entity(attribute, constraints: constraints) }
            }
        }
        assertMistake(AttributeDescription(name: "location", elements: []), "Place.location", "without elements")
        assertMistake(AttributeDescription(name: "location", elements: [latitude, latitude]), "location.latitude twice")
        assertMistake(
            AttributeDescription(name: "location", elements: [AttributeDescription(name: "a.b", attributeType: .double)]), "\"a.b\"")
        assertMistake(AttributeDescription(name: "location.latitude", attributeType: .double), "location.latitude", "invalid name")
        assertMistake(
            AttributeDescription(
                name: "location", elements: [AttributeDescription(name: "latitude", attributeType: .double, defaultValue: "north")]),
            "Place.location.latitude", "default")
        var limited = Self.location
        limited.defaultValue = 1
        assertMistake(limited, "Place.location", "default")
        var plain = latitude
        plain.elements = [latitude]
        assertMistake(plain, "Place.latitude", "elements")
        assertMistake(Self.location, "location.latitude", "composite", constraints: [["location"]])
        var deep = latitude
        for _ in 0..<17 { deep = AttributeDescription(name: "a", elements: [deep]) }
        assertMistake(deep, "17 deep")
        XCTAssertNoThrow(try entity(Self.location, constraints: [["location.latitude", "location.longitude"]]))
        assertThrows(.badModel, mentioning: "differ only in case") {
            try self.entity(Self.location, AttributeDescription(name: "Location", attributeType: .string))
        }
    }

    func test_MDL_12_aRenamedPartRenamesTheKeyPath() throws {
        var location = Self.location
        location.renamingIdentifier = "site"
        location.elements[0].renamingIdentifier = "lat"

        let place = try entity(location)

        XCTAssertEqual(place.property(named: "location.latitude")?.renamingIdentifier, "site.lat")
        XCTAssertEqual(place.property(named: "location.longitude")?.renamingIdentifier, "site.longitude")
    }

    func test_MDL_12_aDifferenceNamesElementsAndTheWhole() throws {
        func model(_ change: (inout AttributeDescription) -> Void) throws -> ManagedObjectModel {
            var location = Self.location
            change(&location)
            return try ManagedObjectModel(entities: [EntityDescription(name: "Place", attributes: [location])])
        }

        let difference = ModelDifference(
            from: try model { _ in },
            to: try model {
                $0.isOptional = false
                $0.elements[1] = AttributeDescription(name: "height", attributeType: .float)
            })

        XCTAssertTrue(difference.description.contains("location.height"), difference.description)
        XCTAssertTrue(difference.description.contains("− location.longitude"), difference.description)
        XCTAssertTrue(difference.description.contains("location now required"), difference.description)
    }
}
