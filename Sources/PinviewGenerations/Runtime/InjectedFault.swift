#if DEBUG
    import Glibc
    import Synchronization

    /// Faults that debug builds can inject into the engine: a stress test that does not find them
    /// proves nothing.
    ///
    /// A test sets `current` before it opens a store, or the environment variable
    /// `PINVIEW_INJECTED_FAULT` does. Except with `lostLocks`, reads are then not verified, because
    /// that would turn wrong rows into `generationLost`.
    package enum InjectedFault: String, CaseIterable, Sendable {
        /// A pin counts its read mark, but does not lock it.
        case noSlotLock
        /// A frozen reader sees the current number of copied frames instead of none.
        case liveBackfillMark
        /// The header is read after the transaction has begun, rather than in the barrier between
        /// SQLite's two readings of it. A pause in between lets a commit happen within seconds.
        case lateHeader
        /// A pin of read mark 0 keeps its frames, which a writer may overwrite.
        case slotZeroWithFrames
        /// The main file is copied a moment after the pins that protected it have been released.
        case detachedTooEarly
        /// A reader that moves to a later state ignores the frames in between.
        case unseenFrames
        /// A pin loses its lock as soon as it is complete, as behind the library's back. Reads are
        /// verified, and must report it.
        case lostLocks

        private static let injected = Atomic<Int>(-1)

        package static var current: InjectedFault? {
            get {
                _ = environment
                let position = injected.load(ordering: .relaxed)
                return position < 0 ? nil : allCases[position]
            }
            set {
                _ = environment
                injected.store(newValue.flatMap { allCases.firstIndex(of: $0) } ?? -1, ordering: .relaxed)
            }
        }

        /// Whether reads are not verified.
        static var isProofOff: Bool { current.map { $0 != .lostLocks } ?? false }

        /// An unknown name injects nothing; the stress test prints what is injected.
        private static let environment: Void = {
            guard let name = getenv("PINVIEW_INJECTED_FAULT") else { return }
            let fault = InjectedFault(rawValue: String(cString: name))
            injected.store(fault.flatMap { allCases.firstIndex(of: $0) } ?? -1, ordering: .relaxed)
        }()
    }
#endif
