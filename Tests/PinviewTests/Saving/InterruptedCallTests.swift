import CSQLite
import Foundation
import Pinview
import Synchronization
import XCTest

/// Saves, batch requests and the firing of faults end with the context's timeout and can be
/// interrupted (issue 15, point 11). Nothing is lost then.
final class InterruptedCallTests: StoreTestCase {
    private var coordinator: PersistentStoreCoordinator!
    private var context: ManagedObjectContext!

    override func setUpWithError() throws {
        try super.setUpWithError()
        // Longer than any test waits.
        coordinator = try makeCoordinator(options: ["busyTimeout": .double(600)])
        try fill(coordinator, count: 3)
        context = try makeContext(coordinator)
    }

    override func tearDownWithError() throws {
        FetchInterruption.setCheck(nil)
        (coordinator, context) = (nil, nil)
        try super.tearDownWithError()
    }

    private func insertPerson(_ name: String) throws { try context.insertNewObject(forEntityName: "Person").setValue(name, forKey: "name") }

    /// Holds a lock of the store while a body runs, as another program does.
    private func holdingLock(_ begin: String = "BEGIN IMMEDIATE", _ name: String = "store.sqlite", _ body: () throws -> Void) throws {
        var other: OpaquePointer?
        XCTAssertEqual(sqlite3_open(path(name), &other), SQLITE_OK)
        defer { sqlite3_close(other) }
        XCTAssertEqual(sqlite3_exec(other, begin, nil, nil, nil), SQLITE_OK)
        try body()
        XCTAssertEqual(sqlite3_exec(other, "ROLLBACK", nil, nil, nil), SQLITE_OK)
    }

    private func count() throws -> Int { try makeContext(coordinator).count(for: FetchRequest(entityName: "Person")) }

    // MARK: Timeouts

    func test_SAV_25_aSaveThatWaitsForAnotherProgramEndsWithTheTimeout() throws {
        try insertPerson("new")
        try context.setTimeout(0.05)
        try holdingLock {
            let error = assertError(.timedOut, try context.save())
            XCTAssertTrue("\(error!)".contains("nothing was written"), "\(error!)")
        }
        XCTAssertEqual(context.insertedObjects.count, 1)
        XCTAssertEqual(try count(), 3)

        try context.setTimeout(nil)
        try context.save()
        XCTAssertEqual(try count(), 4)
    }

    /// The time is up before the commit, although no statement was long enough to be stopped.
    func test_SAV_25_aSaveThatIsTooLateDoesNotCommit() throws {
        try insertPerson("new")
        try context.setTimeout(0)
        assertError(.timedOut, try context.save())
        XCTAssertEqual(try count(), 3)
        var update = BatchUpdateRequest(entityName: "Person")
        update.propertiesToUpdate = ["age": 1]
        assertError(.timedOut, try context.execute(update))
        XCTAssertEqual(context.timeout, 0)

        try context.setTimeout(600)
        try context.save()
        XCTAssertEqual(try count(), 4)
    }

    func test_aTimeoutIsASumOfSeconds() throws {
        XCTAssertNil(context.timeout)
        assertError(.invalidArgument, try context.setTimeout(-1))
        assertError(.invalidArgument, try context.setTimeout(.nan))
        try context.setTimeout(.infinity)
        XCTAssertEqual(context.timeout, .infinity)
        try insertPerson("new")
        try context.save()
    }

    /// Another thread of the process writes: the save waits for that thread, not for a lock of the
    /// file.
    func test_SAV_25_aSaveThatWaitsForAnotherThreadEndsWithTheTimeout() throws {
        let other = try makeContext(coordinator), third = try makeContext(coordinator)
        let theirs = try other.person("dave0"), mine = try context.person("dave0")
        XCTAssertEqual(try mine.attributeValue(forKey: "age"), 20)
        try theirs.setValue(1, forKey: "age")
        try other.save()
        try mine.setValue(2, forKey: "age")
        let late = try third.insertNewObject(forEntityName: "Person")
        try late.setValue("late", forKey: "name")
        try third.setTimeout(0.05)
        let found = Mutex<PinviewError?>(nil)
        // The policy runs in the middle of the write transaction.
        context.mergePolicy = .custom { conflicts in
            let isOver = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                do throws(PinviewError) { try third.save() } catch { found.withLock { $0 = error } }
                isOver.signal()
            }
            isOver.wait()
            return conflicts.map { _ in .policy(.mergeByPropertyObjectTrump) }
        }
        try context.save()

