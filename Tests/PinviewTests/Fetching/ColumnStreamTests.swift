import Foundation
import Pinview
import XCTest

/// Streams of columns: the states, stores and threads that they are read from, and inserting them.
final class ColumnStreamTests: StackTestCase {
    private func request(_ entityName: String = "Person", _ properties: [PropertyToFetch] = [], batchSize: Int = 0) -> FetchRequest {
        var request = FetchRequest(entityName: entityName)
        request.propertiesToFetch = properties
        request.fetchBatchSize = batchSize
        return request
    }

    private func values(_ stream: ColumnStream, _ column: String = "name") throws -> [Value] {
        var values: [Value] = []
        while let batch = try stream.next() { values += try XCTUnwrap(batch[column]) }
        return values
    }

    private static let daves: [Value] = ["dave0", "dave1", "dave2"].map { .string($0) }

    // MARK: Generations

    func test_aStreamReadsTheGenerationOfItsContextAndHoldsIt() throws {
        try context.setQueryGeneration(from: .current)
        let stream = try context.fetchColumns(request(batchSize: 1))
        XCTAssertEqual(try stream.next()?.rowCount, 1)
        try changeElsewhere("dave2", "name", "changed")
        try deleteElsewhere("dave1")
        try context.setQueryGeneration(from: .current)
        XCTAssertEqual(try context.names(), ["changed", "dave0"])
        context = nil
        XCTAssertEqual(try values(stream), Array(Self.daves[1...]))
    }

    func test_anUnpinnedContextsStreamIsOfOneStateToo() throws {
        let stream = try context.fetchColumns(request(batchSize: 1))
        try changeElsewhere("dave2", "name", "changed")
        XCTAssertEqual(try values(stream), Self.daves)
        XCTAssertEqual(try values(try context.fetchColumns(request())).last, "changed")
    }

    func test_itFixesAPinThatHasNotBeenUsed() throws {
        try context.setQueryGeneration(from: .current)
        _ = try context.fetchColumns(request())
        XCTAssertNotEqual(context.queryGenerationToken, .current)
    }

    func test_theGenerationGoesWithTheStream() throws {
        try context.setQueryGeneration(from: .current)
        var stream: ColumnStream? = try context.fetchColumns(request())
        let batch = try XCTUnwrap(stream?.next())
        let token = try XCTUnwrap(context.queryGenerationToken)
        try changeElsewhere("dave2", "name", "changed")
        try context.setQueryGeneration(from: nil)
        try other.setQueryGeneration(from: token)
        try other.setQueryGeneration(from: nil)
        stream = nil
        assertError(.generationExpired, try other.setQueryGeneration(from: token))
        XCTAssertEqual(Array(try XCTUnwrap(batch["name"])), Self.daves)
        XCTAssertNil(stream)
    }

    func test_unsavedChangesDoNotCount_norDoesTheirSavingLater() throws {
        let person = try context.insertNewObject(forEntityName: "Person")
        let stream = try context.fetchColumns(request())
        try person.setValue("new", forKey: "name")
        try context.save()
        XCTAssertEqual(try values(stream), Self.daves)
    }

    func test_aChildContextReadsTheStoresOfItsRoot() throws {
        let child = ManagedObjectContext(concurrencyType: .privateQueue)
        try child.setParent(context)
        XCTAssertEqual(try values(try child.fetchColumns(request())), Self.daves)
    }

    func test_aStoreThatWasRemovedIsAnError() throws {
        let stream = try context.fetchColumns(request())
        try coordinator.remove(coordinator.persistentStores[0])
        assertError(.persistentStoreOperation, try stream.next())
    }

