// The shared library for C leaves this out: what it would bring along is larger than the rest, and
// a C or Python program has no main actor.
#if PINVIEW_C_LIBRARY
    /// Dispatch's main queue, which C and Python programs do not have.
    enum DispatchMainQueue {
        static var isCurrent: Bool { false }
        static func async(_ work: @escaping @Sendable () -> Void) {}
    }
#else
    import Dispatch

    /// Dispatch's main queue, on which the main actor runs.
    ///
    /// While the thread that the process began with lives, it is that thread's. It is not any more
    /// once an asynchronous `main` has suspended for the first time, or once `dispatchMain()` was
    /// called: on Linux that thread ends then, and from there on the main queue runs on whichever
    /// thread Dispatch has, one piece of work after the other.
    enum DispatchMainQueue {
        private static let key: DispatchSpecificKey<Bool> = {
            let key = DispatchSpecificKey<Bool>()
            DispatchQueue.main.setSpecific(key: key, value: true)
            return key
        }()

        /// Whether the calling thread runs something of the main queue, by whichever name.
        static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) ?? false }

        /// Runs a body when the main queue comes to it; never in a program that has nothing that
        /// would run the queue.
        static func async(_ work: @escaping @Sendable () -> Void) { DispatchQueue.main.async(execute: work) }
    }
#endif
