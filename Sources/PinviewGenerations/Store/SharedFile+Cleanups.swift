import Glibc

/// What waits for old generations of a file to end.
extension SharedFile {
    /// Looks whether anyone, in any process, may read a state older than a point, and removes
    /// copies that a process has left behind. In case of doubt, true.
    func findOlderReaders(than point: CommitPoint) -> Bool {
        let isHeldHere = countLock.withLock {
            !detached.isEmpty || live.contains { Int32(bitPattern: $0.compactHeader.change &- point.header.change) < 0 }
        }
        if isHeldHere { return true }
        CopyFiles.removeLeftovers(of: path)
        if !CopyFiles.copies(of: path).isEmpty { return true }
        let state = journalState()
        // A journal is restarted only when everyone reads its last state.
        guard let header = index.header else { return true }
        guard header.salt1 == point.header.salt1, header.salt2 == point.header.salt2 else { return false }
        return state.processes.contains { process in
            !process.isThisProcess
                && process.readMarks.contains { mark in
                    // Readers of the main file alone keep the journal from being copied into it.
                    (mark.number == 0 ? state.copiedFrames : mark.frame) < point.header.frame
                }
        }
    }

    /// Runs what waits for generations to end. For the scheduler's thread.
    ///
    /// - Returns: the seconds until the next attempt; nil if nothing waits.
    func runCleanups() -> Double? {
        guard !cleanups.isEmpty, let file = try? FileRegistry.retainedFile(key) else { return nil }
        defer { FileRegistry.release(file) }
        guard file === self else { return nil }
        return cleanups.run { findOlderReaders(than: $0) } ? nil : Cleanups.interval
    }
}

extension StoreFile {
    /// The newest state; nil where there are no generations.
    package var newestPoint: CommitPoint? {
        guard let shared, shared.examined == nil else { return nil }
        for _ in 0..<1000 {
            if let header = shared.index.header { return CommitPoint(header: CompactWALHeader(header)) }
            usleep(10)
        }
        return nil
    }

    /// Looks whether anyone, in any process, may read a state older than a point. In case of doubt,
    /// true.
    package func findOlderReaders(than point: CommitPoint) -> Bool {
        guard let found = try? withSharedFile({ $0.findOlderReaders(than: point) }) else { return true }
        return found
    }

    /// Calls a body on a thread of the library, again and again until it returns true: soon after
    /// generations of this process have ended, and regularly because of those of others. Replaces
    /// the owner's earlier body.
    package func whenReadersEnd(
        _ owner: AnyObject, _ body: @escaping @Sendable (_ findOlderReaders: (CommitPoint) -> Bool) -> Bool
    ) {
        guard let shared else { return }
        shared.cleanups.add(owner, body)
        CheckpointScheduler.shared.watch(shared, in: Cleanups.interval)
    }

    /// Forgets what the owner has asked for.
    package func endWaiting(_ owner: AnyObject) { shared?.cleanups.remove(owner) }
}
