import BenchmarkRunner
import BenchmarkSupport
import Pinview
import RawSQLite

/// W5: inserting, without a history and with one.
let insert = insertWorkload("w5-insert", "W5: insert persons", history: false)
let insertWithHistory = insertWorkload("w5-insert-history", "W5: insert persons with persistent history", history: true)

private func insertWorkload(_ name: String, _ title: String, history: Bool) -> Workload {
    Workload(
        name,
        parameters: [
            Parameter("persons", tiny: 1_000, quick: 20_000, full: 100_000), Parameter("rows", tiny: 500, quick: 20_000, full: 100_000),
        ],
        measures: [
            Measure("objects", "\(title) as {rows} objects; per person", .nanoseconds),
            Measure("batch", "\(title) in a batch of {rows}; per person", .nanoseconds),
        ],
        peers: [
            Peer("raw") { cell in try rawInsert(cell, history: history) },
            Peer("swift") { cell in try swiftInsert(cell, history: history) },
        ],
        prepare: { cell in try PeopleStore.prepare(cell, history: history) })
}

/// What all peers' tables hold afterwards.
func reportPersons(_ cell: Cell, _ name: String) {
    cell.checksum(
        name,
        Stores.value(cell.people, "SELECT count(*) + sum(ZAGE + length(ZFIRSTNAME) + length(ZLASTNAME) + length(ZEMAIL)) FROM ZPERSON"))
}

private func rawInsert(_ cell: Cell, history: Bool) throws {
    let persons = Int64(try cell.parameter("persons")), rows = Int64(try cell.parameter("rows"))
    let database = raw_open_cached(cell.people)
    defer { raw_close(database) }
    for (name, first) in [("objects", persons + 1), ("batch", persons + 1 + rows)] {
        let time = processorNanoseconds { raw_people_insert(database, first, rows, history ? 1 : 0) }
        cell.measure(name, time / Double(rows))
        reportPersons(cell, name)
    }
}

/// How many objects are made at once: their columns are let go before the next ones are made.
private let blockSize = 1000

private func swiftInsert(_ cell: Cell, history: Bool) throws {
    let persons = try cell.parameter("persons"), rows = try cell.parameter("rows")
    let context = try PeopleStore.context(cell, history: history)
    try context.performAndWait {
        var kept: [ManagedObject] = []
        let time = try processorNanoseconds {
            kept.reserveCapacity(rows)
            for start in stride(from: persons + 1, through: persons + rows, by: blockSize) {
                let columns = PersonColumns(start..<min(start + blockSize, persons + 1 + rows))
                kept += try context.insertNewObjects(forEntityName: "Person", columns: columns.byName)
            }
            try context.save()
        }
        cell.measure("objects", time / Double(rows))
        reportPersons(cell, "objects")
        withExtendedLifetime(kept) {}
    }
    let time = try processorNanoseconds {
        let columns = PersonColumns(persons + 1 + rows..<persons + 1 + 2 * rows)
        _ = try context.execute(try BatchInsertRequest(entityName: "Person", columns: columns.byName))
    }
    cell.measure("batch", time / Double(rows))
    reportPersons(cell, "batch")
}
