internal import CSQLite
import Glibc
import Synchronization

/// What all stores of the process on one WAL-mode file share: the anchor that holds read marks, the
/// probe that finds them, the generations, and the queue of writers.
///
/// The anchor is opened first and closed last: while it is open, nobody can delete the journal or
/// leave WAL mode.
final class SharedFile: @unchecked Sendable {  // see the locks below
    let path: String
    let key: LockDescriptors.FileKey
    let epoch = ForkGuard.epoch
    /// Orders writers and checkpoints one after another.
    let writers = WriterQueue()
    let index: WALIndex
    let counters = JournalCounters()
    /// Nil where generations are open transactions.
    let slots: SlotPins?
    /// The number of open stores and living generations. `FileRegistry` counts them, and closes the
    /// file after the last one.
    let uses = Atomic<Int>(0)
    /// Whether somebody listens to commits.
    let hasListeners = Atomic<Bool>(false)
    /// Nil where generations cannot be published to other processes.
    let publications: PublicationLocks?
    /// Nil where there are none, or where the WAL-index is read-only.
    let exclusiveLocks: ExclusiveLocks?
    private let anchor: Connection
    private let probe: Probe?
    private let options: StoreFileOptions
    /// See `StoreFileOptions`.
    var historySizeSQL: String? { options.historySizeSQL }

    /// Guards the table of generations and the probe. Nothing that could end a generation happens
    /// under it.
    private let pinLock = Lock()
    private var newest: LightReference<Generation>?
    /// The header of that generation, so that another request for it reads nothing else.
    private var newestHeader = CompactWALHeader(WALHeader())
    private var lastOrdinal: UInt64 = 0
    private var lastTaken: (state: GenerationIdentity, rank: UInt64)?
    private var lastPinSerial: UInt64 = 0
    private var idleTransactions: [Connection] = []

    /// Nothing is called while it is held.
    private let countLock = Lock()
    private var live: [GenerationRecord] = []  // each knows its index
    /// The ordinals of those that do not hold the journal any more.
    private var detached: Set<UInt64> = []
    private var isShrinkWanted = false

    /// The writing connections of the open stores. Requires the writers' turn.
    private var writingConnections: [(connection: Connection, busyTimeout: Double)] = []
    private var isClosed = false
    /// The next commit requests a checkpoint from this number of frames. Requires the writers'
    /// turn.
    private var nextCheckpointFrame = CheckpointScheduler.frameThreshold
    /// The number of frames at the last partial checkpoint, which bounds the work of those.
    /// Requires the writers' turn.
    var lastPartialFrame: UInt32 = 0
    /// Requires the writers' turn.
    var secondSQLiteCheck = SecondSQLiteCheck()
    let pools = PoolList()
    /// What to do when old pins make the journal long.
    let watch = JournalWatch()
    /// Guards the WAL-index, which is unmapped when the file is closed, for the scheduler's thread,
    /// which may use a file at that very moment. All others keep the file open while they use it.
    private let indexLock = Lock()
    private var isIndexOpen = true
    /// What pins and history take on the disk besides.
    let meter = CostMeter()
    /// Held while generations are copied aside. Taken before the writers' turn; nothing that could end a generation
    /// happens under it.
    let detachLock = Lock()
    /// Held while the journal is let go of together with other processes, also while they are waited for. Taken before `detachLock`, by
    /// the scheduler's thread and by who closes the file; nothing that could end a generation happens under it.
    let releaseLock = Lock()
    /// With `detachLock`: no copy may begin, for the file is about to be closed.
    private(set) var isClosing = false

    private static let idleTransactionLimit = 8

