import Pinview
import XCTest

/// Models that are read from stores again and again.
final class StoredModelTests: StoreTestCase {
    private func storedModel() throws -> ManagedObjectModel { try PersistentStoreCoordinator.managedObjectModel(ofStoreAt: path()) }

    func test_STO_18_aModelReadAgainIsTheSame() throws {
        do { _ = try makeCoordinator() }
        let first = try storedModel(), second = try storedModel()
        XCTAssertFalse(first === second)
        XCTAssertEqual(first, second)
        XCTAssertEqual(first, try people())
        XCTAssertEqual(first.entityDescriptions.map(\.name), second.entityDescriptions.map(\.name))
        XCTAssertEqual(first.configurations, second.configurations)
    }

    func test_STO_18_aModelReadAgainHasHooksOfItsOwn() throws {
        do { _ = try makeCoordinator() }
        let first = try storedModel(), second = try storedModel()
        let calls = CallCount()
        var hooks = EntityHooks()
        hooks.awakeFromInsert = { _ in calls.add() }
        try first.setHooks(hooks, forEntityNamed: "Person")

        for model in [first, second, try storedModel()] {
            let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
            try coordinator.addPersistentStore(type: .sqlite, at: path())
            _ = try makeContext(coordinator).insertNewObject(forEntityName: "Person")
        }
        XCTAssertEqual(calls.value, 1)
    }

    func test_STO_18_aModelReadAgainCanBeChangedWhileTheFirstIsInUse() throws {
        do { _ = try makeCoordinator() }
        let used = try storedModel()
        let coordinator = PersistentStoreCoordinator(managedObjectModel: used)
        try coordinator.addPersistentStore(type: .sqlite, at: path())
        assertError(.invalidArgument, try used.setHooks(EntityHooks(), forEntityNamed: "Person"))

        let other = try storedModel()
        try other.setHooks(EntityHooks(), forEntityNamed: "Person")
        try other.setFetchRequestTemplate(FetchRequest(entityName: "Person"), forName: "everybody")
        XCTAssertNil(try used.fetchRequestTemplate(forName: "everybody"))
        XCTAssertNil(try storedModel().fetchRequestTemplate(forName: "everybody"))
    }

    func test_STO_18_theTemplatesOfTheStoresModelAreInEachCopy() throws {
        do {
            let model = try people()
            try model.setFetchRequestTemplate(FetchRequest(entityName: "Person"), forName: "everybody")
            let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
            try coordinator.addPersistentStore(type: .sqlite, at: path())
        }
        let first = try storedModel()
        try first.setFetchRequestTemplate(nil, forName: "everybody")
        XCTAssertNil(try first.fetchRequestTemplate(forName: "everybody"))
        XCTAssertEqual(try storedModel().fetchRequestTemplate(forName: "everybody")?.entityName, "Person")
    }

    func test_STO_18_aModelThatTheStoreNoLongerHasIsNotReadAgain() throws {
        do { _ = try makeCoordinator() }
        let old = try storedModel()
        var entities = try people().entityDescriptions
        entities.append(EntityDescription(name: "Place", attributes: [AttributeDescription(name: "name", attributeType: .string)]))
        do {
            _ = try makeCoordinator(ManagedObjectModel(entities: entities), options: ["migrateStoreAutomatically": .boolean(true)])
        }
        XCTAssertNotNil(try storedModel().entity(named: "Place"))
        XCTAssertNil(old.entity(named: "Place"))
    }
}

private final class CallCount: @unchecked Sendable {  // used by one thread
    private(set) var value = 0
    func add() { value += 1 }
}
