import PinviewGenerations
import PinviewModel
import PinviewStore

/// Writes one store's part of a save, and resolves its conflicts with the merge policy (DEC-43).
final class StoreWriter {
    let state: ContextState
    let part: SavedPart
    let transaction: SaveTransaction
    let policy: MergePolicy
    let model: ManagedObjectModel
    var store: any IncrementalStore { part.store }
    @exclusivity(unchecked) private(set) var newKeys = AssignedKeys()
    /// Conflicts that fail the save.
    @exclusivity(unchecked) var conflicts: [MergeConflict] = []
    /// Conflicts for the program's own policy, which is asked once all are known.
    @exclusivity(unchecked) var disputes: [Dispute] = []
    /// Rows merged into others because of a uniqueness constraint.
    @exclusivity(unchecked) private var movedRows: [UniquenessResolver.RowKey: Reference] = [:]
    /// New objects by their new keys. Made when an error or a policy needs it.
    private lazy var objectsByNewKey = Dictionary(
        outcome.permanentKeys.map { ($0.1, $0.0) }
            + outcome.permanentRun.objects.enumerated().map { offset, object in
                let key = outcome.permanentRun.first + Int64(offset)
                return (ObjectKey(storeNumber: store.number, rootEntity: object.key.rootEntity, primaryKey: key), object)
            }, uniquingKeysWith: { first, _ in first })
    let outcome: SaveOutcome
    /// Objects whose row a merge policy has determined: one with values of both sides, or one that
    /// was restored.
    @exclusivity(unchecked) var rewritten: [ManagedObject] = []

    init(state: ContextState, part: SavedPart, transaction: SaveTransaction, policy: MergePolicy, model: ManagedObjectModel) {
        self.state = state
        self.part = part
        self.transaction = transaction
        self.policy = policy
        self.model = model
        outcome = SaveOutcome(storeNumber: part.store.number)
    }

    /// Gives each new object its primary key, in the order of insertion. Each hierarchy's keys are
    /// taken as a run.
    func allocateKeys() throws(PinviewError) {
        let objects = part.inserted
        guard let first = objects.first else { return }
        if first.key.isTemporary, objects.shareBinding { return try allocateRun(for: objects, first.entity) }
        var counts: [(entity: Entity, count: Int64)] = []
        var blocks: [Int] = []
        blocks.reserveCapacity(objects.count)
        for object in objects where object.key.isTemporary {
            let root = object.entity.rootIndex
            let block = counts.firstIndex { $0.entity.rootIndex == root } ?? counts.endIndex
            if block == counts.endIndex { counts.append((object.entity, 0)) }
            counts[block].count += 1
            blocks.append(block)
        }
        guard !blocks.isEmpty else { return }
        var next: [Int64] = []
        for (entity, count) in counts { next.append(try transaction.allocatePrimaryKeys(entity: entity, count: Int(count))) }
        outcome.permanentKeys.reserveCapacity(blocks.count)
        var position = 0
        for object in objects where object.key.isTemporary {
            let old = object.key
            let key = ObjectKey(storeNumber: store.number, rootEntity: old.rootEntity, primaryKey: next[blocks[position]])
            next[blocks[position]] += 1
            position += 1
            newKeys.append(key.primaryKey, for: old.primaryKey)
            outcome.permanentKeys.append((object, key))
        }
        newKeys.sort()
    }

    /// Gives new objects of one entity their primary keys.
    private func allocateRun(for objects: [ManagedObject], _ entity: Entity) throws(PinviewError) {
        let first = try transaction.allocatePrimaryKeys(entity: entity, count: objects.count)
        var next = first
        objects.forEachUncounted { object in
            newKeys.append(next, for: object.primaryKey)
            next += 1
        }
        newKeys.sort()
        outcome.permanentRun = (objects, first)
    }

    func key(of object: ManagedObject) -> ObjectKey {
        let key = object.key
        guard key.isTemporary, let primaryKey = newKeys.key(for: key.primaryKey) else { return key }
        return ObjectKey(storeNumber: store.number, rootEntity: key.rootEntity, primaryKey: primaryKey)
    }

