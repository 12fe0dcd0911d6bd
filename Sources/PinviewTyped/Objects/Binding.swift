import Pinview

extension ManagedObjectModel {
    /// Makes a model of types.
    ///
    /// - Throws: `badModel`, as for a model made from descriptions.
    public convenience init(types: any TypedObject.Type...) throws(PinviewError) {
        try self.init(types: types)
    }

    /// Makes a model of a list of types.
    public convenience init(types: [any TypedObject.Type]) throws(PinviewError) {
        try self.init(entities: types.map(Self.description(of:)))
        try bind(types)
    }

    /// Checks that the types fit the model, and sets the hooks that they have. To be called before
    /// the model is used by a coordinator.
    ///
    /// Entities and properties of the model that no type declares do not matter.
    ///
    /// - Throws: `badModel` with every mismatch among its ``PinviewError/detailedErrors``.
    public func bind(_ types: any TypedObject.Type...) throws(PinviewError) {
        try bind(types)
    }

    /// Binds a list of types.
    public func bind(_ types: [any TypedObject.Type]) throws(PinviewError) {
        let mismatches = types.flatMap(mismatches(with:))
        guard mismatches.isEmpty else {
            let text = "The types do not fit the model:" + mismatches.map { "\n- " + $0 }.joined()
            throw PinviewError(.badModel, text).with(detailedErrors: mismatches.map { PinviewError(.badModel, $0) })
        }
        for type in types {
            if let hooks = EntityHooks(of: type) { try setHooks(hooks, forEntityNamed: type.entityName) }
        }
    }

    private func mismatches(with type: any TypedObject.Type) -> [String] {
        let name = type.entityName
        guard let entity = entity(named: name) else { return ["\(type): the model has no entity \(name)."] }
        var found: [String] = []
        if type.superentity?.entityName != entity.superentityName {
            let parent = entity.superentityName.map { "the sub-entity of \($0)" } ?? "a root entity"
            let declared = type.superentity.map { "\($0)" } ?? "none"
            found.append("\(type): \(name) is \(parent) in the model, but its declared superentity is \(declared).")
        }
        for declaration in type.properties {
            guard let property = entity.property(named: declaration.name) else {
                found.append("\(type).\(declaration.name): \(name) has no such property in the model.")
                continue
            }
            found += declaration.mismatches(with: property).map { "\(type).\(declaration.name) \($0)." }
        }
        return found
    }

    private static func description(of type: any TypedObject.Type) -> EntityDescription {
        var entity = EntityDescription(
            name: type.entityName, superentityName: type.superentity?.entityName, isAbstract: type.isAbstract,
            uniquenessConstraints: type.uniquenessConstraints)
        for property in type.properties { property.describe(in: &entity) }
        return entity
    }
}