    func test_anyThreadMayReadAndManyAtOnce() throws {
        let stream = try context.fetchColumns(request(batchSize: 1))
        let counts = (0..<4).map { _ in Counted() }
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            while let batch = (try? stream.next()) ?? nil { counts[thread].count += batch.rowCount }
        }
        XCTAssertEqual(counts.reduce(0) { $0 + $1.count }, 3)
    }

    private final class Counted: @unchecked Sendable { var count = 0 }  // of one thread

    // MARK: Many rows

    /// Adds this many persons to the three, as another program would.
    private func addPersons(_ count: Int) throws {
        try sqlite3(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count)) "
                + "INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, ZNAME, ZAGE) "
                + "SELECT i + 10, (SELECT Z_ENT FROM ZPERSON LIMIT 1), 1, CASE WHEN i % 3 THEN 'person' || i END, i FROM n;")
    }

    func test_aMillionRows() throws {
        try addPersons(1_000_000)
        let stream = try context.fetchColumns(request("Person", ["age", "name"]))
        var count = 0, sum = 0, nulls = 0, sizes: [Int] = []
        while let batch = try stream.next() {
            sizes.append(batch.rowCount)
            count += batch.rowCount
            sum += Int(batch.columns[0].withNumbers(of: Int64.self) { $0.reduce(0, +) } ?? 0)
            nulls += batch.columns[1].nullCount
            XCTAssertEqual(
                batch.columns[1].withBytes(batch.rowCount - 1) { $0.count > 0 || batch.columns[1].isNull(batch.rowCount - 1) }, true)
        }
        XCTAssertEqual(count, 1_000_003)
        XCTAssertEqual(sum, 500_000_500_000 + 63)
        XCTAssertEqual(nulls, 333_333)
        XCTAssertEqual(sizes, [Int](repeating: 65_536, count: 15) + [1_000_003 - 15 * 65_536])
    }

    func test_interruptFetchStopsABatch_whichCanBeAskedForAgain() throws {
        try addPersons(300_000)
        let stream = try context.fetchColumns(request(batchSize: 1_000_000))
        let context: ManagedObjectContext = self.context
        let lock = NSLock(), isEnded = Counted(), hasBegun = DispatchSemaphore(value: 0)
        let thread = Thread {
            while lock.withLock({ isEnded.count == 0 }) {
                context.interruptFetch()
                hasBegun.signal()
                usleep(1000)
            }
        }
        thread.start()
        hasBegun.wait()
        assertError(.userCancelled, try stream.next())
        lock.withLock { isEnded.count = 1 }
        while !thread.isFinished { usleep(1000) }
        XCTAssertEqual(try stream.next()?.rowCount, 300_003)
    }

    func test_rowsKeepTheirOrderWhenTwoThreadsReadThem_overHolesAndToTheEnd() throws {
        try addPersons(200_000)
        // A hole of a page and a half, a thin part, and keys far away.
        try sqlite3(
            "DELETE FROM ZPERSON WHERE Z_PK BETWEEN 60000 AND 85000; DELETE FROM ZPERSON WHERE Z_PK BETWEEN 120000 AND 160000 AND Z_PK % 50; "
                + "UPDATE ZPERSON SET Z_PK = Z_PK + 4000000000000000000 WHERE Z_PK > 190000;")
        for batchSize in [16_384, 20_000, 50_000, 199_000] {
            let stream = try context.fetchColumns(request("Person", ["objectID"], batchSize: batchSize))
            var keys: [Int64] = []
            while let batch = try stream.next() {
                XCTAssertLessThanOrEqual(batch.rowCount, batchSize)
                batch.columns[0].withNumbers(of: Int64.self) { keys += $0 }
            }
            XCTAssertEqual(keys.count, Int(try sqlite3("SELECT COUNT(*) FROM ZPERSON;")), "\(batchSize)")
            XCTAssertTrue(zip(keys, keys.dropFirst()).allSatisfy(<), "\(batchSize)")
        }
    }

    func test_aStreamThatIsLeftWhileTwoThreadsReadLetsItsGenerationGo() throws {
        try addPersons(200_000)
        try context.setQueryGeneration(from: .current)
        var stream: ColumnStream? = try context.fetchColumns(request("Person", ["name", "age"], batchSize: 16_384))
        for _ in 0..<3 { XCTAssertEqual(try stream?.next()?.rowCount ?? 0, 16_384, accuracy: 64) }
        XCTAssertNotNil(stream)
        let token = try XCTUnwrap(context.queryGenerationToken)
        try changeElsewhere("dave2", "name", "changed")
        try context.setQueryGeneration(from: nil)
        stream = nil
        // A page that is being read may hold it for a moment.
        let deadline = Date(timeIntervalSinceNow: 120)
        while (try? other.setQueryGeneration(from: token)) != nil, Date() < deadline { try other.setQueryGeneration(from: nil) }
        assertError(.generationExpired, try other.setQueryGeneration(from: token))
    }

    // MARK: Other stores

    func test_aStoreInMemoryIsReadAtOnce() throws {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try people())
        try coordinator.addPersistentStore(type: .inMemory)
        try fill(coordinator, count: 5)
        let context = try makeContext(coordinator)
        let stream = try context.fetchColumns(request(batchSize: 2))
        XCTAssertEqual(try stream.next()?.rowCount, 2)
        try context.delete(try context.person("dave4"))
        try context.save()
        XCTAssertEqual(try values(stream).count, 3)
    }

    func test_severalStoresComeOneAfterTheOther() throws {
        try coordinator.addPersistentStore(type: .sqlite, at: path("second.sqlite"))
        for number in 0..<4 {
            let person = try context.insertNewObject(forEntityName: "Person")
            try person.setValue("second\(number)", forKey: "name")
            try context.assign(person, to: coordinator.persistentStores[1])
        }
        try context.save()
        let all = Self.daves + (0..<4).map { .string("second\($0)") }
        XCTAssertEqual(try values(try context.fetchColumns(request(batchSize: 2))), all)
        for (limit, offset) in [(5, 0), (2, 2), (0, 3), (3, 4), (1, 7), (100, 1)] {
            var request = self.request(batchSize: 2)
            request.fetchLimit = limit
            request.fetchOffset = offset
            let expected = all.dropFirst(offset).prefix(limit == 0 ? 100 : limit)
            XCTAssertEqual(try values(try context.fetchColumns(request)), Array(expected), "\(limit) \(offset)")
        }
        var sorted = request()
        sorted.sortDescriptors = [PinviewSortDescriptor(keyPath: "name")]
        assertError(.invalidArgument, try context.fetchColumns(sorted))
        assertError(.invalidArgument, try context.fetchColumns(request("Car", ["owner"])))
        let uris = try values(try context.fetchColumns(request("Person", ["objectID"]), givesObjectURIs: true), "objectID")
        XCTAssertEqual(Set(uris).count, 7)
        sorted.affectedStores = [coordinator.persistentStores[1]]
        XCTAssertEqual(try values(try context.fetchColumns(sorted)), Array(all[3...]))
    }

    // MARK: Inserting

    func test_columnsOfOneStoreGoIntoAnother() throws {
        let copy = try makeContext(try makeCoordinator(name: "copy.sqlite"))
        var insert = BatchInsertRequest(entityName: "Person", columns: try context.fetchColumns(request()))
        insert.resultType = .objectIDs
        guard case .objectIDs(let objectIDs) = try copy.execute(insert) else { return XCTFail("no IDs") }
        XCTAssertEqual(objectIDs.count, 3)
        XCTAssertEqual(try copy.existingObject(with: objectIDs[1]).string("name"), "dave1")
        XCTAssertEqual(try copy.existingObject(with: objectIDs[1]).integer("age"), 21)
        XCTAssertEqual(try copy.names(), ["dave0", "dave1", "dave2"])
    }

    func test_referencesAsKeysAndAsURIs() throws {
        let insertKeys = BatchInsertRequest(entityName: "Car", columns: try context.fetchColumns(request("Car", ["name", "owner"])))
        _ = try context.execute(insertKeys)
        let insertURIs = BatchInsertRequest(
            entityName: "Car", columns: try context.fetchColumns(request("Car", ["name", "owner"]), givesObjectURIs: true))
        _ = try context.execute(insertURIs)
        let owners = try context.fetch(FetchRequest("Car", "name == 'car1'")).map { try $0.relatedObject(forKey: "owner")?.string("name") }
        XCTAssertEqual(owners, ["dave1", "dave1", "dave1", "dave1"])
        let elsewhere = try makeContext(try makeCoordinator(name: "copy.sqlite"))
        let foreign = BatchInsertRequest(
            entityName: "Car", columns: try context.fetchColumns(request("Car", ["owner"]), givesObjectURIs: true))
        let error = assertError(.invalidArgument, try elsewhere.execute(foreign))
        XCTAssertTrue(try XCTUnwrap(error).message.hasPrefix("Row 1, column 'owner': "), error?.message ?? "")
        XCTAssertTrue(try XCTUnwrap(error).message.contains("which is not in the store '"), error?.message ?? "")
        XCTAssertEqual(try elsewhere.names("Car"), [])
    }

    func test_columnsThatAreNoneOfTheEntityAreRefused() throws {
        let names = BatchInsertRequest(entityName: "Car", columns: try context.fetchColumns(request("Person", ["name", "age"])))
        assertError(.unknownKey, try context.execute(names))
        let types = BatchInsertRequest(
            entityName: "Person",
            columns: try context.fetchColumns(
                request("Person", [.expression(ExpressionDescription(name: "age", expression: try PinviewExpression(format: "name")))])))
        assertError(.wrongType, try context.execute(types))
        XCTAssertEqual(try context.names(), ["dave0", "dave1", "dave2"])
    }
}
