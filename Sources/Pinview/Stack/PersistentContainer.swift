import PinviewModel
import PinviewStore

/// A complete stack (`NSPersistentContainer`): a coordinator with its stores, a main-queue view
/// context, and private-queue contexts for background work.
public final class PersistentContainer: @unchecked Sendable {  // immutable but for the stores, which the coordinator guards
    /// The container's name, which is also the coordinator's.
    public let name: String
    /// The coordinator with the container's stores.
    public let persistentStoreCoordinator: PersistentStoreCoordinator
    /// A main-queue context. Usable once ``loadPersistentStores()`` has returned.
    public let viewContext: ManagedObjectContext

    let storePath: String?
    let options: [String: Value]
    var storeType: StoreType { storePath == nil ? .inMemory : .sqlite }

    /// Makes the stack without opening a store.
    ///
    /// - Parameters:
    ///   - name: the coordinator's name.
    ///   - storePath: the SQLite file; nil for an in-memory store.
    ///   - options: as for `PersistentStoreCoordinator.addPersistentStore`, but with
    ///     `migrateStoreAutomatically` on unless it is given.
    public init(name: String, managedObjectModel: ManagedObjectModel, storePath: String? = nil, options: [String: Value] = [:]) {
        self.name = name
        self.storePath = storePath
        // As in Core Data, a container's stores are migrated unless the program says otherwise.
        self.options = [
            StoreOptions.migrateAutomatically: .boolean(true), StoreOptions.inferMapping: .boolean(true),
        ].filter { pair in !options.keys.contains { StoreOptions.areSame($0, pair.key) } }.merging(options) { _, given in given }
        persistentStoreCoordinator = PersistentStoreCoordinator(managedObjectModel: managedObjectModel)
        persistentStoreCoordinator.name = name
        viewContext = ManagedObjectContext(concurrencyType: .mainQueue)
        viewContext.name = "viewContext"
        viewContext.state.adopt(coordinator: persistentStoreCoordinator)
    }

    /// The model of the coordinator.
    public var managedObjectModel: ManagedObjectModel { persistentStoreCoordinator.managedObjectModel }

    /// Opens the store, and migrates it if it has another version of the model. Does nothing if
    /// called again.
    ///
    /// - Throws: as `PersistentStoreCoordinator.addPersistentStore`.
    public func loadPersistentStores() throws(PinviewError) {
        guard persistentStoreCoordinator.persistentStores.isEmpty else { return }
        try persistentStoreCoordinator.addPersistentStore(type: storeType, at: storePath, options: options)
    }

    /// Makes a private-queue context on the coordinator.
    public func newBackgroundContext() -> ManagedObjectContext {
        let context = ManagedObjectContext(concurrencyType: .privateQueue)
        context.state.adopt(coordinator: persistentStoreCoordinator)
        return context
    }

    /// Runs a block later with a new private-queue context, on that context's queue.
    public func performBackgroundTask(_ block: @escaping @Sendable (ManagedObjectContext) -> Void) {
        let context = newBackgroundContext()
        context.state.queue.perform { context.run { block(context) } }
    }
}
