import PinviewGenerations
import PinviewModel
import PinviewStore

/// Reads the same properties of many objects for bindings. Cells of rows are passed on without
/// making a `Value`.
///
/// Lives on the stack of one call.
package struct ValueReader: ~Copyable {
    /// The kind of value in a property's cell.
    package enum Kind: UInt8 {
        case null, text, integer, double, boolean, date, binary
        /// A value that must be made.
        case other
    }

    /// Determines the kind of a cell. Text other than ASCII must be checked, so a value is made of
    /// it.
    private struct Sink: CellSink {
        let isASCII: Bool

        func takeNull() -> Kind { .null }
        func take(integer: Int64) -> Kind { .integer }
        func take(boolean: Bool) -> Kind { .boolean }
        func take(real: Double) -> Kind { .double }
        func take(date: Double) -> Kind { .date }
        func take(text: UnsafeRawBufferPointer) -> Kind { isASCII ? .text : .other }
        func take(binary: UnsafeRawBufferPointer) -> Kind { .binary }
        func take(reference: Int64) -> Kind { .other }
        func takeOther() -> Kind { .other }
    }

    private let indexes: UnsafeBufferPointer<Int32>
    private let count: Int
    private let memory: UnsafeMutableRawPointer
    private let columns: UnsafeMutablePointer<Int32>
    private let cells: UnsafeMutablePointer<RowCell>
    private let kinds: UnsafeMutablePointer<CellKind>
    /// The kinds of the current object's cells.
    private let resolved: UnsafeMutablePointer<Kind>
    /// The entity for which `columns` and `kinds` are valid.
    private var entity: Entity?
    private var layout: Unmanaged<AnyObject>?

    /// - Parameter indexes: indexes of properties. They must outlive the reader.
    package init(_ indexes: UnsafeBufferPointer<Int32>) {
        self.indexes = indexes
        count = indexes.count
        // One allocation for all, the widest elements first.
        let ofColumns = count * MemoryLayout<RowCell>.stride, ofKinds = ofColumns + count * MemoryLayout<Int32>.stride
        memory = PlainMemory.allocate(ofKinds + 2 * count)
        cells = memory.bindMemory(to: RowCell.self, capacity: count)
        columns = (memory + ofColumns).bindMemory(to: Int32.self, capacity: count)
        kinds = (memory + ofKinds).bindMemory(to: CellKind.self, capacity: count)
        resolved = (memory + ofKinds + count).bindMemory(to: Kind.self, capacity: count)
    }

    deinit { PlainMemory.deallocate(memory) }

    /// Reads the properties of one object, firing it if it is a fault.
    ///
    /// - Parameters:
    ///   - take: gets a cell and its kind.
    ///   - makeValue: called afterwards for the remaining properties. Both get the property's
    ///     position in `indexes`.
    /// - Throws: `unknownKey` for an index without a property, before anything is read.
    package mutating func read(
        _ object: ManagedObject, take: (Int, Kind, RowCell) -> Void, makeValue: (Int, Property) throws(PinviewError) -> Void
    ) throws(PinviewError) {
        let isPlanned = object.unmanagedBinding._withUnsafeGuaranteedRef { $0.entity === entity }
        if !isPlanned { try plan(object.entity) }
        var others = 0
        if !object.withQuickRow({ others = takeCells(of: object, $0, $1, take) }) { others = try readSlowly(object, take) }
        guard others > 0, let entity else { return }
        for position in 0..<count where resolved[position] == .other {
            try makeValue(position, entity.properties[Int(indexes[position])])
        }
    }

    /// Reads through the general path.
    /// - Returns: the number of properties left.
    @inline(never)
    private mutating func readSlowly(_ object: ManagedObject, _ take: (Int, Kind, RowCell) -> Void) throws(PinviewError) -> Int {
        let state = object.state
        try state.enter(isReading: true)
        defer { state.leaveReading() }
        try state.requireUsable(object)
        if object.flags.contains(.fault) { try state.fire(object) }
        guard case .stored(let row) = object.committed else {
            resolved.update(repeating: .other, count: count)
            return count
        }
        return takeCells(of: object, row.block, Int(row.row), take)
    }

    @inline(__always)
    private mutating func takeCells(
        of object: ManagedObject, _ block: RowBlock, _ row: Int, _ take: (Int, Kind, RowCell) -> Void
    ) -> Int {
        if layout?.toOpaque() != block.unmanagedContext?.toOpaque() { plan(RowSnapshot(block: block, row: Int32(row))) }
        block.read(row: row, columns: UnsafeBufferPointer(start: columns, count: count), into: cells)
        var others = 0
        for position in 0..<count {
            let cell = cells[position]
            var sink = Sink(isASCII: cell.isASCII)
            let kind =
                kinds[position] == .none || object.isReplaced(Int(indexes[position]))
                ? .other : kinds[position].decode(cell.type, cell.integer, bytes: cell.bytes, into: &sink)
            resolved[position] = kind
            if kind == .other { others += 1 } else { take(position, kind, cell) }
        }
        return others
    }

    private mutating func plan(_ entity: Entity) throws(PinviewError) {
        for position in 0..<count {
            let index = Int(indexes[position])
            guard entity.properties.indices.contains(index) else {
                throw PinviewError(.unknownKey, "The entity \(entity.name) has no property with the index \(index).")
            }
            let property = entity.properties[index]
            kinds[position] = property.isStored && property.isAttribute ? property.cellKind : .none
        }
        self.entity = entity
        layout = nil
    }

    private mutating func plan(_ row: RowSnapshot) {
        guard let entity else { return }
        entity.properties.withUnsafeBytes { bytes in
            // An array of properties is an array of addresses, so no references are counted.
            let properties = bytes.bindMemory(to: Unmanaged<Property>.self)
            for position in 0..<count {
                let column = properties[Int(indexes[position])]._withUnsafeGuaranteedRef { row.column(of: $0) }
                columns[position] = Int32(truncatingIfNeeded: column)
            }
        }
        layout = row.block.unmanagedContext
    }
}

extension ManagedObjectContext {
    /// The registered object of a key, if it can be looked up without waiting; otherwise nil.
    package func registeredObjectIfFree(_ key: ObjectKey) -> ManagedObject? { state.registeredObjectAtOnce(key) }

    /// Copies numeric attribute values of a registered object, if they are in its row and can be
    /// read without waiting.
    ///
    /// - Parameter numbers: room for one number per index.
    /// - Returns: false in all other cases, in which some may have been copied.
    package func copyLoadedNumbers(
        of key: ObjectKey, _ indexes: UnsafeBufferPointer<Int32>, to numbers: UnsafeMutablePointer<PlainNumber>
    ) -> Bool {
        state.giveNumbersAtOnce(of: key, indexes, to: numbers)
    }
}

extension ManagedObject {
    /// The value of an attribute, if it is in the object's row and can be read without waiting;
    /// otherwise nil.
    package func loadedValue(at index: Int) -> Value? { quickValue(at: index) }
}
