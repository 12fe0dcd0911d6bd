import PinviewModel
import PinviewStore

/// A conflict about a row that others have changed or deleted since the context read it.
struct Dispute {
    enum Change {
        /// The row that the context would write, and the columns that it changed.
        case update(RowSnapshot, [Property])
        case deletion
        /// None: the program wants to be told of changes by others.
        case none
    }

    let object: ManagedObject
    /// The row in the store; nil if it is gone.
    let current: RowSnapshot?
    let change: Change
}

/// Resolving conflicts with the merge policy (SAV-10 to SAV-18).
extension StoreWriter {
    func resolve(_ dispute: Dispute, by policy: MergePolicy) throws(PinviewError) {
        switch policy.kind {
        case .error: return conflicts.append(conflict(of: dispute))
        case .custom: return disputes.append(dispute)
        case .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback: break
        }
        let object = dispute.object
        let takesObject = policy == .mergeByPropertyObjectTrump || policy == .overwrite
        switch (dispute.change, dispute.current) {
        case (.none, let current?):
            if policy != .overwrite { noteTaken(object, current) }
        case (.none, nil): break
        case (.deletion, let current?):
            if takesObject {
                _ = try transaction.delete(entity: object.entity, primaryKey: current.primaryKey, expectedVersion: current.version)
                outcome.further.removed.append(object)
            } else {
                rewritten.append(object)
                noteRevived(object, current)
            }
        case (.deletion, nil):
            outcome.further.removed.append(object)
        case (.update(let row, _), nil):
            // Nobody has the values of a fault whose row is gone.
            if takesObject, !object.flags.contains(.inaccessible) {
                try transaction.insert(row, entity: object.entity)
                rewritten.append(object)
                noteTaken(object, row)
            } else {
                outcome.further.vanished.append(object)
            }
        case (.update(_, let columns), let current?):
            rewritten.append(object)
            let isChanged = { (property: Property) in columns.contains { $0 === property } }
            switch policy.kind {
            case .overwrite:
                try rewrite(object, current) { _ in .memory }
            case .mergeByPropertyObjectTrump:
                try rewrite(object, current) { isChanged($0) ? .memory : .store }
            case .mergeByPropertyStoreTrump:
                try rewrite(object, current) { isChanged($0) && !Self.differs($0, current, from: object.committed) ? .memory : .store }
            default:
                noteTaken(object, current)
            }
        }
    }

    private static func differs(_ property: Property, _ current: RowSnapshot, from committed: CommittedRow) -> Bool {
        guard case .stored(let base) = committed else { return true }
        return !current.hasSameValue(property, as: base)
    }

    // MARK: The program's own policy

    func resolve(_ dispute: Dispute, as resolution: MergeResolution) throws(PinviewError) {
        switch resolution {
        case .policy(let policy):
            if case .custom = policy.kind { throw Self.customInCustom }
            try resolve(dispute, by: policy)
        case .values(let values):
            try resolve(dispute, writing: try resolved(values, of: dispute.object))
        }
    }

    static let customInCustom = PinviewError(
        .invalidArgument, "The program's merge policy must resolve a conflict with values or with a built-in policy.")

    enum Source {
        case memory, store
        case value(Value)
        case reference(Reference?)
    }

    /// The values that the program wants to write, by property index.
    func resolved(_ values: [String: Value], of object: ManagedObject) throws(PinviewError) -> [Int: Source] {
        var sources: [Int: Source] = [:]
        for (name, value) in values {
            guard let property = object.entity.property(named: name) else { throw PinviewError.unknownKey(name, of: object.entity) }
            guard !property.isTransient, !property.isToMany else {
                throw PinviewError(
                    .wrongType,
                    "\(object.entity.name).\(name) has no column; a conflict is resolved with attributes and to-one relationships."
                ).with(affectedObjectIDs: [object.objectID])
            }
            if property.isAttribute {
                let value = try property.convert(value)
                if let error = property.validate(value, objectID: object.objectID) { throw error }
                sources[property.index] = .value(value)
            } else {
                sources[property.index] = .reference(try destination(value, property, object))
            }
        }
        return sources
    }

