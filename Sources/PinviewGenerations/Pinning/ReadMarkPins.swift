internal import CPlatform
internal import CSQLite
import Glibc

/// The read marks of the WAL-index that this process holds, for all pins of a file together.
///
/// Each is a shared lock of an open file description on the byte that SQLite locks for the read
/// mark. It conflicts with SQLite's own locks, of other processes and of this one, and unlike those
/// it cannot be dropped by other code in the process, such as a second copy of SQLite. If the file
/// system does not support such locks, SQLite's own are used, on the anchor's real file: the anchor
/// is a connection that has read once and never runs SQL again, so that SQLite's locking does not
/// interfere.
final class ReadMarkPins: @unchecked Sendable {  // guarded by `lock`
    private let file: UnsafeMutablePointer<sqlite3_file>
    private let lock = Lock()
    @exclusivity(unchecked) private var counts: [Int] = Array(repeating: 0, count: WALIndex.slotCount)
    @exclusivity(unchecked) private var marks: [UInt32] = Array(repeating: 0, count: WALIndex.slotCount)
    /// The salts of the journal for which each mark was taken.
    @exclusivity(unchecked) private var journals: [UInt64] = Array(repeating: 0, count: WALIndex.slotCount)
    /// Which marks are held by SQLite's own locks.
    @exclusivity(unchecked) private var anchored: [Bool] = Array(repeating: false, count: WALIndex.slotCount)
    /// The observation of the main file made by the first pin that holds each mark.
    @exclusivity(unchecked) private var observed: [FileObservation?] = Array(repeating: nil, count: WALIndex.slotCount)
    /// Earlier observations under a read mark that is still held. By each of them a pin was lost,
    /// because the file had changed; later pins are verified by an observation of their own.
    @exclusivity(unchecked) private var outdated: [[FileObservation?]] = Array(repeating: [], count: WALIndex.slotCount)
    /// The number of outdated observations for each mark, which identifies the current one.
    @exclusivity(unchecked) private var observationNumbers: [UInt8] = Array(repeating: 0, count: WALIndex.slotCount)
    /// Whether a pin was lost by the current observation.
    @exclusivity(unchecked) private var isOutdated: [Bool] = Array(repeating: false, count: WALIndex.slotCount)
    /// The latest observation of the main file, and the journal at that time.
    @exclusivity(unchecked) private var lastObservation: (file: FileObservation, journal: UInt64, time: MonotonicTime)?
    private let index: LockDescriptorUse?
    private let main: LockDescriptorUse?
    private let observer: FileObserver
    private let walIndex: WALIndex
    /// Why the latest observation failed, until it has been reported.
    @exclusivity(unchecked) private var observationFailure: SystemError?
    /// The commit counter when it was last read. Only a recovery of the WAL-index sets it back.
    @exclusivity(unchecked) private var lastChange: UInt32 = 0
    @exclusivity(unchecked) private var recoveries = 0
    private let epoch = ForkGuard.epoch

    /// - Parameters:
    /// - file: the anchor's real main file.
    ///   - path: the path of the store, whose WAL-index exists already.
    ///   - walIndex: mapped by the anchor.
    init(file: UnsafeMutablePointer<sqlite3_file>, path: String, walIndex: WALIndex) throws(SQLiteError) {
        self.file = file
        self.walIndex = walIndex
        main = LockDescriptorUse(path)
        index = LockDescriptorUse(path + "-shm")
        observer = FileObserver(path: path, main: main?.descriptor, index: walIndex)
        if main == nil || index == nil || !observer.hasJournal, SQLiteError.hasNoDescriptorLeft {
            // Pins would hold, but not against other code in the process.
            if let main { LockDescriptors.giveBack(main.key) }
            if let index { LockDescriptors.giveBack(index.key) }
            observer.close()
            throw SQLiteError.noDescriptorLeft(path: path)
        }
        // Without the first, the last close of another process would delete the journal; without
        // the second, another process that opens the file would truncate the index.
        if let main { _ = pinview_lock_description(main.descriptor, Int16(F_RDLCK), LockBytes.sharedFirst, LockBytes.sharedSize) }
        if let index { _ = pinview_lock_description(index.descriptor, Int16(F_RDLCK), LockBytes.deadManSwitch, 1) }
    }

