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
    // Cell by cell: without checks of exclusive access.
    @exclusivity(unchecked) private(set) var stage: RowStage
    @exclusivity(unchecked) private var rows = PackedRows()
    /// The column of the last row that the next cell goes to; below 0: cells are appended.
    @exclusivity(unchecked) private var replacedColumn = -1

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
        let result = body(&stage) { seal(&$0) }
        self.stage = stage
        return result
    }

    private func seal(_ stage: inout RowStage) {
        // There are likely to be many more rows.
        if stage.isFull { ThreadHeap.grow() }
        rows.append(stage.seal(context: context))
    }

    // MARK: By hand

    /// Append `columnCount` cells for each row.
    package func appendNull() { append(RowStage.null, 0) }
    package func append(_ value: Int64) { append(RowStage.integer, value) }
    /// NaN is NULL, as it is to SQLite.
    package func append(_ value: Double) {
        if value.isNaN { appendNull() } else { append(RowStage.real, Int64(bitPattern: value.bitPattern)) }
    }

    /// Begins a row with integers, of which a row has more.
    package func appendRow(beginningWith first: Int64, _ second: Int64, _ third: Int64) {
        sealIfFull()
        stage.append(RowStage.integer, first)
        stage.append(RowStage.integer, second)
        stage.append(RowStage.integer, third)
    }

    package func append(text: String) {
        // Without a reference counted: what Swift made is there as UTF-8.
        if text.utf8.withContiguousStorageIfAvailable({ append(text: UnsafeRawBufferPointer($0)) }) != nil { return }
        var text = text
        text.withUTF8 { append(text: UnsafeRawBufferPointer($0)) }
    }

    /// - Parameter text: UTF-8.
    package func append(text: UnsafeRawBufferPointer) {
        sealIfFull()
        put(RowStage.text, stage.store(text: text.baseAddress?.assumingMemoryBound(to: UInt8.self), text.count))
    }

    package func append(blob: [UInt8]) {
        sealIfFull()
        blob.withUnsafeBufferPointer { put(RowStage.blob, stage.store($0.baseAddress, $0.count)) }
    }

    /// Appends a copy of a cell.
    package func append(_ block: RowBlock, row: Int, column: Int) {
        sealIfFull()
        let (type, bits) = stage.copy(of: block.cell(row, column), block)
        put(type, bits)
    }

    /// Appends a row with cells of another one: each column's from a column of the block, and NULL where that is below 0. ``replace(from:)``
    /// is for those that are to have others.
    package func append(_ block: RowBlock, row: Int, columns: [Int32]) {
        sealIfFull()
        stage.append(block, row: row, columns: columns)
    }

    /// From now on cells are put into the row that was appended last, from a column on.
    ///
    /// - Parameter column: below 0 to append again.
    package func replace(from column: Int) { replacedColumn = column }

    @inline(__always)
    private func put(_ type: UInt8, _ cell: Int64) {
        guard replacedColumn >= 0 else { return stage.append(type, cell) }
        stage.replace(replacedColumn, type, cell)
        replacedColumn += 1
    }

    private func append(_ type: UInt8, _ cell: Int64) {
        sealIfFull()
        put(type, cell)
    }

    /// Not before another row begins: the last one may be about to be written.
    @inline(__always)
    private func sealIfFull() {
        if stage.nextColumn == 0, stage.isFull, replacedColumn < 0 { seal(&stage) }
    }

    /// Lets the rows go that have not become a block yet.
    package func discardStage() {
        if stage.rowCount > 0, stage.nextColumn == 0 { stage.discard() }
    }

    /// All rows that are complete so far.
    package func finish() -> PackedRows {
        if stage.rowCount > 0, stage.nextColumn == 0 { seal(&stage) }
        return rows
    }
}
