import PinviewModel
import PinviewPredicates

/// Keeps what a fetch request finds in a context, in sections, and tells a delegate what changes
/// (`NSFetchedResultsController`).
///
/// It follows the context's objects-did-change notifications: unsaved changes, merges (automatic
/// ones, too), refreshes, rollbacks and resets. It judges changed objects in memory and reads the
/// store anew only where that cannot tell: with a limit or an offset, without pending changes,
/// after a reset. On a pinned context nothing moves until the context does: when it is pinned to
/// another generation, or has merged or saved and so moves on, the controller fetches at the new
/// generation, refreshes the objects whose rows have changed, and tells exactly what is different.
/// Setting the generation of a context that has a controller is a read, for that reason.
///
/// As in Core Data, an object is judged again when it changes itself. A predicate or an order over
/// relationships does not notice a change of the objects behind them until the object is refreshed
/// or everything is fetched. There is no cache on disk and so no name of one: what it would hold,
/// the sections, is made of values that the controller loads anyway.
///
/// **Threads.** It belongs to its context's queue, as objects do; the delegate is called there.
/// **Lifetime.** It keeps its context, and the objects that it holds. The delegate is not kept.
public final class FetchedResultsController: @unchecked Sendable {  // what changes belongs to the context's queue
    public let fetchRequest: FetchRequest
    public let managedObjectContext: ManagedObjectContext
    /// An attribute of the objects, maybe behind to-one relationships, whose values are the names
    /// of sections.
    public let sectionNameKeyPath: String?

    private weak var _delegate: (any FetchedResultsControllerDelegate)?
    /// Nil until the first fetch.
    var content: Content?
    private var observers: [NotificationCenter.Observer] = []
    /// While the delegate is called, and while the controller itself changes objects.
    private var isBusy = false
    private var waiting: [Trigger] = []
    /// What the controller has refreshed itself, and need not be told of.
    private var announced: Set<ManagedObject> = []

    var state: ContextState { managedObjectContext.state }

    /// - Parameters:
    ///   - fetchRequest: with one sort descriptor at least, and objects for its result. The first
    ///     one has to bring the objects of a section together. With a batch size, values are loaded
    ///     only for the objects that are used, unless there are sections.
    ///   - sectionNameKeyPath: nil for a single section.
    /// - Throws: `invalidArgument` for another request.
    public init(
        fetchRequest: FetchRequest, managedObjectContext: ManagedObjectContext, sectionNameKeyPath: String? = nil
    ) throws(PinviewError) {
        guard !fetchRequest.sortDescriptors.isEmpty else {
            throw PinviewError(
                .invalidArgument,
                "A fetched results controller needs a request with a sort descriptor, for its objects have places; the one for \(fetchRequest.entityName) has none."
            )
        }
        guard fetchRequest.resultType == .managedObject else {
            throw PinviewError(.invalidArgument, "A fetched results controller needs a request for objects, not for IDs, rows or a count.")
        }
        self.fetchRequest = fetchRequest
        self.managedObjectContext = managedObjectContext
        self.sectionNameKeyPath = sectionNameKeyPath
        observers.append(
            NotificationCenter.default.addObserver(forName: .objectsDidChange, object: managedObjectContext) { [weak self] notification in
                self?.respond(to: Trigger(objectsDidChange: notification))
            })
        observers.append(
            NotificationCenter.default.addObserver(forName: .didSave, object: managedObjectContext) { [weak self] notification in
                self?.respond(to: Trigger(didSave: notification))
            })
        managedObjectContext.state.addFollower(self)
    }

    deinit {
        for observer in observers { NotificationCenter.default.removeObserver(observer) }
    }

    /// Told of changes; not kept. May be set from any thread.
    public var delegate: (any FetchedResultsControllerDelegate)? {
        get { state.onQueueAlways { _delegate } }
        set { state.onQueueAlways { _delegate = newValue } }
    }

    // MARK: Content

    /// Fetches, and follows the context from now on. It may be called again; the delegate is not
    /// told.
    ///
    /// - Throws: as `ManagedObjectContext.fetch(_:)`; `invalidArgument` when the objects of a
    ///   section do not stand together; `unknownKey` or `wrongType` for a section key path that
    ///   leads to no attribute.
    public func performFetch() throws(PinviewError) {
        try managedObjectContext.call { (state) throws(PinviewError) in
            waiting = []
            try state.processPendingChanges()
            content = try state.readingConsistently { () throws(PinviewError) in try Content(self) }
        }
    }

    /// The objects in order; nil before the first fetch.
    public var fetchedObjects: [ManagedObject]? {
        state.onQueueAlways { content?.arrangement.objects.map(\.object) }
    }

    /// How many objects there are, without making a list of them; 0 before the first fetch.
    public var numberOfObjects: Int { state.onQueueAlways { content?.arrangement.objects.count ?? 0 } }

    /// The sections in order; nil before the first fetch. Without a section key path there is one,
    /// which may be empty.
    public var sections: [FetchedResultsSectionInfo]? {
        state.onQueueAlways {
            guard let arrangement = content?.arrangement else { return nil }
            return arrangement.sections.indices.map { arrangement.info(ofSection: $0, title: sectionIndexTitle(forSectionName:)) }
        }
    }

