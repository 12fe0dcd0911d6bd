internal import CSQLite
import Glibc

/// A database file and its journal, read by the library itself: without a lock, without shared
/// memory, and without a recovery, so that nothing in the folder changes, not even a time of access
/// where the system allows that.
///
///     main file        journal: frames in the order in which they were written
///     ┌───┬───┬───┐    ┌───┬───┬───┬───┬───┬───┐
///     │ 1 │ 2 │ 3 │    │ 2 │ 3*│ 2 │ 1*│ 4 │ 2*│   * ends a transaction
///     └───┴───┴───┘    └───┴───┴───┴───┴───┴───┘
///     commit 0         commit 1│   commit 2│   commit 3: pages 1 and 4 of frames 4 and 5, page 2 of
///                                              frame 6, page 3 of frame 2
///
/// Each commit that the journal still holds can be read. SQLite sees it as a database of its own,
/// without a journal (`ExaminedVFS`). Nobody may write to the file meanwhile; a write is noticed.
final class ExaminedFile: @unchecked Sendable {  // `firstWholeFrame` and `newestPages` are guarded by `lock`
    let path: String
    let pageSize: Int
    let isInWALMode: Bool
    /// The states that can be shown: the first without the journal, then one for each transaction.
    let commits: [ExaminedCommit]
    /// The page of each frame.
    private let pages: [UInt32]
    private let mainFile: OpenFile
    private let journalFile: OpenFile?
    private var main: Int32 { mainFile.descriptor }
    /// −1 for none.
    private var journal: Int32 { journalFile?.descriptor ?? -1 }
    private let mainSize: Int
    private let stamps: (main: FileStamp?, journal: FileStamp?)
    private let lock = Lock()
    private var firstWholeFrame: UInt32?
    private var newestPages: ExaminedPages?

    /// - Throws: kind `cannotOpen` and `notADatabase`; `corrupt` for a file whose last transaction
    ///   was not finished.
    init(path: String) throws(SQLiteError) {
        self.path = path
        guard let main = OpenFile(path) else { throw Self.failure(.cannotOpen, String(cString: strerror(errno)), path) }
        if let journal = Self.unfinishedJournal(path) {
            throw Self.failure(
                .corrupt,
                "\(journal) has an unfinished transaction, which SQLite rolls back when the file is opened for writing",
                path)
        }
        let header = DatabaseHeader(descriptor: main.descriptor)
        let journal = OpenFile(path + "-wal")
        mainFile = main
        journalFile = journal
        do throws(SystemError) {
            var journalStamp: FileStamp?
            if let journal { journalStamp = try FileStamp(journal.descriptor) }
            stamps = (try FileStamp(main.descriptor), journalStamp)
        } catch {
            throw error.sqliteError(path: path)
        }
        mainSize = stamps.main?.size ?? 0
        guard header != nil || mainSize == 0 else {
            throw Self.failure(.notADatabase, "it does not have the header of an SQLite database", path)
        }
        let frames = header?.isInWALMode ?? true ? journal.flatMap { ExaminedFrames($0.descriptor) } : nil
        guard let size = header?.pageSize ?? frames?.pageSize, size >= 512, size <= 65536, size & (size - 1) == 0 else {
            throw Self.failure(.notADatabase, mainSize == 0 ? "it is empty" : "its header has an impossible page size", path)
        }
        pageSize = size
        isInWALMode = header?.isInWALMode ?? true
        // A journal of another page size belongs to another state of the file.
        let isUsable = frames.map { $0.pageSize == size } ?? false
        pages = isUsable ? frames?.pages ?? [] : []
        let base = ExaminedCommit(
            number: 0, frame: 0, pageCount: UInt32(clamping: mainSize / size), checksum: (0, 0), salts: frames?.salts ?? (0, 0))
        commits = [base] + (isUsable ? frames?.commits ?? [] : [])
    }

    private static func failure(_ kind: SQLiteError.Kind, _ message: String, _ path: String) -> SQLiteError {
        let code: Int32 =
            switch kind {
            case .notADatabase: SQLITE_NOTADB
            case .corrupt: SQLITE_CORRUPT
            default: SQLITE_CANTOPEN
            }
        return SQLiteError(kind: kind, extendedCode: code, message: message, path: path)
    }

    /// The name of a rollback journal that SQLite would play back.
    private static func unfinishedJournal(_ path: String) -> String? {
        guard let journal = OpenFile(path + "-journal") else { return nil }
        let bytes = Bytes.read(1, at: 0, from: journal.descriptor)
        // A journal that is kept has its header set to zero.
        return bytes.first.map { $0 != 0 } ?? false ? path + "-journal" : nil
    }

    var newest: ExaminedCommit { commits[commits.count - 1] }

    /// Whether nobody has written to the files since they were opened.
    var isUnchanged: Bool {
        guard let now = try? FileStamp(main, isNamed: true), now == stamps.main else { return false }
        if journal >= 0 {
            guard let now = try? FileStamp(journal, isNamed: true), now == stamps.journal else { return false }
        }
        // A journal that has come meanwhile.
        return journal >= 0 || !isInWALMode || access(path + "-wal", F_OK) != 0
    }

    // MARK: Commits

