import PinviewModel
import PinviewStore

/// Changing properties. The *primitive* changes affect one side only, are recorded for undo, and
/// maintain the change sets. The others use them to maintain inverse relationships too.
extension ContextState {
    // MARK: Attributes

    func setAttribute(_ object: ManagedObject, _ property: Property, _ value: Value) throws(PinviewError) {
        let value = try property.convert(value)
        try property.requireSettable()
        try requireUsable(object)
        if object.flags.contains(.fault) { try fire(object) }
        if !property.isTransient, !isUnnoticed { return setStoredAttribute(object, .passUnretained(property), value) }
        let old = try attributeValue(of: object, property)
        if old != value { primitiveSetAttribute(object, property, old: old, new: value) }
    }

    /// Sets a stored attribute of a realised object.
    func setStoredAttribute(_ object: ManagedObject, _ property: Unmanaged<Property>, _ value: Value) {
        let index = property._withUnsafeGuaranteedRef { $0.index }
        if object.fillEmpty(index, value) {
            record { if $0.keepsValues(of: object) { $0.recordAttribute(object, property, old: .null, new: value) } }
            if !object.isNotedAsInserted { noteChange(of: object) }
            noteLastChange(of: object)
            return
        }
        var differs = true
        if case .value(let old) = object.slot(index) {
            guard old != value else {
                // A value that was set overrides that of a row that a uniqueness constraint leads
                // to, even if it is the default (UNQ-02).
                if object.flags.contains(.inserted), !value.isNull { object.setChanged(index, true) }
                return
            }
            record { $0.recordAttribute(object, property, old: old, new: value) }
            differs = !isCommitted(value, object, property)
        } else {
            let old = object.committedValue(of: property)
            guard !isCommitted(value, object, property) else { return }
            record { $0.recordAttribute(object, property, old: old, new: value) }
        }
        object.setValue(index, value, isChanged: differs)
        if !object.isNotedAsInserted || !object.flags.contains(.inserted) { noteChange(of: object) }
        noteLastChange(of: object)
    }

    /// Sets stored attributes of a new object for the first time. The calling thread is inside the
    /// queue to change objects.
    ///
    /// - Parameters:
    ///   - first: the position in `indexes` to start at.
    ///   - usualValue: the value for a position; nil if it needs the general path.
    /// - Returns: the position of the first attribute that needs the general path.
    @inline(__always)
    func fillAtOnce(_ object: ManagedObject, _ indexes: [Int], from first: Int, _ usualValue: (Int) -> Value?) -> Int {
        var isRecorded = false
        record { isRecorded = $0.keepsValues(of: object) }
        guard object.isNotedAsInserted, isReadable, !isUnnoticed, !isRecorded else { return first }
        return object.unmanagedBinding._withUnsafeGuaranteedRef { binding in
            var place = first
            while place < indexes.count, let value = usualValue(place), binding.attribute(at: indexes[place], taking: value) != nil,
                object.fillEmpty(indexes[place], value)
            { place += 1 }
            if place > first { noteLastChange(of: object) }
            return place
        }
    }

    func primitiveSetAttribute(_ object: ManagedObject, _ property: Property, old: Value, new: Value) {
        if isUnnoticed {
            object.setSlot(property.index, .value(new))
            if property.isTransient { object.transientBaseline[property.index] = new }
            return
        }
        record { $0.recordAttribute(object, .passUnretained(property), old: old, new: new) }
        object.setSlot(property.index, .value(new))
        let baseline = property.isTransient ? object.transientBaseline[property.index] ?? .null : object.committedValue(of: property)
        object.setChanged(property.index, new != baseline)
        noteChange(of: object)
    }

    // MARK: To-one relationships

    func setToOne(_ object: ManagedObject, _ property: Property, _ destination: ManagedObject?) throws(PinviewError) {
        try requireChangeProcessing("Changing a relationship")
        if let destination { try requireRelatable(destination, to: object, property) }
        let inverse = inverse(of: property)
        // Load the partners' values first, so that the change does not affect how they are
        // reconciled.
        if let destination, let inverse {
            if !inverse.isToMany { _ = try toOne(destination, inverse) }
            try loadOrder(of: destination, inverse, for: object)
        }
        let old = try currentDestination(of: object, property, inverse)
        if let destination { try requireRows(of: object, property, destination) }
        guard old !== destination else { return }
        try primitiveSetToOne(object, property, old: old, new: destination)
        guard let inverse else { return }
        if let old { try removeFromInverse(old, inverse, object) }
        if let destination { try addToInverse(destination, inverse, object) }
    }

