/// The rows of one read, in order: a list of blocks.
package struct PackedRows: Sendable {
    package private(set) var blocks: [RowBlock] = []
    package private(set) var rowCount = 0
    /// Where the blocks begin; empty as long as all but the last one are of one size.
    private var starts: [Int] = []

    package init() {}

    mutating func append(_ block: RowBlock) {
        // The last block ended early.
        if starts.isEmpty, blocks.count * RowStage.rowLimit != rowCount { starts = blocks.indices.map { $0 * RowStage.rowLimit } }
        if !starts.isEmpty { starts.append(rowCount) }
        blocks.append(block)
        rowCount += Int(block.rowCount)
    }

    /// The block of a row, which must be one of these, and the row's number in it.
    package func place(ofRow row: Int) -> (block: RowBlock, row: Int) {
        if starts.isEmpty { return (blocks[row / RowStage.rowLimit], row % RowStage.rowLimit) }
        // The last block that begins at the row or before it.
        var low = 0, high = starts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= row { low = middle } else { high = middle }
        }
        return (blocks[low], row - starts[low])
    }
}

/// Gathers rows into blocks. One thread fills it; filling allocates per block, not per row.
package final class RowCollector {
    package let columnCount: Int
    private let context: AnyObject?
    private var stage: RowStage
    private var rows = PackedRows()

    /// - Parameters:
    ///   - reservingRows: for how many rows to make room at first.
    ///   - context: what the blocks are to carry along.
    package init(columnCount: Int, reservingRows: Int, context: AnyObject? = nil) {
        self.columnCount = columnCount
        self.context = context
        stage = RowStage(columnCount: columnCount, rowCapacity: reservingRows)
    }

    deinit { stage.deallocate() }

    /// Begins to fill with a body that works on the stage itself.
    func fill<R>(_ body: (inout RowStage, (inout RowStage) -> Void) -> R) -> R {
        var stage = self.stage
        let result = body(&stage) { rows.append($0.seal(context: context)) }
        self.stage = stage
        return result
    }

    // MARK: By hand

    /// Append `columnCount` cells for each row.
    package func appendNull() { append(RowStage.null, 0) }
    package func append(_ value: Int64) { append(RowStage.integer, value) }
    /// NaN is NULL, as it is to SQLite.
    package func append(_ value: Double) {
        if value.isNaN { appendNull() } else { append(RowStage.real, Int64(bitPattern: value.bitPattern)) }
    }

    package func append(text: String) {
        var text = text
        text.withUTF8 { append(RowStage.text, stage.store(text: $0.baseAddress, $0.count)) }
    }

    package func append(blob: [UInt8]) {
        blob.withUnsafeBufferPointer { append(RowStage.blob, stage.store($0.baseAddress, $0.count)) }
    }

    private func append(_ type: UInt8, _ cell: Int64) {
        stage.append(type, cell)
        if stage.nextColumn == 0, stage.isFull { rows.append(stage.seal(context: context)) }
    }

    /// The rows of a block that has not been made yet: for reads of a single row. Nil without rows.
    package func finishBlock() -> RowBlock? { stage.rowCount > 0 ? stage.seal(context: context) : nil }

    /// All rows that are complete so far.
    package func finish() -> PackedRows {
        if stage.rowCount > 0, stage.nextColumn == 0 { rows.append(stage.seal(context: context)) }
        return rows
    }
}
