import PinviewGenerations
import PinviewModel
import PinviewStore

/// One property of many objects, laid out for language bindings: an array of numbers, or texts one
/// after another with a NUL after each.
package final class ObjectColumn {
    package enum Kind { case integer, boolean, real, date, text, reference, value }

    /// What is known of an object, as bits.
    package enum State {
        /// Nothing: the object must be read by itself.
        package static let unknown: UInt8 = 0
        package static let null: UInt8 = 1
        package static let value: UInt8 = 2
        /// A flag: the object is a fault and shows the row that would fill it.
        package static let fault: UInt8 = 4
    }

    package private(set) var kind = Kind.value
    package private(set) var count = 0
    /// The context's count of changes for which the column is valid; 0 if it is only valid now.
    package internal(set) var version: UInt64 = 0
    /// For a column with faults, the row cache's count of changes for which it is valid; nil if it
    /// does not depend on the rows.
    package internal(set) var cacheVersion: UInt64 = 0
    package private(set) var hasMixedReferences = false
    /// For references, the store number × 2³² + the hierarchy's number, common to all of them.
    package private(set) var hierarchy: Int64 = 0
    package private(set) var hasNulls = false
    package private(set) var hasFaults = false
    package private(set) var hasUnknown = false
    /// Whether a text contains a NUL, so that NULs do not separate texts.
    package private(set) var hasNUL = false
    package private(set) var isASCII = true
    package private(set) var states: UnsafeMutableBufferPointer<UInt8> = .init(start: nil, count: 0)
    package private(set) var cells: UnsafeMutableBufferPointer<Int64> = .init(start: nil, count: 0)
    private var heap: UnsafeMutableRawBufferPointer = .init(start: nil, count: 0)
    package private(set) var heapSize = 0
    /// The values, if they have no layout of their own.
    package private(set) var values: [Value] = []
    private var next = 0
    private var known: (block: RowBlock, column: Int)?
    private var property: Property?

    package init() {}

    deinit {
        states.deallocate()
        cells.deallocate()
        heap.deallocate()
    }

    package var heapStart: UnsafePointer<CChar>? { UnsafeRawPointer(heap.baseAddress)?.assumingMemoryBound(to: CChar.self) }

    func begin(_ property: Property, count: Int, _ cacheChanges: ChangeCount?) {
        self.property = property
        kind = Self.kind(of: property)
        self.count = count
        cacheVersion = cacheChanges?.value ?? 0
        (hasNulls, hasFaults, hasUnknown, hasNUL, hasMixedReferences, isASCII) = (false, false, false, false, false, true)
        (next, heapSize, known, hierarchy, values) = (0, 0, nil, -1, [])
        if states.count < count {
            states.deallocate()
            cells.deallocate()
            states = .allocate(capacity: count)
            cells = .allocate(capacity: count)
        }
        for index in 0..<count {
            states[index] = State.unknown
            cells[index] = 0
        }
        if kind == .value { values = Array(repeating: .null, count: count) }
    }

    static func kind(of property: Property) -> Kind {
        switch property.cellKind {
        case .integer: .integer
        case .boolean: .boolean
        case .real: .real
        case .date: .date
        case .text: .text
        case .reference: .reference
        case .none: property.isRelationship ? .reference : .value
        case .decimal, .uuid, .binary, .externalBinary: .value
        }
    }

    @inline(__always)
    private func set(_ state: UInt8, _ index: Int, isFault: Bool) {
        states[index] = state | (isFault ? State.fault : 0)
        if isFault { hasFaults = true }
        if state == State.null { hasNulls = true }
    }

    // MARK: One object after the other

    func append(_ row: RowSnapshot, at index: Int, isFault: Bool) {
        append(row.block, row: Int(row.row), at: index, isFault: isFault)
    }

    func append(_ block: RowBlock, row: Int, at index: Int, isFault: Bool) {
        let column: Int
        if let known, known.block === block {
            column = known.column
        } else {
            guard let property else { return }
            column = RowSnapshot(block: block, row: Int32(row)).column(of: property)
            known = (block, column)
        }
        let cell = block.cell(row: row, column: column)
        guard let property else { return }
        var sink = Sink(column: self, index: index, isFault: isFault)
        if property.cellKind.decode(cell.type, cell.bits, bytes: block.bytes(at: cell.bits), into: &sink) { return }
        sink.isValidUTF8 = true
        if property.cellKind.decodeConverted(cell, in: block, into: &sink) == nil {
            let value = block.value(row: Int32(row), of: property)
            // Data that cannot be read stay unknown: reading the object itself says why.
            if value.isNull, property.cellKind == .externalBinary { return }
            values[index] = value
            set(State.value, index, isFault: isFault)
        }
    }

    /// Stores one cell in the column. False if it must be converted or turned into a value.
    private struct Sink: CellSink {
        unowned(unsafe) let column: ObjectColumn
        let index: Int
        let isFault: Bool
        var isValidUTF8 = false

        init(column: ObjectColumn, index: Int, isFault: Bool) { (self.column, self.index, self.isFault) = (column, index, isFault) }

        @inline(__always)
        private func put(_ bits: Int64) -> Bool {
            column.cells[index] = bits
            column.set(State.value, index, isFault: isFault)
            return true
        }

        func takeNull() -> Bool {
            column.set(State.null, index, isFault: isFault)
            return true
        }
        func take(integer: Int64) -> Bool { put(integer) }
        func take(boolean: Bool) -> Bool { put(boolean ? 1 : 0) }
        func take(real: Double) -> Bool { put(Int64(bitPattern: real.bitPattern)) }
        func take(date: Double) -> Bool { put(Int64(bitPattern: date.bitPattern)) }
        func take(text: UnsafeRawBufferPointer) -> Bool {
            guard column.store(text, at: index, mayBeOther: isValidUTF8) else { return false }
            // A text that exceeds the column's room stays unknown.
            if column.states[index] != State.unknown { column.set(State.value, index, isFault: isFault) }
            return true
        }
        func take(binary: UnsafeRawBufferPointer) -> Bool { false }
        /// References were stored before, as keys of objects.
        func take(reference: Int64) -> Bool { true }
        func takeOther() -> Bool { false }
    }

    /// Appends attributes of consecutive objects with rows in one block.
    func append(_ block: RowBlock, rows: UnsafeBufferPointer<UInt16>, at first: Int, areFaults: Bool) {
        guard let property, let row = rows.first, first + rows.count <= count else { return }
        if kind == .value {
            for (index, row) in rows.enumerated() { append(block, row: Int(row), at: first + index, isFault: areFaults) }
            return
        }
        if known?.block !== block { known = (block, RowSnapshot(block: block, row: Int32(row)).column(of: property)) }
        guard let known, let states = states.baseAddress, let cells = cells.baseAddress else { return }
        let (types, bits) = (states + first, cells + first)
        let cellKind = property.cellKind
        block.cells(rows, column: known.column, types: types, bits: bits)
        for index in rows.indices {
            let (type, cell) = (CellType(rawValue: types[index]) ?? .null, bits[index])
            (types[index], bits[index]) = (State.unknown, 0)
            var sink = Sink(column: self, index: first + index, isFault: areFaults)
            if !cellKind.decode(type, cell, bytes: block.bytes(at: cell), into: &sink) {
                append(block, row: Int(rows[index]), at: first + index, isFault: areFaults)
            }
        }
    }

    func append(_ destination: ObjectKey?, at index: Int, isFault: Bool = false) {
        guard let destination else { return set(State.null, index, isFault: isFault) }
        cells[index] = destination.primaryKey
        let place = Int64(destination.storeNumber) << 32 | Int64(destination.rootEntity)
        if destination.isTemporary || hierarchy != -1 && hierarchy != place { hasMixedReferences = true }
        hierarchy = place
        set(State.value, index, isFault: isFault)
    }

    func append(_ value: Value, at index: Int) {
        switch (kind, value) {
        case (_, .null): return set(State.null, index, isFault: false)
        case (.integer, .integer(let number)): cells[index] = number
        case (.boolean, .boolean(let flag)): cells[index] = flag ? 1 : 0
        case (.real, .double(let number)): cells[index] = Int64(bitPattern: number.bitPattern)
        case (.date, .date(let date)): cells[index] = Int64(bitPattern: date.timeIntervalSinceReferenceDate.bitPattern)
        case (.text, .string(let text)):
            store(text, at: index)
            if states[index] == State.unknown { return }
        case (.value, _): values[index] = value
        // A transient attribute may hold values of another type.
        default: return
        }
        set(State.value, index, isFault: false)
    }

    // MARK: Texts

    private func store(_ text: String, at index: Int) {
        var text = text
        text.withUTF8 { bytes in _ = store(UnsafeRawBufferPointer(bytes), at: index, mayBeOther: true) }
    }

    /// Appends a text, and stores its offset and size in `cells`.
    /// - Parameter mayBeOther: whether the bytes may be something other than valid UTF-8 unless
    ///   they are ASCII.
    /// - Returns: false if the text was not stored.
    private func store(_ bytes: UnsafeRawBufferPointer, at index: Int, mayBeOther: Bool) -> Bool {
        var all: UInt8 = 0
        var hasNUL = false
        for byte in bytes {
            all |= byte
            if byte == 0 { hasNUL = true }
        }
        if all & 0x80 != 0 {
            guard mayBeOther else { return false }
            isASCII = false
        }
        if hasNUL { self.hasNUL = true }
        // What exceeds the room of a column must be read by itself.
        guard heapSize + bytes.count + count < Int(Int32.max) else { return true }
        skip(to: index)
        reserve(bytes.count)
        if let start = heap.baseAddress, let source = bytes.baseAddress {
            (start + heapSize).copyMemory(from: source, byteCount: bytes.count)
        }
        cells[index] = Int64(heapSize) << 32 | Int64(bytes.count)
        heapSize += bytes.count
        heap[heapSize] = 0
        heapSize += 1
        next = index + 1
        states[index] = State.value
        return true
    }

    /// Stores an empty text for each object without one.
    private func skip(to index: Int) {
        while next < index {
            reserve(0)
            heap[heapSize] = 0
            heapSize += 1
            next += 1
        }
    }

    private func reserve(_ size: Int) {
        guard heap.count < heapSize + size + 1 else { return }
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: max(4096, (heapSize + size + 1) * 2), alignment: 16)
        if let start = heap.baseAddress, let target = larger.baseAddress { target.copyMemory(from: start, byteCount: heapSize) }
        heap.deallocate()
        heap = larger
    }

    /// - Parameter objects: nil for those that were not requested.
    func end(_ objects: [ManagedObject?]) {
        if kind == .text { skip(to: count) }
        for index in 0..<count where states[index] == State.unknown && objects[index] != nil {
            hasUnknown = true
            return
        }
    }
}
