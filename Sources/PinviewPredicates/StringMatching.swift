@_spi(_Unicode) import Swift

/// Comparing texts, for the in-memory judgement and, registered as SQL functions, for the stores: one implementation,
/// so that both agree on every text.
///
/// Without options texts are compared by their UTF-8 bytes, as SQLite's BINARY collation does. With them both sides are folded first:
/// `[c]` by Unicode's lowercase mapping, `[d]` by decomposing (NFD) and dropping nonspacing marks.
package enum StringMatching {
    /// A text in the form in which it is compared.
    package static func folded(_ text: String, _ options: PredicateOptions) -> String {
        var text = text
        if options.contains(.diacriticInsensitive) {
            var kept = String.UnicodeScalarView()
            for scalar in text._nfd where scalar.properties.generalCategory != .nonspacingMark { kept.append(scalar) }
            text = String(kept)
        }
        // Upper case first: ß and SS, ς and σ have one lower case only that way.
        if options.contains(.caseInsensitive) { text = text.uppercased().lowercased() }
        return text
    }

    /// Below 0, 0 or above 0, by UTF-8 bytes after folding.
    package static func compare(_ left: String, _ right: String, _ options: PredicateOptions = []) -> Int {
        let left = options.isEmpty ? left : folded(left, options), right = options.isEmpty ? right : folded(right, options)
        if left.utf8.elementsEqual(right.utf8) { return 0 }
        return left.utf8.lexicographicallyPrecedes(right.utf8) ? -1 : 1
    }

    /// Whether `text` fits `pattern` by one of the textual operators.
    package static func matches(_ text: String, _ op: PredicateOperator, _ pattern: String, _ options: PredicateOptions = []) -> Bool {
        let text = options.isEmpty ? text : folded(text, options)
        let pattern = options.isEmpty ? pattern : folded(pattern, options)
        switch op {
        case .contains: return contains(text, pattern)
        case .beginsWith: return text.utf8.starts(with: pattern.utf8)
        case .endsWith: return text.utf8.reversed().starts(with: pattern.utf8.reversed())
        case .like: return like(Array(text.unicodeScalars), pattern)
        default: return false
        }
    }

    private static func contains(_ text: String, _ part: String) -> Bool {
        var text = text, part = part
        return text.withUTF8 { text in
            part.withUTF8 { part in
                guard let first = part.first else { return true }
                guard part.count <= text.count else { return false }
                var start = 0
                while start <= text.count - part.count {
                    if text[start] == first, text[start..<start + part.count].elementsEqual(part) { return true }
                    start += 1
                }
                return false
            }
        }
    }

    private enum Piece: Equatable {
        case scalar(Unicode.Scalar)
        case anyOne
        case anyNumber
    }

    /// `*` stands for any number of characters, `?` for one; a backslash takes the meaning from the next. Greedy with one
    /// point of return, so the time is bounded by the product of the lengths.
    private static func like(_ text: [Unicode.Scalar], _ pattern: String) -> Bool {
        let pieces = self.pieces(of: pattern)
        var position = 0, piece = 0
        var star = -1, starPosition = 0
        while position < text.count {
            if piece < pieces.count, pieces[piece] == .anyNumber {
                star = piece
                starPosition = position
                piece += 1
            } else if piece < pieces.count, pieces[piece] == .anyOne || pieces[piece] == .scalar(text[position]) {
                piece += 1
                position += 1
            } else if star >= 0 {
                starPosition += 1
                position = starPosition
                piece = star + 1
            } else {
                return false
            }
        }
        while piece < pieces.count, pieces[piece] == .anyNumber { piece += 1 }
        return piece == pieces.count
    }

    private static func pieces(of pattern: String) -> [Piece] {
        var pieces: [Piece] = []
        var isEscaped = false
        for scalar in pattern.unicodeScalars {
            if isEscaped {
                pieces.append(.scalar(scalar))
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else if scalar == "*" {
                if pieces.last != .anyNumber { pieces.append(.anyNumber) }
            } else {
                pieces.append(scalar == "?" ? .anyOne : .scalar(scalar))
            }
        }
        if isEscaped { pieces.append(.scalar("\\")) }
        return pieces
    }
}
