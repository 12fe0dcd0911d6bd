/// Rows that are filled column by column and become one block. Used by one thread at a time.
package final class ColumnStage {
    // Accessed for every cell, so exclusivity is not checked.
    @exclusivity(unchecked) private var stage: RowStage

    /// - Parameter rowCapacity: the number of rows to make room for, at most ``RowBlock/rowLimit``.
    package init(columnCount: Int, rowCapacity: Int) {
        stage = RowStage(columnCount: columnCount, rowCapacity: rowCapacity)
    }

    deinit { stage.deallocate() }

    package func put(_ integer: Int64, _ column: Int, _ row: Int) { stage.put(RowStage.integer, integer, column, row) }

    /// - Parameter real: not NaN, which SQLite does not store.
    package func put(_ real: Double, _ column: Int, _ row: Int) {
        stage.put(RowStage.real, Int64(bitPattern: real.bitPattern), column, row)
    }

    /// - Parameter text: UTF-8.
    package func put(_ text: UnsafeRawBufferPointer, _ column: Int, _ row: Int) {
        let start = text.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stage.put(RowStage.text, stage.store(text: start, text.count), column, row)
    }

    package func putNull(_ column: Int, _ row: Int) { stage.put(RowStage.null, 0, column, row) }

    /// Discards what has been put.
    package func discard() { stage.discard() }

    /// Returns the first rows, all of whose cells have been put, as a block, and empties the stage.
    package func seal(_ rowCount: Int, context: AnyObject) -> RowBlock { stage.seal(rowCount, context: context) }
}
