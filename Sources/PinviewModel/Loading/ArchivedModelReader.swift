/// Reads a compiled model: a keyed archive of an `NSManagedObjectModel`, which is what a `.mom`
/// file and, compressed, a store's model cache hold.
struct ArchivedModelReader {
    private let archive: KeyedArchive
    private var warnings: [String] = []

    static func read(archive bytes: [UInt8]) throws(PinviewError) -> ModelContents {
        let archive: KeyedArchive
        do throws(PropertyListError) {
            archive = try KeyedArchive(try PropertyListValue(propertyList: bytes))
        } catch {
            throw .badModel("The compiled model is damaged: \(error.description).")
        }
        var reader = ArchivedModelReader(archive: archive)
        return try reader.contents()
    }

    private mutating func contents() throws(PinviewError) -> ModelContents {
        guard let model = archive.root, model.className == "NSManagedObjectModel" else {
            throw .badModel("The archive does not hold a model, but \(archive.root?.className.quotedForPeople ?? "nothing").")
        }
        guard let entities = archive.namedEntries(model["NSEntities"]) else {
            throw .badModel("The compiled model has no list of entities.")
        }
        var contents = ModelContents()
        var parents: [String: String] = [:]
        for (name, value) in entities {
            guard let object = archive.object(value), let entity = try entity(object) else {
                throw .badModel("The entity \(name.quotedForPeople) of the compiled model is damaged.")
            }
            guard !archive.isExhausted else { throw .badModel("The compiled model refers to more objects than any model has.") }
            parents[entity.name] = entity.superentityName
            contents.entities.append(entity)
        }
        removeInherited(&contents.entities, parents)
        for (name, value) in archive.namedEntries(model["NSConfigurations"]) ?? [] {
            contents.configurations[name] = (archive.elements(value) ?? []).compactMap { archive.text(archive.object($0)?["NSEntityName"]) }
        }
        for (name, value) in archive.namedEntries(model["NSFetchRequestTemplates"]) ?? [] {
            let label = "fetch request template \(name.quotedForPeople)"
            guard let object = archive.object(value), let request = fetchRequest(object, label) else { continue }
            contents.fetchRequestTemplates[name] = request
        }
        contents.versionIdentifiers = (archive.elements(model["NSVersionIdentifiers"]) ?? [])
            .compactMap { archive.text($0) }.filter { !$0.isEmpty }.sorted()
        contents.warnings = warnings
        return contents
    }

    // MARK: Entities

    private mutating func entity(_ object: ArchivedObject) throws(PinviewError) -> EntityDescription? {
        guard let name = archive.text(object["NSEntityName"]) else { return nil }
        var entity = EntityDescription(name: name)
        entity.superentityName = archive.text(archive.object(object["NSSuperentity"])?["NSEntityName"])
        entity.isAbstract = archive.flag(object["NSIsAbstract"])
        entity.managedObjectClassName = archive.text(object["NSClassNameForEntity"])
        entity.renamingIdentifier = renamingIdentifier(object, of: name)
        entity.versionHashModifier = archive.text(object["NSVersionHashModifier"])
        entity.userInfo = userInfo(object)
        for tuple in archive.elements(object["NSUniqueTuples"]) ?? [] {
            entity.uniquenessConstraints.append((archive.elements(tuple) ?? []).compactMap { propertyName($0) })
        }
        for index in archive.elements(object["NSFetchIndexDescriptions"]) ?? [] {
            if let index = archive.object(index) { entity.indexes.append(fetchIndex(index, of: name)) }
        }
        for index in archive.elements(object["NSCompoundIndexes"]) ?? [] {
            entity.indexes.addCompoundIndex((archive.elements(index) ?? []).compactMap { propertyName($0) })
        }
        for (key, value) in archive.namedEntries(object["NSProperties"]) ?? [] {
            guard let property = underlying(archive.object(value)) else {
                throw .badModel("The property \(name).\(key) of the compiled model is damaged.")
            }
            try add(property, named: archive.text(property["NSPropertyName"]) ?? key, to: &entity)
        }
        return entity
    }

