import PinviewGenerations
import PinviewModel
import PinviewStore

/// A fetch whose stores are read off the context's queue (`NSAsynchronousFetchRequest`), for
/// `ManagedObjectContext.execute(_:)`, which returns at once with
/// `PersistentStoreResult.asynchronous`.
///
/// The stores are read at the generation that the context had when it executed the request. Unsaved
/// changes count as they are when the objects are made, on the context's queue, at the end. A
/// request of a child context goes through its parents' objects, and is carried out on the child's
/// queue.
public struct AsynchronousFetchRequest: PersistentStoreRequest, Sendable {
    public var fetchRequest: FetchRequest
    /// How many results the program expects, as the total of the progress; 0: unknown.
    public var estimatedResultCount = 0
    /// Whether the matching rows are counted first, as the total of the progress. That runs the
    /// fetch's condition twice. Dictionaries are not counted, for grouping makes fewer of them than
    /// there are rows; nor is the fetch of a child context.
    public var countsResultsFirst = false
    /// Told how many rows have been read so far, now and then, on a thread of the library that
    /// holds nothing of the store; and once at the end, on the context's queue. The fetch does not
    /// end before a call of it has returned, so it must not wait for that end. It is let go after
    /// the last call.
    public var progressHandler: (@Sendable (AsynchronousFetchResult) -> Void)?
    let completion: (@Sendable (AsynchronousFetchResult) -> Void)?

    /// - Parameter completion: called on the context's queue, once, however it ended.
    public init(fetchRequest: FetchRequest, completion: (@Sendable (AsynchronousFetchResult) -> Void)? = nil) {
        self.fetchRequest = fetchRequest
        self.completion = completion
    }
}

/// A fetch that is under way or has ended (`NSAsynchronousFetchResult`). All members may be used
/// from any thread; objects in the result follow the rules of objects.
public final class AsynchronousFetchResult: @unchecked Sendable {  // mutable state is guarded by `lock`
    public let fetchRequest: FetchRequest
    private let lock = Lock()
    private let ended = ConditionVariable()
    private var _result: Result<PersistentStoreResult, PinviewError>?
    private var total: Int?
    let monitor = ReadMonitor()
    /// Of the request.
    package let entity: Entity?

    fileprivate init(_ request: AsynchronousFetchRequest, _ entity: Entity?) {
        self.entity = entity
        fetchRequest = request.fetchRequest
        total = request.estimatedResultCount > 0 ? request.estimatedResultCount : nil
    }

    /// How many rows have been read.
    public var completedUnitCount: Int { monitor.rowCount }
    /// How many there will be, as far as that is known: counted, or the program's estimate.
    public var totalUnitCount: Int? { lock.withLock { total } }
    /// How it ended; nil while it is under way. A fetch that was cancelled failed with
    /// `userCancelled`.
    public var result: Result<PersistentStoreResult, PinviewError>? { lock.withLock { _result } }
    /// The objects, of a request for objects that has succeeded.
    public var finalResult: FetchResult? {
        if case .success(.objects(let objects))? = result { return objects }
        return nil
    }
    /// What went wrong.
    public var operationError: PinviewError? {
        if case .failure(let error)? = result { return error }
        return nil
    }

    /// Ends the fetch: SQLite's statement stops within microseconds, and the result is the error
    /// `userCancelled`. After the end it does nothing. The reader that was used goes on serving
    /// others.
    public func cancel() { monitor.cancel() }
    public var isCancelled: Bool { monitor.isCancelled }

    /// Waits for the end; not on the queue that has to bring it about.
    ///
    /// - Parameter timeout: seconds; nil for no limit. What is not above 0, or no number, only
    ///   looks.
    /// - Returns: whether it has ended.
    public func waitUntilFinished(timeout: Double? = nil) -> Bool {
        let deadline = timeout.map { MonotonicTime.now.after($0) }
        lock.lock()
        defer { lock.unlock() }
        while _result == nil {
            guard let deadline else {
                lock.wait(on: ended.pointer)
                continue
            }
            guard MonotonicTime.now < deadline else { return false }
            lock.wait(on: ended.pointer, until: deadline)
        }
        return true
    }

    fileprivate func setTotal(_ count: Int) { lock.withLock { total = count } }

    fileprivate func finish(_ result: Result<PersistentStoreResult, PinviewError>) {
        let result = monitor.finish() || monitor.hasTimedOut ? result : .failure(Self.cancelled)
        lock.withLock { _result = result }
        ended.broadcast()
    }

    fileprivate static let cancelled = PinviewError(.userCancelled, "The fetch was cancelled.")
}

extension ManagedObjectContext {
    /// Begins a fetch and returns at once; see ``AsynchronousFetchRequest``. The context lives
    /// until it has ended.
    ///
    /// - Throws: `confinementPerform` for a confinement context; what makes the request itself
    ///   wrong.
    @discardableResult
    public func execute(_ request: AsynchronousFetchRequest) throws(PinviewError) -> AsynchronousFetchResult {
        try execute(request) { _ in }
    }

    /// - Parameter beforeItBegins: given the result when nothing else can fail any more; if it
    ///   fails, nothing is fetched, and no handler is called.
    package func execute(
        _ request: AsynchronousFetchRequest, beforeItBegins: (AsynchronousFetchResult) throws(PinviewError) -> Void
    ) throws(PinviewError) -> AsynchronousFetchResult {
        try requireQueue("execute(_:) of an asynchronous request")
        try FetchRequest.check(timeout: request.fetchRequest.timeout)
        return try call { (state) throws(PinviewError) in
            let entity = state.coordinator?.managedObjectModel.entity(named: request.fetchRequest.entityName)
            let result = AsynchronousFetchResult(request, entity)
            let read = try state.reading(for: request, result)
            result.monitor.setTimeout(request.fetchRequest.timeout)
            let finish: @Sendable (Result<PendingResult, PinviewError>) -> Void = { [self] pending in
                state.queue.perform { [self] in run { state.finish(request, result, pending) } }
            }
            try beforeItBegins(result)
            if let read {
                let reporter = request.progressHandler.map { ProgressReporter($0, result) }
                reporter?.start()
                WorkerThreads.shared.run {
                    let pending = result.monitor.watching { Result { () throws(PinviewError) in try read() } }
                    reporter?.stop()
                    finish(pending)
                }
            } else {
                finish(.success(.fetch(nil)))
            }
            return result
        }
    }
}

