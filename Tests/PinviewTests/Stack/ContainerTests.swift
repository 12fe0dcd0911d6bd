import Pinview
import XCTest

/// The examples of the container and of the Quake fetch: EX-24 to EX-27.
final class ContainerTests: StoreTestCase {
    private func makeContainer() throws -> PersistentContainer {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Quake",
                attributes: [
                    AttributeDescription(name: "code", attributeType: .string),
                    AttributeDescription(name: "magnitude", attributeType: .double),
                ])
        ])
        let container = PersistentContainer(name: "Quakes", managedObjectModel: model, storePath: path())
        try container.loadPersistentStores()
        return container
    }

    private func addQuakes(_ container: PersistentContainer, _ codes: Range<Int>) throws {
        let context = container.newBackgroundContext()
        for code in codes {
            let quake = try context.insertNewObject(forEntityName: "Quake")
            try quake.setValue("q\(code)", forKey: "code")
            try quake.setValue(Double(code) / 10, forKey: "magnitude")
        }
        try context.save()
    }

    private func count(_ container: PersistentContainer) throws -> Int {
        try container.viewContext.fetch(FetchRequest(entityName: "Quake")).count
    }

    func test_EX_24_theViewContextIsPinnedAtSetUpAndUnpinned() throws {
        let container = try makeContainer()
        try addQuakes(container, 0..<3)
        try container.viewContext.setQueryGeneration(from: .current)
        XCTAssertEqual(try count(container), 3)
        try addQuakes(container, 3..<5)
        XCTAssertEqual(try count(container), 3)
        try container.viewContext.setQueryGeneration(from: nil)
        XCTAssertEqual(try count(container), 5)
    }

    func test_EX_25_theViewContextAdvances() throws {
        let container = try makeContainer()
        try container.viewContext.setQueryGeneration(from: .current)
        XCTAssertEqual(try count(container), 0)
        try addQuakes(container, 0..<4)
        XCTAssertEqual(try count(container), 0)
        try container.viewContext.setQueryGeneration(from: .current)
        XCTAssertEqual(try count(container), 4)
    }

    private var batchedRequest: FetchRequest {
        var request = FetchRequest(entityName: "Quake")
        request.fetchBatchSize = 10
        request.sortDescriptors = [PinviewSortDescriptor(keyPath: "magnitude", ascending: true)]
        return request
    }

    func test_EX_26_aBatchedFetchLoadsPagesAsTheyAreRead() throws {
        let container = try makeContainer()
        try addQuakes(container, 0..<25)
        let result = try container.viewContext.fetch(batchedRequest)
        XCTAssertEqual(result.count, 25)
        let lines = LogLines()
        SQLDebug.setHandler { lines.add($0) }
        SQLDebug.isEnabled = true
        var selectsAfterElement: [Int] = []
        for quake in result {
            _ = try quake.attributeValue(forKey: "code")
            selectsAfterElement.append(lines.all.filter { $0.contains("SELECT") && $0.contains("ZCODE") }.count)
        }
        SQLDebug.isEnabled = false
        SQLDebug.setHandler(nil)
        XCTAssertEqual(selectsAfterElement, Array(repeating: 1, count: 10) + Array(repeating: 2, count: 10) + Array(repeating: 3, count: 5))
    }

    func test_EX_27_afterAllQuakesWereDeletedThePinnedFetchReadsThemAll() throws {
        let container = try makeContainer()
        try addQuakes(container, 0..<25)
        try container.viewContext.setQueryGeneration(from: .current)
        let result = try container.viewContext.fetch(batchedRequest)
        try sqlite3("DELETE FROM ZQUAKE")
        XCTAssertEqual(result.count, 25)
        XCTAssertEqual(try result.map { try $0.attributeValue(forKey: "code") }, (0..<25).map { .string("q\($0)") })
        XCTAssertEqual(try container.viewContext.fetch(batchedRequest).count, 25)
        try container.viewContext.setQueryGeneration(from: nil)
        XCTAssertEqual(try container.viewContext.fetch(batchedRequest).count, 0)
    }
}
