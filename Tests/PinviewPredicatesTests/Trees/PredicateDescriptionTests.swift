import Foundation
import PinviewModel
import PinviewPredicates
import RandomSupport
import XCTest

/// A printed predicate is parsed as an equal one (FET-18).
final class PredicateDescriptionTests: PredicateTestCase {
    private func assertIsParsedBack(_ predicate: PinviewPredicate, file: StaticString = #filePath, line: UInt = #line) {
        XCTAssertEqual(try PinviewPredicate(format: predicate.description), predicate, predicate.description, file: file, line: line)
    }

    func test_FET_18_printedForms() throws {
        for text in [
            "name == \"dave\"", "NOT a == 1 AND (b < 2.5 OR c LIKE[cd] \"x*\")", "ANY cars.wheels IN {1, nil, TRUE}",
            "NOT (a == 1 OR b == 2)", "NOT NOT a == 1", "SELF == $ME", "#in.#not != nil",
            "TRUEPREDICATE", "FALSEPREDICATE OR a BETWEEN {-1, 1e+20}", "cars.@count >= 1", "#\"a b\".c == 1",
            "a == \"\\\"\\\\\\n\\t\\r\\0\"", "born == CAST(\"1.5\", \"NSDate\")",
            "NONE a.b CONTAINS[d] \"é\"", "a == CAST(\"x-coredata://A/Person/p1\", \"NSManagedObjectID\")",
        ] { XCTAssertEqual(try PinviewPredicate(format: text).description, text) }
    }

    func test_FET_18_everyValueIsParsedBack() {
        let values: [Value] = [
            nil, true, false, 0, .integer(.min), .integer(.max), 0.1, -0.0, 5e-324, .double(.greatestFiniteMagnitude), .double(.infinity),
            .double(-.infinity), .double(.nan), "", "\"'\\\n\u{7F}\u{2028}%@é",
            .binary([]), .binary(Array(0...255)), .date(.init(timeIntervalSinceReferenceDate: -0.1)),
            .date(.init(timeIntervalSinceReferenceDate: .nan)), .date(.distantFuture), .uuid(UUID()),
            .decimal(.notANumber), .decimal(-DecimalNumber(1)),
            .decimal(DecimalNumber("0.00000000000000000000000000000000000001") ?? .zero), .decimal(DecimalNumber("1e399") ?? .zero),
        ]
        for value in values { assertIsParsedBack(.comparison(ComparisonPredicate(.keyPath(["a"]), .equalTo, .constant(value)))) }
        assertIsParsedBack(.comparison(ComparisonPredicate(.keyPath(["a"]), .in, .aggregate(values.map(PinviewExpression.constant)))))
    }

    func test_FET_18_everyNameIsParsedBack() {
        let names = [
            "a", "in", "SELF", "a b", "", "1", "@sum", "é\u{301}", "\u{301}", "a.b", "\"", "#", "CAST", "x\u{661}", "\0", "true", "MATCHES",
        ]
        for name in names {
            assertIsParsedBack(.comparison(ComparisonPredicate(.keyPath([name]), .equalTo, .variable(name))))
            assertIsParsedBack(.comparison(ComparisonPredicate(.keyPath(["a", name, "@count"]), .equalTo, .keyPath([name, "b"]))))
        }
    }

    // A new case does not compile until its successor is added here; the tests below start with the
    // first case and go through all of them.

    private func next(after kind: Value) throws -> Value? {
        switch kind {
        case .null: true
        case .boolean: .integer(.min)
        case .integer: -0.5
        case .double: .string("\"\\\n\r\t\0\u{1}\u{7F}\u{85}\u{2028}é\u{301}😀%@ $X #a")
        case .string: .date(.init(timeIntervalSinceReferenceDate: -0.1))
        case .date: .decimal(try XCTUnwrap(DecimalNumber("-12345678901234567890123456789012345678e-20")))
        case .decimal: .uuid(UUID())
        case .uuid: .binary(Array(0...255))
        case .binary: .objectID(makePerson().evaluableID)
        case .objectID: nil
        }
    }

