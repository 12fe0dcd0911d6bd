import Pinview

/// The model of the random stacks, as a table, from which the library's model is made, and which
/// the naive model uses.
enum StackSchema {
    struct Relationship {
        let name: String
        let entity: String
        let destination: String
        var inverse: String?
        var isToMany = false
        var isOrdered = false
        var rule = DeleteRule.nullify
    }

    /// One of every kind: to-one and to-many, many-to-many, ordered, self-referencing, its own
    /// inverse, between sub-entities, without an inverse, and each delete rule.
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
        Relationship(name: "tags", entity: "Person", destination: "Tag", inverse: "owner", isToMany: true),
        Relationship(name: "owner", entity: "Tag", destination: "Person", inverse: "tags"),
        Relationship(name: "things", entity: "Tray", destination: "Note", isToMany: true),
    ]

    static let parents = ["Employee": "Person"]
    /// `code` of a Tag is unique.
    static let attributes = ["name", "age", "code"]

    /// Records are numbers, which determine the record's entity.
    private static let entityOfNumber =
        Array(repeating: "Person", count: 5) + Array(repeating: "Employee", count: 3) + ["Department", "Department", "Club", "Club"]
        + Array(repeating: "Task", count: 4) + ["Note", "Note", "Badge", "Badge"] + Array(repeating: "Tag", count: 4) + ["Tray", "Tray"]
    static let period = entityOfNumber.count
    static func entity(_ number: Int) -> String { entityOfNumber[number % period] }
    static let entities = ["Person", "Employee", "Department", "Club", "Task", "Note", "Badge", "Tag", "Tray"]

    static func root(_ entity: String) -> String { parents[entity] ?? entity }
    static func isKind(_ entity: String, of other: String) -> Bool { entity == other || parents[entity] == other }
    static func relationships(of entity: String) -> [Relationship] { byEntity[entity] ?? [] }
    static func relationship(_ name: String, of entity: String) -> Relationship? { relationships(of: entity).first { $0.name == name } }

    private static let byEntity = Dictionary(
        uniqueKeysWithValues: entities.map { entity in (entity, relationships.filter { isKind(entity, of: $0.entity) }) })

    static func inverse(of relationship: Relationship) -> Relationship? {
        relationships.first { $0.name == relationship.inverse && $0.entity == relationship.destination }
    }

    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: entities.map { entity in
                EntityDescription(
                    name: entity, superentityName: parents[entity],
                    attributes: parents[entity] != nil
                        ? []
                        : [
                            AttributeDescription(name: "name", attributeType: .string),
                            AttributeDescription(name: "age", attributeType: .integer64, defaultValue: 0),
                            AttributeDescription(name: "code", attributeType: .string),
                        ],
                    relationships: relationships.filter { $0.entity == entity }.map {
                        RelationshipDescription(
                            name: $0.name, destinationEntityName: $0.destination, inverseRelationshipName: $0.inverse,
                            isToMany: $0.isToMany, isOrdered: $0.isOrdered, deleteRule: $0.rule)
                    },
                    uniquenessConstraints: entity == "Tag" ? [["code"]] : [])
            })
    }
}

/// One record as a context shows it or a file holds it; other records are named by their numbers.
struct StackRow: Equatable {
    var entity: String
    var attributes: [String: Value] = ["name": .null, "age": .integer(0), "code": .null]
    var toOne: [String: Int] = [:]
    /// In order; those of an unordered relationship are sorted.
    var toMany: [String: [Int]] = [:]
    /// How often the row has been written.
    var version: Int64 = 0

    init(entity: String) {
        self.entity = entity
        for relationship in StackSchema.relationships(of: entity) where relationship.isToMany { toMany[relationship.name] = [] }
    }

    /// What both rows differ in.
    func differences(from other: StackRow) -> [String] {
        StackSchema.attributes.filter { attributes[$0] != other.attributes[$0] }
            + StackSchema.relationships(of: entity).map(\.name).filter {
                toOne[$0] != other.toOne[$0] || toMany[$0] != other.toMany[$0]
            }
    }
}

typealias StackGraph = [Int: StackRow]
