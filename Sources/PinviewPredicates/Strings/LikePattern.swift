/// LIKE: `*` matches any text, `?` one character (Unicode scalar), and a backslash makes the next
/// character literal. Every other character is literal, as is a backslash at the end.
enum LikePattern {
    /// Up to this product of the lengths, backtracking costs less than preparing a search.
    private static let smallProduct = 1 << 16

    static func matches(_ text: UnsafeBufferPointer<UInt8>, _ pattern: UnsafeBufferPointer<UInt8>) -> Bool {
        guard text.count.multipliedReportingOverflow(by: pattern.count).partialValue > smallProduct else {
            return matchesByBacktracking(text, pattern)
        }
        return LikeSegments(pattern).match(text)
    }

    /// Only ever goes back to the last `*`, so the time is bounded by the product of the lengths.
    static func matchesByBacktracking(_ text: UnsafeBufferPointer<UInt8>, _ pattern: UnsafeBufferPointer<UInt8>) -> Bool {
        var position = 0
        var patternPosition = 0
        var patternAfterStar: Int?
        var positionAtStar = 0
        while position < text.count {
            if patternPosition < pattern.count, pattern[patternPosition] == UInt8(ascii: "*") {
                patternPosition += 1
                patternAfterStar = patternPosition
                positionAtStar = position
            } else if patternPosition < pattern.count, pattern[patternPosition] == UInt8(ascii: "?") {
                patternPosition += 1
                position = scalarEnd(in: text, from: position)
            } else if patternPosition < pattern.count, pattern[literalEnd(in: pattern, from: patternPosition) - 1] == text[position] {
                patternPosition = literalEnd(in: pattern, from: patternPosition)
                position += 1
            } else if let retry = patternAfterStar {
                positionAtStar = scalarEnd(in: text, from: positionAtStar)
                position = positionAtStar
                patternPosition = retry
            } else {
                return false
            }
        }
        while patternPosition < pattern.count, pattern[patternPosition] == UInt8(ascii: "*") { patternPosition += 1 }
        return patternPosition == pattern.count
    }

    /// The end of a literal, which is one byte, possibly after a backslash.
    private static func literalEnd(in pattern: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        pattern[start] == UInt8(ascii: "\\") && start + 1 < pattern.count ? start + 2 : start + 1
    }

    static func scalarEnd(in text: UnsafeBufferPointer<UInt8>, from position: Int) -> Int {
        var end = position + 1
        while end < text.count, text[end] & 0xC0 == 0x80 { end += 1 }
        return end
    }
}
