import PinviewModel

/// Which registered objects have anything in memory about a relationship, so that nobody has to look
/// through all of them. If a context's objects may come from different states, each side of a
/// relationship is looked for when the other one is read.
///
///     Post.author    user 1 ──▶ post 3, post 8      the objects that lead to each destination
///                    user 2 ──▶ post 5
///     Tag.posts      tag 1, tag 2                   the owners with members, loaded or changed
///
/// What it guarantees of the relationships that have been asked for: an object with values is in the
/// lists of its committed and of its present destination, and an owner with members is among the
/// owners. There may be others, and they may be gone: whoever asks looks at the object itself.
///
/// Made when it is first asked for. Whatever gives an object another destination, or members, notes
/// that: a fault that fires, a new row, a change, loading, another key. Everything is on the
/// context's queue.
final class References {
    /// A relationship; the same for all sub-entities.
    private struct Relationship: Hashable {
        let entityIndex: Int
        let index: Int

        init(_ property: Property) { (entityIndex, index) = (property.declaringEntityIndex, property.index) }
    }

    private var lists: [Relationship: [ObjectKey: [ObjectKey]]] = [:]
    private var owners: [Relationship: Set<ObjectKey>] = [:]
    private var count = 0
    private var limit = 4096

    /// Whether what objects no longer are in would soon be more than what they are in.
    var isOverfull: Bool { count > limit }

    func knows(_ relationship: Property) -> Bool { lists[Relationship(relationship)] != nil }

    /// Begins with a relationship.
    ///
    /// - Parameter capacity: how many objects there are that may have a destination.
    func add(_ relationship: Property, capacity: Int) {
        lists[Relationship(relationship)] = [:]
        limit += 4 * capacity
    }

    /// Notes a destination of an object by a relationship that it knows.
    func note(_ object: ObjectKey, _ relationship: Property, _ destination: ObjectKey?) {
        guard let destination else { return }
        lists[Relationship(relationship)]?[destination, default: []].append(object)
        count += 1
    }

    func knowsOwners(of relationship: Property) -> Bool { owners[Relationship(relationship)] != nil }

    /// Notes an owner of members by a relationship whose owners it knows.
    func noteOwner(_ object: ObjectKey, of relationship: Property) { owners[Relationship(relationship)]?.insert(object) }

    /// The keys of the objects that may have members.
    func owners(of relationship: Property) -> Set<ObjectKey> { owners[Relationship(relationship)] ?? [] }

    func setOwners(_ keys: Set<ObjectKey>, of relationship: Property) { owners[Relationship(relationship)] = keys }

    /// Notes that an object has another key.
    func rename(_ old: ObjectKey, to new: ObjectKey) {
        for relationship in lists.keys {
            if let members = lists[relationship]?.removeValue(forKey: old) { lists[relationship]?[new, default: []] += members }
        }
        for (relationship, keys) in owners where keys.contains(old) { owners[relationship]?.insert(new) }
    }

    /// The keys of the objects that may lead to an object, each once.
    func objects(leadingTo destination: ObjectKey, by relationship: Property) -> Set<ObjectKey> {
        Set(lists[Relationship(relationship)]?[destination] ?? [])
    }
}

extension ContextState {
    private var usableReferences: References {
        if let references, !references.isOverfull { return references }
        let made = References()
        references = made
        return made
    }

    /// The registered objects with values that lead to an object by a to-one relationship, in this
    /// context or in the row that they have, in the order of their keys.
    ///
    /// - Parameter relationship: a to-one relationship with an inverse.
    func objects(leadingTo destination: ObjectKey, by relationship: Property) -> [ManagedObject] {
        // While all objects are of one state, nobody is told of those that get values.
        guard mayBeMixed else { return registeredObjects(ofKind: relationship.declaringEntityIndex).filter { !$0.flags.contains(.fault) } }
        let known = usableReferences
        if !known.knows(relationship) {
            let objects = registeredObjects(ofKind: relationship.declaringEntityIndex)
            known.add(relationship, capacity: objects.count)
            for object in objects { note(object, relationship, in: known) }
        }
        return known.objects(leadingTo: destination, by: relationship).compactMap { key in
            guard let object = registry.object(key), !object.flags.contains(.fault) else { return nil }
            return object
        }
        .sorted { $0.primaryKey < $1.primaryKey }
    }

    /// The registered objects that may have members by a to-many relationship, loaded or changed, in
    /// the order of their keys.
    func owners(ofMembersBy relationship: Property) -> [ManagedObject] {
        knownOwners(relationship).compactMap { registry.object($0) }.sorted { $0.primaryKey < $1.primaryKey }
    }

