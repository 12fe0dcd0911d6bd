import Pinview
import XCTest

/// Loading many objects in one statement: the faults of one fetch, and relationships that a fetch
/// prefetches.
final class PrefetchingTests: StackTestCase {
    override func prepareStore() throws { try fill(coordinator, count: 5) }

    private func sorted(_ change: (inout FetchRequest) -> Void = { _ in }) -> FetchRequest {
        var request = FetchRequest(entityName: "Person")
        request.sortDescriptors = [PinviewSortDescriptor(keyPath: "name", ascending: true)]
        change(&request)
        return request
    }

    // MARK: Siblings

    func test_FLT_03_firingOneFaultOfAFetchLoadsItsSiblingsInOneStatement() throws {
        let people = try context.fetch(sorted { $0.includesPropertyValues = false })
        XCTAssertEqual(try selects { XCTAssertEqual(try people[2].string("name"), "dave2") }, 1)
        XCTAssertEqual(people.filter(\.isFault).count, 4)
        XCTAssertEqual(try selects { XCTAssertEqual(try people.map { try $0.string("name") }.count, 5) }, 0)
    }

    func test_RFR_08_afterRefreshAllTheFaultsOfAFetchAreReadInOneStatement() throws {
        let people = try context.fetch(sorted())
        for person in people { _ = try person.string("name") }
        try other.execute(everyAge(77))
        try context.refreshAllObjects()
        XCTAssertEqual(try selects { XCTAssertEqual(try people.map { try $0.integer("age") }, Array(repeating: 77, count: 5)) }, 1)
    }

    func test_FLT_03_onlyThoseThatAreStillFaultsAreLoadedAlong() throws {
        let people = try context.fetch(sorted { $0.includesPropertyValues = false })
        try people[0].setValue("changed", forKey: "name")
        try other.execute(everyAge(77))
        try context.refresh(people[1], mergeChanges: false)
        XCTAssertEqual(try people[0].integer("age"), 20)
        XCTAssertEqual(try people[0].string("name"), "changed")
        XCTAssertEqual(try people[1].integer("age"), 77)
    }

    func test_FLT_05_theMembersOfARelationshipComeWithTheirRows() throws {
        let owner = try context.person("dave0")
        for car in try context.fetch(FetchRequest(entityName: "Car")) { try car.setRelatedObject(owner, forKey: "owner") }
        try context.save()
        try context.reset()
        let loaded = try context.person("dave0")
        let read = try selects {
            let cars = try loaded.relatedObjects(forKey: "cars")
            XCTAssertEqual(Set(try cars.map { try $0.string("name") }).count, 5)
        }
        XCTAssertEqual(read, 1)
    }

    func test_RFR_12_withAStalenessIntervalOfZeroEachFaultReadsItsOwnRow() throws {
        context.stalenessInterval = 0
        let people = try context.fetch(sorted { $0.includesPropertyValues = false })
        XCTAssertEqual(try selects { for person in people { _ = try person.string("name") } }, 5)
    }

    func test_FLT_08_aSiblingWhoseRowIsGoneIsInaccessibleAndTheOthersAreRead() throws {
        let people = try context.fetch(sorted { $0.includesPropertyValues = false })
        try deleteElsewhere("dave1")
        XCTAssertEqual(try people.map { try $0.string("name") }, ["dave0", nil, "dave2", "dave3", "dave4"])
        XCTAssertEqual(context.deletedObjects, [people[1]])
    }

    func test_FLT_10_withTheFlagOffOnlyTheSiblingWhoseRowIsGoneIsAnError() throws {
        context.shouldDeleteInaccessibleFaults = false
        let people = try context.fetch(sorted { $0.includesPropertyValues = false })
        try deleteElsewhere("dave1")
        XCTAssertEqual(try people[0].string("name"), "dave0")
        assertError(.managedObjectReferentialIntegrity, try people[1].string("name"))
        XCTAssertEqual(try people[2].string("name"), "dave2")
        XCTAssertEqual(context.deletedObjects, [])
    }

    func test_FLT_14_inAPinnedContextNoSiblingIsInaccessible() throws {
        for deletes in [true, false] {
            let names = try storedNames()
            let pinned = try makeContext(coordinator)
            pinned.shouldDeleteInaccessibleFaults = deletes
            try pinned.setQueryGeneration(from: .current)
            let people = try pinned.fetch(sorted { $0.includesPropertyValues = false })
            try deleteElsewhere(names[0])
            XCTAssertEqual(try selects { XCTAssertEqual(try people.map { try $0.string("name") }, names) }, 1)
            XCTAssertEqual(pinned.deletedObjects, [])
        }
    }

    // MARK: Prefetching

