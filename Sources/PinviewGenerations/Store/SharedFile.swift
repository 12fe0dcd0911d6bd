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
    let slots: ReadMarkPins?
    /// The number of open stores and living generations. `FileRegistry` counts them, and closes the
    /// file after the last one.
    let uses = Atomic<Int>(0)
    /// Whether the scheduler is about to checkpoint the file within its idle time.
    let hasDueCheckpoint = Atomic<Bool>(false)
    /// What listeners to commits watch.
    let commits: CommitSource
    /// Nil where generations cannot be published to other processes.
    let publications: PublicationLocks?
    /// Nil where there are none, or where the WAL-index is read-only.
    let exclusiveLocks: ExclusiveLocks?
    /// Tells a second copy of SQLite that the file is in use; nil where the read marks do.
    let openMarks: OpenMarks?
    let anchor: Connection
    let probe: ReadMarkProbe?
    let options: StoreFileOptions
    /// The file if it is examined rather than opened: nothing of what follows from sharing it with
    /// others is used then.
    let examined: ExaminedFile?
    /// See `StoreFileOptions`.
    var historySizeSQL: String? { options.historySizeSQL }

    /// Guards the table of generations and the probe. Nothing that could end a generation happens
    /// under it.
    let pinLock = Lock()
    @exclusivity(unchecked) var newest: LightReference<Generation>?
    /// The header of that generation, so that another request for it reads nothing else.
    @exclusivity(unchecked) var newestHeader = CompactWALHeader(WALHeader())
    @exclusivity(unchecked) var lastOrdinal: UInt64 = 0
    /// The state that was the newest one when somebody last asked, with its header and rank.
    @exclusivity(unchecked) var rankedState: GenerationIdentity?
    @exclusivity(unchecked) var rankedHeader = CompactWALHeader(WALHeader())
    @exclusivity(unchecked) var lastRank: UInt64 = 1 << 63
    var lastPinSerial: UInt64 = 0
    var idleTransactions: [Connection] = []

    /// Nothing is called while it is held.
    let countLock = Lock()
    @exclusivity(unchecked) var live: [GenerationRecord] = []  // each knows its index
    /// The ordinals of those that do not hold the journal any more.
    @exclusivity(unchecked) var detached: Set<UInt64> = []
    @exclusivity(unchecked) var isShrinkRequested = false

    /// The writing connections of the open stores. Requires the writers' turn.
    var writingConnections: [(connection: Connection, busyTimeout: Double)] = []
    var isClosed = false
    /// Whether the store was only read, and its journal and WAL-index were not there before.
    /// Requires the writers' turn.
    var removesOwnFiles = false
    /// The next commit requests a checkpoint from this number of frames. Requires the writers'
    /// turn.
    var nextCheckpointFrame = CheckpointScheduler.frameThreshold
    /// The number of frames at the last partial checkpoint, which bounds the work of those.
    /// Requires the writers' turn.
    var lastPartialFrame: UInt32 = 0
    /// Requires the writers' turn.
    var secondSQLiteCheck = SecondSQLiteCheck()
    let pools = PoolList()
    /// What waits for old generations to end.
    let cleanups = Cleanups()
    /// What to do when old pins make the journal long.
    let watch = JournalWatch()
    /// Guards the WAL-index, which is unmapped when the file is closed, for the scheduler's thread,
    /// which may use a file at that very moment. All others keep the file open while they use it.
    private let indexLock = Lock()
    private var isIndexOpen = true
    /// The space on disk that pins and history take besides the journal.
    let meter = CostMeter()
    /// Held while generations are copied. Taken before the writers' turn; nothing that could end a
    /// generation happens under it.
    let detachLock = Lock()
    /// Held while the journal is released together with other processes, even while waiting for
    /// them. Taken before `detachLock`, on the scheduler's thread and by the thread that closes the
    /// file; nothing that could end a generation happens under it.
    let releaseLock = Lock()
    /// Guarded by `detachLock`: whether the file is about to be closed, so that no copy may begin.
    private(set) var isClosing = false

    static let idleTransactionLimit = 8

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
        if !options.isReadOnly { CopyFiles.removeLeftovers(of: path) }
        let probe: ReadMarkProbe?
        if let vfs {
            probe = try ReadMarkProbe(path: path, flags: flags, vfs: vfs, busyTimeout: options.busyTimeout)
        } else {
            probe = nil
        }
        return SharedFile(
            path: path, key: key, options: options, anchor: anchor, index: index, probe: probe,
            slots: probe == nil ? nil : try ReadMarkPins(file: file, path: path, walIndex: index))
    }

    /// Reads a file that nobody changes. It is not in the registry: each store has its own.
    static func examine(_ file: ExaminedFile, key: LockDescriptors.FileKey, options: StoreFileOptions) throws(SQLiteError) -> SharedFile {
        let anchor = try ExaminedVFS.connect(to: file, at: file.newest, part: .anchor, options)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: WALIndex.regionSize, alignment: 8)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: WALIndex.regionSize)
        let header = file.header(of: file.newest)
        header.write(to: memory)
        header.write(to: memory + 48)
        return SharedFile(
            path: file.path, key: key, options: options, anchor: anchor, index: WALIndex(memory: UnsafeRawPointer(memory)), probe: nil,
            slots: nil, examined: file)
    }

    private init(
        path: String, key: LockDescriptors.FileKey, options: StoreFileOptions, anchor: Connection, index: WALIndex, probe: ReadMarkProbe?,
        slots: ReadMarkPins?, examined: ExaminedFile? = nil
    ) {
        self.examined = examined
        self.path = path
        self.key = key
        self.options = options
        self.anchor = anchor
        self.index = index
        commits = CommitSource(path: path, index: index)
        self.probe = probe
        self.slots = slots
        openMarks = slots == nil && examined == nil ? OpenMarks(path: path) : nil
        publications = slots == nil ? nil : PublicationLocks(path: path)
        exclusiveLocks = slots == nil || options.isReadOnly ? nil : ExclusiveLocks.take(index: path + "-shm")
    }

    deinit {
        newest?.release()
        if examined != nil { UnsafeMutableRawPointer(mutating: index.memory).deallocate() }
    }

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
        // A thread that copies soon notices that no generation needs the copy any more, and one
        // that waits for other processes, that the file is about to be closed.
        detachLock.withLock { isClosing = true }
        releaseLock.withLock {}
        releaseLocks?.endSharing(.near)
        let hasTurn = writers.acquire()
        defer { if hasTurn { writers.release() } }
        isClosed = true
        // The last close deletes the journal, unless others have the file open. SQLite does not see
        // a second copy of itself in the process, which would go on with a deleted journal: what it
        // then commits would be lost, or overwrite what others commit.
        if examined == nil, SecondSQLite.hasOpen(path) {
            leaveJournal()
            removesOwnFiles = false
        }
        CommitWatcher.shared.forget(commits)
        for connection in idleTransactions { connection.close() }
        idleTransactions = []
        probe?.close()
        slots?.close()
        openMarks?.close()
        publications?.close()
        exclusiveLocks?.giveBack(Unmanaged.passUnretained(self).toOpaque())
        indexLock.withLock { isIndexOpen = false }
        anchor.close()
        if removesOwnFiles { OwnFiles.remove(path: path) }
    }

    /// For the scheduler's thread.
    ///
    /// - Returns: nil if the file has been closed.
    func withOpenIndex<R>(_ body: (WALIndex) -> R) -> R? { indexLock.withLock { isIndexOpen ? body(index) : nil } }

    func identity(of header: WALHeader) -> GenerationIdentity { CompactWALHeader(header).identity(in: key) }

    // MARK: Idle readers

    func addPool(_ pool: ReaderPool) { pools.add(pool) }
    /// The number of readers that show each pin, by its serial number.
    var readerCounts: [UInt64: Int] { pools.readerCounts }
    /// Closes readers that have been idle for long; returns the seconds until there may be more of
    /// them, nil if none is left.
    func closeIdleReaders() -> Double? { pools.closeIdleReaders() }
}
