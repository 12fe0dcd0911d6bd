extension PinviewError {
    /// The error for an entity that is not in the model.
    package static func unknownEntity(_ name: String, in model: ManagedObjectModel) -> PinviewError {
        PinviewError(.unknownEntity, "The model has no entity \(name.quotedForPeople). Its entities are: \(model.entityNamesForPeople).")
    }

    /// The error for a key that is not a property of the entity.
    package static func unknownKey(_ key: String, of entity: Entity) -> PinviewError {
        if entity.fetchedPropertyIndex(named: key) != nil {
            return PinviewError(
                .unknownKey,
                "\(entity.name).\(key) is a fetched property: it can be read from an object, but it cannot be set, searched or sorted by."
            )
        }
        if let composite = entity.composite(named: key) {
            return PinviewError(
                .unknownKey,
                "\(entity.name).\(key) is a composite attribute: its elements are stored, not itself. Name one of them: "
                    + composite.leaves.map(\.name).joined(separator: ", ") + ".")
        }
        return PinviewError(
            .unknownKey,
            "Entity \(entity.name) has no property \(key.quotedForPeople). Its properties are: \(entity.propertyNamesForPeople).")
    }
}
