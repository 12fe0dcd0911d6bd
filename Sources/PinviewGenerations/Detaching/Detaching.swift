internal import CSQLite
import Glibc

/// Copies the state of old generations aside while their pins hold. What is copied is the main file, the journal's frames
/// up to the youngest of the generations, and their part of the WAL-index; all of it is copied beside writers and
/// checkpoints, and other processes.
///
/// **Why the copy is good.** Take a generation pinned at frame M.
///
/// - *Read mark 1 and up.* Its readers take a page that has a frame up to M from the journal, and any other page from the
///   main file. Frames 1…M do not change while the pin holds. Nobody copies frames above the pin's mark into the main file,
///   and the mark is not above M: so what is written to the main file meanwhile are pages that have a frame up to M, which are
///   not read from it. They may be torn or new in the copy; no reader gets to see them. The file is cut only when
///   everything has been copied into it, which the pin of a generation that is not the newest forbids.
/// - *Read mark 0.* Its readers take all pages from the main file, into which nothing at all is copied while anybody holds
///   read mark 0. The journal is ignored, for it may be begun anew.
///
/// Generations that are pinned while the copy is made are served by it as well (else a busy store would always have some
/// old generation that holds its journal), if one of those that were there from the beginning, the *base*, lives to the end:
///
/// - A base with read mark 0 leaves the main file as it is for all of the time.
/// - A base with another read mark, at frame B, keeps the journal from being begun anew: a later generation in it, at frame
///   M ≥ B, takes the pages that have frames up to M from the journal, and those that are left are among the pages that the
///   base takes from the main file.
///
/// Whether all these pins held is proved after the last byte was copied (`SlotPin.isProved`). A generation whose pin cannot
/// be proved stays as it is, and its next read says that it was lost.
struct Detaching {
    /// A generation, as it holds the journal at the moment.
    struct Candidate {
        let record: GenerationRecord
        let pin: UInt64
        let slot: Int
        let header: WALHeader
    }

    struct Outcome {
        let generations: Int
        let copyBytes: Int64
    }

    private let file: SharedFile
    private let source: Int32
    private let bases: [Candidate]
    private let files: CopyFiles
    private var mainBytes: Int64 = 0
    /// The journal that has been copied, and how much of it.
    private var journal: WALHeader?
    private var frames: UInt32 = 0

    /// So few frames are copied while writers wait.
    private static let lastStep: UInt32 = 256

    init(_ file: SharedFile, slots: SlotPins, bases: [Candidate]) throws(SQLiteError) {
        guard let source = slots.mainDescriptor else {
            throw SQLiteError(
                kind: .cannotOpen, extendedCode: SQLITE_CANTOPEN, message: "the store's file could not be opened for copying",
                path: file.path)
        }
        self.file = file
        self.source = source
        self.bases = bases
        files = try CopyFiles(beside: file.path, source: source)
    }

    /// Copies what there is so far, beside everybody else.
    ///
    /// - Returns: false when nobody wants the copy any more.
    mutating func copyMost() throws(SQLiteError) -> Bool {
        if !isTooEarly { guard try copyMain() else { return false } }
        for _ in 0..<3 {
            let before = frames
            guard try copyFrames(of: file.olderPins) else { return false }
            if frames - min(before, frames) < Self.lastStep { break }
        }
        return isWanted
    }

    /// Adds what has been committed since.
    mutating func keepUp() throws(SQLiteError) { _ = try copyFrames(of: file.olderPins) }

    private var isWanted: Bool { bases.contains { !$0.record.hasEnded } }

    private mutating func copyMain() throws(SQLiteError) -> Bool {
        var status = stat()
        guard fstat(source, &status) == 0 else { throw FileCopy.failure(errno, file.path) }
        mainBytes = Int64(status.st_size)
        if FileCopy.clone(source, to: files.main) { return true }
        let journalBytes = bases.map { $0.slot == 0 ? 0 : Self.journalBytes($0.header, $0.header.frame) }.max() ?? 0
        try FileCopy.requireSpace(mainBytes + journalBytes, for: files.main, files.path)
        return try FileCopy.copy(0..<mainBytes, from: source, to: files.main, path: files.path) { isWanted }
    }

