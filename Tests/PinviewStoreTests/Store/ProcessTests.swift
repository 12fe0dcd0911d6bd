import Foundation
import PinviewGenerations
import PinviewModel
import XCTest

@testable import PinviewStore

/// Several processes on one store. Each starts this test program again with a role.
final class ProcessTests: StoreTestCase {
    private static let roleKey = "PINVIEW_STORE_TEST_ROLE"
    private static let pathKey = "PINVIEW_STORE_TEST_PATH"

    private func start(_ role: String) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        process.arguments = ["PinviewStoreTests.ProcessTests/test_role"]
        process.environment = ProcessInfo.processInfo.environment.merging([Self.roleKey: role, Self.pathKey: storePath]) { $1 }
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    /// Does nothing in an ordinary run.
    func test_role() throws {
        let environment = ProcessInfo.processInfo.environment
        guard let role = environment[Self.roleKey], let path = environment[Self.pathKey] else { return }
        switch role {
        case "create":
            let store = try openStore(try TestModels.company(), path: path)
            try store.insert("Person", [["name": .string("of process \(getpid())")]])
        case "save for ever":
            let store = try openStore(try TestModels.notes(), path: path)
            // Each save is all or nothing: a hundred rows with one title.
            for round in 0..<1_000_000 {
                try store.insert(
                    "Note",
                    (0..<100).map { _ in ["title": .string("round \(round)"), "text": .string(String(repeating: "y", count: 500))] })
            }
        default: XCTFail("there is no role \(role)")
        }
    }

    func test_STO_17_processesThatCreateOneStoreAtTheSameMomentAllSucceed() throws {
        for _ in 0..<5 {
            let processes = try (0..<4).map { _ in try start("create") }
            for process in processes {
                process.waitUntilExit()
                XCTAssertEqual(process.terminationStatus, 0)
            }
            XCTAssertEqual(try sqlite3("SELECT COUNT(*), COUNT(DISTINCT Z_PK), COUNT(DISTINCT ZNAME) FROM ZPERSON"), ["4|4|4"])
            XCTAssertEqual(
                try sqlite3("SELECT COUNT(*) FROM Z_METADATA; SELECT COUNT(*) FROM Z_PRIMARYKEY; PRAGMA integrity_check"), ["1", "6", "ok"])
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: storePath + suffix) }
        }
    }

    func test_STO_17_twoStoresOnOneFileInOneProcessSeeEachOthersRows() throws {
        let model = try TestModels.notes()
        let first = try openStore(model), second = try openStore(model)
        XCTAssertEqual(first.number, second.number)
        let pinned = try second.currentGeneration()
        XCTAssertEqual(try first.insert("Note", [[:]]).map(\.primaryKey), [1])
        XCTAssertFalse(second.isNewest(pinned))
        XCTAssertEqual(try second.count(try second.fetch("Note"), at: nil), 1)
        XCTAssertEqual(try second.count(try second.fetch("Note"), at: pinned), 0)
        first.close()
        XCTAssertEqual(try second.insert("Note", [[:]]).map(\.primaryKey), [2])
        XCTAssertEqual(try second.count(try second.fetch("Note"), at: pinned), 0)
    }

    func test_threadsThatSaveAndReadAtOnceLoseNothing() throws {
        let store = try openStore(try TestModels.notes())
        let fetch = try store.fetch("Note", "title == 'x'")
        let failures = Results()
        let group = DispatchGroup()
        for _ in 0..<3 {
            DispatchQueue.global().async(group: group) {
                do {
                    for _ in 0..<40 { try store.insert("Note", [["title": "x"], ["title": "y"]]) }
                } catch { failures.add("\(error)") }
            }
            DispatchQueue.global().async(group: group) {
                do {
                    var last = 0
                    for _ in 0..<100 {
                        let generation = try store.currentGeneration()
                        let count = try store.count(fetch, at: generation)
                        if try store.fetchRows(fetch, at: generation).count != count || count < last { failures.add("\(last) \(count)") }
                        last = count
                    }
                } catch { failures.add("\(error)") }
            }
        }
        group.wait()
        XCTAssertEqual(failures.all, [])
        XCTAssertEqual(try sqlite3("SELECT COUNT(*), COUNT(DISTINCT Z_PK), MAX(Z_PK) FROM ZNOTE"), ["240|240|240"])
    }

    func test_threadsThatCreateOneStoreAtTheSameMomentAllSucceed() throws {
        let model = try TestModels.notes()
        let path = storePath
        let group = DispatchGroup()
        let results = Results()
        for _ in 0..<4 {
            DispatchQueue.global().async(group: group) {
                do {
                    results.add(try SQLStore.open(.file(path: path), model: model).identifier)
                } catch {
                    results.add("\(error)")
                }
            }
        }
        group.wait()
        XCTAssertEqual(Set(results.all).count, 1, "\(results.all)")
        XCTAssertEqual(results.all.count, 4)
    }

    func test_aProcessKilledInTheMiddleOfASaveLeavesWholeSavesOnly() throws {
        let model = try TestModels.notes()
        var last = 0
        for _ in 0..<6 {
            let process = try start("save for ever")
            // As soon as it has committed something new, whatever it is doing then.
            let deadline = Date().addingTimeInterval(30)
            while Date() < deadline {
                if FileManager.default.fileExists(atPath: storePath + "-wal"), let store = try? openStore(model),
                    let count = try? store.count(try store.fetch("Note"), at: nil), count > last
                {
                    last = count
                    break
                }
            }
            usleep(UInt32.random(in: 0...30000))
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            let store = try openStore(model)
            let count = try store.count(try store.fetch("Note"), at: nil)
            XCTAssertGreaterThanOrEqual(count, last)
            XCTAssertEqual(count % 100, 0)
            last = count
            XCTAssertEqual(try sqlite3("SELECT COUNT(*) FROM ZNOTE; PRAGMA integrity_check"), ["\(count)", "ok"])
            // The next keys are greater than all that were assigned.
            let key = try store.insert("Note", (0..<100).map { _ in [:] })[0].primaryKey
            XCTAssertGreaterThan(key, Int64(count))
            last += 100
        }
    }
}

private final class Results: @unchecked Sendable {
    private let lock = Lock()
    private var values: [String] = []

    func add(_ value: String) { lock.withLock { values.append(value) } }
    var all: [String] { lock.withLock { values } }
}
