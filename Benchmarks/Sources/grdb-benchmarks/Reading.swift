import BenchmarkSupport
import GRDB
import RawSQLite

let allRows: Int64 = 336_776

/// How many rows a fetch with that limit gives.
func rows(_ limit: Int) -> Double { limit == 0 ? Double(allRows) : Double(limit) }

/// The settings that all peers have.
func openPool(_ cell: Cell, _ file: String) throws -> DatabasePool {
    var configuration = Configuration()
    configuration.prepareDatabase { database in
        try database.execute(sql: "PRAGMA cache_size=-65536")
        try database.execute(sql: "PRAGMA synchronous=normal")
    }
    return try DatabasePool(path: cell.path(file), configuration: configuration)
}

func openFlights(_ cell: Cell) throws -> DatabasePool { try openPool(cell, "flights.sqlite") }

func flights(limit: Int) -> QueryInterfaceRequest<Flight> { limit == 0 ? Flight.all() : Flight.limit(limit) }

/// Reads in the pool, and reports the time of it.
func read<T>(_ cell: Cell, _ name: String, _ pool: DatabasePool, per count: Double, _ body: (Database) throws -> T) throws -> T {
    try pool.read { database in
        var result: T?
        let time = try processorNanoseconds { result = try body(database) }
        guard let result else { throw BenchmarkError("nothing was read") }
        cell.measure(name, time / count)
        return result
    }
}

func readAll(_ cell: Cell) throws {
    let limit = try cell.parameter("limit"), pool = try openFlights(cell)
    var kept: [[Flight]] = []
    for name in ["first", "again", "second"] {
        let sum = try read(cell, name, pool, per: rows(limit)) { database in
            kept.append(try flights(limit: limit).fetchAll(database))
            return kept[kept.count - 1].reduce(Int64(0)) { $0 + $1.six }
        }
        cell.checksum("rows", sum)
    }
    withExtendedLifetime(kept) {}
}

func readColumns(_ cell: Cell) throws {
    let limit = try cell.parameter("limit"), pool = try openFlights(cell)
    var kept: [SixColumns] = []
    let sum = try read(cell, "columns", pool, per: rows(limit)) { database in
        kept = try (limit == 0 ? SixColumns.all() : SixColumns.limit(limit)).fetchAll(database)
        return kept.reduce(Int64(0)) { $0 + $1.sum }
    }
    cell.checksum("rows", sum)
    withExtendedLifetime(kept) {}
}

func readSorted(_ cell: Cell) throws {
    let pool = try openFlights(cell), columns = Flight.Columns.self
    let request = Flight.filter(columns.destination == "DCA").order(columns.arrivalDelay.desc, columns.scheduledHour, columns.number)
    var kept: [Flight] = []
    let sum = try read(cell, "sorted", pool, per: 9705) { database in
        kept = try request.fetchAll(database)
        return kept.reduce(Int64(0)) { $0 + $1.all }
    }
    cell.checksum("values", sum)
    cell.checksum("order", kept.enumerated().reduce(Int64(0)) { $0 + Int64(($1.offset + 1) * ($1.element.number ?? 0)) })
}

/// There is no identity map, thus nothing warm.
func readByKey(_ cell: Cell) throws {
    let lookups = try cell.parameter("lookups"), pool = try openFlights(cell)
    var kept: [Int64: Flight] = [:]
    let sum = try read(cell, "cold", pool, per: Double(lookups)) { database in
        var sum: Int64 = 0
        for index in 0..<Int64(lookups) {
            guard let flight = try Flight.fetchOne(database, key: raw_random_key(index, allRows)) else { continue }
            sum += flight.six
            kept[flight.key] = flight
        }
        return sum
    }
    cell.checksum("cold", sum)
    withExtendedLifetime(kept) {}
}

func follow(_ cell: Cell) throws {
    let count = try cell.parameter("flights"), pool = try openFlights(cell)
    var kept: [Flight] = []
    let sum = try read(cell, "fetch", pool, per: Double(count)) { database in
        kept = try flights(limit: count).fetchAll(database)
        return kept.reduce(Int64(0)) { $0 + $1.six }
    }
    cell.checksum("fetch", sum)
    let seats = try read(cell, "lazy", pool, per: Double(count)) { database in
        var sum: Int64 = 0
        for flight in kept {
            guard let key = flight.planeKey else { continue }
            sum += Int64(try Plane.fetchOne(database, key: key)?.seats ?? 0)
        }
        return sum
    }
    cell.checksum("lazy", seats)
}

func prefetch(_ cell: Cell) throws {
    let count = try cell.parameter("flights"), pool = try openFlights(cell)
    var kept: [FlightWithPlane] = []
    let sum = try read(cell, "eager", pool, per: Double(count)) { database in
        kept = try FlightWithPlane.fetchAll(database, flights(limit: count).including(optional: Flight.plane))
        return kept.reduce(Int64(0)) { $0 + $1.flight.six + Int64($1.plane?.seats ?? 0) }
    }
    cell.checksum("eager", sum)
}

func count(_ cell: Cell) throws {
    let repeats = try cell.parameter("repeats"), pool = try openFlights(cell)
    for (name, request) in [
        ("scan", Flight.filter(Flight.Columns.arrivalDelay > 60)), ("index", Flight.filter(Flight.Columns.destination == "DCA")),
    ] {
        let found = try read(cell, name, pool, per: Double(repeats)) { database in
            var found = 0
            for _ in 0..<repeats { found = try request.fetchCount(database) }
            return found
        }
        cell.checksum(name, Int64(found))
    }
}

func weigh(_ cell: Cell) throws {
    let limit = try cell.parameter("limit"), pool = try openFlights(cell)
    try pool.read { database in
        // Fills the page cache, which is not a record's.
        _ = try Flight.filter(Flight.Columns.arrivalDelay > 60).fetchCount(database)
        let heap = raw_heap_bytes(), calls = raw_allocations()
        let flights = try flights(limit: limit).fetchAll(database)
        cell.checksum("rows", flights.reduce(Int64(0)) { $0 + $1.six })
        cell.measure("object", Double(raw_heap_bytes() - heap) / rows(limit))
        cell.measure("allocations", Double(raw_allocations() - calls) / rows(limit))
        withExtendedLifetime(flights) {}
    }
}
