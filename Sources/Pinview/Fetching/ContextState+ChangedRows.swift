import PinviewGenerations
import PinviewModel
import PinviewStore

/// What has changed between the generation that somebody has fetched from and the context's.
extension ContextState {
    /// The rows that differ, with their objects, and the registered objects whose rows are gone.
    struct ChangedRows {
        var present: [(object: ManagedObject, row: RowSnapshot)] = []
        var gone: [ManagedObject] = []
    }

    /// The rows of a fetch's entity and of its relatives that have changed since another
    /// generation. Some of them may be the same after all.
    ///
    /// - Parameter limit: the most rows that are wanted.
    /// - Returns: nil if they cannot be told without reading all rows.
    func changedRows(of fetch: ResolvedFetch, since old: GenerationSet, limit: Int) throws(PinviewError) -> ChangedRows? {
        let coordinator = try requireCoordinator()
        // One after another, so that nothing is read if one of them cannot tell.
        var changed: [(source: ReadSource, keys: [Int64])] = []
        for source in try readSources(for: fetch) {
            guard let new = source.generation, case .generation(let before) = old.reading(ofStore: source.store.number) else { return nil }
            if before === new { continue }
            guard let keys = source.store.changedKeys(ofHierarchyOf: fetch.entity, from: before, to: new, limit: limit) else { return nil }
            if !keys.isEmpty { changed.append((source, keys)) }
        }
        var result = ChangedRows()
        for (source, keys) in changed {
            let stamp = coordinator.rowCache.stamp
            let rows = try source.store.rows(entity: fetch.entity, primaryKeys: keys, at: source.generation)
            let objects = try objects(of: rows, source, fetch.entity, stamp: stamp, mayBeOld: false, coordinator)
            var missing = Set(keys)
            for (index, object) in objects.enumerated() {
                missing.remove(object.key.primaryKey)
                result.present.append((object, rows.snapshot(index)))
            }
            for key in missing {
                let key = ObjectKey(storeNumber: source.store.number, rootEntity: Int32(fetch.entity.rootIndex), primaryKey: key)
                if let object = registry.object(key) { result.gone.append(object) }
            }
        }
        return result
    }
}
