import Foundation
import Pinview
import RandomSupport

/// A model under construction, whose parts keep their numbers from version to version, whatever
/// their names.
struct DraftModel {
    struct Attribute {
        let id: Int
        var name: String
        var formerName: String?
        var type: AttributeType
        var isOptional = true
        var defaultValue = Value.null
        var isExternal = false
    }

    struct Relationship {
        let id: Int
        var name: String
        var formerName: String?
        var destination: Int
        var inverse: Int?
        var isToMany: Bool
        var isOrdered = false
    }

    struct Entity {
        let id: Int
        var name: String
        var formerName: String?
        var parent: Int?
        var isAbstract = false
        var attributes: [Attribute] = []
        var relationships: [Relationship] = []
        var indexed: [Int] = []
        /// Attributes each of which has a uniqueness constraint.
        var unique: Set<Int> = []
    }

    /// Stands for the attribute `uid` of a root.
    static let uid = 0

    var entities: [Entity] = []
    var lastID = 0
    /// What is gone since the version before, as options name it.
    var removals: [String] = []

    mutating func newID() -> Int {
        lastID += 1
        return lastID
    }

    func index(_ id: Int) -> Int? { entities.firstIndex { $0.id == id } }
    func entity(_ id: Int) -> Entity? { entities.first { $0.id == id } }

    /// The entity itself first, its root last.
    func lineage(_ id: Int) -> [Entity] {
        var result: [Entity] = []
        var next: Int? = id
        while let current = next, let entity = entity(current) {
            result.append(entity)
            next = entity.parent
        }
        return result
    }

    func isKind(_ id: Int, of other: Int) -> Bool { lineage(id).contains { $0.id == other } }
    func attributes(_ id: Int) -> [Attribute] { lineage(id).flatMap(\.attributes) }
    func relationships(_ id: Int) -> [Relationship] { lineage(id).flatMap(\.relationships) }
    func relationship(_ id: Int) -> (owner: Entity, relationship: Relationship)? {
        for entity in entities { if let found = entity.relationships.first(where: { $0.id == id }) { return (entity, found) } }
        return nil
    }

    mutating func change(relationship id: Int, _ body: (inout Relationship) -> Void) {
        for entity in entities.indices {
            for index in entities[entity].relationships.indices where entities[entity].relationships[index].id == id {
                body(&entities[entity].relationships[index])
            }
        }
    }

    /// Every root has the attribute `uid`, which identifies objects.
    func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: entities.map { entity in
                var attributes = entity.attributes.map { attribute in
                    AttributeDescription(
                        name: attribute.name, attributeType: attribute.type, isOptional: attribute.isOptional,
                        defaultValue: attribute.defaultValue, allowsExternalBinaryDataStorage: attribute.isExternal,
                        renamingIdentifier: attribute.formerName)
                }
                if entity.parent == nil { attributes.append(AttributeDescription(name: "uid", attributeType: .integer64)) }
                return EntityDescription(
                    name: entity.name, superentityName: entity.parent.flatMap { self.entity($0)?.name }, isAbstract: entity.isAbstract,
                    attributes: attributes,
                    relationships: entity.relationships.map { relationship in
                        RelationshipDescription(
                            name: relationship.name, destinationEntityName: self.entity(relationship.destination)?.name ?? "",
                            inverseRelationshipName: relationship.inverse.flatMap { self.relationship($0)?.relationship.name },
                            isToMany: relationship.isToMany, isOrdered: relationship.isToMany && relationship.isOrdered,
                            deleteRule: .noAction, renamingIdentifier: relationship.formerName)
                    },
                    uniquenessConstraints: entity.unique.sorted().compactMap { constraint(on: $0, of: entity) },
                    indexes: entity.indexed.compactMap { id in
                        entity.attributes.first { $0.id == id }.map {
                            FetchIndexDescription(name: "by\(id)", elements: [.init(attributeName: $0.name)])
                        }
                    }, renamingIdentifier: entity.formerName)
            })
    }

    private func constraint(on id: Int, of entity: Entity) -> [String]? {
        if id == Self.uid { return entity.parent == nil ? ["uid"] : nil }
        return entity.attributes.first { $0.id == id }.map { [$0.name] }
    }

    /// The next version begins here: the present names become the former ones.
    mutating func beginVersion() {
        removals = []
        for entity in entities.indices {
            entities[entity].formerName = nil
            for index in entities[entity].attributes.indices { entities[entity].attributes[index].formerName = nil }
            for index in entities[entity].relationships.indices { entities[entity].relationships[index].formerName = nil }
        }
    }
}

