/// The primary keys that a save gives to new objects, by their temporary ones.
///
/// Both are handed out in ascending order, so that a few runs of neighbours have them all.
struct AssignedKeys {
    private struct Run {
        let temporary: Int64
        let permanent: Int64
        var count: UInt64 = 1

        @inline(__always)
        func key(for key: Int64) -> Int64? {
            let offset = UInt64(bitPattern: key &- temporary)
            return offset < count ? permanent &+ Int64(bitPattern: offset) : nil
        }
    }

    private var runs: [Run] = []

    mutating func append(_ permanent: Int64, for temporary: Int64) {
        if let last = runs.last, last.key(for: temporary &- 1) == permanent &- 1 {
            runs[runs.count - 1].count += 1
        } else {
            runs.append(Run(temporary: temporary, permanent: permanent))
        }
    }

    /// To be called when all are there, before the first look-up.
    mutating func sort() { runs.sort { $0.temporary < $1.temporary } }

    var isEmpty: Bool { runs.isEmpty }

    /// The runs, each as its first temporary key, its first permanent one, and how many there are.
    func forEachRun(_ body: (Int64, Int64, UInt64) -> Void) {
        for run in runs { body(run.temporary, run.permanent, run.count) }
    }

    func key(for temporary: Int64) -> Int64? {
        // The last run that begins at the key or before it.
        var low = 0, high = runs.count
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].temporary <= temporary { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? runs[low - 1].key(for: temporary) : nil
    }
}
