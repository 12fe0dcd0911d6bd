import BenchmarkRunner
import BenchmarkSupport
import Pinview
import RawSQLite

/// Taking, sharing, moving and letting go of pins, while somebody else commits.
let pins = Workload(
    "generation-pins",
    parameters: [
        Parameter("rows", tiny: 200, quick: 1_000, full: 1_000), Parameter("characters", tiny: 50, quick: 50, full: 50),
        Parameter("commits", tiny: 20, quick: 2_000, full: 5_000), Parameter("repeats", tiny: 20, quick: 20_000, full: 100_000),
    ],
    measures: [
        Measure("pin", "pin after a commit (C and contexts: with the first read)", .nanoseconds),
        Measure("shared", "pin when the newest generation is pinned already", .nanoseconds),
        Measure("advance", "advance: pin after a commit, read a row, release the old generation", .nanoseconds),
        Measure("release", "release a generation", .nanoseconds),
    ],
    peers: [Peer("raw", rawPins), .engine, Peer("swift", contextPins)],
    prepare: ItemStore.prepare)

/// A connection that begins a read transaction and reads.
private func rawPins(_ cell: Cell) throws {
    let writer = raw_writer_open(cell.store), reader = raw_reader_open(cell.store)
    defer {
        raw_reader_close(reader)
        raw_writer_close(writer)
    }
    let commits = Int64(try cell.parameter("commits"))
    var pins: [Double] = [], releases: [Double] = [], advances: [Double] = [], shared: [Double] = []
    var sum: Int64 = 0
    for commit in 1...commits {
        raw_writer_set(writer, 1, commit)
        pins.append(
            nanoseconds {
                raw_reader_begin(reader)
                sum += raw_reader_value(reader, 1)
            })
        releases.append(nanoseconds { raw_reader_end(reader) })
    }
    for _ in 1...(try cell.parameter("repeats")) {
        shared.append(
            nanoseconds {
                raw_reader_begin(reader)
                _ = raw_reader_value(reader, 1)
            })
        raw_reader_end(reader)
    }
    raw_reader_begin(reader)
    for commit in 1...commits {
        raw_writer_set(writer, 1, commit)
        advances.append(
            nanoseconds {
                raw_reader_end(reader)
                raw_reader_begin(reader)
                sum += raw_reader_value(reader, 1)
            })
    }
    raw_reader_end(reader)
    try cell.measure("pin", medianOf: pins)
    try cell.measure("shared", medianOf: shared)
    try cell.measure("advance", medianOf: advances)
    try cell.measure("release", medianOf: releases)
    cell.checksum("values", sum)
}

private func contextPins(_ cell: Cell) throws {
    let writer = raw_writer_open(cell.store)
    defer { raw_writer_close(writer) }
    let coordinator = try ItemStore.open(cell.store)
    let context = try ItemStore.context(coordinator), other = try ItemStore.context(coordinator)
    let item = try ItemStore.firstItem(context), otherItem = try ItemStore.firstItem(other)
    let commits = Int64(try cell.parameter("commits")), repeats = try cell.parameter("repeats")
    var pins: [Double] = [], releases: [Double] = [], advances: [Double] = []
    var sum: Int64 = 0
    for commit in 1...commits {
        raw_writer_set(writer, 1, commit)
        pins.append(
            try nanoseconds {
                try context.setQueryGeneration(from: .current)
                sum += try ItemStore.freshValue(item, context)
            })
        releases.append(try nanoseconds { try context.setQueryGeneration(from: nil) })
    }
    try other.setQueryGeneration(from: .current)
    _ = try ItemStore.freshValue(otherItem, other)
    guard let token = other.queryGenerationToken else { throw BenchmarkError("the context is not pinned") }
    let shared = try nanoseconds { for _ in 0..<repeats { try context.setQueryGeneration(from: token) } } / Double(repeats)
    for commit in 1...commits {
        raw_writer_set(writer, 1, commit)
        advances.append(
            try nanoseconds {
                try context.setQueryGeneration(from: .current)
                sum += try ItemStore.freshValue(item, context)
            })
    }
    try cell.measure("pin", medianOf: pins)
    cell.measure("shared", shared)
    try cell.measure("advance", medianOf: advances)
    try cell.measure("release", medianOf: releases)
    cell.checksum("values", sum)
}