/// Makes random models, and random later versions of them.
struct DraftGenerator {
    var generator: SeededGenerator
    var model = DraftModel()
    private(set) var log: [String] = []

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
    mutating func chance(_ percent: Int) -> Bool { number(1...100) <= percent }
    mutating func pick<T>(_ list: [T]) -> T? { list.randomElement(using: &generator) }

    private static let types: [AttributeType] = [
        .integer16, .integer32, .integer64, .string, .double, .boolean, .date, .binaryData, .decimal, .uri,
    ]

    mutating func value(_ type: AttributeType) -> Value {
        switch type {
        case .integer16, .integer32, .integer64: return .integer(Int64(number(-300...300)))
        case .string: return .string(pick(["", "it's", "größe", "x", "\"q\"", "Z_ENT"]) ?? "")
        case .uri: return .string("a:\(number(0...9))")
        case .double: return .double(Double(number(-9...9)) / 4)
        case .boolean: return .boolean(chance(50))
        case .date: return .date(Date(timeIntervalSinceReferenceDate: Double(number(0...1000)) / 2))
        case .binaryData: return .binary((0..<number(0...4)).map { _ in UInt8(number(0...255)) })
        case .decimal: return .decimal(DecimalNumber(significand: Int64(number(-99...99)), exponent: 0) ?? .zero)
        default: return .null
        }
    }

    private mutating func attribute() -> DraftModel.Attribute {
        let id = model.newID()
        var attribute = DraftModel.Attribute(id: id, name: "a\(id)", type: pick(Self.types) ?? .string)
        if chance(50) { attribute.defaultValue = value(attribute.type) }
        if !attribute.defaultValue.isNull, chance(50) { attribute.isOptional = false }
        if attribute.type == .binaryData { attribute.isExternal = chance(40) }
        return attribute
    }

    private mutating func addEntity(under parent: Int?) {
        let id = model.newID()
        // Names that sort before and after others, so that numbers change.
        var entity = DraftModel.Entity(id: id, name: "\(pick(["A", "K", "T"]) ?? "A")e\(id)", parent: parent)
        entity.attributes = (0..<number(0...3)).map { _ in attribute() }
        if chance(30), let first = entity.attributes.first { entity.indexed = [first.id] }
        model.entities.append(entity)
    }

    private mutating func addRelationship() {
        guard let owner = pick(Array(model.entities.indices)), let destination = pick(Array(model.entities.indices)) else { return }
        let id = model.newID()
        var relationship = DraftModel.Relationship(
            id: id, name: "r\(id)", destination: model.entities[destination].id, isToMany: chance(60), isOrdered: chance(40))
        if chance(75) {
            let inverseID = model.newID()
            relationship.inverse = inverseID
            let inverse = DraftModel.Relationship(
                id: inverseID, name: "i\(inverseID)", destination: model.entities[owner].id, inverse: id, isToMany: chance(60),
                isOrdered: chance(40))
            model.entities[destination].relationships.append(inverse)
        }
        model.entities[owner].relationships.append(relationship)
    }

    mutating func makeFirst() {
        for _ in 0..<number(2...5) { addEntity(under: chance(45) ? pick(model.entities.map(\.id)) : nil) }
        for _ in 0..<number(1...5) { addRelationship() }
        if chance(30),
            let parent = pick(
                model.entities.indices.filter { index in
                    model.entities.contains { $0.parent == model.entities[index].id }
                })
        {
            model.entities[parent].isAbstract = true
        }
        for index in model.entities.indices where model.entities[index].parent == nil && chance(25) {
            model.entities[index].unique = [DraftModel.uid]
        }
    }

    mutating func makeNext() {
        model.beginVersion()
        for _ in 0..<number(1...5) { mutate() }
    }

