import PinviewModel
import PinviewPredicates

/// Keeps the results of a fetch request in a context up to date, in sections, and tells a delegate
/// of changes (`NSFetchedResultsController`).
///
/// The controller follows the context's objects-did-change notifications: unsaved changes, merges
/// (including automatic ones), refreshes, rollbacks and resets. It evaluates changed objects in
/// memory and only reads the store when that is not enough: with a limit or an offset, without
/// pending changes, after a reset. In a pinned context, results stay as they are until the context
/// moves because it is pinned to another generation, merges or saves. Then the controller reads the
/// rows that were written in between, or fetches again if they do not tell, refreshes the objects
/// whose rows have changed, and reports exactly the differences. Setting the generation of a context
/// that has a controller is therefore a read.
///
/// As in Core Data, an object is evaluated again when it changes itself. If a predicate or an order
/// uses relationships, a change of a related object goes unnoticed until the object is refreshed or
/// everything is fetched. There is no cache on disk, hence no cache name: it would hold the
/// sections, which are derived from values that the controller loads anyway.
///
/// **Threads.** A controller belongs to its context's queue, as objects do; the delegate is called
/// there. **Lifetime.** It refers strongly to its context and its objects, and weakly to its
/// delegate.
public final class FetchedResultsController: ContextFollower, @unchecked Sendable {  // what changes belongs to the context's queue
    /// The request whose results the controller keeps.
    public let fetchRequest: FetchRequest
    /// The context to which the controller belongs.
    public let managedObjectContext: ManagedObjectContext
    /// The attribute that names the sections, possibly of a to-one relationship's destination.
    public let sectionNameKeyPath: String?

    private weak var _delegate: (any FetchedResultsControllerDelegate)?
    /// Nil before the first fetch.
    var content: Content?
    private var observers: [PinviewNotificationCenter.Observer] = []
    /// True while the delegate is called or the controller itself changes objects.
    private var isBusy = false
    private var waiting: [Trigger] = []
    /// Objects that the controller has refreshed itself and need not be told of.
    private var announced: Set<ManagedObject> = []

    var state: ContextState { managedObjectContext.state }

    /// - Parameters:
    ///   - fetchRequest: a request for objects with at least one sort descriptor; the first one
    ///     must keep the objects of a section together. With a batch size, values are only loaded
    ///     for objects that are used, unless there are sections.
    ///   - sectionNameKeyPath: nil for a single section.
    /// - Throws: `invalidArgument` for another request.
    public init(
        fetchRequest: FetchRequest, managedObjectContext: ManagedObjectContext, sectionNameKeyPath: String? = nil
    ) throws(PinviewError) {
        guard !fetchRequest.sortDescriptors.isEmpty else {
            throw PinviewError(
                .invalidArgument,
                "A fetched results controller needs a request with a sort descriptor; the request for \(fetchRequest.entityName) has none."
            )
        }
        guard fetchRequest.resultType == .managedObject else {
            throw PinviewError(
                .invalidArgument, "A fetched results controller needs a request for objects, not for IDs, dictionaries or a count.")
        }
        self.fetchRequest = fetchRequest
        self.managedObjectContext = managedObjectContext
        self.sectionNameKeyPath = sectionNameKeyPath
        observers.append(
            PinviewNotificationCenter.default.addObserver(forName: .objectsDidChange, object: managedObjectContext) {
                [weak self] notification in
                self?.respond(to: Trigger(objectsDidChange: notification))
            })
        observers.append(
            PinviewNotificationCenter.default.addObserver(forName: .didSave, object: managedObjectContext) { [weak self] notification in
                guard let self else { return }
                self.respond(to: Trigger(didSave: notification, taken: Set(self.state.pending.event.refreshed.values)))
            })
        managedObjectContext.state.position.add(follower: self)
    }

    deinit {
        for observer in observers { PinviewNotificationCenter.default.removeObserver(observer) }
    }

    /// Receives the changes. Weakly referenced. May be set on any thread.
    public var delegate: (any FetchedResultsControllerDelegate)? {
        get { state.onQueueAlways { _delegate } }
        set { state.onQueueAlways { _delegate = newValue } }
    }

    // MARK: Content

