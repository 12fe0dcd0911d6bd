import BenchmarkRunner
import BenchmarkSupport
import Pinview
import RawSQLite

/// How cost and memory grow with what there is.
let scale = Group(
    "scale", columns: [("raw", "C by hand"), ("swift", "Pinview, Swift")],
    workloads: someRows + someObjects + someContexts + someGenerations + someHistories + someMembers + someModels,
    curves: [
        Curve("fetch objects; per row", measure: "fetch", of: someRows, by: "persons"),
        Curve("insert and save; per row", measure: "insert", of: someRows, by: "persons"),
        Curve("heap; per row", measure: "memory", of: someRows, by: "persons"),
        Curve("find a registered object by its ID", measure: "find", of: someObjects, by: "persons"),
        Curve("create a context, pin it, read an object", measure: "make", of: someContexts, by: "contexts"),
        Curve("heap; per context with an object", measure: "memory", of: someContexts, by: "contexts"),
        Curve("save beside other contexts", measure: "save", of: someContexts, by: "contexts"),
        Curve("pin and read beside pinned generations", measure: "pin", of: someGenerations, by: "generations"),
        Curve("save beside pinned generations", measure: "save", of: someGenerations, by: "generations"),
        Curve("save with a history", measure: "save", of: someHistories, by: "transactions"),
        Curve("fetch the history's last transaction", measure: "last", of: someHistories, by: "transactions"),
        Curve("read members; per member", measure: "read", of: someMembers, by: "cars"),
        Curve("add a member, and save", measure: "add", of: someMembers, by: "cars"),
        Curve("open a store; per entity of its model", measure: "open", of: someModels, by: "entities"),
    ])

// MARK: Rows

private let someRows = [
    fetchSome("scale-rows-1", tiny: 50, quick: 500, full: 1_000),
    fetchSome("scale-rows-2", tiny: 100, quick: 1_000, full: 10_000),
    fetchSome("scale-rows-3", tiny: 200, quick: 10_000, full: 100_000),
    fetchSome("scale-rows-4", tiny: 400, quick: 50_000, full: 1_000_000),
    fetchSome("scale-rows-5", tiny: 800, quick: 100_000, full: 10_000_000),
]

private func fetchSome(_ name: String, tiny: Int, quick: Int, full: Int) -> Workload {
    Workload(
        name, parameters: [Parameter("persons", tiny: tiny, quick: quick, full: full)],
        measures: [
            Measure("fetch", "fetch {persons} persons as objects; per person", .nanoseconds),
            Measure("memory", "heap for each of {persons} persons", .bytes),
            Measure("insert", "insert up to 100,000 more beside {persons} and save; per person", .nanoseconds),
        ],
        peers: [Peer("raw", rawFetchSome), Peer("swift", swiftFetchSome)], mostRounds: full > 1_000_000 ? 2 : 3,
        prepare: PeopleStore.prepare)
}

private func insertions(_ persons: Int) -> Int { min(persons, 100_000) }

private func rawFetchSome(_ cell: Cell) throws {
    let persons = try cell.parameter("persons")
    let database = raw_open_cached(cell.people)
    defer { raw_close(database) }
    let heap = raw_heap_bytes()
    var rows: OpaquePointer?
    let time = processorNanoseconds { rows = raw_persons_fetch(database, "") }
    cell.measure("fetch", time / Double(persons))
    cell.measure("memory", Double(raw_heap_bytes() - heap) / Double(persons))
    cell.checksum("ages", raw_persons_ages(rows))
    raw_persons_free(rows)
    let more = insertions(persons)
    cell.measure("insert", processorNanoseconds { raw_people_insert(database, Int64(persons + 1), Int64(more), 0) } / Double(more))
}

private func swiftFetchSome(_ cell: Cell) throws {
    let persons = try cell.parameter("persons")
    let context = try PeopleStore.context(cell), attributes = try PersonAttributes(context)
    var request = FetchRequest(entityName: "Person")
    request.returnsObjectsAsFaults = false
    try context.performAndWait {
        let heap = raw_heap_bytes()
        var result: FetchResult?
        let time = try processorNanoseconds { result = try context.fetch(request) }
        cell.measure("fetch", time / Double(persons))
        cell.measure("memory", Double(raw_heap_bytes() - heap) / Double(persons))
        var sum: Int64 = 0
        if let result { for person in result { sum += try person.attributeValue(at: attributes.age).number } }
        cell.checksum("ages", sum)
    }
    let more = insertions(persons)
    let time = try context.performAndWait {
        try processorNanoseconds {
            for number in persons + 1...persons + more {
                let values = PersonValues(number), person = try context.insertNewObject(forEntityName: "Person")
                try person.setAttributeValue(values.firstName, at: attributes.firstName)
                try person.setAttributeValue(values.lastName, at: attributes.lastName)
                try person.setAttributeValue(values.email, at: attributes.email)
                try person.setAttributeValue(values.age, at: attributes.age)
                try person.setAttributeValue(values.height, at: attributes.height)
            }
            try context.save()
        }
    }
    cell.measure("insert", time / Double(more))
}

// MARK: Objects

private let someObjects = [
    registerSome("scale-objects-1", tiny: 100, quick: 1_000, full: 10_000),
    registerSome("scale-objects-2", tiny: 200, quick: 10_000, full: 100_000),
    registerSome("scale-objects-3", tiny: 1_000, quick: 100_000, full: 1_000_000),
]

