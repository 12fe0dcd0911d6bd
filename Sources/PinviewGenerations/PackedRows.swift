internal import CSQLite

/// Many rows in one block: a tag and eight bytes per cell, and a heap for text and blobs. Filling it
/// allocates per batch, not per row.
///
/// Immutable once it is shared; until then one thread fills it.
package final class PackedRows: @unchecked Sendable {
    package let columnCount: Int
    private var tags: UnsafeMutablePointer<UInt8>
    private var cells: UnsafeMutablePointer<UInt64>
    private var cellCount = 0
    private var cellCapacity: Int
    private var heap: UnsafeMutablePointer<UInt8>?
    private var heapSize = 0
    private var heapCapacity = 0

    /// - Parameter reservingRows: for how many rows to make room at first.
    package init(columnCount: Int, reservingRows: Int) {
        self.columnCount = columnCount
        cellCapacity = max(columnCount * max(reservingRows, 1), 8)
        tags = .allocate(capacity: cellCapacity)
        cells = .allocate(capacity: cellCapacity)
    }

    deinit {
        tags.deallocate()
        cells.deallocate()
        heap?.deallocate()
    }

    package var rowCount: Int { columnCount == 0 ? 0 : cellCount / columnCount }

    // MARK: Filling

    /// Appends the current row of a statement: one `sqlite3_column_value` per column.
    func append(_ statement: OpaquePointer) {
        reserve(columnCount)
        for column in 0..<Int32(columnCount) {
            let value = sqlite3_column_value(statement, column)
            let type = sqlite3_value_type(value)
            tags[cellCount] = UInt8(truncatingIfNeeded: type)
            switch type {
            case SQLITE_INTEGER: cells[cellCount] = UInt64(bitPattern: sqlite3_value_int64(value))
            case SQLITE_FLOAT: cells[cellCount] = sqlite3_value_double(value).bitPattern
            case SQLITE_TEXT: cells[cellCount] = store(sqlite3_value_text(value), Int(sqlite3_value_bytes(value)))
            case SQLITE_BLOB:
                let bytes = sqlite3_value_blob(value)
                cells[cellCount] = store(bytes?.assumingMemoryBound(to: UInt8.self), Int(sqlite3_value_bytes(value)))
            default: cells[cellCount] = 0
            }
            cellCount += 1
        }
    }

    /// Begins a row by hand; `columnCount` appends follow.
    package func beginRow() { reserve(columnCount) }
    package func appendNull() { append(tag: SQLITE_NULL, 0) }
    package func append(_ value: Int64) { append(tag: SQLITE_INTEGER, UInt64(bitPattern: value)) }
    package func append(_ value: Double) { append(tag: SQLITE_FLOAT, value.bitPattern) }

    package func append(text: String) {
        var text = text
        text.withUTF8 { append(tag: SQLITE_TEXT, store($0.baseAddress, $0.count)) }
    }

    package func append(blob: [UInt8]) {
        blob.withUnsafeBufferPointer { append(tag: SQLITE_BLOB, store($0.baseAddress, $0.count)) }
    }

    private func append(tag: Int32, _ cell: UInt64) {
        reserve(1)
        tags[cellCount] = UInt8(truncatingIfNeeded: tag)
        cells[cellCount] = cell
        cellCount += 1
    }

    private func reserve(_ count: Int) {
        guard cellCount + count > cellCapacity else { return }
        let capacity = max(cellCapacity * 2, cellCount + count)
        let newTags = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        let newCells = UnsafeMutablePointer<UInt64>.allocate(capacity: capacity)
        newTags.update(from: tags, count: cellCount)
        newCells.update(from: cells, count: cellCount)
        tags.deallocate()
        cells.deallocate()
        tags = newTags
        cells = newCells
        cellCapacity = capacity
    }

    /// Copies bytes to the heap. A cell holds 40 bits of offset (a terabyte) and 24 bits of length; longer bytes
    /// have their length in front of them.
    private func store(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> UInt64 {
        let isLong = count >= Self.longLength
        let needed = count + (isLong ? 8 : 0)
        if heapSize + needed > heapCapacity {
            let capacity = max(heapCapacity * 2, heapSize + needed, 256)
            let newHeap = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
            if let heap {
                newHeap.update(from: heap, count: heapSize)
                heap.deallocate()
            }
            heap = newHeap
            heapCapacity = capacity
        }
        let start = heapSize
        guard let heap else { return 0 }
        var target = heap + start
        if isLong {
            UnsafeMutableRawPointer(target).storeBytes(of: UInt64(count), as: UInt64.self)  // need not be aligned
            target += 8
        }
        if let bytes, count > 0 { target.update(from: bytes, count: count) }
        heapSize += needed
        return UInt64(start) << 24 | UInt64(isLong ? Self.longLength : count)
    }

    private static let longLength = 0xff_ffff

    // MARK: Reading

    private func cell(_ row: Int, _ column: Int) -> Int? {
        let index = row &* columnCount &+ column
        return row >= 0 && column >= 0 && column < columnCount && index < cellCount ? index : nil
    }

    /// SQLite's type code of a cell; `SQLITE_NULL` outside the rows.
    package func type(row: Int, column: Int) -> Int32 {
        guard let index = cell(row, column) else { return SQLITE_NULL }
        return Int32(tags[index])
    }

    /// The cell as an integer: a real is cut off and clamped, text is read as SQLite reads it, all else is 0.
    package func int64(row: Int, column: Int) -> Int64 {
        guard let index = cell(row, column) else { return 0 }
        switch Int32(tags[index]) {
        case SQLITE_INTEGER: return Int64(bitPattern: cells[index])
        case SQLITE_FLOAT: return Self.clamped(Double(bitPattern: cells[index]))
        case SQLITE_TEXT, SQLITE_BLOB:
            let prefix = numericPrefix(row: row, column: column)
            return Int64(prefix) ?? Self.clamped(Double(prefix) ?? 0)
        default: return 0
        }
    }

    /// The cell as a real; of text the numeric beginning counts, all else is 0.
    package func double(row: Int, column: Int) -> Double {
        guard let index = cell(row, column) else { return 0 }
        switch Int32(tags[index]) {
        case SQLITE_INTEGER: return Double(Int64(bitPattern: cells[index]))
        case SQLITE_FLOAT: return Double(bitPattern: cells[index])
        case SQLITE_TEXT, SQLITE_BLOB: return Double(numericPrefix(row: row, column: column)) ?? 0
        default: return 0
        }
    }

    /// The longest beginning of text that is a decimal number, as SQLite takes it for one.
    private func numericPrefix(row: Int, column: Int) -> String {
        withBytes(row: row, column: column) { bytes in
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

    /// The cell as text; bytes that are not UTF-8 are replaced by U+FFFD. A number is written out.
    package func string(row: Int, column: Int) -> String {
        switch type(row: row, column: column) {
        case SQLITE_TEXT, SQLITE_BLOB: return withBytes(row: row, column: column) { String(decoding: $0, as: UTF8.self) }
        case SQLITE_INTEGER: return String(int64(row: row, column: column))
        case SQLITE_FLOAT: return String(double(row: row, column: column))
        default: return ""
        }
    }

    /// The bytes of text or a blob; none for everything else. Valid as long as the rows are.
    package func withBytes<R>(row: Int, column: Int, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        guard let index = cell(row, column), tags[index] == UInt8(SQLITE_TEXT) || tags[index] == UInt8(SQLITE_BLOB), let heap else {
            return try body(UnsafeRawBufferPointer(start: nil, count: 0))
        }
        var start = UnsafeRawPointer(heap + Int(cells[index] >> 24))
        var count = Int(cells[index] & UInt64(Self.longLength))
        if count == Self.longLength {
            count = Int(start.loadUnaligned(as: UInt64.self))
            start += 8
        }
        return try body(UnsafeRawBufferPointer(start: start, count: count))
    }

    private static func clamped(_ value: Double) -> Int64 {
        if let exact = Int64(exactly: value.rounded(.towardZero)) { return exact }
        return value.isNaN ? 0 : value > 0 ? .max : .min
    }
}
