import BenchmarkRunner
import BenchmarkSupport
import RawSQLite

/// The pins lie evenly in the journal; a generation is read through a reader that is opened only now, or that showed another one.
let lateReaders = Workload(
    "generation-late-reader",
    parameters: [
        Parameter("rows", tiny: 200, quick: 100_000, full: 100_000), Parameter("characters", tiny: 50, quick: 400, full: 400),
        Parameter("pins", tiny: 8, quick: 16, full: 16), Parameter("samples", tiny: 10, quick: 200, full: 400),
        // A frame is a page of 4,096 bytes and a header of 24.
        Parameter("frames1", tiny: 16, quick: 256, full: 256), Parameter("frames10", tiny: 32, quick: 2_560, full: 2_560),
        Parameter("frames100", tiny: 64, quick: 25_600, full: 25_600),
    ],
    measures: [
        Measure("open1", "open a reader at an old generation and read a row, journal of 1 MB (C: the newest state)", .nanoseconds),
        Measure("open10", "the same, journal of 10 MB", .nanoseconds),
        Measure("open100", "the same, journal of 100 MB", .nanoseconds),
        Measure("retarget1", "move a reader to another old generation and read a row, journal of 1 MB", .nanoseconds),
        Measure("retarget10", "the same, journal of 10 MB", .nanoseconds),
        Measure("retarget100", "the same, journal of 100 MB", .nanoseconds),
    ],
    peers: [Peer("raw", rawLateReaders), .engine], mostRounds: 3,
    prepare: ItemStore.prepare)

/// By hand an old state cannot be opened at all; the newest one can.
private func rawLateReaders(_ cell: Cell) throws {
    let rows = Int64(try cell.parameter("rows")), samples = try cell.parameter("samples")
    let writer = raw_writer_open(cell.store), holder = raw_reader_open(cell.store)
    defer {
        raw_reader_close(holder)
        raw_writer_close(writer)
    }
    // Keeps the journal from being begun anew.
    raw_writer_set(writer, 1, 0)
    raw_reader_begin(holder)
    _ = raw_reader_value(holder, 1)
    var written = 0
    for size in ["1", "10", "100"] {
        let frames = try cell.parameter("frames" + size)
        while written < frames {
            raw_writer_set(writer, key(Int64(written), rows: rows - 1) + 1, Int64(written))
            written += 1
        }
        raw_writer_set(writer, 1, Int64(written))
        var times: [Double] = []
        for _ in 0..<samples {
            var time: Int64 = 0
            let value = raw_open_and_read(cell.store, 1, &time)
            times.append(Double(time))
            guard value == Int64(written) else { throw BenchmarkError("the newest value is \(written), read was \(value)") }
        }
        try cell.measure("open" + size, medianOf: times)
    }
    raw_reader_end(holder)
}
