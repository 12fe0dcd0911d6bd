import Foundation
import StressSupport
import XCTest

@testable import PinviewGenerations

typealias ForeignProcess = StressSupport.ForeignProcess

/// Gives each test a temporary folder, and other programs that use the same file.
class StoreFileTestCase: XCTestCase {
    private(set) var folder = ""
    var path: String { folder + "/store.sqlite" }

    override func setUpWithError() throws {
        folder = NSTemporaryDirectory() + "pinview-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    override func tearDown() {
        // Deleting names closes no descriptor, so no lock is lost.
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Which of the two engines the tests of a class use.
    var usesOpenTransactions: Bool { false }

    var options: StoreFileOptions {
        var options = StoreFileOptions()
        options.usesOpenTransactions = usesOpenTransactions
        return options
    }

    /// A store with the table `t (id, v)`.
    func openStore(_ options: StoreFileOptions? = nil) throws -> StoreFile {
        let store = try StoreFile.open(path: path, options: options ?? self.options)
        if !store.isReadOnly { try store.write("CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, v)") }
        return store
    }

    /// Runs SQL in the sqlite3 command-line tool, another process with its own connection, and
    /// returns the lines of its output.
    @discardableResult
    func sqlite3(_ sql: String, path: String? = nil) throws -> [String] { try run("sqlite3", ["-batch", path ?? self.path, sql]) }

    @discardableResult
    func run(_ program: String, _ arguments: [String]) throws -> [String] {
        let process = Process(), output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text.split(separator: "\n").map(String.init)
    }

    /// Whether a TRUNCATE checkpoint by another program reports busy.
    func foreignTruncateIsBusy() throws -> Bool {
        let line = try sqlite3("PRAGMA wal_checkpoint(TRUNCATE)").last ?? ""
        return line.hasPrefix("1|")
    }

    /// Drops every POSIX lock of the process on the store, as any code does that closes a
    /// descriptor of its files.
    func loseProcessLocks() {
        for name in [path, path + "-shm"] { close(open(name, O_RDONLY)) }
    }
}

extension StoreFile {
    @discardableResult
    func write(_ sql: String...) throws -> Generation? {
        let transaction = try beginWrite()
        for sql in sql { try transaction.connection.execute(sql) }
        return try transaction.commit()
    }

    func int(_ sql: String, at generation: Generation) throws -> Int {
        try read(at: generation) { try $0.value(sql).flatMap { Int($0) } ?? -1 }
    }

    func newestInt(_ sql: String) throws -> Int { try readNewest { try $0.value(sql).flatMap { Int($0) } ?? -1 } }
}

/// Waits for an action of another thread or process; fails after a long time.
func waitUntil(_ what: String, _ isDone: () throws -> Bool) rethrows {
    let deadline = Date(timeIntervalSinceNow: 120)
    while try !isDone() {
        if Date() > deadline { return XCTFail("it did not happen in time: \(what)") }
        usleep(1_000)
    }
}

/// Runs a body on a number of threads at the same time (Dispatch would use as many as there are
/// cores) and waits for them.
func inThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let group = DispatchGroup()
    for index in 0..<count {
        group.enter()
        Thread.detachNewThread {
            body(index)
            group.leave()
        }
    }
    group.wait()
}
