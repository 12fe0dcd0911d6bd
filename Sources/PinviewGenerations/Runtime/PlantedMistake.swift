#if DEBUG
    import Glibc
    import Synchronization

    /// Mistakes in the engine that debug builds can make on purpose: a stress test that does not find them proves nothing.
    ///
    /// Planted by a test before it opens a store, or by the environment variable `PINVIEW_PLANTED_MISTAKE`. While one is
    /// planted the proof after each read is switched off as well, for it would turn wrong rows into `generationLost`.
    package enum PlantedMistake: String, CaseIterable, Sendable {
        /// A pin counts its read mark but does not lock it.
        case noSlotLock
        /// A frozen reader sees how many frames have been copied by now, instead of none.
        case liveBackfillMark
        /// The header is read after the transaction has begun, not in the barrier between SQLite's two sightings. The
        /// moment in between is made longer, so that a run of seconds meets a commit in it.
        case lateHeader
        /// A pin of read mark 0 keeps its frames, which a writer may overwrite.
        case slotZeroWithFrames
        /// The main file is copied aside a moment after the pins that protected it have been let go.
        case detachedTooEarly
        /// A reader that is moved to a later state takes no notice of the frames in between.
        case unseenFrames
        /// As `noSlotLock`, but the proof stays on: locks that were lost behind the library's back. Reads must say so.
        case lostLocks

        private static let planted = Atomic<Int>(-1)

        package static var current: PlantedMistake? {
            get {
                _ = environment
                let position = planted.load(ordering: .relaxed)
                return position < 0 ? nil : allCases[position]
            }
            set {
                _ = environment
                planted.store(newValue.flatMap { allCases.firstIndex(of: $0) } ?? -1, ordering: .relaxed)
            }
        }

        /// Whether reads go without proof.
        static var isProofOff: Bool { current.map { $0 != .lostLocks } ?? false }
        /// Whether pins go without locks.
        static var arePinsUnlocked: Bool { current == .noSlotLock || current == .lostLocks }

        /// An unknown name plants nothing; the stress test prints what is planted.
        private static let environment: Void = {
            guard let name = getenv("PINVIEW_PLANTED_MISTAKE") else { return }
            let mistake = PlantedMistake(rawValue: String(cString: name))
            planted.store(mistake.flatMap { allCases.firstIndex(of: $0) } ?? -1, ordering: .relaxed)
        }()
    }
#endif
