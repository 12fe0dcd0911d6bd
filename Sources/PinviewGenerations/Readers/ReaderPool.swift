internal import CSQLite
import Glibc
import Synchronization

/// The readers of one open store. They move from generation to generation; each is used by one
/// thread at a time.
final class ReaderPool: @unchecked Sendable {  // guarded by `lock`
    private let path: String
    private let vfs: ShimVFS
    private let index: WALIndex
    private let indexDescriptor: Int32?
    private let options: StoreFileOptions
    private let counters: JournalCounters
    private let lock = Lock()
    private let freed = ConditionVariable()
    /// The most recently used reader is the last one.
    private var idle: [FrozenReader] = []
    /// The readers that threads use, and those in `parked`.
    private var used: [FrozenReader] = []
    /// The readers that threads used last, in the slot of each thread: a thread that reads the same
    /// generation again takes its reader without a lock.
    private let parked = StripedSlots<FrozenReader>()
    /// The number of readers that are being opened.
    private var opening = 0
    private let waiting = Atomic<Int>(0)
    private let closed = Atomic<Bool>(false)
    private let epoch = ForkGuard.epoch

    /// As many as there are cores can work at a time; more would only cost descriptors and memory.
    private static let limit = max(4, min(8, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))))
    /// Seconds after which an idle reader is closed.
    static let idleTime = 30.0

    /// - Parameter indexDescriptor: the live WAL-index, if it has a descriptor that stays open as
    ///   long as the file.
    init(path: String, vfs: ShimVFS, index: WALIndex, indexDescriptor: Int32?, options: StoreFileOptions, counters: JournalCounters) {
        self.path = path
        self.vfs = vfs
        self.index = index
        self.indexDescriptor = indexDescriptor
        self.options = options
        self.counters = counters
    }

    /// Takes a reader for a generation: one that shows it already (its page cache is warm), else
    /// one whose generation has ended, else a new one, else the one idle longest, else the next one
    /// that is returned.
    func take(for pin: ReadPin) throws(SQLiteError) -> FrozenReader {
        if let reader = parked.take() {
            // A reader whose copy has ended is not used again; neither are its generations.
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
                    // Perhaps there are no more descriptors: the existing readers must do, unless
                    // there are none.
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
            // Readers parked before the request was visible are found here; those parked later are
            // returned to the pool.
            unpark()
            if idle.isEmpty { lock.wait(on: freed.pointer) }
            waiting.subtract(1, ordering: .sequentiallyConsistent)
        }
    }

    private var canOpen: Bool { idle.count + used.count + opening < Self.limit }

    private static var currentThread: UInt { UInt(pthread_self()) }

    /// Whether the calling thread is reading already: it must not wait for itself.
    private var isNested: Bool { used.contains { $0.user.load(ordering: .relaxed) == Self.currentThread } }

    private var isClosed: Bool { closed.load(ordering: .sequentiallyConsistent) }

    /// Makes parked readers idle. Requires the lock.
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

    /// Gives a reader that is among the used ones to the calling thread.
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
        // A request may have come before the reader was parked.
        if isWanted(reader), let reader = parked.take() { giveBackToAll(reader) }
    }

    /// Whether a reader that is returned has to go to a waiting thread, or has to be closed.
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

    /// Closes the idle readers of a copy that has ended; the others are closed when they are
    /// returned.
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

    /// Adds the number of readers that show each pin, by the pin's serial number.
    func countReaders(_ counts: inout [UInt64: Int]) {
        lock.lock()
        defer { lock.unlock() }
        for reader in idle + used { counts[reader.takenFor.load(ordering: .relaxed), default: 0] += 1 }
    }

    /// Closes the idle readers; the others are closed when they are returned.
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