private func registerSome(_ name: String, tiny: Int, quick: Int, full: Int) -> Workload {
    Workload(
        name, parameters: [Parameter("persons", tiny: tiny, quick: quick, full: full)],
        measures: [
            Measure("find", "find one of {persons} registered objects by its ID", .nanoseconds),
            Measure("save", "change and save one of {persons} registered objects", .nanoseconds),
            Measure("release", "release {persons} objects; per object", .nanoseconds),
            Measure("left", "heap left per object after {persons} objects and their context have been released", .bytes),
        ],
        peers: [Peer("swift", swiftRegisterSome)], mostRounds: 3, prepare: PeopleStore.prepare)
}

private func swiftRegisterSome(_ cell: Cell) throws {
    let persons = try cell.parameter("persons"), lookups = min(persons, 100_000)
    let coordinator = try Stores.open(cell.people, try PeopleStore.model())
    // What the first use of a store leaves behind, and SQLite's page cache, are not an object's.
    do {
        let reader = try Stores.context(coordinator)
        try reader.setQueryGeneration(from: nil)
        var ages = FetchRequest(entityName: "Person")
        ages.resultType = .dictionary
        ages.propertiesToFetch = [.keyPath("age")]
        _ = try reader.fetchDictionaries(ages)
    }
    let heap = raw_heap_bytes()
    var release = 0.0
    do {
        let context = try Stores.context(coordinator), age = try PersonAttributes(context).age
        try context.setQueryGeneration(from: nil)
        var request = FetchRequest(entityName: "Person")
        request.returnsObjectsAsFaults = false
        var result: FetchResult? = try context.fetch(request)
        try context.performAndWait {
            guard let all = result else { return }
            let ids = (0..<lookups).map { all[Int(raw_random_key(Int64($0), Int64(persons))) - 1].objectID }
            cell.measure("find", try nanoseconds { for id in ids { _ = try context.registeredObject(for: id) } } / Double(lookups))
            let saves = try (0..<20).map { number in
                try nanoseconds {
                    try all[number * persons / 20].setAttributeValue(.integer(Int64(number)), at: age)
                    try context.save()
                }
            }
            try cell.measure("save", medianOf: saves)
        }
        release = try nanoseconds {
            result = nil
            try context.reset()
        }
    }
    cell.measure("release", release / Double(persons))
    cell.measure("left", Double(raw_heap_bytes() - heap) / Double(persons))
}

// MARK: Contexts

private let someContexts = [
    makeSome("scale-contexts-1", tiny: 10, quick: 10, full: 10),
    makeSome("scale-contexts-2", tiny: 20, quick: 100, full: 100),
    makeSome("scale-contexts-3", tiny: 50, quick: 300, full: 1_000),
    makeSome("scale-contexts-4", tiny: 70, quick: 500, full: 10_000),
    makeSome("scale-contexts-5", tiny: 100, quick: 1_000, full: 100_000),
]

private func makeSome(_ name: String, tiny: Int, quick: Int, full: Int) -> Workload {
    Workload(
        name,
        parameters: [
            Parameter("contexts", tiny: tiny, quick: quick, full: full), Parameter("persons", tiny: 100, quick: 100, full: 100),
        ],
        measures: [
            Measure("make", "create a context of a coordinator with up to {contexts}, pin it and read an object", .nanoseconds),
            Measure("memory", "heap for each of {contexts} contexts with an object", .bytes),
            Measure("save", "save a change beside {contexts} contexts", .nanoseconds),
            Measure("left", "heap left per context after {contexts} contexts have been released", .bytes),
        ],
        peers: [Peer("swift", swiftMakeSome)], mostRounds: 3, prepare: PeopleStore.prepare)
}

private func swiftMakeSome(_ cell: Cell) throws {
    let count = try cell.parameter("contexts")
    let coordinator = try Stores.open(cell.people, try PeopleStore.model())
    let writer = try Stores.context(coordinator), age = try PersonAttributes(writer).age
    try writer.setQueryGeneration(from: nil)
    guard let person = try writer.fetch(FetchRequest(entityName: "Person")).first else { return }
    let id = person.objectID
    func read(_ context: ManagedObjectContext) throws -> ManagedObject {
        let object = try context.object(with: id)
        _ = try object.attributeValue(at: age)
        return object
    }
    _ = try read(try Stores.context(coordinator))
    let heap = raw_heap_bytes()
    do {
        var contexts: [(ManagedObjectContext, ManagedObject)] = []
        contexts.reserveCapacity(count)
        let time = try nanoseconds {
            for _ in 0..<count {
                let context = try Stores.context(coordinator)
                contexts.append((context, try read(context)))
            }
        }
        cell.measure("make", time / Double(count))
        cell.measure("memory", Double(raw_heap_bytes() - heap) / Double(count))
        let saves = try (0..<20).map { number in
            try nanoseconds {
                try person.setAttributeValue(.integer(Int64(number)), at: age)
                try writer.save()
            }
        }
        try cell.measure("save", medianOf: saves)
        withExtendedLifetime(contexts) {}
    }
    cell.measure("left", Double(raw_heap_bytes() - heap) / Double(count))
}