    /// Takes a read mark that a transaction holds, so that no other process can prevent it.
    func acquire(_ slot: Int, mark: UInt32) -> Bool { acquire(slot) { mark } != nil }

    /// Why the main file could not be observed for a read mark to be taken; nil if that was not the
    /// reason.
    func takeObservationFailure() -> SystemError? {
        lock.withLock {
            defer { observationFailure = nil }
            return observationFailure
        }
    }

    /// Takes a read mark that possibly nobody holds.
    ///
    /// - Parameter fittingMark: called while the read mark is locked, so that it cannot change.
    ///   Returns its value; nil if it does not fit.
    /// - Returns: the value; nil if it did not fit or another process is about to change it.
    func acquire(_ slot: Int, fittingMark: () -> UInt32?) -> UInt32? { lock.withLock { hold(slot, nil, fittingMark) } }

    /// Call with the lock held.
    ///
    /// - Parameter header: the header of the newest state, if the mark only fits while that is the
    ///   newest.
    @inline(__always)
    private func hold(_ slot: Int, _ header: WALHeader?, _ fittingMark: () -> UInt32?) -> UInt32? {
        let wasHeld = isHeld(slot)
        // After a loss the lock may be gone too. Without it, a checkpoint could copy frames into the
        // file between the look at the header and the observation. Locking twice does no harm.
        guard wasHeld && !isOutdated[slot] || lockSlot(slot) else { return nil }
        pinview_full_barrier()
        guard let mark = fittingMark() else {
            if counts[slot] == 0 { unlockSlot(slot) }
            return nil
        }
        if !wasHeld || isOutdated[slot] {
            do throws(SystemError) {
                let seen = try observe(slot, mark, header ?? walIndex.header)
                if wasHeld { outdated[slot].append(observed[slot]) } else if observationNumbers[slot] > 0 { outdated[slot] = [] }
                observationNumbers[slot] = wasHeld ? observationNumbers[slot] + 1 : 0
                observed[slot] = seen
                isOutdated[slot] = false
                observationFailure = nil
            } catch {
                // The pages that the pin reads could not be verified.
                if counts[slot] == 0 { unlockSlot(slot) }
                observationFailure = error
                return nil
            }
            marks[slot] = mark
            journals[slot] = walIndex.salts
        }
        counts[slot] += 1
        #if DEBUG
            if InjectedFault.current == .lostLocks { unlockSlot(slot) }
        #endif
        return mark
    }

    /// Whether pins hold a read mark. If the mark or its journal has changed, someone has taken the
    /// lock away, and the next pin must not rely on it. Call with the lock held.
    private func isHeld(_ slot: Int) -> Bool {
        counts[slot] > 0 && (slot == 0 || walIndex.mark(slot) == marks[slot] && walIndex.salts == journals[slot])
    }

    /// Seconds for which an observation of the main file can be used for other pins. Limited, so
    /// that a program which touches the idle file without writing to it is not taken for one that
    /// has overwritten it.
    private static let observationLifetime = 0.25

    /// Observes the main file. A recent observation is reused as long as no checkpoint has begun
    /// since: nobody but a checkpoint may write to the file, and anyone who does so is found out
    /// all the sooner. Call with the lock held.
    private func observe(_ slot: Int, _ mark: UInt32, _ header: WALHeader?) throws(SystemError) -> FileObservation? {
        let recoveries = countRecoveries(header)
        let attempted = walIndex.attemptedBackfill, backfilled = walIndex.backfilledFrames
        if slot != 0, let lastObservation, let header, lastObservation.journal == header.salts,
            observer.serves(lastObservation.file, header, mark: mark, recoveries: recoveries),
            lastObservation.time.after(Self.observationLifetime) > .coarse
        {
            return lastObservation.file
        }
        let seen = try observer.observe(header, mark: mark, attempted: attempted, backfilled: backfilled, recoveries: recoveries)
        lastObservation = header.flatMap { header in seen.map { ($0, header.salts, .coarse) } }
        return seen
    }

