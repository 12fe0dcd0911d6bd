import PinviewGenerations
import PinviewModel
import PinviewStore

/// A fetch that reads the stores off the context's queue (`NSAsynchronousFetchRequest`). Execute it
/// with `ManagedObjectContext.execute(_:)`, which returns at once with
/// `PersistentStoreResult.asynchronous`.
///
/// The stores are read at the generation that the context has when it executes the request. At the
/// end, the objects are made on the context's queue; unsaved changes are included as they are by
/// then. In a child context, the request is carried out on the child's queue, through the objects
/// of its parents.
public struct AsynchronousFetchRequest: PersistentStoreRequest, Sendable {
    /// The request to fetch.
    public var fetchRequest: FetchRequest
    /// How many results to expect, reported as the total of the progress; 0 if unknown.
    public var estimatedResultCount = 0
    /// Whether to count the matching rows first and report the number as the total of the progress.
    /// That evaluates the predicate twice. Fetches of dictionaries, which may group rows, and
    /// fetches in child contexts are not counted.
    public var countsResultsFirst = false
    /// Called occasionally with the number of rows read so far, on a thread of the library that
    /// holds no locks of the store, and once at the end, on the context's queue. The fetch does not
    /// end before a call has returned, so the handler must not wait for the end. Released after the
    /// last call.
    public var progressHandler: (@Sendable (AsynchronousFetchResult) -> Void)?
    let completion: (@Sendable (AsynchronousFetchResult) -> Void)?

    /// - Parameter completion: called once on the context's queue, whatever the outcome.
    public init(fetchRequest: FetchRequest, completion: (@Sendable (AsynchronousFetchResult) -> Void)? = nil) {
        self.fetchRequest = fetchRequest
        self.completion = completion
    }
}

/// A running or finished fetch (`NSAsynchronousFetchResult`). All members may be used on any
/// thread; the objects of the result follow the rules of objects.
public final class AsynchronousFetchResult: @unchecked Sendable {  // mutable state is guarded by `lock`
    /// The request being fetched.
    public let fetchRequest: FetchRequest
    private let lock = Lock()
    private let ended = ConditionVariable()
    private var _result: Result<PersistentStoreResult, PinviewError>?
    private var total: Int?
    let monitor = ReadMonitor()
    /// The request's entity.
    package let entity: Entity?

    fileprivate init(_ request: AsynchronousFetchRequest, _ entity: Entity?) {
        self.entity = entity
        fetchRequest = request.fetchRequest
        total = request.estimatedResultCount > 0 ? request.estimatedResultCount : nil
    }

    /// How many rows have been read so far.
    public var completedUnitCount: Int { monitor.rowCount }
    /// How many rows there will be: counted, or the program's estimate; nil if unknown.
    public var totalUnitCount: Int? { lock.withLock { total } }
    /// The outcome; nil while the fetch is running. A cancelled fetch fails with `userCancelled`.
    public var result: Result<PersistentStoreResult, PinviewError>? { lock.withLock { _result } }
    /// The objects, if the request was for objects and has succeeded.
    public var finalResult: FetchResult? {
        if case .success(.objects(let objects))? = result { return objects }
        return nil
    }
    /// The error, if the fetch has failed.
    public var operationError: PinviewError? {
        if case .failure(let error)? = result { return error }
        return nil
    }

    /// Cancels the fetch: SQLite's statement stops within microseconds, and the result is the error
    /// `userCancelled`. Does nothing once the fetch has ended. Other fetches are not affected.
    public func cancel() { monitor.cancel() }
    /// Whether ``cancel()`` has been called before the fetch ended.
    public var isCancelled: Bool { monitor.isCancelled }

    /// Waits until the fetch has ended. Must not be called on the queue of its context.
    ///
    /// - Parameter timeout: seconds; nil for no limit. With 0, a negative number or NaN it returns
    ///   at once.
    /// - Returns: whether the fetch has ended.
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
    /// Starts a fetch and returns at once; see ``AsynchronousFetchRequest``. The context lives
    /// until the fetch has ended.
    ///
    /// - Throws: `confinementPerform` for a confinement context; the errors of the request itself.
    @discardableResult
    public func execute(_ request: AsynchronousFetchRequest) throws(PinviewError) -> AsynchronousFetchResult {
        try execute(request) { _ in }
    }

    /// - Parameter beforeItBegins: gets the result once nothing else can fail. If it throws,
    ///   nothing is fetched, and no handler is called.
    package func execute(
        _ request: AsynchronousFetchRequest, beforeItBegins: (AsynchronousFetchResult) throws(PinviewError) -> Void
    ) throws(PinviewError) -> AsynchronousFetchResult {
        try requireQueue("An asynchronous fetch")
        try FetchRequest.check(timeout: request.fetchRequest.timeout)
        return try call { (state) throws(PinviewError) in
            let entity = state.coordinator?.managedObjectModel.entity(named: request.fetchRequest.entityName)
            let result = AsynchronousFetchResult(request, entity)
            let read = try state.reading(for: request, result)
            result.monitor.setTimeout(request.fetchRequest.timeout ?? state.settings.timeout)
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

/// What was read off the queue.
private enum PendingResult: Sendable {
    /// Results for objects, IDs and counts, which are made on the queue.
    case fetch(StoreResults?)
    case dictionaries(DictionaryResult)
}

extension ContextState {
    /// The work to do off the queue; nil if everything is done on the queue.
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

    /// Makes the result and reports it, on the queue.
    fileprivate func finish(
        _ request: AsynchronousFetchRequest, _ result: AsynchronousFetchResult, _ pending: Result<PendingResult, PinviewError>
    ) {
        if self.pending.hasDeferredRemovals { applyDeferredRemovals() }
        result.finish(
            Result { () throws(PinviewError) in
                guard !result.isCancelled else { throw AsynchronousFetchResult.cancelled }
                return try result.monitor.watching { () throws(PinviewError) in try contents(request.fetchRequest, pending) }
            })
        request.progressHandler?(result)
        request.completion?(result)
    }

    /// - Parameter pending: what was read off the queue. If that failed because the generation was
    ///   lost, an unpinned context reads again, on the queue.
    private func contents(
        _ request: FetchRequest, _ pending: Result<PendingResult, PinviewError>
    ) throws(PinviewError) -> PersistentStoreResult {
        if case .failure(let error) = pending, error.hasCode(.generationLost), pin.isUnpinned {
            if request.resultType == .dictionary { return .dictionaries(try fetchDictionaries(request)) }
            return try contents(request, nil)
        }
        switch try pending.get() {
        case .dictionaries(let rows): return .dictionaries(rows)
        case .fetch(let results):
            do throws(PinviewError) {
                return try contents(request, results)
            } catch {
                guard let results, error.hasCode(.generationLost), results.set.isLost, pin.isUnpinned else { throw error }
                return try contents(request, nil)
            }
        }
    }

    private func contents(_ request: FetchRequest, _ results: StoreResults?) throws(PinviewError) -> PersistentStoreResult {
        var fetch = try resolve(request)
        try processPendingChanges()
        // Do not refresh objects to outdated values.
        if let results {
            let isUsable = request.shouldRefreshRefetchedObjects ? results.areOf(try beginRead()) : true
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
}

#if !PINVIEW_C_LIBRARY
    extension ManagedObjectContext {
        /// Fetches without blocking the calling task: the stores are read off the context's queue.
        /// Cancelling the task stops SQLite's statement.
        ///
        /// - Throws: `CancellationError` if the task was cancelled; otherwise as ``fetch(_:)``.
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