    // MARK: Rows

    /// Appends the values of a realised or new object in memory, or replaces those of its row.
    private func append(
        _ properties: [Property], of object: ManagedObject, to writer: RowWriter, replacing: Bool = false
    ) throws(PinviewError) {
        try properties.forEachUncounted { (property) throws(PinviewError) in
            if replacing { writer.replace(property) }
            try append(property, of: object, to: writer)
        }
        if replacing { writer.endReplacing() }
    }

    private func append(_ property: Property, of object: ManagedObject, to writer: RowWriter) throws(PinviewError) {
        if case .value(let value) = object.slot(property.index) {
            try writer.append(value, of: property)
        } else {
            try appendOther(property, of: object, to: writer)
        }
    }

    /// Appends the value of a property that has none in memory.
    @inline(never)
    private func appendOther(_ property: Property, of object: ManagedObject, to writer: RowWriter) throws(PinviewError) {
        if case .unloaded = object.slot(property.index) {
            switch object.committed {
            case .stored(let row): return writer.append(property, of: row)
            case .none where property.isAttribute: return try writer.append(.null, of: property)
            case .none, .provided: break
            }
        }
        if property.isAttribute {
            try writer.append(try state.attributeValue(of: object, property), of: property)
        } else {
            writer.append(reference: try reference(of: object, property), of: property)
        }
    }

    @inline(never)
    func reference(of object: ManagedObject, _ property: Property) throws(PinviewError) -> Reference? {
        if case .unloaded = object.slot(property.index), case .stored(let row) = object.committed { return row.reference(of: property) }
        guard let destination = try state.toOne(object, property) else { return nil }
        return try reference(to: destination)
    }

    func reference(to object: ManagedObject) throws(PinviewError) -> Reference {
        let key = key(of: object)
        guard !key.isTemporary else {
            throw PinviewError(
                .externalRelationship,
                "The object \(object.objectID) is in a relationship, but no longer in the context, so it will not be saved. Remove it from the relationship."
            ).with(affectedObjectIDs: [object.objectID])
        }
        let reference = Reference(entityIndex: Int32(object.entity.index), isTemporary: false, primaryKey: key.primaryKey)
        return movedRows.isEmpty ? reference : final(reference)
    }

    // MARK: Rows that became one

    /// Redirects references from a row to another one.
    func move(_ row: Reference, to other: Reference) {
        if let key = rowKey(row) { movedRows[key] = other }
    }

    /// The target of a reference after rows have been merged.
    func final(_ reference: Reference) -> Reference {
        var reference = reference
        while let key = rowKey(reference), let next = movedRows[key] { reference = next }
        return reference
    }

    /// The entity of a reference; nil if the model lacks it.
    func entity(of reference: Reference) -> Entity? {
        guard model.entities.indices.contains(Int(reference.entityIndex)) else { return nil }
        return model.entities[Int(reference.entityIndex)]
    }

    /// The row of a reference, as the transaction sees it; nil if there is none.
    func currentRow(of reference: Reference) throws(PinviewError) -> (key: ObjectKey, entity: Entity, row: RowSnapshot)? {
        guard let entity = entity(of: reference),
            let row = try transaction.currentRow(entity: entity, primaryKey: reference.primaryKey)
        else { return nil }
        let key = ObjectKey(storeNumber: store.number, rootEntity: Int32(entity.rootIndex), primaryKey: reference.primaryKey)
        return (key, entity, row)
    }

    private func rowKey(_ reference: Reference) -> UniquenessResolver.RowKey? {
        guard let entity = entity(of: reference) else { return nil }
        return UniquenessResolver.RowKey(root: Int32(entity.rootIndex), primaryKey: reference.primaryKey)
    }

    func newObject(for key: ObjectKey) -> ManagedObject? { objectsByNewKey[key] }

