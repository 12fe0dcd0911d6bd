/// Leaves out of a model what Core Data lives with, although it means nothing or contradicts
/// itself.
///
/// Shipped applications have indexes on to-many relationships, inverses that two relationships
/// claim, ordered to-one relationships, defaults that are not of their type. What remains passes
/// the strict checks, or is refused by them.
struct ModelRepair {
    private var contents: ModelContents
    /// Positions of the entities by name.
    private let positions: [String: Int]

    static func repaired(_ contents: ModelContents) -> ModelContents {
        var repair = ModelRepair(contents)
        repair.repairAttributes()
        repair.repairRelationships()
        repair.repairInverses()
        repair.removeRedefinitions()
        repair.repairConstraintsAndIndexes()
        repair.repairRequests()
        return repair.contents
    }

    private init(_ contents: ModelContents) {
        self.contents = contents
        positions = Dictionary(contents.entities.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private mutating func warn(_ message: String) {
        contents.warnings.append(message)
    }

    // MARK: Attributes

    private mutating func repairAttributes() {
        for position in contents.entities.indices {
            let entity = contents.entities[position].name
            for number in contents.entities[position].attributes.indices {
                let given = contents.entities[position].attributes[number]
                let attribute = accepted(given, of: entity)
                contents.entities[position].attributes[number] = attribute
            }
        }
    }

    /// An attribute with those of its rules that are sound, tried one after the other.
    private mutating func accepted(_ given: AttributeDescription, of entity: String) -> AttributeDescription {
        if given.isComposite {
            var composite = given
            for index in composite.elements.indices {
                composite.elements[index] = accepted(composite.elements[index], of: "\(entity).\(given.name)")
            }
            return composite
        }
        if given.attributeType == .undefined, !given.isTransient {
            var transient = given
            transient.isTransient = true
            warn("\(entity).\(given.name) has no type; it becomes transient.")
            return accepted(transient, of: entity)
        }
        guard problem(given, entity) != nil else { return given }
        var attribute = given
        attribute.defaultValue = .null
        attribute.allowsExternalBinaryDataStorage = false
        (attribute.minimumValue, attribute.maximumValue) = (nil, nil)
        (attribute.minimumLength, attribute.maximumLength, attribute.regularExpression) = (nil, nil, nil)
        keep(&attribute, entity) { $0.defaultValue = given.defaultValue }
        keep(&attribute, entity) { $0.allowsExternalBinaryDataStorage = given.allowsExternalBinaryDataStorage }
        keep(&attribute, entity) { $0.minimumValue = given.minimumValue }
        keep(&attribute, entity) { $0.maximumValue = given.maximumValue }
        keep(&attribute, entity) { $0.minimumLength = given.minimumLength }
        keep(&attribute, entity) { $0.maximumLength = given.maximumLength }
        keep(&attribute, entity) { $0.regularExpression = given.regularExpression }
        return attribute
    }

    private mutating func keep(_ attribute: inout AttributeDescription, _ entity: String, _ change: (inout AttributeDescription) -> Void) {
        var changed = attribute
        change(&changed)
        if let problem = problem(changed, entity) {
            warn("\(problem) It is ignored.")
        } else {
            attribute = changed
        }
    }

    private func problem(_ attribute: AttributeDescription, _ entity: String) -> String? {
        do throws(PinviewError) {
            _ = try AttributeCheck(entityName: entity, attribute).run(index: 0, entityIndex: 0)
            return nil
        } catch {
            return error.message
        }
    }

    // MARK: Relationships

    private mutating func repairRelationships() {
        for position in contents.entities.indices {
            for number in contents.entities[position].relationships.indices {
                let label = "\(contents.entities[position].name).\(contents.entities[position].relationships[number].name)"
                var relationship = contents.entities[position].relationships[number]
                if relationship.isOrdered, !relationship.isToMany {
                    relationship.isOrdered = false
                    warn("\(label) is ordered, but to-one: the order is ignored.")
                }
                let (minimum, maximum) = (relationship.minimumCount, relationship.maximumCount)
                relationship.minimumCount = max(minimum, 0)
                relationship.maximumCount = max(maximum, 0)
                if !relationship.isToMany {
                    relationship.minimumCount = min(relationship.minimumCount, 1)
                    relationship.maximumCount = min(relationship.maximumCount, 1)
                } else if relationship.maximumCount > 0, relationship.minimumCount > relationship.maximumCount {
                    relationship.minimumCount = 0
                }
                if (minimum, maximum) != (relationship.minimumCount, relationship.maximumCount) {
                    warn(
                        "\(label) has the counts \(minimum) to \(maximum), which are impossible; they become \(relationship.minimumCount) to \(relationship.maximumCount)."
                    )
                }
                contents.entities[position].relationships[number] = relationship
            }
        }
    }

    private struct Place {
        let entity: Int
        let number: Int
    }

    private func relationship(named name: String, of position: Int) -> Place? {
        contents.entities[position].relationships.firstIndex { $0.name == name }.map { Place(entity: position, number: $0) }
    }

    private subscript(_ place: Place) -> RelationshipDescription {
        get { contents.entities[place.entity].relationships[place.number] }
        set { contents.entities[place.entity].relationships[place.number] = newValue }
    }

    /// Two relationships are inverses of each other if each names the other, or one names the other
    /// and that names none. All others lead one way.
    private mutating func repairInverses() {
        let order = contents.entities.indices.sorted { contents.entities[$0].name < contents.entities[$1].name }
        for position in order {
            let entity = contents.entities[position]
            for number in entity.relationships.indices.sorted(by: { entity.relationships[$0].name < entity.relationships[$1].name }) {
                repairInverse(of: Place(entity: position, number: number))
            }
        }
    }

    private mutating func repairInverse(of place: Place) {
        let relationship = self[place]
        let entity = contents.entities[place.entity].name
        guard let name = relationship.inverseRelationshipName else { return }
        let label = "\(entity).\(relationship.name)"
        let inverseLabel = "\(relationship.destinationEntityName).\(name)"
        // A destination that is missing is for the strict check.
        guard let destination = positions[relationship.destinationEntityName] else { return }
        guard let other = self.relationship(named: name, of: destination), self[other].destinationEntityName == entity else {
            self[place].inverseRelationshipName = nil
            warn("\(label) names the inverse \(inverseLabel), which does not lead back to \(entity); it is left without an inverse.")
            return
        }
        guard self[other].isTransient == relationship.isTransient else {
            self[place].inverseRelationshipName = nil
            if self[other].inverseRelationshipName == relationship.name { self[other].inverseRelationshipName = nil }
            warn("Only one of \(label) and \(inverseLabel) is transient, so they are not inverses of each other.")
            return
        }
        switch self[other].inverseRelationshipName {
        case relationship.name: break
        case nil:
            self[other].inverseRelationshipName = relationship.name
            warn("\(inverseLabel) names no inverse, but is the inverse of \(label), which becomes its inverse.")
        case let third?:
            self[place].inverseRelationshipName = nil
            warn("\(label) names the inverse \(inverseLabel), whose inverse is \(third); it is left without an inverse.")
        }
    }

    /// A sub-entity uses the property that it inherits.
    private mutating func removeRedefinitions() {
        for position in contents.entities.indices {
            let inherited = namesOfAncestors(of: position)
            guard !inherited.isEmpty else { continue }
            let entity = contents.entities[position]
            contents.entities[position].attributes.removeAll { inherited[$0.name] != nil }
            contents.entities[position].relationships.removeAll { inherited[$0.name] != nil }
            contents.entities[position].fetchedProperties.removeAll { inherited[$0.name] != nil }
            for name in entity.attributes.map(\.name) + entity.relationships.map(\.name) + entity.fetchedProperties.map(\.name) {
                if let ancestor = inherited[name] {
                    warn("\(entity.name).\(name) redefines \(ancestor).\(name), which \(entity.name) inherits: it is ignored.")
                }
            }
        }
    }

    /// The positions of an entity's ancestors, the parent first.
    private func ancestors(of position: Int) -> [Int] {
        var found: [Int] = []
        var next = contents.entities[position].superentityName
        while let name = next, let parent = positions[name], parent != position, !found.contains(parent) {
            found.append(parent)
            next = contents.entities[parent].superentityName
        }
        return found
    }

    /// Property name → the ancestor that has it.
    private func namesOfAncestors(of position: Int) -> [String: String] {
        var names: [String: String] = [:]
        for ancestor in ancestors(of: position) {
            let entity = contents.entities[ancestor]
            for attribute in entity.attributes { names[attribute.name] = entity.name }
            for relationship in entity.relationships { names[relationship.name] = entity.name }
            for property in entity.fetchedProperties { names[property.name] = entity.name }
        }
        return names
    }

    // MARK: Constraints and indexes

    private mutating func repairConstraintsAndIndexes() {
        for position in contents.entities.indices {
            let entity = contents.entities[position]
            let columns = columnNames(of: position)
            var constraints: [[String]] = []
            for constraint in entity.uniquenessConstraints {
                let label = "The uniqueness constraint (\(constraint.joined(separator: ", "))) of entity \(entity.name)"
                if let problem = problem(constraint, columns) {
                    warn("\(label) \(problem): it is ignored.")
                } else if constraints.contains(constraint) {
                    warn("\(label) is declared twice.")
                } else {
                    constraints.append(constraint)
                }
            }
            var indexes: [FetchIndexDescription] = []
            var names = Set<String>()
            for index in entity.indexes {
                let label = "The index \(index.name.quotedForPeople) of entity \(entity.name)"
                let attributes = index.elements.filter { $0.expressionFormat == nil }.map(\.attributeName)
                let isOnlyExpressions = attributes.isEmpty && !index.elements.isEmpty
                if let problem = isOnlyExpressions ? nil : problem(attributes, columns) {
                    warn("\(label) \(problem): it is ignored.")
                } else if !names.insert(index.name.uppercased()).inserted {
                    warn("\(label) is declared twice.")
                } else {
                    indexes.append(index)
                }
            }
            contents.entities[position].uniquenessConstraints = constraints
            contents.entities[position].indexes = indexes
        }
    }

    private enum Column {
        case column, transient, toMany
    }

    private func columnNames(of position: Int) -> [String: Column] {
        var columns: [String: Column] = [:]
        for place in [position] + ancestors(of: position) {
            for attribute in contents.entities[place].attributes.flatMap(\.leaves) {
                columns[attribute.name] = attribute.isTransient ? .transient : .column
            }
            for relationship in contents.entities[place].relationships {
                columns[relationship.name] = relationship.isTransient ? .transient : relationship.isToMany ? .toMany : .column
            }
        }
        return columns
    }

    private func problem(_ names: [String], _ columns: [String: Column]) -> String? {
        if names.isEmpty { return "names no property" }
        if Set(names).count < names.count { return "names a property twice" }
        for name in names {
            switch columns[name] {
            case .column: break
            case .transient: return "names \(name), which is transient and has no column"
            case .toMany: return "names \(name), which is a to-many relationship and has no column"
            case nil: return "names \(name.quotedForPeople), which is not a property of the entity"
            }
        }
        return nil
    }

    // MARK: Requests and configurations

    private mutating func repairRequests() {
        for position in contents.entities.indices {
            let entity = contents.entities[position]
            for property in entity.fetchedProperties {
                guard let problem = problem(property.fetchRequest) else { continue }
                contents.entities[position].fetchedProperties.removeAll { $0 == property }
                warn("The fetched property \(entity.name).\(property.name) \(problem): it is ignored.")
            }
        }
        for (name, request) in contents.fetchRequestTemplates.sorted(by: { $0.key < $1.key }) {
            guard let problem = name.isEmpty ? "has no name" : problem(request) else { continue }
            contents.fetchRequestTemplates[name] = nil
            warn("The fetch request template \(name.quotedForPeople) \(problem): it is ignored.")
        }
        for (configuration, names) in contents.configurations.sorted(by: { $0.key < $1.key }) {
            let missing = names.filter { positions[$0] == nil }
            guard !missing.isEmpty else { continue }
            contents.configurations[configuration] = names.filter { positions[$0] != nil }
            warn(
                "The configuration \(configuration.quotedForPeople) names \(missing.joined(separator: ", ")), which the model does not have."
            )
        }
    }

    private func problem(_ request: FetchRequestDescription) -> String? {
        if positions[request.entityName] == nil {
            return "fetches the entity \(request.entityName.quotedForPeople), which is not in the model"
        }
        return request.fetchLimit < 0 || request.fetchOffset < 0 || request.fetchBatchSize < 0
            ? "has a negative limit, offset or batch size" : nil
    }
}
