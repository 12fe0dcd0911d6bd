import Synchronization

/// The members of long chains of ANDs or ORs. A chain that extends another shares its list, so that
/// building one with `p = p & q` in a loop takes linear time and memory.
///
///     p            ├─────────────┤
///     p & q        ├───────────────┤
///     (p & q) & r  ├─────────────────┤
///     list         [ a  b  c  …    q r          ]   used
///
/// A chain consists of a list and the number of its first members that belong to the chain. Those
/// never change. New members go behind them if that space is unused, otherwise into a copy.
final class MemberList: @unchecked Sendable {  // members below `used` never change; the thread that advances `used` writes the others
    private let members: UnsafeMutablePointer<Predicate>
    private let capacity: Int
    private let used: Atomic<Int>

    init(_ members: some Collection<Predicate>, capacity: Int = 0) {
        self.capacity = max(capacity, members.count)
        self.members = .allocate(capacity: self.capacity)
        _ = UnsafeMutableBufferPointer(start: self.members, count: self.capacity).initialize(from: members)
        used = Atomic(members.count)
    }

    deinit {
        members.deinitialize(count: used.load(ordering: .acquiring))
        members.deallocate()
    }

    func prefix(_ count: Int) -> UnsafeBufferPointer<Predicate> { UnsafeBufferPointer(start: members, count: count) }

    /// The first `count` members, followed by more.
    func extended(_ count: Int, by more: [Predicate]) -> MemberList {
        let total = count + more.count
        if total <= capacity, used.compareExchange(expected: count, desired: total, ordering: .acquiringAndReleasing).exchanged {
            for (offset, member) in more.enumerated() { (members + count + offset).initialize(to: member) }
            return self
        }
        return withExtendedLifetime(self) { MemberList(Array(prefix(count)) + more, capacity: 2 * total) }
    }
}
