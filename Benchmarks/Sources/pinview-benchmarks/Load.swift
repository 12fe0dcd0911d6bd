import BenchmarkRunner
import BenchmarkSupport
import Pinview
import RawSQLite

/// What it takes until a program can begin.
let load = Group(
    "load",
    columns: [("raw", "libsqlite3, Python's sqlite3"), ("c", "Pinview, C"), ("swift", "Pinview, Swift"), ("python", "Pinview, Python")],
    workloads: [
        Workload(
            "load-library", parameters: [],
            measures: [
                Measure("load", "load the library (dlopen)", .nanoseconds), Measure("call", "first call", .nanoseconds),
                Measure("size", "size of its file", .bytes),
            ],
            peers: [Peer("raw", program: "load"), Peer("c", program: "load")]),
        Workload(
            "load-import", parameters: [],
            measures: [Measure("import", "import the Python package", .nanoseconds), Measure("memory", "memory it takes", .bytes)],
            peers: [Peer("raw", program: "import"), Peer("python", program: "import")]),
        Workload(
            "load-open", parameters: [],
            measures: [
                Measure("open", "open a store of 48 MB, with the model it contains, and read an object by key", .nanoseconds),
                Measure("again", "the same when the process already has one open", .nanoseconds),
            ],
            peers: [Peer("raw", rawOpen), Peer("swift", swiftOpen), Peer("c", program: "c"), Peer("python", program: "import")],
            prepare: FlightStore.prepare),
        Workload(
            "load-open-ready", parameters: [],
            measures: [Measure("ready", "open the first store with a model that is ready, and read an object by key", .nanoseconds)],
            peers: [Peer("raw", rawOpenReady), Peer("swift", swiftOpenReady), Peer("c", program: "c")], prepare: FlightStore.prepare),
    ])

private func rawOpen(_ cell: Cell) throws {
    var opened: [OpaquePointer?] = []
    defer { for database in opened { raw_close(database) } }
    for name in ["open", "again"] {
        cell.measure(name, nanoseconds { opened.append(rawOpened(cell)) })
    }
}

private func rawOpenReady(_ cell: Cell) throws {
    var opened: OpaquePointer?
    defer { raw_close(opened) }
    cell.measure("ready", nanoseconds { opened = rawOpened(cell) })
}

private func rawOpened(_ cell: Cell) -> OpaquePointer? {
    let database = raw_open(cell.flights)
    cell.checksum("distance", raw_value(database, "SELECT ZDISTANCE FROM ZFLIGHT WHERE Z_PK = 77"))
    return database
}

private func swiftOpen(_ cell: Cell) throws {
    var opened: [Opened] = []
    for name in ["open", "again"] {
        let time = try nanoseconds {
            opened.append(try swiftOpened(cell, try PersistentStoreCoordinator.managedObjectModel(ofStoreAt: cell.flights)))
        }
        cell.measure(name, time)
    }
    withExtendedLifetime(opened) {}
}

/// The model was read before, as a program has it that brings its model along.
private func swiftOpenReady(_ cell: Cell) throws {
    let model = try PersistentStoreCoordinator.managedObjectModel(ofStoreAt: cell.flights)
    var opened: Opened?
    cell.measure("ready", try nanoseconds { opened = try swiftOpened(cell, model) })
    withExtendedLifetime(opened) {}
}

/// What a program has then, and keeps.
private typealias Opened = (coordinator: PersistentStoreCoordinator, context: ManagedObjectContext)

private func swiftOpened(_ cell: Cell, _ model: ManagedObjectModel) throws -> Opened {
    let coordinator = try Stores.open(cell.flights, model)
    let context = try Stores.context(coordinator)
    guard let store = coordinator.persistentStores.first,
        let id = try coordinator.managedObjectID(forURIRepresentation: "x-coredata://\(store.identifier)/Flight/p77")
    else { throw BenchmarkError("the store has no identifier") }
    cell.checksum("distance", try context.existingObject(with: id).attributeValue(forKey: "distance").number)
    return (coordinator, context)
}
