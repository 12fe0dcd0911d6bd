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
}