    /// Opens the anchor and the probe.
    ///
    /// - Parameter path: a file in WAL mode.
    /// - Returns: nil if the WAL-index cannot be read and written, so that there are no
    ///   generations.
    static func open(path: String, key: LockDescriptors.FileKey, options: StoreFileOptions) throws(SQLiteError) -> SharedFile? {
        let flags = options.isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
        let vfs = options.usesOpenTransactions ? nil : ShimVFS.shared
        let anchor = try Connection(path: path, flags: flags, vfs: vfs == nil ? nil : "unix", part: .anchor)
        anchor.setBusyTimeout(options.busyTimeout)
        // A connection that never read has no WAL-index.
        _ = try anchor.value("PRAGMA schema_version")
        guard let file = anchor.mainFile, let index = WALIndex(file: file) else { return nil }
        CopyFiles.removeLeftovers(of: path)
        let probe: Probe?
        if let vfs { probe = try Probe(path: path, flags: flags, vfs: vfs) } else { probe = nil }
        return SharedFile(
            path: path, key: key, options: options, anchor: anchor, index: index, probe: probe,
            slots: probe == nil ? nil : try SlotPins(file: file, path: path, walIndex: index))
    }

    private init(
        path: String, key: LockDescriptors.FileKey, options: StoreFileOptions, anchor: Connection, index: WALIndex, probe: Probe?,
        slots: SlotPins?
    ) {
        self.path = path
        self.key = key
        self.options = options
        self.anchor = anchor
        self.index = index
        self.probe = probe
        self.slots = slots
        publications = slots == nil ? nil : PublicationLocks(path: path)
        exclusiveLocks = slots == nil || options.isReadOnly ? nil : ExclusiveLocks.take(index: path + "-shm")
    }

    deinit { newest?.release() }

    /// Makes the last connection leave the journal as it is, unless somebody else has begun to use
    /// the file.
    func leaveJournal() {
        guard uses.load(ordering: .acquiring) <= 1 else { return }
        _ = pinview_set_no_checkpoint_on_close(anchor.handle, 1)
        probe?.leaveJournal()
    }

    /// Closes the connections. Nobody uses the file any more: there is no open store and no
    /// generation, and the scheduler finds the file closed.
    func close() {
        guard ForkGuard.epoch == epoch else { return }
        // Somebody who copies notices soon that no generation needs the copy any more, and who waits for other processes that the file is
        // about to be closed.
        detachLock.withLock { isClosing = true }
        releaseLock.withLock {}
        releaseLocks?.endSharing(.near)
        let hasTurn = writers.acquire()
        defer { if hasTurn { writers.release() } }
        isClosed = true
        CommitWatcher.shared.forget(self)
        for connection in idleTransactions { connection.close() }
        idleTransactions = []
        probe?.close()
        slots?.close()
        publications?.close()
        exclusiveLocks?.giveBack(Unmanaged.passUnretained(self).toOpaque())
        indexLock.withLock { isIndexOpen = false }
        anchor.close()
    }

    /// For the scheduler's thread.
    ///
    /// - Returns: nil if the file has been closed.
    func withOpenIndex<R>(_ body: (WALIndex) -> R) -> R? { indexLock.withLock { isIndexOpen ? body(index) : nil } }

    func identity(of header: WALHeader) -> GenerationIdentity { CompactWALHeader(header).identity(in: key) }

    // MARK: Generations

    /// The newest generation, pinned.
    func currentGeneration() throws(SQLiteError) -> Generation {
        pinLock.lock()
        if newestHeader.isNewest(in: index), let known = newest?.object {
            pinLock.unlock()
            counters.sharedPins.increment()
            return known
        }
        let known = newest?.object
        let result: Result<Generation, SQLiteError>
        do throws(SQLiteError) {
            result = .success(try takeNewest(known))
        } catch {
            result = .failure(error)
        }
        pinLock.unlock()
        // A generation that ends takes locks: it is released after ours has been unlocked.
        return try withExtendedLifetime(known) { () throws(SQLiteError) in try result.get() }
    }

    private func takeNewest(_ known: Generation?) throws(SQLiteError) -> Generation {
        let record: GenerationRecord
        if let probe, let slots {
            let held: HeldMark
            if let near = holdNearMark(slots) { held = near } else { held = try holdByProbe(probe, slots) }
            if let known, identity(of: held.header) == known.identity {
                slots.release(held.slot)
                counters.sharedPins.increment()
                return known
            }
            record = GenerationRecord(file: self, slots: slots, ordinal: lastOrdinal + 1, rank: rank(of: held.header), held: held)
        } else {
            let (connection, header) = try beginTransaction()
            record = GenerationRecord(
                file: self, ordinal: lastOrdinal + 1, rank: rank(of: header), header: header,
                hold: .transaction(OpenTransaction(connection: connection, file: self)),
                isAdopted: false)
        }
        counters.pins.increment()
        let generation = add(record)
        setNewest(generation)
        return generation
    }

