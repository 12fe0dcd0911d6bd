/// Which elements can stay where they are when others are put in order around them.
package enum LongestAscending {
    /// Whether each number is one of a longest strictly ascending subsequence.
    ///
    /// - Parameter numbers: nil for an element that cannot be one of them.
    package static func members(of numbers: [Int64?]) -> [Bool] {
        if areAscending(numbers) { return [Bool](repeating: true, count: numbers.count) }
        // For each length, the smallest number that ends such a subsequence, and its index.
        var ends: [(number: Int64, index: Int)] = []
        var previous = [Int](repeating: -1, count: numbers.count)
        for (index, number) in numbers.enumerated() {
            guard let number else { continue }
            let length = partitionPoint(ends.count) { ends[$0].number < number }
            if length > 0 { previous[index] = ends[length - 1].index }
            if length == ends.count { ends.append((number, index)) } else { ends[length] = (number, index) }
        }
        var isMember = [Bool](repeating: false, count: numbers.count)
        var index = ends.last?.index ?? -1
        while index >= 0 {
            isMember[index] = true
            index = previous[index]
        }
        return isMember
    }

    private static func areAscending(_ numbers: [Int64?]) -> Bool {
        var last: Int64?
        for number in numbers {
            guard let number else { return false }
            if let last, last >= number { return false }
            last = number
        }
        return true
    }
}
