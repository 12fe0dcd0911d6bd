import PinviewModel

/// Validation against the model before a save (SAV-07, SAV-08).
extension ContextState {
    func validatePendingChanges() throws(PinviewError) {
        var errors: [PinviewError] = []
        if !pending.inserted.isEmpty, mayBeRefused(pending.inserted, \.hasRules) {
            for object in changedInOrder(pending.inserted) { try appendErrors(of: object, to: &errors) }
        }
        if !pending.updated.isEmpty, mayBeRefused(pending.updated, \.hasRules) {
            for object in changedInOrder(pending.updated) { try appendErrors(of: object, to: &errors) }
        }
        if !pending.deleted.isEmpty, mayBeRefused(pending.deleted, { $0.relationships.contains { $0.deleteRule == .deny } }) {
            for object in pending.deleted.list where !object.flags.contains(.inaccessible) {
                errors += try deleteErrors(of: object)
            }
        }
        try throwIfAny(errors)
    }

    /// Whether anything could fail: there are hooks, or some of the objects are of entities with
    /// rules.
    private func mayBeRefused(_ objects: ObjectSet, _ hasRules: (Entity) -> Bool) -> Bool {
        guard hookTable == nil else { return true }
        var last: EntityBinding?, isFound = false
        objects.forEachUncounted { object in
            if isFound { return }
            if let last, object.hasBinding(last) { return }
            last = object.binding
            isFound = hasRules(object.entity)
        }
        return isFound
    }

    /// Appends the validation errors of an object: of all properties if it is new, of changed ones
    /// otherwise.
    private func appendErrors(of object: ManagedObject, to errors: inout [PinviewError]) throws(PinviewError) {
        let isNew = object.flags.contains(.inserted)
        let entity = object.entity
        guard hooks(of: object) == nil else {
            let properties = entity.properties.filter { isNew || object.changed.contains($0.index) || hasChangedSibling($0, object) }
            errors += try validationErrors(of: object, properties: properties)
            errors += try compositeErrors(of: object, onlyIfChanged: !isNew)
            errors += try programErrors(of: object, isNew ? \.validateForInsert : \.validateForUpdate)
            return
        }
        for property in entity.restrictedProperties
        where isNew || object.changed.contains(property.index) || hasChangedSibling(property, object) {
            if !isEvidentlyValid(property, object) { errors += try validationErrors(of: object, properties: [property]) }
        }
        if !entity.requiredComposites.isEmpty { errors += try compositeErrors(of: object, onlyIfChanged: !isNew) }
    }

    /// Whether another element of the same composite attribute has changed. Required elements may
    /// be empty only while all elements are, so each depends on the others.
    private func hasChangedSibling(_ property: Property, _ object: ManagedObject) -> Bool {
        property.siblings.contains { object.changed.contains($0) }
    }

    /// Whether the element belongs to an optional composite attribute that has no value.
    private func mayLack(_ property: Property, _ object: ManagedObject) throws(PinviewError) -> Bool {
        guard property.isElement, !property.isRequired else { return false }
        for composite in object.entity.composites where composite.isOptional && composite.leaves.contains(where: { $0 === property }) {
            if try isWithoutValue(composite, object) { return true }
        }
        return false
    }

    private func isWithoutValue(_ composite: CompositeAttribute, _ object: ManagedObject) throws(PinviewError) -> Bool {
        for leaf in composite.leaves where try !attributeValue(of: object, leaf).isNull { return false }
        return true
    }

