import PinviewModel
import PinviewPredicates
import XCTest

/// The truth tables at `ResolvedPredicate`, evaluated in memory (FET-18).
final class TruthTableTests: PredicateTestCase {
    private static let relations = ["==", "!=", "<", "<=", ">", ">="]

    /// The results of `==`, `!=`, `<`, `<=`, `>`, `>=` for two values with that order.
    private func expected(_ order: Int) -> [Bool] { [order == 0, order != 0, order < 0, order <= 0, order > 0, order >= 0] }

    private func assert(
        _ key: String, _ value: Value, _ constant: Value, _ answers: [Bool], file: StaticString = #filePath, line: UInt = #line
    ) throws {
        let object = makePerson([key: value])
        let mirrored = ["==", "!=", ">", ">=", "<", "<="]
        for (index, answer) in answers.enumerated() {
            let text = "\(value) \(Self.relations[index]) \(constant)"
            XCTAssertEqual(try evaluate(object, "\(key) \(Self.relations[index]) %@", constant), answer, text, file: file, line: line)
            XCTAssertEqual(
                try evaluate(object, "%@ \(mirrored[index]) \(key)", constant), answer, "mirrored \(text)", file: file, line: line)
            XCTAssertEqual(
                try evaluate(object, "NOT \(key) \(Self.relations[index]) %@", constant), !answer, "NOT \(text)", file: file, line: line)
        }
    }

    private let withNil = [false, true, false, false, false, false]
    private let bothNil = [true, false, false, false, false, false]

    func test_FET_18_relationsWithNil() throws {
        let values: [(String, Value)] = [
            ("name", "x"), ("age", 1), ("height", 1.5), ("wealth", .decimal(DecimalNumber(1))), ("isMember", false),
            ("born", .date(.init(timeIntervalSinceReferenceDate: 1))),
        ]
        for (key, value) in values {
            try assert(key, value, nil, withNil)
            try assert(key, nil, value, withNil)
            try assert(key, nil, nil, bothNil)
        }
    }

    func test_FET_18_nilOnBothSidesAsKeyPaths() throws {
        for (values, answers) in [
            ([:], bothNil), (["name": "x"], withNil), (["nick": "x"], withNil), (["name": "x", "nick": "x"], expected(0)),
            (["name": "a", "nick": "b"], expected(-1)),
        ]
            as [([String: Value], [Bool])]
        {
            for (index, answer) in answers.enumerated() {
                XCTAssertEqual(
                    try evaluate(makePerson(values), "name \(Self.relations[index]) nick"), answer, "\(values) \(Self.relations[index])")
            }
        }
    }

    func test_FET_18_numbersCompareAcrossTypes() throws {
        let big = Int64(1) << 53
        let cases: [(String, Value, Value, Int)] = [
            ("age", 3, 3, 0), ("age", 3, 3.0, 0), ("age", 3, 3.5, -1), ("age", 4, 3.5, 1), ("age", -4, -3.5, -1),
            ("age", .integer(big + 1), .double(Double(big)), 1),
            ("age", .integer(.max), .double(0x1p63), -1), ("age", .integer(.min), .double(-0x1p63), 0), ("age", 0, .double(-.infinity), 1),
            ("age", 1, true, 0),
            ("age", 1, .decimal(try XCTUnwrap(DecimalNumber("1.5"))), -1), ("rank", 5, 100_000, -1), ("rank", -5, .integer(.min), 1),
            ("height", 0.1, 0.1, 0), ("height", 2, .integer(big + 1), -1), ("height", .double(Double(big)), .integer(big + 1), -1),
            ("height", .double(.infinity), .integer(.max), 1),
            ("height", -0.0, 0, 0), ("height", 0.1, .decimal(try XCTUnwrap(DecimalNumber("0.1"))), 0),
            ("height", 0.1, .decimal(try XCTUnwrap(DecimalNumber("0.10000000000000000001"))), -1),
            ("ratio", .double(Double(Float(0.1))), 0.1, 0), ("ratio", 0.5, 1e300, -1),
            ("wealth", .decimal(try XCTUnwrap(DecimalNumber("0.1"))), 0.1, 0),
            ("wealth", .decimal(DecimalNumber(7)), 7, 0), ("wealth", .decimal(DecimalNumber(7)), .double(.infinity), -1),
            ("wealth", .decimal(DecimalNumber(7)), .double(-.infinity), 1),
            ("wealth", .decimal(.notANumber), 1, 1), ("wealth", .decimal(.notANumber), .decimal(.notANumber), 0),
            ("wealth", .decimal(.notANumber), .double(.infinity), 1),
            ("isMember", true, true, 0), ("isMember", true, 1, 0), ("isMember", false, 1, -1), ("isMember", true, 2, -1),
            ("isMember", true, 1.0, 0),
        ]
        for (key, value, constant, order) in cases { try assert(key, value, constant, expected(order)) }
    }

