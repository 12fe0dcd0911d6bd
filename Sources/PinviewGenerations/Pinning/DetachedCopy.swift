import Glibc

/// A copy of a store that serves generations which do not hold the store's journal any more. Its files go with the last
/// of them.
final class DetachedCopy: Sendable {
    let serial: UInt64
    let regions: IndexRegions
    let bytes: Int64
    private let files: CopyFiles
    private let didEnd: @Sendable (UInt64) -> Void
    /// nil for a file that had been deleted already.
    private let main: FileStamp?, journal: FileStamp?

    /// - Throws: when the system cannot tell what could later show that somebody has changed the files.
    init(serial: UInt64, files: CopyFiles, regions: IndexRegions, bytes: Int64, didEnd: @escaping @Sendable (UInt64) -> Void) throws(SystemError) {
        self.serial = serial
        self.files = files
        self.regions = regions
        self.bytes = bytes
        self.didEnd = didEnd
        main = try FileStamp(files.main, isNamed: true)
        journal = try FileStamp(files.journal, isNamed: true)
    }

    /// Readers that are still open would keep the space.
    deinit { didEnd(serial) }

    var path: String { files.path }

    /// Whether nobody has changed or deleted the files.
    var verdict: PinVerdict {
        guard let main, let journal else { return .lost(.copy) }
        do throws(SystemError) {
            let now = (main: try FileStamp(files.main, isNamed: true), journal: try FileStamp(files.journal, isNamed: true))
            return now == (main, journal) ? .stands : .lost(.copy)
        } catch {
            return .unknown(error)
        }
    }
}

/// A generation's place in a copy.
final class DetachedPin: ReadPin, @unchecked Sendable {  // immutable
    private let held: DetachedCopy

    init(copy: DetachedCopy, slot: Int, header: WALHeader, serial: UInt64) {
        held = copy
        super.init(slot: slot, header: header, serial: serial)
    }

    override var copy: DetachedCopy? { held }

    /// No lock protects a copy, and none is needed.
    override func verdict(provedBy index: WALIndex, after reads: PageReads) -> PinVerdict {
        #if DEBUG
            if PlantedMistake.isProofOff { return .stands }
        #endif
        return reads.fromMain || reads.fromJournal ? held.verdict : .stands
    }
}
