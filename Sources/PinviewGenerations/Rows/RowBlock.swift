internal import CPlatform
import Glibc

/// What a block of rows is, besides the rows.
@usableFromInline
package struct RowBlockHeader {
    @usableFromInline let rowCount: Int32
    @usableFromInline let columnCount: Int32
    @usableFromInline var heap: UnsafeRawPointer
    /// The block owns it.
    @usableFromInline let context: Unmanaged<AnyObject>?
    @usableFromInline let isSlotted: Bool
    @usableFromInline let isOpen: Bool
    @usableFromInline var ownsHeap = false
    /// The first long value. Each has memory of its own, which begins with the address of the next
    /// one.
    @usableFromInline var longValues: UnsafeMutableRawPointer?
    @usableFromInline var rank: UInt64
}

/// Up to 256 rows in one block of memory, encoded as narrowly as their values allow. Immutable,
/// except for the rank, which is set before others see the block, and for the rows that an
/// ``OpenBlock`` adds, which nobody knows before.
///
/// In a block of columns, each column has codes that fit its values: none if all are equal,
/// otherwise the distance from the smallest value in 1, 2, 4 or 8 bytes. A block of up to
/// `RowStage.fewRows` rows, where describing columns would cost more than it saves, has four bytes
/// per cell instead, called slots.
///
///     block of columns                       block of slots
///     ┌────────────────────────────┐         ┌────────────────────────────┐
///     │ RowBlockHeader             │         │ RowBlockHeader             │
///     ├────────────────────────────┤   body  ├────────────────────────────┤
///     │ Column, 16 bytes, of each  │         │ slot of row 0, column 0    │
///     │ column                     │         │ slot of row 0, column 1    │
///     ├────────────────────────────┤         │ …                          │
///     │ codes of column 0          │         │ slot of row 1, column 0    │
///     │ codes of column 1          │         │ …                          │
///     │ … aligned by their width   │         │                            │
///     ├────────────────────────────┤         ├────────────────────────────┤
///     │ heap, if it is small       │         │ heap, if it is small       │
///     └────────────────────────────┘         └────────────────────────────┘
///
///     Column     base: 8 │ offset of the codes: 4 │ kind: 1 │ width: 1 │ hasNulls: 1
///     mixed      8 bytes for each row at `offset`, then a type for each row at `base`
///     slot       29 bits of value or heap offset │ 3 bits of kind
///
/// Text and blobs are in the heap, recurring short texts once; cells hold heap offsets:
///
///     up to 253 bytes     length: 1 │ bytes
///     up to 4096 bytes    0xfe │ length: 2 │ bytes
///     longer              0xff │ address: 8 │ length: 8, of memory of its own
@usableFromInline
package final class RowBlock: @unchecked Sendable {
    /// How many rows a block has at most.
    package static let rowLimit = RowStage.rowLimit

    /// A decoded cell: an integer, the bits of a real, or a heap offset.
    @usableFromInline
    package struct Cell: Sendable {
        package let type: CellType
        package let bits: Int64

        static let null = Cell(type: .null, bits: 0)
    }

    struct Column {
        /// The value that codes are added to.
        var base: Int64
        /// The offset of the codes in the body.
        var offset: UInt32
        var kind: Kind
        /// The number of bytes per code; 0 if all cells hold `base`.
        var width: UInt8
        /// Whether a code with all bits set is NULL.
        var hasNulls: Bool

        enum Kind: UInt8 {
            case null, integer, wholeReal, real, text, blob
            /// Eight bytes for each row, followed by a type for each.
            case mixed
        }
    }

    /// The kinds of slots, in the lowest bits of each.
    @usableFromInline
    enum Slot {
        @inlinable static var null: UInt32 { 0 }
        @inlinable static var integer: UInt32 { 1 }
        static let wholeReal: UInt32 = 2
        /// These and the following ones have a heap offset.
        static let text: UInt32 = 3, blob: UInt32 = 4
        /// The heap offset of eight bytes.
        static let wideInteger: UInt32 = 5, real: UInt32 = 6
        @inlinable static var kindBits: UInt32 { 3 }
        @inlinable static var kindMask: UInt32 { 7 }
    }

    /// Marks in the heap instead of a short length: a two-byte length follows, or the address and
    /// length of a long value.
    static let mediumLength: UInt8 = 0xfe, longLength: UInt8 = 0xff
    /// Values with more bytes than this have memory of their own.
    static let longestInHeap = 4096

    // The header and the body are in the object's own allocation, since whoever reads a row needs
    // all three. A `ManagedBuffer`, the simpler way to have that, cannot be sent to other threads.
    @usableFromInline
    typealias Buffer = ManagedBufferPointer<RowBlockHeader, UInt64>

    /// A block with room for its body, which the caller fills before calling ``complete``.
    ///
    /// - Parameter bodySize: of the columns with their codes or the slots, and the heap if it is
    ///   small.
    static func make(
        rowCount: Int, columnCount: Int, isSlotted: Bool, isOpen: Bool = false, rank: UInt64 = 0, bodySize: Int, context: AnyObject?
    ) -> RowBlock {
        let buffer = Buffer(bufferClass: RowBlock.self, minimumCapacity: (bodySize + 7) / 8) { block, _ in
            RowBlockHeader(
                rowCount: Int32(truncatingIfNeeded: rowCount), columnCount: Int32(truncatingIfNeeded: columnCount),
                heap: UnsafeRawPointer(Unmanaged.passUnretained(block).toOpaque()),
                context: context.map { Unmanaged.passRetained($0) }, isSlotted: isSlotted, isOpen: isOpen, rank: rank)
        }
        // Safe: created as this very class.
        return unsafeDowncast(buffer.buffer, to: RowBlock.self)
    }

    /// - Parameters:
    ///   - heap: a part of the body, or memory of its own, which the block takes over.
    ///   - longValues: the first long value, which the block takes over with all that follow it.
    func complete(heap: UnsafeRawPointer, ownsHeap: Bool, longValues: UnsafeMutableRawPointer?) {
        contents.pointee.heap = heap
        contents.pointee.ownsHeap = ownsHeap
        contents.pointee.longValues = longValues
    }

    deinit {
        let header = contents.pointee
        if header.ownsHeap { header.heap.deallocate() }
        RowStage.freeLongValues(header.longValues)
        header.context?.release()
    }

    @inlinable @inline(__always)
    var contents: UnsafeMutablePointer<RowBlockHeader> {
        Buffer(unsafeBufferObject: self).withUnsafeMutablePointerToHeader { $0 }
    }
    /// The columns and their codes or the slots, and the heap if it is small.
    @inlinable @inline(__always)
    var body: UnsafeMutableRawPointer {
        Buffer(unsafeBufferObject: self).withUnsafeMutablePointerToElements { UnsafeMutableRawPointer($0) }
    }

    @inlinable
    package var rowCount: Int32 { contents.pointee.rowCount }
    @inlinable
    package var columnCount: Int32 { contents.pointee.columnCount }
    private var isSlotted: Bool { contents.pointee.isSlotted }
    private var heap: UnsafeRawPointer { contents.pointee.heap }

    /// An object that the creator of the rows needs to interpret them.
    @inlinable
    package var context: AnyObject? { unmanagedContext?.takeUnretainedValue() }
    /// The context for readers of single cells, who need not retain it, because the block does.
    @inlinable
    package var unmanagedContext: Unmanaged<AnyObject>? { contents.pointee.context }

    /// The rank of the generation at which the rows were read; 0 if there is none, or it has not
    /// been set yet. Set by the reader before anyone else sees the block.
    package var rank: UInt64 {
        get { contents.pointee.rank }
        set { contents.pointee.rank = newValue }
    }

    /// Whether the rows were read together. Of other blocks only the rows that one has been given
    /// may be read: further ones may be on their way.
    package var wasReadTogether: Bool { !contents.pointee.isOpen }

    // MARK: Cells

    /// The heap of a block without long values; nil for other blocks.
    var wholeHeap: UnsafeRawPointer? { contents.pointee.longValues == nil ? heap : nil }

    /// The cell of a row and column; NULL outside the block.
    @inline(__always)
    func cell(_ row: Int, _ column: Int) -> Cell {
        guard UInt(bitPattern: row) < UInt(rowCount), UInt(bitPattern: column) < UInt(columnCount) else { return .null }
        let body = body
        if isSlotted { return slot(body.load(fromByteOffset: (row &* Int(columnCount) &+ column) &* 4, as: UInt32.self)) }
        let description = body.load(fromByteOffset: column &* MemoryLayout<Column>.stride, as: Column.self)
        let codes = body + Int(description.offset)
        var bits = description.base
        switch description.width {
        case 0: break
        case 1:
            let code = codes.load(fromByteOffset: row, as: UInt8.self)
            if description.hasNulls, code == .max { return .null }
            bits &+= Int64(code)
        case 2:
            let code = codes.load(fromByteOffset: row &* 2, as: UInt16.self)
            if description.hasNulls, code == .max { return .null }
            bits &+= Int64(code)
        case 4:
            let code = codes.load(fromByteOffset: row &* 4, as: UInt32.self)
            if description.hasNulls, code == .max { return .null }
            bits &+= Int64(code)
        default:
            let code = codes.load(fromByteOffset: row &* 8, as: Int64.self)
            if description.hasNulls, code == -1 { return .null }
            bits &+= code
        }
        switch description.kind {
        case .null: return .null
        case .integer: return Cell(type: .integer, bits: bits)
        case .wholeReal: return Cell(type: .real, bits: Int64(bitPattern: Double(bits).bitPattern))
        case .real: return Cell(type: .real, bits: bits)
        case .text: return Cell(type: .text, bits: bits)
        case .blob: return Cell(type: .blob, bits: bits)
        case .mixed:
            let types = body + Int(description.base)
            return Cell(type: RowStage.type(types.load(fromByteOffset: row, as: UInt8.self)), bits: bits &- description.base)
        }
    }

    /// The integer that a slot holds; nil for any other cell.
    @inlinable @inline(__always)
    package func integerInSlot(row: Int, column: Int) -> Int64? {
        guard let slot = slotOf(row: row, column: column), slot & Slot.kindMask == Slot.integer else { return nil }
        return Int64(Int32(bitPattern: slot) >> Int32(Slot.kindBits))
    }

    /// Whether a slot holds NULL.
    @inlinable @inline(__always)
    package func isNullInSlot(row: Int, column: Int) -> Bool {
        slotOf(row: row, column: column).map { $0 & Slot.kindMask == Slot.null } ?? false
    }

    @inlinable @inline(__always)
    func slotOf(row: Int, column: Int) -> UInt32? {
        guard contents.pointee.isSlotted, UInt(bitPattern: row) < UInt(rowCount), UInt(bitPattern: column) < UInt(columnCount) else {
            return nil
        }
        return body.load(fromByteOffset: (row &* Int(columnCount) &+ column) &* 4, as: UInt32.self)
    }

    /// The description of a column; nil in a block of slots, and for a column that does not exist.
    func columnDescription(_ column: Int) -> Column? {
        guard !isSlotted, UInt(bitPattern: column) < UInt(columnCount) else { return nil }
        return body.load(fromByteOffset: column &* MemoryLayout<Column>.stride, as: Column.self)
    }

    private func slot(_ slot: UInt32) -> Cell {
        let offset = Int64(slot >> Slot.kindBits)
        switch slot & Slot.kindMask {
        case Slot.integer: return Cell(type: .integer, bits: Int64(Int32(bitPattern: slot) >> Int32(Slot.kindBits)))
        case Slot.wholeReal:
            let whole = Double(Int32(bitPattern: slot) >> Int32(Slot.kindBits))
            return Cell(type: .real, bits: Int64(bitPattern: whole.bitPattern))
        case Slot.text: return Cell(type: .text, bits: offset)
        case Slot.blob: return Cell(type: .blob, bits: offset)
        case Slot.wideInteger:
            return Cell(type: .integer, bits: heap.loadUnaligned(fromByteOffset: Int(offset), as: Int64.self))
        case Slot.real: return Cell(type: .real, bits: heap.loadUnaligned(fromByteOffset: Int(offset), as: Int64.self))
        default: return .null
        }
    }

    /// Decodes cells of one column; NULL outside the block.
    ///
    /// - Parameters:
    ///   - rows: the numbers of the rows.
    ///   - types: receives the raw value of each row's ``CellType``, and `bits` the value.
    package func cells(
        _ rows: UnsafeBufferPointer<UInt16>, column: Int, types: UnsafeMutablePointer<UInt8>, bits: UnsafeMutablePointer<Int64>
    ) {
        guard !isSlotted, UInt(bitPattern: column) < UInt(columnCount) else { return cellByCell(rows, column, types, bits) }
        let description = body.load(fromByteOffset: column &* MemoryLayout<Column>.stride, as: Column.self)
        if description.width == 0 || description.kind == .mixed { return cellByCell(rows, column, types, bits) }
        switch description.width {
        case 1: decode(UInt8.self, rows, description, types, bits)
        case 2: decode(UInt16.self, rows, description, types, bits)
        case 4: decode(UInt32.self, rows, description, types, bits)
        default: decode(UInt64.self, rows, description, types, bits)
        }
        if description.kind == .wholeReal {
            for index in rows.indices { bits[index] = Int64(bitPattern: Double(bits[index]).bitPattern) }
        }
    }

    private func cellByCell(
        _ rows: UnsafeBufferPointer<UInt16>, _ column: Int, _ types: UnsafeMutablePointer<UInt8>, _ bits: UnsafeMutablePointer<Int64>
    ) {
        for (index, row) in rows.enumerated() {
            let cell = cell(Int(row), column)
            types[index] = cell.type.rawValue
            bits[index] = cell.bits
        }
    }

    @inline(__always)
    private func decode<Code: FixedWidthInteger & UnsignedInteger>(
        _ code: Code.Type, _ rows: UnsafeBufferPointer<UInt16>, _ description: Column, _ types: UnsafeMutablePointer<UInt8>,
        _ bits: UnsafeMutablePointer<Int64>
    ) {
        let type: CellType =
            switch description.kind {
            case .integer: .integer
            case .wholeReal, .real: .real
            case .text: .text
            case .blob: .blob
            case .null, .mixed: .null
            }
        let codes = body + Int(description.offset)
        for (index, row) in rows.enumerated() {
            types[index] = CellType.null.rawValue
            bits[index] = 0
            guard Int32(row) < rowCount else { continue }
            let code = codes.load(fromByteOffset: Int(row) &* MemoryLayout<Code>.stride, as: Code.self)
            if description.hasNulls, code == .max { continue }
            types[index] = type.rawValue
            bits[index] = description.base &+ Int64(truncatingIfNeeded: code)
        }
    }

    /// The bytes at the heap offset that a cell of text or a blob holds. Valid as long as the block
    /// is.
    package func bytes(at offset: Int64) -> UnsafeRawBufferPointer { Self.bytes(at: offset, in: heap) }

    /// The text or blob at an offset of a heap. Its address is never nil.
    static func bytes(at offset: Int64, in heap: UnsafeRawPointer) -> UnsafeRawBufferPointer {
        let start = heap + Int(offset)
        let length = start.load(as: UInt8.self)
        if length < Self.mediumLength { return UnsafeRawBufferPointer(start: start + 1, count: Int(length)) }
        if length == Self.mediumLength {
            return UnsafeRawBufferPointer(start: start + 3, count: Int(start.loadUnaligned(fromByteOffset: 1, as: UInt16.self)))
        }
        return UnsafeRawBufferPointer(
            start: UnsafeRawPointer(bitPattern: start.loadUnaligned(fromByteOffset: 1, as: UInt.self)),
            count: start.loadUnaligned(fromByteOffset: 9, as: Int.self))
    }

    // MARK: Reading

    /// The type and value of a cell; NULL outside the block.
    package func cell(row: Int, column: Int) -> Cell { cell(row, column) }

    /// The type of a cell; null outside the block.
    package func type(row: Int, column: Int) -> CellType { cell(row, column).type }

    /// The cell as an integer: reals are truncated and clamped, text is converted as by SQLite,
    /// other types give 0.
    package func int64(row: Int, column: Int) -> Int64 { int64(cell(row, column)) }

    @usableFromInline
    package func int64(_ cell: Cell) -> Int64 {
        switch cell.type {
        case .integer: return cell.bits
        case .real: return Self.clamped(Double(bitPattern: UInt64(bitPattern: cell.bits)))
        case .text, .blob:
            let prefix = NumericPrefix.of(bytes(at: cell.bits))
            return Int64(prefix) ?? Self.clamped(Double(prefix) ?? 0)
        default: return 0
        }
    }

    /// The cell as a real: text is converted by its numeric prefix, other types give 0.
    package func double(row: Int, column: Int) -> Double { double(cell(row, column)) }

    @usableFromInline
    package func double(_ cell: Cell) -> Double {
        switch cell.type {
        case .integer: return Double(cell.bits)
        case .real: return Double(bitPattern: UInt64(bitPattern: cell.bits))
        case .text, .blob: return Double(NumericPrefix.of(bytes(at: cell.bits))) ?? 0
        default: return 0
        }
    }

    /// The cell as text, with invalid UTF-8 replaced by U+FFFD. Numbers are formatted.
    package func string(row: Int, column: Int) -> String { string(cell(row, column)) }

    @usableFromInline
    package func string(_ cell: Cell) -> String {
        switch cell.type {
        case .text, .blob: return String(decoding: bytes(at: cell.bits), as: UTF8.self)
        case .integer: return String(cell.bits)
        case .real: return String(Double(bitPattern: UInt64(bitPattern: cell.bits)))
        default: return ""
        }
    }

    /// The bytes of text or a blob; empty for other types. Valid as long as the block is.
    package func bytes(row: Int, column: Int) -> UnsafeRawBufferPointer { bytes(cell(row, column)) }

    package func bytes(_ cell: Cell) -> UnsafeRawBufferPointer {
        cell.type == .text || cell.type == .blob ? bytes(at: cell.bits) : UnsafeRawBufferPointer(start: nil, count: 0)
    }

    package func withBytes<R>(row: Int, column: Int, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try withExtendedLifetime(self) { try body(bytes(row: row, column: column)) }
    }

    /// The memory that the block takes, without its context, in bytes.
    package var byteCount: Int {
        var count = malloc_usable_size(Unmanaged.passUnretained(self).toOpaque())
        if contents.pointee.ownsHeap { count += malloc_usable_size(UnsafeMutableRawPointer(mutating: heap)) }
        var next = contents.pointee.longValues
        while let value = next {
            count += malloc_usable_size(value)
            next = value.load(as: UnsafeMutableRawPointer?.self)
        }
        return count
    }

    static func clamped(_ value: Double) -> Int64 {
        if let exact = Int64(exactly: value.rounded(.towardZero)) { return exact }
        return value.isNaN ? 0 : value > 0 ? .max : .min
    }
}

/// The longest prefix of a text that is a decimal number, as in SQLite's conversions.
enum NumericPrefix {
    static func of(_ bytes: UnsafeRawBufferPointer) -> String {
        var position = bytes.firstIndex { $0 != 0x20 && !(0x09...0x0d).contains($0) } ?? bytes.count
        let start = position
        func skipDigits() -> Int {
            let first = position
            while position < bytes.count, (0x30...0x39).contains(bytes[position]) { position += 1 }
            return position - first
        }
        func skip(_ characters: UInt8...) -> Bool {
            guard position < bytes.count, characters.contains(bytes[position]) else { return false }
            position += 1
            return true
        }
        _ = skip(0x2b, 0x2d)  // + -
        let digits = skipDigits()
        var end = digits > 0 ? position : start
        if skip(0x2e) {  // .
            let fraction = skipDigits()
            if digits + fraction > 0 { end = position }
        }
        if end > start, skip(0x65, 0x45) {  // e E
            _ = skip(0x2b, 0x2d)
            if skipDigits() > 0 { end = position }
        }
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }
}
