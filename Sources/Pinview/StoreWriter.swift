import PinviewModel
import PinviewStore

/// Writes one store's part of a save and settles its conflicts by the merge policy (DEC-43).
final class StoreWriter {
    let state: ContextState
    let store: SQLStore
    let transaction: SaveTransaction
    private let policy: MergePolicy
    let model: ManagedObjectModel?
    private var newKeys: [ObjectIdentifier: ObjectKey] = [:]
    /// Conflicts that make the save fail.
    var conflicts: [MergeConflict] = []
    /// Conflicts that the program's own policy settles, once all are known.
    var disputes: [Dispute] = []
    var outcome: SaveOutcome

    init(state: ContextState, store: SQLStore, transaction: SaveTransaction, policy: MergePolicy) {
        self.state = state
        self.store = store
        self.transaction = transaction
        self.policy = policy
        model = state.coordinator?.managedObjectModel
        outcome = SaveOutcome(store: store)
    }

    /// Gives each new object its primary key, in the order of insertion; a block of keys per hierarchy.
    func allocateKeys(for objects: [ManagedObject]) throws(PinviewError) {
        for (rootEntity, members) in Dictionary(grouping: objects.filter(\.key.isTemporary), by: \.entity.rootIndex) {
            let first = try transaction.allocatePrimaryKeys(entity: members[0].entity, count: members.count)
            for (offset, object) in members.enumerated() {
                let key = ObjectKey(storeNumber: store.number, rootEntity: Int32(rootEntity), primaryKey: first + Int64(offset))
                newKeys[ObjectIdentifier(object)] = key
                outcome.permanentKeys.append((object, key))
            }
        }
    }

    private func key(of object: ManagedObject) -> ObjectKey { newKeys[ObjectIdentifier(object)] ?? object.key }

    // MARK: Rows

    /// The whole row of each object as it is in memory.
    private func rows(of objects: [ManagedObject], entity: Entity, version: (ManagedObject) -> Int64) throws(PinviewError) -> [RowSnapshot]
    {
        guard let model else { return [] }
        var builder = RowBuilder(entity: entity, model: model, reservingRows: objects.count)
        for object in objects {
            builder.beginRow(primaryKey: key(of: object).primaryKey, version: version(object))
            for property in entity.properties where !property.isTransient && !property.isToMany {
                if property.isAttribute {
                    try builder.append(try state.attributeValue(of: object, property), of: property)
                } else {
                    builder.append(reference: try reference(of: object, property), of: property)
                }
            }
        }
        let rows = builder.finish()
        return objects.indices.map { rows.snapshot($0) }
    }

    func reference(of object: ManagedObject, _ property: Property) throws(PinviewError) -> Reference? {
        if case .unloaded = object.slot(property.index), case .stored(let row) = object.committed { return row.reference(of: property) }
        guard let destination = try state.toOne(object, property) else { return nil }
        return try reference(to: destination)
    }

    private func reference(to object: ManagedObject) throws(PinviewError) -> Reference {
        let key = key(of: object)
        guard !key.isTemporary else {
            throw PinviewError(
                .externalRelationship,
                "The object \(object.objectID) is related to, but is not in the context any more and will not be saved. Remove it from the relationship."
            ).with(affectedObjectIDs: [object.objectID])
        }
        return Reference(entityIndex: Int32(object.entity.index), isTemporary: false, primaryKey: key.primaryKey)
    }

    // MARK: Insert

    func insert(_ objects: [ManagedObject]) throws(PinviewError) {
        for members in grouped(objects) {
            let rows = try rows(of: members, entity: members[0].entity, version: { _ in 1 })
            for (object, row) in zip(members, rows) {
                try transaction.insert(row, entity: object.entity)
                noteWritten(object, row)
            }
        }
    }

    /// Objects of one entity together, in their order.
    private func grouped(_ objects: [ManagedObject]) -> [[ManagedObject]] {
        var order: [Int] = []
        var groups: [Int: [ManagedObject]] = [:]
        for object in objects {
            if groups[object.entity.index] == nil { order.append(object.entity.index) }
            groups[object.entity.index, default: []].append(object)
        }
        return order.compactMap { groups[$0] }
    }

    func noteWritten(_ object: ManagedObject, _ row: RowSnapshot) {
        outcome.written.append((object, row))
        outcome.rows.append((key(of: object), row))
    }

    // MARK: Update

