import BenchmarkRunner
import BenchmarkSupport
import Pinview
import RawSQLite

/// W6: changing objects that were fetched.
let update = Workload(
    "w6-update",
    parameters: [
        Parameter("persons", tiny: 1_000, quick: 50_000, full: 100_000), Parameter("rows", tiny: 500, quick: 20_000, full: 50_000),
    ],
    measures: [Measure("update", "W6: update {rows} persons read before; per person", .nanoseconds)],
    peers: [Peer("raw", rawUpdate), Peer("swift", swiftUpdate)], prepare: PeopleStore.prepare)

private func reportUpdate(_ cell: Cell, _ time: Double) throws {
    cell.measure("update", time / Double(try cell.parameter("rows")))
    cell.checksum("update", Stores.value(cell.people, "SELECT sum(ZAGE) FROM ZPERSON"))
    cell.checksum("versions", Stores.value(cell.people, "SELECT sum(Z_OPT) FROM ZPERSON"))
}

/// Without a check of the version, which is what Pinview does in addition.
private func rawUpdate(_ cell: Cell) throws {
    let database = raw_open_cached(cell.people)
    let rows = raw_rows_fetch(database, "SELECT Z_PK, Z_OPT, ZAGE FROM ZPERSON LIMIT \(try cell.parameter("rows"))")
    let time = processorNanoseconds { raw_people_grow_older(database, rows) }
    raw_rows_free(rows)
    raw_close(database)
    try reportUpdate(cell, time)
}

/// Fetches so many objects with their values.
private func fetch(_ entity: String, _ cell: Cell, _ context: ManagedObjectContext) throws -> FetchResult {
    var request = FetchRequest(entityName: entity)
    request.fetchLimit = try cell.parameter("rows")
    request.returnsObjectsAsFaults = false
    return try context.fetch(request)
}

private func swiftUpdate(_ cell: Cell) throws {
    let context = try PeopleStore.context(cell)
    let age = try PersonAttributes(context).age
    let time = try context.performAndWait {
        let persons = try fetch("Person", cell, context)
        return try processorNanoseconds {
            for person in persons {
                try person.setAttributeValue(.integer(try person.attributeValue(at: age).number + 1), at: age)
            }
            try context.save()
        }
    }
    try reportUpdate(cell, time)
}

/// W7: deleting objects that were fetched.
let delete = Workload(
    "w7-delete",
    parameters: [
        Parameter("persons", tiny: 1_000, quick: 50_000, full: 100_000), Parameter("cars", tiny: 1_000, quick: 50_000, full: 100_000),
        Parameter("rows", tiny: 500, quick: 20_000, full: 50_000),
    ],
    measures: [Measure("delete", "W7: delete {rows} cars read before; per car", .nanoseconds)],
    peers: [Peer("raw", rawDelete), Peer("swift", swiftDelete)], prepare: PeopleStore.prepare)

private func reportDelete(_ cell: Cell, _ time: Double) throws {
    cell.measure("delete", time / Double(try cell.parameter("rows")))
    cell.checksum("delete", Stores.value(cell.people, "SELECT count(*) + sum(Z_PK) FROM ZCAR"))
}

private func rawDelete(_ cell: Cell) throws {
    let database = raw_open_cached(cell.people)
    let rows = raw_rows_fetch(database, "SELECT Z_PK, Z_OPT, ZYEAR FROM ZCAR LIMIT \(try cell.parameter("rows"))")
    let time = processorNanoseconds { raw_cars_delete(database, rows) }
    raw_rows_free(rows)
    raw_close(database)
    try reportDelete(cell, time)
}

private func swiftDelete(_ cell: Cell) throws {
    let context = try PeopleStore.context(cell)
    let time = try context.performAndWait {
        let cars = try fetch("Car", cell, context)
        return try processorNanoseconds {
            for car in cars { try context.delete(car) }
            try context.save()
        }
    }
    try reportDelete(cell, time)
}
