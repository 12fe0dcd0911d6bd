import Pinview

/// The model of the random test, as a table, from which the library's model is made, and which the
/// naive model uses.
enum NaiveSchema {
    struct Relationship {
        let name: String
        let entity: String
        let destination: String
        let inverse: String
        var isToMany = false
        var isOrdered = false
        var rule = DeleteRule.nullify
    }

    /// One of every kind: to-one and to-many, many-to-many, ordered, self-referencing, its own
    /// inverse, to a sub-entity, and each delete rule.
    static let relationships: [Relationship] = [
        Relationship(name: "spouse", entity: "Person", destination: "Person", inverse: "spouse"),
        Relationship(name: "friends", entity: "Person", destination: "Person", inverse: "friends", isToMany: true),
        Relationship(name: "boss", entity: "Person", destination: "Person", inverse: "staff"),
        Relationship(name: "staff", entity: "Person", destination: "Person", inverse: "boss", isToMany: true),
        Relationship(name: "clubs", entity: "Person", destination: "Club", inverse: "members", isToMany: true),
        Relationship(name: "members", entity: "Club", destination: "Person", inverse: "clubs", isToMany: true, isOrdered: true),
        Relationship(
            name: "tasks", entity: "Person", destination: "Task", inverse: "assignee", isToMany: true, isOrdered: true, rule: .cascade),
        Relationship(name: "assignee", entity: "Task", destination: "Person", inverse: "tasks"),
        Relationship(name: "parts", entity: "Task", destination: "Task", inverse: "whole", isToMany: true, rule: .cascade),
        Relationship(name: "whole", entity: "Task", destination: "Task", inverse: "parts"),
        Relationship(name: "notes", entity: "Person", destination: "Note", inverse: "subject", isToMany: true, rule: .noAction),
        Relationship(name: "subject", entity: "Note", destination: "Person", inverse: "notes"),
        Relationship(name: "badge", entity: "Employee", destination: "Badge", inverse: "holder", rule: .cascade),
        Relationship(name: "holder", entity: "Badge", destination: "Employee", inverse: "badge"),
        Relationship(name: "department", entity: "Employee", destination: "Department", inverse: "employees"),
        Relationship(
            name: "employees", entity: "Department", destination: "Employee", inverse: "department", isToMany: true, rule: .deny),
    ]

    static let parents = ["Employee": "Person"]
    static let entities = ["Person", "Employee", "Club", "Task", "Note", "Badge", "Department"]
    /// Every entity has them; `number` is the record's name in the test and never changes.
    static let attributes = ["number", "name", "age"]

    static func isKind(_ entity: String, of other: String) -> Bool { entity == other || parents[entity] == other }

    static func relationships(of entity: String) -> [Relationship] {
        relationships.filter { isKind(entity, of: $0.entity) }
    }

    static func inverse(of relationship: Relationship) -> Relationship {
        relationships.first { $0.name == relationship.inverse && $0.entity == relationship.destination } ?? relationship
    }

    static func model(hooks: EntityHooks? = nil) throws -> ManagedObjectModel {
        let model = try ManagedObjectModel(
            entities: entities.map { entity in
                EntityDescription(
                    name: entity, superentityName: parents[entity],
                    attributes: parents[entity] != nil
                        ? []
                        : [
                            AttributeDescription(name: "number", attributeType: .integer64),
                            AttributeDescription(name: "name", attributeType: .string),
                            AttributeDescription(name: "age", attributeType: .integer64, defaultValue: 0),
                        ],
                    relationships: relationships.filter { $0.entity == entity }.map {
                        RelationshipDescription(
                            name: $0.name, destinationEntityName: $0.destination, inverseRelationshipName: $0.inverse,
                            isToMany: $0.isToMany,
                            isOrdered: $0.isOrdered, deleteRule: $0.rule)
                    })
            })
        for entity in entities where hooks != nil && parents[entity] == nil { try model.setHooks(hooks, forEntityNamed: entity) }
        return model
    }
}

/// The actions of the random test's hooks on objects, and the same on rows of the naive model.
enum NaiveHooks {
    static let entityHooks: EntityHooks = {
        var hooks = EntityHooks()
        hooks.awakeFromInsert = { try $0.setAttributeValue(.integer(bornAge), forKey: "age") }
        hooks.prepareForDeletion = { try $0.setAttributeValue(.string(lastName), forKey: "name") }
        hooks.willSave = { object in
            guard !object.isDeleted, try object.attributeValue(forKey: "name") == .string(draft) else { return }
            try object.setAttributeValue(.string(fair), forKey: "name")
        }
        return hooks
    }()

    /// A new object is of this age.
    static let bornAge: Int64 = 1
    /// An object that is deleted has this name.
    static let lastName = "late"
    /// A save turns the one name into the other.
    static let draft = "ann", fair = "anna"
}

/// One record: its values and, on both sides, its relationships, by the numbers of the records.
struct NaiveRow: Equatable {
    var entity: String
    var attributes: [String: Value]
    var toOne: [String: Int] = [:]
    /// In order; those of an unordered relationship are sorted.
    var toMany: [String: [Int]] = [:]

    init(entity: String) {
        self.entity = entity
        attributes = ["number": .null, "name": .null, "age": .integer(0)]
        for relationship in NaiveSchema.relationships(of: entity) where relationship.isToMany { toMany[relationship.name] = [] }
    }

    /// The content of the record's own columns.
    func hasSameColumns(as other: NaiveRow) -> Bool { attributes == other.attributes && toOne == other.toOne }

    mutating func add(_ member: Int, to relationship: NaiveSchema.Relationship, at index: Int? = nil) {
        var members = toMany[relationship.name] ?? []
        guard !members.contains(member) else { return }
        members.insert(member, at: min(index ?? members.count, members.count))
        toMany[relationship.name] = relationship.isOrdered ? members : members.sorted()
    }

    mutating func remove(_ member: Int, from relationship: NaiveSchema.Relationship) {
        toMany[relationship.name]?.removeAll { $0 == member }
    }

    var isRelated: Bool { !toOne.isEmpty || toMany.values.contains { !$0.isEmpty } }
}

typealias NaiveGraph = [Int: NaiveRow]

extension NaiveGraph {
    /// Whether both have the same records, related in the same way.
    func hasSameShape(as other: NaiveGraph) -> Bool {
        count == other.count
            && allSatisfy { number, row in other[number].map { $0.toOne == row.toOne && $0.toMany == row.toMany } ?? false }
    }
}