    /// Only objects that keep a row of their own get its key.
    func keepKeys(of objects: [ManagedObject]) {
        outcome.permanentRun = ([], 0)
        outcome.permanentKeys = objects.compactMap { object in
            guard object.key.isTemporary else { return nil }
            let key = key(of: object)
            return key.isTemporary ? nil : (object, key)
        }
    }

    /// Writes everything where no row can get in the way of another.
    func writePart() throws(PinviewError) {
        // Most of them are empty in most saves.
        if !part.deleted.isEmpty { try delete(part.deleted) }
        if !part.updated.isEmpty { try update(part.updated) }
        if !part.inserted.isEmpty { try insert(part.inserted) }
        try writeMembers()
        if !part.marked.isEmpty { try check(part.marked) }
    }

    func commit() throws(PinviewError) {
        outcome.generationRank = try transaction.commit()
        outcome.newKeys = newKeys
    }

    // MARK: Insert

    func insert(_ objects: [ManagedObject]) throws(PinviewError) {
        try eachGroup(of: objects) { members throws(PinviewError) in
            let writer = try transaction.rowWriter(for: members[0].entity, reservingRows: members.count)
            let properties = writer.properties, unmanaged = properties.map { Unmanaged.passUnretained($0) }
            var next = 0
            while next < members.count {
                let object = members[next]
                if let count = try insertBlock(of: members, from: next, to: writer) {
                    next += count
                    continue
                }
                next += 1
                try state.requireUsable(object)
                let primaryKey = key(of: object).primaryKey
                if let new = object.newRow {
                    new.block._withUnsafeGuaranteedRef { writer.beginRow(primaryKey: primaryKey, likeNew: $0, row: new.number) }
                    try writer.insert()
                    continue
                }
                writer.beginRow(primaryKey: primaryKey, version: 1)
                var place = 0
                // Usually all values are in memory, and of the types that their columns hold.
                while place < unmanaged.count,
                    unmanaged[place]._withUnsafeGuaranteedRef({ writer.appendAtOnce(object.slot($0.index), of: $0) })
                { place += 1 }
                while place < properties.count {
                    try append(properties[place], of: object, to: writer)
                    place += 1
                }
                try writer.insert()
            }
            outcome.writtenTogether.appendToFew((members, try writer.finish()))
        }
    }

    /// Inserts the objects of one block of ``NewRows``, if those from a position on are just they.
    ///
    /// - Returns: the number of objects; nil, having done nothing, in all other cases.
    private func insertBlock(of objects: [ManagedObject], from start: Int, to writer: RowWriter) throws(PinviewError) -> Int? {
        guard let first = objects[start].newRow, first.number == 0 else { return nil }
        let count = first.block._withUnsafeGuaranteedRef { Int($0.rowCount) }
        guard objects.count - start >= count else { return nil }
        let firstTemporaryKey = objects[start].primaryKey
        var number = 0
        objects[start..<start + count].allUncounted { object in
            guard object.primaryKey == firstTemporaryKey + Int64(number), let row = object.newRow, row.number == number,
                row.block.toOpaque() == first.block.toOpaque(),
                !object.flags.contains(.invalidated)
            else { return false }
            number += 1
            return true
        }
        guard number == count else { return nil }
        let firstKey = key(of: objects[start]).primaryKey, last = objects[start + count - 1]
        // Keys grow with the temporary ones, so those in between are consecutive too.
        guard key(of: last).primaryKey == firstKey + Int64(count - 1) else { return nil }
        let block = first.block.takeUnretainedValue()
        return try writer.insertAll(likeNew: block, firstKey: firstKey) ? count : nil
    }

    /// Calls a body with the objects of each entity, in their order.
    private func eachGroup(
        of objects: [ManagedObject], _ body: ([ManagedObject]) throws(PinviewError) -> Void
    ) throws(PinviewError) {
        guard !objects.isEmpty else { return }
        if objects.shareBinding { return try body(objects) }
        var places: [Int: Int] = [:]
        var groups: [[ManagedObject]] = []
        for object in objects {
            if let place = places[object.entity.index] {
                groups[place].append(object)
            } else {
                places[object.entity.index] = groups.count
                groups.append([object])
            }
        }
        for group in groups { try body(group) }
    }

