import Synchronization

/// A state of a store file that stays readable exactly as long as a strong reference exists. The last release ends the
/// hold on the journal at once: a TRUNCATE checkpoint by anybody then succeeds.
///
/// May be used and released on any thread.
package final class Generation: @unchecked Sendable {  // `hold` is guarded by `holdLock`
    /// What keeps the state readable.
    enum Hold {
        /// A read mark: any number of readers, on any thread, at any time.
        case pin(SlotPin)
        /// An open read transaction with the only connection that can read the state.
        case transaction(OpenTransaction)
    }

    /// Rises with each newer generation of the file in this process.
    package let ordinal: UInt64
    package let identity: GenerationIdentity
    let file: SharedFile
    /// The header when the state was taken.
    let header: WALHeader
    private let holdLock = Lock()
    private var hold: Hold?
    private let lost = Atomic<Bool>(false)

    init(file: SharedFile, ordinal: UInt64, header: WALHeader, hold: Hold) {
        self.file = file
        self.ordinal = ordinal
        self.header = header
        self.hold = hold
        identity = file.identity(of: header)
    }

    deinit {
        // The hold first: when this was the last use of the file, its connections are closed next.
        hold = nil
        file.generationEnded(at: header)
    }

    /// Whether a read found that its rows could not be proved to belong to the state. Nothing can be read from it any more.
    package var isLost: Bool { lost.load(ordering: .relaxed) }

    func markLost() { lost.store(true, ordering: .relaxed) }

    /// The hold, to be kept by a reader for the time of its read.
    var currentHold: Hold? { holdLock.withLock { hold } }

    /// Puts another pin of the same content in place of the one that it has. Readers under way keep the old one alive.
    func replacePin(_ pin: SlotPin) {
        // The old one must go outside the lock.
        let old = holdLock.withLock { () -> Hold? in
            defer { hold = .pin(pin) }
            return hold
        }
        withExtendedLifetime(old) {}
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

    func read<R>(_ body: (Connection) throws -> R) rethrows -> R {
        // A read inside a read, on the same thread, goes on the same connection.
        guard queue.acquire() else { return try body(connection) }
        defer {
            connection.resetStatements()
            queue.release()
        }
        return try body(connection)
    }
}
