/// Checks one attribute and converts its values to its type.
struct AttributeCheck {
    private let attribute: AttributeDescription
    private let label: String
    private let entityName: String

    init(entityName: String, _ attribute: AttributeDescription) {
        self.attribute = attribute
        self.entityName = entityName
        label = "\(entityName).\(attribute.name)"
    }

    func run(
        index: Int, entityIndex: Int, place: ElementPlace = ElementPlace()
    ) throws(PinviewError) -> (description: AttributeDescription, property: Property) {
        let type = attribute.attributeType
        if !attribute.elements.isEmpty {
            throw .badModel("\(label) is of type \(type.name), but has elements: only composite attributes have.")
        }
        if type == .undefined && !attribute.isTransient {
            throw .badModel("\(label) has no type: only transient attributes may be of type undefined.")
        }
        if attribute.allowsExternalBinaryDataStorage && type != .binaryData && type != .transformable {
            throw .badModel("\(label) is of type \(type.name): only binaryData and transformable attributes allow external storage.")
        }
        let pattern = try checkText()
        // Lets the values be converted by the same rules as those of objects.
        let unchecked = Property(
            attribute: attribute, pattern: nil, index: index, declaringEntityName: entityName, declaringEntityIndex: entityIndex)
        var checked = attribute
        checked.defaultValue = try convert(attribute.defaultValue, as: "default", with: unchecked)
        checked.minimumValue = try limit(attribute.minimumValue, as: "minimum", with: unchecked)
        checked.maximumValue = try limit(attribute.maximumValue, as: "maximum", with: unchecked)
        if let minimum = checked.minimumValue, let maximum = checked.maximumValue, isBelow(maximum, minimum) {
            throw .badModel("\(label) has the minimum \(minimum), which is above its maximum \(maximum).")
        }
        let property = Property(
            attribute: checked, pattern: pattern, index: index, declaringEntityName: entityName, declaringEntityIndex: entityIndex,
            place: place)
        return (checked, property)
    }

    private func checkText() throws(PinviewError) -> TextPattern? {
        let minimum = attribute.minimumLength
        let maximum = attribute.maximumLength
        if !attribute.attributeType.isText && (minimum != nil || maximum != nil || attribute.regularExpression != nil) {
            throw .badModel("\(label) is of type \(attribute.attributeType.name): only strings and URIs have length limits and patterns.")
        }
        if let minimum, minimum < 0 { throw .badModel("\(label) has the minimum length \(minimum), which is negative.") }
        if let maximum, maximum < 0 { throw .badModel("\(label) has the maximum length \(maximum), which is negative.") }
        if let minimum, let maximum, minimum > maximum {
            throw .badModel("\(label) has the minimum length \(minimum), which is above its maximum length \(maximum).")
        }
        guard let text = attribute.regularExpression else { return nil }
        do {
            return try TextPattern(text)
        } catch {
            throw .badModel("\(label) has the invalid pattern \(text.quotedForPeople): \(error.message).")
        }
    }

    private func convert(_ value: Value, as role: String, with property: Property) throws(PinviewError) -> Value {
        if case .objectID = value { throw .badModel("\(label) has an object ID as its \(role): only plain values are allowed.") }
        do {
            return try property.convert(value)
        } catch {
            throw .badModel("The \(role) of \(label) is not of its type: \(error.message)")
        }
    }

    private func limit(_ value: Value?, as role: String, with property: Property) throws(PinviewError) -> Value? {
        guard let value, !value.isNull else { return nil }
        guard attribute.attributeType.isOrdered else {
            throw .badModel("\(label) is of type \(attribute.attributeType.name): only numbers and dates have a \(role).")
        }
        let converted = try convert(value, as: role, with: property)
        let isNumber =
            switch converted {
            case .double(let number): !number.isNaN
            case .decimal(let number): !number.isNaN
            case .date(let date): !date.timeIntervalSinceReferenceDate.isNaN
            default: true
            }
        guard isNumber else { throw .badModel("\(label) has a \(role) that is not a number.") }
        return converted
    }
}

/// Checks one relationship against its destination entity.
struct RelationshipCheck {
    private let entityName: String
    private let relationship: RelationshipDescription
    private let descriptions: [EntityDescription]
    private let positions: [String: Int]
    private let label: String

    init(
        entityName: String, _ relationship: RelationshipDescription, _ descriptions: [EntityDescription], _ positions: [String: Int]
    ) {
        self.entityName = entityName
        self.relationship = relationship
        self.descriptions = descriptions
        self.positions = positions
        label = "\(entityName).\(relationship.name)"
    }