    func noteWritten(_ object: ManagedObject, _ row: RowSnapshot) {
        outcome.further.written.append((object, row))
        outcome.further.rows.append((object.key, row))
    }

    // MARK: Update

    func update(_ objects: [ManagedObject]) throws(PinviewError) {
        try eachGroup(of: objects) { members throws(PinviewError) in
            // Unique values may pass from one row to another in the order of the changes.
            let binding = members[0].binding
            let isOrderFree = members.count >= RowWriter.manyRows && !binding.isConstrained
            try update(isOrderFree ? inOrderOfRows(members) : members, of: binding.entity)
        }
        guard outcome.unwritten.containsUncounted({ $0.flags.contains(.detectsConflicts) }) else { return }
        for object in outcome.unwritten where object.flags.contains(.detectsConflicts) { try check([object]) }
    }

    /// Puts objects of an entity with the same changed properties together, in the order of their
    /// keys, so that one statement can write many of them.
    private func inOrderOfRows(_ objects: [ManagedObject]) -> [ManagedObject] {
        objects.groups(limit: 16) { $0.changed == $1.changed }.flatMap(KeyedObjects.inOrder)
    }

    private func update(_ objects: [ManagedObject], of entity: Entity) throws(PinviewError) {
        // Most objects have the same changed properties.
        let first = objects[0].changed
        var last = (changed: first, shape: try shape(of: entity, first))
        if last.shape == nil, !objects.containsUncounted({ $0.changed != last.changed }) {
            // They are the other sides of relationships.
            outcome.unwritten += objects
            return
        }
        var others: [(changed: PropertySet, shape: UpdateShape?)] = []
        defer {
            last.shape?.reset()
            for (_, shape) in others { shape?.reset() }
        }
        let writer = try transaction.rowWriter(for: entity, reservingRows: objects.count)
        // Objects before the first without anything to write, then only those with something.
        var writtenObjects: [ManagedObject]?
        for (index, object) in objects.enumerated() {
            let changed = object.changed
            if last.changed != changed {
                others.append(last)
                if let known = others.firstIndex(where: { $0.changed == changed }) {
                    last = others.remove(at: known)
                } else {
                    last = (changed, try shape(of: entity, changed))
                }
            }
            guard let shape = last.shape else {
                if writtenObjects == nil { writtenObjects = Array(objects[..<index]) }
                outcome.unwritten.append(object)
                continue
            }
            if object.flags.contains(.fault) { try state.fire(object) }
            try state.requireUsable(object)
            let version: Int64?
            if let row = object.unmanagedRow, row.block._withUnsafeGuaranteedRef({ begin(object, like: $0, row.number, shape, writer) }) {
                version = writer.version - 1
                try append(shape.changed, of: object, to: writer, replacing: true)
            } else {
                version = object.committed.version
                writer.beginRow(primaryKey: object.primaryKey, version: (version ?? 0) &+ 1)
                try append(writer.properties, of: object, to: writer)
            }
            try writer.update(shape, expectedVersion: version)
            writtenObjects?.append(object)
        }
        let rows = try writer.finish()
        let written = writtenObjects ?? objects
        let disputed = writer.missingRows
        for (row, changed) in disputed {
            let object = written[row]
            let current = try transaction.currentRow(entity: entity, primaryKey: object.key.primaryKey)
            let columns = changed + impliedChanges(of: object)
            try resolve(Dispute(object: object, current: current, change: .update(rows.snapshot(row), columns)), by: policy)
        }
        if disputed.isEmpty { return outcome.writtenTogether.appendToFew((written, rows)) }
        let rest = Set(written.indices).subtracting(disputed.map(\.row)).sorted()
        for row in rest { noteWritten(written[row], rows.snapshot(row)) }
    }

    private func begin(_ object: ManagedObject, like block: RowBlock, _ row: Int, _ shape: UpdateShape, _ writer: RowWriter) -> Bool {
        writer.beginRow(primaryKey: object.primaryKey, like: block, row: row, shape)
    }

