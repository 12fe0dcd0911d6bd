import Glibc
import PinviewGenerations
import PinviewModel
import PinviewStore

/// The values of one object, packed into memory of a language binding: 8 bytes for each property of
/// its entity, then a byte for each that says what is known (`ObjectColumn.State`), then the text
/// of each text attribute with a NUL after it.
package struct ObjectRow {
    /// The context's count of changes for which the row is valid; 0 if it is only valid now.
    package private(set) var version: UInt64 = 0
    /// Whether there are no values, because the object is a fault or there was too little room.
    package private(set) var isEmpty = true
    package private(set) var hasNulls = false
    package private(set) var hasUnknown = false
    /// Whether a text contains a NUL, so that NULs do not separate texts.
    package private(set) var hasNUL = false
    package private(set) var textSize = 0
    private let room: UnsafeMutableRawBufferPointer
    private var texts = 0
    /// How many texts are still to come, each of which needs a NUL.
    private var textsLeft = 0

    package init(room: UnsafeMutableRawBufferPointer) { self.room = room }

    /// Prepares for a number of properties, some of which are texts; false if there is too little
    /// room for anything.
    fileprivate mutating func begin(_ count: Int, textCount: Int) -> Bool {
        textsLeft = textCount
        texts = count * 9
        guard room.count >= texts + textsLeft, let start = room.baseAddress else { return false }
        memset(start, 0, texts)
        return true
    }

    fileprivate mutating func end() { isEmpty = false }
    fileprivate mutating func setVersion(_ version: UInt64) { self.version = version }

    private mutating func note(_ state: UInt8, _ index: Int, of count: Int) { room[count * 8 + index] = state }

    fileprivate mutating func setNull(_ index: Int, of count: Int, isText: Bool) {
        note(ObjectColumn.State.null, index, of: count)
        hasNulls = true
        if isText { appendNUL() }
    }

    fileprivate mutating func setUnknown(isText: Bool) {
        hasUnknown = true
        if isText { appendNUL() }
    }

    fileprivate mutating func set(_ bits: Int64, _ index: Int, of count: Int) {
        room.storeBytes(of: bits, toByteOffset: index * 8, as: Int64.self)
        note(ObjectColumn.State.value, index, of: count)
    }

    /// Stores a text. Texts that exceed the room stay unknown.
    fileprivate mutating func setText(_ bytes: UnsafeRawBufferPointer, _ index: Int, of count: Int) {
        let start = texts + textSize
        guard bytes.count <= room.count - start - textsLeft, let target = room.baseAddress else { return setUnknown(isText: true) }
        if let source = bytes.baseAddress, bytes.count > 0 {
            memcpy(target + start, source, bytes.count)
            if memchr(source, 0, bytes.count) != nil { hasNUL = true }
        }
        set(Int64(textSize) << 32 | Int64(bytes.count), index, of: count)
        textSize += bytes.count
        appendNUL()
    }

    private mutating func appendNUL() {
        room[texts + textSize] = 0
        textSize += 1
        textsLeft -= 1
    }
}

extension ContextState {
    /// Packs the loaded values of a realised object. To-one relationships and values without a
    /// plain layout stay unknown.
    func pack(_ object: ManagedObject, into row: inout ObjectRow) {
        row.setVersion(queue.stableChangeCount ?? 0)
        guard object.flags.isDisjoint(with: [.fault, .invalidated, .inaccessible]) else { return }
        object.unmanagedBinding._withUnsafeGuaranteedRef { binding in
            let count = binding.propertyCount
            guard row.begin(count, textCount: binding.textCount) else { return }
            let alone = object.valuesAlone
            let accesses = alone?.block._withUnsafeGuaranteedRef { binding.accesses(in: $0) }
            for index in 0..<count {
                if let alone, let accesses, row.pack(alone.block, alone.row, accesses[index], index, of: count) { continue }
                packAnything(object, index, of: count, into: &row)
            }
            row.end()
        }
    }

