internal import CSQLite
import Glibc

/// What checkpoints and copies need to know of a file's generations and writers.
extension SharedFile {
    /// A connection to checkpoint with; nil if the file is closed or read-only. Requires the
    /// writers' turn.
    var checkpointConnection: (connection: Connection, busyTimeout: Double)? { isClosed ? nil : writingConnections.last }

    /// Called after a commit: sees to it that the journal is copied in time. Requires the writers'
    /// turn.
    func didCommit() {
        if commits.hasListeners.load(ordering: .relaxed) { CommitWatcher.shared.noteCommit(to: commits) }
        let frames = index.frameCount
        if watch.isAlarmed(frames) {
            watch.alarm(at: frames &+ 256)
            CheckpointScheduler.shared.watch(self, in: 0)
        }
        if frames < nextCheckpointFrame {
            nextCheckpointFrame = max(CheckpointScheduler.frameThreshold, min(nextCheckpointFrame, frames &+ 500))
        }
        guard frames > nextCheckpointFrame else { return CheckpointScheduler.shared.scheduleWhenIdle(self) }
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
        let result: Result<ReadMarkPin, SQLiteError>
        do throws(SQLiteError) {
            let held = try holdByProbe(probe, slots)
            lastPinSerial += 1
            result = .success(ReadMarkPin(slots: slots, held: held, serial: lastPinSerial))
        } catch {
            result = .failure(error)
        }
        pinLock.unlock()
        let renewed = try result.get()
        guard identity(of: renewed.header) == generation.identity else { return false }
        return generation.record.replaceHold(.pin(renewed))
    }

    /// Measures the history if it is due. Requires the writers' turn.
    ///
    /// - Parameter now: whether to measure it even if it is not due.
    func measureHistory(now: Bool = false) {
        guard let sql = historySizeSQL, now || meter.isHistoryDue, let connection = checkpointConnection?.connection else { return }
        meter.measureHistory(sql, connection)
    }

    // MARK: For copies

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

    func requestShrink() { countLock.withLock { isShrinkRequested = true } }
}
