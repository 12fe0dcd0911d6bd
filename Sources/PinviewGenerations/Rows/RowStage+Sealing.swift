internal import CSQLite
import Glibc

/// Makes a block from the rows of the stage.
extension RowStage {
    /// A larger heap becomes the block's own instead of being copied.
    private static let copiedHeap = 1 << 15

    /// Returns the rows as a block and empties the stage.
    mutating func seal(context: AnyObject?) -> RowBlock {
        // Heap offsets have to fit in a slot.
        let isSlotted = rowCount <= Self.fewRows && heapSize + rowCount * columnCount * 8 < 1 << 28
        return isSlotted ? sealSlots(context) : sealColumns(context)
    }

    /// Gives the heap and long values to a block and empties the stage.
    ///
    /// - Parameter heapStart: where the body has room for the heap, unless that is large.
    private mutating func complete(_ block: RowBlock, heapStart: Int) -> RowBlock {
        let ownsHeap = heapSize > Self.copiedHeap
        let inBody = block.body + heapStart
        if !ownsHeap { inBody.copyMemory(from: heap, byteCount: heapSize) }
        block.complete(heap: ownsHeap ? heapToGive() : UnsafeRawPointer(inBody), ownsHeap: ownsHeap, longValues: longValues)
        clear(keepsHeap: !ownsHeap)
        return block
    }

    /// The room that a heap needs in a body.
    private static func room(forHeap size: Int) -> Int { size > copiedHeap ? 0 : size }

    /// The heap, without its unused space.
    private func heapToGive() -> UnsafeRawPointer {
        UnsafeRawPointer(realloc(heap, heapSize) ?? UnsafeMutableRawPointer(heap))
    }

    // MARK: Slots

    private mutating func sealSlots(_ context: AnyObject?) -> RowBlock {
        // Numbers that do not fit in a slot go to the heap: count them first to make room.
        let count = rowCount * columnCount
        let heapStart = count * 4
        var wideCount = 0
        for row in 0..<rowCount {
            var index = row
            for _ in 0..<columnCount {
                if Self.isWide(types[index], cells[index]) { wideCount += 1 }
                index += stride
            }
        }
        let block = RowBlock.make(
            rowCount: rowCount, columnCount: columnCount, isSlotted: true,
            bodySize: heapStart + Self.room(forHeap: heapSize + wideCount * 8), context: context)
        let slots = block.body.bindMemory(to: UInt32.self, capacity: count)
        var position = 0
        for row in 0..<rowCount {
            var index = row
            for _ in 0..<columnCount {
                slots[position] = slot(types[index], cells[index])
                position += 1
                index += stride
            }
        }
        return complete(block, heapStart: heapStart)
    }

    /// Signed numbers of up to 29 bits are stored in the slot itself.
    @inline(__always)
    private static func fits(_ number: Int64) -> Bool { number >= -(1 << 28) && number < 1 << 28 }

    @inline(__always)
    private static func isWide(_ type: UInt8, _ cell: Int64) -> Bool {
        if type == integer { return !fits(cell) }
        guard type == real else { return false }
        return whole(cell).map { !fits($0) } ?? true
    }

    @inline(__always)
    private mutating func slot(_ type: UInt8, _ cell: Int64) -> UInt32 {
        switch type {
        case Self.integer: slot(integer: cell)
        case Self.real: slot(real: cell)
        case Self.text: Self.slot(cell, RowBlock.Slot.text)
        case Self.blob: Self.slot(cell, RowBlock.Slot.blob)
        default: RowBlock.Slot.null
        }
    }

    /// The slot of a heap offset, or of a number that fits.
    @inline(__always)
    private static func slot(_ number: Int64, _ kind: UInt32) -> UInt32 {
        UInt32(truncatingIfNeeded: number) << RowBlock.Slot.kindBits | kind
    }

    @inline(__always)
    private mutating func slot(integer: Int64) -> UInt32 {
        Self.fits(integer) ? Self.slot(integer, RowBlock.Slot.integer) : Self.slot(Int64(store(wide: integer)), RowBlock.Slot.wideInteger)
    }

    @inline(__always)
    private mutating func slot(real bits: Int64) -> UInt32 {
        guard let whole = Self.whole(bits), Self.fits(whole) else { return Self.slot(Int64(store(wide: bits)), RowBlock.Slot.real) }
        return Self.slot(whole, RowBlock.Slot.wholeReal)
    }

