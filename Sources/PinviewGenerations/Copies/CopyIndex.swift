import Glibc

/// The file `…-index` of a detached copy. It names the store and the generations that the copy
/// contains, and holds their part of the WAL-index, so that other processes can read them. In the
/// machine's byte order, like shared memory:
///
/// | bytes | what |
/// | --- | --- |
/// | 0–7 | `PinvCopy` |
/// | 8–11 | version of the format: 1 |
/// | 12–15 | page size |
/// | 16–31 | device and inode of the store, 8 bytes each |
/// | 32–35 | frames in the copied journal |
/// | 36–39 | regions |
/// | 40–43 | generations |
/// | 44–47 | 0 |
/// | 48–55 | checksum over all other bytes, as words of 8 bytes, by FNV-1a |
/// | 56–63 | 0 |
/// | 64 on | per generation 48 bytes of WAL-index header, 4 bytes of read mark, 12 bytes of 0 |
/// | then | regions of 32,768 bytes each, as in the WAL-index |
struct CopyIndex {
    static let version: UInt32 = 1
    static let headerSize = 64, entrySize = 64, checksumOffset = 48
    private static let magic = Array("PinvCopy".utf8)

    struct Entry {
        let header: WALHeader
        let slot: Int
    }

    let pageSize: Int
    let device: UInt64, inode: UInt64
    let frames: UInt32
    let entries: [Entry]

    /// The file's content.
    func encoded(with regions: IndexRegions) -> [UInt8] {
        let regionsOffset = Self.headerSize + entries.count * Self.entrySize
        let size = regionsOffset + regions.bytes.count
        return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            bytes.initializeMemory(as: UInt8.self, repeating: 0)
            bytes.copyBytes(from: Self.magic)
            bytes.storeBytes(of: Self.version, toByteOffset: 8, as: UInt32.self)
            bytes.storeBytes(of: UInt32(pageSize), toByteOffset: 12, as: UInt32.self)
            bytes.storeBytes(of: device, toByteOffset: 16, as: UInt64.self)
            bytes.storeBytes(of: inode, toByteOffset: 24, as: UInt64.self)
            bytes.storeBytes(of: frames, toByteOffset: 32, as: UInt32.self)
            bytes.storeBytes(of: UInt32(regions.count), toByteOffset: 36, as: UInt32.self)
            bytes.storeBytes(of: UInt32(entries.count), toByteOffset: 40, as: UInt32.self)
            for (number, entry) in entries.enumerated() {
                let offset = Self.headerSize + number * Self.entrySize
                bytes.storeBytes(of: entry.header, toByteOffset: offset, as: WALHeader.self)
                bytes.storeBytes(of: UInt32(entry.slot), toByteOffset: offset + 48, as: UInt32.self)
            }
            UnsafeMutableRawBufferPointer(rebasing: bytes[regionsOffset...]).copyMemory(from: regions.bytes)
            bytes.storeBytes(of: Self.checksum(UnsafeRawBufferPointer(bytes)), toByteOffset: Self.checksumOffset, as: UInt64.self)
            count = size
        }
    }

    /// - Returns: nil if the bytes are not a complete index file.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.headerSize, bytes.count % 8 == 0, bytes.prefix(8).elementsEqual(Self.magic),
            bytes.load(fromByteOffset: 8, as: UInt32.self) == Self.version,
            bytes.load(fromByteOffset: Self.checksumOffset, as: UInt64.self) == Self.checksum(bytes)
        else { return nil }
        pageSize = Int(bytes.load(fromByteOffset: 12, as: UInt32.self))
        device = bytes.load(fromByteOffset: 16, as: UInt64.self)
        inode = bytes.load(fromByteOffset: 24, as: UInt64.self)
        frames = bytes.load(fromByteOffset: 32, as: UInt32.self)
        let regions = Int(bytes.load(fromByteOffset: 36, as: UInt32.self)), count = Int(bytes.load(fromByteOffset: 40, as: UInt32.self))
        guard regions == IndexRegions.count(forFrames: frames),
            bytes.count == Self.headerSize + count * Self.entrySize + regions * WALIndex.regionSize
        else { return nil }
        entries = (0..<count).map { number in
            let offset = Self.headerSize + number * Self.entrySize
            return Entry(
                header: bytes.load(fromByteOffset: offset, as: WALHeader.self),
                slot: Int(bytes.load(fromByteOffset: offset + 48, as: UInt32.self)))
        }
    }

    init(pageSize: Int, device: UInt64, inode: UInt64, frames: UInt32, entries: [Entry]) {
        self.pageSize = pageSize
        self.device = device
        self.inode = inode
        self.frames = frames
        self.entries = entries
    }

    private static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var sum: UInt64 = 0xcbf2_9ce4_8422_2325
        for offset in stride(from: 0, to: bytes.count, by: 8) where offset != checksumOffset {
            sum = (sum ^ bytes.load(fromByteOffset: offset, as: UInt64.self)) &* 0x100_0000_01b3
        }
        return sum
    }
}
