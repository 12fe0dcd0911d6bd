/// A version identifier that is a number: `3`, `2.10`, `1.0.4`.
package struct VersionNumber: Comparable, Sendable {
    private let parts: [Int]

    /// Nil for an identifier that is no number.
    package init?(_ identifier: String) {
        var parts: [Int] = []
        for part in identifier.split(separator: ".", omittingEmptySubsequences: false) {
            guard part.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let number = Int(part) else { return nil }
            parts.append(number)
        }
        // 2.0 is 2.
        while parts.count > 1, parts.last == 0 { parts.removeLast() }
        self.parts = parts
    }

    /// The highest number among the identifiers of a version; nil if none is a number.
    package static func highest(of identifiers: [String]) -> VersionNumber? { identifiers.compactMap(VersionNumber.init).max() }

    package static func < (left: VersionNumber, right: VersionNumber) -> Bool { left.parts.lexicographicallyPrecedes(right.parts) }
}