    /// Packs a value that may be elsewhere than in the row.
    @inline(never)
    private func packAnything(_ object: ManagedObject, _ index: Int, of count: Int, into row: inout ObjectRow) {
        let property = object.entity.properties[index], kind = ObjectColumn.kind(of: property)
        guard kind != .reference, kind != .value else { return }
        if case .stored(let stored) = object.committed, case .unloaded = object.slot(index), !property.isTransient {
            row.pack(stored.block, Int(stored.row), column: stored.column(of: property), property.cellKind, index, of: count)
        } else if let value = try? attributeValue(of: object, property) {
            row.pack(value, kind, index, of: count)
        } else {
            row.setUnknown(isText: kind == .text)
        }
    }
}

extension ObjectRow {
    /// Packs a property of a row, as far as it has a plain layout.
    /// - Returns: false if it has no column.
    @inline(__always)
    fileprivate mutating func pack(
        _ block: Unmanaged<RowBlock>, _ row: Int, _ access: EntityBinding.PropertyAccess, _ index: Int, of count: Int
    ) -> Bool {
        let column = Int(access.column)
        guard column >= 0 else { return false }
        switch access.kind {
        case .integer, .boolean, .real, .date, .text:
            block._withUnsafeGuaranteedRef { pack($0, row, column: column, access.kind, index, of: count) }
        case .reference, .decimal, .uuid, .binary, .externalBinary: break
        case .none: return false
        }
        return true
    }

    @inline(__always)
    fileprivate mutating func pack(_ block: RowBlock, _ row: Int, column: Int, _ kind: CellKind, _ index: Int, of count: Int) {
        if kind == .integer, let integer = block.integerInSlot(row: row, column: column) { return set(integer, index, of: count) }
        let cell = block.cell(row: row, column: column)
        withUnsafeMutablePointer(to: &self) { this in
            var sink = Sink(row: this, index: index, count: count, isText: kind == .text)
            if kind.decode(cell.type, cell.bits, bytes: block.bytes(at: cell.bits), into: &sink) { return }
            sink.isValidUTF8 = true
            _ = kind.decodeConverted(cell, in: block, into: &sink)
        }
    }
}

extension ObjectRow {
    /// Packs one cell; false if it must be converted.
    fileprivate struct Sink: CellSink {
        let row: UnsafeMutablePointer<ObjectRow>
        let index: Int
        let count: Int
        let isText: Bool
        var isValidUTF8 = false

        @inline(__always)
        private func put(_ bits: Int64) -> Bool {
            row.pointee.set(bits, index, of: count)
            return true
        }

        func takeNull() -> Bool {
            row.pointee.setNull(index, of: count, isText: isText)
            return true
        }
        func take(integer: Int64) -> Bool { put(integer) }
        func take(boolean: Bool) -> Bool { put(boolean ? 1 : 0) }
        func take(real: Double) -> Bool { put(Int64(bitPattern: real.bitPattern)) }
        func take(date: Double) -> Bool { put(Int64(bitPattern: date.bitPattern)) }
        func take(text: UnsafeRawBufferPointer) -> Bool {
            guard isValidUTF8 || UTF8Check.isValid(text) else { return false }
            row.pointee.setText(text, index, of: count)
            return true
        }
        func take(binary: UnsafeRawBufferPointer) -> Bool { false }
        func take(reference: Int64) -> Bool { false }
        func takeOther() -> Bool { false }
    }
}

extension ObjectRow {
    fileprivate mutating func pack(_ value: Value, _ kind: ObjectColumn.Kind, _ index: Int, of count: Int) {
        switch (kind, value) {
        case (_, .null): setNull(index, of: count, isText: kind == .text)
        case (.integer, .integer(let number)): set(number, index, of: count)
        case (.boolean, .boolean(let flag)): set(flag ? 1 : 0, index, of: count)
        case (.real, .double(let number)): set(Int64(bitPattern: number.bitPattern), index, of: count)
        case (.date, .date(let date)): set(Int64(bitPattern: date.timeIntervalSinceReferenceDate.bitPattern), index, of: count)
        case (.text, .string(var text)): text.withUTF8 { bytes in setText(UnsafeRawBufferPointer(bytes), index, of: count) }
        // A transient attribute may hold values of another type.
        default: setUnknown(isText: kind == .text)
        }
    }
}

