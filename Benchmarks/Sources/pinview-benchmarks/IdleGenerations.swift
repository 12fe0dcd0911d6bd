import BenchmarkRunner
import BenchmarkSupport
import Pinview
import RawSQLite

/// Many generations at once, a commit between each, none of them being read: what they cost, and that each still reads its own data.
let idleGenerations = Workload(
    "generation-idle",
    parameters: [
        Parameter("rows", tiny: 200, quick: 1_000, full: 1_000), Parameter("characters", tiny: 50, quick: 50, full: 50),
        Parameter("few", tiny: 20, quick: 1_000, full: 1_000), Parameter("many", tiny: 50, quick: 10_000, full: 10_000),
        // By hand each takes two descriptors, so that there cannot be more than some 500.
        Parameter("byHand", tiny: 10, quick: 400, full: 400), Parameter("descriptorLimit", tiny: 1024, quick: 1024, full: 1024),
    ],
    measures: [
        Measure("takeFew", "pin after a commit while the {few} before it stay alive (C: {byHand}, one connection each)", .nanoseconds),
        Measure("bytesFew", "memory of each of {few} live generations (C: of {byHand}, one connection each)", .bytes),
        Measure("bytesMany", "memory of each of {many}", .bytes),
        Measure("descriptorsFew", "file descriptors of the store and {few} live generations (C: {byHand})", .count),
        Measure("descriptorsMany", "file descriptors of the store and {many}", .count),
    ],
    peers: [Peer("raw", rawIdle), .engine, Peer("swift", contextIdle)], mostRounds: 3,
    prepare: ItemStore.prepare)

/// Takes so many generations and reads from a hundred of them.
///
/// - Parameter descriptors: how many there were before the store was opened.
private func measureIdle<Pinned>(
    _ cell: Cell, _ count: Int, suffix: String, descriptors: Int, writer: OpaquePointer?, pin: () throws -> Pinned,
    value: (Pinned) throws -> Int64
) throws {
    try limitDescriptors(to: try cell.parameter("descriptorLimit"))
    // What the first commits, the first pin and the first read need for ever is not the generations'.
    for _ in 0..<100 { raw_writer_set(writer, 1, 0) }
    for _ in 0..<8 { _ = try value(try pin()) }
    var live: [Pinned] = []
    live.reserveCapacity(count)
    let memory = raw_heap_bytes()
    var pins = 0.0
    for number in 1...Int64(count) {
        raw_writer_set(writer, 1, number)
        pins += try nanoseconds { live.append(try pin()) }
    }
    if suffix == "Few" { cell.measure("takeFew", pins / Double(count)) }
    cell.measure("bytes" + suffix, Double(raw_heap_bytes() - memory) / Double(count))
    for number in stride(from: 0, to: count, by: max(1, count / 100)) {
        let value = try value(live[number])
        guard value == Int64(number + 1) else { throw BenchmarkError("generation \(number + 1) reads \(value), which is not its own") }
    }
    cell.measure("descriptors" + suffix, Double(try descriptorCount() - descriptors))
}

private func rawIdle(_ cell: Cell) throws {
    let writer = raw_writer_open(cell.store)
    defer { raw_writer_close(writer) }
    let descriptors = try descriptorCount()
    // A connection for each, which nobody closes before the process ends.
    try measureIdle(
        cell, try cell.parameter("byHand"), suffix: "Few", descriptors: descriptors, writer: writer,
        pin: {
            let reader = raw_reader_open(cell.store)
            raw_reader_begin(reader)
            _ = raw_reader_value(reader, 1)
            return reader
        }, value: { raw_reader_value($0, 1) })
}

private func contextIdle(_ cell: Cell) throws {
    let writer = raw_writer_open(cell.store)
    defer { raw_writer_close(writer) }
    let descriptors = try descriptorCount()
    let coordinator = try ItemStore.open(cell.store)
    for (name, suffix) in [("few", "Few"), ("many", "Many")] {
        try measureIdle(
            cell, try cell.parameter(name), suffix: suffix, descriptors: descriptors, writer: writer,
            pin: {
                let context = try ItemStore.context(coordinator)
                try context.setQueryGeneration(from: .current)
                // Pinning is lazy; the object goes again, as nothing refers to it.
                _ = try ItemStore.firstItem(context)
                return context
            }, value: { try ItemStore.freshValue(try ItemStore.firstItem($0), $0) })
    }
}
