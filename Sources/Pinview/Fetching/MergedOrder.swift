import PinviewModel
import PinviewPredicates
import PinviewStore

/// The changed objects that a fetch returns, in its order.
struct SortedChanges {
    private(set) var objects: [ManagedObject] = []
    private let descriptors: [ResolvedSortDescriptor]
    /// As many for each object as there are descriptors.
    private var keys: [Value] = []

    /// - Parameter evaluated: the objects that may match. Those with equal keys keep their order.
    init(_ evaluated: [ManagedObject], _ fetch: ResolvedFetch) throws(PinviewError) {
        descriptors = fetch.sortDescriptors
        var matching: [ManagedObject] = [], found: [Value] = []
        for object in evaluated where try fetch.matches(object) {
            matching.append(object)
            for descriptor in descriptors { found.append(try descriptor.key(of: object)) }
        }
        let width = descriptors.count
        let order = matching.indices.sorted { [descriptors] left, right in
            for place in 0..<width {
                let order = descriptors[place].order(found[left * width + place], found[right * width + place])
                if order != 0 { return order < 0 }
            }
            return left < right
        }
        objects.reserveCapacity(order.count)
        keys.reserveCapacity(found.count)
        for index in order {
            objects.append(matching[index])
            keys += found[index * width..<(index + 1) * width]
        }
    }

    /// The first of some unchanged objects or rows, in order, that comes after a changed object.
    /// Those with equal keys come before it: nobody has changed them since.
    ///
    /// - Parameters:
    ///   - start: the first that can be it.
    ///   - key: the key of one of them for one of the descriptors.
    /// - Returns: `count` if all of them come before it.
    func place<Failure: Error>(
        of index: Int, from start: Int, among count: Int, key: (_ other: Int, _ descriptor: Int) throws(Failure) -> Value
    ) throws(Failure) -> Int {
        func precedes(_ other: Int) throws(Failure) -> Bool {
            for (place, descriptor) in descriptors.enumerated() {
                let order = descriptor.order(try key(other, place), keys[index * descriptors.count + place])
                if order != 0 { return order < 0 }
            }
            return true
        }
        // Where many objects have changed, it is near the place of the one before.
        var low = start, step = 1
        while low + step <= count, try precedes(low + step - 1) {
            low += step
            step *= 2
        }
        return try low
            + partitionPoint(min(step - 1, count - low)) { (offset) throws(Failure) in try precedes(low + offset) }
    }
}

/// What a fetch returns beside unsaved changes, in order, as far as anybody has asked for it:
///
///     unchanged rows     a  b  c  d  e  f …      in the store's order, without the rows of changed objects
///     changed objects          x        y        each with its rank, the number of rows before it: 2 and 5
///     merged             a  b  x  c  d  e  y  f …
struct MergedOrder {
    /// What the store is asked for.
    private let fetch: StoreFetch
    private let changes: SortedChanges
    /// The keys of the rows to leave out.
    private let replaced: Set<Int64>
    /// How many unchanged rows precede those that are read.
    private let passedOver: Int

    private(set) var unchanged = ReferenceList()
    /// Of the objects that come before the last row that has been read.
    private(set) var ranks: [Int] = []
    private var readCount = 0
    private(set) var isComplete = false

    /// - Parameters:
    ///   - fetch: without limit and offset.
    ///   - passedOver: the number of unchanged rows that are of no interest. What is merged with them
    ///     counts, but has no order.
    init(_ fetch: StoreFetch, _ changes: SortedChanges, replacing replaced: Set<Int64>, passingOver passedOver: Int = 0) {
        (self.fetch, self.changes, self.replaced, self.passedOver) = (fetch, changes, replaced, passedOver)
    }

    /// How far the order is known, from the beginning of the result.
    var end: Int { passedOver + unchanged.count + ranks.count }

    // MARK: Reading

