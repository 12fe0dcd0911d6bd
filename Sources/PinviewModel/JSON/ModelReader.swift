/// Reads descriptions from a JSON document.
enum ModelReader {
    static func contents(_ node: JSONNode) throws(PinviewError) -> ModelContents {
        let root = try node.object(keys: ModelKeys.model)
        let entities = try root.required(ModelKeys.entities).map(entity)
        var configurations: [String: [String]] = [:]
        for (name, node) in try root[ModelKeys.configurations]?.members() ?? [] { configurations[name] = try node.strings() }
        var templates: [String: FetchRequestDescription] = [:]
        for node in try root[ModelKeys.fetchRequests]?.elements() ?? [] {
            let (name, request) = try FetchRequestJSON.read(node, hasName: true)
            guard templates.updateValue(request, forKey: name) == nil else {
                throw node.mistake("has the name \(name.quotedForPeople), which another fetch request already has")
            }
        }
        return ModelContents(
            entities: entities, configurations: configurations, versionIdentifiers: try root[ModelKeys.versionIdentifiers]?.strings() ?? [],
            fetchRequestTemplates: templates)
    }

    static func entity(_ node: JSONNode) throws(PinviewError) -> EntityDescription {
        let object = try node.object(keys: ModelKeys.entity)
        return try EntityDescription(
            name: object.required(ModelKeys.name).string(), superentityName: object.string(ModelKeys.parent),
            isAbstract: object.boolean(ModelKeys.abstract, default: false),
            attributes: object.list(ModelKeys.attributes, attribute),
            relationships: object.list(ModelKeys.relationships, relationship),
            fetchedProperties: object.list(ModelKeys.fetchedProperties, fetchedProperty),
            uniquenessConstraints: object.list(ModelKeys.uniquenessConstraints) { node throws(PinviewError) in try node.strings() },
            indexes: object.list(ModelKeys.indexes, index), renamingIdentifier: object.string(ModelKeys.renamingIdentifier),
            versionHashModifier: object.string(ModelKeys.versionHashModifier),
            versionHash: object[ModelKeys.versionHash].map(versionHash),
            managedObjectClassName: object.string(ModelKeys.managedObjectClassName), userInfo: object.texts(ModelKeys.userInfo))
    }

    private static func versionHash(_ node: JSONNode) throws(PinviewError) -> [UInt8] {
        let text = try node.string()
        guard let bytes = Base64.decode(text), bytes.count == 32 else {
            throw node.mistake("must be a version hash, 32 bytes in base64, but is \(text.quotedForPeople)")
        }
        return bytes
    }

    private static func attribute(_ node: JSONNode) throws(PinviewError) -> AttributeDescription {
        let object = try node.object(keys: ModelKeys.attribute)
        let type = try choice(object.required(ModelKeys.type), among: AttributeType.allCases, named: \.name)
        return try AttributeDescription(
            name: object.required(ModelKeys.name).string(), attributeType: type,
            isOptional: object.boolean(ModelKeys.optional, default: true),
            isTransient: object.boolean(ModelKeys.transient, default: false),
            defaultValue: object[ModelKeys.defaultValue].map { node throws(PinviewError) in try ValueJSON.read(node, as: type) } ?? .null,
            allowsExternalBinaryDataStorage: object.boolean(ModelKeys.allowsExternalBinaryDataStorage, default: false),
            preservesValueInHistoryOnDeletion: object.boolean(ModelKeys.preservesValueInHistoryOnDeletion, default: false),
            minimumValue: object[ModelKeys.minimumValue].map { node throws(PinviewError) in try ValueJSON.read(node, as: type) },
            maximumValue: object[ModelKeys.maximumValue].map { node throws(PinviewError) in try ValueJSON.read(node, as: type) },
            minimumLength: object.count(ModelKeys.minimumLength), maximumLength: object.count(ModelKeys.maximumLength),
            regularExpression: object.string(ModelKeys.regularExpression),
            valueTransformerName: object.string(ModelKeys.valueTransformerName),
            valueClassName: object.string(ModelKeys.valueClassName),
            derivationExpression: object.string(ModelKeys.derivationExpression),
            usesScalarValueType: object.boolean(ModelKeys.usesScalarValueType, default: false),
            renamingIdentifier: object.string(ModelKeys.renamingIdentifier),
            versionHashModifier: object.string(ModelKeys.versionHashModifier),
            elements: object.list(ModelKeys.elements, attribute), userInfo: object.texts(ModelKeys.userInfo))
    }

    private static func relationship(_ node: JSONNode) throws(PinviewError) -> RelationshipDescription {
        let object = try node.object(keys: ModelKeys.relationship)
        let deleteRule = try object[ModelKeys.deleteRule].map { node throws(PinviewError) in
            try choice(node, among: DeleteRule.allCases, named: \.name)
        }
        return try RelationshipDescription(
            name: object.required(ModelKeys.name).string(),
            destinationEntityName: object.required(ModelKeys.destination).string(),
            inverseRelationshipName: object.string(ModelKeys.inverse), isToMany: object.boolean(ModelKeys.toMany, default: false),
            isOrdered: object.boolean(ModelKeys.ordered, default: false), deleteRule: deleteRule ?? .nullify,
            isOptional: object.boolean(ModelKeys.optional, default: true), minimumCount: object.count(ModelKeys.minimumCount) ?? 0,
            maximumCount: object.count(ModelKeys.maximumCount) ?? 0,
            isTransient: object.boolean(ModelKeys.transient, default: false),
            renamingIdentifier: object.string(ModelKeys.renamingIdentifier),
            versionHashModifier: object.string(ModelKeys.versionHashModifier), userInfo: object.texts(ModelKeys.userInfo))
    }

    private static func fetchedProperty(_ node: JSONNode) throws(PinviewError) -> FetchedPropertyDescription {
        let object = try node.object(keys: ModelKeys.fetchedProperty)
        return try FetchedPropertyDescription(
            name: object.required(ModelKeys.name).string(),
            fetchRequest: FetchRequestJSON.read(object.required(ModelKeys.fetchRequest)).request,
            renamingIdentifier: object.string(ModelKeys.renamingIdentifier), userInfo: object.texts(ModelKeys.userInfo))
    }

    private static func index(_ node: JSONNode) throws(PinviewError) -> FetchIndexDescription {
        let object = try node.object(keys: [ModelKeys.name, ModelKeys.elements, ModelKeys.predicate])
        return try FetchIndexDescription(
            name: object.required(ModelKeys.name).string(), elements: object.required(ModelKeys.elements).map(indexElement),
            partialIndexPredicateFormat: object.string(ModelKeys.predicate))
    }

    private static func indexElement(_ node: JSONNode) throws(PinviewError) -> FetchIndexDescription.Element {
        let object = try node.object(keys: [ModelKeys.property, ModelKeys.expression, ModelKeys.ascending])
        if let expression = try object.string(ModelKeys.expression) {
            return try FetchIndexDescription.Element(
                expressionFormat: expression, isAscending: object.boolean(ModelKeys.ascending, default: true))
        }
        return try FetchIndexDescription.Element(
            attributeName: object.required(ModelKeys.property).string(), isAscending: object.boolean(ModelKeys.ascending, default: true))
    }

    static func choice<Choice>(
        _ node: JSONNode, among choices: [Choice], named name: (Choice) -> String
    ) throws(PinviewError) -> Choice {
        let text = try node.string()
        if let choice = choices.first(where: { name($0) == text }) { return choice }
        throw node.mistake("is \(text.quotedForPeople), but must be one of \(choices.map(name).joined(separator: ", "))")
    }
}
