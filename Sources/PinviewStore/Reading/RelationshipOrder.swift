/// The positions that keep the members of an ordered relationship in order (`Z_FOK_…`).
enum RelationshipOrder {
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
            if kept.contains(index), let position = current[index] {
                result[index] = position
                lower = position
                index += 1
                continue
            }
            var end = index
            while end < current.count, !kept.contains(end) { end += 1 }
            let upper = end < current.count ? current[end] : nil
            guard fill(&result, index..<end, above: lower, below: upper, isFirst: index == 0) else { return renumbered(current.count) }
            lower = result[end - 1]
            index = end
        }
        return result
    }

    /// Distributes ascending positions evenly between two kept ones, or in steps after the last
    /// kept one.
    private static func fill(_ result: inout [Int64], _ range: Range<Int>, above lower: Int64, below upper: Int64?, isFirst: Bool) -> Bool {
        let count = Int64(range.count)
        let gap: Int64
        if let upper {
            let (distance, overflow) = upper.subtractingReportingOverflow(lower)
            guard !overflow, distance > count else { return false }
            gap = distance / (count + 1)
        } else {
            gap = step
        }
        var position = isFirst && upper == nil ? first - step : lower
        for index in range {
            let (next, overflow) = position.addingReportingOverflow(gap)
            guard !overflow else { return false }
            position = next
            result[index] = position
        }
        return true
    }

    private static func renumbered(_ count: Int) -> [Int64] {
        (0..<count).map { first + Int64($0) * step }
    }

    /// The indexes of a longest subsequence of strictly ascending positive positions.
    private static func longestAscending(_ positions: [Int64?]) -> Set<Int> {
        var tails: [Int] = []
        var previous = [Int](repeating: -1, count: positions.count)
        for (index, position) in positions.enumerated() {
            guard let position, position > 0 else { continue }
            var low = 0
            var high = tails.count
            while low < high {
                let middle = (low + high) / 2
                if let tail = positions[tails[middle]], tail < position { low = middle + 1 } else { high = middle }
            }
            if low > 0 { previous[index] = tails[low - 1] }
            if low == tails.count { tails.append(index) } else { tails[low] = index }
        }
        var kept: Set<Int> = []
        var index = tails.last ?? -1
        while index >= 0 {
            kept.insert(index)
            index = previous[index]
        }
        return kept
    }
}
