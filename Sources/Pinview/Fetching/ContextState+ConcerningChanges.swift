import PinviewModel
import PinviewPredicates
import PinviewStore

/// The unsaved changes that a fetch has to take into account.
///
/// A store evaluates and sorts the rows, a context the objects that it has changed (FET-03, FET-04):
///
///     rows of the store, in order      a  b* c  d  e* f  g …        * changed here
///     left as they are                 a     c  d     f  g …
///     changed objects that match, in order       b*          e*
///     merged, and cut to the window    a  c  d  b*  f  …
///
/// A change of what neither the predicate nor the order looks at leaves an object where its row is.
struct ConcerningChanges {
    /// Inserted and updated objects, in the order of their changes.
    fileprivate(set) var evaluated: [ManagedObject] = []
    /// Updated and deleted objects: their rows may not be part of the result, or not at their place.
    fileprivate(set) var replaced: [ManagedObject] = []
    var rowCount: Int { replaced.count }
    /// Whether all updated objects of the entity are among `evaluated`.
    fileprivate(set) var isComplete = true

    /// Whether the row of an object that a store returned is to be left out.
    func replaces(_ object: ManagedObject) -> Bool {
        if object.flags.isDisjoint(with: [.deleted, .updated, .inserted]) { return false }
        return isComplete || object.flags.contains(.deleted) || isEvaluated.contains(ObjectIdentifier(object))
    }

    fileprivate var isEvaluated: Set<ObjectIdentifier> = []

    /// A predicate that does not find the rows.
    fileprivate func excluded(from predicate: ResolvedPredicate?) -> ResolvedPredicate? {
        .excluding(replaced.map { .objectID($0.objectID) }, from: predicate)
    }

    fileprivate func replacedKeys(ofStore number: Int32) -> Set<Int64> {
        var keys = Set<Int64>(minimumCapacity: replaced.count)
        for object in replaced where object.key.storeNumber == number { keys.insert(object.key.primaryKey) }
        return keys
    }
}

extension ContextState {
    /// Whether the context has unsaved changes of objects that a fetch could return.
    func pendingChangesMatter(to fetch: ResolvedFetch) -> Bool {
        guard fetch.request.includesPendingChanges, hasChanges else { return false }
        return [pending.inserted, pending.updated, pending.deleted].contains { $0.values.contains(where: fetch.includes) }
    }

    /// How many rows that a store returns may not be part of the result, or not at their place.
    func changedRows(of fetch: ResolvedFetch) -> Int {
        [pending.updated, pending.deleted].reduce(0) { $0 + $1.values.count(where: fetch.includes) }
    }

    /// The unsaved changes that can affect the result of a fetch; nil if there are none.
    ///
    /// - Parameter sources: what the fetch will read. With them, that state has been noted: if it
    ///   differs from what the context has read before, changed objects may differ from their rows in
    ///   all properties.
    func concerningChanges(of fetch: ResolvedFetch, _ sources: [ReadSource]) -> ConcerningChanges? {
        guard pendingChangesMatter(to: fetch) else { return nil }
        // What an asynchronous fetch asked the stores for was decided before it read.
        let looksAt = mayBeMixed || fetch.storeResults != nil ? nil : fetch.ownProperties
        var changes = ConcerningChanges()
        var indexes: [ObjectIdentifier: [Int]] = [:]
        for object in pending.updated.values where fetch.includes(object) {
            if let looksAt {
                let entity = object.entity
                let known = indexes[ObjectIdentifier(entity)]
                let places = known ?? looksAt.compactMap { entity.property(named: $0.name)?.index }
                if known == nil { indexes[ObjectIdentifier(entity)] = places }
                let changed = object.changed
                guard places.contains(where: changed.contains) else {
                    changes.isComplete = false
                    continue
                }
            }
            changes.evaluated.append(object)
        }
        if !changes.isComplete { changes.isEvaluated = Set(changes.evaluated.map(ObjectIdentifier.init)) }
        changes.replaced = changes.evaluated + pending.deleted.values.filter(fetch.includes)
        changes.evaluated += pending.inserted.values.filter(fetch.includes)
        if changes.rowCount == 0, changes.evaluated.isEmpty { return nil }
        changes.evaluated.sort { $0.changeSequence < $1.changeSequence }
        return changes
    }

    // MARK: In the store's order

    /// Whether changed objects can be merged into what a store returns, which keeps its order. That
    /// takes sort keys that are the same in the store and in memory.
    private func canMerge(_ fetch: ResolvedFetch, _ sources: [ReadSource]) -> Bool {
        sources.count == 1 && fetch.storeResults == nil && !mayBeMixed
            && fetch.sortDescriptors.allSatisfy { $0.isDecidedByOwnRow && $0.property.cellKind != .externalBinary }
    }

