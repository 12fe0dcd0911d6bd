import PinviewModel
import PinviewStore

/// What the stores have answered to a fetch off the context's queue. What is not among the answers is read when it is asked for.
struct StoreAnswers: Sendable {
    /// What is asked of each store.
    enum Question: Sendable {
        case rows, references, count
    }

    enum Answer: Sendable {
        case rows(FetchedRows)
        case references([Reference])
        case count(Int)
    }

    let sources: [ContextState.ReadSource]
    /// The generations of the sources.
    let set: GenerationSet
    let isWindowed: Bool
    /// The row cache's clock before the reading.
    let stamp: UInt64
    private let answers: [Int32: Answer]

    fileprivate init(_ plan: StoreReading, _ answers: [Int32: Answer]) {
        sources = plan.sources
        set = plan.set
        isWindowed = plan.isWindowed
        stamp = plan.stamp
        self.answers = answers
    }

    fileprivate func answer(_ source: ContextState.ReadSource, _ fetch: StoreFetch, _ request: FetchRequest) -> Answer? {
        let isAsked =
            isWindowed ? fetch.limit == request.fetchLimit && fetch.offset == request.fetchOffset : fetch.limit == 0 && fetch.offset == 0
        return isAsked ? answers[source.store.number] : nil
    }
}

/// How the stores are read for a fetch, by any thread.
struct StoreReading: Sendable {
    fileprivate let sources: [ContextState.ReadSource]
    fileprivate let set: GenerationSet
    fileprivate let isWindowed: Bool
    fileprivate let stamp: UInt64
    private let question: StoreAnswers.Question
    private let fetch: StoreFetch

    init(
        sources: [ContextState.ReadSource], set: GenerationSet, question: StoreAnswers.Question, isWindowed: Bool, fetch: ResolvedFetch,
        stamp: UInt64
    ) {
        self.sources = sources
        self.set = set
        self.question = question
        self.isWindowed = isWindowed
        self.stamp = stamp
        self.fetch = fetch.storeFetch(isWindowed: isWindowed)
    }

    /// How many rows the stores would give.
    func count() throws(PinviewError) -> Int {
        var total = 0
        for source in sources { total += try source.store.count(fetch, at: source.generation) }
        return total
    }

    func read() throws(PinviewError) -> StoreAnswers {
        var answers: [Int32: StoreAnswers.Answer] = [:]
        for source in sources {
            switch question {
            case .rows: answers[source.store.number] = .rows(try source.store.fetchRows(fetch, at: source.generation))
            case .references: answers[source.store.number] = .references(try source.store.fetchReferences(fetch, at: source.generation))
            case .count: answers[source.store.number] = .count(try source.store.count(fetch, at: source.generation))
            }
        }
        return StoreAnswers(self, answers)
    }
}

/// The answers of the stores: known ones, or new ones.
extension ResolvedFetch {
    func rows(_ source: ContextState.ReadSource, _ fetch: StoreFetch) throws(PinviewError) -> FetchedRows {
        if case .rows(let rows)? = answers?.answer(source, fetch, request) { return rows }
        return try source.store.fetchRows(fetch, at: source.generation)
    }

    func references(_ source: ContextState.ReadSource, _ fetch: StoreFetch) throws(PinviewError) -> [Reference] {
        if case .references(let references)? = answers?.answer(source, fetch, request) { return references }
        return try source.store.fetchReferences(fetch, at: source.generation)
    }

    func count(_ source: ContextState.ReadSource, _ fetch: StoreFetch) throws(PinviewError) -> Int {
        if case .count(let count)? = answers?.answer(source, fetch, request) { return count }
        return try source.store.count(fetch, at: source.generation)
    }
}

extension ContextState {
    /// What the fetch asks of the stores, if nothing changes meanwhile. The same rules as in fetching itself.
    func storeReading(_ fetch: ResolvedFetch) throws(PinviewError) -> StoreReading {
        let request = fetch.request
        let foldsIn = pendingChangesMatter(to: fetch)
        let (sources, set) = try answering { () throws(PinviewError) in (try readSources(for: fetch), try beginRead()) }
        let givesObjects = request.resultType == .managedObject && request.fetchBatchSize == 0
        let question: StoreAnswers.Question
        if request.resultType == .count, !foldsIn {
            question = .count
        } else if !givesObjects, !foldsIn, sources.count <= 1 || fetch.sortDescriptors.isEmpty {
            question = .references
        } else {
            question = request.includesPropertyValues || foldsIn ? .rows : .references
        }
        return StoreReading(
            sources: sources, set: set, question: question, isWindowed: !foldsIn && sources.count == 1, fetch: fetch,
            stamp: try requireCoordinator().rowCache.stamp)
    }
}