    /// The object at a place.
    ///
    /// - Throws: `invalidArgument` for a place that does not exist, or before the first fetch.
    public func object(at indexPath: IndexPath) throws(PinviewError) -> ManagedObject {
        try managedObjectContext.call { (_) throws(PinviewError) in
            let (arrangement, section) = try self.section(indexPath.section)
            let range = section.range
            guard indexPath.item >= 0, indexPath.item < range.count else {
                throw PinviewError(
                    .invalidArgument, "Section \(indexPath.section) has \(range.count) objects, so there is no place \(indexPath).")
            }
            return arrangement.objects[range.lowerBound + indexPath.item].object
        }
    }

    /// Where an object stands; nil for one that is not among them.
    public func indexPath(forObject object: ManagedObject) -> IndexPath? {
        state.onQueueAlways { content?.arrangement.indexPath(of: object) }
    }

    /// How many sections there are, without making a list of them; 0 before the first fetch.
    public var numberOfSections: Int { state.onQueueAlways { content?.arrangement.sections.count ?? 0 } }

    /// What a section is called, and how many objects it has, without making a list of them.
    ///
    /// - Throws: `invalidArgument` for a section that does not exist, or before the first fetch.
    package func describeSection(_ index: Int) throws(PinviewError) -> (name: String, indexTitle: String?, count: Int) {
        try managedObjectContext.call { (_) throws(PinviewError) in
            let section = try self.section(index).section
            return (section.name, self.sectionIndexTitle(forSectionName: section.name), section.range.count)
        }
    }

    /// The objects of one section in order.
    ///
    /// - Throws: as ``describeSection(_:)``.
    package func objects(ofSection index: Int) throws(PinviewError) -> [ManagedObject] {
        try managedObjectContext.call { (_) throws(PinviewError) in
            let (arrangement, section) = try self.section(index)
            return arrangement.objects[section.range].map(\.object)
        }
    }

    private func section(_ index: Int) throws(PinviewError) -> (arrangement: Arrangement, section: Arrangement.Section) {
        guard let arrangement = content?.arrangement else { throw Self.notFetched }
        guard arrangement.sections.indices.contains(index) else {
            throw PinviewError(.invalidArgument, "There are \(arrangement.sections.count) sections; there is none at index \(index).")
        }
        return (arrangement, arrangement.sections[index])
    }

    /// Makes sure that the calling thread may use the controller, and that it has fetched.
    package func requireContent() throws(PinviewError) {
        try managedObjectContext.call { (_) throws(PinviewError) in
            if self.content == nil { throw Self.notFetched }
        }
    }

    static var notFetched: PinviewError {
        PinviewError(.invalidArgument, "The fetched results controller has not fetched yet; call performFetch() first.")
    }

    // MARK: The index of the sections

    /// The titles of the sections, each once, in order.
    public var sectionIndexTitles: [String] {
        var seen: Set<String> = []
        let names = state.onQueueAlways { content?.arrangement.sections.map(\.name) ?? [] }
        return names.compactMap(sectionIndexTitle(forSectionName:)).filter { seen.insert($0).inserted }
    }

    /// The section that an entry of the index leads to: the first one with the title.
    ///
    /// - Parameter index: the place in ``sectionIndexTitles``.
    /// - Throws: `invalidArgument` when that is not its place.
    public func section(forSectionIndexTitle title: String, at index: Int) throws(PinviewError) -> Int {
        let titles = sectionIndexTitles
        guard titles.indices.contains(index), titles[index] == title else {
            throw PinviewError(.invalidArgument, "The index of the sections has no '\(title)' at \(index); it is \(titles).")
        }
        let names = state.onQueueAlways { content?.arrangement.sections.map(\.name) ?? [] }
        return names.firstIndex { sectionIndexTitle(forSectionName: $0) == title } ?? 0
    }

    /// What stands for a section in the index: what the delegate says, or the first letter of the
    /// name as a capital.
    public func sectionIndexTitle(forSectionName sectionName: String) -> String? {
        guard let delegate else { return Self.defaultIndexTitle(of: sectionName) }
        return delegate.controller(self, sectionIndexTitleForSectionName: sectionName)
    }

    static func defaultIndexTitle(of sectionName: String) -> String? { sectionName.first.map { String($0).uppercased() } }

    // MARK: Changes

    /// Whether a change of objects of an entity is one for the controller; none is before its first
    /// fetch.
    func follows(_ entity: Entity) -> Bool { content?.fetches(entity) ?? false }

    /// The context was pinned to another generation, or unpinned.
    func generationDidChange() { respond(to: Trigger()) }

    /// Follows a change, and those that come about meanwhile.
    private func respond(to trigger: Trigger) {
        guard content != nil else { return }
        let rest = trigger.without(announced)
        // What the controller has announced itself is no news, nor a change at which it tries again
        // what has failed.
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
            // They have the values of their rows, also if something has failed afterwards.
            if !refreshed.isEmpty { announce(refreshed) }
        }
    }

    /// Lets everybody else know of the objects that the controller has refreshed.
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
