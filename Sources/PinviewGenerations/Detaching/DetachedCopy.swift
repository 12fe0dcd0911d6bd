import Glibc

/// A copy of a store that serves generations which do not hold the store's journal any more. Its files go with the last
/// of them.
final class DetachedCopy: Sendable {
    let serial: UInt64
    let regions: IndexRegions
    let bytes: Int64
    private let files: CopyFiles
    private let pools: PoolList
    private let main: FileStamp?, journal: FileStamp?

    init(serial: UInt64, files: CopyFiles, regions: IndexRegions, bytes: Int64, pools: PoolList) {
        self.serial = serial
        self.files = files
        self.regions = regions
        self.bytes = bytes
        self.pools = pools
        main = FileStamp(files.main, isNamed: true)
        journal = FileStamp(files.journal, isNamed: true)
    }

    /// Readers that are still open would keep the space.
    deinit { pools.closeReaders(ofCopy: serial) }

    var path: String { files.path }

    /// Whether nobody has changed or deleted the files.
    var isWhole: Bool {
        guard let main, let journal else { return false }
        return FileStamp(files.main, isNamed: true) == main && FileStamp(files.journal, isNamed: true) == journal
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
    override func isProved(by index: WALIndex) -> Bool { true }

    override func lossReason(after reads: PageReads) -> LossReason? {
        #if DEBUG
            if PlantedMistake.isProofOff { return nil }
        #endif
        return !reads.fromMain && !reads.fromJournal || held.isWhole ? nil : .copy
    }
}
