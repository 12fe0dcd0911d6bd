internal import CSQLite
import Glibc

/// The read marks of the WAL-index that this process holds, for all pins of a file together.
///
/// Each is a shared lock of an open file description on the byte that SQLite locks for the read mark. Such a lock stands in the way of
/// SQLite's own, of other processes and of this one alike, and no other code in the process can drop it, as a second copy of SQLite does
/// with SQLite's. Where the file system has no such locks, it is one of SQLite's after all, on the anchor's real file: a connection that
/// has read once and never runs SQL again, so that SQLite's own locking never meets ours.
final class SlotPins: @unchecked Sendable {  // guarded by `lock`
    private let file: UnsafeMutablePointer<sqlite3_file>
    private let lock = Lock()
    private var counts: [Int] = Array(repeating: 0, count: WALIndex.slotCount)
    private var marks: [UInt32] = Array(repeating: 0, count: WALIndex.slotCount)
    /// The salts of the journal that each of them was taken for.
    private var journals: [UInt64] = Array(repeating: 0, count: WALIndex.slotCount)
    /// Which of them are held by locks of SQLite's.
    private var anchored: [Bool] = Array(repeating: false, count: WALIndex.slotCount)
    /// What the main file was like when the first of the pins that hold the read mark took it.
    private var witnessed: [WitnessedFile?] = Array(repeating: nil, count: WALIndex.slotCount)
    /// Former looks at the main file under a read mark that is still held. A pin was lost by each of them, because the file had changed;
    /// pins that are taken afterwards are judged by a look of their own.
    private var outdated: [[WitnessedFile?]] = Array(repeating: [], count: WALIndex.slotCount)
    /// How many of those each has: which look pins that are taken now are judged by.
    private var lookNumbers: [UInt8] = Array(repeating: 0, count: WALIndex.slotCount)
    /// Whether a pin was lost by the look in `witnessed`.
    private var isOutdated: [Bool] = Array(repeating: false, count: WALIndex.slotCount)
    /// The last look at the main file, and the journal of that moment.
    private var lastLook: (file: WitnessedFile, journal: UInt64, time: MonotonicTime)?
    private let index: LockDescriptorUse?
    private let main: LockDescriptorUse?
    private let witness: FileWitness
    private let walIndex: WALIndex
    /// Why the last look at the main file failed, until somebody has been told.
    private var lookFailure: SystemError?
    /// The counter of commits when it was looked at last. Only a recovery of the WAL-index sets it back.
    private var lastChange: UInt32 = 0
    private var recoveries = 0
    private let epoch = ForkGuard.epoch

    /// - Parameters:
    ///   - file: the anchor's real main file.
    ///   - path: of the store; the WAL-index exists already.
    ///   - walIndex: mapped by the anchor.
    init(file: UnsafeMutablePointer<sqlite3_file>, path: String, walIndex: WALIndex) throws(SQLiteError) {
        self.file = file
        self.walIndex = walIndex
        main = LockDescriptorUse(path)
        index = LockDescriptorUse(path + "-shm")
        witness = FileWitness(path: path, main: main?.descriptor, index: walIndex)
        if main == nil || index == nil || !witness.hasJournal, SQLiteError.hasNoDescriptorLeft {
            // Pins would hold all the same, but not against other code in the process.
            if let main { LockDescriptors.giveBack(main.key) }
            if let index { LockDescriptors.giveBack(index.key) }
            witness.close()
            throw SQLiteError.noDescriptorLeft(path: path)
        }
        // Without the first, a foreign last close would delete the journal; without the second, a foreign opening would cut off the index.
        if let main { _ = pinview_lock_description(main.descriptor, Int16(F_RDLCK), LockBytes.sharedFirst, LockBytes.sharedSize) }
        if let index { _ = pinview_lock_description(index.descriptor, Int16(F_RDLCK), LockBytes.deadManSwitch, 1) }
    }

    /// Takes a read mark. Call while a transaction holds it: then it cannot fail for another process's sake.
    func acquire(_ slot: Int, mark: UInt32) -> Bool { acquire(slot) { mark } != nil }

    /// Why the main file could not be looked at for a read mark that was to be taken; nil when that was not the reason.
    func takeLookFailure() -> SystemError? {
        lock.withLock {
            defer { lookFailure = nil }
            return lookFailure
        }
    }

