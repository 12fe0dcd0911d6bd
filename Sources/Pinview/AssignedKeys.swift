/// The primary keys that a save gives to new objects, by their temporary ones.
///
/// Temporary keys are handed out in ascending order, so the list is mostly dense: a look-up is a guess that is right.
struct AssignedKeys {
    private var entries: [(temporary: Int64, permanent: Int64)] = []

    mutating func reserve(_ count: Int) { entries.reserveCapacity(count) }

    mutating func append(_ permanent: Int64, for temporary: Int64) { entries.append((temporary, permanent)) }

    /// To be called when all are there, before the first look-up.
    mutating func sort() {
        for index in entries.indices.dropFirst() where entries[index - 1].temporary > entries[index].temporary {
            return entries.sort { $0.temporary < $1.temporary }
        }
    }

    func key(for temporary: Int64) -> Int64? {
        guard let first = entries.first?.temporary else { return nil }
        let (guess, overflow) = temporary.subtractingReportingOverflow(first)
        if !overflow, guess >= 0, guess < entries.count, entries[Int(guess)].temporary == temporary { return entries[Int(guess)].permanent }
        var low = 0, high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].temporary < temporary { low = middle + 1 } else { high = middle }
        }
        return low < entries.count && entries[low].temporary == temporary ? entries[low].permanent : nil
    }
}