    func primitiveSetToOne(
        _ object: ManagedObject, _ property: Property, old: ManagedObject?, new: ManagedObject?
    ) throws(PinviewError) {
        record(.toOne(object, property, old: old, new: new))
        object.setSlot(property.index, .toOne(new))
        let committedKey = try committedReference(of: object, property)?.key
        object.setChanged(property.index, new?.key != committedKey)
        noteChange(of: object)
    }

    /// The destination of a to-one relationship after its one-to-one partner has been read too. The
    /// partner may belong to another object by now, which changes the object's own destination.
    private func currentDestination(
        of object: ManagedObject, _ property: Property, _ inverse: Property?
    ) throws(PinviewError) -> ManagedObject? {
        guard let destination = try toOne(object, property) else { return nil }
        guard let inverse, !inverse.isToMany, destination.flags.contains(.fault), !destination.flags.contains(.inaccessible) else {
            return destination
        }
        _ = try toOne(destination, inverse)
        return try toOne(object, property)
    }

    private func addToInverse(_ destination: ManagedObject, _ inverse: Property, _ object: ManagedObject) throws(PinviewError) {
        if inverse.isToMany {
            try primitiveInsertMember(destination, inverse, object, at: .last)
            if let back = self.inverse(of: inverse) { noteMember(object, back, of: destination, inverse) }
            return
        }
        let back = self.inverse(of: inverse)
        let previous = try currentDestination(of: destination, inverse, back)
        guard previous !== object else {
            // The destination was read when the two were partners, which they no longer are in the
            // store: its row must be written too.
            destination.setChanged(inverse.index, true)
            return noteChange(of: destination)
        }
        try primitiveSetToOne(destination, inverse, old: previous, new: object)
        // One-to-one: the destination's former partner loses it.
        if let previous, let back, !back.isToMany, try toOne(previous, back) === destination {
            try primitiveSetToOne(previous, back, old: destination, new: nil)
        }
    }

    /// Removes an object from the other side of one of its relationships.
    func leave(_ destination: ManagedObject, _ property: Property, _ object: ManagedObject) throws(PinviewError) {
        if let inverse = inverse(of: property) { try removeFromInverse(destination, inverse, object) }
    }

    private func removeFromInverse(_ destination: ManagedObject, _ inverse: Property, _ object: ManagedObject) throws(PinviewError) {
        if destination.flags.contains(.inaccessible) { return }
        if inverse.isToMany {
            primitiveRemoveMember(destination, inverse, object)
            if let back = self.inverse(of: inverse) { noteMember(object, back, of: destination, inverse) }
        } else if try toOne(destination, inverse) === object {
            try primitiveSetToOne(destination, inverse, old: object, new: nil)
        }
    }

    // MARK: To-many relationships

    /// Adds a member; `index` is the position in an ordered relationship.
    func insertMember(
        _ owner: ManagedObject, _ property: Property, _ member: ManagedObject, at index: Int? = nil
    ) throws(PinviewError) {
        try requireChangeProcessing("Changing a relationship")
        try requireRelatable(member, to: owner, property)
        try requireUsable(owner)
        let place = index.map(MemberPlace.index) ?? .last
        if index != nil { _ = try toMany(owner, property) }
        guard let inverse = inverse(of: property), !inverse.isToMany else {
            // Adding a member again changes nothing, and only the loaded relationship can tell.
            guard try !toMany(owner, property).contains(member) else { return }
            try requireRows(of: owner, property, member)
            if let inverse = inverse(of: property) {
                try primitiveInsertMember(owner, property, member, at: place)
                return try primitiveInsertMember(member, inverse, owner, at: .last)
            }
            // Without an inverse, too, a member has one owner, since the file has one column for
            // it.
            if let former = try currentOwner(of: member, property) { primitiveRemoveMember(former, property, member) }
            member.isMemberWithoutInverse = true
            return try primitiveInsertMember(owner, property, member, at: place)
        }
        try loadOrder(of: owner, property, for: member)
        let previous = try toOne(member, inverse)
        try requireRows(of: owner, property, member)
        guard previous !== owner else {
            // The owner may have loaded its members before the store had this one; otherwise
            // nothing changes.
            let contents = owner.toManyContents(property)
            if contents.isLoaded { try primitiveInsertMember(owner, property, member, at: place) }
            return
        }
        try primitiveSetToOne(member, inverse, old: previous, new: owner)
        if let previous { try removeFromInverse(previous, property, member) }
        try primitiveInsertMember(owner, property, member, at: place)
        noteMember(member, inverse, of: owner, property)
    }