    /// - Returns: the position of the destination's description.
    func run() throws(PinviewError) -> Int {
        try checkCounts()
        guard let destination = positions[relationship.destinationEntityName] else {
            throw .badModel(
                relationship.destinationEntityName.isEmpty
                    ? "\(label) has no destination."
                    : "\(label) has the destination \(relationship.destinationEntityName.quotedForPeople), which is not in the model.")
        }
        if let inverse = relationship.inverseRelationshipName {
            try check(inverse: inverse, in: descriptions[destination])
        } else {
            try checkIsNoInverse(in: descriptions[destination])
        }
        return destination
    }

    private func checkCounts() throws(PinviewError) {
        let minimum = relationship.minimumCount
        let maximum = relationship.maximumCount
        if minimum < 0 || maximum < 0 { throw .badModel("\(label) has a negative count.") }
        if !relationship.isToMany {
            if relationship.isOrdered { throw .badModel("\(label) is ordered, but to-one: only to-many relationships are ordered.") }
            if maximum > 1 || minimum > 1 {
                throw .badModel("\(label) is to-one, but has a count of \(max(minimum, maximum)): make it to-many.")
            }
        }
        if maximum > 0 && minimum > maximum {
            throw .badModel("\(label) has the minimum count \(minimum), which is above its maximum count \(maximum).")
        }
    }

    private func check(inverse name: String, in destination: EntityDescription) throws(PinviewError) {
        guard let inverse = destination.relationships.first(where: { $0.name == name }) else {
            let hint =
                destination.attributes.contains { $0.name == name }
                ? "which is an attribute" : "but \(destination.name) has no relationship of its own with that name"
            throw .badModel("\(label) has the inverse \(destination.name).\(name), \(hint).")
        }
        guard inverse.destinationEntityName == entityName else {
            throw .badModel(
                "\(label) has the inverse \(destination.name).\(name), but the destination of that is \(inverse.destinationEntityName), not \(entityName)."
            )
        }
        guard inverse.inverseRelationshipName == relationship.name else {
            let other = inverse.inverseRelationshipName.map { "has the inverse \($0)" } ?? "has no inverse"
            throw .badModel(
                "\(label) has the inverse \(destination.name).\(name), but that \(other): both sides must name each other.")
        }
        guard inverse.isTransient == relationship.isTransient else {
            throw .badModel("\(label) and its inverse \(destination.name).\(name) must both be transient or both not.")
        }
    }

    private func checkIsNoInverse(in destination: EntityDescription) throws(PinviewError) {
        let claimant = destination.relationships.first {
            $0.destinationEntityName == entityName && $0.inverseRelationshipName == relationship.name
        }
        if let claimant {
            throw .badModel(
                "\(label) has no inverse, but is the inverse of \(destination.name).\(claimant.name): both sides must name each other.")
        }
    }
}

/// Checks the uniqueness constraints and indexes of one entity.
struct ConstraintCheck {
    private let description: EntityDescription
    private let properties: [Property]

    init(_ description: EntityDescription, _ properties: [Property]) {
        self.description = description
        self.properties = properties
    }

    func run() throws(PinviewError) {
        for constraint in description.uniquenessConstraints {
            let label = "The uniqueness constraint (\(constraint.joined(separator: ", "))) of entity \(description.name)"
            try check(names: constraint, label)
        }
        if Set(description.uniquenessConstraints).count < description.uniquenessConstraints.count {
            throw .badModel("Entity \(description.name) has the same uniqueness constraint twice.")
        }
        var indexNames = Set<String>()
        for index in description.indexes {
            let label = "The index \(index.name.quotedForPeople) of entity \(description.name)"
            if let problem = indexNameProblem(index.name) { throw .badModel("\(label): \(problem).") }
            guard indexNames.insert(index.name.uppercased()).inserted else { throw .badModel("\(label) is declared twice.") }
            let names = index.elements.filter { $0.expressionFormat == nil }.map(\.attributeName)
            if !names.isEmpty || index.elements.isEmpty { try check(names: names, label) }
        }
    }

    /// More names are allowed than for properties: Core Data uses `byNameIndex`, `com_app_index`.
    private func indexNameProblem(_ name: String) -> String? {
        if name.isEmpty { return "a name must not be empty" }
        return name.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F } ? "a name must not contain control characters" : nil
    }

    private func check(names: [String], _ label: String) throws(PinviewError) {
        if names.isEmpty { throw .badModel("\(label) names no property.") }
        if Set(names).count < names.count { throw .badModel("\(label) names a property twice.") }
        for name in names {
            guard let property = properties.first(where: { $0.name == name }) else {
                if let element = properties.first(where: { $0.isElement && $0.name.hasPrefix(name + ".") }) {
                    throw .badModel(
                        "\(label) names \(name), a composite attribute: it has to name elements of it, such as \(element.name).")
                }
                throw .badModel("\(label) names \(name.quotedForPeople), which is not a property of the entity.")
            }
            if property.isTransient { throw .badModel("\(label) names \(name), which is transient and has no column.") }
            if property.isToMany { throw .badModel("\(label) names \(name), which is a to-many relationship and has no column.") }
        }
    }
}
