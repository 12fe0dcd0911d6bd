internal import CPlatform

/// The header of a WAL-index at one moment: 48 bytes with the layout of shared memory.
struct WALHeader: Equatable {
    var version: UInt32 = 0
    /// Unused by SQLite, but compared by it.
    var serial: UInt32 = 0
    /// Counts the commits of all processes, across restarts of the journal, until a recovery.
    var change: UInt32 = 0
    /// Initialization flag, byte order of the checksums, and page size.
    var format: UInt32 = 0
    /// The last valid frame.
    var frame: UInt32 = 0
    var pageCount: UInt32 = 0
    var frameChecksum1: UInt32 = 0, frameChecksum2: UInt32 = 0
    var salt1: UInt32 = 0, salt2: UInt32 = 0
    var checksum1: UInt32 = 0, checksum2: UInt32 = 0

    /// The only version of the format since SQLite 3.7.0.
    static let knownVersion: UInt32 = 3_007_000

    init() {}

    init(at memory: UnsafeRawPointer) {
        func word(_ index: Int) -> UInt32 { pinview_load32(memory + 4 * index) }
        version = word(0)
        serial = word(1)
        change = word(2)
        format = word(3)
        frame = word(4)
        pageCount = word(5)
        frameChecksum1 = word(6)
        frameChecksum2 = word(7)
        salt1 = word(8)
        salt2 = word(9)
        checksum1 = word(10)
        checksum2 = word(11)
    }

    private func words(_ body: (UInt32, UInt32) -> Void) {
        body(version, serial)
        body(change, format)
        body(frame, pageCount)
        body(frameChecksum1, frameChecksum2)
        body(salt1, salt2)
    }

    /// SQLite's checksum over the first forty bytes, in the machine's byte order.
    private var computedChecksum: (UInt32, UInt32) {
        var first: UInt32 = 0, second: UInt32 = 0
        words { left, right in
            first = first &+ left &+ second
            second = second &+ right &+ first
        }
        return (first, second)
    }

    /// Whether this is a consistent header.
    var isValid: Bool { version == Self.knownVersion && computedChecksum == (checksum1, checksum2) }

    /// Identifies the journal among those that have been in its file.
    var salts: UInt64 { UInt64(salt1) << 32 | UInt64(salt2) }

    /// Whether this is the same or a later state of a journal. Only a recovery sets the counter
    /// back, and it may find fewer frames than there were.
    func continues(_ former: WALHeader) -> Bool { salts == former.salts && change >= former.change }

    /// The size of the main file when everything has been copied into it, in bytes.
    var fileSize: Int { Int(pageCount) * pageSize }

    mutating func updateChecksum() { (checksum1, checksum2) = computedChecksum }

    func write(to memory: UnsafeMutableRawPointer) { memory.storeBytes(of: self, as: WALHeader.self) }
}

extension WALHeader {
    /// The page size in bytes. 65,536 does not fit in sixteen bits and is stored as 1.
    var pageSize: Int {
        let stored = Int(format >> 16)
        return stored & 0xfe00 | (stored & 1) << 16
    }
}

extension WALHeader {
    /// Whether two headers belong to the same journal, which may have grown in between.
    func hasSalts(of other: WALHeader) -> Bool { salt1 == other.salt1 && salt2 == other.salt2 }
}

/// The header of a WAL-index without the fields that are the same in all of them or follow from the
/// others.
struct CompactWALHeader {
    let change: UInt32, format: UInt32, frame: UInt32, pageCount: UInt32
    let frameChecksum1: UInt32, frameChecksum2: UInt32
    let salt1: UInt32, salt2: UInt32

    init(_ header: WALHeader) {
        change = header.change
        format = header.format
        frame = header.frame
        pageCount = header.pageCount
        frameChecksum1 = header.frameChecksum1
        frameChecksum2 = header.frameChecksum2
        salt1 = header.salt1
        salt2 = header.salt2
    }

    func isNewest(in index: WALIndex) -> Bool { index.isAt(change: change, frame: frame, salt1: salt1, salt2: salt2) }

    /// The identity of the state with this header.
    func identity(in file: LockDescriptors.FileKey) -> GenerationIdentity {
        GenerationIdentity(
            device: file.device, inode: file.inode, salt1: salt1, salt2: salt2, frame: frame, checksum1: frameChecksum1,
            checksum2: frameChecksum2)
    }

    var header: WALHeader {
        var header = WALHeader()
        header.version = WALHeader.knownVersion
        header.change = change
        header.format = format
        header.frame = frame
        header.pageCount = pageCount
        header.frameChecksum1 = frameChecksum1
        header.frameChecksum2 = frameChecksum2
        header.salt1 = salt1
        header.salt2 = salt2
        header.updateChecksum()
        return header
    }
}
