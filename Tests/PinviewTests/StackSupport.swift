import Foundation
import Pinview
import XCTest

/// A test with one stack that is filled already: a coordinator and two contexts on it, both
/// unpinned.
class StackTestCase: StoreTestCase {
    private(set) var coordinator: PersistentStoreCoordinator!
    var context: ManagedObjectContext!
    var other: ManagedObjectContext!

    override func setUpWithError() throws {
        try super.setUpWithError()
        coordinator = try makeCoordinator(try model())
        try prepareStore()
        context = try makeContext(coordinator)
        other = try makeContext(coordinator)
    }

    override func tearDownWithError() throws {
        context = nil
        other = nil
        coordinator = nil
        try super.tearDownWithError()
    }

    func model() throws -> ManagedObjectModel { try people() }

    /// What is stored before the test begins: dave0, dave1 and dave2 of ages 20, 21 and 22, with
    /// one car each.
    func prepareStore() throws { try fill(coordinator, count: 3) }

    /// A context on a coordinator of its own, as a second program on the same file would have it.
    func makeContextOfSecondStack() throws -> ManagedObjectContext {
        try makeContext(try makeCoordinator(try model()))
    }

    /// How many statements that read rows go to SQLite while `body` runs.
    func selects(_ body: () throws -> Void) rethrows -> Int {
        try logged(body).filter { $0.contains("SELECT") }.count
    }

    /// The lines of the SQL log while `body` runs.
    func logged(_ body: () throws -> Void) rethrows -> [String] {
        let lines = LogLines()
        SQLDebug.setHandler { lines.add($0) }
        SQLDebug.isEnabled = true
        defer {
            SQLDebug.isEnabled = false
            SQLDebug.setHandler(nil)
        }
        try body()
        return lines.all
    }

    /// Sets an attribute of one person through the second context and saves it.
    func changeElsewhere(_ name: String, _ key: String, _ value: Value) throws {
        try other.person(name).setAttributeValue(value, forKey: key)
        try other.save()
    }

    /// The names in the store, read by a context of its own.
    func storedNames(_ entityName: String = "Person") throws -> [String] {
        let reader = try makeContext(coordinator)
        return try reader.names(entityName)
    }

    func deleteElsewhere(_ name: String) throws {
        try other.delete(try other.person(name))
        try other.save()
    }
}

/// A time that only the test moves, for rules that depend on the age of what was read.
final class TestClock: @unchecked Sendable {  // guarded by `lock`
    private let lock = NSLock()
    private var seconds = 1000.0

    var now: Double { lock.withLock { seconds } }
    func advance(by interval: Double) { lock.withLock { seconds += interval } }
}

extension ManagedObject {
    func string(_ key: String) throws -> String? { try attributeValue(forKey: key).stringValue }
    func integer(_ key: String) throws -> Int64? { try attributeValue(forKey: key).integerValue }
}

/// Counts up to a number, for any thread.
final class NumberSource: @unchecked Sendable {  // guarded by `lock`
    private let lock = NSLock()
    private var last = -1
    private let limit: Int

    init(_ limit: Int) { self.limit = limit }

    func next() -> Int? {
        lock.withLock {
            guard last + 1 < limit else { return nil }
            last += 1
            return last
        }
    }
}
