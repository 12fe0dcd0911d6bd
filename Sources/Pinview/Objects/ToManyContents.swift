/// The position of a member in an ordered relationship.
enum MemberPlace {
    case last
    /// In the loaded order.
    case index(Int)
    /// Among the members added while the relationship was not loaded.
    case pending(Int)
    /// Its position in the store.
    case committed
}

/// The members of one object's to-many relationship, and how they differ from the committed ones.
///
/// Maintaining inverses may change a relationship that nobody has loaded. Then only the difference
/// is known, and loading applies it: the members are those of the store without `removed`, plus
/// `inserted`.
final class ToManyContents {
    private let isOrdered: Bool
    @exclusivity(unchecked) private(set) var isLoaded = false
    /// Whether the next load treats disagreeing members without changes of their own as outdated,
    /// as after a save (ONE-04).
    @exclusivity(unchecked) var outdatesMembers = false
    /// The members in order, and those in `stale`.
    @exclusivity(unchecked) private var listed: [ManagedObject] = []
    @exclusivity(unchecked) private var differences: Differences?

    /// What a relationship has that is not just read: most have none of it, and take less than half
    /// of the memory.
    private final class Differences {
        /// What was removed from an unordered relationship and is still listed. It is taken out in
        /// one go before the members are read, so that removing many of them needs no search for
        /// each.
        @exclusivity(unchecked) var stale: Set<ObjectIdentifier> = []
        @exclusivity(unchecked) var inserted = MemberList()
        @exclusivity(unchecked) var removed = MemberList()
        /// The committed members of an ordered relationship in order, noted before its first change;
        /// nil while they are those listed. Each of them is listed or in `removed`, which keep them:
        /// so that taking the note costs a small part of what a second list would.
        ///
        /// Of an unordered relationship, the committed members are those listed without `inserted`
        /// and with `removed`.
        @exclusivity(unchecked) var committedOrder: [Unmanaged<ManagedObject>]?
        /// The members, for fast search; nil as long as searching the list is fast enough, or nobody
        /// has searched. Then `stale` is empty.
        @exclusivity(unchecked) var known: Set<ObjectIdentifier>?
        /// The pending order when the relationship was unloaded, to be merged with the store's order
        /// by the next load.
        @exclusivity(unchecked) var pendingOrder: PendingOrder?
    }

    private var madeDifferences: Differences {
        if let differences { return differences }
        let made = Differences()
        differences = made
        return made
    }

    // In place: a copy of a set would be as large as the relationship.

    private var stale: Set<ObjectIdentifier> {
        _read { if let differences { yield differences.stale } else { yield Set() } }
        _modify { yield &madeDifferences.stale }
    }
    private var insertedMembers: MemberList {
        _read { if let differences { yield differences.inserted } else { yield MemberList() } }
        _modify { yield &madeDifferences.inserted }
    }
    private var removedMembers: MemberList {
        _read { if let differences { yield differences.removed } else { yield MemberList() } }
        _modify { yield &madeDifferences.removed }
    }
    private var committedOrder: [Unmanaged<ManagedObject>]? {
        _read { if let differences { yield differences.committedOrder } else { yield nil } }
        _modify { yield &madeDifferences.committedOrder }
    }
    private var known: Set<ObjectIdentifier>? {
        _read { if let differences { yield differences.known } else { yield nil } }
        _modify { yield &madeDifferences.known }
    }
    private var pendingOrder: PendingOrder? {
        _read { if let differences { yield differences.pendingOrder } else { yield nil } }
        _modify { yield &madeDifferences.pendingOrder }
    }

    private struct PendingOrder {
        var members: [ManagedObject]
        var committed: [ManagedObject]
        var isChange: Bool { !committed.isIdentical(to: members) }

        /// What is known of one member by now; its place is found by the next load.
        mutating func reconcile(_ object: ManagedObject, isCommitted: Bool, isMember: Bool) {
            Self.reconcile(&members, object, isMember)
            Self.reconcile(&committed, object, isCommitted)
        }

        private static func reconcile(_ objects: inout [ManagedObject], _ object: ManagedObject, _ isThere: Bool) {
            let place = objects.position(of: object)
            if isThere, place == nil { objects.append(object) }
            if !isThere, let place { objects.remove(at: place) }
        }
    }

    init(isOrdered: Bool) { self.isOrdered = isOrdered }

    /// The members if they are loaded, in order.
    var members: [ManagedObject] {
        if let differences, !differences.stale.isEmpty { dropStale() }
        return listed
    }

    /// The number of members if they are loaded.
    var count: Int { differences?.known?.count ?? listed.count }

    /// Whether a member is listed and not stale.
    @inline(never)
    private func isListed(_ object: ManagedObject) -> Bool {
        if known == nil {
            if listed.count <= MemberList.searchedLimit { return listed.position(of: object) != nil }
            noteKnown()
        }
        return known?.contains(ObjectIdentifier(object)) ?? false
    }

