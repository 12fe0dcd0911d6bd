import Glibc

/// Comparing texts, for the judgement in memory and, registered as SQL functions, for the stores: one implementation,
/// so that both agree on every text.
///
/// Without options texts are compared by their UTF-8 bytes, as SQLite's BINARY collation does: `é` and `e` + combining accent are
/// two texts. With options both sides are folded first, patterns of LIKE too: `[c]` by Unicode's default case folding (full, not
/// Turkic), `[d]` by canonical decomposition, from which nonspacing marks are dropped; `[l]` by the keys that order texts in the user's language.
package enum StringMatching {
    /// A text in the form in which it is compared.
    package static func folded(_ text: String, _ options: PredicateOptions) -> String {
        var text = text
        return text.withUTF8 { folded($0, options) } ?? text
    }

    /// The same for a text that comes as UTF-8.
    /// - Returns: nil if the text is in that form already, so that it need not be copied.
    package static func folded(_ text: UnsafeBufferPointer<UInt8>, _ options: PredicateOptions) -> String? {
        guard options.contains(.localized) else { return options.isEmpty ? nil : TextFolding.folded(text, options) }
        let folded = folded(String(decoding: text, as: UTF8.self), options.subtracting(.localized))
        // In digits, which have the order of the bytes and are a text.
        return HexadecimalText.text(of: SortKey.localized(folded))
    }

    /// Below 0, 0 or above 0, by UTF-8 bytes after folding.
    package static func compare(_ left: String, _ right: String, _ options: PredicateOptions = []) -> Int {
        var left = folded(left, options)
        var right = folded(right, options)
        return left.withUTF8 { left in right.withUTF8 { right in compare(left, right) } }
    }

    /// Below 0, 0 or above 0, by bytes.
    package static func compare(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Int {
        let common = min(left.count, right.count)
        if common > 0, let leftStart = left.baseAddress, let rightStart = right.baseAddress {
            let order = memcmp(leftStart, rightStart, common)
            if order != 0 { return Int(order) }
        }
        return left.count - right.count
    }

    /// Whether `text` fits `pattern` by one of the textual operators.
    package static func matches(_ text: String, _ op: PredicateOperator, _ pattern: String, _ options: PredicateOptions = []) -> Bool {
        var text = folded(text, options)
        var pattern = folded(pattern, options)
        return text.withUTF8 { text in pattern.withUTF8 { pattern in matches(text, op, pattern) } }
    }

    /// Whether a text fits a pattern by one of the textual operators, without copying. Both are UTF-8 and folded already, if need be.
    /// The empty pattern is contained in every text.
    package static func matches(_ text: UnsafeBufferPointer<UInt8>, _ op: PredicateOperator, _ pattern: UnsafeBufferPointer<UInt8>) -> Bool
    {
        switch op {
        case .like: return LikePattern.matches(text, pattern)
        case .contains, .beginsWith, .endsWith: break
        default: return false
        }
        guard pattern.count <= text.count else { return false }
        guard let start = text.baseAddress, let patternStart = pattern.baseAddress, !pattern.isEmpty else { return true }
        switch op {
        case .beginsWith: return memcmp(start, patternStart, pattern.count) == 0
        case .endsWith: return memcmp(start + (text.count - pattern.count), patternStart, pattern.count) == 0
        default: return ByteSearch.find(pattern, in: text, from: 0) != nil
        }
    }

}
