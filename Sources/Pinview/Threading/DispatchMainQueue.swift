// Left out of the shared library for C: it would more than double the size, and C and Python
// programs have no main actor.
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
    /// As long as the process's first thread lives, the queue belongs to that thread. After an
    /// asynchronous `main` has suspended for the first time, or after `dispatchMain()`, that thread
    /// ends on Linux, and the main queue runs on any of Dispatch's threads, one block at a time.
    enum DispatchMainQueue {
        private static let key: DispatchSpecificKey<Bool> = {
            let key = DispatchSpecificKey<Bool>()
            DispatchQueue.main.setSpecific(key: key, value: true)
            return key
        }()

        /// Whether the calling thread is running something of the main queue or the main actor.
        static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) ?? false }

        /// Runs a body on the main queue. Never runs it in a program where nothing runs that queue.
        static func async(_ work: @escaping @Sendable () -> Void) { DispatchQueue.main.async(execute: work) }
    }
#endif