    /// The errors of composite attributes that must have a value.
    func compositeErrors(of object: ManagedObject, onlyIfChanged: Bool) throws(PinviewError) -> [PinviewError] {
        var errors: [PinviewError] = []
        for composite in object.entity.requiredComposites {
            if onlyIfChanged, !composite.leaves.contains(where: { object.changed.contains($0.index) }) { continue }
            // If composite attributes are nested, an outer optional one without a value excuses
            // those inside.
            guard try isWithoutValue(composite, object), try !isInsideEmpty(composite, object),
                !composite.leaves.contains(where: \.isRequired)
            else { continue }
            errors.append(
                .validation(
                    .validationMissingMandatoryProperty,
                    "\(object.entity.name).\(composite.name) of \(object.objectID.uriRepresentation) is required, but none of its elements has a value.",
                    objectID: object.objectID, key: composite.name, value: .null))
        }
        return errors
    }

    private func isInsideEmpty(_ composite: CompositeAttribute, _ object: ManagedObject) throws(PinviewError) -> Bool {
        for outer in object.entity.composites where outer.isOptional && composite.name.hasPrefix(outer.name + ".") {
            if try isWithoutValue(outer, object) { return true }
        }
        return false
    }

    /// Whether the value in memory is obviously valid; false if that takes a closer check.
    private func isEvidentlyValid(_ property: Property, _ object: ManagedObject) -> Bool {
        switch object.slot(property.index) {
        case .value(.null): property.isOptional
        case .value(.date(let date)):
            date.timeIntervalSinceReferenceDate.isFinite && property.minimumValue == nil && property.maximumValue == nil
        case .value: property.isOnlyMandatory
        case .toOne(let destination): destination != nil || property.isOptional
        case .unloaded, .toMany, .noMembers: false
        }
    }

    func deleteErrors(of object: ManagedObject) throws(PinviewError) -> [PinviewError] {
        try deniedDeletes(of: object) + programErrors(of: object, \.validateForDelete)
    }

    func throwIfAny(_ errors: [PinviewError]) throws(PinviewError) {
        if let error = PinviewError.combining(errors) { throw error }
    }

    /// The objects in the order in which they joined the pending changes.
    func changedInOrder(_ objects: ObjectSet) -> [ManagedObject] {
        let list = objects.list
        // Usually they joined the set in that order too, except when an update became a deletion.
        var previous: UInt64 = 0, isInOrder = true
        list.forEachUncounted { object in
            let sequence = object.changeSequence
            if sequence < previous { isInOrder = false }
            previous = sequence
        }
        return isInOrder ? list : list.sorted { $0.changeSequence < $1.changeSequence }
    }

    func validationErrors(of object: ManagedObject, properties: [Property]) throws(PinviewError) -> [PinviewError] {
        var errors: [PinviewError] = []
        for property in properties {
            let isChecked = hooks(of: object)?.propertyChecks[property.index] != nil
            let value: Value
            let error: PinviewError?
            if property.isAttribute {
                value = try attributeValue(of: object, property)
                error = property.validate(value, objectID: object.objectID)
            } else if property.isToMany {
                if !isChecked && property.isOptional && property.minimumCount == 0 && property.maximumCount == 0 { continue }
                let count = try toMany(object, property).count
                value = .integer(Int64(count))
                error = property.validate(count: count, objectID: object.objectID)
            } else if let destination = try toOne(object, property) {
                if !isChecked { continue }
                value = .objectID(destination.objectID)
                error = nil
            } else {
                value = Value.null
                error = property.validate(value, objectID: object.objectID)
            }
            let isMissing = error?.hasCode(.validationMissingMandatoryProperty) ?? false
            let isExcused = try isMissing ? mayLack(property, object) : false
            if let error, !isExcused {
                errors.append(error)
            } else if isChecked {
                errors += try programErrors(of: object, property, value)
            }
        }
        return errors
    }

    /// The errors of delete rules `deny`: an object with related objects must not be deleted
    /// (REL-07).
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
                    "\(objectID) cannot be deleted: \(object.entity.name).\(property.name) has the delete rule deny and still refers to "
                        + "\(remaining.count) of \(property.destinationEntityName)."
                ).with(affectedObjectIDs: [objectID]).with(validationKey: property.name, validationValue: .objectID(remaining[0].objectID)))
        }
        return errors
    }
}
