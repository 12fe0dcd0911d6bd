/// The order of an ordered relationship that was changed here and elsewhere.
///
/// Members that both sides had keep the newer order, unless this context moved some of them: then
/// they keep this context's. What only one side has comes behind the member that stands before it
/// on that side, or last if it is last there.
///
///     older   here      newer       merged
///     a b     a x b     a c b       a x c b       c came elsewhere, x here
///     a b     b a       a b c       b a c         moved here, c came elsewhere
///     a b c   a b c x   c a b       c a b x       moved elsewhere, x came here
enum MemberOrder {
    /// - Parameters:
    ///   - members: what the relationship has, in whatever order.
    ///   - newer: the members that the store has now, in their order.
    ///   - here: this context's order.
    ///   - older: the store's order that `here` began with.
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

    /// Adds those that are missing, each behind the one that stands before it.
    private static func add(_ others: [ManagedObject], to merged: inout [ManagedObject]) {
        var known = Set(merged)
        let lastKnown = others.lastIndex(where: known.contains) ?? -1
        for (place, object) in others.enumerated() where known.insert(object).inserted {
            let before = place > 0 && place < lastKnown ? merged.firstIndex { $0 === others[place - 1] } : nil
            if place > lastKnown { merged.append(object) } else { merged.insert(object, at: before.map { $0 + 1 } ?? 0) }
        }
    }
}
