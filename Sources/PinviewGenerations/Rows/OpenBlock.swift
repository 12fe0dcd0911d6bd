/// A block of slots that has room for further rows, which are read one by one at the same
/// generation.
///
/// Next to each other, rows take less memory than in blocks of their own, and are found sooner.
/// They also keep each other's memory, so there are few of them:
///
///     rows of the blocks     1, 2, 4, 8, … as long as there is room for them in `sizeLimit` bytes
///
/// The block is filled by the thread that reads, while others may read the rows that it has passed
/// on.
struct OpenBlock {
    /// What the slots and the heap of a block take at most, in bytes.
    private static let sizeLimit = 4000
    /// A row with more bytes in the heap has a block of its own.
    static let longestHeap = 1000

    let block: RowBlock
    private let columnCount: Int
    private let rowCapacity: Int
    private let heapCapacity: Int
    private var rowCount = 0
    private var heapSize = 0

    /// - Parameters:
    ///   - previous: the block that has no room for the first row; nil if there is none.
    ///   - heapSize: of the first row. The next ones are expected to be alike.
    ///   - rank: of the generation.
    init(after previous: OpenBlock?, columnCount: Int, heapSize: Int, context: AnyObject?, rank: UInt64) {
        let rowSize = columnCount * 4 + heapSize
        let wanted = previous.map { $0.rowCapacity * 2 } ?? 1
        let rowCapacity = max(1, min(wanted, Self.sizeLimit / max(rowSize, 1), RowBlock.rowLimit))
        self.columnCount = columnCount
        self.rowCapacity = rowCapacity
        heapCapacity = heapSize * rowCapacity
        let slotsSize = rowCapacity * columnCount * 4
        block = RowBlock.make(
            rowCount: rowCapacity, columnCount: columnCount, isSlotted: true, isOpen: true, rank: rank, bodySize: slotsSize + heapCapacity,
            context: context)
        block.body.initializeMemory(as: UInt8.self, repeating: 0, count: slotsSize)
        block.complete(heap: UnsafeRawPointer(block.body + slotsSize), ownsHeap: false, longValues: nil)
    }

    /// Whether the block is for rows with so many columns and that context, read at that generation.
    func isOf(_ columnCount: Int, _ context: AnyObject?, _ rank: UInt64) -> Bool {
        self.columnCount == columnCount && block.rank == rank && block.context === context
    }

    /// Whether there is room for one row more.
    func hasRoom(heapSize: Int) -> Bool { rowCount < rowCapacity && self.heapSize + heapSize <= heapCapacity }

    /// Adds a row, for which there is room.
    ///
    /// - Parameter slots: with offsets in the row's own heap.
    /// - Returns: the number of the row.
    mutating func append(_ slots: UnsafePointer<UInt32>, heap: UnsafePointer<UInt8>, heapSize: Int) -> Int {
        let row = rowCount
        let target = block.body.assumingMemoryBound(to: UInt32.self) + row * columnCount
        let offset = UInt32(truncatingIfNeeded: self.heapSize) << RowBlock.Slot.kindBits
        for column in 0..<columnCount {
            let slot = slots[column]
            target[column] = slot & RowBlock.Slot.kindMask >= RowBlock.Slot.text ? slot &+ offset : slot
        }
        (block.body + rowCapacity * columnCount * 4 + self.heapSize).copyMemory(from: heap, byteCount: heapSize)
        self.heapSize += heapSize
        rowCount += 1
        return row
    }
}