    func test_FET_18_nanIsNil() throws {
        try assert("height", .double(.nan), nil, bothNil)
        try assert("height", .double(.nan), 1.5, withNil)
        try assert("height", 1.5, .double(.nan), withNil)
        try assert("height", .double(.nan), .double(.nan), bothNil)
        try assert("born", .date(.init(timeIntervalSinceReferenceDate: .nan)), nil, bothNil)
        XCTAssertTrue(try evaluate(makePerson(["height": .double(.nan)]), "height IN {1.5, nil}"))
    }

    func test_FET_18_stringsAndDates() throws {
        try assert("name", "a", "b", expected(-1))
        try assert("name", "B", "a", expected(-1))
        try assert("name", "é", "e\u{301}", expected(1))
        try assert("name", "\u{1F600}", "\u{FF21}", expected(1))
        try assert("name", "a", "a\0", expected(-1))
        try assert("site", "http://x", "http://x", expected(0))
        try assert("born", .date(.init(timeIntervalSinceReferenceDate: 1)), .date(.init(timeIntervalSinceReferenceDate: 1.5)), expected(-1))
    }

    func test_FET_18_equalityOfIDsAndData() throws {
        let uuid = try XCTUnwrap(UUID(uuidString: "6F9619FF-8B86-D011-B42D-00C04FC964FF"))
        let object = makePerson(["key": .uuid(uuid), "photo": .binary([1, 2])])
        XCTAssertTrue(try evaluate(object, "key == %@ AND photo == %@", uuid, [1, 2] as [UInt8]))
        XCTAssertFalse(try evaluate(object, "key == %@ OR photo == %@", UUID(), [1, 3] as [UInt8]))
        XCTAssertTrue(try evaluate(object, "key != nil AND photo != %@ AND key IN %@", [] as [UInt8], [uuid]))
    }

    func test_FET_18_textOperatorsWithNil() throws {
        for op in ["CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE"] {
            XCTAssertFalse(try evaluate(makePerson(), "name \(op) ''"), op)
            XCTAssertFalse(try evaluate(makePerson(), "name \(op)[cd] nil"), op)
            XCTAssertFalse(try evaluate(makePerson(["name": "x"]), "name \(op) nil"), op)
            XCTAssertFalse(try evaluate(makePerson(["name": "x"]), "nil \(op) name"), op)
            XCTAssertTrue(try evaluate(makePerson(), "NOT name \(op) 'x'"), op)
            XCTAssertTrue(try evaluate(makePerson(["name": "x", "nick": "x"]), "name \(op) nick"), op)
            XCTAssertTrue(try evaluate(makePerson(["name": "x"]), "'x' \(op) name"), op)
        }
    }

    func test_FET_18_optionsOfTextOperators() throws {
        let object = makePerson(["name": "Zoë Straße"])
        for format in [
            "name CONTAINS[c] 'STRASSE'", "name BEGINSWITH[cd] 'zoe'", "name ENDSWITH[c] 'ßE'", "name LIKE[cd] 'zo? *'",
            "name ==[cd] 'zoe strasse'", "name IN[cd] {'x', 'ZOE STRASSE'}",
            "name >[c] 'ZA'", "name BETWEEN[c] {'ZA', 'ZZ'}",
        ] { XCTAssertTrue(try evaluate(object, format), format) }
        for format in [
            "name CONTAINS 'strasse'", "name BEGINSWITH[c] 'zoe'", "name ENDSWITH[d] 'SSE'", "name ==[c] 'zoe strasse'",
            "name !=[cd] 'ZOE STRASSE'",
        ] {
            XCTAssertFalse(try evaluate(object, format), format)
        }
    }

