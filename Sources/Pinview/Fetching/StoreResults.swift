import PinviewModel
import PinviewStore

/// What the stores returned to a fetch off the context's queue. Anything else is read when it is
/// needed.
struct StoreResults: Sendable {
    /// What each store is asked for.
    enum Kind: Sendable {
        case rows, references, count
    }

    let sources: [ContextState.ReadSource]
    /// The generations of the sources.
    let set: GenerationSet
    private let limit: Int
    private let offset: Int
    /// The row cache's stamp before reading.
    let stamp: UInt64
    // By the number of the store.
    fileprivate(set) var rows: [Int32: FetchedRows] = [:]
    fileprivate(set) var references: [Int32: ReferenceList] = [:]
    fileprivate(set) var counts: [Int32: Int] = [:]

    fileprivate init(_ plan: StoreReading) {
        sources = plan.sources
        set = plan.set
        (limit, offset) = (plan.fetch.limit, plan.fetch.offset)
        stamp = plan.stamp
    }

    /// Whether the stores would return the same at a set of generations.
    func areOf(_ current: GenerationSet) -> Bool { current === set && sources.allSatisfy { $0.generation != nil } }

    /// Whether they are of a fetch with the same limit and offset.
    func areOf(_ fetch: StoreFetch) -> Bool { fetch.limit == limit && fetch.offset == offset }
}

/// Reads the stores for a fetch, on any thread.
struct StoreReading: Sendable {
    fileprivate let sources: [ContextState.ReadSource]
    fileprivate let set: GenerationSet
    fileprivate let stamp: UInt64
    private let kind: StoreResults.Kind
    fileprivate let fetch: StoreFetch

    init(sources: [ContextState.ReadSource], set: GenerationSet, kind: StoreResults.Kind, fetch: StoreFetch, stamp: UInt64) {
        self.sources = sources
        self.set = set
        self.kind = kind
        self.stamp = stamp
        self.fetch = fetch
    }

    /// The number of matching rows in the stores.
    func count() throws(PinviewError) -> Int {
        var total = 0
        for source in sources { total += try source.store.count(fetch, at: source.generation) }
        return total
    }

    func read() throws(PinviewError) -> StoreResults {
        var results = StoreResults(self)
        for source in sources {
            let number = source.store.number
            switch kind {
            case .rows: results.rows[number] = try source.store.fetchRows(fetch, at: source.generation)
            case .references: results.references[number] = try source.store.fetchReferences(fetch, at: source.generation)
            case .count: results.counts[number] = try source.store.count(fetch, at: source.generation)
            }
        }
        return results
    }
}

extension ContextState {
    /// What the fetch will ask the stores for, unless something changes meanwhile. Follows the same
    /// rules as the fetch itself.
    func storeReading(_ fetch: ResolvedFetch) throws(PinviewError) -> StoreReading {
        let request = fetch.request
        let foldsIn = pendingChangesMatter(to: fetch)
        let (sources, set) = try readingConsistently { () throws(PinviewError) in (try readSources(for: fetch), try beginRead()) }
        let givesObjects = request.resultType == .managedObject && request.fetchBatchSize == 0
        let kind: StoreResults.Kind
        if request.resultType == .count, !foldsIn {
            kind = .count
        } else if !givesObjects, !foldsIn, sources.count <= 1 || fetch.sortDescriptors.isEmpty {
            kind = .references
        } else {
            kind = request.includesPropertyValues || foldsIn ? .rows : .references
        }
        return StoreReading(
            sources: sources, set: set, kind: kind,
            fetch: fetch.storeFetch(isWindowed: !foldsIn && sources.count == 1, besides: foldsIn ? changedRows(of: fetch) : 0),
            stamp: try requireCoordinator().rowCache.stamp)
    }
}
