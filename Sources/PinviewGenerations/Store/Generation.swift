/// A state of a store file that stays readable exactly as long as a strong reference exists. The last release ends the
/// hold on the journal at once: a TRUNCATE checkpoint by anybody then succeeds.
///
/// May be used and released on any thread.
package final class Generation: Sendable {
    /// What the file's table knows of it, too.
    let record: GenerationRecord

    init(record: GenerationRecord) {
        self.record = record
        record.setGeneration(self)
    }

    deinit {
        let file = record.file
        // The hold first: when this was the last use of the file, its connections are closed next.
        record.end()
        file.generationEnded(record)
    }

    var file: SharedFile { record.file }
    /// Rises with each generation of the file that this process takes; see `rank`.
    package var ordinal: UInt64 { record.ordinal }
    /// As the ordinal, for caches that compare generations by age: adopted ones come before all others, and one that is of the same state as
    /// the one that was taken before it has the same rank.
    package var rank: UInt64 { record.rank }
    package var identity: GenerationIdentity { record.identity }
    /// The header when the state was taken.
    var header: WALHeader { record.header }

    /// Counts a context that was pinned to the generation and moves on to another.
    package func countAdvance() { file.counters.advances.increment() }

    /// Counts somebody who asked for the newest generation and shares this one.
    package func countSharedPin() { file.counters.sharedPins.increment() }

    /// Whether a read found that its rows could not be proved to belong to the state. Nothing can be read from it any more.
    package var isLost: Bool { record.isLost }

    /// What names the state in every process.
    package var name: GenerationName { record.name }

    /// Lets other processes hold the state as well, by its name, as long as this one does. Where the system refuses the lock that
    /// it takes, they find that nobody holds it.
    package func publish() { record.publish() }
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
