import Foundation
import Pinview
import XCTest

/// A change that is the only one of its save, in every kind of relationship: nothing else makes the
/// save write the row, the join table or the order. REL-01 to REL-05, SAV-01.
final class OnlyChangeTests: StackTestCase {
    /// A Team with members of every kind, each with its inverse, ordered and not.
    override func model() throws -> ManagedObjectModel {
        func relationship(_ name: String, _ entity: String, _ inverse: String, toMany: Bool = false, ordered: Bool = false)
            -> RelationshipDescription
        {
            RelationshipDescription(
                name: name, destinationEntityName: entity, inverseRelationshipName: inverse, isToMany: toMany, isOrdered: ordered)
        }
        return try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Team", attributes: [AttributeDescription(name: "name", attributeType: .string)],
                relationships: [
                    relationship("players", "Player", "team", toMany: true),
                    relationship("queue", "Player", "queueOf", toMany: true, ordered: true),
                    relationship("friends", "Player", "friendsOf", toMany: true),
                    relationship("ranking", "Player", "rankedBy", toMany: true, ordered: true),
                    relationship("both", "Player", "bothOf", toMany: true, ordered: true),
                    relationship("captain", "Player", "captainOf"),
                ]),
            EntityDescription(
                name: "Player", attributes: [AttributeDescription(name: "name", attributeType: .string)],
                relationships: [
                    relationship("team", "Team", "players"), relationship("queueOf", "Team", "queue"),
                    relationship("friendsOf", "Team", "friends", toMany: true),
                    relationship("rankedBy", "Team", "ranking", toMany: true),
                    relationship("bothOf", "Team", "both", toMany: true, ordered: true), relationship("captainOf", "Team", "captain"),
                ]),
        ])
    }

    private static let names = ["p0", "p1", "p2", "p3"]
    private static let toMany = ["players", "queue", "friends", "ranking", "both"]
    private static let ordered = ["queue", "ranking", "both"]
    private static let inverses = [
        "players": "team", "queue": "queueOf", "friends": "friendsOf", "ranking": "rankedBy", "both": "bothOf", "captain": "captainOf",
    ]

    /// Two teams; the first has the players p0, p1, p2 in everything, p3 is in nothing.
    override func prepareStore() throws {
        let context = try makeContext(coordinator)
        let teams = try ["t0", "t1"].map { name in
            let team = try context.insertNewObject(forEntityName: "Team")
            try team.setValue(name, forKey: "name")
            return team
        }
        let players = try Self.names.map { name in
            let player = try context.insertNewObject(forEntityName: "Player")
            try player.setValue(name, forKey: "name")
            return player
        }
        for key in Self.toMany { try teams[0].setRelatedObjects(players[..<3], forKey: key) }
        try teams[0].setRelatedObject(players[0], forKey: "captain")
        try context.save()
    }

    private func team(_ name: String, _ context: ManagedObjectContext) throws -> ManagedObject {
        try XCTUnwrap(try context.fetch(FetchRequest("Team", "name == %@", name)).first)
    }

    private func player(_ name: String, _ context: ManagedObjectContext) throws -> ManagedObject {
        try XCTUnwrap(try context.fetch(FetchRequest("Player", "name == %@", name)).first)
    }

    /// The names of the members, in order where they have one.
    private func members(_ object: ManagedObject, _ key: String) throws -> [String] {
        let names = try object.relatedObjects(forKey: key).map { try $0.string("name") ?? "nil" }
        return Self.ordered.contains(key) || key == "bothOf" ? names : names.sorted()
    }

    /// The other side as the members see it.
    private func owners(_ player: ManagedObject, _ key: String) throws -> [String] {
        if ["team", "queueOf", "captainOf"].contains(key) {
            return try player.relatedObject(forKey: key).map { [try $0.string("name") ?? "nil"] } ?? []
        }
        return try player.relatedObjects(forKey: key).map { try $0.string("name") ?? "nil" }.sorted()
    }

    /// Saves the one change and compares a team's members in every place: this context, one that
    /// merges, a new one, another stack.
    private func check(_ teamName: String, _ key: String, _ expected: [String], _ message: String) throws {
        XCTAssertTrue(context.hasChanges, message)
        let merging = try makeContext(coordinator)
        let watched = try team(teamName, merging)
        _ = try members(watched, key)
        var saved: PinviewNotification?
        let center = PinviewNotificationCenter.default
        let observer = center.addObserver(forName: .didSave, object: context) { saved = $0 }
        defer { center.removeObserver(observer) }
        try context.save()
        XCTAssertFalse(context.hasChanges, message)
        try merging.mergeChanges(fromContextDidSave: try XCTUnwrap(saved, message))
        let expected = Self.ordered.contains(key) ? expected : expected.sorted()
        XCTAssertEqual(try members(watched, key), expected, "\(message): merged")
        let second = try makeContextOfSecondStack()
        for reader in [context!, try makeContext(coordinator), second] {
            XCTAssertEqual(try members(try team(teamName, reader), key), expected, message)
            let inverse = try XCTUnwrap(Self.inverses[key])
            for name in Self.names {
                let owners = try owners(try player(name, reader), inverse)
                XCTAssertEqual(owners.contains(teamName), expected.contains(name), "\(message): \(name)")
            }
        }
        // Nothing remains to be written.
        let log = try logged { try context.save() }
        XCTAssertEqual(log.filter { $0.contains("INSERT") || $0.contains("UPDATE") || $0.contains("DELETE") }, [], message)
    }

    private static let orders: [[Int]] = [[0, 2, 1], [2, 1, 0], [1, 0, 2], [2, 0, 1], [1, 2, 0], [0, 1, 2]]

    func test_REL_05_theOrderIsTheOnlyChange() throws {
        let team = try team("t0", context), players = try Self.names.map { try player($0, context) }
        for key in Self.ordered {
            for order in Self.orders {
                try team.setRelatedObjects(order.map { players[$0] }, forKey: key)
                XCTAssertEqual(context.updatedObjects.contains(team), true, "\(key) \(order)")
                try check("t0", key, order.map { "p\($0)" }, "\(key) \(order)")
            }
        }
    }

    func test_REL_05_aMemberMovedByRemovalAndInsertionIsTheOnlyChange() throws {
        let team = try team("t0", context), moved = try player("p0", context)
        for key in Self.ordered {
            for place in [1, 2, 0] {
                try team.removeRelatedObject(moved, forKey: key)
                try team.insertRelatedObject(moved, at: place, forKey: key)
                var expected = ["p1", "p2"]
                expected.insert("p0", at: place)
                try check("t0", key, expected, "\(key) to \(place)")
            }
        }
    }

    /// Only the far side is touched, in a context that has not read the near one.
    func test_REL_02_theFarSideIsTheOnlyChange() throws {
        for key in Self.toMany {
            let inverse = try XCTUnwrap(Self.inverses[key])
            let isToOne = ["team", "queueOf"].contains(inverse)
            context = try makeContext(coordinator)
            let newcomer = try player("p3", context), team = try team("t0", context)
            if isToOne {
                try newcomer.setRelatedObject(team, forKey: inverse)
            } else {
                try newcomer.addRelatedObject(team, forKey: inverse)
            }
            try check("t0", key, ["p0", "p1", "p2", "p3"], "\(key) gains one")

            context = try makeContext(coordinator)
            let leaver = try player("p1", context)
            if isToOne {
                try leaver.setRelatedObject(nil, forKey: inverse)
            } else {
                try leaver.setRelatedObjects([ManagedObject](), forKey: inverse)
            }
            try check("t0", key, ["p0", "p2", "p3"], "\(key) loses one")

            context = try makeContext(coordinator)
            let goer = try player("p0", context), other = try self.team("t1", context)
            if isToOne {
                try goer.setRelatedObject(other, forKey: inverse)
            } else {
                try goer.setRelatedObjects([other], forKey: inverse)
            }
            try check("t0", key, ["p2", "p3"], "\(key): one goes")
            let reader = try makeContext(coordinator)
            XCTAssertEqual(try members(try self.team("t1", reader), key), ["p0"], key)
        }
    }

    func test_REL_03_aToOneRelationshipOfTwoSidesIsTheOnlyChange() throws {
        for (name, expected) in [("p1", ["p1"]), (nil, []), ("p2", ["p2"]), ("p0", ["p0"])] as [(String?, [String])] {
            for fromFarSide in [false, true] where !fromFarSide || name != nil {
                context = try makeContext(coordinator)
                let team = try team("t0", context)
                // The far side's turn begins without a captain.
                if fromFarSide {
                    try team.setRelatedObject(nil, forKey: "captain")
                    try context.save()
                    try name.map { try player($0, context) }?.setRelatedObject(team, forKey: "captainOf")
                } else {
                    try team.setRelatedObject(try name.map { try player($0, context) }, forKey: "captain")
                }
                try context.save()
                for reader in [try makeContext(coordinator), try makeContextOfSecondStack()] {
                    let captain = try self.team("t0", reader).relatedObject(forKey: "captain")?.string("name")
                    XCTAssertEqual(captain.map { [$0] } ?? [], expected, "far side: \(fromFarSide)")
                    for player in Self.names {
                        let owners = try owners(try self.player(player, reader), "captainOf")
                        XCTAssertEqual(owners, expected.contains(player) ? ["t0"] : [], "\(player), far side: \(fromFarSide)")
                    }
                }
            }
        }
    }

    /// The same through an attribute: each single value of a row.
    func test_SAV_01_oneAttributeOfOneObjectIsTheOnlyChange() throws {
        for name in Self.names {
            try player(name, context).setValue(name + "!", forKey: "name")
            try context.save()
            XCTAssertNil(try makeContext(coordinator).fetch(FetchRequest("Player", "name == %@", name)).first)
            XCTAssertNotNil(try makeContextOfSecondStack().fetch(FetchRequest("Player", "name == %@", name + "!")).first)
        }
    }
}
