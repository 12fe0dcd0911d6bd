import BenchmarkRunner
import BenchmarkSupport
import Pinview
import RawSQLite

/// Who else is there while one context saves.
private enum Company {
    case nobody
    /// Other contexts that are pinned and have read an object.
    case idle
    /// Contexts that have read the same persons and merge what is saved.
    case merging
}

private let persons = Parameter("persons", tiny: 1_000, quick: 20_000, full: 100_000)
private let manySaves = Parameter("saves", tiny: 200, quick: 2_000, full: 10_000)

/// W17: one change, one save, many times.
let smallSaves = saveWorkload("w17-small-saves", "W17: change one attribute of one person and save; per save")
let smallSavesVariants = [
    saveWorkload("w17-small-saves-history", "W17: the same with persistent history", history: true),
    saveWorkload("w17-small-saves-without-undo", "W17: the same without an undo manager", undo: false),
    saveWorkload(
        "w17-small-saves-beside-1", "W17: the same beside {contexts} idle contexts", company: .idle,
        parameters: [Parameter("contexts", tiny: 10, quick: 10, full: 10)]),
    saveWorkload(
        "w17-small-saves-beside-2", "W17: the same beside {contexts} idle contexts", company: .idle,
        parameters: [Parameter("contexts", tiny: 50, quick: 1_000, full: 10_000)]),
    saveWorkload(
        "w17-small-saves-merging", "W17: the same, merged by {contexts} other contexts that have the persons", company: .merging,
        saves: Parameter("saves", tiny: 50, quick: 500, full: 2_000), parameters: [Parameter("contexts", tiny: 3, quick: 10, full: 10)]),
]

private func saveWorkload(
    _ name: String, _ title: String, history: Bool = false, undo: Bool = true, company: Company = .nobody, saves: Parameter = manySaves,
    parameters: [Parameter] = []
) -> Workload {
    Workload(
        name, parameters: [persons, saves] + parameters, measures: [Measure("save", title, .nanoseconds)],
        peers: [
            Peer("raw") { cell in try rawSmallSaves(cell, history: history, company) },
            Peer("swift") { cell in try swiftSmallSaves(cell, history: history, undo: undo, company) },
        ],
        roundFactor: 3, prepare: { cell in try PeopleStore.prepare(cell, history: history) })
}

/// How many persons take turns.
private let personCount = 1000

private func report(_ cell: Cell, _ time: Double) throws {
    cell.measure("save", time / Double(try cell.parameter("saves")))
    cell.checksum("save", Stores.value(cell.people, "SELECT sum(ZAGE) FROM ZPERSON"))
    cell.checksum("versions", Stores.value(cell.people, "SELECT sum(Z_OPT) FROM ZPERSON"))
}

private func rawSmallSaves(_ cell: Cell, history: Bool, _ company: Company) throws {
    let database = raw_open_cached(cell.people), saves = Int64(try cell.parameter("saves"))
    // Contexts that are pinned to one state need one snapshot. Nothing can be copied out of the
    // journal meanwhile, so trying after each commit would cost five times as much as the commit.
    let reader = company == .idle ? raw_open_cached(cell.people) : nil
    defer { if let reader { raw_close(reader) } }
    if let reader {
        raw_execute(reader, "BEGIN; SELECT count(*) FROM ZPERSON WHERE Z_PK = 1")
        raw_execute(database, "PRAGMA wal_autocheckpoint = 0")
    }
    let caches = company == .merging ? raw_caches_fill(database, Int64(try cell.parameter("contexts"))) : nil
    let time = processorNanoseconds { raw_people_save_often(database, saves, Int64(personCount), history ? 1 : 0, caches) }
    raw_close(database)
    try report(cell, time)
    guard let caches else { return }
    cell.checksum("merged", raw_caches_sum(caches))
    raw_caches_free(caches)
}

private func swiftSmallSaves(_ cell: Cell, history: Bool, undo: Bool, _ company: Company) throws {
    let context = try PeopleStore.context(cell, history: history), saves = try cell.parameter("saves")
    if !undo { context.undoManager = nil }
    let others = try company == .nobody ? [] : (0..<cell.parameter("contexts")).map { _ in try Bystander(of: context, company) }
    let age = try PersonAttributes(context).age
    let time = try context.performAndWait {
        let persons = try firstPersons(context)
        return try processorNanoseconds {
            for save in 0..<saves {
                let person = persons[save % personCount]
                try person.setAttributeValue(.integer(try person.attributeValue(at: age).number + 1), at: age)
                try context.save()
            }
            // Their queues have merged the last save when they come to this.
            if company == .merging { for other in others { try other.context.performAndWait {} } }
        }
    }
    try report(cell, time)
    if company == .merging { cell.checksum("merged", try others.reduce(0) { try $0 + $1.sum(at: age) }) }
}

private func firstPersons(_ context: ManagedObjectContext) throws -> [ManagedObject] {
    var request = FetchRequest(entityName: "Person")
    request.fetchLimit = personCount
    request.returnsObjectsAsFaults = false
    return Array(try context.fetch(request))
}

/// A context beside the one that saves.
private struct Bystander {
    let context: ManagedObjectContext
    private let persons: [ManagedObject]

    init(of saving: ManagedObjectContext, _ company: Company) throws {
        guard let coordinator = saving.persistentStoreCoordinator else { throw BenchmarkError("there is no coordinator") }
        context = try Stores.context(coordinator)
        if company == .merging {
            try context.setQueryGeneration(from: nil)
            try context.setAutomaticallyMergesChangesFromParent(true)
        }
        var request = FetchRequest(entityName: "Person")
        request.returnsObjectsAsFaults = false
        request.fetchLimit = company == .merging ? personCount : 1
        persons = Array(try context.fetch(request))
    }

    func sum(at age: Int) throws -> Int64 {
        try context.performAndWait { try persons.reduce(0) { try $0 + $1.attributeValue(at: age).number } }
    }
}