    func test_FET_18_between() throws {
        for (age, answer) in [(0, false), (1, true), (2, true), (3, true), (4, false)] {
            let object = makePerson(["age": .integer(Int64(age)), "rank": 1])
            XCTAssertEqual(try evaluate(object, "age BETWEEN {1, 3}"), answer, "\(age)")
            XCTAssertEqual(try evaluate(object, "age BETWEEN {rank, 3.5}"), answer, "\(age)")
            XCTAssertEqual(try evaluate(object, "NOT age BETWEEN %@", [1, 3]), !answer, "\(age)")
            for bounds in ["{nil, 3}", "{1, nil}", "{nil, nil}", "{3, 1}", "{height, 3}"] {
                XCTAssertFalse(try evaluate(object, "age BETWEEN \(bounds)"), bounds)
            }
        }
        XCTAssertFalse(try evaluate(makePerson(), "age BETWEEN {1, 3}"))
        XCTAssertTrue(try evaluate(makePerson(), "NOT age BETWEEN {1, 3}"))
    }

    func test_FET_18_in() throws {
        let object = makePerson(["age": 2, "rank": 2, "name": "x"])
        for format in [
            "age IN {1, 2}", "age IN {2.0}", "age IN {rank}", "age IN {1, rank, 7}", "nick IN {nil}", "nick IN {'x', nil}", "NOT age IN {}",
            "age NOT IN {1}", "2 IN {age, 3}", "2 IN {1, 2}",
        ] {
            XCTAssertTrue(try evaluate(object, format), format)
        }
        for format in [
            "age IN {}", "age IN {1, nil}", "age IN {2.5}", "nick IN {}", "nick IN {'x'}", "age IN {height}", "name IN {'X'}", "nil IN {1}",
        ] {
            XCTAssertFalse(try evaluate(object, format), format)
        }
    }

    // MARK: Key paths

    func test_FET_18_valueIsNilIfTheWayToItIs() throws {
        let object = makePerson()
        for format in [
            "boss.name == nil", "boss.name != 'x'", "boss.boss.age == nil", "NOT boss.age > 1", "boss == nil", "boss.boss == nil",
            "boss.staff.@count == 0",
        ] {
            XCTAssertTrue(try evaluate(object, format), format)
        }
        object.set(makePerson(["name": "x", "age": 2]), "boss")
        for format in ["boss.name == 'x'", "boss.age > 1", "boss != nil", "boss.boss == nil", "boss.boss.name != 'x'"] {
            XCTAssertTrue(try evaluate(object, format), format)
        }
    }

    func test_FET_18_objectsAreComparedByID() throws {
        let (object, boss) = (makePerson(), makePerson())
        let pilot = TestObject(try XCTUnwrap(model.entity(named: "Pilot")))
        object.set(boss, "boss")
        XCTAssertTrue(try evaluate(object, "boss == %@ AND boss.objectID == %@", boss.evaluableID, boss.evaluableID))
        XCTAssertTrue(try evaluate(object, "SELF == %@ AND objectID == %@ AND SELF != boss", object.evaluableID, object.evaluableID))
        XCTAssertTrue(try evaluate(object, "SELF IN %@ AND boss IN {%@, nil}", [object.evaluableID], boss.evaluableID))
        XCTAssertTrue(try evaluate(object, "SELF != nil AND SELF != %@", pilot.evaluableID), "an object of the same hierarchy")
        XCTAssertFalse(try evaluate(object, "SELF == boss OR boss == %@ OR boss == nil OR SELF IN {}", object.evaluableID))
        let boat = TestObject(try XCTUnwrap(model.entity(named: "Boat"))).evaluableID
        XCTAssertFalse(try evaluate(object, "boss IN %@", [boat]), "allowed in a list, and equal to nothing")
    }

