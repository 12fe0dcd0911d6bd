import BenchmarkRunner
import BenchmarkSupport
import Pinview
import RawSQLite

/// Pinned generations, 1 to 10,000 of them, and what the others cost.
let someGenerations = [
    keepSome("scale-generations-1", tiny: 1, quick: 1, full: 1),
    keepSome("scale-generations-2", tiny: 5, quick: 10, full: 10),
    keepSome("scale-generations-3", tiny: 10, quick: 100, full: 100),
    keepSome("scale-generations-4", tiny: 20, quick: 1_000, full: 1_000),
    keepSome("scale-generations-5", tiny: 40, quick: 3_000, full: 10_000),
]

private func keepSome(_ name: String, tiny: Int, quick: Int, full: Int) -> Workload {
    Workload(
        name,
        parameters: [
            Parameter("generations", tiny: tiny, quick: quick, full: full), Parameter("rows", tiny: 100, quick: 1_000, full: 1_000),
            Parameter("characters", tiny: 50, quick: 50, full: 50),
        ],
        measures: [
            Measure("pin", "pin after a commit, and read, beside {generations} pinned generations", .nanoseconds),
            Measure("save", "save a change beside {generations} pinned generations", .nanoseconds),
            Measure("read", "read an object anew at the oldest of {generations} pinned generations", .nanoseconds),
        ],
        peers: [Peer("swift", swiftKeepSome)], mostRounds: 3, prepare: ItemStore.prepare)
}

private let repeats = 200

private func swiftKeepSome(_ cell: Cell) throws {
    let writer = raw_writer_open(cell.store)
    defer { raw_writer_close(writer) }
    let coordinator = try ItemStore.open(cell.store)
    func pinned() throws -> ManagedObjectContext {
        let context = try ItemStore.context(coordinator)
        try context.setQueryGeneration(from: .current)
        // Pinning is lazy.
        _ = try ItemStore.firstItem(context)
        return context
    }
    var kept: [ManagedObjectContext] = []
    for number in 1...Int64(try cell.parameter("generations")) {
        raw_writer_set(writer, 1, number)
        kept.append(try pinned())
    }
    let pins = try (0..<repeats).map { number in
        raw_writer_set(writer, 1, Int64(number))
        return try nanoseconds { _ = try pinned() }
    }
    try cell.measure("pin", medianOf: pins)
    let saving = try ItemStore.context(coordinator)
    let changed = try ItemStore.firstItem(saving)
    let saves = try (0..<repeats).map { number in
        try nanoseconds {
            try changed.setAttributeValue(.integer(Int64(number)), forKey: "value")
            try saving.save()
        }
    }
    try cell.measure("save", medianOf: saves)
    let oldest = try ItemStore.firstItem(kept[0])
    let reads = try (0..<repeats).map { _ in
        try nanoseconds {
            guard try ItemStore.freshValue(oldest, kept[0]) == 1 else { throw BenchmarkError("the oldest generation has moved") }
        }
    }
    try cell.measure("read", medianOf: reads)
}
