import CPinview
import Pinview

extension pinview_value {
    /// A cell of a row as a C value. Texts and data are copied to the arena.
    @inline(__always)
    init(_ cell: RowCell, _ kind: ValueReader.Kind, _ arena: Arena) {
        switch kind {
        case .text:
            self.init()
            type = PINVIEW_VALUE_STRING
            let copy = arena.store(cell.bytes)
            `as`.string = pinview_string(data: copy.map { UnsafePointer($0.assumingMemoryBound(to: CChar.self)) }, size: cell.byteCount)
        case .binary:
            self.init()
            type = PINVIEW_VALUE_BINARY
            let copy = arena.store(cell.bytes)
            `as`.binary = pinview_binary(data: copy.map { UnsafePointer($0.assumingMemoryBound(to: UInt8.self)) }, size: cell.byteCount)
        case .null, .other, .integer, .double, .date, .boolean: self.init(PlainNumber(kind: kind, bits: cell.integer))
        }
    }

    @inline(__always)
    init(_ number: PlainNumber) {
        self.init()
        switch number.kind {
        case .integer:
            type = PINVIEW_VALUE_INTEGER
            `as`.integer = number.bits
        case .double:
            type = PINVIEW_VALUE_DOUBLE
            `as`.real = Double(bitPattern: UInt64(bitPattern: number.bits))
        case .date:
            type = PINVIEW_VALUE_DATE
            `as`.real = Double(bitPattern: UInt64(bitPattern: number.bits))
        case .boolean:
            type = PINVIEW_VALUE_BOOLEAN
            `as`.boolean = number.bits != 0 ? 1 : 0
        case .null, .text, .binary, .other: type = PINVIEW_VALUE_NULL
        }
    }

    /// Whether the value needs memory besides the struct.
    var needsMemory: Bool {
        switch type {
        case PINVIEW_VALUE_STRING, PINVIEW_VALUE_BINARY, PINVIEW_VALUE_DECIMAL, PINVIEW_VALUE_OBJECT_ID: true
        default: false
        }
    }
}

extension ManagedObject {
    /// Copies the values of properties for a C caller. Their texts and data replace the content of
    /// the arena.
    func giveValues(
        at indexes: UnsafeBufferPointer<Int32>, to out: UnsafeMutablePointer<pinview_value>?, _ arena: Arena
    ) throws(PinviewError) {
        if indexes.isEmpty { return }
        let out = try require(out, "out")
        indexes.clear(out, arena)
        var copier = ValueCopier(indexes, arena)
        try copier.copy(self, to: out)
    }

    /// Copies the values of properties that are in the object's row. From then on, numbers can be
    /// read without waiting.
    ///
    /// - Returns: false if values have to be loaded or converted.
    func copyLoadedValues(
        at indexes: UnsafeBufferPointer<Int32>, to out: UnsafeMutablePointer<pinview_value>, _ arena: Arena
    ) throws(PinviewError) -> Bool {
        indexes.clear(out, arena)
        for position in indexes.indices {
            guard let value = loadedValue(at: Int(indexes[position])) else { return false }
            out[position] = try pinview_value(value, arena)
        }
        return true
    }
}

extension UnsafeBufferPointer<Int32> {
    /// Sets the values of properties to null, so that they refer to nothing in the arena.
    fileprivate func clear(_ values: UnsafeMutablePointer<pinview_value>, _ arena: Arena) {
        arena.reset()
        for position in indices { values[position] = pinview_value() }
    }
}

/// Copies the values of the same properties of objects for a C caller.
struct ValueCopier: ~Copyable {
    private let indexes: UnsafeBufferPointer<Int32>
    private let arena: Arena
    /// Made for the first object that has more than numbers: for a few numbers, planning how to read
    /// them costs more than reading them.
    private var reader: ValueReader?

    /// - Parameter indexes: indexes of properties. They must outlive the copier.
    init(_ indexes: UnsafeBufferPointer<Int32>, _ arena: Arena) { (self.indexes, self.arena) = (indexes, arena) }

    /// Copies the values of one object, firing it if it is a fault.
    mutating func copy(_ object: ManagedObject, to out: UnsafeMutablePointer<pinview_value>) throws(PinviewError) {
        if reader == nil {
            if object.giveNumbers(at: indexes, take: { out[$0] = pinview_value($1) }) { return }
            reader = ValueReader(indexes)
        }
        try reader?.read(object) { [arena] position, kind, cell in
            out[position] = pinview_value(cell, kind, arena)
        } makeValue: { [arena] (position, property) throws(PinviewError) in
            out[position] = try pinview_value(try object.plainValue(of: property), arena)
        }
    }
}