    private func destination(_ value: Value, _ property: Property, _ object: ManagedObject) throws(PinviewError) -> Reference? {
        let what = "\(object.entity.name).\(property.name) of \(object.objectID)"
        switch value {
        case .null:
            if let error = property.validate(value, objectID: object.objectID) { throw error }
            return nil
        case .objectID(let objectID):
            let key = PermanentKeys.shared.permanentKey(for: objectID.key)
            guard !key.isTemporary, key.storeNumber == store.number else {
                throw PinviewError(.externalRelationship, "\(what) cannot refer to \(objectID), which is not in the same store.")
                    .with(affectedObjectIDs: [object.objectID, objectID])
            }
            guard let entity = model.entity(like: objectID.entity), entity.isKind(ofIndex: property.destinationIndex) else {
                throw PinviewError(.wrongType, "\(what) leads to \(property.destinationEntityName), not to \(objectID.entity.name).")
            }
            return Reference(entityIndex: Int32(entity.index), isTemporary: false, primaryKey: key.primaryKey)
        default:
            throw PinviewError(.wrongType, "\(what) is a relationship; resolve it with an object ID or null.")
        }
    }

    /// Other properties keep the store's values or, if the row is gone, the context's.
    private func resolve(_ dispute: Dispute, writing sources: [Int: Source]) throws(PinviewError) {
        let object = dispute.object
        if let current = dispute.current {
            rewritten.append(object)
            let written = try rewrite(object, current, isNoted: false) { sources[$0.index] ?? .store } ?? current
            if case .deletion = dispute.change { noteRevived(object, written) } else { noteTaken(object, written) }
        } else if object.flags.contains(.inaccessible) {
            outcome.further.vanished.append(object)
        } else if case .update(let mine, _) = dispute.change,
            let merged = try mixedRow(object, mine, version: mine.version, { sources[$0.index] ?? .memory })
        {
            try transaction.insert(merged, entity: object.entity)
            rewritten.append(object)
            noteTaken(object, merged)
        }
    }

    // MARK: Rows of mixed binding

    /// Writes a row whose properties come from several sides.
    ///
    /// - Returns: the row; nil if it equals the store's.
    @discardableResult
    private func rewrite(
        _ object: ManagedObject, _ current: RowSnapshot, isNoted: Bool = true, _ source: (Property) -> Source
    ) throws(PinviewError) -> RowSnapshot? {
        let taken = storedProperties(of: object.entity).filter { if case .store = source($0) { false } else { true } }
        guard !taken.isEmpty, let merged = try mixedRow(object, current, version: current.version + 1, source) else {
            if isNoted { noteTaken(object, current) }
            return nil
        }
        _ = try transaction.update(merged, entity: object.entity, changed: taken, expectedVersion: current.version)
        if isNoted { noteTaken(object, merged) }
        return merged
    }

    private func mixedRow(
        _ object: ManagedObject, _ stored: RowSnapshot, version: Int64, _ source: (Property) -> Source
    ) throws(PinviewError) -> RowSnapshot? {
        var builder = RowBuilder(entity: object.entity, model: model, reservingRows: 1)
        builder.beginRow(primaryKey: stored.primaryKey, version: version)
        for property in storedProperties(of: object.entity) {
            switch source(property) {
            case .value(let value): try builder.append(value, of: property)
            case .reference(let reference): builder.append(reference: reference, of: property)
            case .store where property.isAttribute: try builder.append(stored.value(of: property), of: property)
            case .store: builder.append(reference: stored.reference(of: property), of: property)
            case .memory where property.isAttribute: try builder.append(try state.attributeValue(of: object, property), of: property)
            case .memory: builder.append(reference: try reference(of: object, property), of: property)
            }
        }
        return builder.finish().snapshot(0)
    }

    func noteTaken(_ object: ManagedObject, _ row: RowSnapshot) {
        outcome.further.takenFromStore.append((object, row))
        outcome.further.rows.append((object.key, row))
    }

    private func noteRevived(_ object: ManagedObject, _ row: RowSnapshot) {
        outcome.further.revived.append((object, row))
        outcome.further.rows.append((object.key, row))
    }

    // MARK: For people and policies

    func conflict(of dispute: Dispute) -> MergeConflict {
        let object = dispute.object
        let base: RowSnapshot? = if case .stored(let row) = object.committed { row } else { nil }
        let mine: RowSnapshot? = if case .update(let row, _) = dispute.change { row } else { base }
        let isDeletion = if case .deletion = dispute.change { true } else { false }
        return MergeConflict(
            objectID: object.objectID, oldVersion: base?.version ?? 0, newVersion: dispute.current?.version ?? 0,
            base: base.map { values($0, object.entity) } ?? [:], mine: mine.map { values($0, object.entity) } ?? [:],
            theirs: dispute.current.map { values($0, object.entity) }, isDeletion: isDeletion)
    }

    /// A row for display, with to-one destinations as object IDs.
    private func values(_ row: RowSnapshot, _ entity: Entity) -> [String: Value] {
        var values: [String: Value] = [:]
        for property in storedProperties(of: entity) {
            if property.isAttribute {
                values[property.name] = row.value(of: property)
            } else if let reference = row.reference(of: property), let destination = self.entity(of: reference) {
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