    /// How often to try. Someone may commit while the newest mark is being locked, or be moving
    /// that very mark, which takes some microseconds: less than a transaction of the probe.
    private static let attempts = 8

    /// Takes a read mark that fits the newest state, without moving any: as SQLite does, but
    /// without a transaction.
    ///
    /// - If all of the journal has been copied, this is read mark 0, which lets writers restart the
    ///   journal.
    /// - Otherwise it is one from 1 up that is close enough. SQLite itself uses such a mark if it
    ///   may not move any. A mark below the state's last frame is correct, because the frames above
    ///   it stay in the journal while it is locked; checkpoints only stop a little earlier.
    ///
    /// - Parameter distance: how many frames the mark may be below the state's last one.
    /// - Returns: nil if no mark is close enough, or others are too busy with them.
    func acquireMarkOfNewest(within distance: UInt32) -> HeldMark? {
        lock.lock()
        defer { lock.unlock() }
        for _ in 0..<Self.attempts {
            // nil while a writer changes it.
            guard let header = walIndex.header else { continue }
            let isCopied = header.frame <= walIndex.backfilledFrames
            guard let slot = isCopied ? 0 : nearestMark(to: header.frame, within: distance) else { return nil }
            // A checkpoint that copies frames above a mark, or a writer that restarts the journal,
            // must first change the mark or the salts, and cannot while the mark is locked. Under
            // read mark 0 nothing is copied, and a writer that restarts the journal changes the
            // salts first.
            let mark = hold(slot, header) {
                guard walIndex.isAt(header), !isCopied || header.frame <= walIndex.backfilledFrames else { return nil }
                let mark = walIndex.mark(slot)
                return mark <= header.frame ? mark : nil
            }
            if let mark { return HeldMark(slot: slot, mark: mark, header: header, observation: observationNumbers[slot]) }
        }
        return nil
    }

    /// Prefers a mark that is held already, which needs no system call; otherwise the highest. Call
    /// with the lock held.
    private func nearestMark(to frame: UInt32, within distance: UInt32) -> Int? {
        var best: Int?, highest: UInt32 = 0
        for slot in 1..<WALIndex.slotCount {
            let mark = walIndex.mark(slot)
            guard mark <= frame, frame - mark <= distance else { continue }
            if counts[slot] > 0 { return isHeld(slot) ? slot : nil }
            if best == nil || mark > highest { (best, highest) = (slot, mark) }
        }
        return best
    }

    private func lockSlot(_ slot: Int) -> Bool {
        guard !isUnlocked else { return true }
        switch lockDescription(slot, F_RDLCK) {
        case 0: return true
        case EAGAIN, EACCES: return false
        default: break
        }
        guard let shmLock = file.pointee.pMethods?.pointee.xShmLock,
            shmLock(file, firstReadLock + Int32(slot), 1, SQLITE_SHM_LOCK | SQLITE_SHM_SHARED) == SQLITE_OK
        else { return false }
        anchored[slot] = true
        return true
    }

    private func unlockSlot(_ slot: Int) {
        guard !isUnlocked else { return }
        guard anchored[slot], let shmLock = file.pointee.pMethods?.pointee.xShmLock else { return _ = lockDescription(slot, F_UNLCK) }
        anchored[slot] = false
        _ = shmLock(file, firstReadLock + Int32(slot), 1, SQLITE_SHM_UNLOCK | SQLITE_SHM_SHARED)
    }

    func release(_ slot: Int) {
        // A forked child shares the description: releasing the lock there would take it from the
        // parent.
        guard ForkGuard.epoch == epoch else { return }
        lock.withLock {
            counts[slot] -= 1
            if counts[slot] == 0 { unlockSlot(slot) }
        }
    }