    private func knownOwners(_ relationship: Property) -> Set<ObjectKey> {
        let known = usableReferences
        if !known.knowsOwners(of: relationship) {
            let owners = registeredObjects(ofKind: relationship.declaringEntityIndex).filter { $0.hasMembers(relationship.index) }
            known.setOwners(Set(owners.map(\.key)), of: relationship)
        }
        return known.owners(of: relationship)
    }

    /// Unloads the members of all owners of an entity and its sub-entities. Those that keep anything
    /// remain known.
    func unloadMembers(of property: Property, ownersOfKind entityIndex: Int) {
        var left: Set<ObjectKey> = []
        for key in knownOwners(property) {
            guard let owner = registry.object(key) else { continue }
            if owner.entity.isKind(ofIndex: entityIndex) { unloadMembers(of: owner, property) }
            if owner.hasMembers(property.index) { left.insert(key) }
        }
        references?.setOwners(left, of: property)
    }

    /// Notes that an object has members in memory.
    @inline(__always)
    func noteOwner(_ owner: ManagedObject, _ property: Property) {
        if let references { noteOwner(owner, property, in: references) }
    }

    @inline(never)
    private func noteOwner(_ owner: ManagedObject, _ property: Property, in references: References) {
        references.noteOwner(owner.key, of: property)
    }

    @inline(__always)
    func noteOwner(_ owner: ManagedObject, _ index: Int) {
        if references != nil, let property = owner.property(atIndex: index) { noteOwner(owner, property) }
    }

    private func note(_ object: ManagedObject, _ relationship: Property, in references: References) {
        guard let inverse = inverse(of: relationship), object.flags.isDisjoint(with: [.fault, .invalidated]) else { return }
        let key = foreignKey(of: object, relationship, inverse)
        references.note(object.key, relationship, key.committed)
        if key.current != key.committed { references.note(object.key, relationship, key.current) }
    }

    /// Notes the new keys of objects.
    ///
    /// - Parameter objects: each with its former key.
    func renameReferences(_ objects: [(ManagedObject, ObjectKey)]) {
        // The rows of a child name new objects of its parent by keys that change with the parent's.
        if hasParent { return references = nil }
        guard let references else { return }
        for (object, old) in objects { references.rename(old, to: object.key) }
        for (object, _) in objects {
            note(object, in: references)
            // New objects have no members, which nobody has noted.
            for index in object.binding.toManyIndexes where object.hasMembers(index) { noteOwner(object, index) }
        }
    }

    /// Notes where an object leads that has got a row.
    @inline(__always)
    func noteReferences(of object: ManagedObject) {
        if let references { note(object, in: references) }
    }

    @inline(never)
    private func note(_ object: ManagedObject, in references: References) {
        for (property, _) in object.binding.toOneWithInverse where references.knows(property) { note(object, property, in: references) }
    }

    /// Notes that an object has got another destination.
    @inline(__always)
    func noteReference(of object: ManagedObject, _ index: Int, _ destination: ManagedObject) {
        if let references { note(object, index, destination, in: references) }
    }

    @inline(never)
    private func note(_ object: ManagedObject, _ index: Int, _ destination: ManagedObject, in references: References) {
        guard let property = object.property(atIndex: index), references.knows(property) else { return }
        references.note(object.key, property, destination.key)
    }

    #if DEBUG
        /// Objects that are not in the list of a destination.
        func referenceViolations(of object: ManagedObject) -> [String] {
            guard let references, object.flags.isDisjoint(with: [.fault, .invalidated]), registry.contains(object) else { return [] }
            var violations: [String] = []
            for index in object.binding.toManyIndexes where object.hasMembers(index) && !object.flags.contains(.inserted) {
                guard let property = object.property(atIndex: index), references.knowsOwners(of: property),
                    !references.owners(of: property).contains(object.key)
                else { continue }
                violations.append("\(object).\(property.name) has members, and nobody knows")
            }
            for key in foreignKeys(of: object) where mayBeMixed && references.knows(key.property) {
                for destination in [key.committed, key.current].compactMap({ $0 })
                where !references.objects(leadingTo: destination, by: key.property).contains(object.key) {
                    violations.append("\(object).\(key.property.name) is not among the references to \(destination)")
                }
            }
            return violations
        }
    #endif
}

extension ManagedObject {
    /// Whether the members of a to-many relationship are loaded, or pending changes of them are known.
    fileprivate func hasMembers(_ index: Int) -> Bool {
        switch slot(index) {
        case .toMany(let contents): contents.isLoaded || contents.hasChanges
        case .noMembers: true
        case .unloaded, .value, .toOne: false
        }
    }
}
