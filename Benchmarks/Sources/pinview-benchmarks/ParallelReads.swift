import BenchmarkRunner
import Dispatch
import Pinview
import RawSQLite

/// Two threads read one old generation, 400 commits behind. By hand they have one connection with an open read transaction, and
/// take turns on it.
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
        Measure("ranges1", "ranges of 100 rows, one thread", .perSecond),
        Measure("ranges2", "the same, two threads", .perSecond),
        Measure("scans1", "scans of {rows} rows, one thread", .perSecond),
        Measure("scans2", "the same, two threads", .perSecond),
        Measure("counts1", "counts by a predicate without an index, one thread", .perSecond),
        Measure("counts2", "the same, two threads", .perSecond),
    ],
    peers: [Peer("raw", rawReads), .engine, Peer("swift", contextReads)],
    prepare: ItemStore.prepare)

private func rawReads(_ cell: Cell) throws {
    let rows = Int64(try cell.parameter("rows"))
    let writer = raw_writer_open(cell.store), reader = raw_reader_open(cell.store)
    defer {
        raw_reader_close(reader)
        raw_writer_close(writer)
    }
    raw_writer_set(writer, 1, 1)
    raw_reader_begin(reader)
    _ = raw_reader_value(reader, 1)
    for commit in 0..<Int64(try cell.parameter("commits")) { raw_writer_set(writer, raw_key(commit, rows), commit) }
    for (name, kind, operations) in [
        ("points", RAW_POINT, try cell.parameter("points")), ("ranges", RAW_RANGE, try cell.parameter("ranges")),
        ("scans", RAW_SCAN, try cell.parameter("scans")), ("counts", RAW_COUNT, try cell.parameter("scans")),
    ] {
        for threads in [1, 2] {
            let (speed, sum) = fastest(Int64(operations)) { first, end in
                var sum: Int64 = 0
                return (raw_shared_connection(reader, Int32(kind), Int32(threads), first, end, rows, &sum), sum)
            }
            cell.measure("\(name)\(threads)", speed)
            cell.checksum(name, sum)
        }
    }
    raw_reader_end(reader)
}

/// A context for each thread, all on one generation.
private func contextReads(_ cell: Cell) throws {
    let rows = Int64(try cell.parameter("rows")), operations = try cell.parameter("scans")
    let writer = raw_writer_open(cell.store)
    defer { raw_writer_close(writer) }
    raw_writer_set(writer, 1, 1)
    let coordinator = try ItemStore.open(cell.store)
    let contexts = [try ItemStore.context(coordinator), try ItemStore.context(coordinator)]
    try contexts[0].setQueryGeneration(from: .current)
    _ = try ItemStore.firstItem(contexts[0])
    try contexts[1].setQueryGeneration(from: contexts[0].queryGenerationToken)
    for commit in 0..<Int64(try cell.parameter("commits")) { raw_writer_set(writer, raw_key(commit, rows), commit) }
    for threads in [1, 2] {
        let (speed, sum) = try fastest(Int64(operations)) { first, end in
            let start = raw_now()
            let sum = try onThreads(threads) { thread in
                var sum: Int64 = 0
                for operation in stride(from: first + Int64(thread), to: end, by: threads) {
                    var request = FetchRequest(entityName: "Item")
                    request.predicate = try Predicate(format: "value == %@", raw_key(operation, rows) % 1000)
                    sum += Int64(try contexts[thread].count(for: request))
                }
                return sum
            }
            return (raw_now() - start, sum)
        }
        cell.measure("counts\(threads)", speed)
        cell.checksum("counts", sum)
    }
}

/// Does the operations in slices and takes the fastest, because two threads are two only while nobody else has the processors.
///
/// - Parameter slice: does the operations of a range; gives the nanoseconds and the sum of what it read.
/// - Returns: operations a second, and the sum of everything.
private func fastest(
    _ operations: Int64, _ slice: (_ first: Int64, _ end: Int64) throws -> (Int64, Int64)
) rethrows -> (speed: Double, sum: Int64) {
    let length = max(2, operations / 20)
    var speed = 0.0, sum: Int64 = 0
    for first in stride(from: 0, to: operations, by: Int(length)) {
        let end = min(first + length, operations)
        let (time, part) = try slice(first, end)
        speed = max(speed, Double(end - first) / (Double(time) / 1e9))
        sum += part
    }
    return (speed, sum)
}

/// Runs the body on so many threads at once.
///
/// - Returns: the sum of what they gave.
private func onThreads(_ count: Int, _ body: @Sendable (Int) throws -> Int64) throws -> Int64 {
    var results = [Result<Int64, any Error>](repeating: .success(0), count: count)
    results.withUnsafeMutableBufferPointer { buffer in
        nonisolated(unsafe) let buffer = buffer  // each thread has a place of its own
        DispatchQueue.concurrentPerform(iterations: count) { thread in buffer[thread] = Result { try body(thread) } }
    }
    return try results.reduce(0) { $0 + (try $1.get()) }
}