    func test_FET_prefetchingAToManyRelationshipTakesOneStatement() throws {
        var people: [ManagedObject] = []
        XCTAssertEqual(
            try selects { people = Array(try context.fetch(sorted { $0.relationshipKeyPathsForPrefetching = ["cars"] })) }, 2)
        let read = try selects {
            for (number, person) in people.enumerated() {
                XCTAssertEqual(try person.relatedObjects(forKey: "cars").map { try $0.string("name") }, ["car\(number)"])
            }
        }
        XCTAssertEqual(read, 0)
    }

    func test_FET_prefetchingAToOneRelationshipTakesOneStatement() throws {
        var request = FetchRequest(entityName: "Car")
        request.sortDescriptors = [PinviewSortDescriptor(keyPath: "name", ascending: true)]
        request.relationshipKeyPathsForPrefetching = ["owner"]
        var cars: [ManagedObject] = []
        XCTAssertEqual(try selects { cars = Array(try context.fetch(request)) }, 2)
        let read = try selects {
            XCTAssertEqual(try cars.map { try $0.relatedObject(forKey: "owner")?.string("name") }, (0..<5).map { "dave\($0)" })
        }
        XCTAssertEqual(read, 0)
    }

    func test_FET_aKeyPathIsPrefetchedStepByStepEachRelationshipOnce() throws {
        let request = sorted { $0.relationshipKeyPathsForPrefetching = ["cars", "cars.owner"] }
        XCTAssertEqual(try selects { _ = try context.fetch(request) }, 2)  // the owners are the persons themselves
    }

    /// Realised objects need no row, but what is behind them is prefetched all the same.
    func test_FET_aKeyPathGoesOnThroughObjectsThatAreRealised() throws {
        let owners = try context.fetch(sorted()).map { $0 }
        for owner in owners { _ = try owner.string("name") }
        var request = FetchRequest(entityName: "Car")
        request.relationshipKeyPathsForPrefetching = ["owner.cars"]
        let cars = try context.fetch(request).map { $0 }
        let read = try selects {
            XCTAssertEqual(try owners.map { try $0.relatedObjects(forKey: "cars").count }, [1, 1, 1, 1, 1])
        }
        XCTAssertEqual(read, 0)
        XCTAssertEqual(cars.count, 5)
    }

    func test_FET_aChildPrefetchesThroughItsParent() throws {
        let child = ManagedObjectContext(concurrencyType: .privateQueue)
        try child.setParent(context)
        var people: [ManagedObject] = []
        XCTAssertEqual(try selects { people = Array(try child.fetch(sorted { $0.relationshipKeyPathsForPrefetching = ["cars"] })) }, 2)
        let read = try selects { XCTAssertEqual(try people.map { try $0.countOfRelatedObjects(forKey: "cars") }, [1, 1, 1, 1, 1]) }
        XCTAssertEqual(read, 0)
    }

    func test_FET_prefetchingKeepsPendingChanges() throws {
        let person = try context.person("dave0")
        let car = try context.insertNewObject(forEntityName: "Car")
        try car.setRelatedObject(person, forKey: "owner")
        let people = try context.fetch(sorted { $0.relationshipKeyPathsForPrefetching = ["cars"] })
        XCTAssertEqual(try people.first { $0 === person }?.countOfRelatedObjects(forKey: "cars"), 2)
        try context.save()
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZCAR WHERE ZOWNER = (SELECT Z_PK FROM ZPERSON WHERE ZNAME = 'dave0')"), "2")
    }

    func test_FET_aPinnedContextPrefetchesItsGeneration() throws {
        try context.setQueryGeneration(from: .current)
        _ = try context.count(for: FetchRequest(entityName: "Person"))
        try deleteElsewhere("dave0")
        let people = try context.fetch(sorted { $0.relationshipKeyPathsForPrefetching = ["cars"] })
        XCTAssertEqual(try people.map { try $0.countOfRelatedObjects(forKey: "cars") }, [1, 1, 1, 1, 1])
    }

    func test_FET_aKeyPathThatIsNotARelationshipIsAnError() throws {
        assertError(.unknownKey, try context.fetch(sorted { $0.relationshipKeyPathsForPrefetching = ["wheels"] }))
        assertError(.unknownKey, try context.fetch(sorted { $0.relationshipKeyPathsForPrefetching = ["cars.wheels"] }))
        assertError(.invalidArgument, try context.fetch(sorted { $0.relationshipKeyPathsForPrefetching = ["name"] }))
    }

    private func everyAge(_ age: Int64) -> BatchUpdateRequest {
        var update = BatchUpdateRequest(entityName: "Person")
        update.propertiesToUpdate = ["age": .integer(age)]
        return update
    }
}

extension ManagedObjectContext {
    fileprivate func execute(_ update: BatchUpdateRequest) throws { _ = try execute(update as any PersistentStoreRequest) }
}
