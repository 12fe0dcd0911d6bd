/// The rows of one read, in order, as a list of blocks.
package struct PackedRows: Sendable {
    package private(set) var blocks: [RowBlock] = []
    package private(set) var rowCount = 0
    /// The first row of each block; empty as long as all blocks but the last are full.
    private var starts: [Int] = []

    package init() {}

    mutating func append(_ block: RowBlock) {
        // The last block is not full.
        if starts.isEmpty, blocks.count * RowStage.rowLimit != rowCount { starts = blocks.indices.map { $0 * RowStage.rowLimit } }
        if !starts.isEmpty { starts.append(rowCount) }
        blocks.appendToFew(block)
        rowCount += Int(block.rowCount)
    }

    /// The block that contains a row, and the row's number in it. The row must exist.
    package func location(ofRow row: Int) -> (block: RowBlock, row: Int) {
        if starts.isEmpty { return (blocks[row / RowStage.rowLimit], row % RowStage.rowLimit) }
        // The last block that begins at or before the row.
        var low = 0, high = starts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= row { low = middle } else { high = middle }
        }
        return (blocks[low], row - starts[low])
    }
}

/// Collects rows into blocks. Allocates memory per block, not per row. Used by one thread at a
/// time.
package final class RowCollector {
    package let columnCount: Int
    private let context: AnyObject?
    // Accessed for every cell, so exclusivity is not checked.
    @exclusivity(unchecked) private(set) var stage: RowStage
    @exclusivity(unchecked) private var rows = PackedRows()
    /// The column of the last row that receives the next cell; negative if cells are appended.
    @exclusivity(unchecked) private var replacedColumn = -1

    /// - Parameters:
    ///   - reservingRows: the number of rows to make room for at first.
    ///   - context: an object for the blocks to carry along.
    package init(columnCount: Int, reservingRows: Int, context: AnyObject? = nil) {
        self.columnCount = columnCount
        self.context = context
        stage = RowStage(columnCount: columnCount, rowCapacity: reservingRows)
    }

    deinit { stage.deallocate() }

    /// Fills the stage with a body that works on a local copy.
    func fill<R>(_ body: (inout RowStage, (inout RowStage) -> Void) -> R) -> R {
        var stage = self.stage
        let result = body(&stage) { seal(&$0) }
        self.stage = stage
        return result
    }

    private func seal(_ stage: inout RowStage) {
        // Many more rows are likely to follow.
        if stage.isFull { ThreadHeap.grow() }
        rows.append(stage.seal(context: context))
    }

    // MARK: Cell by cell

    /// Append `columnCount` cells for each row.
    package func appendNull() { append(RowStage.null, 0) }
    package func append(_ value: Int64) { append(RowStage.integer, value) }
    /// NaN becomes NULL, as in SQLite.
    package func append(_ value: Double) {
        if value.isNaN { appendNull() } else { append(RowStage.real, Int64(bitPattern: value.bitPattern)) }
    }

    /// Begins a row of more than three columns with integers.
    package func appendRow(beginningWith first: Int64, _ second: Int64, _ third: Int64) {
        sealIfFull()
        stage.append(RowStage.integer, first)
        stage.append(RowStage.integer, second)
        stage.append(RowStage.integer, third)
    }

    package func append(text: String) {
        // Native Swift strings have their UTF-8 at hand, without counting a reference.
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

    /// Appends a row with cells of another one: each column's from the given column of the block,
    /// or NULL if that is negative. Use ``replace(from:)`` to change some of them.
    package func append(_ block: RowBlock, row: Int, columns: [Int32]) {
        sealIfFull()
        stage.append(block, row: row, columns: columns)
    }

    /// Begins a block with all rows of another one, whose first columns get consecutive integers and
    /// two other ones. Rows before them can no longer be bound.
    ///
    /// - Returns: false, having appended nothing, for a block with long values.
    package func appendRows(beginningWith first: Int64, _ second: Int64, _ third: Int64, like block: RowBlock, columns: [Int32]) -> Bool {
        if stage.rowCount > 0 { seal(&stage) }
        guard stage.append(allOf: block, columns: columns) else { return false }
        for row in 0..<stage.rowCount {
            stage.put(RowStage.integer, first &+ Int64(row), 0, row)
            stage.put(RowStage.integer, second, 1, row)
            stage.put(RowStage.integer, third, 2, row)
        }
        return true
    }

    /// Lets the following cells replace those of the last row, from a column on.
    ///
    /// - Parameter column: negative to append again.
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

    /// Only before another row begins: the last row may still have to be written.
    @inline(__always)
    private func sealIfFull() {
        if stage.nextColumn == 0, stage.isFull, replacedColumn < 0 { seal(&stage) }
    }

    /// Discards the rows that are not in a block yet.
    package func discardStage() {
        if stage.rowCount > 0, stage.nextColumn == 0 { stage.discard() }
    }

    /// Returns all completed rows.
    package func finish() -> PackedRows {
        if stage.rowCount > 0, stage.nextColumn == 0 { seal(&stage) }
        return rows
    }

    /// Returns all completed rows, and keeps none of them.
    package func takeRows() -> PackedRows {
        defer { rows = PackedRows() }
        return finish()
    }

    /// Whether its rows have been taken, and its memory is small enough to be kept for others.
    package var isWorthKeeping: Bool { rows.rowCount == 0 && stage.isSmallAndEmpty && replacedColumn < 0 }

    /// Whether it can collect other rows instead of a new one with that context, which determines
    /// the columns.
    package func serves(_ context: AnyObject, reservingRows: Int) -> Bool { context === self.context && reservingRows <= stage.rowCapacity }
}
