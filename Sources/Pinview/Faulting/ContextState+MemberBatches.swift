import PinviewGenerations
import PinviewModel
import PinviewStore

/// Reading the members of many owners with one statement.
///
/// The first owner's members are read alone. As long as owners are asked for in the order in which
/// they were fetched, each statement reads those of four times as many of the following ones.
extension ContextState {
    private static let mostOwners = 256
    /// How many rows a batch should have at most.
    private static let mostRows = 8192
    /// How many batches are kept: one for each relationship on the way down a tree.
    private static let mostBatches = 8

    /// Loads the members of an object's relationship, with their rows.
    ///
    /// - Returns: false, having loaded nothing, if the store has no generations, or if faults have
    ///   to read their rows themselves.
    func loadWithRows(_ contents: ToManyContents, of object: ManagedObject, _ property: Property) throws(PinviewError) -> Bool {
        guard !hasParent, settings.stalenessInterval < 0, !object.key.isTemporary else { return false }
        if let members = try membersReadBefore(object, property) {
            try finishLoading(contents, of: object, property, withoutDeleted(members, contents))
            return true
        }
        var isRead = false
        let members = try rereading { () throws(PinviewError) -> [ManagedObject] in
            let coordinator = try requireCoordinator()
            // Taken before the generation: as long as nobody has committed since, that is the newest.
            let mark = readsNewest ? coordinator.store(number: object.key.storeNumber)?.commitMark : nil
            guard let (store, generation) = try source(of: object.key, in: try beginRead(on: coordinator), on: coordinator), let generation
            else { return [] }
            isRead = true
            let owner = object.primaryKey
            for batch in pin.memberBatches where batch.isOf(property, store.number, generation.rank) {
                guard let (places, shown) = batch.take(owner) else { continue }
                defer { batch.releaseRowsIfUsed() }
                batch.mark = mark
                if let shown { return shown }
                return try makeMembers(batch, places, store, generation, isOld: true, coordinator)
            }
            let batch = try readBatch(object, property, store, generation, coordinator)
            batch.mark = mark
            guard let (places, _) = batch.take(owner) else { return [] }
            defer { batch.releaseRowsIfUsed() }
            return try makeMembers(batch, places, store, generation, isOld: false, coordinator)
        }
        if isRead { try finishLoading(contents, of: object, property, withoutDeleted(members, contents)) }
        return isRead
    }

    /// Whether each read begins at the newest state.
    private var readsNewest: Bool { pin.isUnpinned && !pin.consistentRead.isUnderWay }

    /// The members of an object in an unpinned context, if they were read with those of another owner
    /// and nobody has committed since. Taking the newest generation for each owner would be most of
    /// the work.
    private func membersReadBefore(_ object: ManagedObject, _ property: Property) throws(PinviewError) -> [ManagedObject]? {
        guard readsNewest, !pin.memberBatches.isEmpty, let coordinator, let store = coordinator.store(number: object.key.storeNumber) else {
            return nil
        }
        for batch in pin.memberBatches where batch.property === property && batch.storeNumber == store.number {
            guard let mark = batch.mark, !store.hasCommits(since: mark), let (places, shown) = batch.take(object.primaryKey) else {
                continue
            }
            defer { batch.releaseRowsIfUsed() }
            if let shown { return shown }
            guard let known = membersWithoutRows(batch, places, store) else { return nil }
            return try withExtendedLifetime(known) { () throws(PinviewError) in
                try makeMembers(batch, places, store, nil, isOld: false, coordinator)
            }
        }
        return nil
    }

    /// The members whose rows the context had when the batch was read, so that it lacks them; nil if
    /// one of them has been released since.
    private func membersWithoutRows(
        _ batch: MemberBatch, _ places: Range<Int>, _ store: any IncrementalStore
    ) -> [ManagedObject]? {
        guard let shared = batch.sharedRows else { return [] }
        let root = Int32(model?.entities[batch.property.destinationIndex].rootIndex ?? 0)
        var members: [ManagedObject] = []
        for place in places where shared[place].number < 0 {
            let key = ObjectKey(storeNumber: store.number, rootEntity: root, primaryKey: shared[place].primaryKey)
            guard let member = registry.object(key) else { return nil }
            members.append(member)
        }
        return members
    }

