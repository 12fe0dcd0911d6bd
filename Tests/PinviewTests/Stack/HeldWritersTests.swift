import Foundation
import Pinview
import StressSupport
import XCTest

/// A coordinator that holds the writers of all processes while it takes a generation of several
/// stores (DEC-06, QG-34).
final class HeldWritersTests: StackTestCase {
    private var second: PersistentStore!

    override func setUpWithError() throws {
        try super.setUpWithError()
        // The longest of the stores' times counts: on a busy machine a writer that goes on and on
        // may be waited for longer than usual.
        second = try coordinator.addPersistentStore(type: .sqlite, at: path("second.sqlite"), options: ["busyTimeout": .double(60)])
        let person = try other.insertNewObject(forEntityName: "Person")
        try person.setValue("pair", forKey: "name")
        try other.assign(person, to: second)
        try other.save()
        _ = try sqlite3("UPDATE ZPERSON SET ZAGE = 0")
        _ = try sqlite3("UPDATE ZPERSON SET ZAGE = 0", file: "second.sqlite")
    }

    override func tearDownWithError() throws {
        second = nil
        try super.tearDownWithError()
    }

    /// The ages in both stores, at a new generation.
    private func ages() throws -> Set<Int64> {
        try context.setQueryGeneration(from: .current)
        try context.refreshAllObjects()
        return Set(try context.fetch(FetchRequest(entityName: "Person")).compactMap { try $0.attributeValue(forKey: "age").integerValue })
    }

    func test_DEC_06_aTransactionOverBothStoresIsSeenWholeOrNotAtAll() throws {
        let program = """
            import sqlite3, sys, time
            db = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=60)
            db.execute('ATTACH ? AS second', [sys.argv[2]])
            print('ready', flush=True)
            sys.stdin.readline()
            number = 0
            while not db.execute('SELECT ZNAME FROM main.ZPERSON WHERE ZNAME = "stop"').fetchone():
                number += 1
                db.execute('BEGIN IMMEDIATE')
                db.execute('UPDATE second.ZPERSON SET ZAGE = ?', [number])
                db.execute('UPDATE main.ZPERSON SET ZAGE = ?', [number])
                db.execute('COMMIT')
                time.sleep(0.001)  # SQLite's locks are not fair
            print(number, flush=True)
            """
        let process = try ForeignProcess(path: path("store.sqlite"), program: program, arguments: [path("second.sqlite")])
        defer { process.kill() }
        XCTAssertEqual(process.readLine(), "ready")
        coordinator.holdsWritersWhilePinning = true
        try process.write("go")

        var seen: Set<Int64> = []
        for _ in 0..<150 {
            let ages = try self.ages()
            XCTAssertEqual(ages.count, 1, "torn: \(ages)")
            seen.formUnion(ages)
        }

        try context.setQueryGeneration(from: nil)
        try changeElsewhere("dave0", "name", "stop")
        XCTAssertGreaterThan(try XCTUnwrap(Int(process.readLine())), 0)
        XCTAssertGreaterThan(seen.count, 1)
    }

    func test_DEC_06_aWriterThatGoesOnIsReported() throws {
        let hasty = try makeCoordinator(try model(), name: "store.sqlite", options: ["busyTimeout": .double(0.1)])
        try hasty.addPersistentStore(type: .sqlite, at: path("second.sqlite"), options: ["busyTimeout": .double(0.1)])
        let reader = try makeContext(hasty), process = try ForeignProcess(path: path("second.sqlite"))
        defer { process.finish() }
        try reader.setQueryGeneration(from: .current)
        try process.run("BEGIN IMMEDIATE")

        hasty.holdsWritersWhilePinning = true
        let error = assertError(.sqlite, try reader.names())

        XCTAssertTrue(try XCTUnwrap(error).message.contains("second.sqlite"))
        XCTAssertEqual(reader.queryGenerationToken, .current)
        try process.run("COMMIT")
        XCTAssertEqual(try reader.names().count, 4)
        // The lock is released at once.
        XCTAssertEqual(try process.run("UPDATE ZPERSON SET ZAGE = 9"), "ok")
    }

    func test_DEC_06_withoutItNobodyIsWaitedFor() throws {
        let process = try ForeignProcess(path: path("second.sqlite"))
        defer { process.finish() }
        try process.run("BEGIN IMMEDIATE")
        XCTAssertFalse(coordinator.holdsWritersWhilePinning)
        XCTAssertEqual(try ages(), [0])
    }

    func test_DEC_06_aSaveDoesNotWaitForItself() throws {
        coordinator.holdsWritersWhilePinning = true
        let dave = try other.person("dave0"), pair = try other.person("pair")
        try dave.setAttributeValue(.integer(5), forKey: "age")
        try pair.setAttributeValue(.integer(5), forKey: "age")
        try other.save()
        XCTAssertEqual(try ages(), [0, 5])
    }
}
