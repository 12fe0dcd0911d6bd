@testable import PinviewPredicates
import RandomSupport
import StressSupport
import XCTest

/// The textual operators and their options (FET-18).
final class StringMatchingTests: XCTestCase {
    private func matches(_ text: String, _ op: PredicateOperator, _ pattern: String, _ options: PredicateOptions = []) -> Bool {
        StringMatching.matches(text, op, pattern, options)
    }

    func test_FET_18_stringsAreComparedAsBytesWithoutOptions() {
        XCTAssertNotEqual(StringMatching.compare("\u{E9}", "e\u{301}"), 0, "different, though Swift's == considers them equal")
        XCTAssertFalse(matches("caf\u{E9}", .endsWith, "e\u{301}"))
        XCTAssertTrue(matches("cafe\u{301}", .contains, "cafe"), "a part of a Swift character")
    }

    func test_FET_18_stringsAreOrderedByScalars() {
        // By UTF-16 units, U+1F600 would come before U+FF21.
        let sorted = ["", "A", "Z", "a", "aa", "b", "é", "Ａ", "\u{1F600}"]
        for (index, text) in sorted.enumerated() {
            for (otherIndex, other) in sorted.enumerated() {
                XCTAssertEqual(StringMatching.compare(text, other).signum(), (index - otherIndex).signum(), "\(text) and \(other)")
            }
        }
    }

    func test_FET_18_longPatternsMatchLikeShortOnes() throws {
        var generator = SeededGenerator.announced(name)
        let letters = ["a", "b", "é", "😀", "*", "?", "\\", "*", "?"]
        for _ in 0..<20_000 {
            var text = (0..<Int.random(in: 0...14, using: &generator)).map { _ in letters[Int.random(in: 0...3, using: &generator)] }
                .joined()
            var pattern = (0..<Int.random(in: 0...8, using: &generator)).map { _ in letters[Int.random(in: 0...8, using: &generator)] }
                .joined()
            let (found, expected) = text.withUTF8 { text in
                pattern.withUTF8 { (LikeSegments($0).match(text), LikePattern.matchesByBacktracking(text, $0)) }
            }
            XCTAssertEqual(found, expected, "\(text) LIKE \(pattern)")
        }
    }

    func test_FET_19_longTextsAreMatchedQuickly() {
        let text = String(repeating: "aB", count: 500_000), start = threadSeconds()
        XCTAssertFalse(matches(text, .like, "*" + String(repeating: "aB", count: 5000) + "x"))
        XCTAssertFalse(matches(text, .like, "*" + String(repeating: "a?", count: 200) + "x*"))
        XCTAssertTrue(matches(text, .like, "*" + String(repeating: "?B*", count: 5000)))
        XCTAssertFalse(matches(text, .contains, String(repeating: "aB", count: 100_000) + "x"))
        XCTAssertTrue(matches("x" + text + "c", .contains, String(repeating: "Ba", count: 100_000) + "Bc"))
        XCTAssertTrue(matches("É" + text, .endsWith, "AB", [.caseInsensitive, .diacriticInsensitive]))
        XCTAssertLessThan(threadSeconds() - start, 20)
    }

    func test_FET_18_everyStringContainsTheEmptyString() {
        for text in ["", "a"] {
            for op in [PredicateOperator.contains, .beginsWith, .endsWith] { XCTAssertTrue(matches(text, op, ""), "\(op)") }
        }
        XCTAssertTrue(matches("", .like, ""))
        XCTAssertFalse(matches("a", .like, ""))
    }

    func test_FET_18_onlyLikeHasWildcards() {
        for special in ["%", "_", "*", "?", "[", "]", "\\", "'", "\"", "\0"] {
            XCTAssertTrue(matches("a\(special)b", .contains, special), special)
            XCTAssertFalse(matches("ab", .contains, special), special)
            XCTAssertTrue(matches("\(special)b", .beginsWith, special), special)
            XCTAssertFalse(matches("ab", .beginsWith, special), special)
            XCTAssertTrue(matches("b\(special)", .endsWith, special), special)
        }
    }

    func test_FET_18_contains() {
        XCTAssertTrue(matches("aaab", .contains, "aab"))
        XCTAssertTrue(matches("ab", .contains, "ab"))
        XCTAssertFalse(matches("ab", .contains, "abc"))
        XCTAssertFalse(matches("ab", .contains, "ba"))
        XCTAssertTrue(matches("x\0y", .contains, "\0y"), "a NUL does not end a string")
    }

    func test_FET_18_like() {
        let matching = [
            ("dave", "dave"), ("dave", "d*"), ("dave", "*e"), ("dave", "*"), ("", "*"), ("dave", "d??e"), ("dave", "**a**"),
            ("abcabd", "*abd"), ("aXbXc", "a*b*c"), ("a*c", "a\\*c"), ("a?c", "a\\?c"), ("a\\c", "a\\\\c"), ("a\\", "a\\"),
            ("50%", "50%"), ("a_b", "a_b"), ("x[y]", "x[y]"), ("\u{1F600}", "?"), ("é", "?"), ("a\u{1F600}b", "a?b"), ("äöü", "*?ü"),
        ]
        for (text, pattern) in matching { XCTAssertTrue(matches(text, .like, pattern), "\(text) LIKE \(pattern)") }
        let others = [
            ("dave", "dav"), ("dave", "ave"), ("dave", "d?e"), ("dave", "dave?"), ("abc", "a\\*c"), ("abc", "a\\?c"), ("e\u{301}", "?"),
            ("500", "50%"), ("axb", "a_b"), ("Dave", "dave"),
        ]
        for (text, pattern) in others { XCTAssertFalse(matches(text, .like, pattern), "\(text) LIKE \(pattern)") }
    }

