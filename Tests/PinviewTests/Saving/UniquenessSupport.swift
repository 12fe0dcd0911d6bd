import Pinview
import XCTest

/// A stack whose people have unique mail addresses and phone numbers.
class UniquenessTestCase: StackTestCase {
    static func attribute(_ name: String, _ type: AttributeType = .string, default value: Value = .null) -> AttributeDescription {
        AttributeDescription(name: name, attributeType: type, defaultValue: value)
    }

    private static func relationship(
        _ name: String, _ destination: String, _ inverse: String?, isToMany: Bool = false
    ) -> RelationshipDescription {
        RelationshipDescription(name: name, destinationEntityName: destination, inverseRelationshipName: inverse, isToMany: isToMany)
    }

    override func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Person",
                attributes: [
                    Self.attribute("mail"), Self.attribute("phone", .integer64), Self.attribute("name"),
                    Self.attribute("age", .integer64, default: 0),
                ],
                relationships: [
                    Self.relationship("cars", "Car", "owner", isToMany: true), Self.relationship("home", "City", "people"),
                    Self.relationship("tags", "Tag", "people", isToMany: true), Self.relationship("passport", "Passport", "holder"),
                ], uniquenessConstraints: [["mail"], ["phone"]]),
            EntityDescription(
                name: "Employee", superentityName: "Person", attributes: [Self.attribute("number", .integer64)],
                uniquenessConstraints: [["name", "number"]]),
            EntityDescription(
                name: "Car", attributes: [Self.attribute("plate"), Self.attribute("colour")],
                relationships: [Self.relationship("owner", "Person", "cars")], uniquenessConstraints: [["owner", "plate"]]),
            EntityDescription(
                name: "City", attributes: [Self.attribute("name")],
                relationships: [Self.relationship("people", "Person", "home", isToMany: true)]),
            EntityDescription(
                name: "Tag", attributes: [Self.attribute("name")],
                relationships: [Self.relationship("people", "Person", "tags", isToMany: true)]),
            EntityDescription(
                name: "Passport", attributes: [Self.attribute("name")],
                relationships: [Self.relationship("holder", "Person", "passport")]),
        ])
    }

    override func prepareStore() throws {}

    static let policies: [MergePolicy] = [.mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .overwrite, .rollback]

    @discardableResult
    func insert(_ entity: String = "Person", _ values: [String: Value], in context: ManagedObjectContext? = nil) throws -> ManagedObject {
        let target: ManagedObjectContext = context ?? self.context
        let object = try target.insertNewObject(forEntityName: entity)
        for (key, value) in values.sorted(by: { $0.key < $1.key }) { try object.setAttributeValue(value, forKey: key) }
        return object
    }

    /// Saves people through the second context, so that the first has no objects for them.
    @discardableResult
    func store(_ rows: [String: Value]...) throws -> [ManagedObjectID] {
        let people = try rows.map { try insert($0, in: other) }
        try other.save()
        let identifiers = people.map(\.objectID)
        try other.reset()
        return identifiers
    }

    @discardableResult
    func insert(_ values: [String: Value], in context: ManagedObjectContext? = nil) throws -> ManagedObject {
        try insert("Person", values, in: context)
    }

    func storedPeople() throws -> String { try sqlite3("SELECT ZMAIL, ZPHONE, ZNAME, ZAGE FROM ZPERSON ORDER BY Z_PK") }
}