    private func next(after kind: PinviewExpression.Kind) throws -> PinviewExpression? {
        let key = PinviewExpression.keyPath(["a"])
        let predicate = PinviewPredicate.comparison(ComparisonPredicate(key, .matches, .constant("[\\w.]+"), options: .caseInsensitive))
        switch kind {
        case .constant: return .aggregate([.constant(1), key, .constant(.objectID(makePerson().evaluableID)), .constant(.null)])
        case .aggregate: return .keyPath(["a", "[FIRST]", "in"])
        case .keyPath: return .evaluatedObject
        case .evaluatedObject: return .variable("X", keys: ["a", "[0]"])
        case .variable: return .objectURI("x-coredata://A/Person/p1")
        case .objectURI: return .function(.bitwiseAnd, [.function(.onesComplement, [key]), .constant(-4)])
        case .function:
            return .function(.count, [.subquery(key, variable: "x", predicate: predicate)])
        case .subquery: return .conditional(.not(predicate), then: .constant(-1), otherwise: key)
        case .conditional: return .cast(key, .date)
        case .cast, .tooDeep: return nil
        }
    }

    private func next(after kind: PinviewPredicate.Kind) -> PinviewPredicate? {
        let comparison = PinviewPredicate.comparison(ComparisonPredicate(.keyPath(["a"]), .equalTo, .constant(1)))
        switch kind {
        case .comparison: return .and([comparison, .constant(true)])
        case .and: return .or([comparison, .constant(false)])
        case .or: return .not(.and([comparison, comparison]))
        case .not: return .constant(true)
        case .constant, .tooDeep: return nil
        }
    }

    func test_FET_18_everyCaseIsParsedBack() throws {
        var values: [Value] = [.null]
        while let value = try next(after: values[values.count - 1]) { values.append(value) }
        XCTAssertEqual(values.count, 10)
        var expressions = values.map(PinviewExpression.constant)
        while let expression = try next(after: Self.innermost(expressions[expressions.count - 1])) { expressions.append(expression) }
        XCTAssertEqual(expressions.count, values.count + 9)
        for function in ExpressionFunction.allCases {
            let arguments = Array(repeating: PinviewExpression.keyPath(["a"]), count: function.argumentCount)
            expressions.append(.function(function, arguments))
            // With nested operations, for the parentheses.
            expressions.append(
                .function(function, arguments.map { .function(.subtract, [$0, .function(.power, [.constant(-2), .constant(-2.5)])]) }))
        }
        for type in ExpressionType.allCases {
            expressions.append(.cast(.keyPath(["a"]), type))
            for value in values { expressions.append(.cast(.constant(value), type)) }
        }
        for expression in expressions {
            XCTAssertEqual(try PinviewExpression(format: expression.description), expression, expression.description)
            var isList = false
            if case .aggregate = expression.kind { isList = true }
            // A list cannot contain a list.
            for op in PredicateOperator.allCases where !(isList && op == .between) {
                let right: PinviewExpression =
                    op == .between ? .aggregate([expression, expression]) : op == .matches ? .constant("a+") : expression
                for modifier in [PredicateModifier.direct, .any, .all, .none] {
                    for options in [PredicateOptions(), .caseInsensitive, [.diacriticInsensitive, .localized], .normalized] {
                        assertIsParsedBack(.comparison(ComparisonPredicate(expression, op, right, modifier: modifier, options: options)))
                    }
                }
            }
        }
        var predicates = [PinviewPredicate.comparison(ComparisonPredicate(.keyPath(["a"]), .equalTo, .constant(1)))]
        while let predicate = next(after: predicates[predicates.count - 1].kind) { predicates.append(predicate) }
        XCTAssertEqual(predicates.count, 5)
        for predicate in predicates { assertIsParsedBack(predicate) }
    }

    /// The SUBQUERY inside its `@count`, because it cannot be used alone.
    private static func innermost(_ expression: PinviewExpression) -> PinviewExpression.Kind {
        if case .function(.count, let arguments) = expression.kind, case .subquery = arguments[0].kind { return arguments[0].kind }
        return expression.kind
    }

    func test_FET_18_randomPredicatesAreParsedBack() throws {
        var generator = SeededGenerator.announced(name)
        for _ in 0..<5_000 { assertIsParsedBack(RandomPredicate.make(depth: 5, &generator)) }
    }

    func test_FET_18_objectIDsAreParsedBackAsTheSameObject() throws {
        let permanent = ManagedObjectID(
            entity: person,
            key: ObjectKey(storeNumber: StoreNumbers.number(forIdentifier: "ABC"), rootEntity: Int32(person.rootIndex), primaryKey: 7),
            storeIdentifier: "ABC")
        for objectID in [permanent, makePerson().evaluableID] {
            let predicate = try PinviewPredicate(format: "boss == %@ OR boss IN {%@, nil}", objectID, objectID)
            let again = try PinviewPredicate(format: predicate.description)
            XCTAssertEqual(again, predicate)
            XCTAssertEqual(again.hashValue, predicate.hashValue)
            guard case .or(let parts) = try resolved(again), case .comparison(let comparison) = parts[0],
                case .constant(.objectID(let read)) = comparison.right
            else {
                return XCTFail("\(again)")
            }
            XCTAssertEqual(read, objectID)
        }
    }

