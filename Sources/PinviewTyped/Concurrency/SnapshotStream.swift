import Pinview

/// Snapshots of the objects of a request, read page by page as they are consumed.
///
/// The IDs are fetched at the first step, the values a page at a time, off the calling task. In a
/// pinned context all pages are of one state; in an unpinned one, objects that were deleted in the
/// meantime are left out, and a page may be newer than the one before. Memory for one page and the
/// IDs is needed, whatever the number of objects. Cancelling the task stops the statement.
public struct SnapshotStream<T: TypedObject>: AsyncSequence, Sendable {
    public typealias Element = ObjectSnapshot<T>

    let context: ManagedObjectContext
    let request: TypedFetchRequest<T>
    let pageSize: Int
    let relationships: Bool

    public func makeAsyncIterator() -> Iterator { Iterator(stream: self) }

    /// Reads the pages.
    public struct Iterator: AsyncIteratorProtocol {
        let stream: SnapshotStream
        private var ids: [ManagedObjectID]?
        private var next = 0
        private var page: ArraySlice<ObjectSnapshot<T>> = []

        init(stream: SnapshotStream) { self.stream = stream }

        public mutating func next() async throws -> ObjectSnapshot<T>? {
            let request = stream.request
            if ids == nil { ids = try await stream.context.performInterruptibly { try $0.fetchObjectIDs(request) } }
            while page.isEmpty {
                guard let ids, next < ids.count else { return nil }
                let end = Swift.min(next + stream.pageSize, ids.count)
                page = try await readPage(Array(ids[next..<end]))[...]
                next = end
            }
            return page.popFirst()
        }

        private func readPage(_ ids: [ManagedObjectID]) async throws -> [ObjectSnapshot<T>] {
            var request = stream.request
            let relationships = stream.relationships
            // The objects have been selected: only the IDs and the order matter from here on.
            request.predicate = ObjectPath<T, T>().isIn(ids: ids).predicate
            (request.fetchLimit, request.fetchOffset, request.fetchBatchSize) = (0, 0, 0)
            request.returnsObjectsAsFaults = false
            return try await stream.context.performInterruptibly { [request] context in
                let found = try context.fetch(request).snapshots(relationships: relationships)
                if !request.sortDescriptors.isEmpty { return found }
                let byID = Dictionary(found.map { ($0.objectID, $0) }) { first, _ in first }
                return ids.compactMap { byID[$0] }
            }
        }
    }
}

extension ManagedObjectContext {
    /// The objects of a request as snapshots, for `for try await`.
    ///
    /// - Parameters:
    ///   - pageSize: how many rows one statement reads; at least 1.
    ///   - relationships: whether the snapshots include the IDs of related objects.
    public func stream<T>(_ request: TypedFetchRequest<T>, pageSize: Int = 500, relationships: Bool = false) -> SnapshotStream<T> {
        SnapshotStream(context: self, request: request, pageSize: Swift.max(1, pageSize), relationships: relationships)
    }
}
