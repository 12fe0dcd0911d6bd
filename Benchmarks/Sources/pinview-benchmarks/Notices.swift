import BenchmarkRunner
import BenchmarkSupport
import Glibc
import Pinview
import RawSQLite

/// How soon a program that waits knows of a commit that another process makes.
let notices = Workload(
    "generation-notice",
    parameters: [
        Parameter("rows", tiny: 200, quick: 1_000, full: 1_000), Parameter("characters", tiny: 50, quick: 50, full: 50),
        Parameter("commits", tiny: 5, quick: 200, full: 400),
    ],
    measures: [
        Measure("median", "from another process's commit to the notification, median (C: polls every millisecond)", .nanoseconds),
        Measure("late", "the same, 99th percentile", .nanoseconds),
    ],
    peers: [Peer("raw", rawNotices), Peer("swift", contextNotices)],
    prepare: ItemStore.prepare)

/// The other process: for each line it commits, after a moment, and tells when it began to.
func commitWhenTold(_ arguments: [String]) throws {
    guard let path = arguments.first else { throw BenchmarkError("usage: companion commit PATH") }
    let writer = raw_writer_open(path)
    defer { raw_writer_close(writer) }
    var value: Int64 = 0
    while readLine() != nil {
        value += 1
        // Whoever waits sleeps by then.
        usleep(UInt32(2_000 + value % 7 * 300))
        let start = now()
        raw_writer_set(writer, 1, value)
        print(start)
        fflush(nil)
    }
}

/// Lets the other process commit again and again.
///
/// - Parameters:
///   - wait: returns when the commit is known of.
///   - value: reads what it made.
private func measureNotices(_ cell: Cell, wait: () throws -> Void, value: () throws -> Int64) throws {
    let other = try Companion("commit", cell.store)
    var times: [Double] = []
    for commit in 1...Int64(try cell.parameter("commits")) {
        try other.tell("commit")
        try wait()
        let noticed = now()
        let value = try value()
        guard let start = Int64(try other.hear()) else { throw BenchmarkError("the other process does not tell when it committed") }
        guard value == commit else { throw BenchmarkError("after commit \(commit) the value is \(value)") }
        times.append(Double(noticed - start))
    }
    try other.end()
    try cell.measure("median", medianOf: times)
    if let late = percentile(times, 0.99) { cell.measure("late", late) }
}

private func rawNotices(_ cell: Cell) throws {
    let reader = raw_reader_open(cell.store)
    defer { raw_reader_close(reader) }
    _ = raw_reader_value(reader, 1)
    var known = raw_reader_data_version(reader)
    try measureNotices(
        cell,
        wait: {
            while true {
                let version = raw_reader_data_version(reader)
                if version != known {
                    known = version
                    return
                }
                usleep(1_000)
            }
        }, value: { raw_reader_value(reader, 1) })
}

private func contextNotices(_ cell: Cell) throws {
    let context = try ItemStore.context(try ItemStore.open(cell.store))
    try context.setQueryGeneration(from: .current)
    let item = try ItemStore.firstItem(context)
    try measureNotices(
        cell,
        wait: {
            guard try context.waitForNewerGeneration(timeout: 30) else { throw BenchmarkError("no notice in 30 seconds") }
        },
        value: {
            try context.setQueryGeneration(from: .current)
            return try ItemStore.freshValue(item, context)
        })
}