    /// What a proxy of an inherited property stands for.
    private func underlying(_ object: ArchivedObject?) -> ArchivedObject? {
        var object = object
        // More steps than there are levels of inheritance are a circle.
        for _ in 0...ModelResolution.maximumDepth {
            guard let proxy = object, proxy.className == "_NSPropertyDescriptionProxy" else { return object }
            object = archive.object(proxy["NSUnderlyingProperty"])
        }
        return nil
    }

    /// A property of a tuple or an index: its name, or the property itself.
    private func propertyName(_ member: PropertyListValue) -> String? {
        archive.text(member) ?? archive.text(underlying(archive.object(member))?["NSPropertyName"])
    }

    private mutating func add(_ object: ArchivedObject, named name: String, to entity: inout EntityDescription) throws(PinviewError) {
        let label = "\(entity.name).\(name)"
        switch object.className {
        case "NSAttributeDescription", "NSDerivedAttributeDescription", "NSCompositeAttributeDescription":
            entity.attributes.append(try attribute(object, name, label))
            if archive.flag(object["NSIsIndexed"]) { entity.indexes.addIndex(ofProperty: name) }
        case "NSRelationshipDescription":
            entity.relationships.append(relationship(object, name, label))
            if archive.flag(object["NSIsIndexed"]) { entity.indexes.addIndex(ofProperty: name) }
        case "NSFetchedPropertyDescription":
            guard let value = archive.object(object["NSFetchRequest"]),
                let request = fetchRequest(value, label, entityName: archive.text(object["_NSFetchRequestEntityName"]))
            else { return }
            entity.fetchedProperties.append(
                FetchedPropertyDescription(
                    name: name, fetchRequest: request, renamingIdentifier: renamingIdentifier(object, of: name), userInfo: userInfo(object))
            )
        default: throw .badModel("\(label) has the unknown class \(object.className.quotedForPeople).")
        }
    }

