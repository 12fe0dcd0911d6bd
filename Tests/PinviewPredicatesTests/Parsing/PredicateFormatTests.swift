import PinviewModel
import PinviewPredicates
import RandomSupport
import XCTest

/// Parsing the format language (FET-17 and FET-18).
final class PredicateFormatTests: XCTestCase {
    private func comparison(
        _ key: String, _ op: PredicateOperator, _ right: PinviewExpression, _ modifier: PredicateModifier = .direct,
        _ options: PredicateOptions = []
    ) -> PinviewPredicate {
        .comparison(ComparisonPredicate(PinviewExpression(forKeyPath: key), op, right, modifier: modifier, options: options))
    }

    private func equals(_ key: String, _ value: Value) -> PinviewPredicate { comparison(key, .equalTo, .constant(value)) }

    private func right(_ literal: String) throws -> PinviewExpression? {
        if case .comparison(let comparison) = try PinviewPredicate(format: "a == \(literal)").kind { return comparison.right }
        return nil
    }

    // MARK: Arguments

    func test_FET_17_valuesAreSeparateFromTheText() throws {
        XCTAssertEqual(try PinviewPredicate(format: "name == %@", "dave0"), equals("name", "dave0"))
        for value in ["'", "\"", "%@", "%", "\\", "' OR '1' == '1", "\0", "", "%K"] {
            XCTAssertEqual(try PinviewPredicate(format: "name == %@", value), equals("name", .string(value)))
        }
    }

    /// Formats that are used again are not read again, whichever arguments come with them.
    func test_FET_17_aFormatCanBeUsedAgainWithOtherArguments() throws {
        for value in 0..<600 {
            XCTAssertEqual(try PinviewPredicate(format: "a == %@", value), equals("a", .integer(Int64(value))))
            // More formats than are kept.
            XCTAssertEqual(try PinviewPredicate(format: "a == \(value)"), equals("a", .integer(Int64(value))))
            XCTAssertEqual(try PinviewPredicate(format: "%K == 1", "key\(value)"), equals("key\(value)", 1))
        }
        XCTAssertThrowsError(try PinviewPredicate(format: "a == %@"))
        XCTAssertThrowsError(try PinviewPredicate(format: "a == %@", 1, 2))
    }

    /// To Swift, both spellings of an accented letter are equal. Values are compared by their bytes.
    func test_FET_17_formatsThatOnlyLookTheSameAreDifferent() throws {
        for spelling in ["\u{E9}", "e\u{301}", "\u{E9}"] {
            let predicate = try PinviewPredicate(format: "a == '\(spelling)'")
            guard case .comparison(let comparison) = predicate.kind, case .constant(.string(let text)) = comparison.right.kind else {
                return XCTFail("\(predicate)")
            }
            XCTAssertEqual(Array(text.utf8), Array(spelling.utf8))
        }
    }

