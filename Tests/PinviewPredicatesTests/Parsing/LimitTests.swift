import Foundation
import PinviewModel
import PinviewPredicates
import XCTest

/// The largest of everything that has a limit is taken, and one more is refused with an error that
/// names the limit: FET-19.
final class LimitTests: PredicateTestCase {
    private func isTaken(_ format: String) -> Bool { (try? resolved(PinviewPredicate(format: format))) != nil }

    private func check(_ limit: Int, says number: String, _ format: (Int) -> String, line: UInt = #line) {
        XCTAssertTrue(isTaken(format(limit - 1)), "\(limit - 1)", line: line)
        XCTAssertTrue(isTaken(format(limit)), "\(limit)", line: line)
        assertBad(format(limit + 1), says: number, line: line)
    }

    func test_FET_19_depths() {
        check(999, says: "1000 levels") { String(repeating: "(", count: $0) + "age == 1" + String(repeating: ")", count: $0) }
        check(999, says: "1000 levels") { String(repeating: "NOT ", count: $0) + "age == 1" }
    }

    func test_FET_19_keyPaths() {
        check(60, says: "60 keys") { Array(repeating: "boss", count: $0 - 1).joined(separator: ".") + ".age == 1" }
        check(6, says: "6 to-many") { "ANY " + Array(repeating: "staff", count: $0).joined(separator: ".") + ".boss.age == 1" }
    }

    func test_FET_19_functionsAndChains() {
        // The innermost key is a level of its own.
        check(11, says: "12 levels") { depth in
            (1..<depth).reduce("abs:(age)") { text, _ in "abs:(\(text))" } + " == 1"
        }
        check(400, says: "400 terms") { Array(repeating: "age", count: $0).joined(separator: " + ") + " == 1" }
    }

    /// The same limits for predicates built in code, nested on either side.
    func test_FET_19_functionsMadeByCode() {
        func isTaken(_ depth: Int, _ nest: (PinviewExpression) -> [PinviewExpression]) -> Bool {
            let deep = (0..<depth).reduce(PinviewExpression.keyPath(["age"])) { inner, _ in .function(.subtract, nest(inner)) }
            return (try? resolved(.comparison(ComparisonPredicate(deep, .equalTo, .constant(1))))) != nil
        }
        // 1 − (1 − (1 − …)) needs parentheses, and is nested; … − 1 − 1 − 1 is a chain.
        XCTAssertTrue(isTaken(8) { [.constant(1), $0] })
        XCTAssertFalse(isTaken(20) { [.constant(1), $0] })
        XCTAssertTrue(isTaken(300) { [$0, .constant(1)] })
        XCTAssertFalse(isTaken(500) { [$0, .constant(1)] })
    }

    /// Escapes take exactly as many digits as they say.
    func test_FET_19_escapes() throws {
        func text(_ format: String) throws -> PinviewPredicate { try PinviewPredicate(format: format) }
        XCTAssertEqual(try text(#"name == '\u00e9a'"#), try text("name == 'éa'"))
        XCTAssertEqual(try text(#"name == '\u00410'"#), try text("name == 'A0'"))
        XCTAssertEqual(try text(#"name == '\u{41}0'"#), try text("name == 'A0'"))
        XCTAssertEqual(try text(#"name == '\u{10FFFF}'"#), try text("name == '\u{10FFFF}'"))
        XCTAssertEqual(try text(#"name == '\u{000041}'"#), try text("name == 'A'"))
        for wrong in [#"'\u004'"#, #"'\u{0000041}'"#, #"'\u{}'"#, #"'\u{110000}'"#, #"'\uD800'"#] {
            assertBad("name == \(wrong)", says: "'\\u'")
        }
    }

    /// A wrong word gives the same error whether it is the first one or a later one.
    func test_FET_19_theFirstWordIsReadLikeAllOthers() {
        func mistake(_ format: String) -> String { error(format)?.message.components(separatedBy: "(character").first ?? "" }
        for word in ["'abc", "\"abc", "'\\q'", "\u{1}", "'\\u{}'"] {
            XCTAssertEqual(mistake(word + " == 1"), mistake("age == " + word), word)
        }
    }

    /// A character that cannot be seen is named by its code in hexadecimal digits.
    func test_FET_19_errorsNameCharactersByTheirCodes() {
        assertBad("name == \u{1}", says: "U+1")
        assertBad("name == \u{7F}", says: "U+7F")
        assertBad("name == \u{9F}", says: "U+9F")
        assertBad("name == \u{1F}", says: "U+1F")
    }

    /// An expression is printed alone as it is printed within a predicate.
    func test_FET_18_partsArePrintedAsInAPredicate() throws {
        for format in ["age == 1", "ANY cars.plate BEGINSWITH[cd] \"x\"", "name IN {\"a\", \"b\"}", "age BETWEEN {1, 2}"] {
            let predicate = try PinviewPredicate(format: format)
            guard case .comparison(let comparison) = predicate.kind else { return XCTFail("\(format) is no comparison") }
            XCTAssertEqual(comparison.description, predicate.description)
            XCTAssertEqual(predicate.description, format)
            XCTAssertTrue(predicate.description.contains(comparison.left.description), format)
            XCTAssertTrue(predicate.description.contains(comparison.right.description), format)
        }
    }
}
