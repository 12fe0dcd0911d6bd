import BenchmarkRunner
import BenchmarkSupport
import Pinview
import RawSQLite

/// W3: random flights by key, one by one.
let readByKey = Workload(
    "w3-by-key", parameters: [Parameter("lookups", tiny: 500, quick: 20_000, full: 100_000)],
    measures: [
        Measure("cold", "W3: random flights by key, one by one; per flight", .nanoseconds),
        Measure("batch", "W3: the same cold, all keys in one call", .nanoseconds),
        Measure("warm", "W3: the same from the identity map", .nanoseconds),
    ],
    peers: [Peer("raw", rawReadByKey), Peer("swift", swiftReadByKey)], prepare: FlightStore.prepare)

private func rawReadByKey(_ cell: Cell) throws {
    let lookups = Int64(try cell.parameter("lookups"))
    let flights = raw_flights_open(cell.flights)
    defer { raw_flights_close(flights) }
    raw_flights_expect(flights, lookups)
    for (name, read) in [("cold", raw_flights_by_keys), ("warm", raw_flights_distances), ("objects", raw_flights_distances)] {
        var sum: Int64 = 0
        let time = processorNanoseconds { sum = read(flights, lookups, FlightStore.rows) }
        cell.measure(name, time / Double(lookups))
        cell.checksum(name == "cold" ? "cold" : "warm", sum)
    }
    let others = raw_flights_open(cell.flights)
    defer { raw_flights_close(others) }
    raw_flights_expect(others, lookups)
    var sum: Int64 = 0
    let time = processorNanoseconds { sum = raw_flights_batch(others, lookups, FlightStore.rows) }
    cell.measure("batch", time / Double(lookups))
    cell.checksum("cold", sum)
}

/// The IDs are known, as a program knows them that keeps them; the context knows none of the objects.
private func swiftReadByKey(_ cell: Cell) throws {
    let lookups = try cell.parameter("lookups")
    let flights = try Flights(cell)
    let context = try Stores.context(flights.coordinator)
    let ids = try (0..<Int64(lookups)).compactMap { try flights.id(raw_random_key($0, FlightStore.rows)) }
    try context.performAndWait {
        var kept: [ManagedObject] = []
        kept.reserveCapacity(lookups)
        var sum: Int64 = 0
        let cold = try processorNanoseconds {
            for id in ids {
                let flight = try context.object(with: id)
                sum += try flights.readSix(flight)
                kept.append(flight)
            }
        }
        cell.measure("cold", cold / Double(lookups))
        cell.checksum("cold", sum)
        sum = 0
        let warm = try processorNanoseconds {
            for id in ids { sum += try context.attributeValue(at: flights.distance, of: id).number }
        }
        cell.measure("warm", warm / Double(lookups))
        cell.checksum("warm", sum)
        sum = 0
        let objects = try processorNanoseconds {
            for id in ids { sum += try context.object(with: id).attributeValue(at: flights.distance).number }
        }
        cell.measure("objects", objects / Double(lookups))
        cell.checksum("warm", sum)
        withExtendedLifetime(kept) {}
    }
    try readTogether(cell, lookups)
}

/// With a coordinator of its own, which has no rows in memory.
private func readTogether(_ cell: Cell, _ lookups: Int) throws {
    let flights = try Flights(cell)
    let context = try Stores.context(flights.coordinator)
    let ids = try (0..<Int64(lookups)).compactMap { try flights.id(raw_random_key($0, FlightStore.rows)) }
    try context.performAndWait {
        var sum: Int64 = 0
        var found: [ManagedObject] = []
        let time = try processorNanoseconds {
            found = try context.existingObjects(with: ids)
            for flight in found { sum += try flights.readSix(flight) }
        }
        cell.measure("batch", time / Double(lookups))
        cell.checksum("cold", sum)
        withExtendedLifetime(found) {}
    }
}
