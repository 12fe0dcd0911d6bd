/// Checks descriptions and resolves them into entities.
struct ModelResolution {
    /// As given, except that resolving converts default and limit values to the attributes' types.
    private(set) var descriptions: [EntityDescription]
    private let positions: [String: Int]
    /// Positions of the direct sub-entities of each description, sorted.
    private let children: [[Int]]
    /// Positions of the descriptions in index order, and back.
    private let order: [Int]
    private let indexes: [Int]

    /// Core Data's history tables use the entity numbers from 16001 on.
    private static let maximumEntityCount = 16_000

    /// - Parameter allowsNone: whether a model without entities is valid.
    init(_ descriptions: [EntityDescription], allowsNone: Bool = false) throws(PinviewError) {
        guard allowsNone || !descriptions.isEmpty else { throw .badModel("The model has no entities.") }
        guard descriptions.count <= Self.maximumEntityCount else {
            throw .badModel("The model has \(descriptions.count) entities; at most \(Self.maximumEntityCount) are possible.")
        }
        self.descriptions = descriptions
        positions = try Self.positions(of: descriptions)
        let parents = try Self.parents(of: descriptions, positions)
        (children, order) = try Self.tree(descriptions, parents)
        var indexes = [Int](repeating: 0, count: descriptions.count)
        for (index, position) in order.enumerated() { indexes[position] = index }
        self.indexes = indexes
    }

    mutating func resolve() throws(PinviewError) -> [Entity] {
        let layout = try PropertyLayout(descriptions, positions, order)
        let familySizes = familySizes()
        var entities: [Entity] = []
        entities.reserveCapacity(order.count)
        for (index, position) in order.enumerated() {
            let superentity = descriptions[position].superentityName.flatMap { positions[$0] }.map { entities[indexes[$0]] }
            let own = try resolveProperties(ofEntityAt: position, index: index, layout)
            let description = descriptions[position]
            let properties = (superentity?.properties ?? []) + own
            try ConstraintCheck(description, properties).run()
            entities.append(
                Entity(
                    description: description, subentityNames: children[position].map { descriptions[$0].name }, index: index,
                    superentity: superentity, familyIndexes: Array(index..<(index + familySizes[index])), properties: properties,
                    composites: composites(description, own),
                    versionHash: VersionHash.hash(of: description, parentHash: superentity?.ownVersionHash)))
        }
        return entities
    }

    private mutating func resolveProperties(
        ofEntityAt position: Int, index: Int, _ layout: PropertyLayout
    ) throws(PinviewError) -> [Property] {
        let entityName = descriptions[position].name
        var own: [Property] = []
        var next = layout.inheritedCounts[position]
        for number in descriptions[position].attributes.indices {
            let properties = try Self.properties(
                of: &descriptions[position].attributes[number], entityName, entityIndex: index, firstIndex: next)
            own += properties
            next += properties.count
        }
        for relationship in descriptions[position].relationships {
            let check = RelationshipCheck(entityName: entityName, relationship, descriptions, positions)
            let destination = try check.run()
            own.append(
                Property(
                    relationship: relationship, index: next, declaringEntityName: entityName, declaringEntityIndex: index,
                    destinationIndex: indexes[destination],
                    inverseIndex: relationship.inverseRelationshipName.flatMap { layout.propertyIndexes[destination][$0] }))
            next += 1
        }
        return own
    }

    /// What an attribute is stored as: itself, or the elements of a composite one. Converts its
    /// values.
    private static func properties(
        of attribute: inout AttributeDescription, _ entityName: String, entityIndex: Int, firstIndex: Int
    ) throws(PinviewError) -> [Property] {
        guard attribute.isComposite else {
            let checked = try AttributeCheck(entityName: entityName, attribute).run(index: firstIndex, entityIndex: entityIndex)
            attribute = checked.description
            return [checked.property]
        }
        try CompositeCheck(entityName: entityName, attribute).run()
        let leaves = attribute.leaves, excusable = attribute.excusableLeaves
        let siblings = firstIndex..<(firstIndex + leaves.count)
        var checked: [AttributeDescription] = []
        var properties: [Property] = []
        for (number, leaf) in leaves.enumerated() {
            let (description, property) = try AttributeCheck(entityName: entityName, leaf).run(
                index: firstIndex + number, entityIndex: entityIndex,
                place: ElementPlace(siblings: siblings, isExcusable: excusable[number]))
            checked.append(description)
            properties.append(property)
        }
        attribute.takeValues(of: &checked[...])
        return properties
    }

