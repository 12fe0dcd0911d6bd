import PinviewModel
import PinviewPredicates
import PinviewStore

extension FetchedResultsController {
    /// What may have changed a controller's content.
    struct Trigger {
        /// Whether every object may be affected.
        var isEverything = false
        /// Whether the context has been moved to another generation.
        var isMove = false
        /// Objects with visible changes.
        var updated: Set<ManagedObject> = []
        /// Objects of which only their rows tell whether they have changed.
        var refreshed: Set<ManagedObject> = []
        /// Objects that must be evaluated, but count as unchanged if they stay.
        var judged: Set<ManagedObject> = []
        /// Objects to which a save has given values that are not their own changes: those of a merge
        /// policy, or derived ones.
        var taken: Set<ManagedObject> = []

        /// The context reads another generation.
        init() { isMove = true }

        init(objectsDidChange notification: PinviewNotification) {
            isEverything = notification.invalidatedAllObjectIDs != nil || !notification.invalidatedObjects.isEmpty
            updated = notification.updatedObjects
            refreshed = notification.refreshedObjects
            judged = notification.insertedObjects.union(notification.deletedObjects)
        }

        /// - Parameter taken: the objects to which the save has given other values.
        init(didSave notification: PinviewNotification, taken: Set<ManagedObject>) {
            self.taken = taken
            judged = notification.insertedObjects.union(notification.updatedObjects).union(notification.deletedObjects)
        }

        var isEmpty: Bool { !isEverything && !isMove && updated.isEmpty && refreshed.isEmpty && judged.isEmpty && taken.isEmpty }

        func without(_ known: Set<ManagedObject>) -> Trigger {
            guard !known.isEmpty else { return self }
            var result = self
            result.updated.subtract(known)
            result.refreshed.subtract(known)
            return result
        }
    }

    /// The state of a controller since its last fetch.
    final class Content {
        var arrangement: Arrangement
        /// Whether a change could not be followed, so that everything must be fetched again.
        var isStale = false {
            // What is fetched next needs no comparison, so that nothing is kept for it.
            didSet { if isStale { generation = nil } }
        }
        private let state: ContextState
        private let fetch: ResolvedFetch
        private let sectionPath: [Property]
        /// Whether values are only loaded for objects that are used.
        private let isBatched: Bool
        /// Whether the row of an object alone decides whether it belongs to the content, and where.
        private let isDecidedByRows: Bool
        /// The generation that the content is of, nil if unpinned. It is kept for as long as it
        /// takes to follow the context to the next one.
        private var generation: GenerationSet?

        /// - Parameter refreshed: receives the objects that were refreshed, even if an error is thrown.
        init(_ controller: FetchedResultsController, _ refreshed: inout Set<ManagedObject>) throws(PinviewError) {
            state = controller.state
            var request = controller.fetchRequest
            isBatched = request.fetchBatchSize > 0
            if isBatched {
                // Load the faults of a fetch together with their neighbours.
                request.includesPropertyValues = false
                request.fetchBatchSize = 0
            }
            fetch = try state.resolve(request)
            sectionPath = try Self.path(controller.sectionNameKeyPath, fetch.entity, try state.requireCoordinator().managedObjectModel)
            isDecidedByRows =
                sectionPath.count <= 1 && fetch.predicate?.isDecidedByOwnRow ?? true
                && fetch.sortDescriptors.allSatisfy(\.isDecidedByOwnRow)
            arrangement = Arrangement(hasSectionNames: !sectionPath.isEmpty)
            arrangement.carryOut(arrangement.plan(try fetched(nil, &refreshed)))
            if arrangement.scatteredSectionName != nil {
                // Objects that were loaded earlier may have another section's values than the rows by
                // which the fetch has sorted.
                arrangement.carryOut(arrangement.plan(try fetched(Trigger(), &refreshed)))
            }
            if let name = arrangement.scatteredSectionName {
                throw PinviewError(
                    .invalidArgument,
                    "The objects of the section '\(name)' are not consecutive: sort the request by '\(controller.sectionNameKeyPath ?? "")' first."
                )
            }
        }

        private static func path(
            _ keyPath: String?, _ entity: Entity, _ model: ManagedObjectModel
        ) throws(PinviewError) -> [Property] {
            guard let keyPath else { return [] }
            var path: [Property] = []
            var current: Entity? = entity
            var keys = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)[...]
            while let key = keys.first, let owner = current {
                guard let (property, keyCount) = owner.property(along: keys) else { throw PinviewError.unknownKey(key, of: owner) }
                path.append(property)
                keys = keys.dropFirst(keyCount)
                current = property.isRelationship && !property.isToMany ? model.entities[property.destinationIndex] : nil
            }
            guard let last = path.last, last.isAttribute, keys.isEmpty else {
                throw PinviewError(
                    .wrongType,
                    "The objects cannot be grouped into sections by '\(keyPath)': it must be an attribute, possibly of a to-one relationship's destination."
                )
            }
            return path
        }

