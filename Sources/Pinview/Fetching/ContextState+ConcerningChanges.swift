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

    /// The objects of a fetch that unsaved changes concern, within its limit and offset.
    func fetchObjects(
        _ fetch: ResolvedFetch, _ sources: [ReadSource], besides changes: ConcerningChanges
    ) throws(PinviewError) -> [ManagedObject] {
        let isOrderedByRows = !mayBeMixed && fetch.sortDescriptors.allSatisfy(\.isDecidedByOwnRow)
        guard sources.count == 1, fetch.storeResults == nil, isOrderedByRows else {
            let storeFetch = fetch.storeFetch(isWindowed: false, besides: changes.rowCount)
            var objects: [ManagedObject] = []
            for source in sources { objects += try objectsWithRows(source, storeFetch, fetch) }
            objects = try foldIn(changes.evaluated, objects.filter { !changes.replaces($0) }, fetch)
            if !fetch.sortDescriptors.isEmpty { objects = try sort(objects, fetch.sortDescriptors) }
            return Array(objects[window(objects.indices, fetch.request)])
        }
        if let objects = try objectsOfWindow(fetch, sources[0], besides: changes) { return objects }
        let (unchanged, isAll) = try unchangedObjects(fetch, sources[0], besides: changes)
        let merged = try merge(unchanged, isAll: isAll, changes.evaluated, fetch)
        return Array(merged[window(merged.indices, fetch.request)])
    }

    /// How many changed objects a statement may name.
    private static let namedLimit = 1_000

    /// The objects within a limit and offset, for which the store leaves out the rows of changed
    /// objects itself. So it can pass over most of what precedes the window: no more of the merged
    /// result precedes it than unchanged objects and all changed ones.
    ///
    ///     unchanged    ── passed over ──┤a  b  c  d  e  f  g  h│
    ///     changed                        x           y           at most two come before the window
    ///     merged                         x  a  b  c│ d  y  e  f│ two more than needed were read
    ///
    /// - Returns: nil if there are too many changed objects, if the window begins after the last
    ///   unchanged object, or without a limit.
    private func objectsOfWindow(
        _ fetch: ResolvedFetch, _ source: ReadSource, besides changes: ConcerningChanges
    ) throws(PinviewError) -> [ManagedObject]? {
        let request = fetch.request
        let first = max(0, request.fetchOffset - changes.evaluated.count)
        let (needed, isTooLarge) = request.fetchLimit.addingReportingOverflow(request.fetchOffset - first)
        guard request.fetchLimit > 0, !isTooLarge, changes.rowCount <= Self.namedLimit else { return nil }
        var rest = fetch
        rest.predicate = ResolvedPredicate.excluding(changes.replaced.map { .objectID($0.objectID) }, from: fetch.predicate)
        rest.request.fetchOffset = first
        rest.request.fetchLimit = needed
        let unchanged = try objectsWithRows(source, rest.storeFetch(isWindowed: true), rest)
        if unchanged.isEmpty, first > 0 { return nil }
        let merged = try merge(unchanged, isAll: unchanged.count < needed, changes.evaluated, fetch)
        return Array(merged.dropFirst(request.fetchOffset - first).prefix(request.fetchLimit))
    }

    /// The first objects that unsaved changes leave where they are, as many as the window needs. The
    /// store is asked for as many rows as it takes, which are not known beforehand: for more each
    /// time.
    ///
    /// - Returns: whether these are all there are.
    private func unchangedObjects(
        _ fetch: ResolvedFetch, _ source: ReadSource, besides changes: ConcerningChanges
    ) throws(PinviewError) -> (objects: [ManagedObject], isAll: Bool) {
        let needed = fetch.storeFetch(isWindowed: false).limit
        guard needed > 0, fetch.storeFetch(isWindowed: false, besides: changes.rowCount).limit > 0 else {
            let objects = try objectsWithRows(source, fetch.storeFetch(isWindowed: false, besides: .max), fetch)
            return (objects.filter { !changes.replaces($0) }, true)
        }
        var spare = min(changes.rowCount, needed)
        while true {
            let storeFetch = fetch.storeFetch(isWindowed: false, besides: spare)
            let objects = try objectsWithRows(source, storeFetch, fetch)
            let unchanged = objects.filter { !changes.replaces($0) }
            if objects.count < storeFetch.limit { return (unchanged, true) }
            if unchanged.count >= needed || spare == changes.rowCount { return (unchanged, false) }
            spare = min(changes.rowCount, spare * 4 + 64)
        }
    }

    /// Merges changed objects that match into unchanged ones, which are in order.
    ///
    /// - Parameter isAll: whether there are no unchanged objects besides these; otherwise these are
    ///   enough for the window, and what comes after them is not part of it.
    private func merge(
        _ unchanged: [ManagedObject], isAll: Bool, _ evaluated: [ManagedObject], _ fetch: ResolvedFetch
    ) throws(PinviewError) -> [ManagedObject] {
        let descriptors = fetch.sortDescriptors
        guard !descriptors.isEmpty else {
            return try foldIn(evaluated, unchanged, fetch)
        }
        let last = isAll ? nil : try unchanged.last.map(descriptors.keys)
        var entering: [(object: ManagedObject, keys: [Value])] = []
        for object in evaluated {
            let keys = try descriptors.keys(of: object)
            if let last, descriptors.order(keys, last) >= 0 { continue }
            if try fetch.matches(object) { entering.append((object, keys)) }
        }
        // Objects with equal keys are in the order of their changes, after unchanged ones.
        let sorted = entering.enumerated().sorted { left, right in
            let order = descriptors.order(left.element.keys, right.element.keys)
            return order == 0 ? left.offset < right.offset : order < 0
        }
        var result: [ManagedObject] = []
        result.reserveCapacity(unchanged.count + sorted.count)
        var start = 0
        for (_, (object, wanted)) in sorted {
            let place =
                try partitionPoint(unchanged.count - start) { (index) throws(PinviewError) in
                    descriptors.order(try descriptors.keys(of: unchanged[start + index]), wanted) <= 0
                } + start
            result += unchanged[start..<place]
            result.append(object)
            start = place
        }
        return result + unchanged[start...]
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