    /// Puts the current row of the values' statement into a block, writing slots while reading the
    /// values. The stage is empty before and afterwards.
    ///
    /// - Parameters:
    ///   - rank: of the generation at which the row is read; 0 for a block of its own.
    ///   - open: the block to which rows are added. Replaced by another one when it is full.
    /// - Returns: the block and the row's number in it.
    mutating func add(
        _ values: RowValues, context: AnyObject?, rank: UInt64, to open: inout OpenBlock?
    ) -> (block: RowBlock, row: Int) {
        let first = values.first
        // The memory for cells has room for more than the slots need.
        return UnsafeMutableRawPointer(cells).withMemoryRebound(to: UInt32.self, capacity: columnCount) { slots in
            for column in 0..<columnCount {
                let value = values.value(Int32(truncatingIfNeeded: column), first: first)
                switch sqlite3_value_type(value) {
                case SQLITE_INTEGER: slots[column] = slot(integer: sqlite3_value_int64(value))
                case SQLITE_FLOAT: slots[column] = slot(real: Int64(bitPattern: sqlite3_value_double(value).bitPattern))
                case SQLITE_TEXT:
                    let text = sqlite3_value_text(value)
                    slots[column] = Self.slot(store(text, Int(sqlite3_value_bytes(value))), RowBlock.Slot.text)
                case SQLITE_BLOB:
                    let bytes = sqlite3_value_blob(value)?.assumingMemoryBound(to: UInt8.self)
                    slots[column] = Self.slot(store(bytes, Int(sqlite3_value_bytes(value))), RowBlock.Slot.blob)
                default: slots[column] = RowBlock.Slot.null
                }
            }
            if rank == 0 || longValues != nil || heapSize > OpenBlock.longestHeap { return (block(of: slots, context, rank), 0) }
            let known = open.flatMap { $0.isOf(columnCount, context, rank) ? $0 : nil }
            var block: OpenBlock
            if let known, known.hasRoom(heapSize: heapSize) {
                block = known
            } else {
                block = OpenBlock(after: known, columnCount: columnCount, heapSize: heapSize, context: context, rank: rank)
            }
            let row = block.append(slots, heap: heap, heapSize: heapSize)
            open = block
            clear(keepsHeap: true)
            return (block.block, row)
        }
    }

    /// A block of one row.
    private mutating func block(of slots: UnsafePointer<UInt32>, _ context: AnyObject?, _ rank: UInt64) -> RowBlock {
        let heapStart = columnCount * 4
        let block = RowBlock.make(
            rowCount: 1, columnCount: columnCount, isSlotted: true, rank: rank, bodySize: heapStart + Self.room(forHeap: heapSize),
            context: context)
        block.body.copyMemory(from: slots, byteCount: heapStart)
        return complete(block, heapStart: heapStart)
    }

    /// The real with the given bits as an integer, if it is whole and not a negative zero.
    @inline(__always)
    private static func whole(_ bits: Int64) -> Int64? {
        let real = Double(bitPattern: UInt64(bitPattern: bits))
        guard real > -0x1p53, real < 0x1p53 else { return nil }
        let whole = Int64(real)
        return Double(whole).bitPattern == real.bitPattern ? whole : nil
    }

    // MARK: Columns

    private mutating func sealColumns(_ context: AnyObject?) -> RowBlock {
        typealias Column = RowBlock.Column
        return withUnsafeTemporaryAllocation(of: Column.self, capacity: max(columnCount, 1)) { columns in
            var size = columnCount * MemoryLayout<Column>.stride
            for index in 0..<columnCount {
                var column = describe(index)
                let width = Int(column.width)
                if width > 0 {
                    size = (size + width - 1) & -width
                    column.offset = UInt32(truncatingIfNeeded: size)
                    size += width * rowCount
                    if column.kind == .mixed {
                        column.base = Int64(size)
                        size += rowCount
                    }
                }
                columns[index] = column
            }
            let block = RowBlock.make(
                rowCount: rowCount, columnCount: columnCount, isSlotted: false, bodySize: size + Self.room(forHeap: heapSize),
                context: context)
            let body = block.body
            let start = body.bindMemory(to: Column.self, capacity: columnCount)
            for index in 0..<columnCount {
                start[index] = columns[index]
                encode(index, columns[index], to: body)
            }
            return complete(block, heapStart: size)
        }
    }

