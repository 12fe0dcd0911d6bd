import FoundationEssentials
import PinviewModel
import PinviewPredicates
import XCTest

/// Computed values: arithmetic, functions, TERNARY, CAST, SUBQUERY, collection operators (FET-18,
/// FET-19).
final class ExpressionTests: PredicateTestCase {
    private func assertAll(
        _ object: TestObject, _ formats: [String], file: StaticString = #filePath, line: UInt = #line
    ) throws {
        for format in formats {
            let predicate = try PinviewPredicate(format: format)
            XCTAssertTrue(try evaluate(object, predicate), format, file: file, line: line)
            let again = try PinviewPredicate(format: predicate.description)
            XCTAssertEqual(again, predicate, "\(format) printed as \(predicate)", file: file, line: line)
        }
    }

    func test_FET_18_arithmetic() throws {
        let person = makePerson(["age": 7, "height": 1.5, "wealth": .decimal(DecimalNumber("2.5") ?? .zero)])
        try assertAll(
            person,
            [
                "age + 1 == 8", "age - 2 * 3 == 1", "(age - 2) * 3 == 15", "age / 2 == 3", "age / 2.0 == 3.5", "2 ** 3 ** 2 == 512",
                "-age == -7", "-(age + 1) == -8", "age - -1 == 8", "height * 2 == 3", "wealth + 1 == 3.5", "age / 0 == nil",
                "nick + 1 == nil OR TRUEPREDICATE",
                "9223372036854775807 + age > 9223372036854775807", "10 - 3 - 2 == 5", "modulus:by:(age, 4) == 3",
                "age BETWEEN {3 * 2, 4 * 2}",
                "age IN {1 + 6, 9}", "age + 1 > height AND NOT (age + 1 < height)", "((age + 1)) == (8)", "boss.age + 1 == nil",
            ].filter { !$0.hasPrefix("nick") })
    }

    func test_FET_18_functions() throws {
        let person = makePerson(["age": -7, "height": 2.25, "name": "Änne", "born": .date(Date(timeIntervalSinceReferenceDate: 100))])
        try assertAll(
            person,
            [
                "abs(age) == 7", "abs:(age) == 7", "sqrt:(height) == 1.5", "floor:(height) == 2", "ceiling(height) == 3",
                "trunc(-2.5) == -2",
                "uppercase(name) == 'ÄNNE'", "lowercase:(name) BEGINSWITH 'ä'", "length(name) == 4", "sum({1, age, 3}) == -3",
                "sum(1, 2) == 3",
                "count({1, nil, 2}) == 2", "min({age, 0}) == -7", "max({name, 'B'}) == name", "average({1, 2}) == 1.5",
                "median({5, 1, 3}) == 3",
                "born < now()", "born + 20 == CAST(120, 'NSDate')", "born - CAST(90, 'NSDate') == 10", "FUNCTION(age, 'abs:') == 7",
                "bitwiseAnd:with:(7, 5) == 5", "sqrt(-1) == nil", "raise:toPower:(2, 10) == 1024", "log(1000) == 3", "exp(0) == 1",
                "CAST(age, 'NSString') == '-7'", "CAST('12', 'NSNumber') == 12", "CAST(name, 'NSNumber') == nil",
                "TERNARY(age < 0, 'young', 'old') == 'young'", "TERNARY(age > 0 AND height > 1, 1, 2) + 1 == 3", "entity == 'Person'",
                "entity.name == 'Person'",
                "add:to:(1, 2) == 3", "onesComplement:(0) == -1", "stddev({2, 4, 4, 4, 5, 5, 7, 9}) == 2",
            ])
    }

