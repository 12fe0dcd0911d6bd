internal import CSQLite
import Glibc

/// A column that is being filled. Plain memory, so that values go from SQLite straight into it.
struct ColumnBuilder {
    private let type: ColumnLayout
    let source: Int32
    private let isConverted: Bool
    private var values: UnsafeMutableRawPointer?
    /// One bit per row, set until a NULL comes; nil before the first NULL.
    private var validity: UnsafeMutablePointer<UInt8>?
    private var nullCount = 0
    private var capacity: Int
    private var bytes: UnsafeMutablePointer<UInt8>?
    private(set) var byteCount = 0
    private var byteCapacity = 0

    init(_ plan: ColumnPlan, capacity: Int) {
        type = plan.type
        source = Int32(truncatingIfNeeded: plan.source)
        // A UUID stored as 16 bytes is copied without conversion.
        isConverted = plan.convert != nil && plan.type != .uuid
        self.capacity = capacity
        values = Self.memory(nil, type, capacity)
        // Bits are only ever set, and the first offset is 0.
        if type == .boolean, let values { memset(values, 0, capacity / 8) }
        if type.hasOffsets { values?.storeBytes(of: 0, as: Int32.self) }
    }

    func free() {
        Glibc.free(values)
        Glibc.free(validity)
        Glibc.free(bytes)
    }

    private static func memory(_ old: UnsafeMutableRawPointer?, _ type: ColumnLayout, _ capacity: Int) -> UnsafeMutableRawPointer {
        reallocated(old, (capacity + (type.hasOffsets ? 1 : 0)) * type.bitWidth / 8)
    }

    private static func reallocated(_ old: UnsafeMutableRawPointer?, _ size: Int) -> UnsafeMutableRawPointer {
        PlainMemory.reallocate(old, max(size, 8))
    }

    /// - Parameter capacity: a multiple of 64.
    mutating func setCapacity(_ capacity: Int, used: Int) {
        values = Self.memory(values, type, capacity)
        if type == .boolean, capacity > self.capacity, let values { memset(values + self.capacity / 8, 0, (capacity - self.capacity) / 8) }
        if let old = validity {
            let new = Self.reallocated(UnsafeMutableRawPointer(old), capacity / 8).assumingMemoryBound(to: UInt8.self)
            if capacity > self.capacity { memset(new + self.capacity / 8, 0xff, (capacity - self.capacity) / 8) }
            validity = new
        }
        self.capacity = capacity
    }

    // MARK: Filling

    /// - Returns: false if the column cannot hold the value.
    @inline(__always)
    mutating func append(
        _ value: OpaquePointer?, _ statement: OpaquePointer, _ row: Int, _ converters: [(@Sendable (ColumnCell) -> [UInt8]?)?],
        _ index: Int
    ) -> Bool {
        let kind = sqlite3_value_type(value)
        guard kind != SQLITE_NULL, let values else {
            appendNull(row)
            return true
        }
        if isConverted { return appendConverted(statement, row, converters[index]) }
        switch type {
        case .text:
            guard kind == SQLITE_TEXT || kind == SQLITE_INTEGER, let text = sqlite3_value_text(value) else {
                return appendText(value, kind, row)
            }
            return append(bytes: text, Int(sqlite3_value_bytes(value)), row)
        case .int64:
            (values + row &* 8).storeBytes(of: sqlite3_value_int64(value), as: Int64.self)
        case .int32:
            guard let fitting = Int32(exactly: sqlite3_value_int64(value)) else { return false }
            (values + row &* 4).storeBytes(of: fitting, as: Int32.self)
        case .int16:
            guard let fitting = Int16(exactly: sqlite3_value_int64(value)) else { return false }
            (values + row &* 2).storeBytes(of: fitting, as: Int16.self)
        case .double:
            (values + row &* 8).storeBytes(of: sqlite3_value_double(value), as: Double.self)
        case .float:
            (values + row &* 4).storeBytes(of: Float(sqlite3_value_double(value)), as: Float.self)
        case .timestamp:
            guard let moment = Self.microseconds(value, kind) else { return false }
            (values + row &* 8).storeBytes(of: moment, as: Int64.self)
        case .boolean:
            if sqlite3_value_int64(value) != 0 {
                let byte = values.assumingMemoryBound(to: UInt8.self) + row >> 3
                byte.pointee |= 1 << UInt8(truncatingIfNeeded: row & 7)
            }
        case .binary:
            // Numbers have no bytes.
            let hasBytes = kind == SQLITE_BLOB || kind == SQLITE_TEXT
            let data = hasBytes ? sqlite3_value_blob(value)?.assumingMemoryBound(to: UInt8.self) : nil
            return append(bytes: data, data == nil ? 0 : Int(sqlite3_value_bytes(value)), row)
        case .uuid:
            guard kind == SQLITE_BLOB, sqlite3_value_bytes(value) == 16, let data = sqlite3_value_blob(value) else {
                return appendConverted(statement, row, converters[index])
            }
            memcpy(values + row &* 16, data, 16)
        }
        return true
    }

    private mutating func appendNull(_ row: Int) {
        if validity == nil {
            let bits = Self.reallocated(nil, capacity / 8).assumingMemoryBound(to: UInt8.self)
            memset(bits, 0xff, capacity / 8)
            validity = bits
        }
        validity?[row >> 3] &= ~(1 << UInt8(truncatingIfNeeded: row & 7))
        nullCount += 1
        if type.hasOffsets {
            setOffset(row)
        } else if type != .boolean, let values {
            memset(values + row * type.bitWidth / 8, 0, type.bitWidth / 8)
        }
    }

    private func setOffset(_ row: Int) {
        values?.storeBytes(of: Int32(truncatingIfNeeded: byteCount), toByteOffset: (row &+ 1) &* 4, as: Int32.self)
    }

