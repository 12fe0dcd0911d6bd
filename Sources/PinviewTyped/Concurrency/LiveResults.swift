import Pinview

/// The results of a request as identifiers, in sections, at one moment: what a list needs to
/// compare itself with (`NSDiffableDataSourceSnapshot`).
public struct ResultsSnapshot: Hashable, Sendable {
    /// A section: its name, and the IDs of its objects in order.
    public struct Section: Hashable, Sendable {
        /// The section's name; empty if the results have no sections.
        public let name: String
        /// The IDs of the section's objects in order.
        public let itemIdentifiers: [ManagedObjectID]
    }

    /// The sections in order; one if the request has no sections.
    public let sections: [Section]
    /// The objects that have changed since the last snapshot that was received.
    public let changedItemIdentifiers: Set<ManagedObjectID>

    /// The IDs of all objects in order.
    public var itemIdentifiers: [ManagedObjectID] { sections.flatMap(\.itemIdentifiers) }
    /// The names of the sections in order.
    public var sectionIdentifiers: [String] { sections.map(\.name) }
    /// The number of objects in all sections.
    public var numberOfItems: Int { sections.reduce(0) { $0 + $1.itemIdentifiers.count } }

    /// What to do to a list of an earlier snapshot's objects so that it has those of this one.
    public func difference(from earlier: ResultsSnapshot) -> CollectionDifference<ManagedObjectID> {
        itemIdentifiers.difference(from: earlier.itemIdentifiers).inferringMoves()
    }
}

/// The results of a request, and what they are after each change, for `for try await`.
///
/// The first element has the results at the start. Each further one has the results after one or
/// more changes: if changes come faster than they are consumed, one snapshot stands for several, so
/// a slow consumer neither delays the context nor fills memory. The sequence ends when the
/// iterating task is cancelled, and throws what a results controller fails with.
public struct LiveResults: AsyncSequence, Sendable {
    public typealias Element = ResultsSnapshot

    let context: ManagedObjectContext
    let request: FetchRequest
    let sectionNameKeyPath: String?

    public func makeAsyncIterator() -> Iterator { Iterator(results: self) }

    /// Waits for changes of the results.
    public final class Iterator: AsyncIteratorProtocol {
        private let results: LiveResults
        private var follower: ResultsFollower?
        private var signals: AsyncStream<Void>.Iterator?

        init(results: LiveResults) { self.results = results }

        public func next() async throws -> ResultsSnapshot? {
            if follower == nil {
                let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
                let results = results
                follower = try await results.context.perform {
                    try ResultsFollower(results, continuation)
                }
                signals = stream.makeAsyncIterator()
            }
            while let follower {
                if let snapshot = try follower.take() { return snapshot }
                guard await nextSignal() else { return nil }
            }
            return nil
        }

        private func nextSignal() async -> Bool {
            guard var iterator = signals else { return false }
            let signal: Void? = await iterator.next(isolation: nil)
            signals = iterator
            return signal != nil
        }
    }
}

/// Keeps the newest snapshot that nobody has taken yet.
private final class ResultsFollower: FetchedResultsControllerDelegate, @unchecked Sendable {
    // Guarded by `lock`, but for the controller and `changed`, which belong to its queue.
    private let controller: FetchedResultsController
    private let signal: AsyncStream<Void>.Continuation
    private let lock = ThreadLock()
    private var waiting: ResultsSnapshot?
    private var failure: PinviewError?
    /// Changes of the event that the controller reports. On its queue.
    private var changed: Set<ManagedObjectID> = []

    /// On the context's queue.
    init(_ results: LiveResults, _ signal: AsyncStream<Void>.Continuation) throws(PinviewError) {
        controller = try FetchedResultsController(
            fetchRequest: results.request, managedObjectContext: results.context, sectionNameKeyPath: results.sectionNameKeyPath)
        self.signal = signal
        try controller.performFetch()
        waiting = Self.snapshot(of: controller, changed: [])
        controller.delegate = self
    }

    deinit { signal.finish() }

    func take() throws(PinviewError) -> ResultsSnapshot? {
        lock.lock()
        defer { lock.unlock() }
        if let failure {
            self.failure = nil
            throw failure
        }
        defer { waiting = nil }
        return waiting
    }

    private static func snapshot(of controller: FetchedResultsController, changed: Set<ManagedObjectID>) -> ResultsSnapshot {
        let sections = (controller.sections ?? []).map {
            ResultsSnapshot.Section(name: $0.name, itemIdentifiers: $0.objects.map(\.objectID))
        }
        return ResultsSnapshot(sections: sections, changedItemIdentifiers: changed)
    }

    func controllerWillChangeContent(_ controller: FetchedResultsController) { changed = [] }

    func controller(
        _ controller: FetchedResultsController, didChange object: ManagedObject, at indexPath: PinviewIndexPath?,
        for type: FetchedResultsChangeType, newIndexPath: PinviewIndexPath?
    ) {
        if type == .update || type == .move { changed.insert(object.objectID) }
    }

    func controllerDidChangeContent(_ controller: FetchedResultsController) {
        let before = lock.withLock { waiting?.changedItemIdentifiers ?? [] }
        let snapshot = Self.snapshot(of: controller, changed: before.union(changed))
        lock.withLock { waiting = snapshot }
        signal.yield()
    }

    func controller(_ controller: FetchedResultsController, didFailWith error: PinviewError) {
        lock.withLock { failure = error }
        signal.yield()
    }
}

extension ManagedObjectContext {
    /// The results of a request and what becomes of them, as identifiers; see ``LiveResults``.
    ///
    /// - Parameters:
    ///   - request: with at least one criterion to sort by.
    ///   - sectionNameKeyPath: as for ``FetchedResultsController``.
    public func liveResults<T>(_ request: TypedFetchRequest<T>, sectionNameKeyPath: String? = nil) -> LiveResults {
        LiveResults(context: self, request: request.untyped, sectionNameKeyPath: sectionNameKeyPath)
    }

    /// Like ``liveResults(_:sectionNameKeyPath:)``, with sections by an attribute.
    public func liveResults<T, V>(
        _ request: TypedFetchRequest<T>, sectionedBy attribute: KeyPath<ObjectPath<T, T>, AttributePath<T, V>>
    ) -> LiveResults {
        liveResults(request, sectionNameKeyPath: ObjectPath<T, T>()[keyPath: attribute].steps.keys.joined(separator: "."))
    }
}