    func test_FET_17_threadsCanParseTheSameFormats() {
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for round in 0..<500 {
                XCTAssertEqual(
                    try? PinviewPredicate(format: "a == %@ AND b\(round % 300) == 1", thread).description,
                    "a == \(thread) AND b\(round % 300) == 1")
            }
        }
    }

    func test_FET_17_everyTypeOfValueCanBeAnArgument() throws {
        let uuid = UUID()
        let date = Date(timeIntervalSinceReferenceDate: 12.5)
        let decimal = try XCTUnwrap(DecimalNumber("12345678901234567890.5"))
        let given: [(any PredicateArgument, Value)] = [
            ("x", "x"), (1, 1), (Int16(2), 2), (Int32(3), 3), (Int64(4), 4), (1.5, 1.5), (Float(0.5), 0.5), (true, true),
            (date, .date(date)),
            (uuid, .uuid(uuid)), ([1, 2] as [UInt8], .binary([1, 2])), (decimal, .decimal(decimal)), (nil as String?, nil),
            ("y" as String?, "y"),
            (Value.null, nil), (PinviewExpression.constant(7), 7),
        ]
        for (argument, value) in given { XCTAssertEqual(try PinviewPredicate(format: "a == %@", argument), equals("a", value)) }
    }

    func test_FET_17_arraysAndSetsAreLists() throws {
        let list = PinviewExpression.aggregate([.constant(1), .constant(2)])
        XCTAssertEqual(try PinviewPredicate(format: "a IN %@", [1, 2]), comparison("a", .in, list))
        XCTAssertEqual(try PinviewPredicate(format: "a IN %@", Set([1])), comparison("a", .in, .aggregate([.constant(1)])))
        XCTAssertEqual(
            try PinviewPredicate(format: "a IN %@", [1, nil]), comparison("a", .in, .aggregate([.constant(1), .constant(nil)])))
        XCTAssertEqual(try PinviewPredicate(format: "a IN {%d, %@}", 1, 2), comparison("a", .in, list))
    }

    func test_FET_17_numberFormatsTakeNumbers() throws {
        for format in ["%d", "%i", "%u", "%ld", "%li", "%lu", "%lld", "%lli", "%llu"] {
            XCTAssertEqual(try PinviewPredicate(format: "a == \(format)", 5), equals("a", 5), format)
        }
        for format in ["%f", "%g", "%e", "%lf"] {
            XCTAssertEqual(try PinviewPredicate(format: "a == \(format)", 0.5), equals("a", 0.5), format)
        }
    }

    func test_FET_17_keyPathsArePassedWithK() throws {
        XCTAssertEqual(try PinviewPredicate(format: "%K == 1", "a"), equals("a", 1))
        XCTAssertEqual(try PinviewPredicate(format: "%K == 1", "a.b"), equals("a.b", 1))
        XCTAssertEqual(try PinviewPredicate(format: "%K.b == 1", "a"), equals("a.b", 1))
        XCTAssertEqual(try PinviewPredicate(format: "%K.@count == 1", "a"), equals("a.@count", 1))
        XCTAssertEqual(try PinviewPredicate(format: "%K == 1", "in"), equals("in", 1), "not a keyword")
        XCTAssertEqual(
            try PinviewPredicate(format: "%K == %@", "SELF", 1), .comparison(ComparisonPredicate(.evaluatedObject, .equalTo, .constant(1))))
    }

    func test_FET_17_percentSignInQuotesIsLiteral() throws {
        XCTAssertEqual(try PinviewPredicate(format: "a == '%@ %d 100%'"), equals("a", "%@ %d 100%"))
    }

    // MARK: Operators

    func test_FET_18_spellingsOfOperators() throws {
        let spellings: [(String, PredicateOperator)] = [
            ("==", .equalTo), ("=", .equalTo), ("!=", .notEqualTo), ("<>", .notEqualTo), ("<", .lessThan), ("<=", .lessThanOrEqualTo),
            ("=<", .lessThanOrEqualTo), (">", .greaterThan), (">=", .greaterThanOrEqualTo), ("=>", .greaterThanOrEqualTo),
            ("CONTAINS", .contains), ("beginswith", .beginsWith), ("EndsWith", .endsWith), ("like", .like),
        ]
        for (spelling, op) in spellings {
            XCTAssertEqual(try PinviewPredicate(format: "a \(spelling) 'x'"), comparison("a", op, .constant("x")), spelling)
        }
        XCTAssertEqual(try PinviewPredicate(format: "a<1"), comparison("a", .lessThan, .constant(1)), "spaces are not needed")
        XCTAssertEqual(
            try PinviewPredicate(format: "a between {1, 2}"), comparison("a", .between, .aggregate([.constant(1), .constant(2)])))
        XCTAssertEqual(try PinviewPredicate(format: "a not in {}"), .not(comparison("a", .in, .aggregate([]))))
    }

    func test_FET_18_optionsFollowTheOperator() throws {
        let options: [(String, PredicateOptions)] = [
            ("[c]", .caseInsensitive), ("[d]", .diacriticInsensitive), ("[cd]", [.caseInsensitive, .diacriticInsensitive]),
            ("[dc]", [.caseInsensitive, .diacriticInsensitive]), (" [ CD ] ", [.caseInsensitive, .diacriticInsensitive]),
        ]
        for (text, expected) in options {
            XCTAssertEqual(
                try PinviewPredicate(format: "a ==\(text) 'x'"), comparison("a", .equalTo, .constant("x"), .direct, expected), text)
            XCTAssertEqual(
                try PinviewPredicate(format: "a LIKE\(text) 'x'"), comparison("a", .like, .constant("x"), .direct, expected), text)
        }
    }

    func test_FET_18_modifiers() throws {
        for (word, modifier) in [("ANY", PredicateModifier.any), ("some", .any), ("ALL", .all), ("None", .none)] {
            XCTAssertEqual(try PinviewPredicate(format: "\(word) a.b > 1"), comparison("a.b", .greaterThan, .constant(1), modifier))
        }
    }

    func test_FET_18_precedenceOfNotAndOr() throws {
        let (a, b, c) = (equals("a", 1), equals("b", 2), equals("c", 3))
        XCTAssertEqual(try PinviewPredicate(format: "a == 1 OR b == 2 AND c == 3"), .or([a, .and([b, c])]))
        XCTAssertEqual(try PinviewPredicate(format: "a == 1 AND b == 2 OR c == 3"), .or([.and([a, b]), c]))
        XCTAssertEqual(try PinviewPredicate(format: "(a == 1 OR b == 2) AND c == 3"), .and([.or([a, b]), c]))
        XCTAssertEqual(try PinviewPredicate(format: "NOT a == 1 AND b == 2"), .and([.not(a), b]))
        XCTAssertEqual(try PinviewPredicate(format: "NOT (a == 1 AND b == 2)"), .not(.and([a, b])))
        XCTAssertEqual(try PinviewPredicate(format: "!a == 1 && ! b == 2 || c==3"), .or([.and([.not(a), .not(b)]), c]))
        XCTAssertEqual(try PinviewPredicate(format: "NOT NOT a == 1"), .not(.not(a)))
        XCTAssertEqual(try PinviewPredicate(format: "NOT (NOT (a == 1))"), .not(.not(a)))
        XCTAssertEqual(try PinviewPredicate(format: "a == 1 AND b == 2 AND c == 3"), .and([a, b, c]))
        XCTAssertEqual(try PinviewPredicate(format: "a == 1 AND (b == 2 AND c == 3)"), .and([a, b, c]), "flattened: it means the same")
        XCTAssertEqual(try PinviewPredicate(format: "((a == 1))"), a)
    }

    /// Chains of operators without parentheses mean what a naive reading makes of them: the function
    /// that binds least, the last of several, has all the others in its operands.
    func test_FET_18_precedenceOfFunctions() throws {
        let operators: [(symbol: String, function: ExpressionFunction, precedence: Int)] = [
            ("|", .bitwiseOr, 1), ("^", .bitwiseXor, 2), ("&", .bitwiseAnd, 3), ("<<", .leftShift, 4), (">>", .rightShift, 4),
            ("+", .add, 5), ("-", .subtract, 5), ("*", .multiply, 6), ("/", .divide, 6), ("%%", .modulus, 6), ("**", .power, 7),
        ]
        func tree(_ chosen: ArraySlice<Int>, _ operands: ArraySlice<Int>) -> PinviewExpression {
            guard let least = chosen.map({ operators[$0].precedence }).min() else {
                return .constant(.integer(Int64(operands[operands.startIndex])))
            }
            // Powers are the only ones that associate to the right.
            let isLeast = { operators[$0].precedence == least }
            guard let place = least == 7 ? chosen.firstIndex(where: isLeast) : chosen.lastIndex(where: isLeast) else {
                return .constant(.null)
            }
            let position = place - chosen.startIndex, middle = operands.startIndex + position + 1
            return .function(
                operators[chosen[place]].function,
                [tree(chosen[..<place], operands[..<middle]), tree(chosen[(place + 1)...], operands[middle...])])
        }
        let seed = SeededGenerator.givenSeed ?? 1
        var random = SeededGenerator(seed: seed)
        print("PINVIEW_SEED=\(seed)")
        for _ in 0..<400 {
            let chosen = (0..<Int.random(in: 0...7, using: &random)).map { _ in Int.random(in: operators.indices, using: &random) }
            let text = zip(chosen, 2...).reduce("1") { "\($0) \(operators[$1.0].symbol) \($1.1)" }
            XCTAssertEqual(try PinviewExpression(format: text), tree(chosen[...], ArraySlice(1...chosen.count + 1)), text)
        }
    }

    func test_FET_18_constantPredicates() throws {
        XCTAssertEqual(try PinviewPredicate(format: "TRUEPREDICATE"), .constant(true))
        XCTAssertEqual(try PinviewPredicate(format: "falsepredicate OR a == 1"), .or([.constant(false), equals("a", 1)]))
        XCTAssertEqual(PinviewPredicate.and([]), .constant(true))
        XCTAssertEqual(PinviewPredicate.or([]), .constant(false))
    }

    // MARK: Expressions

    func test_FET_18_literals() throws {
        let literals: [(String, Value)] = [
            ("nil", nil), ("NULL", nil), ("TRUE", true), ("yes", true), ("False", false), ("NO", false), ("0", 0), ("-5", -5), ("- 5", -5),
            ("0x1F", 31), ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)), ("1.5", 1.5), ("-1.5", -1.5),
            ("1e3", 1000.0), ("1E-2", 0.01), ("2.5e+2", 250.0), ("5e-324", 5e-324), ("'x'", "x"), ("\"x\"", "x"), ("''", ""),
            ("'\"'", "\""), ("\"'\"", "'"),
        ]
        for (text, value) in literals { XCTAssertEqual(try right(text), .constant(value), text) }
    }

    func test_FET_18_escapesInStrings() throws {
        XCTAssertEqual(try right(#"'\n\t\r\0\\\'\"'"#), .constant("\n\t\r\0\\'\""))
        XCTAssertEqual(try right(#"'\u00E9\u{e9}\u{1F600}\u{0}'"#), .constant("éé\u{1F600}\0"))
        XCTAssertEqual(try right("'line\nbreak'"), .constant("line\nbreak"))
    }

    func test_FET_18_castsOfTypesWithoutLiterals() throws {
        let uuid = "6F9619FF-8B86-D011-B42D-00C04FC964FF"
        XCTAssertEqual(try right("CAST(-1.5, 'NSDate')"), .constant(.date(Date(timeIntervalSinceReferenceDate: -1.5))))
        XCTAssertEqual(try right("cast('100', 'NSDate')"), .constant(.date(Date(timeIntervalSinceReferenceDate: 100))))
        XCTAssertEqual(try right("CAST('0.1', 'NSDecimalNumber')"), .constant(.decimal(try XCTUnwrap(DecimalNumber("0.1")))))
        XCTAssertEqual(try right("CAST('\(uuid)', 'NSUUID')"), .constant(.uuid(try XCTUnwrap(UUID(uuidString: uuid)))))
        XCTAssertEqual(try right("CAST('00ffA0', 'NSData')"), .constant(.binary([0, 255, 160])))
        XCTAssertEqual(try right("CAST('', 'NSData')"), .constant(.binary([])))
        XCTAssertEqual(try right("CAST('inf', 'NSNumber')"), .constant(.double(.infinity)))
        XCTAssertEqual(try right("CAST('x-coredata://A/Person/p1', 'NSManagedObjectID')"), .objectURI("x-coredata://A/Person/p1"))
    }

    func test_FET_17_argumentsByPosition() throws {
        XCTAssertEqual(
            try PinviewPredicate(format: "%2$K == %1$@ OR %2$K == %3$ld", "a", "x", 5), try PinviewPredicate(format: "x == 'a' OR x == 5"))
        XCTAssertEqual(
            try PinviewPredicate(format: "x == %@ OR y == %1$@ OR z == %@", 1, 2),
            try PinviewPredicate(format: "x == 1 OR y == 1 OR z == 2"))
    }

    func test_FET_18_doublePercentSignIsTheRemainderOperator() throws {
        XCTAssertEqual(try PinviewPredicate(format: "x %% 2 == 1"), try PinviewPredicate(format: "modulus:by:(x, 2) == 1"))
        XCTAssertEqual(try PinviewExpression(format: "a + b %% c * d"), try PinviewExpression(format: "a + (modulus:by:(b, c) * d)"))
        XCTAssertEqual(try PinviewPredicate(format: "x == '100%%'"), equals("x", "100%%"), "literal inside quotes")
    }

    func test_FET_18_expressionsBuiltByCode() throws {
        XCTAssertEqual(PinviewExpression(forKeyPath: "a[0].b[LAST]"), try PinviewExpression(format: "a[0].b[LAST]"))
        XCTAssertEqual(PinviewExpression(forKeyPath: "a[size]"), try PinviewExpression(format: "a[SIZE]"))
        XCTAssertEqual(PinviewExpression(forKeyPath: "SELF.a[b]"), .keyPath(["a[b]"]), "not an element, so part of the name")
        XCTAssertEqual(PinviewExpression(forVariable: "x", keyPath: "a.b"), try PinviewExpression(format: "$x.a.b"))
        XCTAssertEqual(
            try PinviewExpression(forFunction: "add:to:", arguments: [PinviewExpression(forKeyPath: "a"), .constant(1)]),
            try PinviewExpression(format: "a + 1"))
        XCTAssertEqual(
            try PinviewExpression(forFunction: "SUM", arguments: [.constant(1), .constant(2)]), try PinviewExpression(format: "sum({1, 2})")
        )
        XCTAssertThrowsError(try PinviewExpression(forFunction: "frobnicate", arguments: []))
        XCTAssertThrowsError(try PinviewExpression(forFunction: "abs:", arguments: []))
    }

    func test_FET_18_keyPaths() throws {
        XCTAssertEqual(try PinviewPredicate(format: "a.b.c == 1"), equals("a.b.c", 1))
        XCTAssertEqual(try PinviewPredicate(format: "SELF.a == 1"), equals("a", 1))
        XCTAssertEqual(try PinviewPredicate(format: "a . b == 1"), equals("a.b", 1))
        XCTAssertEqual(try PinviewPredicate(format: "cars.@count == 1"), equals("cars.@count", 1))
        XCTAssertEqual(try PinviewPredicate(format: "straße_2 == 1"), equals("straße_2", 1))
        XCTAssertEqual(try PinviewPredicate(format: "a.in.not == 1"), equals("a.in.not", 1), "after a dot, every word is a key")
        XCTAssertEqual(try PinviewPredicate(format: "#in == 1"), equals("in", 1))
        XCTAssertEqual(
            try PinviewPredicate(format: "#SELF == 1"), .comparison(ComparisonPredicate(.keyPath(["SELF"]), .equalTo, .constant(1))))
        XCTAssertEqual(try PinviewPredicate(format: "#'a b' == 1"), equals("a b", 1))
        XCTAssertEqual(try PinviewPredicate(format: "cast == 1"), equals("cast", 1), "a function only before a parenthesis")
        XCTAssertEqual(
            try PinviewPredicate(format: "self == %@", PinviewExpression.variable("X")),
            .comparison(ComparisonPredicate(.evaluatedObject, .equalTo, .variable("X"))))
        XCTAssertEqual(
            try PinviewPredicate(format: "1 < a"),
            .comparison(ComparisonPredicate(.constant(1), .lessThan, PinviewExpression(forKeyPath: "a"))))
    }

    func test_FET_18_lists() throws {
        XCTAssertEqual(try right("{}"), .aggregate([]))
        XCTAssertEqual(try right("{1}"), .aggregate([.constant(1)]))
        XCTAssertEqual(
            try right("{ 'a' , nil, b.c, $X, -1 }"),
            .aggregate([.constant("a"), .constant(nil), .keyPath(["b", "c"]), .variable("X"), .constant(-1)]))
        XCTAssertEqual(
            try right("{{1, 2}, {}, {{3}}}"),
            .aggregate([
                .aggregate([.constant(1), .constant(2)]), .aggregate([]), .aggregate([.aggregate([.constant(3)])]),
            ]))
    }

    func test_FET_18_longListsAreParsedQuickly() throws {
        let numbers = (0..<100_000).map(String.init).joined(separator: ", ")
        guard case .aggregate(let elements)? = try right("{\(numbers)}")?.kind else { return XCTFail("not a list") }
        XCTAssertEqual(elements.count, 100_000)
        XCTAssertEqual(elements.last, .constant(99_999))
    }

    // MARK: Variables

    func test_FET_18_variablesAreReplacedByValues() throws {
        let template = try PinviewPredicate(format: "NOT name == $NAME AND (age IN {$LOW, 2} OR a IN $LIST)")
        let replaced = try template.withSubstitutionVariables(["NAME": "x", "LOW": 1, "LIST": [3, 4], "UNUSED": 0])
        XCTAssertEqual(replaced, try PinviewPredicate(format: "NOT name == 'x' AND (age IN {1, 2} OR a IN {3, 4})"))
    }

    func test_FET_18_aVariableWithoutValueIsAnError() throws {
        let template = try PinviewPredicate(format: "name == $NAME")
        XCTAssertThrowsError(try template.withSubstitutionVariables(["name": "x"])) {
            XCTAssertEqual(($0 as? PinviewError)?.hasCode(.badPredicate), true)
            XCTAssertEqual(($0 as? PinviewError)?.message.contains("$NAME"), true)
        }
    }
}
