import Synchronization

/// The members of long chains of ANDs or ORs. A chain that is made of another one and some more shares its list: `p = p & q` in a loop
/// costs what its members cost, not the square of their number.
///
///     p            ├─────────────┤
///     p & q        ├───────────────┤
///     (p & q) & r  ├─────────────────┤
///     list         [ a  b  c  …    q r          ]   used
///
/// A chain is a list and how many of its first members belong to it. Those are never changed; a new member is put behind them where
/// nobody has put another one, else into a copy.
final class MemberList: @unchecked Sendable {  // members below `used` are immutable; the others belong to the one who has moved `used`
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

    /// The first `count` members and some more.
    func extended(_ count: Int, by more: [Predicate]) -> MemberList {
        let total = count + more.count
        if total <= capacity, used.compareExchange(expected: count, desired: total, ordering: .acquiringAndReleasing).exchanged {
            for (offset, member) in more.enumerated() { (members + count + offset).initialize(to: member) }
            return self
        }
        return withExtendedLifetime(self) { MemberList(Array(prefix(count)) + more, capacity: 2 * total) }
    }
}
