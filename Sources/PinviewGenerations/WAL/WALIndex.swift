internal import CSQLite

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
