import FoundationEssentials

/// Reads the file `contents` of a `.xcdatamodel` folder. What it does not know it passes over: Xcode
/// adds attributes with every version.
struct XMLModelReader {
    private var warnings: [String] = []
    /// The composite attributes that the model defines for its entities, by name.
    private var composites: [String: XMLElement] = [:]
    /// How many elements attributes have got. Definitions that use others can double with each step.
    private var elementCount = 0
    private static let maximumElementCount = 20_000

    static func read(_ bytes: [UInt8]) throws(PinviewError) -> ModelContents {
        let root: XMLElement
        do throws(XMLError) {
            root = try XMLReader.read(bytes)
        } catch {
            throw .badModel("The XML of the model is damaged: \(error.description).")
        }
        guard root.name == "model" else {
            throw .badModel("The XML is not a model: its root is <\(root.name)>, not <model>.")
        }
        var reader = XMLModelReader()
        return try reader.contents(root)
    }

    private mutating func contents(_ root: XMLElement) throws(PinviewError) -> ModelContents {
        var contents = ModelContents()
        for element in root.children where element.name == "composite" {
            composites[try name(element)] = element
        }
        for element in root.children(named: "entity") { contents.entities.append(try entity(element)) }
        for element in root.children(named: "configuration") {
            contents.configurations[try name(element)] = element.children(named: "memberEntity").compactMap { $0.attributes["name"] }
        }
        for element in root.children(named: "fetchRequest") {
            contents.fetchRequestTemplates[try name(element)] = fetchRequest(element)
        }
        if let identifier = root.attributes["userDefinedModelVersionIdentifier"], !identifier.isEmpty {
            contents.versionIdentifiers = [identifier]
        }
        contents.warnings = warnings
        return contents
    }

    private func name(_ element: XMLElement) throws(PinviewError) -> String {
        guard let name = element.attributes["name"] else {
            throw .badModel("The <\(element.name)> on line \(element.line) has no name.")
        }
        return name
    }

    private mutating func entity(_ element: XMLElement) throws(PinviewError) -> EntityDescription {
        var entity = EntityDescription(name: try name(element))
        entity.superentityName = element["parentEntity"]
        entity.isAbstract = element.flag("isAbstract")
        entity.managedObjectClassName = element["representedClassName"]
        entity.renamingIdentifier = element["elementID"] ?? element["renamingIdentifier"]
        entity.versionHashModifier = element["versionHashModifier"]
        for child in element.children(named: "attribute") { entity.attributes.append(try attribute(child, of: entity.name)) }
        for child in element.children(named: "relationship") { entity.relationships.append(try relationship(child, of: entity.name)) }
        for child in element.children(named: "fetchedProperty") {
            guard let request = child.children(named: "fetchRequest").first else {
                warnings.append("The fetched property \(entity.name).\(try name(child)) has no fetch request: it is ignored.")
                continue
            }
            entity.fetchedProperties.append(
                FetchedPropertyDescription(
                    name: try name(child), fetchRequest: fetchRequest(request), renamingIdentifier: child["elementID"],
                    userInfo: child.userInfo))
        }
        for list in element.children(named: "uniquenessConstraints") {
            for constraint in list.children(named: "uniquenessConstraint") {
                entity.uniquenessConstraints.append(constraint.children(named: "constraint").compactMap { $0["value"] })
            }
        }
        entity.indexes = indexes(element, of: entity)
        entity.userInfo = element.userInfo
        return entity
    }

    /// Those of all times: fetch indexes, compound indexes, and the flag of a property.
    private func indexes(_ element: XMLElement, of entity: EntityDescription) -> [FetchIndexDescription] {
        var indexes: [FetchIndexDescription] = []
        for child in element.children(named: "fetchIndex") {
            let elements = child.children(named: "fetchIndexElement").compactMap { part -> FetchIndexDescription.Element? in
                let isAscending = part["order"] != "descending"
                if let property = part["property"] { return .init(attributeName: property, isAscending: isAscending) }
                return part["expression"].map { .init(expressionFormat: $0, isAscending: isAscending) }
            }
            indexes.append(
                FetchIndexDescription(
                    name: child["name"] ?? "", elements: elements, partialIndexPredicateFormat: child["partialIndexPredicate"]))
        }
        for list in element.children(named: "compoundIndexes") {
            for child in list.children(named: "compoundIndex") {
                indexes.addCompoundIndex(child.children(named: "index").compactMap { $0["value"] })
            }
        }
        for child in element.children where child.flag("indexed") && (child.name == "attribute" || child.name == "relationship") {
            if let name = child["name"] { indexes.addIndex(ofProperty: name) }
        }
        return indexes
    }