    @inline(never)
    private func noteKnown() { if known == nil { known = Set(listed.map(ObjectIdentifier.init)) } }

    /// Notes the committed order before the listed one changes.
    @inline(never)
    private func noteCommittedOrder() {
        guard isOrdered, isLoaded, committedOrder == nil else { return }
        committedOrder = listed.map { Unmanaged.passUnretained($0) }
    }

    private func list(_ members: [ManagedObject]) {
        listed = members
        if let differences, !differences.stale.isEmpty { differences.stale = [] }
    }

    @inline(never)
    private func dropStale() {
        if stale.count <= 4 {
            // Looking for each is faster than looking at each member.
            for identifier in stale { if let position = listed.position(of: identifier) { listed.remove(at: position) } }
        } else {
            listed.removeAll { stale.contains(ObjectIdentifier($0)) }
        }
        stale = []
    }

    /// Takes a member out of the list. Returns false if it is none.
    @inline(never)
    private func unlist(_ object: ManagedObject) -> Bool {
        if known == nil, listed.count <= MemberList.searchedLimit {
            guard let position = listed.position(of: object) else { return false }
            listed.remove(at: position)
            return true
        }
        noteKnown()
        guard known?.remove(ObjectIdentifier(object)) != nil else { return false }
        if isOrdered {
            if let position = listed.position(of: object) { listed.remove(at: position) }
        } else {
            stale.insert(ObjectIdentifier(object))
            // A relationship that nobody reads would otherwise grow with each change.
            if stale.count > 64, stale.count > listed.count / 2 { dropStale() }
        }
        return true
    }

    @inline(never)
    private func list(_ object: ManagedObject, at index: Int) {
        if !stale.isEmpty { dropStale() }
        listed.insert(object, at: min(index, listed.count))
    }

    var inserted: [ManagedObject] { differences?.inserted.objects ?? [] }
    var removed: [ManagedObject] { differences?.removed.objects ?? [] }
    func isRemoved(_ object: ManagedObject) -> Bool { differences?.removed.contains(object) ?? false }
    func isInserted(_ object: ManagedObject) -> Bool { differences?.inserted.contains(object) ?? false }

    var hasChanges: Bool { differences != nil && differ }

    @inline(never)
    private var differ: Bool {
        if !insertedMembers.isEmpty || !removedMembers.isEmpty { return true }
        guard isOrdered, let committedOrder else { return pendingOrder?.isChange ?? false }
        return !listed.isIdentical(to: committedOrder)
    }

    /// Whether the order of the members must be written. Members that left an order do not change
    /// the places of the others.
    var hasChangedOrder: Bool {
        guard let committedOrder else { return pendingOrder?.isChange ?? false || !insertedMembers.isEmpty }
        if removedMembers.isEmpty || !insertedMembers.isEmpty { return !listed.isIdentical(to: committedOrder) }
        var place = 0
        for member in committedOrder {
            if place < listed.count, member.toOpaque() == Unmanaged.passUnretained(listed[place]).toOpaque() {
                place += 1
            } else if !removedMembers.contains(member.identifier) {
                return true
            }
        }
        return place < listed.count
    }

    /// Whether all members that are new in the order come last, and nothing else has changed in it;
    /// known without loading the relationship.
    var onlyAppends: Bool { !isLoaded && pendingOrder == nil }

    /// Where members have come or moved to in the order of a loaded, ordered relationship.
    var orderChanges: [Range<Int>] {
        guard let committedOrder else { return [] }
        return MemberOrder.changes(from: committedOrder, to: listed) { removedMembers.contains($0) }
    }

    /// Loads the members of the store, and applies the pending changes to them.
    func load(_ base: [ManagedObject]) {
        if let differences,
            !differences.inserted.isEmpty || !differences.removed.isEmpty || !base.isEmpty && differences.pendingOrder != nil
        {
            return loadDiffering(base)
        }
        list(base)
        isLoaded = true
        if differences != nil { (known, pendingOrder, committedOrder) = (nil, nil, nil) }
    }

    @inline(never)
    private func loadDiffering(_ base: [ManagedObject]) {
        var members = removedMembers.isEmpty ? base : base.filter { !removedMembers.contains($0) }
        var known = Set(members.map(ObjectIdentifier.init))
        for member in inserted where known.insert(ObjectIdentifier(member)).inserted { members.append(member) }
        self.known = known
        // What the store already has, or already lacks, is no change any more.
        let baseMembers = Set(base.map(ObjectIdentifier.init))
        insertedMembers.removeAll { baseMembers.contains(ObjectIdentifier($0)) }
        removedMembers.removeAll { !baseMembers.contains(ObjectIdentifier($0)) }
        committedOrder = isOrdered ? base.map { Unmanaged.passUnretained($0) } : nil
        isLoaded = true
        guard let order = pendingOrder else { return list(members) }
        pendingOrder = nil
        list(MemberOrder.merged(members, newer: base, here: order.members, older: order.committed))
    }