    /// Forgets members that were read for owners nobody has asked for.
    func forgetMemberBatches() {
        if !pin.memberBatches.isEmpty { pin.memberBatches = [] }
        if pin.treeOrder != nil { pin.treeOrder = nil }
    }

    /// Remembers the order of a fetch whose rows are in several blocks, if one of its objects can be
    /// a member of another one.
    func noteTreeOrder(_ objects: [ManagedObject], _ keys: @autoclosure () -> KeyList) {
        guard objects.count > RowBlock.rowLimit, !hasParent, let first = objects.first else { return }
        let entities = first.binding.entities, root = first.entity.rootIndex
        let isTree = entities[root].familyIndexes.contains { index in
            entities[index].relationships.contains { $0.isToMany && entities[$0.destinationIndex].rootIndex == root }
        }
        if isTree { pin.treeOrder = FaultBatch(keys(), of: first.key) }
    }

    private func readBatch(
        _ object: ManagedObject, _ property: Property, _ store: any IncrementalStore, _ generation: Generation,
        _ coordinator: PersistentStoreCoordinator
    ) throws(PinviewError) -> MemberBatch {
        let previous = pin.memberBatches.first { $0.isOf(property, store.number, generation.rank) }
        let (owners, wanted, siblings) = ownersToRead(after: previous, object, property)
        let batch: MemberBatch
        do throws(PinviewError) {
            batch = try readMembers(ofOwners: owners, wanted, property, store, generation, coordinator)
        } catch {
            // Perhaps it is the members of another owner that cannot be read.
            guard owners.count > 1 else { throw error }
            batch = try readMembers(ofOwners: [object.primaryKey], 1, property, store, generation, coordinator)
        }
        pin.memberBatches.removeAll {
            $0.storeNumber == store.number && $0.origin.rank != generation.rank || $0.rows == nil && $0.property === property
        }
        if pin.memberBatches.count >= Self.mostBatches { pin.memberBatches.removeLast() }
        if let rows = batch.rows, let entity = model?.entities[property.destinationIndex] {
            for block in rows.blocks { makeRoom(for: block, entity, store: store, coordinator) }
        }
        batch.siblings = siblings
        pin.memberBatches.insert(batch, at: 0)
        return batch
    }

    /// - Parameter owners: in ascending order.
    private func readMembers(
        ofOwners owners: [Int64], _ wanted: Int, _ property: Property, _ store: any IncrementalStore, _ generation: Generation?,
        _ coordinator: PersistentStoreCoordinator
    ) throws(PinviewError) -> MemberBatch {
        let stamp = coordinator.rowCache.stamp
        let root = Int32(model?.entities[property.destinationIndex].rootIndex ?? 0), cache = coordinator.rowCache
        let found = try store.destinationRows(ofOwners: owners, relationship: property, at: generation) { primaryKey in
            guard let generation else { return false }
            let key = ObjectKey(storeNumber: store.number, rootEntity: root, primaryKey: primaryKey)
            return registry.object(key) != nil && cache.row(for: key, atRank: generation.rank) != nil
        }
        if generation == nil, let found { noteLive(found.rows) }
        let origin = RowOrigin(rank: generation?.rank ?? 0, stamp: stamp, time: coordinator.clock())
        return MemberBatch(property, storeNumber: store.number, owners: owners, wantedOwners: wanted, found, origin)
    }