    /// Whether a fault is injected that omits the locks.
    private var isUnlocked: Bool {
        #if DEBUG
            return InjectedFault.current == .noSlotLock
        #else
            return false
        #endif
    }

    /// - Returns: 0, or an error number.
    private func lockDescription(_ slot: Int, _ type: Int32) -> Int32 {
        guard let index else { return EBADF }
        return pinview_lock_description(index.descriptor, Int16(type), LockBytes.firstReadMark + Int64(slot), 1)
    }

    /// Whether a pin prevents copying anything into the file, and the lowest frame up to which pins
    /// allow it (nil if there are no pins).
    var checkpointLimit: (isBlocked: Bool, lowestMark: UInt32?) {
        lock.withLock {
            var lowest: UInt32?
            for slot in 1..<WALIndex.slotCount where counts[slot] > 0 { lowest = min(lowest ?? .max, marks[slot]) }
            return (counts[0] > 0, lowest)
        }
    }

    /// Whether pins of this process prevent a restart of the journal.
    var holdsJournal: Bool { lock.withLock { counts.dropFirst().contains { $0 > 0 } } }

    /// The read marks that this process holds.
    var heldSlots: Set<Int> { lock.withLock { Set(counts.indices.filter { counts[$0] > 0 }) } }

    /// The time and size of the main file, which do not change while read mark 0 is held; nil if
    /// the file could not be opened for this.
    var fileStamp: FileStamp? { get throws(SystemError) { try observer.stamp } }

    /// A descriptor of the WAL-index for mapping it; open as long as the file is.
    var indexDescriptor: Int32? { index?.descriptor }

    /// A descriptor of the main file for reading. Do not open another: closing it would drop
    /// SQLite's locks.
    var mainDescriptor: Int32? { main?.descriptor }

    /// The number of the observation by which pins of a read mark that are taken now are verified.
    func currentObservation(_ slot: Int) -> UInt8 { lock.withLock { observationNumbers[slot] } }

    /// The observation by which pins of a read mark, which is held, are verified.
    func observed(_ slot: Int, observation: UInt8) -> FileObservation? {
        lock.withLock { observationNumbers[slot] > observation ? outdated[slot][Int(observation)] : observed[slot] }
    }

    func verdict(of pin: ReadMarkPin, _ pinned: FileObservation?, after reads: PageReads) -> PinVerdict {
        let verdict = observer.verdict(of: pin.header, slot: pin.slot, pinned, after: reads) {
            lock.withLock { countRecoveries(walIndex.header) } != pinned?.recoveries
        }
        if case .lost = verdict { noteLoss(pin.slot, pinned) }
        return verdict
    }

    /// Later pins refer to the changed file.
    func noteLoss(_ slot: Int, _ pinned: FileObservation?) {
        lock.withLock {
            lastObservation = nil
            // The number has eight bits. After that, new pins are lost until all have released the
            // read mark.
            if let pinned, observed[slot] === pinned, observationNumbers[slot] < .max { isOutdated[slot] = true }
        }
    }

    /// Call with the lock held.
    private func countRecoveries(_ header: WALHeader?) -> Int {
        if let header {
            if header.change < lastChange { recoveries += 1 }
            lastChange = header.change
        }
        return recoveries
    }

    /// Whether the path of the journal still refers to the journal that pins read.
    func namesJournal(_ path: String) -> Bool { observer.namesJournal(path) }

    /// Releases everything, just before the anchor is closed.
    func close() {
        lock.withLock {
            if let main {
                _ = pinview_lock_description(main.descriptor, Int16(F_UNLCK), 0, 0)
                LockDescriptors.giveBack(main.key)
            }
            if let index {
                _ = pinview_lock_description(index.descriptor, Int16(F_UNLCK), 0, 0)
                LockDescriptors.giveBack(index.key)
            }
            observer.close()
        }
    }
}
