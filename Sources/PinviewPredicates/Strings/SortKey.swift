import Glibc

/// The keys by which a sort descriptor's comparator orders strings, as bytes that are compared as a
/// whole. One implementation for sorting in memory and, registered as an SQL function, in stores.
package enum SortKey {
    /// - Returns: nil if the string's own UTF-8 is the key.
    package static func key(_ text: String, _ comparator: PinviewSortDescriptor.Comparator) -> [UInt8]? {
        switch comparator {
        case .binary: nil
        case .caseInsensitive: Array(StringMatching.folded(text, .caseInsensitive).utf8)
        case .numeric: numeric(text)
        case .localized: localized(text)
        case .localizedCaseInsensitive: localized(StringMatching.folded(text, .caseInsensitive))
        case .localizedStandard: Array(numericParts(StringMatching.folded(text, .caseInsensitive)).joined())
        }
    }

    // MARK: Numbers in strings

    private enum Part {
        case text(String)
        /// The digits without leading zeros.
        case number([UInt8])
    }

    private static func parts(_ text: String) -> [Part] {
        var parts: [Part] = []
        var letters = String.UnicodeScalarView()
        var digits: [UInt8] = []
        var isInNumber = false
        func endNumber() {
            if isInNumber { parts.append(.number(digits)) }
            digits = []
            isInNumber = false
        }
        for scalar in text.unicodeScalars {
            if scalar.isASCII, scalar.value >= 48, scalar.value <= 57 {
                if !letters.isEmpty {
                    parts.append(.text(String(letters)))
                    letters = String.UnicodeScalarView()
                }
                isInNumber = true
                if scalar != "0" || !digits.isEmpty { digits.append(UInt8(scalar.value)) }
            } else {
                endNumber()
                letters.append(scalar)
            }
        }
        endNumber()
        if !letters.isEmpty { parts.append(.text(String(letters))) }
        return parts
    }

    /// Encodes a number by its number of digits, then the digits, so that longer numbers are
    /// greater. Its leading digit sorts it before letters and after spaces.
    private static func append(_ digits: [UInt8], to key: inout [UInt8]) {
        key.append(UInt8(ascii: "0"))
        var count = digits.count
        while count >= 255 {
            key.append(255)
            count -= 255
        }
        key.append(UInt8(count))
        key += digits
    }

    private static func numeric(_ text: String) -> [UInt8] {
        var key: [UInt8] = []
        for part in parts(text) {
            switch part {
            case .text(let text): key += Array(text.utf8)
            case .number(let digits): append(digits, to: &key)
            }
        }
        return key
    }

    // MARK: The user's language

    /// The locale of the environment (LC_ALL, LC_COLLATE, LANG) at the first use, or else the C
    /// library's UTF-8 order.
    nonisolated(unsafe) private static let locale =
        newlocale(1 << LC_COLLATE | 1 << LC_CTYPE, "", nil)
        ?? newlocale(1 << LC_COLLATE | 1 << LC_CTYPE, "C.UTF-8", nil)

    static func localized(_ text: String) -> [UInt8] {
        // C strings end at a NUL; the parts after it are compared last.
        let pieces = text.utf8.split(separator: 0, omittingEmptySubsequences: false).map { transformed(Array($0)) }
        return Array(pieces.joined(separator: [0]))
    }

    private static func transformed(_ bytes: [UInt8]) -> [UInt8] {
        guard let locale, !bytes.isEmpty else { return bytes }
        let text = bytes.map { CChar(bitPattern: $0) } + [0]
        var key = [CChar](repeating: 0, count: bytes.count * 4 + 16)
        let needed = strxfrm_l(&key, text, key.count, locale)
        if needed >= key.count {
            key = [CChar](repeating: 0, count: needed + 1)
            _ = strxfrm_l(&key, text, key.count, locale)
        }
        return key.prefix(needed).map { UInt8(bitPattern: $0) }
    }

    private static func numericParts(_ text: String) -> [[UInt8]] {
        parts(text).map { part in
            switch part {
            // Followed by a byte that no key contains, so that the shorter string comes first.
            case .text(let text): return localized(text) + [0]
            case .number(let digits):
                var key: [UInt8] = localized("0")
                append(digits, to: &key)
                return key
            }
        }
    }
}
