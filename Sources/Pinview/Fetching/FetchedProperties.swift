import PinviewModel
import PinviewPredicates

/// Fetched properties: the objects that a fetch request of the model finds for an object.
///
/// The request runs at the first access, at the context's generation and with its unsaved changes.
/// The object keeps the result until it is refreshed or turned into a fault, whatever changes
/// meanwhile. In an object's slots, the results follow its properties.
extension ManagedObject {
    /// The objects of a fetched property, in the order of its request. Fires a fault.
    ///
    /// - Throws: `unknownKey` for a key that is not a fetched property, or for one used by the
    ///   request's predicate; otherwise as `ManagedObjectContext.fetch(_:)`.
    public func fetchedObjects(forKey key: String) throws(PinviewError) -> [ManagedObject] {
        guard let index = entity.fetchedPropertyIndex(named: key) else {
            throw PinviewError(.unknownKey, "The entity \(entity.name) has no fetched property '\(key)'.").with(affectedObjectIDs: [
                objectID
            ])
        }
        return try call { (state) throws(PinviewError) in
            try state.processPendingChanges()
            return try state.readingConsistently { () throws(PinviewError) in try state.fetchedObjects(of: self, index) }
        }
    }
}

extension ContextState {
    fileprivate func fetchedObjects(of object: ManagedObject, _ index: Int) throws(PinviewError) -> [ManagedObject] {
        try requireUsable(object)
        if object.flags.contains(.fault) { try fire(object) }
        let place = object.entity.properties.count + index
        if case .toMany(let contents) = object.slot(place) { return contents.members }
        if object.flags.contains(.inaccessible) { return [] }
        let property = object.entity.fetchedProperties[index]
        var request = try ManagedObjectModel.request(property, of: object.entity.name)
        try request.substitute { (name, keys) throws(PinviewError) in try property.value(of: name, keys, source: object, self) }
        // All of them are returned, so pages would not help.
        request.fetchBatchSize = 0
        let found = Array(try fetch(request))
        let contents = ToManyContents(isOrdered: true)
        contents.load(found)
        object.setSlot(place, .toMany(contents))
        return found
    }

    /// Makes the next access to each fetched property run its request again.
    func forgetFetchedProperties(of object: ManagedObject) {
        guard !object.entity.fetchedProperties.isEmpty, object.hasSlots else { return }
        let first = object.entity.properties.count
        for place in first..<first + object.entity.fetchedProperties.count { object.setSlot(place, .unloaded) }
    }
}

extension FetchedPropertyDescription {
    /// The value of a variable of the predicate.
    fileprivate func value(
        of variable: String, _ keys: [String], source: ManagedObject, _ state: ContextState
    ) throws(PinviewError) -> PinviewExpression {
        let what = "The fetched property \(source.entity.name).\(name)"
        switch variable {
        case "FETCH_SOURCE":
            return try state.value(of: keys, from: source, what)
        case "FETCHED_PROPERTY" where keys == ["name"]:
            return .constant(.string(name))
        case "FETCHED_PROPERTY" where keys.count == 2 && keys[0] == "userInfo":
            return .constant(userInfo[keys[1]].map { .string($0) } ?? Value.null)
        case "FETCHED_PROPERTY":
            throw PinviewError(
                .badPredicate, "\(what): its predicate can only use $FETCHED_PROPERTY.name and $FETCHED_PROPERTY.userInfo.KEY.")
        default:
            throw PinviewError(
                .badPredicate,
                "\(what): its predicate has the variable $\(variable); only $FETCH_SOURCE and $FETCHED_PROPERTY are available.")
        }
    }
}

extension ContextState {
    /// The value of a key path from an object: a list if it leads through a to-many relationship;
    /// objects are represented by their IDs.
    fileprivate func value(of keys: [String], from source: ManagedObject, _ what: String) throws(PinviewError) -> PinviewExpression {
        var objects = [source]
        var leadsToMany = false
        var place = 0
        while place < keys.count {
            let key = keys[place]
            if key == "objectID", place == keys.count - 1 { break }
            var keyCount = 1
            var next: [ManagedObject] = []
            var values: [PinviewExpression] = []
            for object in objects {
                guard let found = object.entity.property(along: keys[place...]) else {
                    let error = PinviewError.unknownKey(key, of: object.entity)
                    throw error.with(message: "\(what): \(error.message)")
                }
                let property = found.property
                keyCount = found.keyCount
                if property.isAttribute {
                    guard place + keyCount == keys.count else {
                        throw PinviewError(.badPredicate, "\(what): \(property.qualifiedName) is an attribute, so it must be the last key.")
                    }
                    values.append(.constant(try attributeValue(of: object, property)))
                } else if property.isToMany {
                    leadsToMany = true
                    next += try toMany(object, property).members
                } else if let destination = try toOne(object, property) {
                    next.append(destination)
                }
            }
            if !values.isEmpty { return leadsToMany ? .aggregate(values) : values[0] }
            objects = next
            place += keyCount
        }
        let values = objects.map { PinviewExpression.constant(.objectID($0.objectID)) }
        return leadsToMany ? .aggregate(values) : values.first ?? .constant(.null)
    }
}
