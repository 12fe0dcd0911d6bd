import Glibc

/// Compares strings for evaluation in memory and, registered as SQL functions, in stores, so that
/// both always agree.
///
/// Without options, strings are compared by their UTF-8 bytes, as with SQLite's BINARY collation:
/// `é` and `e` + combining accent are different. With options, both sides are folded first,
/// including the patterns of LIKE: `[c]` applies Unicode's default case folding (full, not Turkic),
/// `[d]` decomposes canonically and removes nonspacing marks, `[l]` replaces strings by their sort
/// keys in the user's language.
package enum StringMatching {
    /// The string in the form in which it is compared.
    package static func folded(_ text: String, _ options: PredicateOptions) -> String {
        var text = text
        return text.withUTF8 { folded($0, options) } ?? text
    }

    /// Folds a string that comes as UTF-8.
    /// - Returns: nil if the string is already in folded form and need not be copied.
    package static func folded(_ text: UnsafeBufferPointer<UInt8>, _ options: PredicateOptions) -> String? {
        guard options.contains(.localized) else { return options.isEmpty ? nil : TextFolding.folded(text, options) }
        let folded = folded(String(decoding: text, as: UTF8.self), options.subtracting(.localized))
        // Hexadecimal digits, which sort like the bytes and are a valid string.
        return HexadecimalText.text(of: SortKey.localized(folded))
    }

    /// Negative, 0 or positive, comparing UTF-8 bytes after folding.
    package static func compare(_ left: String, _ right: String, _ options: PredicateOptions = []) -> Int {
        var left = folded(left, options)
        var right = folded(right, options)
        return left.withUTF8 { left in right.withUTF8 { right in compare(left, right) } }
    }

    /// Negative, 0 or positive, comparing bytes.
    package static func compare(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Int {
        let common = min(left.count, right.count)
        if common > 0, let leftStart = left.baseAddress, let rightStart = right.baseAddress {
            let order = memcmp(leftStart, rightStart, common)
            if order != 0 { return Int(order) }
        }
        return left.count - right.count
    }

    /// Whether a textual operator is true for a string and a pattern.
    package static func matches(_ text: String, _ op: PredicateOperator, _ pattern: String, _ options: PredicateOptions = []) -> Bool {
        var text = folded(text, options)
        var pattern = folded(pattern, options)
        return text.withUTF8 { text in pattern.withUTF8 { pattern in matches(text, op, pattern) } }
    }

    /// Whether a textual operator is true for a string and a pattern, without copying them. Both
    /// are UTF-8 and already folded. Every string contains the empty pattern.
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