        // MARK: Following

        /// Whether objects of an entity could be part of the content.
        func fetches(_ entity: Entity) -> Bool { fetch.includes(entity) }

        /// Determines what a change alters; nil if nothing.
        /// - Parameter refreshed: receives the objects that were refreshed to find out, even if an
        ///   error is thrown.
        func following(_ trigger: Trigger, _ refreshed: inout Set<ManagedObject>) throws(PinviewError) -> Arrangement.Plan? {
            let concerned = trigger.updated.union(trigger.refreshed).union(trigger.judged).union(trigger.taken)
                .filter { fetch.includes($0) || arrangement.arranged($0) != nil }
            let request = fetch.request
            let isJudgedByStore = request.fetchLimit > 0 || request.fetchOffset > 0 || !request.includesPendingChanges
            if trigger.isMove || hasMoved, !isStale, !trigger.isEverything, !isJudgedByStore, isDecidedByRows, !isBatched,
                let changes = try changesOfRows(&refreshed)
            {
                var all = trigger
                all.refreshed.formUnion(changes.objects)
                return try judged(concerned.union(all.refreshed), all, &refreshed, gone: changes.gone)
            }
            if isStale || trigger.isEverything || trigger.isMove || hasMoved || (isJudgedByStore && !concerned.isEmpty) {
                let objects = try fetched(trigger, &refreshed)
                isStale = false
                return arrangement.plan(objects)
            }
            return concerned.isEmpty ? nil : try judged(concerned, trigger, &refreshed)
        }

        /// Whether the context reads another generation than the last fetch did.
        private var hasMoved: Bool {
            switch state.pin.target {
            case .unpinned: generation != nil
            case .onRead: true
            case .pinned(let set): set !== generation
            }
        }

        private func noteGeneration() { generation = if case .pinned(let set) = state.pin.target { set } else { nil } }

        /// The objects whose rows differ between the content's generation and the context's, all
        /// of them registered and refreshed, and those of them whose rows are gone. Nil if they
        /// cannot be told from what was written in between.
        private func changesOfRows(
            _ refreshed: inout Set<ManagedObject>
        ) throws(PinviewError) -> (objects: Set<ManagedObject>, gone: Set<ManagedObject>)? {
            guard let old = generation, state.parent == nil else { return nil }
            // For as many rows, a statement for all of them is as good.
            let limit = max(64, arrangement.objects.count / 8)
            guard let changes = try state.changedRows(of: fetch, since: old, limit: limit) else { return nil }
            var gone: Set<ManagedObject> = [], objects = Set(changes.gone)
            for object in changes.gone where isClean(object) { gone.insert(object) }
            for (object, row) in changes.present {
                objects.insert(object)
                guard object.flags.isDisjoint(with: [.fault, .inserted, .deleted, .inaccessible, .invalidated]),
                    row.version != object.committed.version
                else { continue }
                refreshed.insert(object)
                try state.mergeCommitted(.stored(row), into: object)
            }
            noteGeneration()
            return (objects, gone)
        }

        private func order(_ left: [Value], _ right: [Value]) -> Int { fetch.sortDescriptors.order(left, right) }

        private func keys(of arranged: ArrangedObject) throws(PinviewError) -> [Value] {
            if let keys = arranged.sortKeys { return keys }
            let keys = try fetch.sortDescriptors.keys(of: arranged.object)
            arranged.sortKeys = keys
            return keys
        }

        private func sectionName(of object: ManagedObject) throws(PinviewError) -> String {
            guard let last = sectionPath.last else { return "" }
            var owner: ManagedObject? = object
            for property in sectionPath.dropLast() {
                guard let current = owner else { return "" }
                owner = try state.toOne(current, property)
            }
            guard let owner else { return "" }
            switch try state.attributeValue(of: owner, last) {
            case .null: return ""
            case .string(let text): return text
            case .date(let date): return String(date.timeIntervalSinceReferenceDate)
            case let value: return value.description
            }
        }

        /// Updates what an object's position depends on. Returns whether any of that has changed.
        private func look(at arranged: ArrangedObject, knowsKeys: Bool = true) throws(PinviewError) -> Bool {
            let old = (arranged.sortKeys, arranged.sectionName)
            arranged.sortKeys = nil
            if knowsKeys { _ = try keys(of: arranged) }
            arranged.sectionName = SectionName(try sectionName(of: arranged.object))
            arranged.version = arranged.object.committed.version ?? arranged.version
            arranged.wasPending = !arranged.object.flags.isDisjoint(with: [.inserted, .updated])
            return old.1 != arranged.sectionName || (knowsKeys && old.0 != arranged.sortKeys)
        }

