import PinviewGenerations
import PinviewModel
import PinviewStore

/// Properties of many objects at once, for bindings that read in blocks.
extension ContextState {
    /// Reads one property of objects of one entity.
    ///
    /// The object at `place` is read as an access to the property reads it: its fault is fired, with all that belongs to that. Of the others
    /// what is at hand comes along, without firing a fault: a fault that would be filled from the row cache shows what it would be
    /// filled with, and the column keeps its row.
    ///
    /// - Parameters:
    ///   - objects: nil for those that are not asked for.
    ///   - rows: for each object the row it was shown with as a fault, from this and earlier calls.
    func read(
        _ property: Property, of objects: [ManagedObject?], at place: Int, alone: Bool, rows: ShownRows, into column: ObjectColumn
    ) throws(PinviewError) {
        guard let first = objects[place] else { return }
        column.begin(property, count: objects.count, coordinator?.rowCache.newestChanges)
        defer { column.end(objects) }
        column.version = queue.stableChangeCount ?? 0
        try requireUsable(first)
        try fire(first)
        rows.forget(place)
        if alone { return try append(property, of: first, at: place, to: column) }
        let looks = try peeking(first.entity)
        if isPinned { column.cacheVersion = 0 }
        // Those of an earlier column are the same still.
        let rowsHold = rows.version == column.version && rows.version != 0 && rows.cacheVersion == column.cacheVersion
        if !rowsHold { rows.removeAll() }
        rows.version = column.version
        rows.cacheVersion = column.cacheVersion
        // See `usableRowAtHand`.
        let rank = looks.map { pinnedRank(ofStore: $0.store.number) } ?? 0
        let isStored = property.isAttribute && !property.isTransient
        let origin = first.origin
        let isOfStore = !first.key.isTemporary && first.key.storeNumber == looks?.store.number
        let quickRank = isOfStore ? rank : 0
        let showsAgain = isStored && isOfStore && rowsHold
        for (index, object) in objects.enumerated() {
            guard let object, index == place || object.flags.isDisjoint(with: [.invalidated, .inaccessible]) else { continue }
            if showsAgain, object.isPlainFault(origin), rows.append(index, to: column) { continue }
            if isStored, object.isQuick(quickRank, origin) {
                if !object.flags.contains(.fault) { rows.forget(index) }
                object.appendQuickly(to: column, at: index)
                continue
            }
            if !object.flags.contains(.fault) {
                rows.forget(index)
                try append(property, of: object, at: index, to: column)
            } else if let looks, case .unloaded = object.slot(property.index), !property.isTransient, !object.key.isTemporary,
                object.key.storeNumber == looks.store.number
            {
                let row: RowSnapshot
                if let atHand = object.rowAtHand, atHand.block.origin.ordinal == rank, rank != 0 {
                    row = atHand
                } else if rowsHold, let known = rows.row(index) {
                    row = known
                } else if let cached = cachedRow(
                    of: object.key, generation: looks.generation, store: looks.store, coordinator: looks.coordinator)
                {
                    row = cached
                    rows.keep(row, index, of: objects.count)
                } else {
                    continue
                }
                if property.isAttribute {
                    column.append(row, at: index, isFault: true)
                } else {
                    var destination: ObjectKey?
                    if let reference = row.reference(of: property) { destination = try objectReference(reference, from: object.origin).key }
                    column.append(destination, at: index, isFault: true)
                }
            }
        }
    }

    /// Fires faults that a binding has shown.
    func fire(_ shown: [(place: Int, object: ManagedObject)], rows: ShownRows) {
        let isCurrent = queue.stableChangeCount == rows.version
        for (place, object) in shown where object.flags.contains(.fault) && !object.flags.contains(.invalidated) {
            do {
                if isCurrent, let row = rows.row(place) { try realise(object, .stored(row)) } else { try fire(object) }
            } catch {
                // It stays a fault, and the next access to it reports why.
            }
            rows.forget(place)
        }
    }

