/// A request for `ManagedObjectContext.execute(_:)` (`NSPersistentStoreRequest`).
public protocol PersistentStoreRequest: Sendable {}
