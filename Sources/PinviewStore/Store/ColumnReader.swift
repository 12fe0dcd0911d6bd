import PinviewGenerations
import PinviewModel

/// Some rows as columns, each of the same length.
package struct PackedBatch: Sendable {
    package let columns: [ColumnData]
    package let rowCount: Int
}

/// Reads the columns of one store batch by batch, at one generation, which it holds. One thread at
/// a time.
///
/// Between two batches nothing is open: a fetch that goes through the whole table goes on behind
/// the last key. Where all rows are wanted and their keys lie close together, a second thread reads
/// ahead. What is sorted, grouped or found by an index cannot go on like that without doing the
/// work again; it is read when the first batch is asked for, and waits as columns.
package final class ColumnReader {
    private enum State {
        case new
        /// Behind a key; with so many rows to come at the most.
        case paging(after: Int64?, remaining: Int)
        /// By two threads, from a key on.
        case relay(PageRelay, from: Int64, given: [PackedBatch])
        /// In the order in which they are to be given, from an index on.
        case waiting([PackedBatch?], Int)
    }

    private let store: SQLStore
    private let generation: Generation?
    private let fetch: ColumnFetch
    private var state = State.new
    /// Of the last batch: the next one is not made larger step by step.
    private var reservedRows = 512
    private var hasCondition = true
    private let runInBackground: BackgroundRunner

    /// Smaller batches are not worth a second thread.
    private static let smallestSharedBatch = 16_384

    package init(_ fetch: ColumnFetch, store: SQLStore, generation: Generation?, runInBackground: @escaping BackgroundRunner) {
        self.fetch = fetch
        self.store = store
        self.generation = generation
        self.runInBackground = runInBackground
    }

    deinit {
        if case .relay(let relay, _, _) = state { relay.abandon() }
    }

    /// The next rows; nil when there are no more.
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
            // The memory is the caller's from now on.
            let batch = batches[index]
            batches[index] = nil
            state = .waiting(batches, index + 1)
            return batch
        }
    }

    // MARK: Going through a table

    /// Whether the rows come out of the table in the order of their keys anyway, and stay as they
    /// are between two batches.
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

    /// Whether pages of as many keys as a batch has rows are good ones: after a first batch whose
    /// keys leave few out.
    private func canShare(_ rowCount: Int, through lastKey: Int64, from firstKey: Int64?) -> Bool {
        firstKey == nil && fetch.fetch.limit == 0 && fetch.fetch.offset == 0 && !hasCondition && rowCount == fetch.batchSize
            && fetch.batchSize >= Self.smallestSharedBatch && lastKey > 0 && lastKey / 2 <= rowCount
    }

    private func makeRelay(after start: Int64) -> PageRelay {
        let (store, generation, fetch) = (store, generation, fetch)
        return PageRelay(runInBackground: runInBackground) { (number) throws(PinviewError) in
            // There are as many pages as there are rows at the most, so nothing overflows.
            let first = start + Int64(number) * Int64(fetch.batchSize)
            let page = DictionaryFetch.Page(after: first, through: first + Int64(fetch.batchSize))
            return try Self.readAll(fetch, page, store, generation, reservingRows: fetch.batchSize)
        }
    }

    private func take(from relay: PageRelay, _ start: Int64, _ given: [PackedBatch]) throws(PinviewError) -> PackedBatch? {
        var batches = given[...]
        while batches.isEmpty {
            guard let page = try relay.next() else {
                // The rest, if there is any, has keys far from each other.
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
        // Limit and offset cut the same rows each time.
        let page = isWindowed && !fetch.isOrderedOrGrouped ? DictionaryFetch.Page(after: nil) : nil
        if fetch.fetch.limit > 0 { ordered.batchSize = min(fetch.batchSize, fetch.fetch.limit) }
        return try Self.readAll(ordered, page, store, generation, reservingRows: reservedRows)
    }

    /// All rows, or all of a page.
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
