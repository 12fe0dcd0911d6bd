import PinviewGenerations

// MARK: Newer generations

extension PersistentStoreCoordinator {
    /// Calls a body when a newer generation exists: after each commit to one of the stores by this
    /// coordinator, another one, another process or the sqlite3 tool.
    ///
    /// The body runs on a thread of the library, within about a millisecond of the commit; commits
    /// in quick succession are reported once. It may call anything, but should not take long, since
    /// all observers of the process share the thread. Without observers, nothing runs. Stores in
    /// memory and those not in WAL mode report nothing.
    ///
    /// - Returns: the registration, which lasts until it is removed or the coordinator is
    ///   deallocated.
    @discardableResult
    public func addGenerationObserver(_ body: @escaping @Sendable () -> Void) -> GenerationObserver {
        addGenerationObserver(body, onEnd: nil)
    }

    func addGenerationObserver(_ body: @escaping @Sendable () -> Void, onEnd: (@Sendable () -> Void)?) -> GenerationObserver {
        add(GenerationObserver(onEnd: onEnd) { $0.listen(body) })
    }

    func add(_ observer: GenerationObserver) -> GenerationObserver {
        generationObservers.add(observer)
        for store in persistentStores { observer.listen(to: store.store) }
        return observer
    }

    /// Ends a registration. The body no longer runs when this returns, unless the body itself
    /// called this. Does nothing if called again.
    public func removeGenerationObserver(_ observer: GenerationObserver) { generationObservers.remove(observer) }

    #if !PINVIEW_C_LIBRARY
        /// An element for each time a newer generation is noticed, as for
        /// ``addGenerationObserver(_:)``. Elements not consumed in time are merged into one. Ends
        /// with the coordinator.
        public var newerGenerations: AsyncStream<Void> {
            AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
                let observer = addGenerationObserver({ continuation.yield() }, onEnd: { continuation.finish() })
                continuation.onTermination = { [weak self, weak observer] _ in
                    if let observer { self?.removeGenerationObserver(observer) }
                }
            }
        }
    #endif
}

// MARK: Journals

extension PersistentStoreCoordinator {
    /// Calls a block when generations other than the newest make a store's journal too long, or
    /// hold it back for too long (see the options of `addPersistentStore`): after they have been
    /// detached, after that has failed or, with the policy `warn`, instead. Warnings and failures
    /// are not repeated until the journal has doubled.
    ///
    /// - Parameter block: called on a thread of the library, for one event at a time. It may use
    ///   the coordinator and contexts of its own; the library's checkpoints wait for it.
    public func addJournalObserver(_ block: @escaping @Sendable (JournalEvent) -> Void) -> JournalObserver {
        let observer = JournalObserver(block)
        journalObservers.add(observer)
        return observer
    }

    /// Removes an observer. When this returns the block is not called any more; a call on another
    /// thread is waited for. Does nothing if called again.
    public func removeJournalObserver(_ observer: JournalObserver) { journalObservers.remove(observer) }

    /// Sets the single observer of the C interface; nil for none. When this returns, the former one
    /// has been released and is not called any more (unless it is the caller).
    package func setJournalCallback(_ block: (@Sendable (JournalEvent) -> Void)?) {
        journalObservers.replaceCallback(block.map { JournalObserver($0) })
    }
}
