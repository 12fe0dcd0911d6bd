internal import CSQLite
import Glibc

/// What a generation that can be read is held by.
enum GenerationPin {
    case mark(ReadMarkPin)
    case copy(DetachedPin)
    /// Only the connection of the transaction can read it.
    case transaction
}

/// Generations and reads.
extension StoreFile {
    /// The newest generation, pinned. Two calls with no commit in between return the same object.
    /// The call does not wait for writers.
    ///
    /// - Throws: kind `notWAL` if the store has no generations.
    package func currentGeneration() throws(SQLiteError) -> Generation {
        try requireOpen()
        guard let unretainedFile else { throw notWAL }
        // Without retaining the reference, which takes as long as the rest.
        let result = unretainedFile._withUnsafeGuaranteedRef { file in
            Result { () throws(SQLiteError) in try file.currentGeneration() }
        }
        return try result.get()
    }

    private var changed: SQLiteError {
        SQLiteError(
            kind: .generationLost, extendedCode: SQLITE_ERROR,
            message: "another program has changed the file or its journal while it was open as an immutable store; open it again",
            path: path)
    }

    private var notWAL: SQLiteError {
        SQLiteError(
            kind: .notWAL, extendedCode: SQLITE_ERROR,
            message: journalMode == "wal" ? "the WAL-index of the file cannot be used" : "the journal mode is \(journalMode), not wal",
            path: path)
    }

    /// The generation that another process of the machine or this one has published; this process
    /// holds it from now on.
    ///
    /// - Throws: kind `generationExpired` if nobody holds it any more; `busy` and `notWAL` if it
    ///   cannot be held here.
    package func adopt(_ name: GenerationName) throws(SQLiteError) -> Generation {
        try requireOpen()
        guard let shared else { throw notWAL }
        return try shared.adopt(name)
    }

    /// Whether a name is that of a state of this very file, rather than of a copy or of a file that
    /// was at this path before.
    package func isNamed(by name: GenerationName) -> Bool {
        shared.map { $0.key.device == name.device && $0.key.inode == name.inode } ?? false
    }

    /// Reads a generation on the calling thread.
    ///
    /// - Parameter body: receives a connection, valid during the call. It may read this store
    ///   again.
    /// - Throws: the errors of `body`; kind `generationLost` instead of rows that cannot be proved
    ///   to be the generation's.
    package func read<R>(at generation: Generation, _ body: (Connection) throws -> R) throws -> R {
        try requireOpen()
        guard let unretainedFile, generation.record.isOf(unretainedFile) else {
            throw ofAnotherStore
        }
        return try unretainedFile._withUnsafeGuaranteedRef { try read(generation, $0, body) }
    }

    private func read<R>(_ generation: Generation, _ shared: SharedFile, _ body: (Connection) throws -> R) throws -> R {
        shared.counters.reads.increment()
        switch generation.record.currentHold {
        case .pin(let pin): return try read(generation, pin, shared, body)
        case .detached(let pin): return try read(generation, pin, shared, body)
        case .transaction(let transaction):
            let result = try transaction.read(as: generation.ordinal) { try $0.watched(body) }
            if let examined = shared.examined, !examined.isUnchanged { throw changed }
            guard shared.index.provesTransaction(at: generation.header) else { throw lost(generation) }
            return result
        case .unread, nil:
            throw released
        }
    }

    private var ofAnotherStore: SQLiteError {
        SQLiteError(kind: .sqlite, extendedCode: SQLITE_MISUSE, message: "the generation belongs to another store", path: path)
    }

    private var released: SQLiteError {
        SQLiteError(kind: .generationExpired, extendedCode: SQLITE_MISUSE, message: "the generation has been released", path: path)
    }

