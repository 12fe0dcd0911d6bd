/// Finds the position of a name among a fixed list, by its UTF-8 bytes and without allocating: several times as fast as a
/// dictionary of strings, and keys are looked up on every access by name.
struct NameTable: Sendable {
    private struct Slot {
        let hash: UInt64
        let index: Int32
    }

    private let names: [[UInt8]]
    /// Open addressing; a power of two in size, at most half full. Index -1: empty.
    private let slots: [Slot]

    /// - Parameter names: without duplicates.
    init(_ names: [String]) {
        self.names = names.map { Array($0.utf8) }
        var size = 4
        while size < names.count * 2 { size *= 2 }
        var slots = [Slot](repeating: Slot(hash: 0, index: -1), count: size)
        for (index, name) in names.enumerated() {
            let hash = Self.hash(of: name)
            var position = Int(truncatingIfNeeded: hash) & (size - 1)
            while slots[position].index >= 0 { position = (position + 1) & (size - 1) }
            slots[position] = Slot(hash: hash, index: Int32(truncatingIfNeeded: index))
        }
        self.slots = slots
    }

    func index(of name: String) -> Int? {
        var name = name
        return name.withUTF8 { index(of: $0) }
    }

    func index(of bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        let hash = Self.hash(of: bytes)
        let mask = slots.count - 1
        var position = Int(truncatingIfNeeded: hash) & mask
        while true {
            let slot = slots[position]
            if slot.index < 0 { return nil }
            if slot.hash == hash, isEqual(names[Int(slot.index)], bytes) { return Int(slot.index) }
            position = (position + 1) & mask
        }
    }

    private func isEqual(_ name: [UInt8], _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard name.count == bytes.count else { return false }
        for position in 0..<name.count where name[position] != bytes[position] { return false }
        return true
    }

    static func hash(of name: String) -> UInt64 {
        var name = name
        return name.withUTF8 { hash(of: $0) }
    }

    /// FNV-1a with a final mix, for the low bits choose the slot.
    private static func hash(of bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        return hash ^ (hash >> 32)
    }
}
