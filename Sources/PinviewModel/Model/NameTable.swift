/// A hash table from a fixed list of names to their positions. It is searched by UTF-8 bytes
/// without allocating, several times as fast as a dictionary of strings: every access by name needs
/// it.
final class NameTable: @unchecked Sendable {  // immutable
    private struct Slot {
        var hash: UInt64 = 0
        /// The offset and length of the name in `bytes`.
        var start: UInt32 = 0
        var length: UInt32 = 0
        /// −1 marks an empty slot.
        var index: Int32 = -1
    }

    /// Open addressing; a power of two in size, at most half full.
    private let slots: UnsafeMutablePointer<Slot>
    private let mask: Int
    private let bytes: UnsafeMutablePointer<UInt8>

    /// - Parameter names: without duplicates.
    init(_ names: [String]) {
        var size = 4
        while size < names.count * 2 { size *= 2 }
        mask = size - 1
        slots = .allocate(capacity: size)
        slots.initialize(repeating: Slot(), count: size)
        bytes = .allocate(capacity: max(1, names.reduce(0) { $0 + $1.utf8.count }))
        var end = 0
        for (index, name) in names.enumerated() {
            let start = end
            for byte in name.utf8 {
                (bytes + end).initialize(to: byte)
                end += 1
            }
            let hash = Self.quickHash(UnsafeBufferPointer(start: bytes + start, count: end - start))
            var position = Int(truncatingIfNeeded: hash) & mask
            while slots[position].index >= 0 { position = (position + 1) & mask }
            slots[position] = Slot(
                hash: hash, start: UInt32(truncatingIfNeeded: start), length: UInt32(truncatingIfNeeded: end - start),
                index: Int32(truncatingIfNeeded: index))
        }
    }

    deinit {
        slots.deallocate()
        bytes.deallocate()
    }

    func index(of name: String) -> Int? {
        var name = name
        return name.withUTF8 { index(of: $0) }
    }

    func index(of name: UnsafeBufferPointer<UInt8>) -> Int? {
        let hash = Self.quickHash(name)
        var position = Int(truncatingIfNeeded: hash) & mask
        while true {
            let slot = slots + position
            if slot.pointee.index < 0 { return nil }
            if slot.pointee.hash == hash, Int(slot.pointee.length) == name.count, isEqual(bytes + Int(slot.pointee.start), name) {
                return Int(slot.pointee.index)
            }
            position = (position + 1) & mask
        }
    }

    private func isEqual(_ own: UnsafeMutablePointer<UInt8>, _ name: UnsafeBufferPointer<UInt8>) -> Bool {
        let own = UnsafeRawPointer(own), name = UnsafeRawBufferPointer(name)
        var position = 0
        while position + 8 <= name.count {
            if own.loadUnaligned(fromByteOffset: position, as: UInt64.self) != name.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            {
                return false
            }
            position += 8
        }
        while position < name.count {
            if own.load(fromByteOffset: position, as: UInt8.self) != name[position] { return false }
            position += 1
        }
        return true
    }

    /// Reads eight bytes at a time; the last word may overlap the one before.
    private static func quickHash(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
        let raw = UnsafeRawBufferPointer(bytes), count = raw.count
        var hash = UInt64(truncatingIfNeeded: count)
        func add(_ word: UInt64) {
            hash = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
            hash ^= hash >> 32
        }
        switch count {
        case 8...:
            var position = 0
            while position + 8 < count {
                add(raw.loadUnaligned(fromByteOffset: position, as: UInt64.self))
                position += 8
            }
            add(raw.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self))
        case 4...:
            let first = UInt64(raw.loadUnaligned(as: UInt32.self))
            add(first << 32 | UInt64(raw.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self)))
        default:
            var word: UInt64 = 0
            for byte in raw { word = word << 8 | UInt64(byte) }
            add(word)
        }
        return hash
    }

    /// FNV-1a with a final mix.
    static func hash(of name: String) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in name.utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        return hash ^ (hash >> 32)
    }
}