    /// The objects of a fetch beside unsaved changes, within its limit and offset; nil if no change
    /// concerns it.
    func fetchObjectsBesideChanges(_ fetch: ResolvedFetch, _ sources: [ReadSource]) throws(PinviewError) -> [ManagedObject]? {
        guard pendingChangesMatter(to: fetch) else { return nil }
        if fetch.request.fetchLimit > 0, canMerge(fetch, sources) {
            let window = fetch.request.window
            guard let order = try mergedOrder(fetch, sources[0], window) else { return nil }
            return try objects(of: order.part(window), order, sources[0], fetch)
        }
        guard let changes = concerningChanges(of: fetch, sources) else { return nil }
        let all: [ManagedObject]
        if canMerge(fetch, sources) {
            let rest = try objectsWithRows(sources[0], fetch.storeFetch(isWindowed: false), fetch).filter { !changes.replaces($0) }
            all = try merge(try SortedChanges(changes.evaluated, fetch), into: rest, fetch)
        } else {
            var objects: [ManagedObject] = []
            let storeFetch = fetch.storeFetch(isWindowed: false, besides: changes.rowCount)
            for source in sources { objects += try objectsWithRows(source, storeFetch, fetch) }
            objects = try foldIn(changes.evaluated, objects.filter { !changes.replaces($0) }, fetch)
            all = fetch.sortDescriptors.isEmpty ? objects : try sort(objects, fetch.sortDescriptors)
        }
        return Array(all[window(all.indices, fetch.request)])
    }

    /// The keys of the objects of a fetch beside unsaved changes, within its limit and offset; nil if
    /// no change concerns it.
    func fetchReferencesBesideChanges(_ fetch: ResolvedFetch, _ sources: [ReadSource]) throws(PinviewError) -> FoundReferences? {
        guard pendingChangesMatter(to: fetch) else { return nil }
        guard canMerge(fetch, sources) else { return try fetchObjectsBesideChanges(fetch, sources).map { FoundReferences(to: $0) } }
        let window = fetch.request.window
        guard let order = try mergedOrder(fetch, sources[0], window) else { return nil }
        return try FoundReferences(order, order.part(window), checkedBinding(fetch.entity, sources[0], order.unchanged))
    }

    /// The number of objects of a fetch beside unsaved changes, within its limit and offset; nil if no
    /// change concerns it.
    func countBesideChanges(_ fetch: ResolvedFetch, _ sources: [ReadSource]) throws(PinviewError) -> Int? {
        // What an asynchronous fetch has read are objects.
        if fetch.storeResults != nil { return try fetchObjectsBesideChanges(fetch, sources)?.count }
        guard let changes = concerningChanges(of: fetch, sources) else { return nil }
        var storeFetch = fetch.wholeStoreFetch
        let isNamed = changes.rowCount <= Self.namedLimit
        if isNamed { storeFetch.predicate = changes.excluded(from: fetch.predicate) }
        var total = 0
        for source in sources {
            if isNamed {
                total += try fetch.count(source, storeFetch, nil)
            } else {
                let replaced = changes.replacedKeys(ofStore: source.store.number)
                total += try fetch.references(source, storeFetch).count { !replaced.contains($0.primaryKey) }
            }
        }
        for object in changes.evaluated where try fetch.matches(object) { total += 1 }
        return window(0..<total, fetch.request).count
    }

    /// How many changed objects a statement may name, and from which offset on they are named: then
    /// fewer rows have to be read than precede the window.
    private static let namedLimit = 1_000, namedFromOffset = 16_384

    /// What a fetch returns beside unsaved changes, in order, as far as a window needs; nil if no change
    /// concerns it.
    private func mergedOrder(
        _ fetch: ResolvedFetch, _ source: ReadSource, _ window: Range<Int>
    ) throws(PinviewError) -> MergedOrder? {
        let storeFetch = fetch.wholeStoreFetch
        let key = try keyOfMergedOrder(fetch, source, storeFetch)
        let known = key.flatMap { pending.mergedOrders.take($0.key, atRank: $0.rank) }
        if let known, window.lowerBound - known.end < Self.namedFromOffset {
            return try extended(known, to: window.upperBound, source, keptUnder: key)
        }
        guard let changes = concerningChanges(of: fetch, [source]) else { return nil }
        let sorted = try SortedChanges(changes.evaluated, fetch)
        if let distant = try distantOrder(fetch, source, storeFetch, changes, sorted, to: window.upperBound) {
            if let known, let key { pending.mergedOrders.keep(known, key.key, atRank: key.rank) }
            return distant
        }
        let order = known ?? MergedOrder(storeFetch, sorted, replacing: changes.replacedKeys(ofStore: source.store.number))
        return try extended(order, to: window.upperBound, source, keptUnder: key)
    }

    private func extended(
        _ order: MergedOrder, to end: Int, _ source: ReadSource, keptUnder key: (key: FetchKey, rank: UInt64)?
    ) throws(PinviewError) -> MergedOrder {
        var order = order
        try order.extend(to: end) { (fetch, take) throws(PinviewError) in
            try source.store.fetchSortedReferences(fetch, at: source.generation, take: take)
        }
        if let key { pending.mergedOrders.keep(order, key.key, atRank: key.rank) }
        return order
    }

