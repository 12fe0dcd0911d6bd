import BenchmarkSupport
import GRDB
import RawSQLite

func stream(_ cell: Cell) throws {
    try readWhole(cell)
    try readOneByOne(cell, "objects", Person.all()) { $0.age }
    let columns = Person.Columns.self
    try readOneByOne(cell, "values", Person.select(columns.lastName, columns.age).asRequest(of: NameAndAge.self)) { $0.age }
}

private func readWhole(_ cell: Cell) throws {
    let pool = try openPool(cell, "people.sqlite")
    var kept: [Person] = []
    let sum = try read(cell, "whole", pool, per: Double(try cell.parameter("persons"))) { database in
        kept = try Person.fetchAll(database)
        return kept.reduce(Int64(0)) { $0 + Int64($1.age) }
    }
    cell.checksum("ages", sum)
    withExtendedLifetime(kept) {}
}

/// With a cursor: for the time, and then for the memory.
private func readOneByOne<Record: FetchableRecord>(
    _ cell: Cell, _ name: String, _ request: QueryInterfaceRequest<Record>, age: (Record) -> Int
) throws {
    let pool = try openPool(cell, "people.sqlite")
    let sum = try read(cell, name, pool, per: Double(try cell.parameter("persons"))) { database in
        let cursor = try request.fetchCursor(database)
        var sum: Int64 = 0
        while let record = try cursor.next() { sum += Int64(age(record)) }
        return sum
    }
    cell.checksum("ages", sum)
    let peak = try pool.read { database in
        let before = raw_heap_bytes(), cursor = try request.fetchCursor(database)
        var most: Int64 = 0, rows = 0
        while let record = try cursor.next() {
            rows += 1
            if rows % 1000 == 0 { withExtendedLifetime(record) { most = max(most, raw_heap_bytes() - before) } }
        }
        return most
    }
    cell.measure(name + "Peak", Double(peak))
}
