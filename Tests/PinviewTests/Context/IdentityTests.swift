import Foundation
import Pinview
import RandomSupport
import XCTest

/// The table of registered objects under many threads and many objects: CTX-08, REF-01.
final class IdentityTests: StackTestCase {
    override func prepareStore() throws { try fill(coordinator, count: 200) }

    func test_REF_01_objectsThatOtherThreadsReleaseAreFoundWholeOrNotAtAll() throws {
        let ids = try context.fetchObjectIDs(FetchRequest(entityName: "Person"))
        let context = try XCTUnwrap(context), rounds = 40
        onThreads(4) { thread in
            for round in 0..<rounds {
                for (position, objectID) in ids.enumerated() where (position + round) % 4 != thread {
                    // Other threads release the same object at the same time, or are creating it
                    // again.
                    guard let object = try? context.object(with: objectID) else { return XCTFail("no object") }
                    if object.objectID != objectID { XCTFail("another object") }
                    if position % 16 == 0, (try? object.attributeValue(forKey: "name").isNull) != false { XCTFail("no value") }
                }
            }
        }
        XCTAssertEqual(context.registeredObjects.count, 0)
        XCTAssertEqual(context.checkInvariants(), [])
    }

    func test_REF_01_eachThreadsReleaseLeavesTheObjectsOfOthersAlone() throws {
        let objects = Array(try context.fetch(FetchRequest(entityName: "Person")))
        let context = try XCTUnwrap(context)
        onThreads(4) { thread in
            for _ in 0..<20 {
                let found = (try? Array(context.fetch(FetchRequest(entityName: "Person")))) ?? []
                if found.count != objects.count { XCTFail("\(found.count) objects") }
                for (index, object) in found.enumerated() where object !== objects[index] { XCTFail("object \(index) is another") }
            }
        }
        XCTAssertEqual(context.registeredObjects, Set(objects))
        XCTAssertEqual(context.checkInvariants(), [])
    }

    func test_CTX_08_tablesGrowAndShrinkWithTheirObjects() throws {
        let ids = try context.fetchObjectIDs(FetchRequest(entityName: "Person"))
        var generator = SeededGenerator.announced(name)
        var kept: [ManagedObjectID: ManagedObject] = [:]
        for _ in 0..<2000 {
            guard let objectID = ids.randomElement(using: &generator) else { return XCTFail("no objects") }
            if kept[objectID] == nil { kept[objectID] = try context.object(with: objectID) } else { kept[objectID] = nil }
        }
        XCTAssertEqual(context.registeredObjects, Set(kept.values))
        for (objectID, object) in kept { XCTAssertTrue(try context.registeredObject(for: objectID) === object) }
        kept = [:]
        XCTAssertEqual(context.registeredObjects, [])
        XCTAssertEqual(context.checkInvariants(), [])
    }
}
