import CoreDataFixtures
import PinviewModel
import XCTest

@testable import PinviewStore

/// MDL-09: the tables of many-to-many relationships in files that Core Data made.
final class JoinTableNameTests: StoreTestCase {
    private func clients(selfInverse: Bool = false) throws -> ManagedObjectModel {
        let relationships =
            selfInverse
            ? [
                RelationshipDescription(
                    name: "friends", destinationEntityName: "Client", inverseRelationshipName: "friends", isToMany: true)
            ]
            : [
                RelationshipDescription(
                    name: "trusted", destinationEntityName: "Client", inverseRelationshipName: "trustedBy", isToMany: true),
                RelationshipDescription(
                    name: "trustedBy", destinationEntityName: "Client", inverseRelationshipName: "trusted", isToMany: true),
            ]
        return try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Client", attributes: [AttributeDescription(name: "name", attributeType: .string)], relationships: relationships)
        ])
    }

    private let clientTable = [
        "CREATE TABLE ZCLIENT (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR)",
        "INSERT INTO ZCLIENT VALUES (1, 1, 1, 'a'), (2, 1, 1, 'b'), (3, 1, 1, 'c')", "UPDATE Z_PRIMARYKEY SET Z_MAX = 3",
    ]

    private func members(_ store: SQLStore, _ relationship: String, of key: Int64, _ entity: String = "Client") throws -> [Int64] {
        let property = try store.property(relationship, of: entity)
        return try store.read(at: nil) { try store.destinations(ofOwners: [key], property, $0) }[key, default: []].map(\.primaryKey)
            .sorted()
    }

    func test_MDL_09_aTableIsFoundUnderTheNameOfEitherEnd() throws {
        // A column has the name of the relationship whose members it holds: 1 trusts 2 and 3.
        for (index, table) in ["Z_1TRUSTED", "Z_1TRUSTEDBY"].enumerated() {
            for (number, columns) in [
                "Z_1TRUSTED INTEGER, Z_1TRUSTEDBY", "Z_1TRUSTED1 INTEGER, Z_1TRUSTEDBY", "Z_1TRUSTED INTEGER, Z_1TRUSTEDBY1",
            ]
            .enumerated() {
                let path = folder + "/\(index)\(number).sqlite"
                try make(
                    CoreDataFixture(
                        ["Client"],
                        clientTable + ["CREATE TABLE \(table) (\(columns) INTEGER)", "INSERT INTO \(table) VALUES (2, 1), (3, 1)"]),
                    path: path)
                let store = try openStore(try clients(), path: path)
                XCTAssertEqual(try members(store, "trusted", of: 1), [2, 3], "\(table) \(columns)")
                XCTAssertEqual(try members(store, "trustedBy", of: 2), [1], "\(table) \(columns)")
                XCTAssertEqual(try members(store, "trustedBy", of: 1), [], "\(table) \(columns)")
                XCTAssertEqual(try store.count(try store.fetch("Client", "ANY trusted.name == 'b'"), at: nil), 1)
            }
        }
    }

    func test_MDL_09_aRelationshipThatIsItsOwnInverse() throws {
        for (index, columns) in ["Z_1FRIENDS INTEGER, REFLEXIVE", "REFLEXIVE INTEGER, Z_1FRIENDS", "Z_1FRIENDS INTEGER, Z_1FRIENDS1"]
            .enumerated()
        {
            let path = folder + "/\(index).sqlite"
            try make(
                CoreDataFixture(
                    ["Client"],
                    clientTable + ["CREATE TABLE Z_1FRIENDS (\(columns) INTEGER)", "INSERT INTO Z_1FRIENDS VALUES (1, 2), (2, 1)"]),
                path: path)
            let store = try openStore(try clients(selfInverse: true), path: path)
            XCTAssertEqual(try members(store, "friends", of: 1), [2], columns)
            XCTAssertEqual(try members(store, "friends", of: 2), [1], columns)
            XCTAssertEqual(try members(store, "friends", of: 3), [], columns)
        }
    }

    private func library() throws -> ManagedObjectModel {
        func many(_ name: String, _ destination: String, _ inverse: String, ordered: Bool = false) -> RelationshipDescription {
            RelationshipDescription(
                name: name, destinationEntityName: destination, inverseRelationshipName: inverse, isToMany: true, isOrdered: ordered)
        }
        return try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Book", relationships: [many("readers", "User", "read"), many("owners", "User", "owned", ordered: true)]),
            EntityDescription(name: "User", relationships: [many("read", "Book", "readers"), many("owned", "Book", "owners")]),
        ])
    }

    func test_MDL_09_severalTablesBetweenTheSameEntitiesWithDigitsAndAnOrder() throws {
        try make(
            CoreDataFixture(
                ["Book", "User"],
                [
                    "CREATE TABLE ZBOOK (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER)",
                    "INSERT INTO ZBOOK VALUES (1, 1, 1), (2, 1, 1)",
                    "CREATE TABLE ZUSER (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER)",
                    "INSERT INTO ZUSER VALUES (1, 2, 1), (2, 2, 1)",
                    "CREATE TABLE Z_1READERS (Z_2READERS1 INTEGER, Z_1READ INTEGER, PRIMARY KEY (Z_1READ, Z_2READERS1))",
                    "INSERT INTO Z_1READERS VALUES (2, 1)",
                    "CREATE TABLE Z_2OWNED (Z_1OWNED INTEGER, Z_2OWNERS INTEGER, Z_FOK_2OWNERS INTEGER, PRIMARY KEY (Z_1OWNED, Z_2OWNERS))",
                    "INSERT INTO Z_2OWNED VALUES (1, 2, 2048), (1, 1, 4096)",
                ]))
        let store = try openStore(try library())
        XCTAssertEqual(try members(store, "readers", of: 1, "Book"), [2])
        XCTAssertEqual(try members(store, "read", of: 2, "User"), [1])
        XCTAssertEqual(try members(store, "owned", of: 1, "User"), [1])
        let owners = try store.property("owners", of: "Book")
        XCTAssertEqual(
            try store.read(at: nil) { try store.destinations(ofOwners: [1], owners, $0) }[1]?.map(\.primaryKey), [2, 1])
    }

    /// The number in the name of an order's column may be another than that of the members' column.
    func test_MDL_09_theOnlyColumnOfAnOrderIsFoundUnderAnyName() throws {
        func fixture(_ orderColumns: String) -> CoreDataFixture {
            CoreDataFixture(
                ["Book", "User"],
                [
                    "CREATE TABLE ZBOOK (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER)", "INSERT INTO ZBOOK VALUES (1, 1, 1)",
                    "CREATE TABLE ZUSER (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER)",
                    "INSERT INTO ZUSER VALUES (1, 2, 1), (2, 2, 1)", "CREATE TABLE Z_1READERS (Z_2READERS INTEGER, Z_1READ INTEGER)",
                    "CREATE TABLE Z_1OWNERS (Z_2OWNERS INTEGER, Z_1OWNED INTEGER, \(orderColumns))",
                    "INSERT INTO Z_1OWNERS (Z_2OWNERS, Z_1OWNED, Z_FOK_9OWNERS) VALUES (1, 1, 4096), (2, 1, 2048)",
                ])
        }
        try make(fixture("Z_FOK_9OWNERS INTEGER"))
        let store = try openStore(try library())
        let owners = try store.property("owners", of: "Book")
        XCTAssertEqual(
            try store.read(at: nil) { try store.destinations(ofOwners: [1], owners, $0) }[1]?.map(\.primaryKey), [2, 1])

        // Of two, neither is the one.
        let path = folder + "/two.sqlite"
        try make(fixture("Z_FOK_8OWNERS INTEGER, Z_FOK_9OWNERS INTEGER"), path: path)
        let error = assertError(.persistentStoreIncompatibleVersionHash) { _ = try openStore(try library(), path: path) }
        XCTAssertTrue(error?.message.contains("Z_1OWNERS.Z_FOK_2OWNERS") ?? false, error?.message ?? "")
    }

    func test_MDL_09_aFileThatDoesNotTellWhichTableIsRefused() throws {
        try make(
            CoreDataFixture(
                ["Client"],
                clientTable + [
                    "CREATE TABLE Z_1TRUSTED (Z_1TRUSTED INTEGER, Z_1TRUSTEDBY INTEGER)",
                    "CREATE TABLE Z_1TRUSTEDBY (Z_1TRUSTED INTEGER, Z_1TRUSTEDBY INTEGER)",
                ]))
        let error = assertError(.persistentStoreIncompatibleVersionHash) { _ = try openStore(try clients()) }
        XCTAssertTrue(error?.message.contains("Z_1TRUSTED and Z_1TRUSTEDBY could both be") ?? false, error?.message ?? "")
    }

    func test_MDL_09_aNewTableTakesTheNameThatSortsSecond() throws {
        _ = try openStore(try clients())
        XCTAssertEqual(
            try sqlite3("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'Z@_1%' ESCAPE '@'"), ["Z_1TRUSTEDBY"])
        XCTAssertEqual(Set(try columns(of: "Z_1TRUSTEDBY")), ["Z_1TRUSTED INTEGER", "Z_1TRUSTEDBY INTEGER"])
    }
}