    private mutating func mutate() {
        let choice = number(0...19)
        guard let index = pick(Array(model.entities.indices)) else { return }
        let entity = model.entities[index]
        let attributeIndex = pick(Array(entity.attributes.indices))
        let relationship = pick(entity.relationships)
        switch choice {
        case 0, 1: model.entities[index].attributes.append(attribute())
        case 2:
            guard let attributeIndex else { return }
            remove(attribute: attributeIndex, of: index)
        case 3:
            guard let attributeIndex, entity.attributes[attributeIndex].formerName == nil else { return }
            rename(attribute: attributeIndex, of: index)
        case 4:
            guard entity.formerName == nil, !isNew(entity.name) else { return }
            model.entities[index].formerName = entity.name
            model.entities[index].name = "\(pick(["B", "M", "Z"]) ?? "B")n\(model.newID())"
        case 5: addEntity(under: chance(60) ? entity.id : nil)
        case 6: remove(entity: index)
        case 7, 8: move(index)
        case 9:
            guard let attributeIndex else { return }
            var attribute = entity.attributes[attributeIndex]
            if attribute.isOptional, attribute.defaultValue.isNull { attribute.defaultValue = value(attribute.type) }
            attribute.isOptional.toggle()
            model.entities[index].attributes[attributeIndex] = attribute
        case 10: if let relationship { model.change(relationship: relationship.id) { $0.isOrdered.toggle() } }
        case 11: if let relationship { model.change(relationship: relationship.id) { $0.isToMany.toggle() } }
        case 12: addRelationship()
        case 13: if let relationship { remove(relationship: relationship.id) }
        case 14:
            // Up the hierarchy.
            guard let attributeIndex, let parent = entity.parent.flatMap({ model.index($0) }) else { return }
            let attribute = model.entities[index].attributes.remove(at: attributeIndex)
            model.entities[index].indexed = []
            model.entities[index].unique.formIntersection([DraftModel.uid])
            model.entities[parent].attributes.append(attribute)
        case 15:
            // Down the hierarchy.
            guard let attributeIndex, let child = pick(model.entities.indices.filter({ model.entities[$0].parent == entity.id })) else {
                return
            }
            let attribute = model.entities[index].attributes.remove(at: attributeIndex)
            model.entities[index].indexed = []
            model.entities[index].unique.formIntersection([DraftModel.uid])
            model.entities[child].attributes.append(attribute)
        case 18, 19:
            if entity.parent == nil, chance(40) { return toggleConstraint(on: DraftModel.uid, of: index) }
            guard let attributeIndex, Self.constrained.contains(entity.attributes[attributeIndex].type) else { return }
            toggleConstraint(on: entity.attributes[attributeIndex].id, of: index)
        case 16:
            guard let relationship else { return }
            if let inverse = relationship.inverse {
                model.change(relationship: relationship.id) { $0.inverse = nil }
                model.change(relationship: inverse) { $0.inverse = nil }
            } else if let parent = model.entity(relationship.destination)?.parent {
                model.change(relationship: relationship.id) { $0.destination = parent }
            }
        default:
            guard let attributeIndex else { return }
            var attribute = entity.attributes[attributeIndex]
            switch attribute.type {
            case .integer16: attribute.type = .integer32
            case .integer32: attribute.type = chance(50) ? .integer64 : .decimal
            case .uri: attribute.type = .string
            case .binaryData: attribute.isExternal.toggle()
            default: return
            }
            if !attribute.defaultValue.isNull { attribute.defaultValue = value(attribute.type) }
            model.entities[index].attributes[attributeIndex] = attribute
        }
    }

    /// Types whose values are compared by what the column holds.
    private static let constrained: Set<AttributeType> = [.integer16, .integer32, .integer64, .string, .uri, .double, .boolean, .date]

    private mutating func toggleConstraint(on id: Int, of index: Int) {
        if model.entities[index].unique.remove(id) == nil { model.entities[index].unique.insert(id) }
    }

    private func isNew(_ name: String) -> Bool { false }

    private mutating func rename(attribute: Int, of index: Int) {
        model.entities[index].attributes[attribute].formerName = model.entities[index].attributes[attribute].name
        model.entities[index].attributes[attribute].name = "n\(model.newID())"
    }

    private mutating func remove(attribute: Int, of index: Int) {
        model.entities[index].attributes.remove(at: attribute)
        model.entities[index].indexed = []
        model.entities[index].unique.formIntersection([DraftModel.uid])
    }

    private mutating func remove(relationship id: Int) {
        let inverse = model.relationship(id)?.relationship.inverse
        for index in model.entities.indices { model.entities[index].relationships.removeAll { $0.id == id || $0.id == inverse } }
    }

    private mutating func remove(entity index: Int) {
        let id = model.entities[index].id
        guard model.entities.count > 2, !model.entities.contains(where: { $0.parent == id }) else { return }
        for relationship in model.entities.flatMap(\.relationships) where relationship.destination == id {
            remove(relationship: relationship.id)
        }
        for relationship in model.entities[index].relationships { remove(relationship: relationship.id) }
        model.entities.remove(at: index)
    }

    /// To another place in the inheritance tree.
    private mutating func move(_ index: Int) {
        let id = model.entities[index].id
        let places = model.entities.map(\.id).filter { !model.isKind($0, of: id) }
        model.entities[index].parent = chance(40) ? nil : pick(places)
    }
}
