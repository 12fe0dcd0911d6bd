internal import CSQLite
import Glibc
import Synchronization

/// A connection that reads any generation of its file: through the frozen VFS, which shows it the pinned header.
final class FrozenReader {
    let connection: Connection
    private let state: UnsafeMutablePointer<FrozenState>
    /// The serial number of the pin that it shows; 0: none.
    private(set) var target: UInt64 = 0
    private var shownPin: LightReference<ReadPin>?
    /// The live WAL-index, whose page table is put in place of a copy when the reader is moved for the first time: many never are, and
    /// mapping takes longer than one copy. Nil when it has been, or there is none.
    private var liveTable: Int32?
    /// Whether there has been a read of the state that it shows.
    private var hasRead = false
    /// The state that it shows and whose pages it may have; nil when pages that it has are not to be trusted.
    private var shownState: (header: WALHeader, isSlotZero: Bool)?
    private var knownMainReads: UInt = 0, knownJournalReads: UInt = 0
    /// The serial number of the copy whose files it has open; 0: the store's own.
    let copySerial: UInt64
    /// Whether that copy has ended, so that the reader must go, for the sake of the space.
    fileprivate let isLeftOver = Atomic<Bool>(false)
    /// The thread that uses it, as a number; 0: none.
    fileprivate let user = Atomic<UInt>(0)
    /// The serial number of the pin that it was taken for. Unlike `target`, for all threads.
    fileprivate let takenFor = Atomic<UInt64>(0)
    fileprivate var idleSince = MonotonicTime(nanoseconds: 0)

    /// Opens a reader of a generation, which can show all others in the same files.
    init(path: String, vfs: ShimVFS, pin: ReadPin, index: WALIndex, indexDescriptor: Int32?, options: StoreFileOptions) throws(SQLiteError)
    {
        let copy = pin.copy
        copySerial = copy?.serial ?? 0
        connection = try Connection(
            path: copy?.path ?? path, flags: SQLITE_OPEN_READONLY, vfs: vfs.frozenName, trustsSchema: options.trustsSchema)
        guard let file = connection.mainFile, let state = ShimFile.state(file, as: FrozenState.self) else {
            throw SQLiteError(
                kind: .cannotOpen, extendedCode: SQLITE_CANTOPEN, message: "the file is not one of the frozen VFS", path: path)
        }
        self.state = state
        if let copy {
            state.pointee.regions = .passRetained(copy.regions)
        } else {
            guard Self.mapsIndex(file, index), pin.namesJournal(path + "-wal") else {
                connection.close()
                throw SQLiteError(
                    kind: .cannotOpen, extendedCode: SQLITE_CANTOPEN,
                    message: "the file or its journal has been moved, deleted or replaced while it was open", path: path)
            }
            liveTable = indexDescriptor
        }
        _ = pinview_set_no_checkpoint_on_close(connection.handle, 1)
        sqlite3_limit(connection.handle, SQLITE_LIMIT_ATTACHED, 0)
        try show(pin, index)
        try options.configure?(connection)
        // The journal is opened with the first read. Without it there is no reader, and another one must do.
        _ = try connection.value("PRAGMA schema_version")
    }

    deinit { shownPin?.letGo() }

    /// The reader's own reference to the WAL-index keeps it mapped. It is the live one only if the path still names the same file.
    private static func mapsIndex(_ file: UnsafeMutablePointer<sqlite3_file>, _ index: WALIndex) -> Bool {
        var region: UnsafeMutableRawPointer?
        let real = ShimFile.real(file)
        guard let map = real.pointee.pMethods.pointee.xShmMap else { return false }
        return map(real, 0, Int32(WALIndex.regionSize), 0, &region) == SQLITE_OK && region.map { UnsafeRawPointer($0) } == index.memory
    }