        /// Whether an object that stays has visibly changed.
        private func hasChanged(_ arranged: ArrangedObject, _ trigger: Trigger) -> Bool {
            let object = arranged.object
            if trigger.updated.contains(object) || trigger.taken.contains(object) { return true }
            guard trigger.refreshed.contains(object) else { return false }
            guard let version = object.committed.version, let known = arranged.version else { return true }
            return version != known || arranged.wasPending || object.entity.attributes.contains(where: \.isTransient)
        }

        // MARK: Judging

        /// Evaluates the objects of a change in memory.
        private func judged(
            _ concerned: Set<ManagedObject>, _ trigger: Trigger, _ refreshed: inout Set<ManagedObject>, gone: Set<ManagedObject> = []
        ) throws(PinviewError) -> Arrangement.Plan? {
            try load(concerned)
            // Objects whose changes were reverted may have values older than their rows, which may
            // be gone.
            let reverted = Array(concerned.filter { trigger.updated.contains($0) && isClean($0) })
            let gone = gone.union(try refresh(reverted, &refreshed))
            var entering: [ArrangedObject] = [], changed: [ArrangedObject] = [], leaving: [ArrangedObject] = []
            var isDifferent = false
            for object in concerned {
                let known = arrangement.arranged(object)
                known?.isLeaving = false
                guard try isMember(object, unless: gone.contains(object)) else {
                    guard let known else { continue }
                    known.isLeaving = true
                    leaving.append(known)
                    isDifferent = true
                    continue
                }
                let arranged = known ?? ArrangedObject(object)
                let hasChanged = known != nil && hasChanged(arranged, trigger)
                let hasMoved = try look(at: arranged)
                arranged.isChanged = hasChanged || hasMoved
                if arranged.isChanged || known == nil { isDifferent = true }
                if arranged.isChanged { changed.append(arranged) }
                guard hasMoved || known == nil else { continue }
                arranged.isLeaving = known != nil
                entering.append(arranged)
            }
            guard isDifferent else { return nil }
            // Most changes of a long list leave its order alone, and cost nothing for the rest of
            // it.
            if entering.isEmpty, leaving.isEmpty { return arrangement.plan(updating: changed) }
            if !arrangement.isScattered, entering.count + leaving.count + changed.count <= Self.fewObjects,
                let plan = arrangement.plan(entering: try placesOfFew(entering, leaving), leaving: leaving, changed: changed)
            {
                return plan
            }
            return arrangement.plan(try placed(entering))
        }

        private static let fewObjects = 64

        /// In the order of the request. Objects with equal keys keep their order, followed by others
        /// in the order in which they were made.
        private func sorted(_ entering: [ArrangedObject]) throws(PinviewError) -> [ArrangedObject] {
            for arranged in entering { _ = try keys(of: arranged) }
            return entering.sorted { left, right in
                let order = order(left.sortKeys ?? [], right.sortKeys ?? [])
                return order == 0 ? left.rank < right.rank : order < 0
            }
        }

        /// In order, each with the number of objects that stay before it.
        private func placesOfFew(
            _ entering: [ArrangedObject], _ leaving: [ArrangedObject]
        ) throws(PinviewError) -> [(object: ArrangedObject, place: Int)] {
            let objects = arrangement.objects
            let taken = (leaving + entering).map(\.index).filter { $0 >= 0 }.sorted()
            var result: [(object: ArrangedObject, place: Int)] = []
            var start = 0
            for arranged in try sorted(entering) {
                let keys = try keys(of: arranged)
                start += try partitionPoint(objects.count - taken.count - start) { (offset) throws(PinviewError) in
                    order(try self.keys(of: objects[Arrangement.index(ofStaying: start + offset, taken)]), keys) <= 0
                }
                result.append((arranged, start))
            }
            return result
        }

        /// Loads the rows of faults with one statement.
        private func load(_ objects: Set<ManagedObject>) throws(PinviewError) {
            guard state.parent == nil else { return }
            let faults = objects.filter { $0.flags.contains(.fault) && !$0.key.isTemporary && $0.flags.isDisjoint(with: [.invalidated]) }
            if faults.count > 1 { try state.loadRows(of: Array(faults), entity: fetch.entity) }
        }

        private func isMember(_ object: ManagedObject, unless isGone: Bool) throws(PinviewError) -> Bool {
            guard !isGone, object.flags.isDisjoint(with: [.deleted, .invalidated]), fetch.includes(object),
                state.registry.contains(object)
            else { return false }
            do throws(PinviewError) {
                try state.fire(object)
            } catch {
                if error.hasCode(.managedObjectReferentialIntegrity) { return false }
                throw error
            }
            if object.flags.contains(.deleted) { return false }
            return try fetch.matches(object)
        }

