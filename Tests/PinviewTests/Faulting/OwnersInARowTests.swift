import Pinview
import RandomSupport
import XCTest

/// The members of owners whose keys follow each other are read as a range of keys, those of others
/// one by one: both must find the same.
final class OwnersInARowTests: StackTestCase {
    private static let teamCount = 120
    private lazy var random = SeededGenerator.announced("OwnersInARowTests")
    /// The names of each team's players and badges, by the team's name.
    private var players: [String: [String]] = [:], badges: [String: [String]] = [:]

    /// A Team with players, each of one team, and badges, each of many teams.
    override func model() throws -> ManagedObjectModel {
        let name = AttributeDescription(name: "name", attributeType: .string)
        return try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Team", attributes: [name],
                relationships: [
                    RelationshipDescription(
                        name: "players", destinationEntityName: "Player", inverseRelationshipName: "team", isToMany: true),
                    RelationshipDescription(
                        name: "badges", destinationEntityName: "Badge", inverseRelationshipName: "teams", isToMany: true),
                ]),
            EntityDescription(
                name: "Player", attributes: [name],
                relationships: [RelationshipDescription(name: "team", destinationEntityName: "Team", inverseRelationshipName: "players")]),
            EntityDescription(
                name: "Badge", attributes: [name],
                relationships: [
                    RelationshipDescription(name: "teams", destinationEntityName: "Team", inverseRelationshipName: "badges", isToMany: true)
                ]),
        ])
    }

    override func prepareStore() throws {
        let context = try makeContext(coordinator)
        let all = try (0..<12).map { number in
            let badge = try context.insertNewObject(forEntityName: "Badge")
            try badge.setValue("badge\(number)", forKey: "name")
            return badge
        }
        for number in 0..<Self.teamCount {
            let team = try context.insertNewObject(forEntityName: "Team")
            let name = "team\(number)"
            try team.setValue(name, forKey: "name")
            for place in 0..<random.below(4) {
                let player = try context.insertNewObject(forEntityName: "Player")
                try player.setValue("player\(number).\(place)", forKey: "name")
                try player.setValue(team, forKey: "team")
                players[name, default: []].append("player\(number).\(place)")
            }
            for badge in all.shuffled(using: &random).prefix(random.below(4)) {
                try team.addRelatedObject(badge, forKey: "badges")
                badges[name, default: []].append(try badge.string("name") ?? "")
            }
        }
        try context.save()
    }

    private func check(_ key: String, isPrefetched: Bool, _ condition: String, line: UInt = #line) throws {
        let context = try makeContext(coordinator)
        try context.setQueryGeneration(from: .current)
        var request = FetchRequest(entityName: "Team")
        request.predicate = try PinviewPredicate(format: condition)
        if isPrefetched { request.relationshipKeyPathsForPrefetching = [key] }
        let expected = key == "players" ? players : badges, teams = try context.fetch(request)
        XCTAssertGreaterThan(teams.count, 5, line: line)
        for team in teams {
            let name = try team.string("name") ?? ""
            let found = try team.relatedObjects(forKey: key).map { try $0.string("name") ?? "" }.sorted()
            XCTAssertEqual(
                found, expected[name, default: []].sorted(), "\(key) of \(name), prefetched: \(isPrefetched), \(condition)", line: line)
        }
    }

    func test_FLT_05_allOwnersAndSomeOfThemHaveTheSameMembers() throws {
        for key in ["players", "badges"] {
            for isPrefetched in [false, true] {
                for condition in ["TRUEPREDICATE", "NOT name ENDSWITH '7'", "name BEGINSWITH 'team1'"] {
                    try check(key, isPrefetched: isPrefetched, condition)
                }
            }
        }
    }

    func test_FLT_05_aDamagedReferenceBetweenTwoOwnersLeadsToNeither() throws {
        try sqlite3("UPDATE ZPLAYER SET ZTEAM = ZTEAM + 0.5 WHERE Z_PK % 3 = 0")
        let damaged = Set(try sqlite3("SELECT ZNAME FROM ZPLAYER WHERE typeof(ZTEAM) = 'real'").split(separator: "\n").map(String.init))
        XCTAssertFalse(damaged.isEmpty)
        players = players.mapValues { $0.filter { !damaged.contains($0) } }
        for isPrefetched in [false, true] { try check("players", isPrefetched: isPrefetched, "TRUEPREDICATE") }
    }
}
