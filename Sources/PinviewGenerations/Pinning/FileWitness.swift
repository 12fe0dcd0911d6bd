import Glibc

/// Why a pinned state cannot be read any more.
enum LossReason: UInt8 {
    /// The locks that keep it are gone, and somebody has gone on.
    case locks = 1
    /// Another program has written into the store's file, or cut it off.
    case file
    /// Another program has cut off the journal.
    case journal
    /// Another program has changed or deleted the copy of a detached generation.
    case copy

    var message: String {
        switch self {
        case .locks: "the locks of this process on the journal were lost and another program has changed it"
        case .file: "another program has overwritten the store's file or made it shorter, without SQLite"
        case .journal: "another program has made the journal (the file that ends in -wal) shorter, without SQLite"
        case .copy: "another program has changed or deleted the copy of the store that was made for it"
        }
    }
}

/// The main file as it was when a read mark was taken, and how far checkpoints had come. All pins that hold the read mark from then
/// on share it.
final class WitnessedFile: Sendable {
    let stamp: FileStamp
    let attemptedBackfill: UInt32, backfilled: UInt32
    /// Bytes down to which a checkpoint can cut the file off beside the read mark.
    let smallestSize: Int
    /// How many recoveries of the WAL-index were known.
    let recoveries: Int

    init(stamp: FileStamp, attemptedBackfill: UInt32, backfilled: UInt32, smallestSize: Int, recoveries: Int) {
        self.stamp = stamp
        self.attemptedBackfill = attemptedBackfill
        self.backfilled = backfilled
        self.smallestSize = smallestSize
        self.recoveries = recoveries
    }
}

/// Notices what programs do to the files of a store behind SQLite's back, which no lock forbids: cut them off, write over
/// them, delete them.
struct FileWitness {
    private let main: Int32?
    private let journal: Int32
    private let index: WALIndex

    /// - Parameter main: a descriptor of the store's file that lives longer than this.
    init(path: String, main: Int32?, index: WALIndex) {
        self.main = main
        self.index = index
        // SQLite keeps no locks on the journal: closing a descriptor of it costs nothing.
        journal = RegularFile.open(path + "-wal")
    }

    var hasJournal: Bool { journal >= 0 }

    func close() { if journal >= 0 { Glibc.close(journal) } }

    /// What the file is like when a read mark is taken.
    ///
    /// - Parameters:
    ///   - header: of that moment.
    ///   - attempted, backfilled: the figures of checkpoints, looked at before: a checkpoint that begins in between has changed them by the
    ///     time that somebody compares.
    /// - Returns: nil where the file could not be opened for this.
    func pinned(
        _ header: WALHeader?, mark: UInt32, attempted: UInt32, backfilled: UInt32, recoveries: Int
    ) throws(SystemError) -> WitnessedFile? {
        guard let stamp = try stamp else { return nil }
        return WitnessedFile(
            stamp: stamp, attemptedBackfill: attempted, backfilled: backfilled,
            smallestSize: attempted == backfilled ? Self.smallestSize(from: stamp.size, header, mark) : 0, recoveries: recoveries)
    }

    /// Whether what was seen of the file when another read mark was taken is what would be seen now if only those had written into it who
    /// may: no checkpoint has begun since, and none was under way.
    ///
    /// - Parameter header: has the salts of then.
    func serves(_ seen: WitnessedFile, _ header: WALHeader, mark: UInt32, recoveries: Int) -> Bool {
        seen.attemptedBackfill == seen.backfilled && index.attemptedBackfill == seen.attemptedBackfill
            && index.backfilledFrames == seen.backfilled && recoveries == seen.recoveries
            && Self.smallestSize(from: seen.stamp.size, header, mark) == seen.smallestSize
    }

    /// A checkpoint cuts the file off when it has copied all that is committed. Beside a read mark it can copy all only while the mark
    /// is the last frame. One that is under way, or was killed, when the mark is taken may do so as well; then nothing is known.
    private static func smallestSize(from size: Int, _ header: WALHeader?, _ mark: UInt32) -> Int {
        guard let header else { return 0 }
        return header.frame > mark ? size : min(size, header.fileSize)
    }

    var stamp: FileStamp? {
        get throws(SystemError) {
            guard let main else { return nil }
            return try FileStamp(main)
        }
    }

    /// - Parameters:
    ///   - pinned: what the file was like when the read mark was taken.
    ///   - reads: of pages that are to be judged.
    ///   - isRecovered: whether the WAL-index has been recovered since. A checkpoint then copies the same frames again, and may
    ///     leave the same figures.
    func verdict(
        of header: WALHeader, slot: Int, _ pinned: WitnessedFile?, after reads: PageReads, isRecovered: () -> Bool
    ) -> PinVerdict {
        do throws(SystemError) {
            if let reason = try lossReason(of: header, slot: slot, pinned, after: reads, isRecovered: isRecovered) { return .lost(reason) }
            return .stands
        } catch {
            return .unknown(error)
        }
    }

    private func lossReason(
        of header: WALHeader, slot: Int, _ pinned: WitnessedFile?, after reads: PageReads, isRecovered: () -> Bool
    ) throws(SystemError) -> LossReason? {
        // The figures of checkpoints come last here: who writes into the file has changed them before.
        if reads.fromMain, let pinned, let now = try stamp {
            if slot == 0 { return pinned.stamp == now ? nil : .file }
            if isFileLost(pinned, now, isRecovered: isRecovered) { return .file }
        }
        if reads.isProved || slot == 0 { return nil }
        return try hasFrame(header) ? nil : .journal
    }

    private func isFileLost(_ pinned: WitnessedFile, _ now: FileStamp, isRecovered: () -> Bool) -> Bool {
        guard pinned.stamp != now else { return false }
        // Only a checkpoint may write into the file.
        let isCopied =
            pinned.attemptedBackfill != pinned.backfilled || index.attemptedBackfill != pinned.attemptedBackfill
            || index.backfilledFrames != pinned.backfilled
        return now.size < pinned.smallestSize || !isCopied && !isRecovered()
    }

    /// Whether the last frame of a state is in the journal. What was cut off, and grew again behind, is a hole of zeros.
    private func hasFrame(_ header: WALHeader) throws(SystemError) -> Bool {
        guard header.frame > 0, journal >= 0 else { return true }
        var page: UInt32 = 0
        let offset = Journal.size(frames: header.frame - 1, pageSize: header.pageSize)
        // SQLite up to 3.40.1 leaves out a frame's salts and checksum at times, but never its page number.
        var count = pread(journal, &page, 4, offset)
        while count < 0, errno == EINTR { count = pread(journal, &page, 4, offset) }
        guard count >= 0 else { throw SystemError(call: .read, number: errno) }
        return count == 4 && page != 0
    }

    func namesJournal(_ path: String) -> Bool {
        var named = stat(), known = stat()
        guard journal >= 0, fstat(journal, &known) == 0 else { return true }
        return stat(path, &named) == 0 && named.st_ino == known.st_ino && named.st_dev == known.st_dev
    }
}
