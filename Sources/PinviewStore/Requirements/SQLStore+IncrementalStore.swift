import PinviewGenerations
import PinviewModel

/// Stores in SQLite files and in memory.
extension SQLStore: IncrementalStore {
    package func columnReader(_ fetch: ColumnFetch, at generation: Generation?, runInBackground: @escaping BackgroundRunner) -> ColumnReader
    {
        ColumnReader(fetch, store: self, generation: generation, runInBackground: runInBackground)
    }

    package func sql(
        _ text: String, _ arguments: [(name: String?, value: Value)], at generation: Generation?
    ) throws(PinviewError) -> StoreSQL {
        try StoreSQL(text, arguments, in: self, at: generation)
    }
}
