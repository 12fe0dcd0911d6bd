import BenchmarkRunner
import BenchmarkSupport
import Pinview
import RawSQLite

/// W21: inserting what is new, and updating what is there.
let upsert = Workload(
    "w21-upsert",
    parameters: [
        Parameter("persons", tiny: 1_000, quick: 20_000, full: 100_000), Parameter("rows", tiny: 500, quick: 20_000, full: 100_000),
    ],
    measures: [
        Measure("batch", "W21: insert or update {rows} persons, half of them there, in a batch; per person", .nanoseconds),
        Measure("objects", "W21: the same as objects; per person", .nanoseconds),
    ],
    peers: [Peer("raw", rawUpsert), Peer("swift", swiftUpsert)],
    prepare: { cell in
        try Stores.open(cell.people, try PeopleStore.model(uniqueEmail: true))
        raw_people_fill(cell.people, Int64(try cell.parameter("persons")), 0)
    })

/// What is upserted: the number of the first person, and by how many years all are older than the formula says.
private func steps(_ cell: Cell) throws -> [(name: String, first: Int, years: Int)] {
    let persons = try cell.parameter("persons"), rows = try cell.parameter("rows")
    return [("batch", persons - rows / 2 + 1, 1), ("objects", persons + 1, 2)]
}

private func rawUpsert(_ cell: Cell) throws {
    let rows = Int64(try cell.parameter("rows"))
    let database = raw_open_cached(cell.people)
    defer { raw_close(database) }
    for (name, first, years) in try steps(cell) {
        cell.measure(name, processorNanoseconds { raw_people_upsert(database, Int64(first), rows, Int64(years)) } / Double(rows))
        reportPersons(cell, name)
    }
}

private func swiftUpsert(_ cell: Cell) throws {
    let rows = try cell.parameter("rows")
    let context = try Stores.context(try Stores.open(cell.people, try PeopleStore.model(uniqueEmail: true)))
    try context.setQueryGeneration(from: nil)
    for (name, first, years) in try steps(cell) {
        let numbers = first..<first + rows
        let time =
            if name == "batch" {
                try processorNanoseconds {
                    var request = try BatchInsertRequest(entityName: "Person", columns: PersonColumns(numbers, older: years).byName)
                    request.mergePolicy = .mergeByPropertyObjectTrump
                    _ = try context.execute(request)
                }
            } else {
                try context.performAndWait {
                    var kept: UpsertResult?
                    defer { withExtendedLifetime(kept) {} }
                    return try processorNanoseconds {
                        let values = numbers.map { PersonValues($0, older: years).byName }
                        kept = try context.upsert("Person", constraint: ["email"], rows: values)
                        try context.save()
                    }
                }
            }
        cell.measure(name, time / Double(rows))
        reportPersons(cell, name)
    }
}
