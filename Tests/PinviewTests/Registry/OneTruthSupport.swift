import Pinview
import XCTest

/// A test with a model that has every kind of relationship, and some departments and people stored.
class OneTruthTestCase: StoreTestCase {
    private(set) var coordinator: PersistentStoreCoordinator!

    override func setUpWithError() throws {
        try super.setUpWithError()
        coordinator = try makeCoordinator(try model(), options: ["NSPersistentHistoryTrackingKey": true])
        let context = try makeContext(coordinator)
        for name in ["d1", "d2", "d3"] { try context.insert("Department", name) }
        for name in ["p", "q", "r"] { try context.insert("Person", name) }
        for name in ["red", "blue"] { try context.insert("Tag", name) }
        for name in ["b1", "b2"] { try context.insert("Box", name) }
        for name in ["t1", "t2", "t3"] { try context.insert("Thing", name) }
        try context.save()
    }

    override func tearDownWithError() throws {
        coordinator = nil
        try super.tearDownWithError()
    }

    func model() throws -> ManagedObjectModel {
        func entity(_ name: String, _ relationships: [RelationshipDescription]) -> EntityDescription {
            EntityDescription(
                name: name,
                attributes: [
                    AttributeDescription(name: "name", attributeType: .string), AttributeDescription(name: "note", attributeType: .string),
                ], relationships: relationships)
        }
        func relationship(
            _ name: String, _ destination: String, _ inverse: String?, toMany: Bool = false, ordered: Bool = false
        ) -> RelationshipDescription {
            RelationshipDescription(
                name: name, destinationEntityName: destination, inverseRelationshipName: inverse, isToMany: toMany, isOrdered: ordered)
        }
        return try ManagedObjectModel(entities: [
            entity(
                "Department",
                [
                    relationship("staff", "Person", "dept", toMany: true),
                    relationship("queue", "Person", "waitsAt", toMany: true, ordered: true),
                    relationship("tags", "Tag", "departments", toMany: true),
                    relationship("ranking", "Tag", "rankedBy", toMany: true, ordered: true),
                    relationship("head", "Person", "heads"),
                ]),
            entity(
                "Person",
                [
                    relationship("dept", "Department", "staff"), relationship("waitsAt", "Department", "queue"),
                    relationship("heads", "Department", "head"), relationship("boss", "Person", "reports"),
                    relationship("reports", "Person", "boss", toMany: true), relationship("friends", "Person", "friends", toMany: true),
                ]),
            entity(
                "Tag",
                [
                    relationship("departments", "Department", "tags", toMany: true),
                    relationship("rankedBy", "Department", "ranking", toMany: true),
                ]),
            entity(
                "Box",
                [relationship("things", "Thing", nil, toMany: true), relationship("list", "Thing", nil, toMany: true, ordered: true)]),
            entity("Thing", []),
        ])
    }

    func makeChild(of parent: ManagedObjectContext) throws -> ManagedObjectContext {
        let child = ManagedObjectContext(concurrencyType: .privateQueue)
        try child.setParent(parent)
        addTeardownBlock { [weak child] in XCTAssertEqual(child?.checkInvariants() ?? [], []) }
        return child
    }

    /// The names of an object's members in a context that has read nothing yet.
    func stored(_ name: String, _ key: String, _ entityName: String = "Department") throws -> [String] {
        let context = try makeContext(coordinator)
        return try withExtendedLifetime(context) { try context.one(name, entityName).members(key) }
    }

    func merge(_ notification: PinviewNotification?, into context: ManagedObjectContext) throws {
        try context.mergeChanges(fromContextDidSave: try XCTUnwrap(notification))
    }

    /// Saves a context, and gives its did-save notification.
    func saved(_ context: ManagedObjectContext) throws -> PinviewNotification {
        let box = NotificationBox()
        let observer = PinviewNotificationCenter.default.addObserver(forName: .didSave, object: context) { box.notification = $0 }
        defer { PinviewNotificationCenter.default.removeObserver(observer) }
        try context.save()
        return try XCTUnwrap(box.notification)
    }
}

final class NotificationBox: @unchecked Sendable {  // set and read by one thread
    var notification: PinviewNotification?
}

extension ManagedObjectContext {
    @discardableResult
    func insert(_ entityName: String, _ name: String) throws -> ManagedObject {
        let object = try insertNewObject(forEntityName: entityName)
        try object.setValue(name, forKey: "name")
        return object
    }

    func one(_ name: String, _ entityName: String) throws -> ManagedObject {
        try XCTUnwrap(try fetch(FetchRequest(entityName, "name == %@", name)).first, "\(entityName) \(name)")
    }

    func department(_ name: String) throws -> ManagedObject { try one(name, "Department") }
    func member(_ name: String) throws -> ManagedObject { try one(name, "Person") }
    func tag(_ name: String) throws -> ManagedObject { try one(name, "Tag") }
    func box(_ name: String) throws -> ManagedObject { try one(name, "Box") }
    func thing(_ name: String) throws -> ManagedObject { try one(name, "Thing") }
}

extension ManagedObject {
    /// The names of the members of a relationship: in their order if it has one, else sorted.
    func members(_ key: String) throws -> [String] {
        let names = try relatedObjects(forKey: key).map { try $0.attributeValue(forKey: "name").stringValue ?? "nil" }
        return try property(forKey: key).isOrdered ? names : names.sorted()
    }

    func destination(_ key: String) throws -> String? { try relatedObject(forKey: key)?.attributeValue(forKey: "name").stringValue }
}
