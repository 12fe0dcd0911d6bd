import PinviewModel
import PinviewPredicates
import PinviewStore

/// Batch requests, which go to the stores without using objects (BAT).
extension ContextState {
    /// The author recorded in the history: that of the root context (HIS-10).
    var historyOrigin: HistoryOrigin {
        HistoryOrigin(author: settings.transactionAuthor, contextName: settings.name)
    }

    // MARK: Update

    func execute(_ request: BatchUpdateRequest) throws(PinviewError) -> PersistentStoreResult {
        let coordinator = try requireCoordinator()
        let entity = try requireEntity(request.entityName, coordinator)
        let assignments = try resolveAssignments(request, entity, coordinator.managedObjectModel)
        var fetch = StoreFetch(entity: entity)
        fetch.includesSubentities = request.includesSubentities
        fetch.predicate = try request.predicate?.resolved(for: entity, in: coordinator.managedObjectModel)
        var count = 0
        var identifiers: [ManagedObjectID] = []
        for store in try batchStores(holding: entity, among: request.affectedStores, coordinator) {
            let outcome = try store.batchUpdate(
                fetch, assignments: assignments, returningReferences: request.resultType == .objectIDs, origin: historyOrigin)
            // Cached rows of the hierarchy may be outdated now (BAT-09).
            invalidateRows(of: entity, store, coordinator)
            count += outcome.count
            identifiers += objectIDs(of: outcome.references, in: store, coordinator.managedObjectModel)
        }
        return result(request.resultType, count, identifiers)
    }

    private func resolveAssignments(
        _ request: BatchUpdateRequest, _ entity: Entity, _ model: ManagedObjectModel
    ) throws(PinviewError) -> [(Property, BatchAssignment)] {
        guard !request.propertiesToUpdate.isEmpty || !request.expressionsToUpdate.isEmpty else {
            throw PinviewError(.invalidArgument, "A batch update of \(entity.name) has no property to update.")
        }
        func attribute(_ name: String) throws(PinviewError) -> Property {
            guard let property = entity.property(named: name), property.isAttribute, !property.isTransient else {
                throw PinviewError(
                    .unknownKey, "A batch update sets stored attributes; \(entity.name) has no stored attribute '\(name)'.")
            }
            return property
        }
        var assignments: [(Property, BatchAssignment)] = []
        for (name, value) in request.propertiesToUpdate.sorted(by: { $0.key < $1.key }) {
            let property = try attribute(name)
            assignments.append((property, .value(try property.convert(value))))
        }
        for (name, expression) in request.expressionsToUpdate.sorted(by: { $0.key < $1.key }) {
            let property = try attribute(name)
            guard request.propertiesToUpdate[name] == nil else {
                throw PinviewError(.invalidArgument, "A batch update has both a value and an expression for \(property.qualifiedName).")
            }
            let resolved = try expression.resolved(for: entity, in: model)
            guard case .constant(let value) = resolved else {
                assignments.append((property, .expression(resolved)))
                continue
            }
            assignments.append((property, .value(try property.convert(value))))
        }
        return assignments
    }

    private func invalidateRows(of entity: Entity, _ store: any IncrementalStore, _ coordinator: PersistentStoreCoordinator) {
        let root = store.hasDerivedAttributes ? nil : Int32(entity.rootIndex)
        coordinator.rowCache.invalidateAll(storeNumber: store.number, rootEntity: root)
    }

    // MARK: Insert

    func insertBatch(_ request: BatchInsertRequest) throws(PinviewError) -> BatchInsertResult {
        let coordinator = try requireCoordinator()
        let entity = try requireEntity(request.entityName, coordinator)
        let policy = try insertPolicy(request.mergePolicy)
        let stores = try batchStores(holding: entity, among: request.affectedStores, coordinator)
        guard let store = stores.first(where: { !$0.isReadOnly }) ?? stores.first else {
            throw PinviewError(.persistentStoreOperation, "No store of the batch insert holds the entity \(entity.name).")
        }
        let returnsObjectIDs = request.resultType == .objectIDs
        let outcome: BatchOutcome
        if let source = request.source {
            outcome = try store.batchInsert(entity, source, policy: policy, returningReferences: returnsObjectIDs, origin: historyOrigin)
        } else if let columns = request.columns {
            outcome = try store.batchInsert(
                entity, names: columns.names, columns: columns.values, rows: columns.takeRows(), policy: policy,
                returningReferences: returnsObjectIDs, origin: historyOrigin)
        } else if let rows = request.rows {
            outcome = try store.batchInsert(
                entity, rows: rows, policy: policy, returningReferences: returnsObjectIDs, origin: historyOrigin)
        } else {
            outcome = try store.batchInsert(
                entity, policy: policy, returningReferences: returnsObjectIDs, origin: historyOrigin, next: request.nextRow)
        }
        // Cached rows of the hierarchy may be outdated now (BAT-09).
        if outcome.updatedCount > 0 || store.hasDerivedAttributes { invalidateRows(of: entity, store, coordinator) }
        return BatchInsertResult(
            insertedCount: outcome.insertedCount, updatedCount: outcome.updatedCount, leftCount: outcome.leftCount,
            objectIDs: objectIDs(of: outcome.references, in: store, coordinator.managedObjectModel))
    }

