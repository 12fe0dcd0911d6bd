/// What a root context's save does with a row that somebody else changed or deleted since the
/// context read it.
///
/// Whether there is a conflict is decided by the row version alone; which properties changed on
/// which side is decided by the values the object was loaded with (`NSMergePolicy` in Core Data).
/// A conflict between a child and its parent does not exist: the child's values are taken.
public enum MergePolicy: Int, Hashable, Sendable, CaseIterable {
    /// The save fails with `PinviewError.Code.managedObjectMerge` and lists the conflicts. The default.
    case error = 0
    /// A property changed on both sides takes the store's value, one changed on one side that side's.
    case mergeByPropertyStoreTrump = 1
    /// A property changed on both sides takes the object's value, one changed on one side that side's.
    case mergeByPropertyObjectTrump = 2
    /// The object's whole state replaces the stored row.
    case overwrite = 3
    /// The stored row stays and the object takes its values.
    case rollback = 4
}

/// On which thread the work of a context runs (`NSManagedObjectContextConcurrencyType`).
public enum ManagedObjectContextConcurrencyType: Int, Hashable, Sendable {
    /// The context belongs to the thread that made it. Deprecated: take `.privateQueue`.
    case confinement = 0
    /// The context is its own serial queue.
    case privateQueue = 1
    /// The context's work runs on the process's main thread.
    case mainQueue = 2
}
