import Pinview
import XCTest

/// The members of to-many relationships, which are read for many owners with one statement (issue
/// 20, W14).
final class MemberBatchTests: StackTestCase {
    override func prepareStore() throws { try fill(coordinator, count: 100) }

    private func everyone(_ context: ManagedObjectContext) throws -> [ManagedObject] {
        var request = FetchRequest(entityName: "Person")
        request.sortDescriptors = [PinviewSortDescriptor(keyPath: "age", ascending: true)]
        return Array(try context.fetch(request))
    }

    private func cars(_ person: ManagedObject) throws -> [String?] {
        try person.relatedObjects(forKey: "cars").map { try $0.string("name") }
    }

    func test_FLT_05_walkingFromOwnerToOwnerReadsTheMembersOfManyAtOnce() throws {
        for pin in [nil, QueryGenerationToken.current] {
            let context = try makeContext(coordinator)
            try context.setQueryGeneration(from: pin)
            let people = try everyone(context)
            // The members of 1, 4, 16, 64 and 15 owners, with their rows.
            let read = try selects {
                for (number, person) in people.enumerated() { XCTAssertEqual(try cars(person), ["car\(number)"]) }
            }
            XCTAssertEqual(read, 5)
        }
    }

    func test_FLT_05_anOwnerAskedAloneReadsItsOwnMembersOnly() throws {
        let people = try everyone(context)
        for number in [70, 7, 35] { XCTAssertEqual(try selects { XCTAssertEqual(try cars(people[number]), ["car\(number)"]) }, 1) }
        XCTAssertEqual(context.registeredObjects.filter { $0.entity.name == "Car" }.count, 3)
        XCTAssertTrue(try people[36].hasFault(forRelationshipNamed: "cars"))
    }

    func test_FLT_05_membersReadAlongAreNotShownOnceSomebodyHasCommitted() throws {
        let people = try everyone(context)
        for number in 0..<3 { XCTAssertEqual(try cars(people[number]), ["car\(number)"]) }
        let moved = try XCTUnwrap(try other.person("dave3").relatedObjects(forKey: "cars").first)
        try moved.setRelatedObject(try other.person("dave4"), forKey: "owner")
        try other.save()
        XCTAssertEqual(try cars(people[3]), [])
        XCTAssertEqual(try cars(people[4]), ["car3", "car4"])
    }

    func test_QG_01_membersReadAlongStayThoseOfTheGeneration() throws {
        try context.setQueryGeneration(from: .current)
        let people = try everyone(context)
        for number in 0..<3 { XCTAssertEqual(try cars(people[number]), ["car\(number)"]) }
        try other.delete(try other.person("dave3"))
        try other.save()
        XCTAssertEqual(try selects { XCTAssertEqual(try cars(people[3]), ["car3"]) }, 0)
        try context.setQueryGeneration(from: .current)
        XCTAssertEqual(try cars(people[4]), ["car4"])
    }

    func test_ONE_03_membersReadAlongAreMergedWithPendingChanges() throws {
        let people = try everyone(context)
        for number in 0..<3 { _ = try cars(people[number]) }
        let car = try context.insertNewObject(forEntityName: "Car")
        try car.setValue("new", forKey: "name")
        try car.setRelatedObject(people[3], forKey: "owner")
        XCTAssertEqual(try cars(people[3]), ["car3", "new"])
        let last = try XCTUnwrap(try people[4].relatedObjects(forKey: "cars").first)
        try context.delete(last)
        try context.processPendingChanges()
        XCTAssertEqual(try cars(people[4]), [])
    }

    func test_CTX_14_aResetForgetsMembersReadAlong() throws {
        var people = try everyone(context)
        for number in 0..<3 { _ = try cars(people[number]) }
        try context.reset()
        people = try everyone(context)
        XCTAssertEqual(try selects { XCTAssertEqual(try cars(people[3]), ["car3"]) }, 1)
    }
}