    /// Notes that the row of an object that joined or left a relationship must be written, although
    /// its reference already has the right value: the row was read before the object left or joined
    /// according to the state from which the members were loaded.
    private func noteMember(_ member: ManagedObject, _ inverse: Property, of owner: ManagedObject, _ property: Property) {
        guard mayBeMixed, !inverse.isToMany, !member.changed.contains(inverse.index),
            member.flags.isDisjoint(with: [.fault, .inserted, .deleted, .invalidated, .inaccessible]),
            case .toMany(let contents) = owner.slot(property.index), contents.isInserted(member) || contents.isRemoved(member)
        else { return }
        member.setChanged(inverse.index, true)
        noteChange(of: member)
    }

    func removeMember(_ owner: ManagedObject, _ property: Property, _ member: ManagedObject) throws(PinviewError) {
        try requireChangeProcessing("Changing a relationship")
        try requireUsable(owner)
        try requireUsable(member)
        // A member that gets its values only now may turn out not to be one.
        if let inverse = inverse(of: property), !inverse.isToMany { _ = try toOne(member, inverse) }
        guard try toMany(owner, property).contains(member) else { return }
        primitiveRemoveMember(owner, property, member)
        guard let inverse = inverse(of: property) else { return }
        try removeFromInverse(member, inverse, owner)
        noteMember(member, inverse, of: owner, property)
    }

    /// Sets the members of a relationship, in this order if it is ordered.
    func setMembers(_ owner: ManagedObject, _ property: Property, _ members: [ManagedObject]) throws(PinviewError) {
        for member in members { try requireRelatable(member, to: owner, property) }
        let current = try toMany(owner, property).members
        var isWanted: Set<ObjectIdentifier> = []
        let wanted = members.filter { isWanted.insert(ObjectIdentifier($0)).inserted }
        let leaving = current.filter { !isWanted.contains(ObjectIdentifier($0)) }
        if property.isOrdered, !leaving.isEmpty {
            // Each leaves from the end of the order, where it need not be searched for, and nothing
            // moves up.
            let staying = current.filter { isWanted.contains(ObjectIdentifier($0)) }
            try reorderMembers(owner, property, staying + leaving.reversed())
        }
        for member in leaving { try removeMember(owner, property, member) }
        for member in wanted { try insertMember(owner, property, member) }
        if property.isOrdered { try reorderMembers(owner, property, wanted) }
    }

    @inline(never)
    func moveMember(_ owner: ManagedObject, _ property: Property, _ member: ManagedObject, to index: Int) throws(PinviewError) {
        try requireChangeProcessing("Changing a relationship")
        let contents = try toMany(owner, property)
        guard let old = contents.index(of: member), old != index else { return }
        primitiveMoveMember(owner, property, member, from: old, to: index)
    }

    /// Puts the members of an ordered relationship in an order. Objects that are no members are
    /// ignored; members that are not given come last.
    func reorderMembers(_ owner: ManagedObject, _ property: Property, _ order: [ManagedObject]) throws(PinviewError) {
        try requireChangeProcessing("Changing a relationship")
        if try toMany(owner, property).members.isIdentical(to: order) { return }
        primitiveReorderMembers(owner, property, order)
    }

    func primitiveInsertMember(
        _ owner: ManagedObject, _ property: Property, _ member: ManagedObject, at place: MemberPlace, isReversal: Bool = false
    ) throws(PinviewError) {
        try loadOrder(of: owner, property, for: member)
        let contents = owner.toManyContents(property)
        let isChange = contents.insert(member, at: place)
        guard isChange || isReversal && isManyToMany(property) else { return }
        record(.insertedMember(owner, property, member))
        noteMembers(owner, property, contents)
    }