/// What the reading off the queue has given.
private enum PendingResult: Sendable {
    /// Objects, IDs and counts, to be made on the queue.
    case fetch(StoreResults?)
    case dictionaries(DictionaryResult)
}

extension ContextState {
    /// What is to be done off the queue; nil where all of it is done on the queue.
    fileprivate func reading(
        for request: AsynchronousFetchRequest, _ result: AsynchronousFetchResult
    ) throws(PinviewError) -> (@Sendable () throws(PinviewError) -> PendingResult)? {
        let fetchRequest = request.fetchRequest
        if fetchRequest.resultType == .dictionary {
            let read = try dictionaryReading(fetchRequest)
            return { () throws(PinviewError) in .dictionaries(try read()) }
        }
        let fetch = try resolve(fetchRequest)
        try processPendingChanges()
        guard parent == nil else { return nil }
        let reading = try storeReading(fetch)
        return { () throws(PinviewError) in
            if request.countsResultsFirst { result.setTotal(try reading.count()) }
            return .fetch(try reading.read())
        }
    }

    /// On the queue: makes the result and tells of it.
    fileprivate func finish(
        _ request: AsynchronousFetchRequest, _ result: AsynchronousFetchResult, _ pending: Result<PendingResult, PinviewError>
    ) {
        if hasDeferredRemovals { applyDeferredRemovals() }
        result.finish(
            Result { () throws(PinviewError) in
                guard !result.isCancelled else { throw AsynchronousFetchResult.cancelled }
                return try result.monitor.watching { () throws(PinviewError) in try contents(request.fetchRequest, pending) }
            })
        request.progressHandler?(result)
        request.completion?(result)
    }

    /// - Parameter pending: what was read off the queue. An unpinned context reads anew, on the
    ///   queue, if that failed because the generation was lost.
    private func contents(
        _ request: FetchRequest, _ pending: Result<PendingResult, PinviewError>
    ) throws(PinviewError) -> PersistentStoreResult {
        if case .failure(let error) = pending, error.hasCode(.generationLost), case .unpinned = pin {
            if request.resultType == .dictionary { return .dictionaries(try fetchDictionaries(request)) }
            return try contents(request, nil)
        }
        switch try pending.get() {
        case .dictionaries(let rows): return .dictionaries(rows)
        case .fetch(let results):
            do throws(PinviewError) {
                return try contents(request, results)
            } catch {
                guard let results, error.hasCode(.generationLost), results.set.isLost, case .unpinned = pin else { throw error }
                return try contents(request, nil)
            }
        }
    }

    private func contents(_ request: FetchRequest, _ results: StoreResults?) throws(PinviewError) -> PersistentStoreResult {
        var fetch = try resolve(request)
        try processPendingChanges()
        // Objects are not refreshed to what is old by now.
        if let results {
            let isUsable = request.shouldRefreshRefetchedObjects ? try isPresent(results) : true
            if isUsable { fetch.storeResults = results }
        }
        return try readingConsistently(at: fetch.storeResults?.set) { [fetch] () throws(PinviewError) -> PersistentStoreResult in
            switch request.resultType {
            case .managedObjectID: return .objectIDs(try fetchObjectIDs(fetch))
            case .count: return .count(try count(fetch))
            default: return .objects(try self.fetch(fetch))
            }
        }
    }

    /// Whether the stores would answer the same now.
    private func isPresent(_ results: StoreResults) throws(PinviewError) -> Bool {
        let set = try beginRead()
        return set === results.set && results.sources.allSatisfy { $0.generation != nil }
    }
}

#if !PINVIEW_C_LIBRARY
    extension ManagedObjectContext {
        /// Fetches without blocking the calling task: the stores are read off the context's queue.
        /// Cancelling the task stops SQLite's statement.
        ///
        /// - Throws: `CancellationError` when the task was cancelled; else as ``fetch(_:)``.
        public func fetchAsynchronously(_ request: FetchRequest) async throws -> PersistentStoreResult {
            let running = RunningFetch()
            let result: AsynchronousFetchResult = try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    do throws(PinviewError) {
                        running.begin(
                            try execute(AsynchronousFetchRequest(fetchRequest: request) { continuation.resume(returning: $0) }))
                    } catch {
                        continuation.resume(throwing: error)
                    }
                }
            } onCancel: {
                running.cancel()
            }
            if result.operationError?.hasCode(.userCancelled) ?? false { throw CancellationError() }
            guard let outcome = result.result else { throw AsynchronousFetchResult.cancelled }
            return try outcome.get()
        }
    }

    /// A fetch that may be cancelled before it has begun.
    private final class RunningFetch: @unchecked Sendable {  // guarded by `lock`
        private let lock = Lock()
        private var result: AsynchronousFetchResult?
        private var isCancelled = false

        func begin(_ result: AsynchronousFetchResult) {
            let isCancelled = lock.withLock {
                self.result = result
                return self.isCancelled
            }
            if isCancelled { result.cancel() }
        }

        func cancel() {
            let result = lock.withLock {
                isCancelled = true
                return self.result
            }
            result?.cancel()
        }
    }
#endif
