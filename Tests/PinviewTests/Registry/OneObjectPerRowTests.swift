import Pinview
import XCTest

/// One live object for one row, also after an ancestor gave the row its permanent key: ONE-01.
final class OneObjectPerRowTests: OneTruthTestCase {
    private var root: ManagedObjectContext!
    /// The root, a child, a grandchild, a great-grandchild.
    private var chain: [ManagedObjectContext] = []

    override func setUpWithError() throws {
        try super.setUpWithError()
        root = try makeContext(coordinator)
        chain = [root]
        for _ in 0..<3 { chain.append(try makeChild(of: chain[chain.count - 1])) }
    }

    override func tearDownWithError() throws {
        chain = []
        root = nil
        try super.tearDownWithError()
    }

    /// Saves a context and all above it.
    private func saveAll(from depth: Int) throws {
        for context in chain[0...depth].reversed() { try context.save() }
    }

    private func makePair(at depth: Int) throws -> (dept: ManagedObject, person: ManagedObject) {
        let dept = try chain[depth].insert("Department", "new"), person = try chain[depth].insert("Person", "anna")
        try person.setRelatedObject(dept, forKey: "dept")
        try person.setRelatedObject(dept, forKey: "waitsAt")
        let tag = try chain[depth].insert("Tag", "green")
        try dept.addRelatedObject(tag, forKey: "tags")
        return (dept, person)
    }

    func test_ONE_01_aToOneRelationshipLeadsToTheSameObjectAfterTheRootSaved() throws {
        for depth in 1...3 {
            let (dept, person) = try makePair(at: depth)
            try saveAll(from: depth)
            try chain[depth].refreshAllObjects()
            XCTAssertTrue(try person.relatedObject(forKey: "dept") === dept, "depth \(depth)")
            try chain[depth].refresh(person, mergeChanges: false)
            XCTAssertTrue(try person.relatedObject(forKey: "waitsAt") === dept, "depth \(depth)")
            XCTAssertFalse(dept.objectID.isTemporaryID)
            try saveAll(from: depth)
            for object in try root.fetch(FetchRequest("Person", "name == 'anna'")) { try root.delete(object) }
            for object in try root.fetch(FetchRequest("Department", "name == 'new'")) { try root.delete(object) }
            try root.save()
            try chain[depth].reset()
        }
    }

    func test_ONE_01_toManyRelationshipsHaveTheSameObjectsAfterTheRootSaved() throws {
        for depth in 1...3 {
            let (dept, person) = try makePair(at: depth)
            let tag = try XCTUnwrap(try dept.relatedObjects(forKey: "tags").first)
            try saveAll(from: depth)
            try chain[depth].refresh(dept, mergeChanges: false)
            XCTAssertTrue(try dept.relatedObjects(forKey: "staff").first === person, "depth \(depth)")
            XCTAssertTrue(try dept.relatedObjects(forKey: "queue").first === person, "depth \(depth)")
            XCTAssertTrue(try dept.relatedObjects(forKey: "tags").first === tag, "depth \(depth)")
            try chain[depth].refresh(tag, mergeChanges: false)
            XCTAssertTrue(try tag.relatedObjects(forKey: "departments").first === dept, "depth \(depth)")
        }
    }

    func test_ONE_01_noUpdateIsLost() throws {
        let (dept, person) = try makePair(at: 1)
        try saveAll(from: 1)
        try chain[1].refreshAllObjects()
        try dept.setValue("one", forKey: "name")
        try XCTUnwrap(try person.relatedObject(forKey: "dept")).setValue("two", forKey: "note")
        try saveAll(from: 1)
        XCTAssertEqual(try sqlite3("SELECT ZNAME || ZNOTE FROM ZDEPARTMENT WHERE ZNOTE = 'two'"), "onetwo")
    }

    func test_ONE_01_aFaultThatFiresInAGrandchildFindsTheObjectOfAnAncestorsSave() throws {
        let (dept, person) = try makePair(at: 2)
        try chain[2].save()
        let own = try chain[3].object(with: person.objectID)
        let ownDept = try chain[3].object(with: dept.objectID)
        try saveAll(from: 1)
        XCTAssertTrue(try own.relatedObject(forKey: "dept") === ownDept)
        XCTAssertEqual(own.objectID, person.objectID)
        XCTAssertFalse(own.objectID.isTemporaryID)
    }

