import Pinview
import XCTest

/// Deleting, and its effect on related objects: REL-06 to REL-10.
final class DeleteRuleTests: StackTestCase {
    /// A Folder that holds folders (cascade), each with a label (nullify), a lock (deny) and a note
    /// (no action).
    override func model() throws -> ManagedObjectModel {
        let name = AttributeDescription(name: "name", attributeType: .string)
        return try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Folder", attributes: [name],
                relationships: [
                    RelationshipDescription(
                        name: "children", destinationEntityName: "Folder", inverseRelationshipName: "parent", isToMany: true,
                        deleteRule: .cascade),
                    RelationshipDescription(name: "parent", destinationEntityName: "Folder", inverseRelationshipName: "children"),
                    RelationshipDescription(name: "label", destinationEntityName: "Label", inverseRelationshipName: "folders"),
                    RelationshipDescription(name: "cover", destinationEntityName: "Label", inverseRelationshipName: "covers"),
                    RelationshipDescription(
                        name: "locks", destinationEntityName: "Lock", inverseRelationshipName: "folder", isToMany: true, deleteRule: .deny),
                    RelationshipDescription(
                        name: "notes", destinationEntityName: "Note", inverseRelationshipName: "folder", isToMany: true,
                        deleteRule: .noAction),
                ]),
            EntityDescription(
                name: "Label", attributes: [name],
                relationships: [
                    RelationshipDescription(
                        name: "folders", destinationEntityName: "Folder", inverseRelationshipName: "label", isToMany: true),
                    RelationshipDescription(
                        name: "covers", destinationEntityName: "Folder", inverseRelationshipName: "cover", isToMany: true),
                ]),
            EntityDescription(
                name: "Lock", attributes: [name],
                relationships: [RelationshipDescription(name: "folder", destinationEntityName: "Folder", inverseRelationshipName: "locks")]),
            EntityDescription(
                name: "Note", attributes: [name],
                relationships: [RelationshipDescription(name: "folder", destinationEntityName: "Folder", inverseRelationshipName: "notes")]),
        ])
    }

    /// top holds middle, which holds bottom; all have the label red.
    override func prepareStore() throws {
        let context = try makeContext(coordinator)
        let label = try context.insertNewObject(forEntityName: "Label")
        try label.setValue("red", forKey: "name")
        var parent: ManagedObject?
        for name in ["top", "middle", "bottom"] {
            let folder = try context.insertNewObject(forEntityName: "Folder")
            try folder.setValue(name, forKey: "name")
            try folder.setRelatedObject(label, forKey: "label")
            try folder.setRelatedObject(parent, forKey: "parent")
            parent = folder
        }
        try context.save()
    }

    private func folder(_ name: String) throws -> ManagedObject {
        try XCTUnwrap(try context.fetch(FetchRequest("Folder", "name == %@", name)).first)
    }

    private func label() throws -> ManagedObject { try XCTUnwrap(try context.fetch(FetchRequest(entityName: "Label")).first) }

    func test_REL_06_nullifyTakesTheObjectOutOfItsRelatedObjects() throws {
        let label = try label(), bottom = try folder("bottom"), middle = try folder("middle")
        XCTAssertEqual(try label.countOfRelatedObjects(forKey: "folders"), 3)
        XCTAssertEqual(try middle.relatedObjects(forKey: "children"), [bottom])
        try context.delete(bottom)
        try context.processPendingChanges()
        XCTAssertEqual(try label.countOfRelatedObjects(forKey: "folders"), 2)
        XCTAssertEqual(try middle.relatedObjects(forKey: "children"), [])
        try context.save()
        XCTAssertEqual(try storedNames("Folder"), ["middle", "top"])
    }

    func test_REL_06_nullifySetsToOneInversesToNil() throws {
        let label = try label(), top = try folder("top")
        XCTAssertEqual(try top.relatedObject(forKey: "label"), label)
        try context.delete(label)
        try context.processPendingChanges()
        XCTAssertNil(try top.relatedObject(forKey: "label"))
        try context.save()
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZFOLDER WHERE ZLABEL IS NOT NULL"), "0")
    }

    func test_REL_06_cascadeDeletesThroughAnyDepth() throws {
        try context.delete(try folder("top"))
        try context.processPendingChanges()
        XCTAssertEqual(context.deletedObjects.count, 3)
        try context.save()
        XCTAssertEqual(try storedNames("Folder"), [])
        XCTAssertEqual(try storedNames("Label"), ["red"])
    }

    func test_REL_07_denyMakesTheSaveFailAsLongAsObjectsAreRelated() throws {
        let bottom = try folder("bottom")
        let lock = try context.insertNewObject(forEntityName: "Lock")
        try lock.setRelatedObject(bottom, forKey: "folder")
        try context.save()
        try context.delete(bottom)
        let error = assertError(.relationshipDeniedDelete, try context.save())
        XCTAssertEqual(error?.code, 1600)
        XCTAssertEqual(error?.affectedObjectIDs, [bottom.objectID])
        XCTAssertEqual(context.deletedObjects, [bottom])
        try context.delete(lock)
        try context.save()
        XCTAssertEqual(try storedNames("Folder"), ["middle", "top"])
    }

    func test_REL_07_noActionLeavesTheRelatedObjectsAsTheyAre() throws {
        let bottom = try folder("bottom")
        let note = try context.insertNewObject(forEntityName: "Note")
        try note.setRelatedObject(bottom, forKey: "folder")
        try context.save()
        try context.delete(bottom)
        try context.save()
        XCTAssertEqual(try sqlite3("SELECT ZFOLDER IS NOT NULL FROM ZNOTE"), "1")
        XCTAssertFalse(note.hasChanges)
    }

    func test_REL_08_deletesArePropagatedAtProcessPendingChanges() throws {
        let middle = try folder("middle"), bottom = try folder("bottom")
        try context.delete(middle)
        try context.processPendingChanges()
        XCTAssertEqual(context.deletedObjects, [middle, bottom])
    }

    func test_REL_08_deletesArePropagatedAtTheEndOfTheEvent() throws {
        let middle = try folder("middle"), bottom = try folder("bottom")
        try context.performAndWait { try context.delete(middle) }
        XCTAssertEqual(context.deletedObjects, [middle, bottom])
    }

    func test_REL_09_withoutTheSettingDeletesArePropagatedInTheSave() throws {
        context.propagatesDeletesAtEndOfEvent = false
        let middle = try folder("middle")
        try context.performAndWait { try context.delete(middle) }
        try context.processPendingChanges()
        XCTAssertEqual(context.deletedObjects, [middle])
        try context.save()
        XCTAssertEqual(try storedNames("Folder"), ["top"])
    }

    func test_REL_10_aNewObjectThatIsDeletedIsNotWritten() throws {
        let parent = try context.insertNewObject(forEntityName: "Folder")
        let child = try context.insertNewObject(forEntityName: "Folder")
        try child.setRelatedObject(parent, forKey: "parent")
        try child.setRelatedObject(try label(), forKey: "label")
        try context.delete(parent)
        try context.processPendingChanges()
        XCTAssertTrue(context.insertedObjects.isEmpty)
        XCTAssertFalse(context.registeredObjects.contains(parent))
        let before = try sqlite3("SELECT count(*) FROM ZFOLDER")
        try context.save()
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZFOLDER"), before)
        XCTAssertFalse(context.hasChanges)
    }

    func test_REL_10_nothingIsWrittenForItAtAll() throws {
        try context.delete(try context.insertNewObject(forEntityName: "Folder"))
        XCTAssertEqual(try logged { try context.save() }.filter { $0.contains("INSERT") || $0.contains("COMMIT") }, [])
    }
}