    /// The order from shortly before a distant window on. No more of the merged result precedes the
    /// window than unchanged rows and all changed objects, so the store can pass over most of it:
    ///
    ///     unchanged    ── passed over ──┤a  b  c  d  e  f  g  h│
    ///     changed                        x           y           at most two come before the window
    ///     merged                         x  a  b  c│ d  y  e  f│ two more than needed were read
    ///
    /// - Returns: nil if there are too many changed objects for a statement, or if the window begins
    ///   behind the last unchanged row.
    private func distantOrder(
        _ fetch: ResolvedFetch, _ source: ReadSource, _ storeFetch: StoreFetch, _ changes: ConcerningChanges, _ sorted: SortedChanges,
        to end: Int
    ) throws(PinviewError) -> MergedOrder? {
        let first = fetch.request.fetchOffset - changes.evaluated.count
        guard first >= Self.namedFromOffset, changes.rowCount <= Self.namedLimit else { return nil }
        var rest = storeFetch
        rest.predicate = changes.excluded(from: fetch.predicate)
        let order = try extended(
            MergedOrder(rest, sorted, replacing: [], passingOver: first), to: end, source, keptUnder: nil)
        return order.unchanged.isEmpty ? nil : order
    }

    /// What an order can be kept under; nil if it may depend on more than rows and noticed changes.
    private func keyOfMergedOrder(
        _ fetch: ResolvedFetch, _ source: ReadSource, _ storeFetch: StoreFetch
    ) throws(PinviewError) -> (key: FetchKey, rank: UInt64)? {
        guard let generation = source.generation, pending.event.isEmpty, hookTable == nil, settings.stalenessInterval < 0,
            fetch.request.affectedStores == nil, let key = try source.store.cacheKey(of: storeFetch, isCount: false), key.hasShape
        else { return nil }
        return (key, generation.rank)
    }

    /// The objects of a part of a merged order.
    private func objects(
        of part: MergedOrder.Part, _ order: MergedOrder, _ source: ReadSource, _ fetch: ResolvedFetch
    ) throws(PinviewError) -> [ManagedObject] {
        let references = FoundReferences(of: order.unchanged, try checkedBinding(fetch.entity, source, order.unchanged))
        let unchanged = try objects(at: part.rows, references, of: fetch, refreshes: fetch.request.shouldRefreshRefetchedObjects)
        return unchanged.merged(with: part.objects)
    }

    /// Merges changed objects into others, which are in order.
    private func merge(
        _ changes: SortedChanges, into others: [ManagedObject], _ fetch: ResolvedFetch
    ) throws(PinviewError) -> [ManagedObject] {
        let descriptors = fetch.sortDescriptors
        var ranked: [(object: ManagedObject, rank: Int)] = [], rank = 0
        for (index, object) in changes.objects.enumerated() {
            rank =
                descriptors.isEmpty
                ? others.count
                : try changes.place(of: index, from: rank, among: others.count) { (other, place) throws(PinviewError) in
                    try descriptors[place].key(of: others[other])
                }
            ranked.append((object, rank))
        }
        return others.merged(with: ranked)
    }

    // MARK: In memory

    /// Evaluates changed objects with their values in memory, and removes deleted ones (FET-03,
    /// FET-04).
    func foldInPendingChanges(_ objects: [ManagedObject], _ fetch: ResolvedFetch) throws(PinviewError) -> [ManagedObject] {
        var changes = ConcerningChanges()
        changes.evaluated = (Array(pending.updated.values) + Array(pending.inserted.values)).filter(fetch.includes)
            .sorted { $0.changeSequence < $1.changeSequence }
        return try foldIn(changes.evaluated, objects.filter { !changes.replaces($0) }, fetch)
    }

    /// Adds the changed objects that match to the others.
    private func foldIn(
        _ evaluated: [ManagedObject], _ others: [ManagedObject], _ fetch: ResolvedFetch
    ) throws(PinviewError) -> [ManagedObject] {
        var result = others
        for object in evaluated { if try fetch.matches(object) { result.append(object) } }
        return result
    }

    func sort(_ objects: [ManagedObject], _ descriptors: [ResolvedSortDescriptor]) throws(PinviewError) -> [ManagedObject] {
        var failure: PinviewError?
        let sorted = objects.enumerated().sorted { left, right in
            do throws(PinviewError) {
                let order = try ResolvedSortDescriptor.order(left.element, right.element, by: descriptors)
                return order == 0 ? left.offset < right.offset : order < 0
            } catch {
                failure = failure ?? error
                return left.offset < right.offset
            }
        }
        if let failure { throw failure }
        return sorted.map(\.element)
    }
}

extension ResolvedFetch {
    /// All matching rows of a store.
    fileprivate var wholeStoreFetch: StoreFetch {
        var fetch = storeFetch(isWindowed: false)
        fetch.limit = 0
        return fetch
    }

    /// The properties of an object that decide whether it is part of the result, and where; nil if
    /// other objects have a say.
    fileprivate var ownProperties: [Property]? {
        var properties: [Property] = []
        if let predicate, !predicate.collectOwnProperties(&properties) { return nil }
        for descriptor in sortDescriptors {
            guard descriptor.isDecidedByOwnRow else { return nil }
            properties.append(descriptor.property)
        }
        return properties
    }
}
