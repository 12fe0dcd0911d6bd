extension PropertyListValue {
    /// Reads a binary property list (`bplist00`).
    /// - Throws: for bytes that are not a property list, that refer to themselves, or that describe
    ///   more than a million values.
    package init(binary bytes: [UInt8]) throws(PropertyListError) {
        var reader = try BinaryPropertyListReader(bytes)
        self = try reader.top()
    }
}

/// The format: a header, the objects, a table of their offsets, and 32 bytes that say where the
/// table is.
private struct BinaryPropertyListReader {
    private static let header = Array("bplist0".utf8)
    private static let trailerSize = 32
    private static let maximumDepth = 512
    /// Counts shared parts as often as they occur, so that a few bytes cannot stand for a list
    /// without end.
    private static let maximumCount = 1_000_000

    private let bytes: [UInt8]
    private let offsets: [Int]
    private let referenceSize: Int
    private let topObject: Int
    /// Where the objects end.
    private let objectsEnd: Int
    private var known: [Int: (value: PropertyListValue, count: Int)] = [:]
    private var open: Set<Int> = []

    init(_ bytes: [UInt8]) throws(PropertyListError) {
        guard bytes.count >= 8 + Self.trailerSize + 1, bytes.starts(with: Self.header) else {
            throw PropertyListError(description: "it does not begin with 'bplist00'")
        }
        self.bytes = bytes
        let trailer = bytes.count - Self.trailerSize
        let offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
            let objectCount = Self.integer(bytes, at: trailer + 8, size: 8), let top = Self.integer(bytes, at: trailer + 16, size: 8),
            let table = Self.integer(bytes, at: trailer + 24, size: 8)
        else { throw PropertyListError(description: "its trailer is damaged") }
        let (tableSize, overflow) = objectCount.multipliedReportingOverflow(by: offsetSize)
        guard !overflow, table >= 8, table < trailer, tableSize <= trailer - table, top < objectCount else {
            throw PropertyListError(description: "its trailer points outside of it")
        }
        topObject = top
        objectsEnd = table
        var offsets: [Int] = []
        offsets.reserveCapacity(objectCount)
        for index in 0..<objectCount {
            guard let offset = Self.integer(bytes, at: table + index * offsetSize, size: offsetSize), offset >= 8, offset < table else {
                throw PropertyListError(description: "the offset of object \(index) points outside of it")
            }
            offsets.append(offset)
        }
        self.offsets = offsets
    }

    mutating func top() throws(PropertyListError) -> PropertyListValue {
        try value(topObject, depth: 0).value
    }

    /// An unsigned big-endian integer; nil beyond the bytes and beyond `Int`.
    private static func integer(_ bytes: [UInt8], at position: Int, size: Int) -> Int? {
        guard position >= 0, size <= bytes.count, position <= bytes.count - size else { return nil }
        var value: UInt64 = 0
        for byte in bytes[position..<position + size] { value = value << 8 | UInt64(byte) }
        return Int(exactly: value)
    }

    private mutating func value(_ index: Int, depth: Int) throws(PropertyListError) -> (value: PropertyListValue, count: Int) {
        if let found = known[index] { return found }
        guard offsets.indices.contains(index) else {
            throw PropertyListError(description: "it refers to object \(index), which does not exist")
        }
        guard depth < Self.maximumDepth, open.insert(index).inserted else {
            throw PropertyListError(description: "object \(index) contains itself or is nested too deeply")
        }
        let read = try object(at: offsets[index], depth: depth)
        open.remove(index)
        known[index] = read
        return read
    }

    private mutating func object(at offset: Int, depth: Int) throws(PropertyListError) -> (value: PropertyListValue, count: Int) {
        let marker = bytes[offset]
        let low = Int(marker & 0x0F)
        switch marker >> 4 {
        case 0x0:
            switch low {
            case 0x0: return (.null, 1)
            case 0x8: return (.boolean(false), 1)
            case 0x9: return (.boolean(true), 1)
            default: throw unknown(marker, offset)
            }
        case 0x1: return (try integer(at: offset + 1, size: 1 << low), 1)
        case 0x2: return (.real(try real(at: offset + 1, size: 1 << low)), 1)
        case 0x3: return (.date(try real(at: offset + 1, size: 8)), 1)
        case 0x4: return (.data(Array(try slice(at: offset, unit: 1))), 1)
        case 0x5:
            let ascii = try slice(at: offset, unit: 1)
            guard ascii.allSatisfy({ $0 < 0x80 }) else { throw PropertyListError(description: "a string at \(offset) is not ASCII") }
            return (.string(String(decoding: ascii, as: UTF8.self)), 1)
        case 0x6: return (.string(try utf16(at: offset)), 1)
        case 0x8:
            guard low < 8 else { throw unknown(marker, offset) }
            return (.uid(try unsigned(at: offset + 1, size: low + 1)), 1)
        case 0xA, 0xC:
            let (elements, count) = try elements(at: offset, depth: depth)
            return (marker >> 4 == 0xA ? .array(elements) : .set(elements), count)
        case 0xD: return try dictionary(at: offset, depth: depth)
        default: throw unknown(marker, offset)
        }
    }

    private func unknown(_ marker: UInt8, _ offset: Int) -> PropertyListError {
        PropertyListError(description: "there is an unknown kind of object (\(marker)) at \(offset)")
    }