    func update(_ objects: [ManagedObject]) throws(PinviewError) {
        var changed: [ManagedObject] = []
        for object in objects {
            if changedColumns(of: object).isEmpty { outcome.unwritten.append(object) } else { changed.append(object) }
        }
        for members in grouped(changed) {
            let rows = try rows(of: members, entity: members[0].entity, version: { ($0.committed.version ?? 0) + 1 })
            for (object, row) in zip(members, rows) {
                let columns = changedColumns(of: object)
                if try transaction.update(row, entity: object.entity, changed: columns, expectedVersion: object.committed.version) {
                    noteWritten(object, row)
                } else {
                    let current = try transaction.currentRow(entity: object.entity, primaryKey: object.key.primaryKey)
                    try settle(Dispute(object: object, current: current, change: .update(row, columns)), by: policy)
                }
            }
        }
        for object in outcome.unwritten where object.flags.contains(.detectsConflicts) { try check([object]) }
    }

    private func changedColumns(of object: ManagedObject) -> [Property] {
        object.entity.properties.filter { !$0.isTransient && !$0.isToMany && object.changed.contains($0.index) }
    }

    func storedProperties(of entity: Entity) -> [Property] { entity.properties.filter { !$0.isTransient && !$0.isToMany } }

    // MARK: Delete

    func delete(_ objects: [ManagedObject]) throws(PinviewError) {
        for object in objects {
            let primaryKey = object.key.primaryKey
            if try transaction.delete(entity: object.entity, primaryKey: primaryKey, expectedVersion: object.committed.version) {
                outcome.removed.append(object)
                continue
            }
            guard let current = try transaction.currentRow(entity: object.entity, primaryKey: primaryKey) else {
                // Somebody else deleted it already: no conflict (SAV-17).
                outcome.removed.append(object)
                continue
            }
            try settle(Dispute(object: object, current: current, change: .deletion), by: policy)
        }
    }

    // MARK: Members of to-many relationships

    func writeMembers(of objects: [ManagedObject]) throws(PinviewError) {
        try eachChangedRelationship(of: objects) { object, property, contents throws(PinviewError) in
            guard !state.isForeignKey(property), isWrittenFrom(property) else { return }
            try transaction.changeMembers(
                of: property, owner: try reference(to: object), inserted: try references(to: contents.inserted),
                removed: try references(to: contents.removed))
        }
        // Not before all members are there: those of one side are written from the other.
        try eachChangedRelationship(of: objects) { object, property, _ throws(PinviewError) in
            guard property.isOrdered else { return }
            let members = try state.toMany(object, property)
            guard members.hasChangedOrder else { return }
            try transaction.setOrder(of: property, owner: try reference(to: object), members: try references(to: members.members))
        }
    }

    private func eachChangedRelationship(
        of objects: [ManagedObject], _ body: (ManagedObject, Property, ToManyContents) throws(PinviewError) -> Void
    ) throws(PinviewError) {
        for object in objects {
            for property in object.entity.relationships where property.isToMany && !property.isTransient {
                guard case .toMany(let contents) = object.slot(property.index), contents.hasChanges else { continue }
                try body(object, property, contents)
            }
        }
    }

    private func references(to objects: [ManagedObject]) throws(PinviewError) -> [Reference] {
        var references: [Reference] = []
        for object in objects {
            // A new object that was deleted again has no row and no place in a join table.
            if key(of: object).isTemporary, !object.flags.contains(.inserted) { continue }
            references.append(try reference(to: object))
        }
        return references
    }

    /// Both sides of a many-to-many relationship know of a change; one of them writes it.
    private func isWrittenFrom(_ property: Property) -> Bool {
        guard let inverse = state.inverse(of: property), inverse !== property else { return true }
        return (property.declaringEntityIndex, property.index) < (inverse.declaringEntityIndex, inverse.index)
    }

    // MARK: Checks

    /// Objects that the program wants checked though they are not written (SAV-19).
    func check(_ objects: [ManagedObject]) throws(PinviewError) {
        for object in objects {
            guard let version = object.committed.version else { continue }
            if try transaction.checkVersion(entity: object.entity, primaryKey: object.key.primaryKey, expected: version) { continue }
            let current = try transaction.currentRow(entity: object.entity, primaryKey: object.key.primaryKey)
            try settle(Dispute(object: object, current: current, change: .none), by: policy)
        }
    }
}
