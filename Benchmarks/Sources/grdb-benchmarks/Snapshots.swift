import BenchmarkSupport
import Foundation
import GRDB
import RawSQLite

/// A read of the pool is the cheapest snapshot that there is here.
func snapshots(_ cell: Cell) throws {
    let repeats = Int64(try cell.parameter("repeats")), pool = try openFlights(cell)
    let request = Flight.select(Flight.Columns.minute, as: Int64.self).filter(key: 1)
    func snapshot() throws -> Int64 { try pool.read { try request.fetchOne($0) ?? 0 } }
    let writer = raw_flights_open(cell.path("flights.sqlite"))
    defer { raw_flights_close(writer) }
    _ = try snapshot()
    var sum: Int64 = 0, time = 0.0
    for index in 0..<repeats {
        raw_flights_set_minute(writer, 1, index % 60)
        time += try nanoseconds { sum += try snapshot() }
    }
    cell.measure("commit", time / Double(repeats))
    cell.checksum("commit", sum)
    sum = 0
    time = try nanoseconds { for _ in 0..<repeats { sum += try snapshot() } }
    cell.measure("idle", time / Double(repeats))
    cell.checksum("idle", sum)
}

func twoThreads(_ cell: Cell) throws {
    let limit = try cell.parameter("limit"), month = Flight.Columns.month
    var perRow: [Double] = []
    for (name, threads) in [("two", 2), ("one", 1)] {
        let pool = try openFlights(cell)
        let counts = UnsafeMutablePointer<Int64>.allocate(capacity: 2)  // one for each half
        defer { counts.deallocate() }
        let slice = try onThreads(threads, from: 0, to: 2) { _, half in
            let request = half == 0 ? Flight.filter(month <= 6) : Flight.filter(month > 6)
            let found = try pool.read { try (limit == 0 ? request : request.limit(limit)).fetchAll($0) }
            counts[Int(half)] = Int64(found.count)
            return found.reduce(Int64(0)) { $0 + $1.six }
        }
        perRow.append(Double(slice.nanoseconds) / Double(counts[0] + counts[1]))
        cell.measure(name, perRow[perRow.count - 1])
        cell.checksum("rows", slice.sum)
    }
    cell.measure("speedup", perRow[1] / perRow[0])
}

/// The other process is this program's own; it commits until it is told something.
func latency(_ cell: Cell) throws {
    let reads = Int64(try cell.parameter("reads"))
    let writer = Process(), input = Pipe(), output = Pipe()
    writer.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    writer.arguments = ["change-flights", cell.path("flights.sqlite")]
    (writer.standardInput, writer.standardOutput) = (input, output)
    try writer.run()
    _ = output.fileHandleForReading.availableData
    let pool = try openFlights(cell)
    let start = now()
    var times: [Double] = []
    times.reserveCapacity(Int(reads))
    for index in 0..<reads {
        let key = raw_random_key(index, allRows)
        times.append(try nanoseconds { _ = try pool.read { try SixColumns.fetchOne($0, key: key)?.sum } })
    }
    let seconds = Double(now() - start) / 1e9
    try input.fileHandleForWriting.write(contentsOf: Data("stop\n".utf8))
    let answer = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    writer.waitUntilExit()
    guard let commits = Double(answer), let p50 = percentile(times, 0.5), let p99 = percentile(times, 0.99) else {
        throw BenchmarkError("the other process said \(answer)")
    }
    cell.measure("p50", p50)
    cell.measure("p99", p99)
    cell.measure("commits", commits / seconds)
}

func changeFlights(_ path: String) {
    let flights = raw_flights_open(path)
    defer { raw_flights_close(flights) }
    print("ready")
    fflush(nil)
    var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    var commits: Int64 = 0
    while poll(&input, 1, 0) == 0 {
        raw_flights_set_minute(flights, raw_random_key(commits * 7919, allRows), commits % 60)
        commits += 1
    }
    print(commits)
    fflush(nil)
}
