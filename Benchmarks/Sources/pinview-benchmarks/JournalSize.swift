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
        Measure("pinned", "the same with a pin, detaching off", .bytes),
        Measure("detached", "the same with a pin, detaching on", .bytes),
        Measure("files", "all files of the store in that case, at most", .bytes),
    ],
    peers: [Peer("raw", rawJournal), .engine, Peer("swift", contextJournal)], mostRounds: 1,
    prepare: ItemStore.prepare)

private func rawJournal(_ cell: Cell) throws {
    let writer = raw_writer_open(cell.store), reader = raw_reader_open(cell.store)
    defer {
        raw_reader_close(reader)
        raw_writer_close(writer)
    }
    let rows = Int64(try cell.parameter("rows"))
    func renew(_ commit: Int64) { raw_writer_set(writer, key(commit, rows: rows), commit) }
    cell.measure("unpinned", Double(try JournalSizes(cell, store: cell.store, commit: renew).journal))
    raw_writer_set(writer, 1, -1)
    raw_reader_begin(reader)
    _ = raw_reader_value(reader, 1)
    cell.measure("pinned", Double(try JournalSizes(cell, store: cell.store, commit: renew).journal))
    cell.checksum("pinned", raw_reader_value(reader, 1))
    raw_reader_end(reader)
}

/// One object renewed in each save. Detaching is what a store does unless an option says otherwise.
private func contextJournal(_ cell: Cell) throws {
    for (measure, isPinned) in [("unpinned", false), ("detached", true)] {
        let coordinator = try ItemStore.open(cell.store)
        let writing = try ItemStore.context(coordinator), pinned = try ItemStore.context(coordinator)
        let item = try ItemStore.firstItem(writing), held = try ItemStore.firstItem(pinned)
        try item.setAttributeValue(.integer(-1), forKey: "value")
        try writing.save()
        if isPinned {
            try pinned.setQueryGeneration(from: .current)
            _ = try ItemStore.freshValue(held, pinned)
        }
        let sizes = try JournalSizes(cell, store: cell.store) { commit in
            try item.setAttributeValue(.integer(commit), forKey: "value")
            try writing.save()
        }
        cell.measure(measure, Double(sizes.journal))
        guard isPinned else { continue }
        cell.measure("files", Double(sizes.files))
        cell.checksum("pinned", try ItemStore.freshValue(held, pinned))
    }
}
