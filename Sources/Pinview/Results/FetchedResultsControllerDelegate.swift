import PinviewModel

/// What happened to an object or a section of a results controller (`NSFetchedResultsChangeType`).
public enum FetchedResultsChangeType: Int, Hashable, Sendable {
    case insert = 1
    case delete = 2
    /// For objects only: the object has moved, and may have changed in other ways too.
    case move = 3
    /// For objects only: the object has changed, but kept its position among the others.
    case update = 4
}

/// A snapshot of a section of a results controller (`NSFetchedResultsSectionInfo`).
public struct FetchedResultsSectionInfo {
    /// The value of the section's key path as text; empty for nil, and for the only section of a
    /// controller without a key path.
    public let name: String
    /// The section's title in an index; nil for an empty name.
    public let indexTitle: String?
    /// The section's objects, in order.
    public let objects: [ManagedObject]
    /// The number of objects in the section.
    public var numberOfObjects: Int { objects.count }
}

/// Receives the changes of a results controller on its context's queue. All methods have default
/// implementations that do nothing.
///
/// Between `controllerWillChangeContent` and `controllerDidChangeContent`, the changes are reported
/// in this order: deleted sections (from last to first), inserted sections (from first to last),
/// deleted objects (from last to first), inserted objects (from first to last), moved objects,
/// updated objects. Index paths before the change (of deleted objects, and the old ones of moved
/// and updated objects) refer to the content at *will change*; index paths after it (of inserted
/// objects, and the new ones of moved and updated objects) refer to the content at *did change*. So
/// to apply the changes: remove all deleted and moved objects, from last to first; remove the
/// deleted sections, from last to first; insert the inserted sections, from first to last; insert
/// the inserted and moved objects in the order of their new index paths. Each object of a deleted
/// section is deleted or moved itself, each object of an inserted section inserted or moved.
public protocol FetchedResultsControllerDelegate: AnyObject {
    /// Called before a change. The controller still has its old content.
    func controllerWillChangeContent(_ controller: FetchedResultsController)
    /// Called for each deleted or inserted section.
    ///
    /// - Parameters:
    ///   - sectionInfo: a deleted section as it was, an inserted one as it is.
    ///   - type: insert or delete.
    func controller(
        _ controller: FetchedResultsController, didChange sectionInfo: FetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: FetchedResultsChangeType)
    /// Called for each object that was deleted, inserted, moved or updated.
    ///
    /// - Parameters:
    ///   - indexPath: the index path before the change; nil for an inserted object.
    ///   - newIndexPath: the index path after the change; nil for a deleted object.
    func controller(
        _ controller: FetchedResultsController, didChange object: ManagedObject, at indexPath: PinviewIndexPath?,
        for type: FetchedResultsChangeType, newIndexPath: PinviewIndexPath?)
    /// Called after a change. The controller has had its new content since the first change was
    /// reported.
    func controllerDidChangeContent(_ controller: FetchedResultsController)
    /// Called if a change could not be followed because the store could not be read. The controller
    /// keeps its old content, and fetches everything again at the next change or `performFetch`.
    func controller(_ controller: FetchedResultsController, didFailWith error: PinviewError)
    /// The index title of a section; by default, the first letter of its name as a capital.
    func controller(_ controller: FetchedResultsController, sectionIndexTitleForSectionName sectionName: String) -> String?
}

extension FetchedResultsControllerDelegate {
    public func controllerWillChangeContent(_ controller: FetchedResultsController) {}
    public func controller(
        _ controller: FetchedResultsController, didChange sectionInfo: FetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: FetchedResultsChangeType
    ) {}
    public func controller(
        _ controller: FetchedResultsController, didChange object: ManagedObject, at indexPath: PinviewIndexPath?,
        for type: FetchedResultsChangeType, newIndexPath: PinviewIndexPath?
    ) {}
    public func controllerDidChangeContent(_ controller: FetchedResultsController) {}
    public func controller(_ controller: FetchedResultsController, didFailWith error: PinviewError) {}
    public func controller(_ controller: FetchedResultsController, sectionIndexTitleForSectionName sectionName: String) -> String? {
        FetchedResultsController.defaultIndexTitle(of: sectionName)
    }
}
