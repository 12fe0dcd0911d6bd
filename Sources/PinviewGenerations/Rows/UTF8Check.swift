/// Validates UTF-8 as defined by Unicode.
package enum UTF8Check {
    static func isASCII(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Bool {
        let raw = UnsafeRawPointer(bytes)
        var position = 0
        while position + 32 <= count {
            let words =
                raw.loadUnaligned(fromByteOffset: position, as: UInt64.self)
                | raw.loadUnaligned(fromByteOffset: position + 8, as: UInt64.self)
                | raw.loadUnaligned(fromByteOffset: position + 16, as: UInt64.self)
                | raw.loadUnaligned(fromByteOffset: position + 24, as: UInt64.self)
            guard words & 0x8080_8080_8080_8080 == 0 else { return false }
            position += 32
        }
        while position + 8 <= count {
            guard raw.loadUnaligned(fromByteOffset: position, as: UInt64.self) & 0x8080_8080_8080_8080 == 0 else { return false }
            position += 8
        }
        if position == count { return true }
        // The last eight bytes, some of which have been checked already.
        if count >= 8 { return raw.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self) & 0x8080_8080_8080_8080 == 0 }
        while position < count {
            guard bytes[position] < 0x80 else { return false }
            position += 1
        }
        return true
    }

    package static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return true }
        return isValid(start, bytes.count)
    }

    static func isValid(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Bool {
        // The usual case.
        if isASCII(bytes, count) { return true }
        var position = 0
        while position < count {
            let lead = bytes[position]
            guard lead >= 0x80 else {
                position += 1
                continue
            }
            // Only the range of the second byte depends on the first (Unicode, table 3-7).
            let length: Int
            var lowest: UInt8 = 0x80, highest: UInt8 = 0xbf
            switch lead {
            case 0xc2...0xdf: length = 2
            case 0xe0: (length, lowest) = (3, 0xa0)
            case 0xed: (length, highest) = (3, 0x9f)
            case 0xe1...0xef: length = 3
            case 0xf0: (length, lowest) = (4, 0x90)
            case 0xf4: (length, highest) = (4, 0x8f)
            case 0xf1...0xf3: length = 4
            default: return false
            }
            guard position + length <= count, bytes[position + 1] >= lowest, bytes[position + 1] <= highest else { return false }
            for following in 2..<max(length, 2) where bytes[position + following] & 0xc0 != 0x80 { return false }
            position += length
        }
        return true
    }
}
