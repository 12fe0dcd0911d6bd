import Glibc

/// Why a pinned state can no longer be read.
enum LossReason: UInt8 {
    /// The locks that protect it were lost, and someone has changed the files since.
    case locks = 1
    /// Another program has written to the store's file or truncated it.
    case file
    /// Another program has truncated the journal.
    case journal
    /// Another program has changed or deleted the copy of a detached generation.
    case copy

    var message: String {
        switch self {
        case .locks: "this process has lost its locks on the journal and another program has changed it"
        case .file: "another program has overwritten or truncated the store's file without SQLite"
        case .journal: "another program has truncated the journal (the file ending in -wal) without SQLite"
        case .copy: "another program has changed or deleted the copy of the store that was made for it"
        }
    }
}

/// An observation of the main file and the progress of checkpoints when a read mark was taken. All
/// pins that hold the read mark from then on share it.
final class FileObservation: Sendable {
    let stamp: FileStamp
    let attemptedBackfill: UInt32, backfilled: UInt32
    /// The size to which a checkpoint can truncate the file while the read mark is held, in bytes.
    let smallestSize: Int
    /// The number of recoveries of the WAL-index known at the time.
    let recoveries: Int

    init(stamp: FileStamp, attemptedBackfill: UInt32, backfilled: UInt32, smallestSize: Int, recoveries: Int) {
        self.stamp = stamp
        self.attemptedBackfill = attemptedBackfill
        self.backfilled = backfilled
        self.smallestSize = smallestSize
        self.recoveries = recoveries
    }
}

/// Notices what programs do to a store's files without SQLite: no lock prevents them from
/// truncating, overwriting or deleting the files.
struct FileObserver {
    private let main: Int32?
    private let journal: Int32
    private let index: WALIndex

    /// - Parameter main: a descriptor of the store's file that stays open longer than this.
    init(path: String, main: Int32?, index: WALIndex) {
        self.main = main
        self.index = index
        // SQLite holds no locks on the journal, so closing a descriptor of it is harmless.
        journal = RegularFile.open(path + "-wal")
    }

    var hasJournal: Bool { journal >= 0 }

    func close() { if journal >= 0 { Glibc.close(journal) } }

    /// Observes the main file when a read mark is taken.
    ///
    /// - Parameters:
    ///   - header: the header at that moment.
    ///   - attempted, backfilled: the figures of checkpoints, read before: a checkpoint that begins
    ///     in between has changed them by the time they are compared.
    /// - Returns: nil if the file could not be opened for this.
    func observe(
        _ header: WALHeader?, mark: UInt32, attempted: UInt32, backfilled: UInt32, recoveries: Int
    ) throws(SystemError) -> FileObservation? {
        guard let stamp = try stamp else { return nil }
        return FileObservation(
            stamp: stamp, attemptedBackfill: attempted, backfilled: backfilled,
            smallestSize: attempted == backfilled ? Self.smallestSize(from: stamp.size, header, mark) : 0, recoveries: recoveries)
    }

    /// Whether an earlier observation, made for another read mark, is still what would be observed
    /// now if nobody but checkpoints had written to the file: no checkpoint has begun since, and
    /// none was running.
    ///
    /// - Parameter header: has the same salts as then.
    func serves(_ seen: FileObservation, _ header: WALHeader, mark: UInt32, recoveries: Int) -> Bool {
        seen.attemptedBackfill == seen.backfilled && index.attemptedBackfill == seen.attemptedBackfill
            && index.backfilledFrames == seen.backfilled && recoveries == seen.recoveries
            && Self.smallestSize(from: seen.stamp.size, header, mark) == seen.smallestSize
    }

    /// The size to which a checkpoint can truncate the file. It truncates when it has copied
    /// everything committed; while a read mark is held, that is only possible if the mark is the
    /// last frame. A checkpoint that is running, or was killed, when the mark is taken may do so
    /// too; the size is unknown then.
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
    ///   - pinned: the observation made when the read mark was taken.
    ///   - reads: the page reads to be verified.
    ///   - isRecovered: whether the WAL-index has been recovered since. A checkpoint then copies
    ///     the same frames again, and may leave the same figures.
    func verdict(
        of header: WALHeader, slot: Int, _ pinned: FileObservation?, after reads: PageReads, isRecovered: () -> Bool
    ) -> PinVerdict {
        do throws(SystemError) {
            if let reason = try lossReason(of: header, slot: slot, pinned, after: reads, isRecovered: isRecovered) { return .lost(reason) }
            return .stands
        } catch {
            return .unknown(error)
        }
    }

    private func lossReason(
        of header: WALHeader, slot: Int, _ pinned: FileObservation?, after reads: PageReads, isRecovered: () -> Bool
    ) throws(SystemError) -> LossReason? {
        // The figures of checkpoints are compared last, because a checkpoint changes them before it
        // writes.
        if reads.fromMain, let pinned, let now = try stamp {
            if slot == 0 { return pinned.stamp == now ? nil : .file }
            if isFileLost(pinned, now, isRecovered: isRecovered) { return .file }
        }
        if reads.isProved || slot == 0 { return nil }
        return try hasFrame(header) ? nil : .journal
    }

    private func isFileLost(_ pinned: FileObservation, _ now: FileStamp, isRecovered: () -> Bool) -> Bool {
        guard pinned.stamp != now else { return false }
        // Only a checkpoint may write to the file.
        let isCopied =
            pinned.attemptedBackfill != pinned.backfilled || index.attemptedBackfill != pinned.attemptedBackfill
            || index.backfilledFrames != pinned.backfilled
        return now.size < pinned.smallestSize || !isCopied && !isRecovered()
    }

    /// Whether the last frame of a state is in the journal. A part that was cut off and then filled
    /// again is a hole of zeros.
    private func hasFrame(_ header: WALHeader) throws(SystemError) -> Bool {
        guard header.frame > 0, journal >= 0 else { return true }
        var page: UInt32 = 0
        let offset = Journal.size(frames: header.frame - 1, pageSize: header.pageSize)
        // SQLite up to 3.40.1 may omit a frame's salts and checksum, but never its page number.
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
