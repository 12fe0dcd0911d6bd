import PinviewModel

/// The whole stack in one object (`NSPersistentContainer`): a coordinator with its stores, a
/// main-queue view context, and private-queue contexts for work in the background.
public final class PersistentContainer: @unchecked Sendable {  // immutable but for the stores, which the coordinator guards
    public let name: String
    public let persistentStoreCoordinator: PersistentStoreCoordinator
    /// The context of the main queue. Works once ``loadPersistentStores()`` has run.
    public let viewContext: ManagedObjectContext

    private let storePath: String?
    private let options: [String: Value]

    /// Makes the stack without opening anything.
    ///
    /// - Parameters:
    ///   - name: names the coordinator.
    ///   - storePath: the SQLite file; nil for a store in memory.
    ///   - options: as for `PersistentStoreCoordinator.addPersistentStore`.
    public init(name: String, managedObjectModel: ManagedObjectModel, storePath: String? = nil, options: [String: Value] = [:]) {
        self.name = name
        self.storePath = storePath
        self.options = options
        persistentStoreCoordinator = PersistentStoreCoordinator(managedObjectModel: managedObjectModel)
        persistentStoreCoordinator.name = name
        viewContext = ManagedObjectContext(concurrencyType: .mainQueue)
        viewContext.name = "viewContext"
        viewContext.state.adopt(coordinator: persistentStoreCoordinator)
    }

    public var managedObjectModel: ManagedObjectModel { persistentStoreCoordinator.managedObjectModel }

    /// Opens the store. Loading again does nothing.
    ///
    /// - Throws: as `PersistentStoreCoordinator.addPersistentStore`.
    public func loadPersistentStores() throws(PinviewError) {
        guard persistentStoreCoordinator.persistentStores.isEmpty else { return }
        try persistentStoreCoordinator.addPersistentStore(type: storePath == nil ? .inMemory : .sqlite, at: storePath, options: options)
    }

    /// A new private-queue context on the coordinator.
    public func newBackgroundContext() -> ManagedObjectContext {
        let context = ManagedObjectContext(concurrencyType: .privateQueue)
        context.state.adopt(coordinator: persistentStoreCoordinator)
        return context
    }

    /// Runs a block with a private-queue context of its own, later, on that context's queue.
    public func performBackgroundTask(_ block: @escaping @Sendable (ManagedObjectContext) -> Void) {
        let context = newBackgroundContext()
        context.state.queue.perform { context.run { block(context) } }
    }
}
