internal import CSQLite
import Glibc

/// Rows on their way into a block, column by column: a byte for the type and eight bytes for the
/// value of each cell.
///
///                 ← stride: row capacity + 8 →
///     types      │ r0 r1 r2 …            ░░░░ │ r0 r1 r2 …   1 byte each, a bit per type
///     cells      │ r0 r1 r2 …            ░░░░ │ r0 r1 r2 …   8 bytes each
///                 column 0                      column 1
///     heap       │ length, bytes │ length, bytes │ …           text and blobs; cells hold offsets
///     longValues → next │ bytes → next │ bytes                values of more than 4096 bytes
///
/// A structure of plain pointers: the loop that fills it works on a copy in local variables,
/// without exclusivity checks.
struct RowStage {
    static let rowLimit = 256
    /// A block ends early when its text and blobs exceed this size, so that one of its rows does
    /// not keep much else alive.
    static let byteLimit = 1 << 20

    let columnCount: Int
    private(set) var rowCapacity: Int
    /// The distance between columns. One cache line more than the rows need, because columns at
    /// distances of a power of two would evict each other from the cache.
    private(set) var stride: Int
    private(set) var rowCount = 0
    /// The column of the next cell of a row that is appended cell by cell.
    private(set) var nextColumn = 0
    private(set) var types: UnsafeMutablePointer<UInt8>
    private(set) var cells: UnsafeMutablePointer<Int64>
    private(set) var heap: UnsafeMutablePointer<UInt8>
    private(set) var heapSize = 0
    private var heapCapacity = 256
    private(set) var longValues: UnsafeMutableRawPointer?
    private var longSize = 0
    /// Heap offsets + 1 of recently stored texts, by hash; nil for blocks of few rows, where it
    /// does not pay.
    private var recentTexts: UnsafeMutablePointer<UInt32>?

    private static let recentCount = 512
    /// The length of the longest text that is looked up among the recent ones.
    private static let recentLength = 64

    init(columnCount: Int, rowCapacity: Int) {
        self.columnCount = columnCount
        self.rowCapacity = min(max(rowCapacity, 1), Self.rowLimit)
        stride = Self.stride(self.rowCapacity)
        (cells, types) = Self.allocate(columnCount * stride)
        heap = .allocate(capacity: heapCapacity)
        if self.rowCapacity > Self.fewRows { makeRecentTexts() }
    }

    private static func stride(_ rowCapacity: Int) -> Int { rowCapacity > fewRows ? rowCapacity + 8 : rowCapacity }

