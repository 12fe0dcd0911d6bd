import Dispatch
import XCTest

@testable import PinviewModel

/// Regular expressions in ICU's syntax: what they match, what is rejected, and that matching always
/// ends (FET-18, FET-19, STO-18).
final class PatternTests: XCTestCase {
    private func matched(_ pattern: String, _ texts: [String], ignoresCase: Bool = false) throws -> [String] {
        let compiled = try TextPattern(pattern, ignoresCase: ignoresCase)
        return try texts.filter { try compiled.matches($0) }
    }

    private func assertMatches(
        _ pattern: String, _ texts: [String], butNot others: [String] = [], ignoresCase: Bool = false, line: UInt = #line
    ) {
        XCTAssertEqual(try matched(pattern, texts + others, ignoresCase: ignoresCase), texts, pattern, line: line)
    }

    private func assertRefused(_ pattern: String, says: String, at position: Int, line: UInt = #line) {
        XCTAssertThrowsError(try TextPattern(pattern), pattern, line: line) { error in
            let message = (error as? PinviewError)?.message ?? "\(error)"
            XCTAssertTrue(message.contains(says), "\(pattern): \(message)", line: line)
            XCTAssertTrue(message.contains("(character \(position) of the pattern)"), "\(pattern): \(message)", line: line)
        }
    }