    /// Unloads the members but keeps the pending changes. The next access loads the members again
    /// and merges (ONE-03).
    @inline(never)
    func unload() {
        if isOrdered, isLoaded, let committedOrder, !listed.isIdentical(to: committedOrder) {
            pendingOrder = PendingOrder(members: listed, committed: committedOrder.map { $0.takeUnretainedValue() })
        }
        isLoaded = false
        list([])
        if differences != nil { (known, committedOrder) = (nil, nil) }
    }

    func contains(_ object: ManagedObject) -> Bool {
        isLoaded ? isListed(object) : isInserted(object)
    }

    func index(of object: ManagedObject) -> Int? { members.position(of: object) }

    /// The position of a member, to restore it later.
    @inline(never)
    func place(of object: ManagedObject) -> MemberPlace {
        if isLoaded { return index(of: object).map(MemberPlace.index) ?? .last }
        return inserted.position(of: object).map(MemberPlace.pending) ?? .committed
    }

    /// Adds a member. Returns false if it is one already.
    @inline(never)
    func insert(_ object: ManagedObject, at place: MemberPlace) -> Bool {
        if contains(object) { return false }
        if isLoaded {
            noteCommittedOrder()
            let identifier = ObjectIdentifier(object)
            known?.insert(identifier)
            if stale.remove(identifier) != nil {
                // It is still listed.
            } else if case .last = place {
                listed.append(object)
            } else {
                list(object, at: index(for: place, object))
            }
        }
        if removedMembers.remove(object) { return true }
        if case .pending(let position) = place {
            insertedMembers.insert(object, at: position)
        } else {
            insertedMembers.append(object)
        }
        return true
    }

    private func index(for place: MemberPlace, _ object: ManagedObject) -> Int {
        switch place {
        case .last: return members.count
        case .index(let index): return index
        case .pending(let position):
            return position < inserted.count ? index(of: inserted[position]) ?? members.count : members.count
        case .committed:
            guard let committedOrder, let old = committedOrder.position(of: object) else { return members.count }
            let before = Set(committedOrder[..<old].map(\.identifier))
            return (members.lastIndex { before.contains(ObjectIdentifier($0)) } ?? -1) + 1
        }
    }

    /// Removes a member. Returns false if it is known not to be one.
    @inline(never)
    func remove(_ object: ManagedObject) -> Bool {
        if isLoaded {
            noteCommittedOrder()
            guard unlist(object) else { return false }
        } else if removedMembers.contains(object) {
            return false
        }
        if !insertedMembers.remove(object) { removedMembers.append(object) }
        return true
    }

    /// Reconciles one member with its own side of the relationship, after that has changed
    /// (ONE-02).
    ///
    /// - Parameters:
    ///   - isCommitted: whether the object is a member one store up.
    ///   - isMember: whether the object is a member here.
    /// - Returns: whether anything changed.
    @discardableResult
    func reconcile(_ object: ManagedObject, isCommitted: Bool, isMember: Bool) -> Bool {
        let wasMember = isLoaded && isListed(object)
        let wasInserted = insertedMembers.contains(object), wasRemoved = removedMembers.contains(object)
        let wasCommitted = wasRemoved || wasMember && !wasInserted
        if wasInserted != (isMember && !isCommitted) {
            if wasInserted { _ = insertedMembers.remove(object) } else { insertedMembers.append(object) }
        }
        if wasRemoved != (isCommitted && !isMember) {
            if wasRemoved { _ = removedMembers.remove(object) } else { removedMembers.append(object) }
        }
        let hasNewNotes = wasInserted != insertedMembers.contains(object) || wasRemoved != removedMembers.contains(object)
        guard isLoaded else {
            let wasReordered = pendingOrder?.isChange
            pendingOrder?.reconcile(object, isCommitted: isCommitted, isMember: isMember)
            // Of fewer members the order may be the committed one.
            return hasNewNotes || wasReordered != pendingOrder?.isChange
        }
        if wasCommitted != isCommitted || wasMember != isMember { noteCommittedOrder() }
        if wasCommitted != isCommitted {
            if isCommitted {
                committedOrder?.append(Unmanaged.passUnretained(object))
            } else if let position = committedOrder?.position(of: object) {
                committedOrder?.remove(at: position)
            }
        }
        if wasMember != isMember {
            if isMember {
                known?.insert(ObjectIdentifier(object))
                // Members that this context added stay after those of the store.
                let end = isCommitted ? (members.lastIndex { !insertedMembers.contains($0) } ?? -1) + 1 : members.count
                list(object, at: end)
            } else {
                _ = unlist(object)
            }
        }
        return hasNewNotes || wasCommitted != isCommitted || wasMember != isMember
    }