    /// The composite attributes that an entity declares, those inside others after them.
    private func composites(_ entity: EntityDescription, _ own: [Property]) -> [CompositeAttribute] {
        guard entity.attributes.contains(where: \.isComposite) else { return [] }
        let properties = Dictionary(own.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        return entity.attributes.flatMap { attribute in
            CompositeAttribute(attribute, named: attribute.name, of: entity.name, properties)?.withNested ?? []
        }
    }

    /// By index: the size of each subtree, whose entities follow their root in depth-first order.
    private func familySizes() -> [Int] {
        var sizes = [Int](repeating: 1, count: order.count)
        for index in order.indices.reversed() {
            for child in children[order[index]] { sizes[index] += sizes[indexes[child]] }
        }
        return sizes
    }

    private static func positions(of descriptions: [EntityDescription]) throws(PinviewError) -> [String: Int] {
        var positions: [String: Int] = [:]
        var tables: [String: String] = [:]
        for (position, description) in descriptions.enumerated() {
            if let problem = NameRule.problem(with: description.name) {
                throw .badModel("Entity number \(position + 1) has an invalid name, \(description.name.quotedForPeople): \(problem).")
            }
            if let other = tables.updateValue(description.name, forKey: description.name.uppercased()) {
                throw .badModel(
                    other == description.name
                        ? "Entity \(other) is declared twice."
                        : "Entities \(other) and \(description.name) differ only in case, so their tables would have the same name.")
            }
            positions[description.name] = position
        }
        return positions
    }

    private static func parents(
        of descriptions: [EntityDescription], _ positions: [String: Int]
    ) throws(PinviewError) -> [Int?] {
        var parents: [Int?] = []
        for description in descriptions {
            guard let name = description.superentityName else {
                parents.append(nil)
                continue
            }
            guard let parent = positions[name] else {
                throw .badModel("Entity \(description.name) has the parent \(name.quotedForPeople), which is not in the model.")
            }
            parents.append(parent)
        }
        return parents
    }

    /// Each entity repeats the properties of its ancestors, so a model's size grows with the square
    /// of its depth.
    static let maximumDepth = 100

    /// Without recursion, so that a chain of thousands of entities does not overflow the stack.
    private static func tree(
        _ descriptions: [EntityDescription], _ parents: [Int?]
    ) throws(PinviewError) -> (children: [[Int]], order: [Int]) {
        let sortKeys = descriptions.map { Array($0.name.lowercased().utf8) }
        let sorted = descriptions.indices.sorted { sortKeys[$0].lexicographicallyPrecedes(sortKeys[$1]) }
        var children = [[Int]](repeating: [], count: descriptions.count)
        var waiting: [Int] = []
        for position in sorted {
            if let parent = parents[position] {
                children[parent].append(position)
            } else {
                waiting.append(position)
            }
        }
        waiting.reverse()
        var order: [Int] = []
        var depths = [Int](repeating: 1, count: descriptions.count)
        while let position = waiting.popLast() {
            order.append(position)
            if let parent = parents[position] { depths[position] = depths[parent] + 1 }
            guard depths[position] <= maximumDepth else {
                throw .badModel(
                    "Entity \(descriptions[position].name) has \(depths[position] - 1) ancestors; at most \(maximumDepth - 1) are possible."
                )
            }
            waiting.append(contentsOf: children[position].reversed())
        }
        if order.count < descriptions.count {
            let reached = Set(order)
            let names = sorted.filter { !reached.contains($0) }.map { descriptions[$0].name }
            throw .badModel("The inheritance of these entities is circular: \(names.joined(separator: ", ")).")
        }
        return (children, order)
    }
}

/// The position of each property in its entity. Checks the names.
struct PropertyLayout {
    /// By position of the description: the number of inherited properties.
    private(set) var inheritedCounts: [Int]
    /// By position of the description: the index in `Entity.properties` of each of its own
    /// properties.
    private(set) var propertyIndexes: [[String: Int]]

    init(_ descriptions: [EntityDescription], _ positions: [String: Int], _ order: [Int]) throws(PinviewError) {
        inheritedCounts = [Int](repeating: 0, count: descriptions.count)
        propertyIndexes = [[String: Int]](repeating: [:], count: descriptions.count)
        // Column name → declaring entity and property, for the entity and its ancestors.
        var columns = [[String: (entity: String, property: String)]](repeating: [:], count: descriptions.count)
        for position in order {
            let description = descriptions[position]
            if let parent = description.superentityName.flatMap({ positions[$0] }) {
                inheritedCounts[position] = inheritedCounts[parent] + propertyIndexes[parent].count
                columns[position] = columns[parent]
            }
            let others = description.relationships.map(\.name)
            let fetched = description.fetchedProperties.map(\.name)
            for name in description.attributes.flatMap(\.ownNames) + others + fetched {
                if let problem = NameRule.problem(with: name) ?? NameRule.problem(withPropertyName: name) {
                    throw .badModel("Entity \(description.name) has a property with an invalid name, \(name.quotedForPeople): \(problem).")
                }
            }
            let stored = description.attributes.flatMap(\.leaves).map(\.name) + others
            for (number, name) in (stored + description.attributes.flatMap(\.compositeNames) + fetched).enumerated() {
                if let other = columns[position].updateValue((description.name, name), forKey: name.uppercased()) {
                    throw Self.duplicate(name, of: description.name, other: other)
                }
                if number < stored.count { propertyIndexes[position][name] = inheritedCounts[position] + number }
            }
        }
    }

    private static func duplicate(_ name: String, of entity: String, other: (entity: String, property: String)) -> PinviewError {
        if other.entity != entity {
            return .badModel("\(entity).\(name) redefines \(other.entity).\(other.property), which \(entity) inherits.")
        }
        return .badModel(
            other.property == name
                ? "Entity \(entity) declares the property \(name) twice."
                : "Entity \(entity) has the properties \(other.property) and \(name), which differ only in case.")
    }
}

extension PinviewError {
    static func badModel(_ message: String) -> PinviewError {
        PinviewError(.badModel, message)
    }
}
