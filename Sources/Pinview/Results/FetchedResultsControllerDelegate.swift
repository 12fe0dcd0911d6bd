import PinviewModel

/// What happened to an object or a section of a fetched results controller
/// (`NSFetchedResultsChangeType`).
public enum FetchedResultsChangeType: Int, Hashable, Sendable {
    case insert = 1
    case delete = 2
    /// Of objects only: it stands elsewhere now, and may have changed in other ways, too.
    case move = 3
    /// Of objects only: it has changed, and stands where it stood among the others.
    case update = 4
}

/// A section of a fetched results controller, as it was when it was asked for
/// (`NSFetchedResultsSectionInfo`).
public struct FetchedResultsSectionInfo {
    /// The value of the section's key path as a text; empty for nil, and for the only section of a
    /// controller without a key path.
    public let name: String
    /// The title in an index of the sections; nil for an empty name.
    public let indexTitle: String?
    /// In order.
    public let objects: [ManagedObject]
    public var numberOfObjects: Int { objects.count }
}

/// Told of the changes of a fetched results controller, on its context's queue. All members have
/// implementations that do nothing.
///
/// Between *will change* and *did change* the single changes come in this order: deleted sections
/// (the last first), inserted sections (the first first), deleted objects (the last first),
/// inserted objects (the first first), moved objects, updated objects. Places before the change (of
/// what is deleted, and where a moved or updated object comes from) are those that it had at *will
/// change*; places after it (of what is inserted, and where a moved or updated object goes to) are
/// those that it has at *did change*. So to follow the controller: take out all deleted and moved
/// objects, the last first; take out the deleted sections, the last first; put in the inserted
/// sections, the first first; put in the inserted and moved objects in the order of their new
/// places. The objects of a deleted section are deleted or moved each by itself, those of an
/// inserted one inserted or moved.
public protocol FetchedResultsControllerDelegate: AnyObject {
    /// The controller has its old content still.
    func controllerWillChangeContent(_ controller: FetchedResultsController)
    /// - Parameters:
    ///   - sectionInfo: a deleted section as it was, an inserted one as it is.
    ///   - type: insert or delete.
    func controller(
        _ controller: FetchedResultsController, didChange sectionInfo: FetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: FetchedResultsChangeType)
    /// - Parameters:
    ///   - indexPath: the place before the change; nil for an inserted object.
    ///   - newIndexPath: the place after it; nil for a deleted object.
    func controller(
        _ controller: FetchedResultsController, didChange object: ManagedObject, at indexPath: IndexPath?,
        for type: FetchedResultsChangeType, newIndexPath: IndexPath?)
    /// The controller has had its new content since the first of the single changes.
    func controllerDidChangeContent(_ controller: FetchedResultsController)
    /// The controller could not follow a change, since the store could not be read. It keeps its
    /// old content, and reads all of it anew at the next change or `performFetch`.
    func controller(_ controller: FetchedResultsController, didFailWith error: PinviewError)
    /// The title of a section in the index; by default the first letter of its name as a capital.
    func controller(_ controller: FetchedResultsController, sectionIndexTitleForSectionName sectionName: String) -> String?
}

extension FetchedResultsControllerDelegate {
    public func controllerWillChangeContent(_ controller: FetchedResultsController) {}
    public func controller(
        _ controller: FetchedResultsController, didChange sectionInfo: FetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: FetchedResultsChangeType
    ) {}
    public func controller(
        _ controller: FetchedResultsController, didChange object: ManagedObject, at indexPath: IndexPath?,
        for type: FetchedResultsChangeType, newIndexPath: IndexPath?
    ) {}
    public func controllerDidChangeContent(_ controller: FetchedResultsController) {}
    public func controller(_ controller: FetchedResultsController, didFailWith error: PinviewError) {}
    public func controller(_ controller: FetchedResultsController, sectionIndexTitleForSectionName sectionName: String) -> String? {
        FetchedResultsController.defaultIndexTitle(of: sectionName)
    }
}