    /// What keeps a generation of this file readable, for those who read it by means of their own.
    func pin(of generation: Generation, _ shared: SharedFile) throws(SQLiteError) -> GenerationPin {
        guard generation.record.isOf(Unmanaged.passUnretained(shared)) else { throw ofAnotherStore }
        if let reason = generation.record.lossReason { throw lost(generation, reason) }
        switch generation.record.currentHold {
        case .pin(let pin): return .mark(pin)
        case .detached(let pin): return .copy(pin)
        case .transaction: return .transaction
        case .unread, nil: throw released
        }
    }

    private func read<R>(
        _ generation: Generation, _ pin: ReadPin, _ shared: SharedFile, _ body: (Connection) throws -> R
    ) throws -> R {
        guard let pool else { throw closedError }
        if let reason = generation.record.lossReason { throw lost(generation, reason) }
        try prove(generation, pin, shared, after: .none)
        let reader: FrozenReader
        do throws(SQLiteError) {
            reader = try pool.take(for: pin)
        } catch {
            // Opening a reader reads, too.
            throw explained(error, generation, pin, shared)
        }
        defer { pool.giveBack(reader) }
        reader.connection.logSource.generation = generation.ordinal
        do {
            try reader.beginReading()
            let result = try body(reader.connection)
            try prove(generation, pin, shared, after: reader.takePageReads())
            return result
        } catch {
            reader.distrustPages()
            throw explained(error, generation, pin, shared)
        }
    }

    /// Checks that what was read under a pin belongs to the generation.
    func prove(_ generation: Generation, _ pin: ReadPin, _ shared: SharedFile, after reads: PageReads) throws(SQLiteError) {
        switch pin.verdict(provedBy: shared.index, after: reads) {
        case .stands: return
        case .lost(let reason): throw lost(generation, reason)
        case .unknown(let failure): throw failure.sqliteError(path: path)
        }
    }

    /// The error of a read that failed: a lost journal can also appear as a short read or as
    /// corruption.
    private func explained(_ error: any Error, _ generation: Generation, _ pin: ReadPin, _ shared: SharedFile) -> any Error {
        if case .lost(let reason) = pin.verdict(provedBy: shared.index, after: .any) { return lost(generation, reason) }
        return error
    }

    func lost(_ generation: Generation, _ reason: LossReason = .locks) -> SQLiteError {
        if generation.record.markLost(reason) {
            generation.file.counters.lost.increment()
            generation.file.forgetNewest(generation)
        }
        return SQLiteError(
            kind: .generationLost, extendedCode: SQLITE_ERROR | (3 << 8),  // SQLITE_ERROR_SNAPSHOT
            message: reason.message + ", so the pinned state cannot be read any more", path: path)
    }

    /// Reads the newest state; all statements of `body` see the same one. In a store without
    /// generations, a transaction of this thread is read from inside.
    package func readNewest<R>(_ body: (Connection) throws -> R) throws -> R {
        try requireOpen()
        if let shared {
            let generation = try shared.currentGeneration()
            return try read(at: generation, body)
        }
        if writers.isHeldByCurrentThread { return try body(writer) }
        try takeTurn()
        if isNested {
            defer {
                writer.resetStatements()
                writers.release()
            }
            try requireOuterTransaction()
            return try body(writer)
        }
        defer {
            writer.resetStatements()
            writer.endTransaction()
            writers.release()
        }
        try writer.execute("BEGIN")
        return try writer.watched(body)
    }

    /// The rank of the newest state, without pinning it; nil if it has not been pinned yet.
    package var rankOfNewest: UInt64? {
        guard let unretainedFile, ForkGuard.epoch == epoch else { return nil }
        return unretainedFile._withUnsafeGuaranteedRef { $0.rankOfNewest }
    }

    /// Whether a generation is the newest state of the file. Takes nanoseconds and runs no
    /// statement; false when in doubt.
    package func isNewest(_ generation: Generation) -> Bool {
        guard let unretainedFile, generation.record.isOf(unretainedFile), ForkGuard.epoch == epoch else { return false }
        return unretainedFile._withUnsafeGuaranteedRef { generation.record.isNewest(in: $0.index) }
    }
}
