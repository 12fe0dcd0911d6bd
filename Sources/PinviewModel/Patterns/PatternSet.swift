/// A set of characters in a pattern, written with PCRE2's means: PCRE2 has no nested sets, no sets
/// such as `\W` among other items, and no intersections.
indirect enum PatternSet: Sendable {
    /// The items between the brackets of a PCRE2 set.
    case items(String)
    case negated(PatternSet)
    case either(PatternSet, PatternSet)
    case intersection(PatternSet, PatternSet)
    case difference(PatternSet, PatternSet)

    static func union(_ left: PatternSet, _ right: PatternSet) -> PatternSet {
        switch (left, right) {
        case (.items(let left), .items(let right)): .items(left + right)
        case (.items(""), _): right
        case (_, .items("")): left
        // Items are collected beside what is not a list, so that long sets stay shallow.
        case (.either(.items(let items), let other), .items(let right)): .either(.items(items + right), other)
        case (.items, _): .either(left, right)
        case (_, .items): .either(right, left)
        default: .either(left, right)
        }
    }

    /// An expression that matches exactly one character. Its groups are atomic: if two alternatives
    /// match the same character, trying the other one cannot help.
    var expression: String {
        switch self {
        case .items(let items): items.isEmpty ? "(?!)" : "[\(items)]"
        case .negated(.items(let items)): items.isEmpty ? Self.any : "[^\(items)]"
        case .negated(let inner): "(?>(?!\(inner.expression))\(Self.any))"
        case .either(let left, let right): "(?>\(left.expression)|\(right.expression))"
        case .intersection(let left, let right): "(?>(?=\(left.expression))\(right.expression))"
        case .difference(let left, let right): "(?>(?!\(right.expression))\(left.expression))"
        }
    }

    private static let any = "(?s:.)"

    /// A literal character, inside or outside a set.
    static func written(_ scalar: Unicode.Scalar) -> String {
        if scalar.isASCII, scalar.properties.isAlphabetic || (scalar >= "0" && scalar <= "9") { return String(scalar) }
        return "\\x{\(String(scalar.value, radix: 16))}"
    }

    // MARK: What ICU defines differently

    // ASCII characters come first, because PCRE2 looks them up in a table.
    private static let wordItems = #"0-9A-Z_a-z\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\x{200c}\x{200d}"#
    /// `\w`, with combining marks, which PCRE2 leaves out.
    static let word = PatternSet.items(wordItems)
    /// `\s`, without U+180E, which has not been a space since Unicode 6.3.
    static let space = PatternSet.items(#"\x{9}-\x{d}\x{20}\p{White_Space}"#)
    /// `\h`, without U+180E.
    static let blank = PatternSet.items(#"\x{9}\x{20}\p{Zs}"#)

    /// `\b`. There is no boundary before a combining mark.
    static let wordBoundary =
        #"(?:(?![\p{Grapheme_Extend}\p{Cf}])(?:(?=[\#(wordItems)])(?<![\#(wordItems)])|(?![\#(wordItems)])(?<=[\#(wordItems)])))"#

    // MARK: Properties

    /// A property by name, as in `\p{L}`, `\p{Uppercase_Letter}`, `\p{script=Greek}` or
    /// `[[:alpha:]]`. Unknown names are passed on for PCRE2 to judge; nil if the text cannot be a
    /// name.
    ///
    /// - Parameter ignoresCase: whether letters also match those of the other case.
    init?(property written: String, ignoresCase: Bool) {
        let parts = written.split(separator: "=", omittingEmptySubsequences: false)
        let words = parts.map { part in
            String(String.UnicodeScalarView(part.lowercased().unicodeScalars.filter { !" _-".unicodeScalars.contains($0) }))
        }
        guard
            words.allSatisfy({
                !$0.isEmpty && $0.unicodeScalars.allSatisfy { $0.isASCII && ($0.properties.isAlphabetic || ($0 >= "0" && $0 <= "9")) }
            })
        else { return nil }
        switch (words.count, words[0]) {
        case _ where ignoresCase && Self.cased.contains(words[words.count - 1]): self = .items(#"\p{Cased}\p{L&}"#)
        case (1, "graph"): self = Self.graph
        case (1, "print"): self = Self.print
        case (1, let name):
            if let set = Self.named[name] {
                self = set
            } else {
                self = .items("\\p{\(Self.categories[name] ?? name)}")
            }
        case (2, "gc"), (2, "generalcategory"): self = .items("\\p{\(Self.categories[words[1]] ?? words[1])}")
        case (2, "sc"), (2, "script"): self = .items("\\p{sc:\(words[1])}")
        case (2, "scx"), (2, "scriptextensions"): self = .items("\\p{scx:\(words[1])}")
        default: return nil
        }
    }

    private static let cased: Set<String> = [
        "lu", "ll", "lt", "uppercaseletter", "lowercaseletter", "titlecaseletter", "upper", "lower", "uppercase", "lowercase",
    ]

    // Computed rather than constants: the enum stores its case in the spare bits of a pointer,
    // through which leak checkers could not see the memory that a constant keeps alive.
    private static var graph: PatternSet { .negated(.items(#"\p{White_Space}\p{Cc}\p{Cs}\p{Cn}"#)) }
    private static var print: PatternSet { .either(.items(#"\p{Zs}"#), graph) }

    private static let named: [String: PatternSet] = [
        "alpha": .items(#"\p{Alphabetic}"#), "lower": .items(#"\p{Lowercase}"#), "upper": .items(#"\p{Uppercase}"#),
        "digit": .items(#"\p{Nd}"#), "xdigit": .items(#"\p{Nd}\p{Hex_Digit}"#), "alnum": .items(#"\p{Alphabetic}\p{Nd}"#),
        "space": space, "blank": blank, "cntrl": .items(#"\p{Cc}"#), "punct": .items(#"\p{P}"#), "word": word,
        "any": .items(#"\x{0}-\x{10ffff}"#), "assigned": .items(#"\P{Cn}"#), "ascii": .items(#"\x{0}-\x{7f}"#),
    ]

    /// The long names of the general categories.
    private static let categories: [String: String] = [
        "letter": "L", "casedletter": "L&", "lc": "L&", "uppercaseletter": "Lu", "lowercaseletter": "Ll", "titlecaseletter": "Lt",
        "modifierletter": "Lm", "otherletter": "Lo", "mark": "M", "combiningmark": "M", "nonspacingmark": "Mn", "spacingmark": "Mc",
        "enclosingmark": "Me", "number": "N", "decimalnumber": "Nd", "letternumber": "Nl", "othernumber": "No", "punctuation": "P",
        "connectorpunctuation": "Pc", "dashpunctuation": "Pd", "openpunctuation": "Ps", "closepunctuation": "Pe",
        "initialpunctuation": "Pi",
        "finalpunctuation": "Pf", "otherpunctuation": "Po", "symbol": "S", "mathsymbol": "Sm", "currencysymbol": "Sc",
        "modifiersymbol": "Sk",
        "othersymbol": "So", "separator": "Z", "spaceseparator": "Zs", "lineseparator": "Zl", "paragraphseparator": "Zp", "other": "C",
        "control": "Cc", "format": "Cf", "surrogate": "Cs", "privateuse": "Co", "unassigned": "Cn",
        "l": "L", "lu": "Lu", "ll": "Ll", "lt": "Lt", "lm": "Lm", "lo": "Lo", "m": "M", "mn": "Mn", "mc": "Mc", "me": "Me", "n": "N",
        "nd": "Nd", "nl": "Nl", "no": "No", "p": "P", "pc": "Pc", "pd": "Pd", "ps": "Ps", "pe": "Pe", "pi": "Pi", "pf": "Pf", "po": "Po",
        "s": "S", "sm": "Sm", "sk": "Sk", "so": "So", "z": "Z", "zs": "Zs", "zl": "Zl", "zp": "Zp", "c": "C", "cc": "Cc",
        "cf": "Cf", "cs": "Cs", "co": "Co", "cn": "Cn",
    ]
}