extension ManagedObjectContext {
    /// The object of an ID, named in one of some blocks or in a new one, with its loaded values
    /// packed.
    ///
    /// - Parameter isLoaded: whether to load its values, as `existingObject` does; otherwise the
    ///   object is the one that `object(with:)` returns.
    package func object(
        with objectID: ManagedObjectID, isLoaded: Bool, in blocks: [ObjectBlock], into row: inout ObjectRow
    ) throws(PinviewError) -> (name: UInt64, new: ObjectBlock?) {
        try state.enter(isReading: true)
        defer { state.leaveReading() }
        let object = isLoaded ? try state.existingObject(with: objectID) : try state.object(with: objectID)
        state.pack(object, into: &row)
        return ObjectBlock.name(object, in: blocks)
    }
}

extension ManagedObjectContext {
    /// Inserts one object and fills it, names it in one of some blocks or in a new one, and packs
    /// its values. The parameters are those of `insertNewObjects`, for its only row.
    package func insertNewObject(
        forEntityName entityName: String, properties find: (ManagedObject) throws(PinviewError) -> [Property],
        usualValue: (_ place: Int) -> Value?, set: (ManagedObject, Property, _ place: Int) throws(PinviewError) -> Void,
        in blocks: [ObjectBlock], into row: inout ObjectRow
    ) throws(PinviewError) -> (object: ManagedObject, name: UInt64, new: ObjectBlock?) {
        // Nobody else can name it before this call has.
        let (object, named) = try call { (_) throws(PinviewError) -> (ManagedObject, (name: UInt64, new: ObjectBlock?)) in
            let object = try insertNewObjects(
                forEntityName: entityName, count: 1, properties: find, fill: { _, _, _ in 0 },
                usualValue: { place, _ in usualValue(place) },
                set: { (object, property, place, _) throws(PinviewError) in try set(object, property, place) })[0]
            return (object, ObjectBlock.name(object, in: blocks))
        }
        // The object is there and has its name, whatever another thread has done to the context
        // since. Without values, the caller reads them when it needs them.
        guard (try? state.enter(isReading: true)) != nil else { return (object, named.name, named.new) }
        defer { state.leaveReading() }
        state.pack(object, into: &row)
        return (object, named.name, named.new)
    }
}

extension ObjectBlock {
    /// Packs one object, firing it if it is a fault.
    package func read(at place: Int, into row: inout ObjectRow) throws(PinviewError) {
        let object = try requiredObject(at: place)
        try object.read { (state) throws(PinviewError) in
            try state.requireUsable(object)
            try state.fire(object)
            state.pack(object, into: &row)
        }
    }

    /// Names the destination of a to-one relationship in one of some blocks or in a new one, and
    /// packs its loaded values.
    /// - Returns: nil if there is no destination.
    package func readDestination(
        of property: Property, at place: Int, in blocks: [ObjectBlock], into row: inout ObjectRow
    ) throws(PinviewError) -> (name: UInt64, new: ObjectBlock?)? {
        let object = try requiredObject(at: place)
        return try object.relatedObject(at: property.index)?.read(in: blocks, into: &row)
    }
}

extension ManagedObject {
    /// Names the object in one of some blocks or in a new one, and packs its loaded values.
    package func read(
        in blocks: [ObjectBlock], into row: inout ObjectRow
    ) throws(PinviewError) -> (name: UInt64, new: ObjectBlock?) {
        try read { (state) throws(PinviewError) in state.pack(self, into: &row) }
        return ObjectBlock.name(self, in: blocks)
    }
}
