import PinviewModel

/// The objects found by a fetch, in order. With a batch size, their rows are loaded in pages as
/// elements are accessed.
///
/// Which objects are in the result, and their order, never changes. Faults are filled when they are
/// used: in a pinned context from its generation, in an unpinned one from the newest state, each
/// one separately. If ``FetchRequest/returnsObjectsAsFaults`` is false, the fetch fills them at
/// once, all from the state in which it selected them. With a batch size, this happens page by
/// page: the objects of a page are of one state, but a later page of an unpinned context may be of
/// a newer one. Pin the context to read all pages from one state.
///
/// A batched result belongs to its context's queue, as objects do. If a page cannot be loaded, its
/// objects stay faults, and reading their properties throws the error.
public struct FetchResult: RandomAccessCollection {
    @usableFromInline let batches: BatchedObjects?
    @usableFromInline let objects: [ManagedObject]

    init(objects: [ManagedObject]) {
        self.objects = objects
        batches = nil
    }

    init(batches: BatchedObjects) {
        self.batches = batches
        objects = []
    }

    // Inlinable, so that iterating over the objects needs no calls.
    @inlinable public var startIndex: Int { 0 }
    @inlinable public var endIndex: Int { batches == nil ? objects.count : batchedCount }

    @inlinable public subscript(position: Int) -> ManagedObject {
        batches == nil ? objects[position] : batchedObject(at: position)
    }

    @usableFromInline var batchedCount: Int { batches?.references.count ?? 0 }

    @usableFromInline
    func batchedObject(at position: Int) -> ManagedObject { batches?.object(at: position) ?? objects[position] }
}

/// A batched result: the keys of all elements, and the objects of the pages accessed so far.
@usableFromInline
final class BatchedObjects {
    let references: [ObjectReference]
    private let state: ContextState
    private var fetch: ResolvedFetch
    private var pages: [Int: [ManagedObject]] = [:]

    init(state: ContextState, fetch: ResolvedFetch, references: [ObjectReference]) {
        self.state = state
        self.fetch = fetch
        // Do not keep rows and generation of an asynchronous fetch.
        self.fetch.storeResults = nil
        self.references = references
    }

    /// Realises the faults in a range, all from one state.
    func realise(_ range: Range<Int>) throws(PinviewError) {
        try state.enter(isReading: true)
        defer { state.leaveReading() }
        try state.readingConsistently { () throws(PinviewError) in try state.realiseTogether(range.map(object(at:))) }
    }

    func object(at index: Int) -> ManagedObject {
        state.readOnQueue {
            let batchSize = fetch.request.fetchBatchSize, page = index / batchSize
            if let objects = pages[page] { return objects[index - page * batchSize] }
            let range = page * batchSize..<Swift.min((page + 1) * batchSize, references.count)
            let objects = state.objectsOfPage(references[range], of: fetch)
            pages[page] = objects
            return objects[index - range.lowerBound]
        }
    }
}
