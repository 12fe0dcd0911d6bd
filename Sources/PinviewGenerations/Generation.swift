import Synchronization

/// A state of a store file that stays readable exactly as long as a strong reference exists. The last release ends the
/// hold on the journal at once: a TRUNCATE checkpoint by anybody then succeeds.
///
/// May be used and released on any thread.
package final class Generation: Sendable {
    let file: SharedFile
    /// What the file's table knows of it, too.
    let record: GenerationRecord

    init(file: SharedFile, record: GenerationRecord) {
        self.file = file
        self.record = record
        record.generation = self
    }

    deinit {
        // The hold first: when this was the last use of the file, its connections are closed next.
        record.end()
        file.generationEnded(record)
    }

    /// Rises with each generation of the file that this process takes; see `rank`.
    package var ordinal: UInt64 { record.ordinal }
    /// Tells whether a state of a journal is that of the generation's file.
    package func isOf(_ state: JournalState) -> Bool { state.file == ObjectIdentifier(file) }
    /// As the ordinal, for caches that compare generations by age: adopted ones come before all others.
    package var rank: UInt64 { record.isAdopted ? record.ordinal : 1 << 63 | record.ordinal }
    package var identity: GenerationIdentity { file.identity(of: record.header) }
    /// The header when the state was taken.
    var header: WALHeader { record.header }

    /// Counts a context that was pinned to the generation and moves on to another.
    package func countAdvance() { file.counters.advances.increment() }

    /// Counts somebody who asked for the newest generation and shares this one.
    package func countSharedPin() { file.counters.sharedPins.increment() }

    /// Whether a read found that its rows could not be proved to belong to the state. Nothing can be read from it any more.
    package var isLost: Bool { record.isLost }

    /// What names the state in every process.
    package var name: GenerationName { record.name(in: file.key) }

    /// Lets other processes hold the state as well, by its name, as long as this one does. Where the system refuses the lock that
    /// it takes, they find that nobody holds it.
    package func publish() {
        if let publications = file.publications { record.publish(name, on: publications) }
    }
}

/// What keeps a generation readable. The generation owns it and ends it; the file's table of live generations knows it
/// as well, and may put another hold on the same content in its place.
final class GenerationRecord: @unchecked Sendable {  // `hold` is guarded by `lock`
    enum Hold {
        /// A read mark: any number of readers, on any thread, at any time.
        case pin(SlotPin)
        /// An open read transaction with the only connection that can read the state.
        case transaction(OpenTransaction)
        /// A place in a copy beside the store. The journal is not held any more.
        case detached(DetachedPin)
    }

    let ordinal: UInt64
    let header: WALHeader
    /// Whether another process held it first: it may be older than those with lower ordinals.
    let isAdopted: Bool
    /// When the state was pinned.
    let taken = MonotonicTime.coarse
    private var hold: Hold?
    /// Tells other processes of the hold; nil until somebody has asked for it.
    private var publication: Publication?
    /// The main file when the state was taken, if read mark 0 held it.
    private let witnessed: WitnessedFile?
    /// Set once, before anybody else knows of the record.
    fileprivate(set) weak var generation: Generation?
    private let lost = Atomic<Bool>(false)

    /// Leaf locks, each for some of the records: one of its own would make a generation that nobody reads larger by a sixth.
    private static let locks = (0..<64).map { _ in Lock() }
    private var lock: Lock { Self.locks[Int(truncatingIfNeeded: ordinal & 63)] }

    init(ordinal: UInt64, header: WALHeader, hold: Hold, isAdopted: Bool) {
        self.ordinal = ordinal
        self.header = header
        self.hold = hold
        self.isAdopted = isAdopted
        if case .pin(let pin) = hold, pin.slot == 0 { witnessed = pin.witnessed } else { witnessed = nil }
    }

    var isLost: Bool { lost.load(ordering: .relaxed) }

    /// - Returns: whether it was not known before.
    func markLost() -> Bool { !lost.exchange(true, ordering: .relaxed) }

    /// The hold, to be kept by a reader for the time of its read; nil when the generation has ended.
    var currentHold: Hold? { lock.withLock { hold } }

    /// Puts another hold on the same content in place of the one that it has. Readers under way keep the old one alive.
    ///
    /// - Returns: false when the generation has ended meanwhile.
    @discardableResult
    func replaceHold(_ new: Hold) -> Bool {
        // The old one must go outside the lock.
        let old = lock.withLock { () -> Hold? in
            guard let old = hold else { return nil }
            hold = new
            return old
        }
        return withExtendedLifetime(old) { old != nil }
    }

    /// Whether the generation has ended.
    var hasEnded: Bool { lock.withLock { hold == nil } }

    /// Whether the generation still holds the read mark of a pin, and the pin stands up to proof.
    func holds(pin serial: UInt64, provedBy index: WALIndex) -> Bool {
        guard case .pin(let pin) = currentHold, pin.serial == serial else { return false }
        return pin.isProved(by: index) && pin.lossReason == nil
    }

    /// Moves the generation from a pin, if it still has that one and it stands up to proof, to a copy. Readers under way
    /// stay with the pin.
    func detach(from serial: UInt64, provedBy index: WALIndex, to copied: DetachedPin) -> Bool {
        let old = lock.withLock { () -> Hold? in
            guard case .pin(let pin) = hold, pin.serial == serial, pin.isProved(by: index) else { return nil }
            // Other processes must not take the journal's frames over, which are about to be let go, but the copy.
            publication = publication?.moved(to: .detached)
            defer { hold = .detached(copied) }
            return hold
        }
        return withExtendedLifetime(old) { old != nil }
    }

    /// Ends the hold. Readers under way keep it until they are done.
    func end() {
        // Other processes must not be told of a hold that has gone.
        lock.withLock { publication = nil }
        let old = lock.withLock { () -> Hold? in
            defer { hold = nil }
            return hold
        }
        withExtendedLifetime(old) {}
    }

    // MARK: Other processes

    func name(in file: LockDescriptors.FileKey) -> GenerationName { GenerationName(file: file, header: header, stamp: witnessed?.stamp) }

    /// Tells other processes of the hold for as long as it lasts.
    func publish(_ name: GenerationName, on locks: PublicationLocks) {
        lock.withLock {
            guard publication == nil, let hold, !isLost else { return }
            let place: PublicationLocks.Place = if case .detached = hold { .detached } else { .journal }
            publication = locks.publish(name, in: place)
        }
    }
}

/// A generation held by a read transaction, where read marks cannot be held otherwise. One thread reads at a time.
final class OpenTransaction: @unchecked Sendable {  // guarded by `queue`
    private let connection: Connection
    private let queue = WriterQueue()
    private unowned(unsafe) let file: SharedFile  // the generation, which owns this, keeps the file

    init(connection: Connection, file: SharedFile) {
        self.connection = connection
        self.file = file
    }

    deinit { file.giveBackTransaction(connection) }

    /// - Parameter ordinal: of the generation, for the log.
    func read<R>(as ordinal: UInt64, _ body: (Connection) throws -> R) rethrows -> R {
        // A read inside a read, on the same thread, goes on the same connection.
        guard queue.acquire() else { return try body(connection) }
        connection.logSource.generation = ordinal
        defer {
            connection.resetStatements()
            queue.release()
        }
        return try body(connection)
    }
}