    /// Whether a state can be read: not if a checkpoint has copied later pages over its own.
    ///
    /// A page of the main file that is the same as one of its frames may have been copied from
    /// there, and what was there before is lost.
    func isWhole(_ commit: ExaminedCommit) -> Bool {
        commit.frame == newest.frame || commit.frame >= lock.withLock { knownFirstWholeFrame() }
    }

    /// Requires the lock.
    private func knownFirstWholeFrame() -> UInt32 {
        if let firstWholeFrame { return firstWholeFrame }
        var firstFrames: [UInt32: UInt32] = [:]
        var copied: Set<UInt32> = []
        var inMain: [UInt32: [UInt8]] = [:]
        for (position, page) in pages.enumerated() {
            let frame = UInt32(position + 1)
            if firstFrames[page] == nil { firstFrames[page] = frame }
            guard !copied.contains(page) else { continue }
            let known = inMain[page] ?? Bytes.read(pageSize, at: Int64(page - 1) * Int64(pageSize), from: main)
            if known.count == pageSize, known == Bytes.read(pageSize, at: offset(ofFrame: frame), from: journal) {
                copied.insert(page)
                inMain[page] = nil
            } else if inMain.count < 1024 {
                inMain[page] = known
            }
        }
        let first = copied.compactMap { firstFrames[$0] }.max() ?? 0
        firstWholeFrame = first
        return first
    }

    /// Where each page of a state is.
    func pages(of commit: ExaminedCommit) -> ExaminedPages {
        if commit.frame == newest.frame, let known = lock.withLock({ newestPages }) { return known }
        var frames: [UInt32: UInt32] = [:]
        for position in 0..<Int(commit.frame) { frames[pages[position]] = UInt32(position + 1) }
        let made = ExaminedPages(frames: frames)
        if commit.frame == newest.frame { lock.withLock { newestPages = made } }
        return made
    }

    private func offset(ofFrame frame: UInt32) -> Int64 {
        Int64(Journal.size(frames: frame - 1, pageSize: pageSize) + Journal.frameHeaderSize)
    }

    // MARK: Reading

    /// Bytes 18 and 19 say which journal a file has; this one is shown without.
    private static let formatOffset = 18

    /// Reads a part of one page.
    ///
    /// - Returns: whether all of it was there; what is missing is zero.
    func read(_ buffer: UnsafeMutableRawPointer, _ count: Int, at offset: Int, _ pages: ExaminedPages) -> Bool? {
        let (index, start) = offset.quotientAndRemainder(dividingBy: pageSize)
        guard count >= 0, offset >= 0, index < Int(UInt32.max), start + count <= pageSize else { return nil }
        var descriptor = main
        var position = Int64(offset)
        if let frame = pages.frames[UInt32(index + 1)] {
            descriptor = journal
            position = self.offset(ofFrame: frame) + Int64(start)
        }
        var filled = 0
        while filled < count {
            let got = pread(descriptor, buffer + filled, count - filled, off_t(position) + off_t(filled))
            if got < 0, errno == EINTR { continue }
            if got < 0 { return nil }
            if got == 0 { break }
            filled += got
        }
        if filled < count { memset(buffer + filled, 0, count - filled) }
        for place in Self.formatOffset...Self.formatOffset + 1 where (offset..<offset + filled).contains(place) {
            buffer.storeBytes(of: 1, toByteOffset: place - offset, as: UInt8.self)
        }
        return filled == count
    }

    /// The size in bytes that SQLite sees.
    func size(of commit: ExaminedCommit) -> Int { commit.frame == 0 ? mainSize : Int(commit.pageCount) * pageSize }

    /// The header that a WAL-index would have at a commit.
    func header(of commit: ExaminedCommit) -> WALHeader {
        var header = WALHeader()
        header.version = WALHeader.knownVersion
        header.change = commit.number
        header.format = 1 | UInt32(pageSize == 65536 ? 1 : pageSize) << 16
        header.frame = commit.frame
        header.pageCount = commit.pageCount
        (header.frameChecksum1, header.frameChecksum2) = commit.checksum
        (header.salt1, header.salt2) = commit.salts
        header.updateChecksum()
        return header
    }
}

/// A state that a journal still holds.
struct ExaminedCommit: Sendable {
    /// From 1; 0 is the file without its journal.
    let number: UInt32
    /// The last frame of the transaction.
    let frame: UInt32
    /// Of the whole database.
    let pageCount: UInt32
    let checksum: (UInt32, UInt32)
    let salts: (UInt32, UInt32)
}

/// Where the pages of a state are: in a frame of the journal, or else in the main file.
final class ExaminedPages: Sendable {
    let frames: [UInt32: UInt32]

    init(frames: [UInt32: UInt32]) { self.frames = frames }
}

/// A regular file, open for reading.
private final class OpenFile: Sendable {
    let descriptor: Int32

    /// O_NOATIME, which Swift does not import.
    private static let keepsAccessTime: Int32 = 0o1_000_000

    /// - Returns: nil with `errno` set.
    init?(_ path: String) {
        // Only the owner of a file may ask for this.
        let quiet = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | Self.keepsAccessTime)
        let opened = quiet >= 0 || errno != EPERM ? quiet : RegularFile.open(path)
        guard opened >= 0 else { return nil }
        var status = stat()
        descriptor = opened
        guard fstat(opened, &status) == 0, RegularFile.otherThing(status) == nil else {
            errno = EINVAL
            return nil
        }
    }

    deinit { close(descriptor) }
}
