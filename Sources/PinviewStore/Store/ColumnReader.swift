import PinviewGenerations
import PinviewModel

/// Some rows as columns, each of the same length.
package struct PackedBatch: Sendable {
    package let columns: [ColumnData]
    package let rowCount: Int
}

/// Reads the columns of one store batch by batch, at one generation, which it holds. One thread at a time.
///
/// Between two batches nothing is open: a fetch that goes through the whole table goes on behind the last key. What is sorted,
/// grouped or found by an index cannot go on like that without doing the work again; it is read when the first batch is asked for,
/// and waits as columns.
package final class ColumnReader {
    private enum State {
        case new
        /// Behind a key; with so many rows to come at the most.
        case paging(after: Int64?, remaining: Int)
        /// In the order in which they are to be given, from an index on.
        case waiting([PackedBatch?], Int)
    }

    private let store: SQLStore
    private let generation: Generation?
    private let fetch: ColumnFetch
    private var state = State.new
    /// Of the last batch: the next one is not made larger step by step.
    private var reservedRows = 512

    package init(_ fetch: ColumnFetch, store: SQLStore, generation: Generation?) {
        self.fetch = fetch
        self.store = store
        self.generation = generation
    }

    /// The next rows; nil when there are no more.
    package func next() throws(PinviewError) -> PackedBatch? {
        if case .new = state {
            if try canPage() {
                state = .paging(after: nil, remaining: fetch.fetch.limit > 0 ? fetch.fetch.limit : .max)
            } else {
                state = .waiting(try readAll(), 0)
            }
        }
        switch state {
        case .new: return nil
        case .paging(let after, let remaining): return try readPage(after: after, remaining: remaining)
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

    /// Whether the rows come out of the table in the order of their keys anyway, and stay as they are between two batches.
    private func canPage() throws(PinviewError) -> Bool {
        guard let generation, !fetch.isOrderedOrGrouped else { return false }
        if fetch.fetch.limit > 0, fetch.fetch.limit <= fetch.batchSize { return false }
        let dictionaries = try ColumnSQL(fetch, store: store).sql
        guard dictionaries.hasCondition else { return true }
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
            return (hasMore, hasMore ? statement.int64(Int32(sql.sql.keyColumn)) : 0)
        }
        try check(columns)
        let batch = take(columns)
        reservedRows = max(reservedRows, batch.rowCount)
        state = hasMore ? .paging(after: lastKey, remaining: remaining - batch.rowCount) : .waiting([], 0)
        return batch.rowCount == 0 ? nil : batch
    }

    // MARK: All at once

    private func readAll() throws(PinviewError) -> [PackedBatch?] {
        var ordered = fetch
        let isWindowed = fetch.fetch.limit > 0 || fetch.fetch.offset > 0
        // Limit and offset cut the same rows each time.
        let page = isWindowed && !fetch.isOrderedOrGrouped ? DictionaryFetch.Page(after: nil) : nil
        if fetch.fetch.limit > 0 { ordered.batchSize = min(fetch.batchSize, fetch.fetch.limit) }
        let sql = try ColumnSQL(ordered, page: page, store: store)
        return try store.read(at: generation) { connection in
            let statement = try connection.statement(sql.sql.text.text)
            defer { statement.reset() }
            try statement.bind(sql.sql.text.bindings)
            var batches: [PackedBatch?] = []
            while true {
                let columns = PackedColumns(sql.plans, reservingRows: min(reservedRows, ordered.batchSize))
                let hasMore = try statement.fetch(into: columns, limit: ordered.batchSize)
                try check(columns)
                let batch = take(columns)
                reservedRows = max(reservedRows, batch.rowCount)
                if batch.rowCount > 0 { batches.append(batch) }
                guard hasMore else { return batches }
            }
        }
    }

    // MARK: Common

    private func take(_ columns: PackedColumns) -> PackedBatch {
        let count = columns.rowCount
        return PackedBatch(columns: columns.finish(), rowCount: count)
    }

    private func check(_ columns: PackedColumns) throws(PinviewError) {
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