        /// Inserts objects into the unchanged rest, at their positions in the order.
        private func placed(_ entering: [ArrangedObject]) throws(PinviewError) -> [ArrangedObject] {
            let staying = arrangement.objects.all.filter { !$0.isLeaving }
            var result: [ArrangedObject] = []
            result.reserveCapacity(staying.count + entering.count)
            var start = 0
            for arranged in try sorted(entering) {
                let keys = try keys(of: arranged)
                arranged.isLeaving = false
                let place =
                    try partitionPoint(staying.count - start) { (index) throws(PinviewError) in
                        order(try self.keys(of: staying[start + index]), keys) <= 0
                    } + start
                result += staying[start..<place]
                result.append(arranged)
                start = place
            }
            return result + staying[start...]
        }

        // MARK: Fetching

        /// Fetches everything, and refreshes objects whose rows have changed since they were read.
        /// - Parameter trigger: nil at the first fetch, of which nobody is told.
        private func fetched(_ trigger: Trigger?, _ refreshed: inout Set<ManagedObject>) throws(PinviewError) -> [ArrangedObject] {
            if trigger != nil {
                // A fetch evaluates these with their values in memory. With unsaved changes it also
                // sorts by those values, which decides what a limit leaves.
                let isWindowed = fetch.request.fetchLimit > 0 || fetch.request.fetchOffset > 0
                let judged = isWindowed && state.hasChanges ? state.registry.objects : Array(state.pending.updated.values)
                let realised = judged.filter {
                    fetch.includes($0) && $0.flags.isDisjoint(with: [.fault, .inserted, .deleted, .inaccessible, .invalidated])
                }
                if !realised.isEmpty { _ = try refresh(realised, &refreshed, loadingRows: true) }
            }
            var objects = try state.fetch(fetch.request)
            if trigger != nil {
                // Whether the fetch itself has left the rows in the cache for this context to use.
                let hasRows = fetch.request.includesPropertyValues && state.settings.stalenessInterval != 0
                // With unsaved changes a fetch sorts in memory, so it is repeated once the values
                // are those of the rows. Each round refreshes others; the limit is for an unpinned
                // context next to a busy writer.
                for _ in 0..<8 {
                    let count = refreshed.count
                    _ = try refresh(objects.filter(isClean), &refreshed, loadingRows: !hasRows)
                    guard refreshed.count > count, state.hasChanges else { break }
                    objects = try state.fetch(fetch.request)
                }
            }
            noteGeneration()
            for arranged in arrangement.objects.all { (arranged.isChanged, arranged.isLeaving) = (false, false) }
            var result: [ArrangedObject] = []
            result.reserveCapacity(objects.count)
            for object in objects {
                let known = arrangement.arranged(object)
                let arranged = known ?? ArrangedObject(object)
                result.append(arranged)
                var hasChanged = refreshed.contains(object) || (known != nil && trigger.map { self.hasChanged(arranged, $0) } ?? false)
                if let version = object.committed.version, let known = arranged.version, version != known,
                    trigger?.judged.contains(object) != true
                {
                    hasChanged = true
                }
                let hasMoved = try look(at: arranged, knowsKeys: !isBatched)
                arranged.isChanged = known != nil && (hasChanged || hasMoved)
            }
            return result
        }

        /// Whether an object is realised and has no unsaved changes.
        private func isClean(_ object: ManagedObject) -> Bool {
            object.flags.isDisjoint(with: [.fault, .inserted, .updated, .deleted, .inaccessible, .invalidated])
        }

        /// Refreshes objects whose rows have changed. A fetch leaves objects that have values
        /// alone.
        /// - Returns: the objects whose rows are gone.
        private func refresh(
            _ objects: [ManagedObject], _ refreshed: inout Set<ManagedObject>, loadingRows: Bool = false
        ) throws(PinviewError) -> Set<ManagedObject> {
            var gone: Set<ManagedObject> = []
            guard state.parent == nil else { return gone }
            var rows: [ObjectKey: RowSnapshot] = [:]
            if loadingRows, !objects.isEmpty { try state.loadRows(of: objects, entity: fetch.entity) { rows[$0] = $1 } }
            for object in objects where !object.key.isTemporary {
                guard let row = loadingRows ? rows[object.key] : try state.committedRow(of: object) else {
                    gone.insert(object)
                    continue
                }
                guard row.version != object.committed.version else { continue }
                refreshed.insert(object)
                try state.mergeCommitted(.stored(row), into: object)
            }
            return gone
        }
    }
}
