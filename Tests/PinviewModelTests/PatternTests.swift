import XCTest

@testable import PinviewModel

/// Regular expressions: what they match, and that none takes for ever.
final class PatternTests: XCTestCase {
    private func matched(_ pattern: String, _ texts: [String]) throws -> [String] {
        let compiled = try TextPattern(pattern)
        return texts.filter { compiled.matches($0) }
    }

    func test_whatCanBeEmptyAndIsRepeatedMeansTheSame() throws {
        let texts = ["", "a", "b", "aa", "ab", "ba", "aab", "aaaa", "c"]
        let nested = try matched("((((((a*)+)+)+)+)+)+", texts)
        XCTAssertEqual(nested, ["", "a", "aa", "aaaa"])
        XCTAssertEqual(try matched("a*+++++++++++++", texts), nested)
        XCTAssertEqual(try matched("((((((a?){1,})+){2,})+)+)+", texts), nested)
        XCTAssertEqual(try matched("((a*|b)+)+", texts), ["", "a", "b", "aa", "ab", "ba", "aab", "aaaa"])
        XCTAssertEqual(try matched("((a*b)+)+", texts), ["b", "ab", "aab"])
        XCTAssertEqual(try matched("(a|)+b", texts), ["b", "ab", "aab"])
        XCTAssertEqual(try matched("(a{0}b){1,}", texts), ["b"])
        XCTAssertEqual(try matched("((a?){0,3}b?)+c?", texts), texts)
    }

    func test_assertionsAreNotLeftOut() throws {
        XCTAssertEqual(try matched(#"a(\b)+b"#, ["ab", "a b"]), [])
        XCTAssertEqual(try matched(#"a(\b)+ b"#, ["ab", "a b"]), ["a b"])
    }

    func test_bracketsAndEscapesHoldNoOperators() throws {
        XCTAssertEqual(try matched("[)*+]+", [")", "*+", "a", ""]), [")", "*+"])
        XCTAssertEqual(try matched(#"(\+*)+x"#, ["x", "++x", "+"]), ["x", "++x"])
        XCTAssertEqual(try matched("a)b", ["a)b"]), ["a)b"])
    }

    func test_patternsThatWouldTakeForEverEnd() throws {
        let deep = { (open: String, inner: String, close: String, count: Int) in
            String(repeating: open, count: count) + inner + String(repeating: close, count: count)
        }
        for pattern in [
            deep("(", "a+", ")*+", 12), deep("(", "a*", ")+", 40), deep("(", "a?b*", "){1,}", 20), deep("(", "a*", "){1,9}", 5),
            deep("(", #"\ba*"#, ")+", 12), "(a?){1,1000}", "(a*){300}",
            "a+*++++++++2:22;2222++]++++++++++b[c]\\\\d", deep("(", "", ")+", 40), deep("((", "a*|", ")+|b*)", 12),
        ] {
            do throws(PinviewError) {
                let compiled = try TextPattern(pattern)
                _ = compiled.matches(String(repeating: "a", count: 100) + "c")
            } catch {
                XCTAssertEqual(error.code, PinviewError(.badModel, "").code, pattern)
                XCTAssertFalse(error.message.isEmpty)
            }
        }
    }
}