    /// The owners to read next, in ascending order, how many there should be, and the list that
    /// they are from.
    private func ownersToRead(
        after previous: MemberBatch?, _ object: ManagedObject, _ property: Property
    ) -> ([Int64], Int, FaultBatch?) {
        let own = object.key
        guard let previous else {
            // In a tree the next owners may be among the members, which come with a list of their
            // own.
            let isTree = object.binding.entities[property.destinationIndex].rootIndex == Int(own.rootEntity)
            guard isTree else { return ([own.primaryKey], 1, nil) }
            guard let order = pin.treeOrder, let position = order.index(of: own) else {
                return ([own.primaryKey], 1, siblings(of: object))
            }
            order.position = position
            return ([own.primaryKey], 1, order)
        }
        var siblings = previous.siblings, found = siblings?.index(of: own, after: previous.lastOwner)
        if found == nil, let order = pin.treeOrder, order !== siblings, let position = order.index(of: own, after: previous.lastOwner) {
            (siblings, found) = (order, position)
        }
        if found == nil {
            siblings = self.siblings(of: object)
            found = siblings?.index(of: own)
            if let siblings, let position = found, position > 0, siblings.key(position - 1).primaryKey != previous.lastOwner { found = nil }
        }
        guard previous.wasWorthwhile, let siblings, let position = found else { return ([own.primaryKey], 1, siblings) }
        siblings.position = position
        let wanted = min(Self.mostOwners, previous.wantedOwners * 4)
        let count = min(wanted, max(1, Self.mostRows * previous.ownerCount / max(1, previous.rowCount)))
        var owners = [own.primaryKey]
        owners.reserveCapacity(count)
        for index in position + 1..<max(position + 1, siblings.count) where owners.count < count {
            let key = siblings.key(index)
            if let sibling = registry.object(key), sibling.hasLoaded(property) { continue }
            owners.append(key.primaryKey)
        }
        // An object can be a member of several relationships, and have a row for each of them.
        return (owners.sortedAndDistinct, wanted, siblings)
    }

    /// The objects of some members of a batch.
    /// - Parameter made: the objects of all rows, if they have been made.
    @inline(never)
    private func makeMembers(
        _ batch: MemberBatch, _ places: Range<Int>, _ store: any IncrementalStore, _ generation: Generation?, isOld: Bool,
        made: [ManagedObject] = [], _ coordinator: PersistentStoreCoordinator
    ) throws(PinviewError) -> [ManagedObject] {
        if let shared = batch.sharedRows {
            if let members = Self.members(shared[places], made) { return members }
        } else if places.upperBound <= made.count {
            return Array(made[places])
        }
        var members: [ManagedObject] = []
        guard let found = batch.rows, let entity = model?.entities[batch.property.destinationIndex] else { return members }
        members.reserveCapacity(places.count)
        let isNewest = areNewest(store: store, generation: generation, mayBeOld: isOld)
        func append(_ block: RowBlock, _ rows: Range<Int>) throws(PinviewError) {
            try appendObjects(of: block, rows: rows, entity, store: store, batch.origin, isNewest: isNewest, to: &members, coordinator)
        }
        if let shared = batch.sharedRows {
            for place in places {
                let row = shared[place]
                if row.number >= 0, row.number < made.count {
                    members.append(made[Int(row.number)])
                    continue
                }
                let key = ObjectKey(storeNumber: store.number, rootEntity: Int32(entity.rootIndex), primaryKey: row.primaryKey)
                if batch.noteMade(row), let known = registry.object(key) {
                    members.append(known)
                } else if row.number >= 0 {
                    let (block, number) = found.location(ofRow: Int(row.number))
                    try append(block, number..<number + 1)
                } else {
                    // The object that had the row has been released meanwhile.
                    for block in try store.rows(entity: entity, primaryKeys: [row.primaryKey], at: generation).blocks {
                        block.rank = batch.origin.rank
                        try append(block, 0..<Int(block.rowCount))
                    }
                }
            }
            return members
        }
        var place = places.lowerBound
        while place < places.upperBound {
            let (block, first) = found.location(ofRow: place)
            let count = min(Int(block.rowCount) - first, places.upperBound - place)
            try append(block, first..<first + count)
            place += count
        }
        return members
    }

    /// Members whose rows others may share; nil if one of them is not among the objects that have
    /// been made.
    private static func members(_ shared: ArraySlice<DestinationRows.SharedRow>, _ made: [ManagedObject]) -> [ManagedObject]? {
        guard shared.allSatisfy({ made.indices.contains(Int($0.number)) }) else { return nil }
        return shared.map { made[Int($0.number)] }
    }

    // MARK: Showing

