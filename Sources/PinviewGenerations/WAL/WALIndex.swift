internal import CPlatform
internal import CSQLite

/// The WAL-index of an open file: shared memory that a connection of SQLite has mapped. Read, never
/// written.
///
///     byte                   first region, 32,768 bytes
///        0  ┌──────────────────────────────────────────────────────────┐
///           │ header                                                   │ the writer changes this copy last
///       48  ├──────────────────────────────────────────────────────────┤
///           │ header                                                   │ and this one first
///       96  ├──────────────────────────────────────────────────────────┤
///           │ backfilled frames: copied into the main file             │
///      100  ├──────────┬──────────┬──────────┬──────────┬──────────────┤
///           │ mark 0: 0│ mark 1   │ mark 2   │ mark 3   │ mark 4       │ last frames of readers
///      120  ├──────────┴──────────┴──────────┴──────────┴──────────────┤
///           │ locks: write, checkpoint, recovery, marks 0 … 4          │ the bytes stay zero
///      128  ├──────────────────────────────────────────────────────────┤
///           │ frames that the latest checkpoint set out to copy        │
///      136  ├──────────────────────────────────────────────────────────┤
///           │ page numbers of frames 1 … 4062                          │ `IndexRegions`
///    16384  ├──────────────────────────────────────────────────────────┤
///           │ hash table: page number → frame                          │
///           └──────────────────────────────────────────────────────────┘
///
/// The other regions have page numbers of 4096 frames each, and a hash table.
///
/// How pins and marks relate, with mark 1 at frame 3 and mark 2 at frame 6:
///
///     frames   1  2  3  4  5  6  7  8        generation at frame 5: pinned by mark 1
///                    ↑        ↑     ↑        generation at frame 6: pinned by mark 1 or 2
///                  mark 1   mark 2  newest   checkpoints copy up to frame 3, the lowest mark
struct WALIndex {
    /// The first region.
    let memory: UnsafeRawPointer

    static let regionSize = 32768
    static let backfillOffset = 96
    static let marksOffset = 100
    static let attemptedBackfillOffset = 128
    /// The offset of the page table in the first region.
    static let tableOffset = 136
    /// The offset of the hash table in each region.
    static let hashOffset = 16384
    static let slotCount = 5
    static let unusedMark: UInt32 = 0xffff_ffff

    init(memory: UnsafeRawPointer) { self.memory = memory }

    /// - Parameter file: the main file of a connection that has read in WAL mode and stays open as
    ///   long as the index is used.
    /// - Returns: nil if the memory cannot be mapped for reading and writing, or its version is
    ///   unknown.
    init?(file: UnsafeMutablePointer<sqlite3_file>) {
        guard let methods = file.pointee.pMethods, methods.pointee.iVersion >= 2, let map = methods.pointee.xShmMap else { return nil }
        var region: UnsafeMutableRawPointer?
        guard map(file, 0, Int32(Self.regionSize), 0, &region) == SQLITE_OK, let region else { return nil }
        memory = UnsafeRawPointer(region)
        guard pinview_load32(memory) == WALHeader.knownVersion else { return nil }
    }

    /// Whether SQLite could only map the index for reading.
    static func isReadOnly(_ file: UnsafeMutablePointer<sqlite3_file>) -> Bool {
        var region: UnsafeMutableRawPointer?
        guard let methods = file.pointee.pMethods, methods.pointee.iVersion >= 2, let map = methods.pointee.xShmMap else { return false }
        return map(file, 0, Int32(regionSize), 0, &region) & 0xff == SQLITE_READONLY
    }

    /// The header; nil while a writer changes it, so that its copies differ.
    var header: WALHeader? {
        // The writer changes the second copy first, so readers must read the first copy first.
        let first = WALHeader(at: memory)
        pinview_read_barrier()
        return first == WALHeader(at: memory + 48) && first.isValid ? first : nil
    }

    /// Whether nobody has committed or restarted the journal since a header was read. Takes
    /// nanoseconds. Any commit that has returned is seen, because the first copy of the header is
    /// the last thing it changes.
    func isAt(_ header: WALHeader) -> Bool {
        isAt(change: header.change, frame: header.frame, salt1: header.salt1, salt2: header.salt2)
    }

    func isAt(change: UInt32, frame: UInt32, salt1: UInt32, salt2: UInt32) -> Bool {
        pinview_load32(memory + 8) == change && pinview_load32(memory + 16) == frame
            && pinview_load32(memory + 32) == salt1 && pinview_load32(memory + 36) == salt2
    }

    /// The salts of the current journal.
    var salts: UInt64 { UInt64(pinview_load32(memory + 32)) << 32 | UInt64(pinview_load32(memory + 36)) }

    /// Whether the journal is still the one of a header.
    func hasSalts(of header: WALHeader) -> Bool {
        pinview_load32(memory + 32) == header.salt1 && pinview_load32(memory + 36) == header.salt2
    }

    /// The number of committed frames, which may change at any time.
    var frameCount: UInt32 { pinview_load32(memory + 16) }
    /// The number of frames that have been copied into the main file.
    var backfilledFrames: UInt32 { pinview_load32(memory + Self.backfillOffset) }
    /// The number of frames that the latest checkpoint set out to copy, recorded before it copies
    /// any. A recovery sets it to all frames.
    var attemptedBackfill: UInt32 { pinview_load32(memory + Self.attemptedBackfillOffset) }
    /// The number of committed frames that have not been copied yet.
    var uncopiedFrames: UInt32 {
        let frames = frameCount, copied = backfilledFrames
        return frames > copied ? frames - copied : 0
    }
    /// Whether a read transaction that began at a header still has its journal. Only a hint if its
    /// read mark is unknown: a reader that found the whole journal copied does not need it any
    /// more.
    func provesTransaction(at header: WALHeader) -> Bool { header.frame == 0 || hasSalts(of: header) || backfilledFrames == 0 }
    /// The last frame that readers of a mark may see.
    func mark(_ slot: Int) -> UInt32 { pinview_load32(memory + Self.marksOffset + 4 * slot) }
}