    /// The rank of the generation about to be pinned. Caches keep their content if nobody has
    /// committed since the last one.
    private func rank(of header: WALHeader) -> UInt64 {
        let state = identity(of: header)
        if lastTaken?.state != state { lastTaken = (state, 1 << 63 | lastOrdinal + 1) }
        return lastTaken?.rank ?? 0
    }

    private func setNewest(_ generation: Generation) {
        newest?.release()
        newest = LightReference(generation)
        newestHeader = generation.record.compactHeader
    }

    /// After a generation is lost: the next request for the newest generation gets another one.
    func forgetNewest(_ generation: Generation) {
        // The last reference to another generation must not be released with the lock held.
        let known = pinLock.withLock { () -> Generation? in
            guard let reference = newest, let known = reference.object else { return nil }
            if known === generation {
                newest = nil
                reference.release()
            }
            return known
        }
        withExtendedLifetime(known) {}
    }

    /// Adds a new generation. Requires `pinLock`.
    private func add(_ record: GenerationRecord) -> Generation {
        lastOrdinal = record.ordinal
        countLock.withLock {
            record.place = Int32(live.count)
            live.append(record)
        }
        FileRegistry.retain(self)
        let frames = index.frameCount
        if watch.begin(frames: frames) {
            let delay = watch.isNear(frames) ? CheckpointScheduler.nearWatchInterval : CheckpointScheduler.watchInterval
            CheckpointScheduler.shared.watch(self, in: delay)
        }
        return Generation(record: record)
    }

    /// Requires `countLock`.
    private func remove(_ record: GenerationRecord) {
        guard isLive(record), let last = live.popLast() else { return }
        if last !== record {
            live[Int(record.place)] = last
            last.place = record.place
        }
        record.place = -1
    }

    /// Requires `countLock`.
    private func isLive(_ record: GenerationRecord) -> Bool { record.place >= 0 }

    /// The generation with a name: the one that lives in this process, or else a new one with the
    /// hold that `take` returns.
    func generation(
        named name: GenerationName, take: (_ serial: UInt64) throws(SQLiteError) -> GenerationRecord.Hold?
    ) throws(SQLiteError) -> Generation? {
        pinLock.lock()
        defer { pinLock.unlock() }
        let records = countLock.withLock { live.filter { $0.identity == name.identity && !$0.isLost } }
        for record in records where record.name == name {
            if let generation = record.generation { return generation }
        }
        guard let hold = try take(lastPinSerial + 1) else { return nil }
        // One for the pin, one for the copy if there is one.
        lastPinSerial += 2
        let generation = add(
            GenerationRecord(
                file: self, ordinal: lastOrdinal + 1, rank: lastOrdinal + 1, header: name.header, hold: hold, isAdopted: true))
        counters.adoptions.increment()
        if case .detached = hold {
            countLock.withLock { _ = detached.insert(generation.ordinal) }
        } else if newest?.object == nil, index.isAt(name.header) {
            setNewest(generation)
        }
        return generation
    }

    /// All generations that live now, the oldest first.
    var liveRecords: [GenerationRecord] { countLock.withLock { live }.sorted { $0.ordinal < $1.ordinal } }

    /// How many frames below the newest one a read mark may be for a pin to use it. The larger it
    /// is, the fewer pins move a mark, which takes a transaction of SQLite; the smaller, the more a
    /// checkpoint can copy under the pin.
    private static let nearbyFrames: UInt32 = 64

    /// Holds the newest state at an existing read mark: without SQLite, and without a system call
    /// if the mark is held already.
    private func holdNearMark(_ slots: SlotPins) -> HeldMark? {
        #if DEBUG
            // The injected fault is in the probe.
            if InjectedFault.current == .lateHeader { return nil }
        #endif
        return slots.acquireMarkOfNewest(within: Self.nearbyFrames)
    }

