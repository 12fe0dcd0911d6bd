import PinviewModel

/// The model that a store was made with, beside one that asks for more.
struct StoreOwnModel {
    let model: ManagedObjectModel

    /// What a model's entities have and the store's model does not; these have no columns.
    func additions(in held: [Entity]) -> Set<Property> {
        var additions: Set<Property> = []
        for entity in held {
            guard let known = model.entity(named: entity.name) else { continue }
            for property in entity.properties where property.declaringEntityIndex == entity.index {
                let own = known.property(named: property.name)
                if own == nil || own?.isTransient == true { additions.insert(property) }
            }
        }
        return additions
    }

    /// What both have, in another form. What is read would be wrong.
    func differences(in held: [Entity]) -> [String] {
        held.flatMap { entity -> [String] in
            guard let known = model.entity(named: entity.name) else { return [] }
            return entity.properties.compactMap { property in
                guard property.declaringEntityIndex == entity.index, !property.isTransient,
                    let own = known.property(named: property.name), !own.isTransient, let form = Self.otherForm(own, property)
                else { return nil }
                return "\(property.qualifiedName) is \(form) in the store"
            }
        }
    }

    /// What the store's property is, if that is not what the model's is.
    private static func otherForm(_ own: Property, _ wanted: Property) -> String? {
        guard own.isRelationship else {
            let isSame = wanted.isAttribute && wanted.attributeType == own.attributeType
            return isSame ? nil : "an attribute of the type \(own.attributeType.name)"
        }
        guard wanted.isRelationship, own.isToMany == wanted.isToMany, own.destinationEntityName == wanted.destinationEntityName,
            !own.isToMany || own.inverseName == wanted.inverseName && (own.isOrdered || !wanted.isOrdered)
        else {
            let inverse = own.inverseName.map { " with the inverse \($0)" } ?? " without an inverse"
            return "\(own.isOrdered ? "an ordered" : "a") \(own.isToMany ? "to-many" : "to-one") relationship to "
                + own.destinationEntityName + inverse
        }
        return nil
    }
}