    /// Nil if nothing in the row itself has changed.
    private func shape(of entity: Entity, _ changed: PropertySet) throws(PinviewError) -> UpdateShape? {
        try transaction.updateShape(of: entity) { changed.contains($0) }
    }

    func storedProperties(of entity: Entity) -> [Property] { entity.properties.filter(isStored) }

    private func isStored(_ property: Property) -> Bool { !property.isTransient && !property.isToMany }

    // MARK: Delete

    func delete(_ objects: [ManagedObject]) throws(PinviewError) {
        var next = 0
        while next < objects.count {
            let run = run(of: objects, from: next)
            next = run.upperBound
            if run.count > 1, let deleted = try deleteTogether(objects[run]) {
                if deleted == run.count {
                    outcome.further.removed += objects[run]
                } else {
                    for object in objects[run] { try noteUndeleted(object) }
                }
                continue
            }
            for object in objects[run] {
                let version = object.committed.version
                if try transaction.delete(entity: object.entity, primaryKey: object.key.primaryKey, expectedVersion: version) {
                    outcome.further.removed.append(object)
                } else {
                    try noteUndeleted(object)
                }
            }
        }
    }

    /// The objects from a position on with consecutive keys and the same version.
    private func run(of objects: [ManagedObject], from first: Int) -> Range<Int> {
        guard let version = objects[first].committed.version else { return first..<first + 1 }
        let binding = objects[first].binding, key = objects[first].primaryKey
        var end = first
        objects[first...].allUncounted { object in
            guard object.primaryKey == key &+ Int64(end - first), object.hasBinding(binding), let row = object.unmanagedRow,
                row.block._withUnsafeGuaranteedRef({ $0.version(row: row.number) }) == version
            else { return false }
            end += 1
            return true
        }
        return first..<max(end, first + 1)
    }

    private func deleteTogether(_ objects: ArraySlice<ManagedObject>) throws(PinviewError) -> Int? {
        guard let first = objects.first, let last = objects.last, let version = first.committed.version else { return nil }
        return try transaction.delete(
            entity: first.entity, primaryKeys: first.key.primaryKey...last.key.primaryKey, expectedVersion: version)
    }

    /// Notes an object whose row was not there with the known version.
    private func noteUndeleted(_ object: ManagedObject) throws(PinviewError) {
        guard let current = try transaction.currentRow(entity: object.entity, primaryKey: object.key.primaryKey) else {
            // Someone else has already deleted it, which is no conflict (SAV-17).
            outcome.further.removed.append(object)
            return
        }
        try resolve(Dispute(object: object, current: current, change: .deletion), by: policy)
    }

    // MARK: Members of to-many relationships

    func writeMembers() throws(PinviewError) {
        let objects = part.written
        guard objects.containsUncounted({ $0.unmanagedBinding._withUnsafeGuaranteedRef { $0.hasOwnMembers } }) else { return }
        try eachChangedRelationship(of: objects) { object, property, contents throws(PinviewError) in
            guard !state.isForeignKey(property) else { return }
            guard isWrittenFrom(property) else {
                // A deleted member takes its rows of the join table with it, which does not record
                // this side's loss.
                if transaction.keepsHistory, contents.removed.contains(where: { $0.flags.contains(.deleted) }) {
                    transaction.noteChangedMembers(of: property, owner: try reference(to: object))
                }
                return
            }
            try transaction.changeMembers(
                of: property, owner: try reference(to: object), inserted: try references(to: contents.inserted),
                removed: try references(to: contents.removed))
        }
        // Only once all members exist: those of one side are written from the other.
        try eachChangedRelationship(of: objects) { object, property, contents throws(PinviewError) in
            guard property.isOrdered, contents.hasChangedOrder else { return }
            try writeOrder(of: object, property, contents)
        }
    }

