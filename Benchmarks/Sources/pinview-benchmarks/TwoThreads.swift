import BenchmarkRunner
import BenchmarkSupport
import Pinview
import RawSQLite

/// W12: two threads read at once.
let twoThreads = Workload(
    "w12-threads", parameters: [Parameter("limit", tiny: 2_000, quick: 50_000, full: 0)],
    measures: [
        Measure("one", "W12: two halves of the flights one after the other, one thread; per flight", .nanoseconds),
        Measure("two", "W12: both halves at once, two threads; per flight", .nanoseconds),
        Measure("speedup", "W12: speed-up by the second thread", .count),
    ],
    peers: [Peer("raw", rawTwoThreads), Peer("swift", swiftTwoThreads)], prepare: FlightStore.prepare)

/// - Parameter halves: opens everything anew and gives what reads a half: the number of flights and the six of them.
private func reportThreads(_ cell: Cell, _ halves: () throws -> @Sendable (_ half: Int) throws -> (count: Int64, sum: Int64)) throws {
    var perRow: [Double] = []
    for (name, threads) in [("two", 2), ("one", 1)] {
        let read = try halves()
        let counts = UnsafeMutablePointer<Int64>.allocate(capacity: 2)  // one for each half
        defer { counts.deallocate() }
        let slice = try onThreads(threads, from: 0, to: 2) { _, half in
            let found = try read(Int(half))
            counts[Int(half)] = found.count
            return found.sum
        }
        perRow.append(Double(slice.nanoseconds) / Double(counts[0] + counts[1]))
        cell.measure(name, perRow[perRow.count - 1])
        cell.checksum("rows", slice.sum)
    }
    cell.measure("speedup", perRow[1] / perRow[0])
}

private func rawTwoThreads(_ cell: Cell) throws {
    let limit = try cell.parameter("limit")
    var opened: [OpaquePointer?] = []
    defer { for flights in opened { raw_flights_close(flights) } }
    try reportThreads(cell) {
        for flights in opened { raw_flights_close(flights) }
        opened = [raw_flights_open(cell.flights), raw_flights_open(cell.flights)]
        nonisolated(unsafe) let connections = opened  // one for each thread
        return { half in
            let count = raw_flights_fetch(connections[half], "WHERE ZMONTH \(half == 0 ? "<=" : ">") 6 " + tail(limit))
            return (count, raw_flights_six(connections[half], 0))
        }
    }
}

/// Both contexts are on one generation.
private func swiftTwoThreads(_ cell: Cell) throws {
    let limit = try cell.parameter("limit")
    try reportThreads(cell) {
        let flights = try Flights(cell)
        let first = try Stores.context(flights.coordinator)
        // The generation is taken by the first read.
        _ = try first.count(for: FetchRequest(entityName: "Airline"))
        let contexts = [first, try Stores.context(flights.coordinator, like: first)]
        let requests = try ["month <= 6", "month > 6"].map { format in
            var request = Flights.request(limit: limit)
            request.predicate = try PinviewPredicate(format: format)
            return request
        }
        return { half in
            try contexts[half].performAndWait {
                let result = try contexts[half].fetch(requests[half])
                return (Int64(result.count), try flights.readSix(result))
            }
        }
    }
}
