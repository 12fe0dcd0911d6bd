import PinviewGenerations
import PinviewModel

/// Some rows as columns of equal length.
package struct PackedBatch: Sendable {
    package let columns: [ColumnData]
    package let rowCount: Int
}

/// Reads the columns of one store batch by batch, at one generation, which it holds. Must be used
/// by one thread at a time.
///
/// Between batches, no statement is open: a fetch of a whole table continues after the last key. If
/// all rows are wanted and their keys are dense, a second thread reads ahead. Sorted, grouped and
/// indexed fetches cannot continue without repeating work, so they are read completely with the
/// first batch and kept as columns.
package final class ColumnReader {
    private enum State {
        case new
        /// Continue after a key, with at most `remaining` rows to come.
        case paging(after: Int64?, remaining: Int)
        /// Read by two threads, starting at a key.
        case relay(ParallelPageReader, from: Int64, given: [PackedBatch])
        /// Everything has been read; continue at an index.
        case waiting([PackedBatch?], Int)
    }

    private let store: SQLStore
    private let generation: Generation?
    private let fetch: ColumnFetch
    private var state = State.new
    /// The size of the last batch, so that the next one need not grow step by step.
    private var reservedRows = 512
    private var hasCondition = true
    private let runInBackground: BackgroundRunner

    /// Smaller batches are not worth a second thread.
    private static let smallestSharedBatch = 16_384

    init(_ fetch: ColumnFetch, store: SQLStore, generation: Generation?, runInBackground: @escaping BackgroundRunner) {
        self.fetch = fetch
        self.store = store
        self.generation = generation
        self.runInBackground = runInBackground
    }

    deinit {
        if case .relay(let relay, _, _) = state { relay.abandon() }
    }

    /// The next rows; nil at the end.
    package func next() throws(PinviewError) -> PackedBatch? {
        if case .new = state {
            if try canPage() {
                state = .paging(after: nil, remaining: fetch.fetch.limit > 0 ? fetch.fetch.limit : .max)
            } else {
                state = .waiting(try readEverything(), 0)
            }
        }
        switch state {
        case .new: return nil
        case .paging(let after, let remaining): return try readPage(after: after, remaining: remaining)
        case .relay(let relay, let start, let given): return try take(from: relay, start, given)
        case .waiting(var batches, let index):
            guard index < batches.count else { return nil }
            // From now on, the memory belongs to the caller.
            let batch = batches[index]
            batches[index] = nil
            state = .waiting(batches, index + 1)
            return batch
        }
    }

    // MARK: Going through a table

    /// Whether rows are read from the table in the order of their keys, and stay the same between
    /// batches.
    private func canPage() throws(PinviewError) -> Bool {
        guard let generation, !fetch.isOrderedOrGrouped else { return false }
        if fetch.fetch.limit > 0, fetch.fetch.limit <= fetch.batchSize { return false }
        let dictionaries = try ColumnSQL(fetch, store: store).sql
        hasCondition = dictionaries.hasCondition
        guard hasCondition else { return true }
        let sql = dictionaries.text
        return try store.read(at: generation) { connection in
            let statement = try connection.statement("EXPLAIN QUERY PLAN " + sql.text)
            defer { statement.reset() }
            try statement.bind(sql.bindings)
            while try statement.step() {
                let step = statement.string(3)
                if step == "SCAN t0" || step.hasPrefix("SCAN TABLE ") && step.hasSuffix(" AS t0") { return true }
            }
            return false
        }
    }

    private func readPage(after: Int64?, remaining: Int) throws(PinviewError) -> PackedBatch? {
        guard remaining > 0 else { return nil }
        var page = fetch
        page.fetch.limit = 0
        if after != nil { page.fetch.offset = 0 }
        let sql = try ColumnSQL(page, page: .init(after: after), store: store)
        let columns = PackedColumns(sql.plans, reservingRows: min(reservedRows, remaining))
        let (hasMore, lastKey) = try store.read(at: generation) { connection in
            let statement = try connection.statement(sql.sql.text.text)
            defer { statement.reset() }
            try statement.bind(sql.sql.text.bindings)
            let hasMore = try statement.fetch(into: columns, limit: min(fetch.batchSize, remaining))
            try sql.damage.throwIfNoted()
            return (hasMore, hasMore ? statement.int64(Int32(sql.sql.keyColumn)) : 0)
        }
        try Self.check(columns, fetch, store)
        let batch = Self.take(columns)
        reservedRows = max(reservedRows, batch.rowCount)
        if hasMore, canShare(batch.rowCount, through: lastKey, from: after) {
            state = .relay(makeRelay(after: lastKey), from: lastKey, given: [])
        } else {
            state = hasMore ? .paging(after: lastKey, remaining: remaining - batch.rowCount) : .waiting([], 0)
        }
        return batch.rowCount == 0 ? nil : batch
    }

    // MARK: By two threads

    /// Whether pages with as many keys as a batch has rows are suitable, judged by the first batch:
    /// few keys may be missing.
    private func canShare(_ rowCount: Int, through lastKey: Int64, from firstKey: Int64?) -> Bool {
        firstKey == nil && fetch.fetch.limit == 0 && fetch.fetch.offset == 0 && !hasCondition && rowCount == fetch.batchSize
            && fetch.batchSize >= Self.smallestSharedBatch && lastKey > 0 && lastKey / 2 <= rowCount
    }

    private func makeRelay(after start: Int64) -> ParallelPageReader {
        let (store, generation, fetch) = (store, generation, fetch)
        return ParallelPageReader(runInBackground: runInBackground) { (number) throws(PinviewError) in
            // There are at most as many pages as rows, so nothing overflows.
            let first = start + Int64(number) * Int64(fetch.batchSize)
            let page = DictionaryFetch.Page(after: first, through: first + Int64(fetch.batchSize))
            return try Self.readAll(fetch, page, store, generation, reservingRows: fetch.batchSize)
        }
    }

    private func take(from relay: ParallelPageReader, _ start: Int64, _ given: [PackedBatch]) throws(PinviewError) -> PackedBatch? {
        var batches = given[...]
        while batches.isEmpty {
            guard let page = try relay.next() else {
                // The keys of the remaining rows, if any, are sparse.
                let (after, overflow) = start.addingReportingOverflow(Int64(relay.end()) * Int64(fetch.batchSize))
                state = overflow ? .waiting([], 0) : .paging(after: after, remaining: .max)
                return try next()
            }
            if page.reduce(0, { $0 + $1.rowCount }) < fetch.batchSize / 8 { _ = relay.end() }
            batches = page[...]
        }
        let batch = batches.removeFirst()
        state = .relay(relay, from: start, given: Array(batches))
        return batch
    }

    // MARK: All at once

    private func readEverything() throws(PinviewError) -> [PackedBatch?] {
        var ordered = fetch
        let isWindowed = fetch.fetch.limit > 0 || fetch.fetch.offset > 0
        // Limit and offset always select the same rows.
        let page = isWindowed && !fetch.isOrderedOrGrouped ? DictionaryFetch.Page(after: nil) : nil
        if fetch.fetch.limit > 0 { ordered.batchSize = min(fetch.batchSize, fetch.fetch.limit) }
        return try Self.readAll(ordered, page, store, generation, reservingRows: reservedRows)
    }

    /// All rows, or all rows of a page.
    private static func readAll(
        _ fetch: ColumnFetch, _ page: DictionaryFetch.Page?, _ store: SQLStore, _ generation: Generation?, reservingRows: Int
    ) throws(PinviewError) -> [PackedBatch] {
        let sql = try ColumnSQL(fetch, page: page, store: store)
        return try store.read(at: generation) { connection in
            let statement = try connection.statement(sql.sql.text.text)
            defer { statement.reset() }
            try statement.bind(sql.sql.text.bindings)
            var batches: [PackedBatch] = []
            while true {
                let reserved = max(reservingRows, batches.last?.rowCount ?? 0)
                let columns = PackedColumns(sql.plans, reservingRows: min(reserved, fetch.batchSize))
                let hasMore = try statement.fetch(into: columns, limit: fetch.batchSize)
                try sql.damage.throwIfNoted()
                try check(columns, fetch, store)
                let batch = take(columns)
                if batch.rowCount > 0 { batches.append(batch) }
                guard hasMore else { return batches }
            }
        }
    }

    // MARK: Common

    private static func take(_ columns: PackedColumns) -> PackedBatch {
        let count = columns.rowCount
        return PackedBatch(columns: columns.finish(), rowCount: count)
    }

    private static func check(_ columns: PackedColumns, _ fetch: ColumnFetch, _ store: SQLStore) throws(PinviewError) {
        guard let failure = columns.failure, fetch.fields.indices.contains(failure.column) else { return }
        let field = fetch.fields[failure.column]
        let what =
            switch failure.value {
            case .integer(let value): "the value \(value)"
            case .real(let value): "the value \(value)"
            case .bytes(let count): "a value of \(count) bytes"
            }
        throw PinviewError(
            .wrongType,
            "\(store.name) has \(what) in '\(field.name)' of some \(fetch.fetch.entity.name), which a column of the type \(field.type.rawValue) cannot hold. "
                + "Leave it out, or fetch it as an expression or as dictionaries.")
    }
}