    /// Takes a read mark that may be held by nobody.
    ///
    /// - Parameter fittingMark: called while the read mark is held and so cannot change: its value, nil when it does not fit.
    /// - Returns: the value; nil when it did not fit or another process is about to change it.
    func acquire(_ slot: Int, fittingMark: () -> UInt32?) -> UInt32? { lock.withLock { hold(slot, nil, fittingMark) } }

    /// With the lock.
    ///
    /// - Parameter header: of the newest state, if the mark only fits while it is that.
    @inline(__always)
    private func hold(_ slot: Int, _ header: WALHeader?, _ fittingMark: () -> UInt32?) -> UInt32? {
        let wasHeld = isHeld(slot)
        guard wasHeld || lockSlot(slot) else { return nil }
        pinview_full_barrier()
        guard let mark = fittingMark() else {
            if counts[slot] == 0 { unlockSlot(slot) }
            return nil
        }
        if !wasHeld || isOutdated[slot] {
            do throws(SystemError) {
                let seen = try look(slot, mark, header ?? walIndex.header)
                if wasHeld { outdated[slot].append(witnessed[slot]) } else if lookNumbers[slot] > 0 { outdated[slot] = [] }
                lookNumbers[slot] = wasHeld ? lookNumbers[slot] + 1 : 0
                witnessed[slot] = seen
                isOutdated[slot] = false
                lookFailure = nil
            } catch {
                // Nothing could be proved of what the pin reads.
                if counts[slot] == 0 { unlockSlot(slot) }
                lookFailure = error
                return nil
            }
            marks[slot] = mark
            journals[slot] = walIndex.salts
        }
        counts[slot] += 1
        return mark
    }

    /// Whether pins hold a read mark. One that has changed, or whose journal has, is held no more: somebody has taken the lock away, and
    /// the next pin must not rely on it. With the lock.
    private func isHeld(_ slot: Int) -> Bool {
        counts[slot] > 0 && (slot == 0 || walIndex.mark(slot) == marks[slot] && walIndex.salts == journals[slot])
    }

    /// How long a look at the main file serves for other pins. A program that touches the file at rest, without writing into it, must not
    /// be taken for one that has overwritten it.
    private static let lookServes = 0.25

    /// What the main file is like now. A look taken shortly before serves as long as no checkpoint has begun since: nobody but a
    /// checkpoint may write into the file, and who has done so all the same is found out the sooner. With the lock.
    private func look(_ slot: Int, _ mark: UInt32, _ header: WALHeader?) throws(SystemError) -> WitnessedFile? {
        let recoveries = countRecoveries(header)
        let attempted = walIndex.attemptedBackfill, backfilled = walIndex.backfilledFrames
        if slot != 0, let lastLook, let header, lastLook.journal == header.salts,
            witness.serves(lastLook.file, header, mark: mark, recoveries: recoveries), lastLook.time.after(Self.lookServes) > .coarse
        {
            return lastLook.file
        }
        let seen = try witness.pinned(header, mark: mark, attempted: attempted, backfilled: backfilled, recoveries: recoveries)
        lastLook = header.flatMap { header in seen.map { ($0, header.salts, .coarse) } }
        return seen
    }

    /// How often the newest state is looked for. Somebody may commit while its mark is being locked, or be moving that very mark: for some
    /// microseconds, which is less than a transaction of the probe takes.
    private static let attempts = 8

    /// Takes a read mark under which the newest state can be read, without moving any: as SQLite does, but without its transaction.
    ///
    /// - When all of the journal has been copied it is read mark 0, which lets writers begin the journal anew.
    /// - Otherwise one from 1 up that is near enough. SQLite itself takes such a one where it may not move any. A mark below the state's
    ///   last frame is right, for all that a reader needs above it is in the journal, which the lock keeps; checkpoints only stop a little
    ///   sooner.
    ///
    /// - Parameter distance: how many frames the mark may be below the state's last one.
    /// - Returns: nil when no mark is near enough, or others are too busy with them.
    func acquireMarkOfNewest(within distance: UInt32) -> HeldMark? {
        lock.lock()
        defer { lock.unlock() }
        for _ in 0..<Self.attempts {
            // None while a writer is changing it.
            guard let header = walIndex.header else { continue }
            let isCopied = header.frame <= walIndex.backfilledFrames
            guard let slot = isCopied ? 0 : nearestMark(to: header.frame, within: distance) else { return nil }
            // A checkpoint that copies frames above a mark, or a writer that begins the journal anew, first changes the mark, and
            // the salts, and cannot do either while the mark is locked. Under read mark 0 nothing is copied, and who begins the
            // journal anew changes the salts before anything else.
            let mark = hold(slot, header) {
                guard walIndex.isAt(header), !isCopied || header.frame <= walIndex.backfilledFrames else { return nil }
                let mark = walIndex.mark(slot)
                return mark <= header.frame ? mark : nil
            }
            if let mark { return HeldMark(slot: slot, mark: mark, header: header, look: lookNumbers[slot]) }
        }
        return nil
    }