    /// Holds the read mark of the newest state before the probe releases it.
    private func holdByProbe(_ probe: Probe, _ slots: SlotPins) throws(SQLiteError) -> HeldMark {
        let sighting = try probe.begin()
        defer { probe.end() }
        guard slots.acquire(sighting.slot, mark: sighting.mark) else {
            if let failure = slots.takeLookFailure() { throw failure.sqliteError(path: path) }
            throw SQLiteError(
                kind: .busy, extendedCode: SQLITE_PROTOCOL, message: "the read mark of the newest state could not be held", path: path)
        }
        return HeldMark(
            slot: sighting.slot, mark: sighting.mark, header: sighting.header, look: slots.currentLook(sighting.slot))
    }

    /// Called when a generation has ended, after its hold was released.
    func generationEnded(_ record: GenerationRecord) {
        guard ForkGuard.epoch == epoch else { return }
        let frames = index.frameCount
        // The frames written while it was held; all of them if the journal has been restarted
        // since.
        let heldBack = frames >= record.frame ? frames - record.frame : frames
        let shrinks = countLock.withLock {
            remove(record)
            // A detached generation held back nothing.
            if !detached.isEmpty, detached.remove(record.ordinal) != nil { return false }
            if heldBack >= CheckpointScheduler.shrinkThreshold { isShrinkWanted = true }
            // A younger pin may have kept the space after the pin that made the journal grow ended.
            return isShrinkWanted && live.count == detached.count
        }
        if frames > CheckpointScheduler.frameThreshold {
            CheckpointScheduler.shared.schedule(self, in: 0)
        } else if shrinks {
            // Not immediately: a thread that waited for the release in order to checkpoint goes
            // first.
            CheckpointScheduler.shared.schedule(self, in: CheckpointScheduler.shrinkDelay)
        }
        FileRegistry.release(self)
    }

    /// Whether a pin that made the journal grow has ended since the last call.
    func takeShrinkWish() -> Bool {
        countLock.withLock {
            defer { isShrinkWanted = false }
            return isShrinkWanted
        }
    }

    // MARK: What copies aside need

    /// A new serial number, for a pin made from another one or for a copy.
    func nextPinSerial() -> UInt64 {
        pinLock.withLock {
            lastPinSerial += 1
            return lastPinSerial
        }
    }

    /// Records that a generation does not hold the journal any more.
    func didDetach(_ record: GenerationRecord) {
        countLock.withLock {
            // It may have ended meanwhile.
            if isLive(record) { detached.insert(record.ordinal) }
        }
    }

    /// The generations that hold the journal.
    var holdingRecords: [GenerationRecord] {
        countLock.withLock { detached.isEmpty ? live : live.filter { !detached.contains($0.ordinal) } }
    }

    /// The number of generations that hold the journal.
    var holdingCount: Int { countLock.withLock { live.count - detached.count } }

    /// A region of the live WAL-index; valid until the file is closed.
    func indexRegion(_ number: Int) -> UnsafeRawPointer? {
        var region: UnsafeMutableRawPointer?
        guard let file = anchor.mainFile, let map = file.pointee.pMethods?.pointee.xShmMap,
            map(file, Int32(number), Int32(WALIndex.regionSize), 0, &region) == SQLITE_OK
        else { return nil }
        return region.map { UnsafeRawPointer($0) }
    }

    func wishShrink() { countLock.withLock { isShrinkWanted = true } }

    // MARK: Generations as open transactions

    /// Begins a read transaction and reads its header, which must be the same before and after it
    /// began: otherwise there was a commit in between.
    private func beginTransaction() throws(SQLiteError) -> (Connection, WALHeader) {
        let connection: Connection
        if let idle = idleTransactions.popLast() { connection = idle } else { connection = try openTransactionConnection() }
        var begun: WALHeader?
        for _ in 1...1000 where begun == nil {
            let before = index.header
            do throws(SQLiteError) {
                try connection.execute("BEGIN")
                _ = try connection.value("PRAGMA schema_version")
            } catch {
                connection.close()
                throw error
            }
            if let before, before == index.header { begun = before } else { try connection.execute("ROLLBACK") }
        }
        guard let begun else {
            connection.close()
            throw SQLiteError(
                kind: .busy, extendedCode: SQLITE_BUSY, message: "other writers commit too fast for a generation to be taken", path: path)
        }
        return (connection, begun)
    }