    /// - Parameter openNames: the definitions of composite attributes around the element.
    private mutating func attribute(
        _ element: XMLElement, of entity: String, inside openNames: Set<String> = []
    ) throws(PinviewError) -> AttributeDescription {
        let label = "\(entity).\(try name(element))"
        var attribute = AttributeDescription(
            name: try name(element), attributeType: try type(element, label), isOptional: element.flag("optional"),
            isTransient: element.flag("transient"))
        let type = attribute.attributeType
        if type == .undefined { attribute.isTransient = true }
        if type == .composite { try addElements(of: element, to: &attribute, label, openNames) }
        attribute.allowsExternalBinaryDataStorage = element.flag("allowsExternalBinaryDataStorage")
        attribute.preservesValueInHistoryOnDeletion =
            element.flag("preserveAfterDeletion") || element.flag("preservesValueInHistoryOnDeletion")
        attribute.usesScalarValueType = element.flag("usesScalarValueType")
        attribute.valueTransformerName = element["valueTransformerName"]
        if type != .composite { attribute.valueClassName = element["customClassName"] }
        attribute.derivationExpression = element["derivationExpression"]
        attribute.renamingIdentifier = element["elementID"] ?? element["renamingIdentifier"]
        attribute.versionHashModifier = element["versionHashModifier"]
        attribute.userInfo = element.userInfo
        attribute.defaultValue = value(element["defaultValueString"], element["defaultDateTimeInterval"], "default", type, label) ?? .null
        if type.isText {
            attribute.minimumLength = length(element["minValueString"], "minimum length", label)
            attribute.maximumLength = length(element["maxValueString"], "maximum length", label)
            attribute.regularExpression = element["regularExpressionString"]
        } else if type.isOrdered {
            attribute.minimumValue = value(element["minValueString"], element["minDateTimeInterval"], "minimum", type, label)
            attribute.maximumValue = value(element["maxValueString"], element["maxDateTimeInterval"], "maximum", type, label)
        }
        return attribute
    }

    /// Adds what the model defines under the name that the attribute gives.
    private mutating func addElements(
        of element: XMLElement, to attribute: inout AttributeDescription, _ label: String, _ openNames: Set<String>
    ) throws(PinviewError) {
        guard let name = element["composite"] else {
            throw .badModel("\(label) is a composite attribute, but does not say of which definition of the model.")
        }
        guard let definition = composites[name] else {
            throw .badModel("\(label) is the composite attribute \(name.quotedForPeople), which the model does not define.")
        }
        guard !openNames.contains(name) else {
            throw .badModel("\(label): the composite attribute \(name.quotedForPeople) contains itself.")
        }
        attribute.valueClassName = name
        for child in definition.children(named: "attribute") {
            elementCount += 1
            guard elementCount <= Self.maximumElementCount, openNames.count < AttributeDescription.maximumNesting else {
                throw .badModel("\(label): the composite attributes of the model have too many elements.")
            }
            attribute.elements.append(try self.attribute(child, of: label, inside: openNames.union([name])))
        }
    }

    private static let types: [String: AttributeType] = [
        "Undefined": .undefined, "Integer 16": .integer16, "Integer 32": .integer32, "Integer 64": .integer64, "Decimal": .decimal,
        "Double": .double, "Float": .float, "String": .string, "Boolean": .boolean, "Date": .date, "Binary": .binaryData, "UUID": .uuid,
        "URI": .uri, "Transformable": .transformable, "Composite": .composite, "ObjectID": .undefined, "Object ID": .undefined,
    ]

    private func type(_ element: XMLElement, _ label: String) throws(PinviewError) -> AttributeType {
        guard let name = element["attributeType"] else { return .undefined }
        guard let type = Self.types[name] else {
            throw .badModel("\(label) is of the type \(name.quotedForPeople), which is not known.")
        }
        return type
    }

    /// A default or limit, from the text or, for a date, the seconds.
    private mutating func value(_ text: String?, _ seconds: String?, _ role: String, _ type: AttributeType, _ label: String) -> Value? {
        if type == .date {
            // What the text says is what someone typed, in a language and time zone of theirs.
            guard let seconds else { return nil }
            if let number = Double(seconds) { return .date(Date(timeIntervalSinceReferenceDate: number)) }
            warnings.append("The \(role) of \(label), \(seconds.quotedForPeople), is not a number of seconds: it is ignored.")
            return nil
        }
        guard let text else { return nil }
        if let value = Self.value(text, type) { return value }
        // An empty field.
        if !text.isEmpty {
            warnings.append("The \(role) of \(label), \(text.quotedForPeople), is not of its type, \(type.name): it is ignored.")
        }
        return nil
    }

    private static func value(_ text: String, _ type: AttributeType) -> Value? {
        switch type {
        case .integer16, .integer32, .integer64:
            // Xcode keeps the default of an attribute that was a Boolean; Core Data takes it for zero, and shipped models need that.
            if text == "NO" { return .integer(0) }
            if let number = Int64(text.trimmed) { return .integer(number) }
            return Double(text.trimmed).flatMap { Int64(exactly: $0) }.map { .integer($0) }
        case .decimal: return DecimalNumber(text.trimmed).map { .decimal($0) }
        case .double, .float: return Double(text.trimmed).map { .double($0) }
        case .boolean:
            switch text.lowercased() {
            case "yes", "true", "1": return .boolean(true)
            case "no", "false", "0": return .boolean(false)
            default: return nil
            }
        case .string, .uri: return .string(text)
        case .uuid: return UUID(uuidString: text).map { .uuid($0) }
        case .date, .binaryData, .transformable, .undefined, .composite: return nil
        }
    }