    /// Moves a member of a loaded, ordered relationship.
    @inline(never)
    func move(_ object: ManagedObject, to index: Int) {
        guard let old = self.index(of: object) else { return }
        noteCommittedOrder()
        listed.remove(at: old)
        listed.insert(object, at: min(index, listed.count))
    }

    /// Puts the members of a loaded, ordered relationship in an order. Objects that are no members
    /// are ignored; members that are not given come last.
    @inline(never)
    func reorder(like order: [ManagedObject]) {
        noteCommittedOrder()
        let given = order.filter(isListed)
        if given.count == listed.count { return listed = given }
        let isGiven = Set(given.map(ObjectIdentifier.init))
        listed = given + listed.filter { !isGiven.contains(ObjectIdentifier($0)) }
    }

    /// Notes that the pending changes have been saved.
    @inline(never)
    func markCommitted() {
        if !insertedMembers.isEmpty { insertedMembers = MemberList() }
        if !removedMembers.isEmpty { removedMembers = MemberList() }
        if differences != nil { pendingOrder = nil }
        // Whoever has left is not kept alive.
        if !stale.isEmpty { dropStale() }
        if differences != nil { committedOrder = nil }
    }

    /// Notes that the owner has no row any more, so that all members are new to the store.
    @inline(never)
    func becomeNew() {
        // What else was to be loaded is lost with the row.
        if !isLoaded {
            list(inserted)
            if differences != nil { known = nil }
        }
        if differences != nil || isOrdered || !members.isEmpty {
            insertedMembers = MemberList(members)
            removedMembers = MemberList()
            pendingOrder = nil
            committedOrder = isOrdered ? [] : nil
        }
        isLoaded = true
    }

    /// Reverts the pending changes.
    @inline(never)
    func revert() {
        if differences == nil { return }
        if isLoaded, isOrdered {
            if let committedOrder {
                list(committedOrder.map { $0.takeUnretainedValue() })
                self.committedOrder = nil
                known = nil
            }
        } else if isLoaded {
            for object in inserted { _ = unlist(object) }
            for object in removed where !isListed(object) {
                known?.insert(ObjectIdentifier(object))
                if stale.remove(ObjectIdentifier(object)) == nil { listed.append(object) }
            }
        }
        pendingOrder = nil
        insertedMembers = MemberList()
        removedMembers = MemberList()
    }

    /// Replaces an object by another one, which stays a member only once.
    @inline(never)
    func replace(_ object: ManagedObject, by other: ManagedObject) {
        func replaced(_ objects: [ManagedObject]) -> [ManagedObject] {
            guard let place = objects.position(of: object) else { return objects }
            var result = objects
            if objects.position(of: other) != nil { result.remove(at: place) } else { result[place] = other }
            return result
        }
        let isInserted = insertedMembers.contains(object), isRemoved = removedMembers.contains(object)
        guard isInserted || isRemoved || isLoaded else { return }
        noteCommittedOrder()
        list(replaced(members))
        if differences != nil {
            known = nil
            if let order = committedOrder?.map({ $0.takeUnretainedValue() }) {
                committedOrder = replaced(order).map { Unmanaged.passUnretained($0) }
            }
        }
        if isInserted { insertedMembers = MemberList(replaced(insertedMembers.objects)) }
        if isRemoved { removedMembers = MemberList(replaced(removedMembers.objects)) }
    }

    #if DEBUG
        var invariantViolations: [String] {
            func identifiers(_ objects: [ManagedObject]) -> Set<ObjectIdentifier> { Set(objects.map(ObjectIdentifier.init)) }
            // Asking for the members empties it.
            let hasStale = known == nil && !stale.isEmpty
            let isMember = identifiers(members), isInserted = identifiers(inserted), isRemoved = identifiers(removed)
            var violations: [String] = []
            if hasStale { violations.append("has stale members, but no set to tell them from the others") }
            if isMember.count != members.count { violations.append("has a member twice") }
            if isInserted.count != inserted.count || isRemoved.count != removed.count {
                violations.append("notes a change of a member twice")
            }
            if !isInserted.isDisjoint(with: isRemoved) { violations.append("has a member both inserted and removed") }
            if let known, known != isMember { violations.append("has \(members.count) members, but looks for \(known.count)") }
            if !isLoaded, !members.isEmpty { violations.append("has members, but is not loaded") }
            if isLoaded, !isInserted.isSubset(of: isMember) { violations.append("lacks a member that was inserted") }
            if !isMember.isDisjoint(with: isRemoved) { violations.append("has a member that was removed") }
            return violations
        }
    #endif
}
