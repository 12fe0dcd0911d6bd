import BenchmarkRunner
import BenchmarkSupport
import Pinview
import RawSQLite

/// W11: what objects weigh, and how often memory is asked for.
let memory = Workload(
    "w11-memory", parameters: [Parameter("limit", tiny: 2_000, quick: 100_000, full: 0)],
    measures: [
        Measure("object", "W11: heap per flight with 25 columns", .bytes),
        Measure("fault", "W11: heap per fault", .bytes),
        Measure("allocations", "W11: allocations per flight, first fetch", .count),
        Measure("allocationsAgain", "W11: allocations per flight, the same fetch again", .count),
    ],
    peers: [Peer("raw", rawMemory), Peer("swift", swiftMemory)], mostRounds: 3, prepare: FlightStore.prepare)

private func rawMemory(_ cell: Cell) throws {
    let limit = try cell.parameter("limit")
    let flights = raw_flights_open(cell.flights)
    defer { raw_flights_close(flights) }
    // Fills the page cache, which is not an object's.
    _ = raw_flights_six_columns(flights, tail(limit))
    let heap = raw_heap_bytes(), calls = raw_allocations()
    raw_flights_fetch(flights, tail(limit))
    cell.measure("object", Double(raw_heap_bytes() - heap) / rows(limit))
    cell.measure("allocations", Double(raw_allocations() - calls) / rows(limit))
    cell.checksum("rows", raw_flights_six(flights, 0))
    let again = raw_allocations()
    raw_flights_fetch(flights, tail(limit))
    cell.measure("allocationsAgain", Double(raw_allocations() - again) / rows(limit))
}

private func swiftMemory(_ cell: Cell) throws {
    let limit = try cell.parameter("limit")
    let flights = try Flights(cell)
    var request = Flights.request(limit: limit)
    var columns = request
    columns.resultType = .dictionary
    columns.propertiesToFetch = Flights.sixNames.map { .keyPath($0) }
    // Rows without gaps between their keys are counted in an index.
    let earlier = try Stores.context(flights.coordinator)
    _ = try earlier.fetchDictionaries(columns)
    _ = try earlier.count(for: Flights.request(limit: 0))
    request.returnsObjectsAsFaults = true
    request.includesPropertyValues = false
    for faults in [true, false] {
        let context = try Stores.context(flights.coordinator)
        if !faults { request = Flights.request(limit: limit) }
        try context.performAndWait {
            let heap = raw_heap_bytes(), calls = raw_allocations()
            let result = try context.fetch(request)
            if !faults { cell.checksum("rows", try flights.readSix(result)) }
            cell.measure(faults ? "fault" : "object", Double(raw_heap_bytes() - heap) / Double(result.count))
            guard !faults else { return }
            cell.measure("allocations", Double(raw_allocations() - calls) / Double(result.count))
            let again = raw_allocations()
            let second = try context.fetch(request)
            _ = try flights.readSix(second)
            cell.measure("allocationsAgain", Double(raw_allocations() - again) / Double(result.count))
            withExtendedLifetime((result, second)) {}
        }
    }
}