    /// Fetches, and follows the context from now on. May be called again. The delegate is not told.
    ///
    /// Objects that an unpinned context has loaded before, with values that place them in other
    /// sections than their rows do by now, are refreshed.
    ///
    /// - Throws: as `ManagedObjectContext.fetch(_:)`; `invalidArgument` if the objects of a section
    ///   are not consecutive; `unknownKey` or `wrongType` for a section key path that does not lead
    ///   to an attribute.
    public func performFetch() throws(PinviewError) {
        try managedObjectContext.call { (state) throws(PinviewError) in
            waiting = []
            try state.processPendingChanges()
            var refreshed: Set<ManagedObject> = []
            defer { if !refreshed.isEmpty { announce(refreshed) } }
            content = try state.readingConsistently { () throws(PinviewError) in try Content(self, &refreshed) }
        }
    }

    /// The objects in order; nil before the first fetch.
    public var fetchedObjects: [ManagedObject]? {
        state.onQueueAlways { content?.arrangement.objects.all.map(\.object) }
    }

    /// The number of objects, without making a list of them; 0 before the first fetch.
    public var numberOfObjects: Int { state.onQueueAlways { content?.arrangement.objects.count ?? 0 } }

    /// The sections in order; nil before the first fetch. Without a section key path there is a
    /// single one, which may be empty.
    public var sections: [FetchedResultsSectionInfo]? {
        state.onQueueAlways {
            guard let arrangement = content?.arrangement else { return nil }
            return arrangement.sections.indices.map { arrangement.info(ofSection: $0, title: sectionIndexTitle(forSectionName:)) }
        }
    }

    /// The object at an index path.
    ///
    /// - Throws: `invalidArgument` for an index path out of bounds, or before the first fetch.
    public func object(at indexPath: PinviewIndexPath) throws(PinviewError) -> ManagedObject {
        try managedObjectContext.call { (_) throws(PinviewError) in
            let arrangement = try arrangement(withSection: indexPath.section), range = arrangement.sections.range(indexPath.section)
            guard indexPath.item >= 0, indexPath.item < range.count else {
                throw PinviewError(
                    .invalidArgument,
                    "The index path \(indexPath) is out of range: section \(indexPath.section) has \(range.count) objects.")
            }
            return arrangement.objects[range.lowerBound + indexPath.item].object
        }
    }

    /// The index path of an object; nil if it is not among the results.
    public func indexPath(forObject object: ManagedObject) -> PinviewIndexPath? {
        state.onQueueAlways { content?.arrangement.indexPath(of: object) }
    }

    /// The number of sections, without making a list of them; 0 before the first fetch.
    public var numberOfSections: Int { state.onQueueAlways { content?.arrangement.sections.count ?? 0 } }

    /// The name of a section and the number of its objects, without making a list of them.
    ///
    /// - Throws: `invalidArgument` for a section out of bounds, or before the first fetch.
    package func describeSection(_ index: Int) throws(PinviewError) -> (name: String, indexTitle: String?, count: Int) {
        try managedObjectContext.call { (_) throws(PinviewError) in
            let sections = try arrangement(withSection: index).sections, name = sections.name(index).text
            return (name, sectionIndexTitle(forSectionName: name), sections.range(index).count)
        }
    }

    /// The objects of one section in order.
    ///
    /// - Throws: as ``describeSection(_:)``.
    package func objects(ofSection index: Int) throws(PinviewError) -> [ManagedObject] {
        try managedObjectContext.call { (_) throws(PinviewError) in
            let arrangement = try arrangement(withSection: index)
            return arrangement.objects[arrangement.sections.range(index)].map(\.object)
        }
    }

    private func arrangement(withSection index: Int) throws(PinviewError) -> Arrangement {
        guard let arrangement = content?.arrangement else { throw Self.notFetched }
        guard arrangement.sections.indices.contains(index) else {
            throw PinviewError(
                .invalidArgument, "The section index \(index) is out of range: there are \(arrangement.sections.count) sections.")
        }
        return arrangement
    }

    /// Throws unless the calling thread may use the controller, and the controller has fetched.
    package func requireContent() throws(PinviewError) {
        try managedObjectContext.call { (_) throws(PinviewError) in
            if self.content == nil { throw Self.notFetched }
        }
    }

    static var notFetched: PinviewError {
        PinviewError(.invalidArgument, "The fetched results controller has not fetched yet. Perform a fetch first.")
    }

    // MARK: The index of the sections