    private mutating func length(_ text: String?, _ role: String, _ label: String) -> Int? {
        guard let text, !text.isEmpty else { return nil }
        if let length = Int(text.trimmed) { return length }
        warnings.append("The \(role) of \(label), \(text.quotedForPeople), is not a whole number: it is ignored.")
        return nil
    }

    private static let deleteRules: [String: DeleteRule] = [
        "No Action": .noAction, "Nullify": .nullify, "Cascade": .cascade, "Deny": .deny,
    ]

    private mutating func relationship(_ element: XMLElement, of entity: String) throws(PinviewError) -> RelationshipDescription {
        let label = "\(entity).\(try name(element))"
        var relationship = RelationshipDescription(
            name: try name(element), destinationEntityName: element["destinationEntity"] ?? "",
            inverseRelationshipName: element["inverseName"], isToMany: element.flag("toMany"), isOrdered: element.flag("ordered"))
        relationship.isOptional = element.flag("optional")
        relationship.isTransient = element.flag("transient")
        relationship.minimumCount = length(element["minCount"], "minimum count", label) ?? 0
        // -1, too, means that there is no limit.
        relationship.maximumCount = max(length(element["maxCount"], "maximum count", label) ?? 0, 0)
        if let name = element["deletionRule"] {
            if let rule = Self.deleteRules[name] {
                relationship.deleteRule = rule
            } else {
                warnings.append("\(label) has the delete rule \(name.quotedForPeople), which is not known: it is nullify.")
            }
        }
        relationship.renamingIdentifier = element["elementID"] ?? element["renamingIdentifier"]
        relationship.versionHashModifier = element["versionHashModifier"]
        relationship.userInfo = element.userInfo
        return relationship
    }

    private mutating func fetchRequest(_ element: XMLElement) -> FetchRequestDescription {
        var request = FetchRequestDescription(entityName: element["entity"] ?? "", predicateFormat: element["predicateString"])
        let label = "fetch request \((element["name"] ?? "").quotedForPeople)"
        request.fetchLimit = length(element["fetchLimit"], "limit", label) ?? 0
        request.fetchOffset = length(element["fetchOffset"], "offset", label) ?? 0
        request.fetchBatchSize = length(element["fetchBatchSize"], "batch size", label) ?? 0
        if let type = length(element["resultType"], "result type", label) {
            if let known = FetchRequestResultType(rawValue: type) {
                request.resultType = known
            } else {
                warnings.append("The \(label) has the result type \(type), which is not known: it fetches objects.")
            }
        }
        request.includesSubentities = element.flag("includeSubentities", unlessSaid: true)
        request.includesPropertyValues = element.flag("includePropertyValues", unlessSaid: true)
        request.includesPendingChanges = element.flag("includesPendingChanges", unlessSaid: true)
        request.returnsObjectsAsFaults = element.flag("returnObjectsAsFaults", unlessSaid: true)
        request.returnsDistinctResults = element.flag("returnDistinctResults")
        return request
    }
}

extension XMLElement {
    /// Nil also for an attribute that is empty.
    fileprivate subscript(attribute: String) -> String? {
        attributes[attribute].flatMap { $0.isEmpty && attribute != "defaultValueString" ? nil : $0 }
    }

    fileprivate func flag(_ attribute: String, unlessSaid value: Bool = false) -> Bool {
        attributes[attribute].map { $0 == "YES" || $0 == "true" } ?? value
    }

    fileprivate var userInfo: [String: String] {
        var info: [String: String] = [:]
        for list in children(named: "userInfo") {
            for entry in list.children(named: "entry") {
                if let key = entry.attributes["key"] { info[key] = entry.attributes["value"] ?? "" }
            }
        }
        return info
    }
}

extension [FetchIndexDescription] {
    /// For the flag "indexed" of old models, unless there is such an index.
    mutating func addIndex(ofProperty name: String) {
        guard !contains(where: { $0.elements.count == 1 && $0.elements[0].attributeName == name }) else { return }
        append(
            FetchIndexDescription(name: "by\(name.prefix(1).uppercased())\(name.dropFirst())Index", elements: [.init(attributeName: name)]))
    }

    /// For the compound indexes of old models, unless there is such an index.
    mutating func addCompoundIndex(_ names: [String]) {
        guard !contains(where: { $0.elements.map(\.attributeName) == names }) else { return }
        append(FetchIndexDescription(name: names.joined(separator: "_"), elements: names.map { .init(attributeName: $0) }))
    }
}
