// The Swift half of `make bench-explore`: does each kind of work on one random store by hand, with SQLite's functions, and through
// Pinview, and prints the processor time of both. `Benchmarks/Explore` makes the store, starts this program and prints the table.
import BenchmarkSupport
import Foundation
import Pinview
import RawSQLite

let arguments = CommandLine.arguments
// More of them are for a profile.
let repeats = arguments.count > 6 ? Int(arguments[6]) ?? 3 : 3
guard arguments.count >= 5, let seed = UInt64(arguments[3]), let rows = Int(arguments[4]) else {
    FileHandle.standardError.write(Data("usage: pinview-explore STORE DESCRIPTION SEED ROWS [KIND [REPEATS]]\n".utf8))
    exit(2)
}

/// The processor times of a kind of work by hand and through Pinview, in nanoseconds: the best of several where it can be repeated.
func measure(_ kind: Kind, _ schema: ExploredSchema, _ path: String) throws -> (byHand: Double, pinview: Double) {
    let model = try PersistentStoreCoordinator.managedObjectModel(ofStoreAt: path)
    let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(type: .sqlite, at: path, options: ["cacheSize": -65536, "synchronous": "normal"])
    let connection = Connection(path: path)
    var best = (byHand: Double.infinity, pinview: Double.infinity)
    for _ in 0..<(kind.writes ? 1 : repeats) {
        let each = try Case(schema: schema, coordinator: coordinator, sql: connection, rows: rows, chance: SeededGenerator(state: seed))
        let work = try kind.prepare(each)
        var byHand: Int64 = 0, pinview: Int64 = 0
        func doByHand() throws { best.byHand = min(best.byHand, try processorNanoseconds { byHand = try work.byHand() }) }
        if !kind.pinviewFirst { try doByHand() }
        best.pinview = min(best.pinview, try processorNanoseconds { pinview = try work.pinview() })
        if kind.pinviewFirst { try doByHand() }
        guard byHand == pinview else { throw ExploreError("\(kind.name): by hand \(byHand), through Pinview \(pinview)") }
    }
    return best
}

do {
    let schema = try ExploredSchema(contentsOf: arguments[2])
    let copy = arguments[1] + "-swift"
    for kind in Kind.all where arguments.count < 6 || kind.name.contains(arguments[5]) {
        // Each kind begins with the store as it was filled, and with nothing in memory.
        for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: copy + suffix) {
            try FileManager.default.removeItem(atPath: copy + suffix)
        }
        try FileManager.default.copyItem(atPath: arguments[1], toPath: copy)
        let (byHand, pinview) = try measure(kind, schema, copy)
        print("\(kind.name)\t\(byHand)\t\(pinview)")
    }
} catch {
    FileHandle.standardError.write(Data("pinview-explore: seed \(seed): \(error)\n".utf8))
    exit(1)
}
