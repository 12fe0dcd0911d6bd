import Synchronization

/// The members of long chains of ANDs or ORs. A chain that extends another at either end shares its
/// list, so that building one with `p = p & q` or `p = q & p` in a loop takes linear time and
/// memory.
///
///     p                 ├─────────────┤
///     p & q             ├───────────────┤
///     r & (p & q)     ├─────────────────┤
///     list        [   r a  b  c  …    q          ]
///                     lower             upper
///
/// A chain is a range of the list's members. Those never change. New members go next to them if
/// that space is unused, otherwise into a copy.
final class MemberList: @unchecked Sendable {  // members between the bounds are immutable; others belong to the one who has moved a bound
    private let members: UnsafeMutablePointer<PinviewPredicate>
    private let capacity: Int
    private let lower: Atomic<Int>, upper: Atomic<Int>

    /// - Parameter room: for so many more members at each end.
    init(_ members: some Collection<PinviewPredicate>, room: Int = 0) {
        capacity = members.count + 2 * room
        self.members = .allocate(capacity: capacity)
        _ = UnsafeMutableBufferPointer(start: self.members + room, count: members.count).initialize(from: members)
        lower = Atomic(room)
        upper = Atomic(room + members.count)
    }

    deinit {
        let first = lower.load(ordering: .acquiring)
        (members + first).deinitialize(count: upper.load(ordering: .acquiring) - first)
        members.deallocate()
    }

    /// All members of a list that nobody has extended yet.
    var all: Range<Int> { lower.load(ordering: .acquiring)..<upper.load(ordering: .acquiring) }

    subscript(_ range: Range<Int>) -> UnsafeBufferPointer<PinviewPredicate> {
        UnsafeBufferPointer(start: members + range.lowerBound, count: range.count)
    }

    /// Members of the list with some more behind them.
    func appending(_ more: [PinviewPredicate], to range: Range<Int>) -> (list: MemberList, range: Range<Int>) {
        let end = range.upperBound + more.count
        if end <= capacity, upper.compareExchange(expected: range.upperBound, desired: end, ordering: .acquiringAndReleasing).exchanged {
            for (offset, member) in more.enumerated() { (members + range.upperBound + offset).initialize(to: member) }
            return (self, range.lowerBound..<end)
        }
        let list = withExtendedLifetime(self) { MemberList(Array(self[range]) + more, room: (range.count + more.count) / 2) }
        return (list, list.all)
    }

    /// Members of the list with some more before them.
    func prepending(_ more: [PinviewPredicate], to range: Range<Int>) -> (list: MemberList, range: Range<Int>) {
        let start = range.lowerBound - more.count
        if start >= 0, lower.compareExchange(expected: range.lowerBound, desired: start, ordering: .acquiringAndReleasing).exchanged {
            for (offset, member) in more.enumerated() { (members + start + offset).initialize(to: member) }
            return (self, start..<range.upperBound)
        }
        let list = withExtendedLifetime(self) { MemberList(more + Array(self[range]), room: (range.count + more.count) / 2) }
        return (list, list.all)
    }
}
