import Pinview
import XCTest

/// Relationships of objects that are deleted, gone from the store or out of their context, in every
/// kind of relationship and with every function that relates objects: ONE-02.
final class DeletedEndsTests: StackTestCase {
    private static let relationships = StackSchema.relationships

    override func model() throws -> ManagedObjectModel { try StackSchema.model() }
    override func prepareStore() throws {}

    /// A way to relate an object to another one.
    private typealias Way = (name: String, relate: (ManagedObject, ManagedObject) throws -> Void)

    private func waysToRelate(_ relationship: StackSchema.Relationship) -> [Way] {
        let key = relationship.name
        guard relationship.isToMany else { return [("setRelatedObject", { try $0.setRelatedObject($1, forKey: key) })] }
        var ways: [Way] = [
            ("setRelatedObjects", { try $0.setRelatedObjects([$1], forKey: key) }),
            ("addRelatedObject", { try $0.addRelatedObject($1, forKey: key) }),
        ]
        if relationship.isOrdered { ways.append(("insertRelatedObject", { try $0.insertRelatedObject($1, at: 0, forKey: key) })) }
        return ways
    }

    /// Relates a pair of objects, one of which `leave` takes away before, in all ways, and looks at
    /// the file after a save.
    private func assertRefusals(isSaved: Bool, _ leave: (ManagedObject) throws -> Void) throws {
        for relationship in Self.relationships {
            for way in waysToRelate(relationship) {
                for isOwnerGone in [true, false] {
                    let what = "\(relationship.entity).\(relationship.name), \(way.name), \(isOwnerGone ? "from" : "to") what is gone"
                    let owner = try context.insertNewObject(forEntityName: relationship.entity)
                    let destination = try context.insertNewObject(forEntityName: relationship.destination)
                    if isSaved { try context.save() }
                    let (leaving, staying) = isOwnerGone ? (owner, destination) : (destination, owner)
                    try leave(leaving)

                    let error = assertError(.invalidArgument, try way.relate(owner, destination))

                    XCTAssertEqual(error?.affectedObjectIDs, [leaving.objectID], what)
                    XCTAssertEqual(try related(staying), [], what)
                    try context.save()
                    XCTAssertEqual(try related(staying), [], what)
                    try context.delete(staying)
                    try context.save()
                }
            }
        }
        let file = try StackFile(path: path("store.sqlite")).graph { _, _ in 0 }
        XCTAssertEqual(file, [:])
    }

    /// All that an object is related to.
    private func related(_ object: ManagedObject) throws -> [ManagedObject] {
        try StackSchema.relationships(of: object.entity.name).flatMap { relationship in
            relationship.isToMany
                ? try object.relatedObjects(forKey: relationship.name)
                : try object.relatedObject(forKey: relationship.name).map { [$0] } ?? []
        }
    }

    func test_ONE_02_deletedObjectsAreNotRelated() throws {
        try assertRefusals(isSaved: true) { try context.delete($0) }
    }

    func test_ONE_02_deletedObjectsAreNotRelatedAfterTheirRulesHaveRun() throws {
        try assertRefusals(isSaved: true) { object in
            try context.delete(object)
            try context.processPendingChanges()
        }
    }

    func test_ONE_02_newObjectsThatWereDeletedAreNotRelated() throws {
        try assertRefusals(isSaved: false) { try context.delete($0) }
    }

    func test_ONE_02_objectsWhoseRowIsGoneAreNotRelated() throws {
        try assertRefusals(isSaved: true) { object in
            try context.refresh(object, mergeChanges: false)
            try other.delete(try other.object(with: object.objectID))
            try other.save()
            _ = try object.attributeValue(forKey: "name")
            XCTAssertTrue(object.isDeleted)
        }
    }

    /// Relating reads the partners, and that may show that the object itself is gone.
    func test_ONE_02_anObjectThatTurnsOutToBeGoneOnTheWayIsNotRelated() throws {
        let child = ManagedObjectContext(concurrencyType: .privateQueue)
        try child.setParent(context)
        let one = try context.insertNewObject(forEntityName: "Person"), other = try context.insertNewObject(forEntityName: "Person")
        let third = try context.insertNewObject(forEntityName: "Person")
        let (ownOne, ownOther, ownThird) = (
            try child.object(with: one.objectID), try child.object(with: other.objectID), try child.object(with: third.objectID)
        )
        try ownOne.setRelatedObject(ownOther, forKey: "spouse")
        try child.save()
        try other.setRelatedObject(third, forKey: "spouse")
        try context.delete(one)
        try context.processPendingChanges()

        let error = assertError(.invalidArgument, try ownOne.setRelatedObject(ownThird, forKey: "spouse"))

        XCTAssertEqual(error?.affectedObjectIDs, [ownOne.objectID])
        XCTAssertTrue(try ownThird.relatedObject(forKey: "spouse") === ownOther)
        XCTAssertTrue(ownOne.isDeleted)
    }
}
