/// Turns a pattern as users write it into one that the C library compiles in bounded time, with the same meaning.
///
/// - The C library has no `\d`.
/// - A parenthesis that closes nothing stands for itself, also where the pattern is put into a group.
/// - A reference to a group (`\1`) would cost exponential time and is refused.
/// - `x+` becomes `xx*` there. Where `x` can be empty, nested ones cost exponential time; `x*` then means the same, and is not written out.
/// - `x{2,9}` is written out nine times. Where `x` can be empty, that costs the cube of their number, which is bounded.
struct PatternRewriter {
    /// Where a part can match the empty text. A sequence can where all of its parts can, alternatives where one of them can.
    private enum Emptiness: Int, Comparable {
        case nowhere
        /// Such as `\b`: only at some places, so that `x*` would mean something else than `x+`.
        case atPlaces
        case everywhere

        static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// What has been read of a group.
    private struct Group {
        /// Of the alternatives before the current one.
        var alternatives = Emptiness.nowhere
        /// Of the current one but its last part.
        var sequence = Emptiness.everywhere
        /// Of its last part; nil without any.
        var last: Emptiness?
        /// How often the last part, or one within it, is written out although it can be empty.
        var copies = 1
        /// The greatest of all parts.
        var mostCopies = 1

        mutating func add(_ part: Emptiness, copies: Int = 1) {
            sequence = min(sequence, last ?? .everywhere)
            last = part
            self.copies = copies
            mostCopies = max(mostCopies, copies)
        }

        /// - Returns: how often it is written out now.
        mutating func multiplyCopies(by count: Int) -> Int {
            copies *= max(count, 1)
            mostCopies = max(mostCopies, copies)
            return copies
        }

        mutating func endAlternative() {
            alternatives = max(alternatives, min(sequence, last ?? .everywhere))
            sequence = .everywhere
            last = nil
        }
    }

    private let pattern: [UInt8]
    private var position = 0
    private var result: [UInt8] = []
    private var groups: [Group] = []
    private var group = Group()
    private var repeatedAssertions = 0

    /// What is repeated although it can be empty at some places is written out; so many of them cost nothing to speak of.
    private static let maximumRepeatedAssertions = 3
    private static let maximumCopies = 200

    init(_ pattern: [UInt8]) { self.pattern = pattern }

    /// - Throws: `badModel`.
    mutating func rewritten() throws(PinviewError) -> String {
        while position < pattern.count {
            let byte = pattern[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\\"): try escape()
            case UInt8(ascii: "["):
                let start = position - 1
                TextPattern.skipBracket(in: pattern, from: &position)
                result += pattern[start..<min(position, pattern.count)]
                group.add(.nowhere)
            case UInt8(ascii: "("):
                result.append(byte)
                groups.append(group)
                group = Group()
            case UInt8(ascii: ")"): endGroup()
            case UInt8(ascii: "|"):
                result.append(byte)
                group.endAlternative()
            case UInt8(ascii: "*"), UInt8(ascii: "?"):
                result.append(byte)
                if group.last != nil { group.last = .everywhere }
            case UInt8(ascii: "+"): try repeatLast(as: [byte])
            case UInt8(ascii: "{"): try interval()
            case UInt8(ascii: "^"), UInt8(ascii: "$"):
                result.append(byte)
                group.add(.atPlaces)
            default:
                result.append(byte)
                group.add(.nowhere)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private mutating func escape() throws(PinviewError) {
        guard position < pattern.count else { throw PinviewError(.badModel, "the pattern ends in a backslash") }
        let escaped = pattern[position]
        position += 1
        switch escaped {
        case UInt8(ascii: "d"): result += Array("[0-9]".utf8)
        case UInt8(ascii: "D"): result += Array("[^0-9]".utf8)
        case UInt8(ascii: "1")...UInt8(ascii: "9"):
            throw PinviewError(.badModel, "\\\(escaped - 48) refers back to a group, which is not supported")
        default: result += [UInt8(ascii: "\\"), escaped]
        }
        group.add("bB<>`'".utf8.contains(escaped) ? .atPlaces : .nowhere)
    }

    private mutating func endGroup() {
        guard let outer = groups.popLast() else {
            result += Array("\\)".utf8)
            return group.add(.nowhere)
        }
        result.append(UInt8(ascii: ")"))
        group.endAlternative()
        let (part, copies) = (group.alternatives, group.mostCopies)
        group = outer
        group.add(part, copies: part == .nowhere ? 1 : copies)
    }

    /// At least once, or more often, without an end.
    private mutating func repeatLast(as written: [UInt8]) throws(PinviewError) {
        switch group.last {
        case .everywhere: result.append(UInt8(ascii: "*"))
        case .atPlaces:
            repeatedAssertions += 1
            guard repeatedAssertions <= Self.maximumRepeatedAssertions else {
                throw PinviewError(.badModel, "the pattern repeats ^, $ or \\b too often, within each other or not")
            }
            result += written
        case .nowhere, nil: result += written
        }
    }

    /// `{2}`, `{2,}`, `{2,5}`; what is none of them is left to the C library.
    private mutating func interval() throws(PinviewError) {
        let start = position - 1
        let end = pattern[position...].firstIndex(of: UInt8(ascii: "}")) ?? pattern.count
        let bounds = String(decoding: pattern[position..<end], as: UTF8.self).split(separator: ",", omittingEmptySubsequences: false)
        position = min(end + 1, pattern.count)
        let written = Array(pattern[start..<position])
        if bounds.count == 2, bounds[1].isEmpty, Int(bounds[0]) != nil {
            try repeatLast(as: written)
        } else {
            result += written
        }
        if let last = group.last, last > .nowhere {
            let most = bounds.compactMap { Int($0) }.max() ?? 0
            guard group.multiplyCopies(by: min(most, Self.maximumCopies + 1)) <= Self.maximumCopies else {
                throw PinviewError(
                    .badModel, "the pattern is too large: what can be empty must not be repeated more than \(Self.maximumCopies) times")
            }
        }
        let least = bounds.count == 2 && bounds[0].isEmpty ? 0 : bounds.first.flatMap { Int($0) }
        if least == 0, group.last != nil { group.last = .everywhere }
    }
}