    func test_FET_18_collections() throws {
        let person = makePerson(["name": "x", "age": 4]), pilot = makePerson(["name": "y"])
        let cars = [try makeCar(["wheels": 4, "plate": "x"]), try makeCar(["wheels": 3]), try makeCar(["wheels": 4, "plate": "z"])]
        person.set(cars, "cars")
        for car in cars { car.set(person, "owner") }
        try assertAll(
            person,
            [
                "cars.@sum.wheels == 11", "cars.@max.wheels == 4", "cars.@min.wheels == 3", "cars.@avg.wheels > 3.6",
                "sum(cars.wheels) == 11",
                "count:(cars) == 3", "cars.@count == 3", "cars.@distinctUnionOfObjects.wheels.@count == 2", "cars.plate.@count == 2",
                "SUBQUERY(cars, $c, $c.wheels == 4).@count == 2", "SUBQUERY(cars, $c, $c.wheels == age AND $c.plate == name).@count == 1",
                "SUBQUERY(cars, $c, SUBQUERY(cars, $d, $d.wheels < $c.wheels).@count == 1).@count == 2",
                "SUBQUERY(cars, $c, $c.owner == SELF).@count == 3",
                "ANY cars.owner.cars.wheels == 3", "cars.@sum.wheels > cars.@count * 3", "3 IN cars.@distinctUnionOfObjects.wheels",
            ])
        XCTAssertTrue(try evaluate(pilot, "cars.@sum.wheels == 0 AND cars.@max.wheels == nil"))
        XCTAssertTrue(try evaluate(person, "SUBQUERY(cars, $c, $c.wheels == $count).@count == 1".withVariable(["count": 3])))
    }

    func test_FET_18_matches() throws {
        let person = makePerson(["name": "Änne-42", "nick": ""])
        try assertAll(
            person,
            [
                "name MATCHES '.{4}-\\\\d+'", "name MATCHES[c] 'äNNE.*'", "name MATCHES[d] 'Anne-42'", "name MATCHES[cd] 'anne-[0-9]{2}'",
                "NOT name MATCHES 'nne'", "nick MATCHES ''", "NOT boss.name MATCHES '.*'", "name MATCHES '\\\\w+-\\\\w+'",
                "name LIKE[n] 'Änne*'",
            ])
        for pattern in ["(", "a{2", "(a)\\\\2", String(repeating: "(a", count: 500)] {
            assertBad("name MATCHES '\(pattern)'", says: "is invalid")
        }
    }

    /// To Swift, both spellings of an accented letter are equal. Patterns match bytes.
    func test_FET_18_patternsThatOnlyLookTheSameMatchDifferentTexts() throws {
        let spellings = ["\u{E9}", "e\u{301}"]
        for name in spellings {
            let person = makePerson(["name": .string(name)])
            for pattern in spellings + spellings {
                let isSame = Array(pattern.utf8) == Array(name.utf8)
                XCTAssertEqual(try evaluate(person, "name MATCHES %@", pattern), isSame, pattern)
            }
        }
    }

    func test_FET_19_mistakesInExpressions() {
        for (format, part) in [
            ("cars.@nosuch.wheels == 1", "Unknown collection operator @nosuch"),
            ("SUBQUERY(cars, $c, $c.wheels == 1) == 2", "only counted"),
            ("SUBQUERY(cars, c, TRUEPREDICATE).@count == 2", "a variable"), ("SUBQUERY(age, $c, TRUEPREDICATE).@count == 2", "to-many"),
            ("SUBQUERY(cars, $c, $d.wheels == 1).@count == 2", "$d"), ("abs(1, 2) == 3", "takes 1 argument, not 2"),
            ("age + name == 1", "takes numbers"),
            ("age + cars.wheels == 1", "single values"), ("TERNARY(age > 1, 1, 'x') == 1", "of the same type"),
            ("boss + 1 == 2", "takes numbers"),
            ("sum(name) == 1", "exactly one to-many"), ("cars.@sum.plate == 1", "does not take"), ("cars[0].wheels == 1", "ordered"),
            ("age + == 1", "found where"), ("(age == 1", "')'"), ("age == now(1)", "takes 0"), ("$c.wheels == 1", "$c"),
        ] { assertBad(format, says: part) }
    }

    func test_FET_19_expressionsHaveALimitedDepth() {
        for format in [
            String(repeating: "abs(", count: 20) + "age" + String(repeating: ")", count: 20) + " == 1",
            "age == " + String(repeating: "(", count: 900) + "1" + String(repeating: ")", count: 900),
            "age == " + String(repeating: "- ", count: 5000) + "age", "age == 1" + String(repeating: " + age", count: 5000),
            "age == " + String(repeating: "2 ** ", count: 5000) + "2",
        ] { assertBad(format, says: "levels deep") }
    }

    func test_FET_18_chainsOfSums() throws {
        let text = "age == 0" + String(repeating: " + 1", count: 300)
        XCTAssertTrue(try evaluate(makePerson(["age": 300]), text))
    }
}

extension String {
    fileprivate func withVariable(_ variables: [String: any PredicateArgument]) throws -> PinviewPredicate {
        try PinviewPredicate(format: self).withSubstitutionVariables(variables)
    }
}