    /// Adds the frames up to the youngest of some generations.
    private mutating func copyFrames(of candidates: [Candidate]) throws(SQLiteError) -> Bool {
        let youngest = candidates.filter { $0.slot > 0 }.max { $0.header.frame < $1.header.frame }
        guard let header = youngest?.header else { return isWanted }
        if journal?.hasSalts(of: header) != true { frames = 0 }
        journal = header
        guard header.frame > frames else { return isWanted }
        let path = file.path + "-wal"
        // No lock of SQLite is on the journal, so that it may be closed again.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileCopy.failure(errno, path) }
        defer { close(descriptor) }
        // Another one than the pins hold: they have lost it.
        guard Self.hasSalts(descriptor, header) else { return false }
        let range = (frames == 0 ? 0 : Self.journalBytes(header, frames))..<Self.journalBytes(header, header.frame)
        try FileCopy.requireSpace(Int64(range.count), for: files.journal, files.path)
        guard try FileCopy.copy(range, from: descriptor, to: files.journal, path: files.path, isWanted: { isWanted }) else { return false }
        frames = header.frame
        return true
    }

    private static func journalBytes(_ header: WALHeader, _ frames: UInt32) -> Int64 {
        Int64(Journal.size(frames: frames, pageSize: header.pageSize))
    }

    /// Whether a file begins like the journal of a header, which has the salts byte by byte.
    private static func hasSalts(_ descriptor: Int32, _ header: WALHeader) -> Bool {
        let bytes = Bytes.read(32, at: 0, from: descriptor)
        guard bytes.count == 32 else { return false }
        return bytes.withUnsafeBytes {
            $0.load(fromByteOffset: 16, as: UInt32.self) == header.salt1 && $0.load(fromByteOffset: 20, as: UInt32.self) == header.salt2
        }
    }

    /// Copies the rest and moves the generations over. In the writers' turn: of this process nobody commits meanwhile.
    ///
    /// - Returns: nil when nobody wants the copy any more, or it could not be proved to be good.
    mutating func moveOver() throws(SQLiteError) -> Outcome? {
        let candidates = file.olderPins
        guard try copyFrames(of: candidates) else { return nil }
        let file = self.file
        guard let regions = IndexRegions(frames: frames, region: { file.indexRegion($0) }) else {
            throw FileCopy.failure(EIO, file.path, "the WAL-index could not be copied")
        }
        // From here on nothing is read any more that a pin has to protect.
        let living = bases.filter { $0.record.holds(pin: $0.pin, provedBy: file.index) }
        guard !living.isEmpty else { return nil }
        let served = candidates.filter { isServed($0, by: living) && $0.record.holds(pin: $0.pin, provedBy: file.index) }
        let index = CopyIndex(
            pageSize: living[0].header.pageSize, device: file.key.device, inode: file.key.inode, frames: frames,
            entries: served.map { CopyIndex.Entry(header: $0.header, slot: $0.slot) })
        let indexBytes = try files.writeIndex(index.encoded(with: regions))
        let journalBytes = journal.map { Self.journalBytes($0, frames) } ?? 0
        let copy: DetachedCopy
        do throws(SystemError) {
            let bytes = mainBytes + journalBytes + indexBytes
            let pools = file.pools
            copy = try DetachedCopy(serial: file.nextPinSerial(), files: files, regions: regions, bytes: bytes) {
                pools.closeReaders(ofCopy: $0)
            }
        } catch {
            throw error.sqliteError(path: files.path)
        }
        var count = 0
        for candidate in served {
            let pin = DetachedPin(copy: copy, slot: candidate.slot, header: candidate.header, serial: file.nextPinSerial())
            guard candidate.record.detach(from: candidate.pin, provedBy: file.index, to: pin) else { continue }
            file.didDetach(candidate.record)
            count += 1
        }
        if isTooEarly {
            usleep(30_000)
            _ = try copyMain()
        }
        return count == 0 ? nil : Outcome(generations: count, copyBytes: copy.bytes)
    }

