import Foundation
import Pinview
import XCTest

/// Rows of values instead of objects, how statements are explained, and the orders of texts:
/// FET-12, FET-18, FET-21.
final class DictionaryFetchTests: StackTestCase {
    override func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Team", attributes: [AttributeDescription(name: "name", attributeType: .string)],
                relationships: [
                    RelationshipDescription(
                        name: "players", destinationEntityName: "Player", inverseRelationshipName: "team", isToMany: true)
                ]),
            EntityDescription(
                name: "Player",
                attributes: [
                    AttributeDescription(name: "name", attributeType: .string),
                    AttributeDescription(name: "points", attributeType: .integer64, defaultValue: 0),
                    AttributeDescription(name: "weight", attributeType: .decimal), AttributeDescription(name: "born", attributeType: .date),
                ],
                relationships: [RelationshipDescription(name: "team", destinationEntityName: "Team", inverseRelationshipName: "players")],
                indexes: [FetchIndexDescription(name: "byPoints", elements: [FetchIndexDescription.Element(attributeName: "points")])]),
        ])
    }

    /// Red has ann (3 points) and bob (5), blue has cid (10), and dan (1) has no team.
    override func prepareStore() throws {
        let context = try makeContext(coordinator)
        var teams: [String: ManagedObject] = [:]
        for name in ["red", "blue"] {
            let team = try context.insertNewObject(forEntityName: "Team")
            try team.setValue(name, forKey: "name")
            teams[name] = team
        }
        for (name, points, team) in [("ann", 3, "red"), ("bob", 5, "red"), ("cid", 10, "blue"), ("dan", 1, "")] {
            let player = try context.insertNewObject(forEntityName: "Player")
            try player.setValue(name, forKey: "name")
            try player.setValue(points, forKey: "points")
            try player.setAttributeValue(.decimal(DecimalNumber("\(points).5") ?? .zero), forKey: "weight")
            try player.setValue(Date(timeIntervalSinceReferenceDate: Double(points)), forKey: "born")
            try player.setRelatedObject(teams[team], forKey: "team")
        }
        try context.save()
    }

    private func players(_ properties: [PropertyToFetch] = []) -> FetchRequest {
        var request = FetchRequest(entityName: "Player")
        request.resultType = .dictionary
        request.propertiesToFetch = properties
        return request
    }

    private func computed(_ name: String, _ format: String) throws -> PropertyToFetch {
        .expression(ExpressionDescription(name: name, expression: try PinviewExpression(format: format)))
    }

    func test_FET_21_rowsOfNamedValues() throws {
        var request = players(["name", "points", "weight", "born", "team.name"])
        request.sortDescriptors = [PinviewSortDescriptor(keyPath: "points", ascending: false)]
        request.fetchLimit = 2
        guard case .dictionaries(let result) = try context.execute(request) else { return XCTFail("no dictionaries") }
        XCTAssertEqual(result.columnNames, ["name", "points", "weight", "born", "team.name"])
        XCTAssertEqual(result.map { $0["name"] }, ["cid", "bob"])
        XCTAssertEqual(
            result[0],
            [
                "name": "cid", "points": 10, "weight": .decimal(try XCTUnwrap(DecimalNumber("10.5"))),
                "born": .date(Date(timeIntervalSinceReferenceDate: 10)), "team.name": "blue",
            ])
        XCTAssertEqual(context.registeredObjects, [])
    }

    func test_FET_21_withoutNamesAllAttributesCome() throws {
        let result = try context.fetchDictionaries(FetchRequest(entityName: "Team"))
        XCTAssertEqual(result.columnNames, ["name"])
        XCTAssertEqual(Set(result.rows), [["red"], ["blue"]])
    }

    func test_FET_21_objectsComeAsTheirIDs() throws {
        var request = players(["objectID", "team"])
        request.predicate = try PinviewPredicate(format: "name IN {'ann', 'dan'}")
        request.sortDescriptors = [PinviewSortDescriptor(keyPath: "name")]
        let result = try context.fetchDictionaries(request)
        let ann = try context.fetch(FetchRequest("Player", "name == 'ann'"))[0]
        XCTAssertEqual(result[0]["objectID"], .objectID(ann.objectID))
        XCTAssertEqual(result[0]["team"], .objectID(try XCTUnwrap(try ann.relatedObject(forKey: "team")).objectID))
        XCTAssertEqual(result[1]["team"], .null)
    }

    func test_FET_21_computedValues() throws {
        var request = players([
            "name", try computed("double", "points * 2"), try computed("title", "uppercase(name)"),
            try computed("mates", "team.players.@count"), try computed("next", "born + 60"),
        ])
        request.predicate = try PinviewPredicate(format: "name == 'bob'")
        XCTAssertEqual(
            try context.fetchDictionaries(request).rows, [["bob", 10, "BOB", 2, .date(Date(timeIntervalSinceReferenceDate: 65))]])
    }

    func test_FET_21_groupsAndWhatFunctionsMakeOfThem() throws {
        var request = players([
            "team.name", try computed("players", "count:(SELF)"), try computed("sum", "sum:(points)"),
            try computed("best", "max:(points * 10)"),
            try computed("mean", "average:(weight)"),
        ])
        request.propertiesToGroupBy = ["team.name"]
        request.sortDescriptors = [PinviewSortDescriptor(keyPath: "sum")]
        XCTAssertEqual(
            try context.fetchDictionaries(request).rows,
            [
                [.null, 1, 1, 10, try decimal("1.5")], ["red", 2, 8, 50, try decimal("4.5")], ["blue", 1, 10, 100, try decimal("10.5")],
            ])
        request.havingPredicate = try PinviewPredicate(format: "sum:(points) > 5 AND count:(SELF) < 2")
        XCTAssertEqual(try context.fetchDictionaries(request).map { $0["team.name"] }, ["blue"])
    }

    private func decimal(_ text: String) throws -> Value { .decimal(try XCTUnwrap(DecimalNumber(text))) }

    func test_FET_21_whatHasNoSingleValueForAGroupIsRefused() throws {
        var request = players(["name", try computed("players", "count:(SELF)")])
        assertError(.invalidArgument, try context.fetchDictionaries(request))
        request.propertiesToGroupBy = ["team.name"]
        assertError(.invalidArgument, try context.fetchDictionaries(request))
    }

    func test_FET_21_groupsAloneGiveWhatTheyAreGroupedBy() throws {
        var request = players([])
        request.propertiesToGroupBy = ["team.name"]
        XCTAssertEqual(Set(try context.fetchDictionaries(request).map { $0["team.name"] }), [.null, "red", "blue"])
    }

    func test_FET_21_functionsOverAllRows() throws {
        let request = players([
            try computed("sum", "sum:(points)"), try computed("least", "min:(name)"), try computed("spread", "max:(points) - min:(points)"),
        ])
        XCTAssertEqual(try context.fetchDictionaries(request).rows, [[19, "ann", 9]])
    }

    func test_FET_21_distinctRows() throws {
        var request = players(["team.name"])
        request.returnsDistinctResults = true
        request.sortDescriptors = [PinviewSortDescriptor(keyPath: "team.name")]
        XCTAssertEqual(try context.fetchDictionaries(request).rows, [[.null], ["blue"], ["red"]])
    }

    func test_QG_49_theyReadTheContextsGeneration() throws {
        try context.setQueryGeneration(from: .current)
        let request = players([try computed("sum", "sum:(points)")])
        XCTAssertEqual(try context.fetchDictionaries(request).rows, [[19]])
        _ = try other.execute(BatchDeleteRequest(fetchRequest: try FetchRequest("Player", "points > 4")))
        XCTAssertEqual(try context.fetchDictionaries(request).rows, [[19]])
        XCTAssertEqual(try other.fetchDictionaries(request).rows, [[4]])
    }

    func test_FET_19_mistakes() throws {
        assertError(.unknownKey, try context.fetchDictionaries(players(["nam"])))
        assertError(.badPredicate, try context.fetchDictionaries(players([try computed("x", "sum:(name)")])))
        assertError(.invalidArgument, try context.fetchDictionaries(players(["name", "name"])))
        var request = players(["name"])
        request.havingPredicate = try PinviewPredicate(format: "count:(SELF) > 1")
        assertError(.invalidArgument, try context.fetchDictionaries(request))
        request = FetchRequest(entityName: "Player")
        request.predicate = try PinviewPredicate(format: "sum:(points) > 1")
        assertError(.badPredicate, try context.fetch(request))
    }

    // MARK: Explaining

    func test_FET_18_explainShowsStatementValuesAndPlan() throws {
        let request = try FetchRequest("Player", "points == %d", 5)
        let explanation = try XCTUnwrap(try context.explain(request).first)
        XCTAssertTrue(explanation.sql.hasPrefix("SELECT t0.Z_PK"), explanation.sql)
        XCTAssertEqual(explanation.bindings, ["5"])
        XCTAssertTrue(explanation.queryPlan.contains { $0.contains("USING INDEX") }, "\(explanation.queryPlan)")
        XCTAssertEqual(explanation.storeIdentifier, coordinator.persistentStores[0].identifier)
        XCTAssertEqual(context.registeredObjects, [])
        let scan = try XCTUnwrap(try context.explain(try FetchRequest("Player", "name == 'x'")).first)
        XCTAssertTrue(scan.queryPlan.contains { $0.contains("SCAN") }, "\(scan.queryPlan)")
    }

    // MARK: Orders of texts

    private func order(_ names: [String], _ comparator: PinviewSortDescriptor.Comparator) throws -> [String] {
        _ = try other.execute(BatchDeleteRequest(fetchRequest: FetchRequest(entityName: "Team")))
        _ = try other.execute(BatchInsertRequest(entityName: "Team", objects: names.map { ["name": .string($0)] }))
        var request = FetchRequest(entityName: "Team")
        request.sortDescriptors = [PinviewSortDescriptor(keyPath: "name", comparator: comparator)]
        let reader = try makeContext(coordinator)
        let stored = try reader.fetch(request).map { try $0.string("name") ?? "" }
        // The same names as unsaved objects are put in order in memory.
        let writer = try makeContext(try makeMemoryCoordinator())
        for name in names.reversed() { try writer.insertNewObject(forEntityName: "Team").setValue(name, forKey: "name") }
        XCTAssertEqual(try writer.fetch(request).map { try $0.string("name") ?? "" }, stored)
        return stored
    }

    private func makeMemoryCoordinator() throws -> PersistentStoreCoordinator {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try model())
        try coordinator.addPersistentStore(type: .inMemory, at: nil)
        return coordinator
    }

    func test_FET_12_numbersInTextsByValue() throws {
        XCTAssertEqual(
            try order(["file10", "file9", "file", "file09b", "a2b10", "a2b9", "File1"], .numeric),
            ["File1", "a2b9", "a2b10", "file", "file9", "file09b", "file10"])
        // Numbers of any length are compared as numbers.
        let numbers = [1, 9, 10, 253, 254, 255, 256, 257, 509, 510, 511, 512].flatMap { count in
            ["1" + String(repeating: "0", count: count - 1), String(repeating: "9", count: count)]
        }
        XCTAssertEqual(try order(numbers.reversed(), .numeric), numbers)
    }

    func test_FET_12_theUsersLanguage() throws {
        XCTAssertEqual(try order(["b2", "B10", "a", "b9"], .localizedStandard), ["a", "b2", "b9", "B10"])
        XCTAssertEqual(Set(try order(["z", "ä", "a\u{0}b", "a"], .localized)), ["z", "ä", "a\u{0}b", "a"])
        XCTAssertEqual(try order(["B", "a", "C"], .localizedCaseInsensitive), ["a", "B", "C"])
    }
}
