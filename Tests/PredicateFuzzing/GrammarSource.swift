/// Generates texts from the grammar of the format language and a stream of choices. Most are valid,
/// so that the code behind the parser is tested as well.
package struct GrammarSource {
    /// Returns a number from 0 up to, but not including, the bound.
    private var choose: (Int) -> Int
    private var text = ""

    package init(choose: @escaping (Int) -> Int) { self.choose = choose }

    package mutating func predicateText() -> String {
        text = ""
        predicate(3)
        return text
    }

    package mutating func expressionText() -> String {
        text = ""
        expression(3)
        return text
    }

    private mutating func pick(_ words: [String]) { text += words[choose(words.count)] }

    // MARK: Predicates

    private mutating func predicate(_ depth: Int) {
        switch depth == 0 ? choose(2) : choose(9) {
        case 0, 1, 2, 3: comparison(depth)
        case 4, 5: joined([" AND ", " && ", " and "], depth)
        case 6: joined([" OR ", " || "], depth)
        case 7:
            pick(["NOT ", "!", "not "])
            parenthesized(depth)
        default: pick(["TRUEPREDICATE", "FALSEPREDICATE", "()"])
        }
    }

    private mutating func joined(_ words: [String], _ depth: Int) {
        parenthesized(depth)
        for _ in 0...choose(3) {
            pick(words)
            parenthesized(depth)
        }
    }

    private mutating func parenthesized(_ depth: Int) {
        let isPlain = choose(3) == 0
        if !isPlain { text += "(" }
        predicate(depth - 1)
        if !isPlain { text += ")" }
    }

    private mutating func comparison(_ depth: Int) {
        pick(["", "", "", "", "ANY ", "SOME ", "ALL ", "NONE "])
        expression(depth - 1)
        if choose(6) == 0 {
            pick([" BETWEEN ", " IN ", " NOT IN ", " IN[c] "])
            list(depth - 1)
            return
        }
        pick([
            " == ", " = ", " != ", " <> ", " < ", " <= ", " =< ", " > ", " >= ", " => ", " CONTAINS", " BEGINSWITH", " ENDSWITH", " LIKE",
            " MATCHES", " IN ",
        ])
        let isPattern = text.hasSuffix("MATCHES")
        pick(["", "", "", "[c]", "[d]", "[cd]", "[n]", "[l]", "[dcl]"])
        text += " "
        if isPattern, choose(4) != 0 {
            text += "'"
            for _ in 0...choose(8) {
                pick([
                    "a", "é", "(", "(?:", "(?i)", "(?=", "(?<n>", "(?x) ", "#", ")", "[", "[^", "]", "&&", "--", "-", "|", "*", "+", "?",
                    "{2,3}",
                    "{", ".", "^", "$", "\\\\w", "\\\\W", "\\\\b", "\\\\p{L}", "\\\\P{Lu}", "\\\\Q", "\\\\E", "\\\\u00e9", "\\\\1",
                    "\\\\k<n>", "[:alpha:]",
                    "\\\\R", "\\\\X", "\\\\", "\u{301}",
                ])
            }
            text += "'"
            return
        }
        expression(depth - 1)
    }

    // MARK: Expressions

    private mutating func expression(_ depth: Int) {
        switch depth <= 0 ? choose(3) : choose(11) {
        case 0: keyPath()
        case 1: value()
        case 2: pick(["SELF", "$x", "$x.name", "nil", "TRUE", "now()", "%@", "%K", "%d", "%2$@"])
        case 3, 4:
            expression(depth - 1)
            pick([" + ", " - ", " * ", " / ", " ** ", "**", "-", " %% ", " & ", " | ", "^", " << ", ">>", " | ~"])
            expression(depth - 1)
        case 5:
            text += "("
            expression(depth - 1)
            text += ")"
        case 6:
            text += "-"
            expression(depth - 1)
        case 7: function(depth)
        case 8:
            pick(["SUBQUERY(cars, $x, ", "SUBQUERY($x.cars, $y, ", "SUBQUERY(staff, $x, "])
            predicate(depth - 1)
            pick([").@count", ")[SIZE]", ")"])
        case 9:
            text += "TERNARY("
            predicate(depth - 1)
            text += ", "
            expression(depth - 1)
            text += ", "
            expression(depth - 1)
            text += ")"
        default:
            text += "CAST("
            expression(depth - 1)
            pick([
                ", 'NSNumber')", ", 'NSString')", ", \"NSDate\")", ", 'NSUUID')", ", 'NSData')", ", 'NSDecimalNumber')",
                ", 'NSManagedObjectID')",
            ])
        }
    }

    private mutating func function(_ depth: Int) {
        switch choose(4) {
        case 0:
            pick(["sum", "count:", "min:", "max", "average:", "avg", "median:", "stddev:"])
            text += "("
            if choose(2) == 0 { pick(["cars.wheels", "cars", "SELF", "staff.age"]) } else { list(depth - 1) }
            text += ")"
        case 1:
            pick(["add:to:", "from:subtract:", "modulus:by:", "raise:toPower:", "bitwiseAnd:with:", "leftshift:by:", "FUNCTION"])
            text += "("
            expression(depth - 1)
            text += ", "
            if choose(4) == 0 { text += "'abs:'" } else { expression(depth - 1) }
            text += ")"
        default:
            pick(["abs", "ceiling:", "floor", "trunc:", "sqrt", "lowercase:", "UPPERCASE", "length:", "ln", "onesComplement:", "negate:"])
            text += "("
            expression(depth - 1)
            text += ")"
        }
    }

    private mutating func list(_ depth: Int) {
        text += "{"
        for position in 0..<choose(4) {
            if position > 0 { text += ", " }
            expression(depth - 1)
        }
        text += "}"
    }

    private mutating func keyPath() {
        pick(["", "", "", "SELF.", "boss.", "boss.boss.", "cars.owner.", "staff.cars.", "nobody."])
        pick([
            "name", "nick", "age", "height", "wealth", "born", "key", "photo", "isMember", "#in", "#'in'", "#\"a b\"", "in", "boss", "cars",
            "staff",
            "objectID", "entity", "entity.name", "fullName", "wings", "size_2",
        ])
        pick([
            "", "", "", "", ".@count", ".@sum.wheels", ".wheels.@sum", ".@distinctUnionOfObjects.plate.@count", ".@unionOfObjects.age",
            ".@avg",
            "[0]", "[FIRST]", "[last]", "[SIZE]", ".plate", ".@nonsense",
        ])
    }

    private mutating func value() {
        pick([
            "0", "1", "-1", "3", "007", "0x1F", "0xg", "1.5", ".5", "1e3", "1E-300", "1e400", "-0.0", "9223372036854775807",
            "9223372036854775808",
            "-9223372036854775808", "'a'", "\"A\"", "''", "'O\\'Brien'", "\"50%\"", "'\\u00e9'", "'\\u{1F600}'", "'\\0\\n\\t'", "'a*?'",
            "'[a-z]+'",
            "'(a+)+b'", "CAST('nan', 'NSNumber')", "CAST('-inf', 'NSNumber')", "CAST('12.5', 'NSDecimalNumber')", "CAST('0', 'NSDate')",
            "CAST('00ff', 'NSData')", "CAST('6F9619FF-8B86-D011-B42D-00C04FC964FF', 'NSUUID')",
            "CAST('x-coredata://A/Person/p1', 'NSManagedObjectID')",
        ])
    }
}