    func test_ONE_01_aRowThatWasGivenBeforeTheSaveLeadsToTheSameObject() throws {
        let (dept, person) = try makePair(at: 1)
        try chain[1].save()
        let own = try chain[2].object(with: person.objectID)
        XCTAssertEqual(try own.string("name"), "anna")
        try saveAll(from: 0)
        let ownDept = try chain[2].object(with: dept.objectID)
        XCTAssertTrue(try own.relatedObject(forKey: "dept") === ownDept)
        XCTAssertFalse(own.hasChanges)
    }

    func test_ONE_01_lookingUpByWhateverIDFindsTheObject() throws {
        let (_, person) = try makePair(at: 2)
        let temporary = person.objectID
        try saveAll(from: 2)
        let permanent = person.objectID
        XCTAssertNotEqual(temporary, permanent)
        for id in [temporary, permanent] {
            XCTAssertTrue(try chain[2].object(with: id) === person)
            XCTAssertTrue(try chain[2].existingObject(with: id) === person)
            XCTAssertTrue(try chain[2].registeredObject(for: id) === person)
        }
        let uri = permanent.uriRepresentation
        let found = try XCTUnwrap(try coordinator.managedObjectID(forURIRepresentation: uri))
        XCTAssertTrue(try chain[2].object(with: found) === person)
        XCTAssertTrue(try chain[2].fetch(FetchRequest("Person", "name == 'anna'")).first === person)
    }

    func test_ONE_01_permanentIDsObtainedInOneContextHoldInAllOfTheTree() throws {
        let (dept, person) = try makePair(at: 1)
        try chain[1].save()
        let inGrandchild = try chain[2].object(with: dept.objectID)
        try root.obtainPermanentIDs(for: [try root.object(with: dept.objectID)])
        XCTAssertFalse(dept.objectID.isTemporaryID)
        XCTAssertEqual(inGrandchild.objectID, dept.objectID)
        try chain[1].refresh(person, mergeChanges: false)
        XCTAssertTrue(try person.relatedObject(forKey: "dept") === dept)
        XCTAssertTrue(try chain[2].object(with: person.objectID).relatedObject(forKey: "dept") === inGrandchild)
        try root.save()
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZDEPARTMENT WHERE ZNAME = 'new'"), "1")
    }

    func test_ONE_01_permanentIDsObtainedInAChildHoldInItsParent() throws {
        let dept = try chain[2].insert("Department", "new")
        try chain[2].obtainPermanentIDs(for: [dept])
        let permanent = dept.objectID
        try saveAll(from: 2)
        XCTAssertEqual(dept.objectID, permanent)
        XCTAssertEqual(try root.object(with: permanent).string("name"), "new")
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZDEPARTMENT WHERE ZNAME = 'new'"), "1")
    }

    func test_ONE_01_afterADeletionIsUndoneThereIsOneObject() throws {
        let (dept, person) = try makePair(at: 1)
        try chain[1].save()
        try chain[1].delete(dept)
        try chain[1].processPendingChanges()
        try root.save()
        try chain[1].undo()
        XCTAssertTrue(try person.relatedObject(forKey: "dept") === dept)
        XCTAssertFalse(dept.isDeleted)
        try chain[1].redo()
        XCTAssertNil(try person.relatedObject(forKey: "dept"))
        try saveAll(from: 1)
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZDEPARTMENT WHERE ZNAME = 'new'"), "0")
    }

    func test_ONE_01_mergingASiblingsSaveMakesNoSecondObject() throws {
        let sibling = try makeChild(of: root)
        let (dept, person) = try makePair(at: 1)
        let notification = try saved(chain[1])
        try merge(notification, into: sibling)
        let own = try sibling.object(with: person.objectID), ownDept = try sibling.object(with: dept.objectID)
        try root.save()
        try merge(notification, into: sibling)
        XCTAssertTrue(try own.relatedObject(forKey: "dept") === ownDept)
        XCTAssertEqual(own.objectID, person.objectID)
    }

    func test_ONE_01_aResultsControllerOfAChildGoesOnWithTheSameObjects() throws {
        var request = FetchRequest(entityName: "Person")
        request.sortDescriptors = [PinviewSortDescriptor(keyPath: "name", ascending: true)]
        let controller = try FetchedResultsController(fetchRequest: request, managedObjectContext: chain[1])
        try controller.performFetch()
        let (_, person) = try makePair(at: 1)
        try chain[1].processPendingChanges()
        try saveAll(from: 1)
        try chain[1].refreshAllObjects()
        try person.setValue("bert", forKey: "name")
        try chain[1].processPendingChanges()
        XCTAssertEqual(controller.fetchedObjects?.filter { $0 === person }.count, 1)
        XCTAssertEqual(controller.fetchedObjects?.count, 4)
    }
}
