import PinviewModel

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
            usualValue: { values[$0][$1] },
            set: { (object, property, place, row) throws(PinviewError) in
                try object.setAttributeValue(values[place][row], at: property.index)
            })
    }

    /// Inserts many objects and fills each of them.
    ///
    /// - Parameters:
    ///   - find: returns the properties to set; called once, with the first object.
    ///   - usualValue: a row's value for one of them; nil if it needs `set`.
    ///   - set: sets a property to a value that must be converted first.
    /// - Throws: the errors of setting a value. No objects are inserted then, rather than leaving
    ///   half of them to the next save.
    package func insertNewObjects(
        forEntityName entityName: String, count: Int, properties find: (ManagedObject) throws(PinviewError) -> [Property],
        usualValue: (_ place: Int, _ row: Int) -> Value?,
        set: (ManagedObject, Property, _ place: Int, _ row: Int) throws(PinviewError) -> Void
    ) throws(PinviewError) -> [ManagedObject] {
        try call { (state) throws(PinviewError) in
            var made: [ManagedObject] = []
            made.reserveCapacity(count)
            var binding: EntityBinding?
            var properties: [Property] = [], indexes: [Int] = []
            do throws(PinviewError) {
                for row in 0..<count {
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
                }
            } catch {
                for object in made { try state.delete(object) }
                throw error
            }
            return made
        }
    }
}
