import PinviewModel
import PinviewStore

/// Writes one store's part of a save and settles its conflicts by the merge policy (DEC-43).
final class StoreWriter {
    private let state: ContextState
    private let store: SQLStore
    private let transaction: SaveTransaction
    private let policy: MergePolicy
    private let model: ManagedObjectModel?
    private var newKeys: [ObjectIdentifier: ObjectKey] = [:]
    private(set) var conflicts: [MergeConflict] = []
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
        return objects.indices.map { builder.snapshot(row: $0) }
    }

    private func reference(of object: ManagedObject, _ property: Property) throws(PinviewError) -> Reference? {
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

    private func noteWritten(_ object: ManagedObject, _ row: RowSnapshot) {
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
                    try settleUpdate(of: object, row: row, columns: columns)
                }
            }
        }
        for object in outcome.unwritten where object.flags.contains(.detectsConflicts) { try check([object]) }
    }

    private func changedColumns(of object: ManagedObject) -> [Property] {
        object.entity.properties.filter { !$0.isTransient && !$0.isToMany && object.changed.contains($0.index) }
    }

    private func storedProperties(of entity: Entity) -> [Property] { entity.properties.filter { !$0.isTransient && !$0.isToMany } }

    /// The row has another version than the one the object was loaded with, or is gone.
    private func settleUpdate(of object: ManagedObject, row: RowSnapshot, columns: [Property]) throws(PinviewError) {
        let primaryKey = object.key.primaryKey
        guard let current = try transaction.currentRow(entity: object.entity, primaryKey: primaryKey) else {
            switch policy {
            case .error:
                addConflict(object, current: nil, mine: row)
            case .mergeByPropertyObjectTrump, .overwrite:
                try transaction.insert(row, entity: object.entity)
                noteWritten(object, row)
            case .mergeByPropertyStoreTrump, .rollback:
                outcome.vanished.append(object)
            }
            return
        }
        switch policy {
        case .error:
            addConflict(object, current: current, mine: row)
        case .rollback:
            noteTaken(object, current)
        case .overwrite:
            try rewrite(object, current: current, takingFromMemory: { _ in true })
        case .mergeByPropertyObjectTrump:
            try rewrite(object, current: current, takingFromMemory: { property in columns.contains { $0 === property } })
        case .mergeByPropertyStoreTrump:
            try rewrite(object, current: current) { property in
                guard columns.contains(where: { $0 === property }) else { return false }
                return !Self.differs(property, current, from: object.committed)
            }
        }
    }

    private static func differs(_ property: Property, _ current: RowSnapshot, from committed: CommittedRow) -> Bool {
        guard case .stored(let base) = committed else { return true }
        return !current.hasSameValue(property, as: base)
    }

    /// Writes a row that takes some properties from memory and the rest from the store.
    private func rewrite(_ object: ManagedObject, current: RowSnapshot, takingFromMemory: (Property) -> Bool) throws(PinviewError) {
        guard let model else { return }
        var builder = RowBuilder(entity: object.entity, model: model, reservingRows: 1)
        builder.beginRow(primaryKey: current.primaryKey, version: current.version + 1)
        var taken: [Property] = []
        for property in storedProperties(of: object.entity) {
            let fromMemory = takingFromMemory(property)
            if fromMemory { taken.append(property) }
            if property.isAttribute {
                try builder.append(fromMemory ? try state.attributeValue(of: object, property) : current.value(of: property), of: property)
            } else {
                builder.append(reference: fromMemory ? try reference(of: object, property) : current.reference(of: property), of: property)
            }
        }
        guard !taken.isEmpty else { return noteTaken(object, current) }
        let merged = builder.snapshot(row: 0)
        _ = try transaction.update(merged, entity: object.entity, changed: taken, expectedVersion: current.version)
        noteTaken(object, merged)
    }

    private func noteTaken(_ object: ManagedObject, _ row: RowSnapshot) {
        outcome.takenFromStore.append((object, row))
        outcome.rows.append((object.key, row))
    }

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
            switch policy {
            case .error:
                addConflict(object, current: current, mine: nil)
            case .mergeByPropertyObjectTrump, .overwrite:
                _ = try transaction.delete(entity: object.entity, primaryKey: primaryKey, expectedVersion: current.version)
                outcome.removed.append(object)
            case .mergeByPropertyStoreTrump, .rollback:
                outcome.revived.append((object, current))
                outcome.rows.append((object.key, current))
            }
        }
    }

    // MARK: Members of to-many relationships

    func writeMembers(of objects: [ManagedObject]) throws(PinviewError) {
        for object in objects {
            for property in object.entity.relationships where property.isToMany && !property.isTransient {
                guard case .toMany(let contents) = object.slot(property.index), contents.hasChanges else { continue }
                let owner = try reference(to: object)
                if !state.isForeignKey(property), isWrittenFrom(property) {
                    try transaction.changeMembers(
                        of: property, owner: owner, inserted: try references(to: contents.inserted),
                        removed: try references(to: contents.removed))
                }
                if property.isOrdered {
                    let members = try state.toMany(object, property)
                    if members.hasChangedOrder {
                        try transaction.setOrder(of: property, owner: owner, members: try references(to: members.members))
                    }
                }
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

    // MARK: Conflicts

    /// Objects that the program wants checked though they are not written (SAV-19).
    func check(_ objects: [ManagedObject]) throws(PinviewError) {
        for object in objects {
            guard let version = object.committed.version else { continue }
            if try transaction.checkVersion(entity: object.entity, primaryKey: object.key.primaryKey, expected: version) { continue }
            let current = try transaction.currentRow(entity: object.entity, primaryKey: object.key.primaryKey)
            if policy == .error {
                addConflict(object, current: current, mine: nil)
            } else if let current, policy != .overwrite {
                noteTaken(object, current)
            }
        }
    }

    private func addConflict(_ object: ManagedObject, current: RowSnapshot?, mine: RowSnapshot?) {
        let base: RowSnapshot? = if case .stored(let row) = object.committed { row } else { nil }
        conflicts.append(
            MergeConflict(
                objectID: object.objectID, oldVersion: base?.version ?? 0, newVersion: current?.version ?? 0,
                base: base.map { values($0, object.entity) } ?? [:], mine: (mine ?? base).map { values($0, object.entity) } ?? [:],
                theirs: current.map { values($0, object.entity) }))
    }

    /// A row for people: to-one destinations as object IDs.
    private func values(_ row: RowSnapshot, _ entity: Entity) -> [String: Value] {
        var values: [String: Value] = [:]
        for property in storedProperties(of: entity) {
            if property.isAttribute {
                values[property.name] = row.value(of: property)
            } else if let reference = row.reference(of: property), let model, model.entities.indices.contains(Int(reference.entityIndex)) {
                let destination = model.entities[Int(reference.entityIndex)]
                let key = ObjectKey(
                    storeNumber: store.number, rootEntity: Int32(destination.rootIndex), primaryKey: reference.primaryKey)
                values[property.name] = .objectID(state.objectID(for: key, entity: destination))
            } else {
                values[property.name] = .null
            }
        }
        return values
    }
}