    private func truncated(_ offset: Int) -> PropertyListError {
        PropertyListError(description: "the object at \(offset) is cut off")
    }

    // MARK: Scalars

    private func unsigned(at position: Int, size: Int) throws(PropertyListError) -> UInt64 {
        guard position <= objectsEnd, size <= objectsEnd - position else { throw truncated(position) }
        var value: UInt64 = 0
        for byte in bytes[position..<position + size] { value = value << 8 | UInt64(byte) }
        return value
    }

    private func integer(at position: Int, size: Int) throws(PropertyListError) -> PropertyListValue {
        switch size {
        // Shorter ones are unsigned.
        case 1, 2, 4: return .integer(Int64(bitPattern: try unsigned(at: position, size: size)))
        case 8: return .integer(Int64(bitPattern: try unsigned(at: position, size: 8)))
        case 16:
            let high = try unsigned(at: position, size: 8)
            let low = try unsigned(at: position + 8, size: 8)
            if high == 0 { return low > UInt64(Int64.max) ? .unsigned(low) : .integer(Int64(bitPattern: low)) }
            guard high == UInt64.max, low > UInt64(Int64.max) else {
                throw PropertyListError(description: "an integer does not fit into 64 bits")
            }
            return .integer(Int64(bitPattern: low))
        default: throw PropertyListError(description: "there is an integer of \(size) bytes at \(position)")
        }
    }

    private func real(at position: Int, size: Int) throws(PropertyListError) -> Double {
        switch size {
        case 4: return Double(Float(bitPattern: UInt32(truncatingIfNeeded: try unsigned(at: position, size: 4))))
        case 8: return Double(bitPattern: try unsigned(at: position, size: 8))
        default: throw PropertyListError(description: "there is a real of \(size) bytes at \(position)")
        }
    }

    // MARK: Things with a length

    /// The length in the low half of the marker, or in an integer after it.
    private func length(at offset: Int) throws(PropertyListError) -> (count: Int, start: Int) {
        let low = Int(bytes[offset] & 0x0F)
        guard low == 0x0F else { return (low, offset + 1) }
        guard offset + 1 < objectsEnd, bytes[offset + 1] >> 4 == 0x1, bytes[offset + 1] & 0x0F <= 3 else { throw truncated(offset) }
        let size = 1 << Int(bytes[offset + 1] & 0x0F)
        guard let count = Int(exactly: try unsigned(at: offset + 2, size: size)) else { throw truncated(offset) }
        return (count, offset + 2 + size)
    }

    private func slice(at offset: Int, unit: Int) throws(PropertyListError) -> ArraySlice<UInt8> {
        let (count, start) = try length(at: offset)
        let (size, overflow) = count.multipliedReportingOverflow(by: unit)
        guard !overflow, start <= objectsEnd, size <= objectsEnd - start else { throw truncated(offset) }
        return bytes[start..<start + size]
    }

    private func utf16(at offset: Int) throws(PropertyListError) -> String {
        let encoded = try slice(at: offset, unit: 2)
        var units: [UInt16] = []
        units.reserveCapacity(encoded.count / 2)
        var position = encoded.startIndex
        while position < encoded.endIndex {
            units.append(UInt16(encoded[position]) << 8 | UInt16(encoded[position + 1]))
            position += 2
        }
        guard let text = String(validating: units, as: UTF16.self) else {
            throw PropertyListError(description: "the string at \(offset) is not UTF-16")
        }
        return text
    }

    // MARK: Collections

    private func references(at offset: Int, perElement: Int) throws(PropertyListError) -> [Int] {
        let encoded = try slice(at: offset, unit: perElement * referenceSize)
        var references: [Int] = []
        references.reserveCapacity(encoded.count / referenceSize)
        var position = encoded.startIndex
        while position < encoded.endIndex {
            guard let reference = Self.integer(bytes, at: position, size: referenceSize) else { throw truncated(offset) }
            references.append(reference)
            position += referenceSize
        }
        return references
    }

    private mutating func elements(at offset: Int, depth: Int) throws(PropertyListError) -> ([PropertyListValue], Int) {
        var elements: [PropertyListValue] = []
        var count = 1
        for reference in try references(at: offset, perElement: 1) {
            let element = try value(reference, depth: depth + 1)
            count = try adding(element.count, to: count)
            elements.append(element.value)
        }
        return (elements, count)
    }

    private mutating func dictionary(at offset: Int, depth: Int) throws(PropertyListError) -> (PropertyListValue, Int) {
        let references = try references(at: offset, perElement: 2)
        let half = references.count / 2
        var members: [String: PropertyListValue] = [:]
        var count = 1
        for index in 0..<half {
            guard case .string(let key) = try value(references[index], depth: depth + 1).value else {
                throw PropertyListError(description: "the dictionary at \(offset) has a key that is not a string")
            }
            let member = try value(references[half + index], depth: depth + 1)
            count = try adding(member.count, to: count)
            guard members.updateValue(member.value, forKey: key) == nil else {
                throw PropertyListError(description: "the dictionary at \(offset) has the key '\(key)' twice")
            }
        }
        return (.dictionary(members), count)
    }

    private func adding(_ more: Int, to count: Int) throws(PropertyListError) -> Int {
        guard more <= Self.maximumCount - count else {
            throw PropertyListError(description: "it describes more than \(Self.maximumCount) values")
        }
        return count + more
    }
}
