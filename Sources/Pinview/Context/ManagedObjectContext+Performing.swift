import PinviewGenerations
import PinviewModel

/// Blocks on the context's queue.
extension ManagedObjectContext {
    /// Runs a block later on the context's queue, after what was put in before, and returns at
    /// once.
    ///
    /// A private-queue context's blocks run on some thread of the library, a main-queue context's
    /// on the main thread or the main actor, when something runs the ``MainQueue``. The end of the
    /// block is the end of an event. The context lives until the block has run.
    /// - Throws: `confinementPerform` on a confinement context.
    public func perform(_ block: @escaping @Sendable () -> Void) throws(PinviewError) {
        try requireQueue("perform")
        state.queue.perform { [self] in run(block) }
    }

    /// Runs a block on the context's queue and returns when it has run; nested calls run at once.
    ///
    /// For a private-queue context the block runs on the calling thread, for a main-queue context
    /// on the main thread.
    /// - Throws: `confinementPerform` on a confinement context, `deadlock` where the call would
    ///   wait for ever because the thread that uses the context waits, maybe through others, for a
    ///   context that the calling thread is using, and whatever the block throws.
    public func performAndWait<R>(_ block: () throws -> R) throws -> R {
        try requireQueue("performAndWait")
        if state.concurrencyType == .mainQueue, !CurrentThread.isMain, !state.queue.isCurrent {
            return try runOnMainThread(block)
        }
        // What the block does enters for itself.
        guard state.queue.enterUnlessDeadlocked(isReading: true) else { throw state.deadlock }
        defer { state.queue.leaveReading() }
        try state.requireNotResolving()
        return try run(block)
    }

    func requireQueue(_ what: String) throws(PinviewError) {
        try ContextState.checkProcess()
        guard concurrencyType != .confinement else {
            throw PinviewError(
                .confinementPerform, "\(what) was called on a confinement context, which has no queue. Use a private-queue context.")
        }
    }

    /// The calling thread is in the queue: runs the block as one event, unless it is part of one
    /// already.
    func run<R>(_ block: () throws -> R) rethrows -> R {
        let isOutermost = !state.isInBlock
        state.isInBlock = true
        let stack = CurrentThread.contextStack
        stack.push(self)
        defer {
            stack.pop()
            if isOutermost {
                if !state.hasEnded { state.endEvent() }
                state.isInBlock = false
                #if DEBUG
                    InvariantChecks.check(state)
                #endif
            }
        }
        return try block()
    }

    private func runOnMainThread<R>(_ block: () throws -> R) throws -> R {
        try withoutActuallyEscaping(block) { block in
            let call = WaitingCall(block)
            let wait = ThreadWait(.mainQueue, isReading: false, putOffWork: nil)
            MainQueueWork.shared.add { [self] in
                state.queue.enter()
                call.run(in: self)
                state.queue.leave()
                wait.end()
                wait.signal.send()
            }
            _ = WaitingThreads.shared.sleep(wait)
            guard let result = call.result else {
                throw PinviewError(.wrongQueue, "The main queue did not run the block.")
            }
            return try result.get()
        }
    }

    /// A call of another thread that waits for the main thread. The signal orders all access.
    private final class WaitingCall<R>: @unchecked Sendable {
        private var block: (() throws -> R)?
        private(set) var result: Result<R, any Error>?
        init(_ block: @escaping () throws -> R) { self.block = block }

        /// Runs the block and lets it go: the caller's stack frame, in which it lives, may be gone
        /// after the signal.
        @inline(never)
        func run(in context: ManagedObjectContext) {
            if let block { result = Result { try context.run(block) } }
            block = nil
        }
    }
}

// The shared library for C leaves this out, and with it half a megabyte of the concurrency runtime.
#if !PINVIEW_C_LIBRARY
    extension ManagedObjectContext {
        /// Runs a block on the context's queue without blocking the calling task.
        public func perform<R: Sendable>(_ block: @escaping @Sendable () throws -> R) async throws -> R {
            try requireQueue("perform")
            return try await withCheckedThrowingContinuation { continuation in
                state.queue.perform { [self] in
                    let result = Result { try run(block) }
                    continuation.resume(with: result)
                }
            }
        }
    }
#endif
