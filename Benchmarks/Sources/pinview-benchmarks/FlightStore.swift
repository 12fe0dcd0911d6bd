import BenchmarkRunner
import BenchmarkSupport
import Foundation
import Pinview
import RawSQLite

extension Cell {
    /// The store that ``FlightStore/prepare(_:)`` copied.
    var flights: String { path(FlightStore.file) }
}

/// The flights that left New York in 2013. The store is made once for each machine (Python/make_store.py) and copied.
enum FlightStore {
    static let file = "flights.sqlite"
    static let rows: Int64 = 336_776
    /// Names the folder with the finished store.
    static let dataVariable = "PINVIEW_BENCHMARK_DATA"

    static func prepare(_ cell: Cell) throws {
        guard let folder = ProcessInfo.processInfo.environment[dataVariable] else {
            throw BenchmarkError("the environment has to name the folder of \(file) as \(dataVariable), as `make bench` does")
        }
        try FileManager.default.copyItem(atPath: folder + "/" + file, toPath: cell.flights)
    }
}

/// What is the same with all stores.
enum Stores {
    /// The settings that all peers have.
    static let options: [String: Value] = ["cacheSize": -65536, "synchronous": "normal"]

    @discardableResult
    static func open(_ path: String, _ model: ManagedObjectModel, history: Bool = false) throws -> PersistentStoreCoordinator {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        var options = options
        if history { options["NSPersistentHistoryTrackingKey"] = true }
        try coordinator.addPersistentStore(type: .sqlite, at: path, options: options)
        return coordinator
    }

    /// A context that is pinned to the newest generation, or to that of another one.
    static func context(_ coordinator: PersistentStoreCoordinator, like other: ManagedObjectContext? = nil) throws -> ManagedObjectContext {
        let context = ManagedObjectContext(concurrencyType: .privateQueue)
        try context.setPersistentStoreCoordinator(coordinator)
        try context.setQueryGeneration(from: other?.queryGenerationToken ?? .current)
        return context
    }

    /// Reads one number with SQL.
    static func value(_ path: String, _ sql: String) -> Int64 {
        let database = raw_open(path)
        defer { raw_close(database) }
        return raw_value(database, sql)
    }
}
