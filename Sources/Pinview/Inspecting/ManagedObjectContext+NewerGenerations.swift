import PinviewGenerations
import PinviewModel
import PinviewStore

/// Noticing newer generations than the one that the context reads.
extension ManagedObjectContext {
    /// Whether anything has been committed, by anyone, since the generation that the context is
    /// pinned to, so that advancing would show another state. Takes nanoseconds and no statement.
    /// Any thread.
    ///
    /// False for a context that is not pinned or has not read yet, since its next read sees the
    /// newest state anyway. A child returns the value of the root of its chain. Stores added or
    /// removed since do not count.
    public var hasNewerGeneration: Bool {
        guard !ForkedProcess.isCurrent else { return false }
        return state.hasParent ? rootState.pin.hasNewer : state.pin.hasNewer
    }

    /// Waits until there is a generation newer than the context's own; for a context that is not
    /// pinned or has not read yet, newer than at the time of the call.
    ///
    /// The calling thread sleeps; the context's queue stays free for others. The context is not
    /// moved: pin it to ``QueryGenerationToken/current`` to read the newest state.
    /// - Parameter timeout: seconds to wait; nil for no limit. With 0, it returns at once.
    /// - Returns: whether there is a newer generation; false after the timeout.
    /// - Throws: `noCoordinator`; `invalidArgument` for a negative timeout; 134070 if no store has
    ///   generations (any more).
    public func waitForNewerGeneration(timeout: Double? = nil) throws(PinviewError) -> Bool {
        try ContextState.checkProcess()
        if let timeout, !(timeout >= 0) {
            throw PinviewError(.invalidArgument, "The timeout must be at least 0 seconds, got \(timeout). Omit it to wait without a limit.")
        }
        let state = rootState
        let coordinator = try state.requireCoordinator()
        let pinned: [Int32: CommitMark]? = if case .pinned(let set) = state.pin.target { set.commitMarks } else { nil }
        let known = coordinator.persistentStores.map(\.store).compactMap { store in
            (pinned == nil ? store.commitMark : pinned?[store.number]).map { (store: store, mark: $0) }
        }
        func hasNewer() throws(PinviewError) -> Bool {
            if known.contains(where: { $0.store.hasCommits(since: $0.mark) }) { return true }
            guard known.contains(where: { $0.store.commitMark != nil }) else {
                throw PinviewError(
                    .persistentStoreOperation, "No store of the coordinator has generations to wait for. Add an SQLite store.")
            }
            return false
        }
        // Adding an observer costs more than everything else here.
        if try hasNewer() { return true }
        if timeout == 0 { return false }
        let signal = AutoResetEvent()
        let observer = coordinator.addGenerationObserver { signal.send() }
        defer { coordinator.removeGenerationObserver(observer) }
        let end = timeout.map { monotonicSeconds() + $0 }
        while true {
            if try hasNewer() { return true }
            let left = end.map { $0 - monotonicSeconds() } ?? .infinity
            guard left > 0 else { return false }
            // Check occasionally whether the stores are still there.
            signal.wait(seconds: min(left, 1))
        }
    }

    var rootState: ContextState {
        var root = state
        while let parent = root.parent { root = parent }
        return root
    }
}
