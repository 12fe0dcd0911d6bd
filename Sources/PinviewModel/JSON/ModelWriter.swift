/// Writes descriptions as JSON. Members with their default value are left out for readability.
enum ModelWriter {
    static func entity(_ entity: EntityDescription) -> JSONValue {
        var members = Members()
        members.add(ModelKeys.name, .string(entity.name))
        members.add(ModelKeys.parent, entity.superentityName)
        members.add(ModelKeys.abstract, entity.isAbstract, unless: false)
        members.add(ModelKeys.attributes, list: entity.attributes.map(attribute))
        members.add(ModelKeys.relationships, list: entity.relationships.map(relationship))
        members.add(ModelKeys.fetchedProperties, list: entity.fetchedProperties.map(fetchedProperty))
        members.add(
            ModelKeys.uniquenessConstraints, list: entity.uniquenessConstraints.map { .array($0.map { .string($0) }) })
        members.add(ModelKeys.indexes, list: entity.indexes.map(index))
        members.add(ModelKeys.renamingIdentifier, entity.renamingIdentifier)
        members.add(ModelKeys.versionHashModifier, entity.versionHashModifier)
        members.add(ModelKeys.versionHash, entity.versionHash.map(Base64.encode))
        members.add(ModelKeys.managedObjectClassName, entity.managedObjectClassName)
        members.add(ModelKeys.userInfo, texts: entity.userInfo)
        return .object(members.list)
    }

    private static func attribute(_ attribute: AttributeDescription) -> JSONValue {
        let type = attribute.attributeType
        var members = Members()
        members.add(ModelKeys.name, .string(attribute.name))
        members.add(ModelKeys.type, .string(type.name))
        members.add(ModelKeys.optional, attribute.isOptional, unless: true)
        members.add(ModelKeys.transient, attribute.isTransient, unless: false)
        if !attribute.defaultValue.isNull {
            members.add(ModelKeys.defaultValue, ValueJSON.write(attribute.defaultValue, as: type))
        }
        members.add(ModelKeys.allowsExternalBinaryDataStorage, attribute.allowsExternalBinaryDataStorage, unless: false)
        members.add(ModelKeys.preservesValueInHistoryOnDeletion, attribute.preservesValueInHistoryOnDeletion, unless: false)
        if let minimum = attribute.minimumValue { members.add(ModelKeys.minimumValue, ValueJSON.write(minimum, as: type)) }
        if let maximum = attribute.maximumValue { members.add(ModelKeys.maximumValue, ValueJSON.write(maximum, as: type)) }
        members.add(ModelKeys.minimumLength, attribute.minimumLength)
        members.add(ModelKeys.maximumLength, attribute.maximumLength)
        members.add(ModelKeys.regularExpression, attribute.regularExpression)
        members.add(ModelKeys.valueTransformerName, attribute.valueTransformerName)
        members.add(ModelKeys.valueClassName, attribute.valueClassName)
        members.add(ModelKeys.derivationExpression, attribute.derivationExpression)
        members.add(ModelKeys.usesScalarValueType, attribute.usesScalarValueType, unless: false)
        members.add(ModelKeys.renamingIdentifier, attribute.renamingIdentifier)
        members.add(ModelKeys.versionHashModifier, attribute.versionHashModifier)
        members.add(ModelKeys.elements, list: attribute.elements.map(Self.attribute))
        members.add(ModelKeys.userInfo, texts: attribute.userInfo)
        return .object(members.list)
    }

    private static func relationship(_ relationship: RelationshipDescription) -> JSONValue {
        var members = Members()
        members.add(ModelKeys.name, .string(relationship.name))
        members.add(ModelKeys.destination, .string(relationship.destinationEntityName))
        members.add(ModelKeys.inverse, relationship.inverseRelationshipName)
        members.add(ModelKeys.toMany, relationship.isToMany, unless: false)
        members.add(ModelKeys.ordered, relationship.isOrdered, unless: false)
        members.add(ModelKeys.deleteRule, .string(relationship.deleteRule.name))
        members.add(ModelKeys.optional, relationship.isOptional, unless: true)
        members.add(ModelKeys.minimumCount, relationship.minimumCount == 0 ? nil : relationship.minimumCount)
        members.add(ModelKeys.maximumCount, relationship.maximumCount == 0 ? nil : relationship.maximumCount)
        members.add(ModelKeys.transient, relationship.isTransient, unless: false)
        members.add(ModelKeys.renamingIdentifier, relationship.renamingIdentifier)
        members.add(ModelKeys.versionHashModifier, relationship.versionHashModifier)
        members.add(ModelKeys.userInfo, texts: relationship.userInfo)
        return .object(members.list)
    }

    private static func fetchedProperty(_ property: FetchedPropertyDescription) -> JSONValue {
        var members = Members()
        members.add(ModelKeys.name, .string(property.name))
        members.add(ModelKeys.fetchRequest, FetchRequestJSON.write(property.fetchRequest))
        members.add(ModelKeys.renamingIdentifier, property.renamingIdentifier)
        members.add(ModelKeys.userInfo, texts: property.userInfo)
        return .object(members.list)
    }

    private static func index(_ index: FetchIndexDescription) -> JSONValue {
        let elements = index.elements.map { element in
            var members = Members()
            if let expression = element.expressionFormat {
                members.add(ModelKeys.expression, .string(expression))
            } else {
                members.add(ModelKeys.property, .string(element.attributeName))
            }
            members.add(ModelKeys.ascending, element.isAscending, unless: true)
            return JSONValue.object(members.list)
        }
        var members = Members()
        members.add(ModelKeys.name, .string(index.name))
        members.add(ModelKeys.elements, .array(elements))
        members.add(ModelKeys.predicate, index.partialIndexPredicateFormat)
        return .object(members.list)
    }

    struct Members {
        var list: [JSONValue.Member] = []

        mutating func add(_ key: String, _ value: JSONValue) {
            list.append(.init(key, value))
        }

        mutating func add(_ key: String, _ text: String?) {
            if let text { add(key, .string(text)) }
        }

        mutating func add(_ key: String, _ number: Int?) {
            if let number { add(key, .integer(Int64(number))) }
        }

        mutating func add(_ key: String, _ flag: Bool, unless defaultValue: Bool) {
            if flag != defaultValue { add(key, .boolean(flag)) }
        }

        mutating func add(_ key: String, list elements: [JSONValue]) {
            if !elements.isEmpty { add(key, .array(elements)) }
        }

        mutating func add(_ key: String, texts: [String: String]) {
            guard !texts.isEmpty else { return }
            add(key, .object(texts.sorted { $0.key < $1.key }.map { .init($0.key, .string($0.value)) }))
        }
    }
}
