import BenchmarkRunner
import BenchmarkSupport
import Foundation
import Pinview
import RawSQLite

/// W10: a snapshot, a read, and the end of it.
let snapshots = Workload(
    "w10-snapshot", parameters: [Parameter("repeats", tiny: 100, quick: 3_000, full: 10_000)],
    measures: [
        Measure("commit", "W10: snapshot, read, release, with a commit in between", .nanoseconds),
        Measure("idle", "W10: the same without commits", .nanoseconds),
        Measure("shared", "W10: without commits, while another context stays on the generation", .nanoseconds),
        Measure("asked", "W10: without commits, asking first whether there were any", .nanoseconds),
    ],
    peers: [Peer("raw", rawSnapshots), Peer("swift", swiftSnapshots)], prepare: FlightStore.prepare)

/// Reports what `snapshot` takes after each commit, without commits, while somebody else keeps a snapshot of the same state, and with
/// `asked` instead, which takes a snapshot only when there is a newer state than the one that it stays on.
private func reportSnapshots(
    _ cell: Cell, keep: () throws -> Void = {}, stay: () throws -> Void = {}, asked: (() throws -> Int64)? = nil,
    _ snapshot: () throws -> Int64
) throws {
    let repeats = Int64(try cell.parameter("repeats"))
    let writer = raw_flights_open(cell.flights)
    defer { raw_flights_close(writer) }
    _ = try snapshot()
    var sum: Int64 = 0, time = 0.0
    for index in 0..<repeats {
        raw_flights_set_minute(writer, 1, index % 60)
        time += try nanoseconds { sum += try snapshot() }
    }
    cell.measure("commit", time / Double(repeats))
    cell.checksum("commit", sum)
    for name in ["idle", "shared", "asked"] {
        if name == "shared" { try keep() }
        if name == "asked" { try stay() }
        sum = 0
        time = try nanoseconds { for _ in 0..<repeats { sum += try name == "asked" ? asked?() ?? snapshot() : snapshot() } }
        cell.measure(name, time / Double(repeats))
        cell.checksum(name, sum)
    }
}

private func rawSnapshots(_ cell: Cell) throws {
    let flights = raw_flights_open(cell.flights)
    defer { raw_flights_close(flights) }
    try reportSnapshots(cell) { raw_flights_snapshot(flights, 1) }
}

/// The read of the refreshed flight takes the newest generation, and the context lets it go by being told to take another at its next read.
private func swiftSnapshots(_ cell: Cell) throws {
    let flights = try Flights(cell)
    let context = try Stores.context(flights.coordinator)
    let keeper = try Stores.context(flights.coordinator)
    guard let id = try flights.id(1) else { return }
    try context.performAndWait {
        let flight = try context.object(with: id)
        func read() throws -> Int64 { try flight.attributeValue(at: flights.minute).number }
        func snapshot() throws -> Int64 {
            try context.refresh(flight, mergeChanges: false)
            let minute = try read()
            try context.setQueryGeneration(from: .current)
            return minute
        }
        /// Takes a snapshot only when there is a newer state, and stays on it.
        func asked() throws -> Int64 {
            if context.hasNewerGeneration {
                try context.setQueryGeneration(from: .current)
                try context.refresh(flight, mergeChanges: false)
            }
            return try read()
        }
        func stay(_ context: ManagedObjectContext) throws {
            try context.setQueryGeneration(from: .current)
            _ = try context.count(for: FetchRequest(entityName: "Airline"))
        }
        try reportSnapshots(cell, keep: { try stay(keeper) }, stay: { try stay(context) }, asked: asked, snapshot)
    }
}

/// W13: reading while another process writes.
let latency = Workload(
    "w13-latency", parameters: [Parameter("reads", tiny: 500, quick: 10_000, full: 50_000)],
    measures: [
        Measure("p50", "W13: read a flight while another process writes, median", .nanoseconds),
        Measure("p99", "W13: the same, 99th percentile", .nanoseconds),
        Measure("commits", "W13: commits by the other process meanwhile", .perSecond),
    ],
    peers: [Peer("raw", rawLatency), Peer("swift", swiftLatency)], roundFactor: 3, prepare: FlightStore.prepare)

private func reportLatency(_ cell: Cell, _ read: (Int64) throws -> Int64) throws {
    let reads = Int64(try cell.parameter("reads"))
    let writer = try Companion("change-flights", cell.flights)
    _ = try writer.hear()
    let start = now()
    var times: [Double] = []
    times.reserveCapacity(Int(reads))
    for index in 0..<reads {
        let key = raw_random_key(index, FlightStore.rows)
        times.append(try nanoseconds { _ = try read(key) })
    }
    let seconds = Double(now() - start) / 1e9
    try writer.tell("stop")
    guard let commits = Double(try writer.hear()), let p50 = percentile(times, 0.5), let p99 = percentile(times, 0.99) else { return }
    try writer.end()
    cell.measure("p50", p50)
    cell.measure("p99", p99)
    cell.measure("commits", commits / seconds)
}

/// The companion that commits one change after the other until it is told something.
func changeFlights(_ arguments: [String]) throws {
    guard let path = arguments.first else { throw BenchmarkError("change-flights needs the path of a store") }
    let flights = raw_flights_open(path)
    defer { raw_flights_close(flights) }
    say("ready")
    var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    var commits: Int64 = 0
    while poll(&input, 1, 0) == 0 {
        raw_flights_set_minute(flights, raw_random_key(commits * 7919, FlightStore.rows), commits % 60)
        commits += 1
    }
    say("\(commits)")
}

private func say(_ line: String) {
    print(line)
    fflush(nil)
}

private func rawLatency(_ cell: Cell) throws {
    let flights = raw_flights_open(cell.flights)
    defer { raw_flights_close(flights) }
    try reportLatency(cell) { raw_flights_once(flights, $0) }
}

/// Each read takes the newest generation and fires a fault in it; then the context lets the generation go.
private func swiftLatency(_ cell: Cell) throws {
    let flights = try Flights(cell)
    let context = try Stores.context(flights.coordinator)
    // IDs are made ahead, as a program has them.
    let ids = try (0..<Int64(try cell.parameter("reads"))).map { try flights.id(raw_random_key($0, FlightStore.rows)) }
    var next = 0
    try context.performAndWait {
        try reportLatency(cell) { _ in
            guard let id = ids[next] else { return 0 }
            next += 1
            let six = try flights.readSix(try context.object(with: id))
            try context.setQueryGeneration(from: .current)
            return six
        }
    }
}
