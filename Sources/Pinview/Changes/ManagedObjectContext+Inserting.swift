import PinviewGenerations
import PinviewModel
import PinviewStore

/// Inserting many objects at once.
extension ManagedObjectContext {
    /// Inserts many objects with their values. Equivalent to ``insertNewObject(forEntityName:)``
    /// followed by setting each value, but cheaper.
    ///
    /// - Parameter columns: the values of attributes, by name; all lists have the same length.
    /// - Throws: `invalidArgument` for columns of different lengths, and the errors of setting a
    ///   value. No objects are inserted then.
    public func insertNewObjects(forEntityName entityName: String, columns: [String: [Value]]) throws(PinviewError) -> [ManagedObject] {
        let names = columns.keys.sorted(), values = names.map { columns[$0] ?? [] }
        let count = values.first?.count ?? 0
        for (name, column) in zip(names, values) where column.count != count {
            throw PinviewError(
                .invalidArgument,
                "The column '\(name)' of new objects has \(column.count) values, but the column '\(names[0])' has \(count).")
        }
        return try insertNewObjects(
            forEntityName: entityName, count: count,
            properties: { (object) throws(PinviewError) in
                var properties: [Property] = []
                for name in names { properties.append(try object.attribute(forKey: name)) }
                return properties
            },
            fill: { new, place, rows in new.put(values[place][rows], place) },
            usualValue: { values[$0][$1] },
            set: { (object, property, place, row) throws(PinviewError) in
                try object.setAttributeValue(values[place][row], at: property.index)
            })
    }

    /// Inserts many objects and fills each of them.
    ///
    /// - Parameters:
    ///   - find: returns the properties to set; called once, with the first object.
    ///   - fill: puts the values of some rows for one of them, the first row's at 0, and returns how
    ///     many it could put.
    ///   - usualValue: a row's value for one of them; nil if it needs `set`.
    ///   - set: sets a property to a value that must be converted first.
    /// - Throws: the errors of setting a value. No objects are inserted then, rather than leaving
    ///   half of them to the next save.
    package func insertNewObjects(
        forEntityName entityName: String, count: Int, properties find: (ManagedObject) throws(PinviewError) -> [Property],
        fill: (NewRows, _ place: Int, _ rows: Range<Int>) -> Int, usualValue: (_ place: Int, _ row: Int) -> Value?,
        set: (ManagedObject, Property, _ place: Int, _ row: Int) throws(PinviewError) -> Void
    ) throws(PinviewError) -> [ManagedObject] {
        try call { (state) throws(PinviewError) in
            var made: [ManagedObject] = []
            made.reserveCapacity(count)
            var binding: EntityBinding?
            var properties: [Property] = [], indexes: [Int] = []
            var row = 0
            do throws(PinviewError) {
                while row < count {
                    if let binding, row == 1, let new = state.newRows(like: made[0], binding, properties, count: count - row) {
                        while row < count {
                            let inserted = state.insertNewObjects(binding, new, atMost: count - row, into: &made) { limit in
                                indexes.indices.reduce(limit) { fill(new, $1, row..<row + $0) }
                            }
                            guard inserted > 0 else { break }
                            row += inserted
                        }
                        if row == count { break }
                    }
                    let object: ManagedObject
                    if let binding {
                        object = try state.insertNewObject(binding.entity, binding)
                        made.append(object)
                    } else {
                        object = try state.insertNewObject(entityName: entityName)
                        made.append(object)
                        binding = state.binding(object.entity, storeNumber: -1)
                        properties = try find(object)
                        indexes = properties.map(\.index)
                    }
                    var place = 0
                    while true {
                        place = state.fillAtOnce(object, indexes, from: place) { usualValue($0, row) }
                        guard place < indexes.count else { break }
                        try set(object, properties[place], place, row)
                        place += 1
                    }
                    row += 1
                }
            } catch {
                for object in made { try state.delete(object) }
                throw error
            }
            return made
        }
    }
}

extension ContextState {
    /// For fewer objects, slots of their own are cheaper.
    private static let fewestNewRows = 16

    /// Rows for the values of objects that are to be inserted after another one of their entity;
    /// nil if each needs more than its values.
    fileprivate func newRows(
        like first: ManagedObject, _ binding: EntityBinding, _ properties: [Property], count: Int
    ) -> NewRows? {
        guard count >= Self.fewestNewRows, hooks(of: first) == nil, first.isNotedAsInserted, isReadable, !isUnnoticed else { return nil }
        var isRecorded = false
        record { isRecorded = $0.keepsValues(of: first) }
        guard !isRecorded, let layout = binding.newRowLayout else { return nil }
        return NewRows(layout, properties: properties, rowCapacity: min(count, RowBlock.rowLimit))
    }

    /// Inserts some objects whose values need no conversion.
    ///
    /// - Parameter fill: puts at most so many rows, and returns how many it could put.
    /// - Returns: the number of objects inserted.
    fileprivate func insertNewObjects(
        _ binding: EntityBinding, _ new: NewRows, atMost limit: Int, into made: inout [ManagedObject], fill: (Int) -> Int
    ) -> Int {
        let count = fill(min(limit, RowBlock.rowLimit))
        guard count > 0 else { return 0 }
        let sequence = pending.changeSequence + 1, start = made.count, key = TemporaryKeys.next(count)
        let block = new.seal(count, firstSequence: sequence), unmanagedBlock = Unmanaged.passUnretained(block)
        unmanagedBlock.retain(times: count)
        for row in 0..<count {
            made.append(ManagedObject(newOf: binding, primaryKey: key + Int64(row), block: unmanagedBlock, row: row))
        }
        pending.changeSequence += UInt64(count)
        pending.lastChanged = made.last.map { Unmanaged.passUnretained($0).toOpaque() }
        enterNewInRegistry(made[start...], binding)
        record { manager in made[start...].forEachUncounted { manager.recordInsertion($0, sequence: sequence) } }
        pending.inserted.insertNew(made[start...])
        pending.event.noteInserted(made[start...])
        return count
    }
}
