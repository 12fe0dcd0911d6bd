import PinviewGenerations
import PinviewModel

/// Blocks on the context's queue.
extension ManagedObjectContext {
    /// Runs a block later on the context's queue, after the blocks added before it, and returns at
    /// once.
    ///
    /// Blocks of a private-queue context run on some thread of the library, those of a main-queue
    /// context on the main thread or the main actor, once something runs the ``MainQueue``. The end
    /// of the block ends an event. The context lives until the block has run.
    /// - Throws: `confinementPerform` on a confinement context.
    public func perform(_ block: @escaping @Sendable () -> Void) throws(PinviewError) {
        try requireQueue("perform")
        state.queue.perform { [self] in run(block) }
    }

    /// Runs a block on the context's queue and returns once it has run. Nested calls run at once.
    ///
    /// The block of a private-queue context runs on the calling thread, that of a main-queue
    /// context on the main thread.
    /// - Throws: `confinementPerform` on a confinement context; `deadlock` if the call would wait
    ///   for ever, because the thread that uses the context waits, directly or through others, for
    ///   a context that the calling thread is using; and whatever the block throws.
    public func performAndWait<R>(_ block: () throws -> R) throws -> R {
        try requireQueue("performAndWait")
        if state.concurrencyType == .mainQueue, !CurrentThread.isMain, !state.queue.isCurrent {
            return try runOnMainThread(block)
        }
        // The calls inside the block enter on their own.
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

    /// Runs the block as one event, unless it is part of one already. The calling thread is inside
    /// the queue.
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

    /// A call from another thread that waits for the main thread. The signal orders all access.
    private final class WaitingCall<R>: @unchecked Sendable {
        private var block: (() throws -> R)?
        private(set) var result: Result<R, any Error>?
        init(_ block: @escaping () throws -> R) { self.block = block }

        /// Runs the block and releases it. The caller's stack frame, in which the block lives, may
        /// be gone after the signal.
        @inline(never)
        func run(in context: ManagedObjectContext) {
            if let block { result = Result { try context.run(block) } }
            block = nil
        }
    }
}

// Left out of the shared library for C, which saves half a megabyte of the concurrency runtime.
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