    func test_FET_18_patternMustMatchTheWholeText() {
        assertMatches("a|ab", ["a", "ab"], butNot: ["abc", "xa", ""])
        assertMatches("a*?", ["", "a", "aaa"], butNot: ["b", "a\n"])
        assertMatches("", [""], butNot: ["a"])
        assertMatches("(?>a|ab)c", ["ac"], butNot: ["abc"])
        assertMatches("a++b", ["aab"], butNot: ["a"])
        assertMatches("a*+a", [], butNot: ["aa"])
        assertMatches("^a$", ["a"], butNot: ["a\n"])
        assertMatches(#"a\Z\n?"#, ["a", "a\n"], butNot: ["a\n\n"])
    }

    /// Patterns from bug reports, which used to match nothing or be rejected.
    func test_FET_18_commonPatterns() {
        assertMatches(#"[\w.]+"#, ["a.b", "é_1", "日本", "e\u{301}"], butNot: ["a b", "", "a-b"])
        assertMatches(#"[\d]+"#, ["12", "٣"], butNot: ["a", ""])
        assertMatches(#"a\tb"#, ["a\tb"], butNot: ["atb"])
        assertMatches(#"\x41\x{1F600}"#, ["A😀"])
        assertMatches(#"\u00e9\U0001F600\uD83D\uDE00"#, ["é😀😀"])
        assertMatches(#"\Qa.b*\E+"#, ["a.b*", "a.b**"], butNot: ["a.b", "axb*"])
        assertMatches(#"(?:ab)+"#, ["ab", "abab"], butNot: ["aba"])
        assertMatches(#"(?i)abc"#, ["abc", "ABC"], butNot: ["abd"])
        assertMatches(#"a(?i:b)c"#, ["abc", "aBc"], butNot: ["ABc"])
        assertMatches(#"(?=.*\d)(?!.*x).{3,}"#, ["ab1"], butNot: ["abc", "x12"])
        assertMatches(#"(?<=a)b"#, [], butNot: ["b", "ab"])
        assertMatches(#".(?<=a)b(?<!c)"#, ["ab"], butNot: ["cb"])
        assertMatches(#"\p{L}+\P{L}"#, ["aé1"], butNot: ["aé", "1"])
        assertMatches(#"(?<y>\d{4})-\k<y>-\1"#, ["2001-2001-2001"], butNot: ["2001-2002-2001"])
        assertMatches(#"[A-Z0-9._%+-]+@[A-Z0-9.-]+\.[A-Z]{2,}"#, ["A.B@C.DE"], butNot: ["a.b@c.de"])
        assertMatches(#"\+?[0-9 ()/-]{5,}"#, ["+49 (30) 1234-5"], butNot: ["abc"])
    }

    func test_FET_18_classes() {
        assertMatches(#"\h\v\s"#, ["\t\n ", "\u{A0}\u{2028}\u{85}"], butNot: ["a\n ", "\u{180E}\n "])
        assertMatches(#"\H\V\S"#, ["aaa", "\u{180E}b\u{180E}"], butNot: ["\t\n "])
        assertMatches(#"\R"#, ["\n", "\r\n", "\u{2029}", "\u{B}"], butNot: ["a", "\n\n"])
        assertMatches(#"\X"#, ["e\u{301}", "\r\n", "👨‍👩‍👧"], butNot: ["ab"])
        assertMatches(#"\W+"#, [" -", "€"], butNot: ["a", "\u{301}", "_"])
        assertMatches(#"[^\W\d]+"#, ["ab_", "é"], butNot: ["a1", "-"])
        assertMatches(#"[\W\d]+"#, ["-1", " "], butNot: ["a"])
        assertMatches(#"[\S\t]+"#, ["a\tb"], butNot: ["a b"])
        assertMatches("[[:alpha:]]+", ["aé日"], butNot: ["a1"])
        assertMatches("[:alpha:]+", ["aé日"], butNot: [":", "a1"])
        assertMatches("[[:^alpha:]x]+", ["1x-"], butNot: ["a"])
        assertMatches("[[:punct:][:digit:]]+", ["1,2!"], butNot: ["a", "€"])
        assertMatches("[[:graph:]]+", ["aé€"], butNot: ["a b", "\n", "\u{378}"])
        assertMatches("[[:print:]]+", ["a b"], butNot: ["\n"])
        assertMatches(
            #"\p{Uppercase_Letter}\p{gc=Ll}\p{script=Greek}\p{Latin}\p{Alphabetic}\p{White_Space}"#, ["Aaαaa "], butNot: ["aaαaa "])
        assertMatches(#"\p{ASCII}\p{Any}\p{Assigned}"#, ["aéa"], butNot: ["éaa", "aa\u{378}"])
    }

    func test_FET_18_nestedSets() {
        assertMatches("[[a-z]&&[aeiou]]+", ["aei"], butNot: ["b", "A"])
        assertMatches("[a-z&&[^aeiou]]+", ["bcd"], butNot: ["a"])
        assertMatches("[a-z--[aeiou]]+", ["bcd"], butNot: ["a"])
        assertMatches("[[a-z]-[aeiou]]+", ["bcd"], butNot: ["a", "-"])
        assertMatches("[[a-z]&[aeiou]]+", ["aei"], butNot: ["b", "&"])
        assertMatches("[^a-z&&[aeiou]]+", ["bB"], butNot: ["a"])
        assertMatches(#"[\p{L}--[a-z]--[é]]+"#, ["Aä"], butNot: ["a", "é"])
        assertMatches(#"[\w&&[^\d_]]+"#, ["abc"], butNot: ["1", "_"])
        assertMatches("[[a-c][x-z]1]+", ["ax1"], butNot: ["d"])
        assertMatches("[]a-]+", ["]a-"], butNot: ["b"])
        assertMatches("[^]a]+", ["b"], butNot: ["]"])
        assertMatches("[-a]+", ["-a"], butNot: ["b"])
        assertMatches("[a&b]+", ["a&b"], butNot: ["c"])
        assertMatches("[+*.(){}^$|]+", ["+*.(){}^$|"], butNot: ["a"])
        assertMatches(#"[\]\[\\\-]+"#, ["][\\-"], butNot: ["a"])
        assertMatches(#"[\x41-\u0043\t\Q]-\E]+"#, ["ABC\t]-"], butNot: ["D"])
        assertMatches(#"[\w-.]+"#, ["a-."], butNot: [","])
        assertMatches("[^a]", ["b", "\n", "😀"], butNot: ["a", "bb"])
    }

    func test_FET_18_linesAndModes() {
        assertMatches("a.b", ["axb", "a😀b", "a\0b"], butNot: ["a\nb", "a\rb", "a\u{85}b", "a\u{2028}b", "a\u{B}b"])
        assertMatches("(?s)a.b", ["axb", "a\nb", "a\u{2029}b"])
        assertMatches("(?m)a$.^b", [], butNot: ["a\nb"])
        assertMatches("(?sm)a$.^b", ["a\nb", "a\u{85}b"], butNot: ["axb"])
        assertMatches("(?x) a b # a comment (\n [ c d ] ( ?: e )", ["abce", "abde"], butNot: ["ab e", "a b c e"])
        assertMatches("(?x: a b ) c", ["ab c"], butNot: ["abc"])
        assertMatches("(?x) a (?-x: b) c", ["a bc"], butNot: ["abc"])
        assertMatches("a(?#a comment ( )b", ["ab"])
        assertMatches("((?i)a)b", ["ab", "Ab"], butNot: ["AB"])
    }

    func test_FET_18_wordBoundaries() {
        assertMatches(#".*\bcat\b.*"#, ["a cat.", "cat"], butNot: ["concat", "cats", "cat\u{301}"])
        assertMatches(#"e\u0301\B.*"#, [], butNot: ["e\u{301}"])
        assertMatches(#"e\B\u0301\b x"#, ["e\u{301} x"])
        assertMatches(#"a(\b)+b"#, [], butNot: ["ab", "a b"])
        assertMatches(#"a(\b)+ b"#, ["a b"], butNot: ["ab"])
    }

    func test_FET_18_caseIsIgnoredByUnicode() {
        assertMatches("straße é ς", ["STRAßE É Σ", "straße é σ"], butNot: ["strasse é ς"], ignoresCase: true)
        assertMatches("[a-cé]+", ["ABCÉ"], butNot: ["D"], ignoresCase: true)
        assertMatches("[^a]", ["b"], butNot: ["a", "A"], ignoresCase: true)
        assertMatches(#"\p{Lu}\W"#, ["a-"], butNot: ["1-", "aa"], ignoresCase: true)
    }

    func test_FET_18_backReferencesAndOctal() {
        assertMatches(#"(a)(b)\2\1\0101"#, ["abbaA"])
        assertMatches(#"(a)\11"#, ["aa1"])
        assertMatches(#"\cA\a\e\f"#, ["\u{1}\u{7}\u{1B}\u{C}"])
    }

    func test_FET_18_repeatedPatternsThatCanBeEmpty() throws {
        let texts = ["", "a", "b", "aa", "ab", "ba", "aab", "aaaa", "c"]
        XCTAssertEqual(try matched("((((((a*)+)+)+)+)+)+", texts), ["", "a", "aa", "aaaa"])
        XCTAssertEqual(try matched("((((((a?){1,})+){2,})+)+)+", texts), ["", "a", "aa", "aaaa"])
        XCTAssertEqual(try matched("((a*|b)+)+", texts), ["", "a", "b", "aa", "ab", "ba", "aab", "aaaa"])
        XCTAssertEqual(try matched("((a*b)+)+", texts), ["b", "ab", "aab"])
        XCTAssertEqual(try matched("(a|)+b", texts), ["b", "ab", "aab"])
        XCTAssertEqual(try matched("(a{0}b){1,}", texts), ["b"])
    }

    func test_FET_19_errorsNameThePosition() {
        assertRefused("ab(c", says: "not closed by ')'", at: 3)
        assertRefused("ab)c", says: "closes no group", at: 3)
        assertRefused("é[a", says: "not closed by ']'", at: 2)
        assertRefused("é+*", says: "'*' has nothing to repeat", at: 3)
        assertRefused("a|*b", says: "'*' has nothing to repeat", at: 3)
        assertRefused("(+a)", says: "'+' has nothing to repeat", at: 2)
        assertRefused("a{3}{4}", says: "'{' has nothing to repeat", at: 5)
        assertRefused("a{2", says: "\\{", at: 2)
        assertRefused("a{x}", says: "\\{", at: 2)
        assertRefused("ab\\", says: "backslash", at: 3)
        assertRefused(#"a\y"#, says: "\\y has no meaning", at: 2)
        assertRefused(#"a\K"#, says: "\\K has no meaning", at: 2)
        assertRefused(#"\N{SPACE}"#, says: "not supported", at: 1)
        assertRefused(#"é\p{Nonsense}"#, says: "unknown property", at: 2)
        assertRefused(#"\p{block=Greek}"#, says: "not a known character property", at: 1)
        assertRefused(#"\u12"#, says: "four hexadecimal", at: 1)
        assertRefused(#"\uD83Dx"#, says: "four hexadecimal", at: 1)
        assertRefused(#"\U00110000"#, says: "eight hexadecimal", at: 1)
        assertRefused(#"(a)\2"#, says: "non-existent", at: 4)
        assertRefused("[z-a]", says: "ends before it begins", at: 2)
        assertRefused("[&&a]", says: "must follow a set", at: 2)
        assertRefused("[a&&]", says: "followed by a set", at: 5)
        assertRefused("(?<=a+)b", says: "fixed length", at: 1)
        assertRefused("(?<1a>b)", says: "group name", at: 4)
    }

    /// PCRE2 has features that ICU lacks; some would never end, or change options inside the
    /// pattern.
    func test_FET_19_featuresOfPCRE2AloneAreRejected() {
        for pattern in [
            "(?R)", "(?1)(a)", "(?P<n>a)", "(?&n)(?<n>a)", "(?|a|b)", "(?(1)a|b)", "(?C1)", "(?^:a)", "(?U)a", "(?J)a", "( ?R)",
        ] {
            XCTAssertThrowsError(try TextPattern(pattern == "( ?R)" ? "(?x)" + pattern : pattern), pattern)
        }
        for pattern in ["(*UTF)a", "(*FAIL)", "(*LIMIT_MATCH=4000000000)(a+)+", #"\C"#, #"\g{1}"#, #"\o{41}"#, #"\L"#, "(?w)a", "(?d)a"] {
            XCTAssertThrowsError(try TextPattern(pattern), pattern)
        }
    }

    func test_FET_19_hostilePatternsGiveAnError() throws {
        let subject = String(repeating: "a", count: 5000) + "c"
        for pattern in ["(a+)+[bd]", "(a|aa)+[bd]", "((a|b)*)*[bd]", "(.*a){20}.*[xy]", "(?:a?){50}[xy]|(a*)*[xy]"] {
            let compiled = try TextPattern(pattern)
            XCTAssertThrowsError(try compiled.matches(subject), pattern) { error in
                XCTAssertEqual((error as? PinviewError)?.hasCode(.badPredicate), true)
                XCTAssertTrue("\(error)".contains("too many ways") || "\(error)".contains("too much memory"), "\(error)")
            }
            // The error does not affect later matches.
            XCTAssertFalse(try compiled.matches("c"), pattern)
        }
        XCTAssertThrowsError(try TextPattern("(?:a|b)*").matches(String(repeating: "a", count: 4_000_000)))
        XCTAssertTrue(try TextPattern("(?:a|b)*+").matches(String(repeating: "a", count: 4_000_000)))
        XCTAssertTrue(try TextPattern("(?:a|b)*").matches(String(repeating: "a", count: 100_000)))
        XCTAssertTrue(try TextPattern(".*b.*").matches(String(repeating: "a", count: 4_000_000) + "b"))
    }

    func test_FET_19_largePatternsAreCompiledOrRejectedQuickly() {
        let deep = { (open: String, inner: String, close: String, count: Int) in
            String(repeating: open, count: count) + inner + String(repeating: close, count: count)
        }
        for pattern in [
            deep("(", "a+", ")*+", 12), deep("(", "a*", ")+", 240), deep("(", "a?b*", "){1,}", 20), deep("(", "a*", "){1,9}", 9),
            deep("(", #"\ba*"#, ")+", 100), "(a?){1,60000}", "(a*){300}", deep("(", "a", "){1,200}", 4), deep("[", "a", "]", 1000),
            deep("[a&&", "[b]", "]", 45), deep("[^\\W", "", "]", 45), String(repeating: "a|", count: 9000),
            String(repeating: "(", count: 19_999),
            "[" + String(repeating: "a-zé", count: 4000) + "]", String(repeating: "x", count: 20_001),
        ] {
            do throws(PinviewError) {
                _ = try TextPattern(pattern).matches("a")
            } catch {
                XCTAssertTrue(error.hasCode(.badModel) || error.hasCode(.badPredicate), pattern)
                XCTAssertFalse(error.message.isEmpty)
            }
        }
    }

    func test_FET_18_invalidUTF8CountsAsReplacementCharacters() throws {
        let pattern = try TextPattern(#"a\uFFFDb"#)
        XCTAssertTrue(try [UInt8("a".utf8.first ?? 0), 0xFF, 0x62].withUnsafeBufferPointer { try pattern.matches($0) })
        XCTAssertTrue(try Array("a\u{FFFD}b".utf8).withUnsafeBufferPointer { try pattern.matches($0) })
        XCTAssertTrue(
            try UnsafeBufferPointer<UInt8>(start: nil, count: 0).isEmpty
                && TextPattern("").matches(UnsafeBufferPointer(start: nil, count: 0)))
    }

    func test_FET_18_threadsShareAPattern() throws {
        let pattern = try TextPattern(#"(\w+)@(\w+)"#)
        DispatchQueue.concurrentPerform(iterations: 8) { number in
            for round in 0..<2000 {
                let isMatch = round % 2 == 0
                let text = isMatch ? "someone\(number)@example\(round)" : "nobody\(round)"
                XCTAssertEqual(try? pattern.matches(text), isMatch)
            }
        }
    }
}