    /// A mark that is held already costs no system call; else the highest. With the lock.
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
        // A forked child shares the description: letting go there would take the parent's lock away.
        guard ForkGuard.epoch == epoch else { return }
        lock.withLock {
            counts[slot] -= 1
            if counts[slot] == 0 { unlockSlot(slot) }
        }
    }

    /// Whether a planted mistake leaves out the locks.
    private var isUnlocked: Bool {
        #if DEBUG
            return PlantedMistake.arePinsUnlocked
        #else
            return false
        #endif
    }

    /// - Returns: 0, or an error number.
    private func lockDescription(_ slot: Int, _ type: Int32) -> Int32 {
        guard let index else { return EBADF }
        return pinview_lock_description(index.descriptor, Int16(type), LockBytes.firstReadMark + Int64(slot), 1)
    }

    /// Whether a pin forbids copying anything into the file, and the lowest frame up to which pins allow it (nil: no pins).
    var checkpointLimit: (isBlocked: Bool, lowestMark: UInt32?) {
        lock.withLock {
            var lowest: UInt32?
            for slot in 1..<WALIndex.slotCount where counts[slot] > 0 { lowest = min(lowest ?? .max, marks[slot]) }
            return (counts[0] > 0, lowest)
        }
    }

    /// Whether pins of this process keep the journal from being begun anew.
    var holdsJournal: Bool { lock.withLock { counts.dropFirst().contains { $0 > 0 } } }

    /// The read marks that this process holds.
    var heldSlots: Set<Int> { lock.withLock { Set(counts.indices.filter { counts[$0] > 0 }) } }

    /// The time and size of the main file, which do not change while read mark 0 is held.
    /// nil where the file could not be opened for this.
    var fileStamp: FileStamp? { get throws(SystemError) { try witness.stamp } }

    /// The WAL-index, for mapping; open as long as the file is.
    var indexDescriptor: Int32? { index?.descriptor }

    /// The main file, for reading. Nobody else may open it: closing it again would drop SQLite's locks.
    var mainDescriptor: Int32? { main?.descriptor }

    /// Which look at the main file pins of a read mark that are taken now are judged by.
    func currentLook(_ slot: Int) -> UInt8 { lock.withLock { lookNumbers[slot] } }

    /// What the main file was like when the read mark, which is held, was taken.
    func witnessed(_ slot: Int, look: UInt8) -> WitnessedFile? {
        lock.withLock { lookNumbers[slot] > look ? outdated[slot][Int(look)] : witnessed[slot] }
    }

    func verdict(of pin: SlotPin, _ pinned: WitnessedFile?, after reads: PageReads) -> PinVerdict {
        let verdict = witness.verdict(of: pin.header, slot: pin.slot, pinned, after: reads) {
            lock.withLock { countRecoveries(walIndex.header) } != pinned?.recoveries
        }
        if case .lost = verdict { noteLoss(pin.slot, pinned) }
        return verdict
    }

    /// Pins that are taken from now on are of the file as it has become.
    func noteLoss(_ slot: Int, _ pinned: WitnessedFile?) {
        lock.withLock {
            lastLook = nil
            // As many looks as a number has room for; after that new pins are lost until all have let the read mark go.
            if let pinned, witnessed[slot] === pinned, lookNumbers[slot] < .max { isOutdated[slot] = true }
        }
    }

    /// With the lock.
    private func countRecoveries(_ header: WALHeader?) -> Int {
        if let header {
            if header.change < lastChange { recoveries += 1 }
            lastChange = header.change
        }
        return recoveries
    }

    /// Whether the path of the journal still names the one that pins read.
    func namesJournal(_ path: String) -> Bool { witness.namesJournal(path) }

    /// Lets everything go, just before the anchor is closed.
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
            witness.close()
        }
    }
}