    /// The archive lists inherited properties, constraints and indexes again in every sub-entity.
    private func removeInherited(_ entities: inout [EntityDescription], _ parents: [String: String]) {
        let positions = Dictionary(entities.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        let all = entities
        for index in entities.indices {
            var seen: Set<String> = [all[index].name]
            var next = all[index].superentityName
            while let name = next, seen.insert(name).inserted, let position = positions[name] {
                let ancestor = all[position]
                let names = Set(
                    ancestor.attributes.map(\.name) + ancestor.relationships.map(\.name) + ancestor.fetchedProperties.map(\.name))
                entities[index].attributes.removeAll { names.contains($0.name) }
                entities[index].relationships.removeAll { names.contains($0.name) }
                entities[index].fetchedProperties.removeAll { names.contains($0.name) }
                entities[index].uniquenessConstraints.removeAll { ancestor.uniquenessConstraints.contains($0) }
                entities[index].indexes.removeAll { ancestor.indexes.contains($0) }
                next = parents[name]
            }
        }
    }

    // MARK: Properties

    private mutating func attribute(
        _ object: ArchivedObject, _ name: String, _ label: String, depth: Int = 0
    ) throws(PinviewError) -> AttributeDescription {
        let number = archive.number(object["NSAttributeType"]) ?? 0
        // 2000: the ID of an object, which only transient attributes hold.
        guard let type = number == 2000 ? .undefined : Int(exactly: number).flatMap(AttributeType.init(rawValue:)) else {
            throw .badModel("\(label) has the unknown type \(number).")
        }
        var attribute = AttributeDescription(
            name: name, attributeType: type, isOptional: archive.flag(object["NSIsOptional"]),
            isTransient: archive.flag(object["NSIsTransient"]) || type == .undefined)
        let flags = archive.number(object["NSFlagsKey"]) ?? 0
        attribute.allowsExternalBinaryDataStorage = flags & 4 != 0
        attribute.preservesValueInHistoryOnDeletion = archive.flag(object["NSPreservesValueInHistoryOnDeletion"])
        attribute.valueTransformerName = archive.text(object["NSValueTransformerName"])
        if type == .transformable { attribute.valueClassName = archive.text(object["NSAttributeValueClassName"]) }
        attribute.renamingIdentifier = renamingIdentifier(object, of: name)
        attribute.versionHashModifier = archive.text(object["NSVersionHashModifier"])
        attribute.userInfo = userInfo(object)
        if type == .composite {
            try addElements(of: object, to: &attribute, label, depth)
            return attribute
        }
        if let expression = archive.object(object["NSDerivationExpression"]) {
            attribute.derivationExpression = ArchivedPredicate(archive).expression(expression)
            if attribute.derivationExpression == nil { warnings.append("The derivation of \(label) cannot be read: it is ignored.") }
        }
        if let given = archive.value(object["NSDefaultValue"]) {
            if let value = archive.scalar(given) {
                attribute.defaultValue = type == .boolean ? value.asBoolean : value
            } else {
                warnings.append("The default of \(label) is an object of the program: it is ignored.")
            }
        }
        for rule in archive.elements(object["NSValidationPredicates"]) ?? [] {
            if !ArchivedPredicate(archive).apply(archive.object(rule), to: &attribute) {
                warnings.append("A rule for the values of \(label) cannot be read: it is ignored.")
            }
        }
        return attribute
    }

    private mutating func addElements(
        of object: ArchivedObject, to attribute: inout AttributeDescription, _ label: String, _ depth: Int
    ) throws(PinviewError) {
        guard depth < AttributeDescription.maximumNesting else {
            throw .badModel("\(label) is a composite attribute inside too many others.")
        }
        for element in archive.elements(object["NSElements"]) ?? [] {
            guard let element = archive.object(element), let name = archive.text(element["NSPropertyName"]) else {
                throw .badModel("An element of the composite attribute \(label) of the compiled model is damaged.")
            }
            guard !archive.isExhausted else { throw .badModel("The compiled model refers to more objects than any model has.") }
            attribute.elements.append(try self.attribute(element, name, "\(label).\(name)", depth: depth + 1))
        }
    }

    private func relationship(_ object: ArchivedObject, _ name: String, _ label: String) -> RelationshipDescription {
        let maximum = archive.number(object["NSMaxCount"]) ?? 0
        let destination =
            archive.text(object["_NSDestinationEntityName"]) ?? archive.text(archive.object(object["NSDestinationEntity"])?["NSEntityName"])
        let inverse =
            archive.text(object["_NSInverseRelationshipName"])
            ?? archive.text(underlying(archive.object(object["NSInverseRelationship"]))?["NSPropertyName"])
        var relationship = RelationshipDescription(
            name: name, destinationEntityName: destination ?? "", inverseRelationshipName: inverse, isToMany: maximum != 1,
            isOrdered: archive.flag(object["NSIsOrdered"]))
        relationship.deleteRule = DeleteRule(rawValue: Int(clamping: archive.number(object["NSDeleteRule"]) ?? 1)) ?? .nullify
        relationship.isOptional = archive.flag(object["NSIsOptional"])
        relationship.isTransient = archive.flag(object["NSIsTransient"])
        relationship.minimumCount = Int(clamping: archive.number(object["NSMinCount"]) ?? 0)
        // -1, too, means that there is no limit.
        relationship.maximumCount = max(Int(clamping: maximum), 0)
        relationship.renamingIdentifier = renamingIdentifier(object, of: name)
        relationship.versionHashModifier = archive.text(object["NSVersionHashModifier"])
        relationship.userInfo = userInfo(object)
        return relationship
    }

    /// The archive has one always, the name itself if nothing was renamed.
    private func renamingIdentifier(_ object: ArchivedObject, of name: String) -> String? {
        archive.text(object["NSRenamingIdentifier"]).flatMap { $0 == name || $0.isEmpty ? nil : $0 }
    }

    private func userInfo(_ object: ArchivedObject) -> [String: String] {
        var info: [String: String] = [:]
        for (key, value) in archive.namedEntries(object["NSUserInfo"]) ?? [] {
            if let text = archive.text(value) { info[key] = text }
        }
        return info
    }

    private mutating func fetchIndex(_ object: ArchivedObject, of entity: String) -> FetchIndexDescription {
        let name = archive.text(object["NSIndexName"]) ?? ""
        var elements: [FetchIndexDescription.Element] = []
        for element in (archive.elements(object["NSIndexElements"]) ?? []).compactMap({ archive.object($0) }) {
            let isAscending = archive.flag(element["NSAscending"])
            if let property = archive.text(element["NSPropertyName"]) {
                elements.append(.init(attributeName: property, isAscending: isAscending))
            } else if let expression = archive.object(element["NSExpression"]).flatMap(ArchivedPredicate(archive).expression) {
                elements.append(.init(expressionFormat: expression, isAscending: isAscending))
            }
        }
        var index = FetchIndexDescription(name: name, elements: elements)
        if let predicate = archive.object(object["NSPartialIndexPredicate"]) {
            index.partialIndexPredicateFormat = ArchivedPredicate(archive).predicate(predicate)
            if index.partialIndexPredicateFormat == nil {
                warnings.append(
                    "The predicate of the index \(name.quotedForPeople) of entity \(entity) cannot be read: it covers all objects.")
            }
        }
        return index
    }

    // MARK: Fetch requests

    private mutating func fetchRequest(_ object: ArchivedObject, _ label: String, entityName: String? = nil) -> FetchRequestDescription? {
        let named = entityName ?? archive.text(object["NSEntityName"]) ?? archive.text(archive.object(object["NSEntity"])?["NSEntityName"])
        var request = FetchRequestDescription(entityName: named ?? "")
        if let predicate = archive.object(object["NSPredicate"]) {
            guard let format = ArchivedPredicate(archive).predicate(predicate) else {
                warnings.append("The predicate of \(label) cannot be read: it is ignored.")
                return nil
            }
            request.predicateFormat = format
        }
        for sort in (archive.elements(object["NSSortDescriptors"]) ?? []).compactMap({ archive.object($0) }) {
            guard let key = archive.text(sort["NSKey"]) else { continue }
            let selector = archive.text(sort["NSSelector"]) ?? "compare:"
            request.sortDescriptors.append(
                .init(keyPath: key, isAscending: archive.flag(sort["NSAscending"]), comparator: Self.comparators[selector] ?? "binary"))
        }
        request.fetchLimit = Int(clamping: archive.number(object["NSFetchLimit"]) ?? 0)
        request.fetchOffset = Int(clamping: archive.number(object["NSFetchOffset"]) ?? 0)
        request.fetchBatchSize = Int(clamping: archive.number(object["NSBatchSize"]) ?? 0)
        if let type = FetchRequestResultType(rawValue: Int(clamping: archive.number(object["NSResultType"]) ?? 0)) {
            request.resultType = type
        }
        request.relationshipKeyPathsForPrefetching =
            (archive.elements(object["NSRelationshipKeyPathsForPrefetching"]) ?? []).compactMap { archive.text($0) }
        return request
    }

    private static let comparators = [
        "caseInsensitiveCompare:": "caseInsensitive", "localizedCompare:": "localized",
        "localizedCaseInsensitiveCompare:": "localizedCaseInsensitive", "localizedStandardCompare:": "localizedStandard",
    ]
}

extension Value {
    /// Archives keep Booleans as numbers at times.
    fileprivate var asBoolean: Value {
        if case .integer(let number) = self { return .boolean(number != 0) }
        return self
    }
}