    /// Shows a generation.
    func show(_ pin: ReadPin, _ index: WALIndex) throws(SQLiteError) {
        guard target != pin.serial else { return }
        // Often nobody has committed since another pin of the same state: the pages are the same, too.
        if let shownState, shownState.header == pin.header, shownState.isSlotZero == (pin.slot == 0) { return note(pin) }
        if shownState?.isSlotZero == false, pin.slot != 0,
            state.pointee.advance(
                to: pin.header, region: { region($0, index) }, empty: { connection.emptyPageCache(pageSize: pin.header.pageSize) })
        {
            shownState = (pin.header, false)
            return note(pin)
        }
        shownState = nil
        try connection.endReading()
        if target != 0, let descriptor = liveTable {
            state.pointee.mapTable(descriptor)
            liveTable = nil
        }
        let memory = pin.copy.map { UnsafeRawPointer($0.regions.memory) } ?? index.memory
        guard state.pointee.target(pin.header, slot: pin.slot, live: memory, region: { region($0, index) }) else {
            throw SQLiteError(kind: .busy, extendedCode: SQLITE_BUSY, message: "a reader has a transaction open", path: connection.path)
        }
        shownState = (pin.header, pin.slot == 0)
        hasRead = false
        note(pin)
    }

    /// The live region of the WAL-index with a number.
    private func region(_ number: Int, _ index: WALIndex) -> UnsafeRawPointer? {
        guard number > 0 else { return index.memory }
        // The real file's own reference keeps it mapped.
        guard let file = connection.mainFile.map(ShimFile.real), let map = file.pointee.pMethods?.pointee.xShmMap else { return nil }
        var region: UnsafeMutableRawPointer?
        guard map(file, Int32(number), Int32(WALIndex.regionSize), 0, &region) == SQLITE_OK else { return nil }
        return region.map { UnsafeRawPointer($0) }
    }

    private func note(_ pin: ReadPin) {
        target = pin.serial
        shownPin?.letGo()
        shownPin = LightReference(pin)
    }

    /// What has been read could not be proved: the next pin is shown anew, even if it is of the same state.
    func distrustPages() {
        // SQLite may not know of the journal's frames that are forgotten here: it has to be shown the state again, even that of the same pin.
        target = 0
        shownState = nil
        state.pointee.forgetPages()
    }

    /// Begins a read. From the second one of a generation on there is a transaction, which stays open until another generation is shown: it
    /// locks nothing, and to end it and begin it again would cost as much as to find a row by its key. Often there is no second one, and
    /// without a transaction each statement sees the same state as well.
    func beginReading() throws(SQLiteError) {
        guard hasRead else { return hasRead = true }
        if !connection.isInTransaction { try connection.beginReading() }
    }

    /// What has been read from the files since this was asked last.
    func takePageReads() -> PageReads {
        let main = state.pointee.mainReads, journal = state.pointee.journalReads
        defer { (knownMainReads, knownJournalReads) = (main, journal) }
        return PageReads(fromMain: main != knownMainReads, fromJournal: journal != knownJournalReads)
    }

    /// Whether the pin that it shows has ended, so that its page cache is of no use to anybody.
    ///
    /// Asked with the pool's lock held. The pin of a copy must not end in there (its copy closes readers), not even by a
    /// look at whether it still lives.
    var isStale: Bool { copySerial == 0 && shownPin?.object == nil }

    /// After a read: ends what the body left running.
    func finishReading() { if connection.hasRunningStatements { connection.resetStatements() } }
}

/// The readers of one open store. They are handed from generation to generation; one thread uses one of them at a time.
final class ReaderPool: @unchecked Sendable {  // guarded by `lock`
    private let path: String
    private let vfs: ShimVFS
    private let index: WALIndex
    private let indexDescriptor: Int32?
    private let options: StoreFileOptions
    private let counters: JournalCounters
    private let lock = Lock()
    private let freed = ConditionVariable()
    /// The reader used last is the last one.
    private var idle: [FrozenReader] = []
    /// Those that threads use, and those that lie in `parked`.
    private var used: [FrozenReader] = []
    /// The readers that threads used last, each at its thread's place: who reads the same generation again takes it up without a lock.
    private let parked = StripedSlots<FrozenReader>()
    /// Readers that are being opened.
    private var opening = 0
    private let waiting = Atomic<Int>(0)
    private let closed = Atomic<Bool>(false)
    private let epoch = ForkGuard.epoch

