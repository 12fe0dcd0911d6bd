import BenchmarkRunner
import BenchmarkSupport
import Pinview
import RawSQLite

/// W8: counting.
let count = Workload(
    "w8-count", parameters: [Parameter("repeats", tiny: 2, quick: 5, full: 20)],
    measures: [
        Measure("scan", "W8: count flights by a predicate without an index", .nanoseconds),
        Measure("index", "W8: the same with an index", .nanoseconds),
    ],
    peers: [Peer("raw", rawCount), Peer("swift", swiftCount)], prepare: FlightStore.prepare)

private func rawCount(_ cell: Cell) throws {
    let repeats = try cell.parameter("repeats")
    let flights = raw_flights_open(cell.flights)
    defer { raw_flights_close(flights) }
    for (name, byIndex) in [("scan", Int32(0)), ("index", Int32(1))] {
        var count: Int64 = 0
        let time = processorNanoseconds { for _ in 0..<repeats { count = raw_flights_count(flights, byIndex) } }
        cell.measure(name, time / Double(repeats))
        cell.checksum(name, count)
    }
}

/// Not pinned: each count asks the store, as it stands then.
private func swiftCount(_ cell: Cell) throws {
    let repeats = try cell.parameter("repeats")
    let context = try Stores.context(try Flights(cell).coordinator)
    try context.setQueryGeneration(from: nil)
    for (name, predicate) in [
        ("scan", try PinviewPredicate(format: "arrivalDelay > 60")), ("index", try PinviewPredicate(format: "destination == %@", "DCA")),
    ] {
        var request = Flights.request()
        request.predicate = predicate
        var count = 0
        let time = try processorNanoseconds { for _ in 0..<repeats { count = try context.count(for: request) } }
        cell.measure(name, time / Double(repeats))
        cell.checksum(name, Int64(count))
    }
}

/// W9: one statement for all.
let bulkUpdate = Workload(
    "w9-bulk-update", parameters: [],
    measures: [Measure("update", "W9: bulk update; per flight", .nanoseconds)],
    peers: [Peer("raw", rawBulkUpdate), Peer("swift", swiftBulkUpdate)], prepare: FlightStore.prepare)

private func reportBulkUpdate(_ cell: Cell, _ time: Double) {
    cell.measure("update", time / Double(FlightStore.rows))
    cell.checksum("update", Stores.value(cell.flights, "SELECT sum(ZAIRTIME) FROM ZFLIGHT"))
    cell.checksum("versions", Stores.value(cell.flights, "SELECT sum(Z_OPT) FROM ZFLIGHT"))
}

private func rawBulkUpdate(_ cell: Cell) throws {
    let flights = raw_flights_open(cell.flights)
    let time = processorNanoseconds { raw_flights_more_air_time(flights) }
    raw_flights_close(flights)
    reportBulkUpdate(cell, time)
}

private func swiftBulkUpdate(_ cell: Cell) throws {
    let context = try Stores.context(try Flights(cell).coordinator)
    try context.setQueryGeneration(from: nil)
    var request = BatchUpdateRequest(entityName: "Flight")
    request.predicate = try PinviewPredicate(format: "distance > 500")
    request.expressionsToUpdate = ["airTime": try PinviewExpression(format: "airTime + 1")]
    let time = try processorNanoseconds { _ = try context.execute(request) }
    reportBulkUpdate(cell, time)
}