    @inline(__always)
    private mutating func append(bytes source: UnsafePointer<UInt8>?, _ size: Int, _ row: Int) -> Bool {
        let end = byteCount &+ size
        if end > byteCapacity {
            guard end <= Int(Int32.max) else { return false }
            reserveBytes(end)
        }
        if size > 0, let bytes, let source { memcpy(bytes + byteCount, source, size) }
        byteCount = end
        setOffset(row)
        return true
    }

    @inline(never)
    private mutating func reserveBytes(_ needed: Int) {
        byteCapacity = max(byteCapacity * 2, needed, 1024)
        bytes = Self.reallocated(UnsafeMutableRawPointer(bytes), byteCapacity).assumingMemoryBound(to: UInt8.self)
    }

    /// The text of a cell that is not text.
    @inline(never)
    private mutating func appendText(_ value: OpaquePointer?, _ kind: Int32, _ row: Int) -> Bool {
        if kind == SQLITE_FLOAT {
            var text = sqlite3_value_double(value).description
            return text.withUTF8 { append(bytes: $0.baseAddress, $0.count, row) }
        }
        let data = sqlite3_value_blob(value)?.assumingMemoryBound(to: UInt8.self)
        return append(bytes: data, data == nil ? 0 : Int(sqlite3_value_bytes(value)), row)
    }

    @inline(never)
    private mutating func appendConverted(
        _ statement: OpaquePointer, _ row: Int, _ convert: (@Sendable (ColumnCell) -> [UInt8]?)?
    ) -> Bool {
        guard let converted = convert?(ColumnCell(statement, source)) else {
            appendNull(row)
            return true
        }
        return converted.withUnsafeBufferPointer { converted in
            guard type == .uuid else { return append(bytes: converted.baseAddress, converted.count, row) }
            guard converted.count == 16, let data = converted.baseAddress, let values else {
                appendNull(row)
                return true
            }
            memcpy(values + row * 16, data, 16)
            return true
        }
    }

    /// Converts seconds since 2001-01-01 UTC to whole microseconds since 1970, rounding half to
    /// even; nil if they do not fit in 64 bits.
    private static func microseconds(_ value: OpaquePointer?, _ kind: Int32) -> Int64? {
        if kind == SQLITE_INTEGER {
            let (scaled, overflow) = sqlite3_value_int64(value).multipliedReportingOverflow(by: 1_000_000)
            let (moment, overflowToo) = scaled.addingReportingOverflow(referenceDate)
            return overflow || overflowToo ? nil : moment
        }
        let seconds = sqlite3_value_double(value)
        let whole = seconds.rounded(.down)
        guard whole > -9.2e12, whole < 9.2e12 else { return nil }
        // The difference is exact, so the result is rounded only once.
        return Int64(whole) * 1_000_000 + Int64(((seconds - whole) * 1_000_000).rounded(.toNearestOrEven)) + referenceDate
    }

    /// 2001-01-01 in microseconds since 1970.
    private static let referenceDate: Int64 = 978_307_200_000_000

    /// The value of the current row that the column cannot hold.
    func failure(_ statement: OpaquePointer, _ index: Int) -> ColumnFailure {
        let cell = sqlite3_column_value(statement, source)
        if type.hasOffsets { return ColumnFailure(column: index, value: .bytes(Int(sqlite3_value_bytes(cell)))) }
        return ColumnFailure(
            column: index,
            value: sqlite3_value_type(cell) == SQLITE_FLOAT ? .real(sqlite3_value_double(cell)) : .integer(sqlite3_value_int64(cell)))
    }

    // MARK: Finishing

    /// Returns the first rows as a column and starts over without memory.
    mutating func take(_ count: Int) -> ColumnData {
        if type == .text { repairText(count) }
        let size = max((count + 63) & ~63, 64)
        if size < capacity { setCapacity(size, used: count) }
        if let bytes, byteCount < byteCapacity {
            self.bytes = Self.reallocated(UnsafeMutableRawPointer(bytes), byteCount).assumingMemoryBound(to: UInt8.self)
        }
        defer {
            values = nil
            validity = nil
            bytes = nil
            (nullCount, byteCount, byteCapacity) = (0, 0, 0)
        }
        return ColumnData(
            type: type, count: count, nullCount: nullCount, validity: nullCount == 0 ? nil : UnsafeMutableRawPointer(validity),
            values: values ?? Self.reallocated(nil, 8), bytes: UnsafeMutableRawPointer(bytes))
    }

    /// Replaces invalid UTF-8 by U+FFFD, as when objects are read.
    private mutating func repairText(_ count: Int) {
        guard let values, let bytes, !UTF8Check.isASCII(bytes, byteCount) else { return }
        func range(_ row: Int) -> Range<Int> {
            Int(values.load(fromByteOffset: row * 4, as: Int32.self))..<Int(values.load(fromByteOffset: row * 4 + 4, as: Int32.self))
        }
        guard let first = (0..<count).first(where: { !UTF8Check.isValid(bytes + range($0).lowerBound, range($0).count) }) else { return }
        let ranges = (first..<count).map(range)
        let texts = ranges.map { String(decoding: UnsafeBufferPointer(start: bytes + $0.lowerBound, count: $0.count), as: UTF8.self) }
        byteCount = ranges[0].lowerBound
        for (offset, text) in texts.enumerated() {
            // A byte becomes at most three: only invalid text of hundreds of megabytes could exceed
            // 32-bit offsets.
            var text = text
            let fits = text.withUTF8 { append(bytes: $0.baseAddress, $0.count, first + offset) }
            if !fits { setOffset(first + offset) }
        }
    }
}
