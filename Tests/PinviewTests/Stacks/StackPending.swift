import Pinview

/// The naive model of a context's pending changes: what differs from what is one store up, a
/// dictionary.
///
/// A context shows the rows of its source (the commit that its generation is, the newest one, or
/// what its parent shows), less the rows in `deleted`, plus those in `inserted`, with the values in
/// `changes` in place of the source's. A to-many relationship is the source's members, less those
/// removed here, plus those added here. Setting what is committed already is no change.
struct StackPending: Equatable {
    /// In place of the number of a record that has been deleted.
    static let gone = -1

    /// New rows, with all that they have.
    var inserted: StackGraph = [:]
    var deleted: Set<Int> = []
    var changes: [Int: Change] = [:]

    struct Members: Equatable {
        var added: Set<Int> = []
        var removed: Set<Int> = []
        /// Whether members have been reordered, according to the library.
        var isMoved = false
        var isEmpty: Bool { added.isEmpty && removed.isEmpty && !isMoved }
        static func == (left: Members, right: Members) -> Bool { left.added == right.added && left.removed == right.removed }
    }

    /// The present destination of a to-one relationship; `was` is the one in the source.
    struct Link: Equatable {
        var was: Int?
        var now: Int?
        static func == (left: Link, right: Link) -> Bool { left.now == right.now }
    }

    struct Change: Equatable {
        var attributes: [String: Value] = [:]
        var toOne: [String: Link] = [:]
        var toMany: [String: Members] = [:]
        var isEmpty: Bool { attributes.isEmpty && toOne.isEmpty && toMany.isEmpty }
        var hasRelationships: Bool { !toOne.isEmpty || !toMany.isEmpty }
    }

    var updated: Set<Int> { Set(changes.keys) }
    var hasChanges: Bool { !inserted.isEmpty || !deleted.isEmpty || !changes.isEmpty }
    var isRelated: Bool {
        changes.values.contains { $0.hasRelationships }
            || inserted.values.contains { !$0.toOne.isEmpty || $0.toMany.contains { !$0.value.isEmpty } }
    }

    // MARK: Changing

    /// - Parameter committed: what the source has.
    mutating func set(_ number: Int, _ attribute: String, _ value: Value, committed: Value) {
        if inserted[number] != nil {
            inserted[number]?.attributes[attribute] = value
        } else {
            change(number) { change in
                if value == committed { change.attributes.removeValue(forKey: attribute) } else { change.attributes[attribute] = value }
            }
        }
    }

    /// Sets both sides of a to-one relationship, based on the relationships that the context shows.
    mutating func link(_ number: Int, _ relationship: StackSchema.Relationship, to destination: Int?, shown: (Int, String) throws -> Int?)
        rethrows
    {
        let old = try shown(number, relationship.name)
        if old == destination { return }
        try setLink(number, relationship.name, destination, shown)
        guard let inverse = StackSchema.inverse(of: relationship) else { return }
        if inverse.isToMany {
            if let old { removeMember(old, inverse.name, number) }
            if let destination { addMember(destination, inverse.name, number) }
            return
        }
        // One-to-one: a former partner of either of them has no partner now.
        if let old, try shown(old, inverse.name) == number { try setLink(old, inverse.name, nil, shown) }
        guard let destination else { return }
        let previous = try shown(destination, inverse.name)
        try setLink(destination, inverse.name, number, shown)
        if let previous, previous != number, previous != destination, try shown(previous, relationship.name) == destination {
            try setLink(previous, relationship.name, nil, shown)
        }
    }

    /// Adds a member; false if it is one already.
    mutating func add(_ owner: Int, _ relationship: StackSchema.Relationship, _ member: Int, shown: (Int, String) throws -> Int?) rethrows {
        guard let inverse = StackSchema.inverse(of: relationship) else { return addMember(owner, relationship.name, member) }
        if inverse.isToMany {
            addMember(owner, relationship.name, member)
            if owner != member || inverse.name != relationship.name { addMember(member, inverse.name, owner) }
            return
        }
        let previous = try shown(member, inverse.name)
        if previous == owner { return }
        if let previous { removeMember(previous, relationship.name, member) }
        addMember(owner, relationship.name, member)
        try setLink(member, inverse.name, owner, shown)
    }

    mutating func remove(_ owner: Int, _ relationship: StackSchema.Relationship, _ member: Int, shown: (Int, String) throws -> Int?)
        rethrows
    {
        removeMember(owner, relationship.name, member)
        guard let inverse = StackSchema.inverse(of: relationship) else { return }
        if inverse.isToMany {
            if owner != member || inverse.name != relationship.name { removeMember(member, inverse.name, owner) }
        } else {
            try setLink(member, inverse.name, nil, shown)
        }
    }

    private mutating func setLink(_ number: Int, _ name: String, _ destination: Int?, _ shown: (Int, String) throws -> Int?) rethrows {
        if inserted[number] != nil {
            inserted[number]?.toOne[name] = destination
            return
        }
        let was: Int?
        if let link = changes[number]?.toOne[name] { was = link.was } else { was = try shown(number, name) }
        change(number) { $0.toOne[name] = was == destination ? nil : Link(was: was, now: destination) }
    }

