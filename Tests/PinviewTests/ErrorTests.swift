import Foundation
import Pinview
import XCTest

/// What errors hold, and stores that cannot be used: ERR-01 to ERR-07, SAV-25, STO-14.
final class ErrorTests: StoreTestCase {
    private func busyCoordinator() throws -> PersistentStoreCoordinator {
        let coordinator = try makeCoordinator(options: ["busyTimeout": 0.05])
        try fill(coordinator, count: 3)
        return coordinator
    }

    /// Starts the sqlite3 tool and lets it hold the write lock of a store until the result is called.
    private func lockInAnotherProcess(_ file: String = "store.sqlite") throws -> () -> Void {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["sqlite3", "-batch", path(file)]
        let input = Pipe(), output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        input.fileHandleForWriting.write(Data("BEGIN IMMEDIATE;\nSELECT 'locked';\n".utf8))
        // The answer comes when the lock is held.
        let answer = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        XCTAssertEqual(answer, "locked\n")
        return {
            input.fileHandleForWriting.write(Data("ROLLBACK;\n.quit\n".utf8))
            input.fileHandleForWriting.closeFile()
            process.waitUntilExit()
        }
    }

    // MARK: Locked stores

    func test_SAV_25_and_ERR_03_aSaveAgainstALockedStoreFailsAndSucceedsLater() throws {
        let context = try makeContext(try busyCoordinator())
        let unlock = try lockInAnotherProcess()
        try context.person("dave0").setValue("edited", forKey: "name")
        let error = assertError(.persistentStoreSave, try context.save())
        XCTAssertEqual(error?.code, 134030)
        XCTAssertEqual(error?.sqliteCode.map { $0 & 0xFF }, 5)  // SQLITE_BUSY
        XCTAssertEqual(error?.underlyingError?.domain, "NSSQLiteErrorDomain")
        XCTAssertEqual(error?.underlyingError?.code, error?.sqliteCode.map(Int.init))
        XCTAssertTrue(context.hasChanges)
        unlock()
        try context.save()
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZPERSON WHERE ZNAME = 'edited'"), "1")
    }

    func test_SAV_25_readsGoOnWhileTheStoreIsLocked() throws {
        let context = try makeContext(try busyCoordinator())
        let unlock = try lockInAnotherProcess()
        defer { unlock() }
        XCTAssertEqual(try context.names().count, 3)
        try context.setQueryGeneration(from: .current)
        XCTAssertEqual(try context.names().count, 3)
    }

    func test_SAV_25_aSaveWaitsForALockThatGoesInTime() throws {
        let coordinator = try makeCoordinator(options: ["busyTimeout": 30.0])
        try fill(coordinator, count: 3)
        let context = try makeContext(coordinator)
        try context.person("dave0").setValue("edited", forKey: "name")
        let unlock = try lockInAnotherProcess()
        let saved = expectation(description: "saved")
        Thread {
            do { try context.save() } catch { XCTFail("\(error)") }
            saved.fulfill()
        }.start()
        unlock()
        wait(for: [saved], timeout: 30)
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZPERSON WHERE ZNAME = 'edited'"), "1")
    }

    func test_aBatchUpdateAgainstALockedStoreFails() throws {
        let context = try makeContext(try busyCoordinator())
        let unlock = try lockInAnotherProcess()
        defer { unlock() }
        var update = BatchUpdateRequest(entityName: "Person")
        update.propertiesToUpdate = ["age": 99]
        do {
            _ = try context.execute(update)
            XCTFail("no error was thrown")
        } catch let error as PinviewError {
            XCTAssertEqual(error.sqliteCode.map { $0 & 0xFF }, 5)
        }
    }
}
