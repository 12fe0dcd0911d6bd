import PinviewModel

/// The objects that a fetch found, in order. A collection; with a batch size its elements' rows are
/// loaded in pages as they are accessed.
///
/// Which objects there are, and in which order, is as it was at the fetch, to the end. Faults among
/// them are filled when they are used: in a pinned context from its generation, in an unpinned one
/// from the newest state, each by itself. A fetch whose ``FetchRequest/returnsObjectsAsFaults`` is
/// false fills them at once, all from the state that it selected them in. With a batch size it does
/// so page by page: the objects of one page are of one state, but a later page of an unpinned
/// context may be of a newer one. Pin the context to have all pages from one state.
///
/// A batched result belongs to its context's queue as objects do. A page that cannot be loaded
/// leaves its objects as faults, and reading one of their properties gives the error.
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

    // Inlinable: going through the objects costs no calls then.
    @inlinable public var startIndex: Int { 0 }
    @inlinable public var endIndex: Int { batches == nil ? objects.count : batchedCount }

    @inlinable public subscript(position: Int) -> ManagedObject {
        batches == nil ? objects[position] : batchedObject(at: position)
    }

    @usableFromInline var batchedCount: Int { batches?.references.count ?? 0 }

    @usableFromInline
    func batchedObject(at position: Int) -> ManagedObject { batches?.object(at: position) ?? objects[position] }
}

/// The state of a batched result: the keys of all elements, and the objects of the pages accessed
/// so far.
@usableFromInline
final class BatchedObjects {
    let references: [ObjectReference]
    private let state: ContextState
    private var fetch: ResolvedFetch
    private var pages: [Int: [ManagedObject]] = [:]

    init(state: ContextState, fetch: ResolvedFetch, references: [ObjectReference]) {
        self.state = state
        self.fetch = fetch
        // Rows and generation of an asynchronous fetch are not to be held longer.
        self.fetch.storeResults = nil
        self.references = references
    }

    /// Gives values to the faults in a range, all from one state.
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