    /// Others' changes were merged: what was removed here and there is no longer a pending removal,
    /// and what was added in both is no longer a pending addition.
    ///
    /// - Parameters:
    ///   - source: the present members in the store.
    ///   - member: the only member for which this is known; nil if it is known for all.
    mutating func agree(_ owner: Int, _ name: String, with source: Set<Int>, about member: Int? = nil) {
        guard let members = changes[owner]?.toMany[name] else { return }
        func isKnown(_ number: Int) -> Bool { member == nil || number == member }
        change(owner) { change in
            change.toMany[name]?.removed = members.removed.filter { source.contains($0) || !isKnown($0) }
            change.toMany[name]?.added = members.added.filter { !source.contains($0) || !isKnown($0) }
            if change.toMany[name]?.isEmpty == true { change.toMany[name] = nil }
        }
    }

    private mutating func addMember(_ owner: Int, _ name: String, _ member: Int) {
        if inserted[owner] != nil {
            let members = Set(inserted[owner]?.toMany[name] ?? []).union([member])
            inserted[owner]?.toMany[name] = members.sorted()
            return
        }
        change(owner) { change in
            if change.toMany[name, default: Members()].removed.remove(member) == nil { change.toMany[name]?.added.insert(member) }
            if change.toMany[name]?.isEmpty == true { change.toMany[name] = nil }
        }
    }

    private mutating func removeMember(_ owner: Int, _ name: String, _ member: Int) {
        if inserted[owner] != nil {
            inserted[owner]?.toMany[name]?.removeAll { $0 == member }
            return
        }
        change(owner) { change in
            if change.toMany[name, default: Members()].added.remove(member) == nil { change.toMany[name]?.removed.insert(member) }
            if change.toMany[name]?.isEmpty == true { change.toMany[name] = nil }
        }
    }

    private mutating func change(_ number: Int, _ body: (inout Change) -> Void) {
        // The relationships of a deleted object do not matter.
        if number == Self.gone || deleted.contains(number) { return }
        var change = changes[number] ?? Change()
        body(&change)
        changes[number] = change.isEmpty ? nil : change
    }

    /// The other side of a pending reference is recorded when it is loaded after a merge.
    mutating func takeOtherSides(of observed: StackPending) {
        for (number, change) in observed.changes {
            for (name, link) in change.toOne where changes[number]?.toOne[name] == nil {
                guard let relationship = StackSchema.relationship(name, of: StackSchema.entity(number)),
                    let inverse = StackSchema.inverse(of: relationship), !inverse.isToMany
                else { continue }
                let isImplied =
                    if let now = link.now {
                        changes[now]?.toOne[inverse.name]?.now == number
                    } else {
                        link.was.flatMap { changes[$0]?.toOne[inverse.name] }.map { $0.now != number } ?? false
                    }
                if isImplied { changes[number, default: Change()].toOne[name] = link }
            }
            for (name, members) in change.toMany {
                guard let relationship = StackSchema.relationship(name, of: StackSchema.entity(number)),
                    let inverse = StackSchema.inverse(of: relationship), !inverse.isToMany
                else { continue }
                let known = changes[number]?.toMany[name] ?? Members()
                let areImplied =
                    members.added.subtracting(known.added).allSatisfy { changes[$0]?.toOne[inverse.name]?.now == number }
                    && members.removed.subtracting(known.removed).allSatisfy { member in
                        changes[member]?.toOne[inverse.name].map { $0.now != number } ?? false
                    }
                guard areImplied, known.added.isSubset(of: members.added), known.removed.isSubset(of: members.removed) else { continue }
                changes[number, default: Change()].toMany[name] = members
            }
        }
    }

    /// A redo of a deletion takes the object out of a relationship without an inverse that has been
    /// loaded since.
    mutating func takeDeletedMembersWithoutInverse(of observed: StackPending) {
        for relationship in StackSchema.relationships where relationship.isToMany && relationship.inverse == nil {
            for (owner, change) in observed.changes {
                let removed = (change.toMany[relationship.name]?.removed ?? []).intersection(deleted).intersection(observed.deleted)
                guard !removed.isEmpty else { continue }
                changes[owner, default: Change()].toMany[relationship.name, default: Members()].removed.formUnion(removed)
            }
        }
    }

    // MARK: What is gone

    /// References to an object that turned out to be gone from the store are nil.
    func leadingOnly(to isThere: (Int) -> Bool) -> StackPending {
        var result = self
        for (number, change) in changes {
            for (name, link) in change.toOne {
                guard let now = link.now, !isThere(now) else { continue }
                result.changes[number]?.toOne[name] = link.was == nil ? nil : Link(was: link.was, now: nil)
            }
            for (name, members) in change.toMany {
                var left = members
                left.added = left.added.filter(isThere)
                result.changes[number]?.toMany[name] = left.isEmpty ? nil : left
            }
            if result.changes[number]?.isEmpty == true { result.changes[number] = nil }
        }
        for (number, row) in inserted {
            for (name, now) in row.toOne where !isThere(now) { result.inserted[number]?.toOne[name] = nil }
            for (name, members) in row.toMany { result.inserted[number]?.toMany[name] = members.filter(isThere) }
        }
        return result
    }