    /// Chooses the narrowest codes for a column. Converts whole reals to integers on the way.
    private func describe(_ index: Int) -> RowBlock.Column {
        typealias Column = RowBlock.Column
        let types = types + index * stride
        let cells = cells + index * stride
        var all: UInt8 = 0
        for row in 0..<rowCount { all |= types[row] }
        let hasNulls = all & Self.null != 0
        let kind: Column.Kind
        switch all & ~Self.null {
        case 0: return Column(base: 0, offset: 0, kind: .null, width: 0, hasNulls: false)
        case Self.integer: kind = .integer
        case Self.text: kind = .text
        case Self.blob: kind = .blob
        case Self.real:
            guard makeWhole(types, cells) else {
                // The bits that stand for NULL here are a NaN, which SQLite does not store.
                if !hasNulls, isConstant(cells) { return Column(base: cells[0], offset: 0, kind: .real, width: 0, hasNulls: false) }
                return Column(base: 0, offset: 0, kind: .real, width: 8, hasNulls: hasNulls)
            }
            kind = .wholeReal
        default: return Column(base: 0, offset: 0, kind: .mixed, width: 8, hasNulls: false)
        }
        var lowest = Int64.max, highest = Int64.min
        if hasNulls {
            for row in 0..<rowCount where types[row] != Self.null {
                lowest = min(lowest, cells[row])
                highest = max(highest, cells[row])
            }
        } else {
            for row in 0..<rowCount {
                lowest = min(lowest, cells[row])
                highest = max(highest, cells[row])
            }
        }
        let range = UInt64(bitPattern: highest &- lowest)
        if range == 0, !hasNulls { return Column(base: lowest, offset: 0, kind: kind, width: 0, hasNulls: false) }
        // The code with all bits set is reserved for NULL.
        let spare: UInt64 = hasNulls ? 1 : 0
        let width: UInt8 = range <= 0xff - spare ? 1 : range <= 0xffff - spare ? 2 : range <= 0xffff_ffff - spare ? 4 : 8
        if width == 8, kind == .wholeReal {
            for row in 0..<rowCount where types[row] == Self.real { cells[row] = Int64(bitPattern: Double(cells[row]).bitPattern) }
            return Column(base: 0, offset: 0, kind: .real, width: 8, hasNulls: hasNulls)
        }
        if width == 8, hasNulls { return Column(base: 0, offset: 0, kind: .mixed, width: 8, hasNulls: false) }
        return Column(base: lowest, offset: 0, kind: kind, width: width, hasNulls: hasNulls)
    }

    private func isConstant(_ cells: UnsafeMutablePointer<Int64>) -> Bool {
        for row in 1..<max(rowCount, 1) where cells[row] != cells[0] { return false }
        return true
    }

    /// Converts the reals of a column to integers if all of them are whole.
    private func makeWhole(_ types: UnsafeMutablePointer<UInt8>, _ cells: UnsafeMutablePointer<Int64>) -> Bool {
        for row in 0..<rowCount where types[row] == Self.real && Self.whole(cells[row]) == nil { return false }
        for row in 0..<rowCount where types[row] == Self.real { cells[row] = Self.whole(cells[row]) ?? 0 }
        return true
    }

    private func encode(_ index: Int, _ column: RowBlock.Column, to body: UnsafeMutableRawPointer) {
        let types = types + index * stride
        let cells = cells + index * stride
        let target = body + Int(column.offset)
        switch column.width {
        case 0: break
        case 1: encode(types, cells, column, to: target, UInt8.self)
        case 2: encode(types, cells, column, to: target, UInt16.self)
        case 4: encode(types, cells, column, to: target, UInt32.self)
        default:
            let codes = target.bindMemory(to: Int64.self, capacity: rowCount)
            if column.kind == .mixed {
                codes.update(from: cells, count: rowCount)
                (body + Int(column.base)).copyMemory(from: types, byteCount: rowCount)
            } else {
                for row in 0..<rowCount { codes[row] = cells[row] &- column.base }
                if column.hasNulls { for row in 0..<rowCount where types[row] == Self.null { codes[row] = -1 } }
            }
        }
    }

    @inline(__always)
    private func encode<Code: FixedWidthInteger & UnsignedInteger>(
        _ types: UnsafeMutablePointer<UInt8>, _ cells: UnsafeMutablePointer<Int64>, _ column: RowBlock.Column,
        to target: UnsafeMutableRawPointer, _: Code.Type
    ) {
        let codes = target.bindMemory(to: Code.self, capacity: rowCount)
        let base = column.base
        for row in 0..<rowCount { codes[row] = Code(truncatingIfNeeded: cells[row] &- base) }
        if column.hasNulls { for row in 0..<rowCount where types[row] == Self.null { codes[row] = .max } }
    }
}