    func test_FET_18_likeTakesNoExponentialTime() {
        let text = String(repeating: "a", count: 10_000)
        XCTAssertFalse(matches(text, .like, String(repeating: "*a", count: 200) + "*b"))
    }

    func test_FET_18_likeAgreesWithASimpleDefinition() {
        var generator = SeededGenerator.announced(name)
        for _ in 0..<20_000 {
            let text = Self.randomText("ab*é", 0...6, &generator)
            let pattern = Self.randomText("ab*?\\é", 0...6, &generator)
            XCTAssertEqual(
                matches(text, .like, pattern), Self.plainLike(Array(text.unicodeScalars)[...], Array(pattern.unicodeScalars)[...]),
                "\(text) LIKE \(pattern)")
        }
    }

    private static func randomText(_ alphabet: String, _ count: ClosedRange<Int>, _ generator: inout SeededGenerator) -> String {
        let letters = Array(alphabet)
        return String((0..<Int.random(in: count, using: &generator)).compactMap { _ in letters.randomElement(using: &generator) })
    }

    private static func plainLike(_ text: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<Unicode.Scalar>) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        let rest = pattern.dropFirst()
        switch first {
        case "*": return plainLike(text, rest) || (!text.isEmpty && plainLike(text.dropFirst(), pattern))
        case "?": return !text.isEmpty && plainLike(text.dropFirst(), rest)
        case "\\" where !rest.isEmpty: return text.first == rest.first && plainLike(text.dropFirst(), rest.dropFirst())
        default: return text.first == first && plainLike(text.dropFirst(), rest)
        }
    }

    // MARK: Folding

    func test_FET_18_caseFoldingIsUnicodes() {
        let equal = [
            ("dave", "DAVE"), ("Straße", "STRASSE"), ("STRAẞE", "strasse"), ("ΣΑΣ", "σας"), ("ﬁn", "FIN"), ("\u{212A}", "k"),
            ("\u{2126}", "ω"),
            ("\u{B5}", "μ"), ("ſ", "S"), ("ŉ", "ʼN"), ("ǰ", "J\u{30C}"), ("İ", "i\u{307}"), ("ᾳ", "ΑΙ"), ("Ა", "ა"), ("Ꭰ", "ꭰ"), ("Ǆ", "ǆ"),
            ("ǅ", "ǆ"),
        ]
        for (left, right) in equal { XCTAssertEqual(StringMatching.compare(left, right, .caseInsensitive), 0, "\(left) and \(right)") }
        let different = [("ı", "i"), ("İ", "i"), ("é", "e"), ("É", "e\u{301}"), ("a", "b"), ("[", "{"), ("@", "`")]
        for (left, right) in different {
            XCTAssertNotEqual(StringMatching.compare(left, right, .caseInsensitive), 0, "\(left) and \(right)")
        }
    }

    func test_FET_18_diacriticsAreMarksInCanonicalDecompositions() {
        let equal = [
            ("Zoë", "Zoe"), ("Zoe\u{308}", "Zoë"), ("Ṩ", "S"), ("ñ", "n"), ("й", "и"), ("가", "\u{1100}\u{1161}"), ("Å", "\u{212B}"),
        ]
        for (left, right) in equal { XCTAssertEqual(StringMatching.compare(left, right, .diacriticInsensitive), 0, "\(left) and \(right)") }
        for (left, right) in [("ø", "o"), ("ł", "l"), ("ß", "ss"), ("É", "e")] {
            XCTAssertNotEqual(StringMatching.compare(left, right, .diacriticInsensitive), 0, "\(left) and \(right)")
        }
    }

    func test_FET_18_bothOptionsTogether() {
        let both: PredicateOptions = [.caseInsensitive, .diacriticInsensitive]
        for (left, right) in [("ÉCOLE", "école"), ("E\u{301}cole", "ecole"), ("İ", "i"), ("ǰ", "J"), ("ZOË", "zoe")] {
            XCTAssertEqual(StringMatching.compare(left, right, both), 0, "\(left) and \(right)")
        }
        XCTAssertTrue(matches("Café Zoë", .contains, "E ZO", both))
        XCTAssertTrue(matches("Café Zoë", .beginsWith, "cafe", both))
        XCTAssertTrue(matches("Café Zoë", .endsWith, "ZOE", both))
        XCTAssertTrue(matches("Café Zoë", .like, "CAFE*z?e", both))
    }

    func test_FET_18_foldingIsIdempotent() {
        for options in [PredicateOptions.caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive]] {
            for code in UInt32(0)...0x2FFFF {
                guard let scalar = Unicode.Scalar(code) else { continue }
                let folded = StringMatching.folded(String(Character(scalar)), options)
                let again = StringMatching.folded(folded, options)
                if !again.utf8.elementsEqual(folded.utf8) { XCTFail("U+\(String(code, radix: 16)) with \(options)") }
            }
        }
    }

    func test_FET_18_bytesFoldLikeStrings() {
        func folded(_ text: String, _ options: PredicateOptions) -> String? {
            var text = text
            return text.withUTF8 { StringMatching.folded($0, options) }
        }
        XCTAssertNil(folded("plain", [.caseInsensitive, .diacriticInsensitive]), "nothing to copy")
        XCTAssertNil(folded("PLAIN", []))
        XCTAssertNil(folded("PLAIN", .diacriticInsensitive))
        XCTAssertEqual(folded("PLAIN", .caseInsensitive), "plain")
        XCTAssertEqual(folded("Ä", .diacriticInsensitive), "A")
    }
}