    // MARK: To-many relationships

    func test_FET_18_modifiers() throws {
        let object = makePerson()
        /// Wheels of the cars; results of `> 3` and `== nil` with ANY, ALL and NONE.
        let cases: [([Value], [Bool], [Bool])] = [
            ([], [false, true, true], [false, true, true]), ([4], [true, true, false], [false, false, true]),
            ([3], [false, false, true], [false, false, true]),
            ([3, 4], [true, false, false], [false, false, true]), ([nil], [false, false, true], [true, true, false]),
            ([nil, 4], [true, false, false], [true, false, false]),
        ]
        for (wheels, over3, isNil) in cases {
            object.set(try wheels.map { try makeCar(["wheels": $0]) }, "cars")
            for (index, modifier) in ["ANY", "ALL", "NONE"].enumerated() {
                XCTAssertEqual(try evaluate(object, "\(modifier) cars.wheels > 3"), over3[index], "\(modifier) \(wheels) > 3")
                XCTAssertEqual(try evaluate(object, "NOT \(modifier) cars.wheels > 3"), !over3[index], "NOT \(modifier) \(wheels) > 3")
                XCTAssertEqual(try evaluate(object, "\(modifier) cars.wheels == nil"), isNil[index], "\(modifier) \(wheels) == nil")
            }
            XCTAssertTrue(try evaluate(object, "cars.@count == %d", wheels.count))
        }
    }

    func test_FET_18_modifiersWithListsRangesAndStrings() throws {
        let object = makePerson(["name": "B1"])
        object.set([try makeCar(["wheels": 3, "plate": "A1"]), try makeCar(["wheels": 6, "plate": "b1"])], "cars")
        for format in [
            "ANY cars.wheels IN {6, 7}", "ALL cars.wheels IN {3, 6}", "NONE cars.wheels IN {1}", "ANY cars.wheels BETWEEN {5, 7}",
            "ALL cars.wheels BETWEEN {3, 6}", "ANY cars.plate ==[c] name",
            "ALL cars.plate ENDSWITH '1'", "cars.plate CONTAINS 'A1'", "cars.plate CONTAINS[c] 'B1'", "name IN[c] cars.plate",
            "3 IN cars.wheels", "3 == 3 AND ANY cars.wheels < 4",
        ] { XCTAssertTrue(try evaluate(object, format), format) }
        for format in [
            "ANY cars.wheels BETWEEN {4, 5}", "cars.plate CONTAINS 'A'", "name IN cars.plate", "4 IN cars.wheels", "ALL cars.wheels IN {3}",
        ] {
            XCTAssertFalse(try evaluate(object, format), format)
        }
    }

    func test_FET_18_objectsOfToManyRelationships() throws {
        let (object, car, other) = (makePerson(), try makeCar(), try makeCar())
        object.set([car], "cars")
        for format in [
            "ANY cars == %@", "%@ IN cars", "cars CONTAINS %@", "ALL cars IN {%@}",
            "ANY cars.owner == nil AND cars.@count > 0 AND %@ IN cars",
        ] {
            XCTAssertTrue(try evaluate(object, format, car.evaluableID), format)
        }
        for format in ["ANY cars == %@", "%@ IN cars", "cars CONTAINS %@"] {
            XCTAssertFalse(try evaluate(object, format, other.evaluableID), format)
        }
        car.set(object, "owner")
        XCTAssertTrue(try evaluate(object, "ANY cars.owner == SELF"))
    }

    func test_FET_18_nilBeforeToManyRelationshipGivesNoValues() throws {
        let object = makePerson()
        XCTAssertFalse(try evaluate(object, "ANY boss.cars.wheels == nil"))
        XCTAssertTrue(try evaluate(object, "ALL boss.cars.wheels == 3"))
        XCTAssertTrue(try evaluate(object, "NONE boss.cars.wheels == 3"))
    }

