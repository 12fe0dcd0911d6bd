import PinviewGenerations
import PinviewModel
import PinviewStore

/// Fetches that return columns of values.
extension ManagedObjectContext {
    /// Starts a fetch that returns columns of values instead of objects, batch by batch. It is the
    /// fastest way to read large amounts of data, in the layouts of Apache Arrow, which numerical
    /// programs use.
    ///
    /// The request is that of a dictionary fetch: ``FetchRequest/propertiesToFetch`` names
    /// attributes, to-one relationships (also across to-one relationships, as in
    /// `plane.manufacturer`), `objectID` and expressions; by default, all stored attributes.
    /// Predicate, order, limit, offset, groups and distinct rows apply as there. Columns come from
    /// the stores; the context's unsaved changes are not included. Several stores follow one
    /// another; then rows cannot be sorted, grouped or distinct.
    ///
    /// The stream reads the generation that the context has now and holds it until the stream is
    /// released, wherever the context moves and even after it has ended. No rows are read yet.
    ///
    /// A batch has ``FetchRequest/fetchBatchSize`` rows, or ``ColumnStream/defaultBatchSize`` if
    /// that is 0. It has fewer if one of its columns reaches 64 MiB of text or bytes, and at the
    /// end. From the second batch on, a whole table in batches of 16,384 rows or more is read by
    /// two threads: in the same order, but a batch has fewer rows where keys are missing.
    ///
    /// - Parameter givesObjectURIs: whether objects are returned as the URIs of their IDs;
    ///   otherwise as primary keys, which are unique within a store and an entity hierarchy.
    /// - Throws: the errors of the request; `invalidArgument` for an order or groups over several
    ///   stores, and for primary keys from several stores.
    public func fetchColumns(_ request: FetchRequest, givesObjectURIs: Bool = false) throws(PinviewError) -> ColumnStream {
        try call { (state) throws(PinviewError) in try state.fetchColumns(request, givesObjectURIs: givesObjectURIs) }
    }
}

extension ManagedObjectContext {
    /// The columns of a fetch whose objects would have the stored values; nil if some might differ.
    package func fetchShownColumns(_ request: FetchRequest, givesObjectURIs: Bool) throws(PinviewError) -> ColumnStream? {
        try call { (state) throws(PinviewError) in
            try state.processPendingChanges()
            guard state.showsStoredValues(ofEntityNamed: request.entityName) else { return nil }
            return try state.fetchColumns(request, givesObjectURIs: givesObjectURIs)
        }
    }
}

extension ContextState {
    /// Whether objects of an entity, fetched now, would have the stored values: the context has
    /// none of its hierarchy yet, and no parent and no hook changes what is read.
    fileprivate func showsStoredValues(ofEntityNamed name: String) -> Bool {
        guard parent == nil, let entity = model?.entity(named: name) else { return false }
        return hookTable == nil && !hasRegisteredObjects(ofHierarchyOf: entity)
    }
}

/// The type of a column's values.
public enum ColumnType: String, Hashable, Sendable {
    case boolean, integer16, integer32, integer64, float, double, date, string, binary, uuid
    /// Decimal numbers as text, or NaN.
    case decimal
    /// Primary keys of objects.
    case objectKey
    /// Object IDs as URIs.
    case objectURI
}

/// Name and type of a column.
public struct ColumnDescription: Hashable, Sendable {
    /// The name of the value in the request.
    public let name: String
    /// The type of the values.
    public let type: ColumnType
    /// For object keys, the entity of the objects.
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
/// May be used on any thread; calls wait for one another. It reads on the calling thread,
/// independently of its context's queue.
public final class ColumnStream: @unchecked Sendable {  // mutable state is guarded by `lock`
    /// The number of rows of a batch if the request has no batch size.
    public static let defaultBatchSize = 65_536

    /// The columns, in the order of the request.
    public let columns: [ColumnDescription]
    /// The entity of the fetch.
    public let entityName: String
    /// The store's UUID, if there is only one store.
    public let storeIdentifier: String?
    private let lock = Lock()
    private let reads: ColumnReads
    private var fetch: ColumnFetch
    private var sources: ArraySlice<ContextState.ReadSource>
    private var reader: ColumnReader?
    private var hasSeveralStores: Bool
    /// Seconds allowed for each batch.
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

    /// The next batch, with at least one row; nil at the end.
    ///
    /// - Throws: `wrongType` for a value that its column cannot hold; `generationLost`;
    ///   `userCancelled` if interrupted, after which it can be called again; otherwise as other
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
            reader = source.store.columnReader(fetch, at: source.generation) { [reads, timeout] body in
                WorkerThreads.shared.run { reads.watching(timeout: timeout) { body() } }
            }
            fetch.fetch.offset = 0
            sources.removeFirst()
            return reader
        }
        return nil
    }
}

/// The reads under way for the column streams of one context, so that they can be interrupted. Any
/// thread.
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
                    "A column fetch that sorts, groups or returns distinct rows needs a single store, but \(sources.count) stores hold "
                        + "\(fetch.fetch.entity.name). Set the affected stores of the request.")
            }
            for field in fetch.fields {
                guard case .keys = field.meaning else { continue }
                throw PinviewError(
                    .invalidArgument,
                    "'\(field.name)' would hold keys of \(sources.count) stores, which can be equal. Request URIs of objects, or a single "
                        + "affected store.")
            }
        }
        return ColumnStream(fetch, sources, columnReads, timeout: request.timeout ?? settings.timeout)
    }
}
