import BenchmarkRunner
import BenchmarkSupport
import Pinview
import RawSQLite

/// Two threads read one old generation, 400 commits behind. By hand they have one connection with an open read transaction, and
/// take turns on it; or a connection each, both with a transaction that was begun in time, which tells what two threads can gain here.
let parallelReads = Workload(
    "generation-parallel",
    parameters: [
        Parameter("rows", tiny: 2_000, quick: 100_000, full: 100_000), Parameter("characters", tiny: 50, quick: 400, full: 400),
        Parameter("commits", tiny: 10, quick: 400, full: 400), Parameter("points", tiny: 100, quick: 40_000, full: 60_000),
        Parameter("ranges", tiny: 20, quick: 2_000, full: 4_000), Parameter("scans", tiny: 4, quick: 12, full: 16),
    ],
    measures: [
        Measure("points1", "rows by key from an old generation, one thread", .perSecond),
        Measure("points2", "the same, two threads (C: taking turns on one connection)", .perSecond),
        Measure("pointsEach", "the same, C with a connection for each thread", .perSecond),
        Measure("ranges1", "ranges of 100 rows, one thread", .perSecond),
        Measure("ranges2", "the same, two threads", .perSecond),
        Measure("rangesEach", "the same, C with a connection for each thread", .perSecond),
        Measure("scans1", "scans of {rows} rows, one thread", .perSecond),
        Measure("scans2", "the same, two threads", .perSecond),
        Measure("scansEach", "the same, C with a connection for each thread", .perSecond),
        Measure("counts1", "counts by a predicate without an index, one thread", .perSecond),
        Measure("counts2", "the same, two threads", .perSecond),
        Measure("countsEach", "the same, C with a connection for each thread", .perSecond),
    ],
    peers: [Peer("raw", rawReads), .engine, Peer("swift", contextReads)],
    prepare: ItemStore.prepare)

private func rawReads(_ cell: Cell) throws {
    let rows = Int64(try cell.parameter("rows"))
    let writer = raw_writer_open(cell.store)
    nonisolated(unsafe) let readers = [raw_reader_open(cell.store), raw_reader_open(cell.store)]  // each has a turn for each thread
    defer {
        for reader in readers { raw_reader_close(reader) }
        raw_writer_close(writer)
    }
    raw_writer_set(writer, 1, 1)
    for reader in readers {
        raw_reader_begin(reader)
        _ = raw_reader_value(reader, 1)
    }
    for commit in 0..<Int64(try cell.parameter("commits")) { raw_writer_set(writer, key(commit, rows: rows), commit) }
    for (name, kind, operations) in [
        ("points", RAW_POINT, try cell.parameter("points")), ("ranges", RAW_RANGE, try cell.parameter("ranges")),
        ("scans", RAW_SCAN, try cell.parameter("scans")), ("counts", RAW_COUNT, try cell.parameter("scans")),
    ] {
        for (suffix, threads, used) in [("1", 1, 1), ("2", 2, 1), ("Each", 2, 2)] {
            try cell.measure(name + suffix, checksum: name, operations: operations) { first, end in
                try onThreads(threads, from: first, to: end) { thread, operation in
                    raw_reader_take_turn(readers[thread % used], Int32(kind), key(operation, rows: rows))
                }
            }
        }
    }
    for reader in readers { raw_reader_end(reader) }
}

/// A context for each thread, all on one generation. Each number of threads has a coordinator of its own, which has not counted yet: it
/// remembers what was counted at a generation.
private func contextReads(_ cell: Cell) throws {
    let rows = Int64(try cell.parameter("rows")), operations = try cell.parameter("scans")
    let writer = raw_writer_open(cell.store)
    defer { raw_writer_close(writer) }
    raw_writer_set(writer, 1, 1)
    let contexts = try [1, 2].map { threads in
        let coordinator = try ItemStore.open(cell.store)
        let first = try ItemStore.context(coordinator)
        try first.setQueryGeneration(from: .current)
        _ = try ItemStore.firstItem(first)
        return try [first]
            + (1..<threads).map { _ in
                let other = try ItemStore.context(coordinator)
                try other.setQueryGeneration(from: first.queryGenerationToken)
                return other
            }
    }
    for commit in 0..<Int64(try cell.parameter("commits")) { raw_writer_set(writer, key(commit, rows: rows), commit) }
    for contexts in contexts {
        try cell.measure("counts\(contexts.count)", checksum: "counts", operations: operations) { first, end in
            try onThreads(contexts.count, from: first, to: end) { thread, operation in
                var request = FetchRequest(entityName: "Item")
                request.predicate = try PinviewPredicate(format: "value == %@", key(operation, rows: rows) % 1000)
                return Int64(try contexts[thread].count(for: request))
            }
        }
    }
}
