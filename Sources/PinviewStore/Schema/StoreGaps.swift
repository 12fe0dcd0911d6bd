import PinviewModel

/// What a model asks for and a store lacks. Reading gives no rows of such an entity, and null or no
/// members for such a property.
struct StoreGaps: Sendable {
    /// Indexes of entities.
    private(set) var entities: Set<Int> = []
    private(set) var properties: Set<Property> = []

    init() {}

    /// - Parameters:
    ///   - held: the entities that the store should have.
    ///   - names: what it does have.
    init(absent: [Entity], held: [Entity], names: SchemaNames) {
        entities = Set(absent.map(\.index))
        let heldRoots = Set(held.map(\.rootIndex))
        for (_, property) in names.allDeclarations {
            guard !property.isTransient, names.storage(of: property) == .none else { continue }
            // A destination in another configuration's store is nothing that this one lacks.
            if property.isRelationship, !heldRoots.contains(names.model.entities[property.destinationIndex].rootIndex) { continue }
            properties.insert(property)
        }
    }

    var isEmpty: Bool { entities.isEmpty && properties.isEmpty }

    func lacks(_ entity: Entity) -> Bool { entities.contains(entity.index) }

    /// - Parameter entity: the entity itself, not the one that declares the property.
    func lacks(_ property: Property, of entity: Entity) -> Bool {
        !property.isTransient && (lacks(entity) || properties.contains(property))
    }

    /// In the model's order, each property with the entity that declares it.
    func elements(of model: ManagedObjectModel) -> [MissingElement] {
        guard !isEmpty else { return [] }
        return model.entities.flatMap { entity in
            if lacks(entity) { return [MissingElement(entityName: entity.name)] }
            return entity.properties.filter { $0.declaringEntityIndex == entity.index && properties.contains($0) }
                .map { MissingElement(entityName: entity.name, propertyName: $0.name) }
        }
    }
}
