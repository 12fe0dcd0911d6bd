/// On which thread a context's work runs (`NSManagedObjectContextConcurrencyType`).
public enum ManagedObjectContextConcurrencyType: Int, Hashable, Sendable {
    /// The context belongs to the thread that made it. Deprecated: use `.privateQueue`.
    case confinement = 0
    /// The context is its own serial queue.
    case privateQueue = 1
    /// The context's work runs on the process's main thread or the main actor; see ``MainQueue``.
    case mainQueue = 2
}
