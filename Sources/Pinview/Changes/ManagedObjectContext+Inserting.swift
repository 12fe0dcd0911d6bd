import PinviewModel

/// Making many new objects at once.
extension ManagedObjectContext {
    /// Makes many new objects with values of their own: what ``insertNewObject(forEntityName:)``
    /// and setting each value would do, at less cost.
    ///
    /// - Parameter columns: the values of one attribute each, by its name, all of the same number.
    /// - Throws: `invalidArgument` for columns of different lengths, and what setting a value
    ///   throws; then there are none.
    public func insertNewObjects(forEntityName entityName: String, columns: [String: [Value]]) throws(PinviewError) -> [ManagedObject] {
        let names = columns.keys.sorted(), values = names.map { columns[$0] ?? [] }
        let count = values.first?.count ?? 0
        for (name, column) in zip(names, values) where column.count != count {
            throw PinviewError(
                .invalidArgument, "The column '\(name)' of new objects has \(column.count) values, the column '\(names[0])' has \(count).")
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

    /// Makes many new objects, and has each of them filled.
    ///
    /// - Parameters:
    ///   - find: which properties get values, asked once, with the first object.
    ///   - usualValue: what a row has for one of them; nil for what only `set` can tell.
    ///   - set: sets a property to a value that is not one of its own as it stands.
    /// - Throws: what setting a value throws; then there are none, since half of them would come as
    ///   a surprise in the next save.
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