    // MARK: Compounds

    func test_FET_18_connectives() throws {
        for (left, right) in [(true, true), (true, false), (false, true), (false, false)] {
            let object = makePerson(["age": left ? 1 : 0, "rank": right ? 1 : 0])
            XCTAssertEqual(try evaluate(object, "age == 1 AND rank == 1"), left && right)
            XCTAssertEqual(try evaluate(object, "age == 1 OR rank == 1"), left || right)
            XCTAssertEqual(try evaluate(object, "NOT (age == 1 AND rank == 1)"), !(left && right))
            XCTAssertEqual(try evaluate(object, "NOT (age == 1 OR NOT rank == 1)"), !(left || !right))
            XCTAssertEqual(try evaluate(object, "TRUEPREDICATE AND age == 1"), left)
            XCTAssertEqual(try evaluate(object, "FALSEPREDICATE OR NOT (FALSEPREDICATE OR age == 1)"), !left)
        }
    }

    func test_FET_18_errorsOfTheObjectArePassedOn() throws {
        final class Fault: EvaluableObject {
            let evaluableID: ManagedObjectID
            init(_ objectID: ManagedObjectID) { evaluableID = objectID }
            func evaluableValue(of property: Property) throws(PinviewError) -> Value { throw .noSuchRow(evaluableID) }
            func evaluableDestination(of property: Property) throws(PinviewError) -> (any EvaluableObject)? {
                throw .noSuchRow(evaluableID)
            }
            func evaluableDestinations(of property: Property) throws(PinviewError) -> [any EvaluableObject] {
                throw .noSuchRow(evaluableID)
            }
        }
        let fault = Fault(makePerson().evaluableID)
        for format in ["age == 1", "boss.age == 1", "cars.@count == 1", "ANY cars.wheels == 1", "SELF == nil OR age == 1"] {
            let predicate = try resolved(PinviewPredicate(format: format))
            XCTAssertThrowsError(try predicate.evaluate(with: fault), format) {
                XCTAssertEqual(($0 as? PinviewError)?.hasCode(.managedObjectReferentialIntegrity), true)
            }
        }
    }

    // MARK: Long lists

    func test_FET_18_lookUpsInLongListsAreFast() throws {
        let predicate = try resolved(PinviewPredicate(format: "age IN %@", Array(0..<100_000)))
        for age in 0..<20_000 {
            XCTAssertEqual(try predicate.evaluate(with: makePerson(["age": .integer(Int64(age * 10))])), age < 10_000)
        }
    }

    func test_FET_18_longListsAgreeWithShortOnes() throws {
        let values: [(String, [Value], [Value])] = [
            ("age", [1, 2, 3.0, 2.5, nil], [nil, 1, 3, 4, 0]),
            ("height", [1, 2.5, 7.0], [nil, 1.0, 2.5, 7.0, .double(.nan), .double(.infinity)]),
            (
                "wealth", [1, 2.5, .decimal(DecimalNumber(7))],
                [nil, .decimal(DecimalNumber(1)), .decimal(DecimalNumber(2.5)), .decimal(.notANumber)]
            ),
            ("height", [.decimal(try XCTUnwrap(DecimalNumber("0.12345678901234567890123"))), 0.5], [nil, 0.5, 0.12345678901234568]),
            ("name", ["a", "é", nil], [nil, "a", "A", "é", "e\u{301}"]), ("isMember", [1, nil], [nil, true, false]),
        ]
        let padding: [String: Value] = ["age": -1, "height": -1.0, "wealth": -1, "name": "padding", "isMember": 5]
        for (key, elements, probes) in values {
            let long = elements + Array(repeating: padding[key] ?? .null, count: 50)
            for options in key == "name" ? ["", "[c]", "[cd]"] : [""] {
                for probe in probes {
                    let object = makePerson([key: probe])
                    XCTAssertEqual(
                        try evaluate(object, "\(key) IN\(options) %@", long), try evaluate(object, "\(key) IN\(options) %@", elements),
                        "\(probe) in \(elements) \(options)")
                }
            }
        }
    }
}
