import PinviewGenerations
import PinviewModel
import PinviewStore

/// Fetches that give columns of values.
extension ManagedObjectContext {
    /// Begins a fetch that gives columns of values instead of objects, batch by batch: the fastest
    /// way to read much, and the form in which programs that calculate take data (Apache Arrow's
    /// layouts).
    ///
    /// What is fetched is said as for dictionaries: ``FetchRequest/propertiesToFetch`` names
    /// attributes and to-one relationships, also over to-one relationships such as
    /// `plane.manufacturer`, `objectID`, and expressions; without any the stored attributes come.
    /// Predicate, order, limit, offset, groups and distinct rows count as there. The columns are
    /// those of the stores: the context's unsaved changes do not count. Several stores come one
    /// after the other; then the rows cannot be sorted, grouped or distinct.
    ///
    /// The stream reads the generation that the context has now, and holds it until the stream is
    /// let go, wherever the context moves and even after its end. No rows are read yet.
    ///
    /// A batch has ``FetchRequest/fetchBatchSize`` rows, or ``ColumnStream/defaultBatchSize`` where
    /// that is 0; it ends earlier when one of its columns has 64 MiB of text or bytes, and the last
    /// one ends with the rows. A whole table in batches of 16,384 rows or more is read by two
    /// threads from the second batch on: in the same order, but a batch has fewer rows where keys
    /// are missing.
    ///
    /// - Parameter givesObjectURIs: whether objects are given as texts, the URIs of their IDs; else
    ///   as their primary keys, which are unique within a store and a hierarchy of entities.
    /// - Throws: what the request makes wrong; `invalidArgument` for an order or groups over
    ///   several stores, and for keys of objects of several stores.
    public func fetchColumns(_ request: FetchRequest, givesObjectURIs: Bool = false) throws(PinviewError) -> ColumnStream {
        try call { (state) throws(PinviewError) in try state.fetchColumns(request, givesObjectURIs: givesObjectURIs) }
    }
}

/// What the values of a column are.
public enum ColumnType: String, Hashable, Sendable {
    case boolean, integer16, integer32, integer64, float, double, date, string, binary, uuid
    /// Decimal numbers, written out; or NaN.
    case decimal
    /// Primary keys of objects.
    case objectKey
    /// Object IDs as URIs.
    case objectURI
}

/// Name and type of a column.
public struct ColumnDescription: Hashable, Sendable {
    public let name: String
    public let type: ColumnType
    /// Of keys: of which objects.
    public let entityName: String?
    package let layout: ColumnLayout

    init(_ field: ColumnField) {
        name = field.name
        layout = field.type
        if case .keys(let name) = field.meaning { entityName = name } else { entityName = nil }
        switch field.meaning {
        case .decimal: type = .decimal
        case .keys: type = .objectKey
        case .uris: type = .objectURI
        case .value:
            type =
                switch field.type {
                case .boolean: .boolean
                case .int16: .integer16
                case .int32: .integer32
                case .int64: .integer64
                case .float: .float
                case .double: .double
                case .timestamp: .date
                case .text: .string
                case .binary: .binary
                case .uuid: .uuid
                }
        }
    }
}

/// The columns of a fetch, batch by batch; see
/// ``ManagedObjectContext/fetchColumns(_:givesObjectURIs:)``.
///
/// Any thread may use it; calls wait for each other. It reads on the calling thread, past the queue
/// of its context.
public final class ColumnStream: @unchecked Sendable {  // mutable state is guarded by `lock`
    public static let defaultBatchSize = 65_536

    public let columns: [ColumnDescription]
    /// Of the fetch.
    public let entityName: String
    /// The store, if there is one only.
    public let storeIdentifier: String?
    private let lock = Lock()
    private let reads: ColumnReads
    private var fetch: ColumnFetch
    private var sources: ArraySlice<ContextState.ReadSource>
    private var reader: ColumnReader?
    private var hasSeveralStores: Bool
    /// Of a batch.
    private let timeout: Double?

