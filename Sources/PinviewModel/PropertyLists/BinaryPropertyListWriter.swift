extension PropertyListValue {
    /// The value as a binary property list (`bplist00`). Dictionaries are written with sorted keys:
    /// one value, one text.
    package func binaryPropertyList() -> [UInt8] {
        var writer = BinaryPropertyListWriter()
        writer.number(self)
        return writer.finish()
    }
}

private struct BinaryPropertyListWriter {
    /// An object with the numbers of its parts, which come after it.
    private enum Node {
        case scalar(PropertyListValue)
        case array([Int])
        case set([Int])
        case dictionary(keys: [Int], values: [Int])
    }

    private var nodes: [Node] = []
    /// Equal strings are written once: keys repeat.
    private var strings: [String: Int] = [:]
    private var bytes: [UInt8] = []

    @discardableResult mutating func number(_ value: PropertyListValue) -> Int {
        if case .string(let text) = value {
            if let known = strings[text], case .scalar(.string(let same)) = nodes[known], same.utf8.elementsEqual(text.utf8) {
                return known
            }
            strings[text] = nodes.count
        }
        let index = nodes.count
        nodes.append(.scalar(value))
        switch value {
        case .array(let elements): nodes[index] = .array(elements.map { number($0) })
        case .set(let elements): nodes[index] = .set(elements.map { number($0) })
        case .dictionary(let members):
            let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            let keys = sorted.map { number(.string($0.key)) }
            nodes[index] = .dictionary(keys: keys, values: sorted.map { number($0.value) })
        default: break
        }
        return index
    }

    mutating func finish() -> [UInt8] {
        bytes = Array("bplist00".utf8)
        let referenceSize = Self.size(of: nodes.count)
        var offsets: [Int] = []
        for node in nodes {
            offsets.append(bytes.count)
            switch node {
            case .scalar(let value): write(value)
            case .array(let elements): write(0xA0, elements, count: elements.count, referenceSize)
            case .set(let elements): write(0xC0, elements, count: elements.count, referenceSize)
            case .dictionary(let keys, let values): write(0xD0, keys + values, count: keys.count, referenceSize)
            }
        }
        let table = bytes.count
        let offsetSize = Self.size(of: table)
        for offset in offsets { append(UInt64(offset), size: offsetSize) }
        bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
        append(UInt64(nodes.count), size: 8)
        append(0, size: 8)
        append(UInt64(table), size: 8)
        return bytes
    }

    private static func size(of largest: Int) -> Int {
        largest < 1 << 8 ? 1 : largest < 1 << 16 ? 2 : largest < 1 << 32 ? 4 : 8
    }

    private mutating func append(_ value: UInt64, size: Int) {
        for shift in (0..<size).reversed() { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(shift * 8))) }
    }

    private mutating func write(_ marker: UInt8, _ references: [Int], count: Int, _ referenceSize: Int) {
        writeMarker(marker, count: count)
        for reference in references { append(UInt64(reference), size: referenceSize) }
    }

    private mutating func writeMarker(_ marker: UInt8, count: Int) {
        if count < 15 {
            bytes.append(marker | UInt8(count))
        } else {
            bytes.append(marker | 0x0F)
            writeInteger(UInt64(count))
        }
    }

    /// In 1, 2, 4 bytes unsigned or 8 bytes signed.
    private mutating func writeInteger(_ value: UInt64) {
        let exponent: UInt8 = value < 1 << 8 ? 0 : value < 1 << 16 ? 1 : value < 1 << 32 ? 2 : 3
        bytes.append(0x10 | exponent)
        append(value, size: 1 << Int(exponent))
    }

    private mutating func write(_ value: PropertyListValue) {
        switch value {
        case .null: bytes.append(0x00)
        case .boolean(let flag): bytes.append(flag ? 0x09 : 0x08)
        case .integer(let integer): writeInteger(UInt64(bitPattern: integer))
        case .unsigned(let integer):
            guard integer > UInt64(Int64.max) else { return writeInteger(integer) }
            bytes.append(0x14)
            append(0, size: 8)
            append(integer, size: 8)
        case .real(let real):
            bytes.append(0x23)
            append(real.bitPattern, size: 8)
        case .date(let seconds):
            bytes.append(0x33)
            append(seconds.bitPattern, size: 8)
        case .data(let data):
            writeMarker(0x40, count: data.count)
            bytes += data
        case .string(let text): write(text)
        case .uid(let uid):
            let size = Self.size(of: Int(clamping: uid))
            bytes.append(0x80 | UInt8(size - 1))
            append(uid, size: size)
        case .array, .set, .dictionary: break  // these are nodes of their own
        }
    }

    private mutating func write(_ text: String) {
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            writeMarker(0x50, count: text.utf8.count)
            bytes += text.utf8
        } else {
            let units = Array(text.utf16)
            writeMarker(0x60, count: units.count)
            for unit in units { append(UInt64(unit), size: 2) }
        }
    }
}
