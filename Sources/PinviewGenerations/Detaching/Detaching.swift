internal import CSQLite
import Glibc

/// Copies the state of old generations aside while their pins hold: the main file, the journal's
/// frames up to the youngest of the generations, and their part of the WAL-index. Writers,
/// checkpoints and other processes go on meanwhile.
///
///          store                              copy
///     ┌─────────────┐                    ┌─────────────┐
///     │ main file   │ ─── 1. copy ─────→ │ main file   │
///     └─────────────┘                    └─────────────┘
///     ┌─────────────┐                    ┌─────────────┐
///     │ frames 1…B  │                    │ frames 1…B  │  B  last frame of the youngest base
///     │       …M    │ ─── 2. copy ─────→ │       …M    │  M  last frame of the youngest generation
///     │       …     │                    └─────────────┘     moved over
///     └─────────────┘                    ┌─────────────┐
///     │ WAL-index   │ ─── 3. copy ─────→ │ regions     │  4. verify the pins, then move the
///     └─────────────┘                    └─────────────┘     generations over
///
/// **Why the copy is correct.** Consider a generation pinned at frame M.
///
/// - *Read mark 1 or higher.* Its readers take pages that have a frame up to M from the journal and
///   all other pages from the main file. Frames 1…M do not change while the pin holds. No
///   checkpoint copies frames above the pin's mark, which is at most M, into the main file. So
///   every page that is written to the main file meanwhile has a frame up to M and is not read from
///   there: it may be torn or new in the copy without any reader seeing it. The file is truncated
///   only after all frames have been copied into it, which the pin of a generation other than the
///   newest prevents.
/// - *Read mark 0.* Its readers take all pages from the main file, and nothing is copied into that
///   while anyone holds read mark 0. The journal may be restarted and is ignored.
///
/// Generations that are pinned while the copy is being made can move to it as well (a busy store
/// would otherwise always have some old generation that holds its journal), provided that one of
/// the original generations, a *base*, lives until the end:
///
/// - A base with read mark 0 keeps the main file unchanged all the time.
/// - A base with another read mark, at frame B, prevents the journal from being restarted. A later
///   generation in it, at frame M ≥ B, takes pages that have frames up to M from the journal; all
///   other pages are among those that the base takes from the main file.
///
/// After the last byte has been copied, the pins are verified (`ReadMarkPin.verdict`). A generation
/// whose pin cannot be verified stays where it is, and its next read reports it as lost.
struct Detaching {
    /// A generation that holds the journal at this moment.
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
    /// The journal that is being copied, and the number of its frames copied so far.
    private var journal: WALHeader?
    private var frames: UInt32 = 0

    /// When fewer frames than this are left, they are copied while writers wait.
    private static let lastStep: UInt32 = 256

    init(_ file: SharedFile, slots: ReadMarkPins, bases: [Candidate]) throws(SQLiteError) {
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

    /// Copies what there is so far, while writers go on.
    ///
    /// - Returns: false if the copy is no longer wanted.
    mutating func copyMost() throws(SQLiteError) -> Bool {
        if !isTooEarly { guard try copyMain() else { return false } }
        for _ in 0..<3 {
            let before = frames
            guard try copyFrames(of: file.olderPins) else { return false }
            if frames - min(before, frames) < Self.lastStep { break }
        }
        return isWanted
    }

    /// Copies the frames committed since.
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

    /// Copies the frames up to the youngest of the given generations.
    private mutating func copyFrames(of candidates: [Candidate]) throws(SQLiteError) -> Bool {
        let youngest = candidates.filter { $0.slot > 0 }.max { $0.header.frame < $1.header.frame }
        guard let header = youngest?.header else { return isWanted }
        if journal?.hasSalts(of: header) != true { frames = 0 }
        journal = header
        guard header.frame > frames else { return isWanted }
        let path = file.path + "-wal"
        // SQLite holds no lock on the journal, so closing a descriptor of it is harmless.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileCopy.failure(errno, path) }
        defer { close(descriptor) }
        // The journal is not the one that the pins hold: they have lost it.
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

    /// Whether a journal file has the salts of a header, which the file stores in the same byte
    /// order.
    private static func hasSalts(_ descriptor: Int32, _ header: WALHeader) -> Bool {
        let bytes = Bytes.read(32, at: 0, from: descriptor)
        guard bytes.count == 32 else { return false }
        return bytes.withUnsafeBytes {
            $0.load(fromByteOffset: 16, as: UInt32.self) == header.salt1 && $0.load(fromByteOffset: 20, as: UInt32.self) == header.salt2
        }
    }

    /// Copies the rest and moves the generations over. Call in the writers' turn, so that nobody in
    /// this process commits meanwhile.
    ///
    /// - Returns: nil if the copy is no longer wanted or could not be verified.
    mutating func moveOver() throws(SQLiteError) -> Outcome? {
        let candidates = file.olderPins
        guard try copyFrames(of: candidates) else { return nil }
        let file = self.file
        guard let regions = IndexRegions(frames: frames, region: { file.indexRegion($0) }) else {
            throw FileCopy.failure(EIO, file.path, "the WAL-index could not be copied")
        }
        // From here on, nothing is read that a pin has to protect.
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

    /// Whether the fault is injected that copies the main file after its pins have been released.
    private var isTooEarly: Bool {
        #if DEBUG
            return InjectedFault.current == .detachedTooEarly
        #else
            return false
        #endif
    }

    /// Whether the copy contains a generation, given the bases whose pins have held all the time.
    private func isServed(_ candidate: Candidate, by living: [Candidate]) -> Bool {
        let header = candidate.header
        // Its frames must have been copied, from the same journal.
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

    /// Copies all generations aside that are not the newest state, and checkpoints the journal that
    /// they held.
    ///
    /// - Returns: nil if there are none, or they ended meanwhile.
    /// - Throws: if the copy could not be made. Nothing has changed then.
    func detachOlder() throws(SQLiteError) -> Detaching.Outcome? {
        guard ForkGuard.epoch == epoch else { throw SQLiteError.forked(path: path) }
        // Kept alive until unlocking: a generation that ends may close the file, which takes the
        // lock.
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
            // In the same turn, before anyone pins the next state that will soon be old.
            live = liveState()
            let mode = live.count == 0 ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_FULL
            // On failure, the scheduler tries again.
            isCheckpointed = (try? checkpoint(mode: mode, live: live)) == .complete
        }
        writers.release()
        if !isCheckpointed {
            requestShrink()
            CheckpointScheduler.shared.schedule(self, in: 0)
        }
        return try result.get()
    }
}
