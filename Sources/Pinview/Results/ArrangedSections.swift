/// The sections of a results controller's objects, in order.
///
/// Names and places are apart: a change of few objects, which moves all sections behind them, copies
/// numbers and no names.
struct ArrangedSections {
    private(set) var names: [String] = []
    /// Where each section starts, and where the last one ends.
    private var starts = [0]

    var count: Int { names.count }
    var indices: Range<Int> { names.indices }

    func range(_ section: Int) -> Range<Int> { starts[section]..<starts[section + 1] }

    @inline(never)
    func path(_ index: Int) -> PinviewIndexPath {
        let section = partitionPoint(count) { starts[$0 + 1] <= index }
        return PinviewIndexPath(item: index - starts[section], section: section)
    }

    /// Adds objects behind all others: to the last section if it has this name, otherwise to one of
    /// their own.
    @inline(never)
    mutating func append(_ name: String, _ more: Int) {
        if names.last == name {
            starts[count] += more
        } else {
            starts.append(starts[count] + more)
            names.append(name)
        }
    }

    /// The same sections with other numbers of objects; nil if one of them would have none.
    ///
    /// - Parameter more: how many more objects each section has.
    func with(_ more: [Int]) -> ArrangedSections? {
        var other = self, sum = 0
        for section in indices {
            sum += more[section]
            other.starts[section + 1] += sum
            if other.starts[section + 1] == other.starts[section] { return nil }
        }
        return other
    }
}