        XCTAssertEqual(found.withLock { $0 }?.hasCode(.timedOut), true, "\(found.withLock { $0 } as Any)")
        XCTAssertEqual(third.insertedObjects.count, 1)
        try third.setTimeout(nil)
        try third.save()
        XCTAssertEqual(try count(), 4)
        // Later ones get their turn, too.
        try mine.setValue(3, forKey: "age")
        try context.save()
    }

    /// A merge policy saves another context to the store that is being written: nobody interrupted
    /// that.
    func test_SAV_25_aSaveInTheMiddleOfASaveIsNoInterruption() throws {
        let other = try makeContext(coordinator), third = try makeContext(coordinator)
        let theirs = try other.person("dave0"), mine = try context.person("dave0")
        XCTAssertEqual(try mine.attributeValue(forKey: "age"), 20)
        try theirs.setValue(1, forKey: "age")
        try other.save()
        try mine.setValue(2, forKey: "age")
        try third.insertNewObject(forEntityName: "Person").setValue("late", forKey: "name")
        try third.setTimeout(600)
        let found = Mutex<PinviewError?>(nil)
        context.mergePolicy = .custom { conflicts in
            do throws(PinviewError) { try third.save() } catch { found.withLock { $0 = error } }
            return conflicts.map { _ in .policy(.mergeByPropertyObjectTrump) }
        }
        try context.save()

        let error = try XCTUnwrap(found.withLock { $0 })
        XCTAssertFalse(error.hasCode(.userCancelled) || error.hasCode(.timedOut), "\(error)")
        XCTAssertTrue("\(error)".contains("This thread is already writing"), "\(error)")
        try third.save()
        XCTAssertEqual(try count(), 4)
    }

    /// A fault of many members; its statement takes more steps than pass between two looks at the
    /// clock.
    private func personWithCars(_ count: Int = 5000) throws -> ManagedObjectID {
        let writer = try makeContext(coordinator)
        let person = try writer.insertNewObject(forEntityName: "Person")
        for _ in 0..<count { try writer.insertNewObject(forEntityName: "Car").setRelatedObject(person, forKey: "owner") }
        try writer.save()
        return person.objectID
    }

    func test_FLT_03_firingAFaultEndsWithTheTimeout() throws {
        let person = try context.existingObject(with: try personWithCars())
        try context.setTimeout(0)
        assertError(.timedOut, try person.relatedObjects(forKey: "cars"))
        assertError(.timedOut, try context.count(for: FetchRequest("Car", "name == nil")))
        var patient = try FetchRequest("Car", "name == nil")
        patient.timeout = 600
        XCTAssertEqual(try context.count(for: patient), 5000, "a fetch's own timeout counts")

        try context.setTimeout(nil)
        XCTAssertEqual(try person.relatedObjects(forKey: "cars").count, 5000)
    }

    // MARK: Interrupting

    /// Calls `interrupt` on another thread, over and over, until a body has ended.
    private func interrupting(_ body: () throws -> Void) throws {
        let isOver = Atomic(false), hasEnded = DispatchSemaphore(value: 0)
        let context = self.context!
        withExtendedLifetime(isOver) {
            Thread.detachNewThread {
                while !isOver.load(ordering: .relaxed) { context.interrupt() }
                hasEnded.signal()
            }
        }
        defer {
            isOver.store(true, ordering: .relaxed)
            hasEnded.wait()
        }
        try body()
    }

    func test_SAV_25_aSaveThatWaitsIsInterrupted() throws {
        try insertPerson("new")
        try holdingLock {
            try interrupting { assertError(.userCancelled, try context.save()) }
        }
        XCTAssertEqual(context.insertedObjects.count, 1)
        try context.save()
        XCTAssertEqual(try count(), 4)
    }

    func test_FLT_03_firingAFaultIsInterrupted() throws {
        let person = try context.existingObject(with: try personWithCars())
        var failure: PinviewError?
        try interrupting {
            for _ in 0..<10_000 where failure == nil {
                do throws(PinviewError) {
                    _ = try person.relatedObjects(forKey: "cars")
                    try context.refresh(person, mergeChanges: false)
                } catch {
                    failure = error
                }
            }
        }
        XCTAssertEqual(failure?.hasCode(.userCancelled), true, "\(failure as Any)")
        XCTAssertEqual(try person.relatedObjects(forKey: "cars").count, 5000)
    }

    /// Whatever moment the interruption comes at, a save has been done in both stores or in none,
    /// and what was not done is still pending.
    func test_SAV_25_anInterruptedSaveIsWholeOrHasNotBeen() throws {
        try coordinator.addPersistentStore(type: .sqlite, at: path("second.sqlite"), options: ["historyTracking": true])
        let second = try XCTUnwrap(coordinator.persistentStores.last)
        var done = 0, stopped = 0
        for number in 0..<300 {
            let name = "new\(number)"
            try insertPerson(name)
            for _ in 0..<20 { try insertPerson(name) }
            let elsewhere = try context.insertNewObject(forEntityName: "Person")
            try elsewhere.setValue(name, forKey: "name")
            try context.assign(elsewhere, to: second)
            var failure: PinviewError?
            try interrupting { do throws(PinviewError) { try context.save() } catch { failure = error } }
            let written = [try sqlite3Count(path(), name), try sqlite3Count(path("second.sqlite"), name)]
            if let failure {
                XCTAssertTrue(failure.hasCode(.userCancelled), "\(failure)")
                XCTAssertEqual(written, [0, 0])
                XCTAssertEqual(context.insertedObjects.count, 22)
                stopped += 1
                try context.rollback()
            } else {
                XCTAssertEqual(written, [21, 1])
                done += 1
            }
            XCTAssertFalse(context.hasChanges)
        }
        print("\(done) saves were done, \(stopped) interrupted")
        XCTAssertGreaterThan(stopped, 0)
    }

    private func sqlite3Count(_ path: String, _ name: String) throws -> Int {
        var database: OpaquePointer?, statement: OpaquePointer?
        XCTAssertEqual(CSQLite.sqlite3_open(path, &database), SQLITE_OK)
        defer { sqlite3_close(database) }
        XCTAssertEqual(sqlite3_prepare_v2(database, "SELECT count(*) FROM ZPERSON WHERE ZNAME = '\(name)'", -1, &statement, nil), SQLITE_OK)
        defer { sqlite3_finalize(statement) }
        XCTAssertEqual(sqlite3_step(statement), SQLITE_ROW)
        return Int(sqlite3_column_int64(statement, 0))
    }

    /// The program's check is asked while a fault waits for a lock: a store that is not in WAL mode
    /// cannot be read while another program writes to it.
    func test_FLT_03_aCheckThatSaysSoStopsTheFiringOfAFault() throws {
        let name = "plain.sqlite"
        let coordinator = try makeCoordinator(name: name, options: ["busyTimeout": .double(600), "journalMode": "delete"])
        try fill(coordinator, count: 1)
        let context = try makeContext(coordinator)
        context.stalenessInterval = 0
        let dave = try context.person("dave0")
        try context.refresh(dave, mergeChanges: false)
        var questions = 0
        try holdingLock("BEGIN EXCLUSIVE", name) {
            FetchInterruption.setCheck {
                questions += 1
                return true
            }
            assertError(.userCancelled, try dave.attributeValue(forKey: "age"))
            FetchInterruption.setCheck(nil)
            try context.setTimeout(0.05)
            assertError(.timedOut, try dave.attributeValue(forKey: "age"))
        }
        XCTAssertEqual(questions, 1)
        XCTAssertTrue(dave.isFault)
        try context.setTimeout(nil)
        XCTAssertEqual(try dave.attributeValue(forKey: "age"), 20)
    }
}
