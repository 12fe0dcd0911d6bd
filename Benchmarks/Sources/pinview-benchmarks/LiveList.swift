import BenchmarkRunner
import BenchmarkSupport
import Glibc
import Pinview
import RawSQLite

/// W22: a sorted list that follows what another process commits.
let liveList = Workload(
    "w22-live-list",
    parameters: [
        Parameter("persons", tiny: 1_000, quick: 20_000, full: 100_000), Parameter("changes", tiny: 20, quick: 50, full: 100),
    ],
    measures: [
        Measure("change", "W22: follow another process's change in a sorted list of {persons} persons (C: fetch again)", .nanoseconds),
        Measure("sections", "W22: the same in sections by age", .nanoseconds),
    ],
    peers: [Peer("raw", rawLiveList), Peer("swift", swiftLiveList)], mostRounds: 3, prepare: PeopleStore.prepare)

/// The companion that changes the age of one person for each line that it reads, and then writes a line.
func changePersons(_ arguments: [String]) throws {
    guard let path = arguments.first else { throw BenchmarkError("change-persons needs the path of a store") }
    let database = raw_open(path)
    defer { raw_close(database) }
    let update = raw_prepare(database, "UPDATE ZPERSON SET ZAGE = ?1, Z_OPT = Z_OPT + 1 WHERE Z_PK = ?2")
    defer { sqlite3_finalize(update) }
    let persons = raw_value(database, "SELECT count(*) FROM ZPERSON")
    var change: Int64 = 0
    while readLine() != nil {
        sqlite3_bind_int64(update, 1, 37 * change % 90)
        sqlite3_bind_int64(update, 2, raw_random_key(change, persons))
        raw_check(database, sqlite3_step(update), SQLITE_DONE, "change a person")
        sqlite3_reset(update)
        change += 1
        print(change)
        fflush(nil)
    }
}

/// Reports the processor time of this process for each change of the other one.
private func reportChanges(_ cell: Cell, _ other: Companion, _ name: String, follow: () throws -> Void) throws {
    let changes = try cell.parameter("changes")
    let time = try processorNanoseconds {
        for _ in 0..<changes {
            try other.tell("change")
            _ = try other.hear()
            try follow()
        }
    }
    cell.measure(name, time / Double(changes))
}

private let watchedPersons: Int64 = 100

private func rawLiveList(_ cell: Cell) throws {
    let database = raw_open_cached(cell.people)
    defer { raw_close(database) }
    func fetch() -> OpaquePointer? { raw_persons_fetch(database, "ORDER BY ZAGE, ZEMAIL") }
    let other = try Companion("change-persons", cell.people)
    var list = fetch()
    // Where a section begins is seen while the persons are read.
    for name in ["sections", "change"] {
        try reportChanges(cell, other, name) {
            raw_persons_free(list)
            list = fetch()
        }
    }
    try other.end()
    cell.checksum("order", raw_persons_positions(list, watchedPersons))
    raw_persons_free(list)
}

/// Counts what a controller reports.
private final class Reports: FetchedResultsControllerDelegate {
    var changes = 0
    func controllerDidChangeContent(_ controller: FetchedResultsController) { changes += 1 }
}

private func swiftLiveList(_ cell: Cell) throws {
    let context = try Stores.context(try Stores.open(cell.people, try PeopleStore.model()))
    var request = FetchRequest(entityName: "Person")
    request.sortDescriptors = [PinviewSortDescriptor(keyPath: "age"), PinviewSortDescriptor(keyPath: "email")]
    request.returnsObjectsAsFaults = false
    let other = try Companion("change-persons", cell.people)
    func follow(_ name: String, sections: String?) throws -> FetchedResultsController {
        let controller = try FetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: sections)
        let reports = Reports()
        controller.delegate = reports
        try controller.performFetch()
        try reportChanges(cell, other, name) {
            guard try context.waitForNewerGeneration(timeout: 30) else { throw BenchmarkError("no newer generation in 30 seconds") }
            try context.setQueryGeneration(from: .current)
        }
        guard reports.changes > 0 else { throw BenchmarkError("the controller has not reported a change") }
        return controller
    }
    _ = try follow("sections", sections: "age")
    let controller = try follow("change", sections: nil)
    try other.end()
    try context.performAndWait {
        var order: Int64 = 0
        for (position, person) in (controller.fetchedObjects ?? []).enumerated() {
            guard let key = Int64(person.objectID.uriRepresentation.split(separator: "p").last ?? "") else {
                throw BenchmarkError("the ID has no key")
            }
            if key <= watchedPersons { order += Int64(position) }
        }
        cell.checksum("order", order)
    }
}
