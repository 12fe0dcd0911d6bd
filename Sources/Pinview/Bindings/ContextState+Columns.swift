import PinviewGenerations
import PinviewModel
import PinviewStore

/// Reading a property of many objects at once, for bindings that read in blocks.
extension ContextState {
    /// Reads one property of objects of one entity.
    ///
    /// The object at `place` is read as by a normal access, which fires a fault. Of the others,
    /// whatever is loaded comes along without firing faults: a fault that could be filled from the
    /// row cache shows the value of that row, and the column keeps the row.
    ///
    /// - Parameters:
    ///   - objects: nil for objects that are not requested.
    ///   - rows: the rows shown for faults by this and earlier calls.
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
        // Columns leave out what cannot be read, which must be told to those who ask for it.
        if property.cellKind == .externalBinary { column.append(try attributeValue(of: first, property), at: place) }
        if alone { return try append(property, of: first, at: place, to: column) }
        let looks = try peeking(first.entity)
        if pin.hasGeneration { column.cacheVersion = 0 }
        // Rows of an earlier column are still valid.
        let rowsHold = rows.version == column.version && rows.version != 0 && rows.cacheVersion == column.cacheVersion
        if !rowsHold { rows.removeAll() }
        rows.version = column.version
        rows.cacheVersion = column.cacheVersion
        // See `usablePrefetchedRow`.
        let rank = looks.map { readRank(ofStore: $0.store.number) } ?? 0
        let isStored = property.isAttribute && !property.isTransient
        let binding = first.binding
        let isOfStore = !first.key.isTemporary && first.key.storeNumber == looks?.store.number
        let plain = PlainRows(of: binding, at: isOfStore ? rank : 0, among: rows, whichHold: isOfStore && rowsHold)
        var next = 0
        while true {
            let index = isStored ? plain.append(objects, from: next, firing: place, to: column) : next
            if index == objects.count { return }
            next = index + 1
            guard let object = objects[index], index == place || object.flags.isDisjoint(with: [.invalidated, .inaccessible]) else {
                continue
            }
            if !object.flags.contains(.fault) {
                rows.forget(index)
                try append(property, of: object, at: index, to: column)
            } else if let looks, case .unloaded = object.slot(property.index), !property.isTransient, !object.key.isTemporary,
                object.key.storeNumber == looks.store.number
            {
                let row: RowSnapshot
                if let prefetched = object.prefetchedRow, prefetched.block.rank == rank, rank != 0 {
                    row = prefetched
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
                    if let reference = row.reference(of: property) {
                        destination = try objectReference(reference, from: object.binding).key
                    }
                    column.append(destination, at: index, isFault: true)
                }
            }
        }
    }

    /// Fires faults that a binding has shown, by their places.
    func fire(_ places: UnsafeBufferPointer<UInt32>, of objects: [ManagedObject?], rows: ShownRows) {
        var shown: [ManagedObject] = []
        shown.reserveCapacity(places.count)
        for place in places where objects.indices.contains(Int(place)) {
            if let object = objects[Int(place)] { shown.append(object) }
        }
        guard realiseFromPrefetchedRows(shown) else { return }
        let isCurrent = queue.stableChangeCount == rows.version
        for index in places.lazy.map({ Int($0) }) where objects.indices.contains(index) {
            guard let object = objects[index], object.flags.contains(.fault), !object.flags.contains(.invalidated) else { continue }
            do {
                if isCurrent, let row = rows.row(index) { try realise(object, .stored(row)) } else { try fire(object) }
            } catch {
                // The object stays a fault, and the next access reports the error.
            }
            rows.forget(index)
        }
    }

    /// How to look up the rows of faults; nil if firing involves more than taking a row from the
    /// row cache.
    private func peeking(
        _ entity: Entity
    ) throws(PinviewError) -> (store: any IncrementalStore, generation: Generation?, coordinator: PersistentStoreCoordinator)? {
        guard parent == nil, settings.stalenessInterval < 0, hookTable?.entities[entity.index]?.hooks.awakeFromFetch == nil else {
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

/// Reads the rows of objects that have nothing but their rows, usually all of them. Retains nothing
/// to find them.
private struct PlainRows {
    private let binding: EntityBinding
    private let rank: UInt64
    private let shown: ShownRows
    private let shownHold: Bool

    /// - Parameters:
    ///   - binding: the binding of objects of the same store.
    ///   - rank: the rank of prefetched rows that may fill a fault (see `usablePrefetchedRow`), or
    ///     0.
    ///   - shown: the rows shown for faults, if they are still valid.
    init(of binding: EntityBinding, at rank: UInt64, among shown: ShownRows, whichHold shownHold: Bool) {
        (self.binding, self.rank, self.shown, self.shownHold) = (binding, rank, shown, shownHold)
    }

    private struct Row {
        let block: Unmanaged<RowBlock>
        let number: UInt16
        let isFault: Bool
    }

    @inline(__always)
    private func row(of object: ManagedObject, at index: Int, isFired: Bool) -> Row? {
        if !isFired, !object.flags.isDisjoint(with: [.invalidated, .inaccessible]) { return nil }
        let isFault = object.flags.contains(.fault)
        if !isFault { shown.forget(index) }
        if let block = object.plainBlock, let row = object.rowNumber,
            !isFault || rank != 0 && object.hasBinding(binding) && block._withUnsafeGuaranteedRef({ $0.rank == rank })
        {
            return Row(block: block, number: UInt16(truncatingIfNeeded: row), isFault: isFault)
        }
        guard isFault, shownHold, !object.hasExtras, object.hasBinding(binding), let row = shown.unmanagedRow(index) else { return nil }
        return Row(block: row.block, number: UInt16(truncatingIfNeeded: row.number), isFault: true)
    }

    /// Appends an attribute of the objects to a column, one run of consecutive objects with rows in
    /// the same block at a time.
    /// - Returns: the place of the first object that needs the general path.
    func append(_ objects: [ManagedObject?], from start: Int, firing place: Int, to column: ObjectColumn) -> Int {
        withUnsafeTemporaryAllocation(of: UInt16.self, capacity: RowBlock.rowLimit) { numbers in
            objects.withUnsafeBufferPointer { objects in
                objects.withMemoryRebound(to: Unmanaged<ManagedObject>?.self) { objects in
                    var run: Row?
                    var count = 0
                    @inline(__always)
                    func finish(before index: Int) {
                        guard let run, count > 0 else { return }
                        let rows = UnsafeBufferPointer(rebasing: numbers[..<count])
                        run.block._withUnsafeGuaranteedRef { column.append($0, rows: rows, at: index - count, areFaults: run.isFault) }
                        count = 0
                    }
                    for index in start..<objects.count {
                        guard let object = objects[index] else {
                            finish(before: index)
                            continue
                        }
                        guard let found = object._withUnsafeGuaranteedRef({ row(of: $0, at: index, isFired: index == place) }) else {
                            finish(before: index)
                            return index
                        }
                        if count == numbers.count || found.block.toOpaque() != run?.block.toOpaque() || found.isFault != run?.isFault {
                            finish(before: index)
                            run = found
                        }
                        numbers[count] = found.number
                        count += 1
                    }
                    finish(before: objects.count)
                    return objects.count
                }
            }
        }
    }
}

/// The rows shown for faults, by their places in a block of objects.
final class ShownRows {
    /// The count of changes when they were looked up.
    var version: UInt64 = 0
    /// The row cache's count of changes at that time.
    var cacheVersion: UInt64 = 0
    private var rows: [Row?] = []

    /// Retains the block, which readers do not.
    fileprivate struct Row {
        let block: Unmanaged<RowBlock>
        let number: Int32
    }

    deinit { removeAll() }

    func row(_ index: Int) -> RowSnapshot? {
        guard index < rows.count, let row = rows[index] else { return nil }
        return RowSnapshot(block: row.block.takeUnretainedValue(), row: row.number)
    }

    @inline(__always)
    fileprivate func unmanagedRow(_ index: Int) -> Row? { index < rows.count ? rows[index] : nil }

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
