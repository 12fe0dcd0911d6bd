/// LIKE: `*` stands for any text, `?` for one character (Unicode scalar), a backslash takes the meaning from the next character.
/// Every other character stands for itself; a backslash at the end, too.
enum LikePattern {
    /// Where the product of the lengths is at most so great, going back costs less than preparing a search.
    private static let smallProduct = 1 << 16

    static func matches(_ text: UnsafeBufferPointer<UInt8>, _ pattern: UnsafeBufferPointer<UInt8>) -> Bool {
        guard text.count.multipliedReportingOverflow(by: pattern.count).partialValue > smallProduct else {
            return matchesGoingBack(text, pattern)
        }
        return LikeSegments(pattern).match(text)
    }

    /// Goes back to the last `*` only, so the time is bounded by the product of the lengths.
    static func matchesGoingBack(_ text: UnsafeBufferPointer<UInt8>, _ pattern: UnsafeBufferPointer<UInt8>) -> Bool {
        var position = 0
        var place = 0
        var placeAfterStar: Int?
        var positionAtStar = 0
        while position < text.count {
            if place < pattern.count, pattern[place] == UInt8(ascii: "*") {
                place += 1
                placeAfterStar = place
                positionAtStar = position
            } else if place < pattern.count, pattern[place] == UInt8(ascii: "?") {
                place += 1
                position = scalarEnd(in: text, from: position)
            } else if place < pattern.count, pattern[literalEnd(in: pattern, from: place) - 1] == text[position] {
                place = literalEnd(in: pattern, from: place)
                position += 1
            } else if let retry = placeAfterStar {
                positionAtStar = scalarEnd(in: text, from: positionAtStar)
                position = positionAtStar
                place = retry
            } else {
                return false
            }
        }
        while place < pattern.count, pattern[place] == UInt8(ascii: "*") { place += 1 }
        return place == pattern.count
    }

    /// The place behind one literal byte, which stands directly before it.
    private static func literalEnd(in pattern: UnsafeBufferPointer<UInt8>, from place: Int) -> Int {
        pattern[place] == UInt8(ascii: "\\") && place + 1 < pattern.count ? place + 2 : place + 1
    }

    static func scalarEnd(in text: UnsafeBufferPointer<UInt8>, from position: Int) -> Int {
        var end = position + 1
        while end < text.count, text[end] & 0xC0 == 0x80 { end += 1 }
        return end
    }
}