    /// The members of an object, followed by those of the objects after it as far as that takes no
    /// statement. The relationships of those are not loaded by this.
    ///
    /// - Parameters:
    ///   - objects: objects of one entity; nil for one that does not exist any more.
    ///   - ends: where the members of each object end.
    func membersToShow(
        _ property: Property, of objects: [ManagedObject?], from place: Int, mostOwners: Int, ends: inout [Int]
    ) throws(PinviewError) -> [ManagedObject] {
        guard let first = objects[place] else { return [] }
        var members = try toMany(first, property).members
        ends.append(members.count)
        let source = hasParent || pin.memberBatches.isEmpty || first.key.isTemporary ? nil : try source(of: first.key, in: try beginRead())
        for index in place + 1..<max(place + 1, objects.count) {
            guard ends.count < mostOwners, members.count < Self.mostShown, let object = objects[index],
                let others = try membersAtHand(object, property, source)
            else { break }
            members += others
            ends.append(members.count)
        }
        return members
    }

    private static let mostShown = 512

    private func membersAtHand(
        _ object: ManagedObject, _ property: Property, _ source: (any IncrementalStore, Generation?)?
    ) throws(PinviewError) -> [ManagedObject]? {
        guard object.flags.isDisjoint(with: [.invalidated, .inaccessible, .deleted]) else { return nil }
        switch object.slot(property.index) {
        case .noMembers: return []
        case .toMany(let contents) where contents.isLoaded: return contents.members
        case .toMany, .unloaded, .value, .toOne: break
        }
        guard let (store, generation) = source, let generation, let coordinator, object.binding.storeNumber == store.number else {
            return nil
        }
        for batch in pin.memberBatches where batch.isOf(property, store.number, generation.rank) {
            let members = try batch.show(object.primaryKey) { (places) throws(PinviewError) in
                try makeMembers(batch, places, store, generation, isOld: true, coordinator)
            }
            if let members { return members }
        }
        return nil
    }

    // MARK: Prefetching

    /// Loads the members of many objects, with their rows, with one statement per store.
    func loadMembersTogether(of owners: [ManagedObject], _ property: Property) throws(PinviewError) {
        let coordinator = try requireCoordinator()
        let unloaded = owners.filter { !$0.key.isTemporary && !$0.hasLoaded(property) }
        for owners in inGroups(unloaded) {
            guard let first = owners.first, let (store, generation) = try source(of: first.key, in: try beginRead()) else { continue }
            let keys = owners.map(\.primaryKey).sortedAndDistinct
            let batch = try readMembers(ofOwners: keys, keys.count, property, store, generation, coordinator)
            let made = try makeObjects(of: batch, store, generation, coordinator)
            for owner in owners {
                guard !owner.hasLoaded(property), let (places, _) = batch.take(owner.primaryKey) else { continue }
                let contents = owner.toManyContents(property)
                let members = try makeMembers(batch, places, store, generation, isOld: false, made: made, coordinator)
                try finishLoading(contents, of: owner, property, withoutDeleted(members, contents))
            }
        }
    }

    /// The objects of all rows of a batch, to be kept until all owners have their members.
    private func makeObjects(
        of batch: MemberBatch, _ store: any IncrementalStore, _ generation: Generation?, _ coordinator: PersistentStoreCoordinator
    ) throws(PinviewError) -> [ManagedObject] {
        var objects: [ManagedObject] = []
        guard let found = batch.rows, let entity = model?.entities[batch.property.destinationIndex] else {
            return objects
        }
        objects.reserveCapacity(found.count)
        makeRoom(for: found.count, entity, store: store, coordinator)
        let isNewest = areNewest(store: store, generation: generation, mayBeOld: false)
        for block in found.blocks {
            makeRoom(for: block, entity, store: store, coordinator)
            try appendObjects(of: block, entity, store: store, batch.origin, isNewest: isNewest, to: &objects, coordinator)
        }
        return objects
    }
}

extension ManagedObject {
    /// Whether a to-many relationship is loaded.
    @inline(never)
    func hasLoaded(_ property: Property) -> Bool {
        switch slot(property.index) {
        case .toMany(let contents): contents.isLoaded
        case .noMembers: true
        case .unloaded, .value, .toOne: false
        }
    }
}