    /// Loads the order of an ordered relationship. A member that was removed and is added again
    /// goes to the end, which only the loaded order can tell. Loading reconciles members with their
    /// own sides, so call this before those change.
    @inline(never)
    private func loadOrder(of owner: ManagedObject, _ property: Property, for member: ManagedObject) throws(PinviewError) {
        guard property.isOrdered, case .toMany(let contents) = owner.slot(property.index), !contents.isLoaded, contents.isRemoved(member)
        else { return }
        _ = try toMany(owner, property)
    }

    func primitiveRemoveMember(_ owner: ManagedObject, _ property: Property, _ member: ManagedObject, isReversal: Bool = false) {
        let contents = owner.toManyContents(property)
        let place = property.isOrdered ? contents.place(of: member) : .last
        let isChange = takeOut(member, of: owner, property, contents)
        guard isChange || isReversal && isManyToMany(property) else { return }
        record(.removedMember(owner, property, member, from: place))
    }

    /// In a reversal, one side may have nothing to do because it was loaded after others had made
    /// the same change. The other side still changes, and undoing that needs a record of both.
    private func isManyToMany(_ property: Property) -> Bool { inverse(of: property)?.isToMany ?? false }

    /// Removes a member from a relationship without recording it for undo.
    @discardableResult
    func takeOut(_ member: ManagedObject, of owner: ManagedObject, _ property: Property, _ contents: ToManyContents) -> Bool {
        guard contents.remove(member) else { return false }
        noteMembers(owner, property, contents)
        return true
    }

    func primitiveMoveMember(_ owner: ManagedObject, _ property: Property, _ member: ManagedObject, from: Int, to: Int) {
        let contents = owner.toManyContents(property)
        contents.move(member, to: to)
        record(.movedMember(owner, property, member, from: from, to: to))
        noteMembers(owner, property, contents)
    }

    func primitiveReorderMembers(_ owner: ManagedObject, _ property: Property, _ order: [ManagedObject]) {
        let contents = owner.toManyContents(property)
        let former = contents.members
        contents.reorder(like: order)
        record(.reorderedMembers(owner, property, from: former))
        noteMembers(owner, property, contents)
    }

    private func noteMembers(_ owner: ManagedObject, _ property: Property, _ contents: ToManyContents) {
        noteOwner(owner, property)
        owner.setChanged(property.index, contents.hasChanges)
        noteChange(of: owner)
    }

    // MARK: Checks

    func inverse(of property: Property) -> Property? { model?.inverse(of: property) }

    /// Whether a to-many relationship is stored as the to-one column of its inverse.
    func isForeignKey(_ property: Property) -> Bool {
        guard let inverse = inverse(of: property) else { return false }
        return !inverse.isToMany
    }

    /// Whether the members of a relationship require anything to be written besides their own
    /// to-one columns.
    func hasOwnMembers(_ property: Property) -> Bool {
        property.isToMany && !property.isTransient && (property.isOrdered || !isForeignKey(property))
    }

    private func requireRelatable(_ destination: ManagedObject, to object: ManagedObject, _ property: Property) throws(PinviewError) {
        guard destination.state === self else {
            throw PinviewError(
                .wrongContext,
                "\(object.entity.name).\(property.name): the object \(destination.objectID) belongs to another context. "
                    + "Look up this context's own object by its ID."
            ).with(affectedObjectIDs: [destination.objectID])
        }
        try requireUsable(destination)
        guard destination.entity.isKind(ofIndex: property.destinationIndex) else {
            throw PinviewError(
                .wrongType,
                "\(object.entity.name).\(property.name) leads to objects of the entity \(property.destinationEntityName), "
                    + "but \(destination.objectID) is of \(destination.entity.name)."
            ).with(affectedObjectIDs: [destination.objectID])
        }
        try requirePresent(destination, object, property)
        try requirePresent(object, object, property)
    }

