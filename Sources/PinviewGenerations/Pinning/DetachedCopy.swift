import Glibc

/// A copy of a store for generations that no longer hold the store's journal. Its files are deleted
/// with the last of these generations.
final class DetachedCopy: Sendable {
    let serial: UInt64
    let regions: IndexRegions
    let bytes: Int64
    let files: CopyFiles
    private let didEnd: @Sendable (UInt64) -> Void
    /// nil for a file that had already been deleted.
    private let main: FileStamp?, journal: FileStamp?

    /// - Throws: if the system cannot provide the data needed to notice changes to the files later.
    init(serial: UInt64, files: CopyFiles, regions: IndexRegions, bytes: Int64, didEnd: @escaping @Sendable (UInt64) -> Void)
        throws(SystemError)
    {
        self.serial = serial
        self.files = files
        self.regions = regions
        self.bytes = bytes
        self.didEnd = didEnd
        main = try FileStamp(files.main, isNamed: true)
        journal = try FileStamp(files.journal, isNamed: true)
    }

    /// Readers that stay open would keep the disk space in use.
    deinit { didEnd(serial) }

    var path: String { files.path }

    /// Whether the files are unchanged and not deleted.
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

/// A generation's part of a copy.
final class DetachedPin: ReadPin, @unchecked Sendable {  // immutable
    private let held: DetachedCopy

    init(copy: DetachedCopy, slot: Int, header: WALHeader, serial: UInt64) {
        held = copy
        super.init(slot: slot, header: header, serial: serial)
    }

    override var copy: DetachedCopy? { held }

    /// Copies need no locks; only changes by other programs could spoil them.
    override func verdict(provedBy index: WALIndex, after reads: PageReads) -> PinVerdict {
        #if DEBUG
            if InjectedFault.isProofOff { return .stands }
        #endif
        return reads.fromMain || reads.fromJournal ? held.verdict : .stands
    }
}
