#if DEBUG
    import Glibc
    import Synchronization

    /// Faults that debug builds can inject into contexts. Each resembles a bug that the library
    /// once had, and the tests of whole stacks must find it.
    ///
    /// A test sets `current`, or the environment variable `PINVIEW_INJECTED_FAULT` does.
    enum ContextFault: String, CaseIterable, Sendable {
        /// A child is not told of the permanent keys of its objects: two objects for one row
        /// (ONE-01).
        case permanentKeysNotTaken
        /// A relationship with a pending change does not take in what was merged (ONE-03).
        case pendingChangesHideMerges
        /// No merge policy resolves conflicts of uniqueness (UNQ-01).
        case uniquenessConflictsLeft
        /// The end of an event closes the program's undo group (ONE-06).
        case undoGroupsEndWithTheEvent
        /// What others refer to does not refer back to an object that came back (ONE-10).
        case reinsertedObjectsOneSided

        private static let injected = Atomic<Int>(-1)

        static var current: ContextFault? {
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

        /// A name of another list injects nothing here.
        private static let environment: Void = {
            guard let name = getenv("PINVIEW_INJECTED_FAULT") else { return }
            let fault = ContextFault(rawValue: String(cString: name))
            injected.store(fault.flatMap { allCases.firstIndex(of: $0) } ?? -1, ordering: .relaxed)
        }()
    }
#endif