    /// The planted mistake.
    private var isTooEarly: Bool {
        #if DEBUG
            return PlantedMistake.current == .detachedTooEarly
        #else
            return false
        #endif
    }

    /// Whether the copy has the state of a generation, when these bases have held all the time.
    private func isServed(_ candidate: Candidate, by living: [Candidate]) -> Bool {
        let header = candidate.header
        // Its frames must be there, and of the same journal.
        guard candidate.slot == 0 || journal?.hasSalts(of: header) == true && header.frame <= frames else { return false }
        if bases.contains(where: { $0.pin == candidate.pin }) { return true }
        return living.contains { base in
            base.slot == 0 || candidate.slot > 0 && base.header.hasSalts(of: header) && base.header.frame <= header.frame
        }
    }
}

extension SharedFile {
    /// The generations that hold the journal and are not the newest state.
    var olderPins: [Detaching.Candidate] {
        holdingRecords.compactMap { record in
            guard !record.isNewest(in: index), !record.isLost, case .mark(let slot, _, let pin) = record.holdKind else { return nil }
            return Detaching.Candidate(record: record, pin: pin, slot: slot, header: record.header)
        }
    }

    /// Copies all generations aside that are not the newest state, and checkpoints the journal that they held.
    ///
    /// - Returns: nil when there are none, or when they ended meanwhile.
    /// - Throws: when the copy could not be made. Then everything is as it was.
    func detachOlder() throws(SQLiteError) -> Detaching.Outcome? {
        guard ForkGuard.epoch == epoch else { throw SQLiteError.forked(path: path) }
        // A generation that ends may close the file, which takes the lock: it lives until the lock has been let go.
        var live: (count: Int, only: Generation?) = (0, nil)
        detachLock.lock()
        let result: Result<Detaching.Outcome?, SQLiteError>
        do throws(SQLiteError) {
            result = .success(try detachOlder(keeping: &live))
        } catch {
            result = .failure(error)
        }
        detachLock.unlock()
        return try withExtendedLifetime(live) { () throws(SQLiteError) in try result.get() }
    }

    private func detachOlder(keeping live: inout (count: Int, only: Generation?)) throws(SQLiteError) -> Detaching.Outcome? {
        guard !isClosing, let slots else { return nil }
        let bases = olderPins
        guard !bases.isEmpty else { return nil }
        var detaching = try Detaching(self, slots: slots, bases: bases)
        guard try detaching.copyMost() else { return nil }
        guard writers.acquire() else {
            throw SQLiteError(
                kind: .busy, extendedCode: SQLITE_BUSY, message: "this thread has a transaction open already; end it first", path: path)
        }
        let result: Result<Detaching.Outcome?, SQLiteError>
        do throws(SQLiteError) {
            result = .success(try detaching.moveOver())
        } catch {
            result = .failure(error)
        }
        var isCheckpointed = true
        if case .success(.some(let outcome)) = result {
            counters.detaches.add(UInt64(outcome.generations), ordering: .relaxed)
            // In the same turn, before somebody pins the next state that is soon to be old.
            live = liveState()
            let mode = live.count == 0 ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_FULL
            // What fails here is tried again by the scheduler.
            isCheckpointed = (try? checkpoint(mode: mode, live: live)) == .complete
        }
        writers.release()
        if !isCheckpointed {
            wishShrink()
            CheckpointScheduler.shared.schedule(self, in: 0)
        }
        return try result.get()
    }
}
