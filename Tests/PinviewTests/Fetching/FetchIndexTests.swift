import Pinview
import XCTest

/// Fetch indexes with conditions and with expressions (MDL-03): which the file gets, that SQLite
/// uses them for the library's own statements, and that other programs can write to the table.
final class FetchIndexTests: StoreTestCase {
    private func model(
        _ index: FetchIndexDescription?, ofSubentity: Bool = false, renaming name: String = "number", hasPrice: Bool = true
    ) throws -> ManagedObjectModel {
        let indexes = index.map { [$0] } ?? []
        return try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Item",
                attributes: [
                    AttributeDescription(name: "rank", attributeType: .integer64),
                    AttributeDescription(name: name, attributeType: .integer64, renamingIdentifier: "number"),
                    AttributeDescription(name: "name", attributeType: .string), AttributeDescription(name: "done", attributeType: .boolean),
                    AttributeDescription(name: "due", attributeType: .date), AttributeDescription(name: "cost", attributeType: .decimal),
                    AttributeDescription(name: "picture", attributeType: .binaryData, allowsExternalBinaryDataStorage: true),
                ] + (hasPrice ? [AttributeDescription(name: "price", attributeType: .double)] : []),
                relationships: [
                    RelationshipDescription(name: "parent", destinationEntityName: "Item", inverseRelationshipName: "children"),
                    RelationshipDescription(
                        name: "children", destinationEntityName: "Item", inverseRelationshipName: "parent", isToMany: true),
                ], indexes: ofSubentity ? [] : indexes),
            EntityDescription(
                name: "Special", superentityName: "Item", attributes: [AttributeDescription(name: "extra", attributeType: .integer16)],
                indexes: ofSubentity ? indexes : []),
        ])
    }

    private func partial(_ condition: String) -> FetchIndexDescription {
        FetchIndexDescription(name: "it", elements: [.init(attributeName: "rank")], partialIndexPredicateFormat: condition)
    }

    private func computed(_ expression: String, _ condition: String? = nil) -> FetchIndexDescription {
        FetchIndexDescription(
            name: "it", elements: [.init(expressionFormat: expression, isAscending: false)], partialIndexPredicateFormat: condition)
    }

    /// Opens the store, gives the index's statement in the file, and closes the store.
    private func statement(_ model: ManagedObjectModel, _ options: [String: Value] = [:]) throws -> String {
        let coordinator = try makeCoordinator(model, options: options)
        try coordinator.remove(coordinator.persistentStores[0])
        return try sqlite3("SELECT sql FROM sqlite_master WHERE name LIKE 'Z!_%!_it' ESCAPE '!'")
    }

    private func plan(_ context: ManagedObjectContext, _ predicate: String, _ entity: String = "Item") throws -> String {
        try context.explain(try FetchRequest(entity, predicate)).flatMap(\.queryPlan).joined(separator: "\n")
    }

    private static let all = "CREATE INDEX Z_Item_it ON ZITEM (ZRANK COLLATE BINARY ASC)"

    // MARK: Conditions

    private static let conditions = [
        ("done == NO", "ZDONE = 0"), ("done != YES", "ZDONE IS NOT 1"), ("due != nil", "ZDUE IS NOT NULL"),
        ("parent == nil", "ZPARENT IS NULL"),
        ("picture != nil", "ZPICTURE IS NOT NULL"), ("name == \"it's a '?'\"", "ZNAME = 'it''s a ''?'''"),
        ("number > -3 AND name != nil", "(ZNUMBER > -3 AND ZNAME IS NOT NULL)"),
        ("number BETWEEN {-9223372036854775808, 9}", "(ZNUMBER >= -9223372036854775808 AND ZNUMBER <= 9)"),
        ("name IN {'a', 'B'}", "(ZNAME = 'a' OR ZNAME = 'B')"), ("name IN {'a', nil}", "(ZNAME IS NULL OR ZNAME = 'a')"),
        ("number IN {3, nil, 4}", "(ZNUMBER IS NULL OR (ZNUMBER = 3 OR ZNUMBER = 4))"), ("number IN {3}", "ZNUMBER = 3"),
        ("done == YES OR (price < 0.1 AND rank >= 2)", "(ZDONE = 1 OR (ZPRICE < 0.1 AND ZRANK >= 2))"),
        ("NOT (done == YES OR price == 2)", "(ZDONE IS NOT 1 AND ZPRICE IS NOT 2.0)"), ("number <= price", "ZNUMBER <= ZPRICE"),
        ("number == rank", "ZNUMBER IS ZRANK"), ("cost >= 1.5", "ZCOST >= 1.5"), ("due > CAST(600000000, 'NSDate')", "ZDUE > 600000000.0"),
        ("number - (price - 2) * rank > 10", "ZNUMBER - ((ZPRICE - 2) * ZRANK) > 10"),
    ]

    func test_MDL_03_conditionsOfIndexesAreThoseOfPartialIndexes() throws {
        for (format, sql) in Self.conditions {
            XCTAssertEqual(try statement(try model(partial(format))), "\(Self.all) WHERE \(sql)", format)
        }
    }

    func test_MDL_03_sqliteUsesPartialIndexesForFetches() throws {
        for (format, _) in Self.conditions {
            let coordinator = try makeCoordinator(try model(partial(format)))
            let context = try makeContext(coordinator)
            XCTAssertEqual(try plan(context, "(\(format)) AND rank == 3"), "SEARCH t0 USING INDEX Z_Item_it (ZRANK=?)", format)
            XCTAssertTrue(try context.fetch(try FetchRequest("Item", "(\(format)) AND rank == 3")).isEmpty)
            XCTAssertFalse(try plan(context, "rank == 3").contains("Z_Item_it"), format)
            try coordinator.remove(coordinator.persistentStores[0])
        }
        // The values count, not only the form.
        let context = try makeContext(try makeCoordinator(try model(partial("number > 5"))))
        XCTAssertTrue(try plan(context, "number > 5 AND rank == 3").contains("Z_Item_it"))
        XCTAssertFalse(try plan(context, "number > 4 AND rank == 3").contains("Z_Item_it"))
    }

    func test_MDL_03_whatSQLiteLacksStaysOutOfConditions() throws {
        let many = (0..<17).map(String.init).joined(separator: ", ")
        let formats = [
            "name CONTAINS 'a'", "name ==[c] 'a'", "name LIKE 'a*'", "name MATCHES 'a'", "lowercase:(name) == 'a'", "parent.done == NO",
            "children.@count > 1", "ANY children.done == YES", "due < now()", "due < CAST(CAST(now(), 'NSNumber') - 60, 'NSDate')",
            "name == $name", "missing == 3", "number ==", "", "TRUEPREDICATE", "number IN {\(many)}", "NOT number < 3", "cost * 2 > 3",
            "number % 2 == 0", "entity.name == 'Special'", "number > 9223372036854775808",
            "name == '\(String(repeating: "x", count: 10_001))'",
            String(repeating: "(done == YES OR (rank == 1 AND ", count: 30) + "rank == 2" + String(repeating: "))", count: 30),
        ]
        for format in formats { XCTAssertEqual(try statement(try model(partial(format))), Self.all, format) }
    }

    func test_MDL_03_anIndexOfASubentityIsOnTheCommonTable() throws {
        let index = FetchIndexDescription(
            name: "it", elements: [.init(attributeName: "extra"), .init(attributeName: "rank")],
            partialIndexPredicateFormat: "extra > 3 AND done == NO")
        let model = try model(index, ofSubentity: true)
        XCTAssertEqual(
            try statement(model),
            "CREATE INDEX Z_Special_it ON ZITEM (ZEXTRA COLLATE BINARY ASC, ZRANK COLLATE BINARY ASC) WHERE (ZEXTRA > 3 AND ZDONE = 0)")
        let context = try makeContext(try makeCoordinator(model))
        XCTAssertEqual(
            try plan(context, "extra == 7 AND extra > 3 AND done == NO AND rank == 1", "Special"),
            "SEARCH t0 USING INDEX Z_Special_it (ZEXTRA=? AND ZRANK=?)")
    }

    // MARK: Expressions

    func test_MDL_03_expressionsOfColumnsAreIndexed() throws {
        let expressions = [
            ("number + price", "(ZNUMBER + ZPRICE)"), ("number - (price - rank)", "(ZNUMBER - (ZPRICE - ZRANK))"),
            ("(number + rank) * price", "((ZNUMBER + ZRANK) * ZPRICE)"), ("number / rank", "(ZNUMBER / ZRANK)"),
        ]
        for (format, sql) in expressions {
            XCTAssertEqual(
                try statement(try model(computed(format, "done == NO"))),
                "CREATE INDEX Z_Item_it ON ZITEM (\(sql) COLLATE BINARY DESC) WHERE ZDONE = 0", format)
            XCTAssertEqual(
                try statement(try model(computed(format))), "CREATE INDEX Z_Item_it ON ZITEM (\(sql) COLLATE BINARY DESC)", format)
            let coordinator = try makeCoordinator(try model(computed(format)))
            let context = try makeContext(coordinator)
            XCTAssertEqual(try plan(context, "\(format) == 7"), "SEARCH t0 USING INDEX Z_Item_it (<expr>=?)", format)
            XCTAssertEqual(try plan(context, "\(format) BETWEEN {7, 9}"), "SEARCH t0 USING INDEX Z_Item_it (<expr>>? AND <expr><?)", format)
            try coordinator.remove(coordinator.persistentStores[0])
        }
        XCTAssertEqual(try statement(try model(computed("name"))), "CREATE INDEX Z_Item_it ON ZITEM (ZNAME COLLATE BINARY DESC)")
    }

    func test_MDL_03_expressionsThatNeedMoreThanColumnsHaveNoIndex() throws {
        for format in [
            "lowercase:(name)", "canonical:(name)", "number * 2", "parent.number + number", "abs:(number)", "number ** rank",
            "cost + number", "children.@count", "missing + 1", "number +", "", "TERNARY(done == YES, number, rank)",
        ] {
            XCTAssertEqual(try statement(try model(computed(format))), "", format)
        }
    }

    // MARK: Other programs

    func test_MDL_03_otherProgramsCanWriteToATableWithSuchIndexes() throws {
        _ = try statement(
            try model(computed("number * rank + price / rank", "(name IN {'a', \"it's\"} AND done != NO) OR number - rank < price")))
        try sqlite3(
            """
            INSERT INTO ZITEM (Z_ENT, Z_OPT, ZNUMBER, ZRANK, ZPRICE, ZNAME) VALUES (1, 1, 9223372036854775807, 2, 1, 'a'), (1, 1, 1, 0, 1, 'it''s'),
            (1, 1, NULL, NULL, NULL, NULL), (1, 1, 'text', x'00', 1e308, 3), (1, 1, -9223372036854775808, -1, -1, 'a');
            UPDATE ZITEM SET ZRANK = ZRANK + 1; DELETE FROM ZITEM WHERE Z_PK = 3;
            """)
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZITEM; PRAGMA integrity_check"), "4\nok")
    }

    // MARK: Opening

    func test_MDL_03_anIndexFollowsTheModelWhenTheStoreIsOpened() throws {
        for (index, sql) in [
            (nil, ""), (partial("name == 'a b'"), Self.all + " WHERE ZNAME = 'a b'"),
            (partial("name == 'A B'"), Self.all + " WHERE ZNAME = 'A B'"),
            (partial("name CONTAINS 'A B'"), Self.all),
            (computed("number + rank"), "CREATE INDEX Z_Item_it ON ZITEM ((ZNUMBER + ZRANK) COLLATE BINARY DESC)"),
            (computed("number - rank"), "CREATE INDEX Z_Item_it ON ZITEM ((ZNUMBER - ZRANK) COLLATE BINARY DESC)"), (nil, ""),
        ] {
            let model = try model(index)
            XCTAssertEqual(try statement(model), sql)
            let version = try sqlite3("PRAGMA schema_version")
            XCTAssertEqual(try statement(model), sql)
            XCTAssertEqual(try sqlite3("PRAGMA schema_version"), version, "opened again, nothing is made again")
        }
    }

    func test_MDL_03_onlyThePlannedIndexesOfExpressionsAreTrusted() throws {
        _ = try statement(try model(computed("number + rank")))
        let without = try model(nil)
        for options: [String: Value] in [["readOnly": true], ["readOnly": true, "immutable": true]] {
            XCTAssertNoThrow(try makeCoordinator(without, options: options), "an index of the store's own model")
        }
        let other = "CREATE INDEX %@ ON ZITEM ((ZNUMBER + abs(ZRANK)) COLLATE BINARY DESC)"
        try sqlite3("DROP INDEX Z_Item_it; " + other.replacing("%@", with: "Z_Item_it"))
        for model in [without, try model(computed("number + rank"))] {
            let error = assertError(.persistentStoreOpen, try makeCoordinator(model, options: ["readOnly": true]))
            XCTAssertEqual(error?.message.contains("index of an expression"), true, error?.message ?? "")
        }
        XCTAssertEqual(
            try statement(try model(computed("number + rank"))), "CREATE INDEX Z_Item_it ON ZITEM ((ZNUMBER + ZRANK) COLLATE BINARY DESC)",
            "made again before anything is written")
        try sqlite3(other.replacing("%@", with: "spy"))
        let error = assertError(.persistentStoreOpen, try makeCoordinator(try model(computed("number + rank"))))
        XCTAssertEqual(error?.message.contains("spy"), true, error?.message ?? "")
    }

    // MARK: Migration

    func test_MDL_03_migrationChangesIndexesWithTheModel() throws {
        let condition = "price > 3 AND number != nil"
        let old = try model(computed("number + price", condition))
        XCTAssertEqual(
            try statement(old),
            "CREATE INDEX Z_Item_it ON ZITEM ((ZNUMBER + ZPRICE) COLLATE BINARY DESC) WHERE (ZPRICE > 3.0 AND ZNUMBER IS NOT NULL)")
        let migrating: [String: Value] = ["migrateStoreAutomatically": true, "inferMappingModelAutomatically": true]
        let renamed = try model(computed("count + price", "price > 3 AND count != nil"), renaming: "count")
        let sql = try statement(renamed, migrating)
        XCTAssertEqual(
            sql.filter { $0 != "\"" },
            "CREATE INDEX Z_Item_it ON ZITEM ((ZCOUNT + ZPRICE) COLLATE BINARY DESC) WHERE (ZPRICE > 3.0 AND ZCOUNT IS NOT NULL)")
        XCTAssertEqual(try statement(renamed), sql, "what SQLite has rewritten is the same index")
        XCTAssertEqual(
            try statement(try model(partial("price > 3 AND count != nil"), renaming: "count", hasPrice: false), migrating), Self.all,
            "without its attribute the condition means nothing")
    }
}
