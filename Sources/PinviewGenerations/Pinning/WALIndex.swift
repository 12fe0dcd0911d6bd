internal import CSQLite

/// What tells one state of a WAL-mode file from another: the file, and what the header of its WAL-index says
/// (sqlite.org/walformat.html, section 2.1).
package struct GenerationIdentity: Hashable, Sendable {
    let device: UInt64, inode: UInt64
    let salt1: UInt32, salt2: UInt32
    let frame: UInt32
    let checksum1: UInt32, checksum2: UInt32

    /// The counter of commits is left out: a recovery begins it anew for the same content. An empty journal has no checksum.
    package static func == (left: Self, right: Self) -> Bool {
        left.salt1 == right.salt1 && left.salt2 == right.salt2 && left.frame == right.frame
            && (left.frame == 0 || left.checksum1 == right.checksum1 && left.checksum2 == right.checksum2)
            && left.inode == right.inode && left.device == right.device
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(inode)
        hasher.combine(salt1)
        hasher.combine(salt2)
        hasher.combine(frame)
    }
}

/// The header of a WAL-index as it was at one moment: 48 bytes, laid out as in shared memory.
struct WALHeader: Equatable {
    var version: UInt32 = 0
    /// Unused by SQLite, which compares it all the same.
    var serial: UInt32 = 0
    /// Counts the commits of all processes, across resets of the journal, until a recovery.
    var change: UInt32 = 0
    /// Whether it is initialised, the byte order of the checksums, the page size.
    var format: UInt32 = 0
    /// The last valid frame.
    var frame: UInt32 = 0
    var pageCount: UInt32 = 0
    var frameChecksum1: UInt32 = 0, frameChecksum2: UInt32 = 0
    var salt1: UInt32 = 0, salt2: UInt32 = 0
    var checksum1: UInt32 = 0, checksum2: UInt32 = 0

    /// The only version of the format that there has been since SQLite 3.7.0.
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

    /// SQLite's checksum over the first forty bytes, in the machine's own byte order.
    private var computedChecksum: (UInt32, UInt32) {
        var first: UInt32 = 0, second: UInt32 = 0
        words { left, right in
            first = first &+ left &+ second
            second = second &+ right &+ first
        }
        return (first, second)
    }

    /// Whether this is one header in one piece.
    var isValid: Bool { version == Self.knownVersion && computedChecksum == (checksum1, checksum2) }

    /// What names the journal among those that have been in its file.
    var salts: UInt64 { UInt64(salt1) << 32 | UInt64(salt2) }

    /// Whether this is a later state of a journal, or the same one. A recovery, which alone sets the counter back, may find fewer frames than
    /// there were.
    func continues(_ former: WALHeader) -> Bool { salts == former.salts && change >= former.change }

    /// Bytes of the state's file, when everything is copied into it.
    var fileSize: Int { Int(pageCount) * pageSize }

    mutating func updateChecksum() { (checksum1, checksum2) = computedChecksum }

    func write(to memory: UnsafeMutableRawPointer) { memory.storeBytes(of: self, as: WALHeader.self) }
}

/// The WAL-index of an open file: shared memory that a connection of SQLite has mapped. Read, never written.
struct WALIndex {
    /// The first of its regions: both headers, the figures of checkpoints and readers, and the first page table.
    let memory: UnsafeRawPointer

    static let regionSize = 32768
    static let backfillOffset = 96
    static let marksOffset = 100
    static let attemptedBackfillOffset = 128
    /// Where the page table of the first region begins.
    static let tableOffset = 136
    static let slotCount = 5
    static let unusedMark: UInt32 = 0xffff_ffff

    init(memory: UnsafeRawPointer) { self.memory = memory }

    /// - Parameter file: of a connection that has read at least once in WAL mode and stays open as long as the index is used.
    /// - Returns: nil where the memory cannot be mapped for reading and writing, or has a version that is not known.
    init?(file: UnsafeMutablePointer<sqlite3_file>) {
        guard let methods = file.pointee.pMethods, methods.pointee.iVersion >= 2, let map = methods.pointee.xShmMap else { return nil }
        var region: UnsafeMutableRawPointer?
        guard map(file, 0, Int32(Self.regionSize), 0, &region) == SQLITE_OK, let region else { return nil }
        memory = UnsafeRawPointer(region)
        guard pinview_load32(memory) == WALHeader.knownVersion else { return nil }
    }

    /// Whether SQLite could map the index for reading only, so that nothing can be written.
    static func isReadOnly(_ file: UnsafeMutablePointer<sqlite3_file>) -> Bool {
        var region: UnsafeMutableRawPointer?
        guard let methods = file.pointee.pMethods, methods.pointee.iVersion >= 2, let map = methods.pointee.xShmMap else { return false }
        return map(file, 0, Int32(regionSize), 0, &region) & 0xff == SQLITE_READONLY
    }

    /// The header, when both copies agree; nil while a writer is changing it.
    var header: WALHeader? {
        // The writer changes the second copy first, so a reader takes the first one first.
        let first = WALHeader(at: memory)
        pinview_read_barrier()
        return first == WALHeader(at: memory + 48) && first.isValid ? first : nil
    }

    /// Whether nobody has committed, and nobody has begun the journal anew, since a header was taken. Nanoseconds. A
    /// commit that has returned anywhere is seen: the first copy, which is read here, is the last thing that it changes.
    func isAt(_ header: WALHeader) -> Bool {
        isAt(change: header.change, frame: header.frame, salt1: header.salt1, salt2: header.salt2)
    }

    func isAt(change: UInt32, frame: UInt32, salt1: UInt32, salt2: UInt32) -> Bool {
        pinview_load32(memory + 8) == change && pinview_load32(memory + 16) == frame
            && pinview_load32(memory + 32) == salt1 && pinview_load32(memory + 36) == salt2
    }

    /// Of the journal as it is now.
    var salts: UInt64 { UInt64(pinview_load32(memory + 32)) << 32 | UInt64(pinview_load32(memory + 36)) }

    /// Whether the journal still is the one of a header.
    func hasSalts(of header: WALHeader) -> Bool {
        pinview_load32(memory + 32) == header.salt1 && pinview_load32(memory + 36) == header.salt2
    }

    /// How many frames are committed, at about this moment.
    var frameCount: UInt32 { pinview_load32(memory + 16) }
    /// How many frames have been copied into the file.
    var backfilledFrames: UInt32 { pinview_load32(memory + Self.backfillOffset) }
    /// How many frames the last checkpoint set out to copy; it says so before it copies any. A recovery sets it to all frames.
    var attemptedBackfill: UInt32 { pinview_load32(memory + Self.attemptedBackfillOffset) }
    /// How many committed frames have not been copied yet, at about this moment.
    var uncopiedFrames: UInt32 {
        let frames = frameCount, copied = backfilledFrames
        return frames > copied ? frames - copied : 0
    }
    /// Whether a read transaction that began at a header still has its journal. Only a hint, where no read mark is known:
    /// a reader that found the journal copied as a whole does not need it any more.
    func provesTransaction(at header: WALHeader) -> Bool { header.frame == 0 || hasSalts(of: header) || backfilledFrames == 0 }
    /// The last frame that readers of a slot may see.
    func mark(_ slot: Int) -> UInt32 { pinview_load32(memory + Self.marksOffset + 4 * slot) }
}
