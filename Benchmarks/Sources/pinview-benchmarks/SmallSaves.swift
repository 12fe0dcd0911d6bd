import BenchmarkRunner
import BenchmarkSupport
import Pinview
import RawSQLite

/// W17: one change, one save, many times.
let smallSaves = Workload(
    "w17-small-saves",
    parameters: [
        Parameter("persons", tiny: 1_000, quick: 20_000, full: 100_000), Parameter("saves", tiny: 200, quick: 2_000, full: 10_000),
    ],
    measures: [Measure("save", "W17: change one attribute of one person and save; per save", .nanoseconds)],
    peers: [Peer("raw", rawSmallSaves), Peer("swift", swiftSmallSaves)], prepare: PeopleStore.prepare)

/// How many persons take turns.
private let personCount = 1000

private func report(_ cell: Cell, _ time: Double) throws {
    cell.measure("save", time / Double(try cell.parameter("saves")))
    cell.checksum("save", Stores.value(cell.people, "SELECT sum(ZAGE) FROM ZPERSON"))
    cell.checksum("versions", Stores.value(cell.people, "SELECT sum(Z_OPT) FROM ZPERSON"))
}

private func rawSmallSaves(_ cell: Cell) throws {
    let database = raw_open_cached(cell.people), saves = Int64(try cell.parameter("saves"))
    let time = processorNanoseconds { raw_people_save_often(database, saves, Int64(personCount)) }
    raw_close(database)
    try report(cell, time)
}

private func swiftSmallSaves(_ cell: Cell) throws {
    let context = try PeopleStore.context(cell), saves = try cell.parameter("saves")
    let age = try PersonAttributes(context).age
    var request = FetchRequest(entityName: "Person")
    request.fetchLimit = personCount
    request.returnsObjectsAsFaults = false
    let time = try context.performAndWait {
        let persons = Array(try context.fetch(request))
        return try processorNanoseconds {
            for save in 0..<saves {
                let person = persons[save % personCount]
                try person.setAttributeValue(.integer(try person.attributeValue(at: age).number + 1), at: age)
                try context.save()
            }
        }
    }
    try report(cell, time)
}