    /// Reads as many rows as it takes to know the order up to an end. How many of them are left out is
    /// not known beforehand, so more are read each time.
    ///
    /// - Parameter read: reads rows from the store piece by piece, as
    ///   `ReadableStore.fetchSortedReferences` does.
    mutating func extend(
        to wanted: Int, _ read: (StoreFetch, (SortedReferences) -> Bool) throws(PinviewError) -> Bool
    ) throws(PinviewError) {
        var spare = min(replaced.count, max(wanted - end, 64))
        while end < wanted, !isComplete {
            var next = fetch
            next.offset = passedOver + readCount
            let (limit, isTooLarge) = (wanted - end).addingReportingOverflow(spare)
            next.limit = isTooLarge ? 0 : limit
            let readBefore = readCount
            let isAll = try read(next) { piece in
                add(piece)
                return end < wanted
            }
            if isAll, next.limit == 0 || readCount - readBefore < next.limit { complete() }
            spare = min(replaced.count, spare * 4 + 64)
        }
    }

    private mutating func add(_ piece: SortedReferences) {
        let before = unchanged.count
        readCount += piece.references.count
        var rows: [Int] = []
        rows.reserveCapacity(piece.references.count)
        for (row, reference) in piece.references.enumerated() where !replaced.contains(reference.primaryKey) {
            unchanged.append(reference)
            rows.append(row)
        }
        var place = 0
        while ranks.count < changes.objects.count {
            place = changes.place(of: ranks.count, from: place, among: rows.count) { piece.key(rows[$0], $1) }
            // The next row may have the same keys, and come before it.
            if place == rows.count { return }
            ranks.append(before + place)
        }
    }

    private mutating func complete() {
        isComplete = true
        while ranks.count < changes.objects.count { ranks.append(unchanged.count) }
    }

    // MARK: Parts of the result

    /// A part of the result: some rows, and the objects among them with their ranks.
    struct Part {
        let rows: Range<Int>
        let objects: [(object: ManagedObject, rank: Int)]
    }

    /// - Parameter range: what of it is not known, or was passed over, is left out.
    func part(_ range: Range<Int>) -> Part {
        let lower = max(0, min(range.lowerBound, end) - passedOver), upper = max(lower, min(range.upperBound, end) - passedOver)
        // An object is preceded by all before it, too.
        let first = partitionPoint(ranks.count) { ranks[$0] + $0 < lower }
        let last = partitionPoint(ranks.count) { ranks[$0] + $0 < upper }
        let rows = lower - first..<upper - last
        return Part(
            rows: rows,
            objects: (first..<last).map { (changes.objects[$0], ranks[$0] - rows.lowerBound) })
    }
}

extension [ManagedObject] {
    /// With other objects among them, each after as many of these as its rank says.
    func merged(with others: [(object: ManagedObject, rank: Int)]) -> [ManagedObject] {
        if others.isEmpty { return self }
        var merged: [ManagedObject] = []
        merged.reserveCapacity(count + others.count)
        var start = 0
        for (object, rank) in others {
            merged += self[start..<rank]
            merged.append(object)
            start = rank
        }
        return merged + self[start...]
    }
}

/// The orders that a context has merged for its last fetches, so that the next page at the same
/// generation needs only itself. Any change ends them.
struct MergedOrders {
    private var kept: [(key: FetchKey, rank: UInt64, order: MergedOrder)] = []
    private static let limit = 4

    /// Takes an order out, to be extended and kept again.
    mutating func take(_ key: FetchKey, atRank rank: UInt64) -> MergedOrder? {
        kept.firstIndex { $0.rank == rank && $0.key == key }.map { kept.remove(at: $0).order }
    }

    mutating func keep(_ order: MergedOrder, _ key: FetchKey, atRank rank: UInt64) {
        if kept.count == Self.limit { kept.removeFirst() }
        kept.append((key, rank, order))
    }

    @inline(__always)
    mutating func removeAll() { if !kept.isEmpty { kept = [] } }
}
