internal import CSQLite
import Glibc

/// The generations of a file, and how they are pinned.
extension SharedFile {
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

    /// The rank of the newest state, without pinning it; nil if it has none yet.
    var rankOfNewest: UInt64? {
        pinLock.withLock { rankedState != nil && rankedHeader.isNewest(in: index) ? lastRank : nil }
    }

    /// The rank of the newest state, which gets one, without being pinned; nil unless it is the one
    /// that the caller looks for.
    func rankOfNewest(where isWanted: (CompactWALHeader) -> Bool) -> UInt64? {
        pinLock.withLock {
            // Read with the lock held: younger states get higher ranks.
            guard let header = index.header.map({ CompactWALHeader($0) }), isWanted(header) else { return nil }
            return rank(of: header)
        }
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
            let rank = rank(of: CompactWALHeader(held.header))
            record = GenerationRecord(file: self, slots: slots, ordinal: lastOrdinal + 1, rank: rank, held: held)
        } else {
            let (connection, header) = try beginTransaction()
            record = GenerationRecord(
                file: self, ordinal: lastOrdinal + 1, rank: rank(of: CompactWALHeader(header)), header: header,
                hold: .transaction(OpenTransaction(connection: connection, file: self)),
                isAdopted: false)
        }
        counters.pins.increment()
        let generation = add(record)
        setNewest(generation)
        return generation
    }

    /// The rank of the newest state. Caches keep their content if nobody has committed since it was
    /// last asked for. Requires `pinLock`.
    private func rank(of header: CompactWALHeader) -> UInt64 {
        let state = header.identity(in: key)
        rankedHeader = header
        if rankedState == state { return lastRank }
        rankedState = state
        lastRank += 1
        return lastRank
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
            record.tableIndex = Int32(live.count)
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
            live[Int(record.tableIndex)] = last
            last.tableIndex = record.tableIndex
        }
        record.tableIndex = -1
    }

    /// Requires `countLock`.
    func isLive(_ record: GenerationRecord) -> Bool { record.tableIndex >= 0 }

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

    /// A state of an examined file.
    ///
    /// - Throws: kind `generationExpired` if it has no such state.
    func examinedGeneration(named name: GenerationName, _ file: ExaminedFile) throws(SQLiteError) -> Generation {
        guard let commit = file.commits.first(where: { identity(of: file.header(of: $0)) == name.identity }) else { throw expired }
        pinLock.lock()
        defer { pinLock.unlock() }
        let records = countLock.withLock { live.filter { $0.identity == name.identity && !$0.isLost } }
        for record in records { if let generation = record.generation { return generation } }
        let connection = try ExaminedVFS.connect(to: file, at: commit, part: .reader, options)
        do throws(SQLiteError) {
            try connection.execute("BEGIN")
            _ = try connection.value("PRAGMA schema_version")
        } catch {
            connection.close()
            throw error
        }
        counters.pins.increment()
        return add(
            GenerationRecord(
                file: self, ordinal: lastOrdinal + 1, rank: UInt64(commit.number) + 1, header: file.header(of: commit),
                hold: .transaction(OpenTransaction(connection: connection, file: self, isShared: commit.frame == file.newest.frame)),
                isAdopted: true))
    }

    /// All generations that live now, the oldest first.
    var liveRecords: [GenerationRecord] { countLock.withLock { live }.sorted { $0.ordinal < $1.ordinal } }

    /// How many frames below the newest one a read mark may be for a pin to use it. The larger it
    /// is, the fewer pins move a mark, which takes a transaction of SQLite; the smaller, the more a
    /// checkpoint can copy under the pin.
    private static let nearbyFrames: UInt32 = 64

    /// Holds the newest state at an existing read mark: without SQLite, and without a system call
    /// if the mark is held already.
    private func holdNearMark(_ slots: ReadMarkPins) -> HeldMark? {
        #if DEBUG
            // The injected fault is in the probe.
            if InjectedFault.current == .lateHeader { return nil }
        #endif
        return slots.acquireMarkOfNewest(within: Self.nearbyFrames)
    }

    /// Holds the read mark of the newest state before the probe releases it.
    func holdByProbe(_ probe: ReadMarkProbe, _ slots: ReadMarkPins) throws(SQLiteError) -> HeldMark {
        let sighting = try probe.begin()
        defer { probe.end() }
        guard slots.acquire(sighting.slot, mark: sighting.mark) else {
            if let failure = slots.takeObservationFailure() { throw failure.sqliteError(path: path) }
            throw SQLiteError(
                kind: .busy, extendedCode: SQLITE_PROTOCOL, message: "the read mark of the newest state could not be held", path: path)
        }
        return HeldMark(
            slot: sighting.slot, mark: sighting.mark, header: sighting.header, observation: slots.currentObservation(sighting.slot))
    }

    /// Called when a generation has ended, after its hold was released.
    func generationEnded(_ record: GenerationRecord) {
        guard ForkGuard.epoch == epoch else { return }
        guard examined == nil else {
            countLock.withLock { remove(record) }
            return FileRegistry.release(self)
        }
        let frames = index.frameCount
        // The frames written while it was held; all of them if the journal has been restarted
        // since.
        let heldBack = frames >= record.frame ? frames - record.frame : frames
        let shrinks = countLock.withLock {
            remove(record)
            // A detached generation held back nothing.
            if !detached.isEmpty, detached.remove(record.ordinal) != nil { return false }
            if heldBack >= CheckpointScheduler.shrinkThreshold { isShrinkRequested = true }
            // A younger pin may have kept the space after the pin that made the journal grow ended.
            return isShrinkRequested && live.count == detached.count
        }
        if !cleanups.isEmpty { CheckpointScheduler.shared.watch(self, in: Cleanups.delay) }
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
    func takeShrinkRequest() -> Bool {
        countLock.withLock {
            defer { isShrinkRequested = false }
            return isShrinkRequested
        }
    }

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
        if let examined { return try ExaminedVFS.connect(to: examined, at: examined.newest, part: .reader, options) }
        let connection = try Connection(path: path, flags: SQLITE_OPEN_READONLY)
        connection.setBusyTimeout(options.busyTimeout)
        try options.prepareReader(connection)
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
}
