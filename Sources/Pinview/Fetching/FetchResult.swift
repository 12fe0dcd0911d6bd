import PinviewModel
import PinviewStore

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
/// A batched result belongs to its context's queue, as objects do. It keeps the objects of the last
/// two pages that were asked for; others live as long as the program refers to them, and are made
/// anew when they are asked for again. Going through a result of any size thus needs little memory.
/// If a page cannot be loaded, its objects stay faults, and reading their properties throws the
/// error.
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

    /// Goes through the objects of a result, page by page if it is batched.
    public struct Iterator: IteratorProtocol {
        @usableFromInline let batches: BatchedObjects?
        /// The objects at hand, and how many of them are past.
        @usableFromInline var objects: [ManagedObject]
        @usableFromInline var past = 0
        /// The index of the first element behind them.
        @usableFromInline var end = 0

        @usableFromInline
        init(_ result: FetchResult) { (batches, objects) = (result.batches, result.objects) }

        @inlinable
        public mutating func next() -> ManagedObject? {
            if past == objects.count, !turnPage() { return nil }
            past += 1
            return objects[past - 1]
        }

        /// Takes the next page of a batched result.
        /// - Returns: false if there is none.
        @usableFromInline
        mutating func turnPage() -> Bool {
            guard let batches, end < batches.references.count else { return false }
            let page = end..<Swift.min(end + batches.pageSize, batches.references.count)
            (objects, past, end) = (batches.objects(in: page), 0, page.upperBound)
            return true
        }
    }

    @inlinable public func makeIterator() -> Iterator { Iterator(self) }

    @usableFromInline var batchedCount: Int { batches?.references.count ?? 0 }

    @usableFromInline
    func batchedObject(at position: Int) -> ManagedObject { batches?.object(at: position) ?? objects[position] }
}

/// The keys of the objects that a fetch has found.
final class FoundReferences {
    /// Those in one store, if there is a binding for the entity of the fetch; else `listed` has all.
    private let stored: ReferenceList
    let binding: EntityBinding?
    /// All; or changed objects among those in the store, with the number of the latter before each.
    private let listed: [ObjectReference]
    private let ranks: [Int]

    init(of references: ReferenceList, _ binding: EntityBinding) {
        (stored, self.binding, listed, ranks) = (references, binding, [], [])
    }

    init(_ references: [ObjectReference]) { (stored, binding, listed, ranks) = (ReferenceList(), nil, references, []) }

    convenience init(to objects: [ManagedObject]) { self.init(objects.map(\.reference)) }

    /// - Parameter part: what is wanted of the order.
    init(_ order: MergedOrder, _ part: MergedOrder.Part, _ binding: EntityBinding) {
        var rows = order.unchanged
        if part.rows != 0..<rows.count {
            rows = ReferenceList()
            for place in part.rows { rows.append(order.unchanged[place]) }
        }
        (stored, self.binding) = (rows, binding)
        listed = part.objects.map(\.object.reference)
        ranks = part.objects.map(\.rank)
    }

    var count: Int { stored.count + listed.count }

    /// The keys of the rows at some places.
    func storedKeys(_ places: Range<Int>) -> [Int64] {
        if listed.isEmpty { return places.map { stored[$0].primaryKey } }
        return places.compactMap { place in
            let key = self[place].key
            return key.isTemporary ? nil : key.primaryKey
        }
    }

    subscript(index: Int) -> ObjectReference {
        guard let binding else { return listed[index] }
        // An object is preceded by all before it, too.
        let changed = ranks.isEmpty ? 0 : partitionPoint(ranks.count) { ranks[$0] + $0 < index }
        if changed < ranks.count, ranks[changed] + changed == index { return listed[changed] }
        let reference = stored[index - changed], entityIndex = Int(reference.entityIndex)
        let root = Int32(binding.entities[entityIndex].rootIndex)
        return ObjectReference(
            key: ObjectKey(storeNumber: binding.storeNumber, rootEntity: root, primaryKey: reference.primaryKey),
            entityIndex: entityIndex)
    }
}

extension ManagedObject {
    fileprivate var reference: ObjectReference { ObjectReference(key: key, entityIndex: entity.index) }
}

/// A batched result: the keys of all elements, and the objects of the pages accessed last.
@usableFromInline
final class BatchedObjects {
    let references: FoundReferences
    private let state: ContextState
    private var fetch: ResolvedFetch
    /// The page accessed last comes last.
    private var pages: [(number: Int, objects: [ManagedObject])] = []

    var pageSize: Int { fetch.request.fetchBatchSize }

    /// Enough for a program that compares neighbours.
    private static let keptPages = 2

    init(state: ContextState, fetch: ResolvedFetch, references: FoundReferences) {
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
        try state.readingConsistently { () throws(PinviewError) in try state.realiseTogether(objects(in: range)) }
    }

    func object(at index: Int) -> ManagedObject {
        state.readOnQueue {
            let number = index / pageSize
            return page(number)[index - number * pageSize]
        }
    }

    /// The objects in a range, with one look at the context for all of them.
    func objects(in range: Range<Int>) -> [ManagedObject] {
        state.readOnQueue {
            let size = pageSize
            var found: [ManagedObject] = []
            found.reserveCapacity(range.count)
            var next = range.lowerBound
            while next < range.upperBound {
                let number = next / size, objects = page(number)
                let places = next - number * size..<Swift.min(objects.count, range.upperBound - number * size)
                found += objects[places]
                next += places.count
            }
            return found
        }
    }

    /// The objects of a page.
    private func page(_ number: Int) -> [ManagedObject] {
        if let last = pages.last, last.number == number { return last.objects }
        if let known = pages.firstIndex(where: { $0.number == number }) {
            pages.append(pages.remove(at: known))
        } else {
            if pages.count == Self.keptPages { pages.removeFirst() }
            let first = number * pageSize, range = first..<Swift.min(first + pageSize, references.count)
            pages.append((number, state.objectsOfPage(range, references, of: fetch)))
        }
        return pages[pages.count - 1].objects
    }
}