    /// Functions and collations are those of the first store that opened the file.
    private func openTransactionConnection() throws(SQLiteError) -> Connection {
        let connection = try Connection(path: path, flags: SQLITE_OPEN_READONLY)
        connection.setBusyTimeout(options.busyTimeout)
        try options.configure?(connection)
        return connection
    }

    /// The generation of an open transaction has ended. Its deinit runs outside `pinLock`.
    func giveBackTransaction(_ connection: Connection) {
        guard ForkGuard.epoch == epoch else { return }
        connection.resetStatements()
        connection.logSource.generation = 0
        do throws(SQLiteError) {
            try connection.execute("ROLLBACK")
        } catch {
            return connection.close()  // ends everything that it holds
        }
        let isKept = pinLock.withLock {
            guard idleTransactions.count < Self.idleTransactionLimit else { return false }
            idleTransactions.append(connection)
            return true
        }
        if !isKept { connection.close() }
    }

    // MARK: What checkpoints need

    /// A connection to checkpoint with; nil if the file is closed or read-only. Requires the
    /// writers' turn.
    var checkpointConnection: (connection: Connection, busyTimeout: Double)? { isClosed ? nil : writingConnections.last }

    /// Called after a commit: sees to it that the journal is copied in time. Requires the writers'
    /// turn.
    func didCommit() {
        if hasListeners.load(ordering: .relaxed) { CommitWatcher.shared.noteCommit(to: self) }
        let frames = index.frameCount
        if watch.isAlarmed(frames) {
            watch.alarm(at: frames &+ 256)
            CheckpointScheduler.shared.watch(self, in: 0)
        }
        if frames < nextCheckpointFrame {
            nextCheckpointFrame = max(CheckpointScheduler.frameThreshold, min(nextCheckpointFrame, frames &+ 500))
        }
        guard frames > nextCheckpointFrame else { return CheckpointScheduler.shared.schedule(self, in: CheckpointScheduler.idleTime) }
        // Pins may prevent the checkpoint: it is not requested again with each commit.
        nextCheckpointFrame = frames &+ 500
        CheckpointScheduler.shared.schedule(self, in: 0)
    }

    /// Requires the writers' turn.
    func addWriter(_ connection: Connection, busyTimeout: Double) { writingConnections.append((connection, busyTimeout)) }
    func removeWriter(_ connection: Connection) { writingConnections.removeAll { $0.connection === connection } }

    /// The number of generations that hold the journal, and the generation if it is the only one.
    /// The caller retains it until all locks are released.
    func liveState() -> (count: Int, only: Generation?) {
        pinLock.lock()
        let known = newest?.object
        pinLock.unlock()
        let (count, isHolding) = countLock.withLock {
            (live.count - detached.count, known.map { isLive($0.record) && !detached.contains($0.ordinal) } ?? false)
        }
        return (count, count == 1 && isHolding ? known : nil)
    }

    /// Renews the hold of a generation with the newest content, so that its read mark fits what
    /// checkpoints have done since.
    ///
    /// - Returns: whether the generation is the newest state and has a pin taken now.
    func renewPin(of generation: Generation) throws(SQLiteError) -> Bool {
        guard let probe, let slots else { return false }
        pinLock.lock()
        let result: Result<SlotPin, SQLiteError>
        do throws(SQLiteError) {
            let held = try holdByProbe(probe, slots)
            lastPinSerial += 1
            result = .success(SlotPin(slots: slots, held: held, serial: lastPinSerial))
        } catch {
            result = .failure(error)
        }
        pinLock.unlock()
        let renewed = try result.get()
        guard identity(of: renewed.header) == generation.identity else { return false }
        return generation.record.replaceHold(.pin(renewed))
    }

    // MARK: Idle readers

    func addPool(_ pool: ReaderPool) { pools.add(pool) }
    /// The number of readers that show each pin, by its serial number.
    var readerCounts: [UInt64: Int] { pools.readerCounts }
    /// Closes readers that have been idle for long; returns the seconds until there may be more of
    /// them, nil if none is left.
    func closeIdleReaders() -> Double? { pools.closeIdleReaders() }
}
