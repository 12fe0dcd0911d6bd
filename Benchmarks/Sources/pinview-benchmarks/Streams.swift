import BenchmarkRunner
import BenchmarkSupport
import Pinview
import RawSQLite

/// W18: many rows, one after another.
let streams = Workload(
    "w18-stream", parameters: [Parameter("persons", tiny: 5_000, quick: 100_000, full: 1_000_000)],
    measures: [
        Measure("whole", "W18: fetch {persons} persons as objects and keep them; per person", .nanoseconds),
        Measure("objects", "W18: read them one after another as objects, in batches of 1,000", .nanoseconds),
        Measure("objectsPeak", "W18: memory in use meanwhile, at most", .bytes),
        Measure("values", "W18: the same, two values of each, row by row", .nanoseconds),
        Measure("valuesPeak", "W18: memory in use meanwhile, at most", .bytes),
        Measure("columns", "W18: the same two as columns, in batches of 65,536", .nanoseconds),
        Measure("columnsPeak", "W18: memory in use meanwhile, at most", .bytes),
    ],
    peers: [Peer("raw", rawStreams), Peer("swift", swiftStreams)], mostRounds: 3, prepare: PeopleStore.prepare)

private let sampledRows = 1000

/// The most memory in use since this began.
private struct Peak {
    private let start = raw_heap_bytes()
    private var most: Int64 = 0

    mutating func sample() { most = max(most, raw_heap_bytes() - start) }
    var bytes: Double { Double(most) }
}

private func rawStreams(_ cell: Cell) throws {
    let persons = Double(try cell.parameter("persons"))
    let database = raw_open_cached(cell.people)
    defer { raw_close(database) }
    var rows: OpaquePointer?
    var ages: Int64 = 0
    cell.measure(
        "whole",
        processorNanoseconds {
            rows = raw_persons_fetch(database, "")
            ages = raw_persons_ages(rows)
        } / persons)
    cell.checksum("ages", ages)
    raw_persons_free(rows)
    for (name, columns) in [
        ("objects", "ZAGE, Z_PK, Z_OPT, ZHEIGHT, ZFIRSTNAME, ZLASTNAME, ZEMAIL"), ("values", "ZAGE, ZLASTNAME"),
        ("columns", "ZAGE, ZLASTNAME"),
    ] {
        let sql = "SELECT \(columns) FROM ZPERSON"
        cell.measure(name, processorNanoseconds { ages = raw_people_stream(database, sql, nil) } / persons)
        cell.checksum("ages", ages)
        let before = raw_heap_bytes()
        var most = before
        _ = raw_people_stream(database, sql, &most)
        cell.measure(name + "Peak", Double(most - before))
    }
}

private func swiftStreams(_ cell: Cell) throws {
    let persons = Double(try cell.parameter("persons"))
    let coordinator = try Stores.open(cell.people, try PeopleStore.model())
    let age = try PersonAttributes(try Stores.context(coordinator)).age
    var request = FetchRequest(entityName: "Person")
    request.returnsObjectsAsFaults = false
    do {
        let context = try Stores.context(coordinator)
        try context.performAndWait {
            var kept: FetchResult?
            var ages: Int64 = 0
            let time = try processorNanoseconds {
                let found = try context.fetch(request)
                for person in found { ages += try person.attributeValue(at: age).number }
                kept = found
            }
            cell.measure("whole", time / persons)
            cell.checksum("ages", ages)
            withExtendedLifetime(kept) {}
        }
    }
    for (name, work) in [("objects", objectStream), ("values", valueStream), ("columns", columnStream)] {
        var ages: Int64 = 0
        let context = try Stores.context(coordinator)
        cell.measure(name, try context.performAndWait { try processorNanoseconds { ages = try work(context, age) {} } } / persons)
        cell.checksum("ages", ages)
        let other = try Stores.context(coordinator)
        try other.performAndWait {
            // The page caches of all readers grow to the limit that the program gave them.
            for _ in 0..<3 { _ = try work(other, age) {} }
            var peak = Peak()
            _ = try work(other, age) { peak.sample() }
            cell.measure(name + "Peak", peak.bytes)
        }
    }
}

private func objectStream(_ context: ManagedObjectContext, _ age: Int, each thousand: () -> Void) throws -> Int64 {
    var request = FetchRequest(entityName: "Person")
    request.fetchBatchSize = 1000
    var sum: Int64 = 0
    for (row, person) in try context.fetch(request).enumerated() {
        sum += try person.attributeValue(at: age).number
        if row % sampledRows == 0 { thousand() }
    }
    return sum
}

private func columns(_ context: ManagedObjectContext) throws -> ColumnStream {
    var request = FetchRequest(entityName: "Person")
    request.propertiesToFetch = ["lastName", "age"]
    return try context.fetchColumns(request)
}

private func valueStream(_ context: ManagedObjectContext, _ age: Int, each thousand: () -> Void) throws -> Int64 {
    let stream = try columns(context)
    var sum: Int64 = 0, lengths = 0
    while let batch = try stream.next() {
        let names = batch.columns[0], ages = batch.columns[1]
        for row in 0..<batch.rowCount {
            if case .string(let name) = names[row] { lengths += name.utf8.count }
            sum += ages[row].number
            if row % sampledRows == 0 { thousand() }
        }
    }
    guard lengths > 0 || sum == 0 else { throw BenchmarkError("nobody has a name") }
    return sum
}

private func columnStream(_ context: ManagedObjectContext, _ age: Int, each batchDone: () -> Void) throws -> Int64 {
    let stream = try columns(context)
    var sum: Int64 = 0
    while let batch = try stream.next() {
        sum += batch.columns[1].withNumbers(of: Int16.self) { numbers in numbers.reduce(Int64(0)) { $0 + Int64($1) } } ?? 0
        batchDone()
    }
    return sum
}