    /// As many as there are cores can work at a time; more would only cost descriptors and memory.
    private static let limit = max(4, min(8, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))))
    /// Seconds after which an idle reader is closed.
    static let idleTime = 30.0

    /// - Parameter indexDescriptor: of the live WAL-index, if there is one that stays open as long as the file.
    init(path: String, vfs: ShimVFS, index: WALIndex, indexDescriptor: Int32?, options: StoreFileOptions, counters: JournalCounters) {
        self.path = path
        self.vfs = vfs
        self.index = index
        self.indexDescriptor = indexDescriptor
        self.options = options
        self.counters = counters
    }

    /// Takes a reader for a generation: one that shows it already (its page cache is warm), else one whose generation has
    /// ended, else a new one, else the one unused longest, else the next one that is given back.
    func take(for pin: ReadPin) throws(SQLiteError) -> FrozenReader {
        if let reader = parked.take() {
            // One whose copy has ended is not used any more: nor are its generations.
            if reader.target == pin.serial || pin.copy == nil && reader.isStale { return try hand(reader, pin) }
            giveBackToAll(reader)
        }
        let copy = pin.copy?.serial ?? 0
        lock.lock()
        var hasFailedToOpen = false, hasWaited = false
        while true {
            if isClosed {
                lock.unlock()
                throw SQLiteError(kind: .closed, extendedCode: SQLITE_MISUSE, message: "the store has been closed", path: path)
            }
            if idle.isEmpty { unpark() }
            let mayOpen = canOpen && !hasFailedToOpen
            func suitable() -> Int? {
                idle.lastIndex { $0.target == pin.serial } ?? idle.firstIndex { $0.copySerial == copy && $0.isStale }
            }
            var position = suitable()
            if position == nil {
                unpark()
                position = suitable() ?? (mayOpen ? nil : idle.firstIndex { $0.copySerial == copy })
            }
            if let position {
                let reader = idle.remove(at: position)
                used.append(reader)
                lock.unlock()
                return try hand(reader, pin)
            }
            // Idle readers of other files, the store's or a copy's, make room.
            let dispensable = mayOpen || idle.isEmpty ? nil : idle.removeFirst()
            if dispensable != nil || canOpen || isNested {
                opening += 1
                lock.unlock()
                dispensable?.connection.close()
                let result: Result<FrozenReader, SQLiteError>
                do throws(SQLiteError) {
                    result = .success(
                        try FrozenReader(
                            path: path, vfs: vfs, pin: pin, index: index, indexDescriptor: indexDescriptor, options: options))
                } catch {
                    result = .failure(error)
                }
                lock.lock()
                opening -= 1
                switch result {
                case .success(let reader):
                    used.append(reader)
                    lock.unlock()
                    return try hand(reader, pin)
                case .failure(let error):
                    // Out of descriptors, perhaps: the readers that there are must do, unless there are none.
                    guard error.kind == .cannotOpen, !hasFailedToOpen, !idle.isEmpty || !used.isEmpty && !isNested else {
                        lock.unlock()
                        throw error.explained(path: path)
                    }
                    hasFailedToOpen = true
                    continue
                }
            }
            if !hasWaited { counters.readerWaits.increment() }
            hasWaited = true
            waiting.add(1, ordering: .sequentiallyConsistent)
            // What was put down before that was seen is found here; what is put down after it is given back to all.
            unpark()
            if idle.isEmpty { lock.wait(on: freed.pointer) }
            waiting.subtract(1, ordering: .sequentiallyConsistent)
        }
    }

    private var canOpen: Bool { idle.count + used.count + opening < Self.limit }

    private static var currentThread: UInt { UInt(pthread_self()) }

    /// Whether the calling thread reads already: it must not wait for itself.
    private var isNested: Bool { used.contains { $0.user.load(ordering: .relaxed) == Self.currentThread } }

    private var isClosed: Bool { closed.load(ordering: .sequentiallyConsistent) }

    /// Makes those idle that threads have put down. With the lock.
    private func unpark() {
        for reader in parked.takeAll() {
            removeFromUsed(reader)
            idle.append(reader)
        }
    }

    private func removeFromUsed(_ reader: FrozenReader) {
        guard let position = used.firstIndex(where: { $0 === reader }) else { return }
        used.swapAt(position, used.count - 1)
        used.removeLast()
    }

    /// Gives a reader, which is among the used ones, to the calling thread.
    private func hand(_ reader: FrozenReader, _ pin: ReadPin) throws(SQLiteError) -> FrozenReader {
        reader.user.store(Self.currentThread, ordering: .relaxed)
        reader.takenFor.store(pin.serial, ordering: .relaxed)
        do throws(SQLiteError) {
            try reader.show(pin, index)
        } catch {
            giveBack(reader)
            throw error
        }
        return reader
    }

    func giveBack(_ reader: FrozenReader) {
        guard ForkGuard.epoch == epoch else { return }
        reader.finishReading()
        reader.idleSince = .coarse
        reader.user.store(0, ordering: .relaxed)
        guard !isWanted(reader), parked.put(reader) else { return giveBackToAll(reader) }
        // Somebody may have come to want it before it lay there.
        if isWanted(reader), let reader = parked.take() { giveBackToAll(reader) }
    }

    /// Whether a reader that is given back has to go to somebody who waits, or has to be closed.
    private func isWanted(_ reader: FrozenReader) -> Bool {
        waiting.load(ordering: .sequentiallyConsistent) > 0 || isClosed || reader.isLeftOver.load(ordering: .sequentiallyConsistent)
    }

    private func giveBackToAll(_ reader: FrozenReader) {
        let (isKept, isAwaited) = lock.withLock { () -> (Bool, Bool) in
            let isAwaited = waiting.load(ordering: .sequentiallyConsistent) > 0
            removeFromUsed(reader)
            guard !isClosed, !reader.isLeftOver.load(ordering: .sequentiallyConsistent), idle.count + used.count < Self.limit else {
                return (false, isAwaited)
            }
            idle.append(reader)
            return (true, isAwaited)
        }
        if isAwaited { freed.signal() }
        if !isKept { reader.connection.close() }
    }

    /// Closes the readers that have been idle for long.
    ///
    /// - Returns: whether there are others.
    func closeIdleReaders() -> Bool {
        let now = MonotonicTime.now
        let (old, hasMore) = lock.withLock { () -> ([FrozenReader], Bool) in
            unpark()
            let old = idle.filter { $0.idleSince.after(Self.idleTime) <= now }
            idle.removeAll { $0.idleSince.after(Self.idleTime) <= now }
            return (old, !idle.isEmpty || !used.isEmpty)
        }
        for reader in old { reader.connection.close() }
        return hasMore
    }

    /// Closes the idle readers of a copy that has ended; the others are closed when they are given back.
    func closeReaders(ofCopy serial: UInt64) {
        let left = lock.withLock { () -> [FrozenReader] in
            for reader in used where reader.copySerial == serial { reader.isLeftOver.store(true, ordering: .sequentiallyConsistent) }
            unpark()
            let left = idle.filter { $0.copySerial == serial }
            idle.removeAll { $0.copySerial == serial }
            return left
        }
        for reader in left { reader.connection.close() }
    }

    /// Adds how many readers show each pin, by its serial number.
    func countReaders(_ counts: inout [UInt64: Int]) {
        lock.lock()
        defer { lock.unlock() }
        for reader in idle + used { counts[reader.takenFor.load(ordering: .relaxed), default: 0] += 1 }
    }

    /// Closes the idle readers; the others are closed when they are given back.
    func close() {
        let readers = lock.withLock { () -> [FrozenReader] in
            closed.store(true, ordering: .sequentiallyConsistent)
            unpark()
            defer { idle = [] }
            return idle
        }
        freed.broadcast()
        for reader in readers { reader.connection.close() }
    }
}

/// The pools of the stores that are open on one file.
final class PoolList: @unchecked Sendable {  // guarded by `lock`
    private let lock = Lock()
    private var members: [LightReference<ReaderPool>] = []

    deinit { for member in members { member.letGo() } }

    func add(_ pool: ReaderPool) {
        lock.withLock {
            members.removeAll { member in
                guard member.object == nil else { return false }
                member.letGo()
                return true
            }
            members.append(LightReference(pool))
        }
    }

    /// To be used without the lock: the last reference to a pool closes connections.
    private var living: [ReaderPool] { lock.withLock { members.compactMap(\.object) } }

    func closeReaders(ofCopy serial: UInt64) { for pool in living { pool.closeReaders(ofCopy: serial) } }

    var readerCounts: [UInt64: Int] {
        var counts: [UInt64: Int] = [:]
        for pool in living { pool.countReaders(&counts) }
        return counts
    }

    /// - Returns: the seconds until there may be idle readers again; nil when there are none.
    func closeIdleReaders() -> Double? {
        var hasMore = false
        for pool in living where pool.closeIdleReaders() { hasMore = true }
        return hasMore ? ReaderPool.idleTime : nil
    }
}
