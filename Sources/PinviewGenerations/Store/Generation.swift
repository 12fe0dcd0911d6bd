/// A state of a store file that stays readable exactly as long as a strong reference exists. The
/// last release ends the hold on the journal at once: from then on, a TRUNCATE checkpoint by any
/// process can succeed.
///
/// May be used and released on any thread.
package final class Generation: Sendable {
    /// The part that the file's table of generations knows, too.
    let record: GenerationRecord

    init(record: GenerationRecord) {
        self.record = record
        record.setGeneration(self)
    }

    deinit {
        let file = record.file
        // The hold ends first: if this was the last use of the file, its connections are closed
        // next.
        record.end()
        file.generationEnded(record)
    }

    var file: SharedFile { record.file }
    /// Rises with each generation of the file that this process pins; see `rank`.
    package var ordinal: UInt64 { record.ordinal }
    /// Like `ordinal`, for caches that compare generations by age: adopted generations rank below
    /// all others, and a generation of the same state as the one pinned before it has the same
    /// rank.
    package var rank: UInt64 { record.rank }
    package var identity: GenerationIdentity { record.identity }
    /// The WAL-index header of the state.
    var header: WALHeader { record.header }

    /// Counts a context that moves from this generation to another.
    package func countAdvance() { file.counters.advances.increment() }

    /// Counts a request for the newest generation that got this one, which was pinned already.
    package func countSharedPin() { file.counters.sharedPins.increment() }

    /// Whether a read could not be proved to belong to the state. Nothing can be read from the
    /// generation any more.
    package var isLost: Bool { record.isLost }

    /// Identifies the state in every process.
    package var name: GenerationName { record.name }

    /// Lets other processes hold the state too, by its name, as long as this process holds it. If
    /// the system refuses the lock that this takes, they find the generation expired.
    package func publish() { record.publish() }
}

/// A generation held by a read transaction, where read marks cannot be held in another way. One
/// thread reads at a time.
final class OpenTransaction: @unchecked Sendable {  // guarded by `queue`
    private let connection: Connection
    private let queue = WriterQueue()
    private unowned(unsafe) let file: SharedFile  // retained by the generation that owns this object

    /// Whether the connection can show the newest state, too.
    private let isShared: Bool

    init(connection: Connection, file: SharedFile, isShared: Bool = true) {
        self.connection = connection
        self.file = file
        self.isShared = isShared
    }

    deinit { if isShared { file.giveBackTransaction(connection) } else { connection.close() } }

    /// - Parameter ordinal: the generation's, for the log.
    func read<R>(as ordinal: UInt64, _ body: (Connection) throws -> R) rethrows -> R {
        // A read inside another read of the same thread uses the same connection.
        guard queue.acquire() else { return try body(connection) }
        connection.logSource.generation = ordinal
        defer {
            connection.resetStatements()
            queue.release()
        }
        return try body(connection)
    }
}
