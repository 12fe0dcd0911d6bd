import PinviewModel

/// The positions that keep the members of an ordered relationship in order (`Z_FOK_…`).
package enum RelationshipOrder {
    static let first: Int64 = 2048
    static let step: Int64 = 1024

    /// New positions for members in their new order, with as few changes as possible.
    ///
    /// - Parameter current: the current position of each member, or nil.
    /// - Returns: ascending positions. Members whose positions are already ascending keep them; the
    ///   others get positions in between, or all get new ones if there is no room.
    static func positions(current: [Int64?]) -> [Int64] {
        let kept = longestAscending(current)
        var result = [Int64](repeating: 0, count: current.count)
        var index = 0
        var lower: Int64 = 0
        while index < current.count {
            if kept[index], let position = current[index] {
                result[index] = position
                lower = position
                index += 1
                continue
            }
            var end = index
            while end < current.count, !kept[end] { end += 1 }
            let upper = end < current.count ? current[end] : nil
            guard let filled = between(index == 0 ? nil : lower, upper, count: end - index) else { return renumbered(current.count) }
            for (place, position) in filled.enumerated() { result[index + place] = position }
            lower = result[end - 1]
            index = end
        }
        return result
    }

    /// Ascending positions, evenly distributed between two, or in steps after the last one.
    ///
    /// - Parameters:
    ///   - lower: the position before them; nil at the beginning of the order.
    ///   - upper: the position after them; nil at the end of the order.
    /// - Returns: nil if there is no room.
    static func between(_ lower: Int64?, _ upper: Int64?, count: Int) -> [Int64]? {
        var gap = step
        if let upper {
            let (distance, overflow) = upper.subtractingReportingOverflow(lower ?? 0)
            guard !overflow, distance > Int64(count) else { return nil }
            gap = distance / (Int64(count) + 1)
        }
        var position = lower ?? (upper == nil ? first - step : 0)
        var positions: [Int64] = []
        positions.reserveCapacity(count)
        for _ in 0..<count {
            let (next, overflow) = position.addingReportingOverflow(gap)
            guard !overflow else { return nil }
            position = next
            positions.append(position)
        }
        return positions
    }

    private static func renumbered(_ count: Int) -> [Int64] {
        (0..<count).map { first + Int64($0) * step }
    }

    /// Whether each position is one of a longest subsequence of strictly ascending positive ones.
    package static func longestAscending(_ positions: [Int64?]) -> [Bool] {
        LongestAscending.members(of: positions.map { position in position.flatMap { $0 > 0 ? $0 : nil } })
    }
}
