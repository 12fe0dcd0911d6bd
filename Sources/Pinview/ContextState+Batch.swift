import PinviewModel
import PinviewStore

/// Batch requests: straight to the stores, past the context's objects (BAT).
extension ContextState {
    func execute(_ request: BatchUpdateRequest) throws(PinviewError) -> PersistentStoreResult {
        let coordinator = try requireCoordinator()
        let model = coordinator.managedObjectModel
        guard let entity = model.entity(named: request.entityName) else { throw PinviewError.unknownEntity(request.entityName, in: model) }
        let predicate = try request.predicate?.resolved(for: entity, in: model)
        let assignments = try resolveAssignments(request.propertiesToUpdate, entity)
        let stores = coordinator.stores(holding: entity, among: request.affectedStores)
        for store in stores where store.isInMemory {
            throw PinviewError(
                .persistentStoreUnsupportedRequest,
                "A batch update needs SQLite stores, but \(store.identifier) is a store in memory. Name the stores in affectedStores."
            ).with(affectedStores: [store.identifier])
        }
        var fetch = StoreFetch(entity: entity)
        fetch.includesSubentities = request.includesSubentities
        fetch.predicate = predicate
        var count = 0
        var identifiers: [ManagedObjectID] = []
        for store in stores {
            let result = try store.batchUpdate(
                fetch, assignments: assignments, returningReferences: request.resultType == .updatedObjectIDs)
            // Cached rows of the hierarchy may be out of date now (BAT-09).
            coordinator.rowCache.invalidateAll(storeNumber: store.number, rootEntity: Int32(entity.rootIndex))
            count += result.count
            for reference in result.references {
                guard model.entities.indices.contains(Int(reference.entityIndex)) else { continue }
                let entity = model.entities[Int(reference.entityIndex)]
                let key = ObjectKey(storeNumber: store.number, rootEntity: Int32(entity.rootIndex), primaryKey: reference.primaryKey)
                identifiers.append(objectID(for: key, entity: entity))
            }
        }
        switch request.resultType {
        case .statusOnly: return .success
        case .updatedObjectIDs: return .objectIDs(identifiers)
        case .updatedObjectsCount: return .count(count)
        }
    }

    private func resolveAssignments(_ values: [String: Value], _ entity: Entity) throws(PinviewError) -> [(Property, Value)] {
        guard !values.isEmpty else {
            throw PinviewError(.invalidArgument, "A batch update of \(entity.name) names no property to update.")
        }
        var assignments: [(Property, Value)] = []
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            guard let property = entity.property(named: name), property.isAttribute, !property.isTransient else {
                throw PinviewError(
                    .unknownKey, "A batch update sets stored attributes; \(entity.name) has no stored attribute '\(name)'.")
            }
            assignments.append((property, try property.convert(value)))
        }
        return assignments
    }
}
