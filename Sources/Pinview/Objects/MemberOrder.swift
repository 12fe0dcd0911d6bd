import PinviewStore

/// Merges the order of an ordered relationship that was changed both here and elsewhere.
///
/// Members present on both sides have the newer order, unless this context moved some of them: then
/// they have this context's order. A member of one side only follows the member that precedes it on
/// that side, or comes last if it is last there.
///
///     older   here      newer       merged
///     a b     a x b     a c b       a x c b       c came elsewhere, x here
///     a b     b a       a b c       b a c         moved here, c came elsewhere
///     a b c   a b c x   c a b       c a b x       moved elsewhere, x came here
enum MemberOrder {
    /// - Parameters:
    ///   - members: the members of the merged relationship, in any order.
    ///   - newer: the store's current members, in order.
    ///   - here: this context's members, in order.
    ///   - older: the store's members that `here` is based on, in order.
    static func merged(
        _ members: [ManagedObject], newer: [ManagedObject], here: [ManagedObject], older: [ManagedObject]
    ) -> [ManagedObject] {
        let wanted = Set(members), isHere = Set(here), isOlder = Set(older)
        let isMovedHere = !here.filter(isOlder.contains).elementsEqual(older.filter(isHere.contains), by: ===)
        let (first, second) = isMovedHere ? (here, newer) : (newer, here)
        var merged = first.filter(wanted.contains)
        add(second.filter(wanted.contains), to: &merged)
        add(members, to: &merged)
        return merged
    }

    /// Inserts the missing members, each after its predecessor.
    private static func add(_ others: [ManagedObject], to merged: inout [ManagedObject]) {
        var known = Set(merged)
        let lastKnown = others.lastIndex(where: known.contains) ?? -1
        for (place, object) in others.enumerated() where known.insert(object).inserted {
            let before = place > 0 && place < lastKnown ? merged.firstIndex { $0 === others[place - 1] } : nil
            if place > lastKnown { merged.append(object) } else { merged.insert(object, at: before.map { $0 + 1 } ?? 0) }
        }
    }

    // MARK: Changes of an order

    /// What has to move for an order to become another one, as few members as possible.
    ///
    /// Only the part in which the orders differ is looked at closely. Usually some members were
    /// added at the end, or a single one was moved.
    ///
    /// - Parameter isRemoved: whether a member of the older order has left; of the newer order it is
    ///   none then.
    /// - Returns: where members are in the newer order that follow each other and are not where they
    ///   were.
    static func changes(
        from older: [Unmanaged<ManagedObject>], to newer: [ManagedObject], isRemoved: (ObjectIdentifier) -> Bool
    ) -> [Range<Int>] {
        let (old, new) = differingParts(older, newer, isRemoved)
        if new.isEmpty { return [] }
        if let place = loneMove(older, old, newer, new) { return [place..<place + 1] }
        let left = older[old].map(\.identifier).filter { !isRemoved($0) }
        if left.isEmpty { return [new] }
        let present = newer[new].map { ObjectIdentifier($0) }
        var places: [ObjectIdentifier: Int64] = [:]
        places.reserveCapacity(left.count)
        for (place, member) in left.enumerated() { places[member] = Int64(place) + 1 }
        let stays = RelationshipOrder.longestAscending(present.map { places[$0] })
        var ranges: [Range<Int>] = []
        var place = 0
        while place < present.count {
            let first = place
            while place < present.count, !stays[place] { place += 1 }
            if first < place { ranges.append(new.lowerBound + first..<new.lowerBound + place) }
            place += 1
        }
        return ranges
    }

    /// The place of the only member that has moved, from one end of the differing parts to the other;
    /// nil if that is not all. In long orders it is usual, and comparing addresses takes no time.
    private static func loneMove(
        _ older: [Unmanaged<ManagedObject>], _ old: Range<Int>, _ newer: [ManagedObject], _ new: Range<Int>
    ) -> Int? {
        guard old.count == new.count, old.count > 1 else { return nil }
        return older.withAddresses { older in
            newer.withAddresses { newer in
                let left = older[old], present = newer[new]
                if left.first == present.last, left.dropFirst().elementsEqual(present.dropLast()) { return new.upperBound - 1 }
                if left.last == present.first, left.dropLast().elementsEqual(present.dropFirst()) { return new.lowerBound }
                return nil
            }
        }
    }

    /// The parts of two orders without what they begin and end with in common.
    private static func differingParts(
        _ older: [Unmanaged<ManagedObject>], _ newer: [ManagedObject], _ isRemoved: (ObjectIdentifier) -> Bool
    ) -> (Range<Int>, Range<Int>) {
        var first = 0, second = 0
        while first < older.count, second < newer.count {
            if older[first].toOpaque() == address(newer, second) { second += 1 } else if !isRemoved(older[first].identifier) { break }
            first += 1
        }
        var firstEnd = older.count, secondEnd = newer.count
        while firstEnd > first, secondEnd > second {
            if older[firstEnd - 1].toOpaque() == address(newer, secondEnd - 1) {
                secondEnd -= 1
            } else if !isRemoved(older[firstEnd - 1].identifier) {
                break
            }
            firstEnd -= 1
        }
        return (first..<firstEnd, second..<secondEnd)
    }

    @inline(__always)
    private static func address(_ objects: [ManagedObject], _ place: Int) -> UnsafeMutableRawPointer {
        Unmanaged.passUnretained(objects[place]).toOpaque()
    }
}