    fileprivate init(_ fetch: ColumnFetch, _ sources: [ContextState.ReadSource], _ reads: ColumnReads, timeout: Double?) {
        self.timeout = timeout
        columns = fetch.fields.map { ColumnDescription($0) }
        entityName = fetch.fetch.entity.name
        storeIdentifier = sources.count == 1 ? sources[0].store.identifier : nil
        self.fetch = fetch
        self.sources = sources[...]
        self.reads = reads
        hasSeveralStores = sources.count > 1
    }

    /// The next rows, at least one; nil when there are no more.
    ///
    /// - Throws: `wrongType` for a value that its column cannot hold; `generationLost`;
    ///   `userCancelled` when it was interrupted, after which it can be called again; else as other
    ///   fetches. No row is lost by a failure.
    public func next() throws(PinviewError) -> ColumnBatch? {
        lock.lock()
        defer { lock.unlock() }
        return try reads.watching(timeout: timeout) { () throws(PinviewError) in
            while true {
                guard let reader = try currentReader() else { return nil }
                if let batch = try reader.next() {
                    if hasSeveralStores, fetch.fetch.limit > 0 {
                        fetch.fetch.limit -= batch.rowCount
                        if fetch.fetch.limit == 0 { end() }
                    }
                    return ColumnBatch(columns, batch)
                }
                self.reader = nil
            }
        }
    }

    private func end() {
        reader = nil
        sources = []
    }

    private func currentReader() throws(PinviewError) -> ColumnReader? {
        if let reader { return reader }
        while let source = sources.first {
            if hasSeveralStores, fetch.fetch.offset > 0 {
                var all = fetch.fetch
                all.limit = 0
                all.offset = 0
                let count = try source.store.count(all, at: source.generation)
                if count <= fetch.fetch.offset {
                    fetch.fetch.offset -= count
                    sources.removeFirst()
                    continue
                }
            }
            reader = ColumnReader(fetch, store: source.store, generation: source.generation) { [reads, timeout] body in
                WorkerThreads.shared.run { reads.watching(timeout: timeout) { body() } }
            }
            fetch.fetch.offset = 0
            sources.removeFirst()
            return reader
        }
        return nil
    }
}

/// What is being read for the streams of one context, so that it can be stopped. Any thread.
final class ColumnReads: @unchecked Sendable {  // guarded by `lock`
    private let lock = Lock()
    private var monitors: [ReadMonitor] = []

    func watching<R, E>(timeout: Double? = nil, _ body: () throws(E) -> R) throws(E) -> R {
        let monitor = ReadMonitor()
        if let timeout { monitor.setTimeout(timeout) }
        lock.withLock { monitors.append(monitor) }
        defer { lock.withLock { monitors.removeAll { $0 === monitor } } }
        return try monitor.watching { () throws(E) in try body() }
    }

    func cancel() { lock.withLock { for monitor in monitors { monitor.cancel() } } }
}

extension ContextState {
    fileprivate func fetchColumns(_ request: FetchRequest, givesObjectURIs: Bool) throws(PinviewError) -> ColumnStream {
        try FetchRequest.check(timeout: request.timeout)
        let (dictionaries, sources) = try dictionaryFetch(request)
        let batchSize = request.fetchBatchSize == 0 ? ColumnStream.defaultBatchSize : request.fetchBatchSize
        let fetch = ColumnFetch(dictionaries, batchSize: batchSize, givesURIs: givesObjectURIs)
        if sources.count > 1 {
            guard !fetch.isOrderedOrGrouped else {
                throw PinviewError(
                    .invalidArgument,
                    "A fetch of columns that sorts, groups or gives distinct rows works on one store, but \(sources.count) hold "
                        + "\(fetch.fetch.entity.name). Name one in affectedStores.")
            }
            for field in fetch.fields {
                guard case .keys = field.meaning else { continue }
                throw PinviewError(
                    .invalidArgument,
                    "'\(field.name)' would hold keys of \(sources.count) stores, which can be equal. Ask for URIs of objects, or name one "
                        + "store in affectedStores.")
            }
        }
        return ColumnStream(fetch, sources, columnReads, timeout: request.timeout)
    }
}