    /// Throws if one end of a new relationship is deleted, or has left the context because its
    /// insertion was taken back.
    private func requirePresent(_ end: ManagedObject, _ object: ManagedObject, _ property: Property) throws(PinviewError) {
        let problem: String
        if end.flags.contains(.deleted) {
            // Delete rules have run or are about to: nothing would end the new relationship.
            problem = "is deleted and cannot be related to others."
        } else if !end.flags.contains(.inserted), end.key.isTemporary || !registry.takenBackKeys.isEmpty, !registry.contains(end) {
            problem =
                "was deleted before it was saved, and is in no context. Insert it again before it is related to others."
        } else {
            return
        }
        throw PinviewError(.invalidArgument, "\(object.entity.name).\(property.name): the object \(end.objectID) \(problem)").with(
            affectedObjectIDs: [end.objectID])
    }

    /// Throws if reading has shown that the row of one of two objects is gone.
    @inline(__always)
    private func requireRows(of object: ManagedObject, _ property: Property, _ destination: ManagedObject) throws(PinviewError) {
        if object.flags.union(destination.flags).contains(.inaccessible) { try requireRelatable(destination, to: object, property) }
    }

    // MARK: Bookkeeping

    @inline(__always)
    func record(_ action: @autoclosure () -> UndoAction) { record { $0.record(action()) } }

    /// Gives an object that joins the pending changes its position in their order.
    func takeSequence(_ object: ManagedObject) {
        guard object.changeSequence == 0 else { return }
        pending.changeSequence += 1
        object.changeSequence = pending.changeSequence
        pending.lastChanged = Unmanaged.passUnretained(object).toOpaque()
    }

    /// Notes that this object was changed last, which decides between two objects that claim the
    /// same unique values (UNQ-05).
    ///
    /// Usually an object is changed once, or several times in a row; then the order in which
    /// objects joined the pending changes is enough.
    @inline(__always)
    func noteLastChange(of object: ManagedObject) {
        if pending.lastChanged != Unmanaged.passUnretained(object).toOpaque() { noteLaterChange(of: object) }
    }

    @inline(never)
    private func noteLaterChange(of object: ManagedObject) {
        pending.lastChanged = Unmanaged.passUnretained(object).toOpaque()
        guard object.unmanagedBinding._withUnsafeGuaranteedRef({ $0.isConstrained }), object.changeSequence != 0,
            object.changeSequence != pending.changeSequence
        else { return }
        pending.changeSequence += 1
        pending.laterChanges[ObjectIdentifier(object)] = pending.changeSequence
    }

    /// The position of an object in the order of last changes.
    func lastSequence(of object: ManagedObject) -> UInt64 {
        // An entry of a former object at this address is older than this object's own position.
        max(object.changeSequence, pending.laterChanges[ObjectIdentifier(object)] ?? 0)
    }

    /// New or changed objects of entities with uniqueness constraints, in the order of their last
    /// changes.
    var constrainedInOrderOfLastChange: [ManagedObject] {
        (pending.inserted.list + pending.updated.list).filter { $0.unmanagedBinding._withUnsafeGuaranteedRef { $0.isConstrained } }
            .sorted { lastSequence(of: $0) < lastSequence(of: $1) }
    }

    /// Adds an object to the change set that its state requires, and to the event.
    func noteChange(of object: ManagedObject) {
        if object.flags.contains(.inserted), !object.flags.contains(.deleted), object.changeSequence != 0 {
            if !object.isNotedAsInserted { pending.event.noteUpdated(object) }
            noteLastChange(of: object)
            return
        }
        // If its insertion was undone, the object is outside the context, and changes of it concern
        // nobody.
        if object.flags.isDisjoint(with: [.inserted, .updated, .deleted]), !registry.contains(object) { return }
        takeSequence(object)
        if object.flags.contains(.deleted) { return }
        if object.flags.contains(.inserted) {
            if !object.isNotedAsInserted { pending.event.noteUpdated(object) }
            return
        }
        if object.isChangedInMemory {
            if !object.flags.contains(.updated) { pending.updated.insertNew(object) }
            object.flags.insert(.updated)
        } else {
            if object.flags.contains(.updated) { pending.updated.remove(object) }
            object.flags.remove(.updated)
            object.changeSequence = 0
        }
        pending.event.noteUpdated(object)
        noteLastChange(of: object)
    }
}
