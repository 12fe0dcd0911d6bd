import BenchmarkSupport
import PinviewGenerations

/// How large the journal gets while one generation stays pinned and others commit.
func measureJournalSize(_ cell: Cell) throws {
    let rows = Int64(try cell.parameter("rows"))
    for (measure, policy) in [("unpinned", nil), ("pinned", .off), ("detached", .detach)] as [(String, JournalBudget.Policy?)] {
        var options = StoreFileOptions()
        if let policy { options.journalBudget.policy = policy }
        let store = try StoreFile.open(path: cell.store, options: options)
        defer { store.close() }
        func set(_ key: Int64, _ value: Int64) throws {
            let transaction = try store.beginWrite()
            let statement = try transaction.connection.statement("UPDATE ZITEM SET ZVALUE = ?2, Z_OPT = Z_OPT + 1 WHERE Z_PK = ?1")
            try statement.bind(1, key)
            try statement.bind(2, value)
            try statement.run()
            _ = try transaction.commit()
        }
        try set(1, -1)
        let pinned = policy == nil ? nil : try store.currentGeneration()
        let sizes = try JournalSizes(cell, store: cell.store) { try set(key($0, rows: rows), $0) }
        cell.measure(measure, Double(sizes.journal))
        if measure == "detached" { cell.measure("files", Double(sizes.files)) }
        if let pinned { cell.checksum("pinned", try store.value(1, at: pinned)) }
    }
}
