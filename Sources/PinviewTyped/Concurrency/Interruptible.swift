import Pinview
import Synchronization

/// Whether a task was cancelled, for statements that run on a thread that knows no tasks.
final class Cancellation: Sendable {
    private let flag = Atomic<Bool>(false)

    var isCancelled: Bool { flag.load(ordering: .relaxed) }
    func cancel() { flag.store(true, ordering: .relaxed) }

    /// Runs a body whose statements stop when the task is cancelled.
    ///
    /// - Throws: `CancellationError` if the task was cancelled before the body began, or if the
    ///   body failed because a statement was stopped.
    func interrupting<R>(_ body: () throws -> R) throws -> R {
        if isCancelled { throw CancellationError() }
        // The thread may have a check of the program's: a main-queue context's block runs on the
        // main thread.
        let outer = InterruptCheck.body
        InterruptCheck.set { [self] in isCancelled || outer?() ?? false }
        defer { InterruptCheck.set(outer) }
        do {
            return try body()
        } catch let error as PinviewError where isCancelled && error.hasCode(.userCancelled) {
            throw CancellationError()
        }
    }
}

extension ManagedObjectContext {
    /// Runs a block on the context's queue without blocking the calling task; cancelling the task
    /// stops the statement that the block is running.
    ///
    /// Like ``perform(_:)-(()->R)``, with cancellation. A fetch that is stopped fails with
    /// `userCancelled`; a save that is stopped has written nothing, and its changes stay pending.
    ///
    /// - Throws: `CancellationError` if the task was cancelled before the block began, or if the
    ///   block failed because a statement was stopped; otherwise what the block throws.
    public func performInterruptibly<R: Sendable>(
        _ block: @escaping @Sendable (ManagedObjectContext) throws -> R
    ) async throws -> R {
        let cancellation = Cancellation()
        return try await withTaskCancellationHandler {
            try await perform { [self] in try cancellation.interrupting { try block(self) } }
        } onCancel: {
            cancellation.cancel()
        }
    }

    /// Saves without blocking the calling task. Cancelling the task stops the save until it
    /// commits; then nothing has been written.
    ///
    /// - Throws: `CancellationError` if the task was cancelled; otherwise as ``save()``.
    public func saveAsynchronously() async throws {
        try await performInterruptibly { try $0.save() }
    }

    /// Fetches snapshots without blocking the calling task: what a task on another thread may keep.
    ///
    /// - Throws: `CancellationError` if the task was cancelled; otherwise as
    ///   ``fetch(_:)-(FetchRequest)``.
    public func snapshots<T>(
        _ request: TypedFetchRequest<T>, relationships: Bool = false
    ) async throws -> [ObjectSnapshot<T>] {
        try await performInterruptibly { context in
            var request = request
            request.returnsObjectsAsFaults = false
            return try context.fetch(request).snapshots(relationships: relationships)
        }
    }
}

extension PersistentContainer {
    /// Opens the stores, and migrates them if that is needed, without blocking the calling task.
    ///
    /// - Parameters:
    ///   - migration: as for `loadPersistentStores`.
    ///   - progress: called during a migration on another thread than the caller's.
    /// - Throws: as `loadPersistentStores`.
    public func loadPersistentStoresAsynchronously(
        migration: StagedMigration? = nil, progress: (@Sendable (MigrationProgress) -> Bool)? = nil
    ) async throws {
        // A context of its own, only for its queue.
        let queue = newBackgroundContext()
        try await queue.perform { [self] in try loadPersistentStores(migration: migration, progress: progress) }
    }

    /// Runs a block with a new private-queue context, without blocking the calling task; cancelling
    /// the task stops the statement that the block is running.
    ///
    /// - Throws: `CancellationError` if the task was cancelled before the block began, or if the
    ///   block failed because a statement was stopped; otherwise what the block throws.
    public func performBackgroundTask<R: Sendable>(
        _ block: @escaping @Sendable (ManagedObjectContext) throws -> R
    ) async throws -> R {
        try await newBackgroundContext().performInterruptibly(block)
    }
}