    /// The distinct titles of the sections, in order.
    public var sectionIndexTitles: [String] {
        var seen: Set<String> = []
        let names = state.onQueueAlways { content?.arrangement.sections.names.map(\.text) ?? [] }
        return names.compactMap(sectionIndexTitle(forSectionName:)).filter { seen.insert($0).inserted }
    }

    /// The first section with an index title.
    ///
    /// - Parameter index: the title's position in ``sectionIndexTitles``.
    /// - Throws: `invalidArgument` if the title is not at that position.
    public func section(forSectionIndexTitle title: String, at index: Int) throws(PinviewError) -> Int {
        let titles = sectionIndexTitles
        guard titles.indices.contains(index), titles[index] == title else {
            throw PinviewError(.invalidArgument, "The section index titles have no '\(title)' at index \(index); they are \(titles).")
        }
        let names = state.onQueueAlways { content?.arrangement.sections.names.map(\.text) ?? [] }
        return names.firstIndex { sectionIndexTitle(forSectionName: $0) == title } ?? 0
    }

    /// The index title of a section: the delegate's, or the first letter of the name as a capital.
    public func sectionIndexTitle(forSectionName sectionName: String) -> String? {
        guard let delegate else { return Self.defaultIndexTitle(of: sectionName) }
        return delegate.controller(self, sectionIndexTitleForSectionName: sectionName)
    }

    static func defaultIndexTitle(of sectionName: String) -> String? { sectionName.first.map { String($0).uppercased() } }

    // MARK: Changes

    /// Whether changes to objects of an entity concern the controller. Before its first fetch, none
    /// do.
    func follows(_ entity: Entity) -> Bool { content?.fetches(entity) ?? false }

    /// Called when the context was pinned to another generation or unpinned.
    func generationDidChange() { respond(to: Trigger()) }

    /// Responds to a change, and to those caused meanwhile.
    private func respond(to trigger: Trigger) {
        guard content != nil else { return }
        let rest = trigger.without(announced)
        // What the controller has announced itself is no news, and neither is a change at which it
        // retries what has failed.
        if announced.isEmpty || !rest.isEmpty { waiting.append(rest) }
        announced = []
        guard !isBusy else { return }
        isBusy = true
        defer { isBusy = false }
        while !waiting.isEmpty, let content {
            let trigger = waiting.removeFirst()
            var refreshed: Set<ManagedObject> = []
            do throws(PinviewError) {
                let plan = try state.readingConsistently { () throws(PinviewError) in try content.following(trigger, &refreshed) }
                if let plan { carryOut(plan, content) }
            } catch {
                content.isStale = true
                _delegate?.controller(self, didFailWith: error)
            }
            // They have the values of their rows, even if something failed afterwards.
            if !refreshed.isEmpty { announce(refreshed) }
        }
    }

    /// Tells all other observers of objects that the controller has refreshed.
    private func announce(_ refreshed: Set<ManagedObject>) {
        announced = refreshed
        state.postObjectsDidChange()
        announced = []
    }

    private func carryOut(_ plan: Arrangement.Plan, _ content: Content) {
        let changes = plan.changes
        let delegate = changes.isEmpty ? nil : _delegate
        delegate?.controllerWillChangeContent(self)
        let title = sectionIndexTitle(forSectionName:)
        let deletedSections = changes.deletedSections.map { ($0, content.arrangement.info(ofSection: $0, title: title)) }
        content.arrangement.carryOut(plan)
        guard let delegate else { return }
        let insertedSections = changes.insertedSections.map { ($0, content.arrangement.info(ofSection: $0, title: title)) }
        for (index, info) in deletedSections {
            delegate.controller(self, didChange: info, atSectionIndex: index, for: .delete)
        }
        for (index, info) in insertedSections {
            delegate.controller(self, didChange: info, atSectionIndex: index, for: .insert)
        }
        for (object, from) in changes.deleted { delegate.controller(self, didChange: object, at: from, for: .delete, newIndexPath: nil) }
        for (object, to) in changes.inserted { delegate.controller(self, didChange: object, at: nil, for: .insert, newIndexPath: to) }
        for (object, from, to) in changes.moved { delegate.controller(self, didChange: object, at: from, for: .move, newIndexPath: to) }
        for (object, from, to) in changes.updated { delegate.controller(self, didChange: object, at: from, for: .update, newIndexPath: to) }
        delegate.controllerDidChangeContent(self)
    }
}
