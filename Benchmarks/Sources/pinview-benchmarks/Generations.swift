import BenchmarkRunner

/// What pinned generations cost. The engine is a program of the library's own package, because only there its interface is
/// visible; see the folder Engine.
let generations = Group(
    "generations",
    columns: [("raw", "C by hand"), ("engine", "engine"), ("swift", "Swift contexts")],
    workloads: [pins, idleGenerations, lateReaders, parallelReads, journalSize, notices])

private let engineName = "engine"

extension Peer {
    static let engine = Peer(engineName, program: engineName)
}
