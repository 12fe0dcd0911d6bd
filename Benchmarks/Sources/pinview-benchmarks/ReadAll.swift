import BenchmarkRunner
import BenchmarkSupport
import Pinview
import RawSQLite

private let limit = Parameter("limit", tiny: 2_000, quick: 100_000, full: 0)

/// W1: all flights with all attributes.
let readAll = Workload(
    "w1-read-all", parameters: [limit],
    measures: [
        Measure("first", "W1: fetch all flights, keep them, read 6 of 25 columns; per flight", .nanoseconds),
        Measure("again", "W1: the same fetch again", .nanoseconds),
        Measure("second", "W1: the same fetch in a second context of the generation", .nanoseconds),
        Measure("columns", "W1: all columns of all flights as columns, without objects", .nanoseconds),
    ],
    peers: [Peer("raw", rawReadAll), Peer("swift", swiftReadAll)], prepare: FlightStore.prepare)

/// What follows the FROM clause.
func tail(_ limit: Int) -> String { limit == 0 ? "" : "LIMIT \(limit)" }

private func rawReadAll(_ cell: Cell) throws {
    let limit = try cell.parameter("limit")
    var kept: [OpaquePointer?] = [raw_flights_open(cell.flights)]
    defer { for flights in kept { raw_flights_close(flights) } }
    for name in ["first", "again", "second"] {
        if name == "second" { kept.append(raw_flights_open(cell.flights)) }
        let flights = kept[kept.count - 1], first = name == "again" ? Int64(rows(limit)) : 0
        var sum: Int64 = 0
        let time = processorNanoseconds {
            raw_flights_fetch(flights, tail(limit))
            sum = raw_flights_six(flights, first)
        }
        cell.measure(name, time / rows(limit))
        cell.checksum("rows", sum)
    }
}

private func swiftReadAll(_ cell: Cell) throws {
    let limit = try cell.parameter("limit")
    let flights = try Flights(cell)
    let context = try Stores.context(flights.coordinator)
    var kept: [FetchResult] = []
    var second: ManagedObjectContext?
    for name in ["first", "again", "second"] {
        if name == "second" { second = try Stores.context(flights.coordinator, like: context) }
        try (second ?? context).performAndWait {
            var sum: Int64 = 0
            let time = try processorNanoseconds {
                let result = try (second ?? context).fetch(Flights.request(limit: limit))
                sum = try flights.readSix(result)
                kept.append(result)
            }
            cell.measure(name, time / rows(limit))
            cell.checksum("rows", sum)
        }
    }
    withExtendedLifetime(kept) {}
}

/// W1p: six columns only.
let readColumns = Workload(
    "w1p-columns", parameters: [limit],
    measures: [Measure("columns", "W1p: 6 columns of all flights; per flight", .nanoseconds)],
    peers: [Peer("raw", rawReadColumns), Peer("swift", swiftReadColumns)], prepare: FlightStore.prepare)

private func rawReadColumns(_ cell: Cell) throws {
    let limit = try cell.parameter("limit")
    let flights = raw_flights_open(cell.flights)
    defer { raw_flights_close(flights) }
    var sum: Int64 = 0
    let time = processorNanoseconds { sum = raw_flights_six_columns(flights, tail(limit)) }
    cell.measure("columns", time / rows(limit))
    cell.checksum("rows", sum)
}

private func swiftReadColumns(_ cell: Cell) throws {
    let limit = try cell.parameter("limit")
    let flights = try Flights(cell)
    let context = try Stores.context(flights.coordinator)
    var request = Flights.request(limit: limit)
    request.propertiesToFetch = Flights.sixNames.map { .keyPath($0) }
    var kept: [ColumnBatch] = []
    var sum: Int64 = 0
    let time = try processorNanoseconds {
        let stream = try context.fetchColumns(request)
        while let batch = try stream.next() {
            sum += batch.columns.reduce(0) { $0 + $1.sum }
            kept.append(batch)
        }
    }
    cell.measure("columns", time / rows(limit))
    cell.checksum("rows", sum)
    withExtendedLifetime(kept) {}
}

extension Column {
    /// Of the numbers, or of the lengths of the texts.
    fileprivate var sum: Int64 {
        let numbers = withNumbers(of: Int16.self) { numbers in numbers.reduce(Int64(0)) { $0 + Int64($1) } }
        return numbers ?? indices.reduce(0) { sum, row in sum + withBytes(row) { Int64($0.count) } }
    }
}

/// W2: found by an index, sorted.
let readSorted = Workload(
    "w2-index-sorted", parameters: [],
    measures: [Measure("sorted", "W2: 9,705 flights by index, sorted, every attribute read; per flight", .nanoseconds)],
    peers: [Peer("raw", rawReadSorted), Peer("swift", swiftReadSorted)], prepare: FlightStore.prepare)

private func rawReadSorted(_ cell: Cell) throws {
    let flights = raw_flights_open(cell.flights)
    defer { raw_flights_close(flights) }
    var count: Int64 = 0, sum: Int64 = 0
    let time = processorNanoseconds {
        count = raw_flights_fetch(flights, "WHERE ZDESTINATION = 'DCA' ORDER BY ZARRIVALDELAY DESC, ZSCHEDULEDHOUR, ZNUMBER")
        sum = raw_flights_all(flights)
    }
    cell.measure("sorted", time / Double(count))
    cell.checksum("values", sum)
    cell.checksum("order", raw_flights_order(flights))
}

private func swiftReadSorted(_ cell: Cell) throws {
    let flights = try Flights(cell)
    let context = try Stores.context(flights.coordinator)
    var request = Flights.request()
    request.predicate = try PinviewPredicate(format: "destination == %@", "DCA")
    request.sortDescriptors = [
        PinviewSortDescriptor(keyPath: "arrivalDelay", ascending: false), PinviewSortDescriptor(keyPath: "scheduledHour"),
        PinviewSortDescriptor(keyPath: "number"),
    ]
    try context.performAndWait {
        var result: FetchResult?
        var sum: Int64 = 0
        let time = try processorNanoseconds {
            let found = try context.fetch(request)
            for flight in found { sum += try flights.readAll(flight) }
            result = found
        }
        guard let result else { return }
        cell.measure("sorted", time / Double(result.count))
        cell.checksum("values", sum)
        var order: Int64 = 0
        for (index, flight) in result.enumerated() { order += Int64(index + 1) * (try flight.attributeValue(at: flights.number).number) }
        cell.checksum("order", order)
    }
}
