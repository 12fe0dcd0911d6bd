import CoreDataFixtures
import Foundation
import PinviewModel
import PinviewPredicates
import XCTest

@testable import PinviewStore

/// MDL-17: a model that asks for more than a store has.
final class StoreGapsTests: StoreTestCase {
    private let lenient: StoreOptions = {
        var options = StoreOptions()
        options.isReadOnly = true
        options.allowsMissing = true
        return options
    }()

    private func attribute(_ name: String, _ type: AttributeType = .string) -> AttributeDescription {
        AttributeDescription(name: name, attributeType: type)
    }

    private func relationship(
        _ name: String, _ destination: String, _ inverse: String?, toMany: Bool = false, ordered: Bool = false
    ) -> RelationshipDescription {
        RelationshipDescription(
            name: name, destinationEntityName: destination, inverseRelationshipName: inverse, isToMany: toMany, isOrdered: ordered)
    }

    /// Person with Employee below it, and Car.
    private func small() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Person", attributes: [attribute("name"), attribute("zip")],
                relationships: [relationship("cars", "Car", "owner", toMany: true)]),
            EntityDescription(name: "Employee", superentityName: "Person", attributes: [attribute("salary", .integer32)]),
            EntityDescription(name: "Car", attributes: [attribute("plate")], relationships: [relationship("owner", "Person", "cars")]),
        ])
    }

    /// More of everything: attributes, a sub-entity, entities, each kind of relationship.
    private func large() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Person",
                attributes: [
                    attribute("name"), attribute("age", .integer32), attribute("born", .date), attribute("photo", .binaryData),
                    attribute("zip"),
                ],
                relationships: [
                    relationship("cars", "Car", "owner", toMany: true), relationship("boss", "Person", "staff"),
                    relationship("staff", "Person", "boss", toMany: true), relationship("friends", "Person", "friends", toMany: true),
                    relationship("pets", "Pet", "owner", toMany: true, ordered: true), relationship("home", "House", nil),
                    relationship("visits", "House", nil, toMany: true),
                ]),
            EntityDescription(
                name: "Employee", superentityName: "Person", attributes: [attribute("salary", .integer32), attribute("badge")]),
            EntityDescription(name: "Guest", superentityName: "Person", attributes: [attribute("room", .integer16)]),
            EntityDescription(name: "Car", attributes: [attribute("plate")], relationships: [relationship("owner", "Person", "cars")]),
            EntityDescription(name: "Pet", attributes: [attribute("name")], relationships: [relationship("owner", "Person", "pets")]),
            EntityDescription(name: "Cat", superentityName: "Pet", attributes: [attribute("lives", .integer16)]),
            EntityDescription(name: "House", attributes: [attribute("street")]),
        ])
    }

    private static let missing = [
        "House", "Person.age", "Person.born", "Person.photo", "Person.boss", "Person.staff", "Person.friends", "Person.pets", "Person.home",
        "Person.visits", "Employee.badge", "Guest", "Pet", "Cat",
    ]

    /// A store of the small model with Ada, Alan, who is an employee, and Ada's car.
    private func makeStore() throws {
        let store = try openStore(try small())
        defer { store.close() }
        let ada = try store.insert("Person", [["name": "Ada", "zip": "1"]])[0]
        try store.insert("Employee", [["name": "Alan", "salary": 100]])
        try store.insert("Car", [["plate": "B-1"], ["plate": "B-2"]], references: [["owner": ada]])
    }

    private func open(_ model: ManagedObjectModel) throws -> SQLStore { try openStore(model, options: lenient) }

    func test_MDL_17_withoutTheOptionItIsNamedWithWhatIsMissing() throws {
        try makeStore()
        let error = assertError(.persistentStoreIncompatibleVersionHash) { _ = try openStore(try large()) }
        for word in ["allowMissing", "House, Person.age, Person.born", "and 4 more"] {
            XCTAssertTrue(error?.message.contains(word) ?? false, "\(word): \(error?.message ?? "")")
        }
        // Where it would not help it is not named.
        let other = try ManagedObjectModel(entities: [EntityDescription(name: "Person", attributes: [attribute("name", .date)])])
        let plain = assertError(.persistentStoreIncompatibleVersionHash) { _ = try openStore(other) }
        XCTAssertFalse(plain?.message.contains("allowMissing") ?? true, plain?.message ?? "")
    }

    func test_MDL_17_theOptionIsForReadingOnly() throws {
        let error = assertError(.invalidArgument) { _ = try StoreOptions(parsing: ["allowMissing": true]) }
        XCTAssertTrue(error?.message.contains("readOnly") ?? false, error?.message ?? "")
        XCTAssertTrue(try StoreOptions(parsing: ["allowMissing": true, "immutable": true]).allowsMissing)
        XCTAssertNoThrow(try StoreOptions(parsing: ["allowMissing": false]))
    }

    func test_MDL_17_whatIsMissingIsListed() throws {
        try makeStore()
        let store = try open(try large())
        XCTAssertEqual(store.missingElements.map(\.description), Self.missing)
        XCTAssertFalse(store.lacks(try store.entity("Employee")))
        XCTAssertTrue(store.lacks(try store.entity("Cat")))
        XCTAssertTrue(store.lacks(try store.property("age", of: "Employee"), of: try store.entity("Employee")))
        XCTAssertTrue(store.lacks(try store.property("name", of: "Guest"), of: try store.entity("Guest")))
        XCTAssertFalse(store.lacks(try store.property("cars", of: "Person"), of: try store.entity("Person")))
    }

    func test_MDL_17_aStoreThatHasEverythingLacksNothing() throws {
        try makeStore()
        XCTAssertEqual(try open(try small()).missingElements, [])
    }

    func test_MDL_17_valuesOfMissingPropertiesAreNullAndOthersAreRight() throws {
        try makeStore()
        let store = try open(try large())
        let people = try store.fetchRows(try store.fetch("Person", sort: [PinviewSortDescriptor(keyPath: "name")]), at: nil)
        func values(_ name: String, _ entity: String = "Person") throws -> [Value] {
            let property = try store.property(name, of: entity)
            return (0..<people.count).map { people.snapshot($0).value(of: property) }
        }
        XCTAssertEqual(try values("name"), ["Ada", "Alan"])
        XCTAssertEqual(try values("zip"), ["1", .null])
        XCTAssertEqual(try values("salary", "Employee"), [.null, 100])
        for name in ["age", "born", "photo"] { XCTAssertEqual(try values(name), [.null, .null], name) }
        XCTAssertNil(people.snapshot(0).reference(of: try store.property("boss", of: "Person")))
        XCTAssertNil(people.snapshot(0).reference(of: try store.property("home", of: "Person")))
        for name in ["staff", "friends", "pets", "visits"] {
            let property = try store.property(name, of: "Person")
            XCTAssertEqual(try store.read(at: nil) { try store.destinations(ofOwners: [1, 2], property, $0) }, [:], name)
        }
        let cars = try store.property("cars", of: "Person")
        XCTAssertEqual(try store.read(at: nil) { try store.destinations(ofOwners: [1], cars, $0) }[1]?.map(\.primaryKey), [1])
    }

    func test_MDL_17_missingEntitiesHaveNoRows() throws {
        try makeStore()
        let store = try open(try large())
        for name in ["Guest", "Pet", "Cat", "House"] {
            XCTAssertEqual(try store.fetchReferences(try store.fetch(name), at: nil).map(\.primaryKey), [], name)
            XCTAssertEqual(try store.fetchRows(try store.fetch(name, limit: 3), at: nil).count, 0, name)
            XCTAssertEqual(try store.count(try store.fetch(name, includesSubentities: false), at: nil), 0, name)
            XCTAssertNil(try store.row(entity: try store.entity(name), primaryKey: 99, at: nil))
        }
        XCTAssertEqual(try store.count(try store.fetch("Guest", "name == 'Ada' AND room > 3"), at: nil), 0)
        XCTAssertEqual(try store.count(try store.fetch("Pet", "owner.name == 'Ada'"), at: nil), 0)
    }

    /// Predicates and sort orders are as over NULL, whatever they contain.
    func test_MDL_17_predicatesAndSortOrdersAreAsOverNull() throws {
        try makeStore()
        let store = try open(try large())
        let expected: [(String, Int)] = [
            ("age == nil", 2), ("age != nil", 0), ("age > 3", 0), ("NOT (age > 3)", 2), ("age IN {1, 2}", 0), ("age BETWEEN {1, 2}", 0),
            ("born == nil", 2), ("photo == nil", 2), ("photo != nil", 0), ("boss == nil", 2), ("boss.name == 'Ada'", 0),
            ("boss.boss.age == nil", 2), ("ANY staff.name == 'Ada'", 0), ("NONE staff.name == 'Ada'", 2), ("ALL staff.name == 'Ada'", 2),
            ("staff.@count == 0", 2), ("pets.@count > 0", 0), ("ANY friends.age > 1", 0), ("ANY pets.name == 'x'", 0), ("home == nil", 2),
            ("home.street == nil", 2), ("SUBQUERY(visits, $v, $v.street == 'x').@count == 0", 2), ("home.entity.name == nil", 2),
            ("age + 1 == nil", 2), ("cars.@count == 1 AND age == nil", 1), ("ANY cars.owner.age == 3", 0), ("pets[0].name == nil", 2),
            ("staff.@sum.age == 0", 2),
        ]
        for (predicate, count) in expected {
            XCTAssertEqual(try store.count(try store.fetch("Person", predicate), at: nil), count, predicate)
        }
        for key in ["age", "born", "boss.name", "home.street"] {
            for ascending in [true, false] {
                let sort = [
                    PinviewSortDescriptor(keyPath: key, ascending: ascending), PinviewSortDescriptor(keyPath: "name", ascending: false),
                ]
                let found = try store.fetchReferences(try store.fetch("Person", sort: sort), at: nil)
                XCTAssertEqual(found.map(\.primaryKey), [2, 1], key)
            }
        }
        XCTAssertEqual(try store.count(try store.fetch("Employee", "badge == nil AND salary == 100"), at: nil), 1)
    }

    func test_MDL_17_dictionariesAndGroups() throws {
        try makeStore()
        let store = try open(try large())
        func column(_ name: String, _ entity: String = "Person") throws -> DictionaryFetch.Column {
            DictionaryFetch.Column(name: name, expression: .attribute(path: [], property: try store.property(name, of: entity)))
        }
        var fetch = DictionaryFetch(
            fetch: try store.fetch("Person"), columns: [try column("age"), try column("name"), try column("photo")])
        fetch.order = [.column(0, ascending: true, .binary), .column(1, ascending: false, .binary)]
        XCTAssertEqual(try store.fetchDictionaries(fetch, at: nil), [[.null, "Alan", .null], [.null, "Ada", .null]])
        fetch = DictionaryFetch(
            fetch: try store.fetch("Person"), columns: [try column("age"), .init(name: "n", expression: .group(.count, nil))])
        fetch.groupBy = [fetch.columns[0].expression]
        XCTAssertEqual(try store.fetchDictionaries(fetch, at: nil), [[.null, 2]])
        fetch = DictionaryFetch(fetch: try store.fetch("Guest"), columns: [try column("room", "Guest")])
        XCTAssertEqual(try store.fetchDictionaries(fetch, at: nil), [])
    }

    func test_MDL_17_nothingIsWrittenAndNothingChanges() throws {
        try makeStore()
        let before = try Data(contentsOf: URL(fileURLWithPath: storePath))
        let store = try open(try large())
        _ = assertError(.persistentStoreSave) { try store.insert("Person", [["name": "x"]]) }
        store.close()
        XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: storePath)), before)
    }

    // MARK: What is still refused

    private func assertRefused(_ entities: [EntityDescription], _ words: String..., line: UInt = #line) throws {
        let model = try ManagedObjectModel(entities: entities)
        let error = assertError(.persistentStoreIncompatibleVersionHash, line: line) { _ = try open(model) }
        for word in words { XCTAssertTrue(error?.message.contains(word) ?? false, "\(word): \(error?.message ?? "")", line: line) }
    }

    func test_MDL_17_aRenamedPropertyIsNotReadAsNull() throws {
        try makeStore()
        var entities = try small().entityDescriptions
        entities[0].attributes[1].name = "postcode"
        try assertRefused(entities, "ZPERSON.ZZIP")
        try sqlite3("UPDATE ZPERSON SET ZZIP = NULL")
        XCTAssertEqual(
            try open(try ManagedObjectModel(entities: entities)).missingElements.map(\.description), ["Person.postcode"])
    }

    func test_MDL_17_whatHasAnotherFormIsRefused() throws {
        try makeStore()
        var entities = try large().entityDescriptions
        entities[0].attributes[0].attributeType = .uri
        try assertRefused(entities, "Person.name is an attribute of the type string")
        entities = try large().entityDescriptions
        entities[3].attributes[0].attributeType = .integer16
        try assertRefused(entities, "Car.plate")
        entities = try large().entityDescriptions
        entities[0].relationships[0].isOrdered = true
        try assertRefused(entities, "Person.cars is a to-many relationship to Car")
        entities = try large().entityDescriptions
        entities.remove(at: 3)
        entities[0].relationships.remove(at: 0)
        try assertRefused(entities, "the entity Car")
    }

    /// A parent that the store lacks has a table that it lacks, too.
    func test_MDL_17_aNewTopmostEntityIsRefusedAndOneInBetweenIsNot() throws {
        try makeStore()
        var entities = try small().entityDescriptions
        entities[2].superentityName = "Thing"
        try assertRefused(entities + [EntityDescription(name: "Thing", attributes: [attribute("note")])], "ZTHING")
        entities = try small().entityDescriptions
        entities[1].superentityName = "Adult"
        entities.append(EntityDescription(name: "Adult", superentityName: "Person", attributes: [attribute("vote")]))
        let store = try open(try ManagedObjectModel(entities: entities))
        XCTAssertEqual(store.missingElements.map(\.description), ["Adult"])
        XCTAssertEqual(try store.fetchReferences(try store.fetch("Adult"), at: nil).map(\.primaryKey), [2])
        XCTAssertEqual(try store.count(try store.fetch("Adult", includesSubentities: false), at: nil), 0)
        XCTAssertEqual(try store.count(try store.fetch("Employee", "vote == nil AND salary == 100"), at: nil), 1)
    }

    // MARK: Stores of Core Data's

    private let fixture = CoreDataFixture(
        entities: [.init(name: "Person"), .init(name: "Employee", parent: 1), .init(name: "Guest", parent: 1)],
        [
            "CREATE TABLE ZPERSON (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR, ZTEXT VARCHAR)",
            "INSERT INTO ZPERSON VALUES (1, 2, 1, 'Ada', NULL), (2, 3, 1, 'Alan', 'of the guest')",
        ])

    private func people(_ employee: [AttributeDescription], _ guest: [AttributeDescription]) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(name: "Person", attributes: [attribute("name"), attribute("age", .integer32)]),
            EntityDescription(name: "Employee", superentityName: "Person", attributes: employee),
            EntityDescription(name: "Guest", superentityName: "Person", attributes: guest),
            EntityDescription(name: "Pet", attributes: [attribute("name")]),
        ])
    }

    func test_MDL_17_aStoreOfCoreDatasWithoutItsModelIsComparedByItsTables() throws {
        try make(fixture)
        let store = try open(try people([], [attribute("text")]))
        XCTAssertEqual(store.missingElements.map(\.description), ["Person.age", "Pet"])
        XCTAssertEqual(try store.count(try store.fetch("Guest", "text == 'of the guest' AND age == nil"), at: nil), 1)
        XCTAssertEqual(try store.count(try store.fetch("Pet"), at: nil), 0)
    }

    /// There is one column for two attributes of that name, and nothing says whose it is.
    func test_MDL_17_aColumnIsNotGivenToASibling() throws {
        try make(fixture)
        let error = assertError(.persistentStoreIncompatibleVersionHash) {
            _ = try open(try people([attribute("text")], [attribute("text")]))
        }
        XCTAssertTrue(error?.message.contains("Employee.text or of Guest.text") ?? false, error?.message ?? "")
        let mistyped = assertError(.persistentStoreIncompatibleVersionHash) { _ = try open(try people([], [attribute("text", .date)])) }
        XCTAssertTrue(mistyped?.message.contains("TIMESTAMP") ?? false, mistyped?.message ?? "")
    }

    /// In a store of Pinview, its own model says so.
    func test_MDL_17_theStoresOwnModelShowsWhoseAColumnIs() throws {
        let own = try ManagedObjectModel(entities: [
            EntityDescription(name: "Person", attributes: [attribute("name")]),
            EntityDescription(name: "Employee", superentityName: "Person"),
            EntityDescription(name: "Guest", superentityName: "Person", attributes: [attribute("text")]),
        ])
        let made = try openStore(own)
        try made.insert("Guest", [["name": "Alan", "text": "of the guest"]])
        try made.insert("Employee", [["name": "Ada"]])
        made.close()
        let store = try open(try people([attribute("text")], [attribute("text")]))
        XCTAssertEqual(store.missingElements.map(\.description), ["Person.age", "Employee.text", "Pet"])
        XCTAssertEqual(try store.count(try store.fetch("Guest", "text == 'of the guest'"), at: nil), 1)
        XCTAssertEqual(try store.count(try store.fetch("Employee", "text == nil"), at: nil), 1)
    }

    func test_MDL_17_aDestinationThatTheStoreLacksLeavesItsColumnUnexplained() throws {
        var odd = fixture
        odd.statements.append("ALTER TABLE ZPERSON ADD COLUMN ZPET INTEGER; UPDATE ZPERSON SET ZPET = 1")
        try make(odd)
        var entities = try people([], [attribute("text")]).entityDescriptions
        entities[0].relationships.append(relationship("pet", "Pet", nil))
        let model = try ManagedObjectModel(entities: entities)
        let error = assertError(.persistentStoreIncompatibleVersionHash) { _ = try open(model) }
        XCTAssertTrue(error?.message.contains("ZPET") ?? false, error?.message ?? "")
    }

    // MARK: History and differences

    /// Masks count properties in the order of their names: an addition must not shift the others.
    func test_MDL_17_theHistoryNamesTheRightProperties() throws {
        var options = StoreOptions()
        options.tracksHistory = true
        let written = try openStore(try small(), options: options)
        let ada = try written.insert("Person", [["name": "Ada", "zip": "1"]])[0]
        _ = try written.batchUpdate(
            try written.fetch("Person"), assignments: [(try written.property("zip", of: "Person"), "2")], returningReferences: false)
        written.close()
        var reading = lenient
        reading.tracksHistory = true
        let store = try openStore(try large(), options: reading)
        let person = try store.entity("Person")
        let changes = try store.history(HistoryQuery()).flatMap(\.changes).filter { $0.kind == .update }
        XCTAssertEqual(changes.map(\.reference.primaryKey), [ada.primaryKey])
        XCTAssertEqual(changes.map { $0.properties.map { person.properties[$0].name } }, [["zip"]])
    }

    func test_MDL_17_generationsAreCompared() throws {
        try makeStore()
        let writer = try openStore(try small())
        let store = try open(try large())
        let old = try store.currentGeneration()
        _ = try writer.batchUpdate(
            try writer.fetch("Person", "name == 'Ada'"), assignments: [(try writer.property("zip", of: "Person"), "2")],
            returningReferences: false)
        let person = try store.entity("Person")
        let changes = try store.difference(from: old, to: try store.currentGeneration()).changes
        XCTAssertEqual(changes.map { $0.properties.map { person.properties[$0].name } }, [["zip"]])
    }
}