    // MARK: Committing

    /// The content of a store after the changes are committed to it: deletions first, then rows,
    /// then both sides of relationships.
    func committed(on graph: StackGraph) -> StackGraph {
        var result = graph
        for number in deleted { result[number] = nil }
        for (number, row) in inserted { result[number] = row }
        for (number, change) in changes where result[number] != nil {
            for (name, value) in change.attributes { result[number]?.attributes[name] = value }
            for (name, link) in change.toOne { result[number]?.toOne[name] = link.now }
            for (name, members) in change.toMany {
                let base = Set(result[number]?.toMany[name] ?? [])
                result[number]?.toMany[name] = base.subtracting(members.removed).union(members.added).sorted()
            }
        }
        for (number, change) in changes where result[number] != nil { completePartners(of: number, change, &result) }
        // Where a relationship is a column of the member's row, the member decides.
        for relationship in StackSchema.relationships where relationship.isToMany {
            guard let inverse = StackSchema.inverse(of: relationship), !inverse.isToMany else { continue }
            var members: [Int: [Int]] = [:]
            for (number, row) in result { if let owner = row.toOne[inverse.name] { members[owner, default: []].append(number) } }
            for (number, row) in result where row.toMany[relationship.name] != nil {
                result[number]?.toMany[relationship.name] = (members[number] ?? []).sorted()
            }
        }
        // Even without an inverse a member has one owner: the last one that got it.
        for relationship in StackSchema.relationships where relationship.isToMany && StackSchema.inverse(of: relationship) == nil {
            let name = relationship.name
            var owners: [Int: Int] = [:]
            for (owner, change) in changes { for member in change.toMany[name]?.added ?? [] { owners[member] = owner } }
            for (owner, row) in inserted { for member in row.toMany[name] ?? [] { owners[member] = owner } }
            for owner in result.keys {
                result[owner]?.toMany[name]?.removeAll { member in owners[member].map { $0 != owner } ?? false }
            }
        }
        return result
    }

    /// A one-to-one relationship that is changed on one side only changes on the other one too
    /// (ONE-02): its partner may have got another partner since the context read it.
    private func completePartners(of number: Int, _ change: Change, _ graph: inout StackGraph) {
        for relationship in StackSchema.relationships where !relationship.isToMany {
            guard let partner = change.toOne[relationship.name]?.now, let row = graph[partner],
                let inverse = StackSchema.inverse(of: relationship), !inverse.isToMany, row.toOne[inverse.name] != number,
                inserted[partner] == nil, changes[partner]?.toOne[inverse.name] == nil
            else { continue }
            if let former = row.toOne[inverse.name], graph[former]?.toOne[relationship.name] == partner {
                graph[former]?.toOne[relationship.name] = nil
            }
            graph[partner]?.toOne[inverse.name] = number
        }
    }

    /// What both differ in, in words; nil when they are the same.
    func difference(from other: StackPending, name: String, otherName: String) -> String? {
        if self == other { return nil }
        func differ<T: Equatable>(_ what: String, _ mine: T, _ theirs: T) -> String? {
            mine == theirs ? nil : "\(what): \(name) \(mine), \(otherName) \(theirs)"
        }
        var found = [
            differ("insertedObjects", inserted.keys.sorted(), other.inserted.keys.sorted()),
            differ("updatedObjects", updated.sorted(), other.updated.sorted()),
            differ("deletedObjects", deleted.sorted(), other.deleted.sorted()),
        ].compactMap { $0 }
        for number in updated.intersection(other.updated).sorted() {
            found += [differ("changes of \(number)", changes[number].map(Self.text), other.changes[number].map(Self.text))].compactMap {
                $0
            }
        }
        for (number, row) in inserted {
            guard let theirs = other.inserted[number] else { continue }
            for property in row.differences(from: theirs) {
                found.append(
                    "\(property) of the new \(number): \(name) \(row.shown(property)), \(otherName) \(theirs.shown(property))")
            }
        }
        return found.joined(separator: "; ")
    }

    private static func text(_ change: Change) -> String {
        var words = change.attributes.map { "\($0)=\($1)" }.sorted()
        words += change.toOne.map { "\($0)->\($1.now.map(String.init) ?? "nil")" }.sorted()
        words += change.toMany.map { "\($0)+\($1.added.sorted())-\($1.removed.sorted())" }.sorted()
        return "{" + words.joined(separator: " ") + "}"
    }
}

extension StackRow {
    func shown(_ property: String) -> String {
        if let value = attributes[property] { return "\(value)" }
        if let members = toMany[property] { return "\(members)" }
        return toOne[property].map { "\($0)" } ?? "nil"
    }
}
