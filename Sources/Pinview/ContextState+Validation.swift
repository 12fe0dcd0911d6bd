import PinviewModel

/// Validation against the model before a save (SAV-07, SAV-08).
extension ContextState {
    func validatePendingChanges() throws(PinviewError) {
        var errors: [PinviewError] = []
        for object in changedInOrder(insertedObjects) { errors += try validationErrors(of: object, properties: object.entity.properties) }
        for object in changedInOrder(updatedObjects) {
            errors += try validationErrors(of: object, properties: object.entity.properties.filter { object.changed.contains($0.index) })
        }
        for object in changedInOrder(deletedObjects) where !object.flags.contains(.inaccessible) {
            errors += try deniedDeletes(of: object)
        }
        try throwIfAny(errors)
    }

    func throwIfAny(_ errors: [PinviewError]) throws(PinviewError) {
        if let error = PinviewError.combining(errors) { throw error }
    }

    func changedInOrder(_ objects: [ObjectIdentifier: ManagedObject]) -> [ManagedObject] {
        objects.values.sorted { $0.changeSequence < $1.changeSequence }
    }

    func validationErrors(of object: ManagedObject, properties: [Property]) throws(PinviewError) -> [PinviewError] {
        var errors: [PinviewError] = []
        let objectID = object.objectID
        for property in properties {
            if property.isAttribute {
                if let error = property.validate(try attributeValue(of: object, property), objectID: objectID) { errors.append(error) }
            } else if property.isToMany {
                if property.isOptional && property.minimumCount == 0 && property.maximumCount == 0 { continue }
                let count = try toMany(object, property).members.count
                if let error = property.validate(count: count, objectID: objectID) { errors.append(error) }
            } else if try toOne(object, property) == nil {
                if let error = property.validate(.null, objectID: objectID) { errors.append(error) }
            }
        }
        return errors
    }

    /// Rule deny: an object that still has related objects may not go (REL-07).
    func deniedDeletes(of object: ManagedObject) throws(PinviewError) -> [PinviewError] {
        var errors: [PinviewError] = []
        for property in object.entity.relationships where property.deleteRule == .deny {
            let related = property.isToMany ? try toMany(object, property).members : try toOne(object, property).map { [$0] } ?? []
            let remaining = related.filter { !$0.flags.contains(.deleted) }
            guard !remaining.isEmpty else { continue }
            let objectID = object.objectID
            errors.append(
                PinviewError(
                    .relationshipDeniedDelete,
                    "\(objectID) cannot be deleted: \(object.entity.name).\(property.name) has the rule deny and still refers to "
                        + "\(remaining.count) of \(property.destinationEntityName)."
                ).with(affectedObjectIDs: [objectID]).with(validationKey: property.name, validationValue: .objectID(remaining[0].objectID)))
        }
        return errors
    }
}