    /// Cells, and their types behind them.
    private static func allocate(_ count: Int) -> (UnsafeMutablePointer<Int64>, UnsafeMutablePointer<UInt8>) {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: max(count * 9, 1), alignment: MemoryLayout<Int64>.alignment)
        return (
            memory.bindMemory(to: Int64.self, capacity: count),
            (memory + count * 8).bindMemory(to: UInt8.self, capacity: count)
        )
    }

    func deallocate() {
        cells.deallocate()
        heap.deallocate()
        recentTexts?.deallocate()
        Self.freeLongValues(longValues)
    }

    /// Up to this number of rows, a block has slots, and equal texts are not looked up.
    static let fewRows = 8
    /// The capacity of the heap that is worth keeping for other rows.
    private static let fewBytes = 4096

    /// Whether no row has begun, and there is room for a few.
    var isSmallAndEmpty: Bool {
        rowCount == 0 && nextColumn == 0 && heapSize == 0 && rowCapacity <= Self.fewRows && heapCapacity <= Self.fewBytes
    }

    var isFull: Bool { rowCount == Self.rowLimit || heapSize + longSize > Self.byteLimit }

    /// A cell's type while its block is being filled: one bit each, so that a column's types can be
    /// combined by OR.
    static let integer: UInt8 = 1, real: UInt8 = 2, text: UInt8 = 4, blob: UInt8 = 8, null: UInt8 = 16

    static func type(_ bit: UInt8) -> CellType { CellType(rawValue: UInt8(truncatingIfNeeded: bit.trailingZeroBitCount)) ?? .null }

    // MARK: Filling

    /// Appends the current row of the values' statement.
    @inline(__always)
    mutating func append(_ values: RowValues) {
        if rowCount == rowCapacity { grow() }
        let stride = stride
        var type = types + rowCount
        var cell = cells + rowCount
        let first = values.first
        for column in 0..<Int32(truncatingIfNeeded: columnCount) {
            let value = values.value(column, first: first)
            let valueType = sqlite3_value_type(value)
            switch valueType {
            case SQLITE_INTEGER:
                cell.pointee = sqlite3_value_int64(value)
                type.pointee = Self.integer
            case SQLITE_FLOAT:
                cell.pointee = Int64(bitPattern: sqlite3_value_double(value).bitPattern)
                type.pointee = Self.real
            case SQLITE_TEXT:
                let text = sqlite3_value_text(value)
                cell.pointee = store(text: text, Int(sqlite3_value_bytes(value)))
                type.pointee = Self.text
            case SQLITE_BLOB:
                let bytes = sqlite3_value_blob(value)?.assumingMemoryBound(to: UInt8.self)
                cell.pointee = store(bytes, Int(sqlite3_value_bytes(value)))
                type.pointee = Self.blob
            default:
                cell.pointee = 0
                type.pointee = Self.null
            }
            type += stride
            cell += stride
        }
        rowCount &+= 1
    }

    /// Appends a cell; the last one of a row completes the row.
    mutating func append(_ type: UInt8, _ cell: Int64) {
        if rowCount == rowCapacity { grow() }
        let index = nextColumn * stride + rowCount
        types[index] = type
        cells[index] = cell
        nextColumn += 1
        if nextColumn == columnCount {
            nextColumn = 0
            rowCount += 1
        }
    }

    /// Appends a row with cells of another one; NULL for negative columns.
    mutating func append(_ block: RowBlock, row: Int, columns: [Int32]) {
        if rowCount == rowCapacity { grow() }
        var index = rowCount
        for column in columns {
            (types[index], cells[index]) = column < 0 ? (Self.null, 0) : copy(of: block.cell(row, Int(column)), block)
            index += stride
        }
        rowCount += 1
    }

    /// Makes rows of an empty stage from all rows of a block, whose heap is copied as a whole; NULL
    /// for negative columns.
    ///
    /// - Returns: false, having changed nothing, for a block with long values.
    mutating func append(allOf block: RowBlock, columns: [Int32]) -> Bool {
        let count = Int(block.rowCount)
        guard let heap = block.wholeHeap, rowCount == 0, heapSize == 0 else { return false }
        while rowCapacity < count { grow() }
        var end: Int64 = 0
        for (index, column) in columns.enumerated() {
            let target = index &* stride
            for row in 0..<count {
                let cell = column < 0 ? .null : block.cell(row, Int(column))
                let isInHeap = cell.type == .text || cell.type == .blob
                types[target &+ row] = 1 << cell.type.rawValue
                cells[target &+ row] = cell.bits
                if isInHeap, cell.bits >= end { end = cell.bits + 1 }
            }
        }
        if end > 0 {
            // The value that begins last ends last.
            let last = RowBlock.bytes(at: end - 1, in: heap)
            let size = last.baseAddress.map { heap.distance(to: $0) + last.count } ?? 0
            if size > heapCapacity { growHeap(size) }
            self.heap.update(from: heap.assumingMemoryBound(to: UInt8.self), count: size)
            heapSize = size
        }
        rowCount = count
        return true
    }

    /// The type and value of a block's cell, whose bytes are copied into the heap.
    @inline(__always)
    mutating func copy(of cell: RowBlock.Cell, _ block: RowBlock) -> (UInt8, Int64) {
        switch cell.type {
        case .integer: return (Self.integer, cell.bits)
        case .real: return (Self.real, cell.bits)
        case .text:
            let bytes = block.bytes(at: cell.bits)
            return (Self.text, store(text: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count))
        case .blob:
            let bytes = block.bytes(at: cell.bits)
            return (Self.blob, store(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count))
        default: return (Self.null, 0)
        }
    }

    /// Sets a cell of a stage that is filled column by column.
    @inline(__always)
    func put(_ type: UInt8, _ cell: Int64, _ column: Int, _ row: Int) {
        guard UInt(bitPattern: row) < UInt(bitPattern: rowCapacity), UInt(bitPattern: column) < UInt(bitPattern: columnCount) else {
            return
        }
        let index = column &* stride &+ row
        types[index] = type
        cells[index] = cell
    }

    /// Returns the first rows of a stage that was filled column by column, and empties it.
    mutating func seal(_ count: Int, context: AnyObject) -> RowBlock {
        rowCount = min(count, rowCapacity)
        return seal(context: context)
    }

    /// Replaces a cell of the last row, which must be complete.
    @inline(__always)
    func replace(_ column: Int, _ type: UInt8, _ cell: Int64) {
        guard rowCount > 0, column < columnCount else { return }
        let index = column &* stride &+ rowCount - 1
        types[index] = type
        cells[index] = cell
    }

    private mutating func grow() {
        let capacity = min(rowCapacity * 4, Self.rowLimit)
        let newStride = Self.stride(capacity)
        let (newCells, newTypes) = Self.allocate(columnCount * newStride)
        for column in 0..<columnCount {
            (newTypes + column * newStride).update(from: types + column * stride, count: rowCount)
            (newCells + column * newStride).update(from: cells + column * stride, count: rowCount)
        }
        cells.deallocate()
        types = newTypes
        cells = newCells
        rowCapacity = capacity
        stride = newStride
        if recentTexts == nil, capacity > Self.fewRows { makeRecentTexts() }
    }

    /// Empties the stage for the next block.
    ///
    /// - Parameter keepsHeap: false if the block has taken over the heap.
    mutating func clear(keepsHeap: Bool) {
        rowCount = 0
        heapSize = 0
        longSize = 0
        longValues = nil
        if !keepsHeap {
            heapCapacity = 256
            heap = .allocate(capacity: heapCapacity)
        }
        recentTexts?.update(repeating: 0, count: Self.recentCount)
    }

    /// Discards the rows.
    mutating func discard() {
        Self.freeLongValues(longValues)
        clear(keepsHeap: true)
    }

    // MARK: Text and blobs

    private mutating func makeRecentTexts() {
        recentTexts = .allocate(capacity: Self.recentCount)
        recentTexts?.initialize(repeating: 0, count: Self.recentCount)
    }

    /// Stores a text in the heap, unless it was stored recently; returns its offset.
    @inline(__always)
    mutating func store(text: UnsafePointer<UInt8>?, _ count: Int) -> Int64 {
        guard let text, let recentTexts, count > 0, count <= Self.recentLength else { return store(text, count) }
        let entry = recentTexts + Self.hash(text, count)
        if entry.pointee != 0 {
            let known = heap + Int(entry.pointee - 1)
            if known.pointee == UInt8(truncatingIfNeeded: count), memcmp(known + 1, text, count) == 0 { return Int64(entry.pointee - 1) }
        }
        let offset = store(text, count)
        entry.pointee = UInt32(truncatingIfNeeded: offset) + 1
        return offset
    }

    /// A hash of the first and last eight bytes and the length.
    @inline(__always)
    private static func hash(_ text: UnsafePointer<UInt8>, _ count: Int) -> Int {
        let bytes = UnsafeRawPointer(text)
        var first: UInt64, last: UInt64
        if count >= 8 {
            first = bytes.loadUnaligned(as: UInt64.self)
            last = bytes.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
        } else if count >= 4 {
            first = UInt64(bytes.loadUnaligned(as: UInt32.self))
            last = UInt64(bytes.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self))
        } else {
            first = UInt64(text[0])
            last = UInt64(text[count / 2]) << 8 | UInt64(text[count - 1])
        }
        first = (first ^ UInt64(truncatingIfNeeded: count)) &* 0x9e37_79b9_7f4a_7c15
        last = (last ^ first) &* 0xff51_afd7_ed55_8ccd
        return Int(truncatingIfNeeded: last >> 55)
    }

    /// Stores bytes in the heap, preceded by their length; returns their offset.
    mutating func store(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int64 {
        let needed = count <= RowBlock.longestInHeap ? count + 3 : 17
        if heapSize + needed > heapCapacity { growHeap(needed) }
        let offset = heapSize
        var target = heap + offset
        if count < Int(RowBlock.mediumLength) {
            target.pointee = UInt8(truncatingIfNeeded: count)
            target += 1
        } else if count <= RowBlock.longestInHeap {
            target.pointee = RowBlock.mediumLength
            UnsafeMutableRawPointer(target + 1).storeBytes(of: UInt16(truncatingIfNeeded: count), as: UInt16.self)
            target += 3
        } else {
            target.pointee = RowBlock.longLength
            UnsafeMutableRawPointer(target + 1).storeBytes(of: UInt(bitPattern: storeLong(bytes, count)), as: UInt.self)
            UnsafeMutableRawPointer(target + 9).storeBytes(of: count, as: Int.self)
            heapSize += 17
            return Int64(offset)
        }
        if let bytes, count > 0 { target.update(from: bytes, count: count) }
        heapSize = heap.distance(to: target) + count
        return Int64(offset)
    }

    private mutating func storeLong(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> UnsafeMutableRawPointer {
        let value = UnsafeMutableRawPointer.allocate(byteCount: count + 8, alignment: 8)
        value.storeBytes(of: longValues, as: UnsafeMutableRawPointer?.self)
        if let bytes { (value + 8).copyMemory(from: bytes, byteCount: count) }
        longValues = value
        longSize += count
        return value + 8
    }

    private mutating func growHeap(_ needed: Int) {
        heapCapacity = max(heapCapacity * 2, heapSize + needed)
        let newHeap = UnsafeMutablePointer<UInt8>.allocate(capacity: heapCapacity)
        newHeap.update(from: heap, count: heapSize)
        heap.deallocate()
        heap = newHeap
    }

    /// Stores the eight bytes of a number that does not fit in a slot; returns their offset.
    mutating func store(wide bits: Int64) -> UInt32 {
        if heapSize + 8 > heapCapacity { growHeap(8) }
        UnsafeMutableRawPointer(heap + heapSize).storeBytes(of: bits, as: Int64.self)
        heapSize += 8
        return UInt32(truncatingIfNeeded: heapSize - 8)
    }

    static func freeLongValues(_ first: UnsafeMutableRawPointer?) {
        var next = first
        while let value = next {
            next = value.load(as: UnsafeMutableRawPointer?.self)
            value.deallocate()
        }
    }
}