    func execute(_ request: BatchInsertRequest) throws(PinviewError) -> PersistentStoreResult {
        let outcome = try insertBatch(request)
        return result(request.resultType, outcome.insertedCount + outcome.updatedCount, outcome.objectIDs)
    }

    private func insertPolicy(_ policy: MergePolicy) throws(PinviewError) -> InsertConflictPolicy {
        switch policy.kind {
        case .error: return .fail
        case .mergeByPropertyObjectTrump: return .update
        case .overwrite: return .overwrite
        case .mergeByPropertyStoreTrump, .rollback: return .keep
        case .custom:
            throw PinviewError(
                .invalidArgument,
                "A batch insert needs one of the built-in merge policies, since there are no objects to pass to the program's own. "
                    + "Upsert in a context, or save new objects.")
        }
    }

    // MARK: Delete

    func execute(_ request: BatchDeleteRequest) throws(PinviewError) -> PersistentStoreResult {
        let coordinator = try requireCoordinator()
        var count = 0
        var identifiers: [ManagedObjectID] = []
        func add(_ deletion: BatchDeletion, _ store: any IncrementalStore) {
            count += deletion.deleted.count
            if request.resultType == .objectIDs {
                identifiers += objectIDs(of: deletion.deleted, in: store, coordinator.managedObjectModel)
            }
            // Cascades and cleared references affect other entities (BAT-09).
            coordinator.rowCache.invalidateAll(storeNumber: store.number)
        }
        if let fetchRequest = request.fetchRequest {
            let fetch = try resolve(fetchRequest)
            let storeFetch = fetch.storeFetch(isWindowed: true)
            let wanted = request.affectedStores ?? fetchRequest.affectedStores
            for store in try batchStores(holding: fetch.entity, among: wanted, coordinator) {
                add(try store.batchDelete(storeFetch, origin: historyOrigin), store)
            }
        }
        for (number, members) in Dictionary(grouping: request.objectIDs, by: \.key.storeNumber).sorted(by: { $0.key < $1.key }) {
            guard let store = coordinator.store(number: number) else {
                throw PinviewError(
                    .invalidArgument,
                    "\(members[0].uriRepresentation) cannot be deleted by a batch delete: its store is not on this coordinator, or it has not been saved."
                ).with(affectedObjectIDs: members)
            }
            guard request.affectedStores?.contains(where: { $0.store === store }) ?? true else { continue }
            try requireBatches(store)
            var references: [Reference] = []
            for objectID in members {
                guard let entity = coordinator.managedObjectModel.entity(like: objectID.entity) else { continue }
                references.append(Reference(entityIndex: Int32(entity.index), primaryKey: objectID.key.primaryKey))
            }
            add(try store.batchDelete(references, origin: historyOrigin), store)
        }
        return result(request.resultType, count, identifiers)
    }

    // MARK: Common

    private func requireEntity(_ name: String, _ coordinator: PersistentStoreCoordinator) throws(PinviewError) -> Entity {
        let model = coordinator.managedObjectModel
        guard let entity = model.entity(named: name) else { throw PinviewError.unknownEntity(name, in: model) }
        return entity
    }

    private func batchStores(
        holding entity: Entity, among wanted: [PersistentStore]?, _ coordinator: PersistentStoreCoordinator
    ) throws(PinviewError) -> [any IncrementalStore] {
        let stores = coordinator.stores(holding: entity, among: wanted)
        for store in stores { try requireBatches(store) }
        return stores
    }

    private func requireBatches(_ store: any IncrementalStore) throws(PinviewError) {
        guard store.isInMemory else { return }
        throw PinviewError(
            .persistentStoreUnsupportedRequest,
            "A batch request needs SQLite stores, but \(store.identifier) is an in-memory store. Set the affected stores of the request."
        ).with(affectedStores: [store.identifier])
    }

    func objectIDs(of references: [Reference], in store: any IncrementalStore, _ model: ManagedObjectModel) -> [ManagedObjectID] {
        references.compactMap { reference in
            guard model.entities.indices.contains(Int(reference.entityIndex)) else { return nil }
            let entity = model.entities[Int(reference.entityIndex)]
            let key = ObjectKey(storeNumber: store.number, rootEntity: Int32(entity.rootIndex), primaryKey: reference.primaryKey)
            return objectID(for: key, entity: entity)
        }
    }

    private func result(_ type: BatchResultType, _ count: Int, _ identifiers: [ManagedObjectID]) -> PersistentStoreResult {
        switch type {
        case .statusOnly: .success
        case .objectIDs: .objectIDs(identifiers)
        case .count: .count(count)
        }
    }
}
