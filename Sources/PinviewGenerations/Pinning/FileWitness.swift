internal import CSQLite
import Glibc

/// Why a pinned state cannot be read any more.
enum LossReason {
    /// The locks that keep it are gone, and somebody has gone on.
    case locks
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

struct FileStamp: Hashable {
    let seconds: Int, nanoseconds: Int, size: Int
}

/// The main file as it was at one moment, and how far checkpoints had come.
struct WitnessedFile: Equatable {
    let stamp: FileStamp
    let attemptedBackfill: UInt32, backfilled: UInt32
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
        journal = open(path + "-wal", O_RDONLY | O_CLOEXEC)
    }

    var hasJournal: Bool { journal >= 0 }

    func close() { if journal >= 0 { Glibc.close(journal) } }

    /// What the file is like when a read mark is taken. The figures of checkpoints are taken first: one that begins in
    /// between has changed them by the time that somebody compares.
    var pinned: WitnessedFile? {
        let attempted = index.attemptedBackfill, backfilled = index.backfilledFrames
        return stamp.map { WitnessedFile(stamp: $0, attemptedBackfill: attempted, backfilled: backfilled) }
    }

    var stamp: FileStamp? {
        var status = stat()
        guard let main, fstat(main, &status) == 0 else { return nil }
        return FileStamp(seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec, size: Int(status.st_size))
    }

    /// - Parameter pinned: what the file was like when the read mark was taken.
    func lossReason(of header: WALHeader, slot: Int, _ pinned: WitnessedFile?) -> LossReason? {
        // The figures of checkpoints come last here: who writes into the file has changed them before.
        guard let pinned, let now = stamp else { return nil }
        if slot == 0 { return pinned.stamp == now ? nil : .file }
        if pinned.stamp != now {
            // Only a checkpoint may write into the file. It can make it shorter only down to the pages of the pinned state.
            let isCopied =
                pinned.attemptedBackfill != pinned.backfilled || index.attemptedBackfill != pinned.attemptedBackfill
                || index.backfilledFrames != pinned.backfilled
            if !isCopied || now.size < min(pinned.stamp.size, header.fileSize) { return .file }
        }
        return hasFrame(header) ? nil : .journal
    }

    /// Whether the last frame of a state is in the journal. What was cut off, and grew again behind, is a hole of zeros.
    private func hasFrame(_ header: WALHeader) -> Bool {
        guard header.frame > 0, journal >= 0 else { return true }
        var page: UInt32 = 0
        let offset = Self.journalHeaderSize + (Int(header.frame) - 1) * (Self.frameHeaderSize + header.pageSize)
        // SQLite up to 3.40.1 leaves out a frame's salts and checksum at times, but never its page number.
        return pread(journal, &page, 4, offset) == 4 && page != 0
    }

    private static let journalHeaderSize = 32, frameHeaderSize = 24

    func namesJournal(_ path: String) -> Bool {
        var named = stat(), known = stat()
        guard journal >= 0, fstat(journal, &known) == 0 else { return true }
        return stat(path, &named) == 0 && named.st_ino == known.st_ino && named.st_dev == known.st_dev
    }
}
