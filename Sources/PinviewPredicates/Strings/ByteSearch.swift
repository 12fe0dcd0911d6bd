import Glibc

/// Searches for bytes in time linear in the sum of the lengths.
enum ByteSearch {
    /// Up to this length the C library's functions are faster, even though they are not linear.
    private static let shortLength = 256

    /// - Returns: the start of the first occurrence.
    static func find(_ pattern: UnsafeBufferPointer<UInt8>, in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        guard let base = text.baseAddress, let first = pattern.first else { return start }
        guard pattern.count <= text.count - start else { return nil }
        guard pattern.count <= shortLength else { return findLong(pattern, in: text, from: start) }
        var position = start
        let lastStart = text.count - pattern.count
        while position <= lastStart, let found = memchr(base + position, Int32(first), lastStart - position + 1) {
            if let patternBase = pattern.baseAddress, memcmp(found, patternBase, pattern.count) == 0 {
                return UnsafeRawPointer(found) - UnsafeRawPointer(base)
            }
            position = UnsafeRawPointer(found) - UnsafeRawPointer(base) + 1
        }
        return nil
    }

    /// The Knuth-Morris-Pratt algorithm: after a mismatch, it continues with the longest prefix of
    /// the pattern that the text ends with.
    private static func findLong(_ pattern: UnsafeBufferPointer<UInt8>, in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        var borders = [Int32](repeating: 0, count: pattern.count)
        var matched = 0
        for index in 1..<pattern.count {
            while matched > 0, pattern[index] != pattern[matched] { matched = Int(borders[matched - 1]) }
            if pattern[index] == pattern[matched] { matched += 1 }
            borders[index] = Int32(truncatingIfNeeded: matched)
        }
        matched = 0
        for index in start..<text.count {
            while matched > 0, text[index] != pattern[matched] { matched = Int(borders[matched - 1]) }
            if text[index] == pattern[matched] { matched += 1 }
            if matched == pattern.count { return index + 1 - pattern.count }
        }
        return nil
    }
}
