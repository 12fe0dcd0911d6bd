import BenchmarkRunner
import BenchmarkSupport
import Pinview
import RawSQLite

/// How large the journal gets while one generation stays pinned and others commit.
let journalSize = Workload(
    "generation-journal",
    parameters: [
        Parameter("rows", tiny: 2_000, quick: 20_000, full: 20_000), Parameter("characters", tiny: 50, quick: 400, full: 400),
        Parameter("commits", tiny: 200, quick: 20_000, full: 100_000),
    ],
    measures: [
        Measure("unpinned", "largest journal in {commits} commits, nothing pinned", .bytes),
        Measure("pinned", "the same under a pin, detaching off", .bytes),
    ],
    peers: [Peer("raw", rawJournal), Peer("swift", contextJournal)], mostRounds: 1,
    prepare: ItemStore.prepare)

/// Commits, and looks after every hundredth what is there.
///
/// - Returns: the largest size of the journal.
private func commit(_ cell: Cell, _ change: (Int64) throws -> Void) throws -> Int64 {
    var largest: Int64 = 0
    for commit in 1...Int64(try cell.parameter("commits")) {
        try change(commit)
        if commit % 100 == 0 { largest = max(largest, fileSize(cell.store + "-wal")) }
    }
    return largest
}

private func rawJournal(_ cell: Cell) throws {
    let writer = raw_writer_open(cell.store), reader = raw_reader_open(cell.store)
    defer {
        raw_reader_close(reader)
        raw_writer_close(writer)
    }
    let rows = Int64(try cell.parameter("rows"))
    func renew(_ commit: Int64) { raw_writer_set(writer, key(commit, rows: rows), commit) }
    cell.measure("unpinned", Double(try commit(cell, renew)))
    raw_writer_set(writer, 1, -1)
    raw_reader_begin(reader)
    let before = raw_reader_value(reader, 1)
    cell.measure("pinned", Double(try commit(cell, renew)))
    cell.checksum("pinned", before &* 31 &+ raw_reader_value(reader, 1))
    raw_reader_end(reader)
}

private func contextJournal(_ cell: Cell) throws {
    for (measure, options, isPinned) in [("unpinned", [:], false), ("pinned", [:], true)] as [(String, [String: Value], Bool)] {
        let coordinator = try ItemStore.open(cell.store, options: options)
        let writing = try ItemStore.context(coordinator), pinned = try ItemStore.context(coordinator)
        let first = try ItemStore.firstItem(writing), held = try ItemStore.firstItem(pinned)
        try first.setAttributeValue(.integer(-1), forKey: "value")
        try writing.save()
        var before: Int64 = 0
        if isPinned {
            try pinned.setQueryGeneration(from: .current)
            before = try ItemStore.freshValue(held, pinned)
        }
        // One object renewed in each save, as by hand.
        cell.measure(
            measure,
            Double(
                try commit(cell) { commit in
                    try first.setAttributeValue(.integer(commit), forKey: "value")
                    try writing.save()
                }))
        if isPinned { cell.checksum("pinned", before &* 31 &+ (try ItemStore.freshValue(held, pinned))) }
    }
}
