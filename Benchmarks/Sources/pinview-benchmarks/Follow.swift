import BenchmarkRunner
import BenchmarkSupport
import Pinview
import RawSQLite

private let flightCount = Parameter("flights", tiny: 1_000, quick: 30_000, full: 100_000)

/// W4: from flights to their planes, one by one.
let follow = Workload(
    "w4-follow", parameters: [flightCount],
    measures: [
        Measure("fetch", "W4: fetch {flights} flights and read 6 columns; per flight", .nanoseconds),
        Measure("lazy", "W4: then follow each one's plane and read its seats", .nanoseconds),
    ],
    peers: [Peer("raw", rawFollow), Peer("swift", swiftFollow)], prepare: FlightStore.prepare)

private func rawFollow(_ cell: Cell) throws {
    let count = try cell.parameter("flights")
    let flights = raw_flights_open(cell.flights)
    defer { raw_flights_close(flights) }
    var sum: Int64 = 0, seats: Int64 = 0
    let fetch = processorNanoseconds {
        raw_flights_fetch(flights, tail(count))
        sum = raw_flights_six(flights, 0)
    }
    let lazy = processorNanoseconds { seats = raw_flights_seats(flights) }
    cell.measure("fetch", fetch / Double(count))
    cell.measure("lazy", lazy / Double(count))
    cell.checksum("fetch", sum)
    cell.checksum("lazy", seats)
}

extension Flights {
    func readSeats(_ flights: FetchResult) throws -> Int64 {
        var sum: Int64 = 0
        for flight in flights {
            if let plane = try flight.relatedObject(forKey: "plane") { sum += try plane.attributeValue(at: seats).number }
        }
        return sum
    }
}

private func swiftFollow(_ cell: Cell) throws {
    let count = try cell.parameter("flights")
    let flights = try Flights(cell)
    let context = try Stores.context(flights.coordinator)
    try context.performAndWait {
        var result: FetchResult?
        var sum: Int64 = 0, seats: Int64 = 0
        let fetch = try processorNanoseconds {
            let found = try context.fetch(Flights.request(limit: count))
            sum = try flights.readSix(found)
            result = found
        }
        guard let result else { return }
        let lazy = try processorNanoseconds { seats = try flights.readSeats(result) }
        cell.measure("fetch", fetch / Double(count))
        cell.measure("lazy", lazy / Double(count))
        cell.checksum("fetch", sum)
        cell.checksum("lazy", seats)
    }
}

/// W4: the planes come along with the flights.
let prefetch = Workload(
    "w4-prefetch", parameters: [flightCount],
    measures: [Measure("eager", "W4: the same with the planes prefetched, total", .nanoseconds)],
    peers: [Peer("raw", rawPrefetch), Peer("swift", swiftPrefetch)], prepare: FlightStore.prepare)

/// By hand each plane is read once, when the first of its flights asks for it.
private func rawPrefetch(_ cell: Cell) throws {
    let count = try cell.parameter("flights")
    let flights = raw_flights_open(cell.flights)
    defer { raw_flights_close(flights) }
    var sum: Int64 = 0
    let time = processorNanoseconds {
        raw_flights_fetch(flights, tail(count))
        sum = raw_flights_six(flights, 0) + raw_flights_seats(flights)
    }
    cell.measure("eager", time / Double(count))
    cell.checksum("eager", sum)
}

private func swiftPrefetch(_ cell: Cell) throws {
    let count = try cell.parameter("flights")
    let flights = try Flights(cell)
    let context = try Stores.context(flights.coordinator)
    var request = Flights.request(limit: count)
    request.relationshipKeyPathsForPrefetching = ["plane"]
    try context.performAndWait {
        var result: FetchResult?
        var sum: Int64 = 0
        let time = try processorNanoseconds {
            let found = try context.fetch(request)
            sum = try flights.readSix(found) + flights.readSeats(found)
            result = found
        }
        cell.measure("eager", time / Double(count))
        cell.checksum("eager", sum)
        withExtendedLifetime(result) {}
    }
}