    /// How the rows of faults are looked up; nil where firing is more than filling in what the row cache has.
    private func peeking(
        _ entity: Entity
    ) throws(PinviewError) -> (store: SQLStore, generation: Generation?, coordinator: PersistentStoreCoordinator)? {
        guard parent == nil, stalenessInterval < 0, hookTable?.entities[entity.index]?.hooks.awakeFromFetch == nil else {
            return nil
        }
        let coordinator = try requireCoordinator()
        let set = try beginRead()
        for store in coordinator.stores(holding: entity, among: nil) {
            switch set.reading(ofStore: store.number) {
            case .generation(let generation): return (store, generation, coordinator)
            case .live: return (store, nil, coordinator)
            case .notCovered: continue
            }
        }
        return nil
    }

    private func append(_ property: Property, of object: ManagedObject, at index: Int, to column: ObjectColumn) throws(PinviewError) {
        if property.isRelationship {
            let destination: ObjectKey?
            if case .toOne(let object) = object.slot(property.index) {
                destination = object?.key
            } else {
                destination = try committedReference(of: object, property)?.key
            }
            return column.append(destination, at: index)
        }
        if case .stored(let row) = object.committed, case .unloaded = object.slot(property.index), !property.isTransient {
            return column.append(row, at: index, isFault: false)
        }
        column.append(try attributeValue(of: object, property), at: index)
    }
}

extension ManagedObject {
    /// Whether the object has no more than its row, or, as a fault, one that it would be filled with: one of that rank, if it is in the
    /// same store as others. Nothing is retained to find out.
    @inline(__always)
    fileprivate func isQuick(_ rank: UInt64, _ others: ObjectOrigin) -> Bool {
        guard let block = plainBlock, rowNumber != nil else { return false }
        return !flags.contains(.fault)
            || rank != 0 && hasOrigin(others) && block._withUnsafeGuaranteedRef { $0.origin.ordinal == rank }
    }

    /// Whether the object is a fault of which nothing but a row can be known, in the same store as others.
    @inline(__always)
    fileprivate func isPlainFault(_ others: ObjectOrigin) -> Bool { flags.contains(.fault) && !hasExtras && hasOrigin(others) }

    @inline(__always)
    fileprivate func appendQuickly(to column: ObjectColumn, at index: Int) {
        guard let block = plainBlock, let row = rowNumber else { return }
        let isFault = flags.contains(.fault)
        block._withUnsafeGuaranteedRef { column.append($0, row: row, at: index, isFault: isFault) }
    }
}

/// The rows that faults were shown with, by their places in a block.
final class ShownRows {
    /// The count of changes at which they were looked up.
    var version: UInt64 = 0
    /// The row cache's count at that time.
    var cacheVersion: UInt64 = 0
    private var rows: [Row?] = []

    /// Its block is counted here, not by who looks at it.
    private struct Row {
        let block: Unmanaged<RowBlock>
        let number: Int32
    }

    deinit { removeAll() }

    func row(_ index: Int) -> RowSnapshot? {
        guard index < rows.count, let row = rows[index] else { return nil }
        return RowSnapshot(block: row.block.takeUnretainedValue(), row: row.number)
    }

    /// Puts an attribute of the row that a fault was shown with into a column; false where there is no row.
    @inline(__always)
    fileprivate func append(_ index: Int, to column: ObjectColumn) -> Bool {
        guard index < rows.count, let row = rows[index] else { return false }
        row.block._withUnsafeGuaranteedRef { column.append($0, row: Int(row.number), at: index, isFault: true) }
        return true
    }

    func keep(_ row: RowSnapshot, _ index: Int, of count: Int) {
        if rows.isEmpty { rows = Array(repeating: nil, count: count) }
        rows[index]?.block.release()
        rows[index] = Row(block: .passRetained(row.block), number: row.row)
    }

    func forget(_ index: Int) {
        guard index < rows.count, let row = rows[index] else { return }
        rows[index] = nil
        row.block.release()
    }

    func removeAll() {
        for row in rows { row?.block.release() }
        rows = []
    }
}
