import BenchmarkRunner
import BenchmarkSupport
import Pinview
import RawSQLite

/// One object with 10 to 1,000,000 members of a relationship.
let someMembers = [
    relateSome("scale-members-1", tiny: 10, quick: 10, full: 10),
    relateSome("scale-members-2", tiny: 20, quick: 100, full: 100),
    relateSome("scale-members-3", tiny: 50, quick: 1_000, full: 1_000),
    relateSome("scale-members-4", tiny: 100, quick: 10_000, full: 10_000),
    relateSome("scale-members-5", tiny: 200, quick: 30_000, full: 100_000),
    relateSome("scale-members-6", tiny: 500, quick: 100_000, full: 1_000_000),
]

private func relateSome(_ name: String, tiny: Int, quick: Int, full: Int) -> Workload {
    Workload(
        name, parameters: [Parameter("cars", tiny: tiny, quick: quick, full: full), Parameter("persons", tiny: 1, quick: 1, full: 1)],
        measures: [
            Measure("read", "read the {cars} members of an object's relationship; per member", .nanoseconds),
            Measure("add", "add a member to {cars}, and save", .nanoseconds),
            Measure("remove", "remove a member of {cars}, and save", .nanoseconds),
        ],
        peers: [Peer("raw", rawRelateSome), Peer("swift", swiftRelateSome)], mostRounds: 3, prepare: PeopleStore.prepare)
}

private func rawRelateSome(_ cell: Cell) throws {
    let database = raw_open_cached(cell.people)
    defer { raw_close(database) }
    var rows: OpaquePointer?
    let time = processorNanoseconds { rows = raw_rows_fetch(database, "SELECT Z_PK, Z_OPT, ZYEAR FROM ZCAR WHERE ZOWNER = 1") }
    cell.measure("read", time / Double(try cell.parameter("cars")))
    raw_rows_free(rows)
}

private func swiftRelateSome(_ cell: Cell) throws {
    let context = try PeopleStore.context(cell), count = try cell.parameter("cars")
    try context.performAndWait {
        guard let person = try context.fetch(FetchRequest(entityName: "Person")).first else { throw BenchmarkError("there is nobody") }
        var cars: [ManagedObject]?
        let time = try processorNanoseconds { cars = try person.relatedObjects(forKey: "cars") }
        cell.measure("read", time / Double(count))
        guard let cars, cars.count == count else { throw BenchmarkError("there are not \(count) cars") }
        let added = try (0..<20).map { _ in
            try nanoseconds {
                try person.addRelatedObject(try context.insertNewObject(forEntityName: "Car"), forKey: "cars")
                try context.save()
            }
        }
        try cell.measure("add", medianOf: added)
        let some = Array(cars.prefix(min(5, count)))
        let removed = try some.map { car in
            try nanoseconds {
                try person.removeRelatedObject(car, forKey: "cars")
                try context.save()
            }
        }
        try cell.measure("remove", medianOf: removed)
    }
}