    func test_FET_18_resolutionLeavesNotOnlyBeforeComparisons() throws {
        func text(_ predicate: ResolvedPredicate) -> String {
            switch predicate {
            case .constant(let value): "\(value)"
            case .comparison(let comparison): "\(comparison.modifier.rawValue)\(comparison.operator.rawValue)"
            case .and(let parts): "(" + parts.map(text).joined(separator: " & ") + ")"
            case .or(let parts): "(" + parts.map(text).joined(separator: " | ") + ")"
            case .not(let inner): "!" + text(inner)
            }
        }
        for (format, expected) in [
            ("NOT (age == 1 AND NOT (age < 2 OR age != 3))", "(!= | < | !=)"), ("NOT age < 1", "!<"), ("NOT NOT age < 1", "<"),
            ("NOT ANY cars.wheels < 1", "NONE<"),
            ("NOT NONE cars.wheels < 1", "ANY<"), ("NOT ALL cars.wheels < 1", "!ALL<"), ("age < 1 AND 1 == 1", "<"),
            ("age < 1 OR 1 == 1", "true"), ("age < 1 AND nil == 1", "false"),
            ("NOT age BETWEEN {rank, 3}", "(!>= | !<=)"), ("1 == 1.0 AND 'a' LIKE '?' AND 3 IN {3}", "true"), ("2 > age", "<"),
        ] { XCTAssertEqual(text(try resolved(PinviewPredicate(format: format))), expected, format) }
    }
}

/// Random predicates of every kind that can be printed.
enum RandomPredicate {
    static func make(depth: Int, _ generator: inout SeededGenerator) -> PinviewPredicate {
        switch depth == 0 ? 0 : Int.random(in: 0..<6, using: &generator) {
        case 1: .and((0..<Int.random(in: 0...3, using: &generator)).map { _ in make(depth: depth - 1, &generator) })
        case 2: .or((0..<Int.random(in: 0...3, using: &generator)).map { _ in make(depth: depth - 1, &generator) })
        case 3: .not(make(depth: depth - 1, &generator))
        case 4: .constant(Bool.random(using: &generator))
        default: comparison(&generator)
        }
    }

    private static func comparison(_ generator: inout SeededGenerator) -> PinviewPredicate {
        let op = PredicateOperator.allCases.randomElement(using: &generator) ?? .equalTo
        let modifier = [PredicateModifier.direct, .any, .all, .none].randomElement(using: &generator) ?? .direct
        let right: PinviewExpression =
            switch op {
            case .between: .aggregate([expression(&generator), expression(&generator)])
            case .in: .aggregate((0..<Int.random(in: 0...4, using: &generator)).map { _ in expression(&generator) })
            // The parser rejects invalid patterns.
            case .matches: .constant(.string(["a+", "\\\\Q\"\\\\E", "[\\\\w.]+\n", ""].randomElement(using: &generator) ?? ""))
            default: expression(&generator)
            }
        return .comparison(
            ComparisonPredicate(
                expression(&generator), op, right, modifier: modifier,
                options: PredicateOptions(rawValue: Int.random(in: 0..<4, using: &generator))))
    }

    private static func expression(_ generator: inout SeededGenerator) -> PinviewExpression {
        switch Int.random(in: 0..<9, using: &generator) {
        case 0: .constant(.null)
        case 1: .constant(.integer(Int64.random(in: .min ... .max, using: &generator)))
        case 2: .constant(.double(Double(bitPattern: UInt64.random(in: 0...UInt64.max, using: &generator))))
        case 3: .constant(.boolean(Bool.random(using: &generator)))
        case 4: .evaluatedObject
        case 5: .variable(text(&generator))
        case 6: .keyPath((0..<Int.random(in: 1...3, using: &generator)).map { _ in text(&generator) })
        case 7: .constant(.binary(Array(text(&generator).utf8)))
        default: .constant(.string(text(&generator)))
        }
    }

    private static func text(_ generator: inout SeededGenerator) -> String {
        let pieces = ["a", "In", "NOT", "\"", "'", "\\", "%@", "é", "\u{301}", "\n", "\0", " ", ".", "#", "@count", "1", "\u{1F600}"]
        return (0..<Int.random(in: 0...4, using: &generator)).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
    }
}