    /// Writes the places of members that were added or moved. What is written of the others, and
    /// read, is what it takes to find places for these: if the file has the order from which this
    /// context started, its neighbours are enough.
    private func writeOrder(of object: ManagedObject, _ property: Property, _ contents: ToManyContents) throws(PinviewError) {
        let owner = try reference(to: object)
        if !isOutdated, movedRows.isEmpty {
            if contents.onlyAppends,
                try transaction.appendToOrder(of: property, owner: owner, members: try references(to: contents.inserted))
            {
                return
            }
            if contents.isLoaded, try writeMoves(contents, of: property, owner: owner) { return }
        }
        let members = try state.toMany(object, property)
        guard members.hasChangedOrder else { return }
        try transaction.setOrder(of: property, owner: owner, members: try references(to: members.members))
    }

    /// - Returns: false, having written nothing, if the whole order has to be written.
    private func writeMoves(_ contents: ToManyContents, of property: Property, owner: Reference) throws(PinviewError) -> Bool {
        let members = contents.members, ranges = contents.orderChanges
        func run(_ range: Range<Int>) throws(PinviewError) -> SaveTransaction.OrderRun {
            SaveTransaction.OrderRun(
                predecessor: range.lowerBound > 0 ? try reference(to: members[range.lowerBound - 1]) : nil,
                members: try references(to: Array(members[range])),
                successor: range.upperBound < members.count ? try reference(to: members[range.upperBound]) : nil)
        }
        // Once most of them move, reading all places in one go is faster.
        guard ranges.reduce(0, { $0 + $1.count }) * 2 <= members.count else { return false }
        if try transaction.setOrder(of: property, owner: owner, runs: try ranges.map(run)) { return true }
        guard ranges.count == 1 else { return false }
        // There is no room where many have been put before. Some of the others make way.
        var more = 16
        while more * 4 <= members.count {
            let range = max(0, ranges[0].lowerBound - more)..<min(members.count, ranges[0].upperBound + more)
            if try transaction.setOrder(of: property, owner: owner, runs: [try run(range)]) { return true }
            more *= 8
        }
        return false
    }

    private func eachChangedRelationship(
        of objects: [ManagedObject], _ body: (ManagedObject, Property, ToManyContents) throws(PinviewError) -> Void
    ) throws(PinviewError) {
        var last: (entity: Entity, relationships: [Property])?
        for object in objects {
            let entity = object.entity
            if last?.entity !== entity { last = (entity, entity.relationships.filter(state.hasOwnMembers)) }
            for property in last?.relationships ?? [] {
                guard case .toMany(let contents) = object.slot(property.index), contents.hasChanges else { continue }
                try body(object, property, contents)
            }
        }
    }

    private func references(to objects: [ManagedObject]) throws(PinviewError) -> [Reference] {
        var references: [Reference] = []
        for object in objects {
            // A new object that was deleted again has no row, and none in a join table.
            if key(of: object).isTemporary, !object.flags.contains(.inserted) { continue }
            references.append(try reference(to: object))
        }
        return references
    }

    /// Both sides of a many-to-many relationship know of a change, and one of them writes it.
    private func isWrittenFrom(_ property: Property) -> Bool {
        guard let inverse = state.inverse(of: property), inverse !== property else { return true }
        return (property.declaringEntityIndex, property.index) < (inverse.declaringEntityIndex, inverse.index)
    }

    // MARK: Checks

    /// Checks objects that are not written but whose conflicts the program wants detected (SAV-19).
    func check(_ objects: [ManagedObject]) throws(PinviewError) {
        for object in objects {
            guard let version = object.committed.version else { continue }
            if try transaction.checkVersion(entity: object.entity, primaryKey: object.key.primaryKey, expected: version) { continue }
            let current = try transaction.currentRow(entity: object.entity, primaryKey: object.key.primaryKey)
            try resolve(Dispute(object: object, current: current, change: .none), by: policy)
        }
    }
}

extension RowWriter {
    /// Appends an attribute's value in memory that needs no conversion.
    @inline(__always)
    fileprivate func appendAtOnce(_ slot: PropertySlot, of property: Property) -> Bool {
        guard case .value(let value) = slot else { return false }
        return appendAtOnce(value, of: property)
    }
}
